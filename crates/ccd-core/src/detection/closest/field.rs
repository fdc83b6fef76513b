//! Closest points of fields, and of fields with anything else, by branch and bound over cells.
//!
//! **Idea.** The best pair of points so far bounds the distance from above; a cell is dropped once what it holds is proven
//! further away than that, by the same proofs as in time of contact. The nearest cell goes first.
//! Cells beside the best pair are proven by half-spaces at its points, which are exact there: convex surfaces are done with at once.
//! **Guarantee.** The distance is right to a millionth of itself and a billionth of the solid's size. Where surfaces run
//! along each other so that [`PATIENCE`] cells do not settle it, the share grows as [`open_share`] tells from the cells that were
//! looked at: the points are then nearest around them, and elsewhere the solids may be nearer by that share, and by no more.
//! **Limits.** Where the other solid's surface bends within the distance, as a hole's wall around a ball, half-spaces prove nothing however small the
//! cells are: there the share grows until the distance itself is proof of it, which is by some fifty thousand cells. Depths: [`super::field_depth`].

use super::prover::Prover;
use super::{Closest, Local};
use crate::detection::field::cells::{Cell, Cells, Divided};
use crate::detection::field::witness::{Pair, Within, Witness};
use crate::detection::queue::{Queue, Ranked};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::field::{Field, nearest_surface};
use crate::math::{Point, Pose, Real, Vector};

/// How exact a distance is, of itself and of the solid's size.
const RELATIVE: Real = 1e-6;
const ABSOLUTE: Real = 1e-9;
/// Cells that are looked at with that accuracy.
const PATIENCE: u64 = 1500;
/// Cells after which boxes are made of the other solid.
const EASY: u64 = 256;
/// Cells after which the accuracy is given up fast.
const MANY: u64 = 20_000;
/// Cells are proven from the best pair's points as far from them as so many times their own radius.
const BESIDE: Real = 4.0;
/// How often the plane that a depth is measured from is lowered further: beyond any size.
const MOST_DOUBLINGS: usize = 60;
/// Where not all has to be proven, cells that are this much smaller than the distance are left out where descent finds no nearer point.
const SMALL: Real = 0.1;
/// Pairs of points are looked for again once a cell is this much smaller.
const LOOK_AGAIN: Real = 0.1;

/// To tell what is in the way, points that are nearer by less than this share of what is looked through are no nearer, where many cells do not settle it.
const ROUGH: Real = 1e-2;

/// Cells after which points are asked for that are known otherwise, as of a sliver to which hardly a way leads, and whether there are any.
const LOST: u64 = 64;
/// Cells after which there are no points to be found, as of a surface that no way leads to.
const NOTHING: u64 = 3 * MANY;

/// By which share of itself a distance may be too large that so many cells ([`Local::iterations`]) have led to: a millionth up to
/// 1,500 of them, two ten thousandths at 20,000, a tenth at 34,000. From one on nothing is certain of it but that the points are
/// points of both.
pub(crate) fn open_share(cells: u64) -> Real {
    let (haste, hurry) = (cells as Real / PATIENCE as Real, cells as Real / MANY as Real);
    RELATIVE * haste.max(1.0).powi(2) * hurry.max(1.0).powi(10)
}

/// A cell, which waits by a distance than which nothing in it is nearer.
struct Entry {
    cell: u32,
    looked: Real,
}

impl Ranked for Entry {
    type Rank = u32;

    /// The newest first, which is the smallest.
    fn rank(&self) -> u32 {
        self.cell
    }
}

/// A divided solid and another placed in its frame.
pub(crate) struct FieldPair<'q> {
    pub divided: Divided<'q>,
    pub other: &'q dyn Field,
    /// From the other's frame to that of the divided solid.
    pub pose: Pose,
}

/// The nearest pair of points that a search has found.
struct Nearest {
    pair: Pair,
    features: FeaturePair,
    /// Cells that were looked at.
    count: u64,
}

/// How exact an answer is to be.
#[derive(Clone, Copy)]
struct Accuracy {
    /// Points that are further apart do not count, metres.
    limit: Real,
    /// Points that are nearer by less are no nearer, metres.
    slack: Real,
    /// Cells that are looked at without that slack.
    strictly: u64,
    /// What is this far apart need not be told how far, metres.
    enough: Real,
}

/// Nearer than this share of the divided solid's size any pair of points is looked for, whatever the limit.
const LEAST_LIMIT: Real = 1e-4;

impl FieldPair<'_> {
    /// The size of the divided solid, metres.
    pub(super) fn size(&self) -> Real {
        match self.divided {
            Divided::Field(field) => field.bounding_sphere().radius,
            Divided::Mesh(mesh) => mesh.mesh().aabb().half_extents().norm(),
            Divided::Patches(surface) => surface.surface().aabb().half_extents().norm(),
        }
    }

    /// The middle of the divided solid.
    pub(super) fn middle(&self) -> Point {
        match self.divided {
            Divided::Field(field) => field.bounding_sphere().centre,
            Divided::Mesh(mesh) => mesh.mesh().aabb().centre(),
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

    /// `looked`: the size of the cells in which points were looked for already, metres.
    fn closest_among(
        &self,
        cells: &mut Cells<'_>,
        left: &[u32],
        looked: Real,
        Accuracy { limit, slack: in_the_end, strictly, enough: apart }: Accuracy,
    ) -> Option<Nearest> {
        let fine = ABSOLUTE * self.size();
        let mut prover = Prover::new(self.other, &self.pose);
        let mut best: Option<(Pair, Feature)> = None;
        let mut bound = limit;
        let mut queue = Queue::new();
        left.iter().for_each(|&cell| queue.push(Real::NEG_INFINITY, Entry { cell, looked }));
        let mut parts = Vec::new();
        let mut count = 0;
        while let Some((known, entry)) = queue.pop() {
            let slack = if count >= strictly { in_the_end } else { 0.0 };
            let leeway = (open_share(count) * bound.abs() + fine).max(if best.is_some() { slack } else { 0.0 });
            let nearer = if bound.is_finite() { bound - leeway } else { bound };
            // What is proven to be as far as this needs no look.
            let enough = nearer.min(apart);
            if known >= enough || best.is_none() && count >= NOTHING {
                break;
            }
            count += 1;
            if count == LOST && best.is_none() {
                match self.some_pair() {
                    Some(pair) if pair.distance <= bound => {
                        bound = pair.distance;
                        best = Some((pair, Feature::Face(0)));
                    }
                    None if self.is_any_empty() => return None,
                    _ => {}
                }
            }
            let cell = cells.get(entry.cell);
            let least = prover.distance(&cell).max(known);
            if least >= enough || prover.is_beyond(cells, &cell, enough.max(0.0)) {
                continue;
            }
            let beside = |pair: &Pair, far: Real| (cell.centre - pair.point_a).norm() <= far * cell.radius;
            if let Some((pair, _)) = &best
                && pair.distance > 0.0
                && beside(pair, BESIDE)
                && prover.is_beyond_from(cells, &cell, enough, pair)
            {
                continue;
            }
            if count > EASY && enough.is_finite() && prover.is_beyond_boxes(&cell, enough) {
                continue;
            }
            if slack > 0.0 && cell.radius <= SMALL * enough && self.seems_beyond(&cell, enough) {
                continue;
            }
            let mut looked = entry.looked;
            // Around the best pair a look would find it again.
            let known = best.as_ref().is_some_and(|(pair, _)| beside(pair, 1.0));
            // Until there is a pair nothing can be left out, but of overlaps, which are sought where nothing is far from them.
            let is_sought = best.is_none() && (apart.is_infinite() || bound.is_infinite());
            let is_smaller = is_sought || cell.radius <= LOOK_AGAIN * looked;
            if !known && !Cells::is_node(&cell) && is_smaller {
                looked = cell.radius;
                let fine = (1e-3 * fine).max(1e-2 * slack);
                if let Some(pair) = self.look(cells, &cell, fine, nearer)
                    && (pair.distance < bound || best.is_none() && pair.distance <= bound)
                {
                    bound = pair.distance;
                    best = Some((pair, cells.feature(&cell)));
                }
            }
            if bound <= 0.0 {
                break;
            }
            if cell.radius <= fine {
                continue;
            }
            parts.clear();
            cells.split(entry.cell, Cells::long_sides(&cell), &mut parts);
            for &cell in &parts {
                queue.push(least, Entry { cell, looked });
            }
        }
        let (pair, feature) = best.or_else(|| self.swallowed())?;
        Some(Nearest { pair, features: FeaturePair { a: feature, b: Feature::Face(0) }, count })
    }

    /// A point of one of the two solids that is known without going to and fro, and the one of the other that descent finds nearest to it.
    fn some_pair(&self) -> Option<Pair> {
        let fine = ABSOLUTE * self.size();
        let foot = |field: &dyn Field, place: &Point| {
            if field.contains(place) { Some(*place) } else { Some(nearest_surface(field, place, fine)?.point) }
        };
        let Divided::Field(own) = self.divided else { return None };
        let from_own = || {
            let point_a = own.some_point()?;
            Some((point_a, self.pose * foot(self.other, &self.pose.inverse_transform_point(&point_a))?))
        };
        let from_other = || {
            let point_b = self.pose * self.other.some_point()?;
            Some((foot(own, &point_b)?, point_b))
        };
        let (point_a, point_b) = from_own().or_else(from_other)?;
        let way = point_b - point_a;
        let normal = way.try_normalize(0.0).unwrap_or_else(Vector::y);
        Some(Pair { point_a, point_b, normal, distance: way.norm(), alignment: 0.0 })
    }

    /// Whether it is certain that one of the solids has no points.
    pub(super) fn is_any_empty(&self) -> bool {
        self.other.has_no_point() || matches!(self.divided, Divided::Field(own) if own.has_no_point())
    }

    /// Points of both solids near a cell, as near to each other as descent finds to within `fine` metres; given up as soon as that
    /// promises no pair that is nearer than `nearer` metres.
    fn look(&self, cells: &Cells<'_>, cell: &Cell, fine: Real, nearer: Real) -> Option<Pair> {
        let witness = Witness { cells, other: self.other, other_pose: self.pose, fine, within: Within::Part };
        let pair = witness.nearer(cell, 0.0, nearer)?;
        // Of equally near places, as all around a hole, one is enough.
        Some(if pair.distance < nearer { witness.settled(cell, pair, self.size()) } else { pair })
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

    /// Whether the cell is further than `reach` metres from where descent finds the other solid nearest to its centre.
    fn seems_beyond(&self, cell: &Cell, reach: Real) -> bool {
        let place = self.pose.inverse_transform_point(&cell.centre);
        let is_outside = !self.other.contains(&place);
        is_outside
            && nearest_surface(self.other, &place, 1e-3 * cell.radius)
                .is_some_and(|nearest| (nearest.point - place).norm() > reach + cell.radius)
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
