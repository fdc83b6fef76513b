//! What components were when they were last written or read, and whether they differ from it.

use bevy::prelude::*;

use super::spec::BodyComponentsItem;

/// What a body's components were when they were last written or read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    pub transform: Transform,
    pub linear_velocity: Vec3,
    pub angular_velocity: Vec3,
    /// The global placement of an entity with a parent.
    pub global: Option<(Vec3, Quat)>,
}

impl Shown {
    /// What the components are now; `global` is the placement of an entity with a parent.
    pub fn of(c: &BodyComponentsItem, global: Option<(Vec3, Quat)>) -> Self {
        Self {
            transform: *c.transform,
            linear_velocity: c.linear_velocity(),
            angular_velocity: c.angular_velocity(),
            global,
        }
    }

    pub fn has_velocities_of(&self, other: &Self) -> bool {
        same(self.linear_velocity, other.linear_velocity) && same(self.angular_velocity, other.angular_velocity)
    }
}

/// The same numbers. A NaN is no change of itself, and is told once; the two zeros are one number.
pub(super) fn same(a: Vec3, b: Vec3) -> bool {
    same_numbers(a.to_array(), b.to_array())
}

/// The same turn, which a quaternion and its negative are.
pub(super) fn same_rotation(a: Quat, b: Quat) -> bool {
    same_numbers(a.to_array(), b.to_array()) || same_numbers((-a).to_array(), b.to_array())
}

pub(super) fn same_transform(a: &Transform, b: &Transform) -> bool {
    same(a.translation, b.translation) && same_rotation(a.rotation, b.rotation) && same(a.scale, b.scale)
}

fn same_numbers<const N: usize>(a: [f32; N], b: [f32; N]) -> bool {
    a.iter().zip(&b).all(|(a, b)| a == b || a.is_nan() && b.is_nan())
}
