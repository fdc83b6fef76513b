//! A piece of a patch as a search takes it: how far apart its places are at least, and the one that is nearest to a point.
//!
//! **Idea.** Over a piece whose slopes hardly change the places are apart by at least a share of what their parameters are. So the place that
//! Newton's method ends at is told to be the nearest of all of the piece by one look at the second differences, and what a small ball holds of it is
//! in a small rectangle of parameters, which is cut out at once however small it is.

use super::{BezierPatch, Jet, PatchPiece};
use crate::math::{Point, Real, Vector};

/// Rounds of Newton's method; it ends sooner where nothing is gained.
const ROUNDS: usize = 24;
/// How often a step that gains nothing is halved.
const HALVINGS: usize = 12;
/// Steps that gain less than this share are the last ones.
const LAST_GAIN: Real = 1e-15;
/// What is left of the spread has to be at least this share of it for the nearest place to be told.
const CERTAIN: Real = 0.05;
/// Slopes may change by this share of what keeps the parameters apart in a cell that is not divided any further.
const EVEN: Real = 0.4;

/// A piece with what is known of its slopes.
#[derive(Clone, Debug)]
pub(crate) struct PatchCell {
    pub piece: PatchPiece,
    /// Of the mean slopes, metres over the piece's unit square.
    lengths: [Real; 2],
    /// By how much a slope may be off its mean, as shares of these lengths.
    off: [Real; 2],
    /// Places are further apart than this share of what their parameters are, measured in the lengths; zero where nothing is known.
    spread: Real,
    is_even: bool,
}

/// The place of a cell that is nearest to a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearestOnCell {
    pub point: Point,
    /// In the cell's own unit square.
    pub share: [Real; 2],
    pub distance: Real,
    /// No place of the cell is nearer than this; zero where Newton's method may have ended at another place.
    pub least: Real,
    /// What the squared distance of other places is more than `least` squared at least, over the square of how far their parameters are from
    /// some within `lean` of these; zero where that is not known.
    rise: Real,
    lean: Real,
}

/// The place of a cell that is furthest along a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FurthestOnCell {
    pub point: Point,
    pub height: Real,
    /// Whether no place of the cell is further, but for rounding.
    pub is_certain: bool,
}

impl PatchCell {
    pub fn new(piece: PatchPiece) -> Self {
        let (part, along) = piece.shape();
        let lengths = along.map(|slope| slope.norm());
        let p = part.control();
        let mut off: [Real; 2] = [0.0; 2];
        for i in 0..4 {
            for j in 0..4 {
                if i < 3 {
                    off[0] = off[0].max(((p[4 * i + 4 + j] - p[4 * i + j]) * 3.0 - along[0]).norm_squared());
                }
                if j < 3 {
                    off[1] = off[1].max(((p[4 * i + j + 1] - p[4 * i + j]) * 3.0 - along[1]).norm_squared());
                }
            }
        }
        let share = |k: usize| if lengths[k] > 0.0 { off[k].sqrt() / lengths[k] } else { Real::INFINITY };
        let off = [share(0), share(1)];
        // The singular values of two unit columns that enclose a cosine.
        let cosine =
            if lengths[0] * lengths[1] > 0.0 { along[0].dot(&along[1]) / (lengths[0] * lengths[1]) } else { 1.0 };
        let least = (1.0 - cosine.abs()).max(0.0).sqrt();
        let change = off[0].hypot(off[1]);
        let spread = (least - change).max(0.0) * (1.0 - 1e-9);
        Self { piece, lengths, off, spread, is_even: change <= EVEN * least && least > 1e-3 }
    }

    /// Whether its slopes are much alike all over it.
    pub fn is_even(&self) -> bool {
        self.is_even
    }

    /// The two halves: along the parameter of which the slope changes more.
    pub fn halves(&self) -> [Self; 2] {
        let (u, v) = (self.off[0] * self.lengths[0], self.off[1] * self.lengths[1]);
        // What one slope changes by does not tell along which parameter: then the longer side is halved.
        let halves = if u.max(v) < 4.0 * u.min(v) { self.piece.shorter_halves() } else { self.piece.halves() };
        halves.map(Self::new)
    }

    /// Whether its outward side looks along `direction` everywhere: no normal of it is upright to that.
    pub fn looks_along(&self, direction: &Vector) -> bool {
        let (_, along) = self.piece.shape();
        let area = self.lengths[0] * self.lengths[1];
        let [u, v] = self.off;
        direction.dot(&along[0].cross(&along[1])) > area * (u + v + u * v) * (1.0 + 1e-9)
    }

    /// The direction of its mean slopes' normal; `None` where they have none.
    pub fn mean_normal(&self) -> Option<Vector> {
        let (_, [u, v]) = self.piece.shape();
        u.cross(&v).try_normalize(1e-9 * self.lengths[0] * self.lengths[1])
    }

    /// The outward normal at a place.
    pub fn normal_at(&self, share: [Real; 2]) -> Option<Vector> {
        self.piece.shape().0.normal(share[0], share[1])
    }

    /// The height of its highest control point along a direction: no point of the piece is higher.
    pub fn height(&self, direction: &Vector) -> Real {
        let heights = self.piece.control().iter().map(|p| direction.dot(&p.coords));
        heights.fold(Real::NEG_INFINITY, Real::max)
    }

    /// A bound of [`PatchCell::height`], by its box.
    pub fn reach(&self, direction: &Vector) -> Real {
        let aabb = self.piece.aabb();
        direction.dot(&aabb.centre().coords) + direction.abs().dot(&aabb.half_extents())
    }

    /// The place that is furthest along a unit direction, by Newton's method.
    pub fn furthest(&self, direction: &Vector) -> FurthestOnCell {
        let part = self.piece.shape().0;
        let slopes = |jet: &Jet| [direction.dot(&jet.du), direction.dot(&jet.dv)];
        let control = self.piece.control();
        let highest =
            (0..16).max_by(|&j, &k| direction.dot(&control[j].coords).total_cmp(&direction.dot(&control[k].coords)));
        let start = highest.map_or([0.5; 2], |k| [(k / 4) as Real / 3.0, (k % 4) as Real / 3.0]);
        let (mut x, mut jet) = (start, part.jet(start[0], start[1]));
        for _ in 0..ROUNDS {
            let [s, t] = slopes(&jet);
            let is_free = |k: usize, slope: Real| !(x[k] <= 0.0 && slope <= 0.0 || x[k] >= 1.0 && slope >= 0.0);
            let free = [is_free(0, s), is_free(1, t)];
            let bent = [&jet.duu, &jet.duv, &jet.dvv].map(|bend| -direction.dot(bend));
            // Where it does not bend down, the end of the range is what it leads to.
            let uphill = || {
                let up = [s, t].map(Real::signum);
                (free != [false; 2]).then(|| [0, 1].map(|k| if free[k] { up[k] } else { 0.0 }))
            };
            let Some(step) = step_of(bent, [-s, -t], free).or_else(uphill) else { break };
            let height = direction.dot(&jet.point.coords);
            let mut share = 1.0;
            let mut gained = false;
            for _ in 0..HALVINGS {
                let next = [0, 1].map(|k| (x[k] + share * step[k]).clamp(0.0, 1.0));
                let there = part.jet(next[0], next[1]);
                if direction.dot(&there.point.coords) > height {
                    gained = true;
                    (x, jet) = (next, there);
                    break;
                }
                if share * (s * step[0] + t * step[1]) <= Real::EPSILON * self.lengths[0].max(self.lengths[1]) {
                    break;
                }
                share *= 0.25;
            }
            if !gained {
                break;
            }
        }
        // Beside a place where it neither rises nor bends up all is lower.
        let [uu, vv, uv] = bends_along(part, direction);
        let slack = 8.0 * Real::EPSILON * self.piece.aabb().min.coords.amax().max(self.piece.aabb().max.coords.amax());
        let falls = |k: usize, slope: Real, bend: Real| {
            let away = if x[k] <= 0.0 {
                -slope
            } else if x[k] >= 1.0 {
                slope
            } else {
                0.0
            };
            let bend = bend + uv;
            // What is left of a slope leads up no further than to where the bend takes it down again.
            let is_level = || slope.abs() <= slack || bend < 0.0 && slope * slope <= -2.0 * bend * slack;
            if away > 0.0 { 0.5 * bend <= away + slack } else { bend <= slack && is_level() }
        };
        let [s, t] = slopes(&jet);
        let height = direction.dot(&jet.point.coords);
        FurthestOnCell { point: jet.point, height, is_certain: falls(0, s, uu) && falls(1, t, vv) }
    }

    /// The nearest place to `point`, by Newton's method, and what is certain of it.
    pub fn nearest(&self, point: &Point) -> NearestOnCell {
        let part = self.piece.shape().0;
        let (share, jet) = descend(part, point, self.piece.shares_near(point));
        let way = point - jet.point;
        let distance = way.norm();
        let [mut rise, mut least, mut lean] = [0.0; 3];
        if self.spread > 0.0 {
            // Of a place with other parameters the square of the distance is more by the square of how far it is from this one, less what
            // the slope here and the bend between take off.
            let slope = |k: usize, x: Real, along: &Vector| {
                let gain = way.dot(along) / self.lengths[k];
                if x <= 0.0 && gain <= 0.0 || x >= 1.0 && gain >= 0.0 { 0.0 } else { gain }
            };
            let residual = slope(0, share[0], &jet.du).hypot(slope(1, share[1], &jet.dv));
            rise = self.spread * self.spread - bend_towards(part, &way, self.lengths);
            if rise > CERTAIN * self.spread * self.spread {
                lean = residual / rise;
                least = (distance * distance - residual * lean).max(0.0).sqrt();
            } else {
                rise = 0.0;
            }
        }
        NearestOnCell { point: jet.point, share, distance, least, rise, lean }
    }

    /// The rectangle of parameters, of the unit square, that holds all places of the cell in a ball of `radius` about the point of which
    /// `nearest` is the nearest place; `None` where there is none.
    pub fn within(&self, nearest: &NearestOnCell, radius: Real) -> Option<([Real; 2], [Real; 2])> {
        if nearest.least > radius {
            return None;
        }
        let by_spread = if self.spread > 0.0 { (radius + nearest.distance) / self.spread } else { Real::INFINITY };
        let by_rise = if nearest.rise > 0.0 {
            ((radius * radius - nearest.least * nearest.least) / nearest.rise).max(0.0).sqrt() + nearest.lean
        } else {
            Real::INFINITY
        };
        let reach = by_spread.min(by_rise);
        let side = |k: usize, sign: Real| (nearest.share[k] + sign * (reach / self.lengths[k] + 1e-12)).clamp(0.0, 1.0);
        Some(([side(0, -1.0), side(1, -1.0)], [side(0, 1.0), side(1, 1.0)]))
    }
}

/// The most that the second derivatives take off along `way` (metres squared), over the square of parameters measured in `lengths`.
fn bend_towards(part: &BezierPatch, way: &Vector, lengths: [Real; 2]) -> Real {
    let [uu, vv, uv] = bends_along(part, way);
    let [u, v] = lengths;
    (uu / (u * u)).max(vv / (v * v)) + uv / (u * v)
}

/// The largest second derivatives along `way`: ∂uu, ∂vv, and the size of ∂uv.
fn bends_along(part: &BezierPatch, way: &Vector) -> [Real; 3] {
    let height: [Real; 16] = std::array::from_fn(|k| way.dot(&part.control()[k].coords));
    let at = |i: usize, j: usize| height[4 * i + j];
    let (mut uu, mut vv, mut uv) = (Real::NEG_INFINITY, Real::NEG_INFINITY, 0.0_f64);
    for i in 0..4 {
        for j in 0..4 {
            if i < 2 {
                uu = uu.max(6.0 * (at(i + 2, j) - 2.0 * at(i + 1, j) + at(i, j)));
            }
            if j < 2 {
                vv = vv.max(6.0 * (at(i, j + 2) - 2.0 * at(i, j + 1) + at(i, j)));
            }
            if i < 3 && j < 3 {
                uv = uv.max(9.0 * (at(i + 1, j + 1) - at(i + 1, j) - at(i, j + 1) + at(i, j)).abs());
            }
        }
    }
    [uu, vv, uv]
}

/// Parameters from which no small move within the unit square leads nearer to `point`.
fn descend(part: &BezierPatch, point: &Point, start: [Real; 2]) -> ([Real; 2], Jet) {
    let mut x = start;
    let mut jet = part.jet(x[0], x[1]);
    let mut value = (jet.point - point).norm_squared();
    for _ in 0..ROUNDS {
        let off = jet.point - point;
        let gradient = [off.dot(&jet.du), off.dot(&jet.dv)];
        let is_free = |k: usize| !(x[k] <= 0.0 && gradient[k] >= 0.0 || x[k] >= 1.0 && gradient[k] <= 0.0);
        let free = [is_free(0), is_free(1)];
        let (uu, uv, vv) = (jet.du.norm_squared(), jet.du.dot(&jet.dv), jet.dv.norm_squared());
        let bent = [uu + off.dot(&jet.duu), uv + off.dot(&jet.duv), vv + off.dot(&jet.dvv)];
        let Some(step) = step_of(bent, gradient, free).or_else(|| step_of([uu, uv, vv], gradient, free)) else { break };
        // Where rounding is all that is to be gained, one look is enough.
        let gain = -(gradient[0] * step[0] + gradient[1] * step[1]);
        let is_last = gain <= LAST_GAIN * (value + LAST_GAIN * (uu + vv));
        let mut share = 1.0;
        let mut gained = false;
        for _ in 0..if is_last { 1 } else { HALVINGS } {
            let next = [0, 1].map(|k| (x[k] + share * step[k]).clamp(0.0, 1.0));
            let there = part.jet(next[0], next[1]);
            let nearer = (there.point - point).norm_squared();
            if nearer < value {
                gained = !is_last;
                (x, jet, value) = (next, there, nearer);
                break;
            }
            share *= 0.25;
        }
        if !gained {
            break;
        }
    }
    (x, jet)
}

/// Newton's step of the free parameters; `None` where it leads uphill, or nowhere.
fn step_of([uu, uv, vv]: [Real; 3], gradient: [Real; 2], free: [bool; 2]) -> Option<[Real; 2]> {
    let alone = |bend: Real, slope: Real| (bend > 0.0 && slope != 0.0).then(|| -slope / bend);
    match free {
        [true, true] => {
            let determinant = uu * vv - uv * uv;
            (uu > 0.0 && determinant > 1e-12 * uu * vv && gradient != [0.0; 2]).then(|| {
                let [s, t] = gradient;
                [(uv * t - vv * s) / determinant, (uv * s - uu * t) / determinant]
            })
        }
        [true, false] => Some([alone(uu, gradient[0])?, 0.0]),
        [false, true] => Some([0.0, alone(vv, gradient[1])?]),
        [false, false] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::patch::tests::any_patch;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_place_of_an_even_cell_is_nearer_than_the_one_that_is_told(
            patch in any_patch(), turns in prop::collection::vec(prop::bool::ANY, 4..16),
            away in prop::array::uniform3(-1.0..1.0_f64), far in -3.0..0.0_f64, others in prop::collection::vec(prop::array::uniform2(0.0..1.0_f64), 40),
        ) {
            let mut cell = PatchCell::new(PatchPiece::whole(0, &patch));
            for turn in turns {
                let [low, high] = cell.halves();
                cell = if turn { high } else { low };
            }
            let place = |[u, v]: [Real; 2]| cell.piece.shape().0.point(u, v);
            let point = place([0.5, 0.5]) + Vector::from(away) * 10.0_f64.powf(far);
            let nearest = cell.nearest(&point);
            prop_assert!((place(nearest.share) - nearest.point).norm() < 1e-14);
            let radius = 1.2 * nearest.distance;
            let within = cell.within(&nearest, radius);
            for other in others {
                let distance = (place(other) - point).norm();
                prop_assert!(distance >= nearest.least * (1.0 - 1e-12) - 1e-15, "{distance} < {}", nearest.least);
                if distance <= radius {
                    let (low, high) = within.expect("it holds a place");
                    prop_assert!((0..2).all(|k| low[k] <= other[k] && other[k] <= high[k]), "{other:?} {low:?} {high:?}");
                }
                prop_assert!(cell.piece.distance_bound(&point) <= distance * (1.0 + 1e-12));
            }
        }

        #[test]
        fn a_part_of_a_patch_is_the_patch_over_its_rectangle(
            patch in any_patch(), low in prop::array::uniform2(0.0..1.0_f64), size in prop::array::uniform2(0.0..1.0_f64), u in 0.0..1.0_f64, v in 0.0..1.0_f64,
        ) {
            let high = [0, 1].map(|k| low[k] + (1.0 - low[k]) * size[k]);
            let part = PatchPiece::whole(0, &patch).part_over(low, high);
            let at = |k: usize, x: Real| low[k] + (high[k] - low[k]) * x;
            prop_assert!((part.shape().0.point(u, v) - patch.point(at(0, u), at(1, v))).norm() < 1e-14);
        }
    }
}
