//! The bent surface above the corners of a side that counts as flat.

use crate::math::{Matrix, Point, Real, Vector};
use crate::shape::FieldShape;

/// Steps to the surface: each squares what is left.
const STEPS: usize = 8;
/// Of a place over the surface so often the foot is taken anew: it moves by a hundredth of the height, which is small itself.
const ROUNDS: usize = 3;

/// A smooth convex surface of which a patch's corners are places: between them it stands out over the patch, by a little.
#[derive(Clone, Debug)]
pub(super) struct Bulge {
    field: FieldShape,
    /// From the solid's frame to that of the patch.
    axes: Matrix,
    origin: Vector,
    /// The unit direction in which it stands out, in the patch's frame.
    outward: Vector,
}

impl Bulge {
    /// In the solid's own frame.
    pub(super) fn new(field: &FieldShape, outward: Vector) -> Self {
        Self { field: field.clone(), axes: Matrix::identity(), origin: Vector::zeros(), outward }
    }

    /// In the frame where its own lies turned by `axes` and shifted by `origin`.
    pub(super) fn transform(&mut self, axes: &Matrix, origin: &Vector) {
        self.origin = axes * self.origin + origin;
        self.axes = axes * self.axes;
        self.outward = axes * self.outward;
    }

    /// The place of the surface over one of the patch, and the outward unit normal there; `None` where there is none.
    pub(super) fn over(&self, place: &Point) -> Option<(Point, Vector)> {
        let field = self.field.as_field();
        let out = self.axes.tr_mul(&self.outward);
        let mut point = Point::from(self.axes.tr_mul(&(place.coords - self.origin)));
        let mut normal = out;
        for _ in 0..STEPS {
            let tangent = field.tangent(&point)?;
            let rise = tangent.normal.dot(&out);
            // Where it falls away from the direction the patch is left.
            if rise < 0.5 {
                return None;
            }
            let step = -tangent.value / rise;
            point += out * step;
            normal = tangent.normal;
            if step.abs() <= Real::EPSILON * point.coords.amax() {
                break;
            }
        }
        Some((Point::from(self.axes * point.coords + self.origin), self.axes * normal))
    }

    /// The foot on the surface of a place beside it, near the given one of the patch, and the outward unit normal there.
    pub(super) fn foot(&self, near: &Point, of: &Point) -> Option<(Point, Vector)> {
        let mut found = self.over(near)?;
        for _ in 0..ROUNDS {
            let (foot, normal) = found;
            found = self.over(&(of - normal * (of - foot).dot(&normal)))?;
        }
        Some(found)
    }
}
