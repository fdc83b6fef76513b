//! A point of each part that a solid falls into: of a part whose surface nothing crosses either all or nothing is inside something else.

use std::borrow::Cow;

use crate::geometry::field::nearest_surface;
use crate::math::{Point, Pose, Real};
use crate::shape::Shape;

/// How near to the surface of a field a place is that was looked for, as a share of its size.
const FINE: Real = 1e-9;

/// A point of each part of a solid, in its frame; of a field's pieces those that are known. An unbounded solid, which is inside of nothing, may have none.
pub(crate) fn part_places(shape: &Shape) -> Cow<'_, [Point]> {
    match shape {
        Shape::Mesh(mesh) => Cow::Borrowed(mesh.part_places()),
        Shape::Patches(surface) => Cow::Borrowed(surface.part_places()),
        other => Cow::Owned(other.as_convex().map_or_else(|| places_of_field(other), |c| vec![c.interior_point()])),
    }
}

/// Whether a closed mesh or surface of patches holds another solid, or a part of it, whose surface it does not cross; never of what is neither.
pub(crate) fn holds_a_part(holder: &Shape, other: &Shape, other_in_holder: &Pose) -> bool {
    let contains: &dyn Fn(&Point) -> bool = match holder {
        Shape::Mesh(mesh) if mesh.is_closed() => &|place| mesh.contains(place),
        Shape::Patches(surface) if surface.surface().is_closed() => &|place| surface.surface().contains(place),
        _ => return false,
    };
    let [around, inner] = [holder, other].map(|shape| shape.as_solid().local_aabb());
    around.overlaps(&inner.transformed(other_in_holder))
        && part_places(other).iter().any(|place| contains(&(other_in_holder * place)))
}

fn places_of_field(shape: &Shape) -> Vec<Point> {
    let Some(field) = shape.as_field() else { return Vec::new() };
    let known = field.part_places();
    if !known.is_empty() {
        return known;
    }
    let aabb = field.local_aabb();
    let size = aabb.half_extents().norm();
    let found = size.is_finite().then(|| nearest_surface(field, &aabb.centre(), FINE * size)).flatten();
    found.map(|found| found.point).into_iter().collect()
}
