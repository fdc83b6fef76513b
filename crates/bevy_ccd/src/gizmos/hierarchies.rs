//! Hierarchies of boxes and spheres over meshes, hulls and boxes, one level at a time.

use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;
use bevy::tasks::futures::check_ready;
use bevy::tasks::{AsyncComputeTaskPool, Task};
use ccd_core::bounds::{Hierarchy, HierarchyKind, LevelVolume};
use ccd_core::detection::interference::trace_pair;
use ccd_core::math::Pose;
use ccd_core::shape::Shape;

use super::bodies::obb_transform;
use super::{CcdGizmos, CcdPairGizmos};
use crate::convert::from_point;
use crate::debug::CcdDebug;
use crate::inspect::{CcdInspect, Source, mesh_of, shown_pose};
use crate::sync::{CcdBody, shown_at};
use crate::world::CcdWorld;

/// Lines of a drawn sphere: a tree has hundreds.
const SPHERE_RESOLUTION: u32 = 16;

/// The hierarchies that are drawn, built once for each geometry, beside the frames: a medial axis takes its time.
#[derive(Resource, Default)]
pub struct CcdHierarchies(Vec<Entry>);

impl CcdHierarchies {
    /// Whether any of them is still being built, beside the frames.
    pub fn is_building(&self) -> bool {
        self.0.iter().any(|entry| matches!(entry.state, State::Building(_)))
    }
}

struct Entry {
    of: Source,
    kind: HierarchyKind,
    state: State,
}

enum State {
    Building(Task<Option<Hierarchy>>),
    Ready(Hierarchy),
    /// No such hierarchy: an open mesh has no medial axis.
    None,
}

/// Starts what is not there yet, takes over what is ready, and forgets what nobody has any more.
pub(super) fn build_hierarchies(mut hierarchies: ResMut<CcdHierarchies>, debug: Res<CcdDebug>, world: Res<CcdWorld>) {
    hierarchies.0.retain(|entry| !entry.of.is_gone() && Some(entry.kind) == debug.hierarchy);
    for entry in &mut hierarchies.0 {
        if let State::Building(task) = &mut entry.state
            && let Some(built) = check_ready(task)
        {
            entry.state = built.map_or(State::None, State::Ready);
        }
    }
    let Some(kind) = debug.hierarchy else { return };
    for (_, _, body) in world.bodies() {
        for (shape, _) in geometries(body.shape(), &Pose::identity()) {
            if hierarchies.0.iter().all(|entry| !entry.of.is(shape))
                && let Some(entry) = begin(shape, kind)
            {
                hierarchies.0.push(entry);
            }
        }
    }
}

fn begin(shape: &Shape, kind: HierarchyKind) -> Option<Entry> {
    let (of, shape) = (Source::of(shape)?, shape.clone());
    let task = AsyncComputeTaskPool::try_get()?
        .spawn(async move { mesh_of(&shape).and_then(|mesh| Hierarchy::build(kind, &mesh).ok()) });
    Some(Entry { of, kind, state: State::Building(task) })
}

/// A shape, or the parts of a compound, with their places.
pub(super) fn geometries<'s>(shape: &'s Shape, pose: &Pose) -> Vec<(&'s Shape, Pose)> {
    match shape {
        Shape::Compound(compound) => {
            compound.parts().iter().flat_map(|part| geometries(&part.shape, &(pose * part.pose))).collect()
        }
        shape => vec![(shape, *pose)],
    }
}

/// Draws the level of each body's hierarchy where the body is shown, or of the one that is looked into.
pub(super) fn draw_hierarchies(
    mut gizmos: Gizmos<CcdGizmos>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    inspect: Res<CcdInspect>,
    hierarchies: Res<CcdHierarchies>,
    world: Res<CcdWorld>,
    bodies: Query<(Entity, &CcdBody, &GlobalTransform, &Transform)>,
) {
    if inspect.visited && inspect.pair.is_some() {
        return;
    }
    let (_, colours) = config.config::<CcdGizmos>();
    let only = inspect.only_body.then_some(inspect.body).flatten();
    for (entity, body, global, own) in &bodies {
        if only.is_some_and(|only| only != entity) {
            continue;
        }
        let Some(body) = world.core().body(body.id()) else { continue };
        let shown = shown_at(global, own);
        for (shape, pose) in geometries(body.shape(), &Pose::identity()) {
            let Some(entry) = hierarchies.0.iter().find(|entry| entry.of.is(shape)) else { continue };
            let State::Ready(hierarchy) = &entry.state else { continue };
            for volume in hierarchy.level(debug.hierarchy_level, &pose) {
                match volume {
                    LevelVolume::Box(obb) => {
                        gizmos.cube(Transform::from_isometry(shown) * obb_transform(&obb), colours.hierarchy);
                    }
                    LevelVolume::Sphere(sphere) => {
                        let place = Isometry3d::from_translation(shown * from_point(&sphere.centre));
                        gizmos.sphere(place, sphere.radius as f32, colours.hierarchy).resolution(SPHERE_RESOLUTION);
                    }
                }
            }
        }
    }
}

/// Of the pair that is looked into, the nodes of the level that a query visits: bright where they are near to any of the other
/// side, so that what is below them is looked at; faint where they were tested and found apart.
pub(super) fn draw_visited(
    mut gizmos: Gizmos<CcdPairGizmos>,
    config: Res<GizmoConfigStore>,
    debug: Res<CcdDebug>,
    inspect: Res<CcdInspect>,
    hierarchies: Res<CcdHierarchies>,
    world: Res<CcdWorld>,
    bodies: Query<(&CcdBody, &GlobalTransform, &Transform)>,
) {
    let Some((a, b)) = inspect.pair.filter(|_| inspect.visited) else { return };
    let (_, colours) = config.config::<CcdPairGizmos>();
    let margin = world.core().settings().contact_threshold;
    let parts = |entity: Entity| -> Vec<(&Hierarchy, Pose)> {
        let Ok((body, global, own)) = bodies.get(entity) else { return Vec::new() };
        let (Some(body), Some(shown)) = (world.core().body(body.id()), shown_pose(global, own)) else {
            return Vec::new();
        };
        let ready = |(shape, pose): (&Shape, Pose)| {
            let entry = hierarchies.0.iter().find(|entry| entry.of.is(shape))?;
            match &entry.state {
                State::Ready(hierarchy) => Some((hierarchy, pose)),
                State::Building(_) | State::None => None,
            }
        };
        geometries(body.shape(), &shown).into_iter().filter_map(ready).collect()
    };
    let (parts_a, parts_b) = (parts(a), parts(b));
    for (of_a, pose_a) in &parts_a {
        for (of_b, pose_b) in &parts_b {
            let Some(trace) = trace_pair(of_a, pose_a, of_b, pose_b, margin) else { continue };
            let sides = [(of_a, pose_a, &trace.nodes_a, colours.a), (of_b, pose_b, &trace.nodes_b, colours.b)];
            for (hierarchy, pose, nodes, colour) in sides {
                let deepest = nodes.iter().map(|node| node.level).max().unwrap_or(0);
                let level = deepest.min(debug.hierarchy_level as u32);
                for node in nodes.iter().filter(|node| node.level == level) {
                    let colour = if node.is_near { colour } else { colour.with_alpha(0.18) };
                    match hierarchy.volume(node.node, pose) {
                        LevelVolume::Box(obb) => gizmos.cube(obb_transform(&obb), colour),
                        LevelVolume::Sphere(sphere) => {
                            let place = Isometry3d::from_translation(from_point(&sphere.centre));
                            gizmos.sphere(place, sphere.radius as f32, colour).resolution(SPHERE_RESOLUTION);
                        }
                    }
                }
            }
        }
    }
}
