//! `ccd classify`: points and segments against a model, through its B-rep index.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ccd_core::bounds::IndexedMesh;
use ccd_core::bounds::brep_index::{BrepIndex, BrepIndexOptions, Place, SegmentPiece};
use ccd_core::geometry::feature::Feature;
use ccd_core::math::Point;
use serde::Serialize;

use super::models::{index_tolerance, load_model};
use crate::Ending;
use crate::failure::{Failure, read_text};
use crate::output::{Answers, remark};

/// Says of points or segments whether they are inside or outside a model, or on which vertex, edge or face they lie.
///
/// The answer is one line a line of the table: `inside`, `outside`, `vertex 3`, `edge 5` or `face 17`; for a segment the
/// sequence of what it passes, where a part is `inside 0..0.25` by its fractions of the segment, and a point where it
/// crosses the surface `(edge 5, 0.25)`. On the surface is what is within the tolerance of it: on a vertex if one is that
/// near, else on an edge, else on a face. Vertices, edges and faces are numbered from zero as by `inspect`: faces are the
/// model's triangles; edges inside flat faces, and vertices inside straight edges, are no features.
///
/// The model must be a solid: closed (be it by joining vertices at the same place, as `run` does), manifold, wound outwards, and not
/// crossing itself.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The model.
    #[arg(value_name = "MODEL.obj")]
    model: PathBuf,
    /// Three numbers a line (a point) or six (the ends of a segment).
    #[arg(value_name = "POINTS.csv|SEGMENTS.csv")]
    places: PathBuf,
    /// How near the surface counts as on it, metres [default: a millionth of half the diagonal of the model's box, at most 0.1 mm].
    #[arg(long, value_name = "METRES")]
    tolerance: Option<f64>,
    /// Answer with one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// A line of the table.
enum Query {
    Point(Point),
    Segment(Point, Point),
}

/// The answer to a point.
#[derive(Debug, Serialize)]
struct PointAnswer {
    place: &'static str,
    feature: Option<String>,
}

/// A part of the answer to a segment.
#[derive(Debug, Serialize)]
struct PieceAnswer {
    place: &'static str,
    feature: Option<String>,
    from: f64,
    to: f64,
    /// Of a crossing: its fraction of the segment.
    at: Option<f64>,
    /// Of a crossing: where it is.
    point: Option<[f64; 3]>,
}

/// The answer to a segment.
#[derive(Debug, Serialize)]
struct SegmentAnswer {
    pieces: Vec<PieceAnswer>,
}

/// Answers every line of the table.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let index = load(&arguments.model, arguments.tolerance)?;
    let path = &arguments.places;
    let text = read_text(path)?;
    let mut queries = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        queries.push(query(line).map_err(|reason| Failure::line(path, i + 1, reason))?);
    }
    warn_of_close_features(&index);
    let mut answers = Answers::new();
    for query in &queries {
        match query {
            Query::Point(point) => {
                let (place, feature) = named(index.classify(point));
                match (arguments.json, &feature) {
                    (true, _) => answers.json(&PointAnswer { place, feature })?,
                    (false, Some(feature)) => answers.line(feature)?,
                    (false, None) => answers.line(place)?,
                }
            }
            Query::Segment(start, end) => {
                let pieces = index.classify_segment(start, end);
                if arguments.json {
                    let piece = |p: &SegmentPiece| {
                        let (place, feature) = named(p.place);
                        let point = p.crossing.map(|t| (start + (end - start) * t).into());
                        PieceAnswer { place, feature, from: p.from, to: p.to, at: p.crossing, point }
                    };
                    answers.json(&SegmentAnswer { pieces: pieces.iter().map(piece).collect() })?;
                } else {
                    let texts: Vec<String> = pieces.iter().map(text_of).collect();
                    answers.line(texts.join(", "))?;
                }
            }
        }
    }
    answers.finish()?;
    Ok(Ending::AsExpected)
}

/// The index of the model.
fn load(model: &Path, tolerance: Option<f64>) -> Result<BrepIndex, Failure> {
    let mesh = load_model(model)?.mesh;
    let refused = |reason: String| Failure::Model(format!("{}: {reason}", model.display()));
    let mesh = IndexedMesh::new(mesh).map_err(|e| refused(e.to_string()))?;
    let tolerance = tolerance.unwrap_or_else(|| index_tolerance(mesh.mesh()));
    BrepIndex::build(Arc::new(mesh), &BrepIndexOptions::with_tolerance(tolerance)).map_err(|e| refused(e.to_string()))
}

/// Says where the model has features that contacts could not tell apart at this tolerance.
fn warn_of_close_features(index: &BrepIndex) {
    let close = index.close_features(index.least_spacing());
    if let Some(closest) = close.first() {
        let (a, b) = (closest.features.a, closest.features.b);
        remark(format_args!(
            "warning: {} pairs of features are closer than {:e} m, 100 times the tolerance; {a} and {b} are {:e} m apart",
            close.len(),
            index.least_spacing(),
            closest.distance
        ));
    }
}

fn query(line: &str) -> Result<Query, String> {
    let mut numbers = Vec::with_capacity(6);
    for (i, column) in line.split(',').map(str::trim).enumerate() {
        let number: f64 = column.parse().map_err(|_| format!("column {}: `{column}` is not a number", i + 1))?;
        if !number.is_finite() {
            return Err(format!("column {}: `{column}` is not finite", i + 1));
        }
        numbers.push(number);
    }
    match *numbers {
        [x, y, z] => Ok(Query::Point(Point::new(x, y, z))),
        [a, b, c, x, y, z] => Ok(Query::Segment(Point::new(a, b, c), Point::new(x, y, z))),
        _ => Err(format!("{} columns where 3 (a point) or 6 (a segment) are needed", numbers.len())),
    }
}

fn named(place: Place) -> (&'static str, Option<String>) {
    match place {
        Place::Inside => ("inside", None),
        Place::Outside => ("outside", None),
        Place::On(feature) => {
            let kind = match feature {
                Feature::Vertex(_) => "vertex",
                Feature::Edge(_) => "edge",
                Feature::Face(_) => "face",
            };
            (kind, Some(feature.to_string()))
        }
    }
}

fn text_of(piece: &SegmentPiece) -> String {
    let (place, feature) = named(piece.place);
    let name = feature.as_deref().unwrap_or(place);
    match piece.crossing {
        Some(at) => format!("({name}, {at})"),
        None => format!("{name} {}..{}", piece.from, piece.to),
    }
}
