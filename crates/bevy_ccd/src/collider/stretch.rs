//! What a placement does to a shape beside moving and turning it: it scales it, and a turned child of an unevenly scaled parent is sheared.

use ccd_core::math::{Matrix, Rotation, Vector};
use nalgebra::Rotation3;

/// How much two factors may differ, relatively, and count as equal: transforms are made of `f32`, and a rotation between a
/// scaled parent and its child leaves rounding in the factors.
const EVEN: f64 = 1e-5;

/// Whether two factors are equal but for rounding.
pub(super) fn even(a: f64, b: f64) -> bool {
    (a - b).abs() <= EVEN * a.abs().max(b.abs())
}

/// The factors of a stretch along the axes, if it is nothing else.
pub(super) fn factors(stretch: &Matrix) -> Option<[f64; 3]> {
    let is_scale = (0..9).all(|k| k % 4 == 0 || stretch[k] == 0.0);
    is_scale.then(|| [stretch[0], stretch[4], stretch[8]])
}

/// A linear map as a stretch that is followed by a rotation. What the map mirrors the stretch does, and what turns with the map turns by the
/// rotation alone. `None` where the map flattens something, or is not finite.
pub(crate) fn unturned(linear: &Matrix) -> Option<(Rotation, Matrix)> {
    let columns = [0, 1, 2].map(|k| Vector::from(linear.column(k)));
    let x = columns[0].try_normalize(0.0)?;
    let y = (columns[1] - x * x.dot(&columns[1])).try_normalize(0.0)?;
    let turn = Matrix::from_columns(&[x, y, x.cross(&y)]);
    let mut stretch = turn.transpose() * linear;
    // Zero but for rounding; above the diagonal as much as transforms are rounded by.
    let slight = EVEN * stretch.diagonal().amax();
    for (row, column) in [(1, 0), (2, 0), (2, 1), (0, 1), (0, 2), (1, 2)] {
        if row > column || stretch[(row, column)].abs() <= slight {
            stretch[(row, column)] = 0.0;
        }
    }
    let rotation = Rotation::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
    let is_whole = stretch.diagonal().iter().all(|factor| *factor != 0.0);
    (is_whole && stretch.iter().chain(rotation.coords.iter()).all(|number| number.is_finite()))
        .then_some((rotation, stretch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_stretch_and_its_rotation_are_the_map_and_what_turns_the_map_turns_the_rotation_alone(
            numbers in prop::array::uniform9(-2.0..2.0_f64), turn in prop::array::uniform3(-3.0..3.0_f64),
        ) {
            let linear = Matrix::from_column_slice(&numbers);
            prop_assume!(linear.determinant().abs() > 0.1);
            let (rotation, stretch) = unturned(&linear).expect("it flattens nothing");
            prop_assert!((rotation.to_rotation_matrix() * stretch - linear).amax() < 1e-4);
            prop_assert!((stretch.determinant() - linear.determinant()).abs() < 1e-3);
            let turned = Rotation::new(Vector::from(turn));
            let (further, same) = unturned(&(turned.to_rotation_matrix() * linear)).expect("as before");
            prop_assert!(further.angle_to(&(turned * rotation)) < 1e-9);
            prop_assert!((same - stretch).amax() < 1e-4);
        }
    }

    #[test]
    fn what_scales_is_no_shear_and_what_flattens_is_no_stretch() {
        let scale = Matrix::from_diagonal(&Vector::new(2.0, 3.0, -0.5));
        let turned = Rotation::new(Vector::new(0.3, -0.2, 0.9)).to_rotation_matrix() * scale;
        let (_, stretch) = unturned(&turned).expect("a scale");
        let found = factors(&stretch).expect("no shear");
        assert!(found.iter().zip([2.0, 3.0, -0.5]).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        for flat in [Matrix::zeros(), Matrix::repeat(1.0), Matrix::identity() * f64::NAN] {
            assert_eq!(unturned(&flat), None);
        }
    }
}
