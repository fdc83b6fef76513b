//! What a user writes on an entity: the face of the simulation towards the ECS, without algorithms.
//!
//! Units are SI: metres, kilograms, seconds, radians, newtons.

mod body;
mod disabled;
mod group;
mod layers;
mod locked_axes;
mod mass;
mod material;
mod motion;
mod one_way;

pub use body::{RigidBody, Sensor, Sleeping, SleepingDisabled, Teleport};
pub use disabled::{ColliderDisabled, RigidBodyDisabled};
pub use group::NoCollideGroup;
pub use layers::{CollisionLayers, LayerMask, PhysicsLayer};
pub use locked_axes::LockedAxes;
pub use mass::{AngularInertia, CenterOfMass, ColliderDensity, Mass};
pub use material::{CoefficientCombine, Friction, Restitution, RollingResistance, SurfaceVelocity};
pub use motion::{
    AngularDamping, AngularVelocity, ConstantForce, ConstantTorque, GravityScale, LinearDamping, LinearVelocity,
};
pub use one_way::OneWayPlatform;
