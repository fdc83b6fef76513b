//! Whether solids share volume whose surfaces touch but nowhere cross.
//!
//! **Problem.** Solids that stand along each other's axes may lie deep in each other although no triangle of one passes through the other:
//! their faces are flush and their edges lie in faces. To within rounding that looks like two solids that stand side by side.
//! **Idea.** Convex solids tell by how deep they are in each other. Of others a triangle that touches goes on inside the other, or a place right beside
//! one where they touch is in both.
//! **Guarantee.** What is found to share volume does. Of solids that are not convex, corners sharper than fifteen degrees that are in each other
//! may be missed, and what they share where it is thinner than a thousand-millionth of the smaller one.
//! **Cost.** A depth query of convex solids; else up to 150 questions whether a point is inside for each place of touch.

use super::gjk::Separation;
use super::penetration::penetration;
use super::way_out::spiral;
use crate::bounds::IndexedMesh;
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real};
use crate::volume::Aabb;

/// Places of touch that are looked at.
const MOST: usize = 16;
/// Directions from each.
const AROUND: usize = 48;
/// How far beside them places are, as shares of the smaller solid's size …
const BESIDE: [Real; 3] = [1e-3, 1e-6, 1e-9];
/// … and how deep in both they have to be, as a share of that.
const INSIDE: Real = 1e-2;
/// What is not further from touching than this is, as a share of the numbers it is told from: some dozens of roundings.
const ROUNDING: Real = 48.0 * Real::EPSILON;

/// What touches a mesh.
#[derive(Clone, Copy)]
pub(super) enum Other<'s> {
    Mesh(&'s IndexedMesh),
    Convex(&'s dyn SupportMap),
}

/// A place where a triangle of a mesh touches the other solid.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    /// In the mesh's frame.
    pub point: Point,
    pub face: u32,
    /// The other mesh's.
    pub other_face: u32,
}

/// What a look at the triangles that touch has seen.
#[derive(Default)]
pub(super) struct Touches {
    pub places: Vec<Touch>,
    /// Whether any of them cross, or touch exactly.
    pub cross: bool,
}

impl Touches {
    /// Remembers the triangles if they touch; the limit of the look from then on, or `None` where one was found that crosses.
    pub fn see(&mut self, face: u32, other_face: u32, found: &Separation, radius: Real, limit: Real) -> Option<Real> {
        let distance = found.distance - radius;
        self.cross |= found.overlapping || distance < Real::MIN_POSITIVE;
        if distance <= limit && self.places.len() < MOST {
            self.places.push(Touch { point: Point::from(found.point_a), face, other_face });
        }
        (!self.cross).then_some(limit)
    }
}

/// What two solids in these boxes are no further apart than where they touch, metres; the second is placed so in the frame of the first.
pub(super) fn rounding(boxes: [&Aabb; 2], pose: &Pose) -> Real {
    let reach = |aabb: &Aabb| aabb.min.coords.amax().max(aabb.max.coords.amax());
    ROUNDING * (reach(boxes[0]) + reach(boxes[1]) + pose.translation.vector.amax())
}

/// A mesh (A) and what may touch it.
pub(super) struct Flush<'s> {
    mesh: &'s IndexedMesh,
    other: Other<'s>,
    pose: &'s Pose,
    /// The smaller one's, metres.
    size: Real,
    /// What is no further apart than this touches, metres.
    pub rounding: Real,
}

impl<'s> Flush<'s> {
    /// `within`: the other's box in its own frame.
    pub fn new(mesh: &'s IndexedMesh, other: Other<'s>, within: &Aabb, pose: &'s Pose) -> Self {
        let own = mesh.aabb();
        let rounding = rounding([&own, within], pose);
        let size = own.half_extents().norm().min(within.half_extents().norm());
        Self { mesh, other, pose, size, rounding }
    }

    /// Whether the two, which touch there, share volume.
    pub fn share_volume(&self, touches: &[Touch]) -> bool {
        let hull = match self.other {
            Other::Mesh(other) => other.as_convex(),
            Other::Convex(convex) => Some(convex),
        };
        if let (false, Some(a), Some(b)) = (touches.is_empty(), self.mesh.as_convex(), hull) {
            return penetration(a, b, self.pose).is_some_and(|p| p.depth > 2.0 * self.rounding);
        }
        let solid = self.are_solid() == [true, true];
        touches.iter().any(|touch| self.goes_on_inside(touch))
            || solid && distinct(touches, self.rounding).iter().any(|place| self.share_volume_around(place))
    }

    /// Whether a part of one is inside the other, one place of each looked at, further than rounding from the surface.
    pub fn has_part_inside(&self) -> bool {
        let Other::Mesh(other) = self.other else { return false };
        other.part_places().iter().any(|p| is_inside_mesh(self.mesh, &(self.pose * p), self.rounding))
            || self.mesh.part_places().iter().any(|p| self.is_in_other(p, self.rounding))
    }

    /// Which of the two bound something.
    fn are_solid(&self) -> [bool; 2] {
        [self.mesh.is_closed(), !matches!(self.other, Other::Mesh(other) if !other.is_closed())]
    }

    /// Whether a triangle that touches is inside the other solid further on.
    fn goes_on_inside(&self, touch: &Touch) -> bool {
        let along = |corners: [Point; 3]| {
            let middle = Point::from((corners[0].coords + corners[1].coords + corners[2].coords) / 3.0);
            BESIDE.iter().chain(&[1.0]).map(move |share| touch.point + (middle - touch.point) * *share)
        };
        let margin = 2.0 * self.rounding;
        let [is_solid, is_other_solid] = self.are_solid();
        is_other_solid && along(self.mesh.triangle(touch.face)).any(|place| self.is_in_other(&place, margin))
            || matches!(self.other, Other::Mesh(other) if is_solid
                && along(other.triangle(touch.other_face).map(|p| self.pose * p))
                    .any(|place| is_inside_mesh(self.mesh, &place, margin)))
    }

    /// Whether a place right beside this one is inside both solids.
    fn share_volume_around(&self, around: &Point) -> bool {
        BESIDE.iter().any(|share| {
            let (length, margin) = (share * self.size, INSIDE * share * self.size);
            (0..AROUND)
                .map(|k| around + spiral(k, AROUND) * length)
                .any(|place| is_inside_mesh(self.mesh, &place, margin) && self.is_in_other(&place, margin))
        })
    }

    fn is_in_other(&self, place: &Point, margin: Real) -> bool {
        match self.other {
            Other::Mesh(other) => is_inside_mesh(other, &self.pose.inverse_transform_point(place), margin),
            Other::Convex(convex) => {
                penetration(&Triangle::new([*place; 3]), convex, self.pose).is_some_and(|p| p.depth > margin)
            }
        }
    }
}

/// The places of touch, each once where several are within `rounding` metres.
fn distinct(touches: &[Touch], rounding: Real) -> Vec<Point> {
    let mut places: Vec<Point> = Vec::new();
    for touch in touches {
        if places.iter().all(|place| (place - touch.point).amax() > rounding) {
            places.push(touch.point);
        }
    }
    places
}

/// Whether a place is inside, further than `margin` from the surface.
fn is_inside_mesh(mesh: &IndexedMesh, place: &Point, margin: Real) -> bool {
    mesh.contains(place) && mesh.closest_point(place, margin).is_none()
}
