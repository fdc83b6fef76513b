//! The way of a point of A against B: the boxes of Algorithm 2, and what the paper's own bound would hold (erratum E1).

use ccd_core::detection::toc::{TracedPoint, TrajectoryBox, trace_point};
use ccd_core::math::{Point, Pose, Vector};
use ccd_core::motion::{RelativeMotion, TimeInterval, lever_arms};

use super::CcdInspect;
use super::pair::Side;

/// The most boxes that are kept: contacts are found within dozens.
const MOST_BOXES: usize = 4000;
/// Stretches into which the drawn way is divided.
const PIECES: usize = 96;
/// How finely a curved A is divided for points to be followed on, as a share of its size.
const FINENESS: f64 = 0.05;

/// The way of one point over a step; all places are in B's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Which vertex of A's features is followed.
    pub vertex: u32,
    /// How many there are.
    pub vertices: u32,
    /// The length of the step, seconds.
    pub dt: f64,
    /// The boxes of Algorithm 2, in the order in which they are made; the first few thousand of a search that goes on.
    pub boxes: Vec<TrajectoryBox>,
    /// The way itself, from beginning to end.
    pub way: Vec<Point>,
    /// Where B is shown.
    pub frame: Pose,
    /// What the paper's own bound says of the whole step.
    pub paper: PaperBox,
}

/// The paper's bound of a way: ν/2 around its chord, where ν is how much longer the way is than the chord.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperBox {
    /// Where the chord begins and ends.
    pub chord: [Point; 2],
    /// Where the point would be at the end if it kept the velocity that it starts with: the tangent line.
    pub tangent_end: Point,
    /// ν/2, metres.
    pub half_excess: f64,
    /// δ of erratum E1, metres: what is proven.
    pub deviation: f64,
    /// How far from its chord the way truly goes, metres.
    pub sagitta: f64,
}

impl PaperBox {
    /// Whether the way leaves what the paper's bound holds.
    pub fn misses(&self) -> bool {
        self.sagitta > self.half_excess
    }
}

/// Follows the vertex that is asked for, or the one nearest to `near` (A's frame).
pub(super) fn follow(
    inspect: &CcdInspect,
    a: &Side,
    b: &Side,
    near: Option<Point>,
    tolerance: f64,
    dt: f64,
) -> Option<Trajectory> {
    let solid = a.body.shape().as_solid();
    let size = solid.bounding_sphere().radius;
    let features = solid.features(if size.is_finite() { FINENESS * size } else { return None });
    let vertices = features.vertices.len() as u32;
    let nearest = || {
        let near = near.unwrap_or_else(Point::origin);
        (0..vertices).min_by(|i, j| {
            let distance = |k: u32| (features.vertices[k as usize] - near).norm();
            distance(*i).total_cmp(&distance(*j))
        })
    };
    let vertex = inspect.trajectory_vertex.filter(|v| *v < vertices).or_else(nearest)?;
    let local = features.vertices[vertex as usize];
    let (motion_a, motion_b) = (a.motion, b.motion);
    let interval = TimeInterval::new(0.0, dt).ok()?;
    let point = TracedPoint { local, radius: features.radius };
    let target = (b.body.shape().as_solid(), &motion_b);
    let boxes = trace_point(&point, &motion_a, target, interval, tolerance, MOST_BOXES).ok()?;

    let relative = RelativeMotion::new(&motion_a, &motion_b);
    let place = |t: f64| relative.pose_at(t).a_in_b * local;
    let way: Vec<Point> = (0..=PIECES).map(|i| place(dt * i as f64 / PIECES as f64)).collect();
    let chord = [way[0], way[PIECES]];
    let along = chord[1] - chord[0];
    let length: f64 = way.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
    let (first, last) = (relative.pose_at(0.0), relative.pose_at(dt));
    let (reach, arm) = lever_arms(&motion_a, &local);
    let start: Vector = (place(1e-6 * dt) - way[0]) / (1e-6 * dt);
    let from_chord = |p: &Point| {
        let share = if along.norm() > 0.0 { (p - chord[0]).dot(&along) / along.norm_squared() } else { 0.0 };
        (p - (chord[0] + along * share.clamp(0.0, 1.0))).norm()
    };
    let paper = PaperBox {
        chord,
        tangent_end: way[0] + start * dt,
        half_excess: 0.5 * (length - along.norm()).max(0.0),
        deviation: relative.chord_deviation(&first, &last, reach, arm),
        sagitta: way.iter().map(from_chord).fold(0.0, f64::max),
    };
    Some(Trajectory { vertex, vertices, dt, boxes, way, frame: b.shown, paper })
}
