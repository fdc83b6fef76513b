//! Things that must stand still: a tower, a pyramid, a heavy box on light ones.

use ccd_core::io::case::CaseBody;
use ccd_core::io::expect::{Expectation, Rule};
use ccd_core::math::Real;
use ccd_core::tolerance::DEFAULT_TOLERANCE;

use super::parts::{always, case, cube, dynamic, floor};
use super::{CaseFiles, Scene, SceneError};
use crate::options::{Field, Options, check_between, check_count};

/// How long stacks must stand, seconds.
const SECONDS: Real = 20.0;
/// Between what stands on each other at the start, metres: the gap at which a world keeps resting bodies, a tenth of its
/// tolerance, so that a stack starts at rest.
pub(super) const GAP: Real = 0.1 * DEFAULT_TOLERANCE;
/// How far a box of a stack may move in all, metres.
const DRIFT: Real = 1e-3;

/// What must hold of bodies that stand, the first of them the ground: for so many seconds neither sinking nor drifting by more
/// than `drift` metres, and still in the second half.
pub(super) fn stand(bodies: &[CaseBody], seconds: Real, drift: Real) -> Vec<Expectation> {
    let names: Vec<String> = bodies.iter().skip(1).map(|b| b.name.clone()).collect();
    let mut expect = always();
    expect.push(Expectation::must(Rule::ComDrift { bodies: names.clone(), after: 0.0, max: drift }));
    expect.push(Expectation::should(Rule::StandsStill {
        bodies: names,
        after: 0.5 * seconds,
        max_drift: 0.1 * drift,
        max_rotation: drift,
    }));
    expect
}

/// A case without models, under a file name.
pub(super) fn one_case(file: String, case: ccd_core::io::case::Case) -> CaseFiles {
    CaseFiles { cases: vec![(file, case)], ..CaseFiles::default() }
}

/// A tower of unit boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tower {
    /// How many boxes.
    pub height: u32,
}

impl Default for Tower {
    fn default() -> Self {
        Self { height: 50 }
    }
}

impl Options for Tower {
    const NAME: &'static str = "tower";
    const ABOUT: &'static str = "a tower of unit boxes that must stand for 20 s";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        vec![("height", Field::Count(&mut self.height))]
    }
}

impl Scene for Tower {
    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("height", self.height, 1, 10_000)?;
        let mut case = case(format!("tower of {}", self.height), "unit boxes, one on another", SECONDS);
        case.bodies.push(floor(10.0));
        for i in 0..self.height {
            let y = 0.5 + GAP + (1.0 + GAP) * Real::from(i);
            case.bodies.push(dynamic(format!("box-{i:03}"), cube(1.0), [0.0, y, 0.0]));
        }
        case.expect = stand(&case.bodies, SECONDS, DRIFT);
        Ok(one_case(format!("tower-{}.json", self.height), case))
    }
}

/// A wall of unit boxes that narrows by one box a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pyramid {
    /// Boxes of the lowest row.
    pub base: u32,
}

impl Default for Pyramid {
    fn default() -> Self {
        Self { base: 20 }
    }
}

impl Options for Pyramid {
    const NAME: &'static str = "pyramid";
    const ABOUT: &'static str = "a wall of unit boxes, one fewer in each row, that must stand for 20 s";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        vec![("base", Field::Count(&mut self.base))]
    }
}

impl Scene for Pyramid {
    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("base", self.base, 1, 200)?;
        // Neighbours do not touch, so that every contact carries weight.
        const PITCH: Real = 1.05;
        let base = Real::from(self.base);
        let mut case = case(format!("pyramid of base {}", self.base), "a wall of unit boxes", SECONDS);
        case.bodies.push(floor(base + 10.0));
        for row in 0..self.base {
            let y = 0.5 + GAP + (1.0 + GAP) * Real::from(row);
            for i in 0..self.base - row {
                let x = PITCH * (Real::from(i) - 0.5 * Real::from(self.base - row - 1));
                case.bodies.push(dynamic(format!("box-{row:02}-{i:02}"), cube(1.0), [x, y, 0.0]));
            }
        }
        case.expect = stand(&case.bodies, SECONDS, DRIFT);
        Ok(one_case(format!("pyramid-{}.json", self.base), case))
    }
}

/// A heavy unit box on a tower of light ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassRatio {
    /// How many light boxes.
    pub count: u32,
    /// How much heavier the box on top is than each of them.
    pub ratio: Real,
}

impl Default for MassRatio {
    fn default() -> Self {
        Self { count: 5, ratio: 1000.0 }
    }
}

impl Options for MassRatio {
    const NAME: &'static str = "mass-ratio";
    const ABOUT: &'static str = "a heavy box on light ones that must stand for 20 s";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        vec![("count", Field::Count(&mut self.count)), ("ratio", Field::Number(&mut self.ratio))]
    }
}

impl Scene for MassRatio {
    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("count", self.count, 1, 1000)?;
        check_between::<Self>("ratio", self.ratio, 1e-6, 1e9)?;
        let mut case = case(
            format!("{} times heavier on {}", self.ratio, self.count),
            "unit boxes of 1000 kg under one that is heavier",
            SECONDS,
        );
        case.bodies.push(floor(10.0));
        for i in 0..=self.count {
            let y = 0.5 + GAP + (1.0 + GAP) * Real::from(i);
            let heavy = i == self.count;
            let name = if heavy { "heavy".to_owned() } else { format!("box-{i:03}") };
            let mass = if heavy { 1000.0 * self.ratio } else { 1000.0 };
            case.bodies.push(CaseBody { mass: Some(mass), ..dynamic(name, cube(1.0), [0.0, y, 0.0]) });
        }
        case.expect = stand(&case.bodies, SECONDS, DRIFT);
        Ok(one_case(format!("mass-ratio-{}-on-{}.json", self.ratio, self.count), case))
    }
}
