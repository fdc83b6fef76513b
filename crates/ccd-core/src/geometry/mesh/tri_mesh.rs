//! The valid triangle mesh.

use super::error::{MeshError, check_triangle, check_vertex};
use super::topology::Topology;
use crate::math::{Matrix, Point, Real, Vector, is_finite};
use crate::volume::Aabb;

/// Triangles over shared vertices, in metres, in the mesh's own frame; counter-clockwise from outside.
///
/// Valid by construction: at least one triangle, every index in range and used, no corner repeated within a triangle, all
/// vertices finite and at most [`crate::math::MAX_COORDINATE`], no triangle of zero area. It may be open, non-manifold, self-crossing
/// or unwelded; [`super::Topology`] tells. 12 bytes a triangle and 24 a vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct TriMesh {
    vertices: Vec<Point>,
    triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// The mesh of these vertices (metres) and triangles (vertex numbers, counter-clockwise from outside).
    ///
    /// # Errors
    /// [`MeshError`], with the first face or vertex that breaks the promise of [`TriMesh`]. Linear time.
    pub fn try_new(vertices: Vec<Point>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
            if count >= u32::MAX as usize {
                return Err(MeshError::TooMany { what, count });
            }
        }
        for (vertex, p) in vertices.iter().enumerate() {
            check_vertex(vertex, p)?;
        }
        let mut used = vec![false; vertices.len()];
        for (face, &corners) in triangles.iter().enumerate() {
            check_triangle(face, corners, &vertices)?;
            for v in corners {
                used[v as usize] = true;
            }
        }
        match used.iter().position(|used| !used) {
            Some(vertex) => Err(MeshError::UnusedVertex { vertex }),
            None => Ok(Self { vertices, triangles }),
        }
    }

    /// [`TriMesh::try_new`] without the vertices that no triangle uses; the others keep their order and are renumbered.
    ///
    /// # Errors
    /// As [`TriMesh::try_new`], except for unused vertices; numbers are those of the given lists.
    pub fn compacted(vertices: &[Point], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        let mut used = vec![false; vertices.len()];
        for (face, corners) in triangles.iter().enumerate() {
            for &vertex in corners {
                *used.get_mut(vertex as usize).ok_or(MeshError::IndexOutOfRange {
                    face,
                    vertex,
                    count: vertices.len(),
                })? = true;
            }
        }
        for (vertex, p) in vertices.iter().enumerate().filter(|(v, _)| used[*v]) {
            check_vertex(vertex, p)?;
        }
        for (face, &corners) in triangles.iter().enumerate() {
            check_triangle(face, corners, vertices)?;
        }
        let mut renumbered = vec![u32::MAX; vertices.len()];
        let mut kept = Vec::new();
        for (v, p) in vertices.iter().enumerate().filter(|(v, _)| used[*v]) {
            renumbered[v] = kept.len() as u32;
            kept.push(*p);
        }
        Self::try_new(kept, triangles.iter().map(|t| t.map(|v| renumbered[v as usize])).collect())
    }

    /// The vertices, metres.
    #[inline]
    pub fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// The triangles, as vertex numbers.
    #[inline]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of triangle `face`.
    ///
    /// # Panics
    /// When there is no such triangle, as indexing a slice does.
    #[inline]
    pub fn triangle(&self, face: usize) -> [Point; 3] {
        self.triangles[face].map(|v| self.vertices[v as usize])
    }

    /// The unit normal of triangle `face`, by its winding.
    ///
    /// # Panics
    /// When there is no such triangle.
    pub fn face_normal(&self, face: usize) -> Vector {
        let [a, b, c] = self.triangle(face);
        super::triangle::unit_normal(&a, &b, &c)
    }

    /// The smallest axis-aligned box around the mesh.
    pub fn aabb(&self) -> Aabb {
        Aabb::from_points(&self.vertices)
    }

    /// The area of all triangles, square metres.
    pub fn area(&self) -> Real {
        (0..self.triangles.len())
            .map(|f| {
                let [a, b, c] = self.triangle(f);
                0.5 * (b - a).cross(&(c - a)).norm()
            })
            .sum()
    }

    /// The volume that the triangles enclose, cubic metres: negative for a closed mesh that is inside out, and without
    /// meaning for an open one.
    pub fn signed_volume(&self) -> Real {
        // Relative to the middle of the mesh, so that a mesh far from its origin keeps its digits.
        let origin = self.aabb().centre();
        (0..self.triangles.len())
            .map(|f| {
                let [a, b, c] = self.triangle(f).map(|p| p - origin);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum()
    }

    /// The mesh with every coordinate multiplied by its factor. An odd number of negative factors mirrors the mesh; its
    /// winding is turned over then, so that a closed mesh stays outward.
    ///
    /// # Errors
    /// [`MeshError::BadScale`] for a factor that is zero or not finite, and what [`TriMesh::try_new`] finds wrong with a
    /// mesh that is scaled beyond the range of numbers.
    pub fn scaled(&self, scale: Vector) -> Result<Self, MeshError> {
        if !is_finite(&scale) || scale.iter().any(|s| *s == 0.0) {
            return Err(MeshError::BadScale { x: scale.x, y: scale.y, z: scale.z });
        }
        let mirrored = scale.iter().filter(|s| **s < 0.0).count() % 2 == 1;
        self.mapped(|p| Point::from(p.coords.component_mul(&scale)), mirrored)
    }

    /// The mesh with every vertex taken by a linear map of its frame: scaled, sheared, turned, mirrored. Where it mirrors, the winding is
    /// turned over, so that a closed mesh stays outward.
    ///
    /// # Errors
    /// [`MeshError::Singular`] for a map that is not finite or has no inverse, and what [`TriMesh::try_new`] finds wrong with what comes
    /// out.
    pub fn stretched(&self, by: &Matrix) -> Result<Self, MeshError> {
        let volume = by.determinant();
        if !volume.is_finite() || volume == 0.0 {
            return Err(MeshError::Singular);
        }
        self.mapped(|p| by * p, volume < 0.0)
    }

    fn mapped(&self, map: impl Fn(&Point) -> Point, mirrored: bool) -> Result<Self, MeshError> {
        let triangles = self.triangles.iter().map(|&t| if mirrored { turned_over(t) } else { t }).collect();
        Self::try_new(self.vertices.iter().map(map).collect(), triangles)
    }

    /// The mesh with every triangle turned over: the cure for a closed mesh that is inside out.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { vertices: self.vertices.clone(), triangles: self.triangles.iter().map(|&t| turned_over(t)).collect() }
    }

    /// [`TriMesh::welded`] where that is what closes the mesh, else the mesh as it is: models whose faces all have vertices of their own are
    /// the solids that they look like, and every other keeps its numbers.
    #[must_use]
    pub fn closed_by_welding(self) -> Self {
        if Topology::of(&self).is_closed() {
            return self;
        }
        let welded = self.welded();
        if Topology::of(&welded).is_closed() { welded } else { self }
    }

    /// The mesh with vertices at exactly the same place made one (the first of them); -0 and 0 are the same place.
    ///
    /// Models that repeat the vertices of every face, and those of most renderers, are closed only after this. No vertex
    /// moves, so no triangle can lose its area.
    #[must_use]
    pub fn welded(&self) -> Self {
        let mut order: Vec<u32> = (0..self.vertices.len() as u32).collect();
        let place = |v: u32| self.vertices[v as usize];
        order.sort_by(|&i, &j| {
            let (p, q) = (place(i), place(j));
            // Adding zero turns -0 into 0, so that both sort as the one place they are.
            let by_axis = |k: usize| (p[k] + 0.0).total_cmp(&(q[k] + 0.0));
            by_axis(0).then_with(|| by_axis(1)).then_with(|| by_axis(2)).then(i.cmp(&j))
        });
        // The first of each run of equal places has the smallest number, because numbers break ties.
        let mut first = vec![0_u32; self.vertices.len()];
        let mut current = None;
        for &v in &order {
            let keep = match current {
                Some(c) if place(c) == place(v) => c,
                _ => v,
            };
            current = Some(keep);
            first[v as usize] = keep;
        }
        let mut renumbered = vec![0_u32; self.vertices.len()];
        let mut vertices = Vec::new();
        for (v, p) in self.vertices.iter().enumerate() {
            if first[v] as usize == v {
                renumbered[v] = vertices.len() as u32;
                vertices.push(*p);
            }
        }
        let triangles = self.triangles.iter().map(|t| t.map(|v| renumbered[first[v as usize] as usize])).collect();
        Self { vertices, triangles }
    }
}

/// The same triangle seen from its other side.
fn turned_over([a, b, c]: [u32; 3]) -> [u32; 3] {
    [a, c, b]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> (Vec<Point>, Vec<[u32; 3]>) {
        let vertices =
            vec![Point::origin(), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0), Point::new(0.0, 0.0, 1.0)];
        (vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    }

    #[test]
    fn every_kind_of_bad_input_is_named_with_its_place() {
        let (vertices, triangles) = tetrahedron();
        let with_face = |face: [u32; 3]| {
            let mut t = triangles.clone();
            t[2] = face;
            TriMesh::try_new(vertices.clone(), t).unwrap_err()
        };
        let with_vertex = |p: Point| {
            let mut v = vertices.clone();
            v[3] = p;
            TriMesh::try_new(v, triangles.clone()).unwrap_err()
        };
        assert_eq!(TriMesh::try_new(vertices.clone(), vec![]), Err(MeshError::Empty));
        assert_eq!(with_face([0, 4, 1]), MeshError::IndexOutOfRange { face: 2, vertex: 4, count: 4 });
        assert_eq!(with_face([0, 3, 3]), MeshError::RepeatedIndex { face: 2, vertex: 3 });
        assert_eq!(with_face([0, 3, 0]), MeshError::RepeatedIndex { face: 2, vertex: 0 });
        assert!(matches!(with_vertex(Point::new(0.0, Real::NAN, 1.0)), MeshError::NonFiniteVertex { vertex: 3, .. }));
        assert!(matches!(with_vertex(Point::new(1e31, 0.0, 1.0)), MeshError::TooFar { vertex: 3, .. }));
        assert_eq!(with_vertex(Point::new(0.5, 0.0, 0.0)), MeshError::ZeroArea { face: 1, vertices: [0, 1, 3] });
        assert_eq!(with_vertex(Point::new(1.0, 0.0, 0.0)), MeshError::ZeroArea { face: 1, vertices: [0, 1, 3] });
        let mut more = vertices.clone();
        more.insert(0, Point::origin());
        let shifted: Vec<_> = triangles.iter().map(|t| t.map(|v| v + 1)).collect();
        assert_eq!(TriMesh::try_new(more.clone(), shifted.clone()), Err(MeshError::UnusedVertex { vertex: 0 }));
        let (vertices, triangles) = tetrahedron();
        assert_eq!(TriMesh::compacted(&more, &shifted).unwrap(), TriMesh::try_new(vertices, triangles).unwrap());
    }

    #[test]
    fn a_sliver_that_is_thin_but_real_is_a_triangle() {
        let vertices = vec![Point::origin(), Point::new(1.0, 0.0, 0.0), Point::new(0.5, 1e-12, 0.0)];
        assert!(TriMesh::try_new(vertices, vec![[0, 1, 2]]).is_ok());
    }

    #[test]
    fn a_mirrored_solid_keeps_its_volume_positive_and_a_bad_scale_is_refused() {
        let (vertices, triangles) = tetrahedron();
        let mesh = TriMesh::try_new(vertices, triangles).unwrap();
        assert!((mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-15);
        for scale in [Vector::new(-2.0, 1.0, 1.0), Vector::new(-2.0, -1.0, 1.0), Vector::new(-1.0, -2.0, -1.0)] {
            let volume = mesh.scaled(scale).unwrap().signed_volume();
            assert!((volume - 2.0 / 6.0).abs() < 1e-15, "{scale:?} gives {volume}");
        }
        assert!(mesh.flipped().signed_volume() < 0.0);
        for bad in [Vector::new(0.0, 1.0, 1.0), Vector::new(1.0, Real::NAN, 1.0), Vector::new(1.0, 1.0, Real::INFINITY)]
        {
            assert!(matches!(mesh.scaled(bad), Err(MeshError::BadScale { .. })));
        }
        assert!(matches!(mesh.scaled(Vector::repeat(1e-200)), Err(MeshError::ZeroArea { .. })));
    }

    #[test]
    fn a_sheared_solid_has_the_volume_that_the_map_makes_of_it_and_one_that_flattens_is_refused() {
        let (vertices, triangles) = tetrahedron();
        let mesh = TriMesh::try_new(vertices, triangles).unwrap();
        let sheared = Matrix::new(1.0, 0.7, -0.3, 0.0, 2.0, 0.4, 0.0, 0.0, 1.5);
        for map in [sheared, -sheared] {
            let volume = mesh.stretched(&map).unwrap().signed_volume();
            assert!((volume - 3.0 / 6.0).abs() < 1e-15, "{map} gives {volume}");
        }
        for flat in [Matrix::zeros(), Matrix::repeat(1.0), Matrix::identity() * Real::NAN] {
            assert_eq!(mesh.stretched(&flat), Err(MeshError::Singular));
        }
    }

    #[test]
    fn a_solid_whose_faces_share_no_vertices_is_closed_by_welding_and_a_sheet_keeps_its_numbers() {
        let (vertices, triangles) = tetrahedron();
        let corners = |triangles: &[[u32; 3]]| -> Vec<Point> {
            triangles.iter().flatten().map(|&v| vertices[v as usize]).collect()
        };
        let apart = |corners: Vec<Point>| {
            let numbers = (0..corners.len() as u32 / 3).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
            TriMesh::try_new(corners, numbers).unwrap()
        };
        let solid = apart(corners(&triangles));
        assert_eq!(solid.clone().closed_by_welding(), solid.welded());
        let sheet = apart(corners(&triangles[..3]));
        assert_eq!(sheet.clone().closed_by_welding(), sheet);
    }

    #[test]
    fn welding_joins_equal_places_and_keeps_the_order_of_the_first() {
        let (vertices, triangles) = tetrahedron();
        let unwelded: Vec<Point> = triangles.iter().flatten().map(|&v| vertices[v as usize]).collect();
        let mut soup = unwelded;
        soup[0].x = -0.0;
        let soup = TriMesh::try_new(soup, vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]).unwrap();
        let welded = soup.welded();
        assert_eq!(welded.vertices().len(), 4);
        assert_eq!(welded.triangles(), &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [2, 1, 3]]);
        for f in 0..4 {
            assert_eq!(welded.triangle(f), soup.triangle(f));
        }
    }
}
