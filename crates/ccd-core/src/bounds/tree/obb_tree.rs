//! A static tree of oriented boxes over the triangles of a mesh.
//!
//! **Problem.** Axis-aligned boxes around a curved sheet overlap their neighbours: two meshes close to each other make a
//! walk open far more pairs than meet.
//! **Idea.** The nodes of an [`AabbTree`], by any [`SplitRule`], each with a box turned to its triangles: along the axes in
//! which their surface spreads, or those of its children, whichever makes the smallest box.
//! **Guarantee.** A node's box holds its triangles, moved outwards by the rounding of its own numbers. The same mesh gives the
//! same tree, for any number of threads.
//! **Limits.** 128 bytes a node, four times an axis-aligned one; a test of two costs some ten times more. Worth it where two
//! surfaces run close to each other, not for a single box, point or segment.
//! **Source.** Gottschalk, Lin and Manocha (1996).

use rayon::prelude::*;

use super::{AabbTree, NodeKind, SplitRule, VolumeTree};
use crate::geometry::mesh::TriMesh;
use crate::math::{Matrix, Point, Pose, Real, Vector};
use crate::volume::{Aabb, Obb};

/// A tree of oriented boxes. See the module for what it promises.
#[derive(Clone, Debug, PartialEq)]
pub struct ObbTree {
    boxes: Vec<Obb>,
    kinds: Vec<NodeKind>,
    order: Vec<u32>,
}

/// The triangles under a node: where they are in the order, and the moments of their surface.
#[derive(Clone, Copy)]
struct Surface {
    first: usize,
    end: usize,
    area: Real,
    /// ∫ x, relative to the middle of the mesh.
    first_moment: Vector,
    /// ∫ x xᵀ.
    second_moment: Matrix,
}

impl Surface {
    fn of_triangle(corners: [Vector; 3]) -> Self {
        let [a, b, c] = corners;
        let area = 0.5 * (b - a).cross(&(c - a)).norm();
        let sum = a + b + c;
        let squares = sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose();
        Self { first: 0, end: 0, area, first_moment: sum * (area / 3.0), second_moment: squares * (area / 12.0) }
    }

    fn joined(self, other: &Self) -> Self {
        Self {
            first: self.first.min(other.first),
            end: self.end.max(other.end),
            area: self.area + other.area,
            first_moment: self.first_moment + other.first_moment,
            second_moment: self.second_moment + other.second_moment,
        }
    }

    /// The directions in which the surface spreads, as a right-handed frame.
    fn axes(&self) -> Matrix {
        let covariance = self.second_moment - self.first_moment * self.first_moment.transpose() / self.area;
        right_handed(&covariance.symmetric_eigen().eigenvectors)
    }
}

/// A frame along the first two columns, to rounding orthonormal; the standard frame where they span no plane.
fn right_handed(columns: &Matrix) -> Matrix {
    let (x, y) = (columns.column(0).into_owned(), columns.column(1).into_owned());
    let frame = x.try_normalize(0.0).and_then(|x| {
        let z = x.cross(&y).try_normalize(0.0)?;
        Some(Matrix::from_columns(&[x, z.cross(&x), z]))
    });
    frame.filter(|m| m.iter().all(|e| e.is_finite())).unwrap_or_else(Matrix::identity)
}

impl ObbTree {
    /// The tree over the triangles of `mesh`, divided by the surface area heuristic. O(n log n), on rayon's threads; about
    /// 185 bytes a triangle.
    pub fn build(mesh: &TriMesh) -> Self {
        Self::build_by(mesh, SplitRule::SurfaceArea)
    }

    /// [`ObbTree::build`] divided by the rule of one's choice.
    pub fn build_by(mesh: &TriMesh, rule: SplitRule) -> Self {
        Self::over(&AabbTree::build_by(mesh, rule), mesh)
    }

    /// The tree with the nodes of `tree`, which must be over the triangles of `mesh`.
    pub fn over(tree: &AabbTree, mesh: &TriMesh) -> Self {
        let kinds: Vec<NodeKind> = (0..tree.node_count() as u32).map(|i| tree.node(i).kind).collect();
        let order = tree.order().to_vec();
        let boxes = fit_all(&kinds, &order, mesh);
        Self { boxes, kinds, order }
    }

    /// Fits the boxes anew to vertices that have moved; `mesh` must have the triangles that the tree was built over.
    ///
    /// As costly as fitting them at first, but the division stays: good while neighbours stay neighbours.
    pub fn refit(&mut self, mesh: &TriMesh) {
        self.boxes = fit_all(&self.kinds, &self.order, mesh);
    }

    /// The items in the order of the leaves.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The memory it holds, bytes.
    pub fn size_bytes(&self) -> usize {
        size_of_val(&*self.boxes) + size_of_val(&*self.kinds) + size_of_val(&*self.order)
    }
}

/// The box of every node.
fn fit_all(kinds: &[NodeKind], order: &[u32], mesh: &TriMesh) -> Vec<Obb> {
    let middle = mesh.aabb().centre();
    let mut surfaces = vec![None::<Surface>; kinds.len()];
    // Children stand behind their parents.
    for index in (0..kinds.len()).rev() {
        surfaces[index] = match kinds[index] {
            NodeKind::Leaf { first, count } => {
                let (first, end) = (first as usize, (first + count) as usize);
                let surface = |&f: &u32| Surface::of_triangle(mesh.triangle(f as usize).map(|p| p - middle));
                let sum = order[first..end].iter().map(surface).reduce(|one, other| one.joined(&other));
                sum.map(|sum| Surface { first, end, ..sum })
            }
            NodeKind::Inner { left, right } => {
                let (left, right) = (surfaces[left as usize], surfaces[right as usize]);
                left.zip(right).map(|(left, right)| left.joined(&right))
            }
        };
    }
    // Each box is a pure function of its own triangles: the number of threads changes nothing.
    surfaces
        .par_iter()
        .map(|surface| match surface {
            Some(surface) => fit(surface, order, mesh),
            // Not reached: every node has items. An empty box overlaps nothing.
            None => Obb { centre: middle, axes: Matrix::identity(), half_extents: Vector::repeat(Real::NEG_INFINITY) },
        })
        .collect()
}

/// The smallest box of those along the spread of the surface, the frame's axes and, where they are few, each triangle.
fn fit(surface: &Surface, order: &[u32], mesh: &TriMesh) -> Obb {
    let items = &order[surface.first..surface.end];
    let mut frames = vec![surface.axes(), Matrix::identity()];
    if items.len() <= 4 {
        frames.extend(items.iter().map(|&f| along_triangle(&mesh.triangle(f as usize))));
    }
    let mut spans: Vec<(Matrix, Vector, Vector)> = frames
        .into_iter()
        .map(|axes| (axes.transpose(), Vector::repeat(Real::INFINITY), Vector::repeat(Real::NEG_INFINITY)))
        .collect();
    for &face in items {
        for p in mesh.triangle(face as usize) {
            for (to_box, low, high) in &mut spans {
                let at = *to_box * p.coords;
                (*low, *high) = (low.inf(&at), high.sup(&at));
            }
        }
    }
    let cost = |low: &Vector, high: &Vector| {
        let d = high - low;
        d.x * d.y + d.y * d.z + d.z * d.x
    };
    let mut best = 0;
    for k in 1..spans.len() {
        if cost(&spans[k].1, &spans[k].2) < cost(&spans[best].1, &spans[best].2) {
            best = k;
        }
    }
    let (to_box, low, high) = spans[best];
    let axes = to_box.transpose();
    // The rounding of three products of coordinates, and of axes that are orthonormal to a few last places.
    let rounding = 16.0 * Real::EPSILON * low.amax().max(high.amax());
    let half_extents = ((high - low) * 0.5).add_scalar(rounding);
    Obb { centre: Point::from(axes * ((low + high) * 0.5)), axes, half_extents }
}

/// The frame of a triangle: its longest side and its normal.
fn along_triangle(corners: &[Point; 3]) -> Matrix {
    let sides = [corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]];
    let longest = (0..3).fold(0, |best, k| if sides[k].norm_squared() > sides[best].norm_squared() { k } else { best });
    let normal = sides[longest].cross(&sides[(longest + 1) % 3]);
    right_handed(&Matrix::from_columns(&[sides[longest], normal.cross(&sides[longest]), normal]))
}

/// The frame of one tree in that of another.
#[derive(Clone, Copy, Debug)]
pub struct ObbPlacement {
    rotation: Matrix,
    translation: Vector,
    margin: Real,
}

impl VolumeTree for ObbTree {
    type Volume = Obb;
    type Placement = ObbPlacement;

    fn node_count(&self) -> usize {
        self.boxes.len()
    }

    fn kind(&self, index: u32) -> NodeKind {
        self.kinds[index as usize]
    }

    fn volume(&self, index: u32) -> Obb {
        self.boxes[index as usize]
    }

    fn items(&self, first: u32, count: u32) -> &[u32] {
        &self.order[first as usize..(first + count) as usize]
    }

    fn size(&self, index: u32) -> Real {
        self.boxes[index as usize].half_extents.amax()
    }

    fn placement(pose_b_in_a: &Pose, margin: Real) -> ObbPlacement {
        let rotation = pose_b_in_a.rotation.to_rotation_matrix().into_inner();
        ObbPlacement { rotation, translation: pose_b_in_a.translation.vector, margin }
    }

    fn overlaps(placement: &ObbPlacement, a: &Self, index_a: u32, b: &Self, index_b: u32) -> bool {
        let (one, other) = (&a.boxes[index_a as usize], &b.boxes[index_b as usize]);
        let placed = Obb {
            centre: Point::from(placement.rotation * other.centre.coords + placement.translation),
            axes: placement.rotation * other.axes,
            half_extents: other.half_extents.add_scalar(placement.margin),
        };
        one.overlaps(&placed)
    }

    fn obb(&self, index: u32) -> Obb {
        self.boxes[index as usize]
    }
}

/// The bounding box of an oriented box's tree root: empty for an empty tree.
impl From<&ObbTree> for Aabb {
    fn from(tree: &ObbTree) -> Self {
        tree.boxes.first().map_or(Self::EMPTY, Obb::aabb)
    }
}
