//! Building the tree: the surface area heuristic over bins.
//!
//! Items are rounded to `f32` first; merging rounded boxes loses nothing more, so every node gets the box it would get
//! by rounding the exact one.

use super::aabb_tree::Node;
use crate::math::Real;

/// The most items of a leaf.
const LEAF_ITEMS: usize = 4;
/// Bins of each axis.
const BINS: usize = 16;
/// The price of looking at an item in units of looking at a node: exact tests cost more than boxes.
const ITEM_PRICE: Real = 2.0;
/// From this depth on nodes are halved by count, so that the depth stays under [`MAX_DEPTH`] however the items lie.
const SAH_DEPTH: usize = 48;
/// A bound on the depth: 2³² items are halved 32 times.
pub(super) const MAX_DEPTH: usize = SAH_DEPTH + 33;

/// The nodes in depth-first order, and the items' numbers in the order of the leaves.
pub(super) fn build(mut items: Vec<Node>) -> (Vec<Node>, Vec<u32>) {
    let mut nodes = Vec::with_capacity(items.len());
    if !items.is_empty() {
        split(&mut items, 0, 0, &mut nodes);
    }
    nodes.shrink_to_fit();
    (nodes, items.iter().map(|item| item.link).collect())
}

/// Appends the nodes over `items`, which lie at `first` in the order.
fn split(items: &mut [Node], first: usize, depth: usize, nodes: &mut Vec<Node>) {
    let mut around = Bounds::EMPTY;
    let mut centres = Bounds::EMPTY;
    for item in &*items {
        around.merge(&Bounds { min: item.min, max: item.max });
        let centre = centre(item);
        centres.merge(&Bounds { min: centre, max: centre });
    }
    let cut = if items.len() == 1 { None } else { cheapest_cut(items, around.area(), &centres) };
    let worth_it = cut.as_ref().is_some_and(|c| c.price < ITEM_PRICE * items.len() as Real);
    let Bounds { min, max } = around;
    if items.len() <= LEAF_ITEMS && !worth_it {
        nodes.push(Node { min, link: first as u32, max, count: items.len() as u32 });
        return;
    }
    let middle = match cut {
        Some(cut) if depth < SAH_DEPTH => partition(items, |item| cut.bins.of(item)[cut.axis] < cut.bin),
        // Equal centres, or too deep: halves of equal count along the longest axis, equal places by number.
        _ => {
            let extent = |k: usize| centres.max[k] - centres.min[k];
            let axis = if extent(0) >= extent(1) && extent(0) >= extent(2) {
                0
            } else if extent(1) >= extent(2) {
                1
            } else {
                2
            };
            items.sort_unstable_by(|a, b| centre(a)[axis].total_cmp(&centre(b)[axis]).then(a.link.cmp(&b.link)));
            items.len() / 2
        }
    };
    let here = nodes.len();
    nodes.push(Node { min, link: 0, max, count: 0 });
    let (left, right) = items.split_at_mut(middle);
    split(left, first, depth + 1, nodes);
    nodes[here].link = (nodes.len() - here) as u32;
    split(right, first + middle, depth + 1, nodes);
}

/// Moves the items that go left to the front; answers how many they are.
fn partition(items: &mut [Node], goes_left: impl Fn(&Node) -> bool) -> usize {
    let mut left = 0;
    for i in 0..items.len() {
        if goes_left(&items[i]) {
            items.swap(left, i);
            left += 1;
        }
    }
    left
}

/// The middle of an item's box. Halved first, so that the sum cannot overflow.
#[inline]
fn centre(item: &Node) -> [f32; 3] {
    std::array::from_fn(|k| 0.5 * item.min[k] + 0.5 * item.max[k])
}

/// A box of `f32`.
#[derive(Clone, Copy)]
struct Bounds {
    min: [f32; 3],
    max: [f32; 3],
}

impl Bounds {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    #[inline]
    fn merge(&mut self, other: &Self) {
        for k in 0..3 {
            // Not `f32::min`: items have no NaN, and a plain comparison is one instruction.
            self.min[k] = if other.min[k] < self.min[k] { other.min[k] } else { self.min[k] };
            self.max[k] = if other.max[k] > self.max[k] { other.max[k] } else { self.max[k] };
        }
    }

    /// Half the surface area.
    fn area(&self) -> Real {
        let [x, y, z] = std::array::from_fn(|k| Real::from(self.max[k]) - Real::from(self.min[k]));
        if x < 0.0 { 0.0 } else { x * y + y * z + z * x }
    }
}

/// A way to divide items in two: those in bins below `bin` along `axis`, and the others.
struct Cut {
    bins: Bins,
    axis: usize,
    bin: usize,
    price: Real,
}

/// Where the bins are.
#[derive(Clone, Copy)]
struct Bins {
    start: [f32; 3],
    per_metre: [f32; 3],
    count: usize,
}

impl Bins {
    /// The item's bin along each axis.
    #[inline]
    fn of(&self, item: &Node) -> [usize; 3] {
        let centre = centre(item);
        std::array::from_fn(|k| (((centre[k] - self.start[k]) * self.per_metre[k]) as usize).min(self.count - 1))
    }
}

/// The cut with the least expected work; `None` when all centres are in one place (or too far apart for numbers).
fn cheapest_cut(items: &[Node], area: Real, centres: &Bounds) -> Option<Cut> {
    // Few items need few bins.
    let count = BINS.min(2 * items.len());
    let per_metre = std::array::from_fn(|k| {
        let rate = count as f32 / (centres.max[k] - centres.min[k]);
        if rate.is_finite() { rate } else { 0.0 }
    });
    let bins = Bins { start: centres.min, per_metre, count };
    let mut filled = [[(Bounds::EMPTY, 0_usize); BINS]; 3];
    for item in items {
        let bounds = Bounds { min: item.min, max: item.max };
        for (bins, bin) in filled.iter_mut().zip(bins.of(item)) {
            bins[bin].0.merge(&bounds);
            bins[bin].1 += 1;
        }
    }
    let mut best: Option<Cut> = None;
    for (axis, filled) in filled.iter().enumerate().filter(|(axis, _)| per_metre[*axis] > 0.0) {
        // From the right: area × count of all bins from each on.
        let mut right_work = [0.0; BINS];
        let (mut right, mut right_count) = (Bounds::EMPTY, 0);
        for bin in (1..count).rev() {
            right.merge(&filled[bin].0);
            right_count += filled[bin].1;
            right_work[bin] = right.area() * right_count as Real;
        }
        let (mut left, mut left_count) = (Bounds::EMPTY, 0);
        for bin in 1..count {
            left.merge(&filled[bin - 1].0);
            left_count += filled[bin - 1].1;
            if left_count == 0 || left_count == items.len() {
                continue;
            }
            let work = ITEM_PRICE * (left.area() * left_count as Real + right_work[bin]);
            // Items on one line have no area around them: any cut is as good, and the counts decide.
            let price = 1.0 + if area > 0.0 { work / area } else { (items.len() - left_count).max(left_count) as Real };
            if best.as_ref().is_none_or(|b| price < b.price) {
                best = Some(Cut { bins, axis, bin, price });
            }
        }
    }
    best
}
