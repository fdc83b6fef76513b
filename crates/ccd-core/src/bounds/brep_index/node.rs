//! Nodes of the tree, and what is at its leaves.

use crate::geometry::mesh::Plane;

/// Which of a node's three subtrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Where the plane's normal points.
    Above,
    /// In the plane.
    On,
    /// Against the normal.
    Below,
}

impl Side {
    pub(super) const ALL: [Self; 3] = [Self::Above, Self::On, Self::Below];
}

/// A side of a node: the region of space, of a plane or of a line in which a subtree hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Branch {
    /// The node.
    pub node: u32,
    /// The side.
    pub side: Side,
}

/// A node, opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexNode {
    /// What divides the node's region.
    pub plane: Plane,
    /// Of that region: 3 for space, 2 for a plane, 1 for a line.
    pub dimension: u8,
    /// What is above, on and below the plane.
    pub children: [Subtree; 3],
}

/// What a region that no plane divides is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// Space inside the solid.
    Inside,
    /// Space outside the solid.
    Outside,
    /// A part of a face of the [`crate::geometry::mesh::Brep`].
    Face(u32),
    /// A part of an edge of the [`crate::geometry::mesh::Brep`].
    Edge(u32),
    /// A corner, by its mesh vertex.
    Vertex(u32),
    /// In a plane or on a line of the tree, but off the surface: which side of the surface it is on, the solid decides and
    /// not the face whose plane it is (erratum E15), so it is asked in the space above or below.
    Extension,
    /// Too thin, or too crowded, to be told by planes: points here are decided exactly, without the tree.
    Undecided,
}

/// A subtree: a node, or a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subtree {
    /// The node's number.
    Node(u32),
    /// What the region is.
    Leaf(Leaf),
}

/// A subtree in 32 bits: what it is in the upper three, its number in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed(u32);

const SHIFT: u32 = 29;
/// The largest number that fits.
pub(super) const MAX_NUMBER: usize = (1 << SHIFT) - 1;

impl Packed {
    pub(super) const UNDECIDED: Self = Self::leaf(Leaf::Undecided);

    pub(super) const fn node(number: u32) -> Self {
        Self(number)
    }

    pub(super) const fn leaf(leaf: Leaf) -> Self {
        let (kind, number) = match leaf {
            Leaf::Inside => (1, 0),
            Leaf::Outside => (2, 0),
            Leaf::Face(f) => (3, f),
            Leaf::Edge(e) => (4, e),
            Leaf::Vertex(v) => (5, v),
            Leaf::Extension => (6, 0),
            Leaf::Undecided => (7, 0),
        };
        Self(kind << SHIFT | number)
    }

    #[inline]
    pub(super) fn open(self) -> Subtree {
        let number = self.0 & MAX_NUMBER as u32;
        Subtree::Leaf(match self.0 >> SHIFT {
            0 => return Subtree::Node(number),
            1 => Leaf::Inside,
            2 => Leaf::Outside,
            3 => Leaf::Face(number),
            4 => Leaf::Edge(number),
            5 => Leaf::Vertex(number),
            6 => Leaf::Extension,
            _ => Leaf::Undecided,
        })
    }

    /// The node's number, if it is one.
    #[inline]
    pub(super) fn as_node(self) -> Option<u32> {
        (self.0 >> SHIFT == 0).then_some(self.0)
    }
}

/// A plane and what is above, on and below it. 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) plane: Plane,
    /// By [`Side`].
    pub(super) children: [Packed; 3],
    /// Of the region that the plane divides: 3 space, 2 a plane, 1 a line.
    pub(super) dimension: u8,
}

impl Node {
    pub(super) fn new(plane: Plane, dimension: u8) -> Self {
        Self { plane, children: [Packed::UNDECIDED; 3], dimension }
    }

    #[inline]
    pub(super) fn child(&self, side: Side) -> Packed {
        self.children[side as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subtree_survives_packing_in_four_bytes() {
        let last = MAX_NUMBER as u32;
        for leaf in [Leaf::Inside, Leaf::Outside, Leaf::Extension, Leaf::Undecided]
            .into_iter()
            .chain([0, 1, last].into_iter().flat_map(|i| [Leaf::Face(i), Leaf::Edge(i), Leaf::Vertex(i)]))
        {
            assert_eq!(Packed::leaf(leaf).open(), Subtree::Leaf(leaf));
            assert_eq!(Packed::leaf(leaf).as_node(), None);
        }
        for number in [0, 1, last] {
            assert_eq!(Packed::node(number).open(), Subtree::Node(number));
            assert_eq!(Packed::node(number).as_node(), Some(number));
        }
        assert_eq!(size_of::<Node>(), 48);
    }
}
