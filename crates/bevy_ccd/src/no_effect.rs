//! Components that do nothing where they are: told once, when they are added.

use bevy::prelude::*;

use crate::collider::{Collider, ColliderConstructor, ColliderConstructorHierarchy};
use crate::components::{
    AngularInertia, CenterOfMass, CollisionLayers, Mass, NoCollideGroup, OneWayPlatform, RigidBody, RigidBodyDisabled,
    Sensor, SurfaceVelocity,
};
use crate::events::{CollidingEntities, CollisionEventsEnabled};
use crate::problem::{CcdProblemCause, Problems};
use crate::sync::CcdBody;

/// Colliders that are no bodies themselves.
type IsPart = (With<Collider>, Without<RigidBody>, Without<Sensor>);

/// An entity, and how heavy it is to be.
type Heavy =
    (Entity, Option<Ref<'static, Mass>>, Option<Ref<'static, CenterOfMass>>, Option<Ref<'static, AngularInertia>>);

/// What was told how heavy it is to be.
type IsHeavier = Or<(Added<Mass>, Added<CenterOfMass>, Added<AngularInertia>)>;

/// Bodies without a collider of their own.
type IsBare = (
    Without<CcdBody>,
    Without<RigidBodyDisabled>,
    Without<Collider>,
    Without<ColliderConstructor>,
    // Its meshes may be on their way.
    Without<ColliderConstructorHierarchy>,
);

/// Looks at what was added since the last run, after bodies have been added to the world.
pub(crate) fn tell_no_effect(
    colliders: Query<Entity, (Added<Collider>, IsPart)>,
    bare: Query<Entity, (Added<RigidBody>, IsBare)>,
    with_events: Query<Entity, (Added<CollisionEventsEnabled>, IsPart)>,
    with_lists: Query<Entity, (Added<CollidingEntities>, IsPart)>,
    with_layers: Query<(Entity, &CollisionLayers), (Added<CollisionLayers>, IsPart)>,
    with_groups: Query<Entity, (Added<NoCollideGroup>, IsPart)>,
    with_ways: Query<Entity, (Added<OneWayPlatform>, IsPart)>,
    with_belts: Query<Entity, (Added<SurfaceVelocity>, IsPart)>,
    with_masses: Query<Heavy, (IsHeavier, IsPart)>,
    layers: Query<&CollisionLayers>,
    shapes: Query<(), Or<(With<Collider>, With<ColliderConstructor>, With<ColliderConstructorHierarchy>)>>,
    bodies: Query<(), With<RigidBody>>,
    parents: Query<&ChildOf>,
    children: Query<&Children>,
    mut problems: Problems,
) {
    let has_body_above = |entity: &Entity| parents.iter_ancestors(*entity).any(|above| bodies.contains(above));
    for entity in colliders.iter().filter(|entity| !has_body_above(entity)) {
        let why = "its entity has neither RigidBody nor Sensor, and no RigidBody above it";
        problems.tell(entity, CcdProblemCause::NoEffect { component: "Collider", why });
    }
    for entity in bare.iter().filter(|entity| !children.iter_descendants(*entity).any(|below| shapes.contains(below))) {
        let why = "there is no Collider on its entity or below it";
        problems.tell(entity, CcdProblemCause::NoEffect { component: "RigidBody", why });
    }
    let mut tell_parts = |entities: &mut dyn Iterator<Item = Entity>, component, why| {
        for entity in entities.filter(has_body_above) {
            problems.tell(entity, CcdProblemCause::NoEffect { component, why });
        }
    };
    let why = "the collider is part of the body above it, on whose entity collisions are told";
    tell_parts(&mut with_events.iter(), "CollisionEventsEnabled", why);
    tell_parts(&mut with_lists.iter(), "CollidingEntities", why);
    let why = "the collider is part of the body above it, whose group counts";
    tell_parts(&mut with_groups.iter(), "NoCollideGroup", why);
    let why = "the collider is part of the body above it, which is solid from one side as a whole";
    tell_parts(&mut with_ways.iter(), "OneWayPlatform", why);
    let why = "the collider is part of the body above it, whose surface runs as a whole";
    tell_parts(&mut with_belts.iter(), "SurfaceVelocity", why);
    let why = "the collider is part of the body above it, whose mass counts; of its own it may say its ColliderDensity";
    for (entity, mass, centre, inertia) in with_masses.iter().filter(|(entity, ..)| has_body_above(entity)) {
        let added = [
            ("Mass", mass.is_some_and(|mass| mass.is_added())),
            ("CenterOfMass", centre.is_some_and(|centre| centre.is_added())),
            ("AngularInertia", inertia.is_some_and(|inertia| inertia.is_added())),
        ];
        for (component, _) in added.into_iter().filter(|(_, is_added)| *is_added) {
            problems.tell(entity, CcdProblemCause::NoEffect { component, why });
        }
    }
    let why = "the collider is part of the body above it, whose layers are others and count";
    for (entity, own) in &with_layers {
        let body = parents.iter_ancestors(entity).find(|above| bodies.contains(*above));
        if body.is_some_and(|body| layers.get(body).copied().unwrap_or_default() != *own) {
            problems.tell(entity, CcdProblemCause::NoEffect { component: "CollisionLayers", why });
        }
    }
}
