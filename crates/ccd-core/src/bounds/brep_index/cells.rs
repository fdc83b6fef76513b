//! The regions of the index as convex polygons: what a view draws of it.

use super::BrepIndex;
use super::node::{Branch, IndexNode, Side, Subtree};
use crate::geometry::mesh::Plane;
use crate::math::{Point, Real, orthonormal_basis};
use crate::volume::Aabb;

/// The region of a subtree, as much of it as is in the solid's box.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexCell {
    /// Where the subtree hangs; `None` for the root.
    pub at: Option<Branch>,
    /// What divides the region, or what it is.
    pub subtree: Subtree,
    /// 3 for a region of space, 2 of a plane, 1 of a line, 0 a point.
    pub dimension: u8,
    /// Of a region of space the walls, of one of a plane itself: convex polygons. Of one of a line its two ends, of a point itself,
    /// as one list. Nothing where the region has no part in the box, or none that rounding leaves. In the solid's frame;
    /// to be drawn, not to be decided by.
    pub polygons: Vec<Vec<Point>>,
}

impl BrepIndex {
    /// The whole tree: a node, or what the single region is.
    pub fn root(&self) -> Subtree {
        self.root.open()
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Node `number`: its plane, and what is to its sides.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn node(&self, number: u32) -> IndexNode {
        let node = &self.nodes[number as usize];
        IndexNode { plane: node.plane, dimension: node.dimension, children: Side::ALL.map(|s| node.child(s).open()) }
    }

    /// The regions of level `level`: of the subtrees at that depth, and of the leaves above it. Together they are all of space,
    /// with the planes and lines between. Level 0 is the root. Linear in the nodes above the level.
    pub fn cells(&self, level: usize) -> Vec<IndexCell> {
        let mut found = Vec::new();
        let mut open = vec![(self.whole(), 0)];
        while let Some((cell, depth)) = open.pop() {
            match cell.subtree {
                Subtree::Node(node) if depth < level => {
                    // The uppermost last, so that it comes first.
                    open.extend([Side::Below, Side::On, Side::Above].map(|s| (self.part(&cell, node, s), depth + 1)));
                }
                _ => found.push(cell),
            }
        }
        found
    }

    /// The region at the end of a way from the root, as [`super::IndexWalk::way_to`] tells it. A way that leads below a leaf ends there.
    pub fn cell(&self, way: &[Branch]) -> IndexCell {
        way.iter().fold(self.whole(), |cell, branch| match cell.subtree {
            Subtree::Node(node) if node == branch.node => self.part(&cell, node, branch.side),
            _ => cell,
        })
    }

    /// What of a node's plane, or line, or point, divides its region: the part of it that is in the region. `cell` is that of the node.
    pub fn divider(&self, cell: &IndexCell) -> Option<IndexCell> {
        match cell.subtree {
            Subtree::Node(node) => Some(self.part(cell, node, Side::On)),
            Subtree::Leaf(_) => None,
        }
    }

    fn whole(&self) -> IndexCell {
        IndexCell { at: None, subtree: self.root(), dimension: 3, polygons: walls(&self.around) }
    }

    /// What of a cell is on one side of its node's plane.
    fn part(&self, cell: &IndexCell, number: u32, side: Side) -> IndexCell {
        let node = &self.nodes[number as usize];
        let plane = if side == Side::Above {
            node.plane
        } else {
            Plane { normal: -node.plane.normal, offset: -node.plane.offset }
        };
        let polygons = match (cell.dimension, side) {
            (_, Side::On) => vec![common(&cell.polygons, &plane)],
            (3, _) => {
                let mut kept: Vec<Vec<Point>> = cell.polygons.iter().map(|p| above(p, &plane)).collect();
                let is_cut = cell.polygons.iter().flatten().any(|p| plane.height(p) < 0.0);
                if is_cut {
                    kept.push(common(&cell.polygons, &plane));
                }
                kept
            }
            _ => cell.polygons.iter().map(|p| above(p, &plane)).collect(),
        };
        let dimension = node.dimension - u8::from(side == Side::On);
        let least = usize::from(dimension.min(2)) + 1;
        IndexCell {
            at: Some(Branch { node: number, side }),
            subtree: node.child(side).open(),
            dimension,
            polygons: polygons.into_iter().filter(|p| p.len() >= least).collect(),
        }
    }
}

/// The six walls of a box.
fn walls(aabb: &Aabb) -> Vec<Vec<Point>> {
    let corners = aabb.corners();
    let loops = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    loops.map(|wall| wall.map(|i: usize| corners[i]).to_vec()).to_vec()
}

/// Where the segment between points with these heights, of opposite sign, passes the plane.
fn crossing(p: &Point, h: Real, q: &Point, k: Real) -> Point {
    p + (q - p) * (h / (h - k))
}

/// The part of a convex polygon, or of a segment's two ends, or of a point, that is above a plane.
fn above(polygon: &[Point], plane: &Plane) -> Vec<Point> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, p) in polygon.iter().enumerate() {
        let q = &polygon[(k + 1) % polygon.len()];
        let (h, next) = (plane.height(p), plane.height(q));
        if h >= 0.0 {
            kept.push(*p);
        }
        let is_way_back = polygon.len() == 2 && k == 1;
        if h * next < 0.0 && !is_way_back {
            kept.push(crossing(p, h, q, next));
        }
    }
    kept
}

/// What a plane has in common with convex polygons: with the walls of a convex body a convex polygon, with one polygon a segment, with a
/// segment a point.
fn common(polygons: &[Vec<Point>], plane: &Plane) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for polygon in polygons {
        for (k, p) in polygon.iter().enumerate() {
            let q = &polygon[(k + 1) % polygon.len()];
            let (h, next) = (plane.height(p), plane.height(q));
            if h == 0.0 {
                points.push(*p);
            } else if h * next < 0.0 {
                points.push(crossing(p, h, q, next));
            }
        }
    }
    let size = points.iter().map(|p| p.coords.amax()).fold(0.0, Real::max);
    let mut distinct: Vec<Point> = Vec::with_capacity(points.len());
    for p in points {
        if distinct.iter().all(|q| (p - q).amax() > 1e-12 * size) {
            distinct.push(p);
        }
    }
    if distinct.len() < 3 {
        return distinct;
    }
    // Around the middle, seen from above.
    let middle = Point::from(distinct.iter().map(|p| p.coords).sum::<crate::math::Vector>() / distinct.len() as Real);
    let (u, v) = orthonormal_basis(&plane.normal);
    let angle = |p: &Point| (p - middle).dot(&v).atan2((p - middle).dot(&u));
    distinct.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    distinct
}
