//! Pins in bores that they lean in and reach out of: held against places of the wall, and of the pins, taken one by one.

use ccd_core::contact::{ContactCache, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::detection::toc::{Moving, Toc, TocOptions, time_of_contact};
use ccd_core::geometry::field::Operation;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::motion::{RigidMotion, TimeInterval};
use ccd_core::shape::Shape;

use crate::common::environment::from_environment;
use crate::common::random::Random;

/// Half of the plate's width and of its thickness.
const WIDTH: Real = 0.6;
const THICK: Real = 0.1;
/// Places around a circle, and along the wall.
const AROUND: u32 = 720;
const ALONG: u32 = 8;

/// A plate with a bore across it, along y, and a pin along its own y.
#[derive(Clone, Copy, Debug)]
struct Scene {
    bore: Real,
    /// From the middle of the plate.
    at: Vector,
    pin: Real,
    half_height: Real,
    is_capsule: bool,
}

impl Scene {
    fn random(random: &mut Random) -> Self {
        let bore = random.between(0.05, 0.2);
        Self {
            bore,
            at: Vector::new(random.between(-0.2, 0.2), 0.0, random.between(-0.2, 0.2)),
            pin: bore * (1.0 - random.magnitude(1e-3, 0.3)),
            // From what is all within the bore to what reaches out far.
            half_height: THICK * random.magnitude(0.3, 5.0),
            is_capsule: random.chance(0.4),
        }
    }

    fn plate(&self) -> Shape {
        let plate = (Shape::cuboid([WIDTH, THICK, WIDTH]).unwrap(), Pose::identity());
        let cutter = Shape::cylinder(self.bore, 3.0 * THICK).unwrap();
        Shape::csg(Operation::Difference, &[plate, (cutter, Pose::from(self.at))]).unwrap()
    }

    fn body(&self) -> Shape {
        let make = if self.is_capsule { Shape::capsule } else { Shape::cylinder };
        make(self.pin, self.half_height).unwrap()
    }

    /// A place of the pin in which it leans, and hardly ever further than the bore lets it.
    fn place(&self, random: &mut Random) -> Pose {
        let play = self.bore - self.pin;
        let held = self.half_height.min(THICK);
        let aside = random.direction() * (play * random.between(0.0, 1.0));
        let lean = Vector::new(random.between(-1.0, 1.0), 0.0, random.between(-1.0, 1.0)) * (play / held).min(0.3);
        let turn =
            Rotation::from_scaled_axis(lean) * Rotation::from_scaled_axis(Vector::y() * random.between(0.0, 6.0));
        let along = random.between(-1.0, 1.0) * (self.half_height - THICK).abs() * 0.8;
        Pose::from_parts((self.at + Vector::new(aside.x, along, aside.z)).into(), turn)
    }

    /// How far the pin is from the wall of the bore, with places of both; below zero where one of these is in the other.
    fn gap(&self, pin: &Pose) -> Real {
        let around = || (0..AROUND).map(|k| (std::f64::consts::TAU * Real::from(k) / Real::from(AROUND)).sin_cos());
        let heights = (0..=ALONG).map(|k| THICK * (2.0 * Real::from(k) / Real::from(ALONG) - 1.0));
        let wall = heights.flat_map(|y| {
            around().map(move |(sin, cos)| Point::from(self.at) + Vector::new(self.bore * cos, y, self.bore * sin))
        });
        let of_wall = wall.map(|p| self.distance(&pin.inverse_transform_point(&p)));
        let ends = [-1.0, 1.0].map(|sign| sign * self.half_height);
        let rims = ends.into_iter().flat_map(|y| {
            let radius = if self.is_capsule { 0.0 } else { self.pin };
            around().map(move |(sin, cos)| pin * Point::new(radius * cos, y, radius * sin))
        });
        let rest = if self.is_capsule { self.pin } else { 0.0 };
        let within = |p: &Point| p.y.abs() <= THICK;
        let depth = |p: Point| self.bore - (p.x - self.at.x).hypot(p.z - self.at.z) - rest;
        of_wall.chain(rims.filter(within).map(depth)).fold(Real::INFINITY, Real::min)
    }

    /// From a place to the pin, in its frame.
    fn distance(&self, p: &Point) -> Real {
        let (across, beyond) = (p.x.hypot(p.z), p.y.abs() - self.half_height);
        if self.is_capsule {
            return across.hypot(beyond.max(0.0)) - self.pin;
        }
        let across = across - self.pin;
        if across > 0.0 && beyond > 0.0 { across.hypot(beyond) } else { across.max(beyond) }
    }
}

/// What places that lie so far from each other leave open.
fn grain(scene: &Scene) -> Real {
    let step = std::f64::consts::TAU / Real::from(AROUND);
    scene.bore * step * step
}

#[test]
fn a_pin_that_leans_in_a_bore_is_as_far_from_its_wall_as_their_nearest_places() {
    let mut random = Random(from_environment("CCD_BASE", 71) as u64);
    let mut near = 0;
    for _ in 0..200 * from_environment("CCD_SCALE", 1) {
        let scene = Scene::random(&mut random);
        let (plate, pin, place) = (scene.plate(), scene.body(), scene.place(&mut random));
        let gap = scene.gap(&place);
        if gap < 1e-6 {
            continue;
        }
        let found = closest(&plate, &Pose::identity(), &pin, &place).unwrap();
        let off = grain(&scene) + 1e-5 * gap;
        assert!((found.distance - gap).abs() <= off, "{scene:?} at {place:?}: {} of {gap} m", found.distance);
        let margin = 0.05 * scene.bore;
        let mut contacts = Vec::new();
        find_contacts(&plate, &Pose::identity(), &pin, &place, margin, &mut ContactCache::default(), &mut contacts);
        let nearest = contacts.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
        let is_known =
            if gap < 0.9 * margin { (nearest - gap).abs() <= off + 0.05 * gap } else { nearest > 0.9 * margin };
        assert!(is_known, "{scene:?} at {place:?}: the nearest contact is {nearest} of {gap} m away");
        for c in &contacts {
            let to_wall = (c.point_a.x - scene.at.x).hypot(c.point_a.z - scene.at.z) - scene.bore;
            let to_pin = scene.distance(&place.inverse_transform_point(&c.point_b));
            // At the far end it may be in the half of the ball there that is within a capsule.
            let is_on_it = to_pin.abs() < 1e-6 || (scene.is_capsule && to_pin < 0.0 && c.separation > nearest);
            assert!(to_wall.abs() < 1e-6 && is_on_it, "{scene:?} at {place:?}: {c:?}");
            let beside = (c.point_b - c.point_a - c.normal * c.separation).norm();
            assert!(beside < 2e-3 * c.separation, "{scene:?} at {place:?}: {c:?}");
        }
        near += usize::from(gap < margin);
    }
    assert!(near > 50, "{near}");
}

#[test]
fn nothing_is_missed_of_a_pin_that_leans_in_a_bore_and_what_is_told_is_there() {
    let mut random = Random(from_environment("CCD_BASE", 72) as u64);
    let options = TocOptions { tolerance: 1e-5, ..TocOptions::default() };
    let (mut touches, mut stays) = (0, 0);
    let count = 150 * from_environment("CCD_SCALE", 1);
    while touches + stays < count {
        let scene = Scene::random(&mut random);
        let (plate, pin, start) = (scene.plate(), scene.body(), scene.place(&mut random));
        if scene.gap(&start) < 2e-5 + grain(&scene) {
            continue;
        }
        let play = scene.bore - scene.pin;
        let length = random.between(0.01, 0.1);
        let spin = |random: &mut Random| random.direction() * random.magnitude(1e-3, 1.0);
        let moving = RigidMotion {
            start,
            local_centre: Point::from(random.direction() * 0.05),
            linear_velocity: random.direction() * (play / length * random.magnitude(1e-2, 2.0)),
            angular_velocity: spin(&mut random) + Vector::y() * random.between(-20.0, 20.0),
        };
        let beneath = RigidMotion {
            local_centre: Point::from(scene.at),
            angular_velocity: if random.chance(0.5) {
                Vector::y() * random.between(0.0, 100.0)
            } else {
                Vector::zeros()
            },
            ..RigidMotion::at_rest(Pose::identity())
        };
        let (one, other) = (Moving::new(&pin, &moving), Moving::new(&plate, &beneath));
        let interval = TimeInterval::new(0.0, length).unwrap();
        let found = if random.chance(0.5) {
            time_of_contact(one, other, interval, &options).unwrap().answer
        } else {
            time_of_contact(other, one, interval, &options).unwrap().answer.swapped()
        };
        let until = match &found {
            Toc::Separated => length,
            Toc::Contact(contact) => contact.time,
            other => panic!("{scene:?} {moving:?} {beneath:?}: {other:?}"),
        };
        let gap_at = |t: Real| scene.gap(&beneath.pose_at(t).inv_mul(&moving.pose_at(t)));
        for i in 0..=20 {
            let t = until * Real::from(i) / 20.0;
            assert!(gap_at(t) > -1e-9, "{} m at {t} s of {until} s: {scene:?} {moving:?} {beneath:?}", gap_at(t));
        }
        let Toc::Contact(contact) = found else {
            stays += 1;
            continue;
        };
        touches += 1;
        let gap = gap_at(contact.time);
        assert!(gap <= options.tolerance + grain(&scene), "{gap} m at the contact: {scene:?} {moving:?} {beneath:?}");
    }
    assert!(touches > count / 8 && stays > count / 8, "{touches} touches, {stays} that stay");
}

#[test]
fn a_pin_that_leans_in_its_bore_is_looked_at_a_few_times() {
    let scene = Scene { bore: 0.05, at: Vector::zeros(), pin: 0.049, half_height: 0.4, is_capsule: false };
    let (plate, pin) = (scene.plate(), scene.body());
    // It leans as far as the bore lets it but for two hundredths, and slides along, turning about itself.
    let lean = Rotation::from_scaled_axis(Vector::x() * (0.98e-3 / THICK));
    let moving = RigidMotion {
        linear_velocity: Vector::new(0.0, 0.5, 0.0),
        angular_velocity: lean * Vector::y() * 30.0,
        ..RigidMotion::at_rest(Pose::from_parts(Vector::zeros().into(), lean))
    };
    let rest = RigidMotion::at_rest(Pose::identity());
    let interval = TimeInterval::new(0.0, 1.0 / 60.0).unwrap();
    let options = TocOptions { tolerance: 1e-5, ..TocOptions::default() };
    let found = time_of_contact(Moving::new(&pin, &moving), Moving::new(&plate, &rest), interval, &options).unwrap();
    let looks = found.stats.advances + found.stats.distance_queries + found.stats.nodes_visited;
    assert!(looks < 50, "{looks} looks: {:?}", found.answer);
}
#[test]
fn contacts_at_the_rim_of_a_bore_are_along_the_way_between_their_points() {
    // The capsule ends in the mouth of the bore, where nothing is known in closed form.
    let scene = Scene { bore: 0.147, at: Vector::zeros(), pin: 0.1449, half_height: 0.296, is_capsule: true };
    let lean = Rotation::from_scaled_axis(Vector::new(3e-3, 0.0, 2e-3));
    let place = Pose::from_parts(Vector::new(1e-4, -0.0736, 1.3e-3).into(), lean);
    assert!(scene.gap(&place) > 0.0);
    let (margin, mut contacts) = (0.05 * scene.bore, Vec::new());
    let mut cache = ContactCache::default();
    find_contacts(&scene.plate(), &Pose::identity(), &scene.body(), &place, margin, &mut cache, &mut contacts);
    assert!(!contacts.is_empty());
    for c in &contacts {
        let way = c.point_b - c.point_a;
        assert!(way.dot(&c.normal) > 0.999 * way.norm(), "{c:?}");
    }
}
