//! One list of pairs of triangles: what stands on it, how wide it is, and how long it serves.

use std::sync::Arc;

use crate::bounds::IndexedMesh;
use crate::geometry::solid::Solid;
use crate::math::{Point, Pose, Real};
use crate::volume::{Aabb, Sphere};

/// The widest radius of a list beyond what is asked for, as a share of the smaller solid's bounding radius.
const WIDEST: Real = 0.125;
/// Nor is it wider than this share of the triangles' width: of fine ones there would be hundreds for each.
const FINE: Real = 0.25;
/// A list reaches at least twice as far as asked for beyond it, up to this share of the widest: more than that would hold far more
/// triangles, and serve few searches more.
const LEAST: Real = 0.125;
/// A list that served fewer searches than this was too short.
const FEW: u32 = 6;
/// A list that served more searches than this is longer than it need be.
const MANY: u32 = 60;

/// Two triangles of two meshes, or one of a mesh and a convex solid: where they stand in [`Nearby::faces_a`] and [`Nearby::faces_b`].
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Near {
    pub(in crate::contact) a: u32,
    pub(in crate::contact) b: u32,
    /// They were no nearer to each other than this where the list was made, metres.
    pub(super) gap: f32,
}

impl Near {
    pub(super) fn new(a: u32, b: u32, gap: Real) -> Self {
        // Rounded down, and by more than the rounding of the gap itself.
        Self { a, b, gap: (gap as f32).next_down().next_down() }
    }
}

/// A triangle of A, in A's frame.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Listed {
    pub(in crate::contact) face: u32,
    pub(in crate::contact) corners: [Point; 3],
    pub(in crate::contact) aabb: Aabb,
}

/// The part of a list that a search has to look at.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Nearby<'l> {
    pub(super) entries: &'l [Near],
    /// Entries of a wider gap are too far apart, metres.
    widest: f32,
    /// The triangles of A that are on the list, ascending.
    pub(in crate::contact) faces_a: &'l [Listed],
    /// The triangles of B that are on the list, ascending.
    pub(in crate::contact) faces_b: &'l [u32],
}

impl Nearby<'_> {
    /// The pairs that may be near, in the order of their triangles.
    pub(in crate::contact) fn pairs(&self) -> impl Iterator<Item = &Near> {
        self.entries.iter().filter(|near| near.gap <= self.widest)
    }
}

/// What a list is a list of.
#[derive(Clone, Debug)]
pub(super) enum Other {
    Mesh(Arc<IndexedMesh>),
    /// Any solid within this box of its own frame.
    Within(Aabb),
}

impl Other {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mesh(one), Self::Mesh(other)) => Arc::ptr_eq(one, other),
            (Self::Within(one), Self::Within(other)) => one == other,
            _ => false,
        }
    }
}

/// What a search asks for: the triangles of a mesh near another solid.
pub(super) struct Wanted<'q> {
    pub(super) mesh: &'q Arc<IndexedMesh>,
    pub(super) other: Other,
    /// Around the two solids, each in its own frame.
    pub(super) spheres: [Sphere; 2],
    pub(super) b_in_a: &'q Pose,
    /// How near, metres.
    pub(super) reach: Real,
}

impl<'q> Wanted<'q> {
    pub(super) fn of_meshes(
        mesh: &'q Arc<IndexedMesh>,
        other: &Arc<IndexedMesh>,
        b_in_a: &'q Pose,
        reach: Real,
    ) -> Self {
        let spheres = [mesh.bounding_sphere(), other.bounding_sphere()];
        Self { mesh, other: Other::Mesh(Arc::clone(other)), spheres, b_in_a, reach }
    }

    /// The most that a list may reach beyond what is asked for, metres.
    pub(super) fn widest(&self) -> Real {
        WIDEST * self.spheres[0].radius.min(self.spheres[1].radius)
    }

    /// How wide the wider triangles of the two are, metres.
    pub(super) fn triangle_width(&self) -> Real {
        match &self.other {
            Other::Mesh(other) => self.mesh.triangle_width().max(other.triangle_width()),
            Other::Within(_) => self.mesh.triangle_width(),
        }
    }
}

/// The pairs of triangles within a radius, at the placement where they were looked for.
#[derive(Debug, Default)]
pub(super) struct NearList {
    pub(super) made: Option<Made>,
    /// How much wider than asked for the next list will be, metres.
    slack: Real,
    /// In the order of their triangles.
    pub(super) entries: Vec<Near>,
    faces_a: Vec<Listed>,
    faces_b: Vec<u32>,
}

/// Where and for what a list was made.
#[derive(Debug)]
pub(super) struct Made {
    mesh: Arc<IndexedMesh>,
    other: Other,
    b_in_a: Pose,
    pub(super) radius: Real,
    pub(super) uses: u32,
}

impl NearList {
    /// How wide the list would have to be to serve a search, metres; `None` for a list of other solids.
    pub(super) fn needed(&self, wanted: &Wanted<'_>) -> Option<Real> {
        let made = self.made.as_ref();
        let made = made.filter(|made| Arc::ptr_eq(&made.mesh, wanted.mesh) && made.other.is(&wanted.other))?;
        Some(wanted.reach + moved(&made.b_in_a, wanted.b_in_a, &wanted.spheres))
    }

    /// Makes the list anew; `moved` is how far the bodies have moved over each other since the nearest list was made.
    pub(super) fn make(&mut self, wanted: Wanted<'_>, moved: Option<Real>, list: impl FnOnce(Real, &mut Vec<Near>)) {
        let widest = wanted.widest().min(FINE * wanted.triangle_width());
        let Wanted { mesh, other, b_in_a, reach, .. } = wanted;
        let uses = self.made.as_ref().map_or(0, |made| made.uses);
        self.slack = match moved {
            None => 0.0,
            // What moves too fast for a list gets a short one at every search.
            Some(moved) if uses < FEW && moved > 0.5 * widest => 0.0,
            Some(moved) if uses < FEW => self.slack.max(2.0 * moved),
            Some(_) if uses > MANY => 0.5 * self.slack,
            Some(_) => self.slack,
        };
        let radius = reach + self.slack.max(2.0 * reach.min(0.5 * LEAST * widest));
        self.entries.clear();
        list(radius, &mut self.entries);
        self.made = Some(Made { mesh: Arc::clone(mesh), other, b_in_a: *b_in_a, radius, uses: 0 });
        self.number_faces(mesh);
    }

    /// The pairs that may be near where the list would have to be this wide.
    pub(super) fn up_to(&self, needed: Real) -> Nearby<'_> {
        // Rounded up: one entry more is no matter.
        let widest = (needed as f32).next_up();
        Nearby { entries: &self.entries, widest, faces_a: &self.faces_a, faces_b: &self.faces_b }
    }

    /// Puts the entries into the order of their triangles, gathers these, once each, and has the entries name their places.
    fn number_faces(&mut self, mesh: &IndexedMesh) {
        self.faces_b.clear();
        self.faces_b.extend(self.entries.iter().map(|near| near.b));
        // A walk comes to many triangles of A with one of B.
        self.faces_b.dedup();
        self.faces_b.sort_unstable();
        self.faces_b.dedup();
        // Two numbers as one, which is sorted in a fraction of the time.
        self.entries.sort_unstable_by_key(|near| u64::from(near.a) << 32 | u64::from(near.b));
        self.faces_a.clear();
        for near in &mut self.entries {
            if self.faces_a.last().is_none_or(|listed| listed.face != near.a) {
                let corners = mesh.triangle(near.a);
                self.faces_a.push(Listed { face: near.a, corners, aabb: Aabb::from_points(&corners) });
            }
            near.a = self.faces_a.len() as u32 - 1;
            near.b = self.faces_b.partition_point(|&face| face < near.b) as u32;
        }
    }
}

/// No point of either body has moved further over the other than this, metres, from one placement of B in A's frame to another;
/// infinite for poses that are not finite.
fn moved(from: &Pose, to: &Pose, [a, b]: &[Sphere; 2]) -> Real {
    let (p, q) = (from.rotation.coords, to.rotation.coords);
    // Either sign is the same rotation; a chord of the unit quaternions spans half the angle.
    let chord = (p - q).norm_squared().min((p + q).norm_squared()).sqrt();
    let by = |from: Point, to: Point, radius: Real| (to - from).norm() + 2.0 * chord * radius;
    let of_b = by(from * b.centre, to * b.centre, b.radius);
    let of_a = by(from.inverse_transform_point(&a.centre), to.inverse_transform_point(&a.centre), a.radius);
    let least = of_a.min(of_b);
    // Roundings of the coordinates above, and of quaternions that are of unit length but for some.
    let size = from.translation.vector.norm() + to.translation.vector.norm();
    let slack = 64.0 * Real::EPSILON * (size + a.centre.coords.norm() + a.radius + b.centre.coords.norm() + b.radius);
    if least.is_finite() { least + slack } else { Real::INFINITY }
}
