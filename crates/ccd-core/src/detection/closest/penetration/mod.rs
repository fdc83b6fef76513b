//! How deep two convex solids overlap: the least translation that separates them.
//!
//! A polytope of support points of the Minkowski difference B − A is grown at the face that is nearest to the origin until
//! that face lies on the boundary (the expanding polytope of van den Bergen, 2001). It need not hold the origin from the
//! start: distances are signed, and a face that the origin is outside of is simply the nearest.

mod polytope;

use super::gjk::{GjkCache, GjkGoal, separation};
use super::relative;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real, Vector, orthonormal_basis};
use polytope::Polytope;

/// An overlap of two convex solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The least translation that separates, metres; along the normal it certainly does.
    pub depth: Real,
    /// Unit, in A's frame: B moves along it, A against it.
    pub normal: Vector,
    /// The point of A that is deepest in B, A's frame.
    pub point_a: Point,
    /// The point of B that is deepest in A, A's frame.
    pub point_b: Point,
    /// Support vertices of both sides at the deepest place.
    pub vertices: [(u32, u32); 3],
}

/// The overlap of two convex solids whose cores meet, `pose` placing B in A's frame; `None` if a direction is found that
/// separates them.
///
/// Radii are part of the solids (cores that are apart need no search: their roundings overlap by the radii less the cores'
/// distance). The depth is the least one to about 1e-13 of the size for polytopes, and never too small to
/// separate. Of round solids it is the least to 1e-11 where one direction is the best; where directions all around are all but as good, as
/// about the common axis of two cylinders, none is better by more than about 1e-4 of the size. The points are those that the translation
/// brings together. Concentric balls, and cores that are flat together, are separated along the direction in which they are flat.
///
/// Cost: a support query of each solid for each step of growth, some dozens where the overlap is shallow; of polytopes that are about one
/// middle as many as their difference has corners.
pub fn penetration(a: &dyn SupportMap, b: &dyn SupportMap, pose: &Pose) -> Option<Penetration> {
    Difference { a, b, pose, radius: a.radius() + b.radius(), gap: 0.0 }.overlap()
}

/// [`penetration`] of solids that touch, or all but touch: the depth is negative where a gap is left, along the direction in which it is the widest.
pub(super) fn touch(a: &dyn SupportMap, b: &dyn SupportMap, pose: &Pose) -> Option<Penetration> {
    Difference { a, b, pose, radius: a.radius() + b.radius(), gap: Real::INFINITY }.overlap()
}

/// The Minkowski difference of the cores.
struct Difference<'s> {
    a: &'s dyn SupportMap,
    b: &'s dyn SupportMap,
    pose: &'s Pose,
    radius: Real,
    /// Solids that are no further apart than this, metres, are answered for, too.
    gap: Real,
}

#[derive(Clone, Copy, Debug)]
struct Vertex {
    w: Vector,
    a: Vector,
    b: Vector,
    ids: (u32, u32),
}

impl Difference<'_> {
    fn overlap(&self) -> Option<Penetration> {
        match start(self) {
            Start::Flat(normal) => self.flat(normal),
            Start::Solid(polytope) => polytope.grow(self),
        }
    }

    /// The furthest point of B − A along `direction`.
    fn support(&self, direction: &Vector) -> Vertex {
        let a = self.a.support(&-direction, 0);
        let b = self.b.support(&self.pose.rotation.inverse_transform_vector(direction), 0);
        let in_a = self.pose * b.point;
        Vertex { w: in_a - a.point, a: a.point.coords, b: in_a.coords, ids: (a.vertex, b.vertex) }
    }

    fn answer(
        &self,
        outward: Vector,
        core_depth: Real,
        a: Vector,
        b: Vector,
        vertices: [(u32, u32); 3],
    ) -> Option<Penetration> {
        let depth = core_depth + self.radius;
        // To bring the boundary to the origin, B moves against the boundary's outward normal.
        let normal = -outward;
        let (point_a, point_b) = (Point::from(a + normal * self.a.radius()), Point::from(b - normal * self.b.radius()));
        (depth >= -self.gap).then_some(Penetration { depth, normal, point_a, point_b, vertices })
    }

    /// The cores' difference has no volume: they are separated across it, where they are nearest.
    fn flat(&self, normal: Vector) -> Option<Penetration> {
        let [one, other] = [normal, -normal].map(|n| (self.support(&n), n));
        let depth = |(vertex, n): &(Vertex, Vector)| vertex.w.dot(n);
        let (vertex, outward) = if depth(&one) <= depth(&other) { one } else { other };
        let mut cache = GjkCache::default();
        let nearest = separation(self.a, self.b, &relative(self.pose), &mut cache, &GjkGoal::EXACT);
        self.answer(outward, vertex.w.dot(&outward), nearest.point_a, nearest.point_b, [vertex.ids; 3])
    }
}

/// A polytope to start from, or that there is none.
enum Start {
    Solid(Polytope),
    /// Across what has no volume, unit.
    Flat(Vector),
}

/// A tetrahedron of support points, as large as four directions make it.
fn start(difference: &Difference<'_>) -> Start {
    let ends = [Vector::x(), -Vector::x(), Vector::y(), -Vector::y(), Vector::z(), -Vector::z()]
        .map(|d| difference.support(&d));
    let (mut first, mut second, mut length) = (ends[0], ends[1], -1.0);
    for (i, p) in ends.iter().enumerate() {
        for q in &ends[i + 1..] {
            if (q.w - p.w).norm() > length {
                (first, second, length) = (*p, *q, (q.w - p.w).norm());
            }
        }
    }
    let scale = length.max(first.w.norm()).max(Real::MIN_POSITIVE);
    let flat = 1e-12 * scale;
    if length <= flat {
        // A single point, as of two balls: along it, or anywhere when it is the origin.
        return Start::Flat((-first.w).try_normalize(flat).unwrap_or_else(Vector::y));
    }
    let along = (second.w - first.w) / length;
    let (t, u) = orthonormal_basis(&along);
    let off_line = |p: &Vertex| ((p.w - first.w) - along * (p.w - first.w).dot(&along)).norm();
    let third =
        [t, -t, u, -u].map(|d| difference.support(&d)).into_iter().max_by(|p, q| off_line(p).total_cmp(&off_line(q)));
    let Some(third) = third.filter(|p| off_line(p) > flat) else {
        // A segment: across it, towards the origin's side.
        let across = -(first.w - along * first.w.dot(&along));
        return Start::Flat(across.try_normalize(flat).unwrap_or(t));
    };
    let normal = (second.w - first.w).cross(&(third.w - first.w)).normalize();
    let off_plane = |p: &Vertex| (p.w - first.w).dot(&normal);
    let tops = [normal, -normal].map(|d| difference.support(&d));
    let top = if off_plane(&tops[0]).abs() >= off_plane(&tops[1]).abs() { tops[0] } else { tops[1] };
    let polytope = (off_plane(&top).abs() > flat).then(|| Polytope::new([first, second, third, top], scale));
    polytope.flatten().map_or(Start::Flat(normal), Start::Solid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitive::{Ball, Capsule, Cuboid};
    use crate::math::Rotation;
    use proptest::prelude::*;

    fn boxed(h: [Real; 3]) -> Cuboid {
        Cuboid::try_new(h).unwrap()
    }

    #[test]
    fn boxes_overlap_by_the_least_of_their_face_depths() {
        let (a, b) = (boxed([1.0, 1.0, 1.0]), boxed([1.0, 1.0, 1.0]));
        let p = penetration(&a, &b, &Pose::translation(1.7, 0.2, -0.4)).unwrap();
        assert!((p.depth - 0.3).abs() < 1e-12, "{p:?}");
        assert!((p.normal - Vector::x()).norm() < 1e-9);
        assert!(penetration(&a, &b, &Pose::translation(2.1, 0.0, 0.0)).is_none());
    }

    #[test]
    fn balls_and_capsules_overlap_by_radii_less_distance() {
        let (ball, capsule) = (Ball::try_new(1.0).unwrap(), Capsule::try_new(0.5, 2.0).unwrap());
        let p = penetration(&ball, &ball, &Pose::translation(0.0, 1.5, 0.0)).unwrap();
        assert!((p.depth - 0.5).abs() < 1e-12 && (p.normal - Vector::y()).norm() < 1e-9, "{p:?}");
        assert!((penetration(&ball, &ball, &Pose::identity()).unwrap().depth - 2.0).abs() < 1e-12);
        let p = penetration(&capsule, &ball, &Pose::translation(1.25, 1.0, 0.0)).unwrap();
        assert!((p.depth - 0.25).abs() < 1e-12 && (p.normal - Vector::x()).norm() < 1e-9, "{p:?}");
        let crossed = Pose::from_parts(Vector::new(0.0, 0.0, 0.0).into(), Rotation::from_scaled_axis(Vector::z()));
        assert!((penetration(&capsule, &capsule, &crossed).unwrap().depth - 1.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn moving_by_the_depth_separates_and_no_sampled_direction_is_shorter(
            ha in prop::array::uniform3(0.1..2.0), hb in prop::array::uniform3(0.1..2.0),
            at in prop::array::uniform3(-1.0..1.0), turned in prop::array::uniform3(-3.0..3.0),
            directions in prop::collection::vec(prop::array::uniform3(-1.0..1.0), 200),
        ) {
            let (a, b) = (boxed(ha), boxed(hb));
            let pose = Pose::from_parts(Vector::from(at).into(), Rotation::from_scaled_axis(Vector::from(turned)));
            let Some(p) = penetration(&a, &b, &pose) else { return Ok(()); };
            let moved = Pose::from_parts((Vector::from(at) + p.normal * (p.depth + 1e-9)).into(), pose.rotation);
            prop_assert!(penetration(&a, &b, &moved).is_none_or(|q| q.depth <= 1e-8));
            let difference = Difference { a: &a, b: &b, pose: &pose, radius: 0.0, gap: 0.0 };
            for d in directions {
                if let Some(n) = Vector::from(d).try_normalize(1e-3) {
                    prop_assert!(difference.support(&n).w.dot(&n) >= p.depth - 1e-9);
                }
            }
        }
    }
}
