//! The systems that step the world, one for each phase.

use bevy::prelude::*;
use ccd_core::world::StepError;

use crate::clock::CcdClock;
use crate::overlaps::Overlapping;
use crate::problem::{Problems, Reason, tell_new};
use crate::settings::{CcdSettings, Gravity, possible_of};
use crate::world::CcdWorld;

/// Gives the world its settings where they have changed.
pub(crate) fn take_settings(
    mut world: ResMut<CcdWorld>,
    settings: Res<CcdSettings>,
    gravity: Res<Gravity>,
    mut told: Local<[Option<Reason>; 2]>,
    mut problems: Problems,
) {
    if !settings.is_changed() && !gravity.is_changed() {
        return;
    }
    let wanted = settings.to_world_settings_from(&gravity, world.gravity.as_ref());
    let (possible, refused) = possible_of(wanted, world.core.settings());
    for (told, error) in told.iter_mut().zip(refused) {
        match error {
            Some(error) => tell_new(told, error.into(), None, &mut problems),
            None => *told = None,
        }
    }
    _ = world.core.set_settings(possible);
}

/// If a step is due: where would everything go, and who could meet?
pub(crate) fn begin_step(
    mut world: ResMut<CcdWorld>,
    mut clock: ResMut<CcdClock>,
    time: Res<Time>,
    engine: Option<Res<Time<Virtual>>>,
    mut problems: Problems,
) {
    // As it was when this frame began: from then on the schedules' clocks stand.
    let engine_is_paused = engine.is_some_and(|engine| engine.was_paused());
    // A look without claiming a change, for those who watch the clock.
    let due = clock.bypass_change_detection().take_step(time.delta_secs_f64(), engine_is_paused);
    let Some(dt) = due else { return };
    let begun = world.begin(dt);
    tell_once(&mut world, begun, &mut problems);
}

/// Who touches, and with which features?
pub(crate) fn detect(mut world: ResMut<CcdWorld>, mut problems: Problems) {
    if world.in_progress() {
        let detected = world.detect();
        tell_once(&mut world, detected, &mut problems);
    }
}

/// What do impacts and contacts do to the velocities, and does anything meet on the way that they leave?
pub(crate) fn respond(mut world: ResMut<CcdWorld>, mut problems: Problems) {
    if world.in_progress() {
        let responded = world.respond();
        tell_once(&mut world, responded, &mut problems);
    }
}

/// Makes the step's outcome the state.
pub(crate) fn finish_step(
    mut world: ResMut<CcdWorld>,
    mut clock: ResMut<CcdClock>,
    mut overlapping: Local<Overlapping>,
    mut problems: Problems,
) {
    if !world.in_progress() {
        return;
    }
    match world.finish() {
        Ok(dt) => clock.count_step(dt),
        Err(error) => tell_once(&mut world, Err(error), &mut problems),
    }
    let report = world.report();
    overlapping.tell(&world, report, &mut problems);
    for &id in &report.quarantined {
        problems.tell(world.entity(id), crate::CcdProblemCause::Quarantined);
    }
}

/// A world that cannot step refuses each time anew; the reason is told when it is another than before.
fn tell_once(world: &mut CcdWorld, result: Result<(), StepError>, problems: &mut Problems) {
    let Err(error) = result else { return };
    // By their words, for a step length that is no number is not even equal to itself.
    if world.last_error.as_ref().is_some_and(|last| last.to_string() == error.to_string()) {
        return;
    }
    let entity = match &error {
        StepError::InitialOverlap { first: overlap, .. } | StepError::Inseparable { pair: overlap } => {
            world.entity(overlap.pair.a)
        }
        StepError::Body { body, .. } => world.entity(*body),
        StepError::Detection { pair, .. } => world.entity(pair.a),
        _ => None,
    };
    problems.tell(entity, error.clone());
    world.last_error = Some(error);
}
