//! A rod of 2 × 0.02 × 0.02 m spinning about its middle past a thin post, one step of 1/60 s: who misses, who stops at the
//! wrong angle, and what it costs.

use std::time::{Duration, Instant};

use ccd_core::dynamics::{BodyDefinition, BodyKind, LockedAxes};
use ccd_core::math::{Pose, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};
use ccd_scenes::cases::Rod;
use ccd_scenes::models::{Cuboid, Model};

/// ε, metres.
const TOLERANCE: f64 = 1e-6;

/// Where the rod is after the step.
pub struct Stop {
    /// From its start, rad.
    pub angle: f64,
    pub wall: Duration,
    /// Whether the engine tells of a meeting.
    pub met: bool,
}

/// What meets.
#[derive(Clone, Copy, PartialEq)]
enum Variant {
    /// A box, and a post that stands for ever.
    Box,
    /// The same with the rod a mesh.
    Mesh,
    /// The post is loose.
    LoosePost,
    /// The post is loose, and comes at 60 m/s from anywhere.
    FastPost,
}

/// The rod's box as triangles.
fn box_mesh() -> Result<Shape, Box<dyn std::error::Error>> {
    let [x, y, z] = Rod::HALF_EXTENTS.map(|half| 2.0 * half);
    Ok(Shape::mesh(Cuboid { x, y, z }.build()?)?)
}

fn ours(placing: &Rod, rod: &Shape, variant: Variant) -> Stop {
    let settings =
        WorldSettings { gravity: Vector::zeros(), tolerance: TOLERANCE, parallel: false, ..WorldSettings::default() };
    let mut world = World::new(settings).expect("valid settings");
    let mut rod = BodyDefinition::new(BodyKind::Dynamic, rod.clone(), Pose::identity());
    rod.angular_velocity = Vector::y() * placing.spin;
    rod.locked = LockedAxes { translation: [true; 3], rotation: [false; 3] };
    rod.material.friction = 0.0;
    let rod = world.add_body(rod).expect("a body");
    let shape = Shape::cylinder(placing.post_radius, 1.0).expect("a post");
    let kind = match variant {
        Variant::Box | Variant::Mesh => BodyKind::Static,
        Variant::LoosePost | Variant::FastPost => BodyKind::Dynamic,
    };
    let mut post = BodyDefinition::new(kind, shape, Pose::from_parts(placing.post().into(), Rotation::identity()));
    post.material.friction = 0.0;
    if variant == Variant::FastPost {
        let heading = 1000.0 * placing.distance;
        post.linear_velocity = Vector::new(heading.cos(), 0.0, heading.sin()) * 60.0;
    }
    world.add_body(post).expect("a body");
    let clock = Instant::now();
    let report = world.step(Rod::STEP).expect("a step");
    let wall = clock.elapsed();
    let turned = world.body(rod).map_or(f64::NAN, |b| {
        let r = b.pose().rotation;
        2.0 * r.coords.y.atan2(r.coords.w)
    });
    Stop { angle: turned.rem_euclid(std::f64::consts::TAU), wall, met: !report.impacts.is_empty() }
}

type Engine<'e> = (&'e str, Box<dyn Fn(&Rod) -> Stop + 'e>);

/// Runs every engine over every placing; the best of `runs` of each placing counts.
pub fn run(count: u32, runs: usize) -> Result<(), Box<dyn std::error::Error>> {
    println!("microseconds a step: the best of {runs} runs of each placing, their mean and the middle one");
    println!(
        "{:<32} {:>6} {:>6} {:>8} {:>8} {:>16} {:>9} {:>9}",
        "engine", "rad/s", "hits", "missed", "late", "worst error, rad", "mean", "median"
    );
    let (as_box, as_mesh) = (Shape::cuboid(Rod::HALF_EXTENTS)?, box_mesh()?);
    let standing: [Engine; 5] = [
        ("ccd-core, box", Box::new(|p| ours(p, &as_box, Variant::Box))),
        ("ccd-core, mesh", Box::new(|p| ours(p, &as_mesh, Variant::Mesh))),
        ("rapier3d, f32, as it comes", Box::new(|p| crate::rapier::single::rod(p, false))),
        ("rapier3d, f32, speed uncapped", Box::new(|p| crate::rapier::single::rod(p, true))),
        ("rapier3d, f64, speed uncapped", Box::new(|p| crate::rapier::double::rod(p, true))),
    ];
    // Where the post gives way, no angle is known beforehand: the tests look at those times of contact.
    let loose: [Engine; 2] = [
        ("ccd-core, box, loose post", Box::new(|p| ours(p, &as_box, Variant::LoosePost))),
        ("ccd-core, box, fast loose post", Box::new(|p| ours(p, &as_box, Variant::FastPost))),
    ];
    for spin in [20.0, 50.0, 100.0, 180.0, 200.0] {
        for (name, engine) in standing.iter().chain(&loose) {
            let is_loose = loose.iter().any(|(other, _)| other == name);
            let (mut hits, mut missed, mut late, mut worst) = (0, 0, 0, 0.0_f64);
            let mut walls = Vec::new();
            for placing in Rod::placings(spin, count) {
                let stops: Vec<Stop> = (0..runs.max(1)).map(|_| engine(&placing)).collect();
                walls.push(stops.iter().map(|s| s.wall.as_secs_f64() * 1e6).fold(f64::INFINITY, f64::min));
                let stop = &stops[0];
                let Some(exact) = placing.stop() else { continue };
                if is_loose {
                    hits += u32::from(stop.met);
                    continue;
                }
                hits += 1;
                let error = stop.angle - exact;
                if error > 0.2 {
                    missed += 1;
                } else {
                    late += usize::from(error > 1e-9);
                    worst = worst.max(error.abs());
                }
            }
            walls.sort_by(f64::total_cmp);
            let mean = walls.iter().sum::<f64>() / walls.len() as f64;
            let median = walls[walls.len() / 2];
            if is_loose {
                println!("{name:<32} {spin:>6} {hits:>6} {:>8} {:>8} {:>16} {mean:>9.2} {median:>9.2}", "", "", "");
            } else {
                println!(
                    "{name:<32} {spin:>6} {hits:>6} {missed:>8} {late:>8} {worst:>16.2e} {mean:>9.2} {median:>9.2}"
                );
            }
        }
    }
    Ok(())
}
