//! Time of contact: when two moving solids first come within the tolerance of each other.

mod answer;
mod edge_edge;
mod linear;
mod vertex_face;

pub use answer::{Answered, FirstContact, Method, Moving, Toc, TocError, TocOptions};
pub use edge_edge::edge_edge;
pub use linear::{LinearContact, LinearError, LinearOptions, LinearToc, MAX_ADVANCES};
pub use vertex_face::vertex_face;
