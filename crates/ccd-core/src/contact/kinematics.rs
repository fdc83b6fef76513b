//! How a contact moves along two surfaces that roll and slide on each other (Montana, 1988).
//!
//! With n A's outward normal, S the shape operators of the two surfaces ([`crate::geometry::field::shape_operator`]) and p the ways of the
//! contact along them, both surfaces are seen to turn alike and the two places stay one:
//! `S_a p_a + S_b p_b = (ω_b - ω_a) × n` and `p_a - p_b` = how B's place slides over A's.

use crate::math::{Matrix, Real, Vector, orthonormal_basis};

/// Where the two surfaces bend by less than this, divided by the size of what moves, they touch along a line.
const STRAIGHT: Real = 1e-3;
/// Along a line of contact two surfaces tilt by less, rad.
const LEVEL: Real = 1e-3;

/// What a contact does within some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactMotion {
    /// By how much the place moves along each body's surface, as the body sees it, but in world axes, metres.
    pub ways: [Vector; 2],
    /// By how much the normal (unit, from A to B) turns, world.
    pub turn: Vector,
}

/// The motion of a contact with the unit normal `n` of two bodies that turn by `turns` (A, B; rad, world) while B's place there slides over A's by
/// `slides` metres; all of them small. `operators` are the surfaces' shape operators, world; what moves is of the given size, metres. `None`
/// where surfaces bend into each other, or tilt along a line of contact.
pub(crate) fn contact_motion(
    n: &Vector,
    operators: [&Matrix; 2],
    turns: [&Vector; 2],
    slides: &Vector,
    size: Real,
) -> Option<ContactMotion> {
    let [s_a, s_b] = operators;
    let slides = slides - n * slides.dot(n);
    let both = s_a + s_b;
    let wanted = (turns[1] - turns[0]).cross(n) - s_a * slides;
    let (t1, t2) = orthonormal_basis(n);
    let (k11, k12, k22) = (t1.dot(&(both * t1)), t1.dot(&(both * t2)), t2.dot(&(both * t2)));
    // The eigenvectors of two by two.
    let (middle, half) = (0.5 * (k11 + k22), 0.5 * (k11 - k22));
    let radius = half.hypot(k12);
    let angle = 0.5 * k12.atan2(half);
    let (sin, cos) = angle.sin_cos();
    let axes = [(t1 * cos + t2 * sin, middle + radius), (t2 * cos - t1 * sin, middle - radius)];
    let least = STRAIGHT / size;
    let mut along_b = Vector::zeros();
    for (axis, bends) in axes {
        let tilt = wanted.dot(&axis);
        if bends > least {
            along_b += axis * (tilt / bends);
        } else if bends < -least || tilt.abs() > LEVEL {
            return None;
        }
    }
    let along_a = along_b + slides;
    // By the surface that bends less: an edge's ways are next to none, and their rounding is not.
    let turn =
        if s_a.norm() <= s_b.norm() { turns[0].cross(n) + s_a * along_a } else { turns[1].cross(n) - s_b * along_b };
    Some(ContactMotion { ways: [along_a, along_b], turn: turn - n * turn.dot(n) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bends(normal: &Vector, by: Real) -> Matrix {
        (Matrix::identity() - normal * normal.transpose()) * by
    }

    #[test]
    fn a_ball_that_rolls_in_a_bowl_turns_the_normal_by_its_way_over_the_difference_of_the_radii() {
        let (bowl, ball, way) = (1.0, 0.2, 1e-3);
        let n = Vector::y();
        // To the right: it turns by its way over its radius, and no place slides.
        let turn = Vector::z() * (-way / ball);
        let motion = contact_motion(
            &n,
            [&bends(&n, -1.0 / bowl), &bends(&n, 1.0 / ball)],
            [&Vector::zeros(), &turn],
            &Vector::zeros(),
            ball,
        );
        let motion = motion.expect("a ball is rounder than its bowl");
        assert!((motion.turn + Vector::x() * (way / (bowl - ball))).norm() < 1e-15, "{motion:?}");
        assert!((motion.ways[0] - Vector::x() * (way * bowl / (bowl - ball))).norm() < 1e-15, "{motion:?}");
    }

    #[test]
    fn a_ball_that_slides_over_a_ball_without_turning_takes_the_normal_with_it() {
        let (below, above, way) = (1.0, 0.2, 1e-3);
        let n = Vector::y();
        let slides = Vector::x() * way;
        let motion = contact_motion(
            &n,
            [&bends(&n, 1.0 / below), &bends(&n, 1.0 / above)],
            [&Vector::zeros(); 2],
            &slides,
            above,
        );
        assert!((motion.expect("both are round").turn - Vector::x() * (way / (below + above))).norm() < 1e-15);
    }

    #[test]
    fn what_is_flat_on_what_is_flat_has_a_contact_only_while_it_does_not_tilt() {
        let flat = Matrix::zeros();
        let tilted = |by: Real| {
            contact_motion(&Vector::y(), [&flat; 2], [&Vector::zeros(), &(Vector::x() * by)], &Vector::x(), 1.0)
        };
        assert!(tilted(0.0).is_some_and(|motion| motion.ways[0] == Vector::x() && motion.turn == Vector::zeros()));
        assert!(tilted(0.1).is_none());
    }
}
