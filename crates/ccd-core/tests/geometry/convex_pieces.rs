//! A closed mesh and its convex pieces are the same solid: same volume, same points inside, same closest points.

use ccd_core::bounds::{DecompositionError, IndexedMesh, NotSolid};
use ccd_core::detection::closest::{ClosestMethod, PairMemory, closest, closest_by};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::mesh::polygon::triangulate;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::math::{Point, Pose, Rotation, Vector};
use ccd_core::shape::Shape;

use crate::common::random::Random;

/// More than any of the models needs.
const LIMIT: usize = 10_000;

/// A polygon of the plane, counter-clockwise, made `2 · half` thick along z.
fn extruded(outline: &[[f64; 2]], half: f64) -> TriMesh {
    let n = outline.len() as u32;
    let at = |z: f64| outline.iter().map(move |[x, y]| Point::new(*x, *y, z));
    let vertices: Vec<Point> = at(-half).chain(at(half)).collect();
    let cap = triangulate(&vertices[outline.len()..]).unwrap();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [i, j, k] in cap {
        triangles.extend([[i + n, j + n, k + n], [i, k, j]]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    TriMesh::try_new(vertices, triangles).unwrap()
}

fn letter_l() -> TriMesh {
    extruded(&[[0.0, 0.0], [2.0, 0.0], [2.0, 0.5], [0.5, 0.5], [0.5, 3.0], [0.0, 3.0]], 0.25)
}

fn letter_u() -> TriMesh {
    let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [2.5, 2.0], [2.5, 0.5], [0.5, 0.5], [0.5, 2.0], [0.0, 2.0]];
    extruded(&outline, 0.5)
}

/// Straight flanks; none of the corners lies on a binary grid.
fn gear(teeth: u32) -> TriMesh {
    let mut outline = Vec::new();
    for tooth in 0..teeth {
        for (part, radius) in [(0.0, 1.0), (0.2, 1.3), (0.5, 1.3), (0.7, 1.0)] {
            let (s, c) = (std::f64::consts::TAU * (f64::from(tooth) + part) / f64::from(teeth)).sin_cos();
            outline.push([radius * c, radius * s]);
        }
    }
    extruded(&outline, 0.2)
}

fn box_triangles(first: u32, inwards: bool) -> Vec<[u32; 3]> {
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let turn = |[i, j, k]: [u32; 3]| if inwards { [i, k, j] } else { [i, j, k] };
    quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).map(|t| turn(t.map(|v| v + first))).collect()
}

fn box_corners(centre: [f64; 3], half: [f64; 3]) -> impl Iterator<Item = Point> {
    (0..8).map(move |i| Point::from([0, 1, 2].map(|k| centre[k] + if i >> k & 1 == 1 { half[k] } else { -half[k] })))
}

/// A box with a box-shaped void, off its middle.
fn hollow() -> TriMesh {
    let vertices =
        box_corners([0.0; 3], [1.0, 0.8, 0.6]).chain(box_corners([0.3, 0.1, 0.0], [0.5, 0.5, 0.5])).collect();
    let triangles = [box_triangles(0, false), box_triangles(8, true)].concat();
    TriMesh::try_new(vertices, triangles).unwrap()
}

/// A square frame: a solid with a hole through it.
fn frame() -> TriMesh {
    let ring = |r: f64, z: f64| [[-r, -r], [r, -r], [r, r], [-r, r]].map(|[x, y]| Point::new(x, y, z));
    let vertices = [ring(2.0, -0.5), ring(1.0, -0.5), ring(2.0, 0.5), ring(1.0, 0.5)].concat();
    let mut triangles = Vec::new();
    let mut quad = |q: [u32; 4]| triangles.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
    for i in 0..4 {
        let j = (i + 1) % 4;
        quad([i, j, j + 8, i + 8]);
        quad([i + 4, i + 12, j + 12, j + 4]);
        quad([i + 8, j + 8, j + 12, i + 12]);
        quad([i, i + 4, j + 4, j]);
    }
    TriMesh::try_new(vertices, triangles).unwrap()
}

/// Spikes in all directions: reflex edges that share vertices and lie in no common plane.
fn star() -> TriMesh {
    let g = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut points = Vec::new();
    for (x, y) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        points.extend([[0.0, x, y], [x, y, 0.0], [y, 0.0, x]].map(Point::from));
    }
    let hull = ConvexPolyhedron::from_points(&points).unwrap();
    let mut vertices = hull.vertices().to_vec();
    let mut triangles = Vec::new();
    for [i, j, k] in hull.triangles() {
        let tip = vertices.len() as u32;
        let middle = [i, j, k].iter().map(|v| hull.vertices()[*v as usize].coords).sum::<Vector>() / 3.0;
        vertices.push((middle * 2.0).into());
        triangles.extend([[i, j, tip], [j, k, tip], [k, i, tip]]);
    }
    TriMesh::try_new(vertices, triangles).unwrap()
}

/// Two bodies in one mesh, one turned.
fn two_bodies() -> TriMesh {
    let turn = Rotation::from_scaled_axis(Vector::new(0.3, 0.5, -0.2));
    let letter = letter_u();
    let mut vertices: Vec<Point> = box_corners([5.0, 0.0, 0.0], [0.5; 3]).collect();
    vertices.extend(letter.vertices().iter().map(|p| turn * p));
    let mut triangles = box_triangles(0, false);
    triangles.extend(letter.triangles().iter().map(|t| t.map(|v| v + 8)));
    TriMesh::try_new(vertices, triangles).unwrap()
}

fn turned(mesh: &TriMesh) -> TriMesh {
    let pose =
        Pose::from_parts(Vector::new(0.1, -0.7, 0.3).into(), Rotation::from_scaled_axis(Vector::new(0.4, 1.1, -0.6)));
    TriMesh::try_new(mesh.vertices().iter().map(|p| pose * p).collect(), mesh.triangles().to_vec()).unwrap()
}

fn models() -> Vec<(&'static str, TriMesh)> {
    vec![
        ("l", letter_l()),
        ("u", letter_u()),
        ("u, turned", turned(&letter_u())),
        ("gear", gear(12)),
        ("gear, turned", turned(&gear(7))),
        ("hollow", hollow()),
        ("frame", frame()),
        ("frame, turned", turned(&frame())),
        ("star", star()),
        ("two bodies", two_bodies()),
    ]
}

fn volume(pieces: &[ConvexPolyhedron]) -> f64 {
    pieces.iter().map(|p| TriMesh::try_new(p.vertices().to_vec(), p.triangles()).unwrap().signed_volume()).sum()
}

#[test]
fn the_pieces_have_the_volume_of_the_solid() {
    for (name, mesh) in models() {
        let whole = mesh.signed_volume();
        let pieces = IndexedMesh::new(mesh).unwrap().convex_pieces(LIMIT).unwrap();
        println!("{name}: {} pieces", pieces.len());
        assert!((volume(&pieces) - whole).abs() < 1e-13 * whole, "{name}: {} of {whole}", volume(&pieces));
    }
}

#[test]
fn cuts_of_a_solid_on_a_grid_end_on_the_grid_bit_by_bit() {
    for mesh in [letter_l(), letter_u(), frame()] {
        for piece in IndexedMesh::new(mesh).unwrap().convex_pieces(LIMIT).unwrap() {
            assert!(piece.vertices().iter().all(|p| p.coords.iter().all(|x| (4.0 * x).fract() == 0.0)), "{piece:?}");
        }
    }
}

#[test]
fn a_convex_solid_is_one_piece_and_letters_and_gears_are_few_turned_or_not() {
    let count = |mesh: TriMesh| IndexedMesh::new(mesh).unwrap().convex_pieces(LIMIT).unwrap().len();
    let hexagon = extruded(&[[2.0, 0.0], [1.0, 1.7], [-1.0, 1.7], [-2.0, 0.0], [-1.0, -1.7], [1.0, -1.7]], 0.5);
    for (mesh, pieces) in [(hexagon, 1), (letter_l(), 2), (letter_u(), 3), (frame(), 4)] {
        assert_eq!([count(turned(&mesh)), count(mesh)], [pieces; 2]);
    }
    // Of a gear: each tooth, and the body.
    for teeth in [7, 12] {
        let pieces = [count(gear(teeth)), count(turned(&gear(teeth)))];
        println!("{teeth} teeth: {pieces:?} pieces");
        assert!(pieces.iter().all(|n| *n <= 2 * teeth as usize), "{pieces:?}");
    }
}

#[test]
fn a_point_inside_the_solid_is_inside_one_piece_and_a_point_outside_in_none() {
    let mut random = Random(0x51ce);
    for (name, mesh) in models() {
        let whole = IndexedMesh::new(mesh).unwrap();
        let pieces = whole.convex_pieces(LIMIT).unwrap();
        let aabb = whole.mesh().aabb();
        let mut counted = 0;
        for _ in 0..2000 {
            let p = Point::from(Vector::from_fn(|k, _| random.between(aabb.min[k] - 0.1, aabb.max[k] + 0.1)));
            let depth = |piece: &ConvexPolyhedron| {
                piece.planes().iter().map(|h| h.normal.dot(&p.coords) - h.offset).fold(f64::NEG_INFINITY, f64::max)
            };
            let heights: Vec<f64> = pieces.iter().map(depth).collect();
            if heights.iter().any(|h| h.abs() < 1e-12) {
                continue;
            }
            let inside = heights.iter().filter(|h| **h < 0.0).count();
            assert_eq!(inside, usize::from(whole.contains(&p)), "{name}: {p:?}");
            counted += inside;
        }
        assert!(counted > 100, "{name}: {counted} inside");
    }
}

/// A ball of a cube's faces, each cut into n² squares, with its corners moved in and out at random.
fn crumpled(n: u32, random: &mut Random) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for face in 0..6 {
        let first = vertices.len() as u32;
        let (axis, sign) = (face / 2, if face % 2 == 0 { 1.0 } else { -1.0 });
        for (i, j) in (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))) {
            let along = |k: u32| 2.0 * f64::from(k) / f64::from(n) - 1.0;
            let mut p = Point::origin();
            (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (sign, along(i) * sign, along(j));
            vertices.push(p);
            if i < n && j < n {
                let a = first + i * (n + 1) + j;
                triangles.extend([[a, a + n + 1, a + n + 2], [a, a + n + 2, a + 1]]);
            }
        }
    }
    let ball = TriMesh::try_new(vertices, triangles).unwrap().welded();
    let crumpled = ball.vertices().iter().map(|p| p * (random.between(0.5, 1.5) / p.coords.norm())).collect();
    TriMesh::try_new(crumpled, ball.triangles().to_vec()).unwrap()
}

#[test]
fn as_many_pieces_as_a_solid_has_are_allowed_by_that_limit_and_are_the_same() {
    let mut random = Random(0x11a1);
    let crumpled = (0..60).map(|i| ("crumpled", crumpled(1 + i % 2, &mut random)));
    for (name, mesh) in models().into_iter().chain(crumpled) {
        let solid = IndexedMesh::new(mesh).unwrap();
        let all = solid.convex_pieces(LIMIT).unwrap();
        let same = solid.convex_pieces(all.len()).unwrap();
        assert!(all.len() == same.len() && all.iter().zip(&same).all(|(p, q)| p.vertices() == q.vertices()), "{name}");
        let refused = solid.convex_pieces(all.len() - 1).unwrap_err();
        assert_eq!(refused, DecompositionError::TooManyPieces { limit: all.len() - 1 });
    }
}

#[test]
fn closest_points_of_the_pieces_are_those_of_the_mesh() {
    let mut random = Random(0xc105);
    let probes = [Shape::cuboid([0.2, 0.3, 0.1]).unwrap(), Shape::ball(0.15).unwrap()];
    for (name, mesh) in models() {
        let size = mesh.aabb().half_extents().norm();
        let centre = mesh.aabb().centre();
        let whole = Shape::mesh(mesh).unwrap();
        let Shape::Mesh(indexed) = &whole else { unreachable!("a mesh") };
        let compound = Shape::convex_compound(indexed, LIMIT).unwrap();
        let mut apart = 0;
        for i in 0..60 {
            let at = centre + random.direction() * (size * random.between(0.2, 1.5));
            let pose = Pose::from_parts(at.coords.into(), random.rotation());
            let probe = &probes[i % 2];
            let truth = closest(&whole, &Pose::identity(), probe, &pose).unwrap();
            let found = closest(&compound, &Pose::identity(), probe, &pose).unwrap();
            if truth.distance <= 1e-9 {
                assert!(found.distance <= 1e-9, "{name}: {truth:?} {found:?}");
                continue;
            }
            apart += 1;
            let near = 1e-11 * size;
            assert!((found.distance - truth.distance).abs() < near, "{name}: {truth:?} {found:?}");
            assert!((found.normal - truth.normal).norm() < 1e-6, "{name}: {truth:?} {found:?}");
            if i % 2 == 0 {
                let walked = closest_by(
                    ClosestMethod::VClip,
                    &compound,
                    &Pose::identity(),
                    probe,
                    &pose,
                    &mut PairMemory::default(),
                )
                .unwrap();
                assert!((walked.distance - truth.distance).abs() < near, "{name}: {truth:?} {walked:?}");
            }
        }
        assert!(apart > 15, "{name}: {apart} apart");
    }
}

#[test]
fn a_memory_changes_no_answer_and_makes_the_next_query_shorter() {
    let indexed = IndexedMesh::new(gear(12)).unwrap();
    let compound = Shape::convex_compound(&indexed, LIMIT).unwrap();
    let probe = Shape::cuboid([0.2, 0.3, 0.1]).unwrap();
    for method in [ClosestMethod::Auto, ClosestMethod::VClip, ClosestMethod::Gjk, ClosestMethod::SeparatingAxis] {
        let mut memory = PairMemory::default();
        let (mut warm, mut cold) = (0, 0);
        for i in 0..200 {
            let angle = 0.01 * f64::from(i);
            // A way around the gear that goes in and out, into an overlap at times.
            let reach = 1.75 + 0.5 * (7.0 * angle).sin();
            let at = Vector::new(reach * angle.cos(), reach * angle.sin(), 0.1);
            let pose = Pose::from_parts(at.into(), Rotation::from_scaled_axis(Vector::new(angle, 0.3, 2.0 * angle)));
            let ask = |memory: &mut PairMemory| {
                closest_by(method, &compound, &Pose::identity(), &probe, &pose, memory).unwrap()
            };
            let (kept, fresh) = (ask(&mut memory), ask(&mut PairMemory::default()));
            assert!((kept.distance - fresh.distance).abs() < 1e-9, "{method}: {kept:?} {fresh:?}");
            if fresh.distance > 1e-6 {
                assert!((kept.normal - fresh.normal).norm() < 1e-6, "{method}: {kept:?} {fresh:?}");
                warm += kept.iterations;
                cold += fresh.iterations;
            }
        }
        assert!(warm < cold, "{method}: {warm} rounds with a memory, {cold} without");
    }
}

#[test]
fn what_bounds_no_solid_or_falls_into_too_many_pieces_is_refused() {
    let mut open = letter_l();
    open = TriMesh::try_new(open.vertices().to_vec(), open.triangles()[1..].to_vec()).unwrap();
    let refused = IndexedMesh::new(open).unwrap().convex_pieces(LIMIT).unwrap_err();
    assert!(matches!(refused, DecompositionError::NotSolid(NotSolid::Open { .. })), "{refused}");
    let refused = IndexedMesh::new(gear(12)).unwrap().convex_pieces(5).unwrap_err();
    assert_eq!(refused, DecompositionError::TooManyPieces { limit: 5 });
    assert_eq!(refused.to_string(), "the solid falls into more than 5 convex pieces");
}
