//! A static tree of 18-sided slab polytopes over the triangles of a mesh.
//!
//! **Problem.** A volume that hugs closer than an axis-aligned box and is cheaper to test than an oriented one.
//! **Idea.** Slabs along nine fixed directions: the axes and the diagonals of the coordinate planes. Placed differently, a
//! direction of one side is a sum, with no negative weight, of three directions of the other (the three of the cone it lies in),
//! and so bounds the other's extent along it; the weights are found once for each query.
//! **Guarantee.** A node's polytope holds its triangles: slabs are rounded outwards to `f32`.
//! **Limits.** 80 bytes a node. Turned polytopes are bounded, not cut, so the test says "overlap" more often than it must. Measured,
//! it lies between the two kinds of boxes everywhere and is never the best: `docs/hierarchies.md`.
//! **Source.** Klosowski, Held, Mitchell, Sowizral and Zikan (1998), who bound the turned polytope by its corners instead.

use super::{AabbTree, NodeKind, SplitRule, VolumeTree};
use crate::geometry::mesh::TriMesh;
use crate::math::{Point, Pose, Real, Vector};
use crate::volume::{Aabb, Obb};

const SLABS: usize = 9;

/// The directions of the slabs, not unit: the extents along them are sums of coordinates.
const DIRECTIONS: [[Real; 3]; SLABS] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
];

/// Slabs along nine directions, in the frame of the items, metres along the (not unit) directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kdop18 {
    /// The lower bounds: along x, y, z, x+y, x−y, y+z, y−z, x+z, x−z.
    pub min: [f32; SLABS],
    /// The upper bounds.
    pub max: [f32; SLABS],
}

impl Kdop18 {
    const EMPTY: Self = Self { min: [f32::INFINITY; SLABS], max: [f32::NEG_INFINITY; SLABS] };

    fn of_triangle(corners: &[Point; 3]) -> Self {
        let mut kdop = Self::EMPTY;
        for p in corners {
            for (k, d) in DIRECTIONS.iter().enumerate() {
                let at = d[0] * p.x + d[1] * p.y + d[2] * p.z;
                let near = at as f32;
                // Rounded outwards past the rounding of the sum too.
                kdop.min[k] = kdop.min[k].min(if Real::from(near) >= at { near.next_down() } else { near });
                kdop.max[k] = kdop.max[k].max(if Real::from(near) <= at { near.next_up() } else { near });
            }
        }
        kdop
    }

    fn merged(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|k| self.min[k].min(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].max(other.max[k])),
        }
    }

    /// The largest product of a point of the polytope with direction `of`, or its opposite, at most.
    fn support(&self, [(i, u), (j, v), (k, w)]: &Cone) -> Real {
        self.reach(*i) * u + self.reach(*j) * v + self.reach(*k) * w
    }

    /// The extent along direction `side`: those from [`SLABS`] on are the opposite ones.
    fn reach(&self, side: u8) -> Real {
        let side = side as usize;
        if side < SLABS { Real::from(self.max[side]) } else { -Real::from(self.min[side - SLABS]) }
    }

    fn aabb(&self) -> Aabb {
        let corner = |c: &[f32; SLABS]| Point::new(c[0].into(), c[1].into(), c[2].into());
        Aabb { min: corner(&self.min), max: corner(&self.max) }
    }
}

/// A direction as a sum of three sides' directions with weights that are not negative.
type Cone = [(u8, Real); 3];

fn direction(side: usize) -> Vector {
    let d = Vector::from(DIRECTIONS[side % SLABS]);
    if side < SLABS { d } else { -d }
}

/// The side along axis `i` or against it.
fn axis_side(i: usize, positive: bool) -> u8 {
    (if positive { i } else { i + SLABS }) as u8
}

/// The side along the diagonal of axes `i` and `j`, each taken forwards or backwards.
fn diagonal_side((i, i_positive): (usize, bool), (j, j_positive): (usize, bool)) -> u8 {
    let ((first, first_positive), (second, second_positive)) =
        if i < j { ((i, i_positive), (j, j_positive)) } else { ((j, j_positive), (i, i_positive)) };
    let sum = match (first, second) {
        (0, 1) => 3,
        (1, 2) => 5,
        _ => 7,
    };
    let slab = if first_positive == second_positive { sum } else { sum + 1 };
    axis_side(slab, first_positive)
}

/// The cone of three neighbouring sides that `u` lies in: the sides' directions point at the faces' middles and the edges'
/// middles of a cube, and cut its corners off.
fn cone_of(u: &Vector) -> Cone {
    let mut axes = [0, 1, 2].map(|k| (u[k].abs(), (k, u[k] >= 0.0)));
    axes.sort_by(|one, other| other.0.total_cmp(&one.0));
    let [(a, i), (b, j), (c, k)] = axes;
    let (ij, ik, jk) = (diagonal_side(i, j), diagonal_side(i, k), diagonal_side(j, k));
    if a >= b + c {
        [(axis_side(i.0, i.1), a - b - c), (ij, b), (ik, c)]
    } else {
        [(ij, 0.5 * (a + b - c)), (ik, 0.5 * (a + c - b)), (jk, 0.5 * (b + c - a))]
    }
}

/// A tree of 18-sided polytopes. See the module for what it promises.
#[derive(Clone, Debug, PartialEq)]
pub struct KdopTree {
    volumes: Vec<Kdop18>,
    kinds: Vec<NodeKind>,
    order: Vec<u32>,
}

impl KdopTree {
    /// The tree over the triangles of `mesh`, divided by the surface area heuristic. O(n log n); about 120 bytes a triangle.
    pub fn build(mesh: &TriMesh) -> Self {
        Self::over(&AabbTree::build_by(mesh, SplitRule::SurfaceArea), mesh)
    }

    /// The tree with the nodes of `tree`, which must be over the triangles of `mesh`.
    pub fn over(tree: &AabbTree, mesh: &TriMesh) -> Self {
        let kinds: Vec<NodeKind> = (0..tree.node_count() as u32).map(|i| tree.node(i).kind).collect();
        let mut built = Self { volumes: vec![Kdop18::EMPTY; kinds.len()], kinds, order: tree.order().to_vec() };
        built.refit(mesh);
        built
    }

    /// Fits the polytopes anew to vertices that have moved; `mesh` must have the triangles that the tree was built over.
    /// Linear time.
    pub fn refit(&mut self, mesh: &TriMesh) {
        for index in (0..self.kinds.len()).rev() {
            self.volumes[index] = match self.kinds[index] {
                NodeKind::Leaf { first, count } => self
                    .items(first, count)
                    .iter()
                    .map(|&f| Kdop18::of_triangle(&mesh.triangle(f as usize)))
                    .fold(Kdop18::EMPTY, |all, one| all.merged(&one)),
                NodeKind::Inner { left, right } => self.volumes[left as usize].merged(&self.volumes[right as usize]),
            };
        }
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        size_of_val(&*self.volumes) + size_of_val(&*self.kinds) + size_of_val(&*self.order)
    }
}

/// The frame of one tree in that of another: what each of its sides' directions is on the other side.
#[derive(Clone, Copy, Debug)]
pub struct KdopPlacement {
    /// For each direction of A and its opposite: in the frame of B, as a cone of B's sides.
    of_a: [Cone; 2 * SLABS],
    /// For each direction of B and its opposite: in the frame of A.
    of_b: [Cone; 2 * SLABS],
    /// The products of B's origin, as A sees it, with A's directions, and of A's origin with B's.
    offset_a: [Real; SLABS],
    offset_b: [Real; SLABS],
    margin: Real,
}

impl VolumeTree for KdopTree {
    type Volume = Kdop18;
    type Placement = KdopPlacement;

    fn node_count(&self) -> usize {
        self.volumes.len()
    }

    fn kind(&self, index: u32) -> NodeKind {
        self.kinds[index as usize]
    }

    fn volume(&self, index: u32) -> Kdop18 {
        self.volumes[index as usize]
    }

    fn items(&self, first: u32, count: u32) -> &[u32] {
        &self.order[first as usize..(first + count) as usize]
    }

    fn size(&self, index: u32) -> Real {
        let volume = &self.volumes[index as usize];
        (0..3).map(|k| Real::from(volume.max[k]) - Real::from(volume.min[k])).fold(0.0, Real::max)
    }

    fn placement(pose_b_in_a: &Pose, margin: Real) -> KdopPlacement {
        let inverse = pose_b_in_a.inverse();
        let cones = |to_other: &Pose| std::array::from_fn(|side| cone_of(&(to_other.rotation * direction(side))));
        let offsets = |origin: &Vector| std::array::from_fn(|k| Vector::from(DIRECTIONS[k]).dot(origin));
        KdopPlacement {
            of_a: cones(&inverse),
            of_b: cones(pose_b_in_a),
            offset_a: offsets(&pose_b_in_a.translation.vector),
            offset_b: offsets(&inverse.translation.vector),
            margin,
        }
    }

    fn overlaps(placement: &KdopPlacement, a: &Self, index_a: u32, b: &Self, index_b: u32) -> bool {
        let (one, other) = (&a.volumes[index_a as usize], &b.volumes[index_b as usize]);
        let meets = |here: &Kdop18, there: &Kdop18, cones: &[Cone; 2 * SLABS], offsets: &[Real; SLABS]| {
            (0..SLABS).all(|k| {
                let (high, low) = (there.support(&cones[k]), -there.support(&cones[k + SLABS]));
                // Directions are up to √2 long; cones' weights are right to some last places.
                let slack = 1.5 * placement.margin + 1e-11 * (high.abs() + low.abs() + offsets[k].abs());
                Real::from(here.min[k]) <= high + offsets[k] + slack
                    && low + offsets[k] - slack <= Real::from(here.max[k])
            })
        };
        meets(one, other, &placement.of_a, &placement.offset_a)
            && meets(other, one, &placement.of_b, &placement.offset_b)
    }

    fn obb(&self, index: u32) -> Obb {
        Obb::from_aabb(&self.volumes[index as usize].aabb(), &Pose::identity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_direction_is_a_sum_of_three_sides_without_negative_weights(u in prop::array::uniform3(-1.0..1.0_f64)) {
            let u = Vector::from(u);
            let cone = cone_of(&u);
            let sum: Vector = cone.iter().map(|&(side, weight)| direction(side as usize) * weight).sum();
            prop_assert!((sum - u).amax() <= 1e-15 && cone.iter().all(|(_, weight)| *weight >= 0.0));
        }
    }
}
