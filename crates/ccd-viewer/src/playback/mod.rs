//! Playing: when steps are made, what of them is kept, and which instant is watched.
//!
//! The simulation is made step by step, as fast as it is watched and no faster. Every state is kept on a [`Tape`]; the
//! watched instant moves over it forwards and backwards, inside a step too.

mod course;
mod drive;
mod live;
mod tape;

use std::collections::BTreeMap;

use bevy::prelude::*;
use ccd_core::contact::ContactId;
use ccd_core::dynamics::Energy;
use ccd_core::id::{BodyId, PairKey};
use ccd_core::math::Pose;
use ccd_core::world::{PairContacts, StepReport, World as ContactWorld};

pub use course::{ImpactSpan, pose_within};
pub use drive::{Transport, obey_now};
pub use live::{Simulate, stand_at_end};
pub use tape::{Between, Tape};

/// What is kept of a step.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The world at the end of the step.
    pub world: ContactWorld,
    /// What happened in the step.
    pub report: StepReport,
    /// At the end of the step.
    pub energy: Energy,
    /// The first and last impact of each body that had any, within the step.
    pub impacts: BTreeMap<BodyId, ImpactSpan>,
    /// The contacts of each pair at the end of the step, by their numbers: to be found in many states at once.
    contacts: BTreeMap<PairKey, Box<[ContactId]>>,
}

impl Recorded {
    /// Whether the pair has this contact at the end of the step.
    pub fn has(&self, pair: PairKey, contact: ContactId) -> bool {
        self.contacts.get(&pair).is_some_and(|ids| ids.contains(&contact))
    }

    /// The record of a step that ended in `world`.
    pub fn new(world: ContactWorld, report: StepReport) -> Self {
        let mut impacts = BTreeMap::new();
        for impact in &report.impacts {
            for body in [impact.pair.a, impact.pair.b] {
                impacts
                    .entry(body)
                    .and_modify(|span: &mut ImpactSpan| *span = span.with(impact.time))
                    .or_insert(ImpactSpan::at(impact.time));
            }
        }
        let energy = world.energy();
        let ids = |contacts: &PairContacts| contacts.histories().iter().map(|history| history.id).collect();
        let contacts = world.contacts().map(|(pair, contacts)| (pair, ids(contacts))).collect();
        Self { world, report, energy, impacts, contacts }
    }
}

/// The tape of the scene at hand, and how fast it is watched.
#[derive(Resource)]
pub struct Playback {
    /// The recorded states.
    pub tape: Tape<Recorded>,
    /// Simulated seconds per second of watching, positive.
    pub rate: f64,
    /// Stop here, seconds: an instant to open at.
    pub stop_at: Option<f64>,
}

/// States kept for a small scene, and bodies kept in all for a large one.
const MOST_STATES: usize = 2_000;
const MOST_BODIES: usize = 400_000;
const LEAST_STATES: usize = 120;

impl Default for Playback {
    fn default() -> Self {
        Self::of(ContactWorld::default(), 1.0)
    }
}

impl Playback {
    /// The playback of a scene that begins with `world`.
    pub fn of(world: ContactWorld, rate: f64) -> Self {
        let bodies = world.bodies().count().max(1);
        let capacity = (MOST_BODIES / bodies).clamp(LEAST_STATES, MOST_STATES);
        Self { tape: Tape::new(Recorded::new(world, StepReport::default()), capacity), rate, stop_at: None }
    }

    /// The states at both ends of the watched step, the latter with what happened in between.
    pub fn watched(&self) -> Option<(&Recorded, &Recorded, Between)> {
        let between = self.tape.between();
        Some((&self.tape.frame(between.from)?.state, &self.tape.frame(between.to)?.state, between))
    }

    /// Where the body is at the watched instant.
    pub fn pose(&self, body: BodyId) -> Option<Pose> {
        let (from, to, between) = self.watched()?;
        let start = from.world.body(body);
        let end = to.world.body(body);
        match (start, end) {
            (Some(start), Some(end)) if between.from != between.to => {
                Some(pose_within(start, end, to.impacts.get(&body).copied(), between.length, between.since))
            }
            (start, end) => start.or(end).map(|body| *body.pose()),
        }
    }
}

/// Begins the tape of a scene that is `world` now.
pub fn begin(bevy: &mut World, world: ContactWorld, rate: f64, stop_at: Option<f64>) {
    bevy.insert_resource(Playback { stop_at, ..Playback::of(world, rate) });
    bevy.insert_resource(live::Standing::Anywhere);
    bevy.insert_resource(Trouble::default());
}

/// What stopped the simulation, to be shown.
#[derive(Resource, Clone, Debug, Default)]
pub struct Trouble(pub Option<String>);

/// Drives the simulation and the tape.
pub struct PlaybackPlugin;

impl Plugin for PlaybackPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Playback>()
            .init_resource::<Trouble>()
            .init_resource::<live::Standing>()
            .add_message::<Transport>()
            .add_systems(Update, (drive::obey, drive::play, live::stand_at_watched).chain());
    }
}
