//! The pieces of a surface of patches, halved once and kept: what searches for the place nearest to a point, and for what a ball holds, go through.
//!
//! They are kept in a frame of their own, whose origin is never far from the surface: what halving rounds is a share of the largest coordinate, and a
//! model may lie anywhere in its file. [`PatchCells::own`] leads there, [`PatchCells::of_surface`] back.
//!
//! **Guarantee.** The nearest place is found to rounding wherever one is told from the others by its bend ([`PatchCell`]); where many are about as
//! near, as from the middle of a bowl, none is nearer by more than a few ten thousandths.

use std::f64::consts::PI;

use crate::geometry::parametric::{PatchCell, PatchPiece, PatchSurface, nearer_halves, solid_angle_of_piece};
use crate::math::{Point, Real, Vector};
use crate::volume::Sphere;

/// Kept pieces of one patch at most, whatever its corners are like.
const MOST_DEPTH: u32 = 14;
/// Kept pieces of the whole surface beyond which patches are not halved any more.
const MOST_CELLS: usize = 1 << 15;
/// Of pieces whose nearest place is not told from others, none is asked that is nearer by less than this share of the distance.
const ACCURACY: Real = 2e-4;
/// Places whose distances differ by less than this share of the surface's size are as near.
const AS_NEAR: Real = 1e-12;
/// Places of the surface nearer than this share of its size are one.
const ONE_PLACE: Real = 1e-9;
/// Parameters as near to the end of their range are at it.
const AT_END: Real = 1e-9;
/// Pieces below this share of the surface's size that still hold a point: it is on the surface.
const ON_SURFACE: Real = 1e-13;

/// A piece that is kept, and where its halves are.
#[derive(Debug)]
struct Kept {
    cell: PatchCell,
    sphere: (Point, Real),
    halves: Option<[u32; 2]>,
}

/// All of them, in their own frame.
#[derive(Debug)]
pub(super) struct PatchCells {
    cells: Vec<Kept>,
    roots: Vec<u32>,
    size: Real,
    /// The origin of their frame in the surface's.
    middle: Vector,
}

/// A piece on the way of a search.
pub(super) enum Held<'c> {
    /// That is kept.
    Kept(u32, &'c PatchCell),
    /// That was halved on the way.
    Made(Box<PatchCell>),
}

impl Held<'_> {
    pub fn cell(&self) -> &PatchCell {
        match self {
            Self::Kept(_, cell) => cell,
            Self::Made(cell) => cell,
        }
    }
}

/// The place of a surface nearest to a point, and on which side of it the point is.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignedPlace {
    pub point: Point,
    /// Outward, unit: of the surface, or at a crease of one of the patches that meet there.
    pub normal: Vector,
    /// Whether patches meet there that face different ways.
    pub is_crease: bool,
    /// No place is nearer than this.
    pub least: Real,
    pub is_inside: bool,
}

/// A place that may be the nearest.
struct Candidate {
    patch: u32,
    /// In the patch.
    at: [Real; 2],
    point: Point,
    distance: Real,
}

/// One that is, with the outward normal there.
struct Place<'c> {
    of: &'c Candidate,
    normal: Option<Vector>,
}

impl PatchCells {
    pub fn new(surface: &PatchSurface) -> Self {
        let (size, centre) = (surface.bounding_sphere().radius, surface.aabb().centre().coords);
        // About its origin a surface stays where it is: its places come back to the last bit.
        let middle = if centre.amax() <= size { Vector::zeros() } else { centre };
        let mut made = Self { cells: Vec::new(), roots: Vec::new(), size, middle };
        for (number, patch) in (0..).zip(surface.patches()) {
            let own = patch.mapped(|p| made.own(p));
            let root = made.keep(PatchCell::new(PatchPiece::whole(number, &own)), 0);
            made.roots.push(root);
        }
        made
    }

    fn keep(&mut self, cell: PatchCell, depth: u32) -> u32 {
        let number = self.cells.len() as u32;
        let halves = (!cell.is_even() && depth < MOST_DEPTH && self.cells.len() < MOST_CELLS).then(|| cell.halves());
        let sphere = cell.piece.sphere();
        self.cells.push(Kept { cell, sphere, halves: None });
        if let Some(halves) = halves {
            let numbers = halves.map(|half| self.keep(half, depth + 1));
            self.cells[number as usize].halves = Some(numbers);
        }
        number
    }

    /// A place of the surface's frame in that of the cells.
    pub fn own(&self, place: &Point) -> Point {
        place - self.middle
    }

    /// A place of the cells' frame in that of the surface.
    pub fn of_surface(&self, place: &Point) -> Point {
        place + self.middle
    }

    /// Of the surface, metres.
    pub fn size(&self) -> Real {
        self.size
    }

    /// The patches.
    pub fn roots(&self) -> impl Iterator<Item = Held<'_>> {
        self.roots.iter().map(|&root| self.held(root))
    }

    fn held(&self, number: u32) -> Held<'_> {
        Held::Kept(number, &self.cells[number as usize].cell)
    }

    /// A lower bound on the distance of a point from a kept piece, at once.
    fn rough_bound(&self, number: u32, point: &Point) -> Real {
        let (centre, radius) = self.cells[number as usize].sphere;
        (centre - point).norm() - radius
    }

    /// The halves of a piece, kept or made now; `None` where it is too small to have any.
    pub fn halves<'c>(&'c self, held: &Held<'c>) -> Option<[Held<'c>; 2]> {
        if let Held::Kept(number, _) = held
            && let Some(halves) = self.cells[*number as usize].halves
        {
            return Some(halves.map(|half| self.held(half)));
        }
        let cell = held.cell();
        let can = cell.piece.can_be_shortened() && cell.piece.sphere().1 > ON_SURFACE * self.size;
        can.then(|| cell.halves().map(|half| Held::Made(Box::new(half))))
    }

    /// Whether the halves of a piece are kept.
    pub fn is_inner(&self, held: &Held<'_>) -> bool {
        matches!(held, Held::Kept(number, _) if self.cells[*number as usize].halves.is_some())
    }

    /// The place nearest to a point of the cells' frame, in that frame; `None` for a surface without area.
    pub fn nearest(&self, point: &Point) -> Option<SignedPlace> {
        let as_near = AS_NEAR * self.size;
        let mut stack: Vec<(Real, Held<'_>)> = Vec::with_capacity(64);
        let mut roots: Vec<(Real, u32)> = self.roots.iter().map(|&n| (self.rough_bound(n, point), n)).collect();
        roots.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        stack.extend(roots.into_iter().map(|(bound, n)| (bound, self.held(n))));
        let mut best = Real::INFINITY;
        let mut least = Real::INFINITY;
        let mut candidates: Vec<Candidate> = Vec::new();
        while let Some((bound, held)) = stack.pop() {
            if bound > best + as_near {
                continue;
            }
            if !self.is_inner(&held) {
                let cell = held.cell();
                if cell.piece.distance_bound(point) > best + as_near {
                    continue;
                }
                let found = cell.nearest(point);
                if found.distance <= best + as_near {
                    best = best.min(found.distance);
                    candidates.retain(|candidate| candidate.distance <= best + as_near);
                    let piece = &cell.piece;
                    let at = [0, 1].map(|k| piece.low[k] + (piece.high[k] - piece.low[k]) * found.share[k]);
                    let (patch, distance) = (piece.patch, found.distance);
                    candidates.push(Candidate { patch, at, point: found.point, distance });
                }
                if found.least > 0.0 || found.distance <= as_near {
                    least = least.min(found.least);
                    continue;
                }
                let own = bound.max(cell.piece.distance_bound(point));
                if own >= best * (1.0 - ACCURACY) - as_near {
                    least = least.min(own);
                    continue;
                }
            }
            let Some(halves) = self.halves(&held) else {
                least = least.min(bound.max(0.0));
                continue;
            };
            let mut halves = halves.map(|half| {
                let own = match &half {
                    Held::Kept(number, _) => self.rough_bound(*number, point),
                    Held::Made(cell) => cell.piece.distance_bound(point),
                };
                (own.max(bound), half)
            });
            // The nearer one last, to be taken first.
            if halves[0].0 < halves[1].0 {
                halves.swap(0, 1);
            }
            stack.extend(halves);
        }
        let first = candidates.iter().min_by(|a, b| a.distance.total_cmp(&b.distance))?;
        let (distance, place) = (first.distance, first.point);
        let is_here = |candidate: &&Candidate| (candidate.point - place).norm() <= ONE_PLACE * self.size;
        let root = |patch: u32| &self.cells[self.roots[patch as usize] as usize].cell;
        let normal = |of: &Candidate| root(of.patch).normal_at(of.at);
        let here: Vec<Place<'_>> =
            candidates.iter().filter(is_here).map(|of| Place { of, normal: normal(of) }).collect();
        let normal = here.iter().find_map(|place| place.normal)?;
        let is_crease = here.iter().any(|place| place.normal.is_none_or(|n| n.dot(&normal) < 1.0 - 1e-12));
        let least = least.min(distance);
        let is_certain = least >= distance - 4.0 * as_near;
        let is_inside = if distance <= as_near {
            true
        } else {
            let by_normal = if is_certain { side_of(&here, &(point - place), is_crease) } else { None };
            by_normal.unwrap_or_else(|| self.winds_around(point))
        };
        Some(SignedPlace { point: place, normal, is_crease, least: (least - as_near).max(0.0), is_inside })
    }

    /// Whether the surface winds around a point of the cells' frame: by the solid angles of pieces that are far from it against their size.
    fn winds_around(&self, point: &Point) -> bool {
        let mut turns = 0.0;
        let mut waiting: Vec<u32> = self.roots.clone();
        let mut near: Vec<PatchPiece> = Vec::new();
        while let Some(number) = waiting.pop() {
            let kept = &self.cells[number as usize];
            match (solid_angle_of_piece(&kept.cell.piece, point), kept.halves) {
                (Some(angle), _) => turns += angle,
                (None, Some(halves)) => waiting.extend(halves),
                (None, None) => near.push(kept.cell.piece.clone()),
            }
        }
        while let Some(piece) = near.pop() {
            match solid_angle_of_piece(&piece, point) {
                Some(angle) => turns += angle,
                None if piece.sphere().1 <= ON_SURFACE * self.size => return true,
                None => near.extend(nearer_halves(&piece, point)),
            }
        }
        turns > 2.0 * PI
    }

    /// What the ball (the cells' frame) holds of the surface, in pieces that are not much larger than it; `None` where that is more than `most` of them.
    pub fn in_ball(&self, ball: &Sphere, most: usize) -> Option<Vec<PatchCell>> {
        let mut found = Vec::new();
        let mut stack: Vec<Held<'_>> = Vec::with_capacity(64);
        let reaches = |n: u32| self.rough_bound(n, &ball.centre) <= ball.radius;
        stack.extend(self.roots.iter().rev().filter(|n| reaches(**n)).map(|n| self.held(*n)));
        while let Some(held) = stack.pop() {
            let cell = held.cell();
            let is_small = cell.piece.sphere().1 <= ball.radius;
            if !is_small && self.is_inner(&held) || is_small && !cell.is_even() && self.is_inner(&held) {
                if let Held::Kept(number, _) = held
                    && let Some(halves) = self.cells[number as usize].halves
                {
                    stack.extend(halves.into_iter().rev().filter(|n| reaches(*n)).map(|n| self.held(n)));
                }
                continue;
            }
            if cell.piece.distance_bound(&ball.centre) > ball.radius {
                continue;
            }
            if is_small {
                found.push(cell.clone());
            } else if cell.is_even() {
                let nearest = cell.nearest(&ball.centre);
                let Some((low, high)) = cell.within(&nearest, ball.radius) else { continue };
                found.push(PatchCell::new(cell.piece.part_over(low, high)));
            } else {
                match self.halves(&held) {
                    Some(halves) => stack.extend(halves.into_iter().rev()),
                    None => found.push(cell.clone()),
                }
            }
            if found.len() > most {
                return None;
            }
        }
        Some(found)
    }
}

/// Whether a point is inside, by the normals of the patches at its nearest place, which `way` leads from to it: where the surface is smooth
/// there, or two patches meet along an edge, by the mean of their normals. `None` elsewhere.
fn side_of(here: &[Place<'_>], way: &Vector, is_crease: bool) -> Option<bool> {
    let first = here.first()?;
    let end = |of: &Candidate| of.at.iter().filter(|x| **x <= AT_END || **x >= 1.0 - AT_END).count();
    let mut others = here.iter().filter(|place| place.of.patch != first.of.patch);
    let normal = match (is_crease, others.next()) {
        (true, Some(other)) => {
            let is_edge =
                others.all(|place| place.of.patch == other.of.patch) && end(first.of) == 1 && end(other.of) == 1;
            if !is_edge {
                return None;
            }
            first.normal? + other.normal?
        }
        (true, None) => return None,
        // At the end of a patch the neighbour has to have been seen, too.
        (false, None) if end(first.of) > 0 => return None,
        (false, _) => first.normal?,
    };
    let height = normal.dot(way);
    (height.abs() > 1e-6 * way.norm()).then_some(height < 0.0)
}
