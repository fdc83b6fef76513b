//! `ccd`: runs, checks and inspects contact cases without a window.
//!
//! Exit codes: 0 done and as expected, 1 an expectation failed, 2 bad input. Answers go to stdout as JSON, and
//! everything that is for people to stderr.

#![warn(clippy::too_many_arguments, reason = "the workspace allows them for systems, of which there are none here")]

mod commands;
mod failure;
mod output;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Precise contact: run case files, ask for times of contact and closest features, inspect and make models.
///
/// Exit code 0: done and as expected. 1: an expectation failed. 2: bad input; stderr names the file, line and key.
#[derive(Debug, Parser)]
#[command(name = "ccd", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(commands::run::Arguments),
    Toc(commands::toc::Arguments),
    Closest(commands::closest::Arguments),
    Features(commands::features::Arguments),
    Inspect(commands::inspect::Arguments),
    Classify(commands::classify::Arguments),
    Make(commands::make::Arguments),
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// Done and as expected.
    AsExpected,
    /// An expectation failed.
    Unexpected,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Toc(arguments) => commands::toc::run(&arguments),
        Command::Closest(arguments) => commands::closest::run(&arguments),
        Command::Features(arguments) => commands::features::run(&arguments),
        Command::Inspect(arguments) => commands::inspect::run(&arguments),
        Command::Classify(arguments) => commands::classify::run(&arguments),
        Command::Make(arguments) => commands::make::run(&arguments),
    };
    match result {
        Ok(Ending::AsExpected) => ExitCode::SUCCESS,
        Ok(Ending::Unexpected) => ExitCode::from(1),
        // Whoever reads the answers has had enough of them.
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&failure);
            ExitCode::from(2)
        }
    }
}
