//! Parts of moving solids, as certificates see them: boxes and capsules of trees' nodes, and triangles.

use super::kinematics::Turning;
use crate::bounds::tree::{NodeCapsule, Slab};
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// What the certificate asks of a part of a solid; places are arms from the centre of rotation, in the solid's frame.
pub(super) trait Part {
    /// The greatest `direction · r` over the part; any length of direction.
    fn most(&self, direction: &Vector) -> Real;
    /// How fast [`Part::most`] grows while `direction` grows by `change`, at the points that are foremost now.
    fn drift(&self, direction: &Vector, change: &Vector) -> Real;
    /// No point is further from the axis of rotation, metres; zero for a solid that does not turn.
    fn reach(&self) -> Real;
    /// The least and the greatest place along the unit axis of rotation, metres.
    fn axial(&self, axis: &Vector) -> [Real; 2];
}

/// A box of a tree, and the slab that its contents lie in besides, where that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxPart {
    pub arm: Vector,
    pub half_extents: Vector,
    reach: Real,
    /// From the centre of rotation.
    pub slab: Option<Slab>,
    /// One over the square of the length of the slab's direction.
    pub per_square: Real,
}

impl BoxPart {
    #[inline]
    pub fn new(aabb: &Aabb, turning: &Turning) -> Self {
        let arm = aabb.centre() - turning.local_centre;
        let half_extents = aabb.half_extents();
        let reach =
            if turning.speed == 0.0 { 0.0 } else { arm.cross(&turning.local_axis).norm() + half_extents.norm() };
        Self { arm, half_extents, reach, slab: None, per_square: 0.0 }
    }

    /// The same, all of whose points are in the slab besides.
    #[inline]
    pub fn within(self, slab: Option<Slab>, turning: &Turning) -> Self {
        let Some(slab) = slab else { return self };
        let middle = slab.direction.dot(&turning.local_centre.coords);
        Self {
            slab: Some(Slab { low: slab.low - middle, high: slab.high - middle, ..slab }),
            per_square: 1.0 / slab.direction.norm_squared(),
            ..self
        }
    }
}

impl Part for BoxPart {
    #[inline]
    fn most(&self, direction: &Vector) -> Real {
        let of_box = direction.dot(&self.arm) + direction.abs().dot(&self.half_extents);
        let Some(slab) = &self.slab else { return of_box };
        // The slab answers for the share along it, the box for the rest.
        let share = direction.dot(&slab.direction) * self.per_square;
        let rest = direction - slab.direction * share;
        let along = (share * slab.low).max(share * slab.high);
        of_box.min(along + rest.dot(&self.arm) + rest.abs().dot(&self.half_extents))
    }

    #[inline]
    fn drift(&self, direction: &Vector, change: &Vector) -> Real {
        change.dot(&self.arm) + change.dot(&direction.zip_map(&self.half_extents, |d, h| h.copysign(d)))
    }

    #[inline]
    fn reach(&self) -> Real {
        self.reach
    }

    fn axial(&self, axis: &Vector) -> [Real; 2] {
        let (middle, half) = (axis.dot(&self.arm), axis.abs().dot(&self.half_extents));
        [middle - half, middle + half]
    }
}

/// A capsule of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapsulePart {
    /// The middle of its segment.
    pub arm: Vector,
    /// Half of its segment.
    pub half: Vector,
    radius: Real,
    reach: Real,
}

impl CapsulePart {
    #[inline]
    pub fn new(capsule: &NodeCapsule, turning: &Turning) -> Self {
        let NodeCapsule { middle, half, radius } = *capsule;
        let arm = middle - turning.local_centre;
        let off_axis = |end: Vector| end.cross(&turning.local_axis).norm_squared();
        let reach =
            if turning.speed == 0.0 { 0.0 } else { off_axis(arm - half).max(off_axis(arm + half)).sqrt() + radius };
        Self { arm, half, radius, reach }
    }
}

impl Part for CapsulePart {
    #[inline]
    fn most(&self, direction: &Vector) -> Real {
        direction.dot(&self.arm) + direction.dot(&self.half).abs() + self.radius * direction.norm()
    }

    #[inline]
    fn drift(&self, direction: &Vector, change: &Vector) -> Real {
        let length = direction.norm();
        let round = if length > 0.0 { self.radius * direction.dot(change) / length } else { 0.0 };
        change.dot(&self.arm) + change.dot(&self.half) * direction.dot(&self.half).signum() + round
    }

    #[inline]
    fn reach(&self) -> Real {
        self.reach
    }

    fn axial(&self, axis: &Vector) -> [Real; 2] {
        let (middle, half) = (axis.dot(&self.arm), axis.dot(&self.half).abs() + self.radius);
        [middle - half, middle + half]
    }
}

/// A triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrianglePart {
    pub arms: [Vector; 3],
    reach: Real,
}

impl TrianglePart {
    #[inline]
    pub fn new(corners: &[Point; 3], turning: &Turning) -> Self {
        let arms = corners.map(|p| p - turning.local_centre);
        let reach = if turning.speed == 0.0 {
            0.0
        } else {
            arms.iter().map(|r| r.cross(&turning.local_axis).norm_squared()).fold(0.0, Real::max).sqrt()
        };
        Self { arms, reach }
    }
}

impl Part for TrianglePart {
    #[inline]
    fn most(&self, direction: &Vector) -> Real {
        let [a, b, c] = self.arms.map(|r| direction.dot(&r));
        a.max(b).max(c)
    }

    #[inline]
    fn drift(&self, direction: &Vector, change: &Vector) -> Real {
        let [a, b, c] = self.arms.map(|r| direction.dot(&r));
        let foremost = if a >= b && a >= c { 0 } else { 1 + usize::from(c > b) };
        change.dot(&self.arms[foremost])
    }

    #[inline]
    fn reach(&self) -> Real {
        self.reach
    }

    fn axial(&self, axis: &Vector) -> [Real; 2] {
        let [a, b, c] = self.arms.map(|r| axis.dot(&r));
        [a.min(b).min(c), a.max(b).max(c)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::detection::toc::kinematics::PairMotion;
    use crate::math::Pose;
    use crate::motion::RigidMotion;

    proptest! {
        /// What certificates ask of a part, for points all over a capsule: the drift is the slope of the most.
        #[test]
        fn nothing_of_a_capsule_is_further_than_it_says(
            (middle, half, radius) in (prop::array::uniform3(-1.0..1.0_f64), prop::array::uniform3(-1.0..1.0_f64), 0.0..1.0_f64),
            (share, towards, depth) in (-1.0..1.0_f64, prop::array::uniform3(-1.0..1.0_f64), 0.0..1.0_f64),
            (direction, change) in (prop::array::uniform3(-1.0..1.0_f64), prop::array::uniform3(-1.0..1.0_f64)),
            spin in prop::array::uniform3(-1.0..1.0_f64),
        ) {
            let [direction, change, half, spin] = [direction, change, half, spin].map(Vector::from);
            let still = RigidMotion::at_rest(Pose::identity());
            let motion = PairMotion::new(&RigidMotion { angular_velocity: spin, ..still }, &still, 0.0, 1.0);
            let turning = &motion.a;
            let capsule = NodeCapsule { middle: Point::from(middle), half, radius };
            let part = CapsulePart::new(&capsule, turning);
            let Some(towards) = Vector::from(towards).try_normalize(1e-3) else { return Ok(()) };
            let point = capsule.middle + half * share + towards * (radius * depth) - turning.local_centre;
            prop_assert!(direction.dot(&point) <= part.most(&direction) + 1e-12);
            prop_assert!(point.cross(&turning.local_axis).norm() <= part.reach() + 1e-12);
            let [low, high] = part.axial(&turning.local_axis);
            let along = turning.local_axis.dot(&point);
            prop_assert!(low - 1e-12 <= along && along <= high + 1e-12);
            if direction.dot(&half).abs() > 1e-3 && direction.norm() > 1e-2 {
                let step = 1e-7;
                let grown = (part.most(&(direction + change * step)) - part.most(&(direction - change * step))) / (2.0 * step);
                prop_assert!((grown - part.drift(&direction, &change)).abs() < 1e-5);
            }
        }
    }
}
