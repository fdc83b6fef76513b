//! The sky that surfaces reflect: a soft gradient, computed once, so that no picture file is needed.

use bevy::asset::RenderAssetUsages;
use bevy::image::Image;
use bevy::light::EnvironmentMapLight;
use bevy::prelude::*;
use bevy::render::render_resource::{
    Extent3d, TextureDimension, TextureFormat, TextureViewDescriptor, TextureViewDimension,
};

/// Pixels along an edge of the reflected cube; the gradient is so soft that more would not show.
const EDGE: u32 = 32;
/// Halvings from [`EDGE`] down to one pixel, and the full size.
const LEVELS: u32 = EDGE.ilog2() + 1;

/// The reflected sky, for cameras.
#[derive(Resource)]
pub struct Sky {
    sharp: Handle<Image>,
    blurred: Handle<Image>,
}

impl FromWorld for Sky {
    fn from_world(world: &mut World) -> Self {
        let mut images = world.resource_mut::<Assets<Image>>();
        Self { sharp: images.add(cube_map(EDGE, LEVELS)), blurred: images.add(cube_map(1, 1)) }
    }
}

impl Sky {
    /// The light of the sky, to put on a camera.
    pub fn light(&self) -> EnvironmentMapLight {
        EnvironmentMapLight {
            diffuse_map: self.blurred.clone(),
            specular_map: self.sharp.clone(),
            intensity: 620.0,
            ..default()
        }
    }
}

/// The six faces of the sky in the order +x, -x, +y, -y, +z, -z, each with its halvings.
fn cube_map(edge: u32, levels: u32) -> Image {
    let mut texels = Vec::new();
    for face in 0..6 {
        for level in 0..levels {
            let side = edge >> level;
            for row in 0..side {
                for column in 0..side {
                    let across = |i: u32| (i as f32 + 0.5) / side as f32 * 2.0 - 1.0;
                    let colour = radiance(texel_direction(face, across(column), across(row)));
                    texels.extend(colour.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8));
                    texels.push(255);
                }
            }
        }
    }
    let mut image = Image::new_uninit(
        Extent3d { width: edge, height: edge, depth_or_array_layers: 6 },
        TextureDimension::D2,
        TextureFormat::Rgba8Unorm,
        RenderAssetUsages::RENDER_WORLD,
    );
    image.data = Some(texels);
    image.texture_descriptor.mip_level_count = levels;
    image.texture_view_descriptor =
        Some(TextureViewDescriptor { dimension: Some(TextureViewDimension::Cube), ..default() });
    image
}

/// Where the texel at `u`, `v` (−1 to 1, right and down) of a face looks.
fn texel_direction(face: u32, u: f32, v: f32) -> Vec3 {
    match face {
        0 => Vec3::new(1.0, -v, -u),
        1 => Vec3::new(-1.0, -v, u),
        2 => Vec3::new(u, 1.0, v),
        3 => Vec3::new(u, -1.0, -v),
        4 => Vec3::new(u, -v, 1.0),
        _ => Vec3::new(-u, -v, -1.0),
    }
    .normalize()
}

/// How bright the sky is in a direction, linear red, green and blue: a cool zenith, a bright band above the horizon as
/// of large windows, a dark floor.
fn radiance(direction: Vec3) -> [f32; 3] {
    let height = direction.y;
    let smooth = |from: f32, to: f32, x: f32| {
        let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    let floor = Vec3::new(0.07, 0.075, 0.085);
    let band = Vec3::new(0.62, 0.66, 0.72);
    let zenith = Vec3::new(0.36, 0.42, 0.52);
    // A brighter side, so that round things read as round.
    let window = 1.0 + 0.55 * smooth(0.2, 0.95, direction.dot(Vec3::new(0.55, 0.55, 0.63).normalize()));
    let sky = band.lerp(zenith, smooth(0.15, 0.9, height)) * window;
    floor.lerp(sky, smooth(-0.25, 0.25, height)).to_array()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sky_is_brighter_than_the_floor_and_the_maps_have_all_their_texels() {
        assert!(radiance(Vec3::Y)[1] > 3.0 * radiance(Vec3::NEG_Y)[1]);
        let texels: u32 = (0..LEVELS).map(|level| (EDGE >> level) * (EDGE >> level)).sum();
        assert_eq!(cube_map(EDGE, LEVELS).data.unwrap().len() as u32, texels * 6 * 4);
    }

    #[test]
    fn each_face_of_the_cube_looks_along_its_axis() {
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        for (face, axis) in axes.into_iter().enumerate() {
            assert_eq!(texel_direction(face as u32, 0.0, 0.0), axis);
        }
    }
}
