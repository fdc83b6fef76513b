//! Between the ECS and the core's world.
//!
//! The core's `f64` state is the truth. Components show a copy rounded to `f32`; each body remembers the copy it was last
//! shown as, and only a component that differs from it was changed by somebody else and is taken over. So rounding never
//! moves a body, and no change is lost, whichever system made it and when. Only bodies are compared of which the engine tells that anything
//! was written since ([`signs`]), and only those are shown anew that this or the core's world has changed: what rests costs next to
//! nothing.

mod carriers;
mod from_core;
mod groups;
mod into_core;
mod membership;
mod parking;
mod parts;
mod placement;
mod restored;
mod shown;
mod signs;
mod spec;

pub(crate) use carriers::carry_children;
pub(crate) use from_core::{gather_changed, write_child_poses, write_root_poses, write_sleep, write_velocities};
pub(crate) use groups::group_bodies;
pub(crate) use into_core::take_changes;
pub(crate) use membership::{add_bodies, drop_bodies};
pub(crate) use placement::{Placement, shown_at};
pub(crate) use restored::{follow_restored, is_restored};

use std::sync::Arc;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use ccd_core::id::BodyId;
use ccd_core::math::Pose;

use crate::events::CollisionEventsEnabled;
use crate::problem::Reason;
use crate::world::CcdWorld;
use shown::Shown;
use signs::Seen;
use spec::BodySpec;

/// The body that stands for an entity in the world. Added and removed by the plugin.
#[derive(Component, Debug)]
#[component(on_remove = forget_body)]
pub struct CcdBody {
    id: BodyId,
    /// What the body was made from.
    spec: BodySpec,
    /// The number of that.
    making: u64,
    /// Whose components that was, when it was last looked at.
    seen: Seen,
    /// What it was last refused to become, and why, as was told.
    refused: Option<(BodySpec, Reason)>,
    /// Why the linear and the angular velocity that were last written were refused, as was told.
    refused_velocities: [Option<Reason>; 2],
    /// Whose collider each part of its shape is.
    owners: Arc<[Entity]>,
    shown: Shown,
    /// What the entity's parents and its own scale did to its shape when it last had a place.
    stretch: Mat3,
    /// Why the place of its entity was last refused, as it was told.
    misplaced: Option<Reason>,
    /// Which of its colliders it is without, as was told.
    faults: Vec<Reason>,
    /// Whether it is a hollow sheet that may be meant for a solid, as was told.
    has_gaps: bool,
    /// Whether the state was put back and its transform does not show it yet.
    is_put_back: bool,
    /// Whether its entity had a [`Sleeping`](crate::Sleeping) when that was last written or read.
    sleeps: bool,
    /// Whether the game has put it to sleep, and no step has been made since.
    is_tired: bool,
    /// Where it is by the game's own writing, of which its transform keeps the digits.
    put: Option<Pose>,
    /// After how many steps the game has last moved it to where it comes to be in the next one.
    due: Option<u64>,
}

impl CcdBody {
    /// Its name in [`CcdWorld::core`].
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// The entities whose colliders it is made of: its own, and children that have a collider and no [`RigidBody`]. A body of
    /// several has one entry for each part of its compound, in their order.
    ///
    /// [`RigidBody`]: crate::RigidBody
    pub fn colliders(&self) -> &[Entity] {
        &self.owners
    }

    /// A number that tells what it is made of from what any other body was ever made of.
    pub(crate) fn making(&self) -> u64 {
        self.making
    }

    /// Whether the game has moved it, and no step has taken it there yet.
    fn is_due(&self, world: &CcdWorld) -> bool {
        self.due == Some(world.steps())
    }

    /// For its entity was given a [`Sleeping`](crate::Sleeping).
    fn put_to_sleep(&mut self, world: &mut CcdWorld) {
        world.core.put_to_sleep(self.id);
        (self.sleeps, self.is_tired) = (true, true);
    }

    /// Whether its entity's parents shear its shape.
    fn is_sheared(&self) -> bool {
        let Mat3 { x_axis, y_axis, z_axis } = self.stretch;
        Mat3::from_diagonal(Vec3::new(x_axis.x, y_axis.y, z_axis.z)) != self.stretch
    }

    pub(crate) fn shown_transform(&self) -> &Transform {
        &self.shown.transform
    }
}

fn forget_body(mut world: DeferredWorld, context: HookContext) {
    // Asked now, for it may go with the entity.
    let wants_to_know = world.get::<CollisionEventsEnabled>(context.entity).is_some();
    if let Some(mut ccd) = world.get_resource_mut::<CcdWorld>() {
        ccd.forget(context.entity, wants_to_know);
    }
}
