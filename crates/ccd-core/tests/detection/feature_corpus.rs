//! The linear feature queries against a public set of queries with exact truth.
//!
//! Reads `queries/*.vf.csv` and `*.ee.csv` (24 numbers, then 1 where they touch) below the folder that the environment
//! variable `CCD_CORPUS` names; says so and passes where it is not set.

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

/// Vertex/face queries that miss each other by less than a unit in the last place, by exact arithmetic: found at random, an exact
/// meeting with one coordinate moved to the next number.
#[rustfmt::skip]
const BESIDE_FACES: [[f64; 24]; 4] = [
    [-1.0, -1.0, 0.0, 0.9999999999999997, 0.0, -2.0, -1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 2.0, 2.0, -3.0, -1.0, 0.0, 0.0, -1.0, 0.0, 0.0],
    [-1.0, 0.0, 1.0, 1.0, 0.0, -1.0, -2.0, 0.0, -2.0, -0.9999999999999999, 0.0, 1.0, -1.0, -1.0, 1.0, 1.0, 0.0, -1.0, -2.0, 0.0, -2.0, -1.0, 0.0, 1.0],
    [-5.0, 3.6875, 1.6875, -6.875, 2.5, 7.125, 3.125, -3.25, 2.375, -6.375, 5.625, 1.75, -5.375, 3.8125, 0.4375, -3.500000000000001, 5.0, -5.0, -0.625, 4.125, 3.25, 7.625, 0.625, 4.875],
    [-2.96875, 0.09375, 2.25, 7.875, -1.375, 5.875, -6.0, 1.75, 1.5, -1.0, 3.375, 4.125, -2.59375, -1.28125, 1.625, -5.0, -1.125, -1.75, -6.625, 3.5, -2.25, -6.874999999999999, -1.375, 7.5],
];

/// Edge/edge queries of that kind.
#[rustfmt::skip]
const BESIDE_EDGES: [[f64; 24]; 4] = [
    [-7.125, 4.125, 1.875, -7.25, -5.0, -4.0, 2.5, -4.25, -3.625, -0.5, 6.125, 7.5, -7.375, 5.0, -0.125, 4.375, -0.75, -5.5, -7.374999999999999, 5.0, -0.125, -3.25, 2.625, 7.0],
    [0.890625, 6.171875, 3.34375, 0.875, 5.25, -4.5, 7.0, 6.375, 0.75, -2.5, 5.75, 6.5, 1.6406250000000004, 5.296875, 1.46875, -0.625, 2.875, -1.875, 0.5, 6.5, 5.375, -5.375, 4.75, -4.125],
    [-0.375, 0.03125, 0.6875, 4.125, -2.0, -4.0, 2.625, -4.625, -0.875, -2.875, 2.875, -2.250000000000001, 1.125, -0.59375, -0.9375, 3.125, -4.375, 2.625, -0.75, 1.875, 1.75, 0.25, 3.125, -1.375],
    [-1.7421875, 0.6562499999999997, -3.9296875, 0.125, 6.375, 2.75, -7.375, -1.5, 2.0, 5.5, 5.625, -5.5, -1.8671875, -0.96875, -4.5546875, -4.625, 3.375, -1.0, 0.75, -1.125, -7.875, -6.5, 0.0, 0.0],
];

/// Edges that share a corner exactly at the end, and all but share it before: found at random.
#[rustfmt::skip]
const CORNERS_THAT_ALL_BUT_MEET: [[f64; 24]; 3] = [
    [1.0, 5.0, -5.0, -1.0, -4.0, 6.0, -4.0, -5.0, -4.0, 1.0, 5.0, -4.999999999999997, 5.0, 8.0, 5.0, -7.0, 0.0, 8.0, 7.0, 4.0, 1.0, 5.0, 8.0, 5.0],
    [4.0, 0.0, -8.0, 5.0, 6.0, -6.0, 3.9999999999999987, 0.0, -8.0, 0.0, 7.0, 1.0, 8.0, -6.0, -7.0, 0.0, 8.0, 5.0, 8.0, -6.0, -7.0, -5.0, -5.0, -1.0],
    [-6.0, -7.0, 4.0, -2.0, 7.0, 1.0, -6.0, -7.000000000000001, 4.0, 3.0, 5.0, 2.0, -4.0, 8.0, 0.0, -1.0, -3.0, -5.0, -4.0, 8.0, 0.0, 8.0, 1.0, -8.0],
];

#[test]
fn corners_that_all_but_meet_are_contacts_and_not_undecided() {
    let options = LinearOptions::default();
    for row in &CORNERS_THAT_ALL_BUT_MEET {
        let points = |from: usize| std::array::from_fn(|i| Point::from_slice(&row[from + 3 * i..from + 3 * i + 3]));
        let answer = edge_edge(&points(0), &points(12), &options);
        assert!(matches!(answer, Ok(LinearToc::Contact(_))), "{row:?}: {answer:?}");
    }
}

#[test]
fn gaps_far_below_rounding_are_no_contacts() {
    let points = |row: &[f64; 24], from: usize| -> [Point; 4] {
        std::array::from_fn(|i| Point::from_slice(&row[from + 3 * i..from + 3 * i + 3]))
    };
    let options = LinearOptions::default();
    for row in &BESIDE_FACES {
        assert_eq!(vertex_face(&points(row, 0), &points(row, 12), &options), Ok(LinearToc::Separated), "{row:?}");
    }
    for row in &BESIDE_EDGES {
        assert_eq!(edge_edge(&points(row, 0), &points(row, 12), &options), Ok(LinearToc::Separated), "{row:?}");
    }
}
