//! What every scene stands on: light with shadows, a sky to reflect, and a ruled ground, all scaled to the scene.

mod ground;
mod sky;

use bevy::light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap};
use bevy::prelude::*;

pub use sky::Sky;

use crate::palette;

/// How large the scene at hand is, which everything on the stage is scaled to.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct StageExtent {
    /// The middle of what is to be seen, metres.
    pub centre: Vec3,
    /// The radius of what is to be seen, metres, positive.
    pub radius: f32,
    /// The height of the ground, metres; `None` where the scene brings its own.
    pub ground: Option<f32>,
}

impl Default for StageExtent {
    fn default() -> Self {
        Self { centre: Vec3::ZERO, radius: 5.0, ground: Some(0.0) }
    }
}

/// The light that throws the shadows.
#[derive(Component)]
struct Sun;

/// Sets the stage and keeps it scaled to [`StageExtent`].
pub struct StagePlugin;

impl Plugin for StagePlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(ground::GroundPlugin)
            .init_resource::<StageExtent>()
            .init_resource::<Sky>()
            .insert_resource(ClearColor(palette::SPACE))
            .insert_resource(DirectionalLightShadowMap { size: 2048 })
            .insert_resource(GlobalAmbientLight { brightness: 60.0, ..default() })
            .add_systems(Startup, light_the_stage)
            .add_systems(Update, fit_shadows.run_if(resource_exists_and_changed::<StageExtent>));
    }
}

fn light_the_stage(mut commands: Commands) {
    commands.spawn((
        Sun,
        DirectionalLight {
            illuminance: 9_000.0,
            color: Color::srgb(1.0, 0.965, 0.90),
            shadow_maps_enabled: true,
            ..default()
        },
        Transform::default().looking_to(Vec3::new(0.62, -0.66, -0.42), Vec3::Y),
    ));
    // Opens the shadow side, so that what lies in shade keeps its shape.
    commands.spawn((
        DirectionalLight {
            illuminance: 1_400.0,
            color: Color::srgb(0.70, 0.80, 1.0),
            shadow_maps_enabled: false,
            ..default()
        },
        Transform::default().looking_to(Vec3::new(-0.7, -0.25, -0.3), Vec3::Y),
    ));
    // What the ground throws back, so that undersides are seen for what they are.
    commands.spawn((
        DirectionalLight {
            illuminance: 1_100.0,
            color: Color::srgb(1.0, 0.95, 0.88),
            shadow_maps_enabled: false,
            ..default()
        },
        Transform::default().looking_to(Vec3::new(0.25, 0.93, -0.26), Vec3::Z),
    ));
}

/// The shadow cascades cover the scene and little more: their resolution is what makes an edge sharp.
fn fit_shadows(mut commands: Commands, extent: Res<StageExtent>, suns: Query<Entity, With<Sun>>) {
    for sun in &suns {
        commands.entity(sun).insert(
            CascadeShadowConfigBuilder {
                num_cascades: 3,
                minimum_distance: extent.radius * 0.02,
                first_cascade_far_bound: extent.radius * 2.5,
                maximum_distance: extent.radius * 12.0,
                overlap_proportion: 0.15,
            }
            .build(),
        );
    }
}
