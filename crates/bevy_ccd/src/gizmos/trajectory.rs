//! The way of a point against the other body of the pair: Algorithm 2's boxes, and the paper's bound beside what is proven.

use bevy::gizmos::config::GizmoConfigStore;
use bevy::gizmos::gizmos::Gizmos;
use bevy::prelude::*;
use ccd_core::detection::toc::BoxOutcome;
use ccd_core::math::{Matrix, Point, Vector, orthonormal_basis};
use ccd_core::volume::Obb;

use super::bodies::obb_transform;
use super::{CcdFineGizmos, CcdPairGizmos};
use crate::convert::from_point;
use crate::inspect::{CcdFindings, CcdInspect, PaperBox, Trajectory};

/// Lines around the paper's ellipsoid: few and thin, for the chord is inside.
const MERIDIANS: u32 = 4;
/// Lines of each of them.
const PIECES: u32 = 48;

/// The boxes of the followed point, and the paper's bound.
pub(super) fn draw_trajectory(
    mut gizmos: Gizmos<CcdPairGizmos>,
    mut fine: Gizmos<CcdFineGizmos>,
    config: Res<GizmoConfigStore>,
    inspect: Res<CcdInspect>,
    findings: Res<CcdFindings>,
) {
    let Some(trajectory) = &findings.trajectory else { return };
    let (_, colours) = config.config::<CcdPairGizmos>();
    let place = |p: &Point| from_point(&(trajectory.frame * p));
    if inspect.trajectory {
        draw_boxes(&mut gizmos, trajectory, inspect.trajectory_boxes, colours);
    }
    if inspect.paper_box {
        draw_bounds(&mut gizmos, &mut fine, trajectory, &trajectory.paper, colours);
    }
    gizmos.linestrip(trajectory.way.iter().map(place), colours.way);
}

fn draw_boxes(gizmos: &mut Gizmos<CcdPairGizmos>, trajectory: &Trajectory, count: usize, colours: &CcdPairGizmos) {
    for traced in trajectory.boxes.iter().take(count) {
        let colour = match traced.outcome {
            BoxOutcome::Clear => colours.clear,
            // Those that were halved stand behind their halves.
            BoxOutcome::Halved => colours.halved.with_alpha(0.5),
            BoxOutcome::Contact => colours.contact,
        };
        gizmos.cube(obb_transform(&traced.obb.transformed(&trajectory.frame)), colour);
        if traced.outcome == BoxOutcome::Contact {
            let at = from_point(&(trajectory.frame * traced.start));
            let size = 0.01 * (trajectory.way[0] - trajectory.paper.chord[1]).norm() as f32;
            gizmos.sphere(Isometry3d::from_translation(at), size.max(1e-5), colours.contact);
        }
    }
}

/// The chord, the tangent line, the ellipsoid of the paper, and the box of erratum E1.
fn draw_bounds(
    gizmos: &mut Gizmos<CcdPairGizmos>,
    fine: &mut Gizmos<CcdFineGizmos>,
    trajectory: &Trajectory,
    paper: &PaperBox,
    colours: &CcdPairGizmos,
) {
    let place = |p: &Point| from_point(&(trajectory.frame * p));
    let [start, end] = paper.chord;
    gizmos.line(place(&start), place(&end), colours.chord);
    gizmos.arrow(place(&start), place(&paper.tangent_end), colours.tangent);
    let along = end - start;
    let Some(axis) = along.try_normalize(1e-12) else { return };
    let axes = towards_the_way(trajectory, &axis);
    let centre = nalgebra::center(&start, &end);
    let half = 0.5 * along.norm();

    // All points whose distances from the two ends add up to no more than the length of the way: so it is drawn in the paper;
    // across it is as wide as ν/2 says there.
    let ellipse = |angle: f64, turn: f64| {
        let across = axes.column(1) * turn.cos() + axes.column(2) * turn.sin();
        centre + axis * ((half + paper.half_excess) * angle.cos()) + across * (paper.half_excess * angle.sin())
    };
    for meridian in 0..MERIDIANS {
        // None of them lies over the chord for who looks along an axis.
        let turn = std::f64::consts::TAU * (f64::from(meridian) + 0.5) / f64::from(MERIDIANS);
        let line = (0..=PIECES).map(|i| place(&ellipse(std::f64::consts::PI * f64::from(i) / f64::from(PIECES), turn)));
        fine.linestrip(line, colours.paper);
    }
    for ring in 1..6 {
        let angle = std::f64::consts::PI * f64::from(ring) / 6.0;
        let line =
            (0..=PIECES).map(|i| place(&ellipse(angle, std::f64::consts::TAU * f64::from(i) / f64::from(PIECES))));
        fine.linestrip(line, colours.paper);
    }
    let proven =
        Obb { centre, axes, half_extents: Vector::new(half + paper.deviation, paper.deviation, paper.deviation) };
    gizmos.cube(obb_transform(&proven.transformed(&trajectory.frame)), colours.proven);
}

/// Axes along the chord and, of those across, one towards the middle of the way, so that a box is seen from its side.
fn towards_the_way(trajectory: &Trajectory, axis: &Vector) -> Matrix {
    let [start, _] = trajectory.paper.chord;
    let middle = trajectory.way[trajectory.way.len() / 2] - start;
    let bulge = middle - axis * middle.dot(axis);
    let across = bulge.try_normalize(1e-9).unwrap_or_else(|| orthonormal_basis(axis).0);
    Matrix::from_columns(&[*axis, across, axis.cross(&across)])
}
