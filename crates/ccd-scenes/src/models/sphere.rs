//! Spheres: of equal triangles, and of meridians and parallels.

use std::collections::BTreeMap;

use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Real};

use super::{Model, ModelError, finished};
use crate::options::{check_count, check_length, options};

options! {
    "sphere": "sphere of near-equal triangles (icosphere)"
    /// An icosahedron whose triangles are quartered again and again, with all vertices on the sphere.
    ///
    /// 12, 42, 162, 642 vertices and 20, 80, 320, 1280 triangles for 0 to 3 subdivisions.
    ///
    /// By default 0.5 m, 320 triangles.
    Icosphere {
        /// Of the sphere through the vertices, metres.
        radius: Real = 0.5,
        /// How often the triangles are quartered.
        subdivisions: u32 = 2,
    }
}

impl Model for Icosphere {
    fn build(&self) -> Result<TriMesh, ModelError> {
        check_length::<Self>("radius", self.radius)?;
        check_count::<Self>("subdivisions", self.subdivisions, 0, 9)?;
        // The icosahedron's corners lie on three golden rectangles.
        let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
        let mut vertices = Vec::new();
        for (u, v) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
            vertices.extend([Point::new(u, v, 0.0), Point::new(0.0, u, v), Point::new(v, 0.0, u)]);
        }
        let mut triangles = icosahedron_faces(&vertices);
        for _ in 0..self.subdivisions {
            let mut middles = BTreeMap::new();
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    vertices.push(middle_on_sphere(&vertices[a as usize], &vertices[b as usize]));
                    vertices.len() as u32 - 1
                })
            };
            triangles = triangles
                .iter()
                .flat_map(|&[a, b, c]| {
                    let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
                })
                .collect();
        }
        let vertices = vertices.iter().map(|p| Point::from(p.coords.normalize() * self.radius)).collect();
        finished::<Self>(TriMesh::try_new(vertices, triangles))
    }
}

/// The middle of two places on a sphere, on that sphere.
fn middle_on_sphere(a: &Point, b: &Point) -> Point {
    Point::from((a.coords + b.coords).normalize() * a.coords.norm())
}

/// The triples of corners that are mutually at edge length 2, wound outwards.
fn icosahedron_faces(corners: &[Point]) -> Vec<[u32; 3]> {
    let adjacent = |a: usize, b: usize| ((corners[a] - corners[b]).norm() - 2.0).abs() < 1e-9;
    let mut faces = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if adjacent(a, b) && adjacent(b, c) && adjacent(c, a) {
                    let [p, q, r] = [a, b, c].map(|i| corners[i].coords);
                    let outward = p.dot(&q.cross(&r)) > 0.0;
                    let [a, b, c] = [a, b, c].map(|i| i as u32);
                    faces.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    faces
}

options! {
    "uv-sphere": "sphere of meridians and parallels around y"
    /// A sphere of meridians and parallels around the y axis, with a vertex at each pole.
    ///
    /// `segments × (rings - 1) + 2` vertices, `2 × segments × (rings - 1)` triangles.
    ///
    /// By default 0.5 m, 480 triangles.
    UvSphere {
        /// Of the sphere through the vertices, metres.
        radius: Real = 0.5,
        /// Parts around the axis.
        segments: u32 = 20,
        /// Bands from pole to pole.
        rings: u32 = 13,
    }
}

impl Model for UvSphere {
    fn build(&self) -> Result<TriMesh, ModelError> {
        check_length::<Self>("radius", self.radius)?;
        check_count::<Self>("segments", self.segments, 3, 4000)?;
        check_count::<Self>("rings", self.rings, 2, 4000)?;
        let (n, parallels) = (self.segments, self.rings - 1);
        let mut vertices = vec![Point::new(0.0, -self.radius, 0.0)];
        for j in 1..=parallels {
            let (sin, cos) = (Real::from(j) * std::f64::consts::PI / Real::from(self.rings)).sin_cos();
            for i in 0..n {
                let (around, along) = (Real::from(i) * std::f64::consts::TAU / Real::from(n)).sin_cos();
                vertices.push(Point::from(Point::new(sin * along, -cos, -sin * around).coords * self.radius));
            }
        }
        let top = vertices.len() as u32;
        vertices.push(Point::new(0.0, self.radius, 0.0));
        let at = |j: u32, i: u32| 1 + j * n + i % n;
        let mut triangles = Vec::with_capacity((2 * n * parallels) as usize);
        for i in 0..n {
            triangles.push([0, at(0, i + 1), at(0, i)]);
            for j in 0..parallels - 1 {
                let (a, b, c, d) = (at(j, i), at(j, i + 1), at(j + 1, i + 1), at(j + 1, i));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
            triangles.push([at(parallels - 1, i), at(parallels - 1, i + 1), top]);
        }
        finished::<Self>(TriMesh::try_new(vertices, triangles))
    }
}
