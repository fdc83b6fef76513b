//! What a body is made of, as the format says it.

use std::path::Path;
use std::sync::Arc;

use super::{Exporter, rotation};
use crate::bounds::{IndexedMesh, IndexedPatches};
use crate::geometry::field::Operation;
use crate::geometry::mesh::{Topology, TriMesh};
use crate::geometry::polyhedron::ConvexPolyhedron;
use crate::io::case::error::{CaseError, CaseReason};
use crate::io::case::{CaseShape, PlacedShape};
use crate::math::Pose;
use crate::shape::compound::Part;
use crate::shape::{FieldShape, Shape};

impl Exporter {
    pub(super) fn shape(&mut self, shape: &Shape) -> Result<CaseShape, CaseError> {
        Ok(match shape {
            Shape::Box(s) => CaseShape::Box { half_extents: s.half_extents().into() },
            Shape::Ball(s) => CaseShape::Sphere { radius: s.radius() },
            Shape::Capsule(s) => CaseShape::Capsule { radius: s.radius(), half_height: s.half_height() },
            Shape::Cylinder(s) => CaseShape::Cylinder { radius: s.radius(), half_height: s.half_height() },
            Shape::Cone(s) => CaseShape::Cone { radius: s.radius(), half_height: s.half_height() },
            Shape::HalfSpace(s) => CaseShape::HalfSpace { normal: s.normal().into() },
            Shape::Convex(s) => self.hull(s),
            Shape::Mesh(s) => CaseShape::Mesh { file: self.mesh(s), scale: [1.0; 3] },
            Shape::Patches(s) => CaseShape::Bezier { file: self.surface(s) },
            Shape::Compound(s) => {
                CaseShape::Compound { of: s.parts().iter().map(|p| self.part(p)).collect::<Result<_, _>>()? }
            }
            Shape::Field(field) => return self.field(field),
            Shape::Custom(_) => return Err(nameless(shape.as_solid().kind())),
        })
    }

    fn field(&mut self, field: &FieldShape) -> Result<CaseShape, CaseError> {
        Ok(match field {
            FieldShape::Torus(s) => {
                CaseShape::Torus { major_radius: s.surface().major_radius(), minor_radius: s.surface().minor_radius() }
            }
            FieldShape::Superquadric(s) => match (s.surface().radii().into(), s.surface().exponents()) {
                (radii, [1.0, 1.0]) => CaseShape::Ellipsoid { radii },
                (radii, exponents) => CaseShape::Superquadric { radii, exponents },
            },
            FieldShape::Csg(s) => {
                let placed = |(shape, pose): &(Shape, Pose)| {
                    Ok(PlacedShape {
                        shape: self.shape(shape)?,
                        position: pose.translation.vector.into(),
                        rotation: rotation(pose),
                    })
                };
                let of = s.parts().iter().map(placed).collect::<Result<_, CaseError>>()?;
                match s.solid().operation() {
                    Operation::Union => CaseShape::Union { of },
                    Operation::Intersection => CaseShape::Intersection { of },
                    Operation::Difference => CaseShape::Difference { of },
                }
            }
            FieldShape::RoundedBox(_) | FieldShape::Implicit(_) => return Err(nameless(field.as_field().kind())),
        })
    }

    fn part(&mut self, part: &Part) -> Result<PlacedShape, CaseError> {
        Ok(PlacedShape {
            shape: self.shape(&part.shape)?,
            position: part.pose.translation.vector.into(),
            rotation: rotation(&part.pose),
        })
    }

    fn surface(&mut self, surface: &Arc<IndexedPatches>) -> String {
        let (patches, stem) = (&mut self.patches, &self.stem);
        let add = || {
            let file = patches_name(stem, patches.len());
            patches.push((file.clone(), surface.surface().clone()));
            file
        };
        self.known.entry(Arc::as_ptr(surface) as usize).or_insert_with(add).clone()
    }

    fn mesh(&mut self, mesh: &Arc<IndexedMesh>) -> String {
        if mesh.grid().is_some() {
            self.leave_out("grids of distances, whose surfaces are meshes here");
        } else if !mesh.is_closed() && Topology::of(&mesh.mesh().welded()).is_closed() {
            self.leave_out("that a mesh is a sheet, which is closed when it is read, by joining vertices");
        }
        self.model(Arc::as_ptr(mesh) as usize, || mesh.mesh().clone())
    }

    /// A hull of few corners states them; others have a model.
    fn hull(&mut self, hull: &Arc<ConvexPolyhedron>) -> CaseShape {
        let corners = hull.vertices();
        let model =
            if corners.len() > MOST_POINTS { TriMesh::try_new(corners.to_vec(), hull.triangles()).ok() } else { None };
        let file = model.map(|model| self.model(Arc::as_ptr(hull) as usize, || model));
        let points = file.is_none().then(|| corners.iter().map(|p| p.coords.into()).collect());
        CaseShape::Convex { file, points, scale: [1.0; 3] }
    }

    /// The file of the model at this address; models that are equal have one file, wherever they are.
    fn model(&mut self, address: usize, model: impl FnOnce() -> TriMesh) -> String {
        let (meshes, stem) = (&mut self.meshes, &self.stem);
        let find_or_add = || {
            let model = model();
            if let Some((file, _)) = meshes.iter().find(|(_, known)| *known == model) {
                return file.clone();
            }
            let file = mesh_name(stem, meshes.len());
            meshes.push((file.clone(), model));
            file
        };
        self.known.entry(address).or_insert_with(find_or_add).clone()
    }
}

/// The most corners of a hull that are stated in the case itself.
const MOST_POINTS: usize = 16;

/// The file of the mesh with this number of the case that is called `stem`.
pub(super) fn mesh_name(stem: &str, number: usize) -> String {
    format!("{stem}-mesh-{number}.obj")
}

/// The same for a surface of patches.
pub(super) fn patches_name(stem: &str, number: usize) -> String {
    format!("{stem}-patches-{number}.txt")
}

/// The error that the format has no words for a solid.
fn nameless(kind: &str) -> CaseError {
    let what = format!("a file for the solid \"{kind}\"");
    CaseError::at(Path::new(""), None, Some("shape"), CaseReason::Unsupported { what })
}
