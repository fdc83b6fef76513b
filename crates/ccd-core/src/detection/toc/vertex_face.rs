//! A vertex against a triangle, both moving on straight lines.
//!
//! **Problem.** The first time in [0, 1] at which the vertex is within a given distance of the triangle. **Idea, guarantee,
//! limits, source:** [`super::linear`]; the difference polygon is the triangle seen from the vertex.

use super::linear::{LinearError, LinearOptions, LinearToc, check, first_contact};
use crate::math::Point;

/// The first time in [0, 1] at which a vertex is within `options.thickness` of a triangle, never late.
///
/// `start` and `end` hold the vertex and the triangle's corners, in one frame, metres; each moves on a straight line
/// from one to the other. The normal of the answer points from the vertex to the triangle. Flat, pointlike and resting
/// input is allowed. With the motion's deviation from a straight line as `thickness` the test is conservative for
/// curved motion (erratum E6).
///
/// # Errors
/// [`LinearError`] for numbers that are not finite and for negative thickness.
///
/// # Cost
/// Constant memory; most queries take one comparison per axis and corner, the others a handful of advances.
pub fn vertex_face(start: &[Point; 4], end: &[Point; 4], options: &LinearOptions) -> Result<LinearToc, LinearError> {
    check(start, end, options)?;
    Ok(first_contact(start, end, &[(0, 1), (0, 2), (0, 3)], options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(coordinates: [f64; 12]) -> [Point; 4] {
        std::array::from_fn(|i| Point::new(coordinates[3 * i], coordinates[3 * i + 1], coordinates[3 * i + 2]))
    }

    const TRIANGLE: [f64; 9] = [-1.0, 0.0, -1.0, 1.0, 0.0, -1.0, 0.0, 0.0, 1.0];

    fn with_vertex(v: [f64; 3]) -> [Point; 4] {
        let mut all = [0.0; 12];
        all[..3].copy_from_slice(&v);
        all[3..].copy_from_slice(&TRIANGLE);
        at(all)
    }

    #[test]
    fn a_falling_vertex_meets_the_plane_when_the_equation_of_motion_says() {
        let options = LinearOptions { thickness: 0.25, slack: 0.0 };
        let toc = vertex_face(&with_vertex([0.0, 1.0, 0.0]), &with_vertex([0.0, -1.0, 0.0]), &options);
        let Ok(LinearToc::Contact(c)) = toc else { panic!("{toc:?}") };
        // 1 - 2 t = 0.25
        assert!(c.time <= 0.375 && c.time > 0.375 - 1e-12, "{c:?}");
        assert!((c.normal + Vector::y()).norm() < 1e-12, "from the vertex down to the face: {c:?}");
    }

    use crate::math::Vector;

    #[test]
    fn a_vertex_that_passes_beside_the_triangle_is_separated_at_any_gap_that_f64_can_hold() {
        let options = LinearOptions::default();
        // The triangle's edge z = -1 is passed at one unit in the last place.
        let z = (-1.0_f64).next_down();
        let toc = vertex_face(&with_vertex([0.0, 1.0, z]), &with_vertex([0.1, -1.0, z]), &options);
        assert_eq!(toc, Ok(LinearToc::Separated));
        let toc = vertex_face(&with_vertex([0.0, 1.0, -1.0]), &with_vertex([0.1, -1.0, -1.0]), &options);
        assert!(matches!(toc, Ok(LinearToc::Contact(_))), "{toc:?}");
    }

    #[test]
    fn degenerate_features_are_points_and_segments() {
        let point = at([0.0; 12]);
        assert!(matches!(vertex_face(&point, &point, &LinearOptions::default()), Ok(LinearToc::Contact(_))));
        let mut apart = point;
        apart[0] = Point::new(0.0, 0.0, 1e-300);
        assert_eq!(vertex_face(&apart, &apart, &LinearOptions::default()), Ok(LinearToc::Separated));
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        let mut bad = at([0.0; 12]);
        bad[2].y = f64::NAN;
        let error = vertex_face(&at([0.0; 12]), &bad, &LinearOptions::default());
        assert_eq!(error, Err(LinearError::NotFinite { index: 2, when: "end" }));
        let options = LinearOptions { thickness: -1.0, slack: 0.0 };
        assert!(vertex_face(&at([0.0; 12]), &at([0.0; 12]), &options).is_err());
    }
}
