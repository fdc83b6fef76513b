//! One bicubic Bézier patch.

use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// A bicubic Bézier patch over (u, v) in the unit square. Its outward side is that of ∂u × ∂v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BezierPatch {
    /// Control point (i, j) is number 4 i + j: i counts along u, j along v.
    control: [Point; 16],
}

/// The place and the derivatives of a patch at parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet {
    /// The point.
    pub point: Point,
    /// ∂/∂u.
    pub du: Vector,
    /// ∂/∂v.
    pub dv: Vector,
    /// ∂²/∂u².
    pub duu: Vector,
    /// ∂²/∂u∂v.
    pub duv: Vector,
    /// ∂²/∂v².
    pub dvv: Vector,
}

/// Largest sizes of the second derivatives over a whole patch, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bend {
    pub uu: Real,
    pub uv: Real,
    pub vv: Real,
}

/// The cubic Bernstein polynomials and their first two derivatives.
#[inline]
fn bernstein(t: Real) -> [[Real; 4]; 3] {
    let s = 1.0 - t;
    [
        [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t],
        [-3.0 * s * s, 3.0 * s * (s - 2.0 * t), 3.0 * t * (2.0 * s - t), 3.0 * t * t],
        [6.0 * s, 6.0 * (t - 2.0 * s), 6.0 * (s - 2.0 * t), 6.0 * t],
    ]
}

/// The halves of a cubic's control points.
#[inline]
fn halved(p: [Point; 4]) -> [[Point; 4]; 2] {
    let mid = |a: &Point, b: &Point| nalgebra::center(a, b);
    let (a, b, c) = (mid(&p[0], &p[1]), mid(&p[1], &p[2]), mid(&p[2], &p[3]));
    let (d, e) = (mid(&a, &b), mid(&b, &c));
    let f = mid(&d, &e);
    [[p[0], a, d, f], [f, e, c, p[3]]]
}

/// The control points of a cubic from `low` to `high`.
#[inline]
fn part_of_cubic(p: [Point; 4], low: Real, high: Real) -> [Point; 4] {
    let mix = |a: &Point, b: &Point, t: Real| Point::from(a.coords * (1.0 - t) + b.coords * t);
    let polar = |r: Real, s: Real, t: Real| {
        let (a, b, c) = (mix(&p[0], &p[1], r), mix(&p[1], &p[2], r), mix(&p[2], &p[3], r));
        mix(&mix(&a, &b, s), &mix(&b, &c, s), t)
    };
    [polar(low, low, low), polar(low, low, high), polar(low, high, high), polar(high, high, high)]
}

impl BezierPatch {
    /// The patch with these control points: (i, j) is number 4 i + j.
    pub fn new(control: [Point; 16]) -> Self {
        Self { control }
    }

    /// The control points.
    pub fn control(&self) -> &[Point; 16] {
        &self.control
    }

    /// The point at (u, v).
    pub fn point(&self, u: Real, v: Real) -> Point {
        let ([bu, ..], [bv, ..]) = (bernstein(u), bernstein(v));
        self.sum(&bu, &bv).into()
    }

    /// The point and all derivatives up to the second at (u, v).
    pub fn jet(&self, u: Real, v: Real) -> Jet {
        let (along_u, along_v) = (bernstein(u), bernstein(v));
        // The sums along v first, each once: of the places, the slopes and the bends.
        let rows: [[Vector; 4]; 3] = along_v.map(|weights| {
            std::array::from_fn(|i| {
                let p = |j: usize| self.control[4 * i + j].coords * weights[j];
                p(0) + p(1) + p(2) + p(3)
            })
        });
        let sum = |k: usize, n: usize| {
            let ([a, b, c, d], [p, q, r, s]) = (along_u[k], &rows[n]);
            p * a + q * b + r * c + s * d
        };
        Jet { point: sum(0, 0).into(), du: sum(1, 0), dv: sum(0, 1), duu: sum(2, 0), duv: sum(1, 1), dvv: sum(0, 2) }
    }

    fn sum(&self, along_u: &[Real; 4], along_v: &[Real; 4]) -> Vector {
        let row = |i: usize| {
            let p = |j: usize| self.control[4 * i + j].coords * along_v[j];
            p(0) + p(1) + p(2) + p(3)
        };
        row(0) * along_u[0] + row(1) * along_u[1] + row(2) * along_u[2] + row(3) * along_u[3]
    }

    /// The unit normal at (u, v): of ∂u × ∂v, or where that vanishes (a corner at which an edge has shrunk to a point) of
    /// the nearest place towards the middle of the patch where it does not; `None` for a patch without area.
    pub fn normal(&self, u: Real, v: Real) -> Option<Vector> {
        // How far towards the middle the search for a normal goes, as shares of the way.
        const STEPS: [Real; 6] = [0.0, 1e-6, 1e-4, 1e-2, 0.1, 0.5];
        STEPS.iter().find_map(|step| {
            let jet = self.jet(u + (0.5 - u) * step, v + (0.5 - v) * step);
            let normal = jet.du.cross(&jet.dv);
            // Far above the rounding of the products.
            let size = jet.du.norm().max(jet.dv.norm());
            normal.try_normalize(1e-9 * size * size)
        })
    }

    /// The two halves along u, [0, ½] and [½, 1].
    pub fn halves_u(&self) -> [Self; 2] {
        let mut halves = [*self; 2];
        for j in 0..4 {
            let parts = halved(std::array::from_fn(|i| self.control[4 * i + j]));
            for (half, part) in halves.iter_mut().zip(parts) {
                for (i, point) in part.into_iter().enumerate() {
                    half.control[4 * i + j] = point;
                }
            }
        }
        halves
    }

    /// The two halves along v.
    pub fn halves_v(&self) -> [Self; 2] {
        let mut halves = [*self; 2];
        for i in 0..4 {
            let parts = halved(std::array::from_fn(|j| self.control[4 * i + j]));
            for (half, part) in halves.iter_mut().zip(parts) {
                half.control[4 * i..4 * i + 4].copy_from_slice(&part);
            }
        }
        halves
    }

    /// The patch over the rectangle of parameters from `low` to `high`: by the polar forms of its cubics.
    pub(super) fn part_over(&self, low: [Real; 2], high: [Real; 2]) -> Self {
        let mut along = *self;
        for j in 0..4 {
            let part = part_of_cubic(std::array::from_fn(|i| self.control[4 * i + j]), low[0], high[0]);
            for (i, point) in part.into_iter().enumerate() {
                along.control[4 * i + j] = point;
            }
        }
        let mut part = along;
        for i in 0..4 {
            let row = part_of_cubic(std::array::from_fn(|j| along.control[4 * i + j]), low[1], high[1]);
            part.control[4 * i..4 * i + 4].copy_from_slice(&row);
        }
        part
    }

    /// The control points of a side, in the order of a walk around the patch that keeps its inside on the left as seen
    /// from outside: v = 0, u = 1, v = 1, u = 0.
    pub fn side(&self, side: usize) -> [Point; 4] {
        let number = |k: usize| match side % 4 {
            0 => 4 * k,
            1 => 12 + k,
            2 => 15 - 4 * k,
            _ => 3 - k,
        };
        std::array::from_fn(|k| self.control[number(k)])
    }

    /// A box around the control points, which holds the patch.
    pub fn aabb(&self) -> Aabb {
        Aabb::from_points(&self.control)
    }

    /// Bounds on the second derivatives, by the second differences of the control points.
    pub(crate) fn bend(&self) -> Bend {
        let at = |i: usize, j: usize| self.control[4 * i + j].coords;
        let mut bend = Bend { uu: 0.0, uv: 0.0, vv: 0.0 };
        for i in 0..4 {
            for j in 0..4 {
                if i < 2 {
                    bend.uu = bend.uu.max((at(i + 2, j) - at(i + 1, j) * 2.0 + at(i, j)).norm() * 6.0);
                }
                if j < 2 {
                    bend.vv = bend.vv.max((at(i, j + 2) - at(i, j + 1) * 2.0 + at(i, j)).norm() * 6.0);
                }
                if i < 3 && j < 3 {
                    let twist = at(i + 1, j + 1) - at(i + 1, j) - at(i, j + 1) + at(i, j);
                    bend.uv = bend.uv.max(twist.norm() * 9.0);
                }
            }
        }
        bend
    }

    /// Every control point moved by `place`: the patch moved, where `place` is affine.
    #[must_use]
    pub fn mapped(&self, place: impl Fn(&Point) -> Point) -> Self {
        Self { control: self.control.each_ref().map(place) }
    }

    /// The same points seen from the other side: u and v exchanged.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { control: std::array::from_fn(|k| self.control[4 * (k % 4) + k / 4]) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn any_patch() -> impl Strategy<Value = BezierPatch> {
        prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 16)
            .prop_map(|p| BezierPatch::new(std::array::from_fn(|k| Point::from(p[k]))))
    }

    proptest! {
        #[test]
        fn halves_are_the_patch_and_derivatives_its_slopes(patch in any_patch(), u in 0.0..1.0_f64, v in 0.0..1.0_f64) {
            let [low, high] = patch.halves_u();
            prop_assert!((low.point(u, v) - patch.point(0.5 * u, v)).norm() < 1e-14);
            prop_assert!((high.point(u, v) - patch.point(0.5 + 0.5 * u, v)).norm() < 1e-14);
            let [low, high] = patch.halves_v();
            prop_assert!((low.point(u, v) - patch.point(u, 0.5 * v)).norm() < 1e-14);
            prop_assert!((high.point(u, v) - patch.point(u, 0.5 + 0.5 * v)).norm() < 1e-14);
            let (jet, h) = (patch.jet(u, v), 1e-5);
            let (ahead, above) = (patch.jet(u + h, v), patch.jet(u, v + h));
            prop_assert!(((ahead.point - jet.point) / h - jet.du - jet.duu * (0.5 * h)).norm() < 1e-7);
            prop_assert!(((above.point - jet.point) / h - jet.dv - jet.dvv * (0.5 * h)).norm() < 1e-7);
            prop_assert!(((above.du - jet.du) / h - jet.duv).norm() < 1e-2);
            let bend = patch.bend();
            prop_assert!(jet.duu.norm() <= bend.uu + 1e-12 && jet.duv.norm() <= bend.uv + 1e-12);
            prop_assert!(jet.dvv.norm() <= bend.vv + 1e-12);
            let flipped = patch.flipped();
            prop_assert!((flipped.point(v, u) - patch.point(u, v)).norm() < 1e-14);
        }
    }

    #[test]
    fn sides_walk_around_the_patch() {
        let grid: [Point; 16] = std::array::from_fn(|k| Point::new((k / 4) as Real, (k % 4) as Real, 0.0));
        let patch = BezierPatch::new(grid);
        for side in 0..4 {
            assert_eq!(patch.side(side)[3], patch.side((side + 1) % 4)[0]);
        }
        assert_eq!(patch.side(0)[3], Point::new(3.0, 0.0, 0.0));
        assert_eq!(patch.normal(0.3, 0.4), Some(Vector::z()));
    }

    #[test]
    fn a_corner_where_a_side_is_a_point_has_a_normal_and_a_patch_without_area_has_none() {
        let fan = BezierPatch::new(std::array::from_fn(|k| {
            let (i, j) = ((k / 4) as Real, (k % 4) as Real);
            Point::new(i, i * j, 0.0)
        }));
        assert!(fan.normal(0.0, 0.5).is_some_and(|n| (n - Vector::z()).norm() < 1e-9));
        let line = BezierPatch::new(std::array::from_fn(|k| Point::new((k / 4) as Real, 0.0, 0.0)));
        assert_eq!(line.normal(0.5, 0.5), None);
        assert_eq!(BezierPatch::new([Point::origin(); 16]).normal(0.0, 0.0), None);
    }
}
