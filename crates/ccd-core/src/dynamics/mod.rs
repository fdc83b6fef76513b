//! Bodies, forces, energy.
