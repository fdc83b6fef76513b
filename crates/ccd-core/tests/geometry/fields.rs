//! Solids given by functions: distances, masses, contacts and grids, against formulas of their own.

use std::f64::consts::{FRAC_PI_2, PI};

use ccd_core::bounds::IndexedMesh;
use ccd_core::contact::{ContactCache, ContactPoint, find_contacts};
use ccd_core::detection::closest::{closest, interferes};
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::field::{
    Enclosure, Field, Implicit, ImplicitSurface, Operation, Region, SignedDistanceGrid, by_subdivision, nearest_surface,
};
use ccd_core::geometry::mass::MassKind;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::solid::Segment;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::volume::{Aabb, Sphere};

use crate::common::environment::from_environment;
use crate::common::fields::{FieldKind, Solid, solid};
use crate::common::models::box_mesh;
use crate::common::random::Random;

fn at(x: Real, y: Real, z: Real) -> Pose {
    Pose::translation(x, y, z)
}

fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: Real) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    find_contacts(a, pose_a, b, pose_b, margin, &mut ContactCache::default(), &mut out);
    out
}

/// A floor of two triangles.
fn floor() -> Shape {
    let corners = [[-3.0, 0.0, -3.0], [3.0, 0.0, -3.0], [3.0, 0.0, 3.0], [-3.0, 0.0, 3.0]].map(Point::from);
    Shape::mesh(TriMesh::try_new(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap()).unwrap()
}

fn drilled_block() -> Shape {
    let block = (Shape::cuboid([1.0, 0.5, 1.0]).unwrap(), Pose::identity());
    let drill = (Shape::cylinder(0.4, 2.0).unwrap(), Pose::identity());
    Shape::csg(Operation::Difference, &[block, drill]).unwrap()
}

#[test]
fn what_a_ball_holds_of_a_field_or_its_complement_is_within_the_enclosure() {
    let mut random = Random(7);
    let r = &mut random;
    let mut held = 0;
    for round in 0..60 {
        for kind in FieldKind::FIELDS.iter().chain(&FieldKind::OTHERS).chain(&[FieldKind::Hollow]) {
            let made = solid(r, *kind, 1.0);
            let Some(field) = made.shape.as_field() else { continue };
            let reach = made.reach.max(1.0);
            for _ in 0..4 {
                let centre = Point::from(r.direction() * (1.1 * reach * r.unit()));
                let radius = reach * r.magnitude(0.01, 0.5);
                let ball = Sphere { centre, radius };
                for region in [Region::Solid, Region::Complement] {
                    let mut out = Enclosure::default();
                    field.enclose(&ball, region, &mut out);
                    for _ in 0..20 {
                        let x = r.direction() * (radius * r.unit());
                        if field.contains(&(centre + x)) != (region == Region::Solid) {
                            continue;
                        }
                        held += 1;
                        let within =
                            |f: &ccd_core::geometry::field::Facet| f.value + f.normal.dot(&x) <= f.error + 1e-9;
                        assert!(
                            out.alternatives().any(|facets| facets.iter().all(within)),
                            "round {round} {kind:?} {region:?} {ball:?} + {x:?}: {out:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(held > 10_000, "{held}");
}

#[test]
fn no_sample_of_the_surface_is_nearer_than_the_distance_says_and_the_sign_is_that_of_the_formula() {
    let mut random = Random(11);
    let r = &mut random;
    for _ in 0..6 {
        for kind in FieldKind::FIELDS.iter().chain(&FieldKind::OTHERS).chain(&[FieldKind::Hollow]) {
            let made = solid(r, *kind, 1.0);
            let Some(field) = made.shape.as_field() else { continue };
            for _ in 0..40 {
                let p = Point::from(r.direction() * (2.0 * made.reach * r.unit()));
                let distance = field.distance(&p);
                let nearest = made.samples.iter().map(|s| (s - p).norm()).fold(Real::INFINITY, Real::min);
                assert!(distance.abs() <= nearest + 1e-9, "{kind:?} {p}: {distance} but a sample at {nearest}");
                assert!(!made.is_inside(&p) || field.contains(&p), "{kind:?} {p}");
            }
        }
    }
}

#[test]
fn closest_points_of_fields_are_as_near_as_the_nearest_samples_and_no_nearer() {
    let mut random = Random(13);
    let r = &mut random;
    // One pair of kinds in eight; CCD_SCALE=8 or more asks all, which takes minutes.
    let scale = from_environment("CCD_SCALE", 1).clamp(1, 8);
    let mut pair = 0;
    for (i, &kind_a) in FieldKind::FIELDS.iter().enumerate() {
        for &kind_b in FieldKind::OTHERS.iter().chain(&FieldKind::FIELDS[i..]) {
            pair += 1;
            if pair % 8 >= scale {
                continue;
            }
            let (a, b) = (solid(r, kind_a, 1.0), solid(r, kind_b, 1.0));
            let up = b.normal.unwrap_or_else(|| r.direction());
            let pose_b = Pose::from_parts(Vector::zeros().into(), r.rotation());
            let off = pose_b.rotation * up * ((a.reach + b.reach) * r.between(0.8, 1.2));
            let pose_a = Pose::from_parts(off.into(), r.rotation());
            let clock = std::time::Instant::now();
            let found = closest(&a.shape, &pose_a, &b.shape, &pose_b).unwrap();
            if std::env::var_os("CCD_FIELD_TIMES").is_some() {
                println!("{kind_a:?}/{kind_b:?} {:?} {} rounds", clock.elapsed(), found.iterations);
            }
            let name = format!("{kind_a:?}/{kind_b:?} {found:?}");
            let gap = found.point_b - found.point_a;
            assert!(
                (found.normal.norm() - 1.0).abs() < 1e-9 && (found.normal.dot(&gap) - found.distance).abs() < 1e-5,
                "{name}"
            );
            for (own, pose, point) in [(&a, &pose_a, found.point_a), (&b, &pose_b, found.point_b)] {
                assert!(own.off_surface(&pose.inverse_transform_point(&point)) < 1e-5, "{name}");
            }
            if found.distance <= 0.0 {
                continue;
            }
            let of = |s: &Solid, pose: &Pose| s.samples.iter().map(|p| pose * p).collect::<Vec<_>>();
            let (points_a, points_b) = (of(&a, &pose_a), of(&b, &pose_b));
            let nearest = points_a
                .iter()
                .flat_map(|p| points_b.iter().map(move |q| (p - q).norm()))
                .fold(Real::INFINITY, Real::min);
            assert!(found.distance <= nearest * (1.0 + 1e-5) + 1e-8, "{name}: samples at {nearest}");
            let swapped = closest(&b.shape, &pose_b, &a.shape, &pose_a).unwrap();
            assert!((swapped.distance - found.distance).abs() < 1e-5 * found.distance + 1e-7, "{name} {swapped:?}");
        }
    }
}

#[test]
fn the_nearest_place_of_a_surface_is_found_from_right_beside_it_on_either_side() {
    let mut random = Random(20_261_130);
    let r = &mut random;
    for _ in 0..20 {
        for kind in FieldKind::FIELDS.into_iter().chain([FieldKind::Hollow]) {
            let size = r.magnitude(0.01, 100.0);
            let made = solid(r, kind, size);
            let field = made.shape.as_field().unwrap();
            let fine = 1e-9 * made.reach;
            for place in &made.samples {
                let beside = place + r.direction() * (made.reach * r.magnitude(1e-17, 1e-3));
                let found = nearest_surface(field, &beside, 1e-3 * fine);
                let name = format!("{kind:?} at {beside}: {found:?}");
                assert!(found.is_some_and(|found| made.off_surface(&found.point) < fine), "{name}");
                let off = (beside - place).norm();
                assert!(found.is_some_and(|found| (found.point - beside).norm() < 1.01 * off + fine), "{name}: {off}");
            }
        }
    }
}

#[test]
fn a_segment_meets_a_field_where_the_inside_of_the_formula_begins() {
    let mut random = Random(20_261_129);
    let r = &mut random;
    let (mut hits, mut misses) = (0, 0);
    for round in 0..40 {
        for kind in FieldKind::FIELDS.into_iter().chain([FieldKind::Hollow]) {
            let size = r.magnitude(0.01, 100.0);
            let made = solid(r, kind, size);
            let solid = made.shape.as_solid();
            let far = |r: &mut Random| Point::from(r.direction() * (made.reach * r.between(1.0, 4.0)));
            let start = far(r);
            let grazing = made.samples[r.below(made.samples.len())];
            let end = if r.chance(0.5) { start + (grazing - start) * r.between(1.0, 3.0) } else { far(r) };
            let found = solid.cast_segment(&Segment { start, end });
            let at = |t: Real| start + (end - start) * t;
            let name = format!("{kind:?} in round {round}, {found:?}");
            let until = found.map_or(1.0, |hit| hit.fraction);
            for k in 0..2000 {
                let t = until * Real::from(k) / 2000.0;
                assert!(!made.is_inside(&at(t)), "{name}: inside at {t}");
            }
            let Some(hit) = found else {
                misses += 1;
                continue;
            };
            hits += 1;
            assert!(
                made.off_surface(&hit.point) < 1e-8 * made.reach,
                "{name}: off by {}",
                made.off_surface(&hit.point)
            );
            assert!(
                (hit.normal.norm() - 1.0).abs() < 1e-9 && hit.normal.dot(&(end - start)) <= 1e-6 * (end - start).norm(),
                "{name}"
            );
            let out = hit.point + hit.normal * (1e-4 * made.reach);
            let rise = made.off_surface(&out) / (1e-4 * made.reach);
            assert!(!made.is_inside(&out) && rise > 0.5, "{name}: rises by {rise}");
        }
    }
    assert!(hits > 100 && misses > 50, "{hits} {misses}");
}

#[test]
fn masses_by_closed_form_and_by_subdivision_agree_within_the_stated_error() {
    let shapes = [
        Shape::torus(0.8, 0.25).unwrap(),
        Shape::ellipsoid([0.5, 0.7, 1.1]).unwrap(),
        Shape::superquadric([0.5, 0.7, 1.1], [0.5, 1.4]).unwrap(),
        Shape::rounded_box([0.5, 0.4, 0.3], 0.2).unwrap(),
    ];
    for shape in &shapes {
        let (exact, kind) = shape.mass_properties(3.0).unwrap();
        assert_eq!(kind, MassKind::Exact);
        let (found, kind) = by_subdivision(shape.as_field().unwrap(), 3.0).unwrap();
        let MassKind::Subdivided { parts_per_million } = kind else { panic!("by subdivision") };
        let error = 1e-6 * Real::from(parts_per_million);
        let name = shape.as_solid().kind();
        assert!(error < 0.2, "{name}: {error}");
        assert!((found.mass / exact.mass - 1.0).abs() <= error, "{name}: {} {} {error}", found.mass, exact.mass);
        assert!((found.inertia - exact.inertia).norm() < 0.02 * exact.inertia.norm(), "{name}");
        assert!((found.com - exact.com).norm() < 1e-2, "{name}");
    }
}

#[test]
fn small_parts_of_a_union_weigh_what_they_are_however_far_apart() {
    let ball = |radius: Real| Shape::ball(radius).unwrap();
    for (radius, apart) in [(0.1, 1.0), (0.02, 1.0), (0.002, 1.0), (1.0, 3e3), (1.0, 1e6)] {
        let at = |x: Real| Pose::translation(x, 0.0, 0.0);
        let union = Shape::csg(Operation::Union, &[(ball(radius), at(0.0)), (ball(radius), at(apart))]).unwrap();
        let (mass, kind) = union.mass_properties(1000.0).unwrap();
        let one = 4.0 / 3.0 * PI * radius.powi(3) * 1000.0;
        assert_eq!(kind, MassKind::Exact);
        assert!((mass.mass / (2.0 * one) - 1.0).abs() < 1e-12, "{radius} {apart}: {}", mass.mass / one);
        assert!((mass.com.x - 0.5 * apart).abs() < 1e-12 * apart && mass.com.y == 0.0, "{}", mass.com);
        let across = 2.0 * one * (0.4 * radius * radius + 0.25 * apart * apart);
        assert!((mass.inertia.m22 / across - 1.0).abs() < 1e-12, "{} {across}", mass.inertia.m22);
    }
    // One that is empty adds nothing, and neither does what two have in common.
    let nothing = Shape::csg(Operation::Difference, &[(ball(0.1), Pose::identity()), (ball(0.2), Pose::identity())]);
    let here = Pose::identity();
    let parts = [
        (ball(0.5), here),
        (nothing.unwrap(), Pose::translation(9.0, 0.0, 0.0)),
        (ball(0.5), Pose::translation(3.0, 0.0, 0.0)),
        (ball(0.4), here),
    ];
    let (mass, kind) = Shape::csg(Operation::Union, &parts).unwrap().mass_properties(1.0).unwrap();
    let exact = PI / 3.0;
    let error = kind.relative_error().unwrap();
    assert!(error < 0.01 && (mass.mass / exact - 1.0).abs() <= error, "{} {exact} {error}", mass.mass);
}

#[test]
fn a_dumb_bell_of_one_piece_weighs_what_it_is_to_a_hundredth() {
    let (radius, apart, rod) = (0.05, 1.0, 0.01);
    for turn in
        [Rotation::from_scaled_axis(Vector::z() * -FRAC_PI_2), Rotation::from_scaled_axis(Vector::new(0.3, 0.5, -0.7))]
    {
        let way = turn * Vector::y() * (0.5 * apart);
        let placed =
            |sign: Real| (Shape::ball(radius).unwrap(), Pose::from_parts((way * sign).into(), Rotation::identity()));
        let bar = (Shape::cylinder(rod, 0.5 * apart).unwrap(), Pose::from_parts(Vector::zeros().into(), turn));
        let (mass, kind) =
            Shape::csg(Operation::Union, &[placed(-1.0), placed(1.0), bar]).unwrap().mass_properties(1.0).unwrap();
        // The rod's ends are within the balls, but for the caps of these that it meets.
        let depth = (radius * radius - rod * rod).sqrt();
        let cap = PI * (radius - depth).powi(2) * (3.0 * radius - (radius - depth)) / 3.0;
        let outside = PI * rod * rod * (apart - 2.0 * depth) - 2.0 * cap;
        let exact = 8.0 / 3.0 * PI * radius.powi(3) + outside;
        let error = kind.relative_error().unwrap();
        assert!(error <= 0.011 && (mass.mass / exact - 1.0).abs() <= error, "{} of {exact}: {kind:?}", mass.mass);
        assert!(mass.com.coords.norm() < 1e-3 * apart, "{}", mass.com);
    }
}

#[test]
fn mass_of_a_drilled_block_is_the_blocks_less_the_holes() {
    let (mass, kind) = drilled_block().mass_properties(1000.0).unwrap();
    assert!(matches!(kind, MassKind::Subdivided { parts_per_million } if parts_per_million < 60_000), "{kind:?}");
    let exact = 1000.0 * (4.0 - PI * 0.16);
    assert!((mass.mass / exact - 1.0).abs() < 5e-3, "{} {exact}", mass.mass);
    let block = 4000.0 * (1.0 + 1.0) / 3.0;
    let hole = 1000.0 * PI * 0.16 * 0.5 * 0.16;
    assert!((mass.inertia.m22 / (block - hole) - 1.0).abs() < 1e-2, "{}", mass.inertia.m22);
}

#[test]
fn a_torus_lies_on_a_half_space_and_on_a_mesh_all_around() {
    let torus = Shape::torus(1.0, 0.25).unwrap();
    for ground in [Shape::half_space(Vector::y()).unwrap(), floor()] {
        for turn in [0.0, PI] {
            let tilted = Pose::from_parts(
                Vector::new(0.1, 0.25 + 5e-4, 0.2).into(),
                Rotation::from_scaled_axis(Vector::x() * turn),
            );
            let found = contacts(&torus, &tilted, &ground, &Pose::identity(), 1e-3);
            assert!(found.len() >= 4, "{found:?}");
            for c in &found {
                assert!((c.separation - 5e-4).abs() < 2e-4 && (c.normal + Vector::y()).norm() < 0.05, "{c:?}");
            }
            // The centre of mass is above the hull of the contacts.
            for k in 0..12 {
                let (s, c) = (Real::from(k) * PI / 6.0).sin_cos();
                let ahead =
                    found.iter().map(|p| (p.point_a.x - 0.1) * c + (p.point_a.z - 0.2) * s).fold(Real::MIN, Real::max);
                assert!(ahead > 0.5, "nothing holds it towards {k}: {found:?}");
            }
        }
    }
}

#[test]
fn a_peg_passes_the_hole_of_a_block_and_a_thicker_one_does_not() {
    let block = drilled_block();
    let rest = RigidMotion::at_rest(Pose::identity());
    let options = TocOptions { tolerance: 1e-4, ..TocOptions::default() };
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    for (radius, passes) in [(0.35, true), (0.37, true), (0.42, false)] {
        let peg = Shape::cylinder(radius, 0.6).unwrap();
        let falling = RigidMotion {
            linear_velocity: Vector::new(0.0, -4.0, 0.0),
            angular_velocity: Vector::y() * 3.0,
            ..RigidMotion::at_rest(at(0.0, 2.0, 0.0))
        };
        let found =
            time_of_contact(Moving::new(&peg, &falling), Moving::new(&block, &rest), interval, &options).unwrap();
        match found.answer {
            Toc::Separated => assert!(passes, "{radius} {:?}", found.stats),
            Toc::Contact(c) => {
                // The peg's end is at 1.4 and the block's top at 0.5.
                assert!(!passes && c.time <= 0.225 && c.time > 0.225 - 1e-4, "{radius} {c:?}");
            }
            other => panic!("{radius}: {other:?} {:?}", found.stats),
        }
    }
}

#[test]
fn a_torus_passes_through_a_torus_but_not_the_one_that_is_linked_with_it() {
    let (ring, small) = (Shape::torus(1.0, 0.2).unwrap(), Shape::torus(0.4, 0.1).unwrap());
    let rest = RigidMotion::at_rest(Pose::identity());
    let options = TocOptions { tolerance: 1e-6, ..TocOptions::default() };
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    let ask = |moving: &Shape, motion: RigidMotion| {
        time_of_contact(Moving::new(moving, &motion), Moving::new(&ring, &rest), interval, &options).unwrap().answer
    };
    let through =
        RigidMotion { linear_velocity: Vector::new(0.0, -6.0, 0.0), ..RigidMotion::at_rest(at(0.0, 3.0, 0.0)) };
    assert_eq!(ask(&small, through), Toc::Separated);
    let linked =
        Pose::from_parts(Vector::new(1.0, 0.0, 0.0).into(), Rotation::from_scaled_axis(Vector::x() * (PI / 2.0)));
    // Its tube lies 0.4 m from the ring's middle circle all around: up until 0.4 - 0.2 - 0.1 are used up.
    let pulled = RigidMotion { linear_velocity: Vector::new(0.0, 1.0, 0.0), ..RigidMotion::at_rest(linked) };
    let Toc::Contact(c) = ask(&small, pulled) else { panic!("linked rings meet") };
    assert!(c.time <= 0.1 && c.time > 0.1 - 1e-5, "{c:?}");
    assert!(c.normal.norm() > 0.99 && c.separation > 0.0 && c.separation <= 1e-6, "{c:?}");
}

#[test]
fn solids_in_touch_and_within_each_other_overlap_at_the_start() {
    let torus = Shape::torus(1.0, 0.25).unwrap();
    let rest = RigidMotion::at_rest(Pose::identity());
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    let options = TocOptions::default();
    let room = Shape::cuboid([3.0, 3.0, 3.0]).unwrap();
    let block = drilled_block();
    let pairs = [
        (Shape::ball(0.05).unwrap(), torus.clone(), at(1.0, 0.1, 0.0)),
        (torus.clone(), room.clone(), at(0.0, 0.5, 0.0)),
        (room, torus.clone(), Pose::identity()),
        (torus.clone(), Shape::half_space(Vector::y()).unwrap(), at(0.0, -4.0, 0.0)),
        (Shape::ball(0.1).unwrap(), block, at(0.7, 0.0, 0.0)),
        (Shape::ball(0.1).unwrap(), torus.clone(), at(1.0, 0.35, 0.0)),
    ];
    for (a, b, pose) in &pairs {
        let motion = RigidMotion { linear_velocity: Vector::new(0.0, 0.1, 0.0), ..RigidMotion::at_rest(*pose) };
        let name = format!("{}/{}", a.as_solid().kind(), b.as_solid().kind());
        for swapped in [false, true] {
            let (one, other) = (Moving::new(a, &motion), Moving::new(b, &rest));
            let (one, other) = if swapped { (other, one) } else { (one, other) };
            let found = time_of_contact(one, other, interval, &options).unwrap();
            assert!(matches!(found.answer, Toc::Overlapping(_)), "{name}: {found:?}");
        }
        assert!(interferes(a, pose, b, &Pose::identity(), 1e-4).is_some(), "{name}");
    }
    // In the hole of the torus nothing is touched.
    let free = interferes(&pairs[0].0, &at(0.0, 0.0, 0.0), &torus, &Pose::identity(), 1e-4);
    assert!(free.is_none(), "{free:?}");
}

#[test]
fn an_overlap_of_a_ball_and_a_torus_is_as_deep_as_the_formula_says() {
    let (ball, torus) = (Shape::ball(0.2).unwrap(), Shape::torus(1.0, 0.3).unwrap());
    let found = closest(&ball, &at(1.0, 0.45, 0.0), &torus, &Pose::identity()).unwrap();
    assert!((found.distance + 0.05).abs() < 1e-3, "{found:?}");
    assert!((found.normal + Vector::y()).norm() < 0.02, "{found:?}");
}

#[test]
fn an_intersection_of_parts_that_do_not_meet_is_refused_or_meets_nothing() {
    let ball = |x: Real| (Shape::ball(1.0).unwrap(), at(x, x, 0.0));
    assert!(Shape::csg(Operation::Intersection, &[ball(0.0), ball(5.0)]).is_err());
    // Their boxes meet, they do not.
    let empty = Shape::csg(Operation::Intersection, &[ball(0.0), ball(1.5)]).unwrap();
    assert!(empty.mass_properties(1.0).is_err());
    let rest = RigidMotion::at_rest(Pose::identity());
    let falling =
        RigidMotion { linear_velocity: Vector::new(0.0, -8.0, 0.0), ..RigidMotion::at_rest(at(0.7, 4.0, 0.0)) };
    let shape = Shape::ball(0.3).unwrap();
    let found = time_of_contact(
        Moving::new(&shape, &falling),
        Moving::new(&empty, &rest),
        TimeInterval::new(0.0, 1.0).unwrap(),
        &TocOptions { tolerance: 1e-4, ..TocOptions::default() },
    )
    .unwrap();
    assert_eq!(found.answer, Toc::Separated, "{:?}", found.stats);
}

#[test]
fn a_thin_sheet_of_a_gyroid_is_never_passed_through() {
    let sheet = Shape::gyroid_sheet([1.0, 1.0, 1.0], 1.0, 0.02).unwrap();
    let rest = RigidMotion::at_rest(Pose::identity());
    let options = TocOptions { tolerance: 1e-4, ..TocOptions::default() };
    let ball = Shape::ball(0.2).unwrap();
    let mut random = Random(5);
    for _ in 0..8 {
        let aside = random.direction() * 0.5;
        let start = Vector::new(aside.x, 3.0, aside.z);
        let falling = RigidMotion {
            linear_velocity: Vector::new(0.0, -600.0, 0.0),
            ..RigidMotion::at_rest(Pose::from_parts(start.into(), Rotation::identity()))
        };
        let found = time_of_contact(
            Moving::new(&ball, &falling),
            Moving::new(&sheet, &rest),
            TimeInterval::new(0.0, 0.01).unwrap(),
            &options,
        )
        .unwrap();
        let Toc::Contact(c) = found.answer else { panic!("{start}: {found:?}") };
        assert!(c.time >= 1.8 / 600.0 - 1e-6 && c.separation <= 1e-4, "{c:?}");
        let field = sheet.as_field().unwrap();
        assert!(field.distance(&c.point_b).abs() < 1e-5, "{c:?}");
    }
}

#[derive(Debug)]
struct OnlyRanges;

/// A wavy ball, known by its values and their range alone.
impl ImplicitSurface for OnlyRanges {
    fn aabb(&self) -> Aabb {
        Aabb::from_half_extents(Point::origin(), Vector::repeat(1.3))
    }

    fn value(&self, p: &Point) -> Real {
        p.coords.norm_squared() - 1.0 + 0.2 * (3.0 * p.x).sin()
    }

    fn gradient(&self, p: &Point) -> Vector {
        p.coords * 2.0 + Vector::x() * (0.6 * (3.0 * p.x).cos())
    }

    fn lipschitz(&self, _over: &Sphere) -> Real {
        Real::INFINITY
    }

    fn range(&self, over: &Aabb) -> [Real; 2] {
        let nearest = over.min.coords.sup(&(-over.max.coords)).sup(&Vector::zeros());
        let furthest = over.min.coords.abs().sup(&over.max.coords.abs());
        [nearest.norm_squared() - 1.2, furthest.norm_squared() - 0.8]
    }
}

/// A sheet with holes seen from afar has many places that are nearest around themselves, and corners of its box where nothing is.
#[test]
fn no_place_of_a_gyroid_sheet_is_nearer_to_what_is_far_away_than_its_closest_point() {
    let mut random = Random(7);
    let (ball, slab) = (Shape::ball(0.3).unwrap(), Shape::cuboid([4.0, 0.05, 4.0]).unwrap());
    let ground = Shape::half_space(Vector::y()).unwrap();
    let beyond = |half: Vector, p: &Point| (p.coords.abs() - half).sup(&Vector::zeros()).norm();
    for k in 0..60 {
        let size = random.between(0.1, 0.6);
        let sheet = Shape::gyroid_sheet([size; 3], 1.5 * size, 0.3).unwrap();
        let place = Vector::new(0.1, 0.5 + size * random.between(2.0, 6.0), 0.2);
        let pose = Pose::from_parts(place.into(), random.rotation());
        let (other, away): (&Shape, &dyn Fn(&Point) -> Real) = match k % 3 {
            0 => (&ball, &|p| p.coords.norm() - 0.3),
            1 => (&slab, &|p| beyond(Vector::new(4.0, 0.05, 4.0), p)),
            _ => (&ground, &|p| p.y),
        };
        let found = closest(other, &Pose::identity(), &sheet, &pose).unwrap();
        let field = sheet.as_field().unwrap();
        let on_sheet = pose.inverse_transform_point(&found.point_b);
        assert!(field.distance(&on_sheet).abs() < 1e-6, "{k}: {on_sheet} is off the sheet");
        assert!((away(&found.point_b) - found.distance).abs() < 1e-6, "{k}: {found:?}");
        let steps = 40;
        let step = |i: i32| size * (2.0 * Real::from(i) / Real::from(steps) - 1.0);
        for (x, y, z) in grid(steps) {
            let p = Point::new(step(x), step(y), step(z));
            if field.contains(&p) {
                let distance = away(&(pose * p));
                assert!(
                    distance > found.distance - 1e-6,
                    "{k}: {p} is {distance} m away, the closest point {}",
                    found.distance
                );
            }
        }
    }
}

#[test]
fn a_sheet_with_holes_has_a_place_near_to_every_point_from_afar_too() {
    let sheet = Shape::gyroid_sheet([0.46; 3], 0.69, 0.3).unwrap();
    let field = sheet.as_field().unwrap();
    for (x, y, z) in grid(8) {
        for step in [0.46 / 4.1, 4.0 * 0.46 / 4.1] {
            let point = Point::from(Vector::new(Real::from(x), Real::from(y), Real::from(z)).add_scalar(-4.0) * step);
            if !field.contains(&point) {
                let found = nearest_surface(field, &point, 1e-9);
                assert!(found.is_some_and(|place| field.distance(&place.point).abs() <= 4e-9), "{point}: {found:?}");
            }
        }
    }
}

/// All places of a grid of so many steps.
fn grid(steps: i32) -> impl Iterator<Item = (i32, i32, i32)> {
    (0..=steps).flat_map(move |x| (0..=steps).flat_map(move |y| (0..=steps).map(move |z| (x, y, z))))
}

#[test]
fn a_user_s_function_with_ranges_alone_is_never_met_late() {
    let shape = Shape::implicit(OnlyRanges).unwrap();
    let rest = RigidMotion::at_rest(Pose::identity());
    let falling =
        RigidMotion { linear_velocity: Vector::new(0.0, -2.0, 0.0), ..RigidMotion::at_rest(at(0.2, 3.0, 0.0)) };
    let ball = Shape::ball(0.3).unwrap();
    let options = TocOptions { tolerance: 1e-2, budget: 200_000, ..TocOptions::default() };
    let found = time_of_contact(
        Moving::new(&ball, &falling),
        Moving::new(&shape, &rest),
        TimeInterval::new(0.0, 1.0).unwrap(),
        &options,
    )
    .unwrap();
    let until = found.answer.safe_until().unwrap();
    for i in 0..2000 {
        let t = until * Real::from(i) / 2000.0;
        let centre = falling.pose_at(t) * Point::origin();
        for k in 0..200 {
            let d = Vector::new((Real::from(k) * 0.7).sin(), (Real::from(k) * 1.3).cos(), (Real::from(k) * 2.1).sin())
                .normalize()
                * 0.3;
            assert!(OnlyRanges.value(&(centre + d)) > -1e-9, "late at {t} of {until}");
        }
    }
}

#[test]
fn a_distance_grid_holds_the_mesh_it_was_made_from_and_stays_within_its_error() {
    let mut random = Random(3);
    let r = &mut random;
    for shape in [box_mesh([0.5, 0.4, 0.3]), solid(r, FieldKind::Mesh, 0.7).shape, Shape::ball(0.5).unwrap()] {
        let cell = 0.06;
        let grid = SignedDistanceGrid::new(shape.as_field().unwrap(), cell).unwrap();
        let source = shape.as_field().unwrap();
        let surface = IndexedMesh::of_grid(grid.clone()).unwrap();
        assert!(grid.error() < 2.0 * cell, "{}", grid.error());
        for _ in 0..20_000 {
            let p = Point::from(Vector::new(r.between(-0.9, 0.9), r.between(-0.9, 0.9), r.between(-0.9, 0.9)));
            let exact = source.distance(&p);
            assert!(exact > 0.0 || grid.contains(&p), "{p} at {exact} is lost");
            assert!(!grid.contains(&p) || exact <= grid.error(), "{p} at {exact} is too far out");
            let distance = grid.distance(&p);
            assert!(distance <= exact.max(0.0) + 1e-12, "{p}: {distance} {exact}");
            let from_surface = surface.signed_distance(&p);
            assert!(distance * from_surface >= 0.0 && distance.abs() <= from_surface.abs() + 1e-12, "{p}");
        }
        for _ in 0..300 {
            let centre = Point::from(r.direction() * (0.9 * r.unit()));
            let radius = r.magnitude(0.005, 0.35);
            for region in [Region::Solid, Region::Complement] {
                let mut out = Enclosure::default();
                surface.enclose(&Sphere { centre, radius }, region, &mut out);
                for _ in 0..20 {
                    let x = r.direction() * (radius * r.unit());
                    let held = grid.contains(&(centre + x)) == (region == Region::Solid);
                    let within =
                        out.alternatives().any(|f| f.iter().all(|f| f.value + f.normal.dot(&x) <= f.error + 1e-9));
                    assert!(!held || within, "{region:?} {centre} {radius} {x:?}: {out:?}");
                }
            }
        }
    }
}

#[test]
fn a_grid_of_a_box_meets_edges_and_faces_no_later_than_the_box_and_on_its_faces_exactly() {
    let mesh = box_mesh([0.5, 0.5, 0.5]);
    let grid = Shape::distance_grid(&mesh, 0.1).unwrap();
    let Shape::Mesh(made) = &grid else { panic!("the surface of a grid") };
    let error = made.grid().unwrap().error();
    let rest = RigidMotion::at_rest(Pose::identity());
    let options = TocOptions { tolerance: 1e-5, ..TocOptions::default() };
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    let edge_on = Rotation::from_scaled_axis(Vector::x() * (PI / 4.0));
    let bar = Shape::cuboid([0.05, 0.05, 0.2]).unwrap();
    for (name, shape, rotation, reach) in [
        ("face", &bar, Rotation::identity(), 0.05),
        ("edge", &bar, Rotation::from_scaled_axis(Vector::z() * (PI / 4.0)), 0.05 * 2.0_f64.sqrt()),
        ("mesh", &mesh, edge_on, 0.5 * 2.0_f64.sqrt()),
    ] {
        let pose = Pose::from_parts(Vector::new(0.013, 2.0, 0.021).into(), rotation);
        let falling = RigidMotion { linear_velocity: Vector::new(0.0, -1.5, 0.0), ..RigidMotion::at_rest(pose) };
        let found =
            time_of_contact(Moving::new(shape, &falling), Moving::new(&grid, &rest), interval, &options).unwrap();
        let exact = (2.0 - 0.5 - reach) / 1.5;
        let c = match found.answer {
            Toc::Contact(c) => c,
            // An edge of a mesh that comes down flat meets the grid along all its length at once; the search may end just
            // before it, and says so.
            Toc::Undecided { safe_until } if name == "mesh" => {
                assert!(safe_until <= exact && safe_until > exact - 0.02, "{name}: {safe_until} {exact}");
                continue;
            }
            other => panic!("{name}: {other:?}"),
        };
        assert!(c.time <= exact + 1e-12, "{name}: {c:?} {exact}");
        assert!(c.time >= exact - (error + 1e-5) / 1.5, "{name}: {c:?} {exact}");
        if name == "edge" {
            assert!(c.time >= exact - 2e-5, "flat faces are exact: {c:?} {exact}");
        }
    }
}

#[test]
fn implicit_surfaces_that_say_too_little_are_refused() {
    #[derive(Debug)]
    struct Bad(Aabb, Real);
    impl ImplicitSurface for Bad {
        fn aabb(&self) -> Aabb {
            self.0
        }
        fn value(&self, _p: &Point) -> Real {
            self.1
        }
        fn gradient(&self, _p: &Point) -> Vector {
            Vector::y()
        }
        fn lipschitz(&self, over: &Sphere) -> Real {
            if over.radius > 1e3 { Real::NAN } else { 1.0 }
        }
    }
    let unit = Aabb::from_half_extents(Point::origin(), Vector::repeat(1.0));
    assert!(Implicit::new(Bad(Aabb::EMPTY, 1.0)).is_err());
    assert!(Implicit::new(Bad(unit, Real::NAN)).is_err());
    assert!(Implicit::new(Bad(unit, 1.0)).is_ok());
    assert!(Shape::torus(1.0, -0.2).is_err() && Shape::superquadric([1.0, 1.0, 1.0], [0.0, 1.0]).is_err());
    assert!(Shape::distance_grid(&floor(), 0.1).is_err(), "an open mesh has no inside");
    assert!(Shape::distance_grid(&Shape::ball(1.0).unwrap(), 1e-9).is_err(), "too many cells");
}

#[test]
fn the_hole_of_a_drilled_block_is_empty_for_what_is_over_it_and_in_it() {
    let (block, ball) = (drilled_block(), Shape::ball(0.1).unwrap());
    // Over the hole the rim is nearest, in it the wall.
    for (height, expected) in [(0.8, 0.3_f64.hypot(0.4) - 0.1), (0.0, 0.3)] {
        for aside in [0.0, 0.05] {
            let place = Pose::translation(aside, height, 0.0);
            let away = if height > 0.5 { 0.3_f64.hypot(0.4 - aside) - 0.1 } else { expected - aside };
            let found = closest(&ball, &place, &block, &Pose::identity()).unwrap();
            assert!((found.distance - away).abs() < 1e-6, "{height} {aside}: {found:?}, not {away}");
        }
    }
}

/// Each of two stars lies on the other's edges, where half-spaces that do not know of edges prove nothing.
#[test]
fn hollow_superquadrics_that_lie_on_each_other_are_told_by_few_cells() {
    let star = Shape::superquadric([0.4, 0.5, 0.3], [3.0, 3.0]).unwrap();
    let pose = |place: [Real; 3], [x, y, z, w]: [Real; 4]| {
        let turn = Rotation::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
        Pose::from_parts(Point::from(place).into(), turn)
    };
    let one = pose(
        [-0.080_267_210_257_791_42, 0.490_371_230_022_087_16, 0.057_603_814_821_419_44],
        [0.070_359_395_287_756_23, -0.202_938_895_519_679_09, 0.069_123_878_949_428_22, 0.974_211_090_851_966_7],
    );
    let middle = pose(
        [0.234_360_079_943_950_4, 0.772_499_170_826_653_8, 0.149_697_365_526_952_37],
        [-0.199_249_892_253_732_77, 0.389_193_626_200_989_8, -0.299_483_526_140_997, 0.848_019_704_565_616_2],
    );
    let top = pose(
        [0.011_544_944_455_536_26, 1.109_041_270_288_124, 0.093_906_115_345_632_31],
        [0.025_183_856_201_386_62, 0.090_851_625_119_386_03, -0.003_510_519_301_525_305, 0.995_539_769_097_261_2],
    );
    for (below, above, distance) in [(&one, &middle, 6.663e-6), (&middle, &top, 5.810e-5)] {
        let found = closest(&star, below, &star, above).unwrap();
        assert!((found.distance - distance).abs() < 1e-8, "{}", found.distance);
        assert!(found.iterations < 1500, "{} cells", found.iterations);
        // Nor does it take many to tell that they do not overlap.
        assert!(interferes(&star, below, &star, above, 0.0).is_none());
    }
}

/// An intersection of a box and a ball is convex: its contacts are those of a convex solid, told at once and to rounding.
#[test]
fn a_rounded_die_on_a_floor_stands_on_its_disc_and_is_as_far_as_its_lowest_place() {
    let parts = [(Shape::cuboid([0.4; 3]).unwrap(), Pose::identity()), (Shape::ball(0.5).unwrap(), Pose::identity())];
    let die = Shape::csg(Operation::Intersection, &parts).unwrap();
    assert!(die.as_convex().is_some());
    let floor = Shape::cuboid([5.0, 0.5, 5.0]).unwrap();
    let flat = contacts(&floor, &at(0.0, -0.5, 0.0), &die, &at(0.3, 0.400_01, -0.2), 1e-3);
    assert!(flat.len() >= 3, "{flat:?}");
    for c in &flat {
        assert!((c.separation - 1e-5).abs() < 1e-12 && (c.normal - Vector::y()).norm() < 1e-12, "{c:?}");
        assert!(((c.point_b - Point::new(0.3, c.point_b.y, -0.2)).norm() - 0.3).abs() < 1e-9, "on the rim");
    }
    // On a corner of the box the ball is the lowest, on an edge of it the rim between: √(0.5² − 0.4²) beside the face's middle.
    for (turn, lowest) in [
        (Vector::new(1.0, 0.0, -1.0).normalize() * (1.0 / 3.0_f64.sqrt()).acos(), 0.5),
        (Vector::z() * 0.25 * PI, 0.5),
        (Vector::z() * 0.5, 0.4 * 0.5_f64.cos() + 0.3 * 0.5_f64.sin()),
    ] {
        let pose = Pose::from_parts(Point::new(0.0, lowest + 2e-3, 0.0).into(), Rotation::new(turn));
        let found = closest(&floor, &at(0.0, -0.5, 0.0), &die, &pose).unwrap();
        assert!((found.distance - 2e-3).abs() < 1e-9, "{turn:?}: {}", found.distance);
    }
}
