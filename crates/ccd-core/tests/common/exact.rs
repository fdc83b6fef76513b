//! Closest features judged in integers: Theorem 1, and that nothing else is nearer, without any rounding.
//!
//! Coordinates are `f64`, so the polyhedra and the placement are dyadic: scaled by one power of two everything is an
//! integer, B's corners under the placement, too. Distances are fractions of integers.

use ccd_core::detection::closest::gjk::RelativePose;
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use num_bigint::{BigInt, Sign};

type V = [BigInt; 3];

/// `x` as an integer times a power of two.
fn dyadic(x: f64) -> (BigInt, i64) {
    let bits = x.to_bits();
    let (fraction, power) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i64);
    let (digits, exponent) = if power == 0 { (fraction, -1074) } else { (fraction | 1 << 52, power - 1075) };
    if digits == 0 {
        return (BigInt::ZERO, 0);
    }
    let zeros = digits.trailing_zeros();
    let digits = BigInt::from(digits >> zeros);
    (if x < 0.0 { -digits } else { digits }, exponent + i64::from(zeros))
}

/// `x · 2^shift`, which must be whole.
fn scaled(x: f64, shift: i64) -> BigInt {
    let (digits, exponent) = dyadic(x);
    if digits.sign() == Sign::NoSign {
        return digits;
    }
    let up = exponent + shift;
    assert!(up >= 0, "the scale is too small for {x}");
    digits << up as u64
}

fn minus(p: &V, q: &V) -> V {
    [0, 1, 2].map(|k| &p[k] - &q[k])
}

fn dot(p: &V, q: &V) -> BigInt {
    &p[0] * &q[0] + &p[1] * &q[1] + &p[2] * &q[2]
}

fn cross(p: &V, q: &V) -> V {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &p[i] * &q[j] - &p[j] * &q[i])
}

fn zero() -> BigInt {
    BigInt::ZERO
}

/// A point: integers over one positive denominator.
#[derive(Clone, Debug)]
struct Place {
    above: V,
    below: BigInt,
}

impl Place {
    fn whole(p: &V) -> Self {
        Self { above: p.clone(), below: BigInt::from(1) }
    }

    /// From a corner to this place, times the denominator.
    fn from(&self, corner: &V) -> V {
        [0, 1, 2].map(|k| &self.above[k] - &corner[k] * &self.below)
    }
}

/// The way from one place to another, times both denominators.
fn way(p: &Place, q: &Place) -> V {
    [0, 1, 2].map(|k| &q.above[k] * &p.below - &p.above[k] * &q.below)
}

/// Two closest places and their squared distance as a fraction.
#[derive(Clone, Debug)]
struct Nearest {
    on_a: Place,
    on_b: Place,
    above: BigInt,
    below: BigInt,
}

impl Nearest {
    fn between(on_a: Place, on_b: Place) -> Self {
        let w = way(&on_a, &on_b);
        let below = &on_a.below * &on_b.below;
        Self { above: dot(&w, &w), below: &below * &below, on_a, on_b }
    }

    fn nearer(self, other: Option<Self>) -> Option<Self> {
        match other {
            Some(best) if &best.above * &self.below <= &self.above * &best.below => Some(best),
            _ => Some(self),
        }
    }
}

/// A polyhedron in integers.
struct Body<'h> {
    hull: &'h ConvexPolyhedron,
    corners: Vec<V>,
}

/// Two polyhedra in their placement, exactly.
pub struct Exactly<'h> {
    a: Body<'h>,
    b: Body<'h>,
    shift: i64,
}

impl<'h> Exactly<'h> {
    pub fn new(a: &'h ConvexPolyhedron, b: &'h ConvexPolyhedron, placement: &RelativePose) -> Self {
        // The smallest bit of any coordinate of A, any product of the turning, any part of the translation.
        let smallest = |values: &mut dyn Iterator<Item = f64>| {
            values.filter(|x| *x != 0.0).map(|x| dyadic(x).1).min().unwrap_or(0)
        };
        let corners = |hull: &'h ConvexPolyhedron| hull.vertices().iter().flat_map(|p| [p.x, p.y, p.z]);
        let turn = smallest(&mut placement.rotation.iter().copied());
        let shift_b = smallest(&mut corners(b));
        let bits = smallest(&mut corners(a))
            .min(smallest(&mut placement.translation.iter().copied()))
            .min(turn + shift_b)
            .min(0);
        let shift = -bits;
        let r = &placement.rotation;
        let placed = |p: &ccd_core::math::Point| {
            [0, 1, 2].map(|i| {
                let terms = [0, 1, 2].map(|j| {
                    // A product of two dyadic numbers, at the common scale.
                    let (one, other) = (dyadic(r[(i, j)]), dyadic(p[j]));
                    let digits = one.0 * other.0;
                    if digits.sign() == Sign::NoSign { digits } else { digits << (one.1 + other.1 + shift) as u64 }
                });
                terms.into_iter().sum::<BigInt>() + scaled(placement.translation[i], shift)
            })
        };
        Self {
            a: Body {
                hull: a,
                corners: a.vertices().iter().map(|p| [p.x, p.y, p.z].map(|c| scaled(c, shift))).collect(),
            },
            b: Body { hull: b, corners: b.vertices().iter().map(placed).collect() },
            shift,
        }
    }

    /// Whether these features are the closest ones of bodies that are apart, at this distance to 1e-12 of it.
    pub fn judge_apart(&self, a: Feature, b: Feature, distance: f64) -> Result<(), String> {
        let nearest = self.nearest(a, b);
        let (x, y) = (&nearest.on_a, &nearest.on_b);
        if nearest.above.sign() != Sign::Plus {
            return Err("the features meet".into());
        }
        if !self.a.in_region(a, y) {
            return Err(format!("Theorem 1: B's point is not in the region of A's {a}"));
        }
        if !self.b.in_region(b, x) {
            return Err(format!("Theorem 1: A's point is not in the region of B's {b}"));
        }
        // The plane square to the way between them through either point holds the whole body on its far side.
        let to_b = way(x, y);
        for (k, corner) in self.a.corners.iter().enumerate() {
            if dot(&x.from(corner), &to_b) < zero() {
                return Err(format!("vertex {k} of A is nearer to B"));
            }
        }
        for (k, corner) in self.b.corners.iter().enumerate() {
            if dot(&y.from(corner), &to_b) > zero() {
                return Err(format!("vertex {k} of B is nearer to A"));
            }
        }
        // |d² − true²| ≤ 2e-12 true², in integers.
        let (digits, exponent) = dyadic(distance);
        let (square, exponent) = (&digits * &digits, 2 * (exponent + self.shift));
        let (found, truth) = if exponent >= 0 {
            ((square << exponent as u64) * &nearest.below, nearest.above)
        } else {
            (square * &nearest.below, nearest.above << (-exponent) as u64)
        };
        let off = if found > truth { &found - &truth } else { &truth - &found };
        if off * BigInt::from(500_000_000_000_u64) > truth {
            return Err(format!("the distance {distance:e} is off by more than 1e-12 of it"));
        }
        Ok(())
    }

    /// Whether bodies of which these features are named truly have a point in common.
    pub fn judge_overlap(&self, a: Feature, b: Feature) -> Result<(), String> {
        let inside = |body: &Body<'_>, p: &V| body.holds(p);
        let held = match (a, b) {
            (Feature::Vertex(v), _) if inside(&self.b, &self.a.corners[v as usize]) => true,
            (_, Feature::Vertex(v)) if inside(&self.a, &self.b.corners[v as usize]) => true,
            _ => {
                let (p, q) = (self.a.polygon(a), self.b.polygon(b));
                self.b.meets_segment(&p)
                    || self.a.meets_segment(&q)
                    || meet(&p, &q)
                    || self.nearest(a, b).above.sign() == Sign::NoSign
            }
        };
        if held { Ok(()) } else { Err("these features show no overlap".into()) }
    }

    fn nearest(&self, a: Feature, b: Feature) -> Nearest {
        let (p, q) = (self.a.polygon(a), self.b.polygon(b));
        let mut best = None;
        for v in &p {
            let place = Place::whole(v);
            best = Nearest::between(place.clone(), nearest_on_polygon(&place, &q)).nearer(best);
        }
        for w in &q {
            let place = Place::whole(w);
            best = Nearest::between(nearest_on_polygon(&place, &p), place).nearer(best);
        }
        for one in sides(&p) {
            for other in sides(&q) {
                if let Some((x, y)) = common_perpendicular(one, other) {
                    best = Nearest::between(x, y).nearer(best);
                }
            }
        }
        best.unwrap_or_else(|| unreachable!("every feature has a corner"))
    }
}

impl Body<'_> {
    fn polygon(&self, feature: Feature) -> Vec<V> {
        let numbers = match feature {
            Feature::Vertex(v) => vec![v],
            Feature::Edge(e) => self.hull.edges()[e as usize].vertices.to_vec(),
            Feature::Face(f) => self.hull.face_vertices(f as usize).to_vec(),
        };
        numbers.iter().map(|v| self.corners[*v as usize].clone()).collect()
    }

    /// Outward, of any length. Corners of a face are taken until they span it.
    fn normal(&self, face: u32) -> V {
        let rim = self.polygon(Feature::Face(face));
        for k in 2..rim.len() {
            let normal = cross(&minus(&rim[1], &rim[0]), &minus(&rim[k], &rim[0]));
            if normal.iter().any(|c| c.sign() != Sign::NoSign) {
                return normal;
            }
        }
        unreachable!("a face has corners off a line")
    }

    /// Whether a point lies in the Voronoi region of a feature: on no neighbour's side of any plane between them.
    fn in_region(&self, feature: Feature, p: &Place) -> bool {
        match feature {
            Feature::Vertex(v) => {
                let own = &self.corners[v as usize];
                let rise = |w: &u32| dot(&p.from(own), &minus(&self.corners[*w as usize], own));
                self.hull.neighbours(v as usize).iter().all(|w| rise(w) <= zero())
            }
            Feature::Edge(e) => {
                let edge = self.hull.edges()[e as usize];
                let [tail, head] = edge.vertices.map(|v| &self.corners[v as usize]);
                let along = minus(head, tail);
                let beside = |face: u32, along: &V| dot(&p.from(tail), &cross(&self.normal(face), along));
                dot(&p.from(tail), &along) >= zero()
                    && dot(&p.from(head), &along) <= zero()
                    && beside(edge.faces[0], &along) <= zero()
                    && beside(edge.faces[1], &minus(tail, head)) <= zero()
            }
            Feature::Face(f) => {
                let (rim, normal) = (self.polygon(feature), self.normal(f));
                dot(&p.from(&rim[0]), &normal) >= zero()
                    && sides(&rim).all(|[tail, head]| dot(&p.from(tail), &cross(&normal, &minus(head, tail))) >= zero())
            }
        }
    }

    /// Whether a segment has a point in the body.
    fn meets_segment(&self, segment: &[V]) -> bool {
        let [tail, head] = segment else { return false };
        // The part of it that all planes have left, as fractions.
        let (mut low, mut high) = ((zero(), BigInt::from(1)), (BigInt::from(1), BigInt::from(1)));
        for f in 0..self.hull.face_count() as u32 {
            let corner = &self.corners[self.hull.face_vertices(f as usize)[0] as usize];
            let normal = self.normal(f);
            let (start, end) = (dot(&minus(tail, corner), &normal), dot(&minus(head, corner), &normal));
            if start > zero() && end > zero() {
                return false;
            }
            if start > zero() {
                let at = (start.clone(), &start - &end);
                if &at.0 * &low.1 > &low.0 * &at.1 {
                    low = at;
                }
            } else if end > zero() {
                let at = (-&start, &end - &start);
                if &at.0 * &high.1 < &high.0 * &at.1 {
                    high = at;
                }
            }
        }
        low.0 * high.1 <= high.0 * low.1
    }

    fn holds(&self, p: &V) -> bool {
        (0..self.hull.face_count() as u32).all(|f| {
            let corner = &self.corners[self.hull.face_vertices(f as usize)[0] as usize];
            dot(&minus(p, corner), &self.normal(f)) <= zero()
        })
    }
}

fn sides(polygon: &[V]) -> impl Iterator<Item = [&V; 2]> {
    let count = match polygon.len() {
        1 => 0,
        2 => 1,
        n => n,
    };
    (0..count).map(|k| [&polygon[k], &polygon[(k + 1) % polygon.len()]])
}

fn nearest_on_segment(p: &Place, [tail, head]: [&V; 2]) -> Place {
    let along = minus(head, tail);
    let (reach, length) = (dot(&p.from(tail), &along), dot(&along, &along) * &p.below);
    if reach <= zero() {
        return Place::whole(tail);
    }
    if reach >= length {
        return Place::whole(head);
    }
    Place { above: [0, 1, 2].map(|k| &tail[k] * &length + &along[k] * &reach), below: length }
}

/// The nearest place of a flat convex polygon (or segment, or point).
fn nearest_on_polygon(p: &Place, polygon: &[V]) -> Place {
    match polygon {
        [only] => Place::whole(only),
        [tail, head] => nearest_on_segment(p, [tail, head]),
        _ => {
            let normal = (2..polygon.len())
                .map(|k| cross(&minus(&polygon[1], &polygon[0]), &minus(&polygon[k], &polygon[0])))
                .find(|n| n.iter().any(|c| c.sign() != Sign::NoSign))
                .unwrap_or_else(|| unreachable!("a face has corners off a line"));
            if sides(polygon).all(|[tail, head]| dot(&p.from(tail), &cross(&normal, &minus(head, tail))) >= zero()) {
                let square = dot(&normal, &normal);
                let height = dot(&p.from(&polygon[0]), &normal);
                let above = [0, 1, 2].map(|k| &p.above[k] * &square - &normal[k] * &height);
                return Place { above, below: &p.below * &square };
            }
            let mut best: Option<Nearest> = None;
            for side in sides(polygon) {
                best = Nearest::between(p.clone(), nearest_on_segment(p, side)).nearer(best);
            }
            best.unwrap_or_else(|| unreachable!("a polygon has sides")).on_b
        }
    }
}

/// The feet of the common perpendicular of two segments that are not parallel, where it meets both.
fn common_perpendicular(one: [&V; 2], other: [&V; 2]) -> Option<(Place, Place)> {
    let (u, v, w) = (minus(one[1], one[0]), minus(other[1], other[0]), minus(other[0], one[0]));
    let n = cross(&u, &v);
    let square = dot(&n, &n);
    if square.sign() == Sign::NoSign {
        return None;
    }
    let (s, t) = (dot(&cross(&w, &v), &n), dot(&cross(&w, &u), &n));
    let between = |x: &BigInt| *x >= zero() && *x <= square;
    let along = |tail: &V, d: &V, at: &BigInt| Place {
        above: [0, 1, 2].map(|k| &tail[k] * &square + &d[k] * at),
        below: square.clone(),
    };
    (between(&s) && between(&t)).then(|| (along(one[0], &u, &s), along(other[0], &v, &t)))
}

/// Whether a side of one polygon meets the other's flat inside.
fn meet(p: &[V], q: &[V]) -> bool {
    let crosses = |segments: &[V], polygon: &[V]| {
        if polygon.len() < 3 {
            return false;
        }
        let normal = (2..polygon.len())
            .map(|k| cross(&minus(&polygon[1], &polygon[0]), &minus(&polygon[k], &polygon[0])))
            .find(|n| n.iter().any(|c| c.sign() != Sign::NoSign));
        let Some(normal) = normal else { return false };
        sides(segments).any(|[tail, head]| {
            let (low, high) = (dot(&minus(tail, &polygon[0]), &normal), dot(&minus(head, &polygon[0]), &normal));
            if low.sign() == high.sign() {
                return false;
            }
            // The crossing, over a positive denominator.
            let (mut at, mut fall) = (low.clone(), &low - &high);
            if fall < zero() {
                (at, fall) = (-at, -fall);
            }
            let along = minus(head, tail);
            let place = Place { above: [0, 1, 2].map(|k| &tail[k] * &fall + &along[k] * &at), below: fall };
            sides(polygon).all(|[tail, head]| dot(&place.from(tail), &cross(&normal, &minus(head, tail))) >= zero())
        })
    };
    crosses(p, q) || crosses(q, p)
}
