//! Fields on flat floors touch them where they are lowest, with the floor's normal: what slides goes straight on, and what rolls, rolls.

use ccd_core::contact::{ContactCache, find_contacts};
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::fields::as_one_field;

fn ball(radius: Real, x: Real) -> (Shape, Pose) {
    (Shape::ball(radius).unwrap(), Pose::translation(x, 0.0, 0.0))
}

fn hollow_ball() -> Shape {
    Shape::csg(Operation::Difference, &[ball(0.3, 0.0), ball(0.1, 0.0)]).unwrap()
}

/// As one field, and met ball by ball.
fn two_balls() -> [Shape; 2] {
    let union = Shape::csg(Operation::Union, &[ball(0.3, -0.3), ball(0.3, 0.3)]).unwrap();
    [as_one_field(&union), union]
}

/// Floors with their tops at height zero.
fn floors() -> [(Shape, Pose); 2] {
    let slab = Shape::cuboid([20.0, 1.0, 20.0]).unwrap();
    [(Shape::half_space(Vector::y()).unwrap(), Pose::identity()), (slab, Pose::translation(0.0, -1.0, 0.0))]
}

#[test]
fn both_balls_of_a_union_touch_a_floor_where_they_are_lowest() {
    two_balls().iter().for_each(assert_both_balls_touch_where_they_are_lowest);
}

fn assert_both_balls_touch_where_they_are_lowest(balls: &Shape) {
    for (floor, place) in floors() {
        for gap in [2e-5, 1e-4, 5e-4] {
            for turn in [0.0, 0.001, 0.01, 1.0] {
                let turned = Rotation::from_scaled_axis(Vector::y() * turn);
                let pose = Pose::from_parts(Vector::new(0.013, 0.3 + gap, 0.0).into(), turned);
                let (mut cache, mut found) = (ContactCache::default(), Vec::new());
                find_contacts(&floor, &place, balls, &pose, 1e-3, &mut cache, &mut found);
                let feet = [-0.3, 0.3].map(|x| pose * nalgebra::Point3::new(x, -0.3, 0.0));
                assert_eq!(found.len(), 2, "gap {gap}, turn {turn}: {found:?}");
                for c in &found {
                    let nearest = feet.iter().map(|foot| (foot - c.point_b).norm()).fold(Real::INFINITY, Real::min);
                    assert!(
                        nearest < 1e-6 && (c.normal - Vector::y()).norm() < 1e-9 && (c.separation - gap).abs() < 1e-9,
                        "{c:?}"
                    );
                }
            }
        }
    }
}

/// What slides at `speed` for a second and a half, and its velocities then.
fn slides(floor: &(Shape, Pose), shape: &Shape, height: Real, speed: Real, friction: Real) -> (Vector, Vector, Real) {
    let mut world = World::new(WorldSettings::default()).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, floor.0.clone(), floor.1)).unwrap();
    let place = Pose::translation(0.0, height + 2e-5, 0.0);
    let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), place);
    body.linear_velocity.x = speed;
    body.material.friction = friction;
    let id = world.add_body(body).unwrap();
    let mut highest: Real = 0.0;
    for _ in 0..90 {
        world.step(1.0 / 60.0).unwrap();
        highest = highest.max(world.body(id).unwrap().pose().translation.y - height);
    }
    let body = world.body(id).unwrap();
    (*body.linear_velocity(), *body.angular_velocity(), highest)
}

#[test]
fn fields_slide_straight_on_without_friction() {
    let [one_field, by_balls] = two_balls();
    let torus = Shape::torus(0.4, 0.1).unwrap();
    let shapes = [(hollow_ball(), 0.3), (one_field, 0.3), (by_balls, 0.3), (torus, 0.1)];
    for floor in &floors() {
        for (shape, height) in &shapes {
            for speed in [1.0, 6.0] {
                let (v, w, highest) = slides(floor, shape, *height, speed, 0.0);
                let told = format!("{speed} m/s: {v} {w}, {highest} m up");
                assert!((v - Vector::x() * speed).norm() < 1e-4 * speed && w.norm() < 1e-3 && highest < 1e-4, "{told}");
            }
        }
    }
}

#[test]
fn a_union_that_is_a_ball_rolls_at_five_sevenths_of_its_first_speed() {
    let union = Shape::csg(Operation::Union, &[ball(0.3, 0.0), ball(0.2, 0.0)]).unwrap();
    for floor in &floors() {
        for union in [&as_one_field(&union), &union] {
            let (v, w, _) = slides(floor, union, 0.3, 2.0, 0.5);
            // Its mass comes from cells.
            assert!(
                (v - Vector::x() * (10.0 / 7.0)).norm() < 5e-3 && (w + Vector::z() * (v.x / 0.3)).norm() < 1e-3,
                "{v} {w}"
            );
        }
    }
}

#[test]
fn a_plank_slides_to_and_fro_in_a_half_pipe_that_was_cut_out_and_no_cell_is_looked_at() {
    let along_z = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
    let drill = (Shape::cylinder(1.0, 4.0).unwrap(), Pose::from_parts(Vector::new(0.0, 0.6, 0.0).into(), along_z));
    let block = (Shape::cuboid([1.2, 0.6, 3.0]).unwrap(), Pose::identity());
    let pipe = Shape::csg(Operation::Difference, &[block, drill]).unwrap();
    let mut world = World::new(WorldSettings::default()).unwrap();
    let mut definition = BodyDefinition::new(BodyKind::Static, pipe, Pose::translation(0.0, 0.4, 0.0));
    definition.material.friction = 0.0;
    world.add_body(definition).unwrap();
    // Its lower edges lie along the wall, 30 degrees up.
    let half: [Real; 3] = [0.2, 0.05, 0.5];
    let turn = Rotation::from_scaled_axis(Vector::z() * std::f64::consts::FRAC_PI_6);
    let depth = (1.0 - half[0] * half[0]).sqrt() - half[1] - 2e-5;
    let place = Vector::new(0.0, 1.0, 0.0) - turn * Vector::y() * depth;
    let mut definition =
        BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid(half).unwrap(), Pose::from_parts(place.into(), turn));
    definition.material.friction = 0.0;
    let plank = world.add_body(definition).unwrap();
    let (start, mut lowest) = (world.energy().total(), Real::INFINITY);
    let lowest_energy = world.body(plank).unwrap().mass_properties().mass * 9.81 * (1.0 - depth);
    for _ in 0..180 {
        let report = world.step(1.0 / 60.0).unwrap();
        assert_eq!((report.counters.query.nodes_visited, report.time_lost), (0, 0.0));
        let pose = world.body(plank).unwrap().pose();
        lowest = lowest.min(pose.translation.y);
        let turned_aside = pose.rotation * Vector::z() - Vector::z();
        assert!(pose.translation.z.abs() < 1e-6 && turned_aside.norm() < 1e-6, "{pose}");
    }
    let share = (world.energy().total() - lowest_energy) / (start - lowest_energy);
    assert!((0.97..1.0 + 1e-3).contains(&share) && lowest < 1.0 - depth + 1e-3, "{share} of its energy, {lowest} m");
}
