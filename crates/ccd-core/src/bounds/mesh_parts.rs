//! The parts that a mesh falls into.

use std::collections::{BTreeSet, HashMap};

use crate::geometry::mesh::TriMesh;
use crate::math::{DisjointSets, Point};

/// A vertex of each part, where triangles with a corner in one place hang together, whether they share a vertex or not. Linear time.
pub(super) fn part_places(mesh: &TriMesh) -> Box<[Point]> {
    // Adding zero turns -0.0 into 0.0.
    let key = |v: u32| mesh.vertices()[v as usize].coords.map(|x| (x + 0.0).to_bits());
    let mut first_at = HashMap::with_capacity(mesh.vertices().len());
    let mut sets = DisjointSets::new(mesh.vertices().len());
    for &[u, v, w] in mesh.triangles() {
        for vertex in [u, v, w] {
            sets.join(*first_at.entry(key(vertex)).or_insert(vertex), vertex);
        }
        sets.join(u, v);
        sets.join(v, w);
    }
    let of_triangles = mesh.triangles().iter().flatten().map(|&v| sets.find(v)).collect::<BTreeSet<u32>>();
    of_triangles.into_iter().map(|v| mesh.vertices()[v as usize]).collect()
}
