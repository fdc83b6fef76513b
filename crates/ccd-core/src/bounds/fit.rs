//! Boxes and spheres fitted to points.
//!
//! Source: Gottschalk, Lin and Manocha (1996): axes from the covariance of the hull's surface, so that neither points
//! inside nor a finer tessellation on one side turn the box. A cube's covariance has no directions of its own, so
//! the axes of the largest faces and of the frame compete too, and the smallest box wins.

use crate::geometry::polyhedron::ConvexPolyhedron;
use crate::math::{Matrix, Point, Real, Vector, is_finite, orthonormal_basis};
use crate::volume::{Obb, Sphere};

/// How many of the largest faces compete: enough for the six of a box, and a bound on the cost for a round hull.
const FACES_TRIED: usize = 12;

/// Why nothing can be fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// There are no points.
    #[error("there are no points to fit around")]
    Empty,
    /// A point that is no place, counted from zero.
    #[error("point {point} is not finite")]
    NonFinite {
        /// Which.
        point: usize,
    },
}

fn check(points: &[Point]) -> Result<(), FitError> {
    if points.is_empty() {
        return Err(FitError::Empty);
    }
    match points.iter().position(|p| !is_finite(&p.coords)) {
        Some(point) => Err(FitError::NonFinite { point }),
        None => Ok(()),
    }
}

/// A small oriented box around `points`, in their frame; flat along directions in which they are.
///
/// Every point is inside up to rounding. The exact smallest for a box's corners and for points of a plane. Cost: a hull,
/// O(n log n), and some fifteen outlines of it.
///
/// # Errors
/// [`FitError`] for no points, or points that are not finite.
pub fn obb(points: &[Point]) -> Result<Obb, FitError> {
    check(points)?;
    let (corners, candidates) = match ConvexPolyhedron::from_points(points) {
        Ok(hull) => (hull.vertices().to_vec(), candidate_axes(&hull)),
        // Flat, straight or a single point: the direction of the least spread is the plane's normal.
        Err(_) => (points.to_vec(), principal_axes(&covariance_of_points(points)).to_vec()),
    };
    let mut best: Option<(Real, Obb)> = None;
    for axis in candidates {
        let fitted = box_along(&corners, &axis);
        let cost = cost(&fitted.half_extents);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, fitted));
        }
    }
    best.map(|(_, fitted)| fitted).ok_or(FitError::Empty)
}

/// The smallest sphere around `points`, in their frame.
///
/// # Errors
/// [`FitError`] for no points, or points that are not finite.
pub fn sphere(points: &[Point]) -> Result<Sphere, FitError> {
    check(points)?;
    Ok(Sphere::around(points))
}

/// The measure that the smallest box has least of: the area, which tells flat boxes apart where the volume is zero.
fn cost(h: &Vector) -> Real {
    h.x * h.y + h.y * h.z + h.z * h.x
}

/// Where the surface of the convex hull of points lies, and in which directions it spreads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    /// The hull's surface's centre of gravity.
    pub(super) mean: Point,
    /// Unit directions, that of the greatest spread first.
    pub(super) axes: [Vector; 3],
}

/// The spread of the hull of `points`, of which there is at least one and all are finite. Where there are many, the hull is
/// that of their extreme points in 49 directions.
pub(super) fn hull_spread(points: &[Point]) -> Spread {
    let few = extreme_points(points);
    match ConvexPolyhedron::from_points(&few) {
        Ok(hull) => {
            let (mean, covariance) = moments_of_surface(&hull);
            spread(mean, &covariance)
        }
        Err(_) => point_spread(&few),
    }
}

/// The spread of the points themselves, of which there is at least one.
pub(super) fn point_spread(points: &[Point]) -> Spread {
    let mean = points.iter().map(|p| p.coords).sum::<Vector>() / points.len() as Real;
    spread(mean.into(), &covariance_of_points(points))
}

fn spread(mean: Point, covariance: &Matrix) -> Spread {
    let eigen = covariance.symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let axes = order.map(|k| {
        let axis = eigen.eigenvectors.column(k).try_normalize(0.0);
        axis.unwrap_or_else(|| Matrix::identity().column(k).into_owned())
    });
    Spread { mean, axes }
}

/// The points themselves where they are few; else those that are furthest along 49 directions and against them: their
/// hull is close to that of all, at a cost that is linear (Larsson and Källberg, 2011).
fn extreme_points(points: &[Point]) -> Vec<Point> {
    const FEW: usize = 100;
    if points.len() <= FEW {
        return points.to_vec();
    }
    let mut directions = Vec::with_capacity(49);
    for x in -2_i32..=2 {
        for y in -2_i32..=2 {
            for z in -2_i32..=2 {
                // One of each opposite two, and no multiple of another.
                let is_first = (x, y, z) > (0, 0, 0);
                let is_double = x % 2 == 0 && y % 2 == 0 && z % 2 == 0;
                if is_first && !is_double {
                    directions.push(Vector::new(Real::from(x), Real::from(y), Real::from(z)));
                }
            }
        }
    }
    let mut kept: Vec<usize> = Vec::with_capacity(2 * directions.len());
    for direction in &directions {
        let (mut low, mut high) = ((Real::INFINITY, 0), (Real::NEG_INFINITY, 0));
        for (i, p) in points.iter().enumerate() {
            let at = direction.dot(&p.coords);
            if at < low.0 {
                low = (at, i);
            }
            if at > high.0 {
                high = (at, i);
            }
        }
        kept.extend([low.1, high.1]);
    }
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|i| points[i]).collect()
}

/// The directions along which a face of the box is tried.
fn candidate_axes(hull: &ConvexPolyhedron) -> Vec<Vector> {
    let mut axes = principal_axes(&moments_of_surface(hull).1).to_vec();
    axes.extend([Vector::x(), Vector::y(), Vector::z()]);
    let area = |face: usize| {
        let rim = hull.face_vertices(face);
        let at = |k: usize| hull.vertices()[rim[k] as usize];
        (1..rim.len() - 1).map(|k| (at(k) - at(0)).cross(&(at(k + 1) - at(0))).norm()).sum::<Real>()
    };
    let mut faces: Vec<(Real, usize)> = (0..hull.face_count()).map(|f| (area(f), f)).collect();
    faces.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    axes.extend(faces.iter().take(FACES_TRIED).map(|(_, f)| hull.planes()[*f].normal));
    axes
}

/// The mean of the hull's surface, and ∫ (x − mean)(x − mean)ᵀ over it.
fn moments_of_surface(hull: &ConvexPolyhedron) -> (Point, Matrix) {
    let origin = hull.vertices()[0];
    let (mut area, mut first, mut second) = (0.0, Vector::zeros(), Matrix::zeros());
    for triangle in hull.triangles() {
        let [a, b, c] = triangle.map(|v| hull.vertices()[v as usize] - origin);
        let weight = 0.5 * (b - a).cross(&(c - a)).norm();
        let sum = a + b + c;
        area += weight;
        first += sum * (weight / 3.0);
        second += (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose()) * (weight / 12.0);
    }
    (origin + first / area, second - first * first.transpose() / area)
}

fn covariance_of_points(points: &[Point]) -> Matrix {
    let mean = points.iter().map(|p| p.coords).sum::<Vector>() / points.len() as Real;
    points.iter().map(|p| (p.coords - mean) * (p.coords - mean).transpose()).sum()
}

/// The eigenvectors, a right-handed frame or, for a matrix that has none, the frame's own axes.
fn principal_axes(covariance: &Matrix) -> [Vector; 3] {
    let axes = covariance.symmetric_eigen().eigenvectors;
    [0, 1, 2].map(|k| axes.column(k).try_normalize(0.0).unwrap_or_else(|| Matrix::identity().column(k).into_owned()))
}

/// The smallest box around `points` with one face across the unit `axis`.
fn box_along(points: &[Point], axis: &Vector) -> Obb {
    let (u, v) = orthonormal_basis(axis);
    let mut flat: Vec<[Real; 2]> = points.iter().map(|p| [u.dot(&p.coords), v.dot(&p.coords)]).collect();
    let outline = outline(&mut flat);
    // The smallest rectangle has a side along an edge of the outline (Freeman and Shapira, 1975).
    let mut best = (Real::INFINITY, [1.0, 0.0]);
    for (i, from) in outline.iter().enumerate() {
        let to = outline[(i + 1) % outline.len()];
        let side = [to[0] - from[0], to[1] - from[1]];
        let length = side[0].hypot(side[1]);
        if length == 0.0 {
            continue;
        }
        let along = [side[0] / length, side[1] / length];
        let [width, height] = [along, [-along[1], along[0]]].map(|d| {
            let (low, high) = span(outline.iter().map(|p| d[0] * p[0] + d[1] * p[1]));
            high - low
        });
        let size = width * height + 1e-9 * (width + height) * (width + height);
        if size < best.0 {
            best = (size, along);
        }
    }
    let [c, s] = best.1;
    let axes = Matrix::from_columns(&[u * c + v * s, v * c - u * s, *axis]);
    let (mut centre, mut half_extents) = (Vector::zeros(), Vector::zeros());
    for k in 0..3 {
        let direction = axes.column(k);
        let (low, high) = span(points.iter().map(|p| direction.dot(&p.coords)));
        centre += direction * (0.5 * (low + high));
        half_extents[k] = 0.5 * (high - low);
    }
    Obb { centre: centre.into(), axes, half_extents }
}

fn span(values: impl Iterator<Item = Real>) -> (Real, Real) {
    values.fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

/// The convex outline of points of a plane, counter-clockwise (Andrew's monotone chain).
fn outline(points: &mut [[Real; 2]]) -> Vec<[Real; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut outline: Vec<[Real; 2]> = Vec::new();
    for half in 0..2 {
        let start = outline.len();
        let mut step = |p: [Real; 2]| {
            while let [.., a, b] = outline[start..] {
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                outline.pop();
            }
            outline.push(p);
        };
        if half == 0 {
            points.iter().copied().for_each(&mut step)
        } else {
            points.iter().rev().copied().for_each(&mut step)
        }
        outline.pop();
    }
    if outline.is_empty() { points.first().copied().into_iter().collect() } else { outline }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rotation;
    use proptest::prelude::*;

    fn assert_holds(fitted: &Obb, points: &[Point]) {
        let scale = fitted.half_extents.norm() + fitted.centre.coords.norm();
        for p in points {
            let beyond = fitted.axes.tr_mul(&(p - fitted.centre)).abs() - fitted.half_extents;
            assert!(beyond.max() <= 1e-12 * scale, "{beyond}");
        }
        assert!((fitted.axes.determinant() - 1.0).abs() < 1e-9, "a right-handed frame");
    }

    #[test]
    fn points_clustered_on_one_side_do_not_turn_the_box() {
        let turn = Rotation::from_euler_angles(0.4, 1.0, -0.3);
        let mut points: Vec<Point> = (0..8)
            .map(|i| Point::new(Real::from(i & 1) * 4.0, Real::from(i >> 1 & 1) * 2.0, Real::from(i >> 2)))
            .collect();
        // A dense cloud inside, in a corner.
        points.extend((0..500).map(|i| Point::new(0.001 * Real::from(i), 0.5, 0.0007 * Real::from(i))));
        let points: Vec<Point> = points.iter().map(|p| turn * p).collect();
        let fitted = obb(&points).unwrap();
        assert_holds(&fitted, &points);
        let mut half: [Real; 3] = fitted.half_extents.into();
        half.sort_by(Real::total_cmp);
        for (found, exact) in half.into_iter().zip([0.5, 1.0, 2.0]) {
            assert!((found - exact).abs() < 1e-9, "{half:?}");
        }
    }

    #[test]
    fn turned_cube_fits_in_itself_though_its_covariance_has_no_directions() {
        let turn = Rotation::from_euler_angles(0.3, 0.5, 0.7);
        let points: Vec<Point> =
            (0..8).map(|i| turn * Point::new(Real::from(i & 1), Real::from(i >> 1 & 1), Real::from(i >> 2))).collect();
        let fitted = obb(&points).unwrap();
        assert_holds(&fitted, &points);
        assert!((fitted.half_extents - Vector::repeat(0.5)).amax() < 1e-9);
    }

    #[test]
    fn flat_straight_and_single_points_get_flat_boxes() {
        let turn = Rotation::from_euler_angles(0.3, 0.5, 0.7);
        let plane: Vec<Point> = (0..12).map(|i| turn * Point::new(Real::from(i % 4), Real::from(i / 4), 7.0)).collect();
        let line: Vec<Point> = (0..5).map(|i| turn * Point::new(Real::from(i), 1.0, 2.0)).collect();
        for (points, flat_sides) in [(&plane[..], 1), (&line[..], 2), (&plane[..1], 3), (&[plane[0]; 4][..], 3)] {
            let fitted = obb(points).unwrap();
            assert_holds(&fitted, points);
            assert_eq!(fitted.half_extents.iter().filter(|h| **h < 1e-9).count(), flat_sides);
        }
        assert!((cost(&obb(&plane).unwrap().half_extents) - 1.5).abs() < 1e-9);
    }

    #[test]
    fn nothing_and_nan_are_refused() {
        assert_eq!(obb(&[]), Err(FitError::Empty));
        assert_eq!(sphere(&[Point::origin(), Point::new(0.0, Real::NAN, 0.0)]), Err(FitError::NonFinite { point: 1 }));
    }

    proptest! {
        #[test]
        fn box_holds_all_points_and_is_no_larger_than_the_axis_aligned_one(
            points in prop::collection::vec([-3.0..3.0, -1.0..1.0, 5.0..5.5_f64].prop_map(Point::from), 1..80),
        ) {
            let fitted = obb(&points).unwrap();
            assert_holds(&fitted, &points);
            if points.len() > 3 {
                let aligned = crate::volume::Aabb::from_points(&points).half_extents();
                prop_assert!(cost(&fitted.half_extents) <= cost(&aligned) * (1.0 + 1e-6));
            }
        }
    }
}
