//! The solid that a mesh to draw stands for.

use std::collections::HashMap;

use bevy::prelude::{Mesh, Transform};
use ccd_core::geometry::mesh::{Topology, TriMesh};
use ccd_core::math::Point;

use super::ColliderError;
use super::mesh::triangles_of_all;

/// Vertices that differ by no more than this share of the mesh's largest coordinate may be the same: a circle's last vertex is worked out at
/// the `f32` next to 2π, a step and a half of the last bit away from the first, and its coordinates are rounded again.
const ROUNDING: f64 = 8.0 * f32::EPSILON as f64;

/// The mesh of Bevy meshes, each at its place, with vertices in the same place made one; those in nearly the same place too where this closes
/// it and nothing less does.
pub(super) fn closed_mesh_of<'m>(
    meshes: impl IntoIterator<Item = (Transform, &'m Mesh)>,
) -> Result<TriMesh, ColliderError> {
    let (vertices, triangles) = triangles_of_all(meshes)?;
    let exact = TriMesh::compacted(&vertices, &triangles);
    if exact.as_ref().is_ok_and(is_closed) {
        return Ok(exact?);
    }
    if !vertices.iter().all(|p| p.iter().all(|x| x.is_finite())) {
        return Ok(exact?);
    }
    let first = first_near(&vertices);
    let welded: Vec<[u32; 3]> = triangles
        .iter()
        .map(|corners| corners.map(|v| first[v as usize]))
        .filter(|[a, b, c]| a != b && b != c && a != c)
        .collect();
    match TriMesh::compacted(&vertices, &welded) {
        Ok(welded) if is_closed(&welded) => Ok(welded),
        _ => Ok(exact?),
    }
}

fn is_closed(mesh: &TriMesh) -> bool {
    Topology::of(mesh).is_closed()
}

/// For each vertex (all finite) the first that is the same but for rounding. O(n).
fn first_near(vertices: &[Point]) -> Vec<u32> {
    let size = vertices.iter().map(|p| p.coords.amax()).fold(0.0, f64::max);
    let reach = ROUNDING * size;
    // Cells as wide as the reach, so that what is within reach is in the cell or in one beside it. Looked up by key alone; the order of
    // the map is never seen.
    let cell_of = |p: &Point| [p.x, p.y, p.z].map(|x| (x / reach).floor() as i64);
    let mut firsts: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(vertices.len());
    let mut first = Vec::with_capacity(vertices.len());
    for (v, p) in vertices.iter().enumerate() {
        let [x, y, z] = cell_of(p);
        let beside = (0..27).map(|k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1]);
        let near = beside
            .filter_map(|cell| firsts.get(&cell))
            .flatten()
            .copied()
            .filter(|&known| (vertices[known as usize] - p).norm() <= reach)
            .min();
        first.push(near.unwrap_or(v as u32));
        if near.is_none() {
            firsts.entry([x, y, z]).or_default().push(v as u32);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use std::f32::consts::PI;

    use bevy::asset::RenderAssetUsages;
    use bevy::mesh::PrimitiveTopology;
    use bevy::prelude::*;

    use super::*;

    fn one(mesh: &Mesh) -> TriMesh {
        closed_mesh_of([(Transform::IDENTITY, mesh)]).expect("a mesh")
    }

    fn volume_of(mesh: &Mesh) -> f32 {
        let mesh = one(mesh);
        assert!(is_closed(&mesh), "{} triangles with a gap", mesh.triangles().len());
        mesh.signed_volume() as f32
    }

    fn assert_about(volume: f32, expected: f32) {
        assert!((volume / expected - 1.0).abs() < 0.05, "{volume} m³ and not {expected}");
    }

    #[test]
    fn the_engines_round_meshes_are_solids_at_any_size_and_place() {
        for size in [1e-3, 1.0, 777.7] {
            let by = |volume: f32| volume * size * size * size;
            for at in [Vec3::ZERO, Vec3::new(3.0, -5.0, 7.0) * size] {
                let at = |mesh: Mesh| mesh.translated_by(at);
                let torus = Torus { minor_radius: 0.3 * size, major_radius: size };
                assert_about(volume_of(&at(torus.into())), by(2.0 * PI * PI * 0.09));
                assert_about(volume_of(&at(Cylinder::new(size, 2.0 * size).into())), by(2.0 * PI));
                assert_about(volume_of(&at(Cone::new(size, 3.0 * size).into())), by(PI));
                let frustum = ConicalFrustum { radius_top: 0.5 * size, radius_bottom: size, height: size };
                assert_about(volume_of(&at(frustum.into())), by(PI / 3.0 * 1.75));
                assert_about(volume_of(&at(Capsule3d::new(size, size).into())), by(PI + 4.0 / 3.0 * PI));
                assert_about(volume_of(&at(Sphere::new(size).mesh().uv(32, 18))), by(4.0 / 3.0 * PI));
                assert_about(volume_of(&at(Sphere::new(size).into())), by(4.0 / 3.0 * PI));
            }
        }
    }

    #[test]
    fn a_sheet_keeps_its_vertices() {
        // Two triangles a ten-thousandth of a millimetre apart: near each other, and still no solid.
        let corners: [[f32; 3]; 6] =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1e-7, 0.0], [1.0, 1.0, 0.0], [1e-7, 1.0, 0.0]];
        let sheet = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners.to_vec());
        assert_eq!(one(&sheet).vertices().len(), 6);
    }

    #[test]
    fn a_plane_stays_a_plane() {
        let plane = Mesh::from(Plane3d::default());
        let mesh = one(&plane);
        assert!(!is_closed(&mesh));
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (4, 2));
    }
}
