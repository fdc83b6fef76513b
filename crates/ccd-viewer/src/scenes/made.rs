//! The built-in scenes.

use bevy::prelude::Vec3;
use ccd_core::dynamics::{BodyDefinition, BodyKind, MassSpecification, Material};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};
use ccd_scenes::models::{Bullet, Gear, Model, Ring, Torus, WarpedPlane};

use super::open::Set;
use crate::camera::View;

/// A built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// Its name in the list and on the command line.
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    /// Makes it.
    pub make: fn() -> Result<Set, Failure>,
}

/// Why a scene could not be made: a model, shape or body that the core refuses.
pub type Failure = Box<dyn std::error::Error>;

/// How fast shots are watched: a millisecond a second.
pub const SHOT_RATE: f64 = 1e-3;

/// The built-in scenes, in the order of the list.
pub const MADE: [Made; 8] = [
    Made { name: "bullets", about: "100 bullets at 1000 m/s and a thin warped sheet with a hole", make: bullets },
    Made { name: "bullets-rifled", about: "the same, each bullet spinning about its axis", make: rifled },
    Made { name: "falling-shapes", about: "boxes, balls, cylinders, cones, tori fall on a floor", make: falling_shapes },
    Made { name: "spinning-rod", about: "a thin rod at 200 rad/s past a thin post, one step of 1/60 s at a time", make: spinning_rod },
    Made { name: "tower", about: "ten boxes on each other", make: tower },
    Made { name: "gears", about: "a driven gear turns another", make: gears },
    Made { name: "rings", about: "a chain of interlocked rings hangs and swings", make: rings },
    Made { name: "cannon", about: "a heavy ball at 300 m/s into a wall of boxes", make: cannon },
];

/// Puts bodies into a world and remembers their names.
struct Cast {
    world: World,
    names: Vec<String>,
}

impl Cast {
    fn new(settings: WorldSettings) -> Result<Self, Failure> {
        Ok(Self { world: World::new(settings)?, names: Vec::new() })
    }

    fn add(&mut self, name: impl Into<String>, body: BodyDefinition) -> Result<(), Failure> {
        self.world.add_body(body)?;
        self.names.push(name.into());
        Ok(())
    }

    fn floor(&mut self, half_width: Real) -> Result<(), Failure> {
        let shape = Shape::cuboid([half_width, 0.25, half_width])?;
        self.add("floor", BodyDefinition::new(BodyKind::Static, shape, Pose::translation(0.0, -0.25, 0.0)))
    }

    fn set(self, name: &str, about: &str, step: f64, rate: f64) -> Set {
        let Self { world, names } = self;
        Set { world, names, name: name.into(), about: about.into(), step, rate, view: None, window: None }
    }
}

fn mesh(model: &impl Model) -> Result<TriMesh, Failure> {
    Ok(model.build()?)
}

fn about(name: &str) -> &'static str {
    MADE.iter().find(|made| made.name == name).map_or("", |made| made.about)
}

fn bullets() -> Result<Set, Failure> {
    shooting("bullets", Vector::zeros())
}

fn rifled() -> Result<Set, Failure> {
    // One turn of the barrel's rifling in 0.25 m.
    shooting("bullets-rifled", Vector::new(0.0, 0.0, -25_000.0))
}

/// A square formation of a hundred bullets flies along −z at the sheet, which stands upright across their way.
fn shooting(name: &str, spin: Vector) -> Result<Set, Failure> {
    const SPACING: Real = 0.26;
    let mut cast = Cast::new(WorldSettings::default())?;
    let upright = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
    let sheet = Shape::mesh(mesh(&WarpedPlane::default())?)?;
    let steel = Material { friction: 0.3, restitution: 0.4 };
    let place = |x: Real, y: Real, z: Real, rotation: Rotation| Pose::from_parts(Vector::new(x, y, z).into(), rotation);
    let mut body = BodyDefinition::new(BodyKind::Static, sheet, place(0.0, 0.0, 0.0, upright));
    body.material = steel;
    cast.add("sheet", body)?;

    // Larger than life, so that a hundred of them fill the picture; the triangles are the paper's 640.
    let bullet = Shape::mesh(mesh(&Bullet { length: 0.2, radius: 0.04 })?)?;
    let ahead = Rotation::from_scaled_axis(Vector::x() * -std::f64::consts::FRAC_PI_2);
    for index in 0..100u32 {
        let (column, row) = (Real::from(index % 10) - 4.5, Real::from(index / 10) - 4.5);
        // In depth as a flock: no two hit at the same instant.
        let depth = 1.1 + 0.6 * (Real::from(index) * 0.618_033_988_75).fract();
        let pose = place(column * SPACING, row * SPACING, depth, ahead);
        let mut body = BodyDefinition::new(BodyKind::Dynamic, bullet.clone(), pose);
        body.linear_velocity = Vector::new(0.0, 0.0, -1000.0);
        body.angular_velocity = spin;
        body.material = steel;
        body.mass = MassSpecification::Density(11_340.0);
        cast.add(format!("bullet {}", index + 1), body)?;
    }
    let view = View { focus: Vec3::new(0.0, -0.12, 0.25), distance: 4.9, yaw: 1.02, pitch: 0.26 };
    Ok(Set { view: Some(view), window: Some((0.0, 0.006)), ..cast.set(name, about(name), 1.0 / 60.0, SHOT_RATE) })
}

fn falling_shapes() -> Result<Set, Failure> {
    let mut cast = Cast::new(WorldSettings::default())?;
    cast.floor(8.0)?;
    let torus = Shape::mesh(mesh(&Torus { major_radius: 0.35, minor_radius: 0.13, major_segments: 32, minor_segments: 16 })?)?;
    let shapes = [
        ("box", Shape::cuboid([0.4, 0.25, 0.3])?),
        ("ball", Shape::ball(0.35)?),
        ("cylinder", Shape::cylinder(0.3, 0.35)?),
        ("capsule", Shape::capsule(0.22, 0.3)?),
        ("cone", Shape::cone(0.35, 0.4)?),
        ("torus", torus),
    ];
    for index in 0..30u32 {
        let (name, shape) = &shapes[index as usize % shapes.len()];
        let (column, layer) = (index % 6, index / 6);
        let angle = Real::from(column) * std::f64::consts::TAU / 6.0 + Real::from(layer) * 0.45;
        let place = Vector::new(1.25 * angle.cos(), 1.2 + 1.3 * Real::from(layer), 1.25 * angle.sin());
        let tilt = Rotation::from_scaled_axis(Vector::new(0.7, 0.3, -0.5) * (0.6 + Real::from(index) * 0.37));
        cast.add(
            format!("{name} {}", index / 6 + 1),
            BodyDefinition::new(BodyKind::Dynamic, shape.clone(), Pose::from_parts(place.into(), tilt)),
        )?;
    }
    Ok(cast.set("falling-shapes", about("falling-shapes"), 1.0 / 60.0, 1.0))
}

fn spinning_rod() -> Result<Set, Failure> {
    let mut cast = Cast::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() })?;
    let mut rod = BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([1.0, 0.01, 0.01])?, Pose::translation(0.0, 1.0, 0.0));
    rod.angular_velocity = Vector::new(0.0, 200.0, 0.0);
    rod.material.restitution = 0.5;
    cast.add("rod", rod)?;
    let post = Shape::cylinder(0.01, 1.0)?;
    cast.add("post", BodyDefinition::new(BodyKind::Static, post, Pose::translation(0.45, 1.0, -0.75)))?;
    Ok(cast.set("spinning-rod", about("spinning-rod"), 1.0 / 60.0, 5e-3))
}

fn tower() -> Result<Set, Failure> {
    let mut cast = Cast::new(WorldSettings::default())?;
    cast.floor(8.0)?;
    let unit = Shape::cuboid([0.5; 3])?;
    for floor in 0..10u32 {
        // A hair's breadth apart, as bodies rest.
        let height = 0.5 + Real::from(floor) + 1e-5 * Real::from(floor + 1);
        cast.add(
            format!("box {}", floor + 1),
            BodyDefinition::new(BodyKind::Dynamic, unit.clone(), Pose::translation(0.0, height, 0.0)),
        )?;
    }
    Ok(cast.set("tower", about("tower"), 1.0 / 60.0, 1.0))
}

fn gears() -> Result<Set, Failure> {
    let mut cast = Cast::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() })?;
    let gear = Gear { teeth: 16, outer_radius: 1.0, root_radius: 0.8, bore_radius: 0.25, thickness: 0.3 };
    let shape = Shape::mesh(mesh(&gear)?)?;
    let upright = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
    let mut driver =
        BodyDefinition::new(BodyKind::Kinematic, shape.clone(), Pose::from_parts(Vector::new(-0.95, 1.4, 0.0).into(), upright));
    driver.angular_velocity = Vector::new(0.0, 0.0, 2.0);
    cast.add("driver", driver)?;
    // Turned so that a tooth stands in a gap of the driver.
    let teeth = Real::from(gear.teeth);
    let meshed = upright * Rotation::from_scaled_axis(Vector::y() * (std::f64::consts::PI / teeth));
    let mut driven = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::from_parts(Vector::new(0.95, 1.4, 0.0).into(), meshed));
    driven.locked.translation = [true; 3];
    driven.locked.rotation = [true, true, false];
    driven.material.friction = 0.1;
    cast.add("driven", driven)?;
    Ok(cast.set("gears", about("gears"), 1.0 / 120.0, 1.0))
}

fn rings() -> Result<Set, Failure> {
    let mut cast = Cast::new(WorldSettings::default())?;
    let ring = Shape::mesh(mesh(&Ring::default())?)?;
    let standing = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
    let across = Rotation::from_scaled_axis(Vector::z() * std::f64::consts::FRAC_PI_2);
    for link in 0..10u32 {
        let (kind, name) = if link == 0 { (BodyKind::Static, "anchor".into()) } else { (BodyKind::Dynamic, format!("ring {link}")) };
        let place = Vector::new(0.0, 8.5 - 0.8 * Real::from(link), 0.0);
        let rotation = if link % 2 == 0 { standing } else { across };
        let mut body = BodyDefinition::new(kind, ring.clone(), Pose::from_parts(place.into(), rotation));
        body.linear_velocity = Vector::new(0.35 * Real::from(link), 0.0, 0.0);
        cast.add(name, body)?;
    }
    Ok(cast.set("rings", about("rings"), 1.0 / 120.0, 1.0))
}

fn cannon() -> Result<Set, Failure> {
    let mut cast = Cast::new(WorldSettings::default())?;
    cast.floor(12.0)?;
    let stone = Shape::cuboid([0.25; 3])?;
    for row in 0..6u32 {
        for column in 0..6u32 {
            let height = 0.25 + 0.5 * Real::from(row) + 1e-5 * Real::from(row + 1);
            let side = (Real::from(column) - 2.5) * 0.501;
            let body = BodyDefinition::new(BodyKind::Dynamic, stone.clone(), Pose::translation(0.0, height, side));
            cast.add(format!("stone {}.{}", row + 1, column + 1), body)?;
        }
    }
    let mut ball = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.3)?, Pose::translation(-4.0, 1.6, 0.1));
    ball.linear_velocity = Vector::new(300.0, 0.0, 0.0);
    ball.mass = MassSpecification::Density(7_800.0);
    cast.add("ball", ball)?;
    let view = View { focus: Vec3::new(0.0, 1.2, 0.0), distance: 10.5, yaw: 0.35, pitch: 0.28 };
    Ok(Set { view: Some(view), ..cast.set("cannon", about("cannon"), 1.0 / 60.0, 0.02) })
}
