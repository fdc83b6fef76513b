//! The colours of the overlays.

use bevy::color::palettes::tailwind;
use bevy::gizmos::config::GizmoConfigGroup;
use bevy::prelude::*;

/// The gizmo group of colliders, boxes and hierarchies, with their colours and those of frames and velocities; hidden behind what is in
/// front of them.
///
/// Line width, depth and render layers are set through `GizmoConfigStore`.
#[derive(Reflect, GizmoConfigGroup, Clone, Debug)]
#[reflect(Default)]
pub struct CcdGizmos {
    /// Colliders of dynamic bodies.
    pub collider: Color,
    /// The same of bodies that sleep.
    pub sleeping_collider: Color,
    /// Colliders of kinematic bodies.
    pub kinematic_collider: Color,
    /// Colliders of static bodies.
    pub static_collider: Color,
    /// Sensors.
    pub sensor: Color,
    /// Axis-aligned boxes.
    pub aabb: Color,
    /// Oriented boxes.
    pub obb: Color,
    /// Oriented boxes around what a body sweeps.
    pub swept_obb: Color,
    /// Bounding spheres.
    pub sphere: Color,
    /// The boxes or spheres of a level of a hierarchy.
    pub hierarchy: Color,
    /// Linear velocities.
    pub linear_velocity: Color,
    /// Angular velocities.
    pub angular_velocity: Color,
    /// Centres of mass.
    pub center_of_mass: Color,
}

impl Default for CcdGizmos {
    fn default() -> Self {
        Self {
            collider: tailwind::GREEN_400.into(),
            sleeping_collider: tailwind::GREEN_800.into(),
            kinematic_collider: tailwind::VIOLET_400.into(),
            static_collider: tailwind::ZINC_400.into(),
            sensor: tailwind::YELLOW_500.into(),
            aabb: tailwind::SLATE_400.into(),
            obb: tailwind::SKY_400.into(),
            swept_obb: tailwind::AMBER_400.into(),
            sphere: tailwind::EMERALD_400.into(),
            hierarchy: tailwind::TEAL_300.into(),
            linear_velocity: tailwind::LIME_300.into(),
            angular_velocity: tailwind::FUCHSIA_400.into(),
            center_of_mass: tailwind::ORANGE_300.into(),
        }
    }
}

/// The gizmo group of contacts, with their colours; drawn over everything.
#[derive(Reflect, GizmoConfigGroup, Clone, Debug)]
#[reflect(Default)]
pub struct CcdContactGizmos {
    /// Contact points.
    pub point: Color,
    /// Contact normals.
    pub normal: Color,
    /// Impacts of the last step.
    pub impact: Color,
    /// Forces on the second body.
    pub force: Color,
    /// The part of them that is friction.
    pub friction: Color,
    /// Friction cones.
    pub friction_cone: Color,
    /// Tangent planes.
    pub tangent_plane: Color,
    /// Clusters.
    pub cluster: Color,
    /// The contacts of the contact graph.
    pub graph: Color,
}

impl Default for CcdContactGizmos {
    fn default() -> Self {
        Self {
            point: tailwind::YELLOW_300.into(),
            normal: tailwind::RED_500.into(),
            impact: tailwind::CYAN_300.into(),
            force: tailwind::ORANGE_400.into(),
            friction: tailwind::FUCHSIA_400.into(),
            friction_cone: tailwind::YELLOW_200.into(),
            tangent_plane: tailwind::SKY_300.into(),
            cluster: tailwind::LIME_300.into(),
            graph: tailwind::SLATE_200.into(),
        }
    }
}

/// The gizmo group of thin lines over everything: friction cones, tangent planes, clusters and the numbers of the contact graph, which
/// would hide each other if they were thick, the paper's ellipsoid, and frames, centres of mass and velocities, which lie inside their
/// bodies. Its colours are those of [`CcdContactGizmos`], [`CcdPairGizmos`] and [`CcdGizmos`].
#[derive(Reflect, GizmoConfigGroup, Clone, Debug, Default)]
#[reflect(Default)]
pub struct CcdFineGizmos {}

/// The gizmo group of the pair that is looked into, with its colours; drawn over everything.
#[derive(Reflect, GizmoConfigGroup, Clone, Debug)]
#[reflect(Default)]
pub struct CcdPairGizmos {
    /// Features and regions of A.
    pub a: Color,
    /// Features and regions of B.
    pub b: Color,
    /// The line between the closest points.
    pub closest: Color,
    /// The steps of the walk.
    pub walk: Color,
    /// The way of a point.
    pub way: Color,
    /// The line from its beginning to its end.
    pub chord: Color,
    /// The way that it would go without turning.
    pub tangent: Color,
    /// What the paper's bound holds.
    pub paper: Color,
    /// What is proven to hold the way.
    pub proven: Color,
    /// Boxes that meet nothing.
    pub clear: Color,
    /// Boxes that were halved.
    pub halved: Color,
    /// The box of the contact.
    pub contact: Color,
}

impl Default for CcdPairGizmos {
    fn default() -> Self {
        Self {
            a: tailwind::SKY_400.into(),
            b: tailwind::PINK_400.into(),
            closest: tailwind::YELLOW_300.into(),
            walk: tailwind::YELLOW_300.into(),
            way: Color::WHITE,
            chord: tailwind::RED_500.into(),
            tangent: tailwind::BLUE_400.into(),
            paper: tailwind::YELLOW_300.into(),
            proven: tailwind::EMERALD_400.into(),
            clear: tailwind::EMERALD_400.into(),
            halved: tailwind::SLATE_300.into(),
            contact: tailwind::RED_500.into(),
        }
    }
}
