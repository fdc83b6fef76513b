//! Which entities are bodies of the core's world.

use bevy::prelude::*;

use super::CcdBody;
use super::carriers::Carriers;
use super::into_core::pose_of;
use super::parking::{Hidden, Made, Parked, park};
use super::parts::{BodyColliders, owners_of};
use super::placement::{Placement, Placements};
use super::shown::{Shown, same, same_transform};
use super::signs::Seen;
use super::spec::{BodyComponents, BodyComponentsItem, BodySpec};
use crate::Collider;
use crate::components::{ColliderDensity, RigidBody, RigidBodyDisabled, Sensor, Sleeping, Teleport};
use crate::convert::to_vector;
use crate::problem::{CcdProblemCause, Problems, Reason};
use crate::settings::CcdSettings;
use crate::world::CcdWorld;

/// Takes bodies out whose entity is a body no longer, for a while or for good.
pub(crate) fn drop_bodies(
    mut commands: Commands,
    world: Res<CcdWorld>,
    unfit: Query<Entity, (With<CcdBody>, Or<(Without<Transform>, (Without<RigidBody>, Without<Sensor>))>)>,
    bare: Query<BodyComponents, (With<CcdBody>, Or<(Without<Collider>, Without<RigidBody>)>)>,
    disabled: Query<Entity, (With<CcdBody>, With<RigidBodyDisabled>)>,
    in_sight: Query<(), With<CcdBody>>,
    below: Query<Entity, (With<CcdBody>, With<ChildOf>)>,
    hidden: Hidden,
    colliders: BodyColliders,
    carriers: Carriers,
) {
    // An observer of the game may despawn any of them for what leaves before it.
    for entity in disabled.iter().chain(below.iter().filter(|entity| hidden.is_above(*entity))) {
        commands.entity(entity).queue_silenced(park);
    }
    // Hidden entities are in no query.
    if in_sight.iter().len() != world.body_count() {
        let known = world.bodies().map(|(entity, ..)| entity);
        for entity in known.chain(world.unknown()).filter(|entity| hidden.contains(*entity)) {
            commands.entity(entity).queue_silenced(park);
        }
    }
    // Without a collider of its own an entity is a body as long as a child has one.
    let is_bare = |c: &BodyComponentsItem| {
        c.rigid_body.is_none() && carriers.is_disabled(c.entity) || colliders.of(c, Mat3::IDENTITY).parts.is_empty()
    };
    let bare = bare.iter().filter(is_bare).map(|c| c.entity);
    for entity in unfit.iter().chain(bare) {
        commands.entity(entity).try_remove::<(CcdBody, Sleeping)>();
    }
}

/// An entity whose body was refused, with what it was refused for, so that it is tried again when that has changed.
#[derive(Component)]
pub(crate) struct Refused {
    spec: BodySpec,
    shown: Shown,
    /// `None` where the entity had no place.
    placement: Option<Placement>,
    /// The reason, as it was told.
    told: Reason,
}

impl Refused {
    fn is_for(&self, spec: &BodySpec, shown: &Shown, placement: Option<&Placement>) -> bool {
        self.spec == *spec
            && same_transform(&self.shown.transform, &shown.transform)
            && self.shown.has_velocities_of(shown)
            && self.placement.as_ref() == placement
    }
}

/// Adds the bodies of new entities, in the order of the entities.
pub(crate) fn add_bodies(
    mut commands: Commands,
    mut world: ResMut<CcdWorld>,
    settings: Res<CcdSettings>,
    new: Query<(BodyComponents, Option<&Refused>, Option<&Parked>, Option<&Made>), NewBodies>,
    placements: Placements,
    colliders: BodyColliders,
    carriers: Carriers,
    hidden: Hidden,
    mut problems: Problems,
) {
    let mut new: Vec<_> = new.iter().collect();
    new.sort_unstable_by_key(|(c, ..)| c.entity);
    for (c, refused, parked, made) in new {
        if c.rigid_body.is_none() && carriers.is_disabled(c.entity) || hidden.is_above(c.entity) {
            continue;
        }
        let placement = placements.of(&c);
        let stretch = placement.as_ref().map_or(Mat3::from_diagonal(c.transform.scale), |p| p.stretch);
        let parts = colliders.of(&c, stretch);
        if parts.parts.is_empty() {
            continue;
        }
        let spec = BodySpec::of(&c, c.kind(&carriers), parts, &settings);
        let known = placement.as_ref().ok().copied();
        let shown = Shown::of(&c, known.filter(|_| c.parent.is_some()).map(|p| (p.translation, p.rotation)));
        if refused.is_some_and(|refused| refused.is_for(&spec, &shown, known.as_ref())) {
            continue;
        }
        let made = made.filter(|made| spec.differs_on_surface_only(&made.spec));
        let making = made.map_or_else(|| world.new_making(), |made| made.making);
        match placement.and_then(|placement| add_body(&mut world, &c, &placement, &spec, shown, parked, making)) {
            Ok(mut body) => {
                if c.sleeping {
                    body.put_to_sleep(&mut world);
                }
                tell_of_colliders(&world, &mut body, &mut problems, c.entity);
                commands.queue(enter(c.entity, body));
                let mut entity = commands.entity(c.entity);
                entity.try_remove::<(Refused, Parked, Made, Teleport)>();
                // The engine has not propagated what was written while it was hidden, or something above it.
                entity.queue_silenced(|mut entity: EntityWorldMut| {
                    entity.get_mut::<Transform>().iter_mut().for_each(Mut::set_changed);
                });
            }
            Err(cause) => {
                let told = cause.reason();
                if refused.is_none_or(|refused| refused.told != told) {
                    problems.tell(c.entity, cause);
                }
                commands.entity(c.entity).try_insert(Refused { spec, shown, placement: known, told });
            }
        }
    }
}

/// Gives an entity its body, which the world has already; where an observer of the game has despawned the entity since, the world loses it.
fn enter(entity: Entity, body: CcdBody) -> impl Command {
    move |world: &mut World| {
        if let Ok(mut entity) = world.get_entity_mut(entity) {
            entity.insert(body);
        } else if let Some(mut ccd) = world.get_resource_mut::<CcdWorld>() {
            ccd.forget(entity, false);
        }
    }
}

/// Tells which of its colliders a body is without; and a mesh that is drawn like a solid may have gaps that nobody sees.
pub(super) fn tell_of_colliders(world: &CcdWorld, body: &mut CcdBody, problems: &mut Problems, entity: Entity) {
    let (mut faults, former) = (Vec::new(), std::mem::take(&mut body.faults));
    for fault in body.spec.faults() {
        let reason = fault.reason();
        if !former.contains(&reason) {
            problems.tell(entity, fault);
        }
        faults.push(reason);
    }
    body.faults = faults;
    let has_gaps = world.core.body(body.id).is_some_and(|now| body.spec.is_unweighed_sheet(now.shape()));
    if has_gaps && !body.has_gaps {
        problems.tell(entity, CcdProblemCause::OpenMesh { density: ColliderDensity::default().0 });
    }
    body.has_gaps = has_gaps;
}

/// What is to be a body and is none: also a sensor by itself.
type NewBodies = (Without<CcdBody>, Without<RigidBodyDisabled>, Or<(With<RigidBody>, With<Sensor>)>);

fn add_body(
    world: &mut CcdWorld,
    c: &BodyComponentsItem,
    placement: &Placement,
    spec: &BodySpec,
    shown: Shown,
    parked: Option<&Parked>,
    making: u64,
) -> Result<CcdBody, CcdProblemCause> {
    let mut pose = pose_of(placement)?;
    let (mut linear, mut angular) = (to_vector(c.linear_velocity()), to_vector(c.angular_velocity()));
    if let Some(parked) = parked {
        // What nobody has changed meanwhile keeps all its digits.
        let before = &parked.shown;
        if !parked.is_left && same_transform(c.transform, &before.transform) && shown.global == before.global {
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
    let owners = owners_of(spec.parts());
    world.register(id, c.entity, owners.clone(), making);
    Ok(CcdBody {
        id,
        spec: spec.clone(),
        making,
        seen: Seen::default(),
        refused: None,
        refused_velocities: [None, None],
        owners,
        shown,
        stretch: placement.stretch,
        misplaced: None,
        faults: Vec::new(),
        has_gaps: false,
        is_put_back: false,
        sleeps: false,
        is_tired: false,
        put: None,
        due: None,
    })
}
