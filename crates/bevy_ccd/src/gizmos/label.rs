//! Numbers in the scene.

use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;

use super::{CcdContactGizmos, CcdFineGizmos};

/// What is behind a number, so that it stands out of bodies of its own colour.
const SHADE: Color = Color::srgba(0.03, 0.04, 0.06, 0.85);

/// Where a number stands and how large it is.
pub(super) struct Place {
    /// World.
    pub at: Vec3,
    /// The rotation of the camera that reads it.
    pub facing: Quat,
    /// Of its letters, metres.
    pub height: f32,
    /// Which of its points is there; the middle at zero.
    pub anchor: Vec2,
}

/// Writes a number in thin lines, with thick dark ones behind it.
pub(super) fn write(
    fine: &mut Gizmos<CcdFineGizmos>,
    thick: &mut Gizmos<CcdContactGizmos>,
    place: &Place,
    text: &str,
    colour: Color,
) {
    let Place { at, facing, height, anchor } = *place;
    let behind = at - facing * Vec3::Z * (0.1 * height);
    thick.text(Isometry3d::new(behind, facing), text, height, anchor, SHADE.with_alpha(SHADE.alpha() * colour.alpha()));
    fine.text(Isometry3d::new(at, facing), text, height, anchor, colour);
}
