//! The three bounding volumes as plain values: axis-aligned box, oriented box, sphere.

mod aabb;
mod min_sphere;
mod obb;
mod sphere;

pub use aabb::Aabb;
pub use obb::Obb;
pub use sphere::Sphere;
