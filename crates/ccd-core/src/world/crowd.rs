//! Crowds: where many bodies hang together and some land within a step, that is expected before the step is resolved.
//!
//! A meeting that nobody expected is resolved by itself, and felt as far as contacts carry it. Where hundreds of bodies come
//! down on each other within a step, or tumble in a heap, nearly all meetings are felt by all, one after the other. So the
//! pairs of such an island that may meet without a bounce are looked up beforehand, with the gaps that they have now, and bound
//! the island's motion beside the contacts that are there already: one solve for all of them. What was not expected rightly
//! meets within the step as ever.
//!
//! A crowd is an island of which a good part moves or lands: it is solved as coarsely as its next step asks for. Where next to
//! all stands, and some body comes to it, landings are expected and all is solved as finely as what stands needs.

use std::collections::BTreeMap;

use super::extent::{relative_speed, rim_speed, thickness, triangles_reach};
use super::gather::Owned;
use super::islands::Island;
use super::landing::{Landing, LandingPoint, REACH};
use super::stepping::{Marks, Pair, Stepping};
use super::{ResponseMethod, World};
use crate::contact::{ContactCache, ContactPoint, find_contacts};
use crate::dynamics::BodyKind;
use crate::math::Real;
use crate::response::impulse::Velocity;
use crate::response::sequential::SweepLimits;
use crate::response::system::System;
use crate::shape::{FieldShape, Shape};

/// Fewer pairs that land are no crowd by that alone.
const CROWD: usize = 8;
/// A crowd's landings are at least this share of its island's pairs: a pile that all but rests is solved as one that does.
const SHARE: Real = 0.05;
/// In an island of fewer pairs, which is no crowd, each landing meets at its time.
const HEAP: usize = 64;
/// An island of as many pairs in which something lands is a crowd, too, if this share of its bodies moves.
const MOVING: Real = 0.2;
/// What is not within that many contact thresholds of another, and comes to it within the step, is no contact of that step.
const BEYOND: Real = 6.0;
/// Who moves is faster than this share of the speed with which pairs land.
const MOVES: Real = 0.1;
/// Sweeps over the velocities of a crowd. The next step has as much to do again, but what these leave meets within the step.
const SWEEPS: usize = 60;
/// What they may still change, in slow speeds.
const CHANGE: Real = 1.0;
/// A crowd's motions are settled when no gap changes by more than this share of the resting gap.
pub(super) const STILL: Real = 1.0;

/// A pair that may land.
struct Expected {
    landing: Landing,
    /// Whether it approaches faster than contacts do, and gets there.
    fast: bool,
}

impl Stepping {
    /// Takes down which pairs of crowds may land, as far as the predicted motions tell.
    pub(super) fn expect_landings(&mut self, world: &World) {
        if world.in_force.response != ResponseMethod::Shock {
            return;
        }
        // What touches, and does not slide or turn on itself faster than contacts approach, has those that it needs, however fast both go.
        let is_worth_it =
            |pair| self.may_land(world, pair) && (!self.touches(world, pair) || self.slides_fast(world, pair));
        let mut near: Vec<Pair> = self.candidates.iter().filter(|&pair| is_worth_it(pair)).collect();
        // What touches does not land: contacts of meshes that hang together are not worth a look each.
        let may_be_fast = near.iter().filter(|&&pair| self.may_be_fast(world, pair)).count();
        if may_be_fast == 0 || may_be_fast < CROWD && self.close.len() < HEAP {
            return;
        }
        if may_be_fast < CROWD {
            near.retain(|&pair| self.may_be_fast(world, pair));
        }
        let look = |&pair: &Pair| self.expected_landing(world, pair).map(|expected| (pair, expected));
        let mut expected: BTreeMap<Pair, Expected> =
            world.execution_over(near.len()).filter_map(&near, look).into_iter().collect();
        if !expected.values().any(|expected| expected.fast) {
            return;
        }
        let mut all: Vec<Pair> = self.close.keys().chain(expected.keys()).copied().collect();
        all.sort_unstable();
        all.dedup();
        // Where nothing is fast nothing lands. What cannot move is of many islands.
        let mut comes_fast = vec![false; self.courses.len()];
        for &(a, b) in expected.iter().filter(|(_, expected)| expected.fast).map(|(pair, _)| pair) {
            for k in [a, b] {
                comes_fast[k as usize] = self.is_movable(k);
            }
        }
        for island in self.islands_with(&all, |k| [comes_fast[k as usize]; 2]).0 {
            let is_fast = |pair: &&Pair| expected.get(pair).is_some_and(|expected| expected.fast);
            let fast = island.pairs.iter().filter(is_fast).count();
            let lands = fast >= CROWD && fast as Real >= SHARE * island.pairs.len() as Real;
            let is_heap = fast > 0 && island.pairs.len() >= HEAP;
            if !lands && !is_heap {
                continue;
            }
            if lands || self.share_that_moves(world, &island) >= MOVING {
                for &k in &island.bodies {
                    self.crowded[k as usize] = self.is_movable(k);
                }
            }
            for &pair in &island.pairs {
                if let Some(Expected { landing, .. }) = expected.remove(&pair) {
                    self.close.entry(pair).or_default();
                    self.landings.insert(pair, landing);
                }
            }
        }
    }

    /// Which share of an island's bodies moves.
    fn share_that_moves(&self, world: &World, island: &Island) -> Real {
        let (mut movable, mut moving) = (0, 0);
        for &k in island.bodies.iter().filter(|&&k| self.is_movable(k)) {
            let body = self.body(world, k);
            let speed = body.linear_velocity.norm() + rim_speed(body, body.angular_velocity.norm());
            movable += 1;
            moving += usize::from(speed > MOVES * self.landing_speed(world, (k, k)));
        }
        moving as Real / (movable as Real).max(1.0)
    }

    /// Whether the two may come nearer than contacts see, and turn by no more than landings may.
    fn may_land(&self, world: &World, pair: Pair) -> bool {
        let is_awake = |k: u32| {
            let Marks { kind, asleep, .. } = self.marks[k as usize];
            kind != BodyKind::Dynamic || !asleep
        };
        let spin = |k: u32| self.courses[k as usize].motion.angular_velocity.norm();
        let (a, b) = pair;
        !self.is_sensor_pair(pair)
            && is_awake(a)
            && is_awake(b)
            && (self.is_movable(a) || self.is_movable(b))
            && self.way_of(world, pair) > world.in_force.contact_threshold
            && spin(a).max(spin(b)) * self.dt <= REACH
    }

    /// Whether the two do not touch, and may approach faster than contacts do.
    fn may_be_fast(&self, world: &World, pair: Pair) -> bool {
        !self.touches(world, pair) && self.comes_fast(world, pair)
    }

    /// Whether the two may approach faster than contacts do.
    fn comes_fast(&self, world: &World, pair: Pair) -> bool {
        self.way_of(world, pair) > self.landing_speed(world, pair) * self.dt
    }

    /// Whether any place of the two, which touch, may be approached faster than contacts do.
    fn slides_fast(&self, world: &World, pair: Pair) -> bool {
        self.speed_between(world, pair) > self.landing_speed(world, pair)
    }

    /// How fast the two may move with respect to each other anywhere, m/s.
    fn speed_between(&self, world: &World, (a, b): Pair) -> Real {
        relative_speed([a, b].map(|k| (self.body(world, k), &self.courses[k as usize].motion)))
    }

    /// What approaches faster and does not touch comes from where contacts of this step are not: faster than contacts do, or in a
    /// long step from farther than they are looked for, m/s.
    fn landing_speed(&self, world: &World, pair: Pair) -> Real {
        self.impact_speed(world, pair).min(BEYOND * world.in_force.contact_threshold / self.dt)
    }

    /// No two points of the bodies come nearer by more within the step, whichever of the two may be stopped, metres.
    fn way_of(&self, world: &World, (a, b): Pair) -> Real {
        let rim = |k: u32| rim_speed(self.body(world, k), self.courses[k as usize].motion.angular_velocity.norm());
        let [u, v] = [a, b].map(|k| self.courses[k as usize].motion.linear_velocity);
        ((v - u).norm().max(u.norm()).max(v.norm()) + rim(a) + rim(b)) * self.dt
    }

    /// The contacts that the pair may have by the end of the step beside those that it has; `None` if there are none, or it
    /// bounces.
    fn expected_landing(&self, world: &World, pair: Pair) -> Option<Expected> {
        let bodies = [pair.0, pair.1].map(|k| self.body(world, k));
        let poses = bodies.map(|body| body.pose());
        let among_triangles = triangles_reach(bodies, world.in_force.contact_search().dent());
        let reach = bodies.map(|body| REACH * thickness(body)).into_iter().fold(among_triangles, Real::min);
        let way = if self.touches(world, pair) {
            self.speed_between(world, pair) * self.dt
        } else {
            self.way_of(world, pair)
        };
        let margin = way.min(reach) + world.in_force.contact_threshold;
        let (a, b) = ((bodies[0].shape(), poses[0]), (bodies[1].shape(), poses[1]));
        let close = self.close.get(&pair);
        let points = match close {
            Some(close) if close.points.len() == 1 && touch_at_one_place(a.0, b.0) => close.points.clone(),
            Some(close) => close.points_at(a, b, margin),
            None => {
                let mut points = Vec::new();
                find_contacts(a.0, a.1, b.0, b.1, margin, &mut ContactCache::default(), &mut points);
                points
            }
        };
        let known = close.map_or(&[][..], |close| &close.points);
        let motions = [pair.0, pair.1].map(|k| self.courses[k as usize].motion);
        let centres = bodies.map(|body| body.pose() * body.local_centre());
        let may_bounce = self.surfaces(world, pair).restitution() > 0.0;
        let (impact_speed, landing_speed) = (self.impact_speed(world, pair), self.landing_speed(world, pair));
        let (mut time, mut fast) = (self.dt, false);
        let mut landing = Vec::new();
        for point in points {
            let at = |side: usize| {
                let arm = point.midpoint() - centres[side];
                motions[side].linear_velocity + motions[side].angular_velocity.cross(&arm)
            };
            let approach = -(at(1) - at(0)).dot(&point.normal);
            if may_bounce && approach > impact_speed {
                return None;
            }
            let is_same = |p: &ContactPoint| p.features == point.features;
            if approach <= impact_speed && known.iter().any(is_same) {
                continue;
            }
            if point.separation < approach * self.dt {
                time = time.min((point.separation / approach).max(0.0));
                fast |= approach > landing_speed;
            }
            landing.push(LandingPoint::straight(point, poses, centres));
        }
        let is_any = !landing.is_empty();
        is_any.then_some(Expected { landing: Landing::new(time, landing), fast })
    }

    /// Whether the pair is in a crowd that lands. There a ripple is about what has changed: what landings have pushed they go on to,
    /// or every meeting would be felt by all.
    pub(super) fn is_crowded(&self, pair: Pair) -> bool {
        self.crowded[pair.0 as usize] || self.crowded[pair.1 as usize]
    }

    /// What may land in an island joins its system, after the pairs that touch.
    pub(super) fn join_landings(
        &self,
        world: &World,
        island: &Island,
        t: Real,
        system: &mut System,
        owned: &mut Vec<Owned>,
    ) {
        for &pair in island.pairs.iter().filter(|pair| self.landings.contains_key(pair)) {
            let (a, b) = island.local(pair);
            let contacts = self.landing_contacts(world, pair, t, (a, b));
            if !contacts.is_empty() {
                system.add_pair(&contacts);
                owned.push(Owned { pair, a, b });
            }
        }
    }
}

/// Whether two solids have never more than one contact while they are apart: convex ones of which one is all round.
fn touch_at_one_place(a: &Shape, b: &Shape) -> bool {
    let is_convex = |shape: &Shape| matches!(shape, Shape::HalfSpace(_)) || shape.as_convex().is_some();
    let is_round = |shape: &Shape| match shape {
        Shape::Ball(_) => true,
        Shape::Field(FieldShape::Superquadric(solid)) => {
            solid.surface().is_strictly_convex() && !solid.surface().has_flat_sides()
        }
        _ => false,
    };
    is_convex(a) && is_convex(b) && (is_round(a) || is_round(b))
}

/// How long to sweep over the velocities of a crowd.
pub(super) fn velocity_limits(limits: &SweepLimits, slow_speed: Real) -> SweepLimits {
    SweepLimits { velocity: SWEEPS, change: limits.change.max(CHANGE * slow_speed), far: Real::INFINITY, ..*limits }
}

/// What lands is stopped, and not carried: it has the velocity that it is stopped at throughout. `free` are the velocities
/// without contacts.
pub(super) fn stop_motions(system: &mut System, landing: &[Owned], free: &[Velocity], impact_speed: Real) {
    for k in landing.iter().flat_map(|owner| [owner.a, owner.b]) {
        let member = &mut system.members[k];
        if (member.velocity.linear - free[k].linear).norm() > impact_speed {
            member.motion = member.velocity;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says why")]
mod tests {
    use super::*;
    use crate::dynamics::BodyDefinition;
    use crate::math::{Pose, Vector};
    use crate::world::WorldSettings;

    /// How many of a block of 27 unit boxes, 5 mm from each other and from the ground, are in a crowd at the start of a step.
    fn crowded(speed: Real, dt: Real) -> usize {
        let mut world = World::new(WorldSettings::default()).unwrap();
        let at = |x: Real, y: Real, z: Real| Pose::translation(1.005 * x, 0.505 + 1.005 * y, 1.005 * z);
        let cube = |kind, half, pose| BodyDefinition::new(kind, Shape::cuboid(half).unwrap(), pose);
        world.add_body(cube(BodyKind::Static, [9.0, 1.0, 9.0], Pose::translation(0.0, -1.0, 0.0))).unwrap();
        for k in 0..27 {
            let pose = at(Real::from(k % 3), Real::from(k / 9), Real::from(k / 3 % 3));
            let linear_velocity = Vector::new(0.1, -1.0, 0.1) * speed;
            world.add_body(BodyDefinition { linear_velocity, ..cube(BodyKind::Dynamic, [0.5; 3], pose) }).unwrap();
        }
        let mut stepping = Stepping::predict(&world, dt);
        stepping.find_candidates(&world);
        stepping.find_contacts(&world);
        stepping.expect_landings(&world);
        stepping.crowded.iter().filter(|crowded| **crowded).count()
    }

    /// What is known of such a pair is all that a search with a wider margin finds: one contact, however near the other is flat.
    #[test]
    fn what_is_round_touches_what_is_convex_at_one_place_within_any_margin() {
        let round = [
            Shape::ball(0.3).unwrap(),
            Shape::ellipsoid([0.3, 0.2, 0.4]).unwrap(),
            Shape::superquadric([0.3, 0.2, 0.3], [0.6, 1.4]).unwrap(),
        ];
        let others = [
            Shape::half_space(Vector::y()).unwrap(),
            Shape::cuboid([0.4, 0.1, 0.5]).unwrap(),
            Shape::capsule(0.1, 0.4).unwrap(),
            Shape::cylinder(0.3, 0.2).unwrap(),
            Shape::cone(0.3, 0.3).unwrap(),
            Shape::rounded_box([0.2, 0.1, 0.3], 0.05).unwrap(),
        ];
        let mut found = 0;
        for (k, (a, b)) in round.iter().flat_map(|a| others.iter().chain(&round).map(move |b| (a, b))).enumerate() {
            assert!(touch_at_one_place(a, b) && touch_at_one_place(b, a));
            for n in 0..40 {
                let way = |m: usize| ((k * 97 + n * 7 + m) as Real * 12.9898).sin();
                let turn = Vector::new(way(1), way(2), way(3)) * 2.0;
                // Level ones as well, from where they may be in touch on.
                let turn = if n % 4 == 0 { Vector::zeros() } else { turn };
                let pose = Pose::new(Vector::new(0.3 * way(4), 0.2 + 0.4 * way(5).abs(), 0.3 * way(6)), turn);
                let mut points = Vec::new();
                find_contacts(a, &pose, b, &Pose::identity(), 0.05, &mut ContactCache::default(), &mut points);
                if points.iter().any(|p| p.separation <= 0.0) {
                    continue;
                }
                assert!(points.len() <= 1, "{} on {}: {points:?}", a.as_solid().kind(), b.as_solid().kind());
                found += points.len();
            }
        }
        assert!(found > 100, "{found}");
        let boxes = Shape::cuboid([0.4, 0.1, 0.5]).unwrap();
        assert!(!touch_at_one_place(&boxes, &boxes));
        let block = Shape::superquadric([0.3, 0.2, 0.3], [0.2, 0.4]).unwrap();
        assert!(!touch_at_one_place(&block, &boxes) && touch_at_one_place(&block, &round[0]));
    }

    #[test]
    fn what_comes_from_farther_than_contacts_are_looked_for_is_a_crowd_however_slow_contacts_may_be() {
        // In a step of a tenth of a second, contact is what approaches with up to 2 m/s.
        for (speed, dt, expected) in [(0.5, 0.1, 27), (3.0, 0.1, 27), (3.0, 1.0 / 60.0, 27), (0.01, 1.0 / 60.0, 0)] {
            assert_eq!(crowded(speed, dt), expected, "{speed} m/s, {dt} s");
        }
    }
}
