//! `ccd classify`: points and segments against a model, through its B-rep index.

use std::path::PathBuf;

use crate::Ending;
use crate::failure::Failure;

/// Says of points or segments whether they are inside or outside a model, or on which vertex, edge or face they lie.
///
/// Not available in this version: it waits for the B-rep index, and ends with exit code 2.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The model.
    #[arg(value_name = "MODEL.obj")]
    model: PathBuf,
    /// Three numbers a line (a point) or six (the ends of a segment).
    #[arg(value_name = "POINTS.csv|SEGMENTS.csv")]
    places: PathBuf,
}

/// Refuses, naming what was asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let (model, places) = (arguments.model.display(), arguments.places.display());
    Err(Failure::Arguments(format!(
        "cannot classify {places} against {model}: there is no B-rep index in this version"
    )))
}
