//! States of the world to go back to.

use ccd_core::dynamics::Body;
use ccd_core::world::{StepReport, World as CoreWorld};

use super::CcdWorld;

/// A state of the world to go back to: for replays, rollback, and looking at what has been.
#[derive(Clone, Debug, Default)]
pub struct CcdSnapshot {
    /// The core's world.
    pub core: CoreWorld,
    /// What happened in the step that led to it.
    pub report: StepReport,
}

impl CcdWorld {
    /// The present state.
    pub fn snapshot(&self) -> CcdSnapshot {
        CcdSnapshot { core: self.core.clone(), report: self.report.clone() }
    }

    /// Goes back (or forward) to a state, between steps. The settings stay the present ones.
    ///
    /// The bodies keep their entities. Where and how they move is the snapshot's; their kind, colliders, masses and surfaces are what the
    /// components say now. Entities that have become bodies since the snapshot enter again where their transforms are, and bodies whose entities
    /// are none any more are taken out. What of the state differs in touching is told as collisions that start and end with the next step.
    ///
    /// All that happens, and components show the state, in the next tick's `FixedFirst`, before a game's systems run; where the plugin is in no
    /// fixed schedule, in its next run. What the game has written into them and the world has not taken over yet is taken over on top of it. Transforms and
    /// velocities that the game puts back itself, as libraries for rollback do, are no such change: they are what the state shows. So what is
    /// done to the same bodies in the same ticks from there on comes to the same bits. A body that has got another collider, mass or kind since
    /// is built anew, and begins without the contacts that it had.
    ///
    /// ```
    /// # use std::collections::VecDeque;
    /// # use bevy::prelude::*;
    /// # use bevy_ccd::prelude::*;
    /// #[derive(Resource, Default)]
    /// struct History(VecDeque<CcdSnapshot>);
    ///
    /// fn remember(world: Res<CcdWorld>, mut history: ResMut<History>) {
    ///     history.0.push_front(world.snapshot());
    ///     history.0.truncate(64);
    /// }
    ///
    /// // Eight ticks back.
    /// fn rewind(mut world: ResMut<CcdWorld>, mut history: ResMut<History>) {
    ///     if history.0.len() > 8 {
    ///         history.0.drain(..8);
    ///         world.restore(history.0[0].clone());
    ///     }
    /// }
    /// # let _ = (remember, rewind);
    /// ```
    pub fn restore(&mut self, snapshot: CcdSnapshot) {
        let settings = self.core.settings().clone();
        self.core = snapshot.core;
        self.report = snapshot.report;
        // They were in force a moment ago, so they are valid.
        let kept = self.core.set_settings(settings);
        debug_assert!(kept.is_ok(), "settings in force are refused: {kept:?}");
        let of = |is_such: fn(&Body) -> bool| {
            self.core.bodies().filter(|(_, body)| is_such(body)).map(|(id, _)| id).collect::<Vec<_>>()
        };
        (self.carried, self.grouped) = (of(|body| body.carrier.is_some()), of(|body| body.no_collide_group.is_some()));
        self.drives.clear();
        self.return_slots();
        self.restored = true;
        self.unfollowed = true;
        self.in_progress = None;
        self.last_error = None;
    }

    /// Entities are those of the bodies that the core has now in their slots.
    fn return_slots(&mut self) {
        for (id, _) in self.core.bodies() {
            if let Some(Some(tenant)) = self.entities.get_mut(id.index as usize)
                && tenant.since <= id.generation
            {
                tenant.id = id;
                self.ids.insert(tenant.entity, id);
            }
        }
    }
}
