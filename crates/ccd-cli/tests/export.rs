//! `ccd run` of a world that was exported in flight: it is the world's own future.

#![allow(clippy::expect_used, reason = "a test that cannot go on says why")]

mod common;

use ccd_core::io::case::{Case, build_world, export_world};
use common::Folder;
use serde_json::json;

#[test]
fn an_exported_world_is_run_on_as_it_would_have_gone_on_to_the_last_digit() {
    let folder = Folder::new();
    folder.ccd(&["make", "box"]).succeeds();
    let case = json!({
        "format": "ccd-case/1",
        "name": "box on floor",
        "world": {"dt": 0.01, "steps": 60},
        "bodies": [
            {"name": "floor", "kind": "static", "shape": {"type": "half_space", "normal": [0, 1, 0]}},
            {"name": "box", "kind": "dynamic", "shape": {"type": "mesh", "file": "box.obj"}, "position": [0, 1, 0],
             "angular_velocity": [3, 1, 2]}
        ],
        "expect": []
    });
    let case: Case = case.to_string().parse().expect("a case");
    let (mut world, ids) = build_world(&case, folder.path()).expect("a world");
    for _ in 0..10 {
        world.step(0.01).expect("a step");
    }
    let name_of = |id| ids.iter().position(|known| *known == id).map(|i| case.bodies[i].name.clone());
    let export = export_world(&world, "in flight", 0.01, 50, name_of).expect("an export");
    // Where no other model is.
    std::fs::create_dir(folder.path().join("sent")).expect("a folder");
    export.save(folder.path().join("sent/bug.json")).expect("saved");

    let ran = folder.ccd(&["run", "sent/bug.json", "--poses", "poses.jsonl"]).succeeds();
    assert_eq!((&ran.json()["name"], &ran.json()["steps"]), (&json!("in flight"), &json!(50)));
    let poses = folder.read("poses.jsonl");
    let mut landed = false;
    for (step, line) in poses.lines().enumerate() {
        if step > 0 {
            landed |= !world.step(0.01).expect("a step").started.is_empty();
        }
        let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let (_, body) = world.bodies().nth(1).expect("the box");
        let (place, turn) = (&body.pose().translation.vector, &body.pose().rotation.coords);
        let wanted = [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w];
        for (i, wanted) in wanted.iter().enumerate() {
            assert_eq!(line["bodies"][1][i].as_f64(), Some(*wanted), "step {step}, number {i}");
        }
    }
    assert_eq!(poses.lines().count(), 51);
    assert!(landed, "it has come down on the floor");
}
