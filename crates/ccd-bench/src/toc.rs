//! Times of contact under random rigid motion, one query at a time, against parry's `cast_shapes_nonlinear`: what a query
//! costs, how many contacts are missed, and how many are found only when the solids are deep in each other.

use std::time::Instant;

use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::{Toc, TocOptions};
use ccd_core::shape::Shape;
use rapier3d::parry::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use rapier3d::parry::shape::SharedShape;

use crate::queries::{Query, hull, queries, solve, torus};
use crate::rapier::single::{pose, vector};

/// An overlap at the reported time that counts as late, metres.
const LATE: f64 = 2e-3;

/// What one engine makes of all queries.
#[derive(Default)]
struct Tally {
    microseconds: Vec<f64>,
    missed: usize,
    late: usize,
}

impl Tally {
    fn line(&mut self, name: &str, what: &str, spin: f64, meet: usize) {
        self.microseconds.sort_by(f64::total_cmp);
        let at = |share: f64| self.microseconds[((self.microseconds.len() - 1) as f64 * share) as usize];
        println!(
            "{what:<16} {spin:>6} {name:<24} {meet:>5} {:>7} {:>6} {:>12.1} {:>12.1}",
            self.missed,
            self.late,
            at(0.5),
            at(0.99)
        );
    }
}

fn peer(shape: &Shape) -> SharedShape {
    let vectors = |points: &[ccd_core::math::Point]| points.iter().map(|p| vector([p.x, p.y, p.z])).collect::<Vec<_>>();
    match shape {
        Shape::Convex(hull) => SharedShape::convex_hull(&vectors(hull.vertices())).expect("a hull"),
        Shape::Mesh(mesh) => {
            SharedShape::trimesh(vectors(mesh.mesh().vertices()), mesh.mesh().triangles().to_vec()).expect("a mesh")
        }
        _ => unreachable!("the benchmark has hulls and meshes"),
    }
}

fn motion(of: &ccd_core::motion::RigidMotion) -> NonlinearRigidMotion {
    let r = of.start.rotation.coords;
    NonlinearRigidMotion::new(
        pose(of.start.translation.vector.into(), [r.x, r.y, r.z, r.w]),
        vector([0.0; 3]),
        vector(of.linear_velocity.into()),
        vector(of.angular_velocity.into()),
    )
}

/// The depth of the overlap at a time, metres.
fn depth(shape: &Shape, query: &Query, time: f64) -> f64 {
    closest(shape, &query.a.pose_at(time), shape, &query.b.pose_at(time)).map_or(0.0, |c| -c.distance)
}

fn compare(what: &str, shape: &Shape, reach: f64, spin: f64, count: usize) {
    let theirs_shape = peer(shape);
    let (mut ours, mut theirs) = (Tally::default(), Tally::default());
    let mut meet = 0;
    for query in queries(0x7c0, count, reach, spin) {
        let clock = Instant::now();
        let found = solve(shape, shape, &query, &TocOptions::default()).answer;
        ours.microseconds.push(clock.elapsed().as_secs_f64() * 1e6);
        let (motion_a, motion_b) = (motion(&query.a), motion(&query.b));
        let clock = Instant::now();
        let hit = cast_shapes_nonlinear(&motion_a, &*theirs_shape.0, &motion_b, &*theirs_shape.0, 0.0, 1.0, true);
        theirs.microseconds.push(clock.elapsed().as_secs_f64() * 1e6);
        let hit = hit.expect("both know hulls and meshes");
        // A contact that only one of them has: the overlap shortly after ours tells whether it is one.
        let Toc::Contact(contact) = found else {
            let missed = hit.is_some_and(|hit| depth(shape, &query, f64::from(hit.time_of_impact)) > LATE);
            ours.missed += usize::from(missed);
            continue;
        };
        meet += 1;
        ours.late += usize::from(depth(shape, &query, contact.time) > LATE);
        match hit {
            None => {
                // A graze shallower than counts is none that has to be found.
                let deep = (0..200)
                    .any(|i| depth(shape, &query, contact.time + (1.0 - contact.time) * f64::from(i) / 200.0) > LATE);
                theirs.missed += usize::from(deep);
            }
            Some(hit) => theirs.late += usize::from(depth(shape, &query, f64::from(hit.time_of_impact)) > LATE),
        }
    }
    ours.line("ccd-core, f64", what, spin, meet);
    theirs.line("parry3d, f32, nonlinear", what, spin, meet);
}

/// The hulls that are asked about, by name.
fn hulls() -> impl Iterator<Item = (String, Shape)> {
    [32, 128, 512].into_iter().map(|vertices| (format!("hulls of {vertices}"), hull(vertices)))
}

/// The greatest spins, rad/s.
const SPINS: [f64; 3] = [1.0, 10.0, 50.0];

/// Side by side with parry.
pub fn run(count: usize) {
    println!(
        "{:<16} {:>6} {:<24} {:>5} {:>7} {:>6} {:>12} {:>12}",
        "pair", "rad/s", "engine", "meet", "missed", "late", "median, us", "p99, us"
    );
    for (name, hull) in hulls() {
        for spin in SPINS {
            compare(&name, &hull, 0.5, spin, count);
        }
    }
    // A query of parry's takes a sizeable part of a second.
    compare("tori of 2000", &torus(1.0, 0.4, 50, 20), 1.4, 10.0, count.div_ceil(20));
}

/// Ours by itself: also what parry does not come to an end with. The best of `runs` runs of each query counts.
pub fn alone(count: usize, runs: usize) {
    println!("microseconds a query, the best of {runs} runs of each");
    println!(
        "{:<16} {:>6} {:>7} {:>6} {:>6} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "pair", "rad/s", "queries", "meet", "late", "undecided", "median", "p90", "p99", "max"
    );
    let tori = [("tori of 2000".to_owned(), torus(1.0, 0.4, 50, 20))];
    for (name, shape) in hulls().chain(tori) {
        let reach = if matches!(shape, Shape::Mesh(_)) { 1.4 } else { 0.5 };
        for spin in SPINS {
            let mut microseconds = Vec::new();
            let (mut meet, mut late, mut undecided) = (0, 0, 0);
            for query in queries(0x7c0, count, reach, spin) {
                let mut best = f64::INFINITY;
                let mut answer = Toc::Separated;
                for _ in 0..runs.max(1) {
                    let clock = Instant::now();
                    answer = solve(&shape, &shape, &query, &TocOptions::default()).answer;
                    best = best.min(clock.elapsed().as_secs_f64() * 1e6);
                }
                microseconds.push(best);
                match answer {
                    Toc::Contact(contact) => {
                        meet += 1;
                        late += usize::from(depth(&shape, &query, contact.time) > LATE);
                    }
                    Toc::Undecided { .. } => undecided += 1,
                    _ => {}
                }
            }
            microseconds.sort_by(f64::total_cmp);
            let last = microseconds.len().saturating_sub(1) as f64;
            let at = |share: f64| microseconds.get((last * share) as usize).copied().unwrap_or(f64::NAN);
            println!(
                "{name:<16} {spin:>6} {count:>7} {meet:>6} {late:>6} {undecided:>10} {:>10.1} {:>10.1} {:>10.1} {:>10.1}",
                at(0.5),
                at(0.9),
                at(0.99),
                at(1.0)
            );
        }
    }
}
