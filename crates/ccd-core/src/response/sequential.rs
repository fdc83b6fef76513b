//! Many contacts at once: warm-started sequential impulses with Coulomb friction.
//!
//! Velocities and motion are solved apart: the velocity pass lets no contact approach faster than its gap allows; the
//! motion pass then moves bodies out to the wanted gap without giving them velocity, so that recovering a gap feeds no energy.

use nalgebra::{Matrix2, Vector2};

use super::impulse::{Inertia, Velocity};
use crate::math::{Matrix, Real, Vector, orthonormal_basis};

/// A body as the solver sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverBody {
    /// Its inertia at the solve's instant.
    pub inertia: Inertia,
    /// Its velocity at the end of the interval.
    pub velocity: Velocity,
    /// The constant velocity it moves with over the interval.
    pub motion: Velocity,
}

/// One contact point between two solver bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverContact {
    /// Index of A.
    pub a: usize,
    /// Index of B.
    pub b: usize,
    /// From A's centre of mass to the contact, metres.
    pub r_a: Vector,
    /// From B's centre of mass to the contact, metres.
    pub r_b: Vector,
    /// Unit, from A to B.
    pub normal: Vector,
    /// Coulomb's μ.
    pub friction: Real,
    /// The least normal velocity at the interval's end, m/s (negative while a gap is left).
    pub least_velocity: Real,
    /// The least normal velocity of the motion, m/s.
    pub least_motion: Real,
    /// Accumulated impulse on B: normal, and two tangential parts in the basis of the normal; N·s.
    pub impulse: [Real; 3],
}

impl SolverContact {
    /// The impulse on B as a vector, N·s, world.
    pub fn total_impulse(&self) -> Vector {
        let (t1, t2) = orthonormal_basis(&self.normal);
        self.normal * self.impulse[0] + t1 * self.impulse[1] + t2 * self.impulse[2]
    }

    /// The velocity of B's point relative to A's, m/s, world.
    pub fn relative_velocity(&self, bodies: &[SolverBody]) -> Vector {
        bodies[self.b].velocity.at(&self.r_b) - bodies[self.a].velocity.at(&self.r_a)
    }
}

/// How long to sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepLimits {
    /// The most sweeps over the velocities.
    pub velocity: usize,
    /// The most sweeps over the motion.
    pub motion: usize,
    /// Sweeping ends when no contact's velocity changes by more than this, m/s.
    pub change: Real,
}

/// A contact with what does not change during the sweeps.
struct Row {
    inertia: [Inertia; 2],
    tangents: [Vector; 2],
    inverse_normal: Real,
    /// The inverse of the tangential response: what sticking takes.
    inverse_tangent: Matrix2<Real>,
    /// The inverse of its largest eigenvalue. A step by it is the same in all directions, so that a sliding contact comes to
    /// oppose the sliding; steps of different lengths along the axes would let it rest askew.
    inverse_sliding: Real,
    motion_impulse: Real,
}

/// Contacts with their rows, and the patches that they form.
struct System<'c> {
    contacts: &'c mut [SolverContact],
    rows: Vec<Row>,
    patches: Vec<Patch>,
}

impl<'c> System<'c> {
    fn new(
        bodies: &[SolverBody],
        contacts: &'c mut [SolverContact],
        frozen: impl Fn(&SolverContact) -> [bool; 2],
    ) -> Self {
        let rows: Vec<Row> = contacts.iter().map(|c| row(bodies, c, frozen(c))).collect();
        let mut patches = Vec::new();
        let mut start = 0;
        for group in contacts.chunk_by(|x, y| x.a == y.a && x.b == y.b && x.normal.dot(&y.normal) > 1.0 - 1e-12) {
            patches.push(Patch::new(start, group, &rows[start].inertia));
            start += group.len();
        }
        Self { contacts, rows, patches }
    }

    /// One turn of every contact; returns the largest change of a contact's velocity, m/s.
    fn sweep(&mut self, bodies: &mut [SolverBody]) -> Real {
        let mut largest: Real = 0.0;
        for patch in &self.patches {
            let (contacts, rows) = (&mut self.contacts[patch.range()], &self.rows[patch.range()]);
            match patch.press_together(bodies, contacts, rows) {
                Some(change) => largest = largest.max(change),
                None => {
                    for (c, row) in contacts.iter_mut().zip(rows) {
                        largest = largest.max(press(bodies, c, row));
                    }
                }
            }
            for (c, row) in contacts.iter_mut().zip(rows) {
                largest = largest.max(rub(bodies, c, row));
            }
        }
        largest
    }
}

/// Solves in place and returns the number of velocity sweeps.
///
/// Impulses given in `contacts` are the warm start and are replaced by the solution. Contacts are swept in the order given,
/// best from the ground up. `levels` says for each body how far it is from what cannot move; where the sweeps end before
/// they have converged, shock propagation finishes from the ground up: each body in turn is solved as if what is nearer to
/// the ground were part of it. Bodies of the same level are solved together, and in an island without ground all levels are
/// the same, so that nothing is frozen there (erratum E11).
pub fn solve(bodies: &mut [SolverBody], contacts: &mut [SolverContact], levels: &[u32], limits: &SweepLimits) -> usize {
    let mut system = System::new(bodies, contacts, |_| [false; 2]);
    for (c, row) in system.contacts.iter().zip(&system.rows) {
        push_velocity(bodies, c, row, &c.total_impulse());
    }
    let mut sweeps = 0;
    let mut largest = Real::INFINITY;
    while sweeps < limits.velocity && largest > limits.change {
        sweeps += 1;
        largest = system.sweep(bodies);
    }
    if largest > limits.change {
        propagate_shock(bodies, contacts, levels, limits);
    }
    sweeps
}

/// Solves level by level with everything below frozen. The impulses found count for this interval only: the next one starts
/// warm from what the sweeps found, which conserves momentum.
fn propagate_shock(bodies: &mut [SolverBody], contacts: &[SolverContact], levels: &[u32], limits: &SweepLimits) {
    let level = |c: &SolverContact| levels[c.a].max(levels[c.b]);
    let mut ascending = contacts.to_vec();
    ascending.sort_by_key(level);
    for group in ascending.chunk_by_mut(|x, y| level(x) == level(y)) {
        let mut system = System::new(bodies, group, |c| [levels[c.a] < levels[c.b], levels[c.b] < levels[c.a]]);
        for _ in 0..limits.velocity {
            if system.sweep(bodies) <= limits.change {
                break;
            }
        }
    }
}

/// Moves the motions apart until every contact's motion is as wanted, as far as `limits` go, from the ground up: only the
/// body that is further from the ground moves. To be called after [`solve`], when the caller has set the motions.
pub fn solve_motion(bodies: &mut [SolverBody], contacts: &[SolverContact], levels: &[u32], limits: &SweepLimits) {
    let mut rows: Vec<Row> =
        contacts.iter().map(|c| row(bodies, c, [levels[c.a] < levels[c.b], levels[c.b] < levels[c.a]])).collect();
    for _ in 0..limits.motion {
        let mut largest: Real = 0.0;
        for (c, row) in contacts.iter().zip(&mut rows) {
            if row.inverse_normal == 0.0 {
                continue;
            }
            let (a, b) = (&bodies[c.a].motion, &bodies[c.b].motion);
            let along = (b.at(&c.r_b) - a.at(&c.r_a)).dot(&c.normal);
            let total = (row.motion_impulse + (c.least_motion - along) * row.inverse_normal).max(0.0);
            let change = total - row.motion_impulse;
            row.motion_impulse = total;
            if change != 0.0 {
                let impulse = c.normal * change;
                row.inertia[0].apply(&mut bodies[c.a].motion, &-impulse, &c.r_a);
                row.inertia[1].apply(&mut bodies[c.b].motion, &impulse, &c.r_b);
                largest = largest.max((change / row.inverse_normal).abs());
            }
        }
        if largest <= limits.change {
            break;
        }
    }
}

fn row(bodies: &[SolverBody], c: &SolverContact, frozen: [bool; 2]) -> Row {
    let seen = |body: usize, frozen: bool| {
        let inertia = bodies[body].inertia;
        if frozen { Inertia::immovable(inertia.centre) } else { inertia }
    };
    let inertia = [seen(c.a, frozen[0]), seen(c.b, frozen[1])];
    let k = inertia[0].k_matrix(&c.r_a) + inertia[1].k_matrix(&c.r_b);
    let (t1, t2) = orthonormal_basis(&c.normal);
    let along = |d: &Vector| d.dot(&(k * d));
    let inverse = |k: Real| if k > 0.0 { k.recip() } else { 0.0 };
    let (k1, k2) = (k * t1, k * t2);
    let tangent = Matrix2::new(t1.dot(&k1), t1.dot(&k2), t2.dot(&k1), t2.dot(&k2));
    Row {
        inertia,
        tangents: [t1, t2],
        inverse_normal: inverse(along(&c.normal)),
        inverse_tangent: tangent.try_inverse().unwrap_or_else(Matrix2::zeros),
        inverse_sliding: inverse(
            0.5 * tangent.trace() + (0.25 * (tangent.m11 - tangent.m22).powi(2) + tangent.m12.powi(2)).sqrt(),
        ),
        motion_impulse: 0.0,
    }
}

fn push_velocity(bodies: &mut [SolverBody], c: &SolverContact, row: &Row, impulse: &Vector) {
    row.inertia[0].apply(&mut bodies[c.a].velocity, &-impulse, &c.r_a);
    row.inertia[1].apply(&mut bodies[c.b].velocity, impulse, &c.r_b);
}

/// The normal part of one contact's turn; returns how much its velocity changed, m/s.
fn press(bodies: &mut [SolverBody], c: &mut SolverContact, row: &Row) -> Real {
    if row.inverse_normal == 0.0 {
        return 0.0;
    }
    let total =
        (c.impulse[0] + (c.least_velocity - c.relative_velocity(bodies).dot(&c.normal)) * row.inverse_normal).max(0.0);
    let change = total - c.impulse[0];
    c.impulse[0] = total;
    push_velocity(bodies, c, row, &(c.normal * change));
    (change / row.inverse_normal).abs()
}

/// The frictional part of one contact's turn; returns how much its velocity changed, m/s.
fn rub(bodies: &mut [SolverBody], c: &mut SolverContact, row: &Row) -> Real {
    if c.friction == 0.0 || row.inverse_sliding == 0.0 {
        return 0.0;
    }
    let v = c.relative_velocity(bodies);
    let sliding = Vector2::new(v.dot(&row.tangents[0]), v.dot(&row.tangents[1]));
    let (former, limit) = (Vector2::new(c.impulse[1], c.impulse[2]), c.friction * c.impulse[0]);
    let mut wanted = former - row.inverse_tangent * sliding;
    if wanted.norm() > limit {
        wanted = (former - sliding * row.inverse_sliding).cap_magnitude(limit);
    }
    let change = wanted - former;
    (c.impulse[1], c.impulse[2]) = (wanted.x, wanted.y);
    push_velocity(bodies, c, row, &(row.tangents[0] * change.x + row.tangents[1] * change.y));
    change.norm() / row.inverse_sliding
}

/// Contacts of one pair in one plane: their normal impulses are solved together.
///
/// More than three of them have no unique loads. One by one they would settle at loads that depend on their order, and
/// friction at such loads would turn a body that ought to slide straight. Together they get the least loads that do the
/// work, which are spread as evenly as the wrench allows.
struct Patch {
    start: usize,
    len: usize,
    block: Option<Block>,
}

/// The inverse of the patch's response: loads are affine over the plane, as velocities are.
struct Block {
    /// For each contact 1 and its two coordinates in the plane.
    places: Vec<Vector>,
    /// (GᵀG)⁻¹ of the places.
    inverse_gram: Matrix,
    /// The inverse of the velocities (along the normal, and about two axes in the plane) per wrench.
    inverse_response: Matrix,
}

impl Patch {
    fn new(start: usize, contacts: &[SolverContact], inertia: &[Inertia; 2]) -> Self {
        Self { start, len: contacts.len(), block: Block::new(contacts, inertia) }
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.len
    }

    /// The normal part of the patch's turn, if all contacts press; returns the largest change of velocity, m/s.
    fn press_together(&self, bodies: &mut [SolverBody], contacts: &mut [SolverContact], rows: &[Row]) -> Option<Real> {
        let block = self.block.as_ref()?;
        let (mut wrench, mut lacking, mut largest) = (Vector::zeros(), Vector::zeros(), 0.0_f64);
        for (c, place) in contacts.iter().zip(&block.places) {
            let lack = c.least_velocity - c.relative_velocity(bodies).dot(&c.normal);
            wrench += place * c.impulse[0];
            lacking += place * lack;
            largest = largest.max(lack.abs());
        }
        let change = block.inverse_response * (block.inverse_gram * lacking);
        let loads = block.inverse_gram * (wrench + change);
        if block.places.iter().any(|place| place.dot(&loads) < 0.0) {
            return None;
        }
        for ((c, place), row) in contacts.iter_mut().zip(&block.places).zip(rows) {
            let total = place.dot(&loads);
            push_velocity(bodies, c, row, &(c.normal * (total - c.impulse[0])));
            c.impulse[0] = total;
        }
        Some(largest)
    }
}

impl Block {
    /// `None` for fewer than three contacts, contacts on a line, and bodies that cannot move: one by one is exact for those.
    fn new(contacts: &[SolverContact], inertia: &[Inertia; 2]) -> Option<Self> {
        let first = contacts.first().filter(|_| contacts.len() > 2)?;
        let (t1, t2) = orthonormal_basis(&first.normal);
        let middle: Vector = contacts.iter().map(|c| c.r_a).sum::<Vector>() / contacts.len() as Real;
        let places: Vec<Vector> =
            contacts.iter().map(|c| c.r_a - middle).map(|r| Vector::new(1.0, r.dot(&t1), r.dot(&t2))).collect();
        let gram: Matrix = places.iter().map(|p| p * p.transpose()).sum();
        // On a line the smaller principal moment of the places vanishes.
        let (moments, spread) = (gram.fixed_view::<2, 2>(1, 1), gram[(1, 1)] + gram[(2, 2)]);
        if moments.determinant() <= 1e-6 * spread * spread {
            return None;
        }
        let middle_b = middle + (first.r_b - first.r_a);
        let axes = [t1.cross(&first.normal), t2.cross(&first.normal)];
        let mut response = Matrix::zeros();
        for (inertia, middle) in inertia.iter().zip([middle, middle_b]) {
            let turning = Matrix::from_columns(&[middle.cross(&first.normal), axes[0], axes[1]]);
            response += turning.transpose() * inertia.inverse_inertia * turning;
            response[(0, 0)] += first.normal.component_mul(&inertia.inverse_mass).dot(&first.normal);
        }
        Some(Self { places, inverse_gram: gram.try_inverse()?, inverse_response: response.try_inverse()? })
    }
}
