//! Writes a case as text that is pleasant to read and to compare: short values on one line, one body after another.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use super::error::{CaseError, CaseReason};
use super::json::{Node, Source};
use super::{Case, FORMAT};

/// The most characters of a value that stays on one line.
const LINE: usize = 110;

/// The case with the key that names its format.
#[derive(Serialize)]
struct Headed<'a> {
    format: &'static str,
    #[serde(flatten)]
    case: &'a Case,
}

/// The text of a case file.
pub(super) fn text(case: &Case) -> Result<String, CaseError> {
    let refuse = |e: serde_json::Error| CaseError::of_file(Path::new(""), CaseReason::Syntax(e.to_string()));
    let compact = serde_json::to_string(&Headed { format: FORMAT, case }).map_err(refuse)?;
    pretty_json(&compact)
}

/// The same JSON with line breaks where a value is long: long arrays of plain values fill their lines.
///
/// # Errors
/// [`CaseError`] if the text is not JSON.
pub fn pretty_json(compact: &str) -> Result<String, CaseError> {
    let source = Source::new(Path::new(""), compact);
    let mut out = String::with_capacity(compact.len() + compact.len() / 4);
    write_node(&source.root()?, 0, &mut out)?;
    out.push('\n');
    Ok(out)
}

fn write_node(node: &Node<'_>, indent: usize, out: &mut String) -> Result<(), CaseError> {
    let raw = node.raw();
    let (open, close) = match raw.as_bytes().first() {
        Some(b'{') => ('{', '}'),
        Some(b'[') => ('[', ']'),
        _ => {
            out.push_str(raw);
            return Ok(());
        }
    };
    let is_short = indent > 0 && raw.len() <= LINE;
    let parts: Vec<(Option<String>, Node<'_>)> = if open == '{' {
        node.fields()?.left_over().map(|(key, value)| (Some(key.to_owned()), value.clone())).collect()
    } else {
        node.items()?.into_iter().map(|value| (None, value)).collect()
    };
    let is_plain = open == '[' && parts.iter().all(|(_, value)| !value.is_array() && !value.is_object());
    let mut line_start = out.len();
    out.push(open);
    for (i, (key, value)) in parts.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        let fits = i > 0 && is_plain && out.len() - line_start + value.raw().len() < LINE;
        if !is_short && !fits {
            line_start = out.len();
            new_line(indent + 1, out);
        } else if i > 0 {
            out.push(' ');
        }
        if let Some(key) = key {
            out.push_str(&serde_json::Value::from(key.as_str()).to_string());
            out.push_str(": ");
        }
        write_node(value, indent + 1, out)?;
    }
    if !is_short && !parts.is_empty() {
        new_line(indent, out);
    }
    out.push(close);
    Ok(())
}

fn new_line(indent: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", indent));
}

/// The path `file`, relative to the folder `from`, as a path relative to the folder `to`.
pub(super) fn rebased(file: &str, from: &Path, to: &Path) -> String {
    if Path::new(file).is_absolute() {
        return file.to_owned();
    }
    let target = normal(&from.join(file));
    let base = normal(to);
    let text = |path: PathBuf| path.to_string_lossy().replace('\\', "/");
    if target.is_absolute() != base.is_absolute() {
        // One of them hangs from the working folder and the other from the root: only the whole path says it.
        return text(whole(&target).unwrap_or(target));
    }
    if let Some(path) = way(&base, &target) {
        return text(path);
    }
    // Up from the base and down again leads through folders that only the whole paths name.
    let path = whole(&base).zip(whole(&target)).and_then(|(base, target)| way(&base, &target));
    text(path.or_else(|| whole(&target)).unwrap_or(target))
}

/// The way from one folder to a file, both from the root or both from the working folder; `None` where a `..` of the first has no name here.
fn way(from: &Path, to: &Path) -> Option<PathBuf> {
    let shared = to.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|c| (c != Component::ParentDir).then_some(Component::ParentDir));
    up.chain(to.components().skip(shared).map(Some)).collect()
}

/// The path from the root.
fn whole(path: &Path) -> Option<PathBuf> {
    std::path::absolute(path).ok().map(|path| normal(&path))
}

/// The path without `.` and with `..` taken off what stands before it.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
