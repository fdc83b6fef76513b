//! Which way two solids that come together at their edges will touch.
//!
//! **Idea.** Near an edge the direction between the nearest points turns: what slides a hair above a floor of tiles has the next tile's edge
//! ahead of it, a hair lower, and comes nearer to it almost along the floor. But two convex solids do not touch while any direction
//! separates them, and the last one along which their gap closes is the normal of their contact when they do. Of what slides past, the gap
//! along a direction across its way never closes: that across its way nearest to the contact's, or, where it goes along the edge as well, that of
//! a face which ends there.
//!
//! A flat face has one normal, and what comes to it meets it, unless it passes it by so far meanwhile that it may have left it: of a block that slides off an
//! edge, and tips over it, the last corner comes down just where the face ends. What glances so is looked at as what comes to an edge.
//!
//! **Guarantee.** A contact is turned only into a direction along which the two are apart, by the separation that it then has. How the
//! gaps close is taken from the velocities at the contact, as if it went straight on; times of contact are asked for in any case.
//!
//! Of a mesh that is not convex only the surroundings of the edge or corner are looked at, of a compound the part, of a field that is not
//! convex a convex solid that holds it.
//!
//! **Cost.** Next to nothing for contacts that do not approach, and for those of a flat face that do not glance; a few support queries for the others.

use super::ContactPoint;
use super::side::ConvexSide;
use crate::bounds::IndexedMesh;
use crate::detection::dispatch::needs_cells;
use crate::geometry::feature::Feature;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real, Rotation, Vector};
use crate::motion::RigidMotion;
use crate::shape::Shape;

/// Another direction has to close so many times as late.
const LATER: Real = 1.5;
/// A gap along it of at least this share of the tolerance tells that the two are apart.
const APART: Real = 1e-3;
/// What moves so many times as fast as it comes nearer glances: steeper than 30° it is there before it has passed by much.
const GLANCES: Real = 2.0;
/// From a flat face only those are others that differ by a sine of more than this: within the tolerance all that lies is a little tilted.
const PARALLEL: Real = 1e-3;
/// Directions that differ by a sine of less are the same.
const SAME: Real = 1e-6;
/// A part of a unit vector that is larger is all of it.
const ALONG_AXIS: Real = 1.0 - SAME * SAME;

/// Turns contacts of two solids on their motions (which start now) to where their gap closes last.
pub(crate) fn turn_to_last_gap(
    a: (&Shape, &RigidMotion),
    b: (&Shape, &RigidMotion),
    tolerance: Real,
    points: &mut [ContactPoint],
) {
    for p in points {
        let velocity = relative_velocity(a.1, b.1, &p.midpoint());
        let approach = -velocity.dot(&p.normal);
        if approach <= 0.0 {
            continue;
        }
        // Beside a field features are names of places, and none tells that it is in a face.
        let by_features = !needs_cells(a.0) && !needs_cells(b.0);
        let places = [(a, p.point_a, p.features.a), (b, p.point_b, p.features.b)]
            .map(|((shape, motion), point, feature)| Place::of(shape, &motion.start, point, feature));
        let is_flat = places.iter().flatten().any(|place| place.is_flat(&p.normal, by_features));
        if is_flat && velocity.norm() <= GLANCES * approach {
            continue;
        }
        let [side_a, side_b] = places.map(|place| Side::at(&place?, &p.normal, by_features));
        let same = if is_flat { PARALLEL } else { SAME };
        if let Some((side_a, side_b)) = side_a.zip(side_b)
            && let Some((normal, gap)) = last_gap(&side_a, &side_b, p, &velocity, [APART * tolerance, same])
        {
            (p.normal, p.separation) = (normal, gap);
            p.point_b = p.point_a + normal * gap;
        }
    }
}

/// The direction in which the gap of two solids closes last, and the gap along it; `None` where that is the contact's own. Gaps along it have to be
/// as wide as they are `apart`, and directions are others from a sine of `same` on.
fn last_gap(
    a: &Side<'_>,
    b: &Side<'_>,
    contact: &ContactPoint,
    velocity: &Vector,
    [apart, same]: [Real; 2],
) -> Option<(Vector, Real)> {
    let approach = -velocity.dot(&contact.normal);
    // Across the way of the two, nearest to the contact's own.
    let across = contact.normal + velocity * (approach / velocity.norm_squared());
    let across = across.try_normalize(SAME)?;
    let mut last = (LATER * contact.separation.max(0.0) / approach, None);
    let mut look_along = |normal: Vector| {
        if normal.cross(&contact.normal).norm() < same {
            return;
        }
        let gap = b.lowest(&normal) - a.highest(&normal);
        if gap < apart {
            return;
        }
        let approach = -velocity.dot(&normal);
        let closes = if approach > 0.0 { gap / approach } else { Real::INFINITY };
        if closes > last.0 {
            last = (closes, Some((normal, gap)));
        }
    };
    a.each_face(&contact.normal, &across, &mut look_along);
    b.each_face(&-contact.normal, &-across, &mut |normal| look_along(-normal));
    look_along(across);
    last.1
}

/// Where a contact is on one of the two: on a part, if that is a compound.
struct Place<'s> {
    shape: &'s Shape,
    pose: Pose,
    point: Point,
    feature: Feature,
}

impl<'s> Place<'s> {
    fn of(shape: &'s Shape, pose: &Pose, point: Point, feature: Feature) -> Option<Self> {
        let Some(compound) = shape.as_compound() else { return Some(Self { shape, pose: *pose, point, feature }) };
        let (part, feature) = compound.part_of_feature(feature);
        let part = compound.parts().get(part as usize)?;
        Self::of(&part.shape, &(pose * part.pose), point, feature)
    }

    /// Whether it is in a flat face along its normal. Features tell that, if they are those of surfaces; that of a box does without. A place that a
    /// search found next to a rim may be told as of the face beside it.
    fn is_flat(&self, normal: &Vector, by_features: bool) -> bool {
        let local = self.pose.rotation.inverse_transform_vector(normal);
        match (self.shape, self.feature) {
            (Shape::Box(_), _) if local.amax() > ALONG_AXIS => true,
            _ if !by_features => false,
            (Shape::Box(_) | Shape::Convex(_) | Shape::Mesh(_) | Shape::HalfSpace(_), Feature::Face(_)) => true,
            (Shape::Cylinder(_), Feature::Face(i)) => i < 2 && local.y.abs() > ALONG_AXIS,
            (Shape::Cone(_), Feature::Face(i)) => i == 0 && local.y.abs() > ALONG_AXIS,
            _ => false,
        }
    }
}

/// One of the solids where the contact is.
enum Side<'s> {
    /// A convex solid, or a convex part of one.
    Convex(ConvexSide<'s>),
    /// A convex solid that holds a field, where the field is.
    Held(&'s dyn SupportMap, Pose),
    /// The surroundings of an edge or corner of a mesh: its corners and the normals of its faces.
    Around(Vec<Point>, Vec<Vector>),
}

impl<'s> Side<'s> {
    /// `None` for what is neither convex nor a mesh nor held by anything convex that is known.
    fn at(place: &Place<'s>, normal: &Vector, by_features: bool) -> Option<Self> {
        let &Place { shape, pose, point, feature } = place;
        if let Some(convex) = ConvexSide::new(shape, pose, 0.0) {
            return Some(Self::Convex(convex));
        }
        if needs_cells(shape) {
            return Some(Self::Held(shape.as_solid().convex_bound()?, pose));
        }
        let Shape::Mesh(mesh) = shape else { return None };
        let local = || pose.rotation.inverse_transform_vector(normal);
        let feature =
            if by_features { feature } else { edge_at(mesh, &pose.inverse_transform_point(&point), &local())? };
        let (corners, faces) = mesh.around(feature)?;
        Some(Self::Around(
            corners.into_iter().map(|corner| pose * corner).collect(),
            faces.into_iter().map(|normal| pose.rotation * normal).collect(),
        ))
    }

    /// How far it reaches along a unit direction.
    fn highest(&self, direction: &Vector) -> Real {
        match self {
            Self::Convex(side) => side.reach(direction),
            Self::Held(bound, pose) => {
                let core = pose * bound.support(&pose.rotation.inverse_transform_vector(direction), 0).point;
                core.coords.dot(direction) + bound.radius()
            }
            Self::Around(corners, _) => {
                corners.iter().map(|corner| corner.coords.dot(direction)).fold(Real::NEG_INFINITY, Real::max)
            }
        }
    }

    /// How far it reaches against a unit direction, counted along it.
    fn lowest(&self, direction: &Vector) -> Real {
        -self.highest(&-direction)
    }

    /// Calls `look` with the normals of the faces beside a contact that `outward` points away from, and of those that may look `across` the way.
    ///
    /// The latter alone do not do: what goes along a seam as well as over it has the flush faces far from across its way.
    fn each_face(&self, outward: &Vector, across: &Vector, look: &mut impl FnMut(Vector)) {
        let mut of_map = |map: &dyn SupportMap, rotation: &Rotation| {
            let local = rotation.inverse_transform_vector(outward);
            map.each_face_at(&local, &mut |normal| look(rotation * normal));
        };
        match self {
            Self::Convex(side) => {
                of_map(side.map(), &side.pose.rotation);
                side.faces_towards(across).into_iter().flatten().for_each(look);
            }
            Self::Held(bound, pose) => of_map(*bound, &pose.rotation),
            // A sheet has two sides.
            Self::Around(_, faces) => faces.iter().flat_map(|normal| [*normal, -normal]).for_each(look),
        }
    }
}

/// The edge of a mesh beside one of its places, all in its frame; `None` where the normal there is that of the face.
fn edge_at(mesh: &IndexedMesh, place: &Point, normal: &Vector) -> Option<Feature> {
    let face = mesh.closest_point(place, Real::INFINITY)?.face as usize;
    if mesh.face_normals()[face].cross(normal).norm() < SAME {
        return None;
    }
    let off = |edge: u32| {
        let [from, to] = mesh.edge(edge);
        (place - from).cross(&(to - from)).norm() / (to - from).norm()
    };
    let edges = mesh.topology().triangle_edges()[face];
    edges.into_iter().min_by(|e, f| off(*e).total_cmp(&off(*f))).map(Feature::Edge)
}

/// The velocity of B's material past A's at a place, m/s.
fn relative_velocity(a: &RigidMotion, b: &RigidMotion, place: &Point) -> Vector {
    b.velocity_of(place, 0.0) - a.velocity_of(place, 0.0)
}
