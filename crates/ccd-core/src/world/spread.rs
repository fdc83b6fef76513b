//! Several bodies that were put into one place: each gets a place of its own around it.
//!
//! **Problem.** Between bodies whose middles coincide one direction is as good as any other, and the least way out is the same for all: pushed
//! apart pair by pair they become a tower, or are thrown far about, after more looks at each other than there are bodies.
//! **Idea.** Room is shared out in boxes as large as the largest of them needs: the first stays, where need be beside what it does not belong to, and the
//! others take the free box that is nearest to each, out of those that have a side in common with one that is taken: so nobody passes through a wall.
//! Of boxes as near those at the sides come first, then those above.
//! **Guarantee.** Who was given a box overlaps nobody else who was, nor what was there. Who found none stays, and is pushed like any other. Two bodies are
//! left to their least way out.
//! **Cost.** A look at the bodies around for each box that is tried, of which there are some times as many as bodies.

use std::collections::{BTreeMap, BTreeSet};

use super::World;
use super::separate::Depths;
use crate::detection::closest::Overlap;
use crate::dynamics::Body;
use crate::id::{BodyId, PairKey};
use crate::math::{DisjointSets, Point, Pose, Real, Rotation, Vector};
use crate::volume::Aabb;

/// Bodies of which the middles are nearer than this share of what the thinner one measures from its middle to its side are in one place.
const NEAR: Real = 0.5;
/// Those whose sizes differ by more than this do not share room out in boxes.
const ALIKE: Real = 2.0;
/// So many share out their room.
const SEVERAL: usize = 3;
/// How often the first is pushed out of what it does not belong to.
const PUSHES: usize = 8;
/// What may not move along an axis may be so far aside of its site, as a share of the resting gap.
const SLIGHT: Real = 1e-3;
/// A site has to be nearer than another by this share to come before it.
const NEARER: Real = 1.0 - 1e-9;
/// The sides of a box, in the order in which they are tried.
const SIDES: [[i32; 3]; 6] = [[1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [0, 1, 0], [0, -1, 0]];

/// Who may be in the way, with the box around it.
type Other<'w> = (BodyId, &'w Body, Aabb);

/// Boxes of one size, side by side.
struct Sites {
    origin: Point,
    frame: Rotation,
    size: Vector,
    /// Those to be tried, in the order in which they came, each with the one that it is beside.
    open: Vec<[[i32; 3]; 2]>,
    seen: BTreeSet<[i32; 3]>,
}

impl Sites {
    fn new(origin: Point, frame: Rotation, size: Vector) -> Self {
        Self { origin, frame, size, open: vec![[[0; 3]; 2]], seen: BTreeSet::from([[0; 3]]) }
    }

    fn middle(&self, site: &[i32; 3]) -> Point {
        self.origin + self.frame * Vector::from_fn(|i, _| Real::from(site[i]) * self.size[i])
    }

    /// The nearest one to a place, of those that may be tried and are `wanted`, and the way there; of those as near one to the side.
    fn nearest(&self, place: &Point, wanted: impl Fn(&Vector) -> bool) -> Option<(usize, Vector)> {
        let mut best: Option<(usize, Vector)> = None;
        for (k, [site, _]) in self.open.iter().enumerate() {
            let way = self.middle(site) - place;
            let comes_before = |best: &Vector| {
                let (length, least) = (way.norm(), best.norm());
                length < NEARER * least || NEARER * length <= least && way.y.abs() < NEARER * best.y.abs()
            };
            if wanted(&way) && best.as_ref().is_none_or(|(_, best)| comes_before(best)) {
                best = Some((k, way));
            }
        }
        best
    }

    /// The site is taken: those beside it may be tried.
    fn take(&mut self, site: [i32; 3]) {
        for side in SIDES {
            let beside = [0, 1, 2].map(|i| site[i] + side[i]);
            if self.seen.insert(beside) {
                self.open.push([beside, site]);
            }
        }
    }
}

/// The middle of the box around a body's shape, which turns with it.
fn middle(body: &Body) -> Point {
    body.pose() * body.shape().as_solid().local_aabb().centre()
}

/// How far a body's sides are from its middle at least, metres.
fn inner(body: &Body) -> Real {
    body.shape().as_solid().local_aabb().half_extents().min()
}

impl World {
    /// Gives those who were put into one place with several others places of their own. Returns whether anybody has moved.
    pub(super) fn spread_what_coincides(&mut self, found: &[(PairKey, Overlap)]) -> bool {
        let mut moved = false;
        for heap in self.heaps_in_one_place(found) {
            for (id, way) in self.ways_apart(&heap) {
                moved |= way != Vector::zeros();
                self.shift(id, way);
            }
        }
        moved
    }

    /// Those who were put into one place with several others, each heap from the heaviest on.
    fn heaps_in_one_place(&self, found: &[(PairKey, Overlap)]) -> Vec<Vec<BodyId>> {
        let near = |pair: &&PairKey| {
            let (Some(a), Some(b)) = (self.body(pair.a), self.body(pair.b)) else { return false };
            let sizes = [a.reach(), b.reach()];
            self.can_move(pair.a)
                && self.can_move(pair.b)
                && (middle(a) - middle(b)).norm() < NEAR * inner(a).min(inner(b))
                && sizes[0].max(sizes[1]) <= ALIKE * sizes[0].min(sizes[1])
        };
        let pairs: Vec<&PairKey> = found.iter().map(|(pair, _)| pair).filter(near).collect();
        let mut bodies: Vec<BodyId> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let number = |id: BodyId| bodies.partition_point(|other| *other < id) as u32;
        let mut sets = DisjointSets::new(bodies.len());
        for pair in pairs {
            sets.join(number(pair.a), number(pair.b));
        }
        let mut heaps: BTreeMap<u32, Vec<BodyId>> = BTreeMap::new();
        for &id in &bodies {
            heaps.entry(sets.find(number(id))).or_default().push(id);
        }
        let mut heaps: Vec<Vec<BodyId>> = heaps.into_values().filter(|heap| heap.len() >= SEVERAL).collect();
        let mass = |id: &BodyId| self.body(*id).map_or(0.0, |body| body.mass_properties().mass);
        for heap in &mut heaps {
            heap.sort_by(|x, y| mass(y).total_cmp(&mass(x)).then(x.cmp(y)));
        }
        heaps
    }

    /// The ways to places of their own around the middle of a heap, of those for whom there are any.
    fn ways_apart(&self, heap: &[BodyId]) -> Vec<(BodyId, Vector)> {
        let gap = self.in_force.resting_gap();
        let members: Vec<&Body> = heap.iter().filter_map(|&id| self.body(id)).collect();
        let Some(&first) = members.first() else { return Vec::new() };
        let is_guided = members.iter().any(|body| body.inverse_mass().iter().any(|free| *free == 0.0));
        // What may not move along some of the world's axes shares out room along these.
        let frame = if is_guided { Rotation::identity() } else { first.pose().rotation };
        let size = |body: &Body| {
            let turned = Pose::from_parts(Default::default(), frame.inverse() * body.pose().rotation);
            body.shape().as_solid().local_aabb().transformed(&turned).half_extents() * 2.0
        };
        let largest = members.iter().map(|body| size(body)).fold(Vector::zeros(), |largest, size| largest.sup(&size));
        let centre = members.iter().map(|body| middle(body).coords).sum::<Vector>() / members.len() as Real;
        let others = self.others(heap);
        let origin = self.beside_others(first, heap[0], centre.into(), &others);
        let mut sites = Sites::new(origin, frame, largest.add_scalar(gap));
        let mut ways = Vec::with_capacity(heap.len());
        for (&id, &body) in heap.iter().zip(&members) {
            let (from, free, own) = (middle(body), body.inverse_mass(), size(body));
            let is_open = |way: &Vector| (0..3).all(|i| free[i] > 0.0 || way[i].abs() <= SLIGHT * gap);
            // What is smaller than its box is looked at on the way there, too: it could be beyond a wall.
            let looks = largest.zip_map(&own, |largest: Real, own: Real| if own > 0.0 { largest / own } else { 1.0 });
            let looks = looks.max().clamp(1.0, ALIKE).ceil();
            while let Some((k, way)) = sites.nearest(&from, is_open) {
                let along_free = |way: Vector| way.zip_map(&free, |way, free: Real| if free > 0.0 { way } else { 0.0 });
                let [site, beside] = sites.open.remove(k);
                let step = sites.middle(&site) - sites.middle(&beside);
                let is_free = |k: i32| {
                    let left = step * (Real::from(k) / looks);
                    self.is_free(id, body, along_free(way - left), &others)
                };
                if (0..looks as i32).all(is_free) {
                    sites.take(site);
                    ways.push((id, along_free(way)));
                    break;
                }
            }
        }
        ways
    }

    /// Who is solid and not of a heap, with the box around it.
    fn others(&self, heap: &[BodyId]) -> Vec<Other<'_>> {
        let heap: BTreeSet<BodyId> = heap.iter().copied().collect();
        let others = self.bodies().filter(|(id, body)| !body.sensor && !heap.contains(id));
        others.map(|(id, body)| (id, body, self.box_around(body))).collect()
    }

    /// The box around a body and its resting gap, metres.
    pub(super) fn box_around(&self, body: &Body) -> Aabb {
        body.shape().as_solid().local_aabb().transformed(body.pose()).inflated(self.in_force.resting_gap())
    }

    /// Whether a body would overlap none of the others if it was moved.
    fn is_free(&self, id: BodyId, body: &Body, way: Vector, others: &[Other<'_>]) -> bool {
        let mut there = body.clone();
        there.pose.translation.vector += way;
        self.deepest(id, &there, others, Depths::Refused).is_none()
    }

    /// The deepest overlap of a body with others that it meets.
    fn deepest(&self, id: BodyId, body: &Body, others: &[Other<'_>], depths: Depths) -> Option<Overlap> {
        let (around, margin) = (self.box_around(body), 0.5 * self.in_force.resting_gap());
        let meets = |(other, solid, aabb): &&Other<'_>| {
            aabb.overlaps(&around) && !body.sensor && self.may_touch((id, body), (*other, solid))
        };
        let overlaps = others.iter().filter(meets).filter_map(|(_, solid, _)| depths.of(body, solid, margin));
        overlaps.max_by(|a, b| a.depth.total_cmp(&b.depth))
    }

    /// Where a body's middle is to be, put at a place and pushed out of whom it overlaps there.
    fn beside_others(&self, body: &Body, id: BodyId, place: Point, others: &[Other<'_>]) -> Point {
        let mut there = body.clone();
        there.pose.translation.vector += place - middle(body);
        for _ in 0..PUSHES {
            let overlap = self.deepest(id, &there, others, Depths::Measured).filter(|o| o.depth.is_finite());
            let Some(Overlap { depth, normal, .. }) = overlap else { break };
            let push = normal * (depth + self.in_force.resting_gap());
            let free = there.inverse_mass();
            there.pose.translation.vector -=
                push.zip_map(&free, |push: Real, free: Real| if free > 0.0 { push } else { 0.0 });
        }
        middle(&there)
    }
}
