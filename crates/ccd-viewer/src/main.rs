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
//! | `export` | the case at hand as a file |
//! | `unfinished` | what a picture must wait for |
//! | `draw` | bodies and contacts on the stage |
//! | `overlays` | the plugin's overlays by name |
//! | `hands` | dragging bodies, shooting balls |
//! | `panels` | everything around the scene |
//! | `playback` | steps, the tape of recorded states, the watched instant |
//! | `scenes` | what can be opened, and opening it |
//! | `palette` | colours |
//! | `rehearsal` | tests of all of it at work, without a window |

mod app;
mod camera;
mod capture;
mod cli;
mod draw;
mod export;
mod hands;
mod overlays;
mod palette;
mod panels;
mod playback;
mod preflight;
#[cfg(test)]
mod rehearsal;
mod scenes;
mod stage;
mod unfinished;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    if cli.list {
        let entries = scenes::Catalogue::gather().entries;
        return say(entries.iter().map(|entry| format!("{:<24} {}\n", entry.name, entry.about)).collect());
    }
    if cli.show.iter().any(overlays::Overlay::asks_for_help) {
        return say(overlays::Overlay::list());
    }
    // What was asked for by name must be there before a window opens.
    let look = app::look(&cli);
    if (cli.case.is_some() || cli.scene.is_some() || look.names().next().is_some())
        && let Err(reason) = app::first_scene(&cli).load().and_then(|set| look.check(&set))
    {
        eprintln!("ccd-viewer: {reason}");
        return ExitCode::from(2);
    }
    if let Err(missing) = preflight::check(cli.headless) {
        eprintln!("ccd-viewer: {missing}");
        return ExitCode::from(2);
    }
    app::run(&cli)
}

/// Prints what was asked for. Whoever has read enough of it may close the pipe.
fn say(text: String) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("ccd-viewer: it could not be printed: {error}");
            ExitCode::from(1)
        }
        _ => ExitCode::SUCCESS,
    }
}
