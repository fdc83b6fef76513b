//! Features that are too close to each other for contacts to be told apart.
//!
//! The paper asks that features that share nothing are at least α apart, typically 100 ε, so that the contacts of one
//! place form one cluster. Closer ones are no error here; whoever clusters contacts wants to know of them.

use std::ops::ControlFlow;

use super::BrepIndex;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::geometry::mesh::triangle::closest_point;
use crate::math::{Point, Real};
use crate::volume::Aabb;

/// Two features that share no vertex, edge or face, and the distance between them. An edge that is too short is told by
/// its two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloseFeatures {
    /// Of the mesh, as in [`super::Place::On`].
    pub features: FeaturePair,
    /// Metres.
    pub distance: Real,
}

/// The paper's α, in ε.
const SPACING: Real = 100.0;

impl BrepIndex {
    /// The paper's α, metres: 100 ε. Features that share nothing should be at least this far apart.
    pub fn least_spacing(&self) -> Real {
        SPACING * self.tolerance()
    }

    /// The pairs of features that are closer than `limit` metres and share nothing, the closest first: short edges by
    /// their ends, corners near faces, edges near edges. Linear in what is near, O(n log n) where little is.
    pub fn close_features(&self, limit: Real) -> Vec<CloseFeatures> {
        let mut found = Vec::new();
        let mut add = |a: Feature, b: Feature, distance: Real| {
            if distance < limit {
                found.push(CloseFeatures { features: FeaturePair { a: a.min(b), b: a.max(b) }, distance });
            }
        };
        let mesh = self.mesh.mesh();
        let place = |v: u32| mesh.vertices()[v as usize];
        for edge in self.brep.edges() {
            let [v, w] = edge.ends;
            add(Feature::Vertex(v), Feature::Vertex(w), (place(w) - place(v)).norm());
        }
        let mut faces_at = vec![Vec::new(); mesh.vertices().len()];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            let face = self.brep.face_of_triangle(t as u32);
            for &v in corners {
                if !faces_at[v as usize].contains(&face) {
                    faces_at[v as usize].push(face);
                }
            }
        }
        for v in self.brep.corners() {
            self.near(&Aabb { min: place(v), max: place(v) }, limit, |t| {
                if !faces_at[v as usize].contains(&self.brep.face_of_triangle(t)) {
                    let closest = closest_point(&mesh.triangle(t as usize), &place(v)).0;
                    add(Feature::Vertex(v), Feature::Face(t), (closest - place(v)).norm());
                }
            });
        }
        for (e, edge) in self.brep.edges().iter().enumerate() {
            for &part in self.brep.parts_of_edge(e as u32) {
                let own = self.mesh.edge(part);
                self.near(&Aabb::from_points(&own), limit, |t| {
                    for &other in &self.mesh.topology().triangle_edges()[t as usize] {
                        let Some(whole) = self.brep.edge_of_mesh_edge(other).filter(|&w| w > e as u32) else {
                            continue;
                        };
                        let shares_end = self.brep.edges()[whole as usize].ends.iter().any(|v| edge.ends.contains(v));
                        if !shares_end {
                            add(Feature::Edge(part), Feature::Edge(other), between(&own, &self.mesh.edge(other)));
                        }
                    }
                });
            }
        }
        found.sort_by(|p, q| p.distance.total_cmp(&q.distance).then(p.features.cmp(&q.features)));
        found.dedup_by(|p, q| p.features == q.features);
        found
    }

    fn near(&self, aabb: &Aabb, limit: Real, mut triangle: impl FnMut(u32)) {
        let _ = self.mesh.visit_triangles_near(&aabb.inflated(limit), |t| {
            triangle(t);
            ControlFlow::Continue(())
        });
    }
}

/// The distance of two segments.
fn between(one: &[Point; 2], other: &[Point; 2]) -> Real {
    let to_segment = |p: &Point, [a, b]: &[Point; 2]| {
        let along = b - a;
        (p - (a + along * ((p - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0))).norm()
    };
    let ends = one.iter().map(|p| to_segment(p, other)).chain(other.iter().map(|p| to_segment(p, one)));
    let at_ends = ends.fold(Real::INFINITY, Real::min);
    // Inside both: where the common perpendicular meets them (erratum E26: parallel ones are nearest at an end).
    let (u, v, w) = (one[1] - one[0], other[1] - other[0], other[0] - one[0]);
    let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
    let determinant = uu * vv - uv * uv;
    if determinant <= Real::EPSILON * uu * vv {
        return at_ends;
    }
    let s = (w.dot(&u) * vv - w.dot(&v) * uv) / determinant;
    let t = (w.dot(&u) * uv - w.dot(&v) * uu) / determinant;
    let is_inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if is_inside { at_ends.min((w + v * t - u * s).norm()) } else { at_ends }
}
