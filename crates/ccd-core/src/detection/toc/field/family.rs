//! Which cells came of which, and which are one again.
//!
//! **Problem.** What spins comes near the other solid at every turn, and each time cells are divided there. If they stayed divided, each would
//! go on by itself for the rest of the search. **Idea.** A cell that has long been carried on asks for the one that it is a part of: if
//! that is proven apart nearly as long, it waits in the place of all its parts, and these are passed over when their time comes. **Cost.**
//! The cells above one are looked up whenever its time comes.

use std::ops::Range;

/// No cell.
const NONE: u32 = u32::MAX;

/// What is known of a cell's place among the others.
#[derive(Clone, Copy)]
struct Member {
    whole: u32,
    /// Its parts, if it was ever divided: these have numbers in a row.
    parts: Option<(u32, u32)>,
    /// The number of the last time that it was put to wait.
    ticket: u32,
    /// Whether it waits in the place of parts that may be waiting, too.
    stands_for_parts: bool,
}

/// The cells of a search.
#[derive(Default)]
pub(super) struct Family(Vec<Member>);

impl Family {
    fn member(&mut self, cell: u32) -> &mut Member {
        let none = Member { whole: NONE, parts: None, ticket: 0, stands_for_parts: false };
        if self.0.len() <= cell as usize {
            self.0.resize(cell as usize + 1, none);
        }
        &mut self.0[cell as usize]
    }

    /// A cell is put to wait; the number that tells this time from those before.
    pub fn ticket(&mut self, cell: u32) -> u32 {
        let member = self.member(cell);
        member.ticket += 1;
        member.ticket
    }

    /// Whether what waits with this number is still to be looked at, and nothing waits in its place.
    pub fn is_current(&self, cell: u32, ticket: u32) -> bool {
        let mut member = self.0[cell as usize];
        if member.ticket != ticket {
            return false;
        }
        while let Some(&whole) = self.0.get(member.whole as usize) {
            if whole.stands_for_parts {
                return false;
            }
            member = whole;
        }
        true
    }

    /// The parts that a cell was divided into before.
    pub fn parts(&self, cell: u32) -> Option<Range<u32>> {
        self.0[cell as usize].parts.map(|(first, end)| first..end)
    }

    /// The cell is divided into `parts`, which wait in its place from now on.
    pub fn divide(&mut self, cell: u32, parts: &[u32]) {
        let first = parts.first().copied().unwrap_or(0);
        let member = self.member(cell);
        (member.parts, member.stands_for_parts) = (Some((first, first + parts.len() as u32)), false);
        for &part in parts {
            let member = self.member(part);
            // What came of it before may still be waiting.
            (member.whole, member.stands_for_parts) = (cell, member.parts.is_some());
        }
    }

    /// The cell that this one is a part of.
    pub fn whole(&self, cell: u32) -> Option<u32> {
        let whole = self.0[cell as usize].whole;
        (whole != NONE).then_some(whole)
    }

    /// The cell waits in the place of all its parts.
    pub fn unite(&mut self, cell: u32) {
        self.member(cell).stands_for_parts = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_passed_over_while_the_whole_waits_for_them_and_when_they_wait_a_second_time() {
        let mut family = Family::default();
        let root = family.ticket(0);
        assert!(family.is_current(0, root));
        family.divide(0, &[1, 2]);
        let [one, other] = [1, 2].map(|part| family.ticket(part));
        family.divide(1, &[3, 4, 5]);
        let small = family.ticket(4);
        assert!(family.is_current(2, other) && family.is_current(4, small) && family.whole(4) == Some(1));
        family.unite(0);
        let root = family.ticket(0);
        assert!(family.is_current(0, root) && !family.is_current(2, other) && !family.is_current(4, small));
        // Divided again, it has the parts that it had.
        assert_eq!(family.parts(0), Some(1..3));
        family.divide(0, &[1, 2]);
        let again = family.ticket(1);
        assert!(family.is_current(1, again) && !family.is_current(1, one));
        assert!(!family.is_current(4, small), "part 1 waits for it");
        family.divide(1, &[3, 4, 5]);
        assert!(family.is_current(4, small), "it had not been told otherwise");
    }
}
