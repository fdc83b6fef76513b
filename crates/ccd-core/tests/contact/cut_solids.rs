//! Solids that others are cut out of: contacts as of the solid before it was cut, wherever that one is touched where it was not cut.

use ccd_core::contact::{ContactCache, ContactPoint, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

use crate::common::fields::as_one_field;
use crate::common::random::Random;

const MARGIN: Real = 1e-3;

/// A cylinder of radius 0.2 and height 0.5 with a bore of radius 0.15 along it.
fn tube() -> Shape {
    let part = |radius, half| (Shape::cylinder(radius, half).unwrap(), Pose::identity());
    Shape::csg(Operation::Difference, &[part(0.2, 0.25), part(0.15, 0.4)]).unwrap()
}

fn contacts(a: &Shape, b: &Shape, pose_b: &Pose) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    find_contacts(a, &Pose::identity(), b, pose_b, MARGIN, &mut ContactCache::default(), &mut out);
    out
}

/// How far a place is from the surface of the tube.
fn off_the_tube(p: &Point) -> Real {
    let r = p.x.hypot(p.z);
    let over = (r - 0.2).max(0.15 - r).max(p.y.abs() - 0.25);
    over.abs()
}

#[test]
fn a_tube_lies_and_stands_on_what_a_cylinder_would() {
    let floor = Shape::cuboid([2.0, 0.5, 2.0]).unwrap();
    let cylinder = Shape::cylinder(0.2, 0.25).unwrap();
    for (turn, height) in [(0.0, 0.25), (std::f64::consts::FRAC_PI_2, 0.2)] {
        let turned = Rotation::from_scaled_axis(Vector::x() * turn);
        let pose = Pose::from_parts(Vector::new(0.1, 0.5 + height + 2e-4, 0.0).into(), turned);
        let places = |shape| {
            let found = contacts(&floor, shape, &pose);
            found.iter().map(|c| (c.point_a, c.point_b, c.normal, c.separation)).collect::<Vec<_>>()
        };
        let (mut own, mut whole) = (places(&tube()), places(&cylinder));
        let order = |p: &(Point, Point, Vector, Real), q: &(Point, Point, Vector, Real)| {
            p.0.x.total_cmp(&q.0.x).then(p.0.z.total_cmp(&q.0.z))
        };
        own.sort_by(order);
        whole.sort_by(order);
        assert!(own.len() >= 2 && own == whole, "{own:?} {whole:?}");
    }
}

#[test]
fn contacts_of_cut_solids_are_on_what_is_left_and_have_the_nearest_among_them() {
    let mut random = Random(0xc07);
    let others = [
        Shape::ball(0.1).unwrap(),
        Shape::cuboid([0.3, 0.05, 0.2]).unwrap(),
        Shape::capsule(0.06, 0.2).unwrap(),
        Shape::cone(0.14, 0.2).unwrap(),
        tube(),
    ];
    let (mut touching, mut in_the_bore) = (0, 0);
    for k in 0..70 {
        let other = &others[k % others.len()];
        // A ball starts in the middle of the bore, whatever is larger outside.
        let starts_in = k % others.len() == 0;
        let way = random.direction();
        let away = if starts_in { Vector::new(way.x, 0.3 * way.y, way.z) } else { way }.normalize();
        let at = |by: Real| Pose::from_parts((away * by).into(), Rotation::from_scaled_axis(away * 3.0));
        // Moved along its way until it nearly touches.
        let gap = |by: Real| closest(&tube(), &Pose::identity(), other, &at(by)).unwrap().distance;
        let (mut near, mut far) = if starts_in { (0.0, 0.12) } else { (0.8, 0.0) };
        if gap(near) <= 0.5 * MARGIN {
            continue;
        }
        for _ in 0..20 {
            let middle = 0.5 * (near + far);
            if gap(middle) > 0.5 * MARGIN { near = middle } else { far = middle }
        }
        let pose = at(near);
        let nearest = closest(&tube(), &Pose::identity(), other, &pose).unwrap();
        if nearest.distance > 0.9 * MARGIN {
            continue;
        }
        touching += 1;
        in_the_bore += usize::from(nearest.point_a.x.hypot(nearest.point_a.z) < 0.16 && nearest.point_a.y.abs() < 0.2);
        let found = contacts(&tube(), other, &pose);
        let least = found.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
        assert!(least <= 1.06 * nearest.distance, "{k}: {least} {nearest:?}");
        for c in &found {
            assert!(off_the_tube(&c.point_a) < 1e-6, "{k}: {c:?}");
            if k % others.len() == 4 {
                assert!(off_the_tube(&pose.inverse_transform_point(&c.point_b)) < 1e-6, "{k}: {c:?}");
            }
        }
    }
    assert!(touching > 40 && in_the_bore > 5, "{touching} touch, {in_the_bore} of them in the bore");
}

#[test]
fn nothing_is_held_up_over_a_hole() {
    // A corner of a small box over the mouth of a pit, nearer to where the slab's top was than contacts are looked for.
    let slab = (Shape::cuboid([1.0, 0.5, 1.0]).unwrap(), Pose::translation(0.0, -0.5, 0.0));
    let pit = (Shape::cylinder(0.3, 0.4).unwrap(), Pose::identity());
    let ground = Shape::csg(Operation::Difference, &[slab, pit]).unwrap();
    let tilted = Rotation::from_scaled_axis(Vector::new(0.7, 0.0, 0.6));
    let cube = Shape::cuboid([0.1; 3]).unwrap();
    let lowest = (0..8).map(|k| {
        let corner = Vector::from_fn(|axis, _| if k >> axis & 1 == 1 { 0.1 } else { -0.1 });
        (tilted * corner).y
    });
    let height = 0.5 * MARGIN - lowest.fold(0.0, Real::min);
    assert!(contacts(&ground, &cube, &Pose::from_parts(Vector::new(0.0, height, 0.0).into(), tilted)).is_empty());
    assert!(!contacts(&ground, &cube, &Pose::from_parts(Vector::new(0.6, height, 0.0).into(), tilted)).is_empty());
    // What rolls over the edge falls in, and lies on the pit's floor.
    let mut world = World::new(WorldSettings::default()).unwrap();
    world.add_body(BodyDefinition::new(BodyKind::Static, ground.clone(), Pose::identity())).unwrap();
    let mut ball =
        BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.1).unwrap(), Pose::translation(-0.7, 0.1001, 0.0));
    ball.linear_velocity.x = 0.7;
    let id = world.add_body(ball).unwrap();
    for _ in 0..240 {
        world.step(1.0 / 60.0).unwrap();
        let body = world.body(id).unwrap();
        assert!(closest(&ground, &Pose::identity(), body.shape(), body.pose()).unwrap().distance > 0.0);
    }
    let place = world.body(id).unwrap().pose().translation.vector;
    assert!((place.y + 0.3).abs() < 2e-3 && place.x.hypot(place.z) < 0.2, "{place}");
}

/// A block with a notch, in a frame of its own that is turned so that nothing comes out even.
fn notched(place: &Pose, cutter: [Real; 3], at: [Real; 3]) -> Shape {
    let block = (Shape::cuboid([0.5; 3]).unwrap(), *place);
    let cutter = (Shape::cuboid(cutter).unwrap(), place * Pose::translation(at[0], at[1], at[2]));
    Shape::csg(Operation::Difference, &[block, cutter]).unwrap()
}

#[test]
fn a_notch_that_ends_in_the_faces_of_a_block_is_open() {
    let turned =
        Pose::from_parts(Vector::new(0.3, -0.7, 0.1).into(), Rotation::from_scaled_axis(Vector::new(0.4, 0.3, -0.9)));
    let cube = Shape::cuboid([0.1; 3]).unwrap();
    for place in [Pose::identity(), turned] {
        let step = notched(&place, [0.25, 0.25, 0.5], [0.25, 0.25, 0.0]);
        let over = |x: Real, y: Real| contacts(&step, &cube, &(place * Pose::translation(x, y + 0.5 * MARGIN, 0.0)));
        assert!(over(0.25, 0.6).is_empty(), "{:?}", over(0.25, 0.6));
        assert_eq!(over(-0.25, 0.6).len(), 4);
        let up = place.rotation * Vector::y();
        let in_the_notch = over(0.3, 0.1);
        assert!(in_the_notch.len() >= 4 && in_the_notch.iter().all(|c| c.normal.dot(&up) > 0.999), "{in_the_notch:?}");
        // Over the edge of the notch only what is left touches.
        let edge = over(0.02, 0.6);
        let x = |p: &Point| place.inverse_transform_point(p).x;
        assert!(!edge.is_empty() && edge.iter().all(|c| x(&c.point_a) < 1e-6), "{edge:?}");
        // The same as with a cutter that reaches out.
        let wide = notched(&place, [0.5, 0.5, 0.7], [0.5, 0.5, 0.0]);
        let ball = Shape::ball(0.1).unwrap();
        for at in [[0.2, 0.3, 0.1], [0.6, 0.6, 0.0], [0.3, 0.7, 0.7], [0.2, 0.2, 0.45], [-0.3, 0.8, 0.0]] {
            let pose = place * Pose::translation(at[0], at[1], at[2]);
            let [own, other] =
                [&step, &wide].map(|shape| closest(shape, &Pose::identity(), &ball, &pose).unwrap().distance);
            assert!((own - other).abs() < 1e-6, "{at:?}: {own} {other}");
        }
    }
}

#[test]
fn what_is_over_pits_and_notches_that_end_in_the_ground_falls_in() {
    let slab = || (Shape::cuboid([2.0, 0.5, 2.0]).unwrap(), Pose::translation(0.0, -0.5, 0.0));
    let half_space = || (Shape::half_space(Vector::y()).unwrap(), Pose::identity());
    let pit = (Shape::cylinder(0.3, 0.15).unwrap(), Pose::translation(0.0, -0.15, 0.0));
    let trench = (Shape::cuboid([0.3, 0.15, 0.3]).unwrap(), Pose::translation(0.0, -0.15, 0.0));
    for whole in [slab(), half_space()] {
        for cutter in [&pit, &trench] {
            let ground = Shape::csg(Operation::Difference, &[whole.clone(), cutter.clone()]).unwrap();
            let mut world = World::new(WorldSettings::default()).unwrap();
            world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
            let at = Pose::translation(0.05, 0.3, 0.0);
            let ball = BodyDefinition::new(BodyKind::Dynamic, Shape::ball(0.1).unwrap(), at);
            let id = world.add_body(ball).unwrap();
            for _ in 0..90 {
                assert_eq!(world.step(1.0 / 60.0).unwrap().time_lost, 0.0);
            }
            let height = world.body(id).unwrap().pose().translation.y;
            assert!((height + 0.2).abs() < 1e-3, "{height} in {}", cutter.0.as_solid().kind());
        }
    }
}

#[test]
fn a_search_of_cells_finds_no_contact_that_the_uncut_solids_lack() {
    let mut random = Random(0x5eed);
    let floor = Shape::half_space(Vector::y()).unwrap();
    for _ in 0..60 {
        let rotation = random.rotation();
        let axis = rotation * Vector::y();
        let low = -0.25 * axis.y.abs() - 0.2 * axis.x.hypot(axis.z);
        let pose = Pose::from_parts(Vector::new(0.0, 3e-4 - low, 0.0).into(), rotation);
        let (quick, cells) = (contacts(&floor, &tube(), &pose), contacts(&floor, &as_one_field(&tube()), &pose));
        assert!(!quick.is_empty() && !cells.is_empty());
        for c in &cells {
            let gap = |q: &ContactPoint| q.separation - c.separation;
            // Nothing that the cells find is lower than what holds the cylinder up.
            assert!(quick.iter().any(|q| gap(q) < 1e-6 && (q.normal - c.normal).norm() < 1e-3), "{c:?} {quick:?}");
        }
    }
}
