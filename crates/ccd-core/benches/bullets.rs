//! The papers' example: a hundred bullets at 1000 m/s against a warped sheet with a hole, one simulated second on one thread.
//!
//! `cargo bench -p ccd-core --bench bullets`; one iteration is all steps of a fresh world, contacts and response included. The cases
//! are those that `ccd make bullets` writes: frames of 0.1 s and 1/60 s, each with the paper's spin and with a rifle's.

#![allow(clippy::expect_used, reason = "an example that is refused leaves nothing to measure")]

use std::time::Duration;

use ccd_core::io::case::build_world;
use ccd_core::world::WorldSettings;
use ccd_scenes::cases::{Bullets, Scene};
use criterion::{BatchSize, Criterion};

fn main() {
    let mut c = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let folder = std::env::temp_dir().join("ccd-core-bench-bullets");
    std::fs::create_dir_all(&folder).expect("a folder for the models");
    let files = Bullets::default().build().expect("the example");
    files.save(&folder).expect("its models are written");
    let mut group = c.benchmark_group("bullets");
    for (name, case) in &files.cases {
        let (mut world, _) = build_world(case, &folder).expect("the example is valid");
        let settings = WorldSettings { parallel: false, ..world.settings().clone() };
        world.set_settings(settings).expect("only the threads changed");
        group.bench_function(name.as_str(), |bencher| {
            bencher.iter_batched(
                || world.clone(),
                |mut world| {
                    for _ in 0..case.world.steps {
                        world.step(case.world.dt).expect("the example steps");
                    }
                    world
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
    c.final_summary();
}
