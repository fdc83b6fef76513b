//! Debug drawing: each overlay of [`CcdDebug`](crate::CcdDebug) over the scene.
//!
//! Boxes and vectors of bodies are drawn where the body is shown, contacts and sweeps where the world has them, which with
//! [`TransformInterpolation`](crate::TransformInterpolation) differs by up to one step of motion.

mod bodies;
mod config;
mod contacts;
mod hierarchies;

use bevy::gizmos::config::{GizmoConfig, GizmoLineConfig};
use bevy::gizmos::{AppGizmoBuilder, GizmoAsset};
use bevy::prelude::*;
use bevy::transform::TransformSystems;

use crate::debug::CcdDebug;
pub use config::{CcdContactGizmos, CcdGizmos};

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
        app.insert_gizmo_config(CcdGizmos::default(), GizmoConfig { depth_bias: -0.001, ..default() })
            .insert_gizmo_config(
                CcdContactGizmos::default(),
                // Contacts lie between bodies and would be hidden by them.
                GizmoConfig { depth_bias: -1.0, line: GizmoLineConfig { width: 4.0, ..default() }, ..default() },
            )
            .init_resource::<hierarchies::Hierarchies>()
            .add_systems(
                PostUpdate,
                (hierarchies::build_hierarchies, hierarchies::draw_hierarchies)
                    .chain()
                    .after(TransformSystems::Propagate)
                    .before(bodies::draw_bodies)
                    .run_if(|debug: Res<CcdDebug>| debug.hierarchy.is_some()),
            )
            .add_systems(
                PostUpdate,
                (bodies::draw_bodies, bodies::draw_sweeps, contacts::draw_contacts, contacts::draw_impacts)
                    .chain()
                    .after(TransformSystems::Propagate)
                    .run_if(|debug: Res<CcdDebug>| debug.any()),
            );
    }
}
