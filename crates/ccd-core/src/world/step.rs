//! The story of a step.

use std::time::Instant;

use super::World;
use super::report::{StepError, StepReport};
use super::stepping::{Stage, Stepping};
use crate::math::Real;
use crate::parallel::Execution;

/// Fewer pairs than this are not worth the threads.
const WORTH_THREADS: usize = 16;

/// A stage over as many pairs is worth handing to rayon's threads as a whole: from there its parts are shared out without waking anybody
/// who waits outside. For a smaller one that is a wait of its own.
const WORTH_A_THREAD: usize = 256;

impl World {
    /// Advances the world by `dt` seconds.
    ///
    /// Promise: bodies that were disjoint are disjoint after it, whatever they did in between, if the settings' method of detection
    /// misses nothing (all but four do: [`crate::detection::toc::Method::promise`]). What cannot be answered in time loses time (see
    /// [`StepReport::time_lost`]), never geometry. The same world steps to the same bits for any number of threads.
    ///
    /// # Errors
    /// [`StepError`]; the world is then as it was before, but for overlaps that were separated before a [`StepError::Detection`].
    pub fn step(&mut self, dt: Real) -> Result<StepReport, StepError> {
        self.begin_step(dt)?; // where would everything go?
        self.broad_phase()?; // who could meet?
        self.narrow_phase()?; // who touches now, and with which features?
        self.respond()?; // impacts and contacts: what do they do to the velocities?
        self.check_motion()?; // does anything meet on the resolved way? advance to it, respond, go on
        self.finish_step() // commit poses and velocities, and tell
    }

    /// First stage: checks the input, separates what was put into overlap, and predicts every body's motion.
    ///
    /// # Errors
    /// [`StepError`] for a bad `dt`, for numbers of a body that are not finite or out of range, for overlaps that the settings refuse,
    /// and for overlaps that could not be separated ([`StepError::Inseparable`]).
    pub fn begin_step(&mut self, dt: Real) -> Result<(), StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::BadStep { dt });
        }
        // A step that was in progress is given up.
        self.stepping = None;
        self.changed_within.clear();
        if let Some(idle) = self.idle_step(dt) {
            self.stepping = Some(Box::new(idle));
            return Ok(());
        }
        self.validate_changed()?;
        self.in_force = self.settings.over(dt);
        let separated = self.separate_unchecked()?;
        let mut stepping = Stepping::predict(self, dt);
        stepping.report.separated = separated;
        stepping.still = std::mem::take(&mut self.still);
        self.stepping = Some(Box::new(stepping));
        Ok(())
    }

    /// Checks the bodies that somebody has changed, or that have moved.
    fn validate_changed(&self) -> Result<(), StepError> {
        for (id, body) in self.bodies().filter(|(_, body)| !body.settled) {
            body.validate().map_err(|error| StepError::Body { body: id, error })?;
        }
        Ok(())
    }

    /// Second stage: pairs whose volumes, swept over the step, overlap.
    ///
    /// # Errors
    /// [`StepError::OutOfOrder`].
    pub fn broad_phase(&mut self) -> Result<(), StepError> {
        self.stage(Stage::Begun, "broad_phase", "begin_step", |stepping, world| {
            let clock = Instant::now();
            stepping.find_candidates(world);
            stepping.report.phases.broad += clock.elapsed();
            Ok(())
        })
    }

    /// Third stage: the contacts of all pairs within the contact threshold.
    ///
    /// # Errors
    /// [`StepError::OutOfOrder`].
    pub fn narrow_phase(&mut self) -> Result<(), StepError> {
        self.stage(Stage::Broad, "narrow_phase", "broad_phase", |stepping, world| {
            let clock = Instant::now();
            stepping.find_contacts(world);
            stepping.expect_landings(world);
            stepping.report.phases.narrow += clock.elapsed();
            Ok(())
        })
    }

    /// Fourth stage: impacts and contact impulses of every island, on the motions over the whole step.
    ///
    /// # Errors
    /// [`StepError::OutOfOrder`].
    pub fn respond(&mut self) -> Result<(), StepError> {
        self.stage(Stage::Narrow, "respond", "narrow_phase", |stepping, world| {
            let clock = Instant::now();
            stepping.solve_all_islands(world);
            stepping.report.phases.response += clock.elapsed();
            Ok(())
        })
    }

    /// Fifth stage: continuous detection on the resolved motions; impacts are met and resolved in time order.
    ///
    /// # Errors
    /// [`StepError::OutOfOrder`], [`StepError::Detection`].
    pub fn check_motion(&mut self) -> Result<(), StepError> {
        self.stage(Stage::Responded, "check_motion", "respond", |stepping, world| {
            stepping.meet_impacts(world)?;
            let clock = Instant::now();
            stepping.stop_what_is_pressed(world);
            stepping.take_gains(world);
            stepping.report.phases.response += clock.elapsed();
            Ok(())
        })
    }

    /// Last stage: commits poses and velocities, and reports.
    ///
    /// # Errors
    /// [`StepError::OutOfOrder`].
    pub fn finish_step(&mut self) -> Result<StepReport, StepError> {
        let out_of_order = StepError::OutOfOrder { called: "finish_step", missing: "check_motion" };
        let stepping = self.stepping.take().filter(|s| s.stage == Stage::Checked).ok_or(out_of_order)?;
        if stepping.is_idle {
            return Ok(self.finish_idle(*stepping));
        }
        let execution = self.execution_of_stage(&stepping);
        Ok(execution.run(|| self.commit(*stepping)))
    }

    /// Runs one stage on the step in progress, if the stage before it is done.
    fn stage(
        &mut self,
        expected: Stage,
        called: &'static str,
        missing: &'static str,
        run: impl FnOnce(&mut Stepping, &Self) -> Result<(), StepError> + Send,
    ) -> Result<(), StepError> {
        let stepping = self.stepping.take().filter(|s| s.stage == expected);
        let mut stepping = stepping.ok_or(StepError::OutOfOrder { called, missing })?;
        if !stepping.is_idle {
            stepping.catch_up(self);
            self.execution_of_stage(&stepping).run(|| run(&mut stepping, self))?;
        }
        stepping.stage = expected.next();
        self.stepping = Some(stepping);
        Ok(())
    }

    /// How a stage as a whole is run: one that has enough to share out, on one of rayon's threads.
    fn execution_of_stage(&self, stepping: &Stepping) -> Execution {
        Execution::parallel_if(self.in_force.parallel && stepping.candidates.len() >= WORTH_A_THREAD)
    }

    /// How a stage goes through so many pairs that take some work each.
    pub(super) fn execution_over(&self, pairs: usize) -> Execution {
        Execution::parallel_if(self.in_force.parallel && pairs >= WORTH_THREADS)
    }
}
