//! Carried bodies go where their carriers go, whatever happens to those within a step.

use ccd_core::dynamics::{BodyDefinition, BodyKind, Carrier, Material};
use ccd_core::id::{BodyId, PairKey};
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const DT: Real = 1.0 / 60.0;

fn weightless() -> World {
    World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap()
}

fn cuboid(kind: BodyKind, half: [Real; 3], x: Real) -> BodyDefinition {
    BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), Pose::translation(x, 0.0, 0.0))
}

fn ball(kind: BodyKind, radius: Real, x: Real) -> BodyDefinition {
    BodyDefinition::new(kind, Shape::ball(radius).unwrap(), Pose::translation(x, 0.0, 0.0))
}

/// Adds a body at its place on its carrier; the two do not meet.
fn add_carried(world: &mut World, mut definition: BodyDefinition, by: BodyId, place: Pose) -> BodyId {
    definition.pose = world.body(by).unwrap().pose() * place;
    definition.no_collide_group = Some(1);
    let id = world.add_body(definition).unwrap();
    world.body_mut(by).unwrap().no_collide_group = Some(1);
    world.body_mut(id).unwrap().carrier = Some(Carrier { body: by, place });
    id
}

fn pose(world: &World, id: BodyId) -> Pose {
    *world.body(id).unwrap().pose()
}

/// How far a carried body is from its place, metres and radians together.
fn off(world: &World, id: BodyId, by: BodyId, place: &Pose) -> Real {
    let (is, should) = (pose(world, id), pose(world, by) * place);
    (is.translation.vector - should.translation.vector).norm() + is.rotation.angle_to(&should.rotation)
}

#[test]
fn a_sensor_on_a_ball_that_bounces_off_a_wall_never_notices_what_is_behind_it() {
    let mut world = weightless();
    let wall = world.add_body(cuboid(BodyKind::Static, [0.1, 2.0, 2.0], 0.0)).unwrap();
    let behind = world.add_body(cuboid(BodyKind::Static, [0.1, 2.0, 2.0], 1.0)).unwrap();
    let mut shot = ball(BodyKind::Dynamic, 0.25, -3.0);
    shot.linear_velocity = Vector::x() * 300.0;
    shot.material = Material { restitution: 1.0, ..shot.material };
    let shot = world.add_body(shot).unwrap();
    let nose = ball(BodyKind::Kinematic, 0.3, 0.0);
    let nose = add_carried(&mut world, BodyDefinition { sensor: true, ..nose }, shot, Pose::identity());
    let (mut started, mut ended) = (Vec::new(), Vec::new());
    for _ in 0..10 {
        let report = world.step(DT).unwrap();
        started.extend(report.started.clone());
        ended.extend(report.ended.clone());
        assert!(off(&world, nose, shot, &Pose::identity()) < 1e-9);
    }
    assert!(world.body(shot).unwrap().linear_velocity().x < -290.0, "it came back");
    assert!(started.contains(&PairKey::new(wall, nose)), "the sensor reaches further than the ball");
    assert!(ended.contains(&PairKey::new(wall, nose)));
    assert!(!started.contains(&PairKey::new(behind, nose)), "five metres in a step do not take it through the wall");
    assert!(!started.contains(&PairKey::new(shot, nose)));
}

#[test]
fn what_a_chain_of_carriers_carries_is_in_place_after_every_step() {
    let mut world = weightless();
    // The carried come first in the order of slots.
    let tip = world.add_body(cuboid(BodyKind::Kinematic, [0.1; 3], 20.0)).unwrap();
    let arm = world.add_body(cuboid(BodyKind::Kinematic, [0.1; 3], 21.0)).unwrap();
    let mut base = cuboid(BodyKind::Kinematic, [0.1; 3], 0.0);
    base.linear_velocity = Vector::new(1.0, 2.0, -0.5);
    base.angular_velocity = Vector::new(3.0, -5.0, 8.0);
    let base = world.add_body(base).unwrap();
    let [place, further] = [0.8, -0.4]
        .map(|a: Real| Pose::from_parts(Vector::new(1.0, a, 0.3).into(), Rotation::from_euler_angles(a, 1.0, -a)));
    world.body_mut(arm).unwrap().carrier = Some(Carrier { body: base, place });
    world.body_mut(tip).unwrap().carrier = Some(Carrier { body: arm, place: further });
    for _ in 0..120 {
        world.step(DT).unwrap();
        assert!(off(&world, arm, base, &place) < 1e-9);
        assert!(off(&world, tip, arm, &further) < 1e-9);
    }
}

#[test]
fn a_carried_body_pushes_what_is_in_its_way() {
    let mut world = weightless();
    let mut lift = cuboid(BodyKind::Kinematic, [0.5; 3], 0.0);
    lift.linear_velocity = Vector::x() * 2.0;
    let lift = world.add_body(lift).unwrap();
    let shovel = cuboid(BodyKind::Kinematic, [0.1, 1.0, 1.0], 0.0);
    add_carried(&mut world, shovel, lift, Pose::translation(1.0, 0.0, 0.0));
    let load = world.add_body(cuboid(BodyKind::Dynamic, [0.5; 3], 2.0)).unwrap();
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    // The shovel's face is at 1.1 + 2 m; without friction and restitution the load keeps up with it.
    let x = pose(&world, load).translation.x;
    assert!((x - 3.6).abs() < 5e-3, "{x}");
    assert!((world.body(load).unwrap().linear_velocity().x - 2.0).abs() < 1e-6);
}

#[test]
fn own_velocities_are_added_to_the_carriers() {
    let mut world = weightless();
    let mut ferry = cuboid(BodyKind::Kinematic, [0.5; 3], 0.0);
    ferry.linear_velocity = Vector::x();
    let ferry = world.add_body(ferry).unwrap();
    let mut cart = cuboid(BodyKind::Kinematic, [0.1; 3], 0.0);
    cart.linear_velocity = Vector::z() * 0.5;
    let cart = add_carried(&mut world, cart, ferry, Pose::translation(0.0, 1.0, 0.0));
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    let at = pose(&world, cart).translation.vector;
    assert!((at - Vector::new(1.0, 1.0, 0.5)).norm() < 1e-9, "{at}");
}

#[test]
fn what_had_to_stop_rather_than_crush_catches_up() {
    let mut world = weightless();
    let mut base = cuboid(BodyKind::Kinematic, [0.1; 3], 0.0);
    base.linear_velocity = Vector::x();
    let base = world.add_body(base).unwrap();
    let place = Pose::translation(0.0, 2.0, 0.0);
    let press = add_carried(&mut world, cuboid(BodyKind::Kinematic, [0.1; 3], 0.0), base, place);
    let at = |kind, half, x| BodyDefinition { pose: Pose::translation(x, 2.0, 0.0), ..cuboid(kind, half, 0.0) };
    let wall = world.add_body(at(BodyKind::Static, [0.1; 3], 1.0)).unwrap();
    let victim = world.add_body(at(BodyKind::Dynamic, [0.1; 3], 0.7)).unwrap();
    let mut crushed = false;
    for _ in 0..60 {
        crushed |= world.step(DT).unwrap().crushed.contains(&press);
    }
    assert!(crushed && off(&world, press, base, &place) > 0.1, "it waits while the carrier goes on");
    world.remove_body(victim);
    world.remove_body(wall);
    world.step(DT).unwrap();
    assert!(off(&world, press, base, &place) < 1e-9);
}

#[test]
fn kinematic_bodies_pass_through_what_is_not_dynamic() {
    let mut world = weightless();
    world.add_body(cuboid(BodyKind::Static, [0.5; 3], 2.0)).unwrap();
    let mut door = cuboid(BodyKind::Kinematic, [0.5; 3], 1.8);
    door.linear_velocity = Vector::x();
    let door = world.add_body(door).unwrap();
    for _ in 0..60 {
        let report = world.step(DT).unwrap();
        assert!(report.separated.is_empty() && report.held.is_empty());
    }
    assert!((pose(&world, door).translation.x - 2.8).abs() < 1e-9);
}

#[test]
fn a_carried_body_whose_frame_is_not_about_its_centre_turns_as_one_whose_frame_is() {
    // The same ball twice, once described from a place beside it.
    let beside = Vector::new(0.7, -0.4, 0.2);
    let far =
        Shape::compound(vec![(Pose::translation(beside.x, beside.y, beside.z), Shape::ball(0.2).unwrap())]).unwrap();
    for sensor in [false, true] {
        for spin in [Vector::zeros(), Vector::new(3.0, 1.0, -2.0)] {
            let mut world = weightless();
            let mut wheel = ball(BodyKind::Dynamic, 0.25, 0.0);
            wheel.angular_velocity = Vector::new(1.0, 9.0, 2.0);
            wheel.linear_velocity = Vector::new(1.0, 2.0, 3.0);
            let wheel = world.add_body(wheel).unwrap();
            let place = Pose::translation(2.0, 0.5, 0.0);
            let near = BodyDefinition { sensor, ..ball(BodyKind::Kinematic, 0.2, 0.0) };
            let far = BodyDefinition { sensor, shape: far.clone(), ..near.clone() };
            let shifted = place * Pose::from_parts((-beside).into(), Rotation::identity());
            let pair = [add_carried(&mut world, near, wheel, place), add_carried(&mut world, far, wheel, shifted)];
            for id in pair {
                world.set_velocity(id, Vector::new(0.1, 0.0, 0.3), spin).unwrap();
            }
            for step in 0..30 {
                world.step(DT).unwrap();
                let [near, far] = pair.map(|id| world.body(id).unwrap());
                let apart = (near.centre() - far.centre()).norm() + near.pose().rotation.angle_to(&far.pose().rotation);
                assert!(apart < 1e-9, "sensor {sensor}, spin {spin}, step {step}: {apart}");
            }
        }
    }
}

#[test]
fn who_carries_itself_is_not_carried() {
    let mut world = weightless();
    let [one, other] = [0.0, 5.0].map(|x| world.add_body(cuboid(BodyKind::Kinematic, [0.1; 3], x)).unwrap());
    let place = Pose::translation(1.0, 0.0, 0.0);
    world.body_mut(one).unwrap().carrier = Some(Carrier { body: other, place });
    world.body_mut(other).unwrap().carrier = Some(Carrier { body: one, place });
    world.step(DT).unwrap();
    assert_eq!(pose(&world, one).translation.x, 0.0);
    assert_eq!(pose(&world, other).translation.x, 5.0);
}

#[test]
fn a_sensor_mounted_beside_its_carrier_notices_a_thin_wall_that_it_passes_through_within_a_step() {
    for beside in [0.0, 0.4, 0.6, 1.0, 3.0] {
        let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
        let shot = BodyDefinition { linear_velocity: Vector::x() * 60.0, ..ball(BodyKind::Dynamic, 0.1, 0.0) };
        let shot = world.add_body(shot).unwrap();
        let feeler = BodyDefinition { sensor: true, ..ball(BodyKind::Kinematic, 0.05, 0.0) };
        let feeler = add_carried(&mut world, feeler, shot, Pose::translation(0.0, 0.0, 1.0 + beside));
        let wall = Shape::cuboid([0.005, 0.3, 0.3]).unwrap();
        let at = Pose::translation(3.5, 0.0, 1.0 + beside);
        let wall = world.add_body(BodyDefinition::new(BodyKind::Static, wall, at)).unwrap();
        let mut started = Vec::new();
        for _ in 0..8 {
            started.extend(world.step(DT).unwrap().started);
        }
        assert_eq!(started, [PairKey::new(feeler, wall)], "{beside} m further");
    }
}
