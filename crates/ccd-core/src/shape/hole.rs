//! Holes of differences: what a convex cutter has taken away, seen from within.
//!
//! **Problem.** Beside a hole a solid bends the wrong way for every plane: what lies along the wall of its hole is told apart from it cell by
//! cell.
//!
//! **Idea.** A cutter that is an intersection of few walls is convex. What is inside all of them is in none of the solid, and all of a body is,
//! if the points are that it is the hull of. Walls beyond which nothing of the solid lies count for nothing, so that a pin may reach out of
//! its hole at both ends ([`super::pin`]).
//!
//! **Limits.** Of boxes, balls, cylinders, half-spaces and convex polyhedra of few faces that are cut out the walls are known, of other cutters none.

use super::cutter::{FLUSH, reach_of};
use super::{CsgShape, Shape};
use crate::geometry::feature::Feature;
use crate::geometry::field::Field;
use crate::geometry::solid::Solid;
use crate::math::{Point, Pose, Real, Vector};

/// A polyhedron of more faces is no hole: each would be asked for each point.
const MOST_WALLS: usize = 64;

/// A wall of a hole, in the frame of the whole.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wall {
    /// The hole is where `normal · x ≤ offset`, metres.
    Flat {
        /// Unit, out of the hole.
        normal: Vector,
        /// From the origin along the normal.
        offset: Real,
    },
    /// The hole is all within `radius` metres of a place, or of a line.
    Round {
        /// The place, or a place on the line.
        place: Point,
        /// The line's unit direction; zero of a place.
        axis: Vector,
        radius: Real,
    },
}

/// A ball beside a wall, seen from within the hole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    /// How far the ball is inside, metres; below zero outside.
    pub depth: Real,
    /// Unit, out of the hole, where the ball is nearest to the wall.
    pub outward: Vector,
    /// The place of the wall there, and that of the ball.
    pub on_wall: Point,
    pub on_ball: Point,
}

impl Wall {
    /// How a ball is beside the wall; all in the frame of the whole.
    pub fn beside(&self, middle: &Point, radius: Real) -> Beside {
        let (depth, outward) = match self {
            Self::Flat { normal, offset } => (offset - normal.dot(&middle.coords), *normal),
            Self::Round { place, axis, radius } => {
                let way = middle - place;
                let across = way - axis * way.dot(axis);
                let distance = across.norm();
                // In the very middle one way is as good as any.
                let any = || if axis.x.abs() < 0.5 { Vector::x() } else { Vector::y() };
                let outward =
                    if distance > 0.0 { across / distance } else { (any() - axis * axis.dot(&any())).normalize() };
                (radius - distance, outward)
            }
        };
        Beside { depth: depth - radius, outward, on_wall: middle + outward * depth, on_ball: middle + outward * radius }
    }
}

/// Where a hole is open: nothing of the solid is where `normal · x > reach`; in the frame of the whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    /// Unit, out of the hole.
    pub normal: Vector,
    /// From the origin along the normal, metres.
    pub reach: Real,
}

/// The sine of an angle that is none.
const STRAIGHT: Real = 1e-9;

impl Opening {
    /// Whether it is square to a hole along that direction.
    pub fn is_across(&self, along: &Vector) -> bool {
        self.normal.cross(along).norm_squared() <= STRAIGHT * STRAIGHT
    }
}

/// All that is inside the walls is in none of the solid.
#[derive(Clone, Debug)]
pub(crate) struct Hole {
    pub walls: Vec<Wall>,
    pub openings: Vec<Opening>,
}

impl Hole {
    /// The holes that `cutters` make in `whole`, each placed in the same frame.
    pub(super) fn of(whole: &(Shape, Pose), cutters: &[(Shape, Pose)]) -> Vec<Self> {
        cutters.iter().filter_map(|cutter| Self::made_by(cutter, whole)).collect()
    }

    /// How the ball that is nearest to a wall is beside it, of a body's balls with their middles in the frame of the whole, and which that is.
    pub fn nearest<'b>(&self, beads: impl Iterator<Item = (Point, &'b Bead)>) -> Option<(Beside, &'b Bead)> {
        let mut nearest: Option<(Beside, &Bead)> = None;
        for (middle, bead) in beads {
            for beside in self.walls.iter().map(|wall| wall.beside(&middle, bead.radius)) {
                if nearest.as_ref().is_none_or(|(known, _)| beside.depth < known.depth) {
                    nearest = Some((beside, bead));
                }
            }
        }
        nearest
    }

    fn made_by((cutter, pose): &(Shape, Pose), whole: &(Shape, Pose)) -> Option<Self> {
        let round = |axis: Vector, radius: Real| Wall::Round { place: pose * Point::origin(), axis, radius };
        let flat = |normal: Vector, height: Real| {
            let normal = pose.rotation * normal;
            Wall::Flat { normal, offset: height + normal.dot(&pose.translation.vector) }
        };
        let ends = |axis: usize, half: Real| [1.0, -1.0].map(|sign| flat(Vector::ith(axis, sign), half));
        // Cutters that end in a flat face of the whole reach out of it.
        let mut slack = 0.0;
        let all: Vec<Wall> = match cutter {
            Shape::Ball(ball) => vec![round(Vector::zeros(), ball.radius())],
            Shape::HalfSpace(plane) => vec![flat(plane.normal(), 0.0)],
            Shape::Cylinder(s) => {
                slack = FLUSH;
                let side = round(pose.rotation * Vector::y(), s.radius());
                ends(1, s.half_height()).into_iter().chain([side]).collect()
            }
            Shape::Box(s) => {
                slack = FLUSH;
                (0..3).flat_map(|axis| ends(axis, s.half_extents()[axis])).collect()
            }
            Shape::Convex(hull) if hull.face_count() <= MOST_WALLS => {
                hull.planes().iter().map(|plane| flat(plane.normal, plane.offset)).collect()
            }
            _ => return None,
        };
        let mut hole = Self { walls: Vec::new(), openings: Vec::new() };
        for wall in all {
            if let Wall::Flat { normal, offset } = wall {
                let size = offset.abs() + whole.1.translation.vector.amax();
                if let Some(reach) = reach_of(whole, &normal).filter(|reach| *reach <= offset + slack * size) {
                    hole.openings.push(Opening { normal, reach });
                    continue;
                }
            }
            hole.walls.push(wall);
        }
        Some(hole)
    }
}

/// What is asked about the solid behind a wall is asked this share of its size behind it.
const BEHIND: Real = 1e-9;

impl CsgShape {
    /// Whether there is solid behind a wall of a hole, at a place on it.
    pub(crate) fn is_behind(&self, beside: &Beside) -> bool {
        let size = self.solid().bounding_sphere().radius;
        // Of what has no end the place itself tells what rounding is.
        let depth = BEHIND * if size.is_finite() { size } else { beside.on_wall.coords.norm() };
        self.solid().contains(&(beside.on_wall + beside.outward * depth))
    }
}

/// A ball that a body is in part the hull of: the body is that of all of its.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bead {
    /// In the body's frame.
    pub place: Point,
    pub radius: Real,
    /// The part of the body's surface that the ball's is, where it is any: a corner, or what is round about an end.
    pub feature: Option<Feature>,
}

/// The most beads of a body that are worth asking for one by one.
const MOST_BEADS: usize = 512;

impl Shape {
    /// Balls whose hull holds the shape, where they are few and hold it closely: corners, and what is round about them; `None` of others.
    pub(crate) fn beads(&self) -> Option<Vec<Bead>> {
        let corner = |(k, place): (u32, Point)| Bead { place, radius: 0.0, feature: Some(Feature::Vertex(k)) };
        let ends = |height: Real, radius: Real, is_round: bool| {
            let end = |(k, y): (u32, Real)| Bead {
                place: Point::new(0.0, y, 0.0),
                radius,
                feature: is_round.then_some(Feature::Face(k)),
            };
            Some((0..).zip([height, -height]).map(end).collect())
        };
        let all = |points: &[Point]| {
            (points.len() <= MOST_BEADS).then(|| (0..).zip(points.iter().copied()).map(corner).collect())
        };
        match self {
            Self::Box(s) => Some((0..8).map(|k| corner((k, s.vertex(k)))).collect()),
            Self::Ball(s) => {
                Some(vec![Bead { place: Point::origin(), radius: s.radius(), feature: Some(Feature::Face(0)) }])
            }
            Self::Capsule(s) => ends(s.half_height(), s.radius(), true),
            Self::Cylinder(s) => ends(s.half_height(), s.radius(), false),
            Self::Convex(hull) => all(hull.vertices()),
            Self::Mesh(mesh) => all(mesh.mesh().vertices()),
            _ => {
                let mut beads = Vec::new();
                for part in self.as_compound()?.parts() {
                    beads.extend(part.shape.beads()?.into_iter().map(|b| Bead { place: part.pose * b.place, ..b }));
                }
                // One name for each.
                (0..).zip(&mut beads).for_each(|(k, bead)| bead.feature = bead.feature.map(|_| Feature::Vertex(k)));
                (beads.len() <= MOST_BEADS).then_some(beads)
            }
        }
    }
}
