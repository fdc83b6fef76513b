//! Conservative advancement of two convex solids.
//!
//! **Problem.** The first time at which two convex solids in rigid motion come within ε of each other.
//!
//! **Idea.** Find the separating direction at an instant (GJK), find how long it certainly keeps separating
//! ([`super::plane`]), go there, and look again, until the solids are within ε or the interval is over.
//! Planes are tried that stand still and that turn with the face or the pair of edges that is nearest:
//! the first see far ahead, the others close in on a sweeping face in a few steps.
//!
//! **Guarantee.** Never later than the first contact; at the reported time the witness points are within ε. Every instant
//! before it is certified, for any velocity, spin and interval (errata E1, E2, E7).
//!
//! **Limits.** Where ε is below what rounding leaves of the coordinates, the certificate can stall; the answer is then
//! [`super::Toc::Undecided`] up to the stall, never a guess.
//!
//! **Source.** Mirtich (1996); Zhang, Lee and Kim (2006) for the directional bound; see [`super::plane`].

use super::kinematics::Instant;
use super::plane::{ConvexPair, Hints};
use super::stretch::Stretch;
use crate::detection::closest::gjk::{GjkCache, GjkGoal, RelativePose, separation};
use crate::geometry::feature::FeaturePair;
use crate::geometry::solid::SupportMap;
use crate::math::{Matrix, Point, Real, Vector};
use crate::stats::QueryStats;

/// How exact the distance is while the solids are far apart, relative to the distance: the direction matters more than the number.
const FAR_ACCURACY: Real = 1e-4;
/// How exact the witness points and the normal of a reported contact are, as a share of the tolerance: of rounded solids the distance of
/// the cores is mostly radii.
const CONTACT_ACCURACY: Real = 1e-9;
/// A plane that has turned by this, radians, is no longer near the feature it turned with.
const FAR_TURNED: Real = std::f64::consts::FRAC_PI_2;
/// The share of the tolerance that a stretch leaves, so that the next look, which can only see more, is the last.
pub(super) const HALF: Real = 0.5;
/// A stretch of fewer times what the bound on speed alone allows is worth looking at planes that turn otherwise.
const CREEPING: Real = 2.0;
/// A plane that turns at less than this share of the faster solid's speed stands still beside it.
const SLOW: Real = 1e-4;

/// Two solids that are within the tolerance, at `time` seconds after the interval's start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub time: Real,
    /// Metres between the surfaces; zero where the cores overlap, below zero where the radii do.
    pub separation: Real,
    /// Unit, world, from A to B.
    pub normal: Vector,
    /// The point of A's surface, in the world.
    pub point_a: Point,
    /// The point of B's surface, in the world.
    pub point_b: Point,
    pub features: FeaturePair,
}

/// What one step of advancement found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Within the tolerance, now.
    Touching(Touch),
    /// Certified apart until this many seconds after the interval's start.
    SafeUntil(Real),
    /// Certified apart to the interval's end.
    SafeForever,
    /// Apart, but by so little more than rounding that nothing ahead can be certified.
    Stuck,
}

/// What steps have seen of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// The farthest apart that the solids are known to have been, metres.
    pub widest: Real,
    /// Where B was from A at the last look: unit, world, between the nearest points.
    pub normal: Option<Vector>,
}

/// How the direction of a pair is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Direction {
    /// By GJK.
    Nearest,
    /// A is a half-space with this outward normal in its frame (its core is the point in its plane).
    OfA(Vector),
}

/// The search on one pair.
pub(crate) struct Advance<'q, A: ?Sized, B: ?Sized> {
    pub pair: ConvexPair<'q, A, B>,
    pub direction: Direction,
    /// The contact distance ε, metres.
    pub tolerance: Real,
    /// The same once the solids have been twice as far apart as this, if it is greater, metres.
    pub once_opened: Real,
}

/// The nearest places of the solids' surfaces at an instant.
struct Look {
    /// Proven, radii taken off.
    lower: Real,
    distance: Real,
    normal: Vector,
    /// On the cores, from each one's own frame origin, in A's and in the world's axes.
    core_a: Point,
    core_b: Point,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Advance<'_, A, B> {
    /// One look and one stretch from `time` on.
    pub fn step(&self, time: Real, cache: &mut GjkCache, stats: &mut QueryStats) -> Step {
        self.step_at(&self.pair.motion.at(time), cache, stats)
    }

    /// [`Advance::step`] where the bodies' places are known already.
    pub fn step_at(&self, instant: &Instant, cache: &mut GjkCache, stats: &mut QueryStats) -> Step {
        self.step_watching(instant, cache, stats, &mut Seen::default())
    }

    /// The same, which keeps what is seen.
    pub fn step_watching(
        &self,
        instant: &Instant,
        cache: &mut GjkCache,
        stats: &mut QueryStats,
        seen: &mut Seen,
    ) -> Step {
        stats.advances += 1;
        stats.distance_queries += 1;
        let mut look = self.look(instant, cache);
        if look.distance <= self.tolerance {
            // What is reported is worth a few rounds more than what was needed to decide.
            let absolute = CONTACT_ACCURACY * self.tolerance;
            look = self.look_with(instant, cache, &GjkGoal { absolute, ..GjkGoal::EXACT_POINTS });
        }
        seen.normal = Some(look.normal);
        match self.advance_from(instant, &look, cache, &mut seen.widest) {
            Step::Stuck => {
                // The distance query stopped short of a direction that certifies: once more, as exactly as numbers allow.
                stats.distance_queries += 1;
                *cache = GjkCache::default();
                let look = self.look_with(instant, cache, &GjkGoal::EXACT_POINTS);
                match self.advance_from(instant, &look, cache, &mut seen.widest) {
                    Step::Stuck => self.step_on_sides(instant, &look, cache, &mut seen.widest),
                    step => step,
                }
            }
            step => step,
        }
    }

    /// The step along the normal of a flat side, where one keeps the solids further apart than the direction that was found: on the cap of a
    /// cylinder that is spanned by places of its rim, and leans by their rounding, which lifts a far end of the cap by more than a fine gap.
    fn step_on_sides(&self, instant: &Instant, look: &Look, cache: &GjkCache, widest: &mut Real) -> Step {
        if self.direction != Direction::Nearest {
            return Step::Stuck;
        }
        let of_a = side_towards(self.pair.a, &instant.rotation_a, &look.normal);
        let of_b = side_towards(self.pair.b, &instant.rotation_b, &-look.normal).map(|normal| -normal);
        self.advance_along(instant, look, of_a.into_iter().chain(of_b), cache, widest)
    }

    /// Where [`Advance::step_at`] is stuck: the stretch that is certified by the one of `directions` (unit, world) along
    /// which the solids are furthest apart. The distance query can end at two near-parallel edges whose common direction
    /// leans by more than a fine gap bears, where the faces beside them stand straight.
    pub fn step_along(
        &self,
        instant: &Instant,
        directions: &[Vector],
        cache: &mut GjkCache,
        stats: &mut QueryStats,
    ) -> Step {
        stats.distance_queries += 1;
        let look = self.look_with(instant, cache, &GjkGoal::EXACT);
        let towards_b = directions.iter().map(|direction| direction * direction.dot(&look.normal).signum());
        self.advance_along(instant, &look, towards_b, cache, &mut 0.0)
    }

    /// The stretch that is certified by the one of `directions` (unit, world, towards B), or of that of the look, along which the solids are furthest apart.
    fn advance_along(
        &self,
        instant: &Instant,
        look: &Look,
        directions: impl Iterator<Item = Vector>,
        cache: &GjkCache,
        widest: &mut Real,
    ) -> Step {
        let mut hints = Hints { a: cache.hint_a(), b: cache.hint_b() };
        let mut gap = |normal: &Vector| self.pair.plane(instant, normal, &Vector::zeros(), &mut hints).gap();
        let (mut normal, mut widest_gap) = (look.normal, gap(&look.normal));
        for direction in directions {
            let found = gap(&direction);
            if found > widest_gap {
                (normal, widest_gap) = (direction, found);
            }
        }
        self.advance_from(instant, &Look { normal, ..*look }, cache, widest)
    }

    /// How long B certainly stays beyond the plane of a face of A with the unit outward or inward `normal` (world, towards B), by the
    /// bound on speed alone. It takes no look at the nearest points: who is near a face but not over it is often on its way to
    /// another, and clear of this one's plane until then. `cache` says where the search for B's foremost point may start. `None` where
    /// the plane does not tell the two apart.
    pub fn step_on_face(&self, instant: &Instant, normal: &Vector, cache: &GjkCache) -> Option<Step> {
        let mut hints = Hints { a: cache.hint_a(), b: cache.hint_b() };
        let gap = self.pair.gap(instant, normal, &mut hints);
        let motion = self.pair.motion;
        let room = gap - self.pair.rounding - HALF * self.tolerance;
        if room.is_nan() || room <= HALF * self.tolerance {
            return None;
        }
        let (bound, rest) = (self.pair.closing_bound(normal), motion.length - instant.time);
        Some(if bound * rest <= room { Step::SafeForever } else { Step::SafeUntil(instant.time + room / bound) })
    }

    fn advance_from(&self, instant: &Instant, look: &Look, cache: &GjkCache, widest: &mut Real) -> Step {
        if look.distance <= self.tolerance {
            return Step::Touching(self.touch(instant, look, cache));
        }
        *widest = widest.max(look.distance);
        let target = HALF * self.tolerance;
        let mut hints = Hints { a: cache.hint_a(), b: cache.hint_b() };
        let fixed = self.pair.plane(instant, &look.normal, &Vector::zeros(), &mut hints);
        let room = fixed.gap() - self.pair.rounding - target;
        if room.is_nan() || room <= 0.0 {
            return Step::Stuck;
        }
        let motion = self.pair.motion;
        let rest = motion.length - instant.time;
        if self.direction != Direction::Nearest && motion.a.speed > 0.0 {
            return self.beside_turning_half_space(instant, look, cache, room);
        }
        let bound = fixed.closing_bound(&self.pair);
        if bound * rest <= room {
            return Step::SafeForever;
        }
        // The bound on speed alone: every step gets at least that far.
        let floor = room / bound;
        if motion.is_straight() {
            return Step::SafeUntil(instant.time + floor);
        }
        if self.pair.ahead(&fixed, rest, &mut hints).worst >= target {
            return Step::SafeForever;
        }
        let closing = self.closing(instant, look);
        let mut ways = Stretch { room, closing, target, safe: floor, widest: *widest };
        let spin = self.spin(instant, look, cache);
        // A plane that turns far more slowly than the solids do is as good as one that stands still.
        let turns = spin.norm_squared() > SLOW * SLOW * motion.a.speed.max(motion.b.speed).powi(2);
        if turns {
            let turning = self.pair.plane(instant, &look.normal, &spin, &mut hints);
            self.lengthen(&mut ways, &turning, rest.min(FAR_TURNED / spin.norm()), &mut hints);
        }
        // Where the turning plane got less far than the fixed one may see, that one is tried too.
        if !turns || ways.safe < 0.5 * fixed.outlook(&self.pair, room, closing) {
            self.lengthen(&mut ways, &fixed, rest, &mut hints);
        }
        // The points that are nearest on a smooth side look like a face of it, which the other body's face then turns past.
        // A half-space is apart along its own normal only.
        let may_turn = self.direction == Direction::Nearest;
        for other in [motion.a.velocity, motion.b.velocity] {
            if may_turn && ways.safe < CREEPING * floor && other != spin && other != Vector::zeros() {
                let turning = self.pair.plane(instant, &look.normal, &other, &mut hints);
                self.lengthen(&mut ways, &turning, rest.min(FAR_TURNED / other.norm()), &mut hints);
            }
        }
        *widest = ways.widest;
        if ways.safe >= rest { Step::SafeForever } else { Step::SafeUntil(instant.time + ways.safe) }
    }

    /// A half-space that turns sweeps all of space: only the plane that turns with it separates, and its lever is the whole
    /// distance from its centre.
    fn beside_turning_half_space(&self, instant: &Instant, look: &Look, cache: &GjkCache, room: Real) -> Step {
        let motion = self.pair.motion;
        let rest = motion.length - instant.time;
        let (spin, speed) = (motion.a.velocity, motion.a.speed);
        let lever = spin.cross(&instant.offset).norm().max(spin.cross(&motion.offset_at(motion.length)).norm());
        let bound = motion.velocity.norm()
            + lever
            + speed * self.pair.bounds_b.size
            + motion.b.speed * self.pair.bounds_b.reach;
        let floor = room / bound;
        let mut hints = Hints { a: cache.hint_a(), b: cache.hint_b() };
        let turning = self.pair.plane(instant, &look.normal, &spin, &mut hints);
        let closing = self.closing(instant, look);
        let mut ways = Stretch { room, closing, target: HALF * self.tolerance, safe: floor, widest: 0.0 };
        self.lengthen(&mut ways, &turning, rest.min(FAR_TURNED / speed), &mut hints);
        if ways.safe >= rest { Step::SafeForever } else { Step::SafeUntil(instant.time + ways.safe) }
    }

    /// How fast the gap closes at the witness points, m/s.
    fn closing(&self, instant: &Instant, look: &Look) -> Real {
        let motion = self.pair.motion;
        let arm_a = instant.rotation_a * (look.core_a - motion.a.local_centre);
        let arm_b = instant.rotation_b * (look.core_b - motion.b.local_centre);
        let velocity = motion.velocity + motion.b.velocity.cross(&arm_b) - motion.a.velocity.cross(&arm_a);
        -look.normal.dot(&velocity)
    }

    /// The angular velocity at which the nearest features turn the direction between them; zero to leave it fixed.
    fn spin(&self, instant: &Instant, look: &Look, cache: &GjkCache) -> Vector {
        let motion = self.pair.motion;
        if self.direction != Direction::Nearest {
            return motion.a.velocity;
        }
        let (points_a, points_b) = (cache.distinct_a(), cache.distinct_b());
        match (points_a.as_slice(), points_b.as_slice()) {
            ([_], [_]) => Vector::zeros(),
            ([a, end_a], [b, end_b]) => {
                let (edge_a, edge_b) = (instant.rotation_a * (end_a - a), instant.rotation_b * (end_b - b));
                edge_spin(&look.normal, &edge_a, &motion.a.velocity, &edge_b, &motion.b.velocity)
            }
            (a, b) if a.len() > b.len() => motion.a.velocity,
            (a, b) if a.len() < b.len() => motion.b.velocity,
            // Face on face, or the line of a smooth side on one: the plane stays with the one that leaves the other sooner.
            _ if motion.a.speed > motion.b.speed => motion.a.velocity,
            _ => motion.b.velocity,
        }
    }

    fn look(&self, instant: &Instant, cache: &mut GjkCache) -> Look {
        let radii = self.pair.bounds_a.radius + self.pair.bounds_b.radius;
        // The bounds need only tell contact from none: an eighth of the tolerance decides that.
        let goal = GjkGoal { relative: FAR_ACCURACY, absolute: 0.125 * self.tolerance, ..GjkGoal::EXACT };
        let look = self.look_with(instant, cache, &goal);
        // Relative to a core distance that is mostly radii, the goal may have been too loose for the surfaces.
        if look.distance > self.tolerance && radii > 0.0 && look.lower < (1.0 - 10.0 * FAR_ACCURACY) * look.distance {
            return self.look_with(instant, cache, &GjkGoal { relative: 0.0, ..goal });
        }
        look
    }

    fn look_with(&self, instant: &Instant, cache: &mut GjkCache, goal: &GjkGoal) -> Look {
        let motion = self.pair.motion;
        let radii = self.pair.bounds_a.radius + self.pair.bounds_b.radius;
        if let Direction::OfA(local) = self.direction {
            return self.look_from_plane(instant, &local, cache);
        }
        let into_a = instant.rotation_a.transpose();
        let relative = RelativePose {
            rotation: into_a * instant.rotation_b,
            translation: into_a * (instant.offset - instant.rotation_b * motion.b.local_centre.coords)
                + motion.a.local_centre.coords,
        };
        let found = separation(self.pair.a, self.pair.b, &relative, cache, goal);
        Look {
            lower: found.lower - radii,
            distance: found.distance - radii,
            normal: instant.rotation_a * found.normal,
            core_a: found.point_a.into(),
            core_b: relative.rotation.tr_mul(&(found.point_b - relative.translation)).into(),
        }
    }

    /// A is a half-space: its normal is the only direction there is, and the distance along it is exact.
    fn look_from_plane(&self, instant: &Instant, local: &Vector, cache: &mut GjkCache) -> Look {
        let motion = self.pair.motion;
        let normal = instant.rotation_a * local;
        let direction = instant.rotation_b.tr_mul(&normal);
        let support = self.pair.b.support(&-direction, cache.hint_b());
        let origin_a = motion.a.local_centre.coords.dot(local);
        let height = normal.dot(&instant.offset) + direction.dot(&(support.point - motion.b.local_centre)) + origin_a;
        cache.remember_b(support.vertex, &support.point);
        let distance = height - self.pair.bounds_b.radius;
        let to_b = instant.offset + instant.rotation_b * (support.point - motion.b.local_centre);
        let core_b_in_a = instant.rotation_a.tr_mul(&to_b) + motion.a.local_centre.coords;
        Look {
            lower: distance - self.pair.rounding,
            distance,
            normal,
            core_a: (core_b_in_a - local * height).into(),
            core_b: support.point,
        }
    }

    fn touch(&self, instant: &Instant, look: &Look, cache: &GjkCache) -> Touch {
        let motion = self.pair.motion;
        let (radius_a, radius_b) = (self.pair.bounds_a.radius, self.pair.bounds_b.radius);
        let centre_a = motion.centre_a_at(instant.time);
        let arm_a = instant.rotation_a * (look.core_a - motion.a.local_centre);
        let arm_b = instant.offset + instant.rotation_b * (look.core_b - motion.b.local_centre);
        // Between rounded solids the normal is the line of the witness points, so that both lie on it, unless a smooth core has
        // the direction better than its points.
        let rounded = self.direction == Direction::Nearest && radius_a + radius_b > 0.0;
        let between = (arm_b - arm_a).try_normalize(0.0).filter(|_| rounded);
        let mut hints = Hints { a: cache.hint_a(), b: cache.hint_b() };
        let mut gap = |normal: &Vector| self.pair.plane(instant, normal, &Vector::zeros(), &mut hints).gap();
        let normal = match between {
            Some(line) if gap(&line) >= gap(&look.normal) - CONTACT_ACCURACY * self.tolerance => line,
            _ => look.normal,
        };
        Touch {
            time: instant.time,
            separation: look.distance,
            normal,
            point_a: centre_a + arm_a + normal * radius_a,
            point_b: centre_a + arm_b - normal * radius_b,
            features: FeaturePair {
                a: self.pair.a.feature_of(cache.vertices_a().as_slice()),
                b: self.pair.b.feature_of(cache.vertices_b().as_slice()),
            },
        }
    }
}

/// The normal of the flat side of a solid whose outward normal is nearest to a unit direction, both world; `None` where it is round there.
fn side_towards(solid: &(impl SupportMap + ?Sized), rotation: &Matrix, towards: &Vector) -> Option<Vector> {
    let mut side = Vec::new();
    solid.support_face(&rotation.tr_mul(towards), &mut side);
    let (&first, others) = side.split_first()?;
    let area: Vector = others.windows(2).map(|pair| (pair[0] - first).cross(&(pair[1] - first))).sum();
    Some(rotation * area.try_normalize(0.0)?)
}

/// The angular velocity that keeps `normal` across two turning edges, or zero where they are too parallel for one.
fn edge_spin(normal: &Vector, edge_a: &Vector, velocity_a: &Vector, edge_b: &Vector, velocity_b: &Vector) -> Vector {
    let across_a = edge_a.cross(normal);
    let across_b = edge_b.cross(normal);
    let determinant = edge_a.dot(&across_b);
    let rate_a = -normal.dot(&velocity_a.cross(edge_a));
    let rate_b = -normal.dot(&velocity_b.cross(edge_b));
    let turn = (across_b * rate_a - across_a * rate_b) / determinant;
    let spin = normal.cross(&turn);
    // Near-parallel edges would have the plane whirl.
    if spin.norm_squared() <= 4.0 * (velocity_a.norm_squared() + velocity_b.norm_squared()) {
        spin
    } else {
        Vector::zeros()
    }
}
