//! The lateral surface of a cylinder or a cone.
//!
//! **Problem.** What lies along the side of a cylinder touches it on a line. Where an edge or another cylinder lies along it but for a millionth of a
//! radian, the places that are nearest at either end are on other generators of the surface, a micrometre beside each other, and the way
//! between places that are ten micrometres apart is no direction then.
//!
//! **Idea.** The surface is smooth: its normal at the place that is nearest to another is told by where that other lies around the axis, which is
//! a radius away.

use crate::geometry::primitive::{Cone, Cylinder};
use crate::math::{Matrix, Point, Real, Vector, hypotenuse};

/// The lateral surface between two circles around one axis, of which the second may be a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lateral {
    /// Unit, from the first circle to the second.
    axis: Vector,
    /// The middles of the circles.
    centres: [Point; 2],
    /// Metres.
    radii: [Real; 2],
    /// The parts of the outward unit normal across the axis and along it.
    normal: [Real; 2],
}

impl Lateral {
    pub(super) fn of_cylinder(cylinder: &Cylinder) -> Self {
        let (radius, h) = (cylinder.radius(), cylinder.half_height());
        let centres = [-h, h].map(|y| Point::new(0.0, y, 0.0));
        Self { axis: Vector::y(), centres, radii: [radius; 2], normal: [1.0, 0.0] }
    }

    pub(super) fn of_cone(cone: &Cone) -> Self {
        let (radius, h) = (cone.radius(), cone.half_height());
        let slant = hypotenuse(2.0 * h, radius);
        let centres = [-h, h].map(|y| Point::new(0.0, y, 0.0));
        Self { axis: Vector::y(), centres, radii: [radius, 0.0], normal: [2.0 * h / slant, radius / slant] }
    }

    /// The same in the frame where its own lies turned by `axes` and shifted by `origin`.
    pub(super) fn transformed(&self, axes: &Matrix, origin: &Vector) -> Self {
        let centres = self.centres.map(|p| Point::from(axes * p.coords + origin));
        Self { axis: axes * self.axis, centres, ..*self }
    }

    /// The same from the second circle to the first.
    pub(super) fn reversed(&self) -> Self {
        let ([first, second], [r, s], [across, along]) = (self.centres, self.radii, self.normal);
        Self { axis: -self.axis, centres: [second, first], radii: [s, r], normal: [across, -along] }
    }

    /// The generator on the side where a place lies, from the first circle to the second, and the outward unit normal along it; `None` for a
    /// place on the axis.
    pub(super) fn towards(&self, place: &Point) -> Option<([Point; 2], Vector)> {
        self.along(&(place - self.centres[0]))
    }

    /// The generator on the side to which a direction leads, and the normal, likewise; `None` for a direction along the axis.
    pub(super) fn along(&self, direction: &Vector) -> Option<([Point; 2], Vector)> {
        let across = (direction - self.axis * direction.dot(&self.axis)).try_normalize(0.0)?;
        let ends = [0, 1].map(|k| self.centres[k] + across * self.radii[k]);
        Some((ends, across * self.normal[0] + self.axis * self.normal[1]))
    }

    /// The outward unit normal at the place of the surface that is nearest to one outside of it; `None` where that is on a circle, and for
    /// places inside.
    pub(super) fn normal_towards(&self, place: &Point) -> Option<Vector> {
        let ([start, end], normal) = self.towards(place)?;
        let (from, along) = (place - start, end - start);
        let is_beside = (0.0..=1.0).contains(&(from.dot(&along) / along.norm_squared()));
        (is_beside && from.dot(&normal) > 0.0).then_some(normal)
    }

    /// Where the normals at the two circles meet the axis.
    pub(super) fn core(&self) -> [Point; 2] {
        let [across, along] = self.normal;
        [0, 1].map(|k| self.centres[k] - self.axis * (self.radii[k] * along / across))
    }
}
