//! The last digits of a search that ended on a smooth edge or surface.
//!
//! Problem: support points of a smooth solid gather around the nearest place until the simplex is too thin to tell its own
//! normal; the points are then right to the square root of what rounding leaves of the distance.
//!
//! Idea: at each direction the nearest points are those of two straight pieces: the points that span a polytope's side, and on
//! a smooth side the support point with the ends of the straight line through it, if one runs there. What these are apart
//! across the direction shrinks as it turns by the surfaces' radius of curvature, which the last two directions show
//! (Barzilai and Borwein, 1988).

use super::{GjkCache, GjkGoal, ROUNDING, Run, separation};
use crate::detection::closest::simplex::SimplexVertex;
use crate::geometry::primitive::Triangle;
use crate::geometry::solid::{SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector, orthonormal_basis};

/// Directions that are tried at most, by one radius …
const TURNS: usize = 32;
/// … and by the bends.
const BENDS: usize = 8;
/// Bounds that differ by less than this share of the distance tell it.
const PROVEN: Real = 1e-6;
/// Steps that lead to a lesser gap at most.
const SETBACKS: usize = 3;
/// How far a direction leans towards the ends of the line that it is to find, radians.
const LEAN: Real = 1e-5;
/// A way that leans by this, radians, is as straight as it is worth.
const STRAIGHT: Real = 1e-9;
/// The share of the distance by which two ways are alike.
const ALIKE: Real = 1e-12;

/// A side of the pair near its nearest place, as a triangle that may be flat, in its own frame.
enum Piece {
    /// The points that span a polytope's nearest feature.
    Straight(Triangle),
    /// A smooth edge or surface, and the way along which a straight line of it runs, unit: zero where none does.
    Smooth(Vector),
}

impl Piece {
    fn new(vertices: impl Iterator<Item = (Vector, u32)> + Clone) -> Option<Self> {
        let (first, id) = vertices.clone().next()?;
        if vertices.clone().any(|(_, id)| SupportPoint::is_curved(id)) {
            let other = vertices.clone().find(|&(_, other)| other != id && !SupportPoint::is_same_curve(id, other));
            let along = other.and_then(|(p, _)| (p - first).try_normalize(0.0));
            return Some(Self::Smooth(along.unwrap_or_else(Vector::zeros)));
        }
        let mut corners = [Point::from(first); 3];
        for (corner, (p, _)) in corners.iter_mut().zip(vertices) {
            *corner = p.into();
        }
        Some(Self::Straight(Triangle::new(corners)))
    }

    /// The piece at the unit `direction`, outward, where `foremost` is foremost; all in the side's frame.
    fn at(&self, solid: &(impl SupportMap + ?Sized), direction: &Vector, foremost: &Vector, hint: u32) -> Triangle {
        match self {
            Self::Straight(triangle) => *triangle,
            Self::Smooth(along) if *along == Vector::zeros() => Triangle::new([(*foremost).into(); 3]),
            Self::Smooth(along) => {
                let end = |lean: Real| solid.support(&(direction + along * lean), hint).point;
                Triangle::new([end(-LEAN), (*foremost).into(), end(LEAN)])
            }
        }
    }
}

/// The nearest points so far.
struct Best {
    /// What they are apart, metres, all of it and across the direction by which they were found.
    distance: Real,
    across: Real,
    /// That direction, unit, and the gap that it proves.
    told: (Real, Vector),
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Run<'_, A, B> {
    /// Moves the best direction on, where a smooth side is met, from `distance` between the witness points. The distance of the
    /// witness points afterwards.
    pub(super) fn sharpen(&mut self, distance: Real, goal: &GjkGoal) -> Real {
        let simplex = self.cache.simplex;
        let vertices = &simplex.vertices[..simplex.len];
        // Where nothing is straight, or nothing is proven, a thin simplex does not tell the distance either.
        let is_round = |id: u32| id == SupportPoint::CURVED;
        let is_proven = self.best_lower > 0.0;
        if !goal.points && is_proven && !vertices.iter().any(|v| is_round(v.vertex_a) || is_round(v.vertex_b)) {
            return distance;
        }
        let pieces = (
            Piece::new(vertices.iter().map(|v| (v.a, v.vertex_a))),
            Piece::new(vertices.iter().map(|v| (v.b, v.vertex_b))),
        );
        let (Some(of_a), Some(of_b)) = pieces else { return distance };
        let pieces = (of_a, of_b);
        if matches!(pieces, (Piece::Straight(_), Piece::Straight(_))) {
            return distance;
        }
        // Of a thin simplex the distance may be less than that of any points; in touch it is worth more than theirs.
        let (point_a, point_b) = self.simplex_witnesses();
        let distance = if is_proven { distance.max((point_b - point_a).norm()) } else { distance };
        let rounding = ROUNDING * self.b_in_a.translation.amax().max(distance);
        let straight = (STRAIGHT * distance).max(rounding);
        let mut best = Best { distance, across: Real::INFINITY, told: (Real::NEG_INFINITY, self.best_normal) };
        self.turn_by_radius(&pieces, goal, straight, &mut best);
        if best.across > straight && best.distance - self.best_lower > PROVEN * best.distance + 4.0 * rounding {
            self.turn_by_bends(&pieces, straight, &mut best);
        }
        // The bound of another direction may be greater by its rounding: the way between the points is worth more than that.
        if best.told.0 + 4.0 * rounding > self.best_lower {
            (self.best_lower, self.best_normal) = best.told;
        }
        best.distance
    }

    /// Turns by one radius of curvature, as the last two directions show it, until what is across is no more than `straight`.
    fn turn_by_radius(&mut self, pieces: &(Piece, Piece), goal: &GjkGoal, straight: Real, best: &mut Best) {
        let mut normal = self.best_normal;
        // The last direction and what was across it.
        let mut last: Option<(Vector, Vector)> = None;
        let mut radius = self.a.interior_point().coords.amax().max(self.b_in_a.translation.amax()).max(best.distance);
        let mut setbacks = 0;
        for _ in 0..TURNS {
            let (vertex, across) = self.look_along(&normal, pieces, best);
            // Stationary in a dual that is concave: no direction is better.
            if across.norm() <= straight || goal.is_met(best.distance, self.best_lower) && best.across <= straight {
                break;
            }
            if normal.dot(&vertex.w) < self.best_lower - straight {
                // Too far, or there is no such place: what is nearest may lie within a cap, which is no line.
                setbacks += 1;
                let Some((before, was)) = last.filter(|_| setbacks <= SETBACKS) else { break };
                radius *= 8.0;
                normal = (before + was / radius).normalize();
                continue;
            }
            if let Some((before, was)) = last {
                let moved: Vector = normal - before;
                let shown = -moved.dot(&(across - was)) / moved.norm_squared();
                if shown > 0.0 && shown.is_finite() {
                    radius = shown;
                }
            }
            last = Some((normal, across));
            let step = across / radius;
            if step.norm() <= Real::EPSILON {
                break;
            }
            normal = (normal + step).normalize();
        }
    }

    /// Turns as the sides bend along each direction: a rim and a corner next to it turn about each other by their gap in the one, and by the rim's
    /// radius in the other, between which no radius is in the middle.
    fn turn_by_bends(&mut self, pieces: &(Piece, Piece), straight: Real, best: &mut Best) {
        let mut normal = self.best_normal;
        for _ in 0..BENDS {
            let (_, across) = self.look_along(&normal, pieces, best);
            if across.norm() <= straight {
                break;
            }
            let basis = orthonormal_basis(&normal);
            let tangents = [basis.0, basis.1];
            let [[tt, tu], [ut, uu]] = tangents.map(|along| {
                let moved = self.moved(&normal, &along, pieces);
                tangents.map(|t| moved.dot(&t))
            });
            // The ways along which the sides bend the most and the least.
            let (mixed, half) = (0.5 * (tu + ut), 0.5 * (tt - uu));
            let (middle, off) = (0.5 * (tt + uu), half.hypot(mixed));
            let most = if half >= 0.0 { [half + off, mixed] } else { [mixed, off - half] };
            let most = (tangents[0] * most[0] + tangents[1] * most[1]).try_normalize(0.0).unwrap_or(tangents[0]);
            let least = normal.cross(&most);
            let round = middle + off;
            let flat = if middle - off > STRAIGHT * round { middle - off } else { 0.0 };
            // By the gap what is across changes all around. It is no greater than the way.
            let gap = across.norm().max(best.distance);
            let step =
                most * (most.dot(&across) / (round.max(0.0) + gap)) + least * (least.dot(&across) / (flat + gap));
            if step.norm() <= Real::EPSILON {
                break;
            }
            normal = (normal + step).normalize();
        }
    }

    /// The foremost vertex along a unit direction, and what the points nearest to each other there are apart across it.
    fn look_along(&mut self, normal: &Vector, pieces: &(Piece, Piece), best: &mut Best) -> (SimplexVertex, Vector) {
        let vertex = self.probe(normal);
        self.rounds += 1;
        let into_b = -self.b_in_a.rotation.tr_mul(normal);
        let piece_a = pieces.0.at(self.a, normal, &vertex.a, vertex.vertex_a);
        let piece_b = pieces.1.at(self.b, &into_b, &vertex.b, vertex.vertex_b);
        let found = separation(&piece_a, &piece_b, self.b_in_a, &mut GjkCache::default(), &GjkGoal::EXACT);
        let way = found.point_b - found.point_a;
        let across = way - normal * normal.dot(&way);
        // Both are points of the cores. Where the distance tells them no longer apart, the straightest way is the nearest.
        let alike = (1.0 + ALIKE) * best.distance;
        if way.norm() < alike && across.norm() < best.across {
            best.distance = best.distance.min(way.norm());
            best.across = across.norm();
            best.told = (self.lower_along(normal, &vertex), *normal);
            self.witness = Some((found.point_a, found.point_b));
        }
        (vertex, across)
    }

    /// How far the foremost places of smooth sides move, one against the other, as the direction turns `along`: metres a radian.
    fn moved(&self, normal: &Vector, along: &Vector, pieces: &(Piece, Piece)) -> Vector {
        let mut moved = Vector::zeros();
        if let Piece::Smooth(line) = &pieces.0 {
            let along = along - line * line.dot(along);
            let place = |lean: Real| self.a.support(&(normal + along * lean), self.cache.hint_a).point;
            moved += (place(LEAN) - place(-LEAN)) / (2.0 * LEAN);
        }
        if let Piece::Smooth(line) = &pieces.1 {
            let [normal, along] = [normal, along].map(|v| -self.b_in_a.rotation.tr_mul(v));
            let along = along - line * line.dot(&along);
            let place = |lean: Real| self.b.support(&(normal + along * lean), self.cache.hint_b).point;
            moved -= self.b_in_a.rotation * (place(LEAN) - place(-LEAN)) / (2.0 * LEAN);
        }
        moved
    }
}
