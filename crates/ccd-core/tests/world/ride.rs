//! A walking shape on ground that moves: it goes where the ground goes.

use ccd_core::detection::closest::closest;
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{Autostep, DEFAULT_GAP, OnMeeting, Slide, SlideQuery, Walk, World, WorldSettings};

const DT: Real = 1.0 / 60.0;
const GRAVITY: Real = 9.81;
/// How far the walkers' frames are above their feet, metres.
const FOOT: Real = 0.9;

fn walk() -> Walk {
    let autostep = Some(Autostep { max_height: 0.3, min_width: 0.1, onto_dynamic: true });
    Walk { up: Vector::y(), max_slope: std::f64::consts::FRAC_PI_4, autostep, snap: Some(0.3), rides: true }
}

fn walkers() -> [Shape; 3] {
    [Shape::capsule(0.4, 0.5).unwrap(), Shape::cylinder(0.3, 0.9).unwrap(), Shape::cuboid([0.3, 0.9, 0.3]).unwrap()]
}

/// A world with a platform of 4 m by 4 m whose top is at zero.
fn platform() -> (World, BodyId) {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let slab = Shape::cuboid([2.0, 0.1, 2.0]).unwrap();
    let slab = BodyDefinition::new(BodyKind::Kinematic, slab, Pose::translation(0.0, -0.1, 0.0));
    let platform = world.add_body(slab).unwrap();
    (world, platform)
}

/// Someone who goes level at a velocity and falls, beside a world that steps.
struct Walker {
    shape: Shape,
    pose: Pose,
    wanted: Vector,
    fall: Real,
    walk: Walk,
}

impl Walker {
    fn at(shape: &Shape, place: Vector) -> Self {
        let pose = Pose::from_parts(place.into(), Rotation::identity());
        Self { shape: shape.clone(), pose, wanted: Vector::zeros(), fall: 0.0, walk: walk() }
    }

    fn go(&mut self, world: &mut World) -> Slide {
        let velocity = self.wanted + Vector::y() * (self.fall - GRAVITY * DT);
        let query = SlideQuery { walk: Some(self.walk), ..SlideQuery::new(&self.shape, self.pose, velocity, DT) };
        let slide = world.slide(&query, |_, _| true, |_| OnMeeting::Slide).unwrap();
        assert!(slide.stuck_in.is_none());
        self.pose.translation.vector = slide.translation;
        self.fall = slide.velocity.y;
        world.step(DT).unwrap();
        slide
    }

    fn gap(&self, world: &World, id: BodyId) -> Real {
        let body = world.body(id).unwrap();
        closest(&self.shape, &self.pose, body.shape(), body.pose()).unwrap().distance
    }
}

#[test]
fn a_lift_carries_who_stands_in_it_up_and_down() {
    for shape in walkers() {
        let (mut world, lift) = platform();
        let mut walker = Walker::at(&shape, Vector::new(0.3, FOOT + DEFAULT_GAP, -0.2));
        walker.go(&mut world);
        // Up and down by two metres, at 3 m/s at most.
        for k in 1..240 {
            let speed = 3.0 * (3.0 * DT * Real::from(k)).sin();
            world.set_velocity(lift, Vector::y() * speed, Vector::zeros()).unwrap();
            let slide = walker.go(&mut world);
            let ground = slide.ground.unwrap();
            assert!(ground.body == lift && (ground.velocity.y - slide.carried.y / DT).abs() < 1e-9);
            // One step behind: by no more than its acceleration makes of a step.
            let gap = walker.gap(&world, lift);
            assert!((gap - DEFAULT_GAP).abs() < 9.1 * DT * DT, "a gap of {gap} m in step {k}");
            assert!(slide.velocity.y.abs() < 1e-12, "it has no velocity of its own");
        }
    }
}

#[test]
fn a_platform_takes_along_who_stands_on_it_and_who_walks_on_it_gets_as_far_as_on_the_ground() {
    for shape in walkers() {
        for wanted in [Vector::zeros(), Vector::new(0.5, 0.0, -0.3)] {
            let (mut world, platform) = platform();
            world.set_velocity(platform, Vector::new(4.0, 0.0, 1.0), Vector::zeros()).unwrap();
            let mut walker = Walker { wanted, ..Walker::at(&shape, Vector::y() * (FOOT + DEFAULT_GAP)) };
            walker.go(&mut world);
            let beside = |walker: &Walker, world: &World| {
                walker.pose.translation.vector - world.body(platform).unwrap().pose().translation.vector
            };
            let start = beside(&walker, &world);
            for _ in 0..120 {
                walker.go(&mut world);
            }
            let went = beside(&walker, &world) - start;
            assert!((went - wanted * (120.0 * DT)).norm() < 1e-9, "{went}");
            // Who does not ride stays behind.
            let mut other = Walker { wanted, ..Walker::at(&shape, walker.pose.translation.vector) };
            other.walk.rides = false;
            let before = other.pose.translation.vector;
            let slide = other.go(&mut world);
            assert!(slide.carried == Vector::zeros() && (slide.translation - before - wanted * DT).norm() < 1e-9);
        }
    }
}

#[test]
fn a_turntable_takes_who_stands_on_it_around() {
    let (mut world, table) = platform();
    world.set_velocity(table, Vector::zeros(), Vector::y() * 2.0).unwrap();
    let shape = &walkers()[0];
    let start = Vector::new(1.5, FOOT + DEFAULT_GAP, 0.0);
    let mut walker = Walker::at(shape, start);
    walker.go(&mut world);
    let steps = 300;
    for _ in 0..steps {
        let slide = walker.go(&mut world);
        assert!((slide.ground.unwrap().angular_velocity - Vector::y() * 2.0).norm() < 1e-9);
    }
    // The table had not moved yet when it began.
    let expected = Rotation::from_scaled_axis(Vector::y() * (2.0 * DT * Real::from(steps))) * start;
    assert!((walker.pose.translation.vector - expected).norm() < 1e-6, "{}", walker.pose.translation.vector);
}

#[test]
fn who_is_carried_against_a_wall_stops_there_and_who_jumps_is_not_carried() {
    let (mut world, platform) = platform();
    let wall = BodyDefinition::new(
        BodyKind::Static,
        Shape::cuboid([0.1, 3.0, 5.0]).unwrap(),
        Pose::translation(2.0, 3.5, 0.0),
    );
    let wall = world.add_body(wall).unwrap();
    world.set_velocity(platform, Vector::x() * 5.0, Vector::zeros()).unwrap();
    let shape = &walkers()[0];
    let mut walker = Walker::at(shape, Vector::new(-1.0, FOOT + DEFAULT_GAP, 0.0));
    for _ in 0..45 {
        walker.go(&mut world);
        assert!(walker.gap(&world, wall) > 0.0 && walker.gap(&world, platform) > 0.0);
    }
    assert!(walker.gap(&world, wall) < 1.5 * DEFAULT_GAP, "{} m", walker.gap(&world, wall));
    let mut jumper = Walker { fall: 4.0, ..Walker::at(shape, walker.pose.translation.vector) };
    let slide = jumper.go(&mut world);
    assert!(slide.ground.is_none() && slide.carried == Vector::zeros());
}

#[test]
fn a_raft_that_drifts_carries_and_being_put_elsewhere_is_no_way() {
    let shape = &walkers()[1];
    let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() }).unwrap();
    let slab = Shape::cuboid([2.0, 0.1, 2.0]).unwrap();
    let mut raft = BodyDefinition::new(BodyKind::Dynamic, slab, Pose::translation(0.0, -0.1, 0.0));
    raft.linear_velocity = Vector::x() * 0.7;
    let raft = world.add_body(raft).unwrap();
    let mut walker = Walker::at(shape, Vector::y() * (FOOT + DEFAULT_GAP));
    walker.go(&mut world);
    for _ in 0..60 {
        walker.go(&mut world);
    }
    let along = world.body(raft).unwrap().pose().translation.vector.x - walker.pose.translation.vector.x;
    assert!((along - 0.7 * DT).abs() < 1e-9, "it is behind by the first step, {along} m");
    // Put elsewhere it has gone no way.
    world.set_pose(raft, Pose::translation(5.0, -0.1, 0.0)).unwrap();
    let mut other = Walker::at(shape, Vector::new(5.0, FOOT + DEFAULT_GAP, 0.0));
    let slide = other.go(&mut world);
    assert!((slide.carried.x - 0.7 * DT).abs() < 1e-9, "it goes on as it did");
}
