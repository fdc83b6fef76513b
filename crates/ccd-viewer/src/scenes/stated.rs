//! What a scene states beside its world: names, and which surfaces are the bodies' own.

use ccd_core::io::case::Case;
use ccd_core::math::Real;

/// What a scene states of its world.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// The length of a step, seconds.
    pub dt: Real,
    /// Of bodies that state none.
    pub friction: Real,
    /// Of bodies that state none.
    pub restitution: Real,
    /// In the order of the world's bodies.
    pub bodies: Vec<StatedBody>,
}

/// What a scene states of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatedBody {
    /// What it is called.
    pub name: String,
    /// Its own, if it has one.
    pub friction: Option<Real>,
    /// Its own, if it has one.
    pub restitution: Option<Real>,
}

impl Stated {
    /// What a case states.
    pub fn of(case: &Case) -> Self {
        let bodies = case.bodies.iter().map(|body| StatedBody {
            name: body.name.clone(),
            friction: body.friction,
            restitution: body.restitution,
        });
        Self {
            dt: case.world.dt,
            friction: case.world.friction,
            restitution: case.world.restitution,
            bodies: bodies.collect(),
        }
    }
}
