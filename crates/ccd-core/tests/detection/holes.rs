//! What is in the hole of a difference: held against a formula for what is in the solid, and against closed forms.

use ccd_core::contact::{ContactCache, ContactPoint, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;

use crate::common::environment::from_environment;
use crate::common::models::{box_mesh, corner};
use crate::common::random::Random;

/// What is cut out, and what says of a place whether it is within it.
#[derive(Clone, Copy, Debug)]
enum Cutter {
    /// A half-pipe along z, through.
    Pipe,
    Bowl,
    /// Open at the top.
    Pocket,
    /// Closed at both ends.
    Chamber,
    /// A wedge with planes of any slant.
    Prism,
}

const CUTTERS: [Cutter; 5] = [Cutter::Pipe, Cutter::Bowl, Cutter::Pocket, Cutter::Chamber, Cutter::Prism];
const BLOCK: [Real; 3] = [1.2, 0.8, 1.5];

impl Cutter {
    fn prism() -> Vec<Point> {
        let corner = |x: Real, y: Real, z: Real| Point::new(x, y, z);
        let ends = [-1.0, 1.0].map(|z| [corner(-0.8, 0.9, z), corner(0.9, 1.0, z), corner(0.1, -0.7, 0.8 * z)]);
        ends.concat()
    }

    fn cut(self) -> Shape {
        let along_z = Rotation::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
        let at = |y: Real, turn: Rotation| Pose::from_parts(Vector::new(0.0, y, 0.0).into(), turn);
        let upright = Rotation::identity();
        let (cutter, pose) = match self {
            Self::Pipe => (Shape::cylinder(1.0, 2.0).unwrap(), at(0.8, along_z)),
            Self::Bowl => (Shape::ball(1.1).unwrap(), at(0.9, upright)),
            Self::Pocket => (Shape::cuboid([0.7, 0.9, 0.9]).unwrap(), at(0.4, upright)),
            Self::Chamber => (Shape::cylinder(0.6, 1.1).unwrap(), at(0.0, along_z)),
            Self::Prism => (Shape::convex_hull(&Self::prism()).unwrap(), Pose::identity()),
        };
        let block = (Shape::cuboid(BLOCK).unwrap(), Pose::identity());
        Shape::csg(Operation::Difference, &[block, (cutter, pose)]).unwrap()
    }

    /// Whether the solid holds a place.
    fn holds(self, p: &Point) -> bool {
        let is_cut = match self {
            Self::Pipe => p.x.hypot(p.y - 0.8) < 1.0,
            Self::Bowl => (p - Point::new(0.0, 0.9, 0.0)).norm() < 1.1,
            Self::Pocket => p.x.abs() < 0.7 && p.z.abs() < 0.9 && p.y > -0.5,
            Self::Chamber => p.x.hypot(p.y) < 0.6 && p.z.abs() < 1.1,
            Self::Prism => {
                let [a, b, c, d, e, f]: [Point; 6] = Self::prism().try_into().unwrap();
                let planes = [[a, b, c], [d, f, e], [a, c, f], [c, b, e], [a, d, b]];
                let middle = Point::new(0.1, 0.3, 0.0);
                planes.iter().all(|[p0, p1, p2]| {
                    let normal = (p1 - p0).cross(&(p2 - p0));
                    normal.dot(&(p - p0)) * normal.dot(&(middle - p0)) > 0.0
                })
            }
        };
        (0..3).all(|k| p[k].abs() <= BLOCK[k]) && !is_cut
    }
}

/// A body, and places all over it.
fn body(random: &mut Random) -> (Shape, Vec<Point>) {
    let half: [Real; 3] = std::array::from_fn(|_| random.between(0.03, 0.3));
    let (radius, length) = (random.between(0.03, 0.2), random.between(0.03, 0.3));
    let corners = |half: [Real; 3]| (0..8).map(|k| corner(k, &half)).collect::<Vec<_>>();
    let directions: Vec<Vector> = (0..60).map(|_| random.direction()).collect();
    let around = |middle: Point, radius: Real| directions.iter().map(move |d| middle + d * radius).collect::<Vec<_>>();
    // Between any two corners.
    let filled = |corners: Vec<Point>| {
        let between = |p: &Point| corners.iter().map(|q| nalgebra::center(p, q)).collect::<Vec<_>>();
        corners.iter().flat_map(between).chain(corners.iter().copied()).collect::<Vec<_>>()
    };
    match random.below(6) {
        0 => (Shape::cuboid(half).unwrap(), filled(corners(half))),
        1 => (Shape::ball(radius).unwrap(), around(Point::origin(), radius)),
        2 => {
            let ends = [length, -length].map(|y| around(Point::new(0.0, y, 0.0), radius));
            (Shape::capsule(radius, length).unwrap(), ends.concat())
        }
        3 => {
            let rims = [length, -length].map(|y| {
                let rim = directions.iter().filter_map(|d| Vector::new(d.x, 0.0, d.z).try_normalize(1e-2));
                rim.map(|d| Point::new(0.0, y, 0.0) + d * radius).collect::<Vec<_>>()
            });
            (Shape::cylinder(radius, length).unwrap(), rims.concat())
        }
        4 => {
            let points: Vec<Point> = around(Point::origin(), 1.5 * radius).into_iter().take(12).collect();
            (Shape::convex_hull(&points).unwrap(), filled(points))
        }
        _ => {
            let parts = [half, [half[2], half[0], half[1]]];
            let pose = Pose::translation(half[0], 0.0, 0.0);
            let places = [Pose::identity(), pose];
            let part = |(half, pose): (&[Real; 3], &Pose)| (*pose, Shape::cuboid(*half).unwrap());
            let shape = Shape::compound(parts.iter().zip(&places).map(part)).unwrap();
            let points = parts
                .iter()
                .zip(&places)
                .flat_map(|(half, pose)| filled(corners(*half)).into_iter().map(move |p| pose * p));
            (shape, points.collect())
        }
    }
}

fn pose(random: &mut Random) -> Pose {
    Pose::from_parts((random.direction() * 3.0).into(), random.rotation())
}

#[test]
fn nothing_that_moves_in_a_hole_comes_to_its_wall_unseen_and_what_is_seen_is_there() {
    let mut random = Random(from_environment("CCD_BASE", 61) as u64);
    let count = 400 * from_environment("CCD_SCALE", 1);
    let options = TocOptions { tolerance: 1e-4, ..TocOptions::default() };
    let (mut touches, mut stays) = (0, 0);
    while touches + stays < count {
        let cutter = CUTTERS[random.below(CUTTERS.len())];
        let ((shape, places), whole) = (body(&mut random), cutter.cut());
        // The whole may move, too.
        let home = if random.chance(0.5) { Pose::identity() } else { pose(&mut random) };
        let inside = Pose::from_parts(Vector::new(0.1, 0.2, 0.0).into(), random.rotation());
        if places.iter().any(|p| cutter.holds(&(inside * p))) {
            continue;
        }
        let is_fast = random.chance(0.2);
        let motion = |start: Pose, random: &mut Random| RigidMotion {
            start,
            local_centre: Point::from(random.direction() * 0.1),
            linear_velocity: random.direction() * random.between(0.0, 3.0),
            angular_velocity: random.direction() * random.between(0.0, if is_fast { 60.0 } else { 4.0 }),
        };
        let moving = motion(home * inside, &mut random);
        let beneath = if random.chance(0.5) { RigidMotion::at_rest(home) } else { motion(home, &mut random) };
        let length = random.between(0.02, 0.4);
        let interval = TimeInterval::new(0.0, length).unwrap();
        let swapped = random.chance(0.5);
        let (one, other) = (Moving::new(&shape, &moving), Moving::new(&whole, &beneath));
        let found = if swapped {
            time_of_contact(other, one, interval, &options).unwrap().answer.swapped()
        } else {
            time_of_contact(one, other, interval, &options).unwrap().answer
        };
        let until = match &found {
            Toc::Separated => length,
            Toc::Contact(contact) => contact.time,
            // It began nearer than its few places tell.
            Toc::Overlapping(start) => {
                let in_it = cutter.holds(&home.inverse_transform_point(&start.point_a));
                assert!(in_it || (0.0..=options.tolerance).contains(&start.separation), "{cutter:?} {start:?}");
                continue;
            }
            other @ Toc::Undecided { .. } => panic!("{cutter:?} {shape:?} {moving:?} {beneath:?}: {other:?}"),
        };
        let steps = 60;
        for i in 0..=steps {
            let t = until * Real::from(i) / Real::from(steps);
            let relative = beneath.pose_at(t).inv_mul(&moving.pose_at(t));
            let place = places.iter().map(|p| relative * p).find(|p| cutter.holds(p));
            assert!(
                place.is_none(),
                "{cutter:?} holds {place:?} at {t} s of {until} s: {shape:?} {moving:?} {beneath:?}"
            );
        }
        let Toc::Contact(contact) = found else {
            stays += 1;
            continue;
        };
        touches += 1;
        let (a, b) = (moving.pose_at(contact.time), beneath.pose_at(contact.time));
        let apart = closest(&shape, &a, &whole, &b).unwrap();
        assert!(apart.distance <= options.tolerance * (1.0 + 1e-6), "{cutter:?} {} m at the contact", apart.distance);
        let way = contact.point_b - contact.point_a;
        assert!((way - contact.normal * contact.separation).norm() <= 1e-9, "{cutter:?} {contact:?}");
        // On the wall: solid on the one side of it, and none on the other.
        let wall = |off: Real| cutter.holds(&b.inverse_transform_point(&(contact.point_b + contact.normal * off)));
        assert!(wall(1e-6) && !wall(-1e-6), "{cutter:?} {contact:?} is not on the wall");
    }
    assert!(touches > count / 5 && stays > count / 5, "{touches} touches, {stays} that stay");
}

#[test]
fn the_distance_from_a_wall_around_is_that_of_closed_form_wherever_there_is_wall() {
    let mut random = Random(62);
    for _ in 0..200 {
        let (radius, off) = (random.between(0.05, 0.3), random.between(0.0, 0.5));
        let angle = random.between(-2.6, -0.6);
        let way = Vector::new(angle.cos(), angle.sin(), 0.0);
        let place = Pose::translation(off * way.x, 0.8 + off * way.y, random.between(-1.0, 1.0));
        let ball = Shape::ball(radius).unwrap();
        let found = closest(&Cutter::Pipe.cut(), &Pose::identity(), &ball, &place).unwrap();
        assert!((found.distance - (1.0 - off - radius)).abs() < 1e-12, "{found:?}");
        assert!(off < 1e-3 || (found.normal + way).norm() < 1e-9, "{found:?}");
        let swapped = closest(&ball, &place, &Cutter::Pipe.cut(), &Pose::identity()).unwrap();
        assert_eq!((swapped.distance, swapped.normal), (found.distance, -found.normal));
    }
    // A ball beyond the end of the pipe is as near as the rim.
    let ball = Shape::ball(0.1).unwrap();
    let beyond = closest(&Cutter::Pipe.cut(), &Pose::identity(), &ball, &Pose::translation(0.0, 0.0, 1.7)).unwrap();
    assert!((beyond.distance - (0.2_f64.hypot(0.2) - 0.1)).abs() < 1e-6, "{beyond:?}");
}

/// The contacts of a plank along a pipe with its wall, in the order of its corners.
fn plank_in_pipe(z: Real) -> Vec<ContactPoint> {
    let plank = Shape::cuboid([0.2, 0.05, 0.5]).unwrap();
    let (gap, lean) = (1e-4, 0.3);
    // Its lower edges are as far from the axis as the wall, less the gap.
    let depth = ((1.0 - gap) * (1.0_f64 - gap) - 0.2 * 0.2).sqrt() - 0.05;
    let turn = Rotation::from_scaled_axis(Vector::z() * lean);
    let place = Point::new(0.0, 0.8, z) - turn * Vector::y() * depth;
    let mut out = Vec::new();
    let pose = Pose::from_parts(place.coords.into(), turn);
    find_contacts(&Cutter::Pipe.cut(), &Pose::identity(), &plank, &pose, 1e-3, &mut ContactCache::default(), &mut out);
    out
}

#[test]
fn a_plank_in_a_pipe_has_a_contact_at_each_corner_with_the_normal_of_the_wall() {
    let found = plank_in_pipe(0.1);
    assert_eq!(found.len(), 4, "{found:?}");
    for c in &found {
        let to_axis = Vector::new(-c.point_a.x, 0.8 - c.point_a.y, 0.0);
        assert!((to_axis.norm() - 1.0).abs() < 1e-12 && (c.normal - to_axis).norm() < 1e-12, "{c:?}");
        assert!((c.separation - 1e-4).abs() < 1e-12, "{c:?}");
    }
    assert_eq!(found.iter().filter(|c| (c.point_b.z - 0.6).abs() < 1e-12).count(), 2);
}

#[test]
fn where_the_wall_ends_beside_it_a_plank_touches_its_rim() {
    let found = plank_in_pipe(1.3);
    assert!(found.iter().all(|c| c.point_a.z <= 1.5 + 1e-6), "{found:?}");
    let at_the_rim = found.iter().filter(|c| (c.point_a.z - 1.5).abs() < 0.1).count();
    assert!(at_the_rim >= 2, "{found:?}");
}

#[test]
fn a_mesh_that_floats_in_a_hollow_box_is_as_far_from_its_walls_as_its_corners() {
    let mesh = box_mesh([0.1, 0.2, 0.3]);
    let part = |half: Real| (Shape::cuboid([half; 3]).unwrap(), Pose::identity());
    let hollow = Shape::csg(Operation::Difference, &[part(1.0), part(0.5)]).unwrap();
    let found = closest(&hollow, &Pose::identity(), &mesh, &Pose::translation(0.0, 0.25, 0.0)).unwrap();
    assert!((found.distance - 0.05).abs() < 1e-15 && (found.normal + Vector::y()).norm() < 1e-15, "{found:?}");
}
