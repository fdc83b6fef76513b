//! The cells of a search that wait for the time until which they are certified apart.

use std::ops::Range;

use super::family::Family;
use crate::detection::queue::{Queue, Ranked};
use crate::math::Real;

/// A cell that was carried further so often asks for the one that it is a part of; then after twice as often, and so on.
const ASKS: u32 = 8;

/// A cell that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub cell: u32,
    /// The cell size at which points were looked for the last time.
    pub looked: Real,
    /// How often it was carried further since then, or since it was made.
    pub steps: u32,
    /// How often points were looked for where it seemed to touch, and not found.
    pub failed: u32,
    /// Which time it waits.
    ticket: u32,
    /// How often it was put back, and how often that has to be before it asks for the cell that it is a part of.
    carried: u32,
    asks: u32,
}

impl Ranked for Entry {
    type Rank = u32;

    /// The newest first, which is the smallest.
    fn rank(&self) -> u32 {
        self.cell
    }
}

/// All that wait.
pub(super) struct Waiting {
    queue: Queue<Entry>,
    family: Family,
}

impl Default for Waiting {
    fn default() -> Self {
        Self { queue: Queue::new(), family: Family::default() }
    }
}

impl Waiting {
    /// A cell in which points were last looked for at the size `looked` waits for a time.
    pub fn add(&mut self, time: Real, cell: u32, looked: Real) {
        let ticket = self.family.ticket(cell);
        self.queue.push(time, Entry { cell, looked, steps: 0, failed: 0, ticket, carried: 0, asks: ASKS });
    }

    /// The cell whose time is the earliest.
    pub fn next(&mut self) -> Option<(Real, Entry)> {
        loop {
            let (time, entry) = self.queue.pop()?;
            if self.family.is_current(entry.cell, entry.ticket) {
                return Some((time, entry));
            }
        }
    }

    /// A cell that was taken waits on, for another time.
    pub fn put_back(&mut self, time: Real, entry: Entry) {
        self.queue.push(time, Entry { carried: entry.carried + 1, ..entry });
    }

    /// The parts that a cell was divided into before.
    pub fn parts(&self, cell: u32) -> Option<Range<u32>> {
        self.family.parts(cell)
    }

    /// The parts of a cell that was taken wait in its place.
    pub fn divide(&mut self, time: Real, entry: &Entry, parts: &[u32]) {
        self.family.divide(entry.cell, parts);
        parts.iter().for_each(|&part| self.add(time, part, entry.looked));
    }

    /// The cell that one which was taken is a part of, if it is time to ask for it.
    pub fn whole_asked_for(&self, entry: &mut Entry) -> Option<u32> {
        if entry.carried < entry.asks {
            return None;
        }
        (entry.carried, entry.asks) = (0, entry.asks.saturating_mul(2));
        self.family.whole(entry.cell)
    }

    /// A cell waits in the place of all its parts: for a time, or for ever.
    pub fn unite(&mut self, cell: u32, until: Option<Real>) {
        self.family.unite(cell);
        if let Some(time) = until {
            self.add(time, cell, Real::INFINITY);
        }
    }
}
