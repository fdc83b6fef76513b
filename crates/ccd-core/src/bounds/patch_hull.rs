//! The convex hull of a surface of patches, as a support mapping: the place of the surface that is furthest along a direction.
//!
//! **Guarantee.** The place is on the surface, and no other is further by more than a ten-billionth of its size; where so many are as far that looking
//! at them is given up, it is moved out to where none can be. Rounding of the coordinates comes on top, where the surface is far from its frame's origin.

use super::patch_cells::{Held, PatchCells};
use crate::geometry::feature::Feature;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};

/// Places are not told apart that are further by less than this share of the surface's size.
const AS_FAR: Real = 1e-13;
/// Pieces that are looked at, at most.
const MOST_LOOKS: usize = 4096;

impl SupportMap for PatchCells {
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let unit = direction.try_normalize(0.0).unwrap_or_else(Vector::y);
        let as_far = AS_FAR * self.size();
        let mut best = (Real::NEG_INFINITY, Point::origin());
        let mut stack: Vec<(Real, Held<'_>)> = Vec::with_capacity(64);
        let highest_last = |stack: &mut Vec<(Real, Held<'_>)>, from: usize| {
            stack[from..].sort_by(|a, b| a.0.total_cmp(&b.0));
        };
        stack.extend(self.roots().map(|root| (root.cell().reach(&unit), root)));
        highest_last(&mut stack, 0);
        // How far what is not looked at may reach.
        let (mut looks, mut left) = (0, Real::NEG_INFINITY);
        while let Some((bound, held)) = stack.pop() {
            if bound <= best.0 + as_far {
                continue;
            }
            if looks > MOST_LOOKS {
                left = left.max(bound);
                continue;
            }
            if !self.is_inner(&held) {
                looks += 1;
                let cell = held.cell();
                if cell.height(&unit) <= best.0 + as_far {
                    continue;
                }
                let furthest = cell.furthest(&unit);
                if furthest.height > best.0 {
                    best = (furthest.height, furthest.point);
                }
                if furthest.is_certain || cell.height(&unit) <= best.0 + as_far {
                    continue;
                }
            }
            let from = stack.len();
            stack.extend(
                self.halves(&held).into_iter().flatten().map(|half| (half.cell().reach(&unit).min(bound), half)),
            );
            highest_last(&mut stack, from);
        }
        let point = self.of_surface(&(best.1 + unit * (left - best.0).max(0.0)));
        SupportPoint { point, vertex: SupportPoint::CURVED }
    }

    fn interior_point(&self) -> Point {
        let (mut sum, mut count) = (Vector::zeros(), 0.0);
        for root in self.roots() {
            let control = root.cell().piece.control();
            sum += [0, 3, 12, 15].iter().map(|&k: &usize| control[k].coords).sum::<Vector>();
            count += 4.0;
        }
        self.of_surface(&Point::from(sum / count))
    }

    fn feature_of(&self, _vertices: &[u32]) -> Feature {
        Feature::Face(0)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        let centre = self.own(centre);
        let away = |p: &Point| (p - centre).cross(axis).norm();
        let of_roots = self.roots().map(|root| root.cell().piece.control().iter().map(away).fold(0.0, Real::max));
        of_roots.fold(0.0, Real::max)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        polygon.push(self.support(direction, 0).point);
        Feature::Face(0)
    }
}
