//! What a run reports.

use std::collections::BTreeSet;
use std::time::Duration;

use ccd_core::detection::toc::Method;
use ccd_core::id::BodyId;
use ccd_core::io::case::Case;
use ccd_core::io::expect::{Evaluation, Verdict};
use ccd_core::world::StepReport;
use serde::{Serialize, Serializer};

use super::names::Names;
use super::planes::Plane;

/// The report of a run, as JSON and as the source of the summary.
#[derive(Debug, Serialize)]
pub(super) struct RunReport {
    pub(super) name: String,
    /// The method of detection, by name.
    #[serde(serialize_with = "by_name")]
    pub(super) detection: Method,
    /// What that promises, where it may miss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) promise: Option<&'static str>,
    pub(super) steps: u64,
    pub(super) simulated_s: f64,
    pub(super) wall_s: f64,
    pub(super) ms_per_step: Spread,
    pub(super) phases_ms: Phases,
    pub(super) counters: Counters,
    pub(super) min_separation: Option<f64>,
    pub(super) max_penetration: f64,
    pub(super) contacts_max: u64,
    pub(super) time_lost_s: f64,
    pub(super) energy: Vec<f64>,
    pub(super) expect: Vec<Verdict>,
    /// Bodies that lost time in some step, by name.
    pub(super) held: BTreeSet<String>,
    /// Kinematic bodies that stopped in some step rather than crush another.
    pub(super) crushed: BTreeSet<String>,
    /// Bodies that were stopped because their velocities left the range of numbers.
    pub(super) quarantined: BTreeSet<String>,
    /// For each plane that expectations name: who crossed it.
    pub(super) planes: Vec<Plane>,
    #[serde(skip)]
    dt: f64,
    #[serde(skip)]
    step_ms: Vec<f64>,
}

fn by_name<S: Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(method.name())
}

/// How values spread.
#[derive(Debug, Default, Serialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) p95: f64,
    pub(super) max: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        // The nearest rank: the smallest value that so many of them do not exceed.
        let rank = |part: f64| {
            let i = (part * sorted.len() as f64).ceil() as usize;
            sorted.get(i.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        Self { median: rank(0.5), p95: rank(0.95), max: rank(1.0) }
    }
}

/// Wall time by phase, over all steps, milliseconds.
#[derive(Debug, Default, Serialize)]
pub(super) struct Phases {
    pub(super) broad: f64,
    pub(super) narrow: f64,
    pub(super) response: f64,
    pub(super) check: f64,
}

/// Work, over all steps.
#[derive(Debug, Default, Serialize)]
pub(super) struct Counters {
    pub(super) bodies: u64,
    pub(super) asleep: u64,
    pub(super) candidate_pairs: u64,
    pub(super) contact_pairs: u64,
    pub(super) contacts: u64,
    pub(super) time_of_contact_queries: u64,
    pub(super) impacts: u64,
    pub(super) islands: u64,
    pub(super) solver_sweeps: u64,
    pub(super) substituted_solves: u64,
    pub(super) nodes_visited: u64,
    pub(super) features_tested: u64,
    pub(super) distance_queries: u64,
    pub(super) advances: u64,
}

impl RunReport {
    pub(super) fn new(case: &Case) -> Self {
        let method = case.world.detection;
        Self {
            name: case.name.clone(),
            detection: method,
            promise: method.may_miss().then(|| method.promise().name()),
            steps: 0,
            simulated_s: 0.0,
            wall_s: 0.0,
            ms_per_step: Spread::default(),
            phases_ms: Phases::default(),
            counters: Counters::default(),
            min_separation: None,
            max_penetration: 0.0,
            contacts_max: 0,
            time_lost_s: 0.0,
            energy: Vec::new(),
            expect: Vec::new(),
            held: BTreeSet::new(),
            crushed: BTreeSet::new(),
            quarantined: BTreeSet::new(),
            planes: Plane::of(case),
            dt: case.world.dt,
            step_ms: Vec::new(),
        }
    }

    /// Adds what a step tells of itself.
    pub(super) fn add_step(&mut self, wall: Duration, step: &StepReport, names: &Names) {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        self.steps += 1;
        self.step_ms.push(ms(wall));
        self.phases_ms.broad += ms(step.phases.broad);
        self.phases_ms.narrow += ms(step.phases.narrow);
        self.phases_ms.response += ms(step.phases.response);
        self.phases_ms.check += ms(step.phases.check);
        let (sum, add) = (&mut self.counters, &step.counters);
        sum.bodies = add.bodies;
        sum.asleep = add.asleep;
        sum.candidate_pairs += add.candidate_pairs;
        sum.contact_pairs += add.contact_pairs;
        sum.contacts += add.contacts;
        sum.time_of_contact_queries += add.time_of_contact_queries;
        sum.impacts += add.impacts;
        sum.islands += add.islands;
        sum.solver_sweeps += add.solver_sweeps;
        sum.substituted_solves += add.substituted_solves;
        sum.nodes_visited += add.query.nodes_visited;
        sum.features_tested += add.query.features_tested;
        sum.distance_queries += add.query.distance_queries;
        sum.advances += add.query.advances;
        self.contacts_max = self.contacts_max.max(add.contacts);
        self.time_lost_s += step.time_lost;
        if let Some(separation) = step.min_separation {
            self.min_separation = Some(self.min_separation.map_or(separation, |least| least.min(separation)));
        }
        let named =
            |list: &[BodyId]| list.iter().filter_map(|id| names.name(*id).map(str::to_owned)).collect::<Vec<_>>();
        self.held.extend(named(&step.held));
        self.crushed.extend(named(&step.crushed));
        self.quarantined.extend(named(&step.quarantined));
    }

    /// Fills in what is known only at the end.
    pub(super) fn finish(&mut self, evaluation: &Evaluation) {
        self.simulated_s = self.steps as f64 * self.dt;
        self.wall_s = self.step_ms.iter().sum::<f64>() * 1e-3;
        self.ms_per_step = Spread::of(&self.step_ms);
        self.max_penetration = evaluation.deepest_overlap().map_or(0.0, |d| d.depth);
        self.energy = evaluation.energies();
        self.expect = evaluation.verdicts();
    }

    /// Whether something that must hold did not.
    pub(super) fn has_failed(&self) -> bool {
        self.expect.iter().any(Verdict::is_failure)
    }
}
