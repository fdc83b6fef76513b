//! The points where two solids are nearest, near some place: by going from the one surface to the other and back.

use nalgebra::{Matrix2, Vector2};

use super::cells::{Cell, Cells, Divided};
use crate::geometry::field::{Field, SurfacePoint, nearest_surface};
use crate::math::{Point, Pose, Real, Vector, orthonormal_basis};

/// Two points of two solids, in the frame of the divided one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Of the divided solid.
    pub point_a: Point,
    /// Of the other.
    pub point_b: Point,
    /// Unit, from the divided solid to the other.
    pub normal: Vector,
    /// Metres; zero where a point of both was found.
    pub distance: Real,
    /// The cosine between the normals of the two surfaces, turned: one where the points are nearest to each other.
    pub alignment: Real,
}

impl Pair {
    /// The pair of its first point and of the one under it on a plane through `origin`, of which the other solid is the under side.
    pub fn over_plane(&self, normal: &Vector, origin: &Vector) -> Self {
        let height = normal.dot(&(self.point_a.coords - origin)).max(0.0);
        Self { point_b: self.point_a - normal * height, normal: -normal, distance: height, alignment: 1.0, ..*self }
    }
}

/// Goes to and fro until the distance stops shrinking.
const ROUNDS: usize = 40;
/// A round that gains less than this share of the distance is the last.
const GAIN: Real = 1e-3;
/// So many times its last gain may a search still gain.
const HOPE: Real = 20.0;
/// How exact points are on their surfaces, of the accuracy that is asked for: what is reached first.
const COARSER: [Real; 3] = [1.0, 1e2, 1e5];
/// Rounds that settle a pair.
const SETTLING: usize = 30;
/// The first of them go plainly to and fro.
const PLAIN: usize = 3;
/// Strides along the way after them.
const STRIDES: usize = 60;
/// The cosine between the normals of two faces that look at each other, at the most (eight degrees).
const FACING: Real = -0.99;
/// A pair is settled when the line between its points leaves the surfaces' normal by less, radians.
const SETTLED: Real = 1e-5;

/// When to give up going to and fro.
struct Search {
    /// Where no nearer pair is promised, metres.
    than: Real,
    /// Where it leads further from the cell's centre, metres.
    leash: Real,
}

impl Default for Search {
    fn default() -> Self {
        Self { than: Real::INFINITY, leash: Real::INFINITY }
    }
}

/// What is needed to find pairs.
pub(crate) struct Witness<'s, 'q> {
    pub cells: &'s Cells<'q>,
    pub other: &'s dyn Field,
    /// From the other's frame to that of the divided solid.
    pub other_pose: Pose,
    /// How exact points are on their surfaces, metres.
    pub fine: Real,
    /// Where points of the divided solid are looked for, from a cell that is a part of a triangle or of a patch.
    pub within: Within,
}

/// Where on the surface of a mesh or of patches points are looked for that a cell leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// In the cell's part of a face.
    Part,
    /// In the whole triangle: the part's own sides are none of the surface's.
    Face,
    /// On the whole mesh: nor are the sides of a triangle that has its neighbours in one plane.
    Surface,
}

/// A point of a solid, with the outward normal if it is of the surface.
struct Nearest {
    point: Point,
    normal: Option<Vector>,
}

impl Witness<'_, '_> {
    /// Points of both solids near the cell's centre, as near to each other as the way to and fro finds, or nearer than
    /// `enough` metres; given up as soon as it promises no pair that is nearer than `than` metres.
    pub fn nearer(&self, cell: &Cell, enough: Real, than: Real) -> Option<Pair> {
        self.search(cell, enough, &Search { than, ..Search::default() })
    }

    /// [`Witness::nearer`] whatever it promises, given up as soon as the way to and fro leads further than `leash` metres from the cell's centre.
    pub fn near_here(&self, cell: &Cell, leash: Real) -> Option<Pair> {
        self.search(cell, 0.0, &Search { leash, ..Search::default() })
    }

    /// `pair` with its points as exactly on their surfaces as these are.
    pub fn refined(&self, cell: &Cell, pair: &Pair) -> Option<Pair> {
        self.round(cell, &pair.point_b).map(|(pair, _)| pair)
    }

    fn search(&self, cell: &Cell, enough: Real, search: &Search) -> Option<Pair> {
        let mut place = cell.centre;
        let mut best: Option<Pair> = None;
        // How far the last round moved, and where from.
        let mut moved: Option<(Vector, Point)> = None;
        for round in 0..ROUNDS {
            let Some((pair, _)) = self.round(cell, &place) else { break };
            let distance = pair.distance;
            let gain = best.map_or(Real::INFINITY, |old| old.distance - distance);
            if gain > 0.0 {
                best = Some(pair);
            }
            if distance <= enough || (gain <= GAIN * distance && round % 3 != 0) {
                break;
            }
            // What is left to gain is some times the last gain, or the rounds hardly shrink.
            if round > 0 && distance - HOPE * gain.max(0.0) > search.than {
                break;
            }
            if (pair.point_a - cell.centre).norm() > search.leash {
                return None;
            }
            // Rounds that shrink by an even share are a geometric series: its sum is where they lead.
            let step = moved.map(|(_, from)| pair.point_b - from);
            let mut next = pair.point_b;
            if let (Some((last, _)), Some(step)) = (moved, step)
                && round % 3 == 2
                && gain > 0.0
            {
                let share = step.dot(&last) / last.norm_squared();
                if share > 0.3 && share < 0.9999 {
                    next += step * (share / (1.0 - share)).min(100.0);
                }
            }
            moved = Some((step.unwrap_or_else(Vector::zeros), pair.point_b));
            place = next;
        }
        best
    }

    /// The pair moved to where the solids are locally nearest. To and fro takes R/d rounds, for surfaces of radius R a
    /// distance d apart; here the change of a round's way along the surface tells how far to go instead (Broyden's method on the way,
    /// which is zero where the solids are nearest). `reach`: no step is longer than a tenth of it, metres.
    pub fn settled(&self, cell: &Cell, pair: Pair, reach: Real) -> Pair {
        let mut best = pair;
        let mut place = pair.point_b;
        // Where the nearest pair was found from.
        let mut home = place;
        let (u, v) = orthonormal_basis(&pair.normal);
        let flat = |w: &Vector| Vector2::new(u.dot(w), v.dot(w));
        // How the way changes with the place: at first as plain rounds show, and at least as between surfaces as round as
        // the solid is large. Creases across each other need no more than plain rounds.
        let mut slope = Matrix2::zeros();
        let mut last: Option<(Point, Vector2<Real>)> = None;
        // Where the nearest pair was found from, and the step that went on from there.
        let (mut base, mut step) = (place, Vector2::zeros());
        for round in 0..SETTLING {
            let Some((pair, way)) = self.round(cell, &place) else { break };
            if pair.distance <= 0.0 {
                break;
            }
            let way = flat(&way);
            if let Some((from, before)) = last {
                let moved = flat(&(place - from));
                let squared = moved.norm_squared();
                if round <= PLAIN {
                    let shown = if squared > 0.0 { -moved.dot(&(way - before)) / squared } else { 0.0 };
                    slope = Matrix2::identity() * -shown.max(4.0 * pair.distance / reach);
                } else if squared > 0.0 {
                    slope += (way - before - slope * moved) * moved.transpose() / squared;
                }
            }
            last = Some((place, way));
            if pair.distance < best.distance || round <= PLAIN {
                if pair.distance < best.distance {
                    (best, home) = (pair, place);
                }
                if way.norm() <= SETTLED * pair.distance {
                    return best;
                }
                base = place;
                let inverse = if round < PLAIN { None } else { slope.try_inverse() };
                // Against the way leads no step to where they are nearer.
                step = inverse.map(|inverse| -(inverse * way)).filter(|s| s.dot(&way) > 0.0).unwrap_or(way);
                let most = 0.1 * reach;
                if step.norm() > most {
                    step *= most / step.norm();
                }
            } else {
                // Too far: back, and less.
                step *= 0.25;
                if step.norm() <= SETTLED * best.distance {
                    break;
                }
            }
            // On the surface also from inside: a place off it is off along it, too.
            let next = self.other_pose.inverse_transform_point(&(base + u * step.x + v * step.y));
            let Some(next) = nearest_surface(self.other, &next, self.fine) else { break };
            place = self.other_pose * next.point;
        }
        self.by_strides(cell, best, home, 0.1 * reach)
    }

    /// [`Witness::settled`] where an edge holds the point, and the way across it tells nothing: along the way alone, as far
    /// as its last change says (Barzilai and Borwein). `home`: the place the pair was found from; no stride is longer than
    /// `most` metres.
    fn by_strides(&self, cell: &Cell, mut best: Pair, mut home: Point, most: Real) -> Pair {
        let mut place = home;
        let mut stride = Vector::zeros();
        let mut last: Option<(Point, Vector)> = None;
        for _ in 0..STRIDES {
            let Some((pair, way)) = self.round(cell, &place) else { break };
            let length = way.norm();
            if pair.distance <= 0.0 {
                break;
            }
            if length <= SETTLED * pair.distance {
                // As near as the best but for rounding, and with the better normal.
                return if pair.distance <= best.distance * (1.0 + SETTLED * SETTLED) { pair } else { best };
            }
            if last.is_some_and(|(from, _)| from == place) {
                break;
            }
            let share = last.map_or(1.0, |(from, before)| {
                let moved: Vector = place - from;
                let turned = -moved.dot(&(way - before));
                if turned > 0.0 { moved.norm_squared() / turned } else { 1.0 }
            });
            if pair.distance <= best.distance {
                (best, home) = (pair, place);
                // No longer than allowed, be it less than all of the way.
                stride = way * share.max(1.0).min(most / length);
            } else {
                // Too far: back, and less.
                stride *= 0.25;
                if stride.norm() <= SETTLED * best.distance {
                    break;
                }
            }
            last = Some((place, way));
            // Over to the one solid and back, which leads onto edges and not beyond.
            let Some(over) = self.of_divided(cell, &(home + stride)) else { break };
            let Some(back) = self.of_other(&over.point) else { break };
            place = back.point;
        }
        best
    }

    /// To and fro once from a point of the other solid: the pair, and how far the point was moved.
    fn round(&self, cell: &Cell, place: &Point) -> Option<(Pair, Vector)> {
        let a = self.of_divided(cell, place)?;
        let b = self.of_other(&a.point)?;
        if b.normal.is_none() {
            // A point of both; to look for the nearest one of a patch again would only find it to rounding.
            let normal = self.normal(&a, &b, 0.0);
            let pair = Pair { point_a: a.point, point_b: a.point, normal, distance: 0.0, alignment: 1.0 };
            return Some((pair, a.point - place));
        }
        // Where no way leads back, or only to another place that is further away, as at a sheet with holes seen from afar, there is the
        // point that led here.
        let away = |a: &Nearest| (b.point - a.point).norm();
        let back = self.of_divided(cell, &b.point).filter(|back| away(back) <= away(&a)).unwrap_or(a);
        let distance = (b.point - back.point).norm();
        let normal = self.normal(&back, &b, distance);
        let alignment = b.normal.map_or(1.0, |n| -n.dot(&normal));
        Some((Pair { point_a: back.point, point_b: b.point, normal, distance, alignment }, b.point - place))
    }

    /// The point of the divided solid nearest to `place`: itself, if it is inside.
    fn of_divided(&self, cell: &Cell, place: &Point) -> Option<Nearest> {
        match self.cells.divided {
            Divided::Field(field) => self.of_field(field, place),
            Divided::Mesh(_) | Divided::Patches(_) => {
                let point = match self.within {
                    Within::Part => self.cells.nearest_on_part(cell, place),
                    Within::Face => self.cells.nearest_on_face(cell, place),
                    Within::Surface => self.cells.nearest_on_surface(cell, place),
                };
                Some(Nearest { point: point?, normal: None })
            }
        }
    }

    fn of_other(&self, place: &Point) -> Option<Nearest> {
        let found = self.of_field(self.other, &self.other_pose.inverse_transform_point(place))?;
        Some(Nearest {
            // Kept to the bit where it is the place itself.
            point: if found.normal.is_some() { self.other_pose * found.point } else { *place },
            normal: found.normal.map(|n| self.other_pose.rotation * n),
        })
    }

    fn of_field(&self, field: &dyn Field, place: &Point) -> Option<Nearest> {
        if field.contains(place) {
            return Some(Nearest { point: *place, normal: None });
        }
        // Spikes have places that rounding lets nobody reach as exactly as elsewhere, and tips that are thinner than that.
        let mut ways = COARSER.iter().map(|times| times * self.fine);
        let SurfacePoint { point, normal } = ways.find_map(|fine| nearest_surface(field, place, fine))?;
        Some(Nearest { point, normal: Some(normal) })
    }

    fn normal(&self, a: &Nearest, b: &Nearest, distance: Real) -> Vector {
        // The way from a point to the nearest one is along the surface's normal there.
        let way = |least: Real| (b.point - a.point).try_normalize(least * self.fine).filter(|_| distance > 0.0);
        // At an edge the normals of the faces beside it say less of it than points that are a few times as far apart as they are exact.
        let face_each_other = matches!((a.normal, b.normal), (Some(m), Some(n)) if m.dot(&n) < FACING);
        if let Some(way) = way(if face_each_other { 1e2 } else { 4.0 }) {
            return way;
        }
        let surfaces = match (a.normal, b.normal) {
            (Some(m), Some(n)) => (m - n).try_normalize(1e-3),
            (Some(m), None) => Some(m),
            (None, Some(n)) => Some(-n),
            (None, None) => None,
        };
        surfaces.unwrap_or_else(Vector::y)
    }
}
