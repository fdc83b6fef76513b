//! Whose bodies are in the slots of the core's world.

use std::sync::Arc;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use ccd_core::id::BodyId;
use ccd_core::world::World as CoreWorld;

/// Whose body is in a slot of the core's world.
#[derive(Clone, Debug)]
pub(super) struct Tenant {
    pub id: BodyId,
    pub entity: Entity,
    /// Whose collider each part of the body's shape is.
    pub owners: Arc<[Entity]>,
    /// The first generation of the slot that was the entity's: its body is built anew in the same slot.
    pub since: u32,
    /// What the body is made of ([`CcdWorld::new_making`](super::CcdWorld::new_making)); `None` of a state that does not say.
    pub making: Option<u64>,
}

/// Whose body this is, by slot.
pub(super) fn tenant_of(slots: &[Option<Tenant>], id: BodyId) -> Option<&Tenant> {
    slots.get(id.index as usize)?.as_ref().filter(|tenant| tenant.id == id)
}

/// The tenants of all slots, and the entities that are bodies.
#[derive(Debug, Default)]
pub(super) struct Tenants {
    /// By slot.
    slots: Vec<Option<Tenant>>,
    /// The same the other way round; `None` of an entity that is a body, and of which a state that was put back knows nothing.
    ids: EntityHashMap<Option<BodyId>>,
}

impl Tenants {
    /// By slot, to be kept.
    pub fn slots(&self) -> &[Option<Tenant>] {
        &self.slots
    }

    /// Whose body this is; `None` for a body that is gone.
    pub fn of(&self, id: BodyId) -> Option<&Tenant> {
        tenant_of(&self.slots, id)
    }

    /// Whose body this was in a state that says nothing of its tenants, and may be from before the body was last built anew.
    pub fn then_of(&self, id: BodyId) -> Option<&Tenant> {
        let tenant = self.slots.get(id.index as usize)?.as_ref()?;
        (tenant.since..=tenant.id.generation).contains(&id.generation).then_some(tenant)
    }

    /// The body of an entity.
    pub fn id_of(&self, entity: Entity) -> Option<BodyId> {
        self.ids.get(&entity).copied().flatten()
    }

    /// Entities that are bodies without one, in ascending order.
    pub fn unknown(&self) -> Vec<Entity> {
        let mut unknown: Vec<Entity> =
            self.ids.iter().filter(|(_, id)| id.is_none()).map(|(entity, _)| *entity).collect();
        unknown.sort_unstable();
        unknown
    }

    pub fn is_body(&self, entity: Entity) -> bool {
        self.ids.contains_key(&entity)
    }

    /// How many entities are bodies.
    pub fn count(&self) -> usize {
        self.ids.len()
    }

    pub fn enter(&mut self, tenant: Tenant) {
        let slot = tenant.id.index as usize;
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, None);
        }
        self.ids.insert(tenant.entity, Some(tenant.id));
        self.slots[slot] = Some(tenant);
    }

    /// The entity is a body no longer.
    pub fn leave(&mut self, entity: Entity) -> Option<Tenant> {
        let id = self.ids.remove(&entity)??;
        self.slots.get_mut(id.index as usize)?.take_if(|tenant| tenant.id == id)
    }

    /// Those of a state that was kept: of its tenants, those whose entities are bodies now.
    pub fn put_back(&mut self, then: &[Option<Tenant>]) {
        self.clear_slots();
        for tenant in then.iter().flatten() {
            if self.is_body(tenant.entity) {
                self.enter(tenant.clone());
            }
        }
    }

    /// The same for a state that does not say whose its bodies are: they are told by their names.
    pub fn follow_names(&mut self, core: &CoreWorld) {
        let now = self.clear_slots();
        for (id, _) in core.bodies() {
            let Some(Some(tenant)) = now.get(id.index as usize) else { continue };
            if tenant.since <= id.generation {
                let making = tenant.making.filter(|_| tenant.id == id);
                self.enter(Tenant { id, making, ..tenant.clone() });
            }
        }
    }

    fn clear_slots(&mut self) -> Vec<Option<Tenant>> {
        self.ids.values_mut().for_each(|id| *id = None);
        std::mem::take(&mut self.slots)
    }
}
