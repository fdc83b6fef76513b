//! Whether two solids stay apart by the spheres about their centres of rotation alone.

use super::RigidMotion;
use crate::math::{Real, Vector};

/// Far above what rounding can move the centres by, as a share of the numbers that they are found from.
const ROUNDING: Real = 1e-12;

/// Whether spheres about the centres of rotation of two solids, of radii that are `radii` metres together, stay further apart than
/// `near` metres for `length` seconds: never `true` when they do not. The solids lie in their spheres however they turn.
///
/// Each motion comes with the time on its own clock from which on it is meant, seconds. The centres fly straight, so that the answer is exact
/// but for rounding. `false` for radii that are not finite.
pub(crate) fn spheres_stay_apart(from: [(&RigidMotion, Real); 2], length: Real, radii: Real, near: Real) -> bool {
    if !radii.is_finite() {
        return false;
    }
    let [(a, _), (b, _)] = from;
    // Differences of like numbers first: far from the origin bodies are near each other.
    let between = b.start.translation.vector - a.start.translation.vector;
    let [gone_a, gone_b] = from.map(|(motion, time)| motion.linear_velocity * time);
    let [arm_a, arm_b] = [a, b].map(|motion| motion.start.rotation * motion.local_centre.coords);
    let velocity = b.linear_velocity - a.linear_velocity;
    let start = between + (gone_b - gone_a) + (arm_b - arm_a);
    let gone = gone_a.norm() + gone_b.norm() + velocity.norm() * length;
    let arms = a.local_centre.coords.norm() + b.local_centre.coords.norm();
    let rounding = ROUNDING * (between.norm() + gone + arms + radii);
    closest_approach(&start, &velocity, length) > radii + rounding + near
}

/// The least distance within `length` seconds of two points that move at constant velocities, metres: `start` metres from the one to
/// the other at first, and `velocity` m/s relative to it.
#[inline]
fn closest_approach(start: &Vector, velocity: &Vector, length: Real) -> Real {
    let speed_squared = velocity.norm_squared();
    let nearest = if speed_squared > 0.0 { (-start.dot(velocity) / speed_squared).clamp(0.0, length) } else { 0.0 };
    (start + velocity * nearest).norm()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::math::{Point, Pose, Rotation};

    proptest! {
        #[test]
        fn spheres_that_come_near_at_some_time_do_not_stay_apart_and_others_do(
            centres in prop::array::uniform2(prop::array::uniform3(-1.0..1.0_f64)),
            velocities in prop::array::uniform2(prop::array::uniform3(-20.0..20.0_f64)),
            turns in prop::array::uniform2(prop::array::uniform3(-3.0..3.0_f64)),
            way in prop::array::uniform3(-1.0..1.0_f64),
            times in prop::array::uniform2(0.0..1.0_f64),
            (length, share, radii, near) in (1e-3..1.0_f64, 0.0..1.0_f64, 0.0..2.0_f64, 0.0..0.1_f64),
            home in prop_oneof![Just(0.0), Just(1e6_f64)],
        ) {
            let motion = |k: usize| RigidMotion {
                start: Pose::from_parts(Vector::repeat(home).into(), Rotation::new(Vector::from(turns[k]))),
                local_centre: Point::from(centres[k]),
                linear_velocity: Vector::from(velocities[k]),
                angular_velocity: Vector::from(turns[k]),
            };
            let [a, mut b] = [motion(0), motion(1)];
            // At some time within they are this far apart, along the way.
            let Some(way) = Vector::from(way).try_normalize(1e-3) else { return Ok(()) };
            let place = |motion: &RigidMotion, k: usize, after: Real| motion.centre_at(times[k] + after).coords;
            let after = share * length;
            let wanted = place(&a, 0, after) + way * (radii + near);
            b = b.moved(&(wanted - place(&b, 1, after)));
            let apart = |radii: Real, near: Real| spheres_stay_apart([(&a, times[0]), (&b, times[1])], length, radii, near);
            let rounding = 1e-8 * (1.0 + home * 1e-3);
            prop_assert!(!apart(radii, near + rounding));
            let least = (0..=1000)
                .map(|i| length * Real::from(i) / 1000.0)
                .map(|after| (place(&b, 1, after) - place(&a, 0, after)).norm())
                .fold(Real::INFINITY, Real::min);
            // Between two samples nothing comes nearer by more than half of what lies between them.
            let step = 0.5 * (b.linear_velocity - a.linear_velocity).norm() * length / 1000.0;
            let room = least - step - rounding;
            prop_assert!(room <= 0.0 || apart(room, 0.0) && apart(0.0, room));
            prop_assert!(!apart(Real::INFINITY, near));
        }
    }
}
