//! What a picture must wait for: what is built beside the frames, and pipelines whose shaders are being loaded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::render::render_resource::PipelineCache;
use bevy::render::{Render, RenderApp, RenderSystems};
use bevy_ccd::inspect::CcdIndexFindings;
use bevy_ccd::{CcdHierarchies, CcdOutlines};

/// Counts the pipelines that the renderer waits for, where the main world can read it.
pub struct UnfinishedPlugin;

/// How many pipelines were not ready when the last frame was drawn.
#[derive(Resource, Clone, Default)]
struct WaitingPipelines(Arc<AtomicUsize>);

impl Plugin for UnfinishedPlugin {
    fn build(&self, app: &mut App) {
        let waiting = WaitingPipelines::default();
        app.insert_resource(waiting.clone());
        if let Some(renderer) = app.get_sub_app_mut(RenderApp) {
            renderer.insert_resource(waiting).add_systems(Render, count.in_set(RenderSystems::Cleanup));
        }
    }
}

fn count(waiting: Res<WaitingPipelines>, cache: Res<PipelineCache>) {
    waiting.0.store(cache.waiting_pipelines().count(), Ordering::Relaxed);
}

/// What is not done yet.
#[derive(SystemParam)]
pub struct Unfinished<'w> {
    hierarchies: Option<Res<'w, CcdHierarchies>>,
    outlines: Option<Res<'w, CcdOutlines>>,
    index: Res<'w, CcdIndexFindings>,
    pipelines: Res<'w, WaitingPipelines>,
}

impl Unfinished<'_> {
    /// Whether something is built beside the frames, which ends after its time.
    pub fn builds(&self) -> bool {
        self.hierarchies.as_ref().is_some_and(|hierarchies| hierarchies.is_building())
            || self.outlines.as_ref().is_some_and(|outlines| outlines.is_building())
            || self.index.is_building()
    }

    /// Whether anything is unfinished.
    pub fn any(&self) -> bool {
        self.builds() || self.pipelines.0.load(Ordering::Relaxed) > 0
    }
}
