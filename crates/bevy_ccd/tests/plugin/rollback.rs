//! A game that goes back to a tick and does the same again.

use crate::common::*;

#[derive(Component)]
struct Player;

#[derive(Component)]
struct Lift;

/// The tick that is made next.
#[derive(Resource, Default)]
struct Tick(u32);

type Shown = (Transform, LinearVelocity, AngularVelocity);

/// What a game does in a tick: it reads and writes velocities, pushes, and moves a lift from place to place.
fn play(
    mut players: Query<(Entity, &Transform, &mut LinearVelocity), With<Player>>,
    mut lifts: Query<&mut Transform, (With<Lift>, Without<Player>)>,
    mut tick: ResMut<Tick>,
    mut impulses: Impulses,
) -> Result {
    let input = tick.0 * (tick.0 + 3) % 11;
    for (player, transform, mut velocity) in &mut players {
        velocity.x += 0.1 * (input as f32 - 5.0);
        if input > 8 && transform.translation.y < 0.7 {
            impulses.push(player, Vec3::Y * 900.0)?;
        }
    }
    let storey = tick.0 / 7 % 2;
    for mut lift in &mut lifts {
        lift.translation.y = if storey == 0 { 0.0 } else { 0.4 };
        lift.rotation = Quat::from_rotation_y(0.3 * storey as f32);
    }
    tick.0 += 1;
    Ok(())
}

fn game() -> (App, Vec<Entity>) {
    let mut app = app_with(|app| _ = app.init_resource::<Tick>().add_systems(FixedUpdate, play));
    let world = app.world_mut();
    world.spawn(floor());
    let mut bodies = vec![world.spawn((Player, ball(0.5))).id()];
    let crate_at = |x: f32| (RigidBody::Dynamic, Collider::cuboid(0.7, 0.7, 0.7), Transform::from_xyz(x, 1.5, 0.2 * x));
    bodies.extend((0..6_u8).map(|k| world.spawn(crate_at(0.9 * f32::from(k) - 2.0)).id()));
    // It has the floor beside it, and a rail that goes with it.
    let lift = (Lift, RigidBody::Kinematic, Collider::cuboid(2.0, 0.5, 2.0), Transform::from_xyz(-3.0, 0.0, 0.0));
    let lift = world.spawn(lift).id();
    let rail = (RigidBody::Kinematic, Collider::cuboid(0.1, 1.0, 2.0), Transform::from_xyz(-1.0, 0.75, 0.0));
    bodies.extend([lift, world.spawn((rail, ChildOf(lift))).id()]);
    (app, bodies)
}

fn shown(app: &App, bodies: &[Entity]) -> Vec<Shown> {
    let world = app.world();
    let of = |body: &Entity| {
        let (transform, linear, angular) =
            world.entity(*body).get_components::<(&Transform, &LinearVelocity, &AngularVelocity)>().expect("a body");
        (*transform, *linear, *angular)
    };
    bodies.iter().map(of).collect()
}

/// Everything that the world knows of the bodies' state.
fn exact(app: &App, bodies: &[Entity]) -> Vec<String> {
    let of = |body: &Entity| {
        let now = core_body(app, *body);
        format!("{:?} {:?} {:?}", now.pose(), now.linear_velocity(), now.angular_velocity())
    };
    bodies.iter().map(of).collect()
}

fn restore(app: &mut App, snapshot: &CcdSnapshot, tick: u32) {
    app.world_mut().resource_mut::<CcdWorld>().restore(snapshot.clone());
    app.world_mut().resource_mut::<Tick>().0 = tick;
}

#[test]
fn the_same_done_again_comes_to_the_same_bits_whether_or_not_the_game_puts_components_back_itself() {
    for (starts, puts_back) in [(50, false), (50, true), (56, false), (56, true), (62, false), (62, true)] {
        let (mut app, bodies) = game();
        run(&mut app, starts);
        let saved = (app.world().resource::<CcdWorld>().snapshot(), shown(&app, &bodies));
        let tick = app.world().resource::<Tick>().0;
        for ticks in [1, 7, 16] {
            let mut first = Vec::new();
            for _ in 0..ticks {
                run(&mut app, 1);
                first.push((exact(&app, &bodies), shown(&app, &bodies)));
            }
            restore(&mut app, &saved.0, tick);
            if puts_back {
                for (body, components) in bodies.iter().zip(&saved.1) {
                    app.world_mut().entity_mut(*body).insert(*components);
                }
            }
            for (k, first) in first.iter().enumerate() {
                run(&mut app, 1);
                let again = exact(&app, &bodies);
                assert_eq!(again, first.0, "tick {k} of {ticks} from {starts}, put back by the game: {puts_back}");
            }
            restore(&mut app, &saved.0, tick);
        }
        assert!(take::<CcdProblem>(&mut app).is_empty());
    }
}

#[test]
fn what_a_tick_sees_of_a_state_that_was_put_back_is_that_state() {
    #[derive(Resource, Default)]
    struct Seen(Vec<Vec<Shown>>);
    let look = |bodies: Query<(&Transform, &LinearVelocity, &AngularVelocity), With<RigidBody>>,
                mut seen: ResMut<Seen>| {
        seen.0.push(bodies.iter().map(|(transform, linear, angular)| (*transform, *linear, *angular)).collect());
    };
    let mut app = app_with(|app| _ = app.init_resource::<Seen>().add_systems(FixedPreUpdate, look));
    let parent = app.world_mut().spawn(ball(3.0)).id();
    let beside = app.world_mut().spawn(Transform::from_xyz(9.0, 5.0, 0.0)).id();
    app.world_mut().spawn((ball(0.0), ChildOf(beside)));
    app.world_mut().spawn((
        RigidBody::Kinematic,
        Collider::sphere(0.1),
        Transform::from_xyz(2.0, 0.0, 0.0),
        ChildOf(parent),
    ));
    run(&mut app, 10);
    let before = app.world().resource::<CcdWorld>().snapshot();
    run(&mut app, 10);
    app.world_mut().resource_mut::<CcdWorld>().restore(before);
    run(&mut app, 1);
    let seen = &app.world().resource::<Seen>().0;
    // The first frame takes no time; the eleventh tick saw what the tenth had left.
    let [then, again] = [&seen[seen.len() - 11], &seen[seen.len() - 1]];
    assert_eq!(then, again);
    assert_ne!(then, &seen[seen.len() - 2]);
}

#[test]
fn what_is_written_after_the_state_was_put_back_is_taken_over() {
    let mut app = still_app();
    let ball = app.world_mut().spawn(ball(5.0)).id();
    let plate = (RigidBody::Kinematic, Collider::cuboid(1.0, 0.1, 1.0));
    let plate = app.world_mut().spawn(plate).id();
    run(&mut app, 4);
    let before = app.world().resource::<CcdWorld>().snapshot();
    app.world_mut().get_mut::<LinearVelocity>(ball).expect("a velocity").0 = Vec3::X;
    app.world_mut().get_mut::<Transform>(plate).expect("a transform").translation.x = 0.5;
    run(&mut app, 4);
    app.world_mut().resource_mut::<CcdWorld>().restore(before);
    app.world_mut().get_mut::<LinearVelocity>(ball).expect("a velocity").0 = Vec3::Z * 2.0;
    app.world_mut().get_mut::<Transform>(plate).expect("a transform").translation.x = 0.25;
    run(&mut app, 1);
    assert_eq!(velocity(&app, ball), Vec3::Z * 2.0);
    assert_eq!(place(&app, ball), Vec3::new(0.0, 5.0, 2.0 / RATE as f32));
    assert_eq!(place(&app, plate).x, 0.25);
    run(&mut app, 3);
    assert_eq!(place(&app, plate).x, 0.25);
    let exact = core_body(&app, plate).pose().translation.x;
    assert!((exact - 0.25).abs() < 1e-9, "it is drawn where it is: {exact}");
}
