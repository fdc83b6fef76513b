//! Parts of primitives against their definitions.

use super::*;
use proptest::prelude::*;

fn solids() -> Vec<Box<dyn Field>> {
    let points: Vec<Point> = (0..14_i32)
        .map(|i| {
            let t = f64::from(i);
            Point::new((2.3 * t).sin(), 0.7 * (1.1 * t + 0.4).cos(), (0.9 * t).cos())
        })
        .collect();
    vec![
        Box::new(Ball::try_new(0.8).unwrap()),
        Box::new(Cuboid::try_new([0.5, 0.8, 0.3]).unwrap()),
        Box::new(Capsule::try_new(0.4, 0.5).unwrap()),
        Box::new(Cylinder::try_new(0.6, 0.5).unwrap()),
        Box::new(Cone::try_new(0.7, 0.6).unwrap()),
        Box::new(HalfSpace::try_new(Vector::new(0.3, 1.0, -0.2)).unwrap()),
        Box::new(ConvexPolyhedron::from_points(&points).unwrap()),
    ]
}

fn place(size: Real) -> impl Strategy<Value = Point> {
    prop::array::uniform3(-size..size).prop_map(Point::from)
}

proptest! {
    #[test]
    fn what_a_ball_holds_of_a_primitive_or_its_complement_is_within_the_enclosure(
        centre in place(1.2), radius in 0.01..1.0_f64, offset in place(1.0), inner in 0.0..1.0_f64,
    ) {
        let x = offset.coords.try_normalize(1e-9).unwrap_or_else(Vector::x) * (radius * inner);
        let ball = Sphere { centre, radius };
        for solid in solids() {
            let value = solid.distance(&(centre + x));
            prop_assert!((value - solid.distance(&centre)).abs() <= x.norm() + 1e-12);
            for region in [Region::Solid, Region::Complement] {
                let held = match region {
                    Region::Solid => value <= 0.0,
                    Region::Complement => value >= 0.0,
                };
                let mut out = Enclosure::default();
                solid.enclose(&ball, region, &mut out);
                let within = out.alternatives().any(|facets| facets.iter().all(|f| f.value + f.normal.dot(&x) <= f.error + 1e-9));
                prop_assert!(!held || within, "{} {region:?} {ball:?} {x}: {out:?}", solid.kind());
            }
        }
    }

    #[test]
    fn a_nearest_point_in_closed_form_is_on_the_surface_with_the_whole_solid_behind_it(p in place(2.0), q in place(1.2)) {
        for solid in solids() {
            let Some(found) = solid.nearest_outside(&p).filter(|_| !solid.contains(&p)) else { continue };
            prop_assert!(solid.distance(&found.point).abs() < 1e-12, "{} {found:?}", solid.kind());
            let way = p - found.point;
            prop_assert!((found.normal * way.norm() - way).norm() < 1e-9 && (found.normal.norm() - 1.0).abs() < 1e-12);
            prop_assert!(!solid.contains(&q) || (q - found.point).dot(&found.normal) < 1e-9, "{} {found:?}", solid.kind());
        }
    }
}

proptest! {
    #[test]
    fn from_inside_no_point_of_the_surface_is_nearer_than_the_one_in_closed_form(p in place(0.9), way in place(1.0), share in 0.0..1.0_f64) {
        let Some(way) = way.coords.try_normalize(1e-3) else { return Ok(()) };
        for solid in solids().into_iter().filter(|solid| solid.contains(&p)) {
            let found = solid.nearest_inside(&p).unwrap();
            let depth = (found.point - p).norm();
            prop_assert!(solid.distance(&found.point).abs() < 1e-12, "{} {found:?}", solid.kind());
            prop_assert!((found.normal * depth - (found.point - p)).norm() < 1e-9);
            prop_assert!(solid.contains(&(p + way * (depth * share * (1.0 - 1e-9)))), "{} {found:?}", solid.kind());
        }
    }
}

#[test]
fn of_a_place_on_a_surface_the_normal_is_the_faces() {
    let cone = Cone::try_new(3.0, 2.0).unwrap();
    let found = cone.nearest_outside(&Point::new(1.5, 0.0, 0.0)).unwrap();
    assert!((found.normal - Vector::new(0.8, 0.6, 0.0)).norm() < 1e-12, "{found:?}");
    let found = cone.nearest_outside(&Point::new(0.4, 5.0, 0.2)).unwrap();
    assert!((found.point - Point::new(0.0, 2.0, 0.0)).norm() < 1e-12, "{found:?}");
}
