//! A spinning rod that meets a thin post within one step.

use ccd_core::dynamics::{BodyKind, LockedAxes};
use ccd_core::io::case::{CaseBody, CaseShape};
use ccd_core::io::expect::Rule;
use ccd_core::math::{Real, Rotation, Vector};

use super::parts::{Compose, FRAME, case, dynamic, only, quaternion};
use super::{CaseFiles, Scene, SceneError};
use crate::options::{check_between, options};

/// Half the rod's length and half its thickness, metres.
const HALF_LENGTH: Real = 1.0;
const HALF_THICKNESS: Real = 0.01;

/// What the angle between two quaternions may lose to rounding, rad.
const ROUNDING: Real = 1e-7;

options! {
    "rod": "a rod spinning past a thin post within one step"
    /// A rod of 2 m × 2 cm × 2 cm on a pivot, spinning about y, without gravity, with a post of 2 cm in its way: one step of 1/60 s.
    ///
    /// At 100 rad/s the rod turns by 1.67 rad in the step; its end poses say nothing of the post.
    Rod {
        /// About y, rad/s.
        spin: Real = 100.0,
        /// Of the post's middle from the axis, metres.
        distance: Real = 0.8,
        /// From the rod to the post at the start, rad; reached within the step if it is less than spin / 60.
        angle: Real = 0.9,
        /// Of the post, metres.
        post_radius: Real = 0.01,
    }
}

impl Rod {
    /// Half the rod's sides, metres: it lies along x at the start.
    pub const HALF_EXTENTS: [Real; 3] = [HALF_LENGTH, HALF_THICKNESS, HALF_THICKNESS];

    /// How long the step lasts, seconds.
    pub const STEP: Real = FRAME;

    /// The middle of the post, metres.
    pub fn post(&self) -> Vector {
        // Turning about +y leads from +x to −z.
        Rotation::from_axis_angle(&Vector::y_axis(), self.angle) * Vector::new(self.distance, 0.0, 0.0)
    }

    /// The angle by which the rod has turned when its side touches the post: exact, rad.
    pub fn stop_angle(&self) -> Real {
        self.angle - ((HALF_THICKNESS + self.post_radius) / self.distance).asin()
    }

    /// [`Rod::stop_angle`] where the rod gets there within the step: its other end, which trails the post, needs half a turn more.
    pub fn stop(&self) -> Option<Real> {
        Some(self.stop_angle()).filter(|angle| *angle < self.spin * Self::STEP)
    }

    /// So many rods of one spin (rad/s) with their posts all around, the same on every run: a golden-ratio walk over distances and angles.
    pub fn placings(spin: Real, count: u32) -> impl Iterator<Item = Self> {
        (0..count).map(move |i| {
            let walk = |step: Real| (Real::from(i) * step).fract();
            let distance = 0.2 + 0.75 * walk(0.618_033_988_749_895);
            Self { spin, distance, angle: 0.15 + 2.8 * walk(0.754_877_666_246_693), ..Self::default() }
        })
    }
}

impl Scene for Rod {
    const NAMED: &'static [&'static str] = &["spin"];

    fn build(&self) -> Result<CaseFiles, SceneError> {
        check_between::<Self>("spin", self.spin, 1e-3, 1e6)?;
        check_between::<Self>("distance", self.distance, 0.1, 0.95 * HALF_LENGTH)?;
        check_between::<Self>("post_radius", self.post_radius, 1e-4, 0.04)?;
        // The post must start clear of both arms.
        const CLEARANCE: Real = 1e-3;
        let clear = ((HALF_THICKNESS + self.post_radius) / self.distance).asin() + CLEARANCE;
        check_between::<Self>("angle", self.angle, clear, std::f64::consts::PI - clear)?;
        let mut case = case(format!("rod at {} rad/s", self.spin), "one step of 1/60 s", FRAME);
        case.world.gravity = [0.0; 3];
        // The exact stop angle is known, so the step is asked for it.
        case.world.tolerance = 1e-6;
        case.world.contact_threshold = 1e-4;
        case.world.friction = 0.0;
        let rod = CaseShape::Box { half_extents: Self::HALF_EXTENTS };
        case.add(CaseBody {
            angular_velocity: [0.0, self.spin, 0.0],
            // On a pivot: without bounce it stays where it hits, so that its angle at the step's end tells where that was.
            locked_dof: LockedAxes { translation: [true; 3], rotation: [true, false, true] },
            ..dynamic("rod", rod, [0.0; 3])
        });
        let post = CaseShape::Cylinder { radius: self.post_radius, half_height: 0.5 };
        case.add(CaseBody {
            position: self.post().into(),
            rotation: quaternion(&Rotation::identity()),
            ..CaseBody::new("post", BodyKind::Static, post)
        });
        if let Some(stop) = self.stop() {
            case.must(Rule::Contact { a: "rod".to_owned(), b: "post".to_owned(), by: None });
            case.must(Rule::RotationFromStart { bodies: only("rod"), t: FRAME, max: stop + ROUNDING });
        } else {
            case.must(Rule::NoContact { a: "rod".to_owned(), b: "post".to_owned() });
        }
        Ok(CaseFiles::of(format!("rod-{}.json", self.spin), case))
    }
}
