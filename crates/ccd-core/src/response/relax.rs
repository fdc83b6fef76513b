//! Turns where they are wanted: what a few pairs have left to settle is no reason to sweep over all of them.

use std::collections::VecDeque;

use super::row::Giving;
use super::system::System;
use crate::math::Real;

impl System {
    /// Turns of those pairs that change by more than `change`, m/s, and of those that they reach, at most `turns` of them.
    /// Returns the largest change that is left to make.
    pub(super) fn relax(&mut self, change: Real, turns: usize) -> Real {
        let of_body = self.pairs_of_bodies();
        let mut queue: VecDeque<u32> = (0..self.pairs.len() as u32).collect();
        let mut queued = vec![true; self.pairs.len()];
        let mut largest: Real = 0.0;
        let mut left = turns;
        while let Some(pair) = queue.pop_front() {
            queued[pair as usize] = false;
            let moved = self.turn(pair as usize, Giving::Both);
            if moved > change {
                let (a, b) = self.bodies_of(pair as usize);
                for &other in of_body.of(a).iter().chain(of_body.of(b)) {
                    if !std::mem::replace(&mut queued[other as usize], true) {
                        queue.push_back(other);
                    }
                }
            }
            left = left.saturating_sub(1);
            if left == 0 {
                largest = largest.max(moved);
                break;
            }
        }
        largest
    }

    /// For each body its pairs, but for bodies that cannot move.
    fn pairs_of_bodies(&self) -> Lists {
        let mut firsts = vec![0_u32; self.members.len() + 1];
        let movable = |body: usize| !self.members[body].inertia.is_immovable();
        let of = |pair: &super::system::PairRows| [pair.a, pair.b];
        for pair in &self.pairs {
            of(pair).into_iter().filter(|&body| movable(body)).for_each(|body| firsts[body + 1] += 1);
        }
        for k in 1..firsts.len() {
            firsts[k] += firsts[k - 1];
        }
        let mut next = firsts.clone();
        let mut items = vec![0; firsts.last().map_or(0, |&n| n as usize)];
        for (k, pair) in self.pairs.iter().enumerate() {
            for body in of(pair).into_iter().filter(|&body| movable(body)) {
                items[next[body] as usize] = k as u32;
                next[body] += 1;
            }
        }
        Lists { firsts, items }
    }
}

/// A list of numbers for each body.
struct Lists {
    firsts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn of(&self, body: usize) -> &[u32] {
        &self.items[self.firsts[body] as usize..self.firsts[body + 1] as usize]
    }
}
