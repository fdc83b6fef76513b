//! A rod of 2 × 0.02 × 0.02 m spinning about its middle past a thin post, one step of 1/60 s: who misses, who stops at the
//! wrong angle, and what it costs.

use std::time::{Duration, Instant};

use ccd_core::dynamics::{BodyDefinition, BodyKind, LockedAxes};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Vector};
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
    /// Whether the engine tells of a meeting.
    pub met: bool,
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
    let corner = |i: u32| {
        let side = |bit: usize| if i >> bit & 1 == 1 { HALF[bit] } else { -HALF[bit] };
        Point::new(side(0), side(1), side(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(Shape::mesh(TriMesh::try_new((0..8).map(corner).collect(), triangles)?)?)
}

fn ours(placing: &Placing, rod: &Shape, variant: Variant) -> Stop {
    let settings =
        WorldSettings { gravity: Vector::zeros(), tolerance: TOLERANCE, parallel: false, ..WorldSettings::default() };
    let mut world = World::new(settings).expect("valid settings");
    let mut rod = BodyDefinition::new(BodyKind::Dynamic, rod.clone(), Pose::identity());
    rod.angular_velocity = Vector::y() * placing.spin;
    rod.locked = LockedAxes { translation: [true; 3], rotation: [false; 3] };
    rod.material.friction = 0.0;
    let rod = world.add_body(rod).expect("a body");
    let [x, z] = placing.post();
    let shape = Shape::cylinder(placing.radius, 1.0).expect("a post");
    let kind = match variant {
        Variant::Box | Variant::Mesh => BodyKind::Static,
        Variant::LoosePost | Variant::FastPost => BodyKind::Dynamic,
    };
    let mut post = BodyDefinition::new(kind, shape, Pose::translation(x, 0.0, z));
    post.material.friction = 0.0;
    if variant == Variant::FastPost {
        let heading = 1000.0 * placing.distance;
        post.linear_velocity = Vector::new(heading.cos(), 0.0, heading.sin()) * 60.0;
    }
    world.add_body(post).expect("a body");
    let clock = Instant::now();
    let report = world.step(DT).expect("a step");
    let wall = clock.elapsed();
    let turned = world.body(rod).map_or(f64::NAN, |b| {
        let r = b.pose().rotation;
        2.0 * r.coords.y.atan2(r.coords.w)
    });
    Stop { angle: turned.rem_euclid(std::f64::consts::TAU), wall, met: !report.impacts.is_empty() }
}

type Engine<'e> = (&'e str, Box<dyn Fn(&Placing) -> Stop + 'e>);

/// Runs every engine over every placing; the best of `runs` of each placing counts.
pub fn run(count: u32, runs: usize) -> Result<(), Box<dyn std::error::Error>> {
    println!("microseconds a step: the best of {runs} runs of each placing, their mean and the middle one");
    println!(
        "{:<32} {:>6} {:>6} {:>8} {:>8} {:>16} {:>9} {:>9}",
        "engine", "rad/s", "hits", "missed", "late", "worst error, rad", "mean", "median"
    );
    let (as_box, as_mesh) = (Shape::cuboid(HALF)?, box_mesh()?);
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
            for placing in placings(spin, count) {
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
