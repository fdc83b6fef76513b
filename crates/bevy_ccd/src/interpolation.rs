//! Smooth motion between fixed steps.
//!
//! Physics steps at its own rate; frames come at another. Before rendering, an eased pose between those of the last two
//! steps is written into `Transform`, and before the next fixed step the true one is put back, unless somebody has changed
//! it meanwhile, which is then a teleport like any other.

use bevy::prelude::*;

use crate::components::{RigidBody, Teleport};
use crate::sync::CcdBody;

/// Eases a body's [`Transform`] between the last two steps for rendering. Without it a body shows the last step's pose.
///
/// It shows the past by up to one step. It works where the plugin runs in the fixed schedules, and is without effect
/// elsewhere. For all bodies: `app.register_required_components::<RigidBody, TransformInterpolation>()`.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug)]
pub struct TransformInterpolation {
    /// The poses after the last step but one and after the last.
    #[reflect(ignore)]
    ends: Option<(Transform, Transform)>,
    /// What was written for rendering.
    #[reflect(ignore)]
    eased: Option<Transform>,
}

/// Before a fixed step: puts the true pose back.
pub(crate) fn restore_poses(mut bodies: Query<(&mut TransformInterpolation, &mut Transform)>) {
    for (mut interpolation, mut transform) in &mut bodies {
        let interpolation = interpolation.bypass_change_detection();
        let (Some(eased), Some((_, end))) = (interpolation.eased.take(), interpolation.ends) else { continue };
        // Part by part, so that a change of one keeps all digits of the other.
        let mut restored = *transform;
        if transform.translation == eased.translation {
            restored.translation = end.translation;
        }
        if transform.rotation == eased.rotation {
            restored.rotation = end.rotation;
        }
        if *transform != restored {
            *transform = restored;
        }
    }
}

/// After the poses of a step are written: the last end becomes the start.
pub(crate) fn note_poses(mut bodies: Query<(&mut TransformInterpolation, &Transform, &CcdBody)>) {
    for (mut interpolation, transform, body) in &mut bodies {
        let interpolation = interpolation.bypass_change_detection();
        let end = *body.shown_transform();
        if *transform != end {
            interpolation.ends = None;
            continue;
        }
        interpolation.ends = match interpolation.ends {
            Some((_, start)) => Some((start, end)),
            None => Some((end, end)),
        };
    }
}

/// Before changes are taken over: a teleport is a jump, not a fast motion.
pub(crate) fn forget_teleported(
    mut bodies: Query<(&mut TransformInterpolation, &Transform, &CcdBody, Option<&RigidBody>, Has<Teleport>)>,
) {
    for (mut interpolation, transform, body, kind, teleports) in &mut bodies {
        let moves_there = kind.is_none_or(RigidBody::is_kinematic) && !teleports;
        if !moves_there && *transform != *body.shown_transform() {
            interpolation.bypass_change_detection().ends = None;
        }
    }
}

/// After the fixed steps of a frame: writes the eased pose.
pub(crate) fn ease_poses(mut bodies: Query<(&mut TransformInterpolation, &mut Transform)>, fixed: Res<Time<Fixed>>) {
    let fraction = fixed.overstep_fraction();
    for (mut interpolation, mut transform) in &mut bodies {
        let interpolation = interpolation.bypass_change_detection();
        let Some((start, end)) = interpolation.ends else { continue };
        let shown = interpolation.eased.unwrap_or(end);
        if *transform != shown {
            // Changed by somebody since: theirs stands until the next step has taken it over.
            interpolation.eased = None;
            interpolation.ends = None;
            continue;
        }
        let eased = Transform {
            translation: start.translation.lerp(end.translation, fraction),
            rotation: start.rotation.slerp(end.rotation, fraction),
            scale: end.scale,
        };
        interpolation.eased = Some(eased);
        if *transform != eased {
            *transform = eased;
        }
    }
}
