//! Solids that are not convex, first as convex solids that hold them.
//!
//! **Problem.** The corners of a quad that were rounded are in no plane. Cut along the wrong diagonal it is a dent of a hair's depth, and
//! the mesh is not convex. A torus on a table is nowhere convex in its hole, and not a point of that comes near the table.
//! **Idea.** Hulls are apart longer than they take to ask, and hold what is dented. The solids themselves are asked only from
//! where hulls no longer tell; a place where hulls touch that is on the solids' surfaces, or over a dent by less than the tolerance, is
//! where these touch.
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
        // Hulls have no triangles.
        let of_hulls = Query { among: None, ..*self }.take(hulls)?;
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

    /// The contact of two hulls that are apart as one of the solids in them, if it is on their surfaces.
    fn on_surfaces(&self, contact: FirstContact) -> Option<FirstContact> {
        if contact.separation <= 0.0 {
            return None;
        }
        let point_a = self.on_surface(&self.a, contact.point_a, contact.time)?;
        let point_b = self.on_surface(&self.b, contact.point_b, contact.time)?;
        let separation = contact.normal.dot(&(point_b - point_a));
        let is_near = separation > 0.0 && (point_b - point_a).norm() <= self.options.tolerance;
        is_near.then_some(FirstContact { point_a, point_b, separation, ..contact })
    }

    /// The place of the surface at a place of its hull; only a field's and that of a mesh with dents is another.
    fn on_surface(&self, of: &Moving<'_, Shape>, place: Point, time: Real) -> Option<Point> {
        let pose = of.motion.pose_at(time);
        let local = || pose.inverse_transform_point(&place);
        match of.solid {
            Shape::Mesh(mesh) if mesh.hull_of_dented(self.options.tolerance).is_some() => {
                Some(pose * mesh.closest_point(&local(), self.options.tolerance)?.point)
            }
            shape if needs_cells(shape) => {
                let reach = ON_SURFACE * self.options.tolerance;
                let point = pose * nearest_surface(shape.as_field()?, &local(), 0.1 * reach)?.point;
                ((point - place).norm() <= reach).then_some(point)
            }
            _ => Some(place),
        }
    }
}
