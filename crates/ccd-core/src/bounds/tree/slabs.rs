//! A slab across each node of a tree over triangles.
//!
//! **Problem.** The boxes of a tree lie along the axes. Where a surface does not, they are as thick as its triangles are wide, and
//! two surfaces have to be much further apart than that before their boxes are.
//! **Idea.** Beside the box, keep how far the node's triangles reach along the mean of their normals: two numbers and a
//! direction, which make a node of a smooth surface as thin as an oriented box would be. What a node reaches along any
//! direction n is bounded by the box along n − λd and the slab along λd, for every λ.
//! **Guarantee.** All triangles of a node are between its slab's planes: rounded outwards to `f32`.
//! **Limits.** 12 bytes a node; nodes that are no thinner along their normals than their boxes are have none.
//! **Source.** Gottschalk, Lin and Manocha (1996) for why thin volumes pay between near surfaces; Klosowski and others
//! (1998) for slabs.

use super::{AabbTree, NodeKind};
use crate::geometry::mesh::TriMesh;
use crate::math::{Real, Vector};

/// The slabs of all nodes of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSlabs {
    slabs: Vec<Packed>,
}

/// Two planes with the points between them: `low ≤ direction · r ≤ high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slab {
    /// Across the planes, of any length but zero.
    pub direction: Vector,
    /// The least of `direction · r`.
    pub low: Real,
    /// The greatest of `direction · r`.
    pub high: Real,
}

/// The direction is one along an axis and two slopes from it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Packed {
    /// The first slope in steps of 1/8191, and below it, in two bits, the axis; 3 for no slab.
    first: i16,
    /// The second slope, in steps of 1/32767.
    second: i16,
    low: f32,
    high: f32,
}

/// A slab is kept where it is thinner than this share of the box along it.
const THINNER: Real = 0.7;

impl NodeSlabs {
    /// The slabs of `tree`, which is over the triangles of `mesh`. O(n log n).
    pub fn of(mesh: &TriMesh, tree: &AabbTree) -> Self {
        let count = tree.node_count() as u32;
        let order = tree.order();
        let ranges = tree.ranges();
        // Sums of the normals; children stand behind their parents.
        let mut normals = vec![Vector::zeros(); count as usize];
        for node in (0..count).rev() {
            let k = node as usize;
            match tree.node(node).kind {
                NodeKind::Inner { left, right } => normals[k] = normals[left as usize] + normals[right as usize],
                NodeKind::Leaf { first, count } => {
                    for &face in tree.items(first, count) {
                        let [a, b, c] = mesh.triangle(face as usize);
                        normals[k] += (b - a).cross(&(c - a));
                    }
                }
            }
        }
        let slab = |node: u32| {
            let k = node as usize;
            let Some((first, second)) = Packed::slopes(&normals[k]) else { return Packed::NONE };
            let direction = Packed { first, second, ..Packed::NONE }.direction();
            let (mut low, mut high) = (Real::INFINITY, Real::NEG_INFINITY);
            for &face in &order[ranges[k].clone()] {
                for corner in mesh.triangle(face as usize) {
                    let along = direction.dot(&corner.coords);
                    (low, high) = (low.min(along), high.max(along));
                }
            }
            let box_width = 2.0 * direction.abs().dot(&tree.node(node).aabb.half_extents());
            let packed = Packed { first, second, low: below(low), high: -below(-high) };
            let is_thin = Real::from(packed.high) - Real::from(packed.low) < THINNER * box_width;
            if is_thin { packed } else { Packed::NONE }
        };
        Self { slabs: (0..count).map(slab).collect() }
    }

    /// The slab of node `index`, where it has one.
    ///
    /// # Panics
    /// When there is no such node.
    #[inline]
    pub fn slab(&self, index: u32) -> Option<Slab> {
        let packed = &self.slabs[index as usize];
        (packed.first & 3 != 3).then(|| Slab {
            direction: packed.direction(),
            low: packed.low.into(),
            high: packed.high.into(),
        })
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        size_of_val(&*self.slabs)
    }
}

impl Packed {
    const NONE: Self = Self { first: 3, second: 0, low: 0.0, high: 0.0 };

    /// The slopes of the nearest direction that can be told; `None` for no direction.
    fn slopes(normal: &Vector) -> Option<(i16, i16)> {
        let axis = normal.iamax();
        let most = normal[axis];
        if most == 0.0 || !most.is_finite() {
            return None;
        }
        let (u, v) = (normal[(axis + 1) % 3] / most, normal[(axis + 2) % 3] / most);
        let first = ((u * 8191.0).round() as i16) << 2 | axis as i16;
        Some((first, (v * 32767.0).round() as i16))
    }

    #[inline]
    fn direction(&self) -> Vector {
        let (u, v) = (Real::from(self.first >> 2) * (1.0 / 8191.0), Real::from(self.second) * (1.0 / 32767.0));
        match self.first & 3 {
            0 => Vector::new(1.0, u, v),
            1 => Vector::new(v, 1.0, u),
            _ => Vector::new(u, v, 1.0),
        }
    }
}

/// The greatest `f32` not above `x`.
fn below(x: Real) -> f32 {
    let near = x as f32;
    if Real::from(near) > x { near.next_down() } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Point;

    fn bowl(n: u32) -> TriMesh {
        let place = |i: u32| f64::from(i) / f64::from(n) * 2.0 - 1.0;
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for i in 0..=n {
            for j in 0..=n {
                let (x, y) = (place(i), place(j));
                vertices.push(Point::new(x, y, 0.7 * x + 0.3 * y + 0.2 * x * x + 0.1 * (5.0 * y).sin()));
                if i < n && j < n {
                    let k = i * (n + 1) + j;
                    triangles.extend([[k, k + 1, k + n + 1], [k + 1, k + n + 2, k + n + 1]]);
                }
            }
        }
        TriMesh::try_new(vertices, triangles).unwrap()
    }

    fn faces_below(tree: &AabbTree, node: u32) -> Vec<u32> {
        match tree.node(node).kind {
            NodeKind::Leaf { first, count } => tree.items(first, count).to_vec(),
            NodeKind::Inner { left, right } => {
                [left, right].iter().flat_map(|&child| faces_below(tree, child)).collect()
            }
        }
    }

    #[test]
    fn every_triangle_is_between_the_planes_of_every_node_above_it() {
        let mesh = bowl(12);
        let tree = AabbTree::build(&mesh);
        let slabs = NodeSlabs::of(&mesh, &tree);
        let mut kept = 0;
        for node in 0..tree.node_count() as u32 {
            let Some(slab) = slabs.slab(node) else { continue };
            kept += 1;
            for face in faces_below(&tree, node) {
                for corner in mesh.triangle(face as usize) {
                    let along = slab.direction.dot(&corner.coords);
                    assert!(slab.low <= along && along <= slab.high, "node {node}, face {face}: {slab:?}, {along}");
                }
            }
        }
        // An inclined surface is what slabs are for.
        assert!(2 * kept > tree.node_count(), "{kept} of {}", tree.node_count());
    }

    #[test]
    fn directions_survive_their_packing_to_a_twelve_thousandth() {
        for normal in [[1.0, 0.3, -0.9], [-0.2, 5.0, 4.9], [0.0, 0.0, -1e-9], [-7.0, 7.0, -7.0], [1e-300, 0.0, 2e-300]]
        {
            let normal = Vector::from(normal);
            let (first, second) = Packed::slopes(&normal).unwrap();
            let direction = Packed { first, second, ..Packed::NONE }.direction();
            let sine = direction.normalize().cross(&(normal / normal.amax()).normalize()).norm();
            assert!(sine < 1.0 / 12_000.0, "{normal:?} became {direction:?}");
        }
        assert_eq!(Packed::slopes(&Vector::zeros()), None);
        assert_eq!(Packed::slopes(&Vector::new(Real::NAN, 0.0, 0.0)), None);
    }
}
