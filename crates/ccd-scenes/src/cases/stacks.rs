//! Things that must stand still: a tower, a pyramid, a heavy box on light ones.

use ccd_core::io::case::{Case, CaseBody};
use ccd_core::io::expect::Rule;
use ccd_core::math::Real;

use super::parts::{Compose, GAP, case, cube, dynamic, floor, names};
use super::{CaseFiles, Scene, SceneError};
use crate::options::{check_between, check_count, options};

/// How long stacks must stand, seconds.
const SECONDS: Real = 20.0;
/// How far a box of a stack may move in all, metres.
const DRIFT: Real = 1e-3;

/// States what must hold of bodies that stand, the first of them the ground: for so many seconds neither sinking nor drifting
/// by more than `drift` metres, and still in the second half.
pub(super) fn stand(case: &mut Case, seconds: Real, drift: Real) {
    let bodies = names(&case.bodies[1..]);
    case.must(Rule::ComDrift { bodies: bodies.clone(), after: 0.0, max: drift });
    case.should(Rule::StandsStill { bodies, after: 0.5 * seconds, max_drift: 0.1 * drift, max_rotation: drift });
}

options! {
    "tower": "a tower of unit boxes that must stand for 20 s"
    /// A tower of unit boxes.
    Tower {
        /// How many boxes.
        height: u32 = 50,
    }
}

impl Scene for Tower {
    const NAMED: &'static [&'static str] = &["height"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("height", self.height, 1, 10_000)?;
        let mut case = case(format!("tower of {}", self.height), "unit boxes, one on another", SECONDS);
        case.add(floor(10.0));
        for i in 0..self.height {
            let y = 0.5 + GAP + (1.0 + GAP) * Real::from(i);
            case.add(dynamic(format!("box-{i:03}"), cube(1.0), [0.0, y, 0.0]));
        }
        stand(&mut case, SECONDS, DRIFT);
        Ok(CaseFiles::of(format!("tower-{}.json", self.height), case))
    }
}

options! {
    "pyramid": "a wall of unit boxes, one fewer in each row, that must stand for 20 s"
    /// A wall of unit boxes that narrows by one box a row.
    Pyramid {
        /// Boxes of the lowest row.
        base: u32 = 20,
    }
}

impl Scene for Pyramid {
    const NAMED: &'static [&'static str] = &["base"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("base", self.base, 1, 200)?;
        // Neighbours do not touch, so that every contact carries weight.
        const PITCH: Real = 1.05;
        let base = Real::from(self.base);
        let mut case = case(format!("pyramid of base {}", self.base), "a wall of unit boxes", SECONDS);
        case.add(floor(base + 10.0));
        for row in 0..self.base {
            let y = 0.5 + GAP + (1.0 + GAP) * Real::from(row);
            for i in 0..self.base - row {
                let x = PITCH * (Real::from(i) - 0.5 * Real::from(self.base - row - 1));
                case.add(dynamic(format!("box-{row:02}-{i:02}"), cube(1.0), [x, y, 0.0]));
            }
        }
        stand(&mut case, SECONDS, DRIFT);
        Ok(CaseFiles::of(format!("pyramid-{}.json", self.base), case))
    }
}

options! {
    "mass-ratio": "a heavy box on light ones that must stand for 20 s"
    /// A heavy unit box on a tower of light ones.
    MassRatio {
        /// How many light boxes.
        count: u32 = 5,
        /// How much heavier the box on top is than each of them.
        ratio: Real = 1000.0,
    }
}

impl Scene for MassRatio {
    const NAMED: &'static [&'static str] = &["count", "ratio"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("count", self.count, 1, 1000)?;
        check_between::<Self>("ratio", self.ratio, 1e-6, 1e9)?;
        let mut case = case(
            format!("{} times heavier on {}", self.ratio, self.count),
            "unit boxes of 1000 kg under one that is heavier",
            SECONDS,
        );
        case.add(floor(10.0));
        for i in 0..=self.count {
            let y = 0.5 + GAP + (1.0 + GAP) * Real::from(i);
            let heavy = i == self.count;
            let name = if heavy { "heavy".to_owned() } else { format!("box-{i:03}") };
            let mass = if heavy { 1000.0 * self.ratio } else { 1000.0 };
            case.add(CaseBody { mass: Some(mass), ..dynamic(name, cube(1.0), [0.0, y, 0.0]) });
        }
        stand(&mut case, SECONDS, DRIFT);
        Ok(CaseFiles::of(format!("mass-ratio-{}-on-{}.json", self.ratio, self.count), case))
    }
}
