//! Primitive solids: box, sphere, capsule, cylinder, cone, half-space, triangle.
//!
//! Each is centred in its own frame, with y as the axis where it has one. They are valid by construction: `try_new`
//! refuses sizes outside [`MIN_SIZE`] to [`MAX_SIZE`], so that no product of sizes over- or underflows later.

mod ball;
mod capsule;
mod cone;
mod cuboid;
mod cylinder;
mod error;
mod half_space;
mod revolution;
mod rim;
mod triangle;

pub use ball::Ball;
pub use capsule::Capsule;
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub(in crate::geometry) use error::positive;
pub use error::{MAX_SIZE, MIN_SIZE, ShapeError};
pub use half_space::HalfSpace;
pub use revolution::FINEST_ROUND;
pub use triangle::Triangle;
