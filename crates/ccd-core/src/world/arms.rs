//! Where contacts are within a step, seen from their bodies' centres.
//!
//! What rolls over a face, or turns on a corner of its own, has its contact elsewhere by the end of the step, seen from its centre. With an
//! impulse that acts where the two touch at the beginning, and velocities that are right there, a falling rod and a cone that rolls round
//! its tip lose energy, and a ball on a turntable gains it, of the first order in the step. So the impulses of such contacts act where the
//! two touch halfway, and the velocities are right where they touch at the end. What tumbles, whose inertia turns as well, is left out, and
//! so are faces on faces (see `gather.rs`).

use super::World;
use super::flight::turns_far;
use super::gather::At;
use super::stepping::{Pair, Stepping};
use crate::contact::{ContactPoint, contact_motion};
use crate::geometry::feature::Feature;
use crate::geometry::field::shape_operator;
use crate::math::{Matrix, Point, Pose, Real, Rotation, Vector};
use crate::response::impulse::Velocity;
use crate::shape::Shape;

/// Two bodies that turn on a corner or a rim touch at no more places.
const MOST: usize = 2;
/// Bodies that touch along a line touch everywhere with normals whose cosine is above this, and beside it by less than this share of its length.
const ONE_NORMAL: Real = 1.0 - 1e-6;
const ASIDE: Real = 1e-2;
/// What is nearer to where a round body touches by its shape than this share of the way from its centre is there.
const THERE: Real = 1e-2;
/// By this share of the way from the centre the place may move within the step; what it does beyond cannot be told from the beginning.
const FURTHEST: Real = 0.1;
/// How far apart the normals are compared that tell how a surface bends, as a share of the shorter way from a centre.
const APART: Real = 1e-3;

/// Where a contact is, from the centres of A and B, metres, world.
pub(super) struct Arms {
    pub arms: [Vector; 2],
    /// Unit, from A to B.
    pub normal: Vector,
    /// Whether the surfaces bend there.
    pub bends: bool,
    /// What the velocity of B's place relative to A's is more at the end of the step than at these arms, m/s.
    pub gain: Vector,
}

/// A pair of which something turns, and not so far that its inertia does.
pub(super) struct Pivoting<'w> {
    sides: [Side<'w>; 2],
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
    /// By how far places on it may move from where they are seen, metres.
    furthest: Real,
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
        let moves = match points.len() {
            _ if at.crowded => false,
            1..=MOST => points.iter().any(|p| is_round(p) || are_curved(shapes, p)),
            _ => is_line(),
        };
        if !moves {
            return None;
        }
        let bodies = [a, b].map(|k| self.body(world, k));
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
            let (body, motion) = (bodies[side], at.motions[side]);
            let way = *motion * rest;
            Side {
                shape: body.shape(),
                local_centre: body.local_centre(),
                pose: poses[side],
                turned: Rotation::from_scaled_axis(way.angular) * poses[side].rotation,
                way,
                velocity: *at.velocities[side],
                furthest: if at.inertias[side].is_immovable() { Real::INFINITY } else { FURTHEST * body.reach() },
            }
        };
        let mut pivoting = Pivoting { sides: [side(0), side(1)], line: None };
        if is_line() {
            pivoting.line = pivoting.bends(&middle(points));
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
        let shapes = [self.sides[0].shape, self.sides[1].shape];
        let Some(own) = who_pivots(shapes, p) else {
            return if are_curved(shapes, p) { self.arms_on_curves(p, arms) } else { None };
        };
        let (feature, down) = if own == 0 { (p.features.a, p.normal) } else { (p.features.b, -p.normal) };
        let (pivoting, ground) = (&self.sides[own], &self.sides[1 - own]);
        let turns = pivoting.turns(feature, &down, &arms[own], p.separation)?;
        let way = pivoting.way.linear + turns - ground.way.linear;
        let along = way - down * way.dot(&down);
        if along.norm() > ground.furthest {
            return None;
        }
        let mut moved = [along * 0.5; 2];
        moved[own] = turns * 0.5;
        Some(Arms {
            arms: [arms[0] + moved[0], arms[1] + moved[1]],
            normal: p.normal,
            bends: false,
            gain: self.gain(&moved),
        })
    }

    /// What the velocity of B's place relative to A's gains where the places move by so much, seen from the centres, m/s.
    fn gain(&self, moved: &[Vector; 2]) -> Vector {
        let [a, b] = self.sides.each_ref().map(|side| side.velocity.angular);
        b.cross(&moved[1]) - a.cross(&moved[0])
    }

    /// The shape operators of the two surfaces at a contact.
    fn bends(&self, p: &ContactPoint) -> Option<[Matrix; 2]> {
        let [a, b] = &self.sides;
        let apart = APART * a.way_to(&p.point_a).min(b.way_to(&p.point_b));
        Some([a.bends(p.features.a, &p.point_a, apart)?, b.bends(p.features.b, &p.point_b, apart)?])
    }

    /// The same where the surfaces bend, and the normal turns.
    fn arms_on_curves(&self, p: &ContactPoint, arms: [Vector; 2]) -> Option<Arms> {
        let [a, b] = &self.sides;
        let [bends_a, bends_b] = match self.line {
            Some(bends) => bends,
            None => self.bends(p)?,
        };
        let slides = b.way.at(&arms[1]) - a.way.at(&arms[0]);
        let turns = [&a.way.angular, &b.way.angular];
        let motion = contact_motion(&p.normal, [&bends_a, &bends_b], turns, &slides)?;
        let moved = [0, 1].map(|k| (self.sides[k].way.angular.cross(&arms[k]) + motion.ways[k]) * 0.5);
        let is_near = |k: usize| 2.0 * moved[k].norm() <= self.sides[k].furthest;
        if !(is_near(0) && is_near(1) && motion.turn.norm() <= FURTHEST) {
            return None;
        }
        let normal = (p.normal + motion.turn * 0.5).normalize();
        // What slides on then approaches along another normal.
        let sliding = b.velocity.at(&(arms[1] + moved[1])) - a.velocity.at(&(arms[0] + moved[0]));
        let gain = self.gain(&moved);
        let rise = (sliding + gain).dot(&motion.turn) * 0.5;
        Some(Arms { arms: [arms[0] + moved[0], arms[1] + moved[1]], normal, bends: true, gain: gain + normal * rise })
    }
}

impl Side<'_> {
    /// By how much the place at which it touches what lies `down`, world, moves beside its centre within the step, metres; `None` where the
    /// contact that is `arm` away from the centre, with this gap, is not there.
    fn turns(&self, feature: Feature, down: &Vector, arm: &Vector, separation: Real) -> Option<Vector> {
        let turns = match Surface::at(self.shape, feature) {
            Surface::Corner => self.turned * self.pose.rotation.inverse_transform_vector(arm) - arm,
            Surface::Flat | Surface::Smooth | Surface::Other => return None,
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
        (turns.norm() <= FURTHEST * arm.norm()).then_some(turns)
    }

    /// From its centre to a place, world, metres.
    fn way_to(&self, place: &Point) -> Real {
        (place - self.pose * self.local_centre).norm()
    }

    /// The shape operator of its surface where the feature has a place, all world; normals are compared `apart` metres from it.
    fn bends(&self, feature: Feature, place: &Point, apart: Real) -> Option<Matrix> {
        let (mut shape, mut pose) = (self.shape, self.pose);
        if let Shape::Compound(compound) = shape {
            let part = compound.parts().get(compound.part_of_feature(feature).0 as usize)?;
            (shape, pose) = (&part.shape, pose * part.pose);
        }
        let own = shape_operator(shape.as_field()?, &pose.inverse_transform_point(place), apart)?;
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        Some(rotation * own * rotation.transpose())
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
    /// An edge, or what is not known.
    Other,
}

impl Surface {
    fn at(shape: &Shape, feature: Feature) -> Self {
        match (shape, feature) {
            (Shape::Compound(compound), feature) => {
                let (part, own) = compound.part_of_feature(feature);
                compound.parts().get(part as usize).map_or(Self::Other, |part| Self::at(&part.shape, own))
            }
            (Shape::Cylinder(_), Feature::Face(0 | 1)) | (Shape::Cone(_), Feature::Face(0)) => Self::Flat,
            (Shape::Ball(_) | Shape::Capsule(_) | Shape::Cylinder(_) | Shape::Cone(_), _) => Self::Round,
            (Shape::Field(_), _) => Self::Smooth,
            (Shape::Patches(_) | Shape::Custom(_), _) => Self::Other,
            (_, Feature::Face(_)) => Self::Flat,
            (_, Feature::Vertex(_)) => Self::Corner,
            (_, Feature::Edge(_)) => Self::Other,
        }
    }

    /// Whether it turns on a face that it touches, on places that are known.
    fn pivots(self) -> bool {
        matches!(self, Self::Corner | Self::Round)
    }
}

/// Which of two bodies turns on the other at a contact, 0 or 1, if the other is flat there.
fn who_pivots([a, b]: [&Shape; 2], p: &ContactPoint) -> Option<usize> {
    match [Surface::at(a, p.features.a), Surface::at(b, p.features.b)] {
        [own, Surface::Flat] if own.pivots() => Some(0),
        [Surface::Flat, own] if own.pivots() => Some(1),
        _ => None,
    }
}

/// Whether several contacts have one normal and lie on one line.
fn lie_on_a_line(points: &[ContactPoint]) -> bool {
    let Some((first, others)) = points.split_first() else { return false };
    let way = |p: &ContactPoint| p.point_a - first.point_a;
    let Some(longest) = others.iter().map(way).max_by(|v, w| v.norm_squared().total_cmp(&w.norm_squared())) else {
        return false;
    };
    let aside = |p: &ContactPoint| way(p).cross(&longest).norm() / longest.norm_squared();
    others.iter().all(|p| p.normal.dot(&first.normal) > ONE_NORMAL && aside(p) < ASIDE)
}

/// Between the contacts of one line.
fn middle(points: &[ContactPoint]) -> ContactPoint {
    let mean = |place: fn(&ContactPoint) -> Point| {
        Point::from(points.iter().map(|p| place(p).coords).sum::<Vector>() / points.len() as Real)
    };
    ContactPoint { point_a: mean(|p| p.point_a), point_b: mean(|p| p.point_b), ..points[0] }
}

/// Whether two surfaces touch of which at least one bends, and neither has edges there, as far as their kinds tell.
fn are_curved([a, b]: [&Shape; 2], p: &ContactPoint) -> bool {
    let surfaces = [Surface::at(a, p.features.a), Surface::at(b, p.features.b)];
    surfaces.iter().all(|surface| matches!(surface, Surface::Flat | Surface::Round | Surface::Smooth))
        && surfaces != [Surface::Flat; 2]
}

/// The place of a round shape's feature that is furthest along a direction, unit, both in the shape's frame; `None` where all of them are
/// as far, and for what has no places of its own.
fn lowest(shape: &Shape, feature: Feature, direction: &Vector) -> Option<Point> {
    let on_rim = |radius: Real, y: Real| {
        let across = Vector::new(direction.x, 0.0, direction.z).try_normalize(THERE)?;
        Some(Point::from(Vector::y() * y + across * radius))
    };
    let end = |height: Real, k: u32| if k == 0 { -height } else { height };
    match (shape, feature) {
        (Shape::Compound(compound), feature) => {
            let (part, own) = compound.part_of_feature(feature);
            let part = compound.parts().get(part as usize)?;
            Some(part.pose * lowest(&part.shape, own, &part.pose.inverse_transform_vector(direction))?)
        }
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
