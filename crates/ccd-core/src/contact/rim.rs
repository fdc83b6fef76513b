//! The round outline of a flat cap.
//!
//! **Problem.** A polygon stands for a cap where the cap's own rim is concerned: few corners of it are enough to stand on. But what lies on the
//! cap lies on all of it. Of a polygon inside the rim eight corners leave out up to a thirteenth of the radius, and what lies there would be
//! held at one place, its nearest, and tip about it.
//!
//! **Idea.** Whether a corner is over the cap, and where an edge leaves it, is told by the circle itself, seen along the cap's normal.

use crate::math::{Matrix, Point, Real, Vector};

/// The circle around a flat face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rim {
    centre: Point,
    /// Metres.
    radius: Real,
}

impl Rim {
    pub(super) fn new(centre: Point, radius: Real) -> Self {
        Self { centre, radius }
    }

    /// The same in the frame where its own lies turned by `axes` and shifted by `origin`.
    pub(super) fn transformed(&self, axes: &Matrix, origin: &Vector) -> Self {
        Self { centre: Point::from(axes * self.centre.coords + origin), ..*self }
    }

    /// From the middle to a place, across the face's unit `normal`, metres.
    fn outward(&self, normal: &Vector, place: &Point) -> Vector {
        let from = place - self.centre;
        from - normal * from.dot(normal)
    }

    /// How far inside it a place is, seen along the face's unit `normal`, metres.
    #[inline]
    pub(super) fn inside(&self, normal: &Vector, place: &Point) -> Real {
        self.radius - self.outward(normal, place).norm()
    }

    /// The point of it that is nearest to a place, seen along the face's unit `normal`; of the middle none is.
    pub(super) fn nearest(&self, normal: &Vector, place: &Point) -> Option<Point> {
        Some(self.centre + self.outward(normal, place).try_normalize(0.0)? * self.radius)
    }

    /// Its unit direction at one of its points, counter-clockwise seen against the face's unit `normal`.
    pub(super) fn tangent(&self, normal: &Vector, point: &Point) -> Vector {
        normal.cross(&(point - self.centre)) / self.radius
    }

    /// The fractions of a line from `start` at which it crosses, seen along the face's unit `normal`. One that only touches does not.
    pub(super) fn crossings(&self, normal: &Vector, start: &Point, along: &Vector) -> [Option<Real>; 2] {
        let from = self.outward(normal, start);
        let across = along - normal * along.dot(normal);
        // In half of the fraction's unit: a f² + 2 b f + c = 0.
        let (a, b) = (across.norm_squared(), from.dot(&across));
        let c = from.norm_squared() - self.radius * self.radius;
        let squared = b * b - a * c;
        if !(a > 0.0 && squared > 0.0) {
            return [None; 2];
        }
        let root = squared.sqrt();
        let inside = |f: Real| (0.0..=1.0).contains(&f).then_some(f);
        [inside((-b - root) / a), inside((-b + root) / a)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_crosses_where_it_enters_and_leaves_whatever_its_height() {
        let rim = Rim::new(Point::new(1.0, 2.0, 0.0), 5.0);
        let cross = |from: [Real; 3], to: [Real; 3]| {
            let (from, to) = (Point::from(from), Point::from(to));
            rim.crossings(&Vector::y(), &from, &(to - from))
        };
        let [enters, leaves] = cross([-9.0, 7.0, 3.0], [11.0, 7.0, 3.0]);
        assert!((enters.unwrap_or_default() - 0.3).abs() < 1e-12 && (leaves.unwrap_or_default() - 0.7).abs() < 1e-12);
        assert_eq!(cross([-2.0, 7.0, 3.0], [2.0, 7.0, 3.0]), [None; 2], "inside all along");
        assert_eq!(cross([-9.0, 7.0, 6.0], [11.0, 7.0, 6.0]), [None; 2], "beside it");
        let [enters, leaves] = cross([1.0, 7.0, 0.0], [11.0, 9.0, 0.0]);
        assert!(enters.is_none() && (leaves.unwrap_or_default() - 0.5).abs() < 1e-12, "{leaves:?}");
    }
}
