//! What a surface does to a contact.

use crate::math::Real;

/// Friction and restitution of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient μ, at least zero.
    pub friction: Real,
    /// Newton's coefficient of restitution, in [0, 1]. What approaches no faster than gravity and its own force accelerate it within two
    /// steps does not bounce: 0.33 m/s at 60 Hz on Earth.
    pub restitution: Real,
}

impl Default for Material {
    fn default() -> Self {
        Self { friction: 0.5, restitution: 0.0 }
    }
}

impl Material {
    /// The material of the contact between two surfaces: the geometric mean of the frictions (so that a frictionless
    /// surface stays so whatever it meets) and the larger restitution (so that a ball bounces off any ground).
    #[must_use]
    pub fn combined(&self, other: &Self) -> Self {
        Self { friction: (self.friction * other.friction).sqrt(), restitution: self.restitution.max(other.restitution) }
    }
}
