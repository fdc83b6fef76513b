//! The convex polyhedron as a solid and as a support mapping.

use super::ConvexPolyhedron;
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::field::Field;
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector, farthest_from_axis};
use crate::volume::{Aabb, Obb, Sphere};

/// Up to this many vertices a scan of all is as fast as a climb.
const SCAN_LIMIT: usize = 16;

impl Solid for ConvexPolyhedron {
    fn kind(&self) -> &'static str {
        "convex"
    }

    fn local_aabb(&self) -> Aabb {
        self.aabb
    }

    fn bounding_sphere(&self) -> Sphere {
        self.sphere
    }

    fn features(&self, _max_error: Real) -> FeatureSet {
        FeatureSet {
            vertices: self.vertices.clone(),
            edges: self.edges.iter().map(|e| e.vertices).collect(),
            faces: self.triangles(),
            ..FeatureSet::default()
        }
    }

    /// Exact up to rounding: where two polytopes meet, an edge of one meets the other.
    fn overlaps_obb(&self, obb: &Obb) -> bool {
        let pad =
            16.0 * Real::EPSILON * (obb.centre.coords.norm() + obb.half_extents.norm() + self.aabb.max.coords.norm());
        let beyond = |n: &Vector, offset: Real| n.dot(&obb.centre.coords) - obb.radius_along(n) > offset + pad;
        if self.planes.iter().any(|plane| beyond(&plane.normal, plane.offset)) {
            return false;
        }
        let local: Vec<Point> = self.vertices.iter().map(|p| obb.axes.tr_mul(&(p - obb.centre)).into()).collect();
        let half = obb.half_extents.add_scalar(pad);
        let around = Aabb { min: Point::from(-half), max: Point::from(half) };
        if self.edges.iter().any(|e| {
            let [a, b] = e.vertices.map(|v| local[v as usize]);
            around.stay(&a, &(b - a), 1.0).is_some()
        }) {
            return true;
        }
        let corners = obb.corners();
        (0..8_usize).any(|i| {
            (0..3).filter(|k| i >> k & 1 == 0).any(|k| {
                let edge = Segment { start: corners[i], end: corners[i | 1 << k] };
                self.clip(&edge, pad).is_some()
            })
        })
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let (fraction, face) = self.clip(segment, 0.0)?;
        let point = segment.start + (segment.end - segment.start) * fraction;
        let face = face.unwrap_or_else(|| {
            // Inside: the face that is least deep.
            let depth = |i: &usize| self.planes[*i].offset - self.planes[*i].normal.dot(&segment.start.coords);
            (0..self.planes.len()).min_by(|i, j| depth(i).total_cmp(&depth(j))).unwrap_or(0)
        });
        Some(SegmentHit { fraction, point, normal: self.planes[face].normal, feature: Feature::Face(face as u32) })
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }

    fn field(&self) -> Option<&dyn Field> {
        Some(self)
    }
}

impl ConvexPolyhedron {
    /// Where the segment enters the polyhedron whose planes are moved out by `margin`, and through which face: none when
    /// it starts inside.
    fn clip(&self, segment: &Segment, margin: Real) -> Option<(Real, Option<usize>)> {
        let d = segment.end - segment.start;
        let (mut enter, mut leave, mut face) = (0.0_f64, 1.0_f64, None);
        for (i, plane) in self.planes.iter().enumerate() {
            let above = plane.normal.dot(&segment.start.coords) - plane.offset - margin;
            let rise = plane.normal.dot(&d);
            if above > 0.0 {
                let t = -above / rise;
                if rise >= 0.0 || t > 1.0 {
                    return None;
                }
                if face.is_none() || t > enter {
                    (enter, face) = (t.max(enter), Some(i));
                }
            } else if rise > 0.0 {
                leave = leave.min(-above / rise);
            }
            if enter > leave {
                return None;
            }
        }
        Some((enter, face))
    }
}

impl SupportMap for ConvexPolyhedron {
    #[inline]
    fn support(&self, direction: &Vector, hint: u32) -> SupportPoint {
        let vertex = if self.vertices.len() <= SCAN_LIMIT { self.scan(direction) } else { self.climb(direction, hint) };
        SupportPoint { point: self.vertices[vertex as usize], vertex }
    }

    fn interior_point(&self) -> Point {
        self.middle
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        self.spanned(vertices)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        farthest_from_axis(&self.vertices, centre, axis)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        let face = self.face_towards(direction);
        polygon.extend(self.face_vertices(face).iter().map(|&v| self.vertices[v as usize]));
        Feature::Face(face as u32)
    }

    fn each_face_at(&self, direction: &Vector, look: &mut dyn FnMut(Vector)) {
        let vertex = self.support(direction, 0).vertex;
        for &e in self.vertex_edges(vertex as usize) {
            let edge = self.edges[e as usize];
            // Each face around the vertex is on that side of one of its edges alone.
            let face = edge.faces[usize::from(edge.vertices[0] != vertex)];
            look(self.planes[face as usize].normal);
        }
    }
}

impl ConvexPolyhedron {
    #[inline]
    fn scan(&self, direction: &Vector) -> u32 {
        let mut best = (0, Real::NEG_INFINITY);
        for (i, p) in self.vertices.iter().enumerate() {
            let along = direction.dot(&p.coords);
            if along > best.1 {
                best = (i as u32, along);
            }
        }
        best.0
    }

    /// Walks uphill over the edges. On a convex polyhedron a vertex without a higher neighbour is the highest.
    ///
    /// Heights are compared by differences of neighbours, whose rounding scales with the edge and not with the distance
    /// from the origin: so a plateau of nearly coplanar faces cannot stop the walk short.
    #[inline]
    fn climb(&self, direction: &Vector, hint: u32) -> u32 {
        let hint = hint.min(self.vertices.len() as u32 - 1);
        let first = self.step_up(direction, hint);
        if first == hint {
            return hint;
        }
        self.climb_on(direction, first)
    }

    /// The rest of a climb whose hint was not the answer: from the better of two places.
    fn climb_on(&self, direction: &Vector, first: u32) -> u32 {
        let mut vertex = first;
        if let Some(&start) = self.starts.get(start_cell(direction, self.starts_side)) {
            let rise = direction.dot(&(self.vertices[start as usize] - self.vertices[vertex as usize]));
            if rise > 0.0 {
                vertex = start;
            }
        }
        // Rounded rises need not add up to zero around a face that lies square to the direction: a walk in a circle goes over
        // vertices that are equally high to within rounding, and ends where it meets its own mark (Brent, 1980).
        let (mut mark, mut steps, mut until) = (vertex, 0_u32, 2_u32);
        loop {
            let next = self.step_up(direction, vertex);
            if next == vertex || next == mark {
                return next;
            }
            vertex = next;
            steps += 1;
            if steps == until {
                (mark, until) = (vertex, until.saturating_mul(2));
            }
        }
    }

    /// The highest of the vertex and its neighbours.
    #[inline]
    fn step_up(&self, direction: &Vector, vertex: u32) -> u32 {
        let at = self.vertices[vertex as usize];
        let mut best = (vertex, 0.0);
        for &n in self.neighbours(vertex as usize) {
            let rise = direction.dot(&(self.vertices[n as usize] - at));
            if rise > best.1 {
                best = (n, rise);
            }
        }
        best.0
    }

    /// Fills the table of starts: the highest vertex for the middle of each cell of directions, about one a vertex.
    pub(super) fn find_starts(&mut self) {
        if self.vertices.len() <= SCAN_LIMIT {
            return;
        }
        let side = (self.vertices.len() as Real / 6.0).sqrt().ceil().min(MAX_STARTS_SIDE) as u32;
        let mut starts = Vec::with_capacity(6 * (side * side) as usize);
        let mut vertex = 0;
        for cell in 0..6 * side * side {
            vertex = self.climb(&cell_direction(cell, side), vertex);
            starts.push(vertex);
        }
        (self.starts, self.starts_side) = (starts, side);
    }
}

/// The most cells along a side of the table of starts: 6144 in all.
const MAX_STARTS_SIDE: Real = 32.0;

/// The cell of a direction: the face of a cube that it goes through, and the place on a grid of `side`² there.
#[inline]
pub(super) fn start_cell(direction: &Vector, side: u32) -> usize {
    let k = direction.iamax();
    let scale = 0.5 * Real::from(side);
    let top = direction[k];
    // Conversion saturates: NaN and what rounding puts beyond the last cell find a cell all the same.
    let place = |c: Real| ((c / top.abs() + 1.0) * scale) as u32;
    let (u, v) = (place(direction[(k + 1) % 3]), place(direction[(k + 2) % 3]));
    let face = 2 * k as u32 + u32::from(top > 0.0);
    let last = side.saturating_sub(1);
    ((face * side + u.min(last)) * side + v.min(last)) as usize
}

/// A direction through the middle of a cell.
fn cell_direction(cell: u32, side: u32) -> Vector {
    let (face, u, v) = (cell / (side * side), cell / side % side, cell % side);
    let middle = |i: u32| (Real::from(i) + 0.5) / (0.5 * Real::from(side)) - 1.0;
    let k = (face / 2) as usize;
    let mut direction = Vector::zeros();
    direction[k] = if face % 2 == 1 { 1.0 } else { -1.0 };
    direction[(k + 1) % 3] = middle(u);
    direction[(k + 2) % 3] = middle(v);
    direction
}
