//! Points of one solid's surface in place of its features: Algorithm 2 over samples. A reference to compare with, not a method to trust.
//!
//! **Problem.** As [`super::obb_bisection`], where all that is known of a surface is a cloud of its points.
//! **Idea.** The smaller solid is sampled so densely that no place of its surface is further from a sample than a stated spacing. The path of every
//! sample is held by oriented boxes and halved as there; the other solid is asked for its own box query, and never for a feature.
//!
//! ```text
//!     ·   ·   ·   ·  samples          What passes between two of them is missed:
//!          ╱╲        other solid      a corner, an edge across an edge.
//! ```
//!
//! **Guarantee.** No sample is in the other solid before the reported time, up to ε/4, and one is within ε of it then. Nothing is promised of
//! the places between samples: contact there is found when it has come to a sample, or never. The type says so: [`Sampled`].
//! **Limits.** What of the other solid is thinner than the spacing can pass through.
//! **Source.** Precise contact determination, Algorithms 1 and 2 with representative points alone; erratum E6 says what they miss.

use std::collections::BTreeMap;

use super::answer::{Answered, Sampled, TocError, TocOptions};
use super::features::{Trajectories, determine_contact};
use crate::geometry::feature::FeatureSet;
use crate::geometry::solid::Solid;
use crate::math::{Point, Real};
use crate::motion::{RigidMotion, TimeInterval};

/// How dense samples are: their spacing as a share of the solid's bounding radius.
const SPACING: Real = 1.0 / 16.0;
/// More than so many samples are not taken: the spacing is then what it has come to.
const MOST_SAMPLES: usize = 1 << 16;

/// When the samples of the smaller of two moving solids first meet the other.
///
/// # Errors
/// As [`super::obb_bisection::time_of_contact`].
///
/// # Cost
/// As there, for some thousand samples and no edges.
pub fn time_of_contact(
    a: &dyn Solid,
    motion_a: &RigidMotion,
    b: &dyn Solid,
    motion_b: &RigidMotion,
    interval: TimeInterval,
    options: &TocOptions,
) -> Result<Answered<Sampled>, TocError> {
    let found = determine_contact((a, motion_a), (b, motion_b), interval, options, Trajectories::Samples)?;
    let smaller = if is_sampled([a, b], 0) { a } else { b };
    let spacing = samples(smaller).spacing;
    Ok(Answered { answer: Sampled { toc: found.answer.toc, spacing }, stats: found.stats })
}

/// Whether of two solids the one of that number is sampled: the smaller one, that of two as large the first.
pub(super) fn is_sampled(solids: [&dyn Solid; 2], number: usize) -> bool {
    let [a, b] = solids.map(|solid| solid.bounding_sphere().radius);
    if number == 0 { a <= b } else { b < a }
}

/// Points of a solid's surface.
pub(super) struct Samples {
    /// Without edges and faces; the error is that of the points themselves.
    pub points: FeatureSet,
    /// No place of the surface is further from all of them, but for their rounding radius, metres.
    pub spacing: Real,
}

/// The samples of a bounded solid: the corners of its features, and so many between them as the spacing asks for.
pub(super) fn samples(solid: &dyn Solid) -> Samples {
    let wanted = SPACING * solid.bounding_sphere().radius;
    let features = solid.features(0.25 * wanted);
    let mut sampler = Sampler { vertices: features.vertices, between: BTreeMap::new(), spacing: 0.0, wanted };
    for edge in &features.edges {
        sampler.edge(*edge);
    }
    for face in &features.faces {
        sampler.face(*face);
    }
    let spacing = sampler.spacing + features.error;
    let points = FeatureSet { vertices: sampler.vertices, radius: features.radius, ..FeatureSet::default() };
    Samples { points, spacing }
}

struct Sampler {
    vertices: Vec<Point>,
    /// The middle between two samples.
    between: BTreeMap<[u32; 2], u32>,
    /// Of what has been sampled.
    spacing: Real,
    wanted: Real,
}

impl Sampler {
    fn length(&self, [v, w]: [u32; 2]) -> Real {
        (self.vertices[v as usize] - self.vertices[w as usize]).norm()
    }

    fn is_fine(&self, length: Real) -> bool {
        length <= self.wanted || self.vertices.len() >= MOST_SAMPLES
    }

    fn middle(&mut self, [v, w]: [u32; 2]) -> u32 {
        let next = self.vertices.len() as u32;
        let number = *self.between.entry([v.min(w), v.max(w)]).or_insert(next);
        if number == next {
            self.vertices.push(nalgebra::center(&self.vertices[v as usize], &self.vertices[w as usize]));
        }
        number
    }

    fn edge(&mut self, edge: [u32; 2]) {
        let mut stack = vec![edge];
        while let Some([v, w]) = stack.pop() {
            let length = self.length([v, w]);
            if self.is_fine(length) {
                self.spacing = self.spacing.max(0.5 * length);
            } else {
                let middle = self.middle([v, w]);
                stack.extend([[v, middle], [middle, w]]);
            }
        }
    }

    fn face(&mut self, face: [u32; 3]) {
        let mut stack = vec![face];
        while let Some(face) = stack.pop() {
            let side = |k: usize| [face[k], face[(k + 1) % 3]];
            let lengths = [0, 1, 2].map(|k| self.length(side(k)));
            let longest = (1..3).fold(0, |best, k| if lengths[k] > lengths[best] { k } else { best });
            if self.is_fine(lengths[longest]) {
                // No place of a triangle is further from its corners than a root of three of its longest side.
                self.spacing = self.spacing.max(lengths[longest] / 3.0_f64.sqrt());
            } else {
                let middle = self.middle(side(longest));
                let opposite = face[(longest + 2) % 3];
                let [v, w] = side(longest);
                stack.extend([[v, middle, opposite], [middle, w, opposite]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vector;
    use crate::shape::Shape;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_place_of_a_sampled_surface_is_further_from_a_sample_than_the_spacing(
            half in prop::array::uniform3(0.02..1.0_f64), way in prop::array::uniform3(-1.0..1.0_f64),
        ) {
            let solids = [Shape::cuboid(half).unwrap(), Shape::cylinder(half[0], half[1]).unwrap(), Shape::torus(1.0, 0.3 * half[0]).unwrap()];
            for shape in solids {
                let solid = shape.as_solid();
                let Samples { points, spacing } = samples(solid);
                prop_assert!(points.edges.is_empty() && points.faces.is_empty());
                let from = Point::from(Vector::from(way) * (2.0 * solid.bounding_sphere().radius));
                let near = crate::geometry::field::nearest_surface(shape.as_field().unwrap(), &from, 1e-9).unwrap().point;
                let nearest = points.vertices.iter().map(|p| (p - near).norm()).fold(Real::INFINITY, Real::min);
                prop_assert!(nearest <= spacing + 1e-9, "{}: {nearest} > {spacing}", solid.kind());
            }
        }
    }
}
