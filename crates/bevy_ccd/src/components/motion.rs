//! Velocities and what changes them.

use bevy::prelude::*;

/// The velocity of a body's centre of mass, m/s, in the world frame.
///
/// Written after each step; a value that something else has written is taken over before the next.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct LinearVelocity(pub Vec3);

impl LinearVelocity {
    /// At rest.
    pub const ZERO: Self = Self(Vec3::ZERO);

    /// The velocity from its components, m/s.
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self(Vec3::new(x, y, z))
    }
}

/// A body's angular velocity, rad/s, about its centre of mass, in the world frame.
///
/// Written after each step; a value that something else has written is taken over before the next.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct AngularVelocity(pub Vec3);

impl AngularVelocity {
    /// Without spin.
    pub const ZERO: Self = Self(Vec3::ZERO);

    /// The velocity from its components, rad/s.
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self(Vec3::new(x, y, z))
    }
}

/// What part of [`Gravity`](crate::Gravity) acts on a body: 0 for none, 1 (as without this component) for all.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct GravityScale(pub f32);

impl Default for GravityScale {
    fn default() -> Self {
        Self(1.0)
    }
}

/// The rate at which a body's linear velocity decays, 1/s, at least zero.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct LinearDamping(pub f32);

/// The rate at which a body's angular velocity decays, 1/s, at least zero.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct AngularDamping(pub f32);

/// A force at a body's centre of mass, N, in the world frame, for as long as the component is there.
#[doc(alias = "ExternalForce")]
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct ConstantForce(pub Vec3);

impl ConstantForce {
    /// The force from its components, N.
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self(Vec3::new(x, y, z))
    }
}

/// A torque on a body, N·m, in the world frame, for as long as the component is there.
#[doc(alias = "ExternalTorque")]
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct ConstantTorque(pub Vec3);

impl ConstantTorque {
    /// The torque from its components, N·m.
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self(Vec3::new(x, y, z))
    }
}
