//! The B-rep index of the body that is looked into: the cells of a level, and the way of a point through it.

use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;
use ccd_core::bounds::brep_index::{IndexCell, Leaf, Subtree};

use super::CcdPairGizmos;
use super::pair::draw_feature;
use crate::convert::from_point;
use crate::inspect::{CcdIndexFindings, CcdInspect};

pub(super) fn draw_index(
    mut gizmos: Gizmos<CcdPairGizmos>,
    config: Res<GizmoConfigStore>,
    inspect: Res<CcdInspect>,
    findings: Res<CcdIndexFindings>,
) {
    let (_, colours) = config.config::<CcdPairGizmos>();
    let Some(index) = findings.index() else { return };
    let size = 0.5 * (index.mesh().mesh().aabb().half_extents().norm() as f32);
    if let Some((point, _)) = &findings.trace {
        draw_way(&mut gizmos, &findings, inspect.index_step, size, colours);
        let at = from_point(&(findings.frame * point));
        gizmos.sphere(Isometry3d::from_translation(at), 0.03 * size, colours.contact);
        return;
    }
    for cell in &findings.cells {
        let colour = match cell.subtree {
            Subtree::Leaf(Leaf::Inside) => colours.clear,
            Subtree::Leaf(Leaf::Outside) => colours.halved.with_alpha(0.12),
            Subtree::Leaf(Leaf::Face(_)) => colours.a,
            Subtree::Leaf(Leaf::Edge(_)) => colours.paper,
            Subtree::Leaf(Leaf::Vertex(_)) => colours.contact,
            Subtree::Leaf(Leaf::Undecided) => colours.b,
            Subtree::Leaf(Leaf::Extension) => colours.halved.with_alpha(0.2),
            Subtree::Node(_) => colours.halved.with_alpha(0.45),
        };
        draw_cell(&mut gizmos, cell, &findings, size, colour);
    }
}

/// The region that each step leads to, the earlier the fainter, and at the chosen one what divides it.
fn draw_way(
    gizmos: &mut Gizmos<CcdPairGizmos>,
    findings: &CcdIndexFindings,
    step: usize,
    size: f32,
    colours: &CcdPairGizmos,
) {
    let Some(last) = findings.steps.len().checked_sub(1) else { return };
    let shown = step.min(last);
    for (index, (_, cell)) in findings.steps.iter().enumerate().take(shown + 1) {
        let faint = colours.clear.with_alpha(0.12 + 0.25 * index as f32 / (last + 1) as f32);
        let colour = if index == shown { colours.closest } else { faint };
        draw_cell(gizmos, cell, findings, size, colour);
    }
    if let Some(divider) = findings.index().and_then(|index| index.divider(&findings.steps[shown].1)) {
        draw_cell(gizmos, &divider, findings, size, colours.b);
    }
}

fn draw_cell(
    gizmos: &mut Gizmos<CcdPairGizmos>,
    cell: &IndexCell,
    findings: &CcdIndexFindings,
    size: f32,
    colour: Color,
) {
    for polygon in &cell.polygons {
        let placed: Vec<_> = polygon.iter().map(|p| findings.frame * p).collect();
        if placed.len() > 2 {
            gizmos.lineloop(placed.iter().map(from_point), colour);
        } else if !placed.is_empty() {
            draw_feature(gizmos, &placed, size, colour);
        }
    }
}
