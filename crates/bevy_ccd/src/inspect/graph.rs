//! The contact graph: who touches whom, and how far each body is from what cannot move.

use std::collections::BTreeMap;

use ccd_core::dynamics::BodyKind;
use ccd_core::id::{BodyId, PairKey};
use ccd_core::math::{Point, Vector};
use ccd_core::world::World as CoreWorld;

/// Bodies that touch something, and the pairs that touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactGraph {
    /// In the order of the bodies.
    pub nodes: Vec<GraphNode>,
    /// In the order of the pairs.
    pub links: Vec<GraphLink>,
}

/// A body of the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphNode {
    /// Which.
    pub body: BodyId,
    /// Its centre of mass; of an immovable body where it is touched.
    pub at: Point,
    /// Contacts between it and what cannot move: 0 for what cannot; `None` where nothing that it hangs on is fixed. In the
    /// order of these levels weight is carried to the ground.
    pub level: Option<u32>,
}

/// A pair that touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphLink {
    /// Which.
    pub pair: PairKey,
    /// The middle of its contacts.
    pub at: Point,
    /// The sum of the impulses on B over the last step, N·s.
    pub impulse: Vector,
}

impl ContactGraph {
    /// The graph of the contacts that touch.
    ///
    /// # Cost
    /// O((n + m) log n) for n bodies and m pairs.
    pub fn of(world: &CoreWorld) -> Self {
        let mut links = Vec::new();
        let mut neighbours: BTreeMap<BodyId, Vec<BodyId>> = BTreeMap::new();
        for (pair, contacts) in world.contacts().filter(|(_, contacts)| contacts.touching) {
            let count = contacts.points.len();
            if count == 0 {
                continue;
            }
            let middle = contacts.points.iter().map(|p| p.midpoint().coords).sum::<Vector>() / count as f64;
            links.push(GraphLink { pair, at: middle.into(), impulse: contacts.impulses.iter().sum() });
            neighbours.entry(pair.a).or_default().push(pair.b);
            neighbours.entry(pair.b).or_default().push(pair.a);
        }
        let is_fixed = |id: BodyId| world.body(id).is_none_or(|body| body.kind() != BodyKind::Dynamic);
        let mut level: BTreeMap<BodyId, u32> =
            neighbours.keys().filter(|id| is_fixed(**id)).map(|id| (*id, 0)).collect();
        let mut open: std::collections::VecDeque<BodyId> = level.keys().copied().collect();
        while let Some(id) = open.pop_front() {
            let next = level[&id] + 1;
            for other in neighbours.get(&id).into_iter().flatten() {
                if !level.contains_key(other) {
                    level.insert(*other, next);
                    open.push_back(*other);
                }
            }
        }
        let nodes = neighbours
            .keys()
            .filter_map(|id| {
                Some(GraphNode { body: *id, at: world.body(*id)?.centre(), level: level.get(id).copied() })
            })
            .collect();
        Self { nodes, links }
    }

    /// The level of a body.
    pub fn level(&self, body: BodyId) -> Option<u32> {
        let at = self.nodes.binary_search_by_key(&body, |node| node.body).ok()?;
        self.nodes[at].level
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_core::dynamics::BodyDefinition;
    use ccd_core::math::Pose;
    use ccd_core::shape::Shape;

    #[test]
    fn a_tower_has_a_level_for_each_box() {
        let mut world = CoreWorld::default();
        let slab = Shape::cuboid([5.0, 0.5, 5.0]).expect("a box");
        world
            .add_body(BodyDefinition::new(BodyKind::Static, slab, Pose::translation(0.0, -0.5, 0.0)))
            .expect("the floor");
        let cube = Shape::cuboid([0.5; 3]).expect("a box");
        let boxes: Vec<BodyId> = (0..4)
            .map(|i| {
                let place = Pose::translation(0.0, 0.5 + f64::from(i) * (1.0 + 1e-6) + 1e-6, 0.0);
                world.add_body(BodyDefinition::new(BodyKind::Dynamic, cube.clone(), place)).expect("a box")
            })
            .collect();
        for _ in 0..60 {
            world.step(1.0 / 60.0).expect("a step");
        }
        let graph = ContactGraph::of(&world);
        for (i, id) in boxes.iter().enumerate() {
            assert_eq!(graph.level(*id), Some(i as u32 + 1));
        }
        assert_eq!(graph.links.len(), 4);
        // The lowest link carries all four: m g dt each.
        let weight = 4.0 * 1000.0 * 9.81 / 60.0;
        let lowest = graph.links.iter().map(|link| link.impulse.norm()).fold(0.0, f64::max);
        assert!((lowest / weight - 1.0).abs() < 0.05, "{lowest} against {weight}");
    }
}
