//! Faces that are driven and tilt: what lies or slides on one goes with its normal.

use super::{Arms, FURTHEST, SAME_NORMAL};
use crate::contact::ContactPoint;
use crate::math::{Real, Rotation, Vector};
use crate::world::wants::At;

/// What turns beside a face by less than this within the step, rad, lies on it.
const LEVEL: Real = 1e-3;

/// Where a contact with a driven face is halfway, of which these are the arms at the beginning, where the face's turn takes the normal with it;
/// `None` where it turns about the normal, or too far, and for what does not turn with it.
///
/// The places turn as rigidly as they are: what sticks to the face stays on it, however long it turns.
pub(in crate::world) fn tilted(at: &At, p: &ContactPoint, arms: [Vector; 2], rest: Real) -> Option<Arms> {
    let driven = usize::from(!at.inertias[0].is_immovable());
    let spins = at.velocities.map(|velocity| velocity.angular);
    let turn = spins[driven].cross(&p.normal) * rest;
    let lifts = (spins[1] - spins[0]).cross(&p.normal) * rest;
    if turn.norm() < SAME_NORMAL || turn.norm() > FURTHEST || lifts.norm() > LEVEL {
        return None;
    }
    let slides = (at.velocities[1].at(&arms[1]) - at.velocities[0].at(&arms[0])) * rest;
    let slides = slides - p.normal * slides.dot(&p.normal);
    let place = |k: usize, share: Real| {
        let slid = if k == driven { slides * (if k == 0 { share } else { -share }) } else { Vector::zeros() };
        Rotation::from_scaled_axis(spins[k] * (rest * share)) * arms[k] + slid
    };
    let (middle, end) = ([place(0, 0.5), place(1, 0.5)], [place(0, 1.0), place(1, 1.0)]);
    let gained = |k: usize| spins[k].cross(&(end[k] - middle[k]));
    let gain = gained(1) - gained(0);
    let normal = (p.normal + turn * 0.5).normalize();
    let sliding = at.velocities[1].at(&end[1]) - at.velocities[0].at(&end[0]);
    Some(Arms { arms: middle, normal, bends: true, gain: gain + normal * (0.5 * sliding.dot(&turn)), dip: 0.0 })
}
