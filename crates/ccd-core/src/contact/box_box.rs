//! Two boxes, the pair that stacks and heaps are made of.
//!
//! Idea: the 15 separating directions of two boxes (Gottschalk, Lin and Manocha 1996) give the direction of the
//! contact without any iteration; the faces that look along it give the contact points. Where the nearest points are
//! so found, the answer is complete; where they are beside both faces the general search has to finish it.

use super::ContactPoint;
use super::facing::{facing_contacts, push_rounded};
use super::limits::Limits;
use super::lines::{line_contacts, nearest_on_lines};
use super::patch::Patch;
use super::triangle::FACING;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Matrix, Point, Real, Vector};

/// A box placed in the frame of the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedBox {
    /// The middle.
    pub(super) centre: Point,
    /// The axes as columns.
    pub(super) axes: Matrix,
    /// Half the edge lengths, metres.
    pub(super) half_extents: Vector,
}

/// What is left to do after the box search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completeness {
    /// Every contact was found, the nearest points among them.
    Complete,
    /// The nearest points may be missing.
    NearestMissing,
}

/// Cross products of edges with a smaller sine are no directions of their own.
const PARALLEL_EDGES: Real = 1e-3;
/// The extents of a corner along each axis, by the vertex number's bits.
fn sign(vertex: u32, axis: usize) -> Real {
    if vertex >> axis & 1 == 1 { 1.0 } else { -1.0 }
}

impl PlacedBox {
    fn vertex(&self, number: u32) -> Point {
        let h = &self.half_extents;
        self.centre + self.axes * Vector::new(sign(number, 0) * h.x, sign(number, 1) * h.y, sign(number, 2) * h.z)
    }

    /// The face that looks along `direction` (of the query), as [`crate::geometry::primitive::Cuboid`] numbers it.
    pub(super) fn patch(&self, direction: &Vector) -> Patch {
        let local = self.axes.tr_mul(direction);
        let k = local.iamax();
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let positive = local[k] >= 0.0;
        let (u, v) = (1_u32 << i, 1_u32 << j);
        let base = u32::from(positive) << k;
        let corners =
            if positive { [base, base | u, base | u | v, base | v] } else { [base, base | v, base | u | v, base | u] };
        let outward = if positive { 1.0 } else { -1.0 };
        let mut patch = Patch::empty();
        patch.normal = self.axes.column(k) * outward;
        patch.face = Feature::Face(2 * k as u32 + u32::from(positive));
        for n in 0..4 {
            let edge = edge_between(corners[n], corners[(n + 1) % 4]);
            patch.push(self.vertex(corners[n]), Feature::Vertex(corners[n]), Feature::Edge(edge));
        }
        patch
    }

    /// The edge along axis `k` that is furthest along `direction`, from its lower end, with its number.
    fn edge_towards(&self, k: usize, direction: &Vector) -> (Point, Vector, u32) {
        let local = self.axes.tr_mul(direction);
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let from = u32::from(local[i] >= 0.0) << i | u32::from(local[j] >= 0.0) << j;
        (self.vertex(from), self.axes.column(k) * (2.0 * self.half_extents[k]), edge_between(from, from | 1 << k))
    }
}

/// The number of the edge between two corners.
fn edge_between(from: u32, to: u32) -> u32 {
    let k = (from ^ to).trailing_zeros();
    let side = |axis: u32| from >> (axis % 3) & 1;
    4 * k + (side(k + 1) | side(k + 2) << 1)
}

/// The direction from A to B along which the boxes are furthest apart (overlap least) among the 15.
struct Axis {
    normal: Vector,
    separation: Real,
    /// The axes of the edges, for a cross product.
    edges: Option<(usize, usize)>,
}

/// `None` when the boxes are further apart than `margin` along one of the directions.
fn separating_axis(a: &PlacedBox, b: &PlacedBox, limits: &Limits) -> Option<Axis> {
    let rotation = a.axes.tr_mul(&b.axes);
    let spread = rotation.abs();
    let offset = b.centre - a.centre;
    let (in_a, in_b) = (a.axes.tr_mul(&offset), b.axes.tr_mul(&offset));
    let apart_a = in_a.abs() - a.half_extents - spread * b.half_extents;
    let apart_b = in_b.abs() - b.half_extents - spread.tr_mul(&a.half_extents);
    let (ka, kb) = (apart_a.imax(), apart_b.imax());
    if apart_a[ka] > limits.margin || apart_b[kb] > limits.margin {
        return None;
    }
    // A hair in favour of A's faces: for equal ones the choice must not depend on rounding.
    let mut best = if apart_b[kb] > apart_a[ka] + limits.snap {
        Axis { normal: b.axes.column(kb) * 1.0_f64.copysign(in_b[kb]), separation: apart_b[kb], edges: None }
    } else {
        Axis { normal: a.axes.column(ka) * 1.0_f64.copysign(in_a[ka]), separation: apart_a[ka], edges: None }
    };
    let (ha, hb) = (&a.half_extents, &b.half_extents);
    let mut crossed: Option<(Real, usize, usize, Real)> = None;
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let squared = 1.0 - rotation[(i, j)] * rotation[(i, j)];
            if squared < PARALLEL_EDGES * PARALLEL_EDGES {
                continue;
            }
            let along = in_a[i2] * rotation[(i1, j)] - in_a[i1] * rotation[(i2, j)];
            let radius_a = ha[i1] * spread[(i2, j)] + ha[i2] * spread[(i1, j)];
            let radius_b = hb[j1] * spread[(i, j2)] + hb[j2] * spread[(i, j1)];
            let apart = (along.abs() - radius_a - radius_b) / squared.sqrt();
            if apart > limits.margin {
                return None;
            }
            if crossed.is_none_or(|(best, ..)| apart > best) {
                crossed = Some((apart, i, j, along));
            }
        }
    }
    // Edges must win clearly: where they tie with a face, the face's contacts hold the edges' too.
    if let Some((apart, i, j, along)) = crossed
        && apart > best.separation + limits.snap
    {
        let cross = a.axes.column(i).cross(&b.axes.column(j)).normalize();
        best = Axis { normal: cross * 1.0_f64.copysign(along), separation: apart, edges: Some((i, j)) };
    }
    Some(best)
}

/// Appends the contacts of two boxes, before any reduction.
pub(super) fn box_box_contacts(
    a: &PlacedBox,
    b: &PlacedBox,
    limits: &Limits,
    out: &mut Vec<ContactPoint>,
) -> Completeness {
    let Some(axis) = separating_axis(a, b, limits) else { return Completeness::Complete };
    let n = axis.normal;
    let start = out.len();
    let (patch_a, patch_b) = (a.patch(&n), b.patch(&-n));
    // Deeper than the least overlap along any direction is no contact of these faces.
    let deepest = limits.deepest.max(2.0 * axis.separation.min(0.0) - limits.margin);
    let limits = &Limits { deepest, ..*limits };
    patch_contacts(&patch_a, &patch_b, &n, limits, out);
    if let Some((i, j)) = axis.edges {
        let (start_a, along_a, edge_a) = a.edge_towards(i, &n);
        let (start_b, along_b, edge_b) = b.edge_towards(j, &-n);
        if let Some((at_a, at_b)) = nearest_on_lines(&start_a, &along_a, &start_b, &along_b)
            && (0.0..=1.0).contains(&at_a)
            && (0.0..=1.0).contains(&at_b)
        {
            let features = FeaturePair { a: Feature::Edge(edge_a), b: Feature::Edge(edge_b) };
            if !out[start..].iter().any(|c| c.features == features) {
                let points = (start_a + along_a * at_a, start_b + along_b * at_b);
                push_rounded([0.0; 2], points, n, features, limits, out);
            }
        }
    }
    // No pair of points is nearer than the boxes are apart along any direction: a contact this near is the nearest.
    let nearest = out[start..].iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
    if nearest <= axis.separation + limits.snap { Completeness::Complete } else { Completeness::NearestMissing }
}

/// Appends the contacts of two patches that look along `normal` and against it: of faces, of a face with an edge, of edges along each other.
pub(super) fn patch_contacts(a: &Patch, b: &Patch, normal: &Vector, limits: &Limits, out: &mut Vec<ContactPoint>) {
    let height = kept_height(a, b, limits);
    let (looks_a, looks_b) =
        (a.is_face() && a.normal.dot(normal) > FACING, b.is_face() && b.normal.dot(normal) < -FACING);
    match (looks_a, looks_b) {
        (true, true) if a.normal.dot(&b.normal) < -FACING => facing_contacts(a, b, limits, out),
        (true, _) => facing_contacts(a, &b.part_against(&a.normal, height), limits, out),
        (false, true) => facing_contacts(&a.part_against(&b.normal, height), b, limits, out),
        (false, false) => edge_contacts(a, b, normal, limits, out),
    }
}

/// Appends the contacts of the edges of two patches that are nearest to each other along `normal`, if they lie along each other.
pub(super) fn edge_contacts(a: &Patch, b: &Patch, normal: &Vector, limits: &Limits, out: &mut Vec<ContactPoint>) {
    let height = kept_height(a, b, limits);
    line_contacts(&a.lowest_part(&-normal, height), &b.lowest_part(normal, height), normal, limits, out);
}

/// How far above its lowest corner a patch is looked at: what is higher has no contact, even if the other is tilted too.
fn kept_height(a: &Patch, b: &Patch, limits: &Limits) -> Real {
    4.0 * limits.margin + a.radius + b.radius
}
