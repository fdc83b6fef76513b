//! Closed meshes that are convex but for the rounding of their corners.

#![allow(clippy::expect_used, reason = "a model that is refused is a failed test")]

use ccd_core::contact::{
    ContactCache, ContactPoint, ContactSearch, ReductionMethod, find_all_contacts, find_contacts_by,
};
use ccd_core::detection::toc::{Moving, TocOptions, time_of_contact};
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;

const MARGIN: Real = 1e-3;

/// A ball of `rings` times as many quads, whose corners have six digits behind the point, as a mesh and as the hull of its corners.
fn rounded_ball(rings: u32) -> (Shape, Shape) {
    let segments = 2 * rings;
    let rounded = |x: Real| (x * 1e6).round() / 1e6;
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
    let hull = Shape::convex_hull(&vertices).expect("points in space");
    (Shape::mesh(TriMesh::try_new(vertices, triangles).expect("a ball")).expect("a ball"), hull)
}

fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec<ContactPoint> {
    let search = ContactSearch { margin: MARGIN, tolerance: 1e-4, reduction: ReductionMethod::Manifold };
    let mut found = Vec::new();
    find_contacts_by((a, pose_a), (b, pose_b), &search, &mut ContactCache::default(), &mut found);
    found
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
    let (mesh, hull) = rounded_ball(8);
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
            let same = |other: &&ContactPoint| {
                other.point_a == c.point_a && other.point_b == c.point_b && other.normal == c.normal
            };
            assert!(of_hull.iter().any(|other| same(&other)), "{i}: the hulls have it, too");
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
