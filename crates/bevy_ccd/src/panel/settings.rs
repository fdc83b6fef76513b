//! What can be set. A resource is touched only where its value changes, so that watching it stays meaningful.

use std::ops::RangeInclusive;

use bevy::prelude::*;
use bevy_egui::egui::emath::Numeric;
use bevy_egui::egui::{self, Checkbox, ComboBox, DragValue, Response, Slider, Ui};
use ccd_core::bounds::HierarchyKind;
use ccd_core::contact::ReductionMethod;
use ccd_core::detection::toc::Method;
use ccd_core::dynamics::Integrator;
use ccd_core::world::{BroadPhaseMethod, InitialOverlap, ResponseMethod};

use super::{CcdPanelParam, NumberText, exact_drag, exact_slider};
use crate::settings::CcdSettings;

/// A slider with egui's text.
fn slider<N: Numeric>(
    ui: &mut Ui,
    value: &mut N,
    range: RangeInclusive<N>,
    settle: impl for<'a> FnOnce(Slider<'a>) -> Slider<'a>,
) -> Response {
    exact_slider(ui, value, range, settle, NumberText::default())
}

fn in_metres(slider: Slider<'_>) -> Slider<'_> {
    slider.logarithmic(true).suffix(" m")
}

/// The level of a tree, to be dragged; one that is beyond `last` is left as it is.
pub(super) fn level(value: &mut usize, last: usize) -> DragValue<'_> {
    DragValue::new(value).range(0..=last).clamp_existing_to_range(false).prefix("level ")
}

/// Pause, single step, Δt.
pub(super) fn clock_ui(ui: &mut Ui, param: &mut CcdPanelParam) {
    let mut clock = *param.clock;
    ui.horizontal(|ui| {
        let label = if clock.paused { "▶ Run" } else { "⏸ Pause" };
        if ui.button(label).clicked() {
            clock.paused = !clock.paused;
        }
        if ui.add_enabled(clock.paused, egui::Button::new("⏭ Step")).clicked() {
            clock.request_step();
        }
        ui.label(format!("{:.3} s, step {}", clock.simulated(), clock.steps())).on_hover_text("Simulated so far");
    });
    let mut milliseconds = clock.next_step_length(param.world.report().dt, param.fixed.timestep()) * 1e3;
    let before = milliseconds;
    slider(ui, &mut milliseconds, 0.1..=200.0, |slider| slider.logarithmic(true).suffix(" ms").text("Δt"))
        .on_hover_text("Length of a step");
    if milliseconds != before {
        clock.step_length = Some(milliseconds * 1e-3);
    }
    param.clock.set_if_neq(clock);
}

/// ε, materials, gravity, methods.
pub(super) fn settings_ui(ui: &mut Ui, param: &mut CcdPanelParam) {
    let mut settings = param.settings.clone();
    let powers = NumberText { format: Some(&|metres| format!("{metres:e}")), parse: None };
    exact_slider(ui, &mut settings.tolerance, 1e-7..=1e-2, |slider| in_metres(slider).text("ε"), powers)
        .on_hover_text("The distance at which bodies count as touching");
    if settings.tolerance != param.settings.tolerance {
        // Features must become contacts before they touch.
        settings.contact_threshold = settings.contact_threshold.max(settings.tolerance);
    }
    let threshold = settings.tolerance..=settings.tolerance.max(0.1);
    exact_slider(
        ui,
        &mut settings.contact_threshold,
        threshold,
        |slider| in_metres(slider).text("contact threshold"),
        powers,
    )
    .on_hover_text("The distance within which features become contacts");
    slider(ui, &mut settings.default_restitution, 0.0..=1.0, |slider| slider.text("restitution"))
        .on_hover_text("Of bodies without a Restitution of their own");
    slider(ui, &mut settings.default_friction, 0.0..=2.0, |slider| slider.text("friction"))
        .on_hover_text("Of bodies without a Friction of their own");
    slider(ui, &mut settings.default_rolling_resistance, 0.0..=0.1, |slider| {
        in_metres(slider).smallest_positive(1e-6).text("rolling resistance")
    })
    .on_hover_text("Of bodies without a RollingResistance of their own");
    gravity_ui(ui, param);
    egui::CollapsingHeader::new("Methods").show(ui, |ui| methods_ui(ui, &mut settings));
    param.settings.set_if_neq(settings);
}

/// How it is computed.
fn methods_ui(ui: &mut Ui, settings: &mut CcdSettings) {
    choose(
        ui,
        "detection",
        &mut settings.detection,
        &[
            (Method::Auto, "auto"),
            (Method::Advancement, "advancement"),
            (Method::ObbBisection, "OBB bisection"),
            (Method::Segments, "segments (can miss)"),
            (Method::Halving, "halving (can miss)"),
            (Method::Estimate, "estimate (can miss)"),
            (Method::Samples, "samples (can miss)"),
        ],
    );
    choose(
        ui,
        "response",
        &mut settings.response,
        &[
            ResponseMethod::Shock,
            ResponseMethod::Pairwise,
            ResponseMethod::Penalty,
            ResponseMethod::Lcp,
            ResponseMethod::Svd,
        ]
        .map(|method| (method, response_name(method))),
    );
    choose(
        ui,
        "integrator",
        &mut settings.integrator,
        &[
            (Integrator::ImprovedEuler, "improved Euler"),
            (Integrator::SemiImplicit, "semi-implicit Euler"),
            (Integrator::Euler, "Euler"),
            (Integrator::Rk4, "Runge–Kutta 4"),
        ],
    );
    choose(
        ui,
        "broad phase",
        &mut settings.broad_phase,
        &[(BroadPhaseMethod::Tree, "tree"), (BroadPhaseMethod::Grid, "grid"), (BroadPhaseMethod::Brute, "all pairs")],
    );
    choose(
        ui,
        "reduction",
        &mut settings.reduction,
        &[
            (ReductionMethod::Manifold, "manifold"),
            (ReductionMethod::Cluster, "clusters"),
            (ReductionMethod::Average, "average (may lie off)"),
            (ReductionMethod::None, "all points"),
        ],
    );
    choose(
        ui,
        "overlaps",
        &mut settings.initial_overlap,
        &[(InitialOverlap::Separate, "move apart"), (InitialOverlap::Error, "refuse")],
    );
    slider(ui, &mut settings.max_impacts_per_body, 1..=16384, |slider| {
        slider.logarithmic(true).text("impacts per body")
    })
    .on_hover_text("A body that has had more in one step stands for the rest of it");
    ui.checkbox(&mut settings.sleeping, "sleeping")
        .on_hover_text("What has come to rest is left as it is until something concerns it");
    ui.checkbox(&mut settings.parallel, "several threads");
}

/// What a method of response is called.
pub fn response_name(method: ResponseMethod) -> &'static str {
    match method {
        ResponseMethod::Shock => "shock propagation",
        ResponseMethod::Pairwise => "pairwise impulses",
        ResponseMethod::Penalty => "penalty springs",
        ResponseMethod::Lcp => "complementarity (LCP)",
        ResponseMethod::Svd => "least norm (SVD)",
    }
}

fn gravity_ui(ui: &mut Ui, param: &mut CcdPanelParam) {
    let mut gravity = *param.gravity;
    ui.horizontal(|ui| {
        for value in [&mut gravity.0.x, &mut gravity.0.y, &mut gravity.0.z] {
            exact_drag(ui, value, 0.05, 2);
        }
        ui.label("gravity, m/s²");
    });
    param.gravity.set_if_neq(gravity);
}

fn choose<T: Copy + PartialEq>(ui: &mut Ui, label: &str, value: &mut T, choices: &[(T, &str)]) {
    let now = choices.iter().find(|(choice, _)| choice == value).map_or("other", |(_, name)| *name);
    ComboBox::from_label(label).selected_text(now).show_ui(ui, |ui| {
        for (choice, name) in choices {
            ui.selectable_value(value, *choice, *name);
        }
    });
}

/// The switches of the overlays.
pub(super) fn overlays_ui(ui: &mut Ui, param: &mut CcdPanelParam) {
    let mut debug = param.debug.clone();
    let drawable = cfg!(feature = "debug");
    ui.columns(2, |columns| {
        let switches: [(usize, &mut bool, &str); 15] = [
            (1, &mut debug.colliders, "colliders"),
            (0, &mut debug.contact_points, "contact points"),
            (0, &mut debug.contact_normals, "contact normals"),
            (0, &mut debug.impacts, "impacts"),
            (0, &mut debug.velocities, "velocities"),
            (0, &mut debug.forces, "forces"),
            (0, &mut debug.friction_cones, "friction cones"),
            (0, &mut debug.tangent_planes, "tangent planes"),
            (0, &mut debug.clusters, "clusters"),
            (1, &mut debug.contact_graph, "contact graph"),
            (1, &mut debug.axes, "axes, centre of mass"),
            (1, &mut debug.obbs, "OBBs"),
            (1, &mut debug.swept_obbs, "swept OBBs"),
            (1, &mut debug.aabbs, "AABBs"),
            (1, &mut debug.spheres, "bounding spheres"),
        ];
        for (column, switch, label) in switches {
            columns[column].add_enabled(drawable, Checkbox::new(switch, label));
        }
    });
    ui.add_enabled_ui(drawable, |ui| {
        ui.horizontal(|ui| {
            let none = [(None, "no hierarchy")].into_iter();
            let choices: Vec<_> = none.chain(HierarchyKind::ALL.map(|kind| (Some(kind), kind.name()))).collect();
            choose(ui, "", &mut debug.hierarchy, &choices);
            if debug.hierarchy.is_some() {
                ui.add(level(&mut debug.hierarchy_level, 24));
            }
        });
        if debug.hierarchy.is_some() {
            ui.horizontal(|ui| {
                let mut only = param.inspect.only_body;
                if ui.checkbox(&mut only, "only of").changed() {
                    param.inspect.only_body = only;
                }
                super::body::body_ui(ui, "ccd_hierarchy_body", param);
            });
        }
    });
    // From a grain of sand to a mountain.
    if debug.contact_normals {
        slider(ui, &mut debug.normal_length, 1e-5..=1e3, |slider| {
            slider.logarithmic(true).suffix(" m").text("normals")
        });
    }
    if debug.forces {
        slider(ui, &mut debug.force_length, 1e-9..=1e4, |slider| {
            slider.logarithmic(true).suffix(" m/N").text("forces")
        });
    }
    if debug.contact_points {
        slider(ui, &mut debug.point_size, 1e-6..=1e2, |slider| slider.logarithmic(true).suffix(" m").text("points"));
    }
    param.debug.set_if_neq(debug);
}
