//! Which volumes a search for the time of contact of two meshes should prune with: boxes along the axes, the same with slabs, or
//! oriented boxes.
//!
//! `cargo bench -p ccd-core --bench volumes_in_motion` asks the queries of `time_of_contact`, two tori over one second at up to 10 rad/s,
//! three times by one search that differs in nothing but the volumes, and once by the library's: microseconds, pairs of volumes
//! and pairs of triangles a query. The search is a plain conservative advancement in the order of time; `-- 30000` stops at that many triangles.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark stops at what cannot be made")]

mod queries;

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Instant;

use ccd_core::bounds::IndexedMesh;
use ccd_core::bounds::tree::{NodeKind, ObbTree, Slab, VolumeTree};
use ccd_core::detection::closest::gjk::{GjkCache, GjkGoal, RelativePose, separation};
use ccd_core::detection::toc::TocOptions;
use ccd_core::geometry::primitive::Triangle;
use ccd_core::math::{Matrix, Real, Vector};
use ccd_core::motion::RigidMotion;
use ccd_core::shape::Shape;
use queries::{Query, queries, solve, torus};

/// ε, metres.
const TOLERANCE: Real = 1e-4;
/// Volumes nearer than this share of the larger are divided rather than waited for.
const NEAR: Real = 0.125;

#[derive(Clone, Copy, PartialEq)]
enum Volumes {
    Boxes,
    BoxesWithSlabs,
    OrientedBoxes,
}

struct Node {
    centre: Vector,
    axes: Matrix,
    half: Vector,
    /// No point of it is further from the body's centre.
    reach: Real,
    slab: Option<Slab>,
    kind: NodeKind,
}

struct Tree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    /// Each with how far it reaches from the body's centre.
    triangles: Vec<(Triangle, Real)>,
}

impl Tree {
    fn new(mesh: &IndexedMesh, volumes: Volumes) -> Self {
        fn nodes<T: VolumeTree>(tree: &T, slab: impl Fn(u32) -> Option<Slab>) -> Vec<Node> {
            let node = |i: u32| {
                let obb = tree.obb(i);
                let reach = obb.corners().iter().map(|p| p.coords.norm()).fold(0.0, Real::max);
                let (centre, axes, half) = (obb.centre.coords, obb.axes, obb.half_extents);
                Node { centre, axes, half, reach, slab: slab(i), kind: tree.kind(i) }
            };
            (0..tree.node_count() as u32).map(node).collect()
        }
        let triangle = |f: u32| {
            let corners = mesh.triangle(f);
            (Triangle::new(corners), corners.iter().map(|p| p.coords.norm()).fold(0.0, Real::max))
        };
        let triangles = (0..mesh.mesh().triangles().len() as u32).map(triangle).collect();
        let (nodes, order) = match volumes {
            Volumes::Boxes => (nodes(mesh.tree(), |_| None), mesh.tree().order().to_vec()),
            Volumes::BoxesWithSlabs => (nodes(mesh.tree(), |i| mesh.slabs().slab(i)), mesh.tree().order().to_vec()),
            Volumes::OrientedBoxes => {
                let tree = ObbTree::over(mesh.tree(), mesh.mesh());
                (nodes(&tree, |_| None), tree.order().to_vec())
            }
        };
        Self { nodes, order, triangles }
    }
}

impl Node {
    /// How far it reaches along a direction of its body's frame, at most.
    fn support(&self, n: &Vector) -> Real {
        let of_box = |n: &Vector| n.dot(&self.centre) + self.half.dot(&self.axes.tr_mul(n).abs());
        let plain = of_box(n);
        self.slab.map_or(plain, |slab| {
            let share = n.dot(&slab.direction) / slab.direction.norm_squared();
            plain.min(of_box(&(n - slab.direction * share)) + (share * slab.low).max(share * slab.high))
        })
    }
}

/// The largest gap that is found between two volumes along a unit direction of A's frame, and the direction, from A to B.
fn gap(a: &Node, b: &Node, pose: &RelativePose) -> (Real, Vector) {
    let mut best = (Real::NEG_INFINITY, Vector::x());
    let axes_b = pose.rotation * b.axes;
    let between = pose.rotation * b.centre + pose.translation - a.centre;
    let rotation = a.axes.tr_mul(&axes_b);
    let (offset, abs) = (a.axes.tr_mul(&between), rotation.abs());
    let mut consider = |apart: Real, n: Vector| {
        if apart > best.0 {
            best = (apart, if n.dot(&between) < 0.0 { -n } else { n });
        }
    };
    for k in 0..3 {
        let reach = a.half[k] + abs.row(k).transpose().dot(&b.half);
        consider(offset[k].abs() - reach, a.axes.column(k).into_owned());
        let reach = b.half[k] + abs.column(k).dot(&a.half);
        consider(offset.dot(&rotation.column(k)).abs() - reach, axes_b.column(k).into_owned());
    }
    if a.slab.is_some() || b.slab.is_some() {
        let slabs = a.slab.map(|s| s.direction).into_iter().chain(b.slab.map(|s| pose.rotation * s.direction));
        for n in slabs.filter_map(|n| n.try_normalize(0.0)) {
            let n = if n.dot(&between) < 0.0 { -n } else { n };
            let into_b = pose.rotation.tr_mul(&n);
            consider(n.dot(&pose.translation) - b.support(&-into_b) - a.support(&n), n);
        }
        return best;
    }
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let length = (1.0 - rotation[(i, j)] * rotation[(i, j)]).max(0.0).sqrt();
            if length < 1e-3 {
                continue;
            }
            let reach = a.half[i1] * abs[(i2, j)]
                + a.half[i2] * abs[(i1, j)]
                + b.half[j1] * abs[(i, j2)]
                + b.half[j2] * abs[(i, j1)];
            let apart = ((offset[i2] * rotation[(i1, j)] - offset[i1] * rotation[(i2, j)]).abs() - reach) / length;
            consider(apart, a.axes.column(i).cross(&axes_b.column(j)) / length);
        }
    }
    best
}

#[derive(Clone, Copy)]
enum Pair {
    Nodes(u32, u32),
    Faces(u32, u32),
}

/// A pair that is apart until `time`.
struct Waiting {
    time: Real,
    pair: Pair,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    /// The earliest is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time)
    }
}

#[derive(Default)]
struct Work {
    volumes: u64,
    faces: u64,
}

/// The first time within a second at which two copies of the tree's mesh are within the tolerance.
fn first_contact(tree: &Tree, query: &Query, work: &mut Work) -> Option<Real> {
    let (a, b): (&RigidMotion, &RigidMotion) = (&query.a, &query.b);
    let (spin_a, spin_b) = (a.angular_velocity.norm(), b.angular_velocity.norm());
    let relative = b.linear_velocity - a.linear_velocity;
    let mut open = BinaryHeap::from([Waiting { time: 0.0, pair: Pair::Nodes(0, 0) }]);
    while let Some(Waiting { time, pair }) = open.pop() {
        let (pose_a, pose_b) = (a.pose_at(time), b.pose_at(time));
        let placement = RelativePose::new(&pose_a, &pose_b);
        // When a gap along a direction, which stands still in the world, can be closed.
        let until = |gap: Real, n: &Vector, reach_a: Real, reach_b: Real| {
            let closing = spin_a * reach_a + spin_b * reach_b - relative.dot(&(pose_a.rotation * n));
            if closing > 0.0 { time + gap / closing } else { Real::INFINITY }
        };
        let mut wait = |time: Real, pair: Pair| {
            if time <= 1.0 {
                open.push(Waiting { time, pair });
            }
        };
        match pair {
            Pair::Nodes(i, j) => {
                work.volumes += 1;
                let (node_a, node_b) = (&tree.nodes[i as usize], &tree.nodes[j as usize]);
                let (gap, n) = gap(node_a, node_b, &placement);
                let (size_a, size_b) = (node_a.half.norm(), node_b.half.norm());
                if gap > NEAR * size_a.max(size_b) {
                    wait(until(gap, &n, node_a.reach, node_b.reach), pair);
                    continue;
                }
                match (node_a.kind, node_b.kind) {
                    (NodeKind::Inner { left, right }, kind)
                        if size_a >= size_b || matches!(kind, NodeKind::Leaf { .. }) =>
                    {
                        wait(time, Pair::Nodes(left, j));
                        wait(time, Pair::Nodes(right, j));
                    }
                    (_, NodeKind::Inner { left, right }) => {
                        wait(time, Pair::Nodes(i, left));
                        wait(time, Pair::Nodes(i, right));
                    }
                    (NodeKind::Leaf { first: p, count: m }, NodeKind::Leaf { first: q, count: n }) => {
                        let faces = |first: u32, count: u32| &tree.order[first as usize..(first + count) as usize];
                        for &f in faces(p, m) {
                            for &g in faces(q, n) {
                                wait(time, Pair::Faces(f, g));
                            }
                        }
                    }
                    (NodeKind::Inner { .. }, NodeKind::Leaf { .. }) => unreachable!("the first arm takes it"),
                }
            }
            Pair::Faces(f, g) => {
                work.faces += 1;
                let ((one, reach_a), (other, reach_b)) = (&tree.triangles[f as usize], &tree.triangles[g as usize]);
                let goal = GjkGoal { relative: 0.01, absolute: 0.25 * TOLERANCE, ..GjkGoal::EXACT };
                let found = separation(one, other, &placement, &mut GjkCache::default(), &goal);
                if found.overlapping || found.distance <= TOLERANCE {
                    return Some(time);
                }
                wait(until(found.lower, &found.normal, *reach_a, *reach_b), pair);
            }
        }
    }
    None
}

fn median(mut values: Vec<Real>) -> Real {
    values.sort_by(Real::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let most = std::env::args().filter_map(|a| a.parse::<u32>().ok()).next().unwrap_or(u32::MAX);
    println!(
        "{:>9}  {:<24}{:>12}{:>12}{:>18}{:>18}",
        "triangles", "search, volumes", "median, us", "mean, us", "volume pairs", "triangle pairs"
    );
    for (around, across, count) in [(50, 20, 60), (158, 64, 60), (500, 200, 30)] {
        let shape = torus(1.0, 0.4, around, across);
        let triangles = 2 * around * across;
        let Shape::Mesh(mesh) = &shape else { unreachable!("a torus is a mesh") };
        if triangles > most {
            break;
        }
        let asked = queries(0x7c0, count, 1.4, 10.0);
        let row = |name: &str, times: &[Real], volumes: u64, faces: String| {
            let mean = times.iter().sum::<Real>() / times.len() as Real;
            let volumes = volumes as Real / asked.len() as Real;
            println!(
                "{triangles:>9}  {name:<24}{:>12.0}{mean:>12.0}{volumes:>18.0}{faces:>18}",
                median(times.to_vec())
            );
        };
        let (mut times, mut volumes, mut truth) = (Vec::new(), 0, Vec::new());
        for query in &asked {
            solve(&shape, &shape, query, &TocOptions::default());
            let clock = Instant::now();
            let answer = solve(&shape, &shape, query, &TocOptions::default());
            times.push(clock.elapsed().as_secs_f64() * 1e6);
            volumes += answer.stats.nodes_visited;
            truth.push(answer.answer.contact().map(|contact| contact.time));
        }
        for (name, kind) in [
            ("boxes", Volumes::Boxes),
            ("boxes with slabs", Volumes::BoxesWithSlabs),
            ("oriented boxes", Volumes::OrientedBoxes),
        ] {
            let tree = Tree::new(mesh, kind);
            let (mut times, mut work) = (Vec::new(), Work::default());
            for (query, truth) in asked.iter().zip(&truth) {
                let clock = Instant::now();
                let found = first_contact(&tree, query, &mut work);
                times.push(clock.elapsed().as_secs_f64() * 1e6);
                let same = found.is_some() == truth.is_some()
                    && found.zip(*truth).is_none_or(|(found, truth)| (found - truth).abs() < 1e-2);
                assert!(same, "{name}: {found:?}, and the library {truth:?}");
            }
            let faces = format!("{:.0}", work.faces as Real / asked.len() as Real);
            row(&format!("plain, {name}"), &times, work.volumes, faces);
        }
        row("the library's", &times, volumes, "".into());
    }
}
