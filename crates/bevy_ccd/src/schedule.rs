//! The order of the plugin's work.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use bevy::transform::TransformSystems;

/// The phases of a step, in this order, one after the other; before transforms are propagated where the schedule does that.
///
/// A game's own systems go before [`CcdSystems::Sync`] to act on bodies (set velocities, teleport, spawn), and after
/// [`CcdSystems::Writeback`] to read where they went.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # fn steer() {}
/// # fn aim() {}
/// # let mut app = App::new();
/// app.add_systems(FixedPostUpdate, (steer.before(CcdSystems::Sync), aim.after(CcdSystems::Writeback)));
/// ```
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CcdSystems {
    /// Colliders are built, and what has changed in the ECS goes into the world: new bodies, teleports, velocities, materials.
    Sync,
    /// Motions are predicted, and pairs found whose swept volumes overlap.
    BroadPhase,
    /// Contacts of those pairs, and landings expected within the step.
    NarrowPhase,
    /// Impulses, and the motion that they leave; nothing passes through anything.
    Response,
    /// Poses, velocities, events and diagnostics go into the ECS.
    Writeback,
}

/// The schedule the sets were put in.
#[derive(Resource, Clone, Copy, Debug)]
pub(crate) struct CcdSchedule(pub InternedScheduleLabel);

impl CcdSchedule {
    /// Whether the schedule is run by the engine's fixed clock.
    pub fn is_fixed(self) -> bool {
        [
            FixedFirst.intern(),
            FixedPreUpdate.intern(),
            FixedUpdate.intern(),
            FixedPostUpdate.intern(),
            FixedLast.intern(),
        ]
        .contains(&self.0)
    }
}

/// Chains the sets.
pub(crate) fn configure(app: &mut App, schedule: InternedScheduleLabel) {
    app.insert_resource(CcdSchedule(schedule));
    app.configure_sets(
        schedule,
        (
            CcdSystems::Sync,
            CcdSystems::BroadPhase,
            CcdSystems::NarrowPhase,
            CcdSystems::Response,
            CcdSystems::Writeback,
        )
            .chain()
            .before(TransformSystems::Propagate),
    );
}
