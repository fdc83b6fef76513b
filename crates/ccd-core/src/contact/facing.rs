//! The contacts of two patches that face each other.
//!
//! Problem: a face rests on a face, a line, or a point; the closest pair of features alone would let it tip over.
//!
//! Idea: no reference face is chosen. Every pair of features of the two patches that meet, seen along the direction
//! between them, is one contact with the normal of its own features: a corner over the other's face has that face's
//! normal, two edges that cross have the cross product of their directions where they are each other's nearest, the
//! normal of the one face where only that rises over the other's edge, and else the direction between the faces. An
//! edge that lies along a face so has one normal all along, and keeps it while the body creeps. Seen from above, which
//! corner is inside which polygon and which sides cross are decided by the same numbers, so that no corner of the common
//! area is lost between two tests.
//!
//! Guarantee: exchanging the sides gives the same contacts; points lie on both patches.
//!
//! Source: contact sets of Mirtich 1998, section 3, all found at once instead of one by one; erratum E26 (parallel
//! edges have a branch of their own, and no normal is taken from a distance of zero).

use super::ContactPoint;
use super::buffer::Buffer;
use super::patch::Patch;
use super::triangle::FACING;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Real, Vector, orthonormal_basis};

/// Contacts whose places are no further apart than this, in snap distances, are the same.
pub(super) const SAME_PLACE: Real = 4.0;

/// What counts as a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The largest separation, metres.
    pub(super) margin: Real,
    /// The smallest separation (negative: inside), metres; deeper pairs are not each other's counterparts.
    pub(super) deepest: Real,
    /// How far beside a face a corner still counts as over it, metres: far less than what is visible, more than
    /// rounding, so that bodies whose outlines coincide do not change their contacts with every rounding.
    pub(super) snap: Real,
}

impl Limits {
    /// How deep the dents of a mesh may be that is searched as its hull, metres: places that near are the same.
    #[inline]
    pub(super) fn dent(&self) -> Real {
        SAME_PLACE * self.snap
    }

    /// How far apart, metres, the places of a contact can be at most: they lie this near beside each other.
    #[inline]
    pub(super) fn reach(&self) -> Real {
        self.margin + self.snap
    }
}

/// Two edges that cross at less than this sine have no normal of their own worth using.
const LEAST_CROSSING: Real = 0.02;
/// How far, as a sine, a face may rise above the plane of its edge's contact and still count as falling away.
const RISE: Real = 1e-9;
/// Two lines that meet at less than this sine are long contacts, not crossings.
const PARALLEL: Real = 0.1;

/// A side of a patch seen along the normal: `inward · p - offset` is the distance of `p` inside it, metres.
#[derive(Clone, Copy)]
struct Side {
    x: Real,
    y: Real,
    offset: Real,
}

impl Side {
    #[inline]
    fn inside(&self, p: &Vector) -> Real {
        self.x * p.x + self.y * p.y - self.offset
    }
}

/// A patch seen along the normal.
struct Outline {
    corners: Buffer<Vector, 8>,
    sides: Buffer<Side, 8>,
}

impl Outline {
    /// `winding` is 1 for a patch that is counter-clockwise seen against `axes.2`, -1 for clockwise.
    fn new(patch: &Patch, axes: &(Vector, Vector, Vector), winding: Real) -> Self {
        let mut corners = Buffer::new(Vector::zeros());
        for p in patch.vertices.iter() {
            corners.push(Vector::new(axes.0.dot(&p.coords), axes.1.dot(&p.coords), axes.2.dot(&p.coords)));
        }
        let mut sides = Buffer::new(Side { x: 0.0, y: 0.0, offset: 0.0 });
        let n = corners.len();
        for i in 0..patch.edge_count() {
            let (from, to) = (corners[i], corners[if i + 1 == n { 0 } else { i + 1 }]);
            let (dx, dy) = (to.x - from.x, to.y - from.y);
            let length = (dx * dx + dy * dy).sqrt();
            // A side seen end on bounds nothing.
            let scale = if length > 0.0 { winding / length } else { 0.0 };
            let (x, y) = (-dy * scale, dx * scale);
            sides.push(Side { x, y, offset: x * from.x + y * from.y });
        }
        Self { corners, sides }
    }

    fn next(&self, i: usize) -> usize {
        if i + 1 == self.corners.len() { 0 } else { i + 1 }
    }
}

/// Appends the contacts of two patches of which at least one is a face that looks at the other.
///
/// Points and normals are in the patches' common frame. O(corners of A × corners of B).
pub(super) fn facing_contacts(a: &Patch, b: &Patch, limits: &Limits, out: &mut Vec<ContactPoint>) {
    let mut along = Vector::zeros();
    if a.is_face() {
        along += a.normal;
    }
    if b.is_face() {
        along -= b.normal;
    }
    let Some(along) = along.try_normalize(1e-3) else { return };
    let (t, s) = orthonormal_basis(&along);
    let axes = (t, s, along);
    let seen_a = Outline::new(a, &axes, 1.0);
    let seen_b = Outline::new(b, &axes, -1.0);

    let emit = Emitter { a, b, limits, axes };
    if a.is_face() {
        for (corner, feature) in emit.corners(b) {
            if let Some((foot, normal)) = emit.over_face(a, &seen_a, &corner, 1.0) {
                emit.push(foot, corner, normal, FeaturePair { a: a.face, b: feature }, out);
            }
        }
    }
    if b.is_face() {
        for (corner, feature) in emit.corners(a) {
            if let Some((foot, normal)) = emit.over_face(b, &seen_b, &corner, -1.0) {
                emit.push(corner, foot, normal, FeaturePair { a: feature, b: b.face }, out);
            }
        }
    }
    for i in 0..seen_a.sides.len() {
        if !a.has_edge(i) {
            continue;
        }
        let side = &seen_a.sides[i];
        let (p, q) = (&seen_a.corners[i], &seen_a.corners[seen_a.next(i)]);
        for j in 0..seen_b.sides.len() {
            let (r, s) = (&seen_b.corners[j], &seen_b.corners[seen_b.next(j)]);
            let (from_b, to_b) = (side.inside(r), side.inside(s));
            if from_b * to_b >= 0.0 || !b.has_edge(j) {
                continue;
            }
            let (from_a, to_a) = (seen_b.sides[j].inside(p), seen_b.sides[j].inside(q));
            if from_a * to_a < 0.0 {
                emit.crossing(i, j, from_a / (from_a - to_a), from_b / (from_b - to_b), out);
            }
        }
    }
}

/// What every contact of one pair of patches shares.
struct Emitter<'a> {
    a: &'a Patch,
    b: &'a Patch,
    limits: &'a Limits,
    axes: (Vector, Vector, Vector),
}

impl Emitter<'_> {
    /// Moves the points from the cores to the rounded surfaces and keeps the contact if it is within the limits.
    fn push(&self, core_a: Point, core_b: Point, normal: Vector, features: FeaturePair, out: &mut Vec<ContactPoint>) {
        let mut point_a = core_a + to_surface(self.a, &core_a, &normal);
        let mut point_b = core_b + to_surface(self.b, &core_b, &-normal);
        let separation = (point_b - point_a).dot(&normal);
        if separation > self.limits.margin || separation < self.limits.deepest {
            return;
        }
        // The surface of a tilted line is not quite under its core: the flat side has a point there, too.
        if self.b.radius > 0.0 && matches!(features.a, Feature::Face(_)) {
            point_a = point_b - normal * separation;
        } else if self.a.radius > 0.0 && matches!(features.b, Feature::Face(_)) {
            point_b = point_a + normal * separation;
        }
        out.push(ContactPoint { point_a, point_b, normal, separation, features });
    }

    /// The corners of a patch that may stand over the other's face.
    fn corners<'p>(&self, patch: &'p Patch) -> impl Iterator<Item = (Point, Feature)> + use<'p> {
        let own = (0..patch.vertices.len()).filter(|&i| patch.has_vertex(i));
        own.map(|i| (patch.vertices[i], patch.vertex_features[i])).chain(patch.extras.iter().copied())
    }

    /// The foot of a corner on a face and the normal from A to B there; `sign` is 1 for a face of A. `None` for a corner beside the face.
    fn over_face(&self, face: &Patch, outline: &Outline, corner: &Point, sign: Real) -> Option<(Point, Vector)> {
        let seen = &Vector::new(self.axes.0.dot(&corner.coords), self.axes.1.dot(&corner.coords), 0.0);
        let mut inside = Real::INFINITY;
        for side in outline.sides.iter() {
            inside = inside.min(side.inside(seen));
        }
        if inside < -self.limits.snap {
            return None;
        }
        let height = (corner - face.vertices[0]).dot(&face.normal);
        if height > self.limits.margin + self.a.radius + self.b.radius {
            return None;
        }
        let cosine = sign * face.normal.dot(&self.axes.2);
        // How far apart the feet along the face's own normal and along the common direction are.
        let lateral = height.abs() * (1.0 - cosine * cosine).max(0.0).sqrt() / cosine.max(0.1);
        if inside >= lateral {
            return Some((corner - face.normal * height, face.normal * sign));
        }
        // Just beside the face: the nearest point of its outline.
        let mut foot = *corner;
        if inside < 0.0 {
            let mut nearest = (Real::INFINITY, 0, 0.0);
            for i in 0..outline.sides.len() {
                let (p, q) = (&outline.corners[i], &outline.corners[outline.next(i)]);
                let (dx, dy) = (q.x - p.x, q.y - p.y);
                let (x, y) = (seen.x - p.x, seen.y - p.y);
                let at = ((x * dx + y * dy) / (dx * dx + dy * dy).max(Real::MIN_POSITIVE)).clamp(0.0, 1.0);
                let squared = (x - dx * at) * (x - dx * at) + (y - dy * at) * (y - dy * at);
                if squared < nearest.0 {
                    nearest = (squared, i, at);
                }
            }
            let (squared, i, at) = nearest;
            // At a sharp corner the lines of both sides may be near and the corner itself far.
            if squared > self.limits.snap * self.limits.snap {
                return None;
            }
            let [p, q] = face.edge(i);
            foot = p + (q - p) * at;
            return Some((foot, if lateral <= self.limits.snap { face.normal * sign } else { self.axes.2 }));
        }
        let above = (foot - face.vertices[0]).dot(&face.normal) * sign;
        foot -= self.axes.2 * (above / cosine.max(0.1));
        Some((foot, if lateral <= self.limits.snap { face.normal * sign } else { self.axes.2 }))
    }

    /// The contact of side `i` of A and side `j` of B, which cross at these fractions seen along the common direction.
    fn crossing(&self, i: usize, j: usize, at_a: Real, at_b: Real, out: &mut Vec<ContactPoint>) {
        let ([a0, a1], [b0, b1]) = (self.a.edge(i), self.b.edge(j));
        let (along_a, along_b) = (a1 - a0, b1 - b0);
        let features = FeaturePair { a: self.a.edge_features[i], b: self.b.edge_features[j] };
        if let Some(normal) = self.own_normal(&along_a, &along_b)
            && let Some((at_a, at_b)) = crossing_along(&normal, &(b0 - a0), &along_a, &along_b)
            && (0.0..=1.0).contains(&at_a)
            && (0.0..=1.0).contains(&at_b)
        {
            self.push(a0 + along_a * at_a, b0 + along_b * at_b, normal, features, out);
        } else if self.is_across(self.a, &along_a) && self.is_across(self.b, &along_b) {
            self.push(a0 + along_a * at_a, b0 + along_b * at_b, self.axes.2, features, out);
        }
    }

    /// Whether the common direction leaves the rounded surface around an edge where its core says.
    fn is_across(&self, patch: &Patch, along: &Vector) -> bool {
        let lean = self.axes.2.dot(along) / along.norm();
        patch.radius * lean.abs() <= self.limits.snap
    }

    /// The normal of two crossing edges: that of their directions where both faces fall away from it, for there the edges are
    /// each other's nearest. Where only one of the faces rises over the other's edge, the edge lies over it and has its normal:
    /// an edge that lies along a face rises at one end and falls at the other by nothing but rounding.
    fn own_normal(&self, along_a: &Vector, along_b: &Vector) -> Option<Vector> {
        let cross = along_a.cross(along_b);
        let size = cross.norm();
        if size <= LEAST_CROSSING * along_a.norm() * along_b.norm() {
            return None;
        }
        let normal = cross * (1.0_f64.copysign(cross.dot(&self.axes.2)) / size);
        let falls_a = !self.a.is_face() || normal.dot(&self.a.normal.cross(along_a)) <= RISE * along_a.norm();
        let falls_b = !self.b.is_face() || normal.dot(&self.b.normal.cross(along_b)) >= -RISE * along_b.norm();
        // The surface around a line is found square to it only, whether the other's face falls away or not.
        let is_round = self.a.radius > 0.0 || self.b.radius > 0.0;
        match (falls_a || is_round, falls_b || is_round) {
            (true, true) => Some(normal),
            (true, false) => Some(-self.b.normal),
            (false, true) => Some(self.a.normal),
            (false, false) => None,
        }
    }
}

/// The way from a place of a patch's core to the rounded surface, as near as can be to the unit `direction`: a line's
/// surface lies square to it, except around its ends.
pub(super) fn to_surface(patch: &Patch, core: &Point, direction: &Vector) -> Vector {
    if patch.radius == 0.0 {
        return Vector::zeros();
    }
    let mut outward = *direction;
    if patch.vertices.len() == 2 {
        let [start, end] = patch.edge(0);
        let along = (end - start).normalize();
        let lean = direction.dot(&along);
        let is_end = (core - if lean > 0.0 { end } else { start }).norm_squared() == 0.0;
        if !is_end {
            outward = (direction - along * lean).normalize();
        }
    }
    outward * patch.radius
}

/// Appends the contacts of two segments, or of a segment and a point, that lie along each other: each end beside the
/// other's inside. Crossing segments have one contact only, their nearest points, which the caller knows already.
///
/// `normal` is the direction from A to B of the nearest points of the whole solids. Constant cost.
pub(super) fn line_contacts(a: &Patch, b: &Patch, normal: &Vector, limits: &Limits, out: &mut Vec<ContactPoint>) {
    if a.edge_count() != 1 || b.edge_count() != 1 {
        return;
    }
    let ([a0, a1], [b0, b1]) = (a.edge(0), b.edge(0));
    let (along_a, along_b) = (a1 - a0, b1 - b0);
    if along_a.cross(&along_b).norm() > PARALLEL * along_a.norm() * along_b.norm() {
        return;
    }
    let mut end = |corner: &Point, start: &Point, along: &Vector, features: FeaturePair, sign: Real| {
        let at = (corner - start).dot(along) / along.norm_squared();
        // Ends that coincide count for both sides; the copies are joined later.
        let snap = limits.snap / along.norm();
        if !(-snap..=1.0 + snap).contains(&at) {
            return;
        }
        let foot = start + along * at.clamp(0.0, 1.0);
        let (point_a, point_b) = if sign > 0.0 { (foot, *corner) } else { (*corner, foot) };
        let gap = point_b - point_a;
        let distance = gap.norm();
        // A tiny gap has no direction of its own (E26); a visible one that leads elsewhere is of other features.
        let own = if distance > 1e-3 * limits.margin.max(limits.snap) { gap / distance } else { *normal };
        if own.dot(normal) > FACING && (gap - own * gap.dot(&own)).norm() <= limits.snap {
            push_rounded([a.radius, b.radius], (point_a, point_b), own, features, limits, out);
        }
    };
    for (k, corner) in [b0, b1].iter().enumerate() {
        end(corner, &a0, &along_a, FeaturePair { a: a.edge_features[0], b: b.vertex_features[k] }, 1.0);
    }
    for (k, corner) in [a0, a1].iter().enumerate() {
        end(corner, &b0, &along_b, FeaturePair { a: a.vertex_features[k], b: b.edge_features[0] }, -1.0);
    }
}

/// Keeps a contact of two cores within the limits, its points moved onto the rounded surfaces.
pub(super) fn push_rounded(
    radii: [Real; 2],
    (point_a, point_b): (Point, Point),
    normal: Vector,
    features: FeaturePair,
    limits: &Limits,
    out: &mut Vec<ContactPoint>,
) {
    let separation = (point_b - point_a).dot(&normal) - radii[0] - radii[1];
    if separation <= limits.margin && separation >= limits.deepest {
        let point_a = point_a + normal * radii[0];
        let point_b = point_b - normal * radii[1];
        out.push(ContactPoint { point_a, point_b, normal, separation, features });
    }
}

/// The fractions where two lines cross seen along `direction`, where the second begins `between` from the first; `None` for
/// lines that are parallel seen so (erratum E26).
pub(super) fn crossing_along(
    direction: &Vector,
    between: &Vector,
    along_a: &Vector,
    along_b: &Vector,
) -> Option<(Real, Real)> {
    let (beside_a, beside_b) = (along_a.cross(direction), along_b.cross(direction));
    let determinant = along_a.dot(&beside_b);
    if determinant.abs() <= 1e-7 * along_a.norm() * along_b.norm() {
        return None;
    }
    Some((between.dot(&beside_b) / determinant, between.dot(&beside_a) / determinant))
}

/// The fractions where two lines are nearest to each other; `None` for parallel ones (erratum E26).
pub(super) fn nearest_on_lines(a: &Point, along_a: &Vector, b: &Point, along_b: &Vector) -> Option<(Real, Real)> {
    let between = b - a;
    let (aa, bb, ab) = (along_a.norm_squared(), along_b.norm_squared(), along_a.dot(along_b));
    let determinant = aa * bb - ab * ab;
    if determinant <= 1e-14 * aa * bb {
        return None;
    }
    let (da, db) = (between.dot(along_a), between.dot(along_b));
    Some(((da * bb - db * ab) / determinant, (da * ab - db * aa) / determinant))
}
