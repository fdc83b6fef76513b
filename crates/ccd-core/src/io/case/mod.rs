//! Case files: a world and what must hold in it, as JSON (`ccd-case/1`), so that a contact found in one place can be run,
//! looked at and replayed in every other.
//!
//! Units are SI, quaternions `[x, y, z, w]`, file paths relative to the case file. [`Case`] is the file's content and
//! nothing else: [`build_world`] makes the world, [`crate::io::expect`] judges how it went.

mod build;
mod cache;
mod error;
mod export;
pub(crate) mod json;
mod names;
mod query;
mod read;
mod shape;
mod write;

use std::fmt;
use std::path::Path;

use serde::Serialize;

pub use crate::detection::closest::ClosestMethod;
pub use build::{build_world, build_world_with};
pub use cache::ShapeCache;
pub use error::{CaseError, CaseReason};
pub use export::{Export, SavedExport, export_world};
pub use query::{ClosestQuery, QuerySide, TocQuery, query_error};
pub use shape::{CaseShape, PlacedShape};
pub use write::pretty_json;

use crate::contact::ReductionMethod;
use crate::detection::toc::Method;
use crate::dynamics::{BodyKind, Integrator, LockedAxes};
use crate::io::expect::Expectation;
use crate::math::Real;
use crate::world::{BroadPhaseMethod, InitialOverlap, ResponseMethod};

/// The name and version of the format, as its `format` key says it.
pub const FORMAT: &str = "ccd-case/1";

/// The density of a body that states neither density nor mass, kg/m³ (water).
pub const DEFAULT_DENSITY: Real = 1000.0;

/// The content of a case file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Case {
    /// What the case is called.
    pub name: String,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Anything a reader should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Gravity, time step and methods.
    pub world: CaseWorld,
    /// The bodies; their order is that of every report.
    pub bodies: Vec<CaseBody>,
    /// What must hold.
    pub expect: Vec<Expectation>,
}

/// The settings of a case's world.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseWorld {
    /// Gravitational acceleration, m/s².
    pub gravity: [Real; 3],
    /// The time step, seconds.
    pub dt: Real,
    /// How many steps the case lasts.
    pub steps: u32,
    /// The distance at which bodies count as touching, metres.
    pub tolerance: Real,
    /// The distance within which features become contacts, metres; at least `tolerance`.
    pub contact_threshold: Real,
    /// The friction coefficient of bodies that state none.
    pub friction: Real,
    /// The coefficient of restitution of bodies that state none, in [0, 1].
    pub restitution: Real,
    /// How times of contact are found.
    #[serde(serialize_with = "names::by_name")]
    pub detection: Method,
    /// How contacts are answered.
    #[serde(serialize_with = "names::by_name")]
    pub response: ResponseMethod,
    /// How velocities and poses are advanced.
    #[serde(serialize_with = "names::by_name")]
    pub integrator: Integrator,
    /// How candidate pairs are found.
    #[serde(serialize_with = "names::by_name")]
    pub broad_phase: BroadPhaseMethod,
    /// How contact points are thinned out.
    #[serde(serialize_with = "names::by_name")]
    pub reduction: ReductionMethod,
    /// Whether bodies at rest are left out of the work.
    pub sleeping: bool,
    /// What to do with bodies that overlap at the start.
    #[serde(serialize_with = "names::by_name")]
    pub initial_overlap: InitialOverlap,
}

impl CaseWorld {
    /// The format's defaults for a world of `steps` steps of `dt` seconds.
    pub fn new(dt: Real, steps: u32) -> Self {
        Self {
            gravity: [0.0, -9.81, 0.0],
            dt,
            steps,
            tolerance: crate::tolerance::DEFAULT_TOLERANCE,
            contact_threshold: crate::tolerance::DEFAULT_CONTACT_THRESHOLD,
            friction: 0.5,
            restitution: 0.0,
            detection: Method::Auto,
            response: ResponseMethod::Shock,
            integrator: Integrator::ImprovedEuler,
            broad_phase: BroadPhaseMethod::Tree,
            reduction: ReductionMethod::Manifold,
            sleeping: true,
            initial_overlap: InitialOverlap::Error,
        }
    }
}

/// A body of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseBody {
    /// What expectations and reports call it; no two bodies share a name.
    pub name: String,
    /// Whether and how it moves.
    #[serde(serialize_with = "names::by_name")]
    pub kind: BodyKind,
    /// What it is made of, in its own frame.
    pub shape: CaseShape,
    /// The world place of the shape's own origin (not of the centre of mass), metres.
    pub position: [Real; 3],
    /// The rotation of the shape's frame, a unit quaternion `[x, y, z, w]`.
    pub rotation: [Real; 4],
    /// The velocity of the centre of mass, m/s, world.
    pub linear_velocity: [Real; 3],
    /// rad/s, world.
    pub angular_velocity: [Real; 3],
    /// kg/m³; [`DEFAULT_DENSITY`] where neither it nor `mass` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<Real>,
    /// kg, instead of `density`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<Real>,
    /// Overrides both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass_properties: Option<CaseMass>,
    /// The friction coefficient, instead of the world's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<Real>,
    /// The coefficient of restitution, instead of the world's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<Real>,
    /// A constant force at the centre of mass, N, world.
    #[serde(skip_serializing_if = "is_zero")]
    pub force: [Real; 3],
    /// A constant torque, N·m, world.
    #[serde(skip_serializing_if = "is_zero")]
    pub torque: [Real; 3],
    /// The world axes along and about which it cannot move.
    #[serde(serialize_with = "LockedDof::serialize", skip_serializing_if = "is_free")]
    pub locked_dof: LockedAxes,
    /// Bodies of the same group do not collide with each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_collide_group: Option<u32>,
    /// The line on which the body starts, for messages.
    #[serde(skip)]
    pub line: Line,
    /// The line of its kind.
    #[serde(skip)]
    pub kind_line: Line,
    /// The line on which its shape starts.
    #[serde(skip)]
    pub shape_line: Line,
    /// The line on which what tells its mass starts: of `mass_properties`, `mass` and `density` the first that there is.
    #[serde(skip)]
    pub mass_line: Line,
}

impl CaseBody {
    /// A body at the origin, at rest, with nothing stated that has a default.
    pub fn new(name: impl Into<String>, kind: BodyKind, shape: CaseShape) -> Self {
        Self {
            name: name.into(),
            kind,
            shape,
            position: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            linear_velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            density: None,
            mass: None,
            mass_properties: None,
            friction: None,
            restitution: None,
            force: [0.0; 3],
            torque: [0.0; 3],
            locked_dof: LockedAxes::default(),
            no_collide_group: None,
            line: Line::default(),
            kind_line: Line::default(),
            shape_line: Line::default(),
            mass_line: Line::default(),
        }
    }
}

fn is_zero(v: &[Real; 3]) -> bool {
    *v == [0.0; 3]
}

/// Mass properties that a body states itself, in the scaled shape's frame before rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CaseMass {
    /// kg.
    pub mass: Real,
    /// The centre of mass, metres.
    pub com_local: [Real; 3],
    /// The inertia about the centre of mass, kg·m², by rows.
    pub inertia_com_local: [[Real; 3]; 3],
}

/// How the format writes them.
#[derive(Serialize)]
#[serde(remote = "LockedAxes")]
struct LockedDof {
    /// Along x, y, z.
    translation: [bool; 3],
    /// About x, y, z.
    rotation: [bool; 3],
}

/// Whether nothing is locked.
fn is_free(locked: &LockedAxes) -> bool {
    *locked == LockedAxes::default()
}

/// A line of a case file, for messages only: lines are all equal to each other.
#[derive(Clone, Copy, Default)]
pub struct Line(
    /// Counted from one; zero for a body that came from no file.
    pub usize,
);

impl PartialEq for Line {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.0)
    }
}

impl Case {
    /// Reads the case file at `path`.
    ///
    /// # Errors
    /// [`CaseError`] with file, line, key and body, for anything that the format does not allow.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CaseError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| CaseError::of_file(path, CaseReason::File(e)))?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => Self::parse(text, path),
            Err(e) => {
                let line = 1 + bytes.iter().take(e.valid_up_to()).filter(|b| **b == b'\n').count();
                Err(CaseError::at(path, Some(line), None, CaseReason::NotUtf8))
            }
        }
    }

    /// Reads a case from its text; `file` is only named in errors.
    ///
    /// # Errors
    /// As [`Case::load`].
    pub fn parse(text: &str, file: &Path) -> Result<Self, CaseError> {
        read::case(&json::Source::new(file, text).root()?)
    }

    /// The case as the text of a case file, everything stated that has a default; [`Case::parse`] reads it back equal.
    ///
    /// # Errors
    /// [`CaseError`] if the case is none that could be read back: a number that is not finite, a name used twice, …;
    /// lines are then those of the text that would have been written.
    pub fn to_text(&self) -> Result<String, CaseError> {
        let text = write::text(self)?;
        // JSON writes what is not a number as `null`: reading it back is what finds that, before a file is overwritten.
        Self::parse(&text, Path::new(""))?;
        Ok(text)
    }

    /// Writes the case file. Mesh paths are written as they are: see [`Case::rebase_files`].
    ///
    /// # Errors
    /// [`CaseError`] where the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CaseError> {
        let path = path.as_ref();
        let text = self.to_text().map_err(|e| e.in_file(path))?;
        std::fs::write(path, text).map_err(|e| CaseError::of_file(path, CaseReason::File(e)))
    }

    /// Makes every file that is named relative to `from` relative to `to`, so that the case can be saved there.
    ///
    /// Both are folders; the paths are compared as they are written, links are not followed. A path from the root comes of it only where a file
    /// is named from the root and `to` is not, or the other way round.
    pub fn rebase_files(&mut self, from: &Path, to: &Path) {
        for body in &mut self.bodies {
            body.shape.for_each_file(&mut |file| *file = write::rebased(file, from, to));
        }
    }
}

impl std::str::FromStr for Case {
    type Err = CaseError;

    fn from_str(text: &str) -> Result<Self, CaseError> {
        Self::parse(text, Path::new(""))
    }
}
