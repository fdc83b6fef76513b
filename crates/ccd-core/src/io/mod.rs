//! Files: OBJ models and case files.
