//! Oriented boxes around moving solids.
//!
//! Source: precise contact determination, section 3.5, with erratum E21: spheres around the vertices of the first box
//! cover nothing of a translation, so here are the vertices at both ends, moved outwards by the deviation of E1.

use crate::math::{Matrix, Point, Real, Vector, orthonormal_basis};
use crate::motion::{RigidMotion, TimeInterval, bound};
use crate::volume::Obb;

/// An oriented world box around everything that the bounded box `local` (the solid's frame) covers over `interval`.
///
/// Two frames compete, and the one whose box has less volume wins: the frame that the box has halfway, and the frame of
/// the centre's way. In either, two enclosures are intersected: the corners at both ends, inflated by how far a corner can
/// leave its chord, and the sphere about the centre of rotation swept along its straight way, which stays small for any
/// spin. Exact, along its axes, for a pure translation. Cost: sixteen transformed points.
pub fn swept_obb(local: &Obb, motion: &RigidMotion, interval: TimeInterval) -> Obb {
    let (from, to) = (interval.start(), interval.end());
    if motion.is_at_rest() {
        return local.transformed(&motion.start);
    }
    let corners = local.corners();
    let reach = corners.iter().map(|p| (p - motion.local_centre).norm()).fold(0.0, Real::max);
    let deviation = bound::chord_deviation(motion.angular_velocity.norm(), reach, interval.length());
    let (start, end) = (motion.pose_at(from), motion.pose_at(to));
    let ends: [Point; 16] = std::array::from_fn(|i| if i < 8 { start * corners[i] } else { end * corners[i - 8] });
    let centres = [motion.centre_at(from), motion.centre_at(to)];

    let along = |axes: Matrix| {
        let (chords, spheres) = (span(&ends, &axes, deviation), span(&centres, &axes, reach));
        let (low, high) = (chords.0.sup(&spheres.0), chords.1.inf(&spheres.1));
        let rounding = 8.0 * Real::EPSILON * low.amax().max(high.amax());
        let centre = Point::from(axes * ((low + high) * 0.5));
        Obb { centre, axes, half_extents: (high - low) * 0.5 }.inflated(rounding)
    };
    let halfway = motion.rotation_at(0.5 * (from + to)).to_rotation_matrix().into_inner() * local.axes;
    let turned = along(halfway);
    let Some(way) = (centres[1] - centres[0]).try_normalize(0.0) else { return turned };
    let (u, v) = orthonormal_basis(&way);
    let straight = along(Matrix::from_columns(&[way, u, v]));
    if volume(&straight) < volume(&turned) { straight } else { turned }
}

fn volume(obb: &Obb) -> Real {
    obb.half_extents.product()
}

/// The smallest and largest coordinates of points along `axes`, moved outwards by `margin`.
fn span(points: &[Point], axes: &Matrix, margin: Real) -> (Vector, Vector) {
    let (mut low, mut high) = (Vector::repeat(Real::INFINITY), Vector::repeat(Real::NEG_INFINITY));
    for p in points {
        let at = axes.tr_mul(&p.coords);
        (low, high) = (low.inf(&at), high.sup(&at));
    }
    (low.add_scalar(-margin), high.add_scalar(margin))
}
