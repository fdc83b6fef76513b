//! What scenes are put together from.

use ccd_core::dynamics::BodyKind;
use ccd_core::io::case::{Case, CaseBody, CaseShape, CaseWorld};
use ccd_core::io::expect::{Expectation, Rule};
use ccd_core::math::{Real, Rotation, Vector};
use ccd_core::tolerance::DEFAULT_TOLERANCE;

/// What things weigh, m/s².
pub(super) const G: Real = 9.81;

/// Between what stands on each other at the start, metres: the gap at which a world keeps resting bodies, a tenth of its
/// tolerance, so that a stack starts at rest.
pub(super) const GAP: Real = 0.1 * DEFAULT_TOLERANCE;

/// How long a step of all scenes is that do not say otherwise, seconds.
pub(super) const FRAME: Real = 1.0 / 60.0;

/// An empty case of `seconds` at 60 frames a second, in which nothing may cross or turn NaN.
pub(super) fn case(name: impl Into<String>, notes: &str, seconds: Real) -> Case {
    Case {
        name: name.into(),
        source: None,
        notes: Some(notes.to_owned()),
        world: CaseWorld::new(FRAME, (seconds / FRAME).round() as u32),
        bodies: Vec::new(),
        expect: vec![Expectation::must(Rule::AllFinite {}), Expectation::must(Rule::NeverInterpenetrates { tol: 0.0 })],
    }
}

/// A case as it reads: what is in it, and what must hold.
pub(super) trait Compose {
    /// Puts a body in.
    fn add(&mut self, body: CaseBody);
    /// States what physics demands.
    fn must(&mut self, rule: Rule);
    /// States what is worth a look where it fails.
    fn should(&mut self, rule: Rule);
}

impl Compose for Case {
    fn add(&mut self, body: CaseBody) {
        self.bodies.push(body);
    }

    fn must(&mut self, rule: Rule) {
        self.expect.push(Expectation::must(rule));
    }

    fn should(&mut self, rule: Rule) {
        self.expect.push(Expectation::should(rule));
    }
}

/// The names of bodies, for what is expected of all of them.
pub(super) fn names(bodies: &[CaseBody]) -> Vec<String> {
    bodies.iter().map(|b| b.name.clone()).collect()
}

/// The name of one body, where names are asked for.
pub(super) fn only(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

/// A dynamic body at a place.
pub(super) fn dynamic(name: impl Into<String>, shape: CaseShape, position: [Real; 3]) -> CaseBody {
    CaseBody { position, ..CaseBody::new(name, BodyKind::Dynamic, shape) }
}

/// A static box at a place.
pub(super) fn fixed_box(name: &str, half_extents: [Real; 3], position: [Real; 3]) -> CaseBody {
    CaseBody { position, ..CaseBody::new(name, BodyKind::Static, CaseShape::Box { half_extents }) }
}

/// A floor whose top is at y = 0, `reach` metres from the origin to each side.
pub(super) fn floor(reach: Real) -> CaseBody {
    const HALF_THICKNESS: Real = 0.5;
    fixed_box("floor", [reach, HALF_THICKNESS, reach], [0.0, -HALF_THICKNESS, 0.0])
}

/// A floor with four walls around a square pit, `inner` metres from the middle to each wall, `height` metres deep.
pub(super) fn pit(inner: Real, height: Real) -> Vec<CaseBody> {
    const HALF_THICKNESS: Real = 0.5;
    let (away, half_height) = (inner + HALF_THICKNESS, 0.5 * height);
    let long = inner + 2.0 * HALF_THICKNESS;
    vec![
        floor(long),
        fixed_box("wall-east", [HALF_THICKNESS, half_height, long], [away, half_height, 0.0]),
        fixed_box("wall-west", [HALF_THICKNESS, half_height, long], [-away, half_height, 0.0]),
        fixed_box("wall-south", [inner, half_height, HALF_THICKNESS], [0.0, half_height, away]),
        fixed_box("wall-north", [inner, half_height, HALF_THICKNESS], [0.0, half_height, -away]),
    ]
}

/// A cube with edges of `size` metres.
pub(super) fn cube(size: Real) -> CaseShape {
    CaseShape::Box { half_extents: [0.5 * size; 3] }
}

/// A mesh as it is in its file.
pub(super) fn mesh(file: &str) -> CaseShape {
    CaseShape::Mesh { file: file.to_owned(), scale: [1.0; 3] }
}

/// The hull of a file's vertices.
pub(super) fn hull(file: &str) -> CaseShape {
    CaseShape::Convex { file: Some(file.to_owned()), points: None, scale: [1.0; 3] }
}

/// A quaternion in the format's order.
pub(super) fn quaternion(rotation: &Rotation) -> [Real; 4] {
    let q = rotation.coords;
    [q.x, q.y, q.z, q.w]
}

/// Numbers that look random and are the same for ever (SplitMix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number in [-1, 1).
    pub(super) fn roll(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        const HALF_STEPS: Real = (1_u64 << 52) as Real;
        (z >> 11) as Real / HALF_STEPS - 1.0
    }

    /// A rotation by up to `angle` radians about each axis.
    pub(super) fn rotation(&mut self, angle: Real) -> Rotation {
        let turn = Vector::new(self.roll(), self.roll(), self.roll());
        Rotation::from_scaled_axis(turn * angle)
    }
}
