//! Impulses: what touching does to velocities.
//!
//! | module | solves | cost | friction | fails where |
//! |---|---|---|---|---|
//! | [`impulse`] | one contact's impulse in closed form; alone, in trains, it is the method `pairwise` | constant | the cone | what rests trembles by small collisions |
//! | [`sequential`] | all contacts of an island by warm-started sweeps, then shock propagation | linear a sweep | the cone | loads of a redundant support depend on the order across bodies |
//! | [`impact`] | all points of what meets at one instant | small | the cone | what its sweeps leave of the approach is met as the next impact |
//! | [`lcp_contact`] | the complementarity problem of an island, pivoting or sweeps | cubic | a pyramid | friction may lock: no solution, which is said |
//! | [`svd_force`] | the least impulses that stop all active contacts | cubic a round | the cone | states may cycle, which is said (erratum E19) |
//! | [`penalty`] | damped springs in small steps | linear a small step | the cone, with creep | loads press contacts together; tall stacks more than ε |

pub(crate) mod blocks;
mod contact_matrix;
mod couples;
mod energy;
pub mod impact;
pub mod impulse;
mod landed;
pub mod lcp_contact;
mod line;
mod loads;
mod momentum;
mod motions;
mod parts;
mod patch;
pub mod penalty;
mod reached;
mod rolling;
pub(crate) mod row;
pub mod sequential;
mod shock;
mod state;
mod statics;
pub mod svd_force;
pub(crate) mod system;
mod together;
mod turn;
mod velocities;
mod warm;
mod watch;
mod wedged;
