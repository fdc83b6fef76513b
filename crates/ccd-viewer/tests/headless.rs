//! The program as users start it: a picture without a window, and a sentence where something is missing.

#![allow(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::path::PathBuf;
use std::process::{Command, Output};

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

/// Draws a picture; `None`, said aloud, where the machine has no Vulkan driver.
fn draw(name: &str, arguments: &[&str]) -> Option<image::RgbImage> {
    let file: PathBuf = std::env::temp_dir().join(format!("ccd-viewer-{}-{name}.png", std::process::id()));
    let output = viewer()
        .args(["--headless", "--size", "320x180", "--screenshot"])
        .arg(&file)
        .args(arguments)
        .output()
        .expect("the viewer starts");
    if errors(&output).contains("no Vulkan driver") {
        eprintln!("skipped: this machine has no Vulkan driver");
        return None;
    }
    assert!(output.status.success(), "{}", errors(&output));
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
fn a_scene_or_case_that_is_not_there_is_refused_before_anything_is_drawn() {
    let output = viewer().args(["--headless", "--scene", "nothing"]).output().expect("the viewer starts");
    assert_refused_with(&output, &["nothing", "bullets", "tower"]);
    let output = viewer().args(["--headless", "--case", "no/such.json"]).output().expect("the viewer starts");
    assert_refused_with(&output, &["no/such.json"]);
}

#[test]
fn the_list_names_the_scenes_and_needs_neither_display_nor_driver() {
    let output = viewer().arg("--list").env_remove("DISPLAY").output().expect("the viewer starts");
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && list.starts_with("bullets "), "{list}");
}
