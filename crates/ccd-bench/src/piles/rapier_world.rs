//! rapier3d, in the precision of the module that holds this one.

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::CaseBody;
use ccd_core::math as core;

use super::rapier::prelude::*;
use crate::piles::engine::{Engine, Form, Scenery};

pub struct Rapier {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
}

fn vector(v: [f64; 3]) -> Vector {
    Vector::new(v[0] as Real, v[1] as Real, v[2] as Real)
}

fn collider(scenery: &Scenery, body: &CaseBody) -> ColliderBuilder {
    match scenery.form(body).expect("the scene was looked through") {
        Form::Box([x, y, z]) => ColliderBuilder::cuboid(x as Real, y as Real, z as Real),
        Form::Mesh(mesh) => {
            let points = mesh.vertices().iter().map(|p| vector([p.x, p.y, p.z])).collect();
            ColliderBuilder::trimesh(points, mesh.triangles().to_vec()).expect("a mesh")
        }
    }
}

pub fn enter(scenery: &Scenery) -> Rapier {
    let case = &scenery.case;
    let mut world = PhysicsWorld { gravity: vector(case.world.gravity), ..PhysicsWorld::default() };
    world.integration_parameters.dt = case.world.dt as Real;
    let handles = case
        .bodies
        .iter()
        .map(|body| {
            let kind = if body.kind == BodyKind::Static { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
            let [x, y, z, w] = body.rotation.map(|r| r as Real);
            let placed = kind
                .pose(Pose::from_parts(vector(body.position), Rotation::from_xyzw(x, y, z, w)))
                .linvel(vector(body.linear_velocity))
                .angvel(vector(body.angular_velocity))
                .can_sleep(false);
            let collider = collider(scenery, body)
                .density(scenery.density(body) as Real)
                .friction(body.friction.unwrap_or(case.world.friction) as Real)
                .restitution(body.restitution.unwrap_or(case.world.restitution) as Real);
            world.insert(placed, collider).0
        })
        .collect();
    Rapier { world, handles }
}

impl Engine for Rapier {
    fn step(&mut self) -> f64 {
        self.world.step();
        0.0
    }

    #[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "in one of the two precisions it is none")]
    fn poses(&self) -> Vec<core::Pose> {
        let place = |handle: &RigidBodyHandle| {
            let body = &self.world.bodies[*handle];
            let (t, r) = (body.translation(), body.rotation());
            let turn = core::Rotation::from_quaternion([r.x as f64, r.y as f64, r.z as f64, r.w as f64].into());
            core::Pose::from_parts(core::Vector::new(t.x as f64, t.y as f64, t.z as f64).into(), turn)
        };
        self.handles.iter().map(place).collect()
    }
}
