//! Bodies: mass, state, material, the forces on them, and their energy.

mod body;
mod definition;
mod energy;
mod error;
mod gyration;
mod integrator;
mod material;

pub use body::{Body, BodyKind, Carrier};
pub use definition::{BodyDefinition, CollisionLayers, LockedAxes, MassSpecification};
pub(crate) use energy::steady_force;
pub use energy::{Energy, kinetic_energy};
pub use error::{BodyError, check_finite};
pub(crate) use error::{check_pose, check_velocity};
pub(crate) use gyration::{Turn, turn_between};
pub(crate) use integrator::turned;
pub use integrator::{Integrator, VelocityChange};
pub use material::{CoefficientCombine, Material};
