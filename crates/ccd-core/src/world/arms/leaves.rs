//! Where a contact leaves a face, or the straight flank of a rod, that is driven and turns: from there on nothing pushes.
//!
//! A step pushes what slides over a paddle along the normal that it has halfway, so that the velocities are right at the end. What slides off within
//! the step is pushed until then only, and goes on as fast as it was there: pushed all step long, as if the face went on, it would be thrown too hard,
//! by up to what a step adds.

use super::{Pivoting, Side, Surface};
use crate::contact::ContactPoint;
use crate::geometry::feature::Feature;
use crate::math::{Matrix, Point, Real, Vector, hypotenuse};
use crate::shape::Shape;

/// Halvings of the way to where the face ends.
const HALVINGS: usize = 24;
/// By this share of the way from there the surface is further down than the face at least, or it goes on: the edges of a drum are none.
const FALLS: Real = 0.5;

impl Pivoting<'_> {
    /// The share of the rest of the step for which a contact, whose places move over the two surfaces by `ways` as their bodies see it, stays on the
    /// faces that are driven.
    pub(super) fn share_on_faces(&self, p: &ContactPoint, arms: &[Vector; 2], ways: &[Vector; 2]) -> Real {
        self.share_on_face(0, p, arms, &ways[0]).min(self.share_on_face(1, p, arms, &ways[1]))
    }

    /// [`Pivoting::share_on_faces`] of one of the two.
    pub(super) fn share_on_face(&self, side: usize, p: &ContactPoint, arms: &[Vector; 2], way: &Vector) -> Real {
        let (own, arm) = (&self.sides[side], &arms[side]);
        let (feature, place) = if side == 0 { (p.features.a, &p.point_a) } else { (p.features.b, &p.point_b) };
        let (normal, turn) = (&p.normal, &own.way.angular);
        if own.is_free() || !own.turns_across(normal) {
            return 1.0;
        }
        let Some(straight) = own.straight_ways(feature, place, normal) else { return 1.0 };
        // What goes straight is seen to be flung outward by what turns.
        let flung = turn.cross(&turn.cross(arm)) * -0.5;
        let [way, flung] = [way, &flung].map(|way| straight * way);
        let off = |share: Real| {
            let place = place + way * share + flung * (share * share);
            distance(own.shape, &own.pose.inverse_transform_point(&place))
        };
        let Some(end) = off(1.0).filter(|end| *end > self.tolerance) else { return 1.0 };
        let (mut on, mut beyond) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (on + beyond);
            if off(middle).is_some_and(|off| off > self.tolerance) { beyond = middle } else { on = middle }
        }
        let slid = (way + flung).norm() * (1.0 - on);
        if end > FALLS * slid { on } else { 1.0 }
    }
}

impl Side<'_> {
    /// What is left of a way from a place of a feature where the surface goes on straight: along a face or an edge, or along the line of a flank.
    /// `None` where it bends every way.
    fn straight_ways(&self, feature: Feature, place: &Point, normal: &Vector) -> Option<Matrix> {
        let (shape, pose, own) = self.part(feature)?;
        let line = match (shape, own) {
            (Shape::Capsule(_), Feature::Edge(_)) | (Shape::Cylinder(_), Feature::Face(2)) => pose * Vector::y(),
            (Shape::Cone(cone), Feature::Face(1)) => pose * cone.apex() - place,
            _ => {
                let is_straight = matches!(Surface::at(shape, own), Surface::Flat | Surface::Edge);
                return is_straight.then(|| Matrix::identity() - normal * normal.transpose());
            }
        };
        let line = line.try_normalize(0.0)?;
        Some(line * line.transpose())
    }
}

/// How far a place is from what of a solid is straight, both in the solid's frame, metres, or less; `None` where that is not known.
fn distance(shape: &Shape, place: &Point) -> Option<Real> {
    // A dome falls away from where the flank ends, and bears nothing that goes straight on.
    if let Shape::Capsule(capsule) = shape {
        let beyond = place.y.abs() - capsule.half_height();
        return Some(beyond.max(hypotenuse(place.x, place.z) - capsule.radius()));
    }
    let Some(compound) = shape.as_compound() else { return Some(shape.as_field()?.distance(place)) };
    let of_part = |(shape, place): (&Shape, Point)| distance(shape, &place);
    let parts = compound.parts().iter().map(|part| (&part.shape, part.pose.inverse_transform_point(place)));
    parts.map(of_part).try_fold(Real::INFINITY, |least, distance| Some(least.min(distance?)))
}
