//! Things whose motion is known: a block on a slope, Newton's cradle, dominoes, a box on a turntable.

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::{Case, CaseBody, CaseShape};
use ccd_core::io::expect::{Axis, DistanceBounds, Measure, Rule};
use ccd_core::math::{Real, Rotation, Vector};
use ccd_core::tolerance::DEFAULT_TOLERANCE;

use super::parts::{Compose, G, GAP, case, dynamic, floor, only, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::options::{check_between, check_count, options};

options! {
    "slope": "a block on a slope that slides exactly as friction says"
    /// A block on a slope: it slides if and only if tan θ > μ.
    Slope {
        /// The slope's angle, degrees.
        angle: Real = 26.4,
        /// Coulomb's μ.
        friction: Real = 0.5,
    }
}

impl Scene for Slope {
    const NAMED: &'static [&'static str] = &["angle"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        const SECONDS: Real = 2.0;
        check_between::<Self>("angle", self.angle, 0.0, 60.0)?;
        check_between::<Self>("friction", self.friction, 0.0, 2.0)?;
        let turn = Rotation::from_axis_angle(&Vector::z_axis(), -self.angle.to_radians());
        let (sin, cos) = self.angle.to_radians().sin_cos();
        let mut case = case(format!("slope of {}°", self.angle), "a block on a slope", SECONDS);
        case.world.friction = self.friction;
        let place = |height: Real| (turn * Vector::new(0.0, height, 0.0)).into();
        let ramp = CaseBody::new("ramp", BodyKind::Static, CaseShape::Box { half_extents: [40.0, 0.5, 2.0] });
        let block = dynamic("block", CaseShape::Box { half_extents: [0.5, 0.1, 0.5] }, place(0.1 + GAP));
        case.add(CaseBody { position: place(-0.5), rotation: quaternion(&turn), ..ramp });
        case.add(CaseBody { rotation: quaternion(&turn), ..block });
        let way = 0.5 * G * (sin - self.friction * cos).max(0.0) * SECONDS * SECONDS;
        case.must(Rule::DisplacementAlong {
            bodies: only("block"),
            axis: Axis::Direction((turn * Vector::x()).into()),
            t: SECONDS,
            expected: way,
            rel_tol: 1e-2,
            abs_tol: 1e-3,
        });
        Ok(CaseFiles::of(format!("slope-{}.json", self.angle), case))
    }
}

options! {
    "cradle": "Newton's cradle without its strings: as many balls leave as came"
    /// A row of balls that one ball hits: as many leave as came.
    Cradle {
        /// How many balls there are.
        balls: u32 = 5,
        /// How many of them come.
        coming: u32 = 1,
    }
}

impl Scene for Cradle {
    const NAMED: &'static [&'static str] = &["balls", "coming"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        const RADIUS: Real = 0.1;
        check_count::<Self>("balls", self.balls, 2, 1000)?;
        check_count::<Self>("coming", self.coming, 1, self.balls - 1)?;
        let coming = if self.coming == 1 { String::new() } else { format!(", {} coming", self.coming) };
        let name = format!("cradle of {}{coming}", self.balls);
        let mut case = case(name, "weightless, so that no string is needed", 1.0);
        case.world.gravity = [0.0; 3];
        case.world.restitution = 1.0;
        case.world.friction = 0.0;
        // Further apart than the tolerance: each impact is one of two balls, as in a cradle that works.
        let pitch = 2.0 * RADIUS + 2.0 * DEFAULT_TOLERANCE;
        for i in 0..self.balls {
            let comes = i < self.coming;
            let x = pitch * Real::from(i) - if comes { 0.3 } else { 0.0 };
            let ball = dynamic(format!("ball-{i}"), CaseShape::Sphere { radius: RADIUS }, [x, 0.0, 0.0]);
            case.add(CaseBody { linear_velocity: [if comes { 1.0 } else { 0.0 }, 0.0, 0.0], ..ball });
        }
        case.must(Rule::EnergyConserved { rel_tol: 1e-9 });
        for i in 0..self.balls {
            let leaves = i + self.coming >= self.balls;
            case.must(Rule::LinearVelocity {
                bodies: vec![format!("ball-{i}")],
                t_from: 0.8,
                t_to: None,
                expected: [Some(if leaves { 1.0 } else { 0.0 }), Some(0.0), Some(0.0)],
                tol: [Some(1e-9); 3],
            });
        }
        Ok(CaseFiles::of(format!("cradle-{}-{}.json", self.balls, self.coming), case))
    }
}

options! {
    "dominoes": "a row of dominoes of which the first is pushed and all fall"
    /// A row of dominoes of which the first is pushed.
    Dominoes {
        /// How many.
        count: u32 = 20,
    }
}

impl Scene for Dominoes {
    const NAMED: &'static [&'static str] = &["count"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("count", self.count, 2, 1000)?;
        const HALF: [Real; 3] = [0.05, 0.5, 0.25];
        const PITCH: Real = 0.5;
        let seconds = 3.0 + 0.2 * Real::from(self.count);
        let mut case = case(format!("{} dominoes", self.count), "the first is pushed", seconds);
        case.add(floor(PITCH * Real::from(self.count) + 5.0));
        for i in 0..self.count {
            let at = [PITCH * Real::from(i), HALF[1] + GAP, 0.0];
            let piece = dynamic(format!("domino-{i:03}"), CaseShape::Box { half_extents: HALF }, at);
            // About its lower right edge, so that its foot stays.
            let spin = if i == 0 { -1.2 } else { 0.0 };
            let arm = Vector::new(-HALF[0], HALF[1], 0.0);
            let velocity = Vector::new(0.0, 0.0, spin).cross(&arm);
            case.add(CaseBody { angular_velocity: [0.0, 0.0, spin], linear_velocity: velocity.into(), ..piece });
        }
        case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
        let fallen = 0.3 * HALF[1];
        case.must(Rule::ComPosition {
            bodies: (0..self.count).map(|i| format!("domino-{i:03}")).collect(),
            t: seconds,
            expected: [None, Some(fallen), None],
            tol: [None, Some(fallen), None],
        });
        Ok(CaseFiles::of(format!("dominoes-{}.json", self.count), case))
    }
}

options! {
    "turntable": "a box on a turning table, carried if friction can and lost if not"
    /// A turning table with a box on it, which friction carries if it can. Next to the speed at which it just can nothing is said of it.
    Turntable {
        /// The table's turning, rad/s.
        speed: Real = 1.8,
        /// Coulomb's μ.
        friction: Real = 0.5,
    }
}

impl Scene for Turntable {
    const NAMED: &'static [&'static str] = &["speed"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        const RADIUS: Real = 1.0;
        const SECONDS: Real = 5.0;
        check_between::<Self>("speed", self.speed, 0.0, 20.0)?;
        check_between::<Self>("friction", self.friction, 0.0, 2.0)?;
        let mut case: Case = case(format!("turntable at {} rad/s", self.speed), "a box 1 m from the axis", SECONDS);
        case.world.friction = self.friction;
        let table = CaseBody::new("table", BodyKind::Kinematic, CaseShape::Cylinder { radius: 2.0, half_height: 0.1 });
        let spin = [0.0, self.speed, 0.0];
        case.add(CaseBody { position: [0.0, -0.1, 0.0], angular_velocity: spin, ..table });
        let rider = dynamic("rider", CaseShape::Box { half_extents: [0.1; 3] }, [RADIUS, 0.1 + GAP, 0.0]);
        // It starts with the table.
        let velocity = Vector::from(spin).cross(&Vector::new(RADIUS, 0.0, 0.0));
        case.add(CaseBody { linear_velocity: velocity.into(), angular_velocity: spin, ..rider });
        let (asked, at_most) = (self.speed * self.speed * RADIUS, self.friction * G);
        let (a, b) = ("table".to_owned(), "rider".to_owned());
        let height = 0.2 + GAP;
        let away = |radius: Real| radius.hypot(height);
        if asked <= 0.98 * at_most {
            case.must(Rule::OriginDistanceBounded(DistanceBounds {
                a,
                b,
                min: Some(away(RADIUS - 0.01)),
                max: Some(away(RADIUS + 0.01)),
            }));
        } else if asked >= 1.05 * at_most {
            // It has fallen off the table by then.
            case.must(Rule::SideOfPlane {
                bodies: vec![b],
                point: [0.0, -0.2, 0.0],
                normal: [0.0, -1.0, 0.0],
                measure: Measure::Com,
                min: 0.0,
                within: None,
                within_t: Some([SECONDS - 0.1, SECONDS]),
            });
        }
        Ok(CaseFiles::of(format!("turntable-{}.json", self.speed), case))
    }
}
