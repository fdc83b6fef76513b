//! Time of contact of solids given by functions, against every other kind: checked by samples of both surfaces and by
//! formulas of their own, none of which the library uses.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use ccd_core::detection::toc::{FirstContact, Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::field::Operation;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;

use crate::common::fields::{FieldKind, Solid, solid};
use crate::common::random::Random;

/// Far below the default: no ordinary query needs more.
const BUDGET: u64 = 100_000;

struct Query {
    a: Solid,
    b: Solid,
    motion_a: RigidMotion,
    motion_b: RigidMotion,
    duration: Real,
    tolerance: Real,
    name: String,
}

impl Query {
    fn new(seed: u64, kind_a: FieldKind, kind_b: FieldKind) -> Self {
        let mut random = Random(seed);
        let r = &mut random;
        let size = r.magnitude(1e-2, 1e2);
        let tolerance = size * r.magnitude(1e-6, 1e-3);
        let (size_a, size_b) = (size * r.magnitude(0.3, 1.0), size * r.magnitude(0.3, 1.0));
        let (a, b) = (solid(r, kind_a, size_a), solid(r, kind_b, size_b));
        let duration = r.magnitude(1e-2, 1.0);
        let turning = r.magnitude(1e-2, 8.0);
        let mut motion = |s: &Solid| RigidMotion {
            start: Pose::from_parts(Vector::zeros().into(), r.rotation()),
            local_centre: if r.chance(0.3) && s.is_bounded() {
                Point::from(r.direction() * (s.reach * r.unit()))
            } else {
                Point::origin()
            },
            linear_velocity: Vector::zeros(),
            angular_velocity: if r.chance(0.8) && s.is_bounded() {
                r.direction() * (turning / duration * r.unit())
            } else {
                Vector::zeros()
            },
        };
        let (mut motion_a, mut motion_b) = (motion(&a), motion(&b));
        let towards = match (&a.normal, &b.normal) {
            (_, Some(n)) => -(motion_b.start.rotation * n),
            (Some(n), _) => motion_a.start.rotation * n,
            _ => -r.direction(),
        };
        let apart = (a.reach + b.reach) * r.between(0.9, 1.8);
        let aside = r.direction() * (0.4 * (a.reach + b.reach) * r.unit());
        motion_a.start.translation.vector = aside - towards * apart;
        let travel = apart * r.magnitude(0.2, 3.0);
        motion_a.linear_velocity = (towards * travel + r.direction() * (0.3 * travel * r.unit())) / duration;
        if r.chance(0.3) && a.is_bounded() && b.is_bounded() {
            let (shift, fly) = (r.direction() * (10.0 * size), r.direction() * (size / duration));
            for m in [&mut motion_a, &mut motion_b] {
                m.start.translation.vector += shift;
                m.linear_velocity += fly;
            }
        }
        let name = format!("seed {seed:#x} {kind_a:?}/{kind_b:?}");
        Self { a, b, motion_a, motion_b, duration, tolerance, name }
    }

    fn ask(&self) -> Toc {
        let options = TocOptions { tolerance: self.tolerance, budget: BUDGET, ..TocOptions::default() };
        let interval = TimeInterval::new(0.0, self.duration).unwrap();
        let (a, b) = (Moving::new(&self.a.shape, &self.motion_a), Moving::new(&self.b.shape, &self.motion_b));
        let started = std::time::Instant::now();
        let found = time_of_contact(a, b, interval, &options).unwrap();
        if std::env::var_os("CCD_FIELD_TIMES").is_some() {
            println!("{} {:?} {:?} {:?}", self.name, started.elapsed(), found.stats, found.answer);
        }
        found.answer
    }

    /// How deep samples of either surface are in the other solid at a time, as far as its own formula tells.
    fn is_deep(&self, t: Real) -> bool {
        let (pose_a, pose_b) = (self.motion_a.pose_at(t), self.motion_b.pose_at(t));
        let a_in_b = pose_b.inv_mul(&pose_a);
        let b_in_a = pose_a.inv_mul(&pose_b);
        self.a.samples.iter().any(|p| self.b.is_inside(&(a_in_b * p)))
            || self.b.samples.iter().any(|p| self.a.is_inside(&(b_in_a * p)))
    }

    fn check(&self) -> Result<&'static str, String> {
        let answer = self.ask();
        let (until, kind) = match &answer {
            Toc::Separated => (self.duration, "separated"),
            Toc::Contact(c) => (self.check_contact(c)?, "contact"),
            Toc::Overlapping(c) if c.separation > 0.0 => (self.check_contact(c)?, "touching"),
            Toc::Overlapping(_) => (0.0, "overlapping"),
            Toc::Undecided { safe_until } => (*safe_until, "undecided"),
        };
        // Well before the contact nothing may be inside: the margin of the search is far above rounding.
        for i in 0..60 {
            let share = Real::from(i) / 59.0;
            let t = until * (1.0 - (1.0 - share) * (1.0 - share));
            if kind != "overlapping" && self.is_deep(t) {
                return Err(format!("{}: late: inside at {t}, answer {answer:?}", self.name));
            }
        }
        if kind == "overlapping" && !self.is_deep(0.0) {
            // Thin overlaps fall between samples: both points must be one then.
            let c = answer.contact().unwrap();
            if (c.point_b - c.point_a).norm() > self.tolerance && c.separation > -self.a.reach.min(self.b.reach) {
                return Err(format!("{}: no overlap in sight: {answer:?}", self.name));
            }
        }
        Ok(kind)
    }

    fn check_contact(&self, c: &FirstContact) -> Result<Real, String> {
        let fail = |what: &str| Err(format!("{}: {what}: {c:?} at tolerance {}", self.name, self.tolerance));
        let gap = (c.point_b - c.point_a).norm();
        let slack = 1e-3 * self.tolerance;
        if gap > self.tolerance + slack || (c.separation - gap).abs() > slack + 0.01 * gap {
            return fail("not within the tolerance");
        }
        if (c.normal.norm() - 1.0).abs() > 1e-9 || c.normal.dot(&(c.point_b - c.point_a)) < 0.9 * gap - slack {
            return fail("normal");
        }
        let on_a = self.a.off_surface(&self.motion_a.pose_at(c.time).inverse_transform_point(&c.point_a));
        let on_b = self.b.off_surface(&self.motion_b.pose_at(c.time).inverse_transform_point(&c.point_b));
        // Where the function's slope is small its value says less of the distance.
        if on_a > 0.1 * self.tolerance || on_b > 0.1 * self.tolerance {
            return fail(&format!("points off the surfaces by {on_a} and {on_b}"));
        }
        Ok(c.time)
    }
}

fn run(kinds_a: &[FieldKind], kinds_b: &[FieldKind], rounds: u64) {
    let (mut failures, mut tally) = (Vec::new(), std::collections::BTreeMap::new());
    for (i, &kind_a) in kinds_a.iter().enumerate() {
        for (j, &kind_b) in kinds_b.iter().enumerate() {
            for round in 0..rounds {
                let seed = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(1 + round + 1000 * (i as u64 + 100 * j as u64));
                let query =
                    if round % 2 == 0 { Query::new(seed, kind_a, kind_b) } else { Query::new(seed, kind_b, kind_a) };
                match query.check() {
                    Ok(kind) => *tally.entry(kind).or_insert(0) += 1,
                    Err(why) => failures.push(why),
                }
            }
        }
    }
    println!("{tally:?}");
    assert!(
        failures.is_empty(),
        "{} failures, first:\n{}",
        failures.len(),
        failures.iter().take(8).cloned().collect::<Vec<_>>().join("\n")
    );
    // With a fortieth of the default budget a few tight fits are left open, and checked up to there.
    let count = |kind: &str| tally.get(kind).copied().unwrap_or(0);
    assert!(50 * count("undecided") <= tally.values().sum::<u32>(), "{tally:?}");
    assert!(tally.get("contact").copied().unwrap_or(0) > 0 && tally.get("separated").copied().unwrap_or(0) > 0);
}

#[test]
fn fields_against_every_other_kind_are_never_late_and_within_the_tolerance() {
    run(&FieldKind::FIELDS, &FieldKind::OTHERS, rounds());
}

#[test]
fn fields_against_fields_are_never_late_and_within_the_tolerance() {
    run(&FieldKind::FIELDS, &FieldKind::FIELDS, rounds());
}

/// `CCD_FIELD_ROUNDS` asks for more.
fn rounds() -> u64 {
    std::env::var("CCD_FIELD_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(2)
}

/// The answer over one second, and how much work it took.
fn over_a_second(a: (&Shape, &RigidMotion), b: (&Shape, &RigidMotion), tolerance: Real) -> (Toc, u64) {
    let second = TimeInterval::new(0.0, 1.0).unwrap();
    let options = TocOptions { tolerance, ..TocOptions::default() };
    let found = time_of_contact(Moving::new(a.0, a.1), Moving::new(b.0, b.1), second, &options).unwrap();
    (found.answer, found.stats.total())
}

#[test]
fn a_peg_slides_through_a_drilled_block_with_little_clearance_until_it_drifts_or_tilts_into_the_wall() {
    const RADIUS: Real = 0.1;
    let tolerance = 1e-6;
    let at = |shape: Shape| (shape, Pose::identity());
    let block = at(Shape::cuboid([0.5, 0.2, 0.5]).unwrap());
    let drill = at(Shape::cylinder(RADIUS, 0.3).unwrap());
    let block = Shape::csg(Operation::Difference, &[block, drill]).unwrap();
    let rest = RigidMotion::at_rest(Pose::identity());
    // The last is a hundredth of the radius.
    for clearance in [2e-2, 1e-2, 1e-3] {
        let peg = Shape::cylinder(RADIUS - clearance, 0.3).unwrap();
        let down = -Vector::y() * 0.4;
        let sliding = RigidMotion { linear_velocity: down, ..RigidMotion::at_rest(Pose::translation(0.0, 0.2, 0.0)) };
        for (peg, block) in [((&peg, &sliding), (&block, &rest)), ((&block, &rest), (&peg, &sliding))] {
            let (answer, work) = over_a_second(peg, block, tolerance);
            assert_eq!(answer, Toc::Separated, "{clearance}");
            assert!(work < 400_000, "{work} for a clearance of {clearance}");
        }
        // Sideways too fast for the way through: the wall is met when the clearance is used up.
        let aside = 2.0 * clearance;
        let drifting = RigidMotion { linear_velocity: down + Vector::new(0.6, 0.0, 0.8) * aside, ..sliding };
        let (answer, work) = over_a_second((&peg, &drifting), (&block, &rest), tolerance);
        let Toc::Contact(contact) = answer else { panic!("{answer:?} for a clearance of {clearance}") };
        assert!(contact.time <= 0.5 && contact.time > 0.5 - tolerance / aside * 1.01, "{}", contact.time);
        assert!(contact.normal.dot(&Vector::new(0.6, 0.0, 0.8)) > 1.0 - 1e-6, "{contact:?}");
        assert!(work < 2_000_000, "{work} for a clearance of {clearance}");
        // Tilting: the peg's side comes to the hole's rims, above on the one side and below on the other.
        let tilting =
            RigidMotion { angular_velocity: Vector::z() * 20.0 * clearance, ..RigidMotion::at_rest(Pose::identity()) };
        let (answer, work) = over_a_second((&peg, &tilting), (&block, &rest), tolerance);
        let Toc::Contact(contact) = answer else { panic!("{answer:?} for a clearance of {clearance}") };
        // A strip of half width w turned by α reaches (w + h sin α) / cos α at the height h.
        let reach = |t: Real| {
            let angle = 20.0 * clearance * t;
            (RADIUS - clearance + 0.2 * angle.sin()) / angle.cos()
        };
        assert!(reach(contact.time) <= RADIUS && reach(contact.time) > RADIUS - 1.1 * tolerance, "{}", contact.time);
        assert!(work < 100_000, "{work} for a clearance of {clearance}");
    }
}

#[test]
fn a_ring_hung_in_a_ring_is_pulled_until_their_tubes_cross_at_a_point() {
    let tolerance = 1e-6;
    for [thin, thick] in [[0.1, 0.2], [0.02, 0.45], [0.3, 0.6]] {
        let (one, other) = (Shape::torus(1.0, thin).unwrap(), Shape::torus(1.0, thick).unwrap());
        let way = 1.0 - thin - thick;
        // Upright, its tube through the middle of the first.
        let upright =
            Pose::from_parts(Vector::new(1.0, 0.0, 0.0).into(), Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2));
        let rest = RigidMotion::at_rest(Pose::identity());
        let pulled = RigidMotion { linear_velocity: Vector::x() * (2.0 * way), ..RigidMotion::at_rest(upright) };
        for (a, b) in [((&one, &rest), (&other, &pulled)), ((&other, &pulled), (&one, &rest))] {
            let (answer, work) = over_a_second(a, b, tolerance);
            let Toc::Contact(contact) = answer else { panic!("{answer:?}") };
            assert!(contact.time <= 0.5 && contact.time > 0.5 - tolerance / (2.0 * way) * 1.01, "{}", contact.time);
            assert!(contact.normal.x.abs() > 1.0 - 1e-6, "{contact:?}");
            assert!(work < 50_000, "{work} for tubes of {thin} and {thick}");
        }
        // Turning in it about its own axis it never comes nearer.
        let turning = RigidMotion { angular_velocity: Vector::z() * 30.0, ..RigidMotion::at_rest(upright) };
        let (answer, work) = over_a_second((&one, &rest), (&other, &turning), tolerance);
        assert_eq!(answer, Toc::Separated);
        assert!(work < 500_000, "{work} for tubes of {thin} and {thick}");
    }
}

/// A prism around y whose corners are on the circle of a cylinder.
fn prism(sides: u32, radius: Real, half_height: Real) -> Shape {
    let corner = |i: u32, y: Real| {
        let (sin, cos) = (TAU * f64::from(i) / f64::from(sides)).sin_cos();
        Point::new(radius * cos, y, radius * sin)
    };
    let ends = [-half_height, half_height];
    let mut vertices: Vec<Point> = ends.iter().flat_map(|y| (0..sides).map(move |i| corner(i, *y))).collect();
    vertices.extend(ends.map(|y| Point::new(0.0, y, 0.0)));
    let (low, high) = (2 * sides, 2 * sides + 1);
    let around = |i: u32| (i, (i + 1) % sides);
    let triangles = (0..sides).map(around).flat_map(|(i, j)| {
        let (k, l) = (sides + i, sides + j);
        [[i, k, l], [i, l, j], [i, j, low], [l, k, high]]
    });
    Shape::mesh(TriMesh::try_new(vertices, triangles.collect()).unwrap()).unwrap()
}

#[test]
fn whatever_a_peg_is_made_of_it_spins_in_its_hole_until_it_drifts_into_the_wall() {
    const RADIUS: Real = 0.1;
    const SIDES: u32 = 24;
    let tolerance = 1e-6;
    let at = |shape: Shape| (shape, Pose::identity());
    let block = at(Shape::cuboid([0.5, 0.2, 0.5]).unwrap());
    let drill = at(Shape::cylinder(RADIUS, 0.3).unwrap());
    let hole = Shape::csg(Operation::Difference, &[block, drill]).unwrap();
    let rest = RigidMotion::at_rest(Pose::identity());
    let falling = RigidMotion::at_rest(Pose::translation(0.0, 0.05, 0.0));
    let falling = RigidMotion { linear_velocity: -Vector::y() * 0.4, ..falling };
    // At the rims a grid's solid reaches into the hole by two thirds of a cell.
    let grid = Shape::distance_grid(&hole, 0.02).unwrap();
    for peg in [Shape::cylinder(RADIUS - 0.015, 0.3).unwrap(), prism(SIDES, RADIUS - 0.015, 0.3)] {
        let spinning = RigidMotion { angular_velocity: Vector::y() * 30.0, ..falling };
        let (answer, work) = over_a_second((&peg, &spinning), (&grid, &rest), tolerance);
        assert_eq!(answer, Toc::Separated);
        assert!(work < 100_000, "{work} in a grid");
    }
    for clearance in [1e-2, 1e-3] {
        let radius = RADIUS - clearance;
        let pegs = [Shape::cylinder(radius, 0.3).unwrap(), prism(SIDES, radius, 0.3)];
        for (peg, is_round) in pegs.iter().zip([true, false]) {
            let spinning = RigidMotion { angular_velocity: Vector::y() * 30.0, ..falling };
            let (answer, work) = over_a_second((peg, &spinning), (&hole, &rest), tolerance);
            assert_eq!(answer, Toc::Separated, "{clearance}");
            assert!(work < 50_000, "{work} for a clearance of {clearance}");
            let aside = Vector::new(0.6, 0.0, 0.8) * (2.0 * clearance);
            let drifting = RigidMotion { linear_velocity: aside, ..spinning };
            let (answer, work) = over_a_second((peg, &drifting), (&hole, &rest), tolerance);
            let Toc::Contact(contact) = answer else { panic!("{answer:?} for a clearance of {clearance}") };
            // Between the circle around a prism and the one within it.
            let least = 0.5 * (clearance - tolerance) / clearance;
            let most = 0.5 * (clearance + if is_round { 0.0 } else { radius * (1.0 - (PI / f64::from(SIDES)).cos()) })
                / clearance;
            assert!(
                contact.time > least - 1e-9 && contact.time <= most,
                "{} for a clearance of {clearance}",
                contact.time
            );
            assert!(work < 1_000_000, "{work} for a clearance of {clearance}");
        }
    }
}

#[test]
fn the_cusps_of_a_hollow_superquadric_touch_a_plane_when_they_come_to_it() {
    let tolerance = 1e-6;
    let radii = [0.3, 0.2, 0.25];
    let floor = Shape::cuboid([2.0, 0.5, 2.0]).unwrap();
    let rest = RigidMotion::at_rest(Pose::translation(0.0, -0.5, 0.0));
    let mut random = Random(0x5ca1e);
    let tips = [-Vector::x(), -Vector::y(), Vector::z()];
    // Tips straight down, and whatever cusp is the lowest of random turns. The second kind is round across its axis: its edge is a
    // cusp, too.
    for (exponents, count) in [([4.0, 4.0], 60), ([4.0, 1.0], 60), ([1.5, 3.0], 30)] {
        let star = Shape::superquadric(radii, exponents).unwrap();
        for k in 0..count {
            let upright = || tips.get(k).and_then(|tip| Rotation::rotation_between(tip, &-Vector::y()));
            let turn = upright().unwrap_or_else(|| random.rotation());
            let down = turn.inverse() * -Vector::y();
            let lowest = lowest_of_superquadric(radii, exponents, &down);
            let height = lowest + 0.1;
            let falling = RigidMotion {
                linear_velocity: -Vector::y(),
                ..RigidMotion::at_rest(Pose::from_parts(Vector::new(0.1, height, -0.2).into(), turn))
            };
            let (answer, work) = over_a_second((&star, &falling), (&floor, &rest), tolerance);
            let Toc::Contact(contact) = answer else { panic!("{answer:?} for {exponents:?} {k}") };
            // The formula's samples may be a little short of the lowest place.
            assert!(
                contact.time <= 0.1 && contact.time >= 0.1 - tolerance - 2e-5,
                "{} for {exponents:?} {k}",
                contact.time
            );
            assert!(work < BUDGET, "{work} for {exponents:?} {k}");
        }
    }
}

/// How far the surface reaches in a direction: the most of many of its points, given by their angles.
fn lowest_of_superquadric(radii: [Real; 3], exponents: [Real; 2], down: &Vector) -> Real {
    const STEPS: u32 = 1000;
    let power = |x: Real, e: Real| x.abs().powf(e).copysign(x);
    let mut most: Real = 0.0;
    for i in 0..=STEPS {
        let (sin_v, cos_v) = (FRAC_PI_2 * f64::from(i) / f64::from(STEPS)).sin_cos();
        let (y, flat) = (radii[1] * power(sin_v, exponents[0]) * down.y.abs(), power(cos_v, exponents[0]));
        for j in 0..=STEPS {
            let (sin_u, cos_u) = (FRAC_PI_2 * f64::from(j) / f64::from(STEPS)).sin_cos();
            let x = radii[0] * flat * power(cos_u, exponents[1]) * down.x.abs();
            let z = radii[2] * flat * power(sin_u, exponents[1]) * down.z.abs();
            most = most.max(x + y + z);
        }
    }
    most
}
