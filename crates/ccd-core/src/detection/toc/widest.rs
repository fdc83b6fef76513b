//! Directions along which two parts are apart, for certificates: those that are likely to be the widest gaps, as cheap as they can be had.

use super::certificate::{Front, Gap};
use super::part::{BoxPart, CapsulePart, Part, TrianglePart};
use crate::bounds::tree::nearest_way;
use crate::math::{Real, Vector};

/// What is square to a side of each of two triangles.
struct Across {
    /// From A to B, of any length.
    direction: Vector,
    /// Along it, times its length.
    gap: Real,
    /// The square of its length.
    squared: Real,
}

impl Front {
    /// The direction, among the boxes' faces, the line of their centres and, near, the slabs', along which they are furthest apart.
    pub fn widest_of_boxes(&self, a: &BoxPart, b: &BoxPart) -> Gap {
        let between = self.offset + self.relative * b.arm - a.arm;
        let in_b = self.relative.tr_mul(&between);
        let gaps_a = between.abs() - a.half_extents - self.spread * b.half_extents;
        let gaps_b = in_b.abs() - b.half_extents - self.spread.tr_mul(&a.half_extents);
        let (i, j) = (gaps_a.imax(), gaps_b.imax());
        let middles = between.norm();
        let mut best = if gaps_a[i] >= gaps_b[j] {
            let mut normal = Vector::zeros();
            normal[i] = between[i].signum();
            Gap { normal, size: gaps_a[i], middles }
        } else {
            Gap { normal: self.relative.column(j) * in_b[j].signum(), size: gaps_b[j], middles }
        };
        if best.size > 0.0 {
            // Half the boxes' widths along the line of centres.
            let widths = (between.abs().dot(&a.half_extents) + in_b.abs().dot(&b.half_extents)) / middles;
            if middles - widths > best.size {
                best = Gap { normal: between / middles, size: middles - widths, middles };
            }
        }
        let sizes = a.half_extents.norm_squared().max(b.half_extents.norm_squared());
        if best.size <= 0.0 || best.size * best.size < sizes {
            // Near: thinness counts.
            if let Some(slab) = &a.slab {
                let normal = slab.direction * (between.dot(&slab.direction).signum() * a.per_square.sqrt());
                let size = self.gap_along(&normal, a, b);
                if size > best.size {
                    best = Gap { normal, size, middles };
                }
            }
            if let Some(slab) = &b.slab {
                let across = slab.direction * (in_b.dot(&slab.direction).signum() * b.per_square.sqrt());
                let normal = self.relative * across;
                let size = self.gap_along(&normal, a, b);
                if size > best.size {
                    best = Gap { normal, size, middles };
                }
            }
        }
        best
    }

    /// Along the line of the nearest points of two capsules' segments; `None` where the segments meet.
    pub fn between_capsules(&self, a: &CapsulePart, b: &CapsulePart) -> Option<Gap> {
        let (between, half_b) = (self.offset + self.relative * b.arm - a.arm, self.relative * b.half);
        let way = nearest_way(&between, &a.half, &half_b);
        let normal = way.try_normalize(0.0)?;
        Some(Gap { normal, size: self.gap_along(&normal, a, b), middles: between.norm() })
    }

    /// The gap between two parts along a unit direction, metres.
    #[inline]
    pub fn gap_along<A: Part, B: Part>(&self, normal: &Vector, a: &A, b: &B) -> Real {
        normal.dot(&self.offset) - b.most(&-self.relative.tr_mul(normal)) - a.most(normal)
    }

    /// The direction, among both triangles' normals and the line of their centres, along which they are furthest apart.
    pub fn widest_of_triangles(&self, a: &TrianglePart, b: &TrianglePart) -> Gap {
        let corners_b = b.arms.map(|r| self.offset + self.relative * r);
        let between = (corners_b[0] + corners_b[1] + corners_b[2] - a.arms[0] - a.arms[1] - a.arms[2]) / 3.0;
        let middles = between.norm();
        let mut best = Gap { normal: Vector::x(), size: Real::NEG_INFINITY, middles };
        let mut consider = |direction: Vector| {
            let squared = direction.norm_squared();
            if squared > Real::MIN_POSITIVE {
                let [p, q, r] = corners_b.map(|c| direction.dot(&c));
                let [u, v, w] = a.arms.map(|c| direction.dot(&c));
                let apart = p.min(q).min(r) - u.max(v).max(w);
                let other_way = u.min(v).min(w) - p.max(q).max(r);
                let length = squared.sqrt();
                if apart > best.size * length {
                    best = Gap { normal: direction / length, size: apart / length, middles };
                }
                if other_way > best.size * length {
                    best = Gap { normal: direction / -length, size: other_way / length, middles };
                }
            }
        };
        let across = |[p, q, r]: &[Vector; 3]| (q - p).cross(&(r - p));
        consider(across(&a.arms));
        consider(across(&corners_b));
        consider(between);
        best
    }

    /// The direction square to a side of each triangle along which they are furthest apart, if there is one: where sides cross, they are
    /// apart along no other.
    pub fn widest_across_sides(&self, a: &TrianglePart, b: &TrianglePart, middles: Real) -> Option<Gap> {
        let corners_b = b.arms.map(|r| self.offset + self.relative * r);
        // Each side with its two heights along what is square to it: its own, and that of the corner across.
        let sides = |[p, q, r]: &[Vector; 3]| [(q - p, *p, *r), (r - q, *q, *p), (p - r, *r, *q)];
        let sides_b = sides(&corners_b);
        let mut widest = Across { direction: Vector::zeros(), gap: 0.0, squared: 1.0 };
        for (side_a, own_a, across_a) in sides(&a.arms) {
            for (side_b, own_b, across_b) in &sides_b {
                let direction = side_a.cross(side_b);
                let [p, q] = [own_a, across_a].map(|corner| direction.dot(&corner));
                let [u, v] = [own_b, across_b].map(|corner| direction.dot(corner));
                let (ahead, behind) = (u.min(v) - p.max(q), p.min(q) - u.max(v));
                let (gap, squared) = (ahead.max(behind), direction.norm_squared());
                if gap > 0.0 && gap * gap * widest.squared > widest.gap * widest.gap * squared {
                    widest = Across { direction: if ahead > behind { direction } else { -direction }, gap, squared };
                }
            }
        }
        let normal = widest.direction.try_normalize(0.0)?;
        // What is square to sides that are all but parallel is so only up to a rounding, which may tilt it by much.
        Some(Gap { normal, size: self.gap_along(&normal, a, b), middles })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bounds::tree::NodeCapsule;
    use crate::detection::toc::kinematics::PairMotion;
    use crate::math::{Point, Pose, Rotation};
    use crate::motion::RigidMotion;

    proptest! {
        #[test]
        fn gaps_between_triangles_are_as_wide_as_they_say_and_crossing_sides_find_theirs(
            corners in prop::array::uniform6(prop::array::uniform3(-1.0..1.0_f64)), gap in 1e-3..1.0_f64,
        ) {
            let still = RigidMotion::at_rest(Pose::identity());
            let motion = PairMotion::new(&still, &still, 0.0, 1.0);
            let front = Front::at(&motion, 0.0);
            let [a, b]: [[Point; 3]; 2] = [0, 3].map(|k| [0, 1, 2].map(|i| Point::from(corners[k + i])));
            // The second is moved until the first sides of both cross at this gap, and the rest lies beyond.
            let (side_a, side_b) = (a[1] - a[0], b[1] - b[0]);
            let Some(across) = side_a.cross(&side_b).try_normalize(1e-2) else { return Ok(()) };
            let beyond = |third: &Point, first: &Point| (third - first).dot(&across);
            prop_assume!(beyond(&a[2], &a[0]) < 0.0 && beyond(&b[2], &b[0]) > 0.0);
            let way = nalgebra::center(&a[0], &a[1]) + across * gap - nalgebra::center(&b[0], &b[1]);
            let (a, b) = (TrianglePart::new(&a, &motion.a), TrianglePart::new(&b.map(|p| p + way), &motion.b));
            let found = front.widest_of_triangles(&a, &b);
            prop_assert!((front.gap_along(&found.normal, &a, &b) - found.size).abs() < 1e-12);
            prop_assert!(found.size <= gap + 1e-12, "{} m along a direction, where they are {gap} m apart", found.size);
            let across_sides = front.widest_across_sides(&a, &b, 1.0).expect("they are apart");
            prop_assert!((across_sides.size - gap).abs() < 1e-9, "{} m, not {gap} m", across_sides.size);
        }

        #[test]
        fn capsules_are_as_far_apart_as_their_segments_less_their_radii(
            halves in prop::array::uniform2(prop::array::uniform3(-1.0..1.0_f64)),
            shares in prop::array::uniform2(-1.0..1.0_f64),
            turn in prop::array::uniform3(-3.0..3.0_f64),
            (radii, gap) in (prop::array::uniform2(0.0..1.0_f64), -1.0..1.0_f64),
        ) {
            let turned = Pose::from_parts(Vector::zeros().into(), Rotation::new(Vector::from(turn)));
            let motion = PairMotion::new(&RigidMotion::at_rest(Pose::identity()), &RigidMotion::at_rest(turned), 0.0, 1.0);
            let front = Front::at(&motion, 0.0);
            let [half_a, half_b] = halves.map(Vector::from);
            let placed = turned * half_b;
            let Some(across) = half_a.cross(&placed).try_normalize(1e-2) else { return Ok(()) };
            let far = gap + radii[0] + radii[1];
            prop_assume!(far > 1e-3);
            let middle = turned.inverse() * Point::from(half_a * shares[0] + across * far - placed * shares[1]);
            let a = NodeCapsule { middle: Point::origin(), half: half_a, radius: radii[0] };
            let b = NodeCapsule { middle, half: half_b, radius: radii[1] };
            let found = front.between_capsules(&CapsulePart::new(&a, &motion.a), &CapsulePart::new(&b, &motion.b));
            let found = found.expect("their segments are apart");
            prop_assert!((found.size - gap).abs() < 1e-9, "{} m, not {gap} m", found.size);
        }

        #[test]
        fn sides_that_are_all_but_parallel_claim_no_gap_that_is_none(
            corners in prop::array::uniform3(prop::array::uniform3(-1.0..1.0_f64)),
            turn in prop::array::uniform3(-1.0..1.0_f64),
            way in prop::array::uniform3(-1.0..1.0_f64),
            digits in 6..17_i32,
        ) {
            let still = RigidMotion::at_rest(Pose::identity());
            let motion = PairMotion::new(&still, &still, 0.0, 1.0);
            let front = Front::at(&motion, 0.0);
            let a = corners.map(Point::from);
            let turned = Pose::from_parts(Vector::from(way).into(), Rotation::new(Vector::from(turn) * 10.0_f64.powi(-digits)));
            let b = a.map(|p| turned * p);
            let (a, b) = (TrianglePart::new(&a, &motion.a), TrianglePart::new(&b, &motion.b));
            if let Some(found) = front.widest_across_sides(&a, &b, 1.0) {
                prop_assert!((found.normal.norm() - 1.0).abs() < 1e-12);
                let heights = |part: &TrianglePart| part.arms.map(|arm| found.normal.dot(&arm));
                let least = heights(&b).into_iter().fold(Real::INFINITY, Real::min);
                let most = heights(&a).into_iter().fold(Real::NEG_INFINITY, Real::max);
                prop_assert!((found.size - (least - most)).abs() < 1e-14, "{} m, not {} m", found.size, least - most);
            }
        }
    }
}
