//! A world at hand as a case: what was found in a game or a viewer, to be replayed by everybody.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::error::{CaseError, CaseReason};
use super::{Case, CaseBody, CaseMass, CaseShape, CaseWorld, PlacedShape};
use crate::bounds::{IndexedMesh, IndexedPatches};
use crate::dynamics::{Body, BodyKind, CollisionLayers};
use crate::geometry::field::Operation;
use crate::geometry::mesh::TriMesh;
use crate::geometry::parametric::PatchSurface;
use crate::id::BodyId;
use crate::io::obj::save_obj;
use crate::io::patches::save_patches;
use crate::math::{Pose, Real};
use crate::shape::compound::Part;
use crate::shape::{FieldShape, Shape};
use crate::world::{BroadPhaseMethod, World, WorldSettings};

/// A world as a case, with the meshes that it needs.
#[derive(Clone, Debug)]
pub struct Export {
    /// The case; its bodies are in the order of the world's, its meshes and patches named by [`Export::meshes`] and [`Export::patches`].
    pub case: Case,
    /// File names, as the case names them, with the meshes.
    pub meshes: Vec<(String, TriMesh)>,
    /// The same for surfaces of patches.
    pub patches: Vec<(String, PatchSurface)>,
    /// What the format cannot say and the case therefore leaves out, in words, by body.
    pub left_out: Vec<String>,
}

impl Export {
    /// Writes the case to `path` and its meshes beside it.
    ///
    /// # Errors
    /// [`CaseError`] names the file that cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CaseError> {
        let path = path.as_ref();
        for (name, mesh) in &self.meshes {
            let file = path.with_file_name(name);
            save_obj(mesh, &file).map_err(|e| CaseError::of_file(&file, CaseReason::Mesh(e.to_string())))?;
        }
        for (name, surface) in &self.patches {
            let file = path.with_file_name(name);
            save_patches(surface, &file).map_err(|e| CaseError::of_file(&file, CaseReason::Mesh(e.to_string())))?;
        }
        self.case.save(path)
    }
}

/// The case of `world` as it is now, to be run for `steps` steps of `dt` seconds. `name_of` names the bodies; a name that
/// is missing, empty or taken becomes that of the body's number. Mesh files get names that start with `name`.
///
/// Positions, velocities and masses are carried over to the last bit; contacts and what the solver remembers of
/// earlier steps are not.
///
/// # Errors
/// [`CaseError`] for a custom solid, which no file can describe.
pub fn export_world(
    world: &World,
    name: &str,
    dt: Real,
    steps: u32,
    name_of: impl Fn(BodyId) -> Option<String>,
) -> Result<Export, CaseError> {
    let mut export = Exporter {
        stem: file_stem(name),
        meshes: Vec::new(),
        patches: Vec::new(),
        known: BTreeMap::new(),
        left_out: Vec::new(),
    };
    let mut names = BTreeMap::new();
    let mut bodies = Vec::new();
    for (id, body) in world.bodies() {
        let wanted = name_of(id).filter(|n| !n.is_empty() && !names.contains_key(n));
        let mut body_name = wanted.unwrap_or_else(|| id.to_string());
        while names.insert(body_name.clone(), ()).is_some() {
            body_name.push('\'');
        }
        bodies.push(export.body(body_name, body)?);
    }
    let case = Case {
        name: name.to_owned(),
        source: None,
        notes: None,
        world: settings(world.settings(), dt, steps, &mut export.left_out),
        bodies,
        expect: Vec::new(),
    };
    Ok(Export { case, meshes: export.meshes, patches: export.patches, left_out: export.left_out })
}

/// The letters and digits of a name, for files.
fn file_stem(name: &str) -> String {
    let stem: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    if stem.is_empty() { "case".to_owned() } else { stem }
}

struct Exporter {
    stem: String,
    meshes: Vec<(String, TriMesh)>,
    patches: Vec<(String, PatchSurface)>,
    /// The file of each mesh by the address of its shared value: bodies of one mesh share a file.
    known: BTreeMap<usize, String>,
    left_out: Vec<String>,
}

impl Exporter {
    fn body(&mut self, name: String, body: &Body) -> Result<CaseBody, CaseError> {
        let kind = body.kind();
        let shape = self.shape(body.shape()).map_err(|e| e.of_body(&name))?;
        self.note_what_is_lost(&name, body);
        Ok(CaseBody {
            position: body.pose().translation.vector.into(),
            rotation: rotation(body.pose()),
            linear_velocity: (*body.linear_velocity()).into(),
            angular_velocity: (*body.angular_velocity()).into(),
            // A kinematic body turns about its centre of mass.
            mass_properties: (kind != BodyKind::Static).then(|| mass(body)),
            friction: Some(body.material.friction),
            restitution: Some(body.material.restitution),
            force: if kind == BodyKind::Dynamic { body.force.into() } else { [0.0; 3] },
            torque: if kind == BodyKind::Dynamic { body.torque.into() } else { [0.0; 3] },
            locked_dof: body.locked_axes(),
            no_collide_group: body.no_collide_group,
            ..CaseBody::new(name, kind, shape)
        })
    }

    fn note_what_is_lost(&mut self, name: &str, body: &Body) {
        let lost = [
            ("rolling resistance", body.material.rolling_resistance != 0.0),
            ("gravity scale", body.gravity_scale != 1.0),
            ("linear damping", body.linear_damping != 0.0),
            ("angular damping", body.angular_damping != 0.0),
            ("collision layers", body.layers != CollisionLayers::default()),
            ("being a sensor", body.sensor),
            ("what carries it", body.carrier.is_some()),
            ("densities of the parts", has_densities(body.shape())),
        ];
        for (what, _) in lost.iter().filter(|(_, is_lost)| *is_lost) {
            self.left_out.push(format!("body \"{name}\": {what}"));
        }
    }

    fn shape(&mut self, shape: &Shape) -> Result<CaseShape, CaseError> {
        Ok(match shape {
            Shape::Box(s) => CaseShape::Box { half_extents: s.half_extents().into() },
            Shape::Ball(s) => CaseShape::Sphere { radius: s.radius() },
            Shape::Capsule(s) => CaseShape::Capsule { radius: s.radius(), half_height: s.half_height() },
            Shape::Cylinder(s) => CaseShape::Cylinder { radius: s.radius(), half_height: s.half_height() },
            Shape::Cone(s) => CaseShape::Cone { radius: s.radius(), half_height: s.half_height() },
            Shape::HalfSpace(s) => CaseShape::HalfSpace { normal: s.normal().into() },
            Shape::Convex(s) => CaseShape::Convex {
                file: None,
                points: Some(s.vertices().iter().map(|p| p.coords.into()).collect()),
                scale: [1.0; 3],
            },
            Shape::Mesh(s) => CaseShape::Mesh { file: self.mesh(s), scale: [1.0; 3] },
            Shape::Patches(s) => CaseShape::Bezier { file: self.surface(s) },
            Shape::Compound(s) => {
                CaseShape::Compound { of: s.parts().iter().map(|p| self.part(p)).collect::<Result<_, _>>()? }
            }
            Shape::Field(field) => return self.field(field),
            Shape::Custom(_) => {
                let what = format!("a file for the solid \"{}\"", shape.as_solid().kind());
                return Err(CaseError::at(Path::new(""), None, Some("shape"), CaseReason::Unsupported { what }));
            }
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
            FieldShape::RoundedBox(_) | FieldShape::Implicit(_) => {
                let what = format!("a file for the solid \"{}\"", field.as_field().kind());
                return Err(CaseError::at(Path::new(""), None, Some("shape"), CaseReason::Unsupported { what }));
            }
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
            let file = format!("{stem}-patches-{}.txt", patches.len());
            patches.push((file.clone(), surface.surface().clone()));
            file
        };
        self.known.entry(Arc::as_ptr(surface) as usize).or_insert_with(add).clone()
    }

    fn mesh(&mut self, mesh: &Arc<IndexedMesh>) -> String {
        let (meshes, stem) = (&mut self.meshes, &self.stem);
        let add = || {
            let file = format!("{stem}-mesh-{}.obj", meshes.len());
            meshes.push((file.clone(), mesh.mesh().clone()));
            file
        };
        self.known.entry(Arc::as_ptr(mesh) as usize).or_insert_with(add).clone()
    }
}

/// Whether parts differ in density: the body's mass is stated as a whole, only a later change of its density would tell.
fn has_densities(shape: &Shape) -> bool {
    matches!(shape, Shape::Compound(compound) if compound.parts().iter().any(|p| p.relative_density != 1.0))
}

fn rotation(pose: &Pose) -> [Real; 4] {
    let q = pose.rotation.coords;
    [q.x, q.y, q.z, q.w]
}

fn mass(body: &Body) -> CaseMass {
    let m = body.mass_properties();
    let row = |r: usize| -> [Real; 3] { std::array::from_fn(|c| m.inertia[(r, c)]) };
    CaseMass { mass: m.mass, com_local: m.com.coords.into(), inertia_com_local: [row(0), row(1), row(2)] }
}

fn settings(settings: &WorldSettings, dt: Real, steps: u32, left_out: &mut Vec<String>) -> CaseWorld {
    let defaults = CaseWorld::new(dt, steps);
    if settings.max_impacts_per_body != WorldSettings::default().max_impacts_per_body {
        left_out.push(format!("at most {} impacts per body", settings.max_impacts_per_body));
    }
    CaseWorld {
        gravity: settings.gravity.into(),
        dt,
        steps,
        tolerance: settings.tolerance,
        contact_threshold: settings.contact_threshold,
        detection: settings.detection,
        response: settings.response,
        integrator: settings.integrator,
        reduction: settings.reduction,
        broad_phase: match settings.broad_phase {
            BroadPhaseMethod::Brute => {
                left_out.push("the broad phase by brute force".to_owned());
                BroadPhaseMethod::Tree
            }
            named => named,
        },
        sleeping: settings.sleeping,
        initial_overlap: settings.initial_overlap,
        // Every body states its own.
        friction: defaults.friction,
        restitution: defaults.restitution,
    }
}
