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

use super::kinematics::{Instant, PairMotion};
use crate::detection::field::cells::{Cell, Cells, Divided};
use crate::detection::field::separate::{Plane, Proof, prove, prove_beyond};
use crate::detection::field::witness::{Pair, Witness};
use crate::detection::queue::{Queue, Ranked};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::field::{Enclosure, Field, Region};
use crate::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use crate::stats::QueryStats;
use crate::volume::Sphere;

/// The share of ε by which everything is proven apart before a contact.
const MARGIN: Real = 0.25;
/// The share of ε at which two points are near enough to end the search for nearer ones.
const ENOUGH: Real = 0.5;
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
    /// No acceleration there is larger, m/s².
    acceleration: Real,
}

/// What is certain of a cell from an instant on.
enum Certain {
    /// Apart for this many seconds at least.
    For(Real),
    /// Apart to the end.
    Forever,
}

/// Room for the facets of one look.
#[derive(Default)]
struct Scratch {
    enclosure: Enclosure,
    planes: Vec<Plane>,
}

impl FieldSearch<'_> {
    pub fn run(&mut self, stats: &mut QueryStats) -> FieldFound {
        let Some(root) = self.cells.root() else { return FieldFound::Apart };
        let mut queue = Queue::new();
        queue.push(0.0, Entry { cell: root, looked: Real::INFINITY });
        let mut scratch = Scratch::default();
        let mut parts = Vec::new();
        while let Some((time, entry)) = queue.pop() {
            if stats.total() >= self.budget {
                return FieldFound::Undecided(time);
            }
            stats.advances += 1;
            let cell = self.cells.get(entry.cell);
            let at = self.motion.at(time);
            let (safe, divide) = match self.certain(&cell, &at, &mut scratch, stats) {
                (Certain::Forever, _) => continue,
                (Certain::For(safe), divide) => (safe, divide),
            };
            // What is inside can only be met through the surface, whose cells are watched.
            if safe > 0.0 && cell.is_inside {
                continue;
            }
            if !divide && time + safe > time {
                queue.push(time + safe, entry);
                continue;
            }
            let mut looked = entry.looked;
            // A cell below the tolerance is at most its own size from being a touch: at a crease the bound of the distance
            // may stay above zero in ever smaller cells, which only points can end.
            let near = safe <= 0.0 || cell.radius <= self.tolerance;
            if near && !Cells::is_node(&cell) && cell.radius <= LOOK_AGAIN * looked {
                looked = cell.radius;
                stats.distance_queries += 1;
                if let Some(touch) = self.touch(&cell, &at) {
                    return FieldFound::Touching(touch);
                }
            }
            if cell.radius <= self.rounding {
                return FieldFound::Undecided(time);
            }
            parts.clear();
            self.cells.split(entry.cell, &mut parts);
            stats.nodes_visited += parts.len() as u64;
            for &cell in &parts {
                queue.push(time + safe, Entry { cell, looked });
            }
        }
        FieldFound::Apart
    }

    /// For how long the cell is apart from the other solid, and whether it should be divided all the same.
    fn certain(&self, cell: &Cell, at: &Instant, scratch: &mut Scratch, stats: &mut QueryStats) -> (Certain, bool) {
        let margin = MARGIN * self.tolerance + self.rounding;
        let rest = self.motion.length - at.time;
        let straight = self.apart_in_balls(cell, at, margin);
        if straight > rest {
            return (Certain::Forever, false);
        }
        let path = self.path(cell, at, rest);
        let gap = self.other.distance(&path.place) - cell.radius - margin;
        let by_distance = if gap > 0.0 { time_to_cover(gap, path.speed, path.acceleration) } else { 0.0 };
        let known = straight.max(by_distance);
        if known > rest {
            return (Certain::Forever, false);
        }
        // The time in which the cell moves by its own size: beyond it half-spaces of its neighbourhood say nothing.
        let own = time_to_cover(cell.radius, path.speed, path.acceleration);
        if known > 0.5 * own {
            return (Certain::For(known), false);
        }
        stats.features_tested += 1;
        let ahead = own.max(by_distance).min(rest);
        let reach = cell.radius + path.speed * ahead + 0.5 * path.acceleration * ahead * ahead;
        scratch.enclosure.clear();
        // A little more, for the rounding of the place and for the points within the margin.
        let ball = Sphere { centre: path.place, radius: (reach + margin) * (1.0 + 1e-9) };
        self.other.enclose(&ball, Region::Solid, &mut scratch.enclosure);
        // Whether a smaller cell would see further.
        let mut blurred = false;
        let mut safe = ahead;
        for facets in scratch.enclosure.alternatives() {
            for alternative in 0..Cells::alternatives(cell) {
                scratch.planes.clear();
                self.cells.planes(cell, alternative, &mut scratch.planes);
                scratch.planes.extend(facets.iter().map(|f| Plane {
                    height: f.value - f.error - margin,
                    error: f.error,
                    normal: path.rotation.tr_mul(&f.normal),
                    rate: f.normal.dot(&path.velocity),
                    of_other: true,
                }));
                let extent = self.cells.extent(cell);
                let mut proof = prove(&scratch.planes, &extent, cell.radius);
                let mut lasts = self.lasts(&proof, cell, &path);
                // Planes moved out one by one reach far beyond sharp edges and corners, which shows in small cells.
                if lasts < ahead && facets.len() > 1 && cell.radius <= self.tolerance {
                    scratch.planes.iter_mut().filter(|p| p.of_other).for_each(|p| p.height += margin);
                    let sharper = prove_beyond(&scratch.planes, &extent, cell.radius, margin, Real::INFINITY);
                    let longer = self.lasts(&sharper, cell, &path);
                    if longer > lasts {
                        (proof, lasts) = (sharper, longer);
                    }
                }
                safe = safe.min(lasts);
                blurred |= proof.gap < proof.loss;
                if safe <= 0.0 {
                    return (Certain::For(known), known <= 0.0 || known < 0.1 * own);
                }
            }
        }
        if safe >= rest {
            return (Certain::Forever, false);
        }
        let safe = safe.max(known);
        (Certain::For(safe), blurred && safe < 0.2 * ahead)
    }

    /// How long a proof holds, seconds; zero for none.
    fn lasts(&self, proof: &Proof, cell: &Cell, path: &Path) -> Real {
        if proof.gap.is_nan() || proof.gap <= 0.0 {
            return 0.0;
        }
        let spin = (self.motion.a.velocity - self.motion.b.velocity).norm();
        let closing = proof.share * spin * cell.radius - proof.rate;
        time_to_cover(proof.gap, closing, proof.share * path.acceleration)
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
        let omega = motion.b.speed;
        let furthest =
            lever.norm() + (motion.velocity.norm() * rest + 2.0 * if motion.a.speed > 0.0 { length } else { 0.0 });
        let acceleration = motion.a.speed * motion.a.speed * reach + 2.0 * omega * linear + omega * omega * furthest;
        let place = at.rotation_b.tr_mul(&lever) + motion.b.local_centre.coords;
        Path {
            place: place.into(),
            rotation: at.rotation_b.tr_mul(&at.rotation_a),
            velocity: at.rotation_b.tr_mul(&velocity),
            speed: velocity.norm() * (1.0 + 1e-12),
            acceleration: acceleration * (1.0 + 1e-12),
        }
    }

    /// Two points within the tolerance near the cell, at an instant.
    fn touch(&self, cell: &Cell, at: &Instant) -> Option<FieldTouch> {
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
        if pair.distance > self.tolerance {
            return None;
        }
        // Within the tolerance the points may be far from where the solids are nearest, and the normal with them.
        let whole = Witness { whole_faces: true, ..witness };
        let pair = whole.settled(cell, pair, self.other.bounding_sphere().radius.min(self.reach()));
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
/// `acceleration`.
fn time_to_cover(gap: Real, speed: Real, acceleration: Real) -> Real {
    let root = (speed * speed + 2.0 * acceleration * gap).sqrt();
    let time = if speed + root > 0.0 { 2.0 * gap / (speed + root) } else { Real::INFINITY };
    time * (1.0 - 1e-12)
}
