//! Intersections of half-spaces and balls as the convex solids that they are.
//!
//! **Why.** A convex solid with a support mapping is asked by all methods for convex solids, in microseconds; by cells of space it takes a thousand times
//! as long. Dice that are rounded by a ball, lenses and domes are that. **Limits.** Parts of other kinds leave the whole to cells.

use std::f64::consts::TAU;

use super::csg_part::CsgPart;
use super::intersection::{Best, Boundary, Goal, Intersection};
use super::query;
use super::{Sphere, SurfacePoint};
use crate::geometry::feature::Feature;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector, orthonormal_basis};
use crate::volume::Aabb;

/// Parts with more faces together are left to cells, where faces that are far are left out.
const MOST_BOUNDARIES: usize = 128;
/// Corners of the polygon in a face: at least as many as the face has, and enough for what stands on a round one.
const CORNERS: u32 = 12;
/// Corners nearer to each other than this share of the size are one.
const SAME: Real = 1e-9;
/// What is thinner than this share of its size is left to cells, which find nothing in what is empty.
const THIN: Real = 1e-6;
/// A flat face stands for what looks along a direction if its normal is no further from it (the cosine).
const FACING: Real = 0.7;

/// The support mapping of an intersection.
#[derive(Clone, Debug)]
pub(super) struct CsgConvex {
    solid: Intersection,
    faces: Vec<Face>,
    inside: Point,
    aabb: Aabb,
    sphere: Sphere,
}

/// A polygon in a flat face, its corners counter-clockwise seen from outside.
#[derive(Clone, Debug)]
struct Face {
    /// Among the boundaries.
    boundary: u32,
    normal: Vector,
    corners: Vec<Point>,
}

impl CsgConvex {
    /// The intersection of some parts within a box; `None` where one is none of half-spaces and balls, and where it has no inside.
    pub(super) fn new(parts: &[&CsgPart], aabb: &Aabb) -> Option<Self> {
        let mut boundaries: Vec<Boundary> = Vec::new();
        for part in parts {
            boundaries.extend(part.solid.boundaries()?.iter().map(|boundary| boundary.placed(&part.pose)));
        }
        let around = query::sphere_of(aabb);
        if boundaries.len() > MOST_BOUNDARIES || !around.radius.is_finite() {
            return None;
        }
        let solid = Intersection::new(boundaries, around.centre, around.radius);
        let along = |direction: Vector| match solid.best(&Goal::Along(direction), None) {
            Best::Place(place) => Some(place),
            Best::Beyond(_) | Best::Nothing => None,
        };
        let mut sum = Vector::zeros();
        let mut tight = *aabb;
        for k in 0..3 {
            let mut axis = Vector::zeros();
            axis[k] = 1.0;
            let (high, low) = (along(axis)?, along(-axis)?);
            sum += high + low;
            let pad = 1e-12 * (around.radius + around.centre.coords.amax());
            (tight.min[k], tight.max[k]) = (aabb.min[k].max(low[k] - pad), aabb.max[k].min(high[k] + pad));
        }
        let inside = Point::from(sum / 6.0);
        let room = |boundary: &Boundary| match boundary {
            Boundary::Plane { normal, offset } => offset - normal.dot(&inside.coords),
            Boundary::Sphere { centre, radius } => radius - (inside - centre).norm(),
        };
        let depth = solid.boundaries().iter().map(room).fold(Real::INFINITY, Real::min);
        if depth.is_nan() || depth <= THIN * around.radius {
            return None;
        }
        let balls = solid.boundaries().iter().filter_map(|boundary| match *boundary {
            Boundary::Sphere { centre, radius } => Some(Sphere { centre, radius: radius * (1.0 + 1e-12) }),
            Boundary::Plane { .. } => None,
        });
        let box_sphere = query::sphere_of(&tight);
        let sphere = balls.fold(box_sphere, |least, ball| if ball.radius < least.radius { ball } else { least });
        let faces = faces_of(&solid, around.radius);
        Some(Self { solid, faces, inside, aabb: tight, sphere })
    }

    pub(super) fn boundaries(&self) -> &[Boundary] {
        self.solid.boundaries()
    }

    /// The box and the sphere around it.
    pub(super) fn extent(&self) -> (Aabb, Sphere) {
        (self.aabb, self.sphere)
    }

    /// The point nearest to one outside.
    pub(super) fn nearest(&self, point: &Point) -> Option<SurfacePoint> {
        let Best::Place(place) = self.solid.best(&Goal::Near(point.coords), None) else { return None };
        let normal = (point.coords - place).try_normalize(1e-12 * self.sphere.radius)?;
        Some(SurfacePoint { point: place.into(), normal })
    }
}

/// The flat faces of what is left of an intersection.
fn faces_of(solid: &Intersection, size: Real) -> Vec<Face> {
    let mut faces = Vec::new();
    for (i, boundary) in solid.boundaries().iter().enumerate() {
        let Boundary::Plane { normal, .. } = *boundary else { continue };
        let (u, v) = orthonormal_basis(&normal);
        let mut corners: Vec<Point> = Vec::new();
        for k in 0..CORNERS {
            // Along none of the axes, where a side has no furthest end.
            let (sin, cos) = ((Real::from(k) + 0.5) * TAU / Real::from(CORNERS)).sin_cos();
            let Best::Place(corner) = solid.best(&Goal::Along(u * cos + v * sin), Some(i)) else { break };
            let corner = Point::from(corner);
            if corners.iter().all(|known| (known - corner).norm() > SAME * size) {
                corners.push(corner);
            }
        }
        let turns = |c: &[Point]| (c[1] - c[0]).cross(&(c[2] - c[0])).dot(&normal);
        if corners.len() >= 3 {
            if turns(&corners) < 0.0 {
                corners.reverse();
            }
            faces.push(Face { boundary: i as u32, normal, corners });
        }
    }
    faces
}

impl SupportMap for CsgConvex {
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let unit = direction.try_normalize(0.0).unwrap_or_else(Vector::y);
        let point = match self.solid.best(&Goal::Along(unit), None) {
            Best::Place(place) | Best::Beyond(place) => place,
            // The corner of the box around it is never within.
            Best::Nothing => Vector::from_fn(|k, _| if unit[k] < 0.0 { self.aabb.min[k] } else { self.aabb.max[k] }),
        };
        SupportPoint { point: point.into(), vertex: SupportPoint::CURVED }
    }

    fn interior_point(&self) -> Point {
        self.inside
    }

    fn feature_of(&self, _vertices: &[u32]) -> Feature {
        Feature::Face(self.solid.boundaries().len() as u32)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        let middle = self.aabb.centre();
        let of_box = query::box_reach(&self.aabb.half_extents(), &(centre - middle.coords), axis);
        let of_sphere = (self.sphere.centre - centre).cross(axis).norm() + self.sphere.radius;
        of_box.min(of_sphere * (1.0 + 1e-12))
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        let towards = |face: &Face| face.normal.dot(direction);
        let nearest = self.faces.iter().max_by(|f, g| towards(f).total_cmp(&towards(g)));
        match nearest.filter(|face| towards(face) > FACING) {
            Some(face) => {
                polygon.extend_from_slice(&face.corners);
                Feature::Face(face.boundary)
            }
            None => {
                polygon.push(self.support(direction, 0).point);
                self.feature_of(&[])
            }
        }
    }

    fn each_face_at(&self, direction: &Vector, look: &mut dyn FnMut(Vector)) {
        let place = self.support(direction, 0).point;
        let holds = |face: &&Face| (place - face.corners[0]).dot(&face.normal).abs() <= SAME * self.sphere.radius;
        self.faces.iter().filter(holds).for_each(|face| look(face.normal));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::geometry::field::{Csg, Field, Operation};
    use crate::geometry::primitive::{Ball, Cuboid, Cylinder, HalfSpace};
    use crate::geometry::solid::Solid;
    use crate::math::Pose;

    fn of(operation: Operation, parts: [(Arc<dyn Field>, Real); 2]) -> Csg {
        let placed = |(solid, y): (Arc<dyn Field>, Real)| CsgPart::new(solid, Pose::translation(0.0, y, 0.0));
        Csg::new(operation, parts.map(placed).to_vec()).unwrap()
    }

    fn ball(radius: Real) -> Arc<dyn Field> {
        Arc::new(Ball::try_new(radius).unwrap())
    }

    #[test]
    fn a_die_stands_on_discs_and_is_as_large_as_it_is() {
        let block = || Arc::new(Cuboid::try_new([0.4; 3]).unwrap());
        let die = of(Operation::Intersection, [(block(), 0.0), (ball(0.5), 0.0)]);
        let map = die.support_map().unwrap();
        let mut polygon = Vec::new();
        map.support_face(&Vector::new(0.1, -1.0, 0.05).normalize(), &mut polygon);
        assert_eq!(polygon.len(), 12);
        for corner in &polygon {
            assert!((corner.y + 0.4).abs() < 1e-12 && (corner.coords.norm() - 0.5).abs() < 1e-12, "{corner}");
        }
        let normal = (polygon[1] - polygon[0]).cross(&(polygon[2] - polygon[0]));
        assert!(normal.y < 0.0, "{normal}");
        assert!((die.bounding_sphere().radius - 0.5).abs() < 1e-9);
        polygon.clear();
        map.support_face(&Vector::new(1.0, 1.0, 1.0).normalize(), &mut polygon);
        assert!(polygon.len() == 1 && (polygon[0].x - 0.5 / 3.0_f64.sqrt()).abs() < 1e-12);
        // A face that the ball leaves nothing of is none.
        let round =
            of(Operation::Intersection, [(Arc::new(Cuboid::try_new([0.4, 2.0, 0.4]).unwrap()), 0.0), (ball(0.5), 0.0)]);
        polygon.clear();
        round.support_map().unwrap().support_face(&Vector::y(), &mut polygon);
        assert_eq!(polygon, [Point::new(0.0, 0.5, 0.0)]);
    }

    #[test]
    fn what_is_empty_thin_or_of_other_parts_is_left_to_cells() {
        let lens = |apart: Real| of(Operation::Intersection, [(ball(1.0), 0.0), (ball(1.0), apart)]);
        assert!(lens(1.0).support_map().is_some() && lens(1.9999).support_map().is_some());
        assert!(lens(2.0).support_map().is_none() && lens(1.0 + 1.0 - 1e-9).support_map().is_none());
        let drum: Arc<dyn Field> = Arc::new(Cylinder::try_new(0.5, 0.5).unwrap());
        assert!(of(Operation::Intersection, [(ball(0.6), 0.0), (drum, 0.0)]).support_map().is_none());
        assert!(of(Operation::Union, [(ball(0.6), 0.0), (ball(0.5), 0.0)]).support_map().is_none());
        let ground: Arc<dyn Field> = Arc::new(HalfSpace::try_new(Vector::y()).unwrap());
        let bowl = of(Operation::Intersection, [(ball(0.5), 0.0), (ground, 0.2)]);
        assert!((bowl.local_aabb().max.y - 0.2).abs() < 1e-9);
        let found = bowl.nearest_outside(&Point::new(0.1, 0.7, 0.0)).unwrap();
        assert!(
            (found.point - Point::new(0.1, 0.2, 0.0)).norm() < 1e-12 && (found.normal - Vector::y()).norm() < 1e-12
        );
    }
}
