//! Convex polyhedra and convex hulls.
