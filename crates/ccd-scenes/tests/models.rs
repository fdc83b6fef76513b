//! What the generators promise: counts, closedness, orientation, size.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ccd_core::bounds::IndexedMesh;
use ccd_core::detection::closest::interferes;
use ccd_core::geometry::mesh::{HalfEdgeMesh, SurfaceKind, Topology, TriMesh};
use ccd_core::geometry::solid::Solid;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use ccd_scenes::models::{
    ALL, Bolt, Bullet, Cuboid, Gear, Icosphere, Model, ModelError, Nut, Ring, Torus, UvSphere, WarpedPlane, find,
};
use ccd_scenes::options::OptionError;
use robust::{Coord3D, orient3d};

fn assert_solid(mesh: &TriMesh, genus: usize) {
    let topology = Topology::of(mesh);
    assert_eq!(topology.surface_kind(mesh), SurfaceKind::Solid);
    assert!(topology.is_manifold() && topology.is_consistently_wound());
    assert_eq!(topology.shell_count(), 1);
    assert_eq!(mesh.vertices().len() + mesh.triangles().len() + 2 * genus, topology.edges().len() + 2, "Euler");
    assert!(HalfEdgeMesh::try_new(mesh).unwrap().boundary_loops().is_empty());
}

#[test]
fn every_closed_model_is_a_manifold_solid_of_its_genus_and_count() {
    for (mesh, genus, triangles) in [
        (Bullet::default().build(), 0, 640),
        (Torus::default().build(), 1, 2000),
        (Ring::default().build(), 1, 500),
        (Gear::default().build(), 1, 384),
        (Gear { teeth: 7, ..Gear::default() }.build(), 1, 224),
        (Bolt::default().build(), 0, 1672),
        (Nut::default().build(), 1, 712),
        (Nut { side_segments: 1, height: 0.17, ..Nut::default() }.build(), 1, 208),
        (Cuboid::default().build(), 0, 12),
        (Icosphere::default().build(), 0, 320),
        (Icosphere { subdivisions: 0, radius: 2.0 }.build(), 0, 20),
        (UvSphere::default().build(), 0, 480),
        (UvSphere { segments: 3, rings: 2, radius: 1.0 }.build(), 0, 6),
    ] {
        let mesh = mesh.unwrap();
        assert_eq!(mesh.triangles().len(), triangles);
        assert_solid(&mesh, genus);
    }
}

#[test]
fn volumes_are_those_of_the_shapes_that_the_models_approach() {
    let volume = |mesh: Result<TriMesh, ModelError>| mesh.unwrap().signed_volume();
    let pi = std::f64::consts::PI;
    assert!((volume(Cuboid { x: 2.0, y: 3.0, z: 4.0 }.build()) - 24.0).abs() < 1e-12);
    let ball = 4.0 / 3.0 * pi * 0.125;
    assert!((0.99..1.0).contains(&(volume(Icosphere { radius: 0.5, subdivisions: 4 }.build()) / ball)));
    assert!((0.99..1.0).contains(&(volume(UvSphere { radius: 0.5, segments: 60, rings: 60 }.build()) / ball)));
    let torus = Torus { major_segments: 200, minor_segments: 100, ..Torus::default() };
    assert!((0.99..1.0).contains(&(volume(torus.build()) / (2.0 * pi * pi * 0.16))));
}

#[test]
fn no_triangle_of_the_bullet_has_a_vertex_above_it_and_every_vertex_is_a_corner_of_its_hull() {
    let mesh = Bullet::default().build().unwrap();
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (322, 640));
    let c = |p: Point| Coord3D { x: p.x, y: p.y, z: p.z };
    // Convex at every edge, exactly, and closed of genus 0: convex as a whole.
    let topology = Topology::of(&mesh);
    for e in 0..topology.edges().len() {
        let &[f, g] = topology.faces_of_edge(e) else { panic!("edge {e}") };
        let [p, q, r] = mesh.triangle(f as usize).map(c);
        let opposite = mesh.triangles()[g as usize].iter().find(|v| !topology.edges()[e].contains(v)).unwrap();
        let side = orient3d(p, q, r, c(mesh.vertices()[*opposite as usize]));
        assert!(side >= 0.0, "edge {e} is dented by {side:e}");
    }
    // A direction in which the vertex is strictly the furthest, by far more than rounding.
    let indexed = IndexedMesh::new(mesh.clone()).unwrap();
    for (v, p) in mesh.vertices().iter().enumerate() {
        let n = indexed.vertex_normals()[v];
        let others = mesh.vertices().iter().enumerate().filter(|(w, _)| *w != v);
        let next = others.map(|(_, q)| n.dot(&(q - p))).fold(Real::NEG_INFINITY, Real::max);
        assert!(next < -1e-7, "vertex {v} stands out by {} m only", -next);
    }
}

#[test]
fn the_bullet_is_five_centimetres_long_and_turns_about_its_axis() {
    let mesh = Bullet::default().build().unwrap();
    let size = mesh.aabb().max - mesh.aabb().min;
    assert!((size.y - 0.05).abs() < 1e-15 && (size.x - 0.012).abs() < 1e-12);
    assert_eq!(mesh.vertices().iter().max_by(|p, q| p.y.total_cmp(&q.y)), Some(&Point::new(0.0, 0.025, 0.0)));
}

#[test]
fn the_sheet_is_an_open_soup_of_2010_triangles_with_one_round_hole() {
    let sheet = WarpedPlane::default();
    let mesh = sheet.build().unwrap();
    assert_eq!(mesh.triangles().len(), 2010);
    let topology = Topology::of(&mesh);
    assert_eq!(topology.surface_kind(&mesh), SurfaceKind::Soup);
    assert!(topology.is_manifold() && topology.is_consistently_wound());
    let loops = HalfEdgeMesh::try_new(&mesh).unwrap().boundary_loops();
    assert_eq!(loops.len(), 2);
    for i in 0..67 {
        let p = mesh.vertices()[i];
        assert!((p.x.hypot(p.z) - sheet.hole_radius).abs() < 1e-12);
    }
    for (f, _) in mesh.triangles().iter().enumerate() {
        let normal = mesh.face_normal(f);
        assert!(normal.y > 0.9, "faces +y, and is nowhere steep: {normal}");
    }
    let aabb = mesh.aabb();
    assert_eq!((aabb.min.x, aabb.max.x, aabb.min.z, aabb.max.z), (-1.5, 1.5, -1.5, 1.5));
}

#[test]
fn two_default_rings_hang_in_each_other_without_touching() {
    let ring = IndexedMesh::new(Ring::default().build().unwrap()).unwrap();
    // The other ring stands upright, 0.8 m along x: its tube passes through the hole.
    let quarter = std::f64::consts::FRAC_PI_2;
    let turn = Rotation::from_axis_angle(&Vector::x_axis(), quarter);
    let other: Vec<Point> = ring.mesh().vertices().iter().map(|p| turn * p + Vector::new(0.8, 0.0, 0.0)).collect();
    assert!(other.iter().all(|p| ring.signed_distance(p) > 0.05));
    assert!(other.iter().any(|p| p.x < 0.35 && p.y.abs() < 0.06), "it reaches through the hole");
}

#[test]
fn a_bolt_fits_its_nut_wherever_it_is_turned_to_by_a_pitch_a_turn_and_nowhere_else() {
    let bolt = Shape::mesh(Bolt::default().build().unwrap()).unwrap();
    let nut = Shape::mesh(Nut::default().build().unwrap()).unwrap();
    let place = |turns: Real, height: Real| {
        let turn = Rotation::from_axis_angle(&Vector::y_axis(), turns * std::f64::consts::TAU);
        Pose::from_parts(Vector::new(0.0, height, 0.0).into(), turn)
    };
    let pitch = Bolt::default().pitch;
    let overlaps = |turns, height| interferes(&bolt, &place(turns, height), &nut, &Pose::identity(), 0.0).is_some();
    for i in -6..=6 {
        let turns = Real::from(i) / 4.7;
        assert!(!overlaps(turns, turns * pitch), "turned {turns} times");
        // A third of a pitch off it crosses the nut's thread: neither is smooth.
        assert!(overlaps(turns, (turns + 0.33) * pitch), "turned {turns} times");
    }
}

#[test]
fn a_gear_has_its_teeth_where_its_bore_and_gaps_are_not() {
    let gear = Gear::default();
    let mesh = IndexedMesh::new(gear.build().unwrap()).unwrap();
    let at = |r: Real, pitches: Real| {
        let a = pitches * std::f64::consts::TAU / Real::from(gear.teeth);
        Point::new(r * a.cos(), 0.01, -r * a.sin())
    };
    for tooth in 0..gear.teeth {
        let t = Real::from(tooth);
        assert!(mesh.contains(&at(0.47, t + 0.25)) && !mesh.contains(&at(0.47, t + 0.75)));
        assert!(mesh.contains(&at(0.3, t + 0.75)) && !mesh.contains(&at(0.1, t + 0.3)));
    }
    assert_eq!(mesh.kind(), "mesh");
}

#[test]
fn models_are_made_by_name_and_bad_options_are_named() {
    for entry in ALL {
        assert_eq!(find(entry.name).unwrap().name, entry.name);
        let default = entry.make(&[]).unwrap();
        assert_eq!(entry.make(&[]).unwrap(), default, "the same bits");
        for option in entry.options() {
            for bad in [-1.0, Real::NAN, Real::INFINITY, 1e300] {
                let error = entry.make(&[(option, bad)]).unwrap_err();
                assert!(error.to_string().contains(option), "{} {option}={bad}: {error}", entry.name);
            }
        }
        assert!(matches!(entry.make(&[("colour", 1.0)]), Err(ModelError::Option(OptionError::Unknown { .. }))));
    }
    assert!(find("teapot").is_none());
    assert_eq!(
        find("torus").unwrap().make(&[("minor_radius", 2.0)]).unwrap_err().to_string(),
        "torus: minor_radius is 2, but must be less than the major radius, 1"
    );
    assert_eq!(
        find("gear").unwrap().make(&[("teeth", 2.5)]).unwrap_err().to_string(),
        "gear: teeth is 2.5, but must be a whole number"
    );
    assert_eq!(
        find("torus").unwrap().make(&[("major_segments", 8.0), ("minor_segments", 6.0)]).unwrap().triangles().len(),
        96
    );
}
