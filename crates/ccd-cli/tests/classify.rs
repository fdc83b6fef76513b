//! `ccd classify`.

mod common;

use common::{Folder, assert_near};
use serde_json::json;

/// A unit cube at the origin, as quads.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n";

#[test]
fn points_are_inside_outside_or_on_the_very_vertex_edge_or_face() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("points.csv", "0.5,0.5,0.5\n2, 0.5, 0.5\n\n1,1,1\n0.5,0,0\n0.5,0.5,1\n0.25,0.5,1.0000001\n1.5,1,1\n");
    let lines: Vec<String> =
        folder.ccd(&["classify", "cube.obj", "points.csv"]).succeeds().out.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 7, "one answer a query: {lines:?}");
    assert_eq!([&*lines[0], &*lines[1], &*lines[2]], ["inside", "outside", "vertex 6"]);
    assert!(lines[3].starts_with("edge "), "{lines:?}");
    assert!(lines[4].starts_with("face "), "the middle of a face, on the seam of its triangles: {lines:?}");
    assert!(lines[5].starts_with("face "), "within the tolerance: {lines:?}");
    assert_eq!(lines[6], "outside", "on the line beyond an edge");

    let json = folder.ccd(&["classify", "cube.obj", "points.csv", "--json"]).succeeds().json_lines();
    assert_eq!(json[0], json!({"place": "inside", "feature": null}));
    assert_eq!(json[2], json!({"place": "vertex", "feature": "vertex 6"}));
    assert_eq!(json[3]["place"], json!("edge"));
    let wide = folder.ccd(&["classify", "cube.obj", "points.csv", "--tolerance", "0.6"]).succeeds();
    assert!(wide.out.lines().next().is_some_and(|l| l.starts_with("face ")), "{wide:?}");
    assert!(wide.err.contains("closer than") && wide.err.contains("apart"), "features closer than 100 ε: {wide:?}");
}

#[test]
fn segments_are_told_as_the_sequence_of_what_they_pass() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    // Through two faces; along an edge and beyond; in a face, from its edge to its corner.
    folder.write("segments.csv", "-1,0.4,0.3,3,0.4,0.3\n-1,0,0,3,0,0\n-1,-1,1,2,2,1\n5,5,5,6,6,6\n");
    let lines = folder.ccd(&["classify", "cube.obj", "segments.csv", "--json"]).succeeds().json_lines();
    let places = |i: usize| -> Vec<String> {
        let pieces = lines[i]["pieces"].as_array().cloned().unwrap_or_default();
        pieces.iter().map(|p| p["place"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(places(0), ["outside", "face", "inside", "face", "outside"]);
    assert_near(&lines[0]["pieces"][1]["at"], 0.25, 1e-9);
    assert_near(&lines[0]["pieces"][3]["point"][0], 1.0, 1e-9);
    assert_near(&lines[0]["pieces"][2]["from"], 0.25, 1e-5);
    assert!(lines[0]["pieces"][2]["at"].is_null());
    assert_eq!(places(1), ["outside", "vertex", "edge", "vertex", "outside"]);
    assert_eq!(places(2), ["outside", "vertex", "face", "vertex", "outside"]);
    assert_eq!(places(3), ["outside"]);
    let text = folder.ccd(&["classify", "cube.obj", "segments.csv"]).succeeds().out;
    assert!(
        text.starts_with("outside 0..0.249") && text.contains(", (face ") && text.contains(", inside 0.25"),
        "{text}"
    );
}

#[test]
fn what_is_no_solid_is_refused_with_its_edge_or_its_faces_and_bad_lines_with_their_number() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("points.csv", "0,0,0\n");
    let open: String = CUBE.lines().filter(|l| *l != "f 5 6 7 8").map(|l| format!("{l}\n")).collect();
    folder.write("open.obj", open);
    folder.ccd(&["classify", "open.obj", "points.csv"]).refuses(&["open.obj", "open", "edge of vertices 4 and 5"]);
    let second: String = CUBE
        .lines()
        .map(|l| match l.strip_prefix("v ") {
            Some(p) => {
                let moved: Vec<String> =
                    p.split(' ').map(|x| (x.parse::<f64>().unwrap_or(0.0) + 0.5).to_string()).collect();
                format!("v {}\n", moved.join(" "))
            }
            None => {
                let corners = l.trim_start_matches("f ").split(' ');
                let moved: Vec<String> = corners.map(|c| (c.parse::<u32>().unwrap_or(0) + 8).to_string()).collect();
                format!("f {}\n", moved.join(" "))
            }
        })
        .collect();
    folder.write("crossing.obj", format!("{CUBE}{second}"));
    folder.ccd(&["classify", "crossing.obj", "points.csv"]).refuses(&["crossing.obj", "meets itself", "face "]);
    // A third wall on one edge.
    folder.write("fin.obj", format!("{CUBE}v 0.5 -1 -1\nf 1 2 9\nf 2 1 9\n"));
    folder.ccd(&["classify", "fin.obj", "points.csv"]).refuses(&["fin.obj", "edge of vertices 0 and 1"]);
    folder.write("inwards.obj", CUBE.replace("f 4 3 2 1", "f 1 2 3 4"));
    folder.ccd(&["classify", "inwards.obj", "points.csv"]).refuses(&["inwards.obj", "wound against each other"]);

    folder.write("bad.csv", "0,0,0\n\n0,0\n");
    folder.ccd(&["classify", "cube.obj", "bad.csv"]).refuses(&["bad.csv", "line 3", "2 columns"]);
    folder.write("bad.csv", "0,0,x\n");
    folder.ccd(&["classify", "cube.obj", "bad.csv"]).refuses(&["bad.csv", "line 1", "column 3", "`x`"]);
    folder.write("bad.csv", "0,0,inf\n");
    folder.ccd(&["classify", "cube.obj", "bad.csv"]).refuses(&["bad.csv", "line 1", "not finite"]);
    folder.ccd(&["classify", "cube.obj", "points.csv", "--tolerance", "0"]).refuses(&["cube.obj", "tolerance 0"]);
    folder.ccd(&["classify", "cube.obj", "missing.csv"]).refuses(&["missing.csv"]);
}
