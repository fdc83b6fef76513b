//! `ccd features`: times of contact of linearly moving features.

use std::path::PathBuf;

use ccd_core::detection::toc::{LinearError, LinearOptions, LinearToc, edge_edge, vertex_face};
use ccd_core::math::Point;
use clap::ValueEnum;

use crate::Ending;
use crate::failure::{Failure, read_text};
use crate::output::Answers;

/// Time of contact of a vertex and a triangle, or of two edges, that move on straight lines over [0, 1].
///
/// FILE.csv holds one query a line: 24 numbers, x y z of four points at t0, then of the same four at t1; further columns
/// are ignored. Vertex/face: vertex, then the triangle's corners. Edge/edge: both ends of the first edge, then of the
/// second. The answer is one line a query: the time in [0, 1], never later than the true one, or `none`. Where the search
/// had to end early the time is the one until which contact is excluded.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Which features each line holds.
    #[arg(long)]
    kind: Kind,
    /// The queries.
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
}

/// Which features meet.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Vertex against face.
    Vf,
    /// Edge against edge.
    Ee,
}

/// How many numbers a query has.
const NUMBERS: usize = 24;

/// Answers every line of the file.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let path = &arguments.file;
    let text = read_text(path)?;
    let mut queries = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            let line_number = i + 1;
            queries.push((line_number, points(line).map_err(|reason| Failure::line(path, line_number, reason))?));
        }
    }
    let options = LinearOptions::default();
    let mut answers = Answers::new();
    for (line, (start, end)) in &queries {
        let answer = match arguments.kind {
            Kind::Vf => vertex_face(start, end, &options),
            Kind::Ee => edge_edge(start, end, &options),
        };
        match answer.map_err(|e: LinearError| Failure::line(path, *line, e.to_string()))? {
            LinearToc::Separated => answers.line("none")?,
            LinearToc::Contact(contact) => answers.line(contact.time)?,
            LinearToc::Undecided { safe_until } => answers.line(safe_until)?,
        }
    }
    answers.finish()?;
    Ok(Ending::AsExpected)
}

/// The four points of a line at t0 and at t1.
fn points(line: &str) -> Result<([Point; 4], [Point; 4]), String> {
    let mut numbers = [0.0; NUMBERS];
    let mut columns = line.split(',').map(str::trim);
    for (i, number) in numbers.iter_mut().enumerate() {
        let column = columns.next().ok_or_else(|| format!("{i} columns where {NUMBERS} are needed"))?;
        let parsed: f64 = column.parse().map_err(|_| format!("column {}: `{column}` is not a number", i + 1))?;
        if !parsed.is_finite() {
            return Err(format!("column {}: `{column}` is not finite", i + 1));
        }
        *number = parsed;
    }
    let point = |i: usize| Point::new(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
    Ok((std::array::from_fn(point), std::array::from_fn(|i| point(i + 4))))
}
