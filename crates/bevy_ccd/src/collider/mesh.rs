//! Triangles out of Bevy's meshes.

use std::collections::HashMap;

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, MeshAccessError, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::Point;

use crate::convert::{from_point, to_point};

/// Why a Bevy mesh has no triangles to give.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshSourceError {
    /// Neither triangle list nor triangle strip.
    #[error("a mesh of {0:?} has no triangles")]
    Topology(PrimitiveTopology),
    /// There are no positions, or they are only in the render world.
    #[error("the mesh's positions cannot be read: {0}")]
    Unreadable(String),
    /// Positions that are not three `f32`.
    #[error("the mesh's positions are not three 32-bit floats")]
    Format,
    /// An index without a vertex.
    #[error("index {index} of the mesh names vertex {vertex} of {count}")]
    IndexOutOfRange {
        /// Which index.
        index: usize,
        /// What it says.
        vertex: usize,
        /// How many vertices there are.
        count: usize,
    },
    /// A triangle list with a rest.
    #[error("{0} indices make no whole number of triangles")]
    Incomplete(usize),
}

impl From<MeshAccessError> for MeshSourceError {
    fn from(error: MeshAccessError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// The positions of a Bevy mesh.
pub(super) fn positions_of(mesh: &Mesh) -> Result<Vec<Vec3>, MeshSourceError> {
    match mesh.try_attribute(Mesh::ATTRIBUTE_POSITION)? {
        VertexAttributeValues::Float32x3(positions) => Ok(positions.iter().map(|p| Vec3::from(*p)).collect()),
        _ => Err(MeshSourceError::Format),
    }
}

/// The triangles of a Bevy mesh (list or strip, with or without indices of either width), with vertices in the same place
/// made one, and without triangles that repeat a vertex. Vertices keep the order in which they first occur.
///
/// # Errors
/// [`MeshSourceError`] where the mesh has no triangles to give. Linear time.
pub fn triangles_of(mesh: &Mesh) -> Result<(Vec<Point>, Vec<[u32; 3]>), MeshSourceError> {
    triangles_of_all([(Transform::IDENTITY, mesh)])
}

/// The same of several, each at its place.
pub(super) fn triangles_of_all<'m>(
    meshes: impl IntoIterator<Item = (Transform, &'m Mesh)>,
) -> Result<(Vec<Point>, Vec<[u32; 3]>), MeshSourceError> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut known: HashMap<[u32; 3], u32> = HashMap::new();
    for (place, mesh) in meshes {
        let (positions, triples) = corners_of(mesh)?;
        // Looked up by key alone; the order of the map is never seen.
        let places: Vec<u32> = positions
            .iter()
            .map(|p| {
                let at = if place == Transform::IDENTITY { *p } else { place.transform_point(*p) };
                // Adding zero makes the two zeros one.
                let key = (at + Vec3::ZERO).to_array().map(f32::to_bits);
                *known.entry(key).or_insert_with(|| {
                    vertices.push(to_point(at));
                    (vertices.len() - 1) as u32
                })
            })
            .collect();
        // What is mirrored has its outside on the other side.
        let is_mirrored = place.scale.x * place.scale.y * place.scale.z < 0.0;
        let turned = |[a, b, c]: [usize; 3]| if is_mirrored { [b, a, c] } else { [a, b, c] };
        let distinct = |[a, b, c]: &[u32; 3]| a != b && b != c && a != c;
        triangles.extend(triples.into_iter().map(|t| turned(t).map(|corner| places[corner])).filter(distinct));
    }
    Ok((vertices, triangles))
}

/// The positions of a Bevy mesh, and its triangles as numbers of these.
fn corners_of(mesh: &Mesh) -> Result<(Vec<Vec3>, Vec<[usize; 3]>), MeshSourceError> {
    let topology = mesh.primitive_topology();
    let positions = positions_of(mesh)?;
    let corners: Vec<usize> = match mesh.try_indices_option()? {
        Some(Indices::U16(indices)) => indices.iter().map(|&i| usize::from(i)).collect(),
        Some(Indices::U32(indices)) => indices.iter().map(|&i| i as usize).collect(),
        None => (0..positions.len()).collect(),
    };
    if let Some((index, &vertex)) = corners.iter().enumerate().find(|(_, vertex)| **vertex >= positions.len()) {
        return Err(MeshSourceError::IndexOutOfRange { index, vertex, count: positions.len() });
    }
    let triples = match topology {
        PrimitiveTopology::TriangleList if !corners.len().is_multiple_of(3) => {
            return Err(MeshSourceError::Incomplete(corners.len()));
        }
        PrimitiveTopology::TriangleList => corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
        // Every other triangle of a strip turns the other way.
        PrimitiveTopology::TriangleStrip => corners
            .windows(3)
            .enumerate()
            .map(|(i, c)| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] })
            .collect(),
        _ => return Err(MeshSourceError::Topology(topology)),
    };
    Ok((positions, triples))
}

/// A mesh of the core as one to draw, each triangle flat.
///
/// The inverse of [`triangles_of`], up to rounding to `f32`.
pub fn mesh_of(mesh: &TriMesh) -> Mesh {
    let corners: Vec<[f32; 3]> = (mesh.triangles().iter().flatten())
        .map(|&vertex| from_point(&mesh.vertices()[vertex as usize]).to_array())
        .collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
        .with_computed_flat_normals()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(topology: PrimitiveTopology) -> Mesh {
        let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0_f32]];
        Mesh::new(topology, RenderAssetUsages::default()).with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
    }

    #[test]
    fn both_index_widths_give_the_same_triangles() {
        let short = square(PrimitiveTopology::TriangleList).with_inserted_indices(Indices::U16(vec![0, 1, 2, 2, 1, 3]));
        let long = square(PrimitiveTopology::TriangleList).with_inserted_indices(Indices::U32(vec![0, 1, 2, 2, 1, 3]));
        let (_, triangles) = triangles_of(&short).expect("triangles");
        assert_eq!(triangles, [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(triangles_of(&long).expect("triangles").1, triangles);
    }

    #[test]
    fn a_strip_without_indices_keeps_one_side_outside() {
        let (vertices, triangles) = triangles_of(&square(PrimitiveTopology::TriangleStrip)).expect("triangles");
        for [a, b, c] in triangles {
            let [a, b, c] = [a, b, c].map(|v| vertices[v as usize]);
            assert!((b - a).cross(&(c - a)).z > 0.0);
        }
    }

    #[test]
    fn a_bevy_cube_becomes_eight_vertices_and_twelve_triangles() {
        let (vertices, triangles) = triangles_of(&Mesh::from(Cuboid::default())).expect("triangles");
        assert_eq!((vertices.len(), triangles.len()), (8, 12));
    }

    #[test]
    fn an_index_beyond_the_vertices_is_named() {
        let mesh = square(PrimitiveTopology::TriangleList).with_inserted_indices(Indices::U32(vec![0, 1, 9]));
        assert_eq!(triangles_of(&mesh), Err(MeshSourceError::IndexOutOfRange { index: 2, vertex: 9, count: 4 }));
    }

    #[test]
    fn lines_are_no_triangles() {
        let mesh = square(PrimitiveTopology::LineList);
        assert_eq!(triangles_of(&mesh), Err(MeshSourceError::Topology(PrimitiveTopology::LineList)));
    }

    #[test]
    fn a_list_with_a_rest_is_refused() {
        assert_eq!(triangles_of(&square(PrimitiveTopology::TriangleList)), Err(MeshSourceError::Incomplete(4)));
    }

    #[test]
    fn a_mesh_that_is_drawn_comes_back_as_it_was() {
        let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point::from).to_vec();
        let mesh = TriMesh::try_new(vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("a mesh");
        let (vertices, triangles) = triangles_of(&mesh_of(&mesh)).expect("triangles");
        let back = TriMesh::try_new(vertices, triangles).expect("a mesh");
        assert_eq!((back.vertices().len(), back.triangles().len()), (4, 4));
        assert_eq!(back.signed_volume(), mesh.signed_volume());
    }
}
