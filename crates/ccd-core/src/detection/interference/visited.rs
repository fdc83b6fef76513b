//! Which nodes of two hierarchies a query visits: what a view shows of a pair, as Closson's figure 2 does.

use std::ops::ControlFlow;

use super::mesh_mesh::Side;
use super::spheres::{SphereBudget, find_watched};
use crate::bounds::Hierarchy;
use crate::bounds::tree::{VolumeTree, visit_pairs_watched};
use crate::math::{Pose, Real};

/// Two nodes that were tested against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestedPair {
    /// The node of A.
    pub node_a: u32,
    /// The node of B.
    pub node_b: u32,
    /// Whether their volumes come within the margin of each other, so that what is below is looked at.
    pub is_near: bool,
}

/// A node that was tested at least once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitedNode {
    /// Its number: [`Hierarchy::volume`] places it.
    pub node: u32,
    /// Its level, 0 for the root.
    pub level: u32,
    /// How often it was tested.
    pub tests: u32,
    /// Whether it was near to any node of the other side.
    pub is_near: bool,
}

/// The walk of a query over two hierarchies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairTrace {
    /// The tests, in order.
    pub tested: Vec<TestedPair>,
    /// The nodes of A that were tested, by number.
    pub nodes_a: Vec<VisitedNode>,
    /// The nodes of B that were tested, by number.
    pub nodes_b: Vec<VisitedNode>,
}

impl PairTrace {
    /// The nodes of one side that were tested, by number.
    pub fn nodes(&self, side: Side) -> &[VisitedNode] {
        match side {
            Side::A => &self.nodes_a,
            Side::B => &self.nodes_b,
        }
    }
}

/// The walk of the query that finds all leaves of two placed hierarchies within `margin` metres of each other: of boxes that of
/// [`super::find_mesh_interference`], of spheres that of [`super::find_sphere_interference`] without a budget, which knows no margin.
/// `None` for hierarchies of different kinds, which are never asked together. Poses must be finite.
pub fn trace_pair(a: &Hierarchy, pose_a: &Pose, b: &Hierarchy, pose_b: &Pose, margin: Real) -> Option<PairTrace> {
    let mut tested = Vec::new();
    let watch = |node_a, node_b, is_near| tested.push(TestedPair { node_a, node_b, is_near });
    let pose_b_in_a = pose_a.inv_mul(pose_b);
    match (a, b) {
        (Hierarchy::Aabb(one), Hierarchy::Aabb(other)) => walk(one, other, &pose_b_in_a, margin, watch),
        (Hierarchy::Obb(one), Hierarchy::Obb(other)) => walk(one, other, &pose_b_in_a, margin, watch),
        (Hierarchy::Kdop(one), Hierarchy::Kdop(other)) => walk(one, other, &pose_b_in_a, margin, watch),
        (Hierarchy::Spheres(one), Hierarchy::Spheres(other)) => {
            find_watched(one, pose_a, other, pose_b, SphereBudget::Level(usize::MAX), watch);
        }
        _ => return None,
    }
    let visited = |hierarchy: &Hierarchy, node_of: fn(&TestedPair) -> u32| -> Vec<VisitedNode> {
        let depths = hierarchy.depths();
        let mut nodes: Vec<VisitedNode> =
            (0_u32..).zip(depths).map(|(node, level)| VisitedNode { node, level, tests: 0, is_near: false }).collect();
        for pair in &tested {
            let node = &mut nodes[node_of(pair) as usize];
            node.tests += 1;
            node.is_near |= pair.is_near;
        }
        nodes.retain(|n| n.tests > 0);
        nodes
    };
    let (nodes_a, nodes_b) = (visited(a, |pair| pair.node_a), visited(b, |pair| pair.node_b));
    Some(PairTrace { tested, nodes_a, nodes_b })
}

fn walk<T: VolumeTree>(a: &T, b: &T, pose_b_in_a: &Pose, margin: Real, watch: impl FnMut(u32, u32, bool)) {
    // Without breaks the walk ends where the trees do.
    let _ = visit_pairs_watched(a, b, pose_b_in_a, margin, watch, |_, _| ControlFlow::Continue(()));
}
