//! What is drawn of the simulation on the stage.

mod arrows;
pub mod bodies;
pub mod shapes;
