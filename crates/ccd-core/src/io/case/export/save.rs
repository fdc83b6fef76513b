//! An export as files: each is there whole or not at all, and the case comes last, so that a case that is there has its models.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::Export;
use super::shape::{mesh_name, patches_name};
use crate::io::case::error::{CaseError, CaseReason};
use crate::io::numbered;
use crate::io::obj::write_obj;
use crate::io::patches::write_patches;

/// Where an export was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedExport {
    /// The case file.
    pub case: PathBuf,
    /// The models that it names, beside it: who gets the case must get them too.
    pub models: Vec<PathBuf>,
}

/// What to do with files that have the names of those to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Former {
    Replace,
    Keep,
}

impl Export {
    /// Writes the case to `path` and its models beside it, under names that begin like the case's. Files that have these names are replaced.
    ///
    /// # Errors
    /// [`CaseError`] names the file that cannot be written, or the body that holds a number which no case can have. No file is left half
    /// written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<SavedExport, CaseError> {
        let path = path.as_ref();
        let files = Files::of(self, path, stem_of(path)?)?;
        files.stage()?.commit(Former::Replace)?.ok_or_else(|| refused(path, io::ErrorKind::AlreadyExists.into()))
    }

    /// The same, but no file is replaced: where one has the name of the case or of a model of it, the case gets the first number that is
    /// free, as in `tower-2.json`.
    ///
    /// # Errors
    /// As [`Export::save`].
    pub fn save_new(&self, path: impl AsRef<Path>) -> Result<SavedExport, CaseError> {
        let path = path.as_ref();
        // Whatever number is behind it, it is a name if this one is.
        stem_of(path)?;
        for path in numbered(path) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let files = Files::of(self, &path, &stem)?;
            if files.targets().any(is_there) {
                continue;
            }
            // Another program may have taken the name meanwhile.
            if let Some(saved) = files.stage()?.commit(Former::Keep)? {
                return Ok(saved);
            }
        }
        Err(refused(path, io::ErrorKind::AlreadyExists.into()))
    }
}

/// Whether there is anything of that name, be it a link that leads nowhere.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn refused(path: &Path, error: io::Error) -> CaseError {
    CaseError::of_file(path, CaseReason::File(error))
}

/// The name of the file without its extension.
fn stem_of(path: &Path) -> Result<&str, CaseError> {
    let says_folder = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator) || path.is_dir();
    let name = path.file_stem().filter(|_| !says_folder);
    let Some(name) = name else {
        return Err(refused(path, io::Error::new(io::ErrorKind::InvalidInput, "this is the name of a folder")));
    };
    name.to_str()
        .ok_or_else(|| refused(path, io::Error::new(io::ErrorKind::InvalidInput, "the name of the file is not UTF-8")))
}

/// The contents of the files to be written, with where they go; the case last.
struct Files<'a> {
    models: Vec<(PathBuf, Content<'a>)>,
    case: (PathBuf, Content<'a>),
}

enum Content<'a> {
    Mesh(&'a crate::geometry::mesh::TriMesh),
    Text(String),
}

impl<'a> Files<'a> {
    /// Those of `export` as `path`, its models named after `stem`.
    fn of(export: &'a Export, path: &Path, stem: &str) -> Result<Self, CaseError> {
        let mut renamed: BTreeMap<&str, String> = BTreeMap::new();
        let mut models = Vec::with_capacity(export.meshes.len() + export.patches.len());
        for (i, (name, mesh)) in export.meshes.iter().enumerate() {
            let new = mesh_name(stem, i);
            models.push((path.with_file_name(&new), Content::Mesh(mesh)));
            renamed.insert(name, new);
        }
        for (i, (name, surface)) in export.patches.iter().enumerate() {
            let new = patches_name(stem, i);
            models.push((path.with_file_name(&new), Content::Text(write_patches(surface))));
            renamed.insert(name, new);
        }
        let mut case = export.case.clone();
        for body in &mut case.bodies {
            body.shape.for_each_file(&mut |file| {
                if let Some(new) = renamed.get(file.as_str()) {
                    file.clone_from(new);
                }
            });
        }
        let text = case.to_text().map_err(|e| e.in_file(path))?;
        Ok(Self { models, case: (path.to_owned(), Content::Text(text)) })
    }

    fn all(&self) -> impl Iterator<Item = &(PathBuf, Content<'a>)> {
        self.models.iter().chain(std::iter::once(&self.case))
    }

    fn targets(&self) -> impl Iterator<Item = &Path> {
        self.all().map(|(path, _)| path.as_path())
    }

    /// Writes all of it under other names in the same folder.
    fn stage(&self) -> Result<Staged, CaseError> {
        let mut staged = Staged { files: Vec::new(), claimed: Vec::new() };
        for (target, content) in self.all() {
            let (part, file) = new_part(target).map_err(|e| refused(target, e))?;
            staged.files.push((part, target.clone()));
            content.write(file).map_err(|e| refused(target, e))?;
        }
        Ok(staged)
    }
}

impl Content<'_> {
    fn write(&self, file: File) -> io::Result<()> {
        let mut writer = BufWriter::new(file);
        match self {
            Self::Mesh(mesh) => write_obj(mesh, &mut writer)?,
            Self::Text(text) => writer.write_all(text.as_bytes())?,
        }
        // On the disk before it gets its name, so that not even a machine that stops leaves half a file of that name.
        writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

/// A new file beside `target`, to take its place when it is whole.
fn new_part(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    for part in numbered(&target.with_file_name(format!(".{name}.{}.part", std::process::id()))) {
        match File::create_new(&part) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (part, file)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Files that are whole and wait for their names. What has not got its name is removed.
struct Staged {
    /// Where each is, and its name to be.
    files: Vec<(PathBuf, PathBuf)>,
    /// Names that were free and are held by empty files, to be removed again unless all goes well.
    claimed: Vec<PathBuf>,
}

impl Staged {
    /// Gives the files their names; `None` where one is taken and has to be kept.
    fn commit(mut self, former: Former) -> Result<Option<SavedExport>, CaseError> {
        if former == Former::Keep {
            for (_, target) in &self.files {
                // What only looks first and renames then would replace a file that was made in between.
                match File::create_new(target) {
                    Ok(_) => self.claimed.push(target.clone()),
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
                    Err(e) => return Err(refused(target, e)),
                }
            }
        }
        for (part, target) in &self.files {
            fs::rename(part, target).map_err(|e| refused(target, e))?;
        }
        self.claimed.clear();
        let mut models: Vec<PathBuf> = std::mem::take(&mut self.files).into_iter().map(|(_, target)| target).collect();
        Ok(models.pop().map(|case| SavedExport { case, models }))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // What cannot be removed stays; the error that led here is the one to be told.
        for path in self.files.iter().map(|(part, _)| part).chain(&self.claimed) {
            _ = fs::remove_file(path);
        }
    }
}
