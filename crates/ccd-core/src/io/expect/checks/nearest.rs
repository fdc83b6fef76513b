//! The frame nearest to a time, and those during a time.

use crate::io::expect::End;
use crate::math::Real;

/// What was seen in the frame nearest to a time.
#[derive(Clone, Debug)]
pub(super) struct Nearest<T> {
    t: Real,
    found: Option<(Real, T)>,
}

impl<T> Nearest<T> {
    pub(super) fn to(t: Real) -> Self {
        Self { t, found: None }
    }

    /// Keeps what `look` sees if no frame was nearer so far; of two equally near ones the first.
    pub(super) fn observe(&mut self, t: Real, look: impl FnOnce() -> T) {
        if self.found.as_ref().is_none_or(|(best, _)| (t - self.t).abs() < (best - self.t).abs()) {
            self.found = Some((t, look()));
        }
    }

    /// The time of the frame and what was seen, unless the run ended before it could come near.
    pub(super) fn get(&self, end: End) -> Result<(Real, &T), String> {
        match &self.found {
            Some((t, seen)) if (t - self.t).abs() <= reach(self.t, end) => Ok((*t, seen)),
            _ => Err(format!("the run ended at t = {} s, before t = {} s", end.t, self.t)),
        }
    }
}

/// How near to the time `t` a frame has to be to stand for it, seconds.
fn reach(t: Real, end: End) -> Real {
    // Half a step is as near as frames come; the rest is rounding of times like 0.95 = 95 × 0.01.
    0.5 * end.dt * (1.0 + 1e-6) + 1e-9 * t.abs()
}

/// What is looked at from one time to another, if it has an end: why a run cannot say that something holds during all of that, if it
/// cannot. `is_seen` where a frame lies within.
pub(super) fn unseen(from: Real, to: Option<Real>, is_seen: bool, end: End) -> Option<String> {
    let ended = |t: Real| format!("the run ended at t = {} s, before t = {t} s", end.t);
    match to {
        Some(to) if to < from => Some(format!("no time is from t = {from} s to t = {to} s")),
        _ if !is_seen && !is_until(from, end.t) => Some(ended(from)),
        Some(to) if to - end.t > reach(to, end) => Some(ended(to)),
        Some(to) if !is_seen => Some(format!("no frame lies between t = {from} s and t = {to} s")),
        _ => None,
    }
}

/// Whether the frame at `t` counts as within a time from its first to its second end, seconds, rounding of times allowed for.
pub fn is_during(t: Real, [from, to]: [Real; 2]) -> bool {
    is_from(t, from) && is_until(t, to)
}

/// Whether the frame at `t` counts as at or after `from`, rounding of times allowed for.
pub(super) fn is_from(t: Real, from: Real) -> bool {
    t >= from - 1e-9 * from.abs().max(1.0)
}

/// Whether the frame at `t` counts as at or before `to`.
pub(super) fn is_until(t: Real, to: Real) -> bool {
    t <= to + 1e-9 * to.abs().max(1.0)
}
