//! What contacts do: forces, friction cones, tangent planes, clusters, and the graph that they make.

use bevy::camera::Camera3d;
use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;
use ccd_core::contact::TangentPlane;
use ccd_core::dynamics::BodyKind;

use super::label::{self, Place};
use super::{CcdContactGizmos, CcdFineGizmos};
use crate::convert::{from_point, from_vector};
use crate::debug::CcdDebug;
use crate::inspect::{ContactGraph, GraphNode};
use crate::world::CcdWorld;

/// No number is lower than this in a picture, pixels.
const READABLE: f32 = 15.0;

/// No head of an arrow is shorter than this in a picture, pixels, where the arrow is long enough to have one.
const HEAD: f32 = 7.0;

/// Lines of a drawn cone.
const CONE_LINES: u32 = 8;

/// The camera of the scene and where it is.
type Eyes<'w, 's> = Query<'w, 's, (&'static Camera, &'static GlobalTransform), With<Camera3d>>;

/// At every contact the force on the second body, the cone that friction keeps it in, and the tangent plane.
pub(super) fn draw_forces(
    mut gizmos: Gizmos<CcdContactGizmos>,
    mut fine: Gizmos<CcdFineGizmos>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    world: Res<CcdWorld>,
    eyes: Eyes,
) {
    if !(debug.forces || debug.friction_cones || debug.tangent_planes) {
        return;
    }
    let (_, colours) = config.config::<CcdContactGizmos>();
    let per_second = if world.report().dt > 0.0 { 1.0 / world.report().dt } else { 0.0 };
    let size = debug.normal_length;
    let eye = eyes.iter().next();
    for (pair, contacts) in world.core().contacts() {
        let (Some(a), Some(b)) = (world.core().body(pair.a), world.core().body(pair.b)) else { continue };
        for (contact, impulse) in contacts.points.iter().zip(&contacts.impulses) {
            let (at, normal) = (from_point(&contact.midpoint()), from_vector(&contact.normal));
            let plane = TangentPlane::new(contact.normal);
            let (tangent, bitangent) = (from_vector(&plane.tangent), from_vector(&plane.bitangent));
            if debug.tangent_planes {
                draw_plane(&mut fine, at, tangent, bitangent, 0.35 * size, colours.tangent_plane);
            }
            if debug.friction_cones {
                let materials = [a.material_at(contact.features.a), b.material_at(contact.features.b)];
                let friction = materials[0].combined(&materials[1]).friction as f32;
                let rim = at + normal * (0.6 * size);
                let radius = 0.6 * size * friction;
                for i in 0..CONE_LINES {
                    let angle = std::f32::consts::TAU * i as f32 / CONE_LINES as f32;
                    let way = tangent * angle.cos() + bitangent * angle.sin();
                    fine.line(at, rim + way * radius, colours.friction_cone.with_alpha(0.45));
                }
                let rotation = Quat::from_rotation_arc(Vec3::Z, normal.normalize_or(Vec3::Z));
                fine.circle(Isometry3d::new(rim, rotation), radius, colours.friction_cone);
            }
            if debug.forces {
                let force = from_vector(impulse) * per_second as f32;
                let rub = force - normal * force.dot(normal);
                let least = HEAD * metres_per_pixel(eye, at);
                for (part, head, colour) in [(force, 0.12, colours.force), (rub, 0.1, colours.friction)] {
                    let arrow = part * debug.force_length;
                    let length = arrow.length();
                    if length > 0.01 * size {
                        gizmos.arrow(at, at + arrow, colour).with_tip_length(least.max(head * size).min(0.4 * length));
                    }
                }
            }
        }
    }
}

fn draw_plane(gizmos: &mut Gizmos<CcdFineGizmos>, at: Vec3, right: Vec3, up: Vec3, half: f32, colour: Color) {
    let corner = |x: f32, y: f32| at + (right * x + up * y) * half;
    gizmos.lineloop([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], colour);
    for share in [-0.5, 0.0, 0.5] {
        gizmos.line(corner(-1.0, share), corner(1.0, share), colour.with_alpha(0.3));
        gizmos.line(corner(share, -1.0), corner(share, 1.0), colour.with_alpha(0.3));
    }
}

/// Contacts of one place, each cluster as a ring around the contact that stands for it, with spokes to the others.
pub(super) fn draw_clusters(
    mut gizmos: Gizmos<CcdFineGizmos>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    world: Res<CcdWorld>,
) {
    if !debug.clusters {
        return;
    }
    let (_, colours) = config.config::<CcdContactGizmos>();
    let tolerance = world.core().settings().tolerance;
    for (_, contacts) in world.core().contacts() {
        for cluster in contacts.clusters(tolerance) {
            let Some(kept) = contacts.points.get(cluster.kept) else { continue };
            let (at, normal) = (from_point(&kept.midpoint()), from_vector(&kept.normal));
            let rotation = Quat::from_rotation_arc(Vec3::Z, normal.normalize_or(Vec3::Z));
            // A cluster is microns wide: its ring is drawn to be seen, one more for each of its contacts.
            for (index, member) in cluster.members.iter().enumerate() {
                let radius = (0.12 + 0.04 * index as f32) * debug.normal_length;
                gizmos.circle(Isometry3d::new(at, rotation), radius, colours.cluster).resolution(24);
                if let Some(other) = contacts.points.get(*member).filter(|_| *member != cluster.kept) {
                    gizmos.line(at, from_point(&other.midpoint()), colours.cluster);
                }
            }
            let plane = TangentPlane::new(kept.normal);
            let (tangent, bitangent) = (from_vector(&plane.tangent), from_vector(&plane.bitangent));
            draw_plane(&mut gizmos, at, tangent, bitangent, 0.12 * debug.normal_length, colours.cluster);
        }
    }
}

/// The contact graph: bodies with their levels, and lines through the contacts between them.
pub(super) fn draw_graph(
    mut gizmos: Gizmos<CcdContactGizmos>,
    mut fine: Gizmos<CcdFineGizmos>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    world: Res<CcdWorld>,
    eyes: Eyes,
) {
    if !debug.contact_graph {
        return;
    }
    let (_, colours) = config.config::<CcdContactGizmos>();
    let graph = ContactGraph::of(world.core());
    let highest = graph.nodes.iter().filter_map(|node| node.level).max().unwrap_or(0).max(1);
    let colour_of = |level: Option<u32>| match level {
        None => colours.graph.with_alpha(0.4),
        // From the ground up through the hues.
        Some(level) => Color::hsl(200.0 - 200.0 * level as f32 / highest as f32, 0.9, 0.62),
    };
    let size = 0.5 * debug.normal_length;
    let eye = eyes.iter().next();
    let facing = eye.map_or(Quat::IDENTITY, |(_, placed)| placed.rotation());
    for link in &graph.links {
        let at = from_point(&link.at);
        for id in [link.pair.a, link.pair.b] {
            let Some(body) = world.core().body(id) else { continue };
            // What cannot move is touched here and there: its centre may be far away.
            if body.kind() == BodyKind::Dynamic {
                gizmos.line(from_point(&body.centre()), at, colour_of(graph.level(id)));
            }
        }
        gizmos.sphere(Isometry3d::from_translation(at), 0.08 * size, colours.graph).resolution(6);
    }
    let movable: Vec<&GraphNode> = graph.nodes.iter().filter(|node| node.level != Some(0)).collect();
    let middle = movable.iter().map(|node| from_point(&node.at)).sum::<Vec3>() / movable.len().max(1) as f32;
    for node in movable {
        let (at, colour) = (from_point(&node.at), colour_of(node.level));
        let radius = 0.28 * size;
        gizmos.sphere(Isometry3d::from_translation(at), radius, colour).resolution(10);
        let text = node.level.map_or_else(|| "-".to_owned(), |level| level.to_string());
        let height = (READABLE * metres_per_pixel(eye, at)).max(0.8 * size);
        // Beside the ball and its lines, which would run through it.
        let seen = |place: Vec3| (facing.inverse() * (place - at)).truncate();
        let links = graph.links.iter().filter(|link| link.pair.a == node.body || link.pair.b == node.body);
        let aside = aside(links.map(|link| seen(from_point(&link.at))), -seen(middle), 0.2 * height);
        let letters = text.len() as f32;
        let far = Vec2::new(radius + (0.35 + 0.3 * letters) * height, radius + 0.8 * height);
        let place = at + facing * (aside * far).extend(0.0);
        let place = Place { at: place, facing, height, anchor: Vec2::ZERO };
        label::write(&mut fine, &mut gizmos, &place, &text, colour);
    }
}

/// Square to how most of the links run in a picture, a unit vector: away from the middle of the graph; where that lies in the line of them,
/// by no more than `doubt` beside it, to the right or upwards, so that the numbers of a straight row stay on one side.
fn aside(links: impl Iterator<Item = Vec2>, outward: Vec2, doubt: f32) -> Vec2 {
    // Opposite directions are one: those that twice their angles lead to are added up.
    let twice = links.map(|to| Vec2::new(to.x * to.x - to.y * to.y, 2.0 * to.x * to.y).normalize_or_zero());
    let along = 0.5 * twice.sum::<Vec2>().to_angle();
    let across = Vec2::new(-along.sin(), along.cos());
    let off = across.dot(outward);
    let turned = if off.abs() > doubt { off < 0.0 } else { across.x + across.y < 0.0 };
    if turned { -across } else { across }
}

/// How long a pixel of a camera's picture is at a place before it, metres; nothing behind it, or without a camera.
fn metres_per_pixel(eye: Option<(&Camera, &GlobalTransform)>, at: Vec3) -> f32 {
    let Some((camera, placed)) = eye else { return 0.0 };
    let Some(viewport) = camera.logical_viewport_size() else { return 0.0 };
    let clip_from_view = camera.clip_from_view();
    let seen = placed.affine().inverse().transform_point3(at);
    let depth = (clip_from_view * seen.extend(1.0)).w;
    let metres = 2.0 * depth / (clip_from_view.y_axis.y * viewport.y);
    if metres.is_finite() { metres.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_square_to_its_links_and_outside_of_what_they_make() {
        // A stone at the left of an arch, whose middle is to its right; and the next one, whose links run on.
        for links in [[Vec2::new(0.1, 1.0), Vec2::new(-0.1, -1.0)], [Vec2::new(0.3, 0.9), Vec2::new(-0.2, -0.9)]] {
            let aside = aside(links.into_iter(), Vec2::new(-3.0, 0.2), 0.1);
            assert!(aside.x < -0.9 && aside.is_normalized() && aside.dot(links[0]).abs() < 0.1, "{aside}");
        }
    }

    #[test]
    fn the_numbers_of_a_straight_tower_are_on_one_side() {
        let links = || [Vec2::new(0.001, 1.0), Vec2::new(0.0, -1.0)].into_iter();
        for outward in [Vec2::new(0.01, 3.0), Vec2::new(-0.01, -3.0)] {
            assert!(aside(links(), outward, 0.1).x > 0.99);
        }
    }
}
