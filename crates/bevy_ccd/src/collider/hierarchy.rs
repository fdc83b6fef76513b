//! Colliders for all that is below an entity, as for the meshes of a scene.

use std::collections::BTreeMap;

use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::{Collider, ColliderConstructor};
use crate::components::{ColliderDensity, RigidBody};

/// Gives a [`ColliderConstructor`] to each mesh below its entity, whenever it comes: at once, when the scene that it is in is spawned, or
/// when the game adds it. Its entity itself gets none.
///
/// Together with a [`RigidBody`](crate::RigidBody) a whole scene is one body. What has a [`Collider`] or a constructor already keeps
/// it, unless its name is listed here. A mesh gets one once: what has become of it is told by the constructor
/// ([`ColliderConstructorReady`](crate::ColliderConstructorReady), [`ColliderConstructorFailed`](crate::ColliderConstructorFailed)), and
/// that all have theirs by [`ColliderConstructorHierarchyReady`]. Where another hierarchy begins below, this one ends.
///
/// What is listed for a [`Name`] holds for the entity of that name and all below it, down to the next name that is listed: in
/// a glTF scene the name is that of the node, and its meshes are below. A constructor that needs no mesh makes one collider, on the
/// named entity, in place of all below it. [`ColliderConstructor::TrimeshFromChildren`] is given to what has meshes among its children, the
/// hierarchy's own entity among them, in place of these: to the nodes of a glTF scene.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// fn setup(mut commands: Commands, level: Res<Level>) {
///     let colliders = ColliderConstructorHierarchy::new(ColliderConstructor::TrimeshFromMesh)
///         .with_constructor_for_name("Barrel", ColliderConstructor::Cylinder { radius: 0.4, height: 1.2 })
///         .without_constructor_for_name("Grass");
///     // Beside these stands what spawns the scene: `WorldAssetRoot(scene)`.
///     commands.spawn((RigidBody::Static, colliders, level.clone()));
/// }
/// # #[derive(Resource, Clone)] struct Level;
/// ```
#[doc(alias = "AsyncSceneCollider")]
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Given)]
pub struct ColliderConstructorHierarchy {
    /// For meshes whose name is not listed; `None` for no collider.
    pub default_constructor: Option<ColliderConstructor>,
    /// Their density; `None` for the body's.
    pub default_density: Option<ColliderDensity>,
    /// By [`Name`]; `None` for no collider.
    pub config: BTreeMap<String, Option<ColliderConstructorHierarchyConfig>>,
}

/// What an entity of some name below a [`ColliderConstructorHierarchy`] gets.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct ColliderConstructorHierarchyConfig {
    /// `None` for [`ColliderConstructorHierarchy::default_constructor`].
    pub constructor: Option<ColliderConstructor>,
    /// `None` for [`ColliderConstructorHierarchy::default_density`].
    pub density: Option<ColliderDensity>,
}

/// All that a [`ColliderConstructorHierarchy`] has given constructors to since it last told so has become a collider or was
/// refused: an event on its entity, and a message. Told again when more has come below it, and not at all as long as nothing below it gets a
/// constructor: of a scene that may have no mesh to give one to, wait for the scene's own event.
#[derive(EntityEvent, Message, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq)]
pub struct ColliderConstructorHierarchyReady {
    /// The entity that has the [`ColliderConstructorHierarchy`].
    pub entity: Entity,
}

impl ColliderConstructorHierarchy {
    /// The same for all meshes; `None` for none but those that are listed by name.
    pub fn new(default_constructor: impl Into<Option<ColliderConstructor>>) -> Self {
        Self { default_constructor: default_constructor.into(), ..default() }
    }

    /// The same, with this density where none is listed.
    #[must_use]
    pub fn with_default_density(mut self, density: ColliderDensity) -> Self {
        self.default_density = Some(density);
        self
    }

    /// The same, with this constructor for what has this name.
    #[must_use]
    pub fn with_constructor_for_name(mut self, name: &str, constructor: ColliderConstructor) -> Self {
        self.config_for(name).constructor = Some(constructor);
        self
    }

    /// The same, with this density for what has this name.
    #[must_use]
    pub fn with_density_for_name(mut self, name: &str, density: ColliderDensity) -> Self {
        self.config_for(name).density = Some(density);
        self
    }

    /// The same, without colliders for what has this name.
    #[must_use]
    pub fn without_constructor_for_name(mut self, name: &str) -> Self {
        self.config.insert(name.to_owned(), None);
        self
    }

    fn config_for(&mut self, name: &str) -> &mut ColliderConstructorHierarchyConfig {
        self.config.entry(name.to_owned()).or_default().get_or_insert_default()
    }
}

/// Whom a hierarchy has given constructors to.
#[derive(Component, Debug, Default)]
pub(crate) struct Given {
    /// Since its rules are what they are.
    to: EntityHashSet,
    /// Those whose constructor is at work.
    awaited: EntityHashSet,
}

/// What holds for the meshes at a place of the tree.
#[derive(Clone, Copy)]
struct Rule<'a> {
    constructor: Option<&'a ColliderConstructor>,
    density: Option<ColliderDensity>,
}

/// Looks at what is below hierarchies.
#[derive(SystemParam)]
pub(crate) struct Below<'w, 's> {
    children: Query<'w, 's, &'static Children>,
    entities: Query<
        'w,
        's,
        (
            Option<&'static Name>,
            Has<Mesh3d>,
            Has<RigidBody>,
            Has<ColliderConstructorHierarchy>,
            Has<Collider>,
            Has<ColliderConstructor>,
        ),
    >,
}

/// Gives constructors to what has come below a hierarchy.
pub(crate) fn give_constructors(
    mut commands: Commands,
    mut hierarchies: Query<(Entity, Ref<ColliderConstructorHierarchy>, &mut Given)>,
    below: Below,
) {
    for (entity, hierarchy, mut given) in &mut hierarchies {
        let given = given.bypass_change_detection();
        if hierarchy.is_changed() {
            given.to.clear();
        }
        let rule = Rule { constructor: hierarchy.default_constructor.as_ref(), density: hierarchy.default_density };
        let mut giving = Giving { below: &below, hierarchy: &hierarchy, given, met: 0, gifts: Vec::new() };
        giving.descend(entity, rule, false);
        let Giving { met, gifts, .. } = giving;
        // Some were despawned.
        if met < given.to.len() {
            given.to.retain(|entity| below.entities.contains(*entity));
        }
        for (entity, constructor, density) in gifts {
            let mut entity = commands.entity(entity);
            // An observer of the game may despawn it for what another gets.
            entity.try_insert(constructor);
            if let Some(density) = density {
                entity.try_insert(density);
            }
        }
    }
}

struct Giving<'a, 'w, 's> {
    below: &'a Below<'w, 's>,
    hierarchy: &'a ColliderConstructorHierarchy,
    given: &'a mut Given,
    /// How many of those that were given one are still there.
    met: usize,
    gifts: Vec<(Entity, ColliderConstructor, Option<ColliderDensity>)>,
}

impl Giving<'_, '_, '_> {
    /// `is_listed`: whether the rule is for `above` by name.
    fn descend(&mut self, above: Entity, rule: Rule, is_listed: bool) {
        let Ok(children) = self.below.children.get(above) else { return };
        if let Some(constructor @ ColliderConstructor::TrimeshFromChildren) = rule.constructor
            && children.iter().any(|child| self.is_part(child))
        {
            self.give(above, constructor, rule.density, is_listed);
        }
        for &child in children {
            let Ok((name, has_mesh, _, begins_another, ..)) = self.below.entities.get(child) else { continue };
            let listed = name.and_then(|name| self.hierarchy.config.get(name.as_str()));
            let mut rule = match listed {
                None => rule,
                Some(None) => Rule { constructor: None, density: None },
                Some(Some(config)) => Rule {
                    constructor: config.constructor.as_ref().or(self.hierarchy.default_constructor.as_ref()),
                    density: config.density.or(self.hierarchy.default_density),
                },
            };
            match rule.constructor {
                Some(ColliderConstructor::TrimeshFromChildren) => {}
                Some(constructor) if listed.is_some() && !constructor.requires_mesh() => {
                    self.give(child, constructor, rule.density, true);
                    rule.constructor = None;
                }
                Some(constructor) if has_mesh => self.give(child, constructor, rule.density, listed.is_some()),
                _ => {}
            }
            if !begins_another {
                self.descend(child, rule, listed.is_some());
            }
        }
    }

    /// Whether it has a mesh that is its parent's.
    fn is_part(&self, child: Entity) -> bool {
        self.below.entities.get(child).is_ok_and(|(_, has_mesh, is_body, ..)| has_mesh && !is_body)
    }

    fn give(
        &mut self,
        entity: Entity,
        constructor: &ColliderConstructor,
        density: Option<ColliderDensity>,
        is_listed: bool,
    ) {
        self.met += 1;
        if !self.given.to.insert(entity) {
            return;
        }
        let has_own = self.below.entities.get(entity).is_ok_and(|(.., collider, constructor)| collider || constructor);
        if has_own && !is_listed {
            return;
        }
        self.given.awaited.insert(entity);
        self.gifts.push((entity, constructor.clone(), density));
    }
}

/// Tells that all have what they were given constructors for.
pub(crate) fn tell_hierarchies_ready(
    mut commands: Commands,
    mut hierarchies: Query<(Entity, &mut Given)>,
    waiting: Query<(), With<ColliderConstructor>>,
    mut ready: MessageWriter<ColliderConstructorHierarchyReady>,
) {
    for (entity, mut given) in &mut hierarchies {
        let awaited = &mut given.bypass_change_detection().awaited;
        if awaited.is_empty() {
            continue;
        }
        awaited.retain(|entity| waiting.contains(*entity));
        if awaited.is_empty() {
            let event = ColliderConstructorHierarchyReady { entity };
            commands.trigger(event);
            ready.write(event);
        }
    }
}
