//! Precise contact for Bevy: no collision missed, on any geometry, at any speed.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_ccd::prelude::*;
//!
//! fn main() {
//!     App::new().add_plugins((DefaultPlugins, CcdPlugins::default())).add_systems(Startup, setup).run();
//! }
//!
//! fn setup(mut commands: Commands) {
//!     commands.spawn((RigidBody::Static, Collider::cuboid(20.0, 0.1, 20.0)));
//!     commands.spawn((RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(0.0, 5.0, 0.0)));
//! }
//! ```
//!
//! # Components
//!
//! | component | what it says | without it |
//! |---|---|---|
//! | [`RigidBody`], [`Collider`] | the entity is a body, of this shape | it is none |
//! | [`Collider`] on a child without [`RigidBody`] | one more part of its parent's body | |
//! | [`Collider`] and [`Sensor`] without [`RigidBody`] | notices what is in it; on a child it goes where the body goes | |
//! | [`ColliderConstructor`] | builds the collider, also from meshes and OBJ assets | |
//! | [`ColliderConstructorHierarchy`] | gives one to every mesh below, as of a scene | |
//! | [`LinearVelocity`], [`AngularVelocity`] | how it moves; written by the simulation, may be set | required by [`RigidBody`] |
//! | [`Mass`] or [`ColliderDensity`], [`CenterOfMass`], [`AngularInertia`] | how heavy it is | 1000 kg/m³ |
//! | [`Restitution`], [`Friction`], [`RollingResistance`] | its surface | [`CcdSettings`] |
//! | [`SurfaceVelocity`] | its surface runs: a conveyor belt | it does not |
//! | [`GravityScale`], [`ConstantForce`], [`ConstantTorque`], [`LinearDamping`], [`AngularDamping`] | forces | gravity only |
//! | [`LockedAxes`], [`CollisionLayers`], [`Sensor`] | what it cannot do | free, meets all, solid |
//! | [`OneWayPlatform`] | from where alone it is solid | from everywhere |
//! | [`NoCollideGroup`] | which others it passes through | those that are carried with it |
//! | [`Sleeping`] | it is asleep; written by the simulation, may be inserted and removed | it is awake |
//! | [`SleepingDisabled`] | it never sleeps | it sleeps at rest, unless [`CcdSettings`] say otherwise |
//! | [`RigidBodyDisabled`], [`ColliderDisabled`] | out of the simulation for a while | in it |
//! | [`Teleport`] | a kinematic body is where its [`Transform`](bevy::prelude::Transform) was set at once | it moves there in the next step |
//! | [`CollisionEventsEnabled`], [`CollidingEntities`] | tells whom it touches | silent |
//! | [`RayCaster`], [`ShapeCaster`] | asks at every step what is in the way; [`RayHits`], [`ShapeHits`] | |
//! | [`TransformInterpolation`] | eased between steps for rendering | shows the last step |
//!
//! # Resources
//!
//! [`Gravity`], [`CcdSettings`] (ε, thresholds, methods), [`CcdClock`] (pause, single step, Δt), [`CcdDebug`] (overlays),
//! [`CcdInspect`] (the pair that is looked into), and
//! [`CcdWorld`], the core's world with the last step's report.
//!
//! # Asking
//!
//! [`Collisions`] tells the contacts of the last step, [`SpatialQuery`] what a ray, a moving shape or a place would meet, [`MoveAndSlide`]
//! where a character gets to.
//! [`CollisionStart`], [`CollisionImpact`] and [`CollisionEnd`] come as messages and as events on entities.
//!
//! [`CaseExport`] saves the running world as a case file, which the command `ccd` and the viewer play from there on: what was seen in a game
//! is sent and seen again.
//!
//! # Order
//!
//! [`CcdSystems`], in `FixedPostUpdate` unless [`CcdPlugins::new`] says otherwise.
//!
//! # What is true
//!
//! The world of the core computes in `f64` and is the truth; `Transform` and the velocities show it rounded to `f32`. They
//! are read back only where something else than the simulation has changed them: a teleport, a motion of a kinematic body, or
//! a new velocity. Nothing
//! that a user writes makes the plugin panic: what cannot be is refused with a [`CcdProblem`] that names the entity.
//!
//! # Features
//!
//! | feature | what it adds | by default |
//! |---|---|---|
//! | `debug` | overlays drawn with gizmos | yes |
//! | `panel` | the egui panel; brings bevy_egui | no |
//! | `parallel` | detection and response on several threads, with the same outcome to the last bit | yes |
//! | `picking` | pointers pick colliders, with `CcdPickingPlugin` | yes |

mod clock;
mod collider;
mod components;
mod debug;
mod diagnostics;
mod drive;
mod events;
mod export;
mod impacts;
pub mod inspect;
mod interpolation;
mod no_effect;
mod overlaps;
mod part_owners;
mod plugins;
mod problem;
mod push;
mod query;
mod reflected;
mod schedule;
mod settings;
mod stepping;
mod sync;
mod touching;
mod world;

pub mod convert;
#[cfg(feature = "debug")]
mod gizmos;
#[cfg(feature = "panel")]
pub mod panel;
#[cfg(feature = "picking")]
mod picking;

pub use bevy_ccd_derive::PhysicsLayer;
pub use ccd_core;

pub use clock::CcdClock;
pub use collider::{
    Collider, ColliderConstructor, ColliderConstructorError, ColliderConstructorFailed, ColliderConstructorHierarchy,
    ColliderConstructorHierarchyConfig, ColliderConstructorHierarchyReady, ColliderConstructorReady, ColliderError,
    MeshSourceError, ObjLoader, ObjModel, ObjModelError, mesh_of, triangles_of,
};
pub use components::{
    AngularDamping, AngularInertia, AngularVelocity, CenterOfMass, CoefficientCombine, ColliderDensity,
    ColliderDisabled, CollisionLayers, ConstantForce, ConstantTorque, Friction, GravityScale, LayerMask, LinearDamping,
    LinearVelocity, LockedAxes, Mass, NoCollideGroup, OneWayPlatform, PhysicsLayer, Restitution, RigidBody,
    RigidBodyDisabled, RollingResistance, Sensor, Sleeping, SleepingDisabled, SurfaceVelocity, Teleport,
};
pub use debug::CcdDebug;
pub use diagnostics::CcdDiagnosticsPlugin;
pub use events::{CollidingEntities, CollisionEnd, CollisionEventsEnabled, CollisionStart};
pub use export::{CaseExport, CaseExportError, SavedCase};
#[cfg(feature = "debug")]
pub use gizmos::{
    CcdContactGizmos, CcdFineGizmos, CcdGizmos, CcdGizmosPlugin, CcdHierarchies, CcdOutlines, CcdPairGizmos,
};
pub use impacts::CollisionImpact;
pub use inspect::CcdInspect;
pub use interpolation::TransformInterpolation;
#[cfg(feature = "picking")]
pub use picking::{CcdPickingCamera, CcdPickingPlugin, CcdPickingSettings};
pub use plugins::{CcdPlugin, CcdPlugins};
pub use problem::{CcdProblem, CcdProblemCause};
pub use push::{ImpulseError, Impulses};
pub use query::{
    CharacterAutostep, CharacterGround, CharacterWalk, Collisions, Contact, ContactPair, MoveAndSlide,
    MoveAndSlideConfig, MoveAndSlideHitData, MoveAndSlideHitResponse, MoveAndSlideOutput, MoveHitData, PointProjection,
    RayCaster, RayHit, RayHits, ShapeCaster, ShapeHit, ShapeHits, SpatialQuery, SpatialQueryError, SpatialQueryFilter,
};
pub use schedule::CcdSystems;
pub use settings::{CcdSettings, Gravity};
pub use sync::CcdBody;
pub use world::{CcdSnapshot, CcdWorld};

/// What a game needs: `use bevy_ccd::prelude::*`.
pub mod prelude {
    #[cfg(feature = "panel")]
    #[doc(hidden)]
    pub use crate::panel::{CcdCaseFile, CcdPanel, CcdPanelPlugin, panel_ui};
    #[doc(hidden)]
    pub use crate::{
        AngularDamping, AngularInertia, AngularVelocity, CaseExport, CaseExportError, CcdBody, CcdClock, CcdDebug,
        CcdDiagnosticsPlugin, CcdInspect, CcdPlugin, CcdPlugins, CcdProblem, CcdProblemCause, CcdSettings, CcdSnapshot,
        CcdSystems, CcdWorld, CenterOfMass, CharacterAutostep, CharacterGround, CharacterWalk, CoefficientCombine,
        Collider, ColliderConstructor, ColliderConstructorFailed, ColliderConstructorHierarchy,
        ColliderConstructorHierarchyReady, ColliderConstructorReady, ColliderDensity, ColliderDisabled, ColliderError,
        CollidingEntities, CollisionEnd, CollisionEventsEnabled, CollisionImpact, CollisionLayers, CollisionStart,
        Collisions, ConstantForce, ConstantTorque, Friction, Gravity, GravityScale, ImpulseError, Impulses, LayerMask,
        LinearDamping, LinearVelocity, LockedAxes, Mass, MoveAndSlide, MoveAndSlideConfig, MoveAndSlideHitData,
        MoveAndSlideHitResponse, MoveAndSlideOutput, MoveHitData, NoCollideGroup, OneWayPlatform, PhysicsLayer,
        PointProjection, RayCaster, RayHit, RayHits, Restitution, RigidBody, RigidBodyDisabled, RollingResistance,
        Sensor, ShapeCaster, ShapeHit, ShapeHits, Sleeping, SleepingDisabled, SpatialQuery, SpatialQueryError,
        SpatialQueryFilter, SurfaceVelocity, Teleport, TransformInterpolation,
    };
    #[cfg(feature = "debug")]
    #[doc(hidden)]
    pub use crate::{CcdContactGizmos, CcdGizmos};
    #[cfg(feature = "picking")]
    #[doc(hidden)]
    pub use crate::{CcdPickingCamera, CcdPickingPlugin, CcdPickingSettings};
}

/// The README's examples are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
