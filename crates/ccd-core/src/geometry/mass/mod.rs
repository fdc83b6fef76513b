//! Mass, centre of mass and inertia.
