//! How a moved shape walks: stairs, slopes and the ground.

use std::f32::consts::FRAC_PI_4;

use bevy::prelude::*;
use ccd_core::world::{Autostep, Ground, Walk};

use crate::convert::{from_point, from_vector, to_vector};
use crate::world::CcdWorld;

/// How a shape walks that [`MoveAndSlide`](crate::MoveAndSlide) moves. By default as a person does: slopes of 45°, steps of 0.3 m, and no hopping
/// downstairs.
///
/// ```
/// # use bevy_ccd::prelude::*;
/// let walk = CharacterWalk { max_slope_climb_angle: 50_f32.to_radians(), ..CharacterWalk::default() };
/// let config = MoveAndSlideConfig { walk: Some(walk), ..MoveAndSlideConfig::default() };
/// # assert!(config.walk.is_some());
/// ```
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct CharacterWalk {
    /// Against gravity.
    pub up: Dir3,
    /// How steep the ground may be, radians from the level, from zero to below π/2. Steeper ground is not gone up, as if it were an upright wall,
    /// and slid down. On ground that is not steeper, what falls does not slide: it stands where it is.
    pub max_slope_climb_angle: f32,
    /// Which steps it climbs; none of `None`.
    pub autostep: Option<CharacterAutostep>,
    /// How far below it the ground may be at the end of a move, metres, for it to be set down there: who walks down a slope or stairs does not fly off.
    /// Only for what stands at the start, and does not jump.
    pub snap_to_ground: Option<f32>,
    /// Whether what it stands on carries it along: a lift, a turntable, a raft, a conveyor belt. It goes where that went over the last step, and is not turned:
    /// [`CharacterGround::angular_velocity`] says by how much it would be. While the world stands, for its [`CcdClock`](crate::CcdClock) is paused or it
    /// refuses to step, nothing carries it.
    pub rides: bool,
}

impl Default for CharacterWalk {
    fn default() -> Self {
        Self {
            up: Dir3::Y,
            max_slope_climb_angle: FRAC_PI_4,
            autostep: Some(CharacterAutostep::default()),
            snap_to_ground: Some(0.3),
            rides: true,
        }
    }
}

/// Which steps a character climbs.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct CharacterAutostep {
    /// How high above the ground on which it stands, metres. A round foot rides over low edges by itself: over those that it meets with a
    /// normal that is no steeper than [`CharacterWalk::max_slope_climb_angle`].
    pub max_height: f32,
    /// How far it must be free to go on upon the step, metres.
    pub min_width: f32,
    /// Whether it steps onto dynamic bodies as well.
    pub include_dynamic_bodies: bool,
}

impl Default for CharacterAutostep {
    fn default() -> Self {
        Self { max_height: 0.3, min_width: 0.1, include_dynamic_bodies: true }
    }
}

/// The ground that a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterGround {
    /// Which body.
    pub entity: Entity,
    /// Whose collider: the body's own, or a child's.
    pub collider: Entity,
    /// Where, world.
    pub point: Vec3,
    /// Of the surface there, unit, world: of the tread, where it stands on the edge of a step.
    pub normal: Vec3,
    /// With what velocity the surface of the ground went there over the last step, m/s, world: who jumps off may take it along.
    pub velocity: Vec3,
    /// With what angular velocity it turned, rad/s, world.
    pub angular_velocity: Vec3,
}

impl CharacterWalk {
    pub(super) fn to_core(self) -> Walk {
        Walk {
            up: to_vector(self.up.as_vec3()),
            max_slope: self.max_slope_climb_angle.into(),
            autostep: self.autostep.map(|step| Autostep {
                max_height: step.max_height.into(),
                min_width: step.min_width.into(),
                onto_dynamic: step.include_dynamic_bodies,
            }),
            snap: self.snap_to_ground.map(f64::from),
            rides: self.rides,
        }
    }
}

impl CharacterGround {
    pub(super) fn of(ground: &Ground, world: &CcdWorld) -> Option<Self> {
        Some(Self {
            entity: world.entity(ground.body)?,
            collider: world.collider(ground.body, ground.contact.features.b)?,
            point: from_point(&ground.point),
            normal: from_vector(&ground.normal),
            velocity: from_vector(&ground.velocity),
            angular_velocity: from_vector(&ground.angular_velocity),
        })
    }
}
