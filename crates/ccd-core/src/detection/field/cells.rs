//! The cells that one solid is divided into during a search: boxes of space around a field's surface and inside, or the nodes,
//! triangles and parts of triangles of a mesh, or those and the pieces of a surface of patches.

use nalgebra::Vector3;

use super::on_piece::nearest_on_piece;
use super::separate::{Extent, Plane};
use crate::bounds::tree::{AabbTree, NodeKind};
use crate::bounds::{IndexedMesh, IndexedPatches};
use crate::geometry::feature::Feature;
use crate::geometry::field::{Enclosure, Facet, Field, Region};
use crate::geometry::mesh::triangle::closest_point;
use crate::geometry::parametric::PatchPiece;
use crate::math::{Matrix, Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// The solid that is divided.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Divided<'q> {
    /// A bounded field.
    Field(&'q dyn Field),
    /// The surface of a mesh.
    Mesh(&'q IndexedMesh),
    /// A surface of patches.
    Patches(&'q IndexedPatches),
}

/// What a cell is.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A box of space.
    Space,
    /// A node of a mesh's tree.
    Node(u32),
    /// A part of a triangle.
    Part { face: u32, corners: [Point; 3] },
    /// A piece of a patch, by its number among those made so far.
    Piece(u32),
}

/// A part of the divided solid, in its frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub centre: Point,
    /// No point of the cell is further from its centre.
    pub radius: Real,
    /// The cell is inside the solid, away from its surface.
    pub is_inside: bool,
    /// Of the box around it along the axes.
    pub half: Vector,
    kind: Kind,
    /// Its alternatives among those of all cells.
    first: u32,
    count: u32,
}

/// All cells of a search.
pub(crate) struct Cells<'q> {
    pub divided: Divided<'q>,
    cells: Vec<Cell>,
    alternatives: Vec<(u32, u32)>,
    facets: Vec<Facet>,
    scratch: Enclosure,
    pieces: Vec<PatchPiece>,
}

impl<'q> Cells<'q> {
    pub fn new(divided: Divided<'q>) -> Self {
        Self {
            divided,
            cells: Vec::new(),
            alternatives: Vec::new(),
            facets: Vec::new(),
            scratch: Enclosure::default(),
            pieces: Vec::new(),
        }
    }

    /// The whole solid; `None` for an empty one.
    pub fn root(&mut self) -> Option<u32> {
        match self.divided {
            Divided::Field(field) => self.root_within(&field.local_aabb()),
            Divided::Mesh(mesh) => (mesh.tree().node_count() > 0).then(|| self.node(mesh.tree(), 0)),
            Divided::Patches(surface) => (surface.tree().node_count() > 0).then(|| self.node(surface.tree(), 0)),
        }
    }

    /// What a box holds of the solid; `None` where that is nothing. Of what is no field, the whole solid.
    pub fn root_within(&mut self, aabb: &Aabb) -> Option<u32> {
        let Divided::Field(field) = self.divided else { return self.root() };
        let own = field.local_aabb();
        let common = Aabb { min: own.min.sup(&aabb.min), max: own.max.inf(&aabb.max) };
        if (0..3).any(|k| common.min[k] > common.max[k]) {
            return None;
        }
        // Rounding must not leave the surface outside.
        let pad = 1e-12 * (own.half_extents().amax() + own.centre().coords.amax());
        self.space(field, common.centre(), common.half_extents().add_scalar(pad))
    }

    pub fn get(&self, cell: u32) -> Cell {
        self.cells[cell as usize]
    }

    /// The extent of the cell around its centre.
    pub fn extent(&self, cell: &Cell) -> Extent {
        match cell.kind {
            Kind::Piece(number) => {
                let piece = &self.pieces[number as usize];
                let [p, q, r, _] = piece.corners();
                Extent::Sheet { u: (q - p) * 0.5, v: (r - p) * 0.5, error: piece.error() }
            }
            Kind::Space | Kind::Node(_) => Extent::Box(cell.half),
            Kind::Part { corners, .. } => Extent::Triangle(corners.map(|c| c - cell.centre)),
        }
    }

    /// Appends the planes of one alternative of the cell.
    pub fn planes(&self, cell: &Cell, alternative: u32, planes: &mut Vec<Plane>) {
        let own = |height: Real, normal: Vector, error: Real| Plane {
            height,
            error,
            normal,
            rate: 0.0,
            bend: 0.0,
            of_other: false,
        };
        if let Kind::Piece(number) = cell.kind {
            let piece = &self.pieces[number as usize];
            let [p, q, r, _] = piece.corners();
            if let Some(normal) = (q - p).cross(&(r - p)).try_normalize(0.0) {
                let error = piece.error() * (1.0 + 1e-9);
                planes.push(own(-error, normal, error));
                planes.push(own(-error, -normal, error));
            }
        }
        if let Kind::Part { corners, .. } = cell.kind
            && let Some(normal) = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).try_normalize(0.0)
        {
            // Rounding tilts the plane by little against the corners, whose extent is what counts.
            let height = normal.dot(&(cell.centre - corners[0]));
            let slack = 4.0 * Real::EPSILON * (cell.centre.coords.amax() + cell.radius);
            planes.push(own(height - slack, normal, 0.0));
            planes.push(own(-height - slack, -normal, 0.0));
        }
        if alternative < cell.count {
            let (from, to) = self.alternatives[(cell.first + alternative) as usize];
            for f in &self.facets[from as usize..to as usize] {
                planes.push(own(f.value - f.error, f.normal, f.error));
            }
        }
    }

    /// How many alternatives there are, at least one.
    pub fn alternatives(cell: &Cell) -> u32 {
        cell.count.max(1)
    }

    /// The sides that are halved where nothing speaks against it: the long ones, so that cells become cubes.
    pub fn long_sides(cell: &Cell) -> [bool; 3] {
        std::array::from_fn(|k| cell.half[k] > 0.6 * cell.half.max())
    }

    /// The middle half of a cell along one axis, to see what halving there is worth; to be given back by [`Cells::forget`] before
    /// another cell is made. `None` for what is no box of space, and where nothing of the solid is left.
    pub fn middle(&mut self, cell: &Cell, axis: usize) -> Option<Cell> {
        let (Kind::Space, Divided::Field(field)) = (cell.kind, self.divided) else { return None };
        let mut half = cell.half;
        half[axis] *= 0.5;
        let made = self.space(field, cell.centre, half)?;
        let middle = self.get(made);
        self.cells.truncate(made as usize);
        Some(middle)
    }

    /// Gives back what [`Cells::middle`] made last.
    pub fn forget(&mut self, middle: &Cell) {
        let first = self.alternatives.get(middle.first as usize).map_or(self.facets.len(), |(from, _)| *from as usize);
        self.facets.truncate(first);
        self.alternatives.truncate(middle.first as usize);
    }

    /// Whether cells of space may be longer along one axis than along another, as it suits both solids' surfaces; where nothing is
    /// known of one it is only to be made smaller.
    pub fn may_be_long(&self, cell: &Cell, other: &dyn Field) -> bool {
        let is_known = |(from, to): &(u32, u32)| from < to;
        match (cell.kind, self.divided) {
            (Kind::Space, Divided::Field(field)) => {
                let alternatives = cell.first as usize..(cell.first + cell.count) as usize;
                field.is_ruled() && other.is_ruled() && self.alternatives[alternatives].iter().all(is_known)
            }
            _ => false,
        }
    }

    /// Whether the cell's box is about its centre, and all of it in the box.
    pub fn is_in_its_box(cell: &Cell) -> bool {
        !matches!(cell.kind, Kind::Piece(_))
    }

    /// The parts of a cell, appended to `parts`: those that hold nothing of the solid are left out. Boxes of space are halved along
    /// the axes of `long`.
    pub fn split(&mut self, cell: u32, long: [bool; 3], parts: &mut Vec<u32>) {
        let whole = self.get(cell);
        match (whole.kind, self.divided) {
            (Kind::Space, Divided::Field(field)) => {
                let long = Vector3::from(long);
                let half = whole.half.zip_map(&long, |h, long| if long { 0.5 * h } else { h });
                for i in 0..8_u32 {
                    if (0..3).any(|k| i >> k & 1 == 1 && !long[k]) {
                        continue;
                    }
                    let sign = |k: usize| {
                        if !long[k] {
                            0.0
                        } else if i >> k & 1 == 1 {
                            1.0
                        } else {
                            -1.0
                        }
                    };
                    let shift = half.component_mul(&Vector::new(sign(0), sign(1), sign(2)));
                    parts.extend(self.space(field, whole.centre + shift, half));
                }
            }
            (Kind::Node(node), Divided::Mesh(mesh)) => match mesh.tree().node(node).kind {
                NodeKind::Inner { left, right } => parts.extend([left, right].map(|n| self.node(mesh.tree(), n))),
                NodeKind::Leaf { first, count } => {
                    for &face in mesh.tree().items(first, count) {
                        parts.push(self.part(face, mesh.triangle(face)));
                    }
                }
            },
            (Kind::Part { face, corners }, _) => {
                let length = |k: usize| (corners[(k + 1) % 3] - corners[k]).norm_squared();
                let k = (1..3).fold(0, |best, k| if length(k) > length(best) { k } else { best });
                let middle = nalgebra::center(&corners[k], &corners[(k + 1) % 3]);
                let (mut one, mut other) = (corners, corners);
                one[(k + 1) % 3] = middle;
                other[k] = middle;
                parts.extend([one, other].map(|c| self.part(face, c)));
            }
            (Kind::Node(node), Divided::Patches(surface)) => match surface.tree().node(node).kind {
                NodeKind::Inner { left, right } => {
                    parts.extend([left, right].map(|n| self.node(surface.tree(), n)));
                }
                NodeKind::Leaf { first, count } => {
                    for &patch in surface.tree().items(first, count) {
                        parts.push(self.piece(surface.piece(patch)));
                    }
                }
            },
            (Kind::Piece(number), _) => {
                let piece = &self.pieces[number as usize];
                // Flatter first, then smaller.
                let halves = if piece.error() > 0.05 * whole.radius { piece.halves() } else { piece.shorter_halves() };
                parts.extend(halves.map(|half| self.piece(half)));
            }
            _ => unreachable!("fields have cells of space, and meshes nodes and parts"),
        }
    }

    /// The nearest point of the cell's part of the solid to `point`, where it is only a part; the feature it lies on.
    pub fn nearest_on_part(&self, cell: &Cell, point: &Point) -> Option<Point> {
        match cell.kind {
            Kind::Part { corners, .. } => Some(closest_point(&corners, point).0),
            Kind::Piece(number) => {
                let piece = self.pieces.get(number as usize)?;
                let Divided::Patches(surface) = self.divided else { return None };
                Some(nearest_on_piece(piece, surface.patch(piece.patch), point))
            }
            _ => None,
        }
    }

    /// The nearest point of the whole triangle that the cell is a part of.
    pub fn nearest_on_face(&self, cell: &Cell, point: &Point) -> Option<Point> {
        match (cell.kind, self.divided) {
            (Kind::Part { face, .. }, Divided::Mesh(mesh)) => Some(closest_point(&mesh.triangle(face), point).0),
            _ => self.nearest_on_part(cell, point),
        }
    }

    /// The nearest point of the whole mesh whose triangle the cell is a part of.
    pub fn nearest_on_surface(&self, cell: &Cell, point: &Point) -> Option<Point> {
        match (cell.kind, self.divided) {
            (Kind::Part { .. }, Divided::Mesh(mesh)) => Some(mesh.closest_point(point, Real::INFINITY)?.point),
            _ => self.nearest_on_part(cell, point),
        }
    }

    /// The feature of the divided solid at a point of its surface that the cell has led to.
    pub fn feature_at(&self, cell: &Cell, point: &Point) -> Feature {
        match self.divided {
            Divided::Mesh(mesh) => {
                let nearest = mesh.closest_point(point, Real::INFINITY);
                nearest.map_or_else(|| self.feature(cell), |nearest| Feature::Face(nearest.face))
            }
            _ => self.feature(cell),
        }
    }

    /// The feature of the divided solid at the cell.
    pub fn feature(&self, cell: &Cell) -> Feature {
        match cell.kind {
            Kind::Piece(number) => Feature::Face(self.pieces[number as usize].patch),
            Kind::Part { face, .. } => Feature::Face(face),
            Kind::Space | Kind::Node(_) => Feature::Face(0),
        }
    }

    /// Whether the cell is a box around triangles, which has no points of its own.
    pub fn is_node(cell: &Cell) -> bool {
        matches!(cell.kind, Kind::Node(_))
    }

    fn space(&mut self, field: &dyn Field, centre: Point, half: Vector) -> Option<u32> {
        let whole = Aabb::from_half_extents(centre, half);
        let side = field.side_of(&ball_around(centre, &half), &whole);
        if side == Some(Region::Complement) {
            return None;
        }
        let is_inside = side == Some(Region::Solid);
        let (centre, half) = if is_inside { (centre, half) } else { shrunk(field, &whole).unwrap_or((centre, half)) };
        let ball = ball_around(centre, &half);
        let radius = ball.radius;
        self.scratch.clear();
        if is_inside {
            self.scratch.push_everything();
        } else {
            let within = Obb { centre, axes: Matrix::identity(), half_extents: half };
            field.enclose_within(&ball, &within, Region::Solid, &mut self.scratch);
        }
        let first = self.alternatives.len() as u32;
        for facets in self.scratch.alternatives() {
            // What the box does not reach is not held.
            if facets.iter().any(|f| f.value - f.error - f.normal.abs().dot(&half) > 0.0) {
                continue;
            }
            let from = self.facets.len() as u32;
            self.facets.extend_from_slice(facets);
            self.alternatives.push((from, self.facets.len() as u32));
        }
        let count = self.alternatives.len() as u32 - first;
        (count > 0).then(|| self.push(Cell { centre, radius, is_inside, half, kind: Kind::Space, first, count }))
    }

    fn node(&mut self, tree: &AabbTree, node: u32) -> u32 {
        let aabb: Aabb = tree.node(node).aabb;
        let half = aabb.half_extents();
        let cell = Cell {
            centre: aabb.centre(),
            radius: half.norm() * (1.0 + 4.0 * Real::EPSILON),
            is_inside: false,
            half,
            kind: Kind::Node(node),
            first: 0,
            count: 0,
        };
        self.push(cell)
    }

    fn part(&mut self, face: u32, corners: [Point; 3]) -> u32 {
        let aabb = Aabb::from_points(&corners);
        let centre = aabb.centre();
        let radius = corners.iter().map(|c| (c - centre).norm()).fold(0.0, Real::max) * (1.0 + 4.0 * Real::EPSILON);
        let kind = Kind::Part { face, corners };
        self.push(Cell { centre, radius, is_inside: false, half: aabb.half_extents(), kind, first: 0, count: 0 })
    }

    fn piece(&mut self, piece: PatchPiece) -> u32 {
        let (centre, radius) = piece.sphere();
        let half = piece.aabb().half_extents();
        self.pieces.push(piece);
        let kind = Kind::Piece((self.pieces.len() - 1) as u32);
        let radius = radius * (1.0 + 4.0 * Real::EPSILON);
        self.push(Cell { centre, radius, is_inside: false, half, kind, first: 0, count: 0 })
    }

    fn push(&mut self, cell: Cell) -> u32 {
        self.cells.push(cell);
        (self.cells.len() - 1) as u32
    }
}

/// The ball around a box.
fn ball_around(centre: Point, half: &Vector) -> Sphere {
    Sphere { centre, radius: half.norm() * (1.0 + 4.0 * Real::EPSILON) }
}

/// The middle of a smaller box that holds all that a box holds of a field, and half its sides, where there is one.
fn shrunk(field: &dyn Field, whole: &Aabb) -> Option<(Point, Vector)> {
    let held = field.shrunk(whole);
    if held == *whole {
        return None;
    }
    // Rounding must leave nothing outside.
    let centre = held.centre();
    Some((centre, (held.max - centre).sup(&(centre - held.min))))
}
