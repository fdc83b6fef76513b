//! Kinematic bodies that the game moves from place to place: the way between two places becomes a motion.

use std::collections::BTreeMap;

use ccd_core::id::BodyId;
use ccd_core::math::{Pose, Vector};
use ccd_core::world::World as CoreWorld;

/// A body that is this close to its aim, metres and radians, has reached it.
const REACHED: f64 = 1e-9;

/// Where kinematic bodies are to be at the end of the next step, and how they went in the last.
#[derive(Debug, Default)]
pub(crate) struct Drives {
    aims: BTreeMap<BodyId, Pose>,
    under_way: BTreeMap<BodyId, Drive>,
}

/// A body's drive through one step.
#[derive(Clone, Copy, Debug)]
struct Drive {
    aim: Pose,
    /// The velocities that it has of itself, which are added.
    own: (Vector, Vector),
    /// Those that it goes with.
    given: (Vector, Vector),
}

impl Drives {
    /// The body is to be there at the end of the next step.
    pub fn aim(&mut self, id: BodyId, pose: Pose) {
        self.aims.insert(id, pose);
    }

    /// Where the body is to be, if the game has moved it since the last step.
    pub fn aim_of(&self, id: BodyId) -> Option<&Pose> {
        self.aims.get(&id)
    }

    /// The body is gone, or was put somewhere else.
    pub fn forget(&mut self, id: BodyId) {
        self.aims.remove(&id);
        self.under_way.remove(&id);
    }

    /// The body has another name.
    pub fn rename(&mut self, old: BodyId, new: BodyId) {
        if let Some(aim) = self.aims.remove(&old) {
            self.aims.insert(new, aim);
        }
    }

    /// Nobody is under way.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives the bodies the velocities that take them to their aims in `dt` seconds. Nobody goes anywhere in a step that the world refuses for its
    /// length.
    pub fn start(&mut self, world: &mut CoreWorld, dt: f64) {
        self.under_way.clear();
        if !(dt.is_finite() && dt > 0.0) {
            return;
        }
        for (id, aim) in std::mem::take(&mut self.aims) {
            let Some(body) = world.body(id) else { continue };
            let own = (*body.linear_velocity(), *body.angular_velocity());
            let turn = (aim.rotation * body.pose().rotation.inverse()).scaled_axis();
            // Of the centre, about which it turns.
            let centre = body.local_centre();
            let way = aim * centre - body.pose() * centre;
            // No velocity takes it there in so short a step: it is there.
            let given = (way / dt + own.0, turn / dt + own.1);
            match world.set_velocity(id, given.0, given.1) {
                Ok(_) => _ = self.under_way.insert(id, Drive { aim, own, given }),
                Err(_) => _ = world.set_pose(id, aim),
            }
        }
    }

    /// After the step: the velocities are the bodies' own again, and the world knows that they are led by others.
    pub fn stop(&self, world: &mut CoreWorld) {
        for (&id, drive) in &self.under_way {
            let Some(body) = world.body_mut(id) else { continue };
            // They were its own before the step, and during it.
            _ = body.set_velocity(drive.own.0, drive.own.1);
            _ = body.set_led(drive.given.0, drive.given.1);
        }
    }

    /// The step was not made: where the bodies were to be they still are to be, at the end of the next one.
    pub fn put_off(&mut self, world: &mut CoreWorld) {
        self.stop(world);
        for (id, drive) in std::mem::take(&mut self.under_way) {
            self.aims.entry(id).or_insert(drive.aim);
        }
    }

    /// Whether the game moved the body in the last step, and it came to where it was to be: `Some(false)` where it had to stop on the way,
    /// or went on from there.
    pub fn reached(&self, id: BodyId, pose: &Pose) -> Option<bool> {
        self.under_way.get(&id).map(|drive| is_reached(&drive.aim, pose))
    }
}

/// Whether what is at `pose` is where it was to be.
pub(crate) fn is_reached(aim: &Pose, pose: &Pose) -> bool {
    let off = (pose.translation.vector - aim.translation.vector).norm();
    off <= REACHED * (1.0 + aim.translation.vector.norm()) && pose.rotation.angle_to(&aim.rotation) <= REACHED
}
