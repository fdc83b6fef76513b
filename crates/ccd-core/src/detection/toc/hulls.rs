//! Meshes that rounding has dented, first as the convex solids that they all but are.
//!
//! **Problem.** The corners of a quad that were rounded are in no plane. Cut along the wrong diagonal it is a dent of a hair's depth, and
//! the mesh is not convex. **Idea.** Hulls are apart longer than they take to ask, and hold what is dented. Triangles are asked only from
//! where hulls no longer tell. **Guarantee.** That of the search among triangles: whatever is found was found there.

use super::front::Query;
use super::{Answered, Toc, TocError, TocOptions};
use crate::detection::dispatch::{Route, route};
use crate::motion::TimeInterval;

impl Query<'_> {
    /// The answer for solids whose hulls are apart for some time by the way of `hulls`.
    pub(super) fn after_hulls(&self, hulls: Route<'_>) -> Result<Answered<Toc>, TocError> {
        let of_hulls = self.take(hulls)?;
        let apart_until = match of_hulls.answer {
            Toc::Separated => return Ok(of_hulls),
            Toc::Contact(contact) => contact.time,
            Toc::Undecided { safe_until } => safe_until,
            Toc::Overlapping(_) => self.interval.start(),
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
}
