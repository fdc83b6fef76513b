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
use super::limits::Limits;
use super::lines::crossing_along;
use super::patch::Patch;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Real, Vector, orthonormal_basis};

/// Two edges that cross at less than this sine have no normal of their own worth using.
const LEAST_CROSSING: Real = 0.02;
/// Sides that cross at less than this sine, seen along the normal, lie over each other: where is rounding. Corners that are in one have their own contacts.
const OVER_EACH_OTHER: Real = 1e-9;
/// How far, as a sine, a face may rise above the plane of its edge's contact and still count as falling away.
const RISE: Real = 1e-9;

/// A side of a patch seen along the normal: `inward · p - offset` is the distance of `p` inside it, metres.
#[derive(Clone, Copy)]
pub(super) struct Side {
    x: Real,
    y: Real,
    offset: Real,
}

impl Side {
    #[inline]
    pub(super) fn inside(&self, p: &Vector) -> Real {
        self.x * p.x + self.y * p.y - self.offset
    }

    #[inline]
    fn lies_over(&self, other: &Self) -> bool {
        (self.x * other.y - self.y * other.x).abs() < OVER_EACH_OTHER
    }
}

/// A patch seen along the normal.
pub(super) struct Outline {
    corners: Buffer<Vector, 8>,
    pub(super) sides: Buffer<Side, 8>,
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
    // The sides of the polygon that stands for a round face bound nothing: its rim does.
    if a.rim.is_some() || b.rim.is_some() {
        emit.on_rim(a, &seen_a, b, 1.0, out);
        emit.on_rim(b, &seen_b, a, -1.0, out);
        return;
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
            if from_b * to_b >= 0.0 || !b.has_edge(j) || side.lies_over(&seen_b.sides[j]) {
                continue;
            }
            let (from_a, to_a) = (seen_b.sides[j].inside(p), seen_b.sides[j].inside(q));
            if from_a * to_a < 0.0 {
                let line =
                    |[start, end]: [Point; 2], at: Real| Line { start, along: end - start, at, ends: [0.0, 1.0] };
                let line_a = line(a.edge(i), from_a / (from_a - to_a));
                let line_b = line(b.edge(j), from_b / (from_b - to_b));
                let features = FeaturePair { a: a.edge_features[i], b: b.edge_features[j] };
                emit.crossing(&line_a, &line_b, features, out);
            }
        }
    }
}

/// An edge that another one crosses.
pub(super) struct Line {
    pub(super) start: Point,
    pub(super) along: Vector,
    /// The fraction at which it does, seen along the common direction.
    pub(super) at: Real,
    /// The fractions at which it begins and ends.
    pub(super) ends: [Real; 2],
}

impl Line {
    #[inline]
    fn has(&self, at: Real) -> bool {
        (self.ends[0]..=self.ends[1]).contains(&at)
    }

    #[inline]
    fn place(&self, at: Real) -> Point {
        self.start + self.along * at
    }
}

/// What every contact of one pair of patches shares.
pub(super) struct Emitter<'a> {
    pub(super) a: &'a Patch,
    pub(super) b: &'a Patch,
    pub(super) limits: &'a Limits,
    pub(super) axes: (Vector, Vector, Vector),
}

impl Emitter<'_> {
    /// Moves the points from the cores to the rounded surfaces and keeps the contact if it is within the limits.
    fn push(&self, core_a: Point, core_b: Point, normal: Vector, features: FeaturePair, out: &mut Vec<ContactPoint>) {
        let mut point_a = core_a + self.a.to_surface(&core_a, &normal);
        let mut point_b = core_b + self.b.to_surface(&core_b, &-normal);
        let normal = self.onto_bulges(&mut point_a, &mut point_b, normal, &features);
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

    /// Moves what is on a side that counts as flat, but for its corners, onto the surface, and returns the normal from A to B there.
    fn onto_bulges(&self, point_a: &mut Point, point_b: &mut Point, normal: Vector, features: &FeaturePair) -> Vector {
        let mut found = normal;
        let sides = [(self.a, features.a, 1.0), (self.b, features.b, -1.0)];
        for (side, feature, sign) in sides {
            let Some(bulge) = &side.bulge else { continue };
            let (own, other) = if sign > 0.0 { (&mut *point_a, *point_b) } else { (&mut *point_b, *point_a) };
            match feature {
                Feature::Vertex(_) => {}
                Feature::Edge(_) => {
                    if let Some((place, _)) = bulge.over(own) {
                        *own = place;
                    }
                }
                // Others are places of the surface, too.
                Feature::Face(_) if feature != side.face => {}
                Feature::Face(_) => {
                    if let Some((foot, outward)) = bulge.foot(own, &other) {
                        (*own, found) = (foot, outward * sign);
                    }
                }
            }
        }
        found
    }

    /// The corners of a patch that may stand over the other's face.
    fn corners<'p>(&self, patch: &'p Patch) -> impl Iterator<Item = (Point, Feature)> + use<'p> {
        let own = (0..patch.vertices.len()).filter(|&i| patch.has_vertex(i));
        own.map(|i| (patch.vertices[i], patch.vertex_features[i])).chain(patch.extras.iter().copied())
    }

    /// The foot of a corner on a face and the normal from A to B there; `sign` is 1 for a face of A. `None` for a corner beside the face.
    fn over_face(&self, face: &Patch, outline: &Outline, corner: &Point, sign: Real) -> Option<(Point, Vector)> {
        if let Some(rim) = &face.rim {
            return self.over_round_face(face, rim, corner, sign);
        }
        let seen = &self.seen(corner);
        // How far inside the sides at which the surface ends or bends, and inside the seams, across which it goes on.
        let (mut inside, mut of_seams) = (Real::INFINITY, Real::INFINITY);
        for (i, side) in outline.sides.iter().enumerate() {
            let least = if face.has_edge(i) { &mut inside } else { &mut of_seams };
            *least = least.min(side.inside(seen));
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
        if inside >= lateral || of_seams < -self.limits.snap {
            let foot = corner - face.normal * height;
            return if of_seams >= lateral {
                Some((foot, face.normal * sign))
            } else {
                self.on_flat_piece(face, outline, foot).map(|foot| (foot, face.normal * sign))
            };
        }
        let inside = inside.min(of_seams);
        // Near a true edge the normal is the common direction. With the way from the edge's nearest place it would be nearer to the true one, and
        // a heap of 2,000 boxes that came to rest otherwise crept on for as long as it was watched.
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
            return Some((foot, self.normal_beside(face, &foot, lateral, sign)));
        }
        let above = (foot - face.vertices[0]).dot(&face.normal) * sign;
        foot -= self.axes.2 * (above / cosine.max(0.1));
        Some((foot, self.normal_beside(face, &foot, lateral, sign)))
    }

    /// The place of a triangle that is a foot on its plane, or within rounding of it: of a flat piece, the triangle that has it.
    fn on_flat_piece(&self, face: &Patch, outline: &Outline, foot: Point) -> Option<Point> {
        let seen = &self.seen(&foot);
        let inside = outline.sides.iter().fold(Real::INFINITY, |least, side| least.min(side.inside(seen)));
        if inside >= 0.0 {
            return Some(foot);
        }
        let nearest = (0..outline.sides.len()).map(|i| {
            let [p, q] = face.edge(i);
            let along = q - p;
            let at = (foot - p).dot(&along) / along.norm_squared().max(Real::MIN_POSITIVE);
            p + along * at.clamp(0.0, 1.0)
        });
        let away = |place: &Point| (place - foot).norm_squared();
        let nearest = nearest.min_by(|p, q| away(p).total_cmp(&away(q)))?;
        (away(&nearest) <= self.limits.snap * self.limits.snap).then_some(nearest)
    }

    /// The normal from A to B at a foot on the outline of a face, beside which the corner is.
    fn normal_beside(&self, face: &Patch, foot: &Point, lateral: Real, sign: Real) -> Vector {
        let of_faces = || if lateral <= self.limits.snap { face.normal * sign } else { self.axes.2 };
        self.smooth_normal_at(foot, sign).unwrap_or_else(of_faces)
    }

    /// The normal from A to B at a foot on the outline of a face, where the other surface is smooth.
    pub(super) fn smooth_normal_at(&self, foot: &Point, sign: Real) -> Option<Vector> {
        let other = if sign > 0.0 { self.b } else { self.a };
        let of_generator = other.lateral.and_then(|lateral| lateral.towards(foot)).map(|(_, outward)| outward);
        of_generator.or(other.curved).map(|outward| outward * -sign)
    }

    /// A place seen along the common direction.
    pub(super) fn seen(&self, place: &Point) -> Vector {
        Vector::new(self.axes.0.dot(&place.coords), self.axes.1.dot(&place.coords), 0.0)
    }

    /// The contact of an edge of A and one of B that cross seen along the common direction.
    fn crossing(&self, a: &Line, b: &Line, features: FeaturePair, out: &mut Vec<ContactPoint>) {
        if !self.own_crossing(a, b, features, out) {
            self.seen_crossing((a.place(a.at), &a.along), (b.place(b.at), &b.along), self.axes.2, features, out);
        }
    }

    /// The contact of an edge of A and one of B along the normal of the two. Returns whether they cross seen along it.
    pub(super) fn own_crossing(&self, a: &Line, b: &Line, features: FeaturePair, out: &mut Vec<ContactPoint>) -> bool {
        let Some(normal) = self.own_normal(&a.along, &b.along) else { return false };
        let crossing = crossing_along(&normal, &(b.start - a.start), &a.along, &b.along);
        let Some((at_a, at_b)) = crossing.filter(|&(at_a, at_b)| a.has(at_a) && b.has(at_b)) else { return false };
        self.push(a.place(at_a), b.place(at_b), normal, features, out);
        true
    }

    /// The contact of a place of an edge of A and one of an edge of B that lie over each other along `direction`.
    pub(super) fn seen_crossing(
        &self,
        (place_a, along_a): (Point, &Vector),
        (place_b, along_b): (Point, &Vector),
        direction: Vector,
        features: FeaturePair,
        out: &mut Vec<ContactPoint>,
    ) {
        // Whether it leaves the rounded surface around the edge where its core says.
        let is_across = |patch: &Patch, along: &Vector| {
            let lean = direction.dot(along) / along.norm();
            patch.radius * lean.abs() <= self.limits.snap
        };
        if is_across(self.a, along_a) && is_across(self.b, along_b) {
            self.push(place_a, place_b, direction, features, out);
        }
    }

    /// The normal of two crossing edges: that of their directions where both faces fall away from it, for there the edges are
    /// each other's nearest. Where only one of the faces rises over the other's edge, the edge lies over it and has its normal:
    /// an edge that lies along a face rises at one end and falls at the other by nothing but rounding.
    pub(super) fn own_normal(&self, along_a: &Vector, along_b: &Vector) -> Option<Vector> {
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
