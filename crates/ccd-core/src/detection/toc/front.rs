//! The front door of time-of-contact queries: validation, the choice of a way, and the form of the answer.

use super::advancement::{Advance, Direction, Seen, Step, Touch};
use super::field::{FieldFound, FieldSearch};
use super::half_space::MeshHull;
use super::kinematics::{PairMotion, Turning};
use super::mesh_mesh::{Found, Other, TreeSearch};
use super::patches::PatchSearch;
use super::plane::{ConvexPair, SideBounds};
use super::{
    Answered, FirstContact, Method, Moving, Toc, TocError, TocOptions, Unproven, compound, estimate, halving,
    obb_bisection, segments,
};
use crate::bounds::IndexedMesh;
use crate::detection::closest::closest_within;
use crate::detection::closest::gjk::GjkCache;
use crate::detection::dispatch::{Bounded, Route, route};
use crate::detection::field::cells::{Cells, Divided};
use crate::detection::pieces::PatchSide;
use crate::detection::plane_point::PlanePoint;
use crate::geometry::feature::Feature;
use crate::geometry::field::{Field, nearest_surface};
use crate::geometry::primitive::HalfSpace;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Pose, Real, Vector};
use crate::motion::TimeInterval;
use crate::motion::bound::closest_approach;
use crate::shape::Shape;
use crate::stats::QueryStats;

/// Finds when two moving shapes first come within the tolerance of each other, and never reports too late.
///
/// The motions share one clock, zero at their `start` poses; `interval` is on that clock and may lie anywhere on it.
/// At the reported time the witness points are within [`TocOptions::tolerance`], and every instant before it is certified
/// free of contact, for any velocities, spins and lengths of time (except by [`super::Method::Segments`], which says so).
///
/// # Returns
/// * [`Toc::Separated`]: proven further apart than zero over the whole interval;
/// * [`Toc::Contact`]: time, witness points (world), unit normal from A to B, features;
/// * [`Toc::Overlapping`]: within the tolerance, overlapping, or one inside the other, at the interval's start;
/// * [`Toc::Undecided`]: the budget ran out, or the tolerance is too small for the rounding of the coordinates.
///
/// # Errors
/// [`TocError`] for motions that are not finite, a tolerance that is not positive, and pairs the method does not take
/// (two half-spaces).
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
    time_of_contact_among(a, b, interval, options, None)
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
        if !motion.is_finite() {
            return Err(TocError::NonFiniteMotion { side });
        }
    }
    if !(options.tolerance.is_finite() && options.tolerance > 0.0) {
        return Err(TocError::BadTolerance { tolerance: options.tolerance });
    }
    let found = without_depth(a, b, interval, options, among)?;
    // Algorithms 1 to 3 measure overlaps by themselves.
    if matches!(route(a.solid, b.solid, options.method), Route::ObbBisection | Route::Segments) {
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
    let unsupported = || TocError::Unsupported {
        method: options.method,
        kind_a: a.solid.as_solid().kind(),
        kind_b: b.solid.as_solid().kind(),
    };
    Ok(match route(a.solid, b.solid, options.method) {
        Route::Convex(solid_a, solid_b) => query.convex(solid_a, solid_b),
        Route::HalfSpace { plane, other, swapped } => query.half_space(plane, other, swapped),
        Route::MeshConvex { mesh, convex, swapped } => {
            let shape = if swapped { a.solid } else { b.solid };
            query.tree(mesh, Other::Convex(convex, shape.as_solid().local_aabb()), swapped)
        }
        Route::MeshMesh(mesh_a, mesh_b) => query.tree(mesh_a, Other::Mesh(mesh_b), false),
        Route::Patches { a, b, swapped } => query.patches(a, b, swapped),
        Route::Parts => compound::first_contact(a, b, interval, options)?,
        Route::Field { divided, other, swapped } => query.field(divided, other, swapped),
        Route::ObbBisection => {
            let (a, b) = (a.solid.as_solid(), b.solid.as_solid());
            obb_bisection::time_of_contact(a, query.a.motion, b, query.b.motion, interval, options)?
        }
        Route::Segments => {
            let (a, b) = (a.solid.as_solid(), b.solid.as_solid());
            segments::time_of_contact(a, query.a.motion, b, query.b.motion, interval, options)?
        }
        Route::Halving => taken_as_is(halving::time_of_contact(a, b, interval, options)?),
        Route::Estimate => taken_as_is(estimate::time_of_contact(a, b, interval, options)?),
        Route::None => return Err(unsupported()),
    })
}

/// An answer without proof, for who asked for one by the method's name.
fn taken_as_is(found: Answered<Unproven>) -> Answered<Toc> {
    Answered { answer: found.answer.0, stats: found.stats }
}

/// How far, as a sine, a direction may lie outside a feature's Voronoi region and still count as in it.
const SEEN: Real = 1e-9;

/// How far a search of a convex pair has come: certified apart until `time`.
#[derive(Default)]
struct Looked {
    time: Real,
    cache: GjkCache,
    stats: QueryStats,
}

/// Whether the solid's exact bounds take a walk over its vertices.
fn has_many_vertices(shape: &Shape) -> bool {
    matches!(shape, Shape::Convex(_) | Shape::Mesh(_))
}

/// A validated question.
struct Query<'q> {
    a: Moving<'q, Shape>,
    b: Moving<'q, Shape>,
    interval: TimeInterval,
    options: &'q TocOptions,
    /// Of two meshes the pairs of triangles that can meet, if they are known.
    among: Option<&'q [[u32; 2]]>,
}

impl Query<'_> {
    fn motion(&self, swapped: bool) -> PairMotion {
        let (a, b) = if swapped { (self.b, self.a) } else { (self.a, self.b) };
        PairMotion::new(a.motion, b.motion, self.interval.start(), self.interval.length())
    }

    /// Whether the spheres about the centres of rotation, which hold the solids however they turn, stay apart. The centres
    /// move in straight lines, so that this is exact for them.
    fn spheres_stay_apart(&self) -> bool {
        let radius = |of: &Moving<'_, Shape>| of.solid.bounding_radius_about(&of.motion.local_centre);
        let radii = radius(&self.a) + radius(&self.b);
        if !radii.is_finite() {
            return false;
        }
        let (a, b) = (self.a.motion, self.b.motion);
        let between = b.start.translation.vector - a.start.translation.vector;
        let arms = b.start.rotation * b.local_centre.coords - a.start.rotation * a.local_centre.coords;
        let velocity = b.linear_velocity - a.linear_velocity;
        let length = self.interval.length();
        let start = between + arms + velocity * self.interval.start();
        // Far above what rounding can move the centres by.
        const ROUNDING: Real = 1e-12;
        let coordinates = between.norm()
            + a.local_centre.coords.norm()
            + b.local_centre.coords.norm()
            + velocity.norm() * self.interval.end().abs().max(length);
        let distance = closest_approach(&start, &velocity, length);
        distance > radii * (1.0 + ROUNDING) + ROUNDING * coordinates + self.options.tolerance
    }

    fn convex(&self, a: &dyn SupportMap, b: &dyn SupportMap) -> Answered<Toc> {
        let motion = self.motion(false);
        let size_a = self.a.solid.bounding_radius_about(&motion.a.local_centre);
        let size_b = self.b.solid.bounding_radius_about(&motion.b.local_centre);
        let rounding = motion.rounding(size_a, size_b);
        let mut from = Looked::default();
        if has_many_vertices(self.a.solid) || has_many_vertices(self.b.solid) {
            // Most pairs of a step are told apart by one look: bounds that take every vertex to find can wait for the second.
            let bounds = |of: &Moving<'_, Shape>, solid: &dyn SupportMap, turning: &Turning, size: Real| {
                SideBounds::within(&of.solid.as_solid().local_aabb(), solid.radius(), turning, size)
            };
            let bounds_a = bounds(&self.a, a, &motion.a, size_a);
            let bounds_b = bounds(&self.b, b, &motion.b, size_b);
            let pair = ConvexPair { a, b, bounds_a, bounds_b, rounding, motion: &motion };
            let advance = self.advance(pair, Direction::Nearest);
            match advance.step(from.time, &mut from.cache, &mut from.stats) {
                Step::Touching(touch) => return Answered { answer: self.contact(&touch), stats: from.stats },
                Step::SafeForever => return Answered { answer: Toc::Separated, stats: from.stats },
                Step::SafeUntil(safe) if safe > 0.0 => from.time = safe,
                Step::SafeUntil(_) | Step::Stuck => {}
            }
        }
        let pair = ConvexPair {
            a,
            b,
            bounds_a: SideBounds::of(a, &motion.a, size_a).beside(a, &motion.a, &motion.b, motion.length),
            bounds_b: SideBounds::of(b, &motion.b, size_b).beside(b, &motion.b, &motion.a, motion.length),
            rounding,
            motion: &motion,
        };
        self.search(self.advance(pair, Direction::Nearest), from)
    }

    fn half_space(&self, plane: &HalfSpace, other: Bounded<'_>, swapped: bool) -> Answered<Toc> {
        let motion = self.motion(swapped);
        let bounded = if swapped { self.a } else { self.b };
        let size_b = bounded.solid.bounding_radius_about(&motion.b.local_centre);
        let size_a = motion.a.local_centre.coords.norm();
        let hull;
        let other: &dyn SupportMap = match other {
            Bounded::Convex(convex) => convex,
            Bounded::Mesh(mesh) => {
                hull = MeshHull(mesh);
                &hull
            }
        };
        let pair = ConvexPair {
            a: &PlanePoint,
            b: other,
            bounds_a: SideBounds::of(&PlanePoint, &motion.a, size_a),
            bounds_b: SideBounds::of(other, &motion.b, size_b),
            rounding: motion.rounding(size_a, size_b),
            motion: &motion,
        };
        let found = self.search(self.advance(pair, Direction::OfA(plane.normal())), Looked::default());
        if swapped { Answered { answer: found.answer.swapped(), ..found } } else { found }
    }

    fn advance<'p, A, B>(&self, pair: ConvexPair<'p, A, B>, direction: Direction) -> Advance<'p, A, B>
    where
        A: SupportMap + ?Sized,
        B: SupportMap + ?Sized,
    {
        // Below a few roundings of the coordinates no distance means anything.
        let tolerance = self.options.tolerance.max(8.0 * pair.rounding);
        Advance { pair, direction, tolerance, once_opened: self.options.once_opened }
    }

    /// Advances until there is an answer.
    fn search<A, B>(&self, mut advance: Advance<'_, A, B>, from: Looked) -> Answered<Toc>
    where
        A: SupportMap + ?Sized,
        B: SupportMap + ?Sized,
    {
        let Looked { mut time, mut cache, mut stats } = from;
        let mut seen = Seen::default();
        let answer = loop {
            if advance.has_opened(seen.widest) {
                advance.tolerance = advance.once_opened;
            }
            let instant = advance.pair.motion.at(time);
            let step = advance.step_watching(&instant, &mut cache, &mut stats, &mut seen);
            match step {
                Step::Touching(touch) => break self.contact(&touch),
                Step::SafeForever => break Toc::Separated,
                // A step too small for the clock is no step.
                Step::SafeUntil(safe) if safe > time && stats.total() < self.options.budget => time = safe,
                Step::SafeUntil(safe) => break self.undecided(safe),
                Step::Stuck => break self.undecided(time),
            }
        };
        Answered { answer, stats }
    }

    /// A mesh (side B when `swapped`) against something else, by their trees.
    fn tree(&self, mesh: &IndexedMesh, other: Other<'_>, swapped: bool) -> Answered<Toc> {
        let motion = self.motion(swapped);
        let (of_mesh, of_other) = if swapped { (self.b, self.a) } else { (self.a, self.b) };
        let rounding = motion.rounding(
            of_mesh.solid.bounding_radius_about(&motion.a.local_centre),
            of_other.solid.bounding_radius_about(&motion.b.local_centre),
        );
        let tolerance = self.options.tolerance.max(8.0 * rounding);
        let mut stats = QueryStats::default();
        let search = TreeSearch {
            mesh,
            other,
            motion: &motion,
            tolerance,
            rounding,
            budget: self.options.budget,
            among: self.among,
        };
        let answer = match search.run(&mut stats) {
            Found::Touching(touch) if touch.time <= 0.0 => self.contact(&self.on_true_surface(touch, swapped)),
            found => match (self.swallowed(&of_mesh, &of_other), found) {
                (Some(contact), _) => return Answered { answer: Toc::Overlapping(contact), stats },
                (None, Found::Touching(touch)) => self.contact(&self.on_true_surface(touch, swapped)),
                (None, Found::Apart) => Toc::Separated,
                (None, Found::Undecided(time)) => self.undecided(time),
            },
        };
        if swapped { Answered { answer: answer.swapped(), stats } } else { Answered { answer, stats } }
    }

    /// The touch as the whole surfaces have it. The search meets triangles one by one: what slides along a floor meets the
    /// rim of the next triangle, which the floor has not, from a direction in which the floor is further away than below.
    ///
    /// `swapped`: the touch's A is the query's B.
    fn on_true_surface(&self, touch: Touch, swapped: bool) -> Touch {
        let (a, b) = if swapped { (&self.b, &self.a) } else { (&self.a, &self.b) };
        let time = self.clock(touch.time);
        let (pose_a, pose_b) = (a.motion.pose_at(time), b.motion.pose_at(time));
        let sees = |shape: &Shape, pose: &Pose, feature: Feature, towards: &Vector| {
            let Shape::Mesh(mesh) = shape else { return true };
            mesh.surface_features().faces(mesh, feature, &pose.inverse_transform_vector(towards), SEEN)
        };
        if touch.separation <= 0.0
            || sees(a.solid, &pose_a, touch.features.a, &touch.normal)
                && sees(b.solid, &pose_b, touch.features.b, &-touch.normal)
        {
            return touch;
        }
        match closest_within(a.solid, &pose_a, b.solid, &pose_b, touch.separation) {
            Ok(Some(nearest)) if nearest.distance > 0.0 && nearest.distance <= touch.separation => Touch {
                separation: nearest.distance,
                normal: nearest.normal,
                point_a: nearest.point_a,
                point_b: nearest.point_b,
                features: nearest.features,
                ..touch
            },
            _ => touch,
        }
    }

    /// Two sides of which at least one is a surface of patches, given as the query's B and A when `swapped`.
    fn patches(&self, a: PatchSide<'_>, b: PatchSide<'_>, swapped: bool) -> Answered<Toc> {
        let (of_a, of_b) = if swapped { (self.b, self.a) } else { (self.a, self.b) };
        // Near the origin places keep their digits.
        let home = of_a.motion.start.translation.vector;
        let (motion_a, motion_b) = (of_a.motion.moved(&-home), of_b.motion.moved(&-home));
        let motion = PairMotion::new(&motion_a, &motion_b, self.interval.start(), self.interval.length());
        let reach = |of: &Moving<'_, Shape>, centre: &Point| {
            if of.solid.is_bounded() { of.solid.bounding_radius_about(centre) } else { centre.coords.norm() }
        };
        let rounding = motion.rounding(reach(&of_a, &motion.a.local_centre), reach(&of_b, &motion.b.local_centre));
        let search = PatchSearch {
            a,
            b,
            motion_a: &motion_a,
            motion_b: &motion_b,
            motion: &motion,
            start: self.interval.start(),
            tolerance: self.options.tolerance.max(16.0 * rounding),
            rounding,
            budget: self.options.budget,
        };
        let mut stats = QueryStats::default();
        let at_home = |touch: Touch| Touch { point_a: touch.point_a + home, point_b: touch.point_b + home, ..touch };
        let answer = match search.run(&mut stats) {
            Found::Touching(touch) if touch.time <= 0.0 => self.contact(&at_home(touch)),
            found => match (self.swallowed(&of_a, &of_b), found) {
                (Some(contact), _) => return Answered { answer: Toc::Overlapping(contact), stats },
                (None, Found::Touching(touch)) => self.contact(&at_home(touch)),
                (None, Found::Apart) => Toc::Separated,
                (None, Found::Undecided(time)) => self.undecided(time),
            },
        };
        if swapped { Answered { answer: answer.swapped(), stats } } else { Answered { answer, stats } }
    }

    /// A solid divided into cells (side B when `swapped`) against a field.
    fn field(&self, divided: Divided<'_>, other: &dyn Field, swapped: bool) -> Answered<Toc> {
        let motion = self.motion(swapped);
        let (of_divided, of_other) = if swapped { (self.b, self.a) } else { (self.a, self.b) };
        let size_a = of_divided.solid.bounding_radius_about(&motion.a.local_centre);
        let size_b = of_other.solid.bounding_radius_about(&motion.b.local_centre);
        // Of an unbounded solid only the part near the other counts, whose place is in the way between the centres.
        let far = size_a + (motion.velocity.norm() * motion.length + motion.offset_at(0.0).norm());
        let size_b = if size_b.is_finite() { size_b } else { far };
        let rounding = motion.rounding(size_a, size_b);
        let tolerance = self.options.tolerance.max(8.0 * rounding);
        let (cells, budget) = (Cells::new(divided), self.options.budget);
        let mut stats = QueryStats::default();
        let flat = if let Shape::HalfSpace(plane) = of_other.solid { Some(plane.normal()) } else { None };
        let mut search = FieldSearch { cells, other, flat, motion: &motion, tolerance, rounding, budget };
        let start = match search.apart_while_they_spin(of_divided.solid, of_other.solid, &mut stats) {
            FieldFound::Apart => return Answered { answer: Toc::Separated, stats },
            FieldFound::Touching(touch) => touch.time,
            FieldFound::Undecided(time) => time,
        };
        let found = search.run(start, &mut stats);
        let at_start = matches!(found, FieldFound::Touching(touch) if touch.time <= 0.0);
        // The surface of a mesh is all that was divided: what is inside it at the start is not near it.
        if !matches!(divided, Divided::Field(_))
            && !at_start
            && let Some(contact) = self.swallowed(&of_divided, &of_other)
        {
            return Answered { answer: Toc::Overlapping(contact), stats };
        }
        let answer = match found {
            FieldFound::Touching(touch) => {
                let origin = motion.centre_a_at(touch.time);
                self.contact(&Touch {
                    time: touch.time,
                    separation: touch.separation,
                    normal: touch.normal,
                    point_a: origin + touch.point_a,
                    point_b: origin + touch.point_b,
                    features: touch.features,
                })
            }
            FieldFound::Apart => Toc::Separated,
            FieldFound::Undecided(time) => self.undecided(time),
        };
        if swapped { Answered { answer: answer.swapped(), stats } } else { Answered { answer, stats } }
    }

    /// The overlap of solids of which one holds the other at the start: their surfaces, which are apart then, may be far apart.
    fn swallowed(&self, one: &Moving<'_, Shape>, other: &Moving<'_, Shape>) -> Option<FirstContact> {
        if self.options.starts_apart {
            return None;
        }
        let start = self.interval.start();
        // Where the surfaces are apart, one point tells for all of a solid.
        let holds = |outer: &Moving<'_, Shape>, inner: &Moving<'_, Shape>| {
            let contains = |p: &Point| match outer.solid {
                Shape::Mesh(mesh) => mesh.is_closed() && mesh.contains(p),
                Shape::Patches(surface) => surface.surface().contains(p),
                _ => false,
            };
            let point = match inner.solid {
                Shape::Mesh(inner) => inner.mesh().vertices().first().copied(),
                Shape::Patches(inner) => inner.surface().patches().first().map(|p| p.point(0.5, 0.5)),
                other => other.as_convex().map(SupportMap::interior_point).or_else(|| {
                    let field = other.as_field()?;
                    let aabb = field.local_aabb();
                    let size = aabb.half_extents().norm();
                    // An unbounded solid is inside of nothing.
                    let found = size.is_finite().then(|| nearest_surface(field, &aabb.centre(), 1e-9 * size))?;
                    found.map(|found| found.point)
                }),
            };
            point.is_some_and(|p| {
                let place = inner.motion.pose_at(start) * p;
                contains(&outer.motion.pose_at(start).inverse_transform_point(&place))
            })
        };
        if !holds(one, other) && !holds(other, one) {
            return None;
        }
        let (pose_a, pose_b) = (self.a.motion.pose_at(start), self.b.motion.pose_at(start));
        let found = closest_within(self.a.solid, &pose_a, self.b.solid, &pose_b, 0.0).ok().flatten()?;
        (found.distance < 0.0).then_some(FirstContact {
            time: start,
            point_a: found.point_a,
            point_b: found.point_b,
            normal: found.normal,
            separation: found.distance,
            features: found.features,
        })
    }

    fn undecided(&self, after: Real) -> Toc {
        Toc::Undecided { safe_until: self.clock(after) }
    }

    /// Seconds after the interval's start on the motions' clock.
    fn clock(&self, after: Real) -> Real {
        (self.interval.start() + after).min(self.interval.end())
    }

    fn contact(&self, touch: &Touch) -> Toc {
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

    /// Solids that overlap at the start get the depth, direction and features of their overlap.
    fn with_depth(&self, answer: Toc) -> Toc {
        match answer {
            Toc::Overlapping(contact) if contact.separation <= 0.0 => {
                let start = self.interval.start();
                let (pose_a, pose_b) = (self.a.motion.pose_at(start), self.b.motion.pose_at(start));
                let limit = self.options.tolerance;
                match closest_within(self.a.solid, &pose_a, self.b.solid, &pose_b, limit) {
                    Ok(Some(found)) => Toc::Overlapping(FirstContact {
                        point_a: found.point_a,
                        point_b: found.point_b,
                        normal: found.normal,
                        separation: found.distance.min(0.0),
                        features: found.features,
                        ..contact
                    }),
                    _ => answer,
                }
            }
            other => other,
        }
    }
}
