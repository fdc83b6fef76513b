//! One module for each command.

pub(crate) mod classify;
pub(crate) mod closest;
pub(crate) mod features;
pub(crate) mod inspect;
pub(crate) mod make;
mod models;
mod queries;
pub(crate) mod run;
pub(crate) mod toc;
