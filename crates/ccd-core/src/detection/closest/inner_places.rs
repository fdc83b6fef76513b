//! Places inside two solids, which tell at once of most translations that they leave the two overlapping.

use crate::geometry::field::Field;
use crate::math::{Point, Pose, Real, Vector};
use crate::volume::Aabb;

/// Places that are kept in each solid.
const PLACES: usize = 48;
/// Places of its box that are looked at for these.
const LOOKS: u32 = 256;

/// Places all over two solids, inside them.
pub(super) struct InnerPlaces<'q> {
    /// Sheets have no inside.
    solids: [Option<&'q dyn Field>; 2],
    /// Each in its own frame.
    places: [Vec<Point>; 2],
}

impl<'q> InnerPlaces<'q> {
    pub fn new(solids: [Option<&'q dyn Field>; 2]) -> Self {
        Self { solids, places: solids.map(|solid| solid.map_or_else(Vec::new, places_in)) }
    }

    /// Whether a place of one is in the other, with B placed in A's frame by `pose`.
    ///
    /// Cost: a question whether a point is inside for each place.
    pub fn is_any_shared(&self, pose: &Pose) -> bool {
        let ([a, b], [in_a, in_b]) = (self.solids, &self.places);
        b.is_some_and(|b| in_a.iter().any(|place| b.contains(&pose.inverse_transform_point(place))))
            || a.is_some_and(|a| in_b.iter().any(|place| a.contains(&(pose * place))))
    }

    /// All of them, in A's frame.
    pub fn all(&self, pose: &Pose) -> impl Iterator<Item = Point> {
        let ([in_a, in_b], pose) = (&self.places, *pose);
        in_a.iter().copied().chain(in_b.iter().map(move |place| pose * place))
    }
}

fn places_in(field: &dyn Field) -> Vec<Point> {
    /// One over powers of the root of x⁴ = x + 1: sums of these fill a cube evenly (Roberts, 2018).
    const STEPS: [Real; 3] = [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_971_2];
    let Aabb { min, max } = field.local_aabb();
    let size = max - min;
    if !size.amax().is_finite() {
        return Vec::new();
    }
    let places = (1..=LOOKS).map(|k| {
        let share = Vector::from(STEPS.map(|step| (Real::from(k) * step).fract()));
        min + size.component_mul(&share)
    });
    places.filter(|place| field.contains(place)).take(PLACES).collect()
}
