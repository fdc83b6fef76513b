//! The question and the answers of a time-of-contact query.

use crate::detection::closest::Closest;
use crate::geometry::feature::FeaturePair;
use crate::math::{MAX_COORDINATE, Point, Real, Shortest, Vector};
use crate::motion::RigidMotion;
use crate::stats::QueryStats;
use crate::tolerance::{DEFAULT_BUDGET, DEFAULT_TOLERANCE};

/// A solid with its motion.
#[derive(Debug)]
pub struct Moving<'a, S: ?Sized> {
    /// The solid, in its own frame.
    pub solid: &'a S,
    /// Where its frame goes.
    pub motion: &'a RigidMotion,
}

impl<S: ?Sized> Clone for Moving<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ?Sized> Copy for Moving<'_, S> {}

impl<'a, S: ?Sized> Moving<'a, S> {
    /// `solid` on `motion`.
    pub fn new(solid: &'a S, motion: &'a RigidMotion) -> Self {
        Self { solid, motion }
    }
}

/// How to find the time of contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// The fastest that misses nothing.
    #[default]
    Auto,
    /// Algorithm 2 over the features of both solids: bisection of oriented boxes around trajectories.
    ObbBisection,
    /// Algorithm 3: straight segments. Can miss contacts shallower than a quarter of the tolerance; never the default.
    Segments,
    /// Conservative advancement on separating directions and bounding-volume trees.
    Advancement,
    /// Halving of the interval on interference at its end. A reference that misses what is over by then.
    Halving,
    /// Estimates from what penetrates at the interval's end. A reference that misses what is over by then.
    Estimate,
    /// Algorithm 2 over samples of the smaller solid's surface. A reference that misses what passes between them.
    Samples,
}

/// What a method promises of the time before the one that it reports, or of the whole interval where it reports none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promise {
    /// Free of contact, certainly.
    Whole,
    /// Free of contact but for such that is shallower than a quarter of the tolerance.
    Shallow,
    /// Nothing: the solids were looked at some instants only (what [`Unproven`] says where the method's own module is asked).
    Looks,
    /// Free of contact with samples of the smaller solid's surface, and nothing of what is between them (what [`Sampled`] says
    /// where the method's own module is asked).
    Samples,
}

impl Promise {
    /// What answers of the command call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Shallow => "shallow",
            Self::Looks => "looks",
            Self::Samples => "samples",
        }
    }
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::ObbBisection,
        Self::Segments,
        Self::Advancement,
        Self::Halving,
        Self::Estimate,
        Self::Samples,
    ];

    /// What it promises.
    pub fn promise(self) -> Promise {
        match self {
            Self::Auto | Self::ObbBisection | Self::Advancement => Promise::Whole,
            Self::Segments => Promise::Shallow,
            Self::Halving | Self::Estimate => Promise::Looks,
            Self::Samples => Promise::Samples,
        }
    }

    /// What case files and commands call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::ObbBisection => "obb-bisection",
            Self::Segments => "segments",
            Self::Advancement => "advancement",
            Self::Halving => "halving",
            Self::Estimate => "estimate",
            Self::Samples => "samples",
        }
    }

    /// Whether contacts can be missed, or be reported late.
    pub fn may_miss(self) -> bool {
        self.promise() != Promise::Whole
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// An answer without a proof: made of looks at some instants, between which there may have been contact. It has the form of
/// one with a proof where the method is asked for by name ([`super::time_of_contact`]); then [`Method::promise`] tells.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Unproven(pub Toc);

/// An answer about samples of the smaller solid's surface: what passes between them may have been missed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Sampled {
    /// Of the samples.
    pub toc: Toc,
    /// No place of the sampled surface is further from a sample than this, metres.
    pub spacing: Real,
}

/// What counts as contact, and how much work may be spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TocOptions {
    /// The distance at which the solids count as touching, metres, positive.
    pub tolerance: Real,
    /// The most work, in the units of [`QueryStats::total`].
    pub budget: u64,
    /// How to search.
    pub method: Method,
    /// The caller vouches that at the interval's start neither solid is inside the other, so that nobody needs to look.
    /// Where that is not so, the surfaces' next contact is reported in place of the overlap.
    pub starts_apart: bool,
    /// For solids that start nearer than they should come again, metres: once they have been twice as far apart as this, a way
    /// that can tells of them at this distance, and no longer at `tolerance`. What is not above `tolerance` has no effect.
    pub once_opened: Real,
}

impl Default for TocOptions {
    fn default() -> Self {
        Self {
            tolerance: DEFAULT_TOLERANCE,
            budget: DEFAULT_BUDGET,
            method: Method::Auto,
            starts_apart: false,
            once_opened: 0.0,
        }
    }
}

/// The first contact of two moving solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// Seconds on the motions' clock; never later than the true first contact, as far as the method promises.
    pub time: Real,
    /// The point of A's surface at that time, world.
    pub point_a: Point,
    /// The point of B's surface at that time, world.
    pub point_b: Point,
    /// Unit, world, from A to B.
    pub normal: Vector,
    /// The distance at that time, metres, at most the tolerance; zero or below where they already overlap. Of queries that end at the last certified instant
    /// when their budget runs out ([`crate::world::World::cast_shape`]), it may be more.
    pub separation: Real,
    /// The features that meet.
    pub features: FeaturePair,
}

impl FirstContact {
    /// The contact at `time` between the places that are nearest then.
    pub(crate) fn of_nearest(time: Real, nearest: &Closest) -> Self {
        let &Closest { distance: separation, point_a, point_b, normal, features, .. } = nearest;
        Self { time, point_a, point_b, normal, separation, features }
    }
}

/// The answer of a time-of-contact query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Toc {
    /// Further apart than zero over the whole interval: certified, by a method that promises so ([`Method::promise`]).
    Separated,
    /// They come within the tolerance; certified apart until then, as far as the method promises.
    Contact(FirstContact),
    /// They are within the tolerance, or overlap, at the interval's start.
    Overlapping(FirstContact),
    /// The budget ran out, or the tolerance is too small for the rounding of the coordinates, or for that of the clock times the speed;
    /// certified apart until `safe_until`.
    Undecided {
        /// Seconds on the motions' clock.
        safe_until: Real,
    },
}

impl Toc {
    /// The contact, however early.
    pub fn contact(&self) -> Option<&FirstContact> {
        match self {
            Self::Contact(c) | Self::Overlapping(c) => Some(c),
            Self::Separated | Self::Undecided { .. } => None,
        }
    }

    /// The time up to which the solids are certified apart; `None` when that is the whole interval.
    #[doc(alias = "time_of_impact")]
    #[doc(alias = "toi")]
    pub fn safe_until(&self) -> Option<Real> {
        match self {
            Self::Separated => None,
            Self::Contact(c) | Self::Overlapping(c) => Some(c.time),
            Self::Undecided { safe_until } => Some(*safe_until),
        }
    }

    /// The answer with the sides exchanged.
    pub fn swapped(self) -> Self {
        match self {
            Self::Contact(c) => Self::Contact(c.swapped()),
            Self::Overlapping(c) => Self::Overlapping(c.swapped()),
            other => other,
        }
    }
}

impl FirstContact {
    /// The same contact with the sides exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            features: FeaturePair { a: self.features.b, b: self.features.a },
            ..self
        }
    }
}

/// Why a time-of-contact query has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TocError {
    /// A motion holds a number that is not finite, or begins with a rotation that is no unit quaternion.
    #[error(
        "the motion of side {side} is not finite, leads beyond {MAX_COORDINATE:e} m, or begins with no unit quaternion"
    )]
    NonFiniteMotion {
        /// `a` or `b`.
        side: char,
    },
    /// The tolerance is zero, negative or not finite.
    #[error("the tolerance {} m is not a positive number", Shortest(*tolerance))]
    BadTolerance {
        /// As given, metres.
        tolerance: Real,
    },
    /// The method does not know this pair of solids.
    #[error("the method {method} does not take {kind_a} against {kind_b}")]
    Unsupported {
        /// The method asked for.
        method: Method,
        /// Side A.
        kind_a: &'static str,
        /// Side B.
        kind_b: &'static str,
    },
}

/// An answer with the work it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answered<T> {
    /// The answer.
    pub answer: T,
    /// The work.
    pub stats: QueryStats,
}
