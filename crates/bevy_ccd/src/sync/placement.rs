//! Where an entity is in the world, through its parents.

use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;

use super::spec::BodyComponentsItem;
use crate::problem::CcdProblemCause;

/// An entity's global scale, rotation and translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    pub translation: Vec3,
    pub rotation: Quat,
    pub scale: Vec3,
}

/// Finds placements.
#[derive(SystemParam)]
pub(crate) struct Placements<'w, 's> {
    helper: TransformHelper<'w, 's>,
}

/// How much of a box's edge may be sheared away, relatively, before the placement counts as sheared.
const SHEAR: f32 = 1e-3;

impl Placements<'_, '_> {
    /// The placement of a body's entity.
    pub fn of(&self, c: &BodyComponentsItem) -> Result<Placement, CcdProblemCause> {
        if c.parent.is_none() {
            let t = c.transform;
            return Ok(Placement { translation: t.translation, rotation: t.rotation, scale: t.scale });
        }
        let global = self
            .helper
            .compute_global_transform(c.entity)
            .map_err(|error| CcdProblemCause::Transform(error.to_string()))?;
        let (scale, rotation, translation) = decomposed(&global.affine()).ok_or_else(|| {
            CcdProblemCause::Transform("it is sheared (a rotated child of an unevenly scaled parent)".into())
        })?;
        Ok(Placement { translation, rotation, scale })
    }
}

/// Scale, rotation and translation; `None` where they do not say it all.
pub(super) fn decomposed(affine: &Affine3A) -> Option<(Vec3, Quat, Vec3)> {
    let (scale, rotation, translation) = affine.to_scale_rotation_translation();
    let exact = affine.matrix3;
    let without_shear = Mat3::from_quat(rotation) * Mat3::from_diagonal(scale);
    let size = scale.abs().max_element();
    let sheared = [
        Vec3::from(exact.x_axis) - without_shear.x_axis,
        Vec3::from(exact.y_axis) - without_shear.y_axis,
        Vec3::from(exact.z_axis) - without_shear.z_axis,
    ];
    let whole = !sheared.iter().any(|difference| difference.length() > SHEAR * size);
    whole.then_some((scale, rotation, translation))
}
