//! The box.

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Real};

use super::{Model, ModelError, finished};
use crate::options::{check_length, options};

options! {
    "box": "box of 12 triangles"
    /// A box of 12 triangles around the origin.
    ///
    /// By default The unit cube.
    Cuboid {
        /// The edge along x, metres.
        x: Real = 1.0,
        /// The edge along y, metres.
        y: Real = 1.0,
        /// The edge along z, metres.
        z: Real = 1.0,
    }
}

impl Model for Cuboid {
    fn build(&self) -> Result<TriMesh, ModelError> {
        for (name, value) in [("x", self.x), ("y", self.y), ("z", self.z)] {
            check_length::<Self>(name, value)?;
        }
        // Corner i has the signs of its bits.
        let half = |size: Real, bit: bool| if bit { 0.5 * size } else { -0.5 * size };
        let vertices = (0..8_u32)
            .map(|i| Point::new(half(self.x, i & 1 != 0), half(self.y, i & 2 != 0), half(self.z, i & 4 != 0)))
            .collect();
        const FACES: [[u32; 4]; 6] =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        finished::<Self>(TriMesh::try_new(vertices, triangles))
    }
}
