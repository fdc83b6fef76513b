//! Why a command could not do what it was asked.

use std::path::{Path, PathBuf};

use ccd_core::io::case::CaseError;

/// Bad input, or output that cannot be written: exit code 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A case or query that is wrong.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// A model that is wrong; the text names file and line.
    #[error("{0}")]
    Model(String),
    /// A file that cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A line of a table that is wrong.
    #[error("{}, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from one.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A world that cannot be stepped.
    #[error("{}, step {step}: {reason}", path.display())]
    Step {
        /// The case.
        path: PathBuf,
        /// Counted from one.
        step: u64,
        /// Why.
        reason: String,
    },
    /// Arguments that ask for what there is not.
    #[error("{0}")]
    Arguments(String),
    /// Standard output cannot be written.
    #[error("cannot write the answer: {0}")]
    Output(std::io::Error),
}

impl Failure {
    /// Whether nobody reads the answers any more.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(e) if e.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// The failure to read or write `path`.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File { path, error }
    }

    /// The failure of line `line` of `path`.
    pub(crate) fn line(path: &Path, line: usize, reason: impl Into<String>) -> Self {
        Self::Line { path: path.to_owned(), line, reason: reason.into() }
    }
}

/// The text of the file at `path`, without a mark of the byte order.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let mut bytes = std::fs::read(path).map_err(Failure::file(path))?;
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(.."\u{feff}".len());
    }
    String::from_utf8(bytes).map_err(|e| {
        let before = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes().iter().take(before).filter(|b| **b == b'\n').count();
        Failure::line(path, line, "the text is not UTF-8")
    })
}
