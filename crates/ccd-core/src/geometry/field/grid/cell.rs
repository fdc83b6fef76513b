//! A cell of a grid: what is interpolated between the values at its corners.
//!
//! Six tetrahedra share the diagonal from the lowest corner to the highest, and the values are linear in each (Freudenthal, 1942; Kuhn, 1960).
//! Neighbours agree on the sides that they share, and halves of a cell are divided as the cell is. So the surface is made of
//! triangles, exactly.

use crate::math::{Real, Vector};

/// The corners of the tetrahedra of a cell, all right-handed. Corner `i` is at the far end of the axes of the bits of `i`.
pub(super) const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 5, 1, 7], [0, 3, 2, 7], [0, 6, 4, 7]];

/// The values at the corners of a unit cell, x fastest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners(pub [Real; 8]);

impl Corners {
    /// The value at a place in the cell.
    pub fn value(&self, u: &Vector) -> Real {
        let mut axes = [0, 1, 2];
        axes.sort_unstable_by(|&i, &j| u[j].total_cmp(&u[i]));
        let ([i, j, k], values) = (axes, &self.0);
        // From the lowest corner to the highest, along the axis first that leads furthest.
        let (first, second) = (1 << i, 1 << i | 1 << j);
        values[0]
            + u[i] * (values[first] - values[0])
            + u[j] * (values[second] - values[first])
            + u[k] * (values[7] - values[second])
    }

    /// One of its eight halves, numbered as corners are.
    pub fn octant(&self, octant: usize) -> Self {
        Self(std::array::from_fn(|corner| {
            let at = |k: usize| 0.5 * ((octant >> k & 1) + (corner >> k & 1)) as Real;
            self.value(&Vector::new(at(0), at(1), at(2)))
        }))
    }

    /// Whether the surface, on whose outer side values are above zero, passes through the cell.
    pub fn holds_surface(&self) -> bool {
        self.0.iter().any(|v| *v > 0.0) && self.0.iter().any(|v| *v <= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn corner(i: usize) -> Vector {
        Vector::from_fn(|k, _| Real::from((i >> k & 1) as u8))
    }

    #[test]
    fn tetrahedra_are_right_handed_and_fill_the_cell() {
        let volume = |tetrahedron: &[usize; 4]| {
            let [o, p, q, r] = tetrahedron.map(corner);
            (p - o).dot(&(q - o).cross(&(r - o))) / 6.0
        };
        assert!(TETRAHEDRA.iter().all(|tetrahedron| (volume(tetrahedron) - 1.0 / 6.0).abs() < 1e-15));
    }

    proptest! {
        #[test]
        fn values_are_linear_in_each_tetrahedron_and_so_are_those_of_the_halves(
            values in prop::array::uniform8(-1.0..1.0_f64),
            which in 0..6_usize,
            shares in prop::array::uniform4(0.01..1.0_f64),
            octant in 0..8_usize,
        ) {
            let cell = Corners(values);
            let whole: Real = shares.iter().sum();
            let mean = |of: &dyn Fn(usize) -> Real| {
                TETRAHEDRA[which].iter().zip(shares).map(|(&i, share)| of(i) * share / whole).sum::<Real>()
            };
            let place = Vector::from_fn(|k, _| mean(&|i| corner(i)[k]));
            prop_assert!((cell.value(&place) - mean(&|i| values[i])).abs() < 1e-14);
            let in_whole = (corner(octant) + place) * 0.5;
            prop_assert!((cell.octant(octant).value(&place) - cell.value(&in_whole)).abs() < 1e-14);
        }
    }
}
