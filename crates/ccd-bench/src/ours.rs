//! ccd-core on one thread.

use std::time::Instant;

use ccd_core::io::case::build_world;

use crate::bullets::{Outcome, Volley};

pub fn bullets(volley: &Volley) -> Outcome {
    let (mut world, ids) = build_world(&volley.case, &volley.folder).expect("the example is valid");
    let settings = ccd_core::world::WorldSettings { parallel: false, ..world.settings().clone() };
    world.set_settings(settings).expect("only the threads changed");
    let clock = Instant::now();
    for _ in 0..volley.case.world.steps {
        world.step(volley.case.world.dt).expect("the example steps");
    }
    let wall = clock.elapsed();
    let ends = ids[1..].iter().map(|id| world.body(*id).map_or(f64::NAN, |b| b.pose().translation.x)).collect();
    Outcome { wall, ends }
}
