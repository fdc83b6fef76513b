//! Whether sweeps still come nearer.

use crate::math::Real;

/// Watches the largest changes that sweeps make.
#[derive(Debug)]
pub(super) struct Watch {
    window: usize,
    /// What the largest change has to fall to within a window, as a share.
    progress: Real,
    /// When the window ends, in sweeps.
    due: usize,
    /// The least of the largest changes so far, m/s.
    least: Real,
    /// The same when this window began.
    former: Real,
}

impl Watch {
    /// Of sweeps that are to bring the largest change down to the share `progress` of what it was in every `window` sweeps.
    pub fn new(window: usize, progress: Real) -> Self {
        Self { window, progress, due: window, least: Real::INFINITY, former: Real::INFINITY }
    }

    /// Whether the sweeps, the last of which changed something by `largest`, push to and fro without an end.
    pub fn is_stuck(&mut self, sweeps: usize, largest: Real) -> bool {
        self.least = self.least.min(largest);
        if sweeps < self.due {
            return false;
        }
        let is_stuck = self.least > self.progress * self.former;
        (self.former, self.due) = (self.least, sweeps + self.window);
        is_stuck
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_that_come_nearer_go_on_and_those_that_do_not_end_after_a_window() {
        let mut halving = Watch::new(8, 0.6);
        assert!((1..=200).all(|k| !halving.is_stuck(k, 0.9_f64.powi(k as i32))));
        let mut circling = Watch::new(8, 0.6);
        let ends = (1..=200).find(|&k| circling.is_stuck(k, if k % 2 == 0 { 1.0 } else { 2.0 }));
        assert_eq!(ends, Some(16));
    }
}
