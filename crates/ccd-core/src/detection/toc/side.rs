//! One side of a feature query: a moving solid with its features, and what does not change over the query.

use std::cell::OnceCell;

use crate::bounds::tree::AabbTree;
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::mesh::triangle::{TrianglePart, closest_point};
use crate::geometry::solid::Solid;
use crate::math::{Point, Real};
use crate::motion::{RigidMotion, lever_arms};
use crate::volume::Aabb;

/// A moving solid and its features.
pub(super) struct Side<'a> {
    pub solid: &'a dyn Solid,
    pub motion: &'a RigidMotion,
    /// Empty for a solid that no finite set represents (a half-space): only its own queries know it.
    pub features: FeatureSet,
    /// For each vertex its distance from the axis and from the centre of rotation, metres.
    pub levers: Vec<(Real, Real)>,
    pub aabb: Aabb,
    /// No point of the solid is further from the centre of rotation, metres; infinite for an unbounded solid.
    pub reach: Real,
    items: OnceCell<AabbTree>,
}

/// The point of a feature set's core that is nearest to some other.
pub(super) struct Nearest {
    pub point: Point,
    pub feature: Feature,
}

impl<'a> Side<'a> {
    pub fn new(solid: &'a dyn Solid, motion: &'a RigidMotion, max_error: Real) -> Self {
        let mut features = solid.features(max_error);
        if !(features.radius + features.error).is_finite() {
            features = FeatureSet::default();
        }
        let levers: Vec<_> = features.vertices.iter().map(|v| lever_arms(motion, v)).collect();
        let reach = if levers.is_empty() {
            Real::INFINITY
        } else {
            levers.iter().fold(0.0, |m: Real, l| m.max(l.1)) + features.radius + features.error
        };
        Self { solid, motion, features, levers, aabb: solid.local_aabb(), reach, items: OnceCell::new() }
    }

    /// Whether a finite set of features represents the solid.
    pub fn is_bounded(&self) -> bool {
        !self.features.vertices.is_empty()
    }

    /// By how much contact may happen outside the core's features, metres.
    pub fn skin(&self) -> Real {
        self.features.radius + self.features.error
    }

    /// The point of the core's surface nearest to `point`, if within `max_distance`; for a solid without features `None`.
    ///
    /// O(log n) after the first call, which builds a tree over the faces (or edges, or vertices, where there are no faces).
    pub fn nearest(&self, point: &Point, max_distance: Real) -> Option<Nearest> {
        let tree = self.items.get_or_init(|| AabbTree::from_boxes(&self.item_boxes()));
        let (_, item) =
            tree.closest(point, max_distance, |i| (self.nearest_on_item(i, point).0 - point).norm_squared())?;
        let (place, feature) = self.nearest_on_item(item, point);
        Some(Nearest { point: place, feature })
    }

    fn item_boxes(&self) -> Vec<Aabb> {
        let vertex = |v: u32| self.features.vertices[v as usize];
        if !self.features.faces.is_empty() {
            self.features.faces.iter().map(|f| Aabb::from_points(&f.map(vertex))).collect()
        } else if !self.features.edges.is_empty() {
            self.features.edges.iter().map(|e| Aabb::from_points(&e.map(vertex))).collect()
        } else {
            self.features.vertices.iter().map(|v| Aabb { min: *v, max: *v }).collect()
        }
    }

    fn nearest_on_item(&self, item: u32, point: &Point) -> (Point, Feature) {
        let vertex = |v: u32| self.features.vertices[v as usize];
        let i = item as usize;
        if !self.features.faces.is_empty() {
            let face = self.features.faces[i];
            let (place, part) = closest_point(&face.map(vertex), point);
            match part {
                TrianglePart::Corner(k) => (place, Feature::Vertex(face[usize::from(k)])),
                TrianglePart::Side(_) | TrianglePart::Inside => (place, Feature::Face(item)),
            }
        } else if !self.features.edges.is_empty() {
            let [from, to] = self.features.edges[i].map(vertex);
            let along = to - from;
            let squared = along.norm_squared();
            let s = if squared > 0.0 { ((point - from).dot(&along) / squared).clamp(0.0, 1.0) } else { 0.0 };
            (from + along * s, Feature::Edge(item))
        } else {
            (vertex(item), Feature::Vertex(item))
        }
    }
}
