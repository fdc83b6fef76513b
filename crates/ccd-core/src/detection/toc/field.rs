//! Time of contact of fields: one search in time over cells of space.
//!
//! **Problem.** The first time at which a solid given by a function comes within ε of any other solid.
//!
//! **Idea.** The one solid is divided into cells (boxes of space around a field, the nodes and triangles of a mesh). Every
//! cell knows a time up to which what it holds is certainly apart from the other solid. The cell whose time is the earliest is
//! looked at next: either a proof holds for a while from there, or the cell is divided, or two points within ε are found: the first
//! contact, for every other cell is certified to a later time.
//!
//! Proofs, the cheapest first:
//! 1. balls around the centres of rotation, whose ways are straight whatever spins;
//! 2. the distance of the cell's centre from the other solid against how fast it can come;
//! 3. a mean of the half-spaces that hold both solids near the cell ([`crate::detection::field::separate`]).
//!
//! **Guarantee.** Never late, within ε at the reported time, for any motion: errors of the half-spaces, of the cell's
//! turning (E2) and of the path's bend in the other's frame (E3) are taken off every proof, and a quarter of ε is kept as
//! a margin.
//!
//! **Limits.** A spin of many turns beside a surface takes steps in proportion to the turns.
//!
//! **Source.** Branch and bound over space and time; Farkas' lemma; the order in time is erratum E5's.

use super::kinematics::{Instant, PairMotion, Turning};
use super::spun::{revolved, spins};
use crate::detection::field::cells::{Cell, Cells, Divided};
use crate::detection::field::separate::{Plane, Proof, prove, prove_beyond};
use crate::detection::field::witness::{Pair, Witness};
use crate::detection::queue::{Queue, Ranked};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::field::{Enclosure, Facet, Field, Region, nearest_surface};
use crate::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use crate::shape::Shape;
use crate::stats::QueryStats;
use crate::volume::{Obb, Sphere};

/// The share of ε by which everything is proven apart before a contact.
const MARGIN: Real = 0.25;
/// The share of ε at which two points are near enough to end the search for nearer ones.
const ENOUGH: Real = 0.5;
/// A cell that distances have carried further so often is asked by half-spaces, too.
const SLOW: u32 = 3;
/// Points are looked for in a cell that was carried further so often.
const PATIENCE: u32 = 10;
/// Proofs within so many margins of none are sought with the margin as a shift of the whole.
const SHARP: Real = 2.0;
/// A proof that holds for as long as it was asked for is asked for so many times as long.
const FURTHER: Real = 6.0;
/// To see which halves of a cell are worth it, so much of the time in which it moves by its own size counts.
const GLANCE: Real = 0.25;
/// A side is halved where that wins so much of what halving the best one does.
const WORTH: Real = 0.36;
/// A side that is shorter than this share of the middle one is not halved.
const FLATTEST: Real = 0.4;
/// No side of a cell becomes longer than so many times its shortest.
const LONGEST: Real = 64.0;
/// Tangents of a convex solid that one look takes at most.
const TANGENTS: usize = 10;
/// A tangent that leaves a place outside by less than this share of the margin is the last.
const WON: Real = 0.05;
/// How exact the nearest point is that a half-space is put through, as a share of ε.
const EXACT: Real = 1e-5;
/// The share of the budget that solids of revolution may take is one of so many.
const SPUN: u64 = 8;
/// Pairs of points are looked for again once a cell is this much smaller.
const LOOK_AGAIN: Real = 0.4;

/// A question about a divided solid (side A) and a field (side B).
pub(crate) struct FieldSearch<'q> {
    pub cells: Cells<'q>,
    pub other: &'q dyn Field,
    /// The other side's outward normal in its frame, where it is a half-space.
    pub flat: Option<Vector>,
    pub motion: &'q PairMotion,
    /// ε, metres.
    pub tolerance: Real,
    /// How far rounding can move a gap, metres.
    pub rounding: Real,
    pub budget: u64,
}

/// Two solids within the tolerance, `time` seconds after the interval's start; places relative to A's centre of rotation, in the world's axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldTouch {
    pub time: Real,
    pub point_a: Vector,
    pub point_b: Vector,
    pub normal: Vector,
    pub separation: Real,
    pub features: FeaturePair,
}

/// What the search found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldFound {
    Touching(FieldTouch),
    /// Certified apart to the interval's end.
    Apart,
    /// Certified apart until this many seconds after the start.
    Undecided(Real),
}

/// A cell, which waits for the time until which it is certified apart.
#[derive(Clone, Copy, Debug)]
struct Entry {
    cell: u32,
    /// The cell size at which points were looked for the last time.
    looked: Real,
    /// How often it was carried further since then, or since it was made.
    steps: u32,
}

impl Ranked for Entry {
    type Rank = u32;

    /// The newest first, which is the smallest.
    fn rank(&self) -> u32 {
        self.cell
    }
}

/// How a cell's centre moves in the other solid's frame from an instant on.
struct Path {
    /// The place there.
    place: Point,
    /// The rotation of the cell's frame there.
    rotation: Matrix,
    /// m/s, there.
    velocity: Vector,
    speed: Real,
    /// m/s², there.
    acceleration: Vector,
    /// No acceleration from there on is larger, m/s².
    most_acceleration: Real,
    /// None changes faster, m/s³.
    most_jerk: Real,
    /// The cell's angular velocity relative to the other solid, in the cell's frame, rad/s.
    spin: Vector,
    /// No point of the cell is accelerated by more relative to its centre, m/s².
    spin_bend: Real,
}

/// How fast a turning about its middle moves points of a box along each axis at most, m/s.
fn turned_by(spin: &Vector, half: &Vector) -> Vector {
    let w = spin.abs();
    Vector::new(w.y * half.z + w.z * half.y, w.z * half.x + w.x * half.z, w.x * half.y + w.y * half.x)
}

/// The size of a cell along its way, where the `other` solid knows of boxes: of a long one across its way that is its width.
fn own_size(cell: &Cell, path: &Path, other: &dyn Field) -> Real {
    let (least, most) = (cell.half.min(), cell.half.max());
    let middle = cell.half.sum() - least - most;
    let is_cube = least + middle >= 1.2 * most;
    if path.speed <= 0.0 || is_cube || !other.is_ruled() || !Cells::is_in_its_box(cell) {
        return cell.radius;
    }
    // What is flat counts as half as thick as it is wide.
    let half = cell.half.map(|h| h.max(0.5 * middle));
    let way = path.rotation.tr_mul(&path.velocity) / path.speed;
    let across = way.component_div(&half).norm();
    if across > 0.0 { (3.0_f64.sqrt() / across).min(cell.radius) } else { cell.radius }
}

/// What is certain of a cell from an instant on.
enum Certain {
    /// Apart for a while.
    For(Known),
    /// Apart to the end.
    Forever,
}

/// What is known of a cell at an instant.
#[derive(Clone, Copy)]
struct Known {
    /// Apart for this many seconds at least.
    safe: Real,
    /// To divide it is worth more than that.
    divide: bool,
    /// By how much it is proven apart at the instant beyond the margin, metres; infinite where that was not asked.
    gap: Real,
}

/// Room for the facets of one look.
#[derive(Default)]
struct Scratch {
    enclosure: Enclosure,
    planes: Vec<Plane>,
}

impl FieldSearch<'_> {
    /// The search from `start` seconds on, up to where the solids are known to be apart.
    pub fn run(&mut self, start: Real, stats: &mut QueryStats) -> FieldFound {
        let Some(root) = self.cells.root() else { return FieldFound::Apart };
        let mut queue = Queue::new();
        queue.push(start, Entry { cell: root, looked: Real::INFINITY, steps: 0 });
        let mut scratch = Scratch::default();
        let mut parts = Vec::new();
        while let Some((time, entry)) = queue.pop() {
            if stats.total() >= self.budget {
                return FieldFound::Undecided(time);
            }
            stats.advances += 1;
            let cell = self.cells.get(entry.cell);
            let at = self.motion.at(time);
            let known = match self.certain(&cell, &at, entry.steps, &mut scratch, stats) {
                Certain::Forever => continue,
                Certain::For(known) => known,
            };
            let Known { safe, divide, gap } = known;
            // What is inside can only be met through the surface, whose cells are watched.
            if safe > 0.0 && cell.is_inside {
                continue;
            }
            // A cell below the tolerance is at most its own size from being a touch: at a crease the bound of the distance
            // may stay above zero in ever smaller cells, which only points can end.
            let near = safe <= 0.0 || cell.radius <= self.tolerance;
            // And what creeps along within the tolerance is one before it is as near as cells can tell apart.
            let is_new = !divide && cell.radius <= LOOK_AGAIN * entry.looked;
            let creeps = (is_new || entry.steps >= PATIENCE) && gap < (ENOUGH - MARGIN) * self.tolerance;
            let mut entry = Entry { steps: entry.steps + 1, ..entry };
            if creeps && !Cells::is_node(&cell) {
                (entry.steps, entry.looked) = (SLOW, cell.radius);
                stats.distance_queries += 1;
                if let Some(touch) = self.touch(&cell, &at, ENOUGH * self.tolerance) {
                    return FieldFound::Touching(touch);
                }
            }
            if !divide && time + safe > time {
                queue.push(time + safe, entry);
                continue;
            }
            if near && !Cells::is_node(&cell) && cell.radius <= LOOK_AGAIN * entry.looked {
                entry.looked = cell.radius;
                stats.distance_queries += 1;
                if let Some(touch) = self.touch(&cell, &at, self.tolerance) {
                    return FieldFound::Touching(touch);
                }
            }
            if cell.radius <= self.rounding {
                return FieldFound::Undecided(time);
            }
            parts.clear();
            let long = self.sides_to_halve(&cell, &at, &mut scratch, stats);
            self.cells.split(entry.cell, long, &mut parts);
            stats.nodes_visited += parts.len() as u64;
            for &cell in &parts {
                queue.push(time + safe, Entry { cell, looked: entry.looked, steps: 0 });
            }
        }
        FieldFound::Apart
    }

    /// The search for the solids of revolution that hold what spins: until it ends, the solids themselves are apart.
    pub fn apart_while_they_spin(&self, divided: &Shape, other: &Shape, stats: &mut QueryStats) -> FieldFound {
        let motion = self.motion;
        let round = |shape: &Shape, turning: &Turning| {
            if spins(turning, motion.length) { revolved(shape, turning) } else { None }
        };
        let (round_a, round_b) = (round(divided, &motion.a), round(other, &motion.b));
        if round_a.is_none() && round_b.is_none() {
            return FieldFound::Undecided(0.0);
        }
        let still = motion.without_turning(round_a.is_some(), round_b.is_some());
        FieldSearch {
            cells: Cells::new(round_a.as_ref().map_or(self.cells.divided, |solid| Divided::Field(solid))),
            other: round_b.as_ref().map_or(self.other, |solid| solid),
            motion: &still,
            budget: self.budget / SPUN,
            ..*self
        }
        .run(0.0, stats)
    }

    /// For how long the cell is apart from the other solid. `steps`: how often that has carried it further.
    fn certain(&self, cell: &Cell, at: &Instant, steps: u32, scratch: &mut Scratch, stats: &mut QueryStats) -> Certain {
        let margin = MARGIN * self.tolerance + self.rounding;
        let rest = self.motion.length - at.time;
        let straight = self.apart_in_balls(cell, at, margin);
        if straight > rest {
            return Certain::Forever;
        }
        let path = self.path(cell, at, rest);
        let gap = self.other.distance(&path.place) - cell.radius - margin;
        let by_distance = if gap > 0.0 { time_to_cover(gap, path.speed, path.most_acceleration) } else { 0.0 };
        let known = straight.max(by_distance);
        if known > rest {
            return Certain::Forever;
        }
        // The time in which the cell moves by its own size: beyond it half-spaces of its neighbourhood may say nothing.
        let own = time_to_cover(own_size(cell, &path, self.other), path.speed, path.most_acceleration);
        if known > 0.5 * own && steps < SLOW {
            return Certain::For(Known { safe: known, divide: false, gap: Real::INFINITY });
        }
        let mut ahead = own.max(by_distance).min(rest);
        let convex = self.by_tangents(cell, &path, rest, margin, scratch, stats);
        let mut found = match convex {
            Some(found) if found.gap > 0.0 && found.safe >= rest => return Certain::Forever,
            // Tangents hold for all the time there is.
            Some(found) => found,
            None => self.by_planes(cell, &path, ahead, margin, scratch, stats),
        };
        // What holds for all the time looked ahead may hold for longer, as beside a plane or a wall that is hollow the right way.
        while convex.is_none() && found.safe >= ahead && ahead < rest {
            let further = (FURTHER * ahead).min(rest);
            let longer = self.by_planes(cell, &path, further, margin, scratch, stats);
            if longer.safe <= found.safe {
                break;
            }
            (found, ahead) = (Known { divide: false, gap: found.gap, ..longer }, further);
        }
        let Known { safe, divide: blurred, gap } = found;
        if safe <= 0.0 {
            return Certain::For(Known { safe: known, divide: known <= 0.0 || known < 0.1 * own, gap });
        }
        if safe >= rest {
            return Certain::Forever;
        }
        let safe = safe.max(known);
        Certain::For(Known { safe, divide: blurred && safe < 0.2 * ahead, gap })
    }

    /// [`FieldSearch::by_planes`] for another solid that is convex, whose tangents hold all of it wherever the cell goes; `None` for
    /// one that is not.
    ///
    /// The place that is the furthest inside all the half-spaces so far is asked for the tangent that leaves it outside, until
    /// they prove the cell apart or the place is in both solids (Kelley's cutting planes).
    fn by_tangents(
        &self,
        cell: &Cell,
        path: &Path,
        rest: Real,
        margin: Real,
        scratch: &mut Scratch,
        stats: &mut QueryStats,
    ) -> Option<Known> {
        // About a place near the cell's centre, in the cell's frame.
        let plane = |facet: Facet, way: &Vector| Plane {
            height: facet.value - facet.error - facet.normal.dot(way) - margin,
            error: facet.error,
            normal: path.rotation.tr_mul(&facet.normal),
            rate: facet.normal.dot(&path.velocity),
            bend: facet.normal.dot(&path.acceleration),
            of_other: true,
        };
        let tangent = |x: &Vector| {
            let way = path.rotation * x;
            Some(plane(self.other.tangent(&(path.place + way))?, &way))
        };
        let supporting = |x: &Vector| {
            let way = path.rotation * x;
            Some(plane(self.supporting(&(path.place + way))?, &way))
        };
        let first = tangent(&Vector::zeros())?;
        let extent = self.cells.extent(cell);
        let mut known = Known { safe: rest, divide: false, gap: Real::INFINITY };
        for alternative in 0..Cells::alternatives(cell) {
            scratch.planes.clear();
            self.cells.planes(cell, alternative, &mut scratch.planes);
            scratch.planes.push(first);
            let mut best: Option<(Real, Proof)> = None;
            for _ in 0..TANGENTS {
                stats.features_tested += 1;
                let proof = prove(&scratch.planes, &extent, cell.radius);
                let lasts = self.lasts_long(&proof, cell, path, rest);
                if best.is_none_or(|(longest, b)| lasts > longest || longest <= 0.0 && proof.gap > b.gap) {
                    best = Some((lasts, proof));
                }
                if lasts >= rest {
                    break;
                }
                let height = |p: &Plane| p.height + p.normal.dot(&proof.lowest);
                // Nothing is left to win but less than a share of the margin.
                let least = scratch.planes.iter().map(height).fold(Real::NEG_INFINITY, Real::max) + WON * margin;
                let higher = |p: &Plane| height(p) > least;
                let next = tangent(&proof.lowest).filter(higher);
                // Moved out by the margin, the tangents beside a sharp edge meet far beyond it.
                let Some(next) = next.or_else(|| supporting(&proof.lowest).filter(higher)) else { break };
                scratch.planes.push(next);
            }
            let (lasts, proof) = best?;
            known.safe = known.safe.min(lasts);
            known.gap = known.gap.min(proof.gap);
            known.divide |= proof.gap < proof.loss;
            if known.gap <= 0.0 {
                break;
            }
        }
        Some(known)
    }

    /// The half-space that holds all of the other solid, which is convex, and is as far from a place outside as that is.
    fn supporting(&self, place: &Point) -> Option<Facet> {
        let solid = self.other.support_map()?;
        let found = nearest_surface(self.other, place, EXACT * self.tolerance)?;
        let normal = (place - found.point).try_normalize(EXACT * self.tolerance)?;
        let support = solid.support(&normal, u32::MAX).point;
        Some(Facet { normal, value: normal.dot(&(place - support)) - solid.radius(), error: 0.0 })
    }

    /// [`FieldSearch::lasts`] without a time that is known beforehand: for some times longer than it lasts in any case, which
    /// bounds what can change until then.
    fn lasts_long(&self, proof: &Proof, cell: &Cell, path: &Path, rest: Real) -> Real {
        let mut safe = self.lasts(proof, cell, path, rest);
        let mut ahead = FURTHER * safe;
        while safe > 0.0 && ahead < rest {
            let longer = self.lasts(proof, cell, path, ahead);
            safe = safe.max(longer);
            if longer < ahead {
                break;
            }
            ahead *= FURTHER;
        }
        safe
    }

    /// For how long half-spaces that hold both solids around the cell prove it apart, up to `ahead` seconds; it is to be divided
    /// if a smaller cell would see further.
    fn by_planes(
        &self,
        cell: &Cell,
        path: &Path,
        ahead: Real,
        margin: Real,
        scratch: &mut Scratch,
        stats: &mut QueryStats,
    ) -> Known {
        stats.features_tested += 1;
        let reach = cell.radius + path.speed * ahead + 0.5 * path.most_acceleration * ahead * ahead;
        scratch.enclosure.clear();
        // A little more, for the rounding of the place and for the points within the margin.
        let ball = Sphere { centre: path.place, radius: (reach + margin) * (1.0 + 1e-9) };
        if Cells::is_in_its_box(cell) && self.other.is_ruled() {
            let around = self.box_of_way(cell, path, ahead, margin);
            self.other.enclose_within(&ball, &around, Region::Solid, &mut scratch.enclosure);
        } else {
            self.other.enclose(&ball, Region::Solid, &mut scratch.enclosure);
        }
        let mut known = Known { safe: ahead, divide: false, gap: Real::INFINITY };
        for facets in scratch.enclosure.alternatives() {
            for alternative in 0..Cells::alternatives(cell) {
                scratch.planes.clear();
                self.cells.planes(cell, alternative, &mut scratch.planes);
                scratch.planes.extend(facets.iter().map(|f| Plane {
                    height: f.value - f.error - margin,
                    error: f.error,
                    normal: path.rotation.tr_mul(&f.normal),
                    rate: f.normal.dot(&path.velocity),
                    bend: f.normal.dot(&path.acceleration),
                    of_other: true,
                }));
                let extent = self.cells.extent(cell);
                let mut proof = prove(&scratch.planes, &extent, cell.radius);
                let mut lasts = self.lasts(&proof, cell, path, ahead);
                // Planes moved out one by one reach far beyond sharp edges and corners.
                if lasts < ahead && facets.len() > 1 && proof.gap.abs() < SHARP * margin {
                    scratch.planes.iter_mut().filter(|p| p.of_other).for_each(|p| p.height += margin);
                    let sharper = prove_beyond(&scratch.planes, &extent, cell.radius, margin, Real::INFINITY);
                    let longer = self.lasts(&sharper, cell, path, ahead);
                    if longer > lasts {
                        (proof, lasts) = (sharper, longer);
                    }
                }
                known.safe = known.safe.min(lasts);
                known.gap = known.gap.min(proof.gap);
                known.divide |= proof.gap < proof.loss;
                if known.safe <= 0.0 {
                    return known;
                }
            }
        }
        known
    }

    /// How long a proof holds, seconds up to `ahead`; zero for none.
    fn lasts(&self, proof: &Proof, cell: &Cell, path: &Path, ahead: Real) -> Real {
        if proof.gap.is_nan() || proof.gap <= 0.0 {
            return 0.0;
        }
        let spin = (self.motion.a.velocity - self.motion.b.velocity).norm();
        let closing = proof.share * spin * cell.radius - proof.rate;
        // By the acceleration as it is now, and as much as it can change in that time.
        let bend = proof.share * path.most_jerk * ahead / 3.0 - proof.bend;
        let bend = bend.min(proof.share * path.most_acceleration);
        let lasts = time_to_cover(proof.gap, closing, bend).min(ahead);
        if lasts >= ahead || spin == 0.0 || !Cells::is_in_its_box(cell) {
            return lasts;
        }
        // The cell's own turning as it is now along the normal, and as much as that can change.
        let turning = proof.of_other.cross(&path.spin).abs().dot(&cell.half);
        let bend = bend + proof.share * path.spin_bend;
        lasts.max(time_to_cover(proof.gap, turning - proof.rate, bend).min(ahead))
    }

    /// A box in the other's frame around all places of a cell in the next `ahead` seconds, with a margin.
    fn box_of_way(&self, cell: &Cell, path: &Path, ahead: Real, margin: Real) -> Obb {
        let blur = 0.5 * (path.most_acceleration + path.spin_bend) * ahead * ahead + margin;
        let way = (path.rotation.tr_mul(&path.velocity).abs() + turned_by(&path.spin, &cell.half)) * ahead;
        let half_extents = (cell.half + way).add_scalar(blur) * (1.0 + 1e-9);
        Obb { centre: path.place, axes: path.rotation, half_extents }
    }

    /// The sides along which to halve a cell: all long ones, or those by which most is won where cells may be long.
    fn sides_to_halve(
        &mut self,
        cell: &Cell,
        at: &Instant,
        scratch: &mut Scratch,
        stats: &mut QueryStats,
    ) -> [bool; 3] {
        let long = Cells::long_sides(cell);
        if !self.cells.may_be_long(cell, self.other) {
            return long;
        }
        let margin = MARGIN * self.tolerance + self.rounding;
        let rest = self.motion.length - at.time;
        let path = self.path(cell, at, rest);
        let own = time_to_cover(own_size(cell, &path, self.other), path.speed, path.most_acceleration);
        let ahead = (GLANCE * own).min(rest);
        let whole = self.by_planes(cell, &path, ahead, margin, scratch, stats).gap;
        let gains: [Real; 3] = std::array::from_fn(|k| match self.cells.middle(cell, k) {
            Some(middle) => {
                let gap = self.by_planes(&middle, &path, ahead, margin, scratch, stats).gap;
                self.cells.forget(&middle);
                gap - whole
            }
            None => Real::INFINITY,
        });
        let (shortest, longest) = (cell.half.min(), cell.half.max());
        // What comes to an edge would be cut into ever thinner plates across its way, of which each comes there, too.
        let is_flat = |k: usize| cell.half[k] < FLATTEST * (cell.half.sum() - shortest - longest);
        let best = (0..3).filter(|k| !is_flat(*k)).map(|k| gains[k]).fold(Real::NEG_INFINITY, Real::max);
        let worth = |k: usize| {
            // Never so long that nothing else ever gets its turn.
            let is_long = cell.half[k] > LONGEST * shortest;
            is_long || gains[k] >= WORTH * best && !is_flat(k)
        };
        // Where nothing is known, or nothing won, cells become cubes.
        if !best.is_finite() || best <= 0.0 { long } else { std::array::from_fn(worth) }
    }

    /// The seconds for which balls around what turns, which move straight, stay apart.
    fn apart_in_balls(&self, cell: &Cell, at: &Instant, margin: Real) -> Real {
        let motion = self.motion;
        let arm = cell.centre - motion.a.local_centre;
        // About the centre of rotation where the solid turns, about the cell itself where it does not.
        let (place_a, radius_a) = if motion.a.speed > 0.0 {
            (Vector::zeros(), arm.norm() + cell.radius)
        } else {
            (at.rotation_a * arm, cell.radius)
        };
        let mut longest = 0.0;
        let sphere = self.other.bounding_sphere();
        if sphere.radius.is_finite() {
            let arm = sphere.centre - motion.b.local_centre;
            let (place_b, radius_b) = if motion.b.speed > 0.0 {
                (at.offset, arm.norm() + sphere.radius)
            } else {
                (at.offset + at.rotation_b * arm, sphere.radius)
            };
            longest = straight_apart(&(place_b - place_a), &motion.velocity, radius_a + radius_b + margin);
        }
        if motion.b.speed == 0.0 && motion.a.speed > 0.0 {
            // The other only moves straight: its distance from A's centre of rotation.
            let place = at.rotation_b.tr_mul(&(place_a - at.offset)) + motion.b.local_centre.coords;
            let gap = self.other.distance(&place.into()) - radius_a - margin;
            if gap > 0.0 {
                longest = longest.max(gap / motion.velocity.norm());
            }
        }
        longest
    }

    fn path(&self, cell: &Cell, at: &Instant, rest: Real) -> Path {
        let motion = self.motion;
        let arm = at.rotation_a * (cell.centre - motion.a.local_centre);
        let lever = arm - at.offset;
        let velocity = motion.a.velocity.cross(&arm) - motion.velocity - motion.b.velocity.cross(&lever);
        let (reach, length) = (motion.a.axis.cross(&arm).norm() + 4.0 * Real::EPSILON * arm.norm(), arm.norm());
        let linear = motion.velocity.norm() + motion.a.speed * reach;
        let (spin, omega) = (motion.a.speed, motion.b.speed);
        let furthest = lever.norm() + (motion.velocity.norm() * rest + 2.0 * if spin > 0.0 { length } else { 0.0 });
        // The lever's derivatives seen in the world, and from them in the other's turning frame.
        let (turn_a, turn_b) = (&motion.a.velocity, &motion.b.velocity);
        let first = turn_a.cross(&arm) - motion.velocity;
        let second = turn_a.cross(&turn_a.cross(&arm));
        let acceleration = second - turn_b.cross(&first) * 2.0 + turn_b.cross(&turn_b.cross(&lever));
        let most_acceleration = spin * spin * reach + 2.0 * omega * linear + omega * omega * furthest;
        let most_jerk = spin * spin * reach * (spin + 3.0 * omega)
            + 3.0 * omega * omega * linear
            + omega * omega * omega * furthest;
        let place = at.rotation_b.tr_mul(&lever) + motion.b.local_centre.coords;
        let relative = turn_a - turn_b;
        let spin_local = at.rotation_a.tr_mul(&relative);
        // About one axis a point's acceleration is towards it; else that of both turns together.
        let speed = relative.norm();
        let spin_bend = if turn_a.cross(turn_b) == Vector::zeros() {
            speed * turned_by(&spin_local, &cell.half).norm()
        } else {
            speed * (spin + omega) * cell.radius
        };
        Path {
            place: place.into(),
            rotation: at.rotation_b.tr_mul(&at.rotation_a),
            velocity: at.rotation_b.tr_mul(&velocity),
            speed: velocity.norm() * (1.0 + 1e-12),
            acceleration: at.rotation_b.tr_mul(&acceleration),
            most_acceleration: most_acceleration * (1.0 + 1e-12),
            most_jerk: most_jerk * (1.0 + 1e-12),
            spin: spin_local,
            spin_bend: spin_bend * (1.0 + 1e-12),
        }
    }

    /// Two points within `reach` metres of each other near the cell, at an instant.
    fn touch(&self, cell: &Cell, at: &Instant, reach: Real) -> Option<FieldTouch> {
        let motion = self.motion;
        let rotation = at.rotation_a.tr_mul(&at.rotation_b);
        let origin =
            motion.a.local_centre.coords + at.rotation_a.tr_mul(&at.offset) - rotation * motion.b.local_centre.coords;
        // In closed form: the iterative extraction stops short of half a turn.
        let turn = Rotation::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(rotation));
        let witness = Witness {
            cells: &self.cells,
            other: self.other,
            other_pose: Pose::from_parts(origin.into(), turn),
            fine: (1e-7 * self.tolerance).max(0.01 * self.rounding),
            whole_faces: false,
        };
        let pair = witness.near(cell, ENOUGH * self.tolerance)?;
        let whole = Witness { whole_faces: true, ..witness };
        let settled = |pair| whole.settled(cell, pair, self.other.bounding_sphere().radius.min(self.reach()));
        // Within the tolerance the points may be far from where the solids are nearest, and the normal with them; so may points
        // be that are further apart than a cell that cannot be proven apart is large.
        let pair = if pair.distance <= reach || cell.radius < pair.distance { settled(pair) } else { pair };
        if pair.distance > reach {
            return None;
        }
        let pair = self.flat.map_or(pair, |normal| pair.over_plane(&(turn * normal), &origin));
        Some(self.answer(&pair, cell, at))
    }

    /// The size of the divided solid, metres.
    fn reach(&self) -> Real {
        match self.cells.divided {
            Divided::Field(field) => field.bounding_sphere().radius,
            Divided::Mesh(mesh) => mesh.mesh().aabb().half_extents().norm(),
            Divided::Patches(surface) => surface.surface().aabb().half_extents().norm(),
        }
    }

    fn answer(&self, pair: &Pair, cell: &Cell, at: &Instant) -> FieldTouch {
        let place = |p: &Point| at.rotation_a * (p - self.motion.a.local_centre);
        FieldTouch {
            time: at.time,
            point_a: place(&pair.point_a),
            point_b: place(&pair.point_b),
            normal: at.rotation_a * pair.normal,
            separation: pair.distance,
            features: FeaturePair { a: self.cells.feature(cell), b: Feature::Face(0) },
        }
    }
}

/// The seconds until two points that are `offset` apart and move with `velocity` relative to each other can be within
/// `distance`; infinite if never.
fn straight_apart(offset: &Vector, velocity: &Vector, distance: Real) -> Real {
    let (a, b) = (velocity.norm_squared(), offset.dot(velocity));
    let c = offset.norm_squared() - distance * distance;
    // Also where it is no number.
    if c.is_nan() || c <= 0.0 {
        return 0.0;
    }
    let root = b * b - a * c;
    if b >= 0.0 || root < 0.0 {
        return Real::INFINITY;
    }
    // Rounded down.
    c / (root.sqrt() - b) * (1.0 - 1e-12)
}

/// The seconds in which a way of `gap` metres cannot be covered at first `speed` (negative: away) with at most this
/// `acceleration` (negative: ever slower).
fn time_to_cover(gap: Real, speed: Real, acceleration: Real) -> Real {
    let square = speed * speed + 2.0 * acceleration * gap;
    let sum = speed + square.max(0.0).sqrt();
    let time = if square >= 0.0 && sum > 0.0 { 2.0 * gap / sum } else { Real::INFINITY };
    time * (1.0 - 1e-12)
}
