//! Oriented boxes.

use super::Aabb;
use crate::math::{Matrix, Point, Pose, Real, Vector};

/// An oriented box: `centre + axes · [-half_extents, half_extents]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// The middle, metres.
    pub centre: Point,
    /// The box's unit axes as columns of a rotation matrix.
    pub axes: Matrix,
    /// Half the edge lengths along the axes, metres.
    pub half_extents: Vector,
}

impl Obb {
    /// The box that `aabb` becomes when it is placed by `pose`.
    pub fn from_aabb(aabb: &Aabb, pose: &Pose) -> Self {
        Self {
            centre: pose * aabb.centre(),
            axes: pose.rotation.to_rotation_matrix().into_inner(),
            half_extents: aabb.half_extents(),
        }
    }

    /// This box placed by `pose`.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self {
            centre: pose * self.centre,
            axes: pose.rotation.to_rotation_matrix().into_inner() * self.axes,
            half_extents: self.half_extents,
        }
    }

    /// The box with every face moved outwards by `margin` metres.
    #[must_use]
    pub fn inflated(&self, margin: Real) -> Self {
        Self { half_extents: self.half_extents + Vector::repeat(margin), ..*self }
    }

    /// The eight corners.
    pub fn corners(&self) -> [Point; 8] {
        std::array::from_fn(|i| {
            let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            self.centre + self.axes * self.half_extents.component_mul(&Vector::new(sign(0), sign(1), sign(2)))
        })
    }

    /// The axis-aligned box around this one.
    pub fn aabb(&self) -> Aabb {
        Aabb::from_half_extents(self.centre, self.axes.abs() * self.half_extents)
    }

    /// Half the width of the box seen along the unit `direction`, metres.
    #[inline]
    pub fn radius_along(&self, direction: &Vector) -> Real {
        self.axes.tr_mul(direction).abs().dot(&self.half_extents)
    }

    /// Whether the boxes overlap, by the 15 separating axes of Gottschalk, Lin and Manocha (1996).
    ///
    /// Never `false` for boxes that share a point, up to the rounding of their own numbers: the cross product of near-parallel
    /// axes is near zero and its direction noise, but its length bounds what it can tell, so every comparison gives way by the
    /// rounding of its own products. That holds for boxes without thickness, too, where a padding of the rotation alone does not.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let rotation = self.axes.tr_mul(&other.axes);
        let offset = self.axes.tr_mul(&(other.centre - self.centre));
        let abs = rotation.abs();
        let (ha, hb) = (&self.half_extents, &other.half_extents);
        // Axes are orthonormal, and products of three numbers right, to a few last places.
        let slack = 64.0 * Real::EPSILON * (offset.amax() + ha.amax() + hb.amax());
        for i in 0..3 {
            if offset[i].abs() > ha[i] + (abs[(i, 0)] * hb[0] + abs[(i, 1)] * hb[1] + abs[(i, 2)] * hb[2]) + slack {
                return false;
            }
        }
        for j in 0..3 {
            if offset.dot(&rotation.column(j)).abs() > abs.column(j).dot(ha) + hb[j] + slack {
                return false;
            }
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let radius_a = ha[i1] * abs[(i2, j)] + ha[i2] * abs[(i1, j)];
                let radius_b = hb[j1] * abs[(i, j2)] + hb[j2] * abs[(i, j1)];
                let distance = (offset[i2] * rotation[(i1, j)] - offset[i1] * rotation[(i2, j)]).abs();
                if distance > radius_a + radius_b + slack {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rotation;
    use proptest::prelude::*;

    /// Half extents of which some are zero.
    fn half_extents() -> impl Strategy<Value = Vector> {
        prop::array::uniform3(prop_oneof![Just(0.0), 1e-12..1e-9_f64, 0.0..2.0_f64]).prop_map(Vector::from)
    }

    proptest! {
        #[test]
        fn boxes_that_share_a_point_overlap_however_parallel_and_thin_they_are(
            turn in prop::array::uniform3(-3.0..3.0_f64),
            tilt in prop::array::uniform3(prop_oneof![Just(0.0), -1e-15..1e-15_f64, -1e-8..1e-8_f64, -3.0..3.0_f64]),
            half_a in half_extents(), half_b in half_extents(), far in -100.0..100.0_f64,
            at_a in prop::array::uniform3(prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0_f64]),
            at_b in prop::array::uniform3(prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0_f64]),
        ) {
            let axes_a = Rotation::from_scaled_axis(Vector::from(turn));
            let axes_b = axes_a * Rotation::from_scaled_axis(Vector::from(tilt));
            let a = Obb {
                centre: Point::new(far, 0.0, 0.0),
                axes: axes_a.to_rotation_matrix().into_inner(),
                half_extents: half_a,
            };
            let axes = axes_b.to_rotation_matrix().into_inner();
            // The second box has its point `at_b` where the first has its point `at_a`.
            let shared = a.centre + a.axes * half_a.component_mul(&Vector::from(at_a));
            let b = Obb { centre: shared - axes * half_b.component_mul(&Vector::from(at_b)), axes, half_extents: half_b };
            // The place itself is rounded by as much as its coordinates are large.
            let rounding = 4.0 * Real::EPSILON * (100.0 + far.abs());
            prop_assert!(a.inflated(rounding).overlaps(&b));
            prop_assert!(b.overlaps(&a.inflated(rounding)));
        }
    }

    #[test]
    fn near_parallel_segments_that_cross_are_not_told_apart_by_noise() {
        // Two boxes without thickness, their long axes 1e-9 rad from parallel, through one point.
        let thin = |angle: Real| Obb {
            centre: Point::origin(),
            axes: Rotation::from_scaled_axis(Vector::z() * angle).to_rotation_matrix().into_inner(),
            half_extents: Vector::new(1.0, 0.0, 0.0),
        };
        for angle in [0.0, 1e-16, 1e-12, 1e-9, 1e-3] {
            assert!(thin(0.3).overlaps(&thin(0.3 + angle)), "{angle}");
        }
        let apart = Obb { centre: Point::new(0.0, 0.0, 1e-6), ..thin(0.3) };
        assert!(!thin(0.3).overlaps(&apart));
    }
}
