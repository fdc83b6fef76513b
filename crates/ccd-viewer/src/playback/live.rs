//! The plugin's world: steps are made with it at the end of the tape, and between steps it stands at the watched
//! instant, so that the plugin's overlays and panel tell of what is seen.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_ccd::{CcdClock, CcdProblem, CcdSnapshot, CcdWorld};
use ccd_core::world::StepReport;

use super::{Playback, Recorded};
use crate::hands::{Grab, pull};

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

/// Makes one step at the end of the tape: as long as the clock says, and no longer than `most` seconds.
///
/// # Errors
/// What the plugin says; the tape is as it was.
pub(super) fn make_step(world: &mut World, most: f64) -> Result<(), String> {
    stand_at_end(world);
    let rate = world.resource::<Playback>().rate;
    let most = if world.resource::<Grab>().0.is_some() { most.min(HELD * rate) } else { most };
    let mut clock = world.resource_mut::<CcdClock>();
    if clock.paused && clock.requested_steps() == 0 {
        clock.request_step();
    }
    let made = clock.steps();
    let length = clock.step_length;
    let dt = length.unwrap_or(most).min(most);
    clock.step_length = Some(dt);
    pull(world, dt, rate);
    world.run_schedule(Simulate);
    let mut clock = world.resource_mut::<CcdClock>();
    clock.step_length = length;
    if clock.steps() == made {
        return Err(problems(world).unwrap_or_else(|| "the step could not be made".into()));
    }
    let ccd = world.resource::<CcdWorld>();
    let recorded = Recorded::new(ccd.core().clone(), ccd.report().clone());
    let step = recorded.report.dt;
    world.resource_mut::<Playback>().tape.push(step, recorded);
    Ok(())
}

fn problems(world: &mut World) -> Option<String> {
    let told: Vec<String> =
        world.get_resource_mut::<Messages<CcdProblem>>()?.drain().map(|problem| problem.to_string()).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Puts the plugin's world to the end of the tape.
pub fn stand_at_end(world: &mut World) {
    if *world.resource::<Standing>() == Standing::AtEnd {
        return;
    }
    let last = &world.resource::<Playback>().tape.last().state;
    let snapshot = CcdSnapshot::new(last.world.clone(), last.report.clone());
    world.resource_mut::<CcdWorld>().restore(snapshot);
    world.insert_resource(Standing::AtEnd);
}

/// Puts the plugin's world to the start of the watched step, with the report of what happens in it; at a recorded
/// state, to that.
pub(super) fn stand_at_watched(playback: Res<Playback>, mut ccd: ResMut<CcdWorld>, mut standing: ResMut<Standing>) {
    let between = playback.tape.between();
    let end = playback.tape.frames().len() - 1;
    let wanted = if between.from == end {
        Standing::AtEnd
    } else {
        let reported = if between.since > 0.0 { between.to } else { between.from };
        Standing::Watched(playback.tape.step_number(between.from), playback.tape.step_number(reported))
    };
    if *standing == wanted {
        return;
    }
    let state = playback.tape.frame(between.from);
    let report = match wanted {
        Standing::Watched(from, reported) if reported != from => playback.tape.frame(between.to),
        _ => state,
    };
    if let (Some(state), Some(report)) = (state, report) {
        let report: StepReport = report.state.report.clone();
        ccd.restore(CcdSnapshot::new(state.state.world.clone(), report));
        *standing = wanted;
    }
}
