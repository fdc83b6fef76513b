//! An app that steps once at each update, and what tests ask it.

pub use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings};
pub use bevy::prelude::*;
pub use bevy::time::TimeUpdateStrategy;
pub use bevy_ccd::prelude::*;

use bevy_ccd::ccd_core::dynamics::Body;

/// Steps per second.
pub const RATE: f64 = 64.0;

/// An app with the plugin, one step of 1/64 s at each update, and every ambiguity an error.
pub fn app() -> App {
    app_with(|_| {})
}

/// The same, with more in it before it is finished.
pub fn app_with(more: impl FnOnce(&mut App)) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin));
    more(&mut app);
    app.add_plugins(CcdPlugins::default())
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Time::<Fixed>::from_hz(RATE));
    keep::<CcdProblem>(&mut app);
    keep::<CollisionStart>(&mut app);
    keep::<CollisionImpact>(&mut app);
    keep::<CollisionEnd>(&mut app);
    keep::<ColliderConstructorReady>(&mut app);
    keep::<ColliderConstructorFailed>(&mut app);
    app.configure_schedules(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error, ..default() });
    // What the engine does when states change is ambiguous.
    app.edit_schedule(StateTransition, |schedule| _ = schedule.set_build_settings(ScheduleBuildSettings::default()));
    app.finish();
    app.cleanup();
    // The first frame takes no time.
    app.update();
    app
}

/// [`app`] without gravity.
pub fn still_app() -> App {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    app
}

/// A floor whose top is at height zero.
pub fn floor() -> impl Bundle {
    (RigidBody::Static, Collider::cuboid(40.0, 1.0, 40.0), Transform::from_xyz(0.0, -0.5, 0.0))
}

/// A dynamic ball of radius ½ at this height.
pub fn ball(height: f32) -> impl Bundle {
    (RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(0.0, height, 0.0))
}

pub fn run(app: &mut App, updates: u32) {
    for _ in 0..updates {
        app.update();
    }
}

pub fn place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<Transform>(entity).expect("a transform").translation
}

pub fn velocity(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<LinearVelocity>(entity).expect("a velocity").0
}

/// The exact body of an entity.
pub fn core_body(app: &App, entity: Entity) -> &Body {
    let id = app.world().get::<CcdBody>(entity).expect("a body").id();
    app.world().resource::<CcdWorld>().core().body(id).expect("the body is in the world")
}

/// The messages of a kind that were written and not taken yet; the engine itself forgets them after two frames.
#[derive(Resource)]
struct Kept<M: Message>(Vec<M>);

fn keep<M: Message + Clone>(app: &mut App) {
    app.insert_resource(Kept::<M>(Vec::new())).add_systems(
        Last,
        (|mut messages: MessageReader<M>, mut kept: ResMut<Kept<M>>| kept.0.extend(messages.read().cloned()))
            .ambiguous_with_all(),
    );
}

/// Takes all messages of a kind that have not been taken.
pub fn take<M: Message>(app: &mut App) -> Vec<M> {
    std::mem::take(&mut app.world_mut().resource_mut::<Kept<M>>().0)
}
