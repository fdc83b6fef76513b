//! Which way two solids that come together at their edges will touch.
//!
//! **Idea.** Near an edge the direction between the nearest points turns: what slides a hair above a floor of tiles has the next tile's edge
//! ahead of it, a hair lower, and comes nearer to it almost along the floor. But two convex solids do not touch while any direction
//! separates them, and the last one along which their gap closes is the normal of their contact when they do. Of what slides past, the gap
//! along a direction across its way never closes.
//!
//! **Guarantee.** A contact is turned only into a direction along which the two are apart, by the separation that it then has. How the
//! gaps close is taken from the velocities at the contact, as if it went straight on; times of contact are asked for in any case.
//!
//! **Cost.** Nothing for contacts that do not approach, and for those of a flat face; a few support queries for the others.

use super::ContactPoint;
use super::side::ConvexSide;
use crate::geometry::feature::Feature;
use crate::math::{Point, Real, Vector};
use crate::motion::RigidMotion;
use crate::shape::Shape;

/// Another direction has to close so many times as late.
const LATER: Real = 1.5;
/// A gap along it of at least this share of the tolerance tells that the two are apart.
const APART: Real = 1e-3;
/// Directions whose sines differ by less are the same.
const SAME: Real = 1e-6;

/// Turns contacts of two convex solids on their motions (which start now) to where their gap closes last.
pub(crate) fn turn_to_last_gap(
    a: (&Shape, &RigidMotion),
    b: (&Shape, &RigidMotion),
    tolerance: Real,
    points: &mut [ContactPoint],
) {
    let approaches = |p: &ContactPoint| relative_velocity(a.1, b.1, &p.midpoint()).dot(&p.normal) < 0.0;
    if !points.iter().any(|p| !lies_on_a_face(a.0, b.0, p) && approaches(p)) {
        return;
    }
    let sides = (ConvexSide::new(a.0, a.1.start, 0.0), ConvexSide::new(b.0, b.1.start, 0.0));
    let (Some(side_a), Some(side_b)) = sides else { return };
    for p in points.iter_mut().filter(|p| !lies_on_a_face(a.0, b.0, p)) {
        let velocity = relative_velocity(a.1, b.1, &p.midpoint());
        if let Some((normal, gap)) = last_gap(&side_a, &side_b, p, &velocity, APART * tolerance) {
            (p.normal, p.separation) = (normal, gap);
            p.point_b = p.point_a + normal * gap;
        }
    }
}

/// The direction in which the gap of two solids closes last, and the gap along it; `None` where that is the contact's own.
fn last_gap(
    a: &ConvexSide<'_>,
    b: &ConvexSide<'_>,
    contact: &ContactPoint,
    velocity: &Vector,
    apart: Real,
) -> Option<(Vector, Real)> {
    let approach = -velocity.dot(&contact.normal);
    if approach <= 0.0 {
        return None;
    }
    // Across the way of the two, nearest to the contact's own.
    let across = contact.normal + velocity * (approach / velocity.norm_squared());
    let across = across.try_normalize(SAME)?;
    let faces = a.faces_towards(&across).into_iter().chain(b.faces_towards(&-across).map(|face| face.map(|n| -n)));
    let mut last = (LATER * contact.separation.max(0.0) / approach, None);
    for normal in faces.flatten().chain([across]) {
        if normal.cross(&contact.normal).norm() < SAME {
            continue;
        }
        let gap = (b.support(&-normal).0 - a.support(&normal).0).dot(&normal) - a.map().radius() - b.map().radius();
        if gap < apart {
            continue;
        }
        let approach = -velocity.dot(&normal);
        let closes = if approach > 0.0 { gap / approach } else { Real::INFINITY };
        if closes > last.0 {
            last = (closes, Some((normal, gap)));
        }
    }
    last.1
}

/// Whether the normal is that of a flat face, so that no other direction could be meant.
fn lies_on_a_face(a: &Shape, b: &Shape, contact: &ContactPoint) -> bool {
    let is_flat = |shape: &Shape, feature: Feature| match (shape, feature) {
        (Shape::Box(_) | Shape::Convex(_) | Shape::Mesh(_) | Shape::HalfSpace(_), Feature::Face(_)) => true,
        (Shape::Cylinder(_), Feature::Face(i)) => i < 2,
        (Shape::Cone(_), Feature::Face(i)) => i == 0,
        _ => false,
    };
    is_flat(a, contact.features.a) || is_flat(b, contact.features.b)
}

/// The velocity of B's material past A's at a place, m/s.
fn relative_velocity(a: &RigidMotion, b: &RigidMotion, place: &Point) -> Vector {
    b.velocity_of(place, 0.0) - a.velocity_of(place, 0.0)
}
