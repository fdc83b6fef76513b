//! Smooth motion between fixed steps.
//!
//! Physics steps at its own rate; frames come at another. Before rendering, an eased pose between those of the last two
//! steps is written into `Transform`, and before the next fixed step the true one is put back. Of translation and rotation the
//! one that somebody has changed meanwhile stays as that left it, which is then a teleport like any other.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

use crate::components::{RigidBody, Teleport};
use crate::sync::CcdBody;

/// Eases a body's [`Transform`] between the last two steps for rendering. Without it a body shows the last step's pose.
///
/// It shows the past by up to one step. It works where the plugin runs in the fixed schedules, and is without effect
/// elsewhere. For all bodies: `app.register_required_components::<RigidBody, TransformInterpolation>()`. Between steps the
/// [`Transform`] holds what is drawn: who clones the entity or hangs it in place below another there (`clone_and_spawn`,
/// `set_parent_in_place`) takes that for where it is. [`CcdWorld::body`](crate::CcdWorld::body) has the true pose, and so has the
/// transform in the fixed schedules.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug)]
#[component(on_discard = show_true_pose)]
pub struct TransformInterpolation {
    #[reflect(ignore)]
    translation: Eased<Vec3>,
    #[reflect(ignore)]
    rotation: Eased<Quat>,
}

impl TransformInterpolation {
    /// What is shown next is a jump.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The true pose, where `now` is what was written for rendering; else what the game has made of it.
    fn restored(&mut self, now: &Transform) -> Transform {
        Transform {
            translation: self.translation.restored(now.translation),
            rotation: self.rotation.restored(now.rotation),
            scale: now.scale,
        }
    }
}

/// What is eased no longer shows the last step's pose: one for rendering would count as a teleport.
fn show_true_pose(mut world: DeferredWorld, context: HookContext) {
    let Some(mut interpolation) = world.get::<TransformInterpolation>(context.entity).copied() else { return };
    if let Some(mut transform) = world.get_mut::<Transform>(context.entity) {
        let restored = interpolation.restored(&transform);
        transform.set_if_neq(restored);
    }
}

/// A part of a pose, by itself: what the game writes of the other part is no change of this one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Eased<T> {
    /// What it was after the last step but one and after the last.
    ends: Option<(T, T)>,
    /// What was written for rendering.
    written: Option<T>,
}

impl<T: Copy + PartialEq> Eased<T> {
    /// The true value, where `now` is what was written for rendering; else what the game has made of it.
    fn restored(&mut self, now: T) -> T {
        let ends = self.ends;
        // The next step moves the end on. Where none is made, as while a run condition stops the plugin, it stands there.
        self.ends = ends.map(|(_, end)| (end, end));
        match (self.written.take(), ends) {
            (Some(written), Some((_, end))) if written == now => end,
            _ => now,
        }
    }

    /// After a step that ends with `end`, where `now` is shown.
    fn note(&mut self, now: T, end: T) {
        self.ends = (now == end).then(|| (self.ends.map_or(end, |(_, start)| start), end));
    }

    /// What is to be rendered; `None` where the game has changed it since: that stands until the next step has taken it over.
    fn eased(&mut self, now: T, between: impl FnOnce(T, T) -> T) -> Option<T> {
        let (start, end) = self.ends?;
        if self.written.unwrap_or(end) == now {
            // What rests is where it is, to the bit, and is not written.
            self.written = Some(if start == end { end } else { between(start, end) });
        } else {
            *self = Self { ends: None, written: None };
        }
        self.written
    }
}

/// Before a fixed step: puts the true pose back.
pub(crate) fn restore_poses(mut bodies: Query<(&mut TransformInterpolation, &mut Transform)>) {
    for (mut interpolation, mut transform) in &mut bodies {
        let interpolation = interpolation.bypass_change_detection();
        let restored = interpolation.restored(&transform);
        transform.set_if_neq(restored);
    }
}

/// After the poses of a step are written: the last end becomes the start. What is in the world no more is eased no more.
pub(crate) fn note_poses(mut bodies: Query<(&mut TransformInterpolation, &Transform, Option<&CcdBody>)>) {
    for (mut interpolation, transform, body) in &mut bodies {
        let interpolation = interpolation.bypass_change_detection();
        let Some(body) = body else {
            interpolation.forget();
            continue;
        };
        let end = body.shown_transform();
        interpolation.translation.note(transform.translation, end.translation);
        interpolation.rotation.note(transform.rotation, end.rotation);
    }
}

/// Before changes are taken over: a teleport is a jump, not a fast motion.
pub(crate) fn forget_teleported(
    mut bodies: Query<(&mut TransformInterpolation, &Transform, &CcdBody, Option<&RigidBody>, Has<Teleport>)>,
) {
    for (mut interpolation, transform, body, kind, teleports) in &mut bodies {
        if kind.is_none_or(RigidBody::is_kinematic) && !teleports {
            continue;
        }
        let interpolation = interpolation.bypass_change_detection();
        if transform.translation != body.shown_transform().translation {
            interpolation.translation.ends = None;
        }
        if transform.rotation != body.shown_transform().rotation {
            interpolation.rotation.ends = None;
        }
    }
}

/// After the fixed steps of a frame: writes the eased pose.
pub(crate) fn ease_poses(mut bodies: Query<(&mut TransformInterpolation, &mut Transform)>, fixed: Res<Time<Fixed>>) {
    let fraction = fixed.overstep_fraction();
    for (mut interpolation, mut transform) in &mut bodies {
        let interpolation = interpolation.bypass_change_detection();
        let mut eased = *transform;
        if let Some(translation) = interpolation.translation.eased(eased.translation, |a, b| a.lerp(b, fraction)) {
            eased.translation = translation;
        }
        if let Some(rotation) = interpolation.rotation.eased(eased.rotation, |a, b| a.slerp(b, fraction)) {
            eased.rotation = rotation;
        }
        if *transform != eased {
            *transform = eased;
        }
    }
}
