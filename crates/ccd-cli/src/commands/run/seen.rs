//! What a step showed that is not in the bodies' states.

use ccd_core::detection::closest::closest_within;
use ccd_core::dynamics::Body;
use ccd_core::id::{BodyId, PairKey};
use ccd_core::io::case::Case;
use ccd_core::io::expect::{Rule, Touch};
use ccd_core::world::{StepReport, World};

use super::names::Names;

/// By places in the case.
pub(super) struct Seen {
    /// The pairs that touched during the step or touch at its end.
    pub(super) touched: Vec<Touch>,
    /// The bodies that were stopped because they were no longer finite.
    pub(super) stopped: Vec<usize>,
}

impl Seen {
    /// Before the first step: of the pairs that are expected to touch, or never to, those that do. Who pass through each other never do.
    pub(super) fn at_start(case: &Case, world: &World, ids: &[BodyId]) -> Self {
        let place = |name: &str| case.bodies.iter().position(|body| body.name == name);
        let body = |place: usize| ids.get(place).and_then(|id| world.body(*id));
        let touch = |a: &Body, b: &Body| {
            let found = closest_within(a.shape(), a.pose(), b.shape(), b.pose(), world.settings().tolerance);
            a.meets(b) && found.is_ok_and(|found| found.is_some())
        };
        let touched = case.expect.iter().filter_map(|expectation| {
            let (Rule::Contact { a, b, .. } | Rule::NoContact { a, b }) = &expectation.rule else { return None };
            let (a, b) = (place(a)?, place(b)?);
            touch(body(a)?, body(b)?).then_some(Touch { pair: (a.min(b), a.max(b)), t: 0.0 })
        });
        Self { touched: touched.collect(), stopped: Vec::new() }
    }

    /// After a step that began at `from` and ended at `to`, seconds from the start.
    pub(super) fn of(world: &World, report: &StepReport, names: &Names, [from, to]: [f64; 2]) -> Self {
        let at_end = world.contacts().filter(|(_, contacts)| contacts.touching).map(|(pair, _)| pair);
        let known_at_end = at_end.chain(report.started.iter().copied()).map(|pair| (pair, to));
        let met = report.impacts.iter().map(|impact| (impact.pair, from + impact.time));
        let touch = |(pair, t): (PairKey, f64)| names.places(pair).map(|pair| Touch { pair, t });
        let touched = met.chain(known_at_end).filter_map(touch).collect();
        Self { touched, stopped: report.quarantined.iter().filter_map(|id| names.place(*id)).collect() }
    }
}
