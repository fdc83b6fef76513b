//! The surface of a superquadric as triangles: every corner on it, edges and cusps where it has them.
//!
//! **Idea.** The surface is the product of two curves, one along and one across the axis ([Barr 1981]). A quarter of each is halved until
//! its chords are short and close to it; all else follows by symmetry. A hollow curve ends in the tips of its cusps, so that these are
//! corners of the triangles, however thin they are.
//! **Guarantee.** In an octant every coordinate only grows or only falls along both curves: a patch between four corners lies in their
//! box, so that no point of the surface is further from a corner than the longest diagonal of these boxes.
//!
//! [Barr 1981]: https://doi.org/10.1109/MCG.1981.1673799

use std::f64::consts::FRAC_PI_4;

use super::superquadric::{Superquadric, pair_norm};
use crate::geometry::feature::FeatureSet;
use crate::math::{Point, Real, Vector, hypotenuse};
use crate::volume::Aabb;

/// The longest chord, as a share of the radii.
const LONGEST: Real = 0.125;
/// The closest that chords come to a curve, likewise: finer ones would be thousands.
const FINEST: Real = 2e-4;
/// A quarter of a curve is halved at most this often: the angle from the axis to what is next to the tip of the thinnest cusp takes
/// some forty halvings.
const MOST_HALVINGS: u32 = 64;

impl Superquadric {
    /// The surface as triangles that leave it by about `max_error` metres; the set's `error` is the proven spacing of the corners.
    pub(super) fn triangles(&self, max_error: Real) -> FeatureSet {
        let norm = self.norm();
        let flat = (max_error / self.radii.amax()).max(FINEST);
        let (along, across) = (quarter(norm.along, flat), quarter(norm.across, flat));
        // Once round the axis, and from the lower pole to the upper one, the poles left out.
        let round: Vec<[Real; 2]> = (0..4)
            .flat_map(|turn| across[..across.len() - 1].iter().map(move |&[c, s]| turned([c, s], turn)))
            .collect();
        let inner = &along[1..along.len() - 1];
        let rows: Vec<[Real; 2]> = (inner.iter().rev().map(|&[width, height]| [width, -height]))
            .chain([along[0]])
            .chain(inner.iter().copied())
            .collect();
        let place = |[width, height]: [Real; 2], [c, s]: [Real; 2]| {
            Point::from(Vector::new(width * c, height, width * s).component_mul(&self.radii))
        };
        let mut vertices: Vec<Point> =
            rows.iter().flat_map(|&row| round.iter().map(move |&column| place(row, column))).collect();
        let poles = [-1.0, 1.0].map(|side| {
            vertices.push(Point::new(0.0, side * self.radii.y, 0.0));
            vertices.len() as u32 - 1
        });
        let count = round.len() as u32;
        let at = |row: u32, column: u32| row * count + column % count;
        let mut faces = Vec::with_capacity(2 * vertices.len());
        let (mut edges, mut error) = (Vec::with_capacity(3 * vertices.len()), 0.0);
        let last = rows.len() as u32 - 1;
        let mut patch = |corners: [u32; 4]| {
            let places = corners.map(|corner| vertices[corner as usize]);
            error = Real::max(error, 2.0 * Aabb::from_points(&places).half_extents().norm());
        };
        for column in 0..count {
            for row in 0..last {
                let [p, q, r, s] = [at(row, column), at(row + 1, column), at(row + 1, column + 1), at(row, column + 1)];
                faces.extend([[p, q, r], [p, r, s]]);
                edges.extend([[p, q], [p, r], [p, s]]);
                patch([p, q, r, s]);
            }
            for (pole, row, is_upper) in [(poles[0], 0, false), (poles[1], last, true)] {
                let (p, q) = (at(row, column), at(row, column + 1));
                faces.push(if is_upper { [p, pole, q] } else { [q, pole, p] });
                edges.push([p, pole]);
                patch([p, q, pole, pole]);
            }
            edges.push([at(last, column), at(last, column + 1)]);
        }
        edges.iter_mut().for_each(|edge| edge.sort_unstable());
        FeatureSet { vertices, edges, faces, radius: 0.0, error: error * (1.0 + 1e-12) }
    }
}

/// A quarter of the curve |x|ᵖ + |y|ᵖ = 1, from (1, 0) to (0, 1), by chords that leave it by no more than about `flat`.
fn quarter(p: Real, flat: Real) -> Vec<[Real; 2]> {
    let (tip, diagonal) = ([1.0, 0.0], at_angle(p, FRAC_PI_4));
    let mut eighth = vec![tip];
    halve(p, flat, (0.0, tip), (FRAC_PI_4, diagonal), 0, &mut eighth);
    // The diagonal is an axis of symmetry.
    let mirrored: Vec<[Real; 2]> = eighth.iter().rev().map(|&[x, y]| [y, x]).collect();
    eighth.push(diagonal);
    eighth.extend(mirrored);
    eighth
}

/// The place of the curve in a direction from its centre, radians from x.
fn at_angle(p: Real, angle: Real) -> [Real; 2] {
    let (sin, cos) = angle.sin_cos();
    let size = pair_norm(cos, sin, p);
    [cos / size, sin / size]
}

/// Appends the places between two of the curve, each with its angle.
fn halve(p: Real, flat: Real, from: (Real, [Real; 2]), to: (Real, [Real; 2]), depth: u32, points: &mut Vec<[Real; 2]>) {
    let way = [to.1[0] - from.1[0], to.1[1] - from.1[1]];
    let length = hypotenuse(way[0], way[1]);
    let angle = 0.5 * (from.0 + to.0);
    let middle = at_angle(p, angle);
    let off = |place: [Real; 2]| {
        ((place[0] - from.1[0]) * way[1] - (place[1] - from.1[1]) * way[0]).abs() / length.max(Real::MIN_POSITIVE)
    };
    let bends = [0.25, 0.5, 0.75].map(|share| off(at_angle(p, from.0 + share * (to.0 - from.0))));
    let is_close = bends.iter().all(|bend| *bend <= flat);
    if length <= LONGEST && is_close || depth == MOST_HALVINGS {
        return;
    }
    halve(p, flat, from, (angle, middle), depth + 1, points);
    points.push(middle);
    halve(p, flat, (angle, middle), to, depth + 1, points);
}

/// A place of a curve after so many quarter turns.
fn turned([x, y]: [Real; 2], quarters: usize) -> [Real; 2] {
    match quarters % 4 {
        0 => [x, y],
        1 => [-y, x],
        2 => [-x, -y],
        _ => [y, -x],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::field::implicit::ImplicitSurface;
    use crate::geometry::mesh::{SurfaceKind, Topology, TriMesh};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_triangles_close_around_what_the_superquadric_holds(
            radii in prop::array::uniform3(0.2..2.0_f64), e in prop::array::uniform2(0.05..8.0_f64),
        ) {
            let solid = Superquadric::try_new(radii, e).unwrap();
            let set = solid.triangles(2e-3);
            for vertex in &set.vertices {
                prop_assert!(solid.value(vertex).abs() < 1e-9, "{vertex}: {}", solid.value(vertex));
            }
            let volume: Real = set.faces.iter().map(|f| {
                let [a, b, c] = f.map(|k| set.vertices[k as usize].coords);
                a.dot(&b.cross(&c)) / 6.0
            }).sum();
            let exact = solid.exact_mass(1.0).unwrap().mass;
            // As far as triangles may leave it, all around.
            let skin = 4e-3 * 8.0 * (radii[0] * radii[1] + radii[1] * radii[2] + radii[2] * radii[0]);
            prop_assert!((volume - exact).abs() < skin, "{volume} of {exact}");
            let mesh = TriMesh::try_new(set.vertices.clone(), set.faces.clone()).unwrap();
            prop_assert!(Topology::of(&mesh).surface_kind(&mesh) == SurfaceKind::Solid);
        }

        #[test]
        fn no_place_of_the_surface_is_further_from_a_corner_than_the_set_says(
            radii in prop::array::uniform3(0.2..2.0_f64), e in prop::array::uniform2(0.05..8.0_f64),
            directions in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 40),
        ) {
            let solid = Superquadric::try_new(radii, e).unwrap();
            let set = solid.triangles(5e-3);
            for direction in directions.into_iter().map(Point::from).filter(|p| p.coords.norm() > 1e-3) {
                let place = direction / (1.0 + solid.value(&direction));
                let nearest = set.vertices.iter().map(|v| (v - place).norm()).fold(Real::INFINITY, Real::min);
                prop_assert!(nearest <= set.error, "{nearest} of {}", set.error);
            }
        }
    }
}
