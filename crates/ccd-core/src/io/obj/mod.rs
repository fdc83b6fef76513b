//! Wavefront OBJ models.
//!
//! Faces go through obj-rs's raw parser, which keeps polygons; every statement is read here first, because
//! that parser names no line, panics on free-form statements, refuses files for names and vertex colours that are no
//! geometry, and keeps positions in `f32`, where two distinct vertices of a fine model can fall into one. So what reaches
//! it is known to be good, and positions keep all digits of the file.
//!
//! All groups and objects of a file make one mesh. Points, lines, materials, normals and texture coordinates are passed
//! over; free-form curves and surfaces are refused, because leaving them out would change the shape.

mod error;
mod scan;
#[cfg(test)]
mod tests;
mod write;

pub use error::{LineError, ObjError};
pub use write::{save_obj, write_obj};

use std::fs::File;
use std::io::Read;
use std::path::Path;

use obj::raw::object::{Polygon, parse_obj as parse_checked};

use self::scan::{Scan, statements};
use crate::geometry::mesh::polygon::triangulate;
use crate::geometry::mesh::{MeshError, TriMesh};
use crate::math::Point;

/// Reads the model in the file at `path`. See [`parse_obj`].
///
/// # Errors
/// [`ObjError`], which names the file.
pub fn load_obj(path: impl AsRef<Path>) -> Result<TriMesh, ObjError> {
    let (file, name) = open(path.as_ref())?;
    parse_obj(file, &name)
}

/// Reads the corners of the model in the file at `path`. See [`parse_obj_points`].
///
/// # Errors
/// [`ObjError`], which names the file.
pub fn load_obj_points(path: impl AsRef<Path>) -> Result<Vec<Point>, ObjError> {
    let (file, name) = open(path.as_ref())?;
    parse_obj_points(file, &name)
}

fn open(path: &Path) -> Result<(File, String), ObjError> {
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => Ok((file, name)),
        Err(source) => Err(ObjError::Io { file: name, source }),
    }
}

/// Reads a model; `name` stands for the file in errors.
///
/// Polygons are cut into triangles ([`triangulate`]); vertices that no face uses are left out; nothing else is changed,
/// and vertices are not welded ([`TriMesh::welded`]).
///
/// # Errors
/// [`ObjError`] for whatever is no mesh; never panics, whatever the bytes.
pub fn parse_obj(reader: impl Read, name: &str) -> Result<TriMesh, ObjError> {
    let file = || name.to_owned();
    let (scan, polygons) = read(reader, name)?;
    let mut triangles = Vec::with_capacity(polygons.len());
    let mut triangle_lines = Vec::with_capacity(polygons.len());
    let mut corners = Vec::new();
    for (polygon, &line) in polygons.iter().zip(&scan.face_lines) {
        let indices = positions_of(polygon);
        corners.clear();
        corners.extend(indices.iter().filter_map(|&i| scan.positions.get(i)));
        let at_line = |reason| ObjError::Line { file: file(), line, reason };
        for triangle in triangulate(&corners).map_err(|e| at_line(e.into()))? {
            triangles.push(triangle.map(|k| indices[k as usize] as u32));
            triangle_lines.push(line);
        }
    }
    TriMesh::compacted(&scan.positions, &triangles).map_err(|source| match source {
        MeshError::ZeroArea { face, vertices } => ObjError::Line {
            file: file(),
            line: triangle_lines[face],
            reason: LineError::ZeroArea(vertices.map(|v| v as usize + 1)),
        },
        source => ObjError::Mesh { file: file(), source },
    })
}

/// Reads the corners of a model's faces, as of one whose hull is wanted; of a model without faces, all its vertices. `name` stands for the
/// file in errors. In the order of the file, metres as it has them.
///
/// # Errors
/// [`ObjError`] for whatever is no model; never panics, whatever the bytes.
pub fn parse_obj_points(reader: impl Read, name: &str) -> Result<Vec<Point>, ObjError> {
    let (scan, polygons) = read(reader, name)?;
    let mut is_corner = vec![polygons.is_empty(); scan.positions.len()];
    for index in polygons.iter().flat_map(positions_of) {
        if let Some(is_corner) = is_corner.get_mut(index) {
            *is_corner = true;
        }
    }
    Ok(scan.positions.into_iter().zip(is_corner).filter_map(|(point, is_corner)| is_corner.then_some(point)).collect())
}

/// The file's statements, and its faces.
fn read(mut reader: impl Read, name: &str) -> Result<(Scan, Vec<Polygon>), ObjError> {
    let file = || name.to_owned();
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|source| ObjError::Io { file: file(), source })?;
    let mut scan = Scan::default();
    for statement in statements(&bytes) {
        let line = statement.line;
        scan.read(&statement).map_err(|reason| ObjError::Line { file: file(), line, reason })?;
    }
    let raw = parse_checked(&*scan.checked).map_err(|e| ObjError::Parser { file: file(), reason: e.to_string() })?;
    Ok((scan, raw.polygons))
}

fn positions_of(polygon: &Polygon) -> Vec<usize> {
    match polygon {
        Polygon::P(corners) => corners.clone(),
        Polygon::PT(corners) | Polygon::PN(corners) => corners.iter().map(|c| c.0).collect(),
        Polygon::PTN(corners) => corners.iter().map(|c| c.0).collect(),
    }
}
