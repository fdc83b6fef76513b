//! Bodies: mass, state, material, the forces on them, and their energy.

mod body;
mod definition;
mod energy;
mod gyration;
mod integrator;
mod material;

pub use body::{Body, BodyKind, Carrier};
pub use definition::{BodyDefinition, BodyError, CollisionLayers, LockedAxes, MassSpecification};
pub use energy::{Energy, kinetic_energy};
pub(crate) use integrator::turned;
pub use integrator::{Integrator, VelocityChange};
pub use material::Material;
