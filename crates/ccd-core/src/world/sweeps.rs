//! Where bodies will be over the rest of a step, to ask who could meet whom when a motion has changed.

use super::course::Course;
use crate::bounds::tree::{DynamicTree, LeafId};

/// Up to this many bodies looking at all is the fastest.
const FEW: usize = 48;

/// The swept boxes of all courses.
pub(super) struct Sweeps {
    tree: DynamicTree,
    leaves: Vec<LeafId>,
}

impl Sweeps {
    /// O(n log n); for few bodies there is nothing to build.
    pub fn new(courses: &[Course]) -> Self {
        let mut tree = DynamicTree::new(0.0);
        let mut leaves = Vec::new();
        if courses.len() > FEW {
            leaves = courses.iter().zip(0..).map(|(course, k)| tree.insert(&course.swept, k)).collect();
        }
        Self { tree, leaves }
    }

    /// The body's course has another swept box now.
    pub fn update(&mut self, courses: &[Course], k: u32) {
        if let Some(&leaf) = self.leaves.get(k as usize) {
            self.tree.update(leaf, &courses[k as usize].swept);
        }
    }

    /// Calls `visit` with every other body whose swept box overlaps that of body `k`, in no particular order.
    pub fn query(&self, courses: &[Course], k: u32, mut visit: impl FnMut(u32)) {
        let swept = &courses[k as usize].swept;
        if self.leaves.is_empty() {
            for (course, other) in courses.iter().zip(0..) {
                if other != k && swept.overlaps(&course.swept) {
                    visit(other);
                }
            }
        } else {
            self.tree.query(swept, |other| {
                if other != k {
                    visit(other);
                }
            });
        }
    }
}
