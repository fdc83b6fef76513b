//! Blows: those that many bodies bear at once (thin things under something heavy, sheets that come down flat, what can only turn), and what they keep in the
//! air.

use ccd_core::dynamics::{Body, BodyDefinition, BodyKind, MassSpecification};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::models::{box_mesh, mesh};

const DT: Real = 0.01;

fn empty(gravity: Vector) -> World {
    World::new(WorldSettings { parallel: false, gravity, ..WorldSettings::default() }).unwrap()
}

fn cuboid(half_extents: [Real; 3]) -> Shape {
    Shape::cuboid(half_extents).unwrap()
}

/// Steps the world and asserts that nothing is lost, nothing overlaps, and no energy comes from nowhere.
fn bears(world: &mut World, steps: u32, what: &str) {
    let first = world.energy().total();
    for step in 0..steps {
        let report = world.step(DT).unwrap();
        assert_eq!(report.time_lost, 0.0, "{what}, step {step}");
        assert!(report.min_separation.is_none_or(|gap| gap > 0.0), "{what}, step {step}: {:?}", report.min_separation);
        assert!(world.energy().total() <= first + 1e-9 * first.abs(), "{what}, step {step}");
    }
}

/// The block weighs up to 2,500 times as much as a plate, and the plates' near neighbours are the next but one as well: whoever
/// stands on whom has to be known when the lowest comes to stand.
#[test]
fn a_heavy_block_drives_thin_plates_onto_the_ground_without_losing_time() {
    for (thickness, speed, density) in
        [(0.001, 100.0, 1e3), (0.001, 100.0, 1e4), (0.001, 1e4, 1e3), (0.01, 100.0, 1e4), (0.01, 1e3, 1e3)]
    {
        let mut world = empty(Vector::zeros());
        let ground = BodyDefinition::new(BodyKind::Static, cuboid([2.0, 0.5, 2.0]), Pose::translation(0.0, -0.5, 0.0));
        world.add_body(ground).unwrap();
        for k in 0..10 {
            let height = 0.5 * thickness + 0.01 + Real::from(k) * (0.1 + thickness);
            let plate = cuboid([1.0, 0.5 * thickness, 1.0]);
            world.add_body(BodyDefinition::new(BodyKind::Dynamic, plate, Pose::translation(0.0, height, 0.0))).unwrap();
        }
        let mut block =
            BodyDefinition::new(BodyKind::Dynamic, cuboid([0.5, 0.5, 0.5]), Pose::translation(0.0, 3.0, 0.0));
        block.mass = MassSpecification::Density(density);
        block.linear_velocity = -Vector::y() * speed;
        world.add_body(block).unwrap();
        bears(&mut world, 60, &format!("{thickness} m, {speed} m/s, {density} kg/m³"));
    }
}

/// Met one by one, each meeting leaves the next half of its gap or less: of many tips in one plane the last had none to be certified by.
#[test]
fn a_sheet_without_thickness_meets_many_tips_at_once_and_keeps_its_gaps() {
    let mut world = empty(Vector::zeros());
    let tip = [[0.3, -0.3, 0.3], [0.3, -0.3, -0.3], [-0.3, -0.3, 0.3], [-0.3, -0.3, -0.3], [0.05, 0.3, 0.02]];
    let tip = Shape::convex_hull(&tip.map(Point::from)).unwrap();
    for k in 0..36 {
        let place = Pose::translation(Real::from(k % 6) - 2.5, -0.3, Real::from(k / 6) - 2.5);
        world.add_body(BodyDefinition::new(BodyKind::Dynamic, tip.clone(), place)).unwrap();
    }
    let corners = [[-3.0, -3.0], [3.0, -3.0], [3.0, 3.0], [-3.0, 3.0]];
    let vertices = corners.map(|[x, z]| Point::new(x, 0.0, z)).to_vec();
    let sheet = mesh((vertices, vec![[0, 2, 1], [0, 3, 2]]));
    let mut body = BodyDefinition::new(BodyKind::Dynamic, sheet, Pose::translation(0.0, 0.2, 0.0));
    body.mass = MassSpecification::Mass(1e5);
    body.linear_velocity = Vector::y() * -5.0;
    body.locked.rotation = [true; 3];
    world.add_body(body).unwrap();
    for step in 0..30 {
        let report = world.step(DT).unwrap();
        assert_eq!(report.time_lost, 0.0, "step {step}");
        assert!(report.min_separation.is_none_or(|gap| gap > 1e-6), "step {step}: {:?}", report.min_separation);
    }
}

/// A bar on a pin lies exactly on an edge: no translation opens the gap, and a turn does.
#[test]
fn what_cannot_be_moved_aside_is_turned_out_of_touch() {
    for shape in [cuboid([1.0, 0.1, 0.1]), box_mesh([1.0, 0.1, 0.1])] {
        let mut world = empty(Vector::y() * -9.81);
        let block = Pose::translation(0.9, -0.6, 0.0);
        world.add_body(BodyDefinition::new(BodyKind::Static, cuboid([0.5; 3]), block)).unwrap();
        let mut bar = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::identity());
        bar.locked.translation = [true; 3];
        bar.locked.rotation = [true, true, false];
        let bar = world.add_body(bar).unwrap();
        bears(&mut world, 20, "a bar on a pin");
        let turned = world.body(bar).unwrap().pose().rotation.angle();
        assert!(turned > 0.0 && turned < 1e-3, "{turned} rad");
    }
}

/// Only where something is fixed may what nobody has given be taken from all alike: what floats keeps its momentum.
#[test]
fn what_collides_in_the_air_keeps_its_momentum() {
    let mut world = empty(Vector::zeros());
    for k in 0..6 {
        let angle = Real::from(k);
        let place = Vector::new(2.0 * angle.cos(), 2.0 * angle.sin(), 0.3 * angle);
        let mut body = BodyDefinition::new(
            BodyKind::Dynamic,
            cuboid([0.6, 0.3, 0.1]),
            Pose::from_parts(place.into(), Rotation::identity()),
        );
        (body.linear_velocity, body.angular_velocity) = (-place * 2.0, Vector::new(3.0, angle, -5.0));
        world.add_body(body).unwrap();
    }
    let momentum = |world: &World| -> Vector {
        world.bodies().map(|(_, body)| body.linear_velocity() * body.mass_properties().mass).sum()
    };
    let (before, mut impacts) = (momentum(&world), 0);
    for _ in 0..100 {
        impacts += world.step(DT).unwrap().impacts.len();
    }
    assert!(impacts > 0 && (momentum(&world) - before).norm() < 1e-9 * before.norm().max(1.0));
}

/// They part at 14 m/s, spun by 28 rad/s: turning would have to bring them back within the step for their motions to need any bending.
#[test]
fn two_boxes_that_bounce_off_each_other_in_the_air_keep_their_angular_momentum() {
    let mut world = empty(Vector::zeros());
    let mut add = |mass: Real, moments: [Real; 3], at: [Real; 3], turn: [Real; 4], motion: [[Real; 3]; 2]| {
        let [x, y, z, w] = turn;
        let turn = Rotation::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
        let pose = Pose::from_parts(at.into(), turn);
        let mut body = BodyDefinition::new(BodyKind::Dynamic, cuboid([0.4, 0.3, 0.2]), pose);
        let inertia = Matrix::from_diagonal(&moments.into());
        body.mass = MassSpecification::Properties(MassProperties { mass, com: Point::origin(), inertia });
        (body.linear_velocity, body.angular_velocity) = (motion[0].into(), motion[1].into());
        body.material.restitution = 1.0;
        world.add_body(body).unwrap();
    };
    let motion = [[-8.479_980_7, 0.528_025_5, -0.250_416_9], [-2.425_984_1, 5.013_746_2, -8.585_432_4]];
    let turn = [-0.706_361_6, 0.168_562_7, -0.364_281_8, -0.583_042_6];
    add(1.011_708, [0.055_365_8, 0.052_370_7, 0.053_903_2], [2.282_914_1, -0.173_206_1, 0.115_424_9], turn, motion);
    let motion = [[5.332_498_5, -0.759_724_5, -0.567_230_1], [-3.836_216_3, 8.805_995_2, 0.083_882_3]];
    let turn = [0.032_964_7, -0.980_237_2, 0.002_197_9, -0.195_047_6];
    add(3.649, [0.194_497_1, 0.204_594_7, 0.182_687_7], [-2.427_420_6, 0.421_549_5, 0.188_908_3], turn, motion);
    let momentum = |world: &World| -> Vector {
        let of = |body: &Body| {
            let (mass, centre) = (body.mass_properties().mass, body.centre().coords);
            let own = body.pose().rotation.inverse_transform_vector(body.angular_velocity());
            let spin = body.pose().rotation * (body.mass_properties().inertia * own);
            spin + centre.cross(&(body.linear_velocity() * mass))
        };
        world.bodies().map(|(_, body)| of(body)).sum()
    };
    let (before, mut impacts) = (momentum(&world), 0);
    for _ in 0..20 {
        impacts += world.step(1.0 / 60.0).unwrap().impacts.len();
    }
    let off = (momentum(&world) - before).norm() / before.norm();
    assert!(impacts > 0 && off < 1e-4, "{impacts} impacts, {off:e}");
}

/// A straight motion has a body that tumbles turned a little otherwise halfway than it would be: what meets it there changes what it gives, and not what there was.
#[test]
fn what_tumbles_and_is_met_within_a_step_by_next_to_nothing_goes_on_as_it_did() {
    for turn in [0.25, 0.5, 1.0] {
        for axis in [Vector::new(1.0, 2.0, -1.0), Vector::new(-0.5, 1.0, 2.0)] {
            let mut world = empty(Vector::zeros());
            let mut block = BodyDefinition::new(BodyKind::Dynamic, cuboid([0.3, 0.1, 0.15]), Pose::identity());
            block.angular_velocity = axis.normalize() * (turn / DT);
            block.material.restitution = 1.0;
            let block = world.add_body(block).unwrap();
            for k in 0..4 {
                let angle = Real::from(k) * 1.7;
                let towards = Vector::new(angle.cos(), angle.sin(), 0.3 * angle).normalize();
                let away = 0.5 + 3.0 * DT * (2.0 + 5.0 * Real::from(k));
                let pose = Pose::from_parts((towards * away).into(), Rotation::identity());
                let mut speck = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.02).unwrap(), pose);
                speck.linear_velocity = towards * -3.0;
                speck.mass = MassSpecification::Density(1e-3);
                (speck.material.restitution, speck.material.friction) = (1.0, 0.0);
                world.add_body(speck).unwrap();
            }
            let body = |world: &World| world.body(block).unwrap().clone();
            let momentum = |body: &Body| {
                let own = body.pose().rotation.inverse_transform_vector(body.angular_velocity());
                body.pose().rotation * (body.mass_properties().inertia * own)
            };
            let energy = |body: &Body| body.angular_velocity().dot(&momentum(body));
            let before = body(&world);
            let impacts: usize = (0..40).map(|_| world.step(DT).unwrap().impacts.len()).sum();
            let after = body(&world);
            let off = (momentum(&after) - momentum(&before)).norm() / momentum(&before).norm();
            let left = energy(&after) / energy(&before);
            assert!(impacts >= 4, "{impacts} impacts");
            assert!(off < 2e-3, "{turn} rad a step about {axis}: {off:e} of the angular momentum");
            assert!((0.99..1.0 + 1e-6).contains(&left), "{turn} rad a step about {axis}: {left} of the energy");
        }
    }
}

/// Who was struck when the step began is far off when the next meets it, and hangs together with who struck it all the same.
#[test]
fn what_a_blow_at_the_beginning_of_a_step_gives_stays_given_when_more_is_met_in_it() {
    for gap in [1e-5, 9e-5, 1.5e-4] {
        for against_a_wall in [false, true] {
            let mut world = empty(Vector::zeros());
            let mut ball = |x: Real, speed: Real| {
                let mut ball =
                    BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.02).unwrap(), Pose::translation(x, 0.0, 0.0));
                (ball.linear_velocity, ball.material.restitution) = (Vector::x() * speed, 1.0);
                world.add_body(ball).unwrap()
            };
            // The first strikes a second, which strikes the last; or a wall.
            let speed = if against_a_wall { -10.0 } else { 10.0 };
            let first = ball(0.0, speed);
            let last = ball(if against_a_wall { 0.06 } else { 0.1 + gap }, 0.0);
            if against_a_wall {
                let place = Pose::translation(-0.52 - gap, 0.0, 0.0);
                let mut wall = BodyDefinition::new(BodyKind::Static, cuboid([0.5, 0.5, 0.5]), place);
                wall.material.restitution = 1.0;
                world.add_body(wall).unwrap();
            } else {
                ball(0.04 + gap, 0.0);
            }
            world.step(DT).unwrap();
            let [first, last] = [first, last].map(|id| world.body(id).unwrap().linear_velocity().x);
            assert!(
                first.abs() < 1e-6 && (last - 10.0).abs() < 1e-6,
                "{gap} m, wall {against_a_wall}: {first}, {last}"
            );
        }
    }
}

/// In one step, so that they meet the floor one after the other.
#[test]
fn many_that_bounce_off_one_floor_bounce_as_each_alone_would() {
    let floor = BodyDefinition::new(BodyKind::Static, cuboid([50.0, 0.5, 1.0]), Pose::translation(0.0, -0.5, 0.0));
    let board = |k: u32| {
        let x = Real::from(k);
        let lean = Rotation::from_axis_angle(&Vector::z_axis(), 0.05);
        let pose = Pose::from_parts(Vector::new(x - 20.0, 0.12 + 5e-4 * x, 0.0).into(), lean);
        let mut board = BodyDefinition::new(BodyKind::Dynamic, cuboid([0.2, 0.1, 0.2]), pose);
        board.linear_velocity = Vector::y() * -5.0;
        (board.material.restitution, board.material.friction) = (0.8, 0.0);
        board
    };
    let after = |boards: &[u32]| -> Vec<(Vector, Vector)> {
        let mut world = empty(Vector::y() * -9.81);
        world.add_body(floor.clone()).unwrap();
        let ids: Vec<_> = boards.iter().map(|&k| world.add_body(board(k)).unwrap()).collect();
        world.step(1.0 / 60.0).unwrap();
        let velocities = |id| world.body(id).map(|body| (*body.linear_velocity(), *body.angular_velocity())).unwrap();
        ids.into_iter().map(velocities).collect()
    };
    let all: Vec<u32> = (0..40).collect();
    for (k, (linear, angular)) in after(&all).into_iter().enumerate() {
        let (alone_linear, alone_angular) = after(&[k as u32])[0];
        let off = (linear - alone_linear).norm().max((angular - alone_angular).norm());
        assert!(off < 1e-6, "number {k}: {linear}, {angular} instead of {alone_linear}, {alone_angular}");
        assert!(linear.y > 3.0, "number {k} goes up at {} m/s", linear.y);
    }
}
