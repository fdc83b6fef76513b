//! The search for the nearest pair of points of fields, cell by cell: the nearest goes first, and what is proven to be far enough is dropped.

use super::field::FieldPair;
use super::prover::Prover;
use crate::detection::field::cells::{Cell, Cells, Divided};
use crate::detection::field::witness::{Pair, Within, Witness};
use crate::detection::queue::{Queue, Ranked};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::field::{Field, nearest_surface};
use crate::math::{Point, Real, Vector};

/// How exact a distance is, of itself and of the solid's size.
const RELATIVE: Real = 1e-6;
pub(super) const ABSOLUTE: Real = 1e-9;
/// Cells that are looked at with that accuracy.
pub(super) const PATIENCE: u64 = 1500;
/// Cells after which boxes are made of the other solid.
const EASY: u64 = 256;
/// Cells after which the accuracy is given up fast.
const MANY: u64 = 20_000;
/// Cells are proven from the best pair's points as far from them as so many times their own radius.
const BESIDE: Real = 4.0;
/// Where not all has to be proven, cells that are this much smaller than the distance are left out where descent finds no nearer point.
const SMALL: Real = 0.1;
/// Pairs of points are looked for again once a cell is this much smaller.
const LOOK_AGAIN: Real = 0.1;
/// Cells without a pair of points after which it is asked whether there are any, which each solid finds out once.
const NONE_YET: u64 = 2;
/// Cells after which points are asked for that are known otherwise, as of a sliver to which hardly a way leads.
const LOST: u64 = 64;
/// Cells after which there are no points to be found within a limit, as of a surface that no way leads to …
const NOTHING: u64 = 3 * MANY;
/// … and at any distance, where each place is as good as another to begin from.
const NOTHING_AT_ALL: u64 = 16 * LOST;

/// By which share of itself a distance may be too large that so many cells ([`Local::iterations`]) have led to: a millionth up to
/// 1,500 of them, two ten thousandths at 20,000, a tenth at 34,000. From one on nothing is certain of it but that the points are
/// points of both.
pub(super) fn open_share(cells: u64) -> Real {
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

/// The nearest pair of points that a search has found.
pub(super) struct Nearest {
    pub pair: Pair,
    pub features: FeaturePair,
    /// Cells that were looked at.
    pub count: u64,
}

/// How exact an answer is to be.
#[derive(Clone, Copy)]
pub(super) struct Accuracy {
    /// Points that are further apart do not count, metres.
    pub limit: Real,
    /// Points that are nearer by less are no nearer, metres.
    pub slack: Real,
    /// Cells that are looked at without that slack.
    pub strictly: u64,
    /// What is this far apart need not be told how far, metres.
    pub enough: Real,
}

/// What a cell is searched for.
struct Goal {
    /// Points that are nearer than the best by less are no nearer, metres.
    slack: Real,
    /// Pairs of points count that are nearer than this, metres.
    nearer: Real,
    /// What is proven to be as far as this needs no look, metres.
    enough: Real,
}

/// A search in progress.
struct Search<'s, 'c> {
    solids: &'s FieldPair<'s>,
    cells: &'s mut Cells<'c>,
    prover: Prover<'s>,
    accuracy: Accuracy,
    /// Cells as small as this are not divided, metres.
    fine: Real,
    best: Option<(Pair, Feature)>,
    /// Points that are further apart do not count any more, metres.
    bound: Real,
    /// Cells that were looked at.
    count: u64,
}

impl Search<'_, '_> {
    fn goal(&self) -> Goal {
        let slack = if self.count >= self.accuracy.strictly { self.accuracy.slack } else { 0.0 };
        let leeway = open_share(self.count) * self.bound.abs() + self.fine;
        let leeway = leeway.max(if self.best.is_some() { slack } else { 0.0 });
        let nearer = if self.bound.is_finite() { self.bound - leeway } else { self.bound };
        Goal { slack, nearer, enough: nearer.min(self.accuracy.enough) }
    }

    /// Goes through the cells of the queue and their parts. `None` where there are no points, or none that count.
    fn run(mut self, mut queue: Queue<Entry>) -> Option<Nearest> {
        let mut parts = Vec::new();
        while let Some((known, entry)) = queue.pop() {
            let goal = self.goal();
            let most = if self.bound.is_finite() { NOTHING } else { NOTHING_AT_ALL };
            if known >= goal.enough || self.best.is_none() && self.count >= most {
                break;
            }
            self.count += 1;
            if self.count == NONE_YET && self.best.is_none() && self.solids.is_any_empty() {
                return None;
            }
            if self.count == LOST
                && self.best.is_none()
                && let Some(pair) = self.solids.some_pair().filter(|pair| pair.distance <= self.bound)
            {
                self.take(pair, Feature::Face(0));
            }
            let cell = self.cells.get(entry.cell);
            let Some(least) = self.least_distance(&cell, known, &goal) else { continue };
            let looked = self.look(&cell, entry.looked, &goal);
            if self.bound <= 0.0 {
                break;
            }
            if cell.radius <= self.fine {
                continue;
            }
            parts.clear();
            self.cells.split(entry.cell, Cells::long_sides(&cell), &mut parts);
            for &cell in &parts {
                queue.push(least, Entry { cell, looked });
            }
        }
        let (pair, feature) = self.best.or_else(|| self.solids.swallowed())?;
        Some(Nearest { pair, features: FeaturePair { a: feature, b: Feature::Face(0) }, count: self.count })
    }

    fn take(&mut self, pair: Pair, feature: Feature) {
        self.bound = pair.distance;
        self.best = Some((pair, feature));
    }

    /// A distance than which nothing in the cell is nearer, if it is known to be no nearer than `known` metres; `None` where it is proven, or seems,
    /// to be far enough.
    fn least_distance(&mut self, cell: &Cell, known: Real, goal: &Goal) -> Option<Real> {
        let enough = goal.enough;
        let least = self.prover.distance(cell).max(known);
        if least >= enough || self.prover.is_beyond(self.cells, cell, enough.max(0.0)) {
            return None;
        }
        if let Some((pair, _)) = &self.best
            && pair.distance > 0.0
            && is_beside(cell, pair, BESIDE)
            && self.prover.is_beyond_from(self.cells, cell, enough, pair)
        {
            return None;
        }
        if self.count > EASY && enough.is_finite() && self.prover.is_beyond_boxes(cell, enough) {
            return None;
        }
        let seems_far = goal.slack > 0.0 && cell.radius <= SMALL * enough && self.solids.seems_beyond(cell, enough);
        (!seems_far).then_some(least)
    }

    /// Looks for points near a cell, where that may find others than were found in one of size `looked` around it. Returns the size of the last cell
    /// that was looked in.
    fn look(&mut self, cell: &Cell, looked: Real, goal: &Goal) -> Real {
        // Around the best pair a look would find it again.
        let is_known = self.best.as_ref().is_some_and(|(pair, _)| is_beside(cell, pair, 1.0));
        // Until there is a pair nothing can be left out, but of overlaps, which are sought where nothing is far from them.
        let is_sought = self.best.is_none() && (self.accuracy.enough.is_infinite() || self.bound.is_infinite());
        let is_smaller = is_sought || cell.radius <= LOOK_AGAIN * looked;
        if is_known || Cells::is_node(cell) || !is_smaller {
            return looked;
        }
        let fine = (1e-3 * self.fine).max(1e-2 * goal.slack);
        if let Some(pair) = self.solids.look(self.cells, cell, fine, goal.nearer)
            && (pair.distance < self.bound || self.best.is_none() && pair.distance <= self.bound)
        {
            self.take(pair, self.cells.feature(cell));
        }
        cell.radius
    }
}

/// Whether the middle of a cell is within so many times its radius of a pair's points.
fn is_beside(cell: &Cell, pair: &Pair, times: Real) -> bool {
    (cell.centre - pair.point_a).norm() <= times * cell.radius
}

impl FieldPair<'_> {
    /// The closest points of what is in `left` of the cells, in which points were looked for already as far as those of size `looked`, metres.
    pub(super) fn closest_among(
        &self,
        cells: &mut Cells<'_>,
        left: &[u32],
        looked: Real,
        accuracy: Accuracy,
    ) -> Option<Nearest> {
        let prover = Prover::new(self.other, &self.pose);
        let (fine, bound) = (ABSOLUTE * self.size(), accuracy.limit);
        let mut queue = Queue::new();
        left.iter().for_each(|&cell| queue.push(Real::NEG_INFINITY, Entry { cell, looked }));
        Search { solids: self, cells, prover, accuracy, fine, best: None, bound, count: 0 }.run(queue)
    }

    /// A point of one of the two solids that is known without going to and fro, and the one of the other that descent finds nearest to it; where no
    /// descent leads to what is thin, one that is known of each.
    fn some_pair(&self) -> Option<Pair> {
        let fine = ABSOLUTE * self.size();
        let foot = |field: &dyn Field, place: &Point| {
            if field.contains(place) { Some(*place) } else { Some(nearest_surface(field, place, fine)?.point) }
        };
        let Divided::Field(own) = self.divided else { return None };
        let of_own = own.some_point();
        let of_other = || self.other.some_point().map(|point| self.pose * point);
        let from_own = || {
            let point_a = of_own?;
            Some((point_a, self.pose * foot(self.other, &self.pose.inverse_transform_point(&point_a))?))
        };
        let from_other = || {
            let point_b = of_other()?;
            Some((foot(own, &point_b).or(of_own)?, point_b))
        };
        let (point_a, point_b) = from_own().or_else(from_other)?;
        let way = point_b - point_a;
        let normal = way.try_normalize(0.0).unwrap_or_else(Vector::y);
        Some(Pair { point_a, point_b, normal, distance: way.norm(), alignment: 0.0 })
    }

    /// Points of both solids near a cell, as near to each other as descent finds to within `fine` metres; given up as soon as that
    /// promises no pair that is nearer than `nearer` metres.
    fn look(&self, cells: &Cells<'_>, cell: &Cell, fine: Real, nearer: Real) -> Option<Pair> {
        let witness = Witness { cells, other: self.other, other_pose: self.pose, fine, within: Within::Part };
        let pair = witness.nearer(cell, 0.0, nearer)?;
        // Of equally near places, as all around a hole, one is enough.
        Some(if pair.distance < nearer { witness.settled(cell, pair, self.size()) } else { pair })
    }

    /// Whether the cell is further than `reach` metres from where descent finds the other solid nearest to its centre.
    fn seems_beyond(&self, cell: &Cell, reach: Real) -> bool {
        let place = self.pose.inverse_transform_point(&cell.centre);
        let is_outside = !self.other.contains(&place);
        is_outside
            && nearest_surface(self.other, &place, 1e-3 * cell.radius)
                .is_some_and(|nearest| (nearest.point - place).norm() > reach + cell.radius)
    }
}
