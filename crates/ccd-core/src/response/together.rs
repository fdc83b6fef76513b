//! The static-then-sliding test (errata E10, E12) for a pair that touches at several points.
//!
//! Several points share what one could bear alone, and swept one after the other the first takes more than its share: a plank that
//! falls onto an edge would be left spinning about its length. So all of them are brought to where they are to be at once, by the
//! least impulses that do it: first so that all stick; if one of these lies outside its cone, so that all go on sliding. Only where
//! neither holds are they swept.

use nalgebra::{SMatrix, SVector, SymmetricEigen};

use super::impulse::{Inertia, Velocity};
use super::sequential::SolverContact;
use crate::math::{Matrix, Real, Vector, skew};

type Twist = SVector<Real, 6>;
type Response = SMatrix<Real, 6, 6>;

/// Motions that the points resist by less than this share of the most are free: turning about the line that all lie on.
const FREE: Real = 1e-9;
/// What bodies that do not bend leave of the wished velocities, as a share of the largest, is rounding.
const ROUNDING: Real = 1e-9;

/// An inverse is one if its product with the matrix is off by less than this.
const REGULAR: Real = 1e-6;

/// Rounds of the search for what is resisted: a handful are usual, and numbers that are none would take them without end.
const MOST_ROUNDS: usize = 1000;

/// The impulses on B, N·s, world, that give each contact of a pair its least velocity, if all stick, or if all slide on the way they slid
/// before; from the given velocities of A and B. `None` where neither is within the laws of contact, and where no motion of rigid bodies has
/// all these velocities. Cost: constant, and some more for each contact.
pub(super) fn stick_or_slide(
    inertia: [&Inertia; 2],
    velocities: [&Velocity; 2],
    contacts: &[SolverContact],
) -> Option<Vec<Vector>> {
    if contacts.iter().any(|c| c.friction == 0.0) {
        return None;
    }
    let pair = PairMotion::new(inertia, velocities, contacts)?;
    pair.stick(contacts).or_else(|| pair.slide(contacts))
}

/// How the points of a pair move with its bodies. Twists and wrenches are about the middle of the points; angles are counted in arcs at the
/// furthest point, so that all have one unit.
struct PairMotion {
    /// The velocity of each point per twist.
    points: Vec<SMatrix<Real, 3, 6>>,
    /// The relative twist before, m/s.
    before: Twist,
    /// What a wrench changes it by, 1/kg.
    response: Response,
}

/// A wish: a velocity that is to be had, and what the load that serves it does.
struct Wish {
    /// The velocity per twist.
    row: Twist,
    /// The wrench per load.
    wrench: Twist,
    /// m/s.
    goal: Real,
}

impl PairMotion {
    /// `None` where all points are one.
    fn new([a, b]: [&Inertia; 2], [v_a, v_b]: [&Velocity; 2], contacts: &[SolverContact]) -> Option<Self> {
        let count = contacts.len() as Real;
        let middle = |arm: &dyn Fn(&SolverContact) -> Vector| contacts.iter().map(arm).sum::<Vector>() / count;
        let (r_a, r_b) = (middle(&|c| c.r_a), middle(&|c| c.r_b));
        let reach = contacts.iter().map(|c| (c.r_a - r_a).norm()).fold(0.0, Real::max);
        if reach <= 0.0 {
            return None;
        }
        let velocity_of = |c: &SolverContact| {
            let mut velocity = SMatrix::<Real, 3, 6>::zeros();
            velocity.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix::identity());
            velocity.fixed_view_mut::<3, 3>(0, 3).copy_from(&-skew(&((c.r_a - r_a) / reach)));
            velocity
        };
        let linear = v_b.at(&r_b) - v_a.at(&r_a);
        let angular = (v_b.angular - v_a.angular) * reach;
        Some(Self {
            points: contacts.iter().map(velocity_of).collect(),
            before: Twist::from_fn(|k, _| if k < 3 { linear[k] } else { angular[k - 3] }),
            response: response_of(a, &r_a, reach) + response_of(b, &r_b, reach),
        })
    }

    /// The impulses with which every contact ends at its least velocity and does not slide, if all lie in their cones.
    fn stick(&self, contacts: &[SolverContact]) -> Option<Vec<Vector>> {
        let mut wishes = Vec::with_capacity(3 * contacts.len());
        for (c, velocity) in contacts.iter().zip(&self.points) {
            let goal = c.goal();
            wishes.extend((0..3).map(|axis| {
                let row = velocity.row(axis).transpose();
                Wish { row, wrench: row, goal: goal[axis] }
            }));
        }
        let (loads, _) = self.serve(&wishes)?;
        let impulses: Vec<Vector> = loads.chunks_exact(3).map(Vector::from_column_slice).collect();
        let sticks = |(c, j): (&SolverContact, &Vector)| {
            let along = j.dot(&c.normal);
            along >= 0.0 && (j - c.normal * along).norm() <= c.friction * along
        };
        contacts.iter().zip(&impulses).all(sticks).then_some(impulses)
    }

    /// The impulses with which every contact has its least velocity along the normal and its friction opposes the sliding before, if all
    /// press and none is turned back.
    fn slide(&self, contacts: &[SolverContact]) -> Option<Vec<Vector>> {
        let mut directions = Vec::with_capacity(contacts.len());
        for (c, velocity) in contacts.iter().zip(&self.points) {
            let sliding = velocity * self.before - c.goal();
            directions.push((sliding - c.normal * sliding.dot(&c.normal)).try_normalize(0.0)?);
        }
        let impulse = |k: usize| contacts[k].normal - directions[k] * contacts[k].friction;
        let wish = |k: usize| Wish {
            row: self.points[k].transpose() * contacts[k].normal,
            wrench: self.points[k].transpose() * impulse(k),
            goal: contacts[k].least_velocity,
        };
        let wishes: Vec<Wish> = (0..contacts.len()).map(wish).collect();
        let (loads, after) = self.serve(&wishes)?;
        let goes_on = |k: usize| (self.points[k] * after - contacts[k].goal()).dot(&directions[k]) >= 0.0;
        let is_lawful = (0..contacts.len()).all(|k| loads[k] >= 0.0 && goes_on(k));
        is_lawful.then(|| (0..contacts.len()).map(|k| impulse(k) * loads[k]).collect())
    }

    /// The loads that serve all wishes, as even as these allow, and the twist after them; `None` where bodies that do not bend cannot have
    /// all.
    fn serve(&self, wishes: &[Wish]) -> Option<(Vec<Real>, Twist)> {
        let resisted: Response = wishes.iter().map(|w| w.row * w.row.transpose()).sum();
        let wrenches: Response = wishes.iter().map(|w| w.wrench * w.row.transpose()).sum();
        let wished: Twist = wishes.iter().map(|w| w.row * w.goal).sum();
        // Only what the points resist can be asked of them; what is free stays as it is.
        let eigen = SymmetricEigen::try_new(resisted, Real::EPSILON, MOST_ROUNDS)?;
        let cut = FREE * eigen.eigenvalues.max();
        let (mut basis, mut inverse, mut free) = (Response::zeros(), Twist::zeros(), Response::identity());
        for k in (0..6).filter(|&k| eigen.eigenvalues[k] > cut) {
            basis.set_column(k, &eigen.eigenvectors.column(k));
            inverse[k] = eigen.eigenvalues[k].recip();
            free[(k, k)] = 0.0;
        }
        let lacking = (basis.transpose() * wished).component_mul(&inverse) - basis.transpose() * self.before;
        let answer = basis.transpose() * self.response * wrenches * basis;
        let answer = answer + free;
        let asks = answer.try_inverse()?;
        // Of what only rounding answers, as along locked axes, there is no inverse.
        if (answer * asks - Response::identity()).amax() > REGULAR {
            return None;
        }
        let spread = basis * (asks * lacking);
        let after = self.before + self.response * (wrenches * spread);
        let largest = wishes.iter().map(|w| w.goal.abs()).fold(self.before.norm(), Real::max);
        let has_all = wishes.iter().all(|w| (w.row.dot(&after) - w.goal).abs() <= ROUNDING * largest);
        has_all.then(|| (wishes.iter().map(|w| w.row.dot(&spread)).collect(), after))
    }
}

/// What a wrench about the point `r` from a body's centre does to its twist there; angles are multiplied by `reach` and torques divided
/// by it.
fn response_of(body: &Inertia, r: &Vector, reach: Real) -> Response {
    let arm = skew(r);
    let turning = body.inverse_inertia;
    let mut response = Response::zeros();
    response.fixed_view_mut::<3, 3>(0, 0).copy_from(&body.k_matrix(r));
    response.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-arm * turning * reach));
    response.fixed_view_mut::<3, 3>(3, 0).copy_from(&(turning * arm * reach));
    response.fixed_view_mut::<3, 3>(3, 3).copy_from(&(turning * (reach * reach)));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Point, Rotation};
    use crate::response::impact::{ImpactLaw, ImpactPoint, resolve_impact};

    /// A plank of 1 kg, 1 m × 2 cm × 2 cm, tilted about z, and its lower edge.
    fn plank(tilt: Real) -> (Inertia, [Vector; 2]) {
        let rotation = Rotation::from_scaled_axis(Vector::z() * tilt);
        let turn = rotation.to_rotation_matrix().into_inner();
        let (long, thin) = ((1.0 + 0.0004) / 12.0, 0.0008 / 12.0);
        let moments = Vector::new(long, thin, long).map(Real::recip);
        let inertia = Inertia {
            centre: Point::origin(),
            inverse_mass: Vector::repeat(1.0),
            inverse_inertia: turn * Matrix::from_diagonal(&moments) * turn.transpose(),
        };
        (inertia, [-0.01, 0.01].map(|z| rotation * Vector::new(-0.01, -0.5, z)))
    }

    /// The plank's velocity after its edge, or the middle of it, has struck the ground.
    fn struck(tilt: Real, [friction, restitution]: [Real; 2], linear: Vector, whole_edge: bool) -> Velocity {
        let (plank, corners) = plank(tilt);
        let ground = Inertia::immovable(Point::origin());
        let law = ImpactLaw { friction, restitution, restitution_threshold: 0.0 };
        let at =
            |r: Vector| ImpactPoint { a: 0, b: 1, r_a: r, r_b: r, normal: Vector::y(), law, goal: Vector::zeros() };
        let mut velocities = [Velocity::default(), Velocity { linear, angular: Vector::zeros() }];
        let middle = 0.5 * (corners[0] + corners[1]);
        let points = if whole_edge { corners.map(at).to_vec() } else { vec![at(middle)] };
        resolve_impact(&[&ground, &plank], &mut velocities, &points);
        velocities[1]
    }

    #[test]
    fn a_plank_that_falls_onto_an_edge_answers_as_in_the_plane_and_does_not_spin_about_its_length() {
        for tilt in [0.1, 0.3, 0.7, 1.2, -0.5] {
            for friction in [0.1, 0.6, 2.0] {
                for restitution in [0.0, 0.5] {
                    for speed in [3.0, 0.3, -0.3, -3.0] {
                        let falls = Vector::new(speed, -2.0, 0.0);
                        let [one, two] = [false, true].map(|edge| struck(tilt, [friction, restitution], falls, edge));
                        let off = (one.linear - two.linear).norm().max((one.angular - two.angular).norm());
                        // What is swept ends within a share of 1e-10 a sweep.
                        assert!(off < 1e-7, "tilt {tilt}, μ {friction}, {speed} m/s: {two:?} is not {one:?}");
                    }
                }
            }
        }
    }
}
