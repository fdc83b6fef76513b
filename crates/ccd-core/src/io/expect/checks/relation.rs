//! How bodies stand to each other: `between`, `distance_bounded`, `origin_distance_bounded`, `contact`, `no_contact`.

use super::name;
use super::nearest::is_until;
use super::worst::{Worst, bounds_in_words, excess};
use crate::io::expect::outcome::{Measured, Outcome};
use crate::io::expect::subject::Subject;
use crate::io::expect::{End, Seen};
use crate::math::{Real, Vector};

/// The centre of mass stays between two others.
#[derive(Debug)]
pub(crate) struct Between {
    bodies: Vec<usize>,
    a: usize,
    b: usize,
    axis: Vector,
    worst: Worst,
}

impl Between {
    pub(super) fn new(bodies: Vec<usize>, a: usize, b: usize, axis: Vector) -> Self {
        Self { bodies, a, b, axis, worst: Worst::default() }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        let along = |body: usize| seen.coms[body].coords.dot(&self.axis);
        for &body in &self.bodies {
            let outside = excess(along(body), Some(along(self.a)), Some(along(self.b)));
            self.worst.observe(outside, body, seen.frame.t);
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject]) -> Outcome {
        let Some((outside, body, t)) = self.worst.get() else { return Outcome::open("no body is named") };
        let [who, a, b] = [body, self.a, self.b].map(|i| name(subjects, i));
        let is_inside = outside <= 0.0;
        let (word, by) = if is_inside { ("inside", -outside) } else { ("outside", outside) };
        let why = format!("\"{who}\" is {word} \"{a}\" and \"{b}\" by {by} m at t = {t} s");
        Outcome::judged(is_inside, Measured::Number(by), why)
    }
}

/// The distance of two centres of mass or of two shapes' origins.
#[derive(Debug)]
pub(crate) struct Distance {
    a: usize,
    b: usize,
    of_origins: bool,
    min: Option<Real>,
    max: Option<Real>,
    worst: Worst,
    /// The distance that goes with the worst.
    value: Real,
}

impl Distance {
    pub(super) fn of_centres(a: usize, b: usize, min: Option<Real>, max: Option<Real>) -> Self {
        Self { a, b, of_origins: false, min, max, worst: Worst::default(), value: Real::NAN }
    }

    pub(super) fn of_origins(a: usize, b: usize, min: Option<Real>, max: Option<Real>) -> Self {
        Self { of_origins: true, ..Self::of_centres(a, b, min, max) }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        let place = |body: usize| {
            if self.of_origins { seen.frame.bodies[body].pose.translation.vector } else { seen.coms[body].coords }
        };
        let distance = (place(self.a) - place(self.b)).norm();
        if self.worst.observe(excess(distance, self.min, self.max), self.a, seen.frame.t) {
            self.value = distance;
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject]) -> Outcome {
        let Some((over, _, t)) = self.worst.get() else { return Outcome::open("no frame was seen") };
        let [a, b] = [self.a, self.b].map(|i| name(subjects, i));
        let bounds = bounds_in_words(self.min, self.max);
        let why = format!("\"{a}\" and \"{b}\" are {} m apart at t = {t} s, allowed {bounds}", self.value);
        Outcome::judged(over <= 0.0, Measured::Number(self.value), why)
    }
}

/// Two bodies touch, or never do.
#[derive(Debug)]
pub(crate) struct Contact {
    pair: (usize, usize),
    is_expected: bool,
    by: Option<Real>,
    first: Option<Real>,
}

impl Contact {
    pub(super) fn expected(a: usize, b: usize, by: Option<Real>) -> Self {
        Self { pair: (a.min(b), a.max(b)), is_expected: true, by, first: None }
    }

    pub(super) fn forbidden(a: usize, b: usize) -> Self {
        Self { is_expected: false, ..Self::expected(a, b, None) }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        if self.first.is_none() {
            let touches = seen.frame.touched.iter().filter(|touch| touch.pair == self.pair);
            self.first = touches.map(|touch| touch.t).min_by(Real::total_cmp);
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject], end: End) -> Outcome {
        let [a, b] = [self.pair.0, self.pair.1].map(|i| name(subjects, i));
        let pair = format!("\"{a}\" and \"{b}\"");
        match (self.first, self.by) {
            (Some(t), _) if !self.is_expected => {
                Outcome::judged(false, Measured::Number(t), format!("{pair} touch by t = {t} s"))
            }
            (None, _) if !self.is_expected => {
                Outcome::judged(true, Measured::Nothing, format!("{pair} touch in no step"))
            }
            (Some(t), by) => {
                let ok = by.is_none_or(|by| is_until(t, by));
                let wanted = by.map_or_else(String::new, |by| format!(", wanted by t = {by} s"));
                Outcome::judged(ok, Measured::Number(t), format!("{pair} touch by t = {t} s{wanted}"))
            }
            (None, Some(by)) if !is_until(by, end.t) => {
                Outcome::open(format!("the run ended at t = {} s, before t = {by} s", end.t))
            }
            (None, _) => Outcome::judged(false, Measured::Nothing, format!("{pair} touch in no step")),
        }
    }
}
