//! The checks that look at bodies one frame after the other.

mod finite;
mod flips;
mod nearest;
mod place;
mod plane;
mod relation;
mod worst;

use super::energy::EnergyRule;
use super::outcome::Outcome;
use super::rule::{DistanceBounds, Rule};
use super::subject::Subject;
use super::{End, Seen};
use finite::Finite;
use flips::Flips;
pub use nearest::is_during;
use place::{Drift, PlaceAt, PositionBound, StandsStill, Velocity};
use plane::SideOfPlane;
use relation::{Between, Contact, Distance};

/// A rule at work: the bodies found, and what was seen so far.
#[derive(Debug)]
pub(super) enum Check {
    /// Judged from the log of all frames.
    Energy(EnergyRule),
    /// Judged from the watch over all pairs.
    Overlap {
        tol: f64,
    },
    Finite(Finite),
    PlaceAt(PlaceAt),
    Drift(Drift),
    StandsStill(StandsStill),
    PositionBound(PositionBound),
    Velocity(Velocity),
    SideOfPlane(SideOfPlane),
    Between(Between),
    Distance(Distance),
    Flips(Flips),
    Contact(Contact),
    /// Never judged, for that reason.
    Open(String),
}

impl Check {
    /// The check of `rule`; `place` finds a body by its name.
    pub(super) fn new(rule: &Rule, subjects: &[Subject], place: &dyn Fn(&str) -> Option<usize>) -> Self {
        Self::try_new(rule, subjects, place)
            .unwrap_or_else(|missing| Self::Open(format!("no body is named \"{missing}\"")))
    }

    fn try_new(rule: &Rule, subjects: &[Subject], place: &dyn Fn(&str) -> Option<usize>) -> Result<Self, String> {
        let one = |name: &String| place(name).ok_or_else(|| name.clone());
        let all = |names: &[String]| names.iter().map(one).collect::<Result<Vec<_>, _>>();
        Ok(match rule {
            Rule::AllFinite {} => Self::Finite(Finite::default()),
            Rule::NeverInterpenetrates { tol } => Self::Overlap { tol: *tol },
            Rule::EnergyNonincreasing { .. } | Rule::EnergyConserved { .. } | Rule::AngularMomentumConserved { .. } => {
                EnergyRule::of(rule).map_or_else(|| Self::Open("not an energy".to_owned()), Self::Energy)
            }
            Rule::ComPosition { bodies, t, expected, tol } => {
                Self::PlaceAt(PlaceAt::position(all(bodies)?, *t, *expected, *tol))
            }
            Rule::RotationFromStart { bodies, t, max } => Self::PlaceAt(PlaceAt::rotation(all(bodies)?, *t, *max)),
            Rule::DisplacementAlong { bodies, axis, t, expected, rel_tol, abs_tol } => {
                let tol = (rel_tol * expected.abs()).max(*abs_tol);
                Self::PlaceAt(PlaceAt::displacement(all(bodies)?, *t, axis.direction(), *expected, tol))
            }
            Rule::ComDrift { bodies, after, max } => Self::Drift(Drift::new(all(bodies)?, *after, *max)),
            Rule::StandsStill { bodies, after, max_drift, max_rotation } => {
                Self::StandsStill(StandsStill::new(all(bodies)?, *after, *max_drift, *max_rotation))
            }
            Rule::PositionBound { bodies, axis, min, max } => {
                Self::PositionBound(PositionBound::new(all(bodies)?, axis.direction(), *min, *max))
            }
            Rule::LinearVelocity { bodies, t_from, t_to, expected, tol } => {
                Self::Velocity(Velocity::new(all(bodies)?, *t_from, *t_to, *expected, *tol))
            }
            Rule::SideOfPlane { bodies, .. } => Self::SideOfPlane(SideOfPlane::new(all(bodies)?, rule, subjects)),
            Rule::Between { bodies, a, b, axis } => {
                Self::Between(Between::new(all(bodies)?, one(a)?, one(b)?, axis.direction()))
            }
            Rule::DistanceBounded(DistanceBounds { a, b, min, max }) => {
                Self::Distance(Distance::of_centres(one(a)?, one(b)?, *min, *max))
            }
            Rule::OriginDistanceBounded(DistanceBounds { a, b, min, max }) => {
                Self::Distance(Distance::of_origins(one(a)?, one(b)?, *min, *max))
            }
            Rule::Flips { bodies, body_axis, world_axis, min, max } => {
                Self::Flips(Flips::new(all(bodies)?, body_axis.direction(), world_axis.direction(), *min, *max))
            }
            Rule::Contact { a, b, by } => Self::Contact(Contact::expected(one(a)?, one(b)?, *by)),
            Rule::NoContact { a, b } => Self::Contact(Contact::forbidden(one(a)?, one(b)?)),
            Rule::Unknown { kind } => Self::Open(format!("the kind \"{kind}\" is not known to this program")),
        })
    }

    /// Looks at the next frame.
    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        match self {
            Self::Energy(_) | Self::Overlap { .. } | Self::Open(_) => {}
            Self::Finite(check) => check.observe(seen),
            Self::PlaceAt(check) => check.observe(seen),
            Self::Drift(check) => check.observe(seen),
            Self::StandsStill(check) => check.observe(seen),
            Self::PositionBound(check) => check.observe(seen),
            Self::Velocity(check) => check.observe(seen),
            Self::SideOfPlane(check) => check.observe(seen),
            Self::Between(check) => check.observe(seen),
            Self::Distance(check) => check.observe(seen),
            Self::Flips(check) => check.observe(seen),
            Self::Contact(check) => check.observe(seen),
        }
    }

    /// Hears that a body was stopped for what is not finite.
    pub(super) fn note_stopped(&mut self, body: usize, t: f64) {
        if let Self::Finite(check) = self {
            check.stop(body, t);
        }
    }

    /// The judgement at the end.
    pub(super) fn judge(&self, subjects: &[Subject], end: End) -> Outcome {
        match self {
            Self::Energy(_) | Self::Overlap { .. } => Outcome::open("judged elsewhere"),
            Self::Open(why) => Outcome::open(why.clone()),
            Self::Finite(check) => check.judge(subjects),
            Self::PlaceAt(check) => check.judge(subjects, end),
            Self::Drift(check) => check.judge(subjects, end),
            Self::StandsStill(check) => check.judge(subjects, end),
            Self::PositionBound(check) => check.judge(subjects),
            Self::Velocity(check) => check.judge(subjects, end),
            Self::SideOfPlane(check) => check.judge(subjects, end),
            Self::Between(check) => check.judge(subjects),
            Self::Distance(check) => check.judge(subjects),
            Self::Flips(check) => check.judge(subjects),
            Self::Contact(check) => check.judge(subjects, end),
        }
    }
}

/// The name of the body at a place, for messages.
fn name(subjects: &[Subject], place: usize) -> &str {
    subjects.get(place).map_or("?", |s| s.name.as_str())
}
