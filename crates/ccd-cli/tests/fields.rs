//! Solids given by functions on the command line: the example cases, and queries with every kind of shape.

mod common;

use common::Folder;
use serde_json::{Value, json};

/// An example case, with the whole path.
fn example(name: &str) -> String {
    format!("{}/../../assets/cases/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_peg_falls_into_its_hole_and_a_thicker_one_stays_on_top() {
    let folder = Folder::new();
    let report = folder.ccd(&["run", &example("peg-and-drilled-block.json")]).succeeds().json();
    assert_eq!(report["max_penetration"], json!(0.0));
    let expect = report["expect"].as_array().cloned().unwrap_or_default();
    assert!(!expect.is_empty() && expect.iter().all(|e| e["ok"] == json!(true)), "{expect:?}");
}

#[test]
fn what_cannot_be_a_field_is_refused_with_its_key() {
    let folder = Folder::new();
    let query = |shape: Value| {
        json!({"a": {"shape": shape}, "b": {"shape": {"type": "sphere", "radius": 1}}, "duration": 1}).to_string()
    };
    folder.write(
        "q.jsonl",
        query(json!({"type": "sdf", "of": {"type": "half_space", "normal": [0, 1, 0]}, "cell": 0.1})),
    );
    folder.ccd(&["toc", "q.jsonl"]).refuses(&["q.jsonl", "unbounded"]);
    let apart = json!({"type": "intersection", "of": [{"type": "sphere", "radius": 1}, {"type": "sphere", "radius": 1, "position": [5, 0, 0]}]});
    folder.write("q.jsonl", query(apart));
    folder.ccd(&["toc", "q.jsonl"]).refuses(&["q.jsonl", "empty"]);
}
