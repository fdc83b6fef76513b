//! Peers side by side on the same work, in one run, so that machines and their noise drop out of the ratios.
//!
//! ```text
//! cargo run --release -- bullets      # the papers' example: time, and bullets that end on the wrong side
//! cargo run --release -- rod          # a spinning rod past a post: missed hits and angle errors
//! cargo run --release -- toc          # times of contact of hulls and tori, against parry's (`--alone`: ours, with fast tori)
//! cargo run --release -- towers       # and mass-ratio, pyramid, heap, chain, rings: time, drift, overlap, threads
//! cargo run --release -- growth       # times of contact of tori of 500 to 200,000 triangles, by trees and by a distance grid
//! cargo run --release -- closest      # closest features against coherence: V-Clip, GJK, parry's GJK, Lin–Canny
//! cargo run --release -- instructions # the same in instructions a query, by valgrind, which no other load of the machine changes
//! ```

mod avian;
mod bullets;
mod closest;
#[path = "../../ccd-core/benches/coherence/mod.rs"]
mod coherence;
mod contestants;
mod curves;
mod growth;
mod instructions;
mod lin_canny;
mod ours;
mod piles;
#[path = "../../ccd-core/benches/queries/mod.rs"]
mod queries;
mod rapier;
mod rod;
mod toc;

use std::num::NonZeroUsize;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// How many runs or queries: without any there is nothing to tell.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse::<NonZeroUsize>().map(NonZeroUsize::get).map_err(|e| e.to_string())
}

#[derive(Subcommand)]
enum Command {
    /// 100 bullets at 1000 m/s against a warped sheet with a hole, one simulated second.
    Bullets {
        /// Runs of each engine; the fastest counts.
        #[arg(long, default_value_t = 5, value_parser = at_least_one)]
        runs: usize,
    },
    /// A rod of 2 m spinning at 20 to 200 rad/s past a thin post, one step of 1/60 s, many placings.
    Rod {
        /// Placings for each spin.
        #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
        placings: u32,
        /// Runs of each placing; the fastest counts.
        #[arg(long, default_value_t = 5, value_parser = at_least_one)]
        runs: usize,
    },
    /// Times of contact of hulls and tori under random rigid motion, against parry's nonlinear shape cast.
    Toc {
        /// Queries of each kind of hull; a twentieth of them for the tori, of which parry takes seconds for each.
        #[arg(long, default_value_t = 400, value_parser = at_least_one)]
        queries: usize,
        /// Ours without parry: as many queries of the tori as of the hulls, which also spin as fast (parry does not come to an
        /// end with those); the spread of what a query costs.
        #[arg(long)]
        alone: bool,
        /// With `--alone`: runs of each query; the fastest counts.
        #[arg(long, default_value_t = 3, requires = "alone", value_parser = at_least_one)]
        runs: usize,
    },
    /// Times of contact of two tori against the number of their triangles.
    Growth {
        /// Queries of each size; a fifth of them against the grid.
        #[arg(long, default_value_t = 150, value_parser = at_least_one)]
        queries: usize,
        /// Where to write the plot, an SVG.
        #[arg(long)]
        plot: Option<std::path::PathBuf>,
    },
    /// Closest features of polyhedra that move by equal steps: what a query costs against the size of the step.
    Closest {
        /// Runs of each walk; the fastest counts.
        #[arg(long, default_value_t = 5, value_parser = at_least_one)]
        runs: usize,
        /// Where to write the plot, an SVG.
        #[arg(long)]
        plot: Option<std::path::PathBuf>,
    },
    /// The same in instructions a query, counted by valgrind, which must be installed; takes some minutes.
    Instructions {
        /// Where to write the plot, an SVG.
        #[arg(long)]
        plot: Option<std::path::PathBuf>,
    },
    /// The closest features of one solid by one contestant: what `instructions` counts.
    Queries {
        /// Who finds them.
        #[arg(long)]
        contestant: contestants::Contestant,
        /// Of the solid: 8, 12, 42, 162 or 642.
        #[arg(long)]
        vertices: u32,
        /// Between queries.
        #[arg(long)]
        degrees: f64,
        /// How many queries.
        #[arg(long)]
        count: usize,
    },
    #[command(flatten)]
    Pile(piles::Pile),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Arguments::parse().command {
        Command::Bullets { runs } => bullets::run(runs),
        Command::Rod { placings, runs } => rod::run(placings, runs),
        Command::Toc { queries, alone, runs } => {
            if alone {
                toc::alone(queries, runs);
            } else {
                toc::run(queries);
            }
            Ok(())
        }
        Command::Growth { queries, plot } => growth::run(queries, plot.as_deref()),
        Command::Closest { runs, plot } => closest::run(runs, plot.as_deref()),
        Command::Instructions { plot } => instructions::run(plot.as_deref()),
        Command::Queries { contestant, vertices, degrees, count } => {
            instructions::queries(contestant, vertices, degrees, count)
        }
        Command::Pile(pile) => pile.run(),
    }
}
