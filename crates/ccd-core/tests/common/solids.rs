//! Closed meshes for tests and benchmarks of structures over solids.

#![allow(dead_code, reason = "each program uses its part")]

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Vector};

/// The sphere of the paper's Table 1: `n` bands of `n` faces, poles on z, radius 1; flat quads cut in two.
pub fn sphere(n: u32) -> TriMesh {
    let mut vertices = vec![Point::new(0.0, 0.0, -1.0)];
    for j in 1..n {
        let (sin, cos) = (f64::from(j) * std::f64::consts::PI / f64::from(n)).sin_cos();
        vertices.extend((0..n).map(|i| {
            let (y, x) = (f64::from(i) * std::f64::consts::TAU / f64::from(n)).sin_cos();
            Point::new(sin * x, sin * y, -cos)
        }));
    }
    let top = vertices.len() as u32;
    vertices.push(Point::new(0.0, 0.0, 1.0));
    let at = |j: u32, i: u32| 1 + (j - 1) * n + i % n;
    let mut triangles = Vec::new();
    for i in 0..n {
        triangles.push([0, at(1, i + 1), at(1, i)]);
        for j in 1..n - 1 {
            let [a, b, c, d] = [at(j, i), at(j, i + 1), at(j + 1, i + 1), at(j + 1, i)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([at(n - 1, i), at(n - 1, i + 1), top]);
    }
    TriMesh::try_new(vertices, triangles).unwrap()
}

/// The torus of the paper's Table 1: `n` by `n` flat quads around z, radii 1 and 0.3 (the paper gives none). The order of
/// the faces, in rings around the axis, decides which faces' planes divide the others.
pub fn torus(n: u32) -> TriMesh {
    let angle = |i: u32| f64::from(i) * std::f64::consts::TAU / f64::from(n);
    let vertices = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| {
            // Around the tube from its top, so that no ring of faces is flat.
            let ((y, x), (out, z)) = (angle(i).sin_cos(), angle(j).sin_cos());
            let r = 1.0 + 0.3 * out;
            Point::new(r * x, r * y, 0.3 * z)
        })
        .collect();
    let at = |i: u32, j: u32| i % n * n + j % n;
    let rings = (0..n).rev().map(|k| k + 7 * n / 8);
    let quads = rings.flat_map(|j| (0..n).rev().map(move |i| [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]));
    TriMesh::try_new(vertices, quads.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()).unwrap()
}

/// A prism over a plan of unit squares, given as rows of `#`: dents, holes and coplanar faces.
pub fn plate(filled: &[&str], thickness: f64) -> TriMesh {
    let (columns, rows) = (filled[0].len() as i32, filled.len() as i32);
    let is_filled = |i: i32, j: i32| {
        i >= 0 && j >= 0 && i < columns && j < rows && filled[j as usize].as_bytes()[i as usize] == b'#'
    };
    let mut places: Vec<[i32; 3]> = Vec::new();
    let mut triangles = Vec::new();
    for (j, row) in (0..).zip(filled) {
        for (i, _) in (0..).zip(row.chars()).filter(|(_, c)| *c == '#') {
            let mut quad = |corners: [[i32; 3]; 4]| {
                let [a, b, c, d] = corners.map(|[x, y, z]| {
                    let place = [i + x, j + y, z];
                    places.iter().position(|q| *q == place).unwrap_or_else(|| {
                        places.push(place);
                        places.len() - 1
                    }) as u32
                });
                triangles.extend([[a, b, c], [a, c, d]]);
            };
            quad([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]);
            quad([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]]);
            for (di, dj, wall) in [
                (-1, 0, [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]]),
                (1, 0, [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]]),
                (0, -1, [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]),
                (0, 1, [[0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]]),
            ] {
                if !is_filled(i + di, j + dj) {
                    quad(wall);
                }
            }
        }
    }
    let vertices = places
        .iter()
        .map(|&[x, y, z]| Point::from(Vector::new(f64::from(x), f64::from(y), f64::from(z) * thickness)))
        .collect();
    TriMesh::try_new(vertices, triangles).unwrap()
}

/// A double pyramid over a polygon that is `width` wide and 2 long: needle-sharp edges and slivers.
pub fn needle(width: f64) -> TriMesh {
    let rim: Vec<Point> = (0..7)
        .map(|i| {
            let (s, c) = (f64::from(i) * std::f64::consts::TAU / 7.0).sin_cos();
            Point::new(c, width * s, 0.1 * s * s)
        })
        .collect();
    let mut vertices = rim;
    vertices.push(Point::new(0.1, 0.0, 0.05 + width));
    vertices.push(Point::new(-0.2, 0.0, 0.05 - width - 0.2));
    let triangles = (0..7).flat_map(|i| [[i, (i + 1) % 7, 7], [(i + 1) % 7, i, 8]]).collect();
    TriMesh::try_new(vertices, triangles).unwrap()
}

/// A slab of 5 by 5 squares whose upper grid points are lowered by up to `depth`: faces that are almost coplanar.
pub fn dented_plate(depth: f64) -> TriMesh {
    let flat = plate(&["#####"; 5], 1.0);
    let lowered = |p: &Point| {
        let is_inner = p.z == 1.0 && p.x > 0.0 && p.x < 5.0 && p.y > 0.0 && p.y < 5.0;
        let share = (p.x * 7.0 + p.y * 3.0) % 5.0 / 5.0;
        if is_inner { Point::new(p.x, p.y, 1.0 - depth * share) } else { *p }
    };
    TriMesh::try_new(flat.vertices().iter().map(lowered).collect(), flat.triangles().to_vec()).unwrap()
}
