//! Several shapes as one rigid body.
//!
//! **Problem.** A body that is not convex, or that is made of different solids, collides as the union of its parts.
//! **Idea.** Keep the parts as they are, each at its pose, under a tree of boxes; every query goes to the few pairs of
//! parts that can matter, by the way that is best for that pair.
//! **Guarantee.** That of the parts: the compound is touched when a part is, and not before.
//! **Limits.** Parts may overlap; mass that two parts share counts twice. Surface that lies inside another part still counts as surface
//! where something has run into both; of contacts of what is apart it is left out.

use std::ops::ControlFlow;

use super::Shape;
use crate::bounds::tree::AabbTree;
use crate::geometry::feature::{Feature, FeatureSet};
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::geometry::solid::{Segment, SegmentHit, Solid, SupportMap};
use crate::math::{MAX_COORDINATE, Point, Pose, Real, Vector, is_sound_pose};
use crate::volume::{Aabb, Obb, Sphere};

/// One part of a compound.
#[derive(Clone, Debug)]
pub struct Part {
    /// The part's solid, in its own frame.
    pub shape: Shape,
    /// The place of the part's frame in the compound's.
    pub pose: Pose,
    /// The part's density as a multiple of the density that the compound is given; positive.
    pub relative_density: Real,
}

impl Part {
    /// `shape` at `pose`, as dense as the compound is said to be.
    pub fn new(shape: Shape, pose: Pose) -> Self {
        Self { shape, pose, relative_density: 1.0 }
    }
}

/// Why parts make no compound.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompoundError {
    /// There is no part.
    #[error("a compound needs at least one part")]
    Empty,
    /// A part's pose holds NaN, infinity, or a number that is too large, or its rotation is no unit quaternion.
    #[error(
        "the pose of part {part} is not finite or beyond {MAX_COORDINATE:e} m, or its rotation is no unit quaternion"
    )]
    NonFinitePose {
        /// Its number, from 0.
        part: usize,
    },
    /// A part has no end in some direction.
    #[error("part {part} is a {kind}, which is unbounded")]
    Unbounded {
        /// Its number, from 0.
        part: usize,
        /// What it is.
        kind: &'static str,
    },
    /// A part's density is not a positive number.
    #[error("the relative density of part {part} is {}, which is not a positive number", crate::math::Shortest(*value))]
    BadDensity {
        /// Its number, from 0.
        part: usize,
        /// As given.
        value: Real,
    },
    /// More parts than numbers for them.
    #[error("{count} parts are more than a compound can number")]
    TooMany {
        /// How many, nested ones counted one by one.
        count: usize,
    },
}

/// Several bounded shapes as one solid. Its frame is the one that the parts' poses refer to.
#[derive(Clone, Debug)]
pub struct Compound {
    parts: Vec<Part>,
    boxes: Vec<Aabb>,
    /// Of each part the others whose boxes meet its own.
    neighbours: Vec<Vec<u32>>,
    tree: AabbTree,
    aabb: Aabb,
    sphere: Sphere,
}

impl Compound {
    /// The compound of `parts`, in their order. A part that is itself a compound is replaced by its parts, so that a
    /// compound is never deeper than one level.
    ///
    /// # Errors
    /// [`CompoundError`] names the part.
    ///
    /// # Cost
    /// O(n log n) for n parts, and the vertices of meshes among them.
    pub fn new(parts: Vec<Part>) -> Result<Self, CompoundError> {
        if parts.is_empty() {
            return Err(CompoundError::Empty);
        }
        for (i, part) in parts.iter().enumerate() {
            if !is_sound_pose(&part.pose) {
                return Err(CompoundError::NonFinitePose { part: i });
            }
            if !part.shape.is_bounded() {
                return Err(CompoundError::Unbounded { part: i, kind: part.shape.as_solid().kind() });
            }
            if !(part.relative_density.is_finite() && part.relative_density > 0.0) {
                return Err(CompoundError::BadDensity { part: i, value: part.relative_density });
            }
        }
        let parts = flattened(parts);
        if u32::try_from(parts.len()).is_err() {
            return Err(CompoundError::TooMany { count: parts.len() });
        }
        let boxes: Vec<Aabb> = parts.iter().map(box_of).collect();
        let aabb = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merged(b));
        let centre = aabb.centre();
        let radius = parts
            .iter()
            .zip(&boxes)
            .map(|(part, aabb)| {
                let sphere = part.shape.as_solid().bounding_sphere();
                let corner = (aabb.max - centre).abs().sup(&(aabb.min - centre).abs()).norm();
                corner.min((part.pose * sphere.centre - centre).norm() + sphere.radius)
            })
            .fold(0.0, Real::max);
        // Rounded up by more than the roots and sums can round down.
        let sphere = Sphere { centre, radius: radius * (1.0 + 16.0 * Real::EPSILON) };
        let tree = AabbTree::from_boxes(&boxes);
        let neighbours = (0..).zip(&boxes).map(|(part, aabb)| neighbours_of(part, aabb, &boxes, &tree)).collect();
        Ok(Self { parts, boxes, neighbours, tree, aabb, sphere })
    }

    /// The parts, in the order given, nested compounds opened.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The tree over the parts' boxes; its items are the parts' numbers.
    pub fn tree(&self) -> &AabbTree {
        &self.tree
    }

    /// The box of a part, in the compound's frame.
    ///
    /// # Panics
    /// When there is no such part.
    pub fn part_box(&self, part: u32) -> &Aabb {
        &self.boxes[part as usize]
    }

    /// The name, in the compound, of a part's feature: of n parts, feature k of part p is number k·n + p of its kind.
    /// Where that is beyond the numbers there are, it is the part's last that has one.
    pub fn feature_of_part(&self, part: u32, feature: Feature) -> Feature {
        let n = self.parts.len() as u32;
        let most = (u32::MAX - part) / n;
        let named = |k: u32| k.min(most) * n + part;
        match feature {
            Feature::Vertex(k) => Feature::Vertex(named(k)),
            Feature::Edge(k) => Feature::Edge(named(k)),
            Feature::Face(k) => Feature::Face(named(k)),
        }
    }

    /// The part that a feature of the compound belongs to, and the feature's name in it.
    pub fn part_of_feature(&self, feature: Feature) -> (u32, Feature) {
        let n = self.parts.len() as u32;
        match feature {
            Feature::Vertex(k) => (k % n, Feature::Vertex(k / n)),
            Feature::Edge(k) => (k % n, Feature::Edge(k / n)),
            Feature::Face(k) => (k % n, Feature::Face(k / n)),
        }
    }

    /// The parts whose boxes share a point with `aabb` (the compound's frame), in the order of their numbers.
    pub fn parts_near(&self, aabb: &Aabb) -> Vec<u32> {
        let mut near = self.tree.overlapping(aabb);
        near.retain(|&part| self.boxes[part as usize].overlaps(aabb));
        near.sort_unstable();
        near
    }

    /// Whether a place of a part's surface lies deeper than `depth` metres inside another part; all in the compound's frame.
    pub(crate) fn is_buried(&self, part: u32, point: &Point, depth: Real) -> bool {
        self.neighbours[part as usize].iter().any(|&other| {
            let Part { shape, pose, .. } = &self.parts[other as usize];
            self.boxes[other as usize].distance_to_point(point) <= 0.0
                && shape.as_field().is_some_and(|f| f.distance(&pose.inverse_transform_point(point)) < -depth)
        })
    }

    /// The sum of the parts' masses, each at `density` times its own relative density; exact if every part's is.
    ///
    /// # Errors
    /// [`MassError`] of the first part that has no mass of its own.
    pub fn mass_properties(&self, density: Real) -> Result<(MassProperties, MassKind), MassError> {
        let mut whole: Option<(MassProperties, MassKind)> = None;
        for part in &self.parts {
            let (mass, kind) = part.shape.mass_properties(density * part.relative_density)?;
            let mass = mass.transformed(&part.pose);
            whole = Some(match whole {
                None => (mass, kind),
                Some((sum, of_sum)) => (sum.combined(&mass), MassKind::of_sum((of_sum, sum.mass), (kind, mass.mass))),
            });
        }
        whole.ok_or(MassError::Massless { kind: self.kind() })
    }
}

/// The parts with compounds among them replaced by theirs.
fn flattened(parts: Vec<Part>) -> Vec<Part> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match &part.shape {
            Shape::Compound(inner) => flat.extend(inner.parts.iter().map(|p| Part {
                shape: p.shape.clone(),
                pose: part.pose * p.pose,
                relative_density: part.relative_density * p.relative_density,
            })),
            _ => flat.push(part),
        }
    }
    flat
}

/// The parts whose boxes meet that of a part, without itself.
fn neighbours_of(part: u32, aabb: &Aabb, boxes: &[Aabb], tree: &AabbTree) -> Vec<u32> {
    let mut near = tree.overlapping(aabb);
    near.retain(|&other| other != part && boxes[other as usize].overlaps(aabb));
    near.sort_unstable();
    near
}

/// A box around a placed part: by its extreme points where it has them, else by the corners of its own box.
fn box_of(part: &Part) -> Aabb {
    let aabb = match (&part.shape, part.shape.as_convex()) {
        (_, Some(convex)) => convex_box(convex, &part.pose),
        (Shape::Mesh(mesh), None) => {
            let placed: Vec<Point> = mesh.mesh().vertices().iter().map(|p| part.pose * p).collect();
            Aabb::from_points(&placed)
        }
        (shape, None) => shape.as_solid().local_aabb().transformed(&part.pose),
    };
    // Turning and moving rounds; the box is to hold the part in floating point too.
    aabb.inflated(8.0 * Real::EPSILON * (aabb.min.coords.amax() + aabb.max.coords.amax()))
}

fn convex_box(convex: &dyn SupportMap, pose: &Pose) -> Aabb {
    let mut aabb = Aabb::EMPTY;
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let mut outward = Vector::zeros();
            outward[axis] = sign;
            let local = pose.rotation.inverse_transform_vector(&outward);
            aabb.grow(&(pose * convex.support(&local, 0).point));
        }
    }
    aabb.inflated(convex.radius())
}

impl Solid for Compound {
    fn kind(&self) -> &'static str {
        "compound"
    }

    fn local_aabb(&self) -> Aabb {
        self.aabb
    }

    fn bounding_sphere(&self) -> Sphere {
        self.sphere
    }

    /// The parts' features one after the other, under the largest rounding radius of any part: what is thinner lies
    /// inside it, so that nothing is missed.
    fn features(&self, max_error: Real) -> FeatureSet {
        let mut all = FeatureSet::default();
        for part in &self.parts {
            let own = part.shape.as_solid().features(max_error);
            let first = all.vertices.len() as u32;
            all.vertices.extend(own.vertices.iter().map(|p| part.pose * p));
            all.edges.extend(own.edges.iter().map(|e| e.map(|v| v + first)));
            all.faces.extend(own.faces.iter().map(|f| f.map(|v| v + first)));
            all.radius = all.radius.max(own.radius);
            all.error = all.error.max(own.error);
        }
        all
    }

    fn overlaps_obb(&self, obb: &Obb) -> bool {
        let meets = |part: u32| {
            let part = &self.parts[part as usize];
            part.shape.as_solid().overlaps_obb(&obb.transformed(&part.pose.inverse()))
        };
        self.tree
            .visit_obb(obb, |part| if meets(part) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            .is_break()
    }

    fn cast_segment(&self, segment: &Segment) -> Option<SegmentHit> {
        let hit = |part: u32| {
            let Part { shape, pose, .. } = &self.parts[part as usize];
            let local = Segment {
                start: pose.inverse_transform_point(&segment.start),
                end: pose.inverse_transform_point(&segment.end),
            };
            let hit = shape.as_solid().cast_segment(&local)?;
            Some(SegmentHit {
                fraction: hit.fraction,
                point: pose * hit.point,
                normal: pose.rotation * hit.normal,
                feature: self.feature_of_part(part, hit.feature),
            })
        };
        let (_, first) = self.tree.cast_segment(segment, |part| hit(part).map(|h| h.fraction))?;
        hit(first)
    }

    fn distance_bound(&self, point: &Point) -> Real {
        let of = |part: &Part| part.shape.as_solid().distance_bound(&part.pose.inverse_transform_point(point));
        let mut least = Real::INFINITY;
        for (part, aabb) in self.parts.iter().zip(&self.boxes) {
            // A box is a coarse bound, but it may already be more than another part's, or than what the part knows.
            let coarse = aabb.distance_to_point(point);
            if coarse < least {
                least = least.min(of(part).max(coarse));
            }
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rotation;

    fn cube(at: [Real; 3]) -> Part {
        let half = Shape::cuboid([0.5; 3]).unwrap();
        Part::new(half, Pose::translation(at[0], at[1], at[2]))
    }

    #[test]
    fn two_cubes_side_by_side_have_the_mass_of_the_box_they_make_and_its_bounds() {
        let pair = Compound::new(vec![cube([-0.5, 0.0, 0.0]), cube([0.5, 0.0, 0.0])]).unwrap();
        let (mass, kind) = pair.mass_properties(3.0).unwrap();
        let whole = MassProperties::of_box(&Vector::new(1.0, 0.5, 0.5), 3.0);
        assert_eq!(kind, MassKind::Exact);
        assert!((mass.mass - whole.mass).abs() < 1e-12 && mass.com.coords.norm() < 1e-12);
        assert!((mass.inertia - whole.inertia).norm() < 1e-12);
        assert!((pair.local_aabb().half_extents() - Vector::new(1.0, 0.5, 0.5)).norm() < 1e-12);
    }

    #[test]
    fn a_denser_part_pulls_the_centre_of_mass() {
        let heavy = Part { relative_density: 3.0, ..cube([1.0, 0.0, 0.0]) };
        let (mass, _) = Compound::new(vec![cube([-1.0, 0.0, 0.0]), heavy]).unwrap().mass_properties(1.0).unwrap();
        assert!((mass.mass - 4.0).abs() < 1e-12 && (mass.com.x - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_compound_in_a_compound_is_opened_with_its_poses_and_densities() {
        let inner = Compound::new(vec![cube([1.0, 0.0, 0.0]), cube([-1.0, 0.0, 0.0])]).unwrap();
        let turn = Pose::from_parts(
            Vector::new(0.0, 5.0, 0.0).into(),
            Rotation::from_scaled_axis(Vector::y() * std::f64::consts::FRAC_PI_2),
        );
        let nested = Part { relative_density: 2.0, ..Part::new(Shape::Compound(inner.into()), turn) };
        let outer = Compound::new(vec![nested, cube([0.0; 3])]).unwrap();
        assert_eq!(outer.parts().len(), 3);
        let place = outer.parts()[0].pose.translation.vector;
        assert!((place - Vector::new(0.0, 5.0, -1.0)).norm() < 1e-12, "{place:?}");
        assert_eq!(outer.parts()[0].relative_density, 2.0);
    }

    #[test]
    fn features_name_their_part_and_come_back() {
        let three = Compound::new(vec![cube([0.0; 3]), cube([2.0, 0.0, 0.0]), cube([4.0, 0.0, 0.0])]).unwrap();
        for part in 0..3 {
            for feature in [Feature::Vertex(7), Feature::Edge(0), Feature::Face(5)] {
                assert_eq!(three.part_of_feature(three.feature_of_part(part, feature)), (part, feature));
            }
        }
        assert_eq!(three.part_of_feature(three.feature_of_part(1, Feature::Face(u32::MAX))).0, 1);
    }

    #[test]
    fn a_segment_hits_the_nearest_part_from_its_own_side() {
        let pair = Compound::new(vec![cube([3.0, 0.0, 0.0]), cube([0.0; 3])]).unwrap();
        let segment = Segment { start: Point::new(-2.0, 0.1, 0.0), end: Point::new(6.0, 0.1, 0.0) };
        let hit = pair.cast_segment(&segment).unwrap();
        assert!((hit.point.x + 0.5).abs() < 1e-12 && (hit.normal + Vector::x()).norm() < 1e-12);
        assert_eq!(pair.part_of_feature(hit.feature).0, 1);
        assert!((pair.distance_bound(&Point::new(1.5, 0.0, 0.0)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn parts_that_make_no_compound_are_named() {
        assert_eq!(Compound::new(vec![]).unwrap_err(), CompoundError::Empty);
        let plane = Part::new(Shape::half_space(Vector::y()).unwrap(), Pose::identity());
        let error = Compound::new(vec![cube([0.0; 3]), plane]).unwrap_err();
        assert!(matches!(error, CompoundError::Unbounded { part: 1, .. }));
        let lost = Part { pose: Pose::translation(Real::NAN, 0.0, 0.0), ..cube([0.0; 3]) };
        assert_eq!(Compound::new(vec![lost]).unwrap_err(), CompoundError::NonFinitePose { part: 0 });
        let weightless = Part { relative_density: 0.0, ..cube([0.0; 3]) };
        assert!(matches!(Compound::new(vec![weightless]).unwrap_err(), CompoundError::BadDensity { part: 0, .. }));
    }
}
