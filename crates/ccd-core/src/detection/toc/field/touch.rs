//! Points near a cell that show the two solids to be within the tolerance.

use super::{ENOUGH, FieldSearch};
use crate::detection::field::cells::Cell;
use crate::detection::field::witness::{Pair, Within, Witness};
use crate::detection::toc::kinematics::Instant;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Pose, Real, Rotation, Vector};

/// A cell that cannot be proven apart, and is smaller than this share of what the points found near it are apart, puts these in doubt: they are
/// settled, which takes many rounds. Chosen by measuring piles of superquadrics.
const DOUBTFUL: Real = 0.1;

/// Two solids within the tolerance, `time` seconds after the interval's start; places relative to A's centre of rotation, in the world's axes.
#[derive(Clone, Copy, Debug)]
pub(in crate::detection::toc) struct FieldTouch {
    pub time: Real,
    pub point_a: Vector,
    pub point_b: Vector,
    pub normal: Vector,
    pub separation: Real,
    pub features: FeaturePair,
}

impl FieldSearch<'_> {
    /// Two points within `reach` metres of each other near the cell, at an instant; else how far apart the nearest are that were
    /// found, infinite for none.
    pub(super) fn touch(&self, cell: &Cell, at: &Instant, reach: Real) -> Result<FieldTouch, Real> {
        let motion = self.motion;
        let rotation = at.rotation_a.tr_mul(&at.rotation_b);
        let origin =
            motion.a.local_centre.coords + at.rotation_a.tr_mul(&at.offset) - rotation * motion.b.local_centre.coords;
        // In closed form: the iterative extraction stops short of half a turn.
        let turn = Rotation::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(rotation));
        let witness = Witness {
            cells: &self.cells,
            other: self.other,
            other_pose: Pose::from_parts(origin.into(), turn),
            fine: (1e-7 * self.tolerance).max(0.01 * self.rounding),
            within: Within::Part,
        };
        let pair = witness.nearer(cell, ENOUGH * self.tolerance, reach).ok_or(Real::INFINITY)?;
        let whole = Witness { within: Within::Surface, ..witness };
        let settled = |pair| whole.settled(cell, pair, self.other.bounding_sphere().radius.min(self.reach()));
        // Within the tolerance the points may be far from where the solids are nearest, and the normal with them; so may points
        // be that are far further apart than a cell that cannot be proven apart is large.
        let is_doubtful = cell.radius < DOUBTFUL * pair.distance;
        let pair = if pair.distance <= reach || is_doubtful { settled(pair) } else { pair };
        if pair.distance > reach {
            return Err(pair.distance);
        }
        let pair = self.flat.map_or(pair, |normal| pair.over_plane(&(turn * normal), &origin));
        Ok(self.answer(&pair, cell, at))
    }

    /// The touch that a pair of points near a cell is.
    fn answer(&self, pair: &Pair, cell: &Cell, at: &Instant) -> FieldTouch {
        let place = |p: &Point| at.rotation_a * (p - self.motion.a.local_centre);
        FieldTouch {
            time: at.time,
            point_a: place(&pair.point_a),
            point_b: place(&pair.point_b),
            normal: at.rotation_a * pair.normal,
            separation: pair.distance,
            features: FeaturePair { a: self.cells.feature_at(cell, &pair.point_a), b: Feature::Face(0) },
        }
    }
}
