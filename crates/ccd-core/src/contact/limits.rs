//! What counts as a contact, and when two are one.

use crate::math::Real;

/// Contacts whose places are no further apart than this, in snap distances, are the same.
pub(super) const SAME_PLACE: Real = 4.0;

/// What counts as a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The largest separation, metres.
    pub(super) margin: Real,
    /// The smallest separation (negative: inside), metres; deeper pairs are not each other's counterparts.
    pub(super) deepest: Real,
    /// How far beside a face a corner still counts as over it, metres: far less than what is visible, more than
    /// rounding, so that bodies whose outlines coincide do not change their contacts with every rounding.
    pub(super) snap: Real,
}

impl Limits {
    /// How deep the dents of a mesh may be that is searched as its hull, metres: places that near are the same.
    #[inline]
    pub(super) fn dent(&self) -> Real {
        SAME_PLACE * self.snap
    }

    /// How far apart, metres, the places of a contact can be at most: they lie this near beside each other.
    #[inline]
    pub(super) fn reach(&self) -> Real {
        self.margin + self.snap
    }
}
