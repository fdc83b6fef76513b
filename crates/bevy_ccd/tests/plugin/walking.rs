//! Characters that climb stairs, stay on the ground and stop at what is too steep.

use crate::common::*;

const STEP: Vec2 = Vec2::new(0.25, 0.4);
const STEPS: u32 = 5;
const SKIN: f32 = 1e-3;
/// How far a character's middle is above its foot.
const FOOT: f32 = 0.9;

#[derive(Component)]
struct Walker {
    wanted: Vec3,
    fall: f32,
    walk: CharacterWalk,
    ground: Option<CharacterGround>,
}

fn walk(mut walkers: Query<(Entity, &Collider, &mut Transform, &mut Walker)>, mover: MoveAndSlide, time: Res<Time>) {
    for (entity, shape, mut transform, mut walker) in &mut walkers {
        let velocity = walker.wanted + Vec3::Y * (walker.fall - 9.81 * time.delta_secs());
        let config = MoveAndSlideConfig { walk: Some(walker.walk), ..default() };
        let shape = &shape.scaled(transform.scale).expect("a scale");
        let filter = SpatialQueryFilter::from_excluded_entities([entity]);
        let (place, rotation) = (transform.translation, transform.rotation);
        let moved =
            mover.move_and_slide(shape, place, rotation, velocity, time.delta(), &config, &filter, |_| default());
        let moved = moved.expect("numbers");
        assert!(moved.stuck_in.is_none(), "at {place}");
        // What carries it has yet to go on.
        if moved.carried == Vec3::ZERO {
            let free = mover.depenetrate(shape, moved.position, rotation, SKIN, &filter).expect("numbers");
            assert_eq!(free, Some(Vec3::ZERO), "it overlaps something at {}", moved.position);
        }
        transform.translation = moved.position;
        (walker.fall, walker.ground) = (moved.projected_velocity.y, moved.ground);
    }
}

/// Stairs that begin at x = 0, with a landing, and the entities of their steps: children of one body.
fn stairs(app: &mut App) -> (Entity, Vec<Entity>) {
    app.world_mut().spawn(floor());
    let body = app.world_mut().spawn(RigidBody::Static).id();
    let step = |k: u32| {
        let (begin, top) = (STEP.y * k as f32, STEP.x * (k + 1) as f32);
        let end = if k + 1 == STEPS { 12.0 } else { begin + STEP.y };
        let place = Transform::from_xyz(0.5 * (begin + end), 0.5 * top, 0.0);
        (Collider::cuboid(end - begin, top, 6.0), place, ChildOf(body))
    };
    let steps = (0..STEPS).map(|k| app.world_mut().spawn(step(k)).id()).collect();
    (body, steps)
}

fn walker(app: &mut App, shape: Collider, from: Vec3, wanted: Vec3, walk: CharacterWalk) -> Entity {
    let walker = Walker { wanted, fall: 0.0, walk, ground: None };
    app.world_mut().spawn((RigidBody::Kinematic, shape, walker, Transform::from_translation(from))).id()
}

fn walking_app() -> App {
    let mut app = app();
    app.add_systems(FixedUpdate, walk);
    app
}

fn ground(app: &App, walker: Entity) -> Option<CharacterGround> {
    app.world().get::<Walker>(walker).expect("a walker").ground
}

fn is_on(above: f32, height: f32) -> bool {
    above > height && above < height + SKIN + 1e-5
}

#[test]
fn it_climbs_stairs_and_comes_down_them_and_says_on_what_it_stands() {
    let top = STEP.x * STEPS as f32;
    for shape in [Collider::capsule(0.4, 1.0), Collider::cylinder(0.3, 1.8), Collider::cuboid(0.6, 1.8, 0.6)] {
        let climb = || {
            let mut app = walking_app();
            let (body, steps) = stairs(&mut app);
            let from = Vec3::new(-1.5, FOOT + SKIN, 0.0);
            let walker = walker(&mut app, shape.clone(), from, Vec3::new(3.0, 0.0, 0.3), default());
            run(&mut app, 1);
            for _ in 0..100 {
                let before = place(&app, walker);
                run(&mut app, 1);
                let here = place(&app, walker);
                assert!(ground(&app, walker).is_some(), "it flies at {here}");
                assert!(here.y > before.y - 2.0 * SKIN && here.x > before.x, "from {before} to {here}");
            }
            let up = place(&app, walker);
            assert!(is_on(up.y - FOOT, top) && up.x > 2.5, "{up}");
            let stands = ground(&app, walker).expect("ground");
            assert!(stands.entity == body && stands.collider == steps[4] && stands.normal.y > 0.999, "{stands:?}");
            assert!((stands.point.y - top).abs() < 1e-5);
            app.world_mut().get_mut::<Walker>(walker).expect("a walker").wanted.x = -4.0;
            for _ in 0..80 {
                run(&mut app, 1);
                assert!(ground(&app, walker).is_some(), "it flies down at {}", place(&app, walker));
            }
            let down = place(&app, walker);
            assert!(is_on(down.y - FOOT, 0.0) && down.x < -0.4, "{down}");
            assert!(take::<CcdProblem>(&mut app).is_empty());
            [up, down].map(|place| place.to_array().map(f32::to_bits))
        };
        assert_eq!(climb(), climb(), "the same bits");
    }
}

#[test]
fn a_mesh_of_stairs_is_climbed_as_well() {
    let mut app = walking_app();
    let (mut outline, mut triangles) = (vec![[-9.0, 0.0]], Vec::new());
    for k in 0..STEPS {
        let [depth, rise] = [STEP.y, STEP.x].map(f64::from);
        let (x, y) = (depth * f64::from(k), rise * f64::from(k));
        outline.extend([[x, y], [x, y + rise]]);
    }
    outline.push([9.0, f64::from(STEP.x) * f64::from(STEPS)]);
    for k in 0..outline.len() as u32 - 1 {
        triangles.extend([[2 * k, 2 * k + 1, 2 * k + 2], [2 * k + 2, 2 * k + 1, 2 * k + 3]]);
    }
    let corners = outline.iter().flat_map(|&[x, y]| [-3.0, 3.0].map(|z| [x, y, z]));
    let mesh = Collider::trimesh(corners, triangles).expect("a mesh");
    app.world_mut().spawn((RigidBody::Static, mesh));
    let from = Vec3::new(-1.5, FOOT + SKIN, 0.0);
    let walker = walker(&mut app, Collider::capsule(0.4, 1.0), from, Vec3::X * 3.0, default());
    run(&mut app, 100);
    let up = place(&app, walker);
    assert!(is_on(up.y - FOOT, STEP.x * STEPS as f32) && up.x > 2.5, "{up}");
}

#[test]
fn what_is_too_high_too_steep_or_not_to_be_stepped_on_stops_it() {
    let no_dynamic = CharacterAutostep { include_dynamic_bodies: false, ..default() };
    let walks = [
        CharacterWalk { autostep: None, ..default() },
        CharacterWalk { autostep: Some(CharacterAutostep { max_height: 0.2, ..default() }), ..default() },
        CharacterWalk { autostep: Some(CharacterAutostep { min_width: 0.5, ..default() }), ..default() },
        CharacterWalk { autostep: Some(no_dynamic), ..default() },
        CharacterWalk::default(),
    ];
    let mut ways = Vec::new();
    for walk in walks {
        let mut app = walking_app();
        stairs(&mut app);
        // A crate that is as high as a step, and a slope of 50°.
        let heavy = (RigidBody::Dynamic, Collider::cuboid(1.0, 0.25, 1.0), Mass(1e6));
        app.world_mut().spawn((heavy, Transform::from_xyz(0.5, 0.125, 10.0)));
        let turn = Quat::from_rotation_z(50_f32.to_radians());
        let slope = Transform::from_translation(Vec3::new(0.0, 0.0, -10.0) + turn * Vec3::new(4.0, -0.5, 0.0));
        app.world_mut().spawn((RigidBody::Static, Collider::cuboid(8.0, 1.0, 4.0), slope.with_rotation(turn)));
        let walkers = [0.0, 10.0, -10.0].map(|z| {
            let from = Vec3::new(-1.5, FOOT + SKIN, z);
            walker(&mut app, Collider::capsule(0.4, 1.0), from, Vec3::X * 2.0, walk)
        });
        run(&mut app, 80);
        ways.push(walkers.map(|walker| place(&app, walker).y > FOOT + 0.2));
        assert!(walkers.iter().all(|walker| ground(&app, *walker).is_some()));
    }
    let [none, low, wide, not_dynamic, all] = ways[..] else { panic!("five walks") };
    assert_eq!([none, low, wide], [[false; 3], [false; 3], [false, true, false]]);
    assert_eq!([not_dynamic, all], [[true, false, false], [true, true, false]]);
}

#[test]
fn a_walk_that_cannot_be_is_refused() {
    let mut app = app();
    app.world_mut().spawn(floor());
    run(&mut app, 1);
    let step = |max_height, min_width| Some(CharacterAutostep { max_height, min_width, ..default() });
    for walk in [
        CharacterWalk { max_slope_climb_angle: f32::NAN, ..default() },
        CharacterWalk { max_slope_climb_angle: 2.0, ..default() },
        CharacterWalk { autostep: step(-1.0, 0.1), ..default() },
        CharacterWalk { autostep: step(0.3, f32::INFINITY), ..default() },
        CharacterWalk { snap_to_ground: Some(-0.1), ..default() },
    ] {
        let mut state = bevy::ecs::system::SystemState::<MoveAndSlide>::new(app.world_mut());
        let mover = state.get(app.world()).expect("the plugin's resources");
        let config = MoveAndSlideConfig { walk: Some(walk), ..default() };
        let (ball, second) = (Collider::sphere(0.5), std::time::Duration::from_secs(1));
        let at = Vec3::Y * 2.0;
        let refused =
            mover.move_and_slide(&ball, at, Quat::IDENTITY, Vec3::X, second, &config, &default(), |_| default());
        assert!(matches!(refused, Err(SpatialQueryError::Walk { .. })), "{refused:?}");
    }
}

#[test]
fn what_moves_below_it_carries_it_however_the_game_moves_that() {
    for rides in [true, false] {
        for (is_placed, kind) in
            [(false, RigidBody::Kinematic), (true, RigidBody::Kinematic), (false, RigidBody::Dynamic)]
        {
            // A kinematic walker presses down what rises against it and is dynamic, however heavy.
            let way = Vec3::new(2.0, if kind.is_dynamic() { 0.0 } else { 1.5 }, -1.0);
            let mut app = walking_app();
            app.insert_resource(Gravity::ZERO);
            let slab = (kind, Collider::cuboid(6.0, 0.2, 6.0), Transform::from_xyz(0.0, -0.1, 0.0));
            let lift = app.world_mut().spawn((slab, Mass(1e6))).id();
            let walk = CharacterWalk { rides, ..default() };
            let from = Vec3::new(0.5, FOOT + SKIN, 0.0);
            let walker = walker(&mut app, Collider::capsule(0.4, 1.0), from, Vec3::X * 0.25, walk);
            let go_on = |app: &mut App| {
                if is_placed {
                    app.world_mut().get_mut::<Transform>(lift).expect("a transform").translation += way / RATE as f32;
                }
                run(app, 1);
            };
            run(&mut app, 1);
            if !is_placed {
                app.world_mut().entity_mut(lift).insert(LinearVelocity(way));
            }
            (0..2).for_each(|_| go_on(&mut app));
            let beside = |app: &App| place(app, walker) - place(app, lift);
            let start = beside(&app);
            (0..64).for_each(|_| go_on(&mut app));
            let went = beside(&app) - start;
            if rides {
                // It walks on as it does on the ground.
                assert!((went - Vec3::X * 0.25 * 64.0 / RATE as f32).length() < 1e-3, "{kind:?} {is_placed}: {went}");
                let ground = ground(&app, walker).expect("ground");
                assert!(ground.entity == lift && (ground.velocity - way).length() < 1e-3, "{ground:?}");
            } else {
                assert!(went.x < -1.0 && went.z > 0.5, "{kind:?} {is_placed}: it stays behind, {went}");
            }
        }
    }
}

#[test]
fn a_scaled_character_keeps_all_of_its_body_out_of_the_wall() {
    let mut app = walking_app();
    app.world_mut().spawn(floor());
    let wall = (RigidBody::Static, Collider::cuboid(1.0, 9.0, 9.0), Transform::from_xyz(4.5, 0.0, 0.0));
    app.world_mut().spawn(wall);
    let from = Vec3::new(0.0, 2.0 * FOOT + SKIN, 0.0);
    let walker = walker(&mut app, Collider::capsule(0.4, 1.0), from, Vec3::X * 8.0, default());
    app.world_mut().get_mut::<Transform>(walker).expect("a transform").scale = Vec3::splat(2.0);
    run(&mut app, 64);
    let here = place(&app, walker);
    assert!((here.x - (4.0 - 0.8 - SKIN)).abs() < 1e-4 && is_on(here.y - 2.0 * FOOT, 0.0), "{here}");
    assert!(take::<CcdProblem>(&mut app).is_empty(), "its body meets nothing either");
}

#[test]
fn nothing_carries_it_while_the_world_stands() {
    for is_placed in [false, true] {
        let way = Vec3::new(2.0, 0.0, -1.0);
        let mut app = walking_app();
        let slab = (RigidBody::Kinematic, Collider::cuboid(20.0, 0.2, 20.0), Transform::from_xyz(0.0, -0.1, 0.0));
        let lift = app.world_mut().spawn(slab).id();
        let from = Vec3::new(0.5, FOOT + SKIN, 0.0);
        let walker = walker(&mut app, Collider::capsule(0.4, 1.0), from, Vec3::ZERO, default());
        run(&mut app, 1);
        if !is_placed {
            app.world_mut().entity_mut(lift).insert(LinearVelocity(way));
        }
        let go_on = |app: &mut App, ticks: u32| {
            for _ in 0..ticks {
                if is_placed {
                    app.world_mut().get_mut::<Transform>(lift).expect("a transform").translation += way / RATE as f32;
                }
                run(app, 1);
            }
        };
        go_on(&mut app, 8);
        let beside = |app: &App| place(app, walker) - place(app, lift);
        let (stands, carried) = (place(&app, walker), beside(&app));
        app.world_mut().resource_mut::<CcdClock>().paused = true;
        run(&mut app, 32);
        assert!(place(&app, walker).distance(stands) < 1e-3, "{} from {stands}", place(&app, walker));
        // One step goes on, and all of them.
        app.world_mut().resource_mut::<CcdClock>().request_step();
        go_on(&mut app, 1);
        assert!((place(&app, walker) - stands - way / RATE as f32).length() < 1e-3, "{}", place(&app, walker));
        run(&mut app, 8);
        app.world_mut().resource_mut::<CcdClock>().paused = false;
        go_on(&mut app, 8);
        assert!(beside(&app).distance(carried) < 1e-3, "{} and not {carried}", beside(&app));
        // Nor does a world that refuses to step.
        app.world_mut().resource_mut::<CcdClock>().step_length = Some(-1.0);
        run(&mut app, 1);
        let stands = place(&app, walker);
        run(&mut app, 32);
        assert!(place(&app, walker).distance(stands) < 1e-3, "{} from {stands}", place(&app, walker));
    }
}
