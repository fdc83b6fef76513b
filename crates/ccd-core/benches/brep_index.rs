//! What the B-rep index costs: the paper's Table 1 by its recipe and by ours, build time, points and segments a second.
//!
//! `cargo bench -p ccd-core --bench brep_index` prints the tables of `docs/brep-index.md`.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on is to stop")]

#[path = "../tests/common/random.rs"]
#[allow(dead_code, reason = "shared with tests")]
mod random;
#[path = "../tests/common/solids.rs"]
mod solids;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use ccd_core::bounds::IndexedMesh;
use ccd_core::bounds::brep_index::{BrepIndex, BrepIndexOptions, IndexStats, Recipe};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::Point;

use random::Random;

const TOLERANCE: f64 = 1e-6;
const POINTS: usize = 100_000;

/// The least time of `runs`, seconds.
fn least<T>(runs: usize, mut work: impl FnMut() -> T) -> f64 {
    let once = || {
        let clock = Instant::now();
        black_box(work());
        clock.elapsed().as_secs_f64()
    };
    std::iter::repeat_with(once).take(runs).fold(f64::INFINITY, f64::min)
}

fn line(name: &str, mesh: &TriMesh, recipe: Recipe, runs: usize) {
    let mesh = Arc::new(IndexedMesh::new(mesh.clone()).unwrap());
    let options = BrepIndexOptions { tolerance: TOLERANCE, recipe };
    let build = least(runs, || BrepIndex::build_checked(mesh.clone(), &options).unwrap());
    let check = least(runs, || mesh.check_solid().is_ok());
    let index = BrepIndex::build_checked(mesh.clone(), &options).unwrap();
    let shape = index.shape();

    let aabb = mesh.mesh().aabb();
    let mut random = Random(1);
    let points: Vec<Point> =
        (0..POINTS).map(|_| Point::from([0, 1, 2].map(|k| random.between(aabb.min[k], aabb.max[k])))).collect();
    let time = least(runs, || {
        points.iter().filter(|p| index.classify(p) == ccd_core::bounds::brep_index::Place::Inside).count()
    });
    let mut stats = IndexStats::default();
    points.iter().for_each(|p| {
        index.classify_counted(p, &mut stats);
    });
    let segments =
        || points.chunks_exact(2).take(POINTS / 20).map(|p| index.classify_segment(&p[0], &p[1]).len()).sum::<usize>();
    let segment = least(runs, segments) / (POINTS / 20) as f64;
    let count = POINTS as f64;
    println!(
        "{name:<8} {:>6} {:<8} {:>7} {:>4} {:>6.1}  {:>8.2} ms {:>8.2} ms {:>6.1} {:>6.0} ns {:>7.2} us {:>9} bytes",
        index.brep().entity_count(),
        if recipe == Recipe::Balanced { "ours" } else { "paper's" },
        shape.node_count(),
        shape.height,
        shape.average_height,
        build * 1e3,
        check * 1e3,
        stats.plane_tests as f64 / count,
        time / count * 1e9,
        segment * 1e6,
        index.size_bytes(),
    );
}

fn main() {
    println!("solid     V+E+F recipe     nodes height average     build       check   tests  a point a segment");
    for recipe in [Recipe::PAPER, Recipe::Balanced] {
        for n in [4, 6, 8, 10, 20] {
            line("sphere", &solids::sphere(n), recipe, 20);
        }
        for n in [4, 6, 8, 10, 20] {
            line("torus", &solids::torus(n), recipe, 20);
        }
    }
    for n in [32, 100, 316] {
        line("torus", &solids::torus(n), Recipe::Balanced, 2);
    }
}
