//! Files of bicubic Bézier patches.
//!
//! The layout is that in which the teapot has been handed around since Newell: the number of patches; for each patch the
//! numbers of its sixteen control points, counted from 1; the number of points; for each point x, y, z in metres. Numbers are separated by
//! commas or blanks; what follows a `#` is a comment.
//!
//! ```text
//! 1                                   # patches
//! 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
//! 16                                  # points
//! 0.0,0.0,0.0
//! …
//! ```
//!
//! Number 4 i + j + 1 of a patch is its control point (i, j); its outward side is that of ∂u × ∂v, where i counts along u.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::geometry::parametric::{BezierPatch, PatchError, PatchSurface};
use crate::math::{Point, Real, Shortest};

/// Why a file is no surface of patches.
#[derive(Debug, thiserror::Error)]
pub enum PatchFileError {
    /// The file cannot be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line does not hold what it should.
    #[error("{}, line {line}: {reason}", file.display())]
    Line {
        /// Which file.
        file: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        reason: PatchLineError,
    },
    /// The patches make no surface.
    #[error("{}: {source}", file.display())]
    Surface {
        /// Which file.
        file: PathBuf,
        /// Why.
        source: PatchError,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PatchLineError {
    /// The file ends too soon.
    #[error("the file ends where {wanted} is due")]
    Ends {
        /// What should stand there.
        wanted: String,
    },
    /// Something else stands there.
    #[error("`{found}` stands where {wanted} is due")]
    Unexpected {
        /// As it stands.
        found: String,
        /// What should stand there.
        wanted: String,
    },
    /// A patch names a point that is not there.
    #[error("patch {patch} names point {number} of {count}")]
    NoSuchPoint {
        /// From 1.
        patch: usize,
        /// As it stands.
        number: usize,
        /// How many points there are.
        count: usize,
    },
    /// A number of points or patches that no file of this size can hold.
    #[error("{count} {what} are more than the rest of the file can hold")]
    TooMany {
        /// As it stands.
        count: usize,
        /// `patches` or `points`.
        what: &'static str,
    },
    /// Something stands behind the last point.
    #[error("`{found}` stands behind the last point")]
    Trailing {
        /// As it stands.
        found: String,
    },
}

/// Reads a file of patches.
///
/// # Errors
/// [`PatchFileError`] names file and line.
pub fn load_patches(path: impl AsRef<Path>) -> Result<PatchSurface, PatchFileError> {
    let file = path.as_ref();
    let text = std::fs::read_to_string(file).map_err(|source| PatchFileError::Io { file: file.into(), source })?;
    read_patches(&text, file)
}

/// Reads patches from `text`, which errors say is of `file`.
///
/// # Errors
/// [`PatchFileError`] names file and line.
pub fn read_patches(text: &str, file: &Path) -> Result<PatchSurface, PatchFileError> {
    // A mark of the byte order is no part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let patches = parse(text).map_err(|(line, reason)| PatchFileError::Line { file: file.into(), line, reason })?;
    PatchSurface::new(patches).map_err(|source| PatchFileError::Surface { file: file.into(), source })
}

type At<T> = Result<T, (usize, PatchLineError)>;

fn parse(text: &str) -> At<Vec<BezierPatch>> {
    let mut words = Words::new(text);
    let patch_count = words.count("patches")?;
    let mut numbers = Vec::new();
    for patch in 1..=patch_count {
        let mut of_patch = [(0, 0); 16];
        for (k, number) in of_patch.iter_mut().enumerate() {
            *number = words.whole(&|| format!("the number of point {} of patch {patch}", k + 1))?;
        }
        numbers.push(of_patch);
    }
    let point_count = words.count("points")?;
    let mut points = Vec::new();
    for point in 1..=point_count {
        let mut at = [0.0; 3];
        for (x, axis) in at.iter_mut().zip(["x", "y", "z"]) {
            *x = words.real(&|| format!("{axis} of point {point}"))?;
        }
        points.push(Point::from(at));
    }
    if let Some((line, found)) = words.next() {
        return Err((line, PatchLineError::Trailing { found: found.to_owned() }));
    }
    let place = |patch: usize, (line, number): (usize, usize)| {
        let found = number.checked_sub(1).and_then(|k| points.get(k));
        found.copied().ok_or((line, PatchLineError::NoSuchPoint { patch, number, count: point_count }))
    };
    let patch = |(k, numbers): (usize, &[(usize, usize); 16])| -> At<BezierPatch> {
        let mut control = [Point::origin(); 16];
        for (p, number) in control.iter_mut().zip(numbers) {
            *p = place(k + 1, *number)?;
        }
        Ok(BezierPatch::new(control))
    };
    numbers.iter().enumerate().map(patch).collect()
}

/// The words of a text with the lines they are on.
struct Words<'t> {
    words: std::iter::Peekable<std::vec::IntoIter<(usize, &'t str)>>,
    last_line: usize,
}

impl<'t> Words<'t> {
    fn new(text: &'t str) -> Self {
        let of_line = |(line, text): (usize, &'t str)| {
            let content = text.split('#').next().unwrap_or("");
            let words = content.split(|c: char| c == ',' || c.is_whitespace()).filter(|w| !w.is_empty());
            words.map(move |word| (line + 1, word)).collect::<Vec<_>>()
        };
        let words: Vec<_> = text.lines().enumerate().flat_map(of_line).collect();
        Self { words: words.into_iter().peekable(), last_line: text.lines().count().max(1) }
    }

    fn next(&mut self) -> Option<(usize, &'t str)> {
        self.words.next()
    }

    fn read<T: std::str::FromStr>(&mut self, wanted: &dyn Fn() -> String) -> At<(usize, T)> {
        let Some((line, word)) = self.next() else {
            return Err((self.last_line, PatchLineError::Ends { wanted: wanted() }));
        };
        match word.parse() {
            Ok(value) => Ok((line, value)),
            Err(_) => Err((line, PatchLineError::Unexpected { found: word.to_owned(), wanted: wanted() })),
        }
    }

    fn whole(&mut self, wanted: &dyn Fn() -> String) -> At<(usize, usize)> {
        self.read(wanted)
    }

    fn real(&mut self, wanted: &dyn Fn() -> String) -> At<Real> {
        let (line, value): (usize, Real) = self.read(wanted)?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err((
                line,
                PatchLineError::Unexpected { found: value.to_string(), wanted: format!("a finite {}", wanted()) },
            ))
        }
    }

    /// How many of something follow: never more than there are words.
    fn count(&mut self, what: &'static str) -> At<usize> {
        let (line, count) = self.whole(&|| format!("the number of {what}"))?;
        if count > self.words.len() {
            return Err((line, PatchLineError::TooMany { count, what }));
        }
        Ok(count)
    }
}

/// The text of a file of patches: points that are equal to the last bit are written once, so that a watertight surface
/// stays one.
pub fn write_patches(surface: &PatchSurface) -> String {
    let mut numbers: BTreeMap<[u64; 3], usize> = BTreeMap::new();
    let mut points: Vec<Point> = Vec::new();
    let mut text = format!("{}\n", surface.patches().len());
    for patch in surface.patches() {
        let row: Vec<String> = patch
            .control()
            .iter()
            .map(|p| {
                let key = [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
                let number = *numbers.entry(key).or_insert_with(|| {
                    points.push(*p);
                    points.len()
                });
                number.to_string()
            })
            .collect();
        text.push_str(&row.join(","));
        text.push('\n');
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", points.len());
    for p in points {
        let [x, y, z] = [p.x, p.y, p.z].map(|x| Shortest(x + 0.0));
        let _ = writeln!(text, "{x},{y},{z}");
    }
    text
}

/// Writes a file of patches.
///
/// # Errors
/// [`PatchFileError::Io`].
pub fn save_patches(surface: &PatchSurface, path: impl AsRef<Path>) -> Result<(), PatchFileError> {
    let file = path.as_ref();
    std::fs::write(file, write_patches(surface)).map_err(|source| PatchFileError::Io { file: file.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat() -> String {
        let points: Vec<String> = (0..16).map(|k| format!("{}, {}, 0.5", k / 4, k % 4)).collect();
        format!("# a square\n1\n1,2,3,4,5,6,7,8\n9 10 11 12 13 14 15 16\n16\n{}\n", points.join("\n"))
    }

    fn error_of(text: &str) -> String {
        read_patches(text, Path::new("a.patches")).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_reads_back_to_the_same_bits() {
        let surface = read_patches(&flat(), Path::new("a.patches")).unwrap();
        assert_eq!(surface.patches().len(), 1);
        assert_eq!(surface.patches()[0].control()[6], Point::new(1.0, 2.0, 0.5));
        let odd = surface.scaled(&crate::math::Vector::new(1.0 / 3.0, -0.1, 1e-17)).unwrap();
        assert_eq!(read_patches(&write_patches(&odd), Path::new("a.patches")).unwrap(), odd);
        let marked = format!("\u{feff}{}", flat());
        assert_eq!(
            read_patches(&marked, Path::new("a.patches")).unwrap(),
            surface,
            "a mark of the byte order is no text"
        );
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        assert_eq!(error_of(""), "a.patches, line 1: the file ends where the number of patches is due");
        let text = flat();
        assert!(error_of(&text.replace("9 10", "9 x")).starts_with("a.patches, line 4: `x` stands where"));
        assert!(error_of(&text.replace("9 10", "9 17")).starts_with("a.patches, line 4: patch 1 names point 17 of 16"));
        assert!(error_of(&text.replace("9 10", "9 0")).contains("names point 0"));
        assert!(
            error_of(&text.replace("3, 3, 0.5", "3, nan, 0.5"))
                .starts_with("a.patches, line 21: `NaN` stands where a finite y")
        );
        assert!(error_of(&text.replace("3, 3, 0.5\n", "")).contains("x of point 16"));
        assert!(error_of(&format!("{text}\n7")).ends_with("`7` stands behind the last point"));
        assert!(error_of("99999999999999").contains("more than the rest of the file can hold"));
        assert!(error_of("1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0").contains("all control points coincide"));
        assert!(error_of("0 0").contains("there is no patch"));
        assert!(load_patches("nowhere.patches").unwrap_err().to_string().starts_with("nowhere.patches: "));
    }
}
