//! Over the facets of a mesh: how a ball that rolls or slides on one of them comes to others within the step.
//!
//! The way of the ball's centre is followed over the mesh, facet by facet. A seam that is hollow is met before its edge is
//! reached, and takes what approaches the next facet; on one that stands out the ball turns about the edge. What is struck so takes a
//! share of the speed that the angles' squares tell; of many fine facets little is left of it, as on the surface that they stand for.
//!
//! ```text
//!            ( )                               ╭─(•)─╮  turns about the edge
//!   ────•──⌢──     ⌢ touches the next         •       •
//!            ╲•     facet before the edge  ───────○───────
//! ```

use super::{Arms, Pivoting};
use crate::bounds::IndexedMesh;
use crate::contact::ContactPoint;
use crate::geometry::feature::Feature;
use crate::math::{Point, Real, Rotation, Vector};
use crate::shape::Shape;
use crate::world::extent::lies_on_its_side;

/// Seams that are crossed within a step before the way is given up.
const MOST_SEAMS: usize = 256;
/// Facets whose normals differ by less than this, rad, are one.
const FLUSH: Real = 1e-9;
/// What lies on its side slides across its axis, but for this share of its way.
const LENGTHWISE: Real = 0.05;
/// What turns by more than this, rad, is an edge, and no part of a surface that bends: who comes over it may be held by something beyond.
const SHARP: Real = 0.5;
/// By this share of the tolerance the way over the facets may leave the chord of the motion that stands for it.
const BESIDE: Real = 0.5;

impl Pivoting<'_> {
    /// Where a contact of a ball and a mesh is on the way to other facets, of which these are the arms at the beginning; `None` where it stays on
    /// its own, and where no straight motion can stand for the way.
    pub(super) fn arms_on_facets(&self, p: &ContactPoint, arms: [Vector; 2]) -> Option<Arms> {
        let features = [p.features.a, p.features.b];
        let part = |k: usize| self.sides[k].part(features[k]);
        let (meshed, mesh, feature, pose, (radius, axis)) = [0, 1].into_iter().find_map(|k| {
            let ((shape, pose, feature), (round, placed, of_round)) = (part(k)?, part(1 - k)?);
            let Shape::Mesh(mesh) = shape else { return None };
            Some((k, mesh, feature, pose, roll_of(round, &placed.rotation, of_round, &p.normal)?))
        })?;
        if self.strikes(p) {
            return None;
        }
        let (place, outward) = if meshed == 0 { (p.point_a, p.normal) } else { (p.point_b, -p.normal) };
        let (ground, ball) = (&self.sides[meshed], &self.sides[1 - meshed]);
        let centre = place + outward * radius;
        let slides = ball.way.at(&(centre - ball.centre())) - ground.way.at(&(centre - ground.centre()));
        if slides.dot(&axis).abs() > LENGTHWISE * slides.norm() {
            return None;
        }
        let start = Start {
            feature,
            place: pose.inverse_transform_point(&place),
            normal: pose.inverse_transform_vector(&outward),
            way: pose.inverse_transform_vector(&(slides - outward * slides.dot(&outward))),
        };
        let end = start.follow(mesh, radius)?;
        let bends = end.normal - start.normal;
        let chord = (start.way + end.along * start.way.norm()) * 0.5;
        let beside = (end.place - start.place + bends * radius - chord).dot(&end.normal);
        let tips = (pose * bends).dot(&axis).abs() > LENGTHWISE * bends.norm();
        if bends.norm() < FLUSH || tips || beside.abs() > BESIDE * self.tolerance {
            return None;
        }
        let turn = pose * bends + ground.way.angular.cross(&outward);
        // What the seams leave of the speed is told by which share of the turn the normal has along which they push. What forces push against
        // they leave alone.
        let across = bends.dot(&start.way) / start.way.norm();
        let passes = ball.velocity.at(&(centre - ball.centre())) - ground.velocity.at(&(centre - ground.centre()));
        let [by_turning, approach] = [turn, outward + turn].map(|along| -passes.dot(&along));
        let struck = if approach > by_turning { by_turning.max(0.0) / approach } else { 1.0 };
        let share = if end.struck > 0.0 { (0.5 + 0.5 * struck * end.struck / (across * across)).min(1.0) } else { 0.5 };
        let mut moved = [Vector::zeros(); 2];
        moved[meshed] = ground.way.angular.cross(&arms[meshed]) + pose * (end.place - start.place);
        moved[1 - meshed] = ball.way.angular.cross(&(centre - ball.centre())) - turn * radius;
        if !self.is_near(&moved, &turn) {
            return None;
        }
        let turn = if meshed == 0 { turn } else { -turn };
        let [to, rest] = [share, 1.0 - share].map(|share| moved.map(|way| way * share));
        let arms = [arms[0] + to[0], arms[1] + to[1]];
        let gain = self.gain(&rest);
        let normal = (p.normal + turn * share).normalize();
        let [a, b] = [0, 1].map(|k| self.sides[k].velocity.at(&arms[k]));
        let rise = (b - a + gain).dot(&turn) * (1.0 - share);
        // Along a normal that turns by more than half the straight motion comes nearer.
        let dip = slides.dot(&turn) * (0.5 - share) / self.rest;
        Some(Arms { arms, normal, bends: true, gain: gain + normal * rise, dip })
    }
}

/// The radius with which a solid rolls on the place of a feature, and the axis about which it is round, unit, world; none for a dome.
fn roll_of(shape: &Shape, rotation: &Rotation, feature: Feature, normal: &Vector) -> Option<(Real, Vector)> {
    let lies = |radius: Real| {
        let axis = rotation * Vector::y();
        lies_on_its_side(&axis, normal).then_some((radius, axis))
    };
    match (shape, feature) {
        (Shape::Ball(ball), _) => Some((ball.radius(), Vector::zeros())),
        (Shape::Capsule(capsule), Feature::Vertex(_)) => Some((capsule.radius(), Vector::zeros())),
        (Shape::Capsule(capsule), _) => lies(capsule.radius()),
        (Shape::Cylinder(cylinder), _) => lies(cylinder.radius()),
        _ => None,
    }
}

/// Where a ball's way over a mesh begins, in the mesh's frame.
struct Start {
    feature: Feature,
    /// The place that it touches.
    place: Point,
    /// Unit, from there to the ball's centre.
    normal: Vector,
    /// Of its centre over the mesh, if nothing turned it, metres.
    way: Vector,
}

/// Where it ends.
struct End {
    place: Point,
    normal: Vector,
    /// Unit, whereto the centre goes then.
    along: Vector,
    /// The sum of the squares of the angles of hollow seams, each by the share of the speed that goes across it, rad².
    struck: Real,
}

/// Where it is.
#[derive(Clone, Copy)]
struct Stage {
    face: u32,
    /// The face's unit normal on the side of the ball.
    normal: Vector,
    place: Point,
    /// Unit, in the face.
    along: Vector,
    /// What is left of the way of the ball's centre, metres.
    left: Real,
}

impl Start {
    /// Follows the way over the facets; `None` where it leaves the mesh, comes to a corner, or crosses too many seams.
    fn follow(&self, mesh: &IndexedMesh, radius: Real) -> Option<End> {
        let Feature::Face(face) = self.feature else { return None };
        let own = *mesh.face_normals().get(face as usize)?;
        let normal = own * own.dot(&self.normal).signum();
        // A contact that is turned to another direction is not the face's own.
        if (normal - self.normal).norm() > FLUSH {
            return None;
        }
        let along = self.way.try_normalize(0.0)?;
        let mut stage = Stage { face, normal, place: self.place, along, left: self.way.norm() };
        let mut struck = 0.0;
        for _ in 0..MOST_SEAMS {
            let Stage { normal, place, along, left, .. } = stage;
            let on_face = End { place: place + along * left, normal, along, struck };
            let exit = stage.exit(mesh)?;
            // No seam is met before the ball's own width from its edge.
            if (exit.distance - radius) > left * exit.across {
                return Some(on_face);
            }
            let is_on_face = exit.distance >= left * exit.across;
            let Some(seam) = stage.seam(mesh, &exit) else { return is_on_face.then_some(on_face) };
            if seam.angle.abs() > SHARP {
                return is_on_face.then_some(on_face);
            }
            let hollow = seam.angle < 0.0;
            let ahead = if hollow { radius * (0.5 * -seam.angle).tan() } else { 0.0 };
            let until = (exit.distance - ahead).max(0.0) / exit.across;
            if until >= left {
                return Some(on_face);
            }
            let beside = along.dot(&exit.tangent);
            let at_edge = place + along * until + exit.outward * (exit.distance - until * exit.across);
            // About the edge the centre goes round.
            let round = if hollow { 0.0 } else { radius * seam.angle / exit.across };
            if left - until < round {
                let (sin, cos) = ((left - until) * exit.across / radius).sin_cos();
                return Some(End {
                    place: at_edge + exit.tangent * (beside * (left - until)),
                    normal: normal * cos + exit.outward * sin,
                    along: exit.tangent * beside + (exit.outward * cos - normal * sin) * exit.across,
                    struck,
                });
            }
            if hollow {
                struck += (seam.angle * exit.across).powi(2);
            }
            stage = Stage {
                face: seam.face,
                normal: seam.normal,
                place: at_edge + seam.inward * ahead + exit.tangent * (beside * round),
                along: exit.tangent * beside + seam.inward * exit.across,
                left: left - until - round,
            };
        }
        None
    }
}

/// The edge across which a face is left.
struct Exit {
    edge: u32,
    /// Unit, along the edge, and in the face across it, outwards.
    tangent: Vector,
    outward: Vector,
    /// How far it is away, across it, metres, and what share of the way goes across it.
    distance: Real,
    across: Real,
}

/// A seam between two faces.
struct Seam {
    face: u32,
    normal: Vector,
    /// Unit, in the face beyond, away from the edge.
    inward: Vector,
    /// Between the normals, rad; below zero where the seam is hollow, seen from the ball.
    angle: Real,
}

impl Stage {
    fn exit(&self, mesh: &IndexedMesh) -> Option<Exit> {
        let corners = mesh.triangle(self.face);
        let winding = mesh.face_normals()[self.face as usize];
        let mut nearest: Option<(Real, Exit)> = None;
        for (k, &edge) in mesh.topology().triangle_edges()[self.face as usize].iter().enumerate() {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            let tangent = (to - from).try_normalize(0.0)?;
            let outward = tangent.cross(&winding);
            let across = self.along.dot(&outward);
            if across <= 0.0 {
                continue;
            }
            let distance = (from - self.place).dot(&outward).max(0.0);
            let time = distance / across;
            if nearest.as_ref().is_none_or(|(soonest, _)| time < *soonest) {
                nearest = Some((time, Exit { edge, tangent, outward, distance, across }));
            }
        }
        nearest.map(|(_, exit)| exit)
    }

    /// The other side of an edge; `None` at a rim, and where more than two faces meet.
    fn seam(&self, mesh: &IndexedMesh, exit: &Exit) -> Option<Seam> {
        let topology = mesh.topology();
        let &[f, g] = topology.faces_of_edge(exit.edge as usize) else { return None };
        let face = if f == self.face { g } else { f };
        let far = mesh.mesh().triangles()[face as usize];
        let ends = topology.edges()[exit.edge as usize];
        let third = *far.iter().find(|v| !ends.contains(v))?;
        let beyond = mesh.mesh().vertices()[third as usize] - mesh.mesh().vertices()[ends[0] as usize];
        let inward = (beyond - exit.tangent * beyond.dot(&exit.tangent)).try_normalize(0.0)?;
        // On the ball's side: as this face's own normal stands to its outward direction.
        let side = exit.outward.cross(&exit.tangent).dot(&self.normal).signum();
        let normal = inward.cross(&exit.tangent) * side;
        let angle = normal.cross(&self.normal).norm().atan2(normal.dot(&self.normal));
        let angle = if normal.dot(&exit.outward) < 0.0 { -angle } else { angle };
        Some(Seam { face, normal, inward, angle })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::mesh::TriMesh;

    const FACETS: u32 = 48;
    const SEAM: Real = std::f64::consts::TAU / 48.0;

    /// Facets about y that touch a cylinder of one metre, from within or from without; the first touches it at +x.
    fn drum(from_within: bool) -> IndexedMesh {
        let corner_radius = (0.5 * SEAM).cos().recip();
        let corners = (0..FACETS).flat_map(|k| {
            let (sin, cos) = ((Real::from(k) - 0.5) * SEAM).sin_cos();
            [-1.0, 1.0].map(|y| Point::new(corner_radius * cos, y, corner_radius * sin))
        });
        let faces = (0..FACETS).flat_map(|k| {
            let (a, b) = (2 * k, 2 * ((k + 1) % FACETS));
            if from_within { [[a, b, b + 1], [a, b + 1, a + 1]] } else { [[a, b + 1, b], [a, a + 1, b + 1]] }
        });
        IndexedMesh::new(TriMesh::try_new(corners.collect(), faces.collect()).unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn a_ball_goes_round_a_drum_of_facets_by_its_way_over_them(
            radius in 0.01..0.3_f64, length in 1e-3..1.0_f64, rise in -0.3..0.3_f64, from_within in any::<bool>(), backwards in any::<bool>(),
        ) {
            let drum = drum(from_within);
            let side = if from_within { -1.0 } else { 1.0 };
            let forth = if backwards { -1.0 } else { 1.0 };
            let start = Start {
                feature: Feature::Face(0),
                place: Point::new(1.0, -1e-3, 0.0),
                normal: Vector::x() * side,
                way: Vector::new(0.0, rise, forth) * length,
            };
            let end = start.follow(&drum, radius).unwrap();
            // Over a facet, and about an edge; from the middle of the first facet on.
            let (straight, round) = (2.0 * (0.5 * SEAM).tan(), radius * SEAM);
            let whole = if from_within { straight * (1.0 - radius) } else { straight + round };
            let seams = (length / whole + 0.5).floor();
            let angle = if from_within {
                seams * SEAM
            } else if length < 0.5 * straight {
                0.0
            } else {
                // Whole facets begin in the middle of an arc.
                let after = (length - 0.5 * straight) / whole;
                after.floor() * SEAM + ((after.fract() * whole).min(round)) / radius
            };
            let (sin, cos) = (forth * angle).sin_cos();
            prop_assert!((end.normal - Vector::new(cos, 0.0, sin) * side).norm() < 1e-9, "{:?} at {angle}", end.normal);
            let struck = if from_within { seams * SEAM * SEAM / (1.0 + rise * rise) } else { 0.0 };
            prop_assert!((end.struck - struck).abs() < 1e-9, "{} at {seams} seams", end.struck);
            prop_assert!((end.along.norm() - 1.0).abs() < 1e-9 && end.along.dot(&end.normal).abs() < 1e-9);
            let centre = end.place + end.normal * radius;
            prop_assert!((centre.y + 1e-3 - rise * length).abs() < 1e-9, "{centre}");
            let touches = end.place.x.hypot(end.place.z);
            prop_assert!((1.0 - 1e-9..(0.5 * SEAM).cos().recip() + 1e-9).contains(&touches), "{touches} m from the axis");
        }
    }

    #[test]
    fn a_way_ends_at_a_rim_and_stays_on_what_is_flush() {
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, z)| Point::new(x, 0.0, z));
        let square = IndexedMesh::new(TriMesh::try_new(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap()).unwrap();
        let start = |way: Vector| Start {
            feature: Feature::Face(0),
            place: Point::new(0.6, 0.0, 0.2),
            normal: Vector::y(),
            way,
        };
        let end = start(Vector::new(0.0, 0.0, 0.7)).follow(&square, 0.1).unwrap();
        assert!((end.place - Point::new(0.6, 0.0, 0.9)).norm() < 1e-12 && (end.normal - Vector::y()).norm() < 1e-12);
        assert!(start(Vector::new(0.0, 0.0, 0.9)).follow(&square, 0.1).is_none());
    }
}
