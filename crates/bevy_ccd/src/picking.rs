//! Pointers pick colliders: a backend of Bevy's picking.

use bevy::camera::visibility::RenderLayers;
use bevy::picking::PickingSystems;
use bevy::picking::backend::ray::RayMap;
use bevy::picking::backend::{HitData, PointerHits};
use bevy::prelude::*;

use crate::query::{SpatialQuery, SpatialQueryFilter};

/// Has pointers pick colliders, so that `Pointer<Click>`, `Pointer<Drag>` and Bevy's other pointer events are triggered on them, whatever is
/// drawn there, if anything. It is no part of [`CcdPlugins`](crate::CcdPlugins): each pointer costs a ray a frame.
///
/// Events go to the entity of the collider that was met, and from a child's on to the body's. What is met is the bodies after the last step, which
/// those that are eased between steps are shown a little behind. [`Pickable`] says, as for meshes, which colliders are passed over and which let what
/// is behind them be picked as well; of a body each collider may say it for itself. A camera picks what is on its [`RenderLayers`]; a collider
/// without any is on the first.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_ccd::prelude::*;
///
/// fn main() {
///     App::new().add_plugins((DefaultPlugins, CcdPlugins::default(), CcdPickingPlugin)).add_systems(Startup, setup).run();
/// }
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 2.0, 10.0)));
///     commands.spawn((RigidBody::Dynamic, Collider::sphere(0.5))).observe(
///         |click: On<Pointer<Click>>, mut impulses: Impulses| -> Result {
///             impulses.push(click.entity, Vec3::Y * 1000.0)?;
///             Ok(())
///         },
///     );
/// }
/// ```
#[doc(alias = "PhysicsPickingPlugin")]
#[doc(alias = "RapierPickingPlugin")]
#[derive(Clone, Copy, Debug, Default)]
pub struct CcdPickingPlugin;

impl Plugin for CcdPickingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<CcdPickingSettings>()
            .register_type::<CcdPickingSettings>()
            .register_type::<CcdPickingCamera>()
            .add_systems(PreUpdate, pick_colliders.in_set(PickingSystems::Backend));
    }
}

/// What pointers pick. May be changed at any time.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct CcdPickingSettings {
    /// Whether only cameras that have a [`CcdPickingCamera`] pick, and only colliders that have a [`Pickable`] are picked.
    pub require_markers: bool,
}

/// On a camera: it picks colliders, and of these those of bodies that its filter takes. Cameras without one pick all, unless
/// [`CcdPickingSettings::require_markers`] is set.
#[doc(alias = "PhysicsPickingFilter")]
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct CcdPickingCamera(#[entities] pub SpatialQueryFilter);

fn pick_colliders(
    settings: Res<CcdPickingSettings>,
    rays: Res<RayMap>,
    cameras: Query<(&Camera, Option<&CcdPickingCamera>, Option<&RenderLayers>)>,
    colliders: Query<(Option<&Pickable>, Option<&RenderLayers>)>,
    query: SpatialQuery,
    mut hits: MessageWriter<PointerHits>,
) {
    let all = CcdPickingCamera::default();
    let first = RenderLayers::default();
    for (id, ray) in rays.iter() {
        let Ok((camera, picks, camera_layers)) = cameras.get(id.camera) else { continue };
        if settings.require_markers && picks.is_none() {
            continue;
        }
        let CcdPickingCamera(filter) = picks.unwrap_or(&all);
        let mut picked = Vec::new();
        // A camera without a place picks nothing.
        let met = query.collider_ray_hits(ray.origin, ray.direction, f32::INFINITY, filter).unwrap_or_default();
        for hit in met {
            let Ok((pickable, layers)) = colliders.get(hit.collider) else { continue };
            let is_hoverable = pickable.map_or(!settings.require_markers, |pickable| pickable.is_hoverable);
            if !is_hoverable || !camera_layers.unwrap_or(&first).intersects(layers.unwrap_or(&first)) {
                continue;
            }
            picked.push((hit.collider, HitData::new(id.camera, hit.distance, Some(hit.point), Some(hit.normal))));
            if pickable.is_none_or(|pickable| pickable.should_block_lower) {
                break;
            }
        }
        if !picked.is_empty() {
            hits.write(PointerHits::new(id.pointer, picked, camera.order as f32));
        }
    }
}
