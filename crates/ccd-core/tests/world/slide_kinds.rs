//! Shapes of every kind that are moved among solids of every kind, against distances that share no code with the library.

use ccd_core::math::{Pose, Real, Vector};
use ccd_core::world::{Autostep, DEFAULT_GAP, OnMeeting, SlideMeeting, SlideQuery, Walk, World};

use crate::common::cases::{Body, Kind, body};
use crate::common::environment::from_environment;
use crate::common::fixed::{all, world_of};
use crate::common::random::Random;

/// The distance of a shape that is moved there from what is nearest, and the number of that.
fn clearance(moved: &Body, translation: &Vector, solids: &[Body]) -> (Real, usize) {
    let pose = Pose::from_parts((*translation).into(), moved.motion.start.rotation);
    let distances = solids.iter().map(|solid| moved.gap(&pose, solid, &solid.motion.start).distance);
    distances.zip(0..).fold((Real::INFINITY, 0), |least, next| if next.0 < least.0 { next } else { least })
}

#[test]
fn a_shape_of_any_kind_slides_through_no_solid_of_any_kind() {
    let base = from_environment("CCD_BASE", 0) as u64 * 1_000_000;
    let (mut met, mut apart) = (0, 0);
    for seed in base..base + 200 * from_environment("CCD_SCALE", 1) as u64 {
        let r = &mut Random(seed);
        let bounded: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| *kind != Kind::HalfSpace).collect();
        let kind = bounded[r.below(bounded.len())];
        let mut moved = body(r, kind, 1.0);
        moved.motion.start.rotation = r.rotation();
        moved.motion.start.translation.vector = r.direction() * r.between(0.0, 8.0);
        let solids: Vec<Body> = (0..1 + r.below(6))
            .map(|_| {
                let kind = Kind::ALL[r.below(Kind::ALL.len())];
                let size = r.magnitude(0.3, 3.0);
                let mut solid = body(r, kind, size);
                solid.motion.start = Pose::from_parts((r.direction() * r.between(0.5, 4.0)).into(), r.rotation());
                solid
            })
            .collect();
        let world: World = world_of(solids.iter().map(|solid| (solid.shape.clone(), solid.motion.start)));
        let start = moved.motion.start;
        // Mostly towards one of them.
        let towards = solids[r.below(solids.len())].motion.start.translation.vector - start.translation.vector;
        let direction = (towards.normalize() + r.direction() * r.between(0.0, 1.0)).normalize();
        let (velocity, duration) = (direction * r.magnitude(0.1, 100.0), r.magnitude(0.03, 1.0));
        // What walks climbs, and is set down: only where it ends is told.
        let walk = r.chance(0.4).then(|| Walk {
            up: Vector::y(),
            max_slope: r.between(0.1, 1.4),
            autostep: r.chance(0.7).then(|| Autostep {
                max_height: r.magnitude(0.01, 1.0),
                min_width: r.magnitude(0.01, 0.3),
                onto_dynamic: true,
            }),
            snap: r.chance(0.7).then(|| r.magnitude(0.01, 1.0)),
            rides: true,
        });
        let query = SlideQuery { walk, ..SlideQuery::new(&moved.shape, start, velocity, duration) };
        let (first, _) = clearance(&moved, &start.translation.vector, &solids);
        let mut meetings: Vec<SlideMeeting> = Vec::new();
        let slide = world.slide(&query, all, |meeting| {
            meetings.push(*meeting);
            OnMeeting::Slide
        });
        let slide = slide.unwrap_or_else(|error| panic!("{seed}: {error}"));
        if slide.stuck_in.is_some() {
            assert!(first < 2.0 * DEFAULT_GAP, "{seed}: stuck {first} m away");
            assert!(slide.translation == start.translation.vector && meetings.is_empty(), "{seed}");
            continue;
        }
        let (mut from, mut way) = (start.translation.vector, Vec::new());
        if first < DEFAULT_GAP {
            // Out of what it overlaps: from where that leads to it tells nothing until it meets something.
            from = meetings.first().map_or(slide.translation, |meeting| meeting.translation);
        } else {
            apart += 1;
        }
        met += meetings.len();
        let parts: u32 = if walk.is_some() { 1 } else { 24 };
        for to in meetings.iter().map(|meeting| meeting.translation).chain([slide.translation]) {
            way.extend((1..=parts).map(|k| from + (to - from) * (Real::from(k) / Real::from(parts))));
            from = to;
        }
        for place in way {
            let (distance, of) = clearance(&moved, &place, &solids);
            let is_exact = solids[of].error + solids[of].beyond + moved.error + moved.beyond == 0.0;
            assert!(
                distance > 0.0 || !is_exact,
                "{seed}: {kind:?} in {:?} at {place:?}, {meetings:?}, {slide:?}",
                solids[of].kind
            );
        }
        assert!(slide.velocity.norm() <= velocity.norm() * (1.0 + 1e-12), "{seed}");
    }
    assert!(met > 60 && apart > 100, "{met} met, {apart} apart");
}
