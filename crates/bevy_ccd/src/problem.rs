//! What went wrong, as a message that names the entity.

use std::fmt;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use ccd_core::dynamics::BodyError;
use ccd_core::world::{SettingsError, StepError};

use crate::collider::ColliderError;
use crate::query::SpatialQueryError;

/// Something that was refused, was done differently from what was asked, or does nothing. Each is also logged as a warning.
///
/// Nothing here stops the game: a body that cannot be is left out, and so is one of several colliders of a body; a change that cannot be is
/// not made, a step that cannot be is not stepped. A refusal is told once per reason, with whatever numbers, until a change is accepted; an overlap
/// that lasts is told when it begins.
#[derive(Message, Clone, Debug)]
pub struct CcdProblem {
    /// Whom it concerns; `None` where it concerns the whole world.
    pub entity: Option<Entity>,
    /// What is wrong.
    pub cause: CcdProblemCause,
}

/// What can go wrong.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CcdProblemCause {
    /// The collider cannot be built.
    #[error("the collider cannot be used: {0}")]
    Collider(#[from] ColliderError),
    /// The collider of a child cannot be part of the body.
    #[error("the collider of its child {child} cannot be used: {why}")]
    Child {
        /// The child.
        child: Entity,
        /// Why not.
        why: String,
    },
    /// The body cannot be, or cannot be changed so.
    #[error("the body cannot be so: {0}")]
    Body(#[from] BodyError),
    /// The transform holds a number that is not finite, a scale of zero, or a rotation that is none.
    #[error("the transform is no placement of a body: {0}")]
    Transform(String),
    /// The body overlapped another when it was spawned or teleported, or began to meet it, and was moved out. Where many overlap at once each body is
    /// named with the one that it overlaps most. A static body that comes to overlap others as it is moved step after step is better
    /// [`RigidBody::Kinematic`](crate::RigidBody::Kinematic), which pushes them.
    #[error("overlapped {other} by {depth} m and was moved apart")]
    Overlap {
        /// The other body.
        other: Entity,
        /// The least translation that separated them, metres.
        depth: f64,
    },
    /// A dynamic body has a mesh with gaps, and neither a [`Mass`](crate::Mass) nor a [`ColliderDensity`](crate::ColliderDensity) that were
    /// meant for one: a hollow sheet has no volume to weigh.
    #[error(
        "its mesh is not closed, and so it is a hollow sheet of {density} kg/m²; say Mass or ColliderDensity if it is meant so, and TrimeshFromChildren if it is one \
         of several that are closed together"
    )]
    OpenMesh {
        /// The density that a body has by default, per area, kg/m².
        density: f32,
    },
    /// A component does nothing where it is: told when it is added, not when what it needs is taken away later.
    #[error("{component} does nothing: {why}")]
    NoEffect {
        /// Its name.
        component: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// A [`RayCaster`](crate::RayCaster) has no answer.
    #[error("the ray caster has no answer: {0}")]
    RayCaster(SpatialQueryError),
    /// A [`ShapeCaster`](crate::ShapeCaster) has no answer.
    #[error("the shape caster has no answer: {0}")]
    ShapeCaster(SpatialQueryError),
    /// The body's velocity had grown beyond what numbers hold, and it was stopped.
    #[error("was stopped, for its velocity had grown beyond what numbers hold")]
    Quarantined,
    /// The settings are refused; the old ones stay in force.
    #[error("the settings are refused: {0}")]
    Settings(#[from] SettingsError),
    /// The world could not step, and stands as it was.
    #[error("the world did not step: {0}")]
    Step(#[from] StepError),
}

impl CcdProblemCause {
    /// What is wrong, whichever numbers make it so: what is refused for another number again is refused for the same reason.
    pub(crate) fn reason(&self) -> Reason {
        let child = match self {
            Self::Child { child, .. } => Some(*child),
            _ => None,
        };
        let text = self.to_string();
        let is_number =
            |word: &&str| word.contains(|c: char| c.is_ascii_digit()) || ["NaN", "inf", "-inf"].contains(word);
        let words = text.split([' ', ',', ':', '[', ']', '(', ')']).filter(|word| !is_number(word));
        Reason { child, words: words.map(str::to_owned).collect() }
    }
}

/// What a problem says without its numbers, and of which child it says it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reason {
    child: Option<Entity>,
    words: Vec<String>,
}

/// Tells of what is refused for another reason than that which was `told` last.
pub(crate) fn tell_new(
    told: &mut Option<Reason>,
    cause: CcdProblemCause,
    entity: impl Into<Option<Entity>>,
    problems: &mut Problems,
) {
    let why = Some(cause.reason());
    if *told != why {
        problems.tell(entity, cause);
    }
    *told = why;
}

impl fmt::Display for CcdProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entity {
            Some(entity) => write!(f, "entity {entity}: {}", self.cause),
            None => self.cause.fmt(f),
        }
    }
}

/// Where systems tell their problems.
#[derive(SystemParam)]
pub(crate) struct Problems<'w, 's> {
    writer: MessageWriter<'w, CcdProblem>,
    names: Query<'w, 's, &'static Name>,
}

impl Problems<'_, '_> {
    /// Logs it and writes the message.
    pub fn tell(&mut self, entity: impl Into<Option<Entity>>, cause: impl Into<CcdProblemCause>) {
        let problem = CcdProblem { entity: entity.into(), cause: cause.into() };
        match problem.entity.and_then(|entity| self.names.get(entity).ok()) {
            Some(name) => warn!("“{name}”, {problem}"),
            None => warn!("{problem}"),
        }
        self.writer.write(problem);
    }
}
