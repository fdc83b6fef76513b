//! Boxes that hold all there is of a solid, as small as they have to be.
//!
//! **Idea.** An octree over the solid's box, of which a box is asked what the solid has in it, and halved, once a question comes so near to it that it
//! matters. What half-spaces of a large ball cannot tell, as around what bends or has holes, small boxes do.
//! **Guarantee.** No point of the solid is outside of the boxes that are left.
//! **Cost.** A walk down the tree for each question, and an enclosure for each box that none before has asked.

use crate::geometry::field::{Enclosure, Field, Region};
use crate::math::{Point, Real, Vector};
use crate::volume::Sphere;

/// Boxes are not made smaller than this share of the solid's own.
const FINEST: Real = 4e-3;
/// Nor more than so many.
const MOST: usize = 1 << 16;
/// By how much more than its box a ball holds, against rounding.
const COVER: Real = 1.0 + 1e-9;

/// A box in the solid's frame.
struct Node {
    centre: Point,
    half: Vector,
    content: Content,
}

#[derive(Clone, Copy)]
enum Content {
    /// Nobody has asked yet.
    Unknown,
    /// Nothing.
    Nothing,
    /// There may be something of the solid; and whether the middle is of it.
    Something { middle: bool },
    /// It is in its eighths, of which this is the first.
    Eighths(u32),
}

/// Boxes that hold a solid.
pub(super) struct Cover<'q> {
    field: &'q dyn Field,
    nodes: Vec<Node>,
    finest: Real,
    enclosure: Enclosure,
    waiting: Vec<u32>,
}

impl<'q> Cover<'q> {
    /// Of a solid; of one without end nothing is known.
    pub fn new(field: &'q dyn Field) -> Self {
        let aabb = field.local_aabb();
        let (centre, half) = (aabb.centre(), aabb.half_extents());
        let root = half.amax().is_finite().then_some(Node { centre, half, content: Content::Unknown });
        Self {
            field,
            nodes: Vec::from_iter(root),
            finest: FINEST * half.norm(),
            enclosure: Enclosure::default(),
            waiting: Vec::new(),
        }
    }

    /// No box is smaller, metres.
    pub fn finest(&self) -> Real {
        self.finest
    }

    /// Whether certainly no point of the solid is within `reach` metres of a place of its frame, as far as boxes tell that are not smaller than
    /// `finest` metres.
    pub fn is_beyond(&mut self, place: &Point, reach: Real, finest: Real) -> bool {
        let reach = reach * COVER + Real::EPSILON * place.coords.amax();
        let finest = finest.max(self.finest);
        if self.nodes.is_empty() {
            return false;
        }
        self.waiting.clear();
        self.waiting.push(0);
        while let Some(number) = self.waiting.pop() {
            let Node { centre, half, .. } = self.nodes[number as usize];
            let off = place - centre;
            if (off.abs() - half).sup(&Vector::zeros()).norm() > reach {
                continue;
            }
            match self.content(number) {
                Content::Nothing | Content::Unknown => {}
                Content::Something { middle } => {
                    let is_there = middle && off.norm() <= reach;
                    if is_there || half.norm() <= finest || self.nodes.len() + 8 > MOST {
                        return false;
                    }
                    let first = self.split(number);
                    self.descend(first, &off);
                }
                Content::Eighths(first) => self.descend(first, &off),
            }
        }
        true
    }

    /// The eighths wait, the one that is nearest to a place this far from their middle in front.
    fn descend(&mut self, first: u32, off: &Vector) {
        let nearest = (0..3).filter(|k| off[*k] >= 0.0).map(|k| 1 << k).sum::<u32>();
        self.waiting.extend((0..8).rev().map(|k| first + (k ^ nearest)));
    }

    fn content(&mut self, number: u32) -> Content {
        let node = &mut self.nodes[number as usize];
        if matches!(node.content, Content::Unknown) {
            let ball = Sphere { centre: node.centre, radius: node.half.norm() * COVER };
            self.enclosure.clear();
            if self.field.distance(&ball.centre) <= ball.radius {
                self.field.enclose(&ball, Region::Solid, &mut self.enclosure);
            }
            node.content = if self.enclosure.is_empty() {
                Content::Nothing
            } else {
                Content::Something { middle: self.field.contains(&node.centre) }
            };
        }
        node.content
    }

    fn split(&mut self, number: u32) -> u32 {
        let first = self.nodes.len() as u32;
        let Node { centre, half, .. } = self.nodes[number as usize];
        let half = half * 0.5;
        let eighth = |k: usize| Vector::from_fn(|axis, _| if k >> axis & 1 == 0 { -half[axis] } else { half[axis] });
        let eighths = (0..8).map(|k| Node { centre: centre + eighth(k), half, content: Content::Unknown });
        self.nodes.extend(eighths);
        self.nodes[number as usize].content = Content::Eighths(first);
        first
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot build its scene has failed")]

    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::geometry::field::{Csg, CsgPart, Operation};
    use crate::geometry::primitive::{Ball, Cylinder, HalfSpace};
    use crate::math::Pose;

    fn ring() -> Csg {
        let part = |solid: Arc<dyn Field>| CsgPart::new(solid, Pose::identity());
        let [disc, hole] = [(0.5, 0.1), (0.4, 0.2)].map(|(radius, half)| Cylinder::try_new(radius, half).unwrap());
        Csg::new(Operation::Difference, vec![part(Arc::new(disc)), part(Arc::new(hole))]).unwrap()
    }

    proptest! {
        #[test]
        fn what_is_told_to_be_beyond_is_and_what_is_well_beyond_is_told(
            place in prop::array::uniform3(-1.0..1.0_f64), reach in 0.01..1.0_f64, others in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 4),
        ) {
            let ring = ring();
            let mut cover = Cover::new(&ring);
            // Other questions before leave no other answer.
            for other in others {
                cover.is_beyond(&other.into(), 0.3, 0.01);
            }
            let place = Point::from(place);
            // The ring's rectangle in the half-plane of the place.
            let (round, height) = (place.x.hypot(place.z), place.y.abs());
            let aside = (0.4 - round).max(round - 0.5).max(0.0);
            let distance = aside.hypot((height - 0.1).max(0.0));
            let told = cover.is_beyond(&place, reach, 0.01);
            prop_assert!(!told || distance > reach);
            prop_assert!(told || distance < reach + 0.04, "{distance} m away is not told to be beyond {reach}");
        }
    }

    #[test]
    fn of_what_has_no_end_nothing_is_told_and_of_a_ball_all() {
        let plane = HalfSpace::try_new(Vector::y()).unwrap();
        assert!(!Cover::new(&plane).is_beyond(&Point::new(0.0, 9.0, 0.0), 1.0, 0.1));
        let ball = Ball::try_new(1.0).unwrap();
        assert!(Cover::new(&ball).is_beyond(&Point::new(0.0, 9.0, 0.0), 7.9, 0.1));
    }
}
