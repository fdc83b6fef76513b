//! What stands while something else of its island moves.
//!
//! **Problem.** One box that rocks in a heap of thousands would have all contacts of the heap solved for in every step.
//!
//! **Idea.** In a large island of which most stands, what stands counts as fixed while the rest is solved: the island falls apart into
//! those around what moves. Then everybody whose contacts push otherwise now is asked whether it bears that. Who does not gives way,
//! and with it those around it, and what moves there is solved anew.
//!
//! **Guarantee.** What counts as fixed is held against no more than a share of [`BORNE`] of its weight: against as much as a slope pulls
//! with that is steeper by as many radians than friction holds. The number of threads changes no bit.
//!
//! **Cost.** Linear in the contacts of the island, a few additions each; everything else goes by what moves. Where much gives way, what
//! moves is solved up to a few times: for [`CALM_TIME`] none of that counts as fixed again.

use std::collections::BTreeMap;

use super::course::inertia_of;
use super::extent::rim_speed;
use super::flight::Flight;
use super::islands::Island;
use super::resolve::Solution;
use super::sleep::{CREEP_SPEED, speed};
use super::stepping::{Marks, Pair, Stepping};
use super::{ResponseMethod, World};
use crate::dynamics::{Body, BodyKind};
use crate::math::{Real, Vector};
use crate::response::impulse::{Inertia, Velocity};

/// Islands of fewer pairs are solved as a whole.
const LARGE: usize = 64;
/// So are those of which a smaller share stands: there is little to be left out.
const SHARE: Real = 0.75;
/// A body counts as fixed when it has stood, or crept no faster than what comes to rest, for this long, seconds.
const CALM_TIME: Real = 0.1;
/// What counts as fixed bears what would give it this share of what gravity gives it.
const BORNE: Real = 1e-4;
/// When this share of what counts as fixed in an island gives way all of it does: what is left would not bear it for long.
const MUCH: Real = 0.25;

impl Body {
    /// Takes down whether a step of `dt` has left it where it was, and it did not have to `give_way` to what pushed it.
    pub(super) fn count_calm(&mut self, gave_way: bool, slow_speed: Real, dt: Real) {
        // Most stand, which is told at once.
        let moves = self.linear_velocity != Vector::zeros() || self.angular_velocity != Vector::zeros();
        let is_fast = moves && speed(self) > CREEP_SPEED * slow_speed;
        self.calm = if gave_way || is_fast { 0.0 } else { self.calm + dt };
    }

    /// Whether it has been calm for so long that it may count as fixed.
    pub(super) fn is_calm(&self) -> bool {
        self.calm >= CALM_TIME
    }
}

impl Stepping {
    /// The islands that this step is to solve. The others stand again, to the bit.
    pub(super) fn islands_that_change(&mut self) -> Vec<Island> {
        let close: Vec<Pair> = self.close.keys().copied().collect();
        let (islands, standing) = self.islands_with(&close, |k| [self.is_awake(k), !self.stands_again(k)]);
        for k in standing.iter().flat_map(|&(a, b)| [a, b]) {
            if self.is_movable(k) {
                self.courses[k as usize].stand();
                self.unlevelled[k as usize] = true;
            }
        }
        for (unlevelled, dormant) in self.unlevelled.iter_mut().zip(&self.dormant) {
            *unlevelled |= dormant;
        }
        islands
    }

    /// Whether the body is awake, or moves what touches it.
    fn is_awake(&self, k: u32) -> bool {
        match self.marks[k as usize] {
            Marks { kind: BodyKind::Dynamic, asleep, .. } => !asleep,
            _ => !self.is_at_rest(k),
        }
    }

    /// Whether the body stood through the last step and nothing of it has changed since: where all of an island did, this step gives the same again.
    fn stands_again(&self, k: u32) -> bool {
        match self.marks[k as usize] {
            Marks { kind: BodyKind::Dynamic, stood, .. } => stood && !self.disturbed[k as usize],
            _ => self.is_at_rest(k),
        }
    }

    /// Takes down how far from the ground those are that hang together with these bodies, if all or most of it stands and nobody has asked yet.
    pub(super) fn level_what_stands(&mut self, world: &World, bodies: impl Iterator<Item = u32>) {
        for first in bodies {
            if !std::mem::take(&mut self.unlevelled[first as usize]) {
                continue;
            }
            let (mut reached, mut pairs) = (vec![first], Vec::new());
            while let Some(k) = reached.pop() {
                for &other in self.neighbours.of(k) {
                    pairs.push((k.min(other), k.max(other)));
                    if std::mem::take(&mut self.unlevelled[other as usize]) {
                        reached.push(other);
                    }
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
            let island = Island::of(pairs);
            let levels = island.levels(self, world);
            for (&k, level) in island.bodies.iter().zip(levels) {
                self.levels[k as usize] = level;
            }
        }
    }

    /// Lets what stands in large islands count as fixed. Returns who does, island by island.
    pub(super) fn fix_what_stands(&mut self, world: &World, islands: &[Island]) -> Vec<Vec<u32>> {
        if world.in_force.response != ResponseMethod::Shock {
            return Vec::new();
        }
        let mut fixed: Vec<Vec<u32>> = Vec::new();
        for island in islands.iter().filter(|island| island.pairs.len() >= LARGE) {
            let is_ground = |&k: &u32| !self.is_movable(k) && self.courses[k as usize].motion.is_at_rest();
            let movable = island.bodies.iter().filter(|&&k| self.is_movable(k)).count();
            let standing = island.bodies.iter().copied().filter(|&k| self.may_be_fixed(world, k));
            let standing: Vec<u32> = standing.collect();
            if island.bodies.iter().any(is_ground) && standing.len() as Real >= SHARE * movable as Real {
                fixed.push(standing);
                for &k in &island.bodies {
                    self.unlevelled[k as usize] |= self.is_movable(k);
                }
            }
        }
        if fixed.is_empty() {
            return fixed;
        }
        let driven = self.driven();
        fixed.iter_mut().for_each(|group| group.retain(|&k| !driven[k as usize]));
        fixed.iter().flatten().for_each(|&k| self.courses[k as usize].fixed = true);
        let unbalanced = self.who_gives_way(world, &fixed, &[]);
        self.release(&unbalanced);
        self.forget_released(&mut fixed);
        fixed.iter().flatten().for_each(|&k| self.courses[k as usize].stand());
        fixed
    }

    /// Whether a body has been calm, and nothing but what pushes it can have changed since.
    fn may_be_fixed(&self, world: &World, k: u32) -> bool {
        let body = self.body(world, k);
        body.kind() == BodyKind::Dynamic
            && body.is_calm()
            && !self.disturbed[k as usize]
            && !self.courses[k as usize].held
    }

    /// For each body whether it has contacts with what moves and cannot be stopped.
    fn driven(&self) -> Vec<bool> {
        let drives = |k: u32| !self.is_movable(k) && !self.courses[k as usize].motion.is_at_rest();
        let mut driven = vec![false; self.courses.len()];
        for &(a, b) in self.close.keys() {
            driven[a as usize] |= drives(b);
            driven[b as usize] |= drives(a);
        }
        driven
    }

    /// Solves islands of which those in `fixed` count as such: those into which they fall apart, and again where these do not bear it.
    pub(super) fn solve_around(
        &mut self,
        world: &World,
        fixed: &[Vec<u32>],
        islands: Vec<Island>,
    ) -> Vec<(Island, Solution)> {
        if fixed.is_empty() {
            let solutions = self.solve_each(world, &islands, 0.0);
            return islands.into_iter().zip(solutions).collect();
        }
        let pairs: Vec<Pair> = islands.iter().flat_map(|island| island.pairs.iter().copied()).collect();
        let (mut open, mut solved) = (self.islands_of(&pairs), Vec::new());
        let mut left = fixed.to_vec();
        let mut reach = 1;
        loop {
            let solutions = self.solve_each(world, &open, 0.0);
            solved.extend(open.drain(..).zip(solutions));
            let mut giving_way = self.who_gives_way(world, &left, &solved);
            if giving_way.is_empty() {
                break;
            }
            for _ in 0..reach {
                giving_way = self.with_neighbours(giving_way);
            }
            reach *= 2;
            let released = self.release(&giving_way);
            let is_much = |group: &&Vec<u32>| {
                let gone = group.iter().filter(|&&k| released[k as usize]).count();
                gone as Real > MUCH * group.len() as Real
            };
            let rest: Vec<u32> = left.iter().filter(is_much).flatten().copied().collect();
            let rest = self.release(&rest);
            self.forget_released(&mut left);
            let is_concerned =
                |island: &Island| island.bodies.iter().any(|&k| released[k as usize] || rest[k as usize]);
            solved.retain(|(island, _)| !is_concerned(island));
            open = self.islands_of(&pairs);
            open.retain(is_concerned);
        }
        solved
    }

    /// Those of `fixed` that do not bear what pushes them: by what is solved, or else by what pushed them in the last step.
    fn who_gives_way(&self, world: &World, fixed: &[Vec<u32>], solved: &[(Island, Solution)]) -> Vec<u32> {
        let mut impulses: Vec<(Pair, &(Vec<Vector>, Vec<Vector>))> = solved
            .iter()
            .flat_map(|(_, solution)| &solution.pushes.impulses)
            .map(|(pair, impulses)| (*pair, impulses))
            .collect();
        impulses.sort_unstable_by_key(|(pair, _)| *pair);
        let rolled: BTreeMap<Pair, Vector> = solved.iter().flat_map(|(_, s)| s.pushes.rolled.iter().copied()).collect();
        // What is left of what gravity and its own forces give each over the step.
        let mut left: Vec<Option<(Inertia, Velocity)>> = vec![None; self.courses.len()];
        for &k in fixed.iter().flatten() {
            let body = self.body(world, k);
            let free = Flight::new(body, body.pose(), &Velocity::default(), &world.in_force, [self.dt; 2]).velocity;
            left[k as usize] = Some((inertia_of(body, body.pose()), free));
        }
        for (&pair, close) in &self.close {
            if left[pair.0 as usize].is_none() && left[pair.1 as usize].is_none() {
                continue;
            }
            let known = impulses.binary_search_by_key(&pair, |(pair, _)| *pair);
            let (now, shock) = match known.map(|place| impulses[place].1) {
                Ok((now, shock)) => (now, shock),
                Err(_) => (&close.impulses, &close.shock),
            };
            let rolled = if known.is_ok() { rolled.get(&pair).copied().unwrap_or_default() } else { close.rolling };
            for (k, rolled) in [(pair.0, -rolled), (pair.1, rolled)] {
                if let Some((inertia, velocity)) = &mut left[k as usize] {
                    velocity.angular += inertia.inverse_inertia * rolled;
                }
            }
            for ((p, impulse), shock) in close.points.iter().zip(now).zip(shock) {
                let (at, on_b) = (p.midpoint(), impulse + shock);
                for (k, impulse) in [(pair.0, -on_b), (pair.1, on_b)] {
                    if let Some((inertia, velocity)) = &mut left[k as usize] {
                        inertia.apply(velocity, &impulse, &(at - inertia.centre));
                    }
                }
            }
        }
        let mut struck = vec![false; self.courses.len()];
        for (a, b) in solved.iter().flat_map(|(_, solution)| self.struck_by(solution)) {
            (struck[a as usize], struck[b as usize]) = (true, true);
        }
        let gives_way = |&k: &u32| {
            let Some((_, velocity)) = &left[k as usize] else { return false };
            let speed = velocity.linear.norm() + rim_speed(self.body(world, k), velocity.angular.norm());
            // Below that speed touching is contact: it is what gravity and the body's own forces give within two steps.
            let borne = 0.5 * BORNE * self.impact_speed(world, (k, k));
            struck[k as usize] || speed.is_nan() || speed > borne
        };
        fixed.iter().flatten().copied().filter(gives_way).collect()
    }

    /// The pairs of which one strikes the other, lands on it or swings about it, by a solution.
    fn struck_by(&self, solution: &Solution) -> Vec<Pair> {
        let lands = |impulses: &[Vector]| impulses.iter().any(|impulse| *impulse != Vector::zeros());
        let landed = solution.pushes.landed.iter().filter(|(_, impulses)| lands(impulses)).map(|(pair, _)| *pair);
        let struck = solution.impacts.iter().map(|impact| self.pair_of(&impact.pair));
        struck.chain(landed).chain(solution.set_down.iter().map(|(owned, _)| owned.pair)).collect()
    }

    /// These bodies, and those that they have contacts with.
    fn with_neighbours(&self, bodies: Vec<u32>) -> Vec<u32> {
        let mut is_among = vec![false; self.courses.len()];
        bodies.iter().for_each(|&k| is_among[k as usize] = true);
        let mut all = bodies;
        for &(a, b) in self.close.keys() {
            match (is_among[a as usize], is_among[b as usize]) {
                (true, false) => all.push(b),
                (false, true) => all.push(a),
                _ => (),
            }
        }
        all
    }

    /// Those of these that count as fixed do so no longer. Returns for each body whether it is one of them.
    fn release(&mut self, bodies: &[u32]) -> Vec<bool> {
        let mut released = vec![false; self.courses.len()];
        for &k in bodies {
            let course = &mut self.courses[k as usize];
            released[k as usize] |= std::mem::take(&mut course.fixed);
            course.gave_way |= released[k as usize];
        }
        released
    }

    /// Leaves those that count as fixed.
    fn forget_released(&self, fixed: &mut [Vec<u32>]) {
        fixed.iter_mut().for_each(|group| group.retain(|&k| self.courses[k as usize].fixed));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::dynamics::BodyDefinition;
    use crate::id::BodyId;
    use crate::math::Pose;
    use crate::shape::Shape;
    use crate::world::WorldSettings;

    const DT: Real = 1.0 / 60.0;
    const BASE: usize = 16;

    fn cube(kind: BodyKind, x: Real, y: Real) -> BodyDefinition {
        BodyDefinition::new(kind, Shape::cuboid([0.5; 3]).unwrap(), Pose::translation(x, y, 0.0))
    }

    /// A pyramid of cubes on a row of fixed ones, and a kinematic one beside its first cube; the row first, then the cubes from below.
    fn pyramid() -> (World, Vec<BodyId>, BodyId) {
        let mut world = World::new(WorldSettings { sleeping: false, ..WorldSettings::default() }).unwrap();
        for k in 0..BASE + 2 {
            world.add_body(cube(BodyKind::Static, k as Real - 1.0, -0.5)).unwrap();
        }
        let mut cubes = Vec::new();
        for (row, k) in (0..BASE).flat_map(|row| (0..BASE - row).map(move |k| (row, k))) {
            let (x, y) = (1.01 * k as Real + 0.505 * row as Real, 0.5 + 1e-5 + 1.00001 * row as Real);
            cubes.push(world.add_body(cube(BodyKind::Dynamic, x, y)).unwrap());
        }
        let beside = world.add_body(cube(BodyKind::Kinematic, -1.00005, 0.5)).unwrap();
        (0..120).for_each(|_| _ = world.step(DT).unwrap());
        (world, cubes, beside)
    }

    /// A step up to the response, the bodies that count as fixed in it at first, and those that are solved for in the end.
    fn respond(world: &World) -> (Stepping, Vec<u32>, Vec<u32>) {
        let mut stepping = Stepping::predict(world, DT);
        stepping.find_candidates(world);
        stepping.find_contacts(world);
        let islands = stepping.islands_that_change();
        let fixed = stepping.fix_what_stands(world, &islands);
        let solved = stepping.solve_around(world, &fixed, islands);
        let moves = |k: &u32| stepping.is_movable(*k);
        let mut solved: Vec<u32> =
            solved.iter().flat_map(|(island, _)| &island.bodies).copied().filter(moves).collect();
        solved.sort_unstable();
        (stepping, fixed.concat(), solved)
    }

    #[test]
    fn what_moves_is_solved_for_with_those_who_feel_it_and_each_of_them_once() {
        let (mut world, cubes, _) = pyramid();
        assert_eq!(world.step(DT).unwrap().counters.islands, 0, "it stands");
        let peak = world.body(*cubes.last().unwrap()).unwrap().pose().translation.vector + Vector::y() * 0.5;
        for (half, most) in [(0.01, 2), (0.5, cubes.len() + 1)] {
            // What slides on the peak is stopped by friction: if it is light nobody feels that, and all of the pyramid if it is not.
            let mut world = world.clone();
            let pose = Pose::from(peak + Vector::y() * (half + 1e-5));
            let slider = BodyDefinition {
                linear_velocity: Vector::x() * 0.01,
                ..BodyDefinition::new(BodyKind::Dynamic, Shape::cuboid([half; 3]).unwrap(), pose)
            };
            let slider = world.add_body(slider).unwrap();
            let (stepping, fixed, solved) = respond(&world);
            assert_eq!(fixed.len(), cubes.len() - 1, "all but the peak, which it has come to");
            assert!(solved.windows(2).all(|pair| pair[0] < pair[1]), "{solved:?}");
            assert!(solved.iter().any(|&k| stepping.ids[k as usize] == slider));
            assert!((most / 2..=most).contains(&solved.len()), "{} of {}", solved.len(), cubes.len() + 1);
        }
    }

    #[test]
    fn what_counts_as_fixed_is_held_against_a_ten_thousandth_of_its_weight_and_no_more() {
        let (mut world, cubes, beside) = pyramid();
        // So that the island is not left as it stood.
        world.set_velocity(beside, Vector::z() * 1e-6, Vector::zeros()).unwrap();
        let top = *cubes.last().unwrap();
        for (share, holds) in [(0.5, true), (-0.5, true), (2.0, false), (-2.0, false)] {
            let mut world = world.clone();
            for (_, contacts) in world.contacts.iter_mut().filter(|(key, _)| key.a == top || key.b == top) {
                for impulse in &mut Arc::make_mut(contacts).impulses {
                    *impulse *= 1.0 + share * 1e-4;
                }
            }
            let mut stepping = Stepping::predict(&world, DT);
            stepping.find_candidates(&world);
            stepping.find_contacts(&world);
            let islands = stepping.islands_that_change();
            let fixed = stepping.fix_what_stands(&world, &islands).concat();
            assert!(fixed.len() > cubes.len() / 2);
            assert_eq!(fixed.iter().any(|&k| stepping.ids[k as usize] == top), holds, "{share}");
        }
    }

    #[test]
    fn what_rolling_resistance_holds_on_a_slope_counts_as_fixed() {
        let (mut world, cubes, beside) = pyramid();
        let tilted = WorldSettings { gravity: Vector::new(0.1, -9.81, 0.0), ..world.settings().clone() };
        world.set_settings(tilted).unwrap();
        let peak = world.body(*cubes.last().unwrap()).unwrap().pose().translation.vector;
        let ball = Shape::ball(0.2).unwrap();
        let mut ball = BodyDefinition::new(BodyKind::Dynamic, ball, Pose::from(peak + Vector::y() * 0.70001));
        ball.material.rolling_resistance = 0.01;
        let ball = world.add_body(ball).unwrap();
        (0..120).for_each(|_| _ = world.step(DT).unwrap());
        world.set_velocity(beside, Vector::z() * 1e-6, Vector::zeros()).unwrap();
        let is_fixed = |world: &World| {
            let (stepping, fixed, _) = respond(world);
            fixed.iter().any(|&k| stepping.ids[k as usize] == ball)
        };
        assert!(is_fixed(&world));
        for (_, contacts) in world.contacts.iter_mut().filter(|(key, _)| key.a == ball || key.b == ball) {
            Arc::make_mut(contacts).rolling = Vector::zeros();
        }
        assert!(!is_fixed(&world), "by pushes alone it would roll");
    }

    #[test]
    fn what_was_not_calm_or_touches_what_cannot_be_stopped_does_not_count_as_fixed() {
        let (mut world, cubes, beside) = pyramid();
        world.set_velocity(beside, Vector::z() * 1e-6, Vector::zeros()).unwrap();
        let changed = cubes[BASE / 2];
        assert!(world.body_mut(changed).is_some());
        // Who has the driver beside it was woken with it, and is calm again by then; who was changed just now is not.
        (0..20).for_each(|_| _ = world.step(DT).unwrap());
        assert!(world.body_mut(changed).is_some());
        let (stepping, fixed, _) = respond(&world);
        let is_fixed = |id: BodyId| fixed.iter().any(|&k| stepping.ids[k as usize] == id);
        assert!(!is_fixed(cubes[0]) && !is_fixed(changed));
        assert!(world.body(cubes[0]).unwrap().calm >= CALM_TIME);
        assert_eq!(fixed.len(), cubes.len() - 2);
    }
}
