//! Writing OBJ models.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::ObjError;
use crate::geometry::mesh::TriMesh;
use crate::math::Shortest;

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
