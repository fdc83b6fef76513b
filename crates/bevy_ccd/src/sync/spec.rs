//! What a body is made from, besides its place and velocities.

use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use ccd_core::dynamics::{self, BodyDefinition, BodyKind, MassSpecification};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::math::{Matrix, Pose, Vector};
use ccd_core::shape::Shape;

use super::carriers::Carriers;
use super::parts::{Coefficient, PartSpec, PartSurface, Parts, faults_of, materials_of, shape_of};
use crate::collider::{Collider, ColliderError};
use crate::components::*;
use crate::convert::{from_vector, to_point, to_rotation, to_vector};
use crate::problem::CcdProblemCause;
use crate::settings::CcdSettings;

/// The components that say what a body is.
#[derive(QueryData)]
pub(crate) struct BodyComponents {
    pub entity: Entity,
    /// None of a sensor without a body.
    pub rigid_body: Option<&'static RigidBody>,
    collider: Option<&'static Collider>,
    pub transform: &'static Transform,
    linear_velocity: Option<&'static LinearVelocity>,
    angular_velocity: Option<&'static AngularVelocity>,
    pub parent: Option<&'static ChildOf>,
    mass: Option<&'static Mass>,
    density: Option<&'static ColliderDensity>,
    center_of_mass: Option<&'static CenterOfMass>,
    inertia: Option<&'static AngularInertia>,
    restitution: Option<&'static Restitution>,
    friction: Option<&'static Friction>,
    rolling_resistance: Option<&'static RollingResistance>,
    surface_velocity: Option<&'static SurfaceVelocity>,
    gravity_scale: Option<&'static GravityScale>,
    linear_damping: Option<&'static LinearDamping>,
    angular_damping: Option<&'static AngularDamping>,
    locked: Option<&'static LockedAxes>,
    force: Option<&'static ConstantForce>,
    torque: Option<&'static ConstantTorque>,
    layers: Option<&'static CollisionLayers>,
    one_way: Option<&'static OneWayPlatform>,
    sensor: Has<Sensor>,
    sleepless: Has<SleepingDisabled>,
    pub sleeping: Has<Sleeping>,
    collider_disabled: Has<ColliderDisabled>,
}

impl BodyComponentsItem<'_, '_> {
    /// m/s.
    pub fn linear_velocity(&self) -> Vec3 {
        self.linear_velocity.filter(|_| self.moves_itself()).map_or(Vec3::ZERO, |velocity| velocity.0)
    }

    /// rad/s.
    pub fn angular_velocity(&self) -> Vec3 {
        self.angular_velocity.filter(|_| self.moves_itself()).map_or(Vec3::ZERO, |velocity| velocity.0)
    }

    /// Neither a static body nor a sensor without a body does, whatever is left of what it was before; either may be carried.
    pub fn moves_itself(&self) -> bool {
        self.rigid_body.is_some_and(|kind| !kind.is_static())
    }

    /// Its own collider, and whether it is enabled.
    pub fn own_collider(&self) -> Option<(&Collider, bool)> {
        self.collider.map(|collider| (collider, !self.collider_disabled))
    }

    /// What it is to the core: what is carried moves.
    pub fn kind(&self, carriers: &Carriers) -> RigidBody {
        match self.rigid_body {
            None => RigidBody::Kinematic,
            Some(RigidBody::Static) if carriers.is_carried(self.entity) => RigidBody::Kinematic,
            Some(kind) => *kind,
        }
    }
}

/// What a body is made from. Compared with what the components say now, it tells what has changed, removals included.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BodySpec {
    /// A change of these makes another body.
    structure: Structure,
    /// These can be changed in place.
    surface: Surface,
}

/// Numbers as their bits, so that a NaN is equal to itself and is refused once.
pub(super) type Bits = u32;

pub(super) fn bits3(v: Vec3) -> [Bits; 3] {
    v.to_array().map(f32::to_bits)
}

pub(super) fn bits9(m: Mat3) -> [Bits; 9] {
    m.to_cols_array().map(f32::to_bits)
}

#[derive(Clone, Debug, PartialEq)]
struct Structure {
    kind: RigidBody,
    /// The body's own collider first, then those of its entity's children.
    parts: Vec<PartSpec>,
    mass: Option<Bits>,
    density: Option<Bits>,
    center_of_mass: Option<[Bits; 3]>,
    inertia: Option<([Bits; 3], [Bits; 4])>,
    locked: LockedAxes,
    sensor: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Surface {
    /// Of each of the parts.
    parts: Vec<PartSurface>,
    restitution: Coefficient,
    friction: Coefficient,
    rolling_resistance: Bits,
    surface_velocity: [Bits; 3],
    gravity_scale: Bits,
    linear_damping: Bits,
    angular_damping: Bits,
    force: [Bits; 3],
    torque: [Bits; 3],
    layers: CollisionLayers,
    one_way: Option<[Bits; 3]>,
    can_sleep: bool,
}

impl BodySpec {
    /// What the components say of the body and its colliders.
    pub fn of(c: &BodyComponentsItem, kind: RigidBody, parts: Parts, settings: &CcdSettings) -> Self {
        let zero = 0.0_f32.to_bits();
        let layers = c.layers.copied().unwrap_or_default();
        Self {
            structure: Structure {
                kind,
                parts: parts.parts,
                mass: c.mass.map(|m| m.0.to_bits()),
                density: c.density.map(|d| d.0.to_bits()),
                center_of_mass: c.center_of_mass.map(|p| bits3(p.0)),
                inertia: c.inertia.map(|i| (bits3(i.principal), i.local_frame.to_array().map(f32::to_bits))),
                locked: c.locked.copied().unwrap_or_default(),
                sensor: c.sensor,
            },
            surface: Surface {
                parts: parts.surfaces,
                restitution: c.restitution.copied().unwrap_or(settings.default_restitution.into()).into(),
                friction: c.friction.copied().unwrap_or(settings.default_friction.into()).into(),
                rolling_resistance: c.rolling_resistance.map_or(settings.default_rolling_resistance, |r| r.0).to_bits(),
                surface_velocity: c.surface_velocity.map_or([zero; 3], |v| bits3(v.0)),
                gravity_scale: c.gravity_scale.map_or(1.0, |g| g.0).to_bits(),
                linear_damping: c.linear_damping.map_or(zero, |d| d.0.to_bits()),
                angular_damping: c.angular_damping.map_or(zero, |d| d.0.to_bits()),
                force: c.force.map_or([zero; 3], |f| bits3(f.0)),
                torque: c.torque.map_or([zero; 3], |t| bits3(t.0)),
                can_sleep: !c.sleepless,
                one_way: c.one_way.map(|platform| bits3(platform.0.as_vec3())),
                layers: if parts.all_disabled { CollisionLayers::NONE } else { layers },
            },
        }
    }

    /// What it is to the core.
    pub fn kind(&self) -> RigidBody {
        self.structure.kind
    }

    /// The same body but for its kind.
    pub fn of_kind(&self, kind: RigidBody) -> Self {
        Self { structure: Structure { kind, ..self.structure.clone() }, surface: self.surface.clone() }
    }

    /// The colliders.
    pub fn parts(&self) -> &[PartSpec] {
        &self.structure.parts
    }

    /// Which colliders the body is without, and why.
    pub fn faults(&self) -> Vec<CcdProblemCause> {
        faults_of(&self.structure.parts)
    }

    /// Whether the difference can be made in place.
    pub fn differs_on_surface_only(&self, other: &Self) -> bool {
        self.structure == other.structure
    }

    /// Whether a body is of this kind, and a sensor if this is one.
    pub fn is_kind_of(&self, body: &dynamics::Body) -> bool {
        body.kind() == kind_of(self.structure.kind) && body.sensor == self.structure.sensor
    }

    /// Whether a body has this surface, but for rounding to `f32`.
    pub fn is_surface_of(&self, body: &dynamics::Body) -> bool {
        let surface = &self.surface;
        let numbers = [
            (surface.restitution.value, body.material.restitution),
            (surface.friction.value, body.material.friction),
            (surface.rolling_resistance, body.material.rolling_resistance),
            (surface.gravity_scale, body.gravity_scale),
            (surface.linear_damping, body.linear_damping),
            (surface.angular_damping, body.angular_damping),
        ];
        let rules = [
            (surface.restitution, body.material.restitution_combine),
            (surface.friction, body.material.friction_combine),
        ];
        numbers.iter().all(|&(bits, exact)| f32::from_bits(bits) == exact as f32)
            && rules.iter().all(|(coefficient, rule)| coefficient.to_core().1 == *rule)
            && from_bits3(surface.surface_velocity) == from_vector(&body.surface_velocity)
            && from_bits3(surface.force) == from_vector(&body.force)
            && from_bits3(surface.torque) == from_vector(&body.torque)
            && self.part_materials(&body.material) == body.part_materials()
            && surface.can_sleep == body.can_sleep
            && surface.one_way.map(from_bits3) == body.one_way.as_ref().map(from_vector)
            && surface.layers.memberships.0 == body.layers.memberships
            && surface.layers.filters.0 == body.layers.filters
    }

    /// Whether it would weigh what a solid weighs by default, and has gaps.
    pub fn is_unweighed_sheet(&self, shape: &Shape) -> bool {
        let s = &self.structure;
        let is_weighed = s.mass.is_some() || s.density.is_some() || s.parts.iter().all(|part| part.is_weighed());
        let is_open = |shape: &Shape| matches!(shape, Shape::Mesh(mesh) if !mesh.is_closed());
        s.kind.is_dynamic()
            && !is_weighed
            && match shape {
                Shape::Compound(compound) => compound.parts().iter().any(|part| is_open(&part.shape)),
                shape => is_open(shape),
            }
    }

    /// The body of the core, at this place and with these velocities. It is without the colliders that cannot be used, as long as others
    /// can ([`BodySpec::faults`]).
    pub fn definition(&self, pose: Pose, linear: Vector, angular: Vector) -> Result<BodyDefinition, CcdProblemCause> {
        let s = &self.structure;
        let shape = shape_of(&s.parts, s.density.map_or(ccd_default_density(), wide))?;
        let kind = kind_of(s.kind);
        // They hold nothing that the game moves.
        let locked = match kind {
            BodyKind::Dynamic => {
                dynamics::LockedAxes { translation: s.locked.translation, rotation: s.locked.rotation }
            }
            BodyKind::Static | BodyKind::Kinematic => dynamics::LockedAxes::default(),
        };
        let mut definition = self.surfaced(BodyDefinition {
            linear_velocity: linear,
            angular_velocity: angular,
            locked,
            sensor: s.sensor,
            ..BodyDefinition::new(kind, shape, pose)
        });
        definition.part_materials = self.part_materials(&definition.material);
        definition.mass = self.mass(&definition)?;
        Ok(definition)
    }

    /// A body of this surface, and of a shape that costs nothing to weigh: what another is changed like where only that differs.
    pub fn surface_sample(&self) -> Result<dynamics::Body, CcdProblemCause> {
        let shape = Shape::ball(1.0).map_err(ColliderError::from)?;
        let sample = BodyDefinition::new(kind_of(self.structure.kind), shape, Pose::identity());
        Ok(dynamics::Body::new(self.surfaced(BodyDefinition { mass: MassSpecification::Mass(1.0), ..sample }))?)
    }

    /// For each part of the shape its material, where that is another than the body's; none where all are that.
    pub fn part_materials(&self, of_body: &dynamics::Material) -> Vec<Option<dynamics::Material>> {
        materials_of(&self.structure.parts, &self.surface.parts, of_body)
    }

    /// The same body with this surface.
    fn surfaced(&self, definition: BodyDefinition) -> BodyDefinition {
        let surface = &self.surface;
        let (friction, friction_combine) = surface.friction.to_core();
        let (restitution, restitution_combine) = surface.restitution.to_core();
        BodyDefinition {
            material: dynamics::Material {
                friction,
                friction_combine,
                rolling_resistance: wide(surface.rolling_resistance),
                restitution,
                restitution_combine,
            },
            surface_velocity: to_vector(from_bits3(surface.surface_velocity)),
            gravity_scale: wide(surface.gravity_scale),
            force: to_vector(from_bits3(surface.force)),
            torque: to_vector(from_bits3(surface.torque)),
            linear_damping: wide(surface.linear_damping),
            angular_damping: wide(surface.angular_damping),
            layers: dynamics::CollisionLayers {
                memberships: surface.layers.memberships.0,
                filters: surface.layers.filters.0,
            },
            one_way: surface.one_way.map(|direction| to_vector(from_bits3(direction))),
            can_sleep: surface.can_sleep,
            ..definition
        }
    }

    /// The mass, with what the user has overridden.
    fn mass(&self, definition: &BodyDefinition) -> Result<MassSpecification, CcdProblemCause> {
        let s = &self.structure;
        let by_density = MassSpecification::Density(s.density.map_or(ccd_default_density(), wide));
        let plain = s.mass.map_or(by_density, |mass| MassSpecification::Mass(wide(mass)));
        if definition.kind != BodyKind::Dynamic || (s.center_of_mass.is_none() && s.inertia.is_none()) {
            return Ok(plain);
        }
        // The core works out what is not overridden.
        let body = dynamics::Body::new(BodyDefinition { mass: plain, ..definition.clone() })?;
        let mut mass: MassProperties = *body.mass_properties();
        if let Some(center) = s.center_of_mass {
            mass.com = to_point(from_bits3(center));
        }
        if let Some((principal, frame)) = s.inertia {
            let frame = Quat::from_array(frame.map(f32::from_bits));
            let axes = to_rotation(frame)
                .ok_or_else(|| CcdProblemCause::Transform("the inertia's local frame is no rotation".into()))?
                .to_rotation_matrix()
                .into_inner();
            let moments = Matrix::from_diagonal(&to_vector(from_bits3(principal)));
            mass.inertia = axes * moments * axes.transpose();
        }
        Ok(MassSpecification::Properties(mass))
    }
}

fn kind_of(kind: RigidBody) -> BodyKind {
    match kind {
        RigidBody::Dynamic => BodyKind::Dynamic,
        RigidBody::Static => BodyKind::Static,
        RigidBody::Kinematic => BodyKind::Kinematic,
    }
}

/// kg/m³.
fn ccd_default_density() -> f64 {
    f64::from(ColliderDensity::default().0)
}

pub(super) fn wide(bits: Bits) -> f64 {
    f64::from(f32::from_bits(bits))
}

pub(super) fn from_bits9(bits: [Bits; 9]) -> Mat3 {
    Mat3::from_cols_array(&bits.map(f32::from_bits))
}

pub(super) fn from_bits3(bits: [Bits; 3]) -> Vec3 {
    Vec3::from_array(bits.map(f32::from_bits))
}
