//! Scenes of two bodies, made to look into a pair: each opens with the overlays that show what it is about.

use bevy::prelude::Vec3;
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World as ContactWorld, WorldSettings};

use super::made::{Failure, Made, Play};
use super::stated::{Stated, StatedBody};
use crate::camera::View;
use crate::overlays::Overlay;

/// In the order of the list.
pub const SCENES: [Made; 3] = [
    Made::own(
        "lab-closest-features",
        "two polyhedra drift past each other: regions and walk of V-Clip",
        closest_features,
    ),
    Made::own("lab-trajectory-boxes", "a rod turns towards a post: the boxes of Algorithm 2", trajectory_boxes),
    Made::own("lab-paper-bound", "why the paper's box misses: the same rod, and erratum E1", paper_bound),
];

/// A world without gravity of two bodies, A and B.
fn pair(a: (&str, BodyDefinition), b: (&str, BodyDefinition), dt: Real) -> Result<(ContactWorld, Stated), Failure> {
    let mut world = ContactWorld::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() })?;
    let mut bodies = Vec::new();
    for (name, definition) in [a, b] {
        world.add_body(definition)?;
        bodies.push(StatedBody { name: name.into(), ..StatedBody::default() });
    }
    Ok((world, Stated { dt, friction: 0.5, restitution: 0.5, bodies }))
}

fn closest_features() -> Result<Play, Failure> {
    let ring = |corners: u32, radius: Real, height: Real| {
        (0..corners).map(move |i| {
            let angle = std::f64::consts::TAU * Real::from(i) / Real::from(corners);
            Point::new(radius * angle.cos(), height, radius * angle.sin())
        })
    };
    let gem: Vec<Point> = ring(7, 0.28, 0.3).chain(ring(7, 0.5, 0.08)).chain([Point::new(0.0, -0.45, 0.0)]).collect();
    let prism: Vec<Point> = ring(5, 0.42, -0.3).chain(ring(5, 0.42, 0.3)).collect();
    let a = BodyDefinition {
        angular_velocity: Vector::new(0.3, 0.5, 0.2),
        linear_velocity: Vector::new(0.04, 0.0, 0.0),
        ..BodyDefinition::new(BodyKind::Dynamic, Shape::convex_hull(&gem)?, Pose::translation(-0.65, 0.0, 0.0))
    };
    let turned = Rotation::from_scaled_axis(Vector::new(0.5, 0.2, 0.8));
    let place = Pose::from_parts(Vector::new(0.6, 0.1, 0.0).into(), turned);
    let b = BodyDefinition {
        angular_velocity: Vector::new(-0.2, 0.3, 0.4),
        ..BodyDefinition::new(BodyKind::Dynamic, Shape::convex_hull(&prism)?, place)
    };
    let (world, stated) = pair(("gem", a), ("prism", b), 1.0 / 60.0)?;
    let view = View { focus: Vec3::new(0.0, 0.0, 0.0), distance: 3.4, yaw: 0.2, pitch: 0.25 };
    Ok(Play {
        world,
        stated,
        rate: 1.0,
        view: Some(view),
        window: None,
        pair: Some((0, 1)),
        show: vec![Overlay::named("closest"), Overlay::named("regions"), Overlay::named("far-walk")],
    })
}

/// How far the rod turns within a step, radians.
const TURN: Real = 1.2;
/// From the middle of the rod to its ends, metres.
const ARM: Real = 0.5;
const DT: Real = 1.0 / 60.0;

/// A rod that turns by [`TURN`] within a step, and a post that its end meets halfway.
fn rod_and_post() -> Result<Play, Failure> {
    let rod = BodyDefinition {
        angular_velocity: Vector::new(0.0, 0.0, TURN / DT),
        ..BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([ARM, 0.02, 0.02])?, Pose::identity())
    };
    let angle: Real = 0.5 * TURN + 0.06;
    // Its inner side is a little nearer to the middle than the rod is long.
    let place = Vector::new(angle.cos(), angle.sin(), 0.0) * (ARM + 0.004);
    let post = Pose::from_parts(place.into(), Rotation::from_scaled_axis(Vector::z() * angle));
    let post = BodyDefinition::new(BodyKind::Static, Shape::cuboid([0.014, 0.014, 0.06])?, post);
    let (world, stated) = pair(("rod", rod), ("post", post), DT)?;
    let view = View { focus: Vec3::new(0.27, 0.2, 0.0), distance: 1.35, yaw: 0.0, pitch: 0.12 };
    Ok(Play {
        world,
        stated,
        rate: 2e-3,
        view: Some(view),
        window: Some((0.0, DT)),
        pair: Some((0, 1)),
        show: vec![Overlay::named("no-closest")],
    })
}

fn trajectory_boxes() -> Result<Play, Failure> {
    let mut play = rod_and_post()?;
    play.show.push(Overlay::named("trajectory"));
    Ok(play)
}

fn paper_bound() -> Result<Play, Failure> {
    let mut play = rod_and_post()?;
    play.show.push(Overlay::named("paper-bound"));
    Ok(play)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overlays_of_the_scenes_exist_and_their_pairs_are_bodies() {
        for made in SCENES {
            let play = made.make().unwrap_or_else(|error| panic!("{}: {error}", made.name));
            assert!(play.show.iter().all(Overlay::exists), "{}", made.name);
            let (a, b) = play.pair.unwrap();
            assert!(a != b && a.max(b) < play.stated.bodies.len(), "{}", made.name);
        }
    }

    #[test]
    fn the_rod_meets_the_post_within_its_first_step() {
        let mut play = paper_bound().unwrap();
        let report = play.world.step(play.stated.dt).unwrap();
        assert!(!report.impacts.is_empty());
    }
}
