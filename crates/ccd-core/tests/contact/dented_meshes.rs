//! Closed meshes that are convex but for the rounding of their corners, and slivers of which it tilts the planes.

use ccd_core::contact::{
    ContactCache, ContactPoint, ContactSearch, ReductionMethod, find_all_contacts, find_contacts_by,
};
use ccd_core::detection::toc::{Moving, TocOptions, time_of_contact};
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const MARGIN: Real = 1e-3;

/// The nearest number with six digits behind the point.
fn rounded(x: Real) -> Real {
    (x * 1e6).round() / 1e6
}

/// A ball of `rings` times as many quads, whose corners have six digits behind the point, as a mesh and as the hull of its corners.
fn rounded_ball(rings: u32) -> (Shape, Shape) {
    let (vertices, triangles) = corners_of_ball(rings);
    let hull = Shape::convex_hull(&vertices).expect("points in space");
    (Shape::mesh(TriMesh::try_new(vertices, triangles).expect("a ball")).expect("a ball"), hull)
}

/// The same ball with a vertex in each seventh triangle, 1e-5 m beside the middle of one of its sides.
fn ball_of_slivers(rings: u32) -> (Shape, Shape) {
    let (mut vertices, mut triangles) = corners_of_ball(rings);
    for face in (0..triangles.len()).step_by(7) {
        let [a, b, c] = triangles[face];
        let [p, q, r] = [a, b, c].map(|v| vertices[v as usize]);
        let middle = nalgebra::center(&p, &q);
        let inserted = vertices.len() as u32;
        vertices.push((middle + (r - middle).normalize() * 1e-5).map(rounded));
        triangles[face] = [a, b, inserted];
        triangles.extend([[b, c, inserted], [c, a, inserted]]);
    }
    let hull = Shape::convex_hull(&vertices).expect("points in space");
    (Shape::mesh(TriMesh::try_new(vertices, triangles).expect("a ball")).expect("a ball"), hull)
}

fn corners_of_ball(rings: u32) -> (Vec<Point>, Vec<[u32; 3]>) {
    let segments = 2 * rings;
    let place = |ring: u32, segment: u32| {
        let (sin, cos) = (Real::from(ring) * std::f64::consts::PI / Real::from(rings)).sin_cos();
        let (s, c) = (Real::from(segment) * std::f64::consts::TAU / Real::from(segments)).sin_cos();
        Point::new(sin * c, -cos, sin * s).map(rounded)
    };
    let mut vertices = vec![Point::new(0.0, -1.0, 0.0)];
    vertices.extend((1..rings).flat_map(|ring| (0..segments).map(move |segment| place(ring, segment))));
    vertices.push(Point::new(0.0, 1.0, 0.0));
    let (top, next) = (vertices.len() as u32 - 1, |segment: u32| (segment + 1) % segments);
    let at = |ring: u32, segment: u32| 1 + (ring - 1) * segments + segment;
    let mut triangles = Vec::new();
    for segment in 0..segments {
        triangles.push([0, at(1, segment), at(1, next(segment))]);
        triangles.push([top, at(rings - 1, next(segment)), at(rings - 1, segment)]);
        for ring in 1..rings - 1 {
            let [a, b] = [at(ring, segment), at(ring, next(segment))];
            let [c, d] = [at(ring + 1, next(segment)), at(ring + 1, segment)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    (vertices, triangles)
}

fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec<ContactPoint> {
    let search = ContactSearch { margin: MARGIN, tolerance: 1e-4, reduction: ReductionMethod::Manifold };
    let mut found = Vec::new();
    find_contacts_by((a, pose_a), (b, pose_b), &search, &mut ContactCache::default(), &mut found);
    found
}

/// But for the features, whose numbers are the meshes'.
fn is_same(one: &ContactPoint, other: &ContactPoint) -> bool {
    one.point_a == other.point_a && one.point_b == other.point_b && one.normal == other.normal
}

/// Where a solid comes to another that moves along `way` towards it until they are 1e-5 m apart.
fn come_near(a: &Shape, b: &Shape, turned: Rotation, way: Vector) -> Pose {
    let still = RigidMotion::at_rest(Pose::identity());
    let start = Pose::from_parts((-3.0 * way).into(), turned);
    let motion = RigidMotion { linear_velocity: way, ..RigidMotion::at_rest(start) };
    let (options, interval) = (TocOptions { tolerance: 1e-5, ..TocOptions::default() }, TimeInterval::new(0.0, 3.0));
    let found = time_of_contact(Moving::new(a, &still), Moving::new(b, &motion), interval.expect("3 s"), &options);
    motion.pose_at(found.expect("a query").answer.contact().expect("it is in the way").time)
}

#[test]
fn balls_of_rounded_quads_are_dented_and_have_the_contacts_of_their_hulls_by_features_of_the_meshes() {
    // 114 vertices, and so many that their hull alone tells dents.
    for rings in [8, 20] {
        contacts_are_those_of_the_hull(rings);
    }
}

fn contacts_are_those_of_the_hull(rings: u32) {
    let (mesh, hull) = rounded_ball(rings);
    let Shape::Mesh(indexed) = &mesh else { panic!("a mesh") };
    assert!(indexed.is_closed() && indexed.as_convex().is_none() && indexed.as_polyhedron(4e-6).is_some());
    let (still, mut faces) = (Pose::identity(), 0);
    for i in 0..200 {
        let turned = Rotation::new(Vector::new(0.31, 0.17, -0.23) * f64::from(i));
        // Often a face meets the middle of a face.
        let sideways = turned * Vector::new(0.0, 0.98, 0.195).normalize();
        let pose = come_near(&hull, &hull, turned, if i % 2 == 0 { sideways } else { Vector::x() });
        let (of_mesh, of_hull) = (contacts(&mesh, &still, &mesh, &pose), contacts(&hull, &still, &hull, &pose));
        assert!(!of_mesh.is_empty());
        assert_eq!(of_mesh.len(), of_hull.len(), "{i}");
        for c in &of_mesh {
            assert!(of_hull.iter().any(|other| is_same(c, other)), "{i}: the hulls have it, too");
            for (feature, place) in
                [(c.features.a, c.point_a), (c.features.b, pose.inverse_transform_point(&c.point_b))]
            {
                let corners = match feature {
                    Feature::Vertex(v) => vec![indexed.mesh().vertices()[v as usize]],
                    Feature::Edge(e) => indexed.edge(e).to_vec(),
                    Feature::Face(f) => indexed.triangle(f).to_vec(),
                };
                let (is_face, normal) = (corners.len() == 3, indexed.normal_of(feature));
                faces += usize::from(is_face);
                assert!(corners.iter().any(|p| (p - place).norm() < 0.5), "{i}: {feature:?}");
                assert!(!is_face || (place - corners[0]).dot(&normal).abs() < 4e-6, "{i}: {feature:?}");
            }
        }
    }
    assert!(faces > 50, "{faces}");
}

#[test]
fn where_dents_count_contacts_are_those_of_the_triangles() {
    let (mesh, _) = rounded_ball(8);
    let Shape::Mesh(indexed) = &mesh else { panic!("a mesh") };
    let needle = Shape::ball(1e-9).expect("a size");
    // In the middle of each edge that rounding has dented a place is further from the mesh than from its hull.
    let mut deepest: Real = 0.0;
    for edge in 0..indexed.topology().edges().len() as u32 {
        let [p, q] = indexed.edge(edge);
        let outward = indexed.normal_of(Feature::Edge(edge));
        let place = nalgebra::center(&p, &q) + outward * 1e-8;
        let mut found = Vec::new();
        let pose = Pose::translation(place.x, place.y, place.z);
        // The snap distance of so small a margin is a hundred-thousandth of the dents.
        find_all_contacts(&mesh, &Pose::identity(), &needle, &pose, 1e-8, &mut found);
        let nearest = found.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
        assert!((nearest - 9e-9).abs() < 1e-11, "edge {edge}: {nearest:e}");
        let others = indexed.mesh().vertices().iter();
        let above = indexed.topology().faces_of_edge(edge as usize).iter().map(|&face| {
            let normal = indexed.face_normals()[face as usize];
            others.clone().map(|v| (v - p).dot(&normal)).fold(0.0, Real::max)
        });
        deepest = above.fold(deepest, Real::max);
    }
    assert!(deepest > 1e-8, "{deepest:e}");
}

#[test]
fn slivers_that_rounding_tilts_are_no_dents_and_their_balls_have_the_contacts_of_their_hulls() {
    let (mesh, hull) = ball_of_slivers(8);
    let Shape::Mesh(indexed) = &mesh else { panic!("a mesh") };
    let steepest = (0..indexed.mesh().triangles().len() as u32).map(|face| {
        let (normal, start) = (indexed.face_normals()[face as usize], indexed.triangle(face)[0]);
        indexed.mesh().vertices().iter().map(|p| (p - start).dot(&normal)).fold(0.0, Real::max)
    });
    assert!(steepest.fold(0.0, Real::max) > 1e-3, "planes of slivers cut the ball");
    assert!(indexed.is_closed() && indexed.as_polyhedron(1e-6).is_none() && indexed.as_polyhedron(4e-6).is_some());
    let still = Pose::identity();
    for i in 0..200 {
        let turned = Rotation::new(Vector::new(0.31, 0.17, -0.23) * f64::from(i));
        let pose = come_near(&hull, &hull, turned, Vector::x());
        let (of_mesh, of_hull) = (contacts(&mesh, &still, &mesh, &pose), contacts(&hull, &still, &hull, &pose));
        assert!(!of_mesh.is_empty());
        assert_eq!(of_mesh.len(), of_hull.len(), "{i}");
        for c in &of_mesh {
            assert!(of_hull.iter().any(|other| is_same(c, other)), "{i}: the hulls have it, too");
        }
    }
}

#[test]
fn contact_in_time_of_dented_balls_is_on_their_surfaces_and_not_late() {
    for (mesh, hull) in [rounded_ball(8), ball_of_slivers(8)] {
        let Shape::Mesh(indexed) = &mesh else { panic!("a mesh") };
        let still = RigidMotion::at_rest(Pose::identity());
        let options = TocOptions { tolerance: 1e-4, ..TocOptions::default() };
        for i in 0..100 {
            let turned = Rotation::new(Vector::new(0.29, -0.13, 0.37) * f64::from(i));
            let motion = RigidMotion {
                linear_velocity: Vector::new(1.0, 0.002 * f64::from(i), 0.0),
                angular_velocity: Vector::new(0.3, 2.0, -1.0),
                ..RigidMotion::at_rest(Pose::from_parts(Vector::new(-3.0, 0.0, 0.0).into(), turned))
            };
            let interval = || TimeInterval::new(0.0, 3.0).expect("3 s");
            let ask = |shape| {
                let moving = Moving::new(shape, &motion);
                let found = time_of_contact(Moving::new(shape, &still), moving, interval(), &options).expect("a query");
                *found.answer.contact().expect("it is in the way")
            };
            let (of_mesh, of_hull) = (ask(&mesh), ask(&hull));
            // What is within the tolerance of the hulls is so of the meshes a dent later.
            assert!((of_mesh.time - of_hull.time).abs() < 1e-4, "{i}: {} {}", of_mesh.time, of_hull.time);
            assert!(of_mesh.separation > 0.0 && (of_mesh.point_b - of_mesh.point_a).norm() <= 1e-4, "{i}");
            let pose = motion.pose_at(of_mesh.time);
            for place in [of_mesh.point_a, pose.inverse_transform_point(&of_mesh.point_b)] {
                let off = indexed.closest_point(&place, 1.0).expect("it is near").distance;
                assert!(off < 1e-12, "{i}: {off:e} off the surface");
            }
        }
    }
}

#[test]
fn a_dented_ball_rolls_over_a_sheet_of_triangles_and_nothing_is_lost() {
    let corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]].map(|[x, z]| Point::new(x, 0.0, z));
    let sheet = TriMesh::try_new(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).expect("a sheet");
    for (ball, _) in [rounded_ball(8), ball_of_slivers(8)] {
        // The pair's lists of triangles have the sheet's numbers first, whichever of the two comes first in the world.
        for sheet_first in [true, false] {
            let mut world = World::new(WorldSettings::default()).expect("settings");
            let sheet = Shape::mesh(sheet.clone()).expect("a sheet");
            let mut add = |of_sheet: bool| {
                let (kind, shape, height) =
                    if of_sheet { (BodyKind::Static, &sheet, 0.0) } else { (BodyKind::Dynamic, &ball, 1.05) };
                let definition = BodyDefinition {
                    linear_velocity: Vector::x() * (height / 2.0),
                    ..BodyDefinition::new(kind, shape.clone(), Pose::translation(0.0, height, 0.0))
                };
                world.add_body(definition).expect("a body")
            };
            let ids = [add(sheet_first), add(!sheet_first)];
            let ball = ids[usize::from(sheet_first)];
            for _ in 0..120 {
                let report = world.step(1.0 / 60.0).expect("a step");
                assert_eq!(report.time_lost, 0.0);
            }
            let place = world.body(ball).expect("it is there").pose().translation.vector;
            assert!(place.x > 0.5 && (0.97..1.001).contains(&place.y), "{place}");
        }
    }
}
