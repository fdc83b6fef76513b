//! `ccd make` and `ccd inspect`.

mod common;

use common::{Folder, assert_near, keys};
use serde_json::json;

#[test]
fn every_model_that_is_listed_is_made_and_inspected() {
    let folder = Folder::new();
    let listed = folder.ccd(&["make"]).succeeds().err;
    for name in ["bullet", "warped-plane", "torus", "ring", "gear", "box", "sphere"] {
        assert!(listed.contains(name), "{name} is not in {listed}");
        folder.ccd(&["make", name, "--out", "made/here"]).succeeds();
        let inspected = folder.ccd(&["inspect", &format!("made/here/{name}.obj"), "--json"]).succeeds().json();
        assert_eq!(inspected["closed"], json!(name != "warped-plane"), "{name}");
        assert_eq!(inspected["volume"].is_null(), name == "warped-plane", "{name}");
        assert!(inspected["hierarchies"].as_array().is_some_and(|h| !h.is_empty()), "{name}");
    }
}

#[test]
fn sizes_are_options_before_or_after_the_folder() {
    let folder = Folder::new();
    folder.ccd(&["make", "box", "--x", "2", "--out", "a", "--y=3"]).succeeds();
    folder.ccd(&["make", "--out", "a", "sphere", "--subdivisions", "1"]).succeeds();
    let inspected = folder.ccd(&["inspect", "a/box.obj", "--json"]).succeeds().json();
    assert_near(&inspected["volume"], 6.0, 1e-12);
    assert_eq!(folder.ccd(&["inspect", "a/sphere.obj", "--json"]).succeeds().json()["faces"], json!(80));
}

#[test]
fn cases_are_made_with_their_models_and_can_be_run() {
    let folder = Folder::new();
    let listed = folder.ccd(&["make"]).succeeds().err;
    for name in ["tower", "pyramid", "heap", "chain"] {
        assert!(listed.contains(name), "{name} is not in {listed}");
    }
    folder.ccd(&["make", "bullets", "--out", "b"]).succeeds();
    for name in ["dt100ms", "dt16ms", "dt100ms-rifled", "dt16ms-rifled"] {
        assert!(folder.path().join(format!("b/bullets-{name}.json")).exists(), "{name}");
    }
    let made = folder.ccd(&["make", "tower", "--height", "3", "--out", "t"]).succeeds().err;
    let case = made.lines().find(|l| l.ends_with(".json")).unwrap_or_default().to_owned();
    let report = folder.ccd(&["run", &case, "--steps", "20"]).json();
    assert_eq!(report["counters"]["bodies"], json!(4), "{report}");
}

#[test]
fn an_inspection_tells_counts_topology_and_mass() {
    let folder = Folder::new();
    folder.ccd(&["make", "box"]).succeeds();
    let json = folder.ccd(&["inspect", "box.obj", "--json"]).succeeds().json();
    for key in ["vertices", "edges", "faces", "closed", "manifold", "volume", "centre_of_mass", "inertia"] {
        assert!(keys(&json).contains(&key), "{key}");
    }
    assert_eq!((&json["vertices"], &json["edges"], &json["faces"]), (&json!(8), &json!(18), &json!(12)));
    assert_near(&json["volume"], 1.0, 1e-12);
    assert_near(&json["inertia"][0][0], 1.0 / 6.0, 1e-12);
    for key in ["name", "nodes", "height", "average_height", "build_ms"] {
        assert!(keys(&json["hierarchies"][0]).contains(&key), "{key}");
    }
    let text = folder.ccd(&["inspect", "box.obj"]).succeeds().out;
    assert!(text.contains("vertices 8") && text.contains("volume"), "{text}");
}

#[test]
fn what_cannot_be_made_or_read_is_named() {
    let folder = Folder::new();
    folder.ccd(&["make", "teapot"]).refuses(&["teapot"]);
    folder.ccd(&["make", "box", "--depth", "1"]).refuses(&["depth", "box"]);
    folder.ccd(&["make", "box", "--x", "wide"]).refuses(&["--x", "wide"]);
    folder.ccd(&["make", "box", "--x", "-1"]).refuses(&["box", "x", "-1"]);
    folder.ccd(&["make", "box", "--x"]).refuses(&["--x"]);
    folder.ccd(&["inspect", "missing.obj"]).refuses(&["missing.obj"]);
    folder.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    folder.ccd(&["inspect", "bad.obj"]).refuses(&["bad.obj", "line 4", "9"]);
    folder.ccd(&["classify", "bad.obj", "points.csv"]).refuses(&["bad.obj", "B-rep index"]);
}
