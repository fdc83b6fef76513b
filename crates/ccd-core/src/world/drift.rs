//! How far the points of two bodies drift over each other within a step.

use crate::math::{Point, Real, Vector};
use crate::motion::RigidMotion;

/// Far above what rounding makes of a way, as a share of it or of the coordinates.
const ROUNDING: Real = 1e-11;
/// What turns by more within the time, radians, is not followed.
const MOST_TURN: Real = 0.5;

/// Two motions over some time from their beginning on.
///
/// Where B has a point, A has one as well, and the way of the first from the second is u s + ½ a s² and what is left of it,
/// where u and a, the velocity and the acceleration of the one beside the other at the beginning, are affine over space. A point of
/// A at a distance d from there takes another way by at most s |ω| d, because A is rigid. So those two meet only if d is no more
/// than the way, and what they may be apart to count as meeting, by 1 − s |ω|.
#[derive(Clone, Debug)]
pub(super) struct Drift {
    /// Seconds.
    time: Real,
    /// The centres and the angular velocities of A and B, world.
    centres: [Point; 2],
    spins: [Vector; 2],
    /// Of the centres, m/s.
    velocity: Vector,
    /// What is left of the way after its first two terms, and for rounding; metres.
    rest: Real,
}

impl Drift {
    /// Over `time` seconds, of bodies with no point further from their centres than these `radii`; `None` where A turns too far.
    pub fn new(motions: [&RigidMotion; 2], radii: [Real; 2], time: Real) -> Option<Self> {
        let spins = motions.map(|motion| motion.angular_velocity);
        if spins[0].norm() * time > MOST_TURN {
            return None;
        }
        let centres = motions.map(|motion| motion.centre_at(0.0));
        let third: Real = spins.iter().zip(radii).map(|(spin, radius)| spin.norm().powi(3) * radius).sum();
        let scale = centres.iter().map(|centre| centre.coords.amax()).sum::<Real>() + radii[0] + radii[1];
        let rest = third * time.powi(3) / 6.0 + ROUNDING * scale;
        let velocity = motions[1].linear_velocity - motions[0].linear_velocity;
        let drift = Self { time, centres, spins, velocity, rest };
        drift.rest.is_finite().then_some(drift)
    }

    /// No point of A that is further than this from a point of B comes within `tolerance` of it in time, metres, if B's lies in the
    /// convex hull of these (world, at the beginning).
    pub fn reach(&self, hull: impl IntoIterator<Item = Point>, tolerance: Real) -> Real {
        let (mut speed, mut acceleration): (Real, Real) = (0.0, 0.0);
        for point in hull {
            let arms = self.centres.map(|centre| point - centre);
            let [turning_a, turning_b] = [0, 1].map(|k| self.spins[k].cross(&arms[k]));
            let bending = self.spins[1].cross(&turning_b) - self.spins[0].cross(&turning_a);
            speed = speed.max((self.velocity + turning_b - turning_a).norm_squared());
            acceleration = acceleration.max(bending.norm_squared());
        }
        let way = self.time * speed.sqrt() + 0.5 * self.time * self.time * acceleration.sqrt();
        (way * (1.0 + ROUNDING) + self.rest + tolerance) / (1.0 - self.time * self.spins[0].norm())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Rotation};
    use proptest::prelude::*;

    fn vector(size: Real) -> impl Strategy<Value = Vector> {
        [-size..size, -size..size, -size..size].prop_map(Vector::from)
    }

    fn motion() -> impl Strategy<Value = RigidMotion> {
        (vector(2.0), vector(3.0), vector(1.0), vector(5.0), vector(12.0)).prop_map(
            |(place, turn, centre, linear, angular)| RigidMotion {
                local_centre: centre.into(),
                linear_velocity: linear,
                angular_velocity: angular,
                ..RigidMotion::at_rest(Pose::from_parts(place.into(), Rotation::new(turn)))
            },
        )
    }

    proptest! {
        #[test]
        fn who_starts_out_of_reach_comes_no_nearer_than_the_tolerance(
            a in motion(), b in motion(), p in vector(1.0), q in vector(1.0), time in 1e-3..0.02_f64, gap in 0.0..0.3_f64,
        ) {
            let radii = [&a, &b].map(|m| 2.0 + m.local_centre.coords.norm());
            let Some(drift) = Drift::new([&a, &b], radii, time) else { return Ok(()) };
            let tolerance = 1e-3;
            let place_of_b = b.start * Point::from(q);
            let reach = drift.reach([place_of_b], tolerance);
            // A point of A that far from it, in any direction, and a little more.
            let Some(direction) = p.try_normalize(1e-3) else { return Ok(()) };
            let place_of_a = place_of_b + direction * (reach * (1.0 + gap) + 1e-12);
            prop_assume!((place_of_a - a.centre_at(0.0)).norm() <= radii[0]);
            let local_a = a.start.inverse_transform_point(&place_of_a);
            for i in 0..=64 {
                let t = time * Real::from(i) / 64.0;
                let distance = (b.pose_at(t) * Point::from(q) - a.pose_at(t) * local_a).norm();
                prop_assert!(distance >= tolerance, "{distance} m apart at {t} s");
            }
        }
    }
}
