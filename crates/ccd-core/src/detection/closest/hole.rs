//! How far what is in a hole is from its wall: in closed form.
//!
//! **Guarantee.** Nothing of the solid is in its hole, so that what is inside is at least as far from it as from the walls; where there is solid behind
//! the nearest wall it is as far as that.

use super::Local;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Pose, Real};
use crate::shape::hole::{Beside, Hole};
use crate::shape::pin::Pin;
use crate::shape::{CsgShape, FieldShape, Shape};

/// What is known of two shapes of which one is in a hole of the other.
pub(super) enum InHole {
    /// Further apart than the limit.
    Beyond,
    Nearest(Local),
    /// In no hole, or where it is nearest there is nothing behind the wall, or it is round there otherwise than a ball.
    Unknown,
}

/// The closest points of two shapes of which one is in a hole of the other, in A's frame. A few operations for each corner and wall.
pub(super) fn in_hole(a: &Shape, b: &Shape, b_in_a: &Pose, limit: Real) -> InHole {
    match of_body(b, a, || *b_in_a, limit) {
        InHole::Unknown => match of_body(a, b, || b_in_a.inverse(), limit) {
            // In B's frame, as if B were A.
            InHole::Nearest(found) => InHole::Nearest(found.swapped(b_in_a)),
            other => other,
        },
        found => found,
    }
}

/// The same of a body in a hole of `whole`, in the frame of the whole, which is side A.
fn of_body(body: &Shape, whole: &Shape, pose: impl Fn() -> Pose, limit: Real) -> InHole {
    let Shape::Field(FieldShape::Csg(whole)) = whole else { return InHole::Unknown };
    if whole.holes().is_empty() {
        return InHole::Unknown;
    }
    let (Some(beads), pose) = (body.beads(), pose()) else { return InHole::Unknown };
    if let Some(found) = body.pin().and_then(|pin| of_pin(whole, &pin.placed(&pose), limit)) {
        return found;
    }
    let nearest = |hole: &Hole| hole.nearest(beads.iter().map(|bead| (pose * bead.place, bead)));
    let deepest = whole.holes().iter().filter_map(nearest).max_by(|(p, _), (q, _)| p.depth.total_cmp(&q.depth));
    match deepest {
        Some((beside, _)) if beside.depth > limit => InHole::Beyond,
        Some((beside, bead)) if beside.depth > 0.0 && whole.is_behind(&beside) => match bead.feature {
            Some(feature) => InHole::Nearest(local(&beside, feature)),
            None => InHole::Unknown,
        },
        _ => InHole::Unknown,
    }
}

/// The same of a pin, in the frame of the whole; `None` where it is in none of its holes, or not known how.
fn of_pin(whole: &CsgShape, pin: &Pin, limit: Real) -> Option<InHole> {
    let in_it = |hole: &Hole| pin.nearest(hole, limit).filter(|nearest| nearest.beside.depth > 0.0);
    let nearest = whole.holes().iter().find_map(in_it)?;
    if nearest.beside.depth > limit {
        return Some(InHole::Beyond);
    }
    nearest.is_on(whole).then(|| InHole::Nearest(local(&nearest.beside, nearest.feature)))
}

/// The places beside a wall, in the frame of the whole, which is side A.
fn local(beside: &Beside, feature: Feature) -> Local {
    Local {
        distance: beside.depth,
        point_a: beside.on_wall,
        point_b: beside.on_ball,
        normal: -beside.outward,
        features: FeaturePair { a: Feature::Face(0), b: feature },
        iterations: 0,
    }
}
