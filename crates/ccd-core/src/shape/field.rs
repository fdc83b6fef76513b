//! Solids given by a function of space, as shapes.

use std::sync::Arc;

use super::ScaleError;
use crate::geometry::field::Field;
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::geometry::solid::{Solid, SupportMap};
use crate::math::{Real, Vector};

/// A solid given by a function of space. Cloning is cheap: what is large is shared.
#[derive(Clone, Debug)]
pub enum FieldShape {
    /// One of the user's own.
    Implicit(Arc<dyn Field>),
}

impl FieldShape {
    /// As what every solid can do.
    pub fn as_solid(&self) -> &dyn Solid {
        match self {
            Self::Implicit(s) => s.as_ref(),
        }
    }

    /// As what detection asks of fields.
    pub fn as_field(&self) -> &dyn Field {
        match self {
            Self::Implicit(s) => s.as_ref(),
        }
    }

    /// The support mapping, where the solid is convex and bounded.
    pub fn as_convex(&self) -> Option<&dyn SupportMap> {
        self.as_solid().support_map()
    }

    /// The shape scaled along its axes.
    ///
    /// # Errors
    /// [`ScaleError`] for factors that would make it another kind of shape.
    pub fn scaled(&self, _scale: &Vector) -> Result<Self, ScaleError> {
        match self {
            Self::Implicit(s) => Err(ScaleError::Custom { kind: s.kind() }),
        }
    }

    /// The mass at uniform density, kg/m³, and how it was found.
    ///
    /// # Errors
    /// As [`Field::mass_properties`].
    pub fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
        self.as_field().mass_properties(density)
    }
}
