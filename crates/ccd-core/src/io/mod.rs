//! Files: OBJ models and case files.

pub mod obj;
