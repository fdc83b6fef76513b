//! Where edges and corners touch, and faces that turn: how the contact moves is told by what the features are.

use super::{Arms, Pivoting, Side, Surface};
use crate::contact::ContactPoint;
use crate::geometry::feature::Feature;
use crate::geometry::primitive::Cuboid;
use crate::math::{Matrix, Real, Vector};
use crate::shape::Shape;

/// Edges and corners bend by this, divided by the shorter way from a centre: next to nothing moves over them.
const SHARP_BEND: Real = 1e6;

impl Pivoting<'_> {
    /// Where a contact is halfway, of which these are the arms at the beginning, that an edge or a corner has a part in, or a face that turns.
    pub(super) fn arms_on_features(&self, p: &ContactPoint, arms: [Vector; 2]) -> Option<Arms> {
        if self.strikes(p) {
            return None;
        }
        let size = self.size_at(p);
        let [a, b] = &self.sides;
        let operator_a = a.bend(p.features.a, p, &p.normal, size)?;
        let operator_b = b.bend(p.features.b, p, &-p.normal, size)?;
        self.arms_by_bends(p, arms, [&operator_a, &operator_b])
    }
}

impl Side<'_> {
    /// The shape operator of its surface where a feature faces along `outward`, world.
    fn bend(&self, feature: Feature, p: &ContactPoint, outward: &Vector, size: Real) -> Option<Matrix> {
        let (shape, pose, own) = self.part(feature)?;
        match Surface::at(shape, own) {
            Surface::Flat => Some(Matrix::zeros()),
            Surface::Corner => Some((Matrix::identity() - outward * outward.transpose()) * (SHARP_BEND / size)),
            Surface::Edge => {
                let along = pose * edge(shape, own)?;
                let across = outward.cross(&along).try_normalize(0.5)?;
                Some(across * across.transpose() * (SHARP_BEND / size))
            }
            Surface::Round | Surface::Smooth => {
                let place = if outward.dot(&p.normal) > 0.0 { &p.point_a } else { &p.point_b };
                self.shape_operator(feature, place, outward, super::curves::ABOVE * size)
            }
            Surface::Other => None,
        }
    }
}

/// The unit direction of an edge, in the shape's frame.
fn edge(shape: &Shape, feature: Feature) -> Option<Vector> {
    let Feature::Edge(edge) = feature else { return None };
    let [from, to] = match shape {
        Shape::Box(cuboid) if edge < 12 => Cuboid::edge_vertices(edge).map(|v| cuboid.vertex(v)),
        Shape::Convex(hull) => hull.edges().get(edge as usize)?.vertices.map(|v| hull.vertices()[v as usize]),
        Shape::Mesh(mesh) if (edge as usize) < mesh.topology().edges().len() => mesh.edge(edge),
        _ => return None,
    };
    (to - from).try_normalize(0.0)
}
