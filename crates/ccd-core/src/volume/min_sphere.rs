//! The smallest sphere around points.

use super::Sphere;
use crate::math::{Matrix, Point, Real, Vector};

impl Sphere {
    /// The smallest sphere around `points`, to rounding, in whose favour it is a hair larger; a point at the origin for
    /// none.
    ///
    /// At most four points hold the sphere. The furthest point outside joins them, the smallest sphere around these few
    /// (found among all subsets) takes over, and since its radius grows every time, no set of holders comes back: in
    /// practice some ten passes over the points. Source: the pivot rule of Gärtner (1999).
    pub fn around(points: &[Point]) -> Self {
        // Far more than ever seen; it only ends a cycle of rounding.
        const PASSES: usize = 200;
        let Some(first) = points.first() else { return Self { centre: Point::origin(), radius: 0.0 } };
        let mut holders = vec![*first];
        let mut sphere = Self { centre: *first, radius: 0.0 };
        for _ in 0..PASSES {
            let (furthest, distance) = furthest_from(points, &sphere.centre);
            if distance <= sphere.radius * (1.0 + 8.0 * Real::EPSILON) {
                break;
            }
            holders.push(furthest);
            let Some((smallest, kept)) = smallest_around_few(&holders) else { break };
            if smallest.radius <= sphere.radius {
                break;
            }
            (sphere, holders) = (smallest, kept);
        }
        let (_, distance) = furthest_from(points, &sphere.centre);
        let rounding = 4.0 * Real::EPSILON * (distance + sphere.centre.coords.norm());
        Self { centre: sphere.centre, radius: if distance > 0.0 { distance + rounding } else { 0.0 } }
    }
}

fn furthest_from(points: &[Point], centre: &Point) -> (Point, Real) {
    let mut best = (*centre, 0.0);
    for p in points {
        let squared = (p - centre).norm_squared();
        if squared > best.1 {
            best = (*p, squared);
        }
    }
    (best.0, best.1.sqrt())
}

/// The smallest sphere around at most five points, and the points that hold it.
fn smallest_around_few(points: &[Point]) -> Option<(Sphere, Vec<Point>)> {
    let mut best: Option<(Sphere, Vec<Point>)> = None;
    for subset in 1_u32..1 << points.len() {
        if subset.count_ones() > 4 {
            continue;
        }
        let chosen: Vec<Point> =
            points.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1).map(|(_, p)| *p).collect();
        let Some(sphere) = through(&chosen) else { continue };
        let slack = 1e-12 * sphere.radius;
        let holds_all = points.iter().all(|p| (p - sphere.centre).norm() <= sphere.radius + slack);
        if holds_all && best.as_ref().is_none_or(|(b, _)| sphere.radius < b.radius) {
            best = Some((sphere, chosen));
        }
    }
    best
}

/// The sphere through one to four points with its centre among their affine combinations.
fn through(points: &[Point]) -> Option<Sphere> {
    let origin = points[0];
    let mut gram = Matrix::identity();
    let mut right = Vector::zeros();
    let sides: Vec<Vector> = points[1..].iter().map(|p| p - origin).collect();
    // The centre c = Σ λ s is as far from each point as from the origin: 2 s·c = s·s.
    for (i, s) in sides.iter().enumerate() {
        right[i] = 0.5 * s.norm_squared();
        for (j, t) in sides.iter().enumerate() {
            gram[(i, j)] = s.dot(t);
        }
    }
    let weights = gram.lu().solve(&right)?;
    let offset: Vector = sides.iter().zip(weights.iter()).map(|(s, w)| s * *w).sum();
    let radius = offset.norm();
    radius.is_finite().then_some(Sphere { centre: origin + offset, radius })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spheres_of_known_points_are_the_known_spheres() {
        let cube: Vec<Point> =
            (0..8).map(|i| Point::new(Real::from(i & 1), Real::from(i >> 1 & 1), Real::from(i >> 2))).collect();
        let sphere = Sphere::around(&cube);
        assert!((sphere.centre - Point::new(0.5, 0.5, 0.5)).norm() < 1e-12);
        assert!((sphere.radius - 0.75_f64.sqrt()).abs() < 1e-12);
        // An obtuse triangle is held by its two far corners alone.
        let obtuse = [Point::new(-1.0, 0.0, 0.0), Point::new(1.0, 0.0, 0.0), Point::new(0.2, 0.3, 0.0)];
        assert!((Sphere::around(&obtuse).radius - 1.0).abs() < 1e-12);
        assert_eq!(Sphere::around(&[cube[7]; 3]).radius, 0.0);
        assert_eq!(Sphere::around(&[]).radius, 0.0);
    }

    proptest! {
        #[test]
        fn sphere_holds_all_points_and_none_is_smaller(
            points in prop::collection::vec([-3.0..3.0, -1.0..1.0, 5.0..5.5_f64].prop_map(Point::from), 1..60),
        ) {
            let sphere = Sphere::around(&points);
            for p in &points {
                prop_assert!((p - sphere.centre).norm() <= sphere.radius);
            }
            // The smallest sphere's centre is in the hull of the points it touches: moving it any way leaves one of them.
            for direction in [Vector::x(), -Vector::x(), Vector::y(), -Vector::y(), Vector::z(), -Vector::z()] {
                let moved = sphere.centre + direction * 1e-3;
                let needed = points.iter().map(|p| (p - moved).norm()).fold(0.0, Real::max);
                prop_assert!(needed >= sphere.radius - 1e-9);
            }
        }
    }
}
