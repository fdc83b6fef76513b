//! A world at hand as a case: what was found in a game or a viewer, to be replayed by everybody.

mod layers;
mod save;
mod shape;

use std::collections::{BTreeMap, BTreeSet};

use super::error::CaseError;
use super::{Case, CaseBody, CaseMass, CaseWorld};
use crate::dynamics::{Body, BodyKind};
use crate::geometry::mesh::TriMesh;
use crate::geometry::parametric::PatchSurface;
use crate::id::BodyId;
use crate::math::{Pose, Real, Vector};
use crate::shape::Shape;
use crate::world::{BroadPhaseMethod, World, WorldSettings};
pub use save::SavedExport;

/// A world as a case, with the models that it needs.
#[derive(Clone, Debug)]
pub struct Export {
    /// The case; its bodies are in the order of the world's, its meshes and patches named by [`Export::meshes`] and [`Export::patches`].
    pub case: Case,
    /// File names, as the case names them, with the meshes, and with the hulls that have many corners.
    pub meshes: Vec<(String, TriMesh)>,
    /// The same for surfaces of patches.
    pub patches: Vec<(String, PatchSurface)>,
    /// What the format cannot say and the case therefore leaves out, in words, each with the bodies concerned. The case's notes say it too.
    pub left_out: Vec<String>,
}

/// The case of `world` as it is now, to be run for `steps` steps of `dt` seconds. `name_of` names the bodies; a name that
/// is missing, empty or taken becomes that of the body's number. Mesh files get names that start with `name`.
///
/// Positions, velocities and masses are carried over to the last bit; contacts, sleep, and what the solver remembers of
/// earlier steps are not. So the next step is the same to the last bit where nothing has touched yet, and the same but for what
/// the solver would have started from where something has.
///
/// What the format has no key for is said otherwise where that can be: a gravity scale as a constant force, layers as groups that do not
/// collide, and what is carried goes on as it goes now. Sensors are left out, for nothing answers to them. The rest is told in
/// [`Export::left_out`].
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
    let mut export = Exporter::new(file_stem(name));
    let mut names = BTreeSet::new();
    let mut solid = Vec::new();
    for (id, body) in world.bodies() {
        let wanted = name_of(id).filter(|n| !n.is_empty() && !names.contains(n));
        let mut body_name = wanted.unwrap_or_else(|| id.to_string());
        while !names.insert(body_name.clone()) {
            body_name.push('\'');
        }
        export.body_name.clone_from(&body_name);
        if body.sensor {
            export.leave_out("sensors, to which nothing answers");
        } else {
            solid.push((id, body, body_name));
        }
    }
    let groups = layers::groups(&solid.iter().map(|(_, body, _)| *body).collect::<Vec<_>>());
    let mut bodies = Vec::with_capacity(solid.len());
    for ((id, body, body_name), group) in solid.into_iter().zip(groups) {
        export.body_name = body_name;
        if !group.is_exact {
            export.leave_out("collision layers");
        }
        let velocity = velocity_of(world, id, body);
        bodies.push(export.body(body, velocity, group.number, &world.settings().gravity)?);
    }
    let settings = export.settings(world.settings(), dt, steps);
    let left_out: Vec<String> = export.left_out.iter().map(LeftOut::in_words).collect();
    let case = Case {
        name: name.to_owned(),
        source: None,
        notes: (!left_out.is_empty()).then(|| format!("Left out: {}.", left_out.join("; "))),
        world: settings,
        bodies,
        expect: Vec::new(),
    };
    Ok(Export { case, meshes: export.meshes, patches: export.patches, left_out })
}

/// The letters and digits of a name, for files.
fn file_stem(name: &str) -> String {
    let stem: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    if stem.is_empty() { "case".to_owned() } else { stem }
}

/// Something that the format cannot say.
struct LeftOut {
    what: String,
    /// Of which bodies; empty where it is of the whole world.
    of: Vec<String>,
}

impl LeftOut {
    fn in_words(&self) -> String {
        let names: Vec<String> = self.of.iter().map(|name| format!("\"{name}\"")).collect();
        if names.is_empty() { self.what.clone() } else { format!("{} ({})", self.what, names.join(", ")) }
    }
}

struct Exporter {
    stem: String,
    meshes: Vec<(String, TriMesh)>,
    patches: Vec<(String, PatchSurface)>,
    /// The file of each model by the address of its shared value.
    known: BTreeMap<usize, String>,
    left_out: Vec<LeftOut>,
    /// The body at hand.
    body_name: String,
}

impl Exporter {
    fn new(stem: String) -> Self {
        Self {
            stem,
            meshes: Vec::new(),
            patches: Vec::new(),
            known: BTreeMap::new(),
            left_out: Vec::new(),
            body_name: String::new(),
        }
    }

    fn body(
        &mut self,
        body: &Body,
        (linear, angular): (Vector, Vector),
        group: Option<u32>,
        gravity: &Vector,
    ) -> Result<CaseBody, CaseError> {
        let kind = body.kind();
        let shape = self.shape(body.shape()).map_err(|e| e.of_body(&self.body_name))?;
        self.note_what_is_lost(body);
        let is_dynamic = kind == BodyKind::Dynamic;
        // The format has no gravity of a body's own.
        let weight = gravity * (body.mass_properties().mass * (body.gravity_scale - 1.0));
        Ok(CaseBody {
            position: body.pose().translation.vector.into(),
            rotation: rotation(body.pose()),
            linear_velocity: linear.into(),
            angular_velocity: angular.into(),
            // A kinematic body turns about its centre of mass.
            mass_properties: (kind != BodyKind::Static).then(|| mass(body)),
            friction: Some(body.material.friction),
            restitution: Some(body.material.restitution),
            force: if is_dynamic { (body.force + weight).into() } else { [0.0; 3] },
            torque: if is_dynamic { body.torque.into() } else { [0.0; 3] },
            locked_dof: body.locked_axes(),
            no_collide_group: group,
            ..CaseBody::new(self.body_name.clone(), kind, shape)
        })
    }

    fn note_what_is_lost(&mut self, body: &Body) {
        let is_dynamic = body.kind() == BodyKind::Dynamic;
        let lost = [
            ("linear damping", is_dynamic && body.linear_damping != 0.0),
            ("angular damping", is_dynamic && body.angular_damping != 0.0),
            ("that bodies never sleep", is_dynamic && !body.can_sleep),
            ("surface velocities", body.surface_velocity != Vector::zeros()),
            ("rolling resistance", body.material.rolling_resistance != 0.0),
            ("one-way platforms, which are solid from everywhere", body.one_way.is_some()),
            ("how coefficients combine", body.materials().any(|material| material.combines_its_own_way())),
            ("what carries bodies, which go on by themselves", body.carrier.is_some()),
            ("densities of parts", has_densities(body.shape())),
            ("materials of parts", body.materials().any(|material| material != body.material)),
        ];
        for (what, _) in lost.iter().filter(|(_, is_lost)| *is_lost) {
            self.leave_out(what);
        }
    }

    /// Notes that the format cannot say this of the body at hand.
    fn leave_out(&mut self, what: &str) {
        let name = &self.body_name;
        match self.left_out.iter_mut().find(|known| known.what == what) {
            Some(known) if known.of.last() == Some(name) => {}
            Some(known) => known.of.push(name.clone()),
            None => self.left_out.push(LeftOut { what: what.to_owned(), of: vec![name.clone()] }),
        }
    }

    fn settings(&mut self, settings: &WorldSettings, dt: Real, steps: u32) -> CaseWorld {
        let defaults = CaseWorld::new(dt, steps);
        let mut leave_out = |what: String| self.left_out.push(LeftOut { what, of: Vec::new() });
        if settings.max_impacts_per_body != WorldSettings::default().max_impacts_per_body {
            leave_out(format!("at most {} impacts per body", settings.max_impacts_per_body));
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
                    leave_out("the broad phase by brute force".to_owned());
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
}

/// The linear and angular velocity that a body goes with: its own, or those that led it, and where it is carried that of what carries it.
fn velocity_of(world: &World, id: BodyId, body: &Body) -> (Vector, Vector) {
    let own = body.motion_as_led();
    match world.motion_of(id) {
        // What is carried on an arc turns about its carrier's centre.
        Some(motion) if body.carrier.is_some() => (motion.velocity_of(&body.centre(), 0.0), motion.angular_velocity),
        _ => (own.linear_velocity, own.angular_velocity),
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
