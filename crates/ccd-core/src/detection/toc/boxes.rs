//! Until when two moving boxes are certainly apart: what searches over pairs of tree nodes prune with.

use super::certificate::{Certifier, Front};
use super::kinematics::PairMotion;
use super::part::{BoxPart, Part};
use crate::math::{Real, Vector};
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
    pub fn target(&self) -> Real {
        0.5 * self.tolerance + self.rounding
    }

    /// Whether a gap certifies nothing from `time` on. At the start half the tolerance is no proof: what is within the
    /// whole of it there has to be found there, as an overlap, and not a rounding later as a contact.
    pub fn is_close(&self, gap: Real, time: Real) -> bool {
        let room = gap - self.target();
        room.is_nan() || room <= 0.0 || (time <= 0.0 && gap <= self.tolerance + self.rounding)
    }
}

/// Until when two boxes are certified apart, from `time` on, by the best of their faces' directions and the line of their
/// centres ([`super::certificate`]). Apart means by more than half the tolerance.
pub(super) fn boxes_apart(motion: &PairMotion, closeness: &Closeness, time: Real, a: &Aabb, b: &Aabb) -> Apart {
    let front = Front::at(motion, time);
    let (a, b) = (BoxPart::new(a, &motion.a), BoxPart::new(b, &motion.b));
    let gap = front.widest_of_boxes(&a, &b);
    Certifier { motion, closeness: *closeness }.apart(&front, &gap, &a, &b)
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
    let part = BoxPart::new(aabb, other);
    let height = normal.dot(&now.offset) * towards + local_normal.dot(&plane.local_centre.coords);
    let gap = height - part.most(&-rotation.tr_mul(&normal));
    if closeness.is_close(gap, time) {
        return Apart::Until(time);
    }
    let room = gap - closeness.target();
    let across = normal.cross(&other.axis).norm().min(1.0);
    let bound = other.speed * across * part.reach() - normal.dot(&motion.velocity) * towards;
    if bound * (motion.length - time) <= room { Apart::Forever } else { Apart::Until(time + room / bound) }
}
