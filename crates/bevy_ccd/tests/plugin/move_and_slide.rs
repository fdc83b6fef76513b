//! Characters that are moved by a velocity and slide along what they meet.

use std::time::Duration;

use crate::common::*;
use bevy::ecs::system::SystemState;

const SKIN: f32 = 1e-3;
const SECOND: Duration = Duration::from_secs(1);

fn ask<T>(app: &mut App, question: impl FnOnce(&MoveAndSlide) -> T) -> T {
    let mut state = SystemState::<MoveAndSlide>::new(app.world_mut());
    question(&state.get(app.world()).expect("the plugin's resources"))
}

/// A floor, and a wall that faces against x at x = 2.
fn scene() -> (App, Entity, Entity) {
    let mut app = app();
    let floor = app.world_mut().spawn(floor()).id();
    let wall = (RigidBody::Static, Collider::cuboid(1.0, 20.0, 40.0), Transform::from_xyz(2.5, 0.0, 0.0));
    let wall = app.world_mut().spawn(wall).id();
    run(&mut app, 1);
    (app, floor, wall)
}

fn slide(
    app: &mut App,
    position: Vec3,
    velocity: Vec3,
    on_hit: impl FnMut(&mut MoveAndSlideHitData) -> MoveAndSlideHitResponse,
) -> MoveAndSlideOutput {
    let (shape, config, filter) = (Collider::capsule(0.4, 1.0), MoveAndSlideConfig::default(), default());
    ask(app, |m| m.move_and_slide(&shape, position, Quat::IDENTITY, velocity, SECOND, &config, &filter, on_hit))
        .expect("numbers")
}

#[test]
fn it_slides_over_the_floor_along_the_wall_and_tells_what_it_met() {
    let (mut app, floor, wall) = scene();
    let mut met = Vec::new();
    let moved = slide(&mut app, Vec3::Y * 1.5, Vec3::new(4.0, -2.0, 1.0), |hit| {
        met.push(*hit);
        MoveAndSlideHitResponse::Accept
    });
    assert!((moved.position - Vec3::new(1.6 - SKIN, 0.9 + SKIN, 1.0)).length() < 1e-5, "{moved:?}");
    assert!((moved.projected_velocity - Vec3::Z).length() < 1e-5);
    assert!(moved.remaining_time == Duration::ZERO && moved.stuck_in.is_none());
    assert_eq!(met.iter().map(|hit| (hit.entity, hit.collider)).collect::<Vec<_>>(), [(floor, floor), (wall, wall)]);
    assert!((*met[0].normal - Vec3::Y).length() < 1e-5 && (*met[1].normal + Vec3::X).length() < 1e-5);
    assert!(met[0].point.y.abs() < 1e-5 && (met[1].point.x - 2.0).abs() < 1e-5);
    assert_eq!(met[0].velocity(), Vec3::new(4.0, -2.0, 1.0));
    assert!((met[0].time.as_secs_f32() - 0.3).abs() < 1e-3 && met[1].time > met[0].time);
}

#[test]
fn at_ten_kilometres_a_second_the_wall_is_where_it_was() {
    let (mut app, ..) = scene();
    let moved = slide(&mut app, Vec3::Y * 1.5, Vec3::new(1e4, 0.0, 0.0), |_| MoveAndSlideHitResponse::Accept);
    assert!((moved.position.x - (1.6 - SKIN)).abs() < 1e-5 && moved.remaining_time > Duration::ZERO, "{moved:?}");
}

#[test]
fn who_is_told_may_go_through_stop_and_turn_what_it_met_into_something_else() {
    let (mut app, _, wall) = scene();
    let (start, velocity) = (Vec3::Y * 1.5, Vec3::new(6.0, 0.0, 1.0));
    let through = slide(&mut app, start, velocity, |hit| {
        if hit.entity == wall { MoveAndSlideHitResponse::Ignore } else { MoveAndSlideHitResponse::Accept }
    });
    assert!((through.position - start - velocity).length() < 1e-5, "{through:?}");
    let stopped = slide(&mut app, start, velocity, |_| MoveAndSlideHitResponse::Abort);
    assert!((stopped.position.x - (1.6 - SKIN)).abs() < 1e-5 && stopped.projected_velocity == velocity);
    let turned = slide(&mut app, start, velocity, |hit| {
        hit.normal = Dir3::new(Vec3::new(-1.0, 0.0, -1.0)).expect("a direction");
        MoveAndSlideHitResponse::Accept
    });
    assert!(turned.projected_velocity.x < 0.01 && turned.position.x <= 1.6, "{turned:?}");
}

#[test]
fn it_is_moved_out_of_what_it_is_in_and_says_where_it_is_stuck() {
    let (mut app, floor, _) = scene();
    let (capsule, filter) = (Collider::capsule(0.4, 1.0), SpatialQueryFilter::default());
    let at = Vec3::new(1.7, 0.8, 0.0);
    let way = ask(&mut app, |m| m.depenetrate(&capsule, at, Quat::IDENTITY, SKIN, &filter)).expect("numbers");
    let out = at + way.expect("a way");
    assert!((out - Vec3::new(1.6 - SKIN, 0.9 + SKIN, 0.0)).length() < 1e-4, "{out}");
    let free = ask(&mut app, |m| m.depenetrate(&capsule, out, Quat::IDENTITY, SKIN, &filter)).expect("numbers");
    assert_eq!(free, Some(Vec3::ZERO));
    let moved = slide(&mut app, at, Vec3::Z, |_| MoveAndSlideHitResponse::Accept);
    assert!((moved.position - out - Vec3::Z).length() < 1e-4, "{moved:?}");
    let lid = (RigidBody::Static, Collider::cuboid(40.0, 1.0, 40.0), Transform::from_xyz(0.0, 2.0, 0.0));
    app.world_mut().spawn(lid);
    run(&mut app, 1);
    let stuck = slide(&mut app, Vec3::Y * 0.8, Vec3::Z, |_| MoveAndSlideHitResponse::Accept);
    assert!(stuck.stuck_in.is_some() && stuck.position == Vec3::Y * 0.8 && stuck.projected_velocity == Vec3::ZERO);
    let way = ask(&mut app, |m| m.depenetrate(&capsule, Vec3::Y * 0.8, Quat::IDENTITY, SKIN, &filter));
    assert_eq!(way.expect("numbers"), None);
    let without = SpatialQueryFilter::from_excluded_entities([floor]);
    let way = ask(&mut app, |m| m.depenetrate(&capsule, Vec3::Y * 0.8, Quat::IDENTITY, SKIN, &without));
    assert!(way.expect("numbers").is_some());
}

#[test]
fn a_cast_move_says_how_far_it_may_go_and_how_far_it_is() {
    let (mut app, _, wall) = scene();
    let ball = Collider::sphere(0.5);
    let cast = |m: &MoveAndSlide, movement| {
        m.cast_move(&ball, Vec3::Y * 3.0, Quat::IDENTITY, movement, 0.01, &default()).expect("numbers")
    };
    let hit = ask(&mut app, |m| cast(m, Vec3::X * 4.0)).expect("a wall");
    assert_eq!(hit.entity, wall);
    assert!((hit.distance - 1.49).abs() < 1e-5 && (hit.collision_distance - 1.5).abs() < 0.01, "{hit:?}");
    assert!((hit.normal - Vec3::X).length() < 1e-5 && (hit.point2.x - 2.0).abs() < 1e-5);
    assert_eq!(ask(&mut app, |m| cast(m, Vec3::X)), None);
    assert_eq!(ask(&mut app, |m| cast(m, Vec3::ZERO)), None);
}

#[test]
fn numbers_that_are_none_are_refused() {
    let (mut app, ..) = scene();
    let ball = Collider::sphere(0.5);
    let try_it = |m: &MoveAndSlide, position, velocity, skin_width| {
        let config = MoveAndSlideConfig { skin_width, ..default() };
        let accept = |_: &mut MoveAndSlideHitData| MoveAndSlideHitResponse::Accept;
        m.move_and_slide(&ball, position, Quat::IDENTITY, velocity, SECOND, &config, &default(), accept)
    };
    let up = Vec3::Y * 3.0;
    for (position, velocity) in [(Vec3::NAN, Vec3::X), (up, Vec3::NAN), (up, Vec3::INFINITY), (up, Vec3::MAX)] {
        let refused = ask(&mut app, |m| try_it(m, position, velocity, SKIN));
        assert!(matches!(refused, Err(SpatialQueryError::NonFinite { .. })), "{refused:?}");
    }
    for skin in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = ask(&mut app, |m| try_it(m, up, Vec3::X, skin));
        assert!(matches!(refused, Err(SpatialQueryError::SkinWidth { .. })), "{refused:?}");
    }
    let bad = Collider::sphere(-1.0);
    let refused = ask(&mut app, |m| m.depenetrate(&bad, up, Quat::IDENTITY, SKIN, &default()));
    assert!(matches!(refused, Err(SpatialQueryError::Collider(_))));
}

#[test]
fn far_from_the_origin_where_numbers_are_coarse_it_still_overlaps_nothing() {
    let mut app = app();
    let far = 3e5;
    let wall = (RigidBody::Static, Collider::cuboid(1.0, 20.0, 40.0), Transform::from_xyz(far + 2.5, 0.0, 0.0));
    let wall = app.world_mut().spawn(wall).id();
    run(&mut app, 1);
    let (ball, filter) = (Collider::sphere(0.4), SpatialQueryFilter::default());
    for k in 0..40 {
        let velocity = Vec3::new(3.0 + 0.1 * k as f32, 0.3, 0.01 * k as f32);
        let at = Vec3::new(far, 0.1 * k as f32, 0.0);
        let moved = ask(&mut app, |m| {
            let config = MoveAndSlideConfig::default();
            m.move_and_slide(&ball, at, Quat::IDENTITY, velocity, SECOND, &config, &filter, |_| {
                MoveAndSlideHitResponse::Accept
            })
        });
        let end = moved.expect("numbers").position;
        let within = ask(&mut app, |m| m.depenetrate(&ball, end, Quat::IDENTITY, SKIN, &filter)).expect("numbers");
        assert_eq!(within, Some(Vec3::ZERO), "{end} is in the wall");
        let near =
            ask(&mut app, |m| m.spatial_query.project_point(end, 10.0, &filter)).expect("a ball").expect("a wall");
        assert!(near.entity == wall && near.distance > 0.4 && near.distance < 1.0, "{near:?}");
    }
}

#[test]
fn a_velocity_is_projected_onto_what_all_planes_leave() {
    let velocity = Vec3::new(3.0, -4.0, 5.0);
    let project = |normals: &[Dir3]| MoveAndSlide::project_velocity(velocity, normals);
    assert_eq!(project(&[]), velocity);
    assert_eq!(project(&[Dir3::Y]), Vec3::new(3.0, 0.0, 5.0));
    assert_eq!(project(&[Dir3::Y, Dir3::NEG_X]), Vec3::Z * 5.0);
    assert_eq!(project(&[Dir3::Y, Dir3::NEG_X, Dir3::NEG_Z]), Vec3::ZERO);
    assert_eq!(MoveAndSlide::project_velocity(Vec3::NAN, &[Dir3::Y]), Vec3::ZERO);
}

/// A character that is a kinematic body, walks against a wall and pushes what is in its way.
#[test]
fn a_character_walks_as_a_kinematic_body_and_comes_to_the_same_bits_each_time() {
    #[derive(Component)]
    struct Walker(Vec3);
    fn walk(
        mut walkers: Query<(Entity, &Collider, &mut Transform, &mut Walker)>,
        mover: MoveAndSlide,
        time: Res<Time>,
    ) {
        for (entity, shape, mut transform, mut walker) in &mut walkers {
            let wanted = Vec3::new(3.0, walker.0.y - 9.81 * time.delta_secs(), 0.5);
            let filter = SpatialQueryFilter::from_excluded_entities([entity]);
            let (config, place) = (MoveAndSlideConfig::default(), transform.translation);
            let moved =
                mover.move_and_slide(shape, place, transform.rotation, wanted, time.delta(), &config, &filter, |_| {
                    MoveAndSlideHitResponse::Accept
                });
            let moved = moved.expect("numbers");
            assert!(moved.stuck_in.is_none());
            transform.translation = moved.position;
            walker.0 = moved.projected_velocity;
        }
    }
    let walked = || {
        let (mut app, ..) = scene();
        app.add_systems(FixedUpdate, walk);
        let walker = (RigidBody::Kinematic, Collider::capsule(0.4, 1.0), Walker(Vec3::ZERO));
        let walker = app.world_mut().spawn((walker, Transform::from_xyz(-1.0, 2.0, 0.0))).id();
        let mut last = Vec3::ZERO;
        for step in 0..200 {
            run(&mut app, 1);
            let here = place(&app, walker);
            if step > 150 {
                assert!(
                    (here.y - last.y).abs() < 1e-7 && (here.x - last.x).abs() < 1e-7,
                    "it trembles by {}",
                    here - last
                );
            }
            last = here;
        }
        assert!(take::<CcdProblem>(&mut app).is_empty());
        last
    };
    let end = walked();
    assert!((end.x - (1.6 - SKIN)).abs() < 1e-4 && (end.y - (0.9 + SKIN)).abs() < 1e-4 && end.z > 1.4, "{end}");
    assert_eq!(end.to_array().map(f32::to_bits), walked().to_array().map(f32::to_bits));
}

#[test]
fn a_character_pushes_the_crate_that_it_would_go_through() {
    #[derive(Component)]
    struct Walker(f32);
    fn walk(
        mut walkers: Query<(Entity, &Collider, &mut Transform, &mut Walker)>,
        bodies: Query<&RigidBody>,
        mover: MoveAndSlide,
        time: Res<Time>,
    ) {
        for (entity, shape, mut transform, mut walker) in &mut walkers {
            let (config, place) = (MoveAndSlideConfig::default(), transform.translation);
            let filter = SpatialQueryFilter::from_excluded_entities([entity]);
            let wanted = Vec3::new(1.5, walker.0 - 9.81 * time.delta_secs(), 0.0);
            let pushing = |hit: &mut MoveAndSlideHitData| match bodies.get(hit.entity) {
                Ok(RigidBody::Dynamic) if hit.normal.y < 0.7 => MoveAndSlideHitResponse::Ignore,
                _ => MoveAndSlideHitResponse::Accept,
            };
            let moved = mover
                .move_and_slide(shape, place, transform.rotation, wanted, time.delta(), &config, &filter, pushing)
                .expect("numbers");
            assert!(moved.stuck_in.is_none(), "at {place}");
            transform.translation = moved.position;
            walker.0 = moved.projected_velocity.y;
        }
    }
    let mut app = app();
    app.world_mut().spawn(floor());
    app.add_systems(FixedUpdate, walk);
    let walker = (RigidBody::Kinematic, Collider::capsule(0.4, 1.0), Walker(0.0));
    let pushes = app.world_mut().spawn((walker, Transform::from_xyz(-1.0, 0.92, 0.0))).id();
    let pushed = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_xyz(1.0, 0.5, 0.0));
    let pushed = app.world_mut().spawn(pushed).id();
    run(&mut app, 128);
    let (walker, crate_at) = (place(&app, pushes), place(&app, pushed));
    assert!((walker.x - 2.0).abs() < 0.1 && (crate_at.x - walker.x - 0.9).abs() < 0.01, "{walker} {crate_at}");
    assert!((crate_at.y - 0.5).abs() < 1e-3 && (walker.y - 0.901).abs() < 1e-3, "{walker} {crate_at}");
    assert!(take::<CcdProblem>(&mut app).is_empty());
}
