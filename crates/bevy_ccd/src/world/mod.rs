//! The core's world as a resource, and which entity is which body.

mod snapshot;
mod tenants;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use ccd_core::dynamics::{Body, BodyDefinition, BodyError, BodyKind, check_finite};
use ccd_core::geometry::feature::{Feature, FeaturePair};
use ccd_core::id::{BodyId, PairKey};
use ccd_core::math::{Point, Pose, Vector};
use ccd_core::shape::Shape;
use ccd_core::world::{StepError, StepReport, World as CoreWorld};

use crate::drive::Drives;
use crate::part_owners::Colliders;
use crate::settings::{CcdSettings, Gravity};
use crate::touching::{Meeting, TouchingPairs, ordered};
pub use snapshot::CcdSnapshot;
use tenants::{Tenant, Tenants};

/// The world of the core: the truth, in `f64`, of which the components show a rounded copy.
///
/// Read it for what components do not show: exact poses, energies, the report of the last step. It is changed through
/// components and [`Impulses`](crate::Impulses).
///
/// It is the plugin's own: nobody else makes one, for the bodies of entities are in this one. A game that begins anew despawns its bodies.
#[derive(Resource)]
pub struct CcdWorld {
    pub(crate) core: CoreWorld,
    tenants: Tenants,
    /// How many makings of bodies there have been: states that are put back take none of them back.
    makings: u64,
    report: StepReport,
    /// Pairs that touch, as told in events.
    touching: TouchingPairs,
    /// Entities whose body was rebuilt since the last step: the core has forgotten their contacts.
    rebuilt: BTreeSet<Entity>,
    /// Whether the state was put back since the last step, so that what touches must be looked at anew.
    restored: bool,
    /// Whether the state was put back and entities do not follow it yet.
    pub(crate) unfollowed: bool,
    /// What began and ceased to touch and was not told yet.
    pub(crate) news: News,
    /// Steps that were made.
    steps: u64,
    /// The length of the step in progress.
    in_progress: Option<f64>,
    /// Entities whose bodies are to be taken out when the step in progress is done.
    to_remove: Vec<Entity>,
    /// Kinematic bodies that the game moves.
    pub(crate) drives: Drives,
    /// The last refusal to step, so that it is told once.
    pub(crate) last_error: Option<StepError>,
    /// The gravity of the state that was put back last, of which the resource may show what is rounded to `f32`.
    pub(crate) gravity: Option<Vector>,
    /// Entities whose components may have to be written: of their bodies or of themselves something has changed.
    pub(crate) to_show: Vec<Entity>,
    /// Entities whose bodies others carry, and whose bodies those are.
    pub(crate) carried: BTreeMap<Entity, Entity>,
    /// Entities whose bodies were teleported, and by what, since what they carry was last looked at.
    pub(crate) teleported: EntityHashMap<Pose>,
    /// Bodies that are in a group, in no order.
    pub(crate) grouped: Vec<BodyId>,
}

/// Changes of touching, in the order in which they are told.
#[derive(Default, Debug)]
pub(crate) struct News {
    pub started: Vec<Meeting>,
    pub ended: Vec<Meeting>,
    /// Whether a step has been made, whose report is to be told.
    pub is_of_a_step: bool,
    /// Of the entities whose bodies were taken out, those that wanted to know.
    pub gone: BTreeSet<Entity>,
}

impl CcdWorld {
    /// Without bodies.
    pub(crate) fn new() -> Self {
        let mut core = CoreWorld::default();
        // As the resources have them, which are rounded to `f32`; every world can have those.
        _ = core.set_settings(CcdSettings::default().to_world_settings(&Gravity::default()));
        Self {
            core,
            tenants: Tenants::default(),
            makings: 0,
            report: StepReport::default(),
            touching: TouchingPairs::default(),
            rebuilt: BTreeSet::new(),
            restored: false,
            unfollowed: false,
            news: News::default(),
            steps: 0,
            in_progress: None,
            to_remove: Vec::new(),
            drives: Drives::default(),
            last_error: None,
            gravity: None,
            to_show: Vec::new(),
            carried: BTreeMap::new(),
            teleported: EntityHashMap::default(),
            grouped: Vec::new(),
        }
    }

    /// The core's world.
    pub fn core(&self) -> &CoreWorld {
        &self.core
    }

    /// What happened in the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Why the world does not step, as of the last time that it was to; `None` once it has made a step or was put to another state. Of a
    /// refusal that is the same as before there is no second [`CcdProblem`](crate::CcdProblem).
    pub fn refusal(&self) -> Option<&StepError> {
        self.last_error.as_ref()
    }

    /// Gives a dynamic body an impulse (N·s) at a place, both in the world and in the core's numbers.
    ///
    /// # Errors
    /// [`BodyError`] for numbers that are not finite. A body that is gone, or that no impulse moves, is let be.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: &Vector, at: &Point) -> Result<(), BodyError> {
        match self.pushed(id, &[("impulse", impulse), ("point of impulse", &at.coords)])? {
            Some(body) => body.apply_impulse(impulse, at),
            None => Ok(()),
        }
    }

    /// Gives a dynamic body an angular impulse (N·m·s) in the world.
    ///
    /// # Errors
    /// As [`CcdWorld::apply_impulse`].
    pub fn apply_angular_impulse(&mut self, id: BodyId, impulse: &Vector) -> Result<(), BodyError> {
        match self.pushed(id, &[("angular impulse", impulse)])? {
            Some(body) => body.apply_angular_impulse(impulse),
            None => Ok(()),
        }
    }

    /// The body that these numbers are to move, awake; `None` of one that is gone, or that no impulse moves. The core wakes whom it hands out, and
    /// around what is not dynamic all that touches it: so neither is asked of it for nothing.
    fn pushed(&mut self, id: BodyId, numbers: &[(&'static str, &Vector)]) -> Result<Option<&mut Body>, BodyError> {
        if self.core.body(id).is_none_or(|body| body.kind() != BodyKind::Dynamic) {
            return Ok(None);
        }
        numbers.iter().try_for_each(|(what, number)| check_finite(what, number))?;
        Ok(self.core.body_mut(id))
    }

    /// The body of an entity as the core has it: its exact pose and velocities, the mass that follows from its colliders, its shape. `None` for
    /// an entity that is no body, or not in the world yet.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_ccd::prelude::*;
    /// fn weigh(world: Res<CcdWorld>, bodies: Query<Entity, With<RigidBody>>) {
    ///     for entity in &bodies {
    ///         if let Some(body) = world.body(entity) {
    ///             println!("{entity} has {} kg", body.mass_properties().mass);
    ///         }
    ///     }
    /// }
    /// ```
    pub fn body(&self, entity: Entity) -> Option<&Body> {
        self.core.body(self.body_id(entity)?)
    }

    /// The entity of a body; `None` for a body that is gone.
    pub fn entity(&self, id: BodyId) -> Option<Entity> {
        self.tenants.of(id).map(|tenant| tenant.entity)
    }

    /// The body of an entity; `None` for an entity that is none.
    pub fn body_id(&self, entity: Entity) -> Option<BodyId> {
        self.tenants.id_of(entity)
    }

    /// The entity whose collider a feature of a body's shape is of: the body's own, or that of a child; `None` for a body that is gone.
    pub fn collider(&self, id: BodyId, feature: Feature) -> Option<Entity> {
        self.colliders(id).map(|colliders| colliders.of(feature))
    }

    pub(crate) fn colliders(&self, id: BodyId) -> Option<Colliders<'_>> {
        let tenant = self.tenants.of(id)?;
        let compound = match self.core.body(id)?.shape() {
            Shape::Compound(compound) => Some(&**compound),
            _ => None,
        };
        Some(Colliders { body: tenant.entity, owners: &tenant.owners, compound })
    }

    /// The entities of a pair of bodies, in the pair's order.
    pub fn entities(&self, pair: PairKey) -> Option<(Entity, Entity)> {
        Some((self.entity(pair.a)?, self.entity(pair.b)?))
    }

    /// All bodies with their entities, in the order of their slots.
    pub fn bodies(&self) -> impl Iterator<Item = (Entity, BodyId, &Body)> {
        self.core.bodies().filter_map(|(id, body)| Some((self.entity(id)?, id, body)))
    }

    /// Pairs of entities that touch, in ascending order.
    pub fn touching(&self) -> impl Iterator<Item = (Entity, Entity)> {
        self.touching.iter()
    }

    /// Those that an entity touches, in ascending order.
    pub fn partners(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        self.touching.partners(entity)
    }

    /// Whether the two entities touch.
    pub fn are_touching(&self, one: Entity, other: Entity) -> bool {
        self.touching.contains((one, other))
    }

    /// Those that an entity touches in the core's present state, in ascending order.
    pub(crate) fn partners_now(&self, entity: Entity) -> Vec<Entity> {
        if !self.restored {
            return self.partners(entity).collect();
        }
        // What touched before the state was put back is still to be told of.
        let touching = self.core.contacts().filter(|(_, contacts)| contacts.touching);
        let pairs = touching.filter_map(|(key, _)| self.entities(key));
        let mut partners: Vec<Entity> =
            pairs.filter(|&(a, b)| a == entity || b == entity).map(|(a, b)| if a == entity { b } else { a }).collect();
        partners.sort_unstable();
        partners
    }

    /// Entities that are bodies, and of which a state that was put back knows nothing, in ascending order.
    pub(crate) fn unknown(&self) -> Vec<Entity> {
        self.tenants.unknown()
    }

    /// How many entities are bodies.
    pub(crate) fn body_count(&self) -> usize {
        self.tenants.count()
    }

    /// A number that tells what a body is made of from what any other was ever made of, in this state of the world and in all that are kept.
    pub(crate) fn new_making(&mut self) -> u64 {
        self.makings += 1;
        self.makings
    }

    /// What the body of an entity is made of; `None` of an entity that is no body, or a state that does not say.
    pub(crate) fn making_of(&self, entity: Entity) -> Option<u64> {
        self.tenants.of(self.tenants.id_of(entity)?)?.making
    }

    pub(crate) fn register(&mut self, id: BodyId, entity: Entity, owners: Arc<[Entity]>, making: u64) {
        self.tenants.enter(Tenant { id, entity, owners, since: id.generation, making: Some(making) });
    }

    /// Builds an entity's body anew, in the slot that it has. The old one stays where the new one cannot be.
    pub(crate) fn rebuild(
        &mut self,
        old: BodyId,
        definition: BodyDefinition,
        entity: Entity,
        owners: Arc<[Entity]>,
        making: u64,
    ) -> Result<BodyId, BodyError> {
        Body::new(definition.clone())?;
        self.core.remove_body(old);
        let new = self.core.add_body(definition)?;
        let former = self.tenants.leave(entity).filter(|former| former.id == old && new.index == old.index);
        let since = former.map_or(new.generation, |former| former.since);
        self.drives.rename(old, new);
        self.tenants.enter(Tenant { id: new, entity, owners, since, making: Some(making) });
        self.rebuilt.insert(entity);
        Ok(new)
    }

    /// Takes an entity's body out: at once, or after the step in progress, which must not lose a body on its way.
    pub(crate) fn forget(&mut self, entity: Entity, wants_to_know: bool) {
        if wants_to_know {
            self.news.gone.insert(entity);
        }
        self.take_out(entity);
    }

    fn take_out(&mut self, entity: Entity) {
        if self.in_progress.is_some() {
            self.to_remove.push(entity);
            return;
        }
        // A state that was put back a moment ago may know nothing of it.
        if let Some(tenant) = self.tenants.leave(entity) {
            self.core.remove_body(tenant.id);
            self.drives.forget(tenant.id);
        }
        self.rebuilt.remove(&entity);
        self.news.ended.extend(self.touching.forget(entity));
    }

    /// How many steps were made; nothing takes one of them back.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether a step is on its way.
    pub(crate) fn in_progress(&self) -> bool {
        self.in_progress.is_some()
    }

    /// First stages of a step.
    pub(crate) fn begin(&mut self, dt: f64) -> Result<(), StepError> {
        self.in_progress = Some(dt);
        self.drives.start(&mut self.core, dt);
        let begun = self.core.begin_step(dt).and_then(|()| self.core.broad_phase());
        self.abandon_on_error(begun)
    }

    /// Contacts.
    pub(crate) fn detect(&mut self) -> Result<(), StepError> {
        let detected = self.core.narrow_phase();
        self.abandon_on_error(detected)
    }

    /// Impulses, and continuous detection on the motion that they leave.
    pub(crate) fn respond(&mut self) -> Result<(), StepError> {
        let responded = self.core.respond().and_then(|()| self.core.check_motion());
        self.abandon_on_error(responded)
    }

    /// Commits the step, and finds out who began and ceased to touch.
    pub(crate) fn finish(&mut self) -> Result<f64, StepError> {
        let report = self.core.finish_step();
        let report = self.abandon_on_error(report)?;
        self.drives.stop(&mut self.core);
        self.steps += 1;
        let dt = report.dt;
        self.last_error = None;
        self.update_touching(&report);
        self.report = report;
        self.news.is_of_a_step = true;
        self.in_progress = None;
        self.remove_waiting();
        Ok(dt)
    }

    fn abandon_on_error<T>(&mut self, result: Result<T, StepError>) -> Result<T, StepError> {
        if result.is_err() {
            self.in_progress = None;
            self.drives.put_off(&mut self.core);
            self.remove_waiting();
        }
        result
    }

    fn remove_waiting(&mut self) {
        for entity in std::mem::take(&mut self.to_remove) {
            self.take_out(entity);
        }
    }

    fn update_touching(&mut self, report: &StepReport) {
        let started: Vec<Meeting> = report.started.iter().filter_map(|&key| self.meeting(key, report)).collect();
        let ended = report.ended.iter().filter_map(|&key| self.entities(key));
        let ended: Vec<(Entity, Entity)> = ended.map(|(a, b)| ordered(a, b)).collect();
        // A pair that met and parted within the step is in both lists, and told as both.
        started.into_iter().for_each(|meeting| self.begin_touching(meeting));
        for pair in ended {
            self.news.ended.extend(self.touching.remove(pair));
        }
        if self.rebuilt.is_empty() && !self.restored {
            return;
        }
        let all = std::mem::take(&mut self.restored);
        // The core no longer knows that these touched, so it does not tell that they ceased to.
        let rebuilt = std::mem::take(&mut self.rebuilt);
        let still: BTreeMap<_, _> = self
            .core
            .contacts()
            .filter(|(_, contacts)| contacts.touching)
            .filter_map(|(key, _)| self.meeting(key, report))
            .map(|meeting| (meeting.bodies, meeting))
            .collect();
        let is_forgotten = |(a, b)| all || rebuilt.contains(&a) || rebuilt.contains(&b);
        let ended = self.touching.iter().filter(|&pair| is_forgotten(pair) && !still.contains_key(&pair));
        for pair in ended.collect::<Vec<_>>() {
            self.news.ended.extend(self.touching.remove(pair));
        }
        still.into_values().filter(|_| all).for_each(|meeting| self.begin_touching(meeting));
    }

    fn begin_touching(&mut self, meeting: Meeting) {
        if !self.touching.insert(&meeting) {
            return;
        }
        // A body that was taken out and put in again before anything was told has not ceased to touch.
        match self.news.ended.iter().position(|ended| ended.bodies == meeting.bodies) {
            Some(ended) => _ = self.news.ended.remove(ended),
            None => self.news.started.push(meeting),
        }
    }

    /// The bodies of a pair that touches or touched in the step of `report`, and with which colliders they first did.
    fn meeting(&self, key: PairKey, report: &StepReport) -> Option<Meeting> {
        let (a, b) = (self.colliders(key.a)?, self.colliders(key.b)?);
        let features = if a.is_one() && b.is_one() { None } else { self.features_met(key, report) };
        let colliders = features.map_or((a.first(), b.first()), |features| (a.of(features.a), b.of(features.b)));
        Some(Meeting { bodies: (a.body, b.body), colliders }.ordered())
    }

    fn features_met(&self, key: PairKey, report: &StepReport) -> Option<FeaturePair> {
        let impact = report.impacts.iter().find(|impact| impact.pair == key).map(|impact| impact.features);
        impact.or_else(|| {
            let points = &self.core.contacts_of(&key)?.points;
            let nearest = points.iter().min_by(|p, q| p.separation.total_cmp(&q.separation));
            nearest.map(|point| point.features)
        })
    }
}
