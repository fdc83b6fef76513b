//! A chain of rings.

use std::f64::consts::FRAC_1_SQRT_2;

use ccd_core::io::case::{CaseBody, Kind};
use ccd_core::io::expect::{DistanceBounds, Expectation, Rule};
use ccd_core::math::Real;

use super::parts::{always, case, dynamic, mesh};
use super::{CaseFiles, Scene, SceneError};
use crate::models::{Model, Ring};
use crate::options::{Field, Options, check_count};

/// Interlocked rings, true meshes of 500 triangles, hanging from a fixed one; pushed sideways at the lower end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// How many rings, with the fixed one.
    pub links: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self { links: 10 }
    }
}

impl Options for Chain {
    const NAME: &'static str = "chain";
    const ABOUT: &'static str = "interlocked rings of 500 triangles, true meshes, hanging from a fixed one";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        vec![("links", Field::Count(&mut self.links))]
    }
}

impl Scene for Chain {
    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("links", self.links, 2, 1000)?;
        const FILE: &str = "ring.obj";
        const SECONDS: Real = 10.0;
        // Links hang this much short of taut at the start, so that they fall into each other.
        const SLACK: Real = 0.01;
        let ring = Ring::default();
        let taut = 2.0 * (ring.0.major_radius - ring.0.minor_radius);
        let mut case = case(format!("chain of {}", self.links), "interlocked rings of 500 triangles", SECONDS);
        for i in 0..self.links {
            // The rings' axis is y; in a chain it lies along z and x in turn.
            let rotation = if i % 2 == 0 {
                [FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2]
            } else {
                [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2]
            };
            let position = [0.0, -(taut - SLACK) * Real::from(i), 0.0];
            let kind = if i == 0 { Kind::Static } else { Kind::Dynamic };
            let push = if i + 1 == self.links { 1.0 } else { 0.0 };
            case.bodies.push(CaseBody {
                kind,
                rotation,
                linear_velocity: if i == 0 { [0.0; 3] } else { [push, 0.0, push] },
                ..dynamic(format!("ring-{i:03}"), mesh(FILE), position)
            });
        }
        case.expect = always();
        for pair in case.bodies.windows(2) {
            case.expect.push(Expectation::must(Rule::OriginDistanceBounded(DistanceBounds {
                a: pair[0].name.clone(),
                b: pair[1].name.clone(),
                min: None,
                // Two interlocked rings whose tubes do not cross cannot be further apart.
                max: Some(2.0 * ring.0.major_radius),
            })));
        }
        Ok(CaseFiles {
            models: vec![(FILE.to_owned(), ring.build()?)],
            cases: vec![(format!("chain-{}.json", self.links), case)],
            ..CaseFiles::default()
        })
    }
}
