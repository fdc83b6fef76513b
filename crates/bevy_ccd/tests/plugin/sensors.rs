//! Sensors: by themselves, and on the children of bodies.

use crate::common::*;

fn touched(app: &App, entity: Entity) -> Vec<Entity> {
    app.world().get::<CollidingEntities>(entity).expect("a list").to_vec()
}

#[test]
fn a_sensor_by_itself_notices_what_comes_and_goes() {
    let mut app = app();
    let zone = (Collider::cuboid(4.0, 1.0, 4.0), Sensor, CollidingEntities::default(), CollisionEventsEnabled);
    let zone = app.world_mut().spawn((zone, Transform::from_xyz(0.0, 5.0, 0.0))).id();
    let ball = app.world_mut().spawn(ball(8.0)).id();
    let mut was_inside = false;
    for _ in 0..96 {
        run(&mut app, 1);
        was_inside |= touched(&app, zone) == [ball];
    }
    assert!(was_inside && touched(&app, zone).is_empty());
    let (started, ended) = (take::<CollisionStart>(&mut app), take::<CollisionEnd>(&mut app));
    assert_eq!((started.len(), ended.len()), (1, 1));
    // Free fall for 96 steps, as if it had met nothing.
    let seconds = 96.0 / RATE as f32;
    assert!((velocity(&app, ball).y + 9.81 * seconds).abs() < 0.01, "{}", velocity(&app, ball));
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_sensor_that_the_game_moves_notices_all_on_the_way_fixed_bodies_too() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let fixed = app.world_mut().spawn((RigidBody::Static, Collider::sphere(0.1))).id();
    let free = app.world_mut().spawn(ball(2.0)).id();
    let probe = (Collider::sphere(0.2), Sensor, CollisionEventsEnabled, Transform::from_xyz(-5.0, 1.0, 0.0));
    let probe = app.world_mut().spawn((probe, CollidingEntities::default())).id();
    run(&mut app, 2);
    assert!(touched(&app, probe).is_empty());
    app.world_mut().get_mut::<Transform>(probe).expect("a transform").translation = Vec3::new(5.0, -1.0, 0.0);
    run(&mut app, 1);
    let met: Vec<Entity> = take::<CollisionStart>(&mut app)
        .iter()
        .map(|c| if c.collider1 == probe { c.collider2 } else { c.collider1 })
        .collect();
    assert_eq!(met, [fixed], "on the line between the places, not beside it");
    app.world_mut().entity_mut(probe).insert((Transform::from_xyz(0.0, 2.0, 0.0), Teleport));
    run(&mut app, 1);
    assert_eq!(touched(&app, probe), [free]);
    // A sensor that is one no longer, or has no collider, notices nothing.
    app.world_mut().entity_mut(probe).remove::<Collider>();
    run(&mut app, 1);
    assert!(touched(&app, probe).is_empty());
    app.world_mut().entity_mut(probe).insert(Collider::sphere(0.2));
    run(&mut app, 1);
    assert_eq!(touched(&app, probe), [free]);
    app.world_mut().entity_mut(probe).remove::<Sensor>();
    run(&mut app, 1);
    assert!(app.world().get::<CcdBody>(probe).is_none());
    assert!(touched(&app, probe).is_empty());
}

#[test]
fn feet_feel_the_ground_under_a_walker_and_not_the_walker() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let walker = (RigidBody::Dynamic, Collider::capsule(0.3, 1.0), LockedAxes::ROTATION_LOCKED);
    let walker = app.world_mut().spawn((walker, Transform::from_xyz(0.0, 1.5, 0.0))).id();
    let feet = (Collider::sphere(0.15), Sensor, CollidingEntities::default(), Transform::from_xyz(0.0, -0.75, 0.0));
    let feet = app.world_mut().spawn((feet, ChildOf(walker))).id();
    let head = (Collider::sphere(0.15), Sensor, CollidingEntities::default(), Transform::from_xyz(0.0, 0.75, 0.0));
    let head = app.world_mut().spawn((head, ChildOf(walker))).id();
    let mass = std::f64::consts::PI * 0.09 * (1.0 + 0.4) * 1000.0;
    run(&mut app, 2);
    assert!((core_body(&app, walker).mass_properties().mass - mass).abs() < 1e-6, "sensors weigh nothing");
    assert!(touched(&app, feet).is_empty() && touched(&app, head).is_empty());
    run(&mut app, 90);
    assert_eq!(touched(&app, feet), [floor]);
    assert!(touched(&app, head).is_empty());
    // It jumps, and comes down again.
    app.world_mut().get_mut::<LinearVelocity>(walker).expect("a velocity").y = 3.0;
    run(&mut app, 10);
    assert!(touched(&app, feet).is_empty());
    let behind = core_body(&app, feet).pose().translation.y - core_body(&app, walker).pose().translation.y;
    assert!((behind + 0.75).abs() < 1e-6, "it is where the walker is, not a step behind: {behind}");
    run(&mut app, 60);
    assert_eq!(touched(&app, feet), [floor]);
    assert!((place(&app, walker).y - 0.8).abs() < 2e-3, "{}", place(&app, walker));
    assert_eq!(place(&app, feet), Vec3::new(0.0, -0.75, 0.0), "its own transform is nobody's");
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn the_sensor_of_a_ball_that_bounces_off_a_paddle_notices_nothing_behind_it() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let wall = |x: f32| (RigidBody::Static, Collider::cuboid(0.1, 4.0, 4.0), Transform::from_xyz(x, 0.0, 0.0));
    let paddle = app.world_mut().spawn(wall(0.0)).id();
    let goal = app.world_mut().spawn((wall(1.0), CollisionEventsEnabled)).id();
    let shot = (RigidBody::Dynamic, Collider::sphere(0.25), Restitution::new(1.0), Transform::from_xyz(-7.0, 0.0, 0.0));
    let shot = app.world_mut().spawn((shot, LinearVelocity::new(300.0, 0.0, 0.0))).id();
    let sensor = (Collider::sphere(0.4), Sensor, CollisionEventsEnabled);
    let sensor = app.world_mut().spawn((sensor, ChildOf(shot))).id();
    run(&mut app, 10);
    assert!(velocity(&app, shot).x < -290.0);
    let pair = (paddle.min(sensor), paddle.max(sensor));
    let started: Vec<_> = take::<CollisionStart>(&mut app).iter().map(|c| (c.collider1, c.collider2)).collect();
    assert_eq!(started, [pair], "neither the goal {goal} nor the ball {shot} itself");
}

#[test]
fn a_child_may_become_a_sensor_and_a_part_again() {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let body = app.world_mut().spawn(ball(0.0)).id();
    let child = (Collider::sphere(0.5), Transform::from_xyz(2.0, 0.0, 0.0), ChildOf(body));
    let child = app.world_mut().spawn(child).id();
    run(&mut app, 2);
    assert_eq!(app.world().get::<CcdBody>(body).expect("a body").colliders(), [body, child]);
    app.world_mut().entity_mut(child).insert(Sensor);
    run(&mut app, 2);
    assert_eq!(app.world().get::<CcdBody>(body).expect("a body").colliders(), [body]);
    assert!(core_body(&app, child).sensor);
    app.world_mut().entity_mut(child).remove::<Sensor>();
    run(&mut app, 2);
    assert_eq!(app.world().get::<CcdBody>(body).expect("a body").colliders(), [body, child]);
    assert!(app.world().get::<CcdBody>(child).is_none());
    app.world_mut().despawn(body);
    run(&mut app, 2);
    assert_eq!(app.world().resource::<CcdWorld>().core().bodies().count(), 0);
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[test]
fn a_sensor_that_is_a_body_no_longer_stands_and_moves_on_when_it_is_one_again() {
    for kind in [RigidBody::Dynamic, RigidBody::Kinematic] {
        let mut app = app();
        app.insert_resource(Gravity::ZERO);
        let motion = (LinearVelocity::new(1.0, 0.0, 0.0), AngularVelocity(Vec3::Y));
        let body = app.world_mut().spawn((kind, Sensor, Collider::sphere(0.5), motion)).id();
        run(&mut app, 64);
        app.world_mut().entity_mut(body).remove::<RigidBody>();
        let stands = place(&app, body);
        run(&mut app, 64);
        let exact = bevy_ccd::convert::from_vector(&core_body(&app, body).pose().translation.vector);
        assert!((exact - stands).length() < 1e-6, "{kind:?}: {exact} and not {stands}");
        app.world_mut().entity_mut(body).insert(kind);
        run(&mut app, 64);
        assert!((place(&app, body) - stands - Vec3::X).length() < 1e-3, "{kind:?}: {}", place(&app, body));
    }
}
