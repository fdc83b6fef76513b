//! Where bodies will be over the rest of a step, to ask who could meet whom when a motion has changed.

use super::stepping::Stepping;
use crate::detection::broad::tree::BoxTree;
use crate::volume::Aabb;

/// Up to this many bodies looking at all is the fastest.
const FEW: usize = 48;

/// The swept boxes of the bodies that the tree of what rests ([`super::still`]) does not have.
pub(super) struct Sweeps {
    /// Their numbers.
    loose: Vec<u32>,
    /// For each body its place among those, if it is one of them.
    places: Vec<Option<u32>>,
    /// Over the boxes of the first of them; None for few.
    tree: Option<BoxTree>,
    /// How many are in that.
    planted: usize,
}

impl Sweeps {
    /// O(n), and O(m log m) in those that are loose; for few there is nothing to build.
    pub fn new(stepping: &Stepping) -> Self {
        let loose = (0..stepping.courses.len() as u32).filter(|&k| !stepping.is_in_tree(k)).collect();
        let mut sweeps = Self { loose, places: vec![None; stepping.courses.len()], tree: None, planted: 0 };
        for (&k, place) in sweeps.loose.iter().zip(0..) {
            sweeps.places[k as usize] = Some(place);
        }
        sweeps.plant(stepping);
        sweeps
    }

    /// Builds the tree over all that are loose.
    fn plant(&mut self, stepping: &Stepping) {
        if self.loose.len() > FEW {
            let boxes: Vec<Aabb> = self.loose.iter().map(|&k| stepping.courses[k as usize].swept).collect();
            (self.tree, self.planted) = (Some(BoxTree::over(&boxes)), boxes.len());
        }
    }

    /// The body's course has another swept box now.
    pub fn update(&mut self, stepping: &Stepping, k: u32) {
        match (self.places[k as usize], &mut self.tree) {
            (Some(place), Some(tree)) if (place as usize) < self.planted => {
                tree.update(place, &stepping.courses[k as usize].swept);
            }
            (Some(_), _) => (),
            (None, _) => {
                self.places[k as usize] = Some(self.loose.len() as u32);
                self.loose.push(k);
                if self.loose.len() - self.planted > FEW {
                    self.plant(stepping);
                }
            }
        }
    }

    /// Calls `visit` with every other body whose swept box overlaps that of body `k`, in no particular order.
    pub fn query(&self, stepping: &Stepping, k: u32, mut visit: impl FnMut(u32)) {
        let swept = &stepping.courses[k as usize].swept;
        let mut visit_other = |other| {
            if other != k {
                visit(other);
            }
        };
        stepping.query_still(swept, |other| {
            if self.places[other as usize].is_none() {
                visit_other(other);
            }
        });
        if let Some(tree) = &self.tree {
            tree.query(swept, |place| visit_other(self.loose[place as usize]));
        }
        for &other in &self.loose[self.planted..] {
            if swept.overlaps(&stepping.courses[other as usize].swept) {
                visit_other(other);
            }
        }
    }
}
