//! The way out of what a shape overlaps.

use super::approach::Mover;
use super::slide::SlideError;
use super::{QueryError, World};
use crate::detection::closest::Closest;
use crate::dynamics::Body;
use crate::id::BodyId;
use crate::math::nonnegative::{MOST, settle};
use crate::math::{Pose, Real, Vector};
use crate::shape::Shape;

/// What is nearer than this share of the distance that counts as touching is moved off before anything else: too near to be cast, by far.
const TIGHT: Real = 1e-3;

/// Rounds of looking around and moving out. One is enough for what is flat, and each finds the next wall of a corner.
const ROUNDS: usize = 32;

/// How much a wall yields where there is no way out of all: so it is a compromise that is found, between walls as near to the one as to the other.
const YIELDING: Real = 1e-6;

/// A way shorter than this share of the gap is none.
const SHORT: Real = 1e-3;

/// How to move a shape out of what it overlaps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WayOut {
    /// The translation after which it overlaps nothing, metres, world: zero where it overlaps nothing now, and where no way was found.
    pub way: Vector,
    /// A body that it would still overlap: no way was found.
    pub stuck_in: Option<BodyId>,
}

/// What is within the gap of a shape.
struct Near {
    body: BodyId,
    closest: Closest,
}

impl World {
    /// A short way to where a shape overlaps nothing, and is a gap from what it overlaps now, as far as there is room. It leads through nothing
    /// but what the shape overlaps. Sensors count for nothing.
    ///
    /// # Errors
    /// As [`World::slide`].
    pub fn way_out(
        &self,
        shape: &Shape,
        pose: &Pose,
        gap: Real,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<WayOut, SlideError> {
        let mover = Mover::new(shape, *pose, gap)?;
        Ok(self.way_out_of(&mover, |id, body| takes(id, body) && self.stops(body, &mover))?)
    }

    pub(super) fn way_out_of(
        &self,
        mover: &Mover,
        takes: impl Fn(BodyId, &Body) -> bool,
    ) -> Result<WayOut, QueryError> {
        let mut moved = *mover;
        let tight = TIGHT * mover.touch;
        for round in 0..ROUNDS {
            let near = self.near(&moved, &takes)?;
            if near.iter().all(|near| near.closest.distance >= tight) {
                return Ok(WayOut {
                    way: moved.pose.translation.vector - mover.pose.translation.vector,
                    stuck_in: None,
                });
            }
            let way = way_off(&near, mover.gap, tight);
            let overlapped: Vec<BodyId> =
                near.iter().filter(|near| near.closest.distance <= 0.0).map(|near| near.body).collect();
            if round > 0 && overlapped.is_empty() && way.norm() < SHORT * mover.gap {
                // In the middle of a slot that is too narrow for gaps.
                return Ok(WayOut {
                    way: moved.pose.translation.vector - mover.pose.translation.vector,
                    stuck_in: None,
                });
            }
            let stop = self.approach_of(&moved, &way, |id, body| !overlapped.contains(&id) && takes(id, body))?;
            // Up to what it would touch: where there is no room for two gaps it leaves half of what there was.
            let share = stop.map_or(1.0, |stop| stop.hit.contact.time / way.norm());
            moved.shift(&(way * share));
        }
        let stuck_in =
            self.near(&moved, &takes)?.iter().find(|near| near.closest.distance <= 0.0).map(|near| near.body);
        let way = moved.pose.translation.vector - mover.pose.translation.vector;
        Ok(WayOut { way: if stuck_in.is_some() { Vector::zeros() } else { way }, stuck_in })
    }

    /// What is within the gap, the nearest first.
    fn near(&self, mover: &Mover, takes: impl Fn(BodyId, &Body) -> bool) -> Result<Vec<Near>, QueryError> {
        let around = mover.shape.as_solid().local_aabb().transformed(&mover.pose).inflated(mover.gap);
        let mut near = Vec::new();
        for id in self.bodies_near(&around) {
            if let Some(body) = self.body(id)
                && !body.sensor
                && takes(id, body)
                && let Some(closest) = mover.nearest(id, body, mover.gap)?
            {
                near.push(Near { body: id, closest });
            }
        }
        near.sort_by(|a, b| a.closest.distance.total_cmp(&b.closest.distance).then(a.body.cmp(&b.body)));
        Ok(near)
    }
}

/// The shortest way that opens what is tight to the gap, and takes nothing else nearer.
fn way_off(near: &[Near], gap: Real, tight: Real) -> Vector {
    let near = &near[..near.len().min(MOST)];
    let size = near.len();
    // Out of each body, and how far.
    let outwards = |i: usize| -near[i].closest.normal;
    let wanted = |i: usize| if near[i].closest.distance < tight { gap - near[i].closest.distance } else { 0.0 };
    let mut matrix = [0.0; MOST * MOST];
    for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))) {
        matrix[i * size + j] = outwards(i).dot(&outwards(j)) + if i == j { YIELDING } else { 0.0 };
    }
    let mut residual = std::array::from_fn(|i| if i < size { wanted(i) } else { 0.0 });
    let mut pushes = [0.0; MOST];
    settle(&matrix, size, &mut residual, &mut pushes);
    (0..size).map(|i| outwards(i) * pushes[i]).sum()
}
