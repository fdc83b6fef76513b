//! The exact oracle of point classification: slow, plain, and sharing no code with the index or the trees.
//!
//! Inside or outside: the parity of the triangles along x, with every sign from whole numbers of any length where a bound on
//! the rounding of `f64` leaves it open. On the surface: distances in double-double arithmetic (30 digits), by the definition.

use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::mesh::{Brep, Topology, TriMesh};
use ccd_core::math::{DoubleDouble, Point, Scalar, Vector};
use num_bigint::{BigInt, Sign};
use num_traits::Float;

/// Bins over y and z of triangles' boxes.
pub struct Oracle<'m> {
    mesh: &'m TriMesh,
    topology: &'m Topology,
    brep: &'m Brep,
    low: Point,
    size: Vector,
    bins: usize,
    content: Vec<Vec<u32>>,
    margin: f64,
}

/// The least distances from the features of a surface that are near a point.
#[derive(Debug, Default)]
pub struct Near {
    pub vertices: Vec<(f64, u32)>,
    pub edges: Vec<(f64, u32)>,
    pub faces: Vec<(f64, u32)>,
}

type Wide = [DoubleDouble; 3];

fn wide(p: &Point, origin: &Point) -> Wide {
    [0, 1, 2].map(|k| DoubleDouble::difference(p[k], origin[k]))
}

fn minus(a: &Wide, b: &Wide) -> Wide {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: &Wide, b: &Wide) -> DoubleDouble {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &Wide, b: &Wide) -> Wide {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The squared distance of the origin from a segment.
fn to_segment(a: &Wide, b: &Wide) -> DoubleDouble {
    let along = minus(b, a);
    let zero = DoubleDouble::from_real(0.0);
    let (t, whole) = (-dot(a, &along), dot(&along, &along));
    if t <= zero {
        dot(a, a)
    } else if t >= whole {
        dot(b, b)
    } else {
        let c = cross(a, &along);
        dot(&c, &c) / whole
    }
}

/// The squared distance of the origin from a triangle.
fn to_triangle(corners: &[Wide; 3]) -> DoubleDouble {
    let [a, b, c] = corners;
    let n = cross(&minus(b, a), &minus(c, a));
    let zero = DoubleDouble::from_real(0.0);
    let is_over = (0..3).all(|k| {
        let (p, q) = (&corners[k], &corners[(k + 1) % 3]);
        dot(&cross(&n, &minus(q, p)), p) <= zero
    });
    if is_over {
        let h = dot(&n, a);
        return h * h / dot(&n, &n);
    }
    let sides = [to_segment(a, b), to_segment(b, c), to_segment(c, a)];
    sides.into_iter().reduce(|x, y| if y < x { y } else { x }).unwrap()
}

/// These points exactly, in one unit that is small enough for all of them.
fn exact<const N: usize>(points: [&Point; N]) -> [[BigInt; 3]; N] {
    let parts = points.map(|p| [0, 1, 2].map(|k| p[k].integer_decode()));
    let unit = parts.iter().flatten().filter(|x| x.0 != 0).map(|x| x.1).min().unwrap_or(0);
    parts.map(|p| {
        p.map(
            |(mantissa, exponent, sign)| {
                if mantissa == 0 { BigInt::ZERO } else { (BigInt::from(mantissa) << (exponent - unit)) * sign }
            },
        )
    })
}

fn sign(x: &BigInt) -> i8 {
    match x.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// The sign of the turn a → b → p seen along x.
fn turn(a: &Point, b: &Point, p: &Point) -> i8 {
    let (l, r) = ((b.y - a.y) * (p.z - a.z), (b.z - a.z) * (p.y - a.y));
    let det = l - r;
    if det.abs() > 1e-15 * (l.abs() + r.abs()) && (l.abs() + r.abs()) > 1e-250 {
        return if det > 0.0 { 1 } else { -1 };
    }
    let [a, b, p] = exact([a, b, p]);
    let l = (&b[1] - &a[1]) * (&p[2] - &a[2]);
    let r = (&b[2] - &a[2]) * (&p[1] - &a[1]);
    sign(&(l - r))
}

/// [`turn`], with a point on the line moved by (δ, δ²).
fn turn_moved(a: &Point, b: &Point, p: &Point) -> i8 {
    match turn(a, b, p) {
        0 if a.z != b.z => {
            if b.z > a.z {
                -1
            } else {
                1
            }
        }
        0 => {
            if b.y > a.y {
                1
            } else {
                -1
            }
        }
        s => s,
    }
}

/// On which side of the plane of a, b, c the point p is: the sign of the volume.
fn side(a: &Point, b: &Point, c: &Point, p: &Point) -> i8 {
    let [u, v, w] = [a, b, c].map(|q| q - p);
    let minor = |v: &Vector, w: &Vector| (v.y * w.z - v.z * w.y, (v.y * w.z).abs() + (v.z * w.y).abs());
    let parts = [(u.x, minor(&v, &w)), (v.x, minor(&w, &u)), (w.x, minor(&u, &v))];
    let det: f64 = parts.iter().map(|(x, (m, _))| x * m).sum();
    let size: f64 = parts.iter().map(|(x, (_, s))| x.abs() * s).sum();
    if det.abs() > 4e-15 * size && size > 1e-250 {
        return if det > 0.0 { 1 } else { -1 };
    }
    let [a, b, c, p] = exact([a, b, c, p]);
    let from_p = |q: &[BigInt; 3]| [0, 1, 2].map(|k| &q[k] - &p[k]);
    let (u, v, w) = (from_p(&a), from_p(&b), from_p(&c));
    let minor = |v: &[BigInt; 3], w: &[BigInt; 3]| &v[1] * &w[2] - &v[2] * &w[1];
    sign(&(&u[0] * minor(&v, &w) + &v[0] * minor(&w, &u) + &w[0] * minor(&u, &v)))
}

impl<'m> Oracle<'m> {
    /// For points up to `margin` from the surface to be on it.
    pub fn new(mesh: &'m TriMesh, topology: &'m Topology, brep: &'m Brep, margin: f64) -> Self {
        let aabb = mesh.aabb();
        let low = aabb.min - Vector::repeat(2.0 * margin);
        let size = aabb.max - low + Vector::repeat(2.0 * margin);
        let bins = ((mesh.triangles().len() as f64).sqrt() as usize).clamp(1, 128);
        let mut oracle = Self { mesh, topology, brep, low, size, bins, content: vec![Vec::new(); bins * bins], margin };
        for t in 0..mesh.triangles().len() {
            let corners = mesh.triangle(t);
            let span = |k: usize| {
                let (l, h) = corners.iter().map(|p| p[k]).fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
                (oracle.bin(l - 2.0 * margin, k), oracle.bin(h + 2.0 * margin, k))
            };
            let ((y0, y1), (z0, z1)) = (span(1), span(2));
            for y in y0..=y1 {
                for z in z0..=z1 {
                    oracle.content[y * bins + z].push(t as u32);
                }
            }
        }
        oracle
    }

    fn bin(&self, x: f64, k: usize) -> usize {
        (((x - self.low[k]) / self.size[k] * self.bins as f64).max(0.0) as usize).min(self.bins - 1)
    }

    fn around(&self, p: &Point) -> &[u32] {
        &self.content[self.bin(p.y, 1) * self.bins + self.bin(p.z, 2)]
    }

    /// Whether a point that is not on the surface is inside.
    pub fn is_inside(&self, p: &Point) -> bool {
        let mut count = 0_u32;
        for &t in self.around(p) {
            let [a, b, c] = self.mesh.triangle(t as usize);
            if a.x.max(b.x).max(c.x) < p.x {
                continue;
            }
            let s = turn_moved(&a, &b, p);
            if turn_moved(&b, &c, p) == s && turn_moved(&c, &a, p) == s {
                // Seen from far along x the triangle turns as `s` says; the point is behind it if the volume agrees.
                count += u32::from(side(&a, &b, &c, p) == s);
            }
        }
        count % 2 == 1
    }

    /// The distances from all features within the margin.
    pub fn near(&self, p: &Point) -> Near {
        let mut near = Near::default();
        for &t in self.around(p) {
            let corners = self.mesh.triangle(t as usize);
            let is_far = (0..3).any(|k| {
                let (l, h) = corners.iter().map(|q| q[k]).fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
                p[k] < l - 2.0 * self.margin || p[k] > h + 2.0 * self.margin
            });
            // So far from the plane that no rounding brings it near.
            let n = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            let height = (n.dot(&(p - corners[0])) / n.norm()).abs();
            if is_far || height > 4.0 * self.margin + 1e-7 * self.size.norm() {
                continue;
            }
            let corners = corners.map(|q| wide(&q, p));
            let mut add = |list: fn(&mut Near) -> &mut Vec<(f64, u32)>, squared: DoubleDouble, number: u32| {
                let distance = squared.to_real().max(0.0).sqrt();
                if distance <= 1.5 * self.margin {
                    list(&mut near).push((distance, number));
                }
            };
            add(|n| &mut n.faces, to_triangle(&corners), t);
            for k in 0..3 {
                let v = self.mesh.triangles()[t as usize][k];
                if self.brep.is_corner(v) {
                    add(|n| &mut n.vertices, dot(&corners[k], &corners[k]), v);
                }
                let e = self.topology.triangle_edges()[t as usize][k];
                if self.brep.edge_of_mesh_edge(e).is_some() {
                    add(|n| &mut n.edges, to_segment(&corners[k], &corners[(k + 1) % 3]), e);
                }
            }
        }
        near
    }

    /// Whether `place` is an answer that the definition allows with tolerance ε, where distances within `band` of each
    /// other cannot be told apart.
    pub fn allows(&self, p: &Point, place: ccd_core::bounds::brep_index::Place, epsilon: f64, band: f64) -> bool {
        use ccd_core::bounds::brep_index::Place;
        let near = self.near(p);
        let least = |list: &[(f64, u32)]| list.iter().map(|x| x.0).fold(f64::INFINITY, f64::min);
        let is_clear = |list: &[(f64, u32)]| least(list) > epsilon - band;
        let is_nearest = |list: &[(f64, u32)], number: u32| {
            let own = list.iter().filter(|x| x.1 == number).map(|x| x.0).fold(f64::INFINITY, f64::min);
            own <= epsilon + band && own <= least(list) + band
        };
        match place {
            Place::On(Feature::Vertex(v)) => is_nearest(&near.vertices, v),
            Place::On(Feature::Edge(e)) => is_clear(&near.vertices) && is_nearest(&near.edges, e),
            Place::On(Feature::Face(f)) => {
                is_clear(&near.vertices) && is_clear(&near.edges) && is_nearest(&near.faces, f)
            }
            Place::Inside | Place::Outside => is_clear(&near.faces) && self.is_inside(p) == (place == Place::Inside),
        }
    }

    /// The generalized winding number: the solid angle of the surface over the sphere's (Jacobson et al., 2013), by the
    /// formula of Van Oosterom and Strackee for each triangle.
    pub fn winding(&self, p: &Point) -> f64 {
        let sum: f64 = (0..self.mesh.triangles().len())
            .map(|t| {
                let [a, b, c] = self.mesh.triangle(t).map(|q| q - p);
                let (l, m, n) = (a.norm(), b.norm(), c.norm());
                let det = a.dot(&b.cross(&c));
                2.0 * det.atan2(l * m * n + a.dot(&b) * n + b.dot(&c) * l + c.dot(&a) * m)
            })
            .sum();
        sum / (4.0 * std::f64::consts::PI)
    }
}
