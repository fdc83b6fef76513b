//! Isolated islands: what nothing from outside acts on keeps its momentum.
//!
//! **Problem.** Contacts push both bodies at one place, as they are at the instant of a solve. What turns or slides meanwhile is elsewhere
//! at the end of the motion, and with it the place and the lever: what touches in the air would win and lose
//! angular momentum, a little in each step.
//!
//! **Idea.** An island without anything fixed has at the end of a step the linear and the angular momentum that it began with, and what a uniform
//! field like gravity gives it. What is missing is given to all of its bodies as one rigid motion, which changes no velocity of a contact.
//!
//! **Energy.** A rigid motion with that momentum holds the least energy that there may be with it, and the [audit](super::audit) takes what is
//! over. Where even the least is more than the island began with and forces have given it, bodies that whirl have been led to where they could not have
//! come: they get as much of the momentum as has the energy that there is.
//!
//! **Guided** alike, as all bodies of a game in a plane are, they keep what no guide takes: momentum along axes that all can move along, and angular
//! momentum about those that all can turn about, if they can move across them.
//!
//! **Not isolated** is what is held, guided along different axes, turned by torques, slowed by damping, or pushed by forces that are not as its mass.
//!
//! **Cost.** Linear in the bodies of islands without anything fixed.

use super::World;
use super::course::velocity_of;
use super::islands::Island;
use super::stepping::Stepping;
use crate::dynamics::{Body, BodyKind, LockedAxes, kinetic_energy, steady_force};
use crate::math::{Matrix, Point, Pose, Real, Vector};
use crate::response::impulse::Velocity;

/// Accelerations that differ by less than this share of themselves are one field's.
const ONE_FIELD: Real = 1e-12;
/// Energy that is more by this share is so by rounding.
const ROUNDING: Real = 1e-9;

/// A body at an instant.
struct State {
    mass: Real,
    centre: Point,
    /// About the centre, world axes, kg·m².
    inertia: Matrix,
    velocity: Velocity,
}

impl State {
    fn of(body: &Body, pose: &Pose, velocity: Velocity) -> Self {
        let (mass, centre) = (body.mass_properties().mass, pose * body.local_centre());
        Self { mass, centre, inertia: body.inertia(pose), velocity }
    }
}

/// Bodies as if they were one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    /// kg.
    mass: Real,
    /// The centre of mass.
    centre: Point,
    /// The velocity of the centre, m/s.
    linear: Vector,
    /// The angular momentum about the centre, N·m·s.
    spin: Vector,
    /// About the centre, kg·m².
    inertia: Matrix,
    /// One for each axis that its momentum along stays, and for each that its angular momentum about stays, zero for the others.
    kept: [Vector; 2],
}

/// A rigid motion.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shared {
    centre: Point,
    /// At the centre.
    velocity: Velocity,
}

impl Whole {
    /// Of bodies that are guided alike.
    fn of(states: &[State], guides: LockedAxes) -> Self {
        let (mut mass, mut middle, mut momentum) = (0.0, Vector::zeros(), Vector::zeros());
        for state in states {
            mass += state.mass;
            middle += state.centre.coords * state.mass;
            momentum += state.velocity.linear * state.mass;
        }
        let centre = (middle / mass).into();
        let mut whole = Self { mass, centre, linear: momentum / mass, kept: kept_by(guides), ..Self::default() };
        for State { mass, centre, inertia, velocity } in states {
            let arm = centre - whole.centre;
            whole.inertia += inertia + (Matrix::identity() * arm.norm_squared() - arm * arm.transpose()) * *mass;
            whole.spin += inertia * velocity.angular + arm.cross(&((velocity.linear - whole.linear) * *mass));
        }
        whole
    }

    /// The rigid motion that has its momentum, as far as guides leave it; `None` where rounding leaves no inertia.
    pub fn shared_motion(&self) -> Option<Shared> {
        let [along, about] = self.kept;
        let free = Matrix::from_diagonal(&about);
        let inertia = free * self.inertia * free + (Matrix::identity() - free) * self.inertia.trace();
        let angular = inertia.cholesky()?.solve(&(free * self.spin));
        Some(Shared { centre: self.centre, velocity: Velocity { linear: self.linear.component_mul(&along), angular } })
    }

    /// The kinetic energy of a rigid motion about its centre, joules.
    fn energy(&self, motion: &Shared) -> Real {
        let Velocity { linear, angular } = &motion.velocity;
        0.5 * (self.mass * linear.norm_squared() + angular.dot(&(self.inertia * angular)))
    }
}

/// What stays of momentum along axes, and of angular momentum about them, where bodies are guided so.
fn kept_by(LockedAxes { translation, rotation }: LockedAxes) -> [Vector; 2] {
    let one_if = |is_kept: bool| if is_kept { 1.0 } else { 0.0 };
    let turns = |k: usize| !rotation[k] && !translation[(k + 1) % 3] && !translation[(k + 2) % 3];
    [Vector::from_fn(|k, _| one_if(!translation[k])), Vector::from_fn(|k, _| one_if(turns(k)))]
}

impl Shared {
    /// Without a turn, m/s.
    pub fn gliding(linear: Vector) -> Self {
        Self { centre: Point::origin(), velocity: Velocity { linear, angular: Vector::zeros() } }
    }

    /// At a place.
    pub fn at(&self, place: &Point) -> Velocity {
        let Velocity { linear, angular } = self.velocity;
        Velocity { linear: linear + angular.cross(&(place - self.centre)), angular }
    }
}

/// The share of its way that a quadratic energy can go so as not to be more than `most`, joules: from the first of three to the second, where the
/// third is what the whole way would have from rest.
fn share_within(most: Real, [first, last, way]: [Real; 3]) -> Real {
    if last <= most * (1.0 + ROUNDING) {
        return 1.0;
    }
    // first + slope·s + way·s² = most
    let (slope, over) = (last - first - way, first - most);
    if over >= 0.0 || way <= 0.0 {
        return 0.0;
    }
    let root = (slope * slope - 4.0 * way * over).sqrt();
    // The larger root, without the difference of what is all but equal.
    if slope > 0.0 { -2.0 * over / (slope + root) } else { (root - slope) / (2.0 * way) }
}

impl Stepping {
    /// The bodies of an island at the end of the step; `None` where some of them cannot move, or not along the axes that others can.
    pub(super) fn whole_of(&self, world: &World, island: &Island) -> Option<Whole> {
        let guides = self.guides_of(world, island)?;
        let at_end = |&k: &u32| {
            let (body, course) = (self.body(world, k), &self.courses[k as usize]);
            State::of(body, &course.pose_at(self.dt), course.end)
        };
        Some(Whole::of(&island.bodies.iter().map(at_end).collect::<Vec<_>>(), guides))
    }

    /// The axes that none of an island's bodies can move along and turn about; `None` where they differ in that, or something is held.
    fn guides_of(&self, world: &World, island: &Island) -> Option<LockedAxes> {
        let guides = self.body(world, *island.bodies.first()?).locked_axes();
        let is_loose = |&k: &u32| {
            let (body, course) = (self.body(world, k), &self.courses[k as usize]);
            body.kind() == BodyKind::Dynamic && body.locked_axes() == guides && !course.held
        };
        island.bodies.iter().all(is_loose).then_some(guides)
    }

    /// Gives the bodies of an isolated island, as one, what they lack of the momentum that they have to end the step with, as far as their energy goes.
    pub(super) fn keep_momentum(&mut self, world: &World, island: &Island) {
        let Some(acceleration) = self.field_around(world, island) else { return };
        let Some(after) = self.whole_of(world, island) else { return };
        let bodies = || island.bodies.iter().map(|&k| self.body(world, k));
        let at_start = |body: &Body| State::of(body, body.pose(), velocity_of(body));
        let Some(guides) = self.guides_of(world, island) else { return };
        let before = Whole::of(&bodies().map(at_start).collect::<Vec<_>>(), guides);
        let due = Whole { linear: before.linear + acceleration * self.dt, spin: before.spin, ..after };
        let (Some(has), Some(wanted)) = (after.shared_motion(), due.shared_motion()) else { return };
        let kinetic = |body: &Body| kinetic_energy(body, body.pose(), body.linear_velocity(), body.angular_velocity());
        let work = acceleration.dot(&(after.centre - before.centre)) * after.mass;
        let most = bodies().map(kinetic).sum::<Real>() + work;
        let missing = wanted.velocity - has.velocity;
        let share = share_within(
            most,
            [after.energy(&has), due.energy(&wanted), after.energy(&Shared { velocity: missing, ..has })],
        );
        let missing = Shared { velocity: missing * share, ..has };
        if share == 0.0 || !missing.velocity.is_finite() {
            return;
        }
        for &k in &island.bodies {
            let place = self.courses[k as usize].pose_at(self.dt) * self.body(world, k).local_centre();
            self.courses[k as usize].end += missing.at(&place);
        }
    }

    /// The acceleration that all bodies of an island have from a uniform field, m/s²; `None` where other forces act on any of them.
    fn field_around(&self, world: &World, island: &Island) -> Option<Vector> {
        let mut field: Option<Vector> = None;
        for &k in &island.bodies {
            let body = self.body(world, k);
            if body.kind() != BodyKind::Dynamic
                || body.torque != Vector::zeros()
                || [body.linear_damping, body.angular_damping] != [0.0; 2]
            {
                return None;
            }
            let own = steady_force(body, &world.in_force.gravity) / body.mass_properties().mass;
            if (own - *field.get_or_insert(own)).norm() > ONE_FIELD * own.norm() {
                return None;
            }
        }
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_way_in_velocity_so_much_is_gone_as_has_the_energy() {
        // A mass of 2 kg from v to w m/s: v², w² and (w − v)² joules.
        for (v, w, most) in [(1.0, 3.0, 4.0), (-1.0, 3.0, 4.0), (-1.9, 3.0, 4.0), (0.0, 3.0, 1.0), (1.9999, 3.0, 4.0)] {
            let share = share_within(most, [v * v, w * w, Real::powi(w - v, 2)]);
            let reached: Real = v + share * (w - v);
            assert!((reached * reached - most).abs() < 1e-12 && reached > 0.0, "{v} {w}: {reached}");
        }
        assert_eq!(share_within(10.0, [1.0, 9.0, 4.0]), 1.0);
        assert_eq!(share_within(0.5, [1.0, 9.0, 4.0]), 0.0, "there is too much already");
    }
}
