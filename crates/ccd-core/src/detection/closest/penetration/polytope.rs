//! A polytope of support points that grows until its nearest face lies on the boundary.
//!
//! **Idea.** The face nearest to the origin is asked for what lies beyond it. A vertex that does takes the place of all faces that it is
//! outside of, which hang together.
//! **Guarantee.** Whether a vertex is outside of a face is decided exactly, so that the faces are those of a convex polytope and close it at
//! every step, however thin they are. What rounding takes from a face is its direction, and then its neighbours are as near.
//! **Source.** van den Bergen (2001); Shewchuk (1997) for the signs.

use std::cmp::Reverse;

use robust::orient3d;

use super::{Difference, Penetration, Vertex};
use crate::detection::closest::simplex::{Simplex, SimplexVertex};
use crate::detection::queue::{Queue, Ranked};
use crate::geometry::mesh::triangle::coord;
use crate::geometry::solid::SupportPoint;
use crate::math::{Point, Real, Vector};

/// Growing ends when the boundary is no further than this beyond the nearest face, relative to the size of the solids: of polytopes …
const PRECISION: Real = 1e-13;
/// … and of what has round parts.
const ROUND_PRECISION: Real = 1e-11;
/// Growing steps of polytopes: more than differences of solids of a few thousand vertices have faces.
const MAX_STEPS: usize = 1 << 15;
/// Growing steps of round solids, after which only the surroundings of the best direction are refined …
const MAX_ROUND_STEPS: usize = 256;
/// … in so many more.
const MAX_LOCAL_STEPS: usize = 128;
/// Faces whose planes differ by less than this, relative to the size, may be parts of one.
const ALIKE: Real = 1e-9;

#[derive(Clone, Copy)]
struct Face {
    corners: [u32; 3],
    /// The faces across the sides: the first is that from the first corner to the second.
    beside: [u32; 3],
    /// Outward, unit; zero where the face is too thin to have one.
    normal: Vector,
    /// The signed distance of its plane from the origin.
    distance: Real,
    is_part: bool,
}

/// A face that waits for a look at what is beyond.
struct Waiting(u32);

impl Ranked for Waiting {
    type Rank = Reverse<u32>;

    fn rank(&self) -> Self::Rank {
        Reverse(self.0)
    }
}

/// Where the boundary is along the normal of a face.
#[derive(Clone, Copy)]
struct Known {
    boundary: Real,
    face: Face,
    is_settled: bool,
}

pub(super) struct Polytope {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    /// By their distances.
    waiting: Queue<Waiting>,
    scale: Real,
    is_round: bool,
    /// What a step uses: the faces that go, and the new face at each vertex of the rim that they leave.
    seen: Vec<u32>,
    begun: Vec<u32>,
}

impl Polytope {
    /// A tetrahedron, however its corners are ordered; `None` if it is flat.
    pub fn new(corners: [Vertex; 4], scale: Real) -> Option<Self> {
        let [p, q, r, s] = corners.map(|v| coord(Point::from(v.w)));
        let side = orient3d(p, q, r, s);
        if side == 0.0 {
            return None;
        }
        let mut polytope = Self {
            vertices: Vec::with_capacity(32),
            faces: Vec::with_capacity(96),
            waiting: Queue::with_capacity(96),
            scale,
            is_round: false,
            seen: Vec::new(),
            begun: Vec::with_capacity(32),
        };
        let [first, second, third, top] = corners;
        let base = if side > 0.0 { [first, second, third] } else { [first, third, second] };
        for vertex in base.into_iter().chain([top]) {
            polytope.push_vertex(vertex);
        }
        // Seen from outside, the sides run to the left: the last corner is under the first face.
        for (corners, beside) in
            [([0, 1, 2], [1, 2, 3]), ([1, 0, 3], [0, 3, 2]), ([2, 1, 3], [0, 1, 3]), ([0, 2, 3], [0, 2, 1])]
        {
            polytope.push_face(corners, beside);
        }
        Some(polytope)
    }

    /// The overlap, or `None` if a direction is found along which the two are apart.
    pub fn grow(mut self, difference: &Difference<'_>) -> Option<Penetration> {
        let mut best: Option<Known> = None;
        let mut steps = 0;
        while let Some(number) = self.next() {
            let (known, vertex) = self.look_beyond(number, difference);
            if known.boundary + difference.radius < -difference.gap {
                return None;
            }
            if best.is_none_or(|b| known.boundary < b.boundary || known.is_settled) {
                best = Some(known);
            }
            if known.is_settled || steps >= if self.is_round { MAX_ROUND_STEPS } else { MAX_STEPS } {
                break;
            }
            // A face with nothing outside is one of the boundary, but for its direction.
            steps += usize::from(self.insert(number, vertex));
        }
        let mut best = best?;
        if !best.is_settled {
            best = self.refine_around(best, difference);
        }
        self.answer(&best, difference)
    }

    /// The nearest face that is left.
    fn next(&mut self) -> Option<u32> {
        std::iter::from_fn(|| self.waiting.pop()).map(|(_, Waiting(n))| n).find(|n| self.faces[*n as usize].is_part)
    }

    fn look_beyond(&mut self, number: u32, difference: &Difference<'_>) -> (Known, Vertex) {
        let face = self.faces[number as usize];
        let vertex = difference.support(&face.normal);
        // Support points of round solids may be a little inside: the face's own corners count, too.
        let boundary = vertex.w.dot(&face.normal).max(face.distance);
        self.is_round |= is_round(&vertex);
        let precision = if self.is_round { ROUND_PRECISION } else { PRECISION };
        (Known { boundary, face, is_settled: boundary - face.distance <= precision * self.scale }, vertex)
    }

    /// Grows on where the best direction is, which where many are all but as good is not to be found by going to the nearest face of all.
    fn refine_around(&mut self, mut best: Known, difference: &Difference<'_>) -> Known {
        let mut next = self.pierced(&best.face.normal, 0);
        let mut first = self.faces.len();
        for _ in 0..MAX_LOCAL_STEPS {
            let Some((number, _)) = next else { break };
            let (known, vertex) = self.look_beyond(number as u32, difference);
            // The points of a settled face are better by more than its boundary may be worse.
            let allowed = if known.is_settled { ALIKE * self.scale } else { 0.0 };
            if known.boundary < best.boundary + allowed {
                best = known;
            }
            if known.is_settled {
                break;
            }
            let added = self.faces.len();
            if self.insert(number as u32, vertex) {
                first = added;
            } else {
                // It is one of the boundary, but for its direction.
                self.faces[number].distance = Real::INFINITY;
            }
            next = self.pierced(&best.face.normal, first);
        }
        best
    }

    /// The face that a ray from the origin leaves through, of those from the `first` on, and where.
    fn pierced(&self, direction: &Vector, first: usize) -> Option<(usize, Vector)> {
        let mut best: Option<(Real, usize, Vector)> = None;
        for (number, face) in self.faces.iter().enumerate().skip(first) {
            let slope = face.normal.dot(direction);
            if face.is_part && face.distance.is_finite() && slope > 1e-3 {
                let place = direction * (face.distance / slope);
                let least = self.least_weight(face, &place);
                if best.is_none_or(|(most, ..)| least > most) {
                    best = Some((least, number, place));
                }
            }
        }
        best.map(|(_, number, place)| (number, place))
    }

    fn push_vertex(&mut self, vertex: Vertex) {
        self.is_round |= is_round(&vertex);
        self.vertices.push(vertex);
        self.begun.push(0);
    }

    /// Adds an outward face; one that is too thin to have a direction is never the next, its neighbours are as near.
    fn push_face(&mut self, corners: [u32; 3], beside: [u32; 3]) {
        let [p, q, r] = corners.map(|i| self.vertices[i as usize].w);
        let cross = (q - p).cross(&(r - p));
        let mut face = Face { corners, beside, normal: Vector::zeros(), distance: Real::INFINITY, is_part: true };
        if let Some(normal) = cross.try_normalize(1e-14 * self.scale * self.scale) {
            // The plane through the corner nearest to the origin has the least rounding.
            face.distance = normal.dot(&p).max(normal.dot(&q)).max(normal.dot(&r));
            face.normal = normal;
            self.waiting.push(face.distance, Waiting(self.faces.len() as u32));
        }
        self.faces.push(face);
    }

    fn is_outside(&self, face: &Face, place: &Vector) -> bool {
        let [p, q, r] = face.corners.map(|i| coord(Point::from(self.vertices[i as usize].w)));
        orient3d(p, q, r, coord(Point::from(*place))) < 0.0
    }

    /// Adds a vertex in the place of the faces that it is outside of; `false` if it is not outside of this one.
    fn insert(&mut self, number: u32, vertex: Vertex) -> bool {
        if !self.is_outside(&self.faces[number as usize], &vertex.w) {
            return false;
        }
        let (new, first) = (self.vertices.len() as u32, self.faces.len() as u32);
        self.push_vertex(vertex);
        self.seen.clear();
        self.seen.push(number);
        self.faces[number as usize].is_part = false;
        let mut at = 0;
        while at < self.seen.len() {
            let face = self.faces[self.seen[at] as usize];
            at += 1;
            for k in 0..3 {
                let across = face.beside[k];
                let other = self.faces[across as usize];
                if !other.is_part {
                    continue;
                }
                if self.is_outside(&other, &vertex.w) {
                    self.faces[across as usize].is_part = false;
                    self.seen.push(across);
                    continue;
                }
                let (from, to) = (face.corners[k], face.corners[(k + 1) % 3]);
                let added = self.faces.len() as u32;
                self.push_face([from, to, new], [across, 0, 0]);
                self.begun[from as usize] = added;
                if let Some(side) = other.corners.iter().position(|&c| c == to) {
                    self.faces[across as usize].beside[side] = added;
                }
            }
        }
        for added in first..self.faces.len() as u32 {
            let next = self.begun[self.faces[added as usize].corners[1] as usize];
            self.faces[added as usize].beside[1] = next;
            self.faces[next as usize].beside[2] = added;
        }
        true
    }

    fn answer(&self, known: &Known, difference: &Difference<'_>) -> Option<Penetration> {
        let foot = known.face.normal * known.boundary;
        let of = |face: &Face| {
            let corners = face.corners.map(|i| self.vertices[i as usize]);
            let mut simplex = Simplex { len: 3, ..Simplex::default() };
            for (corner, v) in simplex.vertices.iter_mut().zip(corners) {
                *corner = SimplexVertex { w: v.w - foot, a: v.a, b: v.b, ..SimplexVertex::default() };
            }
            let nearest = simplex.nearest(true)?;
            simplex.keep(&nearest);
            Some((nearest.v.norm_squared(), simplex.witnesses(), corners.map(|v| v.ids)))
        };
        // The face may be none of the boundary, or one of many that a side is made of, some too thin to have a direction: the points are those of
        // the place of the polytope that is nearest to where the way out ends.
        let is_over = known.is_settled && self.least_weight(&known.face, &foot) >= 0.0;
        let of_all = || {
            let parts = self.faces.iter().filter(|face| face.is_part);
            parts.filter_map(of).min_by(|p, q| p.0.total_cmp(&q.0))
        };
        let nearest = if is_over { None } else { of_all() };
        let (_, (a, b), ids) = nearest.or_else(|| of(&known.face))?;
        difference.answer(known.face.normal, known.boundary, a, b, ids)
    }

    fn least_weight(&self, face: &Face, place: &Vector) -> Real {
        self.weights(face, place).into_iter().fold(Real::INFINITY, Real::min)
    }

    /// The barycentric weights of a place on a face's plane.
    fn weights(&self, face: &Face, place: &Vector) -> [Real; 3] {
        let [p, q, r] = face.corners.map(|i| self.vertices[i as usize].w - place);
        let weights = [q.cross(&r), r.cross(&p), p.cross(&q)].map(|cross| cross.dot(&face.normal));
        let total: Real = weights.iter().sum();
        weights.map(|w| w / total)
    }
}

fn is_round(vertex: &Vertex) -> bool {
    SupportPoint::is_curved(vertex.ids.0) || SupportPoint::is_curved(vertex.ids.1)
}
