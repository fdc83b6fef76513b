//! Pins: cylinders and capsules in holes that they reach out of.
//!
//! **Problem.** A pin that leans in its hole is not all within the walls: its ends stand beside them, out where no solid is any more. Nor is
//! the ball around the rim of a cylinder any of its surface.
//!
//! **Idea.** Where a hole is open nothing of the solid lies beyond a plane across it. Only what of the pin is before that plane counts. It is
//! within the hull of two balls about places of the pin's axis, however it leans; and how deep it is within a round wall is a concave function along
//! the axis, so that it is nearest to that where the hole ends, or the pin. There a circle is beside a straight line: the rim of the hole beside the
//! axis of the pin, or the rim of the pin beside the axis of the hole.
//!
//! **Limits.** The nearest places are those of round holes, across whose axis they are open, and of pins that lean by less than half a radian.

use nalgebra::Unit;

use super::hole::{Beside, Hole, Opening, Wall};
use super::{CsgShape, Shape};
use crate::geometry::feature::Feature;
use crate::geometry::field::Field;
use crate::math::{Point, Pose, Real, Vector, orthonormal_basis};

/// The sine of the angle between a pin and what it is in, at the most.
const MOST_LEAN: Real = 0.48;
/// Steps of Newton's method towards the nearest place of a circle.
const STEPS: usize = 12;
/// Angles that differ by less, rad, are one.
const SAME_ANGLE: Real = 1e-13;
/// What rounding makes of a place, as a share of its coordinates.
const ROUNDING: Real = 1e-14;

/// A cylinder or a capsule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pin {
    /// Of its axis, the lower one first.
    pub ends: [Point; 2],
    /// Metres.
    pub radius: Real,
    /// The surface about the axis.
    side: Feature,
    /// Half a ball about each end, or its rim.
    tips: [Feature; 2],
    /// Whether it is half a ball.
    is_round: bool,
}

/// What of a pin is in a hole: all of that is within the hull of two balls about places of its axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner {
    /// Where these places are between the pin's ends, from zero to one.
    pub shares: [Real; 2],
    /// Of the balls, metres.
    pub radius: Real,
}

/// By how much a pin moves within a while.
pub(crate) trait Sway {
    /// How far places of its axis move along a unit direction, metres.
    fn along(&self, direction: &Vector) -> Real;
    /// How far the unit direction of its axis moves.
    fn lean(&self) -> Real;
}

/// Of a pin that stands where it is.
pub(crate) struct Still;

impl Sway for Still {
    fn along(&self, _direction: &Vector) -> Real {
        0.0
    }

    fn lean(&self) -> Real {
        0.0
    }
}

/// How a pin is beside a round wall, at one end of what of it is in the hole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtEnd {
    /// With the place of the pin in that of the ball.
    pub beside: Beside,
    /// Of the pin.
    pub feature: Feature,
    /// Behind the wall, and within its end, by a little.
    behind: Point,
}

impl AtEnd {
    /// Whether there is solid behind the wall.
    pub fn is_on(&self, whole: &CsgShape) -> bool {
        whole.solid().contains(&self.behind)
    }
}

impl Shape {
    /// The shape as a pin, in its frame.
    pub(crate) fn pin(&self) -> Option<Pin> {
        let ends = |height: Real| [-height, height].map(|y| Point::new(0.0, y, 0.0));
        match self {
            Self::Cylinder(s) => Some(Pin {
                ends: ends(s.half_height()),
                radius: s.radius(),
                side: Feature::Face(2),
                tips: [Feature::Edge(0), Feature::Edge(1)],
                is_round: false,
            }),
            Self::Capsule(s) => Some(Pin {
                ends: ends(s.half_height()),
                radius: s.radius(),
                side: Feature::Edge(0),
                tips: [Feature::Vertex(0), Feature::Vertex(1)],
                is_round: true,
            }),
            _ => None,
        }
    }
}

impl Pin {
    /// The pin, placed.
    pub fn placed(&self, pose: &Pose) -> Self {
        self.with_ends(self.ends.map(|end| pose * end))
    }

    /// The pin, where its axis is between these places.
    pub fn with_ends(&self, ends: [Point; 2]) -> Self {
        Self { ends, ..*self }
    }

    /// The place of its axis that is that share of the way from the lower end to the upper one.
    pub fn along(&self, share: Real) -> Point {
        self.ends[0] + (self.ends[1] - self.ends[0]) * share
    }

    /// Of its axis, metres.
    pub fn length(&self) -> Real {
        (self.ends[1] - self.ends[0]).norm()
    }

    /// What is not beyond a hole's openings, in whose frame the pin is, for as long as it sways by no more than that. `None` where that is all of
    /// it, or is not told from it.
    pub fn inner(&self, openings: &[Opening], sway: &impl Sway) -> Option<Inner> {
        let axis = self.ends[1] - self.ends[0];
        let length = self.length();
        let rounding = ROUNDING * (length + self.ends[0].coords.amax());
        let (mut shares, mut most_lean) = ([0.0, 1.0], 0.0);
        let mut most_drift: Real = 0.0;
        for Opening { normal, reach } in openings {
            let rise = normal.dot(&axis);
            let lean = normal.cross(&axis).norm() / length + sway.lean();
            if lean > MOST_LEAN {
                continue;
            }
            let upper = usize::from(rise > 0.0);
            let drift = sway.along(normal) + rounding;
            let beyond = normal.dot(&self.ends[upper].coords) - reach - drift;
            // Half a ball must be beyond with all of it.
            if beyond <= if self.is_round { self.radius } else { 0.0 } {
                continue;
            }
            let cut = beyond / rise.abs();
            shares[upper] = if upper == 1 { (1.0 - cut).min(shares[1]) } else { cut.max(shares[0]) };
            (most_lean, most_drift) = (lean.max(most_lean), drift.max(most_drift));
        }
        if shares == [0.0, 1.0] {
            return None;
        }
        let cosine = (1.0 - most_lean * most_lean).sqrt();
        // A disc of what is cut off comes before the opening beside what is left of the axis.
        let is_long = (shares[1] - shares[0]) * length * cosine - 2.0 * most_drift >= self.radius * most_lean;
        is_long.then_some(Inner { shares, radius: self.radius / cosine * (1.0 + ROUNDING) })
    }

    /// How it is beside the round wall of a hole at either end of what of it is in there, both in one frame; `None` where that is not known, or where
    /// another wall is within `reach` metres of it.
    pub fn at_ends(&self, hole: &Hole, reach: Real) -> Option<[AtEnd; 2]> {
        let mut round = None;
        for wall in &hole.walls {
            match wall {
                Wall::Round { place, axis, radius } if round.is_none() => round = Some((place, axis, *radius)),
                Wall::Round { .. } => return None,
                Wall::Flat { normal, offset } => {
                    let nearest =
                        self.ends.iter().map(|end| offset - normal.dot(&end.coords)).fold(Real::MAX, Real::min);
                    if nearest - self.radius <= reach {
                        return None;
                    }
                }
            }
        }
        let (place, axis, radius) = round?;
        let pin = Unit::try_new(self.ends[1] - self.ends[0], 0.0)?;
        if pin.cross(axis).norm() > MOST_LEAN {
            return None;
        }
        let bore = Bore { place, axis: Unit::try_new(*axis, 0.0)?, radius };
        let [lower, upper] = [0, 1].map(|end| self.at_end(end, &pin, &bore, &hole.openings));
        Some([lower?, upper?])
    }

    /// The one of [`Pin::at_ends`] that is nearer to the wall.
    pub fn nearest(&self, hole: &Hole, reach: Real) -> Option<AtEnd> {
        let [lower, upper] = self.at_ends(hole, reach)?;
        Some(if lower.beside.depth < upper.beside.depth { lower } else { upper })
    }

    fn at_end(&self, end: usize, pin: &Unit<Vector>, bore: &Bore<'_>, openings: &[Opening]) -> Option<AtEnd> {
        let tip = &self.ends[end];
        let outward = if end == 1 { pin.into_inner() } else { -pin.into_inner() };
        let opening =
            openings.iter().find(|opening| opening.normal.dot(&outward) > 0.0 && opening.is_across(&bore.axis));
        // As far as what is about the end reaches along the hole.
        let extent = if self.is_round { self.radius } else { self.radius * bore.axis.cross(pin).norm() };
        let beyond = opening.map(|opening| (opening, opening.normal.dot(&tip.coords) - opening.reach));
        match beyond {
            Some((opening, beyond)) if beyond > extent => self.beside_rim(pin, bore, opening),
            Some((_, beyond)) if beyond > -extent => None,
            _ => self.beside_wall(end, pin, bore),
        }
    }

    /// Its side beside the rim of the hole.
    fn beside_rim(&self, pin: &Unit<Vector>, bore: &Bore<'_>, opening: &Opening) -> Option<AtEnd> {
        let height = |p: &Point| opening.reach - opening.normal.dot(&p.coords);
        let middle = bore.place + bore.axis.into_inner() * (height(bore.place) / opening.normal.dot(&bore.axis));
        let crossing = self.ends[0] + pin.into_inner() * (height(&self.ends[0]) / opening.normal.dot(pin));
        let rim = Circle { middle, axis: bore.axis, radius: bore.radius };
        let on_wall = rim.extreme(&(crossing - middle), &self.ends[0], pin, Extreme::Nearest)?;
        let way = on_wall - self.ends[0];
        let along = pin.dot(&way);
        if !(0.0..=self.length()).contains(&along) {
            return None;
        }
        let (outward, distance) = Unit::try_new_and_get(way - pin.into_inner() * along, 0.0)?;
        let outward = outward.into_inner();
        let beside = Beside {
            depth: distance - self.radius,
            outward,
            on_wall,
            on_ball: on_wall - outward * (distance - self.radius),
        };
        let radial = (on_wall - middle) / bore.radius;
        let behind = on_wall + (radial - opening.normal) * (BEHIND * bore.radius);
        Some(AtEnd { beside, feature: self.side, behind })
    }

    /// What is about its end beside the wall of the hole.
    fn beside_wall(&self, end: usize, pin: &Unit<Vector>, bore: &Bore<'_>) -> Option<AtEnd> {
        let tip = self.ends[end];
        let on_pin = if self.is_round {
            tip + bore.outward(&tip)?.0.into_inner() * self.radius
        } else {
            let rim = Circle { middle: tip, axis: *pin, radius: self.radius };
            rim.extreme(&bore.across(&tip), bore.place, &bore.axis, Extreme::Furthest)?
        };
        let (outward, distance) = bore.outward(&on_pin)?;
        let outward = outward.into_inner();
        let depth = bore.radius - distance;
        let on_wall = on_pin + outward * depth;
        let beside = Beside { depth, outward, on_wall, on_ball: on_pin };
        Some(AtEnd { beside, feature: self.tips[end], behind: on_wall + outward * (BEHIND * bore.radius) })
    }
}

/// What is asked about the solid behind a wall is asked this share of the hole's radius behind it, and within the wall's end.
const BEHIND: Real = 1e-9;

/// The wall of a round hole.
struct Bore<'h> {
    place: &'h Point,
    axis: Unit<Vector>,
    radius: Real,
}

impl Bore<'_> {
    /// From the axis to a place.
    fn across(&self, p: &Point) -> Vector {
        let way = p - self.place;
        way - self.axis.into_inner() * self.axis.dot(&way)
    }

    /// The direction of that, and its length.
    fn outward(&self, p: &Point) -> Option<(Unit<Vector>, Real)> {
        Unit::try_new_and_get(self.across(p), 0.0)
    }
}

enum Extreme {
    Nearest,
    Furthest,
}

struct Circle {
    middle: Point,
    axis: Unit<Vector>,
    radius: Real,
}

impl Circle {
    /// Its place that is nearest to a line, or furthest from it, near the direction `towards`; `None` where there may be more than one.
    fn extreme(&self, towards: &Vector, place: &Point, line: &Unit<Vector>, which: Extreme) -> Option<Point> {
        let across = |v: &Vector| v - line.into_inner() * line.dot(v);
        let aside = towards - self.axis.into_inner() * self.axis.dot(towards);
        // The squared distance is a constant and waves of one and of two periods: these must be the smaller part.
        let lean = self.axis.cross(line).norm_squared();
        let Some((first, size)) = Unit::try_new_and_get(aside, ROUNDING * self.radius) else {
            // About one axis all places are as near.
            return (lean <= ROUNDING).then(|| self.middle + orthonormal_basis(&self.axis).0 * self.radius);
        };
        if size <= 2.0 * self.radius * lean {
            return None;
        }
        let (first, second) = (first.into_inner(), self.axis.cross(&first));
        let mut angle: Real = 0.0;
        for _ in 0..STEPS {
            let (sin, cos) = angle.sin_cos();
            let arm = (first * cos + second * sin) * self.radius;
            let along = (second * cos - first * sin) * self.radius;
            let way = across(&(self.middle + arm - place));
            let slope = way.dot(&along);
            let bend = across(&along).norm_squared() - way.dot(&arm);
            let is_right = match which {
                Extreme::Nearest => bend > 0.0,
                Extreme::Furthest => bend < 0.0,
            };
            if !is_right {
                return None;
            }
            let step = slope / bend;
            angle -= step;
            if step.abs() <= SAME_ANGLE {
                let (sin, cos) = angle.sin_cos();
                return Some(self.middle + (first * cos + second * sin) * self.radius);
            }
        }
        None
    }
}
