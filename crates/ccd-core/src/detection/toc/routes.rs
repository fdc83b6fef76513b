//! How a query is searched, by the kinds of its solids: what each search is given, and its answer in the form of all.

use super::advancement::{Advance, Direction, Seen, Step, Touch};
use super::field::{FieldFound, FieldSearch};
use super::front::Query;
use super::half_space::MeshHull;
use super::hole::InHole;
use super::kinematics::{PairMotion, Turning};
use super::mesh_mesh::{Found, Other, TreeSearch};
use super::patches::PatchSearch;
use super::plane::{ConvexPair, SideBounds};
use super::{Answered, Moving, Toc};
use crate::bounds::IndexedMesh;
use crate::detection::closest::gjk::GjkCache;
use crate::detection::dispatch::Bounded;
use crate::detection::field::cells::{Cells, Divided};
use crate::detection::pieces::PatchSide;
use crate::detection::plane_point::PlanePoint;
use crate::geometry::field::Field;
use crate::geometry::primitive::HalfSpace;
use crate::geometry::solid::SupportMap;
use crate::math::{Point, Real};
use crate::shape::Shape;
use crate::stats::QueryStats;

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

/// Whether its turning moves nothing: that of a ball about its centre.
fn is_unturned(of: &Moving<'_, Shape>) -> bool {
    matches!(of.solid, Shape::Ball(_)) && of.motion.local_centre == Point::origin()
}

impl Query<'_> {
    pub(super) fn convex(&self, a: &dyn SupportMap, b: &dyn SupportMap) -> Answered<Toc> {
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

    pub(super) fn half_space(&self, plane: &HalfSpace, other: Bounded<'_>, swapped: bool) -> Answered<Toc> {
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
    pub(super) fn tree(&self, mesh: &IndexedMesh, other: Other<'_>, swapped: bool) -> Answered<Toc> {
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

    /// Two sides of which at least one is a surface of patches, given as the query's B and A when `swapped`.
    pub(super) fn patches(&self, a: PatchSide<'_>, b: PatchSide<'_>, swapped: bool) -> Answered<Toc> {
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
    pub(super) fn field(&self, divided: Divided<'_>, other: &dyn Field, swapped: bool) -> Answered<Toc> {
        let (of_divided, of_other) = if swapped { (self.b, self.a) } else { (self.a, self.b) };
        let [of_one, of_two] = [of_divided, of_other].map(|of| is_unturned(&of));
        let motion = self.motion(swapped).without_turning(of_one, of_two);
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
        // What is in a hole of the other is looked at from within.
        let (solid, whole) = (of_divided.solid, of_other.solid);
        let inside = InHole::of(solid, whole, || motion.clone(), search.enough());
        let around =
            InHole::of(whole, solid, || self.motion(!swapped).without_turning(of_two, of_one), search.enough());
        if inside.iter().chain(&around).any(InHole::stays) {
            return Answered { answer: Toc::Separated, stats };
        }
        let in_hole = inside.iter().chain(&around).map(|of| of.until).fold(0.0, Real::max);
        let touch = inside.and_then(|of| of.touch(tolerance)).or_else(|| around?.touch_of_whole(tolerance));
        let found = match touch {
            Some(touch) => FieldFound::Touching(touch),
            None => {
                let start = match search.apart_while_they_spin(solid, whole, &mut stats) {
                    FieldFound::Apart => return Answered { answer: Toc::Separated, stats },
                    FieldFound::Touching(touch) => touch.time,
                    FieldFound::Undecided(time) => time,
                };
                search.run(start.max(in_hole), &mut stats)
            }
        };
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
}
