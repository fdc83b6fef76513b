//! What is said of a body before it exists, and what can be wrong with it.

use super::body::BodyKind;
use super::material::Material;
use crate::geometry::mass::{MassError, MassProperties};
use crate::math::{MAX_COORDINATE, Pose, Real, Vector};
use crate::shape::Shape;

/// How heavy a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MassSpecification {
    /// Uniform density, kg/m³ (of an open soup: kg/m², spread over its area).
    Density(Real),
    /// Total mass, kg; centre and inertia follow from uniform density.
    Mass(Real),
    /// Everything given, in the shape's frame.
    Properties(MassProperties),
}

/// Which bodies a body may meet: two meet if each one's memberships share a bit with the other's filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollisionLayers {
    /// The layers it belongs to.
    pub memberships: u32,
    /// The layers it meets.
    pub filters: u32,
}

impl Default for CollisionLayers {
    fn default() -> Self {
        Self { memberships: u32::MAX, filters: u32::MAX }
    }
}

impl CollisionLayers {
    /// Whether bodies of these layers meet.
    pub fn meets(&self, other: &Self) -> bool {
        self.memberships & other.filters != 0 && other.memberships & self.filters != 0
    }
}

/// World axes along or about which a body cannot move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockedAxes {
    /// Translation along x, y, z.
    pub translation: [bool; 3],
    /// Rotation about x, y, z.
    pub rotation: [bool; 3],
}

/// A body to be added to a world.
#[derive(Clone, Debug)]
pub struct BodyDefinition {
    /// Static, dynamic or kinematic.
    pub kind: BodyKind,
    /// Its geometry.
    pub shape: Shape,
    /// The placement of the shape's frame in the world.
    pub pose: Pose,
    /// The velocity of the centre of mass ([`super::Body::local_centre`]), m/s, world.
    pub linear_velocity: Vector,
    /// rad/s, world.
    pub angular_velocity: Vector,
    /// How heavy it is; of a kinematic body only where its centre of mass is, of a static one nothing.
    pub mass: MassSpecification,
    /// Friction, rolling resistance and restitution.
    pub material: Material,
    /// What part of the world's gravity acts on it.
    pub gravity_scale: Real,
    /// Constant force at the centre of mass, N, world.
    pub force: Vector,
    /// Constant torque, N·m, world.
    pub torque: Vector,
    /// Rate at which linear velocity decays, 1/s.
    pub linear_damping: Real,
    /// Rate at which angular velocity decays, 1/s.
    pub angular_damping: Real,
    /// World axes that are locked.
    pub locked: LockedAxes,
    /// Which bodies it meets.
    pub layers: CollisionLayers,
    /// Bodies of the same group do not meet.
    pub no_collide_group: Option<u32>,
    /// A sensor notices contacts and passes through.
    pub sensor: bool,
}

impl BodyDefinition {
    /// A body of `shape` at rest at `pose`, of the density of water, with default material.
    pub fn new(kind: BodyKind, shape: Shape, pose: Pose) -> Self {
        Self {
            kind,
            shape,
            pose,
            linear_velocity: Vector::zeros(),
            angular_velocity: Vector::zeros(),
            mass: MassSpecification::Density(1000.0),
            material: Material::default(),
            gravity_scale: 1.0,
            force: Vector::zeros(),
            torque: Vector::zeros(),
            linear_damping: 0.0,
            angular_damping: 0.0,
            locked: LockedAxes::default(),
            layers: CollisionLayers::default(),
            no_collide_group: None,
            sensor: false,
        }
    }
}

/// Why a body cannot be, or cannot be changed so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// A number is NaN, infinite, or beyond [`MAX_COORDINATE`].
    #[error("the body's {what} is not finite or beyond {MAX_COORDINATE:e}")]
    NonFinite {
        /// Which quantity.
        what: &'static str,
    },
    /// A number is outside its range.
    #[error("the body's {what} is {value}, which is not {range}")]
    OutOfRange {
        /// Which quantity.
        what: &'static str,
        /// As given.
        value: Real,
        /// What would be right.
        range: &'static str,
    },
    /// Mass or inertia is impossible.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// An unbounded shape cannot move.
    #[error("a {kind} is unbounded and can only be static")]
    UnboundedMoves {
        /// The shape.
        kind: &'static str,
    },
}
