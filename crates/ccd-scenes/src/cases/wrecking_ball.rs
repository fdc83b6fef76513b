//! A heavy ball on a chain against a wall.

use ccd_core::io::case::{CaseBody, CaseShape, PlacedShape};
use ccd_core::io::expect::Rule;
use ccd_core::math::{Point, Real, Rotation, Vector};

use super::chain::{RING_FILE, lies, links, pitch, stay_linked};
use super::parts::{Compose, G, GAP, case, cube, dynamic, floor, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::models::{Model, Ring};
use crate::options::{check_between, check_count, options};

options! {
    "wrecking-ball": "a ball of 11 t on a chain of interlocked rings that swings into a wall of boxes"
    /// A ball of eleven tonnes, fixed to the last ring of a chain of true interlocked meshes; held aside and let go, it
    /// swings into a wall of boxes.
    WreckingBall {
        /// How many rings, with the fixed one and the one that the ball is fixed to.
        links: u32 = 8,
        /// From hanging at the start, degrees.
        angle: Real = 60.0,
        /// Boxes of the wall, along and up.
        wall: u32 = 6,
    }
}

/// Of the ball, metres.
const BALL: Real = 0.7;
/// Steel, kg/m³.
const DENSITY: Real = 7800.0;

impl Scene for WreckingBall {
    const NAMED: &'static [&'static str] = &["links"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("links", self.links, 2, 100)?;
        check_count::<Self>("wall", self.wall, 2, 40)?;
        const BOX: Real = 0.5;
        // Of the ball's lowest point above the floor.
        const CLEAR: Real = 0.5;
        // A quarter of a metre to the wall, and what the chain takes.
        const SWING: Real = 0.6;
        // The ball reaches a little over the wire of the ring that holds it.
        let arm = Ring::default().0.major_radius + BALL;
        let length = pitch() * Real::from(self.links - 1) + arm;
        // What swings by less does not come to the wall.
        let least = (SWING / length).asin().to_degrees();
        check_between::<Self>("angle", self.angle, least, 80.0)?;
        let top = Point::new(0.0, CLEAR + BALL + length, 0.0);
        let swing = Rotation::from_axis_angle(&Vector::z_axis(), -self.angle.to_radians());
        // Half a period of a simple pendulum as long as this: to its lowest point and as long again.
        let seconds = (std::f64::consts::PI * (length / G).sqrt()).ceil();
        let notes = "a chain of true rings, a compound of ball and ring at its end, and a wall";
        let mut case = case(format!("wrecking ball on {} rings", self.links), notes, seconds);
        case.add(floor(30.0));
        let mut rings = links(self.links, top, &swing);
        for ring in &mut rings {
            ring.density = Some(DENSITY);
        }
        let hanging = ball(&rings[rings.len() - 1], self.links - 1, &swing, arm);
        let ball_name = hanging.name.clone();
        case.bodies.extend_from_slice(&rings[..rings.len() - 1]);
        case.add(hanging);
        for row in 0..self.wall {
            for i in 0..self.wall {
                let y = 0.5 * BOX + GAP + (BOX + GAP) * Real::from(row);
                let z = (BOX + 0.01) * (Real::from(i) - 0.5 * Real::from(self.wall - 1));
                case.add(dynamic(format!("box-{row}-{i}"), cube(BOX), [BALL + BOX, y, z]));
            }
        }
        stay_linked(&mut case, &rings);
        let hit = format!("box-{}-{}", self.wall.min(3) - 1, self.wall / 2);
        case.must(Rule::Contact { a: ball_name, b: hit, by: None });
        case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
        let files = CaseFiles::of(format!("wrecking-ball-{}.json", self.links), case);
        Ok(files.with_model(RING_FILE, Ring::default().build()?))
    }
}

/// The ring at a place of the chain with a ball fixed to it, `arm` metres further down.
fn ball(ring: &CaseBody, place: u32, swing: &Rotation, arm: Real) -> CaseBody {
    let part = |shape: CaseShape, down: Real, turn: &Rotation| PlacedShape {
        shape,
        position: [0.0, -down, 0.0],
        rotation: quaternion(turn),
    };
    let eye = part(ring.shape.clone(), 0.0, &lies(place));
    let ball = part(CaseShape::Sphere { radius: BALL }, arm, &Rotation::identity());
    CaseBody { shape: CaseShape::Compound { of: vec![eye, ball] }, rotation: quaternion(swing), ..ring.clone() }
}
