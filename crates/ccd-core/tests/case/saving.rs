//! Exports as files: whole or not at all, and never in the place of others unasked.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ccd_core::dynamics::{BodyDefinition, BodyKind};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::case::{Case, Export, build_world, export_world};
use ccd_core::math::{Point, Pose};
use ccd_core::shape::Shape;
use ccd_core::world::{World, WorldSettings};

/// A folder of this test's own, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ccd-saving-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The files with their contents.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(&self.0).expect("the folder").map(|entry| entry.expect("an entry"));
        let read = |entry: fs::DirEntry| {
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap_or_default())
        };
        entries.map(read).collect()
    }

    fn names(&self) -> Vec<String> {
        self.files().into_keys().collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// A tetrahedron of this size, exported under the name "same".
fn export(size: f64) -> Export {
    let corners = [[0.0, 0.0, 0.0], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]].map(Point::from);
    let mesh = TriMesh::try_new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).expect("a mesh");
    let mut world = World::new(WorldSettings::default()).expect("valid settings");
    let shape = Shape::mesh(mesh).expect("a solid");
    world.add_body(BodyDefinition::new(BodyKind::Dynamic, shape, Pose::identity())).expect("a body");
    export_world(&world, "same", 0.01, 10, |_| None).expect("an export")
}

/// The size of the tetrahedron that the case at `path` is about.
fn size_of(path: &Path) -> f64 {
    let case = Case::load(path).expect("loaded");
    let (world, _) = build_world(&case, path.parent().expect("a folder")).expect("built");
    let (_, body) = world.bodies().next().expect("a body");
    body.shape().as_solid().local_aabb().max.x
}

#[test]
fn exports_of_one_name_in_one_folder_keep_their_own_models() {
    let folder = Folder::new("models");
    let one = export(1.0).save(folder.at("one.json")).expect("saved");
    let two = export(2.0).save(folder.at("two.json")).expect("saved");
    assert_eq!((size_of(&one.case), size_of(&two.case)), (1.0, 2.0));
    assert_eq!(one.models, [folder.at("one-mesh-0.obj")]);
    assert_eq!(folder.names(), ["one-mesh-0.obj", "one.json", "two-mesh-0.obj", "two.json"]);
}

#[test]
fn a_name_that_is_taken_gets_a_number_and_what_was_there_stays() {
    let folder = Folder::new("numbers");
    fs::write(folder.at("a.json"), "mine").expect("written");
    // A model alone takes a name too.
    fs::write(folder.at("a-2-mesh-0.obj"), "mine").expect("written");
    let before = folder.files();
    let third = export(3.0).save_new(folder.at("a.json")).expect("saved");
    let fourth = export(4.0).save_new(folder.at("a.json")).expect("saved");
    assert_eq!((third.case.clone(), fourth.case.clone()), (folder.at("a-3.json"), folder.at("a-4.json")));
    assert_eq!((size_of(&third.case), size_of(&fourth.case)), (3.0, 4.0));
    let after = folder.files();
    assert!(before.iter().all(|(name, content)| after.get(name) == Some(content)));
    assert_eq!(after.len(), before.len() + 4);
}

#[test]
fn two_that_save_at_once_get_a_name_each() {
    let folder = Folder::new("race");
    let saved: Vec<PathBuf> = std::thread::scope(|scope| {
        let save = |size: u32| {
            let path = folder.at("a.json");
            scope.spawn(move || export(size.into()).save_new(path).expect("saved").case)
        };
        let threads: Vec<_> = (1..=8).map(save).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    for (path, size) in saved.iter().zip(1_u32..) {
        assert_eq!(size_of(path), f64::from(size), "{}", path.display());
    }
    assert_eq!(folder.names().len(), 16, "no other file is left: {:?}", folder.names());
}

#[test]
fn saving_over_a_case_replaces_it_and_its_models() {
    let folder = Folder::new("over");
    export(1.0).save(folder.at("a.json")).expect("saved");
    let again = export(2.0).save(folder.at("a.json")).expect("saved");
    assert_eq!(size_of(&again.case), 2.0);
    assert_eq!(folder.names(), ["a-mesh-0.obj", "a.json"]);
}

#[test]
fn what_cannot_be_saved_leaves_nothing_and_is_told_with_the_file() {
    let folder = Folder::new("refused");
    let refused = |path: &Path| {
        let old = export(1.0).save(path).expect_err("refused").to_string();
        let new = export(1.0).save_new(path).expect_err("refused").to_string();
        assert_eq!(old, new);
        old
    };
    let nowhere = folder.at("no").join("a.json");
    let message = refused(&nowhere);
    assert!(message.contains("a-mesh-0.obj") && message.contains("no"), "{message}");
    fs::create_dir(folder.at("sub")).expect("a folder");
    for path in [folder.at("sub"), folder.at("new/"), folder.at(".."), PathBuf::new()] {
        let message = refused(&path);
        assert!(message.contains("name of a folder"), "{}: {message}", path.display());
    }
    // A number that no case holds is found before a file is touched.
    fs::write(folder.at("a.json"), "mine").expect("written");
    let mut wrong = export(1.0);
    wrong.case.bodies[0].position[1] = f64::INFINITY;
    let message = wrong.save(folder.at("a.json")).expect_err("refused").to_string();
    assert!(message.contains("a.json") && message.contains("body 0"), "{message}");
    // A folder stands where a model should be: the case is not written either.
    fs::create_dir(folder.at("b-mesh-0.obj")).expect("a folder");
    let message = export(1.0).save(folder.at("b.json")).expect_err("refused").to_string();
    assert!(message.contains("b-mesh-0.obj"), "{message}");
    assert_eq!(folder.names(), ["a.json", "b-mesh-0.obj", "sub"]);
    assert_eq!(fs::read(folder.at("a.json")).expect("there"), b"mine");
}
