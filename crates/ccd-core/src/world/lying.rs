//! What lies: a body that is borne at places far apart goes round on them, and its spin with it.
//!
//! **Problem.** Of a slender body that spins flat on a floor the floor takes what would turn it about its length or lift an end, all step long. Solved
//! for once, and let turn freely from there on, it has some of the one in the place of the other by the end of the step; what takes that adds
//! friction at one end, and the next step has several times as much to take. Such sticks began to roll, and threw themselves off the floor. What is
//! unbalanced, and spins flat about no axis of its own, would be turned aside by its own turning: each step began with that, the floor stopped it, and
//! what had gone into it was lost.
//!
//! **Idea.** The spin that is solved for goes round with the body about the normal of what bears it: whoever bears it takes all that turning would
//! change.
//!
//! **Cost.** Linear in the contacts of bodies that are slender and spin fast across their length, or tumble; nothing for others.

use super::course::Course;
use super::flight::{is_guided, turns_aside};
use super::stepping::{Pair, Stepping};
use crate::dynamics::Body;
use crate::math::{Point, Pose, Real, Rotation, Vector, rotation_over};

/// So slender is a body, or so fast does it spin, that what turns it aside about one of its axes turns it about another by more than this share of that
/// within a step.
const COUPLED: Real = 1.0;
/// A body is borne far apart at two places further from each other than this share of its reach.
const FAR_APART: Real = 0.5;
/// What is borne far apart, and would be turned aside by its own turning, goes round on what bears it if it spins across the normal by less than this
/// share of its spin about it.
const ACROSS: Real = 0.1;
/// Normals are one if the cosine between them is more than this.
const ONE_NORMAL: Real = 1.0 - 1e-4;

impl Stepping {
    /// The normal of the contacts of these pairs that push a body, world, if they have one and are far apart, and the body, with this spin at this
    /// pose, is slender and spins fast about it, or would be turned aside by its own turning.
    pub(super) fn lies_on(
        &self,
        (body, pose): (&Body, &Pose),
        spin: &Vector,
        rest: Real,
        pairs: impl Iterator<Item = Pair>,
    ) -> Option<Vector> {
        if body.has_equal_moments() || is_guided(body) {
            return None;
        }
        let is_coupled = |spin: &Vector| body.coupling(pose, spin) * rest > COUPLED;
        let wobbles = |spin: &Vector| turns_aside(body, pose, spin, rest);
        if !is_coupled(spin) && !wobbles(spin) {
            return None;
        }
        let mut first: Option<(Vector, Point)> = None;
        let mut apart: Real = 0.0;
        for close in pairs.filter_map(|pair| self.close.get(&pair)) {
            for (k, p) in close.points.iter().enumerate() {
                let pushed =
                    [&close.impulses, &close.shock].map(|all| all.get(k).map_or(0.0, |impulse| impulse.dot(&p.normal)));
                if pushed.iter().sum::<Real>() <= 0.0 {
                    continue;
                }
                let (normal, place) = *first.get_or_insert((p.normal, p.midpoint()));
                if normal.dot(&p.normal).abs() < ONE_NORMAL {
                    return None;
                }
                apart = apart.max((p.midpoint() - place).norm());
            }
        }
        let (normal, _) = first.filter(|_| apart > FAR_APART * body.reach())?;
        let about = normal * spin.dot(&normal);
        let lies = if is_coupled(spin) {
            is_coupled(&about)
        } else {
            (spin - about).norm() < ACROSS * about.norm() && wobbles(&about)
        };
        lies.then_some(normal)
    }

    /// The pairs that a body may have contacts in, while impacts are met.
    pub(super) fn pairs_around(&self, k: u32) -> impl Iterator<Item = Pair> {
        self.neighbours.of(k).iter().map(move |&other| (k.min(other), k.max(other)))
    }
}

impl Course {
    /// The spin that `spin` at the beginning of the motion of what lies is `after` seconds of it: gone round with the body about the normal.
    pub(super) fn gone_round(&self, body: &Body, spin: &Vector, normal: &Vector, after: Real) -> Vector {
        let about = normal * self.motion.angular_velocity.dot(normal);
        let round: Rotation = rotation_over(&about, after);
        let (start, reached) = (&self.motion.start, self.pose_after(after));
        let spun = round * spin;
        let (allowed, has) = (body.spin_energy(start, spin), body.spin_energy(&reached, &spun));
        if has > allowed { spun * (allowed / has).sqrt() } else { spun }
    }
}
