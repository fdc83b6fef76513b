//! Makes the world that a case describes.

use std::path::Path;

use super::cache::{ShapeCache, flaw};
use super::error::{CaseError, CaseReason};
use super::query::pose;
use super::{Case, CaseBody, CaseMass, CaseWorld, Line};
use crate::dynamics::{BodyDefinition, BodyError, MassSpecification, Material};
use crate::geometry::mass::MassProperties;
use crate::id::BodyId;
use crate::math::{Matrix, Point, Vector};
use crate::shape::Shape;
use crate::world::{World, WorldSettings};

/// Makes the world of `case`, with its bodies in the order of the file; `folder` is that of the case file.
///
/// # Errors
/// [`CaseError`] with line, body and key for files that cannot be read, solids and masses that cannot be, and parts of
/// the format that the library does not run. The error names no file: [`CaseError::in_file`] adds it.
pub fn build_world(case: &Case, folder: impl AsRef<Path>) -> Result<(World, Vec<BodyId>), CaseError> {
    build_world_with(case, &mut ShapeCache::new(folder.as_ref()))
}

/// As [`build_world`], with the shapes of `cache`: for models that are in no file, or that many cases share.
///
/// # Errors
/// As [`build_world`].
pub fn build_world_with(case: &Case, cache: &mut ShapeCache) -> Result<(World, Vec<BodyId>), CaseError> {
    let refuse = |key: &'static str| move |text: String| flaw(key, CaseReason::Refused(text));
    let mut world = World::new(settings(&case.world)).map_err(|e| refuse("world")(e.to_string()))?;
    let mut ids = Vec::with_capacity(case.bodies.len());
    for body in &case.bodies {
        let shape =
            cache.shape(&body.shape).map_err(|e| e.under("shape").on_line(body.shape_line.0).of_body(&body.name))?;
        let id = world.add_body(definition(body, shape, &case.world)).map_err(|e| {
            let (key, line) = key_of(&e, body);
            // Bodies that were not read have no lines of their keys.
            flaw(key, CaseReason::Refused(e.to_string())).on_line(line.0).on_line(body.line.0).of_body(&body.name)
        })?;
        ids.push(id);
    }
    Ok((world, ids))
}

/// The key that a refused body is refused for, and its line.
fn key_of(error: &BodyError, body: &CaseBody) -> (&'static str, Line) {
    match error {
        BodyError::UnboundedMoves { .. } => ("kind", body.kind_line),
        BodyError::Mass(_) if body.mass_properties.is_some() => ("mass_properties", body.mass_line),
        BodyError::Mass(_) if body.mass.is_some() => ("mass", body.mass_line),
        BodyError::Mass(_) if body.density.is_some() => ("density", body.mass_line),
        BodyError::Mass(_) => ("shape", body.shape_line),
        _ => ("", body.line),
    }
}

fn definition(body: &CaseBody, shape: Shape, world: &CaseWorld) -> BodyDefinition {
    let mut definition = BodyDefinition::new(body.kind, shape, pose(body.position, body.rotation));
    definition.linear_velocity = Vector::from(body.linear_velocity);
    definition.angular_velocity = Vector::from(body.angular_velocity);
    definition.mass = match (&body.mass_properties, body.mass) {
        (Some(stated), _) => MassSpecification::Properties(properties(stated)),
        (None, Some(mass)) => MassSpecification::Mass(mass),
        (None, None) => MassSpecification::Density(body.density.unwrap_or(super::DEFAULT_DENSITY)),
    };
    definition.material = Material {
        friction: body.friction.unwrap_or(world.friction),
        restitution: body.restitution.unwrap_or(world.restitution),
        ..Material::default()
    };
    definition.force = Vector::from(body.force);
    definition.torque = Vector::from(body.torque);
    definition.locked = body.locked_dof;
    definition.no_collide_group = body.no_collide_group;
    definition
}

fn properties(stated: &CaseMass) -> MassProperties {
    let rows = &stated.inertia_com_local;
    // A text of a few digits leaves the two halves slightly different: the mean is symmetric to the last bit.
    let inertia = Matrix::from_fn(|r, c| 0.5 * (rows[r][c] + rows[c][r]));
    MassProperties { mass: stated.mass, com: Point::from(stated.com_local), inertia }
}

/// The settings of a world.
fn settings(world: &CaseWorld) -> WorldSettings {
    WorldSettings {
        gravity: Vector::from(world.gravity),
        tolerance: world.tolerance,
        contact_threshold: world.contact_threshold,
        sleeping: world.sleeping,
        detection: world.detection,
        response: world.response,
        integrator: world.integrator,
        reduction: world.reduction,
        broad_phase: world.broad_phase,
        initial_overlap: world.initial_overlap,
        ..WorldSettings::default()
    }
}
