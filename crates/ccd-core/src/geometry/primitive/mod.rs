//! Primitive solids: box, sphere, capsule, cylinder, cone, half-space, segment, triangle.
