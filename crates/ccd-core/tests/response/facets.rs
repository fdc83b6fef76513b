//! What rolls and slides over surfaces of facets, with steps of 1/60 s: with fine ones as on the surface that they stand for, less what their seams
//! take.

use std::f64::consts::{FRAC_PI_2, TAU};

use ccd_core::dynamics::{BodyDefinition, BodyKind, LockedAxes, MassSpecification};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::id::BodyId;
use ccd_core::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const DT: Real = 1.0 / 60.0;
const GRAVITY: Real = 9.81;

fn world() -> World {
    let gravity = Vector::y() * -GRAVITY;
    World::new(WorldSettings { parallel: false, sleeping: false, gravity, ..WorldSettings::default() }).unwrap()
}

/// The inside of a pipe of `count` facets about y that touch a cylinder of that radius.
fn pipe(count: u32, radius: Real, half_height: Real) -> Shape {
    let angle = TAU / Real::from(count);
    let corner_radius = radius / (0.5 * angle).cos();
    let corners = (0..count).flat_map(|k| {
        let (sin, cos) = (Real::from(k) * angle + 0.3).sin_cos();
        [-half_height, half_height].map(|y| Point::new(corner_radius * cos, y, corner_radius * sin))
    });
    let triangles = (0..count).flat_map(|k| {
        let (a, b) = (2 * k, 2 * ((k + 1) % count));
        [[a, b, b + 1], [a, b + 1, a + 1]]
    });
    Shape::mesh(TriMesh::try_new(corners.collect(), triangles.collect()).unwrap()).unwrap()
}

fn add(world: &mut World, kind: BodyKind, shape: &Shape, pose: Pose, friction: Real) -> BodyId {
    let mut body = BodyDefinition::new(kind, shape.clone(), pose);
    (body.material.friction, body.material.restitution) = (friction, 0.0);
    world.add_body(body).unwrap()
}

/// What is round about y turned so that it is round about z.
fn across(x: Real, y: Real) -> Pose {
    Pose::from_parts(Vector::new(x, y, 0.0).into(), Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2))
}

/// A pendulum of length `arm` that swings from `amplitude`, rad, after so many seconds: what share of its energy is left. A body whose moment is
/// `moment` by its mass and the square of its radius loses at each seam of angle δ δ²/(1 + moment) of its kinetic energy.
fn pendulum(arm: Real, moment: Real, seam: Real, amplitude: Real, seconds: Real) -> Real {
    const STEPS: u32 = 200_000;
    let (dt, drag) = (seconds / Real::from(STEPS), 0.5 * seam / (1.0 + moment));
    let (mut angle, mut speed) = (amplitude, 0.0_f64);
    for _ in 0..STEPS {
        speed -= dt * (GRAVITY / (arm * (1.0 + moment)) * angle.sin() + drag * speed * speed.abs());
        angle += dt * speed;
    }
    let kinetic = 0.5 * (1.0 + moment) * arm * speed * speed;
    (kinetic + GRAVITY * (1.0 - angle.cos())) / (GRAVITY * (1.0 - amplitude.cos()))
}

#[test]
fn what_rolls_or_slides_in_a_hollow_of_facets_loses_no_more_than_their_seams_take() {
    let (hollow, radius, amplitude, seconds): (Real, Real, Real, Real) = (1.0, 0.1, 0.8, 10.0);
    let arm = hollow - radius;
    let capsule = (0.4 * 0.5 + radius * 4.0 / 3.0 * 0.4) / (0.4 + radius * 4.0 / 3.0);
    let shapes = [
        (Shape::ball(radius).unwrap(), 0.4),
        (Shape::capsule(radius, 0.2).unwrap(), capsule),
        (Shape::cylinder(radius, 0.2).unwrap(), 0.5),
    ];
    for (count, off) in [(180, 0.02), (720, 0.025), (3000, 0.012)] {
        let facets = pipe(count, hollow, 1.0);
        for (kind, (shape, moment)) in shapes.iter().enumerate() {
            // A cylinder that nothing holds yaws in time, and comes over a seam with one end before the other.
            for friction in if kind < 2 { vec![0.0, 1.0] } else { vec![1.0] } {
                let mut world = world();
                add(&mut world, BodyKind::Static, &facets, across(0.0, 0.0), friction);
                let (sin, cos) = amplitude.sin_cos();
                let start = across((arm - 3e-5) * sin, -(arm - 3e-5) * cos);
                let body = add(&mut world, BodyKind::Dynamic, shape, start, friction);
                let begun = world.energy().total();
                let mass = world.body(body).unwrap().mass_properties().mass;
                for _ in 0..(seconds / DT) as usize {
                    assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
                }
                let lowest = -mass * GRAVITY * arm;
                let kept = (world.energy().total() - lowest) / (begun - lowest);
                let moment = if friction > 0.0 { *moment } else { 0.0 };
                let expected = pendulum(arm, moment, TAU / Real::from(count), amplitude, seconds);
                assert!(
                    (kept - expected).abs() < off,
                    "{count} facets, shape {kind}, friction {friction}: {kept}, not {expected}"
                );
            }
        }
    }
}

/// Its ends slide on the facets below them. It passes over seams, which it cannot touch: they lie in the hollow between facets that it would touch before.
#[test]
fn a_plank_slides_to_and_fro_in_a_trough_of_facets() {
    let (hollow, half, amplitude): (Real, [Real; 3], Real) = (3.0, [0.4, 0.05, 0.2], 0.6);
    let arm = (hollow * hollow - half[0] * half[0]).sqrt() - half[1] - 1e-4;
    let mut world = world();
    add(&mut world, BodyKind::Static, &pipe(1440, hollow, 2.0), across(0.0, 0.0), 0.0);
    let leaning = Rotation::from_scaled_axis(Vector::z() * amplitude);
    let start = Pose::from_parts((leaning * Vector::y() * -arm).into(), leaning);
    let plank = add(&mut world, BodyKind::Dynamic, &Shape::cuboid(half).unwrap(), start, 0.0);
    let lowest = -world.body(plank).unwrap().mass_properties().mass * GRAVITY * arm;
    let begun = world.energy().total() - lowest;
    let (mut turns, mut speed) = (0, 0.0);
    for _ in 0..600 {
        assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
        let body = world.body(plank).unwrap();
        let now = body.angular_velocity().z;
        turns += u32::from(now * speed < 0.0);
        speed = now;
    }
    let kept = (world.energy().total() - lowest) / begun;
    assert!((0.9..1.001).contains(&kept), "it keeps {kept}");
    assert_eq!(turns, 5, "it swings with some 3.6 s");
}

/// What rolls round inside an upright pipe rises and falls with √(2/7) of the frequency with which it goes round.
#[test]
fn a_ball_that_rolls_round_in_a_pipe_of_facets_goes_down_and_up_again() {
    let (radius, hollow, speed): (Real, Real, Real) = (0.1, 0.5, 2.0);
    let arm = hollow - radius;
    for (count, off) in [(720, 0.15), (3000, 0.02)] {
        let mut world = world();
        add(&mut world, BodyKind::Static, &pipe(count, hollow, 3.0), Pose::identity(), 5.0);
        let start = Rotation::from_scaled_axis(Vector::y() * 0.2) * Vector::x() * (arm - 3e-5);
        let ball = add(
            &mut world,
            BodyKind::Dynamic,
            &Shape::ball(radius).unwrap(),
            Pose::translation(start.x, 0.0, start.z),
            5.0,
        );
        world.set_velocity(ball, Vector::y().cross(&start) * (-speed / arm), Vector::y() * (speed / radius)).unwrap();
        let frequency = speed / arm * (2.0 as Real / 7.0).sqrt();
        let mut heights = Vec::new();
        for _ in 0..(TAU / frequency / DT) as usize {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
            heights.push(world.body(ball).unwrap().pose().translation.y);
        }
        let (lowest, last) = (heights.iter().copied().fold(0.0, Real::min), heights[heights.len() - 1]);
        let fall = 2.0 * 5.0 / 7.0 * GRAVITY / (frequency * frequency);
        assert!((lowest + fall).abs() < off * fall, "{count} facets: falls by {lowest}, not {fall}");
        assert!(last > -off * fall, "{count} facets: comes back to {last}");
    }
}

/// An eccentric of 96 facets under a flat follower: its corners knock, the faster it turns the harder.
#[test]
fn what_lies_on_a_driven_eccentric_of_facets_follows_it() {
    const FACETS: u32 = 96;
    let (radius, off, half): (Real, Real, Real) = (0.2, 0.05, 0.15);
    let corners: Vec<Point> = (0..2 * FACETS)
        .map(|k| {
            let (sin, cos) = (TAU * Real::from(k / 2) / Real::from(FACETS)).sin_cos();
            Point::new(off + radius * cos, radius * sin, if k % 2 == 0 { -0.1 } else { 0.1 })
        })
        .collect();
    let eccentric = Shape::convex_hull(&corners).unwrap();
    for (spin, highest) in [(2.0, 3e-4), (6.0, 1e-3), (11.0, 5e-3)] {
        let mut world = world();
        let mut cam = BodyDefinition::new(BodyKind::Kinematic, eccentric.clone(), Pose::identity());
        // It turns about its origin.
        cam.mass = MassSpecification::Properties(MassProperties {
            mass: 1.0,
            com: Point::origin(),
            inertia: Matrix::identity(),
        });
        cam.angular_velocity = Vector::z() * spin;
        world.add_body(cam).unwrap();
        let shape = Shape::cuboid([0.1, half, 0.1]).unwrap();
        let mut follower =
            BodyDefinition::new(BodyKind::Dynamic, shape, Pose::translation(0.0, radius + half + 1e-5, 0.0));
        follower.locked = LockedAxes { translation: [true, false, true], rotation: [true; 3] };
        let follower = world.add_body(follower).unwrap();
        for step in 0..240 {
            assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
            let lift = off * (spin * DT * Real::from(step + 1)).sin();
            let above = world.body(follower).unwrap().pose().translation.y - half - radius - lift;
            // Between two corners a facet is lower.
            let lower = radius * (1.0 - (0.5 * TAU / Real::from(FACETS)).cos());
            assert!((-lower - 1e-4..highest).contains(&above), "{spin} rad/s, step {step}: {above} m above");
        }
    }
}
