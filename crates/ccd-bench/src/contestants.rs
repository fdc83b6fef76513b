//! Those who find closest features of polyhedra, each from where its last query ended.
//!
//! parry takes the direction of its last answer, as its contact code does.

use ccd_core::detection::closest::gjk::{GjkCache, GjkGoal, RelativePose, separation};
use ccd_core::detection::closest::vclip::{FeatureMemory, closest_features};
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use clap::ValueEnum;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::ConvexPolyhedron as PeerHull;

use crate::coherence::{cuboid, sphere, walk};
use crate::lin_canny::{self, Pair, Regions};

/// Steps between queries, degrees; each goes 0.01 m a degree, too.
pub const STEPS: [f64; 9] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 45.0];

/// The vertices of the solids.
pub const VERTICES: [u32; 5] = [8, 12, 42, 162, 642];

/// Who finds closest features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Contestant {
    VClip,
    Gjk,
    Parry,
    LinCanny,
}

impl Contestant {
    pub const ALL: [Self; 4] = [Self::VClip, Self::Gjk, Self::Parry, Self::LinCanny];

    pub fn name(self) -> &'static str {
        match self {
            Self::VClip => "V-Clip",
            Self::Gjk => "GJK, warm",
            Self::Parry => "GJK of parry, warm",
            Self::LinCanny => "Lin-Canny",
        }
    }
}

/// The solid with so many vertices, a box or a sphere; `None` for a number that no solid here has.
pub fn solid(vertices: u32) -> Option<ConvexPolyhedron> {
    let place = VERTICES.iter().position(|v| *v == vertices)?;
    Some(place.checked_sub(1).map_or_else(cuboid, sphere))
}

pub fn solid_name(vertices: u32) -> String {
    format!("{}, {vertices}", if vertices == 8 { "box" } else { "sphere" })
}

/// A solid and its walk around another of its kind, made ready for everybody.
pub struct Course<'s> {
    solid: &'s ConvexPolyhedron,
    regions: Regions<'s>,
    hull: PeerHull,
    poses: Vec<RelativePose>,
    peer_poses: Vec<Pose>,
}

/// What the queries of a course came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Of all distances, metres.
    pub sum: f64,
    /// Steps or rounds of all queries, where they are told.
    pub rounds: u64,
    /// Walks that went in a circle.
    pub circles: u32,
}

impl<'s> Course<'s> {
    pub fn new(solid: &'s ConvexPolyhedron, degrees: f64) -> Self {
        let poses = walk(degrees.to_radians(), 0.01 * degrees);
        let course = Self {
            solid,
            regions: Regions::of(solid),
            hull: peer_hull(solid),
            peer_poses: poses.iter().map(peer_pose).collect(),
            poses,
        };
        // What is only made when it is first asked for.
        for contestant in Contestant::ALL {
            course.run(contestant, 1);
        }
        course
    }

    /// The first `count` queries of the course.
    pub fn run(&self, contestant: Contestant, count: usize) -> Outcome {
        let mut outcome = Outcome::default();
        let poses = self.poses.iter().take(count);
        match contestant {
            Contestant::VClip => {
                let mut memory = FeatureMemory::default();
                for pose in poses {
                    let found = closest_features(self.solid, self.solid, pose, &mut memory);
                    outcome.sum += found.distance;
                    outcome.rounds += u64::from(found.steps);
                }
            }
            Contestant::Gjk => {
                let mut cache = GjkCache::default();
                for pose in poses {
                    let found = separation(self.solid, self.solid, pose, &mut cache, &GjkGoal::EXACT);
                    outcome.sum += found.distance;
                    outcome.rounds += u64::from(found.rounds);
                }
            }
            Contestant::Parry => {
                let (mut direction, mut simplex) = (Vector::X, VoronoiSimplex::new());
                for pose in self.peer_poses.iter().take(count) {
                    outcome.sum += peer_distance(&self.hull, pose, &mut direction, &mut simplex);
                }
            }
            Contestant::LinCanny => {
                let mut pair = Pair::default();
                for pose in poses {
                    let found = lin_canny::distance(&self.regions, &self.regions, pose, &mut pair);
                    outcome.sum += found.distance;
                    outcome.rounds += u64::from(found.steps);
                    outcome.circles += u32::from(found.circled);
                }
            }
        }
        outcome
    }
}

fn peer_hull(hull: &ConvexPolyhedron) -> PeerHull {
    let points: Vec<Vector> = hull.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    PeerHull::from_convex_hull(&points).expect("a hull")
}

fn peer_pose(pose: &RelativePose) -> Pose {
    let rotation = ccd_core::math::Rotation::from_matrix(&pose.rotation);
    let (r, t) = (rotation.coords, pose.translation);
    Pose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(r.x, r.y, r.z, r.w))
}

/// The distance by parry's GJK from the direction of the last one, which it leaves in `direction`.
fn peer_distance(a: &PeerHull, pose: &Pose, direction: &mut Vector, simplex: &mut VoronoiSimplex) -> f64 {
    simplex.reset(CsoPoint::from_shapes(pose, a, a, *direction));
    match gjk::closest_points(pose, a, a, f64::MAX, true, simplex) {
        GJKResult::ClosestPoints(p, q, normal) => {
            *direction = normal;
            (q - p).length()
        }
        _ => 0.0,
    }
}
