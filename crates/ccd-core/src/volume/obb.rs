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
    /// Never `false` for boxes that share a point: cross products of near-parallel axes are padded rather than trusted.
    pub fn overlaps(&self, other: &Self) -> bool {
        let rotation = self.axes.tr_mul(&other.axes);
        let offset = self.axes.tr_mul(&(other.centre - self.centre));
        // Near-parallel axes give a cross product near zero whose direction is noise; the padding makes such an axis separate nothing.
        const PARALLEL_PADDING: Real = 1e-12;
        let abs = rotation.abs().add_scalar(PARALLEL_PADDING);
        let (ha, hb) = (&self.half_extents, &other.half_extents);
        for i in 0..3 {
            if offset[i].abs() > ha[i] + (abs.row(i) * hb)[0] {
                return false;
            }
        }
        for j in 0..3 {
            if offset.dot(&rotation.column(j)).abs() > abs.column(j).dot(ha) + hb[j] {
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
                if distance > radius_a + radius_b {
                    return false;
                }
            }
        }
        true
    }
}
