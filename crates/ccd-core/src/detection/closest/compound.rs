//! Distance and depth of compounds: branch and bound over pairs of parts, each by its own way.

use std::cell::RefCell;
use std::ops::ControlFlow;

use super::method::convex_pair;
use super::way_out::{ALL_AROUND, Gap, Movable, leads_out, least_way_out, moved};
use super::{ClosestError, ClosestMethod, Local, PairMemory, overlap_of_hollow, search};
use crate::bounds::tree::NodeKind;
use crate::geometry::feature::{Feature, FeaturePair};
use crate::math::{Pose, Real, Vector};
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
    let pairs = Pairs { a: &side_a, b: &side_b, b_in_a: *b_in_a, method, memory: &kept };
    let found = match pairs.nearest(limit) {
        Ok(Some(found)) if found.distance < 0.0 => pairs.deepest(found).map(Some),
        other => other,
    };
    *memory = kept.into_inner();
    found
}

/// Whether two solids of which at least one is a compound overlap.
pub(super) fn overlap(a: &Shape, b: &Shape, b_in_a: &Pose) -> Result<bool, ClosestError> {
    let (side_a, side_b, memory) = (Side::of(a), Side::of(b), RefCell::default());
    let method = ClosestMethod::Auto;
    Pairs { a: &side_a, b: &side_b, b_in_a: *b_in_a, method, memory: &memory }.overlap()
}

enum Side<'s> {
    Parts(&'s Compound),
    Whole(&'s Shape),
}

/// A part of one side; of a whole solid there is one, without number.
#[derive(Clone, Copy, Debug)]
enum Piece {
    Node(u32),
    Part(u32),
    Whole,
}

impl Piece {
    /// The number of a part; of all else zero.
    fn number(self) -> u32 {
        match self {
            Self::Part(part) => part,
            Self::Node(_) | Self::Whole => 0,
        }
    }
}

impl<'s> Side<'s> {
    /// The part of this number, if there is one.
    fn numbered(&self, number: u32) -> Option<Piece> {
        match self {
            Self::Parts(compound) => ((number as usize) < compound.parts().len()).then_some(Piece::Part(number)),
            Self::Whole(_) => Some(Piece::Whole),
        }
    }

    fn of(shape: &'s Shape) -> Self {
        shape.as_compound().map_or(Self::Whole(shape), Self::Parts)
    }

    fn root(&self) -> Piece {
        match self {
            Self::Parts(_) => Piece::Node(0),
            Self::Whole(_) => Piece::Whole,
        }
    }

    /// The piece's box; `None` for what is unbounded.
    fn aabb(&self, piece: Piece) -> Option<Aabb> {
        match (self, piece) {
            (Self::Parts(compound), Piece::Node(node)) => Some(compound.tree().node(node).aabb),
            (Self::Parts(compound), Piece::Part(part)) => Some(*compound.part_box(part)),
            (Self::Parts(compound), Piece::Whole) => Some(compound.tree().aabb()),
            (Self::Whole(shape), _) => shape.is_bounded().then(|| shape.as_solid().local_aabb()),
        }
    }

    fn children(&self, piece: Piece) -> Vec<Piece> {
        let (Self::Parts(compound), Piece::Node(node)) = (self, piece) else { return Vec::new() };
        match compound.tree().node(node).kind {
            NodeKind::Inner { left, right } => vec![Piece::Node(left), Piece::Node(right)],
            NodeKind::Leaf { first, count } => {
                compound.tree().items(first, count).iter().map(|&part| Piece::Part(part)).collect()
            }
        }
    }

    fn placed(&self, piece: Piece) -> (&'s Shape, Pose) {
        match (self, piece) {
            (Self::Parts(compound), Piece::Part(part)) => {
                let part = &compound.parts()[part as usize];
                (&part.shape, part.pose)
            }
            (Self::Whole(shape), _) => (shape, Pose::identity()),
            (Self::Parts(_), _) => unreachable!("only parts are asked"),
        }
    }

    fn feature(&self, piece: Piece, feature: Feature) -> Feature {
        match (self, piece) {
            (Self::Parts(compound), Piece::Part(part)) => compound.feature_of_part(part, feature),
            _ => feature,
        }
    }
}

/// The pairs of pieces at a placement.
struct Pairs<'p, 's> {
    a: &'p Side<'s>,
    b: &'p Side<'s>,
    b_in_a: Pose,
    method: ClosestMethod,
    memory: &'p RefCell<PairMemory>,
}

impl Pairs<'_, '_> {
    /// The nearest pair of parts within `limit`, or the deepest if any overlap.
    fn nearest(&self, limit: Real) -> Result<Option<Local>, ClosestError> {
        let mut best: Option<(Local, [Piece; 2])> = None;
        let mut iterations = 0;
        let last = self.memory.borrow().nearest.and_then(|[i, j]| Some([self.a.numbered(i)?, self.b.numbered(j)?]));
        if let Some([m, n]) = last
            && let Some(found) = self.ask(m, n, limit)?
        {
            iterations += found.iterations;
            best = Some((found, [m, n]));
        }
        let least = |best: &Option<(Local, [Piece; 2])>| best.map_or(limit, |(b, _)| b.distance.max(0.0));
        self.visit(least(&best), |found, pieces| {
            iterations += found.iterations;
            if best.is_none_or(|(b, _)| found.distance < b.distance) {
                best = Some((found, pieces));
            }
            // Overlapping parts all count; else nothing further than the nearest is of interest.
            Some(least(&best))
        })?;
        self.memory.borrow_mut().nearest = best.map(|(_, pieces)| pieces.map(Piece::number));
        Ok(best.map(|(b, _)| Local { iterations, ..b }))
    }

    fn overlap(&self) -> Result<bool, ClosestError> {
        let mut overlap = false;
        self.walk(0.0, |m, n, _| {
            overlap = self.parts_overlap(m, n)?;
            Ok(if overlap { ControlFlow::Break(()) } else { ControlFlow::Continue(0.0) })
        })?;
        Ok(overlap)
    }

    /// The same of two parts. How deep those overlap that are not convex is not found out for that.
    fn parts_overlap(&self, m: Piece, n: Piece) -> Result<bool, ClosestError> {
        let ((shape_a, pose_a), (shape_b, pose_b)) = (self.a.placed(m), self.b.placed(n));
        match overlap_of_hollow(shape_a, &pose_a, shape_b, &(self.b_in_a * pose_b)) {
            Some(overlap) => Ok(overlap),
            None => Ok(self.ask(m, n, 0.0)?.is_some_and(|found| found.distance < 0.0)),
        }
    }

    /// Shows the answers of pairs of parts within a limit to `see`, nearest boxes first; it answers the limit from then on, or
    /// ends the walk.
    fn visit(&self, limit: Real, mut see: impl FnMut(Local, [Piece; 2]) -> Option<Real>) -> Result<(), ClosestError> {
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
        mut look: impl FnMut(Piece, Piece, Real) -> Result<ControlFlow<(), Real>, ClosestError>,
    ) -> Result<(), ClosestError> {
        let mut limit = limit;
        let lower = |m: Piece, n: Piece| match (self.a.aabb(m), self.b.aabb(n)) {
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
                (Piece::Node(_), Piece::Node(_)) if self.size(true, m) >= self.size(false, n) => {
                    stack.extend(self.a.children(m).into_iter().map(|k| ((k, n), lower(k, n))));
                }
                (_, Piece::Node(_)) => {
                    stack.extend(self.b.children(n).into_iter().map(|k| ((m, k), lower(m, k))));
                }
                (Piece::Node(_), _) => {
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

    fn size(&self, of_a: bool, piece: Piece) -> Real {
        let side = if of_a { self.a } else { self.b };
        side.aabb(piece).map_or(0.0, |b| b.area())
    }

    fn ask(&self, m: Piece, n: Piece, limit: Real) -> Result<Option<Local>, ClosestError> {
        let ((shape_a, pose_a), (shape_b, pose_b)) = (self.a.placed(m), self.b.placed(n));
        let pose_b = self.b_in_a * pose_b;
        let mut all = self.memory.borrow_mut();
        let memory = all.parts.entry([m, n].map(Piece::number)).or_default();
        let found = match convex_pair(self.method, shape_a, shape_b, &pose_a.inv_mul(&pose_b), memory)? {
            Some(found) => Some(found),
            None => search(shape_a, &pose_a, shape_b, &pose_b, limit, self.method, memory)?,
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

impl Pairs<'_, '_> {
    fn moved(&self, way: &Vector) -> Self {
        Self { b_in_a: moved(&self.b_in_a, way), ..*self }
    }

    /// The way out of an overlap of which `worst` is the deepest pair of parts.
    fn deepest(&self, worst: Local) -> Result<Local, ClosestError> {
        let deepest = Gap::of(&worst);
        if leads_out(self, &deepest)? {
            return Ok(worst);
        }
        let mut held = vec![deepest];
        self.visit(0.0, |found, _| {
            if found.distance < 0.0 && held.iter().all(|gap| gap.normal.dot(&found.normal) < 0.999) {
                held.push(Gap::of(&found));
            }
            (held.len() < MAX_WAYS).then_some(0.0)
        })?;
        let boxes = self.a.aabb(self.a.root()).zip(self.b.aabb(self.b.root()).map(|b| b.transformed(&self.b_in_a)));
        let mut directions = Vec::new();
        let far = match &boxes {
            Some((own, other)) => {
                directions.extend([Vector::x(), Vector::y(), Vector::z()]);
                directions.extend((other.centre() - own.centre()).try_normalize(1e-12));
                Vector::y() * (2.0 * own.merged(other).half_extents().norm())
            }
            // Against a half-space only its normal leads out, as far as the deepest part is in it.
            None => worst.normal * -worst.distance,
        };
        let out = least_way_out(self, &held, directions, ALL_AROUND, far)?;
        let [point_a, point_b] = out.points(&nalgebra::center(&worst.point_a, &worst.point_b));
        Ok(Local { distance: -out.depth, point_a, point_b, normal: out.normal, ..worst })
    }
}

impl Movable for Pairs<'_, '_> {
    fn overlap(&self, way: &Vector) -> Result<bool, ClosestError> {
        self.moved(way).overlap()
    }

    fn gaps(&self, way: &Vector, reach: Real) -> Result<Vec<Gap>, ClosestError> {
        let mut gaps = Vec::new();
        self.moved(way).visit(reach, |found, _| {
            gaps.push(Gap::of(&found));
            Some(reach)
        })?;
        Ok(gaps)
    }
}

/// The distance of two boxes.
fn gap(a: &Aabb, b: &Aabb) -> Real {
    (b.min - a.max).sup(&(a.min - b.max)).sup(&Vector::zeros()).norm()
}
