//! What the hull and its queries promise.

use proptest::prelude::*;

use super::{ConvexPolyhedron, HullError};
use crate::geometry::feature::Feature;
use crate::geometry::solid::{Segment, Solid, SupportMap};
use crate::math::{Matrix, Point, Real, Rotation, Vector};
use crate::volume::Obb;

fn vector(size: Real) -> impl Strategy<Value = Vector> {
    [-size..size, -size..size, -size..size].prop_map(Vector::from)
}

fn points(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Point>> {
    prop::collection::vec(vector(1.0).prop_map(Point::from), count)
}

/// Evenly spread points on the unit sphere (Fibonacci).
fn sphere(count: usize) -> Vec<Point> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..count)
        .map(|i| {
            let y = 1.0 - 2.0 * (i as Real + 0.5) / count as Real;
            let (s, c) = (golden * i as Real).sin_cos();
            let r = (1.0 - y * y).sqrt();
            Point::new(r * c, y, r * s)
        })
        .collect()
}

fn grid(n: i32) -> Vec<Point> {
    let range = move || (0..=n).map(Real::from);
    range().flat_map(|x| range().flat_map(move |y| range().map(move |z| Point::new(x, y, z)))).collect()
}

/// Closed, convex, every point held, every cross reference right.
fn assert_valid(hull: &ConvexPolyhedron, points: &[Point], tolerance: Real) {
    let (v, e, f) = (hull.vertices().len(), hull.edges().len(), hull.face_count());
    assert_eq!(v + f, e + 2, "Euler");
    for plane in hull.planes() {
        assert!((plane.normal.norm() - 1.0).abs() < 1e-12);
        for p in points {
            let height = plane.normal.dot(&p.coords) - plane.offset;
            assert!(height <= tolerance, "a point is {height:e} outside");
        }
    }
    for face in 0..f {
        let (rim, edges) = (hull.face_vertices(face), hull.face_edges(face));
        assert!(rim.len() >= 3);
        for k in 0..rim.len() {
            let (from, to) = (rim[k], rim[(k + 1) % rim.len()]);
            let edge = hull.edges()[edges[k] as usize];
            assert_eq!(edge.vertices, [from.min(to), from.max(to)]);
            assert_eq!(edge.faces[usize::from(from > to)], face as u32);
            assert_eq!(hull.edge_between(from, to), Some(edges[k]));
        }
    }
    for (i, p) in hull.vertices().iter().enumerate() {
        assert!(points.contains(p));
        assert!(hull.neighbours(i).len() >= 3);
    }
}

fn highest(hull: &ConvexPolyhedron, direction: &Vector) -> Real {
    hull.vertices().iter().map(|p| p.coords.dot(direction)).fold(Real::NEG_INFINITY, Real::max)
}

#[test]
fn no_vertex_is_outside_the_triangulated_boundary_to_the_last_bit_and_its_features_have_names() {
    for turn in [Rotation::identity(), Rotation::from_euler_angles(0.3, -1.1, 2.0)] {
        for points in [grid(3), sphere(80)] {
            let hull = ConvexPolyhedron::from_points(&points.iter().map(|p| turn * p).collect::<Vec<_>>()).unwrap();
            let boundary = hull.voronoi();
            let place = |v: u32| hull.vertices()[v as usize];
            for (i, face) in boundary.faces.iter().enumerate() {
                let [a, b, c] = face.vertices.map(|v| crate::geometry::mesh::triangle::coord(place(v)));
                for p in hull.vertices() {
                    let side = robust::orient3d(a, b, c, crate::geometry::mesh::triangle::coord(*p));
                    assert!(side >= 0.0, "outside by {side:e}");
                }
                let Feature::Face(name) = boundary.name(Feature::Face(i as u32)) else { panic!("a face is a face") };
                let rim = hull.face_vertices(name as usize);
                assert!(face.vertices.iter().all(|v| rim.contains(v)));
            }
            for (i, edge) in boundary.edges.iter().enumerate() {
                let [tail, head] = edge.vertices;
                match boundary.name(Feature::Edge(i as u32)) {
                    Feature::Edge(e) => assert_eq!(hull.edges()[e as usize].vertices, [tail, head]),
                    Feature::Face(f) => assert!(hull.face_vertices(f as usize).contains(&tail)),
                    Feature::Vertex(_) => panic!("an edge is no vertex"),
                }
            }
            let (v, e, f) = (hull.vertices().len(), boundary.edges.len(), boundary.faces.len());
            assert_eq!((v + f, 3 * f), (e + 2, 2 * e));
        }
    }
}

#[test]
fn grid_of_points_is_a_box_of_six_faces_also_when_rotation_has_rounded_it() {
    for turn in [Rotation::identity(), Rotation::from_euler_angles(0.3, -1.1, 2.0)] {
        let points: Vec<Point> = grid(6).iter().map(|p| turn * p + Vector::new(5.0, -3.0, 8.0)).collect();
        let hull = ConvexPolyhedron::from_points(&points).unwrap();
        assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (8, 12, 6));
        assert_valid(&hull, &points, 1e-12);
    }
}

#[test]
fn prism_has_one_face_a_cap_and_a_side() {
    let turn = Rotation::from_euler_angles(0.7, 0.2, -0.4);
    let points: Vec<Point> = (0..128)
        .map(|i| {
            let (s, c) = (std::f64::consts::TAU * Real::from(i / 2) / 64.0).sin_cos();
            turn * Point::new(c, Real::from(i % 2), s)
        })
        .collect();
    let hull = ConvexPolyhedron::from_points(&points).unwrap();
    assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (128, 192, 66));
    assert_valid(&hull, &points, 1e-12);
}

#[test]
fn points_without_a_volume_are_refused_with_the_reason() {
    let error = |points: &[Point]| ConvexPolyhedron::from_points(points).unwrap_err();
    let at = |t: Real, u: Real| Point::new(1.0 + t, 2.0 - t + u, 3.0 * t + u);
    assert_eq!(error(&[Point::origin(); 3]), HullError::TooFewPoints { count: 3 });
    assert!(matches!(error(&[at(1.0, 2.0); 7]), HullError::Coincident { .. }));
    assert!(matches!(error(&[0.0, 0.1, 0.7, 1.0].map(|t| at(t, 0.0))), HullError::Collinear { .. }));
    let plane: Vec<Point> = (0..25).map(|i| at(Real::from(i / 5), 0.3 * Real::from(i % 5))).collect();
    assert!(matches!(error(&plane), HullError::Coplanar { .. }));
    let mut nan = grid(1);
    nan[5].y = Real::NAN;
    assert_eq!(error(&nan), HullError::NonFinite { point: 5 });
    nan[5].y = 1e40;
    assert_eq!(error(&nan), HullError::TooFar { point: 5 });
}

#[test]
fn vertices_of_a_box_span_its_vertices_edges_and_faces() {
    let hull = ConvexPolyhedron::from_points(&grid(1)).unwrap();
    for face in 0..6 {
        let rim = hull.face_vertices(face);
        assert_eq!(hull.feature_of(&rim[..1]), Feature::Vertex(rim[0]));
        assert_eq!(hull.feature_of(&rim[..2]), Feature::Edge(hull.face_edges(face)[0]));
        assert_eq!(hull.feature_of(&[rim[0], rim[2]]), Feature::Face(face as u32));
        assert_eq!(hull.feature_of(&rim[1..4]), Feature::Face(face as u32));
        let mut polygon = Vec::new();
        let normal = hull.planes()[face].normal;
        assert_eq!(hull.support_face(&normal, &mut polygon), Feature::Face(face as u32));
        assert_eq!(polygon.len(), 4);
        assert!((polygon[1] - polygon[0]).cross(&(polygon[2] - polygon[1])).dot(&normal) > 0.0);
    }
    assert_eq!(hull.feature_of(&[7, 7, 7]), Feature::Vertex(7));
    assert!(matches!(hull.feature_of(&[]), Feature::Vertex(_)));
    assert!(matches!(hull.feature_of(&[u32::MAX, 99]), Feature::Vertex(_)));
}

#[test]
fn climb_finds_the_highest_vertex_from_every_start() {
    // A sphere cut flat at the top: a plateau of many corners.
    let mut points = sphere(400);
    for p in &mut points {
        p.y = p.y.min(0.8);
    }
    let hull = ConvexPolyhedron::from_points(&points).unwrap();
    assert!(hull.vertices().len() > 300);
    let directions = sphere(60).into_iter().map(|p| p.coords).chain([Vector::y(), -Vector::y(), Vector::x()]);
    for direction in directions {
        let best = highest(&hull, &direction);
        for hint in (0..hull.vertices().len() as u32).chain([u32::MAX]) {
            let found = hull.support(&direction, hint);
            assert!(best - direction.dot(&found.point.coords) <= 4.0 * Real::EPSILON);
            assert_eq!(hull.vertices()[found.vertex as usize], found.point);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn hull_of_any_points_is_valid_and_holds_them(points in points(4..120), flat in 0.0..1.0_f64) {
        let points: Vec<Point> = points.iter().map(|p| Point::new(p.x, p.y, p.z * flat)).collect();
        let Ok(hull) = ConvexPolyhedron::from_points(&points) else { return Err(TestCaseError::reject("flat")) };
        assert_valid(&hull, &points, 4e-11);
    }

    /// Points a few roundings apart, on a lattice: the input that breaks hulls built on tolerances.
    #[test]
    fn hull_of_nearly_coincident_and_coplanar_points_is_valid(
        points in prop::collection::vec(([0..4_i32, 0..4, 0..4], vector(1.0)), 8..80),
        exponent in 8..17_i32,
        turn in vector(3.0),
    ) {
        let turn = Rotation::from_scaled_axis(turn);
        let noise = 10.0_f64.powi(-exponent);
        let points: Vec<Point> = points
            .iter()
            .map(|([x, y, z], n)| turn * Point::new(Real::from(*x), Real::from(*y), Real::from(*z)) + n * noise)
            .collect();
        let Ok(hull) = ConvexPolyhedron::from_points(&points) else { return Err(TestCaseError::reject("flat")) };
        assert_valid(&hull, &points, 4e-10);
    }

    #[test]
    fn support_is_the_highest_vertex(points in points(30..200), direction in vector(1.0), hint in any::<u32>()) {
        let hull = ConvexPolyhedron::from_points(&points).unwrap();
        let found = hull.support(&direction, hint);
        prop_assert!(highest(&hull, &direction) - direction.dot(&found.point.coords) <= 1e-15);
    }

    #[test]
    fn box_query_agrees_with_the_segments_and_points_inside_it(
        points in points(6..40), centre in vector(2.0), turn in vector(3.0), half in vector(0.6),
    ) {
        let Ok(hull) = ConvexPolyhedron::from_points(&points) else { return Err(TestCaseError::reject("flat")) };
        let axes: Matrix = Rotation::from_scaled_axis(turn).to_rotation_matrix().into_inner();
        let obb = Obb { centre: centre.into(), axes, half_extents: half.abs() };
        let found = hull.overlaps_obb(&obb);
        // Diagonals and edges of the box that meet the hull, and hull vertices in the box, prove overlap.
        let corners = obb.corners();
        let met = (0..8).any(|i| (0..i).any(|j| {
            hull.cast_segment(&Segment { start: corners[i], end: corners[j] }).is_some()
        }));
        prop_assert!(found || !met);
        // A separating direction proves the opposite.
        let apart = |n: &Vector| {
            let lowest = -highest(&hull, &-n);
            let highest_of_box = n.dot(&obb.centre.coords) + obb.radius_along(n);
            let lowest_of_box = n.dot(&obb.centre.coords) - obb.radius_along(n);
            lowest > highest_of_box + 1e-9 || highest(&hull, n) < lowest_of_box - 1e-9
        };
        let edges = hull.edges().iter().map(|e| {
            let [a, b] = e.vertices.map(|v| hull.vertices()[v as usize]);
            (b - a).normalize()
        });
        let crossed = edges.flat_map(|e| (0..3).filter_map(move |k| e.cross(&axes.column(k).into_owned()).try_normalize(1e-6)));
        let mut axes_to_try = (0..3).map(|k| axes.column(k).into_owned()).chain(hull.planes().iter().map(|p| p.normal)).chain(crossed);
        prop_assert!(!found || !axes_to_try.any(|n| apart(&n)));
    }

    #[test]
    fn segment_stops_where_it_enters(points in points(6..60), from in vector(3.0), to in vector(3.0)) {
        let hull = ConvexPolyhedron::from_points(&points).unwrap();
        let depth = |p: &Point| hull.planes().iter().map(|q| q.normal.dot(&p.coords) - q.offset).fold(Real::NEG_INFINITY, Real::max);
        let segment = Segment { start: from.into(), end: to.into() };
        let at = |t: Real| segment.start + (segment.end - segment.start) * t;
        match hull.cast_segment(&segment) {
            Some(hit) => {
                prop_assert!((hit.point - at(hit.fraction)).norm() < 1e-12);
                if hit.fraction > 0.0 {
                    prop_assert!(depth(&hit.point).abs() < 1e-9);
                    prop_assert!(hit.normal.dot(&(segment.end - segment.start)) <= 0.0);
                } else {
                    prop_assert!(depth(&segment.start) <= 1e-12);
                }
                for i in 0..50 {
                    prop_assert!(depth(&at(hit.fraction * Real::from(i) / 50.0)) >= -1e-9 || hit.fraction == 0.0);
                }
            }
            None => for i in 0..=200 {
                prop_assert!(depth(&at(Real::from(i) / 200.0)) >= -1e-9);
            },
        }
    }
}

#[test]
fn every_direction_has_a_start_near_its_highest_vertex() {
    let hull = ConvexPolyhedron::from_points(&sphere(600)).unwrap();
    for direction in
        sphere(500).into_iter().map(|p| p.coords).chain([Vector::new(1.0, 1.0, 1.0), Vector::new(-1.0, 1.0, 1.0)])
    {
        let cell = super::solid::start_cell(&direction, hull.starts_side);
        let start = hull.vertices()[hull.starts[cell] as usize];
        // Cells are a tenth of a cube's face wide.
        assert!(start.coords.dot(&direction.normalize()) > 0.95);
    }
}

#[test]
fn the_face_found_towards_a_direction_is_nearer_than_those_around_the_farthest_vertex_and_of_a_round_solid_the_nearest()
{
    for stretch in [1.0, 3.0, 0.2] {
        let points: Vec<Point> = sphere(600).iter().map(|p| Point::new(p.x, p.y, stretch * p.z)).collect();
        let hull = ConvexPolyhedron::from_points(&points).unwrap();
        for direction in sphere(500).iter().map(|p| p.coords) {
            let along = |face: usize| hull.planes()[face].normal.dot(&direction);
            let found = along(hull.face_towards(&direction));
            let farthest = hull.support(&direction, u32::MAX).vertex;
            let touches = |face: &usize| stretch >= 1.0 || hull.face_vertices(*face).contains(&farthest);
            assert!((0..hull.face_count()).filter(touches).all(|face| along(face) <= found), "{stretch} {direction}");
        }
    }
}

#[test]
fn the_faces_where_a_hull_is_furthest_are_those_that_hold_the_place_each_once() {
    for points in [grid(1), sphere(60), sphere(12).into_iter().chain([Point::new(0.0, 3.0, 0.0)]).collect()] {
        let hull = ConvexPolyhedron::from_points(&points).unwrap();
        for direction in sphere(200) {
            let place = hull.support(&direction.coords, 0).point;
            let mut normals = Vec::new();
            hull.each_face_at(&direction.coords, &mut |normal| normals.push(normal));
            let holds = |face: &usize| hull.face_corners(*face).contains(&place);
            let expected: Vec<Vector> = (0..hull.face_count()).filter(holds).map(|f| hull.planes()[f].normal).collect();
            assert!(normals.len() == expected.len() && expected.iter().all(|normal| normals.contains(normal)));
        }
    }
}
