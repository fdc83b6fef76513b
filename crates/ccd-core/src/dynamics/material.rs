//! What a surface does to a contact.

use crate::math::{MAX_COORDINATE, Real};

/// Friction, rolling resistance and restitution of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient μ, at least zero; one above 10³⁰ counts as that.
    pub friction: Real,
    /// How the friction of a contact comes from those of its two surfaces. Where both say it, the rule that stands later among
    /// [`CoefficientCombine`] counts; where none does, it is the geometric mean, so that a frictionless surface stays so whatever it meets.
    pub friction_combine: Option<CoefficientCombine>,
    /// The coefficient of rolling resistance as a length, metres, at least zero; zero, the default, is none. By so far the load of what
    /// rolls stands ahead of where it touches: a normal force N takes from the turning that two bodies do on each other, about the axes in
    /// the plane in which they touch, by a torque of at most this times N. Turning about the normal and impacts are not resisted. A ball
    /// of radius R stays where it is on a slope with tan θ up to this by R. Of the methods of response only the default one knows it.
    pub rolling_resistance: Real,
    /// Newton's coefficient of restitution, in [0, 1]. What approaches no faster than gravity and its own force accelerate it within two
    /// steps does not bounce: 0.33 m/s at 60 Hz on Earth.
    pub restitution: Real,
    /// How the restitution of a contact comes from those of its two surfaces, as for friction; where none says it, it is the larger, so that
    /// a ball bounces off any ground.
    pub restitution_combine: Option<CoefficientCombine>,
}

/// How the coefficient of a contact comes from those of its two surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl CoefficientCombine {
    /// Of two coefficients, which are at least zero.
    pub fn combine(self, a: Real, b: Real) -> Real {
        match self {
            Self::Average => (a + b) * 0.5,
            Self::GeometricMean => (a * b).sqrt(),
            Self::Min => a.min(b),
            Self::Multiply => a * b,
            Self::Max => a.max(b),
        }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 0.5,
            friction_combine: None,
            rolling_resistance: 0.0,
            restitution: 0.0,
            restitution_combine: None,
        }
    }
}

impl Material {
    /// Whether it says how one of its coefficients combines.
    pub(crate) fn combines_its_own_way(&self) -> bool {
        self.friction_combine.is_some() || self.restitution_combine.is_some()
    }

    /// The material of the contact between two surfaces: friction and restitution as their rules say, and of rolling resistance, for which it
    /// is enough that one of them gives way, the larger.
    #[must_use]
    pub fn combined(&self, other: &Self) -> Self {
        let friction_combine = self.friction_combine.max(other.friction_combine);
        let restitution_combine = self.restitution_combine.max(other.restitution_combine);
        let of_friction = friction_combine.unwrap_or(CoefficientCombine::GeometricMean);
        let of_restitution = restitution_combine.unwrap_or(CoefficientCombine::Max);
        let [ours, theirs] = [self, other].map(|material| material.friction.min(MAX_COORDINATE));
        Self {
            friction: of_friction.combine(ours, theirs),
            friction_combine,
            rolling_resistance: self.rolling_resistance.max(other.rolling_resistance),
            restitution: of_restitution.combine(self.restitution, other.restitution),
            restitution_combine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CoefficientCombine::*;
    use super::*;

    const RULES: [Option<CoefficientCombine>; 6] =
        [None, Some(Average), Some(GeometricMean), Some(Min), Some(Multiply), Some(Max)];

    fn of(friction: Real, friction_combine: Option<CoefficientCombine>) -> Material {
        Material { friction, friction_combine, ..Material::default() }
    }

    #[test]
    fn each_rule_gives_what_its_name_says() {
        let frictions = RULES.map(|rule| of(0.9, rule).combined(&of(0.4, None)).friction);
        for (friction, expected) in frictions.into_iter().zip([0.6, 0.65, 0.6, 0.4, 0.36, 0.9]) {
            assert!((friction - expected).abs() < 1e-15, "{friction}, not {expected}");
        }
        let of =
            |restitution, restitution_combine| Material { restitution, restitution_combine, ..Material::default() };
        let restitutions = RULES.map(|rule| of(0.9, rule).combined(&of(0.4, None)).restitution);
        for (restitution, expected) in restitutions.into_iter().zip([0.9, 0.65, 0.6, 0.4, 0.36, 0.9]) {
            assert!((restitution - expected).abs() < 1e-15, "{restitution}, not {expected}");
        }
    }

    #[test]
    fn of_two_rules_the_later_counts_on_either_side_and_any_before_none() {
        for (i, one) in RULES.into_iter().enumerate() {
            for (k, other) in RULES.into_iter().enumerate() {
                let both = of(0.9, one).combined(&of(0.4, other));
                assert_eq!(both, of(0.4, other).combined(&of(0.9, one)));
                assert_eq!(both.friction, of(0.9, RULES[i.max(k)]).combined(&of(0.4, None)).friction);
            }
        }
    }

    #[test]
    fn the_largest_numbers_combine_to_a_number() {
        for rule in RULES {
            let friction = of(Real::MAX, rule).combined(&of(Real::MAX, None)).friction;
            assert!(friction.is_finite() && friction > 0.99 * MAX_COORDINATE, "{rule:?}: {friction}");
        }
    }
}
