//! Bodies that pass through each other: those that are carried together, and those that the game has put into a group.

use std::collections::BTreeMap;

use bevy::prelude::*;
use ccd_core::math::DisjointSets;

use super::CcdBody;
use crate::components::NoCollideGroup;
use crate::world::CcdWorld;

/// Tells the world which bodies do not meet each other, after it knows who carries whom.
pub(crate) fn group_bodies(mut world: ResMut<CcdWorld>, bodies: Query<(&CcdBody, Option<&NoCollideGroup>)>) {
    let named = bodies.iter().filter_map(|(body, group)| Some((body.id.index, group?.0)));
    let group_of = groups(&world, named);
    for (body, _) in &bodies {
        let group = group_of.get(&body.id.index).copied();
        let is_new = world.core.body(body.id).is_some_and(|now| now.no_collide_group != group);
        if is_new && let Some(now) = world.core.body_mut(body.id) {
            now.no_collide_group = group;
        }
    }
}

/// For the slot of each body that is not alone the number of its group: that of the first of them.
fn groups(world: &CcdWorld, named: impl Iterator<Item = (u32, Entity)>) -> BTreeMap<u32, u32> {
    let mut links: Vec<[u32; 2]> = Vec::new();
    for (id, body) in world.core.bodies() {
        if let Some(carrier) = body.carrier.filter(|carrier| world.core.body(carrier.body).is_some()) {
            links.push([id.index, carrier.body.index]);
        }
    }
    let mut first_of: BTreeMap<Entity, u32> = BTreeMap::new();
    for (member, name) in named {
        let is_body = || world.body_id(name).filter(|id| world.core.body(*id).is_some());
        let first = *first_of.entry(name).or_insert_with(|| is_body().map_or(member, |id| id.index));
        if first != member {
            links.push([first, member]);
        }
    }
    let Some(last) = links.iter().flatten().max() else { return BTreeMap::new() };
    let mut sets = DisjointSets::new(*last as usize + 1);
    for &[a, b] in &links {
        sets.join(a, b);
    }
    links.iter().flatten().map(|&member| (member, sets.find(member))).collect()
}
