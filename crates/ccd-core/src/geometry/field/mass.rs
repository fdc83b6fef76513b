//! The mass of a field by subdivision of space, with a proven bound of its error.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::enclosure::{Enclosure, Facet, Region};
use super::{Field, Sphere};
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::math::{Matrix, Point, Real, Vector};

/// How often a cell is halved along each axis, before it is known which are worth more.
const DEPTH: u32 = 6;
/// Slopes of a plane across a cell below this share of the steepest are raised to it; it costs as much of the volume.
const SMALL_SLOPE: Real = 1e-4;
/// A plane that leaves no more of a cell open than this share needs no smaller cells.
const FLAT: Real = 1e-4;
/// Where more than this share of the volume is open after that, cells are halved by how much each leaves open.
const ENOUGH: Real = 0.01;
/// But so often at most, and no more than a quarter of that where more than half is open then: such solids are open everywhere.
const MOST_HALVED: usize = 1 << 16;
/// What is left open of more than this share of the volume has been looked at in cells of all sizes, and like cells tell more.
const WORTH: Real = 0.1;

/// Integrates over cells that halve where the surface is; in the last ones the surface counts as flat. What is small or thin in a large box has
/// its volume in few of these: there the cell that leaves most open is halved next, until the rest does not matter.
///
/// The kind states by how much the mass can be wrong: the cells that were cut add what their enclosure leaves open.
///
/// # Errors
/// [`MassError`] for unbounded solids and those without volume.
pub fn by_subdivision(field: &dyn Field, density: Real) -> Result<(MassProperties, MassKind), MassError> {
    let aabb = field.local_aabb();
    if !aabb.half_extents().amax().is_finite() {
        return Err(MassError::Massless { kind: field.kind() });
    }
    let whole = Cell { centre: aabb.centre(), half: aabb.half_extents() };
    let mut cells = Cells { field, scratch: Enclosure::default() };
    let mut sums = Moments::about(whole.centre);
    cells.divide(whole, 0, &mut sums);
    if sums.error > ENOUGH * sums.volume {
        let finer = cells.divide_by_error(whole);
        if finer.error < sums.error && finer.error < WORTH * finer.volume {
            sums = finer;
        }
    }
    // Not positive, or no number.
    if !(sums.volume > 0.0 && sums.volume.is_finite()) {
        return Err(MassError::NotPositive { what: "volume", value: sums.volume });
    }
    let mean = sums.first / sums.volume;
    let second = sums.second - mean * mean.transpose() * sums.volume;
    let inertia = (Matrix::identity() * second.trace() - second) * density;
    let mass = MassProperties { mass: sums.volume * density, com: sums.middle + mean, inertia };
    mass.validate()?;
    Ok((mass, MassKind::subdivided(sums.error / sums.volume)))
}

/// A box of space.
#[derive(Clone, Copy)]
struct Cell {
    centre: Point,
    half: Vector,
}

impl Cell {
    fn volume(&self) -> Real {
        8.0 * self.half.x * self.half.y * self.half.z
    }

    /// Halved along each axis.
    fn eighths(self) -> impl Iterator<Item = Self> {
        let half = self.half * 0.5;
        (0..8_u32).map(move |i| {
            let sign = |k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
            Self { centre: self.centre + Vector::new(sign(0), sign(1), sign(2)).component_mul(&half), half }
        })
    }

    /// Halved along its longest axis.
    fn halves(self) -> [Self; 2] {
        let longest = self.half.imax();
        let mut half = self.half;
        half[longest] *= 0.5;
        [-1.0, 1.0].map(|sign| {
            let mut centre = self.centre;
            centre[longest] += sign * half[longest];
            Self { centre, half }
        })
    }
}

/// What is known of a cell.
enum Content {
    Nothing,
    All,
    /// As much as is below a plane, between these shares.
    Flat {
        least: Real,
        most: Real,
        facet: Facet,
    },
    Unknown,
}

/// A cell of which it is not certain how much of it is solid.
struct Open {
    cell: Cell,
    /// Where a plane tells it, what share of the cell counts as solid, and how far off the cell's middle that is.
    share: Option<(Real, Vector)>,
    /// The volume that may be wrong.
    error: Real,
}

/// By what may be wrong.
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |open: &Self| open.cell.centre.coords;
        let by_place = || (0..3).map(|k| place(self)[k].total_cmp(&place(other)[k]));
        by_place().fold(self.error.total_cmp(&other.error), Ordering::then)
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

struct Cells<'f> {
    field: &'f dyn Field,
    scratch: Enclosure,
}

impl Cells<'_> {
    fn divide(&mut self, cell: Cell, depth: u32, sums: &mut Moments) {
        let content = self.look(&cell);
        let good_enough = match content {
            Content::Nothing | Content::All => true,
            Content::Flat { least, most, .. } => depth >= 2 && most - least < FLAT,
            Content::Unknown => false,
        };
        if depth < DEPTH && !good_enough {
            return cell.eighths().for_each(|eighth| self.divide(eighth, depth + 1, sums));
        }
        if let Some(open) = sums.add_certain(cell, &content) {
            self.add_open(&open, sums);
        }
    }

    /// The same, of all open cells the one that leaves most open first.
    fn divide_by_error(&mut self, whole: Cell) -> Moments {
        let mut sums = Moments::about(whole.centre);
        let mut worst = BinaryHeap::new();
        worst.extend(sums.add_certain(whole, &self.look(&whole)));
        // What is open, and at least as much as is solid.
        let volume_of = |open: &Open| open.share.map_or(0.0, |(fraction, _)| fraction * open.cell.volume());
        let (mut error, mut volume) = (worst.iter().map(|open: &Open| open.error).sum::<Real>(), 0.0);
        for halved in 0..MOST_HALVED {
            let share = error / (sums.volume + volume);
            if share <= ENOUGH || halved == MOST_HALVED / 4 && share > 0.5 {
                break;
            }
            let Some(open) = worst.pop() else { break };
            error -= open.error;
            volume -= volume_of(&open);
            for half in open.cell.halves() {
                if let Some(open) = sums.add_certain(half, &self.look(&half)) {
                    error += open.error;
                    volume += volume_of(&open);
                    worst.push(open);
                }
            }
        }
        worst.into_sorted_vec().iter().for_each(|open| self.add_open(open, &mut sums));
        sums
    }

    fn add_open(&self, open: &Open, sums: &mut Moments) {
        let sampled = || (self.sampled(&open.cell.centre, &open.cell.half), Vector::zeros());
        let (fraction, shift) = open.share.unwrap_or_else(sampled);
        sums.add(&open.cell, fraction, shift);
        sums.error += open.error;
    }

    fn look(&mut self, cell: &Cell) -> Content {
        let Cell { centre, half } = *cell;
        let radius = half.norm();
        let ball = Sphere { centre, radius };
        let distance = self.field.distance(&centre);
        if distance > radius {
            return Content::Nothing;
        }
        if distance < -radius {
            return Content::All;
        }
        self.scratch.clear();
        self.field.enclose(&ball, Region::Complement, &mut self.scratch);
        if self.scratch.is_empty() {
            return Content::All;
        }
        let complement = single(&self.scratch);
        self.scratch.clear();
        self.field.enclose(&ball, Region::Solid, &mut self.scratch);
        if self.scratch.is_empty() {
            return Content::Nothing;
        }
        // Between the two half-spaces nothing is known.
        match (single(&self.scratch), complement) {
            (Some(s), Some(c)) => {
                let least = 1.0 - below(&c.normal, c.value - c.error, &half);
                let most = below(&s.normal, s.value - s.error, &half);
                Content::Flat { least: least.min(most), most: most.max(least), facet: s }
            }
            _ => Content::Unknown,
        }
    }

    fn sampled(&self, centre: &Point, half: &Vector) -> Real {
        let inside = (0..64_u32).filter(|i| {
            let at = |k: u32| Real::from(i >> (2 * k) & 3) * 0.5 - 0.75;
            self.field.contains(&(centre + Vector::new(at(0), at(1), at(2)).component_mul(half)))
        });
        inside.count() as Real / 64.0
    }
}

/// Volume, ∫x and ∫xxᵀ about a point.
struct Moments {
    middle: Point,
    volume: Real,
    first: Vector,
    second: Matrix,
    /// The volume that may be wrong.
    error: Real,
}

impl Moments {
    fn about(middle: Point) -> Self {
        Self { middle, volume: 0.0, first: Vector::zeros(), second: Matrix::zeros(), error: 0.0 }
    }

    /// Adds a cell that is solid all over; one of which that is not certain comes back.
    fn add_certain(&mut self, cell: Cell, content: &Content) -> Option<Open> {
        match content {
            Content::Nothing => None,
            Content::All => {
                self.add(&cell, 1.0, Vector::zeros());
                None
            }
            Content::Flat { least, most, facet } => {
                let fraction = 0.5 * (least + most);
                let error = (0.5 * (most - least) + 2.0 * SMALL_SLOPE) * cell.volume();
                // The part below the plane is that much nearer to its side of the cell.
                let width = facet.normal.abs().dot(&cell.half);
                Some(Open { cell, share: Some((fraction, facet.normal * (-width * (1.0 - fraction)))), error })
            }
            Content::Unknown => Some(Open { cell, share: None, error: 0.5 * cell.volume() }),
        }
    }

    /// Adds a share of a cell whose middle is `shift` off the cell's.
    fn add(&mut self, cell: &Cell, fraction: Real, shift: Vector) {
        let volume = cell.volume() * fraction;
        let at = cell.centre + shift - self.middle;
        self.volume += volume;
        self.first += at * volume;
        let own = Matrix::from_diagonal(&cell.half.component_mul(&cell.half)) / 3.0;
        self.second += (at * at.transpose() + own) * volume;
    }
}

fn single(enclosure: &Enclosure) -> Option<Facet> {
    match (enclosure.len(), enclosure.alternative(0)) {
        (1, [facet]) => Some(*facet),
        _ => None,
    }
}

/// The share of the box with these half extents where `value + normal · x` is at most zero.
fn below(normal: &Vector, value: Real, half: &Vector) -> Real {
    // Scaled to the unit cube with slopes a ≥ 0: the share where a·u ≤ b.
    let mut a = normal.abs().component_mul(half) * 2.0;
    let b = 0.5 * a.sum() - value;
    let top = a.amax();
    if b <= 0.0 || top == 0.0 {
        return if b >= 0.0 && top == 0.0 { 1.0 } else { 0.0 };
    }
    if b >= a.sum() {
        return 1.0;
    }
    // Slopes of almost nothing divide by almost nothing: they are raised to where the formula keeps ten digits.
    let b = b / top;
    a /= top;
    let raised = a.map(|x| x.max(SMALL_SLOPE));
    let b = b + 0.5 * (raised.sum() - a.sum());
    let cube = |x: Real| x.max(0.0).powi(3);
    let mut sum = cube(b);
    for i in 0..3 {
        sum -= cube(b - raised[i]);
        sum += cube(b - raised[i] - raised[(i + 1) % 3]);
    }
    sum -= cube(b - raised.sum());
    (sum / (6.0 * raised.x * raised.y * raised.z)).clamp(0.0, 1.0)
}
