//! Where bodies will be over the rest of a step, to ask who could meet whom when a motion has changed.

use super::course::Course;
use crate::detection::broad::tree::BoxTree;

/// Up to this many bodies looking at all is the fastest.
const FEW: usize = 48;

/// The swept boxes of all courses.
pub(super) struct Sweeps {
    /// None for few bodies.
    tree: Option<BoxTree>,
}

impl Sweeps {
    /// O(n log n); for few bodies there is nothing to build.
    pub fn new(courses: &[Course]) -> Self {
        let boxes = || courses.iter().map(|course| course.swept).collect::<Vec<_>>();
        Self { tree: (courses.len() > FEW).then(|| BoxTree::over(&boxes())) }
    }

    /// The body's course has another swept box now.
    pub fn update(&mut self, courses: &[Course], k: u32) {
        if let Some(tree) = &mut self.tree {
            tree.update(k, &courses[k as usize].swept);
        }
    }

    /// Calls `visit` with every other body whose swept box overlaps that of body `k`, in no particular order.
    pub fn query(&self, courses: &[Course], k: u32, mut visit: impl FnMut(u32)) {
        let swept = &courses[k as usize].swept;
        let visit_other = |other| {
            if other != k {
                visit(other);
            }
        };
        match &self.tree {
            Some(tree) => tree.query(swept, visit_other),
            None => (0..).zip(courses).filter(|(_, c)| swept.overlaps(&c.swept)).map(|(k, _)| k).for_each(visit_other),
        }
    }
}
