//! What the certificates of a convex pair know of each side, found once for a query.

use super::across;
use crate::detection::toc::kinematics::Turning;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// What the certificates know of one side's core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideBounds {
    /// The rounding radius around the core, metres.
    pub radius: Real,
    /// The farthest the core is from the axis of rotation, metres; zero for a body that does not turn.
    pub reach: Real,
    /// The farthest the core is from the centre of rotation, metres.
    pub size: Real,
    /// The farthest the core gets within the interval from the line through its centre along the other body's axis, metres, where
    /// that is known of a body that hardly turns; else the size.
    pub lever: Real,
    /// The core's extent along the axis of rotation, from the centre, metres.
    pub axial: [Real; 2],
}

impl SideBounds {
    /// Of a convex solid within `size` metres of its centre of rotation.
    pub fn of<S: SupportMap + ?Sized>(solid: &S, turning: &Turning, size: Real) -> Self {
        let radius = solid.radius();
        if turning.speed == 0.0 {
            return Self { radius, reach: 0.0, size, lever: size, axial: [0.0; 2] };
        }
        let axis = &turning.local_axis;
        let along = |direction: &Vector| (solid.support(direction, u32::MAX).point - turning.local_centre).dot(axis);
        let reach = (solid.reach_from_axis(&turning.local_centre, axis) - radius).max(0.0).min(size);
        Self { radius, reach, size, lever: size, axial: [along(&-axis), along(axis)] }
    }

    /// Of a convex solid with the given rounding radius in the box `aabb`, radius included, and within `size` metres of its
    /// centre of rotation: looser than [`SideBounds::of`], and the same work for any number of vertices.
    pub fn within(aabb: &Aabb, radius: Real, turning: &Turning, size: Real) -> Self {
        if turning.speed == 0.0 {
            return Self { radius, reach: 0.0, size, lever: size, axial: [0.0; 2] };
        }
        let (reach, axial) = around(aabb, radius, &turning.local_centre, &turning.local_axis);
        Self { radius, reach: reach.min(size), size, lever: size, axial }
    }

    /// How far what is in the box `aabb` ever gets over the `length` seconds of an interval from the line through its centre along the unit
    /// `direction` (world), metres; no further than `size`, which none of it is from the centre.
    pub fn across(aabb: &Aabb, turning: &Turning, direction: &Vector, length: Real, size: Real) -> Real {
        let at_first = around(aabb, 0.0, &turning.local_centre, &turning.rotation(0.0).tr_mul(direction)).0;
        // No point moves further than it turns; nor does it leave the solid of revolution.
        let turning_little = at_first + turning.speed * length * size;
        let (reach, axial) = around(aabb, 0.0, &turning.local_centre, &turning.local_axis);
        let slant = across(direction, &turning.axis);
        let revolved = if turning.speed > 0.0 { reach + axial[0].abs().max(axial[1].abs()) * slant } else { size };
        turning_little.min(revolved).min(size)
    }

    /// Of a set of points, by themselves.
    pub fn of_points(points: &[Point], turning: &Turning) -> Self {
        let axial = [Real::INFINITY, Real::NEG_INFINITY];
        let mut bounds = Self { radius: 0.0, reach: 0.0, size: 0.0, lever: 0.0, axial };
        for p in points {
            let arm = p - turning.local_centre;
            let along = arm.dot(&turning.local_axis);
            bounds.axial = [bounds.axial[0].min(along), bounds.axial[1].max(along)];
            bounds.size = bounds.size.max(arm.norm_squared());
            bounds.reach = bounds.reach.max(arm.cross(&turning.local_axis).norm_squared());
        }
        bounds.size = bounds.size.sqrt();
        bounds.reach = bounds.reach.sqrt();
        bounds.lever = bounds.size;
        bounds
    }

    /// The same with the lever to a plane that turns with the other body, for a body that by itself turns by no more than a
    /// few degrees over the interval of `length` seconds.
    pub fn beside<S: SupportMap + ?Sized>(self, solid: &S, turning: &Turning, other: &Turning, length: Real) -> Self {
        const LITTLE: Real = 0.1;
        let turn = turning.speed * length;
        if turn > LITTLE || other.speed == 0.0 {
            return self;
        }
        let axis = turning.rotation(0.0).tr_mul(&other.axis);
        let now = (solid.reach_from_axis(&turning.local_centre, &axis) - self.radius).max(0.0);
        // No point moves further than it turns.
        Self { lever: (now + turn * self.size).min(self.size), ..self }
    }

    /// The farthest the core gets along the unit `direction` at any time while it turns, from the centre.
    #[inline]
    pub(super) fn revolved(&self, turning: &Turning, direction: &Vector, across: Real) -> Real {
        let slope = direction.dot(&turning.axis);
        (self.axial[0] * slope).max(self.axial[1] * slope) + self.reach * across
    }

    /// The farthest that the core ever gets along a direction that turns at `spin`, from the centre; `upright` and `slant` are
    /// the cosine and the sine of its angle to the axis. The other body turns at `spin` when `with_other`.
    pub(super) fn all_around(
        &self,
        turning: &Turning,
        spin: &Vector,
        with_other: bool,
        upright: Real,
        slant: Real,
    ) -> Real {
        let lever = if with_other { self.lever } else { self.size };
        let is_parallel = turning.speed > 0.0 && turning.velocity.cross(spin) == Vector::zeros();
        let lever = if is_parallel { lever.min(self.reach) } else { lever };
        self.size.min(upright * self.size + slant * lever)
    }

    /// A bound of the second derivative of n(t) · r(t) over the core, m/s², where n turns at `spin`, which is the other
    /// body's own when `with_other`, and has the sine `slant` to its axis.
    pub(super) fn bend(
        &self,
        turning: &Turning,
        spin: &Vector,
        spin_speed: Real,
        (with_other, slant): (bool, Real),
    ) -> Real {
        let between = turning.velocity - spin;
        if between == Vector::zeros() {
            0.0
        } else if turning.velocity.cross(spin) == Vector::zeros() && turning.speed > 0.0 {
            // About one axis the two turnings are one.
            between.norm_squared() * self.reach
        } else {
            // In the frame that turns with n a point has the velocity u × r, u the one turning less the other, whose own
            // derivative there is u × (ω × r) − spin × (u × r).
            let any = between.norm() * (spin_speed + turning.speed) * self.size;
            let lever = if with_other { self.lever } else { self.size };
            // Of n″·r the part of r across the axis of n counts; what r's own turning adds is small where that is slow.
            let own = turning.speed * (2.0 * spin_speed * slant + turning.speed) * self.size;
            any.min(spin_speed * spin_speed * slant * lever + own)
        }
    }
}

/// How far a box less the rounding `radius` around it reaches from an axis (unit) through `centre`, and from where to where along it; metres.
fn around(aabb: &Aabb, radius: Real, centre: &Point, axis: &Vector) -> (Real, [Real; 2]) {
    let (arm, upright) = (aabb.centre() - centre, axis.abs());
    let half = aabb.half_extents().add_scalar(-radius).sup(&Vector::zeros());
    let (middle, width) = (arm.dot(axis), upright.dot(&half));
    // No |e × axis| is greater for |e| ≤ half, component by component.
    let spread = Vector::new(
        half.y * upright.z + half.z * upright.y,
        half.z * upright.x + half.x * upright.z,
        half.x * upright.y + half.y * upright.x,
    );
    (arm.cross(axis).norm() + spread.norm(), [middle - width, middle + width])
}
