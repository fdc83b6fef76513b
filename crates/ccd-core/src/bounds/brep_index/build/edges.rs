//! The second phase: lines that divide the planes of the tree until no region of them has an edge in it.

use super::super::node::{Leaf, Packed, Side, Subtree};
use super::{Builder, Place, Source, Strip, crossing};
use crate::bounds::brep_index::{BrepIndexError, Recipe};
use crate::geometry::mesh::Plane;
use crate::math::{Point, Real, Vector};

/// How far, in clearances, beside an edge its plane is looked at.
const BESIDE: Real = 4.0;

/// How many lines are compared before one is chosen.
const COMPARED: usize = 8;

impl Builder<'_> {
    /// Adds the nodes of planes: each edge goes to the first plane on its way that it lies on.
    pub(super) fn add_edges(&mut self) -> Result<(), BrepIndexError> {
        let place = |v: u32| self.mesh.mesh().vertices()[v as usize];
        let edges = self.brep.edges().iter().zip(0..);
        let mut open: Vec<(Place, Strip)> = edges
            .map(|(edge, e)| Strip { source: Source::Edge(e), ends: edge.ends.map(place) })
            .chain(std::mem::take(&mut self.seams))
            .map(|strip| (None, strip))
            .collect();
        open.reverse();
        let mut gathered: Vec<(u32, Strip)> = Vec::with_capacity(open.len());
        while let Some((place, strip)) = open.pop() {
            let Subtree::Node(node) = self.subtree(place) else {
                // An edge is never further from its faces' planes than they are thick; should rounding lose one, no
                // answer may depend on it.
                if matches!(strip.source, Source::Edge(_)) {
                    self.set(place, Packed::UNDECIDED);
                }
                continue;
            };
            let heights = strip.ends.map(|p| self.nodes[node as usize].plane.height(&p));
            match self.side_of(heights) {
                Some(Side::On) => gathered.push((node, strip)),
                Some(side) => open.push((Some((node, side)), strip)),
                None => open.extend(cut(&strip, heights).map(|(side, part)| (Some((node, side)), part))),
            }
        }
        gathered.sort_by_key(|(node, _)| *node);
        let mut rest = gathered.as_slice();
        for node in 0..self.face_ranges.len() as u32 {
            let count = rest.iter().take_while(|(n, _)| *n == node).count();
            let (mine, others) = rest.split_at(count);
            rest = others;
            self.divide_plane(node, mine.iter().map(|(_, strip)| *strip).collect())?;
        }
        Ok(())
    }

    /// Builds the tree over the edges in the plane of a node of space.
    fn divide_plane(&mut self, space_node: u32, strips: Vec<Strip>) -> Result<(), BrepIndexError> {
        let mut open = vec![(Some((space_node, Side::On)), strips)];
        while let Some((place, strips)) = open.pop() {
            if strips.is_empty() {
                let leaf = self.label_beside(space_node, place);
                self.set(place, leaf);
                continue;
            }
            let plane = self.choose_line(space_node, &strips);
            let node = self.add_node(place, plane, 2)?;
            self.set(Some((node, Side::On)), Packed::leaf(Leaf::Extension));
            let first = self.on_lines.len();
            let (mut above, mut below) = (Vec::new(), Vec::new());
            for strip in strips {
                let heights = strip.ends.map(|p| plane.height(&p));
                match self.side_of(heights) {
                    Some(Side::Above) => above.push(strip),
                    Some(Side::On) => self.on_lines.push(strip),
                    Some(Side::Below) => below.push(strip),
                    None => {
                        for (side, part) in cut(&strip, heights) {
                            if side == Side::Above { above.push(part) } else { below.push(part) }
                        }
                    }
                }
            }
            self.line_ranges.push(first..self.on_lines.len());
            open.push((Some((node, Side::Above)), above));
            open.push((Some((node, Side::Below)), below));
        }
        Ok(())
    }

    /// What a region of a plane is that has no edge in it: looked at beside the edges that bound it.
    fn label_beside(&self, space_node: u32, place: Place) -> Packed {
        let (node, towards) = match place {
            Some((node, Side::Above)) => (node, BESIDE * self.clearance()),
            Some((node, Side::Below)) => (node, -BESIDE * self.clearance()),
            _ => return self.label_plane(space_node, place, std::iter::empty()),
        };
        let beside = self.nodes[node as usize].plane.normal * towards;
        let probes = self.strips_on(node).iter().flat_map(|strip| {
            let [p, q] = strip.ends;
            [0.5, 0.25, 0.75].map(|t| p + (q - p) * t + beside)
        });
        self.label_plane(space_node, place, probes)
    }

    /// The line to divide a plane by: of the paper, the first edge's; else of a few, the one that divides best.
    fn choose_line(&self, space_node: u32, strips: &[Strip]) -> Plane {
        let line = |strip: &Strip| self.line_through(space_node, strip);
        if strips.len() < 3 || matches!(self.recipe, Recipe::Paper { .. }) {
            return line(&strips[0]);
        }
        let step = strips.len().div_ceil(COMPARED);
        let through_edges = strips.iter().step_by(step).map(line);
        let candidates = through_edges.chain(self.lines_across(space_node, strips)).map(|plane| {
            let (mut above, mut below, mut both) = (0_usize, 0_usize, 0_usize);
            for other in strips {
                match self.side_of(other.ends.map(|p| plane.height(&p))) {
                    Some(Side::Above) => above += 1,
                    Some(Side::On) => {}
                    Some(Side::Below) => below += 1,
                    None => both += 1,
                }
            }
            (above.max(below) + 3 * both, plane)
        });
        candidates.min_by_key(|(cost, _)| *cost).map_or_else(|| line(&strips[0]), |(_, plane)| plane)
    }

    /// Lines along two directions in the plane, through the ends in the middle of many: edges around a convex face leave
    /// nothing to divide by themselves.
    fn lines_across(&self, space_node: u32, strips: &[Strip]) -> Vec<Plane> {
        if strips.len() <= COMPARED / 2 {
            return Vec::new();
        }
        let (u, v) = crate::math::orthonormal_basis(&self.nodes[space_node as usize].plane.normal);
        let middle = |axis: Vector| {
            let mut along: Vec<Real> = strips.iter().flat_map(|s| s.ends).map(|p| axis.dot(&p.coords)).collect();
            along.sort_by(Real::total_cmp);
            Plane { normal: axis, offset: along[along.len() / 2] }
        };
        [u, v].map(middle).to_vec()
    }

    /// The plane through an edge across the plane of a node, with the face that lies in that plane below.
    fn line_through(&self, space_node: u32, strip: &Strip) -> Plane {
        let across = self.nodes[space_node as usize].plane.normal;
        let [p, q] = strip.ends;
        let outward = match strip.source {
            Source::Edge(e) => {
                let edge = self.brep.edges()[e as usize];
                // From the whole edge: a short part of it has lost digits.
                let [from, to] = edge.ends.map(|v| self.mesh.mesh().vertices()[v as usize]);
                let along = to - from;
                let in_plane = |f: u32| self.faces_on(space_node).iter().any(|fragment| fragment.face == f);
                let sign = |f: u32| self.brep.planes()[f as usize].normal.dot(&across).signum();
                match edge.faces {
                    [left, _] if in_plane(left) => along.cross(&across) * sign(left),
                    [_, right] if in_plane(right) => across.cross(&along) * sign(right),
                    _ => along.cross(&across),
                }
            }
            Source::Seam(face) => {
                let crossing = self.brep.planes()[face as usize].normal;
                let outward = crossing - across * crossing.dot(&across);
                // A seam of the cut into convex pieces lies in the face's own plane.
                if outward.norm() > SEAM_ANGLE { outward } else { (q - p).cross(&across) }
            }
        };
        let normal = outward.try_normalize(Real::MIN_POSITIVE).unwrap_or_else(|| any_across(&across));
        Plane::through(&nalgebra::center(&p, &q), normal)
    }
}

/// Below this sine between two planes the line in which they meet is taken from the seam's ends.
const SEAM_ANGLE: Real = 1e-6;

/// Some unit vector perpendicular to a unit vector.
pub(super) fn any_across(n: &Vector) -> Vector {
    crate::math::orthonormal_basis(n).0
}

/// The parts of a segment above and below a plane that divides it, from the heights of its ends.
fn cut(strip: &Strip, [h, k]: [Real; 2]) -> [(Side, Strip); 2] {
    let [p, q] = strip.ends;
    let r: Point = crossing(&p, h, &q, k);
    let (above, below) = if h > 0.0 { (p, q) } else { (q, p) };
    let part = |end: Point| Strip { source: strip.source, ends: [end, r] };
    [(Side::Above, part(above)), (Side::Below, part(below))]
}
