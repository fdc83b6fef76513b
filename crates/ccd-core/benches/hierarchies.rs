//! What each hierarchy costs to build, to hold and to ask, at 2 000, 20 000 and 200 000 triangles, and what each broad phase costs.
//!
//! `cargo bench -p ccd-core --bench hierarchies` prints the tables of `docs/hierarchies.md`. `-- 20000` stops at that size.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on is to stop")]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use ccd_core::bounds::IndexedMesh;
use ccd_core::bounds::sphere_tree::{SphereTree, SphereTreeOptions};
use ccd_core::bounds::tree::{AabbTree, KdopTree, ObbTree, SplitRule, VolumeTree, visit_pairs};
use ccd_core::detection::broad::tree::KeptTree;
use ccd_core::detection::broad::{BroadPhase, brute, grid, tree};
use ccd_core::detection::interference::{
    Pruning, Relation, SphereBudget, find_mesh_interference, find_sphere_interference, relate_meshes,
};
use ccd_core::geometry::mesh::TriMesh;
use ccd_core::geometry::mesh::meeting::{Meeting, triangles_meet};
use ccd_core::math::{Point, Pose, Real, Vector};
use ccd_core::volume::Aabb;

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

/// Numbers in [0, 1), the same on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as Real / (1_u64 << 53) as Real
    }

    fn vector(&mut self) -> Vector {
        Vector::new(self.next() - 0.5, self.next() - 0.5, self.next() - 0.5) * 2.0
    }
}

/// Poses of a second torus, turned at random, at which it just misses the first one by about `gap` metres along its way (negative: is in
/// it by so much).
fn poses(mesh: &IndexedMesh, count: usize, gap: Real) -> Vec<Pose> {
    let mut random = Random(7);
    (0..count)
        .map(|_| {
            let (turn, way) = (random.vector() * 3.0, random.vector().normalize());
            let at = |distance: Real| Pose::new(way * distance, turn);
            let (mut inside, mut outside) = (0.0, 3.0);
            while outside - inside > 1e-3 {
                let middle = 0.5 * (inside + outside);
                let meets =
                    relate_meshes(mesh, &Pose::identity(), mesh, &at(middle), Pruning::AabbTrees) != Relation::Apart;
                if meets { inside = middle } else { outside = middle }
            }
            at(outside + gap)
        })
        .collect()
}

/// Microseconds a query over these poses, and volume tests.
fn pairs_of<T: VolumeTree>(tree: &T, mesh: &TriMesh, poses: &[Pose]) -> (Real, Real) {
    let mut tests = 0;
    let ms = least(3, || {
        tests = 0;
        for pose in poses {
            let mut found = 0;
            let (_, work) = visit_pairs(tree, tree, pose, 1e-12, |a, b| {
                for &i in a {
                    for &j in b {
                        let placed = mesh.triangle(j as usize).map(|p| pose * p);
                        found += u32::from(triangles_meet(&mesh.triangle(i as usize), &placed) != Meeting::Apart);
                    }
                }
                ControlFlow::Continue(())
            });
            tests += work.volume_tests;
            black_box(found);
        }
    });
    (ms * 1e3 / poses.len() as Real, tests as Real / poses.len() as Real)
}

fn main() {
    let most = std::env::args().filter_map(|a| a.parse::<usize>().ok()).next().unwrap_or(usize::MAX);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let sizes = [(50.0, 20.0), (158.0, 64.0), (500.0, 200.0)];
    for (major, minor) in sizes {
        let mesh = torus(major, minor);
        let count = mesh.triangles().len();
        if count > most {
            break;
        }
        println!("\n{count} triangles\nstructure                  build, 1 thread   all threads   bytes a triangle");
        let runs = if count > 100_000 { 2 } else { 5 };
        let row = |name: &str, serial: Real, threads: Real, bytes: usize| {
            println!("{name:<26} {serial:>12.2} ms {threads:>10.2} ms {:>10.1}", bytes as Real / count as Real);
        };
        let mut aabb = Vec::new();
        for rule in [SplitRule::SurfaceArea, SplitRule::CubeLike, SplitRule::HullCovariance] {
            let runs = if rule == SplitRule::HullCovariance { 1 } else { runs };
            let serial = one.install(|| least(runs, || AabbTree::build_by(&mesh, rule)));
            let threads = least(runs, || AabbTree::build_by(&mesh, rule));
            let tree = AabbTree::build_by(&mesh, rule);
            row(&format!("AABB, {rule:?}"), serial, threads, tree.size_bytes());
            aabb.push((rule, tree));
        }
        let boxes = |f: u32| Aabb::from_points(&mesh.triangle(f as usize));
        let mut moved = aabb[0].1.clone();
        row("AABB, refit", least(runs, || moved.refit(boxes)), least(runs, || moved.refit(boxes)), moved.size_bytes());
        let over = |tree: &AabbTree| ObbTree::over(tree, &mesh);
        let obb = over(&aabb[0].1);
        let serial = one.install(|| least(runs, || over(&aabb[0].1)));
        row("OBB over it", serial, least(runs, || over(&aabb[0].1)), obb.size_bytes());
        let kdop = KdopTree::over(&aabb[0].1, &mesh);
        let ms = least(runs, || KdopTree::over(&aabb[0].1, &mesh));
        row("18-DOP over it", ms, ms, kdop.size_bytes());
        let indexed = IndexedMesh::new(mesh.clone()).unwrap();
        let options = SphereTreeOptions::default();
        let serial = one.install(|| least(1, || SphereTree::octree(&indexed, options).unwrap()));
        let octree = SphereTree::octree(&indexed, options).unwrap();
        row("spheres, octree", serial, least(1, || SphereTree::octree(&indexed, options)), octree.size_bytes());
        let mut medial = None;
        let serial = one.install(|| least(1, || SphereTree::medial_axis(&indexed, options).unwrap()));
        let threads = least(1, || medial = SphereTree::medial_axis(&indexed, options).ok());
        let medial = medial.unwrap();
        row("spheres, medial axis", serial, threads, medial.size_bytes());
        for tree in [&octree, &medial] {
            let levels: Vec<String> = (0..tree.level_count())
                .map(|l| format!("{} spheres {:.4} m", tree.level(l).len(), tree.level_error(l)))
                .collect();
            println!("  levels: {}", levels.join(", "));
        }

        for (what, gap) in [("1 mm apart", 0.0), ("0.1 m apart", 0.1), ("0.05 m into each other", -0.05)] {
            let poses = poses(&indexed, if count > 100_000 { 6 } else { 12 }, gap);
            println!("query, {what:<24} microseconds   volume tests");
            let row = |name: String, (us, tests): (Real, Real)| println!("  {name:<28} {us:>12.1} {tests:>12.0}");
            for (rule, tree) in &aabb {
                row(format!("AABB, {rule:?}"), pairs_of(tree, &mesh, &poses));
                row(format!("OBB, {rule:?}"), pairs_of(&over(tree), &mesh, &poses));
            }
            row("18-DOP".into(), pairs_of(&kdop, &mesh, &poses));
            let still = Pose::identity();
            for (name, pruning) in [
                ("exact, AABB trees", Pruning::AabbTrees),
                ("exact, OBB trees", Pruning::ObbTrees(&obb, &obb)),
                ("exact, grid", Pruning::Grid),
            ] {
                let ms = least(2, || {
                    for pose in &poses {
                        black_box(find_mesh_interference(&indexed, &still, &indexed, pose, pruning));
                    }
                });
                row(name.into(), (ms * 1e3 / poses.len() as Real, Real::NAN));
            }
            for (name, tree) in [("spheres, octree", &octree), ("spheres, medial axis", &medial)] {
                let mut tests = 0;
                let ms = least(3, || {
                    tests = 0;
                    for pose in &poses {
                        let found = find_sphere_interference(tree, &still, tree, pose, SphereBudget::Level(9));
                        tests += found.tests;
                        black_box(found);
                    }
                });
                row(name.into(), (ms * 1e3 / poses.len() as Real, tests as Real / poses.len() as Real));
            }
        }
    }
    broad_phases();
}

/// Half-metre boxes turned at random in a heap, `gap` metres apart on average.
fn heap(count: usize, gap: Real, random: &mut Random) -> Vec<Aabb> {
    let side = (count as Real).cbrt().ceil() as usize;
    let place = |i: usize| Vector::new((i % side) as Real, (i / side / side) as Real, (i / side % side) as Real);
    (0..count)
        .map(|i| {
            let pose = Pose::new(place(i) * (0.5 + gap) + random.vector() * (0.1 * (0.5 + gap)), random.vector() * 3.0);
            let half = pose.rotation.to_rotation_matrix().into_inner().abs() * Vector::repeat(0.25);
            Aabb::from_half_extents(Point::from(pose.translation.vector), half)
        })
        .collect()
}

/// Boxes that move a little between calls, of one size, of sizes from 1 to 100, or in heaps.
fn broad_phases() {
    println!("\nbroad phase, ms a call           all pairs       grid       tree  kept tree      pairs");
    for (sizes, count, step) in [
        ("one size", 10, 0.01),
        ("one size", 100, 0.01),
        ("one size", 1000, 0.01),
        ("one size", 10_000, 0.01),
        ("1 to 100", 1000, 0.01),
        ("1 to 100", 10_000, 0.01),
        ("a falling heap", 2000, 0.1),
        ("a heap at rest", 2000, 1e-4),
    ] {
        let mut random = Random(3);
        let side = (count as Real).cbrt() * 1.5;
        let mut loose = |size: &dyn Fn(Real) -> Real| -> Vec<Aabb> {
            (0..count)
                .map(|_| {
                    let half = Vector::repeat(0.5 * size(random.next()));
                    Aabb::from_half_extents(Point::from(random.vector() * (0.5 * side)), half)
                })
                .collect()
        };
        let boxes = match sizes {
            "one size" => loose(&|_| 1.0),
            "1 to 100" => loose(&|share| 100.0_f64.powf(share) * 0.1),
            "a falling heap" => heap(count, 0.3, &mut random),
            _ => heap(count, 0.0, &mut random),
        };
        let shifted: Vec<Aabb> = boxes
            .iter()
            .map(|b| {
                let by = random.vector() * step;
                Aabb { min: b.min + by, max: b.max + by }
            })
            .collect();
        let all = |_: u32, _: u32| true;
        let mut kept = KeptTree::new(0.05);
        kept.find_pairs(&boxes, &all);
        let mut turn = false;
        let kept_ms = least(6, || {
            turn = !turn;
            kept.find_pairs(if turn { &shifted } else { &boxes }, &all)
        });
        let brute = if count > 1000 { Real::NAN } else { least(3, || brute::find_pairs(&boxes, all)) };
        println!(
            "{count:>6} boxes of {sizes:<14} {brute:>12.4} {:>10.4} {:>10.4} {kept_ms:>10.4} {:>10}",
            least(5, || grid::find_pairs(&boxes, all)),
            least(5, || tree::find_pairs(&boxes, all)),
            tree::find_pairs(&boxes, all).len(),
        );
    }
}
