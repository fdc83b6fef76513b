//! Where a node's items are divided: the three rules.

use super::aabb_tree::Node;
use super::build::{Bounds, ITEM_PRICE, centre};
use crate::bounds::fit;
use crate::geometry::mesh::TriMesh;
use crate::math::{Point, Real, Vector};

/// Bins of each axis.
const BINS: usize = 16;

/// A way to divide items in two, with at least one on each side.
pub(super) struct Cut {
    side: Side,
    /// What the surface area heuristic expects; zero where it was not asked.
    pub(super) price: Real,
}

enum Side {
    /// Those in bins below `bin` along `axis` go left.
    Bin { bins: Bins, axis: usize, bin: usize },
    /// Those whose centre's product with `direction` is less than `at` go left.
    Plane { direction: [f32; 3], at: f32 },
}

impl Cut {
    #[inline]
    pub(super) fn goes_left(&self, centre: &[f32; 3]) -> bool {
        match &self.side {
            Side::Bin { bins, axis, bin } => bins.of(centre, *axis) < *bin,
            Side::Plane { direction, at } => along(direction, centre) < *at,
        }
    }

    /// A cut at a plane; `None` when it would leave one side empty.
    fn at_plane(items: &[Node], direction: [f32; 3], at: f32) -> Option<Self> {
        let left = items.iter().filter(|item| along(&direction, &centre(item)) < at).count();
        (left > 0 && left < items.len()).then_some(Self { side: Side::Plane { direction, at }, price: 0.0 })
    }
}

#[inline]
fn along(direction: &[f32; 3], p: &[f32; 3]) -> f32 {
    direction[0] * p[0] + direction[1] * p[1] + direction[2] * p[2]
}

/// Where the bins are.
#[derive(Clone, Copy)]
struct Bins {
    start: [f32; 3],
    per_metre: [f32; 3],
    count: usize,
}

impl Bins {
    #[inline]
    fn of(&self, centre: &[f32; 3], axis: usize) -> usize {
        (((centre[axis] - self.start[axis]) * self.per_metre[axis]) as usize).min(self.count - 1)
    }
}

/// Up to this many items every cut is tried: bins cost more than sorting so few.
const FEW: usize = 8;

/// The expected work of two children with these areas and counts.
#[inline]
fn price(area: Real, left_area: Real, left: usize, right_area: Real, right: usize) -> Real {
    let work = ITEM_PRICE * (left_area * left as Real + right_area * right as Real);
    // Items on one line have no area around them: any cut is as good, and the counts decide.
    1.0 + if area > 0.0 { work / area } else { left.max(right) as Real }
}

/// [`surface_area`] over every cut between two centres.
fn surface_area_of_few(items: &[Node], area: Real) -> Option<Cut> {
    let mut best: Option<(Real, usize, f32)> = None;
    for axis in 0..3 {
        let mut sorted = [(0.0_f32, 0_usize); FEW];
        for (i, item) in items.iter().enumerate() {
            let key = centre(item)[axis];
            let mut at = i;
            while at > 0 && sorted[at - 1].0 > key {
                sorted[at] = sorted[at - 1];
                at -= 1;
            }
            sorted[at] = (key, i);
        }
        let mut right_area = [0.0; FEW];
        let mut right = Bounds::EMPTY;
        for k in (1..items.len()).rev() {
            right.merge_item(&items[sorted[k].1]);
            right_area[k] = right.area();
        }
        let mut left = Bounds::EMPTY;
        for k in 1..items.len() {
            left.merge_item(&items[sorted[k - 1].1]);
            if sorted[k - 1].0 == sorted[k].0 {
                continue;
            }
            let price = price(area, left.area(), k, right_area[k], items.len() - k);
            if best.is_none_or(|(least, _, _)| price < least) {
                best = Some((price, axis, sorted[k].0));
            }
        }
    }
    best.map(|(price, axis, at)| {
        let mut direction = [0.0; 3];
        direction[axis] = 1.0;
        Cut { side: Side::Plane { direction, at }, price }
    })
}

/// The cut with the least expected work; `None` when all centres are in one place (or too far apart for numbers).
pub(super) fn surface_area(items: &[Node], area: Real, centres: &Bounds) -> Option<Cut> {
    if items.len() <= FEW {
        return surface_area_of_few(items, area);
    }
    let count = BINS;
    let per_metre = centres.extents().map(|extent| {
        let rate = count as f32 / extent;
        if rate.is_finite() { rate } else { 0.0 }
    });
    let bins = Bins { start: centres.min(), per_metre, count };
    let mut filled = [[(Bounds::EMPTY, 0_u32); BINS]; 3];
    for item in items {
        let centre = centre(item);
        for (axis, filled) in filled.iter_mut().enumerate() {
            let bin = &mut filled[bins.of(&centre, axis)];
            bin.0.merge_item(item);
            bin.1 += 1;
        }
    }
    let mut best: Option<(Real, usize, usize)> = None;
    for (axis, filled) in filled.iter().enumerate().filter(|(axis, _)| per_metre[*axis] > 0.0) {
        // From the right: the area of all bins from each on.
        let mut right_area = [0.0; BINS];
        let mut right = Bounds::EMPTY;
        for bin in (1..count).rev() {
            right.merge(&filled[bin].0);
            right_area[bin] = right.area();
        }
        let (mut left, mut left_count) = (Bounds::EMPTY, 0);
        for bin in 1..count {
            left.merge(&filled[bin - 1].0);
            left_count += filled[bin - 1].1 as usize;
            // A cut behind an empty bin is the cut before it.
            if filled[bin - 1].1 == 0 || left_count == items.len() {
                continue;
            }
            let price = price(area, left.area(), left_count, right_area[bin], items.len() - left_count);
            if best.is_none_or(|(least, _, _)| price < least) {
                best = Some((price, axis, bin));
            }
        }
    }
    best.map(|(price, axis, bin)| Cut { side: Side::Bin { bins, axis, bin }, price })
}

/// Through the middle of the box's longest side, or of the next longest that parts the centres.
pub(super) fn cube_like(items: &[Node], around: &Bounds) -> Option<Cut> {
    let extents = around.extents();
    let mut axes = [0, 1, 2];
    axes.sort_by(|&i, &j| extents[j].total_cmp(&extents[i]));
    axes.into_iter().find_map(|axis| {
        let mut direction = [0.0; 3];
        direction[axis] = 1.0;
        Cut::at_plane(items, direction, around.middle(axis))
    })
}

/// Across the direction of the hull's greatest spread, at its mean, or of the next greatest that parts the centres.
pub(super) fn hull_covariance(items: &[Node], mesh: Option<&TriMesh>) -> Option<Cut> {
    let points: Vec<Point> = items
        .iter()
        .flat_map(|item| match mesh {
            Some(mesh) => mesh.triangle(item.link as usize).to_vec(),
            None => vec![Point::from(centre(item).map(Real::from))],
        })
        .collect();
    // All corners of few triangles are about the hull's.
    let spread = if items.len() <= FEW { fit::point_spread(&points) } else { fit::hull_spread(&points) };
    spread.axes.into_iter().find_map(|axis: Vector| {
        // Shifted by the mean in the larger numbers, so that a mesh far from its origin is still parted.
        let direction: [f32; 3] = [axis.x as f32, axis.y as f32, axis.z as f32];
        Cut::at_plane(items, direction, axis.dot(&spread.mean.coords) as f32)
    })
}
