//! The program as users start it: a picture without a window, and a sentence where something is missing.

#![allow(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ccd_core::io::case::{Case, build_world};
use ccd_core::world::World;

fn viewer() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ccd-viewer"))
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn assert_refused_with(output: &Output, words: &[&str]) {
    let errors = errors(output);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    for word in words {
        assert!(errors.contains(word), "\"{word}\" is not in: {errors}");
    }
}

/// Runs the viewer without a window until it ends well; `None`, said aloud, where the machine has no Vulkan driver.
fn run(viewer: &mut Command) -> Option<()> {
    let output = viewer.args(["--headless", "--size", "320x180"]).output().expect("the viewer starts");
    if errors(&output).contains("no Vulkan driver") {
        eprintln!("skipped: this machine has no Vulkan driver");
        return None;
    }
    assert!(output.status.success(), "{}", errors(&output));
    Some(())
}

/// Draws a picture; `None`, said aloud, where the machine has no Vulkan driver.
fn draw(name: &str, arguments: &[&str]) -> Option<image::RgbImage> {
    let file: PathBuf = std::env::temp_dir().join(format!("ccd-viewer-{}-{name}.png", std::process::id()));
    run(viewer().arg("--screenshot").arg(&file).args(arguments))?;
    let picture = image::open(&file).expect("the picture is there").to_rgb8();
    std::fs::remove_file(&file).expect("the picture can be removed");
    Some(picture)
}

fn share(picture: &image::RgbImage, is: impl Fn([f32; 3]) -> bool) -> f32 {
    let hits = picture.pixels().filter(|pixel| is(pixel.0.map(f32::from))).count();
    hits as f32 / (picture.width() * picture.height()) as f32
}

#[test]
fn the_bullets_are_drawn_without_a_window_brass_before_a_blue_sheet_on_a_dark_ground() {
    let Some(picture) = draw("bullets", &["--scene", "bullets", "--no-panels", "--frames", "2"]) else { return };
    assert_eq!(picture.dimensions(), (320, 180));
    let brass = share(&picture, |[r, g, b]| r > 120.0 && r > g && g > b + 30.0);
    let sheet = share(&picture, |[r, _, b]| b > 100.0 && b > r + 15.0);
    let dark = share(&picture, |rgb| rgb.iter().all(|c| *c < 80.0));
    assert!(brass > 0.005, "brass on {brass}");
    assert!(sheet > 0.05, "sheet on {sheet}");
    assert!(dark > 0.2, "ground and space on {dark}");
}

#[test]
fn the_same_order_draws_the_same_picture() {
    let order = ["--scene", "bullets", "--no-panels", "--frames", "3"];
    let (Some(once), Some(again)) = (draw("once", &order), draw("again", &order)) else { return };
    let difference: f64 = once.as_raw().iter().zip(again.as_raw()).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
    let mean = difference / once.as_raw().len() as f64;
    assert!(mean < 0.05, "mean difference of a channel: {mean}");
}

/// The share of pixels that differ visibly.
fn changed(one: &image::RgbImage, other: &image::RgbImage) -> f32 {
    let differs = |(a, b): &(&image::Rgb<u8>, &image::Rgb<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 24);
    let count = one.pixels().zip(other.pixels()).filter(differs).count();
    count as f32 / (one.width() * one.height()) as f32
}

/// Each overlay changes the picture of the scene by at least this share, and by no more than half of it.
fn assert_overlays_are_drawn(scene: &str, frames: &str, overlays: &[(&str, f32)]) {
    let order = |show: &str| {
        let show = format!("none{show}");
        let arguments = ["--scene", scene, "--no-panels", "--frames", frames, "--show", &show];
        draw(&format!("{scene}-{}", show.replace(',', "-")), &arguments)
    };
    let Some(bare) = order("") else { return };
    for (overlay, least) in overlays {
        let Some(picture) = order(&format!(",{overlay}")) else { return };
        let share = changed(&bare, &picture);
        assert!((*least..0.5).contains(&share), "{overlay} in {scene} changes {share} of the picture");
    }
}

#[test]
fn regions_walk_and_index_cells_of_a_pair_are_drawn() {
    let overlays = [("closest", 1e-4), ("regions", 0.01), ("walk", 5e-4), ("far-walk", 5e-3), ("brep-index:3", 5e-3)];
    assert_overlays_are_drawn("lab-closest-features", "3", &overlays);
}

#[test]
fn levels_of_hierarchies_and_index_cells_of_a_body_are_drawn_without_a_pair() {
    let overlays = [
        ("aabb-tree:3", 5e-3),
        ("obb-tree:3", 5e-3),
        ("kdop-tree:3", 5e-3),
        ("sphere-octree:2", 5e-3),
        ("medial-axis:2", 5e-3),
        ("only-body,obb-tree:3", 2e-3),
        ("brep-index:4", 2e-3),
        ("visited,obb-tree:3", 5e-4),
    ];
    assert_overlays_are_drawn("gears", "1", &overlays);
}

#[test]
fn trajectory_boxes_and_the_papers_bound_are_drawn() {
    assert_overlays_are_drawn("lab-trajectory-boxes", "1", &[("trajectory", 5e-3), ("paper-bound", 5e-3)]);
}

#[test]
fn lines_over_everything_are_drawn_without_gaps() {
    let order = ["--scene", "lab-paper-bound", "--frames", "1", "--no-panels", "--show", "paper-bound"];
    let Some(picture) = draw("whole-lines", &order) else { return };
    // The tangent of the way goes up from the rod: a row without it is a gap, but where other lines cross it.
    let is_blue = |pixel: &image::Rgb<u8>| {
        let [red, green, blue] = pixel.0.map(i32::from);
        blue > red + 45 && blue > green + 25
    };
    let rows: Vec<bool> = picture.rows().map(|mut row| row.any(is_blue)).collect();
    let (first, last) = (rows.iter().position(|row| *row), rows.iter().rposition(|row| *row));
    let (first, last) = first.zip(last).expect("something blue");
    let gaps = rows[first..=last].iter().filter(|row| !**row).count();
    assert!(last - first > 90 && gaps < 10, "rows {first} to {last} with {gaps} gaps");
}

#[test]
fn what_is_far_from_the_origin_or_small_is_lit_like_any_other() {
    let folder = std::env::temp_dir().join(format!("ccd-viewer-far-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    // A box on a floor, so large and so far away.
    let look = |name: &str, size: f64, away: f64| {
        let body = |name: &str, kind: &str, half: [f64; 3], height: f64| {
            let half = half.map(|x| size * x);
            format!(
                r#"{{"name": "{name}", "kind": "{kind}", "shape": {{"type": "box", "half_extents": {half:?}}},
                    "position": [{away}, {}, {away}]}}"#,
                size * height
            )
        };
        let case = format!(
            r#"{{"format": "ccd-case/1", "name": "box", "bodies": [{}, {}],
                "world": {{"gravity": [0, 0, 0], "dt": 0.01, "steps": 1, "tolerance": {}, "contact_threshold": {}}}}}"#,
            body("floor", "static", [4.0, 0.5, 4.0], -0.5),
            body("box", "dynamic", [1.0; 3], 1.001),
            1e-4 * size,
            1e-3 * size,
        );
        let file = folder.join(format!("{name}.json"));
        std::fs::write(&file, case).expect("a case file");
        draw(name, &["--case", &file.to_string_lossy(), "--no-panels", "--frames", "1", "--show", "none"])
    };
    if let (Some(near), Some(small), Some(far)) =
        (look("near", 1.0, 0.0), look("small", 0.01, 0.0), look("far", 1.0, 1e6))
    {
        // The engine's shadows have no finer dots than half a millimetre.
        assert!(changed(&near, &small) < 0.01, "small: {}", changed(&near, &small));
        // Edges are no finer than numbers are there.
        assert!(changed(&near, &far) < 0.05, "far: {}", changed(&near, &far));
    }
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn contact_graph_forces_cones_and_tangent_planes_are_drawn() {
    let overlays = [("graph", 2e-3), ("forces", 5e-4), ("cones", 1e-3), ("planes", 5e-4), ("clusters", 2e-4)];
    assert_overlays_are_drawn("tower", "4", &overlays);
}

#[test]
fn a_scene_of_patches_is_played_and_drawn() {
    let Some(picture) = draw("pots", &["--scene", "pots", "--no-panels", "--frames", "1"]) else { return };
    let pot = share(&picture, |[r, g, b]| r.max(g).max(b) > 110.0);
    assert!(pot > 0.01, "something lit on {pot}");
}

/// Exports the scene after so many frames; `None`, said aloud, where the machine has no Vulkan driver.
fn export(folder: &Path, scene: &str, frames: &str) -> Option<PathBuf> {
    let file = folder.join(format!("{scene}.json"));
    run(viewer().args(["--scene", scene, "--frames", frames, "--export"]).arg(&file))?;
    Some(file)
}

/// What `ccd run` does: reads the case with its models, and steps it.
fn assert_runs(file: &Path, steps: u32) -> World {
    let case = Case::load(file).expect("a case file");
    let (mut world, _) = build_world(&case, file.parent().expect("a folder")).expect("a world");
    for _ in 0..steps {
        world.step(case.world.dt).expect("a step");
    }
    // The command itself is not this package's; where the workspace was built it is beside the viewer.
    let command = Path::new(env!("CARGO_BIN_EXE_ccd-viewer")).with_file_name("ccd");
    if command.exists() {
        let output = Command::new(command).arg("run").arg(file).args(["--steps", "5"]).output().expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    }
    world
}

#[test]
fn an_exported_frame_is_a_case_that_runs_on_with_its_models_and_names() {
    let folder = std::env::temp_dir().join(format!("ccd-viewer-export-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let exported = ["tower", "bullets"].map(|scene| export(&folder, scene, "20"));
    if let [Some(tower), Some(bullets)] = exported {
        let case = Case::load(&tower).expect("a case file");
        assert!(case.bodies.iter().any(|body| body.name == "box-005"), "{:?}", case.bodies[5].name);
        let height =
            |world: &World| world.bodies().map(|(_, body)| body.pose().translation.y).fold(f64::NEG_INFINITY, f64::max);
        let (before, _) = build_world(&case, &folder).expect("a world");
        // The tower stands, in its case too: it settles by less than the tolerance.
        assert!((height(&before) - height(&assert_runs(&tower, 60))).abs() < case.world.tolerance);

        let case = Case::load(&bullets).expect("a case file");
        assert_eq!(case.bodies.len(), 102, "bullets, sheet and ground");
        let models = std::fs::read_dir(&folder).expect("the folder").count() - 2;
        assert_eq!(models, 2, "the sheet, and the hull of all bullets");
        let world = assert_runs(&bullets, 5);
        assert!(world.bodies().filter(|(_, body)| body.linear_velocity().norm() > 1.0).count() > 50);
        // The same file again is replaced, for a script that knows its files.
        assert_eq!(export(&folder, "tower", "1").expect("a driver is there"), tower);
        assert!(Case::load(&tower).is_ok());
    }
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn the_instant_that_is_asked_for_is_waited_for_and_one_that_is_not_reached_is_an_error() {
    let folder = std::env::temp_dir().join(format!("ccd-viewer-at-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let case = |name: &str, second: f64| {
        let ball = r#""kind": "dynamic", "shape": {"type": "sphere", "radius": 0.5}"#;
        let world = r#""dt": 0.01, "steps": 100, "gravity": [0, 0, 0], "initial_overlap": "error""#;
        let bodies = format!(
            r#"{{"name": "flies", {ball}, "linear_velocity": [1, 0, 0]}}, {{"name": "lies", {ball}, "position": [0, {second}, 0]}}"#
        );
        let text =
            format!(r#"{{"format": "ccd-case/1", "name": "{name}", "world": {{{world}}}, "bodies": [{bodies}]}}"#);
        let file = folder.join(format!("{name}.json"));
        std::fs::write(&file, text).expect("a case file");
        file
    };
    let (goes, stops) = (case("goes", 5.0), case("stops", 0.9));
    // Three thousand steps: far more than the frames before a picture make.
    let (saved, picture) = (folder.join("saved.json"), folder.join("picture.png"));
    let order = |case: &Path, at: &str| {
        let mut viewer = viewer();
        viewer.arg("--case").arg(case).args(["--at", at, "--frames", "2", "--no-panels"]);
        viewer.arg("--export").arg(&saved).arg("--screenshot").arg(&picture);
        viewer
    };
    if run(&mut order(&goes, "30")).is_some() {
        let saved_case = Case::load(&saved).expect("a case file");
        assert!((saved_case.bodies[0].position[0] - 30.0).abs() < 1e-6, "{:?}", saved_case.bodies[0].position);
        for file in [&saved, &picture] {
            std::fs::remove_file(file).expect("it was saved");
        }
        let output = order(&stops, "0.5").args(["--headless", "--size", "320x180"]).output().expect("it starts");
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("0.5 s is not reached") && errors.contains("flies and lies overlap"), "{errors}");
        assert!(!saved.exists() && !picture.exists(), "nothing is saved of another instant");

        // Nor of other frames than those that were to be played.
        let mut frames = viewer();
        frames.arg("--case").arg(&stops).args(["--frames", "2", "--headless", "--size", "320x180", "--no-panels"]);
        let output = frames.arg("--export").arg(&saved).arg("--screenshot").arg(&picture).output().expect("it starts");
        let errors = self::errors(&output);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("frames are not played") && errors.contains("flies and lies overlap"), "{errors}");
        assert!(!saved.exists() && !picture.exists());
    }
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn a_second_of_frames_is_a_second_however_short_the_steps() {
    let folder = std::env::temp_dir().join(format!("ccd-viewer-short-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let case = r#"{"format": "ccd-case/1", "name": "short", "world": {"dt": 0.001, "steps": 1, "gravity": [0, 0, 0]}, "bodies":
        [{"name": "flies", "kind": "dynamic", "shape": {"type": "sphere", "radius": 0.5}, "linear_velocity": [1, 0, 0]}]}"#;
    let (file, saved) = (folder.join("short.json"), folder.join("saved.json"));
    std::fs::write(&file, case).expect("a case file");
    if run(viewer().arg("--case").arg(&file).args(["--frames", "60", "--no-panels", "--export"]).arg(&saved)).is_some()
    {
        let way = Case::load(&saved).expect("a case file").bodies[0].position[0];
        assert!((0.998..1.001).contains(&way), "{way} m");
    }
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn a_body_that_the_scene_has_not_is_refused_before_anything_is_drawn() {
    for (named, names) in [(["--pair", "box-001,bxo-002"], "bxo-002"), (["--body", "flor"], "flor")] {
        let output = viewer().args(["--headless", "--scene", "tower"]).args(named).output().expect("the viewer starts");
        assert_refused_with(&output, &[names, "tower", "box-005"]);
    }
    let output = viewer().args(["--headless", "--body", "box"]).output().expect("the viewer starts");
    assert_refused_with(&output, &["box", "sheet"]);
}

#[test]
fn a_case_that_cannot_be_saved_ends_with_the_reason_and_an_error() {
    let output = viewer()
        .args(["--headless", "--size", "320x180", "--scene", "tower", "--frames", "1", "--export", "no/such/a.json"])
        .output()
        .expect("the viewer starts");
    let errors = errors(&output);
    if errors.contains("no Vulkan driver") {
        eprintln!("skipped: this machine has no Vulkan driver");
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("no/such/a.json"), "{errors}");
}

#[test]
fn without_a_vulkan_driver_a_sentence_says_what_to_install() {
    let output = viewer()
        .args(["--headless", "--screenshot", "never.png"])
        .env("VK_DRIVER_FILES", "/no/such/driver.json")
        .env("VK_ICD_FILENAMES", "/no/such/driver.json")
        .output()
        .expect("the viewer starts");
    assert_refused_with(&output, &["no Vulkan driver", "nstall"]);
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_display_a_sentence_says_what_to_install() {
    let output = viewer().env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().expect("the viewer starts");
    assert_refused_with(&output, &["no display", "nstall", "--headless"]);
    let output = viewer().env("DISPLAY", ":4711").output().expect("the viewer starts");
    assert_refused_with(&output, &[":4711", "nstall"]);
}

#[test]
fn a_case_file_that_the_list_names_is_a_scene_of_that_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ask = |arguments: &[&str]| viewer().args(arguments).current_dir(&root).output().expect("the viewer starts");
    let listed = String::from_utf8_lossy(&ask(&["--list"]).stdout).into_owned();
    assert!(listed.lines().any(|line| line.starts_with("wrecking-ball-8 ")), "{listed}");
    // It is open by the time that its bodies are known.
    let output = ask(&["--scene", "wrecking-ball-8", "--body", "ghost"]);
    assert_refused_with(&output, &["\"ghost\"", "wrecking ball on 8 rings", "floor"]);
}

#[test]
fn a_scene_or_case_that_is_not_there_is_refused_before_anything_is_drawn() {
    let output = viewer().args(["--headless", "--scene", "nothing"]).output().expect("the viewer starts");
    assert_refused_with(&output, &["nothing", "bullets", "tower"]);
    let output = viewer().args(["--headless", "--case", "no/such.json"]).output().expect("the viewer starts");
    assert_refused_with(&output, &["no/such.json"]);
}

#[test]
fn the_overlays_are_named_on_demand() {
    let output = viewer().args(["--show", "help"]).env_remove("DISPLAY").output().expect("the viewer starts");
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && list.contains("swept-obbs") && list.lines().count() > 30, "{list}");
    let output = viewer().args(["--show", "ghosts"]).output().expect("the viewer starts");
    assert_refused_with(&output, &["ghosts", "swept-obbs"]);
    let output = viewer().args(["--speed", "0"]).output().expect("the viewer starts");
    assert_refused_with(&output, &["positive"]);
}

#[test]
fn the_list_names_the_scenes_and_needs_neither_display_nor_driver() {
    let output = viewer().arg("--list").env_remove("DISPLAY").output().expect("the viewer starts");
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && list.starts_with("bullets "), "{list}");
    for name in ["pots", "dumb-bells", "card-house", "solid-gyroid", "solid-csg", "solid-bezier", "lab-paper-bound"] {
        assert!(list.lines().any(|line| line.starts_with(&format!("{name} "))), "{name} is not in {list}");
    }
}

#[test]
fn a_list_of_which_nobody_reads_on_ends_quietly() {
    for question in [&["--list"][..], &["--show", "help"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = viewer().args(question).stdout(writer).stderr(std::process::Stdio::piped()).output();
        let output = output.expect("the viewer starts");
        assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()), "{question:?}");
    }
}
