//! The papers' example: bullets against a warped sheet with a hole.

use std::f64::consts::FRAC_1_SQRT_2;

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::{Case, CaseBody};
use ccd_core::io::expect::{Axis, Expectation, Measure, Region, Rule};
use ccd_core::math::Real;

use super::parts::{Compose, case, dynamic, hull, mesh};
use super::{CaseFiles, Scene, SceneError};
use crate::models::{Bullet, Model, WarpedPlane};
use crate::options::{check_between, check_count, options};

/// Rows and columns of the volley.
const SIDE: u32 = 10;
/// How far the bullets start in front of the sheet's middle, metres.
const START: Real = 10.0;
/// Between neighbours, metres. With the rows shifted by half of it, eight bullets fly through the default hole.
const SPACING: Real = 0.2;
/// Jacketed lead, kg/m³.
const DENSITY: Real = 10_000.0;
/// The file names.
const BULLET_FILE: &str = "bullet.obj";
const SHEET_FILE: &str = "warped-plane.obj";

options! {
    "bullets": "100 bullets at 1000 m/s against a warped sheet with a hole: four cases"
    /// 100 bullets of 640 triangles in a square, flying along +x at 1000 m/s at an immovable warped sheet of 2010 triangles;
    /// eight fly through its hole. Four cases of one simulated second: Δt 0.1 s and 1/60 s, each with the paper's spin about
    /// the long axis and with that of a rifle (erratum E8).
    ///
    /// By default the sheet bulges towards the bullets, so that what bounces off flies outwards and back, never to the hole.
    /// Source: precise contact determination, section 4.
    Bullets {
        /// Along +x, m/s; from 700 on all arrive within the first frame of either Δt.
        speed: Real = 1000.0,
        /// About the long axis in the plain cases, rad/s.
        spin: Real = 2e-3,
        /// About the long axis in the `-rifled` cases, rad/s.
        rifled_spin: Real = 2e4,
        /// 0: the sheet bulges towards the bullets; 1: it is turned round, and they meet its other side.
        other_side: u32 = 0,
    }
}

impl Scene for Bullets {
    // The format of cases fixes the names of its four files, whatever the speed and the spins.
    const NAMED: &'static [&'static str] = &["speed", "spin", "rifled_spin", "other_side"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_between::<Self>("speed", self.speed, 700.0, 1e5)?;
        check_between::<Self>("spin", self.spin, -1e6, 1e6)?;
        check_between::<Self>("rifled_spin", self.rifled_spin, -1e6, 1e6)?;
        check_count::<Self>("other_side", self.other_side, 0, 1)?;
        let side = if self.other_side == 0 { "" } else { "-other-side" };
        let models = vec![
            (BULLET_FILE.to_owned(), Bullet::default().build()?),
            (SHEET_FILE.to_owned(), WarpedPlane::default().build()?),
        ];
        let mut cases = Vec::with_capacity(4);
        for (frames, dt, label) in [(10, 0.1, "dt100ms"), (60, 1.0 / 60.0, "dt16ms")] {
            for (spin, suffix) in [(self.spin, ""), (self.rifled_spin, "-rifled")] {
                let name = format!("bullets{side}-{label}{suffix}");
                cases.push((format!("{name}.json"), self.case(name, dt, frames, spin)));
            }
        }
        Ok(CaseFiles { models, cases, ..CaseFiles::default() })
    }
}

impl Bullets {
    fn case(&self, name: String, dt: Real, frames: u32, spin: Real) -> Case {
        let sheet = WarpedPlane::default();
        let mut case = case(
            name,
            "100 bullets of 640 triangles against a warped sheet of 2010 triangles; the eight that meet the hole fly on",
            1.0,
        );
        case.source = Some("Precise generalized contact point and normal determination, section 4".to_owned());
        case.world.dt = dt;
        case.world.steps = frames;
        case.world.friction = 0.2;
        case.world.restitution = 0.5;
        // Local +y, the bulge, turns to world -x, towards the bullets, or to +x, away from them.
        let turn = if self.other_side == 0 { FRAC_1_SQRT_2 } else { -FRAC_1_SQRT_2 };
        case.add(CaseBody {
            rotation: [0.0, 0.0, turn, FRAC_1_SQRT_2],
            ..CaseBody::new("sheet", BodyKind::Static, mesh(SHEET_FILE))
        });

        let (mut stopped, mut passing) = (Vec::new(), Vec::new());
        for row in 0..SIDE {
            for column in 0..SIDE {
                // The rows are shifted by half a spacing against the hole's middle, the columns are not.
                let y = SPACING * (Real::from(row) - 4.0);
                let z = SPACING * (Real::from(column) - 4.5);
                let name = format!("bullet-{row}-{column}");
                if y.hypot(z) < sheet.hole_radius { &mut passing } else { &mut stopped }.push(name.clone());
                case.add(CaseBody {
                    // Local +y, the tip, turns to world +x.
                    rotation: [0.0, 0.0, -FRAC_1_SQRT_2, FRAC_1_SQRT_2],
                    linear_velocity: [self.speed, 0.0, 0.0],
                    angular_velocity: [spin, 0.0, 0.0],
                    density: Some(DENSITY),
                    ..dynamic(name, hull(BULLET_FILE), [-START, y, z])
                });
            }
        }

        let must = |rule| Expectation::must(rule);
        for bullet in &stopped {
            // All arrive in the frame that ends first after the farthest way at the lowest speed.
            const ROUNDING: Real = 1e-9;
            let arrival = dt * ((START + 1.0) / self.speed / dt).ceil() + ROUNDING;
            case.expect.push(must(Rule::Contact { a: bullet.clone(), b: "sheet".to_owned(), by: Some(arrival) }));
        }
        for bullet in &passing {
            case.expect.push(must(Rule::NoContact { a: bullet.clone(), b: "sheet".to_owned() }));
        }
        // Behind the sheet, seen along x: nothing that met it may ever be there. What leaves sideways is not measured.
        const CLEARANCE: Real = 0.05;
        let behind = CLEARANCE + sheet.twist + if self.other_side == 0 { 0.0 } else { sheet.bulge };
        let half = 0.5 * sheet.width;
        case.expect.push(must(Rule::SideOfPlane {
            bodies: stopped,
            point: [behind, 0.0, 0.0],
            normal: [-1.0, 0.0, 0.0],
            measure: Measure::Com,
            min: 0.0,
            within: Some(Region { min: [-1e6, -half, -half], max: [1e6, half, half] }),
            within_t: None,
        }));
        for (axis, expected) in [(0, self.speed), (2, 0.0)] {
            case.expect.push(must(Rule::DisplacementAlong {
                bodies: passing.clone(),
                axis: Axis::Index(axis),
                t: 1.0,
                expected,
                rel_tol: 0.0,
                abs_tol: 1e-6 * self.speed,
            }));
        }
        case
    }
}
