//! Closed forms for the primitives. All are centred as the primitives are, with y as the axis; density in kg/m³.

use std::f64::consts::PI;

use super::properties::MassProperties;
use crate::math::{Matrix, Point, Real, Vector};

impl MassProperties {
    /// A box: metres, kg/m³.
    pub fn of_box(half_extents: &Vector, density: Real) -> Self {
        let h = half_extents;
        let mass = 8.0 * h.x * h.y * h.z * density;
        let square = h.component_mul(h);
        let moments = Vector::new(square.y + square.z, square.z + square.x, square.x + square.y) * (mass / 3.0);
        Self::about_origin(mass, moments)
    }

    /// A ball: metres, kg/m³.
    pub fn of_ball(radius: Real, density: Real) -> Self {
        let mass = 4.0 / 3.0 * PI * radius.powi(3) * density;
        Self::about_origin(mass, Vector::repeat(0.4 * mass * radius * radius))
    }

    /// A cylinder about y: metres, kg/m³.
    pub fn of_cylinder(radius: Real, half_height: Real, density: Real) -> Self {
        let mass = 2.0 * PI * radius * radius * half_height * density;
        let across = mass * (radius * radius / 4.0 + half_height * half_height / 3.0);
        Self::about_origin(mass, Vector::new(across, 0.5 * mass * radius * radius, across))
    }

    /// A capsule about y whose straight part has the given half height: metres, kg/m³.
    pub fn of_capsule(radius: Real, half_height: Real, density: Real) -> Self {
        let ball = Self::of_ball(radius, density);
        if half_height == 0.0 {
            return ball;
        }
        let tube = Self::of_cylinder(radius, half_height, density);
        // The centres of the half balls lie 3/8 r beyond the ends of the straight part.
        let across = ball.mass * (0.4 * radius * radius + half_height * (half_height + 0.75 * radius));
        let moments = Vector::new(across, ball.inertia.m22, across);
        Self::about_origin(tube.mass + ball.mass, tube.inertia.diagonal() + moments)
    }

    /// A cone about y with its base at −`half_height` and its apex at +`half_height`: metres, kg/m³.
    pub fn of_cone(radius: Real, half_height: Real, density: Real) -> Self {
        let mass = 2.0 / 3.0 * PI * radius * radius * half_height * density;
        let across = mass * 0.15 * (radius * radius + half_height * half_height);
        let mut cone = Self::about_origin(mass, Vector::new(across, 0.3 * mass * radius * radius, across));
        cone.com.y = -0.5 * half_height;
        cone
    }

    fn about_origin(mass: Real, moments: Vector) -> Self {
        Self { mass, com: Point::origin(), inertia: Matrix::from_diagonal(&moments) }
    }
}
