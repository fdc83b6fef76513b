//! Things that fall in a heap.

use ccd_core::io::case::{Case, CaseBody, CaseShape};
use ccd_core::io::expect::{Axis, Rule};
use ccd_core::math::Real;

use super::parts::{Compose, Dice, case, cube, dynamic, hull, mesh, names, pit, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::models::{Gear, Icosphere, Model, Ring, Torus};
use crate::options::{check_count, options};

/// How long things fall and come to rest, seconds.
const SECONDS: Real = 10.0;
/// Bodies of a pit before the first that falls: its floor and walls.
const PIT_BODIES: usize = 5;

/// States what must hold of things that fall into a pit: they stay in it, and their energy only goes.
fn settle(case: &mut Case, inner: Real) {
    let bodies = names(&case.bodies[PIT_BODIES..]);
    let within = |axis, min, max| Rule::PositionBound { bodies: bodies.clone(), axis: Axis::Index(axis), min, max };
    case.must(within(1, Some(0.0), None));
    case.should(within(0, Some(-inner), Some(inner)));
    case.should(within(2, Some(-inner), Some(inner)));
    case.must(Rule::EnergyNonincreasing { rel_tol: 1e-3 });
}

/// Places in a column of square layers over a pit, from the bottom up: `side` × `side` a layer, `pitch` metres apart.
fn places(count: u32, side: u32, pitch: Real, bottom: Real) -> impl Iterator<Item = [Real; 3]> {
    (0..count).map(move |i| {
        let along = |k: u32| pitch * (Real::from(k) - 0.5 * Real::from(side - 1));
        [along(i % side), bottom + pitch * Real::from(i / (side * side)), along(i / side % side)]
    })
}

options! {
    "heap": "half-metre boxes that fall into a pit"
    /// Half-metre boxes that fall into a pit, each turned a little its own way.
    Heap {
        /// How many boxes.
        count: u32 = 2000,
    }
}

impl Scene for Heap {
    const NAMED: &'static [&'static str] = &["count"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("count", self.count, 1, 100_000)?;
        // A box of half a metre turned any way fits into a cell of 0.87 m.
        const PITCH: Real = 0.9;
        let side = (Real::from(self.count).sqrt() / 4.0).ceil().max(2.0) as u32;
        let inner = 0.5 * PITCH * Real::from(side) + 0.5;
        let mut case = case(format!("heap of {}", self.count), "half-metre boxes in a pit", SECONDS);
        // As deep as the boxes are piled high at first: none falls over the rim.
        let layers = self.count.div_ceil(side * side);
        case.bodies = pit(inner, PITCH * Real::from(layers) + 0.6);
        let mut dice = Dice::new(1);
        for (i, place) in places(self.count, side, PITCH, 0.6).enumerate() {
            case.add(CaseBody {
                rotation: quaternion(&dice.rotation(1.0)),
                ..dynamic(format!("box-{i:04}"), cube(0.5), place)
            });
        }
        settle(&mut case, inner);
        Ok(CaseFiles::of(format!("heap-{}.json", self.count), case))
    }
}

options! {
    "rings": "rings of 500 triangles, true meshes, that fall into a pit"
    /// Rings, true meshes of 500 triangles, that fall into a pit.
    RingPile {
        /// How many rings.
        count: u32 = 200,
    }
}

impl Scene for RingPile {
    const NAMED: &'static [&'static str] = &["count"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("count", self.count, 1, 10_000)?;
        // A ring turned any way fits into a cell of 1.1 m.
        const PITCH: Real = 1.15;
        const FILE: &str = "ring.obj";
        let side = (Real::from(self.count).sqrt() / 3.0).ceil().max(2.0) as u32;
        let inner = 0.5 * PITCH * Real::from(side) + 0.2;
        let mut case = case(format!("{} rings", self.count), "rings of 500 triangles in a pit", SECONDS);
        case.bodies = pit(inner, 6.0);
        let mut dice = Dice::new(2);
        for (i, place) in places(self.count, side, PITCH, 0.7).enumerate() {
            case.add(CaseBody {
                rotation: quaternion(&dice.rotation(1.5)),
                ..dynamic(format!("ring-{i:03}"), mesh(FILE), place)
            });
        }
        settle(&mut case, inner);
        let files = CaseFiles::of(format!("rings-{}.json", self.count), case);
        Ok(files.with_model(FILE, Ring::default().build()?))
    }
}

options! {
    "falling-shapes": "boxes, round shapes, hulls and meshes that fall into a pit"
    /// One of every kind of shape, again and again, that fall into a pit.
    FallingShapes {
        /// How many bodies.
        count: u32 = 40,
    }
}

impl Scene for FallingShapes {
    const NAMED: &'static [&'static str] = &["count"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("count", self.count, 1, 10_000)?;
        const PITCH: Real = 1.4;
        let (gear, torus, ball) = ("gear.obj", "small-torus.obj", "small-sphere.obj");
        let small_torus = Torus { major_radius: 0.35, minor_radius: 0.12, major_segments: 24, minor_segments: 12 };
        let small_ball = Icosphere { radius: 0.4, subdivisions: 1 };
        // All within a ball of 0.65 m, so that neighbours start apart however they are turned.
        let shapes = [
            ("box", CaseShape::Box { half_extents: [0.4, 0.25, 0.3] }),
            ("gear", mesh(gear)),
            ("sphere", CaseShape::Sphere { radius: 0.35 }),
            ("torus", mesh(torus)),
            ("capsule", CaseShape::Capsule { radius: 0.2, half_height: 0.3 }),
            ("hull", hull(ball)),
            ("cylinder", CaseShape::Cylinder { radius: 0.3, half_height: 0.35 }),
            ("cone", CaseShape::Cone { radius: 0.35, half_height: 0.4 }),
        ];
        let side = (Real::from(self.count).cbrt() * 1.2).ceil().max(2.0) as u32;
        let inner = 0.5 * PITCH * Real::from(side) + 0.2;
        let mut case = case(format!("{} falling shapes", self.count), "every kind of shape in a pit", SECONDS);
        case.bodies = pit(inner, 4.0);
        let mut dice = Dice::new(3);
        for (i, place) in places(self.count, side, PITCH, 0.8).enumerate() {
            let (kind, shape) = &shapes[i % shapes.len()];
            case.add(CaseBody {
                rotation: quaternion(&dice.rotation(2.0)),
                angular_velocity: [dice.roll(), dice.roll(), dice.roll()],
                ..dynamic(format!("{kind}-{i:02}"), shape.clone(), place)
            });
        }
        settle(&mut case, inner);
        let files = CaseFiles::of(format!("falling-shapes-{}.json", self.count), case)
            .with_model(gear, Gear::default().build()?)
            .with_model(torus, small_torus.build()?);
        Ok(files.with_model(ball, small_ball.build()?))
    }
}
