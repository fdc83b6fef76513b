//! What the last step did.

use std::time::Duration;

use bevy_egui::egui::{self, Grid, RichText, Ui};

use super::CcdPanelParam;

/// Phases with their times, counters, and what deserves notice.
pub(super) fn report_ui(ui: &mut Ui, param: &CcdPanelParam) {
    let report = param.world.report();
    let phases = [
        ("broad phase", report.phases.broad),
        ("narrow phase", report.phases.narrow),
        ("response", report.phases.response),
        ("check", report.phases.check),
    ];
    let total: Duration = phases.iter().map(|(_, time)| *time).sum();
    Grid::new("ccd_phases").num_columns(3).striped(true).show(ui, |ui| {
        for (name, time) in phases {
            ui.label(name);
            ui.monospace(format!("{:8.3} ms", milliseconds(time)));
            let share = if total.is_zero() { 0.0 } else { time.as_secs_f32() / total.as_secs_f32() };
            ui.add(egui::ProgressBar::new(share).desired_width(80.0).desired_height(8.0));
            ui.end_row();
        }
        ui.strong("step");
        ui.monospace(format!("{:8.3} ms", milliseconds(total)));
        ui.end_row();
    });
    let counters = &report.counters;
    Grid::new("ccd_counters").num_columns(2).striped(true).show(ui, |ui| {
        for (name, count) in [
            ("bodies", counters.bodies),
            ("asleep", counters.asleep),
            ("candidate pairs", counters.candidate_pairs),
            ("contact pairs", counters.contact_pairs),
            ("contacts", counters.contacts),
            ("time-of-contact queries", counters.time_of_contact_queries),
            ("impacts", counters.impacts),
            ("islands", counters.islands),
            ("solver sweeps", counters.solver_sweeps),
            ("nodes visited", counters.query.nodes_visited),
            ("features tested", counters.query.features_tested),
            ("advances", counters.query.advances),
        ] {
            ui.label(name);
            ui.monospace(format!("{count:8}"));
            ui.end_row();
        }
        if let Some(separation) = report.min_separation {
            ui.label("smallest separation");
            ui.monospace(format!("{separation:.2e} m"));
            ui.end_row();
        }
    });
    if report.time_lost > 0.0 {
        let text = format!("{} bodies held, {:.2} ms lost", report.held.len(), report.time_lost * 1e3);
        ui.label(RichText::new(text).color(ui.visuals().warn_fg_color));
    }
    for &id in &report.crushed {
        let name = param.world.entity(id).map_or_else(|| id.to_string(), |entity| param.name_of(entity));
        ui.label(RichText::new(format!("{name} stopped, or it would crush")).color(ui.visuals().warn_fg_color));
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
