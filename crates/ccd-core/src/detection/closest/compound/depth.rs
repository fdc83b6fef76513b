//! The way out of an overlap of compounds.

use super::super::field_depth::{FAR, SEPARATION, SHALLOW};
use super::super::inner_places::InnerPlaces;
use super::super::way_out::{ALL_AROUND, Gap, Movable, NearestGaps, first_way, leads_out, least_way_out, moved};
use super::super::{ClosestError, Local};
use super::{MAX_WAYS, Pairs, Side};
use crate::math::{Pose, Real, Vector};

/// Directions that are as much alike count once.
const ALIKE: Real = 0.999;

impl Pairs<'_, '_> {
    fn has_cells(&self) -> bool {
        self.a.has_cells() || self.b.has_cells()
    }

    fn moved(&self, way: &Vector) -> Self {
        Self { b_in_a: moved(&self.b_in_a, way), ..*self }
    }

    /// The way out of an overlap of which `worst` is the deepest pair of parts, and these are all.
    pub(super) fn deepest(&self, worst: Local, overlapping: &[Gap]) -> Result<Local, ClosestError> {
        let deepest = Gap::of(&worst);
        let inner = self.has_cells().then(|| InnerPlaces::new([Some(self.a), Some(self.b)]));
        let pairs = &Pairs { inner: inner.as_ref(), ..*self };
        if leads_out(pairs, &deepest)? {
            return Ok(worst);
        }
        let mut held = vec![deepest];
        for gap in overlapping {
            if held.len() < MAX_WAYS && held.iter().all(|known| known.normal.dot(&gap.normal) < ALIKE) {
                held.push(*gap);
            }
        }
        let mut directions = Vec::new();
        let first = if self.a.is_half_space() || self.b.is_half_space() {
            // Only its normal leads out, as far as the deepest part is in it.
            worst.normal * -worst.distance
        } else {
            directions.extend([Vector::x(), Vector::y(), Vector::z()]);
            for axis in self.a.axes(&Pose::identity()).chain(self.b.axes(&self.b_in_a)) {
                if directions.len() < MAX_WAYS && directions.iter().all(|known| known.dot(&axis).abs() < ALIKE) {
                    directions.push(axis);
                }
            }
            let (own, other) = (self.a.aabb(self.a.root()), self.b.aabb(self.b.root()));
            match (own, other.map(|b| b.transformed(&self.b_in_a))) {
                (Some(own), Some(other)) => {
                    directions.extend((other.centre() - own.centre()).try_normalize(1e-12));
                    Vector::y() * (2.0 * own.merged(&other).half_extents().norm())
                }
                // A ground with a pit, say: no box tells where its end is.
                (bounded, None) | (None, bounded) => {
                    let size = bounded.map_or(1.0, |aabb| aabb.half_extents().norm());
                    let ways = held.iter().map(|gap| gap.normal).chain(directions.iter().flat_map(|d| [*d, -d]));
                    let ways: Vec<Vector> = ways.collect();
                    match first_way(pairs, &ways, (SHALLOW * size).max(-worst.distance), FAR * size)? {
                        Some(first) => first,
                        // There may be none.
                        None => return Ok(worst),
                    }
                }
            }
        };
        let out = least_way_out(pairs, &held, directions, ALL_AROUND, first)?;
        let beyond = 1e-8 * out.depth + 4.0 * pairs.clear();
        let apart = pairs.moved(&(out.normal * (out.depth + beyond)));
        let touch = apart.nearest(8.0 * beyond, None)?.map(|nearest| nearest.found);
        // So flat an overlap that rounding hides its end: around the middle of the deepest.
        let middle = nalgebra::center(&worst.point_a, &worst.point_b) + out.way() * 0.5;
        Ok(out.undone(&touch.unwrap_or(Local { point_a: middle, ..worst }), worst.iterations))
    }
}

impl Movable for Pairs<'_, '_> {
    fn clear(&self) -> Real {
        if !self.has_cells() {
            return 0.0;
        }
        // As closely as the ways of the parts are told apart.
        let size = |side: &Side<'_>| side.aabb(side.root()).map(|aabb| aabb.half_extents().norm());
        let smaller = [self.a, self.b].into_iter().filter_map(size).fold(Real::INFINITY, Real::min);
        SEPARATION * smaller
    }

    fn overlap(&self, way: &Vector) -> Result<bool, ClosestError> {
        let moved = self.moved(way);
        let is_known = moved.inner.is_some_and(|inner| inner.is_any_shared(&moved.b_in_a));
        Ok(is_known || moved.overlap(false)?)
    }

    fn gaps(&self, way: &Vector, reach: Real) -> Result<Vec<Gap>, ClosestError> {
        let mut nearest = NearestGaps::within(reach);
        self.moved(way).visit(reach, |found, _| Some(nearest.see(Gap::of(&found))))?;
        Ok(nearest.gaps())
    }
}
