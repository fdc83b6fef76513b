//! Classifying a point.

use super::exact::Nearest;
use super::{IndexStats, Place};
use crate::bounds::brep_index::BrepIndex;
use crate::bounds::brep_index::node::{Leaf, Packed, Side, Subtree};
use crate::math::{Point, Real, Vector};

/// Where a point is asked again that is too close to a plane to call: directions that no model has planes along.
const BESIDE: [[Real; 3]; 4] = [
    [0.453_187, 0.713_921, -0.533_803],
    [-0.801_943, 0.237_649, 0.548_101],
    [0.318_877, -0.583_211, 0.747_137],
    [-0.177_013, -0.690_337, -0.701_509],
];

/// How far beside, in thicknesses: less than half the least ε, of which the point's ball is free of surface.
const STEP: Real = 24.0;

/// What the way down by signs alone comes to.
enum Way {
    Leaf(Leaf),
    /// The height above this node's plane is in doubt.
    Near(u32),
}

impl BrepIndex {
    /// Where a point of the solid's frame is: inside, outside, or on the very vertex, edge or face, by the definition in
    /// the module. A point that is not finite is outside. About one plane test for each level of the tree.
    #[inline]
    pub fn classify(&self, point: &Point) -> Place {
        self.classify_counted(point, &mut IndexStats::default())
    }

    /// [`BrepIndex::classify`], adding its cost to `stats`.
    pub fn classify_counted(&self, point: &Point, stats: &mut IndexStats) -> Place {
        if !self.is_near_box(point) {
            return Place::Outside;
        }
        // As long as every plane is further than the reach, the ball around the point is on its way alone.
        match self.descend(self.root, point, self.reach, stats) {
            Way::Leaf(Leaf::Inside) => Place::Inside,
            Way::Leaf(Leaf::Outside) => Place::Outside,
            Way::Leaf(_) => self.classify_exactly(point, stats),
            Way::Near(node) => self.classify_near(node, point, stats),
        }
    }

    /// The paper's check against the box extent.
    #[inline]
    pub(super) fn is_near_box(&self, p: &Point) -> bool {
        let (min, max) = (&self.around.min, &self.around.max);
        p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y && p.z >= min.z && p.z <= max.z
    }

    /// Goes down by the signs of heights as long as they exceed `margin`.
    #[inline]
    fn descend(&self, from: Packed, point: &Point, margin: Real, stats: &mut IndexStats) -> Way {
        let mut at = from;
        let mut tests = 0;
        let way = loop {
            let Some(number) = at.as_node() else {
                break match at.open() {
                    Subtree::Leaf(leaf) => Way::Leaf(leaf),
                    Subtree::Node(node) => Way::Near(node),
                };
            };
            let node = &self.nodes[number as usize];
            tests += 1;
            let height = node.plane.height(point);
            if height.abs() <= margin {
                break Way::Near(number);
            }
            at = node.child(if height > 0.0 { Side::Above } else { Side::Below });
        };
        stats.plane_tests += tests;
        way
    }

    /// The point's ball reaches over the plane of `node`: everything that it reaches below there is measured.
    #[cold]
    fn classify_near(&self, node: u32, point: &Point, stats: &mut IndexStats) -> Place {
        let mut nearest = Nearest::to(point, self.tolerance());
        let mut is_undecided = false;
        let mut last_face = None;
        let mut open = vec![Packed::node(node)];
        while let Some(subtree) = open.pop() {
            let leaf = match subtree.open() {
                Subtree::Node(number) => {
                    let node = &self.nodes[number as usize];
                    stats.plane_tests += 1;
                    let height = node.plane.height(point);
                    if height >= -self.reach {
                        open.push(node.child(Side::Above));
                    }
                    if height <= self.reach {
                        open.push(node.child(Side::Below));
                    }
                    // On the plane last, so that it is looked at first: what lies there beats what is beside.
                    if height.abs() <= self.reach {
                        open.push(node.child(Side::On));
                    }
                    continue;
                }
                Subtree::Leaf(leaf) => leaf,
            };
            match leaf {
                Leaf::Inside | Leaf::Outside | Leaf::Extension => {}
                Leaf::Undecided => is_undecided = true,
                Leaf::Vertex(v) => {
                    stats.features_tested += 1;
                    self.offer_vertex(&mut nearest, v);
                }
                Leaf::Edge(e) => self.offer_edge(&mut nearest, e, stats),
                Leaf::Face(f) => {
                    // A face cut by many planes has many leaves in a row.
                    if last_face.replace(f) != Some(f) {
                        self.offer_face(&mut nearest, f, stats);
                    }
                }
            }
        }
        if is_undecided {
            return self.classify_exactly(point, stats);
        }
        if let Some(feature) = nearest.feature() {
            return Place::On(feature);
        }
        // Beside a plane, not on the surface, says the tree. The triangles' boxes have the last word.
        if let Some(feature) = self.feature_at(point, stats) {
            stats.recovered += 1;
            return Place::On(feature);
        }
        self.side_off_surface(point, stats)
    }

    /// Inside or outside, for a point whose ε-ball is free of surface.
    pub(super) fn side_off_surface(&self, point: &Point, stats: &mut IndexStats) -> Place {
        let clearance = 2.0 * self.thickness;
        let side = |way: Way| match way {
            Way::Leaf(Leaf::Inside) => Some(Place::Inside),
            Way::Leaf(Leaf::Outside) => Some(Place::Outside),
            _ => None,
        };
        if let Some(place) = side(self.descend(self.root, point, clearance, stats)) {
            return place;
        }
        for direction in BESIDE {
            let beside = point + Vector::from(direction) * (STEP * self.thickness);
            if !self.is_near_box(&beside) {
                return Place::Outside;
            }
            if let Some(place) = side(self.descend(self.root, &beside, clearance, stats)) {
                stats.moved += 1;
                return place;
            }
        }
        self.side_exactly(point, stats)
    }
}
