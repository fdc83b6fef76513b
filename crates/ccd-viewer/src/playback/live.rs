//! The plugin's world: steps are made with it at the end of the tape, and between steps it stands at the watched
//! instant, so that the plugin's overlays and panel tell of what is seen.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_ccd::{CcdClock, CcdProblem, CcdSnapshot, CcdWorld, RigidBodyDisabled};
use ccd_core::world::StepReport;

use super::{Playback, Recorded};
use crate::draw::bodies::Actor;
use crate::hands::{Grab, pull};
use crate::scenes::Scene;

/// The schedule that the plugin steps in; run once for each step.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Simulate;

/// Which state the plugin's world is in.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    /// Not known: something else has been done with it.
    #[default]
    Anywhere,
    /// At the end of the tape.
    AtEnd,
    /// At the watched state: the number of the step that led to it, and of the step whose report is shown.
    Watched(u64, u64),
}

/// The longest step while a body is held, seconds of watching: the hand is felt at once, however slowly time goes.
const HELD: f64 = 1.0 / 30.0;

/// How long a step is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Length {
    /// As the clock says, and short while a body is held, which the hand pulls in it.
    Stated,
    /// So many seconds of what is recorded already: no hand was there.
    Recorded(f64),
}

/// Makes one step at the end of the tape.
///
/// # Errors
/// Why the world does not step; the tape is as it was.
pub(super) fn make_step(world: &mut World, wanted: Length) -> Result<(), String> {
    stand_at_end(world);
    let rate = world.resource::<Playback>().rate;
    let mut clock = world.resource_mut::<CcdClock>();
    if clock.paused && clock.requested_steps() == 0 {
        clock.request_step();
    }
    let (made, stated) = (clock.steps(), clock.step_length);
    match wanted {
        Length::Recorded(dt) => clock.step_length = Some(dt),
        Length::Stated => {
            let most = if world.resource::<Grab>().0.is_some() { HELD * rate } else { f64::INFINITY };
            let dt = stated.unwrap_or(most).min(most);
            world.resource_mut::<CcdClock>().step_length = Some(dt);
            pull(world, dt, rate);
        }
    }
    world.run_schedule(Simulate);
    let mut clock = world.resource_mut::<CcdClock>();
    clock.step_length = stated;
    if clock.steps() == made {
        // The hand has pulled already, and would pull again at the next try.
        world.insert_resource(Standing::Anywhere);
        return Err(why_not(world));
    }
    let recorded = Recorded::new(world.resource::<CcdWorld>().snapshot());
    let step = recorded.report().dt;
    world.resource_mut::<Playback>().tape.push(step, recorded);
    Ok(())
}

/// Why the step was not made. The world says it each time, the plugin tells what is the same again only once.
fn why_not(world: &mut World) -> String {
    let scene = world.resource::<Scene>();
    if let Some(refusal) = world.resource::<CcdWorld>().refusal() {
        return refusal.with_names(|id| scene.name_of(id));
    }
    let told = world.get_resource_mut::<Messages<CcdProblem>>().into_iter();
    let told: Vec<String> =
        told.flat_map(|mut told| told.drain().map(|problem| problem.to_string()).collect::<Vec<_>>()).collect();
    if told.is_empty() { "the step could not be made".into() } else { told.join("; ") }
}

/// Has the plugin take over what was changed, without making a step.
pub fn take_over(world: &mut World) {
    let clock = *world.resource::<CcdClock>();
    world.insert_resource(CcdClock::paused());
    world.run_schedule(Simulate);
    world.insert_resource(clock);
}

/// Puts the plugin's world to a state. Who is on the stage and not in it, for it was shot in later or is taken out, is no body meanwhile.
fn put_to(world: &mut World, state: CcdSnapshot) {
    let mut actors = world.query::<(Entity, &Actor, Has<RigidBodyDisabled>)>();
    let actors = actors.iter(world).map(|(entity, actor, is_out)| (entity, is_out, state.core.body(actor.0).is_none()));
    let changed: Vec<(Entity, bool)> =
        actors.filter(|(_, was_out, is_out)| was_out != is_out).map(|(entity, _, is_out)| (entity, is_out)).collect();
    for &(entity, is_out) in &changed {
        let mut entity = world.entity_mut(entity);
        if is_out {
            entity.insert(RigidBodyDisabled);
        } else {
            entity.remove::<RigidBodyDisabled>();
        }
    }
    if changed.is_empty() {
        world.resource_mut::<CcdWorld>().restore(state);
        return;
    }
    // Who comes back must be a body to be known in the state, and those who are not in it are gone before it is followed.
    take_over(world);
    world.resource_mut::<CcdWorld>().restore(state);
    take_over(world);
}

/// Puts the plugin's world to the end of the tape.
pub fn stand_at_end(world: &mut World) {
    if *world.resource::<Standing>() == Standing::AtEnd {
        return;
    }
    let last = world.resource::<Playback>().tape.last().state.snapshot.clone();
    put_to(world, last);
    world.insert_resource(Standing::AtEnd);
}

/// Has the end of the tape be what the plugin's world is now, which stands there.
pub fn amend_end(world: &mut World) {
    let now = world.resource::<CcdWorld>().snapshot();
    world.resource_mut::<Playback>().tape.amend_last(|state| state.amend(now));
}

/// Puts the plugin's world to the start of the watched step, with the report of what happens in it; at a recorded
/// state, to that.
pub(super) fn stand_at_watched(world: &mut World) {
    let playback = world.resource::<Playback>();
    let between = playback.tape.between();
    let end = playback.tape.frames().len() - 1;
    let wanted = if between.from == end {
        Standing::AtEnd
    } else {
        let reported = if between.since > 0.0 { between.to } else { between.from };
        Standing::Watched(playback.tape.step_number(between.from), playback.tape.step_number(reported))
    };
    if *world.resource::<Standing>() == wanted {
        return;
    }
    let Some(frame) = playback.tape.frame(between.from) else { return };
    let mut state = frame.state.snapshot.clone();
    if let Standing::Watched(from, reported) = wanted
        && reported != from
        && let Some(next) = playback.tape.frame(between.to)
    {
        // The contacts' impulses are of the step before, and so is the length by which they become forces.
        state.report = StepReport { dt: state.report.dt, ..next.state.report().clone() };
    }
    put_to(world, state);
    world.insert_resource(wanted);
}
