//! Contacts and impacts.

use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;

use super::CcdContactGizmos;
use crate::convert::{from_point, from_vector};
use crate::debug::CcdDebug;
use crate::world::CcdWorld;

/// The length of the strongest impact of a step, in lengths of a normal. Of the others the root of their share is drawn, so that great and small
/// are both seen, in scenes of any size.
const STRONGEST: f32 = 3.0;

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
    let impulses = world.report().impacts.iter().map(|impact| impact.impulse.norm());
    let strongest = impulses.fold(0.0, f64::max) as f32;
    for impact in &world.report().impacts {
        let at = from_point(&impact.point);
        let impulse = from_vector(&impact.impulse);
        draw_point(&mut gizmos, at, from_vector(&impact.normal), 2.0 * debug.point_size, colours.impact);
        if impulse.length() > 0.0 {
            let length = STRONGEST * debug.normal_length * (impulse.length() / strongest).sqrt();
            gizmos.arrow(at, at + impulse.normalize_or_zero() * length, colours.impact);
        }
    }
}
