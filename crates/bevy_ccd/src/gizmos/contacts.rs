//! Contacts and impacts.

use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;

use super::CcdContactGizmos;
use crate::convert::{from_point, from_vector};
use crate::debug::CcdDebug;
use crate::world::CcdWorld;

/// Metres of arrow for each unit of an impact's change of velocity on a body of one kilogram; the root of it is drawn, so that
/// great and small are both seen.
const IMPULSE_LENGTH: f32 = 0.2;

/// Contact points and their normals.
pub(super) fn draw_contacts(
    mut gizmos: Gizmos<CcdContactGizmos>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    world: Res<CcdWorld>,
) {
    if !debug.contact_points && !debug.contact_normals {
        return;
    }
    let (_, colours) = config.config::<CcdContactGizmos>();
    for (_, contacts) in world.core().contacts() {
        for contact in &contacts.points {
            let (at, normal) = (from_point(&contact.midpoint()), from_vector(&contact.normal));
            if debug.contact_points {
                draw_point(&mut gizmos, at, normal, debug.point_size, colours.point);
            }
            if debug.contact_normals {
                let tip = at + normal * debug.normal_length;
                gizmos.arrow(at, tip, colours.normal).with_tip_length(0.25 * debug.normal_length);
            }
        }
    }
}

/// A small ring with a cross in the tangent plane.
fn draw_point(gizmos: &mut Gizmos<CcdContactGizmos>, at: Vec3, normal: Vec3, size: f32, colour: Color) {
    let rotation = Quat::from_rotation_arc(Vec3::Z, normal.normalize_or(Vec3::Z));
    gizmos.circle(Isometry3d::new(at, rotation), 0.5 * size, colour).resolution(12);
    for axis in [Vec3::X, Vec3::Y] {
        let arm = rotation * axis * (0.5 * size);
        gizmos.line(at - arm, at + arm, colour);
    }
}

/// The impacts of the last step with their impulses on the second body.
pub(super) fn draw_impacts(
    mut gizmos: Gizmos<CcdContactGizmos>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    world: Res<CcdWorld>,
) {
    if !debug.impacts {
        return;
    }
    let (_, colours) = config.config::<CcdContactGizmos>();
    for impact in &world.report().impacts {
        let at = from_point(&impact.point);
        let impulse = from_vector(&impact.impulse);
        let length = IMPULSE_LENGTH * impulse.length().sqrt();
        draw_point(&mut gizmos, at, from_vector(&impact.normal), 2.0 * debug.point_size, colours.impact);
        if length > 1e-3 {
            gizmos.arrow(at, at + impulse.normalize_or_zero() * length, colours.impact);
        }
    }
}
