//! The kinds of expectation with their parameters, as a case file states them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::math::{Point, Real, Vector};

/// One thing that must hold while a case runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expectation {
    /// What must hold.
    #[serde(flatten)]
    pub rule: Rule,
    /// How bad it is if it does not.
    pub severity: Severity,
    /// Keys that the kind does not use: kept, and otherwise ignored.
    #[serde(flatten)]
    pub other: BTreeMap<String, serde_json::Value>,
}

/// How bad it is if an expectation does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The run failed.
    #[default]
    Must,
    /// Worth a look.
    Should,
}

impl Severity {
    pub(super) const NAMES: &'static [(&'static str, Self)] = &[("must", Self::Must), ("should", Self::Should)];
}

/// What is measured of a body that must lie on one side of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Its outermost point.
    Vertices,
    /// Its centre of mass.
    Com,
}

impl Measure {
    pub(super) const NAMES: &'static [(&'static str, Self)] = &[("vertices", Self::Vertices), ("com", Self::Com)];
}

/// Between what distances two bodies stay, metres.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DistanceBounds {
    /// One body.
    pub a: String,
    /// The other.
    pub b: String,
    /// The least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Real>,
    /// The most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Real>,
}

/// A direction to measure along.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Axis {
    /// x, y or z of the world: 0, 1, 2.
    Index(u8),
    /// Any direction, used as it is.
    Direction([Real; 3]),
}

impl Axis {
    /// The direction.
    pub fn direction(&self) -> Vector {
        match self {
            Self::Index(i) => Vector::ith(usize::from(*i).min(2), 1.0),
            Self::Direction(d) => Vector::from(*d),
        }
    }
}

/// A box in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Region {
    /// The smallest coordinates, metres.
    pub min: [Real; 3],
    /// The largest coordinates, metres.
    pub max: [Real; 3],
}

impl Region {
    /// Whether the place is in the box, its faces included.
    pub fn contains(&self, place: &Point) -> bool {
        (0..3).all(|i| (self.min[i]..=self.max[i]).contains(&place[i]))
    }
}

/// The kinds of expectation. Times are in seconds from the start, lengths in metres, angles in radians; `bodies` are
/// names, and each of them must pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Rule {
    /// All poses and velocities are finite numbers.
    AllFinite {},
    /// No pair's surfaces cross deeper than `tol` in any frame.
    NeverInterpenetrates {
        /// Metres; zero: not at all.
        tol: Real,
    },
    /// Kinetic and gravitational energy together never rise.
    EnergyNonincreasing {
        /// The allowed rise, relative to the energy at play.
        rel_tol: Real,
    },
    /// Kinetic and gravitational energy together stay as they are.
    EnergyConserved {
        /// The allowed change, relative to the initial value, or to the initial kinetic energy if that is larger.
        rel_tol: Real,
    },
    /// The angular momentum of all dynamic bodies stays as it is.
    AngularMomentumConserved {
        /// The allowed change, relative to the initial value.
        rel_tol: Real,
    },
    /// The centre of mass is at a place at a time.
    ComPosition {
        /// Whose.
        bodies: Vec<String>,
        /// When.
        t: Real,
        /// Where; `None` is free.
        expected: [Option<Real>; 3],
        /// How far off, per component; `None` is free.
        tol: [Option<Real>; 3],
    },
    /// The centre of mass stays near its start.
    ComDrift {
        /// Whose.
        bodies: Vec<String>,
        /// From when on.
        after: Real,
        /// How near.
        max: Real,
    },
    /// The body neither moves nor turns.
    StandsStill {
        /// Who.
        bodies: Vec<String>,
        /// From when on, relative to the state then.
        after: Real,
        /// How far the centre of mass may be from where it was.
        max_drift: Real,
        /// How far it may have turned.
        max_rotation: Real,
    },
    /// The angle between the rotation at a time and the one at the start.
    RotationFromStart {
        /// Whose.
        bodies: Vec<String>,
        /// When.
        t: Real,
        /// The largest allowed.
        max: Real,
    },
    /// The centre of mass stays between two planes.
    PositionBound {
        /// Whose.
        bodies: Vec<String>,
        /// Along what.
        axis: Axis,
        /// The lower bound.
        #[serde(skip_serializing_if = "Option::is_none")]
        min: Option<Real>,
        /// The upper bound.
        #[serde(skip_serializing_if = "Option::is_none")]
        max: Option<Real>,
    },
    /// How far the centre of mass has come.
    DisplacementAlong {
        /// Whose.
        bodies: Vec<String>,
        /// Along what.
        axis: Axis,
        /// When.
        t: Real,
        /// How far.
        expected: Real,
        /// How far off, relative to `expected`.
        rel_tol: Real,
        /// How far off; the larger of the two counts.
        abs_tol: Real,
    },
    /// The velocity of the centre of mass during a time.
    LinearVelocity {
        /// Whose.
        bodies: Vec<String>,
        /// From when.
        t_from: Real,
        /// Till when.
        #[serde(skip_serializing_if = "Option::is_none")]
        t_to: Option<Real>,
        /// m/s; `None` is free.
        expected: [Option<Real>; 3],
        /// m/s; `None` is free.
        tol: [Option<Real>; 3],
    },
    /// The body stays on one side of a plane.
    SideOfPlane {
        /// Who.
        bodies: Vec<String>,
        /// A point of the plane.
        point: [Real; 3],
        /// The plane's normal, used as it is.
        normal: [Real; 3],
        /// What is measured.
        measure: Measure,
        /// The least allowed of (p − point) · normal.
        min: Real,
        /// Measured only while the centre of mass is in here.
        #[serde(skip_serializing_if = "Option::is_none")]
        within: Option<Region>,
        /// Measured only during this time.
        #[serde(skip_serializing_if = "Option::is_none")]
        within_t: Option<[Real; 2]>,
    },
    /// The centre of mass stays between two others.
    Between {
        /// Whose.
        bodies: Vec<String>,
        /// The one below.
        a: String,
        /// The one above.
        b: String,
        /// Along what.
        axis: Axis,
    },
    /// The distance of two centres of mass, in every frame.
    DistanceBounded(DistanceBounds),
    /// The distance of two shapes' origins, in every frame.
    OriginDistanceBounded(DistanceBounds),
    /// How often a body's axis turns over.
    Flips {
        /// Whose.
        bodies: Vec<String>,
        /// In the body's frame.
        body_axis: Axis,
        /// In the world.
        world_axis: Axis,
        /// The fewest allowed.
        #[serde(skip_serializing_if = "Option::is_none")]
        min: Option<u64>,
        /// The most allowed.
        #[serde(skip_serializing_if = "Option::is_none")]
        max: Option<u64>,
    },
    /// Two bodies touch.
    Contact {
        /// One body.
        a: String,
        /// The other.
        b: String,
        /// Before when; at any time where it is not said.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<Real>,
    },
    /// Two bodies never touch.
    NoContact {
        /// One body.
        a: String,
        /// The other.
        b: String,
    },
    /// A kind that this program does not know: neither passed nor failed.
    #[serde(untagged)]
    Unknown {
        /// As the file names it.
        kind: String,
    },
}

impl Rule {
    /// The name of the kind in the format.
    pub fn kind(&self) -> &str {
        match self {
            Self::AllFinite {} => "all_finite",
            Self::NeverInterpenetrates { .. } => "never_interpenetrates",
            Self::EnergyNonincreasing { .. } => "energy_nonincreasing",
            Self::EnergyConserved { .. } => "energy_conserved",
            Self::AngularMomentumConserved { .. } => "angular_momentum_conserved",
            Self::ComPosition { .. } => "com_position",
            Self::ComDrift { .. } => "com_drift",
            Self::StandsStill { .. } => "stands_still",
            Self::RotationFromStart { .. } => "rotation_from_start",
            Self::PositionBound { .. } => "position_bound",
            Self::DisplacementAlong { .. } => "displacement_along",
            Self::LinearVelocity { .. } => "linear_velocity",
            Self::SideOfPlane { .. } => "side_of_plane",
            Self::Between { .. } => "between",
            Self::DistanceBounded { .. } => "distance_bounded",
            Self::OriginDistanceBounded { .. } => "origin_distance_bounded",
            Self::Flips { .. } => "flips",
            Self::Contact { .. } => "contact",
            Self::NoContact { .. } => "no_contact",
            Self::Unknown { kind } => kind,
        }
    }
}

impl Expectation {
    /// An expectation that must hold.
    pub fn must(rule: Rule) -> Self {
        Self { rule, severity: Severity::Must, other: BTreeMap::new() }
    }

    /// An expectation that should hold.
    pub fn should(rule: Rule) -> Self {
        Self { severity: Severity::Should, ..Self::must(rule) }
    }
}
