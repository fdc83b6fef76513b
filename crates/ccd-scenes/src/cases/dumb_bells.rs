//! Bodies that are compounds, on a stair that is one.

use std::f64::consts::FRAC_1_SQRT_2;

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::{CaseBody, CaseShape, PlacedShape};
use ccd_core::io::expect::{Axis, Rule};
use ccd_core::math::Real;

use super::parts::{Compose, Dice, case, dynamic, floor, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::options::{check_count, options};

options! {
    "dumb-bells": "compounds of balls and bars that fall down a stair of boxes"
    /// Dumb-bells (two balls on a bar) that fall down a stair of boxes: every body but the floor is a compound.
    DumbBells {
        /// How many fall.
        count: u32 = 8,
    }
}

/// A part at a place, upright.
fn part(shape: CaseShape, position: [Real; 3]) -> PlacedShape {
    PlacedShape { shape, position, rotation: [0.0, 0.0, 0.0, 1.0] }
}

/// Two balls of 0.15 m on a bar along x, 0.9 m from end to end.
fn dumb_bell() -> CaseShape {
    let ball = || CaseShape::Sphere { radius: 0.15 };
    let bar = CaseShape::Cylinder { radius: 0.05, half_height: 0.3 };
    CaseShape::Compound {
        of: vec![
            part(ball(), [-0.3, 0.0, 0.0]),
            part(ball(), [0.3, 0.0, 0.0]),
            PlacedShape { rotation: [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2], ..part(bar, [0.0; 3]) },
        ],
    }
}

/// How many steps the stair has, and how high and deep each is, metres.
const STEPS: u32 = 4;
const STEP: Real = 0.3;

/// A stair that climbs along −x, 2 m wide.
fn stair() -> CaseShape {
    let step = |i: u32| {
        let half_height = 0.5 * STEP * Real::from(i + 1);
        let x = -STEP * (Real::from(i) + 0.5) * 2.0;
        part(CaseShape::Box { half_extents: [STEP, half_height, 2.0] }, [x, half_height, 0.0])
    };
    CaseShape::Compound { of: (0..STEPS).map(step).collect() }
}

impl Scene for DumbBells {
    const NAMED: &'static [&'static str] = &["count"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("count", self.count, 1, 1000)?;
        const SECONDS: Real = 6.0;
        const PITCH: Real = 1.0;
        let notes = "two balls on a bar each, down a stair of boxes: contacts and times of contact of compounds";
        let mut case = case(format!("{} dumb-bells", self.count), notes, SECONDS);
        case.bodies = vec![floor(30.0), CaseBody::new("stair", BodyKind::Static, stair())];
        let mut dice = Dice::new(11);
        let top = STEP * Real::from(STEPS);
        for i in 0..self.count {
            let (row, layer) = (i % 3, i / 3);
            let place = [-2.0, top + 0.6 + PITCH * Real::from(layer), PITCH * (Real::from(row) - 1.0)];
            case.add(CaseBody {
                rotation: quaternion(&dice.rotation(1.0)),
                linear_velocity: [1.5, 0.0, 0.0],
                angular_velocity: [dice.roll(), 0.0, -3.0],
                ..dynamic(format!("bell-{i:02}"), dumb_bell(), place)
            });
        }
        let bells: Vec<String> = case.bodies[2..].iter().map(|b| b.name.clone()).collect();
        // A ball of a bell may lie on the floor: its middle is 0.15 m up then.
        case.must(Rule::PositionBound { bodies: bells, axis: Axis::Index(1), min: Some(0.05), max: None });
        case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
        Ok(CaseFiles::of(format!("dumb-bells-{}.json", self.count), case))
    }
}
