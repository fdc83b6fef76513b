//! The B-rep index: labels and heights (E15, E17).

use std::sync::Arc;

use ccd_core::bounds::IndexedMesh;
use ccd_core::bounds::brep_index::{BrepIndex, BrepIndexOptions, Place, Recipe};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::Point;

use crate::common::solids;

fn index(mesh: TriMesh, recipe: Recipe) -> BrepIndex {
    let mesh = Arc::new(IndexedMesh::new(mesh).unwrap());
    BrepIndex::build(mesh, &BrepIndexOptions { tolerance: 1e-6, recipe }).unwrap()
}

#[test]
fn e15_on_the_extension_of_a_face_into_a_solid_that_is_not_convex_a_point_is_inside_of_the_solid() {
    // An L of three cells of a metre: the planes of its two inner faces go on through its corner cell's neighbours.
    for recipe in [Recipe::PAPER, Recipe::Balanced] {
        let l = index(solids::plate(&["#.", "##"], 1.0), recipe);
        let places =
            |points: &[[f64; 3]]| -> Vec<Place> { points.iter().map(|p| l.classify(&Point::from(*p))).collect() };
        let [a, b, c, d] = [[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.5, 1.5, 0.5], [1.5, 1.5, 0.5]];
        let cells = places(&[a, b, c, d]);
        let empty = cells.iter().position(|place| *place == Place::Outside).unwrap();
        assert_eq!(cells.iter().filter(|place| **place == Place::Inside).count(), 3, "{cells:?}");
        // The walls between the cells that are full lie in the planes of the inner faces.
        let walls = [
            ([1.0, 0.5, 0.5], [0, 1]),
            ([0.5, 1.0, 0.5], [0, 2]),
            ([1.0, 1.5, 0.5], [2, 3]),
            ([1.5, 1.0, 0.5], [1, 3]),
        ];
        for (wall, beside) in walls {
            let place = l.classify(&Point::from(wall));
            if beside.contains(&empty) {
                assert!(matches!(place, Place::On(_)), "{wall:?}: {place:?}");
            } else {
                assert_eq!(place, Place::Inside, "{wall:?}, {recipe:?}");
            }
        }
    }
}

#[test]
fn e17_planes_of_faces_alone_make_a_list_of_a_convex_solid_and_the_hybrid_has_the_printed_height() {
    for (n, faces, printed) in [(4, 16, 16), (6, 36, 19), (8, 64, 18)] {
        let plain = index(solids::sphere(n), Recipe::Paper { many_faces: u32::MAX }).shape();
        let hybrid = index(solids::sphere(n), Recipe::PAPER).shape();
        assert_eq!((plain.height, hybrid.height), (faces, printed), "{n} × {n} faces");
    }
}
