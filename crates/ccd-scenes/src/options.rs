//! What all generators share: options by name, and what can be wrong with them.

use ccd_core::math::{Real, Shortest};

/// Something made from options that all have defaults.
pub trait Options: Default {
    /// The name, as on a command line.
    const NAME: &'static str;
    /// What it makes, in one line.
    const ABOUT: &'static str;

    /// The options, by name.
    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)>;

    /// Sets an option by name.
    ///
    /// # Errors
    /// [`OptionError::Unknown`], or [`OptionError::Bad`] for a count that is no whole number.
    fn set(&mut self, option: &str, value: Real) -> Result<(), OptionError> {
        let mut fields = self.fields();
        let Some((name, field)) = fields.iter_mut().find(|(name, _)| *name == option) else {
            let known = fields.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return Err(OptionError::Unknown { of: Self::NAME, option: option.to_owned(), known });
        };
        match field {
            Field::Number(number) => **number = value,
            Field::Count(count) => {
                if value.fract() != 0.0 || !(0.0..=Real::from(u32::MAX)).contains(&value) {
                    let must = "a whole number".to_owned();
                    return Err(OptionError::Bad { of: Self::NAME, option: name, value, must });
                }
                **count = value as u32;
            }
        }
        Ok(())
    }

    /// The defaults with these options set.
    ///
    /// # Errors
    /// As [`Options::set`].
    fn with(options: &[(&str, Real)]) -> Result<Self, OptionError> {
        let mut this = Self::default();
        for &(option, value) in options {
            this.set(option, value)?;
        }
        Ok(this)
    }

    /// The options that are not as by default, with their values.
    fn changed(&mut self) -> Vec<(&'static str, Real)> {
        let mut usual = Self::default();
        let usual = usual.fields().into_iter().map(|(_, field)| field.value());
        let now = self.fields().into_iter().map(|(name, field)| (name, field.value()));
        now.zip(usual).filter(|((_, now), usual)| now != usual).map(|(changed, _)| changed).collect()
    }

    /// The names of the options.
    fn names() -> Vec<&'static str> {
        Self::default().fields().into_iter().map(|(name, _)| name).collect()
    }
}

/// An option that can be set.
#[derive(Debug)]
pub enum Field<'a> {
    /// A length or another measure, in the unit that the option's documentation names.
    Number(&'a mut Real),
    /// A number of parts.
    Count(&'a mut u32),
}

impl Field<'_> {
    fn value(&self) -> Real {
        match self {
            Self::Number(number) => **number,
            Self::Count(count) => Real::from(**count),
        }
    }
}

impl<'a> From<&'a mut Real> for Field<'a> {
    fn from(number: &'a mut Real) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a mut u32> for Field<'a> {
    fn from(count: &'a mut u32) -> Self {
        Self::Count(count)
    }
}

/// Declares a struct of options with its defaults, by which name it is reached, and what it makes.
macro_rules! options {
    (
        $name:literal: $about:literal
        $(#[$meta:meta])*
        $type:ident { $($(#[$doc:meta])* $field:ident: $kind:ty = $default:expr,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $type {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Default for $type {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::options::Options for $type {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = $about;

            fn fields(&mut self) -> Vec<(&'static str, $crate::options::Field<'_>)> {
                vec![$((stringify!($field), (&mut self.$field).into()),)*]
            }
        }
    };
}
pub(crate) use options;

/// What is wrong with an option.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OptionError {
    /// Out of range.
    #[error("{of}: {option} is {}, but must be {must}", Shortest(*value))]
    Bad {
        /// The model or scene.
        of: &'static str,
        /// The option.
        option: &'static str,
        /// As given.
        value: Real,
        /// What it must be.
        must: String,
    },
    /// Not an option of this model or scene.
    #[error("{of} has no option `{option}` (it has: {known})")]
    Unknown {
        /// The model or scene.
        of: &'static str,
        /// As given.
        option: String,
        /// Those it has.
        known: String,
    },
}

/// The least and the greatest length of an option, metres: far from where areas leave the range of numbers.
const LENGTHS: (Real, Real) = (1e-9, 1e9);

pub(crate) fn check_length<M: Options>(option: &'static str, value: Real) -> Result<(), OptionError> {
    if value >= LENGTHS.0 && value <= LENGTHS.1 {
        Ok(())
    } else {
        let must = format!("between {} and {} m", Shortest(LENGTHS.0), Shortest(LENGTHS.1));
        Err(OptionError::Bad { of: M::NAME, option, value, must })
    }
}

pub(crate) fn check_between<M: Options>(
    option: &'static str,
    value: Real,
    least: Real,
    most: Real,
) -> Result<(), OptionError> {
    if value >= least && value <= most {
        Ok(())
    } else {
        Err(OptionError::Bad {
            of: M::NAME,
            option,
            value,
            must: format!("between {} and {}", Shortest(least), Shortest(most)),
        })
    }
}

pub(crate) fn check_less<M: Options>(
    option: &'static str,
    value: Real,
    than: &str,
    limit: Real,
) -> Result<(), OptionError> {
    if value < limit {
        Ok(())
    } else {
        Err(OptionError::Bad { of: M::NAME, option, value, must: format!("less than {than}, {}", Shortest(limit)) })
    }
}

pub(crate) fn check_count<M: Options>(
    option: &'static str,
    value: u32,
    least: u32,
    most: u32,
) -> Result<(), OptionError> {
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        let must = format!("between {least} and {most}");
        Err(OptionError::Bad { of: M::NAME, option, value: value.into(), must })
    }
}
