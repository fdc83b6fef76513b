//! One contact.

use crate::detection::closest::Closest;
use crate::detection::toc::FirstContact;
use crate::geometry::feature::FeaturePair;
use crate::math::{Point, Pose, Real, Vector};

/// One contact between side A and side B, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The point of A's surface.
    pub point_a: Point,
    /// The point of B's surface.
    pub point_b: Point,
    /// Unit, from A to B.
    pub normal: Vector,
    /// The signed distance along the normal, metres; negative inside.
    pub separation: Real,
    /// The features that touch; together with the pair of bodies, the contact's identity over time.
    pub features: FeaturePair,
}

impl ContactPoint {
    /// The place halfway between the two surfaces.
    pub fn midpoint(&self) -> Point {
        nalgebra::center(&self.point_a, &self.point_b)
    }

    /// The same contact with the sides exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            separation: self.separation,
            features: FeaturePair { a: self.features.b, b: self.features.a },
        }
    }

    /// The same contact in the frame that `pose` leads to from the one that it is in.
    #[must_use]
    pub(super) fn placed(&self, pose: &Pose) -> Self {
        Self {
            point_a: pose * self.point_a,
            point_b: pose * self.point_b,
            normal: pose.rotation * self.normal,
            ..*self
        }
    }
}

impl From<Closest> for ContactPoint {
    fn from(found: Closest) -> Self {
        let Closest { distance: separation, point_a, point_b, normal, features, .. } = found;
        Self { point_a, point_b, normal, separation, features }
    }
}

/// Where the two meet, without the time.
impl From<&FirstContact> for ContactPoint {
    fn from(contact: &FirstContact) -> Self {
        let &FirstContact { point_a, point_b, normal, separation, features, .. } = contact;
        Self { point_a, point_b, normal, separation, features }
    }
}
