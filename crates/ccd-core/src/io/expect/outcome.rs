//! Whether an expectation held.

use serde::{Serialize, Serializer};

use super::rule::Severity;
use crate::math::{Real, Vector};

/// The judgement on one expectation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The kind of expectation, as the case file names it.
    pub kind: String,
    /// Whether it held; `None` where that cannot be said.
    pub ok: Option<bool>,
    /// What was measured.
    pub value: Measured,
    /// How the value compares, in words.
    pub why: String,
    /// How bad it is if it did not hold.
    pub severity: Severity,
}

impl Verdict {
    /// Whether the run failed by this: something that must hold and did not.
    pub fn is_failure(&self) -> bool {
        self.ok == Some(false) && self.severity == Severity::Must
    }
}

/// A measured value. In JSON what is not a finite number is `null`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// Nothing was measured.
    Nothing,
    /// One number.
    Number(Real),
    /// Three components.
    Components([Real; 3]),
    /// How often something happened.
    Count(u64),
}

impl From<Vector> for Measured {
    fn from(v: Vector) -> Self {
        Self::Components([v.x, v.y, v.z])
    }
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => serializer.serialize_none(),
            Self::Number(x) => serializer.serialize_f64(*x),
            Self::Components(v) => v.serialize(serializer),
            Self::Count(n) => serializer.serialize_u64(*n),
        }
    }
}

/// What a check answers at the end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) ok: Option<bool>,
    pub(super) value: Measured,
    pub(super) why: String,
}

impl Outcome {
    /// It held, or not.
    pub(super) fn judged(ok: bool, value: Measured, why: impl Into<String>) -> Self {
        Self { ok: Some(ok), value, why: why.into() }
    }

    /// It cannot be said.
    pub(super) fn open(why: impl Into<String>) -> Self {
        Self { ok: None, value: Measured::Nothing, why: why.into() }
    }
}
