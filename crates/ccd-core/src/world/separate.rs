//! Bodies that were put into each other, or exactly into touch: refused, or moved apart without gaining energy.
//!
//! Only bodies whose place the caller chose (added, teleported), and those that he lets meet others than before, can overlap; the step
//! itself never makes an overlap.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{MOST_OVERLAPS_TOLD, OverlappingPair, StepError};
use super::{InitialOverlap, World};
use crate::detection::closest::{Overlap, interferes, mesh_overlaps};
use crate::dynamics::Body;
use crate::id::{BodyId, PairKey};
use crate::math::{DisjointSets, Pose, Real, Vector};

/// Depths of no more than this share of the coordinates are touches.
const TOUCH: Real = 64.0 * Real::EPSILON;

/// Steps for which a gap that had no room to be opened is left as it is, if nothing of the pair has moved.
const WAITS: u32 = 31;

/// A pair that had no room for its gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cramped {
    places: [Option<Pose>; 2],
    /// For how many steps it is not tried again.
    waits: u32,
}

/// What is done about overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depths {
    /// All are measured and pushed out.
    Measured,
    /// There are none but touches, and gaps that are too small; bodies are moved apart where there is room right beside them.
    Touches,
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
        let is_wanted = |pair: &PairKey| unchecked.contains(&pair.a) || unchecked.contains(&pair.b);
        let tolerance = self.in_force.tolerance;
        // What is refused anyway need not be measured to its end.
        let refuses = self.in_force.initial_overlap == InitialOverlap::Error;
        let most = if refuses { MOST_OVERLAPS_TOLD } else { usize::MAX };
        let found = self.overlaps_until(is_wanted, Depths::Measured, |overlap| overlap.depth > tolerance, most);
        let mut deep: Vec<OverlappingPair> = found
            .iter()
            .filter(|(_, overlap)| overlap.depth > tolerance)
            .map(|(pair, overlap)| OverlappingPair { pair: *pair, depth: overlap.depth })
            .collect();
        deep.sort_by(|x, y| y.depth.total_cmp(&x.depth).then(x.pair.cmp(&y.pair)));
        if let Some(first) = deep.first()
            && refuses
        {
            return Err(StepError::InitialOverlap { first: *first, all: deep });
        }
        let former = self.poses();
        if let Err(error) = self.part_all(found) {
            self.put_back(&former);
            return Err(error);
        }
        for id in std::mem::take(&mut self.unchecked) {
            self.inner_body_mut(id).into_iter().for_each(|body| body.kept = Some(body.company()));
        }
        Ok(deep)
    }

    /// Moves apart what overlaps, as far as it has to go, and what touches, where there is room right beside it: a way out that led past what it touches
    /// would be none.
    fn part_all(&mut self, found: Vec<(PairKey, Overlap)>) -> Result<(), StepError> {
        let tolerance = self.in_force.tolerance;
        let is_deep = |group: &Vec<(PairKey, Overlap)>| group.iter().any(|(_, overlap)| overlap.depth > tolerance);
        let (deep, mut touching): (Vec<_>, Vec<_>) = self.groups_of(found).into_iter().partition(is_deep);
        if !deep.is_empty() {
            self.push_apart(deep.into_iter().flatten().collect(), Depths::Measured)?;
            // Who was pushed may have come by them.
            let pairs: BTreeSet<PairKey> = touching.iter().flatten().map(|(pair, _)| *pair).collect();
            touching = self.groups_of(self.overlaps(|pair| pairs.contains(pair), Depths::Measured));
        }
        self.part_touching(touching)
    }

    /// The same of groups that only touch; what touches but for rounding and has no room stays.
    fn part_touching(&mut self, mut groups: Vec<Vec<(PairKey, Overlap)>>) -> Result<(), StepError> {
        let all: Vec<(PairKey, Overlap)> = groups.iter().flatten().copied().collect();
        let are_touches = all.iter().all(|(pair, overlap)| self.is_touch(pair, overlap));
        match self.push_apart(all, Depths::Touches) {
            Err(_) if groups.len() > 1 => {
                // Where one group has no room another may have.
                let others = groups.split_off(groups.len() / 2);
                self.part_touching(groups)?;
                self.part_touching(others)
            }
            Err(_) if are_touches => Ok(()),
            parted => parted,
        }
    }

    /// Whether a pair that overlaps does so by rounding.
    fn is_touch(&self, pair: &PairKey, overlap: &Overlap) -> bool {
        let size = |id: BodyId| self.body(id).map_or(0.0, |body| body.centre().coords.amax() + body.reach());
        let coordinates = [pair.a, pair.b].map(size).into_iter().filter(|size| size.is_finite()).fold(0.0, Real::max);
        overlap.depth <= TOUCH * coordinates
    }

    /// Opens gaps that all but closed in the last step to the resting gap. Where there is no room (in a press), they stay
    /// as they are, and what is too tight to be certified is held. The pairs are known to be apart: a depth of more than the
    /// tolerance can only be a search that lost its direction, and following it could undo a chain.
    fn open_tight_gaps(&mut self) {
        let (tight, former) = (std::mem::take(&mut self.tight), std::mem::take(&mut self.cramped));
        if tight.is_empty() {
            return;
        }
        let mut cramped: BTreeMap<PairKey, Cramped> = former
            .into_iter()
            .filter(|(pair, known)| tight.contains(pair) && known.waits > 0 && known.places == self.places_of(pair))
            .map(|(pair, known)| (pair, Cramped { waits: known.waits - 1, ..known }))
            .collect();
        let found = self.overlaps(|pair| tight.contains(pair) && !cramped.contains_key(pair), Depths::Refused);
        // Where one press has no room another gap may have.
        for group in self.groups_of(found) {
            let pairs: Vec<PairKey> = group.iter().map(|(pair, _)| *pair).collect();
            if self.push_apart(group, Depths::Refused).is_err() {
                let stays = |pair: PairKey| (pair, Cramped { places: self.places_of(&pair), waits: WAITS });
                cramped.extend(pairs.into_iter().map(stays));
            }
        }
        self.cramped = cramped;
    }

    fn places_of(&self, pair: &PairKey) -> [Option<Pose>; 2] {
        [pair.a, pair.b].map(|id| self.body(id).map(|body| *body.pose()))
    }

    /// The pairs in groups that have no body in common that can move.
    fn groups_of(&self, found: Vec<(PairKey, Overlap)>) -> Vec<Vec<(PairKey, Overlap)>> {
        let mut sets = DisjointSets::new(self.slots.len());
        for (pair, _) in found.iter().filter(|(pair, _)| self.can_move(pair.a) && self.can_move(pair.b)) {
            sets.join(pair.a.index, pair.b.index);
        }
        let mut groups: BTreeMap<u32, Vec<(PairKey, Overlap)>> = BTreeMap::new();
        for (pair, overlap) in found {
            let anchor = if self.can_move(pair.a) { pair.a } else { pair.b };
            groups.entry(sets.find(anchor.index)).or_default().push((pair, overlap));
        }
        groups.into_values().collect()
    }

    /// The wanted pairs that overlap or are closer than half the resting gap, in ascending order.
    pub(super) fn overlaps(&self, wanted: impl Fn(&PairKey) -> bool, depths: Depths) -> Vec<(PairKey, Overlap)> {
        self.overlaps_until(wanted, depths, |_| false, usize::MAX)
    }

    /// The same, until so many of them count.
    fn overlaps_until(
        &self,
        wanted: impl Fn(&PairKey) -> bool,
        depths: Depths,
        counts: impl Fn(&Overlap) -> bool,
        most: usize,
    ) -> Vec<(PairKey, Overlap)> {
        let mut counted = 0;
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
                counted += usize::from(counts(&overlap));
                if counted >= most {
                    break;
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot build its scene has failed")]

    use super::*;
    use crate::dynamics::{BodyDefinition, BodyKind};
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
