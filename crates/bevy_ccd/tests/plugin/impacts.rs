//! How hard bodies ran into each other, and where.

use bevy::ecs::system::SystemState;

use crate::common::*;

/// What observers on entities heard.
#[derive(Resource, Default)]
struct Heard(Vec<(Entity, CollisionImpact)>);

fn hearing_app() -> App {
    app_with(|app| _ = app.init_resource::<Heard>())
}

fn hear(app: &mut App, entity: Entity) {
    app.world_mut().entity_mut(entity).observe(move |hit: On<CollisionImpact>, mut heard: ResMut<Heard>| {
        heard.0.push((entity, *hit));
    });
}

fn all_impacts(app: &mut App) -> Vec<CollisionImpact> {
    let mut state = SystemState::<Collisions>::new(app.world_mut());
    state.get(app.world()).expect("the plugin's resources").impacts().collect()
}

#[test]
fn what_bounces_off_within_a_step_is_told_of_with_the_blow_that_it_got() {
    let mut app = hearing_app();
    let floor = app.world_mut().spawn((floor(), CollisionEventsEnabled)).id();
    let ball = (ball(3.0), Mass(2.0), Restitution::new(0.75), CollisionEventsEnabled);
    let ball = app.world_mut().spawn(ball).id();
    [floor, ball].into_iter().for_each(|entity| hear(&mut app, entity));
    let mut before = 0.0;
    while take::<CollisionStart>(&mut app).is_empty() {
        before = velocity(&app, ball).y;
        run(&mut app, 1);
    }
    assert!(!app.world().resource::<CcdWorld>().are_touching(floor, ball), "it has parted again");
    let told = take::<CollisionImpact>(&mut app);
    let [impact] = told[..] else { panic!("one impact: {told:?}") };
    let blow = 2.0 * (velocity(&app, ball).y - before + 9.81 / RATE as f32);
    let impact = impact.seen_from(floor).expect("one of the two");
    assert_eq!((impact.body1, impact.body2), (floor, ball));
    assert!((impact.impulse - Vec3::Y * blow).length() < 1e-3 * blow, "{} and not {blow}", impact.impulse);
    assert!((impact.normal - Vec3::Y).length() < 1e-6 && impact.point.length() < 1e-3, "{impact:?}");
    assert!(impact.time > 0.0 && impact.time < 1.0 / RATE as f32);
    assert_eq!(impact.seen_from(ball), Some(impact.flipped()));
    assert_eq!(impact.flipped().flipped(), impact);
    assert!(impact.seen_from(Entity::PLACEHOLDER).is_none());
    let mut state = SystemState::<Collisions>::new(app.world_mut());
    let collisions = state.get(app.world()).expect("the plugin's resources");
    let with = |entity: Entity| collisions.impacts_with(entity).collect::<Vec<_>>();
    let of_each = [floor, ball, Entity::PLACEHOLDER].map(with);
    assert_eq!(of_each, [vec![impact], vec![impact.flipped()], Vec::new()]);
    let heard = std::mem::take(&mut app.world_mut().resource_mut::<Heard>().0);
    let each = [(floor, impact), (ball, impact.flipped())];
    assert!(heard.len() == 2 && each.iter().all(|one| heard.contains(one)), "each has itself as the first: {heard:?}");
}

#[test]
fn what_falls_flat_has_an_impact_at_each_place_and_together_they_stop_it() {
    let mut app = app();
    app.world_mut().spawn((floor(), CollisionEventsEnabled));
    let leg = |x: f32, z: f32| (Collider::cuboid(0.2, 1.0, 0.2), Transform::from_xyz(x, 0.0, z));
    let table = (RigidBody::Dynamic, Mass(3.0), Transform::from_xyz(0.0, 2.0, 0.0));
    let table = app.world_mut().spawn(table).id();
    let legs = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]
        .map(|(x, z)| app.world_mut().spawn((leg(x, z), ChildOf(table))).id());
    let mut before = 0.0;
    while take::<CollisionStart>(&mut app).is_empty() {
        before = velocity(&app, table).y;
        run(&mut app, 1);
    }
    let told = take::<CollisionImpact>(&mut app);
    let blows: Vec3 = told.iter().filter_map(|impact| impact.seen_from(table)).map(|impact| -impact.impulse).sum();
    // What gravity added until then, and the push of the contacts for the rest of the step, are within a step of it.
    assert!((blows.y - 3.0 * -before).abs() < 3.0 * 2.0 * 9.81 / RATE as f32, "{blows} stops {before} m/s");
    for leg in legs {
        let is_of_leg = |impact: &&CollisionImpact| impact.seen_from(table).is_some_and(|it| it.collider1 == leg);
        assert!(told.iter().any(|impact| is_of_leg(&impact)), "a leg has met the floor");
    }
}

#[test]
fn impacts_are_told_once_and_to_those_who_want_to_know() {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let ball = app.world_mut().spawn((ball(1.0), Restitution::new(0.5))).id();
    while all_impacts(&mut app).is_empty() {
        run(&mut app, 1);
    }
    assert!(take::<CollisionImpact>(&mut app).is_empty(), "nobody wants to know");
    app.world_mut().entity_mut(ball).insert(CollisionEventsEnabled);
    app.world_mut().resource_mut::<CcdClock>().paused = true;
    run(&mut app, 3);
    assert!(take::<CollisionImpact>(&mut app).is_empty(), "no step was made");
    let impacts = all_impacts(&mut app);
    assert!(impacts.iter().all(|impact| impact.seen_from(floor).is_some()) && impacts.len() == 1);
    app.world_mut().resource_mut::<CcdClock>().paused = false;
    run(&mut app, 128);
    let told = take::<CollisionImpact>(&mut app);
    assert!(!told.is_empty() && told.len() < 32, "{}", told.len());
    run(&mut app, 64);
    assert!(take::<CollisionImpact>(&mut app).is_empty(), "what lies has none");
}

#[test]
fn what_passes_a_sensor_has_no_impact() {
    let mut app = still_app();
    app.world_mut().spawn((Collider::cuboid(1.0, 1.0, 1.0), Sensor, CollisionEventsEnabled));
    let body = (RigidBody::Dynamic, Collider::sphere(0.1), Transform::from_xyz(-3.0, 0.0, 0.0));
    app.world_mut().spawn((body, LinearVelocity::new(40.0, 0.0, 0.0)));
    run(&mut app, 20);
    assert_eq!((take::<CollisionStart>(&mut app).len(), take::<CollisionEnd>(&mut app).len()), (1, 1));
    assert!(take::<CollisionImpact>(&mut app).is_empty());
}

#[test]
fn a_bumper_kicks_what_hits_it_and_lets_be_what_another_observer_despawned() {
    let mut app = still_app();
    // With the error handler that panics.
    let bumper = (RigidBody::Static, Collider::cylinder(0.5, 1.0), CollisionEventsEnabled);
    app.world_mut().spawn(bumper).observe(|hit: On<CollisionImpact>, mut impulses: Impulses| -> Result {
        impulses.push(hit.body2, hit.normal * 2.0)?;
        Ok(())
    });
    let bullet = (RigidBody::Dynamic, Collider::sphere(0.1), Transform::from_xyz(-3.0, 0.0, 0.0));
    let bullet = (bullet, LinearVelocity::new(20.0, 0.0, 0.0), CollisionEventsEnabled);
    let bullet = app.world_mut().spawn(bullet).id();
    app.world_mut().entity_mut(bullet).observe(|hit: On<CollisionImpact>, mut commands: Commands| {
        commands.entity(hit.body1).despawn();
    });
    run(&mut app, 30);
    assert!(app.world().get_entity(bullet).is_err(), "it has hit");
}
