//! Distance and depth of compounds: branch and bound over pairs of parts, each by its own way.

mod depth;
mod touch;

use std::cell::RefCell;
use std::ops::ControlFlow;

use super::inner_places::{InnerPlaces, Inside};
use super::method::convex_pair;
use super::overlap::overlap_of_hollow;
use super::way_out::Gap;
use super::{ClosestError, ClosestMethod, Local, PairMemory, search};
use crate::bounds::tree::NodeKind;
use crate::detection::compound_piece::CompoundPiece;
use crate::detection::dispatch::needs_cells;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Point, Pose, Real, Vector};
use crate::shape::Shape;
use crate::shape::compound::Compound;
use crate::volume::Aabb;

/// Pairs of overlapping parts whose directions are tried as ways out of a common overlap.
const MAX_WAYS: usize = 24;

/// Two solids of which at least one is a compound, within `limit`; `b_in_a` places B in A's frame.
///
/// The depth of an overlap is exact where undoing the deepest overlap of two parts undoes all of them; else it is the
/// [least way out](super::way_out) that the overlapping parts, the axes and the line of the centres lead to: it certainly separates.
///
/// The search begins with the pair of parts that was nearest the last time, and each pair of convex parts where it left off.
pub(super) fn with_compound(
    a: &Shape,
    b: &Shape,
    b_in_a: &Pose,
    limit: Real,
    method: ClosestMethod,
    memory: &mut PairMemory,
) -> Result<Option<Local>, ClosestError> {
    let (side_a, side_b) = (Side::of(a), Side::of(b));
    let kept = RefCell::new(std::mem::take(memory));
    let pairs = Pairs { a: &side_a, b: &side_b, b_in_a: *b_in_a, method, memory: &kept, inner: None };
    let found = match pairs.nearest(limit, None) {
        Ok(Some(Nearest { found, overlapping })) if found.distance < 0.0 => {
            pairs.deepest(found, &overlapping).map(Some)
        }
        Ok(None) if limit == Real::INFINITY => {
            let (kind_a, kind_b) = (a.as_solid().kind(), b.as_solid().kind());
            let is_any_empty = is_empty(a) || is_empty(b);
            let error = if is_any_empty {
                ClosestError::Empty { kind_a, kind_b }
            } else {
                ClosestError::NoPointFound { kind_a, kind_b }
            };
            Err(error)
        }
        other => other.map(|nearest| nearest.map(|nearest| nearest.found)),
    };
    *memory = kept.into_inner();
    found
}

/// The nearest of all pairs of parts but one within `limit`, or the deepest of them.
pub(super) fn nearest_of_others(
    a: &Shape,
    b: &Shape,
    b_in_a: &Pose,
    limit: Real,
    but: [u32; 2],
) -> Result<Option<Local>, ClosestError> {
    let (side_a, side_b, memory) = (Side::of(a), Side::of(b), RefCell::default());
    let pairs =
        Pairs { a: &side_a, b: &side_b, b_in_a: *b_in_a, method: ClosestMethod::Auto, memory: &memory, inner: None };
    Ok(pairs.nearest(limit, Some(but))?.map(|nearest| nearest.found))
}

/// Whether two solids of which at least one is a compound overlap or touch.
pub(super) fn overlap(a: &Shape, b: &Shape, b_in_a: &Pose) -> Result<bool, ClosestError> {
    let (side_a, side_b, memory) = (Side::of(a), Side::of(b), RefCell::default());
    let method = ClosestMethod::Auto;
    Pairs { a: &side_a, b: &side_b, b_in_a: *b_in_a, method, memory: &memory, inner: None }.overlap(true)
}

enum Side<'s> {
    Parts(&'s Compound),
    Whole(&'s Shape),
}

impl<'s> Side<'s> {
    /// The part of this number, if there is one.
    fn numbered(&self, number: u32) -> Option<CompoundPiece> {
        match self {
            Self::Parts(compound) => {
                ((number as usize) < compound.parts().len()).then_some(CompoundPiece::Part(number))
            }
            Self::Whole(_) => Some(CompoundPiece::Whole),
        }
    }

    fn of(shape: &'s Shape) -> Self {
        shape.as_compound().map_or(Self::Whole(shape), Self::Parts)
    }

    fn root(&self) -> CompoundPiece {
        match self {
            Self::Parts(_) => CompoundPiece::Node(0),
            Self::Whole(_) => CompoundPiece::Whole,
        }
    }

    /// Whether a part is told apart from others by a search over cells.
    fn has_cells(&self) -> bool {
        match self {
            Self::Parts(compound) => compound.parts().iter().any(|part| has_cells(&part.shape)),
            Self::Whole(shape) => has_cells(shape),
        }
    }

    /// The piece's box; `None` for what is unbounded.
    fn aabb(&self, piece: CompoundPiece) -> Option<Aabb> {
        match (self, piece) {
            (Self::Parts(compound), CompoundPiece::Node(node)) => Some(compound.tree().node(node).aabb),
            (Self::Parts(compound), CompoundPiece::Part(part)) => Some(*compound.part_box(part)),
            (Self::Parts(compound), CompoundPiece::Whole) => Some(compound.tree().aabb()),
            (Self::Whole(shape), _) => shape.is_bounded().then(|| shape.as_solid().local_aabb()),
        }
    }

    fn is_half_space(&self) -> bool {
        matches!(self, Self::Whole(Shape::HalfSpace(_)))
    }

    fn children(&self, piece: CompoundPiece) -> Vec<CompoundPiece> {
        let (Self::Parts(compound), CompoundPiece::Node(node)) = (self, piece) else { return Vec::new() };
        match compound.tree().node(node).kind {
            NodeKind::Inner { left, right } => vec![CompoundPiece::Node(left), CompoundPiece::Node(right)],
            NodeKind::Leaf { first, count } => {
                compound.tree().items(first, count).iter().map(|&part| CompoundPiece::Part(part)).collect()
            }
        }
    }

    fn placed(&self, piece: CompoundPiece) -> (&'s Shape, Pose) {
        match (self, piece) {
            (Self::Parts(compound), CompoundPiece::Part(part)) => {
                let part = &compound.parts()[part as usize];
                (&part.shape, part.pose)
            }
            (Self::Whole(shape), _) => (shape, Pose::identity()),
            (Self::Parts(_), _) => unreachable!("only parts are asked"),
        }
    }

    /// The axes of the solid placed so, or of its parts: sides of boxes and caps face along them.
    fn axes(&self, pose: &Pose) -> impl Iterator<Item = Vector> + use<> {
        let poses: Vec<Pose> = match self {
            Self::Parts(compound) => compound.parts().iter().take(MAX_WAYS).map(|part| pose * part.pose).collect(),
            Self::Whole(_) => vec![*pose],
        };
        let of = |pose: Pose| [Vector::x(), Vector::y(), Vector::z()].map(|axis| pose.rotation * axis);
        poses.into_iter().flat_map(of)
    }

    fn feature(&self, piece: CompoundPiece, feature: Feature) -> Feature {
        match (self, piece) {
            (Self::Parts(compound), CompoundPiece::Part(part)) => compound.feature_of_part(part, feature),
            _ => feature,
        }
    }
}

impl Inside for &Side<'_> {
    fn aabb(&self) -> Aabb {
        Side::aabb(self, self.root()).unwrap_or(Aabb {
            min: Point::from(Vector::repeat(Real::NEG_INFINITY)),
            max: Point::from(Vector::repeat(Real::INFINITY)),
        })
    }

    fn contains(&self, place: &Point) -> bool {
        let holds = |shape: &Shape, place: &Point| shape.as_field().is_some_and(|field| field.contains(place));
        match self {
            Side::Parts(compound) => (0..).zip(compound.parts()).any(|(number, part)| {
                compound.part_box(number).distance_to_point(place) <= 0.0
                    && holds(&part.shape, &part.pose.inverse_transform_point(place))
            }),
            Side::Whole(shape) => holds(shape, place),
        }
    }
}

/// What a look at all pairs of parts found.
struct Nearest {
    /// The nearest pair, or the deepest.
    found: Local,
    /// All that overlap.
    overlapping: Vec<Gap>,
}

/// The pairs of pieces at a placement.
struct Pairs<'p, 's> {
    a: &'p Side<'s>,
    b: &'p Side<'s>,
    b_in_a: Pose,
    method: ClosestMethod,
    memory: &'p RefCell<PairMemory>,
    /// Where parts are fields: places inside.
    inner: Option<&'p InnerPlaces<&'p Side<'s>>>,
}

impl Pairs<'_, '_> {
    /// The nearest pair of parts within `limit`, or the deepest if any overlap; of all but one, if that is named.
    fn nearest(&self, limit: Real, but: Option<[u32; 2]>) -> Result<Option<Nearest>, ClosestError> {
        let mut best: Option<(Local, [CompoundPiece; 2])> = None;
        let mut overlapping = Vec::new();
        let mut iterations = 0;
        let mut look = |pieces: [CompoundPiece; 2], limit: Real| {
            if but == Some(pieces.map(CompoundPiece::number)) {
                return Ok(limit);
            }
            if let Some(found) = self.ask(pieces[0], pieces[1], limit)? {
                iterations += found.iterations;
                if found.distance < 0.0 {
                    overlapping.push(Gap::of(&found));
                }
                if best.is_none_or(|(b, _)| found.distance < b.distance) {
                    best = Some((found, pieces));
                }
            }
            // Overlapping parts all count; else nothing further than the nearest is of interest.
            Ok(best.map_or(limit, |(b, _)| b.distance.max(0.0)))
        };
        let last = self.memory.borrow().nearest.and_then(|[i, j]| Some([self.a.numbered(i)?, self.b.numbered(j)?]));
        let limit = last.map_or(Ok(limit), |pieces| look(pieces, limit))?;
        self.walk(limit, |m, n, limit| {
            let is_known = last == Some([m, n]);
            Ok(ControlFlow::Continue(if is_known { limit } else { look([m, n], limit)? }))
        })?;
        self.memory.borrow_mut().nearest = best.map(|(_, pieces)| pieces.map(CompoundPiece::number));
        if let Some((found, pieces)) = best
            && let Some(touch) = self.touch(&found, pieces, but)?
        {
            return Ok(Some(Nearest { found: Local { iterations, ..touch }, overlapping: Vec::new() }));
        }
        Ok(best.map(|(found, _)| Nearest { found: Local { iterations, ..found }, overlapping }))
    }

    /// Whether any two parts overlap; `or_touch`, where those are convex, or touch.
    fn overlap(&self, or_touch: bool) -> Result<bool, ClosestError> {
        let mut overlap = false;
        self.walk(0.0, |m, n, _| {
            overlap = self.parts_overlap(m, n, or_touch)?;
            Ok(if overlap { ControlFlow::Break(()) } else { ControlFlow::Continue(0.0) })
        })?;
        Ok(overlap)
    }

    /// The same of two parts. How deep those overlap that are not convex is not found out for that.
    fn parts_overlap(&self, m: CompoundPiece, n: CompoundPiece, or_touch: bool) -> Result<bool, ClosestError> {
        let ((shape_a, pose_a), (shape_b, pose_b)) = (self.a.placed(m), self.b.placed(n));
        match overlap_of_hollow(shape_a, &pose_a, shape_b, &(self.b_in_a * pose_b)) {
            Some(overlap) => Ok(overlap),
            None => Ok(self.ask(m, n, 0.0)?.is_some_and(|found| found.distance < 0.0 || or_touch)),
        }
    }

    /// Shows the answers of pairs of parts within a limit to `see`, nearest boxes first; it answers the limit from then on, or
    /// ends the walk.
    fn visit(
        &self,
        limit: Real,
        mut see: impl FnMut(Local, [CompoundPiece; 2]) -> Option<Real>,
    ) -> Result<(), ClosestError> {
        self.walk(limit, |m, n, limit| {
            let next = self.ask(m, n, limit)?.map_or(Some(limit), |found| see(found, [m, n]));
            Ok(next.map_or(ControlFlow::Break(()), ControlFlow::Continue))
        })
    }

    /// Goes to the pairs of parts whose boxes are within a limit, nearest boxes first; `look` answers the limit from then on, or ends the
    /// walk.
    fn walk(
        &self,
        limit: Real,
        mut look: impl FnMut(CompoundPiece, CompoundPiece, Real) -> Result<ControlFlow<(), Real>, ClosestError>,
    ) -> Result<(), ClosestError> {
        let mut limit = limit;
        let lower = |m: CompoundPiece, n: CompoundPiece| match (self.a.aabb(m), self.b.aabb(n)) {
            (Some(a), Some(b)) => gap(&a, &b.transformed(&self.b_in_a)),
            _ => 0.0,
        };
        let root = (self.a.root(), self.b.root());
        let mut stack = vec![(root, lower(root.0, root.1))];
        while let Some(((m, n), least)) = stack.pop() {
            if least > limit {
                continue;
            }
            let first = stack.len();
            match (m, n) {
                (CompoundPiece::Node(_), CompoundPiece::Node(_)) if self.size(true, m) >= self.size(false, n) => {
                    stack.extend(self.a.children(m).into_iter().map(|k| ((k, n), lower(k, n))));
                }
                (_, CompoundPiece::Node(_)) => {
                    stack.extend(self.b.children(n).into_iter().map(|k| ((m, k), lower(m, k))));
                }
                (CompoundPiece::Node(_), _) => {
                    stack.extend(self.a.children(m).into_iter().map(|k| ((k, n), lower(k, n))));
                }
                _ => match look(m, n, limit)? {
                    ControlFlow::Continue(next) => limit = next,
                    ControlFlow::Break(()) => return Ok(()),
                },
            }
            // The nearest is looked at first.
            stack[first..].sort_by(|p, q| q.1.total_cmp(&p.1));
        }
        Ok(())
    }

    fn size(&self, of_a: bool, piece: CompoundPiece) -> Real {
        let side = if of_a { self.a } else { self.b };
        side.aabb(piece).map_or(0.0, |b| b.area())
    }

    fn ask(&self, m: CompoundPiece, n: CompoundPiece, limit: Real) -> Result<Option<Local>, ClosestError> {
        let ((shape_a, pose_a), (shape_b, pose_b)) = (self.a.placed(m), self.b.placed(n));
        let pose_b = self.b_in_a * pose_b;
        let mut all = self.memory.borrow_mut();
        let memory = all.parts.entry([m, n].map(CompoundPiece::number)).or_default();
        let found = match convex_pair(self.method, shape_a, shape_b, &pose_a.inv_mul(&pose_b), memory)? {
            Some(found) => Some(found),
            None => match search((shape_a, &pose_a), (shape_b, &pose_b), limit, self.method, memory) {
                // Others may have points. To a part that is asked about after another has answered, within that distance, none is nearer either.
                Err(ClosestError::Empty { .. } | ClosestError::NoPointFound { .. }) => None,
                found => found?,
            },
        };
        Ok(found.filter(|l| l.distance <= limit).map(|l| Local {
            point_a: pose_a * l.point_a,
            point_b: pose_a * l.point_b,
            normal: pose_a.rotation * l.normal,
            features: FeaturePair { a: self.a.feature(m, l.features.a), b: self.b.feature(n, l.features.b) },
            ..l
        }))
    }
}

fn has_cells(shape: &Shape) -> bool {
    needs_cells(shape) || shape.as_compound().is_some_and(|c| c.parts().iter().any(|part| has_cells(&part.shape)))
}

/// Whether it is certain that a solid, or each part of a compound, has no points.
fn is_empty(shape: &Shape) -> bool {
    match shape.as_compound() {
        Some(compound) => compound.parts().iter().all(|part| is_empty(&part.shape)),
        None => shape.as_field().is_some_and(|field| field.has_no_point()),
    }
}

/// The distance of two boxes.
fn gap(a: &Aabb, b: &Aabb) -> Real {
    (b.min - a.max).sup(&(a.min - b.max)).sup(&Vector::zeros()).norm()
}
