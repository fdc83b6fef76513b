//! `ccd run`: the report, the poses, the exit code, and errors that say where.

mod common;

use common::{Folder, assert_near, keys};
use serde_json::{Value, json};

/// A box that falls 0.1 m onto a floor.
fn falling_box() -> Value {
    json!({
        "format": "ccd-case/1",
        "name": "box on floor",
        "world": {"gravity": [0, -10, 0], "dt": 0.01, "steps": 50},
        "bodies": [
            {"name": "floor", "kind": "static", "shape": {"type": "box", "half_extents": [10, 0.5, 10]}, "position": [0, -0.5, 0]},
            {"name": "box", "kind": "dynamic", "shape": {"type": "mesh", "file": "box.obj"}, "position": [0, 0.6, 0]}
        ],
        "expect": [
            {"kind": "all_finite"},
            {"kind": "never_interpenetrates", "tol": 0},
            {"kind": "contact", "a": "floor", "b": "box", "by": 0.2}
        ]
    })
}

fn folder_with(case: &Value) -> Folder {
    let folder = Folder::new();
    folder.ccd(&["make", "box"]).succeeds();
    folder.write("case.json", serde_json::to_string_pretty(case).unwrap_or_default());
    folder
}

#[test]
fn a_report_has_what_the_format_promises() {
    let folder = folder_with(&falling_box());
    let ran = folder.ccd(&["run", "case.json", "--poses", "poses.jsonl"]).succeeds();
    let report = ran.json();
    for key in [
        "name",
        "steps",
        "simulated_s",
        "wall_s",
        "ms_per_step",
        "phases_ms",
        "counters",
        "min_separation",
        "max_penetration",
        "contacts_max",
        "time_lost_s",
        "energy",
        "expect",
    ] {
        assert!(keys(&report).contains(&key), "{key}");
    }
    assert_eq!(keys(&report["ms_per_step"]), ["max", "median", "p95"]);
    assert_eq!(keys(&report["phases_ms"]), ["broad", "check", "narrow", "response"]);
    assert_eq!((&report["name"], &report["steps"]), (&json!("box on floor"), &json!(50)));
    assert_near(&report["simulated_s"], 0.5, 1e-12);
    assert_eq!(report["max_penetration"], json!(0.0));
    assert_eq!(report["energy"].as_array().map(Vec::len), Some(51));
    assert_near(&report["energy"][0], 6000.0, 1e-6);
    let verdicts = report["expect"].as_array().cloned().unwrap_or_default();
    assert_eq!(verdicts.len(), 3);
    for verdict in &verdicts {
        for key in ["kind", "ok", "value", "why"] {
            assert!(keys(verdict).contains(&key), "{key}");
        }
        assert_eq!(verdict["ok"], json!(true), "{verdict}");
    }
    assert!(ran.err.contains("50 steps") && ran.err.contains("3 hold"), "{}", ran.err);

    let frames = folder.read("poses.jsonl");
    let frames: Vec<Value> = frames.lines().map(|l| serde_json::from_str(l).unwrap_or_default()).collect();
    assert_eq!(frames.len(), 51);
    for (i, frame) in frames.iter().enumerate() {
        assert_near(&frame["t"], 0.01 * i as f64, 1e-12);
        assert_eq!(frame["bodies"].as_array().map(Vec::len), Some(2));
        assert_eq!(frame["bodies"][1].as_array().map(Vec::len), Some(13));
    }
    assert_eq!(frames[0]["bodies"][1], json!([0.0, 0.6, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    assert_near(&frames[50]["bodies"][1][1], 0.5, 1e-3);
}

#[test]
fn options_override_the_case_and_move_the_report() {
    let folder = folder_with(&falling_box());
    let ran = folder.ccd(&["run", "case.json", "--steps", "4", "--dt", "0.005", "--report", "r.json"]).succeeds();
    assert_eq!(ran.out, "");
    let report: Value = serde_json::from_str(&folder.read("r.json")).unwrap_or_default();
    assert_eq!(report["steps"], json!(4));
    assert_near(&report["simulated_s"], 0.02, 1e-12);
    // The box has not landed, and it was not given the time to.
    assert_eq!(report["expect"][2]["ok"], Value::Null, "{report}");
    for wrong in [["--steps", "0"], ["--dt", "0"], ["--dt", "-1"], ["--dt", "inf"], ["--threads", "0"]] {
        assert_eq!(folder.ccd(&["run", "case.json", wrong[0], wrong[1]]).code, 2, "{wrong:?}");
    }
}

#[test]
fn only_what_must_hold_and_does_not_fails_the_run() {
    let mut case = falling_box();
    let run_with = |case: &mut Value, entry: Value| {
        case["expect"] = json!([entry]);
        folder_with(case).ccd(&["run", "case.json"])
    };
    let drift = json!({"kind": "com_drift", "body": "box", "max": 0.01});
    let failed = run_with(&mut case, drift.clone());
    assert_eq!(failed.code, 1);
    assert_eq!(failed.json()["expect"][0]["ok"], json!(false));
    assert!(failed.err.contains("FAILED: com_drift"), "{}", failed.err);
    let mut should = drift;
    should["severity"] = json!("should");
    let ran = run_with(&mut case, should).succeeds();
    assert_eq!(ran.json()["expect"][0]["ok"], json!(false));
    let ran = run_with(&mut case, json!({"kind": "sings"})).succeeds();
    assert_eq!(ran.json()["expect"][0]["ok"], Value::Null);
    assert!(ran.json()["expect"][0]["why"].as_str().is_some_and(|why| why.contains("not known")));
}

#[test]
fn planes_that_expectations_name_tell_who_was_stopped_and_who_went_through() {
    let ball = |name: &str, x: f64| {
        json!({"name": name, "kind": "dynamic", "shape": {"type": "sphere", "radius": 0.1}, "position": [x, 1, 0],
               "linear_velocity": [0, -20, 0]})
    };
    let mut case = falling_box();
    case["bodies"] = json!([case["bodies"][0], ball("hits", 0.0), ball("misses", 20.0)]);
    case["expect"] = json!([{"kind": "side_of_plane", "body": "hits", "point": [0, -0.5, 0], "normal": [0, 1, 0],
                             "measure": "com", "min": 0.5}]);
    let ran = folder_with(&case).ccd(&["run", "case.json"]).succeeds();
    assert!(ran.err.contains("1 stopped, 1 went through"), "{}", ran.err);
    let plane = &ran.json()["planes"][0];
    assert_eq!((&plane["stayed"], &plane["crossed"]), (&json!(1), &json!(1)));
}

/// A ball that comes down at 1 m/s without gravity, its centre from the height `y` on, and a floor whose top is at zero.
fn coming_down(y: f64) -> Value {
    let mut case = falling_box();
    case["world"] = json!({"gravity": [0, 0, 0], "dt": 0.1, "steps": 3});
    case["bodies"][1] = json!({"name": "ball", "kind": "dynamic", "shape": {"type": "sphere", "radius": 0.1},
                               "position": [0, y, 0], "linear_velocity": [0, -1, 0]});
    case
}

#[test]
fn the_last_frame_of_a_time_counts_for_planes_as_for_what_is_expected_of_them() {
    // The third frame is at 0.30000000000000004 s.
    let mut case = coming_down(1.25);
    case["expect"] = json!([{"kind": "side_of_plane", "body": "ball", "point": [0, 1, 0], "normal": [0, 1, 0],
                             "measure": "com", "min": 0, "within_t": [0, 0.3]}]);
    let ran = folder_with(&case).ccd(&["run", "case.json"]);
    assert_eq!(ran.code, 1);
    let report = ran.json();
    assert_eq!((&report["expect"][0]["ok"], &report["planes"][0]["crossed"]), (&json!(false), &json!(1)));
}

#[test]
fn what_begins_in_a_plane_goes_through_it_where_it_comes_out_on_the_other_side() {
    let mut case = coming_down(0.2);
    case["world"]["restitution"] = json!(1);
    case["world"]["steps"] = json!(5);
    case["expect"] = json!([{"kind": "side_of_plane", "body": "ball", "point": [0, 0.2, 0], "normal": [0, 1, 0],
                             "measure": "com", "min": -1}]);
    let ran = folder_with(&case).ccd(&["run", "case.json"]).succeeds();
    assert_eq!(ran.json()["planes"][0]["crossed"], json!(1));
}

#[test]
fn a_contact_counts_from_when_the_two_touch_and_not_from_the_end_of_that_step() {
    for (y, by, code) in [(0.35, 0.27, 0), (0.35, 0.23, 1), (0.1, 0.0, 0), (0.1001, 0.0, 0), (0.102, 0.0, 1)] {
        let mut case = coming_down(y);
        case["expect"] = json!([{"kind": "contact", "a": "floor", "b": "ball", "by": by}]);
        let ran = folder_with(&case).ccd(&["run", "case.json"]);
        assert_eq!(ran.code, code, "from {y} m by {by} s: {}", ran.err);
    }
}

#[test]
fn who_touch_at_the_start_have_touched_unless_they_pass_through_each_other() {
    for (y, group, code) in [(0.1, None, 1), (0.1001, None, 1), (0.102, None, 0), (0.1, Some(1), 0)] {
        let mut case = coming_down(y);
        case["bodies"][1]["linear_velocity"] = json!([0, 1, 0]);
        for body in [0, 1].into_iter().filter(|_| group.is_some()) {
            case["bodies"][body]["no_collide_group"] = json!(group);
        }
        case["expect"] = json!([{"kind": "no_contact", "a": "floor", "b": "ball"}]);
        let ran = folder_with(&case).ccd(&["run", "case.json"]);
        assert_eq!(ran.code, code, "from {y} m, {group:?}: {}", ran.err);
    }
}

#[test]
fn who_has_enough_of_the_report_still_learns_how_the_run_ended() {
    let mut case = coming_down(0.35);
    case["expect"] = json!([{"kind": "no_contact", "a": "floor", "b": "ball"}]);
    let folder = folder_with(&case);
    let ran = folder.ccd_unread(&["run", "case.json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("no_contact"), "{}", ran.err);
}

#[test]
fn the_poses_are_the_same_for_any_number_of_threads() {
    let mut case = falling_box();
    let bodies: Vec<Value> = (0..12)
        .map(|i| {
            json!({"name": format!("b{i}"), "kind": "dynamic", "shape": {"type": "box", "half_extents": [0.2, 0.2, 0.2]},
                   "position": [0.3 * f64::from(i % 3), 0.5 + 0.5 * f64::from(i), 0.1 * f64::from(i % 2)]})
        })
        .collect();
    if let Some(all) = case["bodies"].as_array_mut() {
        all.truncate(1);
        all.extend(bodies);
    }
    case["expect"] = json!([]);
    let folder = folder_with(&case);
    for threads in ["1", "2", "5"] {
        folder.ccd(&["run", "case.json", "--threads", threads, "--poses", &format!("{threads}.jsonl")]).succeeds();
    }
    assert_eq!(folder.read("1.jsonl"), folder.read("2.jsonl"));
    assert_eq!(folder.read("1.jsonl"), folder.read("5.jsonl"));
}

#[test]
fn what_is_wrong_with_a_case_is_said_with_file_line_key_and_body() {
    let text = serde_json::to_string_pretty(&falling_box()).unwrap_or_default();
    let folder = folder_with(&falling_box());
    let line_of = |part: &str| text[..text.find(part).unwrap_or(text.len())].matches('\n').count() + 1;
    let shape_of_the_box = line_of("\"file\"") - 1;
    for (old, new, parts) in [
        ("\"dt\": 0.01", "\"dt\": -0.01", vec!["key \"world.dt\""]),
        ("\"steps\"", "\"step\"", vec!["key \"world.step\"", "unknown key"]),
        ("\"file\": \"box.obj\"", "\"file\": \"bax.obj\"", vec!["body \"box\"", "bax.obj"]),
        ("\"type\": \"box\"", "\"type\": \"boxx\"", vec!["body \"floor\"", "key \"shape.type\"", "half_space"]),
        ("\"b\": \"box\"", "\"b\": \"bx\"", vec!["key \"expect[2].b\"", "bx"]),
    ] {
        assert!(text.contains(old), "{old}");
        folder.write("bad.json", text.replacen(old, new, 1));
        let line = if old.contains("box.obj") { shape_of_the_box } else { line_of(old) };
        folder.ccd(&["run", "bad.json"]).refuses(&["bad.json", &format!("line {line},")]).refuses(&parts);
    }
    folder.write("bad.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n");
    folder.write("bad.json", text.replacen("box.obj", "bad.obj", 1));
    folder.ccd(&["run", "bad.json"]).refuses(&["bad.json", "body \"box\"", "key \"shape.file\"", "bad.obj, line 3"]);
    folder.ccd(&["run", "missing.json"]).refuses(&["missing.json"]);
}

#[test]
fn shapes_that_cannot_be_run_say_so() {
    let folder = folder_with(&falling_box());
    let mut case = falling_box();
    case["bodies"][1]["shape"] = json!({"type": "bezier", "file": "patch.bez"});
    folder.write("bad.json", case.to_string());
    folder.ccd(&["run", "bad.json"]).refuses(&["bad.json", "line 1", "body \"box\"", "patch.bez"]);
    let mut case = falling_box();
    case["bodies"][1]["shape"] = json!({"type": "half_space", "normal": [0, 1, 0]});
    folder.write("bad.json", case.to_string());
    folder.ccd(&["run", "bad.json"]).refuses(&["bad.json", "body \"box\"", "key \"kind\""]);
}

#[test]
fn bodies_that_overlap_at_the_start_are_named_or_separated() {
    let mut case = falling_box();
    case["bodies"][1]["position"] = json!([0, 0.4, 0]);
    let folder = folder_with(&case);
    folder.ccd(&["run", "case.json"]).refuses(&["case.json", "\"floor\"", "\"box\"", "overlap", "initial_overlap"]);
    case["world"]["initial_overlap"] = json!("separate");
    case["expect"] = json!([{"kind": "position_bound", "body": "box", "axis": 1, "max": 0.51}]);
    folder.write("case.json", case.to_string());
    folder.ccd(&["run", "case.json"]).succeeds();
}

#[test]
fn a_report_that_has_no_place_is_told_of_before_the_run_and_not_after_it() {
    let folder = folder_with(&falling_box());
    // A folder that is not there, no file, and a name that no file can have.
    for report in ["no/such/folder/r.json", ".", &"r".repeat(300)] {
        folder.ccd(&["run", "case.json", "--poses", "p.jsonl", "--report", report]).refuses(&[report]);
        assert!(!folder.path().join("p.jsonl").exists(), "{report}");
    }
    // Of a run that is refused later nothing is left, and what was there stays.
    let mut overlapping = falling_box();
    overlapping["bodies"][1]["position"] = json!([0, 0.4, 0]);
    folder.write("overlapping.json", overlapping.to_string());
    folder.write("old.json", "an older report");
    for report in ["new.json", "old.json"] {
        folder.ccd(&["run", "overlapping.json", "--report", report]).refuses(&["overlap"]);
    }
    assert!(!folder.path().join("new.json").exists() && folder.read("old.json") == "an older report");
}

#[test]
fn what_a_run_reads_is_never_written_over() {
    let folder = folder_with(&falling_box());
    let (case, model) = (folder.read("case.json"), folder.read("box.obj"));
    for (options, what) in [
        (&["--report", "case.json"][..], "the case itself"),
        (&["--poses", "./case.json"], "the case itself"),
        (&["--report", "box.obj"], "a file of the case"),
        (&["--poses", "box.obj"], "a file of the case"),
        (&["--report", "out", "--poses", "./out"], "the same file"),
    ] {
        folder.ccd(&[&["run", "case.json"], options].concat()).refuses(&[options[0], what]);
    }
    assert_eq!((folder.read("case.json"), folder.read("box.obj")), (case, model));
    assert!(!folder.path().join("out").exists());
    folder.ccd(&["run", "case.json", "--report", "out", "--poses", "poses"]).succeeds();
    folder.ccd(&["run", "case.json", "--report", "out", "--poses", "poses"]).succeeds();
    if cfg!(unix) {
        folder.ccd(&["run", "case.json", "--report", "/dev/null", "--poses", "/dev/null"]).succeeds();
    }
}

#[test]
fn a_body_that_had_to_be_stopped_fails_what_asks_for_finite_numbers() {
    let mut case = falling_box();
    case["world"]["dt"] = json!(1e15);
    case["world"]["steps"] = json!(3);
    case["expect"] = json!([{"kind": "all_finite"}]);
    let folder = folder_with(&case);
    let ran = folder.ccd(&["run", "case.json"]);
    assert_eq!((ran.code, &ran.json()["quarantined"]), (1, &json!(["box"])), "{ran:?}");
    assert_eq!(ran.json()["expect"][0]["ok"], json!(false));
}

#[test]
fn a_run_by_another_method_names_it_and_says_where_it_may_miss() {
    let mut case = falling_box();
    let folder = folder_with(&case);
    for (method, promise, said) in [
        ("auto", Value::Null, None),
        ("advancement", Value::Null, Some("detection by advancement\n")),
        ("halving", json!("looks"), Some("detection by halving, which looks at some instants only and may miss")),
    ] {
        case["world"]["detection"] = json!(method);
        folder.write("case.json", case.to_string());
        let ran = folder.ccd(&["run", "case.json"]).succeeds();
        let report = ran.json();
        assert_eq!((&report["detection"], &report["promise"]), (&json!(method), &promise));
        assert_eq!(said.is_some(), ran.err.contains("detection by"), "{}", ran.err);
        assert!(said.is_none_or(|said| ran.err.contains(said)), "{}", ran.err);
    }
}

#[test]
fn what_is_held_in_a_gap_without_an_impact_is_not_said_to_have_had_too_many() {
    let wall = |name: &str, x: f64| json!({"name": name, "kind": "static", "shape": {"type": "box", "half_extents": [0.5, 5, 5]}, "position": [x, 0, 0]});
    let block = json!({"name": "block", "kind": "dynamic", "shape": {"type": "box", "half_extents": [0.1, 0.1, 0.1]}});
    let folder = folder_with(&json!({
        "format": "ccd-case/1", "name": "tight", "world": {"dt": 0.01, "steps": 5, "friction": 0},
        "bodies": [wall("left", -0.600_001), wall("right", 0.600_001), block]
    }));
    let ran = folder.ccd(&["run", "case.json"]).succeeds();
    assert_eq!((&ran.json()["counters"]["impacts"], &ran.json()["held"]), (&json!(0), &json!(["block"])), "{ran:?}");
    assert!(ran.err.contains(" lost, 1 of 3 bodies held: ") && ran.err.contains("no room"), "{}", ran.err);
}

#[test]
fn names_cannot_steer_the_terminal() {
    let mut case = falling_box();
    case["bodies"][0]["name"] = json!("floor\u{1b}[31m\n");
    case["expect"] = json!([{"kind": "no_contact", "a": "floor\u{1b}[31m\n", "b": "box"}]);
    let folder = folder_with(&case);
    let ran = folder.ccd(&["run", "case.json"]);
    assert!(ran.code == 1 && ran.err.contains("floor\\u{1b}[31m\\n"), "{ran:?}");
    assert!(!ran.err.contains('\u{1b}'), "{ran:?}");
    case["bodies"][0]["shape"]["half_extents"] = json!([1, 2]);
    folder.write("case.json", case.to_string());
    folder.ccd(&["run", "case.json"]).refuses(&["floor\\u{1b}[31m\\n", "half_extents"]);
}

#[test]
fn every_scene_of_the_corpus_can_be_stepped() {
    let Some(corpus) = std::env::var_os("CCD_CORPUS").map(std::path::PathBuf::from) else {
        eprintln!("skipped: CCD_CORPUS is not set");
        return;
    };
    let folder = Folder::new();
    let scenes = std::fs::read_dir(corpus.join("scenes")).map(|dir| dir.flatten().collect::<Vec<_>>());
    let scenes = scenes.unwrap_or_default();
    assert!(!scenes.is_empty(), "the corpus has no scenes");
    for scene in scenes {
        let path = scene.path();
        let ran = folder.ccd(&["run", &path.to_string_lossy(), "--steps", "2"]);
        assert_ne!(ran.code, 2, "{}: {}", path.display(), ran.err);
        assert_eq!(ran.json()["max_penetration"], json!(0.0), "{}", path.display());
    }
}

#[test]
fn the_reduction_of_contacts_is_the_one_asked_for() {
    // A prism on a box: they share twenty corners.
    let corner = |k: u32| {
        let (z, x) = (std::f64::consts::TAU * f64::from(k % 20) / 20.0).sin_cos();
        [0.4 * x, if k < 20 { -0.5 } else { 0.5 }, 0.4 * z]
    };
    let prism: Vec<[f64; 3]> = (0..40).map(corner).collect();
    let resting = |reduction: &str| {
        json!({
            "format": "ccd-case/1",
            "name": "prism",
            "world": {"gravity": [0, -10, 0], "dt": 0.01, "steps": 3, "reduction": reduction},
            "bodies": [
                {"name": "below", "kind": "static", "shape": {"type": "box", "half_extents": [0.5, 0.5, 0.5]}, "position": [0, -0.5, 0]},
                {"name": "above", "kind": "dynamic", "shape": {"type": "convex", "points": prism}, "position": [0, 0.5001, 0]}
            ],
            "expect": [{"kind": "all_finite"}]
        })
    };
    let folder = Folder::new();
    for (reduction, contacts) in [("manifold", 12), ("none", 20), ("cluster", 20), ("average", 1)] {
        folder.write("case.json", resting(reduction).to_string());
        let report = folder.ccd(&["run", "case.json"]).succeeds().json();
        assert_eq!(report["contacts_max"], json!(contacts), "{reduction}");
    }
    folder.write("case.json", resting("most").to_string());
    folder.ccd(&["run", "case.json"]).refuses(&[
        "case.json",
        "world.reduction",
        "most",
        "manifold",
        "cluster",
        "average",
        "none",
    ]);
}
