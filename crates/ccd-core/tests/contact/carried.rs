//! Contacts that follow from the last search are those that a search finds: same features, same points, same separations.

use ccd_core::contact::{
    ContactCache, ContactPoint, ContactSearch, ContactSet, Hysteresis, ReductionMethod, Transition, find_contacts,
    find_contacts_by,
};
use ccd_core::detection::closest::closest;
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Point, Pose, Rotation, Vector};
use ccd_core::shape::Shape;

use crate::common::fields::as_one_field;
use crate::common::models::box_mesh;
use crate::common::patches::pillow;
use crate::common::random::Random;

const MARGIN: f64 = 1e-2;
/// Edges that cross at less than this sine have no normal of their own.
const LEAST_CROSSING: f64 = 0.02;

/// Bodies whose highest and lowest points are half a metre from their middles when they lie as they are.
fn bodies() -> Vec<Shape> {
    let prism: Vec<Point> = (0..5)
        .flat_map(|i| {
            let (s, c) = (std::f64::consts::TAU * f64::from(i) / 5.0).sin_cos();
            [Point::new(0.6 * c, -0.5, 0.6 * s), Point::new(0.6 * c, 0.5, 0.6 * s)]
        })
        .collect();
    vec![Shape::cuboid([0.5; 3]).unwrap(), Shape::convex_hull(&prism).unwrap(), box_mesh([0.5; 3])]
}

fn hardly_moved(pose: &Pose, by: f64, random: &mut Random) -> Pose {
    let turn = Rotation::from_scaled_axis(random.direction() * by);
    Pose::from_parts((pose.translation.vector + random.direction() * by).into(), turn * pose.rotation)
}

fn least(contacts: &[ContactPoint]) -> f64 {
    contacts.iter().map(|c| c.separation).fold(f64::INFINITY, f64::min)
}

#[test]
fn carried_contacts_are_those_of_a_search_at_the_new_placement() {
    let mut random = Random(0xca22);
    let bodies = bodies();
    let (mut compared, mut carried) = (0, 0);
    for case in 0..600 {
        let (a, b) = (&bodies[random.below(3)], &bodies[random.below(3)]);
        let home = Pose::from_parts((random.direction() * 3.0).into(), random.rotation());
        let spin = Rotation::from_scaled_axis(Vector::y() * random.between(-3.0, 3.0));
        let tilt = Rotation::from_scaled_axis(random.direction() * [0.0, 1e-4, 1e-3][random.below(3)]);
        let offset = Vector::new(
            random.between(-0.6, 0.6),
            1.0 + random.between(-1e-4, 0.3 * MARGIN),
            random.between(-0.6, 0.6),
        );
        let above = home * Pose::from_parts(offset.into(), tilt * spin);
        let mut cache = ContactCache::default();
        let mut first = Vec::new();
        find_contacts(a, &home, b, &above, MARGIN, &mut cache, &mut first);
        // A point half a metre off moves by less than a thousandth of the margin in all.
        let by = 0.2e-3 * MARGIN;
        let (home, above) = (hardly_moved(&home, by, &mut random), hardly_moved(&above, by, &mut random));
        // The bodies turn by so much against each other, and the normal of two crossing edges by as much over their sine: a
        // search may find anew whether it is theirs or that of the face beside them.
        let turned = 2.0 * by;
        let (mut now, mut fresh) = (Vec::new(), Vec::new());
        find_contacts(a, &home, b, &above, MARGIN, &mut cache, &mut now);
        find_contacts(a, &home, b, &above, MARGIN, &mut ContactCache::default(), &mut fresh);
        let features = |contacts: &[ContactPoint]| contacts.iter().map(|c| c.features).collect::<Vec<_>>();
        carried += usize::from(!now.is_empty() && features(&now) == features(&first));
        assert!((least(&now) - least(&fresh)).abs() <= 2e-3 * MARGIN || least(&now) == least(&fresh), "case {case}");
        for c in &now {
            let along = (c.point_b - c.point_a).dot(&c.normal);
            assert!((along - c.separation).abs() < 1e-13, "case {case}: {c:?}");
            let Some(f) = fresh.iter().find(|f| f.features == c.features) else { continue };
            compared += 1;
            assert!((c.separation - f.separation).abs() < 1e-9, "case {case}: {c:?} {f:?}");
            let are_edges = matches!((c.features.a, c.features.b), (Feature::Edge(_), Feature::Edge(_)));
            let as_well = if are_edges { turned / LEAST_CROSSING } else { 1e-5 };
            assert!((c.normal - f.normal).norm() < as_well, "case {case}: {c:?} {f:?}");
            // Two lines that cross at a small angle meet elsewhere for a small change of direction.
            assert!(
                (c.point_a - f.point_a).norm() < 1e-5 && (c.point_b - f.point_b).norm() < 1e-5,
                "case {case}: {c:?} {f:?}"
            );
        }
    }
    assert!(compared > 1500 && carried > 400, "{compared} compared, {carried} carried");
}

#[test]
fn what_has_moved_or_is_asked_otherwise_is_searched_anew() {
    let bodies = bodies();
    let cube = &bodies[0];
    let at = |x: f64, y: f64| Pose::translation(x, y, 0.0);
    let mut cache = ContactCache::default();
    let mut count = |shape: &Shape, pose: Pose, margin: f64, reduction: ReductionMethod| {
        let mut out = Vec::new();
        let search = ContactSearch { margin, tolerance: 1e-4, reduction };
        find_contacts_by((cube, &at(0.0, 0.0)), (shape, &pose), &search, &mut cache, &mut out);
        out.len()
    };
    assert_eq!(count(cube, at(0.2, 1.001), MARGIN, ReductionMethod::Manifold), 4);
    assert_eq!(count(cube, at(0.2, 1.001), 1e-4, ReductionMethod::Manifold), 0);
    assert_eq!(count(cube, at(0.2, 1.001), MARGIN, ReductionMethod::Average), 1);
    assert_eq!(count(cube, at(0.2, 1.001), MARGIN, ReductionMethod::Manifold), 4);
    // Another shape in its place, then another place.
    let small = Shape::cuboid([0.25; 3]).unwrap();
    assert_eq!(count(&small, at(0.2, 1.001), MARGIN, ReductionMethod::Manifold), 0);
    assert_eq!(count(cube, at(0.2, 1.001), MARGIN, ReductionMethod::Manifold), 4);
    assert_eq!(count(cube, at(0.2, 1.011), MARGIN, ReductionMethod::Manifold), 0);
    // Within a thousandth of the margin, but over its end.
    assert_eq!(count(cube, at(0.2, 1.0 + MARGIN - 1e-6), MARGIN, ReductionMethod::Manifold), 4);
    assert_eq!(count(cube, at(0.2, 1.0 + MARGIN + 1e-6), MARGIN, ReductionMethod::Manifold), 0);
    assert_eq!(count(cube, Pose::translation(f64::NAN, 0.0, 0.0), MARGIN, ReductionMethod::Manifold), 0);
}

#[test]
fn contacts_far_from_the_origin_lose_nothing_by_being_carried() {
    let cube = &bodies()[0];
    let far = Vector::new(1e6, 0.0, 0.0);
    let at = |y: f64| Pose::from_parts((far + Vector::new(0.25, y, 0.125)).into(), Rotation::identity());
    let mut cache = ContactCache::default();
    let mut out = Vec::new();
    for y in [1.0, 1.0 + 1.0 / 1_048_576.0, 1.0 + 1.0 / 524_288.0] {
        out.clear();
        find_contacts(cube, &at(0.0), cube, &at(y), MARGIN, &mut cache, &mut out);
        assert!(out.len() == 4 && out.iter().all(|c| c.separation == y - 1.0), "{out:?}");
    }
}

/// An L of two boxes that stands on its bar, a dumb-bell that lies on its balls, and bodies of patches, the lowest points of each at y = 0.
fn many_parted() -> Vec<Shape> {
    let l = Shape::compound([
        (Pose::translation(0.0, 0.25, 0.0), Shape::cuboid([1.0, 0.25, 0.25]).unwrap()),
        (Pose::translation(-0.75, 1.0, 0.0), Shape::cuboid([0.25, 1.0, 0.25]).unwrap()),
    ]);
    let dumb_bell = Shape::compound([
        (Pose::translation(-0.5, 0.25, 0.0), Shape::ball(0.25).unwrap()),
        (
            Pose::from_parts(Vector::new(0.0, 0.25, 0.0).into(), Rotation::from_scaled_axis(Vector::z())),
            Shape::capsule(0.05, 0.2).unwrap(),
        ),
        (Pose::translation(0.5, 0.25, 0.1), Shape::ball(0.25).unwrap()),
    ]);
    let lifted = |shape: Shape, y: f64| Shape::compound([(Pose::translation(0.0, y, 0.0), shape)]).unwrap();
    let flat = lifted(Shape::patches(pillow([0.5, 0.3, 0.4], 0.0)), 0.3);
    let bent = lifted(Shape::patches(pillow([0.5, 0.3, 0.4], 0.3)), 0.3 * (1.0 + 0.3 * 0.5625));
    vec![l.unwrap(), dumb_bell.unwrap(), flat, bent]
}

/// What bodies rest on, the top at y = 0.
fn grounds() -> Vec<Shape> {
    let slab = Shape::cuboid([3.0, 0.5, 3.0]).unwrap();
    let at = Pose::translation(0.0, -0.5, 0.0);
    let patches = Shape::patches(pillow([3.0, 0.5, 3.0], 0.0));
    vec![
        Shape::half_space(Vector::y()).unwrap(),
        Shape::compound([(at, slab)]).unwrap(),
        Shape::compound([(at, box_mesh([3.0, 0.5, 3.0]))]).unwrap(),
        Shape::compound([(at, patches)]).unwrap(),
    ]
}

/// A ground anywhere, turned in any way, and a body `height` metres above it.
fn placed_above(height: f64, random: &mut Random) -> [Pose; 2] {
    let home = Pose::from_parts((random.direction() * 3.0).into(), random.rotation());
    let spin = Rotation::from_scaled_axis(Vector::y() * random.between(-3.0, 3.0));
    [home, home * Pose::from_parts(Vector::new(0.3, height, -0.2).into(), spin)]
}

/// The contacts after both have hardly moved: those that follow from the last search, and those of a new one.
fn carried_and_fresh(
    [ground, body]: [&Shape; 2],
    [home, above]: [&Pose; 2],
    cache: &mut ContactCache,
    random: &mut Random,
) -> [Vec<ContactPoint>; 2] {
    let by = 0.2e-3 * MARGIN;
    let (home, above) = (hardly_moved(home, by, random), hardly_moved(above, by, random));
    let (mut now, mut fresh) = (Vec::new(), Vec::new());
    find_contacts(ground, &home, body, &above, MARGIN, cache, &mut now);
    find_contacts(ground, &home, body, &above, MARGIN, &mut ContactCache::default(), &mut fresh);
    [now, fresh]
}

#[test]
fn contacts_of_compounds_and_patches_are_carried_to_where_a_search_finds_them() {
    let mut random = Random(0x9a27);
    let mut compared = 0;
    for ground in grounds() {
        for body in many_parted() {
            let [home, above] = placed_above(2e-3, &mut random);
            let mut cache = ContactCache::default();
            find_contacts(&ground, &home, &body, &above, MARGIN, &mut cache, &mut Vec::new());
            let [now, fresh] = carried_and_fresh([&ground, &body], [&home, &above], &mut cache, &mut random);
            let kinds = format!("{} on {}", body.as_solid().kind(), ground.as_solid().kind());
            assert!(!now.is_empty() && (least(&now) - least(&fresh)).abs() <= 2e-3 * MARGIN, "{kinds}");
            for c in &now {
                assert!(((c.point_b - c.point_a).dot(&c.normal) - c.separation).abs() < 1e-13, "{kinds}: {c:?}");
                let here = |f: &&ContactPoint| f.features == c.features && (f.midpoint() - c.midpoint()).norm() < 1e-4;
                let Some(f) = fresh.iter().find(here) else { continue };
                compared += 1;
                assert!((c.separation - f.separation).abs() < 1e-9, "{kinds}: {c:?} {f:?}");
                assert!((c.normal - f.normal).norm() < 1e-5, "{kinds}: {c:?} {f:?}");
            }
        }
    }
    assert!(compared > 40, "{compared} compared");
}

/// A search would find the ball that comes within the margin; what follows from the last one does not look for it.
#[test]
fn compounds_and_patches_that_hardly_move_are_not_searched_anew() {
    for ground in grounds() {
        for body in many_parted() {
            let low = Shape::ball(0.1).unwrap();
            let ball = Pose::translation(0.0, 0.1 - 1e-3 + MARGIN, 2.0);
            let body = Shape::compound([(Pose::identity(), body), (ball, low)]).unwrap();
            let mut cache = ContactCache::default();
            let ball_is_found = |y: f64, cache: &mut ContactCache| {
                let mut out = Vec::new();
                let pose = Pose::translation(0.3, y, 0.1);
                find_contacts(&ground, &Pose::identity(), &body, &pose, MARGIN, cache, &mut out);
                assert!(out.iter().any(|c| c.midpoint().z < 1.5));
                out.iter().any(|c| c.midpoint().z > 1.5)
            };
            let kinds = format!("{} on {}", body.as_solid().kind(), ground.as_solid().kind());
            let (outside, inside, far) = (1e-3 + 1e-6, 1e-3 - 1e-6, 1e-3 - 5e-3 * MARGIN);
            let found = [outside, inside, far].map(|y| ball_is_found(y, &mut cache));
            assert_eq!(found, [false, false, true], "{kinds}");
            assert!(ball_is_found(inside, &mut ContactCache::default()), "{kinds}");
        }
    }
}

/// Solids given by functions, each with how high its frame is when it lies on y = 0.
fn fields() -> Vec<(Shape, f64)> {
    let here = Pose::identity();
    let block = (Shape::cuboid([0.5, 0.25, 0.4]).unwrap(), here);
    let drill = (Shape::cylinder(0.2, 0.5).unwrap(), here);
    let drilled = Shape::csg(Operation::Difference, &[block, drill]).unwrap();
    vec![
        (Shape::torus(0.5, 0.15).unwrap(), 0.15),
        (Shape::ellipsoid([0.5, 0.3, 0.4]).unwrap(), 0.3),
        (Shape::rounded_box([0.4, 0.2, 0.3], 0.1).unwrap(), 0.3),
        (drilled, 0.25),
        // Its coarse cells reach some millimetres further down than the torus.
        (Shape::distance_grid(&Shape::torus(0.5, 0.15).unwrap(), 0.05).unwrap(), 0.156),
    ]
}

#[test]
fn contacts_of_fields_are_carried_to_where_a_search_finds_them() {
    let mut random = Random(0xf1e1d);
    let mut compared = 0;
    let crater = {
        let slab = (Shape::cuboid([3.0, 0.5, 3.0]).unwrap(), Pose::translation(0.0, -0.5, 0.0));
        let pit = (Shape::ball(0.3).unwrap(), Pose::translation(0.0, 0.1, 0.0));
        Shape::csg(Operation::Difference, &[slab, pit]).unwrap()
    };
    for ground in grounds().into_iter().chain([crater]) {
        for (body, height) in fields() {
            let [home, above] = placed_above(height + 2e-3, &mut random);
            let (mut cache, mut first) = (ContactCache::default(), Vec::new());
            find_contacts(&ground, &home, &body, &above, MARGIN, &mut cache, &mut first);
            let [now, fresh] = carried_and_fresh([&ground, &body], [&home, &above], &mut cache, &mut random);
            let kinds = format!("{} on {}", body.as_solid().kind(), ground.as_solid().kind());
            let features = |contacts: &[ContactPoint]| contacts.iter().map(|c| c.features).collect::<Vec<_>>();
            assert!(!now.is_empty() && features(&now) == features(&first), "{kinds}: {now:?} were {first:?}");
            // As near as a search for them promises to find.
            let off = 2e-3 * MARGIN + 0.05 * least(&now).max(least(&fresh)).max(0.0);
            assert!((least(&now) - least(&fresh)).abs() <= off, "{kinds}");
            for c in &now {
                assert!(((c.point_b - c.point_a).dot(&c.normal) - c.separation).abs() < 1e-13, "{kinds}: {c:?}");
                let here = |f: &&ContactPoint| (f.midpoint() - c.midpoint()).norm() < 1e-4;
                let Some(f) = fresh.iter().find(here) else { continue };
                compared += 1;
                // Places of fields are found to 1e-7 of the margin, and a contact that is not the nearest of all may look up to two
                // degrees past the shortest way: another search takes other places beside them. Overlaps are measured at the middles of
                // cells, wherever the surface looks there.
                let beside = (c.point_a - f.point_a).norm() + (c.point_b - f.point_b).norm();
                let slope = if c.separation > 0.0 { 2.0_f64.to_radians() } else { 1.0 };
                // The surface of a grid is bumpy: within two degrees, any place of a bump is one.
                let (bump, tilt) = if kinds.contains("grid") {
                    (c.separation.abs() * (1.0 - 2.0_f64.to_radians().cos()), 4.0_f64.to_radians())
                } else {
                    // Points of patches are found to a micrometre, four of them here, which turns the way between two so near to each other.
                    (0.0, 4e-6 / c.separation.abs())
                };
                let apart = (c.separation - f.separation).abs();
                assert!(apart < 2e-7 * MARGIN + slope * beside + bump, "{kinds}: {c:?} {f:?}");
                assert!((c.normal - f.normal).norm() < tilt, "{kinds}: {c:?} {f:?}");
            }
        }
    }
    assert!(compared > 40, "{compared} compared");
}

/// The union has one more box, which only a search finds when it comes within the margin.
#[test]
fn fields_that_hardly_move_are_not_searched_anew() {
    let ground = Shape::half_space(Vector::y()).unwrap();
    for (body, height) in fields() {
        let beside = Pose::translation(0.0, 0.1 - height - 1e-3 + MARGIN, 2.0);
        let parts = [(body, Pose::identity()), (Shape::cuboid([0.1; 3]).unwrap(), beside)];
        let body = as_one_field(&Shape::csg(Operation::Union, &parts).unwrap());
        let mut cache = ContactCache::default();
        let box_is_found = |y: f64, cache: &mut ContactCache| {
            let mut out = Vec::new();
            let pose = Pose::translation(0.3, y + height, 0.1);
            find_contacts(&ground, &Pose::identity(), &body, &pose, MARGIN, cache, &mut out);
            assert!(out.iter().any(|c| c.midpoint().z < 1.5));
            out.iter().any(|c| c.midpoint().z > 1.5)
        };
        let (outside, inside, far) = (1e-3 + 1e-6, 1e-3 - 1e-6, 1e-3 - 5e-3 * MARGIN);
        assert_eq!([outside, inside, far].map(|y| box_is_found(y, &mut cache)), [false, false, true]);
        assert!(box_is_found(inside, &mut ContactCache::default()));
    }
}

#[test]
fn a_creeping_field_keeps_its_contacts_and_says_nothing() {
    let mut random = Random(0x2e);
    for (body, height) in fields() {
        assert_creeps_in_silence(&Shape::cuboid([3.0, 0.5, 3.0]).unwrap(), -0.5, &body, height, &mut random);
    }
}

#[test]
fn a_rim_of_patches_on_an_edge_of_others_is_carried() {
    // The lower rim along x of the one crosses the upper rim along z of the other.
    let body = Shape::patches(pillow([0.5, 0.3, 0.4], 0.0));
    let tilt = Rotation::from_scaled_axis(Vector::z() * 0.5);
    let lie = Rotation::from_scaled_axis(Vector::x() * 0.5);
    let (low, high) = (Pose::from_parts(Vector::zeros().into(), tilt), |y: f64| {
        Pose::from_parts(Vector::new(-0.2, y, 0.1).into(), lie)
    });
    // Where the bodies are a millimetre apart.
    let gap = |y: f64| closest(&body, &low, &body, &high(y)).unwrap().distance;
    let (mut near, mut far) = (0.3, 3.0);
    for _ in 0..60 {
        let middle = 0.5 * (near + far);
        if gap(middle) < 1e-3 { near = middle } else { far = middle }
    }
    let (mut cache, mut first) = (ContactCache::default(), Vec::new());
    find_contacts(&body, &low, &body, &high(far), MARGIN, &mut cache, &mut first);
    let mut random = Random(0x41);
    for _ in 0..20 {
        let (low, high) = (low, hardly_moved(&high(far), 0.2e-3 * MARGIN, &mut random));
        let mut now = Vec::new();
        find_contacts(&body, &low, &body, &high, MARGIN, &mut cache, &mut now);
        let features = |contacts: &[ContactPoint]| contacts.iter().map(|c| c.features).collect::<Vec<_>>();
        assert_eq!(features(&now), features(&first));
        let truth = closest(&body, &low, &body, &high).unwrap().distance;
        assert!((least(&now) - truth).abs() < 1e-9, "{} {truth}", least(&now));
    }
}

fn assert_creeps_in_silence(ground: &Shape, top: f64, body: &Shape, height: f64, random: &mut Random) {
    let hysteresis = Hysteresis::new(MARGIN, 2.0 * MARGIN).unwrap();
    let mut set = ContactSet::new(0_u32);
    let mut cache = ContactCache::default();
    let (mut said, mut ids) = (Vec::new(), Vec::new());
    let (home, start) = (Pose::translation(0.0, top, 0.0), Pose::translation(0.2, height + 1e-3, -0.1));
    for step in 0..60 {
        let pose = hardly_moved(&start, 1e-6, random);
        let mut found = Vec::new();
        find_contacts(ground, &home, body, &pose, MARGIN, &mut cache, &mut found);
        said.extend(set.update([&home, &pose], &found, MARGIN, &hysteresis));
        let now: Vec<_> = set.histories().iter().map(|h| h.id).collect();
        if step == 0 {
            ids.clone_from(&now);
        }
        assert!(!now.is_empty() && now == ids, "step {step}: {now:?} were {ids:?}");
    }
    assert_eq!(said, [Transition::Started]);
}

#[test]
fn a_creeping_compound_keeps_its_contacts_and_says_nothing() {
    let mut random = Random(0x1d);
    for (ground, body) in grounds().iter().zip(many_parted()) {
        assert_creeps_in_silence(ground, 0.0, &body, 0.0, &mut random);
    }
}
