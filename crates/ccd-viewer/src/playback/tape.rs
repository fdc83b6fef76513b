//! The tape: states recorded after each step, and the instant of them that is being watched.
//!
//! It knows nothing of bodies, so that what it promises can be tested by itself: the watched instant always lies within
//! what is recorded, time goes forward by exactly what was asked, and the oldest states make room for the newest.

use std::collections::VecDeque;

/// A recorded state and when it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame<S> {
    /// Seconds of simulated time.
    pub time: f64,
    /// What was recorded.
    pub state: S,
}

/// Where the watched instant lies between two recorded states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    /// The frame at or before the instant.
    pub from: usize,
    /// The frame after it; the same as `from` at the very end of the tape.
    pub to: usize,
    /// Seconds since `from`.
    pub since: f64,
    /// Seconds from `from` to `to`.
    pub length: f64,
}

impl Between {
    /// How far between the two, in [0, 1].
    pub fn share(&self) -> f64 {
        if self.length > 0.0 { (self.since / self.length).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// What is nearer to the end of a step than this share of it is at its end: sums of frames are not exact.
const JUST_BEFORE: f64 = 1e-5;

/// Recorded states in the order of time, never empty.
#[derive(Clone, Debug)]
pub struct Tape<S> {
    frames: VecDeque<Frame<S>>,
    capacity: usize,
    watched: f64,
    /// States that have made room, so that steps keep their numbers.
    dropped: u64,
}

impl<S> Tape<S> {
    /// A tape that begins with `state` at time zero and keeps `capacity` states (at least two: an instant lies between).
    pub fn new(state: S, capacity: usize) -> Self {
        let frames = VecDeque::from([Frame { time: 0.0, state }]);
        Self { frames, capacity: capacity.max(2), watched: 0.0, dropped: 0 }
    }

    /// Records the state `dt` seconds after the newest. The watched instant stays, unless its state makes room.
    pub fn push(&mut self, dt: f64, state: S) {
        let time = self.newest() + dt.max(0.0);
        self.frames.push_back(Frame { time, state });
        while self.frames.len() > self.capacity {
            self.frames.pop_front();
            self.dropped += 1;
        }
        self.seek(self.watched);
    }

    /// Changes the newest state, from which the next step goes on.
    pub fn amend_last(&mut self, change: impl FnOnce(&mut S)) {
        if let Some(frame) = self.frames.back_mut() {
            change(&mut frame.state);
        }
    }

    /// The time of the oldest state, seconds.
    pub fn oldest(&self) -> f64 {
        self.frames.front().map_or(0.0, |frame| frame.time)
    }

    /// The time of the newest state, seconds.
    pub fn newest(&self) -> f64 {
        self.frames.back().map_or(0.0, |frame| frame.time)
    }

    /// The watched instant, seconds.
    pub fn watched(&self) -> f64 {
        self.watched
    }

    /// Whether the watched instant is the newest recorded one.
    pub fn is_at_end(&self) -> bool {
        self.watched >= self.newest()
    }

    /// Watches the instant `time`, or the nearest one recorded; just before a state, that state.
    pub fn seek(&mut self, time: f64) {
        if !time.is_finite() {
            return;
        }
        self.watched = time.clamp(self.oldest(), self.newest());
        let Between { from, to, since, length } = self.between();
        // Forwards only, so that even the slowest watching leaves a state behind.
        if from < to && length - since < JUST_BEFORE * length {
            self.watched = self.frames[to].time;
        }
    }

    /// Watches the state before the watched instant; returns whether there is one.
    pub fn step_back(&mut self) -> bool {
        let before = self.frames.iter().rev().find(|frame| frame.time < self.watched).map(|frame| frame.time);
        self.watched = before.unwrap_or(self.watched);
        before.is_some()
    }

    /// Watches the next recorded state after the watched instant; returns whether there is one.
    pub fn step_forward(&mut self) -> bool {
        let after = self.frames.iter().find(|frame| frame.time > self.watched).map(|frame| frame.time);
        self.watched = after.unwrap_or(self.watched);
        after.is_some()
    }

    /// Forgets what comes after the state at or before the watched instant, and watches that state.
    pub fn cut(&mut self) {
        let at = self.between().from;
        self.frames.truncate(at + 1);
        self.watched = self.newest();
    }

    /// Between which states the watched instant lies.
    pub fn between(&self) -> Between {
        let after = self.frames.partition_point(|frame| frame.time <= self.watched);
        let from = after.saturating_sub(1);
        let to = after.min(self.frames.len() - 1);
        let length = self.frames[to].time - self.frames[from].time;
        Between { from, to, since: self.watched - self.frames[from].time, length }
    }

    /// The frame at `index`, counted from the oldest kept.
    pub fn frame(&self, index: usize) -> Option<&Frame<S>> {
        self.frames.get(index)
    }

    /// All frames, oldest first.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = &Frame<S>> + ExactSizeIterator {
        self.frames.iter()
    }

    /// The newest frame.
    pub fn last(&self) -> &Frame<S> {
        &self.frames[self.frames.len() - 1]
    }

    /// The number of the step that led to the frame at `index`, counted from the very first state.
    pub fn step_number(&self, index: usize) -> u64 {
        self.dropped + index as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tape(steps: u32, capacity: usize) -> Tape<u32> {
        let mut tape = Tape::new(0, capacity);
        (1..=steps).for_each(|step| tape.push(0.5, step));
        tape
    }

    #[test]
    fn the_oldest_states_make_room_and_steps_keep_their_numbers() {
        let tape = tape(10, 4);
        assert_eq!(tape.frames().map(|frame| frame.state).collect::<Vec<_>>(), [7, 8, 9, 10]);
        assert_eq!((tape.oldest(), tape.newest()), (3.5, 5.0));
        assert_eq!(tape.step_number(0), 7);
    }

    #[test]
    fn the_watched_instant_never_leaves_what_is_recorded() {
        let mut tape = tape(10, 4);
        assert_eq!(tape.watched(), tape.oldest(), "the state it watched made room");
        tape.seek(99.0);
        assert!(tape.is_at_end());
        tape.seek(f64::NAN);
        assert_eq!(tape.watched(), 5.0);
        tape.seek(-1.0);
        assert_eq!(tape.watched(), 3.5);
    }

    #[test]
    fn an_instant_inside_a_step_lies_between_its_two_states() {
        let mut tape = tape(4, 10);
        tape.seek(0.6);
        let between = tape.between();
        assert_eq!((between.from, between.to), (1, 2));
        assert!((between.share() - 0.2).abs() < 1e-12);
        tape.seek(2.0);
        assert_eq!(tape.between(), Between { from: 4, to: 4, since: 0.0, length: 0.0 });
    }

    #[test]
    fn sums_of_frames_that_fall_short_of_a_state_by_rounding_show_that_state() {
        let mut tape = tape(4, 10);
        tape.seek(1.0 - 1e-7);
        assert_eq!((tape.watched(), tape.between().from, tape.between().since), (1.0, 2, 0.0));
        // Just after a state it is being left, however slowly.
        tape.seek(1.0 + 1e-9);
        assert_eq!(tape.watched(), 1.0 + 1e-9);
    }

    #[test]
    fn stepping_back_and_forward_goes_from_state_to_state() {
        let mut tape = tape(2, 10);
        tape.seek(0.75);
        assert!(tape.step_back());
        assert_eq!(tape.watched(), 0.5);
        assert!(tape.step_back());
        assert!(!tape.step_back(), "there is nothing before the first state");
        assert!(tape.step_forward() && tape.step_forward());
        assert_eq!(tape.watched(), 1.0);
        assert!(!tape.step_forward(), "there is nothing after the newest");
    }

    #[test]
    fn the_newest_state_can_be_amended_and_the_others_stay() {
        let mut tape = tape(3, 10);
        tape.amend_last(|state| *state = 77);
        assert_eq!(tape.frames().map(|frame| frame.state).collect::<Vec<_>>(), [0, 1, 2, 77]);
    }

    #[test]
    fn cutting_goes_on_from_the_watched_state() {
        let mut tape = tape(4, 10);
        tape.seek(1.2);
        tape.cut();
        assert_eq!(tape.last().state, 2);
        assert_eq!((tape.newest(), tape.watched()), (1.0, 1.0));
        tape.push(0.25, 77);
        assert_eq!(tape.newest(), 1.25);
    }

    #[test]
    fn a_single_state_is_a_tape_too() {
        let mut tape = Tape::new("start", 1);
        assert_eq!(tape.between().share(), 0.0);
        assert!(!tape.step_back() && !tape.step_forward());
        tape.push(1.0, "next");
        assert_eq!(tape.frames().len(), 2, "an instant needs two states to lie between");
    }
}
