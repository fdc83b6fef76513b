//! Compounds: the same answers as the solid they make, by way of their parts.

use ccd_core::contact::{ContactCache, find_contacts};
use ccd_core::detection::closest::{closest, interferes};
use ccd_core::detection::toc::{Method, Moving, Toc, TocOptions, time_of_contact};
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::field::Operation;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};
use proptest::prelude::*;

/// An L of two boxes that share a square, upright in x and y, half a metre thick.
fn l_of_boxes() -> Shape {
    let (bar, post) = (Shape::cuboid([1.0, 0.25, 0.25]).unwrap(), Shape::cuboid([0.25, 1.0, 0.25]).unwrap());
    Shape::compound([(Pose::translation(0.0, -0.75, 0.0), bar), (Pose::translation(-0.75, 0.0, 0.0), post)]).unwrap()
}

/// The same L as one closed mesh.
fn l_mesh() -> Shape {
    let outline = [[-1.0, -1.0], [1.0, -1.0], [1.0, -0.5], [-0.5, -0.5], [-0.5, 1.0], [-1.0, 1.0]];
    let layer = |z: Real| outline.iter().map(move |[x, y]| Point::new(*x, *y, z));
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [p, q, s] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.extend([[p, s, q], [p + 6, q + 6, s + 6]]);
    }
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    Shape::mesh(TriMesh::try_new(layer(-0.25).chain(layer(0.25)).collect(), triangles).unwrap()).unwrap()
}

/// Two balls at the ends of a bar along x.
fn dumb_bell() -> Shape {
    let lying = Rotation::from_scaled_axis(Vector::z() * std::f64::consts::FRAC_PI_2);
    Shape::compound([
        (Pose::translation(-0.5, 0.0, 0.0), Shape::ball(0.25).unwrap()),
        (Pose::from_parts(Vector::zeros().into(), lying), Shape::cylinder(0.08, 0.5).unwrap()),
        (Pose::translation(0.5, 0.0, 0.0), Shape::ball(0.25).unwrap()),
    ])
    .unwrap()
}

fn vector(size: Real) -> impl Strategy<Value = Vector> {
    prop::array::uniform3(-size..size).prop_map(Vector::from)
}

fn pose(size: Real) -> impl Strategy<Value = Pose> {
    (vector(size), vector(3.0)).prop_map(|(at, turn)| Pose::from_parts(at.into(), Rotation::from_scaled_axis(turn)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_l_of_boxes_is_as_far_from_everything_as_the_l_it_makes(at in pose(3.0), which in 0..4_usize, own in 0.2..0.6_f64) {
        let other = match which {
            0 => Shape::ball(own).unwrap(),
            1 => Shape::cuboid([own, 0.5, 0.2]).unwrap(),
            2 => l_mesh(),
            _ => l_of_boxes(),
        };
        let home = Pose::identity();
        let parts = closest(&l_of_boxes(), &home, &other, &at).unwrap();
        let whole = closest(&l_mesh(), &home, &other, &at).unwrap();
        if whole.distance > 1e-9 {
            prop_assert!((parts.distance - whole.distance).abs() < 1e-9, "{parts:?} {whole:?}");
            let way = parts.point_b - parts.point_a;
            prop_assert!((way - parts.normal * parts.distance).norm() < 1e-6, "{parts:?}");
        } else {
            prop_assert!(parts.distance <= 1e-9, "{parts:?} {whole:?}");
        }
        let swapped = closest(&other, &at, &l_of_boxes(), &home).unwrap();
        prop_assert!(parts.distance < 0.0 || (swapped.distance - parts.distance).abs() < 1e-9);
    }

    #[test]
    fn the_depth_of_an_overlap_parts_all_parts(at in pose(0.8)) {
        let (a, b) = (l_of_boxes(), dumb_bell());
        let home = Pose::identity();
        let overlap = interferes(&a, &home, &b, &at, 0.0).filter(|o| o.depth > 0.0);
        let Some(overlap) = overlap else { return Err(TestCaseError::reject("apart")) };
        // What is moved on may come upon another part, by no more than it is moved on.
        let rounding = 1e-9;
        let out = nalgebra::Translation3::from(overlap.normal * (overlap.depth + rounding)) * at;
        let after = closest(&a, &home, &b, &out).unwrap();
        prop_assert!(after.distance >= -rounding, "{overlap:?} leaves {after:?}");
    }

    #[test]
    fn an_l_of_boxes_is_met_when_the_l_it_makes_is(
        at in pose(1.0), far in vector(1.0), velocity in vector(2.0), spin in vector(20.0), spin_b in vector(20.0), which in 0..2_usize,
    ) {
        let options = TocOptions { tolerance: 1e-5, ..TocOptions::default() };
        let direction = far.try_normalize(1e-3).unwrap_or_else(Vector::x);
        let start = Pose::from_parts((at.translation.vector + direction * 5.0).into(), at.rotation);
        let motion = RigidMotion {
            linear_velocity: velocity - direction * 8.0, angular_velocity: spin, ..RigidMotion::at_rest(start)
        };
        let turning = RigidMotion { angular_velocity: spin_b, ..RigidMotion::at_rest(Pose::identity()) };
        let other = [dumb_bell(), Shape::cuboid([0.3, 0.1, 0.6]).unwrap()][which].clone();
        let ask = |l: &Shape| {
            let interval = TimeInterval::new(0.0, 1.0).unwrap();
            time_of_contact(Moving::new(l, &turning), Moving::new(&other, &motion), interval, &options).unwrap().answer
        };
        let (parts, whole) = (ask(&l_of_boxes()), ask(&l_mesh()));
        // Each is early by at most what the tolerance is worth: the gap at either's time is within it for the other too.
        match (parts.contact(), whole.contact()) {
            (Some(p), Some(w)) => {
                let first = p.time.min(w.time);
                for (time, l) in [(p.time, l_mesh()), (w.time, l_of_boxes())] {
                    let gap = closest(&l, &turning.pose_at(time), &other, &motion.pose_at(time)).unwrap().distance;
                    prop_assert!(gap <= 1.01e-5, "{gap} at {time}: {p:?} {w:?}");
                }
                prop_assert!(first >= 0.0);
            }
            (None, None) => {}
            // Only a graze within the tolerance may be seen by one and not by the other.
            (Some(one), None) | (None, Some(one)) => prop_assert!(one.separation > 0.0, "{parts:?} {whole:?}"),
        }
    }
}

#[test]
fn contacts_of_a_dumb_bell_on_the_floor_are_one_under_each_ball_and_name_it() {
    let bell = dumb_bell();
    let Shape::Compound(compound) = &bell else { panic!("a compound") };
    for floor in [Shape::half_space(Vector::y()).unwrap(), Shape::cuboid([2.0, 1.0, 2.0]).unwrap()] {
        let top = if matches!(floor, Shape::HalfSpace(_)) { 0.0 } else { 1.0 };
        let (mut out, mut cache) = (Vec::new(), ContactCache::default());
        let at = Pose::translation(0.0, top + 0.2505, 0.0);
        for _ in 0..2 {
            out.clear();
            find_contacts(&floor, &Pose::identity(), &bell, &at, 1e-3, &mut cache, &mut out);
        }
        assert_eq!(out.len(), 2, "{out:?}");
        let mut named: Vec<u32> = out.iter().map(|c| compound.part_of_feature(c.features.b).0).collect();
        named.sort_unstable();
        assert_eq!(named, [0, 2]);
        for c in &out {
            assert!((c.separation - 0.0005).abs() < 1e-9 && (c.normal - Vector::y()).norm() < 1e-9, "{c:?}");
        }
        // The other way round the names are on the other side.
        out.clear();
        find_contacts(&bell, &at, &floor, &Pose::identity(), 1e-3, &mut ContactCache::default(), &mut out);
        assert!(out.len() == 2 && out.iter().all(|c| (c.normal + Vector::y()).norm() < 1e-9), "{out:?}");
    }
}

/// Where a ball that rolls along x for two seconds is after each step.
fn ways_of_a_ball(floor: &Shape) -> Vec<Vector> {
    let mut world = World::new(WorldSettings::default()).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, floor.clone(), Pose::identity())).unwrap();
    let mut ball =
        BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.1).unwrap(), Pose::translation(-1.0, 0.1001, 0.0));
    ball.linear_velocity.x = 1.0;
    let id = world.add_body(ball).unwrap();
    let mut after = || {
        world.step(1.0 / 60.0).unwrap();
        world.body(id).unwrap().pose().translation.vector
    };
    (0..120).map(|_| after()).collect()
}

#[test]
fn what_rolls_over_a_part_that_is_buried_in_another_does_not_feel_it() {
    let slab = (Pose::translation(0.0, -0.5, 0.0), Shape::cuboid([3.0, 0.5, 3.0]).unwrap());
    let alone = ways_of_a_ball(&Shape::compound([slab.clone()]).unwrap());
    assert!(alone.last().unwrap().x > 0.4);
    for depth in [2e-4, 1e-3, 1e-2] {
        let buried = (Pose::translation(0.0, -0.1 - depth, 0.02), Shape::cuboid([0.2, 0.1, 0.2]).unwrap());
        let turned = |(pose, shape): &(Pose, Shape)| (shape.clone(), *pose);
        let union = Shape::csg(Operation::Union, &[turned(&slab), turned(&buried)]).unwrap();
        for floor in [Shape::compound([slab.clone(), buried]).unwrap(), union] {
            let ways = ways_of_a_ball(&floor);
            let off = ways.iter().zip(&alone).map(|(p, q)| (p - q).norm()).fold(0.0, Real::max);
            assert!(off < 1e-9, "{depth} m down in a {}: {off} m off", floor.as_solid().kind());
        }
    }
}

#[test]
fn a_union_collides_as_the_compound_of_its_parts_and_weighs_what_it_fills() {
    let (bar, post) = (Shape::cuboid([1.0, 0.25, 0.25]).unwrap(), Shape::cuboid([0.25, 1.0, 0.25]).unwrap());
    let inner = [(bar, Pose::translation(0.0, -0.75, 0.0)), (post, Pose::translation(-0.75, 0.0, 0.0))];
    let inner = Shape::csg(Operation::Union, &inner).unwrap();
    let union = Shape::csg(Operation::Union, &[(inner, Pose::identity())]).unwrap();
    let (own, l) = (union.as_compound().unwrap(), l_of_boxes());
    let boxes = l.as_compound().unwrap();
    assert_eq!(own.parts().len(), 2);
    assert!(own.parts().iter().zip(boxes.parts()).all(|(p, q)| p.pose == q.pose && p.shape.as_solid().kind() == "box"));
    let mass = |shape: &Shape| shape.mass_properties(1.0).unwrap().0.mass;
    assert!((mass(&union) - mass(&l_mesh())).abs() < 1e-3 && mass(&l) > mass(&union) + 0.1);
    let [plane, ball] = [Shape::half_space(Vector::y()).unwrap(), Shape::ball(1.0).unwrap()];
    let home = Pose::identity();
    for (operation, part) in [(Operation::Union, plane), (Operation::Difference, ball)] {
        assert!(Shape::csg(operation, &[(part, home), (union.clone(), home)]).unwrap().as_compound().is_none());
    }
}

#[test]
fn a_flat_floor_of_tiles_carries_a_box_at_its_corners_and_few_other_points() {
    let tile = Shape::cuboid([0.5, 0.1, 0.5]).unwrap();
    let tiles = (0..25).map(|i| (Pose::translation(Real::from(i % 5), -0.1, Real::from(i / 5)), tile.clone()));
    let floor = Shape::compound(tiles).unwrap();
    let (mut out, mut cache) = (Vec::new(), ContactCache::default());
    let at = Pose::translation(2.1, 0.3005, 1.9);
    let cube = Shape::cuboid([0.9, 0.3, 0.9]).unwrap();
    find_contacts(&floor, &Pose::identity(), &cube, &at, 1e-3, &mut cache, &mut out);
    // Nine tiles under the box meet it in 36 points.
    assert!(out.len() <= 8, "{out:?}");
    assert!(out.iter().all(|c| (c.normal - Vector::y()).norm() < 1e-9 && (c.separation - 0.0005).abs() < 1e-9));
    for (x, z) in [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)] {
        let corner = at * Point::new(x, -0.3, z);
        assert!(out.iter().any(|c| (c.point_b - corner).norm() < 1e-9), "{out:?}");
    }
}

#[test]
fn any_method_takes_compounds_part_by_part_and_a_mesh_may_be_a_part() {
    let bell = dumb_bell();
    let torus_like = Shape::compound([(Pose::translation(0.0, 0.5, 0.0), l_mesh()), (Pose::identity(), bell)]).unwrap();
    let ball = Shape::ball(0.2).unwrap();
    let motion = RigidMotion {
        linear_velocity: Vector::new(-10.0, 0.0, 0.0),
        ..RigidMotion::at_rest(Pose::translation(5.0, 0.0, 0.0))
    };
    let rest = RigidMotion::at_rest(Pose::identity());
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    for method in [Method::Auto, Method::Advancement, Method::ObbBisection, Method::Segments] {
        let options = TocOptions { tolerance: 1e-4, method, ..TocOptions::default() };
        let found = time_of_contact(Moving::new(&torus_like, &rest), Moving::new(&ball, &motion), interval, &options);
        // The bar of the L is at y from -0.5 to 0 with its end at x = 1, and the ball is at height 0.
        let Toc::Contact(c) = found.unwrap().answer else { panic!("{method:?} misses") };
        assert!(c.time <= 0.38 && c.time > 0.38 - 2e-5, "{method:?}: {c:?}");
        assert!((c.normal - Vector::x()).norm() < 1e-2, "{method:?}: {c:?}");
    }
}

#[test]
fn a_compound_inside_a_closed_mesh_part_overlaps_it() {
    let room = Shape::compound([(Pose::identity(), l_mesh().scaled(&Vector::repeat(10.0)).unwrap())]).unwrap();
    let at = Pose::translation(-7.5, -7.5, 0.0);
    let found = closest(&room, &Pose::identity(), &dumb_bell(), &at).unwrap();
    assert!(found.distance < -1.0, "{found:?}");
    let rest = [RigidMotion::at_rest(Pose::identity()), RigidMotion::at_rest(at)];
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    let bell = dumb_bell();
    let toc =
        time_of_contact(Moving::new(&room, &rest[0]), Moving::new(&bell, &rest[1]), interval, &TocOptions::default());
    assert!(matches!(toc.unwrap().answer, Toc::Overlapping(c) if c.separation < -1.0));
}

#[test]
fn far_from_the_origin_parts_keep_their_digits() {
    let home = Vector::new(1e6, -1e6, 1e6);
    let options = TocOptions { tolerance: 1e-7, ..TocOptions::default() };
    let bell = dumb_bell();
    let ask = |shift: Vector| {
        let falling = RigidMotion {
            linear_velocity: Vector::new(0.0, -1.0, 0.0),
            ..RigidMotion::at_rest(Pose::from_parts((shift + Vector::new(0.0, 1.25, 0.0)).into(), Rotation::identity()))
        };
        let rest = RigidMotion::at_rest(Pose::from_parts(shift.into(), Rotation::identity()));
        let tile =
            Shape::compound([(Pose::translation(0.0, -1.0, 0.0), Shape::cuboid([3.0, 1.0, 3.0]).unwrap())]).unwrap();
        let interval = TimeInterval::new(0.0, 2.0).unwrap();
        let toc = time_of_contact(Moving::new(&tile, &rest), Moving::new(&bell, &falling), interval, &options);
        toc.unwrap().answer.contact().copied().unwrap()
    };
    let (near, far) = (ask(Vector::zeros()), ask(home));
    assert!(near.time <= 1.0 && near.time > 1.0 - 1e-6, "{near:?}");
    assert!((far.time - near.time).abs() < 1e-9, "{far:?} {near:?}");
    assert!((far.point_a - near.point_a - home).norm() < 1e-8, "{far:?} {near:?}");
}

#[test]
fn a_dumb_bell_falls_on_a_step_of_boxes_and_comes_to_rest_without_crossing_it() {
    let step = Shape::compound([
        (Pose::translation(0.0, -0.5, 0.0), Shape::cuboid([3.0, 0.5, 3.0]).unwrap()),
        (Pose::translation(-1.5, 0.1, 0.0), Shape::cuboid([1.5, 0.1, 3.0]).unwrap()),
    ])
    .unwrap();
    let mut world = World::new(WorldSettings::default()).unwrap();
    let ground = world.add_body(BodyDefinition::new(BodyKind::Static, step.clone(), Pose::identity())).unwrap();
    let at = Pose::translation(0.1, 1.0, 0.0);
    let bell = world.add_body(BodyDefinition::new(BodyKind::Dynamic, dumb_bell(), at)).unwrap();
    let mut least = Real::INFINITY;
    for _ in 0..180 {
        world.step(1.0 / 60.0).unwrap();
        let (a, b) = (world.body(ground).unwrap(), world.body(bell).unwrap());
        let gap = closest(a.shape(), a.pose(), b.shape(), b.pose()).unwrap().distance;
        least = least.min(gap);
    }
    assert!(least > 0.0, "{least}");
    let body = world.body(bell).unwrap();
    assert!(body.linear_velocity().norm() < 0.2, "{body:?}");
}
