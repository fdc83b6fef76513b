//! Time of contact: when two moving solids first come within the tolerance of each other.

mod answer;
mod edge_edge;
mod edge_sweep;
pub mod features;
mod linear;
pub mod obb_bisection;
pub mod segments;
mod side;
mod vertex_face;
mod witness;

pub use answer::{Answered, FirstContact, Method, Moving, Toc, TocError, TocOptions};
pub use edge_edge::edge_edge;
pub use linear::{LinearContact, LinearError, LinearOptions, LinearToc, MAX_ADVANCES};
pub use vertex_face::vertex_face;
