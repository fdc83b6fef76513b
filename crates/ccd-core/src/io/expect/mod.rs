//! What must hold while a case runs, and whether it did.
//!
//! [`Evaluation`] is shown the state at t = 0 and after every step, and judges at the end. It trusts nothing that the
//! solver says of itself: centres of mass, energies, momenta and overlaps are computed anew from the poses.

mod checks;
mod energy;
mod outcome;
mod overlap;
mod rule;
mod rule_reader;
mod subject;

use checks::Check;
pub use checks::is_during;
use energy::EnergyLog;
pub use outcome::{Measured, Verdict};
pub use overlap::{Deepest, OverlapWatch};
pub use rule::{Axis, DistanceBounds, Expectation, Measure, Region, Rule, Severity};
pub use subject::{BodyState, Frame, Subject, Touch};

use crate::math::{Point, Real, Vector};

/// The judge of one run.
#[derive(Debug)]
pub struct Evaluation {
    subjects: Vec<Subject>,
    checks: Vec<(String, Severity, Check)>,
    energy: EnergyLog,
    overlaps: OverlapWatch,
    /// The times of the first and last frames, and their number.
    span: Option<(Real, Real, u64)>,
}

/// A frame with what every check needs of it.
pub(crate) struct Seen<'a> {
    pub(crate) subjects: &'a [Subject],
    pub(crate) frame: &'a Frame<'a>,
    /// Centres of mass, world.
    pub(crate) coms: &'a [Point],
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// The time of the last frame, seconds.
    pub(crate) t: Real,
    /// The mean time between frames, seconds.
    pub(crate) dt: Real,
}

impl Evaluation {
    /// A judge of `expectations` about `subjects`, under `gravity` (m/s²).
    ///
    /// An expectation that names a body that is not among the subjects is left open, and says so.
    pub fn new(expectations: &[Expectation], subjects: Vec<Subject>, gravity: Vector) -> Self {
        let place = |name: &str| subjects.iter().position(|s| s.name == name);
        let checks = expectations
            .iter()
            .map(|e| (e.rule.kind().to_owned(), e.severity, Check::new(&e.rule, &subjects, &place)))
            .collect();
        let energy = EnergyLog::new(gravity);
        let overlaps = OverlapWatch::default();
        Self { subjects, checks, energy, overlaps, span: None }
    }

    /// Looks at the next frame: the first is that at t = 0. Frames must have one state for each subject; others are
    /// ignored.
    pub fn observe(&mut self, frame: &Frame<'_>) {
        if frame.bodies.len() != self.subjects.len() {
            return;
        }
        let coms: Vec<Point> =
            self.subjects.iter().zip(frame.bodies).map(|(s, state)| state.pose * s.local_com).collect();
        let (start, _, count) = self.span.unwrap_or((frame.t, frame.t, 0));
        self.span = Some((start, frame.t, count + 1));
        self.energy.observe(&self.subjects, frame, &coms);
        self.overlaps.observe(&self.subjects, frame);
        let seen = Seen { subjects: &self.subjects, frame, coms: &coms };
        for (_, _, check) in &mut self.checks {
            check.observe(&seen);
        }
    }

    /// Notes that a body, by its place among the subjects, was stopped at the time `t` (seconds) because its numbers left the range of
    /// finite ones: the frames, which have it where it was before, do not show that.
    pub fn note_stopped(&mut self, body: usize, t: Real) {
        if body < self.subjects.len() {
            for (_, _, check) in &mut self.checks {
                check.note_stopped(body, t);
            }
        }
    }

    /// The deepest overlap of any frame so far.
    pub fn deepest_overlap(&self) -> Option<Deepest> {
        self.overlaps.deepest()
    }

    /// Kinetic and gravitational energy together in every frame, joules; the potential is zero at the world's origin.
    pub fn energies(&self) -> Vec<Real> {
        self.energy.totals()
    }

    /// The judgements, in the order of the expectations.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let end = match self.span {
            Some((start, t, count)) => End { t, dt: if count > 1 { (t - start) / (count - 1) as Real } else { 0.0 } },
            None => End { t: Real::NEG_INFINITY, dt: 0.0 },
        };
        self.checks
            .iter()
            .map(|(kind, severity, check)| {
                let outcome = match check {
                    _ if self.span.is_none() => outcome::Outcome::open("no frame was seen"),
                    Check::Energy(rule) => self.energy.judge(rule),
                    Check::Overlap { tol } => self.overlaps.judge(*tol, &self.subjects),
                    other => other.judge(&self.subjects, end),
                };
                let outcome::Outcome { ok, value, why } = outcome;
                Verdict { kind: kind.clone(), ok, value, why, severity: *severity }
            })
            .collect()
    }
}
