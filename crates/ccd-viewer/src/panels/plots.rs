//! Plots over the recorded steps: energy, gap, and where the time of a step goes.

use bevy_ccd::panel::response_name;
use bevy_egui::egui::{Color32, Ui};
use egui_plot::{Corner, Legend, Line, Plot, PlotPoints, VLine};

use super::text::with_unit;
use super::timeline::Window;
use crate::palette;
use crate::playback::{Playback, Recorded};
use crate::scenes::Opening;

/// What is plotted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Kinetic, potential and total energy.
    Energy,
    /// The smallest separation of all contacts.
    Gap,
    /// Wall time of the phases of a step.
    Phases,
    /// Pairs, queries, impacts and sweeps of a step.
    Work,
}

type Curve = (&'static str, Color32, fn(&Recorded) -> Option<f64>);

fn milliseconds(duration: std::time::Duration) -> Option<f64> {
    Some(duration.as_secs_f64() * 1e3)
}

impl Quantity {
    fn curves(self) -> Vec<Curve> {
        let [gold, blue, red, green, violet, _] = palette::DYNAMIC.map(palette::in_panel);
        match self {
            Self::Energy => vec![
                ("kinetic", red, |state| Some(state.energy.kinetic)),
                ("potential", blue, |state| Some(state.energy.potential)),
                ("total", gold, |state| Some(state.energy.total())),
            ],
            Self::Gap => {
                vec![("smallest separation", green, |state| state.report().min_separation.map(|gap| gap * 1e3))]
            }
            Self::Phases => vec![
                ("broad phase", blue, |state| milliseconds(state.report().phases.broad)),
                ("narrow phase", green, |state| milliseconds(state.report().phases.narrow)),
                ("response", red, |state| milliseconds(state.report().phases.response)),
                ("check", gold, |state| milliseconds(state.report().phases.check)),
            ],
            Self::Work => vec![
                ("candidate pairs", blue, |state| Some(state.report().counters.candidate_pairs as f64)),
                ("contacts", green, |state| Some(state.report().counters.contacts as f64)),
                ("TOC queries", violet, |state| Some(state.report().counters.time_of_contact_queries as f64)),
                ("impacts", red, |state| Some(state.report().counters.impacts as f64)),
            ],
        }
    }

    /// A value of the vertical axis, in what the curves are in, as it is written beside it.
    fn written(self, value: f64) -> String {
        match self {
            Self::Energy => with_unit(value, "J"),
            Self::Gap => with_unit(1e-3 * value, "m"),
            Self::Phases => with_unit(1e-3 * value, "s"),
            Self::Work => format!("{value}"),
        }
    }
}

/// When another response method began, seconds, and what it is called: a state has the method of the step that led to it.
fn methods(playback: &Playback) -> Vec<(f64, &'static str)> {
    let frames = || playback.tape.frames().map(|frame| (frame.time, frame.state.left().settings().response));
    let steps = frames().zip(frames().skip(1));
    steps
        .filter(|((_, before), (_, now))| before != now)
        .map(|((start, _), (_, now))| (start, response_name(now)))
        .collect()
}

/// Draws the plot with the watched instant; returns an instant that was clicked, seconds.
pub fn show(
    ui: &mut Ui,
    playback: &Playback,
    quantity: Quantity,
    opening: Opening,
    window: &mut Window,
) -> Option<f64> {
    let watched = playback.tape.watched();
    // A part that was zoomed into is none of another scene's.
    let response = Plot::new(("plot", quantity, opening.0))
        // What is new comes at the right.
        .legend(Legend::default().position(Corner::LeftTop).background_alpha(0.6))
        .x_axis_formatter(|mark, _| with_unit(mark.value, "s"))
        .y_axis_formatter(move |mark, _| quantity.written(mark.value))
        .y_axis_min_width(58.0)
        // A value that stays as it is would else be drawn on a scale of its own making.
        .include_y(0.0)
        .allow_scroll(false)
        .show_background(false)
        .show(ui, |plot| {
            for (name, colour, value) in quantity.curves() {
                let points: Vec<[f64; 2]> = playback
                    .tape
                    .frames()
                    // Nothing is measured before the first step.
                    .filter(|frame| quantity == Quantity::Energy || frame.state.report().dt > 0.0)
                    .filter_map(|frame| Some([frame.time, value(&frame.state).filter(|v| v.is_finite())?]))
                    .collect();
                plot.line(Line::new(name, PlotPoints::from(points)).color(colour).width(1.6));
            }
            for (time, name) in methods(playback) {
                plot.vline(VLine::new(name, time).color(palette::in_panel(palette::KINEMATIC)).width(1.0));
            }
            plot.vline(VLine::new("", watched).color(palette::in_panel(palette::SELECTED)).width(1.0));
            plot.pointer_coordinate()
        });
    window.clicked(&response.response, response.inner.map(|point| point.x), watched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_began_with_the_first_step_that_was_made_by_it() {
        use bevy_ccd::CcdSnapshot;
        use ccd_core::world::{ResponseMethod, StepReport, World, WorldSettings};

        let state = |response| {
            let world = World::new(WorldSettings { response, ..WorldSettings::default() }).unwrap();
            CcdSnapshot::new(world, StepReport::default())
        };
        let mut playback = Playback::of(state(ResponseMethod::Shock), 1.0);
        for method in [ResponseMethod::Shock, ResponseMethod::Pairwise, ResponseMethod::Pairwise] {
            playback.tape.push(0.5, Recorded::new(state(method)));
        }
        assert_eq!(methods(&playback), [(0.5, response_name(ResponseMethod::Pairwise))]);
    }

    #[test]
    fn large_and_small_values_are_written_with_their_unit() {
        assert_eq!(Quantity::Energy.written(4e7), "40.0 MJ");
        assert_eq!(Quantity::Gap.written(0.05), "50.0 µm");
        assert_eq!(Quantity::Phases.written(2.0), "2.00 ms");
        assert_eq!(Quantity::Work.written(12.0), "12");
    }
}
