//! Algorithm 1: the first contact of two moving solids over all their features.
//!
//! **Problem.** Which of all the vertices of A against B, vertices of B against A, and edges against edges meets first?
//! **Idea.** The paper loops over points and finds each one's time. Here the loops are exchanged: a stretch of time is
//! taken with all features that may still meet in it, those that provably do not are struck out, and what is left is
//! halved, the earlier half first. So the best time is shared by construction: nothing later than the first contact is ever
//! looked at, poses are computed once for all features, and when the work budget ends everything before the current
//! stretch is certified.
//!
//! ```text
//!   [t₀ ─────────────────────── t_f]   all features whose bounding balls come near
//!   [t₀ ──────────]                    those whose boxes meet the other solid
//!         [───────]   first stretch in which every feature left is resolved: report its earliest time
//! ```
//!
//! **Guarantee.** Never late, within the tolerance ε at the reported time; [`super::obb_bisection`] and
//! `edge_sweep` say how, [`super::segments`] what its variant gives up. Rounding is allowed for in proportion to the
//! coordinates, and widens ε by as much (1e-9 m for bodies a thousand kilometres out). When two solids start apart, the
//! first contact of closed solids or soups is a vertex on the other or an edge on an edge, so the surfaces' features
//! suffice; for the start itself every vertex and edge is also tested for being inside.
//! Round solids are tessellated coarse to fine: a coarse set, with its error as thickness, disposes of most of the time, and
//! only stretches in which the motion is shorter than that error are taken up again with a finer set.
//! **Limits.** Linear in the number of features at least: the feature sets are made for each query. A solid whose feature
//! set has a larger error than asked for (ε/16) is found early by up to that error.
//! **Source.** Precise contact determination, Algorithm 1; errata E5, E6, E7, E22.

use std::cell::OnceCell;
use std::rc::Rc;

use super::answer::{Answered, FirstContact, Method, Toc, TocError, TocOptions};
use super::feature_search::{Candidates, Instant, MARGIN, Search, all_features_of};
use super::samples::{is_sampled, samples};
use super::side::Side;
use super::witness::Witnesses;
use crate::geometry::solid::Solid;
use crate::math::Real;
use crate::motion::{RigidMotion, TimeInterval};
use crate::stats::QueryStats;

/// How the path of a vertex is tested against the other solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trajectories {
    /// Algorithm 2: oriented boxes. Misses nothing.
    Boxes,
    /// Algorithm 3: straight segments. Can miss contacts shallower than a quarter of the tolerance.
    Segments,
    /// Boxes around the paths of samples of the smaller solid's surface ([`super::samples`]), and of nothing else. Misses what passes between them.
    Samples,
}

/// The answer of Algorithm 1, with all contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureToc {
    /// The answer; its contact is the nearest of `contacts_at_first`.
    pub toc: Toc,
    /// Every contact of two features within the tolerance at the time of the first, vertices of A first, then those of B,
    /// then edges; empty unless there is a contact. Solids that overlap at the start give at least one.
    pub contacts_at_first: Vec<FirstContact>,
}

/// The share of the tolerance that each side's tessellation may take.
const TESSELLATION: Real = 1.0 / 16.0;

/// The first contact of solids `a` and `b`, each with its motion, over `interval`, and all contacts at that time.
///
/// # Errors
/// As [`super::obb_bisection::time_of_contact`].
pub fn determine_contact(
    a: (&dyn Solid, &RigidMotion),
    b: (&dyn Solid, &RigidMotion),
    interval: TimeInterval,
    options: &TocOptions,
    trajectories: Trajectories,
) -> Result<Answered<FeatureToc>, TocError> {
    if !(options.tolerance > 0.0 && options.tolerance.is_finite()) {
        return Err(TocError::BadTolerance { tolerance: options.tolerance });
    }
    for (side, motion) in [('a', a.1), ('b', b.1)] {
        if !motion.is_finite() {
            return Err(TocError::NonFiniteMotion { side });
        }
    }
    let query = match trajectories {
        Trajectories::Boxes | Trajectories::Segments => Query::new(a, b, options),
        Trajectories::Samples => Query::of_samples(a, b, options),
    };
    if query.levels.is_empty() {
        let method = match trajectories {
            Trajectories::Boxes => Method::ObbBisection,
            Trajectories::Segments => Method::Segments,
            Trajectories::Samples => Method::Samples,
        };
        return Err(TocError::Unsupported { method, kind_a: a.0.kind(), kind_b: b.0.kind() });
    }
    let mut stats = QueryStats::default();
    let answer = query.run(interval, trajectories, &mut stats);
    Ok(Answered { answer, stats })
}

/// How much finer each level of tessellation is than the one before: the number of features of a round solid grows with
/// the root of it.
const REFINEMENT: Real = 4.0;
/// The error of the coarsest level, as a share of the smaller solid.
const COARSEST: Real = 1.0 / 32.0;

/// A query, with the feature sets of its levels, coarse to fine. Solids whose features are exact have one level.
struct Query<'a> {
    a: (&'a dyn Solid, &'a RigidMotion),
    b: (&'a dyn Solid, &'a RigidMotion),
    options: &'a TocOptions,
    levels: Vec<Level<'a>>,
}

struct Level<'a> {
    max_error: Real,
    sides: OnceCell<[Side<'a>; 2]>,
}

/// A stretch of time with what may meet in it, at one level.
struct Stretch {
    from: Instant,
    to: Instant,
    level: usize,
    candidates: Rc<Candidates>,
}

impl<'a> Query<'a> {
    /// No levels where neither solid has a finite set of features.
    fn new(a: (&'a dyn Solid, &'a RigidMotion), b: (&'a dyn Solid, &'a RigidMotion), options: &'a TocOptions) -> Self {
        let finest = TESSELLATION * options.tolerance;
        let size = |solid: &dyn Solid| Some(solid.bounding_sphere().radius).filter(|r| r.is_finite());
        let smaller = [size(a.0), size(b.0)].into_iter().flatten().fold(Real::INFINITY, Real::min);
        let coarsest = if smaller.is_finite() { (COARSEST * smaller).max(finest) } else { finest };
        let sides = [Side::new(a.0, a.1, coarsest), Side::new(b.0, b.1, coarsest)];
        let bounded = sides.iter().any(Side::is_bounded);
        let exact = sides.iter().all(|side| side.features.error == 0.0);
        let mut levels = Vec::new();
        if bounded {
            levels.push(Level { max_error: coarsest, sides: OnceCell::from(sides) });
            let mut max_error = coarsest;
            while !exact && max_error > finest {
                max_error = (max_error / REFINEMENT).max(finest);
                levels.push(Level { max_error, sides: OnceCell::new() });
            }
        }
        Self { a, b, options, levels }
    }

    /// The query of the smaller solid's samples, which are one level.
    fn of_samples(
        a: (&'a dyn Solid, &'a RigidMotion),
        b: (&'a dyn Solid, &'a RigidMotion),
        options: &'a TocOptions,
    ) -> Self {
        let max_error = TESSELLATION * options.tolerance;
        let side = |number: usize, (solid, motion): (&'a dyn Solid, &'a RigidMotion)| {
            if is_sampled([a.0, b.0], number) {
                Side::of(solid, motion, samples(solid).points)
            } else {
                Side::new(solid, motion, max_error)
            }
        };
        let sides = [side(0, a), side(1, b)];
        let is_bounded = sides.iter().any(Side::is_bounded);
        let level = Level { max_error, sides: OnceCell::from(sides) };
        Self { a, b, options, levels: if is_bounded { vec![level] } else { Vec::new() } }
    }

    fn sides(&self, level: usize) -> &[Side<'a>; 2] {
        let Level { max_error, sides } = &self.levels[level];
        sides.get_or_init(|| [Side::new(self.a.0, self.a.1, *max_error), Side::new(self.b.0, self.b.1, *max_error)])
    }

    fn run(&self, interval: TimeInterval, trajectories: Trajectories, stats: &mut QueryStats) -> FeatureToc {
        let separated = FeatureToc { toc: Toc::Separated, contacts_at_first: Vec::new() };
        let finest = self.levels.len() - 1;
        let search = |level: usize| {
            // A segment has no thickness to make up for a coarse tessellation: it is cast at the finest level only.
            let trajectories = if level == finest { trajectories } else { Trajectories::Boxes };
            Search::new(self.sides(level), &interval, self.options, trajectories)
        };
        let Some((from, to)) = search(0).near(interval) else { return separated };
        let start = search(0).instant(from);
        if from <= interval.start() {
            // What is deep inside shows in the coarse set, what is shallow only where the coarse sets are near.
            let coarse = search(0);
            let near = finest > 0 && !coarse.survey(&start, &start, &coarse.all(), MARGIN, stats).left.is_empty();
            let overlap = Witnesses::new(&coarse, &start).inside();
            let overlap = overlap.or_else(|| near.then(|| Witnesses::new(&search(finest), &start).inside()).flatten());
            if let Some(contact) = overlap {
                let mut contacts = search(finest).contacts_at(&start, stats);
                contacts.push(contact);
                return FeatureToc { toc: Toc::Overlapping(contact), contacts_at_first: contacts };
            }
        }
        let end = search(0).instant(to);
        let mut stack = vec![Stretch { from: start, to: end, level: 0, candidates: Rc::new(search(0).all()) }];
        while let Some(Stretch { from, to, level, candidates }) = stack.pop() {
            if stats.total() >= self.options.budget {
                return FeatureToc { toc: Toc::Undecided { safe_until: from.time }, contacts_at_first: Vec::new() };
            }
            stats.advances += 1;
            let search = search(level);
            let survey = search.survey(&from, &to, &candidates, MARGIN, stats);
            if survey.left.is_empty() {
                continue;
            }
            let middle = 0.5 * (from.time + to.time);
            // Time has no finer steps where the middle is an end.
            let indivisible = middle <= from.time || middle >= to.time;
            if level < finest
                && (indivisible || search.edge_sweep(&from, &to, MARGIN).longest_sweep() <= search.error())
            {
                let candidates = {
                    let [a, b] = self.sides(level + 1);
                    Rc::new(all_features_of(a, b))
                };
                stack.push(Stretch { from, to, level: level + 1, candidates });
                continue;
            }
            if indivisible || survey.resolved && level == finest {
                return search.report(survey.earliest, &interval, &survey.left, (&from, &to), stats);
            }
            let left = Rc::new(survey.left);
            let length = to.time - from.time;
            if survey.earliest > from.time + 0.25 * length {
                let from = search.instant(survey.earliest.min(to.time));
                stack.push(Stretch { from, to, level, candidates: left });
            } else {
                let middle = search.instant(middle);
                stack.push(Stretch { from: middle, to, level, candidates: Rc::clone(&left) });
                stack.push(Stretch { from, to: middle, level, candidates: left });
            }
        }
        separated
    }
}
