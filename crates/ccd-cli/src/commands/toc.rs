//! `ccd toc`: times of contact of pairs of moving solids.

use std::path::PathBuf;
use std::time::Instant;

use ccd_core::contact::ContactPoint;
use ccd_core::detection::toc::{FirstContact, Method, Moving, Toc, TocError, TocOptions, time_of_contact};
use ccd_core::io::case::{TocQuery, query_error};
use ccd_core::motion::TimeInterval;
use serde::Serialize;

use super::queries::{Queries, Query};
use crate::Ending;
use crate::failure::Failure;
use crate::output::Answers;

/// Time of contact of two solids that move with constant velocities, for each line of queries.
///
/// A query is `{"a": {"shape", "position", "rotation", "linear_velocity", "angular_velocity"}, "b": {…}, "duration",
/// "tolerance", "method"}`; the motion turns about the shape's origin, or about `"centre"` in the shape's frame, and
/// `linear_velocity` is that point's. Shape files are relative to the file of queries and read once. The answer is
/// `{"toc", "point", "normal", "separation", "features", "us"}`: `toc` in seconds, or `null` if they stay apart; never late
/// and nothing missed, but by methods whose answers hold `"promise"`: `"shallow"` (`segments`: what is shallower than a
/// quarter of the tolerance may be missed, or be told late by as much depth), `"looks"` (`halving`, `estimate`: nothing is known of the time between the
/// instants looked at) or `"samples"` (`samples`: what passes between samples of the surface may be missed).
/// `"overlap": true` says that they touch or overlap at the start; `"undecided": true` that the work allowed for one query
/// ran out, and that they are apart until `toc`. Nothing is answered if any line is wrong.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The queries.
    #[arg(value_name = "QUERIES.jsonl")]
    file: PathBuf,
}

/// One line of answers.
#[derive(Debug, Default, Serialize)]
struct Answer {
    toc: Option<f64>,
    point: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    separation: Option<f64>,
    features: Option<[String; 2]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    overlap: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    undecided: bool,
    /// Of a method that may miss, what it promises.
    #[serde(skip_serializing_if = "Option::is_none")]
    promise: Option<&'static str>,
    us: f64,
}

impl Answer {
    fn at(contact: &FirstContact) -> Self {
        let FirstContact { time, point_a, point_b, normal, separation, features } = *contact;
        let point = ContactPoint { point_a, point_b, normal, separation, features }.midpoint();
        Self {
            toc: Some(time),
            point: Some(point.into()),
            normal: Some(normal.into()),
            // Nothing is nothing, from whichever side.
            separation: Some(separation + 0.0),
            features: Some([features.a.to_string(), features.b.to_string()]),
            ..Self::default()
        }
    }

    fn of(toc: &Toc) -> Self {
        match toc {
            Toc::Separated => Self::default(),
            Toc::Contact(contact) => Self::at(contact),
            Toc::Overlapping(contact) => Self { toc: Some(0.0), overlap: true, ..Self::at(contact) },
            Toc::Undecided { safe_until } => Self { toc: Some(*safe_until), undecided: true, ..Self::default() },
        }
    }
}

/// Answers every line of the file.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let path = &arguments.file;
    let queries = Queries::read(path, TocQuery::parse, |q| [&q.a.shape, &q.b.shape])?;
    let refuse = |line: usize, key: &str, text: String| Failure::from(query_error(path, line, key, text));
    // All are found before the first is told: a pair that the method does not take shows only where it is asked about.
    let mut found = Vec::with_capacity(queries.list.len());
    for query in &queries.list {
        let clock = Instant::now();
        let answered = answer(query);
        let us = clock.elapsed().as_secs_f64() * 1e6;
        let toc = answered.map_err(|e| {
            let key = match e {
                TocError::NonFiniteMotion { side: 'b' } => "b",
                TocError::NonFiniteMotion { .. } => "a",
                TocError::BadTolerance { .. } => "tolerance",
                // No method takes the two: which of them it is that should be another is not known.
                TocError::Unsupported { method: Method::Auto, .. } => "b.shape",
                TocError::Unsupported { .. } => "method",
            };
            refuse(query.line, key, e.to_string())
        })?;
        let method = query.asked.method;
        let promise = method.may_miss().then(|| method.promise().name());
        found.push(Answer { us, promise, ..Answer::of(&toc) });
    }
    Answers::tell(&found)?;
    Ok(Ending::AsExpected)
}

fn answer(query: &Query<TocQuery>) -> Result<Toc, TocError> {
    let [a, b] = &query.shapes;
    let method = query.asked.method;
    let options = TocOptions { tolerance: query.asked.tolerance, method, ..TocOptions::default() };
    // The duration was read as a finite number of at least zero, so the interval exists.
    let interval = TimeInterval::new(0.0, query.asked.duration).map_err(|_| TocError::NonFiniteMotion { side: 'a' })?;
    let (a, b) = (Moving::new(a, &query.asked.a.motion), Moving::new(b, &query.asked.b.motion));
    time_of_contact(a, b, interval, &options).map(|found| found.answer)
}
