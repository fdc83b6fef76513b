//! What can be set for the whole world.

use bevy::prelude::*;
use ccd_core::contact::ReductionMethod;
use ccd_core::detection::toc::Method;
use ccd_core::dynamics::Integrator;
use ccd_core::math::Vector;
use ccd_core::world::{BroadPhaseMethod, InitialOverlap, ResponseMethod, SettingsError, WorldSettings};

use crate::convert::{from_vector, to_vector};
use crate::reflected::{BroadPhase, Detection, Integration, Overlap, Reduction, Response};

/// The acceleration of all bodies by gravity, m/s²; each body's share is its [`GravityScale`](crate::GravityScale).
///
/// The world takes it over where it is changed. A state that is put to the world ([`CcdWorld::restore`](crate::CcdWorld::restore)) and whose
/// gravity is this one but for rounding to `f32` keeps its own digits.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq, Deref, DerefMut)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct Gravity(pub Vec3);

impl Gravity {
    /// None.
    pub const ZERO: Self = Self(Vec3::ZERO);
}

impl Default for Gravity {
    fn default() -> Self {
        Self(Vec3::new(0.0, -9.81, 0.0))
    }
}

/// The settings of the world, taken over at each step; all may be changed while it runs.
///
/// A value that no world can have is refused with a [`CcdProblem`](crate::CcdProblem), and the old one stays in force: of the tolerance and the contact
/// threshold both, for one bounds the other. All are reflected,
/// the methods as choices.
#[derive(Resource, Reflect, Clone, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct CcdSettings {
    /// ε: the distance at which bodies count as touching, metres, positive.
    pub tolerance: f64,
    /// The distance within which features become contacts, metres, at least the tolerance. Where gravity moves things further within a
    /// step, it is 0.35·g·Δt² instead, up to five times this.
    pub contact_threshold: f64,
    /// The restitution of bodies without a [`Restitution`](crate::Restitution).
    pub default_restitution: f32,
    /// The friction of bodies without a [`Friction`](crate::Friction).
    pub default_friction: f32,
    /// The rolling resistance of bodies without a [`RollingResistance`](crate::RollingResistance), metres.
    pub default_rolling_resistance: f32,
    /// How many impacts one body may have in one step before it is held for the rest of it.
    pub max_impacts_per_body: u32,
    /// Whether bodies that have come to rest are left as they are until something concerns them.
    pub sleeping: bool,
    /// Whether pairs are detected and islands solved on several threads (feature `parallel`); the outcome is the same to the last bit.
    pub parallel: bool,
    /// How times of contact are found.
    #[reflect(remote = Detection)]
    pub detection: Method,
    /// How contacts are resolved.
    #[reflect(remote = Response)]
    pub response: ResponseMethod,
    /// How forces change velocities.
    #[reflect(remote = Integration)]
    pub integrator: Integrator,
    /// How candidate pairs are found.
    #[reflect(remote = BroadPhase)]
    pub broad_phase: BroadPhaseMethod,
    /// How contacts are thinned out.
    #[reflect(remote = Reduction)]
    pub reduction: ReductionMethod,
    /// What to do with bodies that overlap when they are spawned or teleported, or when they begin to meet each other by other layers: by
    /// default they are moved apart without gaining velocity, and a [`CcdProblem`](crate::CcdProblem) names them. Where no room is found
    /// the world stands, and that is told.
    #[reflect(remote = Overlap)]
    pub initial_overlap: InitialOverlap,
}

impl Default for CcdSettings {
    fn default() -> Self {
        let world = WorldSettings::default();
        let material = ccd_core::dynamics::Material::default();
        Self {
            tolerance: world.tolerance,
            contact_threshold: world.contact_threshold,
            default_restitution: material.restitution as f32,
            default_friction: material.friction as f32,
            default_rolling_resistance: material.rolling_resistance as f32,
            max_impacts_per_body: world.max_impacts_per_body,
            sleeping: world.sleeping,
            parallel: true,
            detection: world.detection,
            response: world.response,
            integrator: world.integrator,
            broad_phase: world.broad_phase,
            reduction: world.reduction,
            // A game goes on where a case file is refused.
            initial_overlap: InitialOverlap::Separate,
        }
    }
}

impl CcdSettings {
    /// What the core's world is given.
    #[allow(clippy::needless_update, reason = "a setting that only the core has keeps its default")]
    pub fn to_world_settings(&self, gravity: &Gravity) -> WorldSettings {
        WorldSettings {
            gravity: to_vector(gravity.0),
            tolerance: self.tolerance,
            contact_threshold: self.contact_threshold,
            detection: self.detection,
            response: self.response,
            integrator: self.integrator,
            broad_phase: self.broad_phase,
            reduction: self.reduction,
            initial_overlap: self.initial_overlap,
            max_impacts_per_body: self.max_impacts_per_body,
            sleeping: self.sleeping,
            parallel: self.parallel && cfg!(feature = "parallel"),
            ..WorldSettings::default()
        }
    }

    /// The same with all digits of the gravity that is `exact`, if that is what the resource shows rounded to `f32`: what nobody has changed
    /// is not rounded either.
    pub(crate) fn to_world_settings_from(&self, gravity: &Gravity, exact: Option<&Vector>) -> WorldSettings {
        let wanted = self.to_world_settings(gravity);
        let unchanged = exact.filter(|exact| from_vector(exact) == gravity.0);
        WorldSettings { gravity: unchanged.copied().unwrap_or(wanted.gravity), ..wanted }
    }
}

/// Of the wanted settings those that a world can have, of the others those that are in force; and why the lengths and the gravity are refused, if
/// they are.
pub(crate) fn possible_of(
    wanted: WorldSettings,
    in_force: &WorldSettings,
) -> (WorldSettings, [Option<SettingsError>; 2]) {
    let WorldSettings { tolerance, contact_threshold, gravity, .. } = *in_force;
    let with_lengths = WorldSettings { gravity, ..wanted.clone() };
    let with_gravity = WorldSettings { tolerance, contact_threshold, ..wanted.clone() };
    let refused = [with_lengths, with_gravity].map(|settings| settings.validate().err());
    let mut possible = wanted;
    if refused[0].is_some() {
        (possible.tolerance, possible.contact_threshold) = (tolerance, contact_threshold);
    }
    if refused[1].is_some() {
        possible.gravity = gravity;
    }
    (possible, refused)
}
