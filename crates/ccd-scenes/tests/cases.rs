//! What the scene builders promise: bodies start apart, files fit together, and the geometry does what the expectations say.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;

use ccd_core::bounds::IndexedMesh;
use ccd_core::dynamics::BodyKind;
use ccd_core::geometry::parametric::PatchSurface;
use ccd_core::geometry::solid::{Segment, Solid};
use ccd_core::io::case::{Case, CaseBody, CaseShape};
use ccd_core::io::expect::Rule;
use ccd_core::io::obj::load_obj;
use ccd_core::io::patches::load_patches;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_scenes::cases::{
    ALL, Bullets, CaseFiles, Chain, FallingShapes, Heap, MassRatio, Pyramid, RingPile, Rod, Scene, SceneError, Tower,
    find,
};
use ccd_scenes::models::{Bullet, Model, Ring, WarpedPlane};

fn only(files: CaseFiles) -> Case {
    assert_eq!(files.cases.len(), 1);
    files.cases.into_iter().next().unwrap().1
}

fn pose(body: &CaseBody) -> Pose {
    let [x, y, z, w] = body.rotation;
    let rotation = Rotation::from_quaternion([x, y, z, w].into());
    Pose::from_parts(Vector::from(body.position).into(), rotation)
}

fn dynamic(case: &Case) -> impl Iterator<Item = &CaseBody> {
    case.bodies.iter().filter(|b| b.kind == BodyKind::Dynamic)
}

#[test]
fn every_scene_saves_files_that_load_as_they_were() {
    let folder = std::env::temp_dir().join(format!("ccd-scenes-{}", std::process::id()));
    for entry in ALL {
        assert_eq!(find(entry.name).unwrap().name, entry.name);
        let files = entry.make(&[]).unwrap();
        assert_eq!(entry.make(&[]).unwrap(), files, "the same bits");
        std::fs::create_dir_all(&folder).unwrap();
        let written = files.save(&folder).unwrap();
        assert_eq!(written.len(), files.models.len() + files.patches.len() + files.cases.len());
        for (name, mesh) in &files.models {
            assert_eq!(load_obj(folder.join(name)).unwrap(), *mesh);
        }
        for (name, surface) in &files.patches {
            assert_eq!(load_patches(folder.join(name)).unwrap(), *surface);
            assert!(surface.is_closed(), "{name}");
        }
        for (name, case) in &files.cases {
            assert_eq!(Case::load(folder.join(name)).unwrap(), *case, "{name}");
            let models: BTreeSet<&str> = files.models.iter().map(|(name, _)| name.as_str()).collect();
            for body in &case.bodies {
                if let CaseShape::Mesh { file, .. } | CaseShape::Convex { file: Some(file), .. } = &body.shape {
                    assert!(models.contains(file.as_str()), "{name} names {file}");
                }
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
        for option in entry.options() {
            for bad in [-1e300, Real::NAN, Real::INFINITY] {
                let error = entry.make(&[(option, bad)]).unwrap_err();
                assert!(matches!(error, SceneError::Option(_)) && error.to_string().contains(option), "{error}");
            }
        }
    }
    assert!(find("avalanche").is_none());
}

#[test]
fn of_the_hundred_bullets_eight_clear_the_rim_of_the_hole_and_the_others_meet_the_sheet() {
    let files = Bullets::default().build().unwrap();
    let names: Vec<&str> = files.cases.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["bullets-dt100ms.json", "bullets-dt100ms-rifled.json", "bullets-dt16ms.json", "bullets-dt16ms-rifled.json"]
    );
    let sheet = IndexedMesh::new(WarpedPlane::default().build().unwrap()).unwrap();
    let bullet = Bullet::default().build().unwrap();
    let other_side = Bullets { other_side: 1, ..Bullets::default() }.build().unwrap();
    assert_eq!(other_side.cases[0].0, "bullets-other-side-dt100ms.json");
    for (name, case) in files.cases.iter().chain(&other_side.cases) {
        assert!((Real::from(case.world.steps) * case.world.dt - 1.0).abs() < 1e-12);
        assert_eq!(dynamic(case).count(), 100);
        let to_sheet = pose(&case.bodies[0]).inverse();
        // Free fall by no more than an explicit step of the coarsest Δt gives on the way.
        const SAG: Real = 0.011;
        for body in dynamic(case) {
            let start = pose(body);
            let velocity = Vector::from(body.linear_velocity);
            let spin = Vector::from(body.angular_velocity);
            assert!((velocity.normalize() - start * Vector::y()).norm() < 1e-12, "flies tip first");
            assert!(spin.cross(&velocity).norm() < 1e-9, "spins about its long axis");
            let mut met = 0;
            for v in bullet.vertices() {
                for sag in [0.0, SAG] {
                    let from = start * v - Vector::y() * sag;
                    let segment = Segment { start: to_sheet * from, end: to_sheet * (from + velocity) };
                    let hit = sheet.cast_segment(&segment);
                    met += u32::from(hit.is_some());
                    // All arrive well after the start and within the first frame.
                    if let Some(hit) = hit {
                        assert!((0.009..0.0155).contains(&hit.fraction), "{}", hit.fraction);
                    }
                }
            }
            let expected_to_pass =
                case.expect.iter().any(|e| matches!(&e.rule, Rule::NoContact { a, .. } if *a == body.name));
            let expected_to_hit =
                case.expect.iter().any(|e| matches!(&e.rule, Rule::Contact { a, .. } if *a == body.name));
            assert!(expected_to_pass != expected_to_hit);
            // Every vertex hits or none does: no bullet is aimed at the rim.
            let all = 2 * bullet.vertices().len() as u32;
            assert_eq!(met, if expected_to_hit { all } else { 0 }, "{name} {}", body.name);
        }
        let passing = case.expect.iter().filter(|e| matches!(e.rule, Rule::NoContact { .. })).count();
        assert_eq!(passing, 8);
    }
}

#[test]
fn what_is_made_with_other_options_has_other_names_and_replaces_nothing() {
    // Values that every builder takes that has such an option, and none has by default.
    let other = |scene: &str, option: &str| match (scene, option) {
        ("rod", "angle") => 1.25,
        (_, "angle") => 40.0,
        ("turntable", "speed") | ("coin", "spin") => 1.25,
        (_, "speed" | "spin") => 712.5,
        (_, "distance") => 0.6,
        (_, "post_radius") => 0.02,
        (_, "thickness" | "surplus" | "foot_radius" | "friction" | "share") => 0.3,
        (_, "turns") => 0.25,
        (_, "other_side") => 1.0,
        (_, "tilt" | "coming") => 2.0,
        _ => 7.0,
    };
    for entry in ALL {
        let names = |files: &CaseFiles| -> BTreeSet<String> {
            files.cases.iter().flat_map(|(file, case)| [file.clone(), case.name.clone()]).collect()
        };
        let usual = entry.make(&[]).unwrap();
        // The format of cases fixes the names of the bullets' files.
        let is_fixed = |option: &&str| entry.name == "bullets" && *option != "other_side";
        for option in entry.options().into_iter().filter(|option| !is_fixed(option)) {
            let value = other(entry.name, option);
            let made = entry.make(&[(option, value)]).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
            assert!(names(&usual).is_disjoint(&names(&made)), "{} --{option} {value}", entry.name);
            for (name, mesh) in &made.models {
                assert!(
                    usual.models.contains(&(name.clone(), mesh.clone())),
                    "{name} is another with --{option} {value}"
                );
            }
            let is_replaced = |(name, surface): &(String, PatchSurface)| {
                usual.patches.iter().any(|(usual, other)| usual == name && other != surface)
            };
            assert!(!made.patches.iter().any(is_replaced), "{} --{option} {value}", entry.name);
        }
    }
    let files = find("slope").unwrap().make(&[("angle", 20.0), ("friction", 0.3)]).unwrap();
    assert_eq!(files.cases[0].0, "slope-20-friction-0.3.json");
    assert_eq!(files.cases[0].1.name, "slope of 20°, friction 0.3");
    let files = find("bullets").unwrap().make(&[("speed", 900.0)]).unwrap();
    assert!(files.cases.iter().any(|(file, _)| file == "bullets-dt100ms-rifled.json"));
}

#[test]
fn neighbouring_bullets_cannot_touch_in_flight() {
    let files = Bullets::default().build().unwrap();
    let bodies: Vec<Point> = dynamic(&files.cases[0].1).map(|b| Point::from(b.position)).collect();
    for (i, p) in bodies.iter().enumerate() {
        assert!(bodies[..i].iter().all(|q| (p - q).norm() > 10.0 * Bullet::default().radius));
    }
}

#[test]
fn links_of_the_chain_hang_in_each_other_and_are_apart() {
    let case = only(Chain::default().build().unwrap());
    let ring = IndexedMesh::new(Ring::default().build().unwrap()).unwrap();
    for pair in case.bodies.windows(2) {
        let b_in_a = pose(&pair[0]).inverse() * pose(&pair[1]);
        let gap =
            ring.mesh().vertices().iter().map(|v| ring.signed_distance(&(b_in_a * v))).fold(Real::INFINITY, Real::min);
        assert!(gap > 1e-3, "{} is {gap} m from its neighbour", pair[1].name);
        // B's middle line crosses the disc of A an odd number of times: they are linked.
        let line: Vec<Point> = (0..=360)
            .map(|i| {
                let (sin, cos) = Real::from(i % 360).to_radians().sin_cos();
                b_in_a * Point::new(0.5 * cos, 0.0, 0.5 * sin)
            })
            .collect();
        let crossings = line
            .windows(2)
            .filter(|w| (w[0].y > 0.0) != (w[1].y > 0.0) && w[0].x.hypot(w[0].z) < Ring::default().0.major_radius)
            .count();
        assert_eq!(crossings % 2, 1, "{} is not linked", pair[1].name);
    }
}

#[test]
fn whatever_falls_starts_apart_and_inside_its_pit() {
    for (files, reach) in [
        (Heap::default().build(), 0.25 * 3.0_f64.sqrt()),
        (RingPile::default().build(), 0.55),
        (FallingShapes::default().build(), 0.65),
    ] {
        let files = files.unwrap();
        let models: Vec<_> = files.models.clone();
        let case = only(files);
        let wall = case.bodies.iter().find(|b| b.name == "wall-east").unwrap();
        let inner = wall.position[0] - 0.5;
        let places: Vec<Point> = dynamic(&case).map(|b| Point::from(b.position)).collect();
        for (i, p) in places.iter().enumerate() {
            assert!(places[..i].iter().all(|q| (p - q).norm() > 2.0 * reach), "{}: {p}", case.name);
            assert!(p.y > reach && p.x.abs() + reach < inner && p.z.abs() + reach < inner, "{}: {p}", case.name);
        }
        for (name, mesh) in models {
            let size = mesh.vertices().iter().map(|v| v.coords.norm()).fold(0.0, Real::max);
            assert!(size <= reach, "{name} reaches {size} m");
        }
    }
}

#[test]
fn stacks_start_apart_by_the_gap_of_rest_and_hold_the_boxes_that_they_should() {
    for (files, boxes) in [
        (Tower { height: 100 }.build(), 100),
        (Pyramid { base: 50 }.build(), 1275),
        (MassRatio { count: 20, ratio: 1e4 }.build(), 21),
    ] {
        let case = only(files.unwrap());
        assert_eq!(dynamic(&case).count(), boxes);
        let mut heights: Vec<Real> = dynamic(&case).map(|b| b.position[1]).collect();
        heights.sort_by(Real::total_cmp);
        heights.dedup();
        assert!(heights[0] - 0.5 > 9e-6);
        assert!(heights.windows(2).all(|w| w[1] - w[0] > 1.0 + 9e-6 && w[1] - w[0] < 1.0 + 1.1e-5));
    }
    let case = only(MassRatio { count: 20, ratio: 1e4 }.build().unwrap());
    assert_eq!(case.bodies.iter().map(|b| b.mass.unwrap_or(0.0)).fold(0.0, Real::max), 1e7);
}

#[test]
fn the_rod_touches_its_post_at_the_angle_that_is_expected_of_it() {
    for rod in [Rod::default(), Rod { spin: 200.0, distance: 0.3, angle: 2.0, post_radius: 0.005 }] {
        let case = only(rod.build().unwrap());
        let post = Vector::from(case.bodies[1].position);
        let turned = Rotation::from_axis_angle(&Vector::y_axis(), rod.stop_angle());
        // The post's middle in the rod's frame: exactly its radius from the rod's side, and beside it, not beyond its end.
        let local = turned.inverse() * post;
        assert!((local.z.abs() - 0.01 - rod.post_radius).abs() < 1e-12 && local.x < 1.0, "{local}");
        assert!(case.expect.iter().any(|e| matches!(e.rule, Rule::RotationFromStart { .. })));
    }
    let slow = only(Rod { spin: 20.0, ..Rod::default() }.build().unwrap());
    assert!(slow.expect.iter().any(|e| matches!(e.rule, Rule::NoContact { .. })));
}
