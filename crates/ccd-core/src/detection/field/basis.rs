//! The best mean of half-spaces over a ball.
//!
//! **Problem.** Weights λ ≥ 0 that add up to one, for which Σ λᵢ hᵢ − r ‖Σ λᵢ nᵢ‖ is greatest.
//! **Idea.** That is as much as max hᵢ + nᵢ·x is at least in the ball, at a point x where at most four of them are equal: the basis.
//! The half-space that is highest at x enters, and the best basis among it and the old ones takes the old one's place, each in
//! closed form. To move weight from one half-space to another gets stuck where the normals all but cancel, as those of an edge and
//! of a smooth surface along it do.
//! **Guarantee.** Any weights are a proof; these are the best but for rounding, for the value grows with every basis.
//! **Source.** Sharir and Welzl (1992), problems of linear-programming type.

use super::separate::Plane;
use crate::math::{Real, Vector};

/// Exchanges before the basis so far is the answer; three or four are usual.
const EXCHANGES: usize = 20;
/// What is no weight but rounding.
const NOTHING: Real = 1e-12;
/// Normals with so small a share in a direction have none.
const FLAT: Real = 1e-12;

/// Which of up to four members stay beside the one that enters, as bits: at most three, and the most first.
const KEPT: [u32; 15] =
    [0b0111, 0b1011, 0b1101, 0b1110, 0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100, 0b0001, 0b0010, 0b0100, 0b1000, 0];

/// A mean of at most four half-spaces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basis {
    members: [usize; 4],
    weights: [Real; 4],
    count: usize,
    /// Its least value in the ball, metres.
    pub value: Real,
    /// Where that is.
    pub place: Vector,
}

impl Basis {
    /// The best for these half-spaces, whose heights `height` tells; `None` without any, and as soon as a place that is `hopeless` is the lowest
    /// so far.
    pub fn best(
        planes: &[Plane],
        radius: Real,
        height: impl Fn(&Plane) -> Real,
        hopeless: impl Fn(&Vector) -> bool,
    ) -> Option<Self> {
        let problem = Problem { planes, radius, height: &height };
        let mut best = problem.solve(&[problem.highest(&Vector::zeros())?])?;
        for _ in 0..EXCHANGES {
            if hopeless(&best.place) {
                return None;
            }
            let entering = problem.highest(&best.place)?;
            if best.members[..best.count].contains(&entering) {
                break;
            }
            match problem.exchange(&best, entering) {
                Some(found) if found.value > best.value => best = found,
                _ => break,
            }
        }
        Some(best)
    }

    /// The members with their weights.
    pub fn members(&self) -> impl Iterator<Item = (usize, Real)> {
        self.members.into_iter().zip(self.weights).take(self.count)
    }
}

struct Problem<'p, H> {
    planes: &'p [Plane],
    radius: Real,
    height: &'p H,
}

impl<H: Fn(&Plane) -> Real> Problem<'_, H> {
    /// How high a half-space is at a place, metres.
    fn at(&self, i: usize, x: &Vector) -> Real {
        (self.height)(&self.planes[i]) + self.planes[i].normal.dot(x)
    }

    /// The half-space that is the highest at a place.
    fn highest(&self, x: &Vector) -> Option<usize> {
        let heights = (0..self.planes.len()).map(|i| (i, self.at(i, x)));
        heights.reduce(|best, next| if next.1 >= best.1 { next } else { best }).map(|(i, _)| i)
    }

    /// The best basis among the old members and the one that enters. Most often the old ones stay, or one of them leaves: who is left out of
    /// a basis that is the best of all is no higher at its place than it is itself, and whoever finds one need not look on.
    fn exchange(&self, old: &Basis, entering: usize) -> Option<Basis> {
        let mut better: Option<Basis> = None;
        for kept in KEPT.into_iter().filter(|kept| kept >> old.count == 0) {
            let mut chosen = [entering; 4];
            let mut count = 1;
            for k in (0..old.count).filter(|k| kept >> k & 1 == 1) {
                chosen[count] = old.members[k];
                count += 1;
            }
            let Some(found) = self.solve(&chosen[..count]) else { continue };
            let left_out = (0..old.count).filter(|k| kept >> k & 1 == 0).map(|k| old.members[k]);
            let is_best = left_out.map(|i| self.at(i, &found.place)).all(|height| height <= found.value);
            if better.is_none_or(|b| found.value > b.value) {
                better = Some(found);
            }
            if is_best {
                break;
            }
        }
        better
    }

    /// The best mean of just these, where all of them are equal at its least place and have weight; `None` where there is none.
    fn solve(&self, members: &[usize]) -> Option<Basis> {
        let r = self.radius;
        let of = |k: usize| -> (Real, Vector) {
            let plane = &self.planes[members[k]];
            ((self.height)(plane), plane.normal)
        };
        let (h, n) = of(0);
        // The others against the first: c·x = d where they are equal.
        let against = |k: usize| {
            let (other, normal) = of(k);
            (normal - n, h - other)
        };
        // How far the ball reaches beyond a place in it.
        let left = |x: &Vector| {
            let square = r * r - x.norm_squared();
            (square >= 0.0).then(|| square.sqrt())
        };
        let mut weights = [0.0; 4];
        let place = match members.len() {
            1 => n * (-r / n.norm()),
            2 => {
                let (c, d) = against(1);
                let square = c.norm_squared();
                let foot = c * (d / square);
                let s = left(&foot)?;
                let across = n - c * (n.dot(&c) / square);
                let slope = across.norm();
                let pull = if slope > FLAT { slope / s } else { 0.0 };
                weights[1] = (-n.dot(&c) - pull * d) / square;
                if slope > FLAT { foot - across * (s / slope) } else { foot }
            }
            3 => {
                let ((c, d), (e, f)) = (against(1), against(2));
                let line = c.cross(&e);
                let square = line.norm_squared();
                let (to_c, to_e) = (e.cross(&line) / square, line.cross(&c) / square);
                let foot = to_c * d + to_e * f;
                let s = left(&foot)?;
                let along = line / square.sqrt();
                let slope = n.dot(&along);
                let place = foot - along * s.copysign(slope);
                let pull = if slope.abs() > FLAT { slope.abs() / s } else { 0.0 };
                let rest = -n - place * pull;
                (weights[1], weights[2]) = (rest.dot(&to_c), rest.dot(&to_e));
                place
            }
            _ => {
                let ((c, d), (e, f), (g, k)) = (against(1), against(2), against(3));
                let volume = c.dot(&e.cross(&g));
                let to = [e.cross(&g) / volume, g.cross(&c) / volume, c.cross(&e) / volume];
                let place = to[0] * d + to[1] * f + to[2] * k;
                left(&place)?;
                for (weight, to) in weights[1..].iter_mut().zip(to) {
                    *weight = -n.dot(&to);
                }
                place
            }
        };
        weights[0] = 1.0 - weights[1..].iter().sum::<Real>();
        let value = h + n.dot(&place);
        // Also where they are no numbers, as of half-spaces that are parallel.
        if !value.is_finite() || !weights.iter().all(|w| *w >= -NOTHING) {
            return None;
        }
        let mut basis = Basis {
            members: [members[0]; 4],
            weights: weights.map(|w| w.max(0.0)),
            count: members.len(),
            value,
            place,
        };
        basis.members[..members.len()].copy_from_slice(members);
        Some(basis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_mean_is_as_high_all_over_the_ball_as_the_half_spaces_are_at_their_lowest(
            planes in prop::collection::vec((prop::array::uniform3(-1.0..1.0_f64), -1.0..1.0_f64), 1..9), r in 1e-6..3.0_f64,
        ) {
            let planes: Vec<Plane> = planes.into_iter().filter_map(|(n, height)| {
                let normal = Vector::from(n).try_normalize(0.1)?;
                Some(Plane { height, error: 0.0, normal, rate: 0.0, bend: 0.0, of_other: false })
            }).collect();
            prop_assume!(!planes.is_empty());
            let basis = Basis::best(&planes, r, |p| p.height, |_| false).unwrap();
            let (mut height, mut normal, mut whole) = (0.0, Vector::zeros(), 0.0);
            for (i, weight) in basis.members() {
                prop_assert!(weight >= 0.0);
                (height, normal, whole) = (height + planes[i].height * weight, normal + planes[i].normal * weight, whole + weight);
            }
            prop_assert!((whole - 1.0).abs() < 1e-9 && basis.place.norm() <= r * (1.0 + 1e-9));
            // The mean from below, and a place from above: they meet, so neither can be better.
            let least = height - r * normal.norm();
            let at_place = planes.iter().map(|p| p.height + p.normal.dot(&basis.place)).fold(Real::NEG_INFINITY, Real::max);
            prop_assert!((at_place - least).abs() < 1e-8, "{least} {at_place} {basis:?}");
        }
    }
}
