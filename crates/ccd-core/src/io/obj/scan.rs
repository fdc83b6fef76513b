//! Reading statements, with their lines, before the parser sees them.

use super::LineError;
use crate::math::{Point, Real, is_finite};

/// A statement with the line it starts on.
pub(super) struct Statement {
    pub(super) line: usize,
    text: Result<String, LineError>,
}

/// The statements of a file: comments taken off, continued lines joined, empty ones left out.
pub(super) fn statements(bytes: &[u8]) -> impl Iterator<Item = Statement> + '_ {
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

/// What the file has said so far, for [`super::parse_obj`].
#[derive(Default)]
pub(super) struct Scan {
    pub(super) positions: Vec<Point>,
    texture_coordinates: usize,
    normals: usize,
    /// The line of each face.
    pub(super) face_lines: Vec<usize>,
    /// The vertices and faces, found good, for the parser.
    pub(super) checked: Vec<u8>,
}

impl Scan {
    pub(super) fn read(&mut self, statement: &Statement) -> Result<(), LineError> {
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
        if !is_finite(&place.coords) {
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
