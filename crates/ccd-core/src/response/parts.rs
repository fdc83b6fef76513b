//! A large system in parts that are swept side by side.
//!
//! **Problem.** In a sweep each pair begins from what the pairs before it have done, so that one thread has to do it all.
//!
//! **Idea.** Bodies that lie together make a block. Pairs of different blocks have no body in common that moves, so that blocks
//! may be swept at once; pairs that reach from block to block make the border, which is swept after the blocks, and before them
//! on the way back. Each part keeps its own copy of the velocities of its bodies, and only those that a block shares with the
//! border are handed to and fro.
//!
//! **Guarantee.** The parts depend on the system alone, so that the number of threads changes no bit.
//!
//! **Cost.** A sweep hands over what is shared. A system whose pairs stand block by block is read from end to end.

use rayon::prelude::*;

use super::impulse::Velocity;
use super::system::{Member, System};
use crate::math::Real;

/// Some bodies and pairs of a system.
#[derive(Clone, Debug)]
pub(super) struct Part<W> {
    /// The bodies: their numbers in the system.
    pub bodies: Vec<usize>,
    /// Their velocities, of the kind that is swept.
    pub velocities: Vec<Velocity>,
    /// For each body a number that is handed over with the velocity.
    pub stamps: Vec<usize>,
    /// Of a block the places of the bodies that it shares with the border, here and there.
    shared: Vec<[usize; 2]>,
    /// What is done with them.
    pub work: W,
}

/// All parts of a system.
#[derive(Clone, Debug)]
pub(super) struct Parts<W> {
    pub blocks: Vec<Part<W>>,
    /// None where there is one block.
    pub border: Option<Part<W>>,
    in_parallel: bool,
}

impl System {
    /// The system in parts, with what `velocity` takes of a member, and the work that is made of the numbers of a part's pairs,
    /// ascending, and of the places that the system's bodies have in the part.
    pub(super) fn in_parts<W>(
        &self,
        velocity: impl Fn(&Member) -> Velocity,
        work: impl Fn(Vec<usize>, &[usize]) -> W,
    ) -> Parts<W> {
        const NOWHERE: usize = usize::MAX;
        let whole = || {
            let bodies: Vec<usize> = (0..self.members.len()).collect();
            let work = work((0..self.pairs.len()).collect(), &bodies);
            let velocities = self.members.iter().map(&velocity).collect();
            Part { velocities, stamps: vec![0; bodies.len()], bodies, shared: Vec::new(), work }
        };
        let count = self.blocks.count();
        if count == 1 {
            return Parts { blocks: vec![whole()], border: None, in_parallel: false };
        }
        let mut pairs_of: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        for (k, pair) in self.pairs.iter().enumerate() {
            pairs_of[self.blocks.of_pair(pair.a, pair.b)].push(k);
        }
        let part = |pairs: Vec<usize>| {
            let (mut bodies, mut places) = (Vec::new(), vec![NOWHERE; self.members.len()]);
            for body in pairs.iter().flat_map(|&k| [self.pairs[k].a, self.pairs[k].b]) {
                if places[body] == NOWHERE {
                    places[body] = bodies.len();
                    bodies.push(body);
                }
            }
            let work = work(pairs, &places);
            let velocities = bodies.iter().map(|&body| velocity(&self.members[body])).collect();
            (Part { velocities, stamps: vec![0; bodies.len()], bodies, shared: Vec::new(), work }, places)
        };
        let (border, there) = part(pairs_of.pop().unwrap_or_default());
        let is_shared = |body: &usize| self.blocks.holds(*body) && there[*body] != NOWHERE;
        let blocks = pairs_of.into_iter().map(|pairs| {
            let mut block = part(pairs).0;
            let shared = block.bodies.iter().enumerate().filter(|(_, body)| is_shared(body));
            block.shared = shared.map(|(here, &body)| [here, there[body]]).collect();
            block
        });
        Parts { blocks: blocks.collect(), border: Some(border), in_parallel: self.in_parallel }
    }
}

impl<W> Part<W> {
    /// Of a block the places of the bodies that the border has too.
    pub fn shared_places(&self) -> impl Iterator<Item = usize> {
        self.shared.iter().map(|[here, _]| *here)
    }
}

impl<W: Send> Parts<W> {
    /// Whether the blocks may be swept in parallel from now on.
    pub fn side_by_side(&mut self, in_parallel: bool) {
        self.in_parallel = in_parallel && self.border.is_some();
    }

    /// Every part: the blocks, then the border.
    pub fn all(&self) -> impl Iterator<Item = &Part<W>> {
        self.blocks.iter().chain(&self.border)
    }

    /// The same, to be changed; nothing is handed over.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Part<W>> {
        self.blocks.iter_mut().chain(&mut self.border)
    }

    /// Every part's turn, the blocks' before the border's; returns the largest answer. Before its turn each part gets ready; what
    /// becomes of shared bodies in that is what becomes of them in their blocks.
    pub fn sweep(
        &mut self,
        get_ready: impl Fn(&mut Part<W>) + Sync,
        turn: impl Fn(&mut Part<W>) -> Real + Sync,
    ) -> Real {
        let of_blocks = self.sweep_blocks(&|block| {
            get_ready(block);
            turn(block)
        });
        self.border.iter_mut().for_each(get_ready);
        self.tell_border();
        of_blocks.max(self.sweep_border(&turn))
    }

    /// Every part's turn, the border's before the blocks'.
    pub fn sweep_back(&mut self, turn: impl Fn(&mut Part<W>) -> Real + Sync) -> Real {
        let of_border = self.sweep_border(&turn);
        let of_blocks = self.sweep_blocks(&turn);
        self.tell_border();
        of_border.max(of_blocks)
    }

    fn sweep_blocks(&mut self, turn: &(impl Fn(&mut Part<W>) -> Real + Sync)) -> Real {
        // The largest of some numbers is the same in any order.
        if self.in_parallel {
            self.blocks.par_iter_mut().map(turn).reduce(|| 0.0, Real::max)
        } else {
            self.blocks.iter_mut().map(turn).fold(0.0, Real::max)
        }
    }

    fn sweep_border(&mut self, turn: &(impl Fn(&mut Part<W>) -> Real + Sync)) -> Real {
        let Some(border) = &mut self.border else { return 0.0 };
        let largest = turn(border);
        for block in &mut self.blocks {
            for &[here, there] in &block.shared {
                block.velocities[here] = border.velocities[there];
                block.stamps[here] = border.stamps[there];
            }
        }
        largest
    }

    /// The border takes over what its bodies do from their blocks.
    fn tell_border(&mut self) {
        let Some(border) = &mut self.border else { return };
        for block in &self.blocks {
            for &[here, there] in &block.shared {
                border.velocities[there] = block.velocities[here];
                border.stamps[there] = block.stamps[here];
            }
        }
    }
}
