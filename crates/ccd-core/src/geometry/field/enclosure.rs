//! What is proven about a solid in a small ball.

use crate::math::{Real, Vector};

/// Which part of space is enclosed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// The solid, with its surface.
    Solid,
    /// Everything that is not inside it, with its surface.
    Complement,
}

impl Region {
    /// The other one.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Solid => Self::Complement,
            Self::Complement => Self::Solid,
        }
    }
}

/// A half-space that holds a region within a ball: the points `x` from its centre with `value + normal · x ≤ error`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    /// Unit, out of the region.
    pub normal: Vector,
    /// The height of the ball's centre over the surface as far as the linear model goes, metres.
    pub value: Real,
    /// How far the region may reach over the model within the ball, metres, not negative.
    pub error: Real,
}

/// A union of intersections of half-spaces.
///
/// Everything of the enclosed region within the ball lies in at least one alternative; a point is in an alternative
/// when it is in each of its half-spaces. An alternative without half-spaces is all of the ball. No alternative: the region does
/// not meet the ball.
#[derive(Clone, Debug, Default)]
pub struct Enclosure {
    facets: Vec<Facet>,
    /// Where each alternative ends among the facets.
    ends: Vec<u32>,
}

impl Enclosure {
    /// No more alternatives than this are kept apart; beyond it the enclosure is the whole ball, which is always true.
    pub const MOST_ALTERNATIVES: usize = 24;

    /// No alternative has more half-spaces than this.
    pub const MOST_FACETS: usize = 12;

    /// Forgets everything, and keeps the memory.
    pub fn clear(&mut self) {
        self.facets.clear();
        self.ends.clear();
    }

    /// How many alternatives there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the region does not meet the ball at all.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The half-spaces of alternative `index`; none for one that does not exist.
    pub fn alternative(&self, index: usize) -> &[Facet] {
        let end = self.ends.get(index).map_or(0, |e| *e as usize);
        let start = if index == 0 { 0 } else { self.ends.get(index - 1).map_or(end, |e| *e as usize) };
        self.facets.get(start..end).unwrap_or(&[])
    }

    /// All alternatives.
    pub fn alternatives(&self) -> impl Iterator<Item = &[Facet]> {
        (0..self.len()).map(|i| self.alternative(i))
    }

    /// How many half-spaces all alternatives have together.
    pub fn facet_count(&self) -> usize {
        self.facets.len()
    }

    /// Shows the half-spaces from number `start` on to `change`.
    pub fn for_each_facet_from(&mut self, start: usize, change: impl FnMut(&mut Facet)) {
        self.facets.iter_mut().skip(start).for_each(change);
    }

    /// Appends an alternative: of more than [`Enclosure::MOST_FACETS`] half-spaces only the first ones, which hold as well.
    pub fn push(&mut self, facets: &[Facet]) {
        self.facets.extend_from_slice(&facets[..facets.len().min(Self::MOST_FACETS)]);
        self.ends.push(self.facets.len() as u32);
    }

    /// Forgets the alternatives from `start` on.
    pub fn truncate(&mut self, start: usize) {
        let facets = if start == 0 { 0 } else { self.ends.get(start - 1).map_or(self.facets.len(), |e| *e as usize) };
        self.facets.truncate(facets);
        self.ends.truncate(start);
    }

    /// Makes one alternative, the whole ball, of those from `start` on, where they are no better or too many.
    pub fn simplify_from(&mut self, start: usize) {
        let whole = (start..self.len()).any(|i| self.alternative(i).is_empty());
        if whole || self.len() - start.min(self.len()) > Self::MOST_ALTERNATIVES {
            self.truncate(start);
            self.push_everything();
        }
    }

    /// Makes, of the alternatives from `start` on and those from `middle` on, their intersections; where they are too many, only those of
    /// one side, which hold as well.
    pub(super) fn intersect_from(&mut self, start: usize, middle: usize) {
        let (count, others) = (middle - start, self.len() - middle);
        if others == 1 && self.alternative(middle).is_empty() {
            return self.truncate(middle);
        }
        if count == 1 && (others == 1 || self.alternative(start).is_empty()) {
            // The half-spaces of the two stand side by side.
            self.ends.remove(start);
            return self.keep_the_highest();
        }
        let both: Vec<Vec<Facet>> = (start..self.len()).map(|i| self.alternative(i).to_vec()).collect();
        let (one, two) = both.split_at(count);
        self.truncate(start);
        if count * others > Self::MOST_ALTERNATIVES {
            return if count <= others { one } else { two }.iter().for_each(|facets| self.push(facets));
        }
        for (one, two) in one.iter().flat_map(|one| two.iter().map(move |two| (one, two))) {
            self.facets.extend_from_slice(one);
            self.facets.extend_from_slice(two);
            self.ends.push(self.facets.len() as u32);
            self.keep_the_highest();
        }
    }

    /// Of more half-spaces of the last alternative than there may be, those that hold the ball's centre off the furthest.
    fn keep_the_highest(&mut self) {
        let (from, count) = (self.facets.len() - self.alternative(self.len() - 1).len(), Self::MOST_FACETS);
        if self.facets.len() - from > count {
            self.facets[from..].sort_by(|f, g| g.value.total_cmp(&f.value));
            self.facets.truncate(from + count);
            self.ends.pop();
            self.ends.push(self.facets.len() as u32);
        }
    }

    /// Appends the alternative that is the whole ball.
    pub fn push_everything(&mut self) {
        self.push(&[]);
    }
}
