//! What slides off an edge, and tips over it.

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::math::{Point, Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::models::box_mesh;

const GRAVITY: Real = 9.81;
/// Half of the length of a block along its way and of its height, or the radius and half of the height of a cylinder, metres.
const HALF: [Real; 2] = [0.2, 0.1];

/// The spin about z (rad/s) with which a body leaves the edge that glides towards +x at `speed` (m/s) without friction: its flat side slides on the edge
/// until its end is there. Integrated in small steps; `gyration` is its moment of inertia over its mass, m².
fn spin_off_the_edge(gyration: Real, speed: Real) -> Real {
    let [half_length, half_height] = HALF;
    let (mut centre, mut velocity) = (Vector::y() * half_height, Vector::x() * speed);
    let (mut tilt, mut spin): (Real, Real) = (0.0, 0.0);
    let h = 1e-6;
    loop {
        let (along, up) = (Vector::new(tilt.cos(), tilt.sin(), 0.0), Vector::new(-tilt.sin(), tilt.cos(), 0.0));
        let arm = centre.dot(&along);
        if arm >= half_length {
            return spin;
        }
        // The height of the centre over the edge across the flat side stays what it is.
        let wanted = 2.0 * spin * velocity.dot(&along) + spin * spin * centre.dot(&up) + GRAVITY * up.y;
        let push = (wanted / (1.0 + arm * arm / gyration)).max(0.0);
        velocity += (up * push - Vector::y() * GRAVITY) * h;
        spin -= push * arm / gyration * h;
        centre += velocity * h;
        tilt += spin * h;
    }
}

/// The spin of a body that has slid off a block at `speed`, with steps of `dt` seconds.
fn spin_of(shape: &Shape, speed: Real, dt: Real) -> Vector {
    let settings = WorldSettings { parallel: false, gravity: Vector::y() * -GRAVITY, ..WorldSettings::default() };
    let start = -0.3;
    let mut world = World::new(settings).unwrap();
    let ground = Shape::cuboid([45.0, 15.0, 20.0]).unwrap();
    let mut ground = BodyDefinition::new(BodyKind::Static, ground, Pose::translation(-45.0, -15.0, 0.0));
    ground.material.friction = 0.0;
    world.add_body(ground).unwrap();
    let pose = Pose::translation(start, HALF[1] + 1e-5, 0.0);
    let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), pose);
    body.material.friction = 0.0;
    body.linear_velocity = Vector::x() * speed;
    let body = world.add_body(body).unwrap();
    let way = HALF[0] - start + 0.1;
    for _ in 0..(way / (speed * dt)).ceil() as usize {
        world.step(dt).unwrap();
    }
    *world.body(body).unwrap().angular_velocity()
}

#[test]
fn what_slides_off_an_edge_is_not_kicked_by_its_last_corner() {
    let [half_length, half_height] = HALF;
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        Point::new(sign(0) * half_length, sign(1) * half_height, sign(2) * half_length)
    };
    let hull = Shape::convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    let mesh = box_mesh([half_length, half_height, half_length]);
    let block = Shape::cuboid([half_length, half_height, half_length]).unwrap();
    let of_block = (half_length * half_length + half_height * half_height) / 3.0;
    let of_cylinder = (3.0 * half_length * half_length + 4.0 * half_height * half_height) / 12.0;
    let cylinder = Shape::cylinder(half_length, half_height).unwrap();
    for (name, shape, gyration) in [
        ("block", block, of_block),
        ("hull", hull, of_block),
        ("mesh", mesh, of_block),
        ("cylinder", cylinder, of_cylinder),
    ] {
        for (speed, dt) in
            [(1.0, 1e-3), (1.0, 1.0 / 240.0), (1.0, 1.0 / 60.0), (3.0, 1e-3), (3.0, 1.0 / 240.0), (6.0, 1e-3)]
        {
            let exact = spin_off_the_edge(gyration, speed);
            let found = spin_of(&shape, speed, dt);
            let says = format!("{name} at {speed} m/s, steps of {dt} s: {found:?}, in truth {exact}");
            assert!((found.z / exact - 1.0).abs() < 0.04 && found.x.hypot(found.y) < 0.04 * exact.abs(), "{says}");
        }
    }
}
