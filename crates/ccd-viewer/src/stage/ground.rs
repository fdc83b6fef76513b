//! The ruled ground: receives shadows, shows scale, hides nothing (it is no body): from below it is not there.

use bevy::asset::embedded_asset;
use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, Face};
use bevy::shader::ShaderRef;

use super::StageExtent;
use crate::palette;

/// The ground's entity.
#[derive(Component)]
pub struct Ground;

/// The rules on the ground; the layout of `grid.wgsl`.
#[derive(Asset, AsBindGroup, Reflect, Debug, Clone, Default)]
struct Ruling {
    #[uniform(100)]
    space: LinearRgba,
    #[uniform(100)]
    line: LinearRgba,
    #[uniform(100)]
    middle: Vec4,
    #[uniform(100)]
    lengths: Vec4,
}

impl MaterialExtension for Ruling {
    fn fragment_shader() -> ShaderRef {
        "embedded://ccd_viewer/stage/grid.wgsl".into()
    }
}

type RuledMaterial = ExtendedMaterial<StandardMaterial, Ruling>;

pub(super) struct GroundPlugin;

impl Plugin for GroundPlugin {
    fn build(&self, app: &mut App) {
        embedded_asset!(app, "grid.wgsl");
        app.add_plugins(MaterialPlugin::<RuledMaterial>::default())
            .add_systems(Startup, lay_ground)
            .add_systems(Update, fit_ground.run_if(resource_exists_and_changed::<StageExtent>));
    }
}

fn lay_ground(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut materials: ResMut<Assets<RuledMaterial>>) {
    commands.spawn((
        Ground,
        Mesh3d(meshes.add(Plane3d::new(Vec3::Y, Vec2::ONE))),
        MeshMaterial3d(materials.add(ExtendedMaterial {
            base: StandardMaterial {
                base_color: palette::GROUND,
                perceptual_roughness: 0.95,
                reflectance: 0.15,
                // Who looks from below wants to see what lies on it.
                cull_mode: Some(Face::Back),
                ..default()
            },
            extension: Ruling::default(),
        })),
        Pickable::IGNORE,
    ));
}

/// The distance between two lines on a ground for a scene of this radius: the power of ten that puts five to fifty of
/// them under it.
fn spacing(radius: f32) -> f32 {
    10f32.powf((radius / 5.0).log10().floor())
}

fn fit_ground(
    extent: Res<StageExtent>,
    mut materials: ResMut<Assets<RuledMaterial>>,
    mut grounds: Query<(&mut Transform, &mut Visibility, &MeshMaterial3d<RuledMaterial>), With<Ground>>,
) {
    for (mut transform, mut visibility, material) in &mut grounds {
        let height = extent.ground.unwrap_or_default();
        *visibility = if extent.ground.is_some() { Visibility::Inherited } else { Visibility::Hidden };
        let (reach, spacing) = (extent.radius * 14.0, spacing(extent.radius));
        *transform = Transform::from_xyz(extent.centre.x, height, extent.centre.z).with_scale(Vec3::splat(reach));
        if let Some(mut material) = materials.get_mut(&material.0) {
            material.extension = Ruling {
                space: palette::SPACE.to_linear(),
                line: LinearRgba::rgb(0.17, 0.20, 0.25),
                middle: (extent.centre % (10.0 * spacing)).extend(0.0),
                lengths: Vec4::new(spacing, extent.radius * 3.0, reach * 0.9, reach),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_under_a_scene_stay_few_at_every_scale() {
        for exponent in -40..40 {
            let radius = 10f32.powf(exponent as f32 / 10.0);
            let lines = 2.0 * radius / spacing(radius);
            assert!((9.9..=101.0).contains(&lines), "{radius} m: {lines}");
        }
    }
}
