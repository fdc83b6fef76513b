//! Impulses that a game gives to bodies.

use crate::common::*;

/// Whether the push was given.
fn push(app: &mut App, entity: Entity, impulse: Vec3, at: Option<Vec3>) -> Result<(), ImpulseError> {
    let mut state = bevy::ecs::system::SystemState::<Impulses>::new(app.world_mut());
    let mut impulses = state.get_mut(app.world_mut()).expect("the parameter is there");
    match at {
        Some(at) => impulses.push_at(entity, impulse, at),
        None => impulses.push(entity, impulse),
    }
}

#[test]
fn a_push_gives_momentum_turns_where_it_is_off_centre_and_wakes() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = app.world_mut().spawn((ball(0.0), Mass(2.0))).id();
    run(&mut app, 120);
    push(&mut app, body, Vec3::X * 6.0, None).expect("it is a body");
    run(&mut app, 2);
    assert!((velocity(&app, body) - Vec3::X * 3.0).length() < 1e-6, "{}", velocity(&app, body));
    assert_eq!(app.world().get::<AngularVelocity>(body), Some(&AngularVelocity::ZERO));
    let top = place(&app, body) + Vec3::Y * 0.5;
    push(&mut app, body, Vec3::X, Some(top)).expect("it is a body");
    run(&mut app, 1);
    assert!(app.world().get::<AngularVelocity>(body).expect("a spin").z < -0.1);
    assert!(matches!(push(&mut app, body, Vec3::NAN, None), Err(ImpulseError::Body(_))));
}

#[test]
fn what_does_not_move_by_forces_is_not_pushed() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    run(&mut app, 2);
    assert_eq!(push(&mut app, floor, Vec3::X, None), Ok(()));
    run(&mut app, 10);
    assert_eq!(place(&app, floor), Vec3::new(0.0, -0.5, 0.0));
}

#[test]
fn a_push_of_what_is_no_body_is_refused_and_of_what_is_none_just_now_is_not() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let marker = app.world_mut().spawn(Transform::default()).id();
    assert_eq!(push(&mut app, marker, Vec3::X, None), Err(ImpulseError::NoBody(marker)));
    let spawned = app.world_mut().spawn((ball(0.0), Mass(2.0))).id();
    assert_eq!(push(&mut app, spawned, Vec3::X, None), Ok(()), "it is taken into the world before it is pushed");
    let disabled = app.world_mut().spawn((ball(5.0), RigidBodyDisabled)).id();
    assert_eq!(push(&mut app, disabled, Vec3::X, None), Ok(()));
    run(&mut app, 2);
    assert!((velocity(&app, spawned) - Vec3::X * 0.5).length() < 1e-6, "{}", velocity(&app, spawned));
    app.world_mut().entity_mut(disabled).remove::<RigidBodyDisabled>();
    run(&mut app, 2);
    assert_eq!(velocity(&app, disabled), Vec3::ZERO, "it was let be");
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_push_and_a_written_velocity_of_one_tick_add_up_in_either_order() {
    for pushed_first in [true, false] {
        let mut app = app_with(|app| {
            app.add_systems(
                FixedUpdate,
                move |mut impulses: Impulses,
                      mut bodies: Query<(Entity, &mut LinearVelocity)>,
                      mut tick: Local<u32>| {
                    *tick += 1;
                    for (body, mut velocity) in &mut bodies {
                        if pushed_first && *tick == 5 {
                            impulses.push(body, Vec3::Y * 5.0).expect("it is a body");
                        }
                        velocity.x = 3.0 + *tick as f32 * 1e-3;
                        if !pushed_first && *tick == 5 {
                            impulses.push(body, Vec3::Y * 5.0).expect("it is a body");
                        }
                    }
                },
            );
        });
        app.insert_resource(Gravity::ZERO);
        let body = app.world_mut().spawn((ball(0.0), Mass(1.0))).id();
        run(&mut app, 20);
        assert_eq!(velocity(&app, body).y, 5.0, "pushed first: {pushed_first}");
        assert!(velocity(&app, body).x > 3.0);
    }
}

#[test]
fn one_system_may_push_and_ask() {
    let mut app = app_with(|app| {
        app.add_systems(FixedUpdate, |query: SpatialQuery, collisions: Collisions, mut impulses: Impulses| {
            let filter = SpatialQueryFilter::default();
            if let Ok(Some(hit)) = query.cast_ray(Vec3::Y * 9.0, Dir3::NEG_Y, 20.0, &filter)
                && !collisions.contains(hit.entity, hit.entity)
            {
                impulses.push(hit.entity, Vec3::X).expect("it is a body");
            }
        });
    });
    let body = app.world_mut().spawn(ball(0.0)).id();
    run(&mut app, 4);
    assert!(velocity(&app, body).x > 0.0);
}

#[test]
fn a_push_while_time_stands_is_felt_when_it_goes_on() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = app.world_mut().spawn((ball(0.0), Mass(1.0))).id();
    run(&mut app, 2);
    app.world_mut().resource_mut::<CcdClock>().paused = true;
    push(&mut app, body, Vec3::X, None).expect("it is a body");
    run(&mut app, 5);
    assert_eq!(place(&app, body), Vec3::ZERO);
    app.world_mut().resource_mut::<CcdClock>().paused = false;
    run(&mut app, 64);
    assert!((place(&app, body).x - 1.0).abs() < 1e-4, "{}", place(&app, body));
}

#[test]
fn a_turn_gives_spin_about_the_centre_of_mass_and_no_velocity() {
    let mut app = still_app();
    let body = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Mass(6.0), Transform::from_xyz(0.0, 5.0, 0.0));
    let body = app.world_mut().spawn((body, CenterOfMass(Vec3::X * 0.2))).id();
    let floor = app.world_mut().spawn(floor()).id();
    run(&mut app, 1);
    let mut turn = |entity: Entity, impulse: Vec3| {
        let mut state = bevy::ecs::system::SystemState::<Impulses>::new(app.world_mut());
        let mut impulses = state.get_mut(app.world_mut()).expect("the parameter is there");
        let turned = impulses.turn(entity, impulse);
        run(&mut app, 1);
        let body = app.world().resource::<CcdWorld>().body(body).expect("a body");
        (turned, *body.linear_velocity(), *body.angular_velocity())
    };
    let (turned, linear, angular) = turn(body, Vec3::Y * 3.0);
    // A cube of 6 kg and edge 1 m has 1 kg m² about each axis through its middle.
    assert!(turned.is_ok() && linear.norm() < 1e-12 && (angular.y - 3.0).abs() < 1e-9, "{linear} {angular}");
    assert!(turn(floor, Vec3::Y).0.is_ok());
    assert!(matches!(turn(body, Vec3::Y * f32::NAN).0, Err(ImpulseError::Body(_))));
    assert!(matches!(turn(Entity::PLACEHOLDER, Vec3::Y).0, Err(ImpulseError::NoBody(_))));
}

#[test]
fn moments_of_inertia_are_about_the_axes_that_the_local_frame_turns_to() {
    let mut app = still_app();
    // The first principal axis is the collider's y.
    let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let inertia = AngularInertia::new_with_local_frame(Vec3::new(1.0, 2.0, 2.5), turned);
    let bodies = [Vec3::Y, Vec3::X, Vec3::Z].map(|axis| {
        let at = Transform::from_translation(axis * 10.0);
        (axis, app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), inertia, at)).id())
    });
    run(&mut app, 1);
    for ((axis, body), moment) in bodies.into_iter().zip([1.0, 2.0, 2.5]) {
        let mut state = bevy::ecs::system::SystemState::<Impulses>::new(app.world_mut());
        let mut impulses = state.get_mut(app.world_mut()).expect("the parameter is there");
        impulses.turn(body, axis * 0.1).expect("it is a body");
        run(&mut app, 1);
        let spin = app.world().get::<AngularVelocity>(body).expect("a spin").0;
        assert!((spin - axis * 0.1 / moment).length() < 1e-5, "about {axis}: {spin}");
    }
}

#[test]
fn the_world_tells_the_exact_body_of_an_entity_and_none_of_what_is_none() {
    let mut app = still_app();
    let body = app.world_mut().spawn((ball(5.0), ColliderDensity(3.0))).id();
    let none = app.world_mut().spawn(Transform::default()).id();
    run(&mut app, 1);
    let world = app.world().resource::<CcdWorld>();
    let mass = world.body(body).expect("a body").mass_properties().mass;
    assert!((mass - 3.0 * std::f64::consts::PI / 6.0).abs() < 1e-9, "{mass} kg");
    assert!(world.body(none).is_none());
}

#[test]
fn an_impulse_of_nothing_wakes_nobody() {
    let push = |mut impulses: Impulses, bodies: Query<Entity, With<Name>>| {
        bodies.iter().for_each(|body| _ = impulses.push(body, Vec3::ZERO));
    };
    let mut app = app_with(|app| _ = app.add_systems(FixedUpdate, push));
    app.world_mut().spawn(floor());
    let body = app.world_mut().spawn((ball(0.5), Name::new("a vehicle without gas"))).id();
    run(&mut app, 120);
    assert!(app.world().get::<Sleeping>(body).is_some());
}

#[test]
fn an_impulse_that_moves_nothing_wakes_nobody_around() {
    use bevy_ccd::ccd_core::math::Vector;

    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let belt = (RigidBody::Kinematic, Collider::cuboid(2.0, 1.0, 2.0), Transform::from_xyz(10.0, 0.5, 0.0));
    let belt = app.world_mut().spawn(belt).id();
    let balls = [(0.0, 0.5), (10.0, 1.5)].map(|(x, y)| {
        let at = Transform::from_xyz(x, y, 0.0);
        app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), at)).id()
    });
    run(&mut app, 120);
    let sleepers = |app: &App| balls.iter().filter(|ball| app.world().get::<Sleeping>(**ball).is_some()).count();
    assert_eq!(sleepers(&app), 2);
    for body in [floor, belt] {
        assert_eq!(push(&mut app, body, Vec3::X, None), Ok(()));
        assert_eq!(push(&mut app, body, Vec3::X, Some(Vec3::ONE)), Ok(()));
    }
    run(&mut app, 1);
    assert_eq!(sleepers(&app), 2, "as of an explosion that the ground is in");
    let mut world = app.world_mut().resource_mut::<CcdWorld>();
    let [floor, ball] = [floor, balls[0]].map(|entity| world.body_id(entity).expect("a body"));
    let nan = Vector::repeat(f64::NAN);
    assert_eq!(world.apply_angular_impulse(floor, &Vector::x()), Ok(()));
    assert!(world.apply_impulse(ball, &nan, &Vector::x().into()).is_err());
    assert!(world.apply_impulse(ball, &Vector::x(), &nan.into()).is_err());
    assert!(world.apply_angular_impulse(ball, &nan).is_err());
    run(&mut app, 1);
    assert_eq!(sleepers(&app), 2, "as of what is refused");
}

#[test]
fn a_push_of_what_is_there_no_more_is_let_be_and_one_of_what_is_spawned_with_it_is_given() {
    let mut app = still_app();
    let gone = app.world_mut().spawn(ball(0.0)).id();
    run(&mut app, 2);
    app.world_mut().despawn(gone);
    assert_eq!(push(&mut app, gone, Vec3::X, None), Ok(()));
    let spawn = |mut commands: Commands, mut impulses: Impulses, mut is_done: Local<bool>| -> Result {
        if !std::mem::replace(&mut *is_done, true) {
            let shot = commands.spawn((ball(0.0), Mass(2.0), Name::new("shot"))).id();
            impulses.push(shot, Vec3::X * 6.0)?;
        }
        Ok(())
    };
    app.add_systems(FixedUpdate, spawn);
    run(&mut app, 2);
    let mut shots = app.world_mut().query_filtered::<&LinearVelocity, With<Name>>();
    let velocities: Vec<Vec3> = shots.iter(app.world()).map(|velocity| velocity.0).collect();
    assert_eq!(velocities, [Vec3::X * 3.0]);
}
