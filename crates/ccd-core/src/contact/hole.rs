//! Contacts of a body that is in a hole, with its walls: in closed form, where cells would be looked at by the thousand.
//!
//! **Idea.** How deep a place is within a wall of a convex hole is a concave function of the place: of a body that is the hull of some balls
//! ([`crate::shape::hole`]), none is nearer to the wall than the nearest ball. So the balls within the margin are the contacts. Of a pin in a round hole
//! they are where the hole ends, or the pin ([`crate::shape::pin`]).
//!
//! **Limits.** Where a wall ends beside another body, its rim may be nearer than any ball is to the wall. That is left to the search.

use super::ContactPoint;
use super::limits::Limits;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::hole::{Bead, Beside, Hole};
use crate::shape::pin::Pin;
use crate::shape::{CsgShape, FieldShape, Shape};

/// Appends the contacts of two shapes of which one is in a hole of the other, in A's frame. Returns whether these are all; else there are none.
///
/// Cost: a few operations for each corner and wall.
pub(super) fn hole_contacts(a: &Shape, b: &Shape, b_in_a: &Pose, limits: &Limits, out: &mut Vec<ContactPoint>) -> bool {
    let found = |whole: &Shape, body: &Shape, pose: &dyn Fn() -> Pose| match whole {
        Shape::Field(FieldShape::Csg(whole)) if !whole.holes().is_empty() => in_holes(whole, body, &pose(), limits),
        _ => None,
    };
    if let Some(contacts) = found(a, b, &|| *b_in_a) {
        out.extend(contacts);
        return true;
    }
    if let Some(contacts) = found(b, a, &|| b_in_a.inverse()) {
        out.extend(contacts.into_iter().map(|c| c.swapped().placed(b_in_a)));
        return true;
    }
    false
}

/// The contacts of `whole` and a body in one of its holes, in the frame of the whole; `None` where it is in none, or where they are not certain to be all.
fn in_holes(whole: &CsgShape, body: &Shape, pose: &Pose, limits: &Limits) -> Option<Vec<ContactPoint>> {
    let beads = body.beads()?;
    let middle = beads.iter().map(|bead| (pose * bead.place).coords).sum::<Vector>() / beads.len() as Real;
    let holds_middle = |hole: &&Hole| hole.walls.iter().all(|wall| wall.beside(&Point::from(middle), 0.0).depth > 0.0);
    let hole = whole.holes().iter().find(holds_middle)?;
    if let Some(contacts) = body.pin().and_then(|pin| of_pin(whole, hole, &pin.placed(pose), limits)) {
        return Some(contacts);
    }
    let mut contacts = Vec::new();
    for Bead { place, radius, feature } in &beads {
        for (k, wall) in (0..).zip(&hole.walls) {
            let beside = wall.beside(&(pose * place), *radius);
            if beside.depth > limits.margin {
                continue;
            }
            if beside.depth < limits.deepest || !whole.is_behind(&beside) {
                return None;
            }
            contacts.push(contact(&beside, k, (*feature)?));
        }
    }
    Some(contacts)
}

/// Those of a pin in that hole, both in the frame of the whole.
fn of_pin(whole: &CsgShape, hole: &Hole, pin: &Pin, limits: &Limits) -> Option<Vec<ContactPoint>> {
    let mut contacts = Vec::new();
    for (k, end) in (0..).zip(pin.at_ends(hole, limits.margin)?) {
        if end.beside.depth > limits.margin {
            continue;
        }
        if end.beside.depth < limits.deepest || !end.is_on(whole) {
            return None;
        }
        contacts.push(contact(&end.beside, k, end.feature));
    }
    Some(contacts)
}

/// What is beside a wall, of which this is the number, in the frame of the whole.
fn contact(beside: &Beside, wall: u32, feature: Feature) -> ContactPoint {
    ContactPoint {
        point_a: beside.on_wall,
        point_b: beside.on_ball,
        normal: -beside.outward,
        separation: beside.depth,
        features: FeaturePair { a: Feature::Face(wall), b: feature },
    }
}
