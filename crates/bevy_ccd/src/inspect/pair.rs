//! What there is to see of a pair.

use std::sync::Arc;

use bevy::prelude::*;
use ccd_core::detection::closest::vclip::{FeatureMemory, WalkStep, closest_features_traced};
use ccd_core::detection::closest::{Closest, closest, gjk::RelativePose};
use ccd_core::dynamics::Body;
use ccd_core::geometry::feature::Feature;
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use ccd_core::math::{Point, Pose};
use ccd_core::motion::RigidMotion;
use ccd_core::shape::Shape;

use super::CcdInspect;
use super::nearest::nearest_places;
use super::region::{FeatureRegion, region_of};
use super::trajectory::{Trajectory, follow};

/// A body of the pair, how it goes on from where the world has it, and where it is shown.
pub(super) struct Side {
    pub body: Body,
    pub motion: RigidMotion,
    pub shown: Pose,
}

/// What is seen of the pair; places are in the world, where the bodies are shown.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct CcdFindings {
    /// The closest points and features; `None` without a pair, or where their distance cannot be measured.
    pub closest: Option<Closest>,
    /// The Voronoi regions of the closest features, of A and of B, where they have any: features of polyhedra and meshes do.
    pub regions: [Option<FeatureRegion>; 2],
    /// The walk of V-Clip; `None` unless both are convex polyhedra (or parts of compounds that are).
    pub walk: Option<Walk>,
    /// The way of the followed point.
    pub trajectory: Option<Trajectory>,
}

/// A walk of V-Clip, from a cold start or from the far sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    /// Its steps, first to last.
    pub steps: Vec<WalkStep>,
    /// For each step the corners of A's and of B's feature, in the world.
    pub corners: Vec<[Vec<Point>; 2]>,
    /// For each step how far apart the two features are, metres.
    pub distances: Vec<f64>,
    /// The polyhedra touch or overlap.
    pub overlapping: bool,
}

/// Looks at all of the pair that is asked for.
pub(super) fn look(inspect: &CcdInspect, a: &Side, b: &Side, tolerance: f64, dt: f64) -> CcdFindings {
    let (shape_a, shape_b) = (a.body.shape(), b.body.shape());
    let closest = closest(shape_a, &a.shown, shape_b, &b.shown).ok();
    let mut found = CcdFindings { closest, ..CcdFindings::default() };
    // Of compounds the parts that are closest.
    let parts = closest.map(|c| [part(shape_a, &a.shown, c.features.a), part(shape_b, &b.shown, c.features.b)]);
    if let Some(parts) = &parts
        && inspect.regions
    {
        found.regions = [0, 1].map(|i| region_of(&parts[i].0, parts[i].2).map(|r| r.placed(&parts[i].1)));
    }
    if inspect.walk {
        let [a, b] = parts.unwrap_or_else(|| {
            let whole = |side: &Side| (side.body.shape().clone(), side.shown, Feature::Vertex(0));
            [whole(a), whole(b)]
        });
        found.walk = walk((&a.0, &a.1), (&b.0, &b.1), inspect.walk_from_far);
    }
    if inspect.trajectory || inspect.paper_box {
        let near = closest.map(|c| a.shown.inverse_transform_point(&c.point_a));
        found.trajectory = follow(inspect, a, b, near, tolerance, dt);
    }
    found
}

/// The part of a compound or a union that has a feature, with its place and its own name for the feature.
fn part(shape: &Shape, pose: &Pose, feature: Feature) -> (Shape, Pose, Feature) {
    if let Some(compound) = shape.as_compound() {
        let (number, own) = compound.part_of_feature(feature);
        if let Some(part) = compound.parts().get(number as usize) {
            return (part.shape.clone(), pose * part.pose, own);
        }
    }
    (shape.clone(), *pose, feature)
}

/// The polyhedron that a shape is, if it is one.
pub(crate) fn polyhedron_of(shape: &Shape) -> Option<Arc<ConvexPolyhedron>> {
    match shape {
        Shape::Convex(hull) => Some(Arc::clone(hull)),
        Shape::Box(cuboid) => {
            let corners: Vec<Point> = (0..8).map(|i| cuboid.vertex(i)).collect();
            ConvexPolyhedron::from_points(&corners).ok().map(Arc::new)
        }
        _ => None,
    }
}

fn walk((a, pose_a): (&Shape, &Pose), (b, pose_b): (&Shape, &Pose), from_far: bool) -> Option<Walk> {
    let (hull_a, hull_b) = (polyhedron_of(a)?, polyhedron_of(b)?);
    let b_in_a = pose_a.inv_mul(pose_b);
    let placement = RelativePose {
        rotation: b_in_a.rotation.to_rotation_matrix().into_inner(),
        translation: b_in_a.translation.vector,
    };
    let mut steps: Vec<WalkStep> = Vec::new();
    let mut start =
        if from_far { FeatureMemory::far_sides(&hull_a, &hull_b, &placement) } else { FeatureMemory::default() };
    let found = closest_features_traced(&hull_a, &hull_b, &placement, &mut start, &mut steps);
    let placed = |hull: &ConvexPolyhedron, pose: &Pose, feature: Feature| -> Vec<Point> {
        hull.voronoi().corners(feature).iter().map(|p| pose * p).collect()
    };
    let corners: Vec<[Vec<Point>; 2]> = steps
        .iter()
        .map(|step| [placed(&hull_a, pose_a, step.features.a), placed(&hull_b, pose_b, step.features.b)])
        .collect();
    let distances =
        corners.iter().map(|[a, b]| nearest_places(a, b).map_or(f64::NAN, |(p, q)| (p - q).norm())).collect();
    Some(Walk { steps, corners, distances, overlapping: found.overlapping })
}
