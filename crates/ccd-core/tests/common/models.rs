//! Small meshes for tests and benchmarks.

#![allow(dead_code, reason = "each program uses its part")]
#![allow(clippy::expect_used, reason = "a model that cannot be made is a failed test")]

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Real};
use ccd_core::shape::Shape;

/// Vertices and triangles.
pub type Triangles = (Vec<Point>, Vec<[u32; 3]>);

/// The corner of a box whose side along axis `k` is told by bit `k` of `i`.
pub fn corner(i: usize, half_extents: &[Real; 3]) -> Point {
    Point::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { half_extents[k] } else { -half_extents[k] }))
}

/// The twelve triangles of a box.
pub fn box_triangles(half_extents: [Real; 3]) -> Triangles {
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    ((0..8).map(|i| corner(i, &half_extents)).collect(), triangles)
}

/// A box as a closed mesh.
pub fn box_mesh(half_extents: [Real; 3]) -> Shape {
    mesh(box_triangles(half_extents))
}

pub fn mesh((vertices, triangles): Triangles) -> Shape {
    Shape::mesh(TriMesh::try_new(vertices, triangles).expect("a valid mesh")).expect("a valid mesh")
}

/// An L-shaped prism, closed and not convex: 12 vertices, 20 triangles.
pub fn l_prism(x: Real, y: Real, z: Real) -> Triangles {
    let outline = [[-1.0, -1.0], [1.0, -1.0], [1.0, -0.3], [-0.3, -0.3], [-0.3, 1.0], [-1.0, 1.0]];
    let layer = |h: Real| outline.iter().map(move |[u, v]| Point::new(u * x, v * y, h * z));
    let vertices: Vec<Point> = layer(-1.0).chain(layer(1.0)).collect();
    let front: [[u32; 3]; 4] = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [p, q, s] in front {
        triangles.push([p, s, q]);
        triangles.push([p + 6, q + 6, s + 6]);
    }
    for i in 0..6_u32 {
        let j = (i + 1) % 6;
        triangles.push([i, j, j + 6]);
        triangles.push([i, j + 6, i + 6]);
    }
    (vertices, triangles)
}

/// A bent sheet of three by three squares with a hole in its middle, open; `jitter` is asked for a number in [-1, 1] for
/// every vertex.
pub fn bent_sheet(mut jitter: impl FnMut() -> Real, [x, y, z]: [Real; 3]) -> Triangles {
    const N: u32 = 3;
    let mut vertices = Vec::new();
    for i in 0..=N {
        for j in 0..=N {
            let (u, v) = (Real::from(i) / Real::from(N) * 2.0 - 1.0, Real::from(j) / Real::from(N) * 2.0 - 1.0);
            vertices.push(Point::new(u * x, y * (0.5 * u * v + 0.2 * jitter()), v * z));
        }
    }
    let at = |i: u32, j: u32| i * (N + 1) + j;
    let mut triangles = Vec::new();
    for i in 0..N {
        for j in 0..N {
            if (i, j) != (1, 1) {
                triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    (vertices, triangles)
}

/// A flat open sheet at height 0, twice `half` wide, of two times `parts` by `parts` triangles.
pub fn flat_sheet(half: Real, parts: u32) -> Triangles {
    let along = |i: u32| half * (2.0 * Real::from(i) / Real::from(parts) - 1.0);
    let row = |i: u32| (0..=parts).map(move |j| Point::new(along(i), 0.0, along(j)));
    let at = |i: u32, j: u32| i * (parts + 1) + j;
    let quad =
        |i: u32, j: u32| [[at(i, j), at(i, j + 1), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i + 1, j)]];
    let triangles = (0..parts).flat_map(|i| (0..parts).flat_map(move |j| quad(i, j))).collect();
    ((0..=parts).flat_map(row).collect(), triangles)
}
