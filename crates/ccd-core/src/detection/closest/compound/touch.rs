//! The touch of parts of compounds: along one direction that separates all that touch.

use super::super::touching::{Placed, ROUND, common_direction};
use super::super::{ClosestError, Local};
use super::Pairs;
use crate::detection::compound_piece::CompoundPiece;

impl Pairs<'_, '_> {
    /// The touch of all parts that touch, where the nearest ones do, which were `found`; `None` where they do not, or are not all convex.
    pub(super) fn touch(
        &self,
        found: &Local,
        pieces: [CompoundPiece; 2],
        but: Option<[u32; 2]>,
    ) -> Result<Option<Local>, ClosestError> {
        let Some((_, rounding)) = self.convex_parts(pieces).map(|pair| pair.gap(&found.normal)) else {
            return Ok(None);
        };
        if found.distance > rounding || found.distance < -ROUND * rounding {
            return Ok(None);
        }
        let (mut touching, mut touches, mut are_convex) = (Vec::new(), Vec::new(), true);
        self.visit(rounding, |found, pieces| {
            if but != Some(pieces.map(CompoundPiece::number)) {
                match self.convex_parts(pieces) {
                    Some(pair) => touching.push((pair, found.normal)),
                    None => are_convex = false,
                }
                touches.push(found);
            }
            are_convex.then_some(rounding)
        })?;
        let common = common_direction(&touching)
            .filter(|common| are_convex && (common.separates || found.distance >= -rounding));
        Ok(common.map(|common| Local {
            distance: found.distance.max(0.0),
            normal: common.normal,
            ..touches[common.pair]
        }))
    }

    /// Two parts that are convex, in A's frame.
    fn convex_parts(&self, pieces: [CompoundPiece; 2]) -> Option<Placed<'_>> {
        let ((shape_a, pose_a), (shape_b, pose_b)) = (self.a.placed(pieces[0]), self.b.placed(pieces[1]));
        Some(Placed { solids: [shape_a.as_convex()?, shape_b.as_convex()?], poses: [pose_a, self.b_in_a * pose_b] })
    }
}
