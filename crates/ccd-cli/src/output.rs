//! Where answers and remarks go.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;

use ccd_core::io::case::pretty_json;
use serde::Serialize;

use crate::failure::Failure;

/// Says on stderr why the command stops. If that cannot be written there is nobody left to tell.
pub(crate) fn complain(failure: &Failure) {
    remark(format_args!("ccd: {failure}"));
}

/// Says something to the person at the terminal, in one line.
pub(crate) fn remark(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", printable(&text.to_string()));
}

/// The text with what would steer a terminal written out: names are whatever a file says.
fn printable(text: &str) -> String {
    let mut printed = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            printed.extend(c.escape_default());
        } else {
            printed.push(c);
        }
    }
    printed
}

/// Lines of answers on stdout.
#[derive(Debug)]
pub(crate) struct Answers {
    out: std::io::BufWriter<std::io::StdoutLock<'static>>,
}

impl Answers {
    /// Takes stdout.
    pub(crate) fn new() -> Self {
        Self { out: std::io::BufWriter::new(std::io::stdout().lock()) }
    }

    /// Tells all of these, a line of JSON for each.
    pub(crate) fn tell(answers: &[impl Serialize]) -> Result<(), Failure> {
        let mut out = Self::new();
        answers.iter().try_for_each(|answer| out.json(answer))?;
        out.finish()
    }

    /// One line.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        writeln!(self.out, "{text}").map_err(Failure::Output)
    }

    /// One line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|e| Failure::Output(e.into()))?;
        self.line(text)
    }

    /// Hands everything over.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::Output)
    }
}

/// Writes a value as readable JSON, to `file` or to stdout.
pub(crate) fn write_report(value: &impl Serialize, file: Option<&Path>) -> Result<(), Failure> {
    let compact = serde_json::to_string(value).map_err(|e| Failure::Output(e.into()))?;
    let text = pretty_json(&compact)?;
    match file {
        Some(path) => std::fs::write(path, text).map_err(Failure::file(path)),
        None => std::io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::Output),
    }
}
