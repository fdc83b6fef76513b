//! A way out of several overlaps at once.
//!
//! **Problem.** What is pushed out of one solid into another and back gets nowhere, or by little at a time: a block under a slanted
//! ceiling has to leave sideways, and neither ceiling nor floor says so.
//! **Idea.** Every overlap that was seen on the way is a plane: along its normal the two have to be so far apart. All of these planes
//! together are solved for, body by body, without measuring anything anew.
//! **Limits.** A heuristic: planes of what is not convex hold nearby only. What it finds is measured like any other place.

use std::collections::BTreeMap;

use crate::id::{BodyId, PairKey};
use crate::math::{Real, Vector};

/// Turns over all planes. Between two that are a degree from parallel each one gains a three-thousandth.
const SWEEPS: usize = 20_000;
/// What all planes together lack has to shrink by this share within as many turns: what is between two walls goes to and fro for good.
const SHRINKS: Real = 1e-4;
const WINDOW: usize = 1024;
/// But no more looks at planes than these: of a heap of hundreds that was put into itself there are many.
const LOOKS: usize = 20_000_000;

/// How far two bodies have to be moved apart, from where they were when they were seen.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    pub pair: PairKey,
    /// Unit, world, from A to B.
    pub normal: Vector,
    /// Metres.
    pub depth: Real,
    /// Where the two were.
    pub seen_at: [Vector; 2],
}

/// Places from `places` on at which the bodies are beyond all planes, but for `slack` metres; `None` where none was found. How easily each of
/// a pair gives way, along world axes and as compared with the other, is told by `ease`.
pub(super) fn way_out(
    planes: &[Plane],
    mut places: BTreeMap<BodyId, Vector>,
    ease: impl Fn(&PairKey) -> Option<[Vector; 2]>,
    slack: Real,
) -> Option<BTreeMap<BodyId, Vector>> {
    let eases: Vec<[Vector; 2]> = planes.iter().map(|plane| ease(&plane.pair)).collect::<Option<_>>()?;
    let (mut least, mut since) = (Real::INFINITY, 0);
    for _ in 0..SWEEPS.min(LOOKS / planes.len().max(1)) {
        let mut lacks = 0.0;
        for (plane, eases) in planes.iter().zip(&eases) {
            let (a, b) = (places.get(&plane.pair.a)?, places.get(&plane.pair.b)?);
            let opened = ((b - plane.seen_at[1]) - (a - plane.seen_at[0])).dot(&plane.normal);
            let lack = plane.depth - opened;
            if lack <= slack {
                continue;
            }
            lacks += lack;
            let [by_a, by_b] = eases.map(|ease| ease.component_mul(&plane.normal));
            let gain = (by_a + by_b).dot(&plane.normal);
            if gain <= 0.0 {
                return None;
            }
            for (id, by) in [(plane.pair.a, -by_a), (plane.pair.b, by_b)] {
                *places.get_mut(&id)? += by * (lack / gain);
            }
        }
        if lacks == 0.0 {
            return Some(places);
        }
        since += 1;
        if lacks < (1.0 - SHRINKS) * least {
            (least, since) = (lacks, 0);
        } else if since == WINDOW {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that finds no way has failed")]

    use super::*;

    fn id(index: u32) -> BodyId {
        BodyId { index, generation: 0 }
    }

    /// Of body 1 against what does not move.
    fn plane(fixed: u32, normal: Vector, depth: Real) -> Plane {
        let (pair, normal) =
            if fixed == 0 { (PairKey::new(id(0), id(1)), normal) } else { (PairKey::new(id(1), id(fixed)), -normal) };
        Plane { pair, normal, depth, seen_at: [Vector::zeros(); 2] }
    }

    fn ease(pair: &PairKey) -> Option<[Vector; 2]> {
        Some([pair.a, pair.b].map(|body| Vector::repeat(if body == id(1) { 1.0 } else { 0.0 })))
    }

    #[test]
    fn what_is_wedged_between_floor_and_slanted_ceiling_leaves_sideways() {
        let places: BTreeMap<_, _> = (0..3).map(|k| (id(k), Vector::zeros())).collect();
        for degrees in [60.0_f64, 10.0, 2.0] {
            let angle = degrees.to_radians();
            let ceiling = Vector::new(angle.sin(), -angle.cos(), 0.0);
            let planes = [plane(0, Vector::y(), 0.1), plane(2, ceiling, 0.1)];
            let out = way_out(&planes, places.clone(), ease, 1e-6).unwrap();
            let at = out[&id(1)];
            assert!(at.y > 0.1 - 2e-6 && at.dot(&ceiling) > 0.1 - 2e-6, "{at} at {degrees}°");
            assert!(at.x < 0.21 / angle.sin(), "no further than it has to: {at} at {degrees}°");
        }
        let lid = [plane(0, Vector::y(), 0.1), plane(2, -Vector::y(), 0.1)];
        assert!(way_out(&lid, places, ease, 1e-6).is_none(), "between parallel planes there is none");
    }
}
