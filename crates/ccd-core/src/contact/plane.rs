//! Tangent planes: the normal that two touching features share, and the basis in which friction acts.
//!
//! Source: Vaněček (1990), section 4; erratum E25 (the symmetric opposed case has no sum to span a plane with: the
//! difference of the invectors does).

use crate::math::{Real, Vector, orthonormal_basis};

/// A right-handed orthonormal frame at a contact: friction acts along the two tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentPlane {
    /// Unit, from A to B.
    pub normal: Vector,
    /// Unit, in the plane.
    pub tangent: Vector,
    /// Unit, in the plane: `normal × tangent`.
    pub bitangent: Vector,
}

impl TangentPlane {
    /// The plane of a unit normal. Its tangents turn continuously with the normal, except at the one oblique pole of
    /// [`orthonormal_basis`]: warm starting by tangential components does not jump.
    pub fn new(normal: Vector) -> Self {
        let (tangent, bitangent) = orthonormal_basis(&normal);
        Self { normal, tangent, bitangent }
    }

    /// The components of a vector along the tangents.
    #[inline]
    pub fn components(&self, v: &Vector) -> (Real, Real) {
        (self.tangent.dot(v), self.bitangent.dot(v))
    }
}

/// A touching feature as its tangent plane needs it; all directions unit, in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TouchingFeature {
    /// A face.
    Face {
        /// Outward.
        normal: Vector,
    },
    /// An edge.
    Edge {
        /// Along the edge, either way.
        direction: Vector,
        /// Into the solid: against the mean of the adjacent faces' normals.
        invector: Vector,
    },
    /// A vertex.
    Vertex {
        /// Into the solid: against the mean of the incident faces' normals.
        invector: Vector,
    },
}

impl TouchingFeature {
    /// Into the solid.
    pub fn invector(&self) -> Vector {
        match self {
            Self::Face { normal } => -normal,
            Self::Edge { invector, .. } | Self::Vertex { invector } => *invector,
        }
    }
}

/// Two directions with a smaller sine between them count as one.
const COLLINEAR: Real = 1e-6;

/// The normal from A to B of two features that touch, where no distance is left to take it from (erratum E26).
///
/// | A / B | normal |
/// |---|---|
/// | face with anything | the face's |
/// | edge / edge, crossing | their cross product |
/// | collinear edges, vertex / edge | perpendicular to the edge and to the sum of the invectors, seen along the edge as unit vectors; opposed invectors: their difference |
/// | vertex / vertex | in the plane of the invectors, perpendicular to their sum: their difference |
///
/// Where the invectors decide nothing (both solids lie on one side), it is `fallback`: a unit direction from A to B,
/// such as the last separating one. Of two faces, the mean. Exchanging A and B turns the normal over.
pub fn contact_normal(a: &TouchingFeature, b: &TouchingFeature, fallback: &Vector) -> Vector {
    use TouchingFeature::{Edge, Face};
    let apart = b.invector() - a.invector();
    let unit = |v: Vector| v.try_normalize(COLLINEAR);
    let normal = match (a, b) {
        (Face { .. }, Face { .. }) => unit(apart),
        (Face { normal }, _) => Some(*normal),
        (_, Face { normal }) => Some(-normal),
        (Edge { direction: e, .. }, Edge { direction: f, .. }) => {
            unit(e.cross(f)).or_else(|| perpendicular_to_edge(e, a, b))
        }
        (Edge { direction, .. }, _) | (_, Edge { direction, .. }) => perpendicular_to_edge(direction, a, b),
        _ => unit(apart),
    };
    match normal {
        // A cross product knows no side: the invectors do, or the last direction.
        Some(n) if matches!((a, b), (Face { .. }, _) | (_, Face { .. })) => n,
        Some(n) => {
            let towards_b = n.dot(&apart);
            let side = if towards_b.abs() > COLLINEAR { towards_b } else { n.dot(fallback) };
            if side < 0.0 { -n } else { n }
        }
        None => *fallback,
    }
}

/// Seen along the edge the invectors are brought to the same length: then their difference is perpendicular to their sum,
/// so that one formula serves the paper's case and the opposed one. An invector along the edge says nothing.
fn perpendicular_to_edge(edge: &Vector, a: &TouchingFeature, b: &TouchingFeature) -> Option<Vector> {
    let across = |v: Vector| (v - edge * edge.dot(&v)).try_normalize(COLLINEAR).unwrap_or_default();
    (across(b.invector()) - across(a.invector())).try_normalize(COLLINEAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tests::unit_vector;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_tangent_plane_is_a_right_handed_orthonormal_frame(n in unit_vector()) {
            let plane = TangentPlane::new(n);
            prop_assert!((plane.tangent.norm() - 1.0).abs() < 1e-12 && plane.tangent.dot(&n).abs() < 1e-12);
            prop_assert!((n.cross(&plane.tangent) - plane.bitangent).norm() < 1e-12);
        }

        #[test]
        fn exchanging_the_sides_turns_the_normal_over(v in unit_vector(), w in unit_vector(), e in unit_vector(), f in unit_vector()) {
            use TouchingFeature::*;
            let across = |e: &Vector, v: &Vector| (v - e * e.dot(v)).normalize();
            let one = [Face { normal: v }, Edge { direction: e, invector: across(&e, &v) }, Vertex { invector: v }];
            let other = [Face { normal: w }, Edge { direction: f, invector: across(&f, &w) }, Vertex { invector: w }];
            for a in &one {
                for b in &other {
                    let forward = contact_normal(a, b, &v);
                    prop_assert!((forward.norm() - 1.0).abs() < 1e-9);
                    prop_assert!((forward + contact_normal(b, a, &-v)).norm() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn opposed_collinear_edges_and_vertices_get_the_separating_plane_of_erratum_e25() {
        use TouchingFeature::*;
        let (up, down) = (Vector::y(), -Vector::y());
        let ridge = Edge { direction: Vector::x(), invector: down };
        let keel = Edge { direction: -Vector::x(), invector: up };
        assert_eq!(contact_normal(&ridge, &keel, &Vector::z()), up);
        assert_eq!(contact_normal(&Vertex { invector: down }, &Vertex { invector: up }, &Vector::z()), up);
        assert_eq!(contact_normal(&Vertex { invector: down }, &keel, &Vector::z()), up);
        // The paper's plane through the edge and the sum of the invectors, where there is a sum.
        let slanted = Edge { direction: Vector::x(), invector: Vector::new(0.0, 0.6, 0.8) };
        let normal = contact_normal(&ridge, &slanted, &Vector::z());
        assert!(normal.dot(&Vector::x()).abs() < 1e-12 && normal.dot(&(down + slanted.invector())).abs() < 1e-12);
        assert!(normal.dot(&up) > 0.0);
    }

    #[test]
    fn a_vertex_on_an_edge_gets_the_plane_through_the_edge_and_the_mean_invector() {
        use TouchingFeature::*;
        let edge = Edge { direction: Vector::x(), invector: -Vector::y() };
        // Leaning along the edge, too: that part of it turns the plane not at all.
        for lean in [0.0, 0.5, -0.9] {
            let invector = Vector::new(lean, 0.6, 0.8).normalize();
            let normal = contact_normal(&edge, &Vertex { invector }, &Vector::z());
            let sum = Vector::new(0.0, 0.6, 0.8) - Vector::y();
            assert!(normal.dot(&Vector::x()).abs() < 1e-12 && normal.dot(&sum).abs() < 1e-12, "{normal}");
            assert!(normal.y > 0.0);
        }
        let along = Vertex { invector: Vector::x() };
        assert_eq!(contact_normal(&edge, &along, &Vector::z()), Vector::y());
    }

    #[test]
    fn solids_on_the_same_side_fall_back_to_the_given_direction() {
        use TouchingFeature::*;
        let v = Vertex { invector: Vector::y() };
        assert_eq!(contact_normal(&v, &v, &Vector::z()), Vector::z());
    }

    #[test]
    fn a_transversal_pair_of_edges_has_their_cross_product_towards_b() {
        use TouchingFeature::*;
        let below = Edge { direction: Vector::x(), invector: -Vector::y() };
        let above = Edge { direction: Vector::z(), invector: Vector::y() };
        assert_eq!(contact_normal(&below, &above, &Vector::x()), Vector::y());
    }
}
