//! Whether anything may have changed of what a body follows from, since it was last looked at.
//!
//! **Problem.** What a body is stands in some twenty components of its entity, in those of the colliders below it, and in the places above it. In
//! a game thousands rest: comparing all of that in every step would take longer than the step.
//!
//! **Idea.** The engine takes down when each component was last written, and an entity that has got or lost one is of another archetype. Where
//! neither has happened, neither to the entity nor to those above and below it, the body is what it was.
//!
//! **Cost.** A few comparisons for each body, and for each entity above or below one.

use bevy::ecs::archetype::ArchetypeId;
use bevy::ecs::entity::EntityLocation;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::CcdBody;
use crate::collider::Collider;
use crate::components::*;

/// Of a body's own entity, what its body is made from and shown by was written.
type Written = Or<(
    Or<(
        Changed<RigidBody>,
        Changed<Collider>,
        Changed<Transform>,
        Changed<LinearVelocity>,
        Changed<AngularVelocity>,
        Changed<ChildOf>,
        Changed<Children>,
        Changed<Mass>,
        Changed<ColliderDensity>,
        Changed<CenterOfMass>,
        Changed<AngularInertia>,
        Changed<LockedAxes>,
    )>,
    Or<(
        Changed<Restitution>,
        Changed<Friction>,
        Changed<RollingResistance>,
        Changed<SurfaceVelocity>,
        Changed<GravityScale>,
        Changed<LinearDamping>,
        Changed<AngularDamping>,
        Changed<ConstantForce>,
        Changed<ConstantTorque>,
        Changed<CollisionLayers>,
        Changed<OneWayPlatform>,
    )>,
)>;

/// Of an entity above or below a body, what the body goes by was written.
type KinWritten = Or<(
    Changed<Transform>,
    Changed<ChildOf>,
    Changed<Children>,
    Changed<RigidBody>,
    Changed<Collider>,
    Changed<ColliderDensity>,
    Changed<Restitution>,
    Changed<Friction>,
    Changed<RollingResistance>,
)>;

/// Which entities a body followed from when it was last looked at, and what components they had; of one that was hidden from queries that is not known.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Of its own entity; none where it has to be looked at in any case.
    archetype: Option<ArchetypeId>,
    /// Those above and below.
    kin: Vec<(Entity, Option<ArchetypeId>)>,
}

impl Seen {
    /// It has to be looked at.
    pub fn forget(&mut self) {
        self.archetype = None;
    }
}

/// A body, and what tells whether it is as it was seen.
pub(super) type Watched = (Entity, EntityLocation, &'static CcdBody, Has<ChildOf>, Has<Children>);

/// Finds the bodies of which anything may have changed.
#[derive(SystemParam)]
pub(crate) struct Signs<'w, 's> {
    written: Query<'w, 's, Entity, (With<CcdBody>, Written)>,
    kin_written: Query<'w, 's, (), KinWritten>,
    located: Query<'w, 's, (EntityLocation, Has<RigidBody>)>,
    parents: Query<'w, 's, &'static ChildOf>,
    children: Query<'w, 's, &'static Children>,
}

impl Signs<'_, '_> {
    /// The bodies of which anything may have changed, in the order of their entities.
    pub(super) fn changed(&self, bodies: &Query<Watched>) -> Vec<Entity> {
        let mut changed: Vec<Entity> = self.written.iter().collect();
        for (entity, location, body, has_parent, has_children) in bodies {
            let is_same = body.seen.archetype == Some(location.archetype_id)
                && (!(has_parent || has_children) || self.is_kin_as_seen(entity, &body.seen));
            if !is_same {
                changed.push(entity);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Takes down what a body follows from now.
    pub(super) fn see(&self, entity: Entity, seen: &mut Seen) {
        seen.archetype = self.located.get(entity).ok().map(|(location, _)| location.archetype_id);
        seen.kin.clear();
        self.each_kin(entity, &mut |kin, archetype| {
            seen.kin.push((kin, archetype));
            true
        });
    }

    fn is_kin_as_seen(&self, entity: Entity, seen: &Seen) -> bool {
        let mut known = seen.kin.iter();
        let mut is_as_seen = |kin: Entity, archetype: Option<ArchetypeId>| {
            known.next() == Some(&(kin, archetype)) && !self.kin_written.contains(kin)
        };
        self.each_kin(entity, &mut is_as_seen) && known.next().is_none()
    }

    /// Visits those above an entity and those below it, up to bodies of their own, as long as `visit` goes on; returns whether it did to the
    /// end.
    fn each_kin(&self, entity: Entity, visit: &mut impl FnMut(Entity, Option<ArchetypeId>) -> bool) -> bool {
        let archetype = |kin| self.located.get(kin).ok().map(|(location, _)| location.archetype_id);
        self.parents.iter_ancestors(entity).all(|above| visit(above, archetype(above)))
            && self.each_below(entity, visit)
    }

    fn each_below(&self, entity: Entity, visit: &mut impl FnMut(Entity, Option<ArchetypeId>) -> bool) -> bool {
        let Ok(children) = self.children.get(entity) else { return true };
        children.iter().all(|child| {
            let located = self.located.get(child).ok();
            let is_part = located.is_some_and(|(_, is_body)| !is_body);
            visit(child, located.map(|(location, _)| location.archetype_id))
                && (!is_part || self.each_below(child, visit))
        })
    }
}
