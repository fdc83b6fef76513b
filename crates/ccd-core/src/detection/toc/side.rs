//! One side of a feature query: a moving solid with its features, and what does not change over the query.

use std::cell::OnceCell;

use crate::bounds::tree::AabbTree;
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::mesh::triangle::{TrianglePart, closest_point};
use crate::geometry::solid::Solid;
use crate::math::{Point, Real, Vector};
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
    caps: OnceCell<Vec<NormalCap>>,
}

/// The directions in which an edge can be nearest to something: within `half_angle` of the line along `axis`.
///
/// Beside an edge between two faces the surface recedes only along directions between the faces' normals, so where the
/// nearest points of two surfaces lie inside edges, the way between them is such a direction of both (the arcs of
/// their Gauss maps cross). The line, not the ray: of an open sheet either side may be the convex one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NormalCap {
    pub axis: Vector,
    /// Radians; π where nothing is known.
    pub half_angle: Real,
    /// The edge's own unit direction, to which they are all perpendicular; zero for an edge without length.
    pub along: Vector,
}

/// The point of a feature set's core that is nearest to some other.
pub(super) struct Nearest {
    pub point: Point,
    pub feature: Feature,
}

impl<'a> Side<'a> {
    pub fn new(solid: &'a dyn Solid, motion: &'a RigidMotion, max_error: Real) -> Self {
        Self::of(solid, motion, solid.features(max_error))
    }

    /// The side that these features stand for.
    pub fn of(solid: &'a dyn Solid, motion: &'a RigidMotion, mut features: FeatureSet) -> Self {
        if !(features.radius + features.error).is_finite() {
            features = FeatureSet::default();
        }
        let levers: Vec<_> = features.vertices.iter().map(|v| lever_arms(motion, v)).collect();
        let reach = if levers.is_empty() {
            Real::INFINITY
        } else {
            levers.iter().fold(0.0, |m: Real, l| m.max(l.1)) + features.radius + features.error
        };
        Self {
            solid,
            motion,
            features,
            levers,
            aabb: solid.local_aabb(),
            reach,
            items: OnceCell::new(),
            caps: OnceCell::new(),
        }
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

    /// The directions in which each edge can be nearest. O(n log n) at the first call.
    pub fn normal_caps(&self) -> &[NormalCap] {
        self.caps.get_or_init(|| normal_caps(&self.features))
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

fn normal_caps(features: &FeatureSet) -> Vec<NormalCap> {
    // Each edge with the normals of the faces that run along it either way.
    let mut keys: Vec<([u32; 2], usize)> =
        features.edges.iter().map(|[v, w]| [*v.min(w), *v.max(w)]).zip(0..).collect();
    keys.sort_unstable();
    let mut along: Vec<[Option<Vector>; 2]> = vec![[None; 2]; features.edges.len()];
    let mut known = vec![true; features.edges.len()];
    for face in &features.faces {
        let [a, b, c] = face.map(|v| features.vertices[v as usize]);
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0);
        for k in 0..3 {
            let (v, w) = (face[k], face[(k + 1) % 3]);
            let Ok(found) = keys.binary_search_by_key(&[v.min(w), v.max(w)], |(key, _)| *key) else { continue };
            let edge = keys[found].1;
            let way = usize::from(v > w);
            // A third face, one that is wound the other way, or one without a normal: nothing is known.
            known[edge] &= along[edge][way].is_none() && normal.is_some();
            along[edge][way] = normal;
        }
    }
    along
        .iter()
        .zip(&known)
        .zip(&features.edges)
        .map(|((normals, known), edge)| {
            let [from, to] = edge.map(|v| features.vertices[v as usize]);
            let along = (to - from).try_normalize(Real::MIN_POSITIVE).unwrap_or_else(Vector::zeros);
            let unknown = NormalCap { axis: Vector::x(), half_angle: std::f64::consts::PI, along };
            let [Some(m), Some(n)] = normals else { return unknown };
            let sum = m + n;
            // A knife's edge has normals that cancel out.
            const KNIFE: Real = 1e-3;
            if !known || sum.norm() < KNIFE {
                return unknown;
            }
            let axis = sum.normalize();
            NormalCap { axis, half_angle: axis.cross(m).norm().atan2(axis.dot(m)), along }
        })
        .collect()
}
