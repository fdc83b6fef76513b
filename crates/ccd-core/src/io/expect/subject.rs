//! What the judge of a run knows of its bodies, and what it is shown of each frame.

use crate::dynamics::{Body, BodyKind};
use crate::math::{Matrix, Point, Pose, Real, Vector, is_finite, is_sound_pose};
use crate::shape::Shape;
use crate::volume::Aabb;

/// A body as it stays through the run.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name in the case file.
    pub name: String,
    /// Whether and how it moves.
    pub kind: BodyKind,
    /// Its geometry, in its own frame.
    pub shape: Shape,
    /// kg; zero unless dynamic.
    pub mass: Real,
    /// The centre of mass in the shape's frame, metres; of what is fixed that of its shape, or the origin where it has none or only
    /// subdivision would tell.
    pub local_com: Point,
    /// The inertia about the centre of mass in the shape's frame, kg·m²; zero unless dynamic.
    pub inertia: Matrix,
    /// Bodies of the same group do not collide.
    pub no_collide_group: Option<u32>,
}

impl Subject {
    /// The body of a world, under its name in the case file.
    pub fn of(name: impl Into<String>, body: &Body) -> Self {
        let is_dynamic = body.kind() == BodyKind::Dynamic;
        let properties = body.mass_properties();
        Self {
            name: name.into(),
            kind: body.kind(),
            shape: body.shape().clone(),
            mass: if is_dynamic { properties.mass } else { 0.0 },
            local_com: if body.kind() == BodyKind::Static { centre_of(body.shape()) } else { body.local_centre() },
            inertia: if is_dynamic { properties.inertia } else { Matrix::zeros() },
            no_collide_group: body.no_collide_group,
        }
    }

    /// Whether contact between the two is looked at at all.
    pub(super) fn collides_with(&self, other: &Self) -> bool {
        (self.kind == BodyKind::Dynamic || other.kind == BodyKind::Dynamic)
            && (self.no_collide_group.is_none() || self.no_collide_group != other.no_collide_group)
    }
}

/// The centre of mass of a shape of even density.
fn centre_of(shape: &Shape) -> Point {
    // That of other fields is a sum over many cells.
    let is_summed = matches!(shape, Shape::Field(_) | Shape::Custom(_)) && shape.as_convex().is_none();
    let known = if is_summed { None } else { shape.mass_properties(1.0).ok() };
    known.map_or(Point::origin(), |(properties, _)| properties.com)
}

/// The world box around a body; everything for an unbounded one, whose own box would not survive a rotation.
pub(super) fn world_box(subject: &Subject, state: &BodyState) -> Aabb {
    if subject.shape.is_bounded() {
        subject.shape.as_solid().local_aabb().transformed(&state.pose)
    } else {
        let all = Vector::repeat(Real::INFINITY);
        Aabb { min: Point::from(-all), max: Point::from(all) }
    }
}

/// A body's state in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// The placement of the shape's frame in the world.
    pub pose: Pose,
    /// The velocity of the centre of mass, m/s, world.
    pub linear_velocity: Vector,
    /// rad/s, world.
    pub angular_velocity: Vector,
}

impl BodyState {
    /// The state of a world's body now.
    pub fn of(body: &Body) -> Self {
        Self {
            pose: *body.pose(),
            linear_velocity: *body.linear_velocity(),
            angular_velocity: *body.angular_velocity(),
        }
    }

    /// Whether every number in it is finite.
    pub fn is_finite(&self) -> bool {
        is_sound_pose(&self.pose) && is_finite(&self.linear_velocity) && is_finite(&self.angular_velocity)
    }
}

/// The state of all bodies at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Seconds from the start.
    pub t: Real,
    /// The states, in the order of the case's bodies.
    pub bodies: &'a [BodyState],
    /// Who touched since the frame before.
    pub touched: &'a [Touch],
}

/// Two bodies that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Their places in the case, the smaller first.
    pub pair: (usize, usize),
    /// When they did first since the frame before, as far as that is known: seconds from the start.
    pub t: Real,
}
