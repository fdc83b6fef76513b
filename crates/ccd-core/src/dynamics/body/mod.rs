//! A body's state.

mod inertia;

use std::sync::Arc;

use crate::dynamics::definition::{BodyDefinition, CollisionLayers, LockedAxes};
use crate::dynamics::error::{
    BodyError, check_finite, check_influences, check_one_way, check_part_materials, check_pose, check_velocity,
};
use crate::dynamics::gyration::Gyration;
use crate::dynamics::material::Material;
use crate::geometry::feature::Feature;
use crate::geometry::mass::{MassError, MassProperties};
use crate::id::BodyId;
use crate::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use crate::motion::RigidMotion;
use crate::shape::Shape;

/// How a body answers to forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// Never moves.
    Static,
    /// Moves by forces and impulses.
    Dynamic,
    /// Moves with its given velocities, whatever it meets; but stops for the rest of a step rather than crush a body.
    Kinematic,
}

/// Which body carries another, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrier {
    /// The body that carries. Where it is gone nothing is carried.
    pub body: BodyId,
    /// The carried body's pose in the frame of the carrier.
    pub place: Pose,
}

/// What decides whom a body meets, and can be changed at any time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Company {
    layers: CollisionLayers,
    no_collide_group: Option<u32>,
    one_way: Option<Vector>,
    sensor: bool,
}

/// A rigid body with one collider.
#[derive(Clone, Debug)]
pub struct Body {
    /// Static, dynamic or kinematic.
    pub(crate) kind: BodyKind,
    pub(crate) shape: Shape,
    pub(crate) pose: Pose,
    pub(crate) linear_velocity: Vector,
    pub(crate) angular_velocity: Vector,
    pub(crate) mass: MassProperties,
    inverse_mass: Real,
    inverse_inertia_local: Matrix,
    gyration: Option<Gyration>,
    /// No point of it is further from the one that it turns about, metres; infinite for an unbounded shape.
    reach: Real,
    /// Friction, rolling resistance and restitution.
    pub material: Material,
    part_materials: Arc<[Option<Material>]>,
    /// How fast its surface runs along the body, m/s, in the shape's frame ([`super::BodyDefinition::surface_velocity`]).
    pub surface_velocity: Vector,
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
    /// Which bodies it meets.
    pub layers: CollisionLayers,
    /// Bodies of the same group do not meet.
    pub no_collide_group: Option<u32>,
    /// From where it is solid, in the shape's frame, of any length but zero: a one-way platform. What is on that side when a step begins is stopped
    /// like by any other body; what is elsewhere, or within it, passes, until it is there. On that side is what is wholly beyond the platform
    /// along this direction, and what the platform is nearest to at 60° from it at most.
    ///
    /// Meant for what is static or kinematic: a dynamic body that stops nothing from below falls through the ground.
    pub one_way: Option<Vector>,
    /// A sensor notices contacts and passes through.
    pub sensor: bool,
    /// Whether it may fall asleep, and with it what hangs together with it. What may not is not made to stand, either, however slowly it creeps.
    pub can_sleep: bool,
    /// What carries it, of a kinematic body: it goes where its carrier goes, and its own velocities are added to that. A sensor goes
    /// exactly with it at any time; a solid body is there at the end of each step, on a straight way. The two need a
    /// [`Body::no_collide_group`] of their own where they should not meet.
    pub carrier: Option<Carrier>,
    locked: LockedAxes,
    /// How long its island has been at rest, seconds.
    pub(crate) rested: Real,
    /// Whether the caller has put it to sleep since the last step.
    pub(crate) is_put_to_sleep: bool,
    /// Whether it is left as it is.
    pub(crate) asleep: bool,
    /// For how long it has crept at most, and borne what pushed it, whatever its island did; seconds.
    pub(crate) calm: Real,
    /// Whether it stood through the last step, with the same contacts at its end as at its beginning.
    pub(crate) stood: bool,
    /// Whether it is where it was when the contacts that its world knows were found, and nobody has changed it since.
    pub(crate) settled: bool,
    /// What decided whom it meets when its place was checked; `None` before.
    pub(crate) kept: Option<Company>,
    /// The linear and angular velocity that would have led through the last step, and through the one before; m/s, rad/s.
    pub(crate) moved: [[Vector; 2]; 2],
    /// The velocities that led it through the last step, where these are not its own; m/s, rad/s.
    led: Option<[Vector; 2]>,
    /// Energy that contacts have given it, and that its velocity has not had to give back; joules.
    pub(crate) owed: Real,
    /// In how many steps in a row, up to the last, it has stopped rather than crush others.
    pub(crate) crushing: u32,
}

impl Body {
    /// The body that `definition` describes.
    ///
    /// # Errors
    /// [`BodyError`] for numbers that are not finite or out of range, impossible masses, and unbounded shapes that should move.
    pub fn new(definition: BodyDefinition) -> Result<Self, BodyError> {
        let d = definition;
        d.validate()?;
        if d.kind != BodyKind::Static && !d.shape.is_bounded() {
            return Err(BodyError::UnboundedMoves { kind: d.shape.as_solid().kind() });
        }
        let mass = match d.kind {
            BodyKind::Dynamic => d.resolve_mass()?,
            BodyKind::Kinematic => MassProperties { com: d.centre_of_mass()?, ..MassProperties::UNIT },
            BodyKind::Static => MassProperties::UNIT,
        };
        // What its queries need is found now, not in the first step.
        d.shape.prepare();
        let mut body = Self {
            kind: d.kind,
            shape: d.shape,
            pose: d.pose,
            linear_velocity: held(d.locked.translation, d.linear_velocity),
            angular_velocity: held(d.locked.rotation, d.angular_velocity),
            mass,
            inverse_mass: 0.0,
            inverse_inertia_local: Matrix::zeros(),
            gyration: None,
            reach: 0.0,
            material: d.material,
            part_materials: d.part_materials.into(),
            surface_velocity: d.surface_velocity,
            gravity_scale: d.gravity_scale,
            force: d.force,
            torque: d.torque,
            linear_damping: d.linear_damping,
            angular_damping: d.angular_damping,
            layers: d.layers,
            no_collide_group: d.no_collide_group,
            one_way: d.one_way,
            sensor: d.sensor,
            can_sleep: d.can_sleep,
            carrier: None,
            locked: d.locked,
            rested: 0.0,
            is_put_to_sleep: false,
            asleep: false,
            calm: 0.0,
            stood: false,
            settled: false,
            kept: None,
            moved: [[Vector::zeros(); 2]; 2],
            led: None,
            owed: 0.0,
            crushing: 0,
        };
        match body.kind {
            BodyKind::Static => {
                body.linear_velocity = Vector::zeros();
                body.angular_velocity = Vector::zeros();
            }
            BodyKind::Kinematic => {}
            BodyKind::Dynamic => {
                (body.inverse_mass, body.inverse_inertia_local) = inverses_of(&mass)?;
                body.gyration = Gyration::new(&mass.inertia);
            }
        }
        body.reach = body.shape.bounding_radius_about(&body.local_centre());
        Ok(body)
    }

    /// Static, dynamic or kinematic.
    pub fn kind(&self) -> BodyKind {
        self.kind
    }

    /// Its geometry.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Of each part of its shape its own material, where that is another than [`Body::material`]; empty where none is.
    pub fn part_materials(&self) -> &[Option<Material>] {
        &self.part_materials
    }

    /// Gives the parts of its shape materials of their own, or, with none, all that of the body.
    ///
    /// # Errors
    /// [`BodyError`] for another number of them than there are parts, and for one that is none; then they stay as they were.
    pub fn set_part_materials(&mut self, materials: Vec<Option<Material>>) -> Result<(), BodyError> {
        check_part_materials(&materials, &self.shape)?;
        self.part_materials = materials.into();
        Ok(())
    }

    /// The material where its shape has a feature: that of the part whose it is.
    pub fn material_at(&self, feature: Feature) -> Material {
        if self.part_materials.is_empty() {
            return self.material;
        }
        let own = self.part_materials.get(self.shape.part_of_feature(feature)).copied().flatten();
        own.unwrap_or(self.material)
    }

    /// How fast its surface runs along the body, m/s, world, where it has this unit normal (world) and the body this rotation.
    pub(crate) fn running(&self, rotation: &Rotation, normal: &Vector) -> Vector {
        let whole = rotation * self.surface_velocity;
        whole - normal * whole.dot(normal)
    }

    /// The materials that its parts have.
    pub(crate) fn materials(&self) -> impl Iterator<Item = Material> + '_ {
        let of_all = self.part_materials.is_empty().then_some(self.material);
        of_all.into_iter().chain(self.part_materials.iter().map(|own| own.unwrap_or(self.material)))
    }

    /// Whether it has come to rest with all it touches, so that nothing of it is computed until something concerns it.
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Has it computed again.
    pub(crate) fn wake(&mut self) {
        self.rested = 0.0;
        self.asleep = false;
        self.calm = 0.0;
        self.stood = false;
        self.settled = false;
    }

    /// Checks what may have been changed of it since the last step.
    ///
    /// # Errors
    /// [`BodyError`] names the first number that is not finite or out of range.
    pub(crate) fn validate(&self) -> Result<(), BodyError> {
        if let Some(carrier) = &self.carrier {
            check_pose("place on its carrier", &carrier.place)?;
        }
        check_finite("surface velocity", &self.surface_velocity)?;
        check_one_way(self.one_way.as_ref())?;
        let dampings = [self.linear_damping, self.angular_damping];
        check_influences(&self.material, self.gravity_scale, [&self.force, &self.torque], dampings)
    }

    /// Puts it somewhere else.
    pub(crate) fn place(&mut self, pose: Pose) {
        self.pose = pose;
        self.settled = false;
    }

    /// Whether anything would move it from rest if it touched nothing.
    pub(crate) fn is_pulled(&self, gravity: &Vector) -> bool {
        let free = self.inverse_mass();
        let pulled = |i: usize| free[i] > 0.0 && (gravity[i] * self.gravity_scale != 0.0 || self.force[i] != 0.0);
        (0..3).any(pulled) || self.torque != Vector::zeros()
    }

    /// The placement of the shape's frame in the world.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The velocity of the point that it turns about ([`Body::local_centre`]), m/s, world.
    pub fn linear_velocity(&self) -> &Vector {
        &self.linear_velocity
    }

    /// rad/s, world.
    pub fn angular_velocity(&self) -> &Vector {
        &self.angular_velocity
    }

    /// Mass, centre of mass and inertia in the shape's frame; of no meaning unless the body is dynamic.
    pub fn mass_properties(&self) -> &MassProperties {
        &self.mass
    }

    /// World axes that are locked.
    pub fn locked_axes(&self) -> LockedAxes {
        self.locked
    }

    /// The point it turns about, in the shape's frame: the centre of mass; the shape's origin of a static body, and of a kinematic one
    /// whose mass is not known.
    pub fn local_centre(&self) -> Point {
        self.mass.com
    }

    /// No point of it is further from the one that it turns about, metres; infinite for an unbounded shape.
    pub(crate) fn reach(&self) -> Real {
        self.reach
    }

    /// The point that it turns about ([`Body::local_centre`]), world.
    pub fn centre(&self) -> Point {
        self.pose * self.local_centre()
    }

    /// Its motion from now on if nothing acts on it, with its clock at zero now.
    pub fn motion(&self) -> RigidMotion {
        RigidMotion {
            start: self.pose,
            local_centre: self.local_centre(),
            linear_velocity: self.linear_velocity,
            angular_velocity: self.angular_velocity,
        }
    }

    /// [`Body::motion`], of what is led from place to place as it was led last.
    pub fn motion_as_led(&self) -> RigidMotion {
        let [linear_velocity, angular_velocity] = self.led.unwrap_or([self.linear_velocity, self.angular_velocity]);
        RigidMotion { linear_velocity, angular_velocity, ..self.motion() }
    }

    /// Tells by which velocities the caller led it through the last step, m/s and rad/s, after he has given it its own back: who moves a kinematic
    /// body from place to place does. Forgotten at the end of the next step, and with another velocity or place.
    ///
    /// # Errors
    /// [`BodyError::NonFinite`].
    pub fn set_led(&mut self, linear: Vector, angular: Vector) -> Result<(), BodyError> {
        check_velocity(&linear, &angular)?;
        self.led = (self.kind == BodyKind::Kinematic).then(|| self.along_free_axes(linear, angular));
        Ok(())
    }

    /// Nobody leads it.
    pub(crate) fn forget_led(&mut self) {
        self.led = None;
    }

    /// What its locked axes leave of a velocity, m/s and rad/s, world.
    pub(crate) fn along_free_axes(&self, linear: Vector, angular: Vector) -> [Vector; 2] {
        [held(self.locked.translation, linear), held(self.locked.rotation, angular)]
    }

    /// Sets the velocities, m/s and rad/s, world; locked axes stay at rest, and so does a static body.
    ///
    /// # Errors
    /// [`BodyError::NonFinite`].
    pub fn set_velocity(&mut self, linear: Vector, angular: Vector) -> Result<(), BodyError> {
        check_velocity(&linear, &angular)?;
        self.led = None;
        if self.kind != BodyKind::Static {
            [self.linear_velocity, self.angular_velocity] = self.along_free_axes(linear, angular);
        }
        Ok(())
    }

    /// Adds an impulse at a world point: N·s.
    ///
    /// # Errors
    /// [`BodyError::NonFinite`].
    pub fn apply_impulse(&mut self, impulse: &Vector, point: &Point) -> Result<(), BodyError> {
        check_finite("impulse", impulse)?;
        check_finite("point of impulse", &point.coords)?;
        self.linear_velocity += self.inverse_mass().component_mul(impulse);
        self.angular_velocity += self.inverse_inertia(&self.pose) * (point - self.centre()).cross(impulse);
        Ok(())
    }

    /// Changes its spin by an angular impulse (N·m·s, in the world), about its centre of mass.
    ///
    /// # Errors
    /// [`BodyError::NonFinite`].
    pub fn apply_angular_impulse(&mut self, impulse: &Vector) -> Result<(), BodyError> {
        check_finite("angular impulse", impulse)?;
        self.angular_velocity += self.inverse_inertia(&self.pose) * impulse;
        Ok(())
    }

    /// What decides whom it meets now.
    pub(crate) fn company(&self) -> Company {
        let Self { layers, no_collide_group, one_way, sensor, .. } = *self;
        Company { layers, no_collide_group, one_way, sensor }
    }

    /// Whether the two may touch each other with effect or notice, wherever they are. Nothing has an effect on two bodies that are not dynamic,
    /// so they pass through each other.
    pub fn meets(&self, other: &Self) -> bool {
        let kinds = [self.kind, other.kind];
        let notices = (self.sensor || other.sensor) && kinds != [BodyKind::Static; 2];
        (kinds.contains(&BodyKind::Dynamic) || notices)
            && (self.no_collide_group.is_none() || self.no_collide_group != other.no_collide_group)
            && self.layers.meets(&other.layers)
    }
}

/// A velocity without its part along locked axes.
fn held(locked: [bool; 3], velocity: Vector) -> Vector {
    velocity.zip_map(&locked.into(), |v, is_locked| if is_locked { 0.0 } else { v })
}

/// The inverse mass, 1/kg, and the inverse inertia, 1/(kg m²), of what has some.
fn inverses_of(mass: &MassProperties) -> Result<(Real, Matrix), MassError> {
    let inverse_mass = mass.mass.recip();
    if !inverse_mass.is_finite() {
        return Err(MassError::TooSmall { what: "mass", value: mass.mass });
    }
    let largest = mass.inertia.amax();
    // Of a very small one the determinant would be none.
    let scaled = || (mass.inertia / largest).try_inverse().map(|inverse| inverse / largest);
    let inverse_inertia = mass.inertia.try_inverse().or_else(scaled).unwrap_or_else(Matrix::zeros);
    if !inverse_inertia.iter().all(|part| part.is_finite()) {
        let (what, value) = ("inertia", largest);
        return Err(if largest > 1.0 {
            MassError::TooLarge { what, value }
        } else {
            MassError::TooSmall { what, value }
        });
    }
    Ok((inverse_mass, inverse_inertia))
}
