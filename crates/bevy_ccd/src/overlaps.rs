//! Who overlapped, told once of each body.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use ccd_core::world::StepReport;

use crate::problem::{CcdProblemCause, Problems};
use crate::world::CcdWorld;

/// Who has overlapped nobody for so many steps, about a second, is told of anew.
const FORGOTTEN: u64 = 60;

/// The entities whose bodies were told to overlap, with the step in which they last did.
#[derive(Default)]
pub(crate) struct Overlapping(EntityHashMap<u64>);

impl Overlapping {
    /// Tells of those that were moved apart in the last step, the deepest pair first: not of two that both were named, now or in the steps
    /// before. So there are no more messages than bodies, however many lie in one place, and for however long.
    pub fn tell(&mut self, world: &CcdWorld, report: &StepReport, problems: &mut Problems) {
        let now = world.steps();
        self.0.retain(|_, last| now - *last < FORGOTTEN);
        let mut separated: Vec<_> = report.separated.iter().collect();
        separated.sort_by(|one, other| other.depth.total_cmp(&one.depth));
        for overlap in separated {
            let Some((a, b)) = world.entities(overlap.pair) else { continue };
            let known = [a, b].map(|entity| self.0.insert(entity, now).is_some());
            if known.contains(&false) {
                problems.tell(a, CcdProblemCause::Overlap { other: b, depth: overlap.depth });
            }
        }
    }
}
