//! The step report as Bevy diagnostics.

use bevy::diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy::prelude::*;
use ccd_core::world::StepReport;

use crate::world::CcdWorld;

/// Records every step's times and counters in the app's `DiagnosticsStore`, under [`CcdDiagnosticsPlugin::paths`].
///
/// Part of [`CcdPlugins`](crate::CcdPlugins).
#[derive(Clone, Copy, Debug, Default)]
pub struct CcdDiagnosticsPlugin;

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident = $path:literal, $suffix:literal, $value:expr;)*) => {
        impl CcdDiagnosticsPlugin {
            $($(#[$doc])* pub const $name: DiagnosticPath = DiagnosticPath::const_new($path);)*

            /// All paths.
            pub fn paths() -> impl Iterator<Item = DiagnosticPath> {
                [$(Self::$name),*].into_iter()
            }
        }

        /// Path, unit, and how the report tells it.
        type Measure = (DiagnosticPath, &'static str, fn(&StepReport) -> f64);

        fn measures() -> impl Iterator<Item = Measure> {
            let all: [Measure; _] = [$((CcdDiagnosticsPlugin::$name, $suffix, $value)),*];
            all.into_iter()
        }
    };
}

measures! {
    /// Wall time of the broad phase, ms.
    BROAD_PHASE_TIME = "ccd/time/broad_phase", " ms", |r| r.phases.broad.as_secs_f64() * 1e3;
    /// Wall time of the narrow phase, ms.
    NARROW_PHASE_TIME = "ccd/time/narrow_phase", " ms", |r| r.phases.narrow.as_secs_f64() * 1e3;
    /// Wall time of the response, ms.
    RESPONSE_TIME = "ccd/time/response", " ms", |r| r.phases.response.as_secs_f64() * 1e3;
    /// Wall time of the check of the resolved motion, ms.
    CHECK_TIME = "ccd/time/check", " ms", |r| r.phases.check.as_secs_f64() * 1e3;
    /// Wall time of these phases together, ms: of all but what begins and ends a step ([`ccd_core::world::PhaseTimes`]).
    STEP_TIME = "ccd/time/step", " ms", |r| {
        (r.phases.broad + r.phases.narrow + r.phases.response + r.phases.check).as_secs_f64() * 1e3
    };
    /// Bodies.
    BODIES = "ccd/count/bodies", "", |r| r.counters.bodies as f64;
    /// Bodies that sleep when the step ends.
    ASLEEP = "ccd/count/asleep", "", |r| r.counters.asleep as f64;
    /// Pairs whose swept volumes overlap.
    CANDIDATE_PAIRS = "ccd/count/candidate_pairs", "", |r| r.counters.candidate_pairs as f64;
    /// Pairs with contacts.
    CONTACT_PAIRS = "ccd/count/contact_pairs", "", |r| r.counters.contact_pairs as f64;
    /// Contact points.
    CONTACTS = "ccd/count/contacts", "", |r| r.counters.contacts as f64;
    /// Time-of-contact queries.
    QUERIES = "ccd/count/time_of_contact_queries", "", |r| r.counters.time_of_contact_queries as f64;
    /// Impacts resolved within the step.
    IMPACTS = "ccd/count/impacts", "", |r| r.counters.impacts as f64;
    /// Islands solved.
    ISLANDS = "ccd/count/islands", "", |r| r.counters.islands as f64;
    /// Sweeps of the contact solver.
    SOLVER_SWEEPS = "ccd/count/solver_sweeps", "", |r| r.counters.solver_sweeps as f64;
    /// Pairs of hierarchy nodes visited.
    NODES_VISITED = "ccd/count/nodes_visited", "", |r| r.counters.query.nodes_visited as f64;
    /// Pairs of features tested.
    FEATURES_TESTED = "ccd/count/features_tested", "", |r| r.counters.query.features_tested as f64;
    /// Certified advances and bisections of time.
    ADVANCES = "ccd/count/advances", "", |r| r.counters.query.advances as f64;
    /// The most time a body lost in the step, ms.
    TIME_LOST = "ccd/time_lost", " ms", |r| r.time_lost * 1e3;
}

impl Plugin for CcdDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        for (path, suffix, _) in measures() {
            app.register_diagnostic(Diagnostic::new(path).with_suffix(suffix));
        }
    }

    fn finish(&self, app: &mut App) {
        let Some(schedule) = app.world().get_resource::<crate::schedule::CcdSchedule>().copied() else { return };
        app.add_systems(
            schedule.label,
            record_report.in_set(crate::CcdSystems::Writeback).after(crate::events::tell_collisions),
        );
    }
}

/// One measurement for each step that was made.
fn record_report(world: Res<CcdWorld>, mut recorded: Local<u64>, mut diagnostics: Diagnostics) {
    if *recorded == world.steps() {
        return;
    }
    *recorded = world.steps();
    for (path, _, value) in measures() {
        diagnostics.add_measurement(&path, || value(world.report()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_measures_share_a_path() {
        let mut paths: Vec<String> = CcdDiagnosticsPlugin::paths().map(|path| path.to_string()).collect();
        let count = paths.len();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), count);
    }
}
