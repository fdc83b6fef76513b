//! Both solids with the features of one level, and which of them may still meet in a stretch of time.
//!
//! The searching half of [`super::features`], which divides time and chooses levels.

use super::answer::{FirstContact, Toc, TocOptions};
use super::edge_sweep::{EdgeCandidates, EdgeSweep, Placement};
use super::features::{FeatureToc, Trajectories};
use super::obb_bisection::{Path, Trial};
use super::side::Side;
use super::witness::Witnesses;
use crate::math::Real;
use crate::motion::{RelativeMotion, RelativePose, TimeInterval};
use crate::stats::QueryStats;

/// The share of the tolerance by which boxes and edges are grown: bodies closer than this always count as touching.
pub(super) const MARGIN: Real = 0.25;

/// Both solids at an instant, each seen from the other.
#[derive(Clone, Copy)]
pub(super) struct Instant {
    pub time: Real,
    pub a_in_b: RelativePose,
    pub b_in_a: RelativePose,
    pub placement: Placement,
}

/// The features that may still meet in a stretch of time.
pub(super) struct Candidates {
    pub vertices_a: Vec<u32>,
    pub vertices_b: Vec<u32>,
    pub edges: EdgeCandidates,
}

impl Candidates {
    pub fn is_empty(&self) -> bool {
        self.vertices_a.is_empty() && self.vertices_b.is_empty() && self.edges.is_empty()
    }
}

/// What is left of a stretch of time.
pub(super) struct Survey {
    pub left: Candidates,
    /// No feature meets another before it.
    pub earliest: Real,
    /// All that is left is within the tolerance at its own earliest time.
    pub resolved: bool,
}

/// All features that can be nearest. Of a solid whose core is a few points (a ball) those points against the other solid
/// are enough: the other's vertices have nothing else to meet.
pub(super) fn all_features_of(a: &Side, b: &Side) -> Candidates {
    let count = |n: usize| (0..n as u32).collect::<Vec<u32>>();
    let only_points = |side: &Side| side.is_bounded() && side.features.edges.is_empty();
    let (points_a, points_b) = (only_points(a), only_points(b));
    Candidates {
        vertices_a: if points_b && !points_a { Vec::new() } else { count(a.features.vertices.len()) },
        vertices_b: if points_a { Vec::new() } else { count(b.features.vertices.len()) },
        edges: EdgeCandidates::Lists(count(a.features.edges.len()), count(b.features.edges.len())),
    }
}

/// Both solids with the features of one level.
pub(super) struct Search<'a> {
    pub a: &'a Side<'a>,
    pub b: &'a Side<'a>,
    a_in_b: RelativeMotion,
    b_in_a: RelativeMotion,
    options: &'a TocOptions,
    trajectories: Trajectories,
    /// What rounding of poses and places can amount to, metres.
    pub rounding: Real,
}

impl<'a> Search<'a> {
    pub fn new(
        [a, b]: &'a [Side<'a>; 2],
        interval: &TimeInterval,
        options: &'a TocOptions,
        trajectories: Trajectories,
    ) -> Self {
        let latest = interval.start().abs().max(interval.end().abs());
        // A spin of many turns also loses the digits of its angle.
        let extent = |side: &Side| {
            let angle = side.motion.angular_velocity.norm() * latest;
            let reach = if side.reach.is_finite() { side.reach } else { 0.0 };
            side.motion.start.translation.vector.norm()
                + side.motion.local_centre.coords.norm()
                + side.motion.linear_velocity.norm() * latest
                + reach * (1.0 + angle)
        };
        // A dozen roundings lie between a motion and a place.
        let rounding = 16.0 * Real::EPSILON * (extent(a) + extent(b));
        Self {
            a,
            b,
            a_in_b: RelativeMotion::new(a.motion, b.motion),
            b_in_a: RelativeMotion::new(b.motion, a.motion),
            options,
            trajectories,
            rounding,
        }
    }

    pub fn tolerance(&self) -> Real {
        self.options.tolerance
    }

    pub fn instant(&self, time: Real) -> Instant {
        Instant {
            time,
            a_in_b: self.a_in_b.pose_at(time),
            b_in_a: self.b_in_a.pose_at(time),
            placement: Placement::at(self.a, self.b, &self.a_in_b, time),
        }
    }

    /// All features of both solids.
    pub fn all(&self) -> Candidates {
        all_features_of(self.a, self.b)
    }

    /// The larger of the tessellations' errors, metres.
    pub fn error(&self) -> Real {
        self.a.features.error.max(self.b.features.error)
    }

    /// The part of the interval in which the balls around the solids, about their centres of rotation, can touch.
    pub fn near(&self, interval: TimeInterval) -> Option<(Real, Real)> {
        let (start, end) = (interval.start(), interval.end());
        let reach = self.a.reach + self.b.reach + self.tolerance() + self.rounding;
        if !reach.is_finite() {
            return Some((start, end));
        }
        let offset = self.a_in_b.centre_offset(start);
        let velocity = self.a.motion.linear_velocity - self.b.motion.linear_velocity;
        let squared = velocity.norm_squared();
        let foot = if squared > 0.0 { -offset.dot(&velocity) / squared } else { 0.0 };
        // The nearest approach is computed from there: no square of a large distance is subtracted from another.
        let nearest = (offset + velocity * foot).norm();
        // Rounding of the offset itself, where the centres are far apart.
        let slop = 16.0 * Real::EPSILON * (offset.norm() + velocity.norm() * foot.abs());
        let reach = reach * (1.0 + 1e-9) + slop;
        if nearest > reach {
            return None;
        }
        if squared == 0.0 {
            return Some((start, end));
        }
        let half = ((reach - nearest) * (reach + nearest) / squared).sqrt() * (1.0 + 1e-9);
        let slack = 16.0 * Real::EPSILON * (start.abs() + foot.abs() + half);
        let (enter, leave) = ((start + foot - half - slack).max(start), (start + foot + half + slack).min(end));
        (enter <= leave).then_some((enter, leave))
    }

    /// How far outside the core's vertices of `mover` contact with `target` may happen, metres.
    pub fn vertex_thickness(&self, mover: &Side, target: &Side, margin: Real) -> Real {
        mover.skin() + target.features.error + margin * self.tolerance() + self.rounding
    }

    /// Strikes out what provably does not meet between two instants.
    pub fn survey(
        &self,
        from: &Instant,
        to: &Instant,
        candidates: &Candidates,
        margin: Real,
        stats: &mut QueryStats,
    ) -> Survey {
        let mut earliest = Real::INFINITY;
        let mut resolved = true;
        let mut note = |trial: Trial| match trial {
            Trial::Clear => false,
            Trial::Meets { earliest: time, resolved: r } => {
                earliest = earliest.min(time);
                resolved &= r;
                true
            }
        };
        let mut queries = 0;
        let mut vertices = |of_a: bool, list: &[u32]| -> Vec<u32> {
            list.iter().copied().filter(|&v| note(self.try_vertex(of_a, v, from, to, margin, &mut queries))).collect()
        };
        let vertices_a = vertices(true, &candidates.vertices_a);
        let vertices_b = vertices(false, &candidates.vertices_b);
        let sweep = self.edge_sweep(from, to, margin);
        let edges = if candidates.edges.is_empty() {
            EdgeCandidates::Pairs(Vec::new())
        } else {
            sweep.filter(&candidates.edges, &mut queries, |_, trial| {
                note(trial);
            })
        };
        stats.features_tested += queries;
        Survey { left: Candidates { vertices_a, vertices_b, edges }, earliest, resolved }
    }

    pub fn edge_sweep(&self, from: &Instant, to: &Instant, margin: Real) -> EdgeSweep<'a> {
        EdgeSweep {
            a: self.a,
            b: self.b,
            from: (from.time, from.placement),
            to: (to.time, to.placement),
            thickness: self.a.skin() + self.b.skin() + margin * self.tolerance() + self.rounding,
            tolerance: self.tolerance(),
        }
    }

    fn try_vertex(
        &self,
        of_a: bool,
        vertex: u32,
        from: &Instant,
        to: &Instant,
        margin: Real,
        queries: &mut u64,
    ) -> Trial {
        let (mover, target, relative) =
            if of_a { (self.a, self.b, &self.a_in_b) } else { (self.b, self.a, &self.b_in_a) };
        let (from_pose, to_pose) = if of_a { (&from.a_in_b, &to.a_in_b) } else { (&from.b_in_a, &to.b_in_a) };
        let local = mover.features.vertices[vertex as usize];
        let (reach, arm) = mover.levers[vertex as usize];
        let path = Path {
            from: from_pose.a_in_b * local,
            to: to_pose.a_in_b * local,
            deviation: relative.chord_deviation(from_pose, to_pose, reach, arm),
            thickness: self.vertex_thickness(mover, target, margin),
            radius: mover.features.radius,
        };
        match self.trajectories {
            Trajectories::Segments if mover.features.radius == 0.0 => {
                let speed = relative.speed_bound(from_pose, to_pose, reach, arm);
                path.try_segment(target, (from.time, to.time), speed, self.tolerance(), queries)
            }
            Trajectories::Boxes | Trajectories::Segments | Trajectories::Samples => {
                path.try_boxes(target, from.time, self.tolerance(), queries)
            }
        }
    }

    /// Every contact within the tolerance at an instant.
    pub fn contacts_at(&self, at: &Instant, stats: &mut QueryStats) -> Vec<FirstContact> {
        // Boxes reach a little further than the tolerance, the witnesses then measure.
        let boxes = Self { trajectories: Trajectories::Boxes, ..*self };
        let near = boxes.survey(at, at, &self.all(), 1.0, stats).left;
        let limit = self.tolerance() + self.rounding;
        let mut contacts = Witnesses::new(self, at).of(&near);
        contacts.retain(|c| c.separation <= limit);
        contacts
    }

    pub fn report(
        &self,
        time: Real,
        interval: &TimeInterval,
        left: &Candidates,
        (from, to): (&Instant, &Instant),
        stats: &mut QueryStats,
    ) -> FeatureToc {
        let at = self.instant(time.clamp(from.time, to.time));
        let mut contacts = self.contacts_at(&at, stats);
        if contacts.is_empty() {
            // A loose box query, or a tessellation coarser than asked for: what is nearest of what was left.
            contacts = Witnesses::new(self, &at).of(left);
        }
        let nearest = contacts.iter().min_by(|c, d| c.separation.total_cmp(&d.separation)).copied();
        let toc = match nearest {
            Some(contact) if at.time <= interval.start() => Toc::Overlapping(contact),
            Some(contact) => Toc::Contact(contact),
            // Nothing measurable was left: certified until here all the same.
            None => Toc::Undecided { safe_until: at.time },
        };
        FeatureToc { toc, contacts_at_first: contacts }
    }
}
