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
use bevy_ccd::CcdSnapshot;
use ccd_core::contact::ContactId;
use ccd_core::dynamics::{Body, Energy};
use ccd_core::id::{BodyId, PairKey};
use ccd_core::math::{Pose, Vector};
use ccd_core::world::{PairContacts, StepReport, World as ContactWorld};

pub use course::{ImpactSpan, pose_within, velocities_within};
pub use drive::{StepsPerFrame, Transport, obey_now};
pub use live::{Simulate, amend_end, stand_at_end, take_over};
pub use tape::{Between, Tape};

/// What is kept of a step.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The plugin's world at the end of the step, with what was done to it then.
    pub snapshot: CcdSnapshot,
    /// The world as the step left it, where something was done to it then: a body shot in or taken out.
    left: Option<ContactWorld>,
    /// At the end of the step.
    pub energy: Energy,
    /// The first and last impact of each body that had any, within the step.
    pub impacts: BTreeMap<BodyId, ImpactSpan>,
    /// The contacts of each pair at the end of the step, by their numbers: to be found in many states at once.
    contacts: BTreeMap<PairKey, Box<[ContactId]>>,
}

impl Recorded {
    /// The world at the end of the step.
    pub fn world(&self) -> &ContactWorld {
        &self.snapshot.core
    }

    /// The world as the step left it, whatever was done to it then.
    pub fn left(&self) -> &ContactWorld {
        self.left.as_ref().unwrap_or(&self.snapshot.core)
    }

    /// Has the next step begin so: something was done to the world.
    pub fn amend(&mut self, now: CcdSnapshot) {
        let before = std::mem::replace(&mut self.snapshot, now);
        self.left.get_or_insert(before.core);
    }

    /// What happened in the step.
    pub fn report(&self) -> &StepReport {
        &self.snapshot.report
    }

    /// Whether the pair has this contact at the end of the step.
    pub fn has(&self, pair: PairKey, contact: ContactId) -> bool {
        self.contacts.get(&pair).is_some_and(|ids| ids.contains(&contact))
    }

    /// The record of a step that ended so.
    pub fn new(snapshot: CcdSnapshot) -> Self {
        let (world, report) = (&snapshot.core, &snapshot.report);
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
        Self { snapshot, left: None, energy, impacts, contacts }
    }
}

/// The tape of the scene at hand, and how fast it is watched.
#[derive(Resource)]
pub struct Playback {
    /// The recorded states.
    pub tape: Tape<Recorded>,
    /// Simulated seconds per second of watching, positive.
    pub rate: f64,
    /// Which share of that is reached: less than one where a frame would have to wait for too many steps, or lasts too long.
    pub pace: f64,
    /// Stop here, seconds: an instant to open at, as long as it is not reached.
    pub stop_at: Option<f64>,
    /// That instant where it cannot be reached: the simulation stopped before.
    pub missed: Option<f64>,
}

/// States kept for a small scene, and bodies kept in all for a large one.
const MOST_STATES: usize = 2_000;
const MOST_BODIES: usize = 400_000;
const LEAST_STATES: usize = 120;

/// The pace is that of about so many seconds of watching: one frame makes more steps than the next.
const PACE_MEMORY: f64 = 0.5;

impl Default for Playback {
    fn default() -> Self {
        Self::of(CcdSnapshot::default(), 1.0)
    }
}

impl Playback {
    /// The playback of a scene that begins so.
    pub fn of(start: CcdSnapshot, rate: f64) -> Self {
        let bodies = start.core.bodies().count().max(1);
        let capacity = (MOST_BODIES / bodies).clamp(LEAST_STATES, MOST_STATES);
        Self { tape: Tape::new(Recorded::new(start), capacity), rate, pace: 1.0, stop_at: None, missed: None }
    }

    /// The states at both ends of the watched step, the latter with what happened in between.
    pub fn watched(&self) -> Option<(&Recorded, &Recorded, Between)> {
        let between = self.tape.between();
        Some((&self.tape.frame(between.from)?.state, &self.tape.frame(between.to)?.state, between))
    }

    /// The body at the ends of the watched step; `None` where it is not in it. At a recorded state without another after it both are that.
    fn ends(&self, id: BodyId) -> Option<(&Body, &Body)> {
        let (from, to, between) = self.watched()?;
        let start = from.world().body(id)?;
        if between.from == between.to { Some((start, start)) } else { Some((start, to.left().body(id)?)) }
    }

    /// The body at the end of the watched step; `None` where it is not there yet, or not any more.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.ends(id).map(|(_, end)| end)
    }

    /// Where the body is at the watched instant.
    pub fn pose(&self, body: BodyId) -> Option<Pose> {
        let (_, to, between) = self.watched()?;
        let (start, end) = self.ends(body)?;
        Some(pose_within(start, end, to.impacts.get(&body).copied(), between.length, between.since))
    }

    /// The body's linear and angular velocity at the watched instant, m/s and rad/s.
    pub fn velocities(&self, body: BodyId) -> Option<(Vector, Vector)> {
        let (_, to, between) = self.watched()?;
        let (start, end) = self.ends(body)?;
        Some(velocities_within(start, end, to.impacts.get(&body).copied(), between.length, between.since))
    }

    /// Takes note that this much simulated time has passed in a frame of so many seconds of watching.
    pub(super) fn note_pace(&mut self, passed: f64, frame: f64) {
        let wanted = self.rate * frame;
        if wanted > 0.0 {
            let weight = 1.0 - (-frame / PACE_MEMORY).exp();
            self.pace += weight * ((passed / wanted).clamp(0.0, 1.0) - self.pace);
        }
    }
}

/// Begins the tape of a scene that is so now.
pub fn begin(bevy: &mut World, start: CcdSnapshot, rate: f64, stop_at: Option<f64>) {
    bevy.insert_resource(Playback { stop_at, ..Playback::of(start, rate) });
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
            .init_resource::<StepsPerFrame>()
            .init_resource::<live::Standing>()
            .add_message::<Transport>()
            .add_systems(Update, (drive::obey, drive::play, live::stand_at_watched).chain());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_told_as_soon_whether_frames_are_many_or_few() {
        let told = |frame: f64, seconds: f64| {
            let mut playback = Playback::of(CcdSnapshot::default(), 2.0);
            // A quarter of what is wanted.
            (0..(seconds / frame).round() as u32).for_each(|_| playback.note_pace(0.5 * frame, frame));
            playback.pace
        };
        for frame in [0.01, 0.1, 0.5, 1.0] {
            let [soon, late] = [told(frame, 1.0), told(frame, 5.0)];
            assert!((soon - (0.25 + 0.75 * (-2.0_f64).exp())).abs() < 1e-9, "{soon} with frames of {frame} s");
            assert!((late - 0.25).abs() < 1e-4, "{late} with frames of {frame} s");
        }
    }
}
