//! Trees of spheres over the surface of a mesh, level by level.
//!
//! **Problem.** Approximate a shape by few spheres, ever better level by level, so that a query can stop at any level and still
//! have a safe answer.
//! **Idea.** A node's sphere covers a part of the surface; its children cover that part with smaller spheres. Two builders:
//! by an octree, whose cells each get the smallest sphere around the surface in them, and by the medial axis, whose spheres
//! sit inside the solid and stick out of it the least.
//! **Guarantee.** Every level covers the whole surface: the surface is cut into pieces, each of which lies in a sphere of the level
//! because its corners do. The error of a level bounds how far its spheres stick out; along the medial axis it never grows
//! from level to level.
//! **Limits.** The surface is covered, not the inside: whoever is wholly inside a hollow between the spheres is not met. The
//! medial axis needs a closed solid.
//! **Source.** Closson, section 2.1.2; Hubbard (1996); Bradshaw and O'Sullivan (2002, 2004).

mod ball;
mod cover;
mod delaunay;
mod medial_axis;
mod octree;
mod reduce;
mod text;

pub use cover::Uncovered;
pub use text::TextError;

use super::NotSolid;
use crate::math::{Pose, Real};
use crate::volume::Sphere;

/// How large a tree of spheres is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SphereTreeOptions {
    /// The number of levels, the root among them: 1 to 8.
    pub levels: usize,
    /// The most children of a node: 2 to 64. An octree has eight whatever is said here.
    pub degree: usize,
}

impl Default for SphereTreeOptions {
    /// Four levels of degree eight: at most 1, 8, 64 and 512 spheres.
    fn default() -> Self {
        Self { levels: 4, degree: 8 }
    }
}

/// Why there is no tree of spheres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SphereTreeError {
    /// The medial axis is that of a solid.
    #[error("a medial axis needs a closed solid: {0}")]
    NotSolid(#[from] NotSolid),
    /// The size asked for is none.
    #[error("{what} is {value}, not {least} to {most}")]
    BadOption {
        /// Which.
        what: &'static str,
        /// As given.
        value: usize,
        /// The least.
        least: usize,
        /// The most.
        most: usize,
    },
}

impl SphereTreeOptions {
    fn validate(self) -> Result<(), SphereTreeError> {
        for (what, value, least, most) in [("levels", self.levels, 1, 8), ("degree", self.degree, 2, 64)] {
            if !(least..=most).contains(&value) {
                return Err(SphereTreeError::BadOption { what, value, least, most });
            }
        }
        Ok(())
    }
}

/// A node of a [`SphereTree`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereNode {
    /// A sphere around the node's part of the surface, in the frame of the mesh.
    pub sphere: Sphere,
    /// How far the sphere sticks out, metres: no point of it that is outside the solid (for an open surface, no point at all) is
    /// further from the surface. Infinite where it is not known, as in a tree from a file.
    pub error: Real,
    /// The number of its first child; children follow each other.
    pub first_child: u32,
    /// How many children it has; none for a leaf.
    pub child_count: u32,
}

/// A tree of spheres. See the module for what it promises.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereTree {
    /// Level by level.
    nodes: Vec<SphereNode>,
    /// Where each level starts, and where the last one ends.
    starts: Vec<u32>,
    degree: usize,
}

impl SphereTree {
    /// The most children that a node has room for.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// How many levels there are; at least one.
    pub fn level_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many nodes there are; the root is node 0.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Node `index`.
    ///
    /// # Panics
    /// When there is no such node.
    #[inline]
    pub fn node(&self, index: u32) -> &SphereNode {
        &self.nodes[index as usize]
    }

    /// The children of a node, by their numbers.
    ///
    /// # Panics
    /// When there is no such node.
    #[inline]
    pub fn children(&self, index: u32) -> std::ops::Range<u32> {
        let node = &self.nodes[index as usize];
        node.first_child..node.first_child + node.child_count
    }

    /// The nodes of level `level`: those at that depth, and the leaves above it, so that every level covers the surface.
    /// Level 0 is the root; beyond the last level are all leaves.
    pub fn level(&self, level: usize) -> Vec<u32> {
        let last = level.min(self.level_count() - 1);
        let end = self.starts[last + 1];
        (0..end).filter(|&i| i >= self.starts[last] || self.nodes[i as usize].child_count == 0).collect()
    }

    /// The spheres of level `level` placed by `pose`: what a debug view draws.
    pub fn level_in_world(&self, level: usize, pose: &Pose) -> Vec<Sphere> {
        let placed = |i: u32| {
            let sphere = self.node(i).sphere;
            Sphere { centre: pose * sphere.centre, radius: sphere.radius }
        };
        self.level(level).into_iter().map(placed).collect()
    }

    /// The error of level `level`, metres: the largest of its nodes' errors.
    pub fn level_error(&self, level: usize) -> Real {
        self.level(level).into_iter().map(|i| self.node(i).error).fold(0.0, Real::max)
    }

    /// The level of every node, by its number; 0 for the root.
    pub fn depths(&self) -> Vec<u32> {
        let lengths = self.starts.windows(2).map(|bounds| (bounds[1] - bounds[0]) as usize);
        (0_u32..).zip(lengths).flat_map(|(level, nodes)| std::iter::repeat_n(level, nodes)).collect()
    }

    /// The mean number of nodes on the way to a leaf.
    pub fn average_height(&self) -> Real {
        let (mut depths, mut leaves) = (0.0, 0.0);
        for (level, bounds) in self.starts.windows(2).enumerate() {
            let here = (bounds[0]..bounds[1]).filter(|&i| self.node(i).child_count == 0).count() as Real;
            depths += here * (level + 1) as Real;
            leaves += here;
        }
        depths / leaves
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.starts)
    }

    /// The tree of these levels, each a list of spheres with the place of their parent in the level before, in ascending order;
    /// the first level is the root alone.
    fn from_levels(levels: &[Vec<(Sphere, Real, u32)>], degree: usize) -> Self {
        let mut nodes: Vec<SphereNode> = Vec::new();
        let mut starts = vec![0];
        for (depth, level) in levels.iter().enumerate().filter(|(_, level)| !level.is_empty()) {
            let above = if depth == 0 { 0 } else { starts[depth - 1] };
            for &(sphere, error, parent) in level {
                let index = nodes.len() as u32;
                if depth > 0 {
                    let parent = &mut nodes[(above + parent) as usize];
                    if parent.child_count == 0 {
                        parent.first_child = index;
                    }
                    parent.child_count += 1;
                }
                nodes.push(SphereNode { sphere, error, first_child: 0, child_count: 0 });
            }
            starts.push(nodes.len() as u32);
        }
        Self { nodes, starts, degree }
    }
}
