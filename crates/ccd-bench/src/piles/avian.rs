//! avian3d.

use avian3d::prelude::*;
use bevy::math::{DQuat, DVec3};
use bevy::prelude::*;
use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::CaseBody;
use ccd_core::math as core;

use super::engine::{Engine, Form, Scenery};
use crate::avian::{app, transform, vector};

pub struct Avian {
    app: App,
    bodies: Vec<Entity>,
}

fn collider(scenery: &Scenery, body: &CaseBody) -> Collider {
    match scenery.form(body).expect("the scene was looked through") {
        // Of avian's boxes the whole edges are asked for.
        Form::Box([x, y, z]) => Collider::cuboid(2.0 * x as f32, 2.0 * y as f32, 2.0 * z as f32),
        Form::Mesh(mesh) => {
            let points = mesh.vertices().iter().map(|p| vector([p.x, p.y, p.z])).collect();
            Collider::trimesh(points, mesh.triangles().to_vec())
        }
    }
}

pub fn enter(scenery: &Scenery) -> Avian {
    let world = &scenery.case.world;
    let mut app = app(world.dt);
    app.insert_resource(Gravity(vector(world.gravity)));
    let spawn = |app: &mut App, body: &CaseBody| {
        let kind = if body.kind == BodyKind::Static { RigidBody::Static } else { RigidBody::Dynamic };
        let bundle = (
            kind,
            collider(scenery, body),
            ColliderDensity(scenery.density(body) as f32),
            transform(body.position, body.rotation),
            LinearVelocity(vector(body.linear_velocity)),
            AngularVelocity(vector(body.angular_velocity)),
            Friction::new(body.friction.unwrap_or(world.friction) as f32),
            Restitution::new(body.restitution.unwrap_or(world.restitution) as f32),
            SleepingDisabled,
        );
        app.world_mut().spawn(bundle).id()
    };
    let bodies = scenery.case.bodies.iter().map(|body| spawn(&mut app, body)).collect();
    // The first update has no time to pass: it only sets the app up.
    app.update();
    Avian { app, bodies }
}

impl Engine for Avian {
    fn step(&mut self) -> f64 {
        self.app.update();
        0.0
    }

    fn poses(&self) -> Vec<core::Pose> {
        let place = |entity: &Entity| {
            let world = self.app.world();
            let t = world.get::<Position>(*entity).map_or(DVec3::NAN, |p| p.0.as_dvec3());
            let r = world.get::<Rotation>(*entity).map_or(DQuat::NAN, |r| r.0.as_dquat());
            let turn = core::Rotation::from_quaternion([r.x, r.y, r.z, r.w].into());
            core::Pose::from_parts(core::Vector::new(t.x, t.y, t.z).into(), turn)
        };
        self.bodies.iter().map(place).collect()
    }
}
