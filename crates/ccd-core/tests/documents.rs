//! The pages of the project: what they link to, the files and tests that they name, and the code that they show, are there.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on is to stop, in its helpers too")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All files below a folder whose names end so, but for what is built.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if entry.is_dir() && name != "target" && !name.starts_with('.') {
            found.extend(files(&entry, ending));
        } else if name.ends_with(ending) {
            found.push(entry);
        }
    }
    found
}

/// The README and the pages of `docs`, with their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let mut paths = files(&root().join("docs"), ".md");
    paths.push(root().join("README.md"));
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// The paths and texts of all sources.
fn sources() -> Vec<(String, String)> {
    let root = root();
    let relative = |path: &Path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
    files(&root, ".rs").iter().map(|path| (relative(path), fs::read_to_string(path).unwrap())).collect()
}

/// What stands between one mark and the next.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    text.split(open).skip(1).filter_map(|rest| rest.split_once(close).map(|(inside, _)| inside)).collect()
}

/// What stands in backticks, of text outside of blocks of code.
fn code_words(text: &str) -> Vec<String> {
    let prose: String = text.split("```").step_by(2).collect();
    prose.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_link_leads_to_a_file() {
    let mut seen = 0;
    for (path, text) in pages() {
        for target in between(&text, "](", ")") {
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.starts_with("http") {
                continue;
            }
            seen += 1;
            assert!(path.parent().unwrap().join(file).exists(), "{}: {target}", path.display());
        }
    }
    assert!(seen > 50, "{seen} links");
}

#[test]
fn every_source_file_that_a_page_names_is_there() {
    let sources: Vec<String> = sources().into_iter().map(|(path, _)| path).collect();
    let mut seen = 0;
    for (path, text) in pages() {
        let words = code_words(&text);
        for word in words.iter().filter(|word| word.ends_with(".rs") && !word.contains(' ')) {
            seen += 1;
            let is_there = |source: &String| source == word || source.ends_with(&format!("/{word}"));
            assert!(sources.iter().any(is_there), "{}: no {word}", path.display());
        }
        for folder in words
            .iter()
            .filter(|word| word.ends_with('/') && word.chars().all(|c| c.is_alphanumeric() || "_-/".contains(c)))
        {
            let is_there =
                |source: &String| source.starts_with(folder.as_str()) || source.contains(&format!("/{folder}"));
            assert!(sources.iter().any(is_there), "{}: no {folder}", path.display());
        }
    }
    assert!(seen > 200, "{seen} files");
}

#[test]
fn every_test_that_a_page_names_is_there() {
    let sources = sources();
    let is_there = |name: &str| sources.iter().any(|(_, text)| text.contains(&format!("fn {name}")));
    let mut seen = 0;
    for (path, text) in pages() {
        for word in code_words(&text) {
            let name = word.trim_end_matches('…');
            let is_test = name.matches('_').count() >= 4 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            let is_erratum = word.ends_with("_…") && name.starts_with('e') && !name.contains("NN");
            if is_test || is_erratum {
                seen += 1;
                assert!(is_there(name), "{}: no {word}", path.display());
            }
        }
    }
    assert!(seen > 40, "{seen} tests");
}

/// `E4`, `E12` and so on, of a line.
fn errata_of(line: &str) -> Vec<u32> {
    let words = line.split(|c: char| !c.is_alphanumeric());
    words.filter_map(|word| word.strip_prefix('E')?.parse().ok()).collect()
}

#[test]
fn every_erratum_that_a_source_cites_has_an_entry() {
    let page = fs::read_to_string(root().join("docs/errata.md")).unwrap();
    let mut cited = BTreeSet::new();
    for (_, text) in sources() {
        cited.extend(text.lines().filter(|line| line.contains("errat") || line.contains("Errat")).flat_map(errata_of));
    }
    assert!(cited.len() > 15, "{cited:?}");
    for number in cited.into_iter().chain(1..=26) {
        assert!(page.contains(&format!("**E{number} — ")), "no entry for E{number}");
    }
}

#[test]
fn every_line_of_code_on_the_plugins_page_is_in_a_doc_test_of_the_plugin() {
    let page = fs::read_to_string(root().join("docs/plugin.md")).unwrap();
    let strip =
        |line: &str| line.trim().trim_start_matches(['/', '!']).trim().trim_start_matches("# ").trim().to_owned();
    let doc_tests: BTreeSet<String> = files(&root().join("crates/bevy_ccd/src"), ".rs")
        .iter()
        .flat_map(|path| fs::read_to_string(path).unwrap().lines().map(strip).collect::<Vec<_>>())
        .collect();
    let blocks = between(&page, "```rust\n", "```");
    assert!(blocks.len() > 5, "{} blocks", blocks.len());
    for line in blocks.iter().flat_map(|block| block.lines()).map(str::trim).filter(|line| !line.is_empty()) {
        assert!(doc_tests.contains(line), "in no doc test: {line}");
    }
}

#[test]
fn the_index_lists_every_page() {
    let docs = root().join("docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    for page in files(&docs, ".md") {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name == "README.md" || index.contains(&format!("]({name})")), "{name} is not listed");
    }
}
