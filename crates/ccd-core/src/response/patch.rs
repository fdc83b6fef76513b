//! Contacts of one pair in one plane: their normal impulses are solved together.
//!
//! More than three of them have no unique loads. One by one they would settle at loads that depend on their order, and
//! friction at such loads would turn a body that ought to slide straight. Together they get the least loads that do the
//! work, which are spread as evenly as the wrench allows.
//!
//! **Gaps that do not lie in a plane.** Each contact may come as near as its gap lets it, but rigid bodies meet four such wishes at once
//! only where they are affine over the plane. Were the nearest affine motion asked for instead, it would open some contacts, which what lies on
//! them may not allow: a heap would hand on such impulses for good. So there all may come as near as the one that may
//! come least, and who is open by more bears its load by itself.

use std::ops::Range;

use super::impulse::Inertia;
use super::line::Between;
use super::row::{Giving, Row};
use super::sequential::SolverContact;
use crate::math::semidefinite::is_regular;
use crate::math::{Matrix, Real, Vector, orthonormal_basis};

/// Contacts whose normals agree as well as this lie in one plane's patch: the cosine of the angle between them.
const ONE_NORMAL: Real = 1.0 - 1e-12;
/// Velocities that are affine over the plane but for this share of what is slight, and of the largest, are so but for rounding.
const AFFINE: Real = 1e-7;
/// What may come nearer by no more than this share of what is slight than what may come least is as near as that.
const EVEN: Real = 0.1;

#[derive(Clone, Debug)]
pub(super) struct Patch {
    pub range: Range<usize>,
    /// Most patches have none: it stands apart, so that they are small.
    block: Option<Box<Block>>,
}

/// The inverse of the patch's response: loads are affine over the plane, as velocities are.
#[derive(Clone, Debug)]
struct Block {
    plane: Plane,
    /// Whether all may come as near as the one that may come least.
    is_even: bool,
    /// The inverse of the velocities (along the normal, and about two axes in the plane) per wrench: with both bodies
    /// giving way, and with only the upper one.
    inverse_response: [Matrix; 2],
}

/// Contacts of a patch that bear loads together.
#[derive(Clone, Debug)]
struct Plane {
    /// The middle of their places, from A's centre.
    middle: Vector,
    /// For each contact of the patch that is among them 1 and its two coordinates in the plane.
    places: Vec<Option<Vector>>,
    /// (GᵀG)⁻¹ of the places.
    inverse_gram: Matrix,
}

/// Splits the contacts of one pair, which begin at `start` of the whole, into patches. Velocities of `slight` m/s make no difference.
pub(super) fn patches<'c>(
    contacts: &'c [SolverContact],
    mut start: usize,
    inertia: [&'c Inertia; 2],
    upper: Giving,
    slight: Real,
) -> impl Iterator<Item = Patch> + 'c {
    contacts.chunk_by(|x, y| x.normal.dot(&y.normal) > ONE_NORMAL).map(move |group| {
        let range = start..start + group.len();
        start = range.end;
        Patch { range, block: Block::new(group, inertia, upper, slight).map(Box::new) }
    })
}

impl Patch {
    /// Whether its contacts are pressed together: three at least, that lie on no line.
    pub fn spans_a_plane(&self) -> bool {
        self.block.is_some()
    }

    /// The normal part of the patch's turn, if all contacts press; returns the largest change of velocity, m/s.
    #[inline(always)]
    pub fn press_together(
        &self,
        bodies: &mut Between,
        contacts: &[SolverContact],
        rows: &[Row],
        impulses: &mut [[Real; 3]],
    ) -> Option<Real> {
        let block = self.block.as_ref()?;
        let Plane { places, inverse_gram, .. } = &block.plane;
        let all_least = if block.is_even { block.plane.highest(contacts) } else { Real::NEG_INFINITY };
        let (mut wrench, mut lacking) = (Vector::zeros(), Vector::zeros());
        for (((c, row), place), impulse) in contacts.iter().zip(rows).zip(places).zip(&*impulses) {
            let Some(place) = place else { continue };
            let lack = c.least_velocity.max(all_least) - row.opening_of(bodies);
            wrench += place * impulse[0];
            lacking += place * lack;
        }
        let opened = inverse_gram * lacking;
        let change = block.inverse_response[usize::from(bodies.giving() != Giving::Both)] * opened;
        let loads = inverse_gram * (wrench + change);
        if places.iter().flatten().any(|place| place.dot(&loads) < 0.0) {
            return None;
        }
        let mut largest: Real = 0.0;
        for ((row, place), impulse) in rows.iter().zip(places).zip(&mut *impulses) {
            let Some(place) = place else { continue };
            largest = largest.max(place.dot(&opened).abs());
            let total = place.dot(&loads);
            row.push_normal(bodies, total - impulse[0]);
            impulse[0] = total;
        }
        if block.is_even {
            let others = contacts.iter().zip(rows).zip(places).zip(impulses).filter(|((_, place), _)| place.is_none());
            for (((c, row), _), impulse) in others {
                largest = largest.max(row.press(bodies, c.least_velocity, &mut impulse[0]));
            }
        }
        Some(largest)
    }
}

impl Block {
    /// `None` for fewer than three contacts, contacts on a line, and bodies that cannot move: one by one is exact for those.
    fn new(contacts: &[SolverContact], inertia: [&Inertia; 2], upper: Giving, slight: Real) -> Option<Self> {
        let first = contacts.first()?;
        let all = Plane::of(contacts, |_| true)?;
        let is_even = !all.follows(contacts, slight);
        let plane = if is_even {
            let highest = all.highest(contacts);
            Plane::of(contacts, |c| highest - c.least_velocity <= EVEN * slight)?
        } else {
            all
        };
        let (t1, t2) = orthonormal_basis(&first.normal);
        let middle_b = plane.middle + (first.r_b - first.r_a);
        let axes = [t1.cross(&first.normal), t2.cross(&first.normal)];
        let [a, b] = [(inertia[0], plane.middle), (inertia[1], middle_b)].map(|(inertia, middle)| {
            let turning = Matrix::from_columns(&[middle.cross(&first.normal), axes[0], axes[1]]);
            let mut response = turning.transpose() * inertia.inverse_inertia * turning;
            response[(0, 0)] += first.normal.component_mul(&inertia.inverse_mass).dot(&first.normal);
            response
        });
        let reach = plane.reach();
        let inverse = |response: Matrix| inverse_of(&response, reach);
        let free = inverse(a + b)?;
        let upper = match upper {
            Giving::Both => free,
            Giving::OnlyA => inverse(a)?,
            Giving::OnlyB => inverse(b)?,
        };
        Some(Self { plane, is_even, inverse_response: [free, upper] })
    }
}

/// The inverse of a response at places so far from the middle of a patch, metres. `None` where the bodies do not give way to all that
/// the patch may wish: those with locked axes cannot tilt.
fn inverse_of(response: &Matrix, reach: Real) -> Option<Matrix> {
    // As velocities at that distance all are of one unit.
    let scale = Vector::new(1.0, reach, reach);
    let scaled = response.component_mul(&(scale * scale.transpose()));
    if is_regular(&scaled) { response.try_inverse() } else { None }
}

impl Plane {
    /// Those of a patch's contacts that belong to it; `None` for fewer than three, and for contacts on a line.
    fn of(contacts: &[SolverContact], belongs: impl Fn(&SolverContact) -> bool) -> Option<Self> {
        let first = contacts.first()?;
        let members = || contacts.iter().filter(|c| belongs(c));
        let count = members().count();
        if count < 3 {
            return None;
        }
        let (t1, t2) = orthonormal_basis(&first.normal);
        let middle = members().map(|c| c.r_a).sum::<Vector>() / count as Real;
        let place = |c: &SolverContact| {
            let r = c.r_a - middle;
            Vector::new(1.0, r.dot(&t1), r.dot(&t2))
        };
        let places: Vec<Option<Vector>> = contacts.iter().map(|c| belongs(c).then(|| place(c))).collect();
        let gram: Matrix = places.iter().flatten().map(|p| p * p.transpose()).sum();
        // On a line the smaller principal moment of the places vanishes.
        let (moments, spread) = (gram.fixed_view::<2, 2>(1, 1), gram[(1, 1)] + gram[(2, 2)]);
        if moments.determinant() <= 1e-6 * spread * spread {
            return None;
        }
        Some(Self { middle, places, inverse_gram: gram.try_inverse()? })
    }

    /// How far its contacts are from their middle, at most, metres.
    fn reach(&self) -> Real {
        self.places.iter().flatten().map(|place| place.yz().norm()).fold(0.0, Real::max)
    }

    /// The contacts that belong to it, with their places.
    fn members<'p>(&'p self, contacts: &'p [SolverContact]) -> impl Iterator<Item = (&'p SolverContact, &'p Vector)> {
        contacts.iter().zip(&self.places).filter_map(|(c, place)| Some((c, place.as_ref()?)))
    }

    /// The velocity, along the normal, of the one that may come least, m/s.
    fn highest(&self, contacts: &[SolverContact]) -> Real {
        self.members(contacts).map(|(c, _)| c.least_velocity).fold(Real::NEG_INFINITY, Real::max)
    }

    /// Whether bodies that do not bend can bring all contacts as near at once as they may come.
    fn follows(&self, contacts: &[SolverContact], slight: Real) -> bool {
        let fit = self.inverse_gram * self.members(contacts).map(|(c, p)| p * c.least_velocity).sum::<Vector>();
        let size = self.members(contacts).map(|(c, _)| c.least_velocity.abs()).fold(0.0, Real::max);
        self.members(contacts).all(|(c, p)| (p.dot(&fit) - c.least_velocity).abs() <= AFFINE * (slight + size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Point, Rotation};

    /// The corners of a square metre, turned about z, are pressed from below.
    fn face(angle: Real) -> Vec<SolverContact> {
        let turn = Rotation::from_scaled_axis(Vector::z() * angle);
        let corner = |x: Real, z: Real| {
            let arm = turn * Vector::new(x, -0.5, z);
            SolverContact::frictionless((0, 1), turn * Vector::y(), [arm, arm])
        };
        vec![corner(-0.5, -0.5), corner(0.5, -0.5), corner(-0.5, 0.5), corner(0.5, 0.5)]
    }

    #[test]
    fn a_face_is_pressed_as_one_by_what_can_tilt_and_corner_by_corner_by_what_cannot() {
        let ground = Inertia::immovable(Point::origin());
        for angle in [0.0, 0.1, 0.7, 1.3, 2.9] {
            let contacts = face(angle);
            let spans = |inverse_mass: Vector, turning: Vector| {
                let inverse_inertia = Matrix::from_diagonal(&turning);
                let block = Inertia { centre: Point::origin(), inverse_mass, inverse_inertia };
                let mut found = patches(&contacts, 0, [&ground, &block], Giving::OnlyB, 1e-3);
                found.next().is_some_and(|patch| patch.spans_a_plane())
            };
            assert!(spans(Vector::repeat(1.0), Vector::repeat(6.0)), "{angle} rad: free");
            assert!(!spans(Vector::new(1.0, 1.0, 0.0), Vector::z() * 6.0), "{angle} rad: in a plane");
            assert!(!spans(Vector::zeros(), Vector::z() * 6.0), "{angle} rad: on a hinge");
            assert!(!spans(Vector::repeat(1.0), Vector::zeros()), "{angle} rad: not turning");
        }
    }
}
