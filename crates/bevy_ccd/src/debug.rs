//! Which overlays are drawn.

use bevy::prelude::*;
use ccd_core::bounds::HierarchyKind;

use crate::reflected::HierarchyOrNone;

/// The switches of the debug overlays; all off by default. Colours are in the gizmo groups `CcdGizmos` and `CcdContactGizmos`.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, TransformPlugin, CcdPlugins::default()));
/// app.insert_resource(CcdDebug::colliders());
/// ```
#[derive(Resource, Reflect, Clone, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct CcdDebug {
    /// The outlines of all colliders, in the colour of what their bodies are: dynamic, asleep, kinematic, static, sensors.
    pub colliders: bool,
    /// Axis-aligned boxes around the bodies.
    pub aabbs: bool,
    /// Oriented boxes around the bodies.
    pub obbs: bool,
    /// Oriented boxes around what each body sweeps in the next step.
    pub swept_obbs: bool,
    /// Contact points.
    pub contact_points: bool,
    /// Contact normals, from the first body to the second.
    pub contact_normals: bool,
    /// Impacts of the last step with their impulses, the strongest drawn three times as long as a contact normal.
    pub impacts: bool,
    /// The axes of each body's frame, and its centre of mass.
    pub axes: bool,
    /// Linear and angular velocities.
    pub velocities: bool,
    /// The bounding spheres of each body.
    pub spheres: bool,
    /// At each contact the force on the second body, and of it the friction.
    pub forces: bool,
    /// At each contact the cone that friction keeps the force in.
    pub friction_cones: bool,
    /// At each contact the plane that the two features share.
    pub tangent_planes: bool,
    /// Contacts of one place, and the one that stands for them.
    pub clusters: bool,
    /// Who touches whom, and how many contacts each body is from what cannot move.
    pub contact_graph: bool,
    /// A hierarchy over the mesh or hull of each body: trees of boxes or of spheres. It is built beside the frames and drawn
    /// when it is there; a medial axis exists for closed meshes only.
    #[reflect(remote = HierarchyOrNone)]
    pub hierarchy: Option<HierarchyKind>,
    /// Which level of it, 0 for the root; beyond the last are all leaves.
    pub hierarchy_level: usize,
    /// The length of a drawn contact normal, metres.
    pub normal_length: f32,
    /// The size of a drawn contact point, metres.
    pub point_size: f32,
    /// How long a force is drawn, metres per newton.
    pub force_length: f32,
}

impl Default for CcdDebug {
    fn default() -> Self {
        Self {
            colliders: false,
            aabbs: false,
            obbs: false,
            swept_obbs: false,
            contact_points: false,
            contact_normals: false,
            impacts: false,
            axes: false,
            velocities: false,
            spheres: false,
            forces: false,
            friction_cones: false,
            tangent_planes: false,
            clusters: false,
            contact_graph: false,
            hierarchy: None,
            hierarchy_level: 2,
            normal_length: 0.4,
            point_size: 0.06,
            force_length: 1e-4,
        }
    }
}

impl CcdDebug {
    /// The outlines of all colliders.
    pub fn colliders() -> Self {
        Self { colliders: true, ..Self::default() }
    }

    /// Contact points and normals.
    pub fn contacts() -> Self {
        Self { contact_points: true, contact_normals: true, ..Self::default() }
    }

    /// Everything there is.
    pub fn all() -> Self {
        Self {
            colliders: true,
            aabbs: true,
            obbs: true,
            swept_obbs: true,
            contact_points: true,
            contact_normals: true,
            impacts: true,
            axes: true,
            velocities: true,
            spheres: true,
            forces: true,
            friction_cones: true,
            tangent_planes: true,
            clusters: true,
            contact_graph: true,
            hierarchy: Some(HierarchyKind::SphereOctree),
            ..Self::default()
        }
    }

    /// Whether anything is to be drawn.
    pub fn any(&self) -> bool {
        // Whole, so that none is forgotten here.
        let &Self {
            colliders,
            aabbs,
            obbs,
            swept_obbs,
            contact_points,
            contact_normals,
            impacts,
            axes,
            velocities,
            spheres,
            forces,
            friction_cones,
            tangent_planes,
            clusters,
            contact_graph,
            hierarchy,
            hierarchy_level: _,
            normal_length: _,
            point_size: _,
            force_length: _,
        } = self;
        hierarchy.is_some()
            || colliders
            || aabbs
            || obbs
            || swept_obbs
            || contact_points
            || contact_normals
            || impacts
            || axes
            || velocities
            || spheres
            || forces
            || friction_cones
            || tangent_planes
            || clusters
            || contact_graph
    }
}
