//! A closed mesh as a field: exact distances, and the planes of its triangles as half-spaces.
//!
//! **Idea.** In a ball that meets few triangles, a triangle's plane bounds the solid if no other triangle there rises above
//! it: to get from the plane's outer side into the solid one would have to pass through one of them. If none falls below
//! any of the planes, the same holds of the space around the solid.

use std::ops::ControlFlow;

use super::IndexedMesh;
use crate::geometry::field::{Enclosure, Facet, Field, Region, SurfacePoint};
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::math::{Point, Real};
use crate::volume::{Aabb, Sphere};

/// With more triangles than this in a ball, their planes say nothing.
const MOST_TRIANGLES: usize = 24;
/// Triangles that rise above a plane by this share of the coordinates lie in it.
const FLAT: Real = 1e-12;

impl Field for IndexedMesh {
    fn distance(&self, point: &Point) -> Real {
        self.signed_distance(point)
    }

    fn has_exact_distance(&self) -> bool {
        true
    }

    fn contains(&self, point: &Point) -> bool {
        Self::contains(self, point)
    }

    fn part_places(&self) -> Vec<Point> {
        Self::part_places(self).to_vec()
    }

    fn enclose(&self, ball: &Sphere, region: Region, out: &mut Enclosure) {
        let mut near: Vec<u32> = Vec::new();
        let around = Aabb::from_half_extents(ball.centre, nalgebra::Vector3::repeat(ball.radius));
        let full = self.visit_triangles_near(&around, |face| {
            let part = crate::geometry::mesh::triangle::closest_point(&self.triangle(face), &ball.centre).0;
            if (part - ball.centre).norm() <= ball.radius * (1.0 + 1e-9) {
                near.push(face);
            }
            if near.len() > MOST_TRIANGLES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if full.is_break() {
            return out.push_everything();
        }
        if near.is_empty() {
            if Self::contains(self, &ball.centre) == (region == Region::Solid) {
                out.push_everything();
            }
            return;
        }
        near.sort_unstable();
        let size = self.aabb();
        let slack = FLAT * (size.min.coords.amax().max(size.max.coords.amax()) + ball.centre.coords.amax());
        let heights = |face: u32| {
            let (normal, corner) = (self.face_normals()[face as usize], self.triangle(face)[0]);
            let all = near.iter().flat_map(|f| self.triangle(*f)).map(move |p| normal.dot(&(p - corner)));
            all.fold((0.0_f64, 0.0_f64), |(low, high), h| (low.min(h), high.max(h)))
        };
        let facet = |face: u32, sign: Real| {
            let (normal, corner) = (self.face_normals()[face as usize], self.triangle(face)[0]);
            Facet { normal: normal * sign, value: sign * normal.dot(&(ball.centre - corner)), error: slack }
        };
        let sign = if region == Region::Solid { 1.0 } else { -1.0 };
        let mut all_of: Vec<Facet> = Vec::new();
        let mut any_of: Vec<Facet> = Vec::new();
        let mut is_hollow = true;
        let same = |list: &[Facet], f: &Facet| {
            list.iter().any(|g| (g.normal - f.normal).amax() < 1e-12 && (g.value - f.value).abs() <= slack)
        };
        for &face in &near {
            let (low, high) = heights(face);
            let (rises, falls) = if region == Region::Solid { (high, -low) } else { (-low, high) };
            let plane = facet(face, sign);
            if rises <= slack && !same(&all_of, &plane) {
                all_of.push(plane);
            }
            is_hollow &= falls <= slack;
            if !same(&any_of, &plane) {
                any_of.push(plane);
            }
        }
        if is_hollow && any_of.len() > 1 {
            any_of.iter().for_each(|f| out.push(&[*f]));
        } else {
            all_of.sort_by(|f, g| g.value.total_cmp(&f.value));
            out.push(&all_of);
        }
    }

    fn nearest(&self, point: &Point, region: Region, fine: Real) -> Option<SurfacePoint> {
        let nearest = self.closest_point(point, Real::INFINITY)?;
        let sign = if region == Region::Solid { 1.0 } else { -1.0 };
        let way = (point - nearest.point).try_normalize(fine).map(|way| way * sign);
        Some(SurfacePoint { point: nearest.point, normal: way.unwrap_or_else(|| self.normal_of(nearest.feature)) })
    }

    fn sees_far(&self) -> bool {
        self.mesh().triangles().len() <= MOST_TRIANGLES
    }

    fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
        if let Some(mass) = self.source_mass(density) {
            return Ok(mass);
        }
        let mass = MassProperties::of_closed_surface(self.mesh().vertices(), self.mesh().triangles(), density)?;
        Ok((mass, MassKind::Exact))
    }
}
