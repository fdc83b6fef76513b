//! Choosing the points of a cluster that are kept: four that span it, what was kept the last time, and what those leave out.
//!
//! Of a convex patch its outline is all that counts, and all of that counts: a body stands on it as long as its weight is inside. Many corners are
//! thinned out; what these leave out is seen as soon as the body leans that way by a hair, because the deepest point is always kept.

use super::candidate::{Candidate, LOYALTY, State, cross};
use super::outline::{area, beyond, hull, is_missed, lies_outside, span};
use super::{Reduction, SAME_DIRECTION};
use crate::contact::ContactPoint;
use crate::contact::buffer::Buffer;
use crate::math::{Real, orthonormal_basis};

/// The share of the kept points' size by which a point must lie outside of them to be missed.
const OUTSIDE: Real = 0.15;
/// The same of a convex patch: of a circle the kept ones leave out less.
const OUTSIDE_OF_CONVEX: Real = 0.03;
/// What lies this share of the kept points' size outside of them adds nothing.
const FLUSH: Real = 1e-6;

/// Fours after which the kept points leave out a curved surface, which no number of them has all of: from then on the depth that does
/// not matter doubles with every four.
const FLAT: usize = 16;

/// The share of a score by which two are as good as the same.
const TIE: Real = 1e-9;

/// The numbers of points that are chosen of a cluster.
type Chosen = Buffer<usize, 16>;

/// The points that are chosen from, with what is known of each beside it.
pub(super) struct Pool<'a> {
    pub(super) candidates: Buffer<Candidate, 16>,
    pub(super) points: &'a [ContactPoint],
}

impl Pool<'_> {
    fn with(&self, state: State) -> impl Iterator<Item = usize> + '_ {
        self.candidates.iter().enumerate().filter(move |(_, c)| c.state == state).map(|(i, _)| i)
    }

    /// The deepest of a state; among those within `same_depth` of it the first that was kept the last time, else the first by features.
    pub(super) fn deepest(&self, state: State, same_depth: Real) -> Option<usize> {
        let depth = self.with(state).map(|i| self.candidates[i].separation).reduce(Real::min)?;
        self.with(state)
            .filter(|&i| self.candidates[i].separation <= depth + same_depth)
            .min_by_key(|&i| (self.candidates[i].loyalty == 1.0, self.points[i].features))
    }

    /// Puts all waiting points whose normals are like the seed's into the cluster, seen along its normal.
    pub(super) fn cluster_around(&mut self, seed: usize) {
        let normal = self.points[seed].normal;
        let origin = self.points[seed].point_a;
        let (t, s) = orthonormal_basis(&normal);
        for (c, p) in self.candidates.as_mut_slice().iter_mut().zip(self.points) {
            if c.state == State::Waiting && p.normal.dot(&normal) > SAME_DIRECTION {
                let place = p.midpoint() - origin;
                (c.state, c.x, c.y) = (State::Clustered, place.dot(&t), place.dot(&s));
            }
        }
    }

    /// Keeps four points of the cluster, and further fours while the kept ones leave out support and that is asked for.
    pub(super) fn keep_representatives(&mut self, reduction: &Reduction) {
        if self.keep_the_last(reduction) {
            return;
        }
        let mut allowed = *reduction;
        let mut corners: Buffer<Candidate, 8> = Buffer::new(Candidate::NONE);
        for round in 1.. {
            let few = match self.with(State::Clustered).count() {
                0 => break,
                1..=4 => self.choose_all(),
                _ if !reduction.several_patches => self.choose_outline(reduction),
                _ => self.choose_four(reduction),
            };
            if !reduction.several_patches {
                break;
            }
            few.iter().for_each(|&i| corners.push(self.candidates[i]));
            corners = hull(&corners);
            if round >= FLAT {
                allowed.same_depth *= 2.0;
            }
            // Those of before, too: other corners say another depth for a place between them.
            let outside = OUTSIDE * span(&corners);
            for c in self.candidates.as_mut_slice() {
                if matches!(c.state, State::Clustered | State::Covered) {
                    let missed = is_missed(c, &corners, outside, &allowed);
                    c.state = if missed { State::Clustered } else { State::Covered };
                }
            }
        }
        for c in self.candidates.as_mut_slice() {
            if matches!(c.state, State::Clustered | State::Covered) {
                c.state = State::Dropped;
            }
        }
    }

    /// Keeps of the cluster what was kept the last time, if that still holds the bodies: then a small motion changes nothing
    /// but the places. What is missed counts by a little more than when it is chosen anew, so that nothing flips at the limit.
    fn keep_the_last(&mut self, reduction: &Reduction) -> bool {
        let count = self.with(State::Clustered).count();
        let mut last: Buffer<Candidate, 8> = Buffer::new(Candidate::NONE);
        for c in self.with(State::Clustered).map(|i| self.candidates[i]).filter(|c| c.loyalty > 1.0) {
            last.push(c);
        }
        if count <= 4 || last.is_empty() || !reduction.several_patches && last.len() > reduction.few {
            return false;
        }
        let depth = |least: Real, c: &Candidate| least.min(c.separation);
        let deepest = self.with(State::Clustered).map(|i| &self.candidates[i]).fold(Real::INFINITY, depth);
        if last.iter().fold(Real::INFINITY, depth) > deepest + reduction.same_gap {
            return false;
        }
        let hull = hull(&last);
        let share = if reduction.several_patches { OUTSIDE } else { OUTSIDE_OF_CONVEX };
        let outside = share * LOYALTY * span(&hull);
        let looser = Reduction { same_depth: LOYALTY * reduction.same_depth, ..*reduction };
        let is_missed = |c: &Candidate| {
            if reduction.several_patches {
                is_missed(c, &hull, outside, &looser)
            } else {
                lies_outside(c, &hull, outside, &looser)
            }
        };
        let any_missed =
            self.with(State::Clustered).any(|i| self.candidates[i].loyalty == 1.0 && is_missed(&self.candidates[i]));
        if any_missed && reduction.several_patches {
            return false;
        }
        // Without regard to what was kept: what is chosen with it spans less, and would be given up again.
        let better = if any_missed { self.wider_than(LOYALTY * area(&hull), reduction) } else { None };
        for (i, c) in self.candidates.as_mut_slice().iter_mut().enumerate() {
            if c.state == State::Clustered {
                let stays = better.as_ref().map_or(c.loyalty > 1.0, |chosen| chosen.contains(&i));
                c.state = if stays { State::Chosen } else { State::Dropped };
            }
        }
        true
    }

    /// The points that would be chosen of a convex patch if none had been kept before, if they span more than the given twice an area.
    fn wider_than(&self, least: Real, reduction: &Reduction) -> Option<Chosen> {
        let mut anew = Pool { candidates: self.candidates.clone(), points: self.points };
        for c in anew.candidates.as_mut_slice() {
            c.loyalty = 1.0;
        }
        let chosen = anew.choose_outline(reduction);
        let corners: Vec<Candidate> = chosen.iter().map(|&i| anew.candidates[i]).collect();
        (area(&hull(&corners)) > least).then_some(chosen)
    }

    /// Chooses the few that are left of the cluster.
    fn choose_all(&mut self) -> Chosen {
        let mut left = Buffer::new(0);
        self.with(State::Clustered).for_each(|i| left.push(i));
        left.iter().for_each(|&i| {
            self.choose(i);
        });
        left
    }

    /// Chooses the deepest point of the cluster and of the others, one by one, that which is furthest outside of what is chosen.
    fn choose_outline(&mut self, reduction: &Reduction) -> Chosen {
        let mut chosen = self.choose_spanning(reduction);
        while chosen.len() < reduction.few {
            let mut corners: Buffer<Candidate, 8> = Buffer::new(Candidate::NONE);
            chosen.iter().for_each(|&i| corners.push(self.candidates[i]));
            let hull = hull(&corners);
            let Some(next) = self.best(|c| beyond(c, &hull) * c.loyalty) else { break };
            if beyond(&self.candidates[next], &hull) <= FLUSH * span(&hull) {
                break;
            }
            self.choose(next);
            chosen.push(next);
        }
        self.admit_deepest(&mut chosen, reduction.same_gap);
        chosen
    }

    /// Chooses the deepest point of the cluster and the three that span the most with it.
    fn choose_four(&mut self, reduction: &Reduction) -> Chosen {
        let mut four = self.choose_spanning(reduction);
        self.admit_deepest(&mut four, reduction.same_gap);
        four
    }

    /// The first of those that are about the deepest, and the three that span the most with it.
    fn choose_spanning(&mut self, reduction: &Reduction) -> Chosen {
        let mut four = Buffer::new(0);
        let Some(first) = self.deepest(State::Clustered, reduction.same_depth) else { return four };
        let origin = self.choose(first);
        four.push(first);
        let Some(second) = self.best(|c| c.distance_squared(&origin) * c.loyalty * c.loyalty) else { return four };
        let far = self.choose(second);
        four.push(second);
        let Some(third) = self.best(|c| cross(&origin, &far, c).abs() * c.loyalty) else { return four };
        let aside = self.choose(third);
        four.push(third);
        // The fourth adds the most area outside the triangle of the others; inside it adds no support.
        let turn = if cross(&origin, &far, &aside) < 0.0 { -1.0 } else { 1.0 };
        let beyond = |c: &Candidate| {
            let over = |p: &Candidate, q: &Candidate| -turn * cross(p, q, c);
            over(&origin, &far).max(over(&far, &aside)).max(over(&aside, &origin))
        };
        if let Some(fourth) = self.best(|c| beyond(c) * c.loyalty)
            && beyond(&self.candidates[fourth]) > 0.0
        {
            self.choose(fourth);
            four.push(fourth);
        }
        four
    }

    /// The choice among nearly equal depths may have passed over the very deepest: it takes the place of its neighbour.
    fn admit_deepest(&mut self, chosen: &mut Chosen, same_gap: Real) {
        let Some(i) = self.deepest(State::Clustered, 0.0) else { return };
        let deepest = self.candidates[i];
        let kept = chosen.iter().map(|&j| self.candidates[j].separation).fold(Real::INFINITY, Real::min);
        // Half, so that what is chosen now is deep enough the next time, too.
        if kept <= deepest.separation + 0.5 * same_gap {
            return;
        }
        let distance = |j: usize| self.candidates[j].distance_squared(&deepest);
        let neighbour = chosen.as_mut_slice().iter_mut().min_by(|p, q| distance(**p).total_cmp(&distance(**q)));
        if let Some(j) = neighbour {
            self.candidates.as_mut_slice()[*j].state = State::Clustered;
            self.candidates.as_mut_slice()[i].state = State::Chosen;
            *j = i;
        }
    }

    fn choose(&mut self, i: usize) -> Candidate {
        self.candidates.as_mut_slice()[i].state = State::Chosen;
        self.candidates[i]
    }

    /// The clustered point of the greatest score; the one of the lowest features among those that rounding does not tell apart.
    fn best(&self, score: impl Fn(&Candidate) -> Real) -> Option<usize> {
        let score = |i: usize| score(&self.candidates[i]);
        let most = self.with(State::Clustered).map(score).reduce(Real::max)?;
        let least = most - TIE * most.abs();
        self.with(State::Clustered).filter(|&i| score(i) >= least).min_by_key(|&i| self.points[i].features)
    }
}
