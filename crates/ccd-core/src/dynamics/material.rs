//! What a surface does to a contact.

use crate::math::Real;

/// Friction, rolling resistance and restitution of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient μ, at least zero.
    pub friction: Real,
    /// The coefficient of rolling resistance as a length, metres, at least zero; zero, the default, is none. By so far the load of what
    /// rolls stands ahead of where it touches: a normal force N takes from the turning that two bodies do on each other, about the axes in
    /// the plane in which they touch, by a torque of at most this times N. Turning about the normal and impacts are not resisted. A ball
    /// of radius R stays where it is on a slope with tan θ up to this by R. Of the methods of response only the default one knows it.
    pub rolling_resistance: Real,
    /// Newton's coefficient of restitution, in [0, 1]. What approaches no faster than gravity and its own force accelerate it within two
    /// steps does not bounce: 0.33 m/s at 60 Hz on Earth.
    pub restitution: Real,
}

impl Default for Material {
    fn default() -> Self {
        Self { friction: 0.5, rolling_resistance: 0.0, restitution: 0.0 }
    }
}

impl Material {
    /// The material of the contact between two surfaces: the geometric mean of the frictions (so that a frictionless
    /// surface stays so whatever it meets), and of rolling resistance (for which it is enough that one of them gives way) and
    /// restitution (so that a ball bounces off any ground) the larger.
    #[must_use]
    pub fn combined(&self, other: &Self) -> Self {
        Self {
            friction: (self.friction * other.friction).sqrt(),
            rolling_resistance: self.rolling_resistance.max(other.rolling_resistance),
            restitution: self.restitution.max(other.restitution),
        }
    }
}
