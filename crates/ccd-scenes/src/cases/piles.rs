//! Things that fall in a heap.

use ccd_core::io::case::{Case, CaseBody, CaseShape};
use ccd_core::io::expect::{Axis, Expectation, Rule};
use ccd_core::math::Real;

use super::parts::{Dice, always, case, cube, dynamic, hull, mesh, pit, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::models::{Gear, Icosphere, Model, Ring, Torus};
use crate::options::{Field, Options, check_count};

/// How long things fall and come to rest, seconds.
const SECONDS: Real = 10.0;
/// Bodies of a pit before the first that falls: its floor and walls.
const PIT_BODIES: usize = 5;

/// What must hold of things that fall into a pit: they stay in it, and their energy only goes.
fn settle(case: &Case, inner: Real) -> Vec<Expectation> {
    let names: Vec<String> = case.bodies.iter().skip(PIT_BODIES).map(|b| b.name.clone()).collect();
    let mut expect = always();
    expect.push(Expectation::must(Rule::PositionBound {
        bodies: names.clone(),
        axis: Axis::Index(1),
        min: Some(0.0),
        max: None,
    }));
    for axis in [0, 2] {
        expect.push(Expectation::should(Rule::PositionBound {
            bodies: names.clone(),
            axis: Axis::Index(axis),
            min: Some(-inner),
            max: Some(inner),
        }));
    }
    expect.push(Expectation::should(Rule::EnergyNonincreasing { rel_tol: 1e-3 }));
    expect
}

/// Places in a column of square layers over a pit, from the bottom up: `side` × `side` a layer, `pitch` metres apart.
fn places(count: u32, side: u32, pitch: Real, bottom: Real) -> impl Iterator<Item = [Real; 3]> {
    (0..count).map(move |i| {
        let along = |k: u32| pitch * (Real::from(k) - 0.5 * Real::from(side - 1));
        [along(i % side), bottom + pitch * Real::from(i / (side * side)), along(i / side % side)]
    })
}

/// Half-metre boxes that fall into a pit, each turned a little its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heap {
    /// How many boxes.
    pub count: u32,
}

impl Default for Heap {
    fn default() -> Self {
        Self { count: 2000 }
    }
}

impl Options for Heap {
    const NAME: &'static str = "heap";
    const ABOUT: &'static str = "half-metre boxes that fall into a pit";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        vec![("count", Field::Count(&mut self.count))]
    }
}

impl Scene for Heap {
    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_count::<Self>("count", self.count, 1, 100_000)?;
        // A box of half a metre turned any way fits into a cell of 0.87 m.
        const PITCH: Real = 0.9;
        let side = (Real::from(self.count).sqrt() / 4.0).ceil().max(2.0) as u32;
        let inner = 0.5 * PITCH * Real::from(side) + 0.5;
        let mut case = case(format!("heap of {}", self.count), "half-metre boxes in a pit", SECONDS);
        case.bodies = pit(inner, inner.max(4.0));
        let mut dice = Dice::new(1);
        for (i, place) in places(self.count, side, PITCH, 0.6).enumerate() {
            case.bodies.push(CaseBody {
                rotation: quaternion(&dice.rotation(1.0)),
                ..dynamic(format!("box-{i:04}"), cube(0.5), place)
            });
        }
        case.expect = settle(&case, inner);
        Ok(CaseFiles { cases: vec![(format!("heap-{}.json", self.count), case)], ..CaseFiles::default() })
    }
}

/// Rings, true meshes of 500 triangles, that fall into a pit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingPile {
    /// How many rings.
    pub count: u32,
}

impl Default for RingPile {
    fn default() -> Self {
        Self { count: 200 }
    }
}

impl Options for RingPile {
    const NAME: &'static str = "rings";
    const ABOUT: &'static str = "rings of 500 triangles, true meshes, that fall into a pit";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        vec![("count", Field::Count(&mut self.count))]
    }
}

impl Scene for RingPile {
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
            case.bodies.push(CaseBody {
                rotation: quaternion(&dice.rotation(1.5)),
                ..dynamic(format!("ring-{i:03}"), mesh(FILE), place)
            });
        }
        case.expect = settle(&case, inner);
        Ok(CaseFiles {
            models: vec![(FILE.to_owned(), Ring::default().build()?)],
            cases: vec![(format!("rings-{}.json", self.count), case)],
            ..CaseFiles::default()
        })
    }
}

/// One of every kind of shape, again and again, that fall into a pit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FallingShapes {
    /// How many bodies.
    pub count: u32,
}

impl Default for FallingShapes {
    fn default() -> Self {
        Self { count: 40 }
    }
}

impl Options for FallingShapes {
    const NAME: &'static str = "falling-shapes";
    const ABOUT: &'static str = "boxes, round shapes, hulls and meshes that fall into a pit";

    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)> {
        vec![("count", Field::Count(&mut self.count))]
    }
}

impl Scene for FallingShapes {
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
            case.bodies.push(CaseBody {
                rotation: quaternion(&dice.rotation(2.0)),
                angular_velocity: [dice.roll(), dice.roll(), dice.roll()],
                ..dynamic(format!("{kind}-{i:02}"), shape.clone(), place)
            });
        }
        case.expect = settle(&case, inner);
        Ok(CaseFiles {
            models: vec![
                (gear.to_owned(), Gear::default().build()?),
                (torus.to_owned(), small_torus.build()?),
                (ball.to_owned(), small_ball.build()?),
            ],
            cases: vec![(format!("falling-shapes-{}.json", self.count), case)],
            ..CaseFiles::default()
        })
    }
}
