//! When the world steps, and by how much.

use std::time::Duration;

use bevy::prelude::*;

/// Pause, single steps and the length of a step.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn keys(keys: Res<ButtonInput<KeyCode>>, mut clock: ResMut<CcdClock>) {
///     if keys.just_pressed(KeyCode::Space) {
///         clock.paused = !clock.paused;
///     }
///     if keys.just_pressed(KeyCode::Period) {
///         clock.request_step();
///     }
/// }
/// ```
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct CcdClock {
    /// While set, the world steps only on request. Spawning, teleports and removals are still taken over.
    pub paused: bool,
    /// The length of every step, seconds; `None` takes the time that the schedule's own clock has advanced. Either way none is made while
    /// [`Time<Virtual>`] is paused. With one of zero, or that is none, the world stands, and a [`CcdProblem`](crate::CcdProblem) says so.
    ///
    /// In a fixed schedule the plugin keeps [`Time<Fixed>`] at this length, from 10 µs to 10 s, so that simulated time stays with real time.
    pub step_length: Option<f64>,
    requested_steps: u32,
    simulated: f64,
    steps: u64,
}

impl CcdClock {
    /// A clock that stands until a step is requested.
    pub fn paused() -> Self {
        Self { paused: true, ..Self::default() }
    }

    /// A running clock whose steps all have this length, seconds.
    pub fn with_step_length(seconds: f64) -> Self {
        Self { step_length: Some(seconds), ..Self::default() }
    }

    /// Asks for one step although the clock is paused; the schedule's next runs make one each. Without effect on a running clock.
    pub fn request_step(&mut self) {
        self.request_steps(1);
    }

    /// Asks for `count` further steps, one at each of the schedule's next runs in which its own clock goes on. Those that are not made when this
    /// one is set going are forgotten.
    pub fn request_steps(&mut self, count: u32) {
        if self.paused {
            self.requested_steps = self.requested_steps.saturating_add(count);
        }
    }

    /// Steps that are asked for and not yet made.
    pub fn requested_steps(&self) -> u32 {
        self.requested_steps
    }

    /// How long the next step will be, seconds: as long as is set, or as the `last` one, seconds, was, or as the `fixed` clock's.
    pub(crate) fn next_step_length(&self, last: f64, fixed: Duration) -> f64 {
        let is_length = |dt: &f64| dt.is_finite() && *dt > 0.0;
        let known = self.step_length.filter(is_length).or(Some(last).filter(is_length));
        known.unwrap_or(fixed.as_secs_f64())
    }

    /// Whether the schedule's next run in which its own clock goes on makes a step.
    pub(crate) fn goes_on(&self) -> bool {
        !self.paused || self.requested_steps > 0
    }

    /// Seconds simulated since the beginning, or since [`CcdClock::reset`]; [`CcdClock::set_counts`] sets them.
    pub fn simulated(&self) -> f64 {
        self.simulated
    }

    /// Steps made since the beginning, or since [`CcdClock::reset`]; [`CcdClock::set_counts`] sets them.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Sets the counts to zero and forgets requested steps; pause and step length stay.
    pub fn reset(&mut self) {
        self.set_counts(0.0, 0);
    }

    /// Has the counts go on from so many seconds and steps, as of a state that [`CcdWorld::restore`](crate::CcdWorld::restore) went back to, and
    /// forgets requested steps; pause and step length stay.
    pub fn set_counts(&mut self, simulated: f64, steps: u64) {
        *self = Self { paused: self.paused, step_length: self.step_length, requested_steps: 0, simulated, steps };
    }

    /// The length of the step due now, if one is; takes it off the requested ones. None is while the engine's own clock is paused.
    pub(crate) fn take_step(&mut self, schedule_delta: f64, engine_is_paused: bool) -> Option<f64> {
        let dt = self.step_length.unwrap_or(schedule_delta);
        // Time stands where a schedule's first run has not advanced yet, too: what is asked for waits. A length of zero that is set is refused as others are.
        let is_due = (dt != 0.0 || self.step_length.is_some()) && !engine_is_paused;
        if self.paused && is_due {
            self.requested_steps = self.requested_steps.checked_sub(1)?;
        } else if !self.paused {
            // What was asked of a clock that stood is no wish for its next pause.
            self.requested_steps = 0;
        }
        is_due.then_some(dt)
    }

    /// Counts a step that was made.
    pub(crate) fn count_step(&mut self, dt: f64) {
        self.simulated += dt;
        self.steps += 1;
    }
}

/// Keeps the fixed clock at the wanted step length.
pub(crate) fn follow_step_length(clock: Res<CcdClock>, mut fixed: ResMut<Time<Fixed>>) {
    let Some(length) = clock.step_length else { return };
    if length.is_finite() && length > 0.0 {
        let wanted = Duration::from_secs_f64(length.clamp(MIN_FIXED_STEP, MAX_FIXED_STEP));
        if fixed.timestep() != wanted {
            fixed.set_timestep(wanted);
        }
    }
}

/// The shortest timestep given to the engine's fixed clock, seconds: below it the fixed loop would starve the frame.
const MIN_FIXED_STEP: f64 = 1e-5;
/// The longest, seconds: above it nothing would seem to happen.
const MAX_FIXED_STEP: f64 = 10.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paused_clock_gives_exactly_the_requested_steps() {
        let mut clock = CcdClock::paused();
        assert_eq!(clock.take_step(0.1, false), None);
        clock.request_steps(2);
        assert_eq!(clock.take_step(0.1, false), Some(0.1));
        assert_eq!(clock.take_step(0.1, false), Some(0.1));
        assert_eq!(clock.take_step(0.1, false), None);
    }

    #[test]
    fn a_requested_step_waits_while_the_schedules_clock_stands() {
        let mut clock = CcdClock::paused();
        clock.request_step();
        assert_eq!((clock.take_step(0.0, false), clock.requested_steps()), (None, 1));
        assert_eq!((clock.take_step(0.1, true), clock.requested_steps()), (None, 1));
        assert_eq!((clock.take_step(0.1, false), clock.requested_steps()), (Some(0.1), 0));
    }

    #[test]
    fn requests_that_were_not_met_are_forgotten_when_the_clock_goes_on() {
        let mut clock = CcdClock::paused();
        clock.request_steps(5);
        assert_eq!(clock.take_step(0.1, false), Some(0.1));
        clock.paused = false;
        assert_eq!(clock.take_step(0.1, false), Some(0.1));
        clock.paused = true;
        assert_eq!((clock.requested_steps(), clock.take_step(0.1, false)), (0, None));
    }

    #[test]
    fn counts_go_on_from_where_they_are_set() {
        let mut clock = CcdClock { step_length: Some(0.5), ..CcdClock::paused() };
        clock.request_steps(3);
        clock.set_counts(2.0, 7);
        assert_eq!((clock.requested_steps(), clock.paused, clock.step_length), (0, true, Some(0.5)));
        clock.count_step(0.5);
        assert_eq!((clock.simulated(), clock.steps()), (2.5, 8));
    }

    #[test]
    fn a_set_step_length_overrides_the_schedule() {
        let mut clock = CcdClock { step_length: Some(0.02), ..default() };
        assert_eq!(clock.take_step(0.1, false), Some(0.02));
    }

    #[test]
    fn a_running_clock_ignores_requests() {
        let mut clock = CcdClock::default();
        clock.request_step();
        assert_eq!(clock.requested_steps(), 0);
    }
}
