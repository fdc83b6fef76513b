//! What may happen to entities.

use bevy::ecs::entity_disabling::Disabled;
use bevy_ccd::ccd_core::contact::ReductionMethod;
use bevy_ccd::ccd_core::detection::toc::Method;
use bevy_ccd::ccd_core::dynamics::Integrator;
use bevy_ccd::ccd_core::world::{BroadPhaseMethod, ResponseMethod};
use proptest::prelude::*;

use super::{Life, PLACES};
use crate::common::*;

/// Something that a game does to one of the places, or to the world.
#[derive(Clone, Debug)]
pub enum Act {
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
    Group(Option<usize>),
    Mass(Option<f32>),
    Density(Option<f32>),
    Inertia(Option<Vec3>),
    Centre(Option<Vec3>),
    Force(Vec3, Vec3),
    Damping(f32),
    Weight(f32),
    Rolling(f32),
    Belt(Vec3),
    OneWay(Option<Vec3>),
    Tolerance(f64),
    Sleeping(bool),
    Surface(Option<(f32, f32)>),
    Push(Vec3),
    Method(ResponseMethod),
    Detection(Method),
    BroadPhase(BroadPhaseMethod),
    Reduction(ReductionMethod),
    Integrator(Integrator),
    Threshold(f64),
    StepLength(f64),
    Switch(Switch),
    Hang(Option<usize>),
    Gravity(Vec3),
    Save,
    Back,
    Pause(bool),
    Wait(u32),
    Look(Vec3, Vec3),
    Walk(Form, Vec3, Vec3),
}

#[derive(Clone, Copy, Debug)]
pub enum Switch {
    Sensor,
    Body,
    Collider,
    Sight,
    Teleport,
    Interpolation,
    Sleepless,
}

#[derive(Clone, Copy, Debug)]
pub enum Form {
    Ball,
    Brick,
    Coin,
    Stick,
    Tent,
    Sheet,
    Pair,
}

impl Form {
    pub fn collider(self) -> Collider {
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

pub fn acts() -> impl Strategy<Value = (usize, Act)> {
    use BroadPhaseMethod::{Brute, Grid, Tree};
    use Integrator::{Euler, ImprovedEuler, Rk4, SemiImplicit};
    use ReductionMethod::{Cluster, Manifold};
    use ResponseMethod::{Lcp, Pairwise, Penalty, Shock, Svd};
    use Switch::{Body, Collider, Interpolation, Sensor, Sight, Sleepless, Teleport};
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
        1 => prop::option::weighted(0.7, 0..PLACES).prop_map(Act::Group),
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
        1 => prop::sample::select(vec![Method::Auto, Method::Advancement]).prop_map(Act::Detection),
        1 => prop::sample::select(vec![Tree, Grid, Brute]).prop_map(Act::BroadPhase),
        1 => prop::sample::select(vec![Manifold, Cluster, ReductionMethod::None]).prop_map(Act::Reduction),
        1 => prop::sample::select(vec![Euler, SemiImplicit, ImprovedEuler, Rk4]).prop_map(Act::Integrator),
        1 => (1e-3..0.1_f64).prop_map(Act::Threshold),
        1 => prop::option::of((0.5..1.0_f32, 0.5..1.0_f32, 0.5..1.0_f32).prop_map(Vec3::from)).prop_map(Act::Inertia),
        1 => (-1.0..2.0_f32).prop_map(Act::Weight),
        1 => (0.0..0.1_f32).prop_map(Act::Rolling),
        1 => velocities(5.0).prop_map(Act::Belt),
        1 => prop::option::of(velocities(1.0)).prop_map(Act::OneWay),
        2 => (places(3.0), velocities(1.0)).prop_map(|(from, way)| Act::Look(from, way)),
        2 => (forms(), places(3.0), velocities(20.0)).prop_map(|(form, from, by)| Act::Walk(form, from, by)),
        6 => prop::sample::select(vec![Sensor, Body, Collider, Sight, Teleport, Interpolation, Sleepless]).prop_map(Act::Switch),
        3 => prop::option::of(0..PLACES).prop_map(Act::Hang),
        1 => velocities(10.0).prop_map(Act::Gravity),
        1 => Just(Act::Save),
        1 => Just(Act::Back),
        1 => any::<bool>().prop_map(Act::Pause),
        2 => (1..20_u32).prop_map(Act::Wait),
    ];
    (0..PLACES, act)
}

impl Life {
    pub fn act(&mut self, place: usize, act: &Act) {
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
            Act::Detection(method) => return world.resource_mut::<CcdSettings>().detection = *method,
            Act::BroadPhase(method) => return world.resource_mut::<CcdSettings>().broad_phase = *method,
            Act::Reduction(method) => return world.resource_mut::<CcdSettings>().reduction = *method,
            Act::Integrator(method) => return world.resource_mut::<CcdSettings>().integrator = *method,
            Act::Threshold(threshold) => return world.resource_mut::<CcdSettings>().contact_threshold = *threshold,
            Act::Tolerance(tolerance) => return world.resource_mut::<CcdSettings>().tolerance = *tolerance,
            Act::Sleeping(sleeping) => return world.resource_mut::<CcdSettings>().sleeping = *sleeping,
            Act::StepLength(dt) => return world.resource_mut::<CcdClock>().step_length = Some(*dt),
            Act::Pause(paused) => return world.resource_mut::<CcdClock>().paused = *paused,
            Act::Look(from, way) => return self.look_along(*from, *way),
            Act::Walk(form, from, velocity) => return self.walk(&form.collider(), *from, *velocity),
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
        let group = if let Act::Group(Some(of)) = *act { self.places[of] } else { None };
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
            Act::Group(Some(_)) => _ = group.map(|of| body.insert(NoCollideGroup(of))),
            Act::Group(None) => _ = body.remove::<NoCollideGroup>(),
            Act::Density(Some(density)) => _ = body.insert(ColliderDensity(density)),
            Act::Density(None) => _ = body.remove::<ColliderDensity>(),
            Act::Centre(Some(centre)) => _ = body.insert(CenterOfMass(centre)),
            Act::Centre(None) => _ = body.remove::<CenterOfMass>(),
            Act::Force(force, torque) => _ = body.insert((ConstantForce(force), ConstantTorque(torque))),
            Act::Damping(by) => _ = body.insert((LinearDamping(by), AngularDamping(by))),
            Act::Weight(scale) => _ = body.insert(GravityScale(scale)),
            Act::Belt(speed) => _ = body.insert(SurfaceVelocity(speed)),
            Act::OneWay(Some(way)) => _ = body.insert(OneWayPlatform(Dir3::new(way).unwrap_or(Dir3::Y))),
            Act::OneWay(None) => _ = body.remove::<OneWayPlatform>(),
            Act::Rolling(resistance) => _ = body.insert(RollingResistance(resistance)),
            Act::Inertia(Some(principal)) => _ = body.insert(AngularInertia { principal, ..default() }),
            Act::Inertia(None) => _ = body.remove::<AngularInertia>(),
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
            Act::Switch(Switch::Sleepless) => toggle(&mut body, SleepingDisabled),
            Act::Switch(Switch::Interpolation) => toggle(&mut body, TransformInterpolation::default()),
            Act::Hang(_) => match hangs_on {
                Some(on) => _ = body.insert(ChildOf(on)),
                None => _ = body.remove::<ChildOf>(),
            },
            _ => unreachable!("it was done above"),
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
