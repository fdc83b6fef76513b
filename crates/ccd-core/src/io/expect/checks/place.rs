//! Where a body is: `com_position`, `rotation_from_start`, `displacement_along`, `com_drift`, `stands_still`,
//! `position_bound`, `linear_velocity`.

use super::name;
use super::nearest::{Nearest, is_from, is_until, unseen};
use super::worst::{Worst, bounds_in_words, excess};
use crate::io::expect::outcome::{Measured, Outcome};
use crate::io::expect::subject::Subject;
use crate::io::expect::{End, Seen};
use crate::math::{Point, Real, Rotation, Vector};

/// Centre and rotation of a body in one frame.
type Place = (Point, Rotation);

fn place(seen: &Seen<'_>, body: usize) -> Place {
    (seen.coms[body], seen.frame.bodies[body].pose.rotation)
}

fn places(seen: &Seen<'_>, bodies: &[usize]) -> Vec<Place> {
    bodies.iter().map(|&body| place(seen, body)).collect()
}

/// The angle of `now · startᵀ`, radians.
fn angle_between(start: &Rotation, now: &Rotation) -> Real {
    start.angle_to(now)
}

/// By how much each wanted component is further off than allowed: the largest; negative if all are near enough.
fn off_by(value: &Vector, expected: &[Option<Real>; 3], tol: &[Option<Real>; 3]) -> Real {
    let mut worst = Real::NEG_INFINITY;
    for i in 0..3 {
        if let (Some(expected), Some(tol)) = (expected[i], tol[i]) {
            let off = (value[i] - expected).abs() - tol;
            worst = if off.is_nan() || worst.is_nan() { Real::NAN } else { worst.max(off) };
        }
    }
    worst
}

fn in_words(v: &[Option<Real>; 3]) -> String {
    let parts = v.map(|x| x.map_or("any".to_owned(), |x| x.to_string()));
    format!("[{}]", parts.join(", "))
}

fn vector_in_words(v: &Vector) -> String {
    format!("[{}, {}, {}]", v.x, v.y, v.z)
}

/// What is asked of a body's place at a time.
#[derive(Debug)]
enum Asked {
    Position { expected: [Option<Real>; 3], tol: [Option<Real>; 3] },
    Rotation { max: Real },
    Displacement { axis: Vector, expected: Real, tol: Real },
}

/// The place of bodies at a time.
#[derive(Debug)]
pub(crate) struct PlaceAt {
    bodies: Vec<usize>,
    asked: Asked,
    start: Option<Vec<Place>>,
    at: Nearest<Vec<Place>>,
}

impl PlaceAt {
    pub(super) fn position(bodies: Vec<usize>, t: Real, expected: [Option<Real>; 3], tol: [Option<Real>; 3]) -> Self {
        Self { bodies, asked: Asked::Position { expected, tol }, start: None, at: Nearest::to(t) }
    }

    pub(super) fn rotation(bodies: Vec<usize>, t: Real, max: Real) -> Self {
        Self { bodies, asked: Asked::Rotation { max }, start: None, at: Nearest::to(t) }
    }

    pub(super) fn displacement(bodies: Vec<usize>, t: Real, axis: Vector, expected: Real, tol: Real) -> Self {
        Self { bodies, asked: Asked::Displacement { axis, expected, tol }, start: None, at: Nearest::to(t) }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        self.start.get_or_insert_with(|| places(seen, &self.bodies));
        self.at.observe(seen.frame.t, || places(seen, &self.bodies));
    }

    pub(super) fn judge(&self, subjects: &[Subject], end: End) -> Outcome {
        let (t, now) = match self.at.get(end) {
            Ok(found) => found,
            Err(why) => return Outcome::open(why),
        };
        let start = self.start.as_deref().unwrap_or(now);
        let mut worst: Option<(Real, Outcome)> = None;
        for ((&body, start), now) in self.bodies.iter().zip(start).zip(now) {
            let who = name(subjects, body);
            let (over, value, text) = self.measure(start, now);
            let outcome = Outcome::judged(over <= 0.0, value, format!("\"{who}\" {text} at t = {t} s"));
            if worst.as_ref().is_none_or(|(most, _)| over.is_nan() || over > *most) {
                worst = Some((over, outcome));
            }
        }
        worst.map_or_else(|| Outcome::open("no body is named"), |(_, outcome)| outcome)
    }

    /// By how much the place is off, the measured value, and both in words.
    fn measure(&self, start: &Place, now: &Place) -> (Real, Measured, String) {
        match &self.asked {
            Asked::Position { expected, tol } => {
                let com = now.0.coords;
                let text =
                    format!("is at {}, expected {} ± {}", vector_in_words(&com), in_words(expected), in_words(tol));
                (off_by(&com, expected, tol), com.into(), text)
            }
            Asked::Rotation { max } => {
                let angle = angle_between(&start.1, &now.1);
                (angle - max, Measured::Number(angle), format!("has turned by {angle} rad, allowed {max}"))
            }
            Asked::Displacement { axis, expected, tol } => {
                let way = (now.0 - start.0).dot(axis);
                let text = format!("has come {way} m, expected {expected} ± {tol}");
                ((way - expected).abs() - tol, Measured::Number(way), text)
            }
        }
    }
}

/// The centre of mass stays near its start.
#[derive(Debug)]
pub(crate) struct Drift {
    bodies: Vec<usize>,
    after: Real,
    max: Real,
    start: Option<Vec<Place>>,
    worst: Worst,
}

impl Drift {
    pub(super) fn new(bodies: Vec<usize>, after: Real, max: Real) -> Self {
        Self { bodies, after, max, start: None, worst: Worst::default() }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        let start = self.start.get_or_insert_with(|| places(seen, &self.bodies));
        if is_from(seen.frame.t, self.after) {
            for (&body, start) in self.bodies.iter().zip(start) {
                self.worst.observe((seen.coms[body] - start.0).norm(), body, seen.frame.t);
            }
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject], end: End) -> Outcome {
        let Some((drift, body, t)) = self.worst.get() else {
            return Outcome::open(format!("the run ended at t = {} s, before t = {} s", end.t, self.after));
        };
        let who = name(subjects, body);
        let why = format!("\"{who}\" is {drift} m from its start at t = {t} s, allowed {}", self.max);
        Outcome::judged(drift <= self.max, Measured::Number(drift), why)
    }
}

/// The body neither moves nor turns.
#[derive(Debug)]
pub(crate) struct StandsStill {
    bodies: Vec<usize>,
    after: Real,
    max_drift: Real,
    max_rotation: Real,
    reference: Option<Vec<Place>>,
    drift: Worst,
    rotation: Worst,
}

impl StandsStill {
    pub(super) fn new(bodies: Vec<usize>, after: Real, max_drift: Real, max_rotation: Real) -> Self {
        let (drift, rotation) = (Worst::default(), Worst::default());
        Self { bodies, after, max_drift, max_rotation, reference: None, drift, rotation }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        let t = seen.frame.t;
        if !is_from(t, self.after) {
            return;
        }
        let reference = self.reference.get_or_insert_with(|| places(seen, &self.bodies));
        for (&body, reference) in self.bodies.iter().zip(reference) {
            let (com, rotation) = place(seen, body);
            self.drift.observe((com - reference.0).norm(), body, t);
            self.rotation.observe(angle_between(&reference.1, &rotation), body, t);
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject], end: End) -> Outcome {
        let (Some((drift, who, t)), Some((angle, turned, turned_t))) = (self.drift.get(), self.rotation.get()) else {
            return Outcome::open(format!("the run ended at t = {} s, before t = {} s", end.t, self.after));
        };
        let why = format!(
            "since t = {} s \"{}\" moved {drift} m (allowed {}) by t = {t} s, \"{}\" turned {angle} rad (allowed {}) by t = \
             {turned_t} s",
            self.after,
            name(subjects, who),
            self.max_drift,
            name(subjects, turned),
            self.max_rotation,
        );
        Outcome::judged(drift <= self.max_drift && angle <= self.max_rotation, Measured::Number(drift), why)
    }
}

/// The centre of mass stays between two planes.
#[derive(Debug)]
pub(crate) struct PositionBound {
    bodies: Vec<usize>,
    axis: Vector,
    min: Option<Real>,
    max: Option<Real>,
    worst: Worst,
    /// The place along the axis that goes with the worst.
    value: Real,
}

impl PositionBound {
    pub(super) fn new(bodies: Vec<usize>, axis: Vector, min: Option<Real>, max: Option<Real>) -> Self {
        Self { bodies, axis, min, max, worst: Worst::default(), value: Real::NAN }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        for &body in &self.bodies {
            let value = seen.coms[body].coords.dot(&self.axis);
            if self.worst.observe(excess(value, self.min, self.max), body, seen.frame.t) {
                self.value = value;
            }
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject]) -> Outcome {
        let Some((over, body, t)) = self.worst.get() else { return Outcome::open("no body is named") };
        let bounds = bounds_in_words(self.min, self.max);
        let why = format!("\"{}\" is at {} m at t = {t} s, allowed {bounds}", name(subjects, body), self.value);
        Outcome::judged(over <= 0.0, Measured::Number(self.value), why)
    }
}

/// The velocity of the centre of mass during a time.
#[derive(Debug)]
pub(crate) struct Velocity {
    bodies: Vec<usize>,
    t_from: Real,
    t_to: Option<Real>,
    expected: [Option<Real>; 3],
    tol: [Option<Real>; 3],
    worst: Worst,
    value: Vector,
}

impl Velocity {
    pub(super) fn new(
        bodies: Vec<usize>,
        t_from: Real,
        t_to: Option<Real>,
        expected: [Option<Real>; 3],
        tol: [Option<Real>; 3],
    ) -> Self {
        Self { bodies, t_from, t_to, expected, tol, worst: Worst::default(), value: Vector::zeros() }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        let t = seen.frame.t;
        if !is_from(t, self.t_from) || !self.t_to.is_none_or(|to| is_until(t, to)) {
            return;
        }
        for &body in &self.bodies {
            let velocity = seen.frame.bodies[body].linear_velocity;
            if self.worst.observe(off_by(&velocity, &self.expected, &self.tol), body, t) {
                self.value = velocity;
            }
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject], end: End) -> Outcome {
        let unseen = unseen(self.t_from, self.t_to, self.worst.get().is_some(), end);
        let Some((over, body, t)) = self.worst.get() else {
            return Outcome::open(unseen.unwrap_or_else(|| "no body is named".to_owned()));
        };
        // What failed has failed, whatever is to come.
        if let (Some(why), true) = (unseen, over <= 0.0) {
            return Outcome::open(why);
        }
        let why = format!(
            "\"{}\" has the velocity {} m/s at t = {t} s, expected {} ± {}",
            name(subjects, body),
            vector_in_words(&self.value),
            in_words(&self.expected),
            in_words(&self.tol)
        );
        Outcome::judged(over <= 0.0, self.value.into(), why)
    }
}
