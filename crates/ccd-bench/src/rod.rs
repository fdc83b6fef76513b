//! A rod of 2 × 0.02 × 0.02 m spinning about its middle past a thin post, one step of 1/60 s: who misses, who stops at the
//! wrong angle, and what it costs.

use std::time::{Duration, Instant};

use ccd_core::dynamics::{BodyDefinition, BodyKind, LockedAxes};
use ccd_core::math::{Pose, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

/// Half extents of the rod, metres.
pub const HALF: [f64; 3] = [1.0, 0.01, 0.01];
const DT: f64 = 1.0 / 60.0;
/// ε, metres.
const TOLERANCE: f64 = 1e-6;

/// Where the post stands and how fast the rod turns.
pub struct Placing {
    pub spin: f64,
    pub distance: f64,
    /// From the rod's start to the post, in the direction of turning, rad.
    pub angle: f64,
    pub radius: f64,
}

/// Where the rod is after the step.
pub struct Stop {
    /// From its start, rad.
    pub angle: f64,
    pub wall: Duration,
}

impl Placing {
    /// x and z of the post; turning about +y leads from +x to −z.
    pub fn post(&self) -> [f64; 2] {
        [self.distance * self.angle.cos(), -self.distance * self.angle.sin()]
    }

    /// The exact angle at which the rod's side meets the post, if it does within the step.
    fn stop(&self) -> Option<f64> {
        let angle = self.angle - ((HALF[2] + self.radius) / self.distance).asin();
        (angle < self.spin * DT).then_some(angle)
    }
}

/// The same sequence on every run: a golden-ratio walk over distances and angles.
fn placings(spin: f64, count: u32) -> impl Iterator<Item = Placing> {
    (0..count).map(move |i| {
        let walk = |step: f64| (f64::from(i) * step).fract();
        let distance = 0.2 + 0.75 * walk(0.618_033_988_749_895);
        // The other end of the rod comes round after half a turn: the first meeting is within it.
        Placing { spin, distance, angle: 0.15 + 2.8 * walk(0.754_877_666_246_693), radius: 0.01 }
    })
}

fn ours(placing: &Placing) -> Stop {
    let settings =
        WorldSettings { gravity: Vector::zeros(), tolerance: TOLERANCE, parallel: false, ..WorldSettings::default() };
    let mut world = World::new(settings).expect("valid settings");
    let mut rod = BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid(HALF).expect("a box"), Pose::identity());
    rod.angular_velocity = Vector::y() * placing.spin;
    rod.locked = LockedAxes { translation: [true; 3], rotation: [false; 3] };
    rod.material.friction = 0.0;
    let rod = world.add_body(rod).expect("a body");
    let [x, z] = placing.post();
    let post = Shape::cylinder(placing.radius, 1.0).expect("a post");
    world.add_body(BodyDefinition::new(BodyKind::Static, post, Pose::translation(x, 0.0, z))).expect("a body");
    let clock = Instant::now();
    world.step(DT).expect("a step");
    let wall = clock.elapsed();
    let turned = world.body(rod).map_or(f64::NAN, |b| {
        let r = b.pose().rotation;
        2.0 * r.coords.y.atan2(r.coords.w)
    });
    Stop { angle: turned.rem_euclid(std::f64::consts::TAU), wall }
}

pub fn run(count: u32) {
    println!(
        "{:<28} {:>6} {:>6} {:>8} {:>8} {:>16} {:>10}",
        "engine", "rad/s", "hits", "missed", "late", "worst error, rad", "us a step"
    );
    type Engine = (&'static str, fn(&Placing) -> Stop);
    let engines: [Engine; 3] = [
        ("ccd-core, one thread", ours),
        ("rapier3d, as it comes", |p| crate::rapier::rod(p, false)),
        ("rapier3d, speed uncapped", |p| crate::rapier::rod(p, true)),
    ];
    for spin in [20.0, 50.0, 100.0, 180.0] {
        for (name, engine) in engines {
            let (mut hits, mut missed, mut late, mut worst, mut wall) = (0, 0, 0, 0.0_f64, Duration::ZERO);
            for placing in placings(spin, count) {
                let stop = engine(&placing);
                wall += stop.wall;
                let Some(exact) = placing.stop() else { continue };
                hits += 1;
                let error = stop.angle - exact;
                if error > 0.2 {
                    missed += 1;
                } else {
                    late += usize::from(error > 1e-9);
                    worst = worst.max(error.abs());
                }
            }
            let us = wall.as_secs_f64() * 1e6 / f64::from(count);
            println!("{name:<28} {spin:>6} {hits:>6} {missed:>8} {late:>8} {worst:>16.2e} {us:>10.2}");
        }
    }
}
