//! The colours of the overlays.

use bevy::color::palettes::tailwind;
use bevy::gizmos::config::GizmoConfigGroup;
use bevy::prelude::*;

/// The gizmo group of boxes, frames and velocities, with their colours; hidden behind what is in front of them.
///
/// Line width, depth and render layers are set through `GizmoConfigStore`.
#[derive(Reflect, GizmoConfigGroup, Clone, Debug)]
#[reflect(Default)]
pub struct CcdGizmos {
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
}

impl Default for CcdContactGizmos {
    fn default() -> Self {
        Self { point: tailwind::YELLOW_300.into(), normal: tailwind::RED_500.into(), impact: tailwind::CYAN_300.into() }
    }
}
