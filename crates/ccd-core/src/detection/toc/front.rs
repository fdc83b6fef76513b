//! The front door of time-of-contact queries: validation, the choice of a way, and the form of the answer.

use super::advancement::Touch;
use super::features::{Trajectories, determine_contact};
use super::kinematics::PairMotion;
use super::mesh_mesh::Other;
use super::{
    Answered, FirstContact, Method, Moving, Toc, TocError, TocOptions, Unproven, compound, estimate, halving,
    obb_bisection, segments,
};
use crate::detection::dispatch::{Route, route, route_of_hulls};
use crate::math::{Real, is_finite};
use crate::motion::{TimeInterval, spheres_stay_apart};
use crate::shape::Shape;
use crate::stats::QueryStats;

/// Finds when two moving shapes first come within the tolerance of each other, and never reports too late.
///
/// The motions share one clock, zero at their `start` poses; `interval` is on that clock and may lie anywhere on it.
/// At the reported time the witness points are within [`TocOptions::tolerance`], and every instant before it is certified
/// free of contact, for any velocities, spins and lengths of time, by every method whose [`Method::promise`] is
/// [`super::Promise::Whole`]. What the others leave out their promises say; their answers have the same form.
///
/// # Returns
/// * [`Toc::Separated`]: further apart than zero over the whole interval, as surely as the method promises;
/// * [`Toc::Contact`]: time, witness points (world), unit normal from A to B, features;
/// * [`Toc::Overlapping`]: within the tolerance, overlapping, or one inside the other, at the interval's start;
/// * [`Toc::Undecided`]: the budget ran out, or the tolerance is too small for the rounding of the coordinates, or for that of the
///   clock times the speed.
///
/// # Errors
/// [`TocError`] for motions that are not finite, a tolerance that is not positive, and pairs the method does not take
/// (two half-spaces; with a method that is asked for by name, what its module says).
///
/// # Cost
/// Convex pairs: a few distance queries, each a few support queries. Meshes: O(log n) of those near the contact; see
/// the modules of the methods.
///
/// # Example
/// ```
/// use ccd_core::detection::toc::{Moving, TocOptions, time_of_contact};
/// use ccd_core::math::{Pose, Vector};
/// use ccd_core::motion::{RigidMotion, TimeInterval};
/// use ccd_core::shape::Shape;
///
/// let ball = Shape::ball(0.5)?;
/// let ground = Shape::half_space(Vector::y())?;
/// let falling = RigidMotion {
///     linear_velocity: Vector::new(0.0, -1.0, 0.0),
///     ..RigidMotion::at_rest(Pose::translation(0.0, 3.0, 0.0))
/// };
/// let rest = RigidMotion::at_rest(Pose::identity());
/// let options = TocOptions { tolerance: 1e-9, ..TocOptions::default() };
/// let found = time_of_contact(
///     Moving::new(&ball, &falling),
///     Moving::new(&ground, &rest),
///     TimeInterval::new(0.0, 5.0)?,
///     &options,
/// )?;
/// // The centre is 3 m up, the radius 0.5 m, the speed 1 m/s.
/// let time = found.answer.contact().map(|c| c.time);
/// assert!(time.is_some_and(|t| t <= 2.5 && t > 2.5 - 1e-8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "time_of_impact")]
#[doc(alias = "toi")]
pub fn time_of_contact(
    a: Moving<'_, Shape>,
    b: Moving<'_, Shape>,
    interval: TimeInterval,
    options: &TocOptions,
) -> Result<Answered<Toc>, TocError> {
    let found = time_of_contact_among(a, b, interval, options, None)?;
    // Hardly ever anything to do.
    let query = Query { a, b, interval, options, among: None };
    let Answered { answer, stats } = query.within_tolerance(found)?;
    let answer = if answer == found.answer { answer } else { query.with_depth(answer) };
    Ok(Answered { answer, stats })
}

/// [`time_of_contact`] of two meshes of which it is known that no pair of triangles but those `among` these (of A and of B) can come
/// within the tolerance in the interval; as far as the chosen method goes by their trees.
pub(crate) fn time_of_contact_among(
    a: Moving<'_, Shape>,
    b: Moving<'_, Shape>,
    interval: TimeInterval,
    options: &TocOptions,
    among: Option<&[[u32; 2]]>,
) -> Result<Answered<Toc>, TocError> {
    for (side, motion) in [('a', a.motion), ('b', b.motion)] {
        let [start, end] = [interval.start(), interval.end()].map(|t| is_finite(&motion.centre_at(t).coords));
        if !(motion.is_finite() && start && end) {
            return Err(TocError::NonFiniteMotion { side });
        }
    }
    if !(options.tolerance.is_finite() && options.tolerance > 0.0) {
        return Err(TocError::BadTolerance { tolerance: options.tolerance });
    }
    let found = without_depth(a, b, interval, options, among)?;
    // Algorithms 1 to 3 measure overlaps by themselves.
    if matches!(route(a.solid, b.solid, options.method), Route::ObbBisection | Route::Segments | Route::Samples) {
        return Ok(found);
    }
    let query = Query { a, b, interval, options, among };
    Ok(Answered { answer: query.with_depth(found.answer), stats: found.stats })
}

/// [`time_of_contact`] for valid arguments, without the depth and direction of an overlap at the start.
pub(super) fn without_depth(
    a: Moving<'_, Shape>,
    b: Moving<'_, Shape>,
    interval: TimeInterval,
    options: &TocOptions,
    among: Option<&[[u32; 2]]>,
) -> Result<Answered<Toc>, TocError> {
    let query = Query { a, b, interval, options, among };
    if matches!(options.method, Method::Auto | Method::Advancement) && query.spheres_stay_apart() {
        return Ok(Answered { answer: Toc::Separated, stats: QueryStats::default() });
    }
    if options.method == Method::Auto
        && let Some(hulls) = route_of_hulls(a.solid, b.solid, options.tolerance)
    {
        return query.after_hulls(hulls);
    }
    query.take(route(a.solid, b.solid, options.method))
}

/// An answer without proof in the form of one with it, for who asked for it by the name of a method that promises none.
fn taken_as_is(found: Answered<Unproven>) -> Answered<Toc> {
    Answered { answer: found.answer.0, stats: found.stats }
}

/// A validated question.
pub(super) struct Query<'q> {
    pub(super) a: Moving<'q, Shape>,
    pub(super) b: Moving<'q, Shape>,
    pub(super) interval: TimeInterval,
    pub(super) options: &'q TocOptions,
    /// Of two meshes the pairs of triangles that can meet, if they are known.
    pub(super) among: Option<&'q [[u32; 2]]>,
}

impl Query<'_> {
    /// Goes a way that there is for the two, or for solids that hold them.
    pub(super) fn take(&self, route: Route<'_>) -> Result<Answered<Toc>, TocError> {
        let &Query { a, b, interval, options, .. } = self;
        let (solid_a, solid_b) = (a.solid.as_solid(), b.solid.as_solid());
        Ok(match route {
            Route::Convex(convex_a, convex_b) => self.convex(convex_a, convex_b),
            Route::HalfSpace { plane, other, swapped } => self.half_space(plane, other, swapped),
            Route::MeshConvex { mesh, convex, swapped } => {
                let solid = if swapped { solid_a } else { solid_b };
                self.tree(mesh, Other::Convex(convex, solid.local_aabb()), swapped)
            }
            Route::MeshMesh(mesh_a, mesh_b) => self.tree(mesh_a, Other::Mesh(mesh_b), false),
            Route::Patches { a, b, swapped } => self.patches(a, b, swapped),
            Route::Parts => compound::first_contact(a, b, interval, options)?,
            Route::Field { divided, other, swapped } => self.field(divided, other, swapped),
            Route::ObbBisection => {
                obb_bisection::time_of_contact(solid_a, a.motion, solid_b, b.motion, interval, options)?
            }
            Route::Segments => segments::time_of_contact(solid_a, a.motion, solid_b, b.motion, interval, options)?,
            Route::Samples => {
                // Without the spacing, which would be measured anew.
                let moving = ((solid_a, a.motion), (solid_b, b.motion));
                let found = determine_contact(moving.0, moving.1, interval, options, Trajectories::Samples)?;
                Answered { answer: found.answer.toc, stats: found.stats }
            }
            Route::Halving => taken_as_is(halving::time_of_contact(a, b, interval, options)?),
            Route::Estimate => taken_as_is(estimate::time_of_contact(a, b, interval, options)?),
            Route::None => {
                let (kind_a, kind_b) = (solid_a.kind(), solid_b.kind());
                return Err(TocError::Unsupported { method: options.method, kind_a, kind_b });
            }
        })
    }

    pub(super) fn motion(&self, swapped: bool) -> PairMotion {
        let (a, b) = if swapped { (self.b, self.a) } else { (self.a, self.b) };
        PairMotion::new(a.motion, b.motion, self.interval.start(), self.interval.length())
    }

    /// Whether the spheres about the centres of rotation, which hold the solids however they turn, stay apart.
    fn spheres_stay_apart(&self) -> bool {
        let radius = |of: &Moving<'_, Shape>| of.solid.bounding_radius_about(&of.motion.local_centre);
        let from = [&self.a, &self.b].map(|of| (of.motion, self.interval.start()));
        spheres_stay_apart(from, self.interval.length(), radius(&self.a) + radius(&self.b), self.options.tolerance)
    }

    pub(super) fn undecided(&self, after: Real) -> Toc {
        Toc::Undecided { safe_until: self.clock(after) }
    }

    /// Seconds after the interval's start on the motions' clock.
    pub(super) fn clock(&self, after: Real) -> Real {
        (self.interval.start() + after).min(self.interval.end())
    }

    pub(super) fn contact(&self, touch: &Touch) -> Toc {
        let contact = FirstContact {
            time: self.clock(touch.time),
            point_a: touch.point_a,
            point_b: touch.point_b,
            normal: touch.normal,
            separation: touch.separation,
            features: touch.features,
        };
        if touch.time > 0.0 { Toc::Contact(contact) } else { Toc::Overlapping(contact) }
    }
}
