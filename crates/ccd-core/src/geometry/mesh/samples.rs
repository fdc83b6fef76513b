//! Meshes that tests are made with.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on is to stop")]

use std::f64::consts::TAU;

use super::TriMesh;
use crate::math::{Point, Real};

/// A ring around y, 1 m to the middle of its tube, which is 0.4 m thick, of `along` times `around` quads.
pub(crate) fn ring(along: u32, around: u32) -> TriMesh {
    let angle = |i: u32, n: u32| (Real::from(i) * TAU / Real::from(n)).sin_cos();
    let vertex = |(i, j): (u32, u32)| {
        let ((s, c), (t, u)) = (angle(i, along), angle(j, around));
        Point::new((1.0 + 0.2 * u) * c, 0.2 * t, (1.0 + 0.2 * u) * s)
    };
    let name = |i: u32, j: u32| (i % along) * around + j % around;
    let quads = (0..along).flat_map(|i| (0..around).map(move |j| (i, j)));
    let corners = |(i, j)| [name(i, j), name(i, j + 1), name(i + 1, j + 1), name(i + 1, j)];
    let triangles = quads.clone().map(corners).flat_map(|[p, q, r, s]| [[p, q, r], [p, r, s]]).collect();
    TriMesh::try_new(quads.map(vertex).collect(), triangles).unwrap()
}
