//! An independent look at every frame for bodies that overlap.
//!
//! Promise 2 is kept by the step; here it is checked from outside, with nothing but the poses: boxes around all bodies,
//! swept along one axis, then the interference test on every pair that may collide and whose boxes meet.

use super::Frame;
use super::outcome::{Measured, Outcome};
use super::subject::{Subject, world_box};
use crate::detection::closest::interferes;
use crate::detection::dispatch::needs_cells;
use crate::math::Real;
use crate::shape::Shape;
use crate::volume::Aabb;

/// The deepest overlap that was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deepest {
    /// The least translation that would separate the two, metres, positive.
    pub depth: Real,
    /// The body with the smaller place in the case.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// When, seconds.
    pub t: Real,
}

/// Looks for overlaps, frame by frame.
#[derive(Clone, Debug, Default)]
pub struct OverlapWatch {
    deepest: Option<Deepest>,
    /// The first frame that could not be looked at.
    blind: Option<Real>,
}

impl OverlapWatch {
    /// Looks at a frame.
    pub fn observe(&mut self, subjects: &[Subject], frame: &Frame<'_>) {
        if !frame.bodies.iter().all(super::BodyState::is_finite) {
            self.blind.get_or_insert(frame.t);
            return;
        }
        for found in overlaps(subjects, frame) {
            if self.deepest.is_none_or(|d| found.depth > d.depth) {
                self.deepest = Some(found);
            }
        }
    }

    /// The deepest overlap so far.
    pub fn deepest(&self) -> Option<Deepest> {
        self.deepest
    }

    /// Whether nothing was deeper than `tol` metres.
    pub(super) fn judge(&self, tol: Real, subjects: &[Subject]) -> Outcome {
        if let Some(t) = self.blind {
            return Outcome::judged(false, Measured::Nothing, format!("a pose is not finite at t = {t} s"));
        }
        match self.deepest {
            None => Outcome::judged(true, Measured::Number(0.0), "nothing overlaps in any frame"),
            Some(d) => {
                let names = [d.a, d.b].map(|i| subjects.get(i).map_or("?", |s| s.name.as_str()));
                let why = format!("\"{}\" and \"{}\" overlap by {:e} m at t = {} s", names[0], names[1], d.depth, d.t);
                Outcome::judged(d.depth <= tol, Measured::Number(d.depth), why)
            }
        }
    }
}

/// All overlaps of a frame, in ascending order of the pair.
fn overlaps(subjects: &[Subject], frame: &Frame<'_>) -> Vec<Deepest> {
    let boxes: Vec<Aabb> = subjects.iter().zip(frame.bodies).map(|(s, state)| world_box(s, state)).collect();
    let mut found = Vec::new();
    for (a, b) in pairs_of_boxes(&boxes) {
        let (Some(sa), Some(sb)) = (subjects.get(a), subjects.get(b)) else { continue };
        let (Some(fa), Some(fb)) = (frame.bodies.get(a), frame.bodies.get(b)) else { continue };
        if !sa.collides_with(sb) {
            continue;
        }
        if let Some(overlap) = interferes(&sa.shape, &fa.pose, &sb.shape, &fb.pose, 0.0)
            && overlap.depth > uncertainty(&sa.shape, &boxes[a]).max(uncertainty(&sb.shape, &boxes[b]))
        {
            found.push(Deepest { depth: overlap.depth, a, b, t: frame.t });
        }
    }
    found
}

/// By how much the depth of a body's overlap is uncertain, metres: what is put exactly into touch does not overlap. That is the rounding of
/// its places, and of what is round how exactly its depth is found.
fn uncertainty(shape: &Shape, around: &Aabb) -> Real {
    const ROUNDINGS: Real = 16.0;
    let far = around.min.coords.amax().max(around.max.coords.amax());
    // A half-space is everywhere; where the other body is counts.
    if !far.is_finite() {
        return 0.0;
    }
    let size = (around.max - around.min).amax();
    ROUNDINGS * Real::EPSILON * far + share_of_size(shape) * size
}

/// As a share of its size.
fn share_of_size(shape: &Shape) -> Real {
    if let Some(compound) = shape.as_compound() {
        return compound.parts().iter().map(|part| share_of_size(&part.shape)).fold(0.0, Real::max);
    }
    match shape {
        Shape::Box(_)
        | Shape::Ball(_)
        | Shape::Capsule(_)
        | Shape::Convex(_)
        | Shape::Mesh(_)
        | Shape::HalfSpace(_) => 0.0,
        // A polytope that is expanded up to the true surface, up to a rounding of its distance.
        Shape::Cylinder(_) | Shape::Cone(_) => 1e-10,
        Shape::Field(_) | Shape::Custom(_) if !needs_cells(shape) => 1e-10,
        // Descent between surfaces.
        Shape::Field(_) | Shape::Custom(_) | Shape::Patches(_) | Shape::Compound(_) => 1e-6,
    }
}

/// The pairs of boxes that share a point, smaller place first, in ascending order.
fn pairs_of_boxes(boxes: &[Aabb]) -> Vec<(usize, usize)> {
    let mut order: Vec<(usize, &Aabb)> = boxes.iter().enumerate().collect();
    order.sort_by(|(i, x), (j, y)| x.min.x.total_cmp(&y.min.x).then(i.cmp(j)));
    let mut pairs = Vec::new();
    for (k, (i, first)) in order.iter().enumerate() {
        let reached = order.iter().skip(k + 1).take_while(|(_, other)| other.min.x <= first.max.x);
        pairs.extend(reached.filter(|(_, other)| first.overlaps(other)).map(|(j, _)| (*i.min(j), *i.max(j))));
    }
    pairs.sort_unstable();
    pairs
}
