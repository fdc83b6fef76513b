//! Distance of two convex cores by the method of Gilbert, Johnson and Keerthi, with a certificate.
//!
//! **Problem.** The distance of two convex solids, its witness points and direction, warm in a few hundred
//! nanoseconds, and something that is *true* even where rounding stops the iteration early.
//!
//! **Idea.** Walk a simplex of the Minkowski difference B ⊖ A towards the origin. Every support query along a unit
//! direction n proves a gap: no point of A lies further along n than its support point, none of B less far than its own,
//! so `n · (b - a)` is a lower bound of the distance, whatever led to n.
//!
//! **Guarantee.** [`Separation::lower`] never exceeds the true distance of the cores (a rounding allowance
//! proportional to the coordinates is taken off); [`Separation::distance`] is the distance of two actual points of them.
//!
//! **Limits.** Smooth cores (cylinder, cone) converge linearly; where the simplex becomes too thin to tell its own normal, the direction is
//! moved on along what the support points show (Barzilai and Borwein). The iteration is bounded and both bounds stay valid.
//!
//! **Source.** Gilbert, Johnson and Keerthi (1988); van den Bergen (1999) for the termination by the lower bound.

use super::simplex::{Candidate, Nearest, Simplex, SimplexVertex};
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Matrix, Point, Pose, Real, Vector};

/// Rounding of a support evaluation relative to the coordinates in it: two dozen operations, each off by half a unit.
const ROUNDING: Real = 48.0 * Real::EPSILON;

/// More rounds than any polytope needs; a smooth pair that is not done by then keeps its bounds.
const MAX_ROUNDS: usize = 96;

/// Support queries that sharpen the direction of a smooth pair at most.
const SHARPENING: usize = 32;

/// The placement of B in A's frame, with the rotation unrolled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativePose {
    /// Rotation from B's frame into A's.
    pub rotation: Matrix,
    /// B's origin in A's frame, metres.
    pub translation: Vector,
}

impl RelativePose {
    /// From the poses of both in the world.
    pub fn new(pose_a: &Pose, pose_b: &Pose) -> Self {
        let into_a = pose_a.rotation.to_rotation_matrix().into_inner().transpose();
        let rotation_b = pose_b.rotation.to_rotation_matrix().into_inner();
        Self {
            rotation: into_a * rotation_b,
            translation: into_a * (pose_b.translation.vector - pose_a.translation.vector),
        }
    }
}

/// The state of the last query on a pair: where the next one starts. Valid for any later poses of the same two solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GjkCache {
    simplex: Simplex,
    hint_a: u32,
    hint_b: u32,
}

impl Default for GjkCache {
    fn default() -> Self {
        Self { simplex: Simplex::default(), hint_a: SupportPoint::CURVED, hint_b: SupportPoint::CURVED }
    }
}

/// Up to four distinct support vertices.
#[derive(Clone, Copy, Debug, Default)]
pub struct VertexList {
    ids: [u32; 4],
    len: usize,
}

impl VertexList {
    /// The vertices, each once, in ascending order.
    pub fn as_slice(&self) -> &[u32] {
        &self.ids[..self.len]
    }

    fn collect(ids: impl Iterator<Item = u32>) -> Self {
        let mut list = Self::default();
        for id in ids {
            if !list.as_slice().contains(&id) && list.len < 4 {
                list.ids[list.len] = id;
                list.len += 1;
            }
        }
        list.ids[..list.len].sort_unstable();
        list
    }
}

/// Up to four different points.
pub(crate) struct PointList {
    points: [Vector; 4],
    len: usize,
}

impl PointList {
    fn collect(points: impl Iterator<Item = Vector>) -> Self {
        let mut list = Self { points: [Vector::zeros(); 4], len: 0 };
        for p in points {
            if !list.as_slice().contains(&p) && list.len < 4 {
                list.points[list.len] = p;
                list.len += 1;
            }
        }
        list
    }

    pub fn as_slice(&self) -> &[Vector] {
        &self.points[..self.len]
    }
}

impl GjkCache {
    /// The support vertices of A that span the nearest point.
    pub fn vertices_a(&self) -> VertexList {
        VertexList::collect(self.simplex.vertices[..self.simplex.len].iter().map(|v| v.vertex_a))
    }

    /// The support vertices of B that span the nearest point.
    pub fn vertices_b(&self) -> VertexList {
        VertexList::collect(self.simplex.vertices[..self.simplex.len].iter().map(|v| v.vertex_b))
    }

    /// The different points of A's core that span the nearest point, in A's frame.
    pub(crate) fn distinct_a(&self) -> PointList {
        PointList::collect(self.simplex.vertices[..self.simplex.len].iter().map(|v| v.a))
    }

    /// The different points of B's core that span the nearest point, in B's frame.
    pub(crate) fn distinct_b(&self) -> PointList {
        PointList::collect(self.simplex.vertices[..self.simplex.len].iter().map(|v| v.b))
    }

    /// Takes one support point of B as all that is known.
    pub(crate) fn remember_b(&mut self, vertex: u32, point: &Point) {
        self.hint_b = vertex;
        self.simplex.len = 0;
        self.simplex.push(SimplexVertex { b: point.coords, vertex_b: vertex, ..SimplexVertex::default() });
        self.simplex.weights[0] = 1.0;
    }

    /// Where the next climb over A's edges may start.
    pub fn hint_a(&self) -> u32 {
        self.hint_a
    }

    /// Where the next climb over B's edges may start.
    pub fn hint_b(&self) -> u32 {
        self.hint_b
    }
}

/// When the iteration may end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GjkGoal {
    /// End when the bounds differ by less than this fraction of the distance.
    pub relative: Real,
    /// End when the bounds differ by less than this, metres.
    pub absolute: Real,
    /// End when the lower bound reaches this, metres.
    pub enough: Real,
}

impl GjkGoal {
    /// As exact as `f64` allows.
    pub const EXACT: Self = Self { relative: 1e-12, absolute: 0.0, enough: Real::INFINITY };

    fn is_met(&self, distance: Real, lower: Real) -> bool {
        distance - lower <= self.absolute.max(self.relative * distance) || lower >= self.enough
    }
}

/// The distance of two convex cores, without their radii; in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// A proven lower bound of the distance, along `normal`; metres; at or below zero where nothing is proven.
    pub lower: Real,
    /// The distance of the witness points, metres: an upper bound. Zero where the cores overlap.
    pub distance: Real,
    /// Unit, from A to B: the direction in which `lower` holds.
    pub normal: Vector,
    /// A point of A's core.
    pub point_a: Vector,
    /// A point of B's core.
    pub point_b: Vector,
    /// The cores share a point (to within rounding).
    pub overlapping: bool,
    /// Rounds used.
    pub rounds: u32,
}

/// The distance of the cores of `a` and `b` (their radii not yet taken off); see the module.
///
/// Cost: one support query of each solid per round; a warm start on the same features takes one round.
pub fn separation<A, B>(a: &A, b: &B, b_in_a: &RelativePose, cache: &mut GjkCache, goal: &GjkGoal) -> Separation
where
    A: SupportMap + ?Sized,
    B: SupportMap + ?Sized,
{
    let mut run = Run { a, b, b_in_a, cache, best_lower: Real::NEG_INFINITY, best_normal: Vector::x(), rounds: 0 };
    run.go(goal)
}

/// Whether a point of a smooth surface is among those that span the nearest point.
fn vertex_is_curved(simplex: &Simplex) -> bool {
    let curved = |v: &SimplexVertex| v.vertex_a == SupportPoint::CURVED || v.vertex_b == SupportPoint::CURVED;
    simplex.vertices[..simplex.len].iter().any(curved)
}

struct Run<'q, A: ?Sized, B: ?Sized> {
    a: &'q A,
    b: &'q B,
    b_in_a: &'q RelativePose,
    cache: &'q mut GjkCache,
    best_lower: Real,
    best_normal: Vector,
    rounds: u32,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Run<'_, A, B> {
    fn go(&mut self, goal: &GjkGoal) -> Separation {
        let mut v = match self.warm_start() {
            Some(Nearest::Outside(v)) => v,
            // A flat simplex can seem to hold the origin: from other points it will not.
            Some(Nearest::Enclosed) | None => self.cold_start(),
        };
        let mut careful = false;
        loop {
            let distance = v.norm();
            if distance == 0.0 {
                return self.overlap();
            }
            let vertex = self.probe(&(v / distance));
            self.rounds += 1;
            let lower = self.best_lower;
            if goal.is_met(distance, lower) {
                return self.apart(distance);
            }
            if self.cache.simplex.has(&vertex) || self.rounds as usize >= MAX_ROUNDS {
                break;
            }
            self.cache.simplex.push(vertex);
            let comes_nearer = |next: &Candidate| next.v.norm_squared() < v.norm_squared();
            let mut nearest = self.cache.simplex.nearest(careful);
            if !careful && !nearest.as_ref().is_none_or(comes_nearer) {
                // Signs went astray in a degenerate simplex: look at all faces from now on.
                careful = true;
                nearest = self.cache.simplex.nearest(true);
            }
            match nearest {
                // Proven apart already: the enclosure is the rounding of a flat simplex.
                None if self.best_lower > 0.0 => {
                    self.cache.simplex.pop();
                    break;
                }
                None => return self.overlap(),
                Some(next) if !comes_nearer(&next) => {
                    self.cache.simplex.pop();
                    break;
                }
                Some(next) => {
                    self.cache.simplex.keep(&next);
                    v = next.v;
                }
            }
        }
        let distance = if vertex_is_curved(&self.cache.simplex) { self.sharpen(v.norm(), goal) } else { v.norm() };
        self.apart(distance)
    }

    /// Moves the best direction on, from `distance` between the witness points: what the support points of a smooth pair are apart
    /// across it shrinks as it turns by the surfaces' radius of curvature. The distance afterwards.
    fn sharpen(&mut self, mut distance: Real, goal: &GjkGoal) -> Real {
        if self.best_lower <= 0.0 {
            return distance;
        }
        let mut normal = self.best_normal;
        // The last direction and what was across it.
        let mut last: Option<(Vector, Vector)> = None;
        let mut radius = self.a.interior_point().coords.amax().max(self.b_in_a.translation.amax()).max(distance);
        for _ in 0..SHARPENING {
            let vertex = self.probe(&normal);
            self.rounds += 1;
            let length = vertex.w.norm();
            // Both are points of the cores.
            if length > 0.0 && length < distance {
                distance = length;
                self.cache.simplex.len = 0;
                self.cache.simplex.push(vertex);
                self.cache.simplex.weights[0] = 1.0;
            }
            if goal.is_met(distance, self.best_lower) {
                break;
            }
            let across = vertex.w - normal * normal.dot(&vertex.w);
            if let Some((before, was)) = last {
                let moved: Vector = normal - before;
                let shown = -moved.dot(&(across - was)) / moved.norm_squared();
                if shown > 0.0 && shown.is_finite() {
                    radius = shown;
                }
            }
            last = Some((normal, across));
            let step = across / radius;
            if step.norm() <= Real::EPSILON {
                break;
            }
            normal = (normal + step).normalize();
        }
        distance
    }

    /// The cached simplex at the new poses.
    fn warm_start(&mut self) -> Option<Nearest> {
        let simplex = &mut self.cache.simplex;
        if simplex.len == 0 {
            return None;
        }
        for vertex in &mut simplex.vertices[..simplex.len] {
            vertex.w = self.b_in_a.rotation * vertex.b + self.b_in_a.translation - vertex.a;
        }
        // Its points are points of the cores at any pose: the reduction is as good as a new one's, an overlap too.
        Some(simplex.reduce())
    }

    fn cold_start(&mut self) -> Vector {
        let a = self.a.interior_point().coords;
        let b = self.b.interior_point().coords;
        let mut line = self.b_in_a.rotation * b + self.b_in_a.translation - a;
        if line.norm_squared() == 0.0 {
            line = Vector::x();
        }
        let vertex = self.probe(&line.normalize());
        self.rounds += 1;
        self.cache.simplex.len = 0;
        self.cache.simplex.push(vertex);
        self.cache.simplex.weights[0] = 1.0;
        vertex.w
    }

    /// One support query of each solid along the unit `normal`; remembers the best proven gap.
    #[inline]
    fn probe(&mut self, normal: &Vector) -> SimplexVertex {
        let on_a = self.a.support(normal, self.cache.hint_a);
        let into_b = -self.b_in_a.rotation.tr_mul(normal);
        let on_b = self.b.support(&into_b, self.cache.hint_b);
        self.cache.hint_a = on_a.vertex;
        self.cache.hint_b = on_b.vertex;
        let (a, b) = (on_a.point.coords, on_b.point.coords);
        let w = self.b_in_a.rotation * b + self.b_in_a.translation - a;
        let size = a.amax() + b.amax() + self.b_in_a.translation.amax();
        let lower = normal.dot(&w) - ROUNDING * size;
        if lower > self.best_lower {
            self.best_lower = lower;
            self.best_normal = *normal;
        }
        SimplexVertex { w, a, b, vertex_a: on_a.vertex, vertex_b: on_b.vertex }
    }

    fn finish(&mut self, distance: Real, overlapping: bool) -> Separation {
        let (point_a, local_b) = self.cache.simplex.witnesses();
        Separation {
            lower: self.best_lower.min(distance),
            distance,
            normal: self.best_normal,
            point_a,
            point_b: self.b_in_a.rotation * local_b + self.b_in_a.translation,
            overlapping,
            rounds: self.rounds,
        }
    }

    fn apart(&mut self, distance: Real) -> Separation {
        self.finish(distance, false)
    }

    fn overlap(&mut self) -> Separation {
        // The weights of an enclosing simplex are not known: a single vertex is a valid start for the next query.
        if self.cache.simplex.len == 4 {
            self.cache.simplex.len = 1;
            self.cache.simplex.weights[0] = 1.0;
        }
        self.finish(0.0, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitive::{Ball, Cuboid, Cylinder, Triangle};
    use crate::math::Rotation;
    use proptest::prelude::*;

    fn run<A: SupportMap, B: SupportMap>(a: &A, b: &B, pose: &RelativePose) -> Separation {
        separation(a, b, pose, &mut GjkCache::default(), &GjkGoal::EXACT)
    }

    fn placed(x: Real, y: Real, z: Real, turn: [Real; 3]) -> RelativePose {
        RelativePose {
            rotation: Rotation::from_scaled_axis(Vector::from(turn)).to_rotation_matrix().into_inner(),
            translation: Vector::new(x, y, z),
        }
    }

    #[test]
    fn boxes_face_to_face_are_exactly_their_gap_apart_down_to_a_nanometre() {
        let cube = Cuboid::try_new([0.5, 0.5, 0.5]).unwrap();
        for gap in [3.0, 1e-3, 1e-6, 1e-9] {
            let s = run(&cube, &cube, &placed(0.1, -1.0 - gap, 0.2, [0.0; 3]));
            assert!((s.distance - gap).abs() < 1e-14, "{gap}: {s:?}");
            assert!(s.distance - s.lower < 1e-13, "{gap}: {s:?}");
            assert!((s.normal + Vector::y()).norm() < 1e-9, "{gap}: {s:?}");
        }
    }

    #[test]
    fn crossing_edges_are_apart_by_the_length_of_their_common_perpendicular() {
        let cube = Cuboid::try_new([1.0, 1.0, 1.0]).unwrap();
        let quarter = std::f64::consts::FRAC_PI_4;
        // A stands on an edge along z after the turn of B; B lies with an edge along x.
        let one = Rotation::from_scaled_axis(Vector::new(0.0, 0.0, quarter));
        let other = Rotation::from_scaled_axis(Vector::new(quarter, 0.0, 0.0));
        let gap = 1e-7;
        let height = 2.0 * 2.0_f64.sqrt() + gap;
        let a = Pose::from_parts(Vector::zeros().into(), one);
        let b = Pose::from_parts(Vector::new(0.0, height, 0.0).into(), other);
        let s = run(&cube, &cube, &RelativePose::new(&a, &b));
        assert!((s.distance - gap).abs() < 1e-14 && s.distance - s.lower < 1e-13, "{s:?}");
        assert!(((one * s.normal) - Vector::y()).norm() < 1e-8, "{s:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The bounds hold the distance between them, and meet; checked against the triangle pairs' closed form.
        #[test]
        fn two_triangles_get_bounds_that_meet_whatever_their_form(
            p in prop::array::uniform6(prop::array::uniform3(-1.0..1.0_f64)), flat in 0..3_usize, scale in -6..=3_i32, away in 0.0..3.0_f64,
        ) {
            let scale = 10.0_f64.powi(scale);
            let mut p = p.map(|q| Point::from(q) * scale);
            if flat == 1 { p[2] = nalgebra::center(&p[0], &p[1]) + Vector::repeat(1e-9 * scale); }
            if flat == 2 { for q in &mut p { q.y = 0.25 * scale; } }
            for q in &mut p[3..] { q.x += away * scale; }
            let (a, b) = (Triangle::new([p[0], p[1], p[2]]), Triangle::new([p[3], p[4], p[5]]));
            let s = run(&a, &b, &placed(0.0, 0.0, 0.0, [0.0; 3]));
            let truth = sampled_distance(&p, &s);
            prop_assert!(s.lower <= truth * (1.0 + 1e-12), "lower bound {} above {}", s.lower, truth);
            if !s.overlapping {
                prop_assert!(s.distance - s.lower <= 1e-9 * scale, "{:?}", s);
                prop_assert!(((s.point_b - s.point_a).norm() - s.distance).abs() <= 1e-12 * (scale + s.distance), "{:?}", s);
            }
        }

        #[test]
        fn a_warm_start_finds_what_a_cold_start_finds(
            turn in prop::array::uniform3(-3.0..3.0_f64), step in prop::array::uniform3(-0.02..0.02_f64), x in 2.0..4.0_f64,
        ) {
            let (a, b) = (Cuboid::try_new([0.5, 0.3, 0.2]).unwrap(), Cylinder::try_new(0.4, 0.7).unwrap());
            let mut cache = GjkCache::default();
            let goal = GjkGoal { relative: 1e-9, ..GjkGoal::EXACT };
            for i in 0..10 {
                let k = Real::from(i);
                let pose = placed(x, 0.1 * k, 0.0, [turn[0] + k * step[0], turn[1] + k * step[1], turn[2] + k * step[2]]);
                let warm = separation(&a, &b, &pose, &mut cache, &goal);
                let cold = separation(&a, &b, &pose, &mut GjkCache::default(), &goal);
                prop_assert!((warm.distance - cold.distance).abs() < 1e-7, "{warm:?} {cold:?}");
                prop_assert!(warm.distance - warm.lower < 1e-6 && warm.lower <= cold.distance + 1e-15, "{warm:?}");
            }
        }
    }

    /// The least distance over a grid of both triangles and the answer's own witness points: an upper bound of the truth.
    fn sampled_distance(p: &[Point; 6], s: &Separation) -> Real {
        const N: u32 = 12;
        let grid = |q: &[Point]| -> Vec<Point> {
            let mut out = Vec::new();
            for i in 0..=N {
                for j in 0..=N - i {
                    let (u, v) = (Real::from(i) / Real::from(N), Real::from(j) / Real::from(N));
                    out.push(q[0] + (q[1] - q[0]) * u + (q[2] - q[0]) * v);
                }
            }
            out
        };
        let (a, b) = (grid(&p[..3]), grid(&p[3..]));
        a.iter().flat_map(|x| b.iter().map(move |y| (x - y).norm())).fold(s.distance, Real::min)
    }

    #[test]
    fn coincident_points_and_crossing_boxes_overlap() {
        let ball = Ball::try_new(0.5).unwrap();
        assert!(run(&ball, &ball, &placed(0.0, 0.0, 0.0, [0.0; 3])).overlapping);
        let cube = Cuboid::try_new([0.5, 0.5, 0.5]).unwrap();
        assert!(run(&cube, &cube, &placed(0.9, 0.1, 0.3, [0.3, 0.2, 0.1])).overlapping);
    }
}
