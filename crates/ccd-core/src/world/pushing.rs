//! Pushing apart: bodies that overlap, or have too little of a gap, move along the least ways out, round by round, until nobody does.

use std::collections::BTreeSet;

use super::World;
use super::islands::levels_from_the_ground;
use super::report::{OverlappingPair, StepError};
use super::separate::Depths;
use super::way_out::{Plane, way_out};
use crate::detection::closest::Overlap;
use crate::dynamics::{Body, BodyKind};
use crate::id::{BodyId, PairKey};
use crate::math::{Pose, Real, Rotation, Vector};

/// Rounds of pushing apart; each halves what is left in the worst case of a pile, and a single pair needs one.
const ROUNDS: usize = 200;
/// Rounds after which it is looked at anew who stands on whom, and for a way out of all that was seen since the last time: what is put on
/// something is pushed into what that stands on, and back.
const BACK_AND_FORTH: usize = 20;

/// The round until which planes are trusted: opposed ones leave no way, and those of what is not convex may lead round in circles. From then on
/// bodies are moved singly, to where there is room.
const LAST_PLANES: usize = 60;

/// Where gaps are to be opened as far as there is room, what they lack has to shrink to this share within as many rounds.
const SHRINKS: Real = 0.9;

/// Bodies that only touch may go as far for each pair that does, in tolerances and resting gaps together, until each has its gap.
const BESIDE: Real = 2.0;

impl World {
    /// Moves bodies along the least separating translations, the lighter one further, until nothing overlaps; or leaves
    /// them where they were.
    pub(super) fn push_apart(&mut self, found: Vec<(PairKey, Overlap)>, depths: Depths) -> Result<(), StepError> {
        if found.is_empty() {
            return Ok(());
        }
        self.forget_places();
        let former = self.poses();
        let pushed = self.push_rounds(found, depths, &former);
        if pushed.is_err() {
            self.put_back(&former);
        }
        pushed
    }

    /// Where the bodies are, by their slots.
    pub(super) fn poses(&self) -> Vec<Option<Pose>> {
        self.slots.iter().map(|slot| slot.body.as_ref().map(|body| body.pose)).collect()
    }

    pub(super) fn put_back(&mut self, former: &[Option<Pose>]) {
        for (slot, pose) in self.slots.iter_mut().zip(former) {
            if let (Some(body), Some(pose)) = (slot.body.as_mut(), pose) {
                body.place(*pose);
            }
        }
    }

    /// Whether a body is no longer right beside where it was.
    fn has_strayed(&self, id: BodyId, former: &[Option<Pose>], reach: Real) -> bool {
        let was = former.get(id.index as usize).copied().flatten();
        let Some((body, was)) = self.body(id).zip(was) else { return false };
        (body.centre() - was * body.local_centre()).norm() > reach
    }

    fn push_rounds(
        &mut self,
        mut found: Vec<(PairKey, Overlap)>,
        depths: Depths,
        former: &[Option<Pose>],
    ) -> Result<(), StepError> {
        let beside = BESIDE * (self.in_force.tolerance + self.in_force.resting_gap()) * (found.len() + 1) as Real;
        if depths == Depths::Measured && self.spread_what_coincides(&found) {
            let touched: BTreeSet<BodyId> = found.iter().flat_map(|(pair, _)| [pair.a, pair.b]).collect();
            found = self.overlaps(|pair| touched.contains(&pair.a) || touched.contains(&pair.b), depths);
        }
        let mut levels = self.levels(found.iter().map(|(pair, _)| pair));
        let mut lately: Vec<Plane> = Vec::new();
        let mut lacked = Real::INFINITY;
        for round in 1..=ROUNDS {
            if found.is_empty() {
                return Ok(());
            }
            if depths != Depths::Measured && round % BACK_AND_FORTH == 1 {
                // Between two walls it goes to and fro for good.
                let lacks = self.lack_of(&found);
                if lacks > SHRINKS * lacked {
                    break;
                }
                lacked = lacks;
            }
            let mut pushed: Vec<PairKey> = found.iter().map(|(pair, _)| *pair).collect();
            let mut moved = false;
            if matches!(depths, Depths::Measured | Depths::Touches) {
                lately.extend(found.iter().filter_map(|(pair, overlap)| self.plane(pair, overlap)));
                if round % BACK_AND_FORTH == 0 || round > LAST_PLANES {
                    let planes = std::mem::take(&mut lately);
                    levels = self.levels(planes.iter().map(|plane| &plane.pair));
                    moved = match round {
                        ..=LAST_PLANES => self.leave_all(&planes, &levels),
                        _ if depths == Depths::Touches => false,
                        _ => self.leave_singly(&found, &levels),
                    };
                    if !moved && depths == Depths::Touches {
                        break;
                    }
                    pushed.extend(planes.iter().map(|plane| plane.pair));
                }
            } else if depths == Depths::Refused && found.iter().any(|(_, o)| o.depth > self.in_force.tolerance) {
                break;
            }
            if !moved {
                let level = |id: &BodyId| levels[id.index as usize];
                // From the ground up, each pair measured anew: a whole stack is lifted in one round.
                found.sort_by_key(|(pair, _)| (level(&pair.a).min(level(&pair.b)), *pair));
                for (pair, _) in &found {
                    moved |= self.push_pair(pair, [level(&pair.a), level(&pair.b)], depths);
                }
            }
            if !moved {
                break;
            }
            let moved: BTreeSet<BodyId> =
                pushed.iter().flat_map(|pair| [pair.a, pair.b]).filter(|id| self.can_move(*id)).collect();
            if depths == Depths::Touches && moved.iter().any(|id| self.has_strayed(*id, former, beside)) {
                break;
            }
            found = self.overlaps(|pair| moved.contains(&pair.a) || moved.contains(&pair.b), depths);
        }
        match found.first() {
            None => Ok(()),
            Some((pair, overlap)) => {
                Err(StepError::Inseparable { pair: OverlappingPair { pair: *pair, depth: overlap.depth } })
            }
        }
    }

    /// By how much all pairs together are nearer than the resting gap, metres.
    fn lack_of(&self, found: &[(PairKey, Overlap)]) -> Real {
        found.iter().map(|(_, overlap)| overlap.depth + self.in_force.resting_gap()).sum()
    }

    /// Moves a pair apart: the body that is further from the ground, or both by their inverse masses. What cannot be moved aside
    /// turns aside. Returns whether anything has moved.
    fn push_pair(&mut self, pair: &PairKey, levels: [u32; 2], depths: Depths) -> bool {
        let gap = self.in_force.resting_gap();
        let (Some(a), Some(b)) = (self.body(pair.a), self.body(pair.b)) else { return false };
        let Some(overlap) = depths.of(a, b, 0.5 * gap).filter(|overlap| overlap.depth.is_finite()) else {
            return false;
        };
        let push = overlap.normal * (overlap.depth + gap);
        let [ease_a, ease_b] = eases([a, b], levels);
        let total = ease_a + ease_b;
        let part = |ease: &Vector| ease.zip_map(&total, |e: Real, t: Real| if t > 0.0 { e / t } else { 0.0 });
        let (by_a, by_b) = (-push.component_mul(&part(&ease_a)), push.component_mul(&part(&ease_b)));
        let opened = (by_b - by_a).dot(&overlap.normal);
        if opened > 0.0 {
            let further = if total.iter().all(|ease| *ease > 0.0) { 1.0 } else { along_guides(&push, opened) };
            self.shift(pair.a, by_a * further);
            self.shift(pair.b, by_b * further);
            return true;
        }
        let [turn_a, turn_b] = [(a, -1.0), (b, 1.0)].map(|(body, sign)| turning(body, &overlap, sign));
        let total = turn_a.rate + turn_b.rate;
        if total <= 0.0 {
            return false;
        }
        let angle = (overlap.depth + gap) / total;
        self.turn(pair.a, turn_a.axis * angle);
        self.turn(pair.b, turn_b.axis * angle);
        true
    }

    /// How far a pair that overlaps has to get apart from where it is.
    fn plane(&self, pair: &PairKey, overlap: &Overlap) -> Option<Plane> {
        let seen_at = [pair.a, pair.b].map(|id| self.body(id).map(|body| body.pose.translation.vector));
        let depth = overlap.depth + self.in_force.resting_gap();
        Some(Plane { pair: *pair, normal: overlap.normal, depth, seen_at: [seen_at[0]?, seen_at[1]?] })
    }

    /// Moves bodies beyond all of these planes, if that can be. Returns whether it can.
    fn leave_all(&mut self, planes: &[Plane], levels: &[u32]) -> bool {
        let bodies = planes.iter().flat_map(|plane| [plane.pair.a, plane.pair.b]);
        let places = bodies.filter_map(|id| Some((id, self.body(id)?.pose.translation.vector))).collect();
        let ease = |pair: &PairKey| {
            let bodies = [self.body(pair.a)?, self.body(pair.b)?];
            Some(eases(bodies, [pair.a, pair.b].map(|id| levels[id.index as usize])))
        };
        let Some(way) = way_out(planes, places, ease, 0.25 * self.in_force.resting_gap()) else {
            return false;
        };
        for (id, place) in way {
            if self.can_move(id)
                && let Some(body) = self.body_mut(id)
            {
                body.pose.translation.vector = place;
            }
        }
        true
    }

    /// Moves bodies that overlap one by one to where there is room for them, those first that are far from the ground. Returns whether there was
    /// any.
    fn leave_singly(&mut self, found: &[(PairKey, Overlap)], levels: &[u32]) -> bool {
        let bodies: BTreeSet<BodyId> = found.iter().flat_map(|(pair, _)| [pair.a, pair.b]).collect();
        let mut movable: Vec<BodyId> = bodies.into_iter().filter(|id| self.can_move(*id)).collect();
        movable.sort_by_key(|id| std::cmp::Reverse(levels[id.index as usize]));
        let mut moved = false;
        for id in movable {
            moved |= self.move_where_there_is_room(id);
        }
        moved
    }

    /// For each slot the number of overlaps between its body and what cannot move.
    fn levels<'p>(&self, overlaps: impl Iterator<Item = &'p PairKey>) -> Vec<u32> {
        let mut overlapping: Vec<Vec<u32>> = vec![Vec::new(); self.slots.len()];
        for pair in overlaps {
            overlapping[pair.a.index as usize].push(pair.b.index);
            overlapping[pair.b.index as usize].push(pair.a.index);
        }
        let nobody = vec![Vec::new(); self.slots.len()];
        let is_fixed =
            |k: u32| self.slots[k as usize].body.as_ref().is_none_or(|body| body.kind() != BodyKind::Dynamic);
        levels_from_the_ground(&overlapping, &nobody, is_fixed)
    }

    pub(super) fn can_move(&self, id: BodyId) -> bool {
        self.body(id).is_some_and(|body| body.kind() == BodyKind::Dynamic)
    }

    pub(super) fn shift(&mut self, id: BodyId, by: Vector) {
        if let Some(body) = self.body_mut(id) {
            body.pose.translation.vector += by;
        }
    }

    /// Turns a body about its centre of mass.
    fn turn(&mut self, id: BodyId, by: Vector) {
        if let Some(body) = self.body_mut(id) {
            let centre = body.centre();
            let rotation = Rotation::from_scaled_axis(by) * body.pose.rotation;
            body.pose = Pose::from_parts((centre - rotation * body.local_centre().coords).coords.into(), rotation);
        }
    }
}

/// How many times as far as its share of a push what has locked axes moves along the others: until the pair is apart, but no further than
/// the push. `opened`: what the share alone opens, metres.
fn along_guides(push: &Vector, opened: Real) -> Real {
    // The share is shorter than the push by the cosine of the angle between the two, and opens less than it is long by that.
    (push.norm() / opened).sqrt().max(1.0)
}

/// How easily a body moves aside: by its inverse mass; kinematic and static bodies stay where they were put.
fn ease(body: &Body) -> Vector {
    if body.kind() == BodyKind::Dynamic { body.inverse_mass() } else { Vector::zeros() }
}

/// The same of a pair: where one is further from the ground and can move, it alone does.
fn eases([a, b]: [&Body; 2], levels: [u32; 2]) -> [Vector; 2] {
    let (ease_a, ease_b) = (ease(a), ease(b));
    if levels[0] < levels[1] && ease_b != Vector::zeros() {
        [Vector::zeros(), ease_b]
    } else if levels[1] < levels[0] && ease_a != Vector::zeros() {
        [ease_a, Vector::zeros()]
    } else {
        [ease_a, ease_b]
    }
}

/// How a body turns aside.
struct Turning {
    /// By how much it turns for a unit impulse, about which axis, rad.
    axis: Vector,
    /// How far that opens the gap, metres.
    rate: Real,
}

fn turning(body: &Body, overlap: &Overlap, sign: Real) -> Turning {
    if body.kind() != BodyKind::Dynamic {
        return Turning { axis: Vector::zeros(), rate: 0.0 };
    }
    let lever = (overlap.point - body.centre()).cross(&(overlap.normal * sign));
    let axis = body.inverse_inertia(body.pose()) * lever;
    Turning { axis, rate: lever.dot(&axis) }
}
