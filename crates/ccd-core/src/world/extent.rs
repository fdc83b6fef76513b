//! How far bodies reach: their rims, how thin they are, how wide their triangles.

use crate::contact::ContactPoint;
use crate::dynamics::Body;
use crate::math::{Real, Rotation, Vector};
use crate::motion::RigidMotion;
use crate::response::impulse::Velocity;
use crate::shape::Shape;

/// Of two surfaces of triangles only what is nearer than these are wide is looked for ahead, for within reach of slivers there are
/// thousands of others, most of which they never meet; and of fine ones only as far as a patch around a place where they touch reaches
/// that is this many triangles wide each way.
const PATCH: Real = 3.0;

/// A centre of mass that is further from the middle or the axis of a round body than this share of its reach is beside it.
const CENTRED: Real = 1e-9;
/// What lies on its side has its axis square to the normal but for this much, rad.
const LEVEL: Real = 1e-3;

/// No point of a body that spins at `spin` rad/s moves faster about its centre, m/s.
pub(super) fn rim_speed(body: &Body, spin: Real) -> Real {
    if spin == 0.0 { 0.0 } else { spin * body.reach() }
}

/// No points of two bodies that are at one place move faster with respect to each other, m/s.
pub(super) fn relative_speed([(a, of_a), (b, of_b)]: [(&Body, &RigidMotion); 2]) -> Real {
    let spin = (of_b.angular_velocity - of_a.angular_velocity).norm();
    // What of the other one is at a body's centre, and how much faster than that the body's rim.
    let at_a = of_b.velocity_of(&of_a.centre_at(0.0), 0.0) - of_a.linear_velocity;
    let at_b = of_a.velocity_of(&of_b.centre_at(0.0), 0.0) - of_b.linear_velocity;
    (at_a.norm() + rim_speed(a, spin)).min(at_b.norm() + rim_speed(b, spin))
}

/// Whether no point of A ever nears any point of B along `normal`, from A to B, world, however long the motions go on.
pub(super) fn parts_wholly([(a, of_a), (b, of_b)]: [(&Body, &Velocity); 2], normal: &Vector) -> bool {
    let turning = |body: &Body, motion: &Velocity| rim_speed(body, motion.angular.cross(normal).norm());
    (of_b.linear - of_a.linear).dot(normal) > turning(a, of_a) + turning(b, of_b)
}

/// What of a spin, rad/s, world, moves the surface of a body about its centre, where it touches others with these normals: a ball that rolls looks
/// the same all the while, and so does what turns about the axis that it is round about. A cylinder that leans on its rim goes where all of its
/// turn leads.
pub(super) fn turning_spin(body: &Body, rotation: &Rotation, spin: &Vector, touching: &[ContactPoint]) -> Vector {
    let centre = body.local_centre();
    let is_centred = |offset: Vector| offset.norm() <= CENTRED * body.reach();
    let axis = || rotation * Vector::y();
    let lies = || !touching.is_empty() && touching.iter().all(|p| lies_on_its_side(&axis(), &p.normal));
    let is_round_about_its_axis = match body.shape() {
        Shape::Ball(_) if is_centred(centre.coords) => return Vector::zeros(),
        Shape::Capsule(_) => true,
        Shape::Cylinder(_) => lies(),
        _ => false,
    };
    if is_round_about_its_axis && is_centred(Vector::new(centre.x, 0.0, centre.z)) {
        spin - axis() * axis().dot(spin)
    } else {
        *spin
    }
}

/// Whether what is round about an axis, unit, lies on its side where it touches something with this normal.
pub(super) fn lies_on_its_side(axis: &Vector, normal: &Vector) -> bool {
    axis.dot(normal).abs() < LEVEL
}

/// The least extent of the body's box in its own frame, metres.
pub(super) fn thickness(body: &Body) -> Real {
    let aabb = body.shape().as_solid().local_aabb();
    (aabb.max - aabb.min).min()
}

/// How far two bodies look for triangles of each other that they may come to, metres; infinite unless both have some. `dent`: how
/// deep dents searches for their contacts take for none.
pub(super) fn triangles_reach(bodies: [&Body; 2], dent: Real) -> Real {
    match bodies.map(|body| triangle_width(body.shape(), dent)) {
        [Some(a), Some(b)] => {
            let (width, patch) = (a.max(b), PATCH * a.max(b));
            let [r, s] = bodies.map(|body| 0.5 * thickness(body));
            // Round ones are that far apart at the rim of the patch; flat ones nowhere.
            let over_rim = patch * patch * (r + s) / (2.0 * r * s);
            if over_rim.is_finite() { width.min(over_rim) } else { width }
        }
        _ => Real::INFINITY,
    }
}

/// How wide the triangles are that a shape's contacts are found with, metres; the widest of a compound's parts.
fn triangle_width(shape: &Shape, dent: Real) -> Option<Real> {
    if let Some(compound) = shape.as_compound() {
        return compound.parts().iter().filter_map(|part| triangle_width(&part.shape, dent)).reduce(Real::max);
    }
    match shape {
        Shape::Mesh(mesh) => mesh.as_polyhedron(dent).is_none().then(|| mesh.triangle_width()),
        Shape::Patches(surface) => surface.stand_in().map(|stand_in| stand_in.mesh.triangle_width()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::{BodyDefinition, BodyKind};
    use crate::geometry::mesh::{TriMesh, samples};
    use crate::geometry::parametric::{BezierPatch, PatchSurface};
    use crate::math::{Point, Pose};
    use crate::world::{World, WorldSettings};

    #[test]
    fn whatever_contacts_are_found_with_triangles_has_a_width_of_them() {
        // A sheet of one square metre, bent so that it takes many triangles.
        let bent = BezierPatch::new(std::array::from_fn(|k| {
            let (x, z) = ((k / 4) as Real / 3.0, (k % 4) as Real / 3.0);
            Point::new(x, x * (1.0 - x) + z * z, z)
        }));
        let sheet = Shape::patches(PatchSurface::new(vec![bent]).unwrap());
        let width = triangle_width(&sheet, 0.0).unwrap();
        assert!(width > 0.0 && width < 0.1, "{width}");
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)].map(|(x, z)| Point::new(x, 0.0, z));
        let triangle = Shape::mesh(TriMesh::try_new(corners.to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap();
        let widest = triangle_width(&triangle, 0.0);
        assert!((widest.unwrap() - (0.5 as Real).sqrt()).abs() < 1e-12);
        let parts = [sheet, triangle, Shape::ball(0.1).unwrap()].map(|shape| (Pose::identity(), shape));
        assert_eq!(triangle_width(&Shape::compound(parts).unwrap(), 0.0), widest);
        assert_eq!(triangle_width(&Shape::ball(1.0).unwrap(), 0.0), None);
    }

    #[test]
    fn around_a_place_where_fine_round_surfaces_touch_no_more_is_looked_at_than_a_few_triangles() {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let mut add = |mesh: TriMesh, at: Real| {
            let definition =
                BodyDefinition::new(BodyKind::Dynamic, Shape::mesh(mesh).unwrap(), Pose::translation(at, 0.0, 0.0));
            world.add_body(definition).unwrap()
        };
        let square = [[0.0, 0.0], [0.01, 0.0], [0.01, 0.01], [0.0, 0.01]].map(|[x, z]| Point::new(x, 0.0, z));
        let flat = TriMesh::try_new(square.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let ids = [samples::ring(12, 6), samples::ring(192, 96), flat].map(|mesh| add(mesh, 0.0));
        let [coarse, fine, flat] = ids.map(|id| world.body(id).unwrap());
        let width = |body: &Body| triangle_width(body.shape(), 0.0).unwrap();
        let reach = |body| triangles_reach([body, body], 0.0);
        assert_eq!((reach(coarse), reach(flat)), (width(coarse), width(flat)));
        // Their tubes are round by half of their thickness.
        let radius = 0.25 * thickness(fine);
        assert!((reach(fine) - 4.5 * width(fine).powi(2) / radius).abs() < 1e-12 && reach(fine) < 0.8 * width(fine));
        assert_eq!(triangles_reach([fine, coarse], 0.0), width(coarse));
    }

    #[test]
    fn no_place_of_two_bodies_moves_faster_than_is_said_and_what_goes_as_one_does_not_move_at_all() {
        let random = |k: usize| (k as Real * 12.9898).sin();
        let vector = |k: usize| Vector::new(random(k), random(k + 1), random(k + 2));
        let mut world = World::new(WorldSettings::default()).unwrap();
        let mut seen = 0;
        for k in 0..40 {
            let mut add = |n: usize, [linear_velocity, angular_velocity]: [Vector; 2]| {
                let shape = Shape::cuboid([0.5, 0.1, 0.3 + 0.2 * random(n + 9)]).unwrap();
                let definition = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::new(vector(n), vector(n + 3)));
                let id = world.add_body(BodyDefinition { linear_velocity, angular_velocity, ..definition }).unwrap();
                world.body(id).unwrap().clone()
            };
            let [n, m] = [31 * k, 31 * k + 15];
            let turn = vector(n + 6) * 5.0;
            let a = add(n, [vector(m + 20), turn]);
            let as_one = vector(m + 20) + turn.cross(&(vector(m) - vector(n)));
            let b = add(m, if k % 2 == 0 { [vector(n + 22) * 3.0, vector(m + 6) * 5.0] } else { [as_one, turn] });
            let [of_a, of_b] = [&a, &b].map(Body::motion);
            let most = relative_speed([(&a, &of_a), (&b, &of_b)]);
            let mut places = 0;
            for j in 0..200 {
                let p = a.centre() + vector(7 * j + k) * a.reach();
                if (p - a.centre()).norm() <= a.reach() && (p - b.centre()).norm() <= b.reach() {
                    places += 1;
                    assert!((of_b.velocity_of(&p, 0.0) - of_a.velocity_of(&p, 0.0)).norm() <= most + 1e-12);
                }
            }
            if k % 2 == 1 {
                assert!(most < 1e-12, "{most}");
            }
            seen += usize::from(places > 0);
        }
        assert!(seen > 10, "{seen}");
    }

    #[test]
    fn what_flies_off_faster_than_its_rim_turns_back_parts_wholly_and_spin_about_the_normal_does_not_count() {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let mut add = |kind, height| {
            let cube = Shape::cuboid([0.5; 3]).unwrap();
            world.add_body(BodyDefinition::new(kind, cube, Pose::translation(0.0, height, 0.0))).unwrap()
        };
        let (floor, cube) = (add(BodyKind::Static, 0.0), add(BodyKind::Dynamic, 1.0));
        let [floor, cube] = [floor, cube].map(|id| world.body(id).unwrap());
        let parts = |linear: Vector, angular: Vector| {
            parts_wholly([(floor, &Velocity::default()), (cube, &Velocity { linear, angular })], &Vector::y())
        };
        // Its corners are 0.87 m from its centre.
        assert!(parts(Vector::y(), Vector::x()));
        assert!(!parts(Vector::y() * 0.8, Vector::x()));
        assert!(parts(Vector::y() * 0.8, Vector::y() * 100.0));
        assert!(!parts(Vector::y() * -0.1, Vector::zeros()));
        assert!(!parts(Vector::x(), Vector::zeros()), "it slides");
    }
}
