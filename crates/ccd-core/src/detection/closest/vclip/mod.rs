//! V-Clip: the closest features of two convex polyhedra, by a walk from feature to neighbouring feature.
//!
//! **Problem.** The pair of features that is closest, warm in constant time for any number of vertices, in every degenerate
//! placement, without a tolerance and without ever going in a circle.
//!
//! **Idea.** A pair of features is closest when the closest point of each lies in the Voronoi region of the other (Theorem
//! 1). Whether it does is decided by signs alone: an edge is clipped to a region, and the slope of the distance where it
//! enters and leaves tells on which side the nearest point is, without computing it. If it does not, the feature over which
//! it lies outside takes the old one's place.
//!
//! ```text
//!        ┌────── V-V ──────┐        ──  every step to the right or down gets nearer or
//!        V-E ◄───────────► E-E          stays as near on the way to fewer dimensions
//!        └─► V-F ◄──► E-F ─┘        E-F ends only where the edge pierces the face
//! ```
//!
//! **Guarantee.** Every sign that a step depends on is certain: computed in `f64` against a proven bound of its rounding, in
//! doubt in twice the digits, and in doubt then in integers. So the walk is that of the exact theory for the polyhedra and
//! the placement as their numbers stand: each step gets strictly nearer, or stays as near with less dimension, and the walk
//! ends. Where the polyhedra touch or overlap the answer says so and names the features by which it was seen.
//!
//! **Limits.** Placements in which signs are exactly zero (faces exactly parallel, features just switching) cost
//! microseconds instead of nanoseconds.
//!
//! **Source.** Mirtich, *Rigid Body Contact*, section 2; errata E18 (the other states, the local minimum, the pierced face)
//! and E26 (parallel edges, line 17). Two departures. The local minimum goes on to the *nearest* face that sees the vertex,
//! which makes that step strictly nearer; and an edge beside a face goes on to the side of the face that is nearest to it,
//! for the same reason.

mod certain;
mod clip;
mod fast;
mod length;
mod measure;
mod numbers;
mod states;

use super::gjk::RelativePose;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::polyhedron::{ConvexPolyhedron, VoronoiBoundary};
use crate::geometry::solid::SupportMap;
use crate::math::{Bounded, Exact, Point, Real, Vector};
use certain::Scene;
use states::States;

/// Where the walk of the last query on a pair ended, and the next one starts. Valid for any placement of the same two
/// polyhedra.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeatureMemory {
    last: Option<FeaturePair>,
}

impl FeatureMemory {
    /// As if the last query had ended at the vertices that look away from each other: the walk from there goes over both polyhedra.
    pub fn far_sides(a: &ConvexPolyhedron, b: &ConvexPolyhedron, b_in_a: &RelativePose) -> Self {
        Self { last: Some(vertices_along(a, b, b_in_a, -1.0)) }
    }
}

/// What a walk found, in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestFeatures {
    /// The features of the polyhedra. Where they overlap: those by which it was seen, a vertex inside and a face, or an edge
    /// and the face that it pierces.
    pub features: FeaturePair,
    /// Metres; zero where the polyhedra touch or overlap. Relative error at most 1e-12.
    pub distance: Real,
    /// The closest point of A.
    pub point_a: Point,
    /// The closest point of B.
    pub point_b: Point,
    /// Unit, from A to B; zero where they overlap.
    pub normal: Vector,
    /// They have a point in common.
    pub overlapping: bool,
    /// Steps of the walk, the last one included.
    pub steps: u32,
    /// How many of them `f64` could not decide.
    pub careful_steps: u32,
}

/// A step of a walk, for those who want to see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkStep {
    /// The features of the triangulated boundaries ([`VoronoiBoundary`]) at which it stands.
    pub features: FeaturePair,
    /// The same as the polyhedra name them.
    pub named: FeaturePair,
    /// Whether `f64` was enough to decide what comes next.
    pub careful: bool,
}

/// Someone who watches a walk. The unit type does not, and costs nothing.
pub trait WalkTrace {
    /// Called for every pair of features that the walk visits, in order.
    fn visit(&mut self, step: &WalkStep);
    /// Whether anybody watches.
    const WATCHES: bool = true;
}

impl WalkTrace for () {
    const WATCHES: bool = false;
    #[inline]
    fn visit(&mut self, _: &WalkStep) {}
}

impl WalkTrace for Vec<WalkStep> {
    fn visit(&mut self, step: &WalkStep) {
        self.push(*step);
    }
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Apart,
    Overlap,
}

/// What follows a pair of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    To(FeaturePair),
    Done(Found),
    /// They overlap, which these features show.
    Overlap(FeaturePair),
}

/// The pair of a feature of `side` and one of the other side.
#[inline]
fn pair(side: usize, own: Feature, other: Feature) -> FeaturePair {
    if side == 0 { FeaturePair { a: own, b: other } } else { FeaturePair { a: other, b: own } }
}

/// Two boundaries in their placement, and what rounding may do to a distance between them.
struct Query<'q> {
    sides: [&'q VoronoiBoundary; 2],
    placement: &'q RelativePose,
    /// No place of either body is further from the other's origin, metres.
    size: Real,
    /// No height of a point over a plane is off by more, metres.
    doubt: Real,
    /// No cosine of a stored direction with a turned one is off by more.
    unit_doubt: Real,
}

impl<'q> Query<'q> {
    #[inline]
    fn new(a: &'q VoronoiBoundary, b: &'q VoronoiBoundary, placement: &'q RelativePose) -> Self {
        let r = &placement.rotation;
        // How far the matrix is from a rotation: then the way back by its transpose is off, too.
        let (x, y, z) = (r.column(0), r.column(1), r.column(2));
        let lengths = (x.norm_squared() - 1.0).abs() + (y.norm_squared() - 1.0).abs() + (z.norm_squared() - 1.0).abs();
        let angles = x.dot(&y).abs() + y.dot(&z).abs() + z.dot(&x).abs();
        let size = a.reach() + b.reach() + placement.translation.norm();
        // Bringing a point across takes six roundings of a coordinate, the height of it over a plane some ten more; the
        // plane's normal and offset have had theirs. All lie below a dozen and a half of the size.
        let unit_doubt = 32.0 * Real::EPSILON + a.slant().max(b.slant()) + 4.0 * (lengths + 2.0 * angles);
        Self { sides: [a, b], placement, size, doubt: unit_doubt * size, unit_doubt }
    }

    /// A vertex in its own frame.
    #[inline]
    fn place(&self, side: usize, vertex: u32) -> Vector {
        self.sides[side].vertices[vertex as usize].coords
    }

    /// A vertex of `side` in the other side's frame.
    #[inline]
    fn brought(&self, side: usize, vertex: u32) -> Vector {
        let p = self.place(side, vertex);
        if side == 1 {
            self.placement.rotation * p + self.placement.translation
        } else {
            self.placement.rotation.tr_mul(&(p - self.placement.translation))
        }
    }

    /// A direction of `side` in the other side's frame.
    #[inline]
    fn turned(&self, side: usize, direction: &Vector) -> Vector {
        let r = &self.placement.rotation;
        if side == 1 { r * direction } else { r.tr_mul(direction) }
    }

    /// The faces of the other side that may see a place of `side` (A's frame), the nearest first, and whether they certainly
    /// see it.
    fn faces_by_distance(&self, side: usize, place: &Vector) -> Vec<(u32, bool)> {
        let boundary = self.sides[1 - side];
        let p = if side == 1 { *place } else { self.placement.rotation.tr_mul(&(place - self.placement.translation)) };
        let mut list: Vec<(Real, u32, bool)> = (0..boundary.faces.len() as u32)
            .filter_map(|f| {
                let height = boundary.faces[f as usize].region.heights(&p)[3];
                let possible = height >= -self.doubt;
                possible.then(|| (boundary.distance_to_face(f, &p), f, height > self.doubt))
            })
            .collect();
        list.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        list.into_iter().map(|(_, face, sight)| (face, sight)).collect()
    }

    /// Whether the placement turns B inside out, which no rotation does.
    fn mirrored(&self) -> bool {
        self.placement.rotation.determinant() < 0.0
    }

    fn careful_step(&self, at: FeaturePair) -> Step {
        Scene::<Bounded>::new(self).step(at).unwrap_or_else(|| self.exact_step(at))
    }

    #[cold]
    fn exact_step(&self, at: FeaturePair) -> Step {
        // An exact number knows every sign.
        Scene::<Exact>::new(self).step(at).unwrap_or(Step::Done(Found::Overlap))
    }
}

/// The closest features of two convex polyhedra, from where `memory` left off; see the module.
///
/// Cost: one step where the features are still the closest, some hundred nanoseconds at any number of vertices; a first
/// query climbs to a vertex of either side first. No allocation but where a vertex is found below its face.
pub fn closest_features(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    b_in_a: &RelativePose,
    memory: &mut FeatureMemory,
) -> ClosestFeatures {
    closest_features_traced(a, b, b_in_a, memory, &mut ())
}

/// [`closest_features`], watched.
pub fn closest_features_traced<T: WalkTrace>(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    b_in_a: &RelativePose,
    memory: &mut FeatureMemory,
    trace: &mut T,
) -> ClosestFeatures {
    let (boundary_a, boundary_b) = (a.voronoi(), b.voronoi());
    let query = Query::new(boundary_a, boundary_b, b_in_a);
    let mut at = match memory.last {
        Some(last) if boundary_a.has(last.a) && boundary_b.has(last.b) => last,
        _ => vertices_along(a, b, b_in_a, 1.0),
    };
    let (mut steps, mut careful_steps) = (0, 0);
    let found = loop {
        steps += 1;
        let fast = query.step(at);
        if T::WATCHES {
            let named = FeaturePair { a: boundary_a.name(at.a), b: boundary_b.name(at.b) };
            trace.visit(&WalkStep { features: at, named, careful: fast.is_none() });
        }
        let step = match fast {
            Some(step) => step,
            None => {
                careful_steps += 1;
                query.careful_step(at)
            }
        };
        match step {
            Step::To(next) => at = next,
            Step::Done(found) => break found,
            Step::Overlap(shown) => {
                at = shown;
                break Found::Overlap;
            }
        }
    };
    memory.last = Some(at);
    query.answer(at, found, steps, careful_steps)
}

/// Vertices that face each other along the line of the middles, or, with `sense` -1, look away from each other.
#[cold]
fn vertices_along(a: &ConvexPolyhedron, b: &ConvexPolyhedron, b_in_a: &RelativePose, sense: Real) -> FeaturePair {
    let line = b_in_a.rotation * b.interior_point().coords + b_in_a.translation - a.interior_point().coords;
    let line = if line.norm_squared() > 0.0 { line * sense } else { Vector::x() };
    let vertex_a = a.support(&line, 0).vertex;
    let vertex_b = b.support(&-b_in_a.rotation.tr_mul(&line), 0).vertex;
    FeaturePair { a: Feature::Vertex(a.voronoi().start(vertex_a)), b: Feature::Vertex(b.voronoi().start(vertex_b)) }
}
