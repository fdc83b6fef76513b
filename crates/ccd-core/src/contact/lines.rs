//! The contacts of lines that lie along each other, and where lines cross or are nearest.

use super::ContactPoint;
use super::facing::push_rounded;
use super::limits::Limits;
use super::patch::Patch;
use super::triangle::FACING;
use crate::geometry::feature::FeaturePair;
use crate::math::{Point, Real, Vector};

/// Two lines that meet at less than this sine are long contacts, not crossings.
const PARALLEL: Real = 0.1;

/// Appends the contacts of two segments that lie along each other: each end beside the
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
    let mut end = |own: &Patch, k: usize, other: &Patch, features: FeaturePair, sign: Real| {
        let Some(End { corner, beside: [start, stop], square, normal: known }) = End::of(own, k, other) else { return };
        let along = stop - start;
        let at = (corner - start).dot(&square) / along.dot(&square);
        // Ends that coincide count for both sides; the copies are joined later.
        let snap = limits.snap / along.norm();
        if !(-snap..=1.0 + snap).contains(&at) {
            return;
        }
        let mut foot = start + along * at.clamp(0.0, 1.0);
        if let Some((place, _)) = other.bulge.as_ref().and_then(|bulge| bulge.over(&foot)) {
            foot = place;
        }
        let (point_a, point_b) = if sign > 0.0 { (foot, corner) } else { (corner, foot) };
        let gap = point_b - point_a;
        let distance = gap.norm();
        let direction = match known {
            Some(outward) => outward * -sign,
            // A tiny gap has no direction of its own (E26); a visible one that leads elsewhere is of other features.
            None if distance > 1e-3 * limits.margin.max(limits.snap) => gap / distance,
            None => *normal,
        };
        if direction.dot(normal) > FACING && (gap - direction * gap.dot(&direction)).norm() <= limits.snap {
            push_rounded([a.radius, b.radius], (point_a, point_b), direction, features, limits, out);
        }
    };
    for k in 0..2 {
        end(b, k, a, FeaturePair { a: a.edge_features[0], b: b.vertex_features[k] }, 1.0);
    }
    for k in 0..2 {
        end(a, k, b, FeaturePair { a: a.vertex_features[k], b: b.edge_features[0] }, -1.0);
    }
}

/// An end of a line beside another line.
struct End {
    corner: Point,
    /// The other line, from its first end.
    beside: [Point; 2],
    /// The place beside the corner is square to this.
    square: Vector,
    /// Unit, from the corner's solid to the other, where one of the two is smooth.
    normal: Option<Vector>,
}

impl End {
    /// End `k` of a segment beside another one: of generators those that look at each other there; `None` where one has the other's axis.
    fn of(own: &Patch, k: usize, other: &Patch) -> Option<Self> {
        let (ends, mut beside) = (own.edge(0), other.edge(0));
        let mut end = Self { corner: ends[k], beside, square: beside[1] - beside[0], normal: None };
        if let Some(lateral) = &other.lateral {
            let (generator, outward) = lateral.towards(&own.lateral.map_or(end.corner, |own| own.core()[k]))?;
            (end.beside, end.square, end.normal) = (generator, generator[1] - generator[0], Some(-outward));
        }
        if let Some(lateral) = &own.lateral {
            if let Some(lateral) = &other.lateral {
                beside = lateral.core();
            }
            end.square = ends[1] - ends[0];
            let along = beside[1] - beside[0];
            let at = (end.corner - beside[0]).dot(&end.square) / along.dot(&end.square);
            let (generator, outward) = lateral.towards(&(beside[0] + along * at))?;
            (end.corner, end.square, end.normal) = (generator[k], generator[1] - generator[0], Some(outward));
        }
        Some(end)
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
