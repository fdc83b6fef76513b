//! Who was stopped by a plane and who went through, for every plane that an expectation names.

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::Case;
use ccd_core::io::expect::{Region, Rule, is_during};
use ccd_core::math::{Point, Vector};
use serde::Serialize;

/// A plane, and on which side of it the dynamic bodies were seen last, while in the place and time where the expectation
/// looks at them.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Plane {
    pub(super) point: [f64; 3],
    pub(super) normal: [f64; 3],
    /// How many bodies were last seen on the side where they were seen first: they were stopped, or never came.
    pub(super) stayed: usize,
    /// How many went through to the other side.
    pub(super) crossed: usize,
    #[serde(skip)]
    within: Option<Region>,
    #[serde(skip)]
    within_t: Option<[f64; 2]>,
    /// For each body the heights above the plane when it was seen first and last.
    #[serde(skip)]
    seen: Vec<Option<(f64, f64)>>,
}

impl Plane {
    /// The planes that the expectations of `case` name, each once.
    pub(super) fn of(case: &Case) -> Vec<Self> {
        let mut planes: Vec<Self> = Vec::new();
        for expectation in &case.expect {
            let Rule::SideOfPlane { point, normal, within, within_t, .. } = &expectation.rule else { continue };
            let plane = Self {
                point: *point,
                normal: *normal,
                stayed: 0,
                crossed: 0,
                within: *within,
                within_t: *within_t,
                seen: vec![None; case.bodies.len()],
            };
            if !planes.contains(&plane) {
                planes.push(plane);
            }
        }
        planes
    }

    /// Notes on which side of the plane the centres of mass are at the time `t`.
    pub(super) fn observe(&mut self, case: &Case, t: f64, centres: &[Point]) {
        if self.within_t.is_some_and(|within| !is_during(t, within)) {
            return;
        }
        let (point, normal) = (Point::from(self.point), Vector::from(self.normal));
        self.crossed = 0;
        self.stayed = 0;
        for ((seen, centre), body) in self.seen.iter_mut().zip(centres).zip(&case.bodies) {
            if body.kind != BodyKind::Dynamic {
                continue;
            }
            if self.within.is_none_or(|region| region.contains(centre)) {
                let height = (centre - point).dot(&normal);
                let (first, last) = seen.get_or_insert((height, height));
                // What begins in the plane is on the side to which it leaves it.
                *first = if *first == 0.0 { height } else { *first };
                *last = height;
            }
            match *seen {
                Some((first, last)) if first * last < 0.0 => self.crossed += 1,
                Some(_) => self.stayed += 1,
                None => {}
            }
        }
    }
}
