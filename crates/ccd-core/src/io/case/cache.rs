//! Makes the solids that a case or a query describes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use super::error::{CaseError, CaseReason};
use super::query::pose;
use super::shape::{CaseShape, PlacedShape};
use crate::geometry::field::Operation;
use crate::geometry::mesh::TriMesh;
use crate::geometry::parametric::PatchSurface;
use crate::geometry::primitive::{MAX_SIZE, MIN_SIZE};
use crate::io::obj::{load_obj, load_obj_points};
use crate::io::patches::load_patches;
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::{FieldError, Shape};
use crate::volume::Aabb;

/// Shapes by what they are made of, so that each file is read once and each hierarchy built once.
#[derive(Debug, Default)]
pub struct ShapeCache {
    folder: PathBuf,
    meshes: BTreeMap<PathBuf, TriMesh>,
    /// The corners of models whose hulls are wanted.
    corners: BTreeMap<PathBuf, Vec<Point>>,
    surfaces: BTreeMap<PathBuf, PatchSurface>,
    /// By the shape's JSON, which names file and scale: made of what the files above hold, and forgotten when one of these is replaced.
    shapes: BTreeMap<String, Shape>,
}

impl ShapeCache {
    /// An empty cache; files are looked for relative to `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..Self::default() }
    }

    /// Takes `mesh` for the content of `file`, as shapes name it, which then need not exist; in place of what was taken for it before. Shapes that
    /// were made of that stay what they are.
    pub fn insert_mesh(&mut self, file: &str, mesh: TriMesh) {
        let path = self.folder.join(file);
        let had_corners = self.corners.remove(&path).is_some();
        if self.meshes.insert(path, mesh).is_some() || had_corners {
            self.shapes.clear();
        }
    }

    /// Takes `surface` for the content of `file`, as shapes name it, which then need not exist; in place of what was taken for it before. Shapes
    /// that were made of that stay what they are.
    pub fn insert_patches(&mut self, file: &str, surface: PatchSurface) {
        if self.surfaces.insert(self.folder.join(file), surface).is_some() {
            self.shapes.clear();
        }
    }

    /// The solid that `shape` describes.
    ///
    /// # Errors
    /// [`CaseError`], with the key relative to the shape, but no file and line: the caller knows those.
    pub fn shape(&mut self, shape: &CaseShape) -> Result<Shape, CaseError> {
        let name = serde_json::to_string(shape).map_err(|e| flaw("", CaseReason::Syntax(e.to_string())))?;
        if let Some(known) = self.shapes.get(&name) {
            return Ok(known.clone());
        }
        let made = self.make(shape)?;
        self.shapes.insert(name, made.clone());
        Ok(made)
    }

    fn make(&mut self, shape: &CaseShape) -> Result<Shape, CaseError> {
        let refuse = |e: &dyn std::fmt::Display| flaw("", CaseReason::Refused(e.to_string()));
        match shape {
            CaseShape::Box { half_extents } => Shape::cuboid(*half_extents).map_err(|e| refuse(&e)),
            CaseShape::Sphere { radius } => Shape::ball(*radius).map_err(|e| refuse(&e)),
            CaseShape::Capsule { radius, half_height } => Shape::capsule(*radius, *half_height).map_err(|e| refuse(&e)),
            CaseShape::Cylinder { radius, half_height } => {
                Shape::cylinder(*radius, *half_height).map_err(|e| refuse(&e))
            }
            CaseShape::Cone { radius, half_height } => Shape::cone(*radius, *half_height).map_err(|e| refuse(&e)),
            CaseShape::HalfSpace { normal } => Shape::half_space(Vector::from(*normal)).map_err(|e| refuse(&e)),
            CaseShape::Mesh { file, scale } => {
                let mesh = self.mesh(file)?;
                let scaled = mesh.scaled(Vector::from(*scale)).map_err(|e| flaw("scale", mesh_reason(&e)))?;
                check_size(&scaled.aabb(), "file", scale)?;
                Shape::mesh(scaled).map_err(|e| flaw("file", mesh_reason(&e)))
            }
            CaseShape::Convex { file, points, scale } => {
                let (key, corners) = match (file, points) {
                    (Some(file), _) => ("file", self.corners(file)?.to_vec()),
                    (None, points) => ("points", points.iter().flatten().map(|p| Point::from(*p)).collect()),
                };
                let factors = Vector::from(*scale);
                let scaled: Vec<Point> = corners.iter().map(|p| p.coords.component_mul(&factors).into()).collect();
                check_size(&Aabb::from_points(&scaled), key, scale)?;
                Shape::convex_hull(&scaled).map_err(|e| flaw(key, CaseReason::Refused(e.to_string())))
            }
            CaseShape::Bezier { file } => {
                let surface = self.surface(file)?;
                Ok(Shape::patches(surface.clone()))
            }
            CaseShape::Compound { of } => {
                let parts = (0..).zip(of).map(|(i, part)| self.part(i, part)).collect::<Result<Vec<_>, _>>()?;
                Shape::compound(parts).map_err(|e| flaw("of", CaseReason::Refused(e.to_string())))
            }
            CaseShape::Ellipsoid { radii } => Shape::ellipsoid(*radii).map_err(|e| refuse(&e)),
            CaseShape::Torus { major_radius, minor_radius } => {
                Shape::torus(*major_radius, *minor_radius).map_err(|e| refuse(&e))
            }
            CaseShape::Superquadric { radii, exponents } => {
                Shape::superquadric(*radii, *exponents).map_err(|e| refuse(&e))
            }
            CaseShape::Union { of } => self.csg(Operation::Union, of),
            CaseShape::Intersection { of } => self.csg(Operation::Intersection, of),
            CaseShape::Difference { of } => self.csg(Operation::Difference, of),
            CaseShape::Sdf { of, cell } => {
                let source = self.shape(of).map_err(|e| e.under("of"))?;
                Shape::distance_grid(&source, *cell).map_err(|e| match e {
                    FieldError::Grid(_) => flaw("cell", CaseReason::Refused(e.to_string())),
                    e => flaw("of", CaseReason::Refused(e.to_string())),
                })
            }
        }
    }

    fn csg(&mut self, operation: Operation, of: &[PlacedShape]) -> Result<Shape, CaseError> {
        let parts = (0..).zip(of).map(|(i, part)| self.part(i, part).map(|(pose, shape)| (shape, pose)));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        Shape::csg(operation, &parts).map_err(|e| flaw("of", CaseReason::Refused(e.to_string())))
    }

    /// Part `i` of a shape, with its place in it.
    fn part(&mut self, i: usize, part: &PlacedShape) -> Result<(Pose, Shape), CaseError> {
        let shape = self.shape(&part.shape).map_err(|e| e.under(&format!("of[{i}]")))?;
        Ok((pose(part.position, part.rotation), shape))
    }

    fn surface(&mut self, file: &str) -> Result<&PatchSurface, CaseError> {
        match self.surfaces.entry(self.folder.join(file)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let surface = load_patches(place.key()).map_err(|e| flaw("file", mesh_reason(&e)))?;
                Ok(place.insert(surface))
            }
        }
    }

    /// The points whose hull a file stands for: it need not have faces.
    fn corners(&mut self, file: &str) -> Result<&[Point], CaseError> {
        let path = self.folder.join(file);
        if let Some(mesh) = self.meshes.get(&path) {
            return Ok(mesh.vertices());
        }
        match self.corners.entry(path) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let corners = load_obj_points(place.key()).map_err(|e| flaw("file", mesh_reason(&e)))?;
                Ok(place.insert(corners))
            }
        }
    }

    fn mesh(&mut self, file: &str) -> Result<&TriMesh, CaseError> {
        let path = self.folder.join(file);
        match self.meshes.entry(path) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let mesh = load_obj(place.key()).map_err(|e| flaw("file", mesh_reason(&e)))?;
                Ok(place.insert(mesh.closed_by_welding()))
            }
        }
    }
}

/// Models have the limits of all other solids; `key` says where their points come from. What is no place at all is said elsewhere.
fn check_size(of: &Aabb, key: &str, scale: &[Real; 3]) -> Result<(), CaseError> {
    let half = of.half_extents().amax();
    if !half.is_finite() || half == 0.0 || (MIN_SIZE..=MAX_SIZE).contains(&half) {
        return Ok(());
    }
    let key = if *scale == [1.0; 3] { key } else { "scale" };
    let text = format!("half of the model's longest side is {half:e} m, outside {MIN_SIZE:e} to {MAX_SIZE:e} m");
    Err(flaw(key, CaseReason::Refused(text)))
}

fn mesh_reason(error: &dyn std::fmt::Display) -> CaseReason {
    CaseReason::Mesh(error.to_string())
}

/// An error at `key` of something whose place the caller knows.
pub(super) fn flaw(key: &str, reason: CaseReason) -> CaseError {
    CaseError::at(Path::new(""), None, Some(key), reason)
}
