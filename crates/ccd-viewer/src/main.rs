//! The lab for contact cases: an interactive viewer of bodies, motions and contacts.
//!
//! | file | its one job |
//! |---|---|
//! | `cli` | the command line |
//! | `preflight` | what must be installed, asked before the engine starts |
//! | `app` | puts the engine together, with a window or without |
//! | `stage` | light, sky, ground |
//! | `camera` | where one looks from |
//! | `capture` | pictures |
//! | `panels` | everything around the scene |
//! | `palette` | colours |

mod app;
mod camera;
mod capture;
mod cli;
mod palette;
mod panels;
mod preflight;
mod stage;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    if let Err(missing) = preflight::check(cli.headless) {
        eprintln!("ccd-viewer: {missing}");
        return ExitCode::from(2);
    }
    app::run(&cli)
}
