//! Solids that are not convex, first as convex solids that hold them.
//!
//! **Problem.** The corners of a quad that were rounded are in no plane. Cut along the wrong diagonal it is a dent of a hair's depth, and
//! the mesh is not convex. A torus on a table is nowhere convex in its hole, and not a point of that comes near the table.
//! **Idea.** Hulls are apart longer than they take to ask, and hold what is dented. The solids themselves are asked only from
//! where hulls no longer tell; a place where the hulls of fields touch that is on the solids' surfaces is where these touch.
//! **Guarantee.** That of the search among triangles or cells: nothing touches before the hulls do, and whatever is found is on the surfaces.

use super::front::Query;
use super::{Answered, FirstContact, Moving, Toc, TocError, TocOptions};
use crate::detection::dispatch::{Route, needs_cells, route};
use crate::geometry::field::nearest_surface;
use crate::math::{Point, Real};
use crate::motion::TimeInterval;
use crate::shape::Shape;

/// A place of a hull that is as near to the solid's surface as this share of the tolerance is a place of the surface.
const ON_SURFACE: Real = 1e-3;

impl Query<'_> {
    /// The answer for solids whose hulls are apart for some time by the way of `hulls`.
    pub(super) fn after_hulls(&self, hulls: Route<'_>) -> Result<Answered<Toc>, TocError> {
        let of_hulls = self.take(hulls)?;
        let apart_until = match of_hulls.answer {
            Toc::Separated => return Ok(of_hulls),
            Toc::Contact(contact) => {
                if let Some(contact) = self.on_surfaces(contact) {
                    return Ok(Answered { answer: Toc::Contact(contact), ..of_hulls });
                }
                contact.time
            }
            Toc::Undecided { safe_until } => safe_until,
            Toc::Overlapping(contact) => {
                if let Some(contact) = self.on_surfaces(contact) {
                    return Ok(Answered { answer: Toc::Overlapping(contact), ..of_hulls });
                }
                self.interval.start()
            }
        };
        let exact = route(self.a.solid, self.b.solid, self.options.method);
        let mut found = match TimeInterval::new(apart_until, self.interval.end()) {
            Ok(interval) if apart_until > self.interval.start() => {
                let options = TocOptions { starts_apart: true, ..*self.options };
                let found = Query { interval, options: &options, ..*self }.take(exact)?;
                // They have come there from further apart.
                let met = |answer| if let Toc::Overlapping(contact) = answer { Toc::Contact(contact) } else { answer };
                Answered { answer: met(found.answer), ..found }
            }
            _ => self.take(exact)?,
        };
        found.stats += of_hulls.stats;
        Ok(found)
    }

    /// The contact of two hulls that are apart as one of the solids in them, of which one is a field, if it is on their surfaces.
    fn on_surfaces(&self, contact: FirstContact) -> Option<FirstContact> {
        let (a, b) = (self.a.solid, self.b.solid);
        let is_dented = |shape: &Shape| match shape {
            Shape::Mesh(mesh) => mesh.as_convex().is_none() && mesh.hull_within(self.options.tolerance).is_some(),
            _ => false,
        };
        if contact.separation <= 0.0 || !(needs_cells(a) || needs_cells(b)) || is_dented(a) || is_dented(b) {
            return None;
        }
        let point_a = self.on_surface(&self.a, contact.point_a, contact.time)?;
        let point_b = self.on_surface(&self.b, contact.point_b, contact.time)?;
        let separation = contact.normal.dot(&(point_b - point_a));
        let is_near = separation > 0.0 && (point_b - point_a).norm() <= self.options.tolerance;
        is_near.then_some(FirstContact { point_a, point_b, separation, ..contact })
    }

    /// The place of the surface at a place of its hull; only a field's is another.
    fn on_surface(&self, of: &Moving<'_, Shape>, place: Point, time: Real) -> Option<Point> {
        if !needs_cells(of.solid) {
            return Some(place);
        }
        let reach = ON_SURFACE * self.options.tolerance;
        let pose = of.motion.pose_at(time);
        let found = nearest_surface(of.solid.as_field()?, &pose.inverse_transform_point(&place), 0.1 * reach)?;
        let point = pose * found.point;
        ((point - place).norm() <= reach).then_some(point)
    }
}
