//! What is said of a body before it exists.

use super::body::BodyKind;
use super::error::{
    BodyError, check_finite, check_influences, check_one_way, check_part_materials, check_pose, check_velocity,
};
use super::material::Material;
use crate::geometry::mass::{MassError, MassProperties};
use crate::math::{Point, Pose, Real, Vector};
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
    /// How fast its surface runs along its own body, m/s, in the shape's frame: conveyor belts, tracks. What it touches feels the part that
    /// lies in the plane of the contact, by friction.
    pub surface_velocity: Vector,
    /// Of a compound, for each part its own material where that is another than the body's. Empty where none is; then the parts
    /// need not be counted.
    pub part_materials: Vec<Option<Material>>,
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
    /// From where alone it is solid, if it is a one-way platform ([`super::Body::one_way`]).
    pub one_way: Option<Vector>,
    /// A sensor notices contacts and passes through.
    pub sensor: bool,
    /// Whether it may fall asleep, and with it what hangs together with it ([`super::Body::is_asleep`]).
    pub can_sleep: bool,
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
            surface_velocity: Vector::zeros(),
            part_materials: Vec::new(),
            gravity_scale: 1.0,
            force: Vector::zeros(),
            torque: Vector::zeros(),
            linear_damping: 0.0,
            angular_damping: 0.0,
            locked: LockedAxes::default(),
            layers: CollisionLayers::default(),
            no_collide_group: None,
            one_way: None,
            sensor: false,
            can_sleep: true,
        }
    }
}

impl BodyDefinition {
    /// Checks its numbers but for the mass.
    ///
    /// # Errors
    /// [`BodyError`] names the first that is not finite or out of range.
    pub(super) fn validate(&self) -> Result<(), BodyError> {
        check_pose("pose", &self.pose)?;
        check_velocity(&self.linear_velocity, &self.angular_velocity)?;
        check_part_materials(&self.part_materials, &self.shape)?;
        let dampings = [self.linear_damping, self.angular_damping];
        check_finite("surface velocity", &self.surface_velocity)?;
        check_one_way(self.one_way.as_ref())?;
        check_influences(&self.material, self.gravity_scale, [&self.force, &self.torque], dampings)
    }

    /// The mass, centre of mass and inertia that it asks for, in the shape's frame.
    ///
    /// # Errors
    /// [`BodyError`] for a mass that is none, and for a shape that has no mass of its own where it is to be found.
    pub(super) fn resolve_mass(&self) -> Result<MassProperties, BodyError> {
        let positive = |what, value: Real| {
            if value > 0.0 && value.is_finite() {
                Ok(value)
            } else {
                Err(BodyError::OutOfRange { what, value, range: "a positive number" })
            }
        };
        let mass = match self.mass {
            MassSpecification::Density(density) => self.shape.mass_properties(positive("density", density)?)?.0,
            MassSpecification::Mass(mass) => {
                positive("mass", mass)?;
                self.shape.mass_properties(1.0)?.0.scaled_to_mass(mass)?
            }
            MassSpecification::Properties(properties) => properties,
        };
        mass.validate()?;
        Ok(mass)
    }

    /// The centre of mass, in the shape's frame; of a shape that has no mass of its own the origin will do.
    ///
    /// # Errors
    /// As [`BodyDefinition::resolve_mass`], but for such a shape.
    pub(super) fn centre_of_mass(&self) -> Result<Point, BodyError> {
        match self.resolve_mass() {
            Ok(mass) => Ok(mass.com),
            Err(BodyError::Mass(MassError::Massless { .. } | MassError::NotPositive { what: "volume", .. })) => {
                Ok(Point::origin())
            }
            Err(error) => Err(error),
        }
    }
}
