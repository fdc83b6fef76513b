//! What can be set for a whole world.

use crate::contact::{ContactSearch, ReductionMethod};
use crate::detection::toc::Method;
use crate::dynamics::Integrator;
use crate::math::{MAX_COORDINATE, Real, Vector, is_finite};
use crate::tolerance::{DEFAULT_CONTACT_THRESHOLD, DEFAULT_TOLERANCE};

/// What to do with bodies that overlap when a step begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InitialOverlap {
    /// Refuse to step if any overlap by more than the tolerance, and name the pairs with their depths. Those that overlap by less, as what
    /// was put to touch does by rounding, are moved apart as far as that takes.
    #[default]
    Error,
    /// Move them apart without giving them velocity, and say so in the report.
    Separate,
}

/// How contacts are resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ResponseMethod {
    /// Warm-started sequential impulses, swept there and back with momentum; where they end far from a solution shock propagation finishes
    /// from the ground up.
    #[default]
    Shock,
    /// The papers' pairwise impulses alone: contact as a train of small collisions.
    Pairwise,
    /// Damped springs over the last ε of a gap, integrated in small steps.
    Penalty,
    /// A linear complementarity problem with a friction pyramid, pivoting in small islands, sweeps in large ones.
    Lcp,
    /// The impulses of least norm, by singular value decomposition; where its states cycle (erratum E19) or an island is too
    /// large, the default method does its work and the report counts it.
    Svd,
}

/// Features become contacts within this share of what gravity makes of a step, g·Δt²: on earth that is more than the default threshold from
/// 58 Hz on downwards.
const FALLEN: Real = 0.35;
/// But within so many times the threshold at most.
const WIDEST: Real = 5.0;

/// How candidate pairs are found where more than a handful of bodies move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BroadPhaseMethod {
    /// A tree of boxes, built anew in every step; up to twelve boxes are compared one by one, some more swept along an axis.
    #[default]
    Tree,
    /// A grid of cells: for many bodies of like size.
    Grid,
    /// Every pair: the oracle, for a handful of bodies.
    Brute,
}

/// The settings of a world; all may be changed between steps.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSettings {
    /// m/s².
    pub gravity: Vector,
    /// ε: the distance at which bodies count as touching, metres.
    pub tolerance: Real,
    /// The distance within which features become contacts, metres. Where gravity moves things further within a step, it is 0.35·g·Δt²
    /// instead, up to five times this: with the default, and on earth, in steps of more than 17 ms.
    pub contact_threshold: Real,
    /// How times of contact are found. Nothing is missed, and nothing overlaps after a step, with every method whose
    /// [`Method::promise`] is whole; what another one misses the world does not see.
    pub detection: Method,
    /// The method of response.
    pub response: ResponseMethod,
    /// How forces change velocities.
    pub integrator: Integrator,
    /// How candidate pairs are found.
    pub broad_phase: BroadPhaseMethod,
    /// How contacts are thinned out.
    pub reduction: ReductionMethod,
    /// What to do with bodies that overlap when a step begins.
    pub initial_overlap: InitialOverlap,
    /// How many impacts one body may have in one step before it is held for the rest of it (and the report says so). The default,
    /// 1024, is what rattles at 60 m/s with a millimetre of room needs in a sixtieth of a second.
    pub max_impacts_per_body: u32,
    /// Whether islands that have come to rest are left as they are until something concerns them. Without it only those are that stand to
    /// the bit; what lies on something fixed and has crept at less than ε/5 a second for half a second comes to stand so.
    pub sleeping: bool,
    /// Whether pairs are detected and islands solved on rayon's threads; the answer is the same to the last bit.
    pub parallel: bool,
}

impl Default for WorldSettings {
    fn default() -> Self {
        Self {
            gravity: Vector::new(0.0, -9.81, 0.0),
            tolerance: DEFAULT_TOLERANCE,
            contact_threshold: DEFAULT_CONTACT_THRESHOLD,
            detection: Method::Auto,
            response: ResponseMethod::Shock,
            integrator: Integrator::default(),
            broad_phase: BroadPhaseMethod::default(),
            reduction: ReductionMethod::default(),
            initial_overlap: InitialOverlap::Error,
            max_impacts_per_body: 1024,
            sleeping: true,
            parallel: true,
        }
    }
}

/// A setting that no world can have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// Gravity holds NaN, infinity, or a number beyond [`MAX_COORDINATE`].
    #[error("gravity is not finite or beyond {MAX_COORDINATE:e} m/s²")]
    Gravity,
    /// A distance is not a positive number.
    #[error("{what} is {} m, which is not a positive number", crate::math::Shortest(*value))]
    NotPositive {
        /// Which distance.
        what: &'static str,
        /// As given, metres.
        value: Real,
    },
    /// A distance is beyond [`MAX_COORDINATE`].
    #[error("{what} is {value:e} m, which is beyond {MAX_COORDINATE:e} m")]
    TooLarge {
        /// Which distance.
        what: &'static str,
        /// As given, metres.
        value: Real,
    },
    /// Features would become contacts only after touching.
    #[error(
        "the contact threshold {} m is smaller than the tolerance {} m",
        crate::math::Shortest(*contact_threshold),
        crate::math::Shortest(*tolerance)
    )]
    ThresholdBelowTolerance {
        /// As given, metres.
        contact_threshold: Real,
        /// As given, metres.
        tolerance: Real,
    },
}

impl WorldSettings {
    /// Checks every distance, and gravity.
    ///
    /// # Errors
    /// [`SettingsError`] names the first that is wrong.
    pub fn validate(&self) -> Result<(), SettingsError> {
        if !is_finite(&self.gravity) {
            return Err(SettingsError::Gravity);
        }
        for (what, value) in [("tolerance", self.tolerance), ("contact threshold", self.contact_threshold)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(SettingsError::NotPositive { what, value });
            }
            if value > MAX_COORDINATE {
                return Err(SettingsError::TooLarge { what, value });
            }
        }
        if self.contact_threshold < self.tolerance {
            return Err(SettingsError::ThresholdBelowTolerance {
                contact_threshold: self.contact_threshold,
                tolerance: self.tolerance,
            });
        }
        Ok(())
    }

    /// The settings for a step of `dt` seconds: what gravity moves within a long one is looked for further away. Else a plate that comes down on
    /// a corner would turn about it, its other corners unseen, by more than it has height.
    pub(super) fn over(&self, dt: Real) -> Self {
        let moved = FALLEN * self.gravity.norm() * dt * dt;
        let contact_threshold = moved.clamp(self.contact_threshold, WIDEST * self.contact_threshold);
        Self { contact_threshold, ..self.clone() }
    }

    /// A speed that is small at the scale of what is looked at, m/s: ε a second. Whatever counts as slow is a multiple of it, so that the same
    /// scene runs the same at any size (`tests/world/scale.rs`).
    pub(super) fn slow_speed(&self) -> Real {
        self.tolerance
    }

    /// What contacts are looked for.
    pub(crate) fn contact_search(&self) -> ContactSearch {
        ContactSearch { margin: self.contact_threshold, tolerance: self.tolerance, reduction: self.reduction }
    }

    /// The gap at which resting bodies are kept, metres: well inside the tolerance, so that resting counts as touching, and
    /// far above rounding, so that it is certainly disjoint.
    pub(crate) fn resting_gap(&self) -> Real {
        0.1 * self.tolerance
    }

    /// The gap at which the bodies of a crowd come to touch, metres: inside the tolerance, and far above what solved motions
    /// leave, so that what has touched does not meet again in every step.
    pub(crate) fn landing_gap(&self) -> Real {
        0.5 * self.tolerance
    }
}
