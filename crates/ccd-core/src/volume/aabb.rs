//! Axis-aligned boxes.

use crate::math::{Point, Pose, Real, Vector};

/// An axis-aligned box, in the frame that the context names. Empty while `min > max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The smallest coordinates, metres.
    pub min: Point,
    /// The largest coordinates, metres.
    pub max: Point,
}

impl Aabb {
    /// The empty box: the neutral element of [`Aabb::merged`].
    pub const EMPTY: Self = Self {
        min: Point::new(Real::INFINITY, Real::INFINITY, Real::INFINITY),
        max: Point::new(Real::NEG_INFINITY, Real::NEG_INFINITY, Real::NEG_INFINITY),
    };

    /// The box from its centre and half extents (metres, non-negative).
    pub fn from_half_extents(centre: Point, half_extents: Vector) -> Self {
        Self { min: centre - half_extents, max: centre + half_extents }
    }

    /// The smallest box around `points`; empty for none.
    pub fn from_points<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        let mut aabb = Self::EMPTY;
        for p in points {
            aabb.grow(p);
        }
        aabb
    }

    /// Extends the box to hold `p`.
    #[inline]
    pub fn grow(&mut self, p: &Point) {
        self.min = self.min.inf(p);
        self.max = self.max.sup(p);
    }

    /// The smallest box around both.
    #[inline]
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// The box with every face moved outwards by `margin` metres.
    #[inline]
    #[must_use]
    pub fn inflated(&self, margin: Real) -> Self {
        let m = Vector::repeat(margin);
        Self { min: self.min - m, max: self.max + m }
    }

    /// Whether the boxes share a point (touching counts).
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// Whether `other` lies within this box.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.merged(other) == *self
    }

    /// The eight corners.
    pub fn corners(&self) -> [Point; 8] {
        let end = |i: usize, k: usize| if i >> k & 1 == 1 { self.max[k] } else { self.min[k] };
        std::array::from_fn(|i| Point::new(end(i, 0), end(i, 1), end(i, 2)))
    }

    /// The middle of the box.
    #[inline]
    pub fn centre(&self) -> Point {
        nalgebra::center(&self.min, &self.max)
    }

    /// Half the edge lengths, metres.
    #[inline]
    pub fn half_extents(&self) -> Vector {
        (self.max - self.min) * 0.5
    }

    /// The surface area, square metres; zero for the empty box.
    #[inline]
    pub fn area(&self) -> Real {
        let d = self.max - self.min;
        if d.x < 0.0 { 0.0 } else { 2.0 * (d.x * d.y + d.y * d.z + d.z * d.x) }
    }

    /// The distance from `p` to the box, metres; zero inside.
    #[inline]
    pub fn distance_to_point(&self, p: &Point) -> Real {
        let below = self.min - p;
        let above = p - self.max;
        below.sup(&above).sup(&Vector::zeros()).norm()
    }

    /// From when to when a point is in the box that is at `from` at time zero and goes by `way` in a unit of time: between zero and
    /// `end`; `None` where it never is. Touching counts, up to the rounding of the quotients.
    #[doc(alias = "slab test")]
    #[inline]
    pub(crate) fn stay(&self, from: &Point, way: &Vector, end: Real) -> Option<(Real, Real)> {
        let (mut enter, mut leave) = (0.0_f64, end);
        for k in 0..3 {
            let (low, high) = (self.min[k] - from[k], self.max[k] - from[k]);
            if way[k] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
                continue;
            }
            let (one, other) = (low / way[k], high / way[k]);
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        (enter <= leave).then_some((enter, leave))
    }

    /// The axis-aligned box around this box placed by `pose`; unbounded directions stay unbounded, and the
    /// empty box stays empty.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        let axes = pose.rotation.to_rotation_matrix().into_inner();
        let half_extents = self.half_extents();
        if half_extents.amax().is_finite() {
            return Self::from_half_extents(pose * self.centre(), axes.abs() * half_extents);
        }
        if *self == Self::EMPTY {
            return *self;
        }
        // Infinity times zero is no number: each coordinate is summed over the axes that it depends on.
        let mut turned = Self { min: Point::origin(), max: Point::origin() };
        for i in 0..3 {
            for j in (0..3).filter(|&j| axes[(i, j)] != 0.0) {
                let (from_min, from_max) = (axes[(i, j)] * self.min[j], axes[(i, j)] * self.max[j]);
                turned.min[i] += from_min.min(from_max);
                turned.max[i] += from_min.max(from_max);
            }
        }
        let by = pose.translation.vector;
        Self { min: turned.min + by, max: turned.max + by }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rotation;

    #[test]
    fn unbounded_boxes_stay_unbounded_where_they_are_placed_and_never_turn_nan() {
        let below = Aabb {
            min: Vector::repeat(Real::NEG_INFINITY).into(),
            max: Point::new(Real::INFINITY, 0.0, Real::INFINITY),
        };
        let moved = below.transformed(&Pose::translation(1.0, -2.0, 3.0));
        assert_eq!((moved.max.y, moved.min), (-2.0, below.min));
        let turned = below.transformed(&Pose::rotation(Vector::new(0.3, 0.2, 0.1)));
        assert!(turned.min.iter().all(|c| *c == Real::NEG_INFINITY) && turned.max.iter().all(|c| *c == Real::INFINITY));
        let half_turn = Rotation::new_unchecked(nalgebra::Quaternion::new(0.0, 1.0, 0.0, 0.0));
        let above = below.transformed(&Pose::from_parts(Vector::zeros().into(), half_turn));
        assert_eq!((above.min.y, above.max.y), (0.0, Real::INFINITY));
        assert_eq!(Aabb::EMPTY.transformed(&Pose::rotation(Vector::new(0.3, 0.2, 0.1))), Aabb::EMPTY);
    }
}
