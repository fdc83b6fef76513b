//! What the indexed mesh promises, against testing every triangle and against closed formulas.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::ops::ControlFlow;

use ccd_core::bounds::IndexedMesh;
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::mesh::triangle::{SegmentTest, closest_point, overlaps_centred_box};
use ccd_core::geometry::mesh::{SurfaceKind, TriMesh};
use ccd_core::geometry::solid::{Segment, Solid};
use ccd_core::math::{Point, Real, Rotation, Vector};
use ccd_core::volume::{Aabb, Obb};
use ccd_scenes::models::{Bullet, Cuboid, Gear, Icosphere, Model, Torus, WarpedPlane};
use proptest::prelude::*;

fn indexed<M: Model>(model: &M) -> IndexedMesh {
    IndexedMesh::new(model.build().unwrap()).unwrap()
}

fn point(reach: Real) -> impl Strategy<Value = Point> {
    prop::array::uniform3(-reach..reach).prop_map(Point::from)
}

/// How often the mesh winds around `p`, from the solid angles of all triangles.
fn winding_by_angles(mesh: &TriMesh, p: &Point) -> Real {
    let solid_angle = |f: usize| {
        let [a, b, c] = mesh.triangle(f).map(|q| q - p);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let over = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        2.0 * a.dot(&b.cross(&c)).atan2(over)
    };
    (0..mesh.triangles().len()).map(solid_angle).sum::<Real>() / (4.0 * std::f64::consts::PI)
}

#[test]
fn an_indexed_mesh_takes_at_most_200_bytes_a_triangle_and_its_tree_100() {
    for mesh in [
        indexed(&Bullet::default()),
        indexed(&Torus::default()),
        indexed(&Gear::default()),
        indexed(&WarpedPlane::default()),
        indexed(&Icosphere { subdivisions: 5, ..Icosphere::default() }),
    ] {
        let triangles = mesh.mesh().triangles().len();
        // All of it: the features are found when first asked for.
        let bare = mesh.size_bytes();
        mesh.surface_features();
        assert!(mesh.size_bytes() > bare);
        let (all, tree) = (mesh.size_bytes() / triangles, mesh.tree().size_bytes() / triangles);
        println!("{triangles} triangles: {all} bytes each, {tree} of them the tree's");
        assert!(all <= 200 && tree <= 100);
    }
}

#[test]
fn every_segment_from_inside_to_a_vertex_or_an_edge_or_beyond_meets_the_surface() {
    // Through vertices and edges a test that trusts rounding slips; seen from many places inside.
    let mesh = indexed(&Bullet::default());
    let inner = [Point::origin(), Point::new(1e-3, 0.004, -2e-3), Point::new(-0.0007, -0.011, 0.0023)];
    let middles = mesh.topology().edges().iter().zip(0..).map(|(_, e)| {
        let [p, q] = mesh.edge(e);
        middle(&p, &q)
    });
    let targets: Vec<Point> = mesh.mesh().vertices().iter().copied().chain(middles).collect();
    for start in inner {
        assert!(mesh.contains(&start));
        for target in &targets {
            let end = start + (target - start) * 2.0;
            let test = SegmentTest::new(&Segment { start, end });
            let met = mesh.tree().cast_segment(&Segment { start, end }, |f| test.fraction(&mesh.triangle(f)));
            let (fraction, _) = met.unwrap();
            assert!((fraction - 0.5).abs() < 1e-9, "{target}: {fraction}");
            // From outside through the same place, too: the surface is met at or before it.
            let back = mesh.cast_segment(&Segment { start: end, end: start }).unwrap();
            assert!(back.fraction <= 0.5 + 1e-9 && back.normal.dot(&(start - end)) < 1e-9);
        }
    }
}

fn middle(p: &Point, q: &Point) -> Point {
    Point::from((p.coords + q.coords) * 0.5)
}

#[test]
fn a_sheet_is_met_from_both_sides_with_the_normal_facing_the_start_and_let_through_its_hole() {
    let sheet = indexed(&WarpedPlane::default());
    assert_eq!((sheet.is_closed(), sheet.surface_kind()), (false, SurfaceKind::Soup));
    for (x, z) in [(1.0, 0.3), (-0.7, 0.9), (0.2, -1.4), (0.34, 0.0)] {
        for side in [1.0, -1.0] {
            let segment = Segment { start: Point::new(x, 5.0 * side, z), end: Point::new(x, -5.0 * side, z) };
            let hit = sheet.cast_segment(&segment).unwrap();
            assert!(hit.normal.y * side > 0.9);
            assert!((hit.point.y - WarpedPlane::default().height(x, z)).abs() < 0.01);
            assert!(matches!(hit.feature, Feature::Face(_)));
        }
    }
    for (x, z) in [(0.0, 0.0), (0.2, 0.25), (-0.32, 0.0), (1.6, 0.0)] {
        assert_eq!(sheet.cast_segment(&Segment { start: Point::new(x, 5.0, z), end: Point::new(x, -5.0, z) }), None);
    }
    assert!(!sheet.contains(&Point::new(0.5, 0.0, 0.5)));
}

#[test]
fn a_segment_in_the_plane_of_an_open_sheet_meets_its_edge() {
    let square = TriMesh::try_new(
        vec![Point::origin(), Point::new(1.0, 0.0, 0.0), Point::new(1.0, 0.0, 1.0), Point::new(0.0, 0.0, 1.0)],
        vec![[0, 1, 2], [0, 2, 3]],
    );
    let sheet = IndexedMesh::new(square.unwrap()).unwrap();
    let hit = sheet.cast_segment(&Segment { start: Point::new(-1.0, 0.0, 0.25), end: Point::new(3.0, 0.0, 0.25) });
    assert_eq!(hit.unwrap().point, Point::new(0.0, 0.0, 0.25));
}

#[test]
fn a_segment_that_starts_inside_is_met_at_once_with_the_nearest_surface() {
    let cube = indexed(&Cuboid::default());
    let segment = Segment { start: Point::new(0.1, 0.4, 0.2), end: Point::new(9.0, 0.4, 0.2) };
    let hit = cube.cast_segment(&segment).unwrap();
    assert_eq!((hit.fraction, hit.point, hit.normal), (0.0, segment.start, Vector::y()));
}

#[test]
fn a_box_within_a_solid_overlaps_it_and_one_within_its_hole_does_not() {
    let gear = indexed(&Gear::default());
    let small = |x: Real| Obb {
        centre: Point::new(x, 0.0, 0.0),
        axes: Rotation::from_euler_angles(0.3, 0.5, 0.7).to_rotation_matrix().into_inner(),
        half_extents: Vector::repeat(0.02),
    };
    assert!(gear.overlaps_obb(&small(0.25)), "between bore and teeth");
    assert!(!gear.overlaps_obb(&small(0.0)), "in the bore");
    assert!(gear.overlaps_obb(&small(0.12)), "on the bore's wall");
    assert!(!gear.overlaps_obb(&small(0.6)), "outside");
}

#[test]
fn a_solid_inside_out_has_no_inside_until_it_is_flipped() {
    let mesh = Icosphere::default().build().unwrap().flipped();
    let turned = IndexedMesh::new(mesh.clone()).unwrap();
    assert_eq!((turned.surface_kind(), turned.contains(&Point::origin())), (SurfaceKind::InsideOut, false));
    assert!(IndexedMesh::new(mesh.flipped()).unwrap().contains(&Point::origin()));
}

proptest! {
    #[test]
    fn the_inside_is_where_the_solid_angles_say(p in point(0.6), coarse in prop::array::uniform3(-5..=5_i32)) {
        let gear = indexed(&Gear::default());
        // Random places, and places in line with the gear's own vertices and edges, off its flat sides.
        for p in [p, Point::from(Vector::from(coarse.map(Real::from)).component_mul(&Vector::new(0.1, 0.07, 0.1)))] {
            let winding = winding_by_angles(gear.mesh(), &p);
            prop_assume!((winding - winding.round()).abs() < 1e-6);
            prop_assert_eq!(gear.contains(&p), winding.round() == 1.0, "{} winds {}", p, winding);
        }
    }

    #[test]
    fn places_in_line_with_vertices_are_told_apart(vertex in 0..1000_usize, below in 0.0..2.0_f64) {
        let torus = indexed(&Torus::default());
        let p = torus.mesh().vertices()[vertex] - Vector::z() * below;
        let winding = winding_by_angles(torus.mesh(), &p);
        prop_assume!((winding - winding.round()).abs() < 1e-6 && below > 1e-9);
        prop_assert_eq!(torus.contains(&p), winding.round() == 1.0);
    }

    #[test]
    fn the_closest_point_and_the_signed_distance_are_those_of_all_triangles(p in point(2.0)) {
        let options = Torus::default();
        let torus = indexed(&options);
        let all = (0..2000).map(|f| (closest_point(&torus.triangle(f), &p).0 - p).norm()).fold(Real::INFINITY, Real::min);
        let closest = torus.closest_point(&p, Real::INFINITY).unwrap();
        prop_assert_eq!(closest.distance, all);
        prop_assert!(torus.closest_point(&p, all * 0.999).is_none() || all == 0.0);
        let exact = (p.x.hypot(p.z) - options.major_radius).hypot(p.y) - options.minor_radius;
        prop_assert!((torus.signed_distance(&p) - exact).abs() < 0.01);
        let bound = torus.distance_bound(&p);
        let lowest = if torus.contains(&p) { 0.0 } else { all - 1e-12 };
        prop_assert!(lowest <= bound && bound <= all);
        // The pseudonormal of the closest feature tells the side as well.
        let side = torus.normal_of(closest.feature).dot(&(p - closest.point));
        prop_assert!(closest.distance < 1e-9 || (side < 0.0) == torus.contains(&p));
    }

    #[test]
    fn the_first_hit_is_that_of_all_triangles(start in point(2.0), end in point(2.0)) {
        let torus = indexed(&Torus::default());
        let segment = Segment { start, end };
        let test = SegmentTest::new(&segment);
        let all = (0..2000).filter_map(|f| test.fraction(&torus.triangle(f))).fold(Real::INFINITY, Real::min);
        let expected = if torus.contains(&start) { 0.0 } else { all };
        match torus.cast_segment(&segment) {
            Some(hit) => {
                prop_assert_eq!(hit.fraction, expected);
                prop_assert!((hit.normal.norm() - 1.0).abs() < 1e-12);
            }
            None => prop_assert_eq!(expected, Real::INFINITY),
        }
    }

    #[test]
    fn box_queries_are_those_of_all_triangles(
        centre in point(1.5), half in prop::array::uniform3(0.01..0.5_f64), turn in prop::array::uniform3(-3.0..3.0_f64),
    ) {
        let torus = indexed(&Torus::default());
        let axes = Rotation::from_scaled_axis(Vector::from(turn)).to_rotation_matrix().into_inner();
        let obb = Obb { centre, axes, half_extents: Vector::from(half) };
        let mut found = Vec::new();
        let _ = torus.visit_triangles_in_obb(&obb, |f| { found.push(f); ControlFlow::Continue(()) });
        found.sort_unstable();
        let in_frame = |f: u32| torus.triangle(f).map(|p| axes.transpose() * (p - centre));
        let all: Vec<u32> = (0..2000).filter(|&f| overlaps_centred_box(&in_frame(f), &obb.half_extents)).collect();
        prop_assert_eq!(&found, &all);
        prop_assert_eq!(torus.overlaps_obb(&obb), !all.is_empty() || torus.contains(&centre));

        let aabb = Aabb::from_half_extents(centre, Vector::from(half));
        let mut found = Vec::new();
        let _ = torus.visit_triangles_near(&aabb, |f| { found.push(f); ControlFlow::Continue(()) });
        found.sort_unstable();
        let all: Vec<u32> = (0..2000).filter(|&f| Aabb::from_points(&torus.triangle(f)).overlaps(&aabb)).collect();
        prop_assert_eq!(found, all);
    }
}
