//! What the primitive solids promise, against closed forms of "how far is this point from the inside".

use ccd_core::detection::closest::closest;
use ccd_core::geometry::feature::{Feature, FeatureSet};
use ccd_core::geometry::mass::MassProperties;
use ccd_core::geometry::mesh::triangle::closest_point;
use ccd_core::geometry::primitive::{
    Ball, Capsule, Cone, Cuboid, Cylinder, FINEST_ROUND, HalfSpace, MAX_SIZE, ShapeError, Triangle,
};
use ccd_core::geometry::solid::{Segment, Solid, SupportMap};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector, orthonormal_basis};
use ccd_core::shape::Shape;
use ccd_core::volume::Obb;
use proptest::prelude::*;

/// A primitive with the oracle for it: the distance of a point from the solid outside, minus the depth inside.
#[derive(Clone, Debug)]
enum Known {
    Box([Real; 3]),
    Ball(Real),
    Capsule(Real, Real),
    Cylinder(Real, Real),
    Cone(Real, Real),
}

impl Known {
    fn shape(&self) -> Shape {
        match *self {
            Self::Box(h) => Shape::cuboid(h).unwrap(),
            Self::Ball(r) => Shape::ball(r).unwrap(),
            Self::Capsule(r, h) => Shape::capsule(r, h).unwrap(),
            Self::Cylinder(r, h) => Shape::cylinder(r, h).unwrap(),
            Self::Cone(r, h) => Shape::cone(r, h).unwrap(),
        }
    }

    fn distance(&self, p: &Point) -> Real {
        let across = p.x.hypot(p.z);
        match *self {
            Self::Box(h) => {
                let q = p.coords.abs() - Vector::from(h);
                q.sup(&Vector::zeros()).norm() + q.max().min(0.0)
            }
            Self::Ball(r) => p.coords.norm() - r,
            Self::Capsule(r, h) => across.hypot(p.y - p.y.clamp(-h, h)) - r,
            Self::Cylinder(r, h) => {
                let (q, s) = (across - r, p.y.abs() - h);
                q.max(0.0).hypot(s.max(0.0)) + q.max(s).min(0.0)
            }
            Self::Cone(r, h) => {
                // In the half plane (across, y): the triangle of base middle, rim and apex.
                let to_segment = |a: [Real; 2], b: [Real; 2]| {
                    let (d, q) = ([b[0] - a[0], b[1] - a[1]], [across - a[0], p.y - a[1]]);
                    let t = ((q[0] * d[0] + q[1] * d[1]) / (d[0] * d[0] + d[1] * d[1])).clamp(0.0, 1.0);
                    (q[0] - t * d[0]).hypot(q[1] - t * d[1])
                };
                let distance = to_segment([0.0, -h], [r, -h]).min(to_segment([r, -h], [0.0, h]));
                let inside = p.y >= -h && across <= 0.5 * r / h * (h - p.y);
                if inside { -distance } else { distance }
            }
        }
    }

    fn size(&self) -> Real {
        self.shape().bounding_radius_about(&Point::origin())
    }
}

fn size() -> impl Strategy<Value = Real> {
    prop_oneof![0.01..0.1_f64, 0.1..3.0_f64]
}

fn known() -> impl Strategy<Value = Known> {
    prop_oneof![
        [size(), size(), size()].prop_map(Known::Box),
        size().prop_map(Known::Ball),
        (size(), prop_oneof![Just(0.0), size()]).prop_map(|(r, h)| Known::Capsule(r, h)),
        (size(), size()).prop_map(|(r, h)| Known::Cylinder(r, h)),
        (size(), size()).prop_map(|(r, h)| Known::Cone(r, h)),
    ]
}

fn vector(range: Real) -> impl Strategy<Value = Vector> {
    [-range..range, -range..range, -range..range].prop_map(Vector::from)
}

fn direction() -> impl Strategy<Value = Vector> {
    prop_oneof![
        8 => vector(1.0),
        1 => prop::sample::select(vec![Vector::x(), Vector::y(), Vector::z(), -Vector::x(), -Vector::y(), -Vector::z()]),
    ]
    .prop_filter_map("a direction", |v| v.try_normalize(1e-3))
}

/// Points of the surface, by walking in from outside along many directions.
fn surface_points(known: &Known, count: usize) -> Vec<Point> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..count)
        .map(|i| {
            let y = 1.0 - 2.0 * (i as Real + 0.5) / count as Real;
            let (s, c) = (golden * i as Real).sin_cos();
            let outward = Vector::new((1.0 - y * y).sqrt() * c, y, (1.0 - y * y).sqrt() * s);
            let (mut inside, mut outside) = (0.0, 2.0 * known.size());
            for _ in 0..100 {
                let t = 0.5 * (inside + outside);
                if known.distance(&(outward * t).into()) <= 0.0 { inside = t } else { outside = t }
            }
            (outward * inside).into()
        })
        .collect()
}

fn distance_to_features(set: &FeatureSet, p: &Point) -> Real {
    let at = |v: u32| set.vertices[v as usize];
    let vertices = set.vertices.iter().map(|v| (p - v).norm());
    let edges = set.edges.iter().map(|[a, b]| {
        let (a, d) = (at(*a), at(*b) - at(*a));
        let t = if d.norm_squared() > 0.0 { ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
        (p - (a + d * t)).norm()
    });
    let faces = set.faces.iter().map(|t| (p - closest_point(&t.map(at), p).0).norm());
    vertices.chain(edges).chain(faces).fold(Real::INFINITY, Real::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn segment_hits_are_where_the_inside_begins(known in known(), from in vector(5.0), to in vector(5.0)) {
        let shape = known.shape();
        let segment = Segment { start: from.into(), end: to.into() };
        let at = |t: Real| segment.start + (segment.end - segment.start) * t;
        match shape.as_solid().cast_segment(&segment) {
            Some(hit) => {
                prop_assert!((hit.point - at(hit.fraction)).norm() < 1e-9);
                prop_assert!((hit.normal.norm() - 1.0).abs() < 1e-9);
                if hit.fraction == 0.0 {
                    prop_assert!(known.distance(&segment.start) <= 1e-9);
                } else {
                    prop_assert!(known.distance(&hit.point).abs() < 1e-7);
                    prop_assert!(hit.normal.dot(&(segment.end - segment.start)) <= 1e-9);
                    // A step along the normal leads straight away.
                    let out = hit.point + hit.normal * 1e-3;
                    prop_assert!((known.distance(&out) - 1e-3).abs() < 1e-6);
                }
                for i in 0..100 {
                    let t = hit.fraction * Real::from(i) / 100.0;
                    prop_assert!(hit.fraction == 0.0 || known.distance(&at(t)) > -1e-7, "inside at {t}");
                }
            }
            None => for i in 0..=300 {
                prop_assert!(known.distance(&at(Real::from(i) / 300.0)) > -1e-9);
            },
        }
    }

    #[test]
    fn segment_from_inside_hits_at_once_with_the_nearest_side(known in known(), at in vector(1.0), to in vector(5.0)) {
        let start = Point::from(at * (0.5 * known.size()));
        let depth = -known.distance(&start);
        prop_assume!(depth > 1e-6);
        let hit = known.shape().as_solid().cast_segment(&Segment { start, end: to.into() }).unwrap();
        prop_assert_eq!((hit.fraction, hit.point), (0.0, start));
        prop_assert!(known.distance(&(start + hit.normal * depth)).abs() < 1e-7);
    }

    /// The oracle is another algorithm altogether: the distance by GJK.
    #[test]
    fn box_query_says_overlap_exactly_when_the_distance_is_zero(
        known in known(), at in vector(1.0), turn in vector(3.0), half in [size(), size(), size()],
    ) {
        let shape = known.shape();
        let pose = Pose::new(at * (1.5 * known.size() + 0.5), turn);
        let cuboid = Cuboid::try_new(half).unwrap();
        let obb = Obb::from_aabb(&cuboid.local_aabb(), &pose);
        let distance = closest(&shape, &Pose::identity(), &Shape::Box(cuboid), &pose).unwrap().distance;
        let overlaps = shape.as_solid().overlaps_obb(&obb);
        prop_assert!(overlaps || distance > -1e-6, "missed an overlap {} deep", -distance);
        // A rounded solid's distance is its core's less the radius; its exactness is its test elsewhere.
        prop_assert!(!overlaps || distance < 1e-6, "claims an overlap across {distance}");
    }

    #[test]
    fn box_query_never_denies_a_box_that_holds_a_point_of_the_solid(
        known in known(), pick in vector(1.0), in_box in vector(1.0), turn in vector(3.0), half in [size(), size(), size()],
    ) {
        let mut p = Point::from(pick * known.size());
        while known.distance(&p) > 0.0 {
            p *= 0.7;
        }
        let axes = Rotation::from_scaled_axis(turn).to_rotation_matrix().into_inner();
        let half = Vector::from(half);
        let obb = Obb { centre: p - axes * half.component_mul(&in_box), axes, half_extents: half };
        prop_assert!(known.shape().as_solid().overlaps_obb(&obb));
    }

    #[test]
    fn features_stay_inside_and_within_the_error_of_every_surface_point(
        known in known(), error in prop::sample::select(vec![1.0, 0.1, 0.01]),
    ) {
        let max_error = error * known.size();
        let set = known.shape().as_solid().features(max_error);
        prop_assert!(set.error <= max_error);
        for v in &set.vertices {
            prop_assert!(known.distance(v) + set.radius <= 1e-9);
        }
        for p in surface_points(&known, 200) {
            prop_assert!(distance_to_features(&set, &p) <= set.radius + set.error + 1e-9);
        }
        for [a, b, c] in &set.faces {
            let [a, b, c] = [a, b, c].map(|v| set.vertices[*v as usize]);
            prop_assert!((b - a).cross(&(c - a)).dot(&(a - Point::origin())) > 0.0, "wound outwards");
        }
    }

    #[test]
    fn support_is_the_furthest_point(known in known(), direction in direction(), length in 1e-3..1e3_f64) {
        let shape = known.shape();
        let convex = shape.as_convex().unwrap();
        let found = convex.support(&(direction * length), 0);
        // The extreme point of the whole solid is of its surface,
        let extreme = found.point + direction * convex.radius();
        prop_assert!(known.distance(&extreme).abs() < 1e-9);
        // and nothing is further.
        for p in surface_points(&known, 300) {
            prop_assert!((p - extreme).dot(&direction) <= 1e-9);
        }
        prop_assert!(known.distance(&convex.interior_point()) < 0.0);
    }

    #[test]
    fn bounds_hold_every_surface_point_and_are_reached(
        known in known(), centre in vector(2.0), axis in direction(),
    ) {
        let shape = known.shape();
        let (solid, convex) = (shape.as_solid(), shape.as_convex().unwrap());
        let (aabb, sphere) = (solid.local_aabb(), solid.bounding_sphere());
        let centre = Point::from(centre);
        let reach = convex.reach_from_axis(&centre, &axis);
        let around = shape.bounding_radius_about(&centre);
        for p in surface_points(&known, 500) {
            prop_assert!(aabb.distance_to_point(&p) <= 1e-12);
            prop_assert!((p - sphere.centre).norm() <= sphere.radius + 1e-12);
            prop_assert!((p - centre).norm() <= around + 1e-12);
        }
        // Seen along the axis, the furthest place is the furthest along some direction across it.
        let (u, v) = orthonormal_basis(&axis);
        let furthest = (0..2000)
            .map(|i| {
                let (s, c) = (std::f64::consts::TAU * Real::from(i) / 2000.0).sin_cos();
                let across = u * c + v * s;
                (convex.support(&across, 0).point - centre).dot(&across) + convex.radius()
            })
            .fold(0.0, Real::max);
        prop_assert!(furthest <= reach * (1.0 + 1e-12));
        // For round shapes it is a bound; elsewhere exact (the directions miss it by 1.3e-6 of its square).
        let slack = if matches!(known, Known::Cylinder(..) | Known::Cone(..)) { 0.3 } else { 1e-5 };
        prop_assert!(reach <= furthest * (1.0 + slack));
        for k in 0..3 {
            let along = Vector::ith(k, 1.0);
            let top = convex.support(&along, 0).point[k] + convex.radius();
            let bottom = convex.support(&-along, 0).point[k] - convex.radius();
            prop_assert!((top - aabb.max[k]).abs() < 1e-12 && (bottom - aabb.min[k]).abs() < 1e-12);
        }
    }

    #[test]
    fn support_face_is_a_convex_polygon_of_the_surface_that_faces_the_direction(known in known(), direction in direction()) {
        let shape = known.shape();
        let convex = shape.as_convex().unwrap();
        let mut polygon = vec![Point::new(9.0, 9.0, 9.0)];
        convex.support_face(&direction, &mut polygon);
        prop_assert_eq!(polygon.remove(0), Point::new(9.0, 9.0, 9.0), "appends");
        prop_assert!(!polygon.is_empty());
        for p in &polygon {
            prop_assert!((known.distance(p) + convex.radius()).abs() < 1e-9, "of the core's surface");
        }
        for k in 0..polygon.len().saturating_sub(2) {
            let turn = (polygon[k + 1] - polygon[k]).cross(&(polygon[k + 2] - polygon[k + 1]));
            prop_assert!(turn.dot(&direction) >= -1e-12, "counter-clockwise seen from outside");
        }
        // Straight on, it holds the extreme point.
        if let [a, b, c, ..] = polygon[..] {
            let normal = (b - a).cross(&(c - a)).normalize();
            let top = convex.support(&normal, 0).point.coords.dot(&normal);
            prop_assert!((a.coords.dot(&normal) - top).abs() < 1e-9);
        }
    }

    /// The mass of the finest surface converges to the closed form from below.
    #[test]
    fn closed_forms_of_mass_agree_with_the_surface_integral(known in known()) {
        let finest = match known {
            Known::Box(_) => 0.0,
            Known::Cylinder(r, _) | Known::Cone(r, _) => 1e-4 * r,
            Known::Ball(_) | Known::Capsule(..) => return Ok(()),
        };
        let shape = known.shape();
        let (exact, _) = shape.mass_properties(700.0).unwrap();
        exact.validate().unwrap();
        let set = shape.as_solid().features(finest);
        let found = MassProperties::of_closed_surface(&set.vertices, &set.faces, 700.0).unwrap();
        prop_assert!((found.mass / exact.mass - 1.0).abs() < 1e-3);
        prop_assert!((found.com - exact.com).norm() < 1e-3 * known.size());
        prop_assert!((found.inertia - exact.inertia).norm() < 2e-3 * exact.inertia.norm());
    }
}

#[test]
fn capsule_mass_is_that_of_its_tube_and_half_balls() {
    // Integrated in slices: each is a disc of area π r(y)².
    let (r, h, n) = (0.3, 0.7, 200_000);
    let (mut volume, mut axial, mut across) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let dy = 2.0 * (h + r) / Real::from(n);
        let y = -(h + r) + dy * (Real::from(i) + 0.5);
        let beyond = (y.abs() - h).max(0.0);
        let square = r * r - beyond * beyond;
        let disc = std::f64::consts::PI * square * dy;
        volume += disc;
        axial += 0.5 * disc * square;
        across += disc * (0.25 * square + y * y);
    }
    let (mass, _) = Shape::capsule(r, h).unwrap().mass_properties(1.0).unwrap();
    assert!((mass.mass - volume).abs() < 1e-8);
    assert!((mass.inertia.m22 - axial).abs() < 1e-8 && (mass.inertia.m11 - across).abs() < 1e-8);
}

#[test]
fn sizes_that_make_no_shape_are_named() {
    assert_eq!(
        Cuboid::try_new([1.0, -2.0, 3.0]).unwrap_err().to_string(),
        "the half extent y of a box is -2 m, which is not positive"
    );
    assert!(matches!(Ball::try_new(Real::NAN), Err(ShapeError::NonFinite { parameter: "radius", .. })));
    assert!(matches!(Ball::try_new(2.0 * MAX_SIZE), Err(ShapeError::OutOfRange { .. })));
    assert!(matches!(Cylinder::try_new(1.0, 0.0), Err(ShapeError::NonPositive { parameter: "half height", .. })));
    assert!(matches!(Cone::try_new(1e-200, 1.0), Err(ShapeError::OutOfRange { .. })));
    assert!(matches!(Capsule::try_new(1.0, -1e-9), Err(ShapeError::NonPositive { .. })));
    assert!(Capsule::try_new(1.0, 0.0).is_ok());
    for bad in [Vector::zeros(), Vector::new(Real::NAN, 1.0, 0.0), Vector::new(Real::INFINITY, 0.0, 0.0)] {
        assert!(matches!(HalfSpace::try_new(bad), Err(ShapeError::BadNormal { .. })));
    }
    assert_eq!(HalfSpace::try_new(Vector::new(0.0, 1e-300, 0.0)).unwrap().normal(), Vector::y());
    assert!((HalfSpace::try_new(Vector::new(1e300, 1e300, 0.0)).unwrap().normal().norm() - 1.0).abs() < 1e-12);
    let line = [0.0, 1.0, 3.0].map(|t| Point::new(t, 2.0 * t, 1.0));
    assert_eq!(Triangle::try_new(line), Err(ShapeError::FlatTriangle));
}

#[test]
fn features_of_a_box_are_numbered_as_its_support_says() {
    let cuboid = Cuboid::try_new([1.0, 2.0, 3.0]).unwrap();
    for edge in 0..12_u32 {
        let [a, b] = cuboid.features(0.0).edges[edge as usize];
        assert_eq!((a ^ b).count_ones(), 1);
        assert_eq!(cuboid.feature_of(&[a, b]), Feature::Edge(edge));
        assert_eq!(cuboid.feature_of(&[b, a, b]), Feature::Edge(edge));
    }
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
        let mut polygon = Vec::new();
        let face = cuboid.support_face(&Vector::ith(axis, sign), &mut polygon);
        let corners: Vec<u32> = (0..8).filter(|v| polygon.contains(&cuboid.vertex(*v))).collect();
        assert_eq!(corners.len(), 4);
        assert_eq!(cuboid.feature_of(&corners[..3]), face);
        assert_eq!(cuboid.feature_of(&[corners[0], corners[3]]), face);
        let hit =
            cuboid.cast_segment(&Segment { start: Point::from(Vector::ith(axis, 9.0 * sign)), end: Point::origin() });
        assert_eq!(hit.unwrap().feature, face);
    }
    for v in 0..8 {
        let p = cuboid.vertex(v);
        assert_eq!((cuboid.support(&p.coords, 0).vertex, cuboid.feature_of(&[v, v])), (v, Feature::Vertex(v)));
    }
    // Three vertices through the inside span nothing: any feature will do, but it must be one.
    assert!(matches!(cuboid.feature_of(&[0, 7, 3]), Feature::Vertex(0)));
}

#[test]
fn finest_ring_tells_the_error_it_has() {
    let cylinder = Cylinder::try_new(1.0, 1.0).unwrap();
    for asked in [0.0, -1.0, Real::NAN, 1e-300] {
        let set = cylinder.features(asked);
        assert_eq!(set.vertices.len(), 2 * FINEST_ROUND as usize);
        assert!(set.error > 1.1e-9 && set.error < 1.2e-9);
    }
}

#[test]
fn half_space_is_everything_below_its_plane() {
    let half_space = HalfSpace::try_new(Vector::new(0.0, 3.0, 0.0)).unwrap();
    let cast = |from: Real, to: Real| {
        half_space.cast_segment(&Segment { start: Point::new(1.0, from, 0.0), end: Point::new(1.0, to, 0.0) })
    };
    assert_eq!(cast(1.0, -3.0).unwrap().fraction, 0.25);
    assert_eq!(cast(-1.0, 3.0).unwrap().fraction, 0.0);
    assert!(cast(1.0, 0.5).is_none());
    let at = |y: Real| {
        let turn = Rotation::from_euler_angles(0.0, 0.0, std::f64::consts::FRAC_PI_4).to_rotation_matrix().into_inner();
        half_space.overlaps_obb(&Obb { centre: Point::new(5.0, y, 0.0), axes: turn, half_extents: Vector::repeat(1.0) })
    };
    assert!(at(1.41) && !at(1.42) && at(-100.0));
    assert!(half_space.bounding_sphere().radius.is_infinite());
    assert!(!Shape::HalfSpace(half_space).is_bounded());
    assert!(Shape::HalfSpace(half_space).mass_properties(1.0).is_err());
}

#[test]
fn triangle_has_two_sides() {
    let triangle = Triangle::try_new([Point::origin(), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 0.0, 1.0)]).unwrap();
    for sign in [1.0, -1.0] {
        let start = Point::new(0.2, sign, 0.2);
        let hit = triangle.cast_segment(&Segment { start, end: Point::new(0.2, -sign, 0.2) }).unwrap();
        assert_eq!((hit.fraction, hit.normal), (0.5, Vector::y() * sign));
        let mut polygon = Vec::new();
        triangle.support_face(&(Vector::y() * sign), &mut polygon);
        assert!((polygon[1] - polygon[0]).cross(&(polygon[2] - polygon[0])).dot(&hit.normal) > 0.0);
    }
    assert_eq!(triangle.feature_of(&[2, 0]), Feature::Edge(2));
    assert_eq!(triangle.support(&Vector::new(-1.0, 0.0, 2.0), 0).vertex, 2);
}

#[test]
fn the_nearest_feature_of_a_round_solid_is_its_cap_rim_side_or_tip() {
    let cylinder = Shape::cylinder(0.3, 0.5).unwrap();
    let cone = Shape::cone(0.3, 0.5).unwrap();
    let capsule = Shape::capsule(0.3, 0.5).unwrap();
    let probe = Shape::ball(0.01).unwrap();
    let (cap, rim) = (Feature::Face, Feature::Edge);
    for (solid, place, feature) in [
        (&cylinder, [0.1, -0.6, 0.05], cap(0)),
        (&cylinder, [0.1, 0.6, 0.05], cap(1)),
        (&cylinder, [0.5, -0.7, 0.1], rim(0)),
        (&cylinder, [-0.2, 0.7, 0.5], rim(1)),
        (&cylinder, [0.3, 0.1, 0.4], Feature::Face(2)),
        (&cone, [0.1, -0.6, 0.05], cap(0)),
        (&cone, [0.5, -0.7, 0.1], rim(0)),
        (&cone, [0.4, 0.2, 0.3], Feature::Face(1)),
        (&cone, [0.01, 0.9, 0.0], Feature::Vertex(0)),
        (&capsule, [0.1, -1.0, 0.05], Feature::Vertex(0)),
        (&capsule, [0.1, 1.0, 0.05], Feature::Vertex(1)),
        (&capsule, [0.5, 0.1, 0.05], Feature::Edge(0)),
    ] {
        let at = Pose::translation(place[0], place[1], place[2]);
        for turn in [Rotation::identity(), Rotation::from_scaled_axis(Vector::new(0.3, -0.8, 0.5))] {
            let turn = Pose::from_parts(Vector::zeros().into(), turn);
            let found = closest(solid, &turn, &probe, &(turn * at)).unwrap();
            assert_eq!(found.features.a, feature, "{solid:?} at {place:?}");
            let swapped = closest(&probe, &(turn * at), solid, &turn).unwrap();
            assert_eq!(swapped.features.b, feature, "{solid:?} at {place:?}");
        }
    }
}
