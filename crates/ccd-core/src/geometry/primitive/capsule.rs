//! The capsule: a segment with a rounding radius.

use super::ball::{direction_or_up, enter_ball};
use super::error::{MAX_SIZE, ShapeError, positive};
use super::revolution::{distance_from_axis, enter_tube};
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::field::Field;
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// All points within `radius` of the segment of half length `half_height` along y. `Vertex(0)` is the lower cap,
/// `Vertex(1)` the upper one, `Edge(0)` the straight part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    radius: Real,
    half_height: Real,
}

impl Capsule {
    /// The capsule of `radius` whose straight part is `2 half_height` long, metres. A half height of zero is allowed.
    ///
    /// # Errors
    /// [`ShapeError`] unless the radius is positive, the half height not negative, and both in range.
    pub fn try_new(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        let (kind, parameter) = ("capsule", "half height");
        let radius = positive(kind, "radius", radius)?;
        if !half_height.is_finite() {
            return Err(ShapeError::NonFinite { kind, parameter, value: half_height });
        }
        if half_height < 0.0 {
            return Err(ShapeError::NonPositive { kind, parameter, value: half_height });
        }
        if half_height > MAX_SIZE {
            return Err(ShapeError::OutOfRange { kind, parameter, value: half_height });
        }
        Ok(Self { radius, half_height })
    }

    /// The radius, metres.
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Half the length of the straight part, metres.
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    /// The ends of the core segment, the lower one first.
    pub fn ends(&self) -> [Point; 2] {
        [Point::new(0.0, -self.half_height, 0.0), Point::new(0.0, self.half_height, 0.0)]
    }
}

/// The distance between the box around the origin with `half_extents` and the segment, metres.
///
/// Its square is a convex, piecewise quadratic function of the place on the segment; the pieces end where a coordinate
/// passes a face of the box, and on the piece in which the slope changes sign the minimum is exact.
fn distance_to_centred_box(from: &Vector, to: &Vector, half_extents: &Vector) -> Real {
    let d = to - from;
    let outside = |t: Real| (from + d * t).zip_map(half_extents, |p, h| p - p.clamp(-h, h));
    let slope = |t: Real| outside(t).dot(&d);
    let mut cuts = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for k in 0..3 {
        if d[k] != 0.0 {
            cuts[2 + 2 * k] = ((-half_extents[k] - from[k]) / d[k]).clamp(0.0, 1.0);
            cuts[3 + 2 * k] = ((half_extents[k] - from[k]) / d[k]).clamp(0.0, 1.0);
        }
    }
    cuts.sort_by(Real::total_cmp);
    let mut best = outside(0.0).norm().min(outside(1.0).norm());
    for pair in cuts.windows(2) {
        let (s0, s1) = (slope(pair[0]), slope(pair[1]));
        if s0 <= 0.0 && s1 >= 0.0 {
            // The slope is linear between the cuts.
            let t = if s1 > s0 { pair[0] + (pair[1] - pair[0]) * (-s0 / (s1 - s0)) } else { pair[0] };
            best = best.min(outside(t).norm());
        }
    }
    best
}

impl Solid for Capsule {
    fn kind(&self) -> &'static str {
        "capsule"
    }

    fn local_aabb(&self) -> Aabb {
        let r = self.radius;
        Aabb::from_half_extents(Point::origin(), Vector::new(r, self.half_height + r, r))
    }

    fn bounding_sphere(&self) -> Sphere {
        Sphere { centre: Point::origin(), radius: self.half_height + self.radius }
    }

    fn features(&self, _max_error: Real) -> FeatureSet {
        FeatureSet { vertices: self.ends().to_vec(), edges: vec![[0, 1]], radius: self.radius, ..FeatureSet::default() }
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        let [from, to] = self.ends().map(|p| obb.axes.tr_mul(&(p - obb.centre)));
        let rounding = 8.0 * Real::EPSILON * (from.norm() + to.norm() + obb.half_extents.norm());
        distance_to_centred_box(&from, &to, &obb.half_extents) <= self.radius + rounding
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let d = segment.end - segment.start;
        let at = |fraction: Real| segment.start + d * fraction;
        let [low, high] = self.ends();
        let side = enter_tube(segment, self.radius).map(|t| (t, 2)).filter(|(t, _)| at(*t).y.abs() <= self.half_height);
        let caps = [enter_ball(segment, &low, self.radius), enter_ball(segment, &high, self.radius)];
        let mut best = side;
        for (cap, fraction) in caps.into_iter().enumerate() {
            if let Some(t) = fraction
                && best.is_none_or(|(b, _)| t < b)
            {
                best = Some((t, cap as u32));
            }
        }
        let (fraction, _) = best?;
        let point = at(fraction);
        let core = Point::new(0.0, point.y.clamp(-self.half_height, self.half_height), 0.0);
        let normal = (point - core).try_normalize(0.0).unwrap_or_else(|| {
            // On the axis every side is as near as the next.
            if core.y.abs() < self.half_height { Vector::x() } else { direction_or_up(&core.coords) }
        });
        let feature = if point.y < -self.half_height {
            Feature::Vertex(0)
        } else if point.y > self.half_height {
            Feature::Vertex(1)
        } else {
            Feature::Edge(0)
        };
        Some(SegmentHit { fraction, point, normal, feature })
    }

    fn support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }

    fn field(&self) -> Option<&dyn Field> {
        Some(self)
    }
}

impl SupportMap for Capsule {
    #[inline]
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let point = Point::new(0.0, self.half_height.copysign(direction.y), 0.0);
        SupportPoint { point, vertex: u32::from(direction.y.is_sign_positive()) }
    }

    #[inline]
    fn radius(&self) -> Real {
        self.radius
    }

    fn interior_point(&self) -> Point {
        Point::origin()
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        match vertices {
            [first, rest @ ..] if rest.iter().all(|v| v == first) => Feature::Vertex((*first).min(1)),
            _ => Feature::Edge(0),
        }
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        let [low, high] = self.ends().map(|p| distance_from_axis(&p, centre, axis));
        low.max(high) + self.radius
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        // The straight part faces the directions that lean less than 45° to the axis' normal plane.
        let [low, high] = self.ends();
        if 2.0 * direction.y * direction.y <= direction.norm_squared() {
            polygon.extend([low, high]);
            Feature::Edge(0)
        } else if direction.y < 0.0 {
            polygon.push(low);
            Feature::Vertex(0)
        } else {
            polygon.push(high);
            Feature::Vertex(1)
        }
    }
}
