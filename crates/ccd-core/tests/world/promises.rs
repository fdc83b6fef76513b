//! The world's promises, on scenes small enough to reason about.

use ccd_core::detection::closest::closest;
use ccd_core::dynamics::{Body, BodyDefinition, BodyKind, Carrier, CollisionLayers, MassSpecification, Material};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{InitialOverlap, StepError, StepReport, World, WorldSettings};

const DT: Real = 1.0 / 60.0;

fn world() -> World {
    World::new(WorldSettings::default()).unwrap()
}

fn ground(world: &mut World) -> BodyId {
    let shape = Shape::cuboid([20.0, 0.5, 20.0]).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, shape, Pose::translation(0.0, -0.5, 0.0))).unwrap()
}

fn dynamic(shape: Shape, at: [Real; 3]) -> BodyDefinition {
    BodyDefinition::new(BodyKind::Dynamic, shape, Pose::translation(at[0], at[1], at[2]))
}

fn unit_box(at: [Real; 3]) -> BodyDefinition {
    dynamic(Shape::cuboid([0.5, 0.5, 0.5]).unwrap(), at)
}

/// Every pair measured anew: the smallest distance of two bodies that may meet.
fn least_distance(world: &World) -> Real {
    let bodies: Vec<_> = world.bodies().collect();
    let mut least = Real::INFINITY;
    for (i, (_, a)) in bodies.iter().enumerate() {
        for (_, b) in &bodies[i + 1..] {
            if a.meets(b) {
                least = least.min(closest(a.shape(), a.pose(), b.shape(), b.pose()).unwrap().distance);
            }
        }
    }
    least
}

/// Steps, and checks after every step that nothing overlaps.
fn run(world: &mut World, steps: usize, dt: Real, mut each: impl FnMut(&World, &StepReport)) {
    for step in 0..steps {
        let report = world.step(dt).unwrap();
        let least = least_distance(world);
        assert!(least > 0.0, "step {step}: distance {least}");
        each(world, &report);
    }
}

#[test]
fn box_dropped_on_the_ground_comes_to_rest_on_it() {
    let mut world = world();
    ground(&mut world);
    let id = world.add_body(unit_box([0.0, 1.5, 0.0])).unwrap();
    run(&mut world, 240, DT, |_, report| assert_eq!(report.time_lost, 0.0));
    let body = world.body(id).unwrap();
    assert!((body.pose().translation.y - 0.5).abs() < 1e-3, "{}", body.pose());
    assert!(body.linear_velocity().norm() < 1e-3, "{}", body.linear_velocity());
    assert!(body.pose().rotation.angle() < 1e-3);
}

#[test]
fn ball_bounces_to_the_height_that_restitution_gives() {
    for (e, height) in [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0)] {
        let mut world = world();
        let ground = ground(&mut world);
        world.body_mut(ground).unwrap().material = Material::default();
        let mut ball = dynamic(Shape::ball(0.1).unwrap(), [0.0, 1.1, 0.0]);
        ball.material.restitution = e;
        let id = world.add_body(ball).unwrap();
        let mut highest: Real = 0.0;
        let mut bounced = false;
        run(&mut world, 100, DT, |world, report| {
            bounced |= !report.impacts.is_empty();
            let body = world.body(id).unwrap();
            if bounced && (e == 0.0 || body.linear_velocity().y < 0.0) {
                // Between two samples the ball may have been higher by what is left of its speed.
                highest = highest.max(body.pose().translation.y - 0.1);
            }
        });
        assert!(bounced, "e = {e}: no impact");
        assert!((highest - height).abs() < 0.01 * height.max(0.1), "e = {e}: {highest}");
    }
}

/// Between ε and the contact threshold a pair is known as a contact, but has not met: its bounce is still to come.
#[test]
fn ball_that_starts_a_step_just_above_the_ground_bounces_all_the_same() {
    let mut world = world();
    ground(&mut world);
    let mut ball = dynamic(Shape::ball(0.5).unwrap(), [0.0, 0.500_67, 0.0]);
    ball.material.restitution = 0.8;
    ball.linear_velocity = Vector::new(0.0, -4.3, 0.0);
    let id = world.add_body(ball).unwrap();
    world.step(DT).unwrap();
    let up = world.body(id).unwrap().linear_velocity().y;
    assert!((up - 0.8 * 4.3).abs() < 0.2, "{up} m/s");
}

#[test]
fn tower_of_ten_boxes_stands() {
    let mut world = world();
    ground(&mut world);
    let ids: Vec<_> = (0..10).map(|i| world.add_body(unit_box([0.0, 0.5 + Real::from(i), 0.0])).unwrap()).collect();
    run(&mut world, 300, DT, |_, report| assert_eq!(report.time_lost, 0.0));
    for (i, id) in ids.iter().enumerate() {
        let at = world.body(*id).unwrap().pose().translation.vector;
        assert!((at - Vector::y() * (0.5 + i as Real)).norm() < 2e-3, "box {i} at {at}");
    }
}

/// Boxes put exactly onto each other overlap by nothing but rounding, and there is no room but upwards.
#[test]
fn tower_of_fifty_boxes_that_touch_exactly_is_opened_and_stands() {
    let mut world = world();
    ground(&mut world);
    let ids: Vec<_> = (0..50).map(|i| world.add_body(unit_box([0.0, 0.5 + Real::from(i), 0.0])).unwrap()).collect();
    for _ in 0..120 {
        assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
    }
    assert!(least_distance(&world) > 0.0);
    let top = world.body(ids[49]).unwrap().pose().translation.vector;
    assert!((top - Vector::y() * 49.5).norm() < 2e-3, "{top}");
}

#[test]
fn block_slides_on_a_slope_if_and_only_if_it_is_steeper_than_friction() {
    let friction: Real = 0.5;
    for (degrees, slides) in [(26.465_f64, false), (26.665, true)] {
        let mut world = world();
        let tilt = Rotation::from_scaled_axis(Vector::z() * -degrees.to_radians());
        let slope = Shape::cuboid([20.0, 0.5, 20.0]).unwrap();
        let turned = |at: Vector| Pose::from_parts((tilt * at).into(), tilt);
        let mut floor = BodyDefinition::new(BodyKind::Static, slope, turned(Vector::new(0.0, -0.5, 0.0)));
        floor.material.friction = friction;
        world.add_body(floor).unwrap();
        let mut block = unit_box([0.0; 3]);
        block.pose = turned(Vector::new(0.0, 0.5, 0.0));
        block.material.friction = friction;
        let id = world.add_body(block).unwrap();
        let start = world.body(id).unwrap().centre();
        run(&mut world, 300, DT, |_, _| {});
        let way = (world.body(id).unwrap().centre() - start).norm();
        let t: Real = 300.0 * DT;
        let angle = degrees.to_radians();
        let expected = if slides { 0.5 * 9.81 * (angle.sin() - friction * angle.cos()) * t * t } else { 0.0 };
        assert!((way - expected).abs() < 0.05 * expected + 2e-3, "{degrees}°: {way} m, expected {expected} m");
    }
}

#[test]
fn bullet_is_stopped_by_a_sheet_that_no_sampled_pose_touches() {
    let mut world = world();
    let wall = Shape::cuboid([0.0005, 1.0, 1.0]).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, wall, Pose::identity())).unwrap();
    let mut bullet = dynamic(Shape::capsule(0.005, 0.02).unwrap(), [-2.5, 0.0, 0.0]);
    bullet.linear_velocity = Vector::x() * 1000.0;
    bullet.angular_velocity = Vector::new(0.0, 0.0, 300.0);
    // Premise: at both ends of the free step the two are far apart.
    let free_end = -2.5 + 1000.0 * DT;
    assert!(free_end > 10.0);
    let id = world.add_body(bullet).unwrap();
    run(&mut world, 3, DT, |world, _| assert!(world.body(id).unwrap().pose().translation.x < 0.0));
}

#[test]
fn two_fast_bodies_do_not_pass_through_each_other() {
    let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
    let mut left = unit_box([-10.0, 0.0, 0.0]);
    left.linear_velocity = Vector::x() * 2000.0;
    left.angular_velocity = Vector::new(50.0, 80.0, -300.0);
    let mut right = unit_box([10.0, 0.0, 0.0]);
    right.linear_velocity = Vector::x() * -2000.0;
    let (a, b) = (world.add_body(left).unwrap(), world.add_body(right).unwrap());
    let momentum = |w: &World| w.body(a).unwrap().linear_velocity() + w.body(b).unwrap().linear_velocity();
    let before = momentum(&world);
    let energy = world.energy().total();
    run(&mut world, 2, 0.1, |world, _| {
        let x = |id| world.body(id).unwrap().pose().translation.x;
        assert!(x(a) < x(b));
        assert!((momentum(world) - before).norm() < 1e-6);
        assert!(world.energy().total() <= energy * (1.0 + 1e-9));
    });
}

#[test]
fn overlap_at_the_start_is_refused_with_pair_and_depth_or_separated() {
    let build = |initial_overlap| {
        let settings = WorldSettings { initial_overlap, gravity: Vector::zeros(), ..WorldSettings::default() };
        let mut world = World::new(settings).unwrap();
        world.add_body(unit_box([0.0, 0.0, 0.0])).unwrap();
        world.add_body(unit_box([0.7, 0.1, 0.0])).unwrap();
        world
    };
    let mut refusing = build(InitialOverlap::Error);
    match refusing.step(DT) {
        Err(StepError::InitialOverlap { first, all }) => {
            assert!((first.depth - 0.3).abs() < 1e-9 && all.len() == 1, "{first:?}");
        }
        other => panic!("{other:?}"),
    }
    let mut separating = build(InitialOverlap::Separate);
    let report = separating.step(DT).unwrap();
    assert_eq!(report.separated.len(), 1);
    assert!(least_distance(&separating) > 0.0);
    assert!(separating.energy().total() < 1e-12, "separating gave energy");
}

#[test]
fn what_is_put_into_something_flat_on_the_ground_is_lifted_out_whatever_they_weigh() {
    for [put, flat] in [[1000.0, 1000.0], [1e7, 1.0], [1.0, 1e7]] {
        let settings = WorldSettings { initial_overlap: InitialOverlap::Separate, ..WorldSettings::default() };
        let mut world = World::new(settings).unwrap();
        ground(&mut world);
        let with =
            |density: Real, body: BodyDefinition| BodyDefinition { mass: MassSpecification::Density(density), ..body };
        // Coins on each other, and a ball that reaches into them and as far into the ground.
        for k in 0..3 {
            let coin = Shape::cylinder(0.5, 0.05).unwrap();
            world.add_body(with(flat, dynamic(coin, [0.0, 0.0501 + 0.1001 * Real::from(k), 0.0]))).unwrap();
        }
        world.step(DT).unwrap();
        let ball = world.add_body(with(put, dynamic(Shape::ball(0.4).unwrap(), [0.27, 0.0, 0.0]))).unwrap();
        let report = world.step(DT).unwrap();
        assert!(!report.separated.is_empty() && report.time_lost == 0.0);
        assert!(least_distance(&world) > 0.0);
        assert!(world.body(ball).unwrap().pose().translation.y > 0.69, "it lies on the coins");
    }
}

#[test]
fn what_something_is_put_upon_at_a_slant_leaves_sideways() {
    for degrees in [60.0_f64, 30.0, 10.0] {
        let settings = WorldSettings { initial_overlap: InitialOverlap::Separate, ..WorldSettings::default() };
        let mut world = World::new(settings).unwrap();
        ground(&mut world);
        let brick = world.add_body(unit_box([0.0, 0.5001, 0.0])).unwrap();
        world.step(DT).unwrap();
        // A roof over it, that would press it into the ground.
        let rotation = Rotation::new(Vector::z() * degrees.to_radians());
        let up = rotation * Vector::y() * 2.0;
        let roof = Shape::cuboid([3.0, 2.0, 3.0]).unwrap();
        let pose = Pose::from_parts((Vector::y() * 0.8 + up).into(), rotation);
        world.add_body(BodyDefinition::new(BodyKind::Static, roof, pose)).unwrap();
        assert_eq!(world.step(DT).unwrap().separated.len(), 1);
        assert!(least_distance(&world) > 0.0);
        let place = world.body(brick).unwrap().pose().translation.vector;
        assert!(place.y > 0.49 && place.x.abs() > 0.2, "{degrees}°: {place}");
    }
}

#[test]
fn what_is_caught_between_opposed_faces_leaves_sideways() {
    let settings = WorldSettings { initial_overlap: InitialOverlap::Separate, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    ground(&mut world);
    let brick = world.add_body(dynamic(Shape::cuboid([0.4, 0.25, 0.2]).unwrap(), [0.0, 0.0, 0.0])).unwrap();
    // Its least way out of the post is into the ground, and that of the ground into the post.
    let post =
        BodyDefinition::new(BodyKind::Static, Shape::capsule(0.1, 0.5).unwrap(), Pose::translation(0.0, 0.8, 0.0));
    world.add_body(post).unwrap();
    assert_eq!(world.step(DT).unwrap().separated.len(), 2);
    assert!(least_distance(&world) > 0.0);
    let place = world.body(brick).unwrap().pose().translation.vector;
    assert!(place.z.abs() < 0.45, "no further than beside the post: {place}");
    // Between walls all around it there is no room.
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let wall = Shape::cuboid([5.0, 50.0, 5.0]).unwrap();
        let at = Pose::translation(5.1 * x + place.x, 0.0, 5.1 * z + place.z);
        world.add_body(BodyDefinition::new(BodyKind::Static, wall, at)).unwrap();
    }
    let lid = Shape::cuboid([2.0, 0.5, 2.0]).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, lid, Pose::translation(0.0, 0.7, 0.0))).unwrap();
    assert!(matches!(world.step(DT), Err(StepError::Inseparable { .. })));
    assert_eq!(world.body(brick).unwrap().pose().translation.vector, place, "it is where it was");
}

#[test]
fn what_is_all_put_into_one_place_spreads_out() {
    let settings = WorldSettings { initial_overlap: InitialOverlap::Separate, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    ground(&mut world);
    for _ in 0..60 {
        world.add_body(dynamic(Shape::cuboid([0.25; 3]).unwrap(), [0.0, 0.2, 0.0])).unwrap();
    }
    assert_eq!(world.step(DT).unwrap().separated.len(), 60 * 59 / 2 + 60);
    assert!(least_distance(&world) > 0.0);
}

#[test]
fn what_comes_to_meet_what_it_is_in_is_met_like_what_is_put_there() {
    let ghosts: [(fn(&mut Body), fn(&mut Body)); 3] = [
        (
            |body| body.layers = CollisionLayers { memberships: 0, filters: 0 },
            |body| body.layers = CollisionLayers::default(),
        ),
        (|body| body.no_collide_group = Some(1), |body| body.no_collide_group = Some(2)),
        (|body| body.sensor = true, |body| body.sensor = false),
    ];
    for (hide, show) in ghosts {
        for overlap in [InitialOverlap::Separate, InitialOverlap::Error] {
            let settings = WorldSettings { initial_overlap: overlap, ..WorldSettings::default() };
            let mut world = World::new(settings).unwrap();
            let floor = ground(&mut world);
            world.body_mut(floor).unwrap().no_collide_group = Some(1);
            let ghost = world.add_body(unit_box([0.0, 0.51, 0.0])).unwrap();
            hide(world.body_mut(ghost).unwrap());
            (0..20).for_each(|_| assert!(world.step(DT).unwrap().separated.is_empty()));
            let depth = 0.5 - world.body(ghost).unwrap().pose().translation.y;
            assert!(depth > 0.4, "it has fallen into the floor: {depth}");
            show(world.body_mut(ghost).unwrap());
            let step = world.step(DT);
            if overlap == InitialOverlap::Error {
                assert!(matches!(step, Err(StepError::InitialOverlap { .. })), "{step:?}");
                assert!(world.step(DT).is_err(), "it is still there");
                hide(world.body_mut(ghost).unwrap());
                world.step(DT).unwrap();
            } else {
                assert_eq!(step.unwrap().separated.len(), 1);
                run(&mut world, 60, DT, |_, report| assert_eq!((report.time_lost, report.separated.len()), (0.0, 0)));
                assert!((world.body(ghost).unwrap().pose().translation.y - 0.5).abs() < 1e-3);
            }
        }
    }
}

/// A heap that is put down as it lay has gaps that cannot all be opened to the resting gap.
#[test]
fn what_is_put_down_disjoint_and_has_no_room_stays_where_it_is() {
    let mut world = world();
    ground(&mut world);
    const GAP: Real = 2e-6;
    for x in [-2.0 - 2.0 * GAP, 2.0 + 2.0 * GAP] {
        let wall = Shape::cuboid([0.5, 5.0, 5.0]).unwrap();
        world.add_body(BodyDefinition::new(BodyKind::Static, wall, Pose::translation(x, 4.9, 0.0))).unwrap();
    }
    let boxes: Vec<BodyId> = [-1.0 - GAP, 0.0, 1.0 + GAP]
        .into_iter()
        .map(|x| world.add_body(unit_box([x, 0.5 + 1e-5, 0.0])).unwrap())
        .collect();
    run(&mut world, 20, DT, |_, report| assert_eq!(report.time_lost, 0.0));
    for (id, x) in boxes.into_iter().zip([-1.0, 0.0, 1.0]) {
        let place = world.body(id).unwrap().pose().translation.vector;
        assert!((place - Vector::new(x, 0.5, 0.0)).norm() < 1e-4, "{place}");
    }
}

#[test]
fn steps_that_are_no_time_are_refused() {
    for dt in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        assert!(matches!(world().step(dt), Err(StepError::BadStep { .. })));
    }
}

#[test]
fn bodies_of_impossible_numbers_are_refused() {
    let mut world = world();
    let with = |change: fn(&mut BodyDefinition)| {
        let mut body = unit_box([0.0; 3]);
        change(&mut body);
        body
    };
    let bad = [
        with(|b| b.mass = MassSpecification::Density(0.0)),
        with(|b| b.mass = MassSpecification::Mass(-1.0)),
        with(|b| b.mass = MassSpecification::Mass(Real::NAN)),
        with(|b| b.linear_velocity.x = Real::INFINITY),
        with(|b| b.pose.translation.vector.y = Real::NAN),
        with(|b| b.material.friction = -0.1),
        with(|b| b.material.restitution = 1.5),
        with(|b| b.shape = Shape::half_space(Vector::y()).unwrap()),
    ];
    for body in bad {
        assert!(world.add_body(body).is_err());
    }
    assert_eq!(world.bodies().count(), 0);
}

#[test]
fn what_a_body_is_changed_to_is_checked_and_named_before_anything_moves() {
    let changes: [(&str, fn(&mut Body)); 8] = [
        ("friction", |b| b.material.friction = Real::NAN),
        ("restitution", |b| b.material.restitution = -0.5),
        ("gravity scale", |b| b.gravity_scale = Real::INFINITY),
        ("force", |b| b.force.y = Real::NAN),
        ("torque", |b| b.torque.z = Real::NEG_INFINITY),
        ("linear damping", |b| b.linear_damping = -1.0),
        ("angular damping", |b| b.angular_damping = Real::NAN),
        ("place on its carrier", |b| {
            let place = Pose::translation(Real::NAN, 0.0, 0.0);
            b.carrier = Some(Carrier { body: BodyId { index: 0, generation: 0 }, place });
        }),
    ];
    for (what, change) in changes {
        let mut world = world();
        let floor = ground(&mut world);
        let crate_ = world.add_body(unit_box([0.0, 0.5 + 1e-5, 0.0])).unwrap();
        run(&mut world, 60, DT, |_, _| {});
        for changed in [crate_, floor] {
            let before = world.clone();
            change(world.body_mut(changed).unwrap());
            let error = world.step(DT).unwrap_err();
            assert!(matches!(error, StepError::Body { body, .. } if body == changed), "{what}: {error}");
            assert!(error.to_string().contains(what), "{error}");
            let pose = |world: &World| *world.body(crate_).unwrap().pose();
            assert_eq!(pose(&world), pose(&before));
            world = before;
        }
        world.step(DT).unwrap();
    }
}

#[test]
fn a_surface_that_becomes_frictionless_lets_go_at_once() {
    let slides = |friction: Real| {
        let mut world = world();
        ground(&mut world);
        let crate_ = world.add_body(unit_box([0.0, 0.5 + 1e-5, 0.0])).unwrap();
        world.set_velocity(crate_, Vector::new(8.0, 0.0, 0.0), Vector::zeros()).unwrap();
        run(&mut world, 30, DT, |_, _| {});
        let before = world.body(crate_).unwrap().linear_velocity().x;
        world.body_mut(crate_).unwrap().material.friction = friction;
        run(&mut world, 30, DT, |_, _| {});
        (before, world.body(crate_).unwrap().linear_velocity().x)
    };
    let (before, after) = slides(0.0);
    assert!(before > 1.0 && (after - before).abs() < 1e-6, "{before} {after}");
    let (before, after) = slides(0.5);
    assert!((before - after - 0.5 * 9.81 * 0.5).abs() < 0.01, "{before} {after}");
}

/// The state after `steps` steps on so many threads.
fn stepped(threads: usize, steps: usize, build: impl Fn() -> World + Send + Sync) -> Vec<(Pose, Vector, Vector)> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = build();
        for _ in 0..steps {
            world.step(DT).unwrap();
        }
        world.bodies().map(|(_, b)| (*b.pose(), *b.linear_velocity(), *b.angular_velocity())).collect()
    })
}

#[test]
fn any_number_of_threads_steps_to_the_same_bits() {
    let build = || {
        let mut world = world();
        ground(&mut world);
        for i in 0..30_u32 {
            let f = Real::from(i);
            let mut body = unit_box([(f * 0.37).sin(), 0.6 + 1.1 * f, (f * 0.73).cos()]);
            body.angular_velocity = Vector::new(f.sin(), f.cos(), 1.0);
            world.add_body(body).unwrap();
        }
        world
    };
    let one = stepped(1, 45, build);
    for threads in [2, 3, 7] {
        assert!(one == stepped(threads, 45, build), "{threads} threads differ");
    }
}

/// Of so many pairs and contacts in one island that every stage is shared out, and the solver works in blocks.
#[test]
fn a_heap_of_hundreds_comes_down_to_the_same_bits_on_any_number_of_threads() {
    let build = || {
        let mut world = world();
        ground(&mut world);
        for i in 0..700_u32 {
            let [x, y, z] = [i % 8, i / 64, i / 8 % 8].map(Real::from);
            let shaken = |n: Real| 0.02 * (n * (1.0 + Real::from(i))).sin();
            let mut body = unit_box([1.03 * x + shaken(0.37), 0.55 + 1.04 * y, 1.03 * z + shaken(0.73)]);
            body.pose.rotation = Rotation::from_scaled_axis(Vector::y() * shaken(0.11));
            world.add_body(body).unwrap();
        }
        world
    };
    let one = stepped(1, 25, build);
    for threads in [2, 5] {
        assert!(one == stepped(threads, 25, build), "{threads} threads differ");
    }
}

#[test]
fn snapshot_steps_on_to_the_same_bits() {
    let mut world = world();
    ground(&mut world);
    for i in 0..5 {
        world.add_body(unit_box([0.1 * Real::from(i), 0.6 + 1.2 * Real::from(i), 0.0])).unwrap();
    }
    for _ in 0..40 {
        world.step(DT).unwrap();
    }
    let mut copy = world.clone();
    for _ in 0..40 {
        world.step(DT).unwrap();
        copy.step(DT).unwrap();
    }
    for ((_, a), (_, b)) in world.bodies().zip(copy.bodies()) {
        assert!(a.pose() == b.pose() && a.linear_velocity() == b.linear_velocity());
    }
}

#[test]
fn free_flight_conserves_momentum_and_follows_the_parabola() {
    let mut world = world();
    let mut body = dynamic(Shape::cuboid([0.1, 0.2, 0.4]).unwrap(), [0.0, 100.0, 0.0]);
    body.linear_velocity = Vector::new(3.0, 4.0, 5.0);
    body.angular_velocity = Vector::new(1.0, 7.0, 0.5);
    let id = world.add_body(body).unwrap();
    let spin = |w: &World| {
        let b = w.body(id).unwrap();
        b.inertia(b.pose()) * b.angular_velocity()
    };
    let before = spin(&world);
    run(&mut world, 120, DT, |_, _| {});
    let t = 120.0 * DT;
    let expected = Point::new(3.0 * t, 100.0 + 4.0 * t - 0.5 * 9.81 * t * t, 5.0 * t);
    assert!((world.body(id).unwrap().centre() - expected).norm() < 1e-9);
    assert!((spin(&world) - before).norm() < 1e-9 * before.norm(), "{} {}", spin(&world), before);
}

/// The edge of a solid that whirls past the edge of a sheet slides along it, lifts off and meets it again, a hundred times in a step.
#[test]
fn what_whirls_along_an_edge_meets_it_as_often_as_it_takes_and_loses_no_time() {
    let corners = [[-5.0, 0.0, 5.0], [5.0, 0.0, 5.0], [-5.0, 0.0, -5.0], [5.0, 0.0, -5.0]].map(Point::from);
    let sheet = Shape::mesh(TriMesh::try_new(corners.to_vec(), vec![[1, 2, 0], [1, 3, 2]]).unwrap()).unwrap();
    let corners = [[0.5, -0.35, 0.0], [0.0, 0.35, -0.5], [0.0, 0.35, 0.5], [-0.5, -0.35, 0.0]].map(Point::from);
    let solid = Shape::convex_hull(&corners).unwrap();
    let mut most = 0;
    for k in 0..12 {
        let mut world = world();
        let mut target = BodyDefinition::new(BodyKind::Dynamic, sheet.clone(), Pose::identity());
        target.mass = MassSpecification::Mass(100.0);
        let turn = Rotation::from_scaled_axis(Vector::new(0.5, 0.3, 0.7) * Real::from(k));
        let pose = Pose::from_parts(Vector::new(6.5, 0.0, 0.0).into(), turn);
        let mut shot = BodyDefinition::new(BodyKind::Dynamic, solid.clone(), pose);
        shot.mass = MassSpecification::Density(10.0);
        shot.linear_velocity = Vector::new(-300.0, 0.0, 0.0);
        shot.angular_velocity = Vector::new(50.0, 0.0, 0.0);
        for mut body in [target, shot] {
            body.material.friction = 0.0;
            world.add_body(body).unwrap();
        }
        run(&mut world, 2, 0.01, |_, report| {
            most = most.max(report.impacts.len());
            assert_eq!(report.time_lost, 0.0, "{k}: {} impacts", report.impacts.len());
        });
    }
    assert!(most > 100, "no more than {most} impacts in a step");
}
