//! Makes steps when they are watched, and moves the watched instant.

use bevy::ecs::message::MessageCursor;
use bevy::prelude::*;
use bevy_ccd::{CcdClock, CcdInspect};
use ccd_core::id::BodyId;

use super::live::{self, Length};
use super::{Playback, Trouble};
use crate::draw::bodies::Actor;
use crate::panels::contacts::Selection;
use crate::scenes::Scene;

/// The most steps that one frame waits for. In a window it waits for few, and what is watched goes slower where that is too few; a picture of
/// the n-th frame waits for all.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepsPerFrame(pub u32);

impl Default for StepsPerFrame {
    fn default() -> Self {
        Self(8)
    }
}

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
    /// Forget what is recorded after the watched instant, and go on from there; paused or not as before.
    Cut,
}

/// Obeys the transport.
pub(super) fn obey(world: &mut World, mut cursor: Local<MessageCursor<Transport>>) {
    let asked: Vec<Transport> = world
        .get_resource::<Messages<Transport>>()
        .map(|asked| cursor.read(asked).copied().collect())
        .unwrap_or_default();
    for wish in asked {
        obey_now(world, wish);
    }
}

/// Does what is wished, at once.
pub fn obey_now(world: &mut World, wish: Transport) {
    // Who wishes something is not led on to the instant that the scene was to open at.
    let was_led_on = world.resource_mut::<Playback>().stop_at.take().is_some();
    if !matches!(wish, Transport::Toggle | Transport::Cut) {
        world.resource_mut::<CcdClock>().paused = true;
    }
    match wish {
        Transport::Toggle => {
            let mut clock = world.resource_mut::<CcdClock>();
            clock.paused = was_led_on || !clock.paused;
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

/// Lets watched time pass, and makes the steps that it runs into.
pub(super) fn play(world: &mut World) {
    run_up(world);
    let clock = *world.resource::<CcdClock>();
    if clock.paused {
        let asked = clock.requested_steps();
        if asked > 0 {
            // The plugin's button is one more of the transport: where one looks back the next state is there.
            world.resource_mut::<CcdClock>().set_counts(clock.simulated(), clock.steps());
            (0..asked).for_each(|_| obey_now(world, Transport::StepForward));
        }
        return;
    }
    // The engine has what is watched go on by a quarter of a second in a frame at the most, however long that takes.
    let (passed, frame) = (world.resource::<Time>().delta_secs_f64(), world.resource::<Time<Real>>().delta_secs_f64());
    let playback = world.resource::<Playback>();
    let (from, wanted) = (playback.tape.watched(), playback.rate * passed);
    reach(world, from + wanted);
    let mut playback = world.resource_mut::<Playback>();
    playback.tape.seek(from + wanted);
    let passed = playback.tape.watched() - from;
    playback.note_pace(passed, frame);
}

/// Makes steps until the tape holds `aim`, as many as one frame waits for; returns whether it does.
fn reach(world: &mut World, aim: f64) -> bool {
    // The sum of many steps is not exact.
    let holds = |world: &World| world.resource::<Playback>().tape.newest() >= aim * (1.0 - 1e-12);
    for _ in 0..world.resource::<StepsPerFrame>().0 {
        if holds(world) || !make_step(world) {
            break;
        }
    }
    holds(world)
}

/// Makes the steps up to the instant that the scene was asked to open at.
fn run_up(world: &mut World) {
    let Some(aim) = world.resource::<Playback>().stop_at else { return };
    let reached = reach(world, aim);
    let stopped = world.resource::<Trouble>().0.is_some();
    let mut playback = world.resource_mut::<Playback>();
    playback.tape.seek(aim);
    if reached || stopped {
        playback.stop_at = None;
        playback.missed = (!reached).then_some(aim);
        world.resource_mut::<CcdClock>().paused = true;
    }
}

/// Makes one step at the end of the tape; returns whether it was made.
fn make_step(world: &mut World) -> bool {
    make_step_of(world, Length::Stated)
}

fn make_step_of(world: &mut World, length: Length) -> bool {
    let start = world.resource::<Playback>().tape.newest();
    if let Err(reason) = live::make_step(world, length) {
        world.insert_resource(Trouble(Some(reason)));
        world.resource_mut::<CcdClock>().paused = true;
        return false;
    }
    if world.resource::<Trouble>().0.is_some() {
        world.insert_resource(Trouble::default());
    }
    world.resource_scope(|world, mut scene: Mut<Scene>| {
        if let Some(shots) = &mut scene.shots {
            shots.note(start, world.resource::<Playback>().tape.last().state.report());
        }
    });
    true
}

/// A rest of a step shorter than this share of it is no step of its own.
const LEAST_REST: f64 = 1e-6;

fn go_on_from_watched(world: &mut World) {
    let mut playback = world.resource_mut::<Playback>();
    let between = playback.tape.between();
    playback.tape.cut();
    let (time, step) = (playback.tape.newest(), playback.tape.step_number(between.from));
    world.resource_mut::<CcdClock>().set_counts(time, step);
    if let Some(shots) = &mut world.resource_mut::<Scene>().shots {
        shots.forget_after(time);
    }
    forget_who_never_was(world);
    world.insert_resource(Trouble::default());
    world.insert_resource(live::Standing::Anywhere);
    // The rest up to the instant itself, inside a step.
    if between.share() > LEAST_REST && make_step_of(world, Length::Recorded(between.since)) {
        world.resource_mut::<Playback>().tape.seek(f64::MAX);
    }
}

/// Takes those off the stage who are in no state that is left: they were shot in later. Who is taken out later is in some. Nor is any of
/// them selected or looked into any longer.
fn forget_who_never_was(world: &mut World) {
    let mut actors = world.query::<(Entity, &Actor)>();
    let tape = &world.resource::<Playback>().tape;
    // The newest first, which has nearly all of them.
    let was = |actor: &Actor| tape.frames().rev().any(|frame| frame.state.world().body(actor.0).is_some());
    let never: Vec<(Entity, BodyId)> =
        actors.iter(world).filter(|(_, actor)| !was(actor)).map(|(entity, actor)| (entity, actor.0)).collect();
    for &(entity, id) in &never {
        world.despawn(entity);
        world.resource_mut::<Scene>().names.remove(&id);
    }
    let was_never = |id: BodyId| never.iter().any(|(_, gone)| *gone == id);
    let has_no_body = |gone: Entity| never.iter().any(|(entity, _)| *entity == gone);
    let mut selection = world.resource_mut::<Selection>();
    selection.body = selection.body.filter(|id| !was_never(*id));
    selection.contact = selection.contact.filter(|row| !was_never(row.pair.a) && !was_never(row.pair.b));
    let mut inspect = world.resource_mut::<CcdInspect>();
    inspect.pair = inspect.pair.filter(|(a, b)| !has_no_body(*a) && !has_no_body(*b));
    if inspect.body.is_some_and(has_no_body) {
        (inspect.body, inspect.index_point) = (None, None);
    }
}
