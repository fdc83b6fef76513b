//! One judge for all engines: from poses alone.

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::build_world_with;
use ccd_core::io::expect::{BodyState, Frame, OverlapWatch, Subject};
use ccd_core::math::{Pose, Vector};

use super::engine::Scenery;

/// Frames between looks for overlaps: each look costs more than a step.
const EVERY: u32 = 20;

/// Watches where bodies go.
pub struct Judge {
    subjects: Vec<Subject>,
    start: Vec<Pose>,
    overlaps: OverlapWatch,
    frames: u32,
    last: Vec<Pose>,
}

impl Judge {
    pub fn new(scenery: &Scenery) -> Self {
        let (world, ids) = build_world_with(&scenery.case, &mut scenery.shapes()).expect("the scene is valid");
        let bodies = || scenery.case.bodies.iter().zip(ids.iter().filter_map(|id| world.body(*id)));
        let subjects = bodies().map(|(body, state)| Subject::of(&body.name, state)).collect();
        let start: Vec<Pose> = bodies().map(|(_, state)| *state.pose()).collect();
        debug_assert!(scenery.case.bodies.iter().all(|b| b.kind != BodyKind::Kinematic));
        Self { subjects, last: start.clone(), start, overlaps: OverlapWatch::default(), frames: 0 }
    }

    /// Looks at a frame; at every one that is due, and the last, for overlaps.
    pub fn see(&mut self, poses: &[Pose], last: bool) {
        self.frames += 1;
        self.last = poses.to_vec();
        if last || self.frames.is_multiple_of(EVERY) {
            let still = |pose: &Pose| BodyState {
                pose: *pose,
                linear_velocity: Vector::zeros(),
                angular_velocity: Vector::zeros(),
            };
            let bodies: Vec<BodyState> = poses.iter().map(still).collect();
            self.overlaps.observe(&self.subjects, &Frame { t: f64::from(self.frames), bodies: &bodies, touched: &[] });
        }
    }

    fn moved(&self) -> impl Iterator<Item = Vector> {
        self.last.iter().zip(&self.start).map(|(now, then)| now.translation.vector - then.translation.vector)
    }

    /// The furthest that any body is from its start in the end, across, metres; not a number where one is nowhere.
    pub fn drift(&self) -> f64 {
        self.moved().map(|way| way.x.hypot(way.z)).fold(0.0, worse)
    }

    /// The furthest that any body is below its start in the end, metres.
    pub fn sink(&self) -> f64 {
        self.moved().map(|way| -way.y).fold(0.0, worse)
    }

    /// The deepest overlap of two bodies in the frames that were looked at, metres.
    pub fn overlap(&self) -> f64 {
        self.overlaps.deepest().map_or(0.0, |deepest| deepest.depth)
    }
}

/// The larger; what is not a number stays.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// The poses to the last bit, mixed (FNV-1a).
pub fn bits(poses: &[Pose]) -> u64 {
    let numbers = poses.iter().flat_map(|pose| {
        let (t, r) = (pose.translation.vector, pose.rotation.coords);
        [t.x, t.y, t.z, r.x, r.y, r.z, r.w]
    });
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, number| {
        number.to_bits().to_le_bytes().iter().fold(hash, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
    })
}
