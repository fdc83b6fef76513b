//! A closed surface of patches as a field: exact distances, and half-spaces from what a ball holds of its pieces.
//!
//! **Idea.** What a ball holds of a surface is cut out of its patches, and lies in the hulls of few control points. All of the ball that is above
//! these along some direction holds no surface and is on one side of it. So a half-space along a normal of the surface, raised to the highest
//! control point, holds the solid, or its complement; at a convex crease that is one for each of the faces, and at a hollow one the solid is
//! in the union of half-spaces that are each raised to the pieces of their own face only.

use super::IndexedPatches;
use super::patch_cells::{PatchCells, SignedPlace};
use crate::geometry::field::{Enclosure, Facet, Field, Region, SurfacePoint};
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::geometry::parametric::PatchCell;
use crate::math::{Point, Real, Vector};
use crate::volume::Sphere;

/// With more pieces than this in a ball, half-spaces say nothing.
const MOST_PIECES: usize = 48;
/// With more faces that face different ways than this, too.
const MOST_FACES: usize = 6;
/// Pieces belong to one face where the cosine of their normals is at least this.
const ALIKE: Real = 0.93;
/// What rises above a face's own height by this share of the ball's radius makes it hollow.
const HOLLOW: Real = 0.02;
/// Rounding of heights, as a share of the coordinates.
const ROUNDING: Real = 64.0 * Real::EPSILON;
/// From places nearer than this share of the surface's size the way to a crease is rounding.
const NO_WAY: Real = 1e-10;

/// Pieces that face about the same way, all of one ball.
struct Face {
    /// Out of the region.
    normal: Vector,
    /// The height of the ball's centre over the place whose normal it is.
    value: Real,
    /// How far the face's own pieces rise above that place.
    own: Real,
    /// How far any piece does.
    all: Real,
}

impl Face {
    fn facet(&self, rise: Real) -> Facet {
        Facet { normal: self.normal, value: self.value, error: rise.max(0.0) }
    }
}

/// What a ball holds of a surface, seen from one side of it.
struct Inside<'b> {
    cells: &'b PatchCells,
    ball: &'b Sphere,
    region: Region,
    /// Whether the ball's centre is in the solid.
    centre_inside: bool,
}

impl Inside<'_> {
    /// Whether a place of the ball, off the surface, is not in the region.
    fn is_out(&self, place: &Point) -> bool {
        self.cells.nearest(place).is_some_and(|found| found.is_inside != (self.region == Region::Solid))
    }

    fn centre_is_out(&self) -> bool {
        self.centre_inside != (self.region == Region::Solid)
    }

    /// Whether what the ball holds above a face, where no piece is, is certainly not in the region.
    fn is_bound(&self, face: &Face) -> bool {
        if face.value + self.ball.radius <= face.all {
            return false;
        }
        if face.value > face.all {
            return self.centre_is_out();
        }
        self.is_out(&(self.ball.centre + face.normal * self.ball.radius))
    }

    /// Whether what the ball holds above all faces, each raised to its own pieces, is certainly not in the region.
    fn is_union(&self, faces: &[Face]) -> bool {
        let is_above = |way: &Vector| faces.iter().all(|f| f.value + f.normal.dot(way) > f.own.max(0.0));
        if is_above(&Vector::zeros()) {
            return self.centre_is_out();
        }
        let mean: Vector = faces.iter().map(|f| f.normal).sum();
        let Some(up) = mean.try_normalize(1e-3) else { return false };
        let top = up * self.ball.radius;
        is_above(&top) && self.is_out(&(self.ball.centre + top))
    }
}

/// The pieces by the ways they face: first those that face as the nearest place does, each face with a place of its own.
fn faces_of(pieces: &[PatchCell], ball: &Sphere, nearest: &SignedPlace, sign: Real, slack: Real) -> Option<Vec<Face>> {
    let normals: Vec<Option<Vector>> = pieces.iter().map(PatchCell::mean_normal).collect();
    let mut of: Vec<Option<usize>> = vec![None; pieces.len()];
    let mut seeds = vec![(nearest.point, nearest.normal)];
    loop {
        let (number, (_, normal)) = (seeds.len() - 1, seeds[seeds.len() - 1]);
        for (k, own) in normals.iter().enumerate() {
            if of[k].is_none() && own.is_none_or(|own| own.dot(&normal) >= ALIKE) {
                of[k] = Some(number);
            }
        }
        let Some(k) = of.iter().position(Option::is_none) else { break };
        if seeds.len() == MOST_FACES {
            return None;
        }
        let found = pieces[k].nearest(&ball.centre);
        seeds.push((found.point, pieces[k].normal_at(found.share).or(normals[k])?));
        of[k] = Some(seeds.len() - 1);
    }
    let face = |(number, (place, normal)): (usize, &(Point, Vector))| {
        let normal = normal * sign;
        let base = normal.dot(&place.coords);
        let rise = |is_own: bool| {
            let heights = pieces.iter().zip(&of).filter(|(_, of)| !is_own || **of == Some(number));
            heights.map(|(piece, _)| piece.height(&normal) - base).fold(0.0, Real::max) + slack
        };
        Face { normal, value: normal.dot(&(ball.centre - place)), own: rise(true), all: rise(false) }
    };
    Some(seeds.iter().enumerate().map(face).collect())
}

impl Field for IndexedPatches {
    fn distance(&self, point: &Point) -> Real {
        let cells = self.cells();
        let Some(found) = cells.nearest(&cells.own(point)) else { return 0.0 };
        if found.is_inside { -found.least } else { found.least }
    }

    fn has_exact_distance(&self) -> bool {
        true
    }

    fn contains(&self, point: &Point) -> bool {
        let is_inside = |cells: &PatchCells| cells.nearest(&cells.own(point)).is_some_and(|found| found.is_inside);
        self.surface().aabb().distance_to_point(point) == 0.0 && is_inside(self.cells())
    }

    fn part_places(&self) -> Vec<Point> {
        Self::part_places(self).to_vec()
    }

    fn enclose(&self, ball: &Sphere, region: Region, out: &mut Enclosure) {
        let cells = self.cells();
        // From here on in the frame of the cells: half-spaces are told by heights over them.
        let ball = &Sphere { centre: cells.own(&ball.centre), radius: ball.radius };
        let Some(nearest) = cells.nearest(&ball.centre) else { return out.push_everything() };
        if nearest.least > ball.radius {
            if nearest.is_inside == (region == Region::Solid) {
                out.push_everything();
            }
            return;
        }
        let Some(pieces) = cells.in_ball(ball, MOST_PIECES) else { return out.push_everything() };
        let sign = if region == Region::Solid { 1.0 } else { -1.0 };
        let [min, max] =
            [self.surface().aabb().min, self.surface().aabb().max].map(|end| cells.own(&end).coords.amax());
        let slack = ROUNDING * (min.max(max) + ball.centre.coords.amax());
        let Some(faces) = faces_of(&pieces, ball, &nearest, sign, slack) else { return out.push_everything() };
        let inside = Inside { cells, ball, region, centre_inside: nearest.is_inside };
        if let [face] = faces.as_slice() {
            let reaches = face.value + ball.radius > face.all;
            // From a place in the ball on nothing but the outer side of pieces is left behind on the way up.
            let is_held = (nearest.point - ball.centre).norm() <= ball.radius;
            let is_sheet = || is_held && pieces.iter().all(|piece| piece.looks_along(&(face.normal * sign)));
            if reaches && (is_sheet() || inside.is_bound(face)) {
                out.push(&[face.facet(face.all)]);
            } else {
                out.push_everything();
            }
            return;
        }
        let hollow = HOLLOW * ball.radius;
        let bounds: Vec<(&Face, Facet)> =
            faces.iter().filter(|f| inside.is_bound(f)).map(|f| (f, f.facet(f.all))).collect();
        let is_tight = bounds.len() == faces.len() && bounds.iter().all(|(f, _)| f.all <= f.own + hollow);
        if !is_tight && inside.is_union(&faces) {
            for face in &faces {
                let mut alternative = vec![face.facet(face.own)];
                let is_other = |other: &Face| !std::ptr::eq(other, face) && other.all <= other.own + hollow;
                alternative.extend(bounds.iter().filter(|(other, _)| is_other(other)).map(|(_, facet)| *facet));
                out.push(&alternative);
            }
            return;
        }
        let mut all_of: Vec<Facet> = bounds.into_iter().map(|(_, facet)| facet).collect();
        all_of.sort_by(|f, g| g.value.total_cmp(&f.value));
        out.push(&all_of);
    }

    fn sees_far(&self) -> bool {
        false
    }

    fn nearest_outside(&self, point: &Point) -> Option<SurfacePoint> {
        self.seen_from(point, false)
    }

    fn nearest_inside(&self, point: &Point) -> Option<SurfacePoint> {
        self.seen_from(point, true)
    }

    fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
        Ok((self.surface().mass_of_solid(density)?, MassKind::Exact))
    }
}

impl IndexedPatches {
    /// The nearest place of the surface, seen from a point outside or inside of it.
    fn seen_from(&self, point: &Point, from_inside: bool) -> Option<SurfacePoint> {
        let cells = self.cells();
        let point = cells.own(point);
        let found = cells.nearest(&point)?;
        let way = if from_inside { found.point - point } else { point - found.point };
        let along = way.try_normalize(NO_WAY * self.surface().bounding_sphere().radius);
        let normal = if found.is_crease { along.unwrap_or(found.normal) } else { found.normal };
        Some(SurfacePoint { point: cells.of_surface(&found.point), normal })
    }
}
