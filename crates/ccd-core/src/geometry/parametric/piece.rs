//! A piece of a patch with what is proven about where it is.

use super::patch::BezierPatch;
use crate::geometry::feature::Feature;
use crate::geometry::mesh::triangle::closest_point;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// A rectangle of a patch's parameters, and a parallelogram around which it lies.
///
/// Every control point (i, j) is within `error` of the place (i/3, j/3) of the parallelogram; by the linear precision of
/// Bernstein's polynomials so is every point (u, v) of the piece of the place (u, v), and the other way round. As a
/// support mapping it is the hull of its control points, which holds the piece, with what halving rounds as its radius: where an edge
/// or a corner of the piece is what touches, the hull is exact there.
#[derive(Clone, Debug)]
pub struct PatchPiece {
    /// The number of the patch in its surface.
    pub patch: u32,
    /// The least parameters, in the patch.
    pub low: [Real; 2],
    /// The greatest parameters.
    pub high: [Real; 2],
    part: BezierPatch,
    aabb: Aabb,
    origin: Point,
    along: [Vector; 2],
    error: Real,
    rounding: Real,
}

impl PatchPiece {
    /// All of a patch.
    pub fn whole(number: u32, patch: &BezierPatch) -> Self {
        Self::new(number, [0.0; 2], [1.0; 2], *patch)
    }

    fn new(patch: u32, low: [Real; 2], high: [Real; 2], part: BezierPatch) -> Self {
        let p = part.control();
        let sum = |numbers: [usize; 4]| -> Vector { numbers.iter().map(|&k| p[k].coords).sum() };
        // The mean slopes; any parallelogram would do, this one is near the best.
        let along =
            [(sum([12, 13, 14, 15]) - sum([0, 1, 2, 3])) * 0.25, (sum([3, 7, 11, 15]) - sum([0, 4, 8, 12])) * 0.25];
        let mean = p.iter().map(|q| q.coords).sum::<Vector>() / 16.0;
        let origin = Point::from(mean - (along[0] + along[1]) * 0.5);
        let off = |k: usize| {
            let (i, j) = ((k / 4) as Real / 3.0, (k % 4) as Real / 3.0);
            (p[k] - origin - along[0] * i - along[1] * j).norm_squared()
        };
        let error = (0..16).map(off).fold(0.0, Real::max).sqrt();
        let aabb = part.aabb();
        // The rounding of the halvings and of the sums above.
        let rounding = 64.0 * Real::EPSILON * aabb.min.coords.amax().max(aabb.max.coords.amax());
        Self { patch, low, high, part, aabb: aabb.inflated(rounding), origin, along, error: error + rounding, rounding }
    }

    /// How far any point of the piece is from the parallelogram's place of the same parameters at most, metres.
    pub fn error(&self) -> Real {
        self.error
    }

    /// The control points of the piece as a patch of its own.
    pub fn control(&self) -> &[Point; 16] {
        self.part.control()
    }

    /// A box around the piece.
    pub fn aabb(&self) -> &Aabb {
        &self.aabb
    }

    /// The corners of the parallelogram: (0, 0), (1, 0), (0, 1), (1, 1).
    pub fn corners(&self) -> [Point; 4] {
        let [u, v] = self.along;
        [self.origin, self.origin + u, self.origin + v, self.origin + u + v]
    }

    /// Whether its halves are told apart by their parameters and are closer to it than rounding.
    pub fn can_be_halved(&self) -> bool {
        let width = (self.high[0] - self.low[0]).min(self.high[1] - self.low[1]);
        let extent = self.aabb.min.coords.amax().max(self.aabb.max.coords.amax());
        width > 1e-12 && self.error > 128.0 * Real::EPSILON * extent
    }

    /// Whether the halves of its longer side are told apart by their parameters: a flat piece has those, too.
    pub fn can_be_shortened(&self) -> bool {
        let k = self.longer_side();
        self.high[k] - self.low[k] > 1e-12
    }

    /// How long its longer side is, metres.
    pub fn length(&self) -> Real {
        self.along[self.longer_side()].norm()
    }

    /// The two halves, across the parameter along which it bends more.
    pub fn halves(&self) -> [Self; 2] {
        let bend = self.part.bend();
        // A twist bends along neither: then the longer side is halved.
        if bend.uu.max(bend.vv) <= 0.1 * bend.uv { self.shorter_halves() } else { self.halved(bend.uu >= bend.vv) }
    }

    /// The two halves of its longer side: what makes pieces small rather than flat.
    pub fn shorter_halves(&self) -> [Self; 2] {
        self.halved(self.longer_side() == 0)
    }

    /// The parameter along which it is longer.
    fn longer_side(&self) -> usize {
        usize::from(self.along[0].norm() < self.along[1].norm())
    }

    fn halved(&self, across_u: bool) -> [Self; 2] {
        let (k, [low, high]) = if across_u { (0, self.part.halves_u()) } else { (1, self.part.halves_v()) };
        let middle = 0.5 * (self.low[k] + self.high[k]);
        let (mut end, mut start) = (self.high, self.low);
        (end[k], start[k]) = (middle, middle);
        [Self::new(self.patch, self.low, end, low), Self::new(self.patch, start, self.high, high)]
    }

    /// No point of the piece is nearer to `place` than this, metres.
    pub fn distance_bound(&self, place: &Point) -> Real {
        let [a, b, c, d] = self.corners();
        let away = |triangle: [Point; 3]| (closest_point(&triangle, place).0 - place).norm();
        (away([a, b, c]).min(away([b, d, c])) - self.error).max(self.aabb.distance_to_point(place))
    }

    /// The piece over the rectangle from `low` to `high` of its own unit square.
    pub(crate) fn part_over(&self, low: [Real; 2], high: [Real; 2]) -> Self {
        let at = |k: usize, share: Real| self.low[k] + (self.high[k] - self.low[k]) * share;
        let ends = |of: [Real; 2]| [at(0, of[0]), at(1, of[1])];
        Self::new(self.patch, ends(low), ends(high), self.part.part_over(low, high))
    }

    /// The control points as a patch of its own, and its mean slopes.
    pub(super) fn shape(&self) -> (&BezierPatch, [Vector; 2]) {
        (&self.part, self.along)
    }

    /// The parameters, in the patch, whose place on the parallelogram is nearest to `place`: a point of the parallelogram gets its own.
    pub fn parameters_near(&self, place: &Point) -> [Real; 2] {
        let at = self.shares_near(place);
        [0, 1].map(|k| self.low[k] + (self.high[k] - self.low[k]) * at[k])
    }

    /// The same in the piece's own unit square.
    pub(super) fn shares_near(&self, place: &Point) -> [Real; 2] {
        let [u, v] = self.along;
        let way = place - self.origin;
        let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
        let (pu, pv) = (way.dot(&u), way.dot(&v));
        let determinant = uu * vv - uv * uv;
        let ratio = |p: Real, q: Real| if q > 0.0 { p / q } else { 0.5 };
        // Of a parallelogram that is a line or a point, the longer side counts.
        let (s, t) = if determinant > 1e-12 * uu * vv {
            ((pu * vv - pv * uv) / determinant, (pv * uu - pu * uv) / determinant)
        } else if uu >= vv {
            (ratio(pu, uu), 0.5)
        } else {
            (0.5, ratio(pv, vv))
        };
        [s.clamp(0.0, 1.0), t.clamp(0.0, 1.0)]
    }

    /// A sphere around the piece: its centre, and the radius.
    pub fn sphere(&self) -> (Point, Real) {
        let [u, v] = self.along;
        let centre = self.origin + (u + v) * 0.5;
        (centre, 0.5 * (u + v).norm().max((u - v).norm()) + self.error)
    }
}

impl SupportMap for PatchPiece {
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let control = self.part.control();
        let (mut best, mut vertex) = (direction.dot(&control[0].coords), 0);
        for (k, p) in control.iter().enumerate().skip(1) {
            let height = direction.dot(&p.coords);
            if height > best {
                (best, vertex) = (height, k);
            }
        }
        SupportPoint { point: control[vertex], vertex: vertex as u32 }
    }

    fn radius(&self) -> Real {
        self.rounding
    }

    fn interior_point(&self) -> Point {
        self.origin + (self.along[0] + self.along[1]) * 0.5
    }

    fn feature_of(&self, _vertices: &[u32]) -> Feature {
        Feature::Face(self.patch)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        self.control().iter().map(|p| (p - centre).cross(axis).norm()).fold(0.0, Real::max) + self.rounding
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        polygon.push(self.support(direction, 0).point);
        Feature::Face(self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::super::patch::tests::any_patch;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_piece_lies_around_its_parallelogram_and_the_error_shrinks_by_halving(
            patch in any_patch(), turns in prop::collection::vec(prop::bool::ANY, 0..12), u in 0.0..1.0_f64, v in 0.0..1.0_f64,
        ) {
            let mut piece = PatchPiece::whole(3, &patch);
            for turn in turns {
                piece = piece.halves()[usize::from(turn)].clone();
            }
            let at = |k: usize, x: Real| piece.low[k] + (piece.high[k] - piece.low[k]) * x;
            let place = patch.point(at(0, u), at(1, v));
            let [a, b, c, _] = piece.corners();
            let flat = a + (b - a) * u + (c - a) * v;
            prop_assert!((place - flat).norm() <= piece.error(), "{} > {}", (place - flat).norm(), piece.error());
            prop_assert!(piece.aabb().distance_to_point(&place) == 0.0);
            let (centre, radius) = piece.sphere();
            prop_assert!((place - centre).norm() <= radius * (1.0 + 1e-12));
            let back = piece.parameters_near(&flat);
            prop_assert!((back[0] - at(0, u)).abs() < 1e-5 && (back[1] - at(1, v)).abs() < 1e-5);
        }
    }

    #[test]
    fn twenty_halvings_leave_a_thousandth_of_a_thousandth() {
        let bowl = BezierPatch::new(std::array::from_fn(|k| {
            let (i, j) = ((k / 4) as Real, (k % 4) as Real);
            Point::new(i, (i - 1.5) * (i - 1.5) + (j - 1.5) * (j - 1.5), j)
        }));
        let mut piece = PatchPiece::whole(0, &bowl);
        let start = piece.error();
        for _ in 0..20 {
            piece = piece.halves()[0].clone();
        }
        assert!(piece.error() < 1.1e-6 * start, "{} of {start}", piece.error());
    }
}
