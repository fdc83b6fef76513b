//! Where an entity is in the world, through its parents.

use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;

use super::spec::BodyComponentsItem;
use crate::collider::unturned;
use crate::convert::{from_matrix, from_rotation, to_matrix};
use crate::problem::CcdProblemCause;

/// An entity's global translation and rotation, and what is done to its shape before these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    pub translation: Vec3,
    pub rotation: Quat,
    /// A scale, and shear where a parent is unevenly scaled.
    pub stretch: Mat3,
}

/// Finds placements.
#[derive(SystemParam)]
pub(crate) struct Placements<'w, 's> {
    helper: TransformHelper<'w, 's>,
}

/// How much of a box's edge may be sheared away, relatively, before the placement counts as sheared.
const SHEAR: f32 = 1e-3;

/// A stretch that differs by no more than this share is the same but for rounding to `f32` through several parents.
const ROUNDING: f32 = 4e-6;

impl Placements<'_, '_> {
    /// The placement of a body's entity. What moves itself cannot be sheared: no transform would show where it went.
    pub fn of(&self, c: &BodyComponentsItem) -> Result<Placement, CcdProblemCause> {
        if c.parent.is_none() {
            let t = c.transform;
            let stretch = Mat3::from_diagonal(t.scale);
            return Ok(Placement { translation: t.translation, rotation: t.rotation, stretch });
        }
        let global = self
            .helper
            .compute_global_transform(c.entity)
            .map_err(|error| CcdProblemCause::Transform(error.to_string()))?;
        let affine = global.affine();
        let placement = match scaled(&affine) {
            None if c.moves_itself() => {
                let why = "it is sheared (a rotated child of an unevenly scaled parent)";
                return Err(CcdProblemCause::Transform(why.into()));
            }
            None => sheared(&affine),
            found => found,
        };
        placement.ok_or_else(|| CcdProblemCause::Transform("it is flattened".into()))
    }
}

impl Placement {
    /// What an affine map does; `None` where it flattens what it shears.
    pub fn of(affine: &Affine3A) -> Option<Self> {
        scaled(affine).or_else(|| sheared(affine))
    }

    /// Whether its stretch is the known one but for rounding.
    pub fn has_stretch(&self, known: &Mat3) -> bool {
        (0..3).all(|k| (self.stretch.col(k) - known.col(k)).length() <= ROUNDING * known.col(k).length())
    }
}

/// The placement that a map without shear is; `None` for one with.
fn scaled(affine: &Affine3A) -> Option<Placement> {
    let (scale, mut rotation, translation) = affine.to_scale_rotation_translation();
    if scale.cmpeq(Vec3::ZERO).any() {
        // How what is flat is turned cannot be told. Its collider is refused for its scale.
        rotation = Quat::IDENTITY;
    }
    let stretch = Mat3::from_diagonal(scale);
    let (exact, without_shear) = (Mat3::from(affine.matrix3), Mat3::from_quat(rotation) * stretch);
    let size = scale.abs().max_element();
    let is_sheared = (0..3).any(|k| (exact.col(k) - without_shear.col(k)).length() > SHEAR * size);
    (!is_sheared).then_some(Placement { translation, rotation, stretch })
}

fn sheared(affine: &Affine3A) -> Option<Placement> {
    let (rotation, stretch) = unturned(&to_matrix(affine.matrix3.into()))?;
    Some(Placement {
        translation: affine.translation.into(),
        rotation: from_rotation(&rotation),
        stretch: from_matrix(&stretch),
    })
}
