//! Solids that touch: the normal is the one direction that separates them, though the way between the nearest points is nothing but rounding.
//!
//! The poses are made so that the direction is known: a corner, edge or side over the inside of a face, and edges that cross.

use ccd_core::detection::closest::{Closest, ClosestMethod, PairMemory, closest, closest_by};
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Point, Pose, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;

use crate::common::models::{corner, flat_sheet, l_prism, mesh};
use crate::common::random::Random;

const ALL: &[ClosestMethod] =
    &[ClosestMethod::Auto, ClosestMethod::Gjk, ClosestMethod::VClip, ClosestMethod::SeparatingAxis];
const ANY: &[ClosestMethod] = &[ClosestMethod::Auto, ClosestMethod::Gjk];
/// Gaps, metres, minus overlaps.
const GAPS: [f64; 8] = [0.0, 0.0, 1e-16, 1e-15, 1e-14, 1e-12, -1e-16, -1e-15];

/// A convex solid: how far it reaches along a direction of its frame, the point that does, and what takes it.
struct Body {
    shape: Shape,
    support: Box<dyn Fn(&Vector) -> Vector>,
    methods: &'static [ClosestMethod],
    /// How exact a direction is that its sides meet in.
    fine: f64,
}

fn polytope(shape: Shape, corners: Vec<Point>) -> Body {
    let furthest = |corners: &[Point], d: &Vector| {
        corners.iter().map(|p| p.coords).max_by(|p, q| p.dot(d).total_cmp(&q.dot(d))).unwrap()
    };
    Body { shape, support: Box::new(move |d| furthest(&corners, d)), methods: ALL, fine: 1e-9 }
}

fn hull(corners: Vec<Point>) -> Body {
    polytope(Shape::convex_hull(&corners).unwrap(), corners)
}

fn prism(sides: u32, radius: f64, half: f64) -> Body {
    let angle = |k: u32| std::f64::consts::TAU * f64::from(k) / f64::from(sides);
    let ring = |y: f64| (0..sides).map(move |k| Point::new(radius * angle(k).cos(), y, radius * angle(k).sin()));
    hull(ring(-half).chain(ring(half)).collect())
}

fn cuboid(half: [f64; 3], as_hull: bool) -> Body {
    let corners: Vec<Point> = (0..8).map(|i| corner(i, &half)).collect();
    let shape = if as_hull { Shape::convex_hull(&corners) } else { Ok(Shape::cuboid(half).unwrap()) };
    polytope(shape.unwrap(), corners)
}

fn round(shape: Shape, support: impl Fn(&Vector) -> Vector + 'static) -> Body {
    Body { shape, support: Box::new(support), methods: ANY, fine: 1e-4 }
}

/// The point of a circle about y that is furthest along a direction.
fn rim(radius: f64, d: &Vector) -> Vector {
    let across = Vector::new(d.x, 0.0, d.z);
    across.try_normalize(1e-12).map_or(Vector::zeros(), |n| n * radius)
}

fn bodies(random: &mut Random) -> Vec<Body> {
    let mut size = || random.between(0.1, 1.0);
    let (r, h, t) = (size(), size(), size());
    let tip = move |d: &Vector| {
        let base = rim(r, d) - Vector::y() * h;
        if d.y * h > base.dot(d) { Vector::y() * h } else { base }
    };
    let octahedron = [Vector::x() * r, Vector::y() * h, Vector::z() * t];
    vec![
        cuboid([r, h, t], false),
        cuboid([r, h, t], true),
        prism(6, r, h),
        hull(octahedron.into_iter().flat_map(|v| [v, -v]).map(Point::from).collect()),
        round(Shape::cylinder(r, h).unwrap(), move |d| rim(r, d) + Vector::y() * h.copysign(d.y)),
        round(Shape::cone(r, h).unwrap(), tip),
        round(Shape::ball(r).unwrap(), move |d| d * (r / d.norm())),
        round(Shape::capsule(r, h).unwrap(), move |d| d * (r / d.norm()) + Vector::y() * h.copysign(d.y)),
    ]
}

/// A turn that stands a body on a corner, an edge or a side.
fn stance(random: &mut Random) -> Rotation {
    let about = |axis, angle| Rotation::from_axis_angle(&axis, angle);
    let quarter = std::f64::consts::FRAC_PI_2;
    let turn = match random.below(4) {
        0 => return random.rotation(),
        1 => about(Vector::z_axis(), random.between(0.2, 1.3)),
        2 => about(Vector::x_axis(), random.below(4) as f64 * quarter),
        _ => about(Vector::z_axis(), random.below(4) as f64 * quarter),
    };
    about(Vector::y_axis(), random.between(0.0, 6.0)) * turn
}

/// Ground whose top is the plane y = 0 around the origin, and how far it goes.
fn grounds() -> Vec<Body> {
    let (half, far) = (0.5, 3.0);
    let down = Vector::y() * half;
    let mut all = vec![cuboid([far, half, far], false), cuboid([far, half, far], true), prism(7, 4.0, half)];
    all.push(round(Shape::cylinder(far, half).unwrap(), move |d| rim(far, d) + down.map(|y| y.copysign(d.y))));
    all
}

/// Where a body stands so that it is `gap` metres over the plane y = 0, somewhere over the ground.
fn standing(random: &mut Random, body: &Body, gap: f64) -> Pose {
    let turn = stance(random);
    let lowest = turn * (body.support)(&turn.inverse_transform_vector(&-Vector::y()));
    let aside = |random: &mut Random| if random.chance(0.3) { 0.0 } else { random.between(-1.0, 1.0) };
    let place = Vector::new(aside(random), gap - lowest.y, aside(random));
    let centred = place - if random.chance(0.5) { Vector::new(lowest.x, 0.0, lowest.z) } else { Vector::zeros() };
    Pose::from_parts(centred.into(), turn)
}

/// What is found with all of it elsewhere, in the frame before that, with B on top.
fn found(
    random: &mut Random,
    method: ClosestMethod,
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
) -> Closest {
    let frame = match random.below(3) {
        0 => Pose::identity(),
        1 => Pose::from_parts(Vector::zeros().into(), random.rotation()),
        _ => Pose::from_parts((random.direction() * 3.0).into(), random.rotation()),
    };
    let (pose_a, pose_b) = (frame * pose_a, frame * pose_b);
    let found = if random.chance(0.5) {
        closest_by(method, a, &pose_a, b, &pose_b, &mut PairMemory::default()).unwrap()
    } else {
        let found = closest_by(method, b, &pose_b, a, &pose_a, &mut PairMemory::default()).unwrap();
        Closest { point_a: found.point_b, point_b: found.point_a, normal: -found.normal, ..found }
    };
    let back = frame.inverse();
    Closest {
        point_a: back * found.point_a,
        point_b: back * found.point_b,
        normal: back.rotation * found.normal,
        ..found
    }
}

fn assert_touch(found: &Closest, normal: &Vector, gap: f64, fine: f64, told: &dyn Fn() -> String) {
    // The depth of round solids is the least to 1e-11 of their size, which is 13 m at most, and their nearest points are right to nine digits.
    let (exact, near) = if fine < 1e-6 { (2e-14, 1e-11) } else { (1.3e-10, 1e-8) };
    assert!((found.distance - gap).abs() < exact, "{} {found:?}", told());
    assert!((found.normal - normal).norm() < fine, "{} {found:?}", told());
    assert!((found.point_b - found.point_a).norm() < near, "{} {found:?}", told());
}

#[test]
fn what_stands_on_a_face_is_pushed_along_its_normal() {
    let (mut random, mut count) = (Random(0x70c4), 0);
    for round in 0..60 {
        for (g, ground) in grounds().iter().enumerate() {
            for (k, body) in bodies(&mut random).iter().enumerate() {
                let gap = GAPS[random.below(GAPS.len())];
                let (a, b) = (Pose::translation(0.0, -0.5, 0.0), standing(&mut random, body, gap));
                let methods = if ground.methods.len() < body.methods.len() { ground.methods } else { body.methods };
                for method in methods {
                    let found = found(&mut random, *method, (&ground.shape, &a), (&body.shape, &b));
                    let told = || format!("{round} {g} {k} {method} {gap} {b:?}");
                    assert_touch(&found, &Vector::y(), gap, ground.fine.max(body.fine), &told);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 4_000, "{count}");
}

#[test]
fn edges_that_cross_are_pushed_square_to_both() {
    let (mut random, mut count) = (Random(0xed6e), 0);
    for round in 0..300 {
        let mut size = || random.between(0.1, 1.0);
        let (half, other) = ([size(), size(), size()], [size(), size(), size()]);
        // The edge of A along z with the direction between its faces; B's edge along x, which is square to that and turned away.
        let normal = Vector::new(1.0, 1.0, 0.0).normalize();
        let angle = random.between(0.3, 2.8);
        let along = Vector::z() * angle.cos() + Vector::new(1.0, -1.0, 0.0).normalize() * angle.sin();
        let across = normal.cross(&along);
        let axes = [along, (normal + across).normalize(), (normal - across).normalize()];
        let turn = Rotation::from_basis_unchecked(&axes);
        let corner_b = turn * Vector::new(0.0, -other[1], -other[2]);
        let edge = Vector::new(half[0], half[1], random.between(-0.9, 0.9) * half[2]);
        let aside = along * (random.between(-0.9, 0.9) * other[0]);
        let gap = GAPS[random.below(GAPS.len())];
        let pose_b = Pose::from_parts((edge - corner_b + aside + normal * gap).into(), turn);
        for as_hull in [false, true] {
            let (a, b) = (cuboid(half, as_hull).shape, cuboid(other, as_hull).shape);
            for method in ALL {
                let found = found(&mut random, *method, (&a, &Pose::identity()), (&b, &pose_b));
                let told = || format!("{round} {method} {as_hull} {gap} {half:?} {other:?} {pose_b:?}");
                assert_touch(&found, &normal, gap, 1e-9, &told);
                count += 1;
            }
        }
    }
    assert!(count >= 2_400, "{count}");
}

#[test]
fn what_stands_on_meshes_compounds_and_fields_is_pushed_along_their_normal() {
    let (mut random, mut count) = (Random(0x3e5), 0);
    let half = |x: f64| (Pose::translation(x, -0.5, 0.0), Shape::cuboid([2.0, 0.5, 4.0]).unwrap());
    let block = (Pose::translation(0.0, -0.5, 0.0), Shape::cuboid([4.0, 0.5, 4.0]).unwrap());
    let hole = (Pose::translation(3.6, -0.5, 3.6), Shape::cuboid([0.25, 1.0, 0.25]).unwrap());
    let l = mesh(l_prism(4.0, 4.0, 4.0));
    let grounds = [
        ("sheet", mesh(flat_sheet(4.0, 1)), Pose::identity()),
        ("grid", mesh(flat_sheet(4.0, 8)), Pose::identity()),
        ("two boxes", Shape::compound([half(-2.0), half(2.0)]).unwrap(), Pose::identity()),
        ("L", l, Pose::translation(0.0, 1.2, 0.0)),
        (
            "difference",
            Shape::csg(Operation::Difference, &[(block.1, block.0), (hole.1, hole.0)]).unwrap(),
            Pose::identity(),
        ),
    ];
    for _ in 0..20 {
        for (name, ground, a) in &grounds {
            for (k, body) in bodies(&mut random).iter().enumerate() {
                let mut b = standing(&mut random, body, 0.0);
                if *name == "L" {
                    // Beside its upright part.
                    b.translation.vector += Vector::new(1.5, 0.0, 0.0);
                }
                let found = found(&mut random, ClosestMethod::Auto, (ground, a), (&body.shape, &b));
                let told = || format!("{name} {k} {b:?}");
                if *name == "difference" {
                    // What its hull does not tell is searched among cells, to a billionth of the size.
                    assert!(
                        found.distance.abs() < 1e-8 && (found.normal - Vector::y()).norm() < 1e-4,
                        "{found:?} {}",
                        told()
                    );
                } else {
                    assert_touch(&found, &Vector::y(), 0.0, body.fine, &told);
                }
                count += 1;
            }
        }
    }
    assert!(count >= 700, "{count}");
}

#[test]
fn what_touches_at_the_start_is_met_along_the_normal() {
    let (mut random, mut count) = (Random(0x70c), 0);
    let sheet = mesh(flat_sheet(4.0, 2));
    let block = Shape::cuboid([3.0, 0.5, 3.0]).unwrap();
    for _ in 0..40 {
        for (ground, height) in [(&sheet, 0.0), (&block, -0.5)] {
            for (k, body) in bodies(&mut random).iter().enumerate() {
                let b = standing(&mut random, body, 0.0);
                let still = RigidMotion::at_rest(Pose::translation(0.0, height, 0.0));
                let slides = RigidMotion { linear_velocity: random.direction(), ..RigidMotion::at_rest(b) };
                let interval = TimeInterval::new(0.0, 0.01).unwrap();
                let (a, b) = (Moving::new(ground, &still), Moving::new(&body.shape, &slides));
                let met = time_of_contact(a, b, interval, &TocOptions { tolerance: 1e-6, ..TocOptions::default() });
                let Toc::Overlapping(contact) = met.unwrap().answer else { panic!("{k}: no contact at the start") };
                assert!((contact.normal - Vector::y()).norm() < body.fine, "{k} {contact:?}");
                count += 1;
            }
        }
    }
    assert!(count >= 600, "{count}");
}

/// Corners of boxes off the rim of a cylinder along a direction between those of its cap and its side: the way between them is known, and the gap is far
/// less than what a search by support points alone tells of a rim.
#[test]
fn a_corner_close_to_a_rim_is_as_far_from_it_as_it_is() {
    let mut random = Random(73);
    for i in 0..400 {
        let [gap, share] = [[1e-11, 0.2], [1e-10, 0.01], [1e-9, 0.01], [1e-8, 0.01]][i % 4];
        let (radius, half) = (random.between(0.1, 1.0), random.between(0.1, 1.0));
        let extents = std::array::from_fn(|_| random.between(0.1, 1.0));
        let turn = random.rotation();
        let angle = random.between(0.1, 1.4);
        let normal = Vector::new(angle.cos(), angle.sin(), 0.0);
        let corners = (0..8).map(|k| turn * corner(k, &extents).coords);
        let nearest = corners.min_by(|p, q| p.dot(&normal).total_cmp(&q.dot(&normal))).unwrap();
        let place = Vector::new(radius, half, 0.0) + normal * gap;
        let pose = Pose::from_parts((place - nearest).into(), turn);
        // As far as it is where rounding leaves it.
        let at = pose.translation.vector + nearest;
        let truth = (at.x.hypot(at.z) - radius).hypot(at.y - half);
        let (cylinder, cuboid) = (Shape::cylinder(radius, half).unwrap(), Shape::cuboid(extents).unwrap());
        let found = closest(&cylinder, &Pose::identity(), &cuboid, &pose);
        let told = found.unwrap().distance;
        assert!((told - truth).abs() <= share * truth + 1e-14, "{told:e} where {truth:e} is left, placement {i}");
    }
}

/// At its poles a superquadric of this exponent is all but a vertex, and so is a box at its corner: faces of their difference are too thin there to have
/// directions.
#[test]
fn points_of_a_corner_that_dips_into_the_pole_of_a_superquadric_are_over_each_other() {
    let mut random = Random(74);
    for i in 0..300 {
        let depth = [1e-8, 1e-6, 1e-4][i % 3];
        let radii: [f64; 3] = std::array::from_fn(|_| random.between(0.1, 1.0));
        let extents = std::array::from_fn(|_| random.between(0.1, 1.0));
        let mut normal = Vector::zeros();
        normal[i / 3 % 3] = 1.0;
        let pole = normal.component_mul(&Vector::from(radii));
        let turn = random.rotation();
        let corners = (0..8).map(|k| turn * corner(k, &extents).coords);
        let nearest = corners.min_by(|p, q| p.dot(&normal).total_cmp(&q.dot(&normal))).unwrap();
        let pose = Pose::from_parts((pole - normal * depth - nearest).into(), turn);
        let (body, cuboid) = (Shape::superquadric(radii, [1.5, 1.5]).unwrap(), Shape::cuboid(extents).unwrap());
        let found = closest(&body, &Pose::identity(), &cuboid, &pose);
        let Closest { distance, point_a, point_b, normal, .. } = found.unwrap();
        assert!(distance < 0.0, "{distance:e} where {depth:e} is overlap");
        let off = point_b - point_a - normal * distance;
        assert!(off.norm() <= 1e-7, "{:e} off at a depth of {depth:e}, placement {i}", off.norm());
    }
}
