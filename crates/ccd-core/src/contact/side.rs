//! One convex side of a pair, placed in the frame of the query.

use super::box_box::PlacedBox;
use super::bulge::Bulge;
use super::hull_patch::hull_patch;
use super::lateral::Lateral;
use super::limits::Limits;
use super::patch::Patch;
use super::rim::Rim;
use super::triangle::FACING;
use crate::bounds::MeshPolyhedron;
use crate::geometry::feature::Feature;
use crate::geometry::primitive::{Capsule, Cone, Cylinder};
use crate::geometry::solid::SupportMap;
use crate::math::{Matrix, Point, Pose, Real, Vector, hypotenuse};
use crate::shape::Shape;

/// The corners of the polygon that stands for a round cap: enough that a body stands on it without rocking, fixed to
/// the body so that they stay the same contacts while it creeps. Where the cap leans, the lowest place of its true rim is added to them.
const CAP_CORNERS: u32 = 8;

/// How deep, in snap distances, what counts as a flat side is below its top: half of the tolerance at most, which what touches may keep for good.
const FLAT: Real = 50.0;
/// How many corners of one solid have numbers of their own.
const CORNERS: u32 = 8;
/// The numbers of the middles of flat sides begin after those of their corners.
const MIDDLES: u32 = 128;

/// A convex solid with its placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConvexSide<'a> {
    pub(super) shape: &'a Shape,
    map: &'a dyn SupportMap,
    /// What names the features of a mesh.
    mesh: Option<&'a MeshPolyhedron>,
    /// From the shape's frame to the query's.
    pub(super) pose: Pose,
    /// The rotation of `pose`.
    pub(super) axes: Matrix,
}

impl<'a> ConvexSide<'a> {
    /// `None` for a shape that is not convex and bounded; a small mesh may be, but for dents up to `dent` metres.
    pub(super) fn new(shape: &'a Shape, pose: Pose, dent: Real) -> Option<Self> {
        let axes = pose.rotation.to_rotation_matrix().into_inner();
        let mesh = if let Shape::Mesh(mesh) = shape { mesh.as_polyhedron(dent) } else { None };
        let map = match mesh {
            Some(mesh) => mesh.polyhedron(),
            None => shape.as_convex()?,
        };
        Some(Self { shape, map, mesh, pose, axes })
    }

    /// The shape as a support map.
    #[inline]
    pub(super) fn map(&self) -> &'a dyn SupportMap {
        self.map
    }

    /// The box, if it is one.
    #[inline]
    pub(super) fn placed_box(&self) -> Option<PlacedBox> {
        let Shape::Box(cuboid) = self.shape else { return None };
        let centre = Point::from(self.pose.translation.vector);
        Some(PlacedBox { centre, axes: self.axes, half_extents: cuboid.half_extents() })
    }

    /// The part of the core's surface that looks along the unit `direction` (of the query).
    pub(super) fn patch(&self, direction: &Vector, limits: &Limits) -> Patch {
        if let Some(placed) = self.placed_box() {
            return placed.patch(direction);
        }
        if let Some(flat) = self.flat_patch(direction, limits) {
            return flat;
        }
        self.true_patch(direction, limits)
    }

    /// The side of a smooth surface that looks along the unit `direction` (of the query), where it is flat for all that counts.
    fn flat_patch(&self, direction: &Vector, limits: &Limits) -> Option<Patch> {
        let Shape::Field(field) = self.shape else { return None };
        let local = self.axes.tr_mul(direction);
        let side = self.map.flat_side(&local, FLAT * limits.snap)?;
        let mut patch = Patch::empty();
        patch.face = Feature::Face(1 + side.number);
        patch.normal = side.normal;
        patch.bulge = Some(Box::new(Bulge::new(field, side.normal)));
        patch.extras.push((side.middle, Feature::Vertex(MIDDLES + side.number)));
        for (k, corner) in (CORNERS * side.number..).zip(&side.corners) {
            patch.push(*corner, Feature::Vertex(k), Feature::Edge(k));
        }
        // Where it leans, the place where it touches a plane is told as well.
        let lowest = self.map.support(&local, 0);
        let reach = |p: &Point| local.dot(&p.coords);
        let corners = patch.vertices.iter().chain([&side.middle]);
        if reach(&lowest.point) > corners.map(reach).fold(Real::NEG_INFINITY, Real::max) + limits.snap {
            patch.extras.push((lowest.point, self.map.feature_of(&[lowest.vertex])));
        }
        patch.transform(&self.axes, &self.pose.translation.vector);
        Some(patch)
    }

    /// [`ConvexSide::patch`] where nothing but what is flat counts as flat.
    pub(super) fn true_patch(&self, direction: &Vector, limits: &Limits) -> Patch {
        let local = self.axes.tr_mul(direction);
        let mut patch = match self.shape {
            Shape::Ball(ball) => {
                let mut patch = point_patch(Point::origin(), Feature::Face(0));
                patch.radius = ball.radius();
                patch
            }
            Shape::Capsule(capsule) => capsule_patch(capsule),
            Shape::Cylinder(cylinder) => cylinder_patch(cylinder, &local, limits.snap),
            Shape::Cone(cone) => cone_patch(cone, &local, limits.snap),
            Shape::Convex(hull) => hull_patch(hull, &local, limits.snap, limits.margin),
            _ => match self.mesh {
                Some(mesh) => mesh_patch(mesh, &local, limits),
                None => polygon_patch(self.map, &local),
            },
        };
        patch.transform(&self.axes, &self.pose.translation.vector);
        patch
    }

    /// The furthest point of the core along `direction` (of the query), and the feature it is.
    pub(super) fn support(&self, direction: &Vector) -> (Point, Feature) {
        let support = self.map.support(&self.axes.tr_mul(direction), 0);
        let place = Point::from(self.axes * support.point.coords + self.pose.translation.vector);
        (place, self.local_feature_at(&support.point, &[support.vertex]))
    }

    /// How far the solid reaches along the unit `direction`, from the query's origin, metres.
    pub(super) fn reach(&self, direction: &Vector) -> Real {
        let local = self.axes.tr_mul(direction);
        let core = self.map.support(&local, 0).point.coords.dot(&local);
        core + self.pose.translation.vector.dot(direction) + self.map.radius()
    }

    /// The outward unit normals of the faces that may look along `direction` (all of the query).
    pub(super) fn faces_towards(&self, direction: &Vector) -> [Option<Vector>; 2] {
        let local = self.axes.tr_mul(direction);
        let (x, z) = across(&local);
        let faces = match self.shape {
            Shape::Ball(_) | Shape::Capsule(_) => [None, None],
            Shape::Box(_) => {
                let mut face = Vector::zeros();
                let k = local.iamax();
                face[k] = 1.0_f64.copysign(local[k]);
                [Some(face), None]
            }
            Shape::Cylinder(_) => [Some(Vector::y() * 1.0_f64.copysign(local.y)), Some(Vector::new(x, 0.0, z))],
            Shape::Cone(cone) => {
                let (h, r) = (2.0 * cone.half_height(), cone.radius());
                [Some(-Vector::y()), Some(Vector::new(h * x, r, h * z) / hypotenuse(h, r))]
            }
            _ => {
                let mut polygon = Vec::new();
                self.map.support_face(&local, &mut polygon);
                [polygon_normal(&polygon), None]
            }
        };
        faces.map(|face| face.map(|face| self.axes * face))
    }

    /// The outward unit normal of a smooth part of the surface at `own`, its place nearest to `other` but for a small error (all of the query).
    pub(super) fn smooth_normal(&self, own: &Point, other: &Point) -> Option<Vector> {
        let local = |p: &Point| Point::from(self.axes.tr_mul(&(p.coords - self.pose.translation.vector)));
        let normal = match self.shape {
            Shape::Cylinder(cylinder) => Lateral::of_cylinder(cylinder).normal_towards(&local(other))?,
            Shape::Cone(cone) => Lateral::of_cone(cone).normal_towards(&local(other))?,
            Shape::Field(field) => field.as_field().tangent(&local(own))?.normal,
            _ => return None,
        };
        Some(self.axes * normal)
    }

    /// Whether the feature is a flat face: what is over it has its normal, wherever it is.
    pub(super) fn is_flat(&self, feature: Feature) -> bool {
        let Feature::Face(face) = feature else { return false };
        match self.shape {
            Shape::Box(_) | Shape::Convex(_) | Shape::Mesh(_) => true,
            Shape::Cylinder(_) => face < 2,
            Shape::Cone(_) => face == 0,
            _ => false,
        }
    }

    /// The feature of a place of the core (in the query's frame) that the given support vertices span.
    pub(super) fn feature_at(&self, place: &Point, vertices: &[u32]) -> Feature {
        match self.shape {
            Shape::Cylinder(_) | Shape::Cone(_) => {
                let local = Point::from(self.axes.tr_mul(&(place.coords - self.pose.translation.vector)));
                self.local_feature_at(&local, vertices)
            }
            _ => self.local_feature_at(place, vertices),
        }
    }

    /// Round solids have no support vertices: the place itself says on which part of the surface it lies.
    fn local_feature_at(&self, local: &Point, vertices: &[u32]) -> Feature {
        let on_rim = |radius: Real| hypotenuse(local.x, local.z) >= radius * (1.0 - ROUND);
        match self.shape {
            Shape::Ball(_) => Feature::Face(0),
            Shape::Cylinder(cylinder) => {
                let cap = u32::from(local.y > 0.0);
                match (local.y.abs() >= cylinder.half_height() * (1.0 - ROUND), on_rim(cylinder.radius())) {
                    (true, true) => Feature::Edge(cap),
                    (true, false) => Feature::Face(cap),
                    _ => Feature::Face(2),
                }
            }
            Shape::Cone(cone) => {
                let h = cone.half_height();
                if local.y >= h * (1.0 - ROUND) {
                    Feature::Vertex(0)
                } else if local.y > -h * (1.0 - ROUND) {
                    Feature::Face(1)
                } else if on_rim(cone.radius()) {
                    Feature::Edge(0)
                } else {
                    Feature::Face(0)
                }
            }
            _ => {
                let feature = self.map.feature_of(vertices);
                self.mesh.map_or(feature, |mesh| mesh.in_mesh(feature))
            }
        }
    }
}

/// The share of a round solid's size within which a place counts as on its rim.
const ROUND: Real = 1e-6;

fn mesh_patch(mesh: &MeshPolyhedron, direction: &Vector, limits: &Limits) -> Patch {
    let mut patch = hull_patch(mesh.polyhedron(), direction, limits.snap, limits.margin);
    patch.rename(|feature| mesh.in_mesh(feature));
    patch
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

/// The polygon of cap `cap` at height `y`, whose outward normal is along y, towards the unit `direction`. Its corners are
/// numbered from `8 · cap`, its sides from `2 + 8 · cap`: apart from the rims themselves, which are edges 0 and 1.
///
/// Where it leans, the place of the rim that is furthest along the direction is told as well if all corners are less far by more than `snap` metres.
fn cap_patch(cap: u32, radius: Real, y: Real, direction: &Vector, snap: Real) -> Patch {
    let side = 1.0_f64.copysign(direction.y);
    let mut patch = Patch::empty();
    patch.normal = Vector::new(0.0, side, 0.0);
    patch.face = Feature::Face(cap);
    patch.rim = Some(Rim::new(Point::new(0.0, y, 0.0), radius));
    patch.curved = Some(*direction);
    for i in 0..CAP_CORNERS {
        // From x to z is clockwise seen from above.
        let (k, chord) =
            if side > 0.0 { (CAP_CORNERS - 1 - i, (2 * CAP_CORNERS - 2 - i) % CAP_CORNERS) } else { (i, i) };
        let numbered = |n: u32| n + CAP_CORNERS * cap;
        patch.push(rim_corner(k, radius, y), Feature::Vertex(numbered(k)), Feature::Edge(2 + numbered(chord)));
    }
    let (x, z) = across(direction);
    let lowest = Point::new(radius * x, y, radius * z);
    let reach = |p: &Point| direction.dot(&p.coords);
    if reach(&lowest) > patch.vertices.iter().map(reach).fold(Real::NEG_INFINITY, Real::max) + snap {
        patch.extras.push((lowest, Feature::Edge(cap)));
    }
    patch
}

fn point_patch(point: Point, feature: Feature) -> Patch {
    let mut patch = Patch::empty();
    patch.face = feature;
    patch.push(point, feature, feature);
    patch
}

/// The place of a rim that is furthest along a direction between those of the surfaces that meet there.
fn rim_patch(place: Point, rim: Feature, direction: &Vector) -> Patch {
    Patch { curved: Some(*direction), ..point_patch(place, rim) }
}

/// A generator of a lateral surface.
fn generator_patch(lateral: Lateral, ends: [(Point, Feature); 2], side: Feature) -> Patch {
    let mut patch = Patch::empty();
    patch.lateral = Some(lateral);
    patch.face = side;
    for (end, feature) in ends {
        patch.push(end, feature, side);
    }
    patch
}

/// The unit direction across y, or x for a direction along y.
fn across(direction: &Vector) -> (Real, Real) {
    let length = hypotenuse(direction.x, direction.z);
    if length > 0.0 { (direction.x / length, direction.z / length) } else { (1.0, 0.0) }
}

fn cylinder_patch(cylinder: &Cylinder, direction: &Vector, snap: Real) -> Patch {
    let (radius, h) = (cylinder.radius(), cylinder.half_height());
    let (x, z) = across(direction);
    let rim = |y: Real| Point::new(radius * x, y, radius * z);
    if direction.y.abs() > FACING {
        let cap = u32::from(direction.y > 0.0);
        cap_patch(cap, radius, h.copysign(direction.y), direction, snap)
    } else if hypotenuse(direction.x, direction.z) > FACING {
        let ends = [(rim(-h), Feature::Edge(0)), (rim(h), Feature::Edge(1))];
        generator_patch(Lateral::of_cylinder(cylinder), ends, Feature::Face(2))
    } else {
        rim_patch(rim(h.copysign(direction.y)), Feature::Edge(u32::from(direction.y > 0.0)), direction)
    }
}

fn cone_patch(cone: &Cone, direction: &Vector, snap: Real) -> Patch {
    let (radius, h) = (cone.radius(), cone.half_height());
    let (x, z) = across(direction);
    // The outward normal of the side is (2h, radius) in the plane of the axis and the direction.
    let slant = hypotenuse(2.0 * h, radius);
    let along_side = (hypotenuse(direction.x, direction.z) * 2.0 * h + direction.y * radius) / slant;
    let (apex, rim) = (Point::new(0.0, h, 0.0), Point::new(radius * x, -h, radius * z));
    if direction.y < -FACING {
        cap_patch(0, radius, -h, direction, snap)
    } else if along_side > FACING {
        let ends = [(rim, Feature::Edge(0)), (apex, Feature::Vertex(0))];
        generator_patch(Lateral::of_cone(cone), ends, Feature::Face(1))
    } else if direction.y / direction.norm() > radius / slant {
        point_patch(apex, Feature::Vertex(0))
    } else {
        rim_patch(rim, Feature::Edge(0), direction)
    }
}

/// The unit normal of a polygon by all its corners (Newell's sum); `None` where there is none.
fn polygon_normal(polygon: &[Point]) -> Option<Vector> {
    let first = polygon.first()?;
    let mut normal = Vector::zeros();
    for pair in polygon.windows(2) {
        normal += (pair[0] - first).cross(&(pair[1] - first));
    }
    normal.try_normalize(0.0)
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
    for (k, p) in polygon.iter().enumerate() {
        let numbered = number.wrapping_mul(64).wrapping_add(k as u32);
        let corner = if count == 1 { face } else { Feature::Vertex(numbered) };
        let edge = if count == 2 { face } else { Feature::Edge(numbered) };
        patch.push(*p, corner, edge);
    }
    patch.normal = polygon_normal(&polygon).unwrap_or(*direction);
    patch.curved = (count == 1).then_some(*direction);
    patch
}
