//! Boxes between six heavy walls that are pressed together: the light ones hand on what the heavy ones do, and nothing waits.

use ccd_core::dynamics::{BodyDefinition, BodyKind, LockedAxes, MassSpecification};
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::random::Random;

const DT: Real = 0.01;
const SIDE: usize = 3;

/// A hundred tonnes, pressed by a meganewton inwards along an axis, and free along that alone.
fn wall(axis: usize, side: Real) -> BodyDefinition {
    let (mut half, mut place, mut locked) = ([10.0; 3], Vector::zeros(), [true; 3]);
    (half[axis], place[axis], locked[axis]) = (0.05, side * 2.0, false);
    let inwards = -side * Vector::ith(axis, 1.0);
    BodyDefinition {
        linear_velocity: inwards,
        force: inwards * 1e6,
        mass: MassSpecification::Mass(1e5),
        locked: LockedAxes { translation: locked, rotation: [true; 3] },
        no_collide_group: Some(0),
        ..BodyDefinition::new(
            BodyKind::Dynamic,
            Shape::cuboid(half).unwrap(),
            Pose::from_parts(place.into(), Rotation::identity()),
        )
    }
}

#[test]
fn boxes_are_pressed_into_a_block_by_walls_of_six_hundred_times_their_mass_and_no_time_is_lost() {
    let r = &mut Random(2);
    let settings = WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    for (axis, side) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        world.add_body(wall(axis, side)).unwrap();
    }
    for k in 0..SIDE * SIDE * SIDE {
        let along = |k: usize| 3.2 / SIDE as Real * ((k % SIDE) as Real + 0.5) - 1.6;
        let place = Vector::new(along(k), along(k / SIDE), along(k / SIDE / SIDE));
        let shape = Shape::cuboid([0.275; 3]).unwrap();
        let definition = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::from_parts(place.into(), r.rotation()));
        world.add_body(definition).unwrap();
    }
    for step in 0..200 {
        let report = world.step(DT).unwrap();
        assert_eq!(report.time_lost, 0.0, "step {step}: {:?} are held", report.held);
        assert!(report.min_separation.is_none_or(|gap| gap > 0.0));
    }
    let speeds = world.bodies().map(|(_, body)| body.linear_velocity().norm());
    assert!(speeds.fold(0.0, Real::max) < 0.1, "they are at rest");
}
