//! avian3d.

use std::time::{Duration, Instant};

use avian3d::prelude::*;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;

use crate::bullets::{Outcome, Volley};

pub fn app(dt: f64) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, bevy::asset::AssetPlugin::default(), PhysicsPlugins::default()));
    app.insert_resource(Time::<Fixed>::from_duration(Duration::from_secs_f64(dt)));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(dt)));
    app.finish();
    app
}

pub fn vector(v: [f64; 3]) -> Vec3 {
    Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

pub fn transform(position: [f64; 3], rotation: [f64; 4]) -> Transform {
    let r = rotation.map(|x| x as f32);
    Transform { translation: vector(position), rotation: Quat::from_xyzw(r[0], r[1], r[2], r[3]), scale: Vec3::ONE }
}

pub fn bullets(volley: &Volley) -> Outcome {
    let case = &volley.case;
    let mut app = app(case.world.dt);
    let points = |mesh: &ccd_core::geometry::mesh::TriMesh| -> Vec<Vec3> {
        mesh.vertices().iter().map(|p| vector([p.x, p.y, p.z])).collect()
    };
    let surface = (Friction::new(0.2), Restitution::new(0.5));
    let at = &case.bodies[0];
    app.world_mut().spawn((
        RigidBody::Static,
        Collider::trimesh(points(&volley.sheet), volley.sheet.triangles().to_vec()),
        transform(at.position, at.rotation),
        surface,
    ));
    let hull = Collider::convex_hull(points(&volley.bullet)).expect("the bullet is convex");
    let bullets: Vec<Entity> = case.bodies[1..]
        .iter()
        .map(|b| {
            app.world_mut()
                .spawn((
                    RigidBody::Dynamic,
                    hull.clone(),
                    ColliderDensity(10_000.0),
                    transform(b.position, b.rotation),
                    LinearVelocity(vector(b.linear_velocity)),
                    AngularVelocity(vector(b.angular_velocity)),
                    SweptCcd::NON_LINEAR,
                    surface,
                ))
                .id()
        })
        .collect();
    // The first update has no time to pass: it only sets the app up.
    app.update();
    let clock = Instant::now();
    for _ in 0..case.world.steps {
        app.update();
    }
    let wall = clock.elapsed();
    let ends = bullets.iter().map(|e| app.world().get::<Position>(*e).map_or(f64::NAN, |p| f64::from(p.0.x))).collect();
    Outcome { wall, ends }
}
