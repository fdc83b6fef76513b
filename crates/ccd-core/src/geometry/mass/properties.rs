//! Mass properties as a value.

use crate::math::{Matrix, Point, Pose, Real, Shortest, is_finite, skew};

/// How a mass was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MassKind {
    /// Integrated over the volume, exactly.
    Exact,
    /// By mass points on the surface: an open soup has no volume.
    MassPoints,
    /// Integrated over cells of space.
    Subdivided {
        /// By how much the mass can be wrong, proven, millionths of it.
        parts_per_million: u32,
    },
}

impl MassKind {
    /// By cells of space that leave this share of the mass open.
    pub(crate) fn subdivided(open: Real) -> Self {
        Self::Subdivided { parts_per_million: (1e6 * open).ceil().min(1e9) as u32 }
    }

    /// By what share of it the mass can be wrong, where that is known.
    pub fn relative_error(self) -> Option<Real> {
        match self {
            Self::Exact => Some(0.0),
            Self::MassPoints => None,
            Self::Subdivided { parts_per_million } => Some(1e-6 * Real::from(parts_per_million)),
        }
    }

    /// Of the sum of two, that weigh so much.
    pub(crate) fn of_sum((one, mass): (Self, Real), (other, other_mass): (Self, Real)) -> Self {
        match (one.relative_error(), other.relative_error()) {
            (Some(0.0), Some(0.0)) => Self::Exact,
            (Some(a), Some(b)) => Self::subdivided((a * mass + b * other_mass) / (mass + other_mass)),
            _ => Self::MassPoints,
        }
    }
}

/// Mass, centre of mass, and inertia about the centre of mass, in the axes of the frame that the context names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// kg.
    pub mass: Real,
    /// The centre of mass, metres.
    pub com: Point,
    /// About the centre of mass, kg·m².
    pub inertia: Matrix,
}

/// Why something has no mass.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MassError {
    /// Mass or density is not a positive number.
    #[error("the {what} is {}, which is not a positive number", Shortest(*value))]
    NotPositive {
        /// `mass`, `density`, `volume`.
        what: &'static str,
        /// As given or found.
        value: Real,
    },
    /// A positive number that has no inverse.
    #[error("the {what} is {value:e}, which is too small to be divided by")]
    TooSmall {
        /// `mass` or `inertia`.
        what: &'static str,
        /// As given or found; of an inertia its largest entry.
        value: Real,
    },
    /// A number of which the inverse is lost.
    #[error("the {what} is {value:e}, which is too large to be inverted")]
    TooLarge {
        /// `inertia`.
        what: &'static str,
        /// As given or found; of an inertia its largest entry.
        value: Real,
    },
    /// A number is NaN or infinite.
    #[error("the {what} is not finite")]
    NonFinite {
        /// `centre of mass` or `inertia`.
        what: &'static str,
    },
    /// An inertia that is no symmetric matrix.
    #[error("the inertia is of no body: it is not symmetric")]
    Unsymmetric,
    /// No body has such an inertia: each principal moment must be positive, and at most the sum of the others.
    #[error("the inertia is of no body: its principal moments are {moments:?} kg m²")]
    Inertia {
        /// The eigenvalues, ascending.
        moments: [Real; 3],
    },
    /// The solid is unbounded, or gives no way to find its mass.
    #[error("a {kind} has no mass of its own")]
    Massless {
        /// What it is.
        kind: &'static str,
    },
}

impl MassProperties {
    /// A kilogram at the origin with an inertia of one: what bodies carry whose mass has no meaning.
    pub const UNIT: Self = Self {
        mass: 1.0,
        com: Point::new(0.0, 0.0, 0.0),
        inertia: Matrix::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    };

    /// Checks that some body could have them.
    ///
    /// # Errors
    /// [`MassError`] says what is wrong.
    pub fn validate(&self) -> Result<(), MassError> {
        if !(self.mass.is_finite() && self.mass > 0.0) {
            return Err(MassError::NotPositive { what: "mass", value: self.mass });
        }
        if !is_finite(&self.com.coords) {
            return Err(MassError::NonFinite { what: "centre of mass" });
        }
        if !self.inertia.iter().all(|x| x.is_finite()) {
            return Err(MassError::NonFinite { what: "inertia" });
        }
        let mut moments: [Real; 3] = self.inertia.symmetric_eigenvalues().into();
        moments.sort_by(Real::total_cmp);
        let asymmetry = (self.inertia - self.inertia.transpose()).amax();
        // Given tensors are rounded to a few digits; the triangle inequality of flat bodies holds with equality.
        let slack = 1e-3 * moments[2].abs();
        if asymmetry > slack {
            return Err(MassError::Unsymmetric);
        }
        if moments[0] <= 0.0 || moments[2] > moments[0] + moments[1] + slack {
            return Err(MassError::Inertia { moments });
        }
        Ok(())
    }

    /// The same distribution with another total mass, kg.
    ///
    /// # Errors
    /// [`MassError::NotPositive`].
    pub fn scaled_to_mass(&self, mass: Real) -> Result<Self, MassError> {
        if !(mass.is_finite() && mass > 0.0) {
            return Err(MassError::NotPositive { what: "mass", value: mass });
        }
        Ok(Self { mass, com: self.com, inertia: self.inertia * (mass / self.mass) })
    }

    /// The same body placed by `pose`.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        Self { mass: self.mass, com: pose * self.com, inertia: rotation * self.inertia * rotation.transpose() }
    }

    /// The same body with each of its points moved by a linear map, at the same density: a body scaled along its axes, turned or mirrored.
    #[must_use]
    pub(crate) fn mapped(&self, map: &Matrix) -> Self {
        let by = map.determinant().abs();
        // ∫ x xᵀ about the centre of mass, of which the inertia is the trace less itself.
        let second = Matrix::identity() * (0.5 * self.inertia.trace()) - self.inertia;
        let second = map * second * map.transpose() * by;
        let inertia = Matrix::identity() * second.trace() - second;
        Self { mass: self.mass * by, com: map * self.com, inertia }
    }

    /// Both bodies as one.
    #[must_use]
    pub fn combined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let com = Point::from((self.com.coords * self.mass + other.com.coords * other.mass) / mass);
        Self { mass, com, inertia: self.inertia_about(&com) + other.inertia_about(&com) }
    }

    /// The inertia about another point, kg·m² (the parallel-axis theorem).
    pub fn inertia_about(&self, point: &Point) -> Matrix {
        let cross = skew(&(self.com - point));
        self.inertia - cross * cross * self.mass
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Rotation, Vector};

    #[test]
    fn impossible_inertias_are_refused() {
        let with =
            |d: [Real; 3]| MassProperties { inertia: Matrix::from_diagonal(&Vector::from(d)), ..MassProperties::UNIT };
        assert!(with([1.0, 1.0, 1.9]).validate().is_ok());
        assert!(matches!(with([1.0, 1.0, 2.1]).validate(), Err(MassError::Inertia { .. })));
        assert!(matches!(with([1.0, -1.0, 1.0]).validate(), Err(MassError::Inertia { .. })));
        assert!(matches!(with([1.0, Real::NAN, 1.0]).validate(), Err(MassError::NonFinite { .. })));
    }

    #[test]
    fn a_box_scaled_and_turned_by_a_linear_map_has_the_mass_of_the_box_of_that_size() {
        let placed =
            MassProperties::of_box(&Vector::new(0.5, 1.0, 1.5), 10.0).transformed(&Pose::translation(1.0, 2.0, 3.0));
        let (scale, turn) = (Vector::new(2.0, -3.0, 0.5), Rotation::from_scaled_axis(Vector::new(0.3, -0.4, 0.5)));
        let mapped = placed.mapped(&(turn.to_rotation_matrix().into_inner() * Matrix::from_diagonal(&scale)));
        let exact = MassProperties::of_box(&Vector::new(1.0, 3.0, 0.75), 10.0)
            .transformed(&Pose::from_parts((turn * Vector::new(2.0, -6.0, 1.5)).into(), turn));
        assert!((mapped.mass - exact.mass).abs() < 1e-13 * exact.mass && (mapped.com - exact.com).norm() < 1e-13);
        assert!((mapped.inertia - exact.inertia).norm() < 1e-13 * exact.inertia.norm());
    }

    #[test]
    fn two_halves_of_a_box_make_the_box() {
        let half = MassProperties::of_box(&Vector::new(0.5, 1.0, 1.5), 10.0);
        let at = |x: Real| half.transformed(&Pose::translation(x, 0.0, 0.0));
        let both = at(-0.5).combined(&at(0.5));
        let whole = MassProperties::of_box(&Vector::new(1.0, 1.0, 1.5), 10.0);
        assert!((both.inertia - whole.inertia).norm() < 1e-12 * whole.inertia.norm());
        assert!((both.mass - whole.mass).abs() < 1e-12);
    }
}
