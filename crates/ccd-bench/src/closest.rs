//! Closest features against the coherence of the queries: the experiment of V-Clip's paper with today's contestants.
//!
//! One polyhedron moves by equal steps around another of the same kind. Each contestant starts each query from where its last
//! one ended.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use ccd_core::geometry::polyhedron::ConvexPolyhedron;

use crate::coherence::POSES;
use crate::contestants::{Contestant, Course, Outcome, STEPS, VERTICES, solid, solid_name};
use crate::curves::{Curves, draw};

/// Nanoseconds a query, and steps or rounds where they are known.
#[derive(Clone, Copy, Default)]
struct Cost {
    nanoseconds: f64,
    rounds: f64,
}

/// The least of the runs, nanoseconds a query, and what the queries came to.
fn time(runs: usize, course: &Course, contestant: Contestant) -> (f64, Outcome) {
    let (mut best, mut outcome) = (f64::INFINITY, Outcome::default());
    for _ in 0..runs {
        let clock = Instant::now();
        outcome = black_box(course.run(contestant, POSES));
        best = best.min(clock.elapsed().as_secs_f64() * 1e9 / POSES as f64);
    }
    (best, outcome)
}

/// All contestants on one walk; and how often Lin–Canny's went in a circle.
fn contest(solid: &ConvexPolyhedron, degrees: f64, runs: usize) -> ([Cost; 4], u32) {
    let course = Course::new(solid, degrees);
    let found = Contestant::ALL.map(|contestant| time(runs, &course, contestant));
    let (sums, circles) = (found.map(|(_, outcome)| outcome.sum), found[3].1.circles);
    let near = |other: f64| (other - sums[0]).abs() < 1e-5;
    assert!(near(sums[1]) && near(sums[2]) && (circles > 0 || near(sums[3])), "{sums:?}: all measure the same");
    let cost =
        |(nanoseconds, outcome): (f64, Outcome)| Cost { nanoseconds, rounds: outcome.rounds as f64 / POSES as f64 };
    (found.map(cost), circles)
}

pub fn run(runs: usize, plot: Option<&Path>) -> Result<(), Box<dyn std::error::Error>> {
    println!("ns a query, and steps or rounds of one (parry does not tell its own)");
    let names = Contestant::ALL.map(Contestant::name);
    println!(
        "{:<14}{:>8}{:>16}{:>16}{:>20}{:>18}{:>8}",
        "solid", "degrees", names[0], names[1], names[2], names[3], "circles"
    );
    let mut all: Vec<Curves> = Vec::new();
    for vertices in VERTICES {
        let solid = solid(vertices).ok_or("no such solid")?;
        let name = solid_name(vertices);
        let mut curves = Vec::new();
        for degrees in STEPS {
            let (costs, circles) = contest(&solid, degrees, runs);
            let text = costs.map(|c| format!("{:.0} ({:.2})", c.nanoseconds, c.rounds));
            let peer = format!("{:.0}", costs[2].nanoseconds);
            println!("{name:<14}{degrees:>8}{:>16}{:>16}{peer:>20}{:>18}{circles:>8}", text[0], text[1], text[3]);
            curves.push(costs.map(|c| c.nanoseconds));
        }
        all.push((name, curves));
    }
    match plot {
        Some(path) => draw(path, &all, "ns a query", 30.0..40_000.0),
        None => Ok(()),
    }
}
