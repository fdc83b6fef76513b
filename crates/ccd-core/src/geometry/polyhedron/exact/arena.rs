//! The planes and vertices that facets and cells are made of.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::math::{Certain, Exact, Point, Real, Vector};

/// A plane n · x = d with exact coefficients, and the unit one in `f64`.
#[derive(Clone, Debug)]
struct ExactPlane {
    normal: [Exact; 3],
    offset: Exact,
    near_normal: Vector,
    near_offset: Real,
}

/// A place as three numbers over a positive fourth, the planes that meet there, and its place in `f64`.
#[derive(Clone, Debug)]
struct ExactPoint {
    above: [Exact; 3],
    below: Exact,
    near: Point,
    on: Option<[u32; 3]>,
}

/// Planes and the vertices where they meet, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planes {
    planes: Vec<ExactPlane>,
    points: Vec<ExactPoint>,
    crossings: BTreeMap<[u32; 3], u32>,
    /// The largest coordinate seen, metres: what rounding is measured against.
    size: Real,
}

/// What a height in `f64` over a unit plane may be off by, against the size: some twenty roundings.
const HEIGHT_ROUNDING: Real = 64.0 * Real::EPSILON;

type Exact3 = [Exact; 3];

fn exactly(v: &Vector) -> Exact3 {
    [v.x, v.y, v.z].map(Exact::of)
}

fn minus(p: &Exact3, q: &Exact3) -> Exact3 {
    std::array::from_fn(|k| p[k].minus(&q[k]))
}

fn cross(p: &Exact3, q: &Exact3) -> Exact3 {
    let term = |i: usize, j: usize| p[i].times(&q[j]).minus(&p[j].times(&q[i]));
    [term(1, 2), term(2, 0), term(0, 1)]
}

fn dot(p: &Exact3, q: &Exact3) -> Exact {
    p[0].times(&q[0]).plus(&p[1].times(&q[1])).plus(&p[2].times(&q[2]))
}

impl Planes {
    /// The plane n · x = d, n of any length but zero; `None` for a zero or non-finite one.
    pub fn add(&mut self, normal: &Vector, offset: Real) -> Option<u32> {
        (offset.is_finite() && normal.iter().all(|c| c.is_finite())).then_some(())?;
        self.push(exactly(normal), Exact::of(offset))
    }

    /// The plane through three places, its normal towards whoever sees them counter-clockwise; `None` if they lie on a line.
    pub fn through(&mut self, [p, q, r]: &[Point; 3]) -> Option<u32> {
        let [p, q, r] = [p, q, r].map(|x| exactly(&x.coords));
        let normal = cross(&minus(&q, &p), &minus(&r, &p));
        let offset = dot(&normal, &p);
        self.push(normal, offset)
    }

    /// A plane through the edge from `p` to `q` of a triangle with this normal (to within rounding), steep to the triangle.
    pub fn along(&mut self, p: &Point, q: &Point, normal: &Vector) -> Option<u32> {
        let mut axis = Vector::zeros();
        axis[normal.iamax()] = 1.0;
        let [p, q, axis] = [&p.coords, &q.coords, &axis].map(exactly);
        let normal = cross(&minus(&q, &p), &axis);
        let offset = dot(&normal, &p);
        self.push(normal, offset)
    }

    fn push(&mut self, normal: Exact3, offset: Exact) -> Option<u32> {
        // Against the largest, so that no length overflows or vanishes.
        let largest = normal.iter().max_by(|p, q| p.near().abs().total_cmp(&q.near().abs()))?;
        if largest.sign() == Some(Ordering::Equal) {
            return None;
        }
        let near = Vector::from_fn(|k, _| normal[k].quotient(largest)) * largest.near().signum();
        let length = near.norm();
        let near_offset = offset.quotient(largest) * largest.near().signum() / length;
        self.size = self.size.max(near_offset.abs());
        self.planes.push(ExactPlane { normal, offset, near_normal: near / length, near_offset });
        Some(self.planes.len() as u32 - 1)
    }

    /// A given place as a vertex.
    pub fn vertex(&mut self, place: &Point) -> u32 {
        self.size = self.size.max(place.coords.amax());
        self.points.push(ExactPoint { above: exactly(&place.coords), below: Exact::of(1.0), near: *place, on: None });
        self.points.len() as u32 - 1
    }

    /// Where three planes meet; `None` if not in one place.
    pub fn crossing(&mut self, mut planes: [u32; 3]) -> Option<u32> {
        planes.sort_unstable();
        if let Some(&known) = self.crossings.get(&planes) {
            return Some(known);
        }
        let [p, q, r] = planes.map(|i| &self.planes[i as usize]);
        let (qr, rp, pq) = (cross(&q.normal, &r.normal), cross(&r.normal, &p.normal), cross(&p.normal, &q.normal));
        let mut below = dot(&p.normal, &qr);
        let sign = below.sign()?;
        if sign == Ordering::Equal {
            return None;
        }
        let mut above: Exact3 =
            std::array::from_fn(|k| p.offset.times(&qr[k]).plus(&q.offset.times(&rp[k])).plus(&r.offset.times(&pq[k])));
        if sign == Ordering::Less {
            let zero = Exact::of(0.0);
            above = above.map(|x| zero.minus(&x));
            below = zero.minus(&below);
        }
        let near = Point::from(Vector::from_fn(|k, _| above[k].quotient(&below)));
        self.size = self.size.max(near.coords.amax());
        self.points.push(ExactPoint { above, below, near, on: Some(planes) });
        let number = self.points.len() as u32 - 1;
        self.crossings.insert(planes, number);
        Some(number)
    }

    /// On which side of a plane a vertex is: greater where the normal points to. Exact.
    pub fn side(&self, vertex: u32, plane: u32) -> Ordering {
        let (v, h) = (&self.points[vertex as usize], &self.planes[plane as usize]);
        if v.on.is_some_and(|on| on.contains(&plane)) {
            return Ordering::Equal;
        }
        let height = h.near_normal.dot(&v.near.coords) - h.near_offset;
        let doubt = HEIGHT_ROUNDING * self.size;
        if height > doubt {
            return Ordering::Greater;
        }
        if height < -doubt {
            return Ordering::Less;
        }
        let exact = dot(&h.normal, &v.above).minus(&h.offset.times(&v.below));
        exact.sign().unwrap_or(Ordering::Equal)
    }

    /// Whether a vertex is above a plane by more than rounding.
    pub fn is_above(&self, vertex: u32, plane: u32) -> bool {
        let (v, h) = (&self.points[vertex as usize], &self.planes[plane as usize]);
        h.near_normal.dot(&v.near.coords) - h.near_offset > HEIGHT_ROUNDING * self.size
    }

    /// Whether two vertices are in the same place. Exact.
    pub fn same_place(&self, one: u32, other: u32) -> bool {
        if one == other {
            return true;
        }
        let (p, q) = (&self.points[one as usize], &self.points[other as usize]);
        if (p.near - q.near).amax() > HEIGHT_ROUNDING * self.size {
            return false;
        }
        (0..3).all(|k| p.above[k].times(&q.below).order(&q.above[k].times(&p.below)) == Some(Ordering::Equal))
    }

    /// Whether two planes are the same, with the same side up. Exact.
    pub fn same_plane(&self, one: u32, other: u32) -> bool {
        let (p, q) = (&self.planes[one as usize], &self.planes[other as usize]);
        if p.near_normal.dot(&q.near_normal) < 0.5
            || (p.near_offset - q.near_offset).abs() > HEIGHT_ROUNDING * self.size
        {
            return false;
        }
        let zero = |x: &Exact| x.sign() == Some(Ordering::Equal);
        cross(&p.normal, &q.normal).iter().all(zero)
            && (0..3).all(|k| zero(&p.offset.times(&q.normal[k]).minus(&q.offset.times(&p.normal[k]))))
    }

    /// The vertex's place to a rounding or two.
    pub fn place(&self, vertex: u32) -> &Point {
        &self.points[vertex as usize].near
    }

    /// The plane's unit normal and offset, to within rounding.
    pub fn near(&self, plane: u32) -> (&Vector, Real) {
        let h = &self.planes[plane as usize];
        (&h.near_normal, h.near_offset)
    }

    /// The largest coordinate of any vertex, metres.
    pub fn size(&self) -> Real {
        self.size
    }
}
