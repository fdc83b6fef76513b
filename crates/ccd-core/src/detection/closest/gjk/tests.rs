use super::*;
use crate::geometry::feature::Feature;
use crate::geometry::primitive::{Ball, Cuboid, Cylinder, Triangle};
use crate::geometry::solid::SupportPoint;
use crate::math::{Point, Rotation};
use proptest::prelude::*;

fn run<A: SupportMap, B: SupportMap>(a: &A, b: &B, pose: &RelativePose) -> Separation {
    separation(a, b, pose, &mut GjkCache::default(), &GjkGoal::EXACT)
}

fn placed(x: Real, y: Real, z: Real, turn: [Real; 3]) -> RelativePose {
    RelativePose {
        rotation: Rotation::from_scaled_axis(Vector::from(turn)).to_rotation_matrix().into_inner(),
        translation: Vector::new(x, y, z),
    }
}

#[test]
fn boxes_face_to_face_are_exactly_their_gap_apart_down_to_a_nanometre() {
    let cube = Cuboid::try_new([0.5, 0.5, 0.5]).unwrap();
    for gap in [3.0, 1e-3, 1e-6, 1e-9] {
        let s = run(&cube, &cube, &placed(0.1, -1.0 - gap, 0.2, [0.0; 3]));
        assert!((s.distance - gap).abs() < 1e-14, "{gap}: {s:?}");
        assert!(s.distance - s.lower < 1e-13, "{gap}: {s:?}");
        assert!((s.normal + Vector::y()).norm() < 1e-9, "{gap}: {s:?}");
    }
}

/// A cylinder of which nobody knows that it has a flank.
#[derive(Debug)]
struct Plain(Cylinder);

impl SupportMap for Plain {
    fn support(&self, direction: &Vector, hint: u32) -> SupportPoint {
        self.0.support(direction, hint)
    }

    fn interior_point(&self) -> Point {
        self.0.interior_point()
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        self.0.feature_of(vertices)
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        self.0.reach_from_axis(centre, axis)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        self.0.support_face(direction, polygon)
    }
}

#[test]
fn sides_of_cylinders_across_each_other_are_their_axes_less_the_radii_apart_in_few_rounds() {
    let (one, other) = (Cylinder::try_new(0.4, 2.0).unwrap(), Cylinder::try_new(0.01, 3.0).unwrap());
    for gap in [1.0, 1e-3, 1e-9] {
        let pose = placed(0.41 + gap, 0.3, -0.5, [0.7, 0.0, 0.0]);
        let mut cache = GjkCache::default();
        let s = separation(&one, &other, &pose, &mut cache, &GjkGoal::EXACT_POINTS);
        assert!((s.distance - gap).abs() < 1e-14 && s.distance - s.lower < 1e-13 && s.rounds <= 6, "{gap}: {s:?}");
        assert!((s.normal - Vector::x()).norm() < 1e-12 && (s.point_a.x - 0.4).abs() < 1e-14, "{gap}: {s:?}");
        let features = [one.feature_of(cache.vertices_a().as_slice()), other.feature_of(cache.vertices_b().as_slice())];
        assert_eq!(features, [Feature::Face(2); 2]);
        // From there on it starts where it ended.
        let again = separation(&one, &other, &pose, &mut cache, &GjkGoal::EXACT_POINTS);
        assert!(again.rounds <= 3 && again.distance == s.distance, "{gap}: {again:?}");
    }
}

#[test]
fn crossing_edges_are_apart_by_the_length_of_their_common_perpendicular() {
    let cube = Cuboid::try_new([1.0, 1.0, 1.0]).unwrap();
    let quarter = std::f64::consts::FRAC_PI_4;
    // A stands on an edge along z after the turn of B; B lies with an edge along x.
    let one = Rotation::from_scaled_axis(Vector::new(0.0, 0.0, quarter));
    let other = Rotation::from_scaled_axis(Vector::new(quarter, 0.0, 0.0));
    let gap = 1e-7;
    let height = 2.0 * 2.0_f64.sqrt() + gap;
    let a = Pose::from_parts(Vector::zeros().into(), one);
    let b = Pose::from_parts(Vector::new(0.0, height, 0.0).into(), other);
    let s = run(&cube, &cube, &RelativePose::new(&a, &b));
    assert!((s.distance - gap).abs() < 1e-14 && s.distance - s.lower < 1e-13, "{s:?}");
    assert!(((one * s.normal) - Vector::y()).norm() < 1e-8, "{s:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The bounds hold the distance between them, and meet; checked against the triangle pairs' closed form.
    #[test]
    fn two_triangles_get_bounds_that_meet_whatever_their_form(
        p in prop::array::uniform6(prop::array::uniform3(-1.0..1.0_f64)), flat in 0..3_usize, scale in -6..=3_i32, away in 0.0..3.0_f64,
    ) {
        let scale = 10.0_f64.powi(scale);
        let mut p = p.map(|q| Point::from(q) * scale);
        if flat == 1 { p[2] = nalgebra::center(&p[0], &p[1]) + Vector::repeat(1e-9 * scale); }
        if flat == 2 { for q in &mut p { q.y = 0.25 * scale; } }
        for q in &mut p[3..] { q.x += away * scale; }
        let (a, b) = (Triangle::new([p[0], p[1], p[2]]), Triangle::new([p[3], p[4], p[5]]));
        let s = run(&a, &b, &placed(0.0, 0.0, 0.0, [0.0; 3]));
        let truth = sampled_distance(&p, &s);
        prop_assert!(s.lower <= truth * (1.0 + 1e-12), "lower bound {} above {}", s.lower, truth);
        if !s.overlapping {
            prop_assert!(s.distance - s.lower <= 1e-9 * scale, "{:?}", s);
            prop_assert!(((s.point_b - s.point_a).norm() - s.distance).abs() <= 1e-12 * (scale + s.distance), "{:?}", s);
        }
    }

    /// To far more digits than the distance alone tells of, whose error is the square of theirs.
    #[test]
    fn the_nearest_point_of_a_cylinder_is_that_of_the_closed_form(
        turn in prop::array::uniform3(-3.0..3.0_f64), place in prop::array::uniform3(-2.0..2.0_f64),
        step in prop::array::uniform3(-0.1..0.1_f64),
    ) {
        let (radius, height) = (0.4, 0.7);
        let out = place[0].hypot(place[2]);
        let nearest = Vector::new(place[0], 0.0, place[2]) * (radius / out.max(radius)) + Vector::y() * place[1].clamp(-height, height);
        prop_assume!((nearest - Vector::from(place)).norm() > 0.1);
        let (ball, cylinder) = (Ball::try_new(0.1).unwrap(), Cylinder::try_new(radius, height).unwrap());
        // The ball is A; a search that told roughly goes before, from where the two were: the first look is not at the axis then.
        let home = placed(0.0, 0.0, 0.0, turn);
        let of_cylinder = RelativePose { translation: -(home.rotation * Vector::from(place)), ..home };
        let mut cache = GjkCache::default();
        let before = RelativePose { translation: of_cylinder.translation + Vector::from(step), ..home };
        separation(&ball, &cylinder, &before, &mut cache, &GjkGoal { relative: 1e-4, ..GjkGoal::EXACT });
        let s = separation(&ball, &cylinder, &of_cylinder, &mut cache, &GjkGoal::EXACT_POINTS);
        let found = home.rotation.tr_mul(&(s.point_b - of_cylinder.translation));
        prop_assert!((found - nearest).norm() < 1e-8, "{:e} off: {s:?}", (found - nearest).norm());
        prop_assert!((s.normal * s.distance - (s.point_b - s.point_a)).norm() < 1e-8, "{s:?}");
    }

    #[test]
    fn what_axes_tell_of_cylinders_is_what_support_points_tell(
        turn in prop::array::uniform3(-3.0..3.0_f64), place in prop::array::uniform3(-1.5..1.5_f64),
        step in prop::array::uniform3(-0.2..0.2_f64), thin in 0.01..1.0_f64, two in any::<bool>(),
    ) {
        let [x, y, z] = place;
        let cylinder = Cylinder::try_new(0.5 * thin, 0.6).unwrap();
        let (cuboid, round) = (Cuboid::try_new([0.5, 0.3, 0.01]).unwrap(), Cylinder::try_new(0.2, 0.5).unwrap());
        let mut cache = GjkCache::default();
        for pose in [placed(x, y, z, turn), placed(x + step[0], y + step[1], z + step[2], turn)] {
            let goal = GjkGoal::EXACT_POINTS;
            let (by_axes, plain) = if two {
                let plain = separation(&Plain(cylinder), &Plain(round), &pose, &mut GjkCache::default(), &goal);
                (separation(&cylinder, &round, &pose, &mut cache, &goal), plain)
            } else {
                let plain = separation(&cuboid, &Plain(cylinder), &pose, &mut GjkCache::default(), &goal);
                (separation(&cuboid, &cylinder, &pose, &mut cache, &goal), plain)
            };
            prop_assert_eq!(by_axes.overlapping, plain.overlapping);
            prop_assert!(by_axes.lower <= plain.distance + 1e-14 && plain.lower <= by_axes.distance + 1e-14);
            prop_assert!((by_axes.distance - plain.distance).abs() < 1e-9, "{by_axes:?} {plain:?}");
            if !by_axes.overlapping && by_axes.distance > 1e-3 {
                prop_assert!((by_axes.point_b - by_axes.point_a - by_axes.normal * by_axes.distance).norm() < 1e-8);
            }
        }
    }

    #[test]
    fn a_warm_start_finds_what_a_cold_start_finds(
        turn in prop::array::uniform3(-3.0..3.0_f64), step in prop::array::uniform3(-0.02..0.02_f64), x in 2.0..4.0_f64,
    ) {
        let (a, b) = (Cuboid::try_new([0.5, 0.3, 0.2]).unwrap(), Cylinder::try_new(0.4, 0.7).unwrap());
        let mut cache = GjkCache::default();
        let goal = GjkGoal { relative: 1e-9, ..GjkGoal::EXACT };
        for i in 0..10 {
            let k = Real::from(i);
            let pose = placed(x, 0.1 * k, 0.0, [turn[0] + k * step[0], turn[1] + k * step[1], turn[2] + k * step[2]]);
            let warm = separation(&a, &b, &pose, &mut cache, &goal);
            let cold = separation(&a, &b, &pose, &mut GjkCache::default(), &goal);
            prop_assert!((warm.distance - cold.distance).abs() < 1e-7, "{warm:?} {cold:?}");
            prop_assert!(warm.distance - warm.lower < 1e-6 && warm.lower <= cold.distance + 1e-15, "{warm:?}");
        }
    }
}

/// The least distance over a grid of both triangles and the answer's own witness points: an upper bound of the truth.
fn sampled_distance(p: &[Point; 6], s: &Separation) -> Real {
    const N: u32 = 12;
    let grid = |q: &[Point]| -> Vec<Point> {
        let mut out = Vec::new();
        for i in 0..=N {
            for j in 0..=N - i {
                let (u, v) = (Real::from(i) / Real::from(N), Real::from(j) / Real::from(N));
                out.push(q[0] + (q[1] - q[0]) * u + (q[2] - q[0]) * v);
            }
        }
        out
    };
    let (a, b) = (grid(&p[..3]), grid(&p[3..]));
    a.iter().flat_map(|x| b.iter().map(move |y| (x - y).norm())).fold(s.distance, Real::min)
}

#[test]
fn coincident_points_and_crossing_boxes_overlap() {
    let ball = Ball::try_new(0.5).unwrap();
    assert!(run(&ball, &ball, &placed(0.0, 0.0, 0.0, [0.0; 3])).overlapping);
    let cube = Cuboid::try_new([0.5, 0.5, 0.5]).unwrap();
    assert!(run(&cube, &cube, &placed(0.9, 0.1, 0.3, [0.3, 0.2, 0.1])).overlapping);
}
