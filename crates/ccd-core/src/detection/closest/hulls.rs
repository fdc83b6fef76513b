//! Closest points of fields by the convex solids that hold them.
//!
//! **Idea.** What holds two solids is no further apart than they are; where its nearest points are on the solids' own surfaces, they are the
//! solids' nearest points. A torus that lies on a table is told by its hull, and only what is near its hole needs a search. Where they are on a flat side
//! of what holds a solid, over a hollow of the solid, places at the border of that side may be as near to the other: its corners and its rim are the solid's.
//! **Guarantee.** An answer is right to a ten-billionth of the smaller solid's size.

use super::gjk::{GjkCache, GjkGoal, separation};
use super::mesh::{Lie, lie_of_convex};
use super::touching::Placed;
use super::{Closest, ClosestMethod, Local, PairMemory, convex_convex, convex_over, cores_apart, relative, search};
use crate::detection::dispatch::{Bounded, Route, needs_cells, route_of_hulls};
use crate::geometry::feature::FeaturePair;
use crate::geometry::field::nearest_surface;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real, Vector, orthonormal_basis};
use crate::shape::Shape;

/// How far from a solid's surface a place of it may be, as a share of the size of the smaller solid.
const ON_SURFACE: Real = 1e-10;

/// How far a direction is tilted to find the border of a flat side, rad: on a rim that is as round as the solid is large places are off by half of the
/// square of that.
const TILT: Real = 1e-6;
/// Ways all around from the middle of a flat side to its border that are tried, and ways on from there to what is nearest.
const AROUND: usize = 32;
const NEARER: usize = 8;

/// What hulls tell of two solids.
pub(crate) enum ByHulls {
    /// They are further apart than was asked for.
    Beyond,
    /// These are the nearest points, in A's frame.
    Nearest(Closest),
    /// Nothing.
    Unknown,
}

/// What the hulls of two solids, of which at least one is a field that is not convex, tell of their nearest points within `limit` metres.
///
/// Cost: a distance query of convex solids; with a mesh, one for each triangle near the other's hull.
pub(crate) fn by_hulls(a: &Shape, b: &Shape, b_in_a: &Pose, limit: Real) -> ByHulls {
    let Some(route) = route_of_hulls(a, b, 0.0) else { return ByHulls::Unknown };
    let Some(found) = of_hulls(&route, (a, b), b_in_a, limit) else { return ByHulls::Unknown };
    let Some(found) = found.filter(|found| found.distance <= limit) else { return ByHulls::Beyond };
    let size = |shape: &Shape| shape.as_solid().bounding_sphere().radius;
    let fine = ON_SURFACE * size(a).min(size(b));
    let is_on = |shape: &Shape, place: &Point| {
        let near = || nearest_surface(shape.as_field()?, place, 0.1 * fine);
        !needs_cells(shape) || near().is_some_and(|near| (near.point - place).norm() <= fine)
    };
    if is_on(a, &found.point_a) && is_on(b, &b_in_a.inverse_transform_point(&found.point_b)) {
        return ByHulls::Nearest(found.in_frame(&Pose::identity()));
    }
    let at_border = match (route_hulls(&route), needs_cells(a), needs_cells(b)) {
        ([Some(hull), _], true, false) => nearest_at_border((a, hull), b, b_in_a, &found, fine),
        ([_, Some(hull)], false, true) => {
            let a_in_b = b_in_a.inverse();
            let found = nearest_at_border((b, hull), a, &a_in_b, &found.swapped(&a_in_b), fine);
            found.map(|found| found.swapped(b_in_a))
        }
        _ => None,
    };
    at_border.map_or(ByHulls::Unknown, |found| ByHulls::Nearest(found.in_frame(&Pose::identity())))
}

/// The convex solids of a route that are asked in place of A and B.
fn route_hulls<'s>(route: &Route<'s>) -> [Option<&'s dyn SupportMap>; 2] {
    match *route {
        Route::Convex(hull_a, hull_b) => [Some(hull_a), Some(hull_b)],
        Route::MeshConvex { convex, swapped, .. } if swapped => [Some(convex), None],
        Route::MeshConvex { convex, .. } => [None, Some(convex)],
        _ => [None, None],
    }
}

/// Points of A and of B that are as near to each other as `found` tells of A's hull and of B, but for `fine` metres, A's at the border of the side with
/// which its hull faces B: nothing is nearer. A needs cells, B does not.
fn nearest_at_border(
    (a, hull): (&Shape, &dyn SupportMap),
    b: &Shape,
    b_in_a: &Pose,
    found: &Local,
    fine: Real,
) -> Option<Local> {
    let radius = 0.1 * fine;
    let (field, ball) = (a.as_field()?, Shape::ball(radius).ok()?);
    let (along, across) = orthonormal_basis(&found.normal);
    let is_on =
        |place: &Point| nearest_surface(field, place, radius).is_some_and(|near| (near.point - place).norm() <= fine);
    // The place at the border to this side, what is nearest to it on B, and how much further that is than what was found.
    let look = |way: &Vector| {
        let direction = (found.normal + way * TILT).normalize();
        let place = hull.support(&direction, u32::MAX).point + direction * hull.radius();
        let placed = Pose::from_parts(place.coords.into(), Default::default());
        let (limit, memory) = (Real::INFINITY, &mut PairMemory::default());
        let near = search((&ball, &placed), (b, b_in_a), limit, ClosestMethod::Auto, memory).ok()??;
        let near = Local { point_a: place, point_b: placed * near.point_b, ..near };
        Some((near.distance + radius - found.distance, near))
    };
    let as_near = |(further, near): &(Real, Local)| {
        let features = FeaturePair { b: near.features.b, ..found.features };
        let is_it = further.abs() <= fine && is_on(&near.point_a);
        is_it.then_some(Local { point_a: near.point_a, point_b: near.point_b, features, ..*found })
    };
    let mut tried = Vec::with_capacity(AROUND);
    for k in 0..AROUND {
        let (sin, cos) = (std::f64::consts::TAU * k as Real / AROUND as Real).sin_cos();
        let tries = look(&(along * cos + across * sin))?;
        if let Some(found) = as_near(&tries) {
            return Some(found);
        }
        tried.push(tries);
    }
    let middle = tried.iter().map(|(_, near)| near.point_a.coords).sum::<Vector>() / AROUND as Real;
    let mut nearest = tried.into_iter().min_by(|(one, _), (other, _)| one.total_cmp(other))?.1;
    for _ in 0..NEARER {
        let way = nearest.point_b.coords - middle;
        let way = (way - found.normal * way.dot(&found.normal)).try_normalize(radius)?;
        let tries = look(&way)?;
        if let Some(found) = as_near(&tries) {
            return Some(found);
        }
        nearest = tries.1;
    }
    None
}

/// Whether two solids that are convex, but for the dents that rounding makes in meshes, are further apart than `limit` metres; `false` of
/// others, and where their hulls do not tell.
///
/// Cost: a distance query of convex solids.
pub(super) fn are_beyond(a: &Shape, b: &Shape, b_in_a: &Pose, limit: Real) -> bool {
    fn hull(shape: &Shape) -> Option<&dyn SupportMap> {
        match shape {
            Shape::Mesh(mesh) => mesh.hull_within(Real::INFINITY),
            shape => shape.as_convex(),
        }
    }
    let (true, Some(hull_a), Some(hull_b)) = (limit.is_finite(), hull(a), hull(b)) else { return false };
    let enough = limit + hull_a.radius() + hull_b.radius();
    let goal = GjkGoal { enough, ..GjkGoal::EXACT };
    separation(hull_a, hull_b, &relative(b_in_a), &mut GjkCache::default(), &goal).lower > enough
}

/// The nearest points of hulls that are apart, the inner `None` if by more than `limit`; `None` of what is not, but beside a half-space.
fn of_hulls(route: &Route<'_>, (a, b): (&Shape, &Shape), b_in_a: &Pose, limit: Real) -> Option<Option<Local>> {
    let found = match *route {
        Route::Convex(hull_a, hull_b) => {
            let mut cache = GjkCache::default();
            let goal = GjkGoal { enough: limit + hull_a.radius() + hull_b.radius(), ..GjkGoal::EXACT_POINTS };
            let found = separation(hull_a, hull_b, &relative(b_in_a), &mut cache, &goal);
            match cores_apart(hull_a, hull_b, b_in_a, &found, &cache) {
                Some(apart) => Some(apart),
                None => {
                    let touch = convex_convex(hull_a, hull_b, b_in_a, &mut cache);
                    let pair = Placed { solids: [hull_a, hull_b], poses: [Pose::identity(), *b_in_a] };
                    let is_rounding = -touch.distance <= pair.gap(&touch.normal).1;
                    Some(if is_rounding { Local { distance: touch.distance.max(0.0), ..touch } } else { touch })
                }
            }
        }
        Route::HalfSpace { plane, other: Bounded::Convex(hull), swapped } => {
            let pose = if swapped { b_in_a.inverse() } else { *b_in_a };
            let found = convex_over(plane, hull, &pose);
            // Also how deep a point is in it is how deep the solid is.
            return Some(Some(if swapped { found.swapped(b_in_a) } else { found }));
        }
        Route::MeshConvex { mesh, convex, swapped } => {
            let (shape, pose) = if swapped { (a, b_in_a.inverse()) } else { (b, *b_in_a) };
            match lie_of_convex(mesh, convex, shape, &pose, limit) {
                Lie::Overlapping(_) => return None,
                Lie::Beyond => None,
                Lie::Apart(found) => Some(if swapped { found.swapped(b_in_a) } else { found }),
            }
        }
        _ => return None,
    };
    if found.is_some_and(|found: Local| found.distance < 0.0) { None } else { Some(found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::Operation;
    use crate::math::{Rotation, Vector};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_torus_over_a_plane_is_as_far_as_its_lowest_place_and_as_deep(turn in prop::array::uniform3(-2.0..2.0_f64), height in -0.2..2.0_f64) {
            let (ring, ground) = (Shape::torus(0.5, 0.1).unwrap(), Shape::half_space(Vector::y()).unwrap());
            let pose = Pose::from_parts(Vector::new(0.3, height, -0.2).into(), Rotation::new(turn.into()));
            let axis = pose.rotation * Vector::y();
            let lowest = height - 0.5 * (1.0 - axis.y * axis.y).max(0.0).sqrt() - 0.1;
            let ByHulls::Nearest(found) = by_hulls(&ground, &ring, &pose, Real::INFINITY) else {
                return Err(TestCaseError::fail("not told by the hull"));
            };
            prop_assert!((found.distance - lowest).abs() < 1e-12 && (found.normal - Vector::y()).norm() < 1e-12);
            prop_assert!(matches!(by_hulls(&ground, &ring, &pose, lowest - 1e-9), ByHulls::Beyond));
        }
    }

    #[test]
    fn a_ring_whose_hole_is_over_what_it_touches_is_told_by_its_rim() {
        let ring = Shape::torus(1.0, 0.25).unwrap();
        let tile = Shape::cuboid([2.0, 0.5, 2.0]).unwrap();
        let plank = Shape::cuboid([0.01, 0.5, 2.0]).unwrap();
        for height in [0.0, 1e-9, 0.05] {
            for (below, x, z) in [(&tile, -2.0, -2.0), (&tile, 1.7, 1.8), (&tile, 0.3, 0.2), (&plank, 0.37, 1.1)] {
                let place = Pose::translation(x, -0.75 - height, z);
                for (a, b, pose) in [(&ring, below, place), (below, &ring, place.inverse())] {
                    let ByHulls::Nearest(found) = by_hulls(a, b, &pose, Real::INFINITY) else {
                        panic!("not told by the hull: {height} over {x}, {z}");
                    };
                    assert!((found.distance - height).abs() < 1e-12, "{} over {x}, {z}", found.distance);
                    let on_ring = if std::ptr::eq(a, &ring) {
                        found.point_a
                    } else {
                        pose.inverse_transform_point(&found.point_b)
                    };
                    assert!((on_ring.coords.xz().norm() - 1.0).abs() < 1e-5, "{on_ring}");
                    assert!((found.point_b - found.point_a).norm() - height < 1e-9);
                }
            }
        }
        // Nothing is under its rim.
        let peg = Shape::cuboid([0.3, 0.5, 0.3]).unwrap();
        let told = by_hulls(&ring, &peg, &Pose::translation(0.0, -0.8, 0.0), Real::INFINITY);
        assert!(matches!(told, ByHulls::Unknown));
    }

    #[test]
    fn what_lies_in_the_hole_of_a_ring_is_not_told_by_the_ring_s_hull() {
        let ring = Shape::torus(0.5, 0.1).unwrap();
        let ball = Shape::ball(0.05).unwrap();
        let told = |x: Real| by_hulls(&ring, &ball, &Pose::translation(x, 0.0, 0.0), Real::INFINITY);
        assert!(matches!(told(0.1), ByHulls::Unknown));
        assert!(matches!(told(0.8), ByHulls::Nearest(found) if (found.distance - 0.15).abs() < 1e-9));
        // Over the hole the hull is flat, and the ring is not there.
        let over = by_hulls(&ring, &ball, &Pose::translation(0.0, 0.3, 0.0), Real::INFINITY);
        assert!(matches!(over, ByHulls::Unknown));
    }

    #[test]
    fn a_hollow_side_is_not_taken_for_a_face() {
        let pose = Pose::translation(0.0, 0.5, 0.0);
        let parts = vec![
            (Shape::cuboid([1.0; 3]).unwrap(), Pose::identity()),
            (Shape::ball(0.5).unwrap(), Pose::translation(0.0, 1.0, 0.0)),
        ];
        let cup = Shape::csg(Operation::Difference, &parts).unwrap();
        let ball = Shape::ball(0.1).unwrap();
        let above = |x: Real| by_hulls(&cup, &ball, &(Pose::translation(x, 0.7, 0.0) * pose), Real::INFINITY);
        assert!(matches!(above(0.0), ByHulls::Unknown), "the ball is over the hollow");
        assert!(matches!(above(0.8), ByHulls::Nearest(found) if (found.distance - 0.1).abs() < 1e-9));
    }
}
