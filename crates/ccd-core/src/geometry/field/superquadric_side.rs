//! The sides of a superquadric that are flat for all that counts.
//!
//! **Problem.** A block with small exponents is strictly convex: it touches a plane in one place, and the least tilt moves that place across
//! a whole side. Nothing can rest on a place that is somewhere else at every look.
//!
//! **Idea.** What lies within a small depth below the top of a side is the side. Its outline is where a plane across the axis at
//! that depth cuts the surface: fixed to the body, as the corners of a box are. Where the side bends along one direction and is flat
//! along the other, as that of a rounded cylinder, it is a line, which goes round with the direction that is looked along.
//!
//! **Guarantee.** All corners and the middle are on the surface, to rounding; none is deeper than asked for below the plane that touches the top.

use super::superquadric::{Nested, Superquadric};
use crate::geometry::solid::{FlatSide, SupportMap};
use crate::math::{Point, Real, Vector};

/// No side is looked for deeper than this share of how far the solid reaches: less than a thousandth of a size is visible nowhere.
const DEEPEST: Real = 5e-4;
/// A side is flat along a direction along which it spreads by this share of the radius within that depth. That of an ellipsoid spreads
/// by a 32nd, whatever its radii: it rolls.
const SPREAD: Real = 0.2;
/// What leans by more than this, as a sine, lies on the side's edge, and not on the side.
const LEAN: Real = 0.1;
/// The numbers of the lines along the axes; those of the faces come before them.
const LINES: [u32; 3] = [8, 6, 7];

/// How far a curve xᵖ + yᵖ = 1 reaches along y where x is by `depth` less than one.
fn spread(depth: Real, p: Real) -> Real {
    (-(p * (-depth).ln_1p()).exp_m1()).max(0.0).powf(1.0 / p)
}

/// The places of an outline in order around it, by the reach of its arms and its diagonal place.
fn around([u, v]: [Real; 2], [s, t]: [Real; 2]) -> [[Real; 2]; 8] {
    [[u, 0.0], [s, t], [0.0, v], [-s, t], [-u, 0.0], [-s, -t], [0.0, -v], [s, -t]]
}

impl Superquadric {
    /// Whether [`SupportMap::flat_side`] tells of any side, at whatever depth.
    pub fn has_flat_sides(&self) -> bool {
        let Nested { along, across } = self.norm();
        self.is_strictly_convex() && spread(DEEPEST, along.max(across)) >= SPREAD
    }

    /// As [`SupportMap::flat_side`].
    pub(super) fn flat_side_towards(&self, direction: &Vector, depth: Real) -> Option<FlatSide> {
        if !self.has_flat_sides() {
            return None;
        }
        let k = direction.iamax();
        let leans = |j: usize| direction[j].abs() > LEAN;
        let lies = (0..3).all(|j| j == k || !leans(j));
        if let Some(face) = lies.then(|| self.face(k, direction[k] > 0.0, depth)).flatten() {
            return Some(face);
        }
        [1, 2, 0].into_iter().filter(|&j| j != k && !leans(j)).find_map(|j| self.line(j, direction, depth))
    }

    /// The side around the end of axis `k`.
    fn face(&self, k: usize, positive: bool, depth: Real) -> Option<FlatSide> {
        let Nested { along: p, across: q } = self.norm();
        let depth = (depth / self.radii[k]).min(DEEPEST);
        let level = 1.0 - depth;
        let half = |p: Real| 2.0_f64.powf(-1.0 / p);
        // Counter-clockwise seen along the axis.
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let outline = if k == 1 {
            let reach = spread(depth, p);
            around([reach; 2], [reach * half(q); 2])
        } else {
            let (up, beside) = (spread(depth, p), spread(depth, q));
            let high = up * half(p);
            let width = (1.0 - high.powf(p)).powf(1.0 / p);
            let far = (width.powf(q) - level.powf(q)).max(0.0).powf(1.0 / q);
            let pair = |y: Real, other: Real| if i == 1 { [y, other] } else { [other, y] };
            around(pair(up, beside), pair(high, far))
        };
        if outline[0][0].min(outline[2][1]) < SPREAD {
            return None;
        }
        let side = if positive { 1.0 } else { -1.0 };
        let mut corners = outline.map(|[u, v]| {
            let mut place = Vector::zeros();
            (place[k], place[i], place[j]) = (side * level, u, v);
            self.onto_surface(place)
        });
        if !positive {
            corners.reverse();
        }
        let (mut middle, mut normal) = (Point::origin(), Vector::zeros());
        (middle[k], normal[k]) = (side * self.radii[k], side);
        Some(FlatSide { corners: corners.to_vec(), middle, normal, number: 2 * k as u32 + u32::from(positive) })
    }

    /// The line along axis `j` that is furthest along a direction.
    fn line(&self, j: usize, direction: &Vector, depth: Real) -> Option<FlatSide> {
        let mut across = *direction;
        across[j] = 0.0;
        let normal = across.try_normalize(0.0)?;
        let middle = self.support(&normal, 0).point;
        let Nested { along: p, across: q } = self.norm();
        let mut end = middle.coords.component_div(&self.radii);
        // Along y all of the place draws in towards the axis, across it the one coordinate that it has there.
        let (power, moved) = if j == 1 { (p, [0, 2]) } else { (q, [2 - j; 2]) };
        let size = if j == 1 { 1.0 } else { end[2 - j].abs() };
        let drawn_in: Real = if j == 1 {
            middle.coords.dot(&normal)
        } else {
            (middle[2 - j] * normal[2 - j]).abs().max(Real::MIN_POSITIVE)
        };
        let depth = (depth / drawn_in).min(DEEPEST);
        let reach = size * spread(depth, power);
        if reach < SPREAD {
            return None;
        }
        for i in if moved[0] == moved[1] { &moved[..1] } else { &moved[..] } {
            end[*i] *= 1.0 - depth;
        }
        let corners = [-reach, reach].map(|at| {
            end[j] = at;
            self.onto_surface(end)
        });
        Some(FlatSide { corners: corners.to_vec(), middle, normal, number: LINES[j] })
    }

    /// A place that is on the surface but for rounding, given in radii.
    fn onto_surface(&self, place: Vector) -> Point {
        Point::from((place / self.norm().value(&place)).component_mul(&self.radii))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::implicit::ImplicitSurface;
    use proptest::prelude::*;

    fn side(radii: [Real; 3], exponents: [Real; 2], direction: Vector) -> Option<FlatSide> {
        Superquadric::try_new(radii, exponents).unwrap().flat_side_towards(&direction.normalize(), 5e-5)
    }

    proptest! {
        #[test]
        fn corners_of_a_flat_side_are_on_the_surface_and_no_deeper_than_was_asked(
            radii in prop::array::uniform3(0.01..2.0_f64), e in prop::array::uniform2(0.05..1.0_f64),
            k in 0..3_usize, lean in prop::array::uniform3(-1.0..1.0_f64), depth in 1e-6..1e-3_f64, level in any::<bool>(),
        ) {
            let solid = Superquadric::try_new(radii, e).unwrap();
            let lean = Vector::from(lean) * if level { 0.05 } else { 1.0 };
            let direction = (Vector::ith(k, 1.0) + lean).normalize();
            let Some(side) = solid.flat_side_towards(&direction, depth) else { return Ok(()) };
            let top = solid.support(&side.normal, 0).point.coords.dot(&side.normal);
            prop_assert!((side.middle.coords.dot(&side.normal) - top).abs() < 1e-12);
            for corner in &side.corners {
                prop_assert!(solid.value(corner).abs() < 1e-14, "{corner}");
                let below = top - corner.coords.dot(&side.normal);
                prop_assert!(below > 0.0 && below < depth * (1.0 + 1e-6), "{below} of {depth}");
            }
            let n = side.corners.len();
            for i in 0..if n == 2 { 0 } else { n } {
                let [a, b, c] = [0, 1, 2].map(|s| side.corners[(i + s) % n]);
                prop_assert!((b - a).cross(&(c - b)).dot(&side.normal) > 0.0, "corner {i}");
            }
        }

        #[test]
        fn what_is_round_has_no_flat_side(
            radii in prop::array::uniform3(0.01..2.0_f64), e in prop::array::uniform2(0.7..1.9_f64),
            d in prop::array::uniform3(-1.0..1.0_f64),
        ) {
            let direction = Vector::from(d);
            prop_assume!(direction.norm() > 1e-3);
            prop_assert!(side(radii, e, direction).is_none());
        }
    }

    #[test]
    fn a_block_has_faces_and_edges_and_a_rounded_cylinder_caps_and_generators() {
        let corners = |e, d: [Real; 3]| side([0.1; 3], e, d.into()).map_or(1, |side| side.corners.len());
        for d in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.05], [0.03, 0.0, -1.0]] {
            assert_eq!(corners([0.2; 2], d), 8, "{d:?}");
        }
        assert_eq!(corners([0.2; 2], [1.0, 1.0, 0.0]), 2);
        assert_eq!(corners([0.2; 2], [1.0, 0.0, -1.0]), 2);
        assert_eq!(corners([0.2; 2], [1.0, 1.0, 1.0]), 1);
        let can = [0.2, 1.0];
        assert_eq!(corners(can, [0.0, 1.0, 0.0]), 8);
        assert_eq!(corners(can, [0.6, 0.01, 0.8]), 2);
        assert_eq!(corners(can, [0.6, 0.5, 0.8]), 1);
        // Round along the axis, square across it: it rolls over its ends and lies on its sides.
        let barrel = [1.0, 0.2];
        assert_eq!(corners(barrel, [0.0, 1.0, 0.0]), 1);
        assert_eq!(corners(barrel, [1.0, 0.3, 0.0]), 2);
        assert_eq!(corners(barrel, [0.0, 0.3, -1.0]), 2);
    }
}
