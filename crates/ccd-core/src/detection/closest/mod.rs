//! Closest points and features of two solids at an instant.
