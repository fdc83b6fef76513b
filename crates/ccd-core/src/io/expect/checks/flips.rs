//! `flips`.

use super::name;
use super::worst::{bounds_in_words, excess};
use crate::io::expect::Seen;
use crate::io::expect::outcome::{Measured, Outcome};
use crate::io::expect::subject::Subject;
use crate::math::{Real, Vector};

/// How far the cosine must go to the other side of zero before it counts as a flip: an axis that stands across
/// trembles about zero without turning over.
const HYSTERESIS: Real = 0.1;

/// One body's axis.
#[derive(Debug)]
struct Turning {
    body: usize,
    /// The side that the axis was on last, if it was clearly on one.
    side: Option<bool>,
    flips: u64,
}

/// How often a body's axis turns over.
#[derive(Debug)]
pub(crate) struct Flips {
    bodies: Vec<Turning>,
    body_axis: Vector,
    world_axis: Vector,
    min: Option<u64>,
    max: Option<u64>,
}

impl Flips {
    pub(super) fn new(
        bodies: Vec<usize>,
        body_axis: Vector,
        world_axis: Vector,
        min: Option<u64>,
        max: Option<u64>,
    ) -> Self {
        let bodies = bodies.into_iter().map(|body| Turning { body, side: None, flips: 0 }).collect();
        Self { bodies, body_axis: body_axis.normalize(), world_axis: world_axis.normalize(), min, max }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        for turning in &mut self.bodies {
            let rotation = &seen.frame.bodies[turning.body].pose.rotation;
            let cosine = (rotation * self.body_axis).dot(&self.world_axis);
            if cosine.abs() <= HYSTERESIS {
                continue;
            }
            let side = cosine > 0.0;
            if turning.side.is_some_and(|before| before != side) {
                turning.flips += 1;
            }
            turning.side = Some(side);
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject]) -> Outcome {
        let [min, max] = [self.min, self.max].map(|bound| bound.map(|n| n as Real));
        let over = |turning: &&Turning| excess(turning.flips as Real, min, max);
        let Some(worst) = self.bodies.iter().max_by(|x, y| over(x).total_cmp(&over(y))) else {
            return Outcome::open("no body is named");
        };
        let bounds = bounds_in_words(min, max);
        let why = format!("\"{}\" flips {} times, allowed {bounds}", name(subjects, worst.body), worst.flips);
        Outcome::judged(over(&worst) <= 0.0, Measured::Count(worst.flips), why)
    }
}
