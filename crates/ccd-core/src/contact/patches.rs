//! Contacts of surfaces of patches.
//!
//! Problem: a curved surface touches in points that are no features of it, and a flat part of one in an area.
//!
//! Idea: triangles near the surface find the candidates, as those of a mesh would, within the margin and what the triangles leave the
//! surface by; each is then moved onto the true surface, where its separation is measured. The nearest points of the true surfaces are always
//! among them.
//!
//! Features: `Face` is the number of the patch. `Vertex` and `Edge` are numbered by the triangles, which stay the same while the bodies
//! creep.

use super::ContactPoint;
use super::limits::Limits;
use super::manifold::{ContactCache, find_every_contact};
use crate::bounds::{IndexedPatches, StandIn};
use crate::detection::closest::closest_within;
use crate::detection::closest::patches::nearest_or_overlap;
use crate::geometry::feature::Feature;
use crate::geometry::parametric::PatchPlace;
use crate::math::{Point, Pose, Vector};
use crate::shape::Shape;

/// Appends the contacts, before any reduction, of two solids of which at least one is a surface of patches, in A's frame.
///
/// Separations are exact where the nearest points are and where a smooth solid meets the surface; elsewhere they are measured along the
/// candidate's normal at places of the true surface.
pub(super) fn patch_contacts(a: &Shape, b: &Shape, b_in_a: &Pose, limits: &Limits, out: &mut Vec<ContactPoint>) {
    let start = out.len();
    let home = Pose::identity();
    let Ok((nearest, overlap)) = nearest_or_overlap(a, b, b_in_a, limits.margin) else { return };
    if let Some(nearest) = nearest {
        out.push(nearest.into());
    } else if !overlap {
        return;
    }
    let (side_a, side_b) = (Side::of(a, home), Side::of(b, *b_in_a));
    let (Some(stand_in_a), Some(stand_in_b)) = (side_a.stand_in(a), side_b.stand_in(b)) else { return };
    let error = side_a.error() + side_b.error();
    let first = out.len();
    let around = Limits { margin: limits.margin + 2.0 * error, ..*limits };
    find_every_contact((&stand_in_a, &home), (&stand_in_b, b_in_a), &around, &mut ContactCache::default(), out);
    for c in &mut out[first..] {
        let (on_a, on_b) = (side_a.on_surface(c.features.a, &c.point_a), side_b.on_surface(c.features.b, &c.point_b));
        // A face's own direction is the surface's there.
        let normal = match (&on_a, &on_b) {
            (Some(at), _) if matches!(c.features.a, Feature::Face(_)) => at.normal.map(|n| oriented(n, &c.normal)),
            (_, Some(at)) if matches!(c.features.b, Feature::Face(_)) => at.normal.map(|n| oriented(n, &c.normal)),
            _ => None,
        };
        c.normal = normal.unwrap_or(c.normal);
        c.point_a = on_a.as_ref().map_or(c.point_a, |at| at.point);
        c.point_b = on_b.as_ref().map_or(c.point_b, |at| at.point);
        c.separation = (c.point_b - c.point_a).dot(&c.normal);
        c.features.a = on_a.map_or(c.features.a, |at| at.feature);
        c.features.b = on_b.map_or(c.features.b, |at| at.feature);
    }
    // Apart, no place of the true surfaces is nearer than the nearest: a candidate that says so was moved too far aside.
    let least = nearest.as_ref().map_or(f64::NEG_INFINITY, |n| n.distance - limits.snap);
    let mut kept = first;
    for i in first..out.len() {
        if out[i].separation <= limits.margin && out[i].separation >= least {
            out[kept] = out[i];
            kept += 1;
        }
    }
    out.truncate(kept);
    // Deeper than the triangles are asked for: one contact along the way out.
    if overlap
        && out.len() == start
        && let Ok(Some(deepest)) = closest_within(a, &home, b, b_in_a, limits.margin)
    {
        out.push(deepest.into());
    }
}

fn oriented(normal: Vector, towards: &Vector) -> Vector {
    if normal.dot(towards) < 0.0 { -normal } else { normal }
}

/// A place of a true surface, in the frame of the query.
struct OnSurface {
    point: Point,
    normal: Option<Vector>,
    feature: Feature,
}

/// One side, with what stands in for it.
struct Side<'s> {
    surface: Option<(&'s IndexedPatches, &'s StandIn)>,
    pose: Pose,
}

impl<'s> Side<'s> {
    fn of(shape: &'s Shape, pose: Pose) -> Self {
        let surface = match shape {
            Shape::Patches(surface) => surface.stand_in().map(|stand_in| (surface.as_ref(), stand_in)),
            _ => None,
        };
        Self { surface, pose }
    }

    /// What candidates are found with; `None` for patches without area.
    fn stand_in(&self, shape: &Shape) -> Option<Shape> {
        match (shape, &self.surface) {
            (Shape::Patches(_), surface) => surface.map(|(_, stand_in)| Shape::Mesh(stand_in.mesh.clone())),
            (other, _) => Some(other.clone()),
        }
    }

    fn error(&self) -> f64 {
        self.surface.map_or(0.0, |(_, stand_in)| stand_in.error)
    }

    /// The place of the true surface with the parameters of a point of the triangles.
    fn on_surface(&self, feature: Feature, point: &Point) -> Option<OnSurface> {
        let (surface, stand_in) = self.surface?;
        let face = match feature {
            Feature::Face(face) => face,
            Feature::Edge(edge) => *stand_in.mesh.topology().faces_of_edge(edge as usize).first()?,
            Feature::Vertex(vertex) => *stand_in.faces_of_vertex.get(vertex as usize)?,
        };
        let places = stand_in.places.get(face as usize)?;
        let corners = stand_in.mesh.triangle(face);
        let weights = weights(&corners, &self.pose.inverse_transform_point(point));
        let at = [0, 1].map(|k| places.iter().zip(weights).map(|(p, w)| p.at[k] * w).sum::<f64>().clamp(0.0, 1.0));
        let place = PatchPlace { patch: places[0].patch, at };
        let feature = if let Feature::Face(_) = feature { Feature::Face(place.patch) } else { feature };
        Some(OnSurface {
            point: self.pose * surface.point_at(&place),
            normal: surface.normal_at(&place).map(|n| self.pose.rotation * n),
            feature,
        })
    }
}

/// The barycentric weights of the place of a triangle's plane nearest to a point.
fn weights([a, b, c]: &[Point; 3], point: &Point) -> [f64; 3] {
    let (u, v, w) = (b - a, c - a, point - a);
    let normal = u.cross(&v);
    let squared = normal.norm_squared();
    let (s, t) = (w.cross(&v).dot(&normal) / squared, u.cross(&w).dot(&normal) / squared);
    [1.0 - s - t, s, t]
}
