//! The built-in scenes: generated cases, and how each is best watched.

use bevy::prelude::Vec3;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::case::{Case, CaseBody, CaseShape, CaseWorld, Kind};
use ccd_core::math::{Real, Rotation, Vector};
use ccd_scenes::cases::{
    Bullets, CaseFiles, Chain, FallingShapes, Heap, MassRatio, Pyramid, RingPile, Rod, Scene, Tower,
};
use ccd_scenes::models::{Gear, Model};

use crate::camera::View;

/// A case with the models it names, and how to watch it.
#[derive(Debug)]
pub struct Play {
    /// The case.
    pub case: Case,
    /// The models by file name.
    pub models: Vec<(String, TriMesh)>,
    /// Simulated seconds per second of watching.
    pub rate: f64,
    /// From where to look; `None` to fit all that moves.
    pub view: Option<View>,
    /// The part of time that is worth watching, seconds.
    pub window: Option<(f64, f64)>,
}

/// A built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// Its name in the list and on the command line.
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    /// Makes it.
    pub make: fn() -> Result<Play, Failure>,
}

/// Why a scene could not be made.
pub type Failure = Box<dyn std::error::Error>;

/// How fast shots are watched: a millisecond a second.
pub const SHOT_RATE: f64 = 1e-3;

/// The built-in scenes, in the order of the list.
pub const MADE: [Made; 13] = [
    Made { name: "bullets", about: "100 bullets at 1000 m/s and a thin warped sheet with a hole", make: bullets },
    Made { name: "bullets-rifled", about: "the same, each bullet spinning as out of a rifle", make: rifled },
    Made {
        name: "falling-shapes",
        about: "boxes, round shapes, hulls and meshes fall into a pit",
        make: falling_shapes,
    },
    Made { name: "spinning-rod", about: "a rod at 100 rad/s past a thin post within one step", make: rod },
    Made { name: "tower", about: "twenty boxes on each other", make: tower },
    Made { name: "pyramid", about: "a wall of boxes, one fewer in each row", make: pyramid },
    Made { name: "mass-ratio", about: "a box a thousand times heavier on five light ones", make: mass_ratio },
    Made { name: "gears", about: "a driven gear turns another", make: gears },
    Made { name: "chain", about: "interlocked rings, true meshes, hang and swing", make: chain },
    Made { name: "rings", about: "forty rings, true meshes, fall into a pit", make: rings },
    Made { name: "heap", about: "three hundred boxes fall into a pit", make: heap },
    Made { name: "cannon", about: "a heavy ball at 300 m/s into a wall of boxes", make: cannon },
    Made {
        name: "bullets-100ms",
        about: "the bullets from 10 m away, in true size, in steps of 0.1 s",
        make: bullets_100ms,
    },
];

/// The case called `file` of what a builder made, watched at `rate`.
fn play(files: CaseFiles, file: Option<&str>, rate: f64) -> Result<Play, Failure> {
    let CaseFiles { models, cases, .. } = files;
    let case = cases
        .into_iter()
        .find(|(name, _)| file.is_none_or(|file| name == file))
        .map(|(_, case)| case)
        .ok_or("the builder makes no such case")?;
    Ok(Play { case, models, rate, view: None, window: None })
}

fn bullets() -> Result<Play, Failure> {
    shooting("bullets-dt16ms.json")
}

fn rifled() -> Result<Play, Failure> {
    shooting("bullets-dt16ms-rifled.json")
}

/// The papers' example, made to be seen: the bullets are larger than life and start near the sheet, in depth as a flock,
/// so that no two hit at the same instant.
fn shooting(file: &str) -> Result<Play, Failure> {
    const LARGER: Real = 3.6;
    let mut play = play(Bullets::default().build()?, Some(file), SHOT_RATE)?;
    for (index, body) in play.case.bodies.iter_mut().filter(|body| body.kind == Kind::Dynamic).enumerate() {
        if let CaseShape::Convex { scale, .. } | CaseShape::Mesh { scale, .. } = &mut body.shape {
            *scale = [LARGER; 3];
        }
        body.position[0] = -0.75 - 0.7 * (index as Real * 0.618_033_988_749_895).fract();
    }
    play.view = Some(View { focus: Vec3::new(-0.3, -0.05, 0.0), distance: 4.3, yaw: -0.92, pitch: 0.22 });
    play.window = Some((0.0, 0.005));
    Ok(play)
}

fn bullets_100ms() -> Result<Play, Failure> {
    let mut play = play(Bullets::default().build()?, Some("bullets-dt100ms.json"), 2.0 * SHOT_RATE)?;
    play.view = Some(View { focus: Vec3::new(-0.3, 0.0, 0.0), distance: 3.8, yaw: -0.92, pitch: 0.22 });
    play.window = Some((0.0, 0.015));
    Ok(play)
}

fn falling_shapes() -> Result<Play, Failure> {
    let mut play = play(FallingShapes::default().build()?, None, 1.0)?;
    play.view = Some(View { focus: Vec3::new(0.0, 1.2, 0.0), distance: 13.0, yaw: 0.5, pitch: 0.62 });
    Ok(play)
}

fn rod() -> Result<Play, Failure> {
    let mut play = play(Rod::default().build()?, None, 2e-3)?;
    play.view = Some(View { focus: Vec3::new(0.2, 0.0, -0.1), distance: 3.4, yaw: 0.35, pitch: 0.75 });
    play.window = Some((0.0, 1.0 / 60.0));
    Ok(play)
}

fn tower() -> Result<Play, Failure> {
    play(Tower { height: 20 }.build()?, None, 1.0)
}

fn pyramid() -> Result<Play, Failure> {
    let mut play = play(Pyramid { base: 14 }.build()?, None, 1.0)?;
    play.view = Some(View { focus: Vec3::new(0.0, 6.0, 0.0), distance: 30.0, yaw: 0.4, pitch: 0.2 });
    Ok(play)
}

fn mass_ratio() -> Result<Play, Failure> {
    play(MassRatio::default().build()?, None, 1.0)
}

fn chain() -> Result<Play, Failure> {
    play(Chain::default().build()?, None, 1.0)
}

fn rings() -> Result<Play, Failure> {
    play(RingPile { count: 40 }.build()?, None, 1.0)
}

fn heap() -> Result<Play, Failure> {
    play(Heap { count: 300 }.build()?, None, 1.0)
}

fn empty(name: &str, notes: &str, dt: Real) -> Case {
    let world = CaseWorld::new(dt, (10.0 / dt) as u32);
    Case { name: name.into(), source: None, notes: Some(notes.into()), world, bodies: Vec::new(), expect: Vec::new() }
}

fn turned(rotation: Rotation) -> [Real; 4] {
    let q = rotation.coords;
    [q.x, q.y, q.z, q.w]
}

fn gears() -> Result<Play, Failure> {
    const FILE: &str = "gear.obj";
    let gear = Gear { teeth: 16, outer_radius: 1.0, root_radius: 0.8, bore_radius: 0.25, thickness: 0.3 };
    let shape = CaseShape::Mesh { file: FILE.into(), scale: [1.0; 3] };
    let upright = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
    let mut case = empty("gears", "a driven gear turns another", 1.0 / 120.0);
    case.world.gravity = [0.0; 3];
    case.bodies.push(CaseBody {
        position: [-0.95, 1.4, 0.0],
        rotation: turned(upright),
        angular_velocity: [0.0, 0.0, 2.0],
        ..CaseBody::new("driver", Kind::Kinematic, shape.clone())
    });
    let mut driven = CaseBody {
        position: [0.95, 1.4, 0.0],
        // The first tooth begins on the x axis, so that side by side each stands in a gap of the other.
        rotation: turned(upright),
        friction: Some(0.1),
        ..CaseBody::new("driven", Kind::Dynamic, shape)
    };
    driven.locked_dof.translation = [true; 3];
    driven.locked_dof.rotation = [true, true, false];
    case.bodies.push(driven);
    let view = View { focus: Vec3::new(0.0, 1.3, 0.0), distance: 6.5, yaw: 0.3, pitch: 0.2 };
    Ok(Play { case, models: vec![(FILE.into(), gear.build()?)], rate: 1.0, view: Some(view), window: None })
}

fn cannon() -> Result<Play, Failure> {
    let mut case = empty("cannon", "a heavy ball at 300 m/s into a wall of boxes", 1.0 / 60.0);
    let floor = CaseShape::Box { half_extents: [12.0, 0.25, 12.0] };
    case.bodies.push(CaseBody { position: [0.0, -0.25, 0.0], ..CaseBody::new("floor", Kind::Static, floor) });
    // A hair's breadth apart, as bodies rest.
    const GAP: Real = 1e-5;
    for row in 0..6u32 {
        for column in 0..6u32 {
            let height = 0.25 + (0.5 + GAP) * Real::from(row) + GAP;
            let side = (Real::from(column) - 2.5) * 0.501;
            let stone = CaseShape::Box { half_extents: [0.25; 3] };
            case.bodies.push(CaseBody {
                position: [0.0, height, side],
                ..CaseBody::new(format!("stone-{row}-{column}"), Kind::Dynamic, stone)
            });
        }
    }
    case.bodies.push(CaseBody {
        position: [-4.0, 1.6, 0.1],
        linear_velocity: [300.0, 0.0, 0.0],
        density: Some(7_800.0),
        ..CaseBody::new("ball", Kind::Dynamic, CaseShape::Sphere { radius: 0.3 })
    });
    let view = View { focus: Vec3::new(0.0, 1.2, 0.0), distance: 10.5, yaw: 0.35, pitch: 0.28 };
    Ok(Play { case, models: Vec::new(), rate: 0.02, view: Some(view), window: None })
}
