//! What each hierarchy costs to build, to hold and to ask, at 2 000, 20 000 and 200 000 triangles.
//!
//! `cargo bench -p ccd-core --bench hierarchies` prints the table of `docs/hierarchies.md`.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on is to stop")]

use std::hint::black_box;
use std::time::Instant;

use ccd_core::bounds::tree::{AabbTree, SplitRule};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::math::Real;

fn torus(major: Real, minor: Real) -> TriMesh {
    let options = [("major_segments", major), ("minor_segments", minor)];
    ccd_scenes::models::find("torus").unwrap().make(&options).unwrap()
}

/// The least time of `runs`, milliseconds.
fn least<T>(runs: usize, mut work: impl FnMut() -> T) -> Real {
    let once = || {
        let clock = Instant::now();
        black_box(work());
        clock.elapsed().as_secs_f64() * 1e3
    };
    std::iter::repeat_with(once).take(runs).fold(Real::INFINITY, Real::min)
}

fn main() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    println!("triangles  AABB tree by           1 thread    all threads");
    for (major, minor) in [(50.0, 20.0), (158.0, 64.0), (500.0, 200.0)] {
        let mesh = torus(major, minor);
        for rule in [SplitRule::SurfaceArea, SplitRule::CubeLike, SplitRule::HullCovariance] {
            let runs = if rule == SplitRule::HullCovariance { 1 } else { 5 };
            let serial = one.install(|| least(runs, || AabbTree::build_by(&mesh, rule)));
            let threads = least(runs, || AabbTree::build_by(&mesh, rule));
            println!("{:>9}  {:<18} {serial:>9.2} ms {threads:>9.2} ms", mesh.triangles().len(), format!("{rule:?}"));
        }
    }
}
