//! What a contact search promises of every pair of shapes.

use ccd_core::contact::{
    ContactCache, ContactPoint, ContactSearch, ReductionMethod, find_all_contacts, find_contacts, find_contacts_by,
};
use ccd_core::detection::closest::closest;
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use proptest::prelude::*;

use crate::common::models::box_mesh;

const MARGIN: Real = 1e-3;

fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    find_contacts(a, pose_a, b, pose_b, MARGIN, &mut ContactCache::default(), &mut out);
    out
}

fn at(x: Real, y: Real, z: Real) -> Pose {
    Pose::translation(x, y, z)
}

fn turned(x: Real, y: Real, z: Real, axis_angle: [Real; 3]) -> Pose {
    Pose::from_parts([x, y, z].into(), Rotation::from_scaled_axis(axis_angle.into()))
}

fn cube() -> Shape {
    Shape::cuboid([0.5; 3]).unwrap()
}

/// The same surface around a void of some millimetres in its middle: not asked as the polyhedron that it is otherwise.
fn with_a_void(mesh: &TriMesh) -> Shape {
    let middle = nalgebra::center(&mesh.aabb().min, &mesh.aabb().max);
    let (mut vertices, mut triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    let first = vertices.len() as u32;
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    vertices.extend(corners.map(|corner| middle + Vector::from(corner) * 2e-3));
    // It looks inwards.
    triangles.extend([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|t| t.map(|v| first + v)));
    let whole = TriMesh::try_new(vertices, triangles).unwrap();
    assert!(whole.signed_volume() < mesh.signed_volume());
    let shape = Shape::mesh(whole).unwrap();
    assert!(matches!(&shape, Shape::Mesh(mesh) if mesh.is_closed() && mesh.as_polyhedron(f64::INFINITY).is_none()));
    shape
}

/// A square floor in the plane y = 0 of `n` × `n` cells of `size` metres, facing up; `height` shapes it.
fn floor(n: u32, size: Real, height: impl Fn(Real, Real) -> Real) -> Shape {
    let place = |i: u32, j: u32| {
        let along = |k: u32| (f64::from(k) - f64::from(n) * 0.5) * size;
        Point::new(along(i), height(along(i), along(j)), along(j))
    };
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))).map(|(i, j)| place(i, j)).collect();
    let cell = |i: u32, j: u32| {
        let v = i * (n + 1) + j;
        [[v, v + 1, v + n + 2], [v, v + n + 2, v + n + 1]]
    };
    let triangles = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).flat_map(|(i, j)| cell(i, j)).collect();
    Shape::mesh(TriMesh::try_new(vertices, triangles).unwrap()).unwrap()
}

/// The places of the contacts in a fixed order, rounded to what a test tells apart.
fn places(contacts: &[ContactPoint]) -> Vec<[i64; 3]> {
    let mut places: Vec<_> =
        contacts.iter().map(|c| [0, 1, 2].map(|k| (c.midpoint()[k] * 1e5).round() as i64)).collect();
    places.sort_unstable();
    places
}

#[test]
fn a_box_on_a_box_has_the_four_corners_of_their_common_area() {
    let a = cube();
    for (pose, corners) in [
        (at(0.0, 1.0005, 0.0), [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]]),
        (at(0.3, 1.0005, 0.2), [[-0.2, -0.3], [-0.2, 0.5], [0.5, -0.3], [0.5, 0.5]]),
        (at(-0.25, 1.0005, 0.0), [[-0.5, -0.5], [-0.5, 0.5], [0.25, -0.5], [0.25, 0.5]]),
    ] {
        let found = contacts(&a, &Pose::identity(), &a, &pose);
        let expected: Vec<_> =
            corners.iter().map(|[x, z]| [x, &0.50025, z].map(|v: &Real| (v * 1e5).round() as i64)).collect();
        assert_eq!(places(&found), expected);
        for c in &found {
            assert!((c.normal - Vector::y()).norm() < 1e-12);
            assert!((c.separation - 5e-4).abs() < 1e-12);
        }
    }
}

#[test]
fn a_box_across_an_edge_of_a_box_has_contacts_at_the_edge() {
    // The upper box stands on its edge, turned about y, so that the edges cross.
    let edge_down = Rotation::from_scaled_axis(Vector::new(0.0, 0.0, std::f64::consts::FRAC_PI_4));
    let upper = Pose::from_parts([0.0, 0.5 + 0.5_f64.sqrt() + 2e-4, 0.0].into(), edge_down);
    let found = contacts(&cube(), &Pose::identity(), &cube(), &upper);
    assert_eq!(places(&found), [[0, 50010, -50000], [0, 50010, 50000]]);
    // Edge across edge: both boxes on their edges, one turned by a right angle.
    let about_x = Rotation::from_scaled_axis(Vector::new(std::f64::consts::FRAC_PI_4, 0.0, 0.0));
    let lower = Pose::from_parts(Vector::zeros().into(), about_x);
    let upper = Pose::from_parts([0.1, 2.0 * 0.5_f64.sqrt() + 2e-4, 0.2].into(), edge_down);
    let found = contacts(&cube(), &lower, &cube(), &upper);
    assert_eq!(found.len(), 1);
    assert!(matches!((found[0].features.a, found[0].features.b), (Feature::Edge(_), Feature::Edge(_))));
    assert!((found[0].normal - Vector::y()).norm() < 1e-12);
    assert!((found[0].separation - 2e-4).abs() < 1e-12);
    assert_eq!(places(&found), [[10000, 70721, 0]]);
}

/// An edge that lies in a face rises over it at one end and falls at the other, by nothing but rounding.
#[test]
fn an_edge_that_lies_along_a_face_has_that_faces_normal_at_both_ends_however_little_it_is_tilted() {
    // The cube leans, so that its highest edge alone carries the plank that lies across it.
    let lean: Real = 0.08;
    let cube_pose = turned(0.0, 0.0, 0.0, [0.0, 0.0, lean]);
    let edge = cube_pose * Point::new(0.5, 0.5, 0.0);
    let plank_box = Shape::cuboid([0.4, 0.1, 0.2]).unwrap();
    for (cube, plank) in [(cube(), plank_box), (box_mesh([0.5; 3]), box_mesh([0.4, 0.1, 0.2]))] {
        for tilt in [-1e-5, -1e-8, -1e-12, 0.0, 1e-12, 1e-8, 1e-5] {
            let plank_pose = turned(edge.x, edge.y + 0.1 + 1e-5, 0.0, [tilt, 0.0, 0.0]);
            let down = plank_pose.rotation * -Vector::y();
            let found = contacts(&cube, &cube_pose, &plank, &plank_pose);
            let ends: Vec<_> = found.iter().filter(|c| c.separation < 5e-5).collect();
            assert_eq!(ends.len(), 2, "{tilt}: {found:?}");
            for end in ends {
                assert!((end.normal + down).norm() < 2e-4, "{tilt}: {end:?}");
                let along = (end.point_b - end.point_a) - end.normal * end.separation;
                assert!(along.norm() < 1e-12, "{tilt}: {end:?}");
            }
        }
    }
}

#[test]
fn a_mesh_box_that_is_tilted_a_little_keeps_all_corners_over_a_floor_that_is_much_wider() {
    let (mesh, wide) = (box_mesh([0.5, 0.1, 0.4]), Shape::cuboid([30.0, 1.0, 30.0]).unwrap());
    for axis in [[1.0, 0.0, 0.3], [1.0, 0.0, -0.3], [-1.0, 0.0, 0.3], [-1.0, 0.0, -0.3]] {
        for tilt in [1e-5, 5e-5, 3e-4] {
            let pose = turned(0.0, 1.1003, 0.0, axis.map(|part| part * tilt));
            let found = contacts(&mesh, &pose, &wide, &at(0.0, 0.0, 0.0));
            let is_at = |x: Real, z: Real| {
                let near = |c: &ContactPoint| (c.point_a - Point::new(x, 1.0, z)).norm() < 1e-3;
                found.iter().any(near)
            };
            let corners = [(0.5, 0.4), (0.5, -0.4), (-0.5, 0.4), (-0.5, -0.4)];
            assert!(corners.iter().all(|&(x, z)| is_at(x, z)), "{axis:?}, {tilt}: {found:?}");
        }
    }
}

#[test]
fn a_mesh_box_and_a_primitive_box_have_the_same_contacts() {
    let primitive = Shape::cuboid([0.5, 0.3, 0.4]).unwrap();
    let mesh = box_mesh([0.5, 0.3, 0.4]);
    let (hull, hollow) = {
        let Shape::Mesh(indexed) = &mesh else { panic!("a mesh") };
        (Shape::convex_hull(indexed.mesh().vertices()).unwrap(), with_a_void(indexed.mesh()))
    };
    for pose in [
        at(0.1, 0.6004, 0.2),
        turned(0.1, 0.6004, 0.0, [0.0, 0.7, 0.0]),
        turned(1.0004, 0.0, 0.1, [0.0, 0.0, 0.0]),
        turned(0.0, 0.6004, 0.0, [1e-4, 0.3, 1e-4]),
    ] {
        let distinct = |a: &Shape, b: &Shape| {
            let mut all = Vec::new();
            find_all_contacts(a, &Pose::identity(), b, &pose, MARGIN, &mut all);
            let mut places = places(&all);
            places.dedup();
            (places, contacts(a, &Pose::identity(), b, &pose).len())
        };
        let expected = distinct(&primitive, &primitive);
        assert_eq!(expected.1, expected.0.len().min(8));
        let shapes = [&primitive, &mesh, &hull];
        for (a, b) in shapes.iter().flat_map(|a| shapes.map(|b| (a, b))) {
            assert_eq!(distinct(a, b), expected, "{} on {}", a.as_solid().kind(), b.as_solid().kind());
        }
        // By its triangles a mesh touches there, too.
        for (a, b) in shapes.into_iter().flat_map(|other| [(&hollow, other), (other, &hollow)]) {
            let (found, _) = distinct(a, b);
            assert!(expected.0.iter().all(|place| found.contains(place)), "{found:?}");
            assert!(found.len() == expected.0.len(), "{found:?}");
        }
    }
}

#[test]
fn boxes_of_one_outline_keep_their_contacts_when_their_sides_are_flush_up_to_rounding() {
    for shape in [cube(), box_mesh([0.5; 3])] {
        for offset in [0.0, 1e-15, -1e-12, 1e-9, -3e-7] {
            let found =
                contacts(&shape, &Pose::identity(), &shape, &turned(offset, 1.0001, -offset, [0.0, offset, 0.0]));
            assert_eq!(found.len(), 4, "offset {offset}");
            for c in found {
                assert!(c.midpoint().x.abs() > 0.49 && c.midpoint().z.abs() > 0.49);
                assert!((c.normal - Vector::y()).norm() < 1e-5, "{:?}", c.normal);
            }
        }
    }
}

proptest! {
    /// In a game that plays in a plane all solids end in the same two planes: there edges lie over each other, and where they cross is rounding.
    #[test]
    fn contacts_of_solids_that_end_in_one_plane_lie_over_each_other(
        angle in -3.2..3.2,
        between in 1e-6..0.3_f64,
        along in -0.5..0.5,
        gap in 1e-6..9e-4,
    ) {
        let half = [0.3, 0.3, 0.1];
        let pose_a = turned(-0.397, 0.058, 0.0, [0.0, 0.0, angle]);
        let corner = pose_a * Point::new(half[0], half[1], 0.0);
        let turn = Rotation::from_scaled_axis(Vector::z() * (angle + between));
        let centre = corner + turn * Vector::new(half[0] + gap, along, 0.0);
        let pose_b = Pose::from_parts(centre.coords.into(), turn);
        for [a, b] in [[box_mesh(half), box_mesh(half)], [Shape::cuboid(half).unwrap(), box_mesh(half)]] {
            let apart = closest(&a, &pose_a, &b, &pose_b).unwrap().distance;
            let found = contacts(&a, &pose_a, &b, &pose_b);
            prop_assert!(apart > 0.0 && (apart > MARGIN || !found.is_empty()), "{apart} m apart");
            for p in &found {
                let aside = (p.point_b - p.point_a - p.normal * p.separation).norm();
                prop_assert!(p.separation >= apart - 1e-9, "{} m, {apart} m apart: {p:?}", p.separation);
                prop_assert!(aside < 0.05 * MARGIN, "{aside} m beside each other: {p:?}");
            }
        }
    }
}

#[test]
fn a_body_that_slides_over_a_flat_triangulated_floor_sees_only_the_floors_normal() {
    let flat = floor(64, 0.2, |_, _| 0.0);
    let half_space = Shape::half_space(Vector::y()).unwrap();
    for body in [box_mesh([0.25, 0.1, 0.25]), Shape::cuboid([0.25, 0.1, 0.25]).unwrap(), Shape::ball(0.1).unwrap()] {
        for step in 0..400 {
            let along = -5.0 + f64::from(step) * 0.025;
            let pose = turned(along, 0.1 + 1e-4, 0.37 * along, [0.0, 0.01 * along, 0.0]);
            let found = contacts(&flat, &Pose::identity(), &body, &pose);
            let expected = contacts(&half_space, &Pose::identity(), &body, &pose);
            assert!(found.iter().all(|c| (c.normal - Vector::y()).norm() < 1e-9), "at {along}: {found:?}");
            assert_eq!(places(&found), places(&expected), "at {along}");
        }
    }
}

#[test]
fn every_shape_rests_on_a_half_space_with_the_contacts_it_needs() {
    let ground = Shape::half_space(Vector::new(0.0, 2.0, 0.0)).unwrap();
    let side_down = [std::f64::consts::FRAC_PI_2, 0.0, 0.0];
    for (shape, pose, count) in [
        (cube(), at(0.0, 0.5002, 0.0), 4..=4),
        (Shape::ball(0.5).unwrap(), at(0.0, 0.5002, 0.0), 1..=1),
        (Shape::capsule(0.5, 1.0).unwrap(), turned(0.0, 0.5002, 0.0, side_down), 2..=2),
        (Shape::capsule(0.5, 1.0).unwrap(), at(0.0, 1.5002, 0.0), 1..=1),
        (Shape::cylinder(0.5, 1.0).unwrap(), at(0.0, 1.0002, 0.0), 8..=8),
        (Shape::cylinder(0.5, 1.0).unwrap(), turned(0.0, 0.5002, 0.0, side_down), 2..=2),
        (Shape::cone(0.5, 1.0).unwrap(), at(0.0, 1.0002, 0.0), 8..=8),
        (box_mesh([0.5; 3]), at(0.0, 0.5002, 0.0), 4..=4),
    ] {
        let found = contacts(&ground, &Pose::identity(), &shape, &pose);
        assert!(count.contains(&found.len()), "{shape:?} has {} contacts", found.len());
        for c in &found {
            assert_eq!(c.normal, Vector::y());
            assert!((c.separation - 2e-4).abs() < 1e-9, "{shape:?}: {}", c.separation);
            assert!(c.point_a.y.abs() < 1e-12 && (c.point_b.y - 2e-4).abs() < 1e-9);
        }
    }
}

#[test]
fn a_tilted_cylinder_touches_with_the_lowest_point_of_its_true_rim() {
    let ground = Shape::half_space(Vector::y()).unwrap();
    let cylinder = Shape::cylinder(0.5, 1.0).unwrap();
    let tilt: Real = 0.3;
    // Lowest: the rim point halfway between two corners of the polygon that stands for the cap.
    let spin = Rotation::from_scaled_axis(Vector::y() * (std::f64::consts::PI / 8.0));
    let rotation = Rotation::from_scaled_axis(Vector::z() * tilt) * spin;
    let pose = Pose::from_parts([0.0, tilt.cos() + 0.5 * tilt.sin() + 1e-4, 0.0].into(), rotation);
    let found = contacts(&ground, &Pose::identity(), &cylinder, &pose);
    assert!(!found.is_empty());
    let least = found.iter().map(|c| c.separation).fold(Real::MAX, Real::min);
    assert!((least - 1e-4).abs() < 1e-12, "{least}");
}

#[test]
fn exchanging_the_sides_exchanges_the_contacts() {
    let shapes = [cube(), box_mesh([0.5; 3]), Shape::ball(0.5).unwrap(), Shape::half_space(Vector::y()).unwrap()];
    for a in &shapes {
        for b in &shapes[..3] {
            let pose_a = at(0.1, -0.5, 0.0);
            let top = if matches!(a, Shape::HalfSpace(_)) { -0.5 } else { 0.0 };
            // A ball's top is one place, wherever the box above it is.
            let aside = if matches!((a, b), (Shape::Ball(_), Shape::Ball(_))) { 0.0 } else { 0.1 };
            let pose_b = turned(0.1 + aside, top + 0.5003, aside, [0.0, 0.4, 0.0]);
            let mut one = Vec::new();
            let mut other = Vec::new();
            find_all_contacts(a, &pose_a, b, &pose_b, MARGIN, &mut one);
            find_all_contacts(b, &pose_b, a, &pose_a, MARGIN, &mut other);
            assert!(!one.is_empty(), "{a:?} {b:?}");
            let mut exchanged: Vec<_> = other.iter().map(ContactPoint::swapped).collect();
            for list in [&mut one, &mut exchanged] {
                list.sort_by(|p, q| p.features.cmp(&q.features).then(p.separation.total_cmp(&q.separation)));
            }
            assert_eq!(one.len(), exchanged.len(), "{a:?} {b:?}");
            for (p, q) in one.iter().zip(&exchanged) {
                assert_eq!(p.features, q.features);
                assert!((p.point_a - q.point_a).norm() < 1e-9 && (p.point_b - q.point_b).norm() < 1e-9);
                assert!((p.normal - q.normal).norm() < 1e-9);
            }
        }
    }
}

#[test]
fn poses_and_margins_that_are_no_numbers_give_no_contacts() {
    let mut bad = Pose::identity();
    bad.translation.vector.x = Real::NAN;
    let mut out = Vec::new();
    let cache = &mut ContactCache::default();
    find_contacts(&cube(), &bad, &cube(), &Pose::identity(), MARGIN, cache, &mut out);
    find_contacts(&cube(), &Pose::identity(), &cube(), &bad, MARGIN, cache, &mut out);
    for margin in [Real::NAN, Real::INFINITY, -1.0] {
        find_contacts(&cube(), &Pose::identity(), &cube(), &at(0.0, 1.0, 0.0), margin, cache, &mut out);
    }
    assert!(out.is_empty());
}

#[test]
fn resting_bodies_keep_the_features_of_their_contacts_while_they_creep() {
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as Real / (1_u64 << 53) as Real - 0.5
    };
    for shape in [cube(), box_mesh([0.5; 3])] {
        for start in [at(0.0, 1.0002, 0.0), at(0.2, 1.0002, -0.1), turned(0.0, 1.0002, 0.0, [0.0, 0.5, 0.0])] {
            let mut cache = ContactCache::default();
            let mut pose = start;
            let mut kept: Option<Vec<_>> = None;
            for step in 0..1000 {
                let mut found = Vec::new();
                find_contacts(&shape, &Pose::identity(), &shape, &pose, MARGIN, &mut cache, &mut found);
                assert!(found.len() >= 4, "step {step}: {found:?}");
                let mut features: Vec<_> = found.iter().map(|c| c.features).collect();
                features.sort_unstable();
                if let Some(kept) = &kept {
                    assert_eq!(&features, kept, "step {step}");
                }
                kept = Some(features);
                // Around the start, by less than what is visible.
                let (shift, spin) = (
                    Vector::new(random(), random(), random()) * 1e-7,
                    Vector::new(random(), random(), random()) * 1e-7,
                );
                pose = Pose::from_parts(
                    (start.translation.vector + shift).into(),
                    Rotation::from_scaled_axis(spin) * start.rotation,
                );
            }
        }
    }
}

/// A spike of four triangles with its tip at the origin, pointing down, no side within 20° of the floor.
fn spike() -> TriMesh {
    let corners = [[0.0, 0.0, 0.0], [0.5, 1.0, 0.0], [-0.3, 1.0, 0.4], [-0.3, 1.0, -0.4]];
    let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
    let mesh = TriMesh::try_new(corners.map(Point::from).to_vec(), triangles).unwrap();
    if mesh.signed_volume() < 0.0 { mesh.flipped() } else { mesh }
}

#[test]
fn a_corner_of_a_mesh_that_has_sunk_into_a_face_at_which_no_triangle_looks_is_a_contact() {
    let slab = Shape::cuboid([5.0, 0.5, 5.0]).unwrap();
    let corners: Vec<Point> = [[5.0, 0.5], [-5.0, 0.5], [5.0, -0.5], [-5.0, -0.5]]
        .iter()
        .flat_map(|[x, y]| [-5.0, 5.0].map(|z| Point::new(*x, *y, z)))
        .collect();
    let hull = Shape::convex_hull(&corners).unwrap();
    let closed = Shape::mesh(spike()).unwrap();
    let soup = Shape::mesh(TriMesh::compacted(spike().vertices(), &spike().triangles()[..3]).unwrap()).unwrap();
    let around = turned(0.3, -0.2, 0.7, [0.4, -1.1, 0.6]);
    for (ground, spike) in [(&slab, &closed), (&slab, &soup), (&hull, &closed)] {
        for depth in [5e-4, 3e-3, 2e-2] {
            for home in [Pose::identity(), around] {
                let place = home * at(0.2, 0.5 - depth, -0.1);
                let (tip, up) = (place * Point::origin(), home * Vector::y());
                let found = contacts(ground, &home, spike, &place);
                let swapped: Vec<_> =
                    contacts(spike, &place, ground, &home).iter().map(ContactPoint::swapped).collect();
                for found in [&found, &swapped] {
                    let deepest = found.iter().min_by(|c, d| c.separation.total_cmp(&d.separation)).unwrap();
                    assert!((deepest.separation + depth).abs() < 1e-9, "{deepest:?}");
                    assert!((deepest.point_b - tip).norm() < 1e-9 && (deepest.normal - up).norm() < 1e-9);
                    assert!(matches!(deepest.features.a, Feature::Face(_)), "{deepest:?}");
                    assert_eq!(deepest.features.b, Feature::Vertex(0));
                }
            }
        }
    }
}

#[test]
fn every_corner_of_a_mesh_that_has_sunk_into_a_face_is_a_contact() {
    let mut corners = Vec::new();
    let mut triangles = Vec::new();
    for foot in [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]] {
        let first = corners.len() as u32;
        corners.extend(spike().vertices().iter().map(|p| p + Vector::new(foot[0], 0.0, foot[1])));
        triangles.extend(spike().triangles().iter().map(|t| t.map(|v| v + first)));
    }
    let feet = Shape::mesh(TriMesh::try_new(corners, triangles).unwrap()).unwrap();
    let slab = Shape::cuboid([5.0, 0.5, 5.0]).unwrap();
    let place = turned(0.0, 0.497, 0.0, [1e-3, 0.0, 0.0]);
    let found = contacts(&slab, &Pose::identity(), &feet, &place);
    assert_eq!(found.len(), 4, "{found:?}");
    for c in &found {
        assert!(matches!(c.features.b, Feature::Vertex(_)) && (c.normal - Vector::y()).norm() < 1e-9, "{c:?}");
        assert!((c.separation + 0.003 + 1e-3 * c.point_b.z).abs() < 1e-5, "{c:?}");
    }
}

#[test]
fn an_edge_of_a_mesh_that_has_sunk_across_the_edge_of_a_box_is_a_contact() {
    // A roof lies with its ridge across the upper edge of a box that stands on its edge.
    let ridge =
        [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.8, 1.0, 1.0], [0.8, 1.0, -1.0], [-0.8, 1.0, 1.0], [-0.8, 1.0, -1.0]];
    let triangles = vec![[0, 3, 2], [0, 2, 1], [0, 1, 4], [0, 4, 5], [0, 5, 3], [1, 2, 4], [2, 3, 5], [2, 5, 4]];
    let mesh = TriMesh::try_new(ridge.map(Point::from).to_vec(), triangles).unwrap();
    assert!(mesh.signed_volume() > 0.0);
    let roofs = [with_a_void(&mesh), Shape::mesh(mesh).unwrap()];
    let beam = Shape::cuboid([2.0, 0.5, 0.5]).unwrap();
    let edge_up = turned(0.0, -0.5_f64.sqrt(), 0.0, [std::f64::consts::FRAC_PI_4, 0.0, 0.0]);
    for (depth, roof) in [5e-4, 3e-3, 2e-2].iter().flat_map(|depth| roofs.each_ref().map(|roof| (*depth, roof))) {
        let found = contacts(&beam, &edge_up, roof, &at(0.1, -depth, 0.2));
        let deepest = found.iter().min_by(|c, d| c.separation.total_cmp(&d.separation)).unwrap();
        assert!((deepest.separation + depth).abs() < 1e-9, "{deepest:?}");
        assert!((deepest.normal - Vector::y()).norm() < 1e-9);
        assert!(
            matches!((deepest.features.a, deepest.features.b), (Feature::Edge(_), Feature::Edge(_))),
            "{deepest:?}"
        );
    }
}

/// Two meshes that touch as polyhedra tell of it with their own features, of which each contact's places are.
#[test]
fn crates_as_meshes_touch_where_their_hulls_do_and_name_the_features_of_the_meshes() {
    let mesh = box_mesh([0.5, 0.3, 0.4]);
    let Shape::Mesh(indexed) = &mesh else { panic!("a mesh") };
    let hull = Shape::convex_hull(indexed.mesh().vertices()).unwrap();
    let mut met = [0; 3];
    for k in 0..200 {
        let way = |i: u32| (Real::from(7 * k + i) * 12.9898).sin();
        let place = turned(0.55 * way(0), 0.6 + 0.3 * way(1), 0.5 * way(2), [way(3), way(4), way(5)]);
        let (found, expected) =
            (contacts(&mesh, &Pose::identity(), &mesh, &place), contacts(&hull, &Pose::identity(), &hull, &place));
        assert_eq!(places(&found), places(&expected), "{place:?}");
        for c in &found {
            let there = place.inverse() * c.point_b;
            for (point, feature) in [(c.point_a, c.features.a), (there, c.features.b)] {
                let off = match feature {
                    Feature::Vertex(v) => (indexed.mesh().vertices()[v as usize] - point).norm(),
                    Feature::Edge(e) => {
                        let [p, q] = indexed.edge(e);
                        (point - p).cross(&(q - p).normalize()).norm()
                    }
                    Feature::Face(f) => indexed.face_normals()[f as usize].dot(&(point - indexed.triangle(f)[0])).abs(),
                };
                assert!(off < 1e-9, "{off} m from {feature:?}");
                met[match feature {
                    Feature::Vertex(_) => 0,
                    Feature::Edge(_) => 1,
                    Feature::Face(_) => 2,
                }] += 1;
            }
        }
    }
    assert!(met.iter().all(|&times| times > 10), "{met:?} vertices, edges and faces");
}

proptest! {
    /// Coins, cones and boxes that stand on a face, tilted by next to nothing: the place that is nearest changes along the rim with
    /// every tilt, and what is kept apart by a tenth of the tolerance must not be taken for further apart than it is.
    #[test]
    fn the_nearest_place_is_among_the_contacts_to_a_fiftieth_of_the_tolerance(
        kind in 0..3, size in 0.01..1.0_f64, tilt in prop::array::uniform3(-1.0..1.0_f64), steepness in 1.0..7.0_f64,
        gap in 0.0..1.0_f64, fineness in 3.0..7.0_f64,
    ) {
        let tolerance = 0.1_f64.powf(fineness);
        let floor = Shape::cuboid([3.0, 0.5, 3.0]).unwrap();
        let shape = match kind {
            0 => Shape::cylinder(size, 0.1 * size),
            1 => Shape::cone(size, size),
            _ => Shape::cuboid([size; 3]),
        };
        let shape = shape.unwrap();
        let rotation = Rotation::from_scaled_axis(Vector::from(tilt) * 0.1_f64.powf(steepness));
        let above = Pose::from_parts(Vector::new(0.3, 1.0, -0.2).into(), rotation);
        let lowest = closest(&floor, &Pose::translation(0.0, -3.0, 0.0), &shape, &above).unwrap().distance - 2.5;
        let pose = Pose::from_parts(Vector::new(0.3, 1.0 - lowest + gap * tolerance, -0.2).into(), rotation);
        let below = Pose::translation(0.0, -0.5, 0.0);
        let distance = closest(&floor, &below, &shape, &pose).unwrap().distance;
        let search = ContactSearch { margin: 1e-3, tolerance, reduction: ReductionMethod::Manifold };
        let mut contacts = Vec::new();
        let mut cache = ContactCache::default();
        find_contacts_by((&floor, &below), (&shape, &pose), &search, &mut cache, &mut contacts);
        let least = contacts.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
        prop_assert!((least - distance).abs() <= 2e-2 * tolerance, "{least} for {distance}");
    }
}

/// A cap is as wide as its rim: a small box that lies anywhere on it has all four corners on it, and one that reaches over the rim has
/// contacts where its edges cross it.
#[test]
fn a_box_near_the_rim_of_a_round_cap_has_all_the_contacts_that_it_would_have_in_its_middle() {
    let (radius, half, gap) = (5.0, 0.1, 1e-4);
    let box_ = Shape::cuboid([half; 3]).unwrap();
    for (disc, top) in [(Shape::cylinder(radius, 0.5).unwrap(), 0.5), (Shape::cone(radius, 0.5).unwrap(), -0.5)] {
        let side = Real::signum(top);
        for k in 0..64 {
            let phase = Real::from(k) * 0.1;
            let disc_pose = turned(0.0, 0.0, 0.0, [0.0, phase, 0.0]);
            for (x, over) in [(0.0, false), (4.7, false), (4.88, false), (4.93, true), (5.0, true), (5.05, true)] {
                let box_pose = at(x, top + side * (half + gap), 0.0);
                let mut found = Vec::new();
                find_all_contacts(&disc, &disc_pose, &box_, &box_pose, MARGIN, &mut found);
                let reduced = contacts(&disc, &disc_pose, &box_, &box_pose);
                assert!(reduced.len() >= 3, "{} contacts turned by {phase}", reduced.len());
                for c in found.iter().chain(&reduced) {
                    assert!(
                        (c.separation - gap).abs() < 1e-9 && (c.normal - Vector::y() * side).norm() < 1e-9,
                        "{c:?}"
                    );
                    let place = c.midpoint();
                    assert!(place.x.hypot(place.z) < radius + 1e-9, "{c:?} is beside the cap");
                    assert!(
                        (place.x - x).abs() < half + 1e-9 && place.z.abs() < half + 1e-9,
                        "{c:?} is beside the box"
                    );
                }
                // Its inner corners, and its outer ones or where its sides cross the rim.
                let reach = if over { (radius * radius - half * half).sqrt() } else { x + half };
                for (x, z) in [(x - half, half), (x - half, -half), (reach, half), (reach, -half)] {
                    let is_there =
                        found.iter().any(|c| (c.midpoint() - Point::new(x, c.midpoint().y, z)).norm() < 1e-6);
                    assert!(is_there, "nothing at {x}, {z} of {} contacts turned by {phase}", found.len());
                }
            }
        }
    }
}

/// Two discs that lie on each other share a lens; whatever their turns, it is held at both of its tips.
#[test]
fn two_round_caps_side_by_side_are_held_at_the_tips_of_what_they_share() {
    let (radius, gap) = (1.0, 1e-4);
    let disc = Shape::cylinder(radius, 0.2).unwrap();
    for k in 0..40 {
        let (phase, other) = (Real::from(k) * 0.17, Real::from(k) * 0.29);
        let apart = 1.5;
        let found = contacts(
            &disc,
            &turned(0.0, 0.0, 0.0, [0.0, phase, 0.0]),
            &disc,
            &turned(apart, 0.4 + gap, 0.0, [0.0, other, 0.0]),
        );
        let tip = (radius * radius - 0.25 * apart * apart).sqrt();
        let spans = |sign: Real| found.iter().any(|c| c.midpoint().z * sign > 0.5 * tip);
        assert!(spans(1.0) && spans(-1.0), "{found:?}");
        for c in &found {
            let place = c.midpoint();
            assert!(place.x.hypot(place.z) < radius + 1e-9 && (place.x - apart).hypot(place.z) < radius + 1e-9);
        }
    }
}
