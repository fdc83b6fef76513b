//! Entities to which anything may happen at any time, at random: whatever it is, the world has the bodies that the components say,
//! nothing overlaps, and what is told of touching is what touches.

use std::collections::{BTreeMap, BTreeSet};

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::Allow;
use bevy::math::DVec3;
use bevy_ccd::CcdSnapshot;
use bevy_ccd::ccd_core::detection::closest::interferes;
use bevy_ccd::ccd_core::id::BodyId;
use bevy_ccd::ccd_core::world::ResponseMethod;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::common::*;

/// Entities that may live at once.
const PLACES: usize = 7;

/// Something that a game does to one of the places, or to the world.
#[derive(Clone, Debug)]
enum Act {
    Spawn(Option<RigidBody>, Form, Vec3),
    Despawn,
    Kind(Option<RigidBody>),
    Shape(Option<Form>),
    Move(Vec3),
    Turn(Quat),
    Scale(Vec3),
    Speed(Vec3, Vec3),
    Lock([bool; 3], [bool; 3]),
    Layers(u32, u32),
    Mass(Option<f32>),
    Density(Option<f32>),
    Centre(Option<Vec3>),
    Force(Vec3, Vec3),
    Damping(f32),
    Tolerance(f64),
    Sleeping(bool),
    Surface(Option<(f32, f32)>),
    Push(Vec3),
    Method(ResponseMethod),
    StepLength(f64),
    Switch(Switch),
    Hang(Option<usize>),
    Gravity(Vec3),
    Save,
    Back,
    Pause(bool),
    Wait(u32),
}

#[derive(Clone, Copy, Debug)]
enum Switch {
    Sensor,
    Body,
    Collider,
    Sight,
    Teleport,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Ball,
    Brick,
    Coin,
    Stick,
    Tent,
    Sheet,
    Pair,
}

impl Form {
    fn collider(self) -> Collider {
        let corners = [[0.0, 0.5, 0.0], [0.5, -0.3, 0.4], [-0.5, -0.3, 0.4], [0.0, -0.3, -0.5_f64]];
        match self {
            Self::Ball => Collider::sphere(0.4),
            Self::Brick => Collider::cuboid(0.8, 0.5, 0.4),
            Self::Coin => Collider::cylinder(0.5, 0.1),
            Self::Stick => Collider::capsule(0.1, 1.0),
            Self::Tent => Collider::trimesh(corners, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).expect("a mesh"),
            Self::Sheet => Collider::trimesh(corners, vec![[0, 1, 2], [0, 2, 3]]).expect("a mesh"),
            Self::Pair => {
                let part = |x: f32| (Vec3::X * x, Quat::IDENTITY, Collider::sphere(0.25));
                Collider::compound([part(-0.4), part(0.4)]).expect("a compound")
            }
        }
    }
}

fn places(size: f32) -> impl Strategy<Value = Vec3> {
    (-size..size, 0.0..2.0 * size, -size..size).prop_map(Vec3::from)
}

fn velocities(size: f32) -> impl Strategy<Value = Vec3> {
    (-size..size, -size..size, -size..size).prop_map(Vec3::from)
}

/// Uneven ones, and such as mirror or flatten.
fn scales() -> impl Strategy<Value = Vec3> {
    let factor = || prop_oneof![12 => 0.5..2.0_f32, 4 => -2.0..-0.5_f32, 1 => Just(0.0)];
    (factor(), factor(), factor()).prop_map(Vec3::from)
}

fn kinds() -> impl Strategy<Value = Option<RigidBody>> {
    prop_oneof![
        4 => Just(Some(RigidBody::Dynamic)),
        1 => Just(Some(RigidBody::Static)),
        2 => Just(Some(RigidBody::Kinematic)),
        1 => Just(None),
    ]
}

fn forms() -> impl Strategy<Value = Form> {
    use Form::{Ball, Brick, Coin, Pair, Sheet, Stick, Tent};
    prop::sample::select(vec![Ball, Brick, Coin, Stick, Tent, Sheet, Pair])
}

fn acts() -> impl Strategy<Value = (usize, Act)> {
    use ResponseMethod::{Lcp, Pairwise, Penalty, Shock, Svd};
    use Switch::{Body, Collider, Sensor, Sight, Teleport};
    let rotation = (velocities(1.0), 0.0..3.0_f32)
        .prop_map(|(axis, angle)| Quat::from_axis_angle(axis.try_normalize().unwrap_or(Vec3::Y), angle));
    let act = prop_oneof![
        6 => (kinds(), forms(), places(2.0)).prop_map(|(kind, form, at)| Act::Spawn(kind, form, at)),
        1 => Just(Act::Despawn),
        2 => kinds().prop_map(Act::Kind),
        2 => prop::option::weighted(0.8, forms()).prop_map(Act::Shape),
        2 => places(2.0).prop_map(Act::Move),
        2 => rotation.prop_map(Act::Turn),
        1 => (0.5..2.0_f32).prop_map(|size| Act::Scale(Vec3::splat(size))),
        1 => scales().prop_map(Act::Scale),
        2 => (velocities(20.0), velocities(30.0)).prop_map(|(linear, angular)| Act::Speed(linear, angular)),
        1 => (any::<[bool; 3]>(), any::<[bool; 3]>()).prop_map(|(along, about)| Act::Lock(along, about)),
        1 => (0..4_u32, 0..4_u32).prop_map(|(of, with)| Act::Layers(of, with)),
        1 => prop::option::of(0.1..1000.0_f32).prop_map(Act::Mass),
        1 => prop::option::of(1.0..5000.0_f32).prop_map(Act::Density),
        1 => prop::option::of(velocities(0.3)).prop_map(Act::Centre),
        1 => (velocities(500.0), velocities(100.0)).prop_map(|(force, torque)| Act::Force(force, torque)),
        1 => (0.0..5.0_f32).prop_map(Act::Damping),
        1 => prop::sample::select(vec![1e-5, 1e-4, 1e-3]).prop_map(Act::Tolerance),
        1 => any::<bool>().prop_map(Act::Sleeping),
        2 => prop::option::weighted(0.8, (0.0..2.0_f32, 0.0..=1.0_f32)).prop_map(Act::Surface),
        1 => velocities(500.0).prop_map(Act::Push),
        1 => prop::sample::select(vec![Shock, Pairwise, Penalty, Lcp, Svd]).prop_map(Act::Method),
        1 => prop::sample::select(vec![1.0 / 240.0, 1.0 / 64.0, 0.1]).prop_map(Act::StepLength),
        5 => prop::sample::select(vec![Sensor, Body, Collider, Sight, Teleport]).prop_map(Act::Switch),
        3 => prop::option::of(0..PLACES).prop_map(Act::Hang),
        1 => velocities(10.0).prop_map(Act::Gravity),
        1 => Just(Act::Save),
        1 => Just(Act::Back),
        1 => any::<bool>().prop_map(Act::Pause),
        2 => (1..20_u32).prop_map(Act::Wait),
    ];
    (0..PLACES, act)
}

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

    fn act(&mut self, place: usize, act: &Act) {
        let world = self.app.world_mut();
        match act {
            Act::Gravity(g) => return **world.resource_mut::<Gravity>() = *g,
            Act::Save => return self.saved = Some(world.resource::<CcdWorld>().snapshot()),
            Act::Back => {
                if let Some(saved) = &self.saved {
                    world.resource_mut::<CcdWorld>().restore(saved.clone());
                }
                return;
            }
            Act::Method(method) => return world.resource_mut::<CcdSettings>().response = *method,
            Act::Tolerance(tolerance) => return world.resource_mut::<CcdSettings>().tolerance = *tolerance,
            Act::Sleeping(sleeping) => return world.resource_mut::<CcdSettings>().sleeping = *sleeping,
            Act::StepLength(dt) => return world.resource_mut::<CcdClock>().step_length = Some(*dt),
            Act::Pause(paused) => return world.resource_mut::<CcdClock>().paused = *paused,
            Act::Wait(steps) => return (0..*steps).for_each(|_| self.go_on()),
            Act::Spawn(kind, form, at) => {
                if self.places[place].is_none() {
                    let parts = (form.collider(), Transform::from_translation(*at));
                    let mut entity = world.spawn((parts, CollisionEventsEnabled, CollidingEntities::default()));
                    if let Some(kind) = kind {
                        entity.insert(*kind);
                    }
                    self.places[place] = Some(entity.id());
                }
                return;
            }
            _ => {}
        }
        let Some(entity) = self.places[place] else { return };
        let is_above = |on: Entity| on == entity || self.above(on).any(|above| above == entity);
        let hangs_on = if let Act::Hang(Some(on)) = *act { self.places[on].filter(|on| !is_above(*on)) } else { None };
        let mut body = self.app.world_mut().entity_mut(entity);
        match *act {
            Act::Despawn => {
                body.despawn();
                let world = self.app.world();
                for place in &mut self.places {
                    *place = place.filter(|entity| world.get_entity(*entity).is_ok());
                }
            }
            Act::Kind(Some(kind)) => _ = body.insert(kind),
            Act::Kind(None) => _ = body.remove::<RigidBody>(),
            Act::Shape(Some(form)) => _ = body.insert(form.collider()),
            Act::Shape(None) => _ = body.remove::<Collider>(),
            Act::Move(to) => body.get_mut::<Transform>().expect("a transform").translation = to,
            Act::Turn(to) => body.get_mut::<Transform>().expect("a transform").rotation = to,
            Act::Scale(to) => body.get_mut::<Transform>().expect("a transform").scale = to,
            Act::Speed(linear, angular) => _ = body.insert((LinearVelocity(linear), AngularVelocity(angular))),
            Act::Lock(translation, rotation) => _ = body.insert(LockedAxes { translation, rotation }),
            Act::Layers(of, with) => _ = body.insert(CollisionLayers { memberships: of.into(), filters: with.into() }),
            Act::Density(Some(density)) => _ = body.insert(ColliderDensity(density)),
            Act::Density(None) => _ = body.remove::<ColliderDensity>(),
            Act::Centre(Some(centre)) => _ = body.insert(CenterOfMass(centre)),
            Act::Centre(None) => _ = body.remove::<CenterOfMass>(),
            Act::Force(force, torque) => _ = body.insert((ConstantForce(force), ConstantTorque(torque))),
            Act::Damping(by) => _ = body.insert((LinearDamping(by), AngularDamping(by))),
            Act::Mass(Some(mass)) => _ = body.insert(Mass(mass)),
            Act::Mass(None) => _ = body.remove::<Mass>(),
            Act::Surface(Some((friction, restitution))) => {
                body.insert((Friction::new(friction), Restitution::new(restitution)));
            }
            Act::Surface(None) => _ = body.remove::<(Friction, Restitution)>(),
            Act::Push(impulse) => {
                let mut push = IntoSystem::into_system(move |mut impulses: Impulses| {
                    // Whom nothing pushes is told by an error.
                    _ = impulses.push(entity, impulse);
                });
                let world = self.app.world_mut();
                push.initialize(world);
                push.run((), world).expect("it runs");
            }
            Act::Switch(Switch::Sensor) => toggle(&mut body, Sensor),
            Act::Switch(Switch::Body) => toggle(&mut body, RigidBodyDisabled),
            Act::Switch(Switch::Collider) => toggle(&mut body, ColliderDisabled),
            Act::Switch(Switch::Sight) => toggle(&mut body, Disabled),
            Act::Switch(Switch::Teleport) => _ = body.insert(Teleport),
            Act::Hang(_) => match hangs_on {
                Some(on) => _ = body.insert(ChildOf(on)),
                None => _ = body.remove::<ChildOf>(),
            },
            _ => unreachable!("it was done above"),
        }
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

    /// The world has the bodies that are to be, as they are to be.
    fn look_at_bodies(&mut self) {
        let mut bodies = self.app.world_mut().query_filtered::<(Entity, &CcdBody), Allow<Disabled>>();
        let world = self.app.world();
        let ccd = world.resource::<CcdWorld>();
        let bodies: Vec<(Entity, BodyId)> = bodies.iter(world).map(|(entity, body)| (entity, body.id())).collect();
        assert_eq!(ccd.core().bodies().count(), bodies.len(), "bodies of the world, and of entities");
        for (entity, id) in &bodies {
            assert_eq!((ccd.entity(*id), ccd.body_id(*entity)), (Some(*entity), Some(*id)));
        }
        // What is refused for its scale has what it had before, until that is set right.
        let is_even = |scale: Vec3| scale == Vec3::splat(scale.x) && scale.x > 0.0;
        let scale = |entity: &Entity| world.get::<Transform>(*entity).map_or(Vec3::ONE, |transform| transform.scale);
        let some_uneven = self.places.iter().flatten().any(|entity| !is_even(scale(entity)));
        for entity in self.places.iter().flatten() {
            let is_one = bodies.iter().any(|(body, _)| body == entity);
            let is_to_be = self.is_to_be(*entity);
            assert!(is_one == is_to_be || is_to_be && self.refused.contains(entity), "{entity} is a body: {is_one}");
            let Some(id) = ccd.body_id(*entity).filter(|_| is_one) else { continue };
            let body = ccd.core().body(id).expect("it is there");
            if some_uneven && self.refused.contains(entity) {
                continue;
            }
            assert_eq!(body.sensor, world.get::<Sensor>(*entity).is_some(), "{entity} is a sensor");
            let friction = world.get::<Friction>(*entity).map_or(0.5, |friction| friction.coefficient);
            assert_eq!(body.material.friction as f32, friction, "the friction of {entity}");
            let layers = world.get::<CollisionLayers>(*entity).copied().unwrap_or_default();
            let known = body.layers.memberships;
            assert!(known == layers.memberships.0 || known == 0, "the layers of {entity}: {known:b}, {layers:?}");
        }
    }

    /// Transforms show where bodies are.
    fn look_at_places(&self) {
        let world = self.app.world();
        let ccd = world.resource::<CcdWorld>();
        for (entity, _, body) in ccd.bodies().filter(|(entity, ..)| world.get::<ChildOf>(*entity).is_none()) {
            let there: [f64; 3] = body.pose().translation.vector.into();
            let off = place(&self.app, entity).as_dvec3() - DVec3::from(there);
            assert!(
                off.length() <= 1e-6 * (1.0 + DVec3::from(there).length()),
                "{entity} is {off} beside its transform"
            );
        }
    }

    /// Nothing that meets overlaps.
    fn look_at_pairs(&self) {
        let ccd = self.app.world().resource::<CcdWorld>();
        let bodies: Vec<_> = ccd.bodies().collect();
        for (i, (entity, _, a)) in bodies.iter().enumerate() {
            for (other, _, b) in &bodies[i + 1..] {
                if a.meets(b) && !a.sensor && !b.sensor {
                    let overlap = interferes(a.shape(), a.pose(), b.shape(), b.pose(), 0.0);
                    assert!(overlap.is_none(), "{entity} and {other} overlap: {overlap:?}");
                }
            }
        }
    }
}

fn toggle<C: Component>(entity: &mut EntityWorldMut, component: C) {
    if entity.contains::<C>() {
        entity.remove::<C>();
    } else {
        entity.insert(component);
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
