//! The size of an index: what the paper's Table 1 tells.

use super::BrepIndex;
use super::node::{Leaf, Side, Subtree};

/// Nodes, heights and leaves of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IndexShape {
    /// Inner nodes of space, of planes, and of lines.
    pub nodes: [usize; 3],
    /// Inner nodes on the longest way down.
    pub height: usize,
    /// Inner nodes on the way to a leaf, averaged over all leaves.
    pub average_height: f64,
    /// Leaves that planes cannot tell.
    pub undecided: usize,
    /// Leaves of all kinds.
    pub leaves: usize,
}

impl IndexShape {
    /// All inner nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.iter().sum()
    }
}

impl BrepIndex {
    /// Counts the nodes and leaves. Linear time.
    pub fn shape(&self) -> IndexShape {
        let mut shape = IndexShape::default();
        let mut depths = 0;
        let mut open = vec![(self.root.open(), 0_usize)];
        while let Some((subtree, depth)) = open.pop() {
            match subtree {
                Subtree::Node(node) => {
                    let node = &self.nodes[node as usize];
                    shape.nodes[3 - usize::from(node.dimension.clamp(1, 3))] += 1;
                    open.extend(Side::ALL.map(|side| (node.child(side).open(), depth + 1)));
                }
                Subtree::Leaf(leaf) => {
                    shape.leaves += 1;
                    shape.height = shape.height.max(depth);
                    shape.undecided += usize::from(leaf == Leaf::Undecided);
                    depths += depth;
                }
            }
        }
        shape.average_height = depths as f64 / shape.leaves.max(1) as f64;
        shape
    }
}
