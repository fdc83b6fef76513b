//! How times of contact of two tori grow with their triangles: trees against trees, and a tree against a grid of distances.

use std::path::Path;
use std::time::Instant;

use ccd_core::detection::toc::TocOptions;
use ccd_core::shape::Shape;
use plotters::prelude::*;

use crate::queries::{queries, solve_over, torus};

/// Edges around the ring and around the tube; twice their product are the triangles.
const SIZES: [(u32, u32); 6] = [(25, 10), (50, 20), (100, 40), (160, 63), (250, 100), (500, 200)];
/// The spin of either torus is up to this, rad/s.
const SPIN: f64 = 10.0;
/// The cells of the grid, metres.
const CELL: f64 = 0.05;

/// What one size costs, microseconds a query.
struct Row {
    triangles: f64,
    median: f64,
    ninth: f64,
}

fn measure(a: &Shape, b: &Shape, count: usize) -> [f64; 2] {
    let mut times: Vec<f64> = queries(0x7c0, count, 1.4, SPIN)
        .iter()
        .map(|query| {
            // The best of three: what else the machine does is no cost of the query.
            let one = || {
                let clock = Instant::now();
                std::hint::black_box(solve_over(a, b, query, 1.0, &TocOptions::default()));
                clock.elapsed().as_secs_f64() * 1e6
            };
            (0..3).map(|_| one()).fold(f64::INFINITY, f64::min)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    [0.5, 0.9].map(|share| times[((times.len() - 1) as f64 * share) as usize])
}

/// Measures, prints, and draws where a path is given.
pub fn run(count: usize, plot: Option<&Path>) -> Result<(), Box<dyn std::error::Error>> {
    let (around, across) = SIZES[2];
    let grid = Shape::distance_grid(&torus(1.0, 0.4, around, across), CELL)?;
    println!("{:<24} {:>10} {:>14} {:>14}", "pair", "triangles", "median, us", "90 %, us");
    let mut curves = Vec::new();
    for (name, other, count) in
        [("two meshes", None, count), ("mesh and distance grid", Some(&grid), count.div_ceil(5))]
    {
        let mut rows = Vec::new();
        for (around, across) in SIZES {
            let mesh = torus(1.0, 0.4, around, across);
            let [median, ninth] = measure(&mesh, other.unwrap_or(&mesh), count);
            let row = Row { triangles: f64::from(2 * around * across), median, ninth };
            println!("{name:<24} {:>10} {:>14.1} {:>14.1}", row.triangles, row.median, row.ninth);
            rows.push(row);
        }
        curves.push((name, rows));
    }
    plot.map_or(Ok(()), |path| draw(path, &curves))
}

fn draw(path: &Path, curves: &[(&str, Vec<Row>)]) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::new(path, (640, 440)).into_drawing_area();
    root.fill(&WHITE)?;
    let all = || curves.iter().flat_map(|(_, rows)| rows).flat_map(|r| [r.median, r.ninth]);
    let (low, high) = (all().fold(f64::INFINITY, f64::min) * 0.5, all().fold(0.0, f64::max) * 4.0);
    let mut chart = ChartBuilder::on(&root)
        .caption("time of contact of two tori, 10 rad/s", ("sans-serif", 18))
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(60)
        .build_cartesian_2d((400.0..300_000.0).log_scale(), (low..high).log_scale())?;
    chart.configure_mesh().x_desc("triangles of each mesh").y_desc("us a query").light_line_style(WHITE).draw()?;
    let colours = [RGBColor(200, 30, 30), RGBColor(30, 90, 200)];
    for ((name, rows), colour) in curves.iter().zip(colours) {
        for (what, width) in [("median", 2), ("90 %", 1)] {
            let points = rows.iter().map(|r| (r.triangles, if width == 2 { r.median } else { r.ninth }));
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(width)))?
                .label(format!("{name}, {what}"))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(width)));
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE)
        .label_font(("sans-serif", 12))
        .draw()?;
    root.present()?;
    Ok(())
}
