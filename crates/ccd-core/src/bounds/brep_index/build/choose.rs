//! Which plane divides a region of space.
//!
//! **The paper's hybrid** (erratum E17) halves a crowded region by axis-aligned planes in turn, and takes the first face's
//! plane otherwise.
//!
//! **The default** expects points anywhere in the solid's box, and estimates how many planes they will be tested against
//! when a region is divided in some place: one, and those of each part, weighted by its share of the volume. Axis-aligned
//! planes through the faces' corners are compared with each other and with dividing by the faces' own planes.

use super::super::node::Side;
use super::Builder;
use super::faces::{Choice, Region};
use crate::bounds::brep_index::Recipe;
use crate::math::Real;
use crate::volume::Aabb;

/// How many places along each axis are compared.
const PLACES: usize = 16;

/// How many faces' planes are compared.
const COMPARED: usize = 12;

/// What a face that is cut in two costs, in plane tests of a point: little for points, but it keeps the tree small.
const CUT: Real = 0.03;

impl Builder<'_> {
    pub(super) fn choose(&self, region: &Region) -> Choice {
        match self.recipe {
            Recipe::Paper { many_faces } => self.choose_as_the_paper(region, many_faces as usize),
            Recipe::Balanced => {
                let by_axis = region.cell.as_ref().and_then(|cell| self.best_axis(region, cell));
                match by_axis {
                    Some((cost, axis, at)) if cost < tests_by_faces(region.fragments.len()) => Choice::Axis(axis, at),
                    _ => Choice::Face(self.best_face(region)),
                }
            }
        }
    }

    fn choose_as_the_paper(&self, region: &Region, many_faces: usize) -> Choice {
        if let Some(cell) = region.cell.filter(|_| region.fragments.len() > many_faces) {
            let centre = cell.centre();
            // Planes in turn, leaving out an axis along which the region is thinner than planes are.
            let axes = (0..3).map(|k| 2 - (region.depth + k) % 3);
            let mut wide = axes.filter(|&axis| cell.half_extents()[axis] > 8.0 * self.clearance());
            if let Some(axis) = wide.next() {
                return Choice::Axis(axis, centre[axis]);
            }
        }
        Choice::Face(0)
    }

    /// The axis-aligned plane with the fewest expected tests: those tests, the axis, the place.
    fn best_axis(&self, region: &Region, cell: &Aabb) -> Option<(Real, usize, Real)> {
        let n = region.fragments.len();
        let mut best: Option<(Real, usize, Real)> = None;
        for axis in 0..3 {
            let (low, high) = (cell.min[axis], cell.max[axis]);
            let margin = 8.0 * self.clearance();
            if high - low <= 2.0 * margin {
                continue;
            }
            let along = |f: &super::Fragment| {
                f.corners
                    .iter()
                    .map(|p| p[axis])
                    .fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
            };
            let mut spans: Vec<(Real, Real)> = region.fragments.iter().map(along).collect();
            let mut starts: Vec<Real> = spans.iter().map(|s| s.0).collect();
            let mut ends: Vec<Real> = spans.iter().map(|s| s.1).collect();
            starts.sort_by(Real::total_cmp);
            ends.sort_by(Real::total_cmp);
            spans.clear();
            let step = n.div_ceil(PLACES);
            let places = starts.iter().step_by(step).chain(ends.iter().rev().step_by(step));
            for &at in places {
                if at < low + margin || at > high - margin {
                    continue;
                }
                // On the plane: counted on neither side.
                let below = starts.partition_point(|&s| s < at - self.thickness);
                let above = n - ends.partition_point(|&e| e <= at + self.thickness);
                let cut = (below + above).saturating_sub(n);
                let share = (at - low) / (high - low);
                let cost = 1.0 + share * tests(below) + (1.0 - share) * tests(above) + CUT * cut as Real;
                if best.is_none_or(|(c, _, _)| cost < c) && (below < n || above < n) {
                    best = Some((cost, axis, at));
                }
            }
        }
        best
    }

    /// The fragment whose plane leaves the least to do: cuts few and divides evenly; of equals, the largest.
    fn best_face(&self, region: &Region) -> usize {
        let fragments = &region.fragments;
        let step = fragments.len().div_ceil(COMPARED);
        let mut best: Option<(usize, Real, usize)> = None;
        for i in (0..fragments.len()).step_by(step) {
            let plane = self.brep.planes()[fragments[i].face as usize];
            let (mut above, mut below, mut both) = (0_usize, 0_usize, 0_usize);
            for f in fragments {
                match self.side_of(f.corners.iter().map(|p| plane.height(p))) {
                    Some(Side::Above) => above += 1,
                    Some(Side::On) => {}
                    Some(Side::Below) => below += 1,
                    None => both += 1,
                }
            }
            let cost = above.max(below) + 3 * both;
            let corners = &fragments[i].corners;
            let fan =
                (2..corners.len()).map(|k| (corners[k - 1] - corners[0]).cross(&(corners[k] - corners[0])).norm());
            let area: Real = fan.sum();
            if best.is_none_or(|(c, a, _)| cost < c || (cost == c && area > a)) {
                best = Some((cost, area, i));
            }
        }
        best.map_or(0, |(_, _, i)| i)
    }
}

/// The expected tests of a point in a region with so many faces, however it is divided.
fn tests(faces: usize) -> Real {
    let n = faces as Real;
    if faces <= 2 { n } else { (1.2 + 1.25 * n.log2()).min(tests_by_faces(faces)) }
}

/// The expected tests of a point in a region that is divided by its faces' planes: a list, left halfway on average.
fn tests_by_faces(faces: usize) -> Real {
    0.65 * faces as Real + 0.4
}
