//! What trees of spheres promise: every level covers the surface, its error holds, and the medial axis is the tighter.

use std::time::Duration;

use ccd_core::bounds::sphere_tree::{SphereTree, SphereTreeError, SphereTreeOptions};
use ccd_core::bounds::{Hierarchy, HierarchyKind, IndexedMesh, LevelVolume, NotSolid};
use ccd_core::detection::interference::{
    Pruning, Relation, SphereBudget, SphereContact, SpherePair, SphereReduction, find_sphere_interference,
    relate_meshes,
};
use ccd_core::math::{Point, Pose, Real, Vector};
use ccd_core::volume::Sphere;

fn model(name: &str, options: &[(&str, Real)]) -> IndexedMesh {
    IndexedMesh::new(ccd_scenes::models::find(name).unwrap().make(options).unwrap()).unwrap()
}

const SMALL: SphereTreeOptions = SphereTreeOptions { levels: 3, degree: 8 };

/// Every face cut into points a tenth of its sides apart.
fn dense_samples(mesh: &IndexedMesh) -> Vec<Point> {
    let mut samples = Vec::new();
    for f in 0..mesh.mesh().triangles().len() as u32 {
        let [a, b, c] = mesh.triangle(f);
        for i in 0..=10 {
            for j in 0..=10 - i {
                samples.push(a + (b - a) * (Real::from(i) / 10.0) + (c - a) * (Real::from(j) / 10.0));
            }
        }
    }
    samples
}

/// Points all over a sphere.
fn over(sphere: &Sphere) -> impl Iterator<Item = Point> + '_ {
    (0..60).map(|i| {
        let (y, turn) = (1.0 - (Real::from(i) + 0.5) / 30.0, 2.399_963 * Real::from(i));
        let level = (1.0 - y * y).sqrt();
        sphere.centre + Vector::new(level * turn.cos(), y, level * turn.sin()) * sphere.radius
    })
}

/// Every level covers the surface, by sampling and by proof, and sticks out by no more than its error.
fn assert_sound(tree: &SphereTree, mesh: &IndexedMesh) {
    let samples = dense_samples(mesh);
    for level in 0..tree.level_count() {
        let spheres = tree.level_in_world(level, &Pose::identity());
        for p in &samples {
            // The samples themselves are rounded.
            assert!(spheres.iter().any(|s| (p - s.centre).norm() <= s.radius + 1e-14), "level {level} leaves out {p}");
        }
        tree.check_cover(mesh.mesh(), level).unwrap();
        for index in tree.level(level) {
            let node = tree.node(index);
            for p in over(&node.sphere) {
                let distance = mesh.signed_distance(&p);
                let outside = if mesh.is_closed() { distance } else { distance.abs() };
                assert!(outside <= node.error + 1e-12, "node {index} sticks out {outside}, not {}", node.error);
            }
        }
    }
}

#[test]
fn octrees_cover_closed_and_open_surfaces_at_every_level_within_their_errors() {
    for (name, options) in [
        ("torus", &[("major_segments", 20.0), ("minor_segments", 10.0)][..]),
        ("box", &[("x", 2.0), ("y", 1.0), ("z", 0.01)]),
        ("warped-plane", &[]),
    ] {
        let mesh = model(name, options);
        let tree = SphereTree::octree(&mesh, SMALL).unwrap();
        assert_eq!(tree.level_count(), 3);
        assert_sound(&tree, &mesh);
        assert!(tree.level_error(2) < tree.level_error(0));
    }
}

#[test]
fn medial_axes_cover_at_every_level_and_stick_out_clearly_less_than_octrees_of_as_many_spheres() {
    for (name, options) in [
        ("torus", &[("major_segments", 20.0), ("minor_segments", 10.0)][..]),
        ("gear", &[]),
        ("box", &[("x", 2.0), ("z", 0.5)]),
    ] {
        let mesh = model(name, options);
        let medial = SphereTree::medial_axis(&mesh, SMALL).unwrap();
        let octree = SphereTree::octree(&mesh, SphereTreeOptions { levels: 4, degree: 8 }).unwrap();
        assert_sound(&medial, &mesh);
        for level in 1..3 {
            let (count, error) = (medial.level(level).len(), medial.level_error(level));
            let as_many = (0..octree.level_count()).rfind(|&l| octree.level(l).len() <= count.max(8)).unwrap();
            let (other_count, other_error) = (octree.level(as_many).len(), octree.level_error(as_many));
            println!(
                "{name} level {level}: medial {count} spheres, {error:.4}; octree {other_count}, {other_error:.4}"
            );
            assert!(
                error < 0.75 * other_error,
                "{name}: {error} with {count}, octree {other_error} with {other_count}"
            );
        }
        assert!(medial.level_error(2) < medial.level_error(1) && medial.level_error(1) < medial.level_error(0));
        for node in (0..medial.node_count() as u32).map(|i| (i, medial.node(i).error)) {
            let children = medial.children(node.0);
            assert!(
                children.into_iter().all(|child| medial.node(child).error <= node.1),
                "no child sticks out further"
            );
        }
    }
}

#[test]
fn threads_change_no_bit_and_text_gives_back_the_tree() {
    let mesh = model("torus", &[("major_segments", 12.0), ("minor_segments", 6.0)]);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (SphereTree::medial_axis(&mesh, SMALL).unwrap(), SphereTree::octree(&mesh, SMALL).unwrap()))
    };
    let trees = on(1);
    assert!(trees == on(3));
    for tree in [&trees.0, &trees.1] {
        let read = SphereTree::from_text(&tree.to_text().unwrap()).unwrap();
        assert_eq!((read.level_count(), read.degree(), read.node_count()), (3, 8, tree.node_count()));
        for i in 0..tree.node_count() as u32 {
            assert_eq!((read.node(i).sphere, read.children(i)), (tree.node(i).sphere, tree.children(i)));
        }
        read.check_cover(mesh.mesh(), 2).unwrap();
    }
}

#[test]
fn uncovered_parts_and_bad_input_are_named() {
    let mesh = model("torus", &[("major_segments", 12.0), ("minor_segments", 6.0)]);
    let shrunk = "1 8\n0 0 0 1.3 1\n";
    let uncovered = SphereTree::from_text(shrunk).unwrap().check_cover(mesh.mesh(), 0).unwrap_err();
    assert!(uncovered.place.coords.norm() > 1.29, "{uncovered}");
    let open = model("warped-plane", &[]);
    assert!(matches!(
        SphereTree::medial_axis(&open, SMALL),
        Err(SphereTreeError::NotSolid(NotSolid::Open { vertices: [_, _], .. }))
    ));
    let none = SphereTreeOptions { levels: 0, degree: 8 };
    assert!(matches!(
        SphereTree::octree(&mesh, none),
        Err(SphereTreeError::BadOption { what: "levels", value: 0, .. })
    ));
}

/// A torus in both builders, and whether the two tori with this pose between them have a point in common, and their distance at most.
fn placed_tori() -> (IndexedMesh, SphereTree, SphereTree) {
    let mesh = model("torus", &[("major_segments", 20.0), ("minor_segments", 10.0)]);
    let medial = SphereTree::medial_axis(&mesh, SMALL).unwrap();
    let octree = SphereTree::octree(&mesh, SphereTreeOptions { levels: 4, degree: 8 }).unwrap();
    (mesh, medial, octree)
}

#[test]
fn at_every_level_no_pair_means_apart_by_the_gap_and_a_pair_means_within_the_error() {
    let (mesh, medial, octree) = placed_tori();
    let still = Pose::identity();
    let mut told_apart = [0; 5];
    for i in 0..40 {
        // One above the other, from crossing to far: the spheres around all of each overlap up to 2.8 m.
        let pose = Pose::new(Vector::new(0.1, 0.7 + 0.06 * Real::from(i), 0.05), Vector::y() * (0.3 * Real::from(i)));
        // An upper bound on the distance, by the vertices.
        let nearest =
            mesh.mesh().vertices().iter().map(|p| mesh.signed_distance(&(pose * p))).fold(Real::INFINITY, Real::min);
        let relation = relate_meshes(&mesh, &still, &mesh, &pose, Pruning::AabbTrees);
        for tree in [&medial, &octree] {
            for (level, told_apart) in told_apart.iter_mut().enumerate().take(tree.level_count() + 1) {
                let found = find_sphere_interference(tree, &still, tree, &pose, SphereBudget::Level(level));
                assert!(found.is_complete);
                if found.pairs.is_empty() {
                    assert_eq!(relation, Relation::Apart);
                    assert!(found.gap <= nearest, "{} > {nearest}", found.gap);
                    *told_apart += 1;
                } else {
                    assert_eq!(found.gap, 0.0);
                    // The true distance is less than that of the vertices by what a face can bulge between them, 0.1 m.
                    assert!(nearest - 0.1 <= found.error, "{} is further than {}", nearest, found.error);
                }
            }
        }
    }
    assert!(told_apart[2] > told_apart[0], "finer levels tell more apart: {told_apart:?}");
}

#[test]
fn budgets_of_tests_and_time_end_early_with_all_that_could_meet_still_in_the_answer() {
    let (_, medial, _) = placed_tori();
    let (still, pose) = (Pose::identity(), Pose::translation(1.3, 0.2, 0.0));
    let all = find_sphere_interference(&medial, &still, &medial, &pose, SphereBudget::Level(9));
    assert!(!all.pairs.is_empty() && all.is_complete);
    // What is below a node, its leaves.
    fn leaves(tree: &SphereTree, node: u32) -> Vec<u32> {
        if tree.node(node).is_leaf() { vec![node] } else { tree.children(node).flat_map(|c| leaves(tree, c)).collect() }
    }
    let mut complete = 0;
    for budget in (0..2000).step_by(100).map(SphereBudget::Tests).chain([SphereBudget::Time(Duration::ZERO)]) {
        let some = find_sphere_interference(&medial, &still, &medial, &pose, budget);
        complete += usize::from(some.is_complete);
        assert_eq!(some.is_complete, some.pairs == all.pairs);
        for pair in &all.pairs {
            let above = |p: &&SpherePair| {
                leaves(&medial, p.node_a).contains(&pair.node_a) && leaves(&medial, p.node_b).contains(&pair.node_b)
            };
            assert!(some.pairs.iter().any(|p| above(&p)), "{budget:?} lost {pair:?}");
        }
    }
    assert!((1..20).contains(&complete), "{complete}");
}

#[test]
fn a_budget_of_time_ends_a_search_soon_after_it_is_over_however_many_tests_a_pair_takes() {
    // All spheres of all levels meet: sixteen million pairs of leaves, each pair of nodes with 64 tests.
    let levels = 5;
    let places = (0..levels).map(|level| 8_usize.pow(level)).sum();
    let tree = SphereTree::from_text(&format!("{levels} 8\n{}", "0 0 0 1\n".repeat(places))).unwrap();
    let still = Pose::identity();
    let search = |time| find_sphere_interference(&tree, &still, &tree, &still, SphereBudget::Time(time));
    let none = search(Duration::ZERO);
    assert!((none.tests, none.pairs.len(), none.is_complete) == (1, 1, false), "{} tests", none.tests);
    let some = search(Duration::from_millis(1));
    assert!(!some.is_complete && some.pairs.len() < 1 << 24, "{} tests", some.tests);
}

#[test]
fn contacts_of_two_spheres_are_exact_and_average_only_when_asked_to() {
    let unit = SphereTree::from_text("1 2\n0 0 0 1\n").unwrap();
    let pair = SphereTree::from_text("2 2\n0 0 0 3\n0 0 2 1\n0 0 -2 1\n").unwrap();
    let (still, pose) = (Pose::identity(), Pose::translation(1.5, 0.0, 0.0));
    let found = find_sphere_interference(&unit, &still, &unit, &pose, SphereBudget::Level(0));
    let contacts = found.contacts(&unit, &still, &unit, &pose, SphereReduction::None);
    assert_eq!(contacts, [SphereContact { point: Point::new(0.75, 0.0, 0.0), normal: Vector::x(), separation: -0.5 }]);
    // A bar of two spheres lies across another one: two contacts, whose average is in the gap between them (E14).
    let above = Pose::translation(0.0, 1.9, 0.0);
    let found = find_sphere_interference(&pair, &still, &pair, &above, SphereBudget::Level(1));
    let contacts = |reduction| found.contacts(&pair, &still, &pair, &above, reduction);
    assert_eq!(contacts(SphereReduction::None).len(), 2);
    assert_eq!(contacts(SphereReduction::Deepest).len(), 1);
    let average = contacts(SphereReduction::Average);
    assert!(
        (average[0].point - Point::new(0.0, 0.95, 0.0)).norm() < 1e-12
            && (average[0].normal - Vector::y()).norm() < 1e-12
    );
}

#[test]
fn every_hierarchy_gives_its_levels_as_volumes_in_the_world_that_hold_the_mesh() {
    let mesh = model("torus", &[("major_segments", 12.0), ("minor_segments", 6.0)]);
    let pose = Pose::new(Vector::new(1.0, 2.0, 3.0), Vector::new(0.4, 0.5, 0.6));
    for kind in HierarchyKind::ALL {
        let hierarchy = Hierarchy::build(kind, &mesh).unwrap();
        assert!(hierarchy.level_count() > 2 && hierarchy.size_bytes() > 0, "{}", kind.name());
        assert!(hierarchy.average_height() <= hierarchy.level_count() as Real);
        assert_eq!(hierarchy.level(0, &pose).len(), 1);
        for level in 0..hierarchy.level_count() {
            let volumes = hierarchy.level(level, &pose);
            assert!(volumes.len() <= hierarchy.node_count());
            let holds = |volume: &LevelVolume, p: &Point| match volume {
                LevelVolume::Box(b) => (b.axes.tr_mul(&(p - b.centre)).abs() - b.half_extents).max() <= 1e-12,
                LevelVolume::Sphere(s) => (p - s.centre).norm() <= s.radius + 1e-12,
            };
            for p in mesh.mesh().vertices() {
                assert!(volumes.iter().any(|v| holds(v, &(pose * p))), "{} level {level}", kind.name());
            }
        }
    }
}
