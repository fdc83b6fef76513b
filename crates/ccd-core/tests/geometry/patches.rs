//! Surfaces of Bézier patches: held against boxes that they are, against finely sampled triangles, and against formulas.

use ccd_core::bounds::IndexedPatches;
use ccd_core::detection::closest::{closest, closest_within};
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::field::Operation;
use ccd_core::geometry::mass::{MassKind, MassProperties};
use ccd_core::geometry::mesh::{SurfaceKind, TriMesh};
use ccd_core::geometry::parametric::{BezierPatch, PatchError, PatchSurface};
use ccd_core::geometry::solid::{Segment, Solid};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::volume::Obb;
use proptest::prelude::*;

use crate::common::brute::{Brute, Piece, gap};
use crate::common::patches::{bowl, moved_and_back, pillow, point_of, triangles_of};
use crate::common::random::Random;

fn vector(size: Real) -> impl Strategy<Value = Vector> {
    prop::array::uniform3(-size..size).prop_map(Vector::from)
}

fn pose(size: Real) -> impl Strategy<Value = Pose> {
    (vector(size), vector(3.0)).prop_map(|(at, turn)| Pose::from_parts(at.into(), Rotation::from_scaled_axis(turn)))
}

/// Any open patch of about a metre, with its triangles.
fn sheet() -> impl Strategy<Value = (PatchSurface, Brute, Real)> {
    prop::collection::vec(vector(0.15), 16).prop_map(|noise| {
        let control = std::array::from_fn(|k| {
            Point::new((k / 4) as Real / 3.0 - 0.5, 0.0, (k % 4) as Real / 3.0 - 0.5) + noise[k]
        });
        let surface = PatchSurface::new(vec![BezierPatch::new(control)]).unwrap();
        let (triangles, error) = triangles_of(&surface, 24);
        (surface, brute(triangles), error)
    })
}

fn brute(triangles: Vec<[Point; 3]>) -> Brute {
    Brute::Pieces(triangles.into_iter().map(|t| Piece::Points(t.to_vec(), 0.0)).collect())
}

/// Shapes to hold against, with how the oracle sees them.
fn other(which: usize, size: Real) -> (Shape, Brute, Real) {
    match which {
        0 => (Shape::ball(size).unwrap(), Brute::Pieces(vec![Piece::Points(vec![Point::origin()], size)]), 0.0),
        1 => {
            let h = [size, 0.5 * size, 0.2];
            let corners = (0..8).map(|i| {
                let sign = |k: usize| if i >> k & 1 == 1 { h[k] } else { -h[k] };
                Point::new(sign(0), sign(1), sign(2))
            });
            (Shape::cuboid(h).unwrap(), Brute::Pieces(vec![Piece::Points(corners.collect(), 0.0)]), 0.0)
        }
        2 => (Shape::cone(size, size).unwrap(), Brute::Pieces(vec![Piece::Cone(size, size)]), 0.0),
        3 => (Shape::half_space(Vector::y()).unwrap(), Brute::HalfSpace(Vector::y()), 0.0),
        _ => {
            let surface = pillow([size, 0.4, 0.3], 0.2);
            let (triangles, error) = triangles_of(&surface, 12);
            (Shape::patches(surface), brute(triangles), error)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn distances_are_those_of_fine_triangles_and_points_lie_on_the_surface(
        (surface, triangles, error) in sheet(), at in pose(1.5), which in 0..5_usize, size in 0.2..0.6_f64,
    ) {
        let (shape, shape_brute, shape_error) = other(which, size);
        let truth = gap(&triangles, &at, &shape_brute, &Pose::identity());
        let patches = Shape::patches(surface);
        let found = closest(&patches, &at, &shape, &Pose::identity()).unwrap();
        let slack = error + shape_error + 1e-6;
        if truth.distance > slack {
            prop_assert!((found.distance - truth.distance).abs() <= slack, "{found:?} {truth:?}");
            let way = found.point_b - found.point_a;
            prop_assert!((way - found.normal * found.distance).norm() < 1e-6, "{found:?}");
            let Shape::Patches(own) = &patches else { panic!("patches") };
            let foot = own.closest_point(&at.inverse_transform_point(&found.point_a), 1.0, 1e-10).unwrap();
            prop_assert!(foot.distance < 1e-9, "{foot:?}");
            // Where the foot is inside the patch, the way is along its normal.
            if foot.place.at.iter().all(|x| (0.01..0.99).contains(x)) {
                let normal = at * own.normal_at(&foot.place).unwrap();
                prop_assert!(normal.cross(&found.normal).norm() < 1e-3, "{normal:?} {found:?}");
            }
            let swapped = closest(&shape, &Pose::identity(), &patches, &at).unwrap();
            prop_assert!((swapped.distance - found.distance).abs() <= 1e-6 * (1.0 + found.distance));
            prop_assert!(closest_within(&patches, &at, &shape, &Pose::identity(), 0.9 * found.distance).unwrap().is_none());
        } else {
            prop_assert!(found.distance <= slack + error, "{found:?} {truth:?}");
        }
    }

    #[test]
    fn a_box_of_flat_patches_is_met_when_the_box_is(
        at in pose(0.5), far in vector(1.0), velocity in vector(2.0), spin in vector(20.0), spin_b in vector(10.0),
        which in 0..4_usize, size in 0.2..0.6_f64, power in 1..7_i32,
    ) {
        let tolerance = 0.1_f64.powi(power);
        let options = TocOptions { tolerance, ..TocOptions::default() };
        let direction = far.try_normalize(1e-3).unwrap_or_else(Vector::x);
        let start = Pose::from_parts((at.translation.vector + direction * 4.0).into(), at.rotation);
        let motion = RigidMotion {
            linear_velocity: velocity - direction * 6.0, angular_velocity: spin, ..RigidMotion::at_rest(start)
        };
        let turning = RigidMotion { angular_velocity: spin_b, ..RigidMotion::at_rest(Pose::identity()) };
        let half = [0.5, 0.3, 0.8];
        let (shape, ..) = other(which, size);
        // A half-space stands still, and is met from above.
        let (motion_a, motion_b) = if which == 3 { (motion, RigidMotion::at_rest(Pose::identity())) } else { (turning, motion) };
        let ask = |a: &Shape| {
            let interval = TimeInterval::new(0.0, 1.0).unwrap();
            time_of_contact(Moving::new(a, &motion_a), Moving::new(&shape, &motion_b), interval, &options).unwrap().answer
        };
        let exact = Shape::cuboid(half).unwrap();
        let gap_at = |t: Real| closest(&exact, &motion_a.pose_at(t), &shape, &motion_b.pose_at(t)).unwrap().distance;
        let (patches, truth) = (ask(&Shape::patches(pillow(half, 0.0))), ask(&exact));
        match (patches, truth) {
            // What starts within the tolerance, but apart, may be told of at the start or when it is nearer.
            (Toc::Contact(p), Toc::Contact(t) | Toc::Overlapping(t)) => {
                prop_assert!(t.separation > 0.0, "late: {p:?}, {t:?}");
                prop_assert!(gap_at(p.time) <= tolerance * 1.000_001, "{} at {p:?}, {t:?}", gap_at(p.time));
                prop_assert!(gap_at(p.time) > 0.0, "late: {p:?}, {t:?}");
                // Never later than the first touch: at any sampled instant before they are apart.
                for k in 0..200 {
                    let s = p.time * Real::from(k) / 200.0;
                    prop_assert!(gap_at(s) > 0.0, "overlap at {s} before {p:?}");
                }
                prop_assert!((p.point_b - p.point_a).norm() <= tolerance * 1.000_001);
                prop_assert!((p.normal.norm() - 1.0).abs() < 1e-9);
            }
            (Toc::Separated, Toc::Contact(t)) => prop_assert!(t.separation > 0.0, "missed {t:?}"),
            (Toc::Contact(p), Toc::Separated) => prop_assert!(p.separation > 0.1 * tolerance, "{p:?}"),
            (p, t) => prop_assert_eq!(std::mem::discriminant(&p), std::mem::discriminant(&t), "{:?} {:?}", p, t),
        }
    }

    #[test]
    fn bent_patches_are_met_at_the_tolerance_and_apart_before(
        (surface, ..) in sheet(), far in vector(1.0), turn in vector(3.0), spin in vector(30.0), spin_b in vector(10.0), which in 0..5_usize,
        power in 2..7_i32,
    ) {
        let tolerance = 0.1_f64.powi(power);
        let options = TocOptions { tolerance, ..TocOptions::default() };
        let direction = if which == 3 { Vector::y() } else { far.try_normalize(1e-3).unwrap_or_else(Vector::x) };
        let (shape, ..) = other(which, 0.4);
        let start = Pose::from_parts((direction * 3.0).into(), Rotation::from_scaled_axis(turn));
        let motion_a = RigidMotion {
            linear_velocity: -direction * 5.0, angular_velocity: spin, ..RigidMotion::at_rest(start)
        };
        let spin_b = if which == 3 { Vector::zeros() } else { spin_b };
        let motion_b = RigidMotion { angular_velocity: spin_b, ..RigidMotion::at_rest(Pose::identity()) };
        let patches = Shape::patches(surface);
        let interval = TimeInterval::new(0.0, 1.0).unwrap();
        let found = time_of_contact(Moving::new(&patches, &motion_a), Moving::new(&shape, &motion_b), interval, &options).unwrap();
        let gap_at = |t: Real| closest(&patches, &motion_a.pose_at(t), &shape, &motion_b.pose_at(t)).unwrap().distance;
        let until = found.answer.safe_until().unwrap_or(1.0);
        prop_assert!(!matches!(found.answer, Toc::Undecided { .. }), "{found:?}");
        for k in 0..60 {
            let s = until * Real::from(k) / 60.0;
            prop_assert!(gap_at(s) > 0.0, "overlap at {s} before {until}: {found:?}");
        }
        if let Some(c) = found.answer.contact() {
            let gap = gap_at(c.time);
            prop_assert!(gap > 0.0 && gap <= tolerance * 1.000_01 + 1e-9, "{gap} at {c:?}");
            prop_assert!((c.point_b - c.point_a).norm() <= tolerance * 1.000_01, "{c:?}");
        }
    }

    #[test]
    fn inside_and_segments_agree_with_the_box_that_flat_patches_are(p in vector(1.0), q in vector(1.0)) {
        let half = Vector::new(0.5, 0.3, 0.8);
        let body = IndexedPatches::new(pillow(half.into(), 0.0));
        let exact = Shape::cuboid(half.into()).unwrap();
        let is_inside = (p.abs() - half).max() < 0.0;
        prop_assert_eq!(body.surface().contains(&p.into()), is_inside);
        let segment = Segment { start: p.into(), end: q.into() };
        let (found, truth) = (body.cast_segment(&segment), exact.as_solid().cast_segment(&segment));
        prop_assert_eq!(found.is_some(), truth.is_some(), "{:?} {:?}", found, truth);
        if let (Some(f), Some(t)) = (found, truth) {
            prop_assert!((f.point - t.point).norm() < 1e-9 && (f.normal - t.normal).norm() < 1e-6, "{f:?} {t:?}");
        }
        let obb = Obb { centre: q.into(), axes: *Rotation::from_scaled_axis(p * 3.0).to_rotation_matrix().matrix(), half_extents: Vector::new(0.1, 0.2, 0.05) };
        prop_assert!(body.overlaps_obb(&obb) || !exact.as_solid().overlaps_obb(&obb));
        let outside = (p.abs() - half).sup(&Vector::zeros()).norm();
        let bound = body.distance_bound(&p.into());
        prop_assert!(bound <= outside + 1e-9 && bound >= outside - 2e-3, "{bound} {outside}");
    }
}

#[test]
fn inside_and_outside_of_a_surface_far_from_its_files_origin_are_told_as_of_one_that_is_about_it() {
    let mut r = Random(11);
    let turn = Rotation::from_scaled_axis(Vector::new(0.2, -0.3, 0.7));
    let flat = pillow([1.0; 3], 0.0);
    let turned = PatchSurface::new(flat.patches().iter().map(|p| p.mapped(|q| turn * q)).collect()).unwrap();
    for surface in [flat, turned, pillow([0.5, 0.3, 0.8], 0.3)] {
        for away in [[10.5, 0.0, 0.0], [-300.0, 20.0, 1e4], [1e5, 0.0, 0.0], [0.0, -1e9, 3e5]].map(Vector::from) {
            let [far, near] = moved_and_back(&surface, &away);
            assert!(far.is_closed() && near.is_closed());
            let (mut inside, count) = (0, 400);
            for i in 0..count {
                let patch = &near.patches()[r.below(near.patches().len())];
                let on = point_of(patch, r.between(0.0, 1.0), r.between(0.0, 1.0));
                let off = if i % 4 == 0 { 0.0 } else { r.magnitude(1e-15, 0.5) };
                let there = on + r.direction() * off + away;
                // The way back is exact.
                let here = there - away;
                assert_eq!(far.contains(&there), near.contains(&here), "{away:?}: {there:?}");
                inside += usize::from(near.contains(&here));
            }
            assert!((count / 10..count * 9 / 10).contains(&inside), "{inside}");
        }
    }
}

#[test]
fn a_box_of_patches_has_the_mass_of_the_box_and_a_bulge_adds_its_volume() {
    let half = [0.5, 0.3, 0.8];
    let (mass, kind) = Shape::patches(pillow(half, 0.0)).mass_properties(7.0).unwrap();
    let exact = MassProperties::of_box(&Vector::from(half), 7.0);
    assert_eq!(kind, MassKind::Exact);
    assert!((mass.mass - exact.mass).abs() < 1e-12 * exact.mass, "{mass:?}");
    assert!((mass.inertia - exact.inertia).norm() < 1e-12 * exact.inertia.norm());
    // Each face lifts its four middle control points by b·h: over a face of area A they weigh (½)² of it.
    let bulged = Shape::patches(pillow(half, 0.1)).mass_properties(7.0).unwrap().0;
    let volume = 8.0 * half[0] * half[1] * half[2];
    assert!((bulged.mass / 7.0 - volume * (1.0 + 3.0 * 0.1 * 0.25)).abs() < 1e-12, "{bulged:?}");
}

#[test]
fn an_open_surface_is_a_sheet_whose_mass_is_that_of_its_area() {
    let flat = bowl(0.0, 0.0);
    assert_eq!(flat.kind(), SurfaceKind::Soup);
    let (mass, kind) = Shape::patches(flat).mass_properties(3.0).unwrap();
    assert_eq!(kind, MassKind::MassPoints);
    assert!((mass.mass - 12.0).abs() < 1e-12, "{mass:?}");
    assert!((mass.inertia - ccd_core::math::Matrix::from_diagonal(&Vector::new(4.0, 4.0, 8.0))).norm() < 1e-12);
}

#[test]
fn what_is_not_watertight_names_the_side_and_what_is_inside_out_its_volume() {
    let body = pillow([0.5, 0.3, 0.8], 0.2);
    assert!(body.require_solid().is_ok());
    let open = PatchSurface::new(body.patches()[..5].to_vec()).unwrap();
    assert!(matches!(open.require_solid(), Err(PatchError::NotWatertight { neighbours: 0, .. })));
    assert!(open.require_solid().unwrap_err().to_string().starts_with("side"));
    let inside_out = body.flipped().unwrap();
    assert_eq!(inside_out.kind(), SurfaceKind::InsideOut);
    assert!(matches!(inside_out.require_solid(), Err(PatchError::NoVolume { volume }) if volume < 0.0));
    let one_turned: Vec<BezierPatch> =
        body.patches().iter().enumerate().map(|(i, p)| if i == 2 { p.flipped() } else { *p }).collect();
    assert!(!PatchSurface::new(one_turned).unwrap().is_closed());
    // Scaled by a mirror it keeps its outside.
    assert!(body.scaled(&Vector::new(-2.0, 1.0, 0.5)).unwrap().is_closed());
}

#[test]
fn a_bowl_on_a_plane_touches_at_its_lowest_point_at_the_exact_time() {
    let shape = Shape::patches(bowl(1.0, 0.5));
    let plane = Shape::half_space(Vector::z()).unwrap();
    let falling = RigidMotion {
        linear_velocity: Vector::new(0.0, 0.0, -1.0),
        ..RigidMotion::at_rest(Pose::translation(1e6, -2e5, 1.5))
    };
    let rest = RigidMotion::at_rest(Pose::identity());
    let interval = TimeInterval::new(0.0, 3.0).unwrap();
    for tolerance in [1e-2, 1e-4, 1e-6] {
        let options = TocOptions { tolerance, ..TocOptions::default() };
        for swapped in [false, true] {
            let (one, other) = (Moving::new(&shape, &falling), Moving::new(&plane, &rest));
            let (a, b) = if swapped { (other, one) } else { (one, other) };
            let found = time_of_contact(a, b, interval, &options).unwrap();
            let Toc::Contact(c) = found.answer else { panic!("{found:?}") };
            assert!(c.time <= 1.5 && c.time >= 1.5 - tolerance * 1.001, "{c:?}");
            let up = if swapped { 1.0 } else { -1.0 };
            assert!((c.normal - Vector::z() * up).norm() < 1e-9);
            assert!((c.point_a.xy() - Point::new(1e6, -2e5, 0.0).xy()).norm() < 1e-4, "{c:?}");
            assert!(found.stats.total() < 2000, "{found:?}");
        }
    }
}

#[test]
fn degenerate_patches_are_met_like_what_they_are() {
    let rest = RigidMotion::at_rest(Pose::identity());
    let ball = Shape::ball(0.25).unwrap();
    let flying = RigidMotion {
        linear_velocity: Vector::new(0.0, -1.0, 0.0),
        ..RigidMotion::at_rest(Pose::translation(0.25, 1.25, 0.0))
    };
    let options = TocOptions { tolerance: 1e-6, ..TocOptions::default() };
    let interval = TimeInterval::new(0.0, 2.0).unwrap();
    // A line, a triangle with one side a point, repeated control points in a flat square.
    let line = BezierPatch::new(std::array::from_fn(|k| Point::new((k / 4) as Real - 1.0, 0.0, 0.0)));
    let fan = BezierPatch::new(std::array::from_fn(|k| {
        let (i, j) = ((k / 4) as Real, (k % 4) as Real / 3.0 - 0.5);
        Point::new(i - 1.0, 0.0, i * j)
    }));
    let knots = [-1.0, -1.0, 1.0, 1.0];
    let square = BezierPatch::new(std::array::from_fn(|k| Point::new(knots[k / 4], 0.0, knots[k % 4])));
    for (name, patch) in [("line", line), ("fan", fan), ("square", square)] {
        let shape = Shape::patches(PatchSurface::new(vec![patch]).unwrap());
        let found =
            time_of_contact(Moving::new(&shape, &rest), Moving::new(&ball, &flying), interval, &options).unwrap();
        let Toc::Contact(c) = found.answer else { panic!("{name}: {found:?}") };
        assert!(c.time <= 1.0 && c.time > 1.0 - 1.1e-6, "{name}: {c:?}");
        assert!((c.normal - Vector::y()).norm() < 1e-3, "{name}: {c:?}");
        let near = closest(&shape, &Pose::identity(), &ball, &flying.start).unwrap();
        assert!((near.distance - 1.0).abs() < 1e-6, "{name}: {near:?}");
    }
    // Two equal patches on each other, wound alike: no solid, no panic.
    let twice = PatchSurface::new(vec![square, square]).unwrap();
    assert!(!twice.is_closed());
}

#[test]
fn a_ball_inside_a_closed_body_overlaps_it_and_inside_an_open_one_does_not() {
    let body = Shape::patches(pillow([2.0, 2.0, 2.0], 0.1));
    let open = Shape::patches(PatchSurface::new(pillow([2.0, 2.0, 2.0], 0.1).patches()[..5].to_vec()).unwrap());
    let ball = Shape::ball(0.1).unwrap();
    let at = Pose::translation(1.5, 0.0, 0.0);
    let found = closest(&body, &Pose::identity(), &ball, &at).unwrap();
    assert!(found.distance < -0.5 && found.normal.x > 0.9, "{found:?}");
    let rest = [RigidMotion::at_rest(Pose::identity()), RigidMotion::at_rest(at)];
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    let ask = |a: &Shape| {
        time_of_contact(Moving::new(a, &rest[0]), Moving::new(&ball, &rest[1]), interval, &TocOptions::default())
            .unwrap()
            .answer
    };
    assert!(matches!(ask(&body), Toc::Overlapping(c) if c.separation < -0.5));
    assert_eq!(ask(&open), Toc::Separated);
    assert!(closest(&open, &Pose::identity(), &ball, &at).unwrap().distance > 0.0);
}

#[test]
fn what_pierces_a_flat_or_singly_bent_sheet_overlaps_it_as_it_does_triangles_in_its_place() {
    let mut random = Random(0x5e1e_77a9);
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    let options = TocOptions { tolerance: 1e-5, ..TocOptions::default() };
    let mut pierced = 0;
    // Pieces of these are flat at once, or after a few halvings strips across the whole sheet that are.
    for (surface, fine) in [(bowl(0.0, 0.0), 1), (bowl(0.3, 0.0), 24)] {
        let (triangles, error) = triangles_of(&surface, fine);
        let corners: Vec<Point> = triangles.iter().flatten().copied().collect();
        let numbers: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = Shape::mesh(TriMesh::try_new(corners, numbers).unwrap()).unwrap();
        let sheet = Shape::patches(surface);
        let mut others: Vec<Shape> = [0, 1, 2, 4].into_iter().map(|which| other(which, 0.4).0).collect();
        others.extend([Shape::ellipsoid([0.2, 0.3, 0.4]).unwrap(), Shape::cylinder(0.2, 0.4).unwrap(), mesh.clone()]);
        for (which, other) in others.iter().enumerate() {
            for _ in 0..24 {
                let at = Pose::from_parts((random.direction() * random.between(0.0, 1.2)).into(), random.rotation());
                let truth = closest(&mesh, &Pose::identity(), other, &at).unwrap().distance;
                if truth.abs() < 0.02 + 2.0 * error {
                    continue;
                }
                pierced += usize::from(truth < 0.0);
                for swapped in [false, true] {
                    let (home, placed) = ((&sheet, Pose::identity()), (other, at));
                    let ((a, pose_a), (b, pose_b)) = if swapped { (placed, home) } else { (home, placed) };
                    let found = closest(a, &pose_a, b, &pose_b).unwrap();
                    assert_eq!(found.distance < 0.0, truth < 0.0, "{which}, {fine}: {found:?}, {truth} at {at}");
                    let [a, b] = [(a, pose_a), (b, pose_b)].map(|(shape, pose)| (shape, RigidMotion::at_rest(pose)));
                    let (a, b) = (Moving::new(a.0, &a.1), Moving::new(b.0, &b.1));
                    let toc = time_of_contact(a, b, interval, &options).unwrap();
                    let is_as_it_should = match toc.answer {
                        Toc::Overlapping(_) => truth < 0.0,
                        Toc::Separated => truth > 0.0,
                        _ => false,
                    };
                    assert!(is_as_it_should, "{which}, {fine}: {toc:?}, {truth} at {at}");
                    assert!(toc.stats.total() < 20_000, "{which}, {fine}: {toc:?}");
                }
            }
        }
    }
    assert!(pierced > 100, "{pierced}");
}

/// Fields, with their exact distances outside, and how much further out their surface may be.
fn fields() -> Vec<(Shape, fn(&Point) -> Real, Real)> {
    let place = |shape: Shape, x: Real| (shape, Pose::translation(x, 0.0, 0.0));
    let dumb_bell = [place(Shape::ball(0.3).unwrap(), -0.2), place(Shape::ball(0.3).unwrap(), 0.2)];
    let block = Shape::cuboid([0.3, 0.2, 0.1]).unwrap();
    let grid = Shape::distance_grid(&block, 0.03).unwrap();
    let Shape::Mesh(made) = &grid else { panic!("the surface of a grid") };
    let error = made.grid().unwrap().error();
    vec![
        (Shape::torus(0.4, 0.15).unwrap(), |p| (p.x.hypot(p.z) - 0.4).hypot(p.y) - 0.15, 0.0),
        (
            Shape::csg(Operation::Union, &dumb_bell).unwrap(),
            |p| (p - Point::new(0.2 * p.x.signum(), 0.0, 0.0)).norm() - 0.3,
            0.0,
        ),
        (
            grid,
            |p| {
                let over = p.coords.abs() - Vector::new(0.3, 0.2, 0.1);
                if over.max() < 0.0 { over.max() } else { over.map(|x| x.max(0.0)).norm() }
            },
            error,
        ),
    ]
}

#[test]
fn patches_are_as_near_to_fields_as_their_nearest_samples_and_overlap_them_where_one_is_inside() {
    const SAMPLES: usize = 48;
    let surface = pillow([0.5, 0.3, 0.4], 0.3);
    let along = |i: usize| i as Real / SAMPLES as Real;
    let samples: Vec<Point> = (surface.patches().iter())
        .flat_map(|patch| (0..=SAMPLES).flat_map(move |i| (0..=SAMPLES).map(move |j| patch.point(along(i), along(j)))))
        .collect();
    // Of the sides of two samples' squares.
    let spacing = 1.5 / SAMPLES as Real;
    let shape = Shape::patches(surface);
    let (mut random, mut apart, mut overlapping) = (Random(11), 0, 0);
    for (field, distance, error) in fields() {
        for _ in 0..8 {
            let away = random.direction() * random.between(0.3, 1.6);
            let pose = Pose::from_parts(away.into(), random.rotation());
            let nearest =
                samples.iter().map(|p| distance(&pose.inverse_transform_point(p))).fold(Real::INFINITY, Real::min);
            let found = closest(&shape, &Pose::identity(), &field, &pose).unwrap();
            let swapped = closest(&field, &pose, &shape, &Pose::identity()).unwrap();
            if nearest < 0.0 {
                overlapping += 1;
                assert!(found.distance <= 0.0, "{field:?} at {pose:?}: {found:?}, though a sample is at {nearest}");
            } else if found.distance > 0.0 {
                apart += 1;
                assert!((found.distance - swapped.distance).abs() < 1e-3 * found.distance, "{found:?} {swapped:?}");
                let way = found.point_b - found.point_a;
                assert!((way - found.normal * found.distance).norm() < 1e-6 * way.norm(), "{found:?}");
                let off = distance(&pose.inverse_transform_point(&found.point_b));
                assert!(off > -1e-9 && off < error + 1e-6, "{off}: {found:?}");
                let limit = nearest * (1.0 + 1e-3);
                assert!(found.distance <= limit && found.distance > nearest - spacing - error, "{nearest}: {found:?}");
                let beside = samples.iter().map(|p| (p - found.point_a).norm()).fold(Real::INFINITY, Real::min);
                assert!(beside < spacing, "{beside}: {found:?}");
            }
        }
    }
    assert!(apart > 8 && overlapping > 4, "{apart} {overlapping}");
}
