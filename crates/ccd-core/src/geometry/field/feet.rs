//! The way from inside a convex solid to its surface.
//!
//! **Idea.** Straight on from the place along the normal of the surface point so far, the surface is met at the next one: where that is the same, the
//! way is upright on the surface there. Along a straight way out the tangents of a convex function are met beyond the surface, one nearer to it
//! than the other (Newton's method).

use super::{Field, SurfacePoint};
use crate::math::{Point, Real, Vector};

/// Surface points that are tried.
const FEET: usize = 60;
/// By how much the first way is another than the normal.
const ASIDE: [Real; 3] = [4.8e-4, 6.0e-4, 6.4e-4];
/// Tangents along a straight way; some five from near the surface.
const TANGENTS: usize = 80;

/// A point of the surface to within `fine` metres, upright over which a place inside is; `None` for solids without tangents.
///
/// From near the surface it is the nearest around. From where the surface bends about points that are nearer than the place [`FEET`] may end
/// short of that, by less than a thousandth of the way from halfway out on.
pub(super) fn by_feet(field: &dyn Field, place: &Point, fine: Real) -> Option<SurfacePoint> {
    // From a plane of symmetry, whose normals lead along it, to one side.
    let mut way = (field.tangent(place)?.normal + Vector::from(ASIDE)).try_normalize(0.0)?;
    let mut best: Option<(Real, SurfacePoint)> = None;
    for _ in 0..FEET {
        let (length, found) = straight_on(field, place, &way, fine)?;
        let bend = (found.normal - way).norm();
        if best.as_ref().is_none_or(|(least, _)| length < *least) {
            best = Some((length, found));
        } else if bend * length > fine {
            // Where the surface bends about a point nearer than the place, its normals lead to and fro.
            way = (way + found.normal).try_normalize(1e-6)?;
            continue;
        }
        if bend * length <= fine {
            break;
        }
        way = found.normal;
    }
    best.map(|(_, found)| found)
}

/// Where a straight way from inside leads out, and how far that is.
fn straight_on(field: &dyn Field, place: &Point, way: &Vector, fine: Real) -> Option<(Real, SurfacePoint)> {
    let mut length = 0.0;
    for _ in 0..TANGENTS {
        let point = place + way * length;
        let tangent = field.tangent(&point)?;
        let rise = tangent.normal.dot(way);
        let step = -tangent.value / rise;
        if !(rise > 0.0 && step.is_finite()) {
            return None;
        }
        length = (length + step).max(0.0);
        if step.abs() <= fine {
            let point = place + way * length;
            return Some((length, SurfacePoint { point, normal: field.tangent(&point)?.normal }));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::implicit::ImplicitSurface;
    use crate::geometry::field::{Implicit, Superquadric, nearest_surface};
    use crate::geometry::solid::Solid;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn from_inside_no_place_of_the_surface_around_the_one_found_is_nearer(
            radii in prop::array::uniform3(-2.0..0.3_f64), e in prop::array::uniform2(0.2..1.95_f64),
            d in prop::array::uniform3(-1.0..1.0_f64), share in 0.5..0.999_999_f64,
            others in prop::collection::vec((prop::array::uniform3(-1.0..1.0_f64), -6.0..-1.0_f64), 60),
        ) {
            let solid = Implicit::new(Superquadric::try_new(radii.map(|r| 10.0_f64.powf(r)), e).unwrap()).unwrap();
            let Some(d) = Vector::from(d).try_normalize(1e-2) else { return Ok(()) };
            let map = solid.surface().support_map().unwrap();
            // As far from the middle as to the surface, by a share.
            let place = Point::from(map.support(&d, 0).point.coords * share);
            let fine = 1e-11 * solid.local_aabb().half_extents().amax();
            let found = nearest_surface(&solid, &place, fine).unwrap();
            let distance = (place - found.point).norm();
            prop_assert!(solid.distance(&found.point).abs() <= 4.0 * fine && (found.normal.norm() - 1.0).abs() < 1e-9);
            for (other, off) in others {
                let point = map.support(&(found.normal + Vector::from(other) * 10.0_f64.powf(off)), 0).point;
                prop_assert!((place - point).norm() >= distance * (1.0 - 1e-3) - 10.0 * fine, "{point} is nearer than {distance} by {}", distance - (place - point).norm());
            }
        }
    }
}
