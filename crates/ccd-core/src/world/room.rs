//! Room nearby for a body that is caught.
//!
//! **Problem.** What is caught between two solids whose least ways out lead into each other has to leave another way, however far that is.
//! **Idea.** The body is tried further and further away in directions all around, and in each brought back as far as it stays free.
//! **Guarantee.** Where it is put it overlaps nothing that it meets. It is not the nearest such place.

use super::World;
use super::separate::Depths;
use crate::dynamics::Body;
use crate::id::BodyId;
use crate::math::{Real, Vector};
use crate::volume::Aabb;

/// The first try, as a share of the body's radius; each is twice as far as the one before.
const NEAREST: Real = 0.25;
/// How often it is tried further away: up to eight radii.
const TRIES: i32 = 6;
/// How often it is brought back half of the way that is left.
const BACK: usize = 12;

impl World {
    /// Moves a body that overlaps something that it meets to where it overlaps nothing. Returns whether there is such a place nearby.
    pub(super) fn move_where_there_is_room(&mut self, id: BodyId) -> bool {
        let Some(way) = self.body(id).and_then(|body| self.way_to_room(id, body)) else { return false };
        self.shift(id, way);
        true
    }

    /// The shortest way found.
    fn way_to_room(&self, id: BodyId, body: &Body) -> Option<Vector> {
        let gap = self.in_force.resting_gap();
        let is_solid =
            |other: BodyId, solid: &Body| self.may_touch((id, body), (other, solid)) && !body.sensor && !solid.sensor;
        let others: Vec<(&Body, Aabb)> = self
            .bodies()
            .filter(|(other, solid)| *other != id && is_solid(*other, solid))
            .map(|(_, solid)| (solid, self.box_around(solid)))
            .collect();
        let is_free = |way: Vector| {
            let mut there = body.clone();
            there.pose.translation.vector += way;
            let around = self.box_around(&there);
            let is_in = |(other, aabb): &(&Body, Aabb)| {
                aabb.overlaps(&around) && Depths::Refused.of(&there, other, 0.5 * gap).is_some()
            };
            !others.iter().any(is_in)
        };
        if is_free(Vector::zeros()) {
            return None;
        }
        let free = body.inverse_mass();
        let is_open = |direction: &Vector| (0..3).all(|i| direction[i] == 0.0 || free[i] > 0.0);
        let mut best: Option<Vector> = None;
        for direction in all_around().filter(is_open) {
            let tries = (0..TRIES).map(|k| NEAREST * body.reach() * Real::from(1 << k));
            let is_nearer = |length: &Real| best.is_none_or(|best| *length < best.norm());
            let Some(mut length) = tries.take_while(is_nearer).find(|length| is_free(direction * *length)) else {
                continue;
            };
            let mut blocked = 0.0;
            for _ in 0..BACK {
                let middle = 0.5 * (blocked + length);
                if is_free(direction * middle) { length = middle } else { blocked = middle }
            }
            best = Some(direction * length).filter(|way| is_nearer(&way.norm())).or(best);
        }
        best
    }
}

/// The 26 directions to the sides, edges and corners of a cube, those upwards first.
fn all_around() -> impl Iterator<Item = Vector> {
    let steps = [1.0, 0.0, -1.0];
    let all =
        steps.into_iter().flat_map(move |y| steps.into_iter().flat_map(move |x| steps.map(|z| Vector::new(x, y, z))));
    all.filter_map(|direction| direction.try_normalize(0.5))
}
