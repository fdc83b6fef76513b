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
        let placement = match scaled(&affine, c.transform.scale) {
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
    /// What the affine map of an entity does whose own scale is `own`; `None` where it flattens what it shears.
    pub fn of(affine: &Affine3A, own: Vec3) -> Option<Self> {
        scaled(affine, own).or_else(|| sheared(affine))
    }

    /// Whether its stretch is the known one but for rounding.
    pub fn has_stretch(&self, known: &Mat3) -> bool {
        (0..3).all(|k| (self.stretch.col(k) - known.col(k)).length() <= ROUNDING * known.col(k).length())
    }
}

/// Where an entity shows its body, whatever its transform mirrors or shears: the world has the shape of the body in the frame of this.
pub(crate) fn shown_at(global: &GlobalTransform, own: &Transform) -> Isometry3d {
    match Placement::of(&global.affine(), own.scale) {
        Some(placement) => Isometry3d::new(placement.translation, placement.rotation),
        // There is no body of what is flat.
        None => global.to_isometry(),
    }
}

/// The same numbers without what they mirror: to be multiplied with, 1 or −1 each.
pub(super) fn mirrors(scale: Vec3) -> Vec3 {
    Vec3::select(scale.cmplt(Vec3::ZERO), Vec3::NEG_ONE, Vec3::ONE)
}

/// The placement that a map without shear is; `None` for one with.
///
/// Which axes are mirrored no map tells, for two that are come to a turn by 180°. What the entity's own scale mirrors is its stretch's, so that the
/// rotation is that of its transform below the parents'; what its parents mirror on top of that is mirrored along x, as the engine does.
fn scaled(affine: &Affine3A, own: Vec3) -> Option<Placement> {
    let mirrors = mirrors(own);
    let (scale, mut rotation, translation) = (*affine * Affine3A::from_scale(mirrors)).to_scale_rotation_translation();
    let scale = scale * mirrors;
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
