//! Distances and casts that other engines once got wrong, from their public trackers.
//!
//! Reads `regressions.json` in the folder that the environment variable `CCD_CORPUS` names: shapes, poses, what is right and how
//! near to it an answer must be. Says so and passes where the variable is not set.

use std::path::PathBuf;

use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use serde_json::Value;

fn number(value: &Value) -> Real {
    value.as_f64().expect("a number")
}

fn numbers<const N: usize>(value: &Value) -> [Real; N] {
    std::array::from_fn(|i| number(&value[i]))
}

fn points(value: &Value) -> Vec<Point> {
    value.as_array().expect("a list").iter().map(|p| Point::from(numbers::<3>(p))).collect()
}

/// The shape, and the turn that brings its axis from y to where it is told to be.
fn shape(value: &Value) -> (Shape, Rotation) {
    let [radius, half_height] = ["radius", "half_height"].map(|key| value[key].as_f64().unwrap_or_default());
    let shape = match value["type"].as_str().expect("a type") {
        "box" => Shape::cuboid(numbers(&value["half_extents"])).expect("a box"),
        "sphere" => Shape::ball(radius).expect("a ball"),
        "capsule" => Shape::capsule(radius, half_height).expect("a capsule"),
        "cylinder" => Shape::cylinder(radius, half_height).expect("a cylinder"),
        "cone" => Shape::cone(radius, half_height).expect("a cone"),
        "convex_hull" => Shape::convex_hull(&points(&value["vertices"])).expect("a hull"),
        "triangle" => {
            let mesh = TriMesh::try_new(points(&value["vertices"]), vec![[0, 1, 2]]).expect("a triangle");
            Shape::mesh(mesh).expect("a triangle")
        }
        other => panic!("the corpus has a shape that this test does not know: {other}"),
    };
    let axis = match value["axis"].as_str() {
        Some("x") => Vector::x(),
        Some("z") => Vector::z(),
        _ => Vector::y(),
    };
    (shape, Rotation::rotation_between(&Vector::y(), &axis).expect("no opposites"))
}

fn placed(case: &Value, side: char) -> (Shape, Pose) {
    let (shape, turn) = shape(&case[format!("shape_{side}")]);
    let pose = &case[format!("pose_{side}")];
    let [x, y, z, w] = numbers(&pose["rotation"]);
    let rotation = Rotation::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
    (shape, Pose::from_parts(Vector::from(numbers(&pose["position"])).into(), rotation * turn))
}

/// Whether a normal is a unit vector, and as near to the right one as is asked.
fn is_right(normal: &Vector, right: &Value) -> bool {
    let degrees = right["normal_tol_deg"].as_f64().unwrap_or(1.0);
    let is_near = || normal.angle(&Vector::from(numbers(&right["normal_a_to_b"]))) <= degrees.to_radians();
    (normal.norm() - 1.0).abs() < 1e-9 && (right["normal_a_to_b"].is_null() || is_near())
}

/// What is wrong with the answer to a case, if it is of a kind that this test takes.
fn judge(case: &Value) -> Option<Result<(), String>> {
    let right = &case["right"];
    let is_near = |found: Real, key: &str| (found - number(&right[key])).abs() <= number(&right["tol"]);
    match case["kind"].as_str()? {
        "distance" => {
            let ((a, pose_a), (b, pose_b)) = (placed(case, 'a'), placed(case, 'b'));
            let found = closest(&a, &pose_a, &b, &pose_b).expect("a pair that has a distance");
            let holds = is_near(found.distance, "signed_distance") && is_right(&found.normal, right);
            Some(if holds { Ok(()) } else { Err(format!("{found:?}")) })
        }
        "cast_linear" => {
            let ((a, pose_a), (b, pose_b)) = (placed(case, 'a'), placed(case, 'b'));
            let moving = |pose: Pose, key: &str| RigidMotion {
                linear_velocity: Vector::from(numbers(&case[key])),
                ..RigidMotion::at_rest(pose)
            };
            let (motion_a, motion_b) = (moving(pose_a, "velocity_a"), moving(pose_b, "velocity_b"));
            let interval = TimeInterval::new(0.0, number(&case["max_time"])).expect("a duration");
            let options = TocOptions { tolerance: 1e-7, ..TocOptions::default() };
            let found = time_of_contact(Moving::new(&a, &motion_a), Moving::new(&b, &motion_b), interval, &options)
                .expect("a pair that can be asked");
            let holds = match &found.answer {
                Toc::Separated => right["hit"] == false,
                Toc::Contact(contact) => {
                    right["hit"] == true && is_near(contact.time, "toi") && is_right(&contact.normal, right)
                }
                Toc::Overlapping(_) | Toc::Undecided { .. } => false,
            };
            Some(if holds { Ok(()) } else { Err(format!("{:?}", found.answer)) })
        }
        _ => None,
    }
}

#[test]
fn what_other_engines_got_wrong_is_right() {
    let Some(corpus) = std::env::var_os("CCD_CORPUS") else {
        eprintln!("skipped: CCD_CORPUS is not set");
        return;
    };
    let text = std::fs::read_to_string(PathBuf::from(corpus).join("regressions.json")).expect("the corpus is readable");
    let corpus: Value = serde_json::from_str(&text).expect("JSON");
    let mut judged = 0;
    for case in corpus["cases"].as_array().expect("cases") {
        if let Some(verdict) = judge(case) {
            judged += 1;
            assert_eq!(verdict, Ok(()), "{} ({}): {}", case["id"], case["link"], case["right"]);
        }
    }
    println!("{judged} cases");
    assert!(judged > 0);
}
