//! Any hierarchy over a mesh, by its name: what a view, a panel or a report needs of it.

use super::IndexedMesh;
use super::sphere_tree::{SphereTree, SphereTreeError, SphereTreeOptions};
use super::tree::{AabbTree, KdopTree, ObbTree, VolumeTree};
use crate::math::{Pose, Real};
use crate::volume::{Obb, Sphere};

/// The kinds of hierarchies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HierarchyKind {
    /// Axis-aligned boxes (of the mesh's frame).
    AabbTree,
    /// Oriented boxes.
    ObbTree,
    /// Polytopes of 18 sides, drawn as the axis-aligned boxes around them.
    KdopTree,
    /// Spheres by an octree.
    SphereOctree,
    /// Spheres by the medial axis; for closed solids.
    SphereMedialAxis,
}

impl HierarchyKind {
    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::AabbTree, Self::ObbTree, Self::KdopTree, Self::SphereOctree, Self::SphereMedialAxis];

    /// What it is called in reports and panels.
    pub fn name(self) -> &'static str {
        match self {
            Self::AabbTree => "AABB tree",
            Self::ObbTree => "OBB tree",
            Self::KdopTree => "18-DOP tree",
            Self::SphereOctree => "sphere tree, octree",
            Self::SphereMedialAxis => "sphere tree, medial axis",
        }
    }
}

/// A hierarchy over a mesh.
#[derive(Clone, Debug, PartialEq)]
pub enum Hierarchy {
    /// Axis-aligned boxes.
    Aabb(AabbTree),
    /// Oriented boxes.
    Obb(ObbTree),
    /// Polytopes.
    Kdop(KdopTree),
    /// Spheres, by whichever builder.
    Spheres(SphereTree),
}

/// A node's volume in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LevelVolume {
    /// A box.
    Box(Obb),
    /// A sphere.
    Sphere(Sphere),
}

impl Hierarchy {
    /// The hierarchy of this kind over `mesh`; spheres in four levels of degree eight.
    ///
    /// # Errors
    /// [`SphereTreeError::NotSolid`] from the medial axis, naming the edge or the faces at fault.
    pub fn build(kind: HierarchyKind, mesh: &IndexedMesh) -> Result<Self, SphereTreeError> {
        Self::build_sized(kind, mesh, SphereTreeOptions::default())
    }

    /// [`Hierarchy::build`] with spheres in as many levels as one likes; trees of boxes end where their items do.
    ///
    /// # Errors
    /// As [`Hierarchy::build`], and [`SphereTreeError::BadOption`].
    pub fn build_sized(
        kind: HierarchyKind,
        mesh: &IndexedMesh,
        options: SphereTreeOptions,
    ) -> Result<Self, SphereTreeError> {
        Ok(match kind {
            HierarchyKind::AabbTree => Self::Aabb(AabbTree::build(mesh.mesh())),
            HierarchyKind::ObbTree => Self::Obb(ObbTree::build(mesh.mesh())),
            HierarchyKind::KdopTree => Self::Kdop(KdopTree::build(mesh.mesh())),
            HierarchyKind::SphereOctree => Self::Spheres(SphereTree::octree(mesh, options)?),
            HierarchyKind::SphereMedialAxis => Self::Spheres(SphereTree::medial_axis(mesh, options)?),
        })
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        match self {
            Self::Aabb(tree) => tree.node_count(),
            Self::Obb(tree) => tree.node_count(),
            Self::Kdop(tree) => tree.node_count(),
            Self::Spheres(tree) => tree.node_count(),
        }
    }

    /// How many levels there are.
    pub fn level_count(&self) -> usize {
        match self {
            Self::Aabb(tree) => tree.height(),
            Self::Obb(tree) => tree.height(),
            Self::Kdop(tree) => tree.height(),
            Self::Spheres(tree) => tree.level_count(),
        }
    }

    /// The mean number of nodes on the way to an item; of spheres, to a leaf.
    pub fn average_height(&self) -> Real {
        match self {
            Self::Aabb(tree) => tree.average_height(),
            Self::Obb(tree) => tree.average_height(),
            Self::Kdop(tree) => tree.average_height(),
            Self::Spheres(tree) => tree.average_height(),
        }
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        match self {
            Self::Aabb(tree) => tree.size_bytes(),
            Self::Obb(tree) => tree.size_bytes(),
            Self::Kdop(tree) => tree.size_bytes(),
            Self::Spheres(tree) => tree.size_bytes(),
        }
    }

    /// How many nodes level `level` has.
    pub fn level_nodes(&self, level: usize) -> usize {
        match self {
            Self::Aabb(tree) => tree.level(level).len(),
            Self::Obb(tree) => tree.level(level).len(),
            Self::Kdop(tree) => tree.level(level).len(),
            Self::Spheres(tree) => tree.level(level).len(),
        }
    }

    /// The volumes of level `level`, the mesh standing at `pose`: the nodes at that depth and the leaves above it, which together
    /// cover the whole mesh. Level 0 is the root; beyond the last level are all leaves.
    pub fn level(&self, level: usize, pose: &Pose) -> Vec<LevelVolume> {
        let boxes = |boxes: Vec<Obb>| boxes.into_iter().map(LevelVolume::Box).collect();
        match self {
            Self::Aabb(tree) => boxes(tree.level_in_world(level, pose)),
            Self::Obb(tree) => boxes(tree.level_in_world(level, pose)),
            Self::Kdop(tree) => boxes(tree.level_in_world(level, pose)),
            Self::Spheres(tree) => tree.level_in_world(level, pose).into_iter().map(LevelVolume::Sphere).collect(),
        }
    }

    /// The volume of one node, the mesh standing at `pose`.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn volume(&self, node: u32, pose: &Pose) -> LevelVolume {
        match self {
            Self::Aabb(tree) => LevelVolume::Box(tree.obb(node).transformed(pose)),
            Self::Obb(tree) => LevelVolume::Box(tree.obb(node).transformed(pose)),
            Self::Kdop(tree) => LevelVolume::Box(tree.obb(node).transformed(pose)),
            Self::Spheres(tree) => {
                let Sphere { centre, radius } = tree.node(node).sphere;
                LevelVolume::Sphere(Sphere { centre: pose * centre, radius })
            }
        }
    }

    /// The level of every node, by its number; 0 for the root.
    pub fn depths(&self) -> Vec<u32> {
        match self {
            Self::Aabb(tree) => tree.depths(),
            Self::Obb(tree) => tree.depths(),
            Self::Kdop(tree) => tree.depths(),
            Self::Spheres(tree) => tree.depths(),
        }
    }

    /// How far the spheres of a level stick out of the mesh at most, metres; `None` for boxes, whose purpose is not to resemble it.
    pub fn level_error(&self, level: usize) -> Option<Real> {
        match self {
            Self::Spheres(tree) => Some(tree.level_error(level)),
            _ => None,
        }
    }
}
