//! How heavy a body is, and how its mass is spread.

use bevy::prelude::*;

/// A dynamic body's mass, kg, positive. Without it the mass follows from [`ColliderDensity`] and the collider's volume.
///
/// Centre and inertia follow from the collider at uniform density unless [`CenterOfMass`] or [`AngularInertia`] say otherwise.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct Mass(pub f32);

impl Default for Mass {
    fn default() -> Self {
        Self(1.0)
    }
}

/// The density of a dynamic body's collider, kg/m³ (of an open mesh: kg/m², spread over its area), positive.
///
/// Ignored where the body has a [`Mass`]. Without either a body has the density of water, 1000 kg/m³.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct ColliderDensity(pub f32);

impl Default for ColliderDensity {
    fn default() -> Self {
        Self(1000.0)
    }
}

/// Where a dynamic body's centre of mass is, metres, in the collider's scaled frame; overrides the collider's own.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct CenterOfMass(pub Vec3);

/// A dynamic body's inertia about its centre of mass, kg·m², in the collider's frame; overrides the collider's own.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct AngularInertia {
    /// The moments about the principal axes, kg·m², positive, none larger than the other two together.
    pub principal: Vec3,
    /// Turns the collider's axes to the principal ones.
    pub local_frame: Quat,
}

impl Default for AngularInertia {
    fn default() -> Self {
        Self { principal: Vec3::ONE, local_frame: Quat::IDENTITY }
    }
}

impl AngularInertia {
    /// The inertia with these moments (kg·m²) about the collider's own axes.
    pub const fn new(principal: Vec3) -> Self {
        Self { principal, local_frame: Quat::IDENTITY }
    }

    /// The inertia with these moments (kg·m²) about axes turned by `local_frame`.
    pub const fn new_with_local_frame(principal: Vec3, local_frame: Quat) -> Self {
        Self { principal, local_frame }
    }
}
