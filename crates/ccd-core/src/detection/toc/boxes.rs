//! Until when two moving boxes are certainly apart: what searches over pairs of tree nodes prune with.

use super::kinematics::{Instant, PairMotion, Turning};
use crate::math::{Matrix, Real, Vector};
use crate::motion::bound::chord_deviation;
use crate::volume::Aabb;

/// Until when two boxes are certified apart, seconds after the interval's start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Apart {
    Forever,
    Until(Real),
}

/// What counts as close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Closeness {
    /// The contact distance ε, metres.
    pub tolerance: Real,
    /// How far rounding can move a gap, metres.
    pub rounding: Real,
}

impl Closeness {
    /// The gap that must remain, metres.
    fn target(&self) -> Real {
        0.5 * self.tolerance + self.rounding
    }

    /// Whether a gap certifies nothing from `time` on. At the start half the tolerance is no proof: what is within the
    /// whole of it there has to be found there, as an overlap, and not a rounding later as a contact.
    fn is_close(&self, gap: Real, time: Real) -> bool {
        let room = gap - self.target();
        room.is_nan() || room <= 0.0 || (time <= 0.0 && gap <= self.tolerance + self.rounding)
    }
}

/// Until when two boxes are certified apart, from `time` on, by the best of their faces' directions and the line of their
/// centres, held fixed: the same certificate as for solids ([`super::plane`]), in closed form. Apart means by more than
/// half the tolerance.
pub(super) fn boxes_apart(motion: &PairMotion, closeness: &Closeness, time: Real, a: &Aabb, b: &Aabb) -> Apart {
    let target = closeness.target();
    let now = motion.at(time);
    let (a, b) = (Placed::new(a, &motion.a), Placed::new(b, &motion.b));
    let (gap, normal) = best_direction(&a, &b, &now);
    if closeness.is_close(gap, time) {
        return Apart::Until(time);
    }
    let room = gap - target;
    let rest = motion.length - time;
    let closing = -normal.dot(&motion.velocity);
    if motion.is_straight() {
        // Exact along this direction.
        return if closing * rest <= room { Apart::Forever } else { Apart::Until(time + room / closing) };
    }
    let side = |placed: &Placed, turning: &Turning| {
        let across = normal.cross(&turning.axis).norm().min(1.0);
        (turning.speed * across * placed.reach, across)
    };
    let ((turn_a, across_a), (turn_b, across_b)) = (side(&a, &motion.a), side(&b, &motion.b));
    let bound = closing + turn_a + turn_b;
    if bound * rest <= room {
        return Apart::Forever;
    }
    let floor = room / bound;
    let certain = |stretch: Real| {
        let swing = chord_deviation(motion.a.speed, a.reach, stretch) * across_a
            + chord_deviation(motion.b.speed, b.reach, stretch) * across_b;
        gap_along(&a, &b, &motion.at(time + stretch), &normal).min(gap) - swing >= target
    };
    if certain(rest) {
        return Apart::Forever;
    }
    // Slow turning: the way is nearly straight, and most of the room can be used at once. Fast turning: the swing has
    // its largest value already, and the rest is straight again.
    let widest = 2.0 * (a.reach * across_a + b.reach * across_b);
    let straight = if closing > 0.0 { room / closing } else { rest };
    let swung = if closing > 0.0 { (room - widest) / closing } else { 0.0 };
    let mut best = floor;
    for stretch in [0.9 * straight, 0.95 * swung, 0.5 * straight] {
        if stretch > 1.5 * best && stretch < rest && certain(stretch) {
            best = stretch;
            break;
        }
    }
    if best >= rest { Apart::Forever } else { Apart::Until(time + best) }
}

/// A box as its centre's arm from the centre of rotation, in the body's frame.
struct Placed {
    arm: Vector,
    half_extents: Vector,
    /// The farthest corner from the axis of rotation, metres; zero for a body that does not turn.
    reach: Real,
}

impl Placed {
    fn new(aabb: &Aabb, turning: &Turning) -> Self {
        let arm = aabb.centre() - turning.local_centre;
        let half_extents = aabb.half_extents();
        let reach =
            if turning.speed == 0.0 { 0.0 } else { arm.cross(&turning.local_axis).norm() + half_extents.norm() };
        Self { arm, half_extents, reach }
    }

    /// Half the width along the world direction.
    fn radius(&self, rotation: &Matrix, normal: &Vector) -> Real {
        rotation.tr_mul(normal).abs().dot(&self.half_extents)
    }
}

fn between(a: &Placed, b: &Placed, at: &Instant) -> Vector {
    at.offset + at.rotation_b * b.arm - at.rotation_a * a.arm
}

fn gap_along(a: &Placed, b: &Placed, at: &Instant, normal: &Vector) -> Real {
    normal.dot(&between(a, b, at)) - a.radius(&at.rotation_a, normal) - b.radius(&at.rotation_b, normal)
}

/// The direction, among the boxes' faces and the line of their centres, along which they are furthest apart.
fn best_direction(a: &Placed, b: &Placed, at: &Instant) -> (Real, Vector) {
    let between = between(a, b, at);
    let relative = at.rotation_a.tr_mul(&at.rotation_b);
    let spread = relative.abs();
    let (in_a, in_b) = (at.rotation_a.tr_mul(&between), at.rotation_b.tr_mul(&between));
    let gaps_a = in_a.abs() - a.half_extents - spread * b.half_extents;
    let gaps_b = in_b.abs() - b.half_extents - spread.tr_mul(&a.half_extents);
    let (i, j) = (gaps_a.imax(), gaps_b.imax());
    let (gap, normal) = if gaps_a[i] >= gaps_b[j] {
        (gaps_a[i], at.rotation_a.column(i) * in_a[i].signum())
    } else {
        (gaps_b[j], at.rotation_b.column(j) * in_b[j].signum())
    };
    let normal = normal.into_owned();
    if gap > 0.0
        && let Some(line) = between.try_normalize(0.0)
    {
        let along = between.norm() - a.radius(&at.rotation_a, &line) - b.radius(&at.rotation_b, &line);
        if along > gap {
            return (along, line);
        }
    }
    (gap, normal)
}

/// Until when a moving box is certified above the plane of a half-space, from `time` on, by more than half the tolerance. The
/// half-space is side A when `plane_is_a`, its outward normal given in its own frame. Of one that turns nothing is known.
pub(super) fn box_above_plane(
    motion: &PairMotion,
    closeness: &Closeness,
    time: Real,
    (local_normal, plane_is_a): (&Vector, bool),
    aabb: &Aabb,
) -> Apart {
    let now = motion.at(time);
    let (plane, rotation_plane, other, rotation, towards) = if plane_is_a {
        (&motion.a, &now.rotation_a, &motion.b, &now.rotation_b, 1.0)
    } else {
        (&motion.b, &now.rotation_b, &motion.a, &now.rotation_a, -1.0)
    };
    if plane.speed > 0.0 {
        return Apart::Until(time);
    }
    let normal = rotation_plane * local_normal;
    let placed = Placed::new(aabb, other);
    let from_centre = now.offset * towards + rotation * placed.arm;
    let height = normal.dot(&from_centre) + local_normal.dot(&plane.local_centre.coords);
    let gap = height - placed.radius(rotation, &normal);
    if closeness.is_close(gap, time) {
        return Apart::Until(time);
    }
    let room = gap - closeness.target();
    let across = normal.cross(&other.axis).norm().min(1.0);
    let bound = other.speed * across * placed.reach - normal.dot(&motion.velocity) * towards;
    if bound * (motion.length - time) <= room { Apart::Forever } else { Apart::Until(time + room / bound) }
}
