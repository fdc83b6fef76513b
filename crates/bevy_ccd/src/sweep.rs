//! An oriented box around what a moving body covers.

use ccd_core::math::{Matrix, Point, Vector, orthonormal_basis};
use ccd_core::motion::{RigidMotion, bound};
use ccd_core::volume::{Aabb, Obb};

/// A box that holds everything that the box `local` covers on `motion` within `duration` seconds: the smaller of one along
/// the body's axes and one along its way.
pub(crate) fn swept_obb(local: &Aabb, motion: &RigidMotion, duration: f64) -> Obb {
    let (start, end) = (motion.start, motion.pose_at(duration));
    let mut corners: Vec<Point> = Obb::from_aabb(local, &start).corners().to_vec();
    corners.extend(Obb::from_aabb(local, &end).corners());
    // Between its ends a corner leaves its chord by no more than this, and every other point is between corners.
    let reach = Obb::from_aabb(local, &nalgebra::Isometry3::identity())
        .corners()
        .iter()
        .map(|corner| (corner - motion.local_centre).norm())
        .fold(0.0, f64::max);
    let deviation = bound::chord_deviation(motion.angular_velocity.norm(), reach, duration);
    let along_body = around(&corners, start.rotation.to_rotation_matrix().into_inner());
    let along_way = (motion.linear_velocity * duration).try_normalize(1e-9).map(|direction| {
        let (t, b) = orthonormal_basis(&direction);
        around(&corners, Matrix::from_columns(&[direction, t, b]))
    });
    let volume = |obb: &Obb| obb.half_extents.product();
    match along_way {
        Some(along_way) if volume(&along_way) < volume(&along_body) => along_way.inflated(deviation),
        _ => along_body.inflated(deviation),
    }
}

/// The smallest box with these axes around the points.
fn around(points: &[Point], axes: Matrix) -> Obb {
    let local: Vec<Point> = points.iter().map(|p| Point::from(axes.tr_mul(&p.coords))).collect();
    let aabb = Aabb::from_points(&local);
    let half_extents: Vector = aabb.half_extents();
    Obb { centre: Point::from(axes * aabb.centre().coords), axes, half_extents }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(range: f64) -> impl Strategy<Value = Vector> {
        prop::array::uniform3(-range..range).prop_map(Vector::from)
    }

    proptest! {
        #[test]
        fn the_box_holds_every_corner_at_every_instant(
            half in prop::array::uniform3(0.01..2.0_f64), centre in vector(1.0), linear in vector(50.0),
            angular in vector(60.0), turn in vector(3.0), at in 0.0..1.0_f64,
        ) {
            let local = Aabb::from_half_extents(Point::origin(), Vector::from(half));
            let motion = RigidMotion {
                start: nalgebra::Isometry3::new(Vector::new(1.0, 2.0, 3.0), turn),
                local_centre: Point::from(centre),
                linear_velocity: linear,
                angular_velocity: angular,
            };
            let dt = 1.0 / 60.0;
            let obb = swept_obb(&local, &motion, dt);
            for corner in Obb::from_aabb(&local, &motion.pose_at(at * dt)).corners() {
                let inside = obb.axes.tr_mul(&(corner - obb.centre));
                for i in 0..3 {
                    prop_assert!(inside[i].abs() <= obb.half_extents[i] + 1e-9);
                }
            }
        }
    }
}
