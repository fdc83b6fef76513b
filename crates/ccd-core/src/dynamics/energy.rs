//! The energy audit.

use super::body::{Body, BodyKind};
use crate::math::{Pose, Real, Vector};

/// Kinetic and gravitational energy, joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// ½mv² + ½ωᵀIω of all dynamic bodies.
    pub kinetic: Real,
    /// −m·g·x of all dynamic bodies, relative to the world's origin.
    pub potential: Real,
}

impl Energy {
    /// Kinetic plus potential.
    pub fn total(&self) -> Real {
        self.kinetic + self.potential
    }

    /// The energy of `bodies` under `gravity` (m/s²).
    pub fn of<'a>(bodies: impl IntoIterator<Item = &'a Body>, gravity: &Vector) -> Self {
        let mut energy = Self::default();
        for body in bodies {
            if body.kind() == BodyKind::Dynamic {
                energy.kinetic += kinetic_energy(body, body.pose(), body.linear_velocity(), body.angular_velocity());
                let weight = gravity * (body.mass_properties().mass * body.gravity_scale);
                energy.potential -= weight.dot(&body.centre().coords);
            }
        }
        energy
    }
}

/// The weight of a body under `gravity` (m/s²) and the force on it, newtons, world axes; where it is does not matter to them.
pub(crate) fn steady_force(body: &Body, gravity: &Vector) -> Vector {
    body.force + gravity * (body.mass_properties().mass * body.gravity_scale)
}

/// ½mv² + ½ωᵀIω of a dynamic body at the given placement and velocities, joules; zero for others.
pub fn kinetic_energy(body: &Body, pose: &Pose, linear: &Vector, angular: &Vector) -> Real {
    if body.kind() != BodyKind::Dynamic {
        return 0.0;
    }
    0.5 * body.mass_properties().mass * linear.norm_squared() + 0.5 * angular.dot(&(body.inertia(pose) * angular))
}
