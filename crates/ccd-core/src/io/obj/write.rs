//! Writing OBJ models.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::ObjError;
use crate::geometry::mesh::TriMesh;
use crate::math::Real;

/// Writes `mesh` to the file at `path`. See [`write_obj`].
///
/// # Errors
/// [`ObjError::Io`], which names the file.
pub fn save_obj(mesh: &TriMesh, path: impl AsRef<Path>) -> Result<(), ObjError> {
    let path = path.as_ref();
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        write_obj(mesh, &mut file)?;
        file.flush()
    };
    write().map_err(|source| ObjError::Io { file: path.display().to_string(), source })
}

/// Writes `mesh` with the fewest digits that read back as the same numbers.
///
/// # Errors
/// What the writer says.
pub fn write_obj(mesh: &TriMesh, writer: &mut impl Write) -> io::Result<()> {
    for p in mesh.vertices() {
        writeln!(writer, "v {} {} {}", Shortest(p.x), Shortest(p.y), Shortest(p.z))?;
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(writer, "f {} {} {}", u64::from(*a) + 1, u64::from(*b) + 1, u64::from(*c) + 1)?;
    }
    Ok(())
}

/// A number in the fewest digits that read back as itself, with an exponent where zeros would fill the line.
struct Shortest(Real);

impl std::fmt::Display for Shortest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-6..1e16).contains(&size) { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}
