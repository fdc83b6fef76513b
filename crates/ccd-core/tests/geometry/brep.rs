//! Faces, edges and corners of meshes without the seams of their triangles.

use ccd_core::geometry::mesh::{Brep, HalfEdgeMesh, Topology, TriMesh};

use crate::common::solids;

/// A plate, as [`solids::plate`] draws them, with all that is known of it.
fn plate(filled: &[&str]) -> (TriMesh, Topology, HalfEdgeMesh, Brep) {
    let mesh = solids::plate(filled, 1.0);
    let topology = Topology::of(&mesh);
    let half_edges = HalfEdgeMesh::try_new(&mesh).unwrap();
    let brep = Brep::build(&mesh, &topology, &half_edges, 1e-12);
    (mesh, topology, half_edges, brep)
}

/// Euler's formula with loops: V − E + F = 2 (shells − handles) + inner loops.
fn euler(brep: &Brep) -> i64 {
    let loops: usize = (0..brep.face_count() as u32).map(|f| brep.loops_of_face(f).len()).sum();
    let inner = loops as i64 - brep.face_count() as i64;
    brep.corner_count() as i64 - brep.edges().len() as i64 + brep.face_count() as i64 - inner
}

#[test]
fn a_frame_has_the_faces_edges_and_loops_of_its_surface_however_it_is_triangulated() {
    let (mesh, _, half_edges, brep) = plate(&["####", "#..#", "#..#", "####"]);
    // Top and bottom, four outer and four inner walls; sixteen corners, as of two boxes.
    assert_eq!((brep.face_count(), brep.edges().len(), brep.corner_count()), (10, 24, 16));
    assert_eq!(euler(&brep), 0, "one shell with one handle");
    for f in 0..brep.face_count() as u32 {
        let expected = if brep.planes()[f as usize].normal.z.abs() > 0.5 { 2 } else { 1 };
        assert_eq!(brep.loops_of_face(f).len(), expected);
        for &first in brep.loops_of_face(f) {
            assert_eq!(brep.loop_from(first).count(), 4);
            for h in brep.loop_from(first) {
                assert_eq!(brep.face_of_half_edge(h), f);
                assert_eq!(brep.origin(brep.next(h)), brep.origin(brep.twin(h)));
            }
        }
    }
    for v in brep.corners() {
        let faces = brep.faces_of_corner(&half_edges, v);
        let (best, determinant) = brep.defining_faces(&faces).unwrap();
        assert_eq!(determinant, 1.0);
        assert!(best.iter().all(|&f| brep.planes()[f as usize].height(&mesh.vertices()[v as usize]).abs() < 1e-15));
    }
}

#[test]
fn the_planes_of_an_edge_hold_its_points_and_no_others() {
    let (mesh, _, _, brep) = plate(&["##", "#."]);
    for e in 0..brep.edges().len() as u32 {
        let [left, right, start, end] = brep.planes_of_edge(&mesh, e);
        let [p, q] = brep.edges()[e as usize].ends.map(|v| mesh.vertices()[v as usize]);
        let middle = nalgebra::center(&p, &q);
        assert!(left.height(&middle).abs() < 1e-15 && right.height(&middle).abs() < 1e-15);
        assert!(start.height(&middle) < 0.0 && end.height(&middle) < 0.0);
        let beyond = q + (q - p) * 0.25;
        assert!(end.height(&beyond) > 0.0 && start.height(&beyond) < 0.0);
    }
}

#[test]
fn convex_pieces_cover_a_concave_face_with_a_hole_and_are_convex() {
    let (mesh, topology, _, brep) = plate(&["#####", "#.#..", "#####", "..#.."]);
    let pieces = brep.convex_pieces(&mesh, &topology);
    let triangle_count: usize = (0..brep.face_count() as u32).map(|f| brep.triangles_of_face(f).len()).sum();
    assert_eq!(triangle_count, mesh.triangles().len());
    assert!(pieces.len() < triangle_count / 2, "{} pieces of {triangle_count} triangles", pieces.len());
    for f in 0..brep.face_count() as u32 {
        let normal = brep.planes()[f as usize].normal;
        let mut covered = 0.0;
        for piece in pieces.iter().filter(|p| p.face == f) {
            let corner = |k: usize| mesh.vertices()[piece.corners[k % piece.corners.len()] as usize];
            for k in 0..piece.corners.len() {
                assert!((corner(k + 1) - corner(k)).cross(&(corner(k + 2) - corner(k + 1))).dot(&normal) >= 0.0);
                covered += 0.5 * (corner(k) - corner(0)).cross(&(corner(k + 1) - corner(0))).dot(&normal);
            }
        }
        let area: f64 = brep
            .triangles_of_face(f)
            .iter()
            .map(|&t| {
                let [a, b, c] = mesh.triangle(t as usize);
                0.5 * (b - a).cross(&(c - a)).norm()
            })
            .sum();
        assert!((covered - area).abs() < 1e-12, "{covered} of {area}");
    }
}
