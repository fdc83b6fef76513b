//! The world: bodies, settings, and the step.
//!
//! The story of a step is told in [`step`](World::step); the stages it calls stand beside it, in call order, and can be
//! called one by one (as an engine's own systems do).

mod agenda;
mod ahead;
mod arms;
mod audit;
mod carried;
mod certify;
mod clearance;
mod commit;
mod contacts;
mod course;
mod crowd;
mod dormant;
mod drift;
mod extent;
mod flight;
mod gather;
mod gliding;
mod heirs;
mod idle;
mod islands;
mod isolated;
mod landed;
mod landing;
mod led;
mod lifts;
mod lying;
mod meetings;
mod narrow;
mod neighbours;
mod one_way;
mod pressed;
mod pushing;
mod react;
mod report;
mod resolve;
mod riding;
mod ripple;
mod room;
mod separate;
mod set_down;
mod settings;
mod sleep;
mod spatial;
mod spread;
mod standing;
mod step;
mod stepping;
mod still;
mod strikes;
mod surfaces;
mod sweeps;
mod swing;
mod turned;
mod wants;
mod way_out;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

pub use contacts::PairContacts;
pub use report::{Counters, Impact, MOST_OVERLAPS_TOLD, OverlappingPair, PhaseTimes, StepError, StepReport};
pub use settings::{BroadPhaseMethod, InitialOverlap, ResponseMethod, SettingsError, WorldSettings};
pub use spatial::{
    Approach, Autostep, DEFAULT_GAP, DEFAULT_MEETINGS, Ground, NearestBody, OnMeeting, QueryError, Ray, RayHit,
    ShapeHit, Slide, SlideError, SlideMeeting, SlideQuery, Walk, WayOut,
};

use crate::dynamics::{Body, BodyDefinition, BodyError, BodyKind, Energy, check_pose, check_velocity};
use crate::id::{BodyId, PairKey};
use crate::math::{Pose, Real, Vector};
use crate::response::impulse::Velocity;
use dormant::Dormant;
use separate::Cramped;
use spatial::Places;
use stepping::Stepping;
use still::Still;

/// A place for a body; the generation counts how often it was given away.
#[derive(Clone, Debug)]
struct Slot {
    generation: u32,
    body: Option<Body>,
    /// Whether it is among [`World::changed`].
    is_noted: bool,
}

/// Bodies, settings, and what is known of their contacts.
///
/// A world that starts disjoint stays disjoint, step after step. Cloning it takes a snapshot: the clone steps on to the
/// same bits.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// As the caller has them.
    settings: WorldSettings,
    /// As they are for the last step that began.
    in_force: WorldSettings,
    slots: Vec<Slot>,
    vacant: Vec<u32>,
    /// Those of pairs that are not set aside.
    contacts: BTreeMap<PairKey, Arc<PairContacts>>,
    /// What is set aside as long as nobody comes near.
    dormant: Arc<Dormant>,
    /// Steps since the last look for what may be set aside.
    steps_since_look: u32,
    /// Who has contacts with whom, both ways, once somebody has asked: as of the end of the last step, and of pairs that are not
    /// set aside.
    neighbours: OnceLock<BTreeSet<(BodyId, BodyId)>>,
    /// Bodies whose place has not been checked yet: added or teleported since the last step.
    unchecked: BTreeSet<BodyId>,
    /// Pairs whose gap all but closed in the last step.
    tight: BTreeSet<PairKey>,
    /// Those of them that had no room.
    cramped: BTreeMap<PairKey, Cramped>,
    stepping: Option<Box<Stepping>>,
    /// Where the bodies at rest were in the last step.
    still: Box<Still>,
    /// Where the bodies are, once a query has asked.
    places: OnceLock<Arc<Places>>,
    /// Where they were when one asked before.
    former_places: Option<Arc<Places>>,
    time: Real,
    /// The length of the last step, seconds; zero before the first.
    last_dt: Real,
    /// The slots of those of whom anything has changed since somebody asked, each once.
    changed: Vec<u32>,
    /// What the last step told, if it changed nothing and nobody has changed anything since.
    idle: Option<Box<StepReport>>,
    /// The bodies that the caller has changed, or that have woken, since the step in progress began, with the velocities that they had then.
    changed_within: BTreeMap<BodyId, Velocity>,
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// [`SettingsError`] names the setting that is wrong.
    pub fn new(settings: WorldSettings) -> Result<Self, SettingsError> {
        settings.validate()?;
        Ok(Self { in_force: settings.clone(), settings, ..Self::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// Changes the settings, from the next step on. A step that is in progress is given up.
    ///
    /// # Errors
    /// [`SettingsError`]; the settings stay as they were.
    pub fn set_settings(&mut self, settings: WorldSettings) -> Result<(), SettingsError> {
        settings.validate()?;
        if settings != self.settings {
            self.in_force = settings.clone();
            self.settings = settings;
            (self.stepping, self.idle) = (None, None);
            self.wake_all();
        }
        Ok(())
    }

    /// Simulated time, seconds.
    pub fn time(&self) -> Real {
        self.time
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`BodyError`] says what is wrong with it.
    pub fn add_body(&mut self, definition: BodyDefinition) -> Result<BodyId, BodyError> {
        let body = Body::new(definition)?;
        let id = if let Some(index) = self.vacant.pop() {
            let slot = &mut self.slots[index as usize];
            slot.body = Some(body);
            BodyId { index, generation: slot.generation }
        } else {
            self.slots.push(Slot { generation: 0, body: Some(body), is_noted: false });
            BodyId { index: (self.slots.len() - 1) as u32, generation: 0 }
        };
        self.note_change(id.index);
        self.unchecked.insert(id);
        self.forget_places();
        Ok(id)
    }

    /// Takes a body out; `None` if it is not there (any more). Its contacts end without a report.
    pub fn remove_body(&mut self, id: BodyId) -> Option<Body> {
        let slot = self.slots.get_mut(id.index as usize)?;
        if slot.generation != id.generation {
            return None;
        }
        let body = slot.body.take()?;
        self.idle = None;
        self.rouse_around(id);
        for neighbour in self.wake_neighbours(id) {
            self.contacts.remove(&PairKey::new(id, neighbour));
        }
        let slot = &mut self.slots[id.index as usize];
        slot.generation = slot.generation.wrapping_add(1);
        self.vacant.push(id.index);
        self.unchecked.remove(&id);
        self.stepping = None;
        self.forget_places();
        Some(body)
    }

    /// A body.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        let slot = self.slots.get(id.index as usize)?;
        if slot.generation == id.generation { slot.body.as_ref() } else { None }
    }

    /// A body, to change its velocity, material, forces, and whom it meets. What it comes to meet and is in is met at the next step as if it
    /// had been put there. Its place is changed by [`World::set_pose`]. Wakes it, and what it touches.
    ///
    /// Do not put another body in its place (`*world.body_mut(id)? = other`), nor an earlier copy of it: its world would take it to be where it was checked,
    /// and not notice that it overlaps something. Remove the one, and add the other. To go back to an earlier state keep a clone of the whole world.
    ///
    /// Between the stages of a step, too: what is changed then counts in the stages to come as far as they ask for it, and in the next step. What
    /// its velocities are changed by is added to those that the step ends with.
    pub fn body_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        let body = self.body(id)?;
        if body.kind() != BodyKind::Dynamic {
            self.wake_neighbours(id);
        }
        self.wake(id);
        self.inner_body_mut(id)
    }

    /// A body, of which something changes that the caller of the world may see.
    fn slot_body_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        self.body(id)?;
        self.note_change(id.index);
        self.rouse_around(id);
        self.inner_body_mut(id)
    }

    /// A body, of which something changes that nobody sees.
    fn inner_body_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        let slot = self.slots.get_mut(id.index as usize)?;
        if slot.generation == id.generation { slot.body.as_mut() } else { None }
    }

    /// All bodies in the order of their slots.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| {
            let id = BodyId { index: index as u32, generation: slot.generation };
            slot.body.as_ref().map(|body| (id, body))
        })
    }

    /// Puts a body somewhere else at once (no motion in between is checked; an overlap there is met at the next step).
    /// Returns whether the body is there.
    ///
    /// # Errors
    /// [`BodyError::NonFinite`], and [`BodyError::OutOfRange`] for a rotation whose quaternion is no unit one.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<bool, BodyError> {
        check_pose("pose", &pose)?;
        self.wake_neighbours(id);
        let Some(body) = self.slot_body_mut(id) else { return Ok(false) };
        body.wake();
        body.forget_led();
        body.place(pose);
        self.unchecked.insert(id);
        self.stepping = None;
        self.forget_places();
        Ok(true)
    }

    /// Sets a body's velocities (m/s of the centre of mass, rad/s, world). Returns whether the body is there.
    ///
    /// # Errors
    /// [`BodyError::NonFinite`]; nothing is woken then.
    pub fn set_velocity(&mut self, id: BodyId, linear: Vector, angular: Vector) -> Result<bool, BodyError> {
        check_velocity(&linear, &angular)?;
        match self.body_mut(id) {
            Some(body) => body.set_velocity(linear, angular).map(|()| true),
            None => Ok(false),
        }
    }

    /// The pairs within the contact threshold at the end of the last step, with their contacts, in ascending order.
    pub fn contacts(&self) -> impl Iterator<Item = (PairKey, &PairContacts)> {
        self.all_contacts().map(|(pair, contacts)| (pair, contacts.as_ref()))
    }

    /// The contacts of a pair that is within the contact threshold at the end of the last step. O(log n).
    pub fn contacts_of(&self, pair: &PairKey) -> Option<&PairContacts> {
        self.known_contacts(pair).map(AsRef::as_ref)
    }

    /// Kinetic and gravitational energy now.
    pub fn energy(&self) -> Energy {
        Energy::of(self.bodies().map(|(_, body)| body), &self.in_force.gravity)
    }
}
