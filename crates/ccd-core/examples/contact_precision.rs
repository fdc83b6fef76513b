//! How exact contact points and normals are, found at the time of contact or after the bodies have interpenetrated.
//!
//! ```text
//! cargo run -p ccd-core --example contact_precision -- [CASE.json …]
//! ```
//!
//! Prints a table in Markdown. For every step and pair in which a first contact lies within the step, two answers are measured against
//! the placements at the time of contact to 1e-10 m:
//! * ours: the time of contact at the tolerance of the world (1e-4 m unless the case says otherwise);
//! * a minimum-penetration method: the bodies at the step's end, and the least translation that separates them there; it sees
//!   nothing where they are apart again.
//!
//! The error of a point is how far it is from the further of the two surfaces, which touch where it should be. The error of a
//! normal is its angle to the nearest of the normals of all features that touch then, or at the time for which ours is (a tip in a
//! hole touches several walls within the tolerance).
//!
//! Without cases: the spike of figure 1 of the paper on precise contact determination, at several lengths of the step.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

use std::error::Error;

use ccd_core::contact::find_all_contacts;
use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::{FirstContact, Moving, Toc, TocOptions, time_of_contact};
use ccd_core::dynamics::{Body, BodyDefinition, BodyKind};
use ccd_core::io::case::{Case, build_world};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const REFERENCE: Real = 1e-10;
/// Features within this distance at the time of contact touch, in tolerances of the world.
const TOUCHING: Real = 2.0;
/// The radius of the ball that measures how far a place is from a surface, metres.
const PROBE: Real = 1e-6;

/// Errors of many contacts.
#[derive(Default)]
struct Errors {
    count: usize,
    point: [Real; 2],
    degrees: [Real; 2],
}

/// The bodies when they truly touch.
struct Truth<'a> {
    shapes: [&'a Shape; 2],
    poses: [Pose; 2],
    normals: Vec<Vector>,
}

impl<'a> Truth<'a> {
    /// `answered`: the placements at the time for which ours is, when what is within the tolerance touches as well.
    fn new(
        shapes: [&'a Shape; 2],
        poses: [Pose; 2],
        answered: [Pose; 2],
        first: &FirstContact,
        tolerance: Real,
    ) -> Self {
        let mut touching = Vec::new();
        for [pose_a, pose_b] in [&poses, &answered] {
            find_all_contacts(shapes[0], pose_a, shapes[1], pose_b, TOUCHING * tolerance, &mut touching);
        }
        let normals = touching.iter().map(|c| c.normal).chain([first.normal]).collect();
        Self { shapes, poses, normals }
    }

    /// Metres from the further of the two surfaces.
    fn point_error(&self, place: &Point) -> Result<Real, Box<dyn Error>> {
        let probe = Shape::ball(PROBE)?;
        let at = Pose::from_parts(place.coords.into(), Rotation::identity());
        let mut worst: Real = 0.0;
        for (shape, pose) in self.shapes.iter().zip(&self.poses) {
            worst = worst.max((closest(shape, pose, &probe, &at)?.distance + PROBE).abs());
        }
        Ok(worst)
    }

    /// Degrees from the nearest true normal.
    fn normal_error(&self, normal: &Vector) -> Real {
        self.normals.iter().map(|n| n.angle(normal).to_degrees()).fold(180.0, Real::min)
    }
}

impl Errors {
    fn add(&mut self, points: [&Point; 2], normal: &Vector, truth: &Truth<'_>) -> Result<(), Box<dyn Error>> {
        self.count += 1;
        let place = nalgebra::center(points[0], points[1]);
        for (sum, error) in
            [(&mut self.point, truth.point_error(&place)?), (&mut self.degrees, truth.normal_error(normal))]
        {
            *sum = [sum[0] + error, sum[1].max(error)];
        }
        Ok(())
    }

    fn cells(&self) -> String {
        let n = self.count.max(1) as Real;
        format!(
            "{:.1e} / {:.1e} | {:.1e} / {:.1e}",
            self.point[0] / n,
            self.point[1],
            self.degrees[0] / n,
            self.degrees[1]
        )
    }
}

/// How a body would move over the step if it met nothing.
fn predicted(body: &Body, settings: &WorldSettings, dt: Real) -> RigidMotion {
    let fall = if body.kind() == BodyKind::Dynamic { settings.gravity * dt } else { Vector::zeros() };
    let motion = body.motion();
    RigidMotion { linear_velocity: motion.linear_velocity + fall, ..motion }
}

/// Steps the world and prints one row.
fn measure(name: &str, world: &mut World, dt: Real, steps: u32) -> Result<(), Box<dyn Error>> {
    let settings = world.settings().clone();
    let (mut references, mut ours, mut penetration) = (0_usize, Errors::default(), Errors::default());
    for _ in 0..steps {
        let bodies: Vec<&Body> = world.bodies().map(|(_, body)| body).collect();
        for (i, a) in bodies.iter().enumerate() {
            for b in &bodies[i + 1..] {
                if !a.meets(b) {
                    continue;
                }
                let (motion_a, motion_b) = (predicted(a, &settings, dt), predicted(b, &settings, dt));
                let ask = |tolerance: Real| -> Result<Toc, Box<dyn Error>> {
                    let options = TocOptions { tolerance, ..TocOptions::default() };
                    let (a, b) = (Moving::new(a.shape(), &motion_a), Moving::new(b.shape(), &motion_b));
                    Ok(time_of_contact(a, b, TimeInterval::new(0.0, dt)?, &options)?.answer)
                };
                let Toc::Contact(reference) = ask(REFERENCE)? else { continue };
                references += 1;
                let (Toc::Contact(found) | Toc::Overlapping(found)) = ask(settings.tolerance)? else { continue };
                let at = |time: Real| [motion_a.pose_at(time), motion_b.pose_at(time)];
                let shapes = [a.shape(), b.shape()];
                let truth = Truth::new(shapes, at(reference.time), at(found.time), &reference, settings.tolerance);
                ours.add([&found.point_a, &found.point_b], &found.normal, &truth)?;
                let (end_a, end_b) = (motion_a.pose_at(dt), motion_b.pose_at(dt));
                let end = closest(a.shape(), &end_a, b.shape(), &end_b)?;
                if end.distance < 0.0 {
                    penetration.add([&end.point_a, &end.point_b], &end.normal, &truth)?;
                }
            }
        }
        world.step(dt)?;
    }
    println!(
        "| {name} | {references} | {} | {} | {} | {} |",
        ours.count,
        ours.cells(),
        penetration.count,
        penetration.cells()
    );
    Ok(())
}

/// A block comes down on a thin spike near its side: its normal is that of the block's face, whatever the step.
fn figure_1(dt: Real) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(WorldSettings { gravity: Vector::zeros(), ..WorldSettings::default() })?;
    let base = [[0.06, 0.06], [0.06, -0.06], [-0.06, -0.06], [-0.06, 0.06]];
    let mut points: Vec<Point> = base.map(|[x, z]| Point::new(x, -1.0, z)).to_vec();
    points.push(Point::origin());
    world.add_body(BodyDefinition::new(BodyKind::Static, Shape::convex_hull(&points)?, Pose::identity()))?;
    // 0.08 m of the block stand over the spike's side; it comes down 0.37 m a 1/60 s, from one and a half steps above the spike.
    let speed = 22.2;
    let at = Pose::translation(0.42, 0.3 + 1.4 * speed * dt, 0.1);
    let id = world.add_body(BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([0.5, 0.3, 0.5])?, at))?;
    world.set_velocity(id, Vector::new(0.0, -speed, 0.0), Vector::zeros())?;
    Ok(world)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| scene | contacts | ours: seen | point, m (mean / worst) | normal, ° (mean / worst) | minimum penetration: seen | \
         point, m (mean / worst) | normal, ° (mean / worst) |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let cases: Vec<String> = std::env::args().skip(1).collect();
    if cases.is_empty() {
        for hertz in [960.0, 240.0, 120.0, 60.0, 30.0] {
            let dt = 1.0 / hertz;
            measure(&format!("spike of figure 1, Δt 1/{hertz} s"), &mut figure_1(dt)?, dt, 2)?;
        }
    }
    for path in cases {
        let case = Case::load(&path)?;
        let folder = std::path::Path::new(&path).parent().unwrap_or(std::path::Path::new("."));
        let (mut world, _) = build_world(&case, folder)?;
        measure(&case.name, &mut world, case.world.dt, case.world.steps)?;
    }
    Ok(())
}
