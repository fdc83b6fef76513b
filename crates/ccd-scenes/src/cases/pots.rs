//! Bodies of Bézier patches.

use ccd_core::geometry::parametric::{BezierPatch, PatchSurface};
use ccd_core::io::case::{CaseBody, CaseShape};
use ccd_core::io::expect::{Axis, Rule};
use ccd_core::math::{Point, Real};

use super::parts::{Compose, Dice, case, dynamic, floor, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::options::{check_count, check_length, options};

options! {
    "pots": "closed pots of Bézier patches that fall onto a floor and onto each other"
    /// Closed pots with a lid and a knob, each of sixteen bicubic patches, that fall onto a floor and onto each other.
    Pots {
        /// How many fall.
        count: u32 = 1,
        /// Of the foot, metres; all else is in proportion.
        foot_radius: Real = 0.15,
    }
}

/// Where the tangents of a quarter circle's cubic meet the unit circle's box: its error is 2.7e-4 of the radius.
const QUARTER: Real = 0.552_284_749_830_793_4;

/// The outline from the middle of the foot to the top of the knob: radius and height in feet, four cubics.
const OUTLINE: [[[Real; 2]; 4]; 4] = [
    [[0.0, 0.0], [0.333, 0.0], [0.667, 0.0], [1.0, 0.0]],
    [[1.0, 0.0], [1.8, 0.05], [1.9, 1.2], [1.1, 1.7]],
    [[1.1, 1.7], [0.9, 1.82], [0.5, 1.85], [0.25, 2.0]],
    [[0.25, 2.0], [0.05, 2.1], [0.4, 2.4], [0.0, 2.4]],
];

/// A closed pot around y, of four cubics turned through four quarters.
fn pot(foot: Real) -> Result<PatchSurface, SceneError> {
    let quarter = [[1.0, 0.0], [1.0, QUARTER], [QUARTER, 1.0], [0.0, 1.0]];
    let mut patches = Vec::new();
    for cubic in OUTLINE {
        for turns in 0..4 {
            // A quarter turn exchanges coordinates exactly, so that neighbours share their sides to the last bit.
            let turned = |[x, z]: [Real; 2]| (0..turns).fold([x, z], |[x, z], _| [-z, x]);
            let control = std::array::from_fn(|k| {
                let ([radius, height], [x, z]) = (cubic[k / 4], turned(quarter[k % 4]));
                Point::new(foot * radius * x, foot * height, foot * radius * z)
            });
            patches.push(BezierPatch::new(control));
        }
    }
    let pot = PatchSurface::new(patches)?;
    pot.require_solid()?;
    Ok(pot)
}

impl Scene for Pots {
    const NAMED: &'static [&'static str] = &["count"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("count", self.count, 1, 200)?;
        check_length::<Self>("foot_radius", self.foot_radius)?;
        const SECONDS: Real = 2.0;
        // From foot to knob and across the belly a pot fits into a ball of 1.7 feet around its middle, at 1.2 feet.
        let pitch = 3.6 * self.foot_radius;
        let is_usual = self.foot_radius == Self::default().foot_radius;
        let file = if is_usual { "pot.txt".to_owned() } else { format!("pot-{}.txt", self.foot_radius) };
        let notes = "closed solids of bicubic patches: times of contact and contacts on the true surfaces";
        let mut case = case(format!("{} pots", self.count), notes, SECONDS);
        case.bodies = vec![floor(20.0 * self.foot_radius.max(1.0))];
        let mut dice = Dice::new(5);
        for i in 0..self.count {
            let turn = dice.rotation(0.4);
            let middle = [0.3 * self.foot_radius * dice.roll(), pitch * (0.6 + Real::from(i)), 0.0];
            let down = turn * ccd_core::math::Vector::new(0.0, -1.2 * self.foot_radius, 0.0);
            case.add(CaseBody {
                rotation: quaternion(&turn),
                angular_velocity: [dice.roll(), dice.roll(), dice.roll()],
                ..dynamic(
                    format!("pot-{i:02}"),
                    CaseShape::Bezier { file: file.clone() },
                    [middle[0] + down.x, middle[1] + down.y, middle[2] + down.z],
                )
            });
        }
        case.must(Rule::PositionBound {
            bodies: case.bodies[1..].iter().map(|b| b.name.clone()).collect(),
            axis: Axis::Index(1),
            min: Some(0.0),
            max: None,
        });
        case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
        let files = CaseFiles::of(format!("pots-{}.json", self.count), case);
        Ok(files.with_patches(&file, pot(self.foot_radius)?))
    }
}
