//! What every response method must do, whatever its way: keep momentum, stay in the friction cone, never pull, hold what
//! rests, let slide what is too steep.

use ccd_core::math::{Matrix, Point, Real, Vector};
use ccd_core::response::impulse::{Inertia, Velocity};
use ccd_core::response::lcp_contact::{solve_lcp_by_pivoting, solve_lcp_by_sweeps};
use ccd_core::response::penalty::{PenaltyLaw, solve_penalty};
use ccd_core::response::sequential::{SolverBody, SolverContact, SweepLimits, solve};
use ccd_core::response::svd_force::{SvdForceError, solve_svd};
use proptest::prelude::*;

const DT: Real = 1.0 / 60.0;
const GRAVITY: Real = 9.81;
const LIMITS: SweepLimits = SweepLimits {
    velocity: 20_000,
    motion: 0,
    change: 1e-13,
    kept: 0.0,
    stood: false,
    far: Real::INFINITY,
    together: false,
};
/// Velocities that make no difference, m/s.
const SLIGHT: Real = 1e-3;

/// Bodies at the start of a step with the contacts between them.
#[derive(Clone, Debug)]
struct Scene {
    bodies: Vec<SolverBody>,
    starts: Vec<Velocity>,
    contacts: Vec<SolverContact>,
    gaps: Vec<Real>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    Sequential,
    Pivoting,
    Sweeps,
    Svd,
    Penalty,
}

const METHODS: [Method; 5] = [Method::Sequential, Method::Pivoting, Method::Sweeps, Method::Svd, Method::Penalty];

impl Method {
    fn run(self, scene: &mut Scene) {
        let Scene { bodies, starts, contacts, gaps } = scene;
        match self {
            Self::Sequential => {
                let levels = vec![0; bodies.len()];
                solve(bodies, contacts, &levels, SLIGHT, &LIMITS);
            }
            Self::Pivoting => solve_lcp_by_pivoting(bodies, contacts).expect("a problem with a solution"),
            Self::Sweeps => assert!(solve_lcp_by_sweeps(bodies, contacts, &LIMITS).1),
            Self::Svd => {
                solve_svd(bodies, contacts, starts).expect("a problem with a solution");
            }
            Self::Penalty => {
                let running = vec![[0.0; 2]; contacts.len()];
                solve_penalty(bodies, contacts, starts, (gaps, &running), DT, &PenaltyLaw::for_step(DT));
            }
        }
    }
}

fn block(centre: [Real; 3], half: Real, mass: Real) -> Inertia {
    let moment = mass * (2.0 * half).powi(2) / 6.0;
    Inertia {
        centre: Point::from(centre),
        inverse_mass: Vector::repeat(1.0 / mass),
        inverse_inertia: Matrix::identity() / moment,
    }
}

impl Scene {
    fn new(inertias: Vec<Inertia>, gravity: Vector) -> Self {
        let bodies = inertias
            .into_iter()
            .map(|inertia| {
                let fall = if inertia.is_immovable() { Vector::zeros() } else { gravity * DT };
                let velocity = Velocity { linear: fall, angular: Vector::zeros() };
                SolverBody { inertia, velocity, motion: velocity }
            })
            .collect::<Vec<_>>();
        let starts = vec![Velocity::default(); bodies.len()];
        Self { bodies, starts, contacts: Vec::new(), gaps: Vec::new() }
    }

    fn touch(&mut self, a: usize, b: usize, at: [Real; 3], normal: Vector, friction: Real) {
        let at = Point::from(at);
        self.contacts.push(SolverContact {
            a,
            b,
            r_a: at - self.bodies[a].inertia.centre,
            r_b: at - self.bodies[b].inertia.centre,
            normal,
            friction,
            least_velocity: 0.0,
            carried: [0.0; 2],
            least_motion: 0.0,
            impulse: [0.0; 3],
        });
        self.gaps.push(0.0);
    }

    /// A square table of 1 kg on four legs; the ground is body 0.
    fn table(gravity: Vector, friction: Real) -> Self {
        let mut scene = Self::new(vec![Inertia::immovable(Point::origin()), block([0.0, 0.5, 0.0], 0.5, 1.0)], gravity);
        for (x, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            scene.touch(0, 1, [x, 0.0, z], Vector::y(), friction);
        }
        scene
    }

    /// `count` blocks of 1 kg, one on the other.
    fn tower(count: usize) -> Self {
        let blocks = (0..count).map(|k| block([0.0, k as Real + 0.5, 0.0], 0.5, 1.0));
        let inertias = std::iter::once(Inertia::immovable(Point::origin())).chain(blocks).collect();
        let mut scene = Self::new(inertias, -Vector::y() * GRAVITY);
        for k in 0..count {
            for (x, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
                scene.touch(k, k + 1, [x, k as Real, z], Vector::y(), 0.5);
            }
        }
        scene
    }

    /// Goes on for another step from where the bodies are, as a world would: gaps and warm start carried over.
    fn go_on(&mut self, method: Method, gravity: Vector) {
        for (gap, c) in self.gaps.iter_mut().zip(&self.contacts) {
            let (a, b) = (&self.bodies[c.a].motion, &self.bodies[c.b].motion);
            *gap += DT * (b.at(&c.r_b) - a.at(&c.r_a)).dot(&c.normal);
        }
        for (body, start) in self.bodies.iter_mut().zip(&mut self.starts) {
            *start = body.velocity;
            if !body.inertia.is_immovable() {
                body.velocity.linear += gravity * DT;
            }
        }
        method.run(self);
    }
}

#[test]
fn a_table_rests_on_four_equal_legs() {
    for method in METHODS {
        let gravity = -Vector::y() * GRAVITY;
        let mut scene = Scene::table(gravity, 0.5);
        method.run(&mut scene);
        let steps = if method == Method::Penalty { 120 } else { 1 };
        for _ in 1..steps {
            scene.go_on(method, gravity);
        }
        let table = &scene.bodies[1].velocity;
        assert!(table.linear.norm() < 1e-6 && table.angular.norm() < 1e-6, "{method:?}: {table:?}");
        if matches!(method, Method::Pivoting | Method::Sweeps) {
            continue; // any loads that hold the table solve the complementarity problem
        }
        for c in &scene.contacts {
            let load = c.impulse[0] / DT;
            assert!((load - GRAVITY / 4.0).abs() < 1e-5, "{method:?}: a leg carries {load} N");
        }
    }
}

#[test]
fn friction_holds_below_its_angle_and_lets_slide_above() {
    for method in METHODS {
        for (slope, holds) in [(0.49, true), (0.51, false)] {
            let (sin, cos) = Real::sin_cos(Real::atan(slope));
            let gravity = Vector::new(sin, -cos, 0.0) * GRAVITY;
            let mut scene = Scene::table(gravity, 0.5);
            method.run(&mut scene);
            for _ in 1..60 {
                scene.go_on(method, gravity);
            }
            let speed = scene.bodies[1].velocity.linear.x;
            let free = (slope - 0.5) * cos * GRAVITY;
            let expected = if holds { 0.0 } else { free };
            // Springs take a few hundredths of a second to draw.
            let slack = if method == Method::Penalty { 0.02 } else { 1e-6 };
            assert!((speed - expected).abs() < slack + 1e-9, "{method:?} at {slope}: {speed} m/s, expected {expected}");
        }
    }
}

/// What lies on something that turns is to end a step as fast as the place that it lies on, which has turned on by then.
#[test]
fn what_is_carried_on_an_arc_ends_as_fast_as_it_is_carried() {
    let carried = [0.004, -0.007];
    for method in METHODS {
        let gravity = -Vector::y() * GRAVITY;
        let mut scene = Scene::table(gravity, 0.5);
        for c in &mut scene.contacts {
            c.carried = carried;
        }
        method.run(&mut scene);
        let wanted = scene.contacts[0].goal();
        assert_eq!(wanted.norm(), carried[0].hypot(carried[1]));
        let speed = scene.bodies[1].velocity.linear;
        // Springs that are yet to be drawn are a little late.
        let slack = if method == Method::Penalty { 0.1 * wanted.norm() } else { 1e-9 };
        assert!((speed - wanted).norm() < slack, "{method:?}: {speed} instead of {wanted}");
    }
}

#[test]
fn a_tower_of_five_stands_still() {
    for method in METHODS {
        let gravity = -Vector::y() * GRAVITY;
        let mut scene = Scene::tower(5);
        method.run(&mut scene);
        let steps = if method == Method::Penalty { 300 } else { 1 };
        for _ in 1..steps {
            scene.go_on(method, gravity);
        }
        let fastest = scene.bodies.iter().map(|b| b.velocity.linear.norm()).fold(0.0, Real::max);
        assert!(fastest < 1e-6, "{method:?}: {fastest} m/s");
        let ground: Real = scene.contacts[..4].iter().map(|c| c.impulse[0]).sum();
        assert!((ground / DT - 5.0 * GRAVITY).abs() < 1e-3, "{method:?}: the ground carries {} N", ground / DT);
    }
}

#[test]
fn pivoting_solves_a_tower_with_many_redundant_contacts_step_after_step() {
    let gravity = -Vector::y() * GRAVITY;
    let mut scene = Scene::tower(8);
    Method::Pivoting.run(&mut scene);
    for _ in 0..20 {
        scene.go_on(Method::Pivoting, gravity);
        let fastest = scene.bodies.iter().map(|b| b.velocity.linear.norm()).fold(0.0, Real::max);
        assert!(fastest < 1e-6, "{fastest} m/s");
    }
}

/// A wall of `layers` layers of unit boxes, each on the halves of two, at rest; with the levels from the ground up.
fn wall(layers: usize) -> (Scene, Vec<u32>) {
    let (mut inertias, mut levels) = (vec![Inertia::immovable(Point::origin())], vec![0]);
    let mut supports = Vec::new();
    let (mut below, mut first) = (vec![0], 1);
    for layer in 0..layers {
        let count = layers - layer;
        let left = -0.5 * 1.05 * (count - 1) as Real;
        for k in 0..count {
            inertias.push(block([left + 1.05 * k as Real, layer as Real + 0.5, 0.0], 0.5, 1000.0));
            levels.push(layer as u32 + 1);
            let on: Vec<usize> = if layer == 0 { vec![0] } else { vec![below[k], below[k + 1]] };
            supports.extend(on.into_iter().map(|support| (support, first + k)));
        }
        below = (first..first + count).collect();
        first += count;
    }
    let centres: Vec<Point> = inertias.iter().map(|i| i.centre).collect();
    let mut scene = Scene::new(inertias, -Vector::y() * GRAVITY);
    for (support, body) in supports {
        let (under, over) = (centres[support], centres[body]);
        let reach = if support == 0 {
            [over.x - 0.5, over.x + 0.5]
        } else {
            [under.x.max(over.x) - 0.5, under.x.min(over.x) + 0.5]
        };
        for x in reach {
            for z in [-0.5, 0.5] {
                scene.touch(support, body, [x, over.y - 0.5, z], Vector::y(), 0.5);
            }
        }
    }
    (scene, levels)
}

#[test]
fn a_wall_of_fifty_layers_is_carried_from_the_first_sweeps_on_without_friction() {
    let (mut scene, levels) = wall(50);
    let weight: Real = GRAVITY * DT * 1000.0 * (levels.len() - 1) as Real;
    let limits = SweepLimits { velocity: 60, change: 1e-7, far: 5e-3, ..LIMITS };
    let sweeps = solve(&mut scene.bodies, &mut scene.contacts, &levels, SLIGHT, &limits);
    assert!(sweeps <= 3, "{sweeps} sweeps");
    let fastest =
        scene.bodies.iter().map(|b| b.velocity.linear.norm() + b.velocity.angular.norm()).fold(0.0, Real::max);
    assert!(fastest < 1e-6, "{fastest} m/s");
    let carried: Real = scene.contacts.iter().filter(|c| c.a == 0).map(|c| c.impulse[0]).sum();
    assert!((carried / weight - 1.0).abs() < 1e-6, "the ground carries {carried} of {weight} N·s");
    let rubbing = scene.contacts.iter().map(|c| c.impulse[1].hypot(c.impulse[2])).fold(0.0, Real::max);
    assert!(rubbing < 1e-3, "friction locks in {rubbing} N·s");
}

#[test]
fn sweeps_that_no_level_helps_find_a_towers_loads_in_fewer_than_its_layers_squared() {
    const LAYERS: usize = 40;
    let inertias = (0..=LAYERS)
        .map(
            |k| if k == 0 { Inertia::immovable(Point::origin()) } else { block([0.0, k as Real - 0.5, 0.0], 0.5, 1.0) },
        )
        .collect();
    let mut scene = Scene::new(inertias, -Vector::y() * GRAVITY);
    for k in 0..LAYERS {
        scene.touch(k, k + 1, [0.0, k as Real, 0.0], Vector::y(), 0.0);
    }
    // All of one level: nothing is frozen, no load is carried down.
    let levels = vec![1; LAYERS + 1];
    let limits = SweepLimits { change: 1e-9, ..LIMITS };
    let sweeps = solve(&mut scene.bodies, &mut scene.contacts, &levels, SLIGHT, &limits);
    assert!(sweeps < LAYERS * LAYERS, "{sweeps} sweeps");
    for (k, c) in scene.contacts.iter().enumerate() {
        let load = GRAVITY * DT * (LAYERS - k) as Real;
        assert!((c.impulse[0] - load).abs() < 1e-5 * load, "contact {k}: {} for {load} N·s", c.impulse[0]);
    }
}

/// No rigid face closes four gaps of which one is wider than the plane through the others says. The three others hold it where it is, and
/// nothing of it is opened; who is open by next to nothing bears its share.
#[test]
fn a_face_whose_gaps_are_in_no_plane_stands_still_after_a_few_sweeps() {
    for (wider, bears) in [(1e-3, false), (1e-5, true)] {
        let mut scene = Scene::tower(1);
        scene.contacts[2].least_velocity = -wider;
        let limits = SweepLimits { velocity: 60, change: 1e-9, far: 5e-3, ..LIMITS };
        let sweeps = solve(&mut scene.bodies, &mut scene.contacts, &[0, 1], SLIGHT, &limits);
        assert!(sweeps <= 4, "{sweeps} sweeps");
        assert_eq!(scene.contacts[2].impulse[0] > 0.0, bears);
        let Velocity { linear, angular } = scene.bodies[1].velocity;
        assert!(linear.norm() < 1e-9 && angular.norm() < 1e-9, "{linear} {angular}");
    }
}

/// Faces whose gaps are in no plane lie on each other: were any of them to be opened, the one above would have to give way to it.
#[test]
fn faces_on_each_other_whose_gaps_are_in_no_plane_come_to_rest() {
    let layers = 5;
    let mut scene = Scene::tower(layers);
    let levels: Vec<u32> = (0..=layers as u32).collect();
    for (k, contact) in scene.contacts.iter_mut().enumerate() {
        contact.least_velocity = if k % 4 == k / 4 % 4 { -3e-6 } else { 0.0 };
    }
    let limits = SweepLimits { velocity: 400, change: 1e-9, far: 1e-9, ..LIMITS };
    let sweeps = solve(&mut scene.bodies, &mut scene.contacts, &levels, SLIGHT, &limits);
    assert!(sweeps < 400, "{sweeps} sweeps");
    for body in &scene.bodies {
        assert!(body.velocity.linear.norm() < 1e-7 && body.velocity.angular.norm() < 1e-7, "{:?}", body.velocity);
    }
}

#[test]
fn a_cycle_of_states_is_an_error_not_a_pull() {
    // Friction that locks: a rod leaning into its own sliding direction (Painlevé's), for which no impulse of this kind fits.
    let mut inertia = block([0.3, 1.0, 0.0], 0.5, 1.0);
    inertia.inverse_inertia = Matrix::identity() * 12.0;
    let mut scene = Scene::new(vec![Inertia::immovable(Point::origin()), inertia], -Vector::y() * GRAVITY);
    scene.touch(0, 1, [0.0, 0.0, 0.0], Vector::y(), 3.0);
    scene.bodies[1].velocity.linear.x = -2.0;
    let before = scene.clone();
    match solve_svd(&mut scene.bodies, &mut scene.contacts, &scene.starts) {
        Ok(_) => assert!(scene.contacts[0].impulse[0] >= 0.0),
        Err(SvdForceError::Cycle { .. } | SvdForceError::Budget { .. }) => assert_eq!(scene.bodies, before.bodies),
        Err(other) => panic!("{other}"),
    }
}

/// Two free bodies and a ground with a handful of contacts in any directions.
fn heap() -> impl Strategy<Value = Scene> {
    let contact =
        (0..3_usize, prop::array::uniform3(-1.0..1.0_f64), prop::array::uniform3(-1.0..1.0_f64), 0.0..1.0_f64);
    (prop::collection::vec(contact, 1..6), prop::array::uniform3(-2.0..2.0_f64)).prop_map(|(contacts, v)| {
        let ground = Inertia::immovable(Point::origin());
        let mut scene = Scene::new(
            vec![ground, block([0.0, 0.5, 0.0], 0.5, 1.0), block([0.0, 1.5, 0.0], 0.4, 3.0)],
            -Vector::y() * GRAVITY,
        );
        scene.starts[2].linear = Vector::from(v);
        scene.bodies[2].velocity.linear += Vector::from(v);
        for (pair, at, normal, friction) in contacts {
            let (a, b) = [(0, 1), (1, 2), (0, 2)][pair];
            let normal = (Vector::from(normal) + Vector::y() * 1.5).normalize();
            scene.touch(a, b, at, normal, friction);
        }
        scene
    })
}

/// The larger of a contact's tangential impulses along and across the sliding of the scene before it was solved, N·s.
fn largest_along_sides(before: &Scene, c: &SolverContact) -> Real {
    let v = c.relative_velocity(&before.bodies);
    let sliding = v - c.normal * v.dot(&c.normal);
    let along = sliding.try_normalize(1e-12).map_or(c.impulse[1], |side| c.total_impulse().dot(&side));
    let across = sliding.try_normalize(1e-12).map_or(c.impulse[2], |s| c.total_impulse().dot(&c.normal.cross(&s)));
    along.abs().max(across.abs())
}

proptest! {
    #[test]
    fn every_method_keeps_momentum_and_the_cone_and_never_pulls(scene in heap()) {
        for method in METHODS {
            let mut solved = scene.clone();
            let done = match method {
                // These two may say that they found nothing.
                Method::Pivoting => solve_lcp_by_pivoting(&mut solved.bodies, &mut solved.contacts).is_ok(),
                Method::Svd => solve_svd(&mut solved.bodies, &mut solved.contacts, &solved.starts).is_ok(),
                Method::Sweeps => { solve_lcp_by_sweeps(&mut solved.bodies, &mut solved.contacts, &LIMITS); true }
                _ => { method.run(&mut solved); true }
            };
            if !done {
                prop_assert_eq!(&solved.bodies, &scene.bodies);
                continue;
            }
            let mut change = [Vector::zeros(), Vector::zeros()];
            for c in &solved.contacts {
                let [n, x, y] = c.impulse;
                prop_assert!(n >= 0.0, "{method:?} pulls with {n}");
                // The sweeps' pyramid is around the cone, its sides along and across the sliding that there was before; the
                // pivoting's is within it.
                let within = if method == Method::Sweeps { largest_along_sides(&scene, c) } else { x.hypot(y) };
                prop_assert!(within <= c.friction * n * (1.0 + 1e-9) + 1e-9, "{method:?}: {within} for {n}");
                let j = c.total_impulse();
                for (k, body) in [1, 2].into_iter().enumerate() {
                    change[k] += if c.b == body { j } else if c.a == body { -j } else { Vector::zeros() };
                }
            }
            for (k, body) in [1, 2].into_iter().enumerate() {
                let gained = solved.bodies[body].velocity.linear - scene.bodies[body].velocity.linear;
                let mass = [1.0, 3.0][k];
                prop_assert!((gained * mass - change[k]).norm() <= 1e-9 * (1.0 + change[k].norm()), "{method:?}");
            }
        }
    }

    #[test]
    fn pivoting_leaves_no_contact_approaching(scene in heap()) {
        let mut solved = scene;
        if solve_lcp_by_pivoting(&mut solved.bodies, &mut solved.contacts).is_ok() {
            for c in &solved.contacts {
                let vn = c.relative_velocity(&solved.bodies).dot(&c.normal);
                prop_assert!(vn > -1e-8, "{vn}");
                prop_assert!(vn < 1e-8 || c.impulse[0] < 1e-8, "{vn} under {}", c.impulse[0]);
            }
        }
    }

    #[test]
    fn without_friction_all_exact_methods_agree(mut scene in heap()) {
        for c in &mut scene.contacts {
            c.friction = 0.0;
        }
        let mut pivoted = scene.clone();
        Method::Pivoting.run(&mut pivoted);
        for method in [Method::Sequential, Method::Sweeps] {
            let mut swept = scene.clone();
            method.run(&mut swept);
            for (x, y) in swept.bodies.iter().zip(&pivoted.bodies) {
                prop_assert!((x.velocity.linear - y.velocity.linear).norm() < 1e-6, "{method:?}");
            }
        }
    }
}
