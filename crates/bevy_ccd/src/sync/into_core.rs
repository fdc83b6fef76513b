//! What has changed in the ECS goes into the core's world.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use ccd_core::dynamics::{Body, BodyError, BodyKind};
use ccd_core::math::{Pose, Vector};

use super::carriers::Carriers;
use super::parts::{BodyColliders, owners_of};
use super::placement::{Placement, Placements};
use super::spec::{BodyComponents, BodyComponentsItem, BodySpec};
use super::{CcdBody, Shown};
use crate::Collider;
use crate::components::{RigidBody, RigidBodyDisabled, Sensor, Teleport};
use crate::convert::{to_pose, to_rotation, to_vector};
use crate::problem::{CcdProblemCause, Problems};
use crate::settings::CcdSettings;
use crate::world::CcdWorld;

/// Takes bodies out whose entity is a body no longer.
pub(crate) fn drop_bodies(
    mut commands: Commands,
    world: Res<CcdWorld>,
    unfit: Query<Entity, (With<CcdBody>, Without<RigidBody>, Without<Sensor>)>,
    bare: Query<BodyComponents, (With<CcdBody>, Or<(Without<Collider>, Without<RigidBody>)>)>,
    gone: Query<Entity, (With<CcdBody>, With<Disabled>)>,
    disabled: Query<(Entity, &CcdBody), With<RigidBodyDisabled>>,
    colliders: BodyColliders,
    carriers: Carriers,
) {
    // Without a collider of its own an entity is a body as long as a child has one.
    let is_bare = |c: &BodyComponentsItem| {
        c.rigid_body.is_none() && carriers.is_disabled(c.entity) || colliders.of(c, Vec3::ONE).parts.is_empty()
    };
    let bare = bare.iter().filter(is_bare).map(|c| c.entity);
    for entity in unfit.iter().chain(bare).chain(&gone) {
        commands.entity(entity).remove::<CcdBody>();
    }
    for (entity, body) in &disabled {
        if let Some(now) = world.core.body(body.id) {
            let velocities = (*now.linear_velocity(), *now.angular_velocity());
            commands.entity(entity).insert(Parked { shown: body.shown, pose: *now.pose(), velocities });
        }
        commands.entity(entity).remove::<CcdBody>();
    }
}

/// The state of a disabled body, for when it comes back.
#[derive(Component)]
pub(crate) struct Parked {
    /// What its components were.
    shown: Shown,
    pose: Pose,
    velocities: (Vector, Vector),
}

/// An entity whose body was refused, with what it was refused for, so that it is tried again when that has changed.
#[derive(Component)]
pub(crate) struct Refused {
    spec: BodySpec,
    transform: Transform,
}

/// Adds the bodies of new entities, in the order of the entities.
pub(crate) fn add_bodies(
    mut commands: Commands,
    mut world: ResMut<CcdWorld>,
    settings: Res<CcdSettings>,
    new: Query<(BodyComponents, Option<&Refused>, Option<&Parked>), NewBodies>,
    placements: Placements,
    colliders: BodyColliders,
    carriers: Carriers,
    mut problems: Problems,
) {
    let mut new: Vec<_> = new.iter().collect();
    new.sort_unstable_by_key(|(c, ..)| c.entity);
    for (c, refused, parked) in new {
        if c.rigid_body.is_none() && carriers.is_disabled(c.entity) {
            continue;
        }
        let placement = placements.of(&c);
        let scale = placement.as_ref().map_or(c.transform.scale, |p| p.scale);
        let parts = colliders.of(&c, scale);
        if parts.parts.is_empty() {
            continue;
        }
        let spec = BodySpec::of(&c, c.kind(&carriers), parts, &settings);
        if refused.is_some_and(|r| r.spec == spec && same_transform(&r.transform, c.transform)) {
            continue;
        }
        match placement.and_then(|placement| add_body(&mut world, &c, &placement, &spec, parked)) {
            Ok(body) => {
                commands.entity(c.entity).insert(body).remove::<(Refused, Parked, Teleport)>();
            }
            Err(cause) => {
                problems.tell(c.entity, cause);
                commands.entity(c.entity).insert(Refused { spec, transform: *c.transform });
            }
        }
    }
}

/// What is to be a body and is none: also a sensor by itself.
type NewBodies = (Without<CcdBody>, Without<RigidBodyDisabled>, Or<(With<RigidBody>, With<Sensor>)>);

fn add_body(
    world: &mut CcdWorld,
    c: &BodyComponentsItem,
    placement: &Placement,
    spec: &BodySpec,
    parked: Option<&Parked>,
) -> Result<CcdBody, CcdProblemCause> {
    let shown = shown_as(c, placement);
    let mut pose = pose_of(placement)?;
    let (mut linear, mut angular) = (to_vector(c.linear_velocity()), to_vector(c.angular_velocity()));
    if let Some(parked) = parked {
        // What nobody has changed meanwhile keeps all its digits.
        let before = &parked.shown;
        if same_transform(c.transform, &before.transform) && shown.global == before.global {
            pose = parked.pose;
        }
        if same(shown.linear_velocity, before.linear_velocity) {
            linear = parked.velocities.0;
        }
        if same(shown.angular_velocity, before.angular_velocity) {
            angular = parked.velocities.1;
        }
    }
    let definition = spec.definition(pose, linear, angular)?;
    let id = world.core.add_body(definition)?;
    world.register(id, c.entity);
    Ok(CcdBody { id, spec: spec.clone(), owners: owners_of(spec.parts()), shown, put: None })
}

/// Takes over what was changed on the entities of bodies.
pub(crate) fn take_changes(
    mut commands: Commands,
    mut world: ResMut<CcdWorld>,
    settings: Res<CcdSettings>,
    mut bodies: Query<(BodyComponents, &mut CcdBody, Has<Teleport>)>,
    placements: Placements,
    colliders: BodyColliders,
    carriers: Carriers,
    mut problems: Problems,
) {
    for (c, mut body, teleports) in &mut bodies {
        if teleports {
            commands.entity(c.entity).remove::<Teleport>();
        }
        // The body's own notes are nobody's change.
        let body = body.bypass_change_detection();
        let placement = match placements.of(&c) {
            Ok(placement) => placement,
            Err(cause) => {
                if !same_transform(c.transform, &body.shown.transform) {
                    problems.tell(c.entity, cause);
                    body.shown = Shown { transform: *c.transform, ..body.shown };
                }
                continue;
            }
        };
        let before = body.shown;
        body.shown = shown_as(&c, &placement);
        let spec = BodySpec::of(&c, c.kind(&carriers), colliders.of(&c, placement.scale), &settings);
        let goes = spec.kind().is_kinematic() && !teleports;
        let going = match goes {
            true if carriers.carrier_of(c.entity).is_some() => Going::Carried,
            true => Going::ByItself,
            false => Going::AtOnce,
        };
        let outcome = take_pose(&mut world, body, &before, &c, &placement, going)
            .and_then(|()| take_velocities(&mut world, body, &before, &c))
            .and_then(|()| take_spec(&mut world, body, spec, c.entity));
        if let Err(cause) = outcome {
            problems.tell(c.entity, cause);
        }
    }
}

/// How a body comes to where its entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    /// It is there.
    AtOnce,
    /// It moves there within the next step.
    ByItself,
    /// The body above takes it there, and to another place there if it has one.
    Carried,
}

/// Teleports a body whose entity was moved by somebody else, or has it go there in the next step. What was not changed keeps
/// all its digits.
fn take_pose(
    world: &mut CcdWorld,
    body: &CcdBody,
    before: &Shown,
    c: &BodyComponentsItem,
    placement: &Placement,
    going: Going,
) -> Result<(), CcdProblemCause> {
    let Some(now) = world.core.body(body.id) else { return Ok(()) };
    let moved_itself = !same(c.transform.translation, before.transform.translation);
    let turned_itself = !same_rotation(c.transform.rotation, before.transform.rotation);
    // What does not move by forces is where its parents put it, also when it gets or loses them; a dynamic body stays where it is in
    // the world.
    let is_put = c.rigid_body.is_none_or(|kind| !kind.is_dynamic());
    let let_go = now.carrier.is_some() && going != Going::Carried;
    let put_elsewhere = is_put && (before.global != body.shown.global || let_go);
    if !(moved_itself || turned_itself || put_elsewhere) {
        return Ok(());
    }
    if going == Going::Carried {
        world.drives.forget(body.id);
        return Ok(());
    }
    let now = world.drives.aim_of(body.id).unwrap_or(now.pose());
    let asked = pose_of(placement)?;
    // The parts of what is relative to a parent depend on each other.
    let as_a_whole = body.shown.global.is_some() || put_elsewhere;
    let pose = Pose::from_parts(
        if moved_itself || as_a_whole { asked.translation } else { now.translation },
        if turned_itself || as_a_whole { asked.rotation } else { now.rotation },
    );
    if going == Going::ByItself {
        world.drives.aim(body.id, pose);
    } else {
        world.drives.forget(body.id);
        world.core.set_pose(body.id, pose)?;
    }
    Ok(())
}

/// Takes over velocities that somebody else has written.
fn take_velocities(
    world: &mut CcdWorld,
    body: &CcdBody,
    before: &Shown,
    c: &BodyComponentsItem,
) -> Result<(), CcdProblemCause> {
    let linear_changed = !same(c.linear_velocity(), before.linear_velocity);
    let angular_changed = !same(c.angular_velocity(), before.angular_velocity);
    if !(linear_changed || angular_changed) {
        return Ok(());
    }
    let Some((linear, angular)) = velocities(world, body) else { return Ok(()) };
    let linear = if linear_changed { to_vector(c.linear_velocity()) } else { linear };
    let angular = if angular_changed { to_vector(c.angular_velocity()) } else { angular };
    world.core.set_velocity(body.id, linear, angular)?;
    Ok(())
}

fn velocities(world: &CcdWorld, body: &CcdBody) -> Option<(Vector, Vector)> {
    world.core.body(body.id).map(|b| (*b.linear_velocity(), *b.angular_velocity()))
}

/// Makes of the body what the components say now: in place where that can be, else as another body at the same place.
fn take_spec(world: &mut CcdWorld, body: &mut CcdBody, spec: BodySpec, entity: Entity) -> Result<(), CcdProblemCause> {
    if spec == body.spec {
        return Ok(());
    }
    // Noted first: what is refused is refused once.
    let in_place = spec.differs_on_surface_only(&body.spec);
    body.spec = spec;
    let Some(now) = world.core.body(body.id) else { return Ok(()) };
    let (pose, kind) = (*now.pose(), now.kind());
    // A static body has forgotten its velocities; its components have not.
    let (linear, angular) = if kind == BodyKind::Static {
        (to_vector(body.shown.linear_velocity), to_vector(body.shown.angular_velocity))
    } else {
        (*now.linear_velocity(), *now.angular_velocity())
    };
    let definition = body.spec.definition(pose, linear, angular)?;
    if in_place {
        let changed = Body::new(definition)?;
        if let Some(now) = world.core.body_mut(body.id) {
            change_surface(now, &changed);
        }
        return Ok(());
    }
    let new = world.core.add_body(definition)?;
    world.core.remove_body(body.id);
    world.reregister(body.id, new, entity);
    body.id = new;
    body.owners = owners_of(body.spec.parts());
    Ok(())
}

fn change_surface(body: &mut Body, like: &Body) {
    body.material = like.material;
    body.gravity_scale = like.gravity_scale;
    body.linear_damping = like.linear_damping;
    body.angular_damping = like.angular_damping;
    body.force = like.force;
    body.torque = like.torque;
    body.layers = like.layers;
}

fn pose_of(placement: &Placement) -> Result<Pose, CcdProblemCause> {
    if !placement.translation.is_finite() {
        return Err(BodyError::NonFinite { what: "pose" }.into());
    }
    if to_rotation(placement.rotation).is_none() {
        return Err(CcdProblemCause::Transform(format!("{} is no rotation", placement.rotation)));
    }
    to_pose(placement.translation, placement.rotation).ok_or_else(|| BodyError::NonFinite { what: "pose" }.into())
}

fn shown_as(c: &BodyComponentsItem, placement: &Placement) -> Shown {
    Shown {
        transform: *c.transform,
        linear_velocity: c.linear_velocity(),
        angular_velocity: c.angular_velocity(),
        global: c.parent.map(|_| (placement.translation, placement.rotation)),
    }
}

/// Equal to the bit: a NaN is no change of itself, and is told once.
fn same(a: Vec3, b: Vec3) -> bool {
    a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits)
}

fn same_rotation(a: Quat, b: Quat) -> bool {
    a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits)
}

fn same_transform(a: &Transform, b: &Transform) -> bool {
    same(a.translation, b.translation) && same_rotation(a.rotation, b.rotation) && same(a.scale, b.scale)
}
