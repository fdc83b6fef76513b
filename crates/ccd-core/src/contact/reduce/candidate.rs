//! A contact point as one that may be kept, seen along the normal of its cluster.

use crate::contact::ContactPoint;
use crate::math::Real;

/// How much better a new choice must be to replace a point that was kept the last time.
pub(super) const LOYALTY: Real = 1.1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// In no cluster yet.
    Waiting,
    /// In the cluster at hand.
    Clustered,
    /// In the cluster at hand, and held by what has been chosen of it.
    Covered,
    /// Kept.
    Chosen,
    /// Not needed.
    Dropped,
}

#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) state: State,
    /// Preferred by this factor, because it was kept the last time.
    pub(super) loyalty: Real,
    pub(super) separation: Real,
    /// Its place seen along the cluster's normal.
    pub(super) x: Real,
    pub(super) y: Real,
}

impl Candidate {
    pub(super) const NONE: Self = Self { state: State::Dropped, loyalty: 1.0, separation: 0.0, x: 0.0, y: 0.0 };

    pub(super) fn new(point: &ContactPoint, loyal: bool) -> Self {
        let loyalty = if loyal { LOYALTY } else { 1.0 };
        Self { state: State::Waiting, loyalty, separation: point.separation, x: 0.0, y: 0.0 }
    }

    pub(super) fn distance_squared(&self, other: &Self) -> Real {
        (self.x - other.x) * (self.x - other.x) + (self.y - other.y) * (self.y - other.y)
    }
}

/// Twice the area of the triangle, positive counter-clockwise.
pub(super) fn cross(p: &Candidate, q: &Candidate, r: &Candidate) -> Real {
    (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)
}
