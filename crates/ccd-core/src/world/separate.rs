//! Bodies that were put into each other, or exactly into touch: refused, or moved apart without gaining energy.
//!
//! Only bodies whose place the caller chose (added, teleported), and those that he lets meet others than before, can overlap; the step
//! itself never makes an overlap.

use std::collections::BTreeSet;

use super::islands::levels_from_the_ground;
use super::report::{OverlappingPair, StepError};
use super::way_out::{Plane, way_out};
use super::{InitialOverlap, World};
use crate::detection::closest::{Overlap, interferes, mesh_overlaps};
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

/// What is done about overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depths {
    /// All are measured and pushed out.
    Measured,
    /// There are none; gaps are opened as far as there is room.
    Gaps,
    /// There are none but for rounding; deeper ones are not pushed out, and those of meshes are not measured: their depth is infinite.
    Refused,
}

impl Depths {
    /// How the bodies overlap, if they are not `margin` metres apart.
    pub(super) fn of(self, a: &Body, b: &Body, margin: Real) -> Option<Overlap> {
        if self == Self::Refused && mesh_overlaps(a.shape(), a.pose(), b.shape(), b.pose()) {
            return Some(Overlap { depth: Real::INFINITY, normal: Vector::zeros(), point: a.centre() });
        }
        interferes(a.shape(), a.pose(), b.shape(), b.pose(), margin)
    }
}

impl World {
    /// Checks the places that the caller chose, and makes them disjoint.
    ///
    /// Bodies that touch, or overlap by less than the tolerance (rounding, mostly), are always moved apart to the resting
    /// gap; deeper overlaps are refused or separated as the settings say. What is disjoint and has no room for that gap stays
    /// where it is: a heap that was put down again as it lay. On an error no body has moved.
    pub(super) fn separate_unchecked(&mut self) -> Result<Vec<OverlappingPair>, StepError> {
        let separated = self.separate_placed()?;
        self.open_tight_gaps();
        Ok(separated)
    }

    /// The same of the places that the caller chose.
    fn separate_placed(&mut self) -> Result<Vec<OverlappingPair>, StepError> {
        // What it did not meet it may be in.
        let is_changed = |body: &Body| !body.settled && body.kept != Some(body.company());
        let changed: Vec<BodyId> = self.bodies().filter(|(_, body)| is_changed(body)).map(|(id, _)| id).collect();
        self.unchecked.extend(changed);
        if self.unchecked.is_empty() {
            return Ok(Vec::new());
        }
        let unchecked = &self.unchecked;
        let found = self.overlaps(|pair| unchecked.contains(&pair.a) || unchecked.contains(&pair.b), Depths::Measured);
        let tolerance = self.in_force.tolerance;
        let mut deep: Vec<OverlappingPair> = found
            .iter()
            .filter(|(_, overlap)| overlap.depth > tolerance)
            .map(|(pair, overlap)| OverlappingPair { pair: *pair, depth: overlap.depth })
            .collect();
        deep.sort_by(|x, y| y.depth.total_cmp(&x.depth).then(x.pair.cmp(&y.pair)));
        if let Some(first) = deep.first()
            && self.in_force.initial_overlap == InitialOverlap::Error
        {
            return Err(StepError::InitialOverlap { first: *first, all: deep });
        }
        let are_disjoint = found.iter().all(|(_, overlap)| overlap.depth < 0.0);
        let pushed = self.push_apart(found, if are_disjoint { Depths::Gaps } else { Depths::Measured });
        if !are_disjoint {
            pushed?;
        }
        for id in std::mem::take(&mut self.unchecked) {
            self.inner_body_mut(id).into_iter().for_each(|body| body.kept = Some(body.company()));
        }
        Ok(deep)
    }

    /// Opens gaps that all but closed in the last step to the resting gap. Where there is no room (in a press), they stay
    /// as they are, and what is too tight to be certified is held. The pairs are known to be apart: a depth of more than the
    /// tolerance can only be a search that lost its direction, and following it could undo a chain.
    fn open_tight_gaps(&mut self) {
        let tight = std::mem::take(&mut self.tight);
        if !tight.is_empty() {
            let found = self.overlaps(|pair| tight.contains(pair), Depths::Refused);
            // Where one press has no room another gap may have.
            for group in self.groups_of(found) {
                let _ = self.push_apart(group, Depths::Refused);
            }
        }
    }

    /// The pairs in groups that have no body in common that can move.
    fn groups_of(&self, found: Vec<(PairKey, Overlap)>) -> Vec<Vec<(PairKey, Overlap)>> {
        let mut groups: Vec<(BTreeSet<BodyId>, Vec<(PairKey, Overlap)>)> = Vec::new();
        for (pair, overlap) in found {
            let mut bodies: BTreeSet<BodyId> = [pair.a, pair.b].into_iter().filter(|id| self.can_move(*id)).collect();
            let mut pairs = Vec::new();
            let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(own, _)| !own.is_disjoint(&bodies));
            for (own, of_them) in joined {
                bodies.extend(own);
                pairs.extend(of_them);
            }
            pairs.push((pair, overlap));
            groups = others;
            groups.push((bodies, pairs));
        }
        groups.into_iter().map(|(_, pairs)| pairs).collect()
    }

    /// Moves bodies along the least separating translations, the lighter one further, until nothing overlaps; or leaves
    /// them where they were.
    fn push_apart(&mut self, found: Vec<(PairKey, Overlap)>, depths: Depths) -> Result<(), StepError> {
        if found.is_empty() {
            return Ok(());
        }
        self.forget_places();
        let former: Vec<Option<Pose>> = self.slots.iter().map(|s| s.body.as_ref().map(|b| b.pose)).collect();
        let pushed = self.push_rounds(found, depths);
        if pushed.is_err() {
            for (slot, pose) in self.slots.iter_mut().zip(former) {
                if let (Some(body), Some(pose)) = (slot.body.as_mut(), pose) {
                    body.place(pose);
                }
            }
        }
        pushed
    }

    fn push_rounds(&mut self, mut found: Vec<(PairKey, Overlap)>, depths: Depths) -> Result<(), StepError> {
        if depths == Depths::Measured && self.spread_what_coincides(&found) {
            let touched: BTreeSet<BodyId> = found.iter().flat_map(|(pair, _)| [pair.a, pair.b]).collect();
            found = self.overlaps(|pair| touched.contains(&pair.a) || touched.contains(&pair.b), depths);
        }
        let mut levels = self.levels(found.iter().map(|(pair, _)| pair));
        let mut lately: Vec<Plane> = Vec::new();
        for round in 1..=ROUNDS {
            if found.is_empty() {
                return Ok(());
            }
            let mut pushed: Vec<PairKey> = found.iter().map(|(pair, _)| *pair).collect();
            let mut moved = false;
            if depths == Depths::Measured {
                lately.extend(found.iter().filter_map(|(pair, overlap)| self.plane(pair, overlap)));
                if round % BACK_AND_FORTH == 0 || round > LAST_PLANES {
                    let planes = std::mem::take(&mut lately);
                    levels = self.levels(planes.iter().map(|plane| &plane.pair));
                    moved = match round {
                        ..=LAST_PLANES => self.leave_all(&planes, &levels),
                        _ => self.leave_singly(&found, &levels),
                    };
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
            found = self.overlaps(|pair| moved.contains(&pair.a) || moved.contains(&pair.b), depths);
        }
        match found.first() {
            None => Ok(()),
            Some((pair, overlap)) => {
                Err(StepError::Inseparable { pair: OverlappingPair { pair: *pair, depth: overlap.depth } })
            }
        }
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

    /// The wanted pairs that overlap or are closer than half the resting gap, in ascending order.
    fn overlaps(&self, wanted: impl Fn(&PairKey) -> bool, depths: Depths) -> Vec<(PairKey, Overlap)> {
        let gap = self.in_force.resting_gap();
        let bodies: Vec<(BodyId, &Body)> = self.bodies().collect();
        let boxes: Vec<_> =
            bodies.iter().map(|(_, b)| b.shape().as_solid().local_aabb().transformed(b.pose()).inflated(gap)).collect();
        let meets = |i: u32, j: u32| {
            let (a, b) = (bodies[i as usize], bodies[j as usize]);
            self.may_touch(a, b) && !a.1.sensor && !b.1.sensor && wanted(&PairKey::new(a.0, b.0))
        };
        let pairs = crate::detection::broad::tree::find_pairs(&boxes, meets);
        let mut found = Vec::new();
        for (i, j) in pairs.iter() {
            let ((id_a, a), (id_b, b)) = (bodies[i as usize], bodies[j as usize]);
            if let Some(overlap) = depths.of(a, b, 0.5 * gap) {
                found.push((PairKey::new(id_a, id_b), overlap));
            }
        }
        found
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot build its scene has failed")]

    use super::*;
    use crate::dynamics::BodyDefinition;
    use crate::shape::Shape;
    use crate::world::WorldSettings;

    #[test]
    fn a_press_without_room_keeps_no_other_gap_from_being_opened() {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let mut add = |kind, half: [Real; 3], at: [Real; 3]| {
            let pose = Pose::translation(at[0], at[1], at[2]);
            world.add_body(BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), pose)).unwrap()
        };
        const TIGHT: Real = 1e-12;
        let floor = add(BodyKind::Static, [5.0, 0.5, 5.0], [0.0, -0.5, 0.0]);
        let free = add(BodyKind::Dynamic, [0.5; 3], [-3.0, 0.5 + TIGHT, 0.0]);
        let pressed = add(BodyKind::Dynamic, [0.5; 3], [3.0, 0.5 + TIGHT, 0.0]);
        let lid = add(BodyKind::Static, [0.5; 3], [3.0, 1.5 + 2.0 * TIGHT, 0.0]);
        world.tight.extend([(floor, free), (floor, pressed), (pressed, lid)].map(|(a, b)| PairKey::new(a, b)));
        world.open_tight_gaps();
        let gap = world.in_force.resting_gap();
        let rises = |id: BodyId| world.body(id).unwrap().pose.translation.y - 0.5 - TIGHT;
        assert!((rises(free) - gap).abs() < 0.1 * gap, "{}", rises(free));
        assert!(rises(pressed).abs() < TIGHT, "{}", rises(pressed));
    }
}
