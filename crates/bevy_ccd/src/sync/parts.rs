//! The colliders of a body: its own, and those of its entity's descendants that are no bodies themselves.

use std::sync::Arc;

use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use ccd_core::dynamics::{self, Material};
use ccd_core::math::Pose;
use ccd_core::shape::Shape;
use ccd_core::shape::compound::{Compound, CompoundError, Part};

use super::placement::Placement;
use super::spec::{Bits, BodyComponentsItem, bits3, bits9, from_bits3, from_bits9, wide};
use crate::collider::{Collider, ColliderError};
use crate::components::{
    CoefficientCombine, ColliderDensity, ColliderDisabled, Friction, Restitution, RigidBody, RollingResistance, Sensor,
};
use crate::convert::{to_matrix, to_pose};
use crate::problem::CcdProblemCause;

/// One collider of a body, as the components have it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PartSpec {
    /// Whose it is.
    pub entity: Entity,
    /// Whether it is the body's own, and not a child's.
    own: bool,
    collider: Collider,
    /// In the body's frame, which has the body's place and rotation and no scale. `None` where it is flattened.
    place: Option<PartPlace>,
    density: Option<Bits>,
}

/// What a child's collider says of its surface; what it does not say is as the body has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PartSurface {
    restitution: Option<Coefficient>,
    friction: Option<Coefficient>,
    rolling_resistance: Option<Bits>,
}

/// A coefficient, and how it combines with that of the other surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coefficient {
    pub value: Bits,
    pub combine: Option<CoefficientCombine>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct PartPlace {
    translation: [Bits; 3],
    rotation: [Bits; 4],
    stretch: [Bits; 9],
}

impl PartSurface {
    /// The part's material, of a body of this one; `None` where it is the body's.
    fn material(&self, of_body: &Material) -> Option<Material> {
        let Self { restitution, friction, rolling_resistance } = *self;
        (*self != Self::default()).then(|| {
            let mut material = *of_body;
            if let Some(restitution) = restitution {
                (material.restitution, material.restitution_combine) = restitution.to_core();
            }
            if let Some(friction) = friction {
                (material.friction, material.friction_combine) = friction.to_core();
            }
            material.rolling_resistance = rolling_resistance.map_or(of_body.rolling_resistance, wide);
            material
        })
    }
}

impl Coefficient {
    pub(super) fn to_core(self) -> (f64, Option<dynamics::CoefficientCombine>) {
        (wide(self.value), self.combine.map(Into::into))
    }
}

impl From<Restitution> for Coefficient {
    fn from(restitution: Restitution) -> Self {
        Self { value: restitution.coefficient.to_bits(), combine: restitution.combine_rule }
    }
}

impl From<Friction> for Coefficient {
    fn from(friction: Friction) -> Self {
        Self { value: friction.coefficient.to_bits(), combine: friction.combine_rule }
    }
}

/// The colliders of a body.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub parts: Vec<PartSpec>,
    /// Of each.
    pub surfaces: Vec<PartSurface>,
    /// They are all disabled: the body has its shape of them, and meets nothing.
    pub all_disabled: bool,
}

/// A collider that was found, and whether it is enabled.
type Found = (PartSpec, PartSurface, bool);

impl Parts {
    /// Those that are enabled, or all of a body that keeps its shape without.
    fn of(found: Vec<Found>, keeps_shape: bool) -> Self {
        let all_disabled = keeps_shape && !found.iter().any(|(.., enabled)| *enabled);
        let kept = found.into_iter().filter(|(.., enabled)| *enabled || all_disabled);
        let (parts, surfaces) = kept.map(|(part, surface, _)| (part, surface)).unzip();
        Self { parts, surfaces, all_disabled }
    }
}

/// Finds the colliders of bodies.
#[derive(SystemParam)]
pub(crate) struct BodyColliders<'w, 's> {
    children: Query<'w, 's, &'static Children>,
    colliders: Query<
        'w,
        's,
        (
            &'static Transform,
            Option<&'static Collider>,
            Option<&'static ColliderDensity>,
            (Option<&'static Restitution>, Option<&'static Friction>, Option<&'static RollingResistance>),
            Has<Sensor>,
            Has<ColliderDisabled>,
        ),
        Without<RigidBody>,
    >,
}

impl BodyColliders<'_, '_> {
    /// The colliders of the body of these components, in the order of the tree: its own first. A sensor without a body has its own
    /// alone. The body's frame is stretched by `stretch`.
    pub fn of(&self, c: &BodyComponentsItem, stretch: Mat3) -> Parts {
        let here = PartPlace {
            translation: bits3(Vec3::ZERO),
            rotation: Quat::IDENTITY.to_array().map(f32::to_bits),
            stretch: bits9(stretch),
        };
        // The body's own density is what the parts' are relative to, and its own surface is the body's.
        let own = c.own_collider().map(|(collider, enabled)| {
            let part =
                PartSpec { entity: c.entity, own: true, collider: collider.clone(), place: Some(here), density: None };
            (part, PartSurface::default(), enabled)
        });
        let mut found: Vec<Found> = own.into_iter().collect();
        let is_body = c.rigid_body.is_some();
        if is_body && let Ok(children) = self.children.get(c.entity) {
            self.descend(children, Affine3A::from_mat3(stretch), &mut found);
        }
        Parts::of(found, is_body)
    }

    /// The colliders below, and whether they are enabled; `above` is the frame of the parent in the body's. It is multiplied up
    /// from the body and not down from the world, so that a body's motion changes no bit of it.
    fn descend(&self, children: &Children, above: Affine3A, found: &mut Vec<Found>) {
        for &child in children {
            // A body of its own, or not placed: what hangs on it is none of this body's.
            let Ok((transform, collider, density, surface, sensor, disabled)) = self.colliders.get(child) else {
                continue;
            };
            let place = above * transform.compute_affine();
            // A sensor is by itself.
            if let Some(collider) = collider.filter(|_| !sensor) {
                let density = density.map(|density| density.0.to_bits());
                let (collider, place) = (collider.clone(), PartPlace::of(&place));
                let surface = PartSurface {
                    restitution: surface.0.copied().map(Coefficient::from),
                    friction: surface.1.copied().map(Coefficient::from),
                    rolling_resistance: surface.2.map(|r| r.0.to_bits()),
                };
                found.push((PartSpec { entity: child, own: false, collider, place, density }, surface, !disabled));
            }
            if let Ok(children) = self.children.get(child) {
                self.descend(children, place, found);
            }
        }
    }
}

impl PartPlace {
    fn of(place: &Affine3A) -> Option<Self> {
        let Placement { translation, rotation, stretch } = Placement::of(place, Vec3::ONE)?;
        Some(Self {
            translation: bits3(translation),
            rotation: rotation.to_array().map(f32::to_bits),
            stretch: bits9(stretch),
        })
    }
}

impl PartSpec {
    /// Whether it has a density of its own.
    pub(super) fn is_weighed(&self) -> bool {
        self.density.is_some()
    }

    /// Its shape, and where that is in the body's frame. `index` is its number among the body's colliders, and in a compound not everything can
    /// be.
    fn build(&self, index: usize, in_compound: bool) -> Result<(Pose, Shape), ColliderError> {
        let place = self.place.ok_or(ColliderError::Flattened)?;
        let translation = from_bits3(place.translation);
        let rotation = Quat::from_array(place.rotation.map(f32::from_bits));
        let pose =
            to_pose(translation, rotation).ok_or(ColliderError::PartPose { part: index, translation, rotation })?;
        let shape = self.collider.stretched(&to_matrix(from_bits9(place.stretch)))?;
        if in_compound && !shape.is_bounded() {
            return Err(CompoundError::Unbounded { part: index, kind: shape.as_solid().kind() }.into());
        }
        match self.density.map(wide) {
            Some(value) if !(value.is_finite() && value > 0.0) => {
                Err(CompoundError::BadDensity { part: index, value }.into())
            }
            _ => Ok((pose, shape)),
        }
    }

    /// What the body is told where this cannot be part of it.
    fn fault(&self, why: ColliderError) -> CcdProblemCause {
        if self.own {
            CcdProblemCause::Collider(why)
        } else {
            CcdProblemCause::Child { child: self.entity, why: why.to_string() }
        }
    }
}

/// A single collider that is the body's own stays what it is; others become a compound.
fn is_plain(parts: &[PartSpec]) -> bool {
    matches!(parts, [only] if only.own)
}

/// Every part, and what has become of it.
fn built(parts: &[PartSpec]) -> impl Iterator<Item = (&PartSpec, Result<(Pose, Shape), ColliderError>)> {
    let in_compound = !is_plain(parts);
    parts.iter().enumerate().map(move |(index, part)| (part, part.build(index, in_compound)))
}

/// The shape of a body of those parts that can be used, with `density` (kg/m³) where a part has none of its own.
///
/// # Errors
/// What is wrong with the first part, if none can be used.
pub(super) fn shape_of(parts: &[PartSpec], density: f64) -> Result<Shape, CcdProblemCause> {
    let mut first_fault = None;
    let mut usable = Vec::with_capacity(parts.len());
    for (part, built) in built(parts) {
        match built {
            Ok((pose, shape)) => {
                let relative_density = part.density.map_or(1.0, |own| wide(own) / density);
                usable.push(Part { relative_density, ..Part::new(shape, pose) });
            }
            Err(why) => _ = first_fault.get_or_insert_with(|| part.fault(why)),
        }
    }
    if usable.is_empty()
        && let Some(fault) = first_fault
    {
        return Err(fault);
    }
    if is_plain(parts)
        && let [only] = &usable[..]
    {
        return Ok(only.shape.clone());
    }
    Ok(Shape::Compound(Arc::new(Compound::new(usable).map_err(ColliderError::from)?)))
}

/// What is wrong with those parts that cannot be used.
pub(super) fn faults_of(parts: &[PartSpec]) -> Vec<CcdProblemCause> {
    built(parts).filter_map(|(part, built)| Some(part.fault(built.err()?))).collect()
}

/// For each part of the body's shape, whose collider it is of.
pub(super) fn owners_of(parts: &[PartSpec]) -> Arc<[Entity]> {
    of_shape_parts(parts, parts.iter().map(|part| part.entity)).into()
}

/// For each part of the body's shape its material, where that is another than `of_body`; none where all are that.
pub(super) fn materials_of(parts: &[PartSpec], surfaces: &[PartSurface], of_body: &Material) -> Vec<Option<Material>> {
    if surfaces.iter().all(|surface| *surface == PartSurface::default()) {
        return Vec::new();
    }
    of_shape_parts(parts, surfaces.iter().map(|surface| surface.material(of_body)))
}

/// What is said of colliders, for each part of the body's shape: a collider that is itself a compound has several, and one that cannot
/// be used none.
fn of_shape_parts<T: Clone>(parts: &[PartSpec], said: impl Iterator<Item = T>) -> Vec<T> {
    let mut of_parts = Vec::new();
    // Built a moment ago and kept, unless one collider is stretched in more ways than it keeps.
    for ((_, built), said) in built(parts).zip(said) {
        let count = built.map_or(0, |(_, shape)| shape.part_count());
        of_parts.extend(std::iter::repeat_n(said, count));
    }
    of_parts
}
