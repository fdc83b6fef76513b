//! Hierarchies and response: mass, the mean of contacts, the equations of motion (E13, E14, E24).

use ccd_core::contact::{ContactCache, ContactPoint, ContactSearch, ReductionMethod, find_contacts_by};
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::mass::MassKind;
use ccd_core::math::{Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::models::{box_mesh, box_triangles, mesh};

#[test]
fn e13_a_closed_mesh_has_the_mass_of_its_volume_and_mass_points_at_its_corners_thrice_the_inertia() {
    let (vertices, triangles) = box_triangles([0.5; 3]);
    let per_corner = vertices.iter().map(|p| p.x * p.x + p.y * p.y).sum::<Real>() / vertices.len() as Real;
    let (mass, kind) = box_mesh([0.5; 3]).mass_properties(1.0).unwrap();
    assert_eq!(kind, MassKind::Exact);
    assert!((mass.mass - 1.0).abs() < 1e-12 && (mass.inertia.m33 - 1.0 / 6.0).abs() < 1e-12);
    assert!((per_corner / mass.inertia.m33 - 3.0).abs() < 1e-12, "the premise");
    let open = mesh((vertices, triangles[1..].to_vec()));
    assert_eq!(open.mass_properties(1.0).unwrap().1, MassKind::MassPoints);
}

#[test]
fn e14_the_mean_of_the_contacts_of_a_beam_on_two_posts_is_where_nothing_touches_and_is_found_only_when_asked_for() {
    let post = |x: Real| (Pose::translation(x, -0.5, 0.0), Shape::cuboid([0.1, 0.5, 0.1]).unwrap());
    let posts = Shape::compound([post(-1.0), post(1.0)]).unwrap();
    let beam = Shape::cuboid([2.0, 0.1, 0.1]).unwrap();
    let found = |reduction| -> Vec<ContactPoint> {
        let (search, mut points) = (ContactSearch { margin: 1e-3, tolerance: 1e-4, reduction }, Vec::new());
        let above = Pose::translation(0.0, 0.1 + 5e-5, 0.0);
        find_contacts_by(
            (&posts, &Pose::identity()),
            (&beam, &above),
            &search,
            &mut ContactCache::default(),
            &mut points,
        );
        points
    };
    let average = found(ReductionMethod::Average);
    assert!(average.len() == 1 && average[0].midpoint().x.abs() < 1e-9, "{average:?}");
    let default = found(ReductionMethod::default());
    assert!(default.len() >= 4 && default.iter().all(|c| c.midpoint().x.abs() > 0.89), "{default:?}");
}

#[test]
fn e24_a_body_without_a_torque_keeps_its_angular_momentum_and_not_its_angular_velocity() {
    let settings = WorldSettings { gravity: Vector::zeros(), parallel: false, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let plate = box_mesh([0.5, 0.3, 0.1]);
    let mut body = BodyDefinition::new(BodyKind::Dynamic, plate, Pose::identity());
    body.angular_velocity = Vector::new(1.0, 2.0, 0.5);
    let id = world.add_body(body).unwrap();
    let state = |world: &World| {
        let body = world.body(id).unwrap();
        (body.inertia(body.pose()) * body.angular_velocity(), *body.angular_velocity())
    };
    let (momentum, spin) = state(&world);
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
    }
    let (after, turned) = state(&world);
    assert!((turned - spin).norm() > 0.3, "by τ = Iα it would spin on as it did: {turned}");
    assert!((after - momentum).norm() < 1e-4 * momentum.norm(), "{after} {momentum}");
}

#[test]
fn e24_the_centre_of_mass_does_not_depend_on_the_density() {
    let (vertices, triangles) = box_triangles([0.5; 3]);
    let shape = mesh((vertices.iter().map(|p| p + Vector::new(3.0, 0.0, 0.0)).collect(), triangles));
    for density in [1.0, 700.0] {
        let (mass, _) = shape.mass_properties(density).unwrap();
        assert!((mass.com.coords - Vector::new(3.0, 0.0, 0.0)).norm() < 1e-12, "{}", mass.com);
    }
}
