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
//! proportional to the coordinates is taken off); [`Separation::distance`] is the distance of two actual points of them, on
//! a smooth side to about 10⁻¹² of it.
//!
//! **Limits.** Smooth cores (cone, the rims of a cylinder) converge linearly, until the simplex becomes too thin to tell its own normal; a
//! goal that asks for the points, superquadrics, and whatever is not proven to be apart, go on from there (`sharpen`). The side of a cylinder is as exact as its axis (`spine`). The iteration is bounded and both bounds stay valid.
//!
//! **Source.** Gilbert, Johnson and Keerthi (1988); van den Bergen (1999) for the termination by the lower bound.

mod cache;
mod sharpen;
mod spine;
#[cfg(test)]
mod tests;

pub(crate) use cache::PointList;
pub use cache::{GjkCache, VertexList};

use super::simplex::{Candidate, Nearest, SimplexVertex};
use crate::geometry::solid::SupportMap;
use crate::math::{Matrix, Pose, Real, Vector};

/// Rounding of a support evaluation relative to the coordinates in it: two dozen operations, each off by half a unit.
pub(super) const ROUNDING: Real = 48.0 * Real::EPSILON;

/// What ends this many roundings from the origin has lost the way to it …
const LOST: Real = 64.0;
/// … but where a direction is known along which the cores overlap by no more than so many.
const TOUCHING: Real = 4.0;

/// More rounds than any polytope needs; a smooth pair that is not done by then keeps its bounds.
const MAX_ROUNDS: usize = 96;

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

/// When the iteration may end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GjkGoal {
    /// End when the bounds differ by less than this fraction of the distance.
    pub relative: Real,
    /// End when the bounds differ by less than this, metres.
    pub absolute: Real,
    /// End when the lower bound reaches this, metres.
    pub enough: Real,
    /// Whether the nearest points are asked for to nine digits. On a smooth edge or surface the distance, whose error is the square of
    /// theirs, tells of them to six.
    pub points: bool,
}

impl GjkGoal {
    /// The distance as exact as `f64` allows.
    pub const EXACT: Self = Self { relative: 1e-12, absolute: 0.0, enough: Real::INFINITY, points: false };
    /// The nearest points too.
    pub const EXACT_POINTS: Self = Self { points: true, ..Self::EXACT };

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
    let mut run =
        Run { a, b, b_in_a, cache, best_lower: Real::NEG_INFINITY, best_normal: Vector::x(), witness: None, rounds: 0 };
    match run.between_spines(goal) {
        Some(found) => found,
        None => run.go(goal),
    }
}

struct Run<'q, A: ?Sized, B: ?Sized> {
    a: &'q A,
    b: &'q B,
    b_in_a: &'q RelativePose,
    cache: &'q mut GjkCache,
    best_lower: Real,
    best_normal: Vector,
    /// Points of A and B in A's frame that are better witnesses than the simplex's.
    witness: Option<(Vector, Vector)>,
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
                if goal.points {
                    break;
                }
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
        if self.is_lost(v.norm()) {
            return self.overlap();
        }
        let distance = self.sharpen(v.norm(), goal);
        self.apart(distance)
    }

    /// Whether the origin is on the simplex but for rounding, and no direction tells that it is on the boundary: where solids stand
    /// along each other's axes, that is how a deep overlap looks, and the way to the origin is noise.
    fn is_lost(&self, distance: Real) -> bool {
        let simplex = &self.cache.simplex;
        let reach = |v: &SimplexVertex| v.a.amax() + v.b.amax();
        let size = simplex.vertices[..simplex.len].iter().map(reach).fold(0.0, Real::max);
        let rounding = ROUNDING * (size + self.b_in_a.translation.amax());
        distance <= LOST * rounding && self.best_lower < -TOUCHING * rounding
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
        let vertex = SimplexVertex { w, a, b, vertex_a: on_a.vertex, vertex_b: on_b.vertex };
        let lower = self.lower_along(normal, &vertex);
        if lower > self.best_lower {
            self.best_lower = lower;
            self.best_normal = *normal;
        }
        vertex
    }

    /// The gap that is proven by the `vertex` that is foremost along the unit `normal`, metres.
    #[inline]
    fn lower_along(&self, normal: &Vector, vertex: &SimplexVertex) -> Real {
        let size = vertex.a.amax() + vertex.b.amax() + self.b_in_a.translation.amax();
        normal.dot(&vertex.w) - ROUNDING * size
    }

    /// The points that the simplex tells of, in A's frame.
    fn simplex_witnesses(&self) -> (Vector, Vector) {
        let (point_a, local_b) = self.cache.simplex.witnesses();
        (point_a, self.b_in_a.rotation * local_b + self.b_in_a.translation)
    }

    fn finish(&mut self, distance: Real, overlapping: bool) -> Separation {
        let (point_a, point_b) = self.witness.unwrap_or_else(|| self.simplex_witnesses());
        Separation {
            lower: self.best_lower.min(distance),
            distance,
            normal: self.best_normal,
            point_a,
            point_b,
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
