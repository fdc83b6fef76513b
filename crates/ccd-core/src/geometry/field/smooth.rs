//! Half-spaces from the value, slope and curvature of a smooth function.

use super::enclosure::{Enclosure, Facet, Region};
use crate::math::{Real, Vector};

/// What is known of a function, at most zero inside a solid, in a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local {
    /// At the ball's centre, in the function's own unit.
    pub value: Real,
    /// At the ball's centre, units per metre.
    pub gradient: Vector,
    /// The function changes by at most this over a metre within the ball, units per metre.
    pub lipschitz: Real,
    /// Bounds of its second derivatives along straight lines within the ball, units per square metre; infinite where
    /// nothing is known. The lowest is zero or more for a convex function.
    pub curvature: [Real; 2],
}

impl Local {
    /// Appends what a ball of `radius` metres holds of the region, from f(c + x) ≥ f(c) + ∇f·x + ½ k |x|² with the least
    /// second derivative k. O(1).
    pub fn enclose(&self, radius: Real, region: Region, out: &mut Enclosure) {
        match self.facet(radius, region) {
            Held::Nothing => {}
            Held::Everything => out.push_everything(),
            Held::Below(facet) => out.push(&[facet]),
        }
    }

    /// What a ball of `radius` metres holds of the region.
    pub fn facet(&self, radius: Real, region: Region) -> Held {
        self.facet_within(&Reach::ball(radius), region)
    }

    /// What a place that reaches so far from the ball's centre holds of the region.
    pub fn facet_within(&self, reach: &Reach, region: Region) -> Held {
        let (sign, least) = match region {
            Region::Solid => (1.0, self.curvature[0]),
            Region::Complement => (-1.0, -self.curvature[1]),
        };
        let value = sign * self.value;
        if value - self.lipschitz * reach.any > 0.0 {
            return Held::Nothing;
        }
        let slope = self.gradient.norm();
        let error = 0.5 * (-least).max(0.0) * reach.bent * reach.bent;
        let usable = slope > Real::MIN_POSITIVE && (value / slope).is_finite() && (error / slope).is_finite();
        if !usable {
            return Held::Everything;
        }
        if value - slope * reach.along - error > 0.0 {
            return Held::Nothing;
        }
        if value + slope * reach.along - error <= 0.0 {
            return Held::Everything;
        }
        Held::Below(Facet { normal: self.gradient * (sign / slope), value: value / slope, error: error / slope })
    }
}

/// How far a place reaches from its centre, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// In any direction.
    pub any: Real,
    /// Along the gradient of the function there.
    pub along: Real,
    /// In the directions in which the function's second derivatives are not zero.
    pub bent: Real,
}

impl Reach {
    /// That of a ball.
    pub fn ball(radius: Real) -> Self {
        Self { any: radius, along: radius, bent: radius }
    }
}

/// What a ball holds of a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Held {
    /// None of it.
    Nothing,
    /// Only what is below the facet.
    Below(Facet),
    /// Perhaps all of the ball.
    Everything,
}
