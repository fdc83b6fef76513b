//! The box.

use super::error::{ShapeError, positive};
use super::revolution::distance_from_axis;
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::field::Field;
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap, SupportPoint};
use crate::math::{Matrix, Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// A box around its origin, along its axes.
///
/// Bit `k` of a vertex number is set where coordinate `k` is positive. Face `2k` is the negative side of axis `k`, face
/// `2k + 1` the positive one. Edge `4k + j` runs along axis `k`; bit 0 of `j` is the side of axis `k + 1`, bit 1 of
/// axis `k + 2` (cyclically).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    half_extents: Vector,
}

impl Cuboid {
    /// The box with these half edge lengths, metres.
    ///
    /// # Errors
    /// [`ShapeError`] unless each is positive and in range.
    pub fn try_new(half_extents: [Real; 3]) -> Result<Self, ShapeError> {
        let names = ["half extent x", "half extent y", "half extent z"];
        for (name, value) in names.into_iter().zip(half_extents) {
            positive("box", name, value)?;
        }
        Ok(Self { half_extents: half_extents.into() })
    }

    /// Half the edge lengths, metres.
    #[inline]
    pub fn half_extents(&self) -> Vector {
        self.half_extents
    }

    /// The vertex with this number, 0 to 7.
    #[inline]
    pub fn vertex(&self, number: u32) -> Point {
        let side = |k: usize| if number >> k & 1 == 1 { self.half_extents[k] } else { -self.half_extents[k] };
        Point::new(side(0), side(1), side(2))
    }

    /// The vertices of edge `4k + j` (0 to 11), which runs along axis `k`.
    pub fn edge_vertices(edge: u32) -> [u32; 2] {
        let (k, j) = (edge / 4, edge % 4);
        let from = (j & 1) << ((k + 1) % 3) | (j >> 1) << ((k + 2) % 3);
        [from, from | 1 << k]
    }

    /// The vertices of face `2k` or `2k + 1` (on the negative or positive side of axis `k`), counter-clockwise from outside.
    pub fn face_vertices(face: u32) -> [u32; 4] {
        let (k, positive) = (face / 2, face % 2);
        let (u, v) = (1 << ((k + 1) % 3), 1 << ((k + 2) % 3));
        let base = positive << k;
        if positive == 1 { [base, base | u, base | u | v, base | v] } else { [base, base | v, base | u | v, base | u] }
    }
}

impl Solid for Cuboid {
    fn kind(&self) -> &'static str {
        "box"
    }

    fn local_aabb(&self) -> Aabb {
        Aabb::from_half_extents(Point::origin(), self.half_extents)
    }

    fn bounding_sphere(&self) -> Sphere {
        Sphere { centre: Point::origin(), radius: self.half_extents.norm() * (1.0 + 4.0 * Real::EPSILON) }
    }

    fn features(&self, _max_error: Real) -> FeatureSet {
        FeatureSet {
            vertices: (0..8).map(|i| self.vertex(i)).collect(),
            edges: (0..12).map(Self::edge_vertices).collect(),
            faces: (0..6)
                .flat_map(|f| {
                    let [a, b, c, d] = Self::face_vertices(f);
                    [[a, b, c], [a, c, d]]
                })
                .collect(),
            ..FeatureSet::default()
        }
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        Obb { centre: Point::origin(), axes: Matrix::identity(), half_extents: self.half_extents }.overlaps(obb)
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let (start, d) = (segment.start, segment.end - segment.start);
        let h = &self.half_extents;
        if (0..3).all(|k| start[k].abs() <= h[k]) {
            // Inside: the nearest side.
            let depth = h - start.coords.abs();
            let k = depth.imin();
            return Some(hit_on(0.0, start, k, start[k] >= 0.0));
        }
        let (mut enter, mut leave, mut side) = (0.0_f64, 1.0_f64, None);
        for k in 0..3 {
            if d[k] == 0.0 {
                if start[k].abs() > h[k] {
                    return None;
                }
                continue;
            }
            let near = (-h[k].copysign(d[k]) - start[k]) / d[k];
            let far = (h[k].copysign(d[k]) - start[k]) / d[k];
            if near >= enter && start[k].abs() >= h[k] {
                (enter, side) = (near, Some(k));
            }
            leave = leave.min(far);
        }
        let k = side.filter(|_| enter <= leave)?;
        let mut point = start + d * enter;
        point[k] = -h[k].copysign(d[k]);
        Some(hit_on(enter, point, k, d[k] < 0.0))
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }

    fn field(&self) -> Option<&dyn Field> {
        Some(self)
    }
}

/// A hit on the positive or negative side of axis `k`.
fn hit_on(fraction: Real, point: Point, k: usize, positive: bool) -> SegmentHit {
    let mut normal = Vector::zeros();
    normal[k] = if positive { 1.0 } else { -1.0 };
    SegmentHit { fraction, point, normal, feature: Feature::Face(2 * k as u32 + u32::from(positive)) }
}

impl SupportMap for Cuboid {
    #[inline]
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let h = &self.half_extents;
        let point = Point::new(h.x.copysign(direction.x), h.y.copysign(direction.y), h.z.copysign(direction.z));
        let positive = |c: Real| u32::from(c.is_sign_positive());
        let vertex = positive(direction.x) | positive(direction.y) << 1 | positive(direction.z) << 2;
        SupportPoint { point, vertex }
    }

    fn interior_point(&self) -> Point {
        Point::origin()
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        // The coordinates in which all of them agree, and on which side.
        let all_set = vertices.iter().fold(7, |mask, v| mask & v);
        let all_clear = vertices.iter().fold(7, |mask, v| mask & !v);
        let shared: u32 = all_set | all_clear;
        let side = |k: u32| all_set >> (k % 3) & 1;
        match shared.count_ones() {
            3 => Feature::Vertex(all_set),
            2 => {
                let k = (!shared & 7).trailing_zeros();
                Feature::Edge(4 * k + (side(k + 1) | side(k + 2) << 1))
            }
            1 => {
                let k = shared.trailing_zeros();
                Feature::Face(2 * k + side(k))
            }
            // A diagonal through the inside is no feature: the vertex that was named first stands for it.
            _ => Feature::Vertex(vertices.first().map_or(0, |v| v & 7)),
        }
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        (0..8).map(|i| distance_from_axis(&self.vertex(i), centre, axis)).fold(0.0, Real::max)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        let k = direction.iamax();
        let face = 2 * k as u32 + u32::from(direction[k] >= 0.0);
        polygon.extend(Self::face_vertices(face).map(|v| self.vertex(v)));
        Feature::Face(face)
    }

    fn each_face_at(&self, direction: &Vector, look: &mut dyn FnMut(Vector)) {
        (0..3).for_each(|k| look(Vector::ith(k, 1.0_f64.copysign(direction[k]))));
    }
}
