//! Cutting polygons into triangles.
//!
//! **Idea.** A convex polygon is a fan around its first corner. Any other loses one ear after the other: a corner that
//! turns outwards and whose triangle holds no other corner. All decisions are signs of exact predicates in the
//! projection along the largest axis of the polygon's normal, which only drops a coordinate. A warped polygon may cross itself in that one
//! and not along the next axis, which is tried then.
//! **Guarantee.** The triangles have positive area in the projection and together the polygon's area; corners on a straight
//! side are kept, without a flat triangle.
//! **Limits.** O(n²) for polygons that are not convex.
//! **Source.** Meisters (1975), the two ears theorem.

use robust::{Coord, orient2d};

use crate::math::{Point, Vector};

/// Why a polygon has no triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolygonError {
    /// Fewer than three corners.
    #[error("the polygon has {corners} corners")]
    TooFew {
        /// How many.
        corners: usize,
    },
    /// All corners on one line, or as much area on one side as on the other.
    #[error("the polygon has no area")]
    NoArea,
    /// Sides that cross or touch each other.
    #[error("the polygon crosses or touches itself")]
    NotSimple,
}

/// The triangles of the simple polygon with these corners, as corner numbers, wound like the polygon; `n - 2` of them.
///
/// The polygon may be non-convex and somewhat warped.
///
/// # Errors
/// [`PolygonError`] for polygons that bound no area or cross themselves in every projection along an axis to which their mean normal is not
/// nearly square.
pub fn triangulate(corners: &[Point]) -> Result<Vec<[u32; 3]>, PolygonError> {
    if corners.len() < 3 {
        return Err(PolygonError::TooFew { corners: corners.len() });
    }
    if corners.len() == 3 {
        return Ok(vec![[0, 1, 2]]);
    }
    let normal = mean_normal(corners);
    let mut axes = [0, 1, 2];
    // Stable: of equal ones the first.
    axes.sort_by(|i: &usize, j| normal[*j].abs().total_cmp(&normal[*i].abs()));
    let most = normal[axes[0]].abs();
    if most == 0.0 || !most.is_finite() {
        return Err(PolygonError::NoArea);
    }
    axes.into_iter()
        .filter(|axis| normal[*axis].abs() >= SLANTED * most)
        .map(|axis| cut(&project(corners, axis, normal[axis] < 0.0)))
        .find(Result::is_ok)
        .unwrap_or(Err(PolygonError::NotSimple))
}

/// Below this share of the largest component of the normal an axis lies too nearly in a flat polygon's own plane to tell its corners apart.
const SLANTED: f64 = 0.1;

type Flat = Coord<f64>;

fn cut(flat: &[Flat]) -> Result<Vec<[u32; 3]>, PolygonError> {
    if is_convex_fan(flat) {
        return Ok((1..flat.len() as u32 - 1).map(|i| [0, i, i + 1]).collect());
    }
    if crosses_itself(flat) {
        return Err(PolygonError::NotSimple);
    }
    clip_ears(flat)
}

/// Newell's: twice the area that is seen along each axis.
fn mean_normal(corners: &[Point]) -> Vector {
    let origin = corners[0];
    corners.iter().zip(corners.iter().cycle().skip(1)).map(|(p, q)| (p - origin).cross(&(q - origin))).sum()
}

/// The corners without their coordinate along `axis`, wound counter-clockwise; `turned` where the normal points down the axis.
fn project(corners: &[Point], axis: usize, turned: bool) -> Vec<Flat> {
    let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
    corners.iter().map(|p| if turned { Coord { x: p[y], y: p[x] } } else { Coord { x: p[x], y: p[y] } }).collect()
}

/// Whether the fan around corner 0 is made of positive triangles that do not overlap and every corner turns left.
fn is_convex_fan(p: &[Flat]) -> bool {
    let n = p.len();
    (0..n).all(|i| orient2d(p[i], p[(i + 1) % n], p[(i + 2) % n]) >= 0.0)
        && (1..n - 1).all(|i| orient2d(p[0], p[i], p[i + 1]) > 0.0)
        // All to the left of the first side, so that the fan turns by less than half a turn in all.
        && (2..n).all(|i| orient2d(p[0], p[1], p[i]) > 0.0)
}

fn crosses_itself(p: &[Flat]) -> bool {
    let n = p.len();
    let side = |i: usize| (p[i], p[(i + 1) % n]);
    (0..n).any(|i| {
        let (a, b) = side(i);
        (i + 2..n).filter(|&j| (j + 1) % n != i).any(|j| {
            let (c, d) = side(j);
            let opposite = |s: f64, t: f64| s > 0.0 && t < 0.0 || s < 0.0 && t > 0.0;
            opposite(orient2d(a, b, c), orient2d(a, b, d)) && opposite(orient2d(c, d, a), orient2d(c, d, b))
        })
    })
}

fn clip_ears(p: &[Flat]) -> Result<Vec<[u32; 3]>, PolygonError> {
    let n = p.len();
    let mut previous: Vec<usize> = (0..n).map(|i| (i + n - 1) % n).collect();
    let mut next: Vec<usize> = (0..n).map(|i| (i + 1) % n).collect();
    let mut triangles = Vec::with_capacity(n - 2);
    let (mut corner, mut left, mut refused) = (0, n, 0);
    while left > 3 {
        let (before, after) = (previous[corner], next[corner]);
        if is_ear(p, &next, [before, corner, after]) {
            triangles.push([before, corner, after].map(|i| i as u32));
            next[before] = after;
            previous[after] = before;
            left -= 1;
            refused = 0;
            // Going on behind the new side keeps the triangles from crowding around one corner.
            corner = next[after];
        } else {
            refused += 1;
            if refused > left {
                return Err(PolygonError::NotSimple);
            }
            corner = after;
        }
    }
    let last = [previous[corner], corner, next[corner]];
    if orient2d(p[last[0]], p[last[1]], p[last[2]]) <= 0.0 {
        return Err(PolygonError::NotSimple);
    }
    triangles.push(last.map(|i| i as u32));
    Ok(triangles)
}

/// Whether the middle corner turns left and no other remaining corner lies in the closed triangle.
fn is_ear(p: &[Flat], next: &[usize], [a, b, c]: [usize; 3]) -> bool {
    if orient2d(p[a], p[b], p[c]) <= 0.0 {
        return false;
    }
    let mut i = next[c];
    while i != a {
        let q = p[i];
        // A corner in the place of one of these belongs to a seam between an outline and its hole.
        let on_seam = [a, b, c].iter().any(|&k| p[k] == q);
        if !on_seam
            && orient2d(p[a], p[b], q) >= 0.0
            && orient2d(p[b], p[c], q) >= 0.0
            && orient2d(p[c], p[a], q) >= 0.0
        {
            return false;
        }
        i = next[i];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn polygon(corners: &[[f64; 2]]) -> Vec<Point> {
        corners.iter().map(|c| Point::new(c[0], 0.25 * c[0] - c[1], c[1])).collect()
    }

    fn area(a: Point, b: Point, c: Point) -> Vector {
        (b - a).cross(&(c - a)) * 0.5
    }

    fn covers(corners: &[Point], triangles: &[[u32; 3]]) -> bool {
        let whole: Vector = (1..corners.len() - 1).map(|i| area(corners[0], corners[i], corners[i + 1])).sum();
        let parts: Vec<Vector> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| corners[i as usize]);
                area(a, b, c)
            })
            .collect();
        let sum: f64 = parts.iter().map(|v| v.norm()).sum();
        triangles.len() == corners.len() - 2
            && parts.iter().all(|v| v.dot(&whole) > 0.0)
            && (sum - whole.norm()).abs() < 1e-12 * (1.0 + sum)
    }

    #[test]
    fn straight_corners_dents_and_spirals_are_covered_without_flat_triangles() {
        for outline in [
            &[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0], [0.0, 2.0], [0.0, 1.0]][..],
            &[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]],
            &[
                [0.0, 0.0],
                [5.0, 0.0],
                [5.0, 5.0],
                [0.0, 5.0],
                [0.0, 2.0],
                [3.0, 2.0],
                [3.0, 3.0],
                [1.0, 3.0],
                [1.0, 4.0],
                [4.0, 4.0],
                [4.0, 1.0],
                [0.0, 1.0],
            ],
        ] {
            let mut corners = polygon(outline);
            for _ in 0..2 {
                assert!(covers(&corners, &triangulate(&corners).unwrap()), "{corners:?}");
                corners.reverse();
            }
        }
    }

    #[test]
    fn polygons_that_bound_nothing_or_cross_themselves_are_refused() {
        let refused = |outline: &[[f64; 2]]| triangulate(&polygon(outline)).unwrap_err();
        assert_eq!(refused(&[[0.0, 0.0], [1.0, 0.0]]), PolygonError::TooFew { corners: 2 });
        assert_eq!(refused(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]), PolygonError::NoArea);
        assert_eq!(refused(&[[0.0, 0.0], [3.0, 2.0], [3.0, 0.0], [0.0, 1.0]]), PolygonError::NotSimple);
        let star: Vec<[f64; 2]> = (0..5)
            .map(|i| {
                let a = f64::from(i * 2) * std::f64::consts::TAU / 5.0;
                [a.cos(), a.sin()]
            })
            .collect();
        assert_eq!(refused(&star), PolygonError::NotSimple);
    }

    proptest! {
        #[test]
        fn every_star_shaped_polygon_is_covered(radii in prop::collection::vec(0.1..1.0_f64, 4..40)) {
            let n = radii.len() as f64;
            let outline: Vec<[f64; 2]> = radii.iter().zip(0..).map(|(r, i)| {
                let a = f64::from(i) * std::f64::consts::TAU / n;
                [r * a.cos(), r * a.sin()]
            }).collect();
            let corners = polygon(&outline);
            prop_assert!(covers(&corners, &triangulate(&corners).unwrap()));
        }
    }

    #[test]
    fn a_warped_polygon_that_crosses_itself_along_one_axis_is_cut_along_another() {
        // Along x, one of the two largest components of the normal, two corners are in one place.
        let corners =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, -1.0]].map(|[x, y, z]| Point::new(x, y, z));
        assert_eq!(triangulate(&corners), Ok(vec![[0, 1, 2], [0, 2, 3]]));
        let bow_tie = polygon(&[[0.0, 0.0], [2.0, 1.0], [2.0, 0.0], [0.0, 1.5]]);
        assert_eq!(triangulate(&bow_tie), Err(PolygonError::NotSimple));
    }
}
