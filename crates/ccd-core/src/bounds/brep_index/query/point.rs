//! Classifying a point.

use super::exact::Nearest;
use super::trace::{Unwatched, WalkKind, Watch};
use super::{IndexStats, Place};
use crate::bounds::brep_index::BrepIndex;
use crate::bounds::brep_index::node::{Branch, Leaf, Packed, Side, Subtree};
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
    /// The height above the plane of this node, which hangs there, is in doubt.
    Near(Option<Branch>, u32),
}

impl BrepIndex {
    /// Where a point of the solid's frame is: inside, outside, or on the very vertex, edge or face, by the definition in
    /// the module. A point that is not finite is outside. By the default recipe a few plane tests, else about one for each
    /// level of the tree.
    #[inline]
    pub fn classify(&self, point: &Point) -> Place {
        self.classify_counted(point, &mut IndexStats::default())
    }

    /// [`BrepIndex::classify`], adding its cost to `stats`.
    #[inline]
    pub fn classify_counted(&self, point: &Point, stats: &mut IndexStats) -> Place {
        self.classify_watched(point, stats, &mut Unwatched)
    }

    #[inline]
    pub(super) fn classify_watched(&self, point: &Point, stats: &mut IndexStats, watch: &mut impl Watch) -> Place {
        if !self.is_near_box(point) {
            return Place::Outside;
        }
        watch.walk(WalkKind::Ball, point);
        // As long as every plane is further than the reach, the ball around the point is on its way alone.
        match self.descend(point, self.reach, stats, watch) {
            Way::Leaf(Leaf::Inside) => Place::Inside,
            Way::Leaf(Leaf::Outside) => Place::Outside,
            Way::Leaf(_) => self.classify_exactly(point, stats),
            Way::Near(at, node) => self.classify_near(at, node, point, stats, watch),
        }
    }

    /// The paper's check against the box extent.
    #[inline]
    pub(super) fn is_near_box(&self, p: &Point) -> bool {
        let (min, max) = (&self.around.min, &self.around.max);
        p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y && p.z >= min.z && p.z <= max.z
    }

    /// Goes down by the signs of heights as long as they exceed `margin`, which is at most the reach.
    #[inline]
    fn descend(&self, point: &Point, margin: Real, stats: &mut IndexStats, watch: &mut impl Watch) -> Way {
        let mut subtree = self.first_subtree(point, watch);
        let mut at = None;
        let mut tests = 0;
        let way = loop {
            let Some(number) = subtree.as_node() else {
                watch.step(at, subtree, 0.0);
                break match subtree.open() {
                    Subtree::Leaf(leaf) => Way::Leaf(leaf),
                    Subtree::Node(node) => Way::Near(at, node),
                };
            };
            let node = &self.nodes[number as usize];
            tests += 1;
            let height = node.plane.height(point);
            watch.step(at, subtree, height);
            if height.abs() <= margin {
                break Way::Near(at, number);
            }
            let side = if height > 0.0 { Side::Above } else { Side::Below };
            at = Some(Branch { node: number, side });
            subtree = node.child(side);
        };
        stats.plane_tests += tests;
        way
    }

    /// Where a walk begins: at the root, or behind the planes that are further than the reach from all of the point's cell.
    #[inline]
    fn first_subtree<W: Watch>(&self, point: &Point, _watch: &W) -> Packed {
        if W::FROM_THE_ROOT { self.root } else { self.entries.subtree(point).unwrap_or(self.root) }
    }

    /// The point's ball reaches over the plane of `node`, which hangs at `at`: everything that it reaches below there is
    /// measured.
    #[cold]
    fn classify_near(
        &self,
        at: Option<Branch>,
        node: u32,
        point: &Point,
        stats: &mut IndexStats,
        watch: &mut impl Watch,
    ) -> Place {
        let mut nearest = Nearest::to(point, self.tolerance());
        let mut is_undecided = false;
        let mut last_face = None;
        let mut open = vec![(at, Packed::node(node))];
        while let Some((at, subtree)) = open.pop() {
            let leaf = match subtree.open() {
                Subtree::Node(number) => {
                    let node = &self.nodes[number as usize];
                    stats.plane_tests += 1;
                    let height = node.plane.height(point);
                    watch.step(at, subtree, height);
                    let mut follow = |side| open.push((Some(Branch { node: number, side }), node.child(side)));
                    if height >= -self.reach {
                        follow(Side::Above);
                    }
                    if height <= self.reach {
                        follow(Side::Below);
                    }
                    // On the plane last, so that it is looked at first: what lies there beats what is beside.
                    if height.abs() <= self.reach {
                        follow(Side::On);
                    }
                    continue;
                }
                Subtree::Leaf(leaf) => leaf,
            };
            watch.step(at, subtree, 0.0);
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
        self.side_watched(point, stats, watch)
    }

    /// Inside or outside, for a point whose ε-ball is free of surface.
    pub(super) fn side_off_surface(&self, point: &Point, stats: &mut IndexStats) -> Place {
        self.side_watched(point, stats, &mut Unwatched)
    }

    fn side_watched(&self, point: &Point, stats: &mut IndexStats, watch: &mut impl Watch) -> Place {
        let clearance = 2.0 * self.thickness;
        let side = |way: Way| match way {
            Way::Leaf(Leaf::Inside) => Some(Place::Inside),
            Way::Leaf(Leaf::Outside) => Some(Place::Outside),
            _ => None,
        };
        watch.walk(WalkKind::Side, point);
        if let Some(place) = side(self.descend(point, clearance, stats, watch)) {
            return place;
        }
        for direction in BESIDE {
            let beside = point + Vector::from(direction) * (STEP * self.thickness);
            if !self.is_near_box(&beside) {
                return Place::Outside;
            }
            watch.walk(WalkKind::Beside, &beside);
            if let Some(place) = side(self.descend(&beside, clearance, stats, watch)) {
                stats.moved += 1;
                return place;
            }
        }
        self.side_exactly(point, stats)
    }
}
