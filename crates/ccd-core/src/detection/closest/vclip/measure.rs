//! Distance, closest points and direction of two features that are the closest.
//!
//! The same formulas run in `f64`, and in twice the digits where the distance is so small against the bodies that `f64`
//! would leave less than twelve of them.

use super::certain::Scene;
use super::{ClosestFeatures, Found, Query};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Certain, DoubleDouble, Exact, Point, Real, Scalar, Vector};

type V<S> = [S; 3];

/// Distances below this part of the bodies' size are measured in twice the digits: some twenty roundings of the size are
/// 1e-12 of it there.
const CLOSE: Real = 4e-3;
/// Edges more nearly parallel than this (sine squared) likewise: their common perpendicular is lost first.
const NEARLY_PARALLEL: Real = 1e-3;
/// Edges whose sine squared is below this are parallel to all digits there are (erratum E26).
const PARALLEL: Real = 1e-29;
/// A distance below this part of the size, over the sine of the angle where two edges span it, is measured exactly: it may be
/// none at all.
const NOTHING: Real = 1e-17;

/// What a formula found, in A's frame.
struct Measured {
    distance: Real,
    /// From A's point to B's, of any length, good in direction.
    way: Vector,
    /// The length of `way`, to a few roundings.
    length: Real,
    point_a: Vector,
    point_b: Vector,
    /// The sine squared of the angle of two edges; one for other features.
    sine_squared: Real,
}

fn minus<S: Scalar>(p: &V<S>, q: &V<S>) -> V<S> {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

fn plus_scaled<S: Scalar>(p: &V<S>, d: &V<S>, s: S) -> V<S> {
    [p[0] + d[0] * s, p[1] + d[1] * s, p[2] + d[2] * s]
}

fn dot<S: Scalar>(p: &V<S>, q: &V<S>) -> S {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

fn cross<S: Scalar>(p: &V<S>, q: &V<S>) -> V<S> {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

fn rounded<S: Scalar>(v: &V<S>) -> Vector {
    Vector::new(v[0].to_real(), v[1].to_real(), v[2].to_real())
}

impl Query<'_> {
    /// The answer for a pair of features at which the walk has ended.
    #[inline]
    pub(super) fn answer(&self, at: FeaturePair, found: Found, steps: u32, careful_steps: u32) -> ClosestFeatures {
        let features = FeaturePair { a: self.sides[0].name(at.a), b: self.sides[1].name(at.b) };
        let size = self.size;
        let mut measured = match (at.a, at.b) {
            (Feature::Vertex(v), Feature::Face(f)) => self.height_over_face(0, v, f),
            (Feature::Face(f), Feature::Vertex(v)) => self.height_over_face(1, v, f),
            _ => self.measure::<Real>(at),
        };
        if !(measured.distance > CLOSE * size && measured.sine_squared > NEARLY_PARALLEL) {
            measured = self.measure::<DoubleDouble>(at);
            if found == Found::Apart && measured.distance * measured.sine_squared.sqrt() <= NOTHING * size {
                self.measure_exactly(at, &mut measured);
            }
        }
        let touching = found == Found::Overlap || measured.distance == 0.0;
        let normal = if touching { Vector::zeros() } else { measured.way * (1.0 / measured.length) };
        ClosestFeatures {
            features,
            distance: if touching { 0.0 } else { measured.distance },
            point_a: Point::from(measured.point_a),
            point_b: Point::from(measured.point_b),
            normal,
            overlapping: touching,
            steps,
            careful_steps,
        }
    }

    #[cold]
    fn measure_exactly(&self, at: FeaturePair, measured: &mut Measured) {
        if let Some((above, below, way)) = Scene::<Exact>::new(self).measured(at) {
            measured.distance = above.quotient(&below).sqrt();
            let way = Vector::from_fn(|k, _| way[k].near());
            if way.norm() > 0.0 {
                (measured.way, measured.length) = (way, way.norm());
            }
        }
    }

    #[inline]
    fn corner<S: Scalar>(&self, side: usize, vertex: u32) -> V<S> {
        let p = self.place(side, vertex);
        let p = [p.x, p.y, p.z].map(S::from_real);
        if side == 0 {
            return p;
        }
        let (r, t) = (&self.placement.rotation, &self.placement.translation);
        [0, 1, 2].map(|i| dot(&[r[(i, 0)], r[(i, 1)], r[(i, 2)]].map(S::from_real), &p) + S::from_real(t[i]))
    }

    #[inline]
    fn ends<S: Scalar>(&self, side: usize, edge: u32) -> [V<S>; 2] {
        self.sides[side].edges[edge as usize].vertices.map(|v| self.corner(side, v))
    }

    #[inline]
    fn measure<S: Scalar>(&self, at: FeaturePair) -> Measured {
        match (at.a, at.b) {
            (Feature::Vertex(v), Feature::Vertex(w)) => {
                let (p, q) = (self.corner::<S>(0, v), self.corner::<S>(1, w));
                let way = rounded(&minus(&q, &p));
                let length = way.norm();
                let (point_a, point_b) = (rounded(&p), rounded(&q));
                Measured { distance: length, way, length, point_a, point_b, sine_squared: 1.0 }
            }
            (Feature::Vertex(v), Feature::Edge(e)) => self.vertex_edge_distance::<S>(0, v, e),
            (Feature::Edge(e), Feature::Vertex(v)) => self.vertex_edge_distance::<S>(1, v, e),
            (Feature::Vertex(v), Feature::Face(f)) => self.vertex_face_distance::<S>(0, v, f),
            (Feature::Face(f), Feature::Vertex(v)) => self.vertex_face_distance::<S>(1, v, f),
            (Feature::Edge(e), Feature::Edge(g)) => self.between_edges::<S>(e, g),
            // An edge and the face that it pierces, where it does.
            (Feature::Edge(e), Feature::Face(f)) => self.pierced::<S>(0, e, f),
            (Feature::Face(f), Feature::Edge(e)) => self.pierced::<S>(1, e, f),
            (Feature::Face(f), Feature::Face(_)) => {
                self.vertex_face_distance::<S>(0, self.sides[0].faces[f as usize].vertices[0], 0)
            }
        }
    }

    /// Orders the points of a vertex of `side` and of the other side.
    fn measured(side: usize, distance: Real, way: (Vector, Real), own: Vector, other: Vector) -> Measured {
        let (way, length) = way;
        let (way, point_a, point_b) = if side == 0 { (way, own, other) } else { (-way, other, own) };
        Measured { distance, way, length, point_a, point_b, sine_squared: 1.0 }
    }

    /// With the stored plane, which is good for slivers, too: their corners in `f64` are not.
    #[inline]
    fn height_over_face(&self, side: usize, v: u32, f: u32) -> Measured {
        let region = &self.sides[1 - side].faces[f as usize].region;
        let height = region.heights(&self.brought(side, v))[3];
        let (own, normal) = if side == 0 {
            (self.place(0, v), self.turned(1, &region.normal(3)))
        } else {
            (self.brought(1, v), region.normal(3))
        };
        Self::measured(side, height.abs(), (normal * -height.signum(), 1.0), own, own - normal * height)
    }

    #[inline]
    fn vertex_edge_distance<S: Scalar>(&self, side: usize, v: u32, e: u32) -> Measured {
        let (p, [tail, head]) = (self.corner::<S>(side, v), self.ends::<S>(1 - side, e));
        let (along, way) = (minus(&head, &tail), minus(&p, &tail));
        let foot = plus_scaled(&tail, &along, dot(&way, &along) / dot(&along, &along));
        let way = rounded(&minus(&foot, &p));
        let length = way.norm();
        Self::measured(side, length, (way, length), rounded(&p), rounded(&foot))
    }

    #[inline]
    fn vertex_face_distance<S: Scalar>(&self, side: usize, v: u32, f: u32) -> Measured {
        let p = self.corner::<S>(side, v);
        let [a, b, c] = self.sides[1 - side].faces[f as usize].vertices.map(|v| self.corner::<S>(1 - side, v));
        let normal = cross(&minus(&b, &a), &minus(&c, &a));
        let height = dot(&minus(&p, &a), &normal);
        let square = dot(&normal, &normal);
        let foot = plus_scaled(&p, &normal, -(height / square));
        let way = rounded(&normal) * -height.to_real().signum();
        let length = square.to_real().sqrt();
        let distance = (height / square).to_real().abs() * length;
        Self::measured(side, distance, (way, length), rounded(&p), rounded(&foot))
    }

    #[inline]
    fn between_edges<S: Scalar>(&self, e: u32, g: u32) -> Measured {
        let ([p, p_head], [q, q_head]) = (self.ends::<S>(0, e), self.ends::<S>(1, g));
        let (u, v, w) = (minus(&p_head, &p), minus(&q_head, &q), minus(&q, &p));
        let (uu, uv, vv, uw, vw) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&u, &w), dot(&v, &w));
        let normal = cross(&u, &v);
        let square = dot(&normal, &normal);
        let sine_squared = (square / (uu * vv)).to_real();
        if sine_squared > PARALLEL {
            let inverse = S::from_real(1.0) / square;
            let s = (vv * uw - uv * vw) * inverse;
            let t = (uv * uw - uu * vw) * inverse;
            let volume = dot(&w, &normal);
            let length = square.to_real().sqrt();
            return Measured {
                distance: (volume * inverse).to_real().abs() * length,
                way: rounded(&normal) * volume.to_real().signum(),
                length,
                point_a: rounded(&plus_scaled(&p, &u, s)),
                point_b: rounded(&plus_scaled(&q, &v, t)),
                sine_squared,
            };
        }
        // Parallel: any place that both run past; the middle of what they share.
        let (from, to) = (uw / uu, (uw + uv) / uu);
        let (zero, one) = (S::from_real(0.0), S::from_real(1.0));
        let clamp = |s: S| {
            if s < zero {
                zero
            } else if s > one {
                one
            } else {
                s
            }
        };
        let s = (clamp(from) + clamp(to)) * S::from_real(0.5);
        let on_a = plus_scaled(&p, &u, s);
        let way = minus(&w, &[u[0] * (uw / uu), u[1] * (uw / uu), u[2] * (uw / uu)]);
        let on_b = plus_scaled(&on_a, &way, one);
        let way = rounded(&way);
        let length = way.norm();
        Measured { distance: length, way, length, point_a: rounded(&on_a), point_b: rounded(&on_b), sine_squared }
    }

    fn pierced<S: Scalar>(&self, side: usize, e: u32, f: u32) -> Measured {
        let [tail, head] = self.ends::<S>(side, e);
        let [a, b, c] = self.sides[1 - side].faces[f as usize].vertices.map(|v| self.corner::<S>(1 - side, v));
        let normal = cross(&minus(&b, &a), &minus(&c, &a));
        let along = minus(&head, &tail);
        let climb = dot(&along, &normal);
        let zero = S::from_real(0.0);
        let at = if climb == zero { zero } else { dot(&minus(&a, &tail), &normal) / climb };
        let point = rounded(&plus_scaled(&tail, &along, at));
        let way = rounded(&normal);
        Self::measured(side, 0.0, (way, way.norm()), point, point)
    }
}
