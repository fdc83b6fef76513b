//! The points where two solids are nearest, near some place: by going from the one surface to the other and back.

use super::cells::{Cell, Cells, Divided};
use crate::geometry::field::{Field, SurfacePoint, nearest_surface};
use crate::math::{Point, Pose, Real, Vector};

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

/// Goes to and fro until the distance stops shrinking.
const ROUNDS: usize = 40;
/// A round that gains less than this share of the distance is the last.
const GAIN: Real = 1e-3;

/// What is needed to find pairs.
pub(crate) struct Witness<'s, 'q> {
    pub cells: &'s Cells<'q>,
    pub other: &'s dyn Field,
    /// From the other's frame to that of the divided solid.
    pub other_pose: Pose,
    /// How exact points are on their surfaces, metres.
    pub fine: Real,
    /// Of a part of a triangle the whole triangle counts: the part's own sides are none of the surface's.
    pub whole_faces: bool,
}

/// A point of a solid, with the outward normal if it is of the surface.
struct Nearest {
    point: Point,
    normal: Option<Vector>,
}

impl Witness<'_, '_> {
    /// Points of both solids near the cell's centre, as near to each other as the way to and fro finds, or nearer than
    /// `enough` metres.
    pub fn near(&self, cell: &Cell, enough: Real) -> Option<Pair> {
        let mut place = cell.centre;
        let mut best: Option<Pair> = None;
        // How far the last round moved, and where from.
        let mut moved: Option<(Vector, Point)> = None;
        for round in 0..ROUNDS {
            let a = self.of_divided(cell, &place)?;
            let b = self.of_other(&a.point)?;
            // The normal of the divided solid, seen from the other's point.
            let back = self.of_divided(cell, &b.point)?;
            let distance = (b.point - back.point).norm();
            let normal = self.normal(&back, &b, distance);
            let alignment = b.normal.map_or(1.0, |n| -n.dot(&normal));
            let pair = Pair { point_a: back.point, point_b: b.point, normal, distance, alignment };
            let gain = best.map_or(Real::INFINITY, |old| old.distance - distance);
            if gain > 0.0 {
                best = Some(pair);
            }
            if distance <= enough || (gain <= GAIN * distance && round % 3 != 0) {
                break;
            }
            // Rounds that shrink by an even share are a geometric series: its sum is where they lead.
            let step = moved.map(|(_, from)| b.point - from);
            let mut next = b.point;
            if let (Some((last, _)), Some(step)) = (moved, step)
                && round % 3 == 2
                && gain > 0.0
            {
                let share = step.dot(&last) / last.norm_squared();
                if share > 0.3 && share < 0.9999 {
                    next += step * (share / (1.0 - share)).min(100.0);
                }
            }
            moved = Some((step.unwrap_or_else(Vector::zeros), b.point));
            place = next;
        }
        best
    }

    /// The point of the divided solid nearest to `place`: itself, if it is inside.
    fn of_divided(&self, cell: &Cell, place: &Point) -> Option<Nearest> {
        match self.cells.divided {
            Divided::Field(field) => self.of_field(field, place),
            Divided::Mesh(_) | Divided::Patches(_) => {
                let part = if self.whole_faces {
                    self.cells.nearest_on_face(cell, place)
                } else {
                    self.cells.nearest_on_part(cell, place)
                };
                Some(Nearest { point: part?, normal: None })
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
        let SurfacePoint { point, normal } = nearest_surface(field, place, self.fine)?;
        Some(Nearest { point, normal: Some(normal) })
    }

    fn normal(&self, a: &Nearest, b: &Nearest, distance: Real) -> Vector {
        // The way from a point to the nearest one is along the surface's normal there.
        let way = (b.point - a.point).try_normalize(1e2 * self.fine).filter(|_| distance > 0.0);
        if let Some(way) = way {
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
