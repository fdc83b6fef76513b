//! Fewer pieces: those whose union is convex become one, and slivers of rounding go.

use crate::geometry::polyhedron::{ConvexPolyhedron, FacePlane};
use crate::geometry::solid::{Solid, SupportMap};
use crate::math::{Point, Real};

/// A hull that is larger than its two pieces by less than this part of their volume is their union, to within rounding.
const SAME_VOLUME: Real = 1e-13;
/// Boxes further apart than this part of the size do not touch, and pieces thinner than it are rounding.
const TOUCHING: Real = 64.0 * Real::EPSILON;

struct Piece {
    hull: ConvexPolyhedron,
    volume: Real,
}

impl Piece {
    fn new(hull: ConvexPolyhedron) -> Self {
        let middle = hull.interior_point();
        let volume = hull
            .triangles()
            .iter()
            .map(|t| {
                let [p, q, r] = t.map(|v| hull.vertices()[v as usize] - middle);
                p.dot(&q.cross(&r)) / 6.0
            })
            .sum();
        Self { hull, volume }
    }

    /// Square to the face over which it is thinnest, metres.
    fn thickness(&self) -> Real {
        let depth = |plane: &FacePlane| {
            let heights = self.hull.vertices().iter().map(|p| plane.offset - plane.normal.dot(&p.coords));
            heights.fold(0.0, Real::max)
        };
        self.hull.planes().iter().map(depth).fold(Real::INFINITY, Real::min)
    }

    /// Both as one, if that is convex.
    fn with(&self, other: &Self, size: Real) -> Option<Self> {
        let (a, b) = (self.hull.local_aabb(), other.hull.local_aabb());
        let gap = (a.min - b.max).sup(&(b.min - a.max)).max();
        if gap > TOUCHING * size {
            return None;
        }
        let points: Vec<Point> = self.hull.vertices().iter().chain(other.hull.vertices()).copied().collect();
        let union = Self::new(ConvexPolyhedron::from_points(&points).ok()?);
        let parts = self.volume + other.volume;
        ((union.volume - parts).abs() <= SAME_VOLUME * parts).then_some(union)
    }
}

/// The pieces with those merged whose union is convex, in the order of their first parts; `size` is the largest coordinate.
pub(super) fn merged(pieces: Vec<ConvexPolyhedron>, size: Real) -> Vec<ConvexPolyhedron> {
    let mut pieces: Vec<Piece> = pieces.into_iter().map(Piece::new).collect();
    pieces.retain(|piece| piece.thickness() > TOUCHING * size);
    let mut i = 0;
    while i < pieces.len() {
        let found = (0..pieces.len()).filter(|&j| j != i).find_map(|j| Some((j, pieces[i].with(&pieces[j], size)?)));
        match found {
            // The larger piece may fit to one that was looked at before.
            Some((j, union)) => {
                pieces[i.min(j)] = union;
                pieces.remove(i.max(j));
                i = i.min(j);
            }
            None => i += 1,
        }
    }
    pieces.into_iter().map(|piece| piece.hull).collect()
}
