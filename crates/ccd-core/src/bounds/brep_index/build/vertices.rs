//! The third phase: planes across the lines of the tree, one through each vertex.

use super::super::node::{Leaf, Packed, Side, Subtree};
use super::edges::any_across;
use super::{Builder, Place, Source};
use crate::bounds::brep_index::BrepIndexError;
use crate::geometry::mesh::Plane;
use crate::math::{Point, Real, Vector};

/// A vertex that is to go on a line of the tree.
struct OnLine {
    line: u32,
    along: Real,
    vertex: Option<u32>,
    place: Point,
}

impl Builder<'_> {
    /// Adds the nodes of lines: each vertex goes to the first plane and the first line on its way that it lies on.
    pub(super) fn add_vertices(&mut self) -> Result<(), BrepIndexError> {
        let mut on_lines = Vec::new();
        let mut alone = Vec::new();
        for v in self.brep.corners() {
            let point = self.mesh.mesh().vertices()[v as usize];
            match self.line_of(&point) {
                Some(line) => {
                    on_lines.push(OnLine { line, along: self.along(line, &point), vertex: Some(v), place: point })
                }
                None => alone.push((v, point)),
            }
        }
        if self.has_pseudo_entities() {
            let seams = self.on_lines.iter().filter(|s| matches!(s.source, Source::Seam(_)));
            let ends: Vec<Point> = seams.flat_map(|s| s.ends).collect();
            for point in ends {
                // A pseudo vertex alone in a plane names nothing that its face does not.
                if let Some(line) = self.line_of(&point) {
                    on_lines.push(OnLine { line, along: self.along(line, &point), vertex: None, place: point });
                }
            }
        }
        // By line, then along it; where places coincide the true vertex comes first.
        on_lines.sort_by(|a, b| {
            let by_place = a.line.cmp(&b.line).then(a.along.total_cmp(&b.along));
            by_place.then(b.vertex.is_some().cmp(&a.vertex.is_some())).then(a.vertex.cmp(&b.vertex))
        });
        for group in on_lines.chunk_by(|a, b| a.line == b.line) {
            // The middle one first, so that the tree of the line is balanced.
            let mut open = vec![group];
            while let Some(part) = open.pop() {
                let (before, rest) = part.split_at(part.len() / 2);
                if let Some((middle, after)) = rest.split_first() {
                    self.insert(Some((middle.line, Side::On)), middle.vertex, &middle.place)?;
                    open.extend([after, before]);
                }
            }
        }
        for (v, point) in alone {
            self.insert(None, Some(v), &point)?;
        }
        for i in 0..self.line_ranges.len() {
            self.label_line_tree((self.face_ranges.len() + i) as u32);
        }
        Ok(())
    }

    /// The node of a plane on whose line the point lies, on its way down.
    fn line_of(&self, point: &Point) -> Option<u32> {
        let mut place = None;
        while let Subtree::Node(node) = self.subtree(place) {
            let side = self.side_of([self.nodes[node as usize].plane.height(point)]).unwrap_or(Side::On);
            if side == Side::On && self.nodes[node as usize].dimension == 2 {
                return Some(node);
            }
            place = Some((node, side));
        }
        None
    }

    /// The direction of the line of a node of a plane.
    fn axis(&self, line: u32) -> Vector {
        let normal = self.nodes[line as usize].plane.normal;
        let mut up = line;
        while let Some((node, _)) = self.parents[up as usize] {
            up = node;
            if self.nodes[up as usize].dimension == 3 {
                break;
            }
        }
        let axis = self.nodes[up as usize].plane.normal.cross(&normal);
        axis.try_normalize(Real::MIN_POSITIVE).unwrap_or_else(|| any_across(&normal))
    }

    fn along(&self, line: u32, point: &Point) -> Real {
        self.axis(line).dot(&point.coords)
    }

    /// Gives a vertex its node, from `place` down; a pseudo vertex (`None`) only where no other vertex is.
    fn insert(&mut self, place: Place, vertex: Option<u32>, point: &Point) -> Result<(), BrepIndexError> {
        let mut place = place;
        loop {
            let leaf = match self.subtree(place) {
                Subtree::Node(node) => {
                    let side = self.side_of([self.nodes[node as usize].plane.height(point)]).unwrap_or(Side::On);
                    place = Some((node, side));
                    continue;
                }
                Subtree::Leaf(leaf) => leaf,
            };
            let dimension =
                place.map_or(3, |(node, side)| self.nodes[node as usize].dimension - u8::from(side == Side::On));
            match dimension {
                // Rounding has lost the planes of the vertex: no answer may depend on it.
                3 => self.set(place, Packed::UNDECIDED),
                // A vertex that touches a plane alone, without an edge in it: any line through it will do.
                2 => {
                    let normal = any_across(&self.space_normal(place));
                    let line = self.add_node(place, Plane::through(point, normal), 2)?;
                    for side in Side::ALL {
                        self.set(Some((line, side)), Packed::leaf(leaf));
                    }
                    place = Some((line, Side::On));
                    continue;
                }
                1 => {
                    let axis = place.map_or_else(Vector::x, |(node, _)| self.line_axis(node));
                    let node = self.add_node(place, Plane::through(point, axis), 1)?;
                    for side in Side::ALL {
                        self.set(Some((node, side)), Packed::leaf(leaf));
                    }
                    if let Some(v) = vertex {
                        self.set(Some((node, Side::On)), Packed::leaf(Leaf::Vertex(v)));
                    }
                }
                // In the place of another vertex.
                _ => {
                    if let (Some(v), Leaf::Vertex(w)) = (vertex, leaf)
                        && v != w
                    {
                        self.set(place, Packed::UNDECIDED);
                    } else if let (Some(v), false) = (vertex, matches!(leaf, Leaf::Undecided)) {
                        self.set(place, Packed::leaf(Leaf::Vertex(v)));
                    }
                }
            }
            return Ok(());
        }
    }

    /// The normal of the plane that a place of dimension 2 lies in.
    fn space_normal(&self, place: Place) -> Vector {
        let mut up = place;
        while let Some((node, _)) = up {
            if self.nodes[node as usize].dimension == 3 {
                return self.nodes[node as usize].plane.normal;
            }
            up = self.parents[node as usize];
        }
        Vector::x()
    }

    /// The direction of the line that the tree below a node of a plane, or a node of a line, divides.
    fn line_axis(&self, node: u32) -> Vector {
        let found = self.nodes[node as usize];
        if found.dimension == 1 { found.plane.normal } else { self.axis(node) }
    }

    /// Names the parts of a line between its vertices.
    fn label_line_tree(&mut self, line: u32) {
        let axis = self.axis(line);
        let mut open = vec![(Some((line, Side::On)), Real::NEG_INFINITY, Real::INFINITY)];
        while let Some((place, from, to)) = open.pop() {
            match self.subtree(place) {
                Subtree::Node(node) => {
                    let at = self.nodes[node as usize].plane.offset;
                    open.push((Some((node, Side::Above)), at, to));
                    open.push((Some((node, Side::Below)), from, at));
                    if !matches!(self.subtree(Some((node, Side::On))), Subtree::Leaf(Leaf::Vertex(_) | Leaf::Undecided))
                    {
                        // A pseudo vertex: reduced to the edge or face that it lies on.
                        let around = self.label_line(line, &axis, at - 4.0 * self.thickness, at + 4.0 * self.thickness);
                        self.set(Some((node, Side::On)), around);
                    }
                }
                Subtree::Leaf(_) => {
                    let leaf = self.label_line(line, &axis, from, to);
                    self.set(place, leaf);
                }
            }
        }
    }
}
