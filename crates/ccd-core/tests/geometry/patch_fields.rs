//! Closed surfaces of patches as solids to make others of: held against samples of them, their own winding, and fine meshes of them.

use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::field::{Enclosure, Operation, Region};
use ccd_core::geometry::parametric::PatchSurface;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::volume::Sphere;

use crate::common::patches::{moved_and_back, pillow, point_of, pot};
use crate::common::random::Random;

/// Closed surfaces: bulging and with flat faces, hollow, with edges, tips and sides that are points.
fn surfaces() -> Vec<PatchSurface> {
    vec![pillow([0.5, 0.3, 0.4], 0.0), pillow([0.5, 0.3, 0.4], 0.4), pillow([0.5, 0.3, 0.4], -0.4), pot()]
}

fn samples(surface: &PatchSurface, n: usize) -> Vec<Point> {
    let at = |i: usize| i as Real / n as Real;
    let of = |p| (0..=n).flat_map(move |i| (0..=n).map(move |j| point_of(p, at(i), at(j))));
    surface.patches().iter().flat_map(of).collect()
}

/// Places all over the box of a surface and around it, and such as are near the surface.
fn places(r: &mut Random, surface: &PatchSurface, samples: &[Point], count: usize) -> Vec<Point> {
    let (centre, size) = (surface.aabb().centre(), surface.aabb().half_extents());
    let place = |r: &mut Random| {
        if r.chance(0.4) {
            return centre
                + size.component_mul(&Vector::new(r.between(-1.3, 1.3), r.between(-1.3, 1.3), r.between(-1.3, 1.3)));
        }
        samples[r.below(samples.len())] + r.direction() * (size.amax() * r.magnitude(1e-7, 0.3))
    };
    (0..count).map(|_| place(r)).collect()
}

#[test]
fn no_sample_of_patches_is_nearer_than_their_distance_and_its_sign_is_that_of_their_winding() {
    let mut r = Random(3);
    for surface in surfaces() {
        let fine = samples(&surface, 60);
        let spacing = surface.bounding_sphere().radius * 0.06;
        let shape = Shape::patches(surface.clone());
        let field = shape.as_field().expect("it is closed");
        for p in places(&mut r, &surface, &fine, 600) {
            let distance = field.distance(&p);
            let nearest = fine.iter().map(|s| (s - p).norm()).fold(Real::INFINITY, Real::min);
            assert!(distance.abs() <= nearest + 1e-12, "{p}: {distance} and {nearest}");
            assert!(
                distance.abs()
                    >= (nearest * nearest - spacing * spacing).max(0.0).sqrt() - 2e-3 * nearest - spacing * 0.5,
                "{p}: {distance} and {nearest}"
            );
            assert_eq!(distance < 0.0, surface.contains(&p), "{p}: {distance}");
            assert_eq!(field.contains(&p), surface.contains(&p), "{p}: {distance}");
        }
    }
}

#[test]
fn the_nearest_place_of_patches_is_on_them_and_the_way_to_it_is_along_the_normal() {
    let mut r = Random(4);
    for surface in surfaces() {
        let fine = samples(&surface, 40);
        let shape = Shape::patches(surface.clone());
        let field = shape.as_field().expect("it is closed");
        for p in places(&mut r, &surface, &fine, 400) {
            let found = if field.contains(&p) { field.nearest_inside(&p) } else { field.nearest_outside(&p) };
            let found = found.expect("a place");
            let sign = if field.contains(&p) { -1.0 } else { 1.0 };
            let way = (p - found.point) * sign;
            assert!(field.distance(&found.point).abs() < 1e-11, "{p}: {found:?}");
            assert!((way.norm() - field.distance(&p).abs()) <= 1e-11 + 3e-4 * way.norm(), "{p}: {found:?}");
            assert!((found.normal.norm() - 1.0).abs() < 1e-12);
            assert!((way - found.normal * way.norm()).norm() <= 1e-9 + 1e-6 * way.norm(), "{p}: {found:?} {way}");
        }
    }
}

#[test]
fn what_a_ball_holds_of_patches_and_of_what_is_around_them_is_in_their_half_spaces() {
    let mut r = Random(5);
    let mut enclosure = Enclosure::default();
    let (mut told, mut all) = (0, 0);
    for surface in surfaces() {
        let fine = samples(&surface, 40);
        let size = surface.bounding_sphere().radius;
        let shape = Shape::patches(surface.clone());
        let field = shape.as_field().expect("it is closed");
        for centre in places(&mut r, &surface, &fine, 60) {
            let ball = Sphere { centre, radius: size * r.magnitude(1e-5, 0.5) };
            let inner: Vec<Vector> = (0..10).map(|_| r.direction() * (ball.radius * r.unit().cbrt())).collect();
            // Most of what could be missed is next to the surface.
            let near = inner.iter().filter_map(|x| {
                let p = centre + x;
                let found = if field.contains(&p) { field.nearest_inside(&p) } else { field.nearest_outside(&p) }?;
                let place = found.point - centre;
                Some([place - found.normal * (1e-9 * size), place + found.normal * (1e-9 * size)])
            });
            let ways: Vec<Vector> =
                near.flatten().filter(|x| x.norm() <= ball.radius).chain(inner.iter().copied()).collect();
            for region in [Region::Solid, Region::Complement] {
                enclosure.clear();
                field.enclose(&ball, region, &mut enclosure);
                all += 1;
                told += usize::from(enclosure.is_empty() || enclosure.alternatives().all(|a| !a.is_empty()));
                for x in &ways {
                    let is_in = surface.contains(&(centre + x)) == (region == Region::Solid);
                    let is_held = enclosure
                        .alternatives()
                        .any(|facets| facets.iter().all(|f| f.value + f.normal.dot(x) <= f.error + 1e-12 * size));
                    assert!(!is_in || is_held, "{region:?} of {ball:?} at {x}: {enclosure:?}");
                }
            }
        }
    }
    assert!(told * 10 > all * 6, "{told} of {all}");
}

/// What is made of a closed surface, as patches or as a fine mesh of them: cut flat, with a bore, as a part of a block, and with a handle.
fn made_of(part: &Shape) -> Vec<Shape> {
    let at = |shape: &Shape, y: Real| (shape.clone(), Pose::translation(0.0, y, 0.0));
    let block = Shape::cuboid([2.0, 0.7, 2.0]).unwrap();
    let bore = Shape::cylinder(0.4, 1.0).unwrap();
    let ball = Shape::ball(1.4).unwrap();
    let handle = (Shape::torus(0.6, 0.12).unwrap(), Pose::translation(1.4, 1.0, 0.0));
    let csg = |operation, parts: &[(Shape, Pose)]| Shape::csg(operation, parts).unwrap();
    vec![
        csg(Operation::Difference, &[at(part, 0.0), at(&block, 1.8)]),
        csg(Operation::Difference, &[at(part, 0.0), at(&bore, 1.9)]),
        csg(Operation::Intersection, &[at(part, 0.0), at(&ball, 1.1)]),
        csg(Operation::Difference, &[at(&block, 0.2), at(part, 0.5)]),
        csg(Operation::Union, &[at(part, 0.0), handle]),
    ]
}

/// How far solids made of the fine mesh may be from those made of the patches: creases move by more than surfaces.
const OF_MESH: Real = 4.0;

fn pot_and_mesh() -> (Shape, Shape, Real) {
    let surface = pot();
    let fine = surface.tessellated(4e-3).unwrap();
    (Shape::patches(surface), Shape::mesh(fine.mesh).unwrap(), fine.error)
}

#[test]
fn solids_made_of_patches_are_as_far_from_others_as_those_made_of_a_fine_mesh_of_them() {
    let mut r = Random(6);
    let (patches, mesh, error) = pot_and_mesh();
    let others =
        [Shape::ball(0.3).unwrap(), Shape::cuboid([0.4, 0.2, 0.3]).unwrap(), Shape::capsule(0.1, 0.4).unwrap()];
    for (own, fine) in made_of(&patches).iter().zip(made_of(&mesh)) {
        for k in 0..6 {
            let other = &others[k % others.len()];
            let at = Point::new(0.0, 1.2, 0.0) + r.direction() * r.between(1.0, 3.0);
            let pose = Pose::from_parts(at.coords.into(), r.rotation());
            let ask = |shape: &Shape| closest(shape, &Pose::identity(), other, &pose).unwrap();
            let (found, truth) = (ask(own), ask(&fine));
            let near = |x: Real, y: Real| (x - y).abs() <= OF_MESH * error;
            if truth.distance > 0.0 {
                assert!(near(found.distance, truth.distance), "{k}: {found:?} {truth:?}");
                let field = own.as_field().unwrap();
                assert!(field.distance(&found.point_a).abs() < 1e-4, "{k}: {found:?}");
                let way = (found.point_b - found.point_a).normalize();
                assert!((way - found.normal).norm() < 1e-6, "{k}: {found:?}");
            } else {
                assert!(found.distance < OF_MESH * error, "{k}: {found:?} {truth:?}");
            }
        }
    }
}

#[test]
fn what_meets_a_solid_made_of_patches_is_told_when_one_made_of_a_fine_mesh_is_met_and_never_late() {
    let mut r = Random(7);
    let (patches, mesh, error) = pot_and_mesh();
    let others = [Shape::ball(0.3).unwrap(), Shape::cuboid([0.4, 0.2, 0.3]).unwrap()];
    let interval = TimeInterval::new(0.0, 1.0).unwrap();
    let mut met = 0;
    for (own, fine) in made_of(&patches).iter().zip(made_of(&mesh)) {
        for k in 0..3 {
            let other = &others[k % others.len()];
            let from = r.direction() * 5.0;
            let still = RigidMotion {
                angular_velocity: r.direction() * r.between(0.0, 3.0),
                ..RigidMotion::at_rest(Pose::identity())
            };
            let towards = Vector::new(r.between(-0.8, 0.8), r.between(0.1, 2.2), r.between(-0.8, 0.8)) - from;
            let flying = RigidMotion {
                linear_velocity: towards * 1.2,
                angular_velocity: r.direction() * r.between(0.0, 5.0),
                ..RigidMotion::at_rest(Pose::from_parts(from.into(), r.rotation()))
            };
            let options = TocOptions::default();
            let answer = time_of_contact(Moving::new(own, &still), Moving::new(other, &flying), interval, &options);
            let answer = answer.unwrap().answer;
            assert!(!matches!(answer, Toc::Undecided { .. }), "{k}: {answer:?}");
            let until = answer.safe_until().unwrap_or(1.0);
            let gap = |shape: &Shape, t: Real| closest(shape, &still.pose_at(t), other, &flying.pose_at(t)).unwrap();
            for i in 0..6 {
                let t = until * Real::from(i) / 6.0;
                assert!(gap(&fine, t).distance > -OF_MESH * error, "{k}: late, at {t} {answer:?}");
            }
            if let Some(contact) = answer.contact() {
                met += 1;
                assert!(gap(&fine, contact.time).distance < OF_MESH * error, "{k}: early {contact:?}");
                assert!(contact.separation > 0.0 && contact.separation <= options.tolerance, "{k}: {contact:?}");
                let normal = gap(own, contact.time).normal;
                assert!(contact.normal.dot(&normal) > 0.99, "{k}: {contact:?} {normal}");
            }
        }
    }
    assert!(met > 8, "{met}");
}

#[test]
fn a_surface_far_from_its_files_origin_is_searched_as_well_as_one_that_is_about_it() {
    let mut r = Random(23);
    for away in [[12.0, 0.0, 0.0], [1e5, 0.0, 0.0], [-4e3, 1e6, 0.0]].map(Vector::from) {
        let rounding = 8.0 * Real::EPSILON * away.norm();
        for surface in surfaces() {
            let [far, near] = moved_and_back(&surface, &away);
            let (size, fine) = (near.bounding_sphere().radius, samples(&near, 20));
            let mut there = places(&mut r, &near, &fine, 200);
            // On the surface, and within rounding of it.
            there.extend((0..100).map(|_| fine[r.below(fine.len())] + r.direction() * r.magnitude(1e-16, 1e-8)));
            let shapes = [&far, &near].map(|surface| Shape::patches(surface.clone()));
            let [far, near] = shapes.each_ref().map(|shape| shape.as_field().expect("it is closed"));
            for p in there.into_iter().map(|p| p + away) {
                // The way back is exact.
                let q = p - away;
                let (there, here) = (far.distance(&p), near.distance(&q));
                assert!((there - here).abs() <= 1e-11 * size + 1e-3 * here.abs(), "{away:?} {p:?}: {there} {here}");
                if here.abs() > 1e-11 * size {
                    assert_eq!((there < 0.0, far.contains(&p)), (here < 0.0, near.contains(&q)), "{away:?} {p:?}");
                }
                let (there, here) = (far.nearest_outside(&p).unwrap(), near.nearest_outside(&q).unwrap());
                let [off, least] = [(p - there.point).norm(), (q - here.point).norm()];
                assert!((off - least).abs() <= 1e-11 * size + 1e-3 * least + rounding, "{away:?} {p:?}");
            }
            let [far, near] = shapes.each_ref().map(|shape| shape.as_solid().convex_bound().expect("it has a hull"));
            for _ in 0..40 {
                let along = r.direction();
                let way = far.support(&along, 0).point - away - near.support(&along, 0).point;
                assert!(along.dot(&way).abs() <= 1e-10 * size + rounding, "{away:?} {along:?}: {way:?}");
            }
            assert!((far.interior_point() - away - near.interior_point()).norm() <= 1e-12 * size + rounding);
            let reaches = [
                far.reach_from_axis(&(Point::origin() + away), &Vector::y()),
                near.reach_from_axis(&Point::origin(), &Vector::y()),
            ];
            assert!((reaches[0] - reaches[1]).abs() <= 1e-12 * size + rounding, "{reaches:?}");
        }
    }
}

#[test]
fn closest_points_of_a_torus_and_a_surface_far_from_its_files_origin_are_those_of_the_surface_about_it() {
    let torus = Shape::torus(1.0, 0.3).unwrap();
    let diamond = Rotation::from_scaled_axis(Vector::z() * 0.25 * std::f64::consts::PI);
    let flat = pillow([1.0; 3], 0.0);
    let diamond = PatchSurface::new(flat.patches().iter().map(|p| p.mapped(|q| diamond * q)).collect()).unwrap();
    for surface in [flat, diamond] {
        let away = Vector::x() * 1e5;
        let shapes = moved_and_back(&surface, &away).map(Shape::patches);
        for at in [[0.3, 2.1, 0.1], [0.3, 1.75, 0.1], [0.3, 1.2, 0.1], [1.1, 1.3, 0.4]].map(Vector::from) {
            let found = |shape: &Shape, at: Vector| {
                closest(shape, &Pose::identity(), &torus, &Pose::from_parts(at.into(), Rotation::identity())).unwrap()
            };
            let (there, here) = (found(&shapes[0], at + away), found(&shapes[1], at));
            assert!((there.distance - here.distance).abs() < 1e-6, "{at:?}: {there:?} {here:?}");
        }
    }
}

#[test]
fn a_distance_grid_of_patches_holds_them_and_reaches_no_further_beyond_than_its_error() {
    let (patches, ..) = pot_and_mesh();
    let made = Shape::distance_grid(&patches, 0.1).unwrap();
    let (Shape::Mesh(mesh), Shape::Patches(own)) = (&made, &patches) else { panic!("{made:?}") };
    let grid = mesh.grid().unwrap();
    for p in samples(own.surface(), 24) {
        assert!(grid.contains(&p), "{p} {}", grid.distance(&p));
    }
    let field = patches.as_field().unwrap();
    let most = mesh.mesh().vertices().iter().map(|p| field.distance(p)).fold(Real::NEG_INFINITY, Real::max);
    assert!(most <= grid.error(), "{most} {}", grid.error());
    let (mass, exact) = (made.mass_properties(2.0).unwrap().0, patches.mass_properties(2.0).unwrap().0);
    assert!((mass.mass - exact.mass).abs() < 1e-12 * exact.mass);
}

#[test]
fn the_picture_of_a_solid_made_of_patches_is_on_the_surface_that_collides() {
    let (patches, ..) = pot_and_mesh();
    for shape in made_of(&patches) {
        let field = shape.as_field().unwrap();
        let picture = shape.as_solid().features(0.05);
        assert!(!picture.faces.is_empty());
        for p in picture.vertices {
            assert!(field.distance(&p).abs() < 1e-6, "{p} {}", field.distance(&p));
        }
    }
}

#[test]
fn open_surfaces_of_patches_are_no_parts_and_have_no_grid() {
    let open = Shape::patches(PatchSurface::new(pillow([0.5, 0.3, 0.4], 0.1).patches()[..5].to_vec()).unwrap());
    assert!(Shape::csg(Operation::Union, &[(open.clone(), Pose::identity())]).is_err());
    assert!(Shape::distance_grid(&open, 0.1).is_err());
}

#[test]
fn the_furthest_place_of_patches_along_a_direction_is_on_them_and_no_sample_is_further() {
    let mut r = Random(8);
    for surface in surfaces() {
        let fine = samples(&surface, 40);
        let shape = Shape::patches(surface);
        let hull = shape.as_solid().convex_bound().unwrap();
        let axes = [Vector::x(), Vector::y(), Vector::z()].into_iter().flat_map(|v| [v, -v]);
        for direction in axes.chain((0..300).map(|_| r.direction())) {
            let place = hull.support(&direction, 0).point;
            let most = fine.iter().map(|p| p.coords.dot(&direction)).fold(Real::NEG_INFINITY, Real::max);
            assert!(place.coords.dot(&direction) >= most - 1e-11, "{direction} {place} {most}");
            assert!(shape.as_field().unwrap().distance(&place).abs() < 1e-10, "{direction} {place}");
        }
    }
}

#[test]
fn triangles_near_a_closed_surface_are_closed_however_fine_they_are() {
    for surface in surfaces() {
        for error in [0.1, 0.03, 0.01, 3e-3, 1.5e-3, 4e-4] {
            for scale in [1.0, 0.15] {
                let surface = surface.scaled(&Vector::repeat(scale)).unwrap();
                let fine = surface.tessellated(error * scale).unwrap();
                let count = fine.mesh.triangles().len();
                let Shape::Mesh(mesh) = Shape::mesh(fine.mesh).unwrap() else { panic!("a mesh") };
                assert!(mesh.is_closed(), "{error} {scale} {count}");
            }
        }
    }
}

#[test]
fn overlaps_of_patches_are_undone_by_their_depth_and_a_ball_within_is_as_deep_as_its_middle_and_its_radius() {
    let mut r = Random(10);
    let (patches, ..) = pot_and_mesh();
    let Shape::Patches(own) = &patches else { panic!("patches") };
    let field = patches.as_field().unwrap();
    let near = 4e-3 * own.surface().bounding_sphere().radius;
    let others = [
        Shape::ball(0.5).unwrap(),
        Shape::cuboid([0.5, 0.3, 0.4]).unwrap(),
        Shape::torus(0.6, 0.2).unwrap(),
        patches.clone(),
    ];
    for k in 0..16 {
        let other = &others[k % others.len()];
        let at = Vector::new(r.between(-0.8, 0.8), r.between(0.2, 1.6), r.between(-0.8, 0.8));
        let pose = Pose::from_parts(at.into(), if k % 4 == 3 { r.rotation() } else { Rotation::identity() });
        let ask = |pose: &Pose| closest(&patches, &Pose::identity(), other, pose).unwrap();
        let found = ask(&pose);
        assert!(found.distance < 0.0, "{k}: {found:?}");
        let out = Pose::from_parts((at + found.normal * (near - found.distance)).into(), pose.rotation);
        assert!(ask(&out).distance > 0.0, "{k}: {found:?} {:?}", ask(&out));
        if k % 4 == 0 {
            let least = 0.5 - field.distance(&at.into());
            assert!(-found.distance >= least - near, "{k}: {found:?}, not {least}");
        }
    }
}
