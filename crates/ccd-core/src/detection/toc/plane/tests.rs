use super::*;
use crate::geometry::primitive::{Cuboid, Cylinder};
use crate::geometry::solid::Solid;
use crate::math::{Point, Pose, Rotation};
use crate::motion::RigidMotion;
use crate::volume::Aabb;
use proptest::prelude::*;

fn vector(range: Real) -> impl Strategy<Value = Vector> {
    [-range..range, -range..range, -range..range].prop_map(Vector::from)
}

fn motion() -> impl Strategy<Value = RigidMotion> {
    let spin = prop_oneof![Just(0.0), Just(1e-9), 0.0..0.5_f64, 0.0..5.0_f64, 0.0..300.0_f64];
    (vector(3.0), vector(2.0), vector(1.0), vector(20.0), vector(1.0), spin).prop_map(
        |(turn, at, centre, velocity, axis, spin)| RigidMotion {
            start: Pose::from_parts(at.into(), Rotation::from_scaled_axis(turn)),
            local_centre: centre.into(),
            linear_velocity: velocity,
            angular_velocity: axis * spin,
        },
    )
}

/// The spin of a plane: one of the bodies' own, or any.
#[derive(Clone, Copy, Debug)]
enum Turn {
    WithA,
    WithB,
    Free(Vector),
}

fn turn() -> impl Strategy<Value = Turn> {
    prop_oneof![3 => Just(Turn::WithA), 3 => Just(Turn::WithB), 2 => vector(100.0).prop_map(Turn::Free), 1 => Just(Turn::Free(Vector::zeros()))]
}

/// How the second motion turns compared with the first.
fn related() -> impl Strategy<Value = Option<Real>> {
    prop_oneof![2 => Just(None), 1 => (-2.0..2.0_f64).prop_map(Some), 1 => Just(Some(0.0))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Whatever is certified of the gap over a stretch is below the gap at every sampled instant of it.
    #[test]
    fn no_sampled_gap_along_a_plane_is_below_what_is_certain_of_it(
        a in motion(), b in motion(), share in related(), normal in vector(1.0), turn in turn(),
        stretch in prop_oneof![0.0..0.01_f64, 0.0..0.3_f64], late in 0.0..0.2_f64, upright in any::<bool>(), exact in any::<bool>(),
        slide in prop_oneof![2 => Just(0.0), 1 => -60.0..60.0_f64],
    ) {
        let Some(normal) = normal.try_normalize(1e-3) else { return Ok(()) };
        let mut b = b;
        if let Some(share) = share {
            b.angular_velocity = a.angular_velocity * share;
        }
        let normal = match a.angular_velocity.try_normalize(1e-3) {
            // Across the axis, as in a plane motion.
            Some(axis) if upright => (normal - axis * axis.dot(&normal)).try_normalize(1e-3).unwrap_or(normal),
            _ => normal,
        };
        let spin = match turn {
            Turn::WithA => a.angular_velocity,
            Turn::WithB => b.angular_velocity,
            Turn::Free(spin) => spin,
        };
        // Along the turning plane: what slides outwards is left behind by it, and what slides inwards comes nearer.
        if let Some(outwards) = spin.cross(&normal).try_normalize(1e-3) {
            b.linear_velocity += outwards * slide;
        }
        let (cuboid, cylinder) = (Cuboid::try_new([1.0, 0.1, 0.3]).unwrap(), Cylinder::try_new(0.2, 0.7).unwrap());
        let pair_motion = PairMotion::new(&a, &b, 0.0, late + stretch);
        let size = |aabb: Aabb, centre: &Point| (aabb.max - centre).abs().sup(&(aabb.min - centre).abs()).norm();
        let (box_a, box_b) = (cuboid.local_aabb(), cylinder.local_aabb());
        let (size_a, size_b) = (size(box_a, &a.local_centre), size(box_b, &b.local_centre));
        let (turn_a, turn_b) = (&pair_motion.a, &pair_motion.b);
        let pair = ConvexPair {
            a: &cuboid,
            b: &cylinder,
            bounds_a: if exact {
                SideBounds::of(&cuboid, turn_a, size_a).beside(&cuboid, turn_a, turn_b, pair_motion.length)
            } else {
                SideBounds::within(&box_a, 0.0, turn_a, size_a)
            },
            bounds_b: if exact {
                SideBounds::of(&cylinder, turn_b, size_b).beside(&cylinder, turn_b, turn_a, pair_motion.length)
            } else {
                SideBounds::within(&box_b, 0.0, turn_b, size_b)
            },
            motion: &pair_motion,
            rounding: 0.0,
        };
        let mut hints = Hints { a: u32::MAX, b: u32::MAX };
        let plane = pair.plane(&pair_motion.at(late), &normal, &spin, &mut hints);
        let certain = pair.ahead(&plane, stretch, &mut hints);
        const SAMPLES: u32 = 200;
        for k in 0..=SAMPLES {
            let s = stretch * Real::from(k) / Real::from(SAMPLES);
            let instant = pair_motion.at(late + s);
            let n = turned(&normal, &spin, spin.norm(), s);
            let gap = n.dot(&instant.offset) + pair.height_b(&instant.rotation_b, &n, &mut hints)
                - pair.height_a(&instant.rotation_a, &n, &mut hints);
            prop_assert!(certain.worst <= gap + 1e-9, "{} is certain, but at {s} it is {gap}", certain.worst);
        }
    }

    /// What is certain between two values, or beyond a value and a slope, is below every function of that bend, and is reached by one.
    #[test]
    fn no_curve_of_the_bend_reckoned_with_falls_below_what_is_certain_of_it(
        start in -1.0..1.0_f64, rate in -20.0..20.0_f64, bend in 0.0..100.0_f64, share in 0.0..1.0_f64, wave in 0.5..50.0_f64,
        stretch in 1e-3..1.0_f64,
    ) {
        // A function whose second derivative goes to and fro between `lowest` and `bend`.
        let lowest = share * bend;
        let (middle, half) = (0.5 * (bend + lowest), 0.5 * (bend - lowest));
        let at = |t: Real| {
            start + rate * t + 0.5 * middle * t * t + half * (wave * t - (wave * t).sin()) / (wave * wave)
        };
        let between = least_between(start, at(stretch), 0.125 * bend * stretch * stretch);
        let beyond = start + least_beyond(rate, lowest, stretch);
        let parabola = |t: Real| start + rate * t + 0.5 * bend * t * t;
        let sharp = least_between(start, parabola(stretch), 0.125 * bend * stretch * stretch);
        let mut least = Real::INFINITY;
        for k in 0..=1000 {
            let t = stretch * Real::from(k) / 1000.0;
            prop_assert!(between <= at(t) + 1e-9 && beyond <= at(t) + 1e-9, "{between} and {beyond}, but {} at {t}", at(t));
            least = least.min(parabola(t));
        }
        prop_assert!((least - sharp).abs() <= 1e-4 * bend * stretch * stretch + 1e-9, "{sharp} is certain, and {least} the least");
    }
}
