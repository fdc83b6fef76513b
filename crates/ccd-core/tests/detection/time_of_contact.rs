//! Promise 1 of time-of-contact queries, against dense sampling: never late, within the tolerance at the reported time,
//! apart where it says so, and the same from either side.

use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use proptest::prelude::*;
use std::sync::Arc;

use crate::common::models::{box_mesh, l_prism, mesh};
use crate::common::random::Random;

/// Keeps a test short: a solid that whirls within reach of another for thousands of turns is looked at in each.
const BUDGET: u64 = 30_000;

/// Instants at which the distance is looked at between the ends of what was certified.
const SAMPLES: u32 = 24;

/// A wavy open sheet of 32 triangles.
fn soup() -> Shape {
    let height = |i: u32, j: u32| 0.15 * ((i * 7 + j * 3) % 5) as Real;
    let vertices = (0..25).map(|k| (k / 5, k % 5));
    let vertices =
        vertices.map(|(i, j)| Point::new(Real::from(i) * 0.5 - 1.0, height(i, j), Real::from(j) * 0.5 - 1.0));
    let mut triangles = Vec::new();
    for i in 0..4_u32 {
        for j in 0..4_u32 {
            let k = i * 5 + j;
            triangles.extend([[k, k + 1, k + 5], [k + 1, k + 6, k + 5]]);
        }
    }
    Shape::mesh(TriMesh::try_new(vertices.collect(), triangles).unwrap()).unwrap()
}

/// All kinds; long, flat and round ones among them; about a metre in size.
fn shape(kind: usize) -> Shape {
    match kind {
        0 => Shape::ball(0.4).unwrap(),
        1 => Shape::cuboid([0.5, 0.3, 0.4]).unwrap(),
        2 => Shape::cuboid([1.0, 0.01, 0.01]).unwrap(),
        3 => Shape::cuboid([1.0, 0.001, 0.7]).unwrap(),
        4 => Shape::capsule(0.1, 0.8).unwrap(),
        5 => Shape::cylinder(0.4, 0.3).unwrap(),
        6 => Shape::cone(0.4, 0.5).unwrap(),
        7 => {
            let points = (0..40).map(|i| {
                let k = Real::from(i);
                Point::new((1.3 * k).sin(), 0.7 * (2.1 * k).cos(), 0.6 * (3.7 * k).sin()) * 0.6
            });
            Shape::Convex(Arc::new(ConvexPolyhedron::from_points(&points.collect::<Vec<_>>()).unwrap()))
        }
        8 => box_mesh([0.5, 0.3, 0.4]),
        9 => box_mesh([1.0, 0.01, 0.01]),
        10 => soup(),
        _ => Shape::half_space(Vector::new(0.1, 1.0, -0.2)).unwrap(),
    }
}

const KINDS: usize = 12;

#[derive(Clone, Debug)]
struct Case {
    kinds: [usize; 2],
    motions: [RigidMotion; 2],
    duration: Real,
    tolerance: Real,
}

/// Two motions that bring the solids near each other somewhere in the interval.
fn case(spin: Real, tolerance: Real) -> impl Strategy<Value = Case> {
    let body = move || {
        let unit = || prop::array::uniform3(-1.0..1.0_f64);
        // Spins over several decades, a third of them none.
        (unit(), unit(), unit(), unit(), -3.0..1.0_f64, 0..3_u8).prop_map(
            move |(near, turn, velocity, axis, decade, still)| {
                let speed = if still == 0 { 0.0 } else { spin * 10.0_f64.powf(decade.min(0.0)) };
                let pose = Pose::from_parts(
                    (Vector::from(near) * 0.8).into(),
                    Rotation::from_scaled_axis(Vector::from(turn) * 3.0),
                );
                RigidMotion {
                    start: pose,
                    local_centre: Point::from(Vector::from(axis) * if still == 1 { 0.5 } else { 0.0 }),
                    linear_velocity: Vector::from(velocity) * 5.0,
                    angular_velocity: Vector::from(axis).try_normalize(1e-9).unwrap_or(Vector::x()) * speed,
                }
            },
        )
    };
    ((0..KINDS, 0..KINDS), body(), body(), 0.05..1.0_f64).prop_map(move |((i, j), a, b, duration)| {
        // Both near the origin at a moment inside the interval: start from there, backwards.
        let back = |m: RigidMotion| RigidMotion { start: m.pose_at(-0.6 * duration), ..m };
        Case { kinds: [i, j], motions: [back(a), back(b)], duration, tolerance }
    })
}

impl Case {
    fn shapes(&self) -> [Shape; 2] {
        self.kinds.map(shape)
    }

    fn answer(&self, shapes: &[Shape; 2], i: usize, j: usize) -> Toc {
        let interval = TimeInterval::new(0.0, self.duration).unwrap();
        let options = TocOptions { tolerance: self.tolerance, budget: BUDGET, ..TocOptions::default() };
        let (a, b) = (Moving::new(&shapes[i], &self.motions[i]), Moving::new(&shapes[j], &self.motions[j]));
        time_of_contact(a, b, interval, &options).unwrap().answer
    }

    fn distance(&self, shapes: &[Shape; 2], t: Real) -> Real {
        closest(&shapes[0], &self.motions[0].pose_at(t), &shapes[1], &self.motions[1].pose_at(t)).unwrap().distance
    }

    /// The angle that the solids turn, radians.
    fn turning(&self) -> Real {
        self.motions.iter().map(|m| m.angular_velocity.norm() * self.duration).sum()
    }

    /// Checks the promise; coordinates of size `scale` leave that much rounding.
    fn check(&self, scale: Real) -> Result<(), TestCaseError> {
        if self.kinds == [KINDS - 1; 2] {
            return Ok(());
        }
        let shapes = self.shapes();
        let rounding = 1e-12 * scale;
        let answer = self.answer(&shapes, 0, 1);
        let apart_until = match answer {
            Toc::Separated => self.duration,
            Toc::Contact(c) => {
                let distance = self.distance(&shapes, c.time);
                prop_assert!(
                    distance <= self.tolerance + rounding,
                    "at {} still {} apart: {:?}",
                    c.time,
                    distance,
                    self
                );
                prop_assert!(distance > -rounding, "late: overlap {} at {}: {:?}", distance, c.time, self);
                prop_assert!((c.normal.norm() - 1.0).abs() < 1e-9);
                let between = c.point_b - c.point_a;
                prop_assert!((between.norm() - c.separation.abs()).abs() < 1e-9 * scale, "{:?}", c);
                prop_assert!(between.dot(&c.normal) >= -rounding, "the normal does not point from A to B: {:?}", c);
                c.time
            }
            Toc::Overlapping(c) => {
                let distance = self.distance(&shapes, 0.0);
                prop_assert!(c.time == 0.0 && distance <= self.tolerance + rounding, "{} {:?} {:?}", distance, c, self);
                0.0
            }
            // Out of budget among hundreds of turns: what is certified up to there is checked all the same.
            Toc::Undecided { safe_until } if self.turning() > 300.0 => safe_until,
            Toc::Undecided { safe_until } => {
                return Err(TestCaseError::fail(format!("undecided from {safe_until}: {self:?}")));
            }
        };
        if apart_until > 0.0 {
            for k in 0..=SAMPLES {
                let t = apart_until * Real::from(k) / Real::from(SAMPLES);
                let distance = self.distance(&shapes, t);
                prop_assert!(
                    distance > -rounding,
                    "overlap {} at {}, not announced by {:?}: {:?}",
                    distance,
                    t,
                    answer,
                    self
                );
            }
        }
        let swapped = self.answer(&shapes, 1, 0).swapped();
        let undecided = [&answer, &swapped].iter().any(|toc| matches!(toc, Toc::Undecided { .. }));
        prop_assert!(undecided || std::mem::discriminant(&answer) == std::mem::discriminant(&swapped), "{:?}", self);
        Ok(())
    }

    /// The same motion in a world that is `by` times as large, and moved by `offset`.
    fn moved(mut self, offset: Vector) -> Self {
        for m in &mut self.motions {
            m.start.translation.vector += offset;
        }
        self
    }
}

/// A closed mesh of 2,000 triangles, all that is found when first asked for included: slabs, surface features.
#[test]
fn a_mesh_with_its_tree_takes_at_most_200_bytes_a_triangle() {
    let (around, across) = (50_u32, 20_u32);
    let turn = |i: u32, n: u32| Real::from(i) / Real::from(n) * std::f64::consts::TAU;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (turn(i, around), turn(j, across));
            let ring = 1.0 + 0.4 * v.cos();
            vertices.push(Point::new(ring * u.cos(), 0.4 * v.sin(), ring * u.sin()));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)];
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    let Shape::Mesh(mesh) = Shape::mesh(TriMesh::try_new(vertices, triangles).unwrap()).unwrap() else {
        panic!("a mesh is a mesh");
    };
    let bare = mesh.size_bytes();
    let _ = (mesh.slabs(), mesh.capsules(), mesh.surface_features());
    assert!(mesh.size_bytes() > bare + mesh.slabs().size_bytes() + mesh.capsules().size_bytes());
    let each = mesh.size_bytes() / mesh.mesh().triangles().len();
    assert!(each <= 200, "{each} bytes a triangle");
}

/// Two stones of an arch, 10⁻⁵ m apart: the diagonals of their facing flanks run side by side over nine metres, and a direction
/// between the two leans by more than half the gap bears.
#[test]
fn large_triangles_side_by_side_along_near_parallel_edges_are_decided() {
    let single = |corners: [[Real; 3]; 3]| {
        let corners = corners.map(|[x, y, z]| Point::new(x, y, z)).to_vec();
        Shape::mesh(TriMesh::try_new(corners, vec![[0, 1, 2]]).unwrap()).unwrap()
    };
    let motion = |position: [Real; 3], turn: [Real; 4], linear: [Real; 3], angular: [Real; 3], centre: [Real; 3]| {
        let rotation = Rotation::new_normalize(turn.into());
        RigidMotion {
            start: Pose::from_parts(Vector::from(position).into(), rotation),
            local_centre: Point::from(centre),
            linear_velocity: Vector::from(linear),
            angular_velocity: Vector::from(angular),
        }
    };
    let a = single([
        [29.727377047306426, 24.544806126110377, 4.5230338068713944],
        [21.04429325624326, 22.008346601093507, 4.52283584163897],
        [21.04429325624326, 22.008346601093507, -4.52283584163897],
    ]);
    let motion_a = motion(
        [0.00381758211874228, -0.009410209235479527, -4.472459785629091e-06],
        [1.15166132784234e-08, -3.74687920798553e-08, 7.999415240355135e-05, 0.999999996800467],
        [0.006238277665030373, 0.0008539043056376115, -0.0001011500154133133],
        [4.674167982621977e-07, -3.5325375873737712e-06, -8.274162771571217e-05],
        [24.55322101, 25.99002182, -8.321698599e-17],
    );
    let b = single([
        [29.729055952693578, 24.54435187388962, -4.524021193128606],
        [21.043989743756743, 22.006934398906495, -4.5242191583610305],
        [29.729055952693578, 24.54435187388962, 4.524021193128606],
    ]);
    let motion_b = motion(
        [0.0020666648066267612, -0.007504570789198084, -2.013324117236523e-06],
        [8.736760222487516e-09, -2.8046169994357738e-08, 5.989841556201362e-05, 0.9999999982060894],
        [0.006235865941941046, 0.0008477696837191897, -6.944603095146951e-05],
        [7.006067194605044e-07, -4.38057905867189e-06, -8.283520023242784e-05],
        [26.22609115, 20.50560361, 0.0],
    );
    let interval = TimeInterval::new(0.0, 0.006790576277769623).unwrap();
    let options = TocOptions { tolerance: 5e-6, ..TocOptions::default() };
    let found = time_of_contact(Moving::new(&a, &motion_a), Moving::new(&b, &motion_b), interval, &options).unwrap();
    assert_eq!(found.answer, Toc::Separated);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn never_late_and_within_the_tolerance_at_moderate_spins(case in case(30.0, 1e-4)) {
        case.check(1.0)?;
    }

    #[test]
    fn never_late_and_within_the_tolerance_at_ten_thousand_radians_a_second(case in case(1e4, 1e-4)) {
        case.check(1.0)?;
    }

    #[test]
    fn never_late_at_a_tolerance_of_a_micrometre(case in case(100.0, 1e-6)) {
        case.check(1.0)?;
    }

    #[test]
    fn never_late_a_million_metres_from_the_origin(case in case(30.0, 1e-4)) {
        case.moved(Vector::new(1e6, -1e6, 5e5)).check(1e4)?;
    }
}

/// A post that leaves the side of a turning rod, and is caught up with: it starts nearer than it should come again.
#[test]
fn what_opens_from_a_fine_gap_is_told_of_at_the_wider_one() {
    let (rod, post) = (Shape::cuboid([1.0, 0.01, 0.01]).unwrap(), Shape::cylinder(0.01, 1.0).unwrap());
    let (spin, distance, gap) = (50.0, 0.5, 4e-8);
    let turning = RigidMotion { angular_velocity: Vector::y() * spin, ..RigidMotion::at_rest(Pose::identity()) };
    let leaving = RigidMotion {
        linear_velocity: Vector::z() * (-1.02 * spin * distance),
        ..RigidMotion::at_rest(Pose::translation(distance, 0.0, -0.02 - gap))
    };
    let exact = |t: Real| {
        let (sin, cos) = (spin * t).sin_cos();
        cos * (0.02 + gap + 1.02 * spin * distance * t) - sin * distance - 0.02
    };
    let interval = TimeInterval::new(0.0, 0.02).unwrap();
    let ask = |once_opened: Real| {
        let options = TocOptions { tolerance: 0.5 * gap, starts_apart: true, once_opened, ..TocOptions::default() };
        let found = time_of_contact(Moving::new(&rod, &turning), Moving::new(&post, &leaving), interval, &options);
        let found = found.unwrap();
        assert!(found.stats.advances <= 4, "{:?}", found.stats);
        *found.answer.contact().unwrap()
    };
    let (fine, wide) = (ask(0.0), ask(1e-6));
    for (contact, least) in [(fine, 0.0), (wide, 0.5 * gap)] {
        assert!((exact(contact.time) - contact.separation).abs() < 1e-12, "{contact:?}");
        assert!(contact.time > 1e-3 && contact.separation > least, "{contact:?}");
    }
    assert!(fine.separation <= 0.5 * gap && wide.separation <= 1e-6 && wide.time < fine.time);
}

/// A torus of radii 1 and 0.4 m about y, of 2 · 40 · 16 triangles.
fn torus() -> Shape {
    let (around, across) = (40_u32, 16_u32);
    let angle = |k: u32, of: u32| std::f64::consts::TAU * Real::from(k) / Real::from(of);
    let corner = |k: u32| {
        let (u, v) = (angle(k / across, around), angle(k % across, across));
        let out = 1.0 + 0.4 * v.cos();
        Point::new(out * u.cos(), 0.4 * v.sin(), out * u.sin())
    };
    let number = |i: u32, j: u32| (i % around) * across + j % across;
    let quads = (0..around).flat_map(|i| (0..across).map(move |j| (i, j)));
    let halves = quads.flat_map(|(i, j)| {
        let [a, b, c, d] = [number(i, j), number(i, j + 1), number(i + 1, j + 1), number(i + 1, j)];
        [[a, b, c], [a, c, d]]
    });
    Shape::mesh(TriMesh::try_new((0..around * across).map(corner).collect(), halves.collect()).unwrap()).unwrap()
}

#[test]
fn parts_that_come_near_once_a_turn_are_not_looked_at_one_by_one_ever_after() {
    let torus = torus();
    let mut pairs = 0;
    for k in 0..9_u32 {
        // They meet after one to four turns, or just miss each other.
        let spin = |axis: Real| Vector::new(axis.sin(), 0.3, axis.cos()) * 50.0;
        let a = RigidMotion { angular_velocity: spin(Real::from(k)), ..RigidMotion::at_rest(Pose::identity()) };
        let start = Pose::translation(2.7 + 0.02 * Real::from(k), 0.3, -0.6);
        let b = RigidMotion {
            linear_velocity: Vector::new(-0.1, 0.0, 0.9),
            angular_velocity: spin(2.0 + 3.0 * Real::from(k)),
            ..RigidMotion::at_rest(start)
        };
        let interval = TimeInterval::new(0.0, 1.0).unwrap();
        let options = TocOptions::default();
        let found = time_of_contact(Moving::new(&torus, &a), Moving::new(&torus, &b), interval, &options).unwrap();
        assert!(!matches!(found.answer, Toc::Undecided { .. }), "{k}");
        pairs += found.stats.nodes_visited;
    }
    // 71,225 of them; 330,721 where what was split stays split, and is split before it is looked at again.
    assert!(pairs < 110_000, "{pairs} pairs of nodes");
}

#[test]
fn a_search_among_triangles_ends_with_its_budget() {
    // It comes by what the other whirls through billions of times meanwhile, and waits for the end of a certificate each time.
    let whirls = mesh(l_prism(1.0, 1.0, 0.2));
    let motion = |start: Pose, linear_velocity: Vector, angular_velocity: Vector| RigidMotion {
        linear_velocity,
        angular_velocity,
        ..RigidMotion::at_rest(start)
    };
    let a = motion(Pose::identity(), Vector::zeros(), Vector::new(3.0, -2.0, 5.0).normalize() * 1e12);
    let b = motion(Pose::translation(0.0, 4.0, 0.0), Vector::new(0.0, -3.0, 0.0), Vector::zeros());
    for passes in [whirls.clone(), Shape::cuboid([0.1, 0.1, 0.1]).unwrap()] {
        let interval = TimeInterval::new(0.0, 2.0).unwrap();
        let options = TocOptions { budget: 1000, ..TocOptions::default() };
        let found = time_of_contact(Moving::new(&whirls, &a), Moving::new(&passes, &b), interval, &options).unwrap();
        assert!(found.stats.total() < 1100, "{:?}: {:?}", found.answer, found.stats);
    }
}

/// Half a million metres have some two roundings to a ten-billionth of a metre: a thousandth of the tolerance.
#[test]
fn what_falls_onto_a_flat_side_of_five_hundred_kilometres_is_decided_to_a_micrometre() {
    const HALF: Real = 5e5;
    const RADIUS: Real = 0.5166;
    let random = &mut Random(3);
    let (ball, tolerance) = (Shape::ball(RADIUS).unwrap(), 1e-6);
    let interval = TimeInterval::new(0.0, 100.0).unwrap();
    let options = TocOptions { tolerance, ..TocOptions::default() };
    let corners = (0..8).map(|k| {
        Point::new(1.0, 1.0, 1.0) - Vector::new(2.0 * f64::from(k & 1), f64::from(k & 2), f64::from(k & 4) * 0.5)
    });
    let corners: Vec<Point> = corners.map(|corner| corner * HALF).collect();
    let sides = [
        Shape::cuboid([HALF; 3]).unwrap(),
        Shape::cylinder(HALF, HALF).unwrap(),
        Shape::Convex(Arc::new(ConvexPolyhedron::from_points(&corners).unwrap())),
        box_mesh([HALF; 3]),
    ];
    for (kind, side) in sides.iter().enumerate() {
        for _ in 0..50 {
            let turn = random.rotation();
            let [x, z] = [0; 2].map(|_| random.between(-0.5, 0.5) * HALF);
            let falling = RigidMotion {
                linear_velocity: turn * -Vector::y(),
                ..RigidMotion::at_rest(Pose::from_parts((turn * Vector::new(x, HALF + 5.0, z)).into(), turn))
            };
            let lying = RigidMotion::at_rest(Pose::from_parts(Vector::zeros().into(), turn));
            let found = time_of_contact(Moving::new(&ball, &falling), Moving::new(side, &lying), interval, &options);
            let Toc::Contact(contact) = found.unwrap().answer else { panic!("kind {kind} is not decided at {x}, {z}") };
            let early = 5.0 - RADIUS - contact.time;
            assert!((0.0..1.1 * tolerance).contains(&early), "kind {kind}: {early} s early");
        }
    }
}
