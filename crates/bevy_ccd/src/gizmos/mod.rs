//! Debug drawing: each overlay of [`CcdDebug`](crate::CcdDebug) over the scene.
//!
//! Boxes and vectors of bodies are drawn where the body is shown, contacts and sweeps where the world has them, which with
//! [`TransformInterpolation`](crate::TransformInterpolation) differs by up to one step of motion.

mod bodies;
mod config;
mod contacts;
mod hierarchies;
mod index;
mod label;
mod outlines;
mod pair;
mod response;
mod trajectory;

use bevy::gizmos::config::{GizmoConfig, GizmoLineConfig};
use bevy::gizmos::{AppGizmoBuilder, GizmoAsset};
use bevy::prelude::*;
use bevy::transform::TransformSystems;

use crate::debug::CcdDebug;
use crate::inspect::CcdInspect;
pub use config::{CcdContactGizmos, CcdFineGizmos, CcdGizmos, CcdPairGizmos};
pub use hierarchies::CcdHierarchies;
pub use outlines::CcdOutlines;

/// What draws lines over everything that is further away than a few times the camera's near plane. At −1 they would lie on that plane
/// itself, and rounding would cut pieces out of them.
const OVER_EVERYTHING: f32 = -0.9;

/// Draws the overlays that [`CcdDebug`] switches on. Part of [`CcdPlugins`](crate::CcdPlugins); without effect in an app
/// that has no gizmos.
#[derive(Clone, Copy, Debug, Default)]
pub struct CcdGizmosPlugin;

impl Plugin for CcdGizmosPlugin {
    fn build(&self, _: &mut App) {}

    fn finish(&self, app: &mut App) {
        // The engine's gizmo plugin is there where something draws.
        if !app.world().contains_resource::<Assets<GizmoAsset>>() {
            return;
        }
        let over = |width| GizmoConfig {
            depth_bias: OVER_EVERYTHING,
            line: GizmoLineConfig { width, ..default() },
            ..default()
        };
        app.insert_gizmo_config(CcdGizmos::default(), GizmoConfig { depth_bias: -0.001, ..default() })
            // Contacts lie between bodies and would be hidden by them.
            .insert_gizmo_config(CcdContactGizmos::default(), over(3.5))
            .insert_gizmo_config(CcdFineGizmos::default(), over(1.6))
            .insert_gizmo_config(CcdPairGizmos::default(), over(2.5))
            .init_resource::<CcdHierarchies>()
            .init_resource::<CcdOutlines>()
            .add_systems(
                PostUpdate,
                (hierarchies::build_hierarchies, hierarchies::draw_hierarchies, hierarchies::draw_visited)
                    .chain()
                    .after(TransformSystems::Propagate)
                    .before(outlines::draw_colliders)
                    .run_if(|debug: Res<CcdDebug>| debug.hierarchy.is_some()),
            )
            .add_systems(
                PostUpdate,
                (
                    outlines::draw_colliders,
                    bodies::draw_bodies,
                    bodies::draw_sweeps,
                    contacts::draw_contacts,
                    contacts::draw_impacts,
                )
                    .chain()
                    .after(TransformSystems::Propagate)
                    .run_if(|debug: Res<CcdDebug>| debug.any()),
            )
            .add_systems(
                PostUpdate,
                (response::draw_forces, response::draw_clusters, response::draw_graph)
                    .chain()
                    .after(contacts::draw_impacts)
                    .run_if(|debug: Res<CcdDebug>| debug.any()),
            )
            .add_systems(
                PostUpdate,
                (pair::draw_pair, trajectory::draw_trajectory)
                    .chain()
                    .after(crate::inspect::look_into_pair)
                    .run_if(|inspect: Res<CcdInspect>| inspect.pair.is_some()),
            )
            .add_systems(
                PostUpdate,
                index::draw_index
                    .after(crate::inspect::look_into_index)
                    .after(trajectory::draw_trajectory)
                    .run_if(|inspect: Res<CcdInspect>| inspect.index),
            );
    }
}
