//! Files: OBJ models and case files.

pub mod case;
pub mod expect;
pub mod obj;
pub mod patches;

use std::path::{Path, PathBuf};

/// The most numbers that are tried for a name that is taken.
const MOST_NUMBERS: u32 = 100_000;

/// Names for a file that is to replace none: `path` itself, then the same with a number from two on, as in `tower-2.json`. They come to an end.
pub fn numbered(path: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    let others = (2..=MOST_NUMBERS).map(move |number| path.with_file_name(format!("{stem}-{number}{extension}")));
    std::iter::once(path.to_owned()).chain(others)
}
