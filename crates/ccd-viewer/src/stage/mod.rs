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

/// How far a surface is taken towards the light before it is asked whether it lies in shadow, as a share of the scene's radius: so far that no
/// surface throws shadows on itself, and no further, for what is smaller than this throws none.
const SHADOW_BIAS: f32 = 0.004;

/// The same in steps of the engine's numbers: far from the origin places are no finer than that, and nor are shadows.
const BIAS_STEPS: f32 = 3.0;

/// [`SHADOW_BIAS`] for a scene, metres.
fn shadow_bias(extent: &StageExtent) -> f32 {
    SHADOW_BIAS * extent.radius + BIAS_STEPS * f32::EPSILON * extent.centre.length()
}

/// The shadow cascades cover the scene and little more: their resolution is what makes an edge sharp.
fn fit_shadows(
    mut commands: Commands,
    extent: Res<StageExtent>,
    mut suns: Query<(Entity, &mut DirectionalLight), With<Sun>>,
) {
    for (sun, mut light) in &mut suns {
        light.shadow_depth_bias = shadow_bias(&extent);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_scenes_throw_shadows_and_those_far_away_none_on_themselves() {
        let extent = |radius: f32, away: f32| StageExtent { centre: Vec3::new(away, 0.0, away), radius, ground: None };
        for radius in [1e-3, 1.0, 1e3] {
            let bias = shadow_bias(&extent(radius, 0.0));
            assert!((1e-3..0.01).contains(&(bias / radius)), "{bias} m for {radius} m");
        }
        // A million metres away neighbouring numbers are 6 cm apart.
        let step = 1e6_f32.next_up() - 1e6;
        assert!(shadow_bias(&extent(1.0, 1e6)) > 4.0 * step);
    }
}
