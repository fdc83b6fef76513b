//! Time of contact of fields: one search in time over cells of space.
//!
//! **Problem.** The first time at which a solid given by a function comes within ε of any other solid.
//!
//! **Idea.** The one solid is divided into cells (boxes of space around a field, the nodes and triangles of a mesh). Every
//! cell knows a time up to which what it holds is certainly apart from the other solid. The cell whose time is the earliest is
//! looked at next: either a proof holds for a while from there, or the cell is divided, or two points within ε are found: the first
//! contact, for every other cell is certified to a later time.
//!
//! Proofs, the cheapest first:
//! 1. balls around the centres of rotation, whose ways are straight whatever spins;
//! 2. the distance of the cell's centre from the other solid against how fast it can come;
//! 3. beside a convex solid, a mean of its tangents and of the half-spaces that hold the cell, for as long as the motion allows
//!    ([`proof`]);
//! 4. else a mean of the half-spaces that hold both solids near the cell ([`crate::detection::field::separate`]).
//!
//! What spins is first its solid of revolution ([`super::spun`]): until that comes near nothing else is asked. Cells that were divided where
//! the two came near each other are one again where they have parted ([`family`]).
//!
//! **Guarantee.** Never late, within ε at the reported time, for any motion: errors of the half-spaces, of the cell's
//! turning (E2) and of the path's bend in the other's frame (E3) are taken off every proof, and a quarter of ε is kept as
//! a margin.
//!
//! **Limits.** A spin of many turns beside a surface takes steps in proportion to the turns.
//!
//! **Source.** Branch and bound over space and time; Farkas' lemma; the order in time is erratum E5's.

mod family;
mod proof;
mod touch;
mod waiting;
mod way;

use super::kinematics::{Instant, PairMotion, Turning};
use super::spun::{revolved, spins};
use crate::detection::field::cells::{Cell, Cells, Divided};
use crate::detection::field::separate::Plane;
use crate::geometry::field::{Enclosure, Field};
use crate::math::{Real, Vector};
use crate::shape::Shape;
use crate::stats::QueryStats;
use proof::Sought;
pub(super) use touch::FieldTouch;
use waiting::{Entry, Waiting};
use way::{own_size, time_to_cover};

/// The share of ε by which everything is proven apart before a contact.
const MARGIN: Real = 0.25;
/// The share of ε at which two points are near enough to end the search for nearer ones.
const ENOUGH: Real = 0.5;
/// A cell that distances have carried further so often is asked by half-spaces, too.
const SLOW: u32 = 3;
/// Points are looked for in a cell that was carried further so often.
const PATIENCE: u32 = 10;
/// Half-spaces that seem to touch are too few where points, so often looked for, are further apart than so many times ε.
const BLIND: Real = 4.0;
const FAILURES: u32 = 40;
/// Cells that are larger than this share of the solid are then divided; in smaller ones it is the gap that is narrow.
const COARSE: Real = 0.1;
/// A proof that holds for as long as it was asked for is asked for so many times as long.
const FURTHER: Real = 6.0;
/// To see which halves of a cell are worth it, so much of the time in which it moves by its own size counts.
const GLANCE: Real = 0.25;
/// A side is halved where that wins so much of what halving the best one does.
const WORTH: Real = 0.36;
/// A side that is shorter than this share of the middle one is not halved.
const FLATTEST: Real = 0.4;
/// No side of a cell becomes longer than so many times its shortest.
const LONGEST: Real = 64.0;
/// The share of the budget that solids of revolution may take is one of so many.
const SPUN: u64 = 8;
/// The cell that another is a part of waits in its place if it is proven apart for this share of the other's time.
const AS_LONG: Real = 0.25;
/// Pairs of points are looked for again once a cell is this much smaller.
const LOOK_AGAIN: Real = 0.4;

/// A question about a divided solid (side A) and a field (side B).
pub(crate) struct FieldSearch<'q> {
    pub cells: Cells<'q>,
    pub other: &'q dyn Field,
    /// The other side's outward normal in its frame, where it is a half-space.
    pub flat: Option<Vector>,
    pub motion: &'q PairMotion,
    /// ε, metres.
    pub tolerance: Real,
    /// How far rounding can move a gap, metres.
    pub rounding: Real,
    pub budget: u64,
}

/// What the search found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldFound {
    Touching(FieldTouch),
    /// Certified apart to the interval's end.
    Apart,
    /// Certified apart until this many seconds after the start.
    Undecided(Real),
}

/// What is certain of a cell from an instant on.
enum Certain {
    /// Apart for a while.
    For(Known),
    /// Apart to the end.
    Forever,
}

/// What is known of a cell at an instant.
#[derive(Clone, Copy)]
struct Known {
    /// Apart for this many seconds at least.
    safe: Real,
    /// To divide it is worth more than that.
    divide: bool,
    /// By how much it is proven apart at the instant beyond the margin, metres; infinite where that was not asked.
    gap: Real,
}

/// Room for the facets of one look.
#[derive(Default)]
struct Scratch {
    enclosure: Enclosure,
    planes: Vec<Plane>,
}

impl FieldSearch<'_> {
    /// The search from `start` seconds on, up to where the solids are known to be apart.
    pub fn run(&mut self, start: Real, stats: &mut QueryStats) -> FieldFound {
        let Some(root) = self.cells.root() else { return FieldFound::Apart };
        let mut waiting = Waiting::default();
        waiting.add(start, root, Real::INFINITY);
        let mut scratch = Scratch::default();
        let mut parts = Vec::new();
        while let Some((time, mut entry)) = waiting.next() {
            if stats.total() >= self.budget {
                return FieldFound::Undecided(time);
            }
            stats.advances += 1;
            let cell = self.cells.get(entry.cell);
            let at = self.motion.at(time);
            let known = match self.certain(&cell, &at, entry.steps, &mut scratch, stats) {
                Certain::Forever => continue,
                Certain::For(known) => known,
            };
            let Known { safe, divide, gap } = known;
            // What is inside can only be met through the surface, whose cells are watched.
            if safe > 0.0 && cell.is_inside {
                continue;
            }
            // A cell below the tolerance is at most its own size from being a touch: at a crease the bound of the distance
            // may stay above zero in ever smaller cells, which only points can end.
            let near = safe <= 0.0 || cell.radius <= self.tolerance;
            // And what creeps along within the tolerance is one before it is as near as cells can tell apart.
            let is_smaller = cell.radius <= LOOK_AGAIN * entry.looked;
            let creeps = (is_smaller && !divide || entry.steps >= PATIENCE) && gap < (ENOUGH - MARGIN) * self.tolerance;
            entry.steps += 1;
            // The half-spaces of a large cell may touch where the solids have ended.
            let mut is_blind = false;
            if creeps && !Cells::is_node(&cell) {
                (entry.steps, entry.looked) = (SLOW, cell.radius);
                stats.distance_queries += 1;
                match self.touch(&cell, &at, ENOUGH * self.tolerance) {
                    Ok(touch) => return FieldFound::Touching(touch),
                    Err(distance) => {
                        entry.failed += 1;
                        is_blind = entry.failed > FAILURES
                            && distance > BLIND * self.tolerance
                            && cell.radius > COARSE * self.reach();
                    }
                }
            }
            if !divide && !is_blind && time + safe > time {
                if !self.stands_in(&mut waiting, &mut entry, &at, safe, &mut scratch, stats) {
                    waiting.put_back(time + safe, entry);
                }
                continue;
            }
            if near && !Cells::is_node(&cell) && is_smaller {
                entry.looked = cell.radius;
                stats.distance_queries += 1;
                if let Ok(touch) = self.touch(&cell, &at, self.tolerance) {
                    return FieldFound::Touching(touch);
                }
            }
            if cell.radius <= self.rounding {
                return FieldFound::Undecided(time);
            }
            parts.clear();
            match waiting.parts(entry.cell) {
                Some(known) => parts.extend(known),
                None => {
                    let long = self.sides_to_halve(&cell, &at, &mut scratch, stats);
                    self.cells.split(entry.cell, long, &mut parts);
                }
            }
            stats.nodes_visited += parts.len() as u64;
            waiting.divide(time + safe, &entry, &parts);
        }
        FieldFound::Apart
    }

    /// Whether the cell that a long carried one is a part of waits in its place from now on, and in that of all its parts: where it is proven
    /// apart nearly as long.
    fn stands_in(
        &self,
        waiting: &mut Waiting,
        entry: &mut Entry,
        at: &Instant,
        safe: Real,
        scratch: &mut Scratch,
        stats: &mut QueryStats,
    ) -> bool {
        let Some(whole) = waiting.whole_asked_for(entry) else { return false };
        stats.advances += 1;
        match self.certain(&self.cells.get(whole), at, SLOW, scratch, stats) {
            Certain::Forever => waiting.unite(whole, None),
            Certain::For(Known { safe: longer, divide: false, .. }) if longer >= AS_LONG * safe => {
                waiting.unite(whole, Some(at.time + longer));
            }
            Certain::For(_) => return false,
        }
        true
    }

    /// The search for the solids of revolution that hold what spins: until it ends, the solids themselves are apart.
    pub fn apart_while_they_spin(&self, divided: &Shape, other: &Shape, stats: &mut QueryStats) -> FieldFound {
        let motion = self.motion;
        let round = |shape: &Shape, turning: &Turning| {
            if spins(turning, motion.length) { revolved(shape, turning) } else { None }
        };
        let (round_a, round_b) = (round(divided, &motion.a), round(other, &motion.b));
        if round_a.is_none() && round_b.is_none() {
            return FieldFound::Undecided(0.0);
        }
        let still = motion.without_turning(round_a.is_some(), round_b.is_some());
        FieldSearch {
            cells: Cells::new(round_a.as_ref().map_or(self.cells.divided, |solid| Divided::Field(solid))),
            other: round_b.as_ref().map_or(self.other, |solid| solid),
            motion: &still,
            budget: self.budget / SPUN,
            ..*self
        }
        .run(0.0, stats)
    }

    /// For how long the cell is apart from the other solid. `steps`: how often that has carried it further.
    fn certain(&self, cell: &Cell, at: &Instant, steps: u32, scratch: &mut Scratch, stats: &mut QueryStats) -> Certain {
        let margin = self.margin();
        let rest = self.motion.length - at.time;
        let straight = self.apart_in_balls(cell, at, margin);
        if straight > rest {
            return Certain::Forever;
        }
        let path = self.path(cell, at, rest);
        let gap = self.other.distance(&path.place) - cell.radius - margin;
        let by_distance = if gap > 0.0 { time_to_cover(gap, path.speed, path.most_acceleration) } else { 0.0 };
        let known = straight.max(by_distance);
        if known > rest {
            return Certain::Forever;
        }
        // The time in which the cell moves by its own size: beyond it half-spaces of its neighbourhood may say nothing.
        let own = time_to_cover(own_size(cell, &path, self.other), path.speed, path.most_acceleration);
        if known > 0.5 * own && steps < SLOW {
            return Certain::For(Known { safe: known, divide: false, gap: Real::INFINITY });
        }
        let mut ahead = own.max(by_distance).min(rest);
        let convex = self.by_tangents(cell, &path, rest, margin, scratch, stats);
        let mut found = match convex {
            Some(found) if found.gap > 0.0 && found.safe >= rest => return Certain::Forever,
            // Tangents hold for all the time there is.
            Some(found) => found,
            None => self.by_planes(cell, &path, ahead, Sought::Time, scratch, stats),
        };
        // What holds for all the time looked ahead may hold for longer, as beside a plane or a wall that is hollow the right way.
        while convex.is_none() && found.safe >= ahead && ahead < rest {
            let further = (FURTHER * ahead).min(rest);
            let longer = self.by_planes(cell, &path, further, Sought::Time, scratch, stats);
            if longer.safe <= found.safe {
                break;
            }
            (found, ahead) = (Known { divide: false, gap: found.gap, ..longer }, further);
        }
        let Known { safe, divide: blurred, gap } = found;
        if safe <= 0.0 {
            return Certain::For(Known { safe: known, divide: known <= 0.0 || known < 0.1 * own, gap });
        }
        if safe >= rest {
            return Certain::Forever;
        }
        let safe = safe.max(known);
        Certain::For(Known { safe, divide: blurred && safe < 0.2 * ahead, gap })
    }

    /// The sides along which to halve a cell: all long ones, or those by which most is won where cells may be long.
    fn sides_to_halve(
        &mut self,
        cell: &Cell,
        at: &Instant,
        scratch: &mut Scratch,
        stats: &mut QueryStats,
    ) -> [bool; 3] {
        let long = Cells::long_sides(cell);
        if !self.cells.may_be_long(cell, self.other) {
            return long;
        }
        let rest = self.motion.length - at.time;
        let path = self.path(cell, at, rest);
        let own = time_to_cover(own_size(cell, &path, self.other), path.speed, path.most_acceleration);
        let ahead = (GLANCE * own).min(rest);
        let whole = self.by_planes(cell, &path, ahead, Sought::Gap, scratch, stats).gap;
        let gains: [Real; 3] = std::array::from_fn(|k| match self.cells.middle(cell, k) {
            Some(middle) => {
                let gap = self.by_planes(&middle, &path, ahead, Sought::Gap, scratch, stats).gap;
                self.cells.forget(&middle);
                gap - whole
            }
            None => Real::INFINITY,
        });
        let (shortest, longest) = (cell.half.min(), cell.half.max());
        // What comes to an edge would be cut into ever thinner plates across its way, of which each comes there, too.
        let is_flat = |k: usize| cell.half[k] < FLATTEST * (cell.half.sum() - shortest - longest);
        let best = (0..3).filter(|k| !is_flat(*k)).map(|k| gains[k]).fold(Real::NEG_INFINITY, Real::max);
        let worth = |k: usize| {
            // Never so long that nothing else ever gets its turn.
            let is_long = cell.half[k] > LONGEST * shortest;
            is_long || gains[k] >= WORTH * best && !is_flat(k)
        };
        // Where nothing is known, or nothing won, cells become cubes.
        if !best.is_finite() || best <= 0.0 { long } else { std::array::from_fn(worth) }
    }

    /// How near two points are that end the search for nearer ones, with what rounding can move them, metres.
    pub fn enough(&self) -> Real {
        ENOUGH * self.tolerance + self.rounding
    }

    /// By how much everything is proven apart before a contact, metres.
    fn margin(&self) -> Real {
        MARGIN * self.tolerance + self.rounding
    }

    /// The size of the divided solid, metres.
    fn reach(&self) -> Real {
        match self.cells.divided {
            Divided::Field(field) => field.bounding_sphere().radius,
            Divided::Mesh(mesh) => mesh.aabb().half_extents().norm(),
            Divided::Patches(surface) => surface.surface().aabb().half_extents().norm(),
        }
    }
}
