//! Entities to which anything may happen at any time, at random: whatever it is, the world has the bodies that the components say,
//! nothing overlaps, and what is told of touching is what touches.

mod acts;
mod looks;

use std::collections::{BTreeMap, BTreeSet};

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::Allow;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::common::*;
use acts::{Act, acts};

/// Entities that may live at once.
const PLACES: usize = 7;

/// The app and what is known of it.
struct Life {
    app: App,
    places: [Option<Entity>; PLACES],
    saved: Option<CcdSnapshot>,
    /// Who touches, by what was told.
    touching: BTreeSet<(Entity, Entity)>,
    /// Of whom something was told.
    refused: BTreeSet<Entity>,
}

impl Life {
    fn new() -> Self {
        let mut app = app();
        app.world_mut().spawn((floor(), CollisionEventsEnabled));
        Self { app, places: [None; PLACES], saved: None, touching: BTreeSet::new(), refused: BTreeSet::new() }
    }

    /// One frame, and whether everything is as it has to be after it.
    fn go_on(&mut self) {
        let steps = |app: &App| app.world().resource::<CcdClock>().steps();
        let before = steps(&self.app);
        self.app.update();
        let stepped = steps(&self.app) > before;
        let problems = take::<CcdProblem>(&mut self.app);
        if let Some(problem) = problems.iter().find(|problem| matches!(problem.cause, CcdProblemCause::Step(_))) {
            let mut locked = self.app.world_mut().query_filtered::<(), (With<LockedAxes>, Allow<Disabled>)>();
            assert!(locked.iter(self.app.world()).next().is_some(), "nothing is held, and yet: {problem}");
        }
        let is_refused = |problem: &CcdProblem| {
            use CcdProblemCause::{Body, Child, Collider, Transform};
            matches!(problem.cause, Body(_) | Child { .. } | Collider(_) | Transform(_))
        };
        self.refused.extend(problems.into_iter().filter(is_refused).filter_map(|problem| problem.entity));
        self.hear(stepped);
        self.look_at_bodies();
        if stepped {
            self.look_at_places();
            self.look_at_pairs();
        }
    }

    /// What was told of touching, beside what touches.
    fn hear(&mut self, stepped: bool) {
        let pair = |a: Entity, b: Entity| if a < b { (a, b) } else { (b, a) };
        // A frame may have several steps.
        let mut balance: BTreeMap<_, i32> = self.touching.iter().map(|&pair| (pair, 1)).collect();
        for c in take::<CollisionStart>(&mut self.app) {
            *balance.entry(pair(c.body1, c.body2)).or_default() += 1;
        }
        for c in take::<CollisionEnd>(&mut self.app) {
            *balance.entry(pair(c.body1, c.body2)).or_default() -= 1;
        }
        assert!(balance.values().all(|n| [0, 1].contains(n)), "begun more often than ended: {balance:?}");
        self.touching = balance.into_iter().filter(|(_, n)| *n == 1).map(|(pair, _)| pair).collect();
        let world = self.app.world();
        let ccd = world.resource::<CcdWorld>();
        let touching: BTreeSet<_> = ccd.touching().collect();
        assert_eq!(touching, self.touching, "what touches, and what was told");
        for entity in self.places.iter().flatten().filter(|_| stepped) {
            let list = world.get::<CollidingEntities>(*entity).expect("a list");
            let is_in = |other: &&(Entity, Entity)| other.0 == *entity || other.1 == *entity;
            if !self.is_hidden(*entity) {
                assert_eq!(list.len(), touching.iter().filter(is_in).count(), "the list of {entity}");
            }
        }
    }

    fn above(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        let world = self.app.world();
        std::iter::successors(Some(entity), |entity| world.get::<ChildOf>(*entity).map(ChildOf::parent)).skip(1)
    }

    fn is_hidden(&self, entity: Entity) -> bool {
        let world = self.app.world();
        std::iter::once(entity).chain(self.above(entity)).any(|entity| world.get::<Disabled>(entity).is_some())
    }

    /// Whether an entity has a collider, or one below it that is no body of its own.
    fn has_collider(&self, entity: Entity) -> bool {
        let world = self.app.world();
        let children = world.get::<Children>(entity).into_iter().flatten();
        world.get::<Collider>(entity).is_some_and(|_| world.get::<Sensor>(entity).is_none() || self.is_body(entity))
            || children
                .copied()
                .any(|child| !self.is_body(child) && world.get::<Disabled>(child).is_none() && self.has_collider(child))
    }

    fn is_body(&self, entity: Entity) -> bool {
        self.app.world().get::<RigidBody>(entity).is_some()
    }

    /// Whether the components make a body of the entity.
    fn is_to_be(&self, entity: Entity) -> bool {
        let world = self.app.world();
        let is_off = |entity: Entity| world.get::<RigidBodyDisabled>(entity).is_some();
        if self.is_hidden(entity) {
            false
        } else if self.is_body(entity) {
            !is_off(entity) && self.has_collider(entity)
        } else {
            let body = std::iter::once(entity).chain(self.above(entity)).find(|above| self.is_body(*above));
            world.get::<Sensor>(entity).is_some()
                && world.get::<Collider>(entity).is_some()
                && world.get::<ColliderDisabled>(entity).is_none()
                && !is_off(entity)
                && !body.is_some_and(is_off)
        }
    }
}

/// The same lives each time; as many others as `LIVES` says, where it says.
fn config() -> ProptestConfig {
    match std::env::var("LIVES") {
        Ok(count) => ProptestConfig::with_cases(count.parse().expect("a number")),
        Err(_) => ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(96) },
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whatever_happens_to_entities_bodies_and_events_follow(acts in prop::collection::vec(acts(), 1..80)) {
        let mut life = Life::new();
        for (place, act) in &acts {
            life.act(*place, act);
            life.go_on();
        }
        for place in 0..PLACES {
            life.act(place, &Act::Despawn);
        }
        life.go_on();
        prop_assert_eq!(life.app.world().resource::<CcdWorld>().core().bodies().count(), 1, "the floor");
        prop_assert!(life.touching.is_empty());
    }
}
