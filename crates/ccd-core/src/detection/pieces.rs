//! Solids as parts that searches over surfaces of patches refine: nodes of trees, pieces of patches, triangles, or all of a convex
//! solid.

use super::plane_point::PlanePoint;
use super::queue::Ranked;
use crate::bounds::tree::{AabbTree, NodeKind};
use crate::bounds::{IndexedMesh, IndexedPatches};
use crate::geometry::feature::Feature;
use crate::geometry::parametric::PatchPiece;
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Real, Vector};
use crate::shape::Shape;
use crate::volume::Aabb;

/// What a surface of patches is asked against, or with: side A is a surface, or the plane of a half-space.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PatchSide<'q> {
    /// A surface of patches.
    Patches(&'q IndexedPatches),
    /// A mesh.
    Mesh(&'q IndexedMesh),
    /// A convex solid with its box.
    Convex(&'q dyn SupportMap, Aabb),
    /// A half-space, by its outward normal in its frame; on side A only.
    Plane(Vector),
}

impl<'q> PatchSide<'q> {
    /// The shape as a side; `None` for one that has neither patches nor triangles nor a support mapping.
    pub fn of(shape: &'q Shape) -> Option<Self> {
        match shape {
            Shape::Patches(surface) => Some(Self::Patches(surface)),
            Shape::Mesh(mesh) => Some(Self::Mesh(mesh)),
            Shape::HalfSpace(plane) => Some(Self::Plane(plane.normal())),
            other => other.as_convex().map(|convex| Self::Convex(convex, other.as_solid().local_aabb())),
        }
    }

    /// Side A is the one of the lower rank: half-spaces first, then surfaces of patches.
    pub fn rank(shape: &Shape) -> u8 {
        match shape {
            Shape::HalfSpace(_) => 0,
            Shape::Patches(_) => 1,
            _ => 2,
        }
    }
}

/// A part of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// A node of the tree over patches or triangles.
    Node(u32),
    /// A piece of a patch, by its number among those made so far.
    Piece(u32),
    /// A triangle.
    Face(u32),
    /// All of a convex solid, or of a half-space.
    Whole,
}

/// A part of each side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartPair {
    pub a: Part,
    pub b: Part,
}

impl PartPair {
    /// With a finer part of one side in place of that side's.
    pub fn with(self, is_a: bool, part: Part) -> Self {
        if is_a { Self { a: part, ..self } } else { Self { b: part, ..self } }
    }
}

impl Ranked for PartPair {
    type Rank = (Part, Part);

    /// The finest first, which was made last.
    fn rank(&self) -> Self::Rank {
        (self.a, self.b)
    }
}

/// The pieces made so far of one side.
#[derive(Default)]
pub(crate) struct Pieces {
    pub all: Vec<PatchPiece>,
    /// The first of the halves that make a piece flatter, and of those that make it shorter.
    halves: Vec<[Option<u32>; 2]>,
    /// The piece that is all of a patch.
    of_patch: Vec<Option<u32>>,
}

impl Pieces {
    fn add(&mut self, piece: PatchPiece) -> u32 {
        self.all.push(piece);
        self.halves.push([None; 2]);
        (self.all.len() - 1) as u32
    }

    fn whole(&mut self, surface: &IndexedPatches, patch: u32) -> u32 {
        if self.of_patch.is_empty() {
            self.of_patch = vec![None; surface.surface().patches().len()];
        }
        if let Some(known) = self.of_patch[patch as usize] {
            return known;
        }
        let made = self.add(surface.piece(patch));
        self.of_patch[patch as usize] = Some(made);
        made
    }

    fn halves(&mut self, piece: u32, into: Halves) -> [u32; 2] {
        let first = match self.halves[piece as usize][into as usize] {
            Some(first) => first,
            None => {
                let whole = &self.all[piece as usize];
                let [low, high] = match into {
                    Halves::Flatter => whole.halves(),
                    Halves::Shorter => whole.shorter_halves(),
                };
                let first = self.add(low);
                self.add(high);
                self.halves[piece as usize][into as usize] = Some(first);
                first
            }
        };
        [first, first + 1]
    }
}

/// What halving makes of a piece.
#[derive(Clone, Copy)]
enum Halves {
    Flatter,
    Shorter,
}

/// A part as a convex solid, with its bounds.
pub(crate) enum Core<'p> {
    Piece(&'p PatchPiece),
    Triangle(Triangle, u32),
    Whole(&'p dyn SupportMap),
    Plane,
}

impl Core<'_> {
    pub fn map(&self) -> &dyn SupportMap {
        match self {
            Self::Piece(piece) => *piece,
            Self::Triangle(triangle, _) => triangle,
            Self::Whole(convex) => *convex,
            Self::Plane => &PlanePoint,
        }
    }

    pub fn error(&self) -> Real {
        if let Self::Piece(piece) = self { piece.error() } else { 0.0 }
    }

    pub fn can_be_halved(&self) -> bool {
        matches!(self, Self::Piece(piece) if piece.can_be_halved())
    }
}

/// The halves of the piece of a pair with the larger error: whether it is A's, and the two. `None` where none can be halved.
pub(crate) fn halves_of_coarser(a: Owned<'_>, b: Owned<'_>) -> Option<(bool, [Part; 2])> {
    halves_of_greater(a, b, Halves::Flatter, |piece| piece.can_be_halved().then(|| piece.error()))
}

/// The same of the longer piece, across its longer side: flat pieces that cross tell of no place that they share, until they are as small
/// as a place.
pub(crate) fn halves_of_longer(a: Owned<'_>, b: Owned<'_>) -> Option<(bool, [Part; 2])> {
    halves_of_greater(a, b, Halves::Shorter, |piece| piece.can_be_shortened().then(|| piece.length()))
}

/// A part with the pieces of its side.
type Owned<'p> = (Part, &'p mut Pieces);

fn halves_of_greater(
    (a, pieces_a): Owned<'_>,
    (b, pieces_b): Owned<'_>,
    into: Halves,
    measure: impl Fn(&PatchPiece) -> Option<Real>,
) -> Option<(bool, [Part; 2])> {
    let of = |part: Part, pieces: &Pieces| match part {
        Part::Piece(piece) => measure(&pieces.all[piece as usize]),
        _ => None,
    };
    let (of_a, of_b) = (of(a, pieces_a), of(b, pieces_b));
    match (a, b) {
        (Part::Piece(piece), _) if of_a.is_some() && of_a >= of_b => {
            Some((true, pieces_a.halves(piece, into).map(Part::Piece)))
        }
        (_, Part::Piece(piece)) if of_b.is_some() => Some((false, pieces_b.halves(piece, into).map(Part::Piece))),
        _ => None,
    }
}

/// A core's feature as the solid's.
pub(crate) fn feature(side: &PatchSide<'_>, core: &Core<'_>, feature: Feature) -> Feature {
    match (side, core) {
        (_, Core::Piece(piece)) => Feature::Face(piece.patch),
        (PatchSide::Mesh(mesh), Core::Triangle(_, face)) => on_mesh(mesh, *face, feature),
        _ => feature,
    }
}

pub(crate) fn root(side: &PatchSide<'_>) -> Part {
    match side {
        PatchSide::Patches(_) | PatchSide::Mesh(_) => Part::Node(0),
        PatchSide::Convex(..) | PatchSide::Plane(_) => Part::Whole,
    }
}

fn tree<'q>(side: &PatchSide<'q>) -> Option<&'q AabbTree> {
    match side {
        PatchSide::Patches(surface) => Some(surface.tree()),
        PatchSide::Mesh(mesh) => Some(mesh.tree()),
        PatchSide::Convex(..) | PatchSide::Plane(_) => None,
    }
}

/// The parts directly below a node.
pub(crate) fn below(side: &PatchSide<'_>, part: Part, pieces: &mut Pieces) -> Vec<Part> {
    let (Some(tree), Part::Node(node)) = (tree(side), part) else { return Vec::new() };
    match tree.node(node).kind {
        NodeKind::Inner { left, right } => vec![Part::Node(left), Part::Node(right)],
        NodeKind::Leaf { first, count } => {
            let items = tree.items(first, count).iter();
            match side {
                PatchSide::Patches(surface) => items.map(|&p| Part::Piece(pieces.whole(surface, p))).collect(),
                _ => items.map(|&face| Part::Face(face)).collect(),
            }
        }
    }
}

/// The part's box; `None` for a half-space.
pub(crate) fn part_box(side: &PatchSide<'_>, part: Part, pieces: &Pieces) -> Option<Aabb> {
    match (side, part) {
        (_, Part::Node(node)) => tree(side).map(|tree| tree.node(node).aabb),
        (_, Part::Piece(piece)) => Some(*pieces.all[piece as usize].aabb()),
        (PatchSide::Mesh(mesh), Part::Face(face)) => Some(Aabb::from_points(&mesh.triangle(face))),
        (PatchSide::Convex(_, aabb), _) => Some(*aabb),
        _ => None,
    }
}

pub(crate) fn core<'p>(side: &PatchSide<'p>, part: Part, pieces: &'p Pieces) -> Core<'p> {
    match (side, part) {
        (_, Part::Piece(piece)) => Core::Piece(&pieces.all[piece as usize]),
        (PatchSide::Mesh(mesh), Part::Face(face)) => Core::Triangle(Triangle::new(mesh.triangle(face)), face),
        (PatchSide::Convex(convex, _), _) => Core::Whole(*convex),
        _ => Core::Plane,
    }
}

/// A triangle's feature as the mesh's.
pub(crate) fn on_mesh(mesh: &IndexedMesh, face: u32, feature: Feature) -> Feature {
    match feature {
        Feature::Vertex(k) => Feature::Vertex(mesh.mesh().triangles()[face as usize][k as usize]),
        Feature::Edge(k) => Feature::Edge(mesh.topology().triangle_edges()[face as usize][k as usize]),
        Feature::Face(_) => Feature::Face(face),
    }
}
