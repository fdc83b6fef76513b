//! The linear feature queries on meetings that are exact in `f64`, by the way they are made, of corners whose speeds differ by powers of
//! two up to 2^60.
//!
//! When they meet all corners are at whole numbers of quarters; velocities are whole numbers times a power of two of their own, and
//! the ends of the motion follow in integers. Only what `f64` holds exactly is asked, so that no tolerance is needed: an answer that is
//! later than the meeting is wrong, and so is none. One meeting in 20 is a double root (the search is slow there, and may end before it
//! with a time that is certified), one in four within two thousandths of an end.
//!
//! `CCD_SCALE=40 cargo test --release -p ccd-core --test detection unlike_speeds:: -- --nocapture` asks a million of each kind, with
//! `CCD_BASE=7` others.

use std::time::{Duration, Instant};

use ccd_core::detection::toc::{LinearOptions, LinearToc, edge_edge, vertex_face};
use ccd_core::math::Point;

use crate::common::environment::from_environment;
use crate::common::random::Random;

/// How many queries of each kind.
const COUNT: usize = 25_000;

/// Places are in units of 2^-66 m, so that all products are whole.
const UNIT: u32 = 66;

/// Times are in 1024ths.
const PARTS: i128 = 1 << 10;

type Whole = [i128; 3];

struct Query {
    start: [Point; 4],
    end: [Point; 4],
    /// When they meet; an earlier meeting is possible.
    time: f64,
}

fn plus(p: Whole, q: Whole) -> Whole {
    std::array::from_fn(|k| p[k] + q[k])
}

fn times(p: Whole, factor: i128) -> Whole {
    p.map(|c| c * factor)
}

fn minus(p: Whole, q: Whole) -> Whole {
    plus(p, times(q, -1))
}

fn whole(r: &mut Random, most: usize) -> Whole {
    std::array::from_fn(|_| r.below(2 * most + 1) as i128 - most as i128)
}

/// Four times the point that meets the vertex, or that of the first edge which meets the second.
fn met(corners: &[Whole; 4], u: i128, v: i128, edges: bool) -> Whole {
    if edges {
        plus(times(corners[0], 4 - u), times(corners[1], u))
    } else {
        plus(plus(times(corners[1], 4 - u - v), times(corners[2], u)), times(corners[3], v))
    }
}

/// Where and how fast the corners are when they meet: places in quarters of a metre, velocities in 2^-30 m/s.
fn meeting(r: &mut Random, edges: bool) -> ([Whole; 4], [Whole; 4]) {
    let most = [1, 2, 3, 8, 1000][r.below(5)];
    let mut places: [Whole; 4] = std::array::from_fn(|_| whole(r, most));
    match r.below(10) {
        0 if edges => places[3] = plus(places[2], times(minus(places[1], places[0]), r.below(5) as i128 - 2)),
        0 => places[3] = plus(places[2], times(minus(places[2], places[1]), r.below(5) as i128 - 2)),
        1 if edges => places[1] = places[0],
        1 => places[2] = places[1],
        _ => {}
    }
    let (mut u, mut v) = (r.below(5) as i128, r.below(5) as i128);
    if r.chance(0.5) {
        (u, v) = (1 + r.below(2) as i128, 1 + r.below(1 + usize::from(edges)) as i128);
    } else if !edges && u + v > 4 {
        (u, v) = (4 - u, 4 - v);
    }
    let point = met(&places, u, v, edges);
    places = places.map(|p| times(p, 4));
    if edges {
        let other = plus(times(places[2], 4 - v), times(places[3], v)).map(|c| c / 4);
        places[2] = plus(places[2], minus(point, other));
        places[3] = plus(places[3], minus(point, other));
    } else {
        places[0] = point;
    }
    let range = [5, 10, 20, 30][r.below(4)];
    let mut velocities: [Whole; 4] = std::array::from_fn(|_| {
        let power = 30 - range + r.below(2 * range + 1);
        if r.chance(0.2) { [0; 3] } else { times(whole(r, 2), 1 << power) }
    });
    if r.chance(0.05) {
        // A double root: what meets slides within the plane that the features span.
        let sides = if edges {
            [minus(places[1], places[0]), minus(places[3], places[2])]
        } else {
            [minus(places[2], places[1]), minus(places[3], places[1])]
        };
        let slip = plus(times(sides[0], r.below(3) as i128 - 1), times(sides[1], r.below(3) as i128 - 1));
        let slip = times(slip, 1 << r.below(28));
        velocities = velocities.map(|w| w.map(|c| c / 4 * 4));
        let shared = plus(met(&velocities, u, v, edges).map(|c| c / 4), slip);
        if edges {
            // An edge that meets in its middle may turn about it.
            let turn = if v == 2 { velocities[2] } else { [0; 3] };
            velocities[2] = plus(shared, turn);
            velocities[3] = minus(shared, turn);
        } else {
            velocities[0] = shared;
        }
    }
    (places, velocities)
}

/// The `f64` that is that number, if there is one.
fn exactly(number: i128) -> Option<f64> {
    let nearest = number as f64;
    (nearest as i128 == number).then_some(nearest)
}

fn query(r: &mut Random, edges: bool) -> Option<Query> {
    let time = match r.below(8) {
        0 => r.below(3) as i128,
        1 => PARTS - r.below(3) as i128,
        2 => PARTS / 2,
        _ => r.below(PARTS as usize + 1) as i128,
    };
    let (places, velocities) = meeting(r, edges);
    let far = times(whole(r, 1), [0, 0, 0, 1 << 10, 1 << 20][r.below(5)]);
    let power = [0, 0, 0, -300, -100, -40, -20, 20, 40, 100, 300][r.below(11)];
    let scale = 2.0_f64.powi(power - UNIT as i32);
    let mut ends = [[Point::origin(); 4]; 2];
    for (end, rest) in ends.iter_mut().zip([-time, PARTS - time]) {
        for (corner, (place, velocity)) in end.iter_mut().zip(places.iter().zip(&velocities)) {
            for k in 0..3 {
                let at_meeting = (place[k] + far[k]) << (UNIT - 2);
                corner[k] = exactly(at_meeting + ((velocity[k] * rest) << (UNIT - 40)))? * scale;
            }
        }
    }
    let [start, end] = ends;
    Some(Query { start, end, time: time as f64 / PARTS as f64 })
}

fn ask(start: &[Point; 4], end: &[Point; 4], edges: bool) -> LinearToc {
    let answer = if edges { edge_edge } else { vertex_face }(start, end, &LinearOptions::default());
    answer.expect("finite input")
}

#[test]
fn exact_meetings_at_speeds_that_differ_by_sixty_powers_of_two_are_neither_missed_nor_late() {
    let count = COUNT * from_environment("CCD_SCALE", 1);
    let mut random = Random(from_environment("CCD_BASE", 0x5eed) as u64);
    for edges in [false, true] {
        let (mut asked, mut missed, mut late, mut undecided) = (0, 0, 0, 0);
        let (mut took, mut longest) = (Duration::ZERO, Duration::ZERO);
        while asked < count {
            let Some(query) = query(&mut random, edges) else { continue };
            asked += 1;
            let clock = Instant::now();
            let answer = ask(&query.start, &query.end, edges);
            let elapsed = clock.elapsed();
            took += elapsed;
            longest = longest.max(elapsed);
            undecided += usize::from(matches!(answer, LinearToc::Undecided { .. }));
            match answer.safe_until() {
                None => missed += 1,
                Some(time) if time > query.time => late += 1,
                Some(_) => continue,
            }
            eprintln!("{answer:?}, truly at {}: {:?} to {:?}", query.time, query.start, query.end);
        }
        eprintln!(
            "{}: {missed} missed, {late} late, {undecided} undecided of {asked}; {:?} each, longest {longest:?}",
            if edges { "edge/edge" } else { "vertex/face" },
            took / asked as u32
        );
        assert_eq!((missed, late), (0, 0));
    }
}

/// Vertex/face queries and when they meet, exactly: a corner that is fast passes by slow ones, which the volume's certificate once took
/// for as exact as what is near.
#[rustfmt::skip]
const FAST_AND_SLOW_FACES: [(f64, [f64; 24]); 7] = [
    (0.3486328125, [3.246896085329354e-10, 1.7499999996753104, 0.5, 1.9999999996753104, 0.9999999993506208, -6.493792170658708e-10, -731138.0, 365570.0, 2.0, 2.0, 1.9999999996753104, -2.0000000003246896, -6.066329660825431e-10, 1.750000000606633, 0.5, 2.000000000606633, 1.000000001213266, 1.2132659321650863e-09, 1366014.0, -683006.0, 2.0, 2.0, 2.000000000606633, -1.999999999393367]),
    (0.1416015625, [0.24999999986812327, -0.25000000026375346, -0.25000000026375346, -1.9999999998681233, -1.318767317570746e-10, 1.0, -296958.0, -296961.0, 296959.0, -1.000138282775879, 0.9998617172241211, 0.00013828277587890625, 0.25000000079944584, -0.24999999840110831, -0.24999999840110831, -2.000000000799446, 7.994458428584039e-10, 1.0, 1800194.0, 1800191.0, -1800193.0, -0.9991617202758789, 1.000838279724121, -0.0008382797241210938]),
    (0.98046875, [9.1313268058002e-10, -1.0000000018262654, -0.7500000018262654, 2056191.0, 0.0, -1028096.0, 9.1313268058002e-10, -2.0000000018262654, -0.9999999981737346, 1.9999999981737346, -2.0000000018262654, -2.0000000018262654, -1.8189894035458565e-11, -0.9999999999636202, -0.7499999999636202, -40961.0, 0.0, 20480.0, -1.8189894035458565e-11, -1.9999999999636202, -1.0000000000363798, 2.00000000003638, -1.9999999999636202, -1.9999999999636202]),
    (0.31640625, [2.5000000005893526, -1.9999999994106474, -4.500000000589353, 663550.0, 663548.0, -663554.0, 655.0, 648.0, -655.0, -321.0, 325.0, -331.0, 2.4999999987267074, -2.0000000012732926, -4.499999998726707, -1433602.0, -1433604.0, 1433598.0, -1393.0, -1400.0, 1393.0, 703.0, -699.0, 693.0]),
    (0.107421875, [0.10742378234863281, -0.10839986801147461, 9.5367431640625e-07, 1.90734863290791e-06, -0.0009775161743165017, 1.9073486328125e-06, -1.9073486328125e-06, -0.0009756088256835938, -1.9073486328125e-06, 0.10742378234863281, -0.10840034484863281, 0.0, -0.8925762176513672, 0.8916001319885254, 9.5367431640625e-07, 1.9073486320197314e-06, -0.0009775161743156135, 1.9073486328125e-06, -1.9073486328125e-06, -0.0009756088256835938, -1.9073486328125e-06, -0.8925762176513672, 0.8915996551513672, 0.0]),
    (0.5, [1649267441152.0, -1649267440640.0, -1099511627776.0, 1099511627776.0, 1099511627776.0, -3298534883328.0, -1.1529193055835914e+18, -5.764618518150513e+17, -5.76462951326679e+17, 1099511627776.0, 1.1529193055835914e+18, 1.152921504606847e+18, 1649267442176.0, -1649267442688.0, -1099511627776.0, 1099511627776.0, 1099511627776.0, -3298534883328.0, 1.1529237036301025e+18, 5.764596527917957e+17, 5.7645855328016794e+17, 1099511627776.0, -1.1529237036301025e+18, -1.152921504606847e+18]),
    (0.1630859375, [-9.331415640190244e-10, -9.30867827264592e-10, 4.547473508864641e-13, -9.340510587207973e-10, -9.285940905101597e-10, 1.8189894035458565e-12, -9.331415640188862e-10, -9.285940905102979e-10, 2.7284841053187847e-12, 1.545977283967659e-07, -1.5646401152480394e-07, -1.8189894035458565e-12, -9.331415640190244e-10, -9.30867827264592e-10, 4.547473508864641e-13, -9.340510587207973e-10, -9.285940905101597e-10, 1.8189894035458565e-12, -9.331415640197333e-10, -9.285940905094508e-10, 2.7284841053187847e-12, -7.990765880094841e-07, 7.972103048814461e-07, -1.8189894035458565e-12]),
];

/// Edge/edge queries of that kind.
#[rustfmt::skip]
const FAST_AND_SLOW_EDGES: [(f64, [f64; 24]); 3] = [
    (0.30859375, [0.9996986389160156, -1.9993972778320312, -0.000301361083984375, 2.874003257602453e-10, -0.9999999997125997, -2.874003257602453e-10, -647167.0, 647167.25, 0.5, -1.9999999997125997, -2.75, -1.4999999994251993, 1.0006752014160156, -2.0013504028320312, 0.000675201416015625, -6.439222488552332e-10, -1.0000000006439222, 6.439222488552332e-10, 1449985.0, -1449984.75, 0.5, -2.0000000006439222, -2.75, -1.5000000012878445]),
    (0.7900390625, [-1777910302113792.0, 2199023255552.0, -1779009813741568.0, -3298534884946.0, 1099511627776.0, 1099511626158.0, -1.8217098975620628e+18, 1.8217063241492726e+18, 1374389534720.0, -1649267441664.0, 3573412790272.0, 274877906944.0, 473889511571456.0, 2199023255552.0, 472789999943680.0, -3298534882898.0, 1099511627776.0, 1099511628206.0, 4.841331116516311e+17, -4.841366850644214e+17, 1374389534720.0, -1649267441664.0, 3573412790272.0, 274877906944.0]),
    (0.6875, [-1.287933009831881e+33, -1.2942712628330222e+33, -8.873554201597606e+30, -9.151410536661631e+35, -1.287933009831881e+33, 1.8276796206500577e+36, -1.2901513983830921e+33, -1.292686699582737e+33, -8.873554199974292e+30, -1.2964896513834216e+33, -1.2863484465815958e+33, -1.3944156602510523e+31, -1.287933009831881e+33, -1.2942712628330222e+33, -8.873554201597606e+30, 4.140869421187527e+35, -1.287933009831881e+33, -8.30776370919774e+35, -1.2901513983819115e+33, -1.292686699582737e+33, -8.873554202335476e+30, -1.2964896513834216e+33, -1.2863484465815958e+33, -1.3944156602510523e+31]),
];

#[test]
fn a_slow_feature_that_a_fast_one_passes_by_is_neither_missed_nor_met_late() {
    for (rows, edges) in [(&FAST_AND_SLOW_FACES[..], false), (&FAST_AND_SLOW_EDGES[..], true)] {
        for (time, row) in rows {
            let points = |from: usize| std::array::from_fn(|i| Point::from_slice(&row[from + 3 * i..from + 3 * i + 3]));
            let answer = ask(&points(0), &points(12), edges);
            assert!(answer.safe_until().is_some_and(|found| found <= *time), "{answer:?}, truly at {time}");
        }
    }
}
