//! Files: OBJ models and case files.

pub mod case;
pub mod expect;
pub mod obj;
pub mod patches;
