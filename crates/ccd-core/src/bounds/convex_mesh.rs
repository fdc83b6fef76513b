//! Closed meshes that are convex, as the convex solids that they are.
//!
//! **Problem.** The mesh of a rod or a crate is asked for by its triangles, though as a solid it is a small polytope.
//! **Guarantee.** A mesh counts as convex when no vertex is above the plane of any face, by exact predicates, so that its surface is that
//! of its hull, or above it by a few roundings of its coordinates, which no distance tells from that. What rounding has dented more
//! (four corners of a face that are no longer in one plane, cut along the wrong diagonal) is told how deep. Of many vertices not each is
//! held against each face: there a mesh is convex when its triangles are no further below the faces of its hull than that.
//! **Source.** Shewchuk (1997) for the predicates, through `robust`.

use robust::orient3d;

use super::IndexedMesh;
use super::mesh_hull::MeshHull;
use crate::geometry::feature::Feature;
use crate::geometry::mesh::triangle::coord;
use crate::geometry::solid::{Solid, SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector, farthest_from_axis, orthonormal_basis};

/// The most vertices for which looking at all of them for the foremost beats searches over a tree of triangles, and which are held
/// against each face.
pub(super) const FEW: usize = 600;
/// The most vertices for which it is asked at all whether a mesh is convex. Chosen: a hull of as many takes a tenth of a second.
const MOST: usize = 20_000;
/// About so many faces of a mesh of many vertices are looked at before its hull is built.
const SAMPLES: usize = 64;

/// Heights that no distance tells, as a share of the largest coordinate: a sixth of what distances between convex solids allow for rounding.
const UNTOLD: Real = 8.0 * Real::EPSILON;
/// The deepest dents that may be rounding, as a share of the mesh's size. Chosen: a ball of quads whose corners have six digits has dents of
/// some millionths (`tests/contact/dented_meshes.rs`).
const SHALLOW: Real = 1e-5;

/// Heights over the mesh's faces that no distance tells, metres.
pub(super) fn untold_height(mesh: &IndexedMesh) -> Real {
    let aabb = mesh.local_aabb();
    UNTOLD * aabb.min.coords.amax().max(aabb.max.coords.amax())
}

/// How deep the deepest dent of a closed mesh of no more than [`MOST`] vertices is at most, metres: zero if no distance tells; and its hull,
/// if that was asked. `None` for every other mesh, and where dents are deeper than rounding makes them.
///
/// Where vertices are few, those above the plane of a face tell it, but for slivers, whose planes rounding tilts at will: how far these are
/// below the hull. Where they are many, it is how far any triangle is below the hull, O(n log n).
pub(super) fn deepest_dent(mesh: &IndexedMesh) -> Option<(Real, Option<MeshHull>)> {
    let vertices = mesh.mesh().vertices();
    if !mesh.is_closed() || vertices.len() > MOST {
        return None;
    }
    let size = mesh.local_aabb().half_extents().norm();
    let (shallow, untold) = (SHALLOW * size, untold_height(mesh));
    let faces = 0..mesh.mesh().triangles().len() as u32;
    let are_few = vertices.len() <= FEW;
    let (mut deepest, mut slivers) = (0.0, Vec::new());
    // A closed mesh has as many faces as vertices at least.
    let step = if are_few { 1 } else { faces.len() / SAMPLES };
    for face in faces.clone().step_by(step) {
        let corners = mesh.triangle(face);
        // What lies that near under a face of the hull leans no more than that from it.
        let most = shallow * (1.0 + 8.0 * size / least_width(&corners));
        match highest_above(&corners, vertices, shallow, most) {
            highest if highest > most => return None,
            highest if highest > shallow => slivers.push(face),
            highest if highest > untold => deepest = highest.max(deepest),
            _ => {}
        }
    }
    if !are_few {
        (deepest, slivers) = (0.0, faces.collect());
    }
    if slivers.is_empty() {
        return Some((deepest, None));
    }
    let hull = MeshHull::of(mesh)?;
    for face in slivers {
        let height = hull.height_over(mesh, face, shallow)?;
        if height > untold {
            deepest = height.max(deepest);
        }
    }
    Some((deepest, Some(hull)))
}

/// The least height of a triangle, metres.
fn least_width(corners: &[Point; 3]) -> Real {
    let [a, b, c] = corners;
    let double_area = (b - a).cross(&(c - a)).norm();
    double_area / nalgebra::distance(a, b).max(nalgebra::distance(b, c)).max(nalgebra::distance(c, a))
}

/// How far the highest of `vertices` is above the plane of a triangle, metres, or zero; it ends with the first that is above it by more than
/// `most`. What is further below it than `clearly` needs no predicate.
fn highest_above(corners: &[Point; 3], vertices: &[Point], clearly: Real, most: Real) -> Real {
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
    let double_area = normal.norm();
    let [a, b, c] = corners.map(coord);
    let mut highest: Real = 0.0;
    for p in vertices {
        if normal.dot(&(p - corners[0])) < -clearly * double_area {
            continue;
        }
        let above = -orient3d(a, b, c, coord(*p));
        if above > highest * double_area {
            highest = above / double_area;
            if highest > most {
                break;
            }
        }
    }
    highest
}

/// The mesh's hull, by looking at all vertices. Only [`IndexedMesh::hull_within`] hands a mesh out as this.
impl SupportMap for IndexedMesh {
    fn support(&self, direction: &Vector, _hint: u32) -> SupportPoint {
        let vertices = self.mesh().vertices();
        let mut best = (Real::NEG_INFINITY, 0);
        for (i, p) in vertices.iter().enumerate() {
            let height = direction.dot(&p.coords);
            if height > best.0 {
                best = (height, i);
            }
        }
        SupportPoint { point: vertices[best.1], vertex: best.1 as u32 }
    }

    fn interior_point(&self) -> Point {
        self.local_aabb().centre()
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        match *vertices {
            [v] => Feature::Vertex(v),
            [v, w] if self.topology().edge_between(v, w).is_some() => {
                self.topology().edge_between(v, w).map_or(Feature::Vertex(v), Feature::Edge)
            }
            _ => Feature::Face(self.face_through(vertices)),
        }
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        farthest_from_axis(self.mesh().vertices(), centre, axis)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        let steepness = |face: u32| self.face_normals()[face as usize].dot(direction);
        let faces = 0..self.mesh().triangles().len() as u32;
        let face = faces.max_by(|a, b| steepness(*a).total_cmp(&steepness(*b))).unwrap_or(0);
        let normal = self.face_normals()[face as usize];
        let start = self.triangle(face)[0];
        // All corners of the plane's face, whichever way it is cut into triangles, in the order around its middle.
        const FLAT: Real = 1e-12;
        let near = FLAT * self.local_aabb().half_extents().norm();
        let mut corners: Vec<Point> =
            self.mesh().vertices().iter().filter(|p| (*p - start).dot(&normal).abs() <= near).copied().collect();
        let middle = corners.iter().map(|p| p.coords).sum::<Vector>() / corners.len() as Real;
        let (t, b) = orthonormal_basis(&normal);
        let angle = |p: &Point| (p.coords - middle).dot(&b).atan2((p.coords - middle).dot(&t));
        corners.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
        polygon.extend(corners);
        Feature::Face(face)
    }

    fn each_face_at(&self, direction: &Vector, look: &mut dyn FnMut(Vector)) {
        self.normals_at(self.support(direction, 0).vertex).into_iter().for_each(look);
    }
}

impl IndexedMesh {
    /// The face that has most of the given vertices, and the others nearest to its plane.
    fn face_through(&self, vertices: &[u32]) -> u32 {
        let has_all = |corners: &[u32; 3]| vertices.iter().all(|v| corners.contains(v));
        if let Some(face) = self.mesh().triangles().iter().position(has_all) {
            return face as u32;
        }
        let off = |face: usize| {
            let corners = self.mesh().triangles()[face];
            let normal = self.face_normals()[face];
            let start = self.mesh().vertices()[corners[0] as usize];
            let height = |v: &u32| (self.mesh().vertices()[*v as usize] - start).dot(&normal).abs();
            let others = vertices.iter().filter(|v| !corners.contains(v)).count();
            (vertices.iter().map(height).fold(0.0, Real::max), others)
        };
        let near = 1e-9 * self.local_aabb().half_extents().norm();
        let rank = |face: usize| {
            let (height, others) = off(face);
            (if height <= near { 0.0 } else { height }, others)
        };
        (0..self.mesh().triangles().len())
            .min_by(|&f, &g| {
                let (x, y) = (rank(f), rank(g));
                x.0.total_cmp(&y.0).then(x.1.cmp(&y.1))
            })
            .unwrap_or(0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::TriMesh;

    fn cube(dent: Real) -> IndexedMesh {
        let corner = |i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Point::new(sign(0), sign(1), sign(2))
        };
        let mut vertices: Vec<Point> = (0..8).map(corner).collect();
        vertices.push(Point::new(0.0, 1.0 - dent, 0.0));
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [0, 2, 3, 1], [4, 5, 7, 6]];
        let mut triangles: Vec<[u32; 3]> =
            quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
        // The top is a fan around its middle.
        triangles.extend([[2, 6, 8], [6, 7, 8], [7, 3, 8], [3, 2, 8]]);
        IndexedMesh::new(TriMesh::try_new(vertices, triangles).unwrap()).unwrap()
    }

    #[test]
    fn a_cube_is_convex_and_one_with_a_dent_is_so_only_up_to_it() {
        assert!(cube(0.0).as_convex().is_some());
        assert!(cube(Real::EPSILON).as_convex().is_some(), "no distance tells");
        assert!(cube(-1e-6).as_convex().is_some(), "a roof is convex");
        for dent in [1e-14, 1e-6] {
            let mesh = cube(dent);
            assert!(mesh.as_convex().is_none() && mesh.as_polyhedron(0.9 * dent).is_none());
            // The heights of the corners over the planes of the fan's triangles.
            assert!(mesh.hull_within(2.1 * dent).is_some() && mesh.as_polyhedron(2.1 * dent).is_some());
        }
        assert!(cube(1e-3).hull_within(Real::INFINITY).is_none(), "that is no rounding");
    }

    #[test]
    fn a_sliver_is_as_deep_as_it_is_below_the_hull_however_its_plane_is_tilted() {
        // The middle of the top all but on one of its edges.
        let cut = |dent: Real| {
            let mut vertices = cube(0.0).mesh().vertices().to_vec();
            vertices[8] = Point::new(0.0, 1.0 - dent, 1.0 - 1e-5);
            IndexedMesh::new(TriMesh::try_new(vertices, cube(0.0).mesh().triangles().to_vec()).unwrap()).unwrap()
        };
        let mesh = cut(1e-6);
        let normal = mesh.face_normals().iter().find(|n| n.y > 0.9 && n.z.abs() > 0.01).unwrap();
        assert!((normal.z.abs() - 0.1).abs() < 0.01, "the sliver leans by a tenth");
        assert!(mesh.as_convex().is_none() && mesh.as_polyhedron(0.9e-6).is_none());
        // The heights of corners over the planes of the others.
        assert!(mesh.hull_within(2.1e-6).is_some() && mesh.as_polyhedron(2.1e-6).is_some());
        assert!(cut(1e-4).hull_within(Real::INFINITY).is_none(), "that is no rounding");
    }

    /// The box from -1 to 1 with `n` by `n` quads on each face, of which one corner in the middle of the top is lower by `dent`.
    fn fine_cube(n: u32, dent: Real) -> IndexedMesh {
        let mut vertices: Vec<Point> = Vec::new();
        let mut triangles = Vec::new();
        for face in 0..6 {
            let (axis, side) = (face / 2, if face % 2 == 0 { -1.0 } else { 1.0 });
            let mut number = |i: u32, j: u32| {
                let mut place = Point::origin();
                place[axis] = side;
                place[(axis + 1) % 3] = Real::from(2 * i) / Real::from(n) - 1.0;
                place[(axis + 2) % 3] = Real::from(2 * j) / Real::from(n) - 1.0;
                if (place.x, place.y, place.z) == (0.0, 1.0, 0.0) {
                    place.y -= dent;
                }
                vertices.iter().position(|p| *p == place).unwrap_or_else(|| {
                    vertices.push(place);
                    vertices.len() - 1
                }) as u32
            };
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let [a, b, c, d] = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(|[i, j]| number(i, j));
                let halves = [[a, b, c], [a, c, d]];
                triangles.extend(if side > 0.0 { halves } else { halves.map(|[a, b, c]| [a, c, b]) });
            }
        }
        IndexedMesh::new(TriMesh::try_new(vertices, triangles).unwrap()).unwrap()
    }

    #[test]
    fn meshes_of_many_vertices_are_convex_as_those_of_few_are() {
        for n in [4, 12] {
            let flat = fine_cube(n, 0.0);
            assert_eq!(flat.mesh().vertices().len() > FEW, n == 12);
            assert!(flat.as_convex().is_some());
            let polyhedron = flat.as_polyhedron(0.0).expect("its edges are divided");
            assert_eq!((polyhedron.polyhedron().face_count(), polyhedron.polyhedron().vertices().len()), (6, 8));
            for edge in 0..12 {
                let Feature::Edge(part) = polyhedron.in_mesh(Feature::Edge(edge)) else { panic!("no seam") };
                assert_eq!(polyhedron.divided_edge(part), Some(&polyhedron.polyhedron().edges()[edge as usize]));
            }
            let dented = fine_cube(n, 1e-6);
            assert!(dented.as_convex().is_none() && dented.hull_within(0.9e-6).is_none());
            // Of few vertices it is the heights of other corners over its triangles' planes.
            assert!(dented.hull_within(if n == 12 { 1.1e-6 } else { 1e-5 }).is_some());
            assert!(fine_cube(n, 1e-3).hull_within(Real::INFINITY).is_none(), "that is no rounding");
        }
    }

    #[test]
    fn a_shell_that_is_open_is_not_the_box_that_its_hull_is() {
        // A box without a top, and its inside as far below its outside as rounding may be.
        let outer = cube(0.0);
        let (mut vertices, sides) = (outer.mesh().vertices()[..8].to_vec(), &outer.mesh().triangles()[..10]);
        let inner = vertices.iter().map(|p| Point::new(p.x * (1.0 - 1e-7), p.y.max(-1.0 + 1e-7), p.z * (1.0 - 1e-7)));
        let inner: Vec<Point> = inner.collect();
        vertices.extend(inner);
        let mut triangles = sides.to_vec();
        triangles.extend(sides.iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]));
        for [a, b] in [[2, 6], [6, 7], [7, 3], [3, 2]] {
            triangles.extend([[a, b, b + 8], [a, b + 8, a + 8]]);
        }
        let shell = IndexedMesh::new(TriMesh::try_new(vertices, triangles).unwrap()).unwrap();
        assert!(shell.is_closed() && shell.hull_within(Real::INFINITY).is_none());
    }

    #[test]
    fn the_features_of_a_convex_mesh_are_those_of_the_mesh() {
        let mesh = cube(0.0);
        assert_eq!(mesh.support(&Vector::new(1.0, 1.0, 1.0), 0).vertex, 7);
        assert_eq!(mesh.feature_of(&[7]), Feature::Vertex(7));
        let Feature::Edge(edge) = mesh.feature_of(&[3, 7]) else { panic!("3 and 7 have an edge") };
        assert_eq!(mesh.topology().edges()[edge as usize], [3, 7]);
        // The diagonal that the face is not cut along, and three corners that are no triangle, still name the face's plane.
        for corners in [&[3, 5][..], &[1, 3, 5], &[3, 5, 7]] {
            let Feature::Face(face) = mesh.feature_of(corners) else { panic!("{corners:?}") };
            assert_eq!(mesh.face_normals()[face as usize], Vector::x(), "{corners:?}");
        }
        let mut polygon = Vec::new();
        let _ = mesh.support_face(&Vector::new(0.9, 0.1, 0.2).normalize(), &mut polygon);
        assert_eq!(polygon.len(), 4);
        assert!(polygon.iter().all(|p| p.x == 1.0));
    }
}
