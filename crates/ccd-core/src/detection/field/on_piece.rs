//! The nearest point of a piece of a patch.

use crate::geometry::parametric::{BezierPatch, PatchPiece};
use crate::math::{Point, Real};

/// Steps towards the nearest point of a piece of a patch.
const PATCH_STEPS: usize = 8;

/// The point of the piece nearest to `point`, as far as descent from the parallelogram's place finds it (Gauss and Newton).
pub(super) fn nearest_on_piece(piece: &PatchPiece, patch: &BezierPatch, point: &Point) -> Point {
    let mut at = piece.parameters_near(point);
    let mut jet = patch.jet(at[0], at[1]);
    for _ in 0..PATCH_STEPS {
        let way = point - jet.point;
        let (uu, uv, vv) = (jet.du.norm_squared(), jet.du.dot(&jet.dv), jet.dv.norm_squared());
        let (pu, pv) = (jet.du.dot(&way), jet.dv.dot(&way));
        let determinant = uu * vv - uv * uv;
        if determinant <= 1e-12 * uu * vv {
            break;
        }
        let step = [(pu * vv - pv * uv) / determinant, (pv * uu - pu * uv) / determinant];
        let within = |k: usize, step: Real| (at[k] + step).clamp(piece.low[k], piece.high[k]);
        let mut next: [Real; 2] = std::array::from_fn(|k| within(k, step[k]));
        // Held at a side, the rest of the way is along it.
        if next[0] != at[0] + step[0] {
            next[1] = within(1, (pv - uv * (next[0] - at[0])) / vv);
        } else if next[1] != at[1] + step[1] {
            next[0] = within(0, (pu - uv * (next[1] - at[1])) / uu);
        }
        let found = patch.jet(next[0], next[1]);
        if (point - found.point).norm_squared() >= way.norm_squared() {
            break;
        }
        (at, jet) = (next, found);
    }
    jet.point
}
