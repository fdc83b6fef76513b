//! Building the tree: the face, edge and vertex phases of the paper's first step, with the leaves attached on the way.
//!
//! Planes have a thickness τ: what lies within τ of a plane is on it, in all three phases. Faces and edges are cut only
//! where they reach further than τ to both sides; so every piece is wholly kept, and a piece that sticks out of its region
//! does so within τ of the plane that bounds it there.

mod choose;
mod edges;
mod faces;
mod label;
mod vertices;

use std::ops::Range;

use super::node::{Leaf, MAX_NUMBER, Node, Packed, Side, Subtree};
use super::{BrepIndexError, BrepIndexOptions, Recipe};
use crate::bounds::IndexedMesh;
use crate::geometry::mesh::{Brep, Plane};
use crate::math::{Point, Real};

/// A convex part of a face.
#[derive(Clone, Debug)]
struct Fragment {
    face: u32,
    corners: Vec<Point>,
}

/// What a piece of a line in the tree belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// An edge of the solid.
    Edge(u32),
    /// A pseudo edge: where a plane, or the cut into convex pieces, divides a face.
    Seam(u32),
}

/// A part of an edge.
#[derive(Clone, Copy, Debug)]
struct Strip {
    source: Source,
    ends: [Point; 2],
}

/// Where a subtree hangs; `None` for the root.
type Place = Option<(u32, Side)>;

/// The tree as it grows.
struct Builder<'m> {
    mesh: &'m IndexedMesh,
    brep: &'m Brep,
    recipe: Recipe,
    /// τ, metres: half the thickness of planes.
    thickness: Real,
    root: Packed,
    nodes: Vec<Node>,
    parents: Vec<Place>,
    /// The parts of faces in the plane of each node of space.
    on_faces: Vec<Fragment>,
    face_ranges: Vec<Range<usize>>,
    /// The parts of edges on the line of each node of a plane, counted from the first such node.
    on_lines: Vec<Strip>,
    line_ranges: Vec<Range<usize>>,
    seams: Vec<Strip>,
}

/// The nodes and the root of the tree over `brep`, which is that of `mesh`.
pub(super) fn build(
    mesh: &IndexedMesh,
    brep: &Brep,
    options: &BrepIndexOptions,
    thickness: Real,
) -> Result<(Vec<Node>, Packed), BrepIndexError> {
    let mut builder = Builder {
        mesh,
        brep,
        recipe: options.recipe,
        thickness,
        root: Packed::leaf(Leaf::Outside),
        nodes: Vec::with_capacity(2 * brep.entity_count()),
        parents: Vec::with_capacity(2 * brep.entity_count()),
        on_faces: Vec::new(),
        face_ranges: Vec::new(),
        on_lines: Vec::new(),
        line_ranges: Vec::new(),
        seams: Vec::new(),
    };
    builder.add_faces()?;
    builder.add_edges()?;
    builder.add_vertices()?;
    Ok((builder.nodes, builder.root))
}

impl Builder<'_> {
    /// A margin that clears the thickness of two planes, and the rounding of heights.
    fn clearance(&self) -> Real {
        2.0 * self.thickness
    }

    fn has_pseudo_entities(&self) -> bool {
        matches!(self.recipe, Recipe::Paper { .. })
    }

    fn subtree(&self, place: Place) -> Subtree {
        match place {
            None => self.root.open(),
            Some((node, side)) => self.nodes[node as usize].child(side).open(),
        }
    }

    fn set(&mut self, place: Place, subtree: Packed) {
        match place {
            None => self.root = subtree,
            Some((node, side)) => self.nodes[node as usize].children[side as usize] = subtree,
        }
    }

    /// Adds a node and hangs it there.
    fn add_node(&mut self, place: Place, plane: Plane, dimension: u8) -> Result<u32, BrepIndexError> {
        let number = self.nodes.len();
        if number >= MAX_NUMBER {
            return Err(BrepIndexError::TooLarge { limit: MAX_NUMBER });
        }
        self.nodes.push(Node::new(plane, dimension));
        self.parents.push(place);
        self.set(place, Packed::node(number as u32));
        Ok(number as u32)
    }

    /// Which side of a plane points with these heights are on together; `None` when the plane divides them.
    fn side_of(&self, heights: impl IntoIterator<Item = Real>) -> Option<Side> {
        let (mut low, mut high) = (Real::INFINITY, Real::NEG_INFINITY);
        for h in heights {
            low = low.min(h);
            high = high.max(h);
        }
        match (low >= -self.thickness, high <= self.thickness) {
            (true, true) => Some(Side::On),
            (true, false) => Some(Side::Above),
            (false, true) => Some(Side::Below),
            (false, false) => None,
        }
    }

    /// The parts of faces that lie in the plane of a node of space.
    fn faces_on(&self, node: u32) -> &[Fragment] {
        self.face_ranges.get(node as usize).map_or(&[], |range| &self.on_faces[range.clone()])
    }

    /// The parts of edges that lie on the line of a node of a plane.
    fn strips_on(&self, node: u32) -> &[Strip] {
        let first = self.face_ranges.len();
        let range = (node as usize).checked_sub(first).and_then(|i| self.line_ranges.get(i));
        range.map_or(&[], |range| &self.on_lines[range.clone()])
    }
}

/// Where a segment whose ends have these heights, of opposite sign, passes height zero.
fn crossing(from: &Point, h_from: Real, to: &Point, h_to: Real) -> Point {
    // From the lower end of the fraction, so that both neighbours of an edge cut it in the same place.
    if h_from.abs() <= h_to.abs() {
        from + (to - from) * (h_from / (h_from - h_to))
    } else {
        to + (from - to) * (h_to / (h_to - h_from))
    }
}
