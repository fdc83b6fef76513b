//! Contacts of resting pairs, found anew as every step of a world does: boxes on boxes, on meshes, meshes on meshes.
//!
//! `cargo bench -p ccd-core --bench contacts` measures one search of one pair, in the memory of the last: of the same placement
//! creeping by 1e-9 m and rad (a settled heap), and of one that slides and turns by millimetres from search to search.

#![allow(clippy::expect_used, reason = "a solid that is refused leaves nothing to measure")]

use std::hint::black_box;

use ccd_core::contact::{ContactCache, find_contacts};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::{Point, Pose, Real, Rotation, Vector};
use ccd_core::shape::Shape;
use criterion::{Criterion, criterion_group, criterion_main};

/// Contacts are sought up to here, metres.
const MARGIN: Real = 1e-3;
/// Placements of one round.
const PLACEMENTS: usize = 64;

/// A box as a mesh, each face of 2n² triangles.
fn box_mesh(half: Real, n: u32) -> Shape {
    let mut vertices: Vec<Point> = Vec::new();
    let mut triangles = Vec::new();
    for k in 0..3 {
        for sign in [-1.0, 1.0] {
            let first = vertices.len() as u32;
            for i in 0..=n {
                for j in 0..=n {
                    let mut p = Vector::zeros();
                    let at = |i: u32| half * (2.0 * Real::from(i) / Real::from(n) - 1.0);
                    (p[k], p[(k + 1) % 3], p[(k + 2) % 3]) = (sign * half, at(i), at(j));
                    vertices.push(p.into());
                }
            }
            for i in 0..n {
                for j in 0..n {
                    let [p, q, r, s] =
                        [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| first + i * (n + 1) + j);
                    let turn = |[p, q, r]: [u32; 3]| if sign > 0.0 { [p, q, r] } else { [p, r, q] };
                    triangles.extend([turn([p, q, r]), turn([p, r, s])]);
                }
            }
        }
    }
    Shape::mesh(TriMesh::try_new(vertices, triangles).expect("a box").welded()).expect("a box")
}

/// A flat floor of 2n² triangles, 8 m wide, its top at y = 0.
fn floor(n: u32) -> Shape {
    let at = |i: u32| 8.0 * Real::from(i) / Real::from(n) - 4.0;
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| Point::new(at(i), 0.0, at(j)))).collect();
    let corner = |i: u32, j: u32| i * (n + 1) + j;
    let quads = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triangles = quads
        .flat_map(|(i, j)| {
            let [p, q, r, s] = [corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)];
            [[p, q, r], [p, r, s]]
        })
        .collect();
    Shape::mesh(TriMesh::try_new(vertices, triangles).expect("a floor")).expect("a floor")
}

/// Placements of a body of this half height on a plane at `ground`, moving by about `step` (m and rad) from each to the next.
fn resting(ground: Real, half: Real, offset: [Real; 2], spin: Real, step: Real) -> Vec<Pose> {
    (0..PLACEMENTS)
        .map(|i| {
            let phase = Real::from(i as u32) * std::f64::consts::TAU / PLACEMENTS as Real * 10.0;
            let (s, c) = phase.sin_cos();
            let turn = Rotation::from_scaled_axis(Vector::new(1e-3 * step * s, spin + step * c, 1e-3 * step * c));
            let at = Vector::new(offset[0] + step * s, ground + half + 1e-5 + 1e-3 * step * c, offset[1] - step * c);
            Pose::from_parts(at.into(), turn)
        })
        .collect()
}

fn bench(c: &mut Criterion) {
    let cube = Shape::cuboid([0.5; 3]).expect("a box");
    let (fine, coarse) = (box_mesh(0.5, 8), box_mesh(0.5, 1));
    let ground = floor(64);
    let plane = Shape::half_space(Vector::y()).expect("a plane");
    let at = |y: Real| Pose::translation(0.0, y, 0.0);
    let low = at(-0.5);
    let pairs: [(&str, &Shape, Pose, &Shape, Real, [Real; 2], Real); 9] = [
        ("box on box, aligned", &cube, low, &cube, 0.5, [0.0, 0.0], 0.0),
        ("box on box, shifted", &cube, low, &cube, 0.5, [0.5, 0.1], 0.0),
        ("box on box, turned", &cube, low, &cube, 0.5, [0.2, 0.1], 0.4),
        ("box on plane", &plane, at(0.0), &cube, 0.5, [0.2, 0.1], 0.4),
        ("box on a floor of 8192 triangles", &ground, at(0.0), &cube, 0.5, [0.2, 0.1], 0.4),
        ("box on a mesh box of 12 triangles", &coarse, low, &cube, 0.5, [0.2, 0.1], 0.4),
        ("box on a mesh box of 768 triangles", &fine, low, &cube, 0.5, [0.2, 0.1], 0.4),
        ("mesh box of 12 on one of 12", &coarse, low, &coarse, 0.5, [0.2, 0.1], 0.4),
        ("mesh box of 768 on one of 768", &fine, low, &fine, 0.5, [0.2, 0.1], 0.4),
    ];
    for (motion, step) in [("creeping", 1e-9), ("sliding", 2e-3)] {
        let mut group = c.benchmark_group(motion);
        for (name, a, pose_a, b, half, offset, spin) in &pairs {
            let poses = resting(0.0, *half, *offset, *spin, step);
            let (mut cache, mut out) = (ContactCache::default(), Vec::new());
            find_contacts(a, pose_a, b, &poses[0], MARGIN, &mut cache, &mut out);
            assert!(out.len() >= 4, "{name}: {out:?}");
            let mut i = 0;
            group.bench_function(*name, |bencher| {
                bencher.iter(|| {
                    out.clear();
                    i = (i + 1) % PLACEMENTS;
                    find_contacts(a, pose_a, b, black_box(&poses[i]), MARGIN, &mut cache, &mut out);
                    out.len()
                });
            });
        }
        group.finish();
    }
    // Two boxes near each other with nothing in the margin, as most pairs of a heap are.
    let beside =
        Pose::from_parts(Vector::new(0.9, 0.62, 0.1).into(), Rotation::from_scaled_axis(Vector::new(0.3, 0.2, 0.5)));
    let (mut cache, mut out) = (ContactCache::default(), Vec::new());
    c.bench_function("box beside box, apart", |bencher| {
        bencher.iter(|| {
            out.clear();
            find_contacts(&cube, &low, &cube, black_box(&beside), MARGIN, &mut cache, &mut out);
            out.len()
        });
    });
}

criterion_group!(contacts, bench);
criterion_main!(contacts);
