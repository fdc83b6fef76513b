//! Places inside two solids, which tell at once of most translations that they leave the two overlapping.

use crate::geometry::field::{Field, places_within};
use crate::math::{Point, Pose};
use crate::volume::Aabb;

/// What tells of a place whether it is inside.
pub(super) trait Inside {
    /// Around it, in its frame.
    fn aabb(&self) -> Aabb;
    /// Whether a place of its frame is in it.
    fn contains(&self, place: &Point) -> bool;

    /// Places all over it.
    fn places(&self) -> Vec<Point> {
        places_within(&self.aabb(), |place| self.contains(place))
    }
}

impl Inside for &dyn Field {
    fn aabb(&self) -> Aabb {
        self.local_aabb()
    }

    fn contains(&self, place: &Point) -> bool {
        (**self).contains(place)
    }

    fn places(&self) -> Vec<Point> {
        match self.inner_places() {
            [] => places_within(&self.local_aabb(), |place| (**self).contains(place)),
            known => known.to_vec(),
        }
    }
}

/// Places all over two solids, inside them.
pub(super) struct InnerPlaces<S> {
    /// Sheets have no inside.
    solids: [Option<S>; 2],
    /// Each in its own frame.
    places: [Vec<Point>; 2],
}

impl<S: Inside> InnerPlaces<S> {
    pub fn new(solids: [Option<S>; 2]) -> Self {
        let places = solids.each_ref().map(|solid| solid.as_ref().map_or_else(Vec::new, S::places));
        Self { solids, places }
    }

    /// Whether a place of one is in the other, with B placed in A's frame by `pose`.
    ///
    /// Cost: a question whether a point is inside for each place.
    pub fn is_any_shared(&self, pose: &Pose) -> bool {
        let ([a, b], [in_a, in_b]) = (&self.solids, &self.places);
        b.as_ref().is_some_and(|b| in_a.iter().any(|place| b.contains(&pose.inverse_transform_point(place))))
            || a.as_ref().is_some_and(|a| in_b.iter().any(|place| a.contains(&(pose * place))))
    }

    /// All of them, in A's frame.
    pub fn all(&self, pose: &Pose) -> impl Iterator<Item = Point> {
        let ([in_a, in_b], pose) = (&self.places, *pose);
        in_a.iter().copied().chain(in_b.iter().map(move |place| pose * place))
    }
}
