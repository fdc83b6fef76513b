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

use super::ball::{Ball, Surface, furthest, settled};
use super::cover::{error_of, reaching};
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Sphere};

/// Rounds of moving middles and pieces: later ones hardly gain.
const ROUNDS: usize = 4;
/// The first steps by which middles are moved in the first of them and in later ones, as a share of the radius.
const FIRST_STEP: Real = 0.25;
const LATER_STEP: Real = 0.0625;
/// So many times as large an error at the start is not made up for by the rounds.
const HOPELESS: Real = 2.0;

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

    /// The longest sides of all pieces together, metres.
    pub(super) fn length(&self) -> Real {
        (0..self.pieces.len() as u32)
            .map(|i| {
                let [a, b, c] = self.places(i);
                (b - a).norm().max((c - b).norm()).max((a - c).norm())
            })
            .sum()
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

/// For each piece, the ball that has to grow the least, of equals the first.
fn assign(patch: &Patch, pieces: impl Iterator<Item = u32>, balls: &[Ball]) -> Vec<Vec<u32>> {
    let mut groups = vec![Vec::new(); balls.len()];
    for piece in pieces {
        let places = patch.places(piece);
        let mut best = (Real::INFINITY, 0);
        for (i, ball) in balls.iter().enumerate() {
            // Better than the best is a ball that reaches the furthest corner with less than this.
            let enough = best.0 + ball.depth;
            if enough <= 0.0 {
                continue;
            }
            let enough = enough * enough;
            let to = |k: usize| (places[k] - ball.centre).norm_squared();
            let first = to(0);
            if first < enough {
                let squared = first.max(to(1)).max(to(2));
                if squared < enough {
                    best = (squared.sqrt() - ball.depth, i);
                }
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
pub(super) fn cover_by_few(surface: &Surface, patch: &Patch, middles: &[Sphere], most: usize) -> Vec<Group> {
    // More to start from than this gains nothing that the moving of middles does not.
    let kept = 10 * most;
    // Few pieces tell well enough which middles are of use.
    const TOLD_BY: usize = 400;
    let at = |s: &Sphere| Ball::at(surface, s.centre, s.radius);
    let mut balls: Vec<Ball> = middles.iter().map(at).filter(|b| b.depth > 0.0).collect();
    if balls.is_empty() {
        // Nothing inside was found: the pieces' own middle is a start.
        let middle = patch.corners.iter().map(|p| p.coords).sum::<Vector>() / patch.corners.len().max(1) as Real;
        balls.push(Ball::at(surface, middle.into(), Real::INFINITY));
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

    let along_axis = improved(surface, patch, merged(surface, patch, &balls, most));
    // Where a part is as regular as a box, what is in its eighths may do better; where it starts far behind, it never does.
    let octants = by_octants(surface, patch);
    if octants.len() > most || worst(&octants) > HOPELESS * worst(&along_axis) {
        return along_axis;
    }
    let in_octants = improved(surface, patch, octants);
    if worst(&in_octants) < worst(&along_axis) { in_octants } else { along_axis }
}

fn worst(groups: &[Group]) -> Real {
    groups.iter().map(|g| g.error).fold(0.0, Real::max)
}

/// The best of some rounds of moving middles to where their spheres stick out least and pieces to the spheres that need grow less.
fn improved(surface: &Surface, patch: &Patch, groups: Vec<Group>) -> Vec<Group> {
    let mut groups = groups;
    let mut best = groups.clone();
    for round in 0..ROUNDS {
        let step = if round == 0 { FIRST_STEP } else { LATER_STEP };
        let moved = |g: &Group| settled(surface, &patch.corners_of(&g.pieces), &g.sphere, step);
        let balls: Vec<Ball> = groups.iter().map(moved).collect();
        let before: Vec<Vec<u32>> = groups.into_iter().map(|g| g.pieces).collect();
        groups = assign(patch, 0..patch.pieces.len() as u32, &balls)
            .into_iter()
            .zip(&balls)
            .filter(|(pieces, _)| !pieces.is_empty())
            .map(|(pieces, ball)| group_around(surface, patch, pieces, ball))
            .collect();
        if worst(&groups) < worst(&best) {
            best = groups.clone();
        }
        if groups.iter().map(|g| &g.pieces).eq(&before) {
            break;
        }
    }
    best
}

/// The pieces in each eighth of the space around the middle of the patch's box, in the smallest spheres.
fn by_octants(surface: &Surface, patch: &Patch) -> Vec<Group> {
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
            Group { pieces, sphere, error: error_of(surface.mesh, &sphere) }
        })
        .collect()
}

/// The group with a sphere around the ball's middle.
fn group_around(surface: &Surface, patch: &Patch, pieces: Vec<u32>, ball: &Ball) -> Group {
    let radius = reaching(furthest(&ball.centre, &[&patch.corners_of(&pieces)]), &ball.centre);
    let sphere = Sphere { centre: ball.centre, radius };
    Group { pieces, sphere, error: error_of(surface.mesh, &sphere) }
}

/// A candidate for merging: the error of both together, at least, which two they are, and the common ball once it is known.
struct Merge {
    error: Real,
    pair: (usize, usize),
    ball: Option<Ball>,
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
fn merged(surface: &Surface, patch: &Patch, balls: &[Ball], most: usize) -> Vec<Group> {
    let mut groups: Vec<Option<Merging>> = assign(patch, 0..patch.pieces.len() as u32, balls)
        .into_iter()
        .zip(balls)
        .filter(|(pieces, _)| !pieces.is_empty())
        .map(|(pieces, ball)| Some(Merging { corners: patch.corners_of(&pieces), pieces, ball: *ball }))
        .collect();
    let mut neighbours = adjacency(patch, &groups);
    let mut alive = groups.len();
    // What is hopeful is evaluated when it is first in the heap, which most pairs never are.
    let hope = |groups: &[Option<Merging>], i: usize, j: usize| -> Option<Merge> {
        let (one, other) = (groups[i].as_ref()?, groups[j].as_ref()?);
        let points: &[&[Point]] = &[&one.corners, &other.corners];
        let between = nalgebra::center(&one.ball.centre, &other.ball.centre);
        let error = one.ball.error(points).min(other.ball.error(points));
        let least = |ball: &Ball| ball.least_error(surface, &between, points);
        Some(Merge { error: error.min(least(&one.ball).max(least(&other.ball))), pair: (i, j), ball: None })
    };
    let evaluate = |groups: &[Option<Merging>], i: usize, j: usize| -> Option<Merge> {
        let (one, other) = (groups[i].as_ref()?, groups[j].as_ref()?);
        let points: &[&[Point]] = &[&one.corners, &other.corners];
        // Either middle, or the one between them.
        let (error_i, error_j) = (one.ball.error(points), other.ball.error(points));
        let (mut error, mut ball) = if error_j < error_i { (error_j, other.ball) } else { (error_i, one.ball) };
        let between = nalgebra::center(&one.ball.centre, &other.ball.centre);
        if let Some(better) = ball.between(surface, between, points, error) {
            (error, ball) = better;
        }
        Some(Merge { error, pair: (i, j), ball: Some(ball) })
    };
    let mut heap: BinaryHeap<Merge> = BinaryHeap::new();
    for (i, near) in neighbours.iter().enumerate() {
        heap.extend(near.range(i + 1..).filter_map(|&j| hope(&groups, i, j)));
    }
    while alive > most {
        let Some(Merge { pair: (i, j), ball, .. }) = heap.pop() else {
            // What is left hangs nowhere together: any two may merge.
            let left: Vec<usize> = (0..groups.len()).filter(|&i| groups[i].is_some()).collect();
            for (k, &i) in left.iter().enumerate() {
                for &j in &left[k + 1..] {
                    neighbours[i].insert(j);
                    neighbours[j].insert(i);
                    heap.extend(hope(&groups, i, j));
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
        let Some(ball) = ball else {
            heap.extend(evaluate(&groups, i, j));
            continue;
        };
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
            heap.extend(hope(&groups, k, here));
        }
        neighbours.push(near);
    }
    groups.into_iter().flatten().map(|g| group_around(surface, patch, g.pieces, &g.ball)).collect()
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
