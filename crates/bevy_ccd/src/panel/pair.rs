//! The pair that is looked into: its closest features, the walk to them, the way of a point, and its contacts with their past.

use bevy::prelude::*;
use bevy_egui::egui::{Checkbox, Grid, RichText, ScrollArea, Slider, Ui};
use ccd_core::contact::{Kinship, TrackingRule};
use ccd_core::detection::toc::BoxOutcome;
use ccd_core::id::PairKey;

use super::CcdPanelParam;
use crate::inspect::{CcdFindings, CcdInspect, Trajectory, Walk, nearest_pair};
use crate::world::CcdWorld;

/// Everything about the pair.
pub(super) fn pair_ui(ui: &mut Ui, param: &mut CcdPanelParam) {
    let mut inspect = param.inspect.clone();
    ui.horizontal(|ui| {
        let nearest = ui.button("nearest").on_hover_text("look into the two bodies with the smallest gap");
        if nearest.clicked() {
            inspect.pair = nearest_pair(&param.world).or(inspect.pair);
        }
        if let Some((a, b)) = inspect.pair {
            if ui.button("swap").on_hover_text("exchange A and B").clicked() {
                inspect.pair = Some((b, a));
            }
            if ui.button("✖").on_hover_text("look into no pair").clicked() {
                inspect.pair = None;
            }
        }
    });
    if let Some((a, b)) = inspect.pair {
        ui.label(RichText::new(format!("A {} · B {}", param.name_of(a), param.name_of(b))).strong());
        closest_ui(ui, &param.findings);
        switches_ui(ui, &mut inspect, param.debug.hierarchy.is_some());
        if inspect.walk {
            walk_ui(ui, param.findings.walk.as_ref(), &mut inspect);
        }
        if let Some(trajectory) = param.findings.trajectory.as_ref().filter(|_| inspect.trajectory || inspect.paper_box)
        {
            trajectory_ui(ui, trajectory, &mut inspect);
        }
        contacts_ui(ui, &param.world, a, b);
    }
    param.inspect.set_if_neq(inspect);
}

fn closest_ui(ui: &mut Ui, findings: &CcdFindings) {
    match &findings.closest {
        Some(closest) => {
            ui.monospace(format!("distance {:.6e} m", closest.distance));
            ui.monospace(format!("{} of A, {} of B", closest.features.a, closest.features.b));
        }
        None => {
            ui.weak("no distance between these two");
        }
    }
}

fn switches_ui(ui: &mut Ui, inspect: &mut CcdInspect, has_hierarchy: bool) {
    ui.columns(2, |columns| {
        columns[0].checkbox(&mut inspect.closest, "closest points");
        columns[0].checkbox(&mut inspect.regions, "Voronoi regions");
        columns[0].checkbox(&mut inspect.walk, "walk of V-Clip");
        columns[1].checkbox(&mut inspect.trajectory, "trajectory boxes");
        columns[1].checkbox(&mut inspect.paper_box, "the paper's bound");
        columns[1]
            .add_enabled(has_hierarchy || inspect.visited, Checkbox::new(&mut inspect.visited, "nodes visited"))
            .on_disabled_hover_text("of the hierarchy that is chosen under Overlays; none is");
    });
}

fn walk_ui(ui: &mut Ui, walk: Option<&Walk>, inspect: &mut CcdInspect) {
    let Some(walk) = walk else {
        ui.weak("V-Clip walks over boxes, convex polyhedra and compounds of them");
        return;
    };
    ui.checkbox(&mut inspect.walk_from_far, "from the far sides");
    let count = walk.steps.len();
    let mut step = inspect.walk_step.min(count.saturating_sub(1)) + 1;
    if ui.add(Slider::new(&mut step, 1..=count.max(1)).text(format!("step of {count}"))).changed() {
        inspect.walk_step = step - 1;
    }
    Grid::new("ccd_walk").num_columns(4).striped(true).show(ui, |ui| {
        for heading in ["", "A", "B", "apart"] {
            ui.strong(heading);
        }
        ui.end_row();
        for (index, (visited, distance)) in walk.steps.iter().zip(&walk.distances).enumerate() {
            let here = index + 1 == step;
            if ui.selectable_label(here, format!("{}", index + 1)).clicked() {
                inspect.walk_step = index;
            }
            ui.monospace(visited.named.a.to_string());
            ui.monospace(visited.named.b.to_string());
            let note = if visited.careful { " careful" } else { "" };
            ui.monospace(format!("{distance:.3e}{note}"));
            ui.end_row();
        }
    });
    if walk.overlapping {
        ui.label("they touch or overlap");
    }
}

fn trajectory_ui(ui: &mut Ui, trajectory: &Trajectory, inspect: &mut CcdInspect) {
    ui.horizontal(|ui| {
        let mut vertex = trajectory.vertex;
        let last = trajectory.vertices.saturating_sub(1);
        if ui.add(Slider::new(&mut vertex, 0..=last).text("vertex of A")).changed() {
            inspect.trajectory_vertex = Some(vertex);
        }
        if inspect.trajectory_vertex.is_some() && ui.small_button("nearest").clicked() {
            inspect.trajectory_vertex = None;
        }
    });
    let count = trajectory.boxes.len();
    let mut shown = inspect.trajectory_boxes.min(count);
    if ui.add(Slider::new(&mut shown, 0..=count).text(format!("boxes of {count}"))).changed() {
        inspect.trajectory_boxes = if shown == count { usize::MAX } else { shown };
    }
    if let Some(traced) = shown.checked_sub(1).and_then(|last| trajectory.boxes.get(last)) {
        let became = match traced.outcome {
            BoxOutcome::Clear => "clear",
            BoxOutcome::Halved => "halved",
            BoxOutcome::Contact => "contact",
        };
        let (from, to) = (1e3 * traced.from, 1e3 * traced.to);
        ui.monospace(format!("{from:.4} – {to:.4} ms, δ {:.2e} m: {became}", traced.deviation));
    }
    match trajectory.boxes.iter().find(|b| b.outcome == BoxOutcome::Contact) {
        Some(contact) => ui.label(format!("this point meets B after {:.6} ms", 1e3 * contact.from)),
        None => ui.label(format!("this point meets nothing of B within {:.3} ms", 1e3 * trajectory.dt)),
    };
    if inspect.paper_box {
        let paper = &trajectory.paper;
        ui.monospace(format!("ν/2 {:.3e} m, δ {:.3e} m", paper.half_excess, paper.deviation));
        let verdict = if paper.misses() { "leaves the paper's bound" } else { "stays within the paper's bound" };
        ui.monospace(format!("the way goes {:.3e} m off: it {verdict}", paper.sagitta));
    }
}

/// The contacts of the pair with what is known of their past.
fn contacts_ui(ui: &mut Ui, world: &CcdWorld, a: Entity, b: Entity) {
    let pair = world.body_id(a).zip(world.body_id(b)).map(|(a, b)| PairKey::new(a, b));
    let Some(contacts) = pair.and_then(|pair| world.core().contacts_of(&pair)) else {
        ui.weak("no contacts");
        return;
    };
    let clusters = contacts.clusters(world.core().settings().tolerance);
    ui.label(format!("{} contacts in {} clusters", contacts.points.len(), clusters.len()));
    ScrollArea::horizontal().id_salt("ccd_history").show(ui, |ui| {
        Grid::new("ccd_history").num_columns(7).striped(true).show(ui, |ui| {
            for heading in ["no.", "updates", "known by", "rule", "cluster", "gap, m", "N·s"] {
                ui.strong(heading);
            }
            ui.end_row();
            for (index, (point, impulse)) in contacts.points.iter().zip(&contacts.impulses).enumerate() {
                let history = contacts.histories().get(index);
                ui.monospace(history.map_or_else(|| "–".into(), |h| h.id.0.to_string()));
                ui.monospace(history.map_or_else(|| "–".into(), |h| h.age.to_string()));
                ui.monospace(history.map_or("–", |h| kinship_name(h.kinship)));
                ui.monospace(rule_name(TrackingRule::of(&point.features)));
                let cluster = clusters.iter().position(|cluster| cluster.members.contains(&index));
                ui.monospace(cluster.map_or_else(|| "–".into(), |at| at.to_string()));
                ui.monospace(format!("{:.2e}", point.separation));
                ui.monospace(format!("{:.3e}", impulse.norm()));
                ui.end_row();
            }
        });
    });
}

/// How a contact was recognised, in a word.
pub fn kinship_name(kinship: Kinship) -> &'static str {
    match kinship {
        Kinship::New => "new",
        Kinship::Features => "features",
        Kinship::Place => "place",
    }
}

/// Which rule moves a contact, in a word.
pub fn rule_name(rule: TrackingRule) -> &'static str {
    match rule {
        TrackingRule::VertexEdge => "vertex–edge",
        TrackingRule::VertexFace => "vertex–face",
        TrackingRule::EdgeEdge => "edge–edge",
        TrackingRule::VertexVertex => "vertex–vertex",
        TrackingRule::Surface => "surface",
    }
}
