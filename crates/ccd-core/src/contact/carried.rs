//! Contacts of a pair that has hardly moved, from those of its last search.
//!
//! Problem: in a heap at rest every pair is searched anew at every step, and finds the same features where they were.
//!
//! Idea: between two polyhedral features the contact is a closed form of the placement (Mirtich 1998, section 3.1): a
//! vertex over a plane, or two lines. Everything else has one to second order ([`Rule`]). As long as no point of one body has
//! moved over the other by more than a thousandth of the margin and a hundredth of the tolerance since the search, which
//! features touch is taken from there, and where they touch from the closed form.
//!
//! Guarantee: points, normals and separations are those of the placement asked for; the choice of features is that of a
//! search at a placement as near as that. A contact that leaves the margin or its edges asks for a new search.

use super::ContactPoint;
use super::manifold::ContactSearch;
use super::rule::Rule;
use crate::geometry::feature::FeaturePair;
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;

/// The last search of a pair, and the closed forms of what it found.
#[derive(Clone, Debug, Default)]
pub(super) struct Carried {
    last: Option<Last>,
    found: Vec<Found>,
    rules: Vec<Rule>,
    state: State,
}

/// A contact that a search has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) features: FeaturePair,
    /// In A's frame.
    pub(super) point_a: Point,
    /// In B's frame.
    pub(super) point_b: Point,
    /// From A to B, in A's frame.
    pub(super) normal: Vector,
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

/// A shape, to be known again; where it is shared, so is this.
#[derive(Clone, Debug)]
struct Side {
    shape: Shape,
    /// No point of the body is further from its frame's origin, metres; infinite for a half-space.
    reach: Real,
}

impl Side {
    fn of(shape: &Shape) -> Self {
        let reach = if shape.is_bounded() {
            let sphere = shape.as_solid().bounding_sphere();
            sphere.centre.coords.norm() + sphere.radius
        } else {
            Real::INFINITY
        };
        Self { shape: shape.clone(), reach }
    }

    #[inline]
    fn is(&self, shape: &Shape) -> bool {
        self.shape.is_same(shape)
    }
}

/// Whether searches of these two are followed: of polyhedra, whose contacts have closed forms, and of whatever a search of which costs
/// much. A search of two round primitives costs hardly more than following it.
fn are_followed(a: &Shape, b: &Shape) -> bool {
    let flat = |s: &Shape| matches!(s, Shape::Box(_) | Shape::HalfSpace(_) | Shape::Convex(_) | Shape::Mesh(_));
    flat(a) && flat(b) || is_costly(a) || is_costly(b)
}

/// What is made of parts or of patches, and fields.
fn is_costly(shape: &Shape) -> bool {
    matches!(shape, Shape::Compound(_) | Shape::Patches(_) | Shape::Field(_) | Shape::Custom(_))
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
                *last = are_followed(shape_a, shape_b).then(|| Last {
                    search: *search,
                    sides: [Side::of(shape_a), Side::of(shape_b)],
                    b_in_a,
                })
            }
        }
        if self.last.is_some() {
            let into_a = pose_a.rotation.inverse();
            self.found.extend(found.iter().map(|c| Found {
                features: c.features,
                point_a: pose_a.inverse_transform_point(&c.point_a),
                point_b: pose_b.inverse_transform_point(&c.point_b),
                normal: into_a * c.normal,
            }));
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
        let still = search.snap();
        let near = |from: &Pose, to: &Pose, side: &Side| moved(from, to, side.reach + search.margin) <= still;
        if !near(&last.b_in_a, &b_in_a, &last.sides[1])
            && !near(&last.b_in_a.inverse(), &b_in_a.inverse(), &last.sides[0])
        {
            return false;
        }
        if self.state == State::Unknown {
            self.rules.clear();
            let shapes = (shape_a, shape_b);
            let curved = is_costly(shape_a) || is_costly(shape_b);
            let rules =
                self.found.iter().map_while(|found| Rule::new(shapes, &last.b_in_a, found, curved, search.dent()));
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
        for (rule, found) in self.rules.iter().zip(&self.found) {
            let into_a = |p: &Point| Point::from(rotation * p.coords + translation);
            let turned = |v: &Vector| rotation * v;
            match rule.at(&into_a, &turned) {
                Some((point_a, point_b, normal, separation)) if separation <= search.margin => out.push(ContactPoint {
                    point_a: pose_a.translation * (to_world * point_a),
                    point_b: pose_a.translation * (to_world * point_b),
                    normal: to_world * normal,
                    separation,
                    features: found.features,
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
