//! Files of queries: one JSON object a line, each about two shapes.

use std::path::Path;

use ccd_core::io::case::{CaseError, CaseShape, ShapeCache};
use ccd_core::shape::Shape;

use crate::failure::{Failure, read_text};

/// One query with its shapes made.
#[derive(Debug)]
pub(super) struct Query<Q> {
    /// Its line in the file, counted from one.
    pub(super) line: usize,
    /// What is asked.
    pub(super) asked: Q,
    /// The two solids.
    pub(super) shapes: [Shape; 2],
}

/// The queries of a file.
#[derive(Debug)]
pub(super) struct Queries<Q> {
    pub(super) list: Vec<Query<Q>>,
}

impl<Q> Queries<Q> {
    /// Reads a file of queries, each file of a shape once. Empty lines are no queries.
    pub(super) fn read(
        path: &Path,
        parse: impl Fn(&str, &Path, usize) -> Result<Q, CaseError>,
        shapes_of: impl Fn(&Q) -> [&CaseShape; 2],
    ) -> Result<Self, Failure> {
        let text = read_text(path)?;
        let mut cache = ShapeCache::new(path.parent().unwrap_or_else(|| Path::new("")));
        let mut list = Vec::new();
        for (i, text) in text.lines().enumerate() {
            let line = i + 1;
            if text.trim().is_empty() {
                continue;
            }
            let asked = parse(text, path, line)?;
            let [a, b] = shapes_of(&asked);
            let mut make = |shape, key| cache.shape(shape).map_err(|e| e.placed(path, line, key));
            let shapes = [make(a, "a.shape")?, make(b, "b.shape")?];
            list.push(Query { line, asked, shapes });
        }
        Ok(Self { list })
    }
}
