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
        let inspected =
            folder.ccd(&["inspect", &format!("made/here/{name}.obj"), "--json", "--levels=2"]).succeeds().json();
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
    let inspected = folder.ccd(&["inspect", "a/box.obj", "--json", "--levels=1"]).succeeds().json();
    assert_near(&inspected["volume"], 6.0, 1e-12);
    assert_eq!(folder.ccd(&["inspect", "a/sphere.obj", "--json", "--levels=1"]).succeeds().json()["faces"], json!(80));
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

/// A tetrahedron whose faces have vertices of their own where they meet at the origin, and a vertex that no face uses.
const APART: &str = "v 9 9 9\nv 0 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 2 5 4\nf 3 4 6\nf 2 6 5\nf 4 5 6\n";

#[test]
fn a_model_that_joining_vertices_closes_is_a_solid_to_every_command() {
    let folder = Folder::new();
    folder.write("apart.obj", APART);
    let json = folder.ccd(&["inspect", "apart.obj", "--json", "--levels=2"]).succeeds().json();
    assert_eq!((&json["surface"], &json["closed"], &json["not_solid"]), (&json!("solid"), &json!(true), &json!(null)));
    assert_eq!((&json["vertices"], &json["joined_vertices"]), (&json!(4), &json!(1)));
    assert_near(&json["volume"], 1.0 / 6.0, 1e-12);
    folder.write("points.csv", "0.1,0.1,0.1\n1,1,1\n0,0,1\n");
    assert_eq!(folder.ccd(&["classify", "apart.obj", "points.csv"]).succeeds().out, "inside\noutside\nvertex 3\n");
    let mesh = json!({"type": "mesh", "file": "apart.obj"});
    let ball = json!({"type": "sphere", "radius": 0.01});
    let query = json!({"a": {"shape": mesh}, "b": {"shape": ball, "position": [0.1, 0.1, 0.1]}});
    folder.write("q.jsonl", query.to_string());
    let closest = folder.ccd(&["closest", "q.jsonl"]).succeeds().json();
    assert_near(&closest["distance"], -0.11, 1e-9);
}

#[test]
fn what_cannot_be_made_or_read_is_named() {
    let folder = Folder::new();
    folder.ccd(&["make", "teapot"]).refuses(&["teapot"]);
    folder.ccd(&["make", "box", "--depth", "1"]).refuses(&["depth", "box"]);
    folder.ccd(&["make", "box", "--x", "wide"]).refuses(&["--x", "wide"]);
    folder.ccd(&["make", "box", "--x", "-1"]).refuses(&["box", "x", "-1"]);
    // Not with three hundred digits.
    folder.ccd(&["make", "coin", "--spin", "1e300"]).refuses(&["coin: spin is 1e300, but must be between "]);
    folder.ccd(&["make", "box", "--x"]).refuses(&["--x"]);
    folder.ccd(&["make", "torus", "--minor-radius", "--out", "x"]).refuses(&["`--minor-radius` has no value"]);
    folder.ccd(&["inspect", "missing.obj"]).refuses(&["missing.obj"]);
    folder.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    folder.ccd(&["inspect", "bad.obj"]).refuses(&["bad.obj", "line 4", "9"]);
    folder.ccd(&["classify", "bad.obj", "points.csv"]).refuses(&["bad.obj", "line 4", "9"]);
}

#[test]
fn inspect_reports_every_hierarchy_and_each_level_of_spheres_with_its_error() {
    let folder = Folder::new();
    folder.ccd(&["make", "torus", "--major-segments", "16", "--minor-segments", "8"]).succeeds();
    let inspected = folder.ccd(&["inspect", "torus.obj", "--json", "--levels", "3"]).succeeds().json();
    assert_eq!(inspected["not_solid"], json!(null));
    assert_eq!(inspected["meets_itself"], json!(null));
    let hierarchies = inspected["hierarchies"].as_array().unwrap();
    for name in
        ["AABB tree", "OBB tree", "18-DOP tree", "sphere tree, octree", "sphere tree, medial axis", "B-rep index"]
    {
        let found = hierarchies.iter().find(|h| h["name"] == json!(name)).unwrap();
        assert_eq!(found["error"], json!(null), "{name}");
        for key in ["nodes", "height", "average_height", "bytes", "build_ms"] {
            assert!(found[key].as_f64().is_some_and(|n| n > 0.0), "{name}: {key} is {}", found[key]);
        }
        if name.starts_with("sphere") {
            let levels = found["levels"].as_array().unwrap();
            assert_eq!((levels.len(), levels[0]["spheres"].clone()), (3, json!(1)));
            let error = |level: usize| levels[level]["error"].as_f64().unwrap();
            assert!(error(2) < error(0) && error(1) < error(0), "{levels:?}");
        }
    }
    let text = folder.ccd(&["inspect", "torus.obj", "--levels=2"]).succeeds().out;
    assert!(text.contains("OBB tree: ") && text.contains("    level 1: ") && !text.contains("level 2: "), "{text}");
    folder.ccd(&["inspect", "torus.obj", "--levels=9"]).refuses(&["9 levels", "1 to 8"]);
}

/// A box as text, its faces wound inwards if `inwards`; its vertices are numbered from `first`.
fn box_text(low: f64, high: f64, first: usize, inwards: bool) -> String {
    let mut text = String::new();
    for i in 0..8 {
        let at = |k: usize| if i >> k & 1 == 1 { high } else { low };
        text += &format!("v {} {} {}\n", at(0), at(1), at(2));
    }
    for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
        let [b, d] = if inwards { [d, b] } else { [b, d] };
        text += &format!("f {} {} {} {}\n", a + first, b + first, c + first, d + first);
    }
    text
}

#[test]
fn shells_that_lie_in_each_other_wrongly_or_are_wound_inwards_are_no_solid() {
    let folder = Folder::new();
    let outer = box_text(0.0, 1.0, 1, false);
    folder.write("hollow.obj", format!("{outer}{}", box_text(0.25, 0.75, 9, true)));
    folder.write("twice.obj", format!("{outer}{}", box_text(0.25, 0.75, 9, false)));
    folder.write("inwards.obj", format!("{outer}{}", box_text(2.0, 2.5, 9, true)));
    let why =
        |file: &str| folder.ccd(&["inspect", file, "--json", "--levels=2"]).succeeds().json()["not_solid"].clone();
    assert_eq!(why("hollow.obj"), json!(null));
    for (file, times) in [("twice.obj", "winds 2 times"), ("inwards.obj", "winds -1 times")] {
        let why = why(file);
        assert!(why.as_str().is_some_and(|why| why.contains(times)), "{file}: {why}");
    }
}

#[test]
fn what_is_no_solid_is_told_by_the_edge_or_the_faces_at_fault() {
    let folder = Folder::new();
    let tetrahedron = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
    folder.write("open.obj", tetrahedron);
    folder.write("closed.obj", format!("{tetrahedron}f 2 3 4\n"));
    // Another one whose corner comes through the slanted face of the first.
    let other = "v 1 1 0\nv 9 9 1\nv 9 8 3\nv 8 9 3\nf 5 7 6\nf 5 8 7\nf 5 6 8\nf 6 7 8\n";
    folder.write("through.obj", format!("{tetrahedron}f 2 3 4\n{other}"));
    let why = |file: &str| {
        let inspected = folder.ccd(&["inspect", file, "--json", "--levels=2"]).succeeds().json();
        let medial =
            inspected["hierarchies"].as_array().unwrap().iter().find(|h| h["name"] == "sphere tree, medial axis");
        (inspected["not_solid"].clone(), medial.unwrap()["error"].clone(), inspected["meets_itself"].clone())
    };
    assert_eq!(why("closed.obj"), (json!(null), json!(null), json!(null)));
    let (open, medial, _) = why("open.obj");
    assert!(open.as_str().unwrap().contains("the edge of vertices 1 and 2 has only face 0"), "{open}");
    assert!(medial.as_str().unwrap().contains("the edge of vertices 1 and 2"), "{medial}");
    let (through, medial, faces) = why("through.obj");
    let [one, other] = [0, 1].map(|k| faces[k].as_u64().unwrap());
    assert!(one < 4 && (4..8).contains(&other));
    assert!(through.as_str().unwrap().contains(&format!("face {one} and face {other}")), "{through}");
    assert!(medial.as_str().unwrap().contains(&format!("face {one} and face {other}")), "{medial}");
    assert!(
        folder.ccd(&["inspect", "open.obj", "--levels=1"]).succeeds().out.contains("no solid: the surface is open")
    );
}

#[test]
fn a_warped_face_that_crosses_itself_from_one_side_alone_is_taken() {
    let folder = Folder::new();
    folder.write("warped.obj", "v 0 0 0\nv 1 0 0\nv 1 1 1\nv 0 1 -1\nf 1 2 3 4\n");
    let inspected = folder.ccd(&["inspect", "warped.obj", "--json", "--levels=1"]).succeeds().json();
    assert_eq!((&inspected["faces"], &inspected["closed"]), (&json!(2), &json!(false)));
}
