//! Islands: bodies that hang together by contacts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::World;
use super::contacts::PairContacts;
use super::stepping::{Pair, Stepping};
use crate::math::DisjointSets;
use crate::response::blocks::Blocks;

/// Bodies that hang together, with the contacts among them and with what cannot move.
#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    /// Dense numbers, ascending; immovable bodies included.
    pub bodies: Vec<u32>,
    /// Ascending.
    pub pairs: Vec<Pair>,
}

impl Island {
    /// The pairs of one of its bodies.
    pub fn pairs_of(&self, k: u32) -> impl Iterator<Item = Pair> {
        self.pairs.iter().copied().filter(move |&(a, b)| a == k || b == k)
    }
}

impl Stepping {
    /// The islands that the given pairs make, in the order of their first movable bodies; bodies without any are in none.
    pub(super) fn islands_of(&self, close: &[Pair]) -> Vec<Island> {
        self.islands_with(close, |_| [true; 2]).0
    }

    /// Of the islands that the given pairs make, in the order of their first movable bodies, those in which some body has the first of two properties,
    /// and some the second; and the pairs of the others, which are not made: of thousands that rest hardly any has to be.
    pub(super) fn islands_with(&self, close: &[Pair], has: impl Fn(u32) -> [bool; 2]) -> (Vec<Island>, Vec<Pair>) {
        match close {
            [] => return Default::default(),
            &[pair] => return self.island_with(pair, has),
            _ => (),
        }
        const NONE: u32 = u32::MAX;
        let count = self.courses.len();
        let movable: Vec<bool> = (0..count as u32).map(|k| self.is_movable(k)).collect();
        let mut sets = DisjointSets::new(count);
        let mut has_pair = vec![false; count];
        for &(a, b) in close {
            (has_pair[a as usize], has_pair[b as usize]) = (true, true);
            if movable[a as usize] && movable[b as usize] {
                sets.join(a, b);
            }
        }
        // What an island has, at its root.
        let mut of_root = vec![[false; 2]; count];
        let anchor = |(a, b): Pair| if movable[a as usize] { a } else { b };
        for &pair in close {
            let root = sets.find(anchor(pair)) as usize;
            for [first, second] in [pair.0, pair.1].map(&has) {
                of_root[root] = [of_root[root][0] | first, of_root[root][1] | second];
            }
        }
        let mut islands: Vec<Island> = Vec::new();
        let mut number_of_root = vec![NONE; count];
        for k in (0..count as u32).filter(|&k| has_pair[k as usize] && movable[k as usize]) {
            let root = sets.find(k) as usize;
            if of_root[root] != [true; 2] {
                continue;
            }
            if number_of_root[root] == NONE {
                number_of_root[root] = islands.len() as u32;
                islands.push(Island::default());
            }
            islands[number_of_root[root] as usize].bodies.push(k);
        }
        let mut others = Vec::new();
        for &pair in close.iter().filter(|&&pair| movable[anchor(pair) as usize]) {
            match number_of_root[sets.find(anchor(pair)) as usize] {
                NONE => others.push(pair),
                number => islands[number as usize].pairs.push(pair),
            }
        }
        (islands.into_iter().map(Island::finished).collect(), others)
    }

    /// The same of one pair alone.
    fn island_with(&self, pair: Pair, has: impl Fn(u32) -> [bool; 2]) -> (Vec<Island>, Vec<Pair>) {
        if !(self.is_movable(pair.0) || self.is_movable(pair.1)) {
            return Default::default();
        }
        let [a, b] = [pair.0, pair.1].map(has);
        if [a[0] | b[0], a[1] | b[1]] == [true; 2] {
            (vec![Island { bodies: vec![pair.0, pair.1], pairs: vec![pair] }], Vec::new())
        } else {
            (Vec::new(), vec![pair])
        }
    }

    /// The island that holds the movable ones among `seeds`.
    pub(super) fn island_of(&self, seeds: &[u32]) -> Island {
        let mut members: std::collections::BTreeSet<u32> =
            seeds.iter().copied().filter(|&k| self.is_movable(k)).collect();
        let mut neighbours: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (a, b) in self.pushing_pairs() {
            neighbours.entry(a).or_default().push(b);
            neighbours.entry(b).or_default().push(a);
        }
        let mut open: Vec<u32> = members.iter().copied().collect();
        while let Some(k) = open.pop() {
            for &other in neighbours.get(&k).map_or(&[][..], Vec::as_slice) {
                if self.is_movable(other) && members.insert(other) {
                    open.push(other);
                }
            }
        }
        let touches = |pair: &Pair| members.contains(&pair.0) || members.contains(&pair.1);
        Island::of(self.pushing_pairs().filter(touches).collect())
    }

    /// Whether the pair is known to touch.
    pub(super) fn touches(&self, world: &World, pair: Pair) -> bool {
        let touch =
            |close: &Arc<PairContacts>| !close.points.is_empty() && close.separation <= world.in_force.tolerance;
        self.close.get(&pair).is_some_and(touch)
    }

    /// Whether impulses can change its velocity.
    pub(super) fn is_movable(&self, k: u32) -> bool {
        self.dormant[k as usize] || self.courses[k as usize].is_movable(self.marks[k as usize].kind)
    }
}

impl Island {
    /// Of what hangs together by these pairs, ascending.
    pub fn of(pairs: Vec<Pair>) -> Self {
        Self { bodies: Vec::new(), pairs }.finished()
    }

    fn finished(mut self) -> Self {
        self.bodies.extend(self.pairs.iter().flat_map(|&(a, b)| [a, b]));
        self.bodies.sort_unstable();
        self.bodies.dedup();
        self
    }

    /// Where the pair's bodies stand in [`Island::bodies`].
    pub fn local(&self, pair: Pair) -> (usize, usize) {
        let find = |k: u32| self.bodies.partition_point(|&other| other < k);
        (find(pair.0), find(pair.1))
    }

    /// For each body the number of contacts between it and what cannot move, the same for all where nothing is fixed. What touches
    /// counts before what is near: of thin things that lie on each other every second one is near as well.
    pub fn levels(&self, stepping: &Stepping, world: &World) -> Vec<u32> {
        let is_fixed = |k: u32| !stepping.is_movable(self.bodies[k as usize]);
        let places = 0..self.bodies.len() as u32;
        if places.clone().filter(|&k| !is_fixed(k)).count() == 1 {
            return places.map(|k| u32::from(!is_fixed(k))).collect();
        }
        let mut touching: Vec<Vec<u32>> = vec![Vec::new(); self.bodies.len()];
        let mut near = touching.clone();
        for &pair in &self.pairs {
            let (a, b) = self.local(pair);
            let neighbours = if stepping.touches(world, pair) { &mut touching } else { &mut near };
            neighbours[a].push(b as u32);
            neighbours[b].push(a as u32);
        }
        levels_from_the_ground(&touching, &near, is_fixed)
    }

    /// The pairs block by block, and in a block by their distance from what cannot move: an impulse sweep then carries weight down in one
    /// go.
    pub fn pairs_from_the_ground(&self, level: &[u32], blocks: &Blocks) -> Vec<Pair> {
        let mut pairs = self.pairs.clone();
        pairs.sort_by_cached_key(|&pair| {
            let (a, b) = self.local(pair);
            (blocks.of_pair(a, b), level[a].min(level[b]), pair)
        });
        pairs
    }
}

/// For each number the steps between it and one that is fixed: by those that `touch` it as far as there are any, then by those that are
/// only `near`; the same for all that hang on nothing fixed. O(numbers + neighbours).
pub(super) fn levels_from_the_ground(
    touching: &[Vec<u32>],
    near: &[Vec<u32>],
    is_fixed: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let mut reached: Vec<u32> = (0..touching.len() as u32).filter(|&k| is_fixed(k)).collect();
    let mut level = vec![u32::MAX; touching.len()];
    reached.iter().for_each(|&k| level[k as usize] = 0);
    let mut spread = |k: u32, neighbours: &[Vec<u32>], reached: &mut Vec<u32>| {
        for &next in &neighbours[k as usize] {
            if level[next as usize] == u32::MAX {
                level[next as usize] = level[k as usize] + 1;
                reached.push(next);
            }
        }
    };
    let (mut by_touch, mut by_nearness) = (0, 0);
    while by_nearness < reached.len() {
        while let Some(&k) = reached.get(by_touch) {
            spread(k, touching, &mut reached);
            by_touch += 1;
        }
        for place in std::mem::replace(&mut by_nearness, by_touch)..by_touch {
            spread(reached[place], near, &mut reached);
        }
    }
    level
}
