//! rapier3d, in the precision of the module that holds this one: exact hulls, continuous detection on, default settings but
//! for what the row's name says.

use std::time::Instant;

use super::engine::prelude::*;
use ccd_scenes::cases::Rod;

use crate::bullets::{Outcome, Volley};
use crate::rod::Stop;

#[allow(dead_code, reason = "one precision shows it")]
pub fn bullets_default(volley: &Volley) -> Outcome {
    bullets(volley, PhysicsWorld::default())
}

pub fn bullets_uncapped(volley: &Volley) -> Outcome {
    let mut world = PhysicsWorld::default();
    world.integration_parameters.normalized_max_linear_velocity = Real::MAX;
    bullets(volley, world)
}

#[allow(clippy::unnecessary_cast, reason = "in one of the two precisions it is none")]
pub fn vector(v: [f64; 3]) -> Vector {
    Vector::new(v[0] as Real, v[1] as Real, v[2] as Real)
}

#[allow(clippy::unnecessary_cast, reason = "in one of the two precisions it is none")]
pub fn pose(position: [f64; 3], rotation: [f64; 4]) -> Pose {
    let r = rotation.map(|x| x as Real);
    Pose::from_parts(vector(position), Rotation::from_xyzw(r[0], r[1], r[2], r[3]))
}

#[allow(clippy::unnecessary_cast, reason = "in one of the two precisions it is none")]
fn bullets(volley: &Volley, mut world: PhysicsWorld) -> Outcome {
    let case = &volley.case;
    world.integration_parameters.dt = case.world.dt as Real;
    let points = |mesh: &ccd_core::geometry::mesh::TriMesh| -> Vec<Vector> {
        mesh.vertices().iter().map(|p| vector([p.x, p.y, p.z])).collect()
    };
    let sheet = ColliderBuilder::trimesh(points(&volley.sheet), volley.sheet.triangles().to_vec())
        .expect("the sheet is a mesh")
        .friction(0.2)
        .restitution(0.5);
    let at = &case.bodies[0];
    world.insert(RigidBodyBuilder::fixed().pose(pose(at.position, at.rotation)), sheet);
    let hull = ColliderBuilder::convex_hull(&points(&volley.bullet)).expect("the bullet is convex");
    let hull = hull.density(10_000.0).friction(0.2).restitution(0.5);
    let handles: Vec<_> = case.bodies[1..]
        .iter()
        .map(|b| {
            let body = RigidBodyBuilder::dynamic()
                .pose(pose(b.position, b.rotation))
                .linvel(vector(b.linear_velocity))
                .angvel(vector(b.angular_velocity))
                .ccd_enabled(true);
            world.insert(body, hull.clone()).0
        })
        .collect();
    let clock = Instant::now();
    for _ in 0..case.world.steps {
        world.step();
    }
    let wall = clock.elapsed();
    Outcome { wall, ends: handles.iter().map(|h| world.bodies[*h].translation().x as f64).collect() }
}

/// The rod stops at the post or passes it.
#[allow(clippy::unnecessary_cast, reason = "in one of the two precisions it is none")]
pub fn rod(placing: &Rod, uncapped: bool) -> Stop {
    let mut world = PhysicsWorld { gravity: Vector::ZERO, ..PhysicsWorld::default() };
    world.integration_parameters.dt = 1.0 / 60.0;
    if uncapped {
        world.integration_parameters.normalized_max_linear_velocity = Real::MAX;
    }
    let rod = RigidBodyBuilder::dynamic()
        .angvel(Vector::Y * placing.spin as Real)
        .lock_translations()
        .ccd_enabled(true)
        .build();
    let [x, y, z] = Rod::HALF_EXTENTS.map(|h| h as Real);
    let (rod, _) = world.insert(rod, ColliderBuilder::cuboid(x, y, z));
    let post = placing.post();
    let post_at = RigidBodyBuilder::fixed().translation(vector(post.into()));
    world.insert(post_at, ColliderBuilder::cylinder(1.0, placing.post_radius as Real));
    let clock = Instant::now();
    world.step();
    let wall = clock.elapsed();
    let (axis, angle) = world.bodies[rod].rotation().to_axis_angle();
    Stop { angle: ((angle * axis.y.signum()) as f64).rem_euclid(std::f64::consts::TAU), wall, met: false }
}
