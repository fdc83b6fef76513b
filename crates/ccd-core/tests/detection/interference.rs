//! What mesh/mesh interference promises: exact answers where surfaces touch, the same from both sides and by every pruning.

use ccd_core::bounds::IndexedMesh;
use ccd_core::bounds::tree::ObbTree;
use ccd_core::detection::interference::{
    MeshInterference, Pruning, Relation, Side, find_mesh_interference, relate_meshes,
};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::mesh::meeting::Meeting;
use ccd_core::math::{Point, Pose, Real, Vector};
use proptest::prelude::*;

fn model(name: &str, options: &[(&str, Real)]) -> IndexedMesh {
    IndexedMesh::new(ccd_scenes::models::find(name).unwrap().make(options).unwrap()).unwrap()
}

fn indexed(vertices: Vec<Point>, triangles: Vec<[u32; 3]>) -> IndexedMesh {
    IndexedMesh::new(TriMesh::try_new(vertices, triangles).unwrap()).unwrap()
}

fn cuboid(x: Real, y: Real, z: Real) -> IndexedMesh {
    model("box", &[("x", x), ("y", y), ("z", z)])
}

/// The answer, after checking that it is that of the swapped question, of every pruning, and of the query that ends early.
fn relation(a: &IndexedMesh, pose_a: &Pose, b: &IndexedMesh, pose_b: &Pose) -> MeshInterference {
    let (tree_a, tree_b) = (ObbTree::build(a.mesh()), ObbTree::build(b.mesh()));
    let found = find_mesh_interference(a, pose_a, b, pose_b, Pruning::AabbTrees);
    for pruning in [Pruning::AabbTrees, Pruning::ObbTrees(&tree_a, &tree_b), Pruning::Grid] {
        let same = find_mesh_interference(a, pose_a, b, pose_b, pruning);
        assert_eq!(
            (same.relation, &same.meetings, same.inner),
            (found.relation, &found.meetings, found.inner),
            "{pruning:?}"
        );
        assert_eq!(relate_meshes(a, pose_a, b, pose_b, pruning), found.relation, "{pruning:?}");
    }
    let mut swapped = find_mesh_interference(b, pose_b, a, pose_a, Pruning::AabbTrees);
    let other = |side: Side| if side == Side::A { Side::B } else { Side::A };
    swapped.meetings.iter_mut().for_each(|m| m.edge_of = other(m.edge_of));
    swapped.meetings.sort_by_key(|m| (m.edge_of, m.edge, m.face));
    assert_eq!(
        (swapped.relation, swapped.meetings),
        (found.relation, found.meetings.clone()),
        "asked the other way round"
    );
    if found.inner.is_some() {
        assert_eq!(swapped.inner.map(other), found.inner);
    }
    found
}

fn lattice() -> impl Strategy<Value = [i32; 3]> {
    prop::array::uniform3(-2..=2_i32)
}

/// Tetrahedra with corners on a small lattice, wound outwards.
fn tetrahedron() -> impl Strategy<Value = [Point; 4]> {
    prop::array::uniform4(lattice()).prop_filter_map("flat", |corners| {
        let [a, b, c, d] = corners.map(|p| Point::from(p.map(Real::from)));
        let volume = (b - a).cross(&(c - a)).dot(&(d - a));
        if volume == 0.0 { None } else { Some(if volume > 0.0 { [a, b, c, d] } else { [a, c, b, d] }) }
    })
}

const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// How two tetrahedra stand to each other, by all separating axes in exact integers.
fn by_separating_axes(a: &[Point; 4], b: &[Point; 4]) -> Relation {
    let normals = |t: &[Point; 4]| FACES.map(|[i, j, k]| (t[j] - t[i]).cross(&(t[k] - t[i])));
    let edges = |t: &[Point; 4]| [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| t[j] - t[i]);
    let mut axes: Vec<Vector> = normals(a).into_iter().chain(normals(b)).collect();
    axes.extend(edges(a).iter().flat_map(|e| edges(b).map(|f| e.cross(&f))));
    let mut relation = Relation::Overlapping;
    for axis in axes.iter().filter(|axis| axis.norm() > 0.0) {
        let span = |t: &[Point; 4]| {
            t.iter()
                .map(|p| axis.dot(&p.coords))
                .fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
        };
        let ((low_a, high_a), (low_b, high_b)) = (span(a), span(b));
        if high_a < low_b || high_b < low_a {
            return Relation::Apart;
        }
        if high_a == low_b || high_b == low_a {
            relation = Relation::Touching;
        }
    }
    relation
}

#[test]
fn wedges_on_a_common_edge_overlap_although_no_edge_enters_a_face() {
    // Two faces pass through each other between the end of the common edge and a point where two other edges cross.
    let tetrahedron = |corners: [[i32; 3]; 4]| corners.map(|p| Point::from(p.map(Real::from)));
    let a = tetrahedron([[2, -1, -1], [0, 2, -2], [0, -1, -1], [1, 2, -1]]);
    let b = tetrahedron([[0, -1, -1], [0, -1, 0], [1, -1, -2], [1, 2, -1]]);
    let mesh = |t: &[Point; 4]| indexed(t.to_vec(), FACES.map(|f| f.map(|v| v as u32)).to_vec());
    let found = relation(&mesh(&a), &Pose::identity(), &mesh(&b), &Pose::identity());
    assert_eq!((found.relation, by_separating_axes(&a, &b)), (Relation::Overlapping, Relation::Overlapping));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn lattice_tetrahedra_stand_to_each_other_as_their_separating_axes_say(a in tetrahedron(), b in tetrahedron()) {
        let mesh = |t: &[Point; 4]| indexed(t.to_vec(), FACES.map(|f| f.map(|v| v as u32)).to_vec());
        let still = Pose::identity();
        let found = relation(&mesh(&a), &still, &mesh(&b), &still);
        prop_assert_eq!(found.relation, by_separating_axes(&a, &b));
    }

    #[test]
    fn lattice_boxes_touch_overlap_and_part_exactly(
        half_a in prop::array::uniform3(1..=3_i32), half_b in prop::array::uniform3(1..=3_i32), at in prop::array::uniform3(-4..=4_i32),
    ) {
        let mesh = |h: [i32; 3]| cuboid(2.0 * Real::from(h[0]), 2.0 * Real::from(h[1]), 2.0 * Real::from(h[2]));
        let pose_b = Pose::from_parts(Vector::from(at.map(Real::from)).into(), Default::default());
        let gap = (0..3).map(|k| at[k].abs() - half_a[k] - half_b[k]).max().unwrap();
        let expected = match gap {
            1.. => Relation::Apart,
            0 => Relation::Touching,
            _ => Relation::Overlapping,
        };
        prop_assert_eq!(relation(&mesh(half_a), &Pose::identity(), &mesh(half_b), &pose_b).relation, expected);
    }

    #[test]
    fn curved_solids_in_any_place_are_judged_the_same_from_both_sides(
        at in prop::array::uniform3(-1.2..1.2_f64), turn in prop::array::uniform3(-3.0..3.0_f64), far in prop_oneof![Just(0.0), Just(1e4)],
    ) {
        let torus = model("torus", &[("major_segments", 10.0), ("minor_segments", 6.0)]);
        let away = Vector::new(far, -far, far);
        let pose_a = Pose::new(away, Vector::new(0.3, 0.2, 0.1));
        let pose_b = Pose::new(away + Vector::from(at), Vector::from(turn));
        let found = relation(&torus, &pose_a, &torus, &pose_b);
        // What meets, meets near the place that is named.
        for m in &found.meetings {
            let (other, pose) = (&torus, if m.edge_of == Side::A { &pose_b } else { &pose_a });
            let distance = other.closest_point(&pose.inverse_transform_point(&m.point), 1.0).unwrap().distance;
            prop_assert!(distance <= 1e-15 * (10.0 + far) * 100.0, "{distance}");
        }
    }
}

#[test]
fn wholly_inside_is_overlap_and_inside_against_a_wall_too() {
    let (small, large, still) = (cuboid(1.0, 1.0, 1.0), cuboid(4.0, 4.0, 4.0), Pose::identity());
    let inside = relation(&small, &still, &large, &still);
    assert_eq!((inside.relation, inside.inner, inside.meetings.len()), (Relation::Overlapping, Some(Side::A), 0));
    assert_eq!(relation(&small, &Pose::translation(1.5, 0.0, 0.0), &large, &still).relation, Relation::Overlapping);
    assert_eq!(relation(&small, &Pose::translation(2.5, 0.0, 0.0), &large, &still).relation, Relation::Touching);
    // Through each other's faces along common edges: no edge passes through a face.
    assert_eq!(relation(&large, &Pose::translation(2.0, 0.0, 0.0), &large, &still).relation, Relation::Overlapping);
    assert_eq!(relation(&large, &still, &large, &still).relation, Relation::Overlapping);
    // In the hole of a torus, nothing is inside.
    let torus = model("torus", &[]);
    let bead = model("sphere", &[("radius", 0.2)]);
    assert_eq!(relation(&bead, &still, &torus, &still).relation, Relation::Apart);
    let in_the_tube = relation(&bead, &Pose::translation(1.0, 0.0, 0.0), &torus, &still);
    assert_eq!((in_the_tube.relation, in_the_tube.inner), (Relation::Overlapping, Some(Side::A)));
}

#[test]
fn a_needle_that_crosses_one_face_is_found_with_its_edges_and_a_soup_has_no_inside() {
    let sheet = indexed(
        vec![Point::new(-5.0, 0.0, -5.0), Point::new(5.0, 0.0, -5.0), Point::new(0.0, 0.0, 9.0)],
        vec![[0, 1, 2]],
    );
    let box_of_1 = cuboid(1.0, 1.0, 1.0);
    let still = Pose::identity();
    let through = relation(&box_of_1, &Pose::translation(0.0, 0.2, 0.0), &sheet, &still);
    assert_eq!(through.relation, Relation::Overlapping);
    // The four upright edges, and the diagonals of the four upright faces.
    assert_eq!(through.meetings.len(), 8);
    assert!(
        through
            .meetings
            .iter()
            .all(|m| m.edge_of == Side::A && m.meeting == Meeting::Crossing && m.point.y.abs() < 1e-15)
    );
    let rests = relation(&box_of_1, &Pose::translation(0.0, 0.5, 0.0), &sheet, &still);
    assert_eq!(rests.relation, Relation::Touching);
    let hovers = Pose::translation(0.0, 0.5 + 1e-15, 0.0);
    assert_eq!(relation(&box_of_1, &hovers, &sheet, &still).relation, Relation::Apart);
    let small_sheet = indexed(
        vec![Point::new(-0.1, 0.0, -0.1), Point::new(0.1, 0.0, -0.1), Point::new(0.0, 0.0, 0.1)],
        vec![[0, 1, 2]],
    );
    assert_eq!(relation(&small_sheet, &still, &box_of_1, &still).inner, Some(Side::A));
}
