//! Bodies that pass through each other: those that are carried together, and those that the game has put into a group.

use std::collections::BTreeMap;

use bevy::prelude::*;
use ccd_core::id::BodyId;
use ccd_core::math::DisjointSets;

use super::CcdBody;
use crate::components::NoCollideGroup;
use crate::world::CcdWorld;

/// Tells the world which bodies do not meet each other, after it knows who carries whom.
pub(crate) fn group_bodies(mut world: ResMut<CcdWorld>, named: Query<(&CcdBody, &NoCollideGroup)>) {
    let group_of = groups(&world, named.iter().map(|(body, group)| (body.id, group.0)));
    let former = std::mem::replace(&mut world.grouped, group_of.keys().copied().collect());
    for id in former.into_iter().chain(group_of.keys().copied()) {
        let group = group_of.get(&id).copied();
        let is_new = world.core.body(id).is_some_and(|now| now.no_collide_group != group);
        if is_new && let Some(now) = world.core.body_mut(id) {
            now.no_collide_group = group;
        }
    }
}

/// For each body that is not alone the number of its group: the slot of one of them.
fn groups(world: &CcdWorld, named: impl Iterator<Item = (BodyId, Entity)>) -> BTreeMap<BodyId, u32> {
    let mut links: Vec<[BodyId; 2]> = Vec::new();
    let body_of = |entity| world.body_id(entity).filter(|id| world.core.body(*id).is_some());
    links.extend(world.carried.iter().filter_map(|(&entity, &by)| Some([body_of(entity)?, body_of(by)?])));
    let mut first_of: BTreeMap<Entity, BodyId> = BTreeMap::new();
    for (member, name) in named {
        let first = *first_of.entry(name).or_insert_with(|| body_of(name).unwrap_or(member));
        if first != member {
            links.push([first, member]);
        }
    }
    let Some(last) = links.iter().flatten().max() else { return BTreeMap::new() };
    let mut sets = DisjointSets::new(last.index as usize + 1);
    for &[a, b] in &links {
        sets.join(a.index, b.index);
    }
    links.iter().flatten().map(|&member| (member, sets.find(member.index))).collect()
}
