//! ccd-core.

use ccd_core::id::BodyId;
use ccd_core::io::case::build_world_with;
use ccd_core::math::Pose;
use ccd_core::world::{World, WorldSettings};

use super::engine::{Engine, Scenery};

pub struct Ours {
    world: World,
    ids: Vec<BodyId>,
    dt: f64,
}

pub fn enter(scenery: &Scenery, parallel: bool) -> Ours {
    let (mut world, ids) = build_world_with(&scenery.case, &mut scenery.shapes()).expect("the scene is valid");
    let settings = WorldSettings { parallel, ..world.settings().clone() };
    world.set_settings(settings).expect("only the threads changed");
    Ours { world, ids, dt: scenery.case.world.dt }
}

impl Engine for Ours {
    fn step(&mut self) -> f64 {
        self.world.step(self.dt).expect("the scene steps").time_lost
    }

    fn poses(&self) -> Vec<Pose> {
        self.ids.iter().filter_map(|id| self.world.body(*id)).map(|body| *body.pose()).collect()
    }
}
