//! Sweeps that come no nearer to a solution, told from those that do.

use crate::math::Real;

/// Watches the largest change of each sweep.
#[derive(Debug)]
pub(super) struct Watch {
    /// In windows of as many sweeps the least of the largest changes has to fall to this share.
    window: usize,
    progress: Real,
    /// The least of the largest changes up to now, and up to the window before; m/s.
    least: Real,
    former: Real,
    due: usize,
}

impl Watch {
    pub fn new(window: usize, progress: Real) -> Self {
        Self { window, progress, least: Real::INFINITY, former: Real::INFINITY, due: window }
    }

    /// Whether sweep number `sweep`, with the given largest change, ends a window that has come no nearer.
    pub fn stalls(&mut self, sweep: usize, largest: Real) -> bool {
        self.least = self.least.min(largest);
        if sweep < self.due {
            return false;
        }
        let stalls = self.least > self.progress * self.former;
        (self.former, self.due) = (self.least, sweep + self.window);
        stalls
    }
}
