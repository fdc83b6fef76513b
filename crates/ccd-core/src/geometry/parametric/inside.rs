//! Whether a point is inside a closed surface of patches: by how often the surface winds around it.

use std::f64::consts::PI;

use super::{PatchPiece, PatchSurface};
use crate::math::{Point, Real};

/// A piece is replaced by the two triangles of its corners when its size is below this share of its distance …
const SMALL: Real = 0.5;
/// … and its bend below this one: what then leaks between neighbours of different size is far from a whole turn.
const FLAT: Real = 0.05;
/// Pieces below this share of the surface's size that still hold the point: it is on the surface.
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
        let mut stack: Vec<PatchPiece> =
            self.patches().iter().zip(0..).map(|(patch, number)| PatchPiece::whole(number, patch)).collect();
        while let Some(piece) = stack.pop() {
            let (centre, radius) = piece.sphere();
            let distance = (centre - point).norm();
            if radius < SMALL * distance && piece.error() < FLAT * distance {
                let patch = &self.patches()[piece.patch as usize];
                let corner = |u: usize, v: usize| {
                    let pick = |k: usize, end: usize| if end == 0 { piece.low[k] } else { piece.high[k] };
                    patch.point(pick(0, u), pick(1, v)) - point
                };
                let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
                turns += solid_angle([a, b, c]) + solid_angle([a, c, d]);
            } else if radius <= smallest {
                return false;
            } else {
                // A piece may be flat long before it is small.
                let is_flat = piece.error() < FLAT * distance.max(radius);
                stack.extend(if is_flat { piece.shorter_halves() } else { piece.halves() });
            }
        }
        turns > 2.0 * PI
    }
}

/// The solid angle of a triangle as seen from the origin, positive where its outward side looks away (Van Oosterom and
/// Strackee, 1983).
fn solid_angle([a, b, c]: [nalgebra::Vector3<Real>; 3]) -> Real {
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let volume = a.dot(&b.cross(&c));
    let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * volume.atan2(denominator)
}
