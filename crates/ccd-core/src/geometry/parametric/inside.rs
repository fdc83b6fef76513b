//! Whether a point is inside a closed surface of patches: by how often the surface winds around it.

use std::f64::consts::PI;

use super::{BezierPatch, PatchPiece, PatchSurface};
use crate::math::{Point, Real};

/// A piece is replaced by the two triangles of its corners when its size is below this share of its distance …
const SMALL: Real = 0.5;
/// … and its bend below this one: what then leaks between neighbours of different size is far from a whole turn.
const FLAT: Real = 0.05;
/// Pieces below this share of the surface's size that still hold the point: it is on the surface. The pieces are taken about the point, so that rounding
/// is far below this wherever the surface lies in its frame.
const ON_SURFACE: Real = 1e-13;

impl PatchSurface {
    /// Whether the point (the surface's frame) is inside the solid that the patches bound; never for an open surface, nor
    /// for a point on the surface.
    ///
    /// A piece that the point is not near can be replaced by any other surface with the same boundary: the sum of the
    /// solid angles of such replacements is a whole number of turns but for what the replaced boundaries leave open.
    pub fn contains(&self, point: &Point) -> bool {
        if !self.is_closed() || self.aabb().distance_to_point(point) > 0.0 {
            return false;
        }
        let smallest = ON_SURFACE * self.bounding_sphere().radius;
        let mut turns = 0.0;
        // About the point, so that what halving rounds shrinks with the pieces that are near to it.
        let about_point = |patch: &BezierPatch| patch.mapped(|p| Point::from(p - point));
        let mut stack: Vec<PatchPiece> = self
            .patches()
            .iter()
            .zip(0..)
            .map(|(patch, number)| PatchPiece::whole(number, &about_point(patch)))
            .collect();
        while let Some(piece) = stack.pop() {
            match solid_angle_of_piece(&piece, &Point::origin()) {
                Some(angle) => turns += angle,
                None if piece.sphere().1 <= smallest => return false,
                None => stack.extend(nearer_halves(&piece, &Point::origin())),
            }
        }
        turns > 2.0 * PI
    }
}

/// The solid angle of the two triangles of a piece's corners as seen from a point; `None` where the point is too near for these to
/// stand for the piece.
pub(crate) fn solid_angle_of_piece(piece: &PatchPiece, point: &Point) -> Option<Real> {
    let (centre, radius) = piece.sphere();
    let distance = (centre - point).norm();
    if radius >= SMALL * distance || piece.error() >= FLAT * distance {
        return None;
    }
    let corner = |k: usize| piece.control()[k] - point;
    let (a, b, c, d) = (corner(0), corner(12), corner(15), corner(3));
    Some(solid_angle([a, b, c]) + solid_angle([a, c, d]))
}

/// The halves of a piece that a point is too near to: a piece may be flat long before it is small.
pub(crate) fn nearer_halves(piece: &PatchPiece, point: &Point) -> [PatchPiece; 2] {
    let (centre, radius) = piece.sphere();
    let is_flat = piece.error() < FLAT * (centre - point).norm().max(radius);
    if is_flat { piece.shorter_halves() } else { piece.halves() }
}

/// The solid angle of a triangle as seen from the origin, positive where its outward side looks away (Van Oosterom and
/// Strackee, 1983).
fn solid_angle([a, b, c]: [nalgebra::Vector3<Real>; 3]) -> Real {
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let volume = a.dot(&b.cross(&c));
    let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * volume.atan2(denominator)
}
