//! `ccd features`, `ccd closest` and `ccd toc`: answers line by line, and errors that name the line.

mod common;

use common::{Folder, assert_near, keys};
use serde_json::{Value, json};

/// A vertex that falls onto a triangle, and one that misses it.
const FEATURES: &str = "\
0.2,0.2,1, 0,0,0, 1,0,0, 0,1,0, 0.2,0.2,-1, 0,0,0, 1,0,0, 0,1,0, 1, \"more\"
2,2,1, 0,0,0, 1,0,0, 0,1,0, 2,2,-1, 0,0,0, 1,0,0, 0,1,0
";

#[test]
fn features_are_answered_a_line_a_query() {
    let folder = Folder::new();
    folder.write("vf.csv", FEATURES);
    let out = folder.ccd(&["features", "--kind", "vf", "vf.csv"]).succeeds().out;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2);
    let toc: f64 = lines[0].parse().unwrap_or(f64::NAN);
    assert!(toc <= 0.5 && toc > 0.499, "{out}");
    assert_eq!(lines[1], "none");
    folder.write("ee.csv", "-1,0,1, 1,0,1, 0,-1,0, 0,1,0, -1,0,-3, 1,0,-3, 0,-1,0, 0,1,0\n");
    let out = folder.ccd(&["features", "--kind", "ee", "ee.csv"]).succeeds().out;
    let toc: f64 = out.trim().parse().unwrap_or(f64::NAN);
    assert!(toc <= 0.25 && toc > 0.249, "{out}");
}

#[test]
fn a_wrong_line_of_features_is_named() {
    let folder = Folder::new();
    folder.write("vf.csv", format!("{FEATURES}1,2,3\n"));
    folder.ccd(&["features", "--kind", "vf", "vf.csv"]).refuses(&["vf.csv", "line 3", "24"]);
    folder.write("vf.csv", format!("\n{}", FEATURES.replacen("0.2", "x", 1)));
    folder.ccd(&["features", "--kind", "vf", "vf.csv"]).refuses(&["vf.csv", "line 2", "column 1", "x"]);
    folder.write("vf.csv", FEATURES.replacen("0.2", "1e999", 1));
    folder.ccd(&["features", "--kind", "vf", "vf.csv"]).refuses(&["vf.csv", "line 1", "column 1", "1e999"]);
    assert_eq!(folder.ccd(&["features", "--kind", "xx", "vf.csv"]).code, 2);
}

/// The files of a query about a ball and the mesh of a box.
fn folder_with_a_box() -> Folder {
    let folder = Folder::new();
    folder.ccd(&["make", "box"]).succeeds();
    folder
}

fn ball_and_box(position: [f64; 3], more: &Value) -> String {
    let mut query = json!({
        "a": {"shape": {"type": "sphere", "radius": 0.5}},
        "b": {"shape": {"type": "mesh", "file": "box.obj"}, "position": position},
    });
    if let (Some(query), Some(more)) = (query.as_object_mut(), more.as_object()) {
        query.extend(more.clone());
    }
    query.to_string()
}

#[test]
fn closest_points_are_answered_a_line_a_query() {
    let folder = folder_with_a_box();
    let apart = ball_and_box([3.0, 0.0, 0.0], &json!({"method": "auto"}));
    let overlapping = ball_and_box([0.9, 0.0, 0.0], &json!({}));
    folder.write("q.jsonl", format!("{apart}\n\n{overlapping}\n"));
    let answers = folder.ccd(&["closest", "q.jsonl"]).succeeds().json_lines();
    assert_eq!(answers.len(), 2);
    for answer in &answers {
        assert_eq!(keys(answer), ["distance", "features", "iterations", "normal", "ns", "point_a", "point_b"]);
        assert_near(&answer["normal"][0], 1.0, 1e-6);
    }
    assert_near(&answers[0]["distance"], 2.0, 1e-9);
    assert_near(&answers[0]["point_a"][0], 0.5, 1e-9);
    assert_near(&answers[0]["point_b"][0], 2.5, 1e-9);
    assert_near(&answers[1]["distance"], -0.1, 1e-6);
}

#[test]
fn every_method_of_closest_gives_the_same_distance_and_vclip_the_features_by_name() {
    let folder = Folder::new();
    // Corner 7 of A over the middle of a face of B; the same boxes as hulls, and as parts of compounds.
    let cuboid = json!({"type": "box", "half_extents": [0.5, 0.5, 0.5]});
    let points: Vec<[f64; 3]> = (0..8).map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.5 } else { -0.5 })).collect();
    let hull = json!({"type": "convex", "points": points});
    let parts = json!({"type": "compound", "of": [cuboid, {"type": "box", "half_extents": [0.1, 0.1, 0.1], "position": [0, 0, -3]}]});
    let turned = [0.119_573_155_865_229_15, 0.365_998_154_693_325_5, 0.0, 0.922_900_909_402_371_7];
    let mut lines = Vec::new();
    for shape in [&cuboid, &hull, &parts] {
        for method in ["vclip", "gjk", "auto", "separating_axis"] {
            lines.push(
                json!({"a": {"shape": shape}, "b": {"shape": shape, "position": [0.1, 0.2, 2.5], "rotation": turned}, "method": method})
                    .to_string(),
            );
        }
    }
    folder.write("q.jsonl", lines.join("\n"));
    let answers = folder.ccd(&["closest", "q.jsonl"]).succeeds().json_lines();
    assert_eq!(answers.len(), 12);
    for answers in answers.chunks(4) {
        let distance = answers[0]["distance"].as_f64().unwrap_or(f64::NAN);
        assert!(distance > 0.5, "{answers:?}");
        for answer in answers {
            assert_near(&answer["distance"], distance, 1e-12);
            assert_near(&answer["normal"][2], 1.0, 0.5);
            assert_eq!(answer["features"], answers[0]["features"]);
        }
    }
    // Overlapping: minus the least translation that separates them.
    for method in ["vclip", "gjk", "auto", "separating_axis"] {
        let deep =
            json!({"a": {"shape": cuboid}, "b": {"shape": hull, "position": [0.75, 0.125, 0]}, "method": method});
        folder.write("q.jsonl", deep.to_string());
        let answers = folder.ccd(&["closest", "q.jsonl"]).succeeds().json_lines();
        assert_near(&answers[0]["distance"], -0.25, 1e-9);
        assert_near(&answers[0]["normal"][0], 1.0, 1e-9);
    }
    // A ball has no features to walk over, nor to take axes from.
    for (method, name) in [("vclip", "V-Clip"), ("separating_axis", "the separating axis test")] {
        let ball = json!({"a": {"shape": cuboid}, "b": {"shape": {"type": "sphere", "radius": 1}}, "method": method});
        folder.write("q.jsonl", ball.to_string());
        folder.ccd(&["closest", "q.jsonl"]).refuses(&["q.jsonl", "line 1", "key \"method\"", name, "sphere"]);
    }
}

#[test]
fn a_wrong_query_is_named_and_nothing_is_answered() {
    let folder = folder_with_a_box();
    let good = ball_and_box([3.0, 0.0, 0.0], &json!({}));
    for (bad, key) in [
        (good.replace("\"radius\"", "\"radus\""), "a.shape.radus"),
        (good.replace("0.5", "-0.5"), "a.shape.radius"),
        (good.replace("box.obj", "cube.obj"), "b.shape.file"),
        (good.replace("\"sphere\"", "\"spher\""), "a.shape.type"),
        (good.replace("\"b\"", "\"c\""), "c"),
        (good.replace("[3.0,0.0,0.0]", "[3.0,0.0]"), "b.position"),
        (good.replace("[3.0,0.0,0.0]", "[3.0,0.0,1e999]"), "b.position[2]"),
        (ball_and_box([3.0, 0.0, 0.0], &json!({"method": "magic"})), "method"),
        // That V-Clip takes no balls shows only when it is asked.
        (ball_and_box([3.0, 0.0, 0.0], &json!({"method": "vclip"})), "method"),
    ] {
        folder.write("q.jsonl", format!("{good}\n{bad}\n"));
        folder.ccd(&["closest", "q.jsonl"]).refuses(&["q.jsonl", "line 2", &format!("key \"{key}\"")]);
    }
    folder.write("q.jsonl", format!("{good}\n{{\n"));
    folder.ccd(&["closest", "q.jsonl"]).refuses(&["q.jsonl", "line 2", "JSON"]);
    folder.ccd(&["closest", "missing.jsonl"]).refuses(&["missing.jsonl"]);
}

#[test]
fn times_of_contact_are_answered_a_line_a_query() {
    let folder = folder_with_a_box();
    let moving = json!({"duration": 1, "tolerance": 1e-6, "method": "auto"});
    let at = |x: f64, v: f64| {
        let mut query: Value = serde_json::from_str(&ball_and_box([x, 0.0, 0.0], &moving)).unwrap_or_default();
        query["b"]["linear_velocity"] = json!([v, 0, 0]);
        query.to_string()
    };
    // A gap of 2 m at 4 m/s; the same, going away; touching at the start.
    folder.write("q.jsonl", format!("{}\n{}\n{}\n", at(3.0, -4.0), at(3.0, 4.0), at(0.9, 0.0)));
    let answers = folder.ccd(&["toc", "q.jsonl"]).succeeds().json_lines();
    assert_eq!(answers.len(), 3);
    for answer in &answers {
        for key in ["toc", "point", "normal", "separation", "features", "us"] {
            assert!(keys(answer).contains(&key), "{key}");
        }
    }
    let toc = answers[0]["toc"].as_f64().unwrap_or(f64::NAN);
    assert!(toc <= 0.5 && toc > 0.5 - 1e-6, "{toc}");
    assert_near(&answers[0]["normal"][0], 1.0, 1e-6);
    assert_near(&answers[0]["point"][0], 0.5, 1e-5);
    assert_eq!(answers[0]["features"].as_array().map(Vec::len), Some(2));
    assert!(answers[0].get("overlap").is_none());
    assert_eq!(answers[1]["toc"], Value::Null);
    assert_eq!((&answers[2]["toc"], &answers[2]["overlap"]), (&json!(0.0), &json!(true)));
}

#[test]
fn answers_of_methods_that_may_miss_say_what_they_promise_and_no_others_do() {
    // A bullet through a thin wall, behind which it is at the end: the looks miss it.
    let query = |method: &str| {
        json!({
            "a": {"shape": {"type": "sphere", "radius": 0.01}, "position": [0, 5, 0], "linear_velocity": [0, -1000, 0]},
            "b": {"shape": {"type": "box", "half_extents": [1, 0.001, 1]}}, "duration": 0.02, "method": method
        })
    };
    let folder = Folder::new();
    for (method, promise, misses) in [
        ("auto", Value::Null, false),
        ("advancement", Value::Null, false),
        ("obb-bisection", Value::Null, false),
        ("segments", json!("shallow"), false),
        ("samples", json!("samples"), false),
        ("halving", json!("looks"), true),
        ("estimate", json!("looks"), true),
    ] {
        folder.write("q.jsonl", query(method).to_string());
        let answer = folder.ccd(&["toc", "q.jsonl"]).succeeds().json();
        assert_eq!((answer["toc"].is_null(), &answer["promise"]), (misses, &promise), "{method}");
    }
}

#[test]
fn two_solids_that_no_method_takes_are_refused_by_a_key_that_is_there() {
    let plane = json!({"shape": {"type": "half_space", "normal": [0, 1, 0]}});
    let folder = Folder::new();
    folder.write("q.jsonl", json!({"a": plane, "b": plane}).to_string());
    folder.ccd(&["closest", "q.jsonl"]).refuses(&["line 1", "key \"b.shape\"", "half-space and half-space"]);
    folder.write("q.jsonl", json!({"a": plane, "b": plane, "duration": 1}).to_string());
    folder.ccd(&["toc", "q.jsonl"]).refuses(&["line 1", "key \"b.shape\"", "half-space against half-space"]);
}

#[test]
fn a_motion_turns_about_the_given_centre() {
    let folder = Folder::new();
    // A rod of half length 1 along x that turns about its left end a quarter turn, into a ball above that end.
    let query = json!({
        "a": {"shape": {"type": "box", "half_extents": [1, 0.01, 0.01]}, "position": [1, 0, 0],
              "angular_velocity": [0, 0, std::f64::consts::FRAC_PI_2], "centre": [-1, 0, 0]},
        "b": {"shape": {"type": "sphere", "radius": 0.1}, "position": [0, 1.5, 0]},
        "duration": 2
    });
    folder.write("q.jsonl", query.to_string());
    let toc = folder.ccd(&["toc", "q.jsonl"]).succeeds().json()["toc"].as_f64().unwrap_or(f64::NAN);
    // The rod is 0.01 thick, the ball 0.1: they meet where 1.5 · cos = 0.11.
    let expected = 1.0 - (0.11f64 / 1.5).asin() / std::f64::consts::FRAC_PI_2;
    assert!(toc <= expected && toc > expected - 1e-4, "{toc} {expected}");
}

#[test]
fn a_wrong_time_of_contact_query_is_named_and_nothing_is_answered() {
    let folder = folder_with_a_box();
    let good = ball_and_box([3.0, 0.0, 0.0], &json!({"duration": 1}));
    let torus = json!({"shape": {"type": "torus", "major_radius": 1, "minor_radius": 0.2}});
    let field_by_features = json!({"duration": 1, "a": torus, "method": "obb-bisection"});
    for (bad, key) in [
        // That a method does not take a pair shows only when it is asked.
        (ball_and_box([3.0, 0.0, 0.0], &field_by_features), "method"),
        (good.replace("\"duration\":1", "\"duration\":-1"), "duration"),
        (good.replace("\"duration\":1", "\"span\":1"), "span"),
        (good.replace("\"duration\":1", "\"duration\":1,\"tolerance\":0"), "tolerance"),
        (good.replace("\"duration\":1", "\"duration\":1,\"method\":\"magic\""), "method"),
        (good.replace("\"position\"", "\"velocity\""), "b.velocity"),
        (good.replace("box.obj", "cube.obj"), "b.shape.file"),
    ] {
        folder.write("q.jsonl", format!("{good}\n{bad}\n"));
        folder.ccd(&["toc", "q.jsonl"]).refuses(&["q.jsonl", "line 2", &format!("key \"{key}\"")]);
    }
}

#[test]
fn tables_may_start_with_a_mark_of_the_byte_order() {
    let folder = Folder::new();
    let row = "0,1,0,-1,0,-1,1,0,-1,0,0,1,0,-1,0,-1,0,-1,1,0,-1,0,0,1\n";
    folder.write("plain.csv", row);
    folder.write("marked.csv", format!("\u{feff}{row}"));
    let answer = |file: &str| folder.ccd(&["features", "--kind", "vf", file]).succeeds().out;
    assert_eq!(answer("marked.csv"), answer("plain.csv"));
}

#[test]
fn no_distance_is_less_than_nothing_by_a_sign_alone() {
    let folder = Folder::new();
    let side = |y: f64| json!({"shape": {"type": "box", "half_extents": [0.5, 0.5, 0.5]}, "position": [0, y, 0]});
    let pairs = [-1.0, 0.0].map(|y| json!({"a": side(y), "b": side(y + 1.0)}).to_string());
    folder.write("q.jsonl", pairs.join("\n"));
    let answers = folder.ccd(&["closest", "q.jsonl"]).succeeds().out;
    assert!(!answers.contains("\"distance\":-0.0,"), "{answers}");
}

#[test]
fn a_contact_far_along_a_motion_is_within_the_tolerance_or_undecided() {
    let folder = Folder::new();
    let ball = json!({"type": "sphere", "radius": 1});
    let query = |speed: f64, gap: f64, duration: f64| {
        json!({
            "a": {"shape": ball, "linear_velocity": [speed, 0, 0]},
            "b": {"shape": ball, "position": [gap + 2.0, 0, 0]},
            "duration": duration, "tolerance": 1e-6
        })
        .to_string()
    };
    let queries = [query(1.0, 3.0, 1e14), query(1e15, 3.0, 10.0), query(1e3, 3.0, 1e5), query(1e3, 9e9, 1e8)];
    folder.write("q.jsonl", queries.join("\n"));
    let answers = folder.ccd(&["toc", "q.jsonl"]).succeeds().json_lines();
    for (answer, truly) in answers.iter().zip([3.0, 3e-15, 3e-3]) {
        let toc = answer["toc"].as_f64().unwrap_or(f64::NAN);
        assert!(toc <= truly && toc > truly * (1.0 - 1e-6), "{answer}");
        assert!(answer["separation"].as_f64().is_some_and(|gap| gap <= 1e-6), "{answer}");
        assert!(answer.get("overlap").is_none() && answer.get("undecided").is_none(), "{answer}");
    }
    // Within a unit in its last place the clock lets them come nearer by more than the tolerance.
    let last = &answers[3];
    assert_eq!((&last["undecided"], &last["separation"]), (&json!(true), &json!(null)), "{last}");
    assert!(last["toc"].as_f64().is_some_and(|toc| toc <= 9e6 && toc > 8.9e6), "{last}");
}

#[test]
fn every_method_of_the_format_answers_times_of_contact() {
    let folder = folder_with_a_box();
    let query = |method: &str| {
        let more = json!({"duration": 0.5, "tolerance": 1e-6, "method": method});
        let mut query: Value = serde_json::from_str(&ball_and_box([3.0, 0.0, 0.0], &more)).unwrap_or_default();
        query["b"]["linear_velocity"] = json!([-4.5, 0, 0]);
        query.to_string()
    };
    let methods = ["auto", "obb-bisection", "segments", "advancement", "halving", "estimate"];
    folder.write("q.jsonl", methods.map(query).join("\n"));
    let answers = folder.ccd(&["toc", "q.jsonl"]).succeeds().json_lines();
    // The faces are 2 m apart and close at 4.5 m/s; at the end they overlap by a quarter of a metre.
    let met = 2.0 / 4.5;
    for (method, answer) in methods.iter().zip(&answers) {
        let toc = answer["toc"].as_f64().unwrap_or(f64::NAN);
        assert!(toc <= met && toc > met - 1e-6, "{method}: {answer}");
        assert_near(&answer["normal"][0], 1.0, 1e-6);
    }
    assert_eq!(answers.len(), methods.len());
}

#[test]
fn solids_made_of_patches_and_grids_of_them_are_met_measured_and_simulated() {
    let folder = Folder::new();
    folder.ccd(&["make", "pots"]).succeeds();
    let pot = json!({"type": "bezier", "file": "pot.txt"});
    // The pot is 0.36 m high; without all that is above 0.2 m it ends there.
    let top = json!({"type": "box", "half_extents": [0.4, 0.2, 0.4], "position": [0, 0.4, 0]});
    let cut = json!({"type": "difference", "of": [pot, top]});
    let (cell, ball) = (0.02, json!({"type": "sphere", "radius": 0.05}));
    let grid = json!({"type": "sdf", "of": pot, "cell": cell});
    let over = |shape: &Value, height: f64| json!({"a": {"shape": shape}, "b": {"shape": ball, "position": [0.02, height, 0.01]}});
    let falling = |shape: &Value| {
        let mut query = over(shape, 1.0);
        query["b"]["linear_velocity"] = json!([0, -1, 0]);
        query["duration"] = json!(1);
        query["tolerance"] = json!(1e-4);
        query
    };
    folder.write("closest.jsonl", [over(&cut, 0.35), over(&cut, 0.23)].map(|q| q.to_string()).join("\n"));
    let answers = folder.ccd(&["closest", "closest.jsonl"]).succeeds().json_lines();
    assert_near(&answers[0]["distance"], 0.1, 1e-9);
    assert_near(&answers[0]["normal"][1], 1.0, 1e-9);
    assert_near(&answers[1]["distance"], -0.02, 1e-6);
    folder.write("toc.jsonl", [falling(&cut), falling(&pot), falling(&grid)].map(|q| q.to_string()).join("\n"));
    let answers = folder.ccd(&["toc", "toc.jsonl"]).succeeds().json_lines();
    let times: Vec<f64> = answers.iter().map(|answer| answer["toc"].as_f64().unwrap_or(f64::NAN)).collect();
    assert!(times[0] <= 0.75 && times[0] > 0.75 - 2e-4, "{times:?}");
    // A grid holds what it is of, and reaches no further than two cells beyond.
    assert!(times[2] <= times[1] && times[2] > times[1] - 2.0 * cell, "{times:?}");
    let mut case: Value = serde_json::from_str(&folder.read("pots-1.json")).unwrap_or_default();
    case["bodies"][1]["shape"] = cut;
    case["world"]["steps"] = json!(40);
    case["expect"] = json!([{"kind": "never_interpenetrates"}]);
    folder.write("case.json", case.to_string());
    let report = folder.ccd(&["run", "case.json", "--report", "report.json"]).succeeds();
    assert_eq!(report.code, 0);
    let report: Value = serde_json::from_str(&folder.read("report.json")).unwrap_or_default();
    assert_eq!(report["expect"][0]["ok"], json!(true), "{report}");
}
