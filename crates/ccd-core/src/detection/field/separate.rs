//! Proofs that what a cell holds of one solid is apart from the other.
//!
//! **Problem.** A cell, half-spaces that hold the one solid's part of it, and half-spaces that hold the other solid near it:
//! do they share no point?
//! **Idea.** Farkas: if some mean of the half-spaces, with weights λ ≥ 0, is positive all over the cell, no point is in all
//! of them. Any weights that do are a proof, however they were found; the best for a ball around the cell are found in closed form
//! ([`super::basis`]).
//! **Why.** Where two surfaces run along each other at a distance d, the two nearest half-spaces cancel but for d, and a
//! cell as large as √(dR) is proven apart at once; by distances alone it would take (R/d) cells of size d.

use super::basis::Basis;
use crate::geometry::mesh::triangle::closest_point;
use crate::math::{Point, Real, Vector};

/// A half-space, about the centre of a cell: its region has `height + normal · x ≤ 0`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    /// Metres, errors taken off.
    pub height: Real,
    /// The errors that were taken off and that a smaller cell would not have, metres.
    pub error: Real,
    /// Unit, in the cell's frame.
    pub normal: Vector,
    /// How fast the height grows while the solids move, m/s.
    pub rate: Real,
    /// How fast its rate grows at that time, m/s².
    pub bend: Real,
    /// Of the other solid, not of the one the cell belongs to.
    pub of_other: bool,
}

/// The extent of a cell around its centre.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    /// A box along the axes.
    Box(Vector),
    /// The corners of a triangle.
    Triangle([Vector; 3]),
    /// All within `error` metres of a parallelogram, of which these are half the sides.
    Sheet {
        /// Half of one side.
        u: Vector,
        /// Half of the other.
        v: Vector,
        /// Metres.
        error: Real,
    },
}

impl Extent {
    /// The place of the cell that is nearest to another, where that is as good as nothing to find.
    pub(super) fn nearest(&self, place: &Vector) -> Option<Vector> {
        match self {
            Self::Box(half) => Some(place.sup(&-half).inf(half)),
            Self::Triangle(corners) => {
                let (nearest, _) = closest_point(&corners.map(Point::from), &Point::from(*place));
                Some(nearest.coords)
            }
            Self::Sheet { .. } => None,
        }
    }

    /// The least value of `n · x` over the cell.
    #[inline]
    pub(super) fn least(&self, n: &Vector) -> Real {
        match self {
            Self::Box(half) => -n.abs().dot(half),
            Self::Sheet { u, v, error } => -n.dot(u).abs() - n.dot(v).abs() - n.norm() * error,
            Self::Triangle(corners) => corners.iter().map(|c| n.dot(c)).fold(Real::INFINITY, Real::min),
        }
    }
}

/// A mean of half-spaces over a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proof {
    /// Its least value over the cell, metres: the parts are apart where it is positive.
    pub gap: Real,
    /// How fast it grows, m/s.
    pub rate: Real,
    /// How fast its rate grows, m/s².
    pub bend: Real,
    /// The weight of the other solid's half-spaces in it.
    pub share: Real,
    /// The sum of their normals, weighted; in the cell's frame.
    pub of_other: Vector,
    /// What the size of the cell takes off the gap, metres.
    pub loss: Real,
    /// Where in the ball around the cell the half-spaces are as low together as anywhere.
    pub lowest: Vector,
}

impl Proof {
    /// No proof.
    pub(super) const NONE: Self = Self {
        gap: Real::NEG_INFINITY,
        rate: 0.0,
        bend: 0.0,
        share: 0.0,
        of_other: Vector::new(0.0, 0.0, 0.0),
        loss: 0.0,
        lowest: Vector::new(0.0, 0.0, 0.0),
    };
}

/// The most planes that are weighed.
pub(super) const MOST: usize = 26;

/// The best proof that was found for these planes and a cell within `radius` of its centre.
pub(crate) fn prove(planes: &[Plane], extent: &Extent, radius: Real) -> Proof {
    let planes = &planes[..planes.len().min(MOST)];
    weighed(planes, extent, radius, best_alone(planes, extent, radius), |_| false)
}

/// The same, as good as it is worth: a half-space that proves `enough` alone is not weighed against others, nor are half-spaces that
/// have a place of the cell in common, which prove nothing.
pub(crate) fn prove_enough(
    planes: &[Plane],
    extent: &Extent,
    radius: Real,
    enough: impl FnOnce(&Proof) -> bool,
) -> Proof {
    let planes = &planes[..planes.len().min(MOST)];
    let alone = best_alone(planes, extent, radius);
    if alone.gap > 0.0 && enough(&alone) {
        return alone;
    }
    let is_common = |place: &Vector| planes.iter().all(|p| p.height + p.normal.dot(place) <= 0.0);
    weighed(planes, extent, radius, alone, |place| extent.nearest(place).is_some_and(|place| is_common(&place)))
}

fn best_alone(planes: &[Plane], extent: &Extent, radius: Real) -> Proof {
    let proofs = planes.iter().map(|plane| alone(plane, extent, radius));
    proofs.fold(Proof::NONE, |best, proof| if proof.gap > best.gap { proof } else { best })
}

/// The best mean of half-spaces, if it is better than what one proves alone; not where a place is `hopeless`.
fn weighed(planes: &[Plane], extent: &Extent, radius: Real, alone: Proof, hopeless: impl Fn(&Vector) -> bool) -> Proof {
    let mut best = alone;
    if planes.len() > 1
        && let Some(basis) = Basis::best(planes, radius, |p| p.height, hopeless)
    {
        let proof = mean(planes, &weights_of(&basis), extent);
        if proof.gap > best.gap {
            best = proof;
        }
        best.lowest = basis.place;
    }
    best
}

/// What one half-space proves alone.
pub(super) fn alone(plane: &Plane, extent: &Extent, radius: Real) -> Proof {
    let least = extent.least(&plane.normal);
    Proof {
        gap: plane.height + least,
        loss: plane.error - least,
        rate: plane.rate,
        bend: plane.bend,
        share: if plane.of_other { 1.0 } else { 0.0 },
        of_other: if plane.of_other { plane.normal } else { Vector::zeros() },
        lowest: plane.normal * -radius,
    }
}

pub(super) fn weights_of(basis: &Basis) -> [Real; MOST] {
    let mut weights = [0.0; MOST];
    for (i, weight) in basis.members() {
        weights[i] = weight;
    }
    weights
}

pub(super) fn mean(planes: &[Plane], weights: &[Real; MOST], extent: &Extent) -> Proof {
    let mut proof = Proof { gap: 0.0, ..Proof::NONE };
    let mut normal = Vector::zeros();
    // Weights add up to one but for rounding, which scales the whole proof.
    for (plane, weight) in planes.iter().zip(weights) {
        proof.gap += plane.height * weight;
        proof.rate += plane.rate * weight;
        proof.bend += plane.bend * weight;
        proof.loss += plane.error * weight;
        normal += plane.normal * *weight;
        if plane.of_other {
            proof.share += weight;
            proof.of_other += plane.normal * *weight;
        }
    }
    let least = extent.least(&normal);
    proof.gap += least;
    proof.loss -= least;
    proof
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_worth_no_weighing_is_proven_as_well_without(
            planes in prop::collection::vec((prop::array::uniform3(-1.0..1.0_f64), -0.5..0.5_f64, any::<bool>()), 1..12),
            half in prop::array::uniform3(0.05..1.0_f64),
        ) {
            let planes: Vec<Plane> = planes.into_iter().filter_map(|(normal, height, of_other)| {
                let normal = Vector::from(normal).try_normalize(0.1)?;
                Some(Plane { height, error: 0.0, normal, rate: 0.0, bend: 0.0, of_other })
            }).collect();
            let half = Vector::from(half);
            let (extent, radius) = (Extent::Box(half), half.norm());
            let full = prove(&planes, &extent, radius);
            let quick = prove_enough(&planes, &extent, radius, |_| false);
            prop_assert!(full.gap <= 1e-12 || quick.gap == full.gap, "{} instead of {}", quick.gap, full.gap);
            // And half-spaces that have a place of the cell in common prove nothing.
            let places = (0..512).map(|i: i32| Vector::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64)) / 3.5);
            let is_common = |x: &Vector| planes.iter().all(|p| p.height + p.normal.dot(x) <= 0.0);
            let common = places.map(|x| (x - Vector::repeat(1.0)).component_mul(&half)).any(|x| is_common(&x));
            prop_assert!(!common || full.gap <= 1e-12);
        }
    }
}
