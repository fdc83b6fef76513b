//! The same for each of many, on rayon's threads where that is wanted.
//!
//! What is done with one must not depend on what comes out beside it. Results are gathered in the order of what they are of, so that the
//! threads change no bit. How much is worth the threads is for the caller to say: it depends on what is done.

use rayon::prelude::*;

/// How the same is done for each of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// On all threads of rayon's pool at once.
    Parallel,
    /// One after the other, on the thread that asks.
    Serial,
}

impl Execution {
    /// In parallel where that is so, else serial.
    pub fn parallel_if(is_worth_it: bool) -> Self {
        if is_worth_it { Self::Parallel } else { Self::Serial }
    }

    /// What `f` makes of each, in their order.
    pub fn map<T: Sync, R: Send>(self, all: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
        match self {
            Self::Parallel => all.par_iter().map(f).collect(),
            Self::Serial => all.iter().map(f).collect(),
        }
    }

    /// What `f` makes of those of which it makes something, in their order.
    pub fn filter_map<T: Sync, R: Send>(self, all: &[T], f: impl Fn(&T) -> Option<R> + Sync + Send) -> Vec<R> {
        match self {
            Self::Parallel => all.par_iter().filter_map(f).collect(),
            Self::Serial => all.iter().filter_map(f).collect(),
        }
    }

    /// What `f` makes of them, `length` at a time on the threads, and of all at once without. It must make no difference to what `f` makes
    /// of each whom it is handed with.
    pub fn map_chunks<T: Sync, R: Send>(self, all: &[T], length: usize, f: impl Fn(&[T]) -> R + Sync + Send) -> Vec<R> {
        match self {
            Self::Parallel => all.par_chunks(length).map(f).collect(),
            Self::Serial => vec![f(all)],
        }
    }

    /// Does `f` to each.
    pub fn for_each<T: Send>(self, all: &mut [T], f: impl Fn(&mut T) + Sync + Send) {
        match self {
            Self::Parallel => all.par_iter_mut().for_each(f),
            Self::Serial => all.iter_mut().for_each(f),
        }
    }

    /// Runs something that shares out its parts by itself. On one of rayon's threads that wakes nobody who waits outside.
    pub fn run<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        match self {
            Self::Parallel => rayon::scope(|_| work()),
            Self::Serial => work(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_change_neither_what_comes_out_nor_its_order() {
        let all: Vec<u64> = (0..1000).collect();
        for execution in [Execution::Parallel, Execution::Serial] {
            let squares: Vec<u64> = all.iter().map(|k| k * k).collect();
            assert_eq!(execution.map(&all, |k| k * k), squares);
            let even: Vec<u64> = all.iter().copied().filter(|k| k % 2 == 0).collect();
            assert_eq!(execution.filter_map(&all, |&k| (k % 2 == 0).then_some(k)), even);
            assert_eq!(execution.map_chunks(&all, 7, <[u64]>::to_vec).concat(), all);
            let mut changed = all.clone();
            execution.for_each(&mut changed, |k| *k *= *k);
            assert_eq!(changed, squares);
            assert_eq!(execution.run(|| all.len()), 1000);
        }
    }
}
