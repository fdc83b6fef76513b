//! A point of a field's solid, wherever that is in its box.

use std::collections::VecDeque;

use super::{Enclosure, Field, Region, Sphere};
use crate::math::{Point, Vector};

/// Boxes that are looked at: enough for shells of a hundredth of their size.
const MOST_BOXES: usize = 1 << 15;

/// The middle of the largest box, of the solid's own and the eighths of eighths of it, that is in the solid; `None` for unbounded solids and
/// where there is none among those looked at. Cost: an enclosure for each box, most of which are where the surface is.
pub(super) fn point_within(field: &dyn Field) -> Option<Point> {
    let aabb = field.local_aabb();
    if !aabb.half_extents().amax().is_finite() {
        return None;
    }
    let mut waiting = VecDeque::from([(aabb.centre(), aabb.half_extents())]);
    let mut enclosure = Enclosure::default();
    for _ in 0..MOST_BOXES {
        let (centre, half) = waiting.pop_front()?;
        if field.contains(&centre) {
            return Some(centre);
        }
        let radius = half.norm();
        enclosure.clear();
        if field.distance(&centre) <= radius {
            field.enclose(&Sphere { centre, radius }, Region::Solid, &mut enclosure);
        }
        if !enclosure.is_empty() {
            let eighth = |k: usize| Vector::from_fn(|axis, _| half[axis] * if k >> axis & 1 == 0 { -0.5 } else { 0.5 });
            waiting.extend((0..8).map(|k| (centre + eighth(k), half * 0.5)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot build its scene has failed")]

    use std::sync::Arc;

    use super::*;
    use crate::geometry::field::{Csg, CsgPart, Operation};
    use crate::geometry::primitive::{Ball, Cylinder, HalfSpace};
    use crate::math::{Pose, Real};

    fn part(solid: impl Field + 'static) -> CsgPart {
        CsgPart::new(Arc::new(solid), Pose::identity())
    }

    fn cylinder(radius: Real, half_height: Real) -> CsgPart {
        part(Cylinder::try_new(radius, half_height).unwrap())
    }

    #[test]
    fn a_point_is_found_of_rings_and_thin_shells_whose_middles_are_empty() {
        let ring = Csg::new(Operation::Difference, vec![cylinder(0.3, 0.05), cylinder(0.25, 0.2)]).unwrap();
        assert!(ring.contains(&point_within(&ring).unwrap()));
        let balls = [1.0, 0.99].map(|radius| part(Ball::try_new(radius).unwrap()));
        let shell = Csg::new(Operation::Difference, balls.to_vec()).unwrap();
        assert!(shell.contains(&point_within(&shell).unwrap()));
        assert_eq!(shell.some_point(), point_within(&shell));
    }

    #[test]
    fn none_is_found_of_what_has_none_or_no_end() {
        let nothing = Csg::new(Operation::Difference, vec![cylinder(0.3, 0.05), cylinder(0.4, 0.2)]).unwrap();
        assert_eq!(point_within(&nothing), None);
        assert_eq!(point_within(&HalfSpace::try_new(Vector::y()).unwrap()), None);
    }
}
