//! Small games, as they are played: what is hit is despawned in the same frame, rounds begin anew, time is paused, slowed down, and hitches.

use std::collections::BTreeMap;
use std::time::Duration;

use bevy::state::app::StatesPlugin;

use crate::common::*;

#[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Game {
    #[default]
    Menu,
    Play,
}

/// What has happened in a round.
#[derive(Resource, Default)]
struct Score {
    bricks: u32,
    passes: u32,
    hits: u32,
    expired: u32,
    fired: u32,
}

/// Who touches by what was told: starts and ends of each pair take turns.
#[derive(Default)]
struct Told {
    touching: BTreeMap<(Entity, Entity), i32>,
    starts: usize,
}

impl Told {
    fn hear(&mut self, app: &mut App) {
        let pair = |a: Entity, b: Entity| (a.min(b), a.max(b));
        let (started, ended) = (take::<CollisionStart>(app), take::<CollisionEnd>(app));
        self.starts += started.len();
        for collision in started {
            *self.touching.entry(pair(collision.body1, collision.body2)).or_default() += 1;
        }
        for collision in ended {
            *self.touching.entry(pair(collision.body1, collision.body2)).or_default() -= 1;
        }
        assert!(self.touching.values().all(|count| [0, 1].contains(count)), "{:?}", self.touching);
        self.touching.retain(|_, count| *count > 0);
    }
}

fn body_count(app: &App) -> usize {
    app.world().resource::<CcdWorld>().core().bodies().count()
}

#[derive(Component)]
struct Ball;

#[derive(Component)]
struct Paddle;

fn begin(mut commands: Commands) {
    let bouncy = || (Restitution::PERFECTLY_ELASTIC, Friction::ZERO, DespawnOnExit(Game::Play));
    let block = |size: Vec3, at: Vec3| {
        (RigidBody::Static, Collider::from(Cuboid::from_size(size)), Transform::from_translation(at))
    };
    for (size, at) in [
        (Vec3::new(1.0, 30.0, 1.0), Vec3::X * -10.5),
        (Vec3::new(1.0, 30.0, 1.0), Vec3::X * 10.5),
        (Vec3::new(22.0, 1.0, 1.0), Vec3::Y * 10.5),
        (Vec3::new(22.0, 1.0, 1.0), Vec3::Y * -10.5),
    ] {
        commands.spawn((block(size, at), bouncy()));
    }
    for (x, y) in (-9..=9_i8).flat_map(|x| (3..9_i8).map(move |y| (x, y))) {
        let at = Vec3::new(f32::from(x), f32::from(y), 0.0);
        let brick = (block(Vec3::new(0.9, 0.9, 1.0), at), bouncy(), CollisionEventsEnabled);
        commands.spawn(brick).observe(|hit: On<CollisionStart>, mut commands: Commands, mut score: ResMut<Score>| {
            score.bricks += 1;
            commands.entity(hit.body1).despawn();
        });
    }
    let line = (Collider::cuboid(19.0, 0.1, 1.0), Sensor, CollisionEventsEnabled);
    commands.spawn((line, DespawnOnExit(Game::Play))).observe(
        |hit: On<CollisionStart>, balls: Query<(), With<Ball>>, mut score: ResMut<Score>| {
            score.passes += u32::from(balls.contains(hit.body2));
        },
    );
    let paddle = (RigidBody::Kinematic, Collider::cuboid(4.0, 0.5, 1.0), Transform::from_xyz(0.0, -9.0, 0.0), Paddle);
    commands.spawn((paddle, bouncy()));
    for k in 0..3_u8 {
        let ball = (RigidBody::Dynamic, Collider::sphere(0.3), Ball, LockedAxes::new().lock_translation_z(), bouncy());
        let (at, velocity) = (Transform::from_xyz(2.0 * f32::from(k), -5.0, 0.0), LinearVelocity::new(7.0, 60.0, 0.0));
        commands.spawn((ball, at, velocity, CollisionEventsEnabled));
    }
}

/// The paddle goes after the lowest ball.
fn follow(mut paddle: Single<&mut Transform, With<Paddle>>, balls: Query<&Transform, (With<Ball>, Without<Paddle>)>) {
    if let Some(lowest) = balls.iter().min_by(|a, b| a.translation.y.total_cmp(&b.translation.y)) {
        let way = lowest.translation.x.clamp(-7.0, 7.0) - paddle.translation.x;
        paddle.translation.x += way.clamp(-0.5, 0.5);
    }
}

#[test]
fn bricks_that_are_hit_are_gone_and_each_round_ends_what_it_began() {
    let mut app = app_with(|app| {
        app.add_plugins(StatesPlugin).init_state::<Game>().init_resource::<Score>();
        app.add_systems(OnEnter(Game::Play), begin).add_systems(FixedUpdate, follow.run_if(in_state(Game::Play)));
    });
    app.insert_resource(Gravity::ZERO);
    let mut told = Told::default();
    for round in 0..2 {
        app.insert_resource(Score::default());
        app.world_mut().resource_mut::<NextState<Game>>().set(Game::Play);
        for frame in 0..900 {
            run(&mut app, 1);
            told.hear(&mut app);
            match frame {
                100 | 120 => app.world_mut().resource_mut::<CcdClock>().paused = frame == 100,
                150 => app.world_mut().resource_mut::<Time<Virtual>>().pause(),
                170 => app.world_mut().resource_mut::<Time<Virtual>>().unpause(),
                _ => {}
            }
            let mut balls = app.world_mut().query_filtered::<(&LinearVelocity, &Transform), With<Ball>>();
            for (velocity, transform) in balls.iter(app.world()) {
                let at = transform.translation;
                assert!(at.x.abs() < 9.71 && at.y.abs() < 9.71 && at.z == 0.0, "a ball is at {at}");
                assert!(velocity.length() > 1.0, "a ball has {}", velocity.0);
            }
        }
        let Score { bricks, passes, .. } = *app.world().resource();
        assert!(bricks > 60 && passes > 10, "{bricks} bricks and {passes} passes in round {round}");
        app.world_mut().resource_mut::<NextState<Game>>().set(Game::Menu);
        run(&mut app, 2);
        told.hear(&mut app);
        assert_eq!((body_count(&app), told.touching.len()), (0, 0), "round {round} is over");
    }
    assert!(take::<CcdProblem>(&mut app).is_empty());
}

#[derive(Component)]
struct Tank;

#[derive(Component)]
struct Turret;

#[derive(Component)]
struct Muzzle;

/// For how long it flies, seconds.
#[derive(Component)]
struct Shell(f32);

/// How much it takes.
#[derive(Component)]
struct Target(u32);

fn drive(
    mut tank: Single<&mut Transform, With<Tank>>,
    mut turret: Single<&mut Transform, (With<Turret>, Without<Tank>)>,
    time: Res<Time>,
) {
    let t = time.elapsed_secs();
    (tank.translation.x, tank.translation.z) = (8.0 * (0.3 * t).sin(), 8.0 * (0.3 * t).cos());
    tank.rotation = Quat::from_rotation_y(0.3 * t);
    turret.rotation = Quat::from_rotation_y(2.0 * t);
}

fn fire(
    mut commands: Commands,
    muzzle: Single<&GlobalTransform, With<Muzzle>>,
    tank: Single<Entity, With<Tank>>,
    mut score: ResMut<Score>,
) {
    for k in 0..4_u8 {
        score.fired += 1;
        let way = *muzzle.forward() + Vec3::Y * 0.01 * f32::from(k);
        let shell = (RigidBody::Dynamic, Collider::sphere(0.05), Mass(0.2), LinearVelocity(way * 300.0), Shell(1.0));
        let at = Transform::from_translation(muzzle.translation() + 0.12 * f32::from(k) * way);
        commands.spawn((shell, at, NoCollideGroup(*tank), CollisionEventsEnabled)).observe(
            |hit: On<CollisionStart>,
             mut commands: Commands,
             mut targets: Query<&mut Target>,
             mut score: ResMut<Score>| {
                score.hits += 1;
                if let Ok(mut target) = targets.get_mut(hit.body2) {
                    target.0 -= 1;
                    if target.0 == 0 {
                        commands.entity(hit.body2).despawn();
                    }
                }
                commands.entity(hit.body1).despawn();
            },
        );
    }
}

fn age(mut commands: Commands, mut shells: Query<(Entity, &mut Shell)>, time: Res<Time>, mut score: ResMut<Score>) {
    for (entity, mut shell) in &mut shells {
        shell.0 -= time.delta_secs();
        if shell.0 <= 0.0 {
            score.expired += 1;
            commands.entity(entity).despawn();
        }
    }
}

#[test]
fn hundreds_of_shells_a_second_leave_nothing_behind_however_fast_time_goes() {
    let mut app = app_with(|app| {
        app.init_resource::<Score>().add_systems(FixedUpdate, (drive, fire, age).chain());
    });
    let frame = |app: &mut App, length: f64| {
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(length)));
    };
    app.world_mut().spawn(floor());
    let tank = (RigidBody::Kinematic, Collider::cuboid(2.0, 1.0, 3.0), Transform::from_xyz(0.0, 0.51, 8.0), Tank);
    let tank = app.world_mut().spawn((tank, CollisionEventsEnabled)).id();
    // Larger than it is, so that what hangs on it is, too.
    let turret = Transform::from_xyz(0.0, 0.8, 0.0).with_scale(Vec3::splat(1.2));
    let turret = app.world_mut().spawn((Collider::cuboid(1.0, 0.5, 1.0), turret, Turret, ChildOf(tank))).id();
    let sight = RayCaster::new(Vec3::ZERO, Dir3::NEG_Z).with_max_hits(1);
    let muzzle = app.world_mut().spawn((Muzzle, Transform::from_xyz(0.0, 0.0, -2.7), sight, ChildOf(turret))).id();
    for k in 0..24_u8 {
        let (sin, cos) = (f32::from(k) * std::f32::consts::TAU / 24.0).sin_cos();
        let at = Transform::from_xyz(16.0 * sin, 1.0, 16.0 * cos);
        let target = (RigidBody::Dynamic, Collider::cuboid(1.0, 2.0, 1.0), at, Target(20));
        app.world_mut().spawn((target, CollisionEventsEnabled, CollidingEntities::default()));
    }
    let mut told = Told::default();
    let mut seen = 0;
    for k in 0..300 {
        match k {
            0 => frame(&mut app, 1.0 / 60.0),
            60 => app.world_mut().resource_mut::<Time<Virtual>>().set_relative_speed(0.1),
            120 => app.world_mut().resource_mut::<Time<Virtual>>().set_relative_speed(4.0),
            150 => app.world_mut().resource_mut::<Time<Virtual>>().set_relative_speed(1.0),
            180 => app.world_mut().resource_mut::<Time<Fixed>>().set_timestep_hz(30.0),
            220 => app.world_mut().resource_mut::<Time<Fixed>>().set_timestep_hz(120.0),
            240 => frame(&mut app, 2.0),
            241 => frame(&mut app, 1.0 / 60.0),
            _ => {}
        }
        run(&mut app, 1);
        told.hear(&mut app);
        seen += usize::from(!app.world().get::<RayHits>(muzzle).expect("hits").is_empty());
    }
    let (shells, mut all) =
        (app.world_mut().query::<&Shell>().iter(app.world()).count(), app.world_mut().query::<&RigidBody>());
    assert_eq!(body_count(&app), all.iter(app.world()).count(), "bodies, and entities that are some");
    let Score { fired, hits, expired, .. } = *app.world().resource();
    assert!(hits > 100 && seen > 20, "{hits} hits, {seen} frames in which something was aimed at");
    // A shell that meets two things in a step has hit both.
    assert!(
        fired as usize <= hits as usize + expired as usize + shells,
        "{fired} fired, {hits} hit, {expired} expired"
    );
    let mut entities = app.world_mut().query_filtered::<Entity, With<RigidBody>>();
    for entity in entities.iter(app.world()).collect::<Vec<_>>() {
        app.world_mut().despawn(entity);
    }
    run(&mut app, 1);
    told.hear(&mut app);
    assert_eq!((body_count(&app), told.touching.len()), (0, 0));
}
