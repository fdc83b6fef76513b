//! Closest features against the coherence of the queries: the experiment of V-Clip's paper with today's contestants.
//!
//! One polyhedron moves by equal steps around another of the same kind. Each contestant starts each query from where its last
//! one ended; parry takes the direction of its last answer, as its contact code does.

use std::hint::black_box;
use std::time::Instant;

use ccd_core::detection::closest::gjk::{GjkCache, GjkGoal, RelativePose, separation};
use ccd_core::detection::closest::vclip::{FeatureMemory, closest_features};
use ccd_core::geometry::polyhedron::ConvexPolyhedron;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::ConvexPolyhedron as PeerHull;
use plotters::prelude::*;

use crate::coherence::{POSES, cuboid, sphere, walk};
use crate::lin_canny::{self, Pair, Regions};

/// Steps between queries, degrees; each goes 0.01 m a degree, too.
const STEPS: [f64; 9] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 45.0];

const NAMES: [&str; 4] = ["V-Clip", "GJK, warm", "GJK of parry, warm", "Lin-Canny"];

/// Nanoseconds a query, and steps or rounds where they are known.
#[derive(Clone, Copy, Default)]
struct Cost {
    nanoseconds: f64,
    rounds: f64,
}

/// The least of the runs, and the sum of what the queries found.
fn time(runs: usize, mut run: impl FnMut() -> f64) -> (f64, f64) {
    let (mut best, mut sum) = (f64::INFINITY, 0.0);
    for _ in 0..runs {
        let clock = Instant::now();
        sum = black_box(run());
        best = best.min(clock.elapsed().as_secs_f64() * 1e9 / POSES as f64);
    }
    (best, sum)
}

fn peer_hull(hull: &ConvexPolyhedron) -> PeerHull {
    let points: Vec<Vector> = hull.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    PeerHull::from_convex_hull(&points).expect("a hull")
}

fn peer_pose(pose: &RelativePose) -> Pose {
    let rotation = ccd_core::math::Rotation::from_matrix(&pose.rotation);
    let (r, t) = (rotation.coords, pose.translation);
    Pose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(r.x, r.y, r.z, r.w))
}

/// The distance by parry's GJK from the direction of the last one, which it leaves in `direction`.
fn peer_distance(a: &PeerHull, pose: &Pose, direction: &mut Vector, simplex: &mut VoronoiSimplex) -> f64 {
    simplex.reset(CsoPoint::from_shapes(pose, a, a, *direction));
    match gjk::closest_points(pose, a, a, f64::MAX, true, simplex) {
        GJKResult::ClosestPoints(p, q, normal) => {
            *direction = normal;
            (q - p).length()
        }
        _ => 0.0,
    }
}

/// All contestants on one walk; and how often Lin–Canny's went in a circle.
fn contest(solid: &ConvexPolyhedron, degrees: f64, runs: usize) -> ([Cost; 4], u32) {
    let poses = walk(degrees.to_radians(), 0.01 * degrees);
    let mut rounds = [0_u64; 4];
    let (vclip, sum) = time(runs, || {
        let mut memory = FeatureMemory::default();
        rounds[0] = 0;
        let query = |p| {
            let found = closest_features(solid, solid, p, &mut memory);
            rounds[0] += u64::from(found.steps);
            found.distance
        };
        poses.iter().map(query).sum()
    });
    let (ours, sum_gjk) = time(runs, || {
        let mut cache = GjkCache::default();
        rounds[1] = 0;
        let query = |p| {
            let found = separation(solid, solid, p, &mut cache, &GjkGoal::EXACT);
            rounds[1] += u64::from(found.rounds);
            found.distance
        };
        poses.iter().map(query).sum()
    });
    let hull = peer_hull(solid);
    let peer_poses: Vec<Pose> = poses.iter().map(peer_pose).collect();
    let (peer, sum_peer) = time(runs, || {
        let (mut direction, mut simplex) = (Vector::X, VoronoiSimplex::new());
        peer_poses.iter().map(|p| peer_distance(&hull, p, &mut direction, &mut simplex)).sum()
    });
    let regions = Regions::of(solid);
    let mut circles = 0;
    let (lin_canny, sum_lin_canny) = time(runs, || {
        let mut pair = Pair::default();
        (rounds[3], circles) = (0, 0);
        let query = |p| {
            let found = lin_canny::distance(&regions, &regions, p, &mut pair);
            rounds[3] += u64::from(found.steps);
            circles += u32::from(found.circled);
            found.distance
        };
        poses.iter().map(query).sum()
    });
    let near = |other: f64| (other - sum).abs() < 1e-5;
    assert!(near(sum_gjk) && near(sum_peer), "{sum} {sum_gjk} {sum_peer}: all measure the same");
    assert!(circles > 0 || near(sum_lin_canny), "{sum} {sum_lin_canny}: all measure the same");
    let nanoseconds = [vclip, ours, peer, lin_canny];
    let cost = |i: usize| Cost { nanoseconds: nanoseconds[i], rounds: rounds[i] as f64 / POSES as f64 };
    ([0, 1, 2, 3].map(cost), circles)
}

type Curves = (String, Vec<[Cost; 4]>);

pub fn run(runs: usize, plot: Option<&std::path::Path>) -> Result<(), Box<dyn std::error::Error>> {
    let solids =
        [("box", cuboid()), ("sphere", sphere(0)), ("sphere", sphere(1)), ("sphere", sphere(2)), ("sphere", sphere(3))];
    println!("ns a query, and steps or rounds of one (parry does not tell its own)");
    println!(
        "{:<14}{:>8}{:>16}{:>16}{:>20}{:>18}{:>8}",
        "solid", "degrees", NAMES[0], NAMES[1], NAMES[2], NAMES[3], "circles"
    );
    let mut all: Vec<Curves> = Vec::new();
    for (name, solid) in &solids {
        let name = format!("{name}, {}", solid.vertices().len());
        let mut curves = Vec::new();
        for degrees in STEPS {
            let (costs, circles) = contest(solid, degrees, runs);
            let text = costs.map(|c| format!("{:.0} ({:.2})", c.nanoseconds, c.rounds));
            let peer = format!("{:.0}", costs[2].nanoseconds);
            println!("{name:<14}{degrees:>8}{:>16}{:>16}{peer:>20}{:>18}{circles:>8}", text[0], text[1], text[3]);
            curves.push(costs);
        }
        all.push((name, curves));
    }
    match plot {
        Some(path) => draw(path, &all),
        None => Ok(()),
    }
}

/// A panel for each solid: nanoseconds over degrees, both logarithmic.
fn draw(path: &std::path::Path, all: &[Curves]) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::new(path, (1500, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let colours = [RGBColor(200, 30, 30), RGBColor(30, 90, 200), RGBColor(120, 120, 120), RGBColor(20, 140, 60)];
    for (panel, (name, curves)) in root.split_evenly((1, all.len())).iter().zip(all) {
        let mut chart = ChartBuilder::on(panel)
            .caption(name, ("sans-serif", 18))
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(52)
            .build_cartesian_2d((0.08..60.0).log_scale(), (30.0..40_000.0).log_scale())?;
        chart.configure_mesh().x_desc("degrees between queries").y_desc("ns a query").light_line_style(WHITE).draw()?;
        for (i, colour) in colours.into_iter().enumerate() {
            let points = STEPS.into_iter().zip(curves).map(move |(x, costs)| (x, costs[i].nanoseconds));
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(NAMES[i])
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE)
            .label_font(("sans-serif", 12))
            .draw()?;
    }
    root.present()?;
    Ok(())
}
