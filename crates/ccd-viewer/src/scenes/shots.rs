//! The count of a shooting scene: who has met the target, who has passed it, who is still on the way.

use std::collections::BTreeMap;

use bevy_ccd::convert::{from_point, from_vector};
use ccd_core::id::BodyId;
use ccd_core::math::{Point, Vector};
use ccd_core::volume::Aabb;
use ccd_core::world::{StepReport, World as ContactWorld};

use crate::camera::View;
use crate::stage::StageExtent;

/// What has become of a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It has met nothing and has not passed the target.
    Flying,
    /// It has met something.
    Hit,
    /// It has passed the target without meeting anything.
    Through,
}

/// How many shots have met which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// See [`Fate::Flying`].
    pub flying: usize,
    /// See [`Fate::Hit`].
    pub hit: usize,
    /// See [`Fate::Through`].
    pub through: usize,
}

/// The shots of a scene and the target that they fly at.
#[derive(Clone, Debug, PartialEq)]
pub struct Shots {
    /// When each shot first met something, seconds; infinite until it does.
    first_impacts: BTreeMap<BodyId, f64>,
    /// A point behind the target, and the direction of fire.
    behind: (Point, Vector),
    target: Aabb,
}

impl Shots {
    /// The shots among `names` (body and name), if the scene is a shooting: bodies called `bullet…` in flight, and
    /// whatever bounded bodies are none.
    pub fn of<'a>(world: &ContactWorld, names: impl IntoIterator<Item = (BodyId, &'a str)>) -> Option<Self> {
        let mut first_impacts = BTreeMap::new();
        let mut target = Aabb::EMPTY;
        let mut fire = Vector::zeros();
        for (id, name) in names {
            let Some(body) = world.body(id) else { continue };
            if name.starts_with("bullet") {
                fire += body.linear_velocity();
                first_impacts.insert(id, f64::INFINITY);
            } else if body.shape().is_bounded() {
                target = target.merged(&body.shape().as_solid().local_aabb().transformed(body.pose()));
            }
        }
        let direction = fire.try_normalize(1e-9)?;
        let half = target.half_extents();
        if !(half.x >= 0.0 && half.norm().is_finite()) {
            return None;
        }
        let depth = half.dot(&direction.abs());
        Some(Self { first_impacts, behind: (target.centre() + direction * depth, direction), target })
    }

    /// The target with room for the shots before it, as the scene that is looked at: they may come from far away.
    pub fn extent(&self, ground: Option<f32>) -> StageExtent {
        let radius = 1.2 * self.target.half_extents().norm() as f32;
        StageExtent { centre: from_point(&self.target.centre()), radius, ground }
    }

    /// The view of the target from where the shots come from, and from beside them.
    pub fn view(&self) -> View {
        const BESIDE: f32 = 0.65;
        let from = -from_vector(&self.behind.1);
        let whole = View::of_whole(&self.extent(None));
        if from.x.hypot(from.z) > 0.2 { View { yaw: from.x.atan2(from.z) + BESIDE, ..whole } } else { whole }
    }

    /// Takes note of a step that began at `start` seconds.
    pub fn note(&mut self, start: f64, report: &StepReport) {
        for impact in &report.impacts {
            for id in [impact.pair.a, impact.pair.b] {
                if let Some(first) = self.first_impacts.get_mut(&id) {
                    *first = first.min(start + impact.time);
                }
            }
        }
    }

    /// Forgets what came after `time`, seconds.
    pub fn forget_after(&mut self, time: f64) {
        self.first_impacts.values_mut().filter(|first| **first > time).for_each(|first| *first = f64::INFINITY);
    }

    /// What has become of a shot that is at `place` at `time`; `None` for a body that is no shot.
    pub fn fate(&self, id: BodyId, time: f64, place: &Point) -> Option<Fate> {
        let first = *self.first_impacts.get(&id)?;
        let (behind, direction) = &self.behind;
        Some(if first <= time {
            Fate::Hit
        } else if (place - behind).dot(direction) > 0.0 {
            Fate::Through
        } else {
            Fate::Flying
        })
    }
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, fate: Fate) {
        match fate {
            Fate::Flying => self.flying += 1,
            Fate::Hit => self.hit += 1,
            Fate::Through => self.through += 1,
        }
    }
}
