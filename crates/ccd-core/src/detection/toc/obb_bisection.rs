//! Algorithm 2: the time of contact by bisection of oriented boxes around trajectories.
//!
//! **Problem.** When does a point of one moving solid first meet another moving solid, of any geometry?
//! **Idea.** In the other's frame the point runs along a curve. Between two instants the curve stays within δ of its
//! chord, so a box around the chord, wider by δ everywhere, holds it. Boxes that miss the solid are done with; the others
//! are halved in time, the earlier half first, until box and δ are small against the tolerance.
//!
//! ```text
//!   ┌───────────────────────┐        t_a ●──────────────● t_b   chord
//!   │   ╭─────────────╮  δ↕ │            box: chord/2 + δ along, δ + skin across
//!   │ ●╯               ╰●   │
//!   └───────────────────────┘
//! ```
//!
//! **Guarantee.** Never late: every box holds its stretch of the curve, and a contact is reported at its box's t_a, before
//! which all boxes of all features missed. At that time the solids are within the tolerance ε: the boxes are grown by a
//! margin of ε/4 and the errors of tessellation (ε/16 each), which a box's corner multiplies by √3, and a box is final when
//! its diagonal is at most ε/4: together 0.9 ε. Edges against edges: see `edge_sweep`.
//! **Limits.** As tight as the solid's own box query: one that answers `true` for boxes that it does not meet makes the
//! contact early by as much.
//! **Source.** Precise contact determination, Algorithm 2; errata E1, E3 (δ), E4 (t_a), E5 (order), E6 (edges), E7 (stop on
//! δ), E20 (zero chord).

use super::answer::{Answered, Toc, TocError, TocOptions};
use super::features::{Trajectories, determine_contact};
use super::side::Side;
use crate::geometry::solid::Solid;
use crate::math::{Matrix, Point, Real, Vector, orthonormal_basis};
use crate::motion::{RigidMotion, TimeInterval};
use crate::volume::Obb;

/// When two moving solids first come within the tolerance of each other, by Algorithm 2 over all their features.
///
/// The guarantees are those of the module; [`determine_contact`] gives all contacts at that time besides.
///
/// # Errors
/// [`TocError`] for numbers that are not finite, a tolerance that is not positive, and two solids neither of which has
/// a finite set of features.
///
/// # Cost
/// O(log(speed · Δt / ε)) box queries for each feature that comes near, one or none for the others; for a spinning
/// solid also about √(|ω|²ρ/8g)·Δt boxes along paths that stay at a distance g.
pub fn time_of_contact(
    a: &dyn Solid,
    motion_a: &RigidMotion,
    b: &dyn Solid,
    motion_b: &RigidMotion,
    interval: TimeInterval,
    options: &TocOptions,
) -> Result<Answered<Toc>, TocError> {
    let found = determine_contact((a, motion_a), (b, motion_b), interval, options, Trajectories::Boxes)?;
    Ok(Answered { answer: found.answer.toc, stats: found.stats })
}

/// The path of a vertex between two instants in the frame of the other solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub from: Point,
    pub to: Point,
    /// How far the curve can be from the chord, metres: δ.
    pub deviation: Real,
    /// Radius and error of the features, margin and rounding: contact is within this of the path, metres.
    pub thickness: Real,
    /// The rounding radius within the thickness, metres.
    pub radius: Real,
}

/// What is known of a feature over a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Trial {
    /// It meets nothing.
    Clear,
    /// It may meet something, not before `earliest`; `resolved` when it is within the tolerance then.
    Meets { earliest: Real, resolved: bool },
}

impl Path {
    /// A box around the curve, grown by `margin`.
    pub fn obb(&self, margin: Real) -> Obb {
        let chord = self.to - self.from;
        let length = chord.norm();
        // A full turn, or a point that rests, has no chord: any axes do (E20).
        let axes = match chord.try_normalize(Real::MIN_POSITIVE.sqrt()) {
            Some(n) => {
                let (t, b) = orthonormal_basis(&n);
                Matrix::from_columns(&[n, t, b])
            }
            None => Matrix::identity(),
        };
        let across = self.deviation + margin;
        Obb {
            centre: nalgebra::center(&self.from, &self.to),
            axes,
            half_extents: Vector::new(0.5 * length + across, across, across),
        }
    }

    /// No point of the curve is further than this from the chord's middle, metres.
    pub fn half_length(&self) -> Real {
        0.5 * (self.to - self.from).norm() + self.deviation
    }

    /// Whether the vertex, with its thickness, may meet the solid on the way.
    pub fn meets(&self, target: &Side, queries: &mut u64) -> bool {
        // The cheapest test first: most vertices are nowhere near.
        let around = self.half_length() + self.thickness;
        let centre = nalgebra::center(&self.from, &self.to);
        if target.aabb.distance_to_point(&centre) > around {
            return false;
        }
        *queries += 1;
        if !target.solid.overlaps_obb(&self.obb(self.thickness)) {
            return false;
        }
        // A box is a poor stand-in for a ball: its corners are further by √3. What counts is the distance. The core of the
        // target counts too: its inside cannot be reached without passing its surface.
        if self.radius == 0.0 {
            return true;
        }
        target.solid.distance_bound(&centre) <= around
            && (!target.is_bounded() || target.nearest(&centre, around + target.skin()).is_some())
    }

    /// One step of Algorithm 2 between two instants.
    pub fn try_boxes(&self, target: &Side, start: Real, tolerance: Real, queries: &mut u64) -> Trial {
        if self.meets(target, queries) {
            // √3 for the box's corners.
            let resolved = self.half_length() * 2.0 * 1.8 <= 0.25 * tolerance;
            Trial::Meets { earliest: start, resolved }
        } else {
            Trial::Clear
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_of_a_full_turn_is_a_cube_around_it() {
        let path = Path {
            from: Point::new(1.0, 0.0, 0.0),
            to: Point::new(1.0, 0.0, 0.0),
            deviation: 2.0,
            thickness: 0.0,
            radius: 0.0,
        };
        let obb = path.obb(0.0);
        assert_eq!(obb.half_extents, Vector::repeat(2.0));
        assert!(obb.axes.iter().all(|c| c.is_finite()));
    }
}
