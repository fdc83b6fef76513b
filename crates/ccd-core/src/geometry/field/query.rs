//! The queries of [`Solid`] answered for any field.

use super::enclosure::{Enclosure, Facet, Region};
use super::project::nearest_surface;
use super::triangulate::triangulate;
use super::{Field, Sphere};
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::solid::{Segment, SegmentHit};
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Obb};

/// A box is divided this often before it is taken to meet the solid.
const OBB_DEPTH: u32 = 5;
/// Steps along a segment before it is taken to hit where it has come to.
const CAST_STEPS: usize = 4000;
/// The end of a cast, as a share of the coordinates.
const CAST_FINE: Real = 1e-13;

/// The sphere around a box, rounded up; of infinite radius for an unbounded one.
pub(super) fn sphere_of(aabb: &Aabb) -> Sphere {
    let radius = aabb.half_extents().norm() * (1.0 + 4.0 * Real::EPSILON);
    if radius.is_finite() {
        Sphere { centre: aabb.centre(), radius }
    } else {
        Sphere { centre: Point::origin(), radius: Real::INFINITY }
    }
}

/// The surface as triangles; for an unbounded solid the origin with an infinite error.
pub(super) fn features(field: &dyn Field, max_error: Real) -> FeatureSet {
    let aabb = field.local_aabb();
    if !aabb.half_extents().amax().is_finite() {
        return FeatureSet { vertices: vec![Point::origin()], error: Real::INFINITY, ..FeatureSet::default() };
    }
    triangulate(field, max_error)
}

/// Whether the box meets the solid: never `false` for one that does, and `true` for boxes whose distance from it is small
/// against their size.
pub(super) fn overlaps_obb(field: &dyn Field, obb: &Obb) -> bool {
    let around = obb.aabb();
    around.overlaps(&field.local_aabb()) && meets(field, obb, 0, &mut Enclosure::default())
}

fn meets(field: &dyn Field, obb: &Obb, depth: u32, scratch: &mut Enclosure) -> bool {
    let radius = obb.half_extents.norm();
    let distance = field.distance(&obb.centre);
    let rounding = 16.0 * Real::EPSILON * (obb.centre.coords.norm() + radius);
    if distance > radius + rounding {
        return false;
    }
    if field.contains(&obb.centre) {
        return true;
    }
    scratch.clear();
    field.enclose(&Sphere { centre: obb.centre, radius: radius + rounding }, Region::Solid, scratch);
    let beyond = |f: &Facet| f.value - obb.radius_along(&f.normal) > f.error + rounding;
    if scratch.alternatives().all(|facets| facets.iter().any(beyond)) {
        return false;
    }
    if depth == OBB_DEPTH {
        return true;
    }
    // The longest edge is halved; flat boxes stay few.
    let k = obb.half_extents.imax();
    let mut half_extents = obb.half_extents;
    half_extents[k] *= 0.5;
    let shift = obb.axes.column(k) * half_extents[k];
    [-1.0, 1.0].iter().any(|s| {
        let half = Obb { centre: obb.centre + shift * *s, half_extents, axes: obb.axes };
        meets(field, &half, depth + 1, scratch)
    })
}

/// Where the segment first comes to the solid: by steps that are certainly outside.
pub(super) fn cast_segment(field: &dyn Field, segment: &Segment) -> Option<SegmentHit> {
    let way = segment.end - segment.start;
    let length = way.norm();
    let fine = CAST_FINE * (segment.start.coords.norm() + segment.end.coords.norm()) + Real::MIN_POSITIVE;
    let hit = |along: Real| {
        let fraction = if length > 0.0 { (along / length).clamp(0.0, 1.0) } else { 0.0 };
        let point = segment.start + way * fraction;
        let back = || (-way).try_normalize(0.0).unwrap_or_else(Vector::y);
        let normal = nearest_surface(field, &point, fine).map_or_else(back, |s| s.normal);
        SegmentHit { fraction, point, normal, feature: Feature::Face(0) }
    };
    if field.contains(&segment.start) {
        return Some(hit(0.0));
    }
    if length == 0.0 {
        return None;
    }
    let direction = way / length;
    let mut along = 0.0;
    let mut radius = length;
    let mut scratch = Enclosure::default();
    for _ in 0..CAST_STEPS {
        let place = segment.start + direction * along;
        let distance = field.distance(&place);
        let least = Real::max(2.0 * distance, 4.0 * fine);
        radius = radius.max(least);
        scratch.clear();
        field.enclose(&Sphere { centre: place, radius }, Region::Solid, &mut scratch);
        let free = scratch.alternatives().map(|facets| entry(facets, &direction)).fold(radius, Real::min);
        let step = free.max(distance);
        if step <= fine {
            if radius <= 8.0 * fine {
                return Some(hit(along));
            }
            radius *= 0.25;
            continue;
        }
        along += step;
        if along > length {
            return None;
        }
        // Where a ball told nothing a smaller one may.
        radius = if free > 0.0 { 4.0 * step } else { 0.25 * radius };
    }
    Some(hit(along))
}

/// How far along `direction` the intersection of the facets certainly does not reach.
fn entry(facets: &[Facet], direction: &Vector) -> Real {
    let (mut enter, mut leave) = (0.0_f64, Real::INFINITY);
    for f in facets {
        let (height, rise) = (f.value - f.error, f.normal.dot(direction));
        if rise < 0.0 {
            enter = enter.max(-height / rise);
        } else if height > 0.0 {
            return Real::INFINITY;
        } else if rise > 0.0 {
            leave = leave.min(-height / rise);
        }
    }
    if enter > leave { Real::INFINITY } else { enter }
}

/// No point of a box with these half extents around the origin is further from the line through `centre` along the unit `axis`.
pub(super) fn box_reach(half_extents: &Vector, centre: &Point, axis: &Vector) -> Real {
    let distance = |i: u32| {
        let sign = |k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
        let corner = half_extents.component_mul(&Vector::new(sign(0), sign(1), sign(2)));
        (corner - centre.coords).cross(axis).norm()
    };
    (0..8).map(distance).fold(0.0, Real::max) * (1.0 + 8.0 * Real::EPSILON)
}
