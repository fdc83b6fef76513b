//! Solids that fall into several parts, of which one is inside something else whose surface nothing touches.

use ccd_core::detection::closest::{closest, overlap};
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::field::Operation;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::parametric::{BezierPatch, PatchSurface};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;

use crate::common::models::{Triangles, box_mesh, box_triangles, l_prism, mesh};
use crate::common::patches::pillow;
use crate::common::random::Random;

/// Boxes by their half extents and places along x, as one mesh.
fn boxes(of: &[(Real, Real)]) -> Shape {
    let (mut vertices, mut triangles): Triangles = Default::default();
    for &(half, x) in of {
        let (corners, faces) = box_triangles([half; 3]);
        let base = vertices.len() as u32;
        vertices.extend(corners.into_iter().map(|p| p + Vector::x() * x));
        triangles.extend(faces.into_iter().map(|t| t.map(|v| v + base)));
    }
    mesh((vertices, triangles))
}

/// The same without any vertex in common.
fn unwelded(shape: &Shape) -> Shape {
    let Shape::Mesh(mesh) = shape else { panic!("a mesh") };
    let corners = mesh.mesh().triangles().iter().flatten().map(|&v| mesh.mesh().vertices()[v as usize]);
    let triangles = (0..mesh.mesh().triangles().len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
    Shape::mesh(TriMesh::try_new(corners.collect(), triangles.collect()).unwrap()).unwrap()
}

/// Pillows by their half extents and places along x, as one surface of patches.
fn pillows(of: &[(Real, Real)]) -> Shape {
    let moved = |patch: &BezierPatch, x: Real| {
        let control: Vec<Point> = patch.control().iter().map(|p| p + Vector::x() * x).collect();
        BezierPatch::new(control.try_into().unwrap())
    };
    let patches = of.iter().flat_map(|&(half, x)| {
        pillow([half; 3], 0.1).patches().iter().map(|patch| moved(patch, x)).collect::<Vec<_>>()
    });
    Shape::patches(PatchSurface::new(patches.collect()).unwrap())
}

/// Boxes by half extents and place along x.
fn cut(operation: Operation, of: &[([Real; 3], Real)]) -> Shape {
    let part = |&(half, x): &([Real; 3], Real)| (Shape::cuboid(half).unwrap(), Pose::translation(x, 0.0, 0.0));
    Shape::csg(operation, &of.iter().map(part).collect::<Vec<_>>()).unwrap()
}

/// Asked both ways round, whether they overlap; all questions have to agree.
fn overlaps(a: &Shape, b: &Shape, b_in_a: &Pose, what: &str) -> bool {
    let home = Pose::identity();
    let ask = |a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose| {
        let motions = [pose_a, pose_b].map(|pose| RigidMotion::at_rest(*pose));
        let moving = [Moving::new(a, &motions[0]), Moving::new(b, &motions[1])];
        let second = TimeInterval::new(0.0, 1.0).unwrap();
        let by_time = match time_of_contact(moving[0], moving[1], second, &TocOptions::default()).unwrap().answer {
            Toc::Overlapping(_) => true,
            Toc::Separated => false,
            other => panic!("{what}: {other:?}"),
        };
        let by_distance = closest(a, pose_a, b, pose_b).unwrap().distance < 0.0;
        let by_overlap = overlap(a, pose_a, b, pose_b);
        assert_eq!([by_time, by_distance], [by_overlap; 2], "{what}: by time, distance; overlap");
        by_overlap
    };
    let found = ask(a, &home, b, b_in_a);
    assert_eq!(ask(b, b_in_a, a, &home), found, "{what}: the other way round");
    found
}

#[test]
fn a_part_inside_another_solid_is_an_overlap_whichever_part_comes_first() {
    // Each holds what is within 0.4 m of its origin.
    let l = |at: [Real; 3]| {
        let (vertices, triangles) = l_prism(3.0, 3.0, 3.0);
        mesh((vertices.into_iter().map(|p| p + Vector::from(at)).collect(), triangles))
    };
    let holders = [
        ("box", box_mesh([1.0; 3])),
        ("prism", l([1.95, 1.95, 0.0])),
        ("pillow", pillows(&[(1.0, 0.0)])),
        ("two boxes", boxes(&[(0.7, -9.0), (1.0, 0.0)])),
    ];
    // Each has a part within 0.4 m of its origin, and one more than 4 m away from it.
    let cutter = ([2.0, 1.0, 1.0], 2.5);
    let inner = [
        ("boxes, the inner first", boxes(&[(0.3, 0.0), (0.5, 5.0)])),
        ("boxes, the outer first", boxes(&[(0.5, 5.0), (0.3, 0.0)])),
        ("boxes without common vertices", unwelded(&boxes(&[(0.5, 5.0), (0.3, 0.0)]))),
        ("pillows, the inner first", pillows(&[(0.3, 0.0), (0.5, 5.0)])),
        ("pillows, the outer first", pillows(&[(0.5, 5.0), (0.3, 0.0)])),
        ("a bar that is cut through", cut(Operation::Difference, &[([2.6, 0.2, 0.2], 2.5), cutter])),
        ("a union with a torus", {
            let ring = (Shape::torus(0.25, 0.1).unwrap(), Pose::identity());
            let block = (Shape::cuboid([0.5; 3]).unwrap(), Pose::translation(5.0, 0.0, 0.0));
            Shape::csg(Operation::Union, &[block, ring]).unwrap()
        }),
        ("a union, the inner first", cut(Operation::Union, &[([0.3; 3], 0.0), ([0.5; 3], 5.0)])),
        ("a union, the outer first", cut(Operation::Union, &[([0.5; 3], 5.0), ([0.3; 3], 0.0)])),
    ];
    for (holder_name, holder) in &holders {
        for (name, parts) in &inner {
            let what = format!("{name} in {holder_name}");
            assert!(overlaps(holder, parts, &Pose::identity(), &what), "{what}");
            let beside = Pose::translation(0.0, 0.0, 9.0);
            assert!(!overlaps(holder, parts, &beside, &what), "{what}, beside it");
        }
    }
}

#[test]
fn what_is_in_the_hollow_of_a_solid_is_not_in_the_solid() {
    let (vertices, triangles) = box_triangles([1.0; 3]);
    let (hollow, faces) = box_triangles([0.8; 3]);
    let turned = faces.into_iter().map(|[u, v, w]| [u + 8, w + 8, v + 8]);
    let shell = mesh((vertices.into_iter().chain(hollow).collect(), triangles.into_iter().chain(turned).collect()));
    let parts = boxes(&[(0.5, 5.0), (0.3, 0.0)]);
    assert!(!overlaps(&shell, &parts, &Pose::identity(), "in the hollow"));
    assert!(overlaps(&shell, &boxes(&[(0.5, 5.0), (0.05, 0.9)]), &Pose::identity(), "in the wall"));
}

#[test]
fn at_the_start_the_part_is_told_that_is_deepest_whichever_comes_first() {
    let ball = |x: Real, gap: Real| (Pose::translation(x, 0.5 + gap, 0.0), Shape::ball(0.5).unwrap());
    let floors = [Shape::half_space(Vector::y()).unwrap(), Shape::cuboid([5.0, 1.0, 5.0]).unwrap()];
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    let options = TocOptions { tolerance: 1e-4, ..TocOptions::default() };
    for floor in &floors {
        let floor_at = RigidMotion::at_rest(Pose::translation(0.0, if floor.is_bounded() { -1.0 } else { 0.0 }, 0.0));
        for (near, nearest) in [(5e-5, -0.1), (5e-5, 1e-6)] {
            let parts = [ball(-1.0, near), ball(1.0, nearest)];
            for order in [[0, 1], [1, 0]] {
                let balls = Shape::compound(order.map(|k| parts[k].clone())).unwrap();
                let motion = RigidMotion::at_rest(Pose::identity());
                let (a, b) = (Moving::new(floor, &floor_at), Moving::new(&balls, &motion));
                let found = time_of_contact(a, b, interval, &options).unwrap().answer;
                let Toc::Overlapping(contact) = found else { panic!("{found:?}") };
                let off = contact.separation - nearest;
                assert!(off.abs() < 1e-9, "{} instead of {nearest}, in the order {order:?}", contact.separation);
            }
        }
    }
}

/// A millionth of a micrometre deep rounding tells what leads out.
#[test]
fn a_part_that_is_hardly_deep_is_pushed_out_as_it_is_by_itself() {
    let mut random = Random(73);
    let solids = [
        Shape::cuboid([0.4, 0.2, 0.7]).unwrap(),
        Shape::ball(0.3).unwrap(),
        Shape::capsule(0.2, 0.5).unwrap(),
        Shape::half_space(Vector::new(0.6, 0.8, 0.0)).unwrap(),
    ];
    for (k, depth) in (0..400).zip([1e-13, 1e-12, 1e-10, 1e-8, 1e-6].into_iter().cycle()) {
        let (ground, part) = (&solids[k % 4], &solids[random.below(3)]);
        let pose_a = Pose::from_parts(Vector::zeros().into(), random.rotation());
        let mut pose_b = Pose::from_parts((random.direction() * 3.0).into(), random.rotation());
        let apart = closest(ground, &pose_a, part, &pose_b).unwrap();
        pose_b.translation.vector -= apart.normal * (apart.distance + depth);
        let bare = closest(ground, &pose_a, part, &pose_b).unwrap();
        let held = Pose::from_parts(Vector::new(0.1, -0.2, 0.3).into(), Rotation::identity());
        let compound = Shape::compound([(held, part.clone())]).unwrap();
        let found = closest(ground, &pose_a, &compound, &(pose_b * held.inverse())).unwrap();
        let told = format!("{} on {}, {depth} m deep", part.as_solid().kind(), ground.as_solid().kind());
        assert!((found.normal - bare.normal).norm() < 1e-4, "{told}: {} and {}", found.normal, bare.normal);
        assert!((found.distance - bare.distance).abs() < 1e-14, "{told}: {:e}", found.distance - bare.distance);
    }
}
