//! Where contacts are within a step, seen from their bodies' centres.
//!
//! What rolls over a face, or turns on a corner of its own, has its contact elsewhere by the end of the step, seen from its centre; where
//! surfaces bend, or a face tilts, the normal turns as well. With an impulse that acts where the two touch at the beginning, and velocities
//! that are right there, a falling rod, a cone that rolls round its tip and a ball in a bowl lose energy, and a ball on a turntable gains it, of
//! the first order in the step. So the impulses of such contacts act where the two touch halfway, along the normal that they have there, and
//! the velocities are right where they touch at the end. So would each step brake what whirls on a pin in its hole: faces and edges of what moves
//! freely take the normal with them. What tumbles, whose inertia turns as well, is left out.

mod curves;
mod edges;
mod facets;
mod forced;
mod leaves;
mod tilt;

pub(super) use tilt::tilted;

use super::World;
use super::extent::rim_speed;
use super::flight::turns_far;
use super::sleep::CREEP_SPEED;
use super::stepping::{Pair, Stepping};
use super::wants::At;
use crate::contact::ContactPoint;
use crate::geometry::feature::Feature;
use crate::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use crate::response::impulse::Velocity;
use crate::shape::Shape;
use curves::{are_curved, have_one_normal, lie_on_a_line, middle};

/// Two bodies that turn on a corner or a rim touch at no more places.
pub(super) const MOST: usize = 2;
/// What is nearer to where a round body touches by its shape than this share of the way from its centre is there.
const THERE: Real = 1e-2;
/// By this share of the way from the centre the place may move within the step; what it does beyond cannot be told from the beginning.
const FURTHEST: Real = 0.1;
/// The same where surfaces bend of which one cannot move, and by how much normals may turn there, rad.
const FURTHEST_ON_FIXED_CURVES: Real = 0.2;
/// By how much a round side's place on a face may, which is known by the end of the step: a coin that sways moves it far along its rim.
const FURTHEST_ROUND: Real = 0.35;
/// What forces add to a body's way within the step counts by this share for where its contacts are: bowls, logs and edges ask for that
/// (`tests/response/curves.rs`; with all of it periods are some times as far off, and without any what slides off loses energy). What several places
/// bear does not go there (`forced.rs`).
const FORCED: Real = 1.0 / 3.0;
/// Turns by less than this, rad, are none.
const SAME_NORMAL: Real = 1e-9;

/// Where a contact is, from the centres of A and B, metres, world.
pub(super) struct Arms {
    pub arms: [Vector; 2],
    /// Unit, from A to B.
    pub normal: Vector,
    /// Whether the normal turns: the surfaces bend there, or a face tilts.
    pub bends: bool,
    /// What the velocity of B's place relative to A's is more at the end of the step than at these arms, m/s.
    pub gain: Vector,
    /// How fast a straight motion from the one place to the other comes nearer along the normal, m/s.
    pub dip: Real,
}

/// A pair of which something turns, and not so far that its inertia does.
pub(super) struct Pivoting<'w> {
    sides: [Side<'w>; 2],
    /// What approaches faster strikes, m/s, and goes elsewhere from then on.
    impact_speed: Real,
    /// ε, metres.
    tolerance: Real,
    /// What is left of the step, seconds.
    rest: Real,
    /// Whether nothing can be told but where the normal turns with what moves freely.
    edges_alone: bool,
    /// The shape operators of surfaces that touch along a line.
    line: Option<[Matrix; 2]>,
}

struct Side<'w> {
    shape: &'w Shape,
    local_centre: Point,
    pose: Pose,
    /// By the end of the step.
    turned: Rotation,
    /// By the end of the step, metres and rad.
    way: Velocity,
    /// At the end of the step.
    velocity: Velocity,
    /// No point of it is further from where its places are seen, metres; infinite for what cannot move.
    reach: Real,
}

impl Stepping {
    /// A pair whose contacts may move on within the step; `None` if none does, or a crowd lands, which the next step solves as coarsely again.
    pub(super) fn pivoting<'w>(&self, world: &'w World, (a, b): Pair, at: &At) -> Option<Pivoting<'w>> {
        let points = &self.close[&(a, b)].points;
        let still = Vector::zeros();
        let turns = |side: usize| at.velocities[side].angular != still || at.motions[side].angular != still;
        let shapes = [a, b].map(|k| self.body(world, k).shape());
        let is_line = || points.iter().all(|p| are_curved(shapes, p)) && lie_on_a_line(points);
        let is_round = |p: &ContactPoint| who_pivots(shapes, p).is_some() && (turns(0) || turns(1));
        let is_flat = |p: &ContactPoint| {
            [Surface::at(shapes[0], p.features.a), Surface::at(shapes[1], p.features.b)] == [Surface::Flat; 2]
        };
        let is_patch = || points.len() > MOST && have_one_normal(points);
        // What has met within the step and bounces meets again before anything has turned.
        let is_off_soon = at.t > 0.0 && self.surfaces(world, (a, b)).restitution() > 0.0;
        let leads = || (turns(0) || turns(1)) && !is_off_soon && !is_patch() && !points.iter().all(is_flat);
        let moves = match points.len() {
            _ if at.crowded => false,
            1..=MOST => points.iter().any(|p| is_round(p) || are_curved(shapes, p)),
            _ => is_line(),
        };
        if at.crowded || !(moves || leads()) {
            return None;
        }
        let bodies = [a, b].map(|k| self.body(world, k));
        // What rests stays where it is; that gravity alone would move it on is nothing to go by.
        let slow = CREEP_SPEED * world.in_force.slow_speed();
        let creeps = |side: usize| {
            let Velocity { linear, angular } = at.starts[side];
            linear.norm() + rim_speed(bodies[side], angular.norm()) <= slow
        };
        if creeps(0) && creeps(1) {
            return None;
        }
        let rest = self.dt - at.t;
        let poses = [a, b].map(|k| self.courses[k as usize].pose_at(at.t));
        let tumbles = |side: usize| {
            let spins = [&at.velocities[side].angular, &at.motions[side].angular];
            !at.inertias[side].is_immovable() && turns_far(bodies[side], &poses[side], spins, [rest, self.dt])
        };
        if tumbles(0) || tumbles(1) {
            return None;
        }
        let side = |side: usize| {
            let body = bodies[side];
            let start = *at.starts[side];
            let way = (start + *at.forced[side] * FORCED) * rest;
            Side {
                shape: body.shape(),
                local_centre: body.local_centre(),
                pose: poses[side],
                turned: Rotation::from_scaled_axis(way.angular) * poses[side].rotation,
                way,
                velocity: *at.velocities[side],
                reach: if at.inertias[side].is_immovable() { Real::INFINITY } else { body.reach() },
            }
        };
        let mut pivoting = Pivoting {
            sides: [side(0), side(1)],
            impact_speed: self.impact_speed(world, (a, b)),
            tolerance: world.in_force.tolerance,
            rest,
            edges_alone: !moves,
            line: None,
        };
        if moves && is_line() {
            if !points.iter().all(|p| pivoting.strikes(p)) {
                pivoting.line = pivoting.shape_operators(&middle(points));
            }
            if points.len() > MOST && pivoting.line.is_none() {
                return None;
            }
        }
        Some(pivoting)
    }
}

impl Pivoting<'_> {
    /// Where a contact is halfway, of which these are the arms at the beginning; `None` where it stays, or where it goes cannot be told.
    pub(super) fn arms(&self, p: &ContactPoint, arms: [Vector; 2]) -> Option<Arms> {
        if self.edges_alone {
            return self.arms_on_features(p, arms);
        }
        let own = who_pivots([self.sides[0].shape, self.sides[1].shape], p);
        let on_curves = || if self.go_by_curves(p, own) { self.arms_on_curves(p, arms) } else { None };
        on_curves()
            .or_else(|| self.arms_on_facets(p, arms))
            .or_else(|| self.arms_on_features(p, arms))
            .or_else(|| self.arms_about(own?, p, arms))
    }

    /// Whether a contact goes by how the surfaces bend, of which the body `own` pivots: also on a face that is driven and tilts, which takes the
    /// normal with it.
    fn go_by_curves(&self, p: &ContactPoint, own: Option<usize>) -> bool {
        let [a, b] = &self.sides;
        let tilts = |k: usize| !self.sides[k].is_free() && self.sides[k].turns_across(&p.normal);
        let has_free_edge = |side: &Side, feature| side.is_free() && has_edge(side.shape, feature);
        are_curved([a.shape, b.shape], p)
            && own.is_none_or(|own| tilts(1 - own))
            && !(has_free_edge(a, p.features.a) || has_free_edge(b, p.features.b))
    }

    /// Where a contact is halfway at which the body `own` pivots on a face of the other.
    fn arms_about(&self, own: usize, p: &ContactPoint, arms: [Vector; 2]) -> Option<Arms> {
        let (feature, down) = if own == 0 { (p.features.a, p.normal) } else { (p.features.b, -p.normal) };
        let (pivoting, ground) = (&self.sides[own], &self.sides[1 - own]);
        // A face that turns far has another normal by then: along this one it would throw what slides on it.
        if ground.way.angular.cross(&p.normal).norm() > FURTHEST_ON_FIXED_CURVES {
            return None;
        }
        let turns = pivoting.turns(feature, &down, &arms[own], p.separation)?;
        let way = pivoting.way.linear + turns - ground.way.linear;
        let along = way - down * way.dot(&down);
        if along.norm() > FURTHEST * ground.reach {
            return None;
        }
        // As the ground sees it, which turns on under it.
        let over = along - ground.way.angular.cross(&arms[1 - own]);
        let share = self.share_on_face(1 - own, p, &arms, &over);
        let mut moved = [along * (0.5 * share); 2];
        moved[own] = turns * (0.5 * share);
        Some(Arms {
            arms: [arms[0] + moved[0], arms[1] + moved[1]],
            normal: p.normal,
            bends: false,
            gain: self.gain(&moved),
            dip: 0.0,
        })
    }

    /// The arms halfway of a contact whose places move by `moves`, seen from the centres, and whose normal turns by `turn` within the step; `None` where
    /// that is too far.
    fn arms_on_the_way(&self, p: &ContactPoint, arms: [Vector; 2], moves: [Vector; 2], turn: Vector) -> Option<Arms> {
        if !self.is_near(&moves, &turn) {
            return None;
        }
        let [a, b] = &self.sides;
        let moved = moves.map(|way| way * 0.5);
        let normal = (p.normal + turn * 0.5).normalize();
        // What slides on then approaches along another normal.
        let sliding = b.velocity.at(&(arms[1] + moved[1])) - a.velocity.at(&(arms[0] + moved[0]));
        let gain = self.gain(&moved);
        let rise = (sliding + gain).dot(&turn) * 0.5;
        Some(Arms {
            arms: [arms[0] + moved[0], arms[1] + moved[1]],
            normal,
            bends: true,
            gain: gain + normal * rise,
            dip: 0.0,
        })
    }

    /// Whether places move and normals turn by as little, over the whole step, as can be told from the beginning where surfaces bend.
    fn is_near(&self, moved: &[Vector; 2], turn: &Vector) -> bool {
        let is_fixed = self.sides.iter().any(|side| !side.is_free());
        let furthest = if is_fixed { FURTHEST_ON_FIXED_CURVES } else { FURTHEST };
        turn.norm() <= furthest && moved.iter().zip(&self.sides).all(|(way, side)| way.norm() <= furthest * side.reach)
    }

    /// What the velocity of B's place relative to A's gains where the places move by so much, seen from the centres, m/s.
    fn gain(&self, moved: &[Vector; 2]) -> Vector {
        let [a, b] = self.sides.each_ref().map(|side| side.velocity.angular);
        b.cross(&moved[1]) - a.cross(&moved[0])
    }
}

impl<'w> Side<'w> {
    /// Whether impulses can move it.
    fn is_free(&self) -> bool {
        self.reach.is_finite()
    }

    /// Whether it turns so that a normal turns with it.
    fn turns_across(&self, normal: &Vector) -> bool {
        self.way.angular.cross(normal).norm() > SAME_NORMAL
    }

    /// From where a place on it is seen, world.
    fn centre(&self) -> Point {
        self.pose * self.local_centre
    }

    /// The solid that a feature belongs to, where it is, and which of its own features that is.
    fn part(&self, feature: Feature) -> Option<(&'w Shape, Pose, Feature)> {
        let Some(compound) = self.shape.as_compound() else { return Some((self.shape, self.pose, feature)) };
        let (part, own) = compound.part_of_feature(feature);
        compound.parts().get(part as usize).map(|part| (&part.shape, self.pose * part.pose, own))
    }

    /// By how much the place at which it touches what lies `down`, world, moves beside its centre within the step, metres; `None` where the
    /// contact that is `arm` away from the centre, with this gap, is not there.
    fn turns(&self, feature: Feature, down: &Vector, arm: &Vector, separation: Real) -> Option<Vector> {
        let surface = Surface::at(self.shape, feature);
        let turns = match surface {
            Surface::Corner => self.turned * self.pose.rotation.inverse_transform_vector(arm) - arm,
            Surface::Flat | Surface::Edge | Surface::Smooth | Surface::Other => return None,
            Surface::Round => {
                let at = |rotation: &Rotation| {
                    let place = lowest(self.shape, feature, &rotation.inverse_transform_vector(down))?;
                    Some(rotation * (place - self.local_centre))
                };
                let start = at(&self.pose.rotation)?;
                if (start - arm).norm() > THERE * start.norm() + separation {
                    return None;
                }
                at(&self.turned)? - start
            }
        };
        let furthest = if surface == Surface::Round { FURTHEST_ROUND } else { FURTHEST };
        (turns.norm() <= furthest * arm.norm()).then_some(turns)
    }
}

/// What a solid's surface is like where it touches another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surface {
    /// A face that lies in a plane.
    Flat,
    /// A corner of a polyhedron.
    Corner,
    /// Of a ball, a capsule, a cylinder or a cone, but for what is flat.
    Round,
    /// Of a field.
    Smooth,
    /// An edge.
    Edge,
    /// What is not known.
    Other,
}

impl Surface {
    fn at(shape: &Shape, feature: Feature) -> Self {
        if let Some(compound) = shape.as_compound() {
            let (part, own) = compound.part_of_feature(feature);
            return compound.parts().get(part as usize).map_or(Self::Other, |part| Self::at(&part.shape, own));
        }
        match (shape, feature) {
            (Shape::Cylinder(_), Feature::Face(0 | 1)) | (Shape::Cone(_), Feature::Face(0)) => Self::Flat,
            (Shape::Ball(_) | Shape::Capsule(_) | Shape::Cylinder(_) | Shape::Cone(_), _) => Self::Round,
            (Shape::Field(_), _) => Self::Smooth,
            (Shape::Patches(_) | Shape::Custom(_), _) => Self::Other,
            (_, Feature::Face(_)) => Self::Flat,
            (_, Feature::Vertex(_)) => Self::Corner,
            (_, Feature::Edge(_)) => Self::Edge,
        }
    }

    /// Whether it turns on a face that it touches, on places that are known.
    fn pivots(self) -> bool {
        matches!(self, Self::Corner | Self::Round)
    }
}

/// Whether a solid's surface has an edge or a corner where a feature is.
fn has_edge(shape: &Shape, feature: Feature) -> bool {
    matches!(Surface::at(shape, feature), Surface::Edge | Surface::Corner)
}

/// Which of two bodies turns on the other at a contact, 0 or 1, if the other is flat there.
fn who_pivots([a, b]: [&Shape; 2], p: &ContactPoint) -> Option<usize> {
    match [Surface::at(a, p.features.a), Surface::at(b, p.features.b)] {
        [own, Surface::Flat] if own.pivots() => Some(0),
        [Surface::Flat, own] if own.pivots() => Some(1),
        _ => None,
    }
}

/// The place of a round shape's feature that is furthest along a direction, unit, both in the shape's frame; `None` where all of them are
/// as far, and for what has no places of its own.
fn lowest(shape: &Shape, feature: Feature, direction: &Vector) -> Option<Point> {
    let on_rim = |radius: Real, y: Real| {
        let across = Vector::new(direction.x, 0.0, direction.z).try_normalize(THERE)?;
        Some(Point::from(Vector::y() * y + across * radius))
    };
    let end = |height: Real, k: u32| if k == 0 { -height } else { height };
    if let Some(compound) = shape.as_compound() {
        let (part, own) = compound.part_of_feature(feature);
        let part = compound.parts().get(part as usize)?;
        return Some(part.pose * lowest(&part.shape, own, &part.pose.inverse_transform_vector(direction))?);
    }
    match (shape, feature) {
        (Shape::Ball(ball), _) => Some(Point::from(direction * ball.radius())),
        (Shape::Capsule(capsule), Feature::Vertex(k)) => {
            Some(Point::from(Vector::y() * end(capsule.half_height(), k) + direction * capsule.radius()))
        }
        (Shape::Cylinder(cylinder), Feature::Edge(k)) => on_rim(cylinder.radius(), end(cylinder.half_height(), k)),
        (Shape::Cone(cone), Feature::Edge(_)) => on_rim(cone.radius(), -cone.half_height()),
        (Shape::Cone(cone), Feature::Vertex(_)) => Some(cone.apex()),
        _ => None,
    }
}
