//! Makes steps when they are watched, and puts them on the tape.

use bevy::prelude::*;
use bevy_ccd::CcdClock;

use super::{Live, Playback, Recorded, Trouble};
use crate::scenes::Scene;

/// The most steps that one frame waits for; counted, not timed, so that a headless run always shows the same.
const STEPS_PER_FRAME: u32 = 8;

/// What the keys and buttons of the transport ask for.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub enum Transport {
    /// Play or pause.
    Toggle,
    /// To the state before, paused.
    StepBack,
    /// To the next state, made now if it is not recorded; paused.
    StepForward,
    /// Watch this instant, seconds; paused.
    Seek(f64),
    /// Forget what is recorded after the watched instant, and go on from there.
    Cut,
}

/// Obeys the transport.
pub(super) fn obey(world: &mut World, mut cursor: Local<bevy::ecs::message::MessageCursor<Transport>>) {
    let asked: Vec<Transport> =
        world.get_resource::<Messages<Transport>>().map(|asked| cursor.read(asked).copied().collect()).unwrap_or_default();
    for wish in asked {
        if wish != Transport::Toggle {
            world.resource_mut::<CcdClock>().paused = true;
        }
        match wish {
            Transport::Toggle => {
                let mut clock = world.resource_mut::<CcdClock>();
                clock.paused = !clock.paused;
            }
            Transport::StepBack => {
                world.resource_mut::<Playback>().tape.step_back();
            }
            Transport::StepForward => {
                if !world.resource_mut::<Playback>().tape.step_forward() && make_step(world) {
                    world.resource_mut::<Playback>().tape.seek(f64::MAX);
                }
            }
            Transport::Seek(time) => world.resource_mut::<Playback>().tape.seek(time),
            Transport::Cut => go_on_from_watched(world),
        }
    }
}

/// Lets watched time pass, and makes the steps that it runs into.
pub(super) fn play(world: &mut World) {
    run_up(world);
    let clock = *world.resource::<CcdClock>();
    if clock.paused {
        for _ in 0..clock.requested_steps().min(STEPS_PER_FRAME) {
            if !make_step(world) {
                break;
            }
            world.resource_mut::<Playback>().tape.seek(f64::MAX);
        }
        return;
    }
    let passed = world.resource::<Time>().delta_secs_f64();
    let playback = world.resource::<Playback>();
    let aim = playback.tape.watched() + playback.rate * passed;
    for _ in 0..STEPS_PER_FRAME {
        if world.resource::<Playback>().tape.newest() >= aim || !make_step(world) {
            break;
        }
    }
    world.resource_mut::<Playback>().tape.seek(aim);
}

/// Makes the steps up to the instant that the scene was asked to open at.
fn run_up(world: &mut World) {
    let playback = world.resource::<Playback>();
    let Some(aim) = playback.stop_at else { return };
    for _ in 0..STEPS_PER_FRAME {
        if world.resource::<Playback>().tape.newest() >= aim {
            break;
        }
        if !make_step(world) {
            world.resource_mut::<Playback>().stop_at = None;
            return;
        }
    }
    let mut playback = world.resource_mut::<Playback>();
    playback.tape.seek(aim);
    if playback.tape.newest() >= aim {
        playback.stop_at = None;
        world.resource_mut::<CcdClock>().paused = true;
    }
}

/// Makes one step at the end of the tape; returns whether it was made.
fn make_step(world: &mut World) -> bool {
    let step = world.resource::<CcdClock>().step_length.unwrap_or(world.resource::<Scene>().step);
    let start = world.resource::<Playback>().tape.newest();
    match world.resource_mut::<Live>().step(step) {
        Ok((state, report)) => {
            if let Some(shots) = &mut world.resource_mut::<Scene>().shots {
                shots.note(start, &report);
            }
            world.resource_mut::<Playback>().tape.push(step, Recorded::new(state, report));
            true
        }
        Err(error) => {
            world.insert_resource(Trouble(Some(error)));
            world.resource_mut::<CcdClock>().paused = true;
            false
        }
    }
}

fn go_on_from_watched(world: &mut World) {
    let mut playback = world.resource_mut::<Playback>();
    let state = playback.tape.cut().world.clone();
    let time = playback.tape.newest();
    if let Some(shots) = &mut world.resource_mut::<Scene>().shots {
        shots.forget_after(time);
    }
    world.insert_resource(Trouble::default());
    world.resource_mut::<Live>().restore(state);
}
