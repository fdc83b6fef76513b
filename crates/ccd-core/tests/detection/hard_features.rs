//! The linear feature queries on 12,000 random ones that are made to be hard: small whole numbers, needles, slides within a plane,
//! shared corners, near-parallel edges, small steps far out, exact meetings; four in ten with a coordinate moved by up to three units in
//! its last place.
//!
//! `cargo test --release -p ccd-core --test detection hard_features:: -- --nocapture` prints what became of them and what they took.

use std::time::{Duration, Instant};

use ccd_core::detection::toc::{LinearOptions, LinearToc, edge_edge, vertex_face};
use ccd_core::math::Point;

use crate::common::random::Random;

const COUNT: usize = 12_000;
const MANNERS: [&str; 7] =
    ["small numbers", "needles", "in a plane", "shared corner", "near-parallel", "far out", "exact meeting"];

struct Query {
    manner: usize,
    start: [Point; 4],
    end: [Point; 4],
    /// They meet, by the way they were made.
    meets: bool,
}

fn whole(r: &mut Random, most: usize) -> Point {
    let mut number = || r.below(2 * most + 1) as f64 - most as f64;
    Point::new(number(), number(), number())
}

fn query(r: &mut Random, edges: bool) -> Query {
    let manner = r.below(MANNERS.len());
    let most = if manner == 0 { 2 } else { 8 };
    let mut start: [Point; 4] = std::array::from_fn(|_| whole(r, most));
    let mut end: [Point; 4] = std::array::from_fn(|_| whole(r, most));
    let mut meets = false;
    match manner {
        1 => {
            let thin = r.magnitude(1e-7, 1e-1);
            for p in start.iter_mut().chain(&mut end) {
                p.y *= thin;
                p.z *= thin * r.magnitude(1e-2, 1.0);
            }
        }
        2 => {
            for p in start.iter_mut().chain(&mut end) {
                p.z = 0.5 * p.x - 0.25 * p.y + 1.0;
            }
        }
        3 => {
            let other = 1 + r.below(3);
            // All the way, or at half of it.
            start[other] = start[0];
            end[other] = end[0];
            if r.chance(0.5) {
                start[other] = nalgebra::center(&start[0], &end[0]);
                end[other] = start[other];
            }
            meets = !edges || other != 1;
        }
        4 => {
            for points in [&mut start, &mut end] {
                let along = points[1] - points[0];
                points[3] = points[2] + along + whole(r, 1).coords * r.magnitude(1e-9, 1e-1);
            }
        }
        5 => {
            let small = r.magnitude(1e-6, 1e-1);
            let far = whole(r, 1000).coords * r.magnitude(1.0, 1e3);
            for (from, to) in start.iter_mut().zip(&mut end) {
                *to = *from + (*to - *from) * small + far;
                *from += far;
            }
        }
        6 => {
            // At a sixteenth of the way, at places that are sixteenths: exact in all of it.
            let mut sixteenth = || r.below(17) as f64 / 16.0;
            let (time, mut u, mut v) = (sixteenth(), sixteenth(), sixteenth());
            let at = |i: usize| start[i] + (end[i] - start[i]) * time;
            let between = |i: usize, k: usize, share: f64| at(i) + (at(k) - at(i)) * share;
            let way = if edges {
                between(2, 3, v) - between(0, 1, u)
            } else {
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                between(1, 2, u) + (at(3) - at(1)) * v - at(0)
            };
            for points in [&mut start, &mut end] {
                let moved = if edges { 2 } else { 1 };
                points[..moved].iter_mut().for_each(|p| *p += way);
            }
            meets = true;
        }
        _ => {}
    }
    if r.chance(0.4) {
        meets = false;
        let (point, axis, up) = (r.below(4), r.below(3), r.chance(0.5));
        let points = if r.chance(0.5) { &mut start } else { &mut end };
        for _ in 0..1 + r.below(3) {
            let x = &mut points[point][axis];
            *x = if up { x.next_up() } else { x.next_down() };
        }
    }
    Query { manner, start, end, meets }
}

#[test]
fn what_meets_by_the_way_it_was_made_is_never_separated_and_hardly_any_query_is_undecided() {
    let mut random = Random(0xfea7);
    let options = LinearOptions::default();
    let mut tally = [[0_usize; 3]; MANNERS.len()];
    let (mut meeting, mut times) = (0, Vec::with_capacity(COUNT));
    for i in 0..COUNT {
        let edges = i % 2 == 1;
        let query = query(&mut random, edges);
        let ask = || {
            if edges {
                edge_edge(&query.start, &query.end, &options)
            } else {
                vertex_face(&query.start, &query.end, &options)
            }
        };
        let answer = ask().expect("finite input");
        // The best of three: others use the machine, too.
        let timed = (0..3).map(|_| {
            let clock = Instant::now();
            let again = ask();
            assert_eq!(again, Ok(answer), "the same query has the same answer");
            clock.elapsed()
        });
        times.push(timed.min().unwrap_or_default());
        meeting += usize::from(query.meets);
        assert!(!query.meets || answer != LinearToc::Separated, "missed: {:?} to {:?}", query.start, query.end);
        let kind = match answer {
            LinearToc::Separated => 0,
            LinearToc::Contact(_) => 1,
            LinearToc::Undecided { .. } => 2,
        };
        tally[query.manner][kind] += 1;
    }
    for (manner, [separated, contacts, undecided]) in MANNERS.iter().zip(tally) {
        eprintln!("{manner}: {separated} separated, {contacts} contacts, {undecided} undecided");
    }
    times.sort();
    eprintln!(
        "{meeting} meet by the way they were made; median {:?}, p99 {:?}, max {:?}, all {:?}",
        times[COUNT / 2],
        times[COUNT * 99 / 100],
        times[COUNT - 1],
        times.iter().sum::<Duration>()
    );
    let undecided: usize = tally.iter().map(|t| t[2]).sum();
    assert!(undecided <= COUNT / 1000, "{undecided} undecided");
    assert!(meeting >= COUNT / 8, "{meeting} made to meet");
}
