//! Overlays of single bodies.

use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;
use ccd_core::detection::broad::swept_obb;
use ccd_core::math::Pose;
use ccd_core::motion::TimeInterval;
use ccd_core::volume::{Aabb, Obb};

use super::{CcdFineGizmos, CcdGizmos};
use crate::clock::CcdClock;
use crate::convert::{from_point, from_vector};
use crate::debug::CcdDebug;
use crate::sync::{CcdBody, shown_at};
use crate::world::CcdWorld;

/// The length of a drawn axis in shares of the body's size.
const AXIS_SHARE: f32 = 0.75;
/// Seconds of motion that a drawn velocity shows.
const VELOCITY_SECONDS: f32 = 0.1;
/// What is shorter than this share of the body's size is not drawn.
const LEAST_SHARE: f32 = 1e-3;

/// Boxes, spheres, frames and velocities, where the bodies are shown. What begins at a centre would be hidden by the body itself: it is drawn
/// over everything.
pub(super) fn draw_bodies(
    mut gizmos: Gizmos<CcdGizmos>,
    mut inner: Gizmos<CcdFineGizmos>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    world: Res<CcdWorld>,
    bodies: Query<(&CcdBody, &GlobalTransform, &Transform)>,
) {
    let (_, colours) = config.config::<CcdGizmos>();
    for (body, global, own) in &bodies {
        let id = body.id();
        let Some(body) = world.core().body(id) else { continue };
        let shown = shown_at(global, own);
        let solid = body.shape().as_solid();
        let sphere = solid.bounding_sphere();
        let radius = sphere.radius as f32;
        if body.shape().is_bounded() {
            let aabb = solid.local_aabb();
            if debug.obbs {
                gizmos.cube(box_transform(&aabb, shown), colours.obb);
            }
            if debug.aabbs {
                gizmos.cube(around(&aabb, shown), colours.aabb);
            }
            if debug.spheres {
                gizmos.sphere(Isometry3d::from_translation(shown * from_point(&sphere.centre)), radius, colours.sphere);
            }
        }
        if debug.axes {
            let size = if radius.is_finite() { radius * AXIS_SHARE } else { 1.0 };
            inner.axes(Transform::from_isometry(shown), size);
            let centre = shown * from_point(&body.local_centre());
            inner.sphere(Isometry3d::from_translation(centre), 0.05 * size, colours.center_of_mass).resolution(12);
        }
        if debug.velocities {
            let centre = shown * from_point(&body.local_centre());
            // What is carried moves with its carrier.
            let Some(motion) = world.core().motion_of(id) else { continue };
            let place = body.pose() * body.local_centre();
            let linear = from_vector(&motion.velocity_of(&place, 0.0)) * VELOCITY_SECONDS;
            let angular = from_vector(&motion.angular_velocity) * VELOCITY_SECONDS;
            for (vector, colour) in [(linear, colours.linear_velocity), (angular, colours.angular_velocity)] {
                if vector.length() > LEAST_SHARE * radius {
                    inner.arrow(centre, centre + vector, colour);
                }
            }
        }
    }
}

/// What bodies sweep in a step as long as the last, from where the world has them.
pub(super) fn draw_sweeps(
    mut gizmos: Gizmos<CcdGizmos>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    clock: Res<CcdClock>,
    fixed: Res<Time<Fixed>>,
    world: Res<CcdWorld>,
) {
    if !debug.swept_obbs {
        return;
    }
    let (_, colours) = config.config::<CcdGizmos>();
    let dt = clock.next_step_length(world.report().dt, fixed.timestep());
    let Ok(step) = TimeInterval::new(0.0, dt) else { return };
    for (_, id, body) in world.bodies() {
        let Some(motion) = world.core().motion_of(id) else { continue };
        if !motion.is_at_rest() && body.shape().is_bounded() {
            let own = Obb::from_aabb(&body.shape().as_solid().local_aabb(), &Pose::identity());
            let obb = swept_obb(&own, &motion, step);
            gizmos.cube(obb_transform(&obb), colours.swept_obb);
        }
    }
}

/// The unit cube as this box of a body, placed where the body is shown.
fn box_transform(aabb: &Aabb, shown: Isometry3d) -> Transform {
    Transform {
        translation: shown * from_point(&aabb.centre()),
        rotation: shown.rotation,
        scale: 2.0 * from_vector(&aabb.half_extents()),
    }
}

/// The unit cube as the axis-aligned box around that box.
fn around(aabb: &Aabb, shown: Isometry3d) -> Transform {
    let axes = Mat3::from_quat(shown.rotation);
    let half = from_vector(&aabb.half_extents());
    let extent = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
    Transform { translation: shown * from_point(&aabb.centre()), scale: 2.0 * extent, ..default() }
}

/// The unit cube as this box.
pub(super) fn obb_transform(obb: &Obb) -> Transform {
    let [x, y, z] = [0, 1, 2].map(|i| from_vector(&obb.axes.column(i).into_owned()));
    Transform {
        translation: from_point(&obb.centre),
        rotation: Quat::from_mat3(&Mat3::from_cols(x, y, z)),
        scale: 2.0 * from_vector(&obb.half_extents),
    }
}
