//! clipEdge: the part of an edge that lies in a Voronoi region, and the features over which it enters and leaves.
//!
//! Source: Mirtich, *Rigid Body Contact*, Algorithm 1; erratum E26 (line 17 stands beside line 10).

#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is not a number is in doubt, too")]

use std::cmp::Ordering::{Greater, Less};

use crate::math::{Certain, Real};

/// A place on an edge: `above / below`, where `below` is positive.
#[derive(Clone, Debug)]
pub(super) struct Fraction<N> {
    pub above: N,
    pub below: N,
}

/// What a plane leaves of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Both ends are outside.
    Out,
    /// Something may be left.
    Some,
}

/// The part of an edge between two places, and the names of the planes that cut it there.
#[derive(Clone, Debug)]
pub(super) struct Interval<N> {
    pub low: Fraction<N>,
    pub high: Fraction<N>,
    pub first: Option<u32>,
    pub last: Option<u32>,
}

impl<N: Certain> Interval<N> {
    /// The whole edge.
    pub fn whole() -> Self {
        let at = |x: Real| Fraction { above: N::of(x), below: N::of(1.0) };
        Self { low: at(0.0), high: at(1.0), first: None, last: None }
    }

    /// Clips by the plane `name` in which tail and head have these heights; inside is at or above.
    pub fn cut(&mut self, [tail, head]: &[N; 2], name: u32) -> Option<Cut> {
        match (tail.sign()? == Less, head.sign()? == Less) {
            (false, false) => {}
            (true, true) => return Some(Cut::Out),
            (true, false) => {
                let at = Fraction { above: N::of(0.0).minus(tail), below: head.minus(tail) };
                if order(&at, &self.low)? == Greater {
                    (self.low, self.first) = (at, Some(name));
                }
            }
            (false, true) => {
                let at = Fraction { above: tail.clone(), below: tail.minus(head) };
                if order(&at, &self.high)? == Less {
                    (self.high, self.last) = (at, Some(name));
                }
            }
        }
        Some(Cut::Some)
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> Option<bool> {
        Some(order(&self.low, &self.high)? == Greater)
    }
}

fn order<N: Certain>(a: &Fraction<N>, b: &Fraction<N>) -> Option<std::cmp::Ordering> {
    a.above.times(&b.below).order(&b.above.times(&a.below))
}

/// The same in `f64`, with a bound on how far the places may be off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clip {
    pub low: Real,
    pub high: Real,
    /// How far `low` and `high`, and any place that a plane cut beside them, may be from the true ones.
    pub slack: Real,
    pub first: Option<u32>,
    pub last: Option<u32>,
}

impl Clip {
    /// The whole edge.
    #[inline]
    pub fn whole() -> Self {
        Self { low: 0.0, high: 1.0, slack: Real::EPSILON, first: None, last: None }
    }

    /// Clips by a plane; the heights may be off by `doubt`. `None` where it is in doubt on which side the lower end lies.
    #[inline]
    pub fn cut(&mut self, tail: Real, head: Real, doubt: Real, name: u32) -> Option<Cut> {
        let (least, most) = if tail < head { (tail, head) } else { (head, tail) };
        if least > doubt {
            return Some(Cut::Some);
        }
        if most < -doubt {
            return Some(Cut::Out);
        }
        if !(least < -doubt) {
            return None;
        }
        let rise = most - least;
        let at = tail / (tail - head);
        self.slack = self.slack.max(2.0 * doubt / rise);
        if tail < head {
            if at > self.low {
                (self.low, self.first) = (at, Some(name));
            }
        } else if at < self.high {
            (self.high, self.last) = (at, Some(name));
        }
        Some(Cut::Some)
    }
}
