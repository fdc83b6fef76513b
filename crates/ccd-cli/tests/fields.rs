//! Solids given by functions on the command line: the example cases, and queries with every kind of shape.

mod common;

use common::{Folder, assert_near};
use serde_json::{Value, json};

/// An example case, with the whole path.
fn example(name: &str) -> String {
    format!("{}/../../assets/cases/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_torus_falls_through_a_ring_and_pegs_into_holes_as_the_examples_say() {
    let folder = Folder::new();
    for name in ["torus-through-ring.json", "peg-and-drilled-block.json"] {
        let report = folder.ccd(&["run", &example(name)]).succeeds().json();
        assert_eq!(report["max_penetration"], json!(0.0), "{name}");
        let expect = report["expect"].as_array().cloned().unwrap_or_default();
        assert!(!expect.is_empty() && expect.iter().all(|e| e["ok"] == json!(true)), "{name}: {expect:?}");
    }
}

fn shapes() -> Vec<Value> {
    vec![
        json!({"type": "torus", "major_radius": 0.4, "minor_radius": 0.1}),
        json!({"type": "ellipsoid", "radii": [0.5, 0.5, 0.2]}),
        json!({"type": "superquadric", "radii": [0.5, 0.5, 0.5], "exponents": [0.4, 0.4]}),
        json!({"type": "union", "of": [
            {"type": "sphere", "radius": 0.3, "position": [0.2, 0, 0]},
            {"type": "box", "half_extents": [0.5, 0.1, 0.1]}]}),
        json!({"type": "intersection", "of": [
            {"type": "sphere", "radius": 0.5},
            {"type": "box", "half_extents": [1, 0.3, 1], "rotation": [0, 0, 0, 1]}]}),
        json!({"type": "difference", "of": [
            {"type": "mesh", "file": "box.obj", "scale": [0.6, 0.6, 0.6]},
            {"type": "torus", "major_radius": 0.4, "minor_radius": 0.05}]}),
        json!({"type": "sdf", "of": {"type": "mesh", "file": "box.obj"}, "cell": 0.1}),
    ]
}

#[test]
fn toc_and_closest_take_every_kind_of_field_against_every_other() {
    let folder = Folder::new();
    folder.ccd(&["make", "box"]).succeeds();
    let kinds = shapes();
    let (mut toc, mut closest) = (String::new(), String::new());
    for a in &kinds {
        for b in &kinds {
            let start = json!({"a": {"shape": a, "position": [0, 3, 0], "linear_velocity": [0, -4, 0]}, "b": {"shape": b}, "duration": 1, "tolerance": 1e-4});
            toc.push_str(&format!("{start}\n"));
            let pair = json!({"a": {"shape": a, "position": [0, 3, 0]}, "b": {"shape": b}});
            closest.push_str(&format!("{pair}\n"));
        }
    }
    folder.write("toc.jsonl", toc);
    folder.write("closest.jsonl", closest);
    let times = folder.ccd(&["toc", "toc.jsonl"]).succeeds().json_lines();
    let distances = folder.ccd(&["closest", "closest.jsonl"]).succeeds().json_lines();
    assert_eq!((times.len(), distances.len()), (49, 49));
    for (t, d) in times.iter().zip(&distances) {
        let distance = d["distance"].as_f64().unwrap_or(f64::NAN);
        assert!(distance > 1.0 && distance < 3.0, "{d}");
        // Straight down at 4 m/s: no contact before the distance is covered.
        if let Some(time) = t["toc"].as_f64() {
            assert!(4.0 * time >= distance - 2e-4, "{t} {d}");
        }
    }
    // Two tori in line never have their holes in the way: the tubes meet after 2.8 m.
    assert_near(&times[0]["toc"], 0.7, 1e-4);
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
