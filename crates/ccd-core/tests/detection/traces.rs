//! What is shown of queries: the way of a point through the B-rep index, the index's regions, the nodes that a pair visits.

use std::sync::Arc;

use ccd_core::bounds::brep_index::{
    BrepIndex, BrepIndexOptions, IndexCell, Leaf, Place, Recipe, Side, Subtree, WalkKind,
};
use ccd_core::bounds::tree::{AabbTree, visit_pairs};
use ccd_core::bounds::{Hierarchy, HierarchyKind, IndexedMesh, LevelVolume};
use ccd_core::detection::interference::{SphereBudget, find_sphere_interference, trace_pair};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Vector};

use crate::common::hard_points::hard_point;
use crate::common::random::Random;
use crate::common::solids;

const EPSILON: f64 = 1e-4;

fn index(mesh: TriMesh, recipe: Recipe) -> BrepIndex {
    let mesh = Arc::new(IndexedMesh::new(mesh).unwrap());
    BrepIndex::build(mesh, &BrepIndexOptions { tolerance: EPSILON, recipe }).unwrap()
}

fn models() -> Vec<TriMesh> {
    vec![solids::torus(8), solids::plate(&["####", "#..#", "####", "#.#."], 0.5), solids::needle(1e-3)]
}

#[test]
fn a_traced_point_is_where_it_is_classified_and_each_step_hangs_below_an_earlier_one() {
    for (seed, mesh) in (1..).zip(models()) {
        for recipe in [Recipe::Balanced, Recipe::PAPER] {
            let index = index(mesh.clone(), recipe);
            let (mesh, topology) = (index.mesh().mesh(), index.mesh().topology());
            let mut random = Random(seed);
            for _ in 0..2000 {
                let point = hard_point(&mut random, mesh, topology, EPSILON);
                let trace = index.trace_point(&point);
                // The walk from the root and the one that begins at the point's cell come to the same.
                assert_eq!(trace.place, index.classify(&point), "{point:?}");
                for walk in &trace.walks {
                    assert_eq!((walk.steps[0].at, walk.steps[0].subtree), (None, index.root()));
                    for (i, step) in walk.steps.iter().enumerate().skip(1) {
                        let branch = step.at.unwrap();
                        let is_parent =
                            |s: &ccd_core::bounds::brep_index::IndexStep| s.subtree == Subtree::Node(branch.node);
                        assert!(walk.steps[..i].iter().any(is_parent));
                        assert_eq!(index.node(branch.node).children[branch.side as usize], step.subtree);
                        assert_eq!(index.cell(&walk.way_to(i)).subtree, step.subtree);
                    }
                    for step in &walk.steps {
                        if let Subtree::Node(n) = step.subtree {
                            assert_eq!(step.height, index.node(n).plane.height(&walk.point));
                        }
                    }
                }
                // A single way ends in the leaf that is the answer.
                if let [walk] = &trace.walks[..]
                    && let (Place::Inside | Place::Outside, 0) = (trace.place, trace.stats.exact)
                {
                    let leaf = if trace.place == Place::Inside { Leaf::Inside } else { Leaf::Outside };
                    assert_eq!(walk.kind, WalkKind::Ball);
                    assert_eq!(walk.steps[walk.steps.len() - 1].subtree, Subtree::Leaf(leaf));
                }
            }
        }
    }
}

#[test]
fn outside_of_the_box_there_is_no_way_and_nothing_that_is_no_number_is_inside() {
    let index = index(solids::torus(6), Recipe::Balanced);
    for point in [Point::new(50.0, 0.0, 0.0), Point::new(f64::NAN, 0.0, 0.0)] {
        let trace = index.trace_point(&point);
        assert_eq!((trace.place, trace.walks.len()), (Place::Outside, 0));
    }
}

/// The volume of a convex body by its walls, wound in any way.
fn volume(cell: &IndexCell) -> f64 {
    let corners: Vec<Point> = cell.polygons.iter().flatten().copied().collect();
    if corners.is_empty() {
        return 0.0;
    }
    let middle = Point::from(corners.iter().map(|p| p.coords).sum::<Vector>() / corners.len() as f64);
    let pyramid = |polygon: &Vec<Point>| -> f64 {
        let area: Vector =
            (2..polygon.len()).map(|k| (polygon[k - 1] - polygon[0]).cross(&(polygon[k] - polygon[0]))).sum();
        area.dot(&(polygon[0] - middle)).abs() / 6.0
    };
    cell.polygons.iter().map(pyramid).sum()
}

#[test]
fn the_regions_of_every_level_fill_the_box_and_those_on_a_points_way_hold_it() {
    let mut seen = 0;
    for mesh in models() {
        let index = index(mesh, Recipe::Balanced);
        let aabb = index.mesh().mesh().aabb();
        let corners: Vec<Point> = index.cells(0)[0].polygons.concat();
        let around = ccd_core::volume::Aabb::from_points(&corners);
        assert!(aabb.inflated(EPSILON).min >= around.min && aabb.inflated(EPSILON).max <= around.max);
        let whole = volume(&index.cells(0)[0]);
        assert!((whole / (around.max - around.min).product() - 1.0).abs() < 1e-12);
        for level in [1, 2, 3, 5, 8, 100] {
            let cells = index.cells(level);
            let sum: f64 = cells.iter().filter(|c| c.dimension == 3).map(volume).sum();
            assert!((sum / whole - 1.0).abs() < 1e-9, "level {level}: {sum} of {whole}");
            for cell in cells.iter().filter(|c| c.dimension < 3) {
                // A region of a plane lies in it.
                let plane = index.node(cell.at.unwrap().node).plane;
                let is_in = cell.at.unwrap().side == Side::On;
                assert!(!is_in || cell.polygons.iter().flatten().all(|p| plane.height(p).abs() < 1e-9));
                assert!(cell.polygons.len() <= 1);
            }
        }
        assert_eq!(index.cells(usize::MAX).len(), index.shape().leaves, "the leaves are the last level");
        let mut random = Random(3);
        for _ in 0..200 {
            let point = Point::from([0, 1, 2].map(|k| random.between(aabb.min[k], aabb.max[k])));
            let trace = index.trace_point(&point);
            // A ball that no plane reaches into is in the regions on its way.
            let [walk] = &trace.walks[..] else { continue };
            if walk.steps.iter().any(|s| matches!(s.subtree, Subtree::Node(_)) && s.height.abs() < 2.0 * EPSILON) {
                continue;
            }
            seen += 1;
            for (i, step) in walk.steps.iter().enumerate() {
                let cell = index.cell(&walk.way_to(i));
                let Subtree::Node(node) = step.subtree else { continue };
                let plane = index.node(node).plane;
                let heights: Vec<f64> = cell.polygons.iter().flatten().map(|p| plane.height(p)).collect();
                let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
                assert!(low <= step.height && step.height <= high, "{low} {} {high}", step.height);
                let divider = index.divider(&cell).unwrap();
                assert!(divider.dimension == 2 && divider.at.unwrap().node == node);
            }
        }
    }
    assert!(seen > 300, "{seen} of 600 points are clear of all planes on their way");
}

#[test]
fn a_pair_s_trace_is_the_walk_of_the_query_and_counts_each_node() {
    let torus = ccd_scenes::models::find("torus").unwrap();
    let mesh = torus.make(&[("major_segments", 15.0), ("minor_segments", 8.0)]).unwrap();
    let mesh = IndexedMesh::new(mesh).unwrap();
    let pose = Pose::new(Vector::new(0.7, 0.2, 0.1), Vector::new(0.4, 1.0, 0.2));
    // Spheres of either builder are walked alike; the octree is built in a moment.
    for kind in HierarchyKind::ALL.into_iter().filter(|kind| *kind != HierarchyKind::SphereMedialAxis) {
        let tree = Hierarchy::build(kind, &mesh).unwrap();
        let trace = trace_pair(&tree, &Pose::identity(), &tree, &pose, 0.0).unwrap();
        assert_eq!((trace.tested[0].node_a, trace.tested[0].node_b, trace.tested[0].is_near), (0, 0, true));
        for nodes in [&trace.nodes_a, &trace.nodes_b] {
            assert_eq!(nodes.iter().map(|n| n.tests as usize).sum::<usize>(), trace.tested.len());
            assert_eq!((nodes[0].node, nodes[0].level), (0, 0));
            assert!(nodes.windows(2).all(|w| w[0].node < w[1].node));
            for node in nodes {
                assert!(tree.level_nodes(node.level as usize) > 0 && (node.level as usize) < tree.level_count());
                match tree.volume(node.node, &pose) {
                    LevelVolume::Box(obb) => assert!(obb.half_extents.min() >= 0.0),
                    LevelVolume::Sphere(sphere) => assert!(sphere.radius > 0.0),
                }
            }
        }
        match &tree {
            Hierarchy::Spheres(spheres) => {
                let all = SphereBudget::Level(usize::MAX);
                let found = find_sphere_interference(spheres, &Pose::identity(), spheres, &pose, all);
                assert_eq!(trace.tested.len() as u64, found.tests);
            }
            Hierarchy::Aabb(boxes) => {
                let (_, work) = visit_pairs(boxes, boxes, &pose, 0.0, |_, _| std::ops::ControlFlow::Continue(()));
                assert_eq!(trace.tested.len() as u64, work.volume_tests);
            }
            _ => {}
        }
        let apart = Pose::new(Vector::new(9.0, 0.0, 0.0), Vector::zeros());
        let trace = trace_pair(&tree, &Pose::identity(), &tree, &apart, 0.0).unwrap();
        assert!(trace.tested.len() == 1 && !trace.nodes_b[0].is_near);
        let other = Hierarchy::Aabb(AabbTree::build(mesh.mesh()));
        assert_eq!(trace_pair(&tree, &apart, &other, &apart, 0.0).is_some(), kind == HierarchyKind::AabbTree);
    }
}
