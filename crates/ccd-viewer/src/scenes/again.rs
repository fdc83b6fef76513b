//! Starting a scene again: bodies go back to where they began; what was set and chosen meanwhile stays.

use bevy::prelude::*;
use bevy_ccd::{CcdClock, CcdDebug, CcdInspect, CcdSettings, CcdWorld, Gravity};
use ccd_core::id::BodyId;

use crate::panels::contacts::Selection;
use crate::playback::Playback;

/// Asks for the scene at hand to be started again.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restart;

/// What was set and chosen. Bodies are known by their ids, which a scene gives anew in the same order.
pub(super) struct Kept {
    settings: CcdSettings,
    gravity: Gravity,
    step_length: Option<f64>,
    rate: f64,
    debug: CcdDebug,
    inspect: CcdInspect,
    pair: Option<(BodyId, BodyId)>,
    body: Option<BodyId>,
    selected: Option<BodyId>,
}

impl Kept {
    /// As it is now.
    pub(super) fn of(world: &World) -> Self {
        let inspect = world.resource::<CcdInspect>().clone();
        let id = |entity| world.resource::<CcdWorld>().body_id(entity);
        Self {
            settings: world.resource::<CcdSettings>().clone(),
            gravity: *world.resource::<Gravity>(),
            step_length: world.resource::<CcdClock>().step_length,
            rate: world.resource::<Playback>().rate,
            debug: world.resource::<CcdDebug>().clone(),
            pair: inspect.pair.and_then(|(a, b)| id(a).zip(id(b))),
            body: inspect.body.and_then(id),
            inspect,
            selected: world.resource::<Selection>().body,
        }
    }

    /// Gives it back to the scene that was put on the stage again; a ball that was shot in and is no more is not chosen any longer.
    pub(super) fn give_back(self, world: &mut World) {
        let ccd = world.resource::<CcdWorld>();
        let entity = |id| ccd.entity(id);
        let pair = self.pair.and_then(|(a, b)| entity(a).zip(entity(b)));
        let body = self.body.and_then(entity);
        let selected = self.selected.filter(|id| entity(*id).is_some());
        world.insert_resource(CcdInspect { pair, body, ..self.inspect });
        world.insert_resource(Selection { body: selected, contact: None });
        world.insert_resource(self.debug);
        world.insert_resource(self.settings);
        world.insert_resource(self.gravity);
        world.resource_mut::<CcdClock>().step_length = self.step_length;
        world.resource_mut::<Playback>().rate = self.rate;
    }
}
