//! What a step tells about itself.

use std::time::Duration;

use crate::geometry::feature::FeaturePair;
use crate::id::{BodyId, PairKey};
use crate::math::{Point, Real, Shortest, Vector};
use crate::stats::QueryStats;

/// Wall time of a step's phases: of all but what begins and ends it, the checks of places that were chosen, the prediction of motions,
/// and the contacts at the new places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseTimes {
    /// Swept volumes and candidate pairs.
    pub broad: Duration,
    /// Contacts, and landings expected within the step.
    pub narrow: Duration,
    /// Impacts and contact solves.
    pub response: Duration,
    /// Detection on the resolved motion.
    pub check: Duration,
}

/// Counters of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Bodies in the world.
    pub bodies: u64,
    /// Bodies asleep when the step ended.
    pub asleep: u64,
    /// Pairs whose swept volumes overlap, but for those of two bodies that go on resting.
    pub candidate_pairs: u64,
    /// Pairs with contact points when the step began.
    pub contact_pairs: u64,
    /// Contact points when the step began.
    pub contacts: u64,
    /// Time-of-contact queries.
    pub time_of_contact_queries: u64,
    /// Impacts resolved within the step.
    pub impacts: u64,
    /// Islands solved.
    pub islands: u64,
    /// Sweeps of the contact solver over all islands.
    pub solver_sweeps: u64,
    /// Islands for which the chosen response method found nothing valid, so that the default one solved them.
    pub substituted_solves: u64,
    /// Work inside the queries.
    pub query: QueryStats,
}

/// One impact within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Seconds from the start of the step.
    pub time: Real,
    /// Who met.
    pub pair: PairKey,
    /// By which features.
    pub features: FeaturePair,
    /// Where, world.
    pub point: Point,
    /// Unit, from A to B.
    pub normal: Vector,
    /// The gap when they met, metres.
    pub separation: Real,
    /// The impulse on B, N·s.
    pub impulse: Vector,
}

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlappingPair {
    /// Who.
    pub pair: PairKey,
    /// The least translation that separates them, metres.
    pub depth: Real,
}

/// What happened in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// The step's length, seconds.
    pub dt: Real,
    /// The most time that any body lost because it was held, seconds; geometry is never lost.
    pub time_lost: Real,
    /// The bodies that were held for the rest of the step: their impacts ran out of budget, a search for a time of contact did, they had
    /// too little room to be certified a way, or a kinematic body would have crushed a body.
    pub held: Vec<BodyId>,
    /// Kinematic bodies that stopped for the rest of the step because they would have crushed a body.
    pub crushed: Vec<BodyId>,
    /// Bodies whose velocities had grown beyond what numbers hold, and were stopped.
    pub quarantined: Vec<BodyId>,
    /// Overlaps of more than the tolerance at the start of the step that were separated, with the depth they had.
    pub separated: Vec<OverlappingPair>,
    /// Impacts in time order.
    pub impacts: Vec<Impact>,
    /// Pairs that began to touch.
    pub started: Vec<PairKey>,
    /// Pairs that ceased to touch.
    pub ended: Vec<PairKey>,
    /// The smallest separation among the contacts, metres; `None` without contacts.
    pub min_separation: Option<Real>,
    /// Wall time.
    pub phases: PhaseTimes,
    /// Counters.
    pub counters: Counters,
}

/// A step that is refused for overlaps names so many pairs at most, and looks for no more: a thousand bodies in one place make half a million.
pub const MOST_OVERLAPS_TOLD: usize = 4096;

/// How many they are.
fn such_pairs(all: &[OverlappingPair]) -> String {
    let least = if all.len() < MOST_OVERLAPS_TOLD { "" } else { "at least " };
    format!("{least}{} such pairs", all.len())
}

/// Why a step was not made. Every body is where it was before; only where a time of contact has no answer
/// ([`StepError::Detection`]) what lay in overlap is separated already. Who was to be separated is awake.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The step's length is not a positive number.
    #[error("the step of {} s is not a positive number", Shortest(*dt))]
    BadStep {
        /// As given, seconds.
        dt: Real,
    },
    /// A body was given numbers that cannot be.
    #[error("{body}: {error}")]
    Body {
        /// Whose.
        body: BodyId,
        /// Which number, and why.
        error: crate::dynamics::BodyError,
    },
    /// Bodies overlap, and the settings say to refuse that.
    #[error("{} and {} overlap by {} m at the start of the step ({})", first.pair.a, first.pair.b, first.depth, such_pairs(all))]
    InitialOverlap {
        /// The deepest of them.
        first: OverlappingPair,
        /// All of them; of more than [`MOST_OVERLAPS_TOLD`] that many.
        all: Vec<OverlappingPair>,
    },
    /// Bodies overlap and could not be moved apart.
    #[error("{} and {} overlap by {} m and could not be separated", pair.pair.a, pair.pair.b, Shortest(pair.depth))]
    Inseparable {
        /// What is left.
        pair: OverlappingPair,
    },
    /// The stages of a step were called out of order. The step in progress is given up; the world is as it was when it began, but for
    /// what the caller has changed since and for overlaps that were separated.
    #[error("{called} was called before {missing}")]
    OutOfOrder {
        /// The stage that was called.
        called: &'static str,
        /// The stage that has to come first.
        missing: &'static str,
    },
    /// Detection refused a pair.
    #[error("between {} and {}: {error}", pair.a, pair.b)]
    Detection {
        /// Who.
        pair: PairKey,
        /// Why.
        error: crate::detection::toc::TocError,
    },
}

impl StepError {
    /// The same in words, with the names that bodies have where their numbers say nothing.
    pub fn with_names(&self, name: impl Fn(BodyId) -> String) -> String {
        let both = |pair: &PairKey| format!("{} and {}", name(pair.a), name(pair.b));
        match self {
            Self::Body { body, error } => format!("{}: {error}", name(*body)),
            Self::InitialOverlap { first, all } => format!(
                "{} overlap by {:.3e} m at the start of the step ({})",
                both(&first.pair),
                first.depth,
                such_pairs(all)
            ),
            Self::Inseparable { pair } => {
                format!("{} overlap by {:.3e} m and could not be separated", both(&pair.pair), pair.depth)
            }
            Self::Detection { pair, error } => format!("between {}: {error}", both(pair)),
            Self::BadStep { .. } | Self::OutOfOrder { .. } => self.to_string(),
        }
    }
}
