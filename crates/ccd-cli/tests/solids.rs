//! Compounds and surfaces of patches in queries and cases.

mod common;

use common::{Folder, assert_near};
use serde_json::json;

/// A flat square patch of 2 m in the plane y = 0, facing up.
fn square() -> String {
    let numbers: Vec<String> = (1..=16).map(|n| n.to_string()).collect();
    // u runs along z and v along x, so that ∂u × ∂v points up.
    let point = |k: i32| format!("{},0,{}", f64::from(k % 4) * 2.0 / 3.0 - 1.0, f64::from(k / 4) * 2.0 / 3.0 - 1.0);
    let points: Vec<String> = (0..16).map(point).collect();
    format!("1\n{}\n16\n{}\n", numbers.join(","), points.join("\n"))
}

#[test]
fn a_compound_falls_onto_a_patch_at_the_time_of_its_lowest_part() {
    let folder = Folder::new();
    folder.write("square.txt", square());
    let ball = |x: f64, y: f64| json!({"type": "sphere", "radius": 0.25, "position": [x, y, 0]});
    let query = json!({
        "a": {"shape": {"type": "bezier", "file": "square.txt"}},
        "b": {
            "shape": {"type": "compound", "of": [ball(-0.5, 0.1), ball(0.5, 0.0)]},
            "position": [0, 1.25, 0], "linear_velocity": [0, -1, 0],
        },
        "duration": 2.0, "tolerance": 1e-6,
    });
    folder.write("q.jsonl", format!("{query}\n"));
    let answer = folder.ccd(&["toc", "q.jsonl"]).succeeds().json();
    assert_near(&answer["toc"], 1.0, 2e-6);
    assert!(answer["toc"].as_f64().is_some_and(|t| t <= 1.0), "never late: {answer}");
    assert_near(&answer["normal"][1], 1.0, 1e-6);
    // Of two parts, face 0 of the second is face 0 · 2 + 1.
    assert_eq!(answer["features"], json!(["face 0", "face 1"]));
    let closest = folder.ccd(&["closest", "q.jsonl"]);
    assert_eq!(closest.code, 2, "a query of distances knows no velocities");
}

#[test]
fn a_file_of_patches_that_is_none_is_refused_with_its_line() {
    let folder = Folder::new();
    folder.write("square.txt", square().replacen("1,2,3", "1,x,3", 1));
    let query = json!({
        "a": {"shape": {"type": "bezier", "file": "square.txt"}},
        "b": {"shape": {"type": "sphere", "radius": 1}, "position": [0, 5, 0]},
    });
    folder.write("q.jsonl", format!("{query}\n"));
    folder.ccd(&["closest", "q.jsonl"]).refuses(&["square.txt", "line 2", "`x`"]);
}

#[test]
fn the_cases_of_compounds_and_patches_are_made_and_hold_what_they_expect() {
    let folder = Folder::new();
    folder.ccd(&["make", "dumb-bells", "--count", "3"]).succeeds();
    let report = folder.ccd(&["run", "dumb-bells-3.json", "--steps", "120"]).json();
    assert_eq!(report["max_penetration"], json!(0.0), "{report}");
    folder.ccd(&["make", "pots", "--count", "1"]).succeeds();
    let report = folder.ccd(&["run", "pots-1.json", "--steps", "5"]).json();
    assert_eq!(report["max_penetration"], json!(0.0), "{report}");
}
