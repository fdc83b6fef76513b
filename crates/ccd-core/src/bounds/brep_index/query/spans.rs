//! Where along a segment its points are within ε of a feature.
//!
//! Vertices, segments and triangles are convex, so each is near along one interval: of a triangle, the smallest that
//! holds the part within ε of its plane and over it, and the parts near its sides and corners.

use crate::math::{Point, Real, Vector};

/// A segment as start and way, with its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) start: Point,
    pub(super) way: Vector,
    pub(super) length: Real,
}

/// Fractions along a path, the first not above the second.
pub(super) type Interval = (Real, Real);

impl Path {
    pub(super) fn at(&self, t: Real) -> Point {
        self.start + self.way * t
    }

    /// The part of `interval` where the linear function with these ends is at least `least`.
    pub(super) fn at_least(interval: Interval, at_start: Real, at_end: Real, least: Real) -> Option<Interval> {
        let (from, to) = interval;
        let rise = at_end - at_start;
        if rise == 0.0 {
            return (at_start >= least).then_some(interval);
        }
        let t = (least - at_start) / rise;
        let part = if rise > 0.0 { (from.max(t), to) } else { (from, to.min(t)) };
        (part.0 <= part.1).then_some(part)
    }

    /// Where the path is within `radius` of a point.
    pub(super) fn near_point(&self, point: &Point, radius: Real) -> Option<Interval> {
        let t = self.way.dot(&(point - self.start)) / self.way.norm_squared();
        let spare = radius * radius - (self.at(t) - point).norm_squared();
        if spare < 0.0 {
            return None;
        }
        clipped(t, spare.sqrt() / self.length)
    }

    /// Where the path is within `radius` of a segment.
    pub(super) fn near_segment(&self, [a, b]: &[Point; 2], radius: Real) -> Option<Interval> {
        let axis = b - a;
        let length = axis.norm();
        let u = axis / length;
        let from_a = self.start - a;
        let (along, rate) = (u.dot(&from_a), u.dot(&self.way));
        let (across, drift) = (from_a - u * along, self.way - u * rate);
        let drift_squared = drift.norm_squared();
        // Near the line, where it passes the segment.
        let line = if drift_squared > 0.0 {
            let t = -across.dot(&drift) / drift_squared;
            let spare = radius * radius - (across + drift * t).norm_squared();
            if spare < 0.0 { None } else { clipped(t, (spare / drift_squared).sqrt()) }
        } else {
            (across.norm_squared() <= radius * radius).then_some((0.0, 1.0))
        };
        let line = line
            .and_then(|i| Self::at_least(i, along, along + rate, 0.0))
            .and_then(|i| Self::at_least(i, -along, -along - rate, -length));
        hull(hull(line, self.near_point(a, radius)), self.near_point(b, radius))
    }

    /// Where the path is within `radius` of a triangle with this unit normal.
    pub(super) fn near_triangle(&self, corners: &[Point; 3], normal: &Vector, radius: Real) -> Option<Interval> {
        let end = self.at(1.0);
        let heights = [self.start, end].map(|p| normal.dot(&(p - corners[0])));
        let mut over = Self::at_least((0.0, 1.0), heights[0], heights[1], -radius)
            .and_then(|i| Self::at_least(i, -heights[0], -heights[1], -radius));
        let mut all = None;
        for k in 0..3 {
            let side = [corners[k], corners[(k + 1) % 3]];
            let inward = normal.cross(&(side[1] - side[0]));
            let [s, e] = [self.start, end].map(|p| inward.dot(&(p - side[0])));
            over = over.and_then(|i| Self::at_least(i, s, e, 0.0));
            all = hull(all, self.near_segment(&side, radius));
        }
        hull(all, over)
    }
}

/// The part of [0, 1] within `half` of `t`.
fn clipped(t: Real, half: Real) -> Option<Interval> {
    let (from, to) = ((t - half).max(0.0), (t + half).min(1.0));
    (from <= to).then_some((from, to))
}

fn hull(a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::triangle::{closest_point, unit_normal};
    use proptest::prelude::*;

    fn path(start: Point, end: Point) -> Path {
        Path { start, way: end - start, length: (end - start).norm() }
    }

    fn point() -> impl Strategy<Value = Point> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(Point::from)
    }

    proptest! {
        #[test]
        fn a_path_is_near_a_triangle_exactly_where_its_points_are(
            start in point(), end in point(), corners in prop::array::uniform3(point()), radius in 0.01..0.3_f64,
        ) {
            let [a, b, c] = corners;
            prop_assume!((b - a).cross(&(c - a)).norm() > 1e-3 && (end - start).norm() > 1e-3);
            let path = path(start, end);
            let found = path.near_triangle(&corners, &unit_normal(&a, &b, &c), radius);
            for i in 0..=200 {
                let t = f64::from(i) / 200.0;
                let distance = (closest_point(&corners, &path.at(t)).0 - path.at(t)).norm();
                let is_in = found.is_some_and(|(from, to)| from <= t && t <= to);
                prop_assert!(is_in == (distance <= radius) || (distance - radius).abs() < 1e-9, "{t}: {distance}, {found:?}");
            }
        }
    }
}
