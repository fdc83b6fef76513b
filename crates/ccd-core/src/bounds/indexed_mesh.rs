//! A mesh with everything that queries need beside it.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use super::convex_mesh::{FEW, deepest_dent};
use super::mesh_hull::MeshHull;
use super::mesh_parts::part_places;
use super::tree::{AabbTree, NodeCapsules, NodeSlabs};
use super::winding::winding_number;
use super::{MeshPolyhedron, SurfaceFeatures};
use crate::geometry::feature::Feature;
use crate::geometry::field::SignedDistanceGrid;
use crate::geometry::mass::{MassKind, MassProperties};
use crate::geometry::mesh::triangle::{TrianglePart, closest_point, overlaps_centred_box};
use crate::geometry::mesh::{MeshError, SurfaceKind, Topology, TriMesh};
use crate::geometry::solid::SupportMap;
use crate::math::{Matrix, Point, Real, Vector};
use crate::volume::{Aabb, Obb, Sphere};

/// A triangle mesh with its topology, normals and tree.
///
/// A closed, consistently wound, outward mesh ([`SurfaceKind::Solid`]) has an inside; everything else is a two-sided
/// soup without one. About 140 to 150 bytes a triangle for a welded mesh, 12 to 17 more once its slabs were asked for,
/// 5 for its capsules, and 18 to 20 for its surface features; about 310 for triangles that share no vertex. A small convex one has
/// 50 to 130 a triangle besides for its polyhedron.
#[derive(Clone, Debug)]
pub struct IndexedMesh {
    mesh: TriMesh,
    topology: Topology,
    tree: AabbTree,
    face_normals: Vec<Vector>,
    vertex_normals: Vec<Vector>,
    surface_kind: SurfaceKind,
    pub(super) aabb: Aabb,
    pub(super) sphere: Sphere,
    /// Found when first asked for: a mesh that only serves point queries never needs them.
    surface_features: OnceLock<SurfaceFeatures>,
    /// Found when first asked for: only searches between near surfaces need them.
    slabs: OnceLock<NodeSlabs>,
    /// Found when first asked for, like the slabs.
    capsules: OnceLock<NodeCapsules>,
    /// Found when first asked for.
    dent: OnceLock<Option<Real>>,
    /// Found when first asked for, of what is convex but for rounding.
    polyhedron: OnceLock<Option<Box<MeshPolyhedron>>>,
    /// Found when first asked for.
    triangle_width: OnceLock<Real>,
    /// Found when first asked for.
    part_places: OnceLock<Box<[Point]>>,
    /// The grid whose surface it is.
    grid: Option<Box<SignedDistanceGrid>>,
    /// Of the solid that it stands for, kg at 1 kg/m³, where the triangles are not what tells it.
    source_mass: Option<Box<(MassProperties, MassKind)>>,
}

/// The point of a mesh that is closest to some other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestOnMesh {
    /// The place, in the mesh's frame.
    pub point: Point,
    /// The vertex, edge or face it lies on.
    pub feature: Feature,
    /// The triangle it lies on (one of them).
    pub face: u32,
    /// How far it is, metres, not negative.
    pub distance: Real,
}

impl IndexedMesh {
    /// Indexes `mesh`. O(n log n).
    ///
    /// # Errors
    /// None that a [`TriMesh`] can cause today; the result leaves room for limits that only the index has.
    pub fn new(mesh: TriMesh) -> Result<Self, MeshError> {
        let topology = Topology::of(&mesh);
        let tree = AabbTree::build(&mesh);
        let face_normals: Vec<Vector> = (0..mesh.triangles().len()).map(|f| mesh.face_normal(f)).collect();
        let vertex_normals = vertex_normals(&mesh, &face_normals);
        let surface_kind = topology.surface_kind(&mesh);
        let aabb = mesh.aabb();
        let centre = aabb.centre();
        let radius = mesh.vertices().iter().map(|p| (p - centre).norm()).fold(0.0, Real::max);
        // Rounded up by more than the root and the sum under it can round down.
        let sphere = Sphere { centre, radius: radius * (1.0 + 8.0 * Real::EPSILON) };
        Ok(Self {
            mesh,
            topology,
            tree,
            face_normals,
            vertex_normals,
            surface_kind,
            aabb,
            sphere,
            surface_features: OnceLock::new(),
            slabs: OnceLock::new(),
            capsules: OnceLock::new(),
            dent: OnceLock::new(),
            polyhedron: OnceLock::new(),
            triangle_width: OnceLock::new(),
            part_places: OnceLock::new(),
            grid: None,
            source_mass: None,
        })
    }

    /// The surface of a grid of distances, which stays with it, and has the mass of the solid that the grid was made from, where that has one.
    ///
    /// # Errors
    /// As [`SignedDistanceGrid::surface`].
    pub fn of_grid(grid: SignedDistanceGrid) -> Result<Self, MeshError> {
        let surface = Self::new(grid.surface()?)?;
        let source_mass = grid.mass_of_source(1.0).map(Box::new);
        Ok(Self { grid: Some(Box::new(grid)), source_mass, ..surface })
    }

    /// The mesh scaled along its axes, about its origin; mirrored, it keeps its outside. The surface of a grid stays one where all factors are equal and
    /// positive; by others it becomes a mesh like any other, but has the mass of the grid's source still.
    ///
    /// # Errors
    /// As [`TriMesh::scaled`].
    pub(crate) fn scaled(&self, scale: &Vector) -> Result<Self, MeshError> {
        let is_uniform = scale.x == scale.y && scale.y == scale.z && scale.x > 0.0;
        match self.grid() {
            Some(grid) if is_uniform && (grid.cell() * scale.x).is_normal() => Self::of_grid(grid.scaled(scale.x)),
            _ => Ok(Self::new(self.mesh.scaled(*scale)?)?.with_mass_of(self, &Matrix::from_diagonal(scale))),
        }
    }

    /// With the mass of what another mesh stands for, moved by a linear map, where that is not told by triangles.
    pub(crate) fn with_mass_of(self, other: &Self, map: &Matrix) -> Self {
        let source_mass = other.source_mass.as_deref().map(|(mass, kind)| Box::new((mass.mapped(map), *kind)));
        Self { source_mass, ..self }
    }

    /// The mass of the solid that it stands for at uniform density, kg/m³, and how it was found: where that was made a grid, and has one.
    pub(crate) fn source_mass(&self, density: Real) -> Option<(MassProperties, MassKind)> {
        let (m, kind) = self.source_mass.as_deref()?;
        Some((MassProperties { mass: m.mass * density, com: m.com, inertia: m.inertia * density }, *kind))
    }

    /// The grid of distances whose surface it is, if it is one's.
    pub fn grid(&self) -> Option<&SignedDistanceGrid> {
        self.grid.as_deref()
    }

    /// The triangles and vertices.
    #[inline]
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// The box around all vertices, in constant time: [`TriMesh::aabb`] goes through them.
    #[inline]
    pub(crate) fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// The edges.
    #[inline]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// A vertex of each part that the surface falls into, where what shares a place hangs together: of what crosses no part, either all or nothing of a
    /// part is inside. Found at the first call, in linear time.
    pub(crate) fn part_places(&self) -> &[Point] {
        self.part_places.get_or_init(|| part_places(&self.mesh))
    }

    /// How wide the triangles are across their longest sides, in the mean, metres; found at the first call, in linear time.
    pub fn triangle_width(&self) -> Real {
        *self.triangle_width.get_or_init(|| {
            let width = |face: u32| {
                let [p, q, r] = self.triangle(face);
                let longest = (q - p).norm().max((r - q).norm()).max((p - r).norm());
                (q - p).cross(&(r - p)).norm() / longest.max(Real::MIN_POSITIVE)
            };
            let count = self.mesh.triangles().len() as u32;
            (0..count).map(width).sum::<Real>() / Real::from(count.max(1))
        })
    }

    /// The tree over the triangles.
    #[inline]
    pub fn tree(&self) -> &AabbTree {
        &self.tree
    }

    /// The unit normal of each triangle, by its winding.
    #[inline]
    pub fn face_normals(&self) -> &[Vector] {
        &self.face_normals
    }

    /// The unit normal of each vertex: the mean of its triangles' normals, weighted by their angles there.
    ///
    /// On a solid the sign of its product with the way from the vertex to a point closest to it tells inside from
    /// outside (Bærentzen and Aanæs, 2005). Where the weighted normals cancel out it is one of the triangles'.
    #[inline]
    pub fn vertex_normals(&self) -> &[Vector] {
        &self.vertex_normals
    }

    /// Whether the mesh is a solid, a solid inside out, or a soup.
    #[inline]
    pub fn surface_kind(&self) -> SurfaceKind {
        self.surface_kind
    }

    /// Whether the mesh has an inside: whether it is a [`SurfaceKind::Solid`].
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.surface_kind == SurfaceKind::Solid
    }

    /// Which edges and vertices are features of the surface; found at the first call, in linear time.
    #[inline]
    pub fn surface_features(&self) -> &SurfaceFeatures {
        self.surface_features.get_or_init(|| SurfaceFeatures::of(self))
    }

    /// A slab across each node of the tree; found at the first call, in O(n log n).
    #[inline]
    pub fn slabs(&self) -> &NodeSlabs {
        self.slabs.get_or_init(|| NodeSlabs::of(&self.mesh, &self.tree))
    }

    /// A capsule around each larger node of the tree; found at the first call, in O(n log n).
    #[inline]
    pub fn capsules(&self) -> &NodeCapsules {
        self.capsules.get_or_init(|| NodeCapsules::of(&self.mesh, &self.tree))
    }

    /// Finds what is otherwise found when it is first asked for, but for what a mesh never needs that is asked as the convex
    /// solid that it is.
    pub fn prepare(&self) {
        if self.as_convex().is_none() {
            self.slabs();
            self.capsules();
        }
        self.as_polyhedron(Real::INFINITY);
        self.surface_features();
    }

    /// The corners of triangle `face`.
    ///
    /// # Panics
    /// When there is no such triangle.
    #[inline]
    pub fn triangle(&self, face: u32) -> [Point; 3] {
        self.mesh.triangle(face as usize)
    }

    /// The ends of edge `edge`.
    ///
    /// # Panics
    /// When there is no such edge.
    #[inline]
    pub fn edge(&self, edge: u32) -> [Point; 2] {
        self.topology.edges()[edge as usize].map(|v| self.mesh.vertices()[v as usize])
    }

    /// The unit normal of a feature: of an edge, the mean of its triangles'.
    ///
    /// # Panics
    /// When there is no such feature.
    pub fn normal_of(&self, feature: Feature) -> Vector {
        match feature {
            Feature::Face(f) => self.face_normals[f as usize],
            Feature::Vertex(v) => self.vertex_normals[v as usize],
            Feature::Edge(e) => {
                let faces = self.topology.faces_of_edge(e as usize);
                let sum: Vector = faces.iter().map(|&f| self.face_normals[f as usize]).sum();
                unit_or(sum, self.face_normals[faces[0] as usize])
            }
        }
    }

    /// The corners of an edge's or a vertex's triangles, that or those of the feature among them, and the normals of those triangles. `None` for a
    /// face, and for what is not there.
    pub fn around(&self, feature: Feature) -> Option<(Vec<Point>, Vec<Vector>)> {
        let vertices = self.mesh.vertices();
        match feature {
            Feature::Face(_) => None,
            Feature::Edge(e) => {
                self.topology.edges().get(e as usize)?;
                let faces = self.topology.faces_of_edge(e as usize);
                let corners = faces.iter().flat_map(|&f| self.triangle(f)).collect();
                Some((corners, faces.iter().map(|&f| self.face_normals[f as usize]).collect()))
            }
            Feature::Vertex(v) => {
                let own = *vertices.get(v as usize)?;
                let others = self.surface_features().neighbours(v).iter().map(|&w| vertices[w as usize]);
                Some((others.chain([own]).collect(), self.normals_at(v)))
            }
        }
    }

    /// The normals of the triangles around a vertex: of one between two edges there twice.
    pub(super) fn normals_at(&self, vertex: u32) -> Vec<Vector> {
        let neighbours = self.surface_features().neighbours(vertex).iter();
        let edges = neighbours.filter_map(|&other| self.topology.edge_between(vertex, other));
        let faces = edges.flat_map(|e| self.topology.faces_of_edge(e as usize));
        faces.map(|&f| self.face_normals[f as usize]).collect()
    }

    /// The memory it holds, bytes; with the surface features, the slabs, the capsules and the polyhedron where they were asked for, and its grid.
    pub fn size_bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(self.mesh.vertices())
            + size_of_val(self.mesh.triangles())
            + self.topology.size_bytes()
            + self.tree.size_bytes()
            + size_of_val(&*self.face_normals)
            + size_of_val(&*self.vertex_normals)
            + self.surface_features.get().map_or(0, SurfaceFeatures::size_bytes)
            + self.slabs.get().map_or(0, NodeSlabs::size_bytes)
            + self.capsules.get().map_or(0, NodeCapsules::size_bytes)
            + self.polyhedron.get().and_then(Option::as_ref).map_or(0, |polyhedron| polyhedron.size_bytes())
            + self.grid.as_ref().map_or(0, |grid| grid.size_bytes())
    }

    /// The mesh as the convex solid that it is: closed, of at most 20,000 vertices, none of them above a face's plane by more than a few
    /// roundings of its coordinates. `None` for every other mesh. At the first call O(n log n), but up to 600 vertices O(faces · vertices).
    pub fn as_convex(&self) -> Option<&dyn SupportMap> {
        self.hull_within(0.0)
    }

    /// The mesh's hull, if the mesh is one of [`IndexedMesh::as_convex`] but for dents that are no deeper than `dent` metres, and no
    /// deeper than rounding makes them: a hundred-thousandth of its size.
    pub fn hull_within(&self, dent: Real) -> Option<&dyn SupportMap> {
        let deepest = self.dent().filter(|deepest| *deepest <= dent)?;
        match self.as_polyhedron(deepest) {
            Some(polyhedron) if polyhedron.holds_all() => Some(polyhedron),
            // By looking at all of its vertices.
            _ => (self.mesh.vertices().len() <= FEW).then_some(self),
        }
    }

    /// [`IndexedMesh::hull_within`] `dent` metres of a mesh that has dents.
    pub(crate) fn hull_of_dented(&self, dent: Real) -> Option<&dyn SupportMap> {
        if self.as_convex().is_some() { None } else { self.hull_within(dent) }
    }

    /// How deep the deepest dent of a closed mesh that is not large is, metres, where it may be rounding: zero if the mesh is convex.
    fn dent(&self) -> Option<Real> {
        *self.dent.get_or_init(|| {
            let (deepest, hull) = deepest_dent(self)?;
            if let Some(hull) = hull {
                self.polyhedron.get_or_init(|| MeshPolyhedron::of(self, hull, deepest).map(Box::new));
            }
            Some(deepest)
        })
    }

    /// The mesh as the convex polyhedron that its hull is, if there is a [`IndexedMesh::hull_within`] `dent` metres and each of its edges has
    /// one of the mesh's along it. O(n log n) at the first call, after [`IndexedMesh::as_convex`].
    pub fn as_polyhedron(&self, dent: Real) -> Option<&MeshPolyhedron> {
        let deepest = self.dent().filter(|deepest| *deepest <= dent)?;
        let of_hull = |hull| MeshPolyhedron::of(self, hull, deepest).map(Box::new);
        self.polyhedron.get_or_init(|| MeshHull::of(self).and_then(of_hull)).as_deref()
    }

    /// Whether `point` is inside the solid; always `false` for a mesh without an inside. Exact for points off the surface;
    /// a point exactly on it may count as either. O(log n + triangles above the point); O(1) with a grid.
    pub fn contains(&self, point: &Point) -> bool {
        match &self.grid {
            Some(grid) => grid.contains(point),
            None => self.is_closed() && winding_number(&self.mesh, &self.tree, point) > 0,
        }
    }

    /// The point of the surface closest to `point`, if it is within `max_distance` metres (which may be infinite).
    pub fn closest_point(&self, point: &Point, max_distance: Real) -> Option<ClosestOnMesh> {
        let distance_squared = |face| (closest_point(&self.triangle(face), point).0 - point).norm_squared();
        let (_, face) = self.tree.closest(point, max_distance, distance_squared)?;
        let (place, part) = closest_point(&self.triangle(face), point);
        let feature = match part {
            TrianglePart::Corner(k) => Feature::Vertex(self.mesh.triangles()[face as usize][k as usize]),
            TrianglePart::Side(k) => Feature::Edge(self.topology.triangle_edges()[face as usize][k as usize]),
            TrianglePart::Inside => Feature::Face(face),
        };
        Some(ClosestOnMesh { point: place, feature, face, distance: (place - point).norm() })
    }

    /// The distance of `point` from the surface, metres; negative inside a solid.
    pub fn signed_distance(&self, point: &Point) -> Real {
        let distance = self.closest_point(point, Real::INFINITY).map_or(Real::INFINITY, |c| c.distance);
        if self.contains(point) { -distance } else { distance }
    }

    /// Calls `triangle` for every triangle that meets the box, until it breaks; never misses one.
    pub fn visit_triangles_in_obb(
        &self,
        obb: &Obb,
        mut triangle: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let axes = obb.axes.transpose();
        self.tree.visit_obb(obb, |face| {
            let corners = self.triangle(face).map(|p| axes * (p - obb.centre));
            if overlaps_centred_box(&corners, &obb.half_extents) { triangle(face) } else { ControlFlow::Continue(()) }
        })
    }

    /// Calls `triangle` for every triangle whose own box shares a point with `aabb`, until it breaks.
    pub fn visit_triangles_near(
        &self,
        aabb: &Aabb,
        mut triangle: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.tree.visit_aabb(aabb, |face| {
            if Aabb::from_points(&self.triangle(face)).overlaps(aabb) {
                triangle(face)
            } else {
                ControlFlow::Continue(())
            }
        })
    }
}

fn vertex_normals(mesh: &TriMesh, face_normals: &[Vector]) -> Vec<Vector> {
    let mut sums = vec![Vector::zeros(); mesh.vertices().len()];
    let mut fallback = vec![Vector::zeros(); mesh.vertices().len()];
    for (face, t) in mesh.triangles().iter().enumerate() {
        let corners = mesh.triangle(face);
        for k in 0..3 {
            let (p, q, r) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
            sums[t[k] as usize] += face_normals[face] * (q - p).angle(&(r - p));
            fallback[t[k] as usize] = face_normals[face];
        }
    }
    sums.iter().zip(&fallback).map(|(sum, face)| unit_or(*sum, *face)).collect()
}

/// `v` made unit, or `otherwise` when it has cancelled out to rounding.
fn unit_or(v: Vector, otherwise: Vector) -> Vector {
    const CANCELLED: Real = 1e-9;
    v.try_normalize(CANCELLED).unwrap_or(otherwise)
}
