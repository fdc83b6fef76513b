//! Models made by others load, and the index answers on them. Reads the folder in the environment variable `CCD_CORPUS`.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::PathBuf;

use ccd_core::bounds::IndexedMesh;
use ccd_core::geometry::mesh::{HalfEdgeMesh, SurfaceKind};
use ccd_core::geometry::solid::{Segment, Solid};
use ccd_core::io::obj::{load_obj, parse_obj, write_obj};
use ccd_core::math::Real;

fn models() -> Vec<PathBuf> {
    let Some(corpus) = std::env::var_os("CCD_CORPUS") else {
        println!("skipped: CCD_CORPUS is not set");
        return Vec::new();
    };
    let folder = PathBuf::from(corpus).join("meshes");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut models: Vec<PathBuf> =
        files.map(|f| f.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "obj")).collect();
    models.sort();
    assert!(!models.is_empty(), "{} holds no OBJ file", folder.display());
    models
}

#[test]
fn every_model_of_the_corpus_loads_and_survives_being_written() {
    for path in models() {
        let mesh = load_obj(&path).unwrap_or_else(|e| panic!("{e}"));
        let mut text = Vec::new();
        write_obj(&mesh, &mut text).unwrap();
        assert_eq!(parse_obj(&*text, "written").unwrap(), mesh, "{}", path.display());
        let indexed = IndexedMesh::new(mesh).unwrap();
        let topology = indexed.topology();
        println!(
            "{}: {} triangles, {:?}, {} boundary and {} non-manifold edges, {} shells, welding saves {} vertices, {} bytes a triangle",
            path.file_name().unwrap_or_default().display(),
            indexed.mesh().triangles().len(),
            indexed.surface_kind(),
            topology.boundary_edge_count(),
            topology.non_manifold_edge_count(),
            topology.shell_count(),
            indexed.mesh().vertices().len() - indexed.mesh().welded().vertices().len(),
            indexed.size_bytes() / indexed.mesh().triangles().len(),
        );
        assert_eq!(
            topology.is_manifold() && topology.is_consistently_wound(),
            HalfEdgeMesh::try_new(indexed.mesh()).is_ok()
        );
    }
}

#[test]
fn on_every_solid_of_the_corpus_sides_and_casts_agree() {
    for path in models() {
        let solid = IndexedMesh::new(load_obj(&path).unwrap()).unwrap();
        if solid.surface_kind() != SurfaceKind::Solid {
            continue;
        }
        let far = solid.local_aabb().inflated(1.0).max;
        let size = (solid.local_aabb().max - solid.local_aabb().min).norm();
        for f in 0..solid.mesh().triangles().len() as u32 {
            let [a, b, c] = solid.triangle(f);
            let middle = a + ((b - a) + (c - a)) / 3.0;
            for side in [1.0, -1.0] {
                let p = middle + solid.face_normals()[f as usize] * (1e-6 * size * side);
                let closest = solid.closest_point(&p, Real::INFINITY).unwrap();
                // Where another part of the surface is nearer (thin walls, crossing shells) the face says nothing.
                if closest.feature == ccd_core::geometry::feature::Feature::Face(f)
                    && solid.topology().shell_count() == 1
                {
                    assert_eq!(solid.contains(&p), side < 0.0, "{} face {f}", path.display());
                }
                let to_far = solid.cast_segment(&Segment { start: p, end: far });
                if solid.contains(&p) {
                    assert_eq!(to_far.unwrap().fraction, 0.0);
                }
            }
        }
    }
}
