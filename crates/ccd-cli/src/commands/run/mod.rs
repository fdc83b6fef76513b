//! `ccd run`: steps a case and judges it.

mod names;
mod outputs;
mod planes;
mod poses;
mod report;
mod seen;
mod summary;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ccd_core::dynamics::Body;
use ccd_core::id::BodyId;
use ccd_core::io::case::{Case, build_world};
use ccd_core::io::expect::{BodyState, Evaluation, Frame, Subject};
use ccd_core::math::Point;
use ccd_core::world::World;
use indicatif::{ProgressBar, ProgressStyle};

use crate::Ending;
use crate::failure::Failure;
use crate::output::write_report;
use names::Names;
use poses::PoseWriter;
use report::RunReport;
use seen::Seen;

/// Runs a case, reports as JSON on stdout, and judges its expectations.
///
/// In the report `ms_per_step` and `wall_s` are of the steps alone (not of the checks between them), `phases_ms` and
/// `counters` are sums over all steps (but `bodies` and `asleep`, which are as in the last), `min_separation` is that of the world's contacts, `max_penetration` is found
/// from the poses of each frame by an independent test, and `energy` is kinetic plus gravitational energy in each frame,
/// the first at t = 0. Exit code 1 if an expectation of severity `must` failed. Neither the case nor a file that it names is ever
/// written over.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The case file.
    #[arg(value_name = "CASE")]
    case: PathBuf,
    /// How many steps to run, instead of the case's number.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// The time step in seconds, instead of the case's.
    #[arg(long, value_parser = positive)]
    dt: Option<f64>,
    /// How many threads may work; the answer is the same for any number.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Write the report to this file instead of stdout.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write every frame to this file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    poses: Option<PathBuf>,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() && x > 0.0 => Ok(x),
        _ => Err("must be a finite number above zero".to_owned()),
    }
}

/// Runs the case, on as many threads as are asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    match arguments.threads {
        None => run_here(arguments),
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads as usize)
            .build()
            .map_err(|e| Failure::Arguments(format!("cannot start {threads} threads: {e}")))?
            .install(|| run_here(arguments)),
    }
}

fn run_here(arguments: &Arguments) -> Result<Ending, Failure> {
    let path = &arguments.case;
    let mut case = Case::load(path)?;
    case.world.dt = arguments.dt.unwrap_or(case.world.dt);
    case.world.steps = arguments.steps.unwrap_or(case.world.steps);
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    outputs::check(arguments, &case, folder)?;
    let (mut world, ids) = build_world(&case, folder).map_err(|e| e.in_file(path))?;
    arguments.report.as_deref().map_or(Ok(()), outputs::try_to_write)?;
    if arguments.threads == Some(1) {
        let settings = ccd_core::world::WorldSettings { parallel: false, ..world.settings().clone() };
        world.set_settings(settings).map_err(|e| Failure::Arguments(e.to_string()))?;
    }

    let run = simulate(&case, &mut world, &ids, arguments)?;
    let written = write_report(&run, arguments.report.as_deref());
    summary::print(&run, path);
    match written {
        // Whoever reads the report has had enough of it; what it says holds all the same.
        Err(failure) if !failure.is_broken_pipe() => return Err(failure),
        _ => {}
    }
    Ok(if run.has_failed() { Ending::Unexpected } else { Ending::AsExpected })
}

/// Steps the world to the end, observing every frame.
fn simulate(case: &Case, world: &mut World, ids: &[BodyId], arguments: &Arguments) -> Result<RunReport, Failure> {
    let names = Names::new(case, ids);
    let subject = |id: &BodyId| world.body(*id).map(|body| Subject::of(names.name(*id).unwrap_or_default(), body));
    let subjects = ids.iter().filter_map(subject);
    let mut evaluation = Evaluation::new(&case.expect, subjects.collect(), case.world.gravity.into());
    let mut poses = arguments.poses.as_deref().map(PoseWriter::create).transpose()?;
    let mut report = RunReport::new(case);

    let mut observe = |t: f64, world: &World, seen: &Seen, report: &mut RunReport| {
        let bodies: Vec<BodyState> = ids.iter().filter_map(|id| world.body(*id).map(BodyState::of)).collect();
        evaluation.observe(&Frame { t, bodies: &bodies, touched: &seen.touched });
        for body in &seen.stopped {
            evaluation.note_stopped(*body, t);
        }
        let centres: Vec<Point> = ids.iter().filter_map(|id| world.body(*id).map(Body::centre)).collect();
        for plane in &mut report.planes {
            plane.observe(case, t, &centres);
        }
        poses.as_mut().map_or(Ok(()), |writer| writer.frame(t, world, ids))
    };
    observe(0.0, world, &Seen::at_start(case, world, ids), &mut report)?;

    let bar = progress_bar(u64::from(case.world.steps));
    for step in 1..=u64::from(case.world.steps) {
        let clock = Instant::now();
        let stepped = world.step(case.world.dt).map_err(|e| Failure::Step {
            path: arguments.case.clone(),
            step,
            reason: names.explain(&e),
        })?;
        report.add_step(clock.elapsed(), &stepped, &names);
        // Times are products, not sums: 95 steps of 0.01 s are 0.95 s to the last bit that matters.
        let [from, to] = [step - 1, step].map(|steps| steps as f64 * case.world.dt);
        observe(to, world, &Seen::of(world, &stepped, &names, [from, to]), &mut report)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(writer) = poses {
        writer.finish()?;
    }
    report.finish(&evaluation);
    Ok(report)
}

/// A bar on stderr if a person watches, else nothing.
fn progress_bar(steps: u64) -> ProgressBar {
    use std::io::IsTerminal as _;
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} steps, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
