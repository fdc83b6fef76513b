//! Proofs that what a cell holds of one solid is further than a margin from the other.
//!
//! **Problem.** As in [`super::separate`], with a margin between the two.
//! **Idea.** One half-space of each solid is weighed in closed form. More of them by exchanges of weight (Frank and Wolfe) from the best weights
//! over a ball.

use super::basis::Basis;
use super::separate::{Extent, MOST, Plane, Proof, alone, mean, weights_of};
use crate::math::{Real, Vector};

/// Rounds of moving weight.
const ROUNDS: usize = 24;
/// Halvings to the best exchange of weights.
const HALVINGS: usize = 16;

/// The best proof that was found that the parts are apart by more than `margin`, where the planes' heights hold no margin.
///
/// To be apart by a margin is to be apart however the other solid is shifted by it, which lowers a mean by the margin times the
/// length of the other solid's share of the normal. That is less than the margin times its weight where faces meet at a sharp edge or
/// corner: their planes, each moved out by the margin, would meet far beyond the rounded edge. A gap of more than `enough` metres
/// ends the search.
pub(crate) fn prove_beyond(planes: &[Plane], extent: &Extent, radius: Real, margin: Real, enough: Real) -> Proof {
    let mut best = Proof::NONE;
    let planes = &planes[..planes.len().min(MOST)];
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
    if let Some(best_of_all) = in_closed_form(planes, extent, margin, best) {
        return best_of_all;
    }
    let search = Search { planes, extent, radius, margin, enough, nothing: enough.min(0.0) };
    let basis = Basis::best(planes, radius, lone, |_| false);
    if let Some(basis) = &basis
        && let Some(place) = extent.nearest(&basis.place)
    {
        // The other solid, shifted by the margin against where it holds the cell off, may have a place of the cell in common with what it holds.
        let of_other: Vector = basis.members().map(|(i, weight)| share_of_other(&planes[i]) * weight).sum();
        let shift = of_other.try_normalize(1e-12).map_or_else(Vector::zeros, |way| way * -margin);
        let height = |p: &Plane| p.height + p.normal.dot(&place) + share_of_other(p).dot(&shift);
        if planes.iter().all(|p| height(p) <= search.nothing) {
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
    for weights in basis.into_iter().chain(highest) {
        best = search.by_exchanges(weights, best);
        if best.gap > search.nothing {
            break;
        }
    }
    best
}

/// A plane's share of the other solid's part of a mean normal.
fn share_of_other(plane: &Plane) -> Vector {
    if plane.of_other { plane.normal } else { Vector::zeros() }
}

/// A search for weights of the planes.
struct Search<'p> {
    planes: &'p [Plane],
    extent: &'p Extent,
    radius: Real,
    margin: Real,
    enough: Real,
    /// What cannot become more than this is no proof at all, and not weighed on.
    nothing: Real,
}

impl Search<'_> {
    /// The best proof that exchanges of weight lead to from these weights on, or the `best` so far.
    fn by_exchanges(&self, mut weights: [Real; MOST], mut best: Proof) -> Proof {
        let &Self { planes, extent, radius, margin, enough, nothing } = self;
        let (mut normal, mut of_other) = (Vector::zeros(), Vector::zeros());
        // The best of the rounds from these weights on: one plane alone may have been as good as where they begin.
        let mut so_far = Real::NEG_INFINITY;
        for (plane, weight) in planes.iter().zip(weights) {
            normal += plane.normal * weight;
            of_other += share_of_other(plane) * weight;
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
            let (along, along_other) = (normal * inverse_norm(&normal), of_other * inverse_norm(&of_other));
            let mut slopes = [0.0; MOST];
            for (slope, p) in slopes.iter_mut().zip(planes) {
                *slope = p.height - radius * p.normal.dot(&along) - margin * share_of_other(p).dot(&along_other);
            }
            let Some(Exchange { from, to, hope }) = exchange(&slopes[..planes.len()], &weights) else { break };
            if proof.gap + hope <= nothing {
                break;
            }
            let change = planes[to].normal - planes[from].normal;
            let change_other = share_of_other(&planes[to]) - share_of_other(&planes[from]);
            let rise = planes[to].height - planes[from].height;
            let step = where_it_stops(weights[from], |s: Real| {
                let (n, o) = (normal + change * s, of_other + change_other * s);
                rise - radius * change.dot(&n) * inverse_norm(&n) - margin * change_other.dot(&o) * inverse_norm(&o)
                    > 0.0
            });
            weights[to] += step;
            weights[from] -= step;
            if weights[from] < 1e-13 {
                weights[from] = 0.0;
            }
            normal += change * step;
            of_other += change_other * step;
        }
        best
    }
}

/// Where a concave function stops `rising` between zero and `most`, by halves.
fn where_it_stops(most: Real, rising: impl Fn(Real) -> bool) -> Real {
    let (mut low, mut high) = (0.0, most);
    if rising(high) {
        low = high;
    } else {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if rising(middle) { low = middle } else { high = middle }
        }
    }
    0.5 * (low + high)
}

/// One over the length, and zero of what has none.
fn inverse_norm(v: &Vector) -> Real {
    let square = v.norm_squared();
    if square > 1e-24 { square.sqrt().recip() } else { 0.0 }
}

/// The best proof of all where that is in closed form: if there is only one half-space of the other solid, and of the cell's own solid none that
/// tells more than the cell's extent, or one beside a box. `alone`: the best of single ones.
fn in_closed_form(planes: &[Plane], extent: &Extent, margin: Real, alone: Proof) -> Option<Proof> {
    if planes.iter().filter(|p| p.of_other).count() != 1 {
        return None;
    }
    let Extent::Box(half) = extent else {
        // The own half-spaces of what is flat are those of its plane.
        return Some(alone);
    };
    let [one, two] = planes else { return None };
    let (own, other) = if one.of_other { (two, one) } else { (one, two) };
    // By how much of the other has weight, least values over a box are linear but where a coordinate of the mean normal changes its sign.
    let mut best = alone;
    for k in 0..3 {
        let (n, o) = (own.normal[k], other.normal[k]);
        if n * o >= 0.0 {
            continue;
        }
        let share = n / (n - o);
        let normal = own.normal * (1.0 - share) + other.normal * share;
        let gap = own.height * (1.0 - share) + (other.height - margin) * share - normal.abs().dot(half);
        if gap > best.gap {
            let mut weights = [0.0; MOST];
            for (weight, plane) in weights.iter_mut().zip(planes) {
                *weight = if plane.of_other { share } else { 1.0 - share };
            }
            best = Proof { gap, ..mean(planes, &weights, extent) };
        }
    }
    Some(best)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn one_half_space_of_each_solid_is_weighed_as_well_as_by_trying_all_weights(
            normals in prop::array::uniform2(prop::array::uniform3(-1.0..1.0_f64)), heights in prop::array::uniform2(-0.5..0.5_f64),
            half in prop::array::uniform3(0.01..1.0_f64), margin in 0.0..0.3_f64, own_first in any::<bool>(),
        ) {
            let plane = |k: usize| {
                let normal = Vector::from(normals[k]).try_normalize(0.1)?;
                let of_other = (k == 0) != own_first;
                Some(Plane { height: heights[k], error: 0.0, normal, rate: 0.0, bend: 0.0, of_other })
            };
            let (Some(one), Some(two)) = (plane(0), plane(1)) else { return Ok(()) };
            let (planes, half) = ([one, two], Vector::from(half));
            let found = prove_beyond(&planes, &Extent::Box(half), half.norm(), margin, Real::INFINITY).gap;
            let gap_of = |weight: Real| {
                let height = |p: &Plane| p.height - if p.of_other { margin } else { 0.0 };
                let normal = one.normal * weight + two.normal * (1.0 - weight);
                height(&one) * weight + height(&two) * (1.0 - weight) - normal.abs().dot(&half)
            };
            let best = (0..=2000).map(|k| gap_of(Real::from(k) / 2000.0)).fold(Real::NEG_INFINITY, Real::max);
            prop_assert!(found >= best - 1e-12, "{found}, but {best}");
            // The slope is no more than what normals, heights and sides differ by.
            prop_assert!(found <= best + 5.0 / 2000.0 + 1e-12, "{found} is more than any weights give: {best}");
        }

        #[test]
        fn a_triangle_is_told_from_one_half_space_by_its_corners(
            corners in prop::array::uniform3(prop::array::uniform3(-1.0..1.0_f64)), normal in prop::array::uniform3(-1.0..1.0_f64),
            height in -0.5..1.5_f64, margin in 0.0..0.3_f64,
        ) {
            let corners = corners.map(Vector::from);
            let flat = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).try_normalize(1e-3);
            let (Some(flat), Some(normal)) = (flat, Vector::from(normal).try_normalize(0.1)) else { return Ok(()) };
            let plane = |height: Real, normal: Vector, of_other: bool| {
                Plane { height, error: 0.0, normal, rate: 0.0, bend: 0.0, of_other }
            };
            let off = flat.dot(&corners[0]);
            let planes = [plane(-off, flat, false), plane(off, -flat, false), plane(height, normal, true)];
            let radius = corners.iter().map(Vector::norm).fold(0.0, Real::max);
            let found = prove_beyond(&planes, &Extent::Triangle(corners), radius, margin, 0.0).gap;
            let lowest = corners.iter().map(|c| height + normal.dot(c)).fold(Real::INFINITY, Real::min);
            prop_assert_eq!(found > 0.0, lowest - margin > 0.0);
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
