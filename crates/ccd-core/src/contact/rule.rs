//! How a contact follows its bodies while its features stay: Mirtich's closed forms (1998, section 3.1) between polyhedral features, a
//! tangent plane between smooth surfaces, and the two points themselves elsewhere.
//!
//! A smooth surface stays within d²/2r of its tangent plane where the bodies have moved over each other by d, r the radius of its
//! curvature: with d a thousandth of the margin that is less than what a search of the surface itself is exact to. Rims, creases and
//! surfaces of fields, of which no plane is known, go with the two points: what touches is where the way between the bodies is shortest, or
//! longest, so to move along the surfaces by d changes it by the square of d only.

use super::carried::Found;
use super::lines::crossing_along;
use super::piece::{Piece, piece};
use crate::geometry::feature::Feature;
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;

/// A contact's normal this near to that of its features is taken from them.
const SAME_NORMAL: Real = 1e-9;
/// A contact with this normal, up to a chord, lies in the middle of a smooth surface, and not at its rim.
const SMOOTH: Real = 1e-4;
/// How far, metres, a contact's point may lie from the surface of patches that it is a point of.
const ON_SURFACE: Real = 1e-6;
/// Two edges that cross at less than this sine have no crossing worth following.
const LEAST_CROSSING: Real = 1e-3;

/// The closed form of a contact. Places of A in A's frame, of B in B's.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// A plane of A and a vertex of B.
    OverA { origin: Point, normal: Vector, vertex: Point },
    /// A vertex of A and a plane of B.
    OverB { vertex: Point, origin: Point, normal: Vector },
    /// Two lines, seen along their common perpendicular, whose side the last normal tells.
    Across { a: Point, along_a: Vector, b: Point, along_b: Vector, last: Vector },
    /// Two points, seen along a direction that turns with both bodies.
    Held { a: Point, b: Point, in_a: Vector, in_b: Vector },
    /// Two lines, seen along a direction between the bodies' own, which turns with both.
    Between { a: Point, along_a: Vector, b: Point, along_b: Vector, in_a: Vector, in_b: Vector },
}

impl Rule {
    /// The closed form of a contact that was found where B's frame lay in A's at `b_in_a`; `None` if it has none. `curved`: tangent planes
    /// count, and points where there are none. `dent`: how deep dents the search took for none.
    pub(super) fn new(
        (shape_a, shape_b): (&Shape, &Shape),
        b_in_a: &Pose,
        found: &Found,
        curved: bool,
        dent: Real,
    ) -> Option<Self> {
        let Found { features, point_a, point_b, normal } = found;
        Self::of_polyhedra((shape_a, shape_b), b_in_a, found, dent).or_else(|| {
            if !curved {
                return None;
            }
            let against_b = -b_in_a.rotation.inverse_transform_vector(normal);
            // A flat side bounds more exactly than a bent one.
            let (a, b) = (
                tangent(shape_a, features.a, point_a, normal, dent),
                tangent(shape_b, features.b, point_b, &against_b, dent),
            );
            let over_a = Self::OverA { origin: *point_a, normal: *normal, vertex: *point_b };
            let over_b = Self::OverB { vertex: *point_a, origin: *point_b, normal: against_b };
            match (a, b) {
                (Tangent::Plane, _) => Some(over_a),
                (_, Tangent::Plane) => Some(over_b),
                (Tangent::Smooth, _) => Some(over_a),
                (_, Tangent::Smooth) => Some(over_b),
                (Tangent::None, Tangent::None) => {
                    let in_b = b_in_a.rotation.inverse_transform_vector(normal);
                    Some(Self::Held { a: *point_a, b: *point_b, in_a: *normal, in_b })
                }
            }
        })
    }

    fn of_polyhedra((shape_a, shape_b): (&Shape, &Shape), b_in_a: &Pose, found: &Found, dent: Real) -> Option<Self> {
        let Found { features, normal, .. } = found;
        let of =
            |shape: &Shape, feature: Feature| piece(shape, feature, dent).filter(|p| p.radius == 0.0).map(|p| p.piece);
        match (of(shape_a, features.a)?, of(shape_b, features.b)?) {
            (Piece::Face(face), Piece::Vertex(vertex)) => {
                let clean = (face.normal - normal).norm() <= SAME_NORMAL;
                clean.then_some(Self::OverA { origin: face.origin, normal: face.normal, vertex })
            }
            (Piece::Vertex(vertex), Piece::Face(face)) => {
                let clean = (b_in_a.rotation * face.normal + normal).norm() <= SAME_NORMAL;
                clean.then_some(Self::OverB { vertex, origin: face.origin, normal: face.normal })
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
                    Self::Across { a, along_a, b, along_b, last: *normal }
                } else {
                    let in_b = b_in_a.rotation.inverse_transform_vector(normal);
                    Self::Between { a, along_a, b, along_b, in_a: *normal, in_b }
                })
            }
            _ => None,
        }
    }

    /// Points, normal and separation in A's frame; `None` where an edge ends.
    #[inline]
    pub(super) fn at(
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
            Self::Held { a, b, in_a, in_b } => {
                let (point_b, normal) = (into_a(b), (in_a + turned(in_b)).normalize());
                Some((*a, point_b, normal, (point_b - a).dot(&normal)))
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
    let (at_a, at_b) = crossing_along(&normal, &(b - a), along_a, along_b)?;
    ((0.0..=1.0).contains(&at_a) && (0.0..=1.0).contains(&at_b)).then(|| {
        let (point_a, point_b) = (a + along_a * at_a, b + along_b * at_b);
        (point_a, point_b, normal, (point_b - point_a).dot(&normal))
    })
}

/// How a surface lies around a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tangent {
    /// It is a plane across the normal.
    Plane,
    /// It is bent, and a plane across the normal touches it.
    Smooth,
    /// The contact is at an edge or a corner of it, or nothing is known.
    None,
}

/// How a shape's surface lies around a point of a contact, whose normal points outwards; all in the shape's frame.
fn tangent(shape: &Shape, feature: Feature, point: &Point, normal: &Vector, dent: Real) -> Tangent {
    if let Some(compound) = shape.as_compound() {
        let (number, feature) = compound.part_of_feature(feature);
        let Some(part) = compound.parts().get(number as usize) else { return Tangent::None };
        let normal = part.pose.rotation.inverse_transform_vector(normal);
        return tangent(&part.shape, feature, &part.pose.inverse_transform_point(point), &normal, dent);
    }
    match shape {
        Shape::Patches(surface) => {
            let nearest = surface.closest_point(point, ON_SURFACE, 1e-3 * ON_SURFACE);
            let is_normal = |n: Vector| (n - normal).norm().min((n + normal).norm()) <= SMOOTH;
            match nearest.and_then(|nearest| surface.normal_at(&nearest.place)) {
                Some(n) if is_normal(n) => Tangent::Smooth,
                _ => Tangent::None,
            }
        }
        Shape::Ball(_) | Shape::Capsule(_) => Tangent::Smooth,
        Shape::Cylinder(_) if feature == Feature::Face(2) => Tangent::Smooth,
        Shape::Cone(_) if feature == Feature::Face(1) => Tangent::Smooth,
        _ => match piece(shape, feature, dent).map(|rounded| rounded.piece) {
            Some(Piece::Face(face)) if (face.normal - normal).norm() <= SAME_NORMAL => Tangent::Plane,
            _ => Tangent::None,
        },
    }
}
