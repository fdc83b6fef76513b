//! A thin layer over `serde_json` that remembers where each value stands.
//!
//! Problem: serde's tagged enums and flattened structs forget line numbers, and an error without its line is no help in
//! a file of a thousand bodies. Idea: `serde_json` checks the whole text once, and hands out each value as a slice
//! of that text; the slice's place in the text is its offset, hence its line. Readers then walk the slices by key.
//! Limits: a value is scanned once per level of nesting, so reading is O(length × depth).

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::{CaseError, CaseReason};
use super::names::Named;
use crate::math::Real;

/// The most characters of a value that an error repeats.
const SHOWN: usize = 40;

/// The largest size of a number in a case file: beyond anything physical in SI units, and small enough that products of
/// six such numbers (a moment of inertia of a huge, heavy body) do not overflow.
const LARGEST: Real = 1e30;

/// A text with the places of its lines.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    file: &'a Path,
    text: &'a str,
    /// The number of the text's first line in the file.
    first_line: usize,
    /// The offsets at which the second and later lines start.
    line_starts: Vec<usize>,
}

impl<'a> Source<'a> {
    /// The text of a whole file.
    pub(crate) fn new(file: &'a Path, text: &'a str) -> Self {
        Self::from_line(file, text, 1)
    }

    /// A text that starts on line `first_line` of its file.
    pub(crate) fn from_line(file: &'a Path, text: &'a str, first_line: usize) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line_starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1).collect();
        Self { file, text, first_line, line_starts }
    }

    /// The value that the text is.
    pub(crate) fn root(&self) -> Result<Node<'_>, CaseError> {
        let raw: &RawValue = serde_json::from_str(self.text).map_err(|e| {
            let line = self.first_line + e.line().saturating_sub(1);
            CaseError::at(self.file, Some(line), None, CaseReason::Syntax(without_place(&e)))
        })?;
        Ok(Node { source: self, raw: raw.get(), path: String::new() })
    }

    fn line_of(&self, slice: &str) -> usize {
        // Every slice that `serde_json` hands out lies within the text, so the difference of addresses is its offset.
        let offset = (slice.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.first_line + self.line_starts.partition_point(|start| *start <= offset)
    }
}

/// The message of `error` without its own "at line … column …", which counts from the slice and not from the file.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => format!("{} (column {})", &text[..end], error.column()),
        None => text,
    }
}

/// One value of the text, with its place and the path of keys that leads to it.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    source: &'a Source<'a>,
    raw: &'a str,
    path: String,
}

impl<'a> Node<'a> {
    /// The line on which the value starts, counted from one.
    pub(crate) fn line(&self) -> usize {
        self.source.line_of(self.raw)
    }

    /// The value as it stands in the text.
    pub(crate) fn raw(&self) -> &'a str {
        self.raw
    }

    /// The same value under another path, for paths that start at a body.
    pub(crate) fn with_path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// An error at this value.
    pub(crate) fn fail(&self, reason: CaseReason) -> CaseError {
        CaseError::at(self.source.file, Some(self.line()), Some(&self.path), reason)
    }

    /// The error that something else than `expected` stands here.
    pub(crate) fn expected(&self, expected: impl Into<String>) -> CaseError {
        self.fail(CaseReason::Value { expected: expected.into(), found: self.shown() })
    }

    fn shown(&self) -> String {
        // On one line, however many it stands on.
        let whole = self.raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let kept: String = whole.chars().take(SHOWN).collect();
        if kept.len() < whole.len() { format!("{kept}…") } else { kept }
    }

    /// Whether the value is `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.raw == "null"
    }

    /// Whether the value is an array.
    pub(crate) fn is_array(&self) -> bool {
        self.raw.starts_with('[')
    }

    /// Whether the value is an object.
    pub(crate) fn is_object(&self) -> bool {
        self.raw.starts_with('{')
    }

    /// Whether the value is a string.
    pub(crate) fn is_text(&self) -> bool {
        self.raw.starts_with('"')
    }

    /// The value as a finite number, of a size that arithmetic can bear.
    pub(crate) fn number(&self) -> Result<Real, CaseError> {
        self.number_that("a finite number (of size 1e30 at most)", |_| true)
    }

    /// The value as such a number for which `allowed` holds too; `expected` says what that is.
    pub(crate) fn number_that(&self, expected: &str, allowed: impl Fn(Real) -> bool) -> Result<Real, CaseError> {
        // JSON's grammar of numbers is within Rust's, and is checked already; beyond the range Rust answers infinity.
        let is_number = self.raw.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        match self.raw.parse::<Real>() {
            Ok(x) if is_number && x.abs() <= LARGEST && allowed(x) => Ok(x),
            _ => Err(self.expected(expected)),
        }
    }

    /// The value as a finite number above zero.
    pub(crate) fn positive(&self) -> Result<Real, CaseError> {
        self.number_that("a finite number above zero (1e30 at most)", |x| x > 0.0)
    }

    /// The value as a finite number of at least zero.
    pub(crate) fn non_negative(&self) -> Result<Real, CaseError> {
        self.number_that("a finite number of at least zero (1e30 at most)", |x| x >= 0.0)
    }

    /// The value as a whole number of at least zero, however it is spelt: 5, 5.0, 5e0.
    pub(crate) fn whole(&self) -> Result<u64, CaseError> {
        /// Up to here every whole number is an `f64`.
        const EXACT: Real = (1_u64 << f64::MANTISSA_DIGITS) as Real;
        let expected = "a whole number of at least zero";
        serde_json::from_str(self.raw).or_else(|_| {
            let number = self.number_that(expected, |x| x.fract() == 0.0 && (0.0..=EXACT).contains(&x))?;
            Ok(number as u64)
        })
    }

    /// The value as `true` or `false`.
    pub(crate) fn flag(&self) -> Result<bool, CaseError> {
        serde_json::from_str(self.raw).map_err(|_| self.expected("true or false"))
    }

    /// The value as a text.
    pub(crate) fn text(&self) -> Result<String, CaseError> {
        serde_json::from_str(self.raw).map_err(|_| self.expected("a text"))
    }

    /// The value as one of the names of `table`.
    pub(crate) fn one_of<T: Copy>(&self, table: &[(&str, T)]) -> Result<T, CaseError> {
        let named = self.text().ok().and_then(|text| table.iter().find(|(name, _)| *name == text));
        named.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<_> = table.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            self.expected(format!("one of {}", names.join(", ")))
        })
    }

    /// A value by its name.
    pub(crate) fn named<T: Named>(&self) -> Result<T, CaseError> {
        self.one_of(T::NAMES)
    }

    /// The values of an array.
    pub(crate) fn items(&self) -> Result<Vec<Node<'a>>, CaseError> {
        let raw: Vec<&'a RawValue> = serde_json::from_str(self.raw).map_err(|_| self.expected("an array"))?;
        let node = |(i, raw): (usize, &'a RawValue)| Node {
            source: self.source,
            raw: raw.get(),
            path: format!("{}[{i}]", self.path),
        };
        Ok(raw.into_iter().enumerate().map(node).collect())
    }

    /// An array of exactly `N` values, each read by `read`; `expected` says what the array is.
    pub(crate) fn array<const N: usize, T>(
        &self,
        expected: &str,
        read: impl Fn(&Node<'a>) -> Result<T, CaseError>,
    ) -> Result<[T; N], CaseError> {
        let items = if self.is_array() { self.items()? } else { Vec::new() };
        if items.len() != N {
            return Err(self.expected(expected));
        }
        let values: Vec<T> = items.iter().map(read).collect::<Result<_, _>>()?;
        values.try_into().map_err(|_| self.expected(expected))
    }

    /// Three finite numbers.
    pub(crate) fn vector(&self) -> Result<[Real; 3], CaseError> {
        self.array("an array of three numbers", Node::number)
    }

    /// Three finite numbers that are not all zero.
    pub(crate) fn direction(&self) -> Result<[Real; 3], CaseError> {
        let v = self.vector()?;
        // A direction whose length over- or underflows cannot be made a unit vector.
        let norm = v.iter().fold(0.0, |sum, x| sum + x * x);
        if norm.is_normal() { Ok(v) } else { Err(self.expected("a direction: three numbers, not all zero")) }
    }

    /// Three finite numbers above zero.
    pub(crate) fn sizes(&self) -> Result<[Real; 3], CaseError> {
        self.array("an array of three numbers above zero", Node::positive)
    }

    /// The keys and values of an object.
    pub(crate) fn fields(&self) -> Result<Fields<'a>, CaseError> {
        if !self.raw.starts_with('{') {
            return Err(self.expected("an object"));
        }
        let mut deserializer = serde_json::Deserializer::from_str(self.raw);
        let entries =
            deserializer.deserialize_map(Entries).map_err(|e| self.fail(CaseReason::Syntax(without_place(&e))))?;
        let mut fields = Fields { node: self.clone(), entries: Vec::with_capacity(entries.len()), known: None };
        let mut seen = BTreeSet::new();
        for (key_raw, raw) in entries {
            let key: String = serde_json::from_str(key_raw.get()).unwrap_or_else(|_| key_raw.get().to_owned());
            let path = self.path_of(&key);
            let at_key = Node { source: self.source, raw: key_raw.get(), path: path.clone() };
            if !seen.insert(key.clone()) {
                return Err(at_key.fail(CaseReason::DuplicateKey));
            }
            let value = Node { source: self.source, raw: raw.get(), path };
            fields.entries.push(Entry { key, at_key, value, used: Cell::new(false) });
        }
        Ok(fields)
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// One key of an object with its value.
#[derive(Debug)]
struct Entry<'a> {
    key: String,
    at_key: Node<'a>,
    value: Node<'a>,
    used: Cell<bool>,
}

/// The keys and values of an object, which are taken one by one.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    node: Node<'a>,
    entries: Vec<Entry<'a>>,
    /// The keys that may stand in the object, once that is known.
    known: Option<&'static [&'static str]>,
}

impl<'a> Fields<'a> {
    /// Refuses the first key that is not in `known`.
    ///
    /// To be called before any key is missed: a key that is spelt wrong is also a key that is missing, and it is the
    /// spelling that the user must see.
    pub(crate) fn only(mut self, known: &'static [&'static str]) -> Result<Self, CaseError> {
        match self.entries.iter().find(|e| !known.contains(&e.key.as_str())) {
            None => {
                self.known = Some(known);
                Ok(self)
            }
            Some(entry) => Err(entry.at_key.fail(CaseReason::UnknownKey { known: known.join(", ") })),
        }
    }

    /// The value of `key`, if it is given.
    pub(crate) fn optional(&self, key: &'static str) -> Option<Node<'a>> {
        debug_assert!(self.known.is_none_or(|known| known.contains(&key)), "`{key}` is read but not listed as known");
        let entry = self.entries.iter().find(|e| e.key == key)?;
        entry.used.set(true);
        Some(entry.value.clone())
    }

    /// The value of `key`.
    pub(crate) fn required(&self, key: &'static str) -> Result<Node<'a>, CaseError> {
        self.optional(key).ok_or_else(|| self.missing(key))
    }

    /// The error that `key` is not given.
    pub(crate) fn missing(&self, key: &str) -> CaseError {
        let path = self.node.path_of(key);
        CaseError::at(self.node.source.file, Some(self.node.line()), Some(&path), CaseReason::MissingKey)
    }

    /// The value of `key` as `read` reads it, or `default`.
    pub(crate) fn or<T>(
        &self,
        key: &'static str,
        default: T,
        read: impl FnOnce(&Node<'a>) -> Result<T, CaseError>,
    ) -> Result<T, CaseError> {
        self.optional(key).map_or(Ok(default), |node| read(&node))
    }

    /// The value of `key` as `read` reads it, if it is given.
    pub(crate) fn maybe<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Node<'a>) -> Result<T, CaseError>,
    ) -> Result<Option<T>, CaseError> {
        self.optional(key).map(|node| read(&node)).transpose()
    }

    /// The keys that nobody asked for, with their values.
    pub(crate) fn left_over(&self) -> impl Iterator<Item = (&str, &Node<'a>)> {
        self.entries.iter().filter(|e| !e.used.get()).map(|e| (e.key.as_str(), &e.value))
    }
}

/// Reads an object's keys and values as slices of the text, in order.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}
