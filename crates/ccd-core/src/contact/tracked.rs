//! The three closed-form rules by which a contact's points move along its features.
//!
//! A contact keeps its features; its points are each other's nearest on them: of a vertex and an edge, of a vertex and a
//! face, or of two edges. It ends where its points leave the features' Voronoi regions, or come further apart than the
//! threshold.
//!
//! Source: Mirtich 1998, section 3.2. Departures: parallel edges have no rule of their own and are reported so (erratum
//! E26), and the normal of points too close to have a direction comes from the features (E26), its side from the
//! contact's last normal.

use super::ContactPoint;
use super::lines::nearest_on_lines;
use super::manifold::ContactSearch;
use super::piece::{Piece, piece};
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;

/// Which rule moves a contact's points while its features stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrackingRule {
    /// Case 1 of the paper: the nearest point of an edge to a vertex.
    VertexEdge,
    /// Case 2 of the paper: the nearest point of a face to a vertex.
    VertexFace,
    /// Case 3 of the paper: the nearest points of two edges.
    EdgeEdge,
    /// Points of vertices do not move.
    VertexVertex,
    /// Faces with edges or faces: no points of their own (their rims have them), or curved surfaces; found anew each time.
    Surface,
}

impl TrackingRule {
    /// The rule for two features.
    pub fn of(features: &FeaturePair) -> Self {
        use Feature::{Edge, Face, Vertex};
        match (features.a, features.b) {
            (Vertex(_), Vertex(_)) => Self::VertexVertex,
            (Vertex(_), Edge(_)) | (Edge(_), Vertex(_)) => Self::VertexEdge,
            (Vertex(_), Face(_)) | (Face(_), Vertex(_)) => Self::VertexFace,
            (Edge(_), Edge(_)) => Self::EdgeEdge,
            (Face(_), _) | (_, Face(_)) => Self::Surface,
        }
    }
}

/// What became of a contact when its bodies moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tracked {
    /// Its points on the same features.
    Active(ContactPoint),
    /// A point has left its feature: what touches there, if anything, is a neighbour of it.
    LeftRegion,
    /// The points are further apart than the threshold.
    Separated {
        /// Metres.
        separation: Real,
    },
    /// The features have no closed form: curved surfaces, parallel edges, or features that the shapes do not have.
    Untracked,
}

/// How far outside a Voronoi region, as a share of the feature's size, a point may lie and still count as in it: rounding.
const EDGE_OF_REGION: Real = 1e-9;
/// Distances below this, metres, have no direction worth taking.
const NO_DIRECTION: Real = 1e-9;

/// Where the contact's points are now that the bodies are at these poses; `last` is the contact as it was.
///
/// Spheres and capsules are tracked by their centres and axes. The separation is signed by the last normal's side: points
/// that passed through each other have a negative one. Constant cost, but for the corners of a face.
pub fn track(
    last: &ContactPoint,
    (shape_a, pose_a): (&Shape, &Pose),
    (shape_b, pose_b): (&Shape, &Pose),
    threshold: Real,
) -> Tracked {
    let dent = ContactSearch::within(threshold).dent();
    let (Some(a), Some(b)) = (piece(shape_a, last.features.a, dent), piece(shape_b, last.features.b, dent)) else {
        return Tracked::Untracked;
    };
    let (radius_a, radius_b) = (a.radius, b.radius);
    let (a, b) = (a.placed(pose_a), b.placed(pose_b));
    let found = match (&a, &b) {
        (Piece::Vertex(p), Piece::Vertex(q)) => Ok((*p, *q, direction(p, q, &last.normal))),
        (Piece::Vertex(p), Piece::Edge(e)) => on_edge(p, e).map(|q| (*p, q, beside(p, &q, e, &last.normal))),
        (Piece::Edge(e), Piece::Vertex(q)) => on_edge(q, e).map(|p| (p, *q, beside(&p, q, e, &last.normal))),
        (Piece::Vertex(p), Piece::Face(f)) => {
            f.foot(p).ok_or(Tracked::LeftRegion).map(|q| (*p, q, on_side(&f.normal, &last.normal)))
        }
        (Piece::Face(f), Piece::Vertex(q)) => {
            f.foot(q).ok_or(Tracked::LeftRegion).map(|p| (p, *q, on_side(&f.normal, &last.normal)))
        }
        (Piece::Edge(e), Piece::Edge(f)) => crossing(e, f, &last.normal),
        _ => Err(Tracked::Untracked),
    };
    match found {
        Err(ended) => ended,
        Ok((core_a, core_b, normal)) => {
            let separation = (core_b - core_a).dot(&normal) - radius_a - radius_b;
            if separation > threshold {
                return Tracked::Separated { separation };
            }
            let (point_a, point_b) = (core_a + normal * radius_a, core_b - normal * radius_b);
            Tracked::Active(ContactPoint { point_a, point_b, normal, separation, features: last.features })
        }
    }
}

/// A face's normal or its opposite: from A to B, as before. A soup's face has two sides.
fn on_side(normal: &Vector, last: &Vector) -> Vector {
    if normal.dot(last) < 0.0 { -normal } else { *normal }
}

/// The unit direction from `p` to `q`, on the side of `last`; `last` itself where they are in one place.
fn direction(p: &Point, q: &Point, last: &Vector) -> Vector {
    match (q - p).try_normalize(NO_DIRECTION) {
        Some(n) if n.dot(last) < 0.0 => -n,
        Some(n) => n,
        None => *last,
    }
}

/// The same for points of which one is the nearest of an edge: square to the edge in any case.
fn beside(p: &Point, q: &Point, edge: &[Point; 2], last: &Vector) -> Vector {
    let Some(along) = (edge[1] - edge[0]).try_normalize(0.0) else { return *last };
    let across = |v: Vector| v - along * along.dot(&v);
    match across(q - p).try_normalize(NO_DIRECTION).or_else(|| across(*last).try_normalize(NO_DIRECTION)) {
        Some(n) if n.dot(last) < 0.0 => -n,
        Some(n) => n,
        None => *last,
    }
}

/// Rule 1: the nearest point of the edge, between the two planes that bound its Voronoi region at its ends.
fn on_edge(p: &Point, edge: &[Point; 2]) -> Result<Point, Tracked> {
    let along = edge[1] - edge[0];
    let at = (p - edge[0]).dot(&along) / along.norm_squared();
    if (-EDGE_OF_REGION..=1.0 + EDGE_OF_REGION).contains(&at) {
        Ok(edge[0] + along * at.clamp(0.0, 1.0))
    } else {
        Err(Tracked::LeftRegion)
    }
}

/// Rule 3: the nearest points of two edges, each between the ends of its edge.
fn crossing(e: &[Point; 2], f: &[Point; 2], last: &Vector) -> Result<(Point, Point, Vector), Tracked> {
    let (along_e, along_f) = (e[1] - e[0], f[1] - f[0]);
    let (at_e, at_f) = nearest_on_lines(&e[0], &along_e, &f[0], &along_f).ok_or(Tracked::Untracked)?;
    let normal = along_e.cross(&along_f).try_normalize(0.0).ok_or(Tracked::Untracked)?;
    let within = |at: Real| (-EDGE_OF_REGION..=1.0 + EDGE_OF_REGION).contains(&at);
    if !within(at_e) || !within(at_f) {
        return Err(Tracked::LeftRegion);
    }
    let normal = if normal.dot(last) < 0.0 { -normal } else { normal };
    Ok((e[0] + along_e * at_e.clamp(0.0, 1.0), f[0] + along_f * at_f.clamp(0.0, 1.0), normal))
}
