//! Bodies on the stage: their triangles, colours by what they are and what became of them, and their places at the
//! watched instant.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy::transform::TransformSystems;
use bevy::transform::systems::sync_simple_transforms;
use bevy_ccd::CcdContactGizmos;
use bevy_ccd::convert::{from_rotation, from_vector};
use ccd_core::dynamics::BodyKind;
use ccd_core::id::BodyId;

use super::shapes::Meshes;
use crate::palette;
use crate::panels::contacts::Selection;
use crate::playback::Playback;
use crate::scenes::{Fate, Scene, Tally};

/// The drawn form of a body.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actor(pub BodyId);

/// What a body is painted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Paint {
    /// By kind: never moves.
    Static,
    /// By kind: moves by itself.
    Kinematic,
    /// By kind: the n-th colour of those that are moved.
    Dynamic(usize),
    /// A shot on the way.
    Flying,
    /// A shot that has met something.
    Hit,
    /// A shot that has passed.
    Through,
}

/// The materials, made once each.
#[derive(Resource, Default)]
pub struct Paints(BTreeMap<(Paint, bool), Handle<StandardMaterial>>);

impl Paints {
    /// The material of a paint; brighter while selected.
    pub fn get(
        &mut self,
        paint: Paint,
        selected: bool,
        materials: &mut Assets<StandardMaterial>,
    ) -> Handle<StandardMaterial> {
        self.0.entry((paint, selected)).or_insert_with(|| materials.add(material(paint, selected))).clone()
    }
}

fn material(paint: Paint, selected: bool) -> StandardMaterial {
    let (base_color, metallic, perceptual_roughness) = match paint {
        Paint::Static => (palette::STATIC, 0.0, 0.75),
        Paint::Kinematic => (palette::KINEMATIC, 0.0, 0.5),
        Paint::Dynamic(index) => (palette::DYNAMIC[index % palette::DYNAMIC.len()], 0.0, 0.5),
        Paint::Flying => (palette::FLYING, 0.55, 0.32),
        Paint::Hit => (palette::HIT, 0.25, 0.4),
        Paint::Through => (palette::THROUGH, 0.25, 0.4),
    };
    StandardMaterial {
        base_color,
        metallic,
        perceptual_roughness,
        emissive: if selected { palette::SELECTED.to_linear() * 0.6 } else { LinearRgba::BLACK },
        // A soup has two sides and no inside; a closed mesh never shows its second.
        double_sided: true,
        cull_mode: None,
        ..default()
    }
}

/// The paint of a body by its kind.
pub fn paint_of(kind: BodyKind, id: BodyId) -> Paint {
    match kind {
        BodyKind::Static => Paint::Static,
        BodyKind::Kinematic => Paint::Kinematic,
        BodyKind::Dynamic => Paint::Dynamic(id.index as usize % palette::DYNAMIC.len()),
    }
}

/// How many shots have which fate at the watched instant.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(pub Option<Tally>);

/// Draws the bodies.
pub struct BodiesPlugin;

impl Plugin for BodiesPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Paints>()
            .init_resource::<Meshes>()
            .init_resource::<Count>()
            .init_resource::<Selection>()
            .init_resource::<super::arrows::ArrowParts>()
            .add_systems(Startup, leave_normals_to_arrows)
            .add_systems(
                PostUpdate,
                (
                    (paint_actors, super::arrows::show_arrows).before(TransformSystems::Propagate),
                    // What the plugin draws after the propagation is drawn where the bodies are seen.
                    place_actors.in_set(TransformSystems::Propagate).after(sync_simple_transforms),
                ),
            );
    }
}

/// The plugin's switch for contact normals is obeyed by the arrows, which have depth; its lines would lie over them.
fn leave_normals_to_arrows(mut gizmos: ResMut<GizmoConfigStore>) {
    gizmos.config_mut::<CcdContactGizmos>().1.normal = Color::NONE;
}

/// Shows the bodies at the watched instant. Their `Transform` is the plugin's, which reads a change of it as a teleport:
/// only the global transform, which nobody reads back, is set.
fn place_actors(playback: Res<Playback>, mut actors: Query<(&Actor, &mut GlobalTransform, &mut Visibility)>) {
    for (actor, mut global, mut visibility) in &mut actors {
        let pose = playback.pose(actor.0);
        // A ball that was shot later is not there yet.
        visibility.set_if_neq(if pose.is_some() { Visibility::Inherited } else { Visibility::Hidden });
        if let Some(pose) = pose {
            let isometry = Isometry3d::new(from_vector(&pose.translation.vector), from_rotation(&pose.rotation));
            global.set_if_neq(GlobalTransform::from_isometry(isometry));
        }
    }
}

fn paint_actors(
    playback: Res<Playback>,
    scene: Res<Scene>,
    selection: Res<Selection>,
    mut paints: ResMut<Paints>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut count: ResMut<Count>,
    mut actors: Query<(&Actor, &mut MeshMaterial3d<StandardMaterial>)>,
) {
    let time = playback.tape.watched();
    let contact = selection.contact_now(&playback);
    let mut tally = scene.shots.is_some().then(Tally::default);
    for (actor, mut painted) in &mut actors {
        let Some(body) = playback.body(actor.0) else { continue };
        let fate = scene.shots.as_ref().and_then(|shots| {
            let place = playback.pose(actor.0)? * body.local_centre();
            shots.fate(actor.0, time, &place)
        });
        if let (Some(tally), Some(fate)) = (&mut tally, fate) {
            tally.add(fate);
        }
        let paint = match fate {
            Some(Fate::Flying) => Paint::Flying,
            Some(Fate::Hit) => Paint::Hit,
            Some(Fate::Through) => Paint::Through,
            None => paint_of(body.kind(), actor.0),
        };
        let in_contact = contact.is_some_and(|row| row.pair.a == actor.0 || row.pair.b == actor.0);
        // A floor that is one side of a contact would light up all of the scene.
        let selected = selection.body == Some(actor.0) || (body.kind() != BodyKind::Static && in_contact);
        painted.set_if_neq(MeshMaterial3d(paints.get(paint, selected, &mut materials)));
    }
    count.set_if_neq(Count(tally));
}
