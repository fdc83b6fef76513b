//! `Sleeping` tells who sleeps, and is taken as a wish where the game writes it.

use crate::common::*;

fn load(height: f32) -> impl Bundle {
    (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(0.0, height, 0.0))
}

/// A box that sleeps on a floor.
fn asleep() -> (App, Entity, Entity) {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let load = app.world_mut().spawn(load(0.51)).id();
    run(&mut app, 192);
    assert!(sleeps(&app, load));
    (app, floor, load)
}

/// What the component says, which is what the core says.
fn sleeps(app: &App, entity: Entity) -> bool {
    let sleeps = app.world().entity(entity).contains::<Sleeping>();
    assert_eq!(sleeps, core_body(app, entity).is_asleep());
    sleeps
}

fn awake_and_asleep(app: &mut App) -> (usize, usize) {
    let mut awake = app.world_mut().query_filtered::<(), (With<RigidBody>, Without<Sleeping>)>();
    let awake = awake.iter(app.world()).count();
    let mut asleep = app.world_mut().query_filtered::<(), (With<RigidBody>, With<Sleeping>)>();
    (awake, asleep.iter(app.world()).count())
}

#[test]
fn what_falls_asleep_has_the_component_and_what_wakes_loses_it_each_told_once() {
    #[derive(Resource, Default)]
    struct Told(Vec<&'static str>);
    let mut app = app();
    app.init_resource::<Told>();
    app.add_observer(|_: On<Add, Sleeping>, mut told: ResMut<Told>| told.0.push("asleep"));
    app.add_observer(|_: On<Insert, Sleeping>, mut told: ResMut<Told>| told.0.push("inserted"));
    app.add_observer(|_: On<Remove, Sleeping>, mut told: ResMut<Told>| told.0.push("awake"));
    app.world_mut().spawn(floor());
    let load = app.world_mut().spawn(load(0.51)).id();
    run(&mut app, 4);
    assert_eq!(awake_and_asleep(&mut app), (2, 0));
    run(&mut app, 192);
    assert!(sleeps(&app, load));
    assert_eq!(awake_and_asleep(&mut app), (1, 1));
    assert_eq!(app.world().resource::<Told>().0, ["asleep", "inserted"]);
    app.world_mut().get_mut::<LinearVelocity>(load).expect("a velocity").0 = Vec3::Y;
    run(&mut app, 1);
    assert!(!sleeps(&app, load));
    assert_eq!(app.world().resource::<Told>().0, ["asleep", "inserted", "awake"]);
}

#[test]
fn touch_force_impulse_and_teleport_wake() {
    for act in 0..4 {
        let (mut app, _, load) = asleep();
        let world = app.world_mut();
        match act {
            0 => _ = world.spawn((ball(1.52), LinearVelocity(Vec3::NEG_Y))).id(),
            1 => _ = world.entity_mut(load).insert(ConstantForce(Vec3::X * 3000.0)),
            2 => {
                let mut state = bevy::ecs::system::SystemState::<Impulses>::new(world);
                let mut impulses = state.get_mut(world).expect("the parameter is there");
                impulses.push(load, Vec3::Y * 500.0).expect("a body");
            }
            _ => world.get_mut::<Transform>(load).expect("a transform").translation.y += 1.0,
        }
        run(&mut app, 3);
        assert!(!sleeps(&app, load), "act {act}");
    }
}

#[test]
fn what_the_game_takes_the_component_from_wakes_and_sleeps_again_after_half_a_second() {
    let (mut app, _, load) = asleep();
    app.world_mut().entity_mut(load).remove::<Sleeping>();
    run(&mut app, 1);
    assert!(!sleeps(&app, load));
    run(&mut app, 25);
    assert!(!sleeps(&app, load));
    run(&mut app, 15);
    assert!(sleeps(&app, load));
    assert!((place(&app, load).y - 0.5).abs() < 1e-3);
}

#[test]
fn what_is_at_rest_and_given_the_component_sleeps_after_a_step() {
    let (mut app, _, load) = asleep();
    app.world_mut().entity_mut(load).remove::<Sleeping>();
    run(&mut app, 2);
    assert!(!sleeps(&app, load));
    app.world_mut().entity_mut(load).insert(Sleeping);
    run(&mut app, 1);
    assert!(sleeps(&app, load));
    run(&mut app, 10);
    assert!(sleeps(&app, load));
}

#[test]
fn a_clock_that_is_reset_makes_no_step_of_itself() {
    let (mut app, _, load) = asleep();
    app.world_mut().entity_mut(load).remove::<Sleeping>();
    run(&mut app, 2);
    app.world_mut().resource_mut::<CcdClock>().paused = true;
    app.world_mut().entity_mut(load).insert(Sleeping);
    run(&mut app, 1);
    app.world_mut().resource_mut::<CcdClock>().reset();
    run(&mut app, 3);
    assert!(app.world().entity(load).contains::<Sleeping>(), "no step has shown that it cannot");
}

#[test]
fn a_stack_that_is_spawned_asleep_sleeps_from_its_first_step() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let stack = [0.5, 1.5, 2.5].map(|height| app.world_mut().spawn((load(height), Sleeping)).id());
    run(&mut app, 1);
    assert!(stack.iter().all(|&load| sleeps(&app, load)));
    let places = stack.map(|load| place(&app, load));
    run(&mut app, 64);
    assert!(stack.iter().all(|&load| sleeps(&app, load)));
    assert_eq!(stack.map(|load| place(&app, load)), places);
}

#[test]
fn what_falls_moves_or_cannot_sleep_is_not_put_to_sleep() {
    let mut app = app();
    let floor = app.world_mut().spawn((floor(), Sleeping)).id();
    let falling = app.world_mut().spawn((ball(3.0), Sleeping)).id();
    let sliding = (load(0.501), LinearVelocity(Vec3::X * 3.0), Sleeping);
    let sliding = app.world_mut().spawn(sliding).id();
    app.world_mut().get_mut::<Transform>(sliding).expect("a transform").translation.z = 4.0;
    let sleepless = app.world_mut().spawn((load(0.5), SleepingDisabled, Sleeping)).id();
    app.world_mut().get_mut::<Transform>(sleepless).expect("a transform").translation.z = -4.0;
    run(&mut app, 1);
    for entity in [floor, falling, sliding, sleepless] {
        assert!(!sleeps(&app, entity));
    }
    run(&mut app, 10);
    assert!(place(&app, falling).y < 2.95 && place(&app, sliding).x > 0.2);
}

#[test]
fn a_paused_world_keeps_the_wish_for_its_next_step() {
    let (mut app, _, load) = asleep();
    app.world_mut().entity_mut(load).remove::<Sleeping>();
    run(&mut app, 2);
    app.world_mut().resource_mut::<CcdClock>().paused = true;
    app.world_mut().entity_mut(load).insert(Sleeping);
    run(&mut app, 5);
    assert!(app.world().entity(load).contains::<Sleeping>());
    app.world_mut().resource_mut::<CcdClock>().request_step();
    run(&mut app, 1);
    assert!(sleeps(&app, load));
    // What wakes while the world stands is awake at once.
    app.world_mut().get_mut::<LinearVelocity>(load).expect("a velocity").0 = Vec3::Y;
    run(&mut app, 1);
    assert!(!sleeps(&app, load));
}

#[test]
fn a_body_that_is_none_any_more_does_not_sleep_and_one_that_was_disabled_sleeps_on() {
    let (mut app, _, load) = asleep();
    app.world_mut().entity_mut(load).insert(RigidBodyDisabled);
    run(&mut app, 3);
    app.world_mut().entity_mut(load).remove::<RigidBodyDisabled>();
    run(&mut app, 1);
    assert!(sleeps(&app, load));
    app.world_mut().entity_mut(load).remove::<RigidBody>();
    run(&mut app, 1);
    assert!(!app.world().entity(load).contains::<Sleeping>());
}

#[test]
fn a_state_that_was_put_back_tells_who_slept_in_it() {
    let mut app = app();
    app.world_mut().spawn(floor());
    let load = app.world_mut().spawn(load(0.51)).id();
    run(&mut app, 10);
    let before = app.world().resource::<CcdWorld>().snapshot();
    run(&mut app, 192);
    assert!(sleeps(&app, load));
    app.world_mut().resource_mut::<CcdWorld>().restore(before);
    run(&mut app, 1);
    assert!(!sleeps(&app, load));
}
