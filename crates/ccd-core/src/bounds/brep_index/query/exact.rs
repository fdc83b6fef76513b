//! Distances from features, and the answer without the tree.

use std::ops::ControlFlow;

use super::{IndexStats, Place};
use crate::bounds::brep_index::BrepIndex;
use crate::bounds::winding::winding_number;
use crate::geometry::feature::Feature;
use crate::geometry::mesh::triangle::closest_point;
use crate::math::{Point, Real};
use crate::volume::Aabb;

/// A face of more triangles is measured through the tree of boxes.
const FEW_TRIANGLES: usize = 8;

/// The nearest feature so far, vertices before edges before faces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    point: Point,
    tolerance: Real,
    /// Rank (0 vertex, 1 edge, 2 face), squared distance, feature.
    best: Option<(u8, Real, Feature)>,
}

impl Nearest {
    pub(super) fn to(point: &Point, tolerance: Real) -> Self {
        Self { point: *point, tolerance, best: None }
    }

    pub(super) fn feature(&self) -> Option<Feature> {
        self.best.map(|(_, _, feature)| feature)
    }

    /// Whether something of lower dimension than `rank` is near, so that it need not be looked at.
    fn is_beaten(&self, rank: u8) -> bool {
        self.best.is_some_and(|(r, _, _)| r < rank)
    }

    fn offer(&mut self, rank: u8, distance_squared: Real, feature: Feature) {
        if distance_squared > self.tolerance * self.tolerance {
            return;
        }
        let is_better = |&(r, d, f): &(u8, Real, Feature)| (rank, distance_squared, feature) < (r, d, f);
        if self.best.as_ref().is_none_or(is_better) {
            self.best = Some((rank, distance_squared, feature));
        }
    }
}

impl BrepIndex {
    pub(super) fn offer_vertex(&self, nearest: &mut Nearest, vertex: u32) {
        let place = self.mesh.mesh().vertices()[vertex as usize];
        nearest.offer(0, (nearest.point - place).norm_squared(), Feature::Vertex(vertex));
    }

    pub(super) fn offer_edge(&self, nearest: &mut Nearest, edge: u32, stats: &mut IndexStats) {
        if nearest.is_beaten(1) {
            return;
        }
        for &part in self.brep.parts_of_edge(edge) {
            stats.features_tested += 1;
            self.offer_part(nearest, part);
        }
    }

    fn offer_part(&self, nearest: &mut Nearest, mesh_edge: u32) {
        let [start, end] = self.mesh.edge(mesh_edge);
        let along = end - start;
        let t = ((nearest.point - start).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        nearest.offer(1, (nearest.point - (start + along * t)).norm_squared(), Feature::Edge(mesh_edge));
    }

    pub(super) fn offer_face(&self, nearest: &mut Nearest, face: u32, stats: &mut IndexStats) {
        if nearest.is_beaten(2) {
            return;
        }
        let triangles = self.brep.triangles_of_face(face);
        if triangles.len() <= FEW_TRIANGLES {
            for &t in triangles {
                stats.features_tested += 1;
                self.offer_triangle(nearest, t);
            }
        } else {
            self.visit_near(&nearest.point.clone(), |t| {
                if self.brep.face_of_triangle(t) == face {
                    stats.features_tested += 1;
                    self.offer_triangle(nearest, t);
                }
            });
        }
    }

    fn offer_triangle(&self, nearest: &mut Nearest, triangle: u32) {
        let closest = closest_point(&self.mesh.triangle(triangle), &nearest.point).0;
        nearest.offer(2, (closest - nearest.point).norm_squared(), Feature::Face(triangle));
    }

    fn visit_near(&self, point: &Point, mut triangle: impl FnMut(u32)) {
        let ball = Aabb { min: *point, max: *point }.inflated(self.tolerance());
        let _ = self.mesh.tree().visit_aabb(&ball, |t| {
            triangle(t);
            ControlFlow::Continue(())
        });
    }

    /// The feature that the point is on, found without the planes.
    pub(super) fn feature_at(&self, point: &Point, stats: &mut IndexStats) -> Option<Feature> {
        let mut nearest = Nearest::to(point, self.tolerance());
        self.visit_near(point, |t| {
            stats.features_tested += 1;
            for &v in &self.mesh.mesh().triangles()[t as usize] {
                if self.brep.is_corner(v) {
                    self.offer_vertex(&mut nearest, v);
                }
            }
            for &e in &self.mesh.topology().triangle_edges()[t as usize] {
                if self.brep.edge_of_mesh_edge(e).is_some() && !nearest.is_beaten(1) {
                    self.offer_part(&mut nearest, e);
                }
            }
            if !nearest.is_beaten(2) {
                self.offer_triangle(&mut nearest, t);
            }
        });
        nearest.feature()
    }

    /// Inside or outside by exact predicates, for a point off the surface.
    pub(super) fn side_exactly(&self, point: &Point, stats: &mut IndexStats) -> Place {
        stats.exact += 1;
        if winding_number(self.mesh.mesh(), self.mesh.tree(), point) > 0 { Place::Inside } else { Place::Outside }
    }

    /// Where a point is, without the planes of the index: through the triangles' boxes and exact predicates. The same
    /// answer as [`BrepIndex::classify`], by definition; slower.
    pub fn classify_exactly(&self, point: &Point, stats: &mut IndexStats) -> Place {
        if !self.is_near_box(point) {
            return Place::Outside;
        }
        match self.feature_at(point, stats) {
            Some(feature) => Place::On(feature),
            None => self.side_exactly(point, stats),
        }
    }
}
