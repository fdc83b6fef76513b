//! The order of the plugin's work.

use bevy::app::FixedMainScheduleOrder;
use bevy::ecs::schedule::InternedScheduleLabel;
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
pub(crate) struct CcdSchedule {
    pub label: InternedScheduleLabel,
    /// Whether what goes with the fixed clock was added.
    has_fixed_clock: bool,
}

/// Whether the schedule has turned out, since this was last asked, to be one that the engine's fixed clock runs.
pub(crate) fn becomes_fixed(world: &mut World) -> bool {
    let Some(CcdSchedule { label, has_fixed_clock }) = world.get_resource::<CcdSchedule>().copied() else {
        return false;
    };
    let is_fixed = world.get_resource::<FixedMainScheduleOrder>().is_some_and(|fixed| fixed.labels.contains(&label));
    if is_fixed && !has_fixed_clock {
        world.insert_resource(CcdSchedule { label, has_fixed_clock: true });
    }
    is_fixed && !has_fixed_clock
}

/// Chains the sets.
pub(crate) fn configure(app: &mut App, schedule: InternedScheduleLabel) {
    app.insert_resource(CcdSchedule { label: schedule, has_fixed_clock: false });
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
