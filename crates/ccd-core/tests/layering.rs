//! The layers of the crate: a module names only its own layer and the layers below it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on is to stop, in its helpers too")]

use std::path::{Path, PathBuf};

/// Rank of each top-level module; the same table as in `lib.rs`.
const RANKS: [(&str, u8); 16] = [
    ("math", 0),
    ("parallel", 0),
    ("volume", 0),
    ("tolerance", 0),
    ("id", 0),
    ("stats", 0),
    ("geometry", 1),
    ("bounds", 2),
    ("shape", 2),
    ("motion", 3),
    ("detection", 4),
    ("contact", 5),
    ("dynamics", 6),
    ("response", 7),
    ("world", 8),
    ("io", 8),
];

fn rank(module: &str) -> Option<u8> {
    RANKS.iter().find(|(name, _)| *name == module).map(|(_, rank)| *rank)
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The code, line for line, without comments and what is built for tests alone: these may look upwards.
fn code(text: &str) -> String {
    let mut end_of_test: Option<String> = None;
    let mut is_for_tests = false;
    let mut kept = |line: &str| {
        let indent = &line[..line.len() - line.trim_start().len()];
        if let Some(end) = &end_of_test {
            if line == end {
                end_of_test = None;
            }
            return false;
        }
        if line.trim_start().starts_with("#[cfg(test)]") {
            is_for_tests = true;
            return false;
        }
        if is_for_tests && !line.trim_start().starts_with('#') {
            is_for_tests = false;
            if line.trim_end().ends_with('{') {
                end_of_test = Some(format!("{indent}}}"));
            }
            return false;
        }
        !is_for_tests
    };
    let lines = text.lines().map(|line| if kept(line) { line.split("//").next().unwrap_or_default() } else { "" });
    lines.collect::<Vec<_>>().join("\n")
}

/// The entries of the group that begins after its opening brace, up to the closing one.
fn group_entries(group: &str) -> Vec<String> {
    let mut depth = 1;
    let mut entries = vec![String::new()];
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match (depth, c) {
            (0, _) => break,
            (1, ',') => entries.push(String::new()),
            _ => entries.last_mut().unwrap().push(c),
        }
    }
    entries
}

/// The top-level modules that a file names, after `crate::` or in `crate::{…}`, with their lines.
fn named_modules(text: &str) -> Vec<(usize, String)> {
    let code = code(text);
    let identifier = |s: &str| s.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for (at, prefix) in code.match_indices("crate::") {
        let line = code[..at].matches('\n').count() + 1;
        let after = &code[at + prefix.len()..];
        match after.strip_prefix('{') {
            Some(group) => names.extend(group_entries(group).iter().map(|entry| (line, identifier(entry)))),
            None => names.push((line, identifier(after))),
        }
    }
    names
}

/// What a file of layer `own` names of higher layers, with the lines.
fn violations(own: u8, text: &str) -> Vec<(usize, String)> {
    named_modules(text).into_iter().filter(|(_, name)| rank(name).is_some_and(|r| r > own)).collect()
}

#[test]
fn no_layer_names_a_higher_one() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let mut broken = Vec::new();
    let mut checked = 0;
    for file in &files {
        let inner = file.strip_prefix(&src).unwrap();
        let top = inner.components().next().unwrap().as_os_str().to_string_lossy();
        let module = top.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let own = rank(module).unwrap_or_else(|| panic!("{} has no layer: give `{module}` a rank", inner.display()));
        checked += 1;
        for (line, name) in violations(own, &std::fs::read_to_string(file).unwrap()) {
            broken.push(format!("src/{}:{line} (layer {own}) names crate::{name}", inner.display()));
        }
    }
    assert!(checked > 20, "the walk has found the sources");
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn the_check_sees_every_way_to_name_a_module() {
    let seen =
        |text: &str| violations(2, text).into_iter().map(|(line, name)| format!("{line} {name}")).collect::<Vec<_>>();
    assert_eq!(seen("use crate::math::Real;\nuse crate::world::World;"), ["2 world"]);
    assert_eq!(
        seen("use crate::{\n    geometry::{solid, mass},\n    motion::RigidMotion, contact,\n};"),
        ["1 motion", "1 contact"]
    );
    assert_eq!(seen("fn f() -> crate::detection::toc::Toc { g(crate::io::x) }"), ["1 detection", "1 io"]);
    assert_eq!(
        seen("pub(crate) use x; // crate::world\n/// [`crate::world`]\n#[cfg(test)]\nuse crate::world;"),
        Vec::<String>::new()
    );
}
