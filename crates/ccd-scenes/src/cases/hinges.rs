//! Bars that hang on each other by pins in holes.

use std::f64::consts::FRAC_PI_2;

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::{CaseBody, CaseShape, PlacedShape};
use ccd_core::io::expect::{DistanceBounds, Rule};
use ccd_core::math::{Real, Rotation, Vector};

use super::parts::{Compose, case, dynamic, fixed_box, floor, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::options::{check_between, check_count, options};

options! {
    "hinges": "bars that hang on each other by pins in holes, and swing as a many-fold pendulum"
    /// Bars that hang on each other by nothing but pins in holes; held aside and let go, they swing as a pendulum of as many joints.
    Hinges {
        /// How many bars.
        bars: u32 = 4,
        /// From hanging at the start, degrees.
        angle: Real = 90.0,
        /// Of all, on all.
        friction: Real = 0.02,
    }
}

/// From pin to pin, metres.
const LENGTH: Real = 1.0;
/// The radius of a pin, and half the width of the square hole that it is in.
const PIN: Real = 0.09;
const HOLE: Real = 0.1;
/// What is about a hole.
const RIM: Real = 0.06;
/// Half the thickness of a bar with holes; of a cheek, two of which hold pins; and how far that is from the middle.
const HALF_BAR: Real = 0.05;
const HALF_CHEEK: Real = 0.03;
const CHEEK: Real = 0.1;
/// What hangs is so far above the floor, metres.
const CLEAR: Real = 0.5;
/// Half the width of what is between holes, and of cheeks, which reach so much further than their pins.
const SLENDER: Real = 0.12;

impl Scene for Hinges {
    const NAMED: &'static [&'static str] = &["bars"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("bars", self.bars, 1, 100)?;
        check_between::<Self>("angle", self.angle, 1.0, 170.0)?;
        check_between::<Self>("friction", self.friction, 0.0, 10.0)?;
        const SECONDS: Real = 10.0;
        let notes = "bars with holes, and pairs of cheeks with pins in them, by turns";
        let mut case = case(format!("{} bars on hinges", self.bars), notes, SECONDS);
        case.world.friction = self.friction;
        let length = LENGTH * Real::from(self.bars);
        case.add(floor(1.5 * length + CLEAR));
        let top = Vector::new(0.0, length + CLEAR, 0.0);
        let hook = CaseShape::Cylinder { radius: PIN, half_height: CHEEK + HALF_CHEEK };
        let hook = CaseBody::new("hook", BodyKind::Static, hook);
        case.add(CaseBody { position: top.into(), rotation: along_z(), ..hook });
        for (name, side) in [("cheek-back", -CHEEK), ("cheek-front", CHEEK)] {
            case.add(fixed_box(name, [HOLE + RIM, HOLE + RIM, HALF_CHEEK], [0.0, top.y, side]));
        }
        let swing = Rotation::from_axis_angle(&Vector::z_axis(), self.angle.to_radians());
        let mut before: Option<String> = None;
        for k in 0..self.bars {
            let down = LENGTH * (Real::from(k) + 0.5);
            let place = top + swing * Vector::new(0.0, -down, 0.0);
            let shape = if k % 2 == 0 { bar_with_holes() } else { cheeks_with_pins() };
            let bar = dynamic(format!("bar-{}", k + 1), shape, place.into());
            let name = bar.name.clone();
            case.add(CaseBody { rotation: quaternion(&swing), ..bar });
            if let Some(upper) = before.replace(name.clone()) {
                // With the play of a pin, and of one that is aslant in its hole.
                let max = Some(LENGTH + 4.0 * (HOLE - PIN));
                case.must(Rule::OriginDistanceBounded(DistanceBounds { a: upper, b: name, min: None, max }));
            }
        }
        case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
        Ok(CaseFiles::of(format!("hinges-{}.json", self.bars), case))
    }
}

/// What turns y to z.
fn along_z() -> [Real; 4] {
    quaternion(&Rotation::from_axis_angle(&Vector::x_axis(), FRAC_PI_2))
}

fn block(half_extents: [Real; 3], position: [Real; 3]) -> PlacedShape {
    PlacedShape { shape: CaseShape::Box { half_extents }, position, rotation: [0.0, 0.0, 0.0, 1.0] }
}

/// Along y, with square holes along z at both ends.
fn bar_with_holes() -> CaseShape {
    let (side, end) = (HOLE + 0.5 * RIM, 0.5 * LENGTH);
    let rim = |y: Real, out: Real| {
        [
            block([0.5 * RIM, HOLE + RIM, HALF_BAR], [-side, y, 0.0]),
            block([0.5 * RIM, HOLE + RIM, HALF_BAR], [side, y, 0.0]),
            block([HOLE, 0.5 * RIM, HALF_BAR], [0.0, y + out * side, 0.0]),
        ]
    };
    let middle = block([SLENDER, end - HOLE, HALF_BAR], [0.0; 3]);
    CaseShape::Compound { of: [rim(end, 1.0), rim(-end, -1.0)].concat().into_iter().chain([middle]).collect() }
}

/// Along y, with pins along z at both ends.
fn cheeks_with_pins() -> CaseShape {
    let end = 0.5 * LENGTH;
    let cheek = |z: Real| block([SLENDER, end + SLENDER, HALF_CHEEK], [0.0, 0.0, z]);
    let pin = |y: Real| {
        let shape = CaseShape::Cylinder { radius: PIN, half_height: CHEEK + HALF_CHEEK };
        PlacedShape { shape, position: [0.0, y, 0.0], rotation: along_z() }
    };
    CaseShape::Compound { of: vec![cheek(-CHEEK), cheek(CHEEK), pin(end), pin(-end)] }
}
