//! The list of what can be opened: built-in scenes, and the case files of the project.

use std::path::{Path, PathBuf};

use bevy::prelude::Resource;

use super::made::made;
use super::open::Source;

/// Where an entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Built in.
    Built,
    /// A case file.
    Case,
}

/// Something that can be opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name in the list and on the command line.
    pub name: String,
    /// What it shows, in a line.
    pub about: String,
    /// Built in or a file.
    pub group: Group,
    /// What to open.
    pub source: Source,
}

/// All that can be opened.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// In the order of the list.
    pub entries: Vec<Entry>,
}

/// Where case files are looked for, from the working folder.
const CASE_FOLDERS: [&str; 2] = ["assets/cases", "cases"];

impl Catalogue {
    /// The built-in scenes, and the case files that are found.
    pub fn gather() -> Self {
        let built = made().into_iter().map(|made| Entry {
            name: made.name.into(),
            about: made.about.into(),
            group: Group::Built,
            source: Source::Built(made.name.into()),
        });
        let mut entries: Vec<Entry> = built.collect();
        for folder in CASE_FOLDERS {
            entries.extend(cases_in(Path::new(folder)));
        }
        Self { entries }
    }

    /// The source as the list has it, where it is in the list: a file may be asked for by another path.
    pub fn as_listed(&self, source: Source) -> Source {
        let Source::File(path) = &source else { return source };
        let Ok(place) = path.canonicalize() else { return source };
        let is_same = |listed: &Source| match listed {
            Source::File(path) => path.canonicalize().is_ok_and(|listed| listed == place),
            Source::Built(_) => false,
        };
        let listed = self.entries.iter().find(|entry| is_same(&entry.source));
        listed.map_or(source, |entry| entry.source.clone())
    }

    /// What stands after `source` in the list, or before it; the ends are joined.
    pub fn beside(&self, source: &Source, ahead: bool) -> Option<Source> {
        let count = self.entries.len();
        let at = self.entries.iter().position(|entry| entry.source == *source);
        let other = match (at, ahead) {
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
            (None, _) => 0,
        };
        self.entries.get(other).map(|entry| entry.source.clone())
    }

    /// What is called so in the list; a built-in scene of that name, be there none, where nothing is.
    pub fn named(&self, name: &str) -> Source {
        let entry = self.entries.iter().find(|entry| entry.name == name);
        entry.map_or_else(|| Source::Built(name.into()), |entry| entry.source.clone())
    }

    /// The names of all that can be opened, for messages.
    pub fn names(&self) -> Vec<&str> {
        self.entries.iter().map(|entry| entry.name.as_str()).collect()
    }
}

/// The case files of a folder by name; none where there is no such folder.
fn cases_in(folder: &Path) -> Vec<Entry> {
    let Ok(listing) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| Entry {
            name: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
            about: path.display().to_string(),
            group: Group::Case,
            source: Source::File(path),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bullets_come_first_and_no_two_scenes_share_a_name() {
        let made: Vec<&str> = made().iter().map(|made| made.name).collect();
        assert_eq!(made[0], "bullets");
        let mut unique = made.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), made.len());
    }

    #[test]
    fn going_through_the_list_comes_round_to_the_start() {
        let catalogue = Catalogue::gather();
        let first = catalogue.entries[0].source.clone();
        let mut at = first.clone();
        for _ in 0..catalogue.entries.len() {
            let next = catalogue.beside(&at, true).unwrap();
            assert_eq!(catalogue.beside(&next, false), Some(at));
            at = next;
        }
        assert_eq!(at, first);
        assert_eq!(catalogue.beside(&Source::File("dropped.json".into()), true), Some(first));
        assert_eq!(Catalogue::default().beside(&at, true), None);
    }

    #[test]
    fn a_case_of_the_list_is_known_by_any_path_that_leads_to_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/cases");
        let catalogue = Catalogue { entries: cases_in(&folder) };
        let listed = catalogue.entries[1].source.clone();
        let Source::File(path) = &listed else { panic!("it is a file") };
        for other in [folder.join(".").join(path.file_name().unwrap()), path.canonicalize().unwrap()] {
            assert_eq!(catalogue.as_listed(Source::File(other)), listed);
        }
        for elsewhere in [Source::File("dropped.json".into()), Source::Built("tower".into())] {
            assert_eq!(catalogue.as_listed(elsewhere.clone()), elsewhere);
        }
    }

    #[test]
    fn whatever_the_list_names_is_opened_by_that_name() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/cases");
        let mut catalogue = Catalogue::gather();
        catalogue.entries.extend(cases_in(&folder));
        let case = Source::File(folder.join("wrecking-ball-8.json"));
        assert_eq!(catalogue.named("wrecking-ball-8"), case);
        assert_eq!(catalogue.named("tower"), Source::Built("tower".into()));
        assert_eq!(catalogue.named("nothing"), Source::Built("nothing".into()));
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_cases() {
        assert!(cases_in(Path::new("no/such/folder")).is_empty());
    }
}
