//! Contact sets over time: tracked by the closed-form rules, grown by the closest pair, and as a world keeps them.

use ccd_core::contact::{
    ContactId, ContactPoint, ContactSet, GrowthOptions, Hysteresis, Tracked, TrackingRule, find_all_contacts,
    next_new_pair, track,
};
use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::Moving;
use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::feature::{Feature, FeaturePair};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};
use proptest::prelude::*;

const THRESHOLD: Real = 1e-3;

fn cube() -> Shape {
    Shape::cuboid([0.5; 3]).unwrap()
}

/// How many contacts each rule keeps: vertex and face, two edges, all others.
fn count(rules: impl Iterator<Item = TrackingRule>) -> [usize; 3] {
    let mut counts = [0; 3];
    for rule in rules {
        counts[match rule {
            TrackingRule::VertexFace => 0,
            TrackingRule::EdgeEdge => 1,
            _ => 2,
        }] += 1;
    }
    counts
}

/// Figure 5 of Mirtich's report: a box settles on another so that it stands over its rim.
#[test]
fn a_box_coming_to_rest_ends_with_the_four_contacts_of_figure_5() {
    // Asleep the contacts would not be looked at.
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    let below = world.add_body(BodyDefinition::new(BodyKind::Static, cube(), Pose::identity())).unwrap();
    let start = Pose::from_parts([0.3, 1.2, 0.1].into(), Rotation::from_scaled_axis(Vector::new(0.2, 0.1, -0.15)));
    let above =
        world.add_body(BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([0.4, 0.3, 0.2]).unwrap(), start)).unwrap();
    let mut messages = Vec::new();
    let mut at_first = Vec::new();
    for step in 0..400 {
        let report = world.step(1.0 / 120.0).unwrap();
        messages.extend(report.started.iter().map(|_| "started"));
        messages.extend(report.ended.iter().map(|_| "ended"));
        let now: Vec<(ContactId, Pose)> = world
            .contacts()
            .flat_map(|(_, c)| {
                c.histories().iter().map(|h| (h.id, *world.body(above).unwrap().pose())).collect::<Vec<_>>()
            })
            .collect();
        if step == 300 {
            at_first = now;
        } else if step > 300 {
            assert_eq!(now, at_first, "at rest the contacts stay who they are, and where");
        }
    }
    let (pair, contacts) = world.contacts().next().unwrap();
    assert_eq!((pair.a, pair.b), (below, above));
    assert_eq!(count(contacts.histories().iter().map(|h| h.rule())), [2, 2, 0], "{:?}", contacts.histories());
    // What stands to the bit is not looked at again, so its contacts are as old as they were when it came to stand.
    assert!(contacts.histories().iter().all(|h| h.age > 0), "{:?}", contacts.histories());
    assert!(contacts.impulses.iter().any(|j| j.y > 0.0) && contacts.touching);
    // It may bounce off its first corner, but the messages alternate and end in touch.
    for (k, message) in messages.iter().enumerate() {
        assert_eq!(*message, ["started", "ended"][k % 2]);
    }
    assert_eq!(messages.len() % 2, 1);
}

/// The same as the paper has it: no forces, but motions that keep the set's contacts, and a search for each new one.
#[test]
fn a_set_grows_by_the_pair_that_becomes_the_closest() {
    let (below, above) = (cube(), Shape::cuboid([0.4, 0.3, 0.2]).unwrap());
    let ground = RigidMotion::at_rest(Pose::identity());
    let margins = Hysteresis::new(0.5 * THRESHOLD, THRESHOLD).unwrap();
    let options = GrowthOptions { time_tolerance: 1e-12, threshold: THRESHOLD };
    let mut set = ContactSet::new(());
    let second = TimeInterval::new(0.0, 1.0).unwrap();

    // It sinks, tilted, until its lowest corner is within the threshold of the upper face.
    let tilt = Rotation::from_scaled_axis(Vector::new(0.05, 0.0, 0.08));
    let mut pose = Pose::from_parts([0.3, 1.2, 0.1].into(), tilt);
    let sinking = RigidMotion { linear_velocity: Vector::new(0.0, -1.0, 0.0), ..RigidMotion::at_rest(pose) };
    let found = next_new_pair(&set, Moving::new(&below, &ground), Moving::new(&above, &sinking), second, &options);
    let new = found.unwrap().unwrap();
    assert!(matches!((new.contact.features.a, new.contact.features.b), (Feature::Face(_), Feature::Vertex(_))));
    pose = sinking.pose_at(new.time);
    assert_eq!(set.grow([&Pose::identity(), &pose], &new.contact), Some(ContactId(0)));
    assert_eq!(set.grow([&Pose::identity(), &pose], &new.contact), None, "a pair is in the set once");

    // It tilts down about that corner: the next closest pair is another one, and penetration without it is found.
    let corner = new.contact.point_b;
    let spin = -tilt.scaled_axis();
    let turning = |pose: &Pose, about: &Point, spin: Vector| RigidMotion {
        start: *pose,
        local_centre: pose.inverse_transform_point(about),
        linear_velocity: Vector::zeros(),
        angular_velocity: spin,
    };
    let motion = turning(&pose, &corner, spin * 1.2);
    let new = next_new_pair(&set, Moving::new(&below, &ground), Moving::new(&above, &motion), second, &options);
    let new = new.unwrap().unwrap();
    assert!(new.time > 0.0 && new.time < 1.0 && new.contact.separation > 0.0);
    assert_ne!(new.contact.features, set.points[0].contact.features);
    pose = motion.pose_at(new.time);
    let (_, ended) = set.track((&below, &Pose::identity()), (&above, &pose), &margins);
    assert!(ended.is_empty(), "the corner it turns about stays: {ended:?}");
    assert!(set.grow([&Pose::identity(), &pose], &new.contact).is_some());
    assert!(set.points.iter().all(|p| p.contact.separation > 0.0), "no penetration at any time");

    // Then about the line through both, until a third pair is found: three contacts hold it.
    let line = (new.contact.point_b - corner).normalize();
    let middle = pose.translation.vector - corner.coords;
    let fall = line * line.dot(&Vector::y().cross(&middle)).signum();
    let motion = turning(&pose, &corner, -fall * 0.2);
    let third = next_new_pair(&set, Moving::new(&below, &ground), Moving::new(&above, &motion), second, &options);
    let third = third.unwrap().unwrap();
    pose = motion.pose_at(third.time);
    set.track((&below, &Pose::identity()), (&above, &pose), &margins);
    set.grow([&Pose::identity(), &pose], &third.contact);
    assert!(closest(&below, &Pose::identity(), &above, &pose).unwrap().distance > 0.0);
    let ages: Vec<_> = set.histories().iter().map(|h| (h.id.0, h.age)).collect();
    assert_eq!(ages, [(0, 2), (1, 1), (2, 0)]);
}

#[test]
fn a_contact_ends_where_its_point_leaves_the_feature_or_the_threshold_and_says_which() {
    let margins = Hysteresis::new(0.5 * THRESHOLD, THRESHOLD).unwrap();
    let (floor, body) = (cube(), Shape::cuboid([0.1; 3]).unwrap());
    let at = |x: Real, gap: Real| Pose::translation(x, 0.6 + gap, 0.0);
    let mut found = Vec::new();
    find_all_contacts(&floor, &Pose::identity(), &body, &at(0.3, 1e-4), THRESHOLD, &mut found);
    let mut set = ContactSet::new(());
    for contact in &found {
        set.grow([&Pose::identity(), &at(0.3, 1e-4)], contact);
    }
    assert_eq!(set.points.len(), 4);
    // It slides until two of its corners are over the rim.
    let (_, ended) = set.track((&floor, &Pose::identity()), (&body, &at(0.45, 2e-4)), &margins);
    assert_eq!(ended.iter().filter(|e| e.reason == Tracked::LeftRegion).count(), 2);
    assert_eq!((set.points.len(), set.separation().map(|s| (s - 2e-4).abs() < 1e-15)), (2, Some(true)));
    // And is lifted.
    let (_, ended) = set.track((&floor, &Pose::identity()), (&body, &at(0.45, 2e-3)), &margins);
    assert_eq!(ended.iter().filter(|e| matches!(e.reason, Tracked::Separated { .. })).count(), 2);
    assert!(set.points.is_empty() && !set.is_touching());
}

fn small() -> impl Strategy<Value = Vector> {
    prop::array::uniform3(-1.0..1.0_f64).prop_map(Vector::from)
}

/// Two boxes, a hull and a box, or two meshes, each nearly touching the other from above.
fn touching_pair(kind: usize, turn: &Vector) -> (Shape, Shape, Pose) {
    let hull = || {
        let points: Vec<Point> = (0..24)
            .map(|i| {
                let (sin, cos) = (f64::from(i % 8) * 0.785).sin_cos();
                Point::new(0.4 * cos, 0.3 * f64::from(i / 8 - 1), 0.4 * sin)
            })
            .collect();
        Shape::convex_hull(&points).unwrap()
    };
    let (a, b) = match kind {
        0 => (cube(), Shape::cuboid([0.4, 0.3, 0.2]).unwrap()),
        1 => (hull(), Shape::cuboid([0.4, 0.3, 0.2]).unwrap()),
        _ => (cube(), hull()),
    };
    let turned = Pose::from_parts([0.2, 3.0, 0.1].into(), Rotation::from_scaled_axis(*turn));
    let near = closest(&a, &Pose::identity(), &b, &turned).unwrap();
    // Straight down by the gap: within 0.2 mm along the direction of the nearest points.
    let down = (near.distance - 2e-4) / near.normal.y.max(0.2);
    (a, b, Pose::translation(0.0, -down, 0.0) * turned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// What the rules say after a small motion is what the search finds there.
    #[test]
    fn tracked_points_are_those_that_a_new_search_finds(kind in 0..3_usize, turn in small(), shift in small(), spin in small()) {
        let (a, b, pose) = touching_pair(kind, &turn);
        let mut before = Vec::new();
        find_all_contacts(&a, &Pose::identity(), &b, &pose, THRESHOLD, &mut before);
        let step = Pose::from_parts((shift * 1e-5).into(), Rotation::from_scaled_axis(spin * 1e-5));
        let moved = Pose::from_parts(step.translation, Rotation::identity()) * pose * Pose::from_parts(Vector::zeros().into(), step.rotation);
        let mut after = Vec::new();
        find_all_contacts(&a, &Pose::identity(), &b, &moved, THRESHOLD, &mut after);
        let mut compared = 0;
        for old in &before {
            let Tracked::Active(tracked) = track(old, (&a, &Pose::identity()), (&b, &moved), THRESHOLD) else { continue };
            for new in after.iter().filter(|c| c.features == tracked.features) {
                // Faces that look at each other have the other face's direction where a corner is near a rim.
                if (new.normal - tracked.normal).norm() < 1e-9 {
                    compared += 1;
                    prop_assert!((new.separation - tracked.separation).abs() < 1e-9, "{new:?} {tracked:?}");
                    prop_assert!((new.point_a - tracked.point_a).norm() < 1e-6, "{new:?} {tracked:?}");
                    prop_assert!((new.point_b - tracked.point_b).norm() < 1e-6, "{new:?} {tracked:?}");
                }
            }
        }
        prop_assume!(compared > 0);
    }

    /// Exchanging the sides exchanges what is tracked.
    #[test]
    fn the_rules_know_no_sides(kind in 0..3_usize, turn in small(), spin in small()) {
        let (a, b, pose) = touching_pair(kind, &turn);
        let mut found = Vec::new();
        find_all_contacts(&a, &Pose::identity(), &b, &pose, THRESHOLD, &mut found);
        prop_assume!(!found.is_empty());
        let moved = pose * Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(spin * 1e-4));
        for contact in &found {
            let one = track(contact, (&a, &Pose::identity()), (&b, &moved), THRESHOLD);
            let other = track(&contact.swapped(), (&b, &moved), (&a, &Pose::identity()), THRESHOLD);
            match (one, other) {
                (Tracked::Active(p), Tracked::Active(q)) => {
                    let q = q.swapped();
                    prop_assert!((p.point_a - q.point_a).norm() < 1e-9 && (p.normal - q.normal).norm() < 1e-9);
                }
                (Tracked::Separated { separation: p }, Tracked::Separated { separation: q }) => prop_assert!((p - q).abs() < 1e-12),
                (one, other) => prop_assert_eq!(one, other),
            }
        }
    }
}

#[test]
fn features_that_a_shape_has_not_are_not_tracked() {
    let contact = ContactPoint {
        point_a: Point::origin(),
        point_b: Point::origin(),
        normal: Vector::y(),
        separation: 0.0,
        features: FeaturePair { a: Feature::Vertex(99), b: Feature::Edge(12) },
    };
    let tracked = track(&contact, (&cube(), &Pose::identity()), (&cube(), &Pose::identity()), THRESHOLD);
    assert_eq!(tracked, Tracked::Untracked);
}

/// A prism of twelve corners spins without friction on a smaller box: which of the patch's corners are kept changes every few
/// steps, two at a time.
#[test]
fn a_patch_whose_points_are_exchanged_goes_on_carrying_the_whole_weight() {
    let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
    let mut below = BodyDefinition::new(BodyKind::Static, cube(), Pose::identity());
    below.material.friction = 0.0;
    world.add_body(below).unwrap();
    let corner = |k: u32, y: Real| {
        let (sin, cos) = (Real::from(k) * std::f64::consts::TAU / 12.0).sin_cos();
        Point::new(0.6 * cos, y, 0.6 * sin)
    };
    let corners: Vec<Point> = (0..12).flat_map(|k| [corner(k, -0.5), corner(k, 0.5)]).collect();
    let prism = Shape::convex_hull(&corners).unwrap();
    let mut body = BodyDefinition::new(BodyKind::Dynamic, prism, Pose::translation(0.0, 1.0002, 0.0));
    body.angular_velocity = Vector::y() * 5.0;
    body.material.friction = 0.0;
    let id = world.add_body(body).unwrap();
    let dt = 1.0 / 60.0;
    let weight = world.body(id).unwrap().mass_properties().mass * 9.81 * dt;
    let mut exchanged = 0;
    let mut known = Vec::new();
    for step in 0..240 {
        world.step(dt).unwrap();
        if step < 60 {
            continue;
        }
        let pushed: Real = world.contacts().flat_map(|(_, c)| &c.impulses).map(|j| j.y).sum();
        assert!((pushed / weight - 1.0).abs() < 0.05, "{pushed} of {weight} in step {step}");
        let now: Vec<ContactId> =
            world.contacts().flat_map(|(_, c)| c.histories().iter().map(|h| h.id).collect::<Vec<_>>()).collect();
        exchanged += usize::from(now != known);
        known = now;
    }
    assert!(exchanged > 10, "{exchanged}");
}
