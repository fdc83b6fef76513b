//! The parts of a combination of solids, seen in the frame of the whole.

use std::sync::Arc;

use super::enclosure::{Enclosure, Region};
use super::{Field, SurfacePoint};
use crate::math::{Point, Pose};
use crate::volume::{Aabb, Obb, Sphere};

/// A part with its place in the whole.
#[derive(Clone, Debug)]
pub struct CsgPart {
    /// In its own frame.
    pub solid: Arc<dyn Field>,
    /// From the part's frame to that of the whole.
    pub pose: Pose,
}

impl CsgPart {
    /// A part at `pose`.
    pub fn new(solid: Arc<dyn Field>, pose: Pose) -> Self {
        Self { solid, pose }
    }
}

/// A part, with what holds it.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub part: CsgPart,
    /// Of the part in the whole.
    pub aabb: Aabb,
}

impl Placed {
    /// The part's enclosure in the frame of the whole.
    pub fn enclose(&self, ball: &Sphere, within: Option<&Obb>, region: Region, out: &mut Enclosure) {
        if self.aabb.distance_to_point(&ball.centre) > ball.radius {
            if region == Region::Complement {
                out.push_everything();
            }
            return;
        }
        let start = out.facet_count();
        let rotation = self.part.pose.rotation;
        let centre = self.part.pose.inverse_transform_point(&ball.centre);
        let local = Sphere { centre, radius: ball.radius };
        match within {
            None => self.part.solid.enclose(&local, region, out),
            Some(within) => {
                let axes = rotation.to_rotation_matrix().into_inner().tr_mul(&within.axes);
                self.part.solid.enclose_within(&local, &Obb { centre, axes, ..*within }, region, out);
            }
        }
        out.for_each_facet_from(start, |facet| facet.normal = rotation * facet.normal);
    }

    /// [`Field::nearest_outside`] of the part, in the frame of the whole; `None` inside it, too.
    pub fn nearest_outside(&self, point: &Point) -> Option<SurfacePoint> {
        let CsgPart { solid, pose, .. } = &self.part;
        let local = pose.inverse_transform_point(point);
        let found = if solid.contains(&local) { None } else { solid.nearest_outside(&local) }?;
        Some(SurfacePoint { point: pose * found.point, normal: pose.rotation * found.normal })
    }

    /// [`Field::nearest_inside`] of the part, in the frame of the whole; `None` outside of it, too.
    pub fn nearest_inside(&self, point: &Point) -> Option<SurfacePoint> {
        let CsgPart { solid, pose, .. } = &self.part;
        let local = pose.inverse_transform_point(point);
        let found = if solid.contains(&local) { solid.nearest_inside(&local) } else { None }?;
        Some(SurfacePoint { point: pose * found.point, normal: pose.rotation * found.normal })
    }

    /// [`Placed::nearest_inside`] of what is left where the part is taken away.
    pub fn nearest_taken(&self, point: &Point) -> Option<SurfacePoint> {
        self.nearest_inside(point).map(turned)
    }
}

/// A place of the surface with the other side outward.
pub(super) fn turned(place: SurfacePoint) -> SurfacePoint {
    SurfacePoint { normal: -place.normal, ..place }
}
