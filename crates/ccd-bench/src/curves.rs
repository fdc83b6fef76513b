//! The plot of what a query costs against the step between queries.

use std::path::Path;

use plotters::prelude::*;

use crate::contestants::{Contestant, STEPS};

/// A solid's name, and for each step what a query costs each contestant.
pub type Curves = (String, Vec<[f64; 4]>);

/// A panel for each solid: what a query costs over degrees, both logarithmic.
pub fn draw(
    path: &Path,
    all: &[Curves],
    unit: &str,
    range: std::ops::Range<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::new(path, (1500, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let colours = [RGBColor(200, 30, 30), RGBColor(30, 90, 200), RGBColor(120, 120, 120), RGBColor(20, 140, 60)];
    for (panel, (name, curves)) in root.split_evenly((1, all.len())).iter().zip(all) {
        let mut chart = ChartBuilder::on(panel)
            .caption(name, ("sans-serif", 18))
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(52)
            .build_cartesian_2d((0.08..60.0).log_scale(), range.clone().log_scale())?;
        chart.configure_mesh().x_desc("degrees between queries").y_desc(unit).light_line_style(WHITE).draw()?;
        for (i, colour) in colours.into_iter().enumerate() {
            let points = STEPS.into_iter().zip(curves).map(move |(x, costs)| (x, costs[i]));
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(Contestant::ALL[i].name())
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
