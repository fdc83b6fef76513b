//! A chain of rings.

use std::f64::consts::FRAC_PI_2;

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::{Case, CaseBody};
use ccd_core::io::expect::{DistanceBounds, Rule};
use ccd_core::math::{Point, Real, Rotation, Vector};

use super::parts::{Compose, case, dynamic, mesh, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::models::{Model, Ring};
use crate::options::{check_count, options};

options! {
    "chain": "interlocked rings of 500 triangles, true meshes, hanging from a fixed one"
    /// Interlocked rings, true meshes of 500 triangles, hanging from a fixed one; pushed sideways at the lower end.
    Chain {
        /// How many rings, with the fixed one.
        links: u32 = 10,
    }
}

/// The file that rings of chains name.
pub(super) const RING_FILE: &str = "ring.obj";

/// From ring to ring at the start, metres: a little short of taut, so that they fall into each other.
pub(super) fn pitch() -> Real {
    const SLACK: Real = 0.01;
    let Ring(ring) = Ring::default();
    2.0 * (ring.major_radius - ring.minor_radius) - SLACK
}

/// How the ring at a place lies in a chain that hangs straight down: the rings' axis is y; here it lies along z and x in turn.
pub(super) fn lies(place: u32) -> Rotation {
    let axis = if place.is_multiple_of(2) { Vector::x_axis() } else { Vector::z_axis() };
    Rotation::from_axis_angle(&axis, FRAC_PI_2)
}

/// So many rings from `top` on, the first of them fixed, in a chain turned aside by `swing` from hanging.
pub(super) fn links(count: u32, top: Point, swing: &Rotation) -> Vec<CaseBody> {
    let link = |i: u32| {
        let at = top - swing * Vector::y() * (pitch() * Real::from(i));
        CaseBody {
            kind: if i == 0 { BodyKind::Static } else { BodyKind::Dynamic },
            rotation: quaternion(&(swing * lies(i))),
            ..dynamic(format!("ring-{i:03}"), mesh(RING_FILE), at.into())
        }
    };
    (0..count).map(link).collect()
}

/// States that each of these rings hangs in the next for ever.
pub(super) fn stay_linked(case: &mut Case, rings: &[CaseBody]) {
    for pair in rings.windows(2) {
        case.must(Rule::OriginDistanceBounded(DistanceBounds {
            a: pair[0].name.clone(),
            b: pair[1].name.clone(),
            min: None,
            // Two interlocked rings whose tubes do not cross cannot be further apart.
            max: Some(2.0 * Ring::default().0.major_radius),
        }));
    }
}

impl Scene for Chain {
    const NAMED: &'static [&'static str] = &["links"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("links", self.links, 2, 1000)?;
        const SECONDS: Real = 10.0;
        let mut case = case(format!("chain of {}", self.links), "interlocked rings of 500 triangles", SECONDS);
        case.bodies = links(self.links, Point::origin(), &Rotation::identity());
        if let Some(last) = case.bodies.last_mut() {
            last.linear_velocity = [1.0, 0.0, 1.0];
        }
        let rings = case.bodies.clone();
        stay_linked(&mut case, &rings);
        let files = CaseFiles::of(format!("chain-{}.json", self.links), case);
        Ok(files.with_model(RING_FILE, Ring::default().build()?))
    }
}
