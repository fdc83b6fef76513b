//! The point of a simplex that is nearest to the origin: the inner step of [`super::gjk`].
//!
//! The idea of the signed-volumes method (Montanari, Petrinic and Barbieri, 2017), that a sub-simplex is judged by
//! signs and never by small quotients, with two additions that keep the answer usable where a distance is many orders
//! below the solids' size: on a face the nearest vector is taken along the face's cross product, and on an edge it is
//! made orthogonal to the edge, so that its *direction* is as good as the features', however short it is.

use crate::math::{Real, Vector};

/// One vertex of the simplex: a point of B less a point of A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SimplexVertex {
    /// `b - a`, in A's frame.
    pub w: Vector,
    /// The point of A's core, in A's frame.
    pub a: Vector,
    /// The point of B's core, in B's frame.
    pub b: Vector,
    /// The support vertex of A.
    pub vertex_a: u32,
    /// The support vertex of B.
    pub vertex_b: u32,
}

/// One to four vertices with the barycentric weights of the point nearest to the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Simplex {
    pub vertices: [SimplexVertex; 4],
    pub weights: [Real; 4],
    pub len: usize,
}

/// What a reduction found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Nearest {
    /// The vector from the origin to the nearest point of the simplex, now reduced to the face that holds it.
    Outside(Vector),
    /// The tetrahedron holds the origin.
    Enclosed,
}

/// A face of a simplex: the vector from the origin to its nearest point, and vertex indices with weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub v: Vector,
    picks: [u8; 3],
    weights: [Real; 3],
    len: usize,
}

impl Simplex {
    /// Appends a vertex; the simplex must have been reduced before, so that there is room.
    #[inline]
    pub fn push(&mut self, vertex: SimplexVertex) {
        self.vertices[self.len & 3] = vertex;
        self.len += 1;
    }

    /// Whether the simplex already has this support vertex pair or point.
    #[inline]
    pub fn has(&self, vertex: &SimplexVertex) -> bool {
        self.vertices[..self.len].iter().any(|v| v.w == vertex.w)
    }

    /// Takes the vertex back that was appended last, before the simplex was reduced.
    #[inline]
    pub fn pop(&mut self) {
        self.len -= 1;
    }

    /// Reduces the simplex to the face whose interior holds the point nearest to the origin.
    #[inline]
    pub fn reduce(&mut self) -> Nearest {
        match self.nearest(false) {
            Some(candidate) => {
                self.keep(&candidate);
                Nearest::Outside(candidate.v)
            }
            None => Nearest::Enclosed,
        }
    }

    /// The face whose interior holds the point nearest to the origin; `None` where the tetrahedron holds the origin.
    ///
    /// `careful` tries every face instead of deciding by signs: slower, for the case that rounding led the signs astray.
    #[inline]
    pub fn nearest(&self, careful: bool) -> Option<Candidate> {
        let w = |i: usize| &self.vertices[i].w;
        match self.len {
            1 => Some(on_vertex(w(0), 0)),
            2 => Some(on_segment(w(0), w(1), 0, 1)),
            3 => Some(on_triangle(w(0), w(1), w(2), [0, 1, 2], careful)),
            _ => self.on_tetrahedron(careful),
        }
    }

    /// Reduces the simplex to a face of it.
    #[inline]
    pub fn keep(&mut self, candidate: &Candidate) {
        // The picks ascend, so copying downwards never overwrites what is still needed.
        for slot in 0..candidate.len {
            self.vertices[slot] = self.vertices[candidate.picks[slot] as usize];
            self.weights[slot] = candidate.weights[slot];
        }
        self.len = candidate.len;
    }

    fn on_tetrahedron(&self, careful: bool) -> Option<Candidate> {
        const FACES: [([u8; 3], usize); 4] = [([1, 2, 3], 0), ([0, 2, 3], 1), ([0, 1, 3], 2), ([0, 1, 2], 3)];
        // The square of the share of a product's factors that may be rounding.
        const DOUBT: Real = 1e-28;
        let mut best: Option<Candidate> = None;
        let mut least = Real::INFINITY;
        let mut is_flat = false;
        for (face, opposite) in FACES {
            if opposite == 3 && !careful && !is_flat && best.is_some() {
                // The vertex that came last lies on the origin's side of the face that was nearest before it: no nearer one.
                break;
            }
            let [p, q, r] = face.map(|i| &self.vertices[i as usize].w);
            let (pq, pr) = (q - p, r - p);
            let normal = pq.cross(&pr);
            let side_of_origin = -normal.dot(p);
            let to_opposite = self.vertices[opposite].w - p;
            let side_of_vertex = normal.dot(&to_opposite);
            // A flat tetrahedron has no inside: all its faces are candidates. So are faces whose signs may be rounding, which
            // is measured against the edges: a sliver's own normal is noise.
            let edges = DOUBT * (pq.norm_squared() * pr.norm_squared());
            let flat = side_of_vertex * side_of_vertex <= edges * to_opposite.norm_squared()
                || side_of_origin * side_of_origin <= edges * p.norm_squared();
            is_flat |= flat;
            if careful || flat || side_of_origin * side_of_vertex <= 0.0 {
                let candidate = on_face([p, q, r], (&pq, &pr), &normal, face, careful);
                let squared = candidate.v.norm_squared();
                if best.is_none() || squared < least {
                    (best, least) = (Some(candidate), squared);
                }
            }
        }
        if careful && best.is_some() && self.holds_origin() { None } else { best }
    }

    /// Whether the origin lies inside the tetrahedron, by four signs.
    fn holds_origin(&self) -> bool {
        let w: [Vector; 4] = std::array::from_fn(|i| self.vertices[i].w);
        let side = |p: &Vector, q: &Vector, r: &Vector, s: &Vector| {
            let normal = (q - p).cross(&(r - p));
            -normal.dot(p) * normal.dot(&(s - p)) > 0.0
        };
        side(&w[0], &w[1], &w[2], &w[3])
            && side(&w[0], &w[1], &w[3], &w[2])
            && side(&w[0], &w[2], &w[3], &w[1])
            && side(&w[1], &w[2], &w[3], &w[0])
    }

    /// The witness points: on A in A's frame, and on B in B's frame.
    pub fn witnesses(&self) -> (Vector, Vector) {
        let mut a = Vector::zeros();
        let mut b = Vector::zeros();
        for i in 0..self.len {
            a += self.vertices[i].a * self.weights[i];
            b += self.vertices[i].b * self.weights[i];
        }
        (a, b)
    }
}

#[inline]
fn on_vertex(p: &Vector, i: u8) -> Candidate {
    Candidate { v: *p, picks: [i, 0, 0], weights: [1.0, 0.0, 0.0], len: 1 }
}

#[inline]
fn on_segment(p: &Vector, q: &Vector, i: u8, j: u8) -> Candidate {
    let edge = q - p;
    let along = -p.dot(&edge);
    let length_squared = edge.norm_squared();
    if along <= 0.0 {
        on_vertex(p, i)
    } else if along >= length_squared {
        on_vertex(q, j)
    } else {
        inside_segment(p, &edge, along / length_squared, length_squared, i, j)
    }
}

#[inline]
fn inside_segment(p: &Vector, edge: &Vector, t: Real, length_squared: Real, i: u8, j: u8) -> Candidate {
    let v = p + edge * t;
    // Once more orthogonal: the direction of a short v is otherwise rounding noise along a long edge.
    let v = v - edge * (v.dot(edge) / length_squared);
    Candidate { v, picks: [i, j, 0], weights: [1.0 - t, t, 0.0], len: 2 }
}

/// The nearest point of the triangle `pqr` with vertex numbers `ids`, ascending.
#[inline]
fn on_triangle(p: &Vector, q: &Vector, r: &Vector, ids: [u8; 3], careful: bool) -> Candidate {
    let (pq, pr) = (q - p, r - p);
    on_face([p, q, r], (&pq, &pr), &pq.cross(&pr), ids, careful)
}

/// [`on_triangle`] where the edges from `p` and their cross product are known.
#[inline]
fn on_face(
    [p, q, r]: [&Vector; 3],
    (pq, pr): (&Vector, &Vector),
    normal: &Vector,
    ids: [u8; 3],
    careful: bool,
) -> Candidate {
    let normal_squared = normal.norm_squared();
    // Weights by signed areas seen along the normal, each from an edge, which loses least when the origin is far away.
    let weight_p = q.cross(&(r - q)).dot(normal);
    let weight_q = pr.cross(p).dot(normal);
    let weight_r = p.cross(pq).dot(normal);
    // A sliver's normal is noise: its edges then hold the nearest point to within rounding.
    const SLIVER: Real = 1e-20;
    let is_face = normal_squared > SLIVER * pq.norm_squared() * pr.norm_squared();
    if is_face && weight_p > 0.0 && weight_q > 0.0 && weight_r > 0.0 {
        let v = normal * (normal.dot(p) / normal_squared);
        let sum = weight_p + weight_q + weight_r;
        let weights = [weight_p / sum, weight_q / sum, weight_r / sum];
        return Candidate { v, picks: ids, weights, len: 3 };
    }
    // Only edges that the origin is outside of can hold the nearest point.
    let all = careful || !is_face;
    let mut best: Option<Candidate> = None;
    let mut least = Real::INFINITY;
    let mut offer = |candidate: Candidate| {
        let squared = candidate.v.norm_squared();
        if best.is_none() || squared < least {
            (best, least) = (Some(candidate), squared);
        }
    };
    if all || weight_r <= 0.0 {
        offer(on_segment(p, q, ids[0], ids[1]));
    }
    if all || weight_q <= 0.0 {
        offer(on_segment(p, r, ids[0], ids[2]));
    }
    if all || weight_p <= 0.0 {
        offer(on_segment(q, r, ids[1], ids[2]));
    }
    best.unwrap_or_else(|| on_vertex(p, ids[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simplex(points: &[[Real; 3]]) -> Simplex {
        let mut s = Simplex::default();
        for p in points {
            s.push(SimplexVertex { w: Vector::from(*p), ..Default::default() });
        }
        s
    }

    #[test]
    fn a_tetrahedron_around_the_origin_encloses_it_and_one_beside_it_does_not() {
        let around = [[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0]];
        assert_eq!(simplex(&around).reduce(), Nearest::Enclosed);
        assert!(simplex(&around).nearest(true).is_none());
        let beside = around.map(|[x, y, z]| [x + 5.0, y, z]);
        let mut s = simplex(&beside);
        assert!(matches!(s.reduce(), Nearest::Outside(v) if (v - Vector::new(4.0, 0.0, 0.0)).norm() < 1e-12));
        assert_eq!(s.len, 2);
    }

    #[test]
    fn a_flat_tetrahedron_answers_with_the_nearest_of_its_faces() {
        let flat = [[1.0, -1.0, 2.0], [1.0, 1.0, 2.0], [-1.0, 1.0, 2.0], [-1.0, -1.0, 2.0]];
        let nearest = simplex(&flat).reduce();
        assert!(matches!(nearest, Nearest::Outside(v) if (v - Vector::new(0.0, 0.0, 2.0)).norm() < 1e-14));
    }
}
