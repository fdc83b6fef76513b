//! Promises of a contact search, for random pairs of all kinds of shapes that nearly touch.

use ccd_core::contact::{ContactCache, ContactPoint, find_all_contacts, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use proptest::prelude::*;

const MARGIN: Real = 1e-3;
const KINDS: usize = 9;

/// A torus around y as a mesh of `n` × `m` quads, each two triangles.
fn torus(n: u32, m: u32, major: Real, minor: Real) -> TriMesh {
    let place = |i: u32, j: u32| {
        let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(m));
        let ((su, cu), (sv, cv)) = ((u * std::f64::consts::TAU).sin_cos(), (v * std::f64::consts::TAU).sin_cos());
        let r = major + minor * cv;
        Point::new(r * cu, minor * sv, r * su)
    };
    let vertices = (0..n).flat_map(|i| (0..m).map(move |j| place(i, j))).collect();
    let id = |i: u32, j: u32| (i % n) * m + j % m;
    let triangles: Vec<_> = (0..n)
        .flat_map(|i| (0..m).map(move |j| (i, j)))
        .flat_map(|(i, j)| [[id(i, j), id(i, j + 1), id(i + 1, j + 1)], [id(i, j), id(i + 1, j + 1), id(i + 1, j)]])
        .collect();
    let mesh = TriMesh::try_new(vertices, triangles).unwrap();
    if mesh.signed_volume() < 0.0 { mesh.flipped() } else { mesh }
}

fn shape(kind: usize, sizes: [Real; 3], cloud: &[[Real; 3]]) -> Shape {
    match kind {
        0 => Shape::cuboid(sizes).unwrap(),
        1 => Shape::ball(sizes[0]).unwrap(),
        2 => Shape::capsule(sizes[0], sizes[1]).unwrap(),
        3 => Shape::cylinder(sizes[0], sizes[1]).unwrap(),
        4 => Shape::cone(sizes[0], sizes[1]).unwrap(),
        5 => {
            let points: Vec<Point> = cloud.iter().map(|p| Point::from(*p)).collect();
            Shape::convex_hull(&points).unwrap_or_else(|_| Shape::ball(sizes[0]).unwrap())
        }
        6 => Shape::mesh(torus(12, 8, 0.6, 0.25)).unwrap(),
        7 => Shape::half_space(Vector::new(sizes[0] - 0.5, sizes[1], sizes[2])).unwrap(),
        // A soup: a torus with a hole.
        _ => {
            let whole = torus(10, 6, 0.5, 0.2);
            Shape::mesh(TriMesh::compacted(whole.vertices(), &whole.triangles()[..70]).unwrap()).unwrap()
        }
    }
}

#[derive(Clone)]
struct Case {
    a: Shape,
    b: Shape,
    pose_a: Pose,
    pose_b: Pose,
    distance: Real,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let side = |shape: &Shape, pose: &Pose| {
            let named = match shape {
                Shape::Mesh(_) | Shape::Convex(_) => shape.as_solid().kind().to_owned(),
                other => format!("{other:?}"),
            };
            format!(
                "{named} at {:?} turned {:?}",
                pose.translation.vector.as_slice(),
                pose.rotation.scaled_axis().as_slice()
            )
        };
        write!(f, "{} against {}, {} apart", side(&self.a, &self.pose_a), side(&self.b, &self.pose_b), self.distance)
    }
}

fn sizes() -> impl Strategy<Value = [Real; 3]> {
    [0.1..0.8_f64, 0.1..0.8, 0.1..0.8]
}

fn pose() -> impl Strategy<Value = Pose> {
    ([-1.0..1.0_f64, -1.0..1.0, -1.0..1.0], [-3.0..3.0_f64, -3.0..3.0, -3.0..3.0])
        .prop_map(|(p, r)| Pose::from_parts(Vector::from(p).into(), Rotation::from_scaled_axis(Vector::from(r))))
}

fn cloud() -> impl Strategy<Value = Vec<[Real; 3]>> {
    prop::collection::vec([-0.7..0.7_f64, -0.7..0.7, -0.7..0.7], 6..20)
}

/// Two shapes moved towards each other until they are `gap` apart. `square` turns both by right angles only, so that faces lie on faces.
fn case() -> impl Strategy<Value = Case> {
    let side = || (0..KINDS, sizes(), cloud(), pose());
    (side(), side(), 1e-6..8e-4_f64, [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0], prop::bool::ANY).prop_filter_map(
        "not brought to the gap",
        |(a, b, gap, away, square)| {
            let squared = |p: Pose| {
                let v = p
                    .rotation
                    .scaled_axis()
                    .map(|c| (c / std::f64::consts::FRAC_PI_2).round().clamp(-1.0, 1.0) * std::f64::consts::FRAC_PI_2);
                let axis = Vector::ith(v.iamax(), v.amax() * v[v.iamax()].signum());
                Pose::from_parts(p.translation, Rotation::from_scaled_axis(axis))
            };
            let (shape_a, shape_b) = (shape(a.0, a.1, &a.2), shape(b.0, b.1, &b.2));
            if a.0 == 7 && b.0 == 7 {
                return None;
            }
            let (pose_a, mut pose_b) = if square { (squared(a.3), squared(b.3)) } else { (a.3, b.3) };
            let out = Vector::from(away).try_normalize(0.1)?;
            pose_b.translation.vector += out * 6.0;
            for _ in 0..60 {
                let found = closest(&shape_a, &pose_a, &shape_b, &pose_b).ok()?;
                if found.distance > 0.0 && (found.distance - gap).abs() < 1e-7 {
                    return Some(Case { a: shape_a, b: shape_b, pose_a, pose_b, distance: found.distance });
                }
                pose_b.translation.vector -= found.normal * (found.distance - gap);
            }
            None
        },
    )
}

fn contacts(case: &Case) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    find_contacts(&case.a, &case.pose_a, &case.b, &case.pose_b, MARGIN, &mut ContactCache::default(), &mut out);
    out
}

fn is_round(shape: &Shape) -> bool {
    matches!(shape, Shape::Cone(_) | Shape::Cylinder(_))
}

fn all_contacts(case: &Case) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    find_all_contacts(&case.a, &case.pose_a, &case.b, &case.pose_b, MARGIN, &mut out);
    out
}

/// What a failed test shows of contacts.
fn brief(contacts: &[ContactPoint]) -> Vec<String> {
    contacts
        .iter()
        .map(|c| {
            format!(
                "{} {} {:.9} at {:.6} along {:.4}",
                c.features.a,
                c.features.b,
                c.separation,
                c.midpoint(),
                c.normal.transpose()
            )
        })
        .collect()
}

/// How far a world place is from the surface of a shape.
fn off_surface(shape: &Shape, pose: &Pose, place: &Point) -> Real {
    let local = pose.inverse_transform_point(place);
    if let Shape::Mesh(mesh) = shape {
        return mesh.closest_point(&local, 1.0).map_or(1.0, |c| c.distance);
    }
    // A solid of revolution: its outline in the half-plane of the radius and the height.
    let outline = match shape {
        Shape::Cylinder(c) => {
            let (r, h) = (c.radius(), c.half_height());
            vec![[0.0, -h], [r, -h], [r, h], [0.0, h]]
        }
        Shape::Cone(c) => vec![[0.0, -c.half_height()], [c.radius(), -c.half_height()], [0.0, c.half_height()]],
        _ => vec![],
    };
    if !outline.is_empty() {
        let here = [local.x.hypot(local.z), local.y];
        let to_side = |p: [Real; 2], q: [Real; 2]| {
            let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
            let at = (((here[0] - p[0]) * dx + (here[1] - p[1]) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
            (here[0] - p[0] - dx * at).hypot(here[1] - p[1] - dy * at)
        };
        return outline.windows(2).map(|side| to_side(side[0], side[1])).fold(Real::MAX, Real::min);
    }
    let radius = 1e-3;
    let probe = Shape::ball(radius).unwrap();
    let at = Pose::translation(local.x, local.y, local.z);
    (closest(shape, &Pose::identity(), &probe, &at).unwrap().distance + radius).abs()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, rng_seed: proptest::test_runner::RngSeed::Fixed(0xC0), failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn contacts_lie_on_both_surfaces_within_the_margin_and_hold_the_nearest_points(case in case()) {
        let found = contacts(&case);
        // On round solids the nearest points are mixed from points of the rim, a little inside of it.
        let off = if is_round(&case.a) || is_round(&case.b) { 1e-6 } else { 1e-8 };
        prop_assert!(!found.is_empty(), "apart by {} and no contact", case.distance);
        for c in &found {
            prop_assert!((c.normal.norm() - 1.0).abs() < 1e-12);
            prop_assert!(c.separation <= MARGIN);
            prop_assert!(((c.point_b - c.point_a).dot(&c.normal) - c.separation).abs() < 1e-9, "{c:?}");
            // The search for nearest points of two round solids ends with a direction that is a little off.
            let short = if is_round(&case.a) && is_round(&case.b) { 2e-5 } else { 1e-6 };
            prop_assert!(c.separation >= case.distance - short, "nearer than the nearest points, {}: {c:?}", case.distance);
            prop_assert!(off_surface(&case.a, &case.pose_a, &c.point_a) < off, "off A by {}: {c:?}", off_surface(&case.a, &case.pose_a, &c.point_a));
            prop_assert!(off_surface(&case.b, &case.pose_b, &c.point_b) < off, "off B by {}: {c:?}", off_surface(&case.b, &case.pose_b, &c.point_b));
        }
        let least = found.iter().map(|c| c.separation).fold(Real::MAX, Real::min);
        prop_assert!(least <= case.distance + 5.1e-3 * MARGIN, "least {} for {}", least, case.distance);
    }

    #[test]
    fn moving_the_whole_scene_moves_the_contacts_with_it(case in case(), by in pose()) {
        let before = contacts(&case);
        let moved = Case { pose_a: by * case.pose_a, pose_b: by * case.pose_b, ..case.clone() };
        let after = contacts(&moved);
        let least = |cs: &[ContactPoint]| cs.iter().map(|c| c.separation).fold(Real::MAX, Real::min);
        prop_assert!((least(&before) - least(&after)).abs() < 5.1e-3 * MARGIN, "{} became {}", least(&before), least(&after));
        // A rim is seen as a polygon, to which the nearest point of the true rim is added wherever it is found.
        let reach_tolerance = if is_round(&case.a) || is_round(&case.b) { 0.3 } else { 2e-3 };
        // Which of equal contacts are kept may differ; how far they reach may not.
        for k in 0..3 {
            for sign in [-1.0, 1.0] {
                let along = Vector::ith(k, sign);
                let reach = |cs: &[ContactPoint], by: &Pose| {
                    cs.iter().map(|c| (by * along).dot(&(c.midpoint() - by * Point::origin()))).fold(Real::MIN, Real::max)
                };
                let (one, other) = (reach(&all_contacts(&case), &Pose::identity()), reach(&all_contacts(&moved), &by));
                prop_assert!((one - other).abs() < reach_tolerance, "{one} became {other} along {along:?}\nbefore {:#?}\nafter {:#?}",
                    brief(&all_contacts(&case)), brief(&all_contacts(&moved)));
            }
        }
    }

    #[test]
    fn exchanging_the_sides_keeps_the_least_separation_and_turns_the_normals(case in case()) {
        let one = contacts(&case);
        let exchanged = Case { a: case.b.clone(), b: case.a.clone(), pose_a: case.pose_b, pose_b: case.pose_a, ..case };
        let other = contacts(&exchanged);
        let least = |cs: &[ContactPoint]| cs.iter().map(|c| c.separation).fold(Real::MAX, Real::min);
        prop_assert!((least(&one) - least(&other)).abs() < 5.1e-3 * MARGIN);
        for c in &one {
            let opposed = other.iter().map(|d| (d.normal + c.normal).norm()).fold(Real::MAX, Real::min);
            prop_assert!(opposed < 0.3, "no counterpart of {c:?}\none {:#?}\nother {:#?}", brief(&one), brief(&other));
        }
    }
}
