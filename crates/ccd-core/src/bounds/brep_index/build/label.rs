//! What leaves are.
//!
//! **Regions of space.** A leaf has no part of a face in it, but parts that were left whole may reach into it, by no more
//! than the thickness of the planes around it. So the part of the region that is clear of all its planes by more than that
//! has no surface in it at all; it is convex, hence inside or outside as a whole, and one exact test of one of its points
//! says which. That test replaces the paper's labels, which go by the side of the face (erratum E15). Where no point
//! clear of the planes is at hand the leaf stays undecided.
//!
//! **Regions of planes and lines** only have to name every face, edge and vertex that a point there may be on: names that
//! are not near are sorted out by distance.

use super::super::node::{Leaf, Packed, Side};
use super::{Builder, Fragment, Place, Source};
use crate::bounds::brep_index::BrepIndexError;
use crate::bounds::winding::winding_number;
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// How far, in clearances, beside a face the inside test is made.
const BESIDE: Real = 4.0;

/// How many corners of a fragment are tried when its middle is no use.
const TRIES: usize = 8;

impl Builder<'_> {
    /// What the region of space is that hangs there, without faces. `cell`: the region, where only axes bound it.
    pub(super) fn label_space(&self, place: Place, cell: Option<&Aabb>) -> Result<Packed, BrepIndexError> {
        let Some((node, side)) = place else { return Ok(Packed::leaf(Leaf::Outside)) };
        let towards = match side {
            Side::Above => BESIDE * self.clearance(),
            Side::Below => -BESIDE * self.clearance(),
            Side::On => return Ok(Packed::UNDECIDED),
        };
        let normal = self.nodes[node as usize].plane.normal;
        let faces = self.faces_on(node);
        let middles = faces.iter().map(|f| (f, middle(f)));
        let more = faces.iter().flat_map(|f| {
            let m = middle(f);
            f.corners.iter().take(TRIES).map(move |c| (f, nalgebra::center(c, &m)))
        });
        for (fragment, point) in middles.chain(more) {
            let witness = point + normal * towards;
            if self.is_clear(&witness, place) {
                return self.label_at(&witness, fragment.face);
            }
        }
        if let Some(cell) = cell {
            let centre = cell.centre();
            if self.is_clear(&centre, place) {
                return self.label_at(&centre, 0);
            }
        }
        Ok(Packed::UNDECIDED)
    }

    fn label_at(&self, witness: &Point, face: u32) -> Result<Packed, BrepIndexError> {
        match winding_number(self.mesh.mesh(), self.mesh.tree(), witness) {
            0 => Ok(Packed::leaf(Leaf::Outside)),
            1 => Ok(Packed::leaf(Leaf::Inside)),
            winding => {
                let face = self.brep.triangles_of_face(face).first().copied().unwrap_or(0);
                Err(BrepIndexError::Nested { face, winding })
            }
        }
    }

    /// Whether the point is in the region that hangs there, and clear of all planes on the way, except those whose
    /// plane or line the region lies on.
    pub(super) fn is_clear(&self, point: &Point, place: Place) -> bool {
        let clearance = self.clearance();
        let mut up = place;
        while let Some((node, side)) = up {
            let h = self.nodes[node as usize].plane.height(point);
            let is_clear = match side {
                Side::Above => h > clearance,
                Side::On => h.abs() <= clearance,
                Side::Below => h < -clearance,
            };
            if !is_clear {
                return false;
            }
            up = self.parents[node as usize];
        }
        true
    }

    /// What a region of the plane of `space_node` is that hangs there, without edges in it; `probes` are points beside
    /// the edges that bound it.
    pub(super) fn label_plane(&self, space_node: u32, place: Place, probes: impl Iterator<Item = Point>) -> Packed {
        let fragments = self.faces_on(space_node);
        let Some(first) = fragments.first() else { return Packed::leaf(Leaf::Extension) };
        for probe in probes {
            if self.is_clear(&probe, place) {
                let is_over = |f: &&Fragment| covers(f, &self.brep.planes()[f.face as usize].normal, &probe);
                let mut covering = fragments.iter().filter(is_over).map(|f| f.face);
                return match covering.next() {
                    None => Packed::leaf(Leaf::Extension),
                    // A plane is that of all faces that are as near to it as its thickness: which one is the nearest each point has to be asked.
                    Some(face) if covering.any(|other| other != face) => Packed::UNDECIDED,
                    Some(face) => Packed::leaf(Leaf::Face(face)),
                };
            }
        }
        // A name too many does no harm, a name too few would.
        if fragments.iter().all(|f| f.face == first.face) {
            Packed::leaf(Leaf::Face(first.face))
        } else {
            Packed::UNDECIDED
        }
    }

    /// What the line of node `line` is between two coordinates along `axis`, without vertices in between.
    pub(super) fn label_line(&self, line: u32, axis: &Vector, from: Real, to: Real) -> Packed {
        // Of a part that is shorter than the planes are thick, everything at hand is named.
        let least = if to - from > 4.0 * self.thickness { self.clearance() } else { 0.0 };
        let mut found: Option<Source> = None;
        for strip in self.strips_on(line) {
            let [s, t] = strip.ends.map(|p| axis.dot(&p.coords));
            let overlap = s.max(t).min(to) - s.min(t).max(from);
            if overlap <= least {
                continue;
            }
            found = match (found, strip.source) {
                (Some(Source::Edge(e)), Source::Edge(other)) if e != other => return Packed::UNDECIDED,
                (Some(Source::Edge(e)), _) => Some(Source::Edge(e)),
                (_, source) => Some(source),
            };
        }
        Packed::leaf(match found {
            None => Leaf::Extension,
            Some(Source::Edge(e)) => Leaf::Edge(e),
            // The reduction of the paper's third step: a pseudo edge is a part of its face.
            Some(Source::Seam(face)) => Leaf::Face(face),
        })
    }
}

fn middle(fragment: &Fragment) -> Point {
    let sum: Vector = fragment.corners.iter().map(|p| p.coords).sum();
    Point::from(sum / fragment.corners.len() as Real)
}

/// Whether a point in the plane of a convex fragment is inside it.
fn covers(fragment: &Fragment, normal: &Vector, point: &Point) -> bool {
    let n = fragment.corners.len();
    (0..n).all(|k| {
        let (p, q) = (fragment.corners[k], fragment.corners[(k + 1) % n]);
        (q - p).cross(&(point - p)).dot(normal) >= 0.0
    })
}
