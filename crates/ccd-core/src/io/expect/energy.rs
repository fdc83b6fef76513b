//! The energy audit: kinetic and gravitational energy of the dynamic bodies, and their angular momentum, from the poses.

use super::Frame;
use super::outcome::{Measured, Outcome};
use super::rule::Rule;
use super::subject::{Subject, world_box};
use crate::dynamics::BodyKind;
use crate::math::{Matrix, Point, Real, Vector};

/// The rise of energy that is always allowed, relative to lifting all bodies by the size of the scene: rounding.
const ALLOWED_LIFT: Real = 1e-6;

/// The totals of one frame.
#[derive(Clone, Copy, Debug)]
struct Total {
    t: Real,
    kinetic: Real,
    potential: Real,
    /// About the common centre of mass.
    angular_momentum: Vector,
}

/// What is asked of the energies.
#[derive(Clone, Copy, Debug)]
pub(super) enum EnergyRule {
    NeverRises { rel_tol: Real },
    Stays { rel_tol: Real },
    AngularMomentumStays { rel_tol: Real },
}

impl EnergyRule {
    pub(super) fn of(rule: &Rule) -> Option<Self> {
        match *rule {
            Rule::EnergyNonincreasing { rel_tol } => Some(Self::NeverRises { rel_tol }),
            Rule::EnergyConserved { rel_tol } => Some(Self::Stays { rel_tol }),
            Rule::AngularMomentumConserved { rel_tol } => Some(Self::AngularMomentumStays { rel_tol }),
            _ => None,
        }
    }
}

/// The energies of every frame.
#[derive(Clone, Debug)]
pub(super) struct EnergyLog {
    gravity: Vector,
    totals: Vec<Total>,
    /// For each body the highest place along gravity, as gravity · position, that it can reach or did reach.
    lowest: Vec<Real>,
    /// The mass of each body, kg.
    masses: Vec<Real>,
    /// The size of the scene at the start, metres.
    size: Real,
}

impl EnergyLog {
    pub(super) fn new(gravity: Vector) -> Self {
        Self { gravity, totals: Vec::new(), lowest: Vec::new(), masses: Vec::new(), size: 0.0 }
    }

    pub(super) fn observe(&mut self, subjects: &[Subject], frame: &Frame<'_>, coms: &[Point]) {
        if self.totals.is_empty() {
            self.start(subjects, frame);
        }
        let mut total = Total { t: frame.t, kinetic: 0.0, potential: 0.0, angular_momentum: Vector::zeros() };
        let mut linear_momentum = Vector::zeros();
        let mut moment = Vector::zeros();
        let mut mass = 0.0;
        for (i, (s, state)) in subjects.iter().zip(frame.bodies).enumerate() {
            if s.kind != BodyKind::Dynamic {
                continue;
            }
            let com = coms[i].coords;
            let spin = spin_momentum(s, state);
            let v = state.linear_velocity;
            total.kinetic += 0.5 * s.mass * v.norm_squared() + 0.5 * state.angular_velocity.dot(&spin);
            total.potential -= s.mass * self.gravity.dot(&com);
            total.angular_momentum += s.mass * com.cross(&v) + spin;
            linear_momentum += s.mass * v;
            moment += s.mass * com;
            mass += s.mass;
            self.lowest[i] = self.lowest[i].max(self.gravity.dot(&com));
        }
        if mass > 0.0 {
            // About the common centre, which uniform gravity does not turn: L = Σ (c × mv + Iω) − C × P.
            total.angular_momentum -= (moment / mass).cross(&linear_momentum);
        }
        self.totals.push(total);
    }

    /// Notes how far down the bodies could fall: to the lowest point of what does not fall.
    fn start(&mut self, subjects: &[Subject], frame: &Frame<'_>) {
        let mut floor = Real::NEG_INFINITY;
        let mut bounds = crate::volume::Aabb::EMPTY;
        for (s, state) in subjects.iter().zip(frame.bodies) {
            let aabb = world_box(s, state);
            if s.kind == BodyKind::Dynamic {
                bounds = bounds.merged(&aabb);
                continue;
            }
            let reach = if s.shape.is_bounded() {
                // The box's corner furthest along gravity.
                self.gravity.dot(&aabb.centre().coords) + self.gravity.abs().dot(&aabb.half_extents())
            } else {
                // A ground is as deep as its origin; down a slope only the run itself shows how far bodies come.
                self.gravity.dot(&state.pose.translation.vector)
            };
            floor = floor.max(reach);
        }
        self.lowest = vec![floor; subjects.len()];
        self.masses = subjects.iter().map(|s| if s.kind == BodyKind::Dynamic { s.mass } else { 0.0 }).collect();
        let diagonal = (bounds.max - bounds.min).norm();
        self.size = if diagonal.is_finite() { diagonal } else { 0.0 };
    }

    pub(super) fn totals(&self) -> Vec<Real> {
        self.totals.iter().map(|e| e.kinetic + e.potential).collect()
    }

    pub(super) fn judge(&self, rule: &EnergyRule) -> Outcome {
        let Some(first) = self.totals.first() else { return Outcome::open("no frame was seen") };
        let initial = first.kinetic + first.potential;
        match *rule {
            EnergyRule::NeverRises { rel_tol } => self.judge_rise(initial, rel_tol),
            EnergyRule::Stays { rel_tol } => {
                let change = |e: &Total| (e.kinetic + e.potential - initial).abs();
                self.judge_change("energy", "J", rel_tol, initial.abs().max(first.kinetic), change)
            }
            EnergyRule::AngularMomentumStays { rel_tol } => {
                let start = first.angular_momentum;
                let change = |e: &Total| (e.angular_momentum - start).norm();
                self.judge_change("angular momentum", "kg·m²/s", rel_tol, start.norm(), change)
            }
        }
    }

    /// Every rise above the least energy so far, against what is allowed by then.
    fn judge_rise(&self, initial: Real, rel_tol: Real) -> Outcome {
        let reachable: Real =
            self.masses.iter().zip(&self.lowest).map(|(m, d)| if *m > 0.0 { -m * d } else { 0.0 }).sum();
        let above_lowest = initial - reachable;
        let weight = self.masses.iter().sum::<Real>() * self.gravity.norm();
        let (mut least, mut fastest) = (Real::INFINITY, 0.0_f64);
        let mut worst: Option<(Real, Real, Real, Real)> = None;
        for e in &self.totals {
            let energy = e.kinetic + e.potential;
            least = least.min(energy);
            fastest = fastest.max(e.kinetic);
            let rise = energy - least;
            let allowed = rel_tol * fastest.max(above_lowest) + ALLOWED_LIFT * weight * self.size;
            let excess = rise - allowed;
            if !excess.is_finite() || worst.is_none_or(|(most, ..)| excess > most) {
                worst = Some((excess, rise, allowed, e.t));
                if !excess.is_finite() {
                    break;
                }
            }
        }
        match worst {
            None => Outcome::open("no frame was seen"),
            Some((excess, rise, allowed, t)) => {
                let why = format!("rose by {rise:e} J by t = {t} s, allowed {allowed:e} J");
                Outcome::judged(excess <= 0.0, Measured::Number(rise), why)
            }
        }
    }

    fn judge_change(
        &self,
        what: &str,
        unit: &str,
        rel_tol: Real,
        initial: Real,
        change: impl Fn(&Total) -> Real,
    ) -> Outcome {
        let mut worst = (0.0, 0.0);
        for e in &self.totals {
            let c = change(e);
            if !c.is_finite() || c > worst.0 {
                worst = (c, e.t);
                if !c.is_finite() {
                    break;
                }
            }
        }
        let allowed = rel_tol * initial;
        let why = format!("{what} changed by {:e} {unit} by t = {} s, allowed {allowed:e} {unit}", worst.0, worst.1);
        Outcome::judged(worst.0 <= allowed, Measured::Number(worst.0), why)
    }
}

/// R I Rᵀ ω, kg·m²/s.
fn spin_momentum(s: &Subject, state: &super::BodyState) -> Vector {
    let rotation: Matrix = state.pose.rotation.to_rotation_matrix().into_inner();
    rotation * (s.inertia * (rotation.transpose() * state.angular_velocity))
}
