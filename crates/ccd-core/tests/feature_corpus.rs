//! The linear feature queries against a public set of queries with exact truth.
//!
//! Reads `queries/*.vf.csv` and `*.ee.csv` (24 numbers, then 1 where they touch) below the folder that the environment
//! variable `CCD_CORPUS` names; says so and passes where it is not set.

#![allow(clippy::expect_used, reason = "a test may stop at a corpus that is not what it says")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ccd_core::detection::toc::{LinearOptions, LinearToc, edge_edge, vertex_face};
use ccd_core::math::Point;

struct Query {
    start: [Point; 4],
    end: [Point; 4],
    touches: bool,
}

fn read(path: &PathBuf) -> Vec<Query> {
    let text = std::fs::read_to_string(path).expect("the corpus is readable");
    let parse = |line: &str| {
        let numbers: Vec<f64> = line.split(',').map(|n| n.trim().parse().expect("a number")).collect();
        let points = |from: usize| std::array::from_fn(|i| Point::from_slice(&numbers[from + 3 * i..from + 3 * i + 3]));
        Query { start: points(0), end: points(12), touches: numbers[24] != 0.0 }
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(parse).collect()
}

#[test]
fn no_query_of_the_public_benchmark_is_missed_and_hardly_one_is_imagined() {
    let Some(corpus) = std::env::var_os("CCD_CORPUS") else {
        eprintln!("skipped: CCD_CORPUS is not set");
        return;
    };
    let folder = PathBuf::from(corpus).join("queries");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("CCD_CORPUS holds a folder `queries`")
        .map(|entry| entry.expect("a folder entry").path())
        .collect();
    files.sort();
    let (mut count, mut missed, mut imagined, mut undecided) = (0, 0, 0, 0);
    let mut times: Vec<Duration> = Vec::new();
    for path in &files {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let vertex = name.ends_with(".vf.csv");
        let (mut file_missed, mut file_imagined) = (0, 0);
        for (line, query) in read(path).iter().enumerate() {
            let options = LinearOptions::default();
            let clock = Instant::now();
            let answer = if vertex {
                vertex_face(&query.start, &query.end, &options)
            } else {
                edge_edge(&query.start, &query.end, &options)
            }
            .expect("finite input");
            times.push(clock.elapsed());
            let touches = answer != LinearToc::Separated;
            count += 1;
            if matches!(answer, LinearToc::Undecided { .. }) {
                undecided += 1;
                eprintln!("{name}:{} undecided: {answer:?}, truth {}", line + 1, query.touches);
            }
            if query.touches && !touches {
                file_missed += 1;
                eprintln!("{name}:{} MISSED", line + 1);
            }
            if !query.touches && touches {
                file_imagined += 1;
                eprintln!("{name}:{} imagined: {answer:?}", line + 1);
            }
        }
        missed += file_missed;
        imagined += file_imagined;
        eprintln!("{name}: {file_missed} missed, {file_imagined} imagined");
    }
    times.sort();
    eprintln!(
        "{count} queries: {missed} missed, {imagined} imagined, {undecided} undecided; median {:?}, p95 {:?}, p99 {:?}, max {:?}, all {:?}",
        times[count / 2],
        times[count * 95 / 100],
        times[count * 99 / 100],
        times[count - 1],
        times.iter().sum::<Duration>(),
    );
    assert_eq!(missed, 0, "a contact was missed");
    // The target is 20 in three times as many queries.
    assert!(imagined <= 7, "{imagined} contacts were imagined");
}
