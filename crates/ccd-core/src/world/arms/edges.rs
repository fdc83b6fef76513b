//! Where edges and corners touch, and faces that turn: how the contact moves is told by what the features are.

use super::curves::ABOVE;
use super::{Arms, Pivoting, Side, Surface};
use crate::contact::ContactPoint;
use crate::geometry::feature::Feature;
use crate::geometry::primitive::Cuboid;
use crate::math::{Matrix, Real, Vector};
use crate::shape::Shape;

/// Edges and corners bend by this, divided by the shorter way from a centre: next to nothing moves over them.
const SHARP_BEND: Real = 1e6;
/// An edge faces across itself; where the sine between the two is less, it is not what touches.
const MOST_ALONG: Real = 0.5;

impl Pivoting<'_> {
    /// Where a contact is halfway, of which these are the arms at the beginning, whose normal turns with a face or an edge of what moves freely.
    pub(super) fn arms_on_features(&self, p: &ContactPoint, arms: [Vector; 2]) -> Option<Arms> {
        let [a, b] = &self.sides;
        if !(a.leads(p.features.a, &p.normal) || b.leads(p.features.b, &p.normal)) || self.strikes(p) {
            return None;
        }
        let size = self.size_at(p);
        let operator_a = a.bend(p.features.a, p, &p.normal, size)?;
        let operator_b = b.bend(p.features.b, p, &-p.normal, size)?;
        self.arms_by_bends(p, arms, [&operator_a, &operator_b])
    }
}

impl Side<'_> {
    /// Whether a normal turns with a feature of it, and it moves freely.
    fn leads(&self, feature: Feature, normal: &Vector) -> bool {
        let is_straight = matches!(Surface::at(self.shape, feature), Surface::Flat | Surface::Edge);
        self.is_free() && is_straight && self.turns_across(normal)
    }

    /// The shape operator of its surface where a feature faces along `outward`, world.
    fn bend(&self, feature: Feature, p: &ContactPoint, outward: &Vector, size: Real) -> Option<Matrix> {
        let (shape, pose, own) = self.part(feature)?;
        match Surface::at(shape, own) {
            Surface::Flat => Some(Matrix::zeros()),
            Surface::Corner => Some((Matrix::identity() - outward * outward.transpose()) * (SHARP_BEND / size)),
            Surface::Edge => bend_across(&(pose * edge(shape, own)?), outward, size),
            Surface::Round | Surface::Smooth => {
                let place = if outward.dot(&p.normal) > 0.0 { &p.point_a } else { &p.point_b };
                self.shape_operator(feature, place, outward, ABOVE * size)
            }
            Surface::Other => None,
        }
    }
}

/// The shape operator of an edge with the unit direction `along`, where it faces along `outward`: only across it does its surface bend.
fn bend_across(along: &Vector, outward: &Vector, size: Real) -> Option<Matrix> {
    let across = outward.cross(along).try_normalize(MOST_ALONG)?;
    Some(across * across.transpose() * (SHARP_BEND / size))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contact::contact_motion;
    use crate::math::Rotation;

    fn unit() -> impl Strategy<Value = Vector> {
        let part = || -1.0..1.0_f64;
        (part(), part(), part())
            .prop_map(|(x, y, z)| Vector::new(x, y, z))
            .prop_filter_map("has no direction", |v| if v.norm() > 0.1 { Some(v.normalize()) } else { None })
    }

    proptest! {
        #[test]
        fn a_contact_of_two_edges_stays_on_both_and_its_normal_across_both(
            along in [unit(), unit()], turns in [unit(), unit()], slides in unit(), small in 1e-6..1e-3_f64, size in 1e-3..1e3_f64,
        ) {
            let across = along[0].cross(&along[1]);
            prop_assume!(across.norm() > 0.2);
            let n = across.normalize();
            let turns = turns.map(|turn| turn * small);
            let slides = (slides - n * slides.dot(&n)) * (small * size);
            let operators = [bend_across(&along[0], &n, size).unwrap(), bend_across(&along[1], &-n, size).unwrap()];
            let motion = contact_motion(&n, operators.each_ref(), turns.each_ref(), &slides, size).unwrap();
            let turned = [0, 1].map(|k| Rotation::from_scaled_axis(turns[k]) * along[k]);
            let exact = turned[0].cross(&turned[1]).normalize() - n;
            // Of the second order, and what an edge is round.
            let off = 100.0 * small * small + 1e-4 * small;
            prop_assert!((motion.turn - exact).norm() < off, "{} {exact}", motion.turn);
            for k in [0, 1] {
                prop_assert!(motion.ways[k].cross(&along[k]).norm() < off * size, "{} along {}", motion.ways[k], along[k]);
            }
            prop_assert!((motion.ways[0] - motion.ways[1] - slides).norm() < 1e-12 * size);
        }
    }

    #[test]
    fn a_corner_under_a_face_that_turns_stays_and_the_normal_turns_with_the_face() {
        let n = Vector::y();
        let corner = (Matrix::identity() - n * n.transpose()) * SHARP_BEND;
        let (turn, slides) = (Vector::z() * 1e-3, Vector::x() * 2e-3);
        let motion = contact_motion(&n, [&corner, &Matrix::zeros()], [&Vector::zeros(), &turn], &slides, 1.0).unwrap();
        assert!(motion.ways[0].norm() < 1e-8 && (motion.ways[1] + slides).norm() < 1e-8, "{motion:?}");
        assert!((motion.turn - turn.cross(&n)).norm() < 1e-9, "{motion:?}");
    }
}
