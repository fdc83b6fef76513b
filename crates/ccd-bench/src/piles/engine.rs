//! What an engine is asked to do, and what it is given.

use ccd_core::dynamics::BodyKind;
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::io::case::{Case, CaseBody, CaseShape, ShapeCache};
use ccd_core::math::Pose;
use ccd_scenes::cases::CaseFiles;

/// An engine with a scene in it.
pub trait Engine {
    /// Steps by the scene's Δt; answers the time that was lost, if the engine tells, seconds.
    fn step(&mut self) -> f64;

    /// Where the bodies are, in the order of the case.
    fn poses(&self) -> Vec<Pose>;
}

/// A scene as every engine takes it.
pub struct Scenery {
    pub case: Case,
    pub models: Vec<(String, TriMesh)>,
}

/// The shapes of these scenes.
pub enum Form<'a> {
    /// Half the edges.
    Box([f64; 3]),
    Mesh(&'a TriMesh),
}

impl Scenery {
    /// The first case of what a builder made, without sleeping.
    pub fn new(files: CaseFiles) -> Result<Self, Box<dyn std::error::Error>> {
        let (_, mut case) = files.cases.into_iter().next().ok_or("the builder makes no case")?;
        case.world.sleeping = false;
        let scenery = Self { case, models: files.models };
        for body in &scenery.case.bodies {
            if scenery.form(body).is_none() || body.kind == BodyKind::Kinematic {
                return Err(format!("{} is not a box or a mesh that falls or stays", body.name).into());
            }
        }
        Ok(scenery)
    }

    /// The shape of a body, if the engines are all taught it.
    pub fn form(&self, body: &CaseBody) -> Option<Form<'_>> {
        match &body.shape {
            CaseShape::Box { half_extents } => Some(Form::Box(*half_extents)),
            CaseShape::Mesh { file, scale: [1.0, 1.0, 1.0] } => {
                self.models.iter().find(|(name, _)| name == file).map(|(_, mesh)| Form::Mesh(mesh))
            }
            _ => None,
        }
    }

    /// What the body weighs by volume, kg/m³.
    pub fn density(&self, body: &CaseBody) -> f64 {
        let volume = match self.form(body) {
            Some(Form::Box([x, y, z])) => 8.0 * x * y * z,
            Some(Form::Mesh(mesh)) => mesh.signed_volume(),
            None => f64::NAN,
        };
        body.mass.map_or(body.density.unwrap_or(ccd_core::io::case::DEFAULT_DENSITY), |mass| mass / volume)
    }

    /// The models, for building the case's shapes.
    pub fn shapes(&self) -> ShapeCache {
        let mut shapes = ShapeCache::new("");
        for (file, mesh) in &self.models {
            shapes.insert_mesh(file, mesh.clone());
        }
        shapes
    }
}
