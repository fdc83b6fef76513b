//! What can be wrong with a case file, and where.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a case file (or a line of queries) was refused, and where: file, line, key, body.
///
/// ```text
/// slope.json, line 9, body "gear", key "shape.radius": must be a positive number, is -1
/// ```
#[derive(Debug)]
pub struct CaseError {
    // Boxed, so that a `Result` of the many small readers stays small.
    at: Box<Place>,
    reason: Box<CaseReason>,
}

/// Where in a case file.
#[derive(Clone, Debug, Default)]
struct Place {
    file: PathBuf,
    line: Option<usize>,
    key: Option<String>,
    body: Option<String>,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseReason {
    /// The file cannot be read or written.
    #[error("{0}")]
    File(std::io::Error),
    /// The text is not UTF-8.
    #[error("the text is not UTF-8")]
    NotUtf8,
    /// The text is not JSON.
    #[error("not valid JSON: {0}")]
    Syntax(String),
    /// A key that the format does not have at this place.
    #[error("unknown key (known here: {known})")]
    UnknownKey {
        /// The keys that may stand here.
        known: String,
    },
    /// A key that stands twice in one object.
    #[error("the key is given twice")]
    DuplicateKey,
    /// A key that must be given and is not.
    #[error("the key is missing")]
    MissingKey,
    /// A value of another type, or outside what it may be.
    #[error("must be {expected}, is {found}")]
    Value {
        /// What may stand here.
        expected: String,
        /// What stands here, shortened.
        found: String,
    },
    /// A body's name that another body has already.
    #[error("another body has that name, on line {first_line}")]
    DuplicateBody {
        /// Where the name stands first.
        first_line: usize,
    },
    /// A name that no body has.
    #[error("no body is named \"{name}\"")]
    UnknownBody {
        /// As given.
        name: String,
    },
    /// Values that contradict each other.
    #[error("{0}")]
    Contradiction(String),
    /// A mesh file that cannot be used.
    #[error("{0}")]
    Mesh(String),
    /// A solid, mass or world that the values cannot make.
    #[error("{0}")]
    Refused(String),
    /// Part of the format that the library does not run.
    #[error("not supported yet: {what}")]
    Unsupported {
        /// The part, as the file names it.
        what: String,
    },
}

impl CaseError {
    /// An error that belongs to the whole of `file`.
    pub(crate) fn of_file(file: &Path, reason: CaseReason) -> Self {
        Self::at(file, None, None, reason)
    }

    pub(crate) fn at(file: &Path, line: Option<usize>, key: Option<&str>, reason: CaseReason) -> Self {
        let key = key.filter(|k| !k.is_empty()).map(str::to_owned);
        Self { at: Box::new(Place { file: file.to_owned(), line, key, body: None }), reason: Box::new(reason) }
    }

    /// The same error, said to be of the body `name` unless one is named already.
    #[must_use]
    pub(crate) fn of_body(mut self, name: &str) -> Self {
        self.at.body.get_or_insert_with(|| name.to_owned());
        self
    }

    /// The same error, placed on `line` unless it has a line, or the line is none.
    #[must_use]
    pub(crate) fn on_line(mut self, line: usize) -> Self {
        self.at.line = self.at.line.or((line > 0).then_some(line));
        self
    }

    /// The same error, its key taken to be relative to `parent`.
    #[must_use]
    pub(crate) fn under(mut self, parent: &str) -> Self {
        self.at.key = Some(self.at.key.map_or_else(|| parent.to_owned(), |key| format!("{parent}.{key}")));
        self
    }

    /// The same error, which is of something at `key` on `line` of `file`.
    #[must_use]
    pub fn placed(self, file: &Path, line: usize, key: &str) -> Self {
        self.under(key).on_line(line).in_file(file)
    }

    /// The same error, placed in `file`.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Self {
        file.clone_into(&mut self.at.file);
        self
    }

    /// The file that is wrong; empty for a text that came from none.
    pub fn file(&self) -> &Path {
        &self.at.file
    }

    /// The line, counted from one, where it is known.
    pub fn line(&self) -> Option<usize> {
        self.at.line
    }

    /// The key, as a path from the top of the file or from the body: `world.dt`, `shape.radius`.
    pub fn key(&self) -> Option<&str> {
        self.at.key.as_deref()
    }

    /// The body concerned, where there is one.
    pub fn body(&self) -> Option<&str> {
        self.at.body.as_deref()
    }

    /// What is wrong there.
    pub fn reason(&self) -> &CaseReason {
        &self.reason
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.file.as_os_str().is_empty() {
            write!(f, "case")?;
        } else {
            write!(f, "{}", self.at.file.display())?;
        }
        if let Some(line) = self.at.line {
            write!(f, ", line {line}")?;
        }
        if let Some(body) = &self.at.body {
            write!(f, ", body \"{body}\"")?;
        }
        if let Some(key) = &self.at.key {
            write!(f, ", key \"{key}\"")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for CaseError {}
