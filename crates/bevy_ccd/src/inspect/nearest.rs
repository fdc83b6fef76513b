//! The nearest places of two features: points, segments or triangles.

use ccd_core::geometry::mesh::triangle::{SegmentTest, closest_point};
use ccd_core::geometry::solid::Segment;
use ccd_core::math::{Point, Vector};

/// The nearest places of two features of one to three corners each; `None` where one has none.
pub(crate) fn nearest_places(a: &[Point], b: &[Point]) -> Option<(Point, Point)> {
    let from_a = a.iter().filter_map(|p| Some((*p, nearest_on(b, p)?)));
    let from_b = b.iter().filter_map(|q| Some((nearest_on(a, q)?, *q)));
    let sides = |corners: &[Point]| -> Vec<[Point; 2]> {
        match corners {
            [p, q] => vec![[*p, *q]],
            [p, q, r] => vec![[*p, *q], [*q, *r], [*r, *p]],
            _ => Vec::new(),
        }
    };
    let (sides_a, sides_b) = (sides(a), sides(b));
    let crossing = sides_a.iter().flat_map(|s| sides_b.iter().map(move |t| nearest_of_segments(s, t)));
    let pierced = |sides: &[[Point; 2]], face: &[Point]| -> Option<Point> {
        let corners: [Point; 3] = face.try_into().ok()?;
        sides.iter().find_map(|[start, end]| {
            let fraction = SegmentTest::new(&Segment { start: *start, end: *end }).fraction(&corners)?;
            Some(start + (end - start) * fraction)
        })
    };
    let through = pierced(&sides_a, b).or_else(|| pierced(&sides_b, a)).map(|p| (p, p));
    from_a
        .chain(from_b)
        .chain(crossing)
        .chain(through)
        .min_by(|(p, q), (r, s)| (p - q).norm_squared().total_cmp(&(r - s).norm_squared()))
}

fn nearest_on(corners: &[Point], p: &Point) -> Option<Point> {
    match corners {
        [only] => Some(*only),
        [tail, head] => Some(tail + (head - tail) * share_along(tail, &(head - tail), p)),
        [a, b, c] => Some(closest_point(&[*a, *b, *c], p).0),
        _ => None,
    }
}

/// Where on a segment the foot of `p` is, in [0, 1].
fn share_along(tail: &Point, along: &Vector, p: &Point) -> f64 {
    let squared = along.norm_squared();
    if squared > 0.0 { ((p - tail).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 }
}

fn nearest_of_segments([p, q]: &[Point; 2], [r, s]: &[Point; 2]) -> (Point, Point) {
    let (d, e, between) = (q - p, s - r, p - r);
    let (dd, ee, de) = (d.norm_squared(), e.norm_squared(), d.dot(&e));
    let square = dd * ee - de * de;
    let share =
        if square > 0.0 { ((de * e.dot(&between) - ee * d.dot(&between)) / square).clamp(0.0, 1.0) } else { 0.0 };
    let other = r + e * share_along(r, &e, &(p + d * share));
    (p + d * share_along(p, &d, &other), other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
        let points = |list: &[[f64; 3]]| list.iter().map(|p| Point::from(*p)).collect::<Vec<_>>();
        let (p, q) = nearest_places(&points(a), &points(b)).expect("both have corners");
        (p - q).norm()
    }

    #[test]
    fn each_pair_of_kinds_is_measured() {
        let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(distance(&[[0.2, 0.2, 2.0]], &triangle), 2.0);
        assert_eq!(distance(&[[0.0, 0.0, 3.0]], &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), 3.0);
        // Crossing edges, a parallel edge over a face, and an edge through a face.
        assert_eq!(distance(&[[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]], &[[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]), 1.0);
        assert_eq!(distance(&[[0.1, 0.1, 0.5], [0.3, 0.1, 0.5]], &triangle), 0.5);
        assert_eq!(distance(&[[0.2, 0.2, -1.0], [0.2, 0.2, 1.0]], &triangle), 0.0);
    }
}
