//! The B-rep index: its size, and the classification of points.

use std::path::Path;
use std::sync::Arc;

use ccd_core::bounds::IndexedMesh;
use ccd_core::bounds::brep_index::{BrepIndex, BrepIndexOptions, IndexStats, Place, Recipe};
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::mesh::triangle::closest_point;
use ccd_core::io::obj::load_obj;
use ccd_core::math::{Point, Vector};

use crate::common::exact_place::Oracle;
use crate::common::hard_points::hard_point;
use crate::common::random::Random;
use crate::common::solids;

fn index(mesh: TriMesh, tolerance: f64, recipe: Recipe) -> BrepIndex {
    let mesh = Arc::new(IndexedMesh::new(mesh).unwrap());
    BrepIndex::build(mesh, &BrepIndexOptions { tolerance, recipe }).unwrap()
}

#[test]
fn the_papers_recipe_repeats_its_table_exactly_for_spheres_and_within_a_fifth_for_tori() {
    // Faces each way; vertices, edges and faces; nodes; height; average height.
    let spheres = [
        (4, 58, 58, 16, 7.8),
        (6, 134, 135, 19, 9.4),
        (8, 242, 245, 18, 9.9),
        (10, 382, 463, 18, 10.4),
        (20, 1562, 2309, 24, 13.0),
    ];
    for (n, entities, nodes, height, average) in spheres {
        let index = index(solids::sphere(n), 1e-6, Recipe::PAPER);
        let shape = index.shape();
        assert_eq!((index.brep().entity_count(), shape.node_count(), shape.height), (entities, nodes, height));
        assert!((shape.average_height / average - 1.0).abs() < 0.1, "{shape:?}");
        assert_eq!(shape.undecided, 0);
    }
    // The paper tells neither the radii nor the order of the faces, on which its cuts depend.
    let tori = [
        (4, 64, 110, 9, 6.1),
        (6, 144, 299, 11, 7.3),
        (8, 256, 435, 14, 8.6),
        (10, 400, 1019, 19, 10.2),
        (20, 1600, 4721, 27, 12.6),
    ];
    for (n, entities, nodes, height, average) in tori {
        let index = index(solids::torus(n), 1e-6, Recipe::PAPER);
        let shape = index.shape();
        assert_eq!(index.brep().entity_count(), entities);
        let of_paper = [
            shape.node_count() as f64 / f64::from(nodes),
            shape.height as f64 / f64::from(height),
            shape.average_height / average,
        ];
        assert!(of_paper.iter().all(|share| (share - 1.0).abs() < 0.2), "{n}: {of_paper:?}");
        assert_eq!(shape.undecided, 0);
    }
}

#[test]
fn the_default_has_lower_trees_than_the_papers_recipe() {
    for mesh in [solids::sphere(10), solids::sphere(20), solids::torus(10), solids::torus(20)] {
        let [paper, ours] = [Recipe::PAPER, Recipe::Balanced].map(|recipe| index(mesh.clone(), 1e-6, recipe).shape());
        assert!(ours.average_height < paper.average_height && ours.height <= paper.height, "{ours:?} {paper:?}");
        assert_eq!(ours.undecided, 0);
    }
}

/// Solids that are made here: convex, with a hole, with dents and coplanar parts, in two shells, with a cavity, and with
/// slivers and faces that are almost coplanar.
fn made() -> Vec<(String, TriMesh)> {
    let frame = solids::plate(&["####", "#..#", "####", "#.#."], 0.5);
    let mut with_cavity = solids::sphere(6);
    let inner = solids::sphere(4).scaled(Vector::repeat(0.5)).unwrap().flipped();
    with_cavity = joined(&with_cavity, &inner);
    let apart = joined(&solids::torus(6), &solids::sphere(4).scaled(Vector::repeat(0.4)).unwrap());
    vec![
        ("sphere".into(), solids::sphere(8)),
        ("torus".into(), solids::torus(8)),
        ("frame".into(), frame.clone()),
        ("frame, turned".into(), turned(&frame, &Vector::new(0.3, -0.7, 0.2))),
        ("sphere with a cavity".into(), with_cavity),
        ("torus and sphere".into(), apart),
        ("slivers".into(), solids::needle(1e-3)),
        ("thin slivers".into(), solids::needle(1e-7)),
        ("almost coplanar".into(), solids::dented_plate(1e-5)),
        ("coplanar but for rounding".into(), turned(&solids::dented_plate(1e-12), &Vector::new(1.0, 2.0, 3.0))),
    ]
}

fn joined(a: &TriMesh, b: &TriMesh) -> TriMesh {
    let base = a.vertices().len() as u32;
    let vertices = a.vertices().iter().chain(b.vertices()).copied().collect();
    let triangles = a.triangles().iter().copied().chain(b.triangles().iter().map(|t| t.map(|v| v + base))).collect();
    TriMesh::try_new(vertices, triangles).unwrap()
}

fn turned(mesh: &TriMesh, by: &Vector) -> TriMesh {
    let rotation = ccd_core::math::Rotation::from_scaled_axis(*by);
    TriMesh::try_new(mesh.vertices().iter().map(|p| rotation * p).collect(), mesh.triangles().to_vec()).unwrap()
}

/// Compares `count` hard points with the oracle. `windings`: how many of them with the winding number, too.
fn compare(
    name: &str,
    mesh: TriMesh,
    epsilon: f64,
    recipe: Recipe,
    count: usize,
    windings: usize,
    seed: u64,
) -> IndexStats {
    let index = index(mesh, epsilon, recipe);
    let (mesh, topology) = (index.mesh().mesh(), index.mesh().topology());
    let oracle = Oracle::new(mesh, topology, index.brep(), 1.01 * epsilon);
    let band = index.undecided_band();
    let mut random = Random(seed);
    let mut stats = IndexStats::default();
    for i in 0..count {
        let point = hard_point(&mut random, mesh, topology, epsilon);
        let place = index.classify_counted(&point, &mut stats);
        assert!(
            oracle.allows(&point, place, epsilon, band),
            "{name}, {recipe:?}, ε {epsilon:e}, seed {seed}, point {i}: {place:?} at {point:?}: {:?}",
            oracle.near(&point)
        );
        if i < windings && !matches!(place, Place::On(_)) {
            let winding = oracle.winding(&point);
            assert_eq!(winding > 0.5, place == Place::Inside, "{name}, point {i}: {winding} at {point:?}");
        }
    }
    assert_eq!(stats.recovered, 0, "{name}: the tree itself names every feature");
    stats
}

#[test]
fn points_on_and_near_features_and_their_extensions_are_where_exact_arithmetic_says() {
    for (seed, (name, mesh)) in (1..).zip(made()) {
        for recipe in [Recipe::Balanced, Recipe::PAPER] {
            for epsilon in [1e-4, 1e-8] {
                compare(&name, mesh.clone(), epsilon, recipe, 1500, 150, seed);
            }
        }
    }
}

#[test]
fn slivers_and_almost_coplanar_faces_are_decided_exactly_and_counted() {
    let stats = compare("almost coplanar", solids::dented_plate(1e-5), 1e-4, Recipe::Balanced, 3000, 0, 5);
    assert!(stats.moved > 0, "points in the extensions of faces are too close to call: {stats:?}");
}

/// The full run over a folder of models: `CCD_CORPUS=folder CCD_POINTS=1000000 cargo test --release -p ccd-core --test
/// brep_index corpus -- --nocapture`. Models that are no solids are named and must be refused with an edge or face pair.
#[test]
fn points_near_corpus_meshes_are_where_exact_arithmetic_says() {
    let Ok(folder) = std::env::var("CCD_CORPUS") else {
        println!("skipped: CCD_CORPUS is not set");
        return;
    };
    let count: usize = std::env::var("CCD_POINTS").map_or(200, |n| n.parse().unwrap());
    let mut files: Vec<_> =
        std::fs::read_dir(Path::new(&folder).join("meshes")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let only = std::env::var("CCD_MESH").unwrap_or_default();
    let mut total = IndexStats::default();
    let (mut points, mut meshes) = (0, 0);
    for file in files.iter().filter(|f| f.to_string_lossy().contains(&only)) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let mesh = load_obj(file).unwrap().welded();
        let size = mesh.aabb().half_extents().norm();
        let indexed = Arc::new(IndexedMesh::new(mesh.clone()).unwrap());
        if let Err(error) = BrepIndex::build(indexed, &BrepIndexOptions::with_tolerance(1e-6 * size)) {
            println!("{name}: refused: {error}");
            continue;
        }
        let (clock, triangles) = (std::time::Instant::now(), mesh.triangles().len());
        let stats = compare(&name, mesh, 1e-6 * size, Recipe::Balanced, count, count, 7);
        let share = |n: u64| n as f64 / count as f64;
        println!(
            "{name}: {triangles} triangles, {count} points, {:.1} plane tests a point, {stats:?}, {:.0} s",
            share(stats.plane_tests),
            clock.elapsed().as_secs_f64()
        );
        total += stats;
        points += count;
        meshes += 1;
    }
    println!("{meshes} meshes, {points} points: {total:?}");
}

#[test]
fn each_feature_of_a_frame_is_found_by_the_points_on_it() {
    let index = index(solids::plate(&["###", "#.#", "###"], 1.0), 1e-6, Recipe::Balanced);
    let (mesh, brep) = (index.mesh().mesh().clone(), index.brep().clone());
    for v in brep.corners() {
        assert_eq!(index.classify(&mesh.vertices()[v as usize]), Place::On(Feature::Vertex(v)));
    }
    for (e, edge) in brep.edges().iter().enumerate() {
        let [p, q] = edge.ends.map(|v| mesh.vertices()[v as usize]);
        let place = index.classify(&(p + (q - p) * 0.37));
        let Place::On(Feature::Edge(part)) = place else { panic!("{place:?} on edge {e}") };
        assert_eq!(brep.edge_of_mesh_edge(part), Some(e as u32));
    }
    // Seams of the triangulation and vertices inside flat faces belong to their faces.
    for f in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.triangle(f as usize);
        let centre = Point::from((a.coords + b.coords + c.coords) / 3.0);
        assert_eq!(index.classify(&centre), Place::On(Feature::Face(f)));
    }
    assert_eq!(index.classify(&Point::new(1.5, 1.5, 0.5)), Place::Outside, "in the hole");
    assert_eq!(index.classify(&Point::new(0.5, 1.5, 0.5)), Place::Inside);
    assert_eq!(index.classify(&Point::new(1.5, 1.5, 1.0)), Place::Outside, "in the hole, in the plane of the top");
    assert_eq!(index.classify(&Point::new(f64::NAN, 0.0, 0.0)), Place::Outside);
}

/// A place in the terms of the solid: which corner, whole edge or whole face.
fn whole(index: &BrepIndex, place: Place) -> Option<Feature> {
    match place {
        Place::On(Feature::Edge(e)) => index.brep().edge_of_mesh_edge(e).map(Feature::Edge),
        Place::On(Feature::Face(t)) => Some(Feature::Face(index.brep().face_of_triangle(t))),
        Place::On(vertex) => Some(vertex),
        Place::Inside | Place::Outside => None,
    }
}

#[test]
fn the_papers_figure_3_is_out_edge_face_vertex_edge_vertex_out() {
    // An L-shaped plate: in the plane of its top a segment crosses the outer edge, passes the face to the inner corner,
    // and goes on along an edge.
    let index = index(solids::plate(&["##", "#."], 1.0), 1e-6, Recipe::Balanced);
    let (start, end) = (Point::new(-1.0, 1.0, 1.0), Point::new(3.0, 1.0, 1.0));
    let pieces = index.classify_segment(&start, &end);
    let corner = |x: f64, y: f64| {
        let place = index.classify(&Point::new(x, y, 1.0));
        whole(&index, place).unwrap()
    };
    let expected = [
        (None, None),
        (Some(corner(0.0, 1.0)), Some(0.25)),
        (Some(corner(0.5, 0.5)), None),
        (Some(corner(1.0, 1.0)), Some(0.5)),
        (Some(corner(1.5, 1.0)), None),
        (Some(corner(2.0, 1.0)), Some(0.75)),
        (None, None),
    ];
    assert_eq!(pieces.len(), expected.len(), "{pieces:?}");
    for (piece, (feature, at)) in pieces.iter().zip(expected) {
        assert_eq!(whole(&index, piece.place), feature, "{pieces:?}");
        assert_eq!(piece.crossing.is_some(), at.is_some(), "{pieces:?}");
        assert!(piece.crossing.zip(at).is_none_or(|(t, at)| (t - at).abs() < 1e-9), "{pieces:?}");
    }
    assert!(matches!(expected[1].0, Some(Feature::Edge(_))) && matches!(expected[3].0, Some(Feature::Vertex(_))));
    // Backwards it is the same sequence, backwards.
    let mut back: Vec<_> = index.classify_segment(&end, &start).iter().map(|p| whole(&index, p.place)).collect();
    back.reverse();
    assert_eq!(back, expected.map(|e| e.0));
}

/// The distance of a point from a whole feature of the solid.
fn to_whole(index: &BrepIndex, feature: Feature, p: &Point) -> f64 {
    let to_edge = |part: &u32| {
        let [a, b] = index.mesh().edge(*part);
        let along = b - a;
        (p - (a + along * ((p - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0))).norm()
    };
    let to_face = |t: &u32| (closest_point(&index.mesh().triangle(*t), p).0 - p).norm();
    match feature {
        Feature::Vertex(v) => (p - index.mesh().mesh().vertices()[v as usize]).norm(),
        Feature::Edge(e) => index.brep().parts_of_edge(e).iter().map(to_edge).fold(f64::INFINITY, f64::min),
        Feature::Face(f) => index.brep().triangles_of_face(f).iter().map(to_face).fold(f64::INFINITY, f64::min),
    }
}

#[test]
fn every_point_of_a_segment_is_where_its_piece_says() {
    for (seed, (name, mesh)) in (1..).zip(made()) {
        let epsilon = 1e-3;
        let index = index(mesh, epsilon, Recipe::Balanced);
        let (mesh, topology) = (index.mesh().mesh(), index.mesh().topology());
        let mut random = Random(seed);
        for i in 0..60 {
            let [start, end] = [0, 1].map(|_| hard_point(&mut random, mesh, topology, epsilon));
            let pieces = index.classify_segment(&start, &end);
            assert_eq!((pieces[0].from, pieces[pieces.len() - 1].to), (0.0, 1.0), "{name} {i}");
            assert!(pieces.windows(2).all(|w| w[0].to == w[1].from), "{name} {i}: {pieces:?}");
            for piece in pieces.iter().filter(|p| p.crossing.is_none()) {
                for share in [0.01, 0.3, 0.5, 0.8, 0.99] {
                    let t = piece.from + (piece.to - piece.from) * share;
                    let point = start + (end - start) * t;
                    let place = index.classify(&point);
                    let as_told = match (piece.place, place) {
                        (Place::On(told), Place::On(found)) => {
                            std::mem::discriminant(&told) == std::mem::discriminant(&found)
                                && to_whole(&index, whole(&index, piece.place).unwrap(), &point)
                                    <= epsilon * (1.0 + 1e-9)
                        }
                        (told, found) => told == found,
                    };
                    let is_at_the_rim = (piece.to - piece.from) * (end - start).norm() < 1e-9;
                    assert!(as_told || is_at_the_rim, "{name} {i}: {place:?} at {t} of {pieces:?}");
                }
            }
        }
    }
}

#[test]
fn features_closer_than_the_spacing_are_listed_the_closest_first() {
    let plate = index(solids::plate(&["##", "#."], 0.25), 1e-3, Recipe::Balanced);
    assert_eq!(plate.close_features(plate.least_spacing()), []);
    let close = plate.close_features(0.3);
    // The upright edges by their ends; corners over the face below; edges over edges.
    assert!(close.iter().all(|c| (c.distance - 0.25).abs() < 1e-15), "{close:?}");
    let short =
        close.iter().filter(|c| matches!((c.features.a, c.features.b), (Feature::Vertex(_), Feature::Vertex(_))));
    assert_eq!(short.count(), 6, "one at each corner of the plan: {close:?}");
    assert!(close.iter().any(|c| matches!((c.features.a, c.features.b), (Feature::Vertex(_), Feature::Face(_)))));
    let close = index(solids::needle(1e-3), 1e-6, Recipe::Balanced).close_features(0.01);
    assert!(!close.is_empty() && close.windows(2).all(|w| w[0].distance <= w[1].distance));
}

#[test]
fn of_two_faces_nearer_to_each_other_than_planes_are_thick_the_one_that_a_point_is_on_is_named() {
    // A thin sheet on a thin rod: both sides of either are in one plane to within its thickness, a 1024th of the tolerance.
    let thin = 2.0_f64.powi(-20);
    let heights = [1.0, 1.0 + thin, 2.0 + thin];
    let corners: [[usize; 3]; 12] = [
        [0, 0, 0],
        [0, 1, 0],
        [0, 1, 1],
        [0, 0, 1],
        [1, 0, 0],
        [1, 1, 0],
        [1, 1, 1],
        [1, 0, 1],
        [0, 1, 2],
        [0, 0, 2],
        [1, 1, 2],
        [1, 0, 2],
    ];
    let triangles: [[u32; 3]; 20] = [
        [3, 2, 1],
        [3, 1, 0],
        [5, 6, 7],
        [5, 7, 4],
        [7, 3, 0],
        [7, 0, 4],
        [2, 6, 5],
        [2, 5, 1],
        [5, 4, 0],
        [5, 0, 1],
        [8, 2, 3],
        [8, 3, 9],
        [7, 6, 10],
        [7, 10, 11],
        [7, 11, 9],
        [7, 9, 3],
        [8, 10, 6],
        [8, 6, 2],
        [9, 11, 10],
        [9, 10, 8],
    ];
    let place = |[x, y, z]: [usize; 3]| Point::new(thin * (1 + x) as f64, thin + y as f64, heights[z]);
    let mesh = TriMesh::try_new(corners.map(place).to_vec(), triangles.to_vec()).unwrap();
    let index = index(mesh, 2.0_f64.powi(-7), Recipe::Balanced);
    for x in [1.0, 2.0] {
        let point = Point::new(thin * x, 0.5, 1.5);
        let Place::On(Feature::Face(face)) = index.classify(&point) else { panic!("{point}") };
        assert_eq!(index.mesh().triangle(face).map(|p| p.x), [point.x; 3], "{point}: face {face}");
    }
}
