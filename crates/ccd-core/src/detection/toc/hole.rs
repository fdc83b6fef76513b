//! What is in a hole: apart from what the hole is in for as long as none of its points comes to a wall.
//!
//! **Problem.** Until when is a body certainly in a hole ([`crate::shape::hole`]), while both move?
//!
//! **Idea.** The body is the hull of some balls, and the hole is convex: each ball is asked by itself. How far inside a wall it is (of a round
//! one as the difference of two squares, which has no root to bend it) has a value, a slope and a second derivative at an instant, and a bound of
//! the third: above the cubic of these it stays. A pin that reaches out of its hole is asked for what of it is in there ([`crate::shape::pin`]).
//!
//! **Guarantee.** Errs only towards "near a wall". **Limits.** Says nothing once a ball is as near to a wall as the margin: what is there, the
//! search has to find.

use super::field::FieldTouch;
use super::kinematics::{PairMotion, PointMotion};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Real, Vector};
use crate::shape::hole::{Bead, Beside, Hole, Opening, Wall};
use crate::shape::pin::{Pin, Still, Sway};
use crate::shape::{CsgShape, FieldShape, Shape};

/// Looks at one ball. What needs more turns far, or creeps along a wall.
const LOOKS: usize = 256;
/// Whiles for which what of a pin is in its hole is told anew.
const CUTS: usize = 24;
/// Halvings of a stretch that is too long.
const HALVINGS: usize = 12;
/// Bounds over a quarter of a while, as often as that, are sharper where those over all of it say little.
const QUARTERS: usize = 4;
/// The sine of an angle that is none.
const STRAIGHT: Real = 8.0 * Real::EPSILON;

/// A body that moves (side A) in the hole of a difference (side B).
pub(super) struct InHole<'q> {
    motion: PairMotion,
    whole: &'q CsgShape,
    hole: &'q Hole,
    beads: Vec<Bead>,
    pin: Option<Pin>,
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
        let (beads, pin, motion) = (body.beads()?, body.pin(), motion());
        let until = |hole: &Hole| {
            let unspun = unspun(&motion, hole);
            let (motion, hole) = unspun.as_ref().map_or((&motion, hole), |(motion, hole)| (motion, hole));
            let until = beads_inside_until(motion, &beads, hole, margin, [0.0, motion.length]);
            match &pin {
                Some(pin) if until < motion.length => pin_inside_until(motion, pin, hole, margin, until),
                _ => until,
            }
        };
        let (hole, until) =
            whole.holes().iter().map(|hole| (hole, until(hole))).max_by(|(_, s), (_, t)| s.total_cmp(t))?;
        if until > 0.0 {
            return Some(Self { motion, whole, hole, beads, pin, until });
        }
        // It may touch the wall of one.
        let mut of = Self { motion, whole, hole, beads, pin, until: 0.0 };
        let depths = whole.holes().iter().filter_map(|hole| Some((hole, of.nearest(hole, margin)?.0.depth)));
        let (hole, depth) = depths.max_by(|(_, d), (_, e)| d.total_cmp(e))?;
        of.hole = hole;
        (depth > 0.0).then_some(of)
    }

    /// Whether it stays to the interval's end.
    pub fn stays(&self) -> bool {
        self.until > 0.0 && self.until >= self.motion.length
    }

    /// Where the body is within `tolerance` metres of the wall when that is no longer certain; `None` where it is not, or where the wall ends there.
    pub fn touch(&self, tolerance: Real) -> Option<FieldTouch> {
        let (beside, feature) = self.nearest(self.hole, tolerance)?;
        let at = self.motion.at(self.until);
        let place = |p: &Point| at.offset + at.rotation_b * (p - self.motion.b.local_centre);
        (0.0..=tolerance).contains(&beside.depth).then(|| FieldTouch {
            time: self.until,
            point_a: place(&beside.on_ball),
            point_b: place(&beside.on_wall),
            normal: at.rotation_b * beside.outward,
            separation: beside.depth,
            features: FeaturePair { a: feature, b: Feature::Face(0) },
        })
    }

    /// Where the body is nearest to the wall of a hole by then; `None` where that is not known to be within `reach` metres, or where the wall ends there.
    fn nearest(&self, hole: &Hole, reach: Real) -> Option<(Beside, Feature)> {
        let at = self.motion.at(self.until);
        let in_whole = |place: &Point| {
            let arm = at.rotation_a * (place - self.motion.a.local_centre) - at.offset;
            Point::from(at.rotation_b.tr_mul(&arm) + self.motion.b.local_centre.coords)
        };
        let of_pin = |pin: &Pin| {
            let nearest = pin.with_ends(pin.ends.each_ref().map(in_whole)).nearest(hole, reach)?;
            nearest.is_on(self.whole).then_some((nearest.beside, nearest.feature))
        };
        let of_beads = || {
            let (beside, bead) = hole.nearest(self.beads.iter().map(|bead| (in_whole(&bead.place), bead)))?;
            bead.feature.filter(|_| self.whole.is_behind(&beside)).map(|feature| (beside, feature))
        };
        self.pin.as_ref().and_then(of_pin).or_else(of_beads)
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

/// Until when a pin is certainly further than `margin` metres from the walls of a hole, with what of it is in there, seconds after the interval's
/// start; from `time` on.
fn pin_inside_until(motion: &PairMotion, pin: &Pin, hole: &Hole, margin: Real, mut time: Real) -> Real {
    let mut stretch = motion.length - time;
    for _ in 0..CUTS {
        stretch = stretch.min(motion.length - time);
        let at = motion.at(time);
        let moving = pin.ends.each_ref().map(|end| PointMotion::of(motion, end, &at, stretch));
        let placed = pin.with_ends(moving.each_ref().map(|end| end.place));
        let swaying = Swaying::new(motion, &moving, placed.length(), stretch);
        let Some(inner) = placed.inner(&hole.openings, &swaying) else {
            if placed.inner(&hole.openings, &Still).is_none() {
                break;
            }
            stretch *= 0.25;
            continue;
        };
        let bead = |share: Real| Bead { place: pin.along(share), radius: inner.radius, feature: None };
        let until = beads_inside_until(motion, &inner.shares.map(bead), hole, margin, [time, time + stretch]);
        if until >= motion.length {
            return motion.length;
        }
        // Over a shorter while it leans less.
        stretch *= if until > time { 4.0 } else { 0.25 };
        if time + stretch <= time {
            break;
        }
        time = until;
    }
    time
}

/// The two ends of a pin that move over the next `stretch` seconds.
struct Swaying<'m> {
    ends: &'m [PointMotion; 2],
    lean: Real,
    stretch: Real,
}

impl<'m> Swaying<'m> {
    /// Of a pin of that `length`, metres.
    fn new(motion: &PairMotion, ends: &'m [PointMotion; 2], length: Real, stretch: Real) -> Self {
        let [lower, upper] = ends;
        let spin = motion.a.speed + motion.b.speed;
        let velocity = (upper.velocity - lower.velocity).norm() / length;
        let acceleration = (upper.acceleration - lower.acceleration).norm() / length;
        let lean = stretch * (velocity + stretch * (0.5 * acceleration + stretch * spin.powi(3) / 6.0));
        Self { ends, lean: lean * (1.0 + 1e-12), stretch }
    }
}

impl Sway for Swaying<'_> {
    fn along(&self, direction: &Vector) -> Real {
        let way = |end: &PointMotion| {
            let bend = 0.5 * direction.dot(&end.acceleration).abs() + self.stretch * end.most_jerk / 6.0;
            self.stretch * (direction.dot(&end.velocity).abs() + self.stretch * bend)
        };
        self.ends.iter().map(way).fold(0.0, Real::max) * (1.0 + 1e-12)
    }

    fn lean(&self) -> Real {
        self.lean
    }
}

/// Until when balls are certainly further than `margin` metres within a hole, seconds after the interval's start, as far as they are asked.
fn beads_inside_until(motion: &PairMotion, beads: &[Bead], hole: &Hole, margin: Real, asked: [Real; 2]) -> Real {
    let [from, mut until] = asked;
    for bead in beads {
        until = bead_inside_until(motion, bead, hole, margin, [from, until]);
        if until <= from {
            break;
        }
    }
    until
}

fn bead_inside_until(motion: &PairMotion, bead: &Bead, hole: &Hole, margin: Real, asked: [Real; 2]) -> Real {
    let [mut time, most] = asked;
    let room = bead.radius + margin;
    for _ in 0..LOOKS {
        let (rest, at) = (most - time, motion.at(time));
        let lasts = |stretch: Real| {
            let moving = PointMotion::of(motion, &bead.place, &at, stretch);
            let walls = hole.walls.iter().map(|wall| Depth::of(&moving, wall, room, stretch).lasts(stretch));
            walls.fold(stretch, Real::min)
        };
        let (mut stretch, mut safe) = (rest, lasts(rest));
        if safe >= rest {
            return most;
        }
        for _ in 0..QUARTERS {
            stretch *= 0.25;
            if safe >= stretch {
                break;
            }
            safe = lasts(stretch).max(safe);
        }
        if time + safe <= time {
            break;
        }
        time += safe;
    }
    time
}

/// The same for what spins about the axis of a round hole, where the spin moves nothing of the hole: seen from a frame that does not spin. `None`
/// where that is not so.
fn unspun(motion: &PairMotion, hole: &Hole) -> Option<(PairMotion, Hole)> {
    let (spin, centre) = (&motion.b.local_axis, &motion.b.local_centre);
    let is_round = hole.walls.iter().any(|wall| matches!(wall, Wall::Round { .. }));
    let is_about = |wall: &Wall| match wall {
        Wall::Flat { normal, .. } => normal.cross(spin).norm() <= STRAIGHT,
        Wall::Round { place, axis, .. } => {
            let way = place - centre;
            let aside = (way - spin * way.dot(spin)).norm();
            axis.cross(spin).norm() <= STRAIGHT && aside <= STRAIGHT * (place.coords.norm() + centre.coords.norm())
        }
    };
    if motion.b.speed == 0.0 || !is_round || !hole.walls.iter().all(is_about) {
        return None;
    }
    let rotation = motion.at(0.0).rotation_b;
    let walls = hole.walls.iter().map(|wall| match wall {
        Wall::Flat { normal, offset } => {
            Wall::Flat { normal: rotation * normal, offset: offset - normal.dot(&centre.coords) }
        }
        Wall::Round { place, axis, radius } => {
            Wall::Round { place: (rotation * (place - centre)).into(), axis: rotation * axis, radius: *radius }
        }
    });
    let openings = hole.openings.iter().filter(|opening| opening.normal.cross(spin).norm() <= STRAIGHT);
    let openings = openings.map(|Opening { normal, reach }| Opening {
        normal: rotation * normal,
        reach: reach - normal.dot(&centre.coords),
    });
    let hole = Hole { walls: walls.collect(), openings: openings.collect() };
    Some((motion.without_turning(false, true), hole))
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
