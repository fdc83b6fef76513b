//! What can be wrong with an OBJ file, and on which line.

use std::io;

use crate::geometry::mesh::MeshError;
use crate::geometry::mesh::polygon::PolygonError;
use crate::math::MAX_COORDINATE;

/// Why a file is no mesh. Lines are counted from one.
#[derive(Debug, thiserror::Error)]
pub enum ObjError {
    /// The file cannot be read or written.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// A line is wrong.
    #[error("{file}, line {line}: {reason}")]
    Line {
        /// The file.
        file: String,
        /// The line, from one.
        line: usize,
        /// What is wrong with it.
        reason: LineError,
    },
    /// The file as a whole is no mesh: it has no face, or too many.
    #[error("{file}: {source}")]
    Mesh {
        /// The file.
        file: String,
        /// What is wrong.
        source: MeshError,
    },
    /// The parser refused statements that were found good; a defect of this reader, reported rather than hidden.
    #[error("{file}: {reason}")]
    Parser {
        /// The file.
        file: String,
        /// What the parser said.
        reason: String,
    },
}

/// What is wrong with a line of an OBJ file. Corners of faces, vertices, texture coordinates and normals are counted from one, as the file does.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineError {
    /// A statement that is none of the format's.
    #[error("unknown statement `{0}`")]
    UnknownStatement(String),
    /// A free-form curve or surface.
    #[error("`{0}`: free-form curves and surfaces are not supported, only faces")]
    FreeForm(String),
    /// The last line ends with a backslash.
    #[error("the line is continued beyond the end of the file")]
    Unfinished,
    /// Not three coordinates (with a weight, or a colour).
    #[error("a vertex with {0} numbers, not 3 (or 4 with a weight, 6 or 7 with a colour)")]
    VertexLength(usize),
    /// Not a number.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// A vertex at no place or too far away.
    #[error("vertex {vertex} is not finite or beyond {MAX_COORDINATE:e} m")]
    BadVertex {
        /// Which, from one.
        vertex: usize,
    },
    /// Fewer than three corners.
    #[error("a face with {0} corners")]
    FewCorners(usize),
    /// A corner that is not of the form `v`, `v/t`, `v//n` or `v/t/n`, or another form than the face's first.
    #[error("corner `{0}` is not `v`, `v/t`, `v//n` or `v/t/n`, like the first of its face")]
    BadCorner(String),
    /// A corner names something that does not exist (yet).
    #[error("corner {corner} uses {what} {index} of {count}")]
    IndexOutOfRange {
        /// The corner of the face, from one.
        corner: usize,
        /// `vertex`, `texture coordinate` or `normal`.
        what: &'static str,
        /// As given: from one, or negative from the end.
        index: i64,
        /// How many there are up to this line.
        count: usize,
    },
    /// A face uses a vertex twice.
    #[error("the face uses vertex {vertex} twice")]
    RepeatedVertex {
        /// Which, from one.
        vertex: usize,
    },
    /// A polygon that cannot be cut into triangles.
    #[error("{0}")]
    Polygon(#[from] PolygonError),
    /// A triangle of no area, or a part of a polygon that has none.
    #[error("the face has no area at vertices {}, {}, {}", .0[0], .0[1], .0[2])]
    ZeroArea([usize; 3]),
}
