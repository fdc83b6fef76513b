//! Instructions of a query against the coherence of the queries: what no other load of the machine changes.
//!
//! This program runs itself under valgrind, once without queries and once with them, for each solid, step and contestant; the
//! difference is what the queries took.

use std::path::Path;
use std::process::Command;

use crate::coherence::POSES;
use crate::contestants::{Contestant, Course, STEPS, VERTICES, solid, solid_name};
use crate::curves::{Curves, draw};

/// The queries of one contestant: what runs under valgrind.
pub fn queries(
    contestant: Contestant,
    vertices: u32,
    degrees: f64,
    count: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let solid = solid(vertices).ok_or_else(|| format!("no solid here has {vertices} vertices, only {VERTICES:?}"))?;
    let outcome = Course::new(&solid, degrees).run(contestant, count);
    println!("{count} queries, distances of {} in all", outcome.sum);
    Ok(())
}

/// The instructions of this program with these queries.
fn count(contestant: Contestant, vertices: u32, degrees: f64, count: usize) -> Result<u64, Box<dyn std::error::Error>> {
    use clap::ValueEnum;
    let name = contestant.to_possible_value().ok_or("no such contestant")?;
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["queries", "--contestant", name.get_name()])
        .args(["--vertices", &vertices.to_string(), "--degrees", &degrees.to_string(), "--count", &count.to_string()])
        .output()
        .map_err(|error| format!("valgrind does not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.contains("refs:")).ok_or_else(|| format!("valgrind said: {said}"))?;
    let digits: String = line.rsplit("refs:").next().unwrap_or("").chars().filter(char::is_ascii_digit).collect();
    Ok(digits.parse()?)
}

pub fn run(plot: Option<&Path>) -> Result<(), Box<dyn std::error::Error>> {
    println!("instructions a query");
    let names = Contestant::ALL.map(Contestant::name);
    println!("{:<14}{:>8}{:>12}{:>12}{:>22}{:>12}", "solid", "degrees", names[0], names[1], names[2], names[3]);
    let mut all: Vec<Curves> = Vec::new();
    for vertices in VERTICES {
        let name = solid_name(vertices);
        let mut curves = Vec::new();
        for degrees in STEPS {
            let none = count(Contestant::VClip, vertices, degrees, 0)?;
            let mut costs = [0.0; 4];
            for (cost, contestant) in costs.iter_mut().zip(Contestant::ALL) {
                let with = count(contestant, vertices, degrees, POSES)?;
                *cost = with.saturating_sub(none) as f64 / POSES as f64;
            }
            let text = costs.map(|c| format!("{c:.0}"));
            println!("{name:<14}{degrees:>8}{:>12}{:>12}{:>22}{:>12}", text[0], text[1], text[2], text[3]);
            curves.push(costs);
        }
        all.push((name, curves));
    }
    match plot {
        Some(path) => draw(path, &all, "instructions a query", 300.0..1_000_000.0),
        None => Ok(()),
    }
}
