//! `ccd closest`: distances and closest features of pairs of solids.

use std::path::PathBuf;
use std::time::Instant;

use ccd_core::detection::closest::{Closest, ClosestError, PairMemory, closest_by};
use ccd_core::io::case::{ClosestQuery, query_error};
use serde::Serialize;

use super::queries::Queries;
use crate::Ending;
use crate::failure::Failure;
use crate::output::Answers;

/// Distance and closest features of two solids, for each line of queries.
///
/// A query is `{"a": {"shape", "position", "rotation"}, "b": {…}, "method": "auto"|"vclip"|"gjk"|"separating_axis"}`; shape files are
/// relative to the file of queries and read once. The answer is `{"distance", "point_a", "point_b", "normal" (unit, world,
/// from a to b), "features", "iterations", "ns"}`; the distance is minus the least separating translation where the two
/// overlap. Nothing is answered if any line is wrong.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The queries.
    #[arg(value_name = "QUERIES.jsonl")]
    file: PathBuf,
}

/// One line of answers.
#[derive(Serialize)]
struct Answer {
    distance: f64,
    point_a: [f64; 3],
    point_b: [f64; 3],
    normal: [f64; 3],
    features: [String; 2],
    iterations: u64,
    ns: u64,
}

/// Answers every line of the file.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let path = &arguments.file;
    let queries = Queries::read(path, ClosestQuery::parse, |q| [&q.a.shape, &q.b.shape])?;
    // All are found before the first is told: a pair that the method does not take shows only where it is asked about.
    let mut answers = Vec::with_capacity(queries.list.len());
    for query in &queries.list {
        let [a, b] = &query.shapes;
        let (pose_a, pose_b) = (&query.asked.a.motion.start, &query.asked.b.motion.start);
        let clock = Instant::now();
        let found = closest_by(query.asked.method, a, pose_a, b, pose_b, &mut PairMemory::default());
        let ns = clock.elapsed().as_nanos() as u64;
        let found: Closest = found.map_err(|e| {
            let key = match e {
                ClosestError::NonFinitePose { side: 'b' } => "b",
                ClosestError::NonFinitePose { .. } => "a",
                ClosestError::NotPolyhedron { .. } => "method",
                // No method takes the two: which of them it is that should be another is not known.
                ClosestError::Unsupported { .. } => "b.shape",
                ClosestError::Empty { .. } | ClosestError::NoPointFound { .. } => "shape",
            };
            query_error(path, query.line, key, e.to_string())
        })?;
        answers.push(Answer {
            // Nothing is nothing, from whichever side.
            distance: found.distance + 0.0,
            point_a: found.point_a.into(),
            point_b: found.point_b.into(),
            normal: found.normal.into(),
            features: [found.features.a.to_string(), found.features.b.to_string()],
            iterations: found.iterations,
            ns,
        });
    }
    Answers::tell(&answers)?;
    Ok(Ending::AsExpected)
}
