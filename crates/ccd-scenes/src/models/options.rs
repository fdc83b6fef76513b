//! What all generators share: options by name, and their errors.

use ccd_core::geometry::mesh::{MeshError, TriMesh};
use ccd_core::math::Real;

/// A generator of a mesh.
pub trait Model: Default {
    /// The name, as on a command line.
    const NAME: &'static str;
    /// What it makes, in one line.
    const ABOUT: &'static str;

    /// The options, by name.
    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)>;

    /// The mesh.
    ///
    /// # Errors
    /// [`ModelError`], with the option that is out of range.
    fn build(&self) -> Result<TriMesh, ModelError>;

    /// Sets an option by name.
    ///
    /// # Errors
    /// [`ModelError::UnknownOption`], or [`ModelError::BadOption`] for a count that is no whole number.
    fn set(&mut self, option: &str, value: Real) -> Result<(), ModelError> {
        let mut fields = self.fields();
        let Some((name, field)) = fields.iter_mut().find(|(name, _)| *name == option) else {
            let known = fields.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return Err(ModelError::UnknownOption { model: Self::NAME, option: option.to_owned(), known });
        };
        match field {
            Field::Metres(metres) => **metres = value,
            Field::Count(count) => {
                if value.fract() != 0.0 || !(0.0..=Real::from(u32::MAX)).contains(&value) {
                    let must = "a whole number".to_owned();
                    return Err(ModelError::BadOption { model: Self::NAME, option: name, value, must });
                }
                **count = value as u32;
            }
        }
        Ok(())
    }
}

/// An option that can be set.
#[derive(Debug)]
pub enum Field<'a> {
    /// A length.
    Metres(&'a mut Real),
    /// A number of parts.
    Count(&'a mut u32),
}

/// Why a model cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// An option out of range.
    #[error("{model}: {option} is {value}, but must be {must}")]
    BadOption {
        /// The model.
        model: &'static str,
        /// The option.
        option: &'static str,
        /// As given.
        value: Real,
        /// What it must be.
        must: String,
    },
    /// An option that the model does not have.
    #[error("{model} has no option `{option}` (it has {known})")]
    UnknownOption {
        /// The model.
        model: &'static str,
        /// As given.
        option: String,
        /// Those it has.
        known: String,
    },
    /// Options in range that together give no mesh, such as sizes near the smallest number.
    #[error("{model}: {source}")]
    Mesh {
        /// The model.
        model: &'static str,
        /// What is wrong with the mesh.
        source: MeshError,
    },
}

/// The least and the greatest length of an option, metres: far from where areas leave the range of numbers.
const LENGTHS: (Real, Real) = (1e-9, 1e9);

pub(super) fn check_length<M: Model>(option: &'static str, value: Real) -> Result<(), ModelError> {
    if value >= LENGTHS.0 && value <= LENGTHS.1 {
        Ok(())
    } else {
        let must = format!("between {:e} and {:e} m", LENGTHS.0, LENGTHS.1);
        Err(ModelError::BadOption { model: M::NAME, option, value, must })
    }
}

pub(super) fn check_less<M: Model>(
    option: &'static str,
    value: Real,
    than: &str,
    limit: Real,
) -> Result<(), ModelError> {
    if value < limit {
        Ok(())
    } else {
        Err(ModelError::BadOption { model: M::NAME, option, value, must: format!("less than {than}, {limit}") })
    }
}

pub(super) fn check_count<M: Model>(option: &'static str, value: u32, least: u32, most: u32) -> Result<(), ModelError> {
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        let must = format!("between {least} and {most}");
        Err(ModelError::BadOption { model: M::NAME, option, value: value.into(), must })
    }
}

pub(super) fn finished<M: Model>(mesh: Result<TriMesh, MeshError>) -> Result<TriMesh, ModelError> {
    mesh.map_err(|source| ModelError::Mesh { model: M::NAME, source })
}
