//! Overlays of the pair that is looked into: closest points, Voronoi regions, and the walk of V-Clip.

use bevy::camera::Camera3d;
use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;
use ccd_core::math::Point;

use super::label::{self, Place};
use super::{CcdContactGizmos, CcdFineGizmos, CcdPairGizmos};
use crate::convert::{from_point, from_vector};
use crate::inspect::{CcdFindings, CcdInspect, FeatureRegion, Walk, nearest_places};
use crate::sync::CcdBody;
use crate::world::CcdWorld;

/// How far a drawn region reaches, as a share of the smaller body's size.
const REACH: f32 = 0.8;
/// Outlines between a feature and the end of its drawn region.
const LAYERS: u32 = 5;
/// Lines of a drawn arc.
const ARC: u32 = 12;
/// How high numbers are, as a share of the smaller body's size.
const LABEL: f32 = 0.1;

/// The size of what is drawn at a pair, metres: of the smaller body that has a size.
pub(super) fn size_of(inspect: &CcdInspect, world: &CcdWorld, bodies: &Query<&CcdBody>) -> f32 {
    let Some((a, b)) = inspect.pair else { return 1.0 };
    let radius = |entity: Entity| -> Option<f32> {
        let body = world.core().body(bodies.get(entity).ok()?.id())?;
        Some(body.shape().as_solid().bounding_sphere().radius as f32).filter(|r| r.is_finite())
    };
    [radius(a), radius(b)].into_iter().flatten().fold(f32::INFINITY, f32::min).clamp(1e-4, 1e4)
}

/// Closest points, regions and the walk.
pub(super) fn draw_pair(
    mut gizmos: Gizmos<CcdPairGizmos>,
    (mut fine, mut thick): (Gizmos<CcdFineGizmos>, Gizmos<CcdContactGizmos>),
    config: Res<GizmoConfigStore>,
    inspect: Res<CcdInspect>,
    findings: Res<CcdFindings>,
    world: Res<CcdWorld>,
    bodies: Query<&CcdBody>,
    cameras: Query<&GlobalTransform, With<Camera3d>>,
) {
    let (_, colours) = config.config::<CcdPairGizmos>();
    let size = size_of(&inspect, &world, &bodies);
    if let Some(closest) = findings.closest.filter(|_| inspect.closest) {
        let (a, b) = (from_point(&closest.point_a), from_point(&closest.point_b));
        gizmos.line(a, b, colours.closest);
        for (at, colour) in [(a, colours.a), (b, colours.b)] {
            gizmos.sphere(Isometry3d::from_translation(at), 0.02 * size, colour).resolution(8);
        }
    }
    for (region, colour) in findings.regions.iter().zip([colours.a, colours.b]) {
        if let Some(region) = region {
            draw_region(&mut gizmos, region, REACH * size, colour);
        }
    }
    if let Some(walk) = &findings.walk {
        let facing = cameras.iter().next().map_or(Quat::IDENTITY, GlobalTransform::rotation);
        draw_walk(&mut gizmos, (&mut fine, &mut thick), walk, &inspect, colours, size, facing);
    }
}

/// A feature: a small ball, a line, or an outline with a hatching.
pub(super) fn draw_feature(gizmos: &mut Gizmos<CcdPairGizmos>, corners: &[Point], size: f32, colour: Color) {
    let corners: Vec<Vec3> = corners.iter().map(from_point).collect();
    match corners.as_slice() {
        [at] => {
            gizmos.sphere(Isometry3d::from_translation(*at), 0.035 * size, colour).resolution(10);
        }
        [tail, head] => gizmos.line(*tail, *head, colour),
        outline => {
            gizmos.lineloop(outline.iter().copied(), colour);
            let middle = outline.iter().sum::<Vec3>() / outline.len().max(1) as f32;
            for share in [0.33, 0.66] {
                let inner = outline.iter().map(|p| p.lerp(middle, share));
                gizmos.lineloop(inner, colour.with_alpha(0.35));
            }
        }
    }
}

fn draw_region(gizmos: &mut Gizmos<CcdPairGizmos>, region: &FeatureRegion, reach: f32, colour: Color) {
    draw_feature(gizmos, &region.corners(), reach, colour);
    let fading = |share: f32| colour.with_alpha(0.75 * (1.0 - share) + 0.12);
    match region {
        FeatureRegion::Face { outline, normal } => {
            let (outline, normal) = (outline.iter().map(from_point).collect::<Vec<_>>(), from_vector(normal));
            for layer in 1..=LAYERS {
                let share = layer as f32 / LAYERS as f32;
                gizmos.lineloop(outline.iter().map(|p| *p + normal * (reach * share)), fading(share));
            }
            for corner in outline {
                gizmos.line_gradient(corner, corner + normal * reach, fading(0.0), fading(1.0));
            }
        }
        FeatureRegion::Edge { ends, normals } => {
            let (ends, [from, to]) = (ends.each_ref().map(from_point), normals.each_ref().map(from_vector));
            let arc: Vec<Vec3> = (0..=ARC).map(|i| between(from, to, i as f32 / ARC as f32)).collect();
            for layer in 1..=LAYERS {
                let share = layer as f32 / LAYERS as f32;
                for end in ends {
                    gizmos.linestrip(arc.iter().map(|way| end + *way * (reach * share)), fading(share));
                }
            }
            for way in arc.iter().step_by(ARC as usize / 4) {
                gizmos.line(ends[0] + *way * reach, ends[1] + *way * reach, fading(1.0));
            }
            for (end, way) in ends.into_iter().flat_map(|end| [(end, from), (end, to)]) {
                gizmos.line_gradient(end, end + way * reach, fading(0.0), fading(1.0));
            }
        }
        FeatureRegion::Vertex { at, normals } => {
            let (at, normals) = (from_point(at), normals.iter().map(from_vector).collect::<Vec<_>>());
            for (index, from) in normals.iter().enumerate() {
                let to = normals[(index + 1) % normals.len()];
                gizmos.line_gradient(at, at + *from * reach, fading(0.0), fading(1.0));
                for layer in 1..=LAYERS {
                    let share = layer as f32 / LAYERS as f32;
                    let arc = (0..=ARC).map(|i| at + between(*from, to, i as f32 / ARC as f32) * (reach * share));
                    gizmos.linestrip(arc, fading(share));
                }
            }
        }
    }
}

/// Between two directions, along the shorter arc.
fn between(from: Vec3, to: Vec3, share: f32) -> Vec3 {
    from.lerp(to, share).normalize_or(from)
}

fn draw_walk(
    gizmos: &mut Gizmos<CcdPairGizmos>,
    (fine, thick): (&mut Gizmos<CcdFineGizmos>, &mut Gizmos<CcdContactGizmos>),
    walk: &Walk,
    inspect: &CcdInspect,
    colours: &CcdPairGizmos,
    size: f32,
    facing: Quat,
) {
    let Some(last) = walk.steps.len().checked_sub(1) else { return };
    let shown = inspect.walk_step.min(last);
    let mut before: Option<(Vec3, Vec3)> = None;
    let mut labelled: Vec<Vec3> = Vec::new();
    for (index, [a, b]) in walk.corners.iter().enumerate().take(shown + 1) {
        let Some((on_a, on_b)) = nearest_places(a, b) else { continue };
        let (on_a, on_b) = (from_point(&on_a), from_point(&on_b));
        let is_last = index == shown;
        if let Some((from_a, from_b)) = before {
            gizmos.arrow(from_a, on_a, colours.a).with_tip_length(0.06 * size);
            gizmos.arrow(from_b, on_b, colours.b).with_tip_length(0.06 * size);
        }
        let line = if is_last { colours.walk } else { colours.walk.with_alpha(0.3) };
        gizmos.line(on_a, on_b, line);
        // The number stands at the side that has changed, over those that stand there already.
        let a_stays = index > 0 && walk.steps[index].features.a == walk.steps[index - 1].features.a;
        let at = if a_stays { on_b } else { on_a };
        let below = labelled.iter().filter(|other| other.distance(at) < LABEL * size).count();
        labelled.push(at);
        let beside = facing * Vec3::new(0.5 * LABEL * size, (0.5 + 1.5 * below as f32) * LABEL * size, 0.0);
        let place = Place { at: at + beside, facing, height: LABEL * size, anchor: Vec2::new(-0.5, 0.0) };
        let paint = if is_last { colours.walk } else { colours.walk.with_alpha(0.85) };
        label::write(fine, thick, &place, &format!("{}", index + 1), paint);
        for (corners, colour) in [(a, colours.a), (b, colours.b)] {
            let colour = if is_last { colour } else { colour.with_alpha(0.3) };
            draw_feature(gizmos, corners, size, colour);
        }
        before = Some((on_a, on_b));
    }
}
