//! What the static trees promise: nodes hold what is below them, walks over two trees miss nothing, refit and threads change
//! nothing that they should not.

use std::ops::ControlFlow;

use ccd_core::bounds::tree::{AabbTree, KdopTree, NodeKind, ObbTree, SplitRule, VolumeTree, visit_pairs};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::mesh::meeting::{Meeting, triangles_meet};
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::volume::Aabb;
use proptest::prelude::*;

const RULES: [SplitRule; 3] = [SplitRule::SurfaceArea, SplitRule::CubeLike, SplitRule::HullCovariance];

fn model(name: &str, options: &[(&str, Real)]) -> TriMesh {
    ccd_scenes::models::find(name).unwrap().make(options).unwrap()
}

/// A torus of 240 triangles, a gear and a sheet: curved, sharp and open.
fn models() -> Vec<TriMesh> {
    vec![
        model("torus", &[("major_segments", 15.0), ("minor_segments", 8.0)]),
        model("gear", &[]),
        model("warped-plane", &[]),
    ]
}

/// All items below a node.
fn below<T: VolumeTree>(tree: &T, index: u32) -> Vec<u32> {
    match tree.kind(index) {
        NodeKind::Leaf { first, count } => tree.items(first, count).to_vec(),
        NodeKind::Inner { left, right } => [below(tree, left), below(tree, right)].concat(),
    }
}

/// Every level covers every item once, and every node's box holds its triangles to `slack` metres.
fn assert_sound<T: VolumeTree>(tree: &T, mesh: &TriMesh, slack: Real) {
    let all: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
    for level in [0, 1, 2, 3, 5, 8, tree.height() - 1, tree.height() + 3] {
        let nodes = tree.level(level);
        let mut items: Vec<u32> = nodes.iter().flat_map(|&i| below(tree, i)).collect();
        items.sort_unstable();
        assert_eq!(items, all, "level {level}");
        for &index in &nodes {
            let holds = tree.obb(index);
            for face in below(tree, index) {
                for p in mesh.triangle(face as usize) {
                    let beyond = holds.axes.tr_mul(&(p - holds.centre)).abs() - holds.half_extents;
                    assert!(beyond.max() <= slack, "node {index} leaves out face {face} by {}", beyond.max());
                }
            }
        }
    }
    assert!(tree.average_height() <= tree.height() as Real);
}

#[test]
fn nodes_hold_their_triangles_and_levels_cover_all_by_every_rule() {
    for mesh in models() {
        for rule in RULES {
            let tree = AabbTree::build_by(&mesh, rule);
            // A box drawn by its middle and half its sides is rounded once more.
            assert_sound(&tree, &mesh, 1e-15);
            assert_sound(&ObbTree::over(&tree, &mesh), &mesh, 1e-14);
            assert_sound(&KdopTree::over(&tree, &mesh), &mesh, 1e-14);
            // A level drawn in the world is the level placed.
            let pose = Pose::new(Vector::new(1.0, 2.0, 3.0), Vector::new(0.1, 0.2, 0.3));
            let placed = tree.level_in_world(3, &pose);
            assert_eq!(placed.len(), tree.level(3).len());
            assert_eq!(placed[0], tree.obb(tree.level(3)[0]).transformed(&pose));
        }
    }
}

#[test]
fn oriented_boxes_of_a_turned_plate_are_flat_where_aligned_ones_are_not() {
    let turn = Rotation::from_euler_angles(0.5, 0.6, 0.7);
    let plate = model("box", &[("x", 4.0), ("y", 0.01), ("z", 3.0)]);
    let turned: Vec<Point> = plate.vertices().iter().map(|p| turn * p).collect();
    let turned = TriMesh::try_new(turned, plate.triangles().to_vec()).unwrap();
    let volume = |h: Vector| 8.0 * h.product();
    let aligned = volume(AabbTree::build(&turned).aabb().half_extents());
    let oriented = volume(ObbTree::build(&turned).volume(0).half_extents);
    assert!(aligned > 5.0, "the premise: {aligned}");
    assert!((oriented - 0.12).abs() < 1e-9, "{oriented}");
}

#[test]
fn any_number_of_threads_builds_the_same_tree_and_refit_of_what_has_not_moved_changes_nothing() {
    // More items than are built on one thread.
    let mesh = model("torus", &[("major_segments", 160.0), ("minor_segments", 64.0)]);
    let on = |threads: usize, rule| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (AabbTree::build_by(&mesh, rule), ObbTree::build_by(&mesh, rule)))
    };
    for rule in [SplitRule::SurfaceArea, SplitRule::CubeLike] {
        let (aabb, obb) = on(1, rule);
        assert!((aabb.clone(), obb.clone()) == on(2, rule) && (aabb.clone(), obb.clone()) == on(7, rule));
        let (mut again, mut obb_again) = (aabb.clone(), obb.clone());
        again.refit(|f| Aabb::from_points(&mesh.triangle(f as usize)));
        obb_again.refit(&mesh);
        assert!(again == aabb && obb_again == obb);
    }
}

#[test]
fn refitted_trees_hold_what_has_moved() {
    let mesh = model("torus", &[("major_segments", 15.0), ("minor_segments", 8.0)]);
    let bent: Vec<Point> =
        mesh.vertices().iter().map(|p| Point::new(p.x, p.y + 0.5 * p.x * p.x, p.z * (1.0 + 0.3 * p.x))).collect();
    let bent = TriMesh::try_new(bent, mesh.triangles().to_vec()).unwrap();
    let mut aabb = AabbTree::build(&mesh);
    let (mut obb, mut kdop) = (ObbTree::over(&aabb, &mesh), KdopTree::over(&aabb, &mesh));
    aabb.refit(|f| Aabb::from_points(&bent.triangle(f as usize)));
    obb.refit(&bent);
    kdop.refit(&bent);
    assert_sound(&aabb, &bent, 1e-15);
    assert_sound(&obb, &bent, 1e-14);
    assert_sound(&kdop, &bent, 1e-14);
}

/// The pairs of triangles that meet among those that a walk over both trees proposes, and how many volumes it tested.
fn meeting_pairs<T: VolumeTree>(
    a: (&T, &TriMesh),
    b: (&T, &TriMesh),
    pose: &Pose,
    margin: Real,
) -> (Vec<(u32, u32)>, u64) {
    let mut found = Vec::new();
    let (ended, work) = visit_pairs(a.0, b.0, pose, margin, |items_a, items_b| {
        for &i in items_a {
            for &j in items_b {
                let placed = b.1.triangle(j as usize).map(|p| pose * p);
                if triangles_meet(&a.1.triangle(i as usize), &placed) != Meeting::Apart {
                    found.push((i, j));
                }
            }
        }
        ControlFlow::Continue(())
    });
    assert_eq!(ended, ControlFlow::Continue(()));
    found.sort_unstable();
    (found, work.volume_tests)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn walks_over_two_trees_find_every_pair_of_triangles_that_meet(
        at in prop::array::uniform3(-1.5..1.5_f64), turn in prop::array::uniform3(-3.0..3.0_f64), quarter in 0..5_usize,
    ) {
        let mesh = model("torus", &[("major_segments", 12.0), ("minor_segments", 6.0)]);
        // Exact quarter turns along lattice shifts among them: faces that only touch.
        let pose = match quarter {
            0 => Pose::from_parts(Vector::from(at).into(), Rotation::identity()),
            1 => Pose::translation(0.0, 0.8, 0.0),
            _ => Pose::new(Vector::from(at), Vector::from(turn)),
        };
        let mut expected = Vec::new();
        for i in 0..mesh.triangles().len() {
            for j in 0..mesh.triangles().len() {
                let placed = mesh.triangle(j).map(|p| pose * p);
                if triangles_meet(&mesh.triangle(i), &placed) != Meeting::Apart {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        let tree = AabbTree::build(&mesh);
        let (obb, kdop) = (ObbTree::over(&tree, &mesh), KdopTree::over(&tree, &mesh));
        // The pose rounds; a margin of some last places makes up for it.
        let margin = 1e-14;
        prop_assert_eq!(&meeting_pairs((&tree, &mesh), (&tree, &mesh), &pose, margin).0, &expected);
        prop_assert_eq!(&meeting_pairs((&obb, &mesh), (&obb, &mesh), &pose, margin).0, &expected);
        prop_assert_eq!(&meeting_pairs((&kdop, &mesh), (&kdop, &mesh), &pose, margin).0, &expected);
    }
}

#[test]
fn walks_end_early_and_prune_both_sides_at_once() {
    let mesh = model("torus", &[("major_segments", 40.0), ("minor_segments", 20.0)]);
    let tree = ObbTree::build(&mesh);
    let pose = Pose::translation(0.3, 0.1, 0.0);
    let mut calls = 0;
    let (ended, first) = visit_pairs(&tree, &tree, &pose, 0.0, |_, _| {
        calls += 1;
        ControlFlow::Break(())
    });
    assert_eq!((ended, calls, first.leaf_pairs), (ControlFlow::Break(()), 1, 1));
    let (_, all) = visit_pairs(&tree, &tree, &pose, 0.0, |_, _| ControlFlow::Continue(()));
    assert!(first.volume_tests < all.volume_tests);
    assert!(all.volume_tests < 1600 * 1600 / 50, "{all:?}");
    let far = visit_pairs(&tree, &tree, &Pose::translation(3.0, 0.0, 0.0), 0.0, |_, _| ControlFlow::Continue(()));
    assert_eq!(far.1.volume_tests, 1);
}
