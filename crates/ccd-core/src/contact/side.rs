//! One convex side of a pair, placed in the frame of the query.

use super::box_box::PlacedBox;
use super::patch::Patch;
use super::triangle::FACING;
use crate::geometry::feature::Feature;
use crate::geometry::primitive::{Capsule, Cone, Cylinder};
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;

/// The corners of the polygon that stands for a round cap: enough that a body stands on it without rocking, fixed to
/// the body so that they stay the same contacts while it creeps. Where the cap is tilted the nearest point of its true rim is added to them.
const CAP_CORNERS: u32 = 8;

/// A convex solid with its placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConvexSide<'a> {
    pub(super) shape: &'a Shape,
    /// From the shape's frame to the query's.
    pub(super) pose: Pose,
}

impl<'a> ConvexSide<'a> {
    /// `None` for a shape that is not convex and bounded.
    pub(super) fn new(shape: &'a Shape, pose: Pose) -> Option<Self> {
        shape.as_convex().is_some().then_some(Self { shape, pose })
    }

    /// The box, if it is one.
    pub(super) fn placed_box(&self) -> Option<PlacedBox> {
        let Shape::Box(cuboid) = self.shape else { return None };
        Some(PlacedBox {
            centre: Point::from(self.pose.translation.vector),
            axes: self.pose.rotation.to_rotation_matrix().into_inner(),
            half_extents: cuboid.half_extents(),
        })
    }

    /// The part of the core's surface that looks along the unit `direction` (of the query).
    pub(super) fn patch(&self, direction: &Vector) -> Patch {
        if let Some(placed) = self.placed_box() {
            return placed.patch(direction);
        }
        let local = self.pose.rotation.inverse_transform_vector(direction);
        let mut patch = match self.shape {
            Shape::Ball(ball) => {
                let mut patch = Patch::empty();
                patch.push(Point::origin(), Feature::Face(0), Feature::Face(0));
                patch.radius = ball.radius();
                patch
            }
            Shape::Capsule(capsule) => capsule_patch(capsule),
            Shape::Cylinder(cylinder) => cylinder_patch(cylinder, &local),
            Shape::Cone(cone) => cone_patch(cone, &local),
            other => other.as_convex().map_or_else(Patch::empty, |map| polygon_patch(map, &local)),
        };
        patch.transform(&self.pose);
        patch
    }

    /// The furthest point of the core along `direction` (of the query), and the feature it is.
    pub(super) fn support(&self, direction: &Vector) -> Option<(Point, Feature)> {
        let local = self.pose.rotation.inverse_transform_vector(direction);
        let map = self.shape.as_convex()?;
        let support = map.support(&local, 0);
        let feature = match self.shape {
            Shape::Cylinder(_) => Feature::Edge(u32::from(local.y > 0.0)),
            Shape::Cone(cone) if support.point.y < cone.half_height() => Feature::Edge(0),
            Shape::Cone(_) => Feature::Vertex(0),
            _ => map.feature_of(&[support.vertex]),
        };
        Some((self.pose * support.point, feature))
    }

    /// The rounding radius around the core, metres.
    pub(super) fn radius(&self) -> Real {
        self.shape.as_convex().map_or(0.0, SupportMap::radius)
    }
}

fn capsule_patch(capsule: &Capsule) -> Patch {
    let mut patch = Patch::empty();
    patch.radius = capsule.radius();
    patch.face = Feature::Edge(0);
    for (k, end) in capsule.ends().into_iter().enumerate() {
        patch.push(end, Feature::Vertex(k as u32), Feature::Edge(0));
    }
    patch
}

/// The corner `k` of the polygon in a rim at height `y`.
fn rim_corner(k: u32, radius: Real, y: Real) -> Point {
    let (sin, cos) = (Real::from(k) * std::f64::consts::TAU / Real::from(CAP_CORNERS)).sin_cos();
    Point::new(radius * cos, y, radius * sin)
}

/// The polygon of cap `cap` at height `y`, whose outward normal is along y with the sign of `side`. Its corners are
/// numbered from `8 · cap`, its sides from `2 + 8 · cap`: apart from the rims themselves, which are edges 0 and 1.
fn cap_patch(cap: u32, radius: Real, y: Real, side: Real) -> Patch {
    let mut patch = Patch::empty();
    patch.normal = Vector::new(0.0, side, 0.0);
    patch.face = Feature::Face(cap);
    for i in 0..CAP_CORNERS {
        // From x to z is clockwise seen from above.
        let (k, chord) =
            if side > 0.0 { (CAP_CORNERS - 1 - i, (2 * CAP_CORNERS - 2 - i) % CAP_CORNERS) } else { (i, i) };
        let numbered = |n: u32| n + CAP_CORNERS * cap;
        patch.push(rim_corner(k, radius, y), Feature::Vertex(numbered(k)), Feature::Edge(2 + numbered(chord)));
    }
    patch
}

fn point_patch(point: Point, feature: Feature) -> Patch {
    let mut patch = Patch::empty();
    patch.face = feature;
    patch.push(point, feature, feature);
    patch
}

fn line_patch(ends: [(Point, Feature); 2], side: Feature) -> Patch {
    let mut patch = Patch::empty();
    patch.face = side;
    for (end, feature) in ends {
        patch.push(end, feature, side);
    }
    patch
}

/// The unit direction across y, or x for a direction along y.
fn across(direction: &Vector) -> (Real, Real) {
    let length = direction.x.hypot(direction.z);
    if length > 0.0 { (direction.x / length, direction.z / length) } else { (1.0, 0.0) }
}

fn cylinder_patch(cylinder: &Cylinder, direction: &Vector) -> Patch {
    let (radius, h) = (cylinder.radius(), cylinder.half_height());
    let (x, z) = across(direction);
    let rim = |y: Real| Point::new(radius * x, y, radius * z);
    if direction.y.abs() > FACING {
        let cap = u32::from(direction.y > 0.0);
        cap_patch(cap, radius, h.copysign(direction.y), 1.0_f64.copysign(direction.y))
    } else if direction.x.hypot(direction.z) > FACING {
        line_patch([(rim(-h), Feature::Edge(0)), (rim(h), Feature::Edge(1))], Feature::Face(2))
    } else {
        point_patch(rim(h.copysign(direction.y)), Feature::Edge(u32::from(direction.y > 0.0)))
    }
}

fn cone_patch(cone: &Cone, direction: &Vector) -> Patch {
    let (radius, h) = (cone.radius(), cone.half_height());
    let (x, z) = across(direction);
    // The outward normal of the side is (2h, radius) in the plane of the axis and the direction.
    let slant = (2.0 * h).hypot(radius);
    let along_side = (direction.x.hypot(direction.z) * 2.0 * h + direction.y * radius) / slant;
    let (apex, rim) = (Point::new(0.0, h, 0.0), Point::new(radius * x, -h, radius * z));
    if direction.y < -FACING {
        cap_patch(0, radius, -h, -1.0)
    } else if along_side > FACING {
        line_patch([(rim, Feature::Edge(0)), (apex, Feature::Vertex(0))], Feature::Face(1))
    } else if direction.y / direction.norm() > radius / slant {
        point_patch(apex, Feature::Vertex(0))
    } else {
        point_patch(rim, Feature::Edge(0))
    }
}

/// The face of a solid that says no more than its polygon: corners are numbered by face and place in it.
fn polygon_patch(map: &dyn SupportMap, direction: &Vector) -> Patch {
    let mut polygon = Vec::with_capacity(16);
    let face = map.support_face(direction, &mut polygon);
    let mut patch = Patch::empty();
    patch.face = face;
    patch.radius = map.radius();
    let number = match face {
        Feature::Vertex(i) | Feature::Edge(i) | Feature::Face(i) => i,
    };
    let count = polygon.len();
    // Newell's sum: the normal of a polygon by all its corners.
    let mut normal = Vector::zeros();
    for (k, p) in polygon.iter().enumerate() {
        normal += p.coords.cross(&polygon[(k + 1) % count].coords);
        let numbered = number.wrapping_mul(64).wrapping_add(k as u32);
        let corner = if count == 1 { face } else { Feature::Vertex(numbered) };
        let edge = if count == 2 { face } else { Feature::Edge(numbered) };
        patch.push(*p, corner, edge);
    }
    patch.normal = normal.try_normalize(0.0).unwrap_or(*direction);
    patch
}
