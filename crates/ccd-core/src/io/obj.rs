//! Wavefront OBJ models.
//!
//! Faces go through obj-rs's raw parser, which keeps polygons; [`parse_obj`] first reads every statement itself, because
//! that parser names no line, panics on free-form statements, refuses files for names and vertex colours that are no
//! geometry, and keeps positions in `f32`, where two distinct vertices of a fine model can fall into one. So what reaches
//! it is known to be good, and positions keep all digits of the file.
//!
//! All groups and objects of a file make one mesh. Points, lines, materials, normals and texture coordinates are passed
//! over; free-form curves and surfaces are refused, because leaving them out would change the shape.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use obj::raw::object::{Polygon, parse_obj as parse_checked};

use crate::geometry::mesh::polygon::{PolygonError, triangulate};
use crate::geometry::mesh::{MAX_COORDINATE, MeshError, TriMesh};
use crate::math::{Point, Real, is_finite};

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

/// Reads the model in the file at `path`. See [`parse_obj`].
///
/// # Errors
/// [`ObjError`], which names the file.
pub fn load_obj(path: impl AsRef<Path>) -> Result<TriMesh, ObjError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => parse_obj(file, &name),
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
pub fn parse_obj(mut reader: impl Read, name: &str) -> Result<TriMesh, ObjError> {
    let file = || name.to_owned();
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|source| ObjError::Io { file: file(), source })?;
    let mut scan = Scan::default();
    for statement in statements(&bytes) {
        let line = statement.line;
        scan.read(&statement).map_err(|reason| ObjError::Line { file: file(), line, reason })?;
    }

    let raw = parse_checked(&*scan.checked).map_err(|e| ObjError::Parser { file: file(), reason: e.to_string() })?;
    let mut triangles = Vec::with_capacity(raw.polygons.len());
    let mut triangle_lines = Vec::with_capacity(raw.polygons.len());
    let mut corners = Vec::new();
    for (polygon, &line) in raw.polygons.iter().zip(&scan.face_lines) {
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

fn positions_of(polygon: &Polygon) -> Vec<usize> {
    match polygon {
        Polygon::P(corners) => corners.clone(),
        Polygon::PT(corners) | Polygon::PN(corners) => corners.iter().map(|c| c.0).collect(),
        Polygon::PTN(corners) => corners.iter().map(|c| c.0).collect(),
    }
}

/// A statement with the line it starts on.
struct Statement {
    line: usize,
    text: Result<String, LineError>,
}

/// The statements of a file: comments taken off, continued lines joined, empty ones left out.
fn statements(bytes: &[u8]) -> impl Iterator<Item = Statement> + '_ {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes.split(|&b| b == b'\n').zip(1..);
    std::iter::from_fn(move || {
        loop {
            let (first, line) = lines.next()?;
            let mut text = String::new();
            let mut part = first;
            loop {
                let kept = part.split(|&b| b == b'#').next().unwrap_or_default();
                // Names may be in any encoding; numbers are ASCII, so nothing of the geometry is lost.
                let kept = String::from_utf8_lossy(kept);
                let Some(continued) = kept.trim_end().strip_suffix('\\') else {
                    text.push_str(&kept);
                    break;
                };
                text.push_str(continued);
                text.push(' ');
                match lines.next() {
                    Some((more, _)) => part = more,
                    None => return Some(Statement { line, text: Err(LineError::Unfinished) }),
                }
            }
            if !text.trim().is_empty() {
                return Some(Statement { line, text: Ok(text) });
            }
        }
    })
}

/// What the file has said so far.
#[derive(Default)]
struct Scan {
    positions: Vec<Point>,
    texture_coordinates: usize,
    normals: usize,
    /// The line of each face.
    face_lines: Vec<usize>,
    /// The vertices and faces, found good, for the parser.
    checked: Vec<u8>,
}

impl Scan {
    fn read(&mut self, statement: &Statement) -> Result<(), LineError> {
        let text = statement.text.as_ref().map_err(Clone::clone)?;
        let mut words = text.split_whitespace();
        let keyword = words.next().unwrap_or_default();
        match keyword {
            "v" => self.vertex(words),
            "f" | "fo" => self.face(words, statement.line),
            "vt" => {
                self.texture_coordinates += 1;
                Ok(())
            }
            "vn" => {
                self.normals += 1;
                Ok(())
            }
            // Names, materials, looks, and elements that bound no surface.
            "g" | "o" | "s" | "mg" | "usemtl" | "mtllib" | "usemap" | "maplib" | "p" | "l" | "vp" | "bevel"
            | "c_interp" | "d_interp" | "lod" | "shadow_obj" | "trace_obj" => Ok(()),
            "cstype" | "deg" | "bmat" | "step" | "curv" | "curv2" | "surf" | "parm" | "trim" | "hole" | "scrv"
            | "sp" | "end" | "con" | "ctech" | "stech" | "bsp" | "bzp" | "cdc" | "cdp" | "res" => {
                Err(LineError::FreeForm(keyword.to_owned()))
            }
            _ => Err(LineError::UnknownStatement(shortened(keyword))),
        }
    }

    fn vertex<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), LineError> {
        let mut numbers: Vec<Real> = Vec::with_capacity(3);
        for word in words {
            numbers.push(word.parse().map_err(|_| LineError::NotANumber(shortened(word)))?);
        }
        let &[x, y, z, ..] = &*numbers else { return Err(LineError::VertexLength(numbers.len())) };
        if !matches!(numbers.len(), 3 | 4 | 6 | 7) {
            return Err(LineError::VertexLength(numbers.len()));
        }
        let place = Point::new(x, y, z);
        if !is_finite(&place.coords) || place.coords.amax() > MAX_COORDINATE {
            return Err(LineError::BadVertex { vertex: self.positions.len() + 1 });
        }
        self.positions.push(place);
        // The parser counts the vertices; its `f32` copies are not used.
        self.checked.extend_from_slice(b"v 0 0 0\n");
        Ok(())
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a str>, line: usize) -> Result<(), LineError> {
        self.checked.push(b'f');
        let mut corners = Vec::with_capacity(4);
        let mut form = None;
        for word in words {
            let corner = corners.len() + 1;
            let bad = || LineError::BadCorner(shortened(word));
            let parts: Vec<&str> = word.split('/').collect();
            let this_form = (parts.len(), parts.get(1) == Some(&""));
            let well_formed = parts.len() <= 3 && this_form != (2, true);
            if !well_formed || *form.get_or_insert(this_form) != this_form {
                return Err(bad());
            }
            let counted = [
                ("vertex", self.positions.len()),
                ("texture coordinate", self.texture_coordinates),
                ("normal", self.normals),
            ];
            for (k, (part, (what, count))) in parts.iter().zip(counted).enumerate() {
                if k == 1 && part.is_empty() {
                    continue;
                }
                let index: i64 = part.parse().map_err(|_| bad())?;
                let place = if index < 0 { index + count as i64 } else { index - 1 };
                if index == 0 || place < 0 || place >= count as i64 {
                    return Err(LineError::IndexOutOfRange { corner, what, index, count });
                }
                if k == 0 {
                    corners.push(place as usize);
                    self.checked.extend_from_slice(format!(" {index}").as_bytes());
                }
            }
        }
        self.checked.push(b'\n');
        if corners.len() < 3 {
            return Err(LineError::FewCorners(corners.len()));
        }
        corners.sort_unstable();
        if let Some(twice) = corners.windows(2).find(|w| w[0] == w[1]) {
            return Err(LineError::RepeatedVertex { vertex: twice[0] + 1 });
        }
        self.face_lines.push(line);
        Ok(())
    }
}

/// The beginning of a word, for messages.
fn shortened(word: &str) -> String {
    const SHOWN: usize = 40;
    if word.chars().count() <= SHOWN { word.to_owned() } else { word.chars().take(SHOWN).chain(['…']).collect() }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<TriMesh, ObjError> {
        parse_obj(text.as_bytes(), "model.obj")
    }

    fn reason(text: &str) -> (usize, LineError) {
        match parse(text) {
            Err(ObjError::Line { line, reason, .. }) => (line, reason),
            other => panic!("{text:?} gives {other:?}"),
        }
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn polygons_groups_colours_comments_and_continued_lines_are_read() {
        let plain = parse(&format!("{SQUARE}f 1 2 3 4\n")).unwrap();
        assert_eq!(plain.triangles(), &[[0, 1, 2], [0, 2, 3]]);
        for same in [
            "\u{feff}# caf\u{e9}\r\nmtllib a b.mtl\r\no two words\r\nv 0 0 0 1\r\nv 1 0 0 1\r\nv 1 1 0 1\r\nv 0 1 0 1\r\ng a b c\r\nusemtl x y\r\ns off\r\nf -4 -3 -2 -1\r\n",
            "v 0 0 0 .5 .5 .5\nv 1 0 0 .5 .5 .5\nv 1 1 0 .5 .5 .5\nv 0 1 \\\n 0 .5 .5 .5 # colour\nvt 0 0\nvn 0 0 1\nl 1 2\np 3\nf 1/1/1 2/1/1 \\ \n 3/1/1 4/1/1",
            "v 0 0 0\nv 7 7 7\nv 1 0 0\nv 1 1 0\nvn 0 0 1\nv 0 1 0\nf 1//1 3//-1 4//1 5//1\n",
        ] {
            assert_eq!(parse(same).unwrap(), plain, "{same}");
        }
        let latin = [b"# caf\xe9\no \xff\xfe\n".as_slice(), SQUARE.as_bytes(), b"f 1 2 3 4"].concat();
        assert_eq!(parse_obj(&*latin, "latin").unwrap(), plain);
    }

    #[test]
    fn positions_keep_the_digits_that_single_precision_would_lose() {
        let mesh = parse("v 0.1 0.123456789012345 1e-9\nv 0.1000000000001 0 0\nv 0 1 0\nf 1 2 3").unwrap();
        assert_eq!(mesh.vertices()[0], Point::new(0.1, 0.123456789012345, 1e-9));
        assert_eq!(mesh.vertices()[1].x, 0.1000000000001);
    }

    #[test]
    fn whatever_is_wrong_is_named_with_its_line() {
        use LineError::*;
        let with = |tail: &str| reason(&format!("{SQUARE}{tail}"));
        assert_eq!(with("f 1 2 5"), (5, IndexOutOfRange { corner: 3, what: "vertex", index: 5, count: 4 }));
        assert_eq!(with("f 1 0 2"), (5, IndexOutOfRange { corner: 2, what: "vertex", index: 0, count: 4 }));
        assert_eq!(with("\nf 1 2 -5"), (6, IndexOutOfRange { corner: 3, what: "vertex", index: -5, count: 4 }));
        assert_eq!(with("f 1//1 2//1 3//1"), (5, IndexOutOfRange { corner: 1, what: "normal", index: 1, count: 0 }));
        assert_eq!(with("f 1 2 2"), (5, RepeatedVertex { vertex: 2 }));
        assert_eq!(with("f 1 2 -3"), (5, RepeatedVertex { vertex: 2 }));
        assert_eq!(with("f 1 2"), (5, FewCorners(2)));
        assert_eq!(with("f 1 2 3/"), (5, BadCorner("3/".into())));
        assert_eq!(with("f 1 2 x"), (5, BadCorner("x".into())));
        assert_eq!(with("f 1 2 99999999999999999999"), (5, BadCorner("99999999999999999999".into())));
        assert_eq!(with("f 1 3 2 4"), (5, Polygon(PolygonError::NoArea)));
        assert_eq!(with("v 2 0 0\nf 1 2 3\nf 1 2 5"), (7, ZeroArea([1, 2, 5])));
        assert_eq!(with("v nan 0 0"), (5, BadVertex { vertex: 5 }));
        assert_eq!(with("v 0 1e999 0"), (5, BadVertex { vertex: 5 }));
        assert_eq!(with("v 0 0"), (5, VertexLength(2)));
        assert_eq!(with("v 0 0 0 0 0"), (5, VertexLength(5)));
        assert_eq!(with("v 0 zero 0"), (5, NotANumber("zero".into())));
        assert_eq!(with("cstype bezier"), (5, FreeForm("cstype".into())));
        assert_eq!(with("hello"), (5, UnknownStatement("hello".into())));
        assert_eq!(with("f 1 2 \\"), (5, Unfinished));
        assert!(matches!(parse(SQUARE), Err(ObjError::Mesh { source: MeshError::Empty, .. })));
        assert!(matches!(parse(""), Err(ObjError::Mesh { source: MeshError::Empty, .. })));
        let message = parse(&format!("{SQUARE}f 1 2 5")).unwrap_err().to_string();
        assert_eq!(message, "model.obj, line 5: corner 3 uses vertex 5 of 4");
        let missing = load_obj("no/such/file.obj").unwrap_err().to_string();
        assert!(missing.starts_with("no/such/file.obj: "), "{missing}");
    }

    /// Words from which files are made that are often almost right.
    fn word() -> impl Strategy<Value = String> {
        let fixed = [
            "v",
            "v",
            "v",
            "f",
            "f",
            "f",
            "vn",
            "vt",
            "g",
            "usemtl",
            "s",
            "cstype",
            "l",
            "1",
            "2",
            "3",
            "-1",
            "-2",
            "-3",
            "0",
            "1//1",
            "1/2/3",
            "/",
            "//",
            "nan",
            "inf",
            "1e400",
            "-0",
            "0.5",
            "1e-320",
            "#",
            "\\",
            "\n",
            "\n",
            "\n",
            "\r\n",
            "9223372036854775807",
            "-9223372036854775808",
        ];
        prop_oneof![4 => prop::sample::select(fixed.to_vec()).prop_map(str::to_owned), 1 => (-2..3_i32).prop_map(|i| i.to_string())]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_obj(&*bytes, "bytes");
        }

        #[test]
        fn no_statements_make_the_reader_panic(words in prop::collection::vec(word(), 0..80)) {
            let result = parse(&words.join(" "));
            prop_assert!(!matches!(result, Err(ObjError::Parser { .. })), "{result:?}");
        }

        #[test]
        fn random_faces_over_random_places_give_a_mesh_or_a_line(
            places in prop::collection::vec([-2..=2, -2..=2, -1..=1_i32], 3..9),
            faces in prop::collection::vec(prop::collection::vec(-9..9_i32, 2..7), 1..5),
        ) {
            let mut text = String::new();
            for [x, y, z] in &places {
                text += &format!("v {x} {y} {z}\n");
            }
            for face in &faces {
                text += "f";
                for i in face {
                    text += &format!(" {i}");
                }
                text += "\n";
            }
            match parse(&text) {
                Ok(mesh) => prop_assert_eq!(&TriMesh::try_new(mesh.vertices().to_vec(), mesh.triangles().to_vec()).unwrap(), &mesh),
                Err(ObjError::Line { line, .. }) => prop_assert!(line > places.len() && line <= places.len() + faces.len()),
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
        }

        #[test]
        fn what_is_written_reads_back_bit_for_bit(digits in prop::collection::vec(-1.0..1.0_f64, 9), exponent in -70..30_i32) {
            let coordinates: Vec<f64> = digits.iter().map(|d| d * 10.0_f64.powi(exponent)).collect();
            let vertices = coordinates.chunks(3).map(|c| Point::new(c[0], c[1], c[2])).collect();
            if let Ok(mesh) = TriMesh::try_new(vertices, vec![[2, 0, 1]]) {
                let mut text = Vec::new();
                write_obj(&mesh, &mut text).unwrap();
                let back = parse_obj(&*text, "written").unwrap();
                prop_assert_eq!(back.triangles(), mesh.triangles());
                for (p, q) in back.vertices().iter().zip(mesh.vertices()) {
                    for k in 0..3 {
                        prop_assert_eq!(p[k].to_bits(), q[k].to_bits());
                    }
                }
            }
        }
    }
}
