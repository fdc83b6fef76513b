//! Edges of one moving solid against edges of another: the half of Algorithm 1 that the paper leaves out (erratum E6).
//!
//! **Problem.** Two boxes that meet edge across edge never touch vertex to face first.
//! **Idea.** In a frame that moves with B's centre and keeps the world's axes, every vertex of either solid moves on a line
//! plus a turn, and stays within δ = ρ(|ω|Δt)²/8 of the chord between two instants. A point of an edge is a mean of its
//! ends, so the linear edge/edge test with thickness δ_A + δ_B is conservative for the curved motion. Pairs are found by
//! the boxes of their swept edges.
//! Of these most are struck out by the directions in which their faces let them be nearest (the arcs of the Gauss maps).
//! **Guarantee.** No pair that comes within the margin, and is the nearest then, is dropped; a resolved pair is within 3/4 ε at its time: margin ε/4
//! and errors ε/8 in all, δ at most ε/8 counted twice, slack ε/8.
//! **Source.** Errata E1, E6; Redon, Kheddar, Coquillart 2002 for edges on rigid motions.

use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;

use super::edge_edge::edge_edge;
use super::linear::{LinearOptions, LinearToc};
use super::obb_bisection::Trial;
use super::side::{NormalCap, Side};
use crate::bounds::tree::AabbTree;
use crate::math::{Matrix, Point, Real, Vector};
use crate::motion::{RelativeMotion, bound};
use crate::volume::Aabb;

/// The edges that may still meet.
#[derive(Clone, Debug)]
pub(super) enum EdgeCandidates {
    /// Edges of A that may meet some edge of B, and the reverse: while their sweeps are too long to pair them.
    Lists(Vec<u32>, Vec<u32>),
    /// Pairs of edges.
    Pairs(Vec<[u32; 2]>),
}

impl EdgeCandidates {
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Lists(a, b) => a.is_empty() || b.is_empty(),
            Self::Pairs(pairs) => pairs.is_empty(),
        }
    }
}

/// Where both solids are at an instant, in the frame of B's centre with the world's axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    rotation_a: Matrix,
    rotation_b: Matrix,
    offset: Vector,
}

impl Placement {
    pub fn at(a: &Side, b: &Side, relative: &RelativeMotion, time: Real) -> Self {
        Self {
            rotation_a: a.motion.rotation_at(time).to_rotation_matrix().into_inner(),
            rotation_b: b.motion.rotation_at(time).to_rotation_matrix().into_inner(),
            offset: relative.centre_offset(time),
        }
    }

    fn vertex_a(&self, a: &Side, vertex: u32) -> Point {
        let arm = a.features.vertices[vertex as usize] - a.motion.local_centre;
        Point::from(self.offset + self.rotation_a * arm)
    }

    fn vertex_b(&self, b: &Side, vertex: u32) -> Point {
        Point::from(self.rotation_b * (b.features.vertices[vertex as usize] - b.motion.local_centre))
    }

    /// The ends of an edge of A.
    pub fn edge_a(&self, a: &Side, edge: u32) -> [Point; 2] {
        a.features.edges[edge as usize].map(|v| self.vertex_a(a, v))
    }

    /// The ends of an edge of B.
    pub fn edge_b(&self, b: &Side, edge: u32) -> [Point; 2] {
        b.features.edges[edge as usize].map(|v| self.vertex_b(b, v))
    }
}

/// An edge's ends at two instants, and how far it can be from the linear motion between them.
#[derive(Clone, Copy)]
struct Sweep {
    from: [Point; 2],
    to: [Point; 2],
    deviation: Real,
}

impl Sweep {
    fn aabb(&self, margin: Real) -> Aabb {
        Aabb::from_points(self.from.iter().chain(&self.to)).inflated(self.deviation + margin)
    }
}

/// A stretch of time with the placements at its ends.
pub(super) struct EdgeSweep<'a> {
    pub a: &'a Side<'a>,
    pub b: &'a Side<'a>,
    pub from: (Real, Placement),
    pub to: (Real, Placement),
    /// Contact is within this of the cores' edges: radii, errors, margin and rounding, metres.
    pub thickness: Real,
    pub tolerance: Real,
}

/// Whether two edges can be nearest to each other by the directions they face: most pairs of edges that are near cannot.
struct Facing<'a> {
    caps_a: &'a [NormalCap],
    caps_b: &'a [NormalCap],
    b_to_a: Matrix,
    /// How far either can turn over the stretch, with an allowance for rounding, radians.
    turn: Real,
}

impl<'a> Facing<'a> {
    fn over(sweep: &EdgeSweep<'a>) -> Self {
        // Far above the rounding of normals, far below the angles between faces that matter.
        const ROUNDING: Real = 1e-6;
        let dt = sweep.to.0 - sweep.from.0;
        let spin = sweep.a.motion.angular_velocity.norm() + sweep.b.motion.angular_velocity.norm();
        let placement = &sweep.from.1;
        Self {
            caps_a: sweep.a.normal_caps(),
            caps_b: sweep.b.normal_caps(),
            b_to_a: placement.rotation_a.tr_mul(&placement.rotation_b),
            turn: spin * dt + ROUNDING,
        }
    }

    #[inline]
    fn admits(&self, edge_a: u32, edge_b: u32) -> bool {
        let (a, b) = (&self.caps_a[edge_a as usize], &self.caps_b[edge_b as usize]);
        let within = |cosine: Real, angle: Real| angle >= FRAC_PI_2 || cosine.abs() >= angle.cos();
        let axis_b = self.b_to_a * b.axis;
        if !within(a.axis.dot(&axis_b), a.half_angle + b.half_angle + self.turn) {
            return false;
        }
        // Edges that are far from parallel have one common normal, and it turns by no more than turn / sine.
        let normal = a.along.cross(&(self.b_to_a * b.along));
        let sine = normal.norm();
        if sine < 4.0 * self.turn {
            return true;
        }
        let slack = 1.1 * self.turn / sine;
        within(a.axis.dot(&normal) / sine, a.half_angle + slack)
            && within(axis_b.dot(&normal) / sine, b.half_angle + slack + self.turn)
    }
}

impl EdgeSweep<'_> {
    fn deviation(&self, side: &Side, edge: u32) -> Real {
        let [v, w] = side.features.edges[edge as usize];
        let reach = side.levers[v as usize].0.max(side.levers[w as usize].0);
        bound::chord_deviation(side.motion.angular_velocity.norm(), reach, self.to.0 - self.from.0)
    }

    fn sweep_a(&self, edge: u32) -> Sweep {
        Sweep {
            from: self.from.1.edge_a(self.a, edge),
            to: self.to.1.edge_a(self.a, edge),
            deviation: self.deviation(self.a, edge),
        }
    }

    fn sweep_b(&self, edge: u32) -> Sweep {
        Sweep {
            from: self.from.1.edge_b(self.b, edge),
            to: self.to.1.edge_b(self.b, edge),
            deviation: self.deviation(self.b, edge),
        }
    }

    /// Pairs the candidates as far as that pays, keeps what may meet, and calls `meets` for every pair that does.
    ///
    /// While the candidates are lists their earliest time is the start: `meets` is called once, without a pair.
    pub fn filter(
        &self,
        candidates: &EdgeCandidates,
        tests: &mut u64,
        mut meets: impl FnMut(Option<[u32; 2]>, Trial),
    ) -> EdgeCandidates {
        let paired;
        let pairs = match candidates {
            EdgeCandidates::Pairs(pairs) => pairs,
            EdgeCandidates::Lists(a, b) => match self.pair(a, b, tests) {
                Ok(pairs) => {
                    paired = pairs;
                    &paired
                }
                Err(lists) => {
                    meets(None, Trial::Meets { earliest: self.from.0, resolved: false });
                    return lists;
                }
            },
        };
        let facing = Facing::over(self);
        let mut kept = Vec::new();
        for &[edge_a, edge_b] in pairs {
            if !facing.admits(edge_a, edge_b) {
                continue;
            }
            let trial = self.try_pair(edge_a, edge_b, tests);
            if trial != Trial::Clear {
                kept.push([edge_a, edge_b]);
                meets(Some([edge_a, edge_b]), trial);
            }
        }
        EdgeCandidates::Pairs(kept)
    }

    /// The pairs whose swept boxes overlap; the shortened lists where they are too many and shorter sweeps would help.
    fn pair(&self, a: &[u32], b: &[u32], tests: &mut u64) -> Result<Vec<[u32; 2]>, EdgeCandidates> {
        let union = |boxes: &[(u32, Aabb)]| boxes.iter().fold(Aabb::EMPTY, |m, (_, aabb)| m.merged(aabb));
        let boxes_a: Vec<(u32, Aabb)> = a.iter().map(|&e| (e, self.sweep_a(e).aabb(self.thickness))).collect();
        let around_a = union(&boxes_a);
        let mut boxes_b: Vec<(u32, Aabb)> = b.iter().map(|&e| (e, self.sweep_b(e).aabb(0.0))).collect();
        boxes_b.retain(|(_, aabb)| aabb.overlaps(&around_a));
        let around_b = union(&boxes_b);
        let boxes_a: Vec<(u32, Aabb)> = boxes_a.into_iter().filter(|(_, aabb)| aabb.overlaps(&around_b)).collect();
        *tests += ((a.len() + b.len()) / 16) as u64;
        // Below this many, pairs are cheaper than thinking about them.
        const FEW: usize = 256;
        let limit = 4 * (boxes_a.len() + boxes_b.len()) + FEW;
        let sweeps_are_short = self.longest_sweep() <= self.tolerance;
        let mut pairs = Vec::new();
        if boxes_a.len() * boxes_b.len() <= FEW {
            for (edge_a, box_a) in &boxes_a {
                pairs.extend(
                    boxes_b.iter().filter(|(_, box_b)| box_a.overlaps(box_b)).map(|(edge_b, _)| [*edge_a, *edge_b]),
                );
            }
            return Ok(pairs);
        }
        let only_boxes: Vec<Aabb> = boxes_b.iter().map(|(_, aabb)| *aabb).collect();
        let tree = AabbTree::from_boxes(&only_boxes);
        let facing = Facing::over(self);
        for (edge_a, box_a) in &boxes_a {
            let _ = tree.visit_aabb(box_a, |i| {
                if only_boxes[i as usize].overlaps(box_a) && facing.admits(*edge_a, boxes_b[i as usize].0) {
                    pairs.push([*edge_a, boxes_b[i as usize].0]);
                }
                ControlFlow::Continue(())
            });
            if pairs.len() > limit && !sweeps_are_short {
                return Err(EdgeCandidates::Lists(
                    boxes_a.iter().map(|(e, _)| *e).collect(),
                    boxes_b.iter().map(|(e, _)| *e).collect(),
                ));
            }
        }
        Ok(pairs)
    }

    /// No vertex moves further than this over the stretch relative to the frame, metres.
    pub fn longest_sweep(&self) -> Real {
        let dt = self.to.0 - self.from.0;
        let turn = |side: &Side| match side.motion.angular_velocity.norm() {
            0.0 => 0.0,
            spin => spin * side.reach * dt,
        };
        (self.to.1.offset - self.from.1.offset).norm() + turn(self.a) + turn(self.b)
    }

    fn try_pair(&self, edge_a: u32, edge_b: u32, tests: &mut u64) -> Trial {
        let (a, b) = (self.sweep_a(edge_a), self.sweep_b(edge_b));
        if !a.aabb(self.thickness).overlaps(&b.aabb(0.0)) {
            return Trial::Clear;
        }
        *tests += 1;
        let deviation = a.deviation + b.deviation;
        let options = LinearOptions { thickness: self.thickness + deviation, slack: 0.125 * self.tolerance };
        let [[a0, a1], [b0, b1]] = [a.from, b.from];
        let [[c0, c1], [d0, d1]] = [a.to, b.to];
        let toc = edge_edge(&[a0, a1, b0, b1], &[c0, c1, d0, d1], &options);
        let resolved = deviation <= 0.125 * self.tolerance;
        let (start, end) = (self.from.0, self.to.0);
        match toc {
            Ok(LinearToc::Separated) => Trial::Clear,
            Ok(LinearToc::Contact(c)) => Trial::Meets { earliest: (start + c.time * (end - start)).min(end), resolved },
            Ok(LinearToc::Undecided { safe_until }) => {
                Trial::Meets { earliest: start + safe_until * (end - start), resolved: false }
            }
            // Coordinates beyond all reason: certain of nothing.
            Err(_) => Trial::Meets { earliest: start, resolved: false },
        }
    }
}
