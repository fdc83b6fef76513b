//! Overlaps of solids that stand along each other's axes: sizes and places on a grid, turns of 45 and 90 degrees. There faces are flush, edges
//! lie in faces, and the middle of one is exactly on a line or in a plane of the other.
//!
//! The oracles share no code with the library: the fifteen axes of two boxes, places that formulas find inside both, and the
//! translation itself, which has to part the two.

use ccd_core::detection::closest::{Closest, ClosestMethod, PairMemory, closest, closest_by, interferes, overlap};
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;

use crate::common::models::{box_mesh, corner, flat_sheet, l_prism, mesh};
use crate::common::random::Random;
use crate::common::solids::{plate, sphere};

const METHODS: [ClosestMethod; 4] =
    [ClosestMethod::Auto, ClosestMethod::Gjk, ClosestMethod::VClip, ClosestMethod::SeparatingAxis];

/// A turn by a multiple of 45 degrees about a coordinate axis.
fn turn(random: &mut Random) -> Rotation {
    let axis = [Vector::x_axis(), Vector::y_axis(), Vector::z_axis()][random.below(3)];
    Rotation::from_axis_angle(&axis, random.below(8) as f64 * std::f64::consts::FRAC_PI_4)
}

/// A place on a grid of a quarter of a metre.
fn place(random: &mut Random) -> Pose {
    let at = Vector::from_fn(|_, _| (random.below(7) as f64 - 3.0) * 0.25);
    Pose::from_parts(at.into(), turn(random))
}

fn sides(random: &mut Random) -> [f64; 3] {
    [0; 3].map(|_| (1 + random.below(4)) as f64 * 0.25)
}

fn shifted(pose: &Pose, by: &Vector) -> Pose {
    Pose::from_parts((pose.translation.vector + by).into(), pose.rotation)
}

/// The gap of two boxes along the best of their fifteen axes; minus the depth where they overlap.
fn gap_of_boxes((ha, a): ([f64; 3], &Pose), (hb, b): ([f64; 3], &Pose)) -> f64 {
    let axes = |pose: &Pose| [Vector::x(), Vector::y(), Vector::z()].map(|axis| pose.rotation * axis);
    let (own, other) = (axes(a), axes(b));
    let mut all = [own, other].concat();
    all.extend(own.iter().flat_map(|p| other.iter().map(|q| p.cross(q))));
    let way = b.translation.vector - a.translation.vector;
    let reach = |axes: &[Vector; 3], half: &[f64; 3], n: &Vector| {
        axes.iter().zip(half).map(|(axis, h)| h * axis.dot(n).abs()).sum::<f64>()
    };
    let gaps = all
        .iter()
        .filter_map(|axis| axis.try_normalize(1e-6))
        .map(|n| way.dot(&n).abs() - reach(&own, &ha, &n) - reach(&other, &hb, &n));
    gaps.fold(f64::NEG_INFINITY, f64::max)
}

fn off_the_line(found: &Closest) -> f64 {
    (found.point_b - found.point_a - found.normal * found.distance).norm()
}

#[test]
fn aligned_boxes_their_hulls_and_their_meshes_are_as_deep_as_fifteen_axes_say_by_every_method() {
    let mut random = Random(0xa116);
    let mut deep = 0;
    for _ in 0..400 {
        let (ha, hb) = (sides(&mut random), sides(&mut random));
        let (a, b) = (Pose::from_parts(Vector::zeros().into(), turn(&mut random)), place(&mut random));
        let gap = gap_of_boxes((ha, &a), (hb, &b));
        let hull = |half: [f64; 3]| Shape::convex_hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(|i| corner(i, &half))).unwrap();
        let all = |half| [Shape::cuboid(half).unwrap(), hull(half), box_mesh(half)];
        for (i, solid) in all(ha).iter().enumerate() {
            for (j, other) in all(hb).iter().enumerate() {
                let methods = if i == 2 || j == 2 { &METHODS[..1] } else { &METHODS[..] };
                for method in methods {
                    let found = closest_by(*method, solid, &a, other, &b, &mut PairMemory::default()).unwrap();
                    let told = format!("{method} {i} {j}: {gap} {found:?} {ha:?} {hb:?} {a:?} {b:?}");
                    if gap < -1e-9 {
                        assert!((found.distance - gap).abs() < 1e-12, "{told}");
                        assert!(off_the_line(&found) < 1e-9, "{told}");
                        for (half, pose, point) in [(ha, a, found.point_a), (hb, b, found.point_b)] {
                            let local = pose.inverse_transform_point(&point);
                            let beyond = (0..3).map(|k| local[k].abs() - half[k]).fold(f64::NEG_INFINITY, f64::max);
                            assert!(beyond.abs() < 1e-9, "a point is {beyond} m off its surface: {told}");
                        }
                        deep += 1;
                    } else if gap < 1e-9 {
                        assert!(found.distance.abs() < 1e-12, "{told}");
                    } else {
                        assert!(found.distance >= gap - 1e-12, "{told}");
                    }
                    assert!(found.distance != 0.0 || found.distance.is_sign_positive(), "minus zero: {told}");
                }
                assert!(gap > -1e-9 || overlap(solid, &a, other, &b), "{i} {j}: {gap} {ha:?} {hb:?} {a:?} {b:?}");
                assert!(gap < 1e-9 || !overlap(solid, &a, other, &b), "{i} {j}: {gap} {ha:?} {hb:?} {a:?} {b:?}");
            }
        }
    }
    assert!(deep > 3_000, "{deep}");
}

/// How far inside a place of its frame is at least, metres; zero on the surface of what is convex.
type Inner = fn(&Point) -> f64;

/// The kinds, whether they are convex.
fn kinds() -> Vec<(&'static str, Shape, bool, Inner)> {
    fn in_box(p: &Point, middle: [f64; 3], half: [f64; 3]) -> f64 {
        (0..3).map(|k| half[k] - (p[k] - middle[k]).abs()).fold(f64::INFINITY, f64::min)
    }
    let octahedron: Vec<Point> =
        [Vector::x(), Vector::y(), Vector::z()].into_iter().flat_map(|v| [v, -v]).map(|v| (v * 0.75).into()).collect();
    let cube = || Shape::cuboid([0.5, 0.25, 0.5]).unwrap();
    let at = |y: f64| Pose::translation(0.0, y, 0.0);
    vec![
        ("box", Shape::cuboid([0.5; 3]).unwrap(), true, |p| in_box(p, [0.0; 3], [0.5; 3])),
        ("octahedron", Shape::convex_hull(&octahedron).unwrap(), true, |p| {
            (0.75 - p.coords.abs().sum()) / 3_f64.sqrt()
        }),
        ("ball", Shape::ball(0.5).unwrap(), true, |p| 0.5 - p.coords.norm()),
        ("capsule", Shape::capsule(0.25, 0.5).unwrap(), true, |p| {
            0.25 - Vector::new(p.x, (p.y.abs() - 0.5).max(0.0), p.z).norm()
        }),
        ("cylinder", Shape::cylinder(0.5, 0.5).unwrap(), true, |p| (0.5 - p.x.hypot(p.z)).min(0.5 - p.y.abs())),
        ("cone", Shape::cone(0.5, 0.5).unwrap(), true, |p| {
            ((0.5 - p.y) * 0.5 - p.x.hypot(p.z)).min((0.5 + p.y) * 1.25_f64.sqrt()) / 1.25_f64.sqrt()
        }),
        ("ellipsoid", Shape::ellipsoid([0.5, 0.75, 0.25]).unwrap(), true, |p| {
            0.25 * (1.0 - Vector::new(p.x / 0.5, p.y / 0.75, p.z / 0.25).norm())
        }),
        ("rounded box", Shape::rounded_box([0.25; 3], 0.25).unwrap(), true, |p| {
            let beyond = p.coords.abs() - Vector::repeat(0.25);
            0.25 - beyond.sup(&Vector::zeros()).norm() - beyond.max().min(0.0)
        }),
        ("box mesh", box_mesh([0.5, 0.75, 0.25]), true, |p| in_box(p, [0.0; 3], [0.5, 0.75, 0.25])),
        ("L", mesh(l_prism(0.5, 0.5, 0.5)), false, |p| {
            let upright = in_box(p, [-0.325, 0.0, 0.0], [0.175, 0.5, 0.5]);
            upright.max(in_box(p, [0.0, -0.325, 0.0], [0.5, 0.175, 0.5]))
        }),
        ("compound", Shape::compound([(at(-0.25), cube()), (at(0.5), cube())]).unwrap(), false, |p| {
            in_box(p, [0.0, -0.25, 0.0], [0.5, 0.25, 0.5]).max(in_box(p, [0.0, 0.5, 0.0], [0.5, 0.25, 0.5]))
        }),
        ("torus", Shape::torus(0.5, 0.25).unwrap(), false, |p| 0.25 - (p.x.hypot(p.z) - 0.5).hypot(p.y)),
    ]
}

#[test]
fn aligned_solids_of_all_pairs_of_kinds_that_share_a_place_overlap_and_leave_by_their_depth() {
    const INSIDE: f64 = 0.03;
    let mut random = Random(0xdee9);
    let kinds = kinds();
    let mut deep = 0;
    for (i, (name_a, a, convex_a, in_a)) in kinds.iter().enumerate() {
        for (name_b, b, convex_b, in_b) in &kinds[i..] {
            let both_convex = *convex_a && *convex_b;
            for _ in 0..if both_convex { 40 } else { 4 } {
                let (pose_a, pose_b) =
                    (Pose::from_parts(Vector::zeros().into(), turn(&mut random)), place(&mut random));
                let told = format!("{name_a} {pose_a:?} {name_b} {pose_b:?}");
                let inner =
                    |p: &Point| in_a(&pose_a.inverse_transform_point(p)).min(in_b(&pose_b.inverse_transform_point(p)));
                let grid = (0..15 * 15 * 15).map(|k: i32| [k % 15, k / 15 % 15, k / 225]);
                let places = grid.map(|at| Point::from(at.map(|x| (f64::from(x) - 7.0) * 0.11 + 0.013)));
                let common = places.map(|p| inner(&p)).fold(f64::NEG_INFINITY, f64::max);
                let found = closest(a, &pose_a, b, &pose_b).unwrap();
                if common < INSIDE {
                    continue;
                }
                deep += 1;
                assert!(found.distance < -2.0 * common + 1e-6, "{common} m inside both: {found:?} {told}");
                assert!(overlap(a, &pose_a, b, &pose_b), "{told}");
                assert!(interferes(a, &pose_a, b, &pose_b, 0.0).is_some(), "{told}");
                let out = shifted(&pose_b, &(found.normal * (1e-6 - found.distance)));
                let left = closest(a, &pose_a, b, &out).unwrap().distance;
                assert!(left > 0.0, "{left} after the way out: {found:?} {told}");
                if both_convex {
                    assert!(left < 1e-5, "{left} after the way out: {found:?} {told}");
                    // The cores of rounded solids may touch at a rim, whose nearest point is found to that.
                    assert!(off_the_line(&found) < 1e-8, "{} {found:?} {told}", off_the_line(&found));
                    let (own, other) = (pose_a.inverse_transform_point(&found.point_a), found.point_b);
                    let off = [in_a(&own), in_b(&pose_b.inverse_transform_point(&other))];
                    assert!(off.iter().all(|off| off.abs() < 1e-8), "points are {off:?} m off: {found:?} {told}");
                    let (still_a, still_b) = (RigidMotion::at_rest(pose_a), RigidMotion::at_rest(pose_b));
                    let interval = TimeInterval::new(0.0, 1.0).unwrap();
                    let (one, two) = (Moving::new(a, &still_a), Moving::new(b, &still_b));
                    let answer = time_of_contact(one, two, interval, &TocOptions::default()).unwrap().answer;
                    let Toc::Overlapping(contact) = answer else { panic!("{answer:?} {told}") };
                    assert!((contact.separation - found.distance).abs() < 1e-8, "{contact:?} {found:?} {told}");
                }
            }
        }
    }
    assert!(deep > 700, "{deep}");
}

#[test]
fn polyhedra_of_hundreds_of_faces_within_each_other_are_as_deep_as_all_their_axes_say() {
    let hull = |n: u32, size: f64| {
        let points: Vec<Point> = sphere(n).vertices().iter().map(|p| p * size).collect();
        Shape::convex_hull(&points).unwrap()
    };
    let mut random = Random(0x5e1f);
    for (n, m, size) in [(8, 8, 2.0), (8, 12, 1.5), (12, 9, 1.0), (10, 10, 0.5)] {
        let (a, b) = (hull(n, 1.0), hull(m, size));
        for _ in 0..4 {
            let at = Vector::from_fn(|_, _| (random.below(5) as f64 - 2.0) * 0.0625);
            let pose = Pose::from_parts(at.into(), turn(&mut random));
            let by = |method| closest_by(method, &a, &Pose::identity(), &b, &pose, &mut PairMemory::default()).unwrap();
            let exact = by(ClosestMethod::SeparatingAxis).distance;
            for method in [ClosestMethod::Auto, ClosestMethod::VClip] {
                let found = by(method);
                assert!((found.distance - exact).abs() < 1e-12, "{n} {m} {size} {pose:?}: {exact} {found:?}");
                assert!(off_the_line(&found) < 1e-9, "{n} {m} {size} {pose:?}: {found:?}");
            }
        }
    }
}

#[test]
fn round_solids_about_one_axis_are_as_deep_as_their_sizes_say() {
    let cylinder = Shape::cylinder(0.5, 1.0).unwrap();
    let home = Pose::identity();
    for (other, depth) in [
        (Shape::ball(0.5).unwrap(), 1.0),
        (Shape::cylinder(0.25, 1.0).unwrap(), 0.75),
        (Shape::ellipsoid([0.5, 0.5, 0.5]).unwrap(), 1.0),
        (Shape::ellipsoid([0.25, 0.5, 0.25]).unwrap(), 0.75),
        (Shape::capsule(0.25, 0.5).unwrap(), 0.75),
    ] {
        let found = closest(&cylinder, &home, &other, &home).unwrap();
        assert!((found.distance + depth).abs() < 1e-9, "{depth} {found:?}");
        assert!(off_the_line(&found) < 1e-9, "{found:?}");
    }
}

#[test]
fn flush_meshes_that_are_not_convex_overlap_where_they_share_volume_and_touch_where_they_stand_side_by_side() {
    let quarter = Rotation::from_axis_angle(&Vector::z_axis(), std::f64::consts::FRAC_PI_2);
    let solid = |rows: &[&str]| Shape::mesh(plate(rows, 1.0)).unwrap();
    let (l, bar) = (solid(&["##", "#."]), solid(&["##"]));
    let home = Pose::from_parts(Vector::new(0.1, 0.2, 0.3).into(), Rotation::identity());
    // About the middle of the corner's square.
    let turned = |by: [f64; 3]| Pose::from_parts((Vector::new(1.1, 0.2, 0.3) + Vector::from(by)).into(), quarter);
    for (other, by, depth) in
        [(&l, [0.0; 3], 1.0), (&bar, [0.0; 3], 1.0), (&bar, [0.0, 0.0, 0.75], 0.25), (&bar, [0.0, 0.5, 0.0], 1.0)]
    {
        let pose = turned(by);
        let found = closest(&l, &home, other, &pose).unwrap();
        assert!((found.distance + depth).abs() < 1e-6, "{by:?}: {depth} {found:?}");
        assert!(overlap(&l, &home, other, &pose), "{by:?}");
    }
    // In the corner that the L leaves free, beside it, and on top of it.
    let cube = solid(&["#"]);
    for by in [[1.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]] {
        let pose = turned(by);
        let found = closest(&l, &home, &cube, &pose).unwrap();
        assert!(found.distance.abs() < 1e-8, "{by:?}: {found:?}");
        assert!(interferes(&l, &home, &cube, &pose, 0.0).is_none_or(|o| o.depth < 1e-8), "{by:?}");
    }
}

#[test]
fn the_points_of_an_overlap_with_a_sheet_are_on_both_surfaces() {
    let sheet = mesh(flat_sheet(1.0, 2));
    let home = Pose::identity();
    let at = |x: f64, y: f64| Pose::translation(x, y, 0.1);
    let cases: [(Shape, Pose, Inner); 3] = [
        (Shape::cuboid([0.25; 3]).unwrap(), at(0.3, 0.125), |p| 0.25 - p.coords.amax()),
        (Shape::ball(0.5).unwrap(), at(0.1, 0.25), |p| 0.5 - p.coords.norm()),
        (box_mesh([0.25; 3]), at(0.3, 0.125), |p| 0.25 - p.coords.amax()),
    ];
    for (other, pose, inner) in cases {
        let found = closest(&sheet, &home, &other, &pose).unwrap();
        assert!(found.distance < -0.1 && off_the_line(&found) < 1e-12, "{found:?}");
        assert!(found.point_a.y.abs() < 1e-9 && found.point_a.coords.amax() <= 1.0, "{found:?}");
        assert!(inner(&pose.inverse_transform_point(&found.point_b)).abs() < 1e-7, "{found:?}");
    }
}

#[test]
fn a_mesh_that_lies_deep_in_its_like_is_found_inside_however_the_two_are_turned() {
    let ball = |size: f64| {
        let ball = sphere(10);
        let vertices = ball.vertices().iter().map(|p| p * size).collect();
        Shape::mesh(TriMesh::try_new(vertices, ball.triangles().to_vec()).unwrap()).unwrap()
    };
    let (small, large) = (ball(0.5), ball(1.0));
    let mut random = Random(0x9e57);
    for _ in 0..24 {
        let at = Vector::from_fn(|_, _| (random.below(5) as f64 - 2.0) * 0.0625);
        let pose = Pose::from_parts(at.into(), turn(&mut random));
        let found = closest(&small, &Pose::identity(), &large, &pose).unwrap();
        assert!(found.distance < -1.1 && found.distance > -1.5, "{pose:?}: {found:?}");
    }
}
