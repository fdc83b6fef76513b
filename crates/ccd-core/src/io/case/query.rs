//! Queries about two solids, one JSON object a line, as `ccd toc` and `ccd closest` take them.

use std::path::Path;

use super::error::{CaseError, CaseReason};
use super::json::{Fields, Node, Source};
use super::read;
use super::shape::CaseShape;
use nalgebra::Quaternion;

use crate::detection::closest::ClosestMethod;
use crate::detection::toc::Method;
use crate::math::{Point, Pose, Real, Rotation, Vector};
use crate::motion::RigidMotion;

/// The tolerance of a time-of-contact query that states none, metres.
const TOLERANCE: Real = 1e-6;

/// One solid of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QuerySide {
    /// Its geometry.
    pub shape: CaseShape,
    /// How its frame moves; at rest in a query about closest points.
    pub motion: RigidMotion,
}

/// When do two moving solids first touch?
#[derive(Clone, Debug, PartialEq)]
pub struct TocQuery {
    /// Side A.
    pub a: QuerySide,
    /// Side B.
    pub b: QuerySide,
    /// How long they move, seconds.
    pub duration: Real,
    /// The distance at which they count as touching, metres.
    pub tolerance: Real,
    /// How to search.
    pub method: Method,
}

/// Where are two solids closest?
#[derive(Clone, Debug, PartialEq)]
pub struct ClosestQuery {
    /// Side A.
    pub a: QuerySide,
    /// Side B.
    pub b: QuerySide,
    /// How to search.
    pub method: ClosestMethod,
}

impl TocQuery {
    /// Reads a query that is line `line` of `file`.
    ///
    /// # Errors
    /// [`CaseError`] with file, line and key.
    pub fn parse(text: &str, file: &Path, line: usize) -> Result<Self, CaseError> {
        const MOVING: &[&str] = &["shape", "position", "rotation", "linear_velocity", "angular_velocity", "centre"];
        let source = Source::from_line(file, text, line);
        let fields = source.root()?.fields()?.only(&["a", "b", "duration", "tolerance", "method"])?;
        Ok(Self {
            a: side(&fields.required("a")?, MOVING)?,
            b: side(&fields.required("b")?, MOVING)?,
            duration: fields.required("duration")?.non_negative()?,
            tolerance: fields.or("tolerance", TOLERANCE, Node::positive)?,
            method: fields.or("method", Method::Auto, Node::named)?,
        })
    }
}

impl ClosestQuery {
    /// Reads a query that is line `line` of `file`.
    ///
    /// # Errors
    /// [`CaseError`] with file, line and key.
    pub fn parse(text: &str, file: &Path, line: usize) -> Result<Self, CaseError> {
        const METHODS: &[(&str, ClosestMethod)] = &[
            ("auto", ClosestMethod::Auto),
            ("vclip", ClosestMethod::VClip),
            ("gjk", ClosestMethod::Gjk),
            ("separating_axis", ClosestMethod::SeparatingAxis),
        ];
        const STILL: &[&str] = &["shape", "position", "rotation"];
        let source = Source::from_line(file, text, line);
        let fields = source.root()?.fields()?.only(&["a", "b", "method"])?;
        Ok(Self {
            a: side(&fields.required("a")?, STILL)?,
            b: side(&fields.required("b")?, STILL)?,
            method: fields.or("method", ClosestMethod::Auto, |n| n.one_of(METHODS))?,
        })
    }
}

fn side(node: &Node<'_>, known: &'static [&'static str]) -> Result<QuerySide, CaseError> {
    let fields = node.fields()?.only(known)?;
    let shape = CaseShape::read(&fields.required("shape")?)?;
    let position = fields.or("position", [0.0; 3], Node::vector)?;
    let rotation = fields.or("rotation", [0.0, 0.0, 0.0, 1.0], read::rotation)?;
    let mut motion = RigidMotion::at_rest(pose(position, rotation));
    if known.contains(&"centre") {
        motion.linear_velocity = vector(&fields, "linear_velocity")?;
        motion.angular_velocity = vector(&fields, "angular_velocity")?;
        motion.local_centre = Point::from(vector(&fields, "centre")?);
    }
    Ok(QuerySide { shape, motion })
}

fn vector(fields: &Fields<'_>, key: &'static str) -> Result<Vector, CaseError> {
    fields.or(key, [0.0; 3], Node::vector).map(Vector::from)
}

/// The placement that a position and a unit quaternion give.
pub(crate) fn pose(position: [Real; 3], rotation: [Real; 4]) -> Pose {
    let [x, y, z, w] = read::unit(rotation);
    let rotation = Rotation::new_unchecked(Quaternion::new(w, x, y, z));
    Pose::from_parts(Vector::from(position).into(), rotation)
}

/// An error about a line of queries that is found only after reading it.
pub fn query_error(file: &Path, line: usize, key: &str, text: impl Into<String>) -> CaseError {
    CaseError::at(file, Some(line), Some(key), CaseReason::Refused(text.into()))
}
