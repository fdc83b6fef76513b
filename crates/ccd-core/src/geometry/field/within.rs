//! Points of a field's solid, wherever that is in its box.

use std::collections::VecDeque;

use super::{Enclosure, Field, Region, Sphere};
use crate::math::{Point, Real, Vector};
use crate::volume::Aabb;

/// Places that are kept of a solid.
const PLACES: usize = 48;
/// Places of its box that are looked at for these.
const LOOKS: u32 = 256;

/// Boxes that are looked at: enough for shells of a hundredth of their size.
const MOST_BOXES: usize = 1 << 15;

/// Places all over a box that are in a solid: up to 48 of 256 that are looked at; of a box without end none.
pub(crate) fn places_within(aabb: &Aabb, contains: impl Fn(&Point) -> bool) -> Vec<Point> {
    /// One over powers of the root of x⁴ = x + 1: sums of these fill a cube evenly (Roberts, 2018).
    const STEPS: [Real; 3] = [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_971_2];
    let size = aabb.max - aabb.min;
    if !size.amax().is_finite() {
        return Vec::new();
    }
    let places = (1..=LOOKS).map(|k| {
        let share = Vector::from(STEPS.map(|step| (Real::from(k) * step).fract()));
        aabb.min + size.component_mul(&share)
    });
    places.filter(|place| contains(place)).take(PLACES).collect()
}

/// What a search for a point of a solid found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Within {
    /// This one.
    Point(Point),
    /// That there is none.
    Nothing,
    /// Neither, of what is unbounded or thin.
    Unknown,
}

/// The middle of the largest box, of the solid's own and the eighths of eighths of it, that is in the solid. Cost: an enclosure for each box, most
/// of which are where the surface is.
pub(super) fn point_within(field: &dyn Field) -> Within {
    let aabb = field.local_aabb();
    if !aabb.half_extents().amax().is_finite() {
        return Within::Unknown;
    }
    let mut waiting = VecDeque::from([(aabb.centre(), aabb.half_extents())]);
    let mut enclosure = Enclosure::default();
    for _ in 0..MOST_BOXES {
        let Some((centre, half)) = waiting.pop_front() else { return Within::Nothing };
        if field.contains(&centre) {
            return Within::Point(centre);
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
    Within::Unknown
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
        assert!(ring.some_point().is_some_and(|point| ring.contains(&point)) && !ring.has_no_point());
        let balls = [1.0, 0.99].map(|radius| part(Ball::try_new(radius).unwrap()));
        let shell = Csg::new(Operation::Difference, balls.to_vec()).unwrap();
        assert!(shell.some_point().is_some_and(|point| shell.contains(&point)) && !shell.has_no_point());
        assert_eq!(point_within(&shell), Within::Point(shell.some_point().unwrap()));
    }

    #[test]
    fn what_has_no_point_is_known_to_have_none_and_of_what_has_no_end_nothing_is() {
        let nothing = Csg::new(Operation::Difference, vec![cylinder(0.3, 0.05), cylinder(0.4, 0.2)]).unwrap();
        assert!(nothing.some_point().is_none() && nothing.has_no_point());
        let aside = |x: Real| CsgPart::new(Arc::new(Ball::try_new(0.3).unwrap()), Pose::translation(x, x, x));
        let nothing = Csg::new(Operation::Intersection, vec![aside(0.0), aside(0.4)]).unwrap();
        assert!(nothing.some_point().is_none() && nothing.has_no_point());
        assert_eq!(point_within(&HalfSpace::try_new(Vector::y()).unwrap()), Within::Unknown);
    }
}
