//! The built-in scenes: generated cases, and how each is best watched.

use bevy::prelude::Vec3;
use ccd_core::dynamics::BodyKind;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::parametric::PatchSurface;
use ccd_core::io::case::{Case, CaseBody, CaseShape, CaseWorld, ShapeCache, build_world_with};
use ccd_core::math::{Real, Rotation, Vector};
use ccd_core::world::World as ContactWorld;
use ccd_scenes::cases::{
    ALL, Bullets, CaseFiles, Chain, FallingShapes, Heap, MassRatio, Pyramid, RingPile, Rod, Scene, SceneEntry, Tower,
};
use ccd_scenes::models::{Gear, Model};

use super::extent::{box_of, extent_of};
use super::stated::Stated;
use super::{lab, solids};
use crate::camera::View;
use crate::overlays::Overlay;

/// A world to play, and how to watch it.
#[derive(Debug)]
pub struct Play {
    /// The world at time zero.
    pub world: ContactWorld,
    /// What was stated of it.
    pub stated: Stated,
    /// Simulated seconds per second of watching.
    pub rate: f64,
    /// From where to look; `None` to fit all that moves.
    pub view: Option<View>,
    /// The part of time that is worth watching, seconds.
    pub window: Option<(f64, f64)>,
    /// The pair to look into, as places in the list of bodies.
    pub pair: Option<(usize, usize)>,
    /// Overlays to open with.
    pub show: Vec<Overlay>,
}

/// A case with the models it names, and how to watch it.
#[derive(Debug)]
struct Draft {
    case: Case,
    models: Vec<(String, TriMesh)>,
    patches: Vec<(String, PatchSurface)>,
    rate: f64,
    view: Option<View>,
    window: Option<(f64, f64)>,
}

impl Draft {
    /// Builds the world of the case.
    fn play(self) -> Result<Play, Failure> {
        let mut shapes = ShapeCache::new("");
        for (file, mesh) in self.models {
            shapes.insert_mesh(&file, mesh);
        }
        for (file, surface) in self.patches {
            shapes.insert_patches(&file, surface);
        }
        let (world, _) = build_world_with(&self.case, &mut shapes)?;
        Ok(Play {
            world,
            stated: Stated::of(&self.case),
            rate: self.rate,
            view: self.view,
            window: self.window,
            pair: None,
            show: Vec::new(),
        })
    }
}

/// A built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// Its name in the list and on the command line.
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    make: Make,
}

#[derive(Clone, Copy, Debug)]
enum Make {
    /// With a view and a rate of its own.
    Own(fn() -> Result<Play, Failure>),
    /// As the builder has it.
    Built(SceneEntry),
}

impl Made {
    pub(super) const fn own(name: &'static str, about: &'static str, make: fn() -> Result<Play, Failure>) -> Self {
        Self { name, about, make: Make::Own(make) }
    }

    /// Makes it.
    ///
    /// # Errors
    /// What the builder says.
    pub fn make(&self) -> Result<Play, Failure> {
        match self.make {
            Make::Own(make) => make(),
            Make::Built(entry) => draft(entry.make(&[])?, None, 1.0)?.play(),
        }
    }
}

/// Why a scene could not be made.
pub type Failure = Box<dyn std::error::Error>;

/// How fast shots are watched: a millisecond a second.
pub const SHOT_RATE: f64 = 1e-3;

/// The scenes with a view of their own, in the order of the list.
const OWN: [Made; 13] = [
    Made::own("bullets", "100 bullets at 1000 m/s and a thin warped sheet with a hole", bullets),
    Made::own("bullets-rifled", "the same, each bullet spinning as out of a rifle", rifled),
    Made::own("falling-shapes", "boxes, round shapes, hulls and meshes fall into a pit", falling_shapes),
    Made::own("spinning-rod", "a rod at 100 rad/s past a thin post within one step", rod),
    Made::own("tower", "twenty boxes on each other", tower),
    Made::own("pyramid", "a wall of boxes, one fewer in each row", pyramid),
    Made::own("mass-ratio", "a box a thousand times heavier on five light ones", mass_ratio),
    Made::own("gears", "a driven gear turns another", gears),
    Made::own("chain", "interlocked rings, true meshes, hang and swing", chain),
    Made::own("rings", "forty rings, true meshes, fall into a pit", rings),
    Made::own("heap", "three hundred boxes fall into a pit", heap),
    Made::own("cannon", "a heavy ball at 300 m/s into a wall of boxes", cannon),
    Made::own("bullets-100ms", "the bullets from 10 m away, in true size, in steps of 0.1 s", bullets_100ms),
];

/// A builder whose scene is in the list under another name.
const RENAMED: [(&str, &str); 1] = [("rod", "spinning-rod")];

/// All built-in scenes, in the order of the list: those with a view of their own, every other builder's, one for each
/// kind of solid, and those made to look into a pair.
pub fn made() -> Vec<Made> {
    let mut all = OWN.to_vec();
    let listed =
        |name: &str| OWN.iter().any(|made| made.name == name) || RENAMED.iter().any(|(builder, _)| *builder == name);
    let others = ALL.into_iter().filter(|entry| !listed(entry.name));
    all.extend(others.map(|entry| Made { name: entry.name, about: entry.about, make: Make::Built(entry) }));
    all.extend(solids::SCENES);
    all.extend(lab::SCENES);
    all
}

/// The case called `file` of what a builder made, the first without one, watched at `rate`.
fn draft(files: CaseFiles, file: Option<&str>, rate: f64) -> Result<Draft, Failure> {
    let CaseFiles { models, patches, cases } = files;
    let case = cases
        .into_iter()
        .find(|(name, _)| file.is_none_or(|file| name == file))
        .map(|(_, case)| case)
        .ok_or("the builder makes no such case")?;
    Ok(Draft { case, models, patches, rate, view: None, window: None })
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
    let mut play = draft(Bullets::default().build()?, Some(file), SHOT_RATE)?;
    for (index, body) in play.case.bodies.iter_mut().filter(|body| body.kind == BodyKind::Dynamic).enumerate() {
        if let CaseShape::Convex { scale, .. } | CaseShape::Mesh { scale, .. } = &mut body.shape {
            *scale = [LARGER; 3];
        }
        body.position[0] = -0.75 - 0.7 * (index as Real * 0.618_033_988_749_895).fract();
    }
    play.view = Some(View { focus: Vec3::new(-0.3, -0.05, 0.0), distance: 4.3, yaw: -0.92, pitch: 0.22 });
    play.window = Some((0.0, 0.005));
    play.play()
}

fn bullets_100ms() -> Result<Play, Failure> {
    let mut play = draft(Bullets::default().build()?, Some("bullets-dt100ms.json"), 2.0 * SHOT_RATE)?;
    play.view = Some(View { focus: Vec3::new(-0.3, 0.0, 0.0), distance: 3.8, yaw: -0.92, pitch: 0.22 });
    play.window = Some((0.0, 0.015));
    play.play()
}

fn falling_shapes() -> Result<Play, Failure> {
    let mut play = draft(FallingShapes::default().build()?, None, 1.0)?;
    // Over the walls of the pit.
    play.view = Some(View { focus: Vec3::new(0.0, 0.8, 0.0), distance: 16.5, yaw: 0.3, pitch: 0.95 });
    play.play()
}

fn rod() -> Result<Play, Failure> {
    let mut play = draft(Rod::default().build()?, None, 2e-3)?;
    play.view = Some(View { focus: Vec3::new(0.2, 0.0, -0.1), distance: 3.4, yaw: 0.35, pitch: 0.75 });
    play.window = Some((0.0, 1.0 / 60.0));
    play.play()
}

fn tower() -> Result<Play, Failure> {
    draft(Tower { height: 20 }.build()?, None, 1.0)?.play()
}

fn pyramid() -> Result<Play, Failure> {
    let mut play = draft(Pyramid { base: 14 }.build()?, None, 1.0)?;
    play.view = Some(View { focus: Vec3::new(0.0, 6.0, 0.0), distance: 30.0, yaw: 0.4, pitch: 0.2 });
    play.play()
}

fn mass_ratio() -> Result<Play, Failure> {
    draft(MassRatio::default().build()?, None, 1.0)?.play()
}

fn chain() -> Result<Play, Failure> {
    draft(Chain::default().build()?, None, 1.0)?.play()
}

fn rings() -> Result<Play, Failure> {
    draft(RingPile { count: 40 }.build()?, None, 1.0)?.play().map(seen_from_above)
}

fn heap() -> Result<Play, Failure> {
    draft(Heap { count: 300 }.build()?, None, 1.0)?.play().map(seen_from_above)
}

/// Over the walls of a pit, so near that its rim fills the picture.
fn seen_from_above(play: Play) -> Play {
    let focus = extent_of(&play.world).centre;
    let pit = box_of(&play.world, false);
    let (rise, half) = (pit.max.y as f32 - focus.y, pit.half_extents());
    let distance = rise + 3.2 * half.x.max(half.z) as f32;
    Play { view: Some(View { focus, distance, yaw: 0.12, pitch: 1.25 }), ..play }
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
        ..CaseBody::new("driver", BodyKind::Kinematic, shape.clone())
    });
    let mut driven = CaseBody {
        position: [0.95, 1.4, 0.0],
        // The first tooth begins on the x axis, so that side by side each stands in a gap of the other.
        rotation: turned(upright),
        friction: Some(0.1),
        ..CaseBody::new("driven", BodyKind::Dynamic, shape)
    };
    driven.locked_dof.translation = [true; 3];
    driven.locked_dof.rotation = [true, true, false];
    case.bodies.push(driven);
    let view = View { focus: Vec3::new(0.0, 1.3, 0.0), distance: 6.5, yaw: 0.3, pitch: 0.2 };
    let models = vec![(FILE.into(), gear.build()?)];
    Draft { case, models, patches: Vec::new(), rate: 1.0, view: Some(view), window: None }.play()
}

fn cannon() -> Result<Play, Failure> {
    let mut case = empty("cannon", "a heavy ball at 300 m/s into a wall of boxes", 1.0 / 60.0);
    let floor = CaseShape::Box { half_extents: [12.0, 0.25, 12.0] };
    case.bodies.push(CaseBody { position: [0.0, -0.25, 0.0], ..CaseBody::new("floor", BodyKind::Static, floor) });
    // A hair's breadth apart, as bodies rest.
    const GAP: Real = 1e-5;
    for row in 0..6u32 {
        for column in 0..6u32 {
            let height = 0.25 + (0.5 + GAP) * Real::from(row) + GAP;
            let side = (Real::from(column) - 2.5) * 0.501;
            let stone = CaseShape::Box { half_extents: [0.25; 3] };
            case.bodies.push(CaseBody {
                position: [0.0, height, side],
                ..CaseBody::new(format!("stone-{row}-{column}"), BodyKind::Dynamic, stone)
            });
        }
    }
    case.bodies.push(CaseBody {
        position: [-4.0, 1.6, 0.1],
        linear_velocity: [300.0, 0.0, 0.0],
        density: Some(7_800.0),
        ..CaseBody::new("ball", BodyKind::Dynamic, CaseShape::Sphere { radius: 0.3 })
    });
    let view = View { focus: Vec3::new(0.0, 1.2, 0.0), distance: 10.5, yaw: 0.35, pitch: 0.28 };
    Draft { case, models: Vec::new(), patches: Vec::new(), rate: 0.02, view: Some(view), window: None }.play()
}
