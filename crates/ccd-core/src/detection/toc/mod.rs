//! Time of contact: when two moving solids first come within the tolerance of each other.

mod advancement;
mod answer;
mod boxes;
mod certificate;
mod compound;
mod edge_edge;
mod edge_sweep;
pub mod estimate;
pub mod features;
mod field;
mod front;
mod half_space;
pub mod halving;
mod kinematics;
mod linear;
mod mesh_mesh;
mod mesh_pairs;
pub mod obb_bisection;
mod passage;
mod patches;
mod plane;
pub mod segments;
mod side;
mod sight;
mod spun;
mod trajectory;
mod vertex_face;
mod widest;
mod witness;

pub use answer::{Answered, FirstContact, Method, Moving, Promise, Toc, TocError, TocOptions, Unproven};
pub use edge_edge::edge_edge;
pub use front::time_of_contact;
pub(crate) use front::time_of_contact_among;
pub use linear::{LinearContact, LinearError, LinearOptions, LinearToc, MAX_ADVANCES};
pub use trajectory::{BoxOutcome, TracedPoint, TrajectoryBox, trace_point};
pub use vertex_face::vertex_face;
