//! What has changed in the ECS goes into the core's world.

use bevy::prelude::*;
use ccd_core::dynamics::{Body, BodyError, BodyKind, Material};
use ccd_core::math::{Pose, Vector};

use super::CcdBody;
use super::carriers::Carriers;
use super::membership::tell_of_colliders;
use super::parts::{BodyColliders, owners_of};
use super::placement::{Placement, Placements};
use super::shown::{Shown, same, same_rotation};
use super::signs::{Signs, Watched};
use super::spec::{BodyComponents, BodyComponentsItem, BodySpec};
use crate::components::{RigidBody, Teleport};
use crate::convert::{from_vector, to_pose, to_rotation, to_vector};
use crate::problem::{CcdProblemCause, Problems, tell_new};
use crate::settings::CcdSettings;
use crate::world::CcdWorld;

/// Takes over what was changed on the entities of bodies, in the order of the entities.
pub(crate) fn take_changes(
    mut commands: Commands,
    mut world: ResMut<CcdWorld>,
    settings: Res<CcdSettings>,
    mut bodies: ParamSet<(Query<Watched>, Query<(BodyComponents, &mut CcdBody, Has<Teleport>)>)>,
    signs: Signs,
    placements: Placements,
    colliders: BodyColliders,
    carriers: Carriers,
    mut problems: Problems,
) {
    let changed = if settings.is_changed() {
        bodies.p0().iter().map(|(entity, ..)| entity).collect()
    } else {
        signs.changed(&bodies.p0())
    };
    let mut bodies = bodies.p1();
    for &entity in &changed {
        let Ok((c, mut body, teleports)) = bodies.get_mut(entity) else { continue };
        if teleports {
            commands.entity(c.entity).try_remove::<Teleport>();
        }
        // The body's own notes are nobody's change.
        let body = body.bypass_change_detection();
        signs.see(entity, &mut body.seen);
        let placement = placements.of(&c);
        let before = body.shown;
        let mut global = before.global;
        if let Ok(placement) = &placement {
            global = c.parent.map(|_| (placement.translation, placement.rotation));
            // Another stretch makes another body: not for what rounding does while parents turn.
            if c.parent.is_none() || !placement.has_stretch(&body.stretch) {
                body.stretch = placement.stretch;
            }
        }
        body.shown = Shown::of(&c, global);
        // Each by itself: what is refused of one thing keeps nobody from changing the others.
        if body.spec.kind().is_static() && !body.shown.has_velocities_of(&before) {
            // What it becomes has them, and may be refused for them.
            body.refused = None;
        }
        let spec = BodySpec::of(&c, c.kind(&carriers), colliders.of(&c, body.stretch), &settings);
        let former = body.id;
        let stood = body.spec.kind().is_static();
        if let Err(cause) = take_spec(&mut world, body, spec, c.entity) {
            problems.tell(c.entity, cause);
        }
        if body.id != former {
            tell_of_colliders(&world, body, &mut problems, c.entity);
        }
        // As what it is now, which may be another than it was to become.
        // What stood and is picked up is there at once, as what stands is.
        let is_picked_up = stood && c.rigid_body.is_some_and(RigidBody::is_static);
        let going = match body.spec.kind().is_kinematic() && !teleports && !is_picked_up {
            true if carriers.carrier_of(c.entity).is_some() => Going::Carried,
            true => Going::ByItself,
            false => Going::AtOnce,
        };
        let taken = placement.and_then(|placement| take_pose(&mut world, body, &before, &c, &placement, going));
        settle_pose(&mut world, body, taken, going, c.entity, &mut problems);
        let velocities = take_velocities(&mut world, body, &before, &c);
        for (taken, told) in velocities.into_iter().zip(&mut body.refused_velocities) {
            match taken {
                None => {}
                Some(Ok(())) => *told = None,
                Some(Err(error)) => tell_new(told, error.into(), c.entity, &mut problems),
            }
        }
        // Last, for whatever else was changed wakes it.
        take_sleep(&mut world, body, c.sleeping);
    }
    world.to_show.extend(changed);
}

/// Takes down what became of a body's placement: whether it was moved, or why it cannot be.
fn settle_pose(
    world: &mut CcdWorld,
    body: &mut CcdBody,
    taken: Result<bool, CcdProblemCause>,
    going: Going,
    entity: Entity,
    problems: &mut Problems,
) {
    match taken {
        Ok(true) => {
            body.misplaced = None;
            body.due = (going != Going::AtOnce).then(|| world.steps());
        }
        Ok(false) => {}
        Err(cause) => {
            world.drives.forget(body.id);
            (body.put, body.due) = (None, None);
            tell_new(&mut body.misplaced, cause, entity, problems);
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
/// all its digits. Returns whether it was moved.
fn take_pose(
    world: &mut CcdWorld,
    body: &CcdBody,
    before: &Shown,
    c: &BodyComponentsItem,
    placement: &Placement,
    going: Going,
) -> Result<bool, CcdProblemCause> {
    let Some(now) = world.core.body(body.id) else { return Ok(false) };
    let moved_itself = !same(c.transform.translation, before.transform.translation);
    let turned_itself = !same_rotation(c.transform.rotation, before.transform.rotation);
    // What does not move by forces is where its parents put it, also when it gets or loses them; a dynamic body stays where it is in
    // the world.
    let is_put = !body.spec.kind().is_dynamic();
    let let_go = now.carrier.is_some() && going != Going::Carried;
    // The body above was to take it to another place, and does not any more.
    let is_left = going != Going::Carried && body.is_due(world) && world.drives.aim_of(body.id).is_none();
    let put_elsewhere = is_put && (before.global != body.shown.global || let_go) || is_left;
    // It was to move there while it was of another kind.
    let is_due = going == Going::AtOnce && world.drives.aim_of(body.id).is_some();
    if !(moved_itself || turned_itself || put_elsewhere || is_due) {
        return Ok(false);
    }
    if going == Going::Carried {
        world.drives.forget(body.id);
        return Ok(true);
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
        let from = world.core.body(body.id).map(|body| *body.pose());
        world.core.set_pose(body.id, pose)?;
        world.teleported.extend(from.map(|from| (c.entity, pose * from.inverse())));
    }
    Ok(true)
}

/// Takes over velocities that somebody else has written: the linear one, and the angular one. `None` of what nobody has.
fn take_velocities(
    world: &mut CcdWorld,
    body: &CcdBody,
    before: &Shown,
    c: &BodyComponentsItem,
) -> [Option<Result<(), BodyError>>; 2] {
    let mut take = |component: Vec3, before: Vec3, is_linear: bool| {
        let now = world.core.body(body.id).filter(|_| !same(component, before))?;
        let written = to_vector(component);
        let (linear, angular) =
            if is_linear { (written, *now.angular_velocity()) } else { (*now.linear_velocity(), written) };
        Some(world.core.set_velocity(body.id, linear, angular).map(|_| ()))
    };
    [
        take(c.linear_velocity(), before.linear_velocity, true),
        take(c.angular_velocity(), before.angular_velocity, false),
    ]
}

/// Has a body sleep or wake whose entity was given a [`Sleeping`](crate::Sleeping) by somebody else, or lost it.
fn take_sleep(world: &mut CcdWorld, body: &mut CcdBody, sleeps: bool) {
    match (body.sleeps, sleeps) {
        (false, true) => body.put_to_sleep(world),
        (true, false) => {
            world.core.wake(body.id);
            (body.sleeps, body.is_tired) = (false, false);
        }
        _ => {}
    }
}

/// Makes of the body what the components say now: in place where that can be, else as another body at the same place. Fails where it cannot be, and
/// that is to be told.
fn take_spec(world: &mut CcdWorld, body: &mut CcdBody, spec: BodySpec, entity: Entity) -> Result<(), CcdProblemCause> {
    if spec == body.spec {
        body.refused = None;
        return Ok(());
    }
    if body.refused.as_ref().is_some_and(|(refused, _)| *refused == spec) {
        return Ok(());
    }
    let in_place = spec.differs_on_surface_only(&body.spec);
    let made = remake(world, body, &spec, entity, if in_place { How::InPlace } else { How::AsAnother });
    match made {
        Ok(()) => (body.spec, body.refused) = (spec, None),
        Err(cause) => {
            // Whether it moves is a thing by itself: what no longer is to must not move on where nobody sees it.
            let of_kind = body.spec.of_kind(spec.kind());
            if of_kind != body.spec && remake(world, body, &of_kind, entity, How::AsAnother).is_ok() {
                body.spec = of_kind;
            }
            let why = cause.reason();
            let told = body.refused.replace((spec, why.clone()));
            if told.is_none_or(|(_, told)| told != why) {
                return Err(cause);
            }
        }
    }
    Ok(())
}

/// How a body is made into what components say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Only its surface is another.
    InPlace,
    /// Of what it was made of before.
    AsItWas,
    /// Of something else.
    AsAnother,
}

/// Makes the body that `spec` says, where the body is and as it moves.
pub(super) fn remake(
    world: &mut CcdWorld,
    body: &mut CcdBody,
    spec: &BodySpec,
    entity: Entity,
    how: How,
) -> Result<(), CcdProblemCause> {
    let Some(now) = world.core.body(body.id) else { return Ok(()) };
    if how == How::InPlace {
        // Without weighing it anew: a force may be another at every step.
        let sample = spec.surface_sample()?;
        let part_materials = spec.part_materials(&sample.material);
        if let Some(now) = world.core.body_mut(body.id) {
            now.set_part_materials(part_materials)?;
            change_surface(now, &sample);
        }
        return Ok(());
    }
    let (pose, kind) = (*now.pose(), now.kind());
    // A static body has forgotten its velocities; its components have not.
    let (linear, angular) = if kind == BodyKind::Static {
        (to_vector(body.shown.linear_velocity), to_vector(body.shown.angular_velocity))
    } else {
        (*now.linear_velocity(), *now.angular_velocity())
    };
    let definition = spec.definition(pose, linear, angular)?;
    let owners = owners_of(spec.parts());
    let making = if how == How::AsItWas { body.making } else { world.new_making() };
    body.id = world.rebuild(body.id, definition, entity, owners.clone(), making)?;
    (body.owners, body.making) = (owners, making);
    Ok(())
}

/// What is the same but for rounding to `f32` keeps all its digits: a state that was put back may have more of them than components.
fn change_surface(body: &mut Body, like: &Body) {
    let Material { friction, friction_combine, rolling_resistance, restitution, restitution_combine } = like.material;
    take_number(&mut body.material.friction, friction);
    take_number(&mut body.material.rolling_resistance, rolling_resistance);
    take_number(&mut body.material.restitution, restitution);
    (body.material.friction_combine, body.material.restitution_combine) = (friction_combine, restitution_combine);
    take_number(&mut body.gravity_scale, like.gravity_scale);
    take_number(&mut body.linear_damping, like.linear_damping);
    take_number(&mut body.angular_damping, like.angular_damping);
    take_vector(&mut body.surface_velocity, &like.surface_velocity);
    take_vector(&mut body.force, &like.force);
    take_vector(&mut body.torque, &like.torque);
    body.layers = like.layers;
    body.one_way = like.one_way;
    body.can_sleep = like.can_sleep;
}

fn take_number(held: &mut f64, written: f64) {
    if *held as f32 != written as f32 {
        *held = written;
    }
}

fn take_vector(held: &mut Vector, written: &Vector) {
    if from_vector(held) != from_vector(written) {
        *held = *written;
    }
}

pub(super) fn pose_of(placement: &Placement) -> Result<Pose, CcdProblemCause> {
    if !placement.translation.is_finite() {
        return Err(BodyError::NonFinite { what: "pose" }.into());
    }
    if to_rotation(placement.rotation).is_none() {
        return Err(CcdProblemCause::Transform(format!("{} is no rotation", placement.rotation)));
    }
    to_pose(placement.translation, placement.rotation).ok_or_else(|| BodyError::NonFinite { what: "pose" }.into())
}
