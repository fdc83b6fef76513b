//! Things that balance, rock and come to rest: a see-saw, eggs, a spinning coin.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::{Case, CaseBody, CaseMass, CaseShape};
use ccd_core::io::expect::{Axis, Rule};
use ccd_core::math::{Real, Rotation, Vector};

use super::parts::{Compose, GAP, case, cube, dynamic, floor, names, only, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::options::{check_between, options};

options! {
    "see-saw": "a plank on a round beam: two boxes balance one at twice the distance, or lose: two cases"
    /// A plank that lies loose on a round beam, with two boxes on each other on one side and one at twice their distance on the
    /// other: level for ever. A second case gives the single box more weight: its end goes down to the floor.
    ///
    /// The beam's radius is more than the height of the load's centre above it: a tilted plank rolls back.
    SeeSaw {
        /// By what share the single box of the second case is heavier.
        surplus: Real = 0.5,
    }
}

/// Less does not tip the plank: it rolls on its beam until the single box is near enough to it.
const LEAST_SURPLUS: Real = 0.2;

impl Scene for SeeSaw {
    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_between::<Self>("surplus", self.surplus, LEAST_SURPLUS, 10.0)?;
        let mut level = loaded("see-saw in balance", "the law of the lever, on a beam that it lies on loosely", 1.0);
        level.must(Rule::ComDrift { bodies: names(&level.bodies[2..]), after: 0.0, max: 1e-3 });
        let mut tipping = loaded("see-saw that tips", "the heavier end goes down to the floor", 1.0 + self.surplus);
        let (a, b) = ("plank".to_owned(), "floor".to_owned());
        tipping.must(Rule::Contact { a, b, by: Some(5.0) });
        // The lighter side has gone up, the heavier down; the plank is still on its beam.
        tipping.must(Rule::PositionBound {
            bodies: only("plank"),
            axis: Axis::Index(0),
            min: Some(-0.5),
            max: Some(0.5),
        });
        tipping.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
        Ok(CaseFiles::of("see-saw-level.json", level).and("see-saw-tipping.json", tipping))
    }
}

/// Floor, beam, plank and boxes; the single box weighs `single` times one of the two.
fn loaded(name: &str, notes: &str, single: Real) -> Case {
    const BEAM: Real = 0.5;
    const PLANK: [Real; 3] = [2.0, 0.05, 0.3];
    const BOX: Real = 0.4;
    const MASS: Real = 100.0;
    let mut case = case(name, notes, 10.0);
    case.bodies = vec![floor(5.0)];
    let along_z = Rotation::from_axis_angle(&Vector::x_axis(), FRAC_PI_2);
    let beam = CaseShape::Cylinder { radius: BEAM, half_height: 0.5 };
    case.add(CaseBody {
        position: [0.0, BEAM, 0.0],
        rotation: quaternion(&along_z),
        ..CaseBody::new("beam", BodyKind::Static, beam)
    });
    let bottom = 2.0 * BEAM + GAP;
    case.add(dynamic("plank", CaseShape::Box { half_extents: PLANK }, [0.0, bottom + PLANK[1], 0.0]));
    let top = bottom + 2.0 * PLANK[1];
    for (name, x, storey, mass) in
        [("lower", -0.75, 0.0, MASS), ("upper", -0.75, 1.0, MASS), ("single", 1.5, 0.0, MASS * single)]
    {
        let y = top + GAP + 0.5 * BOX + storey * (BOX + GAP);
        case.add(CaseBody { mass: Some(mass), ..dynamic(name, cube(BOX), [x, y, 0.0]) });
    }
    case
}

options! {
    "egg": "eggs on a plane: one falls over and rolls on, one with a weight in its foot rights itself: two cases"
    /// Two eggs on a plane. One is even and smooth and stands on its end, tilted: it falls over and rolls on its side for ever,
    /// as nothing is lost in rolling. The other is cut from facets, with a weight in its foot: it lies on its side, rights
    /// itself, rocks from facet to facet, which costs it its energy, and comes to rest on its foot.
    Egg {
        /// At the start, from upright for the even egg and from lying for the other, degrees.
        tilt: Real = 10.0,
    }
}

/// The radii of an egg across and along its axis, metres.
const EGG: [Real; 2] = [0.3, 0.4];
/// Rings of corners of the egg that is cut from facets.
const RINGS: u32 = 8;
/// Corners in a ring.
const AROUND: u32 = 16;

impl Scene for Egg {
    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_between::<Self>("tilt", self.tilt, 1.0, 45.0)?;
        let tilt = self.tilt.to_radians();
        Ok(CaseFiles::of("egg-even.json", even(tilt)).and("egg-righting.json", righting(FRAC_PI_2 - tilt)))
    }
}

/// A body that touches the floor, its axis tilted from upright about z, whose lowest point is `below` its origin.
fn tilted(shape: CaseShape, tilt: Real, below: Real) -> CaseBody {
    let turn = Rotation::from_axis_angle(&Vector::z_axis(), -tilt);
    CaseBody { rotation: quaternion(&turn), ..dynamic("egg", shape, [0.0, below + GAP, 0.0]) }
}

fn even(tilt: Real) -> Case {
    let mut case = case("egg that falls over", "even and smooth, on its end, tilted: it rolls on its side", 20.0);
    let below = (EGG[0] * tilt.sin()).hypot(EGG[1] * tilt.cos());
    case.bodies = vec![floor(30.0), tilted(CaseShape::Ellipsoid { radii: [EGG[0], EGG[1], EGG[0]] }, tilt, below)];
    // No lower than on its side, no higher than at the start.
    case.must(Rule::PositionBound {
        bodies: only("egg"),
        axis: Axis::Index(1),
        min: Some(EGG[0]),
        max: Some(below + GAP + 1e-4),
    });
    case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
    case
}

fn righting(tilt: Real) -> Case {
    const SECONDS: Real = 20.0;
    const MASS: Real = 100.0;
    // So low that no facet but the foot carries it: it tips over the lower edge of every other.
    const LOW: Real = 0.3;
    let corners: Vec<Vector> = (0..RINGS * AROUND)
        .map(|i| {
            let (sin, cos) = (PI * (Real::from(i / AROUND) + 0.5) / Real::from(RINGS)).sin_cos();
            let (z, x) = (TAU * Real::from(i % AROUND) / Real::from(AROUND)).sin_cos();
            Vector::new(EGG[0] * sin * x, EGG[1] * cos, EGG[0] * sin * z)
        })
        .collect();
    let foot = -corners[corners.len() - 1].y;
    let turn = Rotation::from_axis_angle(&Vector::z_axis(), -tilt);
    let below = corners.iter().map(|corner| -(turn * corner).y).fold(0.0, Real::max);
    let points = Some(corners.iter().map(|corner| (*corner).into()).collect());
    let mut case = case("egg that rights itself", "its weight is in its foot: upright is its only rest", SECONDS);
    case.bodies = vec![floor(10.0), tilted(CaseShape::Convex { file: None, points, scale: [1.0; 3] }, tilt, below)];
    let inertia = |share: Real| share * MASS * EGG[0] * EGG[0];
    case.bodies[1].mass_properties = Some(CaseMass {
        mass: MASS,
        com_local: [0.0, -LOW, 0.0],
        inertia_com_local: [[inertia(0.2), 0.0, 0.0], [0.0, inertia(0.25), 0.0], [0.0, 0.0, inertia(0.2)]],
    });
    let up = Axis::Index(1);
    case.must(Rule::Flips { bodies: only("egg"), body_axis: up, world_axis: up, min: None, max: Some(0) });
    case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
    case.must(Rule::ComPosition {
        bodies: only("egg"),
        t: SECONDS,
        expected: [None, Some(foot - LOW), None],
        tol: [None, Some(1e-3), None],
    });
    case.should(Rule::StandsStill { bodies: only("egg"), after: 0.75 * SECONDS, max_drift: 1e-4, max_rotation: 1e-3 });
    case
}

options! {
    "coin": "a coin that spins on its edge, wobbles down and lies flat"
    /// A coin on its edge, a little tilted and spinning about the vertical: it wobbles down, ever faster, and ends flat.
    Coin {
        /// About the vertical at the start, rad/s.
        spin: Real = 8.0,
        /// From upright at the start, degrees.
        tilt: Real = 5.0,
    }
}

impl Scene for Coin {
    const NAMED: &'static [&'static str] = &["spin"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_between::<Self>("spin", self.spin, 0.0, 200.0)?;
        check_between::<Self>("tilt", self.tilt, 0.1, 80.0)?;
        const SECONDS: Real = 20.0;
        const RADIUS: Real = 0.1;
        const HALF_THICKNESS: Real = 0.005;
        let mut case = case(format!("coin at {} rad/s", self.spin), "spins on its edge, ends flat", SECONDS);
        case.world.friction = 0.3;
        let lean = FRAC_PI_2 - self.tilt.to_radians();
        let (sin, cos) = lean.sin_cos();
        let height = RADIUS * sin + HALF_THICKNESS * cos + GAP;
        let coin = CaseShape::Cylinder { radius: RADIUS, half_height: HALF_THICKNESS };
        let turn = Rotation::from_axis_angle(&Vector::x_axis(), lean);
        case.bodies = vec![floor(10.0)];
        case.add(CaseBody {
            rotation: quaternion(&turn),
            angular_velocity: [0.0, self.spin, 0.0],
            ..dynamic("coin", coin, [0.0, height, 0.0])
        });
        case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
        case.must(Rule::PositionBound {
            bodies: only("coin"),
            axis: Axis::Index(1),
            min: Some(HALF_THICKNESS),
            max: Some(RADIUS.hypot(HALF_THICKNESS) + 1e-3),
        });
        case.should(Rule::ComPosition {
            bodies: only("coin"),
            t: SECONDS,
            expected: [None, Some(HALF_THICKNESS), None],
            tol: [None, Some(1e-3), None],
        });
        Ok(CaseFiles::of(format!("coin-{}.json", self.spin), case))
    }
}
