//! Queries of a world of thousands of bodies: a ray, a ball that is moved, the nearest body, the first query after a body has moved, and a ray
//! that asks every body instead.
//!
//! `cargo bench -p ccd-core --bench spatial`.

#![allow(clippy::expect_used, reason = "a world that is refused leaves nothing to measure")]

use std::hint::black_box;

use ccd_core::detection::toc::Moving;
use ccd_core::dynamics::{Body, BodyDefinition, BodyKind};
use ccd_core::geometry::solid::Segment;
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::RigidMotion;
use ccd_core::shape::Shape;
use ccd_core::volume::Aabb;
use ccd_core::world::{Ray, World, WorldSettings};
use criterion::{Criterion, criterion_group, criterion_main};

/// Bodies along each side of the block that they fill.
const SIDES: [i32; 3] = [20, 5, 20];
/// Metres that rays and balls go.
const REACH: Real = 100.0;

fn all(_: BodyId, _: &Body) -> bool {
    true
}

/// Two thousand boxes of 0.5 m, a metre apart, each turned its own way, over a ground.
fn block() -> World {
    let mut world = World::new(WorldSettings::default()).expect("default settings");
    let ground = Shape::half_space(Vector::y()).expect("a half-space");
    world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).expect("a ground");
    let shape = Shape::cuboid([0.25; 3]).expect("a box");
    let [x, y, z] = SIDES.map(|count| 0..count);
    for (x, y, z) in x.flat_map(|x| {
        y.clone().flat_map({
            let z = z.clone();
            move |y| z.clone().map(move |z| (x, y, z))
        })
    }) {
        let place = Vector::new(Real::from(x), Real::from(y), Real::from(z)) + Vector::repeat(1.0);
        let turn = Rotation::from_scaled_axis(Vector::new(place.x.sin(), place.y.cos(), place.z.sin()));
        let pose = Pose::from_parts(place.into(), turn);
        world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape.clone(), pose)).expect("a box");
    }
    world
}

/// From above, each from another place another way.
fn rays() -> Vec<Ray> {
    let ray = |k: i32| {
        let (s, t) = (Real::from(k).sin(), Real::from(k).cos());
        Ray::new(Point::new(10.0 + 9.0 * s, 20.0, 10.0 + 9.0 * t), Vector::new(0.3 * t, -1.0, 0.2 * s))
    };
    (0..256).filter_map(ray).collect()
}

fn spatial(criterion: &mut Criterion) {
    let (mut world, rays) = (block(), rays());
    let mut group = criterion.benchmark_group("among 2,000 boxes");
    let mut next = rays.iter().cycle();
    let mut ray = || next.next().expect("rays without end");
    group.bench_function("a ray", |b| b.iter(|| black_box(world.cast_ray(ray(), REACH, all))));
    group.bench_function("a ray that asks every body", |b| {
        b.iter(|| {
            let ray = ray();
            let mut first: Real = 1.0;
            for (_, body) in world.bodies() {
                let [start, end] = [0.0, REACH].map(|t| body.pose().inverse_transform_point(&ray.at(t)));
                if let Some(hit) = body.shape().as_solid().cast_segment(&Segment { start, end }) {
                    first = first.min(hit.fraction);
                }
            }
            black_box(first)
        });
    });
    let ball = Shape::ball(0.2).expect("a ball");
    group.bench_function("a ball that is moved", |b| {
        b.iter(|| {
            let ray = ray();
            let start = Pose::from_parts(ray.at(0.0).into(), Rotation::identity());
            let motion = RigidMotion { linear_velocity: ray.at(1.0) - ray.at(0.0), ..RigidMotion::at_rest(start) };
            black_box(world.cast_shape(Moving::new(&ball, &motion), REACH, all))
        });
    });
    group.bench_function("the nearest body", |b| {
        b.iter(|| {
            let place = Pose::from_parts(ray().at(10.0).into(), Rotation::identity());
            black_box(world.nearest_body(&ball, &place, REACH, all))
        });
    });
    let (id, pose) = world.bodies().nth(1).map(|(id, body)| (id, *body.pose())).expect("a box");
    group.bench_function("the first query after a body has moved", |b| {
        b.iter(|| {
            world.set_pose(id, pose).expect("a finite pose");
            black_box(world.bodies_near(&Aabb::from_half_extents(Point::origin(), Vector::repeat(0.1))))
        });
    });
    group.finish();
}

criterion_group!(benches, spatial);
criterion_main!(benches);
