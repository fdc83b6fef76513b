//! A capsule around each larger node of a tree over triangles.
//!
//! **Problem.** The boxes of a tree lie along the axes, and their corners are empty. Around a piece of a tube, a limb or a wire, which
//! is round across and lies as it likes, they reach much further than what they hold.
//! **Idea.** Beside the box, keep a segment and a radius. Two capsules tell their distance by the nearest points of two segments.
//! **Guarantee.** All triangles of a node are in its capsule: the radius is taken from the segment as it is kept, in `f32`, and
//! rounded up.
//! **Limits.** Only nodes of some triangles have one, and only those that are narrower by it than by their boxes: 28 bytes each,
//! and a bit and a half for each node.
//! **Source.** Larsen, Gottschalk, Lin and Manocha (1999), swept spheres as volumes; the fit is ours.

use super::AabbTree;
use crate::bounds::fit::point_spread;
use crate::geometry::mesh::TriMesh;
use crate::math::{Point, Real, Vector};

/// The capsules of the nodes of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCapsules {
    /// Of the nodes that have one, in their order.
    capsules: Vec<Packed>,
    /// For each 64 nodes, a bit for each that has one.
    kept: Vec<u64>,
    /// For each 64 nodes, how many before them have one.
    before: Vec<u32>,
}

/// The points that are no further than `radius` from the segment from `middle - half` to `middle + half`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeCapsule {
    /// The middle of the segment, metres, in the frame of the mesh.
    pub middle: Point,
    /// Half of the segment, metres.
    pub half: Vector,
    /// Metres.
    pub radius: Real,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Packed {
    middle: [f32; 3],
    half: [f32; 3],
    radius: f32,
}

/// Nodes of fewer triangles have none: they are about to be split into triangles.
const LEAST: usize = 8;
/// A capsule is kept where its mean width is less than this share of the box's.
const NARROWER: Real = 1.0;

impl NodeCapsules {
    /// The capsules of `tree`, which is over the triangles of `mesh`. O(n log n).
    pub fn of(mesh: &TriMesh, tree: &AabbTree) -> Self {
        let words = tree.node_count().div_ceil(64);
        let mut found = Self { capsules: Vec::new(), kept: vec![0; words], before: Vec::with_capacity(words) };
        let mut points = Vec::new();
        for (node, range) in tree.ranges().into_iter().enumerate() {
            if node % 64 == 0 {
                found.before.push(found.capsules.len() as u32);
            }
            if range.len() < LEAST {
                continue;
            }
            points.clear();
            points.extend(tree.order()[range].iter().flat_map(|&face| mesh.triangle(face as usize)));
            let capsule = Packed::around(&points);
            // The mean width of a box is half the sum of its sides.
            let of_box = tree.node(node as u32).aabb.half_extents().sum();
            if capsule.unpack().mean_width() < NARROWER * of_box {
                found.capsules.push(capsule);
                found.kept[node / 64] |= 1 << (node % 64);
            }
        }
        found.capsules.shrink_to_fit();
        found
    }

    /// The capsule of node `index`, where it has one.
    ///
    /// # Panics
    /// When there is no such node.
    #[inline]
    pub fn capsule(&self, index: u32) -> Option<NodeCapsule> {
        let (word, bit) = (index as usize / 64, index % 64);
        let kept = self.kept[word];
        let below = kept & ((1 << bit) - 1);
        (kept >> bit & 1 == 1).then(|| self.capsules[(self.before[word] + below.count_ones()) as usize].unpack())
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        size_of_val(&*self.capsules) + size_of_val(&*self.kept) + size_of_val(&*self.before)
    }
}

impl NodeCapsule {
    /// Of its widths in all directions, metres.
    fn mean_width(&self) -> Real {
        self.half.norm() + 2.0 * self.radius
    }

    /// How far a point is from the segment, metres.
    fn distance_to_segment(&self, p: &Point) -> Real {
        let arm = p - self.middle;
        let squared = self.half.norm_squared();
        let share = if squared > 0.0 { (arm.dot(&self.half) / squared).clamp(-1.0, 1.0) } else { 0.0 };
        (arm - self.half * share).norm()
    }
}

impl Packed {
    /// A narrow one around points, of which there is at least one: along their greatest spread, as long as its round ends let it be.
    fn around(points: &[Point]) -> Self {
        let axes = point_spread(points).axes;
        let spans = axes.map(|axis| {
            let span =
                |[low, high]: [Real; 2], p: &Point| [low.min(axis.dot(&p.coords)), high.max(axis.dot(&p.coords))];
            points.iter().fold([Real::INFINITY, Real::NEG_INFINITY], span)
        });
        let [along, _, _] = axes;
        let across = [1, 2].map(|k| axes[k] * (0.5 * (spans[k][0] + spans[k][1]))).iter().sum::<Vector>();
        let off = |p: &Point| {
            let arm = p.coords - across;
            (arm - along * along.dot(&arm)).norm_squared()
        };
        let widest = points.iter().map(off).fold(0.0, Real::max);
        // A point reaches the segment wherever that comes into the chord that a ball around the point cuts out of the line.
        let (mut first, mut last) = (Real::INFINITY, Real::NEG_INFINITY);
        for p in points {
            let (at, chord) = (along.dot(&p.coords), (widest - off(p)).max(0.0).sqrt());
            (first, last) = (first.min(at + chord), last.max(at - chord));
        }
        let middle = across + along * (0.5 * (first + last));
        let half = along * (0.5 * (last - first)).max(0.0);
        let single = |v: Vector| -> [f32; 3] { v.map(|x| x as f32).into() };
        let kept = Self { middle: single(middle), half: single(half), radius: 0.0 };
        let segment = kept.unpack();
        let radius = points.iter().map(|p| segment.distance_to_segment(p)).fold(0.0, Real::max);
        Self { radius: (radius as f32).next_up(), ..kept }
    }

    #[inline]
    fn unpack(&self) -> NodeCapsule {
        NodeCapsule {
            middle: Point::from(self.middle.map(Real::from)),
            half: Vector::from(self.half.map(Real::from)),
            radius: self.radius.into(),
        }
    }
}

/// From the nearest point of a segment around zero to that of a segment around `between`, to rounding; each is given by its half.
/// For a direction: a gap that is measured along it holds however good it is, so that none of the nearest points' corner cases matter.
#[inline]
pub(crate) fn nearest_way(between: &Vector, half_a: &Vector, half_b: &Vector) -> Vector {
    let (aa, bb, ab) = (half_a.norm_squared(), half_b.norm_squared(), half_a.dot(half_b));
    let (ad, bd) = (half_a.dot(between), half_b.dot(between));
    let within = |numerator: Real, denominator: Real| {
        if denominator > 0.0 { (numerator / denominator).clamp(-1.0, 1.0) } else { 0.0 }
    };
    // The lines' nearest points, then each in turn the nearest of its segment to the other's.
    let on_a = within(ad * bb - ab * bd, aa * bb - ab * ab);
    let on_b = within(on_a * ab - bd, bb);
    let on_a = within(on_b * ab + ad, aa);
    between + half_b * on_b - half_a * on_a
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::mesh::samples;

    fn assert_all_inside(mesh: &TriMesh) -> usize {
        let tree = AabbTree::build(mesh);
        let capsules = NodeCapsules::of(mesh, &tree);
        let mut kept = 0;
        for (node, range) in tree.ranges().into_iter().enumerate() {
            let Some(capsule) = capsules.capsule(node as u32) else { continue };
            kept += 1;
            assert!(range.len() >= LEAST);
            for &face in &tree.order()[range] {
                for corner in mesh.triangle(face as usize) {
                    let off = capsule.distance_to_segment(&corner);
                    assert!(off <= capsule.radius, "node {node}, face {face}: {off} m from {capsule:?}");
                }
            }
        }
        assert_eq!(kept, capsules.capsules.len());
        kept
    }

    proptest! {
        #[test]
        fn every_triangle_is_in_the_capsule_of_every_node_above_it(
            corners in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 24..300),
            thin in prop::array::uniform3(-6..1_i32),
            (shift, size) in (-100.0..100.0_f64, -3..4_i32),
        ) {
            let place = |c: &[Real; 3]| {
                let at = [0, 1, 2].map(|k| (shift + c[k] * 10.0_f64.powi(thin[k])) * 10.0_f64.powi(size));
                Point::from(at)
            };
            let count = corners.len() as u32 / 3;
            let triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            let Ok(mesh) = TriMesh::try_new(corners.iter().map(place).collect(), triangles) else { return Ok(()) };
            assert_all_inside(&mesh);
        }
    }

    #[test]
    fn a_tube_has_capsules_and_a_box_of_triangles_along_the_axes_has_none() {
        let ring = samples::ring(32, 16);
        let larger = AabbTree::build(&ring).ranges().into_iter().filter(|range| range.len() >= LEAST).count();
        let kept = assert_all_inside(&ring);
        assert!(2 * kept > larger, "{kept} of {larger}");
        let place = |i: u32| Point::new(f64::from(i % 9), 0.0, f64::from(i / 9));
        let quads = (0..8).flat_map(|i| (0..8).map(move |j| 9 * i + j));
        let triangles = quads.flat_map(|k| [[k, k + 9, k + 1], [k + 1, k + 9, k + 10]]).collect();
        assert_eq!(assert_all_inside(&TriMesh::try_new((0..81).map(place).collect(), triangles).unwrap()), 0);
    }

    proptest! {
        #[test]
        fn the_nearest_way_is_that_of_segments_which_cross_and_never_longer_than_between_their_middles(
            halves in prop::array::uniform2(prop::array::uniform3(-1.0..1.0_f64)),
            shares in prop::array::uniform2(-1.0..1.0_f64), far in 1e-3..1.0_f64,
        ) {
            let [a, b] = halves.map(Vector::from);
            let Some(across) = a.cross(&b).try_normalize(1e-2) else { return Ok(()) };
            let between = a * shares[0] + across * far - b * shares[1];
            prop_assert!((nearest_way(&between, &a, &b) - across * far).norm() < 1e-9);
            for between in [between, b * shares[0] + a] {
                prop_assert!(nearest_way(&between, &a, &b).norm() <= between.norm() + 1e-12);
            }
        }
    }
}
