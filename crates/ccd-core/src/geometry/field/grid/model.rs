//! What a ball holds of a grid's solid: one half-space where the surface is flat, else the boxes of cells that reach into the
//! ball, halved until what they hold is nearly flat, each with a half-space of its own.

use super::trilinear::{Trilinear, nearest_below};
use super::{BLOCK, SignedDistanceGrid};
use crate::geometry::field::{Enclosure, Facet, Field, Region};
use crate::math::{Real, Vector};
use crate::volume::Sphere;

/// A half-space whose error is below this share of the ball's radius is exact enough.
const FLAT: Real = 0.1;
/// How often a cell is halved for that: its error falls to a quarter each time.
const HALVINGS: u32 = 3;
/// Cells beyond which only the distance is asked.
const MOST_CELLS: Real = 2000.0;
/// Parts of cells beyond which there are too many to be kept apart: most of those that are looked at reach into the ball.
const MOST_PARTS: usize = 3 * Enclosure::MOST_ALTERNATIVES;
/// A slope below this, cells over a cell, is none.
const LEVEL: Real = 1e-6;

impl SignedDistanceGrid {
    /// What is in the ball and within `reach` of its centre along each axis.
    pub(super) fn enclose_in(&self, ball: &Sphere, reach: &Vector, region: Region, out: &mut Enclosure) {
        let distance = self.distance(&ball.centre) * if region == Region::Solid { 1.0 } else { -1.0 };
        if distance > ball.radius {
            return;
        }
        let cells = reach.map(|r| 2.0 * r / self.cell + 1.0).product();
        if cells > MOST_CELLS || distance < -ball.radius {
            return out.push_everything();
        }
        let radius = ball.radius / self.cell;
        let parts = match self.parts(ball, reach, region) {
            Parts::Flat(slab) => return out.push(&[slab.facet(self.cell)]),
            Parts::Many => return out.push_everything(),
            Parts::Few(parts) => parts,
        };
        let mut flat = Vec::with_capacity(Enclosure::MOST_ALTERNATIVES + 1);
        if !parts.iter().all(|part| part.flatten(radius, HALVINGS, &mut flat)) {
            flat = parts.iter().map(|part| (*part, part.slab())).collect();
        }
        if flat.len() > Enclosure::MOST_ALTERNATIVES {
            return out.push_everything();
        }
        let nearer = reach.map(|r| r.min(ball.radius) / self.cell);
        for (part, slab) in &flat {
            part.enclose(slab.as_ref(), &nearer, self.cell, out);
        }
    }

    /// The parts of cells that the ball and the box of `reach` hold something of.
    fn parts(&self, ball: &Sphere, reach: &Vector, region: Region) -> Parts {
        let sign = if region == Region::Solid { 1.0 } else { -1.0 };
        let last = self.blocks.map(|b| b * BLOCK);
        let centre = (ball.centre - self.origin) / self.cell;
        let (low, high) = (centre - reach / self.cell, centre + reach / self.cell);
        let is_outside = (0..3).any(|k| low[k] < 0.0 || high[k] > last[k] as Real);
        if is_outside && region == Region::Complement {
            return Parts::Many;
        }
        let radius = ball.radius / self.cell;
        let reached = radius * radius * (1.0 + 1e-9);
        let from: [usize; 3] = std::array::from_fn(|k| low[k].max(0.0) as usize);
        let to: [usize; 3] = std::array::from_fn(|k| (high[k].max(0.0) as usize).min(last[k] - 1));
        let mut parts = Vec::with_capacity(MOST_PARTS);
        // Of what is flat the surface has everywhere the slope that the values have in the middle.
        let mut slab = self.place(&ball.centre).and_then(|centre| {
            let (cell, within) = self.cell_of(&centre);
            Spread::new(&self.corners(cell).ok()?.times(sign).slopes(&within))
        });
        let mut is_flat = true;
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    let origin = Vector::from([x, y, z].map(|k| k as Real)) - centre;
                    if origin.map(|low| low.max(-1.0 - low).max(0.0)).norm_squared() > reached {
                        continue;
                    }
                    let values = match self.corners([x, y, z]) {
                        Err(distance) if sign * distance > 0.0 => continue,
                        Err(_) => return Parts::Many,
                        Ok(values) if values.0.iter().all(|v| sign * v > 0.0) => continue,
                        Ok(values) => values.times(sign),
                    };
                    let within = |at: Vector| (at - centre - origin).map(|u| u.clamp(0.0, 1.0));
                    let part = Part::of(&values, &origin, &within(low), &within(high));
                    if !part.holds_some() {
                        continue;
                    }
                    if is_flat {
                        slab = slab.or_else(|| Spread::new(&part.slope()));
                        is_flat = slab.as_mut().is_some_and(|slab| slab.add(&part) <= FLAT * radius);
                    }
                    match (parts.len() < MOST_PARTS, is_flat) {
                        (true, _) => parts.push(part),
                        (false, true) => {}
                        (false, false) => return Parts::Many,
                    }
                }
            }
        }
        match slab.filter(|_| is_flat && !parts.is_empty()) {
            Some(slab) => Parts::Flat(slab.slab()),
            None => Parts::Few(parts),
        }
    }
}

/// What a ball holds of a solid.
enum Parts {
    /// All of it is within a share of the radius of one plane.
    Flat(Slab),
    /// No more than are worth a look.
    Few(Vec<Part>),
    /// More.
    Many,
}

/// A box within a cell, in cells from the ball's centre. What is interpolated in a cell is, in a box within it, interpolated from the
/// values at the box's corners; the smaller the box the more nearly linear.
#[derive(Clone, Copy)]
struct Part {
    low: Vector,
    high: Vector,
    values: Trilinear,
}

impl Part {
    /// The part from `low` to `high` of a unit box at `origin` with these values.
    fn of(values: &Trilinear, origin: &Vector, low: &Vector, high: &Vector) -> Self {
        let at = |i: usize| Vector::from_fn(|k, _| if i >> k & 1 == 1 { high[k] } else { low[k] });
        let values = Trilinear(std::array::from_fn(|i| values.value(&at(i))));
        Self { low: origin + low, high: origin + high, values }
    }

    fn holds_some(&self) -> bool {
        self.values.0.iter().any(|v| *v <= 0.0)
    }

    fn is_full(&self) -> bool {
        self.values.0.iter().all(|v| *v <= 0.0)
    }

    /// The slope in its middle, cells over a cell.
    fn slope(&self) -> Vector {
        let slopes = self.values.slopes(&Vector::repeat(0.5));
        // No part is so thin that its slope is lost but one of no width.
        slopes.zip_map(&(self.high - self.low), |slope, width| if width > 1e-12 { slope / width } else { 0.0 })
    }

    fn slab(&self) -> Option<Slab> {
        let mut spread = Spread::new(&self.slope())?;
        spread.add(self);
        Some(spread.slab())
    }

    /// Appends its parts that reach within `radius` of the centre, halved as often as it takes to make them flat. False where they
    /// become more than an enclosure has.
    fn flatten(&self, radius: Real, halvings: u32, flat: &mut Vec<(Self, Option<Slab>)>) -> bool {
        if !self.holds_some() {
            return true;
        }
        let slab = self.slab();
        let nearest = match &slab {
            Some(slab) => {
                nearest_below(&Vector::zeros(), &slab.normal, slab.error - slab.value, [&self.low, &self.high])
            }
            None => Some(Vector::zeros().sup(&self.low).inf(&self.high)),
        };
        if nearest.is_none_or(|nearest| nearest.norm() > radius * (1.0 + 1e-9)) {
            return true;
        }
        if halvings == 0 || self.is_full() || slab.as_ref().is_some_and(|slab| slab.error <= FLAT * radius) {
            flat.push((*self, slab));
            return flat.len() <= Enclosure::MOST_ALTERNATIVES;
        }
        (0..8).all(|octant| self.octant(octant).flatten(radius, halvings - 1, flat))
    }

    fn octant(&self, octant: usize) -> Self {
        let low = Vector::from_fn(|k, _| 0.5 * (octant >> k & 1) as Real);
        let high = low.add_scalar(0.5);
        let width = self.high - self.low;
        let part = Self::of(&self.values, &Vector::zeros(), &low, &high);
        Self { low: self.low + width.component_mul(&low), high: self.low + width.component_mul(&high), ..part }
    }

    /// Appends its half-space and those of its sides that are less than `reach` away along their axes: where it ends, others begin.
    fn enclose(&self, slab: Option<&Slab>, reach: &Vector, cell: Real, out: &mut Enclosure) {
        let mut facets = [Facet { normal: Vector::y(), value: Real::NEG_INFINITY, error: 0.0 }; 7];
        let mut count = 0;
        let mut push = |facet: Facet| {
            facets[count] = facet;
            count += 1;
        };
        if let Some(slab) = slab {
            push(slab.facet(cell));
        }
        for k in 0..3 {
            for (side, at) in [(-1.0, self.low[k]), (1.0, self.high[k])] {
                if side * at < reach[k] * (1.0 - 1e-9) {
                    let mut normal = Vector::zeros();
                    normal[k] = side;
                    push(Facet { normal, value: -side * at * cell, error: 1e-12 * cell });
                }
            }
        }
        out.push(&facets[..count]);
    }
}

/// A plane through values: all of them are within `error` of the height over it, times the slope. In cells.
#[derive(Clone, Copy)]
struct Slab {
    normal: Vector,
    value: Real,
    error: Real,
}

impl Slab {
    fn facet(&self, cell: Real) -> Facet {
        Facet { normal: self.normal, value: self.value * cell, error: self.error * cell }
    }
}

/// What is known of a [`Slab`] while parts are added. Of a linear function the interpolated one differs most at a corner.
struct Spread {
    slope: Vector,
    steepness: Real,
    lowest: Real,
    highest: Real,
}

impl Spread {
    /// `None` where there is no slope.
    fn new(slope: &Vector) -> Option<Self> {
        let steepness = slope.norm();
        let (lowest, highest) = (Real::INFINITY, Real::NEG_INFINITY);
        (steepness > LEVEL).then_some(Self { slope: *slope, steepness, lowest, highest })
    }

    /// Returns the error, in cells.
    fn add(&mut self, part: &Part) -> Real {
        // One sum a side instead of one a corner.
        let (low, high) = (part.low.component_mul(&self.slope), part.high.component_mul(&self.slope));
        for (i, value) in part.values.0.iter().enumerate() {
            let side = |k: usize| if i >> k & 1 == 1 { high[k] } else { low[k] };
            let off = value - (side(0) + side(1) + side(2));
            (self.lowest, self.highest) = (self.lowest.min(off), self.highest.max(off));
        }
        0.5 * (self.highest - self.lowest) / self.steepness
    }

    fn slab(&self) -> Slab {
        let value = 0.5 * (self.lowest + self.highest) / self.steepness;
        let error = (value - self.lowest / self.steepness) * (1.0 + 1e-12) + 1e-12;
        Slab { normal: self.slope / self.steepness, value, error }
    }
}
