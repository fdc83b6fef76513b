//! Stacks, heaps and chains on every engine: what a step costs, who drifts, sinks and overlaps, and whether the answer depends
//! on the number of threads.
//!
//! Each engine gets the same case: bodies, material, Δt, no sleeping, and otherwise its own defaults. What it has done is
//! measured from its poses alone, by one judge for all.

mod avian;
mod engine;
mod measure;
mod ours;
mod rapier_f32;
mod rapier_f64;

use std::time::{Duration, Instant};

use ccd_scenes::cases::{CaseFiles, Chain, Heap, MassRatio, Pyramid, RingPile, Scene, Tower};
use cpu_time::ProcessTime;

use engine::{Engine, Scenery};
use measure::Judge;

/// How long, and on how many threads.
#[derive(clap::Args)]
pub struct Course {
    /// Steps of 1/60 s.
    #[arg(long, default_value_t = 1200)]
    steps: u32,
    /// Numbers of threads; avian runs once, on those that it takes.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Only the engines whose names contain this.
    #[arg(long, default_value = "")]
    only: String,
}

#[derive(clap::Subcommand)]
pub enum Pile {
    /// Towers of 10, 20, 50 and 100 unit boxes.
    Towers {
        #[command(flatten)]
        course: Course,
    },
    /// A box 1000 times heavier on 5, 10 and 20 light ones, and one 10,000 times heavier on 5.
    MassRatio {
        #[command(flatten)]
        course: Course,
    },
    /// A wall of unit boxes that narrows by one a row.
    Pyramid {
        /// Boxes of the lowest row.
        #[arg(long, default_value_t = 50)]
        base: u32,
        #[command(flatten)]
        course: Course,
    },
    /// Half-metre boxes that fall into a pit.
    Heap {
        /// How many.
        #[arg(long, default_value_t = 2000)]
        count: u32,
        #[command(flatten)]
        course: Course,
    },
    /// Interlocked rings of 500 triangles, true meshes, that hang and swing.
    Chain {
        /// How many.
        #[arg(long, default_value_t = 10)]
        links: u32,
        #[command(flatten)]
        course: Course,
    },
    /// Rings of 500 triangles, true meshes, that fall into a pit.
    Rings {
        /// How many.
        #[arg(long, default_value_t = 200)]
        count: u32,
        #[command(flatten)]
        course: Course,
    },
}

impl Pile {
    pub fn run(&self) -> Result<(), Box<dyn std::error::Error>> {
        let (scenes, course): (Vec<CaseFiles>, _) = match self {
            Self::Towers { course } => (build([10, 20, 50, 100].map(|height| Tower { height }))?, course),
            Self::MassRatio { course } => {
                let ratios = [(5, 1e3), (10, 1e3), (20, 1e3), (5, 1e4)];
                (build(ratios.map(|(count, ratio)| MassRatio { count, ratio }))?, course)
            }
            Self::Pyramid { base, course } => (build([Pyramid { base: *base }])?, course),
            Self::Heap { count, course } => (build([Heap { count: *count }])?, course),
            Self::Chain { links, course } => (build([Chain { links: *links }])?, course),
            Self::Rings { count, course } => (build([RingPile { count: *count }])?, course),
        };
        println!(
            "milliseconds a step: median, worst, median of the work of all threads; in the first two seconds, then in the last quarter"
        );
        println!(
            "{:<24} {:<14} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>10} {:>10} {:>11} {:>7} {:>5}",
            "case",
            "engine",
            "threads",
            "first",
            "worst",
            "work",
            "last",
            "worst",
            "work",
            "ratio",
            "drift, mm",
            "sink, mm",
            "overlap, mm",
            "lost, s",
            "bits"
        );
        for files in scenes {
            contest(&Scenery::new(files)?, course)?;
        }
        Ok(())
    }
}

fn build<S: Scene, const N: usize>(scenes: [S; N]) -> Result<Vec<CaseFiles>, Box<dyn std::error::Error>> {
    scenes.iter().map(|scene| Ok(scene.build()?)).collect()
}

/// Makes an engine's world of a scene; with whether it may use more than one thread.
type Enter = fn(&Scenery, bool) -> Box<dyn Engine>;

/// An engine that takes part.
struct Entry {
    name: &'static str,
    enter: Enter,
    /// Whether it runs on the pool that it is called in, on any number of threads.
    pooled: bool,
    /// What it takes otherwise.
    threads: &'static str,
}

/// Without its own feature for it, rapier has no use for threads, and is the faster on one.
const RAPIER_POOLED: bool = cfg!(feature = "parallel");

const ENTRIES: [Entry; 4] = [
    Entry { name: "ccd-core, f64", enter: |s, p| Box::new(ours::enter(s, p)), pooled: true, threads: "" },
    Entry { name: "rapier3d, f32", enter: |s, _| Box::new(rapier_f32::enter(s)), pooled: RAPIER_POOLED, threads: "1" },
    Entry { name: "rapier3d, f64", enter: |s, _| Box::new(rapier_f64::enter(s)), pooled: RAPIER_POOLED, threads: "1" },
    Entry { name: "avian3d, f32", enter: |s, _| Box::new(avian::enter(s)), pooled: false, threads: "own" },
];

/// What a step took.
#[derive(Clone, Copy)]
struct Cost {
    wall: Duration,
    /// Of all threads: what does not grow when others keep the machine busy.
    cpu: Duration,
}

/// One engine's run.
struct Outcome {
    /// What each step took.
    steps: Vec<Cost>,
    /// What the judge saw.
    judge: Judge,
    /// The most time that a step lost, summed, seconds.
    lost: f64,
    /// Of the last poses, to the bit.
    bits: u64,
}

/// Runs the scene once.
fn play(scenery: &Scenery, enter: Enter, parallel: bool, steps: u32) -> Outcome {
    let mut engine = enter(scenery, parallel);
    let mut judge = Judge::new(scenery);
    let mut costs = Vec::with_capacity(steps as usize);
    let mut lost = 0.0;
    for step in 1..=steps {
        let (clock, work) = (Instant::now(), ProcessTime::now());
        lost += engine.step();
        costs.push(Cost { wall: clock.elapsed(), cpu: work.elapsed() });
        judge.see(&engine.poses(), step == steps);
    }
    Outcome { steps: costs, judge, lost, bits: measure::bits(&engine.poses()) }
}

/// The median and the largest, milliseconds.
fn of_steps(costs: &[Cost], which: fn(&Cost) -> Duration) -> (f64, f64) {
    let mut ms: Vec<f64> = costs.iter().map(|cost| which(cost).as_secs_f64() * 1e3).collect();
    ms.sort_by(f64::total_cmp);
    (ms.get(ms.len() / 2).copied().unwrap_or(f64::NAN), ms.last().copied().unwrap_or(f64::NAN))
}

fn contest(scenery: &Scenery, course: &Course) -> Result<(), Box<dyn std::error::Error>> {
    /// What falls has fallen by then.
    const FALL: usize = 120;
    let mut ours = f64::NAN;
    for entry in ENTRIES.iter().filter(|entry| entry.name.contains(&course.only)) {
        let mut before = None;
        for &threads in course.threads.iter().take(if entry.pooled { usize::MAX } else { 1 }) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let outcome = pool.install(|| play(scenery, entry.enter, threads != 1, course.steps));
            let all = outcome.steps.len();
            let first = &outcome.steps[..FALL.min(all.div_ceil(2))];
            let last = &outcome.steps[all - all.div_ceil(4)..];
            let [wall_first, wall_last] = [first, last].map(|costs| of_steps(costs, |cost| cost.wall));
            let [cpu_first, cpu_last] = [first, last].map(|costs| of_steps(costs, |cost| cost.cpu).0);
            if ours.is_nan() {
                ours = cpu_last;
            }
            let same = match before {
                None => "",
                Some(bits) if bits == outcome.bits => "same",
                Some(_) => "other",
            };
            before = Some(outcome.bits);
            println!(
                "{:<24} {:<14} {:>7} {:>9.3} {:>9.2} {:>9.3} {:>9.3} {:>9.2} {:>9.3} {:>6.2} {:>10.3} {:>10.3} {:>11.4} {:>7.3} {:>5}",
                scenery.case.name,
                entry.name,
                if entry.pooled { threads.to_string() } else { entry.threads.to_owned() },
                wall_first.0,
                wall_first.1,
                cpu_first,
                wall_last.0,
                wall_last.1,
                cpu_last,
                cpu_last / ours,
                1e3 * outcome.judge.drift(),
                1e3 * outcome.judge.sink(),
                1e3 * outcome.judge.overlap(),
                outcome.lost,
                same
            );
        }
    }
    Ok(())
}
