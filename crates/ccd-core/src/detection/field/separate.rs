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
use crate::math::{Real, Vector};

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
    fn nearest(&self, place: &Vector) -> Option<Vector> {
        match self {
            Self::Box(half) => Some(place.sup(&-half).inf(half)),
            Self::Sheet { .. } | Self::Triangle(_) => None,
        }
    }

    /// The least value of `n · x` over the cell.
    #[inline]
    fn least(&self, n: &Vector) -> Real {
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
    const NONE: Self = Self {
        gap: Real::NEG_INFINITY,
        rate: 0.0,
        bend: 0.0,
        share: 0.0,
        of_other: Vector::new(0.0, 0.0, 0.0),
        loss: 0.0,
        lowest: Vector::new(0.0, 0.0, 0.0),
    };
}

/// Rounds of moving weight.
const ROUNDS: usize = 24;
/// Halvings to the best exchange of weights.
const HALVINGS: usize = 16;
/// The most planes that are weighed.
const MOST: usize = 26;

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
fn alone(plane: &Plane, extent: &Extent, radius: Real) -> Proof {
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

fn weights_of(basis: &Basis) -> [Real; MOST] {
    let mut weights = [0.0; MOST];
    for (i, weight) in basis.members() {
        weights[i] = weight;
    }
    weights
}

/// The best proof that was found that the parts are apart by more than `margin`, where the planes' heights hold no margin.
///
/// To be apart by a margin is to be apart however the other solid is shifted by it, which lowers a mean by the margin times the
/// length of the other solid's share of the normal. That is less than the margin times its weight where faces meet at a sharp edge or
/// corner: their planes, each moved out by the margin, would meet far beyond the rounded edge. A gap of more than `enough` metres
/// ends the search.
pub(crate) fn prove_beyond(planes: &[Plane], extent: &Extent, radius: Real, margin: Real, enough: Real) -> Proof {
    let mut best = Proof::NONE;
    // What cannot become more than this is no proof at all, and not weighed on.
    let nothing = enough.min(0.0);
    let planes = &planes[..planes.len().min(MOST)];
    let own = |p: &Plane| if p.of_other { p.normal } else { Vector::zeros() };
    let lone = |p: &Plane| p.height - if p.of_other { margin } else { 0.0 };
    // Most parts that are far from each other are told apart by one plane.
    for plane in planes {
        let gap = lone(plane) + extent.least(&plane.normal);
        if gap > best.gap {
            best = Proof { gap, ..alone(plane, extent, radius) };
        }
    }
    if best.gap > enough {
        return best;
    }
    let basis = Basis::best(planes, radius, lone, |_| false);
    if let Some(basis) = &basis
        && let Some(place) = extent.nearest(&basis.place)
    {
        // The other solid, shifted by the margin against where it holds the cell off, may have a place of the cell in common with what it holds.
        let of_other: Vector = basis.members().map(|(i, weight)| own(&planes[i]) * weight).sum();
        let shift = of_other.try_normalize(1e-12).map_or_else(Vector::zeros, |way| way * -margin);
        if planes.iter().all(|p| p.height + p.normal.dot(&place) + own(p).dot(&shift) <= nothing) {
            return best;
        }
    }
    let basis = basis.map(|basis| weights_of(&basis));
    // And from the other solid's planes: where none of them has weight, no change of one alone shows what two of them prove.
    let of_others = (0..planes.len()).filter(|i| planes[*i].of_other);
    let highest = of_others.max_by(|i, k| lone(&planes[*i]).total_cmp(&lone(&planes[*k]))).map(|i| {
        let mut weights = [0.0; MOST];
        weights[i] = 1.0;
        weights
    });
    for mut weights in basis.into_iter().chain(highest) {
        let (mut normal, mut of_other) = (Vector::zeros(), Vector::zeros());
        // The best of the rounds from these weights on: one plane alone may have been as good as where they begin.
        let mut so_far = Real::NEG_INFINITY;
        for (plane, weight) in planes.iter().zip(weights) {
            normal += plane.normal * weight;
            of_other += own(plane) * weight;
        }
        for _ in 0..ROUNDS {
            let mut proof = mean(planes, &weights, extent);
            let least = margin * of_other.norm() * (1.0 + 1e-12);
            proof.gap -= least;
            let hardly = so_far > 0.0 && proof.gap < 1.05 * so_far;
            so_far = so_far.max(proof.gap);
            if proof.gap > best.gap {
                best = proof;
            }
            if hardly || best.gap > enough {
                break;
            }
            let unit = |v: &Vector| v.try_normalize(1e-12).unwrap_or_else(Vector::zeros);
            let (along, along_other) = (unit(&normal), unit(&of_other));
            let mut slopes = [0.0; MOST];
            for (slope, p) in slopes.iter_mut().zip(planes) {
                *slope = p.height - radius * p.normal.dot(&along) - margin * own(p).dot(&along_other);
            }
            let Some(Exchange { from, to, hope }) = exchange(&slopes[..planes.len()], &weights) else { break };
            if proof.gap + hope <= nothing {
                break;
            }
            let change = planes[to].normal - planes[from].normal;
            let change_other = own(&planes[to]) - own(&planes[from]);
            let rise = planes[to].height - planes[from].height;
            // Concave along the exchange: where it stops rising, by halves.
            let rising = |s: Real| {
                let (n, o) = (normal + change * s, of_other + change_other * s);
                rise - radius * change.dot(&unit(&n)) - margin * change_other.dot(&unit(&o)) > 0.0
            };
            let (mut low, mut high) = (0.0, weights[from]);
            if rising(high) {
                low = high;
            } else {
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (low + high);
                    if rising(middle) { low = middle } else { high = middle }
                }
            }
            let step = 0.5 * (low + high);
            weights[to] += step;
            weights[from] -= step;
            if weights[from] < 1e-13 {
                weights[from] = 0.0;
            }
            normal += change * step;
            of_other += change_other * step;
        }
        if best.gap > nothing {
            break;
        }
    }
    best
}

/// The plane with weight that is the least worth it, and the one that is the most: between them weight moves next.
struct Exchange {
    from: usize,
    to: usize,
    /// What other weights could gain at most in the ball around the cell, metres: a concave function is below its tangents (Frank and
    /// Wolfe). The cell itself may allow a little more; it is divided then.
    hope: Real,
}

fn exchange(slopes: &[Real], weights: &[Real; MOST]) -> Option<Exchange> {
    let (mut to, mut from, mut mean) = (0, None, 0.0);
    for (i, (slope, weight)) in slopes.iter().zip(weights).enumerate() {
        if *slope > slopes[to] {
            to = i;
        }
        if *weight > 0.0 && from.is_none_or(|k: usize| *slope < slopes[k]) {
            from = Some(i);
        }
        mean += weight * slope;
    }
    from.filter(|k| *k != to).map(|from| Exchange { from, to, hope: slopes[to] - mean })
}

fn mean(planes: &[Plane], weights: &[Real; MOST], extent: &Extent) -> Proof {
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

    /// Two faces of the other solid that meet in an edge, at this angle to each other (radians), at a height over a cell at the origin.
    fn wedge(angle: Real, height: Real) -> [Plane; 2] {
        [1.0, -1.0].map(|side: Real| {
            let normal = Vector::new((0.5 * angle).sin(), side * (0.5 * angle).cos(), 0.0);
            Plane { height, error: 0.0, normal, rate: 0.0, bend: 0.0, of_other: true }
        })
    }

    #[test]
    fn an_edge_is_as_far_as_it_is_where_one_face_alone_is_just_beyond_the_margin() {
        let extent = Extent::Box(Vector::repeat(1e-9));
        let mut planes = wedge(0.3, 1.0);
        planes[1].height = 0.8;
        let margin = planes[0].height - 2e-9;
        let gap = prove_beyond(&planes, &extent, 2e-9, margin, Real::INFINITY).gap;
        assert!(gap > 0.5, "{gap}");
    }

    #[test]
    fn a_cell_is_told_apart_from_a_sharp_edge_by_up_to_the_distance_of_the_edge_itself() {
        let extent = Extent::Box(Vector::repeat(1e-9));
        for angle in [0.05, 0.3, 1.0, 2.0, 3.0] {
            // The edge is that much further away than either face's plane.
            let planes = wedge(angle, (0.5 * angle).sin());
            let gap = |margin: Real, enough: Real| prove_beyond(&planes, &extent, 2e-9, margin, enough).gap;
            for enough in [0.0, Real::INFINITY] {
                assert!(gap(0.99, enough) > 0.0, "{angle}, {enough}: {}", gap(0.99, enough));
                assert!(gap(1.01, enough) <= 0.0, "{angle}, {enough}: {}", gap(1.01, enough));
            }
        }
    }
}
