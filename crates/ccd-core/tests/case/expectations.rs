//! Every kind of expectation passes where it should and fails where it should, on made-up frames.

use ccd_core::dynamics::BodyKind;
use ccd_core::geometry::field::Operation;
use ccd_core::io::case::Case;
use ccd_core::io::expect::{BodyState, Evaluation, Frame, Measured, Subject, Touch, Verdict};
use ccd_core::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;

const DT: Real = 0.1;

fn subject(name: &str, kind: BodyKind) -> Subject {
    let is_dynamic = kind == BodyKind::Dynamic;
    Subject {
        name: name.to_owned(),
        kind,
        shape: Shape::cuboid([0.5, 0.5, 0.5]).expect("a box"),
        mass: if is_dynamic { 2.0 } else { 0.0 },
        local_com: Point::origin(),
        inertia: if is_dynamic { Matrix::identity() } else { Matrix::zeros() },
        no_collide_group: None,
    }
}

fn at(x: Real, y: Real, z: Real) -> BodyState {
    BodyState { pose: Pose::translation(x, y, z), linear_velocity: Vector::zeros(), angular_velocity: Vector::zeros() }
}

fn turned(state: BodyState, axis: Vector, angle: Real) -> BodyState {
    let pose = Pose::from_parts(state.pose.translation, Rotation::from_scaled_axis(axis * angle));
    BodyState { pose, ..state }
}

/// The judgement on `entry` over the bodies "a" and "b" (dynamic) and "ground" (static, its top at −2).
fn judge(entry: &str, frames: &[[BodyState; 2]]) -> Verdict {
    judge_touching(entry, frames, &[])
}

/// The same where "a" and "b" touch, a hundredth of a second before these frames.
fn judge_touching(entry: &str, frames: &[[BodyState; 2]], touching: &[usize]) -> Verdict {
    let text = format!(
        r#"{{"format": "ccd-case/1", "name": "n", "world": {{"dt": 0.1, "steps": 9}}, "bodies": [
            {{"name": "a", "kind": "dynamic", "shape": {{"type": "box", "half_extents": [0.5, 0.5, 0.5]}}}},
            {{"name": "b", "kind": "dynamic", "shape": {{"type": "box", "half_extents": [0.5, 0.5, 0.5]}}}},
            {{"name": "ground", "kind": "static", "shape": {{"type": "box", "half_extents": [0.5, 0.5, 0.5]}}}}
        ], "expect": [{entry}]}}"#
    );
    let case: Case = text.parse().expect("a valid case");
    let subjects =
        vec![subject("a", BodyKind::Dynamic), subject("b", BodyKind::Dynamic), subject("ground", BodyKind::Static)];
    let mut evaluation = Evaluation::new(&case.expect, subjects, Vector::new(0.0, -10.0, 0.0));
    for (i, [a, b]) in frames.iter().enumerate() {
        let t = i as Real * DT;
        let touched = if touching.contains(&i) { vec![Touch { pair: (0, 1), t: t - 0.01 }] } else { vec![] };
        let bodies = [*a, *b, at(0.0, -2.5, 0.0)];
        evaluation.observe(&Frame { t, bodies: &bodies, touched: &touched });
    }
    evaluation.verdicts().pop().expect("one verdict")
}

/// Frames in which "a" goes along x at 1 m/s, and "b" stands at x = 5.
fn moving() -> Vec<[BodyState; 2]> {
    let along = |i: usize| BodyState { linear_velocity: Vector::x(), ..at(i as Real * DT, 0.0, 0.0) };
    (0..10).map(|i| [along(i), at(5.0, 0.0, 0.0)]).collect()
}

#[track_caller]
fn expect(entry: &str, frames: &[[BodyState; 2]], ok: Option<bool>) -> Verdict {
    let verdict = judge(entry, frames);
    assert_eq!(verdict.ok, ok, "{entry}: {}", verdict.why);
    assert!(!verdict.why.is_empty());
    verdict
}

#[test]
fn a_number_that_is_not_finite_fails_all_that_needs_it() {
    let good = moving();
    let mut bad = moving();
    bad[4][0].linear_velocity.y = Real::NAN;
    bad[4][0].pose.translation.vector.y = Real::NAN;
    for entry in [
        r#"{"kind": "all_finite"}"#,
        r#"{"kind": "never_interpenetrates", "tol": 0}"#,
        r#"{"kind": "energy_nonincreasing", "rel_tol": 0.1}"#,
        r#"{"kind": "energy_conserved", "rel_tol": 0.1}"#,
        r#"{"kind": "angular_momentum_conserved", "rel_tol": 0.1}"#,
        r#"{"kind": "com_drift", "body": "a", "max": 100}"#,
        r#"{"kind": "stands_still", "body": "a", "after": 0, "max_drift": 100, "max_rotation": 9}"#,
        r#"{"kind": "position_bound", "body": "a", "axis": 1, "min": -9, "max": 9}"#,
        r#"{"kind": "linear_velocity", "body": "a", "expected": [null, 0, null], "tol": [null, 9, null]}"#,
        r#"{"kind": "side_of_plane", "body": "a", "point": [0, -1, 0], "normal": [0, 1, 0], "measure": "com", "min": 0}"#,
        r#"{"kind": "between", "body": "b", "a": "a", "b": "a", "axis": 2}"#,
        r#"{"kind": "distance_bounded", "a": "a", "b": "b", "min": 0, "max": 100}"#,
    ] {
        if !entry.contains("energy_nonincreasing") {
            assert_eq!(judge(entry, &bad).ok, Some(false), "{entry}");
        }
        assert_eq!(judge(entry, &good).ok, Some(true), "{entry}: {}", judge(entry, &good).why);
    }
    let energy = judge(r#"{"kind": "energy_nonincreasing", "rel_tol": 0.1}"#, &bad);
    assert_eq!(energy.ok, Some(false), "{}", energy.why);
}

#[test]
fn places_are_judged_at_the_frame_nearest_to_the_time() {
    let frames = moving();
    let v = expect(
        r#"{"kind": "com_position", "body": "a", "t": 0.52, "expected": [0.5, null, 0], "tol": [0.001, null, 0]}"#,
        &frames,
        Some(true),
    );
    assert_eq!(v.value, Measured::Components([0.5, 0.0, 0.0]));
    expect(
        r#"{"kind": "com_position", "body": "a", "t": 0.5, "expected": [0.7, 0, 0], "tol": 0.1}"#,
        &frames,
        Some(false),
    );
    expect(r#"{"kind": "com_position", "body": "a", "t": 2, "expected": [0, 0, 0], "tol": 9}"#, &frames, None);
    let along = |expected: &str| {
        format!(r#"{{"kind": "displacement_along", "body": "a", "axis": [1, 0, 0], "t": 0.9, {expected}}}"#)
    };
    expect(&along(r#""expected": 0.88, "rel_tol": 0.05, "abs_tol": 0"#), &frames, Some(true));
    expect(&along(r#""expected": 0.8, "rel_tol": 0.05, "abs_tol": 0.05"#), &frames, Some(false));
    expect(&along(r#""expected": -0.9, "abs_tol": 0.05"#), &frames, Some(false));
}

#[test]
fn each_of_several_bodies_must_pass() {
    let frames = moving();
    let drift = |bodies: &str, max: &str| format!(r#"{{"kind": "com_drift", "bodies": {bodies}, "max": {max}}}"#);
    expect(&drift(r#"["b"]"#, "0"), &frames, Some(true));
    expect(&drift(r#"["a", "b"]"#, "0.5"), &frames, Some(false));
    let v = expect(&drift(r#"["b", "a"]"#, "0.9"), &frames, Some(true));
    assert!(matches!(v.value, Measured::Number(d) if (d - 0.9).abs() < 1e-12));
}

#[test]
fn drift_counts_from_the_start_and_standing_still_from_the_given_time() {
    // "a" jumps once, early.
    let frames: Vec<_> = (0..10).map(|i| [at(if i < 3 { 0.0 } else { 1.0 }, 0.0, 0.0), at(5.0, 0.0, 0.0)]).collect();
    expect(r#"{"kind": "com_drift", "body": "a", "after": 0.5, "max": 0.5}"#, &frames, Some(false));
    let still = |after: &str| {
        format!(
            r#"{{"kind": "stands_still", "bodies": ["a"], "after": {after}, "max_drift": 0.01, "max_rotation": 0.01}}"#
        )
    };
    expect(&still("0.3"), &frames, Some(true));
    expect(&still("0.2"), &frames, Some(false));
    expect(&still("5"), &frames, None);
    let turning: Vec<_> =
        (0..10).map(|i| [turned(at(0.0, 0.0, 0.0), Vector::y(), 0.1 * i as Real), at(5.0, 0.0, 0.0)]).collect();
    expect(&still("0.3"), &turning, Some(false));
}

#[test]
fn rotation_from_the_start_is_an_angle() {
    let frames: Vec<_> = (0..10)
        .map(|i| [turned(at(0.0, 0.0, 0.0), Vector::new(0.6, 0.8, 0.0), 0.1 * i as Real), at(5.0, 0.0, 0.0)])
        .collect();
    let v = expect(r#"{"kind": "rotation_from_start", "body": "a", "t": 0.9, "max": 0.91}"#, &frames, Some(true));
    assert!(matches!(v.value, Measured::Number(angle) if (angle - 0.9).abs() < 1e-12));
    expect(r#"{"kind": "rotation_from_start", "body": "a", "t": 0.9, "max": 0.89}"#, &frames, Some(false));
}

#[test]
fn bounds_hold_in_every_frame() {
    let frames = moving();
    expect(r#"{"kind": "position_bound", "body": "a", "axis": 0, "max": 0.9001}"#, &frames, Some(true));
    let v =
        expect(r#"{"kind": "position_bound", "body": "a", "axis": 0, "min": 0, "max": 0.85}"#, &frames, Some(false));
    assert!(matches!(v.value, Measured::Number(x) if (x - 0.9).abs() < 1e-12));
    expect(r#"{"kind": "position_bound", "body": "a", "axis": 0, "min": 0.1}"#, &frames, Some(false));
    let speed = |range: &str| {
        format!(r#"{{"kind": "linear_velocity", "body": "b", {range}, "expected": [0, 0, 0], "tol": [0.1, 0.1, 0.1]}}"#)
    };
    let mut kicked = moving();
    kicked[5][1].linear_velocity.z = 1.0;
    expect(&speed(r#""t_from": 0, "t_to": 0.4"#), &kicked, Some(true));
    expect(&speed(r#""t_from": 0, "t_to": 0.5"#), &kicked, Some(false));
    expect(&speed(r#""t_from": 0.6"#), &kicked, Some(true));
    expect(&speed(r#""t_from": 3"#), &kicked, None);
}

#[test]
fn a_time_that_is_none_or_that_the_run_does_not_reach_is_not_judged_and_the_reason_is_true() {
    let speed = |range: &str| {
        format!(r#"{{"kind": "linear_velocity", "body": "b", {range}, "expected": [0, 0, 0], "tol": [0.1, 0.1, 0.1]}}"#)
    };
    let side = |range: &str| {
        format!(
            r#"{{"kind": "side_of_plane", "body": "b", "point": [0, -2, 0], "normal": [0, 1, 0], "measure": "com",
                "min": 0, "within_t": [{range}]}}"#
        )
    };
    // Ten frames: to 0.9 s.
    let frames = moving();
    for (speed_range, side_range, reason) in [
        (r#""t_from": 0.6, "t_to": 0.3"#, "0.6, 0.3", "no time is from t = 0.6 s to t = 0.3 s"),
        (r#""t_from": 0.42, "t_to": 0.48"#, "0.42, 0.48", "no frame lies between t = 0.42 s and t = 0.48 s"),
        (r#""t_from": 0.3, "t_to": 1"#, "0.3, 1", "before t = 1 s"),
        (r#""t_from": 2, "t_to": 3"#, "2, 3", "before t = 2 s"),
    ] {
        for entry in [speed(speed_range), side(side_range)] {
            let verdict = expect(&entry, &frames, None);
            assert!(verdict.why.contains(reason), "{}", verdict.why);
        }
    }
    expect(&side("0.2, 0.92"), &frames, Some(true));
    // What failed has failed, however long the time goes on.
    let mut kicked = moving();
    kicked[5][1].linear_velocity.z = 1.0;
    kicked[5][1].pose.translation.vector.y = -3.0;
    expect(&speed(r#""t_from": 0, "t_to": 5"#), &kicked, Some(false));
    expect(&side("0, 5"), &kicked, Some(false));
}

#[test]
fn a_body_that_was_stopped_for_what_is_not_finite_is_not_all_finite_though_every_frame_is() {
    let case: Case = r#"{"format": "ccd-case/1", "name": "n", "world": {"dt": 0.1, "steps": 9}, "bodies": [],
        "expect": [{"kind": "all_finite"}]}"#
        .parse()
        .expect("a valid case");
    let mut evaluation = Evaluation::new(&case.expect, vec![subject("a", BodyKind::Dynamic)], Vector::zeros());
    evaluation.observe(&Frame { t: 0.0, bodies: &[at(0.0, 0.0, 0.0)], touched: &[] });
    assert_eq!(evaluation.verdicts()[0].ok, Some(true));
    evaluation.note_stopped(0, 0.1);
    let verdict = evaluation.verdicts().remove(0);
    assert!(verdict.ok == Some(false) && verdict.why.contains("\"a\" was stopped at t = 0.1 s"), "{}", verdict.why);
}

#[test]
fn a_side_of_a_plane_is_measured_at_the_outermost_point_or_the_centre() {
    let side = |measure: &str, more: &str| {
        format!(
            r#"{{"kind": "side_of_plane", "body": "a", "point": [0, -0.6, 0], "normal": [0, 1, 0],
                "measure": "{measure}", "min": 0{more}}}"#
        )
    };
    let frames: Vec<_> =
        (0..10).map(|i| [turned(at(0.0, 0.0, 0.0), Vector::z(), 0.1 * i as Real), at(5.0, 0.0, 0.0)]).collect();
    expect(&side("com", ""), &frames, Some(true));
    // A unit box that turns reaches down to √½ at 45°.
    let v = expect(&side("vertices", ""), &frames, Some(false));
    assert!(matches!(v.value, Measured::Number(d) if d < -0.105 && d > 0.6 - 0.5_f64.sqrt() - 1e-9));
    expect(&side("vertices", r#", "within_t": [0, 0.1]"#), &frames, Some(true));
    expect(&side("vertices", r#", "within": {"min": [1, 1, 1], "max": [2, 2, 2]}"#), &frames, Some(true));
    expect(&side("vertices", r#", "within": {"min": [-1, -1, -1], "max": [1, 1, 1]}"#), &frames, Some(false));
}

#[test]
fn bodies_are_judged_against_each_other() {
    let frames = moving();
    expect(r#"{"kind": "between", "body": "ground", "a": "ground", "b": "b", "axis": 0}"#, &frames, Some(true));
    expect(r#"{"kind": "between", "body": "a", "a": "ground", "b": "b", "axis": 0}"#, &frames, Some(true));
    expect(r#"{"kind": "between", "body": "b", "a": "ground", "b": "a", "axis": 0}"#, &frames, Some(false));
    for kind in ["distance_bounded", "origin_distance_bounded"] {
        let bounded = |range: &str| format!(r#"{{"kind": "{kind}", "a": "a", "b": "b", {range}}}"#);
        expect(&bounded(r#""min": 4, "max": 5"#), &frames, Some(true));
        expect(&bounded(r#""min": 4.2"#), &frames, Some(false));
        expect(&bounded(r#""max": 4.9"#), &frames, Some(false));
    }
}

#[test]
fn flips_are_counted_once_each_however_the_axis_trembles() {
    let angles = [0.0, 1.5, 1.6, 1.5, 1.62, 3.0, 1.6, 1.5, 0.2, 0.1];
    let frames: Vec<_> =
        angles.iter().map(|angle| [turned(at(0.0, 0.0, 0.0), Vector::x(), *angle), at(5.0, 0.0, 0.0)]).collect();
    let flips = |range: &str| {
        format!(r#"{{"kind": "flips", "body": "a", "body_axis": [0, 1, 0], "world_axis": [0, 1, 0], {range}}}"#)
    };
    let v = expect(&flips(r#""min": 2, "max": 2"#), &frames, Some(true));
    assert_eq!(v.value, Measured::Count(2));
    expect(&flips(r#""min": 3"#), &frames, Some(false));
    expect(&flips(r#""max": 1"#), &frames, Some(false));
}

#[test]
fn contact_is_wanted_by_a_time_or_not_at_all() {
    let frames = moving();
    let judged = |entry: &str, touching: &[usize]| judge_touching(entry, &frames, touching).ok;
    let by = |t: &str| format!(r#"{{"kind": "contact", "a": "b", "b": "a", "by": {t}}}"#);
    assert_eq!(judged(&by("0.5"), &[5, 6]), Some(true));
    // Within a step, when they did counts, not when it ends.
    assert_eq!(judged(&by("0.495"), &[5, 6]), Some(true));
    assert_eq!(judged(&by("0.485"), &[5, 6]), Some(false));
    assert_eq!(judged(&by("0.5"), &[]), Some(false));
    assert_eq!(judged(&by("5"), &[]), None);
    let never = r#"{"kind": "no_contact", "a": "a", "b": "b"}"#;
    assert_eq!(judged(never, &[]), Some(true));
    assert_eq!(judged(never, &[9]), Some(false));
}

#[test]
fn energy_may_fall_but_not_rise_beyond_what_is_allowed() {
    // "a" falls from rest: ½ v² = 10 h; then it is given more speed than that.
    let falling = |i: usize, gain: Real| {
        let t = i as Real * DT;
        let mut state = at(0.0, -5.0 * t * t, 0.0);
        state.linear_velocity.y = -10.0 * t * (1.0 + gain);
        [state, at(5.0, 0.0, 0.0)]
    };
    let with = |gain: Real| (0..5).map(|i| falling(i, gain)).collect::<Vec<_>>();
    let never = |tol: &str| format!(r#"{{"kind": "energy_nonincreasing", "rel_tol": {tol}}}"#);
    expect(&never("0"), &with(0.0), Some(true));
    expect(&never("0"), &with(-0.1), Some(true));
    expect(&never("0"), &with(0.1), Some(false));
    // Both bodies start 3 m above the lowest point of the ground: 0.05 × 2 · 2 kg · 10 m/s² · 3 m = 6 J are allowed,
    // and speeds that are a tenth too large at 4 m/s gain 0.21 · 16 J = 3.4 J.
    expect(&never("0.05"), &with(0.1), Some(true));
    expect(&never("0.02"), &with(0.1), Some(false));
    let kept = |tol: &str| format!(r#"{{"kind": "energy_conserved", "rel_tol": {tol}}}"#);
    expect(&kept("0"), &moving(), Some(true));
    let mut faster = moving();
    faster[7][0].linear_velocity.x = 1.1;
    expect(&kept("0.2"), &faster, Some(false));
    expect(&kept("0.22"), &faster, Some(true));
}

#[test]
fn angular_momentum_is_kept_by_a_free_flight_and_changed_by_a_spin() {
    let kept = r#"{"kind": "angular_momentum_conserved", "rel_tol": 1e-9}"#;
    let flight = |spin: Real| {
        let one = |i: usize| {
            let t = i as Real * DT;
            let mut a = at(t, -5.0 * t * t, 0.0);
            a.linear_velocity = Vector::new(1.0, -10.0 * t, 0.0);
            a.angular_velocity.z = 1.0 + spin * t;
            let mut b = at(5.0, -5.0 * t * t, 3.0);
            b.linear_velocity.y = -10.0 * t;
            [a, b]
        };
        (0..10).map(one).collect::<Vec<_>>()
    };
    expect(kept, &flight(0.0), Some(true));
    expect(kept, &flight(0.1), Some(false));
}

#[test]
fn an_unknown_kind_is_left_open_and_a_should_does_not_fail_a_run() {
    let v = expect(r#"{"kind": "sings"}"#, &moving(), None);
    assert_eq!(v.kind, "sings");
    assert!(!v.is_failure());
    let v = expect(r#"{"kind": "com_drift", "body": "a", "max": 0, "severity": "should"}"#, &moving(), Some(false));
    assert!(!v.is_failure());
    assert!(expect(r#"{"kind": "com_drift", "body": "a", "max": 0}"#, &moving(), Some(false)).is_failure());
    assert_eq!(judge(r#"{"kind": "com_drift", "body": "a", "max": 0}"#, &[]).ok, None);
}

#[test]
fn an_overlap_is_found_from_the_poses_however_briefly_it_lasts() {
    let never = r#"{"kind": "never_interpenetrates", "tol": 0}"#;
    expect(never, &moving(), Some(true));
    let mut through = moving();
    through[6][0].pose.translation.vector.x = 4.25;
    let v = expect(never, &through, Some(false));
    assert!(matches!(v.value, Measured::Number(depth) if (depth - 0.25).abs() < 1e-9), "{v:?}");
    assert!(v.why.contains("\"a\" and \"b\"") && v.why.contains("t = 0.6"), "{}", v.why);
    expect(r#"{"kind": "never_interpenetrates", "tol": 0.26}"#, &through, Some(true));
    through[6][0].pose.translation.vector = Vector::new(9.0, -2.4, 0.0);
    expect(never, &through, Some(true));
    through[6][0].pose.translation.vector = Vector::new(0.4, -2.4, 0.0);
    expect(never, &through, Some(false));
}

#[test]
fn what_is_put_exactly_into_touch_does_not_overlap() {
    let never = r#"{"kind": "never_interpenetrates", "tol": 0}"#;
    // Both boxes end where the other begins, but for the rounding of places that have no finite binary form.
    for k in 0..40 {
        let x = 0.1 + 0.7 * Real::from(k);
        let frame = [at(x, 0.1, 3.0), at(x + 1.0, 0.1, 3.0)];
        expect(never, &[frame], Some(true));
        let [a, mut b] = frame;
        b.pose.translation.vector.x -= 1e-12;
        expect(never, &[[a, b]], Some(false));
    }
}

/// The judgement of one frame by `never_interpenetrates` with a tolerance of zero.
fn nothing_overlaps(subjects: Vec<Subject>, bodies: &[BodyState]) -> Option<bool> {
    let never: Case = r#"{"format": "ccd-case/1", "name": "n", "world": {"dt": 0.1, "steps": 9}, "bodies": [],
        "expect": [{"kind": "never_interpenetrates", "tol": 0}]}"#
        .parse()
        .expect("a valid case");
    let mut evaluation = Evaluation::new(&never.expect, subjects, Vector::zeros());
    evaluation.observe(&Frame { t: 0.0, bodies, touched: &[] });
    evaluation.verdicts().pop().and_then(|v| v.ok)
}

#[test]
fn bodies_of_one_group_may_overlap_and_the_ground_without_end_is_seen() {
    let grouped = |group| Subject { no_collide_group: group, ..subject("x", BodyKind::Dynamic) };
    let overlapping = [at(0.0, 0.0, 0.0), at(0.5, 0.0, 0.0)];
    assert_eq!(nothing_overlaps(vec![grouped(Some(1)), grouped(Some(1))], &overlapping), Some(true));
    assert_eq!(nothing_overlaps(vec![grouped(Some(1)), grouped(Some(2))], &overlapping), Some(false));
    assert_eq!(nothing_overlaps(vec![grouped(None), grouped(None)], &overlapping), Some(false));
    let fixed = || subject("f", BodyKind::Static);
    assert_eq!(nothing_overlaps(vec![fixed(), fixed()], &overlapping), Some(true));
    let ground = Subject { shape: Shape::half_space(Vector::y()).expect("a half-space"), ..fixed() };
    assert_eq!(
        nothing_overlaps(vec![ground.clone(), grouped(None)], &[at(9.0, 0.0, 0.0), at(0.0, 0.51, 0.0)]),
        Some(true)
    );
    assert_eq!(nothing_overlaps(vec![ground, grouped(None)], &[at(9.0, 0.0, 0.0), at(0.0, 0.49, 0.0)]), Some(false));
}

#[test]
fn round_solids_put_exactly_into_touch_do_not_overlap_and_those_a_micrometre_deeper_do() {
    let shape = |s: Shape, kind| Subject { shape: s, ..subject("s", kind) };
    let ball = |radius, x| (Shape::ball(radius).expect("a ball"), Pose::translation(x, 0.0, 0.0));
    let union = Shape::csg(Operation::Union, &[ball(0.3, 0.0), ball(0.2, 0.0)]).expect("a union");
    let round = [
        (Shape::cylinder(0.25, 0.3).expect("a cylinder"), 0.3),
        (Shape::ellipsoid([0.3, 0.2, 0.25]).expect("an ellipsoid"), 0.2),
        (Shape::torus(0.4, 0.1).expect("a torus"), 0.1),
        (union, 0.3),
    ];
    for (solid, height) in round {
        let floor = Shape::cuboid([1.0, 0.5, 1.0]).expect("a box");
        let judged = |height: f64| {
            let subjects = vec![shape(floor.clone(), BodyKind::Static), shape(solid.clone(), BodyKind::Dynamic)];
            nothing_overlaps(subjects, &[at(0.0, -0.5, 0.0), at(0.1, height, 0.0)])
        };
        let kind = solid.as_solid().kind();
        assert_eq!([judged(height), judged(height - 2e-6)], [Some(true), Some(false)], "{kind}");
    }
}
