//! Files that a run writes: never ones that it reads.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use ccd_core::io::case::Case;

use super::Arguments;
use crate::failure::Failure;

/// Refuses to write the report or the poses over the case, over a file of its shapes, or over each other: what the user made would be
/// lost; and where there is no such folder, which should not come out after a long run.
pub(super) fn check(arguments: &Arguments, case: &Case, folder: &Path) -> Result<(), Failure> {
    let outputs = [("--report", &arguments.report), ("--poses", &arguments.poses)];
    let outputs = outputs.map(|(option, path)| path.as_deref().map(|path| (option, path)));
    let files = || case.bodies.iter().flat_map(|body| body.shape.files()).map(|file| folder.join(file));
    for (option, path) in outputs.into_iter().flatten() {
        let refused = |what: &str| Err(Failure::Arguments(format!("{option} {}: that is {what}", path.display())));
        if is_same(path, &arguments.case) {
            return refused("the case itself, which would be lost");
        }
        if files().any(|file| is_same(path, &file)) {
            return refused("a file of the case, which would be lost");
        }
        if path.is_dir() {
            return refused("a folder");
        }
        std::fs::metadata(folder_of(path)).map_err(Failure::file(path))?;
    }
    match outputs {
        [Some((_, report)), Some((_, poses))] if is_same(report, poses) => {
            Err(Failure::Arguments(format!("--report and --poses are the same file, {}", poses.display())))
        }
        _ => Ok(()),
    }
}

/// Finds out before a long run whether the report can be written after it, and leaves all as it was.
pub(super) fn try_to_write(path: &Path) -> Result<(), Failure> {
    let is_new = std::fs::symlink_metadata(path).is_err();
    // What is neither a file nor to be one, as a pipe, may be opened only once.
    if !is_new && !path.is_file() {
        return Ok(());
    }
    OpenOptions::new().append(true).create(true).open(path).map_err(Failure::file(path))?;
    if is_new { std::fs::remove_file(path).map_err(Failure::file(path)) } else { Ok(()) }
}

/// Whether two paths lead to one file, or would if it were there. What is not a regular file, as `/dev/null`, loses nothing.
fn is_same(one: &Path, other: &Path) -> bool {
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(a), Ok(b)) => a.is_file() && (is_one_file(&a, &b) || place(one) == place(other)),
        (Err(_), Err(_)) => place(one) == place(other),
        _ => false,
    }
}

/// Whether they are two names of one file.
#[cfg(unix)]
fn is_one_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_one_file(_: &std::fs::Metadata, _: &std::fs::Metadata) -> bool {
    false
}

/// The path without links and detours, as far as it exists.
fn place(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| {
        let folder = folder_of(path);
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        path.file_name().map_or_else(|| path.to_owned(), |name| folder.join(name))
    })
}

/// The folder that the path is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}
