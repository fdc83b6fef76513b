//! Half-spaces against anything bounded: one direction, its plane's normal, certifies everything.
//!
//! A half-space meets a solid exactly when it meets the solid's convex hull, so that a mesh enters by the extreme
//! vertices of its tree.

use std::fmt::Debug;

use crate::bounds::IndexedMesh;
use crate::bounds::tree::NodeKind;
use crate::geometry::feature::Feature;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// The convex hull of a mesh, by its extreme vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshHull<'m>(pub &'m IndexedMesh);

impl MeshHull<'_> {
    /// The vertex with the greatest `value`, where `bound` is never below the value of any point of a box; of equals the
    /// lowest number. O(log n) for values that tell places apart.
    fn greatest(&self, value: impl Fn(&Point) -> Real, bound: impl Fn(&Aabb) -> Real) -> (Real, u32) {
        let (mesh, tree) = (self.0.mesh(), self.0.tree());
        let mut best = (Real::NEG_INFINITY, 0);
        let mut stack = vec![(0_u32, Real::INFINITY)];
        while let Some((node, most)) = stack.pop() {
            if most < best.0 || tree.node_count() == 0 {
                continue;
            }
            match tree.node(node).kind {
                NodeKind::Inner { left, right } => {
                    let mut children = [left, right].map(|n| (n, bound(&tree.node(n).aabb)));
                    if children[0].1 > children[1].1 {
                        children.swap(0, 1);
                    }
                    stack.extend(children);
                }
                NodeKind::Leaf { first, count } => {
                    for &face in tree.items(first, count) {
                        for &vertex in &mesh.triangles()[face as usize] {
                            let value = value(&mesh.vertices()[vertex as usize]);
                            if value > best.0 || value == best.0 && vertex < best.1 {
                                best = (value, vertex);
                            }
                        }
                    }
                }
            }
        }
        best
    }
}

impl SupportMap for MeshHull<'_> {
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let steep = direction.abs();
        let (_, vertex) = self.greatest(
            |p| direction.dot(&p.coords),
            |aabb| direction.dot(&aabb.centre().coords) + steep.dot(&aabb.half_extents()),
        );
        SupportPoint { point: self.0.mesh().vertices()[vertex as usize], vertex }
    }

    fn interior_point(&self) -> Point {
        self.0.aabb().centre()
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        Feature::Vertex(vertices.first().copied().unwrap_or(0))
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        let distance = |p: &Point| (p - centre).cross(axis).norm();
        // Rounded up: the search prunes by it.
        let bound = |aabb: &Aabb| (distance(&aabb.centre()) + aabb.half_extents().norm()) * (1.0 + 8.0 * Real::EPSILON);
        self.greatest(distance, bound).0.max(0.0)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        let support = self.support(direction, 0);
        polygon.push(support.point);
        Feature::Vertex(support.vertex)
    }
}
