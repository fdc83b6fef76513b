//! Two edges, both moving on straight lines.
//!
//! **Problem.** The first time in [0, 1] at which the edges are within a given distance of each other. **Idea, guarantee,
//! limits, source:** [`super::linear`]; the difference polygon is the parallelogram that the edges span, so that parallel
//! and zero-length edges need no branch of their own.

use super::linear::{LinearError, LinearOptions, LinearToc, check, first_contact};
use crate::math::Point;

/// The first time in [0, 1] at which two edges are within `options.thickness` of each other, never late.
///
/// `start` and `end` hold the first edge's ends and the second's, in one frame, metres; each moves on a straight line
/// from one to the other. The normal of the answer points from the first edge to the second. With the motions' deviation
/// from straight lines as `thickness` the test is conservative for curved motion (erratum E6).
///
/// # Errors
/// [`LinearError`] for numbers that are not finite and for negative thickness.
///
/// # Cost
/// Constant memory; most queries take one comparison per axis and corner, the others a handful of advances.
pub fn edge_edge(start: &[Point; 4], end: &[Point; 4], options: &LinearOptions) -> Result<LinearToc, LinearError> {
    check(start, end, options)?;
    Ok(first_contact(start, end, &[(0, 2), (0, 3), (1, 3), (1, 2)], options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vector;

    fn edges(height: f64) -> [Point; 4] {
        [
            Point::new(-1.0, height, 0.0),
            Point::new(1.0, height, 0.0),
            Point::new(0.0, 0.0, -1.0),
            Point::new(0.0, 0.0, 1.0),
        ]
    }

    #[test]
    fn crossing_edges_meet_when_the_equation_of_motion_says() {
        let options = LinearOptions { thickness: 0.5, slack: 0.0 };
        let toc = edge_edge(&edges(2.0), &edges(-2.0), &options);
        let Ok(LinearToc::Contact(c)) = toc else { panic!("{toc:?}") };
        // 2 - 4 t = 0.5
        assert!(c.time <= 0.375 && c.time > 0.375 - 1e-12, "{c:?}");
        assert!((c.normal + Vector::y()).norm() < 1e-12, "{c:?}");
    }

    #[test]
    fn parallel_edges_meet_and_pass() {
        let pair = |y: f64, x: f64| {
            [Point::new(x, y, 0.0), Point::new(x + 1.0, y, 0.0), Point::new(0.0, 0.0, 0.0), Point::new(1.0, 0.0, 0.0)]
        };
        let options = LinearOptions::default();
        let meet = edge_edge(&pair(1.0, 0.5), &pair(-1.0, 0.5), &options);
        assert!(matches!(meet, Ok(LinearToc::Contact(c)) if c.time <= 0.5 && c.time > 0.5 - 1e-12), "{meet:?}");
        // One unit in the last place beyond the end.
        let beyond = 1.0_f64.next_up();
        assert_eq!(edge_edge(&pair(1.0, beyond), &pair(-1.0, beyond), &options), Ok(LinearToc::Separated));
    }
}
