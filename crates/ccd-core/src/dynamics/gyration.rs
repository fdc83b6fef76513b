//! Turning by the angular momentum: free flight conserves it exactly, at any spin and for any inertia, however slender.
//!
//! A body with two equal moments is followed exactly: its axis turns about the momentum at a constant rate while it spins
//! about its axis. What a third moment adds is one more rotation about a principal axis, put around that in the middle of
//! each part of the step; every part keeps the momentum, and the step's end the energy, so that errors show as a phase and never as spin.

use nalgebra::Quaternion;

use super::body::Body;
use crate::math::{Matrix, Pose, Real, Rotation, Vector, rotation_over};

/// Turns longer than this about the momentum, radians, are cut: the number of full turns is counted from part to part.
const LONG_TURN: Real = 0.3;
/// Turns longer than this by which the third moment differs, radians, are cut: what it adds is wrong by its second power.
const LONG_EXCESS: Real = 0.01;
/// Less than half a turn needs no counting, radians.
const HALF_TURN: Real = 1.5;
/// The most parts of a step.
const MOST_PARTS: Real = 32.0;
/// What spins about a principal axis does so with at least this share of its spin.
const STEADY: Real = 0.9;
/// What has a moment so many times less than that about which it spins is too slender to follow its momentum: aside by a hair's breadth that would be a
/// spin about its length.
const SLENDER: Real = 6.0;
/// Moments that differ by less than this share are equal.
const ROUND: Real = 1e-9;

/// By at most this share of itself the square of a share of the momentum shrinks for the sake of the energy: more is no correction of the others.
const MOST_SHRUNK: Real = 0.5;

/// The principal axes of a body and its moments about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gyration {
    /// From principal axes to the body's own.
    axes: Rotation,
    /// kg·m².
    moments: Vector,
    /// The axis whose moment is furthest from the other two, then these.
    order: [usize; 3],
}

/// A turn over an interval.
pub(crate) struct Turn {
    /// rad/s, world, at its end.
    pub angular: Vector,
    /// The constant angular velocity that leads to the same placement, rad/s, world.
    pub mean: Vector,
}

impl Gyration {
    /// For an inertia about the centre of mass, body axes, kg·m²; `None` unless all its moments are positive.
    pub fn new(inertia: &Matrix) -> Option<Self> {
        let eigen = inertia.symmetric_eigen();
        let mut columns = eigen.eigenvectors;
        if columns.determinant() < 0.0 {
            columns.neg_mut();
        }
        let moments = eigen.eigenvalues;
        if !moments.iter().all(|moment| moment.is_normal() && *moment > 0.0) {
            return None;
        }
        let axes = Rotation::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(columns));
        let apart = |i: usize, j: usize| (moments[i].recip() - moments[j].recip()).abs();
        let order = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
            .into_iter()
            .min_by(|[_, p, q], [_, r, s]| apart(*p, *q).total_cmp(&apart(*r, *s)))?;
        Some(Self { axes, moments, order })
    }

    /// Whether all moments are equal: whatever it spins about, it goes on spinning about that.
    fn is_even(&self) -> bool {
        self.moments.max() - self.moments.min() <= ROUND * self.moments.max()
    }

    /// Turns the body, placed at `pose` with the angular velocity `angular`, for `dt` seconds under a constant torque; all
    /// in world axes.
    pub fn turn(&self, pose: &Pose, angular: &Vector, torque: &Vector, dt: Real) -> Turn {
        let start = pose.rotation * self.axes;
        let mut now = start;
        let mut momentum = self.momentum(&now, angular);
        let [axis, p, q] = self.order;
        let slow = self.moments[q].recip();
        let mut excess = self.moments[p].recip() - slow;
        if excess.abs() <= ROUND * slow {
            excess = 0.0;
        }
        let spinning = self.moments[axis].recip() - slow;
        let reach = (momentum.norm() + torque.norm() * dt) * dt;
        let (turn, differs) = (reach * slow, reach * excess.abs());
        let parts = parts(turn, differs);
        let h = dt / parts;
        let along = |now: &Rotation, momentum: &Vector, k: usize| now.inverse_transform_vector(momentum)[k];
        let about = |k: usize, angle: Real| Rotation::from_scaled_axis(Vector::ith(k, angle));
        let (mut way, mut former) = (Vector::zeros(), *angular);
        for _ in 0..parts as usize {
            momentum += torque * (0.5 * h);
            if excess != 0.0 {
                now *= about(p, excess * along(&now, &momentum, p) * 0.5 * h);
            }
            let spin = about(axis, spinning * along(&now, &momentum, axis) * h);
            now = rotation_over(&(momentum * slow), h) * now * spin;
            if excess != 0.0 {
                now *= about(p, excess * along(&now, &momentum, p) * 0.5 * h);
            }
            momentum += torque * (0.5 * h);
            let reached = self.velocity(&now, &momentum);
            way += (former + reached) * (0.5 * h);
            former = reached;
        }
        if excess != 0.0 && *torque == Vector::zeros() {
            // Parts are wrong by a phase, which may grow with time; the energy is not.
            let energy = angular.dot(&self.momentum(&start, angular));
            now = self.with_energy(&now, &momentum, energy);
            former = self.velocity(&now, &momentum);
            // Nor does it turn faster meanwhile than all of the energy would have it turn about the axis of the least moment.
            way = way.cap_magnitude((energy / self.moments.min()).sqrt() * dt);
        }
        Turn { angular: former, mean: turn_between(&start, &now, &way) / dt }
    }

    /// The turn of a body, placed at `pose` with the angular velocity `angular`, that a rule leads by the constant angular velocity `mean` for `dt`
    /// seconds under a constant torque, all in world axes: it has the momentum there that it has, and where nothing drives it the place is the
    /// near one at which that goes with its energy.
    pub fn led_by(&self, pose: &Pose, angular: &Vector, torque: &Vector, mean: &Vector, dt: Real) -> Turn {
        let start = pose.rotation * self.axes;
        let at_first = self.momentum(&start, angular);
        let momentum = at_first + torque * dt;
        let now = rotation_over(mean, dt) * start;
        if *torque != Vector::zeros() {
            return Turn { angular: self.velocity(&now, &momentum), mean: *mean };
        }
        let now = self.brought_to_energy(&now, &momentum, angular.dot(&at_first));
        Turn { angular: self.velocity(&now, &momentum), mean: turn_between(&start, &now, &(mean * dt)) / dt }
    }

    /// How fast the axis of a body that spins steadily, about one of its principal axes or nearly so, comes round to it when it is pushed
    /// aside, rad/s, in the body's frame; nothing where it does not.
    pub fn nutation(&self, pose: &Pose, angular: &Vector) -> Real {
        let along = (pose.rotation * self.axes).inverse_transform_vector(angular);
        let k = along.iamax();
        let [spin, p, q] = [k, (k + 1) % 3, (k + 2) % 3].map(|axis| self.moments[axis]);
        let stiff = (spin - p) * (spin - q) / (p * q);
        let is_steady = along[k].abs() >= STEADY * along.norm() && spin <= SLENDER * p.min(q);
        if is_steady && stiff > 0.0 { stiff.sqrt() * along[k].abs() } else { 0.0 }
    }

    /// How fast what changes the spin about one of its axes changes those about the others, rad/s.
    pub fn coupling(&self, pose: &Pose, angular: &Vector) -> Real {
        let along = (pose.rotation * self.axes).inverse_transform_vector(angular).component_mul(&self.moments);
        (along.component_mul(&along).dot(&self.moments) / self.moments.product()).sqrt()
    }

    /// The rotation near `now` at which the momentum goes with so much energy (twice as much, joules): the squares of its shares along
    /// the principal axes are moved towards the axis of the greatest or the least energy. For what is all but there.
    fn with_energy(&self, now: &Rotation, momentum: &Vector, energy: Real) -> Rotation {
        let along = now.inverse_transform_vector(momentum);
        let squares = along.component_mul(&along);
        let reached = squares.component_div(&self.moments).sum();
        let whole = squares.sum();
        let most = if energy > reached { self.moments.imin() } else { self.moments.imax() };
        let share = ((energy - reached) / (whole / self.moments[most] - reached)).clamp(0.0, 1.0);
        if !share.is_finite() {
            return *now;
        }
        let moved = Vector::from_fn(|k, _| {
            let square = squares[k] * (1.0 - share) + if k == most { whole * share } else { 0.0 };
            square.sqrt().copysign(along[k])
        });
        now * turn_onto(&moved, &along)
    }

    /// The same for what is further off.
    ///
    /// The square of each share changes in proportion to itself, and to how much more energy it takes than the mean of
    /// all. That keeps their sum, gives the energy exactly, and is the shortest way to the first order: a share that comes to its zero is not held off
    /// from it, as it would be by what is added to its square.
    fn brought_to_energy(&self, now: &Rotation, momentum: &Vector, energy: Real) -> Rotation {
        let along = now.inverse_transform_vector(momentum);
        let (squares, whole) = (along.component_mul(&along), along.norm_squared());
        let takes = self.moments.map(Real::recip);
        let reached = squares.dot(&takes);
        let dearer = takes.add_scalar(-reached / whole);
        let rate = squares.dot(&dearer.component_mul(&dearer));
        let change = (energy - reached) / rate;
        let shrinks_by = -(dearer * change).min();
        if shrinks_by > MOST_SHRUNK || !change.is_finite() {
            return self.with_energy(now, momentum, energy);
        }
        let moved = Vector::from_fn(|k, _| along[k] * (1.0 + change * dearer[k]).sqrt());
        // Where a spin about the middle axis turns over, what products of rotations lack in length would grow from step to step.
        Rotation::new_normalize((now * turn_onto(&moved, &along)).into_inner())
    }

    fn momentum(&self, now: &Rotation, angular: &Vector) -> Vector {
        now * now.inverse_transform_vector(angular).component_mul(&self.moments)
    }

    fn velocity(&self, now: &Rotation, momentum: &Vector) -> Vector {
        now * now.inverse_transform_vector(momentum).component_div(&self.moments)
    }
}

impl Body {
    /// How the body turns for `dt` seconds from `pose` on, if nothing acts on it; with locked axes it keeps its spin.
    pub(crate) fn turn_freely(&self, pose: &Pose, angular: &Vector, dt: Real) -> Turn {
        match self.gyration() {
            Some(gyration) => gyration.turn(pose, angular, &Vector::zeros(), dt),
            None => Turn { angular: *angular, mean: *angular },
        }
    }

    /// How the body turns for `dt` seconds from `pose` on under a constant torque, N·m, world axes; with locked axes by the mean of its spins.
    pub(crate) fn turn_under(&self, pose: &Pose, angular: &Vector, torque: &Vector, dt: Real) -> Turn {
        match self.gyration() {
            Some(gyration) => gyration.turn(pose, angular, torque, dt),
            None => {
                let change = self.angular_acceleration(pose, torque) * dt;
                Turn { angular: angular + change, mean: angular + change * 0.5 }
            }
        }
    }

    /// Whether its spin stays as it is however it turns, as that of balls and cubes does.
    pub(crate) fn has_equal_moments(&self) -> bool {
        self.gyration().is_some_and(Gyration::is_even)
    }

    /// How fast the axis of what spins steadily comes round to it when it is pushed aside, rad/s.
    pub(crate) fn nutation(&self, pose: &Pose, angular: &Vector) -> Real {
        self.gyration().map_or(0.0, |gyration| gyration.nutation(pose, angular))
    }

    /// How fast what changes the spin about one of its principal axes changes those about the others, rad/s.
    pub(crate) fn coupling(&self, pose: &Pose, angular: &Vector) -> Real {
        self.gyration().map_or(0.0, |gyration| gyration.coupling(pose, angular))
    }
}

/// Into how many parts to cut a step, for its turn about the momentum and what the third moment adds to it, radians.
fn parts(turn: Real, excess: Real) -> Real {
    let counted = if turn > HALF_TURN { turn / LONG_TURN } else { 1.0 };
    if excess == 0.0 && counted > MOST_PARTS {
        // One part is exact for two equal moments; so many turns in a step are not told apart by anything.
        return 1.0;
    }
    counted.max(excess / LONG_EXCESS).ceil().clamp(1.0, MOST_PARTS)
}

/// The shortest rotation of one vector onto another of the same length, less than half a turn away; exact however small it is.
fn turn_onto(from: &Vector, to: &Vector) -> Rotation {
    let half = Quaternion::from_parts(from.norm_squared() + from.dot(to), from.cross(to));
    if half.w > 0.0 { Rotation::new_normalize(half) } else { Rotation::identity() }
}

/// The rotation vector from one rotation to another, with as many full turns as the `estimate` has.
pub(crate) fn turn_between(from: &Rotation, to: &Rotation, estimate: &Vector) -> Vector {
    let Some((axis, angle)) = (to * from.inverse()).axis_angle() else {
        return Vector::zeros();
    };
    let full_turns = ((estimate.dot(&axis) - angle) / std::f64::consts::TAU).round();
    axis.into_inner() * (angle + full_turns * std::f64::consts::TAU)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns freely for so many steps of `dt` seconds.
    fn fly(gyration: &Gyration, pose: &mut Pose, angular: &mut Vector, dt: Real, steps: usize) {
        for _ in 0..steps {
            let turn = gyration.turn(pose, angular, &Vector::zeros(), dt);
            pose.rotation = rotation_over(&turn.mean, dt) * pose.rotation;
            *angular = turn.angular;
        }
    }

    fn energy(gyration: &Gyration, pose: &Pose, angular: &Vector) -> Real {
        let now = pose.rotation * gyration.axes;
        0.5 * angular.dot(&gyration.momentum(&now, angular))
    }

    #[test]
    fn a_slender_rod_that_spins_almost_across_keeps_spinning_across() {
        let gyration = Gyration::new(&Matrix::from_diagonal(&Vector::new(1e-4, 1.0, 1.0))).unwrap();
        let mut pose = Pose::rotation(Vector::new(0.3, 0.7, -0.2));
        let mut angular = pose.rotation * Vector::new(1e-7, 180.0, -1e-7);
        let (start, before) = (angular, energy(&gyration, &pose, &angular));
        fly(&gyration, &mut pose, &mut angular, 1.0 / 60.0, 600);
        assert!((angular - start).norm() < 1e-2, "{angular} after {start}");
        assert!((energy(&gyration, &pose, &angular) / before - 1.0).abs() < 1e-9);
    }

    #[test]
    fn momentum_and_energy_of_a_free_body_with_three_moments_are_kept() {
        let gyration = Gyration::new(&Matrix::from_diagonal(&Vector::new(1.0, 2.0, 3.0))).unwrap();
        let (mut pose, mut angular) = (Pose::identity(), Vector::new(1.0, 4.0, 0.1));
        let momentum = gyration.momentum(&(pose.rotation * gyration.axes), &angular);
        let before = energy(&gyration, &pose, &angular);
        fly(&gyration, &mut pose, &mut angular, 0.01, 2000);
        let after = gyration.momentum(&(pose.rotation * gyration.axes), &angular);
        assert!((after - momentum).norm() < 1e-12 * 2000.0 * momentum.norm(), "{after} was {momentum}");
        let gained = energy(&gyration, &pose, &angular) / before - 1.0;
        assert!(gained.abs() < 1e-15 * 2000.0, "{gained:e} of the energy more");
    }

    #[test]
    fn the_energy_of_a_tumbling_body_does_not_grow_from_any_step_to_the_next() {
        for k in 0..300 {
            let way = |i: i32| (f64::from(7 * k + i) * 12.9898).sin();
            let moments = Vector::new(1.0, 1.5 + 0.4 * way(0), 2.0 + 0.1 * way(1));
            let gyration = Gyration::new(&Matrix::from_diagonal(&moments)).unwrap();
            let mut pose = Pose::rotation(Vector::new(way(2), way(3), way(4)) * 3.0);
            let mut angular = Vector::new(way(5), way(6), way(7)) * 10.0_f64.powi(k % 5 - 1);
            for step in 0..100 {
                let before = energy(&gyration, &pose, &angular);
                fly(&gyration, &mut pose, &mut angular, 1.0 / 60.0, 1);
                let gained = energy(&gyration, &pose, &angular) / before - 1.0;
                assert!(gained.abs() < 1e-13, "{k}, step {step}: {gained:e} of the energy more");
            }
        }
    }

    #[test]
    fn energy_and_momentum_are_kept_by_spins_of_hundreds_of_turns_in_a_step() {
        for k in 0..200 {
            let way = |i: i32| (f64::from(7 * k + i) * 12.9898).sin();
            let moments = Vector::new(1.0, 1.5 + way(0), 10.0 + 9.0 * way(1));
            let gyration = Gyration::new(&Matrix::from_diagonal(&moments)).unwrap();
            let mut pose = Pose::rotation(Vector::new(way(2), way(3), way(4)) * 3.0);
            let mut angular = Vector::new(way(5), way(6), way(7)) * 10.0_f64.powi(2 + k % 4);
            let momentum = gyration.momentum(&(pose.rotation * gyration.axes), &angular);
            let before = energy(&gyration, &pose, &angular);
            fly(&gyration, &mut pose, &mut angular, 0.1, 10);
            let after = gyration.momentum(&(pose.rotation * gyration.axes), &angular);
            assert!((after - momentum).norm() < 1e-9 * momentum.norm(), "{k}: {after} was {momentum}");
            let gained = energy(&gyration, &pose, &angular) / before - 1.0;
            assert!(gained.abs() < 1e-9, "{k}: {gained:e} of the energy more");
        }
    }

    #[test]
    fn balls_and_cubes_have_equal_moments_and_nothing_that_is_longer_one_way_does() {
        let is_even = |x: Real, y: Real, z: Real| {
            // Turned, so that its principal axes are not its own.
            let turned = Rotation::from_euler_angles(0.3, -0.7, 1.1).to_rotation_matrix().into_inner();
            let moments = Vector::new(y * y + z * z, z * z + x * x, x * x + y * y);
            Gyration::new(&(turned * Matrix::from_diagonal(&moments) * turned.transpose())).unwrap().is_even()
        };
        assert!(is_even(0.3, 0.3, 0.3));
        assert!(is_even(1e3, 1e3, 1e3));
        assert!(!is_even(0.3, 0.3, 0.3001));
        assert!(!is_even(0.3, 0.2, 0.1));
    }
}
