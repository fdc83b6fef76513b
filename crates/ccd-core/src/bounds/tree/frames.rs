//! Whether nodes of two trees, or of one and a box, are near each other: by their boxes in the frame of the one and of the other, in the single
//! precision in which trees keep them, with room for its rounding; and by their capsules.

use super::{NodeBox, NodeCapsule, nearest_way};
use crate::math::{Matrix, Pose, Real, Vector};
use crate::volume::Aabb;

/// More than the rounding of the sums of ten products below, as a share of the coordinates.
const ROUNDING: Real = 4e-6;

/// Four numbers at once, of which the last says nothing.
type Row = [f32; 4];

/// Two frames beside each other.
pub(crate) struct NodeFrames {
    /// B's axes in A's frame, and how much of each shows along A's.
    axes: [Row; 3],
    spread: [Row; 3],
    /// The same of A's in B's.
    back: [Row; 3],
    spread_back: [Row; 3],
    translation: Row,
    /// Boxes further apart are not near, metres.
    reach: f32,
    /// B's frame in A's.
    rotation: Matrix,
    shift: Vector,
    /// What is further apart is not near, metres.
    radius: Real,
}

impl NodeFrames {
    /// For boxes within these two, each in its own frame, that are near up to `radius` metres.
    pub fn new(b_in_a: &Pose, within: [&Aabb; 2], radius: Real) -> Self {
        let rotation = b_in_a.rotation.to_rotation_matrix().into_inner();
        let columns = |m: &Matrix| [0, 1, 2].map(|j| [m[(0, j)] as f32, m[(1, j)] as f32, m[(2, j)] as f32, 0.0]);
        let shift = b_in_a.translation.vector;
        let coordinates = within.map(|aabb| aabb.min.coords.amax().max(aabb.max.coords.amax()));
        let size = coordinates[0] + coordinates[1] + shift.amax();
        let (back, spread) = (rotation.transpose(), rotation.abs());
        Self {
            axes: columns(&rotation),
            back: columns(&back),
            spread: columns(&spread),
            spread_back: columns(&spread.transpose()),
            translation: [shift.x as f32, shift.y as f32, shift.z as f32, 0.0],
            reach: ((radius + ROUNDING * size) as f32).next_up(),
            rotation,
            shift,
            radius,
        }
    }

    /// Whether the boxes are further apart than the radius along a face normal of one: never `true` when they are not.
    #[inline]
    pub fn are_apart(&self, a: &NodeBox, b: &NodeBox) -> bool {
        let from_a = along(&self.axes, &b.centre, each(&self.translation, &a.centre, |t, c| t - c));
        if is_beyond(&from_a, &along(&self.spread, &b.half, a.half), self.reach) {
            return true;
        }
        is_beyond(&along(&self.back, &from_a, [0.0; 4]), &along(&self.spread_back, &a.half, b.half), self.reach)
    }

    /// Whether the capsules are further apart than the radius along the line of their segments' nearest points: never `true` when they
    /// are not.
    #[inline]
    pub fn capsules_are_apart(&self, a: &NodeCapsule, b: &NodeCapsule) -> bool {
        let (middle_b, half_b) = (self.rotation * b.middle.coords + self.shift, self.rotation * b.half);
        let between = middle_b - a.middle.coords;
        let way = nearest_way(&between, &a.half, &half_b);
        let gap = way.dot(&between) - way.dot(&a.half).abs() - way.dot(&half_b).abs();
        let widths = a.radius + b.radius + self.radius;
        let size = a.middle.coords.amax() + b.middle.coords.amax() + self.shift.amax() + a.half.amax() + b.half.amax();
        // The roundings of some thirty sums and products.
        gap > (widths + 64.0 * Real::EPSILON * (size + widths)) * way.norm()
    }
}

/// `start` and the parts of a vector along three axes.
#[inline]
fn along(axes: &[Row; 3], parts: &Row, start: Row) -> Row {
    let [x, y, z] = axes;
    std::array::from_fn(|k| start[k] + x[k] * parts[0] + y[k] * parts[1] + z[k] * parts[2])
}

#[inline]
fn each(p: &Row, q: &Row, of: impl Fn(f32, f32) -> f32) -> Row {
    std::array::from_fn(|k| of(p[k], q[k]))
}

/// Whether some part of the offset is larger than both widths and the reach: not for what is no number.
#[inline]
fn is_beyond(offset: &Row, widths: &Row, reach: f32) -> bool {
    let apart = each(offset, widths, |offset, width| offset.abs() - width);
    (apart[0] > reach) | (apart[1] > reach) | (apart[2] > reach)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Point, Rotation, Vector};
    use proptest::prelude::*;

    fn boxed(middle: [Real; 3], half: [Real; 3]) -> Aabb {
        Aabb::from_half_extents(Point::from(middle), Vector::from(half))
    }

    proptest! {
        #[test]
        fn boxes_with_points_within_the_radius_are_not_apart_at_any_size(
            middles in prop::array::uniform2(prop::array::uniform3(-1.0..1.0_f64)),
            halves in prop::array::uniform2(prop::array::uniform3(0.0..1.0_f64)),
            places in prop::array::uniform2(prop::array::uniform3(-1.0..1.0_f64)),
            turn in prop::array::uniform3(-3.0..3.0_f64),
            way in prop::array::uniform3(-1.0..1.0_f64),
            (radius, size) in (0.0..0.1_f64, -4..5_i32),
        ) {
            let size = 10.0_f64.powi(size);
            let boxes = [0, 1].map(|k| boxed(middles[k].map(|x| x * size), halves[k].map(|x| x * size)));
            let point = |k: usize| boxes[k].centre() + boxes[k].half_extents().component_mul(&Vector::from(places[k]));
            // The two points are brought to within the radius of each other.
            let rotation = Rotation::new(Vector::from(turn));
            let Some(way) = Vector::from(way).try_normalize(1e-3) else { return Ok(()) };
            let shift = point(0).coords + way * (radius * size) - rotation * point(1).coords;
            let b_in_a = Pose::from_parts(shift.into(), rotation);
            let frames = NodeFrames::new(&b_in_a, [&boxes[0], &boxes[1]], radius * size);
            prop_assert!(!frames.are_apart(&NodeBox::around(&boxes[0]), &NodeBox::around(&boxes[1])));
        }
    }

    proptest! {
        #[test]
        fn capsules_with_points_within_the_radius_are_not_apart_and_those_whose_segments_pass_further_off_are(
            halves in prop::array::uniform2(prop::array::uniform3(-1.0..1.0_f64)),
            middle in prop::array::uniform3(-1.0..1.0_f64),
            (shares, lies) in (prop::array::uniform2(-1.0..1.0_f64), 0..3_u8),
            turn in prop::array::uniform3(-3.0..3.0_f64),
            way in prop::array::uniform3(-1.0..1.0_f64),
            (radii, radius, size) in (prop::array::uniform2(0.0..1.0_f64), 0.0..0.1_f64, -4..5_i32),
        ) {
            let size = 10.0_f64.powi(size);
            let rotation = Rotation::new(Vector::from(turn));
            let [half_a, half_b] = halves.map(|half| Vector::from(half) * size);
            // Parallel ones have many nearest points.
            let half_b = if lies == 0 { rotation.inverse() * half_a * 0.3 } else { half_b };
            let a = NodeCapsule { middle: Point::from(middle) * size, half: half_a, radius: radii[0] * size };
            let b = NodeCapsule { middle: Point::origin(), half: half_b, radius: radii[1] * size };
            // Square to both, the points of two segments are their nearest ones.
            let is_square = lies == 1;
            let way = if is_square { half_a.cross(&(rotation * half_b)) / (size * size) } else { Vector::from(way) };
            let Some(way) = way.try_normalize(1e-3) else { return Ok(()) };
            // The capsules are put as far apart as the radius, by two points of their segments.
            let far = a.radius + b.radius + radius * size;
            let shift = a.middle.coords + half_a * shares[0] + way * far - rotation * (half_b * shares[1]);
            let nowhere = Aabb::from_points(&[Point::origin()]);
            let b_in_a = Pose::from_parts(shift.into(), rotation);
            let apart = |radius: Real| {
                NodeFrames::new(&b_in_a, [&nowhere, &nowhere], radius).capsules_are_apart(&a, &b)
            };
            prop_assert!(!apart(radius * size));
            prop_assert!(!is_square || apart(radius * size - 1e-6 * size));
        }
    }

    #[test]
    fn boxes_beside_each_other_are_apart() {
        let boxes = [boxed([0.0; 3], [1.0; 3]), boxed([0.5, 0.0, 0.0], [0.5, 0.2, 0.1])];
        let apart = |gap: Real| {
            let pose = Pose::from_parts(Vector::new(1.0 + gap, 0.0, 0.0).into(), Rotation::identity());
            NodeFrames::new(&pose, [&boxes[0], &boxes[1]], 0.01)
                .are_apart(&NodeBox::around(&boxes[0]), &NodeBox::around(&boxes[1]))
        };
        assert!(apart(0.0101) && !apart(0.0099));
    }

    #[test]
    fn boxes_that_only_the_axes_of_one_tell_apart_are_apart_whichever_that_is() {
        // A thin box that lies slanted before the edge of a cube: along the cube's axes the two overlap.
        let (cube, thin) = (boxed([0.0; 3], [1.0; 3]), boxed([0.0; 3], [3.0, 0.1, 3.0]));
        let turn = Rotation::from_axis_angle(&Vector::z_axis(), -0.25 * std::f64::consts::PI);
        let thin_in_cube = Pose::from_parts(Vector::new(1.2, 1.2, 0.0).into(), turn);
        let [around_cube, around_thin] = [&cube, &thin].map(NodeBox::around);
        let apart = |radius: Real| {
            let frames = NodeFrames::new(&thin_in_cube, [&cube, &thin], radius);
            let swapped = NodeFrames::new(&thin_in_cube.inverse(), [&thin, &cube], radius);
            [frames.are_apart(&around_cube, &around_thin), swapped.are_apart(&around_thin, &around_cube)]
        };
        // Across the thin box they are 0.2 √2 - 0.1 m apart.
        assert_eq!(apart(0.18), [true, true]);
        assert_eq!(apart(0.19), [false, false]);
    }
}
