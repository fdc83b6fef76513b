//! The way out of an overlap of compounds.

use super::super::field_depth::{FAR, SEPARATION, SHALLOW};
use super::super::inner_places::InnerPlaces;
use super::super::way_out::{ALL_AROUND, Gap, Movable, NearestGaps, first_way, leads_out, least_way_out, moved};
use super::super::{ClosestError, Local};
use super::{MAX_WAYS, Pairs, Side};
use crate::math::{Pose, Real, Vector};
use crate::volume::Aabb;

/// Distances of convex parts are wrong by no more than so many roundings of their coordinates.
const ROUNDINGS: Real = 16.0;
/// Directions that are as much alike count once.
const ALIKE: Real = 0.999;

impl Pairs<'_, '_> {
    fn has_cells(&self) -> bool {
        self.a.has_cells() || self.b.has_cells()
    }

    fn moved(&self, way: &Vector) -> Self {
        Self { b_in_a: moved(&self.b_in_a, way), ..*self }
    }

    /// Around the two, in A's frame.
    fn boxes(&self) -> [Option<Aabb>; 2] {
        let (own, other) = (self.a.aabb(self.a.root()), self.b.aabb(self.b.root()));
        [own, other.map(|b| b.transformed(&self.b_in_a))]
    }

    /// The way out of an overlap of which `worst` is the deepest pair of parts, and these are all.
    pub(super) fn deepest(&self, worst: Local, overlapping: &[Gap]) -> Result<Local, ClosestError> {
        if self.a.is_half_space() || self.b.is_half_space() {
            // Only its normal leads out, as far as the deepest part is in it.
            return Ok(worst);
        }
        let deepest = Gap::of(&worst);
        let inner = self.has_cells().then(|| InnerPlaces::new([Some(self.a), Some(self.b)]));
        let pairs = &Pairs { inner: inner.as_ref(), ..*self };
        // Of so flat an overlap rounding may say that it is none.
        if leads_out(pairs, &deepest)? || !self.has_cells() && !Movable::overlap(pairs, &Vector::zeros())? {
            return Ok(worst);
        }
        let mut held = vec![deepest];
        for gap in overlapping {
            if held.len() < MAX_WAYS && held.iter().all(|known| known.normal.dot(&gap.normal) < ALIKE) {
                held.push(*gap);
            }
        }
        let mut directions = vec![Vector::x(), Vector::y(), Vector::z()];
        for axis in self.a.axes(&Pose::identity()).chain(self.b.axes(&self.b_in_a)) {
            if directions.len() < MAX_WAYS && directions.iter().all(|known| known.dot(&axis).abs() < ALIKE) {
                directions.push(axis);
            }
        }
        let first = match self.boxes() {
            [Some(own), Some(other)] => {
                directions.extend((other.centre() - own.centre()).try_normalize(1e-12));
                Vector::y() * (2.0 * own.merged(&other).half_extents().norm())
            }
            // A ground with a pit, say: no box tells where its end is.
            [bounded, None] | [None, bounded] => {
                let size = bounded.map_or(1.0, |aabb| aabb.half_extents().norm());
                let ways = held.iter().map(|gap| gap.normal).chain(directions.iter().flat_map(|d| [*d, -d]));
                let ways: Vec<Vector> = ways.collect();
                match first_way(pairs, &ways, (SHALLOW * size).max(-worst.distance), FAR * size)? {
                    Some(first) => first,
                    // There may be none.
                    None => return Ok(worst),
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
            // Below that rounding tells what is apart from what is not.
            let furthest = |aabb: Aabb| aabb.min.coords.abs().sup(&aabb.max.coords.abs()).max();
            return ROUNDINGS * Real::EPSILON * self.boxes().into_iter().flatten().map(furthest).fold(0.0, Real::max);
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
