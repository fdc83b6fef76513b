//! `side_of_plane`.

use super::name;
use super::nearest::{is_during, unseen};
use super::worst::Worst;
use crate::io::expect::outcome::{Measured, Outcome};
use crate::io::expect::rule::{Measure, Region, Rule};
use crate::io::expect::subject::{BodyState, Subject};
use crate::io::expect::{End, Seen};
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;
use crate::shape::compound::Part;

/// How finely the surface of a curved solid that has no support mapping is sampled, metres.
const SAMPLING: Real = 1e-6;

/// What is needed to find a body's outermost point.
#[derive(Debug)]
enum Outline {
    /// The support mapping, which is exact.
    Convex,
    /// The surface's points, and how far the surface may lie outside them.
    Points(Vec<Point>, Real),
    /// Those of the parts of a compound, each at its pose.
    Parts(Vec<(Pose, Outline)>),
    /// Only the centre of mass counts.
    Centre,
}

impl Outline {
    fn of(subject: &Subject, measure: Measure) -> Self {
        if measure == Measure::Com {
            return Self::Centre;
        }
        Self::of_shape(&subject.shape)
    }

    fn of_shape(shape: &Shape) -> Self {
        if let Some(compound) = shape.as_compound() {
            return Self::Parts(compound.parts().iter().map(|p| (p.pose, Self::of_shape(&p.shape))).collect());
        }
        let solid = shape.as_solid();
        if solid.support_map().is_some() {
            return Self::Convex;
        }
        let set = solid.features(SAMPLING);
        Self::Points(set.vertices, set.radius)
    }

    /// The least of (p − point) · normal over the body's points p.
    fn least(&self, subject: &Subject, state: &BodyState, com: &Point, point: &Point, normal: &Vector) -> Real {
        let local = state.pose.rotation.inverse() * normal;
        // (p − point) · normal for p = x + R q is (x − point) · normal + q · (Rᵀ normal).
        let origin = (Point::from(state.pose.translation.vector) - point).dot(normal);
        match self {
            Self::Centre => (com - point).dot(normal),
            other => origin + other.least_along(&subject.shape, &local),
        }
    }

    /// The least of q · direction over the shape's points q, all in the shape's frame.
    fn least_along(&self, shape: &Shape, direction: &Vector) -> Real {
        match self {
            Self::Centre => Real::NAN,
            Self::Convex => match shape.as_solid().support_map() {
                Some(map) => {
                    let outermost = map.support(&-direction, 0).point;
                    outermost.coords.dot(direction) - map.radius() * direction.norm()
                }
                None => Real::NAN,
            },
            Self::Points(points, radius) => {
                let least = points.iter().map(|q| q.coords.dot(direction)).fold(Real::INFINITY, Real::min);
                least - radius * direction.norm()
            }
            Self::Parts(outlines) => {
                let Some(compound) = shape.as_compound() else { return Real::NAN };
                let of_part = |(part, (pose, outline)): (&Part, &(Pose, Self))| {
                    let local = pose.inverse_transform_vector(direction);
                    pose.translation.vector.dot(direction) + outline.least_along(&part.shape, &local)
                };
                compound.parts().iter().zip(outlines).map(of_part).fold(Real::INFINITY, Real::min)
            }
        }
    }
}

/// The body stays on one side of a plane.
#[derive(Debug)]
pub(crate) struct SideOfPlane {
    bodies: Vec<(usize, Outline)>,
    point: Point,
    normal: Vector,
    min: Real,
    within: Option<Region>,
    within_t: Option<[Real; 2]>,
    /// Whether a frame lies within that time.
    is_seen: bool,
    /// The largest of minus the distance.
    worst: Worst,
}

impl SideOfPlane {
    pub(super) fn new(bodies: Vec<usize>, rule: &Rule, subjects: &[Subject]) -> Self {
        let Rule::SideOfPlane { point, normal, measure, min, within, within_t, .. } = rule else {
            let (point, normal) = (Point::origin(), Vector::zeros());
            return Self {
                bodies: vec![],
                point,
                normal,
                min: 0.0,
                within: None,
                within_t: None,
                is_seen: false,
                worst: Worst::default(),
            };
        };
        Self {
            bodies: bodies.into_iter().map(|body| (body, Outline::of(&subjects[body], *measure))).collect(),
            point: Point::from(*point),
            normal: Vector::from(*normal),
            min: *min,
            within: *within,
            within_t: *within_t,
            is_seen: false,
            worst: Worst::default(),
        }
    }

    pub(super) fn observe(&mut self, seen: &Seen<'_>) {
        let t = seen.frame.t;
        if self.within_t.is_some_and(|within| !is_during(t, within)) {
            return;
        }
        self.is_seen = true;
        for (body, outline) in &self.bodies {
            let com = &seen.coms[*body];
            if self.within.is_some_and(|region| !region.contains(com)) {
                continue;
            }
            let (subject, state) = (&seen.subjects[*body], &seen.frame.bodies[*body]);
            let least = outline.least(subject, state, com, &self.point, &self.normal);
            self.worst.observe(-least, *body, t);
        }
    }

    pub(super) fn judge(&self, subjects: &[Subject], end: End) -> Outcome {
        let has_failed = self.worst.get().is_some_and(|(minus, ..)| minus.is_nan() || -minus < self.min);
        let unseen = self.within_t.and_then(|[from, to]| unseen(from, Some(to), self.is_seen, end));
        match (unseen, self.worst.get()) {
            // What failed has failed, whatever is to come.
            (Some(why), _) if !has_failed => Outcome::open(why),
            (_, None) => {
                Outcome::judged(true, Measured::Nothing, "no frame has the body within the given region and time")
            }
            (_, Some((minus, body, t))) => {
                let least = -minus;
                let who = name(subjects, body);
                let why =
                    format!("\"{who}\" is at {least} m from the plane at t = {t} s, allowed at least {}", self.min);
                Outcome::judged(least >= self.min, Measured::Number(least), why)
            }
        }
    }
}
