//! What is worth the threads.

use super::World;
use super::stepping::{Pair, Stepping};
use crate::detection::dispatch::as_convex;
use crate::parallel::Execution;
use crate::shape::Shape;

/// Fewer pairs of convex solids than this are not worth the threads.
const WORTH_THREADS: usize = 16;

/// As many pairs of convex solids take no longer than one of which a surface has to be searched for its nearest places.
const SEARCH: usize = 5;

/// A stage over as many pairs is worth handing to rayon's threads as a whole: from there its parts are shared out without waking anybody
/// who waits outside. For a smaller one that is a wait of its own.
const WORTH_A_THREAD: usize = 256;

impl World {
    /// How a stage as a whole is run: one that has enough to share out, on one of rayon's threads.
    pub(super) fn execution_of_stage(&self, stepping: &Stepping) -> Execution {
        Execution::parallel_if(self.in_force.parallel && stepping.candidates.len() >= WORTH_A_THREAD)
    }

    /// How a stage goes through so many pairs that take some work each.
    pub(super) fn execution_over(&self, pairs: usize) -> Execution {
        Execution::parallel_if(self.in_force.parallel && pairs >= WORTH_THREADS)
    }
}

impl Stepping {
    /// How pairs are gone through each of which is asked for what takes long where a surface has to be searched.
    pub(super) fn execution_of(&self, world: &World, pairs: impl ExactSizeIterator<Item = Pair>) -> Execution {
        let count = pairs.len();
        if count < 2 || count * SEARCH < WORTH_THREADS || count >= WORTH_THREADS {
            return world.execution_over(count);
        }
        world.execution_over(pairs.map(|pair| if self.is_searched(world, pair) { SEARCH } else { 1 }).sum())
    }

    /// Whether one of the two has a surface that is searched.
    fn is_searched(&self, world: &World, pair: Pair) -> bool {
        let is_searched = |shape: &Shape| !matches!(shape, Shape::HalfSpace(_)) && as_convex(shape).is_none();
        [pair.0, pair.1].iter().any(|&k| is_searched(self.body(world, k).shape()))
    }
}
