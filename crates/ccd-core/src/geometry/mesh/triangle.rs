//! Queries on one triangle: normal, closest point, segment, oriented box.
//!
//! They keep their promises in floating point: a segment that passes through the common edge or vertex of triangles meets
//! at least one of them, and a box is never reported apart from a triangle that it meets.

use robust::{Coord3D, orient3d};

use crate::geometry::solid::Segment;
use crate::math::{Point, Real, Vector};

/// The part of a triangle that a point lies on: by corner number, by side (from corner `k` to the next), or its inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrianglePart {
    /// Corner 0, 1 or 2.
    Corner(u8),
    /// The side from corner `k` to the next.
    Side(u8),
    /// Between the sides.
    Inside,
}

/// The unit normal by the winding; for triangles that are valid in a [`super::TriMesh`].
#[inline]
pub fn unit_normal(a: &Point, b: &Point, c: &Point) -> Vector {
    let (ab, bc, ca) = (b - a, c - b, a - c);
    // The cross product at the corner opposite to the longest side loses the fewest digits.
    let (n_ab, n_bc, n_ca) = (ab.norm_squared(), bc.norm_squared(), ca.norm_squared());
    let n = if n_ab >= n_bc && n_ab >= n_ca {
        bc.cross(&ca)
    } else if n_bc >= n_ca {
        ca.cross(&ab)
    } else {
        ab.cross(&bc)
    };
    n.normalize()
}

/// The point of the closed triangle that is closest to `p`, and the part it lies on.
///
/// Each side's Voronoi region is told by signs of dot products, so no direction is divided by a small area.
pub fn closest_point([a, b, c]: &[Point; 3], p: &Point) -> (Point, TrianglePart) {
    let corners = [*a, *b, *c];
    let n = (b - a).cross(&(c - a));
    let mut best: Option<(Real, Point, TrianglePart)> = None;
    for k in 0..3 {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        let side = to - from;
        // Outside this side, seen along the normal: the closest point may lie on the side.
        if n.cross(&side).dot(&(p - from)) > 0.0 {
            continue;
        }
        let t = (p - from).dot(&side) / side.norm_squared();
        let (point, part) = if t <= 0.0 {
            (from, TrianglePart::Corner(k as u8))
        } else if t >= 1.0 {
            (to, TrianglePart::Corner(((k + 1) % 3) as u8))
        } else {
            (from + side * t, TrianglePart::Side(k as u8))
        };
        let distance = (p - point).norm_squared();
        if best.is_none_or(|(d, _, _)| distance < d) {
            best = Some((distance, point, part));
        }
    }
    match best {
        Some((_, point, part)) => (point, part),
        None => {
            let height = n.dot(&(p - a)) / n.norm_squared();
            (p - n * height, TrianglePart::Inside)
        }
    }
}

/// A segment made ready to be tested against many triangles: the watertight test of Woop, Benthin and Wald (2013).
///
/// All triangles see a vertex at the same sheared place, and a difference of two rounded products never has the wrong
/// sign (at worst it is zero, which counts as met); so a segment cannot slip between triangles that share an edge.
#[derive(Clone, Copy, Debug)]
pub struct SegmentTest {
    segment: Segment,
    axes: [usize; 3],
    shear: [Real; 2],
    direction: Vector,
}

impl SegmentTest {
    /// Makes `segment` ready.
    pub fn new(segment: &Segment) -> Self {
        let direction = segment.end - segment.start;
        let z = direction.iamax();
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        let shear =
            if direction[z] == 0.0 { [0.0; 2] } else { [direction[x] / direction[z], direction[y] / direction[z]] };
        Self { segment: *segment, axes: [x, y, z], shear, direction }
    }

    /// The fraction in [0, 1] at which the segment first meets the closed triangle; a segment that lies in the
    /// triangle's plane meets it where it enters. `None` when they do not meet.
    pub fn fraction(&self, corners: &[Point; 3]) -> Option<Real> {
        let [x, y, z] = self.axes;
        let sheared = corners.map(|p| {
            let d = p - self.segment.start;
            [d[x] - self.shear[0] * d[z], d[y] - self.shear[1] * d[z], d[z]]
        });
        let [a, b, c] = &sheared;
        let (u, v, w) = (signed_area(c, b), signed_area(a, c), signed_area(b, a));
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        // Which side of the plane the ends are on is decided exactly: an end that touches counts, one beyond does not.
        let [pa, pb, pc] = corners.map(coord);
        let at_start = orient3d(pa, pb, pc, coord(self.segment.start));
        let at_end = orient3d(pa, pb, pc, coord(self.segment.end));
        if at_start == 0.0 && at_end == 0.0 {
            return self.fraction_in_plane(corners);
        }
        if at_start != 0.0 && at_end != 0.0 && (at_start > 0.0) == (at_end > 0.0) {
            return None;
        }
        Some((at_start / (at_start - at_end)).clamp(0.0, 1.0))
    }

    /// The segment lies in the triangle's plane: it starts inside, or enters through a side.
    fn fraction_in_plane(&self, corners: &[Point; 3]) -> Option<Real> {
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            let inward = normal.cross(&(to - from));
            let height = inward.dot(&(self.segment.start - from));
            let rise = inward.dot(&self.direction);
            if rise > 0.0 {
                enter = enter.max(-height / rise);
            } else if rise < 0.0 {
                leave = leave.min(-height / rise);
            } else if height < 0.0 {
                return None;
            }
        }
        (enter <= leave).then_some(enter)
    }
}

/// Twice the area between two sheared places and the segment's line; zero where rounding leaves the sign open, so that a
/// segment through the rim of an open surface counts as meeting it.
#[inline]
fn signed_area(p: &[Real; 3], q: &[Real; 3]) -> Real {
    let (one, other) = (p[0] * q[1], p[1] * q[0]);
    // Each sheared coordinate carries two roundings of a sum of its unsheared size.
    let place_rounding = |r: &[Real; 3]| 4.0 * Real::EPSILON * (r[0].abs() + r[1].abs() + r[2].abs());
    let size = |r: &[Real; 3]| r[0].abs() + r[1].abs();
    let rounding = place_rounding(p) * size(q) + place_rounding(q) * size(p);
    let area = one - other;
    if area.abs() <= rounding { 0.0 } else { area }
}

/// A point for the exact predicates.
#[inline]
pub(crate) fn coord(p: Point) -> Coord3D<Real> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// Whether the closed triangle, given in the frame of a box around the origin, meets the box. Never `false` when it does.
///
/// The separating axes are the box's three, the triangle's normal, and the nine cross products of their edges
/// (Akenine-Möller, 2001), each padded by the rounding of its own evaluation.
pub fn overlaps_centred_box(corners: &[Vector; 3], half_extents: &Vector) -> bool {
    let [a, b, c] = corners;
    let reach = a.amax().max(b.amax()).max(c.amax()) + half_extents.amax();
    // Eight roundings of numbers of this size, for the frame change that brought the corners here and the sums below.
    let pad = 16.0 * Real::EPSILON * reach;
    for k in 0..3 {
        let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
        if low > half_extents[k] + pad || high < -half_extents[k] - pad {
            return false;
        }
    }
    let sides = [b - a, c - b, a - c];
    let separated = |axis: &Vector| {
        let (pa, pb, pc) = (axis.dot(a), axis.dot(b), axis.dot(c));
        let radius = axis.abs().dot(half_extents) + 8.0 * pad * axis.amax();
        pa.min(pb).min(pc) > radius || pa.max(pb).max(pc) < -radius
    };
    if separated(&sides[0].cross(&sides[1])) {
        return false;
    }
    sides.iter().all(|s| {
        let across = [Vector::new(0.0, -s.z, s.y), Vector::new(s.z, 0.0, -s.x), Vector::new(-s.y, s.x, 0.0)];
        !across.iter().any(separated)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Point> {
        [-2.0..2.0, -2.0..2.0, -2.0..2.0_f64].prop_map(|[x, y, z]| Point::new(x, y, z))
    }

    /// Coarse coordinates, so that segments pass through edges, vertices and planes all the time.
    fn coarse_point() -> impl Strategy<Value = Point> {
        [-2..=2, -2..=2, -2..=2_i32].prop_map(|[x, y, z]| Point::new(x.into(), y.into(), z.into()))
    }

    fn is_triangle(t: &[Point; 3]) -> bool {
        (t[1] - t[0]).cross(&(t[2] - t[0])).norm() > 1e-3
    }

    proptest! {
        #[test]
        fn no_sampled_point_is_closer_than_the_closest_one(t in [point(), point(), point()], p in point()) {
            prop_assume!(is_triangle(&t));
            let (closest, part) = closest_point(&t, &p);
            let distance = (p - closest).norm();
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    let sample = t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v;
                    prop_assert!(distance <= (p - sample).norm() + 1e-12);
                }
            }
            match part {
                TrianglePart::Corner(k) => prop_assert_eq!(closest, t[k as usize]),
                TrianglePart::Side(k) => {
                    let (from, to) = (t[k as usize], t[(k as usize + 1) % 3]);
                    prop_assert!((to - from).cross(&(closest - from)).norm() < 1e-12);
                }
                TrianglePart::Inside => prop_assert!(unit_normal(&t[0], &t[1], &t[2]).dot(&(closest - t[0])).abs() < 1e-9),
            }
        }

        #[test]
        fn a_segment_through_a_point_of_the_triangle_meets_it(
            t in [coarse_point(), coarse_point(), coarse_point()], start in coarse_point(), i in 0..=4_i32, j in 0..=4_i32,
        ) {
            prop_assume!(is_triangle(&t));
            let j = j.min(4 - i);
            // Quarters of small integers are exact, so the segment really passes through `target`.
            let target = t[0] + (t[1] - t[0]) * (f64::from(i) / 4.0) + (t[2] - t[0]) * (f64::from(j) / 4.0);
            prop_assume!(start != target);
            for end in [target, target + (target - start)] {
                let fraction = SegmentTest::new(&Segment { start, end }).fraction(&t);
                let Some(fraction) = fraction else { return Err(TestCaseError::fail(format!("{t:?} misses {start} to {end}"))) };
                let met = start + (end - start) * fraction;
                let (closest, _) = closest_point(&t, &met);
                prop_assert!((closest - met).norm() < 1e-12);
                prop_assert!((met - start).norm() <= (target - start).norm() + 1e-12);
            }
        }

        #[test]
        fn a_segment_that_is_reported_to_meet_does(t in [point(), point(), point()], start in point(), end in point()) {
            prop_assume!(is_triangle(&t));
            if let Some(fraction) = SegmentTest::new(&Segment { start, end }).fraction(&t) {
                let met = start + (end - start) * fraction;
                prop_assert!((closest_point(&t, &met).0 - met).norm() < 1e-9);
            }
        }

        #[test]
        fn a_box_is_apart_from_a_triangle_only_when_dense_sampling_agrees(
            t in [point(), point(), point()], h in [0.05..1.0, 0.05..1.0, 0.05..1.0_f64],
        ) {
            prop_assume!(is_triangle(&t));
            let corners = t.map(|p| p.coords);
            let h = Vector::from(h);
            let overlaps = overlaps_centred_box(&corners, &h);
            let mut inside = false;
            for i in 0..=40 {
                for j in 0..=40 - i {
                    let s = corners[0] + (corners[1] - corners[0]) * (f64::from(i) / 40.0) + (corners[2] - corners[0]) * (f64::from(j) / 40.0);
                    inside |= s.abs().x <= h.x && s.abs().y <= h.y && s.abs().z <= h.z;
                }
            }
            prop_assert!(overlaps || !inside);
            // Where the box shrunk by more than the sampling step is met, sampling must see the box itself.
            let shrunk = h - Vector::repeat(0.2);
            if shrunk.min() > 0.0 && overlaps_centred_box(&corners, &shrunk) {
                prop_assert!(inside);
            }
        }
    }
}
