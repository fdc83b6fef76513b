//! A part of the surface covered by a few spheres that stick out little.
//!
//! **Idea.** Every piece of the part goes to the sphere, of many around the medial axis, that has to grow the least to hold
//! it. Spheres whose pieces adjoin are merged, two at a time, those first whose common sphere sticks out the least, until few
//! enough are left (Hubbard). Then each middle is moved to where its sphere sticks out least, pieces change to spheres that
//! need grow less for them, and so on for some rounds, of which the best counts. Starting from the eighths of the part's box
//! instead is tried as well: the better of the two is taken.
//! **Guarantee.** Each sphere holds all corners of its pieces, and every piece is in one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::cover::{error_of, reaching};
use crate::bounds::IndexedMesh;
use crate::geometry::mesh::triangle::closest_point;
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Sphere};

/// Rounds of moving middles and pieces: later ones hardly gain.
const ROUNDS: usize = 4;

/// A part of the surface, cut into triangular pieces.
#[derive(Clone, Default)]
pub(super) struct Patch {
    pub(super) corners: Vec<Point>,
    pub(super) pieces: Vec<[u32; 3]>,
}

/// Some pieces of a patch and a sphere around them.
#[derive(Clone)]
pub(super) struct Group {
    pub(super) pieces: Vec<u32>,
    pub(super) sphere: Sphere,
    pub(super) error: Real,
}

impl Patch {
    fn places(&self, piece: u32) -> [Point; 3] {
        self.pieces[piece as usize].map(|v| self.corners[v as usize])
    }

    /// Cuts every piece with a side longer than `longest` in two, through the middle of its longest side, until there is none.
    pub(super) fn refine(&mut self, longest: Real) {
        let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut next = 0;
        while next < self.pieces.len() {
            let piece = self.pieces[next];
            let places = self.places(next as u32);
            let side = |k: usize| (places[(k + 1) % 3] - places[k]).norm();
            let k = (0..3).fold(0, |best, k| if side(k) > side(best) { k } else { best });
            if side(k) <= longest {
                next += 1;
                continue;
            }
            let [from, to, across] = [0, 1, 2].map(|i| piece[(k + i) % 3]);
            let middle = *middles.entry((from.min(to), from.max(to))).or_insert_with(|| {
                self.corners.push(nalgebra::center(&places[k], &places[(k + 1) % 3]));
                (self.corners.len() - 1) as u32
            });
            // The first half stands in its place, to be looked at again.
            self.pieces[next] = [from, middle, across];
            self.pieces.push([middle, to, across]);
        }
    }

    /// These pieces alone.
    pub(super) fn part(&self, pieces: &[u32]) -> Self {
        let mut renumbered: BTreeMap<u32, u32> = BTreeMap::new();
        let mut part = Self::default();
        for &piece in pieces {
            part.pieces.push(self.pieces[piece as usize].map(|v| {
                *renumbered.entry(v).or_insert_with(|| {
                    part.corners.push(self.corners[v as usize]);
                    (part.corners.len() - 1) as u32
                })
            }));
        }
        part
    }

    /// The area of all pieces, square metres.
    pub(super) fn area(&self) -> Real {
        (0..self.pieces.len() as u32)
            .map(|i| {
                let [a, b, c] = self.places(i);
                0.5 * (b - a).cross(&(c - a)).norm()
            })
            .sum()
    }

    /// The corners of these pieces, each once.
    fn corners_of(&self, pieces: &[u32]) -> Vec<Point> {
        let mut numbers: Vec<u32> = pieces.iter().flat_map(|&i| self.pieces[i as usize]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|v| self.corners[v as usize]).collect()
    }
}

/// By how much, as a share of it, a depth may be told too small while middles are looked for: from a middle of the medial axis
/// large parts of the surface are about as far. The errors of the spheres that come of it are told exactly.
const SLACK: Real = 1e-3;

/// How many faces are remembered that have been nearest to a middle.
const WITNESSES: usize = 12;

/// A middle and how deep it is inside, at least.
#[derive(Clone, Copy)]
struct Ball {
    centre: Point,
    depth: Real,
    /// A face that is about nearest, if one was looked at.
    face: Option<u32>,
}

/// Faces that were nearest to middles nearby: a middle is no deeper than it is far from any of them, which mostly spares
/// the search for the nearest.
struct Witnesses(Vec<u32>);

impl Witnesses {
    fn add(&mut self, face: Option<u32>) {
        let Some(face) = face else { return };
        self.0.retain(|&f| f != face);
        self.0.insert(0, face);
        self.0.truncate(WITNESSES);
    }

    /// The nearest of them to a middle: its distance, and which it is.
    fn nearest(&self, mesh: &IndexedMesh, middle: &Point) -> (Real, Option<u32>) {
        let squared = self.0.iter().map(|&f| (distance_squared(mesh, middle, f), Some(f)));
        let none = (Real::INFINITY, None);
        let (squared, face) = squared.fold(none, |best, next| if next.0 < best.0 { next } else { best });
        (squared.sqrt(), face)
    }
}

fn distance_squared(mesh: &IndexedMesh, p: &Point, face: u32) -> Real {
    (closest_point(&mesh.triangle(face), p).0 - p).norm_squared()
}

/// The distance of the surface from a point, at most by [`SLACK`] too small, and the face, if it is not that from which `known`, the
/// distance of some part of the surface, is told already.
fn distance(mesh: &IndexedMesh, p: &Point, known: Real) -> (Real, Option<u32>) {
    let most = known / (1.0 + SLACK);
    match mesh.tree().closest_nearly(p, most, SLACK, |f| distance_squared(mesh, p, f)) {
        Some((squared, face)) => (squared.sqrt() / (1.0 + SLACK), Some(face)),
        None => (most, None),
    }
}

impl Ball {
    /// `known`: the distance of the surface at most, infinite for any; `face`: which is so near.
    fn at(mesh: &IndexedMesh, centre: Point, (known, face): (Real, Option<u32>)) -> Self {
        let (distance, nearer) = distance(mesh, &centre, known);
        let depth = if mesh.contains(&centre) { distance } else { -distance };
        Self { centre, depth, face: nearer.or(face) }
    }

    /// How far a sphere around this middle that holds `points` sticks out.
    fn error(&self, points: &[&[Point]]) -> Real {
        furthest(&self.centre, points) - self.depth
    }

    /// The ball around `to`, with its error, where that is less than `limit`; its depth, the costly part, is only asked for where it
    /// could be: it cannot change by more than the way, nor exceed the distance of a face.
    fn moved(
        &self,
        mesh: &IndexedMesh,
        to: Point,
        points: &[&[Point]],
        limit: Real,
        witnesses: &mut Witnesses,
    ) -> Option<(Real, Self)> {
        let (way, reach) = ((to - self.centre).norm(), furthest(&to, points));
        if reach - (self.depth * (1.0 + 2.0 * SLACK) + way) >= limit {
            return None;
        }
        let (known, near) = witnesses.nearest(mesh, &to);
        if reach - known >= limit {
            return None;
        }
        // Nearer to the old middle than the surface is, the new one is on the same side.
        let ball = if way < self.depth {
            let (depth, nearer) = distance(mesh, &to, known);
            Self { centre: to, depth, face: nearer.or(near) }
        } else {
            Self::at(mesh, to, (known, near))
        };
        witnesses.add(ball.face);
        (reach - ball.depth < limit).then_some((reach - ball.depth, ball))
    }
}

/// The distance of the furthest of these points, which are told in parts.
fn furthest(centre: &Point, points: &[&[Point]]) -> Real {
    points.iter().copied().flatten().map(|p| (p - centre).norm_squared()).fold(0.0, Real::max).sqrt()
}

/// For each piece, the ball that has to grow the least, of equals the first.
fn assign(patch: &Patch, pieces: impl Iterator<Item = u32>, balls: &[Ball]) -> Vec<Vec<u32>> {
    let mut groups = vec![Vec::new(); balls.len()];
    for piece in pieces {
        let places = patch.places(piece);
        let mut best = (Real::INFINITY, 0);
        for (i, ball) in balls.iter().enumerate() {
            let error = ball.error(&[&places]);
            if error < best.0 {
                best = (error, i);
            }
        }
        if let Some(group) = groups.get_mut(best.1) {
            group.push(piece);
        }
    }
    groups
}

/// At most `most` groups that together have all pieces of `patch`, with their spheres; `middles` are places to start from, with the
/// distance of the surface at most.
pub(super) fn cover_by_few(mesh: &IndexedMesh, patch: &Patch, middles: &[Sphere], most: usize) -> Vec<Group> {
    // More to start from than this gains nothing that the moving of middles does not.
    let kept = 16 * most;
    // Few pieces tell well enough which middles are of use.
    const TOLD_BY: usize = 1500;
    let at = |s: &Sphere| Ball::at(mesh, s.centre, (s.radius, None));
    let mut balls: Vec<Ball> = middles.iter().map(at).filter(|b| b.depth > 0.0).collect();
    if balls.is_empty() {
        // Nothing inside was found: the pieces' own middle is a start.
        let middle = patch.corners.iter().map(|p| p.coords).sum::<Vector>() / patch.corners.len().max(1) as Real;
        balls.push(Ball::at(mesh, middle.into(), (Real::INFINITY, None)));
    }
    let step = patch.pieces.len().div_ceil(TOLD_BY).max(1);
    let mut useful: Vec<(usize, usize)> = assign(patch, (0..patch.pieces.len() as u32).step_by(step), &balls)
        .iter()
        .enumerate()
        .map(|(i, group)| (group.len(), i))
        .filter(|(count, _)| *count > 0)
        .collect();
    useful.sort_by_key(|&(count, i)| (Reverse(count), i));
    useful.truncate(kept);
    useful.sort_by_key(|&(_, i)| i);
    let balls: Vec<Ball> = useful.into_iter().map(|(_, i)| balls[i]).collect();

    let along_axis = improved(mesh, patch, merged(mesh, patch, &balls, most));
    // Where a part is as regular as a box, what is in its eighths may do better.
    let octants = by_octants(mesh, patch);
    if octants.len() > most {
        return along_axis;
    }
    let in_octants = improved(mesh, patch, octants);
    if worst(&in_octants) < worst(&along_axis) { in_octants } else { along_axis }
}

fn worst(groups: &[Group]) -> Real {
    groups.iter().map(|g| g.error).fold(0.0, Real::max)
}

/// The best of some rounds of moving middles to where their spheres stick out least and pieces to the spheres that need grow less.
fn improved(mesh: &IndexedMesh, patch: &Patch, groups: Vec<Group>) -> Vec<Group> {
    let mut groups = groups;
    let mut best = groups.clone();
    for _ in 0..ROUNDS {
        let balls: Vec<Ball> = groups.iter().map(|g| settled(mesh, &patch.corners_of(&g.pieces), &g.sphere)).collect();
        groups = assign(patch, 0..patch.pieces.len() as u32, &balls)
            .into_iter()
            .zip(&balls)
            .filter(|(pieces, _)| !pieces.is_empty())
            .map(|(pieces, ball)| group_around(mesh, patch, pieces, ball))
            .collect();
        if worst(&groups) < worst(&best) {
            best = groups.clone();
        }
    }
    best
}

/// The pieces in each eighth of the space around the middle of the patch's box, in the smallest spheres.
fn by_octants(mesh: &IndexedMesh, patch: &Patch) -> Vec<Group> {
    let middle = Aabb::from_points(&patch.corners).centre();
    let mut octants: [Vec<u32>; 8] = Default::default();
    for piece in 0..patch.pieces.len() as u32 {
        let [a, b, c] = patch.places(piece);
        let from_middle = (a.coords + b.coords + c.coords) / 3.0 - middle.coords;
        let octant = (0..3).map(|k| usize::from(from_middle[k] > 0.0) << k).sum::<usize>();
        octants[octant].push(piece);
    }
    octants
        .into_iter()
        .filter(|pieces| !pieces.is_empty())
        .map(|pieces| {
            let around = Sphere::around(&patch.corners_of(&pieces));
            let sphere = Sphere { centre: around.centre, radius: reaching(around.radius, &around.centre) };
            Group { pieces, sphere, error: error_of(mesh, &sphere) }
        })
        .collect()
}

/// The group with a sphere around the ball's middle.
fn group_around(mesh: &IndexedMesh, patch: &Patch, pieces: Vec<u32>, ball: &Ball) -> Group {
    let radius = reaching(furthest(&ball.centre, &[&patch.corners_of(&pieces)]), &ball.centre);
    let sphere = Sphere { centre: ball.centre, radius };
    Group { pieces, sphere, error: error_of(mesh, &sphere) }
}

/// The axes, and the diagonals of the cube: along the axes alone a middle gets stuck on the ridges of the medial axis.
fn steps() -> impl Iterator<Item = Vector> {
    let axes = (0..3).flat_map(|k| [Vector::ith(k, 1.0), Vector::ith(k, -1.0)]);
    let sign = |i: i32, bit: i32| if i >> bit & 1 == 1 { 0.577 } else { -0.577 };
    axes.chain((0..8).map(move |i| Vector::new(sign(i, 0), sign(i, 1), sign(i, 2))))
}

/// Moves a middle to where the sphere around `points` sticks out least nearby, by ever smaller steps.
fn settled(mesh: &IndexedMesh, points: &[Point], from: &Sphere) -> Ball {
    let points = &[points];
    let mut ball = Ball::at(mesh, from.centre, (Real::INFINITY, None));
    let mut witnesses = Witnesses(ball.face.into_iter().collect());
    let mut error = ball.error(points);
    let mut step = 0.25 * from.radius;
    let finest = 0.01 * from.radius;
    while step > finest {
        let mut next: Option<(Real, Ball)> = None;
        for direction in steps() {
            let limit = next.as_ref().map_or(error, |(e, _)| *e);
            next = ball.moved(mesh, ball.centre + direction * step, points, limit, &mut witnesses).or(next);
        }
        match next {
            Some(better) => (error, ball) = better,
            None => step *= 0.5,
        }
    }
    ball
}

/// A candidate for merging: the error of both together, which two they are.
struct Merge {
    error: Real,
    pair: (usize, usize),
    ball: Ball,
}

impl PartialEq for Merge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Merge {}

impl PartialOrd for Merge {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Merge {
    /// The least error is the greatest, so that a heap gives it first; of equals the first pair.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.error.total_cmp(&self.error).then(other.pair.cmp(&self.pair))
    }
}

/// A group on its way to being merged.
struct Merging {
    pieces: Vec<u32>,
    /// The corners of the pieces; some of them twice.
    corners: Vec<Point>,
    ball: Ball,
}

/// The groups of these balls, merged by adjacency until at most `most` are left.
fn merged(mesh: &IndexedMesh, patch: &Patch, balls: &[Ball], most: usize) -> Vec<Group> {
    let mut groups: Vec<Option<Merging>> = assign(patch, 0..patch.pieces.len() as u32, balls)
        .into_iter()
        .zip(balls)
        .filter(|(pieces, _)| !pieces.is_empty())
        .map(|(pieces, ball)| Some(Merging { corners: patch.corners_of(&pieces), pieces, ball: *ball }))
        .collect();
    let mut neighbours = adjacency(patch, &groups);
    let mut alive = groups.len();
    let evaluate = |groups: &[Option<Merging>], i: usize, j: usize| -> Option<Merge> {
        let (one, other) = (groups[i].as_ref()?, groups[j].as_ref()?);
        let points: &[&[Point]] = &[&one.corners, &other.corners];
        // Either middle, or the one between them.
        let (error_i, error_j) = (one.ball.error(points), other.ball.error(points));
        let (mut error, mut ball) = if error_j < error_i { (error_j, other.ball) } else { (error_i, one.ball) };
        let between = nalgebra::center(&one.ball.centre, &other.ball.centre);
        let mut witnesses = Witnesses([one.ball.face, other.ball.face].into_iter().flatten().collect());
        if let Some(better) = ball.moved(mesh, between, points, error, &mut witnesses) {
            (error, ball) = better;
        }
        Some(Merge { error, pair: (i, j), ball })
    };
    let mut heap: BinaryHeap<Merge> = BinaryHeap::new();
    for (i, near) in neighbours.iter().enumerate() {
        heap.extend(near.range(i + 1..).filter_map(|&j| evaluate(&groups, i, j)));
    }
    while alive > most {
        let Some(Merge { pair: (i, j), ball, .. }) = heap.pop() else {
            // What is left hangs nowhere together: any two may merge.
            let left: Vec<usize> = (0..groups.len()).filter(|&i| groups[i].is_some()).collect();
            for (k, &i) in left.iter().enumerate() {
                for &j in &left[k + 1..] {
                    neighbours[i].insert(j);
                    neighbours[j].insert(i);
                    heap.extend(evaluate(&groups, i, j));
                }
            }
            if heap.is_empty() {
                break;
            }
            continue;
        };
        // One that is gone has been merged with another meanwhile.
        if groups[i].is_none() || groups[j].is_none() {
            continue;
        }
        let (Some(mut joined), Some(other)) = (groups[i].take(), groups[j].take()) else { continue };
        joined.pieces.extend(other.pieces);
        joined.corners.extend(other.corners);
        joined.ball = ball;
        let here = groups.len();
        groups.push(Some(joined));
        alive -= 1;
        let near: BTreeSet<usize> =
            neighbours[i].union(&neighbours[j]).copied().filter(|&k| groups[k].is_some()).collect();
        for &k in &near {
            neighbours[k].insert(here);
            heap.extend(evaluate(&groups, k, here));
        }
        neighbours.push(near);
    }
    groups.into_iter().flatten().map(|g| group_around(mesh, patch, g.pieces, &g.ball)).collect()
}

/// For each group those with which it shares a corner.
fn adjacency(patch: &Patch, groups: &[Option<Merging>]) -> Vec<BTreeSet<usize>> {
    let mut at_corner: Vec<Vec<usize>> = vec![Vec::new(); patch.corners.len()];
    for (i, group) in groups.iter().enumerate() {
        for corner in group.iter().flat_map(|g| &g.pieces).flat_map(|&p| patch.pieces[p as usize]) {
            if at_corner[corner as usize].last() != Some(&i) {
                at_corner[corner as usize].push(i);
            }
        }
    }
    let mut neighbours = vec![BTreeSet::new(); groups.len()];
    for met in at_corner {
        for &i in &met {
            neighbours[i].extend(met.iter().copied().filter(|&j| j != i));
        }
    }
    neighbours
}
