//! The mass of a field by subdivision of space, with a proven bound of its error.

use super::enclosure::{Enclosure, Facet, Region};
use super::{Field, Sphere};
use crate::geometry::mass::{MassError, MassKind, MassProperties};
use crate::math::{Matrix, Point, Real, Vector};

/// How often a cell is halved along each axis.
const DEPTH: u32 = 6;
/// Slopes of a plane across a cell below this share of the steepest are raised to it; it costs as much of the volume.
const SMALL_SLOPE: Real = 1e-4;

/// Integrates over cells that halve where the surface is; in the last ones the surface counts as flat.
///
/// The kind states by how much the mass can be wrong: the cells that were cut add what their enclosure leaves open.
///
/// # Errors
/// [`MassError`] for unbounded solids and those without volume.
pub fn by_subdivision(field: &dyn Field, density: Real) -> Result<(MassProperties, MassKind), MassError> {
    let aabb = field.local_aabb();
    if !aabb.half_extents().amax().is_finite() {
        return Err(MassError::Massless { kind: field.kind() });
    }
    let mut sums = Sums {
        field,
        middle: aabb.centre(),
        volume: 0.0,
        first: Vector::zeros(),
        second: Matrix::zeros(),
        error: 0.0,
        scratch: Enclosure::default(),
    };
    sums.cell(aabb.centre(), aabb.half_extents(), 0);
    // Not positive, or no number.
    if !(sums.volume > 0.0 && sums.volume.is_finite()) {
        return Err(MassError::NotPositive { what: "volume", value: sums.volume });
    }
    let mean = sums.first / sums.volume;
    let second = sums.second - mean * mean.transpose() * sums.volume;
    let inertia = (Matrix::identity() * second.trace() - second) * density;
    let mass = MassProperties { mass: sums.volume * density, com: sums.middle + mean, inertia };
    mass.validate()?;
    let parts_per_million = (1e6 * sums.error / sums.volume).ceil().min(1e9) as u32;
    Ok((mass, MassKind::Subdivided { parts_per_million }))
}

struct Sums<'f> {
    field: &'f dyn Field,
    middle: Point,
    volume: Real,
    /// ∫x and ∫xxᵀ about the middle.
    first: Vector,
    second: Matrix,
    /// The volume that may be wrong.
    error: Real,
    scratch: Enclosure,
}

impl Sums<'_> {
    fn cell(&mut self, centre: Point, half: Vector, depth: u32) {
        let radius = half.norm();
        let ball = Sphere { centre, radius };
        let distance = self.field.distance(&centre);
        if distance > radius {
            return;
        }
        if distance < -radius {
            return self.add(centre, half, 1.0, Vector::zeros());
        }
        self.scratch.clear();
        self.field.enclose(&ball, Region::Complement, &mut self.scratch);
        if self.scratch.is_empty() {
            return self.add(centre, half, 1.0, Vector::zeros());
        }
        let complement = single(&self.scratch);
        self.scratch.clear();
        self.field.enclose(&ball, Region::Solid, &mut self.scratch);
        if self.scratch.is_empty() {
            return;
        }
        let solid = single(&self.scratch);
        let volume = 8.0 * half.x * half.y * half.z;
        // Between the two half-spaces nothing is known.
        let open = match (solid, complement) {
            (Some(s), Some(c)) => {
                let least = 1.0 - below(&c.normal, c.value - c.error, &half);
                let most = below(&s.normal, s.value - s.error, &half);
                Some((least.min(most), most.max(least), s))
            }
            _ => None,
        };
        let good_enough = depth >= 2 && open.is_some_and(|(least, most, _)| most - least < 1e-4);
        if depth < DEPTH && !good_enough {
            let h = half * 0.5;
            for i in 0..8_u32 {
                let sign = |k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
                self.cell(centre + Vector::new(sign(0), sign(1), sign(2)).component_mul(&h), h, depth + 1);
            }
            return;
        }
        match open {
            Some((least, most, facet)) => {
                let fraction = 0.5 * (least + most);
                self.error += (0.5 * (most - least) + 2.0 * SMALL_SLOPE) * volume;
                // The part below the plane is that much nearer to its side of the cell.
                let width = facet.normal.abs().dot(&half);
                self.add(centre, half, fraction, facet.normal * (-width * (1.0 - fraction)));
            }
            None => {
                self.error += 0.5 * volume;
                let fraction = self.sampled(&centre, &half);
                self.add(centre, half, fraction, Vector::zeros());
            }
        }
    }

    fn sampled(&self, centre: &Point, half: &Vector) -> Real {
        let inside = (0..64_u32).filter(|i| {
            let at = |k: u32| Real::from(i >> (2 * k) & 3) * 0.5 - 0.75;
            self.field.contains(&(centre + Vector::new(at(0), at(1), at(2)).component_mul(half)))
        });
        inside.count() as Real / 64.0
    }

    /// Adds a share of a cell whose middle is `shift` off the cell's.
    fn add(&mut self, centre: Point, half: Vector, fraction: Real, shift: Vector) {
        let volume = 8.0 * half.x * half.y * half.z * fraction;
        let at = centre + shift - self.middle;
        self.volume += volume;
        self.first += at * volume;
        let own = Matrix::from_diagonal(&half.component_mul(&half)) / 3.0;
        self.second += (at * at.transpose() + own) * volume;
    }
}

fn single(enclosure: &Enclosure) -> Option<Facet> {
    match (enclosure.len(), enclosure.alternative(0)) {
        (1, [facet]) => Some(*facet),
        _ => None,
    }
}

/// The share of the box with these half extents where `value + normal · x` is at most zero.
fn below(normal: &Vector, value: Real, half: &Vector) -> Real {
    // Scaled to the unit cube with slopes a ≥ 0: the share where a·u ≤ b.
    let mut a = normal.abs().component_mul(half) * 2.0;
    let b = 0.5 * a.sum() - value;
    let top = a.amax();
    if b <= 0.0 || top == 0.0 {
        return if b >= 0.0 && top == 0.0 { 1.0 } else { 0.0 };
    }
    if b >= a.sum() {
        return 1.0;
    }
    // Slopes of almost nothing divide by almost nothing: they are raised to where the formula keeps ten digits.
    let b = b / top;
    a /= top;
    let raised = a.map(|x| x.max(SMALL_SLOPE));
    let b = b + 0.5 * (raised.sum() - a.sum());
    let cube = |x: Real| x.max(0.0).powi(3);
    let mut sum = cube(b);
    for i in 0..3 {
        sum -= cube(b - raised[i]);
        sum += cube(b - raised[i] - raised[(i + 1) % 3]);
    }
    sum -= cube(b - raised.sum());
    (sum / (6.0 * raised.x * raised.y * raised.z)).clamp(0.0, 1.0)
}
