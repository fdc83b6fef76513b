//! Axis-aligned boxes around moving solids.

use crate::math::{Real, Vector};
use crate::motion::{RigidMotion, bound};
use crate::volume::Aabb;

/// A world box around everything that a solid with the given box (its own frame) covers while it moves for `duration` seconds.
///
/// Two enclosures are intersected: the boxes at both ends, moved outwards by how far a corner can leave its chord (E1, E21:
/// spheres around the start alone cover nothing of a translation), and the sphere about the centre of rotation swept along
/// the centre's straight way, which stays small for any spin. Exact for a pure translation of a box that is not turned.
pub fn swept_aabb(local: &Aabb, motion: &RigidMotion, duration: Real) -> Aabb {
    let start = local.transformed(&motion.start);
    if motion.is_at_rest() {
        return start;
    }
    if motion.angular_velocity == Vector::zeros() {
        let way = motion.linear_velocity * duration;
        return start.merged(&Aabb { min: start.min + way, max: start.max + way });
    }
    let far_corner = (local.max - motion.local_centre).abs().sup(&(local.min - motion.local_centre).abs());
    let reach = far_corner.norm();
    if !reach.is_finite() {
        // Turning, an unbounded solid can come anywhere.
        return Aabb { min: Vector::repeat(Real::NEG_INFINITY).into(), max: Vector::repeat(Real::INFINITY).into() };
    }
    let deviation = bound::chord_deviation(motion.angular_velocity.norm(), reach, duration);
    let boxes = start.merged(&local.transformed(&motion.pose_at(duration))).inflated(deviation);
    let (from, to) = (motion.centre_at(0.0), motion.centre_at(duration));
    let spheres = Aabb { min: from.inf(&to), max: from.sup(&to) }.inflated(reach);
    Aabb { min: boxes.min.sup(&spheres.min), max: boxes.max.inf(&spheres.max) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Point, Pose, Rotation};
    use proptest::prelude::*;

    fn vector(range: Real) -> impl Strategy<Value = Vector> {
        prop::array::uniform3(-range..range).prop_map(Vector::from)
    }

    proptest! {
        #[test]
        fn swept_box_holds_every_sampled_place_of_every_corner(
            at in vector(10.0), turned in vector(3.0), velocity in vector(100.0), axis in vector(1.0),
            spin in prop::sample::select(vec![0.0, 1e-3, 1.0, 30.0, 1e4]), centre in vector(2.0),
            half in prop::array::uniform3(0.01..2.0_f64), duration in 1e-4..1.0_f64,
        ) {
            let motion = RigidMotion {
                start: Pose::from_parts(at.into(), Rotation::from_scaled_axis(turned)),
                local_centre: Point::from(centre),
                linear_velocity: velocity,
                angular_velocity: axis * spin,
            };
            let local = Aabb::from_half_extents(Point::origin(), Vector::from(half));
            let swept = swept_aabb(&local, &motion, duration).inflated(1e-9);
            for i in 0..=100 {
                let pose = motion.pose_at(duration * Real::from(i) / 100.0);
                let now = crate::volume::Obb::from_aabb(&local, &pose);
                for corner in now.corners() {
                    prop_assert!(swept.contains(&Aabb { min: corner, max: corner }), "{corner} at {i} %");
                }
            }
        }
    }

    #[test]
    fn unbounded_solid_stays_unbounded() {
        let local = Aabb {
            min: Point::from(Vector::repeat(Real::NEG_INFINITY)),
            max: Point::from(Vector::repeat(Real::INFINITY)),
        };
        let swept = swept_aabb(&local, &RigidMotion::at_rest(Pose::identity()), 1.0);
        assert!(swept.overlaps(&Aabb::from_half_extents(Point::new(1e9, 1e9, 1e9), Vector::repeat(1.0))));
    }
}
