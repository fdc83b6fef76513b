//! Bodies whose entities are children of bodies: what does not move by forces goes where the body above goes.

use std::collections::BTreeMap;

use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use ccd_core::dynamics::{BodyKind, Carrier};
use ccd_core::id::BodyId;
use ccd_core::math::Pose;

use super::CcdBody;
use super::placement::Placement;
use crate::components::{RigidBody, RigidBodyDisabled};
use crate::convert::to_pose;
use crate::world::CcdWorld;

/// A place that differs by no more than this share of its distance, or of a metre, is the same but for rounding to `f32`.
const ROUNDING: f64 = 1e-6;

/// Finds the bodies above an entity.
#[derive(SystemParam)]
pub(crate) struct Carriers<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    bodies: Query<'w, 's, (&'static RigidBody, Has<RigidBodyDisabled>)>,
    in_world: Query<'w, 's, (), With<CcdBody>>,
    transforms: Query<'w, 's, &'static Transform>,
}

impl Carriers<'_, '_> {
    /// Whether a body above moves.
    pub fn is_carried(&self, entity: Entity) -> bool {
        self.parents
            .iter_ancestors(entity)
            .any(|above| self.bodies.get(above).is_ok_and(|(kind, disabled)| !kind.is_static() && !disabled))
    }

    /// Whether the body that a collider belongs to is disabled.
    pub fn is_disabled(&self, entity: Entity) -> bool {
        let above = std::iter::once(entity).chain(self.parents.iter_ancestors(entity));
        above.filter_map(|entity| self.bodies.get(entity).ok()).next().is_some_and(|(_, disabled)| disabled)
    }

    /// The nearest body above that the world has.
    pub fn carrier_of(&self, entity: Entity) -> Option<Entity> {
        let is_body = |&above: &Entity| self.bodies.contains(above) && self.in_world.contains(above);
        self.parents.iter_ancestors(entity).find(is_body)
    }

    /// The pose of an entity in the frame of a body above it, which has the body's place and rotation, and is stretched by `stretch`. Multiplied
    /// up and not down from the world, so that the body's motion changes no bit of it.
    fn place_in(&self, above: Entity, stretch: Mat3, entity: Entity) -> Option<Pose> {
        let own = self.transforms.get(entity).ok()?;
        let mut place = own.compute_affine();
        for between in self.parents.iter_ancestors(entity).take_while(|&between| between != above) {
            place = self.transforms.get(between).ok()?.compute_affine() * place;
        }
        let Placement { translation, rotation, .. } =
            Placement::of(&(Affine3A::from_mat3(stretch) * place), own.scale)?;
        to_pose(translation, rotation)
    }
}

/// Tells the world which bodies carry which, and where; what has no body above any more is carried by nobody.
pub(crate) fn carry_children(
    mut world: ResMut<CcdWorld>,
    bodies: Query<&CcdBody>,
    below: Query<(Entity, &CcdBody), With<ChildOf>>,
    carriers: Carriers,
) {
    let is_moved = |body: &CcdBody| world.core.body(body.id).is_some_and(|now| now.kind() == BodyKind::Kinematic);
    let moved = below.iter().filter(|(_, body)| is_moved(body));
    let carried: BTreeMap<Entity, Entity> =
        moved.filter_map(|(entity, _)| Some((entity, carriers.carrier_of(entity)?))).collect();
    take_along(&mut world, &carried);
    let former = std::mem::replace(&mut world.carried, carried.clone());
    for (&entity, &above) in &carried {
        let Ok([body, by]) = bodies.get_many([entity, above]) else { continue };
        let now = world.core.body(body.id);
        let place = match now.zip(world.core.body(by.id)).filter(|_| body.is_put_back) {
            // What was put back is where the state has it, and not where its transform says.
            Some((now, above)) => Some(above.pose().inverse() * now.pose()),
            None => carriers.place_in(above, by.stretch, entity),
        };
        if place.is_none() {
            world.carried.remove(&entity);
        }
        set_carrier(&mut world, body.id, place.map(|place| Carrier { body: by.id, place }));
    }
    for entity in former.into_keys().filter(|entity| !carried.contains_key(entity)) {
        if let Some(id) = world.body_id(entity) {
            set_carrier(&mut world, id, None);
        }
    }
}

/// Where a body was teleported, what it goes on carrying is teleported with it, and what that carries: nothing is met on the way. What
/// the game has put somewhere itself is there.
fn take_along(world: &mut CcdWorld, carried: &BTreeMap<Entity, Entity>) {
    let teleported = std::mem::take(&mut world.teleported);
    if teleported.is_empty() {
        return;
    }
    for &entity in carried.keys() {
        let above = |entity: &Entity| carried.get(entity).filter(|&by| world.carried.get(entity) == Some(by)).copied();
        let mut way_up = std::iter::successors(Some(entity), above).take(carried.len() + 1);
        let first = way_up.find(|above| teleported.contains_key(above)).filter(|&first| first != entity);
        let by = first.and_then(|first| teleported.get(&first));
        let id = world.body_id(entity);
        if let Some((id, pose)) = by.zip(id).and_then(|(by, id)| Some((id, by * world.core.body(id)?.pose()))) {
            // What cannot be there stays, to be led there as by any other motion.
            _ = world.core.set_pose(id, pose);
        }
    }
}

/// What has not changed but for rounding keeps all its digits, and wakes nobody.
fn set_carrier(world: &mut CcdWorld, id: BodyId, carrier: Option<Carrier>) {
    let Some(known) = world.core.body(id).map(|body| body.carrier) else { return };
    let same = match (&known, &carrier) {
        (None, None) => true,
        (Some(known), Some(now)) => known.body == now.body && is_same(&known.place, &now.place),
        _ => false,
    };
    if !same && let Some(body) = world.core.body_mut(id) {
        body.carrier = carrier;
    }
}

/// Whether two places are one but for rounding.
pub(super) fn is_same(known: &Pose, now: &Pose) -> bool {
    let reach = ROUNDING * (1.0 + known.translation.vector.norm());
    (known.translation.vector - now.translation.vector).norm() <= reach
        && known.rotation.angle_to(&now.rotation) <= ROUNDING
}
