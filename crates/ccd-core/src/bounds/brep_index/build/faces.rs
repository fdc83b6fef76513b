//! The first phase: planes that divide space until no region has a face in it.

use super::super::node::Side;
use super::{Builder, Fragment, Place, Source, Strip, crossing};
use crate::bounds::brep_index::BrepIndexError;
use crate::geometry::mesh::Plane;
use crate::math::{Point, Vector};
use crate::volume::Aabb;

/// A region with the faces in it.
pub(super) struct Region {
    pub(super) fragments: Vec<Fragment>,
    /// The region, while only axis-aligned planes bound it.
    pub(super) cell: Option<Aabb>,
    pub(super) place: Place,
    pub(super) depth: usize,
}

/// A plane to divide a region by.
pub(super) enum Choice {
    /// Across an axis, at a coordinate.
    Axis(usize, f64),
    /// The plane of a fragment's face.
    Face(usize),
}

impl Builder<'_> {
    /// Adds the nodes of space. Their parts of faces and the seams between them are kept for the later phases.
    pub(super) fn add_faces(&mut self) -> Result<(), BrepIndexError> {
        let mut open =
            vec![Region { fragments: self.whole_faces(), cell: Some(self.mesh.aabb()), place: None, depth: 0 }];
        while let Some(region) = open.pop() {
            if region.fragments.is_empty() {
                let leaf = self.label_space(region.place, region.cell.as_ref())?;
                self.set(region.place, leaf);
                continue;
            }
            let (plane, cells) = match self.choose(&region) {
                Choice::Axis(axis, at) => {
                    let mut normal = Vector::zeros();
                    normal[axis] = 1.0;
                    let mut halves = [region.cell, region.cell];
                    if let [Some(above), Some(below)] = &mut halves {
                        above.min[axis] = at;
                        below.max[axis] = at;
                    }
                    (Plane { normal, offset: at }, halves)
                }
                Choice::Face(i) => (self.brep.planes()[region.fragments[i].face as usize], [None, None]),
            };
            let node = self.add_node(region.place, plane, 3)?;
            let (above, below) = self.divide(node, &plane, region.fragments);
            let depth = region.depth + 1;
            for (fragments, cell, side) in [(below, cells[1], Side::Below), (above, cells[0], Side::Above)] {
                open.push(Region { fragments, cell, place: Some((node, side)), depth });
            }
        }
        Ok(())
    }

    /// The convex pieces of all faces; with pseudo entities, their seams.
    fn whole_faces(&mut self) -> Vec<Fragment> {
        let mesh = self.mesh.mesh();
        let place = |v: &u32| mesh.vertices()[*v as usize];
        let pieces = self.brep.convex_pieces(mesh, self.mesh.topology());
        if self.has_pseudo_entities() {
            for piece in &pieces {
                for (k, v) in piece.corners.iter().enumerate() {
                    let w = &piece.corners[(k + 1) % piece.corners.len()];
                    let Some(edge) = self.mesh.topology().edge_between(*v, *w) else { continue };
                    if v < w && self.brep.edge_of_mesh_edge(edge).is_none() {
                        self.seams.push(Strip { source: Source::Seam(piece.face), ends: [place(v), place(w)] });
                    }
                }
            }
        }
        pieces
            .iter()
            .map(|piece| Fragment { face: piece.face, corners: piece.corners.iter().map(place).collect() })
            .collect()
    }

    /// Divides fragments by the plane of a new node: what lies on it is kept there, the rest goes above and below.
    fn divide(&mut self, node: u32, plane: &Plane, fragments: Vec<Fragment>) -> (Vec<Fragment>, Vec<Fragment>) {
        debug_assert_eq!(node as usize, self.face_ranges.len(), "nodes of space come first, in order");
        let first = self.on_faces.len();
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let mut heights = Vec::new();
        for fragment in fragments {
            heights.clear();
            heights.extend(fragment.corners.iter().map(|p| plane.height(p)));
            match self.side_of(heights.iter().copied()) {
                Some(Side::Above) => above.push(fragment),
                Some(Side::On) => self.on_faces.push(fragment),
                Some(Side::Below) => below.push(fragment),
                None => {
                    let (upper, lower, seam) = self.cut(&fragment, &heights);
                    if self.has_pseudo_entities() {
                        self.seams.extend(seam);
                    }
                    above.push(upper);
                    below.push(lower);
                }
            }
        }
        self.face_ranges.push(first..self.on_faces.len());
        (above, below)
    }

    /// The parts of a convex fragment above and below a plane, from the heights of its corners, and the seam between them.
    fn cut(&self, fragment: &Fragment, heights: &[f64]) -> (Fragment, Fragment, Option<Strip>) {
        let n = fragment.corners.len();
        let (mut above, mut below) = (Vec::with_capacity(n + 1), Vec::with_capacity(n + 1));
        let mut shared: Vec<Point> = Vec::with_capacity(2);
        for k in 0..n {
            let (p, h) = (fragment.corners[k], heights[k]);
            let (q, next) = (fragment.corners[(k + 1) % n], heights[(k + 1) % n]);
            if h >= -self.thickness {
                above.push(p);
            }
            if h <= self.thickness {
                below.push(p);
            }
            if h.abs() <= self.thickness {
                shared.push(p);
            } else if next.abs() > self.thickness && (h > 0.0) != (next > 0.0) {
                let r = crossing(&p, h, &q, next);
                above.push(r);
                below.push(r);
                shared.push(r);
            }
        }
        let face = fragment.face;
        let seam = match (shared.first(), shared.last()) {
            (Some(p), Some(q)) if shared.len() > 1 => Some(Strip { source: Source::Seam(face), ends: [*p, *q] }),
            _ => None,
        };
        (Fragment { face, corners: above }, Fragment { face, corners: below }, seam)
    }
}
