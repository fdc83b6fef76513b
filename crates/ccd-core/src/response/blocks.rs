//! The blocks of a large system: bodies that lie together.

use super::impulse::Inertia;
use crate::math::Real;

/// A block has at least as many contacts: fewer are not worth handing over what is shared.
const BLOCK: usize = 1000;
/// More halvings would leave more and more of the pairs to the border.
const MOST_HALVINGS: u32 = 3;

/// Which block each body of a system is in; by default all are in one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// None for what cannot move, which is in no block and keeps none apart. Empty where all is one block.
    of: Vec<Option<usize>>,
    count: usize,
}

impl Blocks {
    /// Those of bodies that touch at so many `contacts`: all bodies are halved again and again, across where they lie the widest.
    pub fn of(bodies: &[Inertia], contacts: usize) -> Self {
        let halvings = (contacts / BLOCK).max(1).ilog2().min(MOST_HALVINGS);
        if halvings == 0 {
            return Self::default();
        }
        let mut order: Vec<usize> = (0..bodies.len()).filter(|&k| !bodies[k].is_immovable()).collect();
        let mut groups = vec![order.as_mut_slice()];
        for _ in 0..halvings {
            groups = groups.into_iter().flat_map(|group| halves(bodies, group)).collect();
        }
        let (mut of, count) = (vec![None; bodies.len()], groups.len());
        for (block, group) in groups.into_iter().enumerate() {
            group.iter().for_each(|&body| of[body] = Some(block));
        }
        Self { of, count }
    }

    /// How many there are, the border not counted.
    pub fn count(&self) -> usize {
        self.count.max(1)
    }

    /// Whether a body is in any, and not only beside them.
    pub fn holds(&self, body: usize) -> bool {
        self.of.get(body).is_none_or(Option::is_some)
    }

    /// Which block the pair of two bodies is in; those that reach from one to another are in the border, whose number is [`Blocks::count`].
    pub fn of_pair(&self, a: usize, b: usize) -> usize {
        let of = |body: usize| self.of.get(body).copied().unwrap_or(Some(0));
        match (of(a), of(b)) {
            (Some(a), Some(b)) if a != b => self.count(),
            (Some(block), _) | (None, Some(block)) => block,
            (None, None) => self.count(),
        }
    }
}

/// Some bodies in two halves of equally many.
fn halves<'g>(bodies: &[Inertia], group: &'g mut [usize]) -> [&'g mut [usize]; 2] {
    let extent = |axis: usize| {
        let along = group.iter().map(|&body| bodies[body].centre[axis]);
        let (low, high) = along.fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), x| (x.min(low), x.max(high)));
        high - low
    };
    let widest = (1..3).fold(0, |widest, axis| if extent(axis) > extent(widest) { axis } else { widest });
    let place = |body: usize| bodies[body].centre[widest];
    group.sort_unstable_by(|&p, &q| place(p).total_cmp(&place(q)).then(p.cmp(&q)));
    let (first, second) = group.split_at_mut(group.len() / 2);
    [first, second]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Matrix, Point, Vector};

    #[test]
    fn no_two_blocks_have_a_moving_body_in_common_and_few_pairs_are_left_to_the_border() {
        let at = |k: usize| Point::new((k % 40) as Real, (k / 40 % 10) as Real, (k / 400) as Real);
        let mut bodies: Vec<Inertia> = (0..4000)
            .map(|k| Inertia { centre: at(k), inverse_mass: Vector::repeat(1.0), inverse_inertia: Matrix::identity() })
            .collect();
        bodies.push(Inertia::immovable(Point::origin()));
        let beside = (0..4000).filter(|k| k % 40 < 39).map(|k| (k, k + 1));
        let above = (0..3600).map(|k| (k, k + 400));
        let on_the_ground = (0..400).map(|k| (4000, k));
        let pairs: Vec<(usize, usize)> = beside.chain(above).chain(on_the_ground).collect();
        let blocks = Blocks::of(&bodies, pairs.len());
        assert_eq!(blocks.count(), 4);
        let mut of = vec![None; bodies.len()];
        let mut reaching = 0;
        for &(a, b) in &pairs {
            let block = blocks.of_pair(a, b);
            if block == blocks.count() {
                reaching += 1;
                continue;
            }
            for body in [a, b].into_iter().filter(|&body| blocks.holds(body)) {
                assert_eq!(*of[body].get_or_insert(block), block);
            }
        }
        assert!(0 < reaching && reaching < pairs.len() / 10, "{reaching} of {} pairs", pairs.len());
        assert_eq!(Blocks::of(&bodies, BLOCK).count(), 1, "few contacts are one block");
    }
}
