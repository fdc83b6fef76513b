//! A part of the surface covered by a few spheres that stick out little.
//!
//! **Idea.** Every piece of the part goes to the sphere, of many around the medial axis, that has to grow the least to hold
//! it. Spheres whose pieces adjoin are merged, two at a time, those first whose common sphere sticks out the least, until few
//! enough are left (Hubbard). Then each middle is moved to where its sphere sticks out least, pieces change to spheres that
//! need grow less for them, and so on for some rounds, of which the best counts.
//! **Guarantee.** Each sphere holds all corners of its pieces, and every piece is in one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::cover::{depth, error_of, reaching};
use crate::bounds::IndexedMesh;
use crate::math::{Point, Real, Vector};
use crate::volume::Sphere;

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

/// A middle and how deep it is inside.
#[derive(Clone, Copy)]
struct Ball {
    centre: Point,
    depth: Real,
}

impl Ball {
    fn at(mesh: &IndexedMesh, centre: Point) -> Self {
        Self { centre, depth: depth(mesh, &centre) }
    }

    /// How far a sphere around this middle that holds `points` sticks out.
    fn error(&self, points: &[Point]) -> Real {
        furthest(&self.centre, points) - self.depth
    }

    /// The ball around `to`, with its error, where that is less than `limit`; its depth, the costly part, is only asked for where it
    /// could be: it cannot change by more than the way.
    fn moved(&self, mesh: &IndexedMesh, to: Point, points: &[Point], limit: Real) -> Option<(Real, Self)> {
        let (way, reach) = ((to - self.centre).norm(), furthest(&to, points));
        if reach - (self.depth + way) >= limit {
            return None;
        }
        // Nearer to the old middle than the surface is, the new one is on the same side.
        let depth = if way < self.depth {
            mesh.closest_point(&to, (self.depth + way) * (1.0 + 1e-9)).map_or(self.depth - way, |c| c.distance)
        } else {
            depth(mesh, &to)
        };
        (reach - depth < limit).then_some((reach - depth, Self { centre: to, depth }))
    }
}

fn furthest(centre: &Point, points: &[Point]) -> Real {
    points.iter().map(|p| (p - centre).norm_squared()).fold(0.0, Real::max).sqrt()
}

/// For each piece, the ball that has to grow the least, of equals the first.
fn assign(patch: &Patch, pieces: impl Iterator<Item = u32>, balls: &[Ball]) -> Vec<Vec<u32>> {
    let mut groups = vec![Vec::new(); balls.len()];
    for piece in pieces {
        let places = patch.places(piece);
        let mut best = (Real::INFINITY, 0);
        for (i, ball) in balls.iter().enumerate() {
            let error = ball.error(&places);
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

/// At most `most` groups that together have all pieces of `patch`, with their spheres; `middles` are places to start from, inside
/// the solid.
pub(super) fn cover_by_few(mesh: &IndexedMesh, patch: &Patch, middles: &[Point], most: usize) -> Vec<Group> {
    // More to start from than this gains nothing that the moving of middles does not.
    let kept = 16 * most;
    // Few pieces tell well enough which middles are of use.
    const TOLD_BY: usize = 1500;
    let mut balls: Vec<Ball> = middles.iter().map(|c| Ball::at(mesh, *c)).filter(|b| b.depth > 0.0).collect();
    if balls.is_empty() {
        // Nothing inside was found: the pieces' own middle is a start.
        let middle = patch.corners.iter().map(|p| p.coords).sum::<Vector>() / patch.corners.len().max(1) as Real;
        balls.push(Ball::at(mesh, middle.into()));
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

    let mut groups = merged(mesh, patch, &balls, most);
    let worst = |groups: &[Group]| groups.iter().map(|g| g.error).fold(0.0, Real::max);
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

/// The group with a sphere around the ball's middle.
fn group_around(mesh: &IndexedMesh, patch: &Patch, pieces: Vec<u32>, ball: &Ball) -> Group {
    let radius = reaching(furthest(&ball.centre, &patch.corners_of(&pieces)), &ball.centre);
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
    let mut ball = Ball::at(mesh, from.centre);
    let mut error = ball.error(points);
    let mut step = 0.25 * from.radius;
    let finest = 0.01 * from.radius;
    while step > finest {
        let mut next: Option<(Real, Ball)> = None;
        for direction in steps() {
            let limit = next.as_ref().map_or(error, |(e, _)| *e);
            next = ball.moved(mesh, ball.centre + direction * step, points, limit).or(next);
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

/// The groups of these balls, merged by adjacency until at most `most` are left.
fn merged(mesh: &IndexedMesh, patch: &Patch, balls: &[Ball], most: usize) -> Vec<Group> {
    let mut groups: Vec<Option<(Vec<u32>, Ball)>> = assign(patch, 0..patch.pieces.len() as u32, balls)
        .into_iter()
        .zip(balls)
        .filter(|(pieces, _)| !pieces.is_empty())
        .map(|(pieces, ball)| Some((pieces, *ball)))
        .collect();
    let mut neighbours = adjacency(patch, &groups);
    let mut alive = groups.len();
    let evaluate = |groups: &[Option<(Vec<u32>, Ball)>], i: usize, j: usize| -> Option<Merge> {
        let ((pieces_i, ball_i), (pieces_j, ball_j)) = (groups[i].as_ref()?, groups[j].as_ref()?);
        let points = patch.corners_of(&[&pieces_i[..], &pieces_j[..]].concat());
        // Either middle, or the one between them.
        let (error_i, error_j) = (ball_i.error(&points), ball_j.error(&points));
        let (mut error, mut ball) = if error_j < error_i { (error_j, *ball_j) } else { (error_i, *ball_i) };
        let between = nalgebra::center(&ball_i.centre, &ball_j.centre);
        if let Some(better) = ball.moved(mesh, between, &points, error) {
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
        let (Some((mut pieces, _)), Some((more, _))) = (groups[i].take(), groups[j].take()) else { continue };
        pieces.extend(more);
        let here = groups.len();
        groups.push(Some((pieces, ball)));
        alive -= 1;
        let near: BTreeSet<usize> =
            neighbours[i].union(&neighbours[j]).copied().filter(|&k| groups[k].is_some()).collect();
        for &k in &near {
            neighbours[k].insert(here);
            heap.extend(evaluate(&groups, k, here));
        }
        neighbours.push(near);
    }
    groups.into_iter().flatten().map(|(pieces, ball)| group_around(mesh, patch, pieces, &ball)).collect()
}

/// For each group those with which it shares a corner.
fn adjacency(patch: &Patch, groups: &[Option<(Vec<u32>, Ball)>]) -> Vec<BTreeSet<usize>> {
    let mut at_corner: Vec<Vec<usize>> = vec![Vec::new(); patch.corners.len()];
    for (i, group) in groups.iter().enumerate() {
        for corner in group.iter().flat_map(|(pieces, _)| pieces).flat_map(|&p| patch.pieces[p as usize]) {
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
