//! One module for each command.

pub(crate) mod classify;
pub(crate) mod features;
pub(crate) mod inspect;
pub(crate) mod make;
