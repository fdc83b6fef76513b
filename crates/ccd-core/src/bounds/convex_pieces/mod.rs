//! A closed mesh cut into convex pieces that together are exactly the solid it bounds.
//!
//! **Problem.** Methods for convex polyhedra take a body that is not convex as several convex pieces. The pieces must be the
//! body: an approximate decomposition closes its concave corners, or leaves gaps where two pieces should meet.
//!
//! **Idea.** A convex cell of space is cut by planes until the faces inside it are those of one convex body: until none lies
//! above the plane of another. Then the piece is what those planes leave of the cell. A cell without faces is all inside or
//! all outside. The planes are chosen to end as many reflex edges as they can: planes through two of them, and planes of
//! faces. In the end pieces that are one convex body together are made one again.
//!
//! **Guarantee.** Every cut is exact (`geometry::polyhedron::exact`): before rounding the pieces are disjoint and their union
//! is the solid. A vertex of the mesh keeps its place bit by bit; a vertex that a cut makes is rounded to `f64`, so the surface
//! there is off by a rounding or two of the coordinates, and not at all where the place is an `f64`. What is thinner than
//! rounding (64 ε of the coordinates) is left out: the corners of a turned polygon are not quite in one plane, and are no reason
//! for a cut.
//!
//! **Limits.** A solid with r reflex edges may need r²/4 pieces (Chazelle, 1984): good for brackets, frames and gears, bad for
//! curved concave surfaces, where each of thousands of edges asks for a cut. The number of pieces is bounded by the caller.
//! O(p · f · min(f, 400)) for p pieces and f faces, in practice some milliseconds for a hundred faces.
//!
//! **Source.** Chazelle (1984) for the cuts through notches; Fuchs, Kedem and Naylor (1980) for the tree of face planes.

mod choice;
mod merge;

use super::winding::winding_number;
use super::{IndexedMesh, NotSolid};
use crate::geometry::polyhedron::ConvexPolyhedron;
use crate::geometry::polyhedron::exact::{Cell, Facet, Parts, Planes};
use crate::math::{Point, Vector};
use choice::Notch;

/// Cuts may make as many pieces for each one that is allowed, before they are merged: more than twice as many as are left were never seen.
const CUTS: usize = 4;

/// Why a mesh has no convex pieces.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DecompositionError {
    /// The mesh bounds no solid.
    #[error(transparent)]
    NotSolid(#[from] NotSolid),
    /// More pieces than allowed, or so many made by the cuts that these were ended.
    #[error("the solid falls into more than {limit} convex pieces")]
    TooManyPieces {
        /// As asked for.
        limit: usize,
    },
    /// All of the solid is thinner than rounding.
    #[error("the solid is too thin to have convex pieces")]
    TooThin,
}

impl IndexedMesh {
    /// Convex pieces, at most `limit`, whose union is the solid that the mesh bounds; see the module for what is exact.
    /// A convex solid is one piece. The same pieces in the same order for the same mesh, whatever the limit.
    ///
    /// # Errors
    /// [`DecompositionError`] for a mesh that bounds no solid, or one that needs more pieces; also for one of which the cuts make more than
    /// four times as many as are allowed, before those are merged whose union is convex: then the work is ended.
    pub fn convex_pieces(&self, limit: usize) -> Result<Vec<ConvexPolyhedron>, DecompositionError> {
        self.check_solid()?;
        let too_many = DecompositionError::TooManyPieces { limit };
        let (mut cutter, root) = Cutter::new(self).ok_or(DecompositionError::TooThin)?;
        // What the cuts make is fewer once it is merged, and is counted to end what is hopeless.
        let most = limit.saturating_mul(CUTS);
        let mut pieces = Vec::new();
        let mut open = vec![root];
        while let Some(part) = open.pop() {
            match cutter.cut(part) {
                Cut::Piece(cell) => {
                    // Too thin for a hull in `f64`: thinner than rounding.
                    pieces.extend(ConvexPolyhedron::from_points(&cell.places(&cutter.planes)));
                }
                Cut::Nothing => {}
                // The part below first.
                Cut::Two(below, above) => open.extend([above, below]),
            }
            if pieces.len() > most {
                return Err(too_many);
            }
        }
        let pieces = merge::merged(pieces, cutter.planes.size());
        if pieces.len() > limit {
            return Err(too_many);
        }
        if pieces.is_empty() { Err(DecompositionError::TooThin) } else { Ok(pieces) }
    }
}

/// A convex cell of space and the faces of the mesh in it, without those in its walls.
struct Part {
    cell: Cell,
    facets: Vec<Facet>,
}

/// What becomes of a part.
enum Cut {
    Piece(Cell),
    Nothing,
    Two(Part, Part),
}

struct Cutter<'m> {
    mesh: &'m IndexedMesh,
    planes: Planes,
    notches: Vec<Notch>,
}

impl<'m> Cutter<'m> {
    /// With the whole mesh in one cell; `None` if its extent is no number to cut by.
    fn new(mesh: &'m IndexedMesh) -> Option<(Self, Part)> {
        let mut planes = Planes::default();
        let soup = mesh.mesh();
        let vertices: Vec<u32> = soup.vertices().iter().map(|p| planes.vertex(p)).collect();
        let mut facets: Vec<Facet> = Vec::with_capacity(soup.triangles().len());
        let mut side_planes = vec![[u32::MAX; 3]; soup.triangles().len()];
        // Faces of one plane share its number: they are compared among faces of about the same normal.
        let mut known: Vec<u32> = Vec::new();
        for (face, t) in soup.triangles().iter().enumerate() {
            let corners = soup.triangle(face);
            // A triangle without area bounds nothing.
            let Some(plane) = planes.through(&corners) else { continue };
            let plane = known.iter().copied().find(|&k| planes.same_plane(k, plane)).unwrap_or_else(|| {
                known.push(plane);
                plane
            });
            let normal = *planes.near(plane).0;
            let mut rim = Vec::with_capacity(3);
            for k in 0..3 {
                let side = planes.along(&corners[k], &corners[(k + 1) % 3], &normal)?;
                side_planes[face][k] = side;
                rim.push((vertices[t[k] as usize], side));
            }
            facets.push(Facet { plane, source: face as u32, rim });
        }
        let aabb = soup.aabb();
        let cell = Cell::cube(&aabb.centre(), 2.0 * aabb.half_extents().amax(), &mut planes)?;
        let notches = notches(mesh, &vertices, &side_planes, &facets, &planes);
        Some((Self { mesh, planes, notches }, Part { cell, facets }))
    }

    fn cut(&mut self, part: Part) -> Cut {
        if part.facets.is_empty() {
            let places = part.cell.places(&self.planes);
            let middle = places.iter().map(|p| p.coords).sum::<Vector>() / places.len() as f64;
            let inside = winding_number(self.mesh.mesh(), self.mesh.tree(), &Point::from(middle)) > 0;
            return if inside { Cut::Piece(part.cell) } else { Cut::Nothing };
        }
        let mut own: Vec<u32> = part.facets.iter().map(|f| f.plane).collect();
        own.sort_unstable();
        own.dedup();
        let seen: Vec<u32> = own.iter().copied().filter(|&plane| self.any_above(&part.facets, plane)).collect();
        if seen.is_empty() {
            let mut cell = part.cell;
            for plane in own {
                match cell.cut(plane, &mut self.planes).0 {
                    Some(below) => cell = below,
                    None => return Cut::Nothing,
                }
            }
            return Cut::Piece(cell);
        }
        match self.choose(&part, &seen) {
            Some(plane) => self.divide(part, plane),
            // A face has another above it, so its own plane divides the cell: there is always a choice.
            None => Cut::Nothing,
        }
    }

    /// Whether any of the faces reaches above a plane, by more than rounding.
    fn any_above(&self, facets: &[Facet], plane: u32) -> bool {
        facets.iter().flat_map(|f| &f.rim).any(|(corner, _)| self.planes.is_above(*corner, plane))
    }

    fn divide(&mut self, part: Part, plane: u32) -> Cut {
        let (Some(below), Some(above)) = part.cell.cut(plane, &mut self.planes) else { return Cut::Nothing };
        let mut halves = [Vec::new(), Vec::new()];
        for facet in part.facets {
            match facet.cut(plane, &mut self.planes) {
                Some(Parts::Below(facet)) => halves[0].push(facet),
                Some(Parts::Above(facet)) => halves[1].push(facet),
                Some(Parts::Both(low, high)) => {
                    halves[0].push(low);
                    halves[1].push(high);
                }
                // In the wall from now on.
                Some(Parts::On) | None => {}
            }
        }
        let [facets_below, facets_above] = halves;
        Cut::Two(Part { cell: below, facets: facets_below }, Part { cell: above, facets: facets_above })
    }
}

/// The reflex edges of the mesh.
fn notches(
    mesh: &IndexedMesh,
    vertices: &[u32],
    side_planes: &[[u32; 3]],
    facets: &[Facet],
    planes: &Planes,
) -> Vec<Notch> {
    let triangles = mesh.mesh().triangles();
    let mut plane_of = vec![u32::MAX; triangles.len()];
    for facet in facets {
        plane_of[facet.source as usize] = facet.plane;
    }
    let topology = mesh.topology();
    let mut notches = Vec::new();
    for (edge, ends) in topology.edges().iter().enumerate() {
        let &[one, other] = topology.faces_of_edge(edge) else { continue };
        let corner = |face: u32| triangles[face as usize].iter().position(|v| !ends.contains(v));
        let (Some(i), Some(j)) = (corner(one), corner(other)) else { continue };
        if plane_of[one as usize] == u32::MAX || plane_of[other as usize] == u32::MAX {
            continue;
        }
        let apexes = [triangles[one as usize][i], triangles[other as usize][j]].map(|v| vertices[v as usize]);
        if planes.is_above(apexes[1], plane_of[one as usize]) {
            // The side that is across from corner i begins at the next one.
            let sides = [side_planes[one as usize][(i + 1) % 3], side_planes[other as usize][(j + 1) % 3]];
            notches.push(Notch { faces: [one, other], sides, apexes });
        }
    }
    notches
}
