//! Where a body is *inside* a step, reconstructed from the states at its ends and the impacts between them.
//!
//! Between impacts the core moves bodies at constant velocity, so the states and the times of impact say nearly all;
//! what forces do to a velocity within one step is spread evenly. This is for watching: nothing is detected with it.

use ccd_core::dynamics::Body;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector, rotation_over};

/// The first and the last impact of a body within a step, seconds from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactSpan {
    /// When the first was.
    pub first: Real,
    /// When the last was; the same for a single one.
    pub last: Real,
}

impl ImpactSpan {
    /// The span of one impact.
    pub fn at(time: Real) -> Self {
        Self { first: time, last: time }
    }

    /// The span that holds `time` too.
    #[must_use]
    pub fn with(self, time: Real) -> Self {
        Self { first: self.first.min(time), last: self.last.max(time) }
    }
}

/// A change of velocity that moves a body by less than this share of its size within the step is no corner to see.
const VISIBLE_SHARE: Real = 0.02;

/// The pose `t` seconds into a step of `dt` seconds that led the body from the state `from` to the state `to`.
pub fn pose_within(from: &Body, to: &Body, impacts: Option<ImpactSpan>, dt: Real, t: Real) -> Pose {
    if dt <= 0.0 || t <= 0.0 {
        return *from.pose();
    }
    if t >= dt {
        return *to.pose();
    }
    let centre = from.local_centre();
    let size = from.shape().as_solid().bounding_sphere().radius;
    let turn = (to.linear_velocity() - from.linear_velocity()).norm() * dt;
    let spin = (from.angular_velocity() + to.angular_velocity()) * 0.5;
    let Some(span) = impacts.filter(|_| turn > VISIBLE_SHARE * size) else {
        return blend(from.pose(), to.pose(), &centre, &(spin * dt), t / dt);
    };
    // Back from the end at the velocity after the last impact: the corner that the end state knows best.
    let after = moved(to.pose(), &centre, to.linear_velocity(), to.angular_velocity(), span.last - dt);
    let before = if span.last > span.first {
        moved(from.pose(), &centre, from.linear_velocity(), from.angular_velocity(), span.first)
    } else {
        after
    };
    let (start, end, spin, from_time, to_time) = if t < span.first {
        (from.pose(), &before, *from.angular_velocity(), 0.0, span.first)
    } else if t < span.last {
        (&before, &after, spin, span.first, span.last)
    } else {
        (&after, to.pose(), *to.angular_velocity(), span.last, dt)
    };
    let length = to_time - from_time;
    let share = if length > 0.0 { (t - from_time) / length } else { 1.0 };
    blend(start, end, &centre, &(spin * length), share)
}

/// The linear and the angular velocity, m/s and rad/s, `t` seconds into such a step: as at its start up to the first impact, as at its end from
/// the last on.
pub fn velocities_within(from: &Body, to: &Body, impacts: Option<ImpactSpan>, dt: Real, t: Real) -> (Vector, Vector) {
    let share = match impacts {
        _ if dt <= 0.0 || t <= 0.0 => 0.0,
        _ if t >= dt => 1.0,
        Some(span) if t < span.first => 0.0,
        Some(span) if t < span.last => (t - span.first) / (span.last - span.first),
        Some(_) => 1.0,
        None => t / dt,
    };
    let between = |start: &Vector, end: &Vector| start.lerp(end, share);
    (between(from.linear_velocity(), to.linear_velocity()), between(from.angular_velocity(), to.angular_velocity()))
}

/// `pose` after `time` seconds (negative: before) of constant velocities about the body's centre.
fn moved(pose: &Pose, local_centre: &Point, linear: &Vector, angular: &Vector, time: Real) -> Pose {
    let centre = pose * local_centre + linear * time;
    placed(centre, rotation_over(angular, time) * pose.rotation, local_centre)
}

/// Between two poses: the centre on a straight line, the rotation at constant angular velocity.
///
/// `turn` is about how far the body turned, radians: it tells a full turn from none.
fn blend(from: &Pose, to: &Pose, local_centre: &Point, turn: &Vector, share: Real) -> Pose {
    let centre = (from * local_centre) + ((to * local_centre) - (from * local_centre)) * share;
    let rotation = Rotation::from_scaled_axis(unwound(&from.rotation, &to.rotation, turn) * share) * from.rotation;
    placed(centre, rotation, local_centre)
}

/// The rotation vector from one rotation to the other whose length is nearest to that of `turn`.
fn unwound(from: &Rotation, to: &Rotation, turn: &Vector) -> Vector {
    let shortest = (to * from.inverse()).scaled_axis();
    let angle = shortest.norm();
    let axis = if angle > 1e-9 {
        shortest / angle
    } else {
        match turn.try_normalize(1e-9) {
            Some(axis) => axis,
            None => return shortest,
        }
    };
    let full = std::f64::consts::TAU;
    axis * (angle + full * ((axis.dot(turn) - angle) / full).round())
}

fn placed(centre: Point, rotation: Rotation, local_centre: &Point) -> Pose {
    Pose::from_parts((centre.coords - rotation * local_centre.coords).into(), rotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_turns_more_than_once_in_a_step_is_seen_turning_that_often() {
        let turn = Vector::new(0.0, 0.0, 15.0);
        let to = Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(turn));
        for step in 0..=10 {
            let share = f64::from(step) / 10.0;
            let seen = blend(&Pose::identity(), &to, &Point::origin(), &turn, share).rotation;
            assert!(seen.angle_to(&Rotation::from_scaled_axis(turn * share)) < 1e-9, "{share}");
        }
    }

    #[test]
    fn a_velocity_is_that_of_the_start_before_the_first_impact_and_that_of_the_end_after_the_last() {
        use ccd_core::dynamics::{BodyDefinition, BodyKind};
        use ccd_core::shape::Shape;
        use ccd_core::world::World;

        let mut world = World::default();
        let mut falling = |speed: f64| {
            let shape = Shape::ball(1.0).unwrap();
            let linear_velocity = Vector::new(0.0, speed, 0.0);
            let ball = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::translation(0.0, speed, 0.0));
            let id = world.add_body(BodyDefinition { linear_velocity, ..ball }).unwrap();
            world.body(id).unwrap().clone()
        };
        let (from, to) = (falling(-8.0), falling(4.0));
        let speed = |impacts, t: f64| velocities_within(&from, &to, impacts, 1.0, t).0.y;
        let once = Some(ImpactSpan::at(0.5));
        let twice = Some(ImpactSpan { first: 0.25, last: 0.75 });
        assert_eq!([0.0, 0.49, 0.5, 1.0].map(|t| speed(once, t)), [-8.0, -8.0, 4.0, 4.0]);
        assert_eq!([0.2, 0.5, 0.75].map(|t| speed(twice, t)), [-8.0, -2.0, 4.0]);
        assert_eq!([0.0, 0.25, 1.0].map(|t| speed(None, t)), [-8.0, -5.0, 4.0]);
    }

    #[test]
    fn the_centre_of_mass_goes_straight_while_the_shape_turns_about_it() {
        let centre = Point::new(0.5, 0.0, 0.0);
        let from = Pose::translation(1.0, 2.0, 3.0);
        let to = moved(&from, &centre, &Vector::new(4.0, 0.0, 0.0), &Vector::new(0.0, 9.0, 0.0), 1.0);
        let half = blend(&from, &to, &centre, &Vector::new(0.0, 9.0, 0.0), 0.5);
        assert!((half * centre - (from * centre + Vector::new(2.0, 0.0, 0.0))).norm() < 1e-12);
        let back = moved(&to, &centre, &Vector::new(4.0, 0.0, 0.0), &Vector::new(0.0, 9.0, 0.0), -1.0);
        assert!((back.translation.vector - from.translation.vector).norm() < 1e-12);
    }
}
