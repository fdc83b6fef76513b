//! What is in a hole: apart from what the hole is in for as long as none of its points comes to a wall.
//!
//! **Problem.** Until when is a body certainly in a hole ([`crate::shape::hole`]), while both move?
//!
//! **Idea.** The body is the hull of some balls, and the hole is convex: each ball is asked by itself. How far inside a wall it is (of a round
//! one as the difference of two squares, which has no root to bend it) has a value, a slope and a second derivative at an instant, and a bound of
//! the third: above the cubic of these it stays.
//!
//! **Guarantee.** Errs only towards "near a wall". **Limits.** Says nothing once a ball is as near to a wall as the margin: what is there, the
//! search has to find.

use super::field::FieldTouch;
use super::kinematics::{PairMotion, PointMotion};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Real, Vector};
use crate::shape::hole::{Bead, Hole, Wall};
use crate::shape::{CsgShape, FieldShape, Shape};

/// Looks at one ball. What needs more turns far, or creeps along a wall.
const LOOKS: usize = 24;
/// Halvings of a stretch that is too long.
const HALVINGS: usize = 12;

/// A body that moves (side A) in the hole of a difference (side B).
pub(super) struct InHole<'q> {
    motion: PairMotion,
    whole: &'q CsgShape,
    hole: &'q Hole,
    beads: Vec<Bead>,
    /// Until when it is certainly there, seconds after the interval's start.
    pub until: Real,
}

impl<'q> InHole<'q> {
    /// How long `body` is further than `margin` metres within a hole of `whole`; `None` where it is in none at the interval's start.
    pub fn of(body: &Shape, whole: &'q Shape, motion: impl Fn() -> PairMotion, margin: Real) -> Option<Self> {
        let Shape::Field(FieldShape::Csg(whole)) = whole else { return None };
        if whole.holes().is_empty() {
            return None;
        }
        let (beads, motion) = (body.beads()?, motion());
        let until = |hole: &Hole| {
            let mut until = motion.length;
            for bead in &beads {
                until = bead_inside_until(&motion, bead, hole, margin, until);
                if until <= 0.0 {
                    break;
                }
            }
            until
        };
        let (hole, until) =
            whole.holes().iter().map(|hole| (hole, until(hole))).max_by(|(_, s), (_, t)| s.total_cmp(t))?;
        (until > 0.0).then_some(Self { motion, whole, hole, beads, until })
    }

    /// Whether it stays to the interval's end.
    pub fn stays(&self) -> bool {
        self.until >= self.motion.length
    }

    /// Where the body is within `tolerance` metres of the wall when that is no longer certain; `None` where it is not, or where the wall ends there.
    pub fn touch(&self, tolerance: Real) -> Option<FieldTouch> {
        let at = self.motion.at(self.until);
        let middle = |bead: &Bead| {
            let arm = at.rotation_a * (bead.place - self.motion.a.local_centre) - at.offset;
            Point::from(at.rotation_b.tr_mul(&arm) + self.motion.b.local_centre.coords)
        };
        let (beside, bead) = self.hole.nearest(self.beads.iter().map(|bead| (middle(bead), bead)))?;
        let feature = bead.feature.filter(|_| (0.0..=tolerance).contains(&beside.depth))?;
        let place = |p: &Point| at.offset + at.rotation_b * (p - self.motion.b.local_centre);
        self.whole.is_behind(&beside).then(|| FieldTouch {
            time: self.until,
            point_a: place(&beside.on_ball),
            point_b: place(&beside.on_wall),
            normal: at.rotation_b * beside.outward,
            separation: beside.depth,
            features: FeaturePair { a: feature, b: Feature::Face(0) },
        })
    }

    /// The same, as the whole sees it.
    pub fn touch_of_whole(&self, tolerance: Real) -> Option<FieldTouch> {
        let offset = self.motion.offset_at(self.until);
        self.touch(tolerance).map(|touch| FieldTouch {
            point_a: touch.point_b - offset,
            point_b: touch.point_a - offset,
            normal: -touch.normal,
            features: FeaturePair { a: touch.features.b, b: touch.features.a },
            ..touch
        })
    }
}

/// Until when a ball is certainly further than `margin` metres within a hole, seconds after the interval's start; it is not asked beyond `most`.
fn bead_inside_until(motion: &PairMotion, bead: &Bead, hole: &Hole, margin: Real, most: Real) -> Real {
    let mut time = 0.0;
    for _ in 0..LOOKS {
        let rest = most - time;
        let moving = PointMotion::of(motion, &bead.place, &motion.at(time), rest);
        let room = bead.radius + margin;
        let safe = hole.walls.iter().map(|wall| Depth::of(&moving, wall, room, rest).lasts(rest)).fold(rest, Real::min);
        if safe >= rest {
            return most;
        }
        if time + safe <= time {
            break;
        }
        time += safe;
    }
    time
}

/// How deep within a wall a point is over time, in units of its own: above zero inside.
#[derive(Clone, Copy, Debug)]
struct Depth {
    now: Real,
    slope: Real,
    bend: Real,
    /// The third derivative is nowhere larger, either way.
    most_jerk: Real,
}

impl Depth {
    /// Of a point that is to stay `room` metres within the wall over the next `rest` seconds.
    fn of(moving: &PointMotion, wall: &Wall, room: Real, rest: Real) -> Self {
        let PointMotion { place, velocity, acceleration, most_acceleration, most_jerk } = moving;
        match wall {
            Wall::Flat { normal, offset } => Self {
                now: offset - room - normal.dot(&place.coords),
                slope: -normal.dot(velocity),
                bend: -normal.dot(acceleration),
                most_jerk: *most_jerk,
            },
            Wall::Round { place: middle, axis, radius } => {
                let across = |v: &Vector| v - axis * v.dot(axis);
                let (q, v, a) = (across(&(place - middle)), across(velocity), across(acceleration));
                let radius = radius - room;
                let fastest = v.norm() + most_acceleration * rest;
                Self {
                    now: if radius > 0.0 { (radius - q.norm()) * (radius + q.norm()) } else { -1.0 },
                    slope: -2.0 * q.dot(&v),
                    bend: -2.0 * (v.norm_squared() + q.dot(&a)),
                    // While it is inside, it is no further from the middle than the wall is.
                    most_jerk: 2.0 * (3.0 * fastest * most_acceleration + radius * most_jerk) * (1.0 + 1e-12),
                }
            }
        }
    }

    /// For how many seconds, of `rest` at the most, it certainly stays above zero.
    fn lasts(&self, rest: Real) -> Real {
        if self.now.is_nan() || self.now <= 0.0 {
            return 0.0;
        }
        let mut stretch = rest;
        for _ in 0..HALVINGS {
            if self.least_within(stretch) > 0.0 {
                return stretch;
            }
            stretch *= 0.5;
        }
        0.0
    }

    /// The least that the cubic has within so many seconds.
    fn least_within(&self, stretch: Real) -> Real {
        let Self { now, slope, bend, most_jerk } = *self;
        let at = |s: Real| now + s * (slope + s * (0.5 * bend - s * most_jerk / 6.0));
        // It has its least where it turns upwards, or at an end: its slope is that of a parabola that opens downwards, and is upwards from the
        // smaller of its roots on.
        let root = (bend * bend + 2.0 * most_jerk * slope).max(0.0).sqrt();
        let turns = if slope < 0.0 { 2.0 * slope / -(bend + root) } else { 0.0 };
        let between = if turns > 0.0 && turns < stretch { at(turns) } else { now };
        between.min(at(stretch)).min(now)
    }
}
