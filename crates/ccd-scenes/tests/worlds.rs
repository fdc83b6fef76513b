//! The scenes run, and what they expect holds.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::PathBuf;

use ccd_core::dynamics::{BodyKind, LockedAxes};
use ccd_core::io::case::{Case, build_world};
use ccd_core::io::expect::{BodyState, Evaluation, Frame, Subject, Touch, Verdict};
use ccd_core::math::Real;
use ccd_scenes::cases::{
    Arch, BoltInNut, Bullets, CardHouse, CaseFiles, Chain, Coin, Cradle, Dominoes, Egg, FallingShapes, Hinges,
    MassRatio, Overhang, Pyramid, RingPile, Rod, Scene, SeeSaw, Slope, Tower, Turntable, WreckingBall,
};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn with(files: &CaseFiles, name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ccd-worlds-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        files.save(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What is judged of `steps` steps of the case.
fn judged(case: &Case, folder: &Folder, steps: u32) -> Vec<Verdict> {
    let (mut world, ids) = build_world(case, &folder.0).unwrap();
    let place = |id| ids.iter().position(|i| *i == id).unwrap();
    let subjects = case.bodies.iter().zip(&ids).map(|(b, id)| Subject::of(&b.name, world.body(*id).unwrap())).collect();
    let mut judge = Evaluation::new(&case.expect, subjects, case.world.gravity.into());
    let states = |world: &ccd_core::world::World| -> Vec<BodyState> {
        ids.iter().map(|id| BodyState::of(world.body(*id).unwrap())).collect()
    };
    judge.observe(&Frame { t: 0.0, bodies: &states(&world), touched: &[] });
    for step in 1..=steps {
        let report = world.step(case.world.dt).unwrap_or_else(|e| panic!("{}, step {step}: {e}", case.name));
        let t = Real::from(step) * case.world.dt;
        let touched: Vec<Touch> = report
            .impacts
            .iter()
            .map(|impact| impact.pair)
            .chain(report.started)
            .map(|pair| (place(pair.a), place(pair.b)))
            .map(|(a, b)| Touch { pair: (a.min(b), a.max(b)), t })
            .collect();
        judge.observe(&Frame { t, bodies: &states(&world), touched: &touched });
    }
    judge.verdicts()
}

/// Runs `steps` steps of the case and asserts that nothing fails of what it expects; answers how many expectations held.
fn holds(case: &Case, folder: &Folder, steps: u32) -> usize {
    let verdicts = judged(case, folder, steps);
    let failed: Vec<_> = verdicts.iter().filter(|v| v.is_failure()).collect();
    assert!(failed.is_empty(), "{}: {failed:#?}", case.name);
    verdicts.iter().filter(|v| v.ok == Some(true)).count()
}

#[test]
fn no_bullet_passes_the_sheet_from_either_side_and_eight_pass_its_hole_at_either_time_step_and_spin() {
    for other_side in [0, 1] {
        let files = Bullets { other_side, ..Bullets::default() }.build().unwrap();
        let folder = Folder::with(&files, &format!("bullets-{other_side}"));
        for (_, case) in &files.cases {
            assert_eq!(holds(case, &folder, case.world.steps), case.expect.len(), "{}: all can be judged", case.name);
        }
    }
}

#[test]
fn a_rod_is_stopped_at_the_exact_angle_or_passes_whatever_its_spin() {
    for spin in [20.0, 60.0, 100.0, 200.0, 1000.0, 20_000.0] {
        for (distance, angle) in [(0.8, 0.9), (0.3, 0.3), (0.94, 2.5), (0.15, 1.2)] {
            let files = Rod { spin, distance, angle, ..Rod::default() }.build().unwrap();
            let folder = Folder::with(&files, &format!("rod-{spin}-{distance}-{angle}"));
            let case = &files.cases[0].1;
            assert_eq!(holds(case, &folder, 1), case.expect.len());
        }
    }
}

#[test]
fn short_stacks_stand_for_five_seconds() {
    for (name, files) in [
        ("tower", Tower { height: 10 }.build()),
        ("pyramid", Pyramid { base: 6 }.build()),
        ("mass-ratio", MassRatio::default().build()),
    ] {
        let files = files.unwrap();
        let folder = Folder::with(&files, name);
        assert!(holds(&files.cases[0].1, &folder, 300) >= 3);
    }
}

#[test]
fn masonry_stands_by_friction_and_balance() {
    for (name, files) in [
        ("arch", Arch { stones: 15, ..Arch::default() }.build()),
        ("card-house", CardHouse::default().build()),
        ("overhang", Overhang::default().build()),
    ] {
        let files = files.unwrap();
        let folder = Folder::with(&files, name);
        assert_eq!(holds(&files.cases[0].1, &folder, files.cases[0].1.world.steps), 4, "{name}");
    }
}

/// Nothing in them leaves the plane: games that play in one lock what leads out of it.
#[test]
fn what_plays_in_a_plane_goes_as_it_does_without_its_other_axes() {
    for (name, files) in [
        ("tower", Tower { height: 10 }.build()),
        ("arch", Arch { stones: 15, ..Arch::default() }.build()),
        ("card-house", CardHouse::default().build()),
        ("dominoes", Dominoes { count: 8 }.build()),
        ("slope", Slope { angle: 26.5, ..Slope::default() }.build()),
        ("steeper-slope", Slope { angle: 26.63, ..Slope::default() }.build()),
        ("see-saw", SeeSaw::default().build()),
    ] {
        let files = files.unwrap();
        let folder = Folder::with(&files, &format!("{name}-in-a-plane"));
        for (file, case) in &files.cases {
            let mut case = case.clone();
            for body in case.bodies.iter_mut().filter(|body| body.kind == BodyKind::Dynamic) {
                body.locked_dof = LockedAxes { translation: [false, false, true], rotation: [true, true, false] };
            }
            assert!(holds(&case, &folder, case.world.steps) >= 2, "{file}");
        }
    }
}

#[test]
fn what_balances_stays_and_what_rocks_or_spins_comes_down_by_its_energy() {
    for (name, files) in
        [("see-saw", SeeSaw::default().build()), ("egg", Egg::default().build()), ("coin", Coin::default().build())]
    {
        let files = files.unwrap();
        let folder = Folder::with(&files, name);
        for (file, case) in &files.cases {
            assert_eq!(holds(case, &folder, case.world.steps), case.expect.len(), "{file}: all can be judged");
        }
    }
}

#[test]
fn what_options_allow_comes_out_as_it_says_at_their_ends() {
    let turntable = |speed, friction| Turntable { speed, friction }.build();
    for (name, files) in [
        ("see-saw-least", SeeSaw { surplus: 0.2 }.build()),
        ("wrecking-ball-short", WreckingBall { links: 2, angle: 17.0, wall: 2 }.build()),
        ("wrecking-ball-flat", WreckingBall { links: 4, angle: 9.0, wall: 2 }.build()),
        ("turntable-just-carries", turntable(2.19, 0.5)),
        ("turntable-just-loses", turntable(2.27, 0.5)),
        ("turntable-slick", turntable(0.5, 0.0)),
        ("turntable-fast", turntable(20.0, 2.0)),
    ] {
        let files = files.unwrap();
        let folder = Folder::with(&files, name);
        for (_, case) in &files.cases {
            assert_eq!(holds(case, &folder, case.world.steps), case.expect.len(), "{name}: all can be judged");
        }
    }
    for less in [WreckingBall { links: 2, angle: 10.0, wall: 3 }, WreckingBall { wall: 1, ..WreckingBall::default() }] {
        assert!(less.build().is_err(), "{less:?} does not come to its wall");
    }
    // A rider that friction carries where it should not is told.
    let files = turntable(3.0, 0.5).unwrap();
    let mut case = files.cases[0].1.clone();
    case.world.friction = 5.0;
    let folder = Folder::with(&files, "turntable-carries");
    assert!(judged(&case, &folder, case.world.steps).iter().any(Verdict::is_failure));
}

#[test]
fn a_turning_nut_lifts_its_bolt_by_a_pitch_a_turn() {
    let files = BoltInNut { turns: 4.0 }.build().unwrap();
    let folder = Folder::with(&files, "bolt");
    let (file, case) = &files.cases[0];
    assert_eq!(file, "bolt-lifted.json");
    assert_eq!(holds(case, &folder, case.world.steps), case.expect.len());
}

#[test]
fn a_block_slides_to_a_tenth_of_a_degree_where_friction_says() {
    // tan 26.565° is 0.5.
    for angle in [26.5, 26.63] {
        let files = Slope { angle, ..Slope::default() }.build().unwrap();
        let folder = Folder::with(&files, &format!("slope-{angle}"));
        assert_eq!(holds(&files.cases[0].1, &folder, files.cases[0].1.world.steps), 3);
    }
}

#[test]
fn as_many_balls_leave_the_cradle_as_came() {
    for coming in 1..4 {
        let files = Cradle { coming, ..Cradle::default() }.build().unwrap();
        let folder = Folder::with(&files, &format!("cradle-{coming}"));
        assert_eq!(holds(&files.cases[0].1, &folder, files.cases[0].1.world.steps), 8);
    }
}

#[test]
fn all_dominoes_fall() {
    let files = Dominoes { count: 8 }.build().unwrap();
    let folder = Folder::with(&files, "dominoes");
    assert_eq!(holds(&files.cases[0].1, &folder, files.cases[0].1.world.steps), 4);
}

#[test]
fn what_falls_and_what_hangs_never_crosses() {
    for (name, files, steps) in [
        ("shapes", FallingShapes { count: 16 }.build(), 60),
        ("rings", RingPile { count: 8 }.build(), 60),
        ("chain", Chain { links: 3 }.build(), 30),
        ("wrecking-ball", WreckingBall { links: 3, angle: 70.0, wall: 2 }.build(), 120),
        ("hinges", Hinges::default().build(), 600),
    ] {
        let files = files.unwrap();
        let folder = Folder::with(&files, name);
        assert!(holds(&files.cases[0].1, &folder, steps) >= 4);
    }
}
