//! Closest points of fields, and of fields with anything else, by branch and bound over cells.
//!
//! **Idea.** The best pair of points so far bounds the distance from above; a cell is dropped once what it holds is proven
//! further away than that, by the same proofs as in time of contact. The nearest cell goes first.
//! Cells beside the best pair are proven by half-spaces at its points, which are exact there: convex surfaces are done with at once.
//! **Guarantee.** The distance is right to a millionth of itself and a billionth of the solid's size. Where surfaces run
//! along each other so that [`PATIENCE`] cells do not settle it, the share grows as [`open_share`](super::field_search::open_share) tells from the cells that were
//! looked at: the points are then nearest around them, and elsewhere the solids may be nearer by that share, and by no more.
//! **Limits.** Where the other solid's surface bends within the distance, as a hole's wall around a ball, half-spaces prove nothing however small the
//! cells are: there the share grows until the distance itself is proof of it, which is by some fifty thousand cells. Depths: [`super::field_depth`].

use super::field_search::{ABSOLUTE, Accuracy, Nearest, PATIENCE};
use super::{Closest, Local};
use crate::detection::field::cells::{Cells, Divided};
use crate::detection::field::witness::Pair;
use crate::geometry::field::Field;
use crate::math::{Point, Pose, Real, Vector};

/// How often the plane that a depth is measured from is lowered further: beyond any size.
const MOST_DOUBLINGS: usize = 60;
/// To tell what is in the way, points that are nearer by less than this share of what is looked through are no nearer, where many cells do not settle it.
const ROUGH: Real = 1e-2;

/// A divided solid and another placed in its frame.
pub(crate) struct FieldPair<'q> {
    pub divided: Divided<'q>,
    pub other: &'q dyn Field,
    /// From the other's frame to that of the divided solid.
    pub pose: Pose,
}

/// Nearer than this share of the divided solid's size any pair of points is looked for, whatever the limit.
const LEAST_LIMIT: Real = 1e-4;

impl FieldPair<'_> {
    /// The size of the divided solid, metres.
    pub(super) fn size(&self) -> Real {
        match self.divided {
            Divided::Field(field) => field.bounding_sphere().radius,
            Divided::Mesh(mesh) => mesh.aabb().half_extents().norm(),
            Divided::Patches(surface) => surface.surface().aabb().half_extents().norm(),
        }
    }

    /// The middle of the divided solid.
    pub(super) fn middle(&self) -> Point {
        match self.divided {
            Divided::Field(field) => field.bounding_sphere().centre,
            Divided::Mesh(mesh) => mesh.aabb().centre(),
            Divided::Patches(surface) => surface.surface().aabb().centre(),
        }
    }

    /// The closest points, if within `limit` metres, in the frame of the divided solid; of solids that overlap two that lie apart by a
    /// translation that separates them.
    pub(super) fn closest(&self, limit: Real) -> Option<Local> {
        let found = self.nearest_or_deepest(limit)?;
        if found.distance > 0.0 {
            return Some(found);
        }
        // The way begins where the overlap was found: at the same place whatever the limit.
        let found = if limit > 0.0 { self.nearest_or_deepest(0.0).unwrap_or(found) } else { found };
        Some(self.way_apart(found))
    }

    /// The closest points, if within `limit` metres, or of solids that overlap points around a place that is deep in both.
    pub(super) fn nearest_or_deepest(&self, limit: Real) -> Option<Local> {
        // Where only an overlap counts, what is apart at all is done with, however near it is.
        let enough = if limit <= 0.0 { ABSOLUTE * self.size() } else { Real::INFINITY };
        // Going to and fro leads to what overlaps only if something that is apart would do.
        let limit = limit.max(LEAST_LIMIT * self.size());
        self.measured(self.nearest_of_all(Accuracy { limit, slack: 0.0, strictly: 0, enough })?)
    }

    /// A place where the solids overlap, or are nearer than `clear` metres, if there is any; how deep they overlap is not asked.
    pub(super) fn place_within(&self, clear: Real) -> Option<Point> {
        let limit = clear.max(LEAST_LIMIT * self.size());
        let found = self.nearest_of_all(Accuracy { limit, slack: 0.0, strictly: 0, enough: clear });
        let found = found.map(|found| found.pair).filter(|pair| pair.distance <= clear);
        found.or_else(|| self.swallowed().map(|(pair, _)| pair)).map(|pair| pair.point_a)
    }

    /// Whether the solids overlap, by however little.
    pub(super) fn overlap_at_all(&self) -> bool {
        self.place_within(ABSOLUTE * self.size()).is_some()
    }

    /// Points that are closest but for a share of `reach`, if within that and the solids do not overlap: enough to tell what is in the way.
    pub(super) fn near_at(&self, reach: Real) -> Option<Local> {
        let slack = ROUGH * reach;
        let Nearest { pair, features, count } =
            self.nearest_of_all(Accuracy { limit: reach, slack, strictly: PATIENCE, enough: Real::INFINITY })?;
        let Pair { point_a, point_b, normal, distance, .. } = pair;
        let apart = distance > 0.0 && self.swallowed().is_none();
        apart.then_some(Local { distance, point_a, point_b, normal, features, iterations: count })
    }

    /// [`FieldPair::nearly_closest`] of all that is within the limit of the other solid's box.
    pub(crate) fn nearly_closest_of_all(&self, limit: Real, slack: Real) -> Option<Closest> {
        let mut cells = Cells::new(self.divided);
        let near = self.other.local_aabb().transformed(&self.pose).inflated(limit);
        let root = Vec::from_iter(cells.root_within(&near));
        self.nearly_closest(&mut cells, &root, limit, slack)
    }

    fn nearest_of_all(&self, accuracy: Accuracy) -> Option<Nearest> {
        let mut cells = Cells::new(self.divided);
        let root = Vec::from_iter(cells.root());
        self.closest_among(&mut cells, &root, Real::INFINITY, accuracy)
    }

    /// Points that are closest but for `slack` metres, if within `limit`, in the frame of the divided solid, as far as proofs and
    /// descent tell: where surfaces run along each other that is settled far sooner. What is not in `left` of the cells is known to
    /// be further away, and points were looked for in those already.
    pub(crate) fn nearly_closest(
        &self,
        cells: &mut Cells<'_>,
        left: &[u32],
        limit: Real,
        slack: Real,
    ) -> Option<Closest> {
        let looked = left.iter().map(|&cell| cells.get(cell).radius).fold(0.0, Real::max);
        let accuracy = Accuracy { limit, slack, strictly: 0, enough: Real::INFINITY };
        let found = self.measured(self.closest_among(cells, left, looked, accuracy)?)?;
        Some(found.in_frame(&Pose::identity()))
    }

    /// Whether it is certain that one of the solids has no points.
    pub(super) fn is_any_empty(&self) -> bool {
        self.other.has_no_point() || matches!(self.divided, Divided::Field(own) if own.has_no_point())
    }

    /// The distance that the nearest pair of points shows, or the depth of the overlap.
    fn measured(&self, Nearest { pair, features, count }: Nearest) -> Option<Local> {
        let swallowed = self.swallowed();
        if pair.distance > 0.0 && swallowed.is_none() {
            return Some(Local {
                distance: pair.distance,
                point_a: pair.point_a,
                point_b: pair.point_b,
                normal: pair.normal,
                features,
                iterations: count,
            });
        }
        let start = swallowed.map_or(pair.point_a, |(inside, _)| inside.point_a);
        let (point_a, point_b, normal, common) = self.deepest(&start, 1e-3 * ABSOLUTE * self.size())?;
        // Two balls of that radius are in the way of each other.
        let distance = normal.dot(&(point_b - point_a)).min(-2.0 * common);
        Some(Local { distance, point_a, point_b, normal, features, iterations: count })
    }

    /// [`FieldPair::closest`] where the other solid is a half-space, given by its outward normal: how deep the divided solid is in
    /// it is how far it is over a plane below it, less the way to that plane.
    pub(super) fn closest_over(&self, plane: &Vector, limit: Real) -> Option<Local> {
        let found = self.nearest_or_deepest(limit)?;
        if found.distance > 0.0 {
            return Some(found);
        }
        let up = self.pose.rotation * plane;
        let mut lowered = -found.distance + ABSOLUTE * self.size();
        for _ in 0..MOST_DOUBLINGS {
            lowered *= 2.0;
            let pose = nalgebra::Translation3::from(up * -lowered) * self.pose;
            let below = FieldPair { pose, ..*self }.nearest_or_deepest(Real::INFINITY)?;
            if below.distance > 0.0 {
                let depth = (below.distance - lowered).min(0.0);
                return Some(Local {
                    distance: depth,
                    point_b: below.point_a - up * depth,
                    normal: -up,
                    iterations: found.iterations + below.iterations,
                    ..below
                });
            }
        }
        Some(found)
    }
}
