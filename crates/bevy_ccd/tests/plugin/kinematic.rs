//! Kinematic bodies that the game moves through their transforms.

use crate::common::*;
use bevy_ccd::ccd_core::world::InitialOverlap;

/// A kinematic plate whose top is at height zero.
fn plate(app: &mut App) -> Entity {
    let plate = (RigidBody::Kinematic, Collider::cuboid(4.0, 1.0, 4.0), Transform::from_xyz(0.0, -0.5, 0.0));
    app.world_mut().spawn(plate).id()
}

/// A box of a metre that stands on height zero, with enough friction to be carried.
fn load(app: &mut App) -> Entity {
    let load = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, 0.501, 0.0));
    app.world_mut().spawn((load, Friction::new(0.8))).id()
}

fn shift(app: &mut App, entity: Entity, by: Vec3) {
    app.world_mut().get_mut::<Transform>(entity).expect("a transform").translation += by;
}

/// A rough plate with a load that has come to rest on it.
fn loaded_plate() -> (App, Entity, Entity) {
    let mut app = app();
    let plate = plate(&mut app);
    app.world_mut().entity_mut(plate).insert(Friction::new(0.8));
    let load = load(&mut app);
    run(&mut app, 60);
    (app, plate, load)
}

#[test]
fn a_plate_that_is_moved_carries_what_stands_on_it_by_friction() {
    let (mut app, plate, load) = loaded_plate();
    for _ in 0..128 {
        shift(&mut app, plate, Vec3::X / RATE as f32);
        run(&mut app, 1);
    }
    assert!((place(&app, plate).x - 2.0).abs() < 1e-4, "it goes where it is put: {}", place(&app, plate));
    let behind = place(&app, plate).x - place(&app, load).x;
    // At μ g = 7.8 m/s² it takes a metre per second within 0.07 m.
    assert!((0.0..0.1).contains(&behind), "{behind}");
    assert!((velocity(&app, load).x - 1.0).abs() < 0.01, "{}", velocity(&app, load));
    assert!(take::<CcdProblem>(&mut app).is_empty());

    // When it stands, the load slides out and stands too.
    run(&mut app, 64);
    let stopped = place(&app, load);
    assert!(velocity(&app, load).length() < 1e-3, "{}", velocity(&app, load));
    run(&mut app, 64);
    assert!((place(&app, load) - stopped).length() < 1e-4);
}

#[test]
fn a_plate_that_is_lifted_and_turned_takes_its_load_along() {
    let (mut app, plate, load) = loaded_plate();
    for _ in 0..64 {
        shift(&mut app, plate, Vec3::Y / RATE as f32);
        app.world_mut().get_mut::<Transform>(plate).expect("a transform").rotate_y(0.5 / RATE as f32);
        run(&mut app, 1);
    }
    assert!((place(&app, load).y - 1.5).abs() < 5e-3, "{}", place(&app, load));
    assert!((velocity(&app, load).y - 1.0).abs() < 0.02, "{}", velocity(&app, load));
    let spin = app.world().get::<AngularVelocity>(load).expect("a spin").y;
    assert!((spin - 0.5).abs() < 0.02, "{spin}");
    let turned = app.world().get::<Transform>(plate).expect("a transform").rotation;
    assert!((turned.xyz() - Quat::from_rotation_y(0.5).xyz()).length() < 1e-5, "{turned}");
}

#[test]
fn nothing_is_passed_through_on_the_way() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let bat = (RigidBody::Kinematic, Collider::cuboid(0.1, 1.0, 1.0), Transform::from_xyz(-3.0, 0.0, 0.0));
    let bat = app.world_mut().spawn(bat).id();
    let ball = app.world_mut().spawn((ball(0.0), Restitution::new(1.0))).id();
    run(&mut app, 2);
    // Six metres in one step, through where the ball is.
    app.world_mut().get_mut::<Transform>(bat).expect("a transform").translation.x = 3.0;
    run(&mut app, 1);
    assert_eq!(place(&app, bat).x, 3.0);
    assert!(place(&app, ball).x > 3.5, "{}", place(&app, ball));
    assert!(velocity(&app, ball).x > 300.0, "{}", velocity(&app, ball));
    // Then it stands.
    run(&mut app, 5);
    assert_eq!(place(&app, bat).x, 3.0);
    assert_eq!(core_body(&app, bat).linear_velocity().norm(), 0.0);
    assert_eq!(velocity(&app, bat), Vec3::ZERO, "its component says what the game says");
}

#[test]
fn a_teleport_is_no_motion() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let bat = (RigidBody::Kinematic, Collider::cuboid(0.1, 1.0, 1.0), Transform::from_xyz(-3.0, 0.0, 0.0));
    let bat = app.world_mut().spawn(bat).id();
    let ball = app.world_mut().spawn(ball(0.0)).id();
    run(&mut app, 2);
    app.world_mut().entity_mut(bat).insert((Transform::from_xyz(3.0, 0.0, 0.0), Teleport));
    run(&mut app, 2);
    assert_eq!(place(&app, bat).x, 3.0);
    assert_eq!(place(&app, ball), Vec3::ZERO);
    assert!(app.world().get::<Teleport>(bat).is_none(), "for one step only");
}

#[test]
fn a_way_that_was_written_while_time_stood_is_gone_when_it_goes_on() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let bat = (RigidBody::Kinematic, Collider::cuboid(0.1, 1.0, 1.0), Transform::from_xyz(-3.0, 0.0, 0.0));
    let bat = app.world_mut().spawn(bat).id();
    let ball = app.world_mut().spawn(ball(0.0)).id();
    run(&mut app, 2);
    app.world_mut().resource_mut::<CcdClock>().paused = true;
    for _ in 0..6 {
        shift(&mut app, bat, Vec3::X);
        run(&mut app, 1);
    }
    assert_eq!(place(&app, ball), Vec3::ZERO);
    app.world_mut().resource_mut::<CcdClock>().paused = false;
    run(&mut app, 1);
    assert_eq!(place(&app, bat).x, 3.0);
    assert!(place(&app, ball).x > 3.5);
}

#[test]
fn a_plate_that_was_put_somewhere_sleeps_with_its_load() {
    let mut app = app();
    let plate = plate(&mut app);
    let load = load(&mut app);
    // No unit quaternion to the last bit: written again and again it is the same place.
    let turned = Quat::from_xyzw(0.0, 0.6, 0.0, 0.799_999);
    app.world_mut().entity_mut(plate).insert(Teleport);
    for _ in 0..192 {
        app.world_mut().get_mut::<Transform>(plate).expect("a transform").rotation = turned;
        run(&mut app, 1);
    }
    assert_eq!(app.world().get::<Transform>(plate).expect("a transform").rotation, turned);
    assert!(core_body(&app, load).is_asleep());
}

#[test]
fn what_the_game_presses_into_a_corner_is_not_pressed_through() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    app.world_mut().spawn((RigidBody::Static, Collider::cuboid(1.0, 4.0, 4.0), Transform::from_xyz(2.0, 0.0, 0.0)));
    let press = (RigidBody::Kinematic, Collider::cuboid(1.0, 4.0, 4.0), Transform::from_xyz(-2.0, 0.0, 0.0));
    let press = app.world_mut().spawn(press).id();
    let victim = app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0))).id();
    run(&mut app, 2);
    for _ in 0..64 {
        shift(&mut app, press, Vec3::X * 0.1);
        run(&mut app, 1);
    }
    // A metre of box between the faces at most: the press is shown where it had to stop.
    let x = place(&app, press).x;
    assert!((-0.011..=0.0).contains(&x), "{x}");
    assert!((place(&app, victim).x - 1.0).abs() < 0.01, "{}", place(&app, victim));
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_written_place_and_a_velocity_add_up() {
    let mut app = app();
    let plate = plate(&mut app);
    app.world_mut().entity_mut(plate).insert(LinearVelocity::new(0.0, 0.0, 1.0));
    run(&mut app, 2);
    let start = place(&app, plate);
    for _ in 0..64 {
        shift(&mut app, plate, Vec3::X / RATE as f32);
        run(&mut app, 1);
    }
    assert!((place(&app, plate) - start - Vec3::new(1.0, 0.0, 1.0)).length() < 1e-3, "{}", place(&app, plate));
}

#[test]
fn a_moved_plate_is_eased_between_steps() {
    let mut app = app_with(|app| {
        app.add_systems(FixedUpdate, |mut plates: Query<&mut Transform, With<Name>>| {
            for mut transform in &mut plates {
                transform.translation.x += 1.0;
            }
        });
    });
    app.insert_resource(Gravity::ZERO);
    let plate = plate(&mut app);
    app.world_mut().entity_mut(plate).insert((TransformInterpolation::default(), Name::new("plate")));
    run(&mut app, 4);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(std::time::Duration::from_secs_f64(0.25 / RATE)));
    run(&mut app, 4);
    let mut last = place(&app, plate).x;
    for _ in 0..16 {
        run(&mut app, 1);
        let now = place(&app, plate).x;
        assert!((now - last - 0.25).abs() < 1e-3, "from {last} to {now}");
        last = now;
    }
}

#[test]
fn a_door_may_stand_in_its_frame() {
    let mut app = app();
    app.world_mut().spawn((RigidBody::Static, Collider::cuboid(1.0, 1.0, 1.0)));
    let door = (RigidBody::Kinematic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.9, 0.0, 0.0));
    let door = app.world_mut().spawn((door, LinearVelocity::new(1.0, 0.0, 0.0))).id();
    let ball = app.world_mut().spawn(ball(20.0)).id();
    run(&mut app, 65);
    assert!((place(&app, door).x - 1.9).abs() < 0.05, "{}", place(&app, door));
    assert!(place(&app, ball).y < 19.0, "the world goes on");
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_body_that_turns_about_a_place_off_its_origin_goes_where_it_is_put() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let door = (RigidBody::Kinematic, Transform::default());
    let door = app.world_mut().spawn(door).id();
    let leaf = (Collider::cuboid(1.0, 2.0, 0.1), Transform::from_xyz(0.5, 0.0, 0.0), ChildOf(door));
    app.world_mut().spawn(leaf);
    run(&mut app, 2);
    let put = Transform::from_xyz(0.0, 0.0, 3.0).with_rotation(Quat::from_rotation_y(1.5));
    app.world_mut().entity_mut(door).insert(put);
    run(&mut app, 3);
    assert!((core_body(&app, door).pose().translation.vector.z - 3.0).abs() < 1e-9, "{}", core_body(&app, door).pose());
    assert_eq!(*app.world().get::<Transform>(door).expect("a transform"), put);
}

#[test]
fn locked_axes_hold_nothing_that_the_game_moves() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let plate = plate(&mut app);
    let probe = (Collider::sphere(0.2), Sensor, LockedAxes::ALL_LOCKED, Transform::from_xyz(0.0, 9.0, 0.0));
    let probe = app.world_mut().spawn(probe).id();
    app.world_mut().entity_mut(plate).insert((LockedAxes::ALL_LOCKED, LinearVelocity::new(0.0, 0.0, 1.0)));
    run(&mut app, 2);
    let start = place(&app, plate);
    for _ in 0..64 {
        shift(&mut app, plate, Vec3::X / RATE as f32);
        shift(&mut app, probe, Vec3::X / RATE as f32);
        run(&mut app, 1);
    }
    assert!((place(&app, plate) - start - Vec3::new(1.0, 0.0, 1.0)).length() < 1e-3, "{}", place(&app, plate));
    assert!((core_body(&app, probe).pose().translation.x - 1.0).abs() < 1e-5, "{}", core_body(&app, probe).pose());
}

#[test]
fn a_way_that_no_step_could_be_made_for_is_gone_in_the_next() {
    let mut app = app();
    app.world_mut().resource_mut::<CcdSettings>().initial_overlap = InitialOverlap::Error;
    let lift = (RigidBody::Kinematic, Collider::cuboid(1.0, 0.1, 1.0), Transform::from_xyz(5.0, 0.0, 0.0));
    let lift = app.world_mut().spawn(lift).id();
    run(&mut app, 2);
    let [_, other] = [0.0, 0.1].map(|y| app.world_mut().spawn(ball(y)).id());
    app.world_mut().get_mut::<Transform>(lift).expect("a transform").translation.y = 1.0;
    run(&mut app, 3);
    assert_eq!(core_body(&app, lift).pose().translation.y, 0.0, "the world stands while two balls are in each other");
    app.world_mut().despawn(other);
    run(&mut app, 1);
    assert!((core_body(&app, lift).pose().translation.y - 1.0).abs() < 1e-9);
    assert_eq!(place(&app, lift).y, 1.0);
}

#[test]
fn what_was_to_move_there_is_there_when_it_becomes_what_does_not_move_of_itself() {
    for kind in [RigidBody::Static, RigidBody::Dynamic] {
        let mut app = app();
        app.insert_resource(Gravity::ZERO);
        let plate = plate(&mut app);
        run(&mut app, 2);
        app.world_mut().resource_mut::<CcdClock>().paused = true;
        shift(&mut app, plate, Vec3::X);
        run(&mut app, 2);
        app.world_mut().entity_mut(plate).insert(kind);
        run(&mut app, 2);
        app.world_mut().resource_mut::<CcdClock>().paused = false;
        run(&mut app, 2);
        assert_eq!(core_body(&app, plate).pose().translation.x, 1.0);
        assert_eq!((place(&app, plate).x, velocity(&app, plate)), (1.0, Vec3::ZERO));
    }
}

#[test]
fn a_step_that_is_refused_for_its_length_moves_nobody() {
    for length in [f64::NAN, f64::INFINITY, -1.0] {
        let mut app = app();
        let plate = plate(&mut app);
        let child = (RigidBody::Kinematic, Collider::sphere(0.1), Transform::from_xyz(0.0, 3.0, 0.0), ChildOf(plate));
        let child = app.world_mut().spawn(child).id();
        run(&mut app, 2);
        app.world_mut().resource_mut::<CcdClock>().step_length = Some(length);
        shift(&mut app, plate, Vec3::X);
        run(&mut app, 3);
        assert_eq!(core_body(&app, plate).pose().translation.x, 0.0, "{length}");
        assert_eq!(core_body(&app, child).pose().translation.x, 0.0, "{length}");
        assert_eq!(place(&app, plate).x, 1.0);
        app.world_mut().resource_mut::<CcdClock>().step_length = None;
        run(&mut app, 1);
        assert!((core_body(&app, plate).pose().translation.x - 1.0).abs() < 1e-9);
        assert!((core_body(&app, child).pose().translation.x - 1.0).abs() < 1e-9);
    }
}
