//! Solids that are made of solids that are made of solids, held against what says of a point whether it is in them and shares no code with the
//! library: a formula for each leaf, and "and", "or" and "not" above.
//!
//! `CCD_SCALE` multiplies the counts, `CCD_BASE=n` takes other solids.

use ccd_core::detection::closest::{ClosestError, closest, closest_within, overlap};
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::field::{CsgError, Operation};
use ccd_core::geometry::mass::MassKind;
use ccd_core::geometry::solid::Segment;
use ccd_core::math::{Point, Pose, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::{FieldError, Shape};
use ccd_core::volume::Aabb;

use crate::common::environment::from_environment;
use crate::common::random::Random;

/// How one solid is made.
enum Tree {
    Box([f64; 3]),
    Ball(f64),
    Capsule(f64, f64),
    Cylinder(f64, f64),
    Cone(f64, f64),
    Ellipsoid([f64; 3]),
    Torus(f64, f64),
    Union(Vec<(Self, Pose)>),
    Intersection(Vec<(Self, Pose)>),
    Difference(Vec<(Self, Pose)>),
    Compound(Vec<(Self, Pose)>),
}

impl Tree {
    fn leaf(random: &mut Random) -> Self {
        let mut size = |low: f64, high: f64| random.between(low, high);
        match size(0.0, 7.0) as u32 {
            0 => Self::Box([size(0.05, 0.4), size(0.05, 0.4), size(0.05, 0.4)]),
            1 => Self::Ball(size(0.1, 0.4)),
            2 => Self::Capsule(size(0.05, 0.2), size(0.05, 0.4)),
            3 => Self::Cylinder(size(0.05, 0.3), size(0.05, 0.4)),
            4 => Self::Cone(size(0.1, 0.3), size(0.1, 0.4)),
            5 => Self::Ellipsoid([size(0.1, 0.4), size(0.1, 0.4), size(0.1, 0.4)]),
            _ => Self::Torus(size(0.2, 0.35), size(0.04, 0.15)),
        }
    }

    /// So many levels deep at most.
    fn random(random: &mut Random, levels: usize, may_be_compound: bool) -> Self {
        if levels == 0 || random.chance(0.15) {
            return Self::leaf(random);
        }
        let kind = random.below(if may_be_compound { 4 } else { 3 });
        let count = if kind == 0 { 2 + random.below(2) } else { 2 };
        let off = if kind == 1 { 0.12 } else { 0.25 };
        let parts = (0..count).map(|_| {
            let part = Self::random(random, levels - 1, kind == 3);
            let place = Vector::from_fn(|_, _| random.between(-off, off));
            let turn = if random.chance(0.3) { Rotation::identity() } else { random.rotation() };
            (part, Pose::from_parts(place.into(), turn))
        });
        let parts = parts.collect();
        match kind {
            0 => Self::Union(parts),
            1 => Self::Intersection(parts),
            2 => Self::Difference(parts),
            _ => Self::Compound(parts),
        }
    }

    fn contains(&self, p: &Point) -> bool {
        let (x, y, z) = (p.x, p.y, p.z);
        let round = x.hypot(z);
        let of = |(part, pose): &(Self, Pose)| part.contains(&pose.inverse_transform_point(p));
        match self {
            Self::Box(half) => (0..3).all(|k| p[k].abs() < half[k]),
            Self::Ball(radius) => p.coords.norm() < *radius,
            Self::Capsule(radius, half) => round.hypot((y.abs() - half).max(0.0)) < *radius,
            Self::Cylinder(radius, half) => round < *radius && y.abs() < *half,
            Self::Cone(radius, half) => y.abs() < *half && round < radius * (half - y) / (2.0 * half),
            Self::Ellipsoid(radii) => (0..3).map(|k| (p[k] / radii[k]).powi(2)).sum::<f64>() < 1.0,
            Self::Torus(major, minor) => (round - major).hypot(y) < *minor,
            Self::Union(parts) | Self::Compound(parts) => parts.iter().any(of),
            Self::Intersection(parts) => parts.iter().all(of),
            Self::Difference(parts) => of(&parts[0]) && !parts[1..].iter().any(of),
        }
    }

    /// `None` for what is certainly empty.
    fn shape(&self) -> Option<Shape> {
        let parts_of = |parts: &[(Self, Pose)]| {
            parts.iter().map(|(part, pose)| Some((part.shape()?, *pose))).collect::<Option<Vec<_>>>()
        };
        let made = |operation: Operation, parts: &[(Self, Pose)]| match Shape::csg(operation, &parts_of(parts)?) {
            Err(FieldError::Csg(CsgError::Empty)) => None,
            shape => Some(shape.unwrap()),
        };
        match self {
            Self::Box(half) => Shape::cuboid(*half).ok(),
            Self::Ball(radius) => Shape::ball(*radius).ok(),
            Self::Capsule(radius, half) => Shape::capsule(*radius, *half).ok(),
            Self::Cylinder(radius, half) => Shape::cylinder(*radius, *half).ok(),
            Self::Cone(radius, half) => Shape::cone(*radius, *half).ok(),
            Self::Ellipsoid(radii) => Shape::ellipsoid(*radii).ok(),
            Self::Torus(major, minor) => Shape::torus(*major, *minor).ok(),
            Self::Union(parts) => made(Operation::Union, parts),
            Self::Intersection(parts) => made(Operation::Intersection, parts),
            Self::Difference(parts) => made(Operation::Difference, parts),
            Self::Compound(parts) => {
                Shape::compound(parts_of(parts)?.into_iter().map(|(shape, pose)| (pose, shape))).ok()
            }
        }
    }

    /// A solid that may have points, and its shape.
    fn solid(random: &mut Random, levels: usize, may_be_compound: bool) -> (Self, Shape) {
        loop {
            let tree = Self::random(random, levels, may_be_compound);
            if let Some(shape) = tree.shape() {
                return (tree, shape);
            }
        }
    }

    /// So many points in the cube that holds every such solid, and those of them that are in this one.
    fn points(&self, random: &mut Random, looks: usize) -> Vec<Point> {
        let points = (0..looks).map(|_| Point::from(Vector::from_fn(|_, _| random.between(-EXTENT, EXTENT))));
        points.filter(|point| self.contains(point)).collect()
    }
}

/// No coordinate of a point of such a solid is larger, metres.
const EXTENT: f64 = 1.8;

/// Seeds of so many cases, of which a failure names its own.
fn seeds(count: usize) -> impl Iterator<Item = u64> {
    let base = from_environment("CCD_BASE", 20_261_128) as u64;
    (0..(count * from_environment("CCD_SCALE", 1)) as u64).map(move |k| base.wrapping_mul(1_000_003) + k)
}

/// Whether a point of one is in the other.
fn share(trees: [&Tree; 2], points: [&[Point]; 2], poses: [Pose; 2]) -> bool {
    let b_in_a = poses[0].inv_mul(&poses[1]);
    points[1].iter().any(|p| trees[0].contains(&(b_in_a * p)))
        || points[0].iter().any(|p| trees[1].contains(&b_in_a.inverse_transform_point(p)))
}

#[test]
fn what_is_nested_is_never_met_late_and_within_the_tolerance_of_it() {
    let (mut met, mut missed) = (0, 0);
    for seed in seeds(150) {
        let mut random = Random(seed);
        let [(tree_a, a), (tree_b, b)] = [3, 2].map(|levels| Tree::solid(&mut random, levels, true));
        let trees = [tree_a, tree_b];
        let points = trees.each_ref().map(|tree| tree.points(&mut random, 60_000));
        let (way, gap) = (random.direction(), random.between(0.5, 2.0));
        let speed = gap * random.between(0.0, 2.5);
        let mut motion = |place: Vector, velocity: Vector| RigidMotion {
            linear_velocity: velocity,
            angular_velocity: random.direction() * [0.0, 1.0, 5.0, 30.0][random.below(4)],
            ..RigidMotion::at_rest(Pose::from_parts(place.into(), random.rotation()))
        };
        let motions = [motion(Vector::zeros(), Vector::zeros()), motion(way * gap, way * -speed)];
        let [moving_a, moving_b] =
            [(&a, &motions[0]), (&b, &motions[1])].map(|(shape, motion)| Moving::new(shape, motion));
        let options = TocOptions { tolerance: 1e-5, ..TocOptions::default() };
        let answer =
            time_of_contact(moving_a, moving_b, TimeInterval::new(0.0, 1.0).unwrap(), &options).unwrap().answer;
        let shares_at = |time: f64| {
            let poses = motions.each_ref().map(|motion| motion.pose_at(time));
            share(trees.each_ref(), points.each_ref().map(|p| &p[..]), poses)
        };
        let until = match answer {
            Toc::Separated => 1.0,
            Toc::Contact(contact) => contact.time,
            Toc::Overlapping(_) => continue,
            Toc::Undecided { safe_until } => panic!("{seed}: undecided from {safe_until} s on"),
        };
        for k in 0..40 {
            let time = until * f64::from(k) / 40.0;
            assert!(!shares_at(time), "{seed}: they overlap at {time} s, and {answer:?}");
        }
        if let Toc::Contact(contact) = answer {
            met += 1;
            let [pose_a, pose_b] = motions.each_ref().map(|motion| motion.pose_at(until));
            let nearest = closest_within(&a, &pose_a, &b, &pose_b, 1.01 * options.tolerance).unwrap();
            assert!(nearest.is_some_and(|nearest| nearest.distance > 0.0), "{seed}: {contact:?}, but {nearest:?}");
            assert!((contact.point_b - contact.point_a).norm() <= options.tolerance * 1.01, "{seed}: {contact:?}");
        } else {
            missed += 1;
        }
    }
    assert!(met >= 30 && missed >= 30, "{met} met, {missed} did not");
}

#[test]
fn nested_solids_that_share_a_point_overlap_and_come_apart_by_their_depth() {
    let (mut overlapping, mut apart) = (0, 0);
    for seed in seeds(100) {
        let mut random = Random(seed ^ 0xA5);
        let [(tree_a, a), (tree_b, b)] = [3, 2].map(|levels| Tree::solid(&mut random, levels, true));
        let trees = [tree_a, tree_b];
        let points = trees.each_ref().map(|tree| tree.points(&mut random, 60_000));
        let [pose_a, pose_b] = [0.0, 0.6].map(|far| {
            let place = random.direction() * random.between(0.0, far);
            Pose::from_parts(place.into(), random.rotation())
        });
        let shares = |pose_b: Pose| share(trees.each_ref(), points.each_ref().map(|p| &p[..]), [pose_a, pose_b]);
        let found = closest_within(&a, &pose_a, &b, &pose_b, 0.02).unwrap();
        let depth = found.map_or(0.0, |found| -found.distance);
        if shares(pose_b) {
            overlapping += 1;
            assert!(depth > 0.0 && overlap(&a, &pose_a, &b, &pose_b), "{seed}: {found:?}");
        }
        if let Some(found) = found.filter(|_| depth > 0.0) {
            let out = nalgebra::Translation3::from(found.normal * (1e-6 + depth)) * pose_b;
            assert!(!shares(out) && !overlap(&a, &pose_a, &b, &out), "{seed}: {found:?} does not lead out");
        } else {
            apart += 1;
            assert!(!overlap(&a, &pose_a, &b, &pose_b), "{seed}: {found:?}");
        }
    }
    assert!(overlapping >= 20 && apart >= 20, "{overlapping} overlap, {apart} do not");
}

#[test]
fn a_ray_meets_what_is_nested_where_its_first_point_is() {
    let mut met = 0;
    for seed in seeds(300) {
        let mut random = Random(seed ^ 0x5A);
        let (tree, shape) = Tree::solid(&mut random, 3, true);
        for _ in 0..8 {
            let start = Point::from(random.direction() * 2.5);
            let end = Point::from(random.direction() * random.between(0.0, 0.4));
            let hit = shape.as_solid().cast_segment(&Segment { start, end });
            let until = hit.map_or(1.0, |hit| hit.fraction);
            let at = |fraction: f64| start + (end - start) * fraction;
            for k in 0..2000 {
                let fraction = f64::from(k) / 2000.0;
                // To rounding.
                if fraction < until - 1e-7 {
                    assert!(!tree.contains(&at(fraction)), "{seed}: it is inside at {fraction}, and {hit:?}");
                }
            }
            if let Some(hit) = hit {
                met += 1;
                let field = |p: Point| shape.as_field().map_or(0.0, |field| field.distance(&p));
                assert!(field(at(hit.fraction)).abs() < 1e-6, "{seed}: {hit:?} is not on the surface");
                assert!(
                    (hit.normal.norm() - 1.0).abs() < 1e-9 && hit.normal.dot(&(end - start)) <= 1e-6,
                    "{seed}: {hit:?}"
                );
            }
        }
    }
    assert!(met > 500, "{met}");
}

#[test]
fn what_is_nested_weighs_as_much_as_its_points_are_many() {
    let mut weighed = 0;
    for seed in seeds(25) {
        let mut random = Random(seed ^ 0x3C);
        let (tree, shape) = Tree::solid(&mut random, 3, false);
        let Aabb { min, max } = shape.as_solid().local_aabb();
        let around = tree.points(&mut random, 20_000);
        assert!(around.iter().all(|p| (0..3).all(|k| min[k] <= p[k] && p[k] <= max[k])), "{seed}: beyond its box");
        const LOOKS: usize = 100_000;
        let place = |_| Point::from(Vector::from_fn(|k, _| random.between(min[k], max[k])));
        let points: Vec<Point> = (0..LOOKS).map(place).filter(|point| tree.contains(point)).collect();
        let Ok((mass, kind)) = shape.mass_properties(1.0) else {
            assert!(points.len() < 4, "{seed}: {} points in what has no mass", points.len());
            continue;
        };
        let each = (max - min).product() / LOOKS as f64;
        let expected = points.len() as f64 * each;
        let by_chance = 5.0 * (points.len() as f64 + 1.0).sqrt() * each;
        let proven = match kind {
            MassKind::Subdivided { parts_per_million } => f64::from(parts_per_million) * 1e-6 * mass.mass,
            MassKind::Exact | MassKind::MassPoints => 0.0,
        };
        assert!((mass.mass - expected).abs() <= by_chance + proven, "{seed}: {mass:?} ({kind:?}), not {expected}");
        if points.len() > 500 {
            weighed += 1;
            let centre = points.iter().map(|p| p.coords).sum::<Vector>() / points.len() as f64;
            let off = (mass.com.coords - centre).norm();
            assert!(
                off < 5.0 * (max - min).norm() / (points.len() as f64).sqrt(),
                "{seed}: {mass:?}, not about {centre}"
            );
        }
    }
    assert!(weighed > 10, "{weighed}");
}

#[test]
fn a_part_without_points_stands_in_nobodys_way() {
    let ball = |x: f64| (Shape::ball(0.3).unwrap(), Pose::translation(x, 0.0, 0.0));
    // Their boxes share a corner, and they nothing.
    let aside = (Shape::ball(0.3).unwrap(), Pose::translation(0.5, 0.5, 0.5));
    let nothing = Shape::csg(Operation::Intersection, &[ball(0.0), aside]).unwrap();
    let with_nothing = [ball(0.0), (nothing.clone(), Pose::identity())];
    let whole = Shape::csg(Operation::Union, &with_nothing).unwrap();
    let compound = Shape::compound(with_nothing.map(|(shape, pose)| (pose, shape))).unwrap();
    let other = Shape::torus(0.5, 0.1).unwrap();
    for solid in [&whole, &compound] {
        for other in [&other, &Shape::ball(0.2).unwrap()] {
            let at = Pose::translation(2.0, 0.0, 0.0);
            let found = closest(solid, &Pose::identity(), other, &at).unwrap();
            let alone = closest(&ball(0.0).0, &Pose::identity(), other, &at).unwrap();
            assert!((found.distance - alone.distance).abs() < 1e-6, "{found:?}, not {alone:?}");
        }
    }
    let error = closest(&nothing, &Pose::identity(), &other, &Pose::identity()).unwrap_err();
    assert_eq!(error.to_string(), "no distance between intersection and torus: one of them is empty");
    let of_nothing = Shape::compound([(Pose::identity(), nothing)]).unwrap();
    let error = closest(&of_nothing, &Pose::identity(), &other, &Pose::identity()).unwrap_err();
    assert!(matches!(error, ClosestError::Empty { .. }), "{error}");
}
