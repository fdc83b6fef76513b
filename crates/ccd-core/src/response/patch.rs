//! Contacts of one pair in one plane: their normal impulses are solved together.
//!
//! More than three of them have no unique loads. One by one they would settle at loads that depend on their order, and
//! friction at such loads would turn a body that ought to slide straight. Together they get the least loads that do the
//! work, which are spread as evenly as the wrench allows.

use std::ops::Range;

use super::impulse::{Inertia, Velocity};
use super::row::{Giving, Row};
use super::sequential::SolverContact;
use crate::math::{Matrix, Real, Vector, orthonormal_basis};

/// Contacts whose normals agree as well as this lie in one plane's patch: the cosine of the angle between them.
const ONE_NORMAL: Real = 1.0 - 1e-12;

#[derive(Clone, Debug)]
pub(super) struct Patch {
    pub range: Range<usize>,
    /// Most patches have none: it stands apart, so that they are small.
    block: Option<Box<Block>>,
}

/// The inverse of the patch's response: loads are affine over the plane, as velocities are.
#[derive(Clone, Debug)]
struct Block {
    /// For each contact 1 and its two coordinates in the plane.
    places: Vec<Vector>,
    /// (GᵀG)⁻¹ of the places.
    inverse_gram: Matrix,
    /// The inverse of the velocities (along the normal, and about two axes in the plane) per wrench: with both bodies
    /// giving way, and with only the upper one.
    inverse_response: [Matrix; 2],
}

/// Splits the contacts of one pair, which begin at `start` of the whole, into patches.
pub(super) fn patches<'c>(
    contacts: &'c [SolverContact],
    mut start: usize,
    inertia: [&'c Inertia; 2],
    upper: Giving,
) -> impl Iterator<Item = Patch> + 'c {
    contacts.chunk_by(|x, y| x.normal.dot(&y.normal) > ONE_NORMAL).map(move |group| {
        let range = start..start + group.len();
        start = range.end;
        Patch { range, block: Block::new(group, inertia, upper).map(Box::new) }
    })
}

impl Patch {
    /// The normal part of the patch's turn, if all contacts press; returns the largest change of velocity, m/s.
    pub fn press_together(
        &self,
        giving: Giving,
        [a, b]: [&mut Velocity; 2],
        contacts: &[SolverContact],
        rows: &[Row],
        impulses: &mut [[Real; 3]],
    ) -> Option<Real> {
        let block = self.block.as_ref()?;
        let (mut wrench, mut lacking) = (Vector::zeros(), Vector::zeros());
        for (((c, row), place), impulse) in contacts.iter().zip(rows).zip(&block.places).zip(&*impulses) {
            let lack = c.least_velocity - row.opening(a, b);
            wrench += place * impulse[0];
            lacking += place * lack;
        }
        // The affine part of what the contacts lack: bodies that do not bend cannot follow the rest.
        let opened = block.inverse_gram * lacking;
        let change = block.inverse_response[usize::from(giving != Giving::Both)] * opened;
        let loads = block.inverse_gram * (wrench + change);
        if block.places.iter().any(|place| place.dot(&loads) < 0.0) {
            return None;
        }
        let mut largest: Real = 0.0;
        for ((impulse, place), row) in impulses.iter_mut().zip(&block.places).zip(rows) {
            largest = largest.max(place.dot(&opened).abs());
            let total = place.dot(&loads);
            row.push_along(giving, a, b, total - impulse[0]);
            impulse[0] = total;
        }
        Some(largest)
    }
}

impl Block {
    /// `None` for fewer than three contacts, contacts on a line, and bodies that cannot move: one by one is exact for those.
    fn new(contacts: &[SolverContact], inertia: [&Inertia; 2], upper: Giving) -> Option<Self> {
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
        let [a, b] = [(inertia[0], middle), (inertia[1], middle_b)].map(|(inertia, middle)| {
            let turning = Matrix::from_columns(&[middle.cross(&first.normal), axes[0], axes[1]]);
            let mut response = turning.transpose() * inertia.inverse_inertia * turning;
            response[(0, 0)] += first.normal.component_mul(&inertia.inverse_mass).dot(&first.normal);
            response
        });
        let free = (a + b).try_inverse()?;
        let upper = match upper {
            Giving::Both => free,
            Giving::OnlyA => a.try_inverse()?,
            Giving::OnlyB => b.try_inverse()?,
        };
        Some(Self { places, inverse_gram: gram.try_inverse()?, inverse_response: [free, upper] })
    }
}
