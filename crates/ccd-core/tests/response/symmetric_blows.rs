//! Blows that are mirror images of each other, on bodies that stand on something: what the floor gives back comes back on both sides at once.

use ccd_core::dynamics::{Body, BodyDefinition, BodyKind, Material};
use ccd_core::math::{Pose, Real, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

const DT: Real = 1.0 / 60.0;
/// What rounding may make of the two sides, m/s and rad/s.
const ROUNDING: Real = 1e-9;

/// What falls on two that stand to the left and to the right of it.
struct Scene {
    falls: Shape,
    height: Real,
    speed: Real,
    stands: Shape,
    aside: Real,
    restitution: Real,
}

impl Scene {
    /// Velocities and spins of the left one, the right one and what falls on them, after each step; the bodies are added in this order of the three.
    fn run(&self, order: [usize; 3], steps: u32) -> Vec<[[Vector; 2]; 3]> {
        let gravity = Vector::y() * -9.81;
        let mut world = World::new(WorldSettings { parallel: false, gravity, ..WorldSettings::default() }).unwrap();
        let material = Material { friction: 0.0, restitution: self.restitution, ..Material::default() };
        let mut floor =
            BodyDefinition::new(BodyKind::Static, Shape::half_space(Vector::y()).unwrap(), Pose::identity());
        floor.material.friction = 0.0;
        world.add_body(floor).unwrap();
        let at = |shape: &Shape, x: Real, y: Real, speed: Real| {
            let mut body = BodyDefinition::new(BodyKind::Dynamic, shape.clone(), Pose::translation(x, y, 0.0));
            (body.material, body.linear_velocity) = (material, Vector::y() * -speed);
            body
        };
        let stands = 0.1 + 1e-5;
        let bodies = [
            at(&self.stands, -self.aside, stands, 0.0),
            at(&self.stands, self.aside, stands, 0.0),
            at(&self.falls, 0.0, self.height, self.speed),
        ];
        let mut ids = [None; 3];
        for k in order {
            ids[k] = Some(world.add_body(bodies[k].clone()).unwrap());
        }
        let ids = ids.map(Option::unwrap);
        let of = |body: &Body| [*body.linear_velocity(), *body.angular_velocity()];
        let first = world.energy().total();
        let mut all = Vec::new();
        for step in 0..steps {
            let report = world.step(DT).unwrap();
            assert_eq!(report.time_lost, 0.0, "step {step}");
            assert!(world.energy().total() <= first * (1.0 + 1e-9), "step {step}");
            all.push(ids.map(|id| of(world.body(id).unwrap())));
        }
        all
    }

    /// Whether added from the left or from the right, and first or last: both sides do the same in the mirror, and what falls is not tipped.
    fn stays_its_own_mirror_image(&self, steps: u32) {
        for order in [[0, 1, 2], [1, 0, 2], [2, 0, 1], [2, 1, 0]] {
            let all = self.run(order, steps);
            let fastest = all.iter().map(|[left, ..]| left[0].norm()).fold(0.0, Real::max);
            assert!(fastest > 0.2, "the two are struck, and go up or aside: {fastest} m/s");
            for (step, &[left, right, falls]) in all.iter().enumerate() {
                for (one, other) in [(left, right), (falls, falls)] {
                    let apart = one[0] - mirrored(&other[0], -1.0);
                    let turned = one[1] - mirrored(&other[1], 1.0);
                    assert!(
                        apart.norm() < ROUNDING && turned.norm() < ROUNDING,
                        "{order:?}, step {step}: {one:?} and {other:?}"
                    );
                }
            }
        }
    }
}

/// In the mirror whose normal is x. A velocity's part along it is reversed, and a spin's parts across it.
fn mirrored(v: &Vector, along: Real) -> Vector {
    Vector::new(along * v.x, -along * v.y, -along * v.z)
}

#[test]
fn a_plank_that_falls_flat_on_two_boxes_on_the_floor_is_not_tipped() {
    for restitution in [0.5, 1.0] {
        let scene = Scene {
            falls: Shape::cuboid([0.5, 0.05, 0.1]).unwrap(),
            height: 0.8,
            speed: 0.0,
            stands: Shape::cuboid([0.1; 3]).unwrap(),
            aside: 0.4,
            restitution,
        };
        scene.stays_its_own_mirror_image(if restitution == 1.0 { 42 } else { 24 });
    }
}

#[test]
fn a_ball_that_falls_between_two_balls_on_the_floor_does_not_go_aside() {
    for restitution in [0.5, 1.0] {
        let ball = Shape::ball(0.1).unwrap();
        let scene = Scene { falls: ball.clone(), height: 0.6, speed: 3.0, stands: ball, aside: 0.101, restitution };
        scene.stays_its_own_mirror_image(24);
    }
}
