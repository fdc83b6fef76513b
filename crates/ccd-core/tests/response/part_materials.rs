//! Parts of one body with surfaces of their own: a contact has the materials of the parts that touch.

use std::sync::Arc;

use ccd_core::dynamics::{Body, BodyDefinition, BodyError, BodyKind, CoefficientCombine, Material};
use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::shape::compound::{Compound, Part};
use ccd_core::world::{ResponseMethod, World, WorldSettings};

use crate::common::methods::METHODS;

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

/// Two slabs side by side, whose tops are at height zero, left and right of x = 0.
fn slabs() -> Shape {
    let slab = |x: f64| Part::new(Shape::cuboid([5.0, 0.5, 5.0]).unwrap(), Pose::translation(x, -0.5, 0.0));
    Shape::Compound(Arc::new(Compound::new(vec![slab(-5.0), slab(5.0)]).unwrap()))
}

fn material(friction: f64, restitution: f64) -> Material {
    Material { friction, restitution, ..Material::default() }
}

/// A world with such slabs, the right one of which has a material of its own.
fn world(method: ResponseMethod, left: Material, right: Material) -> World {
    let settings = WorldSettings { response: method, ..WorldSettings::default() };
    let mut world = World::new(settings).unwrap();
    let mut floor = BodyDefinition::new(BodyKind::Static, slabs(), Pose::identity());
    floor.material = left;
    floor.part_materials = vec![None, Some(right)];
    world.add_body(floor).unwrap();
    world
}

fn add(world: &mut World, shape: Shape, [x, y]: [f64; 2], velocity: Vector, material: Material) -> BodyId {
    let mut body = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::translation(x, y, 0.0));
    (body.linear_velocity, body.material) = (velocity, material);
    world.add_body(body).unwrap()
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        assert_eq!(world.step(DT).unwrap().time_lost, 0.0);
    }
}

#[test]
fn a_block_slides_on_over_the_slippery_part_and_is_stopped_by_the_rough_one_with_every_method() {
    for method in METHODS {
        let mut world = world(method, material(0.0, 0.0), material(0.4, 0.0));
        let block = || Shape::cuboid([0.2, 0.1, 0.2]).unwrap();
        let rough = material(0.4, 0.0);
        let on_ice = add(&mut world, block(), [-3.0, 0.1001], Vector::x() * 2.0, rough);
        let on_sand = add(&mut world, block(), [3.0, 0.1001], Vector::x() * 2.0, rough);
        run(&mut world, 0.25);
        let speed = |body: BodyId| world.body(body).unwrap().linear_velocity().x;
        assert!((speed(on_ice) - 2.0).abs() < 1e-3, "{method:?}: {}", speed(on_ice));
        let expected = 2.0 - 0.4 * G * 0.25;
        assert!((speed(on_sand) - expected).abs() < 0.1, "{method:?}: {}, not {expected}", speed(on_sand));
    }
}

#[test]
fn a_surface_that_says_how_coefficients_combine_is_heeded_by_every_method() {
    for method in METHODS {
        let ice = Material { friction_combine: Some(CoefficientCombine::Min), ..material(0.05, 0.0) };
        let plain = material(0.05, 0.0);
        let mut world = world(method, ice, plain);
        let block = || Shape::cuboid([0.2, 0.1, 0.2]).unwrap();
        let rubber = material(0.8, 0.0);
        let speeds = [(-3.0, 0.05), (3.0, (0.05 * 0.8_f64).sqrt())].map(|(x, friction)| {
            (add(&mut world, block(), [x, 0.1001], Vector::x() * 2.0, rubber), 2.0 - friction * G * 0.25)
        });
        run(&mut world, 0.25);
        for (body, expected) in speeds {
            let speed = world.body(body).unwrap().linear_velocity().x;
            assert!((speed - expected).abs() < 0.05, "{method:?}: {speed}, not {expected}");
        }
    }
}

#[test]
fn nothing_bounces_off_a_surface_that_has_the_smaller_restitution_count() {
    let sand = Material { restitution_combine: Some(CoefficientCombine::Min), ..material(0.5, 0.0) };
    let mut world = world(ResponseMethod::Shock, sand, material(0.5, 0.0));
    let balls =
        [-3.0, 3.0].map(|x| add(&mut world, Shape::ball(0.1).unwrap(), [x, 1.1], Vector::zeros(), material(0.5, 1.0)));
    run(&mut world, 0.7);
    let heights = balls.map(|ball| world.body(ball).unwrap().pose().translation.y - 0.1);
    assert!(heights[0].abs() < 1e-3 && heights[1] > 0.5, "{heights:?}");
}

#[test]
fn a_ball_bounces_off_the_part_that_gives_back_and_stays_on_the_other() {
    for (left, right) in [(0.0, 1.0), (1.0, 0.0)] {
        let mut world = world(ResponseMethod::Shock, material(0.5, left), material(0.5, right));
        let balls = [-3.0, 3.0]
            .map(|x| add(&mut world, Shape::ball(0.1).unwrap(), [x, 1.1], Vector::zeros(), material(0.5, 0.0)));
        let mut highest: [f64; 2] = [0.0; 2];
        // Down in 0.45 s, and up again.
        for step in 0..54 {
            run(&mut world, DT);
            for (highest, ball) in highest.iter_mut().zip(balls).filter(|_| step > 30) {
                *highest = highest.max(world.body(ball).unwrap().pose().translation.y - 0.1);
            }
        }
        for (height, restitution) in highest.into_iter().zip([left, right]) {
            assert!((height - restitution).abs() < 0.01, "{height} m with restitution {restitution}");
        }
    }
}

#[test]
fn a_sled_is_slowed_by_the_rough_one_of_its_runners_alone() {
    let mut world = World::new(WorldSettings::default()).unwrap();
    let ground = Shape::cuboid([50.0, 0.5, 50.0]).unwrap();
    let mut ground = BodyDefinition::new(BodyKind::Static, ground, Pose::translation(0.0, -0.5, 0.0));
    ground.material = material(1.0, 0.0);
    world.add_body(ground).unwrap();
    // Balls on a line across the way would turn it; these are one behind the other, under half its weight each.
    let runner = |x: f64| Part::new(Shape::cuboid([0.01, 0.05, 0.3]).unwrap(), Pose::translation(x, 0.0, 0.0));
    let sled = Compound::new(vec![runner(-2.0), runner(2.0)]).unwrap();
    let shape = Shape::Compound(Arc::new(sled));
    let mut sled = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::translation(0.0, 0.0501, 0.0));
    sled.linear_velocity = Vector::x() * 3.0;
    sled.material = material(0.0, 0.0);
    sled.part_materials = vec![Some(material(0.09, 0.0)), None];
    let sled = world.add_body(sled).unwrap();
    run(&mut world, 1.0);
    // μ is √(0.09 · 1); the front runner bears what friction below the centre of mass tips onto it, some 0.4 % of the weight.
    let lost = 3.0 - world.body(sled).unwrap().linear_velocity().x;
    assert!((lost / (0.3 * 0.5 * G) - 1.0).abs() < 0.02, "{lost} m/s");
}

#[test]
fn a_ball_rolls_on_over_the_hard_part_and_comes_to_rest_on_the_soft_one() {
    let soft = Material { rolling_resistance: 0.01, ..Material::default() };
    let mut world = world(ResponseMethod::Shock, Material::default(), soft);
    let radius = 0.1;
    let balls = [-4.0, 2.0].map(|x| {
        let shape = Shape::ball(radius).unwrap();
        let mut ball = BodyDefinition::new(BodyKind::Dynamic, shape, Pose::translation(x, radius + 1e-4, 0.0));
        (ball.linear_velocity, ball.angular_velocity) = (Vector::x(), -Vector::z() / radius);
        world.add_body(ball).unwrap()
    });
    run(&mut world, 0.5);
    let [hard, soft] = balls.map(|ball| world.body(ball).unwrap().linear_velocity().x);
    assert!((hard - 1.0).abs() < 1e-3, "{hard}");
    // Of a ball that rolls, 5/7 of g times the lever by the radius.
    let expected = 1.0 - 5.0 / 7.0 * G * (0.01 / radius) * 0.5;
    assert!((soft - expected).abs() < 0.02, "{soft}, not {expected}");
}

#[test]
fn parts_that_say_what_the_body_says_change_no_bit() {
    let outcome = |parts: Vec<Option<Material>>| {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let same = material(0.3, 0.4);
        for (kind, shape, pose) in [
            (BodyKind::Static, slabs(), Pose::identity()),
            (
                BodyKind::Dynamic,
                slabs(),
                Pose::from_parts(Vector::new(0.3, 9.0, 0.1).into(), Rotation::new(Vector::z() * 0.7)),
            ),
        ] {
            let mut body = BodyDefinition::new(kind, shape, pose);
            (body.material, body.part_materials) = (same, parts.clone());
            world.add_body(body).unwrap();
        }
        for _ in 0..120 {
            world.step(DT).unwrap();
        }
        world
            .bodies()
            .map(|(_, body)| (*body.pose(), *body.linear_velocity(), *body.angular_velocity()))
            .collect::<Vec<_>>()
    };
    let plain = outcome(Vec::new());
    assert_eq!(plain, outcome(vec![None, None]));
    assert_eq!(plain, outcome(vec![Some(material(0.3, 0.4)), None]));
}

#[test]
fn materials_that_do_not_fit_the_parts_are_refused_with_the_part() {
    let with = |shape: Shape, parts: Vec<Option<Material>>| {
        let mut body = BodyDefinition::new(BodyKind::Static, shape, Pose::identity());
        body.part_materials = parts;
        World::new(WorldSettings::default()).unwrap().add_body(body).unwrap_err()
    };
    assert_eq!(with(slabs(), vec![None]), BodyError::PartMaterials { given: 1, parts: 2 });
    assert_eq!(with(Shape::ball(1.0).unwrap(), vec![None; 2]), BodyError::PartMaterials { given: 2, parts: 1 });
    let told = with(slabs(), vec![None, Some(material(-1.0, 0.0))]).to_string();
    assert_eq!(told, "part 1 of the body's shape: the body's friction is -1, which is not a number of at least zero");
    let mut body = Body::new(BodyDefinition::new(BodyKind::Static, slabs(), Pose::identity())).unwrap();
    let own = vec![Some(material(0.1, 0.2)), None];
    body.set_part_materials(own.clone()).unwrap();
    assert!(body.set_part_materials(vec![None; 3]).is_err());
    assert_eq!(body.part_materials(), own, "as they were");
    body.set_part_materials(Vec::new()).unwrap();
    assert!(body.part_materials().is_empty());
}
