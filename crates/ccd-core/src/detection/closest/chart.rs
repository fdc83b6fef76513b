//! The nearest points of two smooth pieces, by Newton's method from places that are near already.

use crate::geometry::parametric::{BezierPatch, Jet};
use crate::math::{Point, Pose, Real, Vector};

/// A piece of surface by parameters: a patch over the unit square, or the affine span of a polyhedron's feature.
pub(crate) enum Chart<'c> {
    /// A patch that is placed in the common frame.
    Patch(&'c BezierPatch, Pose),
    /// `origin + s · axes[0] + t · axes[1]` in the common frame; a zero axis for a feature of fewer dimensions.
    Flat { origin: Point, axes: [Vector; 2] },
}

impl<'c> Chart<'c> {
    /// The affine span of up to three points (a vertex, an edge, a face), with its origin in the first.
    pub fn of_feature(points: &[Point]) -> Self {
        let Some(origin) = points.first() else {
            return Self::Flat { origin: Point::origin(), axes: [Vector::zeros(); 2] };
        };
        let mut axes = [Vector::zeros(); 2];
        let mut count = 0;
        for p in &points[1..] {
            let mut way = p - origin;
            let length = way.norm();
            way -= axes[0] * axes[0].dot(&way);
            if let Some(axis) = way.try_normalize(1e-9 * length)
                && count < 2
            {
                axes[count] = axis;
                count += 1;
            }
        }
        Self::Flat { origin: *origin, axes }
    }

    /// A plane.
    pub fn of_plane(origin: Point, normal: &Vector) -> Self {
        let (s, t) = crate::math::orthonormal_basis(normal);
        Self::Flat { origin, axes: [s, t] }
    }

    pub fn jet(&self, at: [Real; 2]) -> Jet {
        match self {
            Self::Patch(patch, pose) => {
                let jet = patch.jet(at[0], at[1]);
                let turned = |v: Vector| pose.rotation * v;
                Jet {
                    point: pose * jet.point,
                    du: turned(jet.du),
                    dv: turned(jet.dv),
                    duu: turned(jet.duu),
                    duv: turned(jet.duv),
                    dvv: turned(jet.dvv),
                }
            }
            Self::Flat { origin, axes: [s, t] } => Jet {
                point: origin + s * at[0] + t * at[1],
                du: *s,
                dv: *t,
                duu: Vector::zeros(),
                duv: Vector::zeros(),
                dvv: Vector::zeros(),
            },
        }
    }

    /// The parameters of the place on the span that is nearest to `place`; for a patch `at` as it is.
    fn start(&self, place: &Point, at: [Real; 2]) -> [Real; 2] {
        match self {
            Self::Patch(..) => at,
            Self::Flat { origin, axes } => axes.map(|axis| axis.dot(&(place - origin))),
        }
    }

    fn clamp(&self, x: Real) -> Real {
        match self {
            Self::Patch(..) => x.clamp(0.0, 1.0),
            Self::Flat { .. } => x,
        }
    }

    fn is_at_end(&self, x: Real, downhill: Real) -> bool {
        matches!(self, Self::Patch(..)) && (x <= 0.0 && downhill < 0.0 || x >= 1.0 && downhill > 0.0)
    }
}

/// Two places on charts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub at_a: [Real; 2],
    pub point_a: Point,
    pub point_b: Point,
}

/// More rounds than a quadratic end needs; it ends sooner when nothing is gained.
const ROUNDS: usize = 24;

/// Places from which no small move of the parameters within their ranges brings the charts nearer, as far as Newton's method with a damped
/// step gets from `at_a` and `at_b`; never further apart than these.
pub(crate) fn nearest_places(a: &Chart<'_>, at_a: [Real; 2], b: &Chart<'_>, at_b: [Real; 2]) -> Places {
    let at_b = b.start(&a.jet(at_a).point, at_b);
    let mut x = [at_a[0], at_a[1], at_b[0], at_b[1]];
    let sides = [a, a, b, b];
    let jets = |x: &[Real; 4]| (a.jet([x[0], x[1]]), b.jet([x[2], x[3]]));
    let mut here = jets(&x);
    let mut value = (here.0.point - here.1.point).norm_squared();
    let mut damping = 0.0;
    for _ in 0..ROUNDS {
        let (p, q) = &here;
        let r = p.point - q.point;
        let slopes = [p.du, p.dv, -q.du, -q.dv];
        let mut gradient = nalgebra::Vector4::from_fn(|i, _| slopes[i].dot(&r));
        let mut hessian = nalgebra::Matrix4::from_fn(|i, j| slopes[i].dot(&slopes[j]));
        let bends = [[p.duu, p.duv, p.dvv], [-q.duu, -q.duv, -q.dvv]];
        for (k, [uu, uv, vv]) in bends.iter().enumerate() {
            let (i, j) = (2 * k, 2 * k + 1);
            hessian[(i, i)] += uu.dot(&r);
            hessian[(j, j)] += vv.dot(&r);
            hessian[(i, j)] += uv.dot(&r);
            hessian[(j, i)] += uv.dot(&r);
        }
        // Parameters that press against the end of their range, or move nothing, stand still.
        for i in 0..4 {
            if sides[i].is_at_end(x[i], -gradient[i]) || slopes[i] == Vector::zeros() {
                gradient[i] = 0.0;
                for j in 0..4 {
                    hessian[(i, j)] = 0.0;
                    hessian[(j, i)] = 0.0;
                }
                hessian[(i, i)] = 1.0;
            }
        }
        let scale = (0..4).map(|i| slopes[i].norm_squared()).fold(0.0, Real::max);
        if gradient.norm_squared() <= 1e-30 * scale * value || scale == 0.0 {
            break;
        }
        let mut gained = false;
        for _ in 0..12 {
            let mut damped = hessian;
            for i in 0..4 {
                damped[(i, i)] += damping * scale;
            }
            let step = damped.cholesky().map(|c| c.solve(&-gradient));
            if let Some(step) = step {
                let next: [Real; 4] = std::array::from_fn(|i| sides[i].clamp(x[i] + step[i]));
                let there = jets(&next);
                let better = (there.0.point - there.1.point).norm_squared();
                if better < value {
                    gained = better < value * (1.0 - 1e-15);
                    (x, here, value) = (next, there, better);
                    damping *= 0.1;
                    break;
                }
            }
            damping = if damping == 0.0 { 1e-6 } else { damping * 10.0 };
            if damping > 1e6 {
                break;
            }
        }
        if !gained {
            break;
        }
    }
    Places { at_a: [x[0], x[1]], point_a: here.0.point, point_b: here.1.point }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rotation;

    /// z = x² + y² over [-1, 1]².
    fn bowl() -> BezierPatch {
        let square = [1.0, -1.0 / 3.0, -1.0 / 3.0, 1.0];
        BezierPatch::new(std::array::from_fn(|k| {
            let (i, j) = (k / 4, k % 4);
            let along = |n: usize| n as Real * 2.0 / 3.0 - 1.0;
            Point::new(along(i), along(j), square[i] + square[j])
        }))
    }

    #[test]
    fn the_lowest_place_of_a_bowl_is_found_over_a_plane_a_point_and_another_bowl() {
        let bowl = bowl();
        assert!((bowl.point(0.7, 0.2) - Point::new(0.4, -0.6, 0.52)).norm() < 1e-14);
        let a = Chart::Patch(&bowl, Pose::identity());
        let plane = Chart::of_plane(Point::new(5.0, 3.0, -0.001), &Vector::z());
        let found = nearest_places(&a, [0.62, 0.41], &plane, [0.0; 2]);
        assert!(
            ((found.point_b - found.point_a).norm() - 0.001).abs() < 1e-12 && found.point_a.coords.norm() < 1e-6,
            "{found:?}"
        );
        let point = Chart::of_feature(&[Point::new(0.0, 0.0, 0.2)]);
        let found = nearest_places(&a, [0.55, 0.52], &point, [0.0; 2]);
        assert!(found.point_a.coords.norm() < 1e-9, "{found:?}");
        let over = Pose::from_parts(
            Vector::new(0.3, 0.0, -0.5).into(),
            Rotation::from_scaled_axis(Vector::x() * std::f64::consts::PI),
        );
        let found = nearest_places(&a, [0.6, 0.5], &Chart::Patch(&bowl, over), [0.4, 0.5]);
        // By symmetry half way between the axes: (2 x)² of the slopes at x = 0.15 − s.
        let way = found.point_b - found.point_a;
        let normal = bowl.normal(found.at_a[0], found.at_a[1]).unwrap();
        assert!(way.cross(&normal).norm() < 1e-9 * way.norm(), "{found:?}");
    }

    #[test]
    fn at_the_end_of_a_patch_the_nearest_place_stays_on_its_edge() {
        let bowl = bowl();
        let a = Chart::Patch(&bowl, Pose::identity());
        let corner = Chart::of_feature(&[Point::new(2.0, 2.0, 2.0)]);
        let found = nearest_places(&a, [0.5, 0.5], &corner, [0.0; 2]);
        assert_eq!(found.at_a, [1.0, 1.0]);
    }
}
