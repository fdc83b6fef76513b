//! The paper's own method on cases where the answer is known, and where following it to the letter fails.

use ccd_core::detection::toc::features::{FeatureToc, Trajectories, determine_contact};
use ccd_core::detection::toc::{Method, Moving, Promise, Toc, TocError, TocOptions, samples, time_of_contact};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::stats::QueryStats;
use ccd_scenes::cases::Rod;

fn motion(position: [Real; 3], linear: [Real; 3], angular: [Real; 3]) -> RigidMotion {
    RigidMotion {
        linear_velocity: Vector::from(linear),
        angular_velocity: Vector::from(angular),
        ..RigidMotion::at_rest(Pose::translation(position[0], position[1], position[2]))
    }
}

fn ask(
    a: (&Shape, &RigidMotion),
    b: (&Shape, &RigidMotion),
    duration: Real,
    options: &TocOptions,
    trajectories: Trajectories,
) -> (FeatureToc, QueryStats) {
    let interval = TimeInterval::new(0.0, duration).expect("a duration");
    let answered = determine_contact((a.0.as_solid(), a.1), (b.0.as_solid(), b.1), interval, options, trajectories)
        .expect("a query");
    (answered.answer, answered.stats)
}

fn boxes(a: (&Shape, &RigidMotion), b: (&Shape, &RigidMotion), duration: Real, options: &TocOptions) -> FeatureToc {
    ask(a, b, duration, options, Trajectories::Boxes).0
}

fn with_tolerance(tolerance: Real) -> TocOptions {
    TocOptions { tolerance, ..TocOptions::default() }
}

#[test]
fn a_spinning_rod_that_is_clear_at_both_ends_of_the_step_is_stopped_at_the_post_between() {
    let rod = Shape::cuboid([1.0, 0.01, 0.01]).expect("sizes");
    let post = Shape::cuboid([0.005, 1.0, 0.005]).expect("sizes");
    // Half a turn about y in one step; the post stands where the tip passes after a quarter.
    let spin = motion([0.0; 3], [0.0; 3], [0.0, std::f64::consts::PI * 60.0, 0.0]);
    let stand = RigidMotion::at_rest(Pose::translation(0.0, 0.0, -0.99));
    let options = with_tolerance(1e-6);
    let found = boxes((&rod, &spin), (&post, &stand), 1.0 / 60.0, &options);
    let Toc::Contact(c) = found.toc else { panic!("{found:?}") };
    // The tip is the arc of E1: the rod's long side meets the post's edge when their distances to the axis agree.
    let angle = spin.angular_velocity.y * c.time;
    let exact = std::f64::consts::FRAC_PI_2 - (0.01 + 0.005) / 0.985;
    assert!(angle < exact + 1e-3 && angle > exact - 2e-3, "{angle} against about {exact}");
    assert!(c.separation <= 1e-6 && c.separation > 0.0);
}

#[test]
fn boxes_that_meet_edge_across_edge_are_not_missed_though_no_vertex_touches_first() {
    let cube = Shape::cuboid([0.5; 3]).expect("sizes");
    let turned = |axis: Vector, height: Real| {
        Pose::from_parts(
            Vector::new(0.0, height, 0.0).into(),
            Rotation::from_scaled_axis(axis * std::f64::consts::FRAC_PI_4),
        )
    };
    let a = RigidMotion { linear_velocity: -Vector::y() * 100.0, ..RigidMotion::at_rest(turned(Vector::x(), 2.0)) };
    let b = RigidMotion::at_rest(turned(Vector::z(), 0.0));
    let options = with_tolerance(1e-7);
    let found = boxes((&cube, &a), (&cube, &b), 0.1, &options);
    let Toc::Contact(c) = found.toc else { panic!("{found:?}") };
    // Both edges are √½ from their centres.
    let exact = (2.0 - 2.0_f64.sqrt()) / 100.0;
    assert!(c.time <= exact && c.time > exact - 1e-7 / 100.0, "{} against {exact}", c.time);
    assert!((c.normal + Vector::y()).norm() < 1e-9, "from A down to B: {:?}", c.normal);
}

#[test]
fn a_box_that_lands_flat_touches_with_all_four_corners_at_once() {
    let cube = Shape::cuboid([0.5; 3]).expect("sizes");
    let ground = Shape::half_space(Vector::y()).expect("a normal");
    let fall = motion([3.0, 1.5, -2.0], [5.0, -10.0, 0.0], [0.0; 3]);
    let rest = RigidMotion::at_rest(Pose::identity());
    let found = boxes((&cube, &fall), (&ground, &rest), 1.0, &with_tolerance(1e-6));
    let Toc::Contact(c) = found.toc else { panic!("{found:?}") };
    assert!(c.time <= 0.1 && c.time > 0.1 - 1e-7, "{}", c.time);
    assert_eq!(found.contacts_at_first.len(), 4, "{:?}", found.contacts_at_first);
    for contact in &found.contacts_at_first {
        assert!((contact.normal + Vector::y()).norm() < 1e-9);
        assert!(contact.separation >= 0.0 && contact.separation <= 1e-6);
    }
    // The same with the sides exchanged, normals turned round (E22).
    let swapped = boxes((&ground, &rest), (&cube, &fall), 1.0, &with_tolerance(1e-6));
    assert_eq!(swapped.contacts_at_first.len(), 4);
    assert!(swapped.contacts_at_first.iter().all(|c| (c.normal - Vector::y()).norm() < 1e-9));
}

#[test]
fn segments_may_pass_a_sheet_that_boxes_stop_at() {
    // A spike whose tip dips into the ground by less than the chord of its arc hides.
    let ground = Shape::half_space(Vector::y()).expect("a normal");
    let tip = TriMesh::try_new(
        vec![Point::new(0.0, -1.0, 0.0), Point::new(0.1, -0.5, 0.0), Point::new(-0.1, -0.5, 0.0)],
        vec![[0, 1, 2]],
    )
    .expect("a triangle");
    let tip = Shape::mesh(tip).expect("a mesh");
    let tolerance = 1e-2;
    let depth = 1e-5;
    // Swings through straight down at 0.65 s, which no halving of the second hits soon.
    let swing = RigidMotion {
        angular_velocity: Vector::z() * 0.2,
        ..RigidMotion::at_rest(Pose::from_parts(
            Vector::new(0.0, 1.0 - depth, 0.0).into(),
            Rotation::from_scaled_axis(Vector::z() * -0.13),
        ))
    };
    let rest = RigidMotion::at_rest(Pose::identity());
    let options = with_tolerance(tolerance);
    let (by_segments, _) = ask((&tip, &swing), (&ground, &rest), 1.0, &options, Trajectories::Segments);
    assert_eq!(by_segments.toc, Toc::Separated, "the premise: the chord passes above the arc");
    let (by_boxes, _) = ask((&tip, &swing), (&ground, &rest), 1.0, &options, Trajectories::Boxes);
    assert!(by_boxes.toc.contact().is_some(), "{by_boxes:?}");
}

#[test]
fn a_budget_that_ends_early_certifies_what_was_searched() {
    let rod = Shape::cuboid([1.0, 0.01, 0.01]).expect("sizes");
    let sheet = Shape::cuboid([2.0, 2.0, 0.001]).expect("sizes");
    let fly = motion([0.0, 0.0, 3.0], [0.0, 0.0, -10.0], [300.0, 200.0, 0.0]);
    let rest = RigidMotion::at_rest(Pose::identity());
    let exact = boxes((&rod, &fly), (&sheet, &rest), 1.0, &with_tolerance(1e-6));
    let contact = *exact.toc.contact().expect("they meet");
    let mut last = 0.0;
    for budget in [10, 30, 100, 300, 1000] {
        let options = TocOptions { budget, ..with_tolerance(1e-6) };
        let found = boxes((&rod, &fly), (&sheet, &rest), 1.0, &options);
        let Some(safe) = found.toc.safe_until() else { panic!("{found:?}") };
        assert!(safe <= contact.time, "{safe} certified, contact at {}", contact.time);
        assert!(safe >= last, "more work certifies no less");
        last = safe;
    }
    assert!(last > 0.0, "some of the way is certified");
}

/// A torus around y: `n` by `m` quads in triangles.
fn torus(n: u32, m: u32) -> Shape {
    let angle = |i: u32, n: u32| std::f64::consts::TAU * Real::from(i) / Real::from(n);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let (u, v) = (angle(i, n), angle(j, m));
            let across = 1.0 + 0.3 * v.cos();
            vertices.push(Point::new(across * u.cos(), 0.3 * v.sin(), across * u.sin()));
            let at = |i: u32, j: u32| (i % n) * m + j % m;
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    Shape::mesh(TriMesh::try_new(vertices, triangles).expect("a mesh")).expect("a mesh")
}

#[test]
fn two_meshes_of_two_thousand_triangles_cost_a_small_part_of_all_their_pairs() {
    let ring = torus(50, 20);
    let tumble = motion([0.4, 3.0, 0.2], [0.0, -6.0, 0.0], [4.0, 1.0, -3.0]);
    let rest = motion([0.0; 3], [0.0, 0.0, 0.0], [0.3, -0.2, 0.5]);
    let (found, stats) = ask((&ring, &tumble), (&ring, &rest), 1.0, &with_tolerance(1e-6), Trajectories::Boxes);
    let Toc::Contact(c) = found.toc else { panic!("{found:?}") };
    assert!(c.time > 0.2 && c.time < 0.6, "{c:?}");
    // 3,000 edges a side would be nine million pairs, and 1,000 vertices two million against faces, for each bisection.
    assert!(stats.total() < 200_000, "{stats:?}");
}

#[test]
fn what_is_no_query_is_refused_by_name() {
    let ball = Shape::ball(1.0).expect("sizes");
    let plane = Shape::half_space(Vector::y()).expect("a normal");
    let rest = RigidMotion::at_rest(Pose::identity());
    let interval = TimeInterval::new(0.0, 1.0).expect("a duration");
    let refuse = |a: &Shape, motion_a: &RigidMotion, b: &Shape, options: &TocOptions| {
        determine_contact((a.as_solid(), motion_a), (b.as_solid(), &rest), interval, options, Trajectories::Boxes).err()
    };
    let broken = RigidMotion { linear_velocity: Vector::new(Real::NAN, 0.0, 0.0), ..rest };
    let options = TocOptions::default();
    assert_eq!(refuse(&ball, &broken, &ball, &options), Some(TocError::NonFiniteMotion { side: 'a' }));
    let zero = with_tolerance(0.0);
    assert_eq!(refuse(&ball, &rest, &ball, &zero), Some(TocError::BadTolerance { tolerance: 0.0 }));
    assert!(matches!(
        refuse(&plane, &rest, &plane, &options),
        Some(TocError::Unsupported { method: Method::ObbBisection, .. })
    ));
}

/// A rod that sweeps past a post within the interval, and is far from it at both ends.
const PAST_A_POST: Rod = Rod { spin: 1.0, distance: 0.8, angle: 1.2, post_radius: 0.01 };

fn rod_past_a_post() -> [(Shape, RigidMotion); 2] {
    let rod = Shape::cuboid(Rod::HALF_EXTENTS).expect("sizes");
    let post = Shape::cylinder(PAST_A_POST.post_radius, 1.0).expect("sizes");
    let spinning =
        RigidMotion { angular_velocity: Vector::y() * PAST_A_POST.spin, ..RigidMotion::at_rest(Pose::identity()) };
    let place = Pose::from_parts(PAST_A_POST.post().into(), Rotation::identity());
    [(rod, spinning), (post, RigidMotion::at_rest(place))]
}

fn ask_all(pair: &[(Shape, RigidMotion); 2], duration: Real, method: Method) -> (Toc, u64) {
    let [(a, motion_a), (b, motion_b)] = pair;
    let interval = TimeInterval::new(0.0, duration).expect("an interval");
    let options = TocOptions { method, ..with_tolerance(1e-6) };
    let found = time_of_contact(Moving::new(a, motion_a), Moving::new(b, motion_b), interval, &options);
    let found = found.expect("a valid query");
    (found.answer, found.stats.advances)
}

#[test]
fn what_is_over_at_the_end_is_missed_by_looks_and_found_by_every_method_that_keeps_the_promise() {
    let pair = rod_past_a_post();
    let met = PAST_A_POST.stop_angle();
    for method in Method::ALL {
        let (toc, _) = ask_all(&pair, 2.0, method);
        if method.promise() == Promise::Looks {
            assert_eq!(toc, Toc::Separated, "{method:?} has seen in between");
        } else if method.promise() != Promise::Samples {
            let time = toc.contact().map(|c| c.time);
            assert!(time.is_some_and(|t| t <= met && t > met - 1e-5), "{method:?}: {toc:?} {met}");
        }
    }
}

#[test]
fn samples_meet_what_a_sample_meets_and_miss_an_edge_that_passes_between_them() {
    let rod = |half| Shape::cuboid(half).expect("a box");
    let (along_x, along_z) = (rod([1.0, 0.01, 0.01]), rod([0.01, 0.01, 1.0]));
    let falling = |x: Real| RigidMotion {
        linear_velocity: -Vector::y(),
        ..RigidMotion::at_rest(Pose::from_parts(
            Vector::new(x, 0.5, 0.0).into(),
            Rotation::from_axis_angle(&Vector::x_axis(), 0.6),
        ))
    };
    let still = RigidMotion::at_rest(Pose::identity());
    // Some way along it, half way between the samples that are a sixteenth of it apart at most.
    let spacing = {
        let (a, b) = ((along_x.as_solid(), &falling(0.0)), (along_z.as_solid(), &still));
        let interval = TimeInterval::new(0.0, 1.0).expect("an interval");
        let found =
            samples::time_of_contact(a.0, a.1, b.0, b.1, interval, &with_tolerance(1e-6)).expect("a valid query");
        found.answer.spacing
    };
    assert!(spacing > 0.02 && spacing <= 1.0 / 16.0, "{spacing}");
    let (mut missed, mut met) = (0, 0);
    for k in 0..24 {
        let pair = [(along_x.clone(), falling(0.3 + 0.004 * Real::from(k))), (along_z.clone(), still)];
        let [(exact, _), (sampled, _)] = [Method::Auto, Method::Samples].map(|method| ask_all(&pair, 1.0, method));
        let first = exact.contact().expect("they cross").time;
        match sampled.contact() {
            Some(contact) => assert!(contact.time >= first - 1e-5, "{sampled:?} before {first}"),
            None => assert_eq!(sampled, Toc::Separated),
        }
        missed += usize::from(sampled == Toc::Separated);
        met += usize::from(sampled.contact().is_some());
    }
    assert!(missed > 0 && met > 0, "{missed} missed, {met} met");
    let corner = [(along_x, falling(0.0)), (rod([2.0, 0.01, 2.0]), still)];
    let [(exact, _), (sampled, _)] = [Method::Auto, Method::Samples].map(|method| ask_all(&corner, 1.0, method));
    let [exact, sampled] = [exact, sampled].map(|toc| toc.contact().expect("it falls on it").time);
    assert!((exact - sampled).abs() < 1e-5, "{exact} {sampled}");
}

#[test]
fn looks_find_what_overlaps_at_the_end_and_estimates_take_fewer() {
    let pair = rod_past_a_post();
    let met = PAST_A_POST.stop_angle();
    let [halving, estimate] = [Method::Halving, Method::Estimate].map(|method| {
        // There the rod's middle line is in the post's.
        let (toc, looks) = ask_all(&pair, PAST_A_POST.angle, method);
        let time = toc.contact().map(|c| c.time);
        assert!(time.is_some_and(|t| t <= met && t > met - 1e-5), "{method:?}: {toc:?} {met}");
        looks
    });
    assert!(estimate < halving, "{estimate} looks against {halving}");
}

#[test]
fn looks_say_when_solids_start_in_each_other() {
    let ball = Shape::ball(0.5).expect("a radius");
    let at = |x: Real| RigidMotion::at_rest(Pose::translation(x, 0.0, 0.0));
    let pair = [(ball.clone(), at(0.0)), (ball, at(0.9))];
    for method in [Method::Halving, Method::Estimate] {
        let (toc, _) = ask_all(&pair, 1.0, method);
        let Toc::Overlapping(contact) = toc else { panic!("{method:?}: {toc:?}") };
        assert!((contact.separation + 0.1).abs() < 1e-6 && contact.normal.x > 0.999, "{contact:?}");
    }
}
