//! A convex polyhedron given as the common part of half-spaces.

use super::exact::{Cell, Planes};
use super::{ConvexPolyhedron, FacePlane, HullError};
use crate::math::{Point, Real};

/// Why half-spaces make no polyhedron.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HalfSpacesError {
    /// A half-space that is none: its normal is zero, or a number is not finite.
    #[error("half-space {half_space} has no plane: its normal is zero or not finite")]
    NoPlane {
        /// Which.
        half_space: usize,
    },
    /// No point lies in all of them, or only points of a plane.
    #[error("the half-spaces have no volume in common from half-space {half_space} on")]
    Empty {
        /// The one that leaves nothing.
        half_space: usize,
    },
    /// They do not close around what they have in common.
    #[error("the half-spaces leave a way to infinity")]
    Unbounded,
    /// What they have in common is too thin or too large for a hull.
    #[error(transparent)]
    Hull(#[from] HullError),
}

/// What reaches this many times further than the furthest plane counts as unbounded.
const FAR: Real = 1e9;

impl ConvexPolyhedron {
    /// The points p with normal · p ≤ offset for every half-space; metres, normals of any length.
    ///
    /// The vertices are where three of the planes meet, found exactly and rounded once; the faces are those of their hull, so a
    /// half-space that bounds nothing leaves no trace. O(n · f) for n half-spaces and f faces of the result.
    ///
    /// # Errors
    /// [`HalfSpacesError`] names the half-space that is none or leaves nothing, or says that they do not close.
    pub fn from_half_spaces(half_spaces: &[FacePlane]) -> Result<Self, HalfSpacesError> {
        let mut planes = Planes::default();
        let mut reach: Real = 0.0;
        for (half_space, h) in half_spaces.iter().enumerate() {
            let distance = (h.offset / h.normal.norm()).abs();
            if !distance.is_finite() {
                return Err(HalfSpacesError::NoPlane { half_space });
            }
            reach = reach.max(distance);
        }
        // Around the origin, from which offsets are measured; planes all through it bound nothing but a cone.
        let half = if reach > 0.0 { FAR * reach } else { 1.0 };
        let mut cell = Cell::cube(&Point::origin(), half, &mut planes).ok_or(HalfSpacesError::Unbounded)?;
        let bounds: Vec<u32> = cell.walls().collect();
        for (half_space, h) in half_spaces.iter().enumerate() {
            let plane = planes.add(&h.normal, h.offset).ok_or(HalfSpacesError::NoPlane { half_space })?;
            cell = cell.cut(plane, &mut planes).0.ok_or(HalfSpacesError::Empty { half_space })?;
        }
        if cell.walls().any(|wall| bounds.contains(&wall)) {
            return Err(HalfSpacesError::Unbounded);
        }
        Ok(Self::from_points(&cell.places(&planes))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vector;
    use proptest::prelude::*;

    fn half_space(normal: [Real; 3], offset: Real) -> FacePlane {
        FacePlane { normal: normal.into(), offset }
    }

    fn box_of(half: [Real; 3]) -> Vec<FacePlane> {
        let side = |k: usize, sign: Real| {
            let mut normal = [0.0; 3];
            normal[k] = sign;
            half_space(normal, half[k])
        };
        (0..3).flat_map(|k| [side(k, -1.0), side(k, 1.0)]).collect()
    }

    #[test]
    fn six_half_spaces_are_a_box_with_its_corners_bit_by_bit() {
        let hull = ConvexPolyhedron::from_half_spaces(&box_of([0.1, 0.2, 0.3])).unwrap();
        assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (8, 12, 6));
        assert!(hull.vertices().iter().all(|p| p.coords.abs() == Vector::new(0.1, 0.2, 0.3)));
    }

    #[test]
    fn what_is_no_polyhedron_is_named() {
        let mut planes = box_of([1.0; 3]);
        planes.push(half_space([1.0, 1.0, 1.0], -4.0));
        assert_eq!(ConvexPolyhedron::from_half_spaces(&planes).unwrap_err(), HalfSpacesError::Empty { half_space: 6 });
        planes[6] = half_space([1.0, 0.0, 0.0], -1.0);
        assert_eq!(ConvexPolyhedron::from_half_spaces(&planes).unwrap_err(), HalfSpacesError::Empty { half_space: 6 });
        planes[2] = half_space([0.0; 3], 1.0);
        assert_eq!(
            ConvexPolyhedron::from_half_spaces(&planes).unwrap_err(),
            HalfSpacesError::NoPlane { half_space: 2 }
        );
        let open = &box_of([1.0; 3])[..5];
        assert_eq!(ConvexPolyhedron::from_half_spaces(open).unwrap_err(), HalfSpacesError::Unbounded);
        assert_eq!(ConvexPolyhedron::from_half_spaces(&[]).unwrap_err(), HalfSpacesError::Unbounded);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// There and back: the planes of a hull are the hull.
        #[test]
        fn the_half_spaces_of_a_hull_give_the_hull_back(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 6..24), scale in -3..4_i32,
        ) {
            let points: Vec<Point> = points.iter().map(|p| Point::from(*p) * 10.0_f64.powi(scale)).collect();
            let hull = ConvexPolyhedron::from_points(&points).unwrap();
            let again = ConvexPolyhedron::from_half_spaces(hull.planes()).unwrap();
            let size = 10.0_f64.powi(scale);
            // A plane's rounding, over the sine of the angles at which planes meet in a random hull.
            let near = |p: &Point, of: &ConvexPolyhedron| of.vertices().iter().any(|q| (p - q).norm() < 1e-8 * size);
            prop_assert!(hull.vertices().iter().all(|p| near(p, &again)), "{hull:?} {again:?}");
            prop_assert!(again.vertices().iter().all(|p| near(p, &hull)), "{hull:?} {again:?}");
        }
    }
}
