//! A bolt in its nut, true threads: turned it rises, and let go without friction it turns itself down.

use std::f64::consts::TAU;

use ccd_core::dynamics::{BodyKind, LockedAxes};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::case::{Case, CaseBody};
use ccd_core::io::expect::{Axis, Rule};
use ccd_core::math::Real;

use super::parts::{Compose, G, case, dynamic, mesh, only};
use super::{CaseFiles, Scene, SceneError};
use crate::models::{Bolt, Model, Nut};
use crate::options::{check_between, options};

/// Steel, kg/m³.
const DENSITY: Real = 7800.0;
/// The file names.
const BOLT_FILE: &str = "bolt.obj";
const NUT_FILE: &str = "nut.obj";

options! {
    "bolt-in-nut": "a bolt that a turning nut lifts, and one that sinks through its nut by its weight: two cases"
    /// A bolt and a nut with true helical threads, one a mesh in the bore of the other.
    ///
    /// `bolt-lifted`: the nut is turned and the bolt is kept from turning, so that it rises by a pitch a turn.
    /// `bolt-sinking`: nothing is driven and nothing rubs; the weight of the bolt turns it down through the nut, with the
    /// acceleration that its thread lets it have.
    BoltInNut {
        /// How often the nut turns in a second.
        turns: Real = 0.5,
    }
}

impl Scene for BoltInNut {
    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_between::<Self>("turns", self.turns, 0.01, 10.0)?;
        let bolt = Bolt::default().build()?;
        let files = CaseFiles::of("bolt-lifted.json", self.lifted()).and("bolt-sinking.json", sinking(&bolt)?);
        Ok(files.with_model(BOLT_FILE, bolt).with_model(NUT_FILE, Nut::default().build()?))
    }
}

/// How far a bolt in the middle of its nut's thread can move along the axis to either side, metres, at the most.
fn play() -> Real {
    let (bolt, nut) = (Bolt::default(), Nut::default());
    // A flank comes by the thread's depth over three tenths of a pitch.
    nut.clearance * 0.3 * bolt.pitch / bolt.depth
}

/// A nut at the origin and a bolt in it, at a whole number of pitches above.
fn assembled(name: &str, notes: &str, seconds: Real, nut: BodyKind, pitches: Real) -> Case {
    let mut case = case(name, notes, seconds);
    case.world.friction = 0.0;
    case.add(CaseBody::new("nut", nut, mesh(NUT_FILE)));
    let bolt = dynamic("bolt", mesh(BOLT_FILE), [0.0, pitches * Bolt::default().pitch, 0.0]);
    case.add(CaseBody { density: Some(DENSITY), ..bolt });
    case
}

/// The bolt has come `expected` metres at `t`, within the play and `rel_tol` of the way.
fn comes(t: Real, expected: Real, rel_tol: Real) -> Rule {
    Rule::DisplacementAlong { bodies: only("bolt"), axis: Axis::Index(1), t, expected, rel_tol, abs_tol: play() + 1e-4 }
}

impl BoltInNut {
    fn lifted(&self) -> Case {
        const TURNS: Real = 2.0;
        let seconds = TURNS / self.turns;
        let notes = "the nut turns, the bolt may not: it rises by a pitch a turn";
        let mut case = assembled("bolt lifted by its nut", notes, seconds, BodyKind::Kinematic, -1.0);
        // Right-handed: a nut that turns the other way about y pushes the bolt up.
        case.bodies[0].angular_velocity = [0.0, -TAU * self.turns, 0.0];
        case.bodies[1].locked_dof = LockedAxes { translation: [false; 3], rotation: [false, true, false] };
        case.world.friction = 0.1;
        let dt = case.world.dt;
        for share in [0.25, 0.5, 1.0] {
            // At the end of a step, where it can be seen.
            let t = (share * seconds / dt).round() * dt;
            case.must(comes(t, t * self.turns * Bolt::default().pitch, 0.0));
        }
        case
    }
}

/// The bolt turns itself down: per radian its middle falls by pitch / 2π, so that turning takes its share of the weight's work.
fn sinking(bolt: &TriMesh) -> Result<Case, SceneError> {
    const SECONDS: Real = 1.2;
    let mass = MassProperties::of_closed_surface(bolt.vertices(), bolt.triangles(), DENSITY)?;
    let turning = (TAU / Bolt::default().pitch).powi(2) * mass.inertia[(1, 1)] / mass.mass;
    let acceleration = G / (1.0 + turning);
    let notes = "without friction the weight turns the bolt down through the fixed nut";
    let mut case = assembled("bolt sinking through its nut", notes, SECONDS, BodyKind::Static, 1.0);
    let way = 0.5 * acceleration * SECONDS * SECONDS;
    // Threads of flat faces lose something at every edge, so that this is the most; but turn down it must.
    const LEAST: Real = 0.3;
    case.must(comes(SECONDS, -0.5 * (1.0 + LEAST) * way, (1.0 - LEAST) / (1.0 + LEAST)));
    case.should(comes(SECONDS, -way, 0.1));
    case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
    Ok(case)
}
