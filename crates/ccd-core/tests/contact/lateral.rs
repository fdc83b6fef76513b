//! Contacts along the sides of cylinders and cones: the normal is the surface's own, however small the gap and whatever lies along it.

use std::f64::consts::FRAC_PI_2;

use ccd_core::contact::{ContactCache, ContactPoint, find_contacts};
use ccd_core::detection::closest::closest;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use proptest::prelude::*;

use crate::common::models::{box_mesh, corner, l_prism, mesh};

const MARGIN: Real = 1.2e-3;
/// Of cylinders and capsules that lie along z.
const RADIUS: Real = 0.3;

/// A turn that brings y to z.
fn lying() -> Rotation {
    Rotation::from_scaled_axis(Vector::x() * FRAC_PI_2)
}

/// Solids with an edge, or the middle of a rounded one, along z through the origin, and its radius.
fn supports() -> [(Shape, Pose, Real); 6] {
    let below = Pose::translation(-5.0, -5.0, 0.0);
    let corners: Vec<Point> = (0..8).map(|i| corner(i, &[5.0; 3])).collect();
    let round = Pose::from_parts(Vector::zeros().into(), lying());
    [
        (Shape::cuboid([5.0; 3]).unwrap(), below, 0.0),
        (Shape::convex_hull(&corners).unwrap(), below, 0.0),
        (box_mesh([5.0; 3]), below, 0.0),
        // Not convex: searched by its triangles. Its edge at the end of the foot.
        (mesh(l_prism(4.0, 4.0, 8.0)), ledge(), 0.0),
        (Shape::cylinder(RADIUS, 5.0).unwrap(), round, RADIUS),
        (Shape::capsule(RADIUS, 5.0).unwrap(), round, RADIUS),
    ]
}

/// Brings the edge at the far end of the prism's foot, whose top looks up there, to the z axis.
fn ledge() -> Pose {
    let (vertices, _) = l_prism(4.0, 4.0, 8.0);
    let far = vertices.iter().map(|p| p.x).fold(Real::NEG_INFINITY, Real::max);
    let top = vertices.iter().filter(|p| p.x == far).map(|p| p.y).fold(Real::NEG_INFINITY, Real::max);
    let middle = vertices.iter().map(|p| p.z).sum::<Real>() / vertices.len() as Real;
    Pose::translation(-far, -top, -middle)
}

/// Of a cylinder or a cone (radius and half height): the middle of a generator, and the directions along and out of the surface there.
struct Generator {
    shape: Shape,
    middle: Point,
    along: Vector,
    outward: Vector,
}

fn round_solids() -> [Generator; 2] {
    let (radius, half) = (0.4, 0.5);
    let slant = Real::hypot(2.0 * half, radius);
    [
        Generator {
            shape: Shape::cylinder(radius, half).unwrap(),
            middle: Point::new(radius, 0.0, 0.0),
            along: Vector::y(),
            outward: Vector::x(),
        },
        Generator {
            shape: Shape::cone(radius, half).unwrap(),
            middle: Point::new(0.5 * radius, 0.0, 0.0),
            along: Vector::new(-radius, 2.0 * half, 0.0) / slant,
            outward: Vector::new(2.0 * half, radius, 0.0) / slant,
        },
    ]
}

impl Generator {
    /// Where it lies along z, at `place`, and looks against `direction`.
    fn placed(&self, place: &Vector, direction: &Vector) -> Pose {
        let rotation = Rotation::face_towards(&self.along, &self.outward).inverse();
        let rotation = Rotation::face_towards(&Vector::z(), &-direction) * rotation;
        Pose::from_parts((place - rotation * self.middle.coords).into(), rotation)
    }

    /// The surface's outward normal where it looks at a place, all in the world.
    fn normal_towards(&self, pose: &Pose, place: &Point) -> Vector {
        let local = pose.inverse_transform_point(place);
        let around = Vector::new(local.x, 0.0, local.z).normalize();
        pose * (around * self.outward.x + Vector::y() * self.outward.y)
    }
}

fn contacts(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Vec<ContactPoint> {
    let mut found = Vec::new();
    find_contacts(a.0, a.1, b.0, b.1, MARGIN, &mut ContactCache::default(), &mut found);
    found
}

proptest! {
    /// A generator lies along an edge but for a tilt, a gap above it. Where edges were met by places of a generator each, the way between the
    /// two was taken for the normal: off by 0.3 radians for gaps of micrometres and tilts of a millionth.
    #[test]
    fn what_lies_along_a_round_side_is_pushed_along_its_normal(
        angle in 0.02..1.5_f64,
        (tilt, gap) in (-7.0..-3.0_f64, -6.0..-3.3_f64),
        about in -1.0..1.0_f64,
        swapped in prop::bool::ANY,
    ) {
        let direction = Vector::new(angle.sin(), angle.cos(), 0.0);
        // Half a metre from the middle an end comes no nearer than half the gap.
        let (tilt, gap) = (10.0_f64.powf(tilt), 10.0_f64.powf(gap));
        let lowers = about * tilt.min(gap);
        let turn = Rotation::from_scaled_axis(direction * tilt + Vector::z().cross(&direction) * lowers);
        for round in round_solids() {
            for (k, (support, pose, radius)) in supports().iter().enumerate() {
                let placed = round.placed(&(direction * (radius + gap)), &direction);
                let placed = Pose::from_parts(placed.translation, turn * placed.rotation);
                let (a, b) = ((support, pose), (&round.shape, &placed));
                let found = if swapped { contacts(b, a) } else { contacts(a, b) };
                prop_assert!(!found.is_empty(), "{k}");
                for contact in found {
                    let (on_round, own, normal) = if swapped {
                        (contact.point_a, contact.point_b, contact.normal)
                    } else {
                        (contact.point_b, contact.point_a, -contact.normal)
                    };
                    // Near a cone's tip the normal turns within a hair.
                    let is_tip = matches!(round.shape, Shape::Cone(_)) && placed.inverse_transform_point(&on_round).y > 0.4;
                    if !is_tip && contact.separation > 0.0 {
                        let off = (normal - round.normal_towards(&placed, &own)).norm();
                        prop_assert!(off < 2e-3, "{k}: {:?} off by {off}, gap {gap}, tilt {tilt}", contact.features);
                    }
                }
            }
        }
    }
}

proptest! {
    /// A rim crosses an edge, a gap above it, and neither of the surfaces that meet at either looks along the normal of the two.
    #[test]
    fn a_rim_on_an_edge_is_pushed_across_both(
        angle in 0.1..1.47_f64,
        (crossing, side) in (0.15..1.4_f64, prop::bool::ANY),
        (lean, spin) in (0.15..1.35_f64, 0.0..6.2_f64),
        gap in -6.0..-3.3_f64,
    ) {
        let gap = 10.0_f64.powf(gap);
        let normal = Vector::new(angle.sin(), angle.cos(), 0.0);
        let crossing = if side { crossing } else { -crossing };
        let tangent = Vector::z() * crossing.cos() + normal.cross(&Vector::z()) * crossing.sin();
        let across = tangent.cross(&normal);
        // Out of the rim across the axis, and along it.
        let outward = across * lean.sin() - normal * lean.cos();
        let axis = -across * lean.cos() - normal * lean.sin();
        let (radius, half) = (0.5, 0.2);
        let around = Rotation::from_scaled_axis(axis * spin) * outward;
        let cylinder = (Shape::cylinder(radius, half).unwrap(), Rotation::face_towards(&around, &axis));
        let cone = (Shape::cone(radius, half).unwrap(), Rotation::face_towards(&around, &-axis));
        for (round, rotation) in [cylinder, cone] {
            let placed = Pose::from_parts((normal * gap - outward * radius - axis * half).into(), rotation);
            for (k, (support, pose, _)) in supports().iter().take(4).enumerate() {
                let found = contacts((support, pose), (&round, &placed));
                // A rim is followed as a straight line over as far as the two are apart, and further where it runs along the edge.
                let bends = 2e-3 + 4.0 * gap / (radius * crossing.sin().powi(2));
                let is_across = |c: &ContactPoint| (c.normal - normal).norm() < bends && c.separation < 1.01 * gap + 1e-6;
                prop_assert!(found.iter().any(is_across), "{k}: gap {gap}, normal {normal}, {found:?}");
            }
        }
    }
}

/// Both ends of what rests on an edge with the whole of its side carry it.
#[test]
fn a_cylinder_along_an_edge_touches_it_at_both_ends_however_little_it_is_tilted() {
    for (k, (support, pose, radius)) in supports().iter().enumerate() {
        for angle in [0.02, 0.1, 0.3, 0.7, 1.5_f64] {
            let direction = Vector::new(angle.sin(), angle.cos(), 0.0);
            for (gap, tilt) in [(1e-6, 1e-7), (1e-6, 1e-6), (1e-5, 1e-6), (1e-5, 1e-5), (1e-4, 1e-4), (5e-4, 1e-3)] {
                let [cylinder, _] = round_solids();
                let placed = cylinder.placed(&(direction * (radius + gap)), &direction);
                let turn = Rotation::from_scaled_axis(direction * tilt);
                let placed = Pose::from_parts(placed.translation, turn * placed.rotation);
                let found = contacts((support, pose), (&cylinder.shape, &placed));
                let reach = |sign: Real| found.iter().map(|c| sign * c.point_a.z).fold(Real::NEG_INFINITY, Real::max);
                assert!(reach(1.0) > 0.49 && reach(-1.0) > 0.49, "{k}, {angle}, {gap}, {tilt}: {found:?}");
            }
        }
    }
}

proptest! {
    /// A capsule lies over the rim of a coin, as high above it as it is thick. Where it crosses the rim seen from above is not where the two are
    /// nearest, and along the tangent there the coin seemed to reach further than it does.
    #[test]
    fn what_lies_over_a_rim_is_no_nearer_than_it_is(
        (heading, lean) in (-1.3..1.3_f64, -0.25..0.25_f64),
        (along, spin) in (-0.5..0.5_f64, 0.0..6.2_f64),
        gap in -7.0..-4.0_f64,
    ) {
        let gap = 10.0_f64.powf(gap);
        let (coin, capsule) = (Shape::cylinder(0.05, 0.0024).unwrap(), Shape::capsule(0.03, 0.06).unwrap());
        let flat = Pose::from_parts(Vector::zeros().into(), Rotation::from_scaled_axis(Vector::y() * spin));
        // Its axis over the rim at x, out and up by the lean.
        let axis = Vector::new(heading.cos(), lean, heading.sin());
        let rotation = Rotation::rotation_between(&Vector::y(), &axis).unwrap();
        let place = Vector::new(0.05, 0.04, 0.0) + axis.normalize() * (0.06 * along);
        let above = Pose::from_parts(place.into(), rotation);
        let apart = closest(&coin, &flat, &capsule, &above).unwrap();
        let way = apart.normal * (gap - apart.distance);
        let above = Pose::from_parts((above.translation.vector + way).into(), rotation);
        let distance = closest(&coin, &flat, &capsule, &above).unwrap().distance;
        prop_assume!(distance > 0.0 && distance < 2.0 * gap);
        let found = contacts((&coin, &flat), (&capsule, &above));
        let nearest = found.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
        // The nearest contact may be so much further away than the nearest points, but no nearer.
        let slack = MARGIN / 500.0;
        let range = distance - 1e-3 * distance..distance + slack;
        prop_assert!(range.contains(&nearest), "{nearest} m, not {distance}: {found:?}");
    }
}
