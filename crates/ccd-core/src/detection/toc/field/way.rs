//! How a cell moves against the other solid, and for how long simple bounds keep it apart.

use super::FieldSearch;
use crate::detection::field::cells::{Cell, Cells};
use crate::detection::toc::kinematics::{Instant, PointMotion};
use crate::geometry::field::Field;
use crate::math::{Matrix, Point, Real, Vector};
use crate::volume::Obb;

/// How a cell's centre moves in the other solid's frame from an instant on.
pub(super) struct Path {
    /// The place there.
    pub place: Point,
    /// The rotation of the cell's frame there.
    pub rotation: Matrix,
    /// m/s, there.
    pub velocity: Vector,
    pub speed: Real,
    /// m/s², there.
    pub acceleration: Vector,
    /// No acceleration from there on is larger, m/s².
    pub most_acceleration: Real,
    /// None changes faster, m/s³.
    pub most_jerk: Real,
    /// The cell's angular velocity relative to the other solid, in the cell's frame, rad/s.
    pub spin: Vector,
    /// No point of the cell is accelerated by more relative to its centre, m/s².
    pub spin_bend: Real,
}

/// How fast a turning about its middle moves points of a box along each axis at most, m/s.
pub(super) fn turned_by(spin: &Vector, half: &Vector) -> Vector {
    let w = spin.abs();
    Vector::new(w.y * half.z + w.z * half.y, w.z * half.x + w.x * half.z, w.x * half.y + w.y * half.x)
}

/// The size of a cell along its way, where the `other` solid knows of boxes: of a long one across its way that is its width.
pub(super) fn own_size(cell: &Cell, path: &Path, other: &dyn Field) -> Real {
    let (least, most) = (cell.half.min(), cell.half.max());
    let middle = cell.half.sum() - least - most;
    let is_cube = least + middle >= 1.2 * most;
    if path.speed <= 0.0 || is_cube || !other.is_ruled() || !Cells::is_in_its_box(cell) {
        return cell.radius;
    }
    // What is flat counts as half as thick as it is wide.
    let half = cell.half.map(|h| h.max(0.5 * middle));
    let way = path.rotation.tr_mul(&path.velocity) / path.speed;
    let across = way.component_div(&half).norm();
    if across > 0.0 { (3.0_f64.sqrt() / across).min(cell.radius) } else { cell.radius }
}

impl FieldSearch<'_> {
    pub(super) fn path(&self, cell: &Cell, at: &Instant, rest: Real) -> Path {
        let motion = self.motion;
        let PointMotion { place, velocity, acceleration, most_acceleration, most_jerk } =
            PointMotion::of(motion, &cell.centre, at, rest);
        let (turn_a, turn_b) = (&motion.a.velocity, &motion.b.velocity);
        let relative = turn_a - turn_b;
        let spin_local = at.rotation_a.tr_mul(&relative);
        // About one axis a point's acceleration is towards it; else that of both turns together.
        let speed = relative.norm();
        let spin_bend = if turn_a.cross(turn_b) == Vector::zeros() {
            speed * turned_by(&spin_local, &cell.half).norm()
        } else {
            speed * (motion.a.speed + motion.b.speed) * cell.radius
        };
        Path {
            place,
            rotation: at.rotation_b.tr_mul(&at.rotation_a),
            velocity,
            speed: velocity.norm() * (1.0 + 1e-12),
            acceleration,
            most_acceleration,
            most_jerk,
            spin: spin_local,
            spin_bend: spin_bend * (1.0 + 1e-12),
        }
    }

    /// A box in the other's frame around all places of a cell in the next `ahead` seconds, with a margin.
    pub(super) fn box_of_way(&self, cell: &Cell, path: &Path, ahead: Real, margin: Real) -> Obb {
        let blur = 0.5 * (path.most_acceleration + path.spin_bend) * ahead * ahead + margin;
        let way = (path.rotation.tr_mul(&path.velocity).abs() + turned_by(&path.spin, &cell.half)) * ahead;
        let half_extents = (cell.half + way).add_scalar(blur) * (1.0 + 1e-9);
        Obb { centre: path.place, axes: path.rotation, half_extents }
    }

    /// The seconds for which balls around what turns, which move straight, stay apart.
    pub(super) fn apart_in_balls(&self, cell: &Cell, at: &Instant, margin: Real) -> Real {
        let motion = self.motion;
        let arm = cell.centre - motion.a.local_centre;
        // About the centre of rotation where the solid turns, about the cell itself where it does not.
        let (place_a, radius_a) = if motion.a.speed > 0.0 {
            (Vector::zeros(), arm.norm() + cell.radius)
        } else {
            (at.rotation_a * arm, cell.radius)
        };
        let mut longest = 0.0;
        let sphere = self.other.bounding_sphere();
        if sphere.radius.is_finite() {
            let arm = sphere.centre - motion.b.local_centre;
            let (place_b, radius_b) = if motion.b.speed > 0.0 {
                (at.offset, arm.norm() + sphere.radius)
            } else {
                (at.offset + at.rotation_b * arm, sphere.radius)
            };
            longest = straight_apart(&(place_b - place_a), &motion.velocity, radius_a + radius_b + margin);
        }
        if motion.b.speed == 0.0 && motion.a.speed > 0.0 {
            // The other only moves straight: its distance from A's centre of rotation.
            let place = at.rotation_b.tr_mul(&(place_a - at.offset)) + motion.b.local_centre.coords;
            let gap = self.other.distance(&place.into()) - radius_a - margin;
            if gap > 0.0 {
                longest = longest.max(gap / motion.velocity.norm());
            }
        }
        longest
    }
}

/// The seconds until two points that are `offset` apart and move with `velocity` relative to each other can be within
/// `distance`; infinite if never.
fn straight_apart(offset: &Vector, velocity: &Vector, distance: Real) -> Real {
    let (a, b) = (velocity.norm_squared(), offset.dot(velocity));
    let c = offset.norm_squared() - distance * distance;
    // Also where it is no number.
    if c.is_nan() || c <= 0.0 {
        return 0.0;
    }
    let root = b * b - a * c;
    if b >= 0.0 || root < 0.0 {
        return Real::INFINITY;
    }
    // Rounded down.
    c / (root.sqrt() - b) * (1.0 - 1e-12)
}

/// The seconds in which a way of `gap` metres cannot be covered at first `speed` (negative: away) with at most this
/// `acceleration` (negative: ever slower).
pub(super) fn time_to_cover(gap: Real, speed: Real, acceleration: Real) -> Real {
    let square = speed * speed + 2.0 * acceleration * gap;
    let sum = speed + square.max(0.0).sqrt();
    let time = if square >= 0.0 && sum > 0.0 { 2.0 * gap / sum } else { Real::INFINITY };
    time * (1.0 - 1e-12)
}
