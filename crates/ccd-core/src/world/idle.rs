//! Steps in which nothing happens.
//!
//! **Problem.** Where all sleeps every step would go through thousands of bodies to find that nothing of them has changed.
//!
//! **Idea.** A step follows from the world and its own length. One that has left the world as it was is followed by another such, if it is
//! as long and nobody has changed anything since: that tells what the last one told, and looks at nobody.
//!
//! **Guarantee.** The same bits and the same report, but for its times, as if the step had been made.
//!
//! **Cost.** O(1).

use super::World;
use super::course::velocity_of;
use super::report::StepReport;
use super::stepping::Stepping;
use crate::id::BodyId;
use crate::math::Real;

impl World {
    /// Takes down that something of the body in a slot has changed.
    pub(super) fn note_change(&mut self, slot: u32) {
        self.idle = None;
        if !std::mem::replace(&mut self.slots[slot as usize].is_noted, true) {
            self.changed.push(slot);
        }
    }

    /// Takes down that something of a body changes while a step is in progress, if one is.
    pub(super) fn note_change_within(&mut self, id: BodyId) {
        if self.stepping.is_some()
            && let Some(body) = self.body(id)
        {
            let velocity = velocity_of(body);
            self.changed_within.entry(id).or_insert(velocity);
        }
    }

    /// The bodies of which anything may have changed since this was asked before, by steps or by the caller, in the order of their slots: of
    /// all others, place, velocities and sleep are to the bit what they were. Those that were taken out are not among them. O(n log n) in
    /// those that have changed.
    ///
    /// ```
    /// # use ccd_core::dynamics::{BodyDefinition, BodyKind};
    /// # use ccd_core::math::{Pose, Vector};
    /// # use ccd_core::shape::Shape;
    /// # use ccd_core::world::{World, WorldSettings};
    /// # let mut world = World::new(WorldSettings::default()).unwrap();
    /// # let shape = Shape::ball(0.5).unwrap();
    /// let [falls, stands] = [BodyKind::Dynamic, BodyKind::Static].map(|kind| {
    ///     let x = if kind == BodyKind::Static { 5.0 } else { 0.0 };
    ///     world.add_body(BodyDefinition::new(kind, shape.clone(), Pose::translation(x, 0.0, 0.0))).unwrap()
    /// });
    /// assert_eq!(world.take_changed(), [falls, stands]);
    /// world.step(1.0 / 60.0).unwrap();
    /// assert_eq!(world.take_changed(), [falls]);
    /// assert_eq!(world.take_changed(), []);
    /// ```
    pub fn take_changed(&mut self) -> Vec<BodyId> {
        let mut slots = std::mem::take(&mut self.changed);
        slots.sort_unstable();
        let mut ids = Vec::with_capacity(slots.len());
        for index in slots {
            let slot = &mut self.slots[index as usize];
            slot.is_noted = false;
            if slot.body.is_some() {
                ids.push(BodyId { index, generation: slot.generation });
            }
        }
        ids
    }

    /// The step of `dt` in which nothing happens, if the next one is such.
    pub(super) fn idle_step(&self, dt: Real) -> Option<Stepping> {
        let report = self.idle.as_deref().filter(|report| report.dt == dt)?;
        Some(Stepping::idle(report.clone()))
    }

    /// Ends a step in which nothing has happened.
    pub(super) fn finish_idle(&mut self, stepping: Stepping) -> StepReport {
        self.time += stepping.dt;
        stepping.report
    }
}

impl StepReport {
    /// What a step told, without the times that it took, for the next one to tell.
    pub(super) fn for_another(&self) -> Box<Self> {
        Box::new(Self { phases: Default::default(), ..self.clone() })
    }
}

impl Stepping {
    /// Whether the step tells of nothing that has happened in it, and leaves nothing to be done.
    pub(super) fn is_uneventful(&self) -> bool {
        let report = &self.report;
        let who = [&report.held, &report.crushed, &report.quarantined];
        who.into_iter().all(Vec::is_empty)
            && [&report.started, &report.ended].into_iter().all(Vec::is_empty)
            && report.separated.is_empty()
            && report.impacts.is_empty()
            && self.uncertified.is_empty()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]
mod tests {
    use super::*;
    use crate::dynamics::{BodyDefinition, BodyKind};
    use crate::math::{Pose, Vector};
    use crate::shape::Shape;
    use crate::world::WorldSettings;

    const DT: Real = 1.0 / 60.0;

    fn cube(kind: BodyKind, x: Real, y: Real) -> BodyDefinition {
        BodyDefinition::new(kind, Shape::cuboid([0.5; 3]).unwrap(), Pose::translation(x, y, 0.0))
    }

    /// Stacks of cubes on the ground, one of them within a sensor, and a kinematic cube that waits; the sensor, the kinematic one and the first
    /// cube.
    fn stacks() -> (World, [BodyId; 3]) {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let ground = Shape::half_space(Vector::y()).unwrap();
        world.add_body(BodyDefinition::new(BodyKind::Static, ground, Pose::identity())).unwrap();
        let sensor = BodyDefinition { sensor: true, ..cube(BodyKind::Static, 0.3, 0.6) };
        let sensor = world.add_body(sensor).unwrap();
        let waits = world.add_body(cube(BodyKind::Kinematic, -3.0, 0.6)).unwrap();
        let of = |x: Real, y: Real| cube(BodyKind::Dynamic, x, 0.5001 + 1.0001 * y);
        let cubes = [(0.0, 0.0), (0.0, 1.0), (4.0, 0.0), (4.0, 1.0), (4.0, 2.0)];
        let cubes = cubes.map(|(x, y)| world.add_body(of(x, y)).unwrap());
        (world, [sensor, waits, cubes[0]])
    }

    /// The same after all have come to rest, and a step in which nothing has changed.
    fn idle() -> (World, [BodyId; 3]) {
        let (mut world, bodies) = stacks();
        for _ in 0..120 {
            world.step(DT).unwrap();
        }
        assert!(world.idle.is_some(), "nothing has happened in the last step");
        (world, bodies)
    }

    fn told(report: StepReport) -> StepReport {
        StepReport { phases: Default::default(), ..report }
    }

    /// All that the step goes by, and all that a caller sees.
    fn state(world: &World) -> String {
        let bodies: Vec<_> = world.bodies().collect();
        let contacts: Vec<_> = world.contacts().map(|(key, c)| (key, &c.points, &c.impulses, c.touching)).collect();
        format!("{} {bodies:?} {contacts:?}", world.time)
    }

    #[test]
    fn a_step_in_which_nothing_happens_tells_and_leaves_what_the_whole_step_does() {
        let (mut world, [_, _, cube]) = idle();
        let mut whole = world.clone();
        for step in 0..200 {
            whole.idle = None;
            if step == 100 {
                for world in [&mut world, &mut whole] {
                    world.set_velocity(cube, Vector::new(0.0, 2.0, 3.0), Vector::x()).unwrap();
                }
            }
            let (one, other) = (world.step(DT).unwrap(), whole.step(DT).unwrap());
            assert_eq!(told(one), told(other), "step {step}");
            assert!(step >= 100 || world.idle.is_some());
            // For how long they have been calm is of no meaning beyond what counts as that.
            for (one, other) in world.slots.iter_mut().zip(&whole.slots) {
                if let (Some(one), Some(other)) = (&mut one.body, &other.body)
                    && one.is_calm()
                    && other.is_calm()
                {
                    one.calm = other.calm;
                }
            }
            assert_eq!(state(&world), state(&whole), "step {step}");
        }
    }

    #[test]
    fn whatever_the_caller_changes_is_no_step_in_which_nothing_happens() {
        let (world, [sensor, waits, cube]) = idle();
        let changes = [
            "another length",
            "settings",
            "a new body",
            "a body less",
            "a velocity",
            "a place",
            "a material",
            "one that wakes",
            "all that wake",
            "one that is put to sleep",
        ];
        for what in changes {
            let mut world = world.clone();
            assert!(world.idle_step(DT).is_some());
            match what {
                "settings" => {
                    let settings = WorldSettings { gravity: Vector::x(), ..world.settings().clone() };
                    world.set_settings(settings).unwrap();
                }
                "a new body" => _ = world.add_body(self::cube(BodyKind::Dynamic, 9.0, 3.0)).unwrap(),
                "a body less" => assert!(world.remove_body(sensor).is_some()),
                "a velocity" => assert!(world.set_velocity(waits, Vector::x(), Vector::zeros()).unwrap()),
                "a place" => assert!(world.set_pose(waits, Pose::translation(-3.0, 4.0, 0.0)).unwrap()),
                "a material" => world.body_mut(cube).unwrap().material.friction = 0.1,
                "one that wakes" => world.wake(cube),
                "all that wake" => world.wake_all(),
                "one that is put to sleep" => world.put_to_sleep(cube),
                _ => (),
            }
            let dt = if what == "another length" { 0.5 * DT } else { DT };
            assert!(world.idle_step(dt).is_none(), "{what}");
        }
    }

    #[test]
    fn a_step_of_another_length_is_made_and_so_is_the_next_of_the_former_length() {
        let (mut world, _) = idle();
        let mut whole = world.clone();
        for (k, dt) in [0.5 * DT, DT, DT, 0.5 * DT, 0.5 * DT, DT].into_iter().enumerate() {
            assert!(k == 2 || k == 4 || world.idle_step(dt).is_none(), "step {k}");
            whole.idle = None;
            assert_eq!(told(world.step(dt).unwrap()), told(whole.step(dt).unwrap()), "step {k}");
        }
        let impulses = |world: &World| format!("{:?}", world.contacts().map(|(_, c)| &c.impulses).collect::<Vec<_>>());
        assert_eq!(impulses(&world), impulses(&whole));
    }

    #[test]
    fn who_is_not_told_to_have_changed_is_to_the_bit_what_it_was() {
        let (mut world, [sensor, waits, cube]) = stacks();
        let seen = |world: &World| -> Vec<_> {
            let see = |(id, body): (BodyId, &crate::dynamics::Body)| {
                (id, (*body.pose(), *body.linear_velocity(), *body.angular_velocity(), body.is_asleep()))
            };
            world.bodies().map(see).collect()
        };
        assert_eq!(world.take_changed().len(), world.bodies().count());
        let mut most = 0;
        for step in 0..400 {
            let before = seen(&world);
            match step {
                150 => assert!(world.set_velocity(waits, Vector::x(), Vector::zeros()).unwrap()),
                250 => world.wake(cube),
                300 => assert!(world.remove_body(sensor).is_some()),
                _ => (),
            }
            world.step(DT).unwrap();
            let (changed, after) = (world.take_changed(), seen(&world));
            assert!(changed.is_sorted());
            most = most.max(changed.len());
            for (id, now) in after {
                let was = before.iter().find(|(other, _)| *other == id).unwrap().1;
                assert!(now == was || changed.contains(&id), "step {step}: {id}");
            }
            if step == 140 {
                assert_eq!(changed, [], "all sleep");
            }
        }
        assert!(most >= 5, "{most}");
    }
}
