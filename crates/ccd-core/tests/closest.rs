//! Distances and depths of boxes and of their meshes, from either side.
#![allow(clippy::unwrap_used, reason = "a test stops where its premise fails")]

#[path = "common/models.rs"]
mod models;

use ccd_core::detection::closest::closest;
use ccd_core::math::{Pose, Rotation, Vector};
use ccd_core::shape::Shape;
use models::box_mesh;
use proptest::prelude::*;

fn pose() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-3.0..3.0), prop::array::uniform3(-3.0..3.0)).prop_map(|(at, turn)| {
        Pose::from_parts(Vector::from(at).into(), Rotation::from_scaled_axis(Vector::from(turn)))
    })
}

proptest! {
    #[test]
    fn boxes_and_their_meshes_are_equally_far_apart_or_overlap_alike(
        ha in prop::array::uniform3(0.2..1.5_f64), hb in prop::array::uniform3(0.2..1.5_f64), a in pose(), b in pose(),
    ) {
        let solids = [Shape::cuboid(ha).unwrap(), box_mesh(ha)];
        let others = [Shape::cuboid(hb).unwrap(), box_mesh(hb)];
        let exact = closest(&solids[0], &a, &others[0], &b).unwrap();
        for (s, o) in [(0, 1), (1, 0), (1, 1)] {
            let found = closest(&solids[s], &a, &others[o], &b).unwrap();
            if exact.distance > 0.0 {
                prop_assert!((found.distance - exact.distance).abs() < 1e-9, "{s} {o}: {found:?} {exact:?}");
                prop_assert!((found.normal - exact.normal).norm() < 1e-5 || exact.distance < 1e-5);
            } else {
                // Directions are sampled: the depth is enough, and rarely much more than the least.
                prop_assert!(found.distance <= exact.distance + 1e-6, "{s} {o}: {found:?} {exact:?}");
                prop_assert!(found.distance >= 3.0 * exact.distance - 1e-6, "{s} {o}: {found:?} {exact:?}");
            }
        }
    }

    #[test]
    fn exchanging_the_sides_exchanges_the_answer(ha in prop::array::uniform3(0.2..1.5_f64), r in 0.1..1.0_f64, a in pose(), b in pose()) {
        let shapes = [Shape::cuboid(ha).unwrap(), Shape::ball(r).unwrap(), box_mesh(ha), Shape::half_space(Vector::y()).unwrap()];
        for one in &shapes {
            for other in &shapes {
                let (Ok(f), Ok(g)) = (closest(one, &a, other, &b), closest(other, &b, one, &a)) else { continue };
                let overlap_of_meshes = f.distance < 0.0 && (matches!(one, Shape::Mesh(_)) || matches!(other, Shape::Mesh(_)));
                if !overlap_of_meshes {
                    prop_assert!((f.distance - g.distance).abs() < 1e-9, "{f:?} {g:?}");
                    prop_assert!(f.distance.abs() < 1e-5 || (f.normal + g.normal).norm() < 1e-5, "{f:?} {g:?}");
                }
            }
        }
    }
}

#[test]
fn ball_inside_a_closed_mesh_overlaps_it() {
    let (room, ball) = (box_mesh([2.0, 2.0, 2.0]), Shape::ball(0.1).unwrap());
    let found = closest(&room, &Pose::identity(), &ball, &Pose::translation(1.5, 0.0, 0.0)).unwrap();
    assert!((found.distance + 0.6).abs() < 1e-6 && (found.normal - Vector::x()).norm() < 1e-6, "{found:?}");
}

#[test]
fn mesh_depth_on_a_half_space_is_that_of_its_lowest_vertex() {
    let found = closest(
        &Shape::half_space(Vector::y()).unwrap(),
        &Pose::identity(),
        &box_mesh([1.0, 1.0, 1.0]),
        &Pose::translation(0.0, 0.9, 0.0),
    )
    .unwrap();
    assert!((found.distance + 0.1).abs() < 1e-12 && found.normal == Vector::y(), "{found:?}");
}
