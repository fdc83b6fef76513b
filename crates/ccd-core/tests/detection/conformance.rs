//! One suite for every method of time of contact and every pair of kinds of solid.
//!
//! For each query the answer is held against an oracle that shares no code with the library: the distance of the solids,
//! computed by brute force, walked through time in steps that the speed bound allows. Checked are: never late, within
//! the tolerance at the reported time, separated means separated, decided within the default budget, the normal that of the
//! true surfaces and from A to B, the points on the surfaces. Methods that promise less are held to what they promise.
//!
//! Every failure prints its seed; `CCD_SEED=0x…` with `CCD_KINDS=Box/Ball` replays it (`CCD_KINDS=fields` takes every pair with a field). `CCD_SCALE` multiplies the count,
//! `CCD_BASE=n` takes other queries. `CCD_PIECE=k/n` takes every n-th pair of kinds from the k-th on. A hundred thousand queries of the default method, in four pieces:
//!
//! ```text
//! for k in 0 1 2 3; do
//!   CCD_SCALE=125 CCD_PIECE=$k/4 cargo test --release -p ccd-core --test detection conformance::the_default -- --nocapture
//! done
//! ```

use ccd_core::detection::toc::{Answered, Method, Moving, Promise, Toc, TocError, TocOptions, time_of_contact};
use ccd_core::geometry::feature::Feature;
use ccd_core::math::{Point, Vector};
use ccd_core::motion::TimeInterval;

use crate::common::brute::{extent, gap, point_gap};
use crate::common::cases::{Case, Kind, Manner};
use crate::common::random::Random;

fn ask(method: Method, case: &Case, options: &TocOptions) -> Result<Answered<Toc>, TocError> {
    let (a, b) = (&case.a, &case.b);
    let interval = TimeInterval::new(0.0, case.duration).expect("a duration");
    let options = TocOptions { method, ..*options };
    time_of_contact(Moving::new(&a.shape, &a.motion), Moving::new(&b.shape, &b.motion), interval, &options)
}

/// Whether the default method is fast enough for this: the papers' methods look at every turn of every feature.
fn is_patient(method: Method) -> bool {
    matches!(method, Method::Auto | Method::Advancement)
}

/// What the oracle says of a stretch of time that was reported free of contact.
enum Walk {
    Free,
    /// They overlap at this time.
    Overlap(f64),
    /// Too near for too long: the walk was given up.
    Unfinished,
}

/// Walks `[0, until]` in steps that skip no contact, down to a step of `finest` metres of motion.
fn walk(case: &Case, until: f64, finest: f64, steps: u32) -> Walk {
    let speed = case.speed_bound().max(f64::MIN_POSITIVE);
    let mut t = 0.0;
    for _ in 0..steps {
        if t >= until {
            return Walk::Free;
        }
        let distance = case.least_gap_at(t);
        if distance == 0.0 {
            return Walk::Overlap(t);
        }
        t += distance.max(finest) / speed;
    }
    Walk::Unfinished
}

#[derive(Default)]
struct Tally {
    checked: usize,
    contacts: usize,
    overlapping: usize,
    separated: usize,
    unfinished: usize,
    /// Refused with a typed error by methods that take features only.
    refused: usize,
    undecided: usize,
    /// Contacts that the library calls edge on edge.
    edge_on_edge: usize,
    /// Queries made to graze, and to meet edge on edge.
    grazing: usize,
    crossing: usize,
    failures: Vec<String>,
}

fn check(method: Method, case: &Case, tally: &mut Tally) {
    let options = TocOptions { tolerance: case.tolerance, ..TocOptions::default() };
    let epsilon = case.tolerance;
    let mut fail = |what: String| tally.failures.push(format!("{method:?}: {case}: {what}"));
    let is_field = case.a.kind.is_field() || case.b.kind.is_field();
    let answered = match ask(method, case, &options) {
        Ok(answered) => answered,
        // No features stand for fields to within the tolerance; compounds have features of their own.
        Err(TocError::Unsupported { .. }) if is_field && matches!(method, Method::ObbBisection | Method::Segments) => {
            tally.refused += 1;
            return;
        }
        Err(error) => return fail(format!("refused: {error}")),
    };
    let toc = answered.answer;
    let until = match &toc {
        Toc::Separated => case.duration,
        Toc::Contact(c) | Toc::Overlapping(c) => c.time,
        // What Algorithm 3 does not see it cannot stop at: a long shallow graze of tessellated solids may outlast the budget.
        Toc::Undecided { safe_until }
            if method.promise() == Promise::Shallow && (case.a.kind.is_round() || case.b.kind.is_round()) =>
        {
            tally.undecided += 1;
            *safe_until
        }
        // They pass the tolerance within one step of the clock.
        Toc::Undecided { safe_until } if method.promise() == Promise::Looks => {
            tally.undecided += 1;
            *safe_until
        }
        Toc::Undecided { safe_until } => {
            return fail(format!("undecided at {safe_until} of {} after {:?}", case.duration, answered.stats));
        }
    };
    tally.grazing += usize::from(case.manner == Manner::Grazing);
    tally.crossing += usize::from(case.is_edge_on_edge());
    if method.promise() == Promise::Looks {
        if toc == Toc::Separated && (case.gap_at(0.0).distance == 0.0 || case.gap_at(case.duration).distance == 0.0) {
            fail("an overlap at an end was not seen".to_owned());
        }
        return check_contact(method, case, &toc, tally);
    }
    let steps = if case.a.kind.is_costly() || case.b.kind.is_costly() { 3_000 } else { 60_000 };
    // Never late, nothing missed. What floating point cannot tell from touching is no overlap.
    let before = match walk(case, until, 0.02 * epsilon, steps) {
        Walk::Free => None,
        Walk::Overlap(t) => Some(t),
        Walk::Unfinished => {
            tally.unfinished += 1;
            None
        }
    };
    let late = before.filter(|t| *t < until);
    if let Some(t) = late {
        // Overlaps of rounding size are none: the pieces would have to be moved to tell.
        let allowed = method.promise() == Promise::Shallow && shallow(case, t, until, toc.contact().map(|c| c.normal));
        if !allowed {
            fail(format!("overlap at {t:e} before the reported {until:e} ({toc:?})"));
        }
    }
    check_contact(method, case, &toc, tally);
}

/// What holds of a contact at its time, whatever went before.
fn check_contact(method: Method, case: &Case, toc: &Toc, tally: &mut Tally) {
    let epsilon = case.tolerance;
    let mut fail = |what: String| tally.failures.push(format!("{method:?}: {case}: {what}"));
    tally.checked += 1;
    let Some(contact) = toc.contact() else {
        tally.separated += usize::from(*toc == Toc::Separated);
        return;
    };
    if matches!(toc, Toc::Overlapping(_)) {
        tally.overlapping += 1;
    } else {
        tally.contacts += 1;
        let features = (contact.features.a, contact.features.b);
        tally.edge_on_edge += usize::from(matches!(features, (Feature::Edge(_), Feature::Edge(_))));
    }
    let far = case.a.motion.start.translation.vector.norm() + case.a.motion.linear_velocity.norm() * case.duration;
    // What the oracle's solids are off counts like rounding.
    let rounding = 1e-14 * (far + case.a.reach + case.b.reach) * 10.0 + case.a.error + case.b.error;
    let rounding = rounding + case.a.beyond + case.b.beyond;
    let gap = case.gap_at(contact.time);
    if gap.distance > epsilon * 1.000_001 + rounding {
        fail(format!("{} ε apart at the reported {} ({contact:?})", gap.distance / epsilon, contact.time));
    }
    if matches!(toc, Toc::Overlapping(_)) && contact.time != 0.0 {
        fail(format!("overlapping at {}", contact.time));
    }
    if contact.time < 0.0 || contact.time > case.duration {
        fail(format!("time {} outside the step", contact.time));
    }
    if (contact.normal.norm() - 1.0).abs() > 1e-9 {
        fail(format!("normal {:?} is not unit", contact.normal));
    }
    if contact.separation > epsilon * 1.000_001 + rounding {
        fail(format!("separation {} ε", contact.separation / epsilon));
    }
    // Where solids are deep in each other at the start, one pair of points is as good as another.
    let deep = gap.distance <= case.a.beyond + case.b.beyond && matches!(toc, Toc::Overlapping(_));
    for (point, body, side) in [(&contact.point_a, &case.a, 'a'), (&contact.point_b, &case.b, 'b')] {
        let off = point_gap(point, &body.brute, &body.motion.pose_at(contact.time));
        if !deep && off > 0.2 * epsilon + rounding {
            fail(format!("point {side} is {} ε off its solid ({contact:?}, gap {gap:?})", off / epsilon));
        }
    }
    // From A to B: the normal separates convex solids that are apart, up to the tessellation of round ones.
    if gap.distance > 0.05 * epsilon {
        let agrees = contact.normal.dot(&gap.direction);
        let convex = case.a.kind.is_convex() && case.b.kind.is_convex();
        let polyhedral = case.a.kind.is_polyhedral() && case.b.kind.is_polyhedral();
        if convex && agrees < 0.5 {
            fail(format!("normal {:?} against {:?} ({contact:?})", contact.normal, gap.direction));
        }
        let plane = case.a.kind == Kind::HalfSpace || case.b.kind == Kind::HalfSpace;
        if plane && agrees < 1.0 - 1e-9 {
            fail(format!("normal {:?} is not the plane's {:?}", contact.normal, gap.direction));
        }
        // Along no direction are convex solids further apart than their distance, and only along the true normal as far;
        // the papers' methods tessellate round ones.
        if convex && !plane && is_patient(method) {
            let apart = gap_along(case, contact.time, &contact.normal);
            // A search over cells finds the normal to a ten thousandth of a radian; what is tilted by it is nearer at its ends.
            let cells = case.a.kind.needs_cells() || case.b.kind.needs_cells();
            let tilted = if cells { 1e-4 * (case.a.reach + case.b.reach) } else { 0.0 };
            if apart < contact.separation - 1e-3 * epsilon - rounding - tilted {
                fail(format!(
                    "{} ε apart, {} ε along the normal, {} ε in truth",
                    contact.separation / epsilon,
                    apart / epsilon,
                    gap.distance / epsilon
                ));
            }
        }
        if convex && polyhedral {
            let apart = gap_along(case, contact.time, &contact.normal);
            if apart < -1e-6 * epsilon - rounding {
                fail(format!("normal does not separate: {} ε ({contact:?})", apart / epsilon));
            }
        }
    }
}

/// The gap of the whole solids along a unit direction.
fn gap_along(case: &Case, time: f64, direction: &Vector) -> f64 {
    let (pose_a, pose_b) = (case.a.motion.pose_at(time), case.b.motion.pose_at(time));
    let origin = pose_a * Point::origin();
    -extent(&case.b.brute, &pose_b, &-direction, &origin) - extent(&case.a.brute, &pose_a, direction, &origin)
}

/// Whether an overlap that was missed is one that Algorithm 3 says it may miss: wherever between the two times the solids
/// overlap, a shift by less than the tolerance parts them.
fn shallow(case: &Case, first: f64, reported: f64, normal: Option<Vector>) -> bool {
    const SAMPLES: u32 = 24;
    let mut random = Random(case.seed);
    (0..=SAMPLES).all(|i| {
        let t = first + (reported - first) * f64::from(i) / f64::from(SAMPLES);
        let (pose_a, pose_b) = (case.a.motion.pose_at(t), case.b.motion.pose_at(t));
        let parted = |direction: Vector| {
            let shift = nalgebra::Translation3::from(direction * case.tolerance);
            gap(&case.a.brute, &(shift * pose_a), &case.b.brute, &pose_b).distance > 0.0
        };
        case.gap_at(t).distance > 0.0
            || normal.is_some_and(|n| parted(-n))
            || (0..400).any(|_| parted(random.direction()))
    })
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn pairs() -> Vec<(Kind, Kind)> {
    let mut pairs = Vec::new();
    for a in Kind::ALL {
        for b in Kind::ALL {
            if (a, b) != (Kind::HalfSpace, Kind::HalfSpace) {
                pairs.push((a, b));
            }
        }
    }
    pairs
}

/// Queries of a pair with a field, for each of another pair.
const FIELD_SHARE: f64 = 0.2;

fn run(method: Method, per_pair: f64) {
    let mut tally = Tally::default();
    let scale: f64 = environment("CCD_SCALE").and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let replay = environment("CCD_SEED").and_then(|s| u64::from_str_radix(s.trim_start_matches("0x"), 16).ok());
    let base: u64 = environment("CCD_BASE").and_then(|s| s.parse().ok()).unwrap_or(0x00c0_11a1);
    let only = environment("CCD_KINDS");
    let (piece, pieces) = environment("CCD_PIECE")
        .and_then(|p| p.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?))))
        .unwrap_or((0, 1));
    let slow: Option<f64> = environment("CCD_SLOW").and_then(|s| s.parse().ok());
    let mut slowest: Vec<(f64, String)> = Vec::new();
    for (number, (a, b)) in pairs().into_iter().enumerate() {
        if number % pieces != piece
            || only
                .as_ref()
                .is_some_and(|k| *k != format!("{a:?}/{b:?}") && (k != "fields" || !a.is_field() && !b.is_field()))
        {
            continue;
        }
        let mut seeds = Random(base.wrapping_add(number as u64));
        // Fields are many kinds, and their pairs many: each takes a share.
        let share = if a.is_field() || b.is_field() { FIELD_SHARE } else { 1.0 };
        let (before, failed, pair_clock) = (tally.checked, tally.failures.len(), std::time::Instant::now());
        for _ in 0..(per_pair * scale * share).ceil() as u64 {
            let clock = std::time::Instant::now();
            let case = Case::new(replay.unwrap_or(seeds.bits()), a, b);
            let made = clock.elapsed().as_secs_f64();
            if case.manner == Manner::Whirling && !is_patient(method) {
                continue;
            }
            let clock = std::time::Instant::now();
            check(method, &case, &mut tally);
            slowest.push((clock.elapsed().as_secs_f64(), case.to_string()));
            if let Some(limit) = &slow
                && clock.elapsed().as_secs_f64() + made > *limit
            {
                eprintln!("  {made:.1} s made, {:.1} s checked: {case}", clock.elapsed().as_secs_f64());
            }
            if replay.is_some() {
                eprintln!("{case:#?}");
                break;
            }
        }
        if scale > 1.0 {
            let (checked, failed) = (tally.checked - before, tally.failures.len() - failed);
            eprintln!("  {a:?}/{b:?}: {checked} checked, {failed} failed, {:.1} s", pair_clock.elapsed().as_secs_f64());
        }
        for failure in &tally.failures[failed..] {
            eprintln!("  FAILED {failure}");
        }
    }
    slowest.sort_by(|x, y| y.0.total_cmp(&x.0));
    eprintln!(
        "{method:?}: {} checked, {} contacts ({} edge on edge), {} overlapping, {} separated, {} made to graze, {} to cross edges, {} undecided, \
         {} refused, {} walks unfinished, {} failures",
        tally.checked,
        tally.contacts,
        tally.edge_on_edge,
        tally.overlapping,
        tally.separated,
        tally.grazing,
        tally.crossing,
        tally.undecided,
        tally.refused,
        tally.unfinished,
        tally.failures.len()
    );
    for (seconds, case) in slowest.iter().take(3) {
        eprintln!("  slowest: {seconds:.3} s, {case}");
    }
    assert!(tally.failures.is_empty(), "{} failures of {}", tally.failures.len(), tally.checked);
}

#[test]
fn the_default_method_misses_nothing_and_is_within_the_tolerance() {
    run(Method::Auto, 6.0);
}

#[test]
fn advancement_misses_nothing_and_is_within_the_tolerance() {
    run(Method::Advancement, 2.0);
}

#[test]
fn obb_bisection_misses_nothing_and_is_within_the_tolerance() {
    run(Method::ObbBisection, 3.0);
}

#[test]
fn segments_miss_at_most_what_is_shallow() {
    run(Method::Segments, 3.0);
}

#[test]
fn halving_sees_what_overlaps_at_the_end_and_stops_within_the_tolerance() {
    run(Method::Halving, 3.0);
}

#[test]
fn estimates_see_what_overlaps_at_the_end_and_stop_within_the_tolerance() {
    run(Method::Estimate, 3.0);
}

/// Queries that once were undecided, took minutes, or gave a normal that was none.
#[test]
fn sharp_rims_spikes_and_facets_of_grids_are_decided_with_the_right_normal() {
    let kept = [
        (0x5ff1_4a49_db20_9167, Kind::Torus, Kind::Hull),
        (0x195c_5201_7301_41bd, Kind::Cone, Kind::Union),
        (0xf613_9c6d_6379_1e95, Kind::HalfSpace, Kind::Grid),
        (0xbedd_9b2d_1c04_1f29, Kind::Box, Kind::Grid),
        (0x8826_e54f_13af_cf81, Kind::Cone, Kind::Intersection),
        (0x1b2a_e7ea_d11f_8cbe, Kind::Intersection, Kind::Superquadric),
        (0xa758_c2ed_528a_d726, Kind::Torus, Kind::HalfSpace),
        // Along a sharp edge, and flat on a face: undecided when weights were found by exchanges of two.
        (0xb89e_f0cf_185e_7af9, Kind::Box, Kind::Torus),
        (0x10ac_c0b5_c8ec_e75a, Kind::Ball, Kind::Difference),
        // Rims beside edges and corners, which once were left before they were nearest.
        (0xee99_cfae_0d43_c93e, Kind::Box, Kind::Intersection),
        (0xde16_6be1_b625_c4e1, Kind::Hull, Kind::Intersection),
        (0x2a84_b079_4459_b693, Kind::Superquadric, Kind::Intersection),
        (0x1803_28ce_8414_4b3b, Kind::Superquadric, Kind::Intersection),
        (0x2241_7279_8f2a_b77c, Kind::Intersection, Kind::Hull),
        // Across the seam of a face of two triangles.
        (0x2597_166e_acad_3620, Kind::BoxMesh, Kind::Intersection),
        // Beside the apex of a needle-sharp cone.
        (0x3336_da52_47a3_a40a, Kind::Intersection, Kind::Cone),
        (0x072d_17cf_8e85_7e29, Kind::Intersection, Kind::Cone),
        (0x3845_789f_e34c_c242, Kind::Cone, Kind::Intersection),
        (0x35cf_8f30_383f_ea79, Kind::Cone, Kind::Union),
        (0x0bd5_a4c2_1b27_20f1, Kind::Cone, Kind::Torus),
        (0x2c02_d1e0_49ba_ef9d, Kind::Difference, Kind::Cone),
        // Of rounded solids the distance of the cores is mostly radii: the normal leant by a thousandth of the tolerance.
        (0x546f_d7da_2a6f_0a89, Kind::Ellipsoid, Kind::Ball),
        (0x975b_c71b_3b50_7b1a, Kind::Capsule, Kind::Ellipsoid),
        // A blade with a rim that is sharp on every scale, along the facets of a grid; and what whirls in reach of what whirls.
        (0xd045_28d6_b9b5_7702, Kind::Superquadric, Kind::Grid),
        (0xe403_30f1_6e07_3d76, Kind::Difference, Kind::Ellipsoid),
        (0x51a2_a601_cd51_23a6, Kind::Torus, Kind::Compound),
        (0x4bcc_7869_93a0_3085, Kind::DentedMesh, Kind::Grid),
        // A depth is measured along the plane's normal.
        (0x75ba_bcef_0967_3990, Kind::HalfSpace, Kind::Grid),
        (0x302e_8bd8_4788_2f5c, Kind::Grid, Kind::HalfSpace),
    ];
    let mut tally = Tally::default();
    for (seed, a, b) in kept {
        check(Method::Auto, &Case::new(seed, a, b), &mut tally);
    }
    assert!(tally.failures.is_empty() && tally.checked == kept.len(), "{:?}", tally.failures);
}

/// A vertex that has come through a plane before a segment tells of it: what has no faces knows its normal all the same.
#[test]
fn segments_that_end_in_a_plane_report_its_normal() {
    let mut tally = Tally::default();
    check(Method::Segments, &Case::new(0xc36d_11aa_884b_e227, Kind::Grid, Kind::HalfSpace), &mut tally);
    assert!(tally.failures.is_empty() && tally.checked == 1, "{:?}", tally.failures);
}
