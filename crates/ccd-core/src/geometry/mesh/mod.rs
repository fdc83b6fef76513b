//! Triangle meshes: open soups and closed surfaces.
