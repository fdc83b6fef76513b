//! The plugins, and how their systems are ordered.

use bevy::app::{PluginGroup, PluginGroupBuilder};
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use bevy::transform::TransformSystems;

use crate::clock::{CcdClock, follow_step_length};
use crate::collider::{
    ColliderConstructorFailed, ColliderConstructorHierarchyReady, ColliderConstructorReady, ObjLoader, ObjModel,
    build_colliders, give_constructors, tell_hierarchies_ready,
};
use crate::debug::CcdDebug;
use crate::diagnostics::CcdDiagnosticsPlugin;
use crate::events::{CollisionEnd, CollisionStart, tell_collisions, update_colliding_entities};
use crate::impacts::CollisionImpact;
use crate::inspect::{CcdFindings, CcdIndexFindings, CcdInspect, look_into_index, look_into_pair};
use crate::no_effect::tell_no_effect;
use crate::problem::CcdProblem;
use crate::push::{ImpulseQueue, give_impulses};
use crate::query::{cast_rays, cast_shapes};
use crate::schedule::{self, CcdSystems};
use crate::settings::{CcdSettings, Gravity};
use crate::world::CcdWorld;
use crate::{components, interpolation, stepping, sync};

/// Everything that a game needs: bodies, contacts, events, diagnostics and debug drawing.
///
/// | plugin | job | feature |
/// |---|---|---|
/// | [`CcdPlugin`] | the world, its step, events, queries | – |
/// | [`CcdDiagnosticsPlugin`] | step reports in the diagnostics store | – |
/// | `CcdGizmosPlugin` | overlays drawn with gizmos | `debug` |
///
/// The egui panel is a plugin of its own, `CcdPanelPlugin` (feature `panel`), for it needs a window.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, TransformPlugin));
/// app.add_plugins(CcdPlugins::default());
/// # app.update();
/// ```
///
/// In another schedule, with settings of its own, and without one of the plugins:
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, TransformPlugin));
/// app.add_plugins(CcdPlugins::new(PostUpdate).build().disable::<CcdDiagnosticsPlugin>())
///     .insert_resource(CcdSettings { tolerance: 1e-5, ..default() })
///     .insert_resource(CcdClock::paused())
///     .insert_resource(Gravity(Vec3::NEG_Y * 1.62));
/// # app.update();
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CcdPlugins {
    world: CcdPlugin,
}

impl CcdPlugins {
    /// In this schedule; by default in [`FixedPostUpdate`]. In a schedule that runs once a frame steps are as long as the frames, unless
    /// [`CcdClock::step_length`] says otherwise. A schedule of the app's own is a fixed one where
    /// [`FixedMainScheduleOrder`](bevy::app::FixedMainScheduleOrder) has it when the app is finished.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { world: CcdPlugin::new(schedule) }
    }
}

impl PluginGroup for CcdPlugins {
    fn build(self) -> PluginGroupBuilder {
        let group = PluginGroupBuilder::start::<Self>().add(self.world).add(CcdDiagnosticsPlugin);
        #[cfg(feature = "debug")]
        let group = group.add(crate::gizmos::CcdGizmosPlugin);
        group
    }
}

/// The world, its step, events and queries. Usually added as part of [`CcdPlugins`]; by itself it is all that a server needs.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # let mut app = App::new();
/// app.add_plugins((MinimalPlugins, TransformPlugin, CcdPlugin::default()));
/// # app.update();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CcdPlugin {
    schedule: InternedScheduleLabel,
}

impl Default for CcdPlugin {
    /// In [`FixedPostUpdate`].
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl CcdPlugin {
    /// In this schedule; see [`CcdPlugins::new`].
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Plugin for CcdPlugin {
    fn build(&self, app: &mut App) {
        schedule::configure(app, self.schedule);
        register_types(app);
        app.insert_resource(CcdWorld::new())
            .init_resource::<CcdClock>()
            .init_resource::<CcdSettings>()
            .init_resource::<Gravity>()
            .init_resource::<CcdDebug>()
            .init_resource::<CcdInspect>()
            .init_resource::<ImpulseQueue>()
            .init_resource::<CcdFindings>()
            .init_resource::<CcdIndexFindings>()
            .add_systems(PostUpdate, (look_into_pair, look_into_index).after(TransformSystems::Propagate))
            .add_message::<CcdProblem>()
            .add_message::<CollisionStart>()
            .add_message::<CollisionImpact>()
            .add_message::<CollisionEnd>()
            .add_message::<ColliderConstructorReady>()
            .add_message::<ColliderConstructorHierarchyReady>()
            .add_message::<ColliderConstructorFailed>();
        #[cfg(feature = "panel")]
        app.init_resource::<crate::panel::CcdCaseFile>();
        self.add_stages(app);
        add_fixed_clock(app);
    }

    fn finish(&self, app: &mut App) {
        // A schedule of the app's own may have come among the fixed ones since.
        add_fixed_clock(app);
        // Models come from files only where the app has an asset server.
        if app.world().contains_resource::<AssetServer>() {
            app.init_asset::<ObjModel>().register_asset_loader(ObjLoader);
        }
    }
}

impl CcdPlugin {
    fn add_stages(&self, app: &mut App) {
        app.add_systems(
            self.schedule,
            (
                (
                    (give_constructors, build_colliders, tell_hierarchies_ready).chain(),
                    sync::follow_restored,
                    sync::drop_bodies,
                    interpolation::forget_teleported,
                    stepping::take_settings,
                    // What is carried asks whether its carrier is in the world.
                    sync::add_bodies,
                    sync::take_changes,
                    sync::carry_children,
                    sync::group_bodies,
                    give_impulses,
                    tell_no_effect,
                )
                    .chain()
                    .in_set(CcdSystems::Sync),
                stepping::begin_step.in_set(CcdSystems::BroadPhase),
                stepping::detect.in_set(CcdSystems::NarrowPhase),
                stepping::respond.in_set(CcdSystems::Response),
                (
                    stepping::finish_step,
                    sync::gather_changed,
                    sync::write_root_poses,
                    sync::write_child_poses,
                    sync::write_velocities,
                    sync::write_sleep,
                    interpolation::note_poses,
                    cast_rays,
                    cast_shapes,
                    update_colliding_entities,
                    tell_collisions,
                )
                    .chain()
                    .in_set(CcdSystems::Writeback),
            ),
        );
    }
}

/// What goes with the fixed clock, where the world steps by that; once.
fn add_fixed_clock(app: &mut App) {
    if !schedule::becomes_fixed(app.world_mut()) {
        return;
    }
    app.add_systems(
        FixedFirst,
        (
            interpolation::restore_poses,
            // A state that was put back is seen by all systems of the tick.
            (
                sync::follow_restored,
                sync::drop_bodies,
                sync::add_bodies,
                sync::take_changes,
                sync::carry_children,
                sync::gather_changed,
                sync::write_root_poses,
                sync::write_child_poses,
                sync::write_velocities,
            )
                .chain()
                .run_if(sync::is_restored),
        )
            .chain(),
    )
    .add_systems(
        RunFixedMainLoop,
        (
            follow_step_length.in_set(RunFixedMainLoopSystems::BeforeFixedMainLoop),
            interpolation::ease_poses.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
        ),
    );
}

/// For apps without automatic registration.
fn register_types(app: &mut App) {
    app.register_type::<components::RigidBody>()
        .register_type::<components::Sensor>()
        .register_type::<components::Teleport>()
        .register_type::<components::NoCollideGroup>()
        .register_type::<components::OneWayPlatform>()
        .register_type::<components::Sleeping>()
        .register_type::<components::SleepingDisabled>()
        .register_type::<components::SurfaceVelocity>()
        .register_type::<components::RigidBodyDisabled>()
        .register_type::<components::ColliderDisabled>()
        .register_type::<components::LinearVelocity>()
        .register_type::<components::AngularVelocity>()
        .register_type::<components::Mass>()
        .register_type::<components::ColliderDensity>()
        .register_type::<components::CenterOfMass>()
        .register_type::<components::AngularInertia>()
        .register_type::<components::Restitution>()
        .register_type::<components::Friction>()
        .register_type::<components::RollingResistance>()
        .register_type::<components::GravityScale>()
        .register_type::<components::LinearDamping>()
        .register_type::<components::AngularDamping>()
        .register_type::<components::ConstantForce>()
        .register_type::<components::ConstantTorque>()
        .register_type::<components::LockedAxes>()
        .register_type::<components::CollisionLayers>()
        .register_type::<crate::Collider>()
        .register_type::<crate::ColliderConstructor>()
        .register_type::<crate::ColliderConstructorHierarchy>()
        .register_type::<crate::RayCaster>()
        .register_type::<crate::RayHits>()
        .register_type::<crate::ShapeCaster>()
        .register_type::<crate::ShapeHits>()
        .register_type::<crate::CollisionEventsEnabled>()
        .register_type::<crate::CollidingEntities>()
        .register_type::<crate::TransformInterpolation>()
        .register_type::<CcdClock>()
        .register_type::<CcdSettings>()
        .register_type::<CcdDebug>()
        .register_type::<CcdInspect>()
        .register_type::<Gravity>();
}
