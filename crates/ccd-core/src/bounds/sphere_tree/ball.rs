//! Middles of spheres and how deep they are: the search for where the sphere around some points sticks out the least.
//!
//! **Idea.** What counts at a middle is how far the furthest of the points is, less how deep the middle is inside the solid. Nearly all
//! places that are tried are worse than the best so far, and a few points tell so: one that has been the furthest from a middle
//! nearby is a lower bound for the reach, one of the surface that has been the nearest an upper bound for the depth. Only what passes
//! them asks the tree of the surface.
//! **Limits.** Depths are told up to a small share too small; the errors of the spheres that come of it are told exactly.

use std::ops::ControlFlow;

use crate::bounds::IndexedMesh;
use crate::geometry::mesh::triangle::closest_point;
use crate::math::{Point, Real, Vector};
use crate::volume::{Aabb, Sphere};

/// By how much, as a share of it, a depth may be told too small while middles are looked for, by large steps and by small ones: from a
/// middle of the medial axis large parts of the surface are about as far.
const COARSE: Real = 1e-2;
const SLACK: Real = 1e-3;
/// Steps of less than this share of the radius are small.
const SMALL_STEP: Real = 0.1;
/// How many points are remembered that have been furthest from a middle, and how many that have been nearest.
const WITNESSES: usize = 12;
/// A middle is moved by steps down to this share of its radius.
const FINEST: Real = 0.01;

/// So many faces are looked at one by one rather than through the tree.
const FEW: usize = 160;

/// A face made ready for distances.
struct Face {
    corner: Point,
    /// From the corner to the other two.
    sides: [Vector; 2],
    normal: Vector,
    /// The squared lengths of both sides and their product; one over the squared length of the normal.
    squares: [Real; 2],
    product: Real,
    inverse: Real,
}

impl Face {
    fn new([a, b, c]: &[Point; 3]) -> Self {
        let sides = [b - a, c - a];
        let normal = sides[0].cross(&sides[1]);
        Self {
            corner: *a,
            sides,
            normal,
            squares: sides.map(|s| s.norm_squared()),
            product: sides[0].dot(&sides[1]),
            inverse: 1.0 / normal.norm_squared(),
        }
    }

    fn distance_squared(&self, p: &Point) -> Real {
        let from = p - self.corner;
        let [u, v] = self.sides.map(|s| s.dot(&from));
        // The weights of the other two corners, times the squared length of the normal.
        let s = self.squares[1] * u - self.product * v;
        let t = self.squares[0] * v - self.product * u;
        if s >= 0.0 && t >= 0.0 && (s + t) * self.inverse <= 1.0 {
            let height = self.normal.dot(&from);
            return height * height * self.inverse;
        }
        let whole = from.norm_squared();
        let to_side = |along: Real, square: Real| {
            if along <= 0.0 {
                whole
            } else if along >= square {
                whole - 2.0 * along + square
            } else {
                whole - along * along / square
            }
        };
        let across = self.sides[1] - self.sides[0];
        let from_b = from - self.sides[0];
        let (along, square) = (across.dot(&from_b), across.norm_squared());
        let share = if square > 0.0 { (along / square).clamp(0.0, 1.0) } else { 0.0 };
        let third = (from_b - across * share).norm_squared();
        to_side(u, self.squares[0]).min(to_side(v, self.squares[1])).min(third).max(0.0)
    }
}

/// The surface of a solid, made ready for many questions of how far it is.
pub(super) struct Surface<'m> {
    pub(super) mesh: &'m IndexedMesh,
    faces: Vec<Face>,
}

impl<'m> Surface<'m> {
    pub(super) fn new(mesh: &'m IndexedMesh) -> Self {
        let faces = (0..mesh.mesh().triangles().len() as u32).map(|f| Face::new(&mesh.triangle(f))).collect();
        Self { mesh, faces }
    }

    /// The distance from a point, at most by [`SLACK`] too small, and the face, if it is not `known`, the distance of some part of the
    /// surface, that tells it already.
    fn distance(&self, p: &Point, known: Real, near: &NearFaces) -> (Real, Option<u32>) {
        let slack = near.slack;
        let most = known / (1.0 + slack);
        let to_face = |f: u32| self.faces[f as usize].distance_squared(p);
        if near.knows(p) {
            let all = near.faces.iter().map(|&f| (to_face(f), f));
            let nearest = all.fold((most * most, None), |best, (d, f)| if d < best.0 { (d, Some(f)) } else { best });
            return (nearest.0.sqrt(), nearest.1);
        }
        match self.mesh.tree().closest_nearly(p, most, slack, to_face) {
            Some((squared, face)) => (squared.sqrt() / (1.0 + slack), Some(face)),
            None => (most, None),
        }
    }
}

/// The faces that can be the nearest to a point that stays within `free` of `from`, where they are few.
struct NearFaces {
    faces: Vec<u32>,
    from: Point,
    free: Real,
    /// By how much the tree, which is asked otherwise, may tell distances too small.
    slack: Real,
}

impl NearFaces {
    /// None at all: the tree is asked.
    fn none(slack: Real) -> Self {
        Self { faces: Vec::new(), from: Point::origin(), free: -1.0, slack }
    }

    /// Whether it has the nearest face to `p`, if there is any.
    fn knows(&self, p: &Point) -> bool {
        self.free > 0.0 && (p - self.from).norm_squared() <= self.free * self.free
    }

    /// Around a ball.
    fn around(surface: &Surface, ball: &Ball, free: Real) -> Self {
        let reach = (ball.depth.abs() * (1.0 + 2.0 * COARSE) + 2.0 * free) * (1.0 + 1e-12);
        let from = ball.centre;
        let mut faces = Vec::new();
        let is_near =
            |b: &Aabb| (b.min - from).sup(&(from - b.max)).sup(&Vector::zeros()).norm_squared() <= reach * reach;
        let found = surface.mesh.tree().visit(is_near, |f| {
            if surface.faces[f as usize].distance_squared(&from) <= reach * reach {
                faces.push(f);
            }
            if faces.len() > FEW { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if found.is_break() { Self::none(SLACK) } else { Self { faces, from, free, slack: SLACK } }
    }

    /// The same around a ball that this knows, which may stray less.
    fn narrowed(&self, surface: &Surface, ball: &Ball, free: Real) -> Self {
        if (ball.centre - self.from).norm() + free > self.free {
            return Self::around(surface, ball, free);
        }
        let reach = (ball.depth.abs() * (1.0 + 2.0 * COARSE) + 2.0 * free) * (1.0 + 1e-12);
        let is_near = |f: &&u32| surface.faces[**f as usize].distance_squared(&ball.centre) <= reach * reach;
        Self { faces: self.faces.iter().filter(is_near).copied().collect(), from: ball.centre, free, slack: SLACK }
    }
}

/// A middle and how deep it is inside, at least.
#[derive(Clone, Copy)]
pub(super) struct Ball {
    pub(super) centre: Point,
    pub(super) depth: Real,
    /// A face that is about nearest, if one was looked at.
    face: Option<u32>,
}

impl Ball {
    /// `known`: the distance of the surface at most, infinite for any.
    pub(super) fn at(surface: &Surface, centre: Point, known: Real) -> Self {
        let (distance, face) = surface.distance(&centre, known, &NearFaces::none(SLACK));
        let depth = if surface.mesh.contains(&centre) { distance } else { -distance };
        Self { centre, depth, face }
    }

    /// How far a sphere around this middle that holds `points` sticks out.
    pub(super) fn error(&self, points: &[&[Point]]) -> Real {
        furthest(&self.centre, points) - self.depth
    }

    /// The ball around `to`, if its depth is more than `least`. It cannot change by more than the way, nor exceed `known`.
    fn moved(&self, surface: &Surface, to: Point, least: Real, mut known: Real, near: &NearFaces) -> Option<Self> {
        let way = (to - self.centre).norm();
        if let Some(face) = self.face {
            known = known.min(surface.faces[face as usize].distance_squared(&to).sqrt());
        }
        if self.depth * (1.0 + 2.0 * COARSE) + way <= least || known <= least {
            return None;
        }
        // Nearer to the old middle than the surface is, the new one is on the same side.
        let (distance, face) = surface.distance(&to, known, near);
        let is_inside = way < self.depth || surface.mesh.contains(&to);
        let depth = if is_inside { distance } else { -distance };
        (depth > least).then_some(Self { centre: to, depth, face: face.or(self.face) })
    }

    /// An error that a sphere around `to` with these points has at least.
    pub(super) fn least_error(&self, surface: &Surface, to: &Point, points: &[&[Point]]) -> Real {
        let way = (to - self.centre).norm();
        let to_face = self.face.map_or(Real::INFINITY, |f| surface.faces[f as usize].distance_squared(to).sqrt());
        furthest(to, points) - to_face.min(self.depth * (1.0 + 2.0 * COARSE) + way)
    }

    /// The ball around `to`, with its error as the middle of a sphere around `points`, where that is less than `limit`.
    pub(super) fn between(
        &self,
        surface: &Surface,
        to: Point,
        points: &[&[Point]],
        limit: Real,
    ) -> Option<(Real, Self)> {
        let reach = furthest(&to, points);
        let ball = self.moved(surface, to, reach - limit, Real::INFINITY, &NearFaces::none(SLACK))?;
        Some((reach - ball.depth, ball))
    }
}

/// The distance of the furthest of these points, which are told in parts.
pub(super) fn furthest(centre: &Point, points: &[&[Point]]) -> Real {
    points.iter().copied().flatten().map(|p| (p - centre).norm_squared()).fold(0.0, Real::max).sqrt()
}

/// The last few points that mattered.
#[derive(Default)]
struct Witnesses {
    points: Vec<Point>,
    next: usize,
}

impl Witnesses {
    fn add(&mut self, p: Point) {
        if self.points.contains(&p) {
            return;
        }
        if self.points.len() < WITNESSES {
            self.points.push(p);
        } else {
            self.points[self.next] = p;
            self.next = (self.next + 1) % WITNESSES;
        }
    }

    /// Notes the point of the surface that is about nearest to a middle.
    fn add_nearest(&mut self, surface: &Surface, ball: &Ball) {
        if let Some(face) = ball.face {
            self.add(closest_point(&surface.mesh.triangle(face), &ball.centre).0);
        }
    }

    /// The distance of the nearest of them.
    fn nearest(&self, to: &Point) -> Real {
        self.points.iter().map(|p| (p - to).norm_squared()).fold(Real::INFINITY, Real::min).sqrt()
    }

    /// The distance of the furthest of them.
    fn furthest(&self, from: &Point) -> Real {
        furthest(from, &[&self.points])
    }
}

/// The points that can be the furthest from a middle that stays within `free` of `from`.
struct FarPoints<'p> {
    all: &'p [Point],
    points: Vec<Point>,
    from: Point,
    free: Real,
}

impl<'p> FarPoints<'p> {
    fn of(all: &'p [Point], from: Point, free: Real) -> Self {
        let least = (furthest(&from, &[all]) - 2.0 * free) * (1.0 - 1e-12);
        let is_far = |p: &&Point| least <= 0.0 || (*p - from).norm_squared() >= least * least;
        Self { all, points: all.iter().filter(is_far).copied().collect(), from, free }
    }

    /// The distance of the furthest, which `witnesses` remember.
    fn furthest(&mut self, from: &Point, witnesses: &mut Witnesses) -> Real {
        if (from - self.from).norm() > self.free {
            *self = Self::of(self.all, *from, self.free);
        }
        let (mut squared, mut furthest) = (0.0, None);
        for p in &self.points {
            let to = (p - from).norm_squared();
            if to > squared {
                (squared, furthest) = (to, Some(*p));
            }
        }
        furthest.into_iter().for_each(|p| witnesses.add(p));
        squared.sqrt()
    }
}

/// The axes, and the diagonals of the cube: along the axes alone a middle gets stuck on the ridges of the medial axis.
fn directions() -> [Vector; 14] {
    let sign = |i: usize, bit: usize| if i >> bit & 1 == 1 { 0.577 } else { -0.577 };
    std::array::from_fn(|i| match i {
        0..6 => Vector::ith(i / 2, if i % 2 == 0 { 1.0 } else { -1.0 }),
        _ => Vector::new(sign(i - 6, 0), sign(i - 6, 1), sign(i - 6, 2)),
    })
}

/// Moves a middle to where the sphere around `points` sticks out least nearby, by ever smaller steps; the first is that share of the
/// radius.
pub(super) fn settled(surface: &Surface, points: &[Point], from: &Sphere, first_step: Real) -> Ball {
    let mut ball = Ball::at(surface, from.centre, Real::INFINITY);
    let mut error = ball.error(&[points]);
    let (mut far, mut near) = (Witnesses::default(), Witnesses::default());
    near.add_nearest(surface, &ball);
    let mut step = first_step * from.radius;
    let mut far_points = FarPoints::of(points, ball.centre, 2.0 * step);
    let mut near_faces = NearFaces::none(COARSE);
    let directions = directions();
    while step > FINEST * from.radius {
        let mut next: Option<(Real, Ball)> = None;
        for direction in directions {
            let limit = next.as_ref().map_or(error, |(e, _)| *e);
            let to = ball.centre + direction * step;
            let known = near.nearest(&to);
            if far.furthest(&to) - known >= limit {
                continue;
            }
            let reach = far_points.furthest(&to, &mut far);
            if reach - known >= limit {
                continue;
            }
            if let Some(better) = ball.moved(surface, to, reach - limit, known, &near_faces) {
                near.add_nearest(surface, &better);
                next = Some((reach - better.depth, better));
            }
        }
        if let Some(better) = next {
            (error, ball) = better;
            continue;
        }
        step *= 0.5;
        far_points = FarPoints::of(points, ball.centre, 2.0 * step);
        if step < SMALL_STEP * from.radius {
            if near_faces.slack == COARSE {
                ball = Ball::at(surface, ball.centre, Real::INFINITY);
                error = ball.error(&[points]);
            }
            near_faces = near_faces.narrowed(surface, &ball, 2.0 * step);
        }
    }
    ball
}
