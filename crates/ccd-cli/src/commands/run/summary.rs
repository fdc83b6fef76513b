//! The run in a few lines for people.

use std::path::Path;

use ccd_core::detection::toc::{Method, Promise};
use ccd_core::math::Shortest;

use super::report::RunReport;
use crate::output::remark;

/// Says on stderr how it went.
pub(super) fn print(run: &RunReport, path: &Path) {
    let c = &run.counters;
    remark(format_args!("{} ({})", run.name, path.display()));
    remark(format_args!(
        "  {} bodies, {} steps, {:.4} s simulated in {:.4} s: {:.3} ms a step (p95 {:.3}, max {:.3})",
        c.bodies,
        run.steps,
        run.simulated_s,
        run.wall_s,
        run.ms_per_step.median,
        run.ms_per_step.p95,
        run.ms_per_step.max
    ));
    remark(format_args!(
        "  {} impacts, at most {} contacts at once, {} queries for times of contact",
        c.impacts, run.contacts_max, c.time_of_contact_queries
    ));
    if run.detection != Method::Auto {
        remark(format_args!("  detection by {}{}", run.detection, leaves_out(run.detection.promise())));
    }
    let penetration = if run.max_penetration > 0.0 {
        format!("deepest overlap {:e} m", run.max_penetration)
    } else {
        "nothing overlaps".to_owned()
    };
    match run.min_separation {
        Some(separation) => remark(format_args!("  smallest separation {separation:e} m, {penetration}")),
        None => remark(format_args!("  no contacts, {penetration}")),
    }
    for plane in &run.planes {
        remark(format_args!(
            "  plane at {:?}, of the moving bodies: {} stopped, {} went through",
            plane.point, plane.stayed, plane.crossed
        ));
    }
    if run.time_lost_s > 0.0 {
        remark(format_args!(
            "  {} s lost, {} of {} bodies held: their impacts or a search ran out of budget, or they had no room",
            Shortest(run.time_lost_s),
            run.held.len(),
            c.bodies
        ));
    }
    for (names, what) in [(&run.crushed, "stopped rather than crush"), (&run.quarantined, "stopped: not finite")] {
        if !names.is_empty() {
            let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
            remark(format_args!("  {what}: {}", names.join(", ")));
        }
    }
    let count = |ok: Option<bool>| run.expect.iter().filter(|v| v.ok == ok).count();
    let (passed, failed, open) = (count(Some(true)), count(Some(false)), count(None));
    if !run.expect.is_empty() {
        remark(format_args!("  expectations: {passed} hold, {failed} do not, {open} cannot be judged"));
    }
    for verdict in run.expect.iter().filter(|v| v.ok != Some(true)) {
        let word = match (verdict.ok, verdict.is_failure()) {
            (None, _) => "open",
            (_, true) => "FAILED",
            (_, false) => "should hold",
        };
        remark(format_args!("    {word}: {}: {}", verdict.kind, verdict.why));
    }
}

/// What a promise does not hold for, as the end of a sentence.
fn leaves_out(promise: Promise) -> &'static str {
    match promise {
        Promise::Whole => "",
        Promise::Shallow => ", which may miss what is shallower than a quarter of the tolerance",
        Promise::Looks => ", which looks at some instants only and may miss what happens between them",
        Promise::Samples => ", which follows samples of surfaces and may miss what passes between them",
    }
}
