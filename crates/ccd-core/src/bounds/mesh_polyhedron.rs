//! The convex polyhedron that a small convex mesh is, with the mesh's own numbers.
//!
//! A crate of twelve triangles has six faces. As a polyhedron it rests on one of them with four corners, and not on two triangles with a
//! seam between; its features keep the numbers that they have in the mesh. Of faces that rounding has bent the hull is cut along other
//! diagonals than the mesh: these are edges of the hull alone, and places inside a face of the mesh. An edge that vertices divide which
//! are no corners has the number of the longest part of it that begins at one of its ends.

use super::IndexedMesh;
use super::convex_mesh::untold_height;
use super::mesh_hull::{MeshHull, depth};
use crate::geometry::feature::Feature;
use crate::geometry::polyhedron::{ConvexEdge, ConvexPolyhedron};
use crate::geometry::solid::{Solid, SupportMap, SupportPoint};
use crate::math::{Point, Real, Vector};

/// Triangles that are no further behind the plane of a face are a part of it, as a share of the mesh's size: what hulls merge.
const FLAT: Real = 1e-11;

/// No face.
const NONE: u32 = u32::MAX;

/// A convex mesh as a polyhedron.
#[derive(Clone, Debug)]
pub struct MeshPolyhedron {
    polyhedron: ConvexPolyhedron,
    /// For each vertex, edge and face of the polyhedron what it is in the mesh; of a face of several triangles the first one.
    vertices: Vec<u32>,
    edges: Vec<Feature>,
    faces: Vec<u32>,
    /// For each triangle of the mesh the face that has its number, or [`NONE`].
    face_of: Vec<u32>,
    /// The edges of the polyhedron that vertices divide: their number in the mesh, ascending, and that in the polyhedron.
    divided: Vec<[u32; 2]>,
    /// Whether no vertex of the mesh is outside of it, as far as distances tell.
    holds_all: bool,
}

impl MeshPolyhedron {
    /// Of a mesh, with its hull, that is convex but for dents of `dent` metres at most; `None` where an edge of the polyhedron that is no
    /// seam of a flat face has no edge of the mesh along it.
    pub(super) fn of(mesh: &IndexedMesh, hull: MeshHull, dent: Real) -> Option<Self> {
        let near = FLAT * mesh.local_aabb().half_extents().norm() + 2.0 * dent;
        let faces = faces_in_mesh(mesh, &hull, near)?;
        let MeshHull { polyhedron, vertices, .. } = &hull;
        let mut divided = Vec::new();
        let edge = |(number, edge): (usize, &ConvexEdge)| {
            let [v, w] = edge.vertices.map(|v| vertices[v as usize]);
            if let Some(edge) = mesh.topology().edge_between(v, w) {
                return Some(Feature::Edge(edge));
            }
            let [face, other] = edge.faces.map(|face| face as usize);
            let is_seam = polyhedron.face_corners(other).iter().all(|p| depth(&polyhedron.planes()[face], p) <= near);
            if is_seam {
                return Some(Feature::Face(faces[face]));
            }
            let is_along = |p: &Point| [face, other].iter().all(|&f| depth(&polyhedron.planes()[f], p) <= near);
            let part = longest_part(mesh, [v, w], is_along)?;
            divided.push([part, number as u32]);
            Some(Feature::Edge(part))
        };
        let edges = polyhedron.edges().iter().enumerate().map(edge).collect::<Option<_>>()?;
        divided.sort_unstable();
        let untold = untold_height(mesh);
        let is_inside = |p: &Point| polyhedron.planes().iter().all(|plane| depth(plane, p) >= -untold);
        let mut places = mesh.mesh().vertices().iter().enumerate();
        let holds_all = places.all(|(v, p)| hull.is_corner(v as u32) || is_inside(p));
        let mut face_of = vec![NONE; mesh.mesh().triangles().len()];
        // The first one that has the triangle.
        faces.iter().enumerate().rev().for_each(|(face, &triangle)| face_of[triangle as usize] = face as u32);
        let MeshHull { polyhedron, vertices, .. } = hull;
        Some(Self { polyhedron, vertices, edges, faces, face_of, divided, holds_all })
    }

    /// The polyhedron.
    #[inline]
    pub fn polyhedron(&self) -> &ConvexPolyhedron {
        &self.polyhedron
    }

    /// Whether what is certain of the polyhedron is certain of the mesh.
    pub fn holds_all(&self) -> bool {
        self.holds_all
    }

    /// A feature of the polyhedron as one of the mesh.
    ///
    /// # Panics
    /// When the polyhedron has no such feature.
    #[inline]
    pub fn in_mesh(&self, feature: Feature) -> Feature {
        match feature {
            Feature::Vertex(v) => Feature::Vertex(self.vertices[v as usize]),
            Feature::Edge(e) => self.edges[e as usize],
            Feature::Face(f) => Feature::Face(self.faces[f as usize]),
        }
    }

    /// The memory it holds, bytes.
    pub(super) fn size_bytes(&self) -> usize {
        let numbers =
            [&self.vertices, &self.faces, &self.face_of].map(|list| size_of_val(&**list)).iter().sum::<usize>();
        let edges = size_of_val(&*self.edges) + size_of_val(&*self.divided);
        size_of::<Self>() + self.polyhedron.size_bytes() + numbers + edges
    }

    /// The edge of the polyhedron that a part of it stands for which has this number in the mesh, if it does.
    pub fn divided_edge(&self, part: u32) -> Option<&ConvexEdge> {
        let place = self.divided.binary_search_by_key(&part, |[number, _]| *number).ok()?;
        self.polyhedron.edges().get(self.divided[place][1] as usize)
    }

    /// The face of the polyhedron that a triangle of the mesh stands for, if it does.
    pub fn face_of(&self, triangle: u32) -> Option<usize> {
        let face = *self.face_of.get(triangle as usize)?;
        (face != NONE).then_some(face as usize)
    }
}

/// For each face of the hull the first triangle of the mesh that is no further than `near` metres below it: another one for each, where
/// there are as many. `None` where a face has none.
fn faces_in_mesh(mesh: &IndexedMesh, hull: &MeshHull, near: Real) -> Option<Vec<u32>> {
    let planes = hull.polyhedron.planes();
    let is_near =
        |face: u32, triangle: u32| mesh.triangle(triangle).iter().all(|p| depth(&planes[face as usize], p) <= near);
    let triangles = 0..mesh.mesh().triangles().len() as u32;
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); planes.len()];
    for triangle in triangles.clone() {
        let around = hull.faces_around(&mesh.mesh().triangles()[triangle as usize]);
        around.iter().filter(|&&face| is_near(face, triangle)).for_each(|&face| parts[face as usize].push(triangle));
    }
    let mut is_taken = vec![false; triangles.len()];
    let first = |(face, mut parts): (usize, Vec<u32>)| {
        if parts.is_empty() {
            parts = triangles.clone().filter(|&triangle| is_near(face as u32, triangle)).collect();
        }
        // Two halves of one face have a triangle each, wherever the cut is.
        let triangle = *parts.iter().find(|&&triangle| !is_taken[triangle as usize]).or_else(|| parts.first())?;
        is_taken[triangle as usize] = true;
        Some(triangle)
    };
    parts.into_iter().enumerate().map(first).collect()
}

/// The longest of a mesh's edges from one of two vertices towards the other whose end is along the line between them.
fn longest_part(mesh: &IndexedMesh, [v, w]: [u32; 2], is_along: impl Fn(&Point) -> bool) -> Option<u32> {
    let vertices = mesh.mesh().vertices();
    let way = vertices[w as usize] - vertices[v as usize];
    let part = |from: u32, to: u32, way: Vector| {
        let [p, q] = [from, to].map(|v| vertices[v as usize]);
        let share = (q - p).dot(&way) / way.norm_squared();
        if !((0.0..1.0).contains(&share) && is_along(&q)) {
            return None;
        }
        Some((share, mesh.topology().edge_between(from, to)?))
    };
    let parts_from = |from: u32, way: Vector| {
        let near = mesh.surface_features().neighbours(from).iter();
        near.filter_map(move |&to| part(from, to, way)).collect::<Vec<_>>()
    };
    let parts = [parts_from(v, way), parts_from(w, -way)].concat();
    parts.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, edge)| edge)
}

/// As the mesh's hull: with the vertices' numbers of the polyhedron, and features of the mesh.
impl SupportMap for MeshPolyhedron {
    #[inline]
    fn support(&self, direction: &Vector, hint: u32) -> SupportPoint {
        self.polyhedron.support(direction, hint)
    }

    fn interior_point(&self) -> Point {
        self.polyhedron.interior_point()
    }

    fn feature_of(&self, vertices: &[u32]) -> Feature {
        self.in_mesh(self.polyhedron.feature_of(vertices))
    }

    fn reach_from_axis(&self, centre: &Point, axis: &Vector) -> Real {
        self.polyhedron.reach_from_axis(centre, axis)
    }

    fn support_face(&self, direction: &Vector, polygon: &mut Vec<Point>) -> Feature {
        self.in_mesh(self.polyhedron.support_face(direction, polygon))
    }

    fn each_face_at(&self, direction: &Vector, look: &mut dyn FnMut(Vector)) {
        self.polyhedron.each_face_at(direction, look);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::TriMesh;
    use crate::math::Point;

    /// The box from -1 to 1 whose upper face is a fan around its middle if `fan`, and two triangles otherwise; the vertices in reverse.
    fn crate_mesh(fan: bool) -> IndexedMesh {
        let sign = |i: u32, bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let mut vertices: Vec<Point> = (0..8).rev().map(|i| Point::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
        vertices.push(Point::new(0.0, 1.0, 0.0));
        let mut quads = vec![[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [0, 2, 3, 1], [4, 5, 7, 6]];
        let top = [[2, 6, 8], [6, 7, 8], [7, 3, 8], [3, 2, 8]];
        if !fan {
            vertices.pop();
            quads.push([2, 6, 7, 3]);
        }
        let halves = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        // Corner k of the box is vertex 7 - k.
        let renumbered = |v: u32| if v < 8 { 7 - v } else { v };
        let triangles = halves.chain(top.into_iter().filter(|_| fan)).map(|t| t.map(renumbered)).collect();
        IndexedMesh::new(TriMesh::try_new(vertices, triangles).unwrap()).unwrap()
    }

    #[test]
    fn a_crate_has_six_faces_and_the_features_of_its_mesh_however_its_faces_are_divided() {
        [false, true].into_iter().for_each(|fan| assert_six_faces(&crate_mesh(fan)));
    }

    fn assert_six_faces(mesh: &IndexedMesh) {
        let found = mesh.as_polyhedron(0.0).expect("it is convex");
        let polyhedron = found.polyhedron();
        assert_eq!((polyhedron.face_count(), polyhedron.edges().len()), (6, 12));
        for (v, p) in polyhedron.vertices().iter().enumerate() {
            let Feature::Vertex(named) = found.in_mesh(Feature::Vertex(v as u32)) else { panic!("a vertex is one") };
            assert_eq!(mesh.mesh().vertices()[named as usize], *p);
        }
        for (e, edge) in polyhedron.edges().iter().enumerate() {
            let Feature::Edge(named) = found.in_mesh(Feature::Edge(e as u32)) else { panic!("an edge is one") };
            let mut ends = edge.vertices.map(|v| polyhedron.vertices()[v as usize]).to_vec();
            ends.retain(|end| !mesh.edge(named).contains(end));
            assert!(ends.is_empty(), "edge {e} is not the mesh's {named}");
        }
        for (f, plane) in polyhedron.planes().iter().enumerate() {
            let Feature::Face(named) = found.in_mesh(Feature::Face(f as u32)) else { panic!("a face is one") };
            assert_eq!(mesh.face_normals()[named as usize], plane.normal);
            assert_eq!(found.face_of(named), Some(f));
        }
    }

    #[test]
    fn the_seam_of_a_face_that_rounding_bent_is_a_place_inside_the_mesh_and_each_half_a_triangle_of_it() {
        let mesh = crate_mesh(false);
        // Vertex 7 is corner 0, vertex 1 corner 6: one end of a face's diagonal moves inwards, and the hull is cut along the other.
        let mut vertices = mesh.mesh().vertices().to_vec();
        vertices[7].x += 1e-7;
        let mesh = IndexedMesh::new(TriMesh::try_new(vertices, mesh.mesh().triangles().to_vec()).unwrap()).unwrap();
        assert!(mesh.as_polyhedron(0.5e-7).is_none(), "the dent is deeper");
        let found = mesh.as_polyhedron(1.1e-7).expect("but for the dent it is convex");
        let hull = found.polyhedron();
        let number = |v: u32| found.vertices.iter().position(|&named| named == v).unwrap() as u32;
        let seam = hull.edge_between(number(3), number(5)).expect("the hull is cut there");
        let halves = hull.edges()[seam as usize].faces.map(|face| found.in_mesh(Feature::Face(face)));
        let Feature::Face(of_seam) = found.in_mesh(Feature::Edge(seam)) else { panic!("it is no edge of the mesh") };
        assert!(halves[0] != halves[1] && halves.contains(&Feature::Face(of_seam)));
        for half in halves {
            let Feature::Face(face) = half else { panic!("a face is one") };
            assert!(mesh.triangle(face).iter().all(|p| p.x < -1.0 + 2e-7), "{face}");
        }
        assert!(found.holds_all());
    }

    #[test]
    fn an_edge_that_a_vertex_divides_has_the_number_of_its_longest_part() {
        let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [0.5, 0.0, 0.0]];
        let triangles = vec![[0, 2, 4], [4, 2, 1], [0, 4, 3], [4, 1, 3], [0, 3, 2], [1, 2, 3]];
        let mesh = IndexedMesh::new(TriMesh::try_new(corners.map(Point::from).to_vec(), triangles).unwrap()).unwrap();
        let found = mesh.as_polyhedron(0.0).expect("it is convex");
        assert!(mesh.as_convex().is_some() && found.holds_all());
        let hull = found.polyhedron();
        let [start, end] = [0, 1].map(|v| found.vertices.iter().position(|&named| named == v).unwrap() as u32);
        let edge = hull.edge_between(start, end).expect("its ends are corners");
        let Feature::Edge(part) = found.in_mesh(Feature::Edge(edge)) else { panic!("it is an edge") };
        assert_eq!(mesh.topology().edges()[part as usize], [1, 4]);
        assert_eq!(found.divided_edge(part).map(|edge| edge.vertices), Some([start, end]));
        let short = mesh.topology().edge_between(0, 4).expect("the other part");
        assert!(found.divided_edge(short).is_none());
    }
}
