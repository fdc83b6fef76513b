//! Contacts of a pair that has hardly moved, from those of its last search.
//!
//! Problem: in a heap at rest every pair is searched anew at every step, and finds the same features where they were.
//!
//! Idea: between two polyhedral features the contact is a closed form of the placement (Mirtich 1998, section 3.1): a
//! vertex over a plane, or two lines. As long as no point of one body has moved over the other by more than a thousandth
//! of the margin since the search, which features touch is taken from there, and where they touch from the closed form.
//!
//! Guarantee: points, normals and separations are those of the placement asked for; the choice of features is that of a
//! search at a placement within a thousandth of the margin. A contact that leaves the margin or its edges asks for a new search.

use std::sync::Arc;

use super::ContactPoint;
use super::manifold::{ContactSearch, snap};
use super::piece::{Piece, piece};
use crate::bounds::IndexedMesh;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::polyhedron::ConvexPolyhedron;
use crate::geometry::solid::Solid;
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;

/// A contact's normal this near to that of its features is taken from them.
const SAME_NORMAL: Real = 1e-9;
/// Two edges that cross at less than this sine have no crossing worth following.
const LEAST_CROSSING: Real = 1e-3;

/// The last search of a pair, and the closed forms of what it found.
#[derive(Clone, Debug, Default)]
pub(super) struct Carried {
    last: Option<Last>,
    /// Features and normal (A's frame) of each contact that was found.
    found: Vec<(FeaturePair, Vector)>,
    rules: Vec<Rule>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// The rules are not made yet: a pair that moves never asks for them.
    #[default]
    Unknown,
    Ready,
    /// A contact has no closed form.
    None,
}

#[derive(Clone, Debug)]
struct Last {
    search: ContactSearch,
    sides: [Side; 2],
    b_in_a: Pose,
}

/// Which shape a side is, as far as its features go.
#[derive(Clone, Debug)]
enum Side {
    Box(Vector),
    HalfSpace(Vector),
    Convex(Arc<ConvexPolyhedron>),
    Mesh(Arc<IndexedMesh>),
}

impl Side {
    fn of(shape: &Shape) -> Option<Self> {
        Some(match shape {
            Shape::Box(cuboid) => Self::Box(cuboid.half_extents()),
            Shape::HalfSpace(plane) => Self::HalfSpace(plane.normal()),
            Shape::Convex(hull) => Self::Convex(Arc::clone(hull)),
            Shape::Mesh(mesh) => Self::Mesh(Arc::clone(mesh)),
            _ => return None,
        })
    }

    #[inline]
    fn is(&self, shape: &Shape) -> bool {
        match (self, shape) {
            (Self::Box(half), Shape::Box(cuboid)) => *half == cuboid.half_extents(),
            (Self::HalfSpace(normal), Shape::HalfSpace(plane)) => *normal == plane.normal(),
            (Self::Convex(hull), Shape::Convex(other)) => Arc::ptr_eq(hull, other),
            (Self::Mesh(mesh), Shape::Mesh(other)) => Arc::ptr_eq(mesh, other),
            _ => false,
        }
    }

    /// No point of the body is further from its frame's origin, metres; infinite for a half-space.
    #[inline]
    fn reach(&self) -> Real {
        let around = |sphere: crate::volume::Sphere| sphere.centre.coords.norm() + sphere.radius;
        match self {
            Self::Box(half) => half.norm(),
            Self::HalfSpace(_) => Real::INFINITY,
            Self::Convex(hull) => around(hull.bounding_sphere()),
            Self::Mesh(mesh) => around(mesh.bounding_sphere()),
        }
    }
}

/// The closed form of a contact. Places of A in A's frame, of B in B's.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// A plane of A and a vertex of B.
    OverA { origin: Point, normal: Vector, vertex: Point },
    /// A vertex of A and a plane of B.
    OverB { vertex: Point, origin: Point, normal: Vector },
    /// Two lines, seen along their common perpendicular, whose side the last normal tells.
    Across { a: Point, along_a: Vector, b: Point, along_b: Vector, last: Vector },
    /// Two lines, seen along a direction between the bodies' own, which turns with both.
    Between { a: Point, along_a: Vector, b: Point, along_b: Vector, in_a: Vector, in_b: Vector },
}

impl Carried {
    /// Takes what a search found: `found` in the world.
    pub(super) fn remember(
        &mut self,
        (shape_a, pose_a): (&Shape, &Pose),
        (shape_b, pose_b): (&Shape, &Pose),
        search: &ContactSearch,
        found: &[ContactPoint],
    ) {
        let b_in_a = pose_a.inv_mul(pose_b);
        self.state = State::Unknown;
        self.found.clear();
        match &mut self.last {
            Some(last) if last.sides[0].is(shape_a) && last.sides[1].is(shape_b) => {
                (last.search, last.b_in_a) = (*search, b_in_a);
            }
            last => {
                *last = Side::of(shape_a).zip(Side::of(shape_b)).map(|(a, b)| Last {
                    search: *search,
                    sides: [a, b],
                    b_in_a,
                })
            }
        }
        if self.last.is_some() {
            let into_a = pose_a.rotation.inverse();
            self.found.extend(found.iter().map(|c| (c.features, into_a * c.normal)));
        }
    }

    /// Appends the contacts at these placements if they follow from the last search; whether they do.
    pub(super) fn carry(
        &mut self,
        (shape_a, pose_a): (&Shape, &Pose),
        (shape_b, pose_b): (&Shape, &Pose),
        search: &ContactSearch,
        out: &mut Vec<ContactPoint>,
    ) -> bool {
        let Some(last) = &self.last else { return false };
        if last.search != *search || !last.sides[0].is(shape_a) || !last.sides[1].is(shape_b) {
            return false;
        }
        let b_in_a = pose_a.inv_mul(pose_b);
        let still = snap(search.margin);
        let near = |from: &Pose, to: &Pose, side: &Side| moved(from, to, side.reach() + search.margin) <= still;
        if !near(&last.b_in_a, &b_in_a, &last.sides[1])
            && !near(&last.b_in_a.inverse(), &b_in_a.inverse(), &last.sides[0])
        {
            return false;
        }
        if self.state == State::Unknown {
            self.rules.clear();
            let rules = self.found.iter().map_while(|(f, normal)| rule((shape_a, shape_b), &last.b_in_a, f, normal));
            self.rules.extend(rules);
            self.state = if self.rules.len() == self.found.len() { State::Ready } else { State::None };
        }
        if self.state == State::None {
            return false;
        }
        let start = out.len();
        let rotation = b_in_a.rotation.to_rotation_matrix().into_inner();
        let translation = b_in_a.translation.vector;
        let to_world = pose_a.rotation.to_rotation_matrix();
        for (rule, (features, _)) in self.rules.iter().zip(&self.found) {
            let into_a = |p: &Point| Point::from(rotation * p.coords + translation);
            let turned = |v: &Vector| rotation * v;
            match rule.at(&into_a, &turned) {
                Some((point_a, point_b, normal, separation)) if separation <= search.margin => out.push(ContactPoint {
                    point_a: pose_a.translation * (to_world * point_a),
                    point_b: pose_a.translation * (to_world * point_b),
                    normal: to_world * normal,
                    separation,
                    features: *features,
                }),
                _ => {
                    out.truncate(start);
                    return false;
                }
            }
        }
        true
    }
}

/// How far any point within `reach` of the origin has moved from one placement to another, at most; not a number for poses
/// that are not finite.
#[inline]
fn moved(from: &Pose, to: &Pose, reach: Real) -> Real {
    let (p, q) = (from.rotation.coords, to.rotation.coords);
    // Either sign is the same rotation; a chord of the unit quaternions spans half the angle, by a hair more than its length.
    let chord = (p - q).norm_squared().min((p + q).norm_squared()).sqrt();
    let turned = if chord == 0.0 { 0.0 } else { 2.1 * chord * reach };
    (to.translation.vector - from.translation.vector).norm() + turned
}

/// The closed form of a contact between two features, as it was with this normal (A's frame); `None` if it has none.
fn rule((shape_a, shape_b): (&Shape, &Shape), b_in_a: &Pose, features: &FeaturePair, normal: &Vector) -> Option<Rule> {
    let of = |shape: &Shape, feature: Feature| piece(shape, feature).filter(|p| p.radius == 0.0).map(|p| p.piece);
    match (of(shape_a, features.a)?, of(shape_b, features.b)?) {
        (Piece::Face(face), Piece::Vertex(vertex)) => {
            let clean = (face.normal - normal).norm() <= SAME_NORMAL;
            clean.then_some(Rule::OverA { origin: face.origin, normal: face.normal, vertex })
        }
        (Piece::Vertex(vertex), Piece::Face(face)) => {
            let clean = (b_in_a.rotation * face.normal + normal).norm() <= SAME_NORMAL;
            clean.then_some(Rule::OverB { vertex, origin: face.origin, normal: face.normal })
        }
        (Piece::Edge([a, a_end]), Piece::Edge([b, b_end])) => {
            let (along_a, along_b) = (a_end - a, b_end - b);
            let cross = along_a.cross(&(b_in_a.rotation * along_b));
            let size = cross.norm();
            if size <= LEAST_CROSSING * along_a.norm() * along_b.norm() {
                return None;
            }
            let perpendicular = cross * (1.0_f64.copysign(cross.dot(normal)) / size);
            Some(if (perpendicular - normal).norm() <= SAME_NORMAL {
                Rule::Across { a, along_a, b, along_b, last: *normal }
            } else {
                let in_b = b_in_a.rotation.inverse_transform_vector(normal);
                Rule::Between { a, along_a, b, along_b, in_a: *normal, in_b }
            })
        }
        _ => None,
    }
}

impl Rule {
    /// Points, normal and separation in A's frame; `None` where an edge ends.
    #[inline]
    fn at(
        &self,
        into_a: &impl Fn(&Point) -> Point,
        turned: &impl Fn(&Vector) -> Vector,
    ) -> Option<(Point, Point, Vector, Real)> {
        match self {
            Self::OverA { origin, normal, vertex } => {
                let point_b = into_a(vertex);
                let separation = (point_b - origin).dot(normal);
                Some((point_b - normal * separation, point_b, *normal, separation))
            }
            Self::OverB { vertex, origin, normal } => {
                let outward = turned(normal);
                let separation = (vertex - into_a(origin)).dot(&outward);
                Some((*vertex, vertex - outward * separation, -outward, separation))
            }
            Self::Across { a, along_a, b, along_b, last } => {
                let along_b = turned(along_b);
                let cross = along_a.cross(&along_b);
                let normal = cross * (1.0_f64.copysign(cross.dot(last)) / cross.norm());
                crossing(a, along_a, &into_a(b), &along_b, normal)
            }
            Self::Between { a, along_a, b, along_b, in_a, in_b } => {
                let normal = (in_a + turned(in_b)).normalize();
                crossing(a, along_a, &into_a(b), &turned(along_b), normal)
            }
        }
    }
}

/// Where two segments cross, seen along a unit normal.
fn crossing(
    a: &Point,
    along_a: &Vector,
    b: &Point,
    along_b: &Vector,
    normal: Vector,
) -> Option<(Point, Point, Vector, Real)> {
    let between = b - a;
    let area = along_a.cross(along_b).dot(&normal);
    let at_a = between.cross(along_b).dot(&normal) / area;
    let at_b = between.cross(along_a).dot(&normal) / area;
    ((0.0..=1.0).contains(&at_a) && (0.0..=1.0).contains(&at_b)).then(|| {
        let (point_a, point_b) = (a + along_a * at_a, b + along_b * at_b);
        (point_a, point_b, normal, (point_b - point_a).dot(&normal))
    })
}
