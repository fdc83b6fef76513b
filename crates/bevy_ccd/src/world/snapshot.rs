//! States of the world to go back to.

use std::sync::Arc;

use bevy::prelude::*;
use ccd_core::id::BodyId;
use ccd_core::world::{StepReport, World as CoreWorld};

use super::CcdWorld;
use super::tenants::{Tenant, tenant_of};
use crate::convert::from_vector;

/// A state of the world to go back to: for replays, rollback, and looking at what has been.
#[derive(Clone, Debug, Default)]
pub struct CcdSnapshot {
    /// The core's world.
    pub core: CoreWorld,
    /// What happened in the step that led to it.
    pub report: StepReport,
    /// Whose its bodies are, and what they are made of.
    tenants: Option<Arc<[Option<Tenant>]>>,
}

impl CcdSnapshot {
    /// A state that was worked out from one of the plugin's world. Whose its bodies are is told by their names when the world is put to it, so
    /// that they have to be those that the plugin has given to the bodies that are entities then.
    pub fn new(core: CoreWorld, report: StepReport) -> Self {
        Self { core, report, tenants: None }
    }
}

impl CcdWorld {
    /// The present state.
    pub fn snapshot(&self) -> CcdSnapshot {
        CcdSnapshot { core: self.core.clone(), report: self.report.clone(), tenants: Some(self.tenants.slots().into()) }
    }

    /// The entity of a body in a state that was kept, as long as it is a body, or in the present one.
    pub(crate) fn entity_in(&self, snapshot: Option<&CcdSnapshot>, id: BodyId) -> Option<Entity> {
        let tenant = match snapshot {
            None => self.tenants.of(id),
            Some(CcdSnapshot { tenants: Some(tenants), .. }) => tenant_of(tenants, id),
            Some(_) => self.tenants.then_of(id),
        };
        tenant.map(|tenant| tenant.entity).filter(|entity| self.tenants.is_body(*entity))
    }

    /// Goes back (or forward) to a state, between steps. The settings stay the present ones; a gravity that is [`Gravity`](crate::Gravity) but
    /// for rounding to `f32` keeps the digits that it has in the state.
    ///
    /// The bodies keep their entities, also those that were taken out and put in again since, such as what was disabled for a while, and however
    /// often the world went back and forth. Where and how they move is the snapshot's; their kind, colliders, masses and surfaces are what the
    /// components say now. Entities that have become bodies since the snapshot enter again where their transforms are, and bodies whose entities
    /// are none any more, or none at the moment, are taken out. What of the state differs in touching is told as collisions that start and end with the next step.
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
        // A step that is on its way is given up.
        self.in_progress = None;
        self.remove_waiting();
        let mut settings = self.core.settings().clone();
        let gravity = snapshot.core.settings().gravity;
        if from_vector(&gravity) == from_vector(&settings.gravity) {
            settings.gravity = gravity;
        }
        self.gravity = Some(gravity);
        self.core = snapshot.core;
        self.report = snapshot.report;
        // They were in force a moment ago, so they are valid.
        let kept = self.core.set_settings(settings);
        debug_assert!(kept.is_ok(), "settings in force are refused: {kept:?}");
        let grouped = self.core.bodies().filter(|(_, body)| body.no_collide_group.is_some());
        self.grouped = grouped.map(|(id, _)| id).collect();
        self.drives.clear();
        self.teleported.clear();
        match &snapshot.tenants {
            Some(tenants) => self.tenants.put_back(tenants),
            None => self.tenants.follow_names(&self.core),
        }
        let carriers = self.core.bodies().filter_map(|(id, body)| Some((id, body.carrier?.body)));
        self.carried = carriers.filter_map(|(id, by)| Some((self.entity(id)?, self.entity(by)?))).collect();
        self.restored = true;
        self.unfollowed = true;
        self.last_error = None;
    }
}
