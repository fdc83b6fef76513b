//! What a body's surface does to a contact.

use bevy::prelude::*;
use ccd_core::dynamics;

/// How much of the approach speed a contact gives back, within [0, 1] (Newton's coefficient). What approaches no faster than gravity
/// accelerates it within two steps does not bounce: 0.33 m/s at 60 Hz on Earth.
///
/// The contact of two bodies takes the larger of their coefficients, unless one of them says how they [combine](Restitution::combine_rule). A
/// body without this component has
/// [`CcdSettings::default_restitution`](crate::CcdSettings::default_restitution), and a child's collider what its body has.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct Restitution {
    /// Within [0, 1].
    pub coefficient: f32,
    /// How the restitution of a contact comes from its two; `None`: as the other says, or the larger.
    pub combine_rule: Option<CoefficientCombine>,
}

impl Restitution {
    /// Gives nothing back.
    pub const PERFECTLY_INELASTIC: Self = Self::new(0.0);
    /// Gives everything back.
    pub const PERFECTLY_ELASTIC: Self = Self::new(1.0);

    /// The restitution with this coefficient, within [0, 1].
    pub const fn new(coefficient: f32) -> Self {
        Self { coefficient, combine_rule: None }
    }

    /// The same, combined with others like this.
    #[must_use]
    pub const fn with_combine_rule(self, rule: CoefficientCombine) -> Self {
        Self { combine_rule: Some(rule), ..self }
    }
}

impl From<f32> for Restitution {
    fn from(coefficient: f32) -> Self {
        Self::new(coefficient)
    }
}

/// Coulomb's coefficient of friction μ, at least zero, for sliding and sticking alike.
///
/// The contact of two bodies takes the geometric mean of their coefficients, so that a frictionless surface stays so
/// whatever it meets, unless one of them says how they [combine](Friction::combine_rule). A body without this component has
/// [`CcdSettings::default_friction`](crate::CcdSettings::default_friction), and a child's collider what its body has.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct Friction {
    /// At least zero.
    pub coefficient: f32,
    /// How the friction of a contact comes from its two; `None`: as the other says, or their geometric mean.
    pub combine_rule: Option<CoefficientCombine>,
}

impl Default for Friction {
    fn default() -> Self {
        Self::new(0.5)
    }
}

impl Friction {
    /// Without friction.
    pub const ZERO: Self = Self::new(0.0);

    /// The friction with this coefficient, at least zero.
    pub const fn new(coefficient: f32) -> Self {
        Self { coefficient, combine_rule: None }
    }

    /// The same, combined with others like this.
    ///
    /// ```
    /// # use bevy_ccd::prelude::*;
    /// // Everything slides on ice as the ice says, however rough it is.
    /// let ice = Friction::new(0.02).with_combine_rule(CoefficientCombine::Min);
    /// ```
    #[must_use]
    pub const fn with_combine_rule(self, rule: CoefficientCombine) -> Self {
        Self { combine_rule: Some(rule), ..self }
    }
}

impl From<f32> for Friction {
    fn from(coefficient: f32) -> Self {
        Self::new(coefficient)
    }
}

/// How the coefficient of a contact comes from those of its two surfaces. Where both say it, the rule that stands later here counts.
#[doc(alias = "CoefficientCombineRule")]
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Debug, PartialEq, Hash)]
pub enum CoefficientCombine {
    /// Half their sum.
    Average,
    /// The square root of their product.
    GeometricMean,
    /// The smaller one.
    Min,
    /// Their product.
    Multiply,
    /// The larger one.
    Max,
}

impl From<CoefficientCombine> for dynamics::CoefficientCombine {
    fn from(rule: CoefficientCombine) -> Self {
        match rule {
            CoefficientCombine::Average => Self::Average,
            CoefficientCombine::GeometricMean => Self::GeometricMean,
            CoefficientCombine::Min => Self::Min,
            CoefficientCombine::Multiply => Self::Multiply,
            CoefficientCombine::Max => Self::Max,
        }
    }
}

/// The coefficient of rolling resistance as a length, metres: what rolls is slowed by a torque of at most this times the force that
/// presses it on what it rolls on. A ball of radius R that rolls loses 5/7 of g times this by R each second, and stays where it is on a
/// slope of up to this by R. Some 10⁻⁵ m for steel on steel, 10⁻³ m for a ball on a lawn.
///
/// The contact of two bodies takes the larger of their coefficients. A body without this component has
/// [`CcdSettings::default_rolling_resistance`](crate::CcdSettings::default_rolling_resistance), which is none unless that is changed, and
/// a child's collider what its body has. Turning about the normal is not resisted. Only
/// [`ResponseMethod::Shock`](crate::ccd_core::world::ResponseMethod::Shock), the default, knows it.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct RollingResistance(pub f32);

/// How fast the surface of a body runs along it, m/s, in the frame of its entity: a conveyor belt, the tracks of a vehicle. What touches it
/// is taken along by friction, as far as this lies in the plane in which they touch; the body itself stays where it is, unless that drives
/// it. Of the body with all its colliders.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_ccd::prelude::*;
/// # fn setup(mut commands: Commands) {
/// let belt = (RigidBody::Static, Collider::cuboid(10.0, 0.5, 1.0), SurfaceVelocity(Vec3::X * 2.0));
/// commands.spawn((belt, Transform::from_xyz(0.0, 1.0, 0.0)));
/// # }
/// ```
#[doc(alias = "ConveyorBelt")]
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct SurfaceVelocity(pub Vec3);
